// What was sent, and is not yet safe outside of the server's database: kept here, to be sent again.
//
// It lies among the drafts, under numbers up to the last one that was acknowledged. Where an older backup
// takes the archive's place, it has no receipt any more, and goes out once more as it was signed. (What is
// found here by an older version of this program is sent once more as well, which harms nobody.)

import { got } from "./idb.js";
import { keyOf, within } from "./rows.js";

/** Most acknowledged drafts that are kept of a log, some megabytes; the oldest go first. */
const MOST = 4_000;

/** @import { Chain, DraftRow, Heads } from "./kinds" */
/** @typedef {(name: any) => IDBObjectStore} Tables */

/**
 * Whether the server has given a receipt for a draft.
 * @param {DraftRow} row
 * @param {Chain | undefined} chain
 */
export function isAcked(row, chain) {
  return row.epoch === chain?.epoch && row.device_seq <= chain.acked_seq;
}

/**
 * Where the drafts without receipt lie.
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
 * Let go of what is safe. Receipts were given in order, so what came before it is safe as well.
 * @param {Tables} table
 * @param {string} log_id
 * @param {number} covered how many entries of the log are
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
 * Take receipts back that an older archive no longer knows of: those drafts are unsent again, and the
 * entries that it does not have are none. False, and nothing is changed, where one of them is gone from here.
 * @param {Tables} table
 * @param {string} log_id
 * @param {number} last_seq last draft that the archive has
 * @param {Heads} heads how its streams stand
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
