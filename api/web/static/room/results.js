// Results as they are put on the draw sheet.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { said, seats } from "./fields.js";
import { ask } from "./forms.js";
import { pairOf, questionsText, standingBy } from "./words.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("../shared/types").Seat} Seat
 */

/**
 * What a result rests on: whose confirmation, and how many questions are open.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, names?: any }} result
 */
function standing(context, result) {
  const table = context.tableOf(result.match_id);
  const open = table?.questions ?? 0;
  return [
    h("p", null, h("strong", null, pairOf(result.names ?? table?.names))),
    h("p", null, standingBy(result, result.names ?? table?.names).join(" · ")),
    ...(open > 0 ? [h("p", { class: "badge warn" }, questionsText(open))] : []),
  ];
}

/**
 * The score, as two numbers.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("../shared/types").BySeat<number> | null} score
 * @returns {import("./forms.js").Field[]}
 */
function scoreFields(context, match, score) {
  return seats(context, match).map(({ value, text }) => ({
    ...{ name: value, label: t("room.score_of", { name: text }), kind: "number", value: score?.[value] ?? null, least: 0 },
  }));
}

/**
 * The score that was typed; null where none was. A winner who has fewer points is a slip.
 *
 * @param {Record<string, any>} v
 */
function scoreOf({ one, two, winner }) {
  if ((one === null) !== (two === null)) throw new Error(t("room.result_both"));
  if (one === null && !winner) throw new Error(t("room.result_needed"));
  if (one === null) return null;
  if ((winner === "one" && one < two) || (winner === "two" && two < one)) throw new Error(t("room.result_winner"));
  return { one, two };
}

/**
 * @param {{ one: number, two: number } | null} score
 * @param {Seat | null} winner
 * @returns {import("../shared/types").Act}
 */
const posting = (score, winner) => ({ tag: "result.posted", basis: "observed", body: said({ score, winner }) });

/**
 * Put a result on the draw sheet.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, score?: any, winner?: Seat | null, names?: any, confirmations?: any, questions?: any[] }} result
 */
export async function confirmResult(context, result) {
  const match = result.match_id;
  const done = await ask(
    t("room.confirm_result"),
    [...scoreFields(context, match, result.score ?? null), winnerField(context, match, result.winner ?? null)],
    (v) => append(context.log, match, [posting(scoreOf(v), v.winner)]),
    { action: t("room.post"), lead: standing(context, result) },
  );
  if (done) await context.refresh();
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {Seat | null} value
 * @returns {import("./forms.js").Field}
 */
function winnerField(context, match, value) {
  return { name: "winner", label: t("room.winner"), kind: "choice", value, options: seats(context, match) };
}

/**
 * Post the result of a match that no tablet recorded, or not to its end: the score is stated with it.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function postResult(context, match) {
  const done = await ask(
    t("room.post_result"),
    [...scoreFields(context, match, null), winnerField(context, match, null)],
    (v) => {
      const [score, table] = [scoreOf(v), context.tableOf(match)];
      const isReached = score !== null && table?.length != null && Math.max(score.one, score.two) >= table.length;
      return append(context.log, match, [
        ...(score === null ? [] : [{ tag: "score.stated", body: { score } }]),
        // Given up, or played for money: nothing but this word ends it.
        ...(isReached ? [] : [{ tag: "match.ended", body: said({ score, winner: v.winner }) }]),
        posting(score, v.winner),
      ]);
    },
    { action: t("room.post"), lead: [h("p", null, t("room.post_result_about"))] },
  );
  if (done) await context.refresh();
}

/**
 * Change a result that is on the draw sheet.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function correctResult(context, match) {
  const table = context.tableOf(match);
  const old = table?.posted?.score ?? null;
  if (table === null || old === null) return;
  const done = await ask(
    t("room.correct_result"),
    [...scoreFields(context, match, old), { name: "reason", label: t("room.reason"), kind: "long" }],
    (v) => {
      const score = scoreOf(v);
      if (score === null) throw new Error(t("room.result_needed"));
      if (score.one === old.one && score.two === old.two) throw new Error(t("room.result_same"));
      return append(context.log, match, [
        // Where no game is on record the score is what was stated.
        ...(table.games === 0 ? [{ tag: "score.stated", body: { score } }] : []),
        { tag: "result.corrected", body: said({ old, new: score, reason: v.reason }) },
      ]);
    },
    { action: t("room.correct_result") },
  );
  if (done) await context.refresh();
}
