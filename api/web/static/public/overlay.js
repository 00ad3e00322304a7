// The broadcast overlay: redraws itself when the public may see more, and runs the clock.

import { askAgain } from "./asking_again.js";

const POLL_MS = 1_500;

const overlay = /** @type {HTMLElement} */ (document.getElementById("overlay"));

/** When the current state arrived; null = unknown, as at the start. @type {number | null} */
let cameAt = null;

/** Update the running clock by the time since its turn arrived here, if that is known. */
function tick() {
  const face = /** @type {HTMLElement | null} */ (overlay.querySelector(".clock.running"));
  if (face === null || cameAt === null) return;
  const { reserve = "0", free = "0" } = face.dataset;
  const used = Math.max(0, performance.now() - cameAt - Number(free));
  const seconds = Math.floor(Math.max(0, Number(reserve) - used) / 1_000);
  face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The server's last HTML, before the clock changed it. */
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

// Without cookies, so that it shows no more than the public may see.
askAgain("overlay", POLL_MS, { came: put, gone: () => overlay.replaceChildren() }, "omit");
setInterval(tick, 250);
