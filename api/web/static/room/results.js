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
 * Put a result on the draw sheet.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, score?: any, winner?: Seat | null, names?: any, confirmations?: any, questions?: any[] }} result
 */
export async function confirmResult(context, result) {
  const done = await ask(
    t("room.confirm_result"),
    [
      { name: "one", label: context.nameOf(result.match_id, "one"), kind: "number", value: result.score?.one ?? null, least: 0 },
      { name: "two", label: context.nameOf(result.match_id, "two"), kind: "number", value: result.score?.two ?? null, least: 0 },
      {
        name: "winner",
        label: t("room.winner"),
        kind: "choice",
        value: result.winner ?? null,
        options: seats(context, result.match_id),
      },
    ],
    (v) =>
      append(context.log, result.match_id, [
        {
          tag: "result.posted",
          basis: "observed",
          body: said({
            score: v.one === null || v.two === null ? null : { one: v.one, two: v.two },
            winner: v.winner,
          }),
        },
      ]),
    { action: t("room.post"), lead: standing(context, result) },
  );
  if (done) await context.refresh();
}
