// Sent drafts, kept until they are safe outside the server's database, to be sent again if needed.
//
// They are rows of the drafts table with sequence numbers up to the last acknowledged one. If the
// server is restored from an older backup, their receipts no longer count and the same bytes are
// sent once more. (An older version of this program sends these rows again, which does no harm.)

import { got } from "./idb.js";
import { keyOf, within } from "./rows.js";

/** How many acknowledged drafts of a log are kept at most (some megabytes); the oldest go first. */
const MOST = 4_000;

/** @import { Chain, DraftRow, Heads } from "./kinds" */
/** @typedef {(name: any) => IDBObjectStore} Tables */

/**
 * Whether the server has acknowledged a draft.
 * @param {DraftRow} row
 * @param {Chain | undefined} chain
 */
export function isAcked(row, chain) {
  return row.epoch === chain?.epoch && row.device_seq <= chain.acked_seq;
}

/**
 * The key range of the drafts that are not acknowledged.
 * @param {Tables} table
 * @param {string} log_id
 */
export async function unsent(table, log_id) {
  /** @type {Chain | undefined} */
  const chain = await got(table("chains").get(log_id));
  if (!chain) return within(log_id);
  return IDBKeyRange.bound([log_id, chain.epoch, chain.acked_seq + 1], [log_id, []]);
}

/**
 * Delete drafts that are safe. Receipts come in order, so all before a safe draft are safe too.
 * @param {Tables} table
 * @param {string} log_id
 * @param {number} covered how many entries of the log are safe
 */
export async function letGo(table, log_id, covered) {
  /** @type {Chain | undefined} */
  const chain = await got(table("chains").get(log_id));
  if (!chain) return;
  const { epoch, acked_seq, checkpoint } = chain;
  const range = IDBKeyRange.bound([log_id], [log_id, epoch, acked_seq]);
  if (chain.covered === covered && (await got(table("drafts").count(range))) <= MOST) return;
  /** @type {DraftRow[]} */
  const rows = await got(table("drafts").getAll(range));
  const safe = rows.findLastIndex((row) => (row.position ?? Infinity) < covered);
  let { anchor } = chain;
  for (const row of rows.slice(0, Math.max(safe + 1, rows.length - MOST))) {
    table("drafts").delete(keyOf(row));
    if (row.proved && row.proved.size <= covered) anchor = row.proved;
  }
  if (checkpoint && checkpoint.size <= covered) anchor = checkpoint;
  table("chains").put({ ...chain, covered, anchor });
}

/**
 * Undo receipts that a restored, older archive does not know: their drafts are unsent again, and
 * entries that the archive lacks are deleted. False, without a change, if any such draft is gone.
 * @param {Tables} table
 * @param {string} log_id
 * @param {number} last_seq sequence number of the last draft that the archive has
 * @param {Heads} heads version and head of its streams
 * @returns {Promise<boolean>}
 */
export async function takeBack(table, log_id, last_seq, heads) {
  /** @type {Chain} */
  const chain = await got(table("chains").get(log_id));
  const { epoch, acked_seq } = chain;
  const range = IDBKeyRange.bound([log_id, epoch, last_seq + 1], [log_id, epoch, acked_seq]);
  /** @type {DraftRow[]} */
  const rows = await got(table("drafts").getAll(range));
  if (rows.length !== acked_seq - last_seq) return false;
  table("chains").put({ ...chain, acked_seq: last_seq });
  for (const row of rows) {
    table("drafts").put({ ...row, entry: { ...row.entry, state: "saved" } });
    table("parked").delete(keyOf(row));
  }
  for (const [match_id, { version, head }] of Object.entries(heads)) {
    const stream = await got(table("streams").get([log_id, match_id]));
    if (!stream || stream.version <= version) continue;
    table("streams").put({ ...stream, version, head });
    table("entries").delete(IDBKeyRange.bound([log_id, match_id, version + 1], [log_id, match_id, []]));
  }
  return true;
}
