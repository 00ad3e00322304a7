// Appeals as the director sees them, with links to the desks of their cases.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { APPEALS_ON } from "./enums.js";
import { withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { namesOf, saidText, wordText } from "./words.js";
import { through } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 */

/**
 * The words for a member's id, as `called` in `appeal_state.py` has them.
 *
 * @param {string} member
 */
const called = (member) => member.replace(/^m(?=[1-9][0-9]*$)/, "member ");

/**
 * The card of an appeal with its ballots. Acts on it (convening, refusing) are at its case's desk.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} appeal a line of `GET …/appeals`
 * @param {string | null} entry entry id of the `appeal.filed`
 */
export function appealCard(context, match, appeal, entry) {
  const told = appeal.announced ? wordText(appeal.announced) : null;
  const isOver = told !== null || appeal.is_refused;
  return h(
    "li",
    null,
    h(
      "p",
      null,
      h("strong", null, appeal.seat ? context.nameOf(match, appeal.seat) : wordText("both")),
      ` · ${t("room.entry_n", { n: appeal.version })} · `,
      told ?? (appeal.is_refused ? t("room.appeal_refused") : t("room.appeal_open")),
    ),
    appeal.size > 0 &&
      h(
        "p",
        { class: "muted" },
        t("room.ballots", { n: appeal.voted, of: appeal.size }),
        ...appeal.ballots.map((/** @type {any} */ one) => ` · ${wordText(called(one.member))}: ${wordText(one.vote)}`),
      ),
    entry && h("p", null, h("a", { class: ["button", !isOver && "primary"], href: `/cases/${entry}` }, t("room.case"))),
    appeal.result && h("p", null, `${wordText(appeal.result.outcome)} (${appeal.result.section})`),
  );
}

/**
 * Form: file an appeal for a player, against a ruling or a penalty.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {readonly import("../replay/types").Scene[]} appealable rulings and penalties, in order
 */
export async function fileAppeal(context, match, appealable) {
  const names = namesOf(context.tableOf(match)?.names);
  await askAndRefresh(
    context,
    t("room.file_appeal"),
    [
      {
        name: "seat",
        label: t("room.who"),
        kind: "choice",
        needed: true,
        options: /** @type {const} */ (["one", "two"]).map((value) => ({ value, text: names[value] })),
      },
      {
        name: "target",
        label: t("room.appeal_against"),
        kind: "select",
        value: appealable.at(-1)?.entry_id ?? null,
        options: appealable.map((scene) => ({
          value: scene.entry_id,
          text: `${t("room.entry_n", { n: scene.version })}: ${saidText(scene, names)}`,
        })),
      },
      {
        name: "on",
        label: t("room.appeal_on"),
        kind: "choice",
        options: APPEALS_ON.map((value) => ({ value, text: t(`room.appeal_on_${value}`) })),
      },
      { name: "ground", label: t("room.reason"), kind: "long" },
    ],
    (v) =>
      through(context.log, match, "appeals", {
        body: withoutEmpty({ seat: v.seat, target: v.target, on: v.on, ground: v.ground }),
      }),
    { action: t("room.file_appeal") },
  );
}
