// The rows that a device keeps, and how they are found.

/** @typedef {import("../../shared/types").Entry} Entry */
/** @typedef {import("../../shared/types").FoldTerms} FoldTerms */

/**
 * Who this device is; one for the whole browser profile.
 * @typedef {object} Identity
 * @property {"device"} name
 * @property {string} device
 * @property {number} epoch rises when the storage was lost
 * @property {string} token the device's own secret, of which the server knows the hash alone
 * @property {string} token_sha256
 * @property {import("../chain/keys.js").DeviceKey | null} key
 */

/**
 * A pairing with one log, as far as it has come.
 * @typedef {object} Enrolment
 * @property {string} log_id
 * @property {string} pairing_id
 * @property {string | null} match_id
 * @property {string[]} fingerprint
 * @property {"waiting" | "approved" | "refused" | "expired"} state
 * @property {number} epoch
 * @property {number} order rises with each claim of this device
 */

/**
 * The end of the device's hash chain in a log.
 * @typedef {object} Chain
 * @property {string} log_id
 * @property {number} epoch
 * @property {number} last_seq
 * @property {string | null} last_hash
 * @property {number} acked_seq last one of which the server has given a receipt
 * @property {import("../chain/tree.js").Checkpoint | null} checkpoint the last one that was proved
 */

/**
 * A draft as it was signed, and the entry that it makes.
 * @typedef {object} DraftRow
 * @property {string} log_id
 * @property {number} epoch
 * @property {number} device_seq
 * @property {string} match_id
 * @property {string} hash
 * @property {Uint8Array<ArrayBuffer>} raw exactly the bytes that are signed and sent
 * @property {string | null} signature
 * @property {Uint8Array<ArrayBuffer>[]} disclosures
 * @property {Entry} entry
 * @property {number | null} lease
 * @property {string | null} doomed why it will be parked, if an earlier one of its stream was
 */

/**
 * A draft that the server keeps for the director.
 * @typedef {DraftRow & {reason: string | null, is_sent: boolean}} ParkedRow
 */

/**
 * How a match's stream stands as this device knows it.
 * @typedef {object} StreamRow
 * @property {string} log_id
 * @property {string} match_id
 * @property {number} version last version of which the entry is here, with all before it
 * @property {string | null} head its leaf hash, where known
 * @property {number | null} lease the device's lease, the last one it had
 * @property {"scribe" | "shadow" | "none"} role
 * @property {FoldTerms} [terms] what the rule set in force says, as the server told it
 * @property {string} [profile] what the screen may show, as the director last said
 */

/**
 * A file that is evidence; its bytes stay until the server has them.
 * @typedef {object} FileRow
 * @property {string} log_id
 * @property {string} sha256
 * @property {string} type
 * @property {ArrayBuffer | null} bytes null once sent
 */

/**
 * Which tab leads, and how often it has said so.
 * @typedef {object} Beat
 * @property {string} owner
 * @property {number} beat
 */

/**
 * @param {string} log_id
 * @param {number} epoch
 * @returns {Chain}
 */
export function freshChain(log_id, epoch) {
  return { log_id, epoch, last_seq: 0, last_hash: null, acked_seq: 0, checkpoint: null };
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
