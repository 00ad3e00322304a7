// Makes drafts of acts: commits personal values, links each draft to the device's chain, signs it.

import { canonical, plain } from "./canonical.js";
import { uuid } from "./ids.js";
import { sign } from "./keys.js";
import { commitPersonal } from "./personal.js";
import { sha256Hex } from "./sha256.js";

/** @typedef {import("../../shared/types").Act} Act */
/** @typedef {import("../../shared/types").Entry} Entry */
/** @import { DraftRow } from "../store/kinds" */

/**
 * An act whose personal values are replaced by commitments.
 * @typedef {object} Made
 * @property {string} entry_id
 * @property {string} tag
 * @property {number} schema
 * @property {import("../../shared/types").Basis} basis
 * @property {Record<string, any>} signed the body with commitments
 * @property {Record<string, any>} shown the body with plain values, for this device's screen
 * @property {Uint8Array<ArrayBuffer>[]} disclosures what opens the commitments
 */

/**
 * Replace the personal values of an act by commitments, and give the act an id.
 * @param {Act} act
 * @returns {Promise<Made>}
 */
export async function committed({ tag, body, basis = "observed", schema = 1 }) {
  const shown = plain(body);
  const { body: signed, disclosures } = await commitPersonal(tag, shown);
  return { entry_id: uuid(), tag, schema, basis, signed, shown, disclosures };
}

/**
 * What drafts are built on: the device's chain, the board's lease, the last entry of the stream.
 * @typedef {object} Place
 * @property {string} log_id
 * @property {string} match_id
 * @property {number | null} lease
 * @property {import("../store/kinds").Identity} identity
 * @property {import("../store/kinds").Chain} chain
 * @property {{version: number, head: string | null}} base
 */

/**
 * Signed drafts that extend a chain, and the chain's new end; nothing is stored yet.
 * @param {Made[]} made
 * @param {{occurred_at: number, elapsed_ms: number}} moment
 * @param {Place} place
 * @returns {Promise<{rows: DraftRow[], chain: import("../store/kinds").Chain}>}
 */
export async function drafted(made, moment, { log_id, match_id, lease, identity, chain, base }) {
  const { device, epoch, key } = identity;
  let { last_seq: device_seq, last_hash: device_prev } = chain;
  let on = base;
  /** @type {DraftRow[]} */
  const rows = [];
  for (const { entry_id, tag, schema, basis, signed, shown, disclosures } of made) {
    device_seq += 1;
    const raw = canonical({
      entry_id, stream: match_id, tag, schema, basis, body: signed, device, epoch, device_seq,
      device_prev, lease, expected_version: on.version, expected_head: on.head, ...moment,
    });
    const [hash, signature] = await Promise.all([sha256Hex(raw), sign(key, raw)]);
    const version = on.version + 1;
    /** @type {Entry} */
    const entry = {
      entry_id, version, tag, schema, basis, body: shown, state: "saved",
      occurred_at: moment.occurred_at,
    };
    rows.push({
      log_id, epoch, device_seq, match_id, hash, raw, signature, disclosures, entry, lease,
      doomed: null,
    });
    device_prev = hash;
    on = { version, head: null };
  }
  return { rows, chain: { ...chain, last_seq: device_seq, last_hash: device_prev } };
}
