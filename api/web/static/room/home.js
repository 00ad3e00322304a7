// At which table something was recorded: a second scribe's record lies beside the match of its table.

/**
 * The table of a match, or of the match beside which a second scribe writes; null where none is shown.
 *
 * @param {import("./types").RoomContext} context
 * @param {string} match
 */
export function homeOf(context, match) {
  const beside = context.room()?.tables.find((table) => table.shadows.some((one) => one.match_id === match));
  return context.tableOf(match) ?? beside ?? null;
}

/**
 * Calls from a table that nobody has answered, those of its second scribes among them.
 *
 * @param {import("./types").RoomContext} context
 * @param {string} match of the table
 */
export function callsOf(context, match) {
  const open = (context.room()?.calls ?? []).filter((call) => !call.answered);
  return open.filter((call) => homeOf(context, call.match_id)?.match_id === match || call.match_id === match);
}

/**
 * Whether a dispute is open at a table, recorded by either scribe.
 *
 * @param {import("./types").TableLine} table
 */
export function isInDispute(table) {
  return table.dispute !== null || table.shadows.some((one) => one.dispute !== null);
}
