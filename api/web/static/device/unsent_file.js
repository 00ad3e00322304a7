// Exports unsent drafts as a file that a person can carry to the server without a network.
//
// It is JSON, `{format: "tabularium-unsent", log_id, device, epoch, submissions}`. Each submission
// is a body of `POST /logs/{log_id}/ingest`; posted in order with the device's token, they have the
// same effect as sending from the tablet. Posting them twice does no harm.

import { leftCopies } from "./store/second_copy.js";
import { BATCH, itemOf } from "./sync/submission.js";

/**
 * Everything unsent of a log, of all boards, with what earlier epochs left in their second copies.
 * @param {import("./store/store.js").Store} store
 * @param {import("./store/kinds").Identity} identity
 * @param {string} log_id
 * @returns {Promise<Blob>}
 */
export async function unsentFile(store, identity, log_id) {
  const parked = (await store.parked(log_id)).filter((row) => !row.is_sent);
  const rows = [...parked, ...(await store.drafts(log_id))];
  const { device, epoch } = identity;
  const { checkpoint } = await store.chain(log_id, epoch);
  const checkpoint_size = checkpoint?.size ?? 0;
  const submissions = [];
  for (let at = 0; at < rows.length; at += BATCH) {
    submissions.push({ items: rows.slice(at, at + BATCH).map(itemOf), checkpoint_size });
  }
  const known = new Set(submissions.flatMap(({ items }) => items.map(({ draft }) => draft)));
  for (const [, lines] of await leftCopies(identity)) {
    const left = lines.filter((line) => line.log_id === log_id && !known.has(line.item.draft));
    const items = left.map(({ item }) => item);
    if (items.length > 0) submissions.push({ items, checkpoint_size });
  }
  const file = { format: "tabularium-unsent", log_id, device, epoch, submissions };
  return new Blob([JSON.stringify(file, null, 1)], { type: "application/json" });
}
