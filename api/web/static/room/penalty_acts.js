// Acts against a player: penalties, lateness, warnings, forfeit, disqualification.

import { otherSeat } from "../board/position.js";
import { uuid } from "../device/chain/ids.js";
import { t } from "../shared/texts.js";
import { DELAYS, GROUNDS, SANCTIONS } from "./enums.js";
import { citation, refuseLost, ruleOf, seats, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { wordText } from "./words.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 */

/**
 * Form: assess a penalty of points, of clock time if there is a clock, or of both.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} [against] the seat that a ruling was about
 */
export async function penalise(context, match, against = "") {
  const hasClock = Boolean(context.tableOf(match)?.clock);
  const penalty = uuid();
  await askAndRefresh(
    context,
    t("room.penalise"),
    [
      { name: "seat", label: t("room.against"), kind: "choice", value: against, options: seats(context, match), needed: true },
      { name: "points", label: t("room.points"), kind: "number", value: 1, least: 0 },
      ...(hasClock ? timeFields() : []),
      {
        name: "ground",
        label: t("room.ground"),
        kind: "choice",
        // Nothing is preselected: the table would be told it as the director's ground.
        options: GROUNDS.map((value) => ({ value, text: wordText(value) })),
      },
      { name: "reason", label: t("room.reason"), kind: "long" },
      {
        name: "more",
        label: t("panel.rule_and_score"),
        kind: "fold",
        fields: [
          {
            name: "enters",
            label: t("room.enters_score"),
            kind: "choice",
            value: "",
            options: [
              { value: "yes", text: t("room.yes") },
              { value: "no", text: t("room.no") },
              { value: "", text: t("room.as_rules") },
            ],
          },
          ...citation(context, match),
        ],
      },
    ],
    (v) => {
      const time = timeOf(v);
      if (!v.points && time === null) throw new Error(t("panel.points_or_minutes"));
      const rule = ruleOf(context, match, v);
      return append(context.log, match, [
        {
          tag: "penalty.assessed",
          entry_id: penalty,
          body: withoutEmpty({
            seat: v.seat,
            points: v.points ?? 0,
            ground: v.ground,
            enters_score: v.enters === null ? null : v.enters === "yes",
            rule,
            reason: v.reason,
          }),
        },
        ...(time === null
          ? []
          : [{ tag: "clock.adjusted", body: withoutEmpty({ ...time, penalty, rule, reason: v.reason }) }]),
      ]);
    },
    { action: t("room.penalise") },
  );
}

/**
 * Fields for how much time goes with a penalty, and to whom.
 *
 * @returns {import("./forms.js").Field[]}
 */
function timeFields() {
  return [
    { name: "minutes", label: t("panel.penalty_minutes"), kind: "number", hasParts: true, least: 0, hint: t("panel.penalty_minutes_hint") },
    {
      name: "how",
      label: t("panel.penalty_time"),
      kind: "choice",
      value: "taken",
      options: ["taken", "given"].map((value) => ({ value, text: t(`panel.time_${value}`) })),
    },
  ];
}

/**
 * Whose clock changes by how much; null if the penalty includes no time.
 *
 * @param {Record<string, any>} v
 */
function timeOf({ seat, minutes, how }) {
  if (!minutes) return null;
  const ms = Math.round(minutes * 60_000);
  return {
    seat: how === "given" ? otherSeat(seat) : seat,
    amount_ms: how === "given" ? ms : -ms,
  };
}

/**
 * Form: waive a penalty, wholly or in part, and give back its clock time.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} target entry id of the `penalty.assessed`
 * @param {number} points
 * @param {import("../shared/types").BySeat<number>} [time] milliseconds it has given to each clock
 */
export async function waive(context, match, target, points, time = { one: 0, two: 0 }) {
  const seatsWithTime = /** @type {const} */ (["one", "two"]).filter((seat) => time[seat] !== 0);
  await askAndRefresh(
    context,
    t("room.waive"),
    [
      { name: "points", label: t("room.points"), kind: "number", value: points, least: 0 },
      ...(seatsWithTime.length > 0
        ? [/** @type {import("./forms.js").Field} */ ({ name: "back", label: t("panel.time_back"), kind: "check", value: true })]
        : []),
      { name: "reason", label: t("room.reason"), kind: "long" },
    ],
    (v) =>
      append(context.log, match, [
        { tag: "penalty.waived", body: withoutEmpty({ target, points: v.points, reason: v.reason }) },
        ...(v.back ? seatsWithTime : []).map((seat) => ({
          tag: "clock.adjusted",
          body: withoutEmpty({ seat, amount_ms: -time[seat], penalty: target, reason: v.reason }),
        })),
      ]),
    { action: t("room.waive") },
  );
}

/**
 * Form: a player is late, or was excused.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function late(context, match) {
  await askAndRefresh(
    context,
    t("room.late_title"),
    [
      { name: "seat", label: t("room.who"), kind: "choice", options: seats(context, match), needed: true },
      {
        name: "act",
        label: t("room.what"),
        kind: "choice",
        value: "noted",
        options: ["called", "arrived", "noted", "excused"].map((value) => ({ value, text: t(`room.late_${value}`) })),
      },
      {
        name: "kind",
        label: t("room.late_for"),
        kind: "choice",
        value: "start",
        options: DELAYS.map((value) => ({ value, text: wordText(value) })),
      },
      { name: "minutes", label: t("room.late_minutes"), kind: "number", hasParts: true, least: 0 },
      { name: "reason", label: t("room.reason"), kind: "text" },
    ],
    (v) => append(context.log, match, [lateAct(v)]),
  );
}

/**
 * @param {Record<string, any>} v
 * @returns {import("../shared/types").Act}
 */
function lateAct(v) {
  if (v.act !== "excused") refuseLost(t("room.reason"), v.reason);
  if (v.act !== "noted") refuseLost(t("room.late_minutes"), v.minutes);
  if (v.act === "called") return { tag: "player.called", body: { seat: v.seat }, basis: "observed" };
  if (v.act === "arrived") return { tag: "player.arrived", body: { seat: v.seat }, basis: "observed" };
  if (v.act === "excused") {
    return { tag: "delay.excused", body: withoutEmpty({ seat: v.seat, kind: v.kind, reason: v.reason }) };
  }
  if (v.minutes === null) throw new Error(t("room.needed", { field: t("room.late_minutes") }));
  const excess_ms = Math.round(v.minutes * 60_000);
  return { tag: "delay.noted", body: { seat: v.seat, kind: v.kind, excess_ms }, basis: "observed" };
}

/**
 * Form: acts against a player that need only a ground: warning, forfeit, disqualification.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function sanction(context, match) {
  await askAndRefresh(
    context,
    t("room.sanction"),
    [
      { name: "seat", label: t("room.against"), kind: "choice", options: seats(context, match), needed: true },
      {
        name: "tag",
        label: t("room.what"),
        kind: "choice",
        needed: true,
        options: SANCTIONS.map((value) => ({
          value,
          text: wordText(value),
        })),
      },
      { name: "reason", label: t("room.reason"), kind: "long" },
      { name: "more", label: t("panel.rule_cited"), kind: "fold", fields: citation(context, match) },
    ],
    (v) => {
      const rule = ruleOf(context, match, v);
      if (v.tag !== "player.disqualified") refuseLost(t("room.reason"), v.reason);
      if (v.tag === "slow_play.warned") refuseLost(t("panel.rule_cited"), rule);
      const body =
        v.tag === "slow_play.warned"
          ? { seat: v.seat }
          : v.tag === "forfeit.declared"
            ? { seat: v.seat, rule }
            : { seat: v.seat, rule, reason: v.reason };
      return append(context.log, match, [{ tag: v.tag, body: withoutEmpty(body) }]);
    },
    { action: t("room.record"), isDanger: true },
  );
}
