// Sheets about attendance: breaks, calls to the table, arrivals, leaving, delays.

/** @import { Seat, SheetContext } from "../../shared/types.js" */

import { actor, choice, seat, seats, several, time, yesNo } from "./fields.js";
import { form, keys, more, openSheet, options, recordKey, words } from "./kit.js";
import { latest } from "./entries.js";

/**
 * Who is on a break, as recorded.
 *
 * @param {SheetContext} context
 * @returns {Seat[]}
 */
function onBreak(context) {
  /** @type {Set<Seat>} */
  const away = new Set();
  for (const { tag, body } of context.table().standing) {
    if (tag === "break.started") for (const one of body.seats) away.add(one);
    if (tag === "break.ended") for (const one of body.seats ?? [...away]) away.delete(one);
  }
  return [...away];
}

/**
 * Sheet: a break begins or ends; the end is offered first if a break is recorded.
 *
 * @param {SheetContext} context
 */
export function openBreak(context) {
  return openSheet(context, "break", (sheet) => {
    const away = onBreak(context);
    const back = keys(words("break_over"), seats(context), (who) =>
      sheet.record({ tag: "break.ended", body: { seats: [who] } }),
    );
    const allBack = keys(words("break_over_all"), [["all", words("break_everybody")]], () =>
      sheet.record({ tag: "break.ended", body: {} }),
    );
    const who = several(words("break_who"), seats(context), {
      value: ["one", "two"],
      required: true,
    });
    const by = actor(context, words("clock_agreed_by"), { value: "both" });
    const between = yesNo(words("between_games"), { value: !context.table().in_game });
    const start = [
      who.element,
      by.element,
      between.element,
      recordKey(
        sheet,
        [who, by, between],
        () => ({
          tag: "break.started",
          body: {
            seats: who.value(),
            readings: context.readings(),
            agreed_by: by.value(),
            between_games: between.value(),
          },
        }),
        words("break_begins"),
      ),
    ];
    if (away.length === 0) return [...start, more(words("break_over"), allBack, back)];
    return [allBack, back, more(words("break_another"), ...start)];
  });
}

/**
 * Sheet: a player is called to the table, or has arrived.
 *
 * @param {SheetContext} context
 */
export function openPresence(context) {
  return openSheet(context, "presence", (sheet) => [
    keys(words("presence_arrived"), seats(context), (who) =>
      sheet.record({ tag: "player.arrived", body: { seat: who } }),
    ),
    keys(words("presence_called"), seats(context), (who) =>
      sheet.record({ tag: "player.called", body: { seat: who } }),
    ),
  ]);
}

/**
 * Sheet: a player leaves the playing area.
 *
 * @param {SheetContext} context
 */
export function openLeft(context) {
  return openSheet(context, "left", (sheet) => {
    const who = seat(context, words("left_who"), { required: true });
    const consent = actor(context, words("left_consent"));
    const signed = yesNo(words("left_signed"));
    /** @type {Record<string, import("./kit.js").Field<any>>} */
    const fields = { seat: who, consent, signed_out: signed };
    if (context.atMs() !== null) fields.away = time(words("left_back_in"));
    return form(sheet, fields, ({ away = null, ...said }) => {
      const at = context.atMs();
      const until_ms = away === null || at === null ? null : at + away;
      return { tag: "player.left", body: { ...said, until_ms } };
    });
  });
}

/**
 * Sheet: a player was late, or overran a break, and by how much.
 *
 * @param {SheetContext} context
 */
export function openDelay(context) {
  return openSheet(context, "delay", (sheet) => {
    const who = seat(context, words("delay_who"), { required: true });
    const hadBreak = latest(context, ["break.started"], 1).length > 0;
    const kind = choice(words("delay_kind"), options("delay", ["start", "resumption", "break"]), {
      value: hadBreak ? "break" : "start",
      required: true,
    });
    const excess = time(words("delay_excess"), { required: true });
    return form(sheet, { seat: who, kind, excess_ms: excess }, "delay.noted");
  });
}
