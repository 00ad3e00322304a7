// A board's second copy in step with what the store holds of it: nobody who records waits for that.

import { SecondCopy, tidyCopies } from "./store/second_copy.js";
import { itemOf } from "./sync/submission.js";

/** @import { DraftRow, Identity } from "./store/kinds" */
/** @typedef {import("./store/store.js").Store} Store */
/** @typedef {{log_id: string, match_id: string}} Board */

/** The second copy of the board that is recorded here. */
export class BoardCopy {
  #store;
  #board;
  #file;
  /** @type {Set<DraftRow[]>} drafts given since all that is held began to be read, for each reading */
  #meanwhile = new Set();
  /** @type {Set<number>} numbers of those that were read last */
  #read = new Set();
  /** Drafts in it. */
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

  /** The file holds all that is held of this board, and nothing else. */
  async renew() {
    /** @type {DraftRow[]} */
    const meanwhile = [];
    this.#meanwhile.add(meanwhile);
    try {
      const held = await heldOf(this.#store, this.#board);
      // What came while that was read may be in it or not: the file begins anew, and has it once.
      this.#read = new Set(held.map(({ device_seq }) => device_seq));
      this.#put([...held, ...meanwhile.filter((row) => !this.#isRead(row))], true);
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
  }

  /** What was sent stays in it until that is safe; it begins anew when half of it is not needed. */
  async thin() {
    if (2 * (await this.#store.countHeld(this.#board.log_id)) <= this.count) await this.renew();
  }

  /**
   * What is held lies a second time in the file.
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

  /** What was given is written; then the file is let go of. */
  close() {
    this.#file.close();
  }
}

/**
 * Files of earlier boards of which nothing is held any more go.
 * @param {Store} store
 * @param {Identity} identity
 * @param {Board} open the board whose file stays in any case
 */
export async function tidyBoards(store, identity, open) {
  try {
    await tidyCopies(identity, async (log_id, match_id) => {
      if (log_id === open.log_id && match_id === open.match_id) return true;
      return (await heldOf(store, { log_id, match_id })).length > 0;
    });
  } catch {
    // A storage that cannot be read says so elsewhere; the next start tries again.
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
