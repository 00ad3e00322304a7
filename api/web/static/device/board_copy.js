// Keeps the second copy of a board's drafts in step with the store; recording never waits for it.

import { SecondCopy, tidyCopies } from "./store/second_copy.js";
import { itemOf } from "./sync/submission.js";

/** @import { DraftRow, Identity } from "./store/kinds" */
/** @typedef {import("./store/store.js").Store} Store */
/** @typedef {{log_id: string, match_id: string}} Board */

/** The second copy of the drafts of the board that this tab records. */
export class BoardCopy {
  #store;
  #board;
  #file;
  /** @type {Set<DraftRow[]>} one list per `renew` under way: drafts added since it began to read */
  #meanwhile = new Set();
  /** @type {Set<number>} sequence numbers of the drafts that the last `renew` read */
  #read = new Set();
  /** How many drafts the file holds. */
  count = 0;

  /**
   * @param {Store} store
   * @param {Identity} identity
   * @param {Board} board
   */
  constructor(store, identity, board) {
    this.#store = store;
    this.#board = board;
    this.#file = new SecondCopy(identity, board.log_id, board.match_id);
  }

  /** Rewrite the file: every draft of this board that the store holds, and nothing else. */
  async renew() {
    /** @type {DraftRow[]} */
    const meanwhile = [];
    this.#meanwhile.add(meanwhile);
    try {
      const held = await heldOf(this.#store, this.#board);
      // A draft added meanwhile may or may not be among those read: write each of them once.
      this.#read = new Set(held.map(({ device_seq }) => device_seq));
      this.#put([...held, ...meanwhile.filter((row) => !this.#isRead(row))], true);
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
  }

  /** Rewrite the file when the store needs at most half of it any more: the rest is safe by now. */
  async thin() {
    if (2 * (await this.#store.countHeld(this.#board.log_id)) <= this.count) await this.renew();
  }

  /**
   * Append drafts that the store now holds.
   * @param {readonly DraftRow[]} rows
   */
  add(rows) {
    for (const more of this.#meanwhile) more.push(...rows);
    this.#put(rows.filter((row) => !this.#isRead(row)), false);
  }

  /** @param {DraftRow} row */
  #isRead(row) {
    return this.#read.has(row.device_seq);
  }

  /**
   * @param {readonly DraftRow[]} rows
   * @param {boolean} isAll
   */
  #put(rows, isAll) {
    const drafts = rows.map((row) => ({ device_seq: row.device_seq, item: itemOf(row) }));
    this.#file.keep(drafts, isAll);
    this.count = rows.length + (isAll ? 0 : this.count);
  }

  /** Close the file once everything given so far is written. */
  close() {
    this.#file.close();
  }
}

/**
 * Delete this device's files of boards of which the store holds no draft any more.
 * @param {Store} store
 * @param {Identity} identity
 * @param {Board} open the board being recorded: its file always stays
 */
export async function tidyBoards(store, identity, open) {
  try {
    await tidyCopies(identity, async (log_id, match_id) => {
      if (log_id === open.log_id && match_id === open.match_id) return true;
      return (await heldOf(store, { log_id, match_id })).length > 0;
    });
  } catch {
    // A storage that cannot be read is reported elsewhere; the next start tries again.
  }
}

/**
 * @param {Store} store
 * @param {Board} board
 */
async function heldOf(store, { log_id, match_id }) {
  const held = await store.held(log_id);
  return held.filter((row) => row.match_id === match_id);
}
