// What people call a rule set; on pages that have loaded the texts of `rules`.

import { hasText, t } from "./texts.js";

/**
 * What people call a rule set in a word or two; one that has no such name by its id.
 *
 * @param {string} ruleSet
 */
export function rulesCalled(ruleSet) {
  const key = `rules.called.${ruleSet}`;
  return hasText(key) ? t(key) : ruleSet;
}
