// All boards that are played: asks again every few seconds, and puts in what has moved.

const POLL_MS = 4_000;
const PATIENCE_MS = 8_000;

const boards = /** @type {HTMLElement} */ (document.getElementById("boards"));
const following = /** @type {HTMLElement} */ (document.getElementById("following"));

/** @type {string | null} */
let etag = null;

/** @param {Element} box */
const boardsIn = (box) => /** @type {HTMLElement[]} */ ([...box.querySelectorAll("li[data-match]")]);

/** @param {boolean} isFollowing */
function say(isFollowing) {
  const words = (isFollowing ? following.dataset.following : following.dataset.lost) ?? "";
  // Said again, it would be read out again.
  if (following.textContent !== words) following.textContent = words;
}

/** What was told last, put in: a board that stands as it stood keeps its picture. @param {HTMLElement} fresh */
async function put(fresh) {
  const known = new Map(boardsIn(boards).map((one) => [one.dataset.match, one]));
  for (const one of boardsIn(fresh)) {
    const old = known.get(one.dataset.match);
    const image = one.querySelector("img");
    if (old !== undefined && old.dataset.version === one.dataset.version && old.innerHTML === one.innerHTML) {
      one.replaceWith(old);
    } else {
      // Drawn before it is shown, so that no board is empty for a moment.
      await image?.decode().catch(() => undefined);
    }
  }
  // Whoever stands on a board with the keyboard stays there.
  const focused = document.activeElement?.closest("li[data-match]")?.getAttribute("data-match");
  boards.replaceChildren(...fresh.childNodes);
  if (focused) boardsIn(boards).find((one) => one.dataset.match === focused)?.querySelector("a")?.focus();
}

async function poll() {
  try {
    const answer = await fetch(location.href, {
      headers: etag ? { "If-None-Match": etag } : {},
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
      // What may not be shown any more does not stay on the screen.
      boards.replaceChildren();
      etag = null;
    } else if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("boards");
      if (fresh !== null) await put(document.adoptNode(fresh));
      etag = answer.headers.get("ETag");
    } else if (answer.status !== 304) {
      return say(false);
    }
    say(true);
  } catch {
    say(false);
  } finally {
    setTimeout(() => void poll(), POLL_MS);
  }
}

void poll();

// A module: what it names is its own.
export {};
