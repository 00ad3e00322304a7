// Writes the director's entries; ids are made once for each gesture, so that retries are harmless.

import { ApiProblem, api } from "../shared/http.js";
import { uuid } from "../device/chain/ids.js";

/** @typedef {import("../shared/types").Act} Act */

/**
 * The ids of unanswered requests of the open form, by their content. They may have been recorded,
 * so pressing the form's key again sends the same ids. Null if no form is open.
 * @type {Map<string, string[]> | null}
 */
let unanswered = null;

/** A form was opened or closed: forget earlier ids. @param {boolean} isOpen */
export function formed(isOpen) {
  unanswered = isOpen ? new Map() : null;
}

/**
 * Append entries to a match at any version, since a director's acts do not depend on it.
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
 * Record one entry by its own route: `disputes`, `rulings`, `appeals` or `votes`.
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
 * Convene a committee; repeated after a lost answer, it is the same act.
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
 * Append entries to the tournament's own stream.
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
 * Send a request, and once more if no answer came; its ids make that harmless.
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
