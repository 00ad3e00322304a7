// Building blocks of the room: keys, badges, cards, and redrawing that keeps focus and folds.

import { controlName, h } from "../shared/dom.js";
import { unlessTouched } from "./touched.js";

/**
 * @param {string} title
 * @param {...(Node | null | undefined | false | 0 | "")} children
 */
export function card(title, ...children) {
  return h("section", { class: "card" }, h("h3", null, title), children.filter((one) => one instanceof Node));
}

/**
 * Content that is collapsed until it is opened.
 *
 * @param {Map<string, any>} kept state that survives redrawing
 * @param {string} name key in `kept` for whether it is open
 * @param {string} title
 * @param {...(Node | null | undefined | false)} children
 */
export function fold(kept, name, title, ...children) {
  const element = h("details", null, h("summary", null, title), children.filter((one) => one instanceof Node));
  element.open = kept.get(name) === true;
  element.addEventListener("toggle", () => kept.set(name, element.open));
  return element;
}

/**
 * @param {string} text
 * @param {() => unknown} act
 * @param {string} [className]
 */
export function key(text, act, className = "") {
  return h("button", { type: "button", class: className, on: { click: () => void act() } }, text);
}

/**
 * @param {string} kind
 * @param {string} text
 */
export function badge(kind, text) {
  return h("span", { class: `badge ${kind}` }, text);
}

/**
 * Redraw a place when no finger is on it, and restore the focus.
 *
 * @param {HTMLElement} place
 * @param {() => void} draw
 */
export function keepingFocus(place, draw) {
  unlessTouched(place, () => drawnAround(place, draw));
}

/**
 * @param {HTMLElement} place
 * @param {() => void} draw
 */
function drawnAround(place, draw) {
  const controls = () =>
    /** @type {HTMLElement[]} */ ([...place.querySelectorAll("button, a, select, input")]);
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const before = controls();
  const index = active && place.contains(active) ? before.indexOf(active) : -1;
  const name = index < 0 ? "" : controlName(before[index]);
  const nth = before.slice(0, Math.max(index, 0)).filter((one) => controlName(one) === name).length;
  draw();
  if (index < 0) return;
  const after = controls();
  // Lines may have come or gone above it: Enter must not press the key of another line.
  const same = after.filter((one) => controlName(one) === name)[nth];
  // If the control is gone or cannot take the focus, the nearest one that can gets it.
  for (const one of [...(same ? [same] : []), ...after.slice(index), ...after.slice(0, index).toReversed()]) {
    one.focus();
    if (document.activeElement === one) return;
  }
}
