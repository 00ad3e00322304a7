// The short names of rule sets; needs the texts of `rules`.

import { hasText, t } from "./texts.js";

/**
 * The short name of a rule set, or its id if it has none.
 *
 * @param {string} ruleSet
 */
export function rulesCalled(ruleSet) {
  const key = `rules.called.${ruleSet}`;
  return hasText(key) ? t(key) : ruleSet;
}
