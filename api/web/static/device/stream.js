// A match as the device has it: the server's entries, then its own that the server lacks.

import { freshStream } from "./store/rows.js";

/** @typedef {import("../shared/types").Entry} Entry */
/** @import { DraftRow, ParkedRow, StreamRow } from "./store/kinds" */

/** The entries of one match, those that wait for the director, and the base of the next one. */
export class Stream {
  #match_id;
  #epoch;
  /** @type {Entry[]} */
  #server = [];
  /** @type {DraftRow[]} */
  #drafts = [];
  /** @type {ParkedRow[]} */
  #parked = [];
  /** The last of the server's entries here, and this device's role and lease. @type {StreamRow} */
  row;
  /** The number of drafts without a receipt, over all matches of the log. */
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

  /** How many of the server's entries are here. */
  get known() {
    return this.#server.length;
  }

  /** Whether the server has answered for all drafts of this match. */
  get isAnswered() {
    return this.#drafts.length === 0;
  }

  /** Whether drafts of this match wait on the server for the director's decision. */
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
   * Add drafts that are durable in the store.
   * @param {DraftRow[]} rows
   */
  add(rows) {
    this.#drafts.push(...rows);
    this.unsent += rows.length;
  }

  /**
   * Take over a snapshot of the store in one step, so that no reader sees an entry missing between
   * draft and receipt.
   * @param {{ stream: StreamRow, news: Entry[], drafts: DraftRow[], parked: ParkedRow[] }} now
   * @returns {boolean} whether `entries` has changed
   */
  take({ stream, news, drafts, parked }) {
    const before = this.#marks();
    this.row = stream;
    // An archive restored from an older backup has fewer entries.
    this.#server.splice(stream.version);
    this.#server.push(...news);
    this.unsent = drafts.length;
    this.#drafts = drafts.filter((row) => row.match_id === this.#match_id);
    this.#parked = parked.filter((row) => row.match_id === this.#match_id);
    return this.#marks() !== before;
  }

  /** The base of the next entry: the last own draft, else the last of the server's entries here. */
  base() {
    const last = this.#branch().at(-1);
    if (last) return { version: last.entry.version, head: null };
    return { version: this.row.version, head: this.row.head };
  }

  /**
   * All entries: the server's, then our own that it does not have yet.
   * @returns {Entry[]}
   */
  entries() {
    const own = this.#branch().map((row) => shownOf(row));
    // Without a lease, own entries follow those they were made on, not those of the next device.
    const isCut = this.row.role === "none" && own.length > 0;
    const server = isCut ? this.#server.slice(0, own[0].version - 1) : this.#server;
    own.forEach((entry, index) => {
      entry.version = server.length + index + 1;
    });
    return [...server, ...own];
  }

  /**
   * Own entries that are not in the server's stream, in order; the next one builds on them. Entries
   * that wait for the director are among them: play goes on at the table, and until the director
   * has decided, the server parks every further entry of this device too.
   */
  #branch() {
    const { role, version: known } = this.row;
    const waiting = this.#parked.filter((row) => row.is_sent && row.epoch === this.#epoch);
    if (role === "none") return [...waiting, ...this.#drafts];
    // A draft made while another device had the board does not build on that device's entries.
    const isOurs = (/** @type {string | null} */ reason) => reason !== "stale_lease";
    // A draft that is not doomed although its version is taken has become that entry.
    const isOut = (/** @type {DraftRow} */ row) => row.doomed !== null || row.entry.version > known;
    return [
      ...waiting.filter((row) => isOurs(row.reason)),
      ...this.#drafts.filter((row) => isOut(row) && isOurs(row.doomed)),
    ];
  }

  /** A text that changes whenever `entries` does. */
  #marks() {
    const drafts = this.#drafts.map((row) => `${row.device_seq}${row.doomed ?? ""}`);
    const parked = this.#parked.map((row) => row.device_seq);
    return [this.#server.length, this.row.role, drafts, parked].join();
  }
}

/**
 * The entry of a draft, as it is shown.
 * @param {DraftRow | ParkedRow} row
 * @returns {Entry}
 */
function shownOf(row) {
  const reason = "reason" in row ? row.reason : row.doomed;
  const isWaiting = "reason" in row || row.doomed !== null;
  if (!isWaiting) return { ...row.entry };
  return { ...row.entry, state: "parked", ...(reason !== null && { reason }) };
}
