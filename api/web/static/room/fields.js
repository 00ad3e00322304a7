// Fields that the room's forms share: players and cited rules; and bodies without empty members.

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
 * Fields to cite a rule: the rule set in force, and a section, with the text's captions to choose.
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
 * The rule cited: a section that the text has, or any section if the rule set lists none.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Record<string, any>} v
 * @param {string} [asked] the section of the question being ruled on
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
 * A body without empty members: what was left out is not recorded as null.
 *
 * @param {Record<string, any>} body
 */
export function withoutEmpty(body) {
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
