// What was refused, or had no answer: a note for eye and ear that stays until whoever reads it goes on.

import { h } from "./dom.js";

/**
 * Tell that nothing came of an act, and why: above whatever is open, until the next click.
 *
 * @param {string} text
 */
export function tellRefusal(text) {
  document.getElementById("refused")?.remove();
  const note = h("p", { id: "refused", class: "refused", role: "alert" }, text);
  // Under an open dialog nobody would see it.
  ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(note);
  const go = () => note.remove();
  // The click that led here is over by then.
  setTimeout(() => document.addEventListener("click", go, { capture: true, once: true }));
}
