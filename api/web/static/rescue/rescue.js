// Sends drafts from second copies after the browser has lost its storage.
//
// Drafts that the server has already are answered as duplicates; a server restored from an older
// backup may need them. They are sent as they were signed, with the token of their own epoch. This
// happens before the device is paired again, because pairing ends that token.

import { dropCopy, leftCopies } from "../device/store/second_copy.js";
import { api, ApiProblem, patience } from "../shared/http.js";

/** @typedef {import("../device/store/second_copy.js").Line} Line */

const REQUEST_MS = 8_000;
const BATCH = 50;

/**
 * Send the drafts of all copies, and delete each copy of which the server has everything.
 * @param {import("../device/store/kinds").Identity} identity the device's current identity
 * @returns {Promise<{sent: number, kept: number}>} how many drafts were new to the server, and how
 *   many are still only here
 */
export async function rescue(identity) {
  /** @type {Map<string, Line[]>} */
  const bySender = new Map();
  const copies = await leftCopies(identity);
  for (const [, lines] of copies) {
    for (const line of lines) {
      const sender = `${line.log_id} ${line.token}`;
      bySender.set(sender, [...(bySender.get(sender) ?? []), line]);
    }
  }
  const taken = new Set();
  let sent = 0;
  for (const lines of bySender.values()) {
    lines.sort((one, other) => one.device_seq - other.device_seq);
    for (const [line, isNew] of await takenOf(lines)) {
      taken.add(line);
      if (isNew) sent += 1;
    }
  }
  let kept = 0;
  for (const [name, lines] of copies) {
    const left = lines.filter((line) => !taken.has(line)).length;
    if (left === 0) await dropCopy(name);
    kept += left;
  }
  return { sent, kept };
}

/**
 * Send the drafts of one device and epoch in order.
 * @param {Line[]} lines
 * @returns {Promise<[Line, boolean][]>} the acknowledged drafts, each with whether it was new
 */
async function takenOf(lines) {
  /** @type {[Line, boolean][]} */
  const taken = [];
  try {
    for (let at = 0; at < lines.length; at += BATCH) {
      const batch = lines.slice(at, at + BATCH);
      const [{ log_id, token }] = batch;
      const { json } = await api("POST", `/logs/${log_id}/ingest`, {
        body: { items: batch.map(({ item }) => item), checkpoint_size: 0 },
        token,
        signal: patience(REQUEST_MS),
      });
      const results = json?.results;
      if (!Array.isArray(results) || results.length !== batch.length) break;
      for (const [place, line] of batch.entries()) {
        const { outcome } = results[place];
        if (outcome !== "gap") taken.push([line, outcome !== "duplicate"]);
      }
    }
  } catch (error) {
    // No answer or a refusal: drafts without a receipt stay in the copy.
    if (!(error instanceof ApiProblem)) throw error;
  }
  return taken;
}
