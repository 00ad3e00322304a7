// Random ids and salts, also where the origin is not secure.

import { hex } from "./bytes.js";

/**
 * `count` random bytes.
 * @param {number} count
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function randomBytes(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

/**
 * A random UUID of version 4: version 7 would reveal the device's clock in anonymised packs.
 * @returns {string}
 */
export function uuid() {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = hex(bytes);
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20)];
  return [...parts, text.slice(20)].join("-");
}
