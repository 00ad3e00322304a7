// A film that the reader chooses: its hash says whether it is the one that was named.

import { hex } from "../device/chain/bytes.js";
import { START, ended, mixAll } from "../device/chain/sha256.js";

/** Bytes that are read and hashed at once: between two such pieces the page answers. */
const PIECE = 4 * 1024 * 1024;

/** Up to so many bytes the browser hashes a file in memory, much faster than any script. */
const IN_MEMORY = 256 * 1024 * 1024;

/**
 * Lower-case hex SHA-256 of a file, however large.
 *
 * @param {Blob} file
 * @param {(share: number) => void} [onProgress] how much of it is read, from 0 to 1
 * @param {number} [most] bytes that are hashed in memory
 */
export async function hashOf(file, onProgress = () => {}, most = IN_MEMORY) {
  const subtle = globalThis.crypto?.subtle;
  if (subtle && file.size <= most) {
    return hex(new Uint8Array(await subtle.digest("SHA-256", await file.arrayBuffer())));
  }
  const state = new Uint32Array(START);
  let rest = new Uint8Array(0);
  for (let at = 0; at < file.size; at += PIECE) {
    const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    // Every piece but the last one is whole blocks.
    const whole = piece.length - (piece.length % 64);
    mixAll(state, piece.subarray(0, whole));
    rest = piece.subarray(whole);
    onProgress(Math.min(1, (at + PIECE) / file.size));
  }
  return hex(ended(state, rest, file.size));
}
