// Acts on a table's clock: stop it, start it again, give or take time.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { lastPress, timeOf } from "./clock.js";
import { citation, ruleOf, seats, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 */

/** Reasons of a director for stopping a clock. */
const STOPS = ["director", "dispute", "break", "game_over"];

/**
 * The milliseconds of a text like "11:30".
 *
 * @param {string} text
 */
function clockMs(text) {
  const found = /^([-−])?(\d{1,3}):([0-5]\d)$/.exec(text.trim());
  if (found === null) throw new Error(t("room.clock_wrong", { text }));
  const ms = (Number(found[2]) * 60 + Number(found[3])) * 1000;
  return found[1] ? -ms : ms;
}

/**
 * Form: give or take time.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function adjustClock(context, match) {
  const clock = context.tableOf(match)?.clock ?? null;
  await askAndRefresh(
    context,
    t("room.adjust_clock"),
    [
      { name: "seat", label: t("room.who"), kind: "choice", options: seats(context, match), needed: true },
      { name: "seconds", label: t("room.seconds"), kind: "number", hasParts: true, needed: true, hint: t("room.seconds_hint") },
      { name: "reason", label: t("room.reason"), kind: "text" },
      { name: "more", label: t("panel.rule_cited"), kind: "fold", fields: citation(context, match) },
    ],
    (v) =>
      append(context.log, match, [
        {
          tag: "clock.adjusted",
          body: withoutEmpty({
            seat: v.seat,
            amount_ms: Math.round(v.seconds * 1000),
            rule: ruleOf(context, match, v),
            reason: v.reason,
          }),
        },
      ]),
    {
      lead: clock ? [timesLine(context, match)] : [],
    },
  );
}

/**
 * Form: stop the clock.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function stopClock(context, match) {
  await askAndRefresh(
    context,
    t("panel.stop_clock"),
    [
      {
        name: "reason",
        label: t("room.reason"),
        kind: "choice",
        value: "director",
        options: STOPS.map((value) => ({ value, text: t(`panel.stop_${value}`) })),
      },
      ...readingFields(context, match),
    ],
    (v) =>
      append(context.log, match, [
        {
          tag: "clock.paused",
          basis: "observed",
          body: withoutEmpty({ at_ms: atOf(context, match), readings: readingsOf(v), reason: v.reason, by: "director" }),
        },
      ]),
    { action: t("panel.stop_clock"), lead: [timesLine(context, match), h("p", { class: "muted" }, t("panel.stop_clock_what"))] },
  );
}

/**
 * Form: start a stopped clock again, for the same player as before or the other.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function resumeClock(context, match) {
  const was = context.tableOf(match)?.clock?.paused ?? null;
  await askAndRefresh(
    context,
    t("panel.resume_clock"),
    [
      {
        name: "seat",
        label: t("panel.whose_time"),
        kind: "choice",
        value: was,
        needed: true,
        options: seats(context, match),
      },
      ...readingFields(context, match),
    ],
    (v) =>
      append(context.log, match, [
        {
          tag: "clock.resumed",
          basis: "observed",
          body: withoutEmpty({ at_ms: atOf(context, match), readings: readingsOf(v), seat: v.seat }),
        },
      ]),
    { action: t("panel.resume_clock"), lead: [timesLine(context, match)] },
  );
}

/**
 * The match's own time now; null if unknown here, as while its tablet is silent.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export function atOf(context, match) {
  const zero = context.tableOf(match)?.clock?.time_zero ?? null;
  return zero === null || lastPress(context, match) ? null : Math.round(context.now() - zero);
}

/**
 * Fields for what the clocks at the table show, if the director has looked.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @returns {import("./forms.js").Field[]}
 */
function readingFields(context, match) {
  return [
    {
      name: "readings",
      label: t("panel.readings"),
      kind: "fold",
      isOpen: lastPress(context, match) !== null,
      fields: clockFields(context, match),
    },
  ];
}

/**
 * The two fields that `readingsOf` reads.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @returns {import("./forms.js").Field[]}
 */
export function clockFields(context, match) {
  return seats(context, match).map(({ value, text }, index) => ({
    name: `clock_${value}`,
    label: t("room.clock_of", { name: text }),
    kind: "text",
    hint: index === 0 ? t("room.clock_format") : undefined,
  }));
}

/**
 * Both times that were entered; null if none was.
 *
 * @param {Record<string, any>} v
 */
export function readingsOf({ clock_one: one, clock_two: two }) {
  if (!one && !two) return null;
  if (!one || !two) throw new Error(t("room.both_clocks"));
  return { one: clockMs(one), two: clockMs(two) };
}

/**
 * A line with both times as the room knows them.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
function timesLine(context, match) {
  return h(
    "p",
    { class: "row" },
    seats(context, match).flatMap(({ value, text }) => [text, timeOf(context, match, value)]),
    lastPress(context, match),
  );
}
