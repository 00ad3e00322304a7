// Writes the server's answer to a submission into the store, all in one transaction.

import { got } from "./idb.js";
import { unsent } from "./kept.js";
import { freshStream, keyOf } from "./rows.js";

/** @import { Settlement, StreamRow } from "./kinds" */
/** @import { Tables } from "./kept.js" */

/**
 * Turn accepted drafts into entries, park refused ones, and note how far the chain is acknowledged.
 * @param {Tables} table
 * @param {string} log_id
 * @param {Settlement} settlement
 */
export async function settle(table, log_id, settlement) {
  await accept(table, settlement);
  for (const row of settlement.parked) {
    table("drafts").delete(keyOf(row));
    table("parked").put(row);
  }
  for (const { match_id, reason } of settlement.doomed) {
    const rows = await got(table("drafts").getAll(await unsent(table, log_id)));
    for (const row of rows) {
      if (row.match_id === match_id && row.doomed === null) {
        table("drafts").put({ ...row, doomed: reason });
      }
    }
  }
  const chain = await got(table("chains").get(log_id));
  if (chain) {
    const acked_seq = Math.max(chain.acked_seq, settlement.acked_seq);
    // The proof holds for `proved_from` only, and another answer may have replaced that meanwhile.
    const isNext = chain.checkpoint?.size === settlement.proved_from?.size;
    const checkpoint = isNext ? settlement.checkpoint : chain.checkpoint;
    // If the server never calls anything safe, the archive must extend the last proved checkpoint.
    const known = chain.anchor === undefined ? chain.checkpoint : chain.anchor;
    const anchor = settlement.kept === null ? checkpoint : known;
    table("chains").put({ ...chain, acked_seq, checkpoint, anchor });
  }
  for (const row of settlement.kept ?? []) table("drafts").put(row);
}

/**
 * Turn accepted drafts into entries at the versions that the server gave them.
 * @param {Tables} table
 * @param {Settlement} settlement
 */
async function accept(table, { accepted, heads }) {
  /** @type {Map<string, StreamRow>} */
  const streams = new Map();
  for (const row of accepted) {
    const { log_id, match_id, entry } = row;
    table("drafts").delete(keyOf(row));
    const known = streams.get(match_id) ?? (await got(table("streams").get([log_id, match_id])));
    const stream = known ?? freshStream(log_id, match_id);
    streams.set(match_id, stream);
    // A later one is fetched together with those missing before it; an earlier one is here already.
    if (entry.version !== stream.version + 1) continue;
    table("entries").put({ log_id, match_id, version: entry.version, entry });
    const told = heads[match_id];
    const head = told?.version === entry.version ? told.head : null;
    streams.set(match_id, { ...stream, version: entry.version, head });
  }
  for (const stream of streams.values()) table("streams").put(stream);
}
