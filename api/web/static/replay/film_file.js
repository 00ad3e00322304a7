// Hashes a video file, to check whether it is the film that was recorded.

import { hex } from "../device/chain/bytes.js";
import { START, ended, mixAll } from "../device/chain/sha256.js";

/** How many bytes are hashed at once; between pieces the page can react. */
const PIECE = 4 * 1024 * 1024;

/** Files up to this size are hashed in memory by the browser, much faster than by a script. */
const IN_MEMORY = 256 * 1024 * 1024;

/**
 * The SHA-256 of a file of any size, in lower-case hex.
 *
 * @param {Blob} file
 * @param {(share: number) => void} [onProgress] gets the fraction hashed so far, from 0 to 1
 * @param {number} [most] the largest size that is hashed in memory
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
    // Only the last piece may end with an incomplete block.
    const whole = piece.length - (piece.length % 64);
    mixAll(state, piece.subarray(0, whole));
    rest = piece.subarray(whole);
    onProgress(Math.min(1, (at + PIECE) / file.size));
  }
  return hex(ended(state, rest, file.size));
}
