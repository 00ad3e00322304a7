// Empty rows of the device's tables, and the keys and ranges by which rows are found.

/** @import { Chain, DraftRow, StreamRow } from "./kinds" */

/**
 * @param {string} log_id
 * @param {number} epoch
 * @returns {Chain}
 */
export function freshChain(log_id, epoch) {
  return { log_id, epoch, last_seq: 0, last_hash: null, acked_seq: 0, checkpoint: null, anchor: null };
}

/**
 * @param {string} log_id
 * @param {string} match_id
 * @returns {StreamRow}
 */
export function freshStream(log_id, match_id) {
  return { log_id, match_id, version: 0, head: null, lease: null, role: "none" };
}

/** @param {string} log_id */
export function within(log_id) {
  return IDBKeyRange.bound([log_id], [log_id, []]);
}

/** @param {DraftRow} row */
export function keyOf(row) {
  return [row.log_id, row.epoch, row.device_seq];
}
