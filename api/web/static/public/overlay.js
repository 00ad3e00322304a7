// The overlay: draws itself anew when the public may know more, and lets the running clock run.

const POLL_MS = 1_500;
const PATIENCE_MS = 8_000;

const overlay = /** @type {HTMLElement} */ (document.getElementById("overlay"));

/** @type {string | null} */
let etag = null;
/** When what is shown came; null = it stood already, and nobody knows since when. @type {number | null} */
let cameAt = null;

async function poll() {
  try {
    const answer = await fetch(location.href, {
      headers: etag ? { "If-None-Match": etag } : {},
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
      // What may not be shown any more does not stay on the screen.
      overlay.replaceChildren();
      etag = null;
      return;
    }
    if (!answer.ok) return;
    etag = answer.headers.get("ETag");
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("overlay");
    if (fresh === null) return;
    const isNew = fresh.dataset.version !== overlay.dataset.version;
    if (!isNew && overlay.childElementCount > 0 && fresh.innerHTML === served) return;
    if (isNew) cameAt = performance.now();
    served = fresh.innerHTML;
    overlay.dataset.version = fresh.dataset.version;
    overlay.replaceChildren(...[...fresh.childNodes].map((node) => document.adoptNode(node)));
  } catch {
    // The next poll may succeed; what is on the air stays meanwhile.
  }
}

/** The running clock, since its turn came in; of one that ran before, nobody here knows how long. */
function tick() {
  const face = /** @type {HTMLElement | null} */ (overlay.querySelector(".clock.running"));
  if (face === null || cameAt === null) return;
  const { reserve = "0", free = "0" } = face.dataset;
  const used = Math.max(0, performance.now() - cameAt - Number(free));
  const seconds = Math.floor(Math.max(0, Number(reserve) - used) / 1_000);
  face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What the server told last, before the clock ran on. */
let served = overlay.innerHTML;

setInterval(() => void poll(), POLL_MS);
setInterval(tick, 250);

// A module: what it names is its own.
export {};
