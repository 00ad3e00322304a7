// The overlay: draws itself anew when the public may know more, and lets the running clock run.

import { askAgain } from "./asking_again.js";

const POLL_MS = 1_500;

const overlay = /** @type {HTMLElement} */ (document.getElementById("overlay"));

/** When what is shown came; null = it stood already, and nobody knows since when. @type {number | null} */
let cameAt = null;

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

/** @param {HTMLElement} fresh */
function put(fresh) {
  const isNew = fresh.dataset.version !== overlay.dataset.version;
  if (!isNew && overlay.childElementCount > 0 && fresh.innerHTML === served) return;
  if (isNew) cameAt = performance.now();
  served = fresh.innerHTML;
  overlay.dataset.version = fresh.dataset.version;
  overlay.replaceChildren(...fresh.childNodes);
}

// Without cookies: who set it up must not see more by it than the public does.
askAgain("overlay", POLL_MS, { came: put, gone: () => overlay.replaceChildren() }, "omit");
setInterval(tick, 250);
