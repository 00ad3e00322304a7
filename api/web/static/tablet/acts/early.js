// Early rolls that stand: the dice lie on the board, and their play is entered like any other.

import { fold } from "../../fold/fold.js";
import { isLast } from "./told.js";

/** @import { Dice, Entry, FoldTerms, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/**
 * Whether an early roll is the next to be played, so that no roll is needed.
 * @param {Table} table
 */
export function isEarlyNext({ awaits, early, in_game, on_roll }) {
  return in_game && early !== null && awaits === "roll" && on_roll === early.seat;
}

/**
 * The answer to the early roll; null if there is none yet.
 * @param {Table} table
 * @returns {string | null}
 */
export function earlyAnswer({ early, standing }) {
  if (early === null) return null;
  if (early.stands) return "stands";
  const about = standing.findLast(
    ({ tag, body }) =>
      tag === "dice.early_roll_answered" && (!body.target || body.target === early.entry_id),
  );
  return about?.body.answer ?? null;
}

/**
 * The table for the player on roll: his early roll is the roll in play, if there is no other.
 * @param {Table} table
 * @param {Seat} seat
 * @returns {Table}
 */
function inPlayOf(table, seat) {
  const { early } = table;
  if (table.dice !== null || early?.seat !== seat) return table;
  return {
    ...table,
    awaits: "play",
    to_act: seat,
    // The turn before it is over; a resignation or another early roll now belongs to this turn.
    turn_open: null,
    dice: early.dice,
    dice_seat: seat,
    roll_entry: early.entry_id,
  };
}

/**
 * The table before a play, with the roll that was played.
 * @param {readonly Entry[]} standing
 * @param {Entry} play or the gap in its place
 * @param {FoldTerms} terms
 */
export function beforePlay(standing, { body, entry_id }, terms) {
  const at = standing.findIndex((one) => one.entry_id === entry_id);
  return inPlayOf(fold(standing.slice(0, at), terms), body.seat);
}

/** Makes an early roll on the board the roll in play of the recorder's table. */
export class EarlyRolls {
  #recorder;
  /** The early roll that the scribe plays although the opponent's time is still running. */
  #taken = "";
  /** @type {Table | null} */ #of = null;
  /** @type {Table | null} */ #table = null;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** @param {Table} table as the entries make it @returns {Table} */
  follow(table) {
    const isLying = this.#isLying(table);
    if (!isLying || table.early === null) return table;
    if (this.#of !== table || this.#table === null) {
      this.#of = table;
      this.#table = inPlayOf(table, table.early.seat);
    }
    return this.#table;
  }

  /**
   * The scribe taps the play or its dice: so the turn before it is over, even if the clock was not pressed.
   * @param {Table} table as the entries make it
   * @param {Dice} [dice] the dice tapped, if any
   * @returns {boolean} whether the early roll is the roll in play now
   */
  take(table, dice) {
    const { early } = table;
    if (early === null || !isEarlyNext(table) || earlyAnswer(table) === null) return false;
    if (this.#isOpen(table) && dice === undefined) return false;
    if (dice !== undefined && [...dice].sort().join() !== [...early.dice].sort().join()) return false;
    this.#taken = early.entry_id;
    return true;
  }

  /** @param {Table} table */
  #isLying(table) {
    if (!isEarlyNext(table) || earlyAnswer(table) === null) return false;
    if (this.#taken === table.early?.entry_id) return true;
    // While the opponent's clock runs, only its press ends that turn.
    const { clock, early } = table;
    const isTimed = clock !== null && clock.running !== null && clock.running !== early?.seat;
    return !isTimed && !this.#isOpen(table);
  }

  /** Whether taps would still change the play before it. @param {Table} table */
  #isOpen(table) {
    const turn = this.#recorder.atHand?.turn;
    // While it is being recorded, the play may still be changed.
    const isIts = turn?.isKept || (turn?.recorded && turn.recorded.entry_id === table.last_play?.entry.entry_id);
    return Boolean(isIts) && !turn?.words.includes("played") && isLast(table);
  }
}
