// Writing as the director: entries, rulings, leases; each gesture has its ids once, so a retry is one.

import { ApiProblem, api } from "../shared/http.js";
import { uuid } from "../device/chain/ids.js";

/** @typedef {import("../shared/types").Act} Act */

/**
 * While a form is open: ids of what it sent and no answer came to, by what that says. It may have been
 * recorded, so the form's key, pressed again, sends the same entries. Null where no form is open.
 * @type {Map<string, string[]> | null}
 */
let unanswered = null;

/** A form is opened, or shut: what is sent from then on is meant anew. @param {boolean} isOpen */
export function formed(isOpen) {
  unanswered = isOpen ? new Map() : null;
}

/**
 * Append to a match wherever it stands: a director's act rests on no position.
 *
 * @param {string} log
 * @param {string} match
 * @param {readonly Act[]} acts
 */
export async function append(log, match, acts) {
  const path = `/logs/${log}/matches/${match}/events`;
  return retried(path, acts, (ids) => {
    const entries = acts.map((act, n) => ({ entry_id: ids[n], basis: "ruled", ...act }));
    return api("POST", path, { body: { entries }, headers: { "If-Match": "*" } });
  });
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
  const path = `/logs/${log}/matches/${match}/${door}`;
  return retried(path, [entry], ([entry_id]) =>
    api("POST", path, { body: { entry_id, ...entry }, headers: { "If-Match": "*" } }),
  );
}

/**
 * Call a committee together: pressed again where no answer came, it is the same call.
 *
 * @param {string} path of the case in the API
 * @param {readonly object[]} members
 */
export async function convene(path, members) {
  return retried(`${path}/committee`, [members], ([entry_id]) =>
    api("POST", `${path}/committee`, { body: { members, entry_id } }),
  );
}

/**
 * Append to the tournament's own stream.
 *
 * @param {string} log
 * @param {readonly Act[]} acts
 */
export async function appendToLog(log, acts) {
  const path = `/logs/${log}/events`;
  return retried(path, acts, (ids) => {
    const entries = acts.map((act, n) => ({ entry_id: ids[n], ...act }));
    return api("POST", path, { body: { entries }, headers: { "If-Match": "*" } });
  });
}

/**
 * The same request again where no answer came: the ids make it harmless.
 *
 * @template T
 * @param {string} path
 * @param {readonly unknown[]} acts
 * @param {(ids: string[]) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function retried(path, acts, request) {
  const [form, said] = [unanswered, JSON.stringify([path, acts])];
  const ids = form?.get(said) ?? acts.map(() => uuid());
  const asked = async () => {
    const answer = await request(ids);
    form?.delete(said);
    return answer;
  };
  form?.set(said, ids);
  try {
    return await asked();
  } catch (error) {
    const isLost = error instanceof ApiProblem && (error.status === 0 || error.status >= 502);
    if (!isLost) throw error;
    return asked();
  }
}
