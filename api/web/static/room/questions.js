// Questions of the rules: those that need the director first, the others where they can be looked up.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { sentence } from "../replay/words.js";
import { card, fold, key } from "./cards.js";
import { leave, reopen, rule } from "./rulings.js";
import { citationText } from "./words.js";

/** @typedef {import("./types").CaseView} CaseView */

/**
 * Those that need the director; null where none does.
 *
 * @param {CaseView} view
 */
export function openQuestions(view) {
  const asked = view.known.questions.filter((/** @type {any} */ one) => one.attention === "alarm");
  return asked.length > 0 && card(t("room.questions"), ...asked.map((one) => questionLine(view, one)));
}

/**
 * Those that the players have settled between them, and those that are left to rest: nobody need act.
 *
 * @param {CaseView} view
 */
export function restingQuestions(view) {
  const resting = view.known.questions.filter(
    (/** @type {any} */ one) => one.attention === "note" || one.attention === "left",
  );
  return (
    resting.length > 0 &&
    h(
      "section",
      { class: "card" },
      fold(
        view.kept,
        "resting",
        t("panel.resting_n", { n: resting.length }),
        ...resting.map((one) => questionLine(view, one)),
      ),
    )
  );
}

/**
 * One question with what may be done about it.
 *
 * @param {CaseView} view
 * @param {any} question
 */
export function questionLine(view, question) {
  const { context, match, names, stand } = view;
  const { attention, left } = question;
  return h(
    "div",
    { class: "question", "data-attention": attention },
    h("p", null, sentence(question.said, names)),
    h("p", { class: "muted" }, citationText(question)),
    attention === "note" && h("p", { class: "muted" }, t("panel.settled_by_both")),
    left && h("p", null, t("panel.left_at", { n: left.version })),
    h(
      "div",
      { class: "row" },
      key(t("room.entry_n", { n: question.version }), () => stand(question.version)),
      key(t("room.rule"), () => rule(context, match, { question }), attention === "alarm" ? "primary" : ""),
      attention === "left"
        ? key(t("panel.reopen"), () => reopen(context, match, left))
        : key(t("panel.leave"), () => leave(context, match, question)),
    ),
  );
}
