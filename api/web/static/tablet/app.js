// The tablet's page: pairs the device, waits for a board, records the match, waits for the next.

import { sendLeft } from "../device/leftovers.js";
import { BoardTaken, openOutbox } from "../device/outbox.js";
import { currentEnrolment, hasLostStorage, ownIdentity } from "../device/pairing.js";
import { StorageFailed } from "../device/store/idb.js";
import { leftCopies } from "../device/store/second_copy.js";
import { openStore } from "../device/store/store.js";
import { byId, fill, h } from "../shared/dom.js";
import { apply, remember } from "../shared/settings.js";
import { loadTexts, t } from "../shared/texts.js";
import { bringsCode, notice, opening, pair, waitForBoard, waitForDirector } from "./start/enrol.js";
import { Recorder } from "./acts/recorder.js";
import { Screen } from "./screen/screen.js";
import { echoTaps } from "./screen/senses.js";
import { registerWorker, takeOver } from "./worker_link.js";

/** @typedef {import("../device/store/store.js").Store} Store */
/** @import { Enrolment } from "../device/store/kinds" */
/** @typedef {{ log_id: string, match_id: string }} Board */

const BOARD = "tabularium.board";
/** Key of the match recorded last, so that a page reloaded between matches goes on waiting. */
const LAST = "tabularium.last";

const place = byId("main");
const left = new AbortController();
addEventListener("pagehide", () => left.abort());
// A page restored from the back/forward cache missed all messages; another tab may have its board.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

apply();
await loadTexts("tablet", "entry", "board", "echo", "notices", "question");
echoTaps();
void registerWorker();
if (new URL(location.href).searchParams.has("training")) await practise();
else await start().catch(noStorage);

/** Start training: the recorder over a match in memory; its module is loaded on demand. */
async function practise() {
  try {
    const { train } = await import("../training/training.js");
    await train(place);
  } catch (error) {
    console.error(error);
    const back = h("a", { href: "/tablet" }, t("tablet.again"));
    fill(place, h("section", { class: "card enrol" }, h("p", { role: "alert" }, t("echo.training_missing")), back));
  }
}

/** Go on from where this tablet stopped: pairing, waiting or recording. */
async function start() {
  const store = await openStore();
  const isNew = bringsCode();
  const enrolment = await enrolled(store);
  const last = isNew ? null : localStorage.getItem(LAST);
  let board = (isNew ? null : keptBoard(enrolment)) ?? (await nextBoard(store, enrolment, last));
  for (;;) {
    const over = await recordMatch(store, board);
    if (!over) return;
    localStorage.removeItem(BOARD);
    remember(LAST, board.match_id);
    board = await nextBoard(store, await enrolled(store), board.match_id);
  }
}

/**
 * Say that nothing can be stored here. A full storage can still be opened, and fails later.
 * @param {unknown} error
 */
function noStorage(error) {
  if (!(error instanceof StorageFailed)) throw error;
  notice(place, "no_storage", () => location.reload());
}

/**
 * The approved pairing; asks for codes until there is one.
 * @param {Store} store
 * @returns {Promise<Enrolment>}
 */
async function enrolled(store) {
  let enrolment = bringsCode() ? null : await currentEnrolment(store);
  let told = await lossTold(store);
  const isLost = told !== null;
  for (;;) {
    enrolment ??= await pair(place, store, told, isLost ? () => lossTold(store) : undefined);
    if (enrolment.state === "waiting") {
      enrolment = await waitForDirector(place, store, enrolment, left.signal);
    }
    if (enrolment.state === "approved") return enrolment;
    told = t(enrolment.state === "refused" ? "tablet.pair_refused" : "tablet.pair_expired");
    enrolment = null;
  }
}

/**
 * The message if the browser lost its storage; drafts in second copies are sent first.
 * @param {Store} store
 * @returns {Promise<string | null>} null if nothing was lost
 */
