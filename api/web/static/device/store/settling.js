// What the answer to a submission changes among the rows, all in one transaction.

import { got } from "./idb.js";
import { unsent } from "./kept.js";
import { freshStream, keyOf } from "./rows.js";

/** @import { Settlement, StreamRow } from "./kinds" */
/** @import { Tables } from "./kept.js" */

/**
 * Accepted drafts become entries, those that were refused are parked, and the chain is acknowledged.
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
    // What was proved of another checkpoint proves nothing of one that came in meanwhile.
    const isNext = chain.checkpoint?.size === settlement.proved_from?.size;
    const checkpoint = isNext ? settlement.checkpoint : chain.checkpoint;
    // Where nothing is ever safe, an archive has to go on from the last that was proved.
    const known = chain.anchor === undefined ? chain.checkpoint : chain.anchor;
    const anchor = settlement.kept === null ? checkpoint : known;
    table("chains").put({ ...chain, acked_seq, checkpoint, anchor });
  }
  for (const row of settlement.kept ?? []) table("drafts").put(row);
}

/**
 * Accepted drafts become entries, each at the version that it got.
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
    // Beyond a hole it is fetched with those before it; before, it is here already.
    if (entry.version !== stream.version + 1) continue;
    table("entries").put({ log_id, match_id, version: entry.version, entry });
    const told = heads[match_id];
    const head = told?.version === entry.version ? told.head : null;
    streams.set(match_id, { ...stream, version: entry.version, head });
  }
  for (const stream of streams.values()) table("streams").put(stream);
}
