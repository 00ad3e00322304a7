// What lies under a finger is drawn anew when it is lifted: a tap whose key is replaced meanwhile is lost.

/** So long a finger may lie there until nobody waits for it any more: the list of a select takes its end away. */
const HELD_MS = 5000;

/** So long after it was lifted its click may come: that of a touch is an event of its own turn. */
const CLICK_MS = 500;

/** @type {Map<HTMLElement, () => void>} What is to be drawn then, the last drawing of each place alone. */
const waiting = new Map();

/** @type {EventTarget | null} */
let touched = null;
let timer = 0;

/**
 * Draw a place, now or as soon as no finger and no held key lies on anything in it.
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
// Behind whatever the click does, or the choice.
document.addEventListener("click", () => liftIn(0), FIRST);
document.addEventListener("change", () => liftIn(0), FIRST);
// A key is pressed by the space bar when that is let go.
document.addEventListener("keydown", ({ key, target }) => key === " " && touch(target), FIRST);
document.addEventListener("keyup", ({ key }) => key === " " && liftIn(CLICK_MS), FIRST);
