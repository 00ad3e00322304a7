// Questions that the rules leave open: those for the director, and those that rest.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { sentence } from "../replay/words.js";
import { card, fold, key } from "./cards.js";
import { citedLine } from "./cited.js";
import { leave, reopen, rule } from "./rulings.js";

/** @typedef {import("./types").CaseView} CaseView */

/**
 * The card of questions that need the director; null if there are none.
 *
 * @param {CaseView} view
 */
export function openQuestions(view) {
  const asked = view.known.questions.filter((/** @type {any} */ one) => one.attention === "alarm");
  return asked.length > 0 && card(t("room.questions"), ...asked.map((one) => questionLine(view, one)));
}

/**
 * The card of questions that need no act: settled by the players, or left to rest.
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

const OF_A_CASE = ["appeal.", "committee.", "vote."];

/**
 * The case that an entry belongs to: the last appeal filed before it; null if there is none.
 *
 * @param {CaseView} view
 * @param {number} version
 * @returns {string | null} entry id of the `appeal.filed`
 */
function caseOf(view, version) {
  const scenes = view.known.scenes;
  const tag = scenes.find((/** @type {any} */ one) => one.version === version)?.tag ?? "";
  if (!OF_A_CASE.some((beginning) => tag.startsWith(beginning))) return null;
  const filed = scenes.filter((/** @type {any} */ one) => one.tag === "appeal.filed" && one.version <= version);
  return filed.at(-1)?.entry_id ?? null;
}

/**
 * A question with the keys for it.
 *
 * @param {CaseView} view
 * @param {any} question
 */
export function questionLine(view, question) {
  const { context, match, names, stand } = view;
  const { attention, left } = question;
  const heard = caseOf(view, question.version);
  return h(
    "div",
    { class: "question", "data-attention": attention },
    h("p", null, sentence(question.said, names)),
    citedLine(question, view, `${question.version} ${question.topic}`),
    attention === "note" && h("p", { class: "muted" }, t("panel.settled_by_both")),
    left && h("p", null, t("panel.left_at", { n: left.version })),
    h(
      "div",
      { class: "row" },
      key(t("room.entry_n", { n: question.version }), () => stand(question.version)),
      heard && h("a", { class: "button", href: `/cases/${heard}` }, t("room.case")),
      key(t("room.rule"), () => rule(context, match, { question }), attention === "alarm" ? "primary" : ""),
      attention === "left"
        ? key(t("panel.reopen"), () => reopen(context, match, left))
        : key(t("panel.leave"), () => leave(context, match, question)),
    ),
  );
}
