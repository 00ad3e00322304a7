// The page of all boards in play: fetches itself every few seconds, and replaces changed boards.

import { askAgain } from "./asking_again.js";

const POLL_MS = 4_000;

const boards = /** @type {HTMLElement} */ (document.getElementById("boards"));
const following = /** @type {HTMLElement} */ (document.getElementById("following"));

/** @param {Element} box */
const boardsIn = (box) => /** @type {HTMLElement[]} */ ([...box.querySelectorAll("li[data-match]")]);

/** @param {boolean} isFollowing */
function say(isFollowing) {
  const words = (isFollowing ? following.dataset.following : following.dataset.lost) ?? "";
  // Writing the same text again would announce it again.
  if (following.textContent !== words) following.textContent = words;
}

/** Show the new boards; an unchanged board keeps its picture. @param {HTMLElement} fresh */
async function put(fresh) {
  const known = new Map(boardsIn(boards).map((one) => [one.dataset.match, one]));
  for (const one of boardsIn(fresh)) {
    const old = known.get(one.dataset.match);
    const image = one.querySelector("img");
    if (old !== undefined && old.dataset.version === one.dataset.version && old.innerHTML === one.innerHTML) {
      one.replaceWith(old);
    } else {
      // Decode pictures before they are shown, so that no board is empty for a moment.
      await image?.decode().catch(() => undefined);
    }
  }
  // Keep the focus on the same board.
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
