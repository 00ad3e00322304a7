// Sheets about the clock: set, started, paused, resumed, read, faulty, flag, press.

/** @import { Act, BySeat, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { atTurn, entryOptions, recent } from "./entries.js";
import { actor, bySeat, choice, note, seat, seats, time, yesNo } from "./fields.js";
import { form, keys, openSheet, options, words } from "./kit.js";

const KINDS = /** @type {const} */ (["simple", "bronstein", "fischer", "none", "non_expiring"]);

/**
 * The clock terms that were announced when the match was opened.
 *
 * @param {SheetContext} context
 * @returns {{ kind: string, reserve_ms: number, delay_ms: number } | null}
 */
function announcedTerms(context) {
  const opened = context.outbox.entries.find((entry) => entry.tag === "match.opened");
  const terms = opened?.body.clock_terms;
  return terms ? { delay_ms: 0, ...terms } : null;
}

/**
 * The act that sets the clock by the terms of the match, if it was not set before: otherwise no
 * time would run.
 *
 * @param {SheetContext} context
 * @returns {Act[]}
 */
function setFirst(context) {
  const terms = context.table().clock === null ? announcedTerms(context) : null;
  if (terms === null) return [];
  const { kind, reserve_ms, delay_ms } = terms;
  const body = { kind, reserve_ms: { one: reserve_ms, two: reserve_ms }, delay_ms: delay_ms || null };
  return [{ tag: "clock.set", body }];
}

/**
 * A field with a time for each player.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {BySeat<number | null>} values
 * @param {{ required?: boolean, least?: number, isLive?: boolean }} [settings] isLive: whether it
 *   follows the running clock until it is edited
 */
function times(context, legend, values, { required = false, least = -86_400_000, isLive = false } = {}) {
  /** @type {ReturnType<typeof time>[]} */
  const fields = [];
  const make = (/** @type {string} */ label, /** @type {number | null} */ value) => {
    const field = time(label, { value, required, least });
    fields.push(field);
    return field;
  };
  const both = bySeat(context, legend, make, values);
  if (isLive) follow(context, fields);
  return both;
}

/** How often a sheet updates times that follow the clock. */
const LOOK_MS = 250;

/**
 * Keep fields up to date with the running clock while the sheet is open: they are what it records.
 *
 * @param {SheetContext} context
 * @param {readonly ReturnType<typeof time>[]} fields seat one's and seat two's
 */
function follow(context, fields) {
  const left = new Set(fields);
  for (const field of fields) {
    const own = () => left.delete(field);
    for (const type of ["input", "click"]) field.element.addEventListener(type, own);
    field.element.querySelector("input")?.addEventListener("focus", own);
  }
  const timer = setInterval(() => {
    if (!fields[0]?.element.isConnected) return clearInterval(timer);
    const shown = context.readings();
    const values = [shown?.one ?? null, shown?.two ?? null];
    fields.forEach((field, at) => {
      const value = values[at] ?? null;
      if (value !== null && left.has(field)) field.set(value);
    });
  }, LOOK_MS);
}

/**
 * Sheet: the clock is set. The fields start from the terms of the match, or from the clock as it is
 * if it was set before.
 *
 * @param {SheetContext} context
 */
export function openClockSet(context) {
  return openSheet(context, "clock_set", (sheet) => {
    const terms = announcedTerms(context);
    const { clock } = context.table();
    const stands = clock ?? terms;
    const shown = clock && context.readings();
    const kind = choice(words("clock_kind"), options("clock_kind", KINDS), {
      value: /** @type {typeof KINDS[number] | null} */ (stands?.kind ?? null),
      required: true,
    });
    const reserve = times(
      context,
      words("clock_reserve"),
      { one: shown?.one ?? terms?.reserve_ms ?? 0, two: shown?.two ?? terms?.reserve_ms ?? 0 },
      { required: true, least: 0, isLive: Boolean(shown) },
    );
    const delay = time(words("clock_delay"), { value: stands?.delay_ms ?? 0, required: true });
    const formula = note(words("clock_formula"), { rows: 1 });
    const imposed = yesNo(words("clock_imposed"));
    return form(sheet, { kind, reserve_ms: reserve, delay_ms: delay, formula, imposed }, (said) => {
      // Omitted if it is zero, which is its default.
      const reserve_ms = said.reserve_ms.one || said.reserve_ms.two ? said.reserve_ms : null;
      return { tag: "clock.set", body: { ...said, reserve_ms, delay_ms: said.delay_ms || null } };
    });
  });
}

/**
 * Sheet: a player's time begins to run.
 *
 * @param {SheetContext} context
 */
