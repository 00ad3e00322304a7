// Forms for facts at a table: delays, dice lifted early, early rolls, both flags, throwing sides.

import { uuid } from "../device/chain/ids.js";
import { t } from "../shared/texts.js";
import { atOf, readingsOf } from "./clock_acts.js";
import { citation, refuseLost, ruleOf, seats, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {import("../shared/types").Act} Act
 */

/** Changes of a delay: the tag, and for a forfeit which turn. */
const DELAYS = /** @type {const} */ ({
  forfeit_next: ["clock.delay_forfeited", "next"],
  forfeit_this: ["clock.delay_forfeited", "this"],
  restart: ["clock.delay_restarted", null],
});
const CAUSES = ["fast_grab", "fast_roll", "invalid_roll", "clock_fault", "ruling", "other"];
const ORDERERS = ["director", "one", "two", "both"];
const LIFT_ANSWERS = ["forfeit", "only_warned", "no_comment"];
const ROLL_ANSWERS = ["stands", "redone", "only_warned", "no_comment"];

/** @param {string} room @param {readonly string[]} values */
const options = (room, values) => values.map((value) => ({ value, text: t(`room.${room}_${value}`) }));

/**
 * Options for who ordered or did something: the director, a player, both.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
function people(context, match) {
  return ORDERERS.map((value) => ({
    value,
    text: value === "one" || value === "two" ? context.nameOf(match, value) : t(`room.by_${value}`),
  }));
}

/** The basis: ruled if by the director, agreed if by both, else observed. @param {string} by */
const basisOf = (by) => (by === "director" ? "ruled" : by === "both" ? "agreed" : "observed");

/**
 * Form: a delay is forfeited or restarts.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function changeDelay(context, match) {
  await askAndRefresh(
    context,
    t("room.delay"),
    [
      { name: "seat", label: t("room.who"), kind: "choice", options: seats(context, match), needed: true },
      { name: "what", label: t("room.delay_what"), kind: "choice", options: options("delay", Object.keys(DELAYS)), needed: true },
      { name: "waits", label: t("room.delay_waits"), kind: "check" },
      { name: "cause", label: t("room.delay_cause"), kind: "select", options: options("cause", CAUSES), value: "fast_grab" },
      { name: "by", label: t("room.ordered_by"), kind: "select", options: people(context, match), value: "director" },
      { name: "reason", label: t("room.reason"), kind: "text" },
      { name: "more", label: t("panel.rule_cited"), kind: "fold", fields: citation(context, match) },
    ],
    (v) => {
      const [tag, turn] = DELAYS[/** @type {keyof typeof DELAYS} */ (v.what)];
      if (turn === null) refuseLost(t("room.delay_waits"), v.waits);
      const body = withoutEmpty({
        at_ms: atOf(context, match),
        seat: v.seat,
        turn: turn === "this" ? turn : null,
        waits: turn !== null && v.waits ? true : null,
        cause: v.cause,
        ordered_by: v.by,
        rule: ruleOf(context, match, v),
        reason: v.reason,
      });
      return append(context.log, match, [{ tag, basis: basisOf(v.by), body }]);
    },
  );
}

/**
 * Form: dice lifted before the opponent's turn was over, and the opponent's answer.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function liftedEarly(context, match) {
  const target = uuid();
  await askAndRefresh(
    context,
    t("room.lifted"),
    [
      { name: "seat", label: t("room.lifted_by"), kind: "choice", options: seats(context, match), needed: true },
      { name: "answer", label: t("room.lifted_answer"), kind: "choice", options: options("lifted", LIFT_ANSWERS) },
    ],
    (v) => {
      const at_ms = atOf(context, match);
      /** @type {Act[]} */
      const acts = [{ tag: "dice.lifted", entry_id: target, basis: "observed", body: withoutEmpty({ at_ms, seat: v.seat }) }];
      if (v.answer) {
        const seat = v.seat === "one" ? "two" : "one";
        const body = withoutEmpty({ at_ms, answer: v.answer, target, seat });
        acts.push({ tag: "dice.lift_answered", basis: "observed", body });
      }
      return append(context.log, match, acts);
    },
  );
}

