// Writing as the director: entries, rulings, leases; each gesture has its ids once, so a retry is one.

import { ApiProblem, api } from "../shared/http.js";
import { uuid } from "../device/chain/ids.js";

/** @typedef {import("../shared/types").Act} Act */

/**
 * Append to a match wherever it stands: a director's act rests on no position.
 *
 * @param {string} log
 * @param {string} match
 * @param {readonly Act[]} acts
 */
export async function append(log, match, acts) {
  const entries = acts.map((act) => ({ entry_id: uuid(), basis: "ruled", ...act }));
  return retried(() =>
    api("POST", `/logs/${log}/matches/${match}/events`, {
      body: { entries },
      headers: { "If-Match": "*" },
    }),
  );
}

/**
 * One entry through a door of its own: `disputes`, `rulings`, `appeals` or `votes`.
 *
 * @param {string} log
 * @param {string} match
 * @param {string} door
 * @param {{ tag?: string, basis?: string, body: Record<string, any> }} entry
 */
export async function through(log, match, door, entry) {
  const body = { entry_id: uuid(), ...entry };
  return retried(() =>
    api("POST", `/logs/${log}/matches/${match}/${door}`, { body, headers: { "If-Match": "*" } }),
  );
}

/**
 * Append to the tournament's own stream.
 *
 * @param {string} log
 * @param {readonly Act[]} acts
 */
export async function appendToLog(log, acts) {
  const entries = acts.map((act) => ({ entry_id: uuid(), ...act }));
  return retried(() =>
    api("POST", `/logs/${log}/events`, { body: { entries }, headers: { "If-Match": "*" } }),
  );
}

/**
 * The same request again where no answer came: the ids make it harmless.
 *
 * @template T
 * @param {() => Promise<T>} request
 * @returns {Promise<T>}
 */
async function retried(request) {
  try {
    return await request();
  } catch (error) {
    const isLost = error instanceof ApiProblem && (error.status === 0 || error.status >= 502);
    if (!isLost) throw error;
    return request();
  }
}
