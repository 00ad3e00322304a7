// Shows and announces that an act was refused or got no answer, until the next click.

import { h } from "./dom.js";

/**
 * Show why an act failed, above any open dialog, until the next click.
 *
 * @param {string} text
 */
export function tellRefusal(text) {
  document.getElementById("refused")?.remove();
  const note = h("p", { id: "refused", class: "refused", role: "alert" }, text);
  // Inside an open dialog, which would otherwise cover it.
  ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(note);
  const go = () => note.remove();
  // With a timer, so that the click that led here does not remove it.
  setTimeout(() => document.addEventListener("click", go, { capture: true, once: true }));
}
