// Sends what is still unsent of logs for which this device no longer records.
//
// Sent drafts are kept until the server says that they are safe, in case it is restored from an
// older backup; until then it is still polled.

import { ownIdentity } from "./pairing.js";
import { Sync } from "./sync/sync.js";
import { Tabs } from "./sync/tabs.js";

/** @typedef {import("./store/store.js").Store} Store */
/** @typedef {Partial<import("./store/kinds").Timing>} Timing */

/** How often the server is asked about a log of which everything was sent.
 * @type {Timing} */
const SELDOM = { poll_ms: 60_000, idle_ms: 60_000, backoff_ms: 60_000, backoff_max_ms: 60_000 };

/**
 * Send what this device still holds of every log, except the one that an open recorder sends.
 * Resolves when all of it is sent and safe, or when `signal` aborts.
 * @param {Store} store
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {string | null} [options.except] the log of the board that is open
 * @param {Timing} [options.seldom]
 */
export async function sendLeft(store, { signal, except = null, seldom = SELDOM }) {
  const enrolments = await store.enrolments();
  const logs = new Set(enrolments.map(({ log_id }) => log_id));
  logs.delete(except ?? "");
  await Promise.all([...logs].map((log_id) => sendLog(store, log_id, signal, seldom)));
}

/**
 * @param {Store} store
 * @param {string} log_id
 * @param {AbortSignal} signal
 * @param {Timing} seldom
 */
async function sendLog(store, log_id, signal, seldom) {
  if (signal.aborted || (await isSafe(store, log_id))) return;
  const tabs = new Tabs(store, log_id);
  const timing = (await isSent(store, log_id)) ? seldom : {};
  const sync = new Sync({ store, identity: await ownIdentity(store), log_id, timing });
  const stop = () => {
    sync.close();
    tabs.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) return stop();
  sync.onstate = () => {
    isSafe(store, log_id).then((isDone) => isDone && stop(), stop);
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

/**
 * @param {Store} store
 * @param {string} log_id
 */
async function isSafe(store, log_id) {
  return (await isSent(store, log_id)) && (await store.countHeld(log_id)) === 0;
}
