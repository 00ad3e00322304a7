// SHA-256: the browser's where the origin is secure, else an implementation in JavaScript.

import { hex } from "./bytes.js";

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
/** The initial hash value. */
export const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

/**
 * SHA-256 of bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function sha256(bytes) {
  const subtle = globalThis.crypto?.subtle;
  if (subtle) return new Uint8Array(await subtle.digest("SHA-256", bytes));
  return ownSha256(bytes);
}

/**
 * Lower-case hex SHA-256 of bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<string>}
 */
export async function sha256Hex(bytes) {
  return hex(await sha256(bytes));
}

/**
 * SHA-256 in plain JavaScript (FIPS 180-4), for origins where `crypto.subtle` is missing.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function ownSha256(bytes) {
  const state = new Uint32Array(START);
  const whole = bytes.length - (bytes.length % 64);
  mixAll(state, bytes.subarray(0, whole));
  return ended(state, bytes.subarray(whole), bytes.length);
}

/**
 * Mix blocks of 64 bytes into the state.
 * @param {Uint32Array} state
 * @param {Uint8Array} blocks
 */
export function mixAll(state, blocks) {
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.length; at += 64) mix(state, blocks, at, words);
}

/**
 * The hash, once all whole blocks are mixed into the state.
 * @param {Uint32Array} state
 * @param {Uint8Array} rest the bytes after the last whole block
 * @param {number} length of all bytes
 */
export function ended(state, rest, length) {
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(tail.length - 4, (length * 8) >>> 0);
  mixAll(state, tail);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(4 * index, word));
  return new Uint8Array(digest.buffer);
}

/**
 * Mix one block of 64 bytes into the state.
 * @param {Uint32Array} state
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {Uint32Array} words
 */
function mix(state, bytes, at, words) {
  for (let i = 0; i < 16; i += 1) {
    const j = at + 4 * i;
    words[i] = (bytes[j] << 24) | (bytes[j + 1] << 16) | (bytes[j + 2] << 8) | bytes[j + 3];
  }
  for (let i = 16; i < 64; i += 1) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
    const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + words[i]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] += word;
  });
}

/**
 * @param {number} word
 * @param {number} by
 */
function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime)) found.push(next);
  }
  return found;
}

/** @param {number} root */
function fraction(root) {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}
