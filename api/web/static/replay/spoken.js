// The texts of persons in an entry: by whom, who recorded them, its file, and what is withheld.

import { h } from "../shared/dom.js";
import { rulesCalled } from "../shared/rules_called.js";
import { hasText, t } from "../shared/texts.js";
import { person } from "./words.js";

/** @import { BySeat } from "../shared/types.js" */
/** @import { Scene, Showing } from "./types.js" */

/**
 * The texts in the entry, as this reader may see them; empty if it has none.
 *
 * @param {Partial<Pick<Scene, "words" | "recorder" | "file">>} scene
 * @param {BySeat<string>} names
 * @returns {HTMLElement[]}
 */
export function spoken({ words = [], recorder = null, file = null }, names) {
  if (words.length === 0 && recorder === null && file === null) return [];
  const said = words.map((one) =>
    h("div", null, h("dt", null, labelOf(one, names)), h("dd", null, one.text ?? leftOut(one.withheld))),
  );
  const shown = file === null ? [] : [h("div", null, h("dt", null, kindOf(file.kind)), h("dd", null, fileOf(file)))];
  return [
    h("dl", { class: "sayings" }, said, shown),
    ...(recorder === null ? [] : [h("p", { class: "muted written-by" }, writtenBy(recorder))]),
  ];
}

/**
 * @param {Scene["words"][number]} word
 * @param {BySeat<string>} names
 */
function labelOf({ kind, by }, names) {
  const who = by === null ? null : person(by, names);
  if (kind === "says" && who !== null) return capital(t("words.says", { who }));
  const key = `words.kind.${kind}`;
  const label = hasText(key) ? t(key) : kind.replaceAll("_", " ");
  return who === null ? label : t("words.kind_by", { kind: label, who });
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {string | null} why */
function leftOut(why) {
  return h("em", { class: "left-out" }, t("words.left_out", { why: t(`words.why.${why ?? "erased"}`) }));
}

/**
 * Who recorded it, by name if it is known, else by role, never by id.
 *
 * @param {NonNullable<Scene["recorder"]>} recorder
 */
function writtenBy(recorder) {
  return t("words.written_by", { who: recordedBy(recorder) });
}

/** @param {NonNullable<Scene["recorder"]>} recorder */
export function recordedBy({ role, name, table }) {
  const key = `words.role.${role ?? "unknown"}`;
  const office = hasText(key) ? t(key) : t("words.role.unknown");
  const seated = table === null ? office : t("words.at_table", { role: office, table });
  return name === null ? seated : t("words.named", { name, role: seated });
}

/** @param {string} kind */
function kindOf(kind) {
  return hasText(`words.file.${kind}`) ? t(`words.file.${kind}`) : t("words.file");
}

/** @param {NonNullable<Scene["file"]>} file */
function fileOf({ href, kind, size_bytes: size, is_image: isImage, withheld }) {
  if (href === null) return leftOut(withheld);
  const label = t("words.file_open", { kind: kindOf(kind), size: Math.ceil((size ?? 0) / 1000) });
  const link = h("a", { href, target: "_blank", rel: "noopener" }, label);
  if (!isImage) return link;
  return h("figure", { class: "evidence" }, h("img", { src: href, alt: label, loading: "lazy" }), h("figcaption", null, link));
}

/**
 * Notes on what this reader is not shown of the match, and why; empty if everything is shown.
 *
 * @param {Showing} showing
 * @returns {string[]}
 */
export function notesOn({ reader, rule_set: ruleSet, section, withheld, cut, last, unstated, is_in_hand: isInHand }) {
  const why = (/** @type {string} */ one) => t(`words.why.${one}`);
  if (reader === "public") return withheld === null ? [] : [t("words.public", { why: why(withheld) })];
  const notes = [];
  const rules = rulesCalled(ruleSet);
  const cited = { rules, section: section ?? "" };
  if (withheld !== null) notes.push(t("words.people", { ...cited, why: why(withheld) }));
  if (cut !== null) notes.push(t("words.cut", { ...cited, why: why(cut), last: last ?? 0 }));
  if (unstated.length > 0) {
    const what = unstated.map((one) => t(`words.unstated.${one}`)).join(", ");
    notes.push(t(isInHand ? "words.unstated" : "words.unstated_not_in_hand", { rules, what }));
  }
  return notes;
}
