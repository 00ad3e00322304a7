// Pairing: makes the device's identity, claims a code, and waits for the director's approval.

import { api, ApiProblem, patience } from "../shared/http.js";
import { hex } from "./chain/bytes.js";
import { randomBytes, uuid } from "./chain/ids.js";
import { makeKey } from "./chain/keys.js";
import { sha256Hex } from "./chain/sha256.js";

/** @typedef {import("./store/store.js").Store} Store */
/** @import { Identity, Enrolment } from "./store/kinds" */

const REQUEST_MS = 8_000;
const FIRST_MS = 125;
const POLL_MS = 1_000;
/** Key in localStorage of the device's id and epoch, which survive there if IndexedDB is lost. */
const MARK = "tabularium.device";

/**
 * The device's identity; made and stored durably on first use.
 *
 * If localStorage still knows an identity that IndexedDB has lost, the device goes on under the
 * next epoch, so that no sequence number is used twice.
 * @param {Store} store
 * @returns {Promise<Identity>}
 */
export async function ownIdentity(store) {
  const kept = await store.identity();
  if (kept) return kept;
  const mark = readMark();
  return newIdentity(store, mark?.device ?? `tablet-${uuid()}`, (mark?.epoch ?? 0) + 1);
}

/**
 * Start the next epoch, with a new secret and key, after storage was lost or fell behind; the
 * device must be paired again. Unsent drafts of the old epoch are parked, and are in the export.
 * @param {Store} store
 * @returns {Promise<Identity>}
 */
export async function nextEpoch(store) {
  const { device, epoch } = await ownIdentity(store);
  return newIdentity(store, device, epoch + 1);
}

/**
 * Claim the code on the director's screen. A repeated claim gets the same answer.
 * @param {Store} store
 * @param {string} code as typed: case, spaces and a missing hyphen do not matter
 * @param {string} [label] what the director sees beside the fingerprint
 * @returns {Promise<Enrolment>} waits for the director's approval
 * @throws {import("../shared/http.js").ApiProblem}
 */
export async function claim(store, code, label) {
  const { device, epoch, token_sha256, key } = await ownIdentity(store);
  const { json } = await api("POST", "/pairings/claims", {
    body: {
      code: spelledCode(code),
      device,
      epoch,
      token_sha256,
      public_key: key?.public_key ?? null,
      ...(label && { label }),
    },
    signal: patience(REQUEST_MS),
  });
  /** @type {Enrolment} */
  const enrolment = {
    log_id: json.log_id,
    pairing_id: json.pairing_id,
    match_id: json.match_id ?? null,
    fingerprint: json.fingerprint,
    state: "waiting",
    epoch,
    order: ((await store.enrolments())[0]?.order ?? 0) + 1,
  };
  await store.keepEnrolment(enrolment);
  return enrolment;
}

/**
 * Ask the server once for the state of a claim, and store the answer.
 * @param {Store} store
 * @param {Enrolment} enrolment
 * @returns {Promise<Enrolment>}
 * @throws {import("../shared/http.js").ApiProblem}
 */
async function askPairing(store, enrolment) {
  const { token } = await ownIdentity(store);
  const signal = patience(REQUEST_MS);
  const { json } = await api("GET", `/pairings/${enrolment.pairing_id}`, { token, signal });
  const { state, match_id = null } = json;
  const asked = { ...enrolment, state, match_id: match_id ?? enrolment.match_id };
  await store.keepEnrolment(asked);
  return asked;
}

/**
 * Ask until the director has decided, also if the server is unreachable for a while.
 * @param {Store} store
 * @param {Enrolment} enrolment
 * @param {AbortSignal} [signal]
 * @returns {Promise<Enrolment>} approved, refused or expired; the last known one if aborted
 */
export async function awaitApproval(store, enrolment, signal) {
  let asked = enrolment;
  let pause_ms = FIRST_MS;
  while (asked.state === "waiting" && !signal?.aborted) {
    try {
      asked = await askPairing(store, asked);
    } catch (error) {
      const status = error instanceof ApiProblem ? error.status : 0;
      // A restarted server has forgotten claims that were not approved yet.
      if (status === 404) {
        asked = { ...asked, state: "expired" };
        await store.keepEnrolment(asked);
      } else if (error instanceof Error && error.name === "StorageFailed") throw error;
    }
    if (asked.state === "waiting") await new Promise((resolve) => setTimeout(resolve, pause_ms));
    pause_ms = Math.min(2 * pause_ms, POLL_MS);
  }
  return asked;
}

/**
 * The pairing to resume after a reload: the latest of this epoch, neither refused nor expired.
 * @param {Store} store
 * @returns {Promise<Enrolment | null>}
 */
export async function currentEnrolment(store) {
  const { epoch } = await ownIdentity(store);
  const found = await store.enrolments();
  const alive = found.filter((one) => one.epoch === epoch && one.state !== "expired");
  return alive.find((one) => one.state !== "refused") ?? null;
}

/**
 * Whether the device lost its storage and has not been paired since: its epoch is beyond the
 * first, and no pairing is stored.
 * @param {Store} store
 * @returns {Promise<boolean>}
 */
export async function hasLostStorage(store) {
  const { epoch } = await ownIdentity(store);
  return epoch > 1 && (await store.enrolments()).length === 0;
}

/**
 * A typed code in the spelling of the director's screen.
 * @param {string} typed
 * @returns {string}
 */
function spelledCode(typed) {
  const signs = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return signs.length === 8 ? `${signs.slice(0, 4)}-${signs.slice(4)}` : signs;
}

/**
 * @param {Store} store
 * @param {string} device
 * @param {number} epoch
 * @returns {Promise<Identity>}
 */
async function newIdentity(store, device, epoch) {
  const token = hex(randomBytes(32));
  const identity = await store.keepIdentity({
    name: "device",
    device,
    epoch,
    token,
    token_sha256: await sha256Hex(new TextEncoder().encode(token)),
    key: await makeKey(),
  });
  writeMark(identity.device, identity.epoch);
  return identity;
}

/** @returns {{device: string, epoch: number} | null} */
function readMark() {
  try {
    const mark = JSON.parse(localStorage.getItem(MARK) ?? "null");
    return typeof mark?.device === "string" && Number.isInteger(mark.epoch) ? mark : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} device
 * @param {number} epoch
 */
function writeMark(device, epoch) {
  try {
    localStorage.setItem(MARK, JSON.stringify({ device, epoch }));
  } catch {
    // Without this copy, a device that loses its storage becomes a new device.
  }
}
