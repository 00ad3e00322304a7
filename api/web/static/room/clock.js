// A table's running clock in the room: computed from the last entry by the server's time.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { clockAt } from "../fold/clock.js";
import { clockText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./types").TableLine} TableLine
 * @typedef {import("../shared/types").Seat} Seat
 */

/** A device that was silent for longer counts as gone: it may hold presses that were not sent. */
const SILENT_MS = 20_000;

/**
 * Whether the table's tablet was silent for a while; a table without a tablet is not silent.
 *
 * @param {TableLine} table
 * @param {number} now the server's time
 */
export function isSilent(table, now) {
  if (table.lease === null) return false;
  const seen = table.device?.seen_at ?? null;
  return seen === null || now - seen >= SILENT_MS;
}

/**
 * Whether a running clock is known only as of its last press, because later ones may be missing.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
function isOfLastPress(context, match) {
  const table = context.tableOf(match);
  if (!table?.clock || table.clock.running === null) return false;
  const now = context.room()?.server_time_ms ?? 0;
  return table.clock.running_since === null || isSilent(table, now) || isUnattended(table, now);
}

/**
 * Whether no tablet records the table and no entry came recently, so that presses would be missed.
 *
 * @param {TableLine} table
 * @param {number} now the server's time
 */
function isUnattended(table, now) {
  const last = table.last?.received_at ?? null;
  return table.lease === null && (last === null || now - last >= SILENT_MS);
}

/**
 * What a seat's clock shows now, in milliseconds.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Seat} seat
 */
function reserveNow(context, match, seat) {
  const clock = context.tableOf(match)?.clock ?? null;
  if (clock === null) return null;
  if (isOfLastPress(context, match)) return clock.reserve_ms[seat];
  return clockAt({ ...clock, since_at_ms: clock.running_since }, context.now()).reserve_ms[seat];
}

/**
 * An element with a seat's time, which `tick` keeps up to date.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Seat} seat
 */
export function timeOf(context, match, seat) {
  const table = context.tableOf(match);
  return h(
    "span",
    { class: ["number", "time", table?.clock?.running === seat && "running"], "data-match": match, "data-seat": seat },
    clockText(reserveNow(context, match, seat)),
  );
}

/**
 * A badge that says that times are as of the last press; null if they run on.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export function lastPress(context, match) {
  return isOfLastPress(context, match) ? h("span", { class: "badge" }, t("room.at_last_press")) : null;
}

/**
 * Update all times on the page.
 *
 * @param {RoomContext} context
 */
export function tick(context) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-match][data-seat]"))) {
    const { match = "", seat } = place.dataset;
    const text = clockText(reserveNow(context, match, /** @type {Seat} */ (seat)));
    if (place.textContent !== text) place.textContent = text;
  }
}
