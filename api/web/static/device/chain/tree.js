// Checks consistency proofs of a log: that a new checkpoint extends the one kept on the device.
//
// The same as `extends` in events/sealing/merkle.py (RFC 9162 2.1.4.2); shared vectors test both.
// Sizes may exceed 32 bits, so they are halved by division and never shifted.

import { fromHex, hex } from "./bytes.js";
import { sha256 } from "./sha256.js";

/**
 * The state of a log: its size, and the Merkle root of its entries in hex.
 * @typedef {object} Checkpoint
 * @property {number} size
 * @property {string} root
 */

/**
 * Whether a value is a checkpoint of a log that is not empty.
 * @param {any} value
 * @returns {value is Checkpoint}
 */
export function isCheckpoint(value) {
  return Number.isSafeInteger(value?.size) && value.size > 0 && isHash(value.root);
}

/**
 * Whether hex hashes prove that the log of the old checkpoint is a prefix of the new one's.
 * @param {Checkpoint} old
 * @param {Checkpoint} next
 * @param {readonly string[]} path
 * @returns {Promise<boolean>}
 */
export async function goesOn(old, next, path) {
  if (!isCheckpoint(old) || !isCheckpoint(next) || !path.every(isHash)) return false;
  if (old.size > next.size) return false;
  if (old.size === next.size) return path.length === 0 && old.root === next.root;
  // If the old tree is perfect, its root is the path's first node, which a proof leaves out.
  const [first, ...rest] = isPowerOfTwo(old.size) ? [old.root, ...path] : path;
  if (first === undefined) return false;
  let [at, last] = [old.size - 1, next.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [before, after] = [first, first];
  for (const node of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [before, after] = [await nodeHash(node, before), await nodeHash(node, after)];
      while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    } else {
      after = await nodeHash(after, node);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && before === old.root && after === next.root;
}

/**
 * @param {string} left
 * @param {string} right
 */
async function nodeHash(left, right) {
  return hex(await sha256(fromHex(`01${left}${right}`)));
}

/** @param {number} size */
function half(size) {
  return Math.floor(size / 2);
}

/** @param {number} size */
function isPowerOfTwo(size) {
  while (size % 2 === 0) size /= 2;
  return size === 1;
}

/** @param {any} value */
function isHash(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
