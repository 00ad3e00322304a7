// The device's Ed25519 signing key: it never leaves the browser; some browsers cannot make one.

import { base64, base64url } from "./bytes.js";

/**
 * A key as IndexedDB keeps it: the private key cannot be exported.
 * @typedef {object} DeviceKey
 * @property {CryptoKey} private_key
 * @property {string} public_key base64 of the 32 raw bytes
 */

/**
 * A new key; null if the origin is not secure or the browser lacks Ed25519.
 * @returns {Promise<DeviceKey | null>}
 */
export async function makeKey() {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return null;
  try {
    const made = await subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
    const pair = /** @type {CryptoKeyPair} */ (made);
    const raw = new Uint8Array(await subtle.exportKey("raw", pair.publicKey));
    return { private_key: pair.privateKey, public_key: base64(raw) };
  } catch {
    return null;
  }
}

/**
 * The signature over exactly these bytes, as base64url; null without a key.
 * @param {DeviceKey | null} key
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<string | null>}
 */
export async function sign(key, bytes) {
  if (key === null) return null;
  const made = await crypto.subtle.sign({ name: "Ed25519" }, key.private_key, bytes);
  return base64url(new Uint8Array(made));
}
