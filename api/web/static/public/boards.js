// All boards that are played: asks again every few seconds, and puts in what has moved.

import { askAgain } from "./asking_again.js";

const POLL_MS = 4_000;

const boards = /** @type {HTMLElement} */ (document.getElementById("boards"));
const following = /** @type {HTMLElement} */ (document.getElementById("following"));

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

askAgain("boards", POLL_MS, {
  came: async (fresh) => {
    await put(fresh);
    say(true);
  },
  gone: () => {
    boards.replaceChildren();
    say(true);
  },
  same: () => say(true),
  lost: () => say(false),
});
