// Replaces personal values by salted commitments and their disclosures, and opens them again.

import { hex } from "./bytes.js";
import { canonical } from "./canonical.js";
import { randomBytes } from "./ids.js";
import { PERSONAL_PATHS } from "./personal_paths.js";
import { sha256Hex } from "./sha256.js";

const SALT_BYTES = 16;

/**
 * A body as it is signed, and the disclosures that open its commitments.
 * @typedef {object} Committed
 * @property {Record<string, any>} body
 * @property {Uint8Array<ArrayBuffer>[]} disclosures
 */

/**
 * Replace every plain personal value of a body by a commitment; returns the raw disclosures too.
 *
 * A commitment, or null, stays as it is. `salts` gives the salt for the member of that name; tests
 * pass fixed ones.
 * @param {string} tag
 * @param {Record<string, any>} body
 * @param {(name: string) => Uint8Array} [salts]
 * @returns {Promise<Committed>}
 */
export async function commitPersonal(tag, body, salts = () => randomBytes(SALT_BYTES)) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const disclosures = [];
  /**
   * @param {any} node
   * @param {readonly string[]} path
   * @param {string} name
   * @returns {Promise<any>}
   */
  async function at(node, path, name) {
    if (path.length === 0) {
      if (node === null || isCommitment(node)) return node;
      const called = name.slice(0, -1);
      const raw = canonical([hex(salts(called)), called, node]);
      disclosures.push(raw);
      return { sd: await sha256Hex(raw) };
    }
    const [step, ...rest] = path;
    if (node === null || typeof node !== "object") return node;
    if (step !== "*") {
      if (Array.isArray(node) || !Object.hasOwn(node, step)) return node;
      return { ...node, [step]: await at(node[step], rest, `${name}${step}.`) };
    }
    const copy = Array.isArray(node) ? [...node] : { ...node };
    for (const key of Object.keys(node)) copy[key] = await at(node[key], rest, `${name}${key}.`);
    return copy;
  }
  let made = body;
  for (const path of PERSONAL_PATHS[tag] ?? []) made = await at(made, path, "");
  if (tag === "entry.amended" && made.body !== null && typeof made.body === "object") {
    let inner = made.body;
    for (const path of PERSONAL_PATHS[made.tag] ?? []) inner = await at(inner, path, "body.");
    made = { ...made, body: inner };
  }
  return { body: made, disclosures };
}

/**
 * Replace commitments in a body by their values, where these are known.
 * @param {any} body
 * @param {Record<string, any>} values hex commitment to value
 * @returns {any}
 */
export function openCommitments(body, values) {
  if (body === null || typeof body !== "object") return body;
  if (isCommitment(body)) return Object.hasOwn(values, body.sd) ? values[body.sd] : body;
  if (Array.isArray(body)) return body.map((item) => openCommitments(item, values));
  const opened = Object.entries(body).map(([key, item]) => [key, openCommitments(item, values)]);
  return Object.fromEntries(opened);
}

/** @param {any} node */
function isCommitment(node) {
  const keys = typeof node === "object" && !Array.isArray(node) ? Object.keys(node) : [];
  return keys.length === 1 && keys[0] === "sd";
}
