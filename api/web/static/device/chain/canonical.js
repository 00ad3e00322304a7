// Canonical JSON (RFC 8785, without fractions): the same bytes as events/canonical.py.

/** How deeply arrays and objects may be nested. */
export const MAX_DEPTH = 32;

/** A value that has no canonical form, and where in the data it stands. */
export class NotCanonical extends Error {
  /**
   * @param {string} message
   * @param {string} where
   */
  constructor(message, where) {
    super(`${message} (${where})`);
    this.name = "NotCanonical";
    this.where = where;
  }
}

const ASCII = /^[\x00-\x7f]*$/;
/** With the `u` flag whole pairs are one code point, so this finds only unpaired surrogates. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const utf8 = new TextEncoder();

/**
 * The canonical text of plain JSON data.
 * @param {unknown} value objects with ASCII keys, arrays, strings, whole numbers, booleans, null
 * @param {number} [depth]
 * @returns {string}
 * @throws {NotCanonical}
 */
export function canonicalText(value, depth = MAX_DEPTH) {
  return spelled(value, "$", depth);
}

/**
 * The canonical bytes of plain JSON data.
 * @param {unknown} value
 * @param {number} [depth]
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {NotCanonical}
 */
export function canonical(value, depth = MAX_DEPTH) {
  return utf8.encode(canonicalText(value, depth));
}

/**
 * A copy without members that are `undefined`: JSON has no such value.
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function plain(value) {
  if (Array.isArray(value)) return /** @type {T} */ (value.map(plain));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return /** @type {T} */ (Object.fromEntries(members.map(([key, item]) => [key, plain(item)])));
}

/**
 * @param {unknown} value
 * @param {string} where
 * @param {number} depth
 * @returns {string}
 */
function spelled(value, where, depth) {
  switch (typeof value) {
    case "string":
      if (LONE_SURROGATE.test(value)) {
        throw new NotCanonical("half a surrogate pair is no character", where);
      }
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isInteger(value)) throw new NotCanonical("a number is not whole", where);
      if (!Number.isSafeInteger(value)) {
        throw new NotCanonical("a number is beyond 2^53 - 1", where);
      }
      return JSON.stringify(value);
    case "object":
      if (value === null) return "null";
      if (depth <= 0) throw new NotCanonical("arrays and objects are nested too deeply", where);
      return Array.isArray(value) ? list(value, where, depth) : members(value, where, depth);
    default:
      throw new NotCanonical(`a value of type ${typeof value} is not plain JSON data`, where);
  }
}

/**
 * @param {unknown[]} items
 * @param {string} where
 * @param {number} depth
 */
function list(items, where, depth) {
  const spelt = items.map((item, index) => spelled(item, `${where}[${index}]`, depth - 1));
  return `[${spelt.join(",")}]`;
}

/**
 * @param {object} value
 * @param {string} where
 * @param {number} depth
 */
function members(value, where, depth) {
  const record = /** @type {Record<string, unknown>} */ (value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotCanonical("an object of a class is not plain JSON data", where);
  }
  const spelt = Object.keys(record)
    .sort()
    .map((key) => {
      if (!ASCII.test(key)) throw new NotCanonical("a key is not ASCII text", where);
      return `${JSON.stringify(key)}:${spelled(record[key], `${where}.${key}`, depth - 1)}`;
    });
  return `{${spelt.join(",")}}`;
}
