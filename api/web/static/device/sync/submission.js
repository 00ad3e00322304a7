// One submission: its drafts as a request, and what the answer proves and changes.

import { base64 } from "../chain/bytes.js";
import { goesOn, isCheckpoint } from "../chain/tree.js";

/** @import { Checkpoint } from "../chain/tree.js" */
/** @import { DraftRow, Settlement } from "../store/kinds" */

/** The maximum number of drafts in one submission. */
export const BATCH = 200;
const BATCH_BYTES = 400_000;

/**
 * A draft as the ingest route takes it.
 * @param {DraftRow} row
 */
export function itemOf(row) {
  return {
    draft: base64(row.raw),
    signature: row.signature,
    disclosures: row.disclosures.map(base64),
  };
}

/**
 * The first drafts, as many as fit into one request; at least one.
 * @param {DraftRow[]} rows
 */
export function fitting(rows) {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    const beside = row.disclosures.reduce((sum, raw) => sum + raw.length, 0);
    bytes += row.raw.length + beside;
    return bytes > BATCH_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

/**
 * Whether a reply answers for these drafts: a captive portal answers with 200 too.
 * @param {any} reply
 * @param {DraftRow[]} rows
 */
export function isReceipt(reply, rows) {
  return Array.isArray(reply.results) && reply.results.length === rows.length;
}

/**
 * Why a reply does not prove that the log still contains what it held at the checkpoint kept here;
 * null if it does, or if no checkpoint is kept. Once a server gave a checkpoint, proofs are due.
 * @param {Checkpoint | null} kept
 * @param {any} reply
 * @returns {Promise<string | null>}
 */
export async function doubted(kept, { checkpoint, consistency }) {
  if (!kept) return null;
  if (!isCheckpoint(checkpoint)) return "no_checkpoint";
  if (checkpoint.size < kept.size) return "log_shrank";
  if (checkpoint.size === kept.size) return checkpoint.root === kept.root ? null : "other_root";
  const isProof = consistency?.from === kept.size && Array.isArray(consistency.hashes);
  return isProof && (await goesOn(kept, checkpoint, consistency.hashes)) ? null : "no_proof";
}

/**
 * What the reply to a batch changes in the store.
 * @param {DraftRow[]} rows
 * @param {any} reply
 * @param {Checkpoint | null} kept the checkpoint that the reply was proved to extend
 * @returns {Settlement}
 */
export function settled(rows, reply, kept) {
  const safe = isSize(reply.covered) ? reply.covered : null;
  /** @type {Settlement} */
  const found = {
    accepted: [],
    kept: safe === null ? null : [],
    parked: [],
    doomed: [],
    heads: reply.streams ?? {},
    acked_seq: 0,
    proved_from: kept,
    checkpoint: isCheckpoint(reply.checkpoint) ? reply.checkpoint : null,
  };
  for (const [index, row] of rows.entries()) {
    const { outcome, reason = null, version = null, global_position } = reply.results[index];
    if (outcome === "gap" || outcome === "device_fork") break;
    found.acked_seq = row.device_seq;
    if (safe !== null && (global_position ?? safe) >= safe) {
      const entry = { ...row.entry, version: version ?? row.entry.version };
      found.kept?.push({ ...row, entry, position: global_position, proved: found.checkpoint });
    }
    if (outcome !== "stream_conflict" && version !== null) {
      found.accepted.push({ ...row, entry: { ...row.entry, version, state: "sent" } });
      continue;
    }
    const entry = { ...row.entry, state: /** @type {const} */ ("parked"), reason };
    found.parked.push({ ...row, entry, reason, is_sent: true });
    // A doomed draft dooms no others: drafts recorded after its conflict was known may build on
    // the new base.
    if (row.doomed === null) found.doomed.push({ match_id: row.match_id, reason });
  }
  return found;
}

/**
 * Whether a value is the number of entries that are safe; servers without copies send none.
 * @param {any} value
 * @returns {value is number}
 */
export function isSize(value) {
  return Number.isSafeInteger(value);
}
