// Finds the table of a match, also of a second scribe's record, which is a match of its own.

/**
 * The table of a match; for a second scribe's record, the table of the first record; else null.
 *
 * @param {import("./types").RoomContext} context
 * @param {string} match
 */
export function homeOf(context, match) {
  const beside = context.room()?.tables.find((table) => table.shadows.some((one) => one.match_id === match));
  return context.tableOf(match) ?? beside ?? null;
}

/**
 * The unanswered calls from a table, including those of its second scribes.
 *
 * @param {import("./types").RoomContext} context
 * @param {string} match of the table
 */
export function callsOf(context, match) {
  const open = (context.room()?.calls ?? []).filter((call) => !call.answered);
  return open.filter((call) => homeOf(context, call.match_id)?.match_id === match || call.match_id === match);
}

/**
 * Whether a dispute is open at a table, in the record of either scribe.
 *
 * @param {import("./types").TableLine} table
 */
export function isInDispute(table) {
  return table.dispute !== null || table.shadows.some((one) => one.dispute !== null);
}
