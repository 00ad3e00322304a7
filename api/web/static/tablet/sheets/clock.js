// Sheets about the clock: set, started, stopped, read and agreed, found wrong, run out.

/** @import { Act, BySeat, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { atTurn, entryOptions, recent } from "./entries.js";
import { actor, bySeat, choice, note, seat, seats, time, yesNo } from "./fields.js";
import { form, keys, openSheet, options, words } from "./kit.js";

const KINDS = /** @type {const} */ (["simple", "bronstein", "fischer", "none", "non_expiring"]);

/**
 * The clock terms of the match, as they were announced when it was opened.
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
 * That the clock is set by the terms of the match, where it is used for the first time: else nobody's
 * time would run on it.
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
 * Time for each player.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {BySeat<number | null>} values
 * @param {{ required?: boolean, least?: number, isLive?: boolean }} [settings] whether it goes on
 *   with the clock where nobody has said otherwise
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

/** How often a sheet looks at the clock. */
const LOOK_MS = 250;

/**
 * A sheet may stand open while a clock runs: what it shows is what it records, so that goes on, too.
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
 * The clock is set: as the terms of the match say, or as it stands where it is set already, unless
 * somebody changes that here.
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
      // Left out where it says what its absence says.
      const reserve_ms = said.reserve_ms.one || said.reserve_ms.two ? said.reserve_ms : null;
      return { tag: "clock.set", body: { ...said, reserve_ms, delay_ms: said.delay_ms || null } };
    });
  });
}

/**
 * A player's time begins to run.
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

/** Why a clock is stopped; the words of rules and ledger. */
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
 * Both times stand still.
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
 * The clock runs again, for whom it ran before or for whom it is said to.
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
 * Both readings are noted, and who agreed to them.
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
 * Somebody notices that the clock ran or stood wrongly.
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
 * Somebody notices that a reserve has run out; the tablet itself never says so.
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
 * A press that the plates did not get: on a clock beside the tablet, or entered late.
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
