// A match's stream as this device has it: the server's entries, then its own that are not there yet.

import { freshStream } from "./store/rows.js";

/** @typedef {import("../shared/types").Entry} Entry */
/** @import { DraftRow, ParkedRow, StreamRow } from "./store/kinds" */

/** What is known of one match: its entries, those that wait for the director, what comes next. */
export class Stream {
  #match_id;
  #epoch;
  /** @type {Entry[]} */
  #server = [];
  /** @type {DraftRow[]} */
  #drafts = [];
  /** @type {ParkedRow[]} */
  #parked = [];
  /** How far the server's entries are here, and what this device may do. @type {StreamRow} */
  row;
  /** Drafts without a receipt, of all matches of the log. */
  unsent = 0;

  /**
   * @param {string} log_id
   * @param {string} match_id
   * @param {number} epoch
   */
  constructor(log_id, match_id, epoch) {
    this.#match_id = match_id;
    this.#epoch = epoch;
    this.row = freshStream(log_id, match_id);
  }

  /** How many entries of the server are here. */
  get known() {
    return this.#server.length;
  }

  /** Whether the server has answered to all own entries. */
  get isAnswered() {
    return this.#drafts.length === 0;
  }

  /** Whether the director has something to decide about them. */
  get isWaiting() {
    return this.#parked.some((row) => row.is_sent);
  }

  /**
   * Own entries that wait for the director, in order.
   * @returns {readonly Entry[]}
   */
  get parked() {
    const doomed = this.#drafts.filter((row) => row.doomed !== null);
    return [...this.#parked, ...doomed].map(shownOf);
  }

  /** @param {Set<string>} entry_ids */
  isAnyParked(entry_ids) {
    return this.#parked.some((row) => entry_ids.has(row.entry.entry_id));
  }

  /**
   * Drafts that have just become durable here.
   * @param {DraftRow[]} rows
   */
  add(rows) {
    this.#drafts.push(...rows);
    this.unsent += rows.length;
  }

  /**
   * Take over what the store has, all at once: whoever looks meanwhile must not see an entry leave
   * before it arrives.
   * @param {{ stream: StreamRow, news: Entry[], drafts: DraftRow[], parked: ParkedRow[] }} now
   * @returns {boolean} whether `entries` are others
   */
  take({ stream, news, drafts, parked }) {
    const before = this.#marks();
    this.row = stream;
    // An older archive has fewer.
    this.#server.splice(stream.version);
    this.#server.push(...news);
    this.unsent = drafts.length;
    this.#drafts = drafts.filter((row) => row.match_id === this.#match_id);
    this.#parked = parked.filter((row) => row.match_id === this.#match_id);
    return this.#marks() !== before;
  }

  /** What the next entry is made on: the last own one, or the last of the server that is seen. */
  base() {
    const last = this.#branch().at(-1);
    if (last) return { version: last.entry.version, head: null };
    return { version: this.row.version, head: this.row.head };
  }

  /**
   * All entries: the server's, then our own that are not there yet.
   * @returns {Entry[]}
   */
  entries() {
    const own = this.#branch().map((row) => shownOf(row));
    // Whoever has lost the board goes on from where that was, not among the entries of another.
    const isCut = this.row.role === "none" && own.length > 0;
    const server = isCut ? this.#server.slice(0, own[0].version - 1) : this.#server;
    own.forEach((entry, index) => {
      entry.version = server.length + index + 1;
    });
    return [...server, ...own];
  }

  /**
   * Own entries that are not in the stream, in order; the next one builds on them. Those that wait
   * for the director stay among them: the match goes on at the table, and until the director has
   * decided, the server lets whatever this device adds wait with them.
   */
  #branch() {
    const { role, version: known } = this.row;
    const waiting = this.#parked.filter((row) => row.is_sent && row.epoch === this.#epoch);
    if (role === "none") return [...waiting, ...this.#drafts];
    // What was made while another device had the board does not go on from where that has come.
    const isOurs = (/** @type {string | null} */ reason) => reason !== "stale_lease";
    // A draft whose place is known to be taken, and which is not doomed, is there already.
    const isOut = (/** @type {DraftRow} */ row) => row.doomed !== null || row.entry.version > known;
    return [
      ...waiting.filter((row) => isOurs(row.reason)),
      ...this.#drafts.filter((row) => isOut(row) && isOurs(row.doomed)),
    ];
  }

  /** Whatever `entries` depends on. */
  #marks() {
    const drafts = this.#drafts.map((row) => `${row.device_seq}${row.doomed ?? ""}`);
    const parked = this.#parked.map((row) => row.device_seq);
    return [this.#server.length, this.row.role, drafts, parked].join();
  }
}

/**
 * A draft as its entry is shown.
 * @param {DraftRow | ParkedRow} row
 * @returns {Entry}
 */
function shownOf(row) {
  const reason = "reason" in row ? row.reason : row.doomed;
  const isWaiting = "reason" in row || row.doomed !== null;
  if (!isWaiting) return { ...row.entry };
  return { ...row.entry, state: "parked", ...(reason !== null && { reason }) };
}
