// A citation of a rule; it opens to show the section if the tournament has loaded the text.

import { h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { problemText } from "./forms.js";
import { citationText } from "./words.js";

/** @typedef {{ rule_set: string, section: string, ambiguity?: string | null }} Cited */

/** Sections fetched so far. @type {Map<string, string | null>} */
const read = new Map();

/**
 * The citation of a rule, which opens if its text is loaded.
 *
 * @param {Cited} cited
 * @param {{ context: import("./types").RoomContext, kept: Map<string, any> } | null} view null = it
 *   never opens
 * @param {string} place distinguishes it from other citations of the same section
 */
export function citedLine(cited, view, place) {
  if (view === null || !isLoaded(cited)) return h("p", { class: "muted" }, citationText(cited));
  const { context, kept } = view;
  const at = `/room/${context.log}/text?${new URLSearchParams({ rule_set: cited.rule_set, section: cited.section })}`;
  const words = h("div", { class: "loaded-text" });
  const element = h("details", { class: "cited" }, h("summary", { class: "muted" }, citationText(cited)), words);
  const name = `text ${place} ${at}`;
  element.open = kept.get(name) === true;
  if (element.open) void show(at, words);
  element.addEventListener("toggle", () => {
    kept.set(name, element.open);
    if (element.open) void show(at, words);
  });
  return element;
}

/** @param {string} at @param {HTMLElement} words */
async function show(at, words) {
  if (!read.has(at)) {
    try {
      read.set(at, (await api("GET", at)).json.text);
    } catch (error) {
      words.textContent = problemText(error);
      return;
    }
  }
  words.textContent = read.get(at) ?? t("panel.no_text");
}

/**
 * Whether the text of the section is loaded; of several, such as `[1.3.3, 4.2.3]`, of all.
 *
 * @param {Cited} cited
 */
export function isLoaded({ rule_set, section }) {
  const list = document.getElementById(`sections-${rule_set}`);
  const loaded = new Set([...(list?.querySelectorAll("option[data-loaded]") ?? [])].map((one) => one.getAttribute("value")));
  const parts = section.replace(/^\[|\]$/g, "").split(", ");
  return loaded.has(section) || (parts.length > 1 && parts.every((one) => loaded.has(`[${one}]`)));
}
