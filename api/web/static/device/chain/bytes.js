// Bytes as text and back: hex, base64, base64url.

/**
 * Lower-case hex of bytes.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function hex(bytes) {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/**
 * The bytes of a hex text.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * Base64 of bytes, with padding.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/**
 * Base64url of bytes, without padding (RFC 4648 section 5).
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64url(bytes) {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
