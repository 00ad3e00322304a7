// Delays redrawing a place while a finger is on it, since a tap is lost if its key is replaced.

/** Redraw after this time even without a lift: the list of a select swallows that event. */
const HELD_MS = 5000;

/** How long after the lift a click may come: after a touch it is a separate event. */
const CLICK_MS = 500;

/** @type {Map<HTMLElement, () => void>} Delayed redraws: the latest for each place. */
const waiting = new Map();

/** @type {EventTarget | null} */
let touched = null;
let timer = 0;

/**
 * Draw a place now, or as soon as no finger or held space bar is on anything in it.
 *
 * @param {HTMLElement} place
 * @param {() => void} draw
 */
export function unlessTouched(place, draw) {
  waiting.delete(place);
  if (touched instanceof Node && place.contains(touched)) waiting.set(place, draw);
  else draw();
}

/** @param {number} ms */
function liftIn(ms) {
  clearTimeout(timer);
  timer = setTimeout(lift, ms);
}

function lift() {
  touched = null;
  const draws = [...waiting.values()];
  waiting.clear();
  for (const draw of draws) draw();
}

/** @param {EventTarget | null} target */
function touch(target) {
  touched = target;
  liftIn(HELD_MS);
}

/** @type {AddEventListenerOptions} */
const FIRST = { capture: true, passive: true };
document.addEventListener("pointerdown", ({ target }) => touch(target), FIRST);
document.addEventListener("pointerup", () => liftIn(CLICK_MS), FIRST);
document.addEventListener("pointercancel", () => liftIn(0), FIRST);
// With a timer, so that the click or change is handled first.
document.addEventListener("click", () => liftIn(0), FIRST);
document.addEventListener("change", () => liftIn(0), FIRST);
// The space bar presses a button when it is released.
document.addEventListener("keydown", ({ key, target }) => key === " " && touch(target), FIRST);
document.addEventListener("keyup", ({ key }) => key === " " && liftIn(CLICK_MS), FIRST);