/** The last early roll of a match, if any. @param {CaseView} view */
export const earlyRoll = ({ known }) =>
  [...known.entries.values()].findLast(({ tag }) => tag === "dice.rolled_early");

/**
 * Form: the answer to an early roll, by the player whose turn it was: choice, play, delay.
 *
 * @param {CaseView} view
 */
export async function answerEarly(view) {
  const { context, match } = view;
  const early = earlyRoll(view);
  if (early === undefined) return;
  await askAndRefresh(
    context,
    t("room.early"),
    [
      { name: "answer", label: t("room.early_answer"), kind: "choice", options: options("early", ROLL_ANSWERS), needed: true },
      { name: "revises", label: t("room.early_revises"), kind: "choice", options: options("revises", ["yes", "no"]) },
      { name: "forfeit", label: t("room.early_forfeit"), kind: "check" },
    ],
    (v) => {
      const body = withoutEmpty({
        at_ms: atOf(context, match),
        answer: v.answer,
        target: early.entry_id,
        seat: early.body.seat === "one" ? "two" : "one",
        revises: v.revises ? v.revises === "yes" : null,
        forfeit: v.forfeit ? true : null,
      });
      return append(context.log, match, [{ tag: "dice.early_roll_answered", schema: 2, basis: "observed", body }]);
    },
  );
}

/**
 * Form: both times have run out, and it is unknown which first.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function bothOut(context, match) {
  const players = seats(context, match);
  await askAndRefresh(
    context,
    t("room.both_out"),
    [
      { name: "clock_one", label: t("room.clock_of", { name: players[0]?.text ?? "" }), kind: "text", value: "0:00" },
      { name: "clock_two", label: t("room.clock_of", { name: players[1]?.text ?? "" }), kind: "text", value: "0:00" },
      {
        name: "gin",
        label: t("room.gin"),
        kind: "choice",
        options: [...players, { value: "nobody", text: t("room.gin_nobody") }],
        hint: t("room.gin_hint"),
      },
      { name: "by", label: t("room.noticed_by"), kind: "select", options: people(context, match), value: "director" },
    ],
    (v) => {
      const isSaid = v.gin === "one" || v.gin === "two";
      const body = withoutEmpty({
        at_ms: atOf(context, match),
        readings: readingsOf(v),
        whose: "both",
        first: "unknown",
        noticed_by: v.by,
        gin: v.gin ? isSaid : null,
        gin_for: isSaid ? v.gin : null,
      });
      return append(context.log, match, [{ tag: "clock.flag_noticed", schema: 2, basis: "observed", body }]);
    },
  );
}

/**
 * Form: who may throw on the left, or that this permission ends.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function throwingSide(context, match) {
  const item = "throwing_side";
  await askAndRefresh(
    context,
    t("room.side"),
    [
      {
        name: "who",
        label: t("room.side_who"),
        kind: "choice",
        options: [...seats(context, match), ...options("side", ["both", "ended"])],
        needed: true,
      },
      { name: "until", label: t("room.side_until"), kind: "choice", options: options("until", ["game", "match"]) },
      { name: "by", label: t("room.side_by"), kind: "select", options: people(context, match), value: "both" },
    ],
    (v) => {
      const at_ms = atOf(context, match);
      const allowed = v.who === "both" ? null : v.who;
      /** @type {Act} */
      const act =
        v.who === "ended"
          ? { tag: "equipment.agreement_ended", body: withoutEmpty({ at_ms, item, by: v.by }) }
          : { tag: "equipment.agreed", schema: 2, body: withoutEmpty({ at_ms, item, half: "left", by: v.by, allowed, until: v.until }) };
      return append(context.log, match, [{ ...act, basis: basisOf(v.by) }]);
    },
  );
}
