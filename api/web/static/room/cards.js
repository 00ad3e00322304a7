// Pieces of the panel: a card, and a fold that stays as it was left when the panel is drawn anew.

import { h } from "../shared/dom.js";

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
