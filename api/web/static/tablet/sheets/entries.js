// Earlier entries for sheets: the throws, plays and acts that can be chosen, in words.

/** @import { Board, Entry, Seat, SheetContext, Table } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { otherSeat, seenBy } from "../../board/position.js";
import { diceWords, joined, pathWords, playWords } from "../../fold/notation.js";
import { tagWords, words } from "./kit.js";

/** How many earlier entries a sheet offers; older ones are left to the director. */
const OFFERED = 5;

/** Tags of throws. */
export const THROWS = ["dice.rolled", "dice.opening_rolled", "dice.rolled_early"];

/**
 * The latest standing entries with these tags, latest first.
 *
 * @param {SheetContext} context
 * @param {readonly string[]} tags
 * @param {number} [most]
 * @returns {Entry[]}
 */
export function latest(context, tags, most = OFFERED) {
  return context
    .table()
    .standing.filter((entry) => tags.includes(entry.tag))
    .slice(-most)
    .reverse();
}

/**
 * The latest standing entries, latest first. Without calls: a mark on a call means that the
 * director is coming.
 *
 * @param {SheetContext} context
 * @param {number} [most]
 */
export function recent(context, most = OFFERED) {
  const { standing } = context.table();
  return standing.filter(({ tag }) => tag !== "director.called").slice(-most).reverse();
}

/**
 * An entry in a few words: who did what.
 *
 * @param {SheetContext} context
 * @param {Entry} entry
 */
export function entryWords(context, entry) {
  const { seat } = entry.body;
  const who = seat === "one" || seat === "two" ? context.names[/** @type {Seat} */ (seat)] : "";
  return `${who} ${actWords(entry, context.table())}`.trim();
}

/** @param {Entry} entry @param {Table} table */
function actWords({ body, entry_id, tag }, table) {
  switch (tag) {
    case "dice.rolled":
      return diceWords(body.dice);
    case "dice.opening_rolled":
      return `${tagWords(tag)} ${body.one}–${body.two}`;
    case "dice.rolled_early":
      return `${tagWords(tag)} ${diceWords(body.dice)}`;
    case "play.made":
      return playOf(body, table.before(entry_id)) || words("moves_none");
    default:
      return tagWords(tag);
  }
}

/** @param {Record<string, any>} body @param {Board | null} board */
function playOf({ hits_not_lifted, moves = [], seat }, board) {
  if (board === null) return playWords(joined(moves));
  return pathWords(seenBy(board, seat), moves, hits_not_lifted);
}

/**
 * Entries as options of a choice.
 *
 * @param {SheetContext} context
 * @param {readonly Entry[]} entries
 * @returns {Option<string>[]}
 */
export function entryOptions(context, entries) {
  return entries.map((entry) => [entry.entry_id, entryWords(context, entry)]);
}

/**
 * The standing entry with this id.
 *
 * @param {SheetContext} context
 * @param {string | null} entryId
 * @returns {Entry | null}
 */
export function byEntryId(context, entryId) {
  return context.table().standing.find((entry) => entry.entry_id === entryId) ?? null;
}

/**
 * The board before a play; null if it was unknown.
 *
 * @param {SheetContext} context
 * @param {Entry} play
 * @returns {Board | null}
 */
export function boardBefore(context, play) {
  return context.table().before(play.entry_id);
}

/**
 * The board before this game's first gap; null if there is none, or it was unknown then too.
 *
 * @param {SheetContext} context
 * @returns {Board | null}
 */
export function boardBeforeGap(context) {
  const { standing } = context.table();
  const start = standing.findLastIndex(({ tag }) => tag === "game.started" || tag === "position.stated");
  const gap = standing.slice(start + 1).find(({ tag }) => tag === "play.unseen");
  return gap && gap.body.spans !== "games" ? boardBefore(context, gap) : null;
}

/**
 * Who may still change the last play, else the player on roll, else who has to act.
 *
 * @param {SheetContext} context
 * @returns {Seat | null}
 */
export function atTurn(context) {
  const table = context.table();
  return table.turn_open ?? table.on_roll ?? table.to_act;
}

/**
 * Who may roll or double now, or has to answer; null if no player has to act.
 *
 * @param {SheetContext} context
 * @returns {Seat | null}
 */
export function toAct(context) {
  const table = context.table();
  return table.awaits === "answer" ? table.to_act : (table.on_roll ?? table.to_act);
}

/**
 * The opponent of the player on roll; null if there is none.
 *
 * @param {SheetContext} context
 * @returns {Seat | null}
 */
export function offTurn(context) {
  const seat = atTurn(context);
  return seat === null ? null : otherSeat(seat);
}
