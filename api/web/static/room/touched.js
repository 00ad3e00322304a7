// Delays redrawing while a finger is on the page: a tap goes astray if its key is replaced or moves.

/** Redraw after this time even without a lift: the list of a select swallows that event. */
const HELD_MS = 5000;

/** How long after the lift a click may come: after a touch it is a separate event. */
const CLICK_MS = 500;

/** @type {Map<HTMLElement, () => void>} Delayed redraws: the latest for each place. */
const waiting = new Map();

let isTouched = false;
let timer = 0;

/**
 * Draw a place now, or as soon as no finger or held space bar is on the page: a place that grows
 * moves the keys of others.
 *
 * @param {HTMLElement} place
 * @param {() => void} draw
 */
export function unlessTouched(place, draw) {
  waiting.delete(place);
  if (isTouched) waiting.set(place, draw);
  else draw();
}

/** @param {number} ms */
function liftIn(ms) {
  clearTimeout(timer);
  timer = setTimeout(lift, ms);
}

function lift() {
  isTouched = false;
  const draws = [...waiting.values()];
  waiting.clear();
  for (const draw of draws) {
    try {
      draw();
    } catch (error) {
      reportError(error); // The other places are drawn all the same.
    }
  }
}

function touch() {
  isTouched = true;
  liftIn(HELD_MS);
}

/** @type {AddEventListenerOptions} */
const FIRST = { capture: true, passive: true };
document.addEventListener("pointerdown", touch, FIRST);
document.addEventListener("pointerup", () => liftIn(CLICK_MS), FIRST);
document.addEventListener("pointercancel", () => liftIn(0), FIRST);
// With a timer, so that the click or change is handled first.
document.addEventListener("click", () => liftIn(0), FIRST);
document.addEventListener("change", () => liftIn(0), FIRST);
// The space bar presses a button when it is released.
document.addEventListener("keydown", ({ key }) => key === " " && touch(), FIRST);
document.addEventListener("keyup", ({ key }) => key === " " && liftIn(CLICK_MS), FIRST);
