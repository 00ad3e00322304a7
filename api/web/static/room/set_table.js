// The form that sets board, turn, score, cube or clocks, as ruled or as seen.

import { t } from "../shared/texts.js";
import { clockFields, readingsOf } from "./clock_acts.js";
import { CUBES } from "./enums.js";
import { seats, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { boardField } from "./position_editor.js";
import { append, through } from "./write.js";

/**
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {import("./forms.js").Field} Field
 */

/** Members that only a ruling can set, and a stated position cannot. */
const RULED_ALONE = ["score", "reserve_ms", "game_over"];

/**
 * Form: set score, cube, clock, turn or position; empty fields change nothing.
 *
 * @param {CaseView} view
 */
export async function carryOut(view) {
  const { context, match, known } = view;
  const now = known.scenes.at(-1);
  const ruling = known.scenes.findLast((scene) => scene.tag === "ruling.made")?.entry_id ?? null;
  await askAndRefresh(
    context,
    t("room.carry_out"),
    fieldsOf(view),
    async (v) => {
      const body = withoutEmpty({
        checkers: v.checkers,
        on_roll: v.on_roll,
        dice: diceOf(v.dice),
        score: scoreOf(v, now),
        cube: cubeOf(v, now),
        reserve_ms: readingsOf(v),
        game_over: v.game_over,
      });
      if (Object.keys(body).length === 0) throw new Error(t("room.nothing_said"));
      if (v.as === "ruled") {
        await through(context.log, match, "rulings", { tag: "ruling.carried_out", body: withoutEmpty({ ruling, ...body }) });
        return;
      }
      if (v.checkers === null) throw new Error(t("room.needed", { field: t("panel.board") }));
      if (RULED_ALONE.some((name) => name in body)) throw new Error(t("panel.ruled_alone"));
      await append(context.log, match, [{ tag: "position.stated", basis: v.as, body }]);
    },
    { action: t("room.carry_out"), isWide: true },
  );
}

/**
 * @param {CaseView} view
 * @returns {Field[]}
 */
function fieldsOf(view) {
  const { context, match } = view;
  const players = seats(context, match);
  const unchanged = { value: "", text: t("room.unchanged") };
  return [
    {
      name: "as",
      label: t("panel.set_as"),
      kind: "choice",
      value: "ruled",
      options: [
        { value: "ruled", text: t("panel.set_as_ruled") },
        { value: "agreed", text: t("panel.set_as_agreed") },
        { value: "observed", text: t("panel.set_as_seen") },
      ],
    },
    { name: "on_roll", label: t("room.on_roll"), kind: "choice", value: "", options: [unchanged, ...players] },
    boardField(view, fillIn),
    {
      name: "more_cube",
      label: t("panel.cube_and_dice"),
      kind: "fold",
      fields: [
        {
          name: "cube",
          label: t("room.cube"),
          kind: "select",
          value: "",
          options: [unchanged, ...CUBES.map((value) => ({ value, text: value }))],
        },
        {
          name: "owner",
          label: t("room.cube_owner"),
          kind: "choice",
          value: "",
          options: [unchanged, { value: "middle", text: t("room.cube_middle") }, ...players],
        },
        { name: "dice", label: t("panel.dice_to_play"), kind: "text", hint: t("panel.dice_hint") },
      ],
    },
    {
      name: "more_score",
      label: t("panel.score_and_game"),
      kind: "fold",
      fields: [
        ...players.map(
          ({ value, text }) =>
            /** @type {Field} */ ({ name: value, label: t("room.score_of", { name: text }), kind: "number", least: 0 }),
        ),
        {
          name: "game_over",
          label: t("panel.game_over"),
          kind: "choice",
          value: "",
          options: [{ value: "", text: t("panel.game_goes_on") }, ...players],
        },
      ],
    },
    ...(context.tableOf(match)?.clock || view.known.entries.get(1)?.body.clock_terms
      ? [
          /** @type {Field} */ ({
            name: "more_clock",
            label: t("panel.clocks"),
            kind: "fold",
            fields: clockFields(context, match),
          }),
        ]
      : []),
  ];
}

/**
 * Fill in what another program's text names beside the board, for the director to check.
 *
 * @param {import("./position_editor.js").Named} named
 */
function fillIn({ on_roll, cube, dice }) {
  const form = document.querySelector("dialog.ask form");
  if (!(form instanceof HTMLFormElement)) return;
  const put = (/** @type {string} */ name, /** @type {string} */ value) => {
    const control = /** @type {any} */ (form.elements.namedItem(name));
    if (control) control.value = value;
  };
  put("on_roll", on_roll);
  if (cube) {
    put("cube", String(cube.value));
    put("owner", cube.owner ?? "middle");
  }
  if (dice) put("dice", dice.join(""));
}

/**
 * Two faces from "52" or "5-2".
 *
 * @param {string | null} text
 */
function diceOf(text) {
  if (!text) return null;
  const found = /^\s*([1-6])\s*[-–, ]?\s*([1-6])\s*$/.exec(text);
  if (found === null) throw new Error(t("panel.dice_wrong", { text }));
  return [Number(found[1]), Number(found[2])];
}

/**
 * The score to set; an empty side keeps its points.
 *
 * @param {Record<string, any>} v
 * @param {any} now the last line
 */
function scoreOf({ one, two }, now) {
  if (one === null && two === null) return null;
  return { one: one ?? now.score.one, two: two ?? now.score.two };
}

/**
 * The cube to set; value or owner stays as it was if only the other is entered.
 *
 * @param {Record<string, any>} v
 * @param {any} now the last line
 */
function cubeOf({ cube, owner }, now) {
  if (cube === null && owner === null) return null;
  const holder = owner === null ? now.cube.owner : owner === "middle" ? null : owner;
  return withoutEmpty({ value: cube === null ? now.cube.value : Number(cube), owner: holder });
}