export function openClockStart(context) {
  return openSheet(context, "clock_start", (sheet) => [
    keys(words("clock_whose"), seats(context), (who) =>
      sheet.record(...setFirst(context), {
        tag: "clock.started",
        body: { seat: who, readings: context.readings() },
      }),
    ),
  ]);
}

/** Why a clock is paused, in the words of rules and record. */
const STOPS = /** @type {const} */ ([
  "game_over",
  "die_on_floor",
  "dispute",
  "director_called",
  "break",
  "concession",
  "equipment",
  "other",
]);

/**
 * Sheet: the clock is paused.
 *
 * @param {SheetContext} context
 */
export function openClockPause(context) {
  return openSheet(context, "clock_pause", (sheet) => {
    const by = actor(context, words("clock_by"));
    return [
      keys(words("clock_pause_why"), options("clock_pause", STOPS), (reason) =>
        sheet.record({
          tag: "clock.paused",
          body: { reason, by: by.value(), readings: context.readings() },
        }),
      ),
      by.element,
    ];
  });
}

/**
 * Sheet: the clock runs again, for the same player as before or for another.
 *
 * @param {SheetContext} context
 */
export function openClockResume(context) {
  return openSheet(context, "clock_resume", (sheet) => {
    /** @type {Option<string>[]} */
    const all = [["as_before", words("clock_as_before")], ...seats(context)];
    return [
      keys(words("clock_whose"), all, (who) =>
        sheet.record(...setFirst(context), {
          tag: "clock.resumed",
          body: { seat: who === "as_before" ? null : who, readings: context.readings() },
        }),
      ),
    ];
  });
}

/**
 * Sheet: both times are read, and agreed by whom.
 *
 * @param {SheetContext} context
 */
export function openClockRead(context) {
  return openSheet(context, "clock_read", (sheet) => {
    const shown = context.readings() ?? { one: null, two: null };
    const readings = times(context, words("clock_shows"), shown, { isLive: true });
    const by = actor(context, words("clock_agreed_by"), { value: "both" });
    return form(sheet, { readings, agreed_by: by }, (said) => [
      ...setFirst(context),
      { tag: "clock.read", body: said },
    ]);
  });
}

const FAULTS = /** @type {const} */ ([
  "not_pressed",
  "not_paused",
  "wrong_side",
  "wrong_setting",
  "defective",
]);

/**
 * Sheet: somebody notices that the clock ran or stopped wrongly.
 *
 * @param {SheetContext} context
 */
export function openClockFault(context) {
  return openSheet(context, "clock_fault", (sheet) => {
    const kind = choice(words("clock_fault_kind"), options("clock_fault", FAULTS), {
      required: true,
    });
    const whose = seat(context, words("clock_fault_whose"));
    const since = choice(words("clock_fault_since"), entryOptions(context, recent(context)));
    const by = actor(context, words("noticed_by"));
    return form(sheet, { kind, seat: whose, noticed_by: by, since }, (said) => ({
      tag: "clock.fault_noticed",
      body: { ...said, readings: context.readings() },
    }));
  });
}

/**
 * Sheet: somebody notices that a reserve has run out; the tablet itself never calls a flag.
 *
 * @param {SheetContext} context
 */
export function openClockFlag(context) {
  return openSheet(context, "clock_flag", (sheet) => {
    /** @type {Option<string>[]} */
    const flags = [...seats(context), ["both", words("actor_both")], ["unknown", words("unknown")]];
    const whose = choice(words("clock_flag_whose"), flags, { required: true });
    const first = choice(
      words("clock_flag_first"),
      flags.filter(([who]) => who !== "both"),
    );
    const by = actor(context, words("noticed_by"));
    return form(sheet, { whose, noticed_by: by, first }, (said) => ({
      tag: "clock.flag_noticed",
      body: { ...said, readings: context.readings() },
    }));
  });
}

/**
 * Sheet: a press that was not tapped: on a clock beside the tablet, or entered late.
 *
 * @param {SheetContext} context
 */
export function openClockPress(context) {
  return openSheet(context, "clock_press", (sheet) => {
    const who = seat(context, words("clock_pressed_by"), {
      value: atTurn(context),
      required: true,
    });
    const readings = times(context, words("clock_shows"), { one: null, two: null });
    return form(sheet, { seat: who, readings }, (said) => {
      const { one, two } = said.readings;
      const isRead = one !== null || two !== null;
      const body = isRead ? said : { ...said, readings: context.readings(said.seat) };
      return [...setFirst(context), { tag: "clock.pressed", body }];
    });
  });
}
