// What the forms of the room have in common: who, which rule, and bodies of what was said alone.

import { rulesCalled } from "../shared/rules_called.js";
import { t } from "../shared/texts.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./forms.js").Field} Field
 * @typedef {import("../shared/types").Seat} Seat
 */

/**
 * Both players as options.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export function seats(context, match) {
  return /** @type {Seat[]} */ (["one", "two"]).map((value) => ({
    value,
    text: context.nameOf(match, value),
  }));
}

/**
 * Fields that cite a rule: the set in force, and a section with the text's own captions to choose from.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} [section]
 * @returns {Field[]}
 */
export function citation(context, match, section = "") {
  const rules = context.tableOf(match)?.rule_set ?? "common";
  return [
    {
      name: "section",
      label: t("room.section_of", { rules: rulesCalled(rules) }),
      kind: "text",
      list: `sections-${rules}`,
      value: section,
      hint: t("room.section_hint"),
    },
  ];
}

/**
 * The rule that is cited: a section that the text has, or any where the set lists none.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Record<string, any>} v
 * @param {string} [asked] the section of the question that is ruled on
 */
export function ruleOf(context, match, { section }, asked) {
  if (!section) return null;
  const rules = context.tableOf(match)?.rule_set ?? "common";
  const known = [...document.querySelectorAll(`[id="sections-${rules}"] option`)].map((one) => one.getAttribute("value"));
  if (known.length > 0 && section !== asked && !known.includes(section)) {
    throw new Error(t("room.no_section", { section, rules: rulesCalled(rules) }));
  }
  return { rule_set: rules, section };
}

/**
 * Only what was said: a member left out is not recorded as null.
 *
 * @param {Record<string, any>} body
 */
export function said(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * Refuse what was typed for an entry that has no member for it: it would be lost without a word.
 *
 * @param {string} field its label
 * @param {any} value
 */
export function refuseLost(field, value) {
  if (value) throw new Error(t("room.no_place", { field }));
}
