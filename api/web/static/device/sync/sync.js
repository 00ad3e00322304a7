// Sends drafts in order, byte for byte, until the server has given a receipt for each.
//
// After a timeout, a refused connection, a 5xx or another server's answer nothing is known, so the
// same bytes are sent again. No decision here depends on the wall clock.

/** @import { Assignment, DraftRow, Heads, Timing } from "../store/kinds" */

import { api, ApiProblem, patience, request } from "../../shared/http.js";
import { BATCH, doubted, fitting, isReceipt, isSize, itemOf, settled } from "./submission.js";

/** @type {Timing} */
export const PATIENCE = {
  request_ms: 8_000,
  file_ms: 60_000,
  poll_ms: 5_000,
  waiting_ms: 1_000,
  idle_ms: 3_000,
  backoff_ms: 500,
  backoff_max_ms: 15_000,
};

/** Alarms that stay: no further attempt can help, a person has to act. */
const LASTING = new Set([
  "device-fork", "history-rewritten", "receipt-lost", "storage-lost", "old-epoch",
]);

/** Bytes of a file per millisecond over the slowest network that still carries one. */
const SLOWEST = 10;

/** Alarms that are shown until a reload, and do not stop sending. */
const RESTORED = "archive-restored";

/** The exchange of one device with one log of the server. */
export class Sync {
  #store;
  #identity;
  #log;
  #timing;
  #closed = false;
  #isDue = true;
  #failures = 0;
  #lastPoll = -Infinity;
  /** Most drafts in the next submission: fewer for a slow server, so that it can answer. */
  #most = BATCH;
  /** @type {Promise<boolean>} */
  #judged = Promise.resolve(true);
  #wake = () => {};
  /** @type {(() => void)[]} */
  #waiting = [];
  /** Hash to reason, until a reload. @type {Map<string, string>} */
  #refusedFiles = new Map();
  /** Whether files are being sent, failures in a row, and when the next attempt is due. */
  #files = { isBusy: false, failures: 0, due: -Infinity };
  /** Whether entries are parked for the director; then the server is asked more often. */
  isWaiting = false;
  /** Files that the server has not. */
  files = 0;
  /** @type {"online" | "trying" | "offline"} */
  link = "trying";
  /** performance.now() at the server's last answer: a changed wall clock does not matter. */
  /** @type {number | null} */
  answered_at = null;
  /** @type {import("../../shared/types").ServerClock | null} */
  server_clock = null;
  /** @type {string | null} */
  alarm = null;
  /** @type {string | null} Reason code behind the alarm. */
  alarm_reason = null;
  /** @type {Assignment | null} */
  assignment = null;
  /** Called during each attempt, and after link or alarm has changed. */
  onstate = () => {};
  /**
   * Called after receipts were stored.
   * @type {(heads: Heads) => Promise<void>}
   */
  onsettled = async () => {};
  /**
   * Called with the answer to each poll for the assignment.
   * @type {(assignment: Assignment) => Promise<void>}
   */
  onassigned = async () => {};

  /**
   * @param {object} link
   * @param {import("../store/store.js").Store} link.store
   * @param {import("../store/kinds").Identity} link.identity
   * @param {string} link.log_id
   * @param {Partial<Timing>} [link.timing]
   */
  constructor({ store, identity, log_id, timing = {} }) {
    this.#store = store;
    this.#identity = identity;
    this.#log = log_id;
    this.#timing = { ...PATIENCE, ...timing };
  }

