// Fetches entries of a match from the server, and the director's decisions on parked entries.

import { openCommitments } from "../chain/personal.js";

/** Most entries of one page, and of one over a network so slow that no more of them come in time. */
const PAGE = 1_000;
const LEAST = 25;

/** Most entries of the next page. */
let most = PAGE;

/** @typedef {import("../../shared/types").Entry} Entry */
/** @typedef {Pick<import("./sync.js").Sync, "ask">} Asking */
/** @typedef {{log_id: string, match_id: string}} Match */

/**
 * The entries of a match after a version, page by page, each with the hash of its last entry.
 * @param {Asking} server
 * @param {Match} match
 * @param {number} after
 * @returns {AsyncGenerator<{entries: Entry[], head: string}>}
 */
export async function* fetched(server, { log_id, match_id }, after) {
  for (let more = true; more; ) {
    const path = `/logs/${log_id}/matches/${match_id}/events?after=${after}&limit=${most}`;
    // A quarter as many if no answer comes in time, and again twice as many with each that does.
    const asked = most;
    most = Math.max(LEAST, asked >> 2);
    const page = await server.ask("GET", path);
    most = Math.min(PAGE, asked * 2);
    if (page.entries.length === 0) return;
    const entries = page.entries.map(entryOf);
    after = entries.at(-1).version;
    more = page.next_after !== null;
    yield { entries, head: page.entries.at(-1).leaf_hash };
  }
}

/**
 * The ids of parked entries of a match about which a director has decided.
 * @param {Asking} server
 * @param {Match} match
 * @returns {Promise<Set<string>>}
 */
export async function resolved(server, { log_id, match_id }) {
  const { branches } = await server.ask("GET", `/logs/${log_id}/branches?match=${match_id}`);
  /** @type {Set<string>} */
  const settled = new Set();
  for (const { state, items } of branches) {
    if (state === "resolved") for (const { entry_id } of items) settled.add(entry_id);
  }
  return settled;
}

/**
 * @param {any} told an entry as the server gives it
 * @returns {Entry}
 */
function entryOf(told) {
  const { entry_id, version, tag, schema, basis, context, disclosures } = told;
  return {
    entry_id, version, tag, schema, basis,
    body: openCommitments(told.body, disclosures ?? {}),
    state: "sent",
    // An entry that no device recorded has the server's time of receipt only.
    occurred_at: context?.occurred_at ?? context?.received_at ?? null,
    isFromRoom: Boolean(context) && !context.device,
  };
}
