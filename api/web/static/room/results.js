// Results for the draw sheet: confirming, posting and correcting them.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { seats, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { pairOf, questionsText, standingBy } from "./words.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("../shared/types").Seat} Seat
 */

/**
 * The words for who has confirmed a result, and how many questions are open.
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
 * Fields for the score.
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
 * The score entered, or null; refused if the winner has fewer points.
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
const posting = (score, winner) => ({ tag: "result.posted", basis: "observed", body: withoutEmpty({ score, winner }) });

/**
 * Form: post a result that the tablet recorded.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, score?: any, winner?: Seat | null, names?: any, confirmations?: any, questions?: any[] }} result
 */
export async function confirmResult(context, result) {
  const match = result.match_id;
  await askAndRefresh(
    context,
    t("room.confirm_result"),
    [...scoreFields(context, match, result.score ?? null), winnerField(context, match, result.winner ?? null)],
    (v) => append(context.log, match, [posting(scoreOf(v), v.winner)]),
    { action: t("room.post"), lead: standing(context, result) },
  );
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
 * Form: post the result of a match that no tablet recorded to its end; the score is stated too.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function postResult(context, match) {
  await askAndRefresh(
    context,
    t("room.post_result"),
    [...scoreFields(context, match, null), winnerField(context, match, null)],
    (v) => {
      const [score, table] = [scoreOf(v), context.tableOf(match)];
      const isReached = score !== null && table?.length != null && Math.max(score.one, score.two) >= table.length;
      return append(context.log, match, [
        ...(score === null ? [] : [{ tag: "score.stated", body: { score } }]),
        // A match that was given up, or money play, is ended only by this entry.
        ...(isReached ? [] : [{ tag: "match.ended", body: withoutEmpty({ score, winner: v.winner }) }]),
        posting(score, v.winner),
      ]);
    },
    { action: t("room.post"), lead: [h("p", null, t("room.post_result_about"))] },
  );
}

/**
 * Form: correct a posted result.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function correctResult(context, match) {
  const table = context.tableOf(match);
  const old = table?.posted?.score ?? null;
  if (table === null || old === null) return;
  await askAndRefresh(
    context,
    t("room.correct_result"),
    [...scoreFields(context, match, old), { name: "reason", label: t("room.reason"), kind: "long" }],
    (v) => {
      const score = scoreOf(v);
      if (score === null) throw new Error(t("room.result_needed"));
      if (score.one === old.one && score.two === old.two) throw new Error(t("room.result_same"));
      return append(context.log, match, [
        // Without recorded games, the score is the stated one.
        ...(table.games === 0 ? [{ tag: "score.stated", body: { score } }] : []),
        { tag: "result.corrected", body: withoutEmpty({ old, new: score, reason: v.reason }) },
      ]);
    },
    { action: t("room.correct_result") },
  );
}
