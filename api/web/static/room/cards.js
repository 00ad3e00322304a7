// Pieces of the room: keys, badges, cards, and what stays as it was when they are drawn anew.

import { h } from "../shared/dom.js";
import { unlessTouched } from "./touched.js";

/**
 * @param {string} title
 * @param {...(Node | null | undefined | false | 0 | "")} children
 */
export function card(title, ...children) {
  return h("section", { class: "card" }, h("h3", null, title), children.filter((one) => one instanceof Node));
}

/**
 * Something that is folded away until it is asked for.
 *
 * @param {Map<string, any>} kept what outlives a drawing
 * @param {string} name under which it is kept whether it is open
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
 * Draw something anew where no finger lies on it, and give the focus back to the key that had it.
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
  const index = active && place.contains(active) ? controls().indexOf(active) : -1;
  draw();
  if (index < 0) return;
  // Where that key has gone, is closed or folded away now, whoever types goes on near by.
  for (const one of [...controls().slice(index), ...controls().slice(0, index).toReversed()]) {
    one.focus();
    if (document.activeElement === one) return;
  }
}
