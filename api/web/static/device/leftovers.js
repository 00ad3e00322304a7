// What earlier matches left unsent goes on to the server, though nobody records them any more.

import { ownIdentity } from "./pairing.js";
import { Sync } from "./sync/sync.js";
import { Tabs } from "./sync/tabs.js";

/** @typedef {import("./store/store.js").Store} Store */

/**
 * Send what this device still holds of every log but the one that a recorder sends for itself.
 * Resolves when all of it is sent, or when it is told to stop.
 * @param {Store} store
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {string | null} [options.except] the log of the board that is open
 */
export async function sendLeft(store, { signal, except = null }) {
  const enrolments = await store.enrolments();
  const logs = new Set(enrolments.map(({ log_id }) => log_id));
  logs.delete(except ?? "");
  await Promise.all([...logs].map((log_id) => sendLog(store, log_id, signal)));
}

/**
 * @param {Store} store
 * @param {string} log_id
 * @param {AbortSignal} signal
 */
async function sendLog(store, log_id, signal) {
  if (signal.aborted || (await isSent(store, log_id))) return;
  const tabs = new Tabs(store, log_id);
  const sync = new Sync({ store, identity: await ownIdentity(store), log_id });
  const stop = () => {
    sync.close();
    tabs.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) return stop();
  sync.onstate = () => {
    isSent(store, log_id).then((isDone) => isDone && stop(), stop);
  };
  window.addEventListener("online", () => sync.nudge(true), { signal });
  if (await tabs.lead()) await sync.run();
}

/**
 * @param {Store} store
 * @param {string} log_id
 */
async function isSent(store, log_id) {
  const files = await store.unsentFiles(log_id);
  return files.length === 0 && (await store.countDrafts(log_id)) === 0;
}