  /** Send until closed. */
  async run() {
    const kept = await this.#store.unsentFiles(this.#log).catch(() => []);
    this.files = kept.length;
    while (!this.#closed) {
      await this.#pause(this.#delay());
      if (this.#closed) break;
      this.#isDue = false;
      const waiting = this.#waiting.splice(0);
      await this.#attempt();
      for (const done of waiting) done();
    }
    for (const done of this.#waiting.splice(0)) done();
  }

  /**
   * Send soon. After a failure, only a sign of a changed network cuts the pause short; otherwise a
   * fast scribe would hammer a server in trouble.
   * @param {boolean} [isSign] whether the network may have changed, or an attempt was asked for
   */
  nudge(isSign = false) {
    if (this.#failures > 0 && !isSign) return;
    this.#isDue = true;
    this.#wake();
  }

  /** Make one attempt now; resolves when it is over, whether or not it succeeded. */
  flush() {
    if (this.#closed) return Promise.resolve();
    /** @type {Promise<void>} */
    const over = new Promise((resolve) => this.#waiting.push(resolve));
    this.nudge(true);
    return over;
  }

  /**
   * Resolves when no submission is under way, to whether the last one was answered. Only such an
   * answer proves that the server is the known one, so other news of it waits for that.
   */
  judged() {
    return this.#judged;
  }

  /** Whether the server failed to prove that its log still contains what this device saw in it. */
  get isDoubted() {
    return this.alarm === "history-rewritten";
  }

  /** Stop; a request under way may still end. */
  close() {
    this.#closed = true;
    this.#wake();
  }

  /**
   * Send a request with the device's token, and return the JSON of the answer.
   * @param {string} method
   * @param {string} path
   * @param {any} [body]
   * @returns {Promise<any>}
   */
  async ask(method, path, body) {
    const signal = patience(this.#timing.request_ms);
    const { json } = await api(method, path, { body, token: this.#identity.token, signal });
    if (json === null || typeof json !== "object") throw new TypeError("this is not our server");
    this.answered_at = performance.now();
    return json;
  }

  #delay() {
    if (this.#isDue) return 0;
    if (this.#failures > 0) return this.#backoff(this.#failures);
    return Math.max(0, Math.min(this.#timing.idle_ms, this.#untilPoll()));
  }

  /** @param {number} failures in a row */
  #backoff(failures) {
    const { backoff_ms, backoff_max_ms } = this.#timing;
    const full = Math.min(backoff_max_ms, backoff_ms * 2 ** (failures - 1));
    return full * (0.5 + Math.random() / 2);
  }

  #untilPoll() {
    const { poll_ms, waiting_ms } = this.#timing;
    const pause = this.isWaiting ? Math.min(poll_ms, waiting_ms) : poll_ms;
    return this.#lastPoll + pause - performance.now();
  }

  /** @param {number} ms */
  #pause(ms) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        // What became due between two pauses must not wait for this timer.
        if (this.#isDue || this.#closed) this.#wake();
      })
    );
  }

  async #attempt() {
    if (this.#failures > 0) this.#tell("trying");
    try {
      const sending = this.#submitAll();
      this.#judged = sending.then((refused) => refused === null, () => false);
      const refusal = await sending;
      if (this.#untilPoll() <= 0 || refusal || this.#failures > 0) await this.#poll();
      if (refusal) throw refusal;
      if (!this.isDoubted) void this.#sendFilesBeside();
      this.#failures = 0;
      this.#clear();
      const [file] = this.#refusedFiles.values();
      if (file) this.#raise("file-refused", file);
      this.#tell("online");
    } catch (error) {
      this.#failures += 1;
      this.#failed(error);
    }
  }

  /**
   * Send everything. A refusal is returned, because the server must still hear of this device; if
   * nobody answers, that is thrown.
   * @returns {Promise<ApiProblem | null>}
   */
  async #submitAll() {
    if (LASTING.has(this.alarm ?? "")) return null;
    try {
      while (await this.#submit());
      return null;
    } catch (error) {
      if (error instanceof ApiProblem && error.status > 0) return error;
      throw error;
    }
  }

  /**
   * Send one batch and store the receipts; true if more may be waiting.
   * @returns {Promise<boolean>}
   */
  async #submit() {
    const { epoch } = this.#identity;
    const kept = await this.#store.drafts(this.#log, BATCH);
    const rows = fitting(kept.filter((row) => row.epoch === epoch).slice(0, this.#most));
    if (rows.length === 0) return false;
    const chain = await this.#store.chain(this.#log, epoch);
    // Halved if no answer comes in time, doubled with each answer.
    this.#most = Math.max(1, this.#most >> 1);
    const reply = await this.ask("POST", `/logs/${this.#log}/ingest`, {
      items: rows.map(itemOf),
      checkpoint_size: chain.checkpoint?.size ?? 0,
    });
    this.#most = Math.min(BATCH, this.#most * 4);
    if (!isReceipt(reply, rows)) throw new TypeError("this is not our server");
    const doubt = await doubted(chain.checkpoint, reply);
    if (doubt) {
      // If its log continues what was safe, it is an older backup, and this device has what it lacks.
      if (await this.#store.fallBack(this.#log)) {
        this.#raise(RESTORED, doubt);
        return true;
      }
      // Receipts from an archive other than the known one must not delete anything here.
      this.#raise("history-rewritten", doubt);
      return false;
    }
    const settlement = settled(rows, reply, chain.checkpoint);
    await this.#store.settle(this.#log, settlement);
    const done = settlement.accepted.length + settlement.parked.length;
    await this.#judge(rows, reply, done);
    await this.onsettled(settlement.heads);
    // The reason for parking may be over already, or another device has the board.
    if (settlement.parked.length > 0) this.#lastPoll = -Infinity;
    return done > 0 && !LASTING.has(this.alarm ?? "");
  }

  /**
   * Act on the first draft that got no receipt.
   * @param {DraftRow[]} rows
   * @param {any} reply
   * @param {number} done
   */
  async #judge(rows, reply, done) {
    if (done === rows.length) return;
    const { outcome, reason } = reply.results[done];
    if (outcome === "device_fork") {
      this.#raise(reason === "old_epoch" ? "old-epoch" : "device-fork", reason);
    } else if (outcome === "gap") {
      // Drafts are sent from the lowest number on. If the server misses one before that, it has
      // lost a draft for which it gave a receipt.
      const expected = reply.expected_device_seq;
      if (expected < rows[0].device_seq) await this.#lost(expected - 1, reply.streams, "gap");
      else if (done === 0) throw new TypeError("the server sees a gap where there is none");
    }
  }

  async #poll() {
    const { epoch } = this.#identity;
    const before = await this.#store.chain(this.#log, epoch);
    const unsent = await this.#store.countDrafts(this.#log);
    const path = `/logs/${this.#log}/assignment?unsent=${unsent}`;
    const asked = performance.now();
    /** @type {Assignment} */
    const assignment = await this.ask("GET", path);
    if (!Array.isArray(assignment.leases)) throw new TypeError("this is not our server");
    this.#lastPoll = performance.now();
    const slack_ms = (this.#lastPoll - asked) / 2;
    this.server_clock = { time_ms: assignment.server_time_ms, heard_ms: asked + slack_ms, slack_ms };
    const after = await this.#store.chain(this.#log, epoch);
    const last_seq = assignment.cursor?.last_seq ?? 0;
    if (assignment.epoch > epoch) this.#raise("old-epoch", "old_epoch");
    else if (last_seq < before.acked_seq) await this.#lost(last_seq, assignment.streams, "cursor");
    else if (last_seq > after.last_seq) this.#raise("storage-lost", "cursor");
    else if (isSize(assignment.covered)) await this.#store.letGo(this.#log, assignment.covered);
    await this.#store.keepLeases(this.#log, assignment.leases);
    this.assignment = assignment;
    await this.onassigned(assignment);
  }

  /**
   * The server has lost drafts for which it gave receipts: send them again, if all are here.
   * @param {number} last_seq sequence number of the last draft that the server has
   * @param {Heads} heads version and head of its streams
   * @param {string} reason
   */
  async #lost(last_seq, heads, reason) {
    if (!(await this.#store.takeBack(this.#log, last_seq, heads ?? {}))) {
      this.#raise("receipt-lost", reason);
      return;
    }
    this.#raise(RESTORED, reason);
    this.#isDue = true;
    await this.onsettled({});
  }

  /** Beside the entries: a film takes minutes, and a call for the director must not wait for it. */
  async #sendFilesBeside() {
    const files = this.#files;
    if (files.isBusy || performance.now() < files.due) return;
    files.isBusy = true;
    try {
      await this.#sendFiles();
      files.failures = 0;
    } catch (error) {
      files.failures += 1;
      files.due = performance.now() + this.#backoff(files.failures);
      if (error instanceof Error && error.name === "StorageFailed") this.#failed(error);
    }
    files.isBusy = false;
  }

  async #sendFiles() {
    const unsent = await this.#store.unsentFiles(this.#log);
    this.files = unsent.length;
    for (const { bytes, ...file } of unsent) {
      if (this.#closed || this.isDoubted) return;
      if (bytes === null || this.#refusedFiles.has(file.sha256)) continue;
      const options = {
        method: "PUT",
        headers: {
          Authorization: `Bearer ${this.#identity.token}`,
          "Content-Type": file.type || "application/octet-stream",
        },
        body: bytes,
        signal: patience(this.#timing.file_ms + bytes.byteLength / SLOWEST),
      };
      const answer = await request(`/logs/${this.#log}/files/${file.sha256}`, options, { isLong: true });
      const problem = answer.ok ? {} : await answer.json().catch(() => ({}));
      if (answer.status >= 500 || answer.status === 429) {
        throw new ApiProblem(answer.status, problem);
      }
      this.answered_at = performance.now();
      if (answer.status === 200 || answer.status === 201) {
        await this.#store.keepFile({ ...file, bytes: null });
        this.files -= 1;
      } else {
        // The file stays stored; one that the server refuses must not hold up the others.
        this.#refusedFiles.set(file.sha256, problem.title ?? `status ${answer.status}`);
      }
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    const status = error instanceof ApiProblem ? error.status : 0;
    const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
    if (error instanceof ApiProblem && isRefusal) {
      this.#raise(error.slug || `status-${status}`, null);
    }
    if (error instanceof Error && error.name === "StorageFailed") {
      this.#raise("storage-failed", error.message);
    }
    this.#tell(isRefusal ? "online" : "offline");
  }

  /**
   * @param {string} alarm
   * @param {string | null} reason
   */
  #raise(alarm, reason) {
    if (LASTING.has(this.alarm ?? "")) return;
    this.alarm = alarm;
    this.alarm_reason = reason;
    this.onstate();
  }

  #clear() {
    if (LASTING.has(this.alarm ?? "") || this.alarm === RESTORED) return;
    this.alarm = null;
    this.alarm_reason = null;
  }

  /** @param {"online" | "trying" | "offline"} link */
  #tell(link) {
    this.link = link;
    this.onstate();
  }
}