async function lossTold(store) {
  if ((await store.enrolments()).length > 0) return null;
  const identity = await ownIdentity(store);
  try {
    // The mark in localStorage may be lost as well; then a second copy still shows the loss.
    if ((await leftCopies(identity)).length === 0) {
      return (await hasLostStorage(store)) ? t("tablet.storage_was_lost") : null;
    }
    const { rescue } = await import("../rescue/rescue.js");
    const { sent, kept } = await rescue(identity);
    if (kept === 0 && sent === 0) return t("tablet.storage_was_lost");
    if (kept === 0) return t("tablet.storage_was_lost_sent", { count: sent });
  } catch {
    // The module or the server is out of reach: the drafts stay in the copy.
  }
  return t("tablet.storage_was_lost_kept");
}

/**
 * Wait for the next board from the director.
 * @param {Store} store
 * @param {Enrolment} enrolment
 * @param {string | null} last the match that was recorded before
 * @returns {Promise<Board>}
 */
async function nextBoard(store, enrolment, last) {
  const { log_id, match_id: given } = enrolment;
  const { token } = await ownIdentity(store);
  const waited = new AbortController();
  void sendLeft(store, { signal: waited.signal });
  void takeOver(waited.signal);
  const found = await waitForBoard(place, { log_id, token, last, given });
  if (found === null) {
    const paired = await pair(place, store);
    const answered = await waitForDirector(place, store, paired, left.signal);
    waited.abort();
    return nextBoard(store, answered.state === "approved" ? answered : await enrolled(store), last);
  }
  waited.abort();
  const board = { log_id, match_id: found };
  localStorage.removeItem(LAST);
  remember(BOARD, JSON.stringify({ ...board, pairing_id: enrolment.pairing_id }));
  return board;
}

/**
 * The stored board, if it is from this pairing; after another code was typed it no longer counts.
 * @param {Enrolment} enrolment
 * @returns {Board | null}
 */
function keptBoard({ log_id, pairing_id }) {
  try {
    const kept = JSON.parse(localStorage.getItem(BOARD) ?? "null");
    // An earlier version stored no pairing.
    return kept?.log_id === log_id && (kept.pairing_id ?? pairing_id) === pairing_id ? kept : null;
  } catch {
    return null;
  }
}

/**
 * Record one match. Resolves to true when the next one is wanted, false if another tab records it.
 * @param {Store} store
 * @param {Board} board
 * @returns {Promise<boolean>}
 */
async function recordMatch(store, board) {
  const shown = new AbortController();
  opening(place, shown.signal);
  const recorded = new AbortController();
  let outbox;
  try {
    outbox = await openOutbox({ ...board, store });
  } catch (error) {
    shown.abort();
    if (!(error instanceof BoardTaken)) throw error;
    notice(place, "board_taken", () => location.reload());
    return false;
  }
  void sendLeft(store, { signal: recorded.signal, except: board.log_id });
  await hasOpening(outbox);
  shown.abort();
  const profile = `tabularium.profile.${board.match_id}`;
  const recorder = new Recorder(outbox, localStorage.getItem(profile) === "monitor" ? "monitor" : "no-assist");
  return new Promise((resolve) => {
    const screen = new Screen(recorder, () => {
      screen.close();
      outbox.close();
      recorded.abort();
      resolve(true);
    });
    recorder.addEventListener("change", () => remember(profile, recorder.profile));
    fill(place, screen.element);
    // Loaded now, so that the sheets are available without a network later.
    void import("./sheets/menu.js").catch(() => {});
  });
}

/**
 * Wait until the whole match is here: an act built on half of it would be parked for the director.
 * @param {import("../device/outbox.js").DeviceOutbox} outbox
 */
async function hasOpening(outbox) {
  while (!isWhole(outbox)) {
    await new Promise((resolve) => outbox.addEventListener("change", resolve, { once: true }));
  }
}

/** @param {import("../device/outbox.js").DeviceOutbox} outbox */
function isWhole({ assignment, entries, match_id, status }) {
  if (entries.length === 0) return false;
  // Without an answer from the server, go on with what is stored.
  if (assignment === null) return status.lease !== null;
  return status.role === "none" || entries.length >= (assignment.streams?.[match_id]?.version ?? 0);
}
