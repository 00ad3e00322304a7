// What a tablet still held when its browser lost its storage: sent from the second copy.
//
// What the server has already is only told so; where it was restored from an older backup, it has less.
// The drafts were signed when they were recorded, and go out under the secret of their own epoch, as
// they would have gone. So this comes before the device is paired anew, which ends that secret.

import { dropCopy, leftCopies } from "../device/store/second_copy.js";
import { api, ApiProblem, patience } from "../shared/http.js";

/** @typedef {import("../device/store/second_copy.js").Line} Line */

const REQUEST_MS = 8_000;
const BATCH = 50;

/**
 * Send what was left, and let go of each copy of which the server has everything.
 * @param {import("../device/store/kinds").Identity} identity who this device is now
 * @returns {Promise<{sent: number, kept: number}>} entries that the server has by this, and that lie here
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
 * Send one device's drafts in their order.
 * @param {Line[]} lines
 * @returns {Promise<[Line, boolean][]>} those of which the server has given a receipt; whether it had none
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
    // Not heard, or refused: what has no receipt stays where it is.
    if (!(error instanceof ApiProblem)) throw error;
  }
  return taken;
}
