// The recorder's outbox: stores each act durably before it is shown, then sends it to the server.

import { BoardCopy, tidyBoards } from "./board_copy.js";
import { committed } from "./chain/drafting.js";
import { ChainEnd } from "./chain_end.js";
import { fetched, resolved } from "./sync/following.js";
import { listen } from "./sync/hearing.js";
import { ownIdentity } from "./pairing.js";
import { sha256Hex } from "./chain/sha256.js";
import { StorageFailed } from "./store/idb.js";
import { openStore } from "./store/store.js";
import { Sync } from "./sync/sync.js";
import { Tabs } from "./sync/tabs.js";
import { Stream } from "./stream.js";
import { unsentFile } from "./unsent_file.js";

/** @import { Act, Entry, Outbox, OutboxStatus, RecordOptions } from "../shared/types" */
/** @import { Assignment, Heads, Identity, Timing } from "./store/kinds" */
/** @import { Store } from "./store/store.js" */

/** How long news of an entry waits: by then the receipt has come if the entry is our own. */
const RECEIPT_MS = 250;

/** Refused: another tab of this device records this board. */
export class BoardTaken extends Error {
  constructor() {
    super("another tab of this device records this board");
    this.name = "BoardTaken";
  }
}

/** Refused: the director has not given this device a lease of the board. */
export class NoLease extends Error {
  constructor() {
    super("this device has not been given this board");
    this.name = "NoLease";
  }
}

/**
 * What `openOutbox` takes.
 * @typedef {object} OutboxTerms
 * @property {string} log_id
 * @property {string} match_id
 * @property {Store} [store] default: the device's own
 * @property {boolean} [mirror] only show what another tab records
 * @property {Partial<Timing>} [timing]
 */

/**
 * Open the outbox of a match. Works offline; after a reload it goes on from what is stored.
 * @param {OutboxTerms} terms
 * @returns {Promise<DeviceOutbox>}
 * @throws {StorageFailed | BoardTaken}
 */
export async function openOutbox({ log_id, match_id, store, mirror = false, timing }) {
  const kept = store ?? (await openStore());
  const identity = await ownIdentity(kept);
  const tabs = new Tabs(kept, `${log_id}`);
  if (!mirror && !(await tabs.take(match_id))) {
    tabs.close();
    throw new BoardTaken();
  }
  const sync = new Sync({ store: kept, identity, log_id, timing });
  const outbox = new DeviceOutbox({ store: kept, identity, tabs, sync }, { log_id, match_id, mirror });
  await outbox.open();
  return outbox;
}

/**
 * The device's side of the submission protocol for one match.
 * @implements {Outbox}
 */
export class DeviceOutbox extends EventTarget {
  #store;
  #identity;
  #tabs;
  #sync;
  #mirror;
  /** @type {Promise<any>} Runs records and reloads one at a time. */
  #queue = Promise.resolve();
  /** Null where another tab records. @type {BoardCopy | null} */
  #copy = null;
  #chain;
  #stream;
  /** @type {readonly Entry[] | null} */
  #shown = null;
  #isFollowing = false;
  #isLeading = false;
  #closed = false;
  /** @type {string | null} */
  #failure = null;
  #left = new AbortController();

  /**
   * @param {{ store: Store, identity: Identity, tabs: Tabs, sync: Sync }} parts
   * @param {OutboxTerms} terms
   */
  constructor({ store, identity, tabs, sync }, { log_id, match_id, mirror = false }) {
    super();
    this.#store = store;
    this.#identity = identity;
    this.#tabs = tabs;
    this.#sync = sync;
    this.#mirror = mirror;
    this.log_id = log_id;
    this.match_id = match_id;
    this.device = identity.device;
    this.#chain = new ChainEnd(store, identity, log_id);
    this.#stream = new Stream(log_id, match_id, identity.epoch);
  }

  /** Read what is stored, and start sending. */
  async open() {
    if (!this.#mirror) this.#copy = new BoardCopy(this.#store, this.#identity, this);
    await this.#load();
    await this.#copy?.renew();
    void tidyBoards(this.#store, this.#identity, this);
    this.#store.onlost = () => this.#fail("storage-lost");
    this.#sync.onstate = () => this.#tell();
    this.#sync.onsettled = (heads) => this.#settled(heads);
    this.#sync.onassigned = (assignment) => this.#assigned(assignment, true);
    this.#tabs.onmessage = (message) => this.#told(this.#heard(message));
    const { signal } = this.#left;
    window.addEventListener("online", () => this.#sync.nudge(true), { signal });
    const seen = () => document.visibilityState === "visible" && this.#sync.nudge(true);
    document.addEventListener("visibilitychange", seen, { signal });
    navigator.storage?.persist?.().catch(() => false);
    if (!this.#mirror) this.#hear();
    this.#told(this.#lead());
  }

  /** Listen for entries of others: a draft on an outdated base would wait for the director. */
  #hear() {
    const { log_id, match_id } = this;
    void listen({
      path: `/logs/${log_id}/matches/${match_id}`,
      token: this.#identity.token,
      after: () => this.#stream.row.version,
      // Own entries are announced here too; their receipts should come first.
      heard: (version) => setTimeout(() => this.#told(this.#news(version)), RECEIPT_MS),
      signal: this.#left.signal,
    });
  }

  /** All entries of the match: the server's, then our own that it does not have yet. */
  get entries() {
    this.#shown ??= Object.freeze(this.#stream.entries());
    return this.#shown;
  }

  /**
   * Own entries that wait for the director's decision, in order.
   * @returns {readonly Entry[]}
   */
  get parked() {
    return this.#stream.parked;
  }

  /** Which boards this device records, as the server last said; null before it answered. */
  get assignment() {
    return this.#sync.assignment;
  }

  /** The terms of the rule set in force that the fold of the entries needs. */
  get terms() {
    return this.#stream.row.terms ?? {};
  }

  /** The server's clock at its last answer; null if this tab got none. */
  get server_clock() {
    return this.#sync.server_clock;
  }

  /** The reason code behind the alarm; null if there is none. */
  get alarm_reason() {
    return this.#sync.alarm_reason;
  }

  /** @returns {OutboxStatus} */
  get status() {
    const { answered_at } = this.#sync;
    const { lease, role, profile } = this.#stream.row;
    return {
      unsent: this.#stream.unsent,
      files: this.#sync.files,
      ack_age_ms: answered_at === null ? null : Math.round(performance.now() - answered_at),
      link: this.#sync.link,
      parked: this.#stream.parked.length,
      secure: window.isSecureContext,
      signing: this.#identity.key === null ? "absent" : "ed25519",
      role,
      lease,
      profile: role === "none" || profile !== "monitor" ? "no_assist" : profile,
      alarm: this.#failure ?? this.#sync.alarm,
    };
  }

  /**
   * Record one act. Resolves when the draft is durable; only then may it be shown as recorded.
   * @param {string} tag
   * @param {Record<string, any>} body with plain personal values: commitments are made here
   * @param {RecordOptions} [options]
   * @returns {Promise<Entry>}
   * @throws {StorageFailed | NoLease}
   */
  async record(tag, body, options = {}) {
    const [entry] = await this.recordAll([{ tag, body, ...options }]);
    return entry;
  }

  /**
   * Record the acts of one gesture in order, all or none.
   * @param {readonly Act[]} acts
   * @returns {Promise<Entry[]>}
   * @throws {StorageFailed | NoLease}
   */
  recordAll(acts) {
    const occurred_at = Date.now();
    const elapsed_ms = Math.round(performance.now());
    return this.#inTurn(() => this.#record(acts, { occurred_at, elapsed_ms }));
  }

  /**
   * Store a file as evidence, and send it when the network allows.
   * @param {Blob} file
   * @returns {Promise<string>} its SHA-256
   * @throws {StorageFailed}
   */
  async attach(file) {
    const bytes = await file.arrayBuffer();
    const sha256 = await sha256Hex(new Uint8Array(bytes));
    const { log_id } = this;
    await this.#keeping(this.#store.keepFile({ log_id, sha256, type: file.type, bytes }));
    this.#sync.files += 1;
    this.#nudge();
    return sha256;
  }

  /** Try to send now instead of waiting for the timer. */
  async flush() {
    if (this.#isLeading) await this.#sync.flush();
    else this.#tabs.post({ kind: "flush" });
  }

  /** Everything unsent of this log, of all boards, as a file that can be posted by hand. */
  exportUnsent() {
    return unsentFile(this.#store, this.#identity, this.log_id);
  }

  /** Stop sending, and let another tab record this board. Unsent drafts stay stored. */
  close() {
    this.#closed = true;
    this.#isLeading = false;
    this.#sync.close();
    this.#tabs.close();
    this.#copy?.close();
    this.#left.abort();
  }

  /**
   * @param {readonly Act[]} acts
   * @param {{occurred_at: number, elapsed_ms: number}} moment
   * @returns {Promise<Entry[]>}
   */
  async #record(acts, moment) {
    if (this.#mirror) throw new BoardTaken();
    if (this.#stream.row.lease === null) throw new NoLease();
    const made = await Promise.all(acts.map(committed));
    const place = { match_id: this.match_id, lease: this.#stream.row.lease, base: this.#stream.base() };
    const rows = await this.#keeping(this.#chain.extended(made, moment, place));
    this.#stream.add(rows);
    this.#copy?.add(rows);
    this.#failure = null;
    this.#changed();
    this.#nudge();
    return rows.map((row) => row.entry);
  }

  /** Read what other tabs or receipts have changed in the store. */
  async #load() {
    const { log_id, match_id } = this;
    const now = await this.#store.snapshot(log_id, match_id, this.#stream.known);
    const isOther = this.#stream.take(now);
    this.#sync.isWaiting = this.#stream.isWaiting;
    if (isOther) this.#changed();
    else this.#announce();
    // Last, so that a failure here stops nothing else; the status shows it.
    if (this.#stream.isAnswered && this.#copy?.count) {
      await this.#copy.thin().catch(() => this.#fail("storage-failed"));
    }
  }

  #reload() {
    return this.#inTurn(() => this.#load());
  }

  /** @param {Heads} heads */
  async #settled(heads) {
    this.#tabs.post({ kind: "settled", heads });
    await this.#reload();
    await this.#follow(heads[this.match_id]?.version);
  }

  /**
   * @param {Assignment} assignment
   * @param {boolean} isOwn
   */
  async #assigned(assignment, isOwn) {
    if (isOwn) this.#tabs.post({ kind: "assigned", assignment });
    this.#sync.assignment = assignment;
    await this.#reload();
    await this.#follow(assignment.streams?.[this.match_id]?.version ?? Infinity);
    if (this.#sync.isWaiting) await this.#askBranches();
  }

  /**
   * Fetch entries of others if the server is known to have version `until`. Nothing is taken from a
   * server that failed to prove its log: drafts built on that would be parked by the real server.
   * @param {number} [until]
   */
  async #follow(until = 0) {
    if (this.#isFollowing || this.#sync.isDoubted || until <= this.#stream.row.version) return;
    this.#isFollowing = true;
    try {
      for await (const { entries, head } of fetched(this.#sync, this, this.#stream.row.version)) {
        if (this.#sync.isDoubted) return;
        await this.#store.keepEntries(this.log_id, this.match_id, entries, head);
        this.#tabs.post({ kind: "settled", heads: {} });
        await this.#reload();
      }
      this.#sync.nudge(true);
    } catch (error) {
      // Network errors are ignored: the next poll for the assignment leads here again.
      if (error instanceof StorageFailed) this.#fail("storage-failed");
    } finally {
      this.#isFollowing = false;
    }
  }

  /** @param {number} version of an entry that the server has announced */
  async #news(version) {
    const isAnswered = await this.#sync.judged();
    // If it was not answered, the next successful attempt fetches what is new.
    if (isAnswered && !this.#closed) await this.#follow(version);
  }

  /** Drop parked entries about which the director has decided. */
  async #askBranches() {
    const settled = await resolved(this.#sync, this);
    if (!this.#stream.isAnyParked(settled)) return;
    await this.#store.unpark(this.log_id, settled);
    await this.#reload();
  }

  async #lead() {
    this.#isLeading = await this.#tabs.lead();
    if (this.#isLeading) await this.#sync.run();
  }

  /**
   * Await background work: a storage failure shows in the status; network failures are ignored,
   * since they are retried anyway.
   * @param {Promise<any>} work
   */
  async #told(work) {
    try {
      await work;
    } catch (error) {
      if (error instanceof StorageFailed && !this.#closed) this.#fail("storage-failed");
    }
  }

  /** @param {any} message from another tab of this device */
  async #heard(message) {
    if (message.kind === "recorded" || message.kind === "flush") {
      if (this.#isLeading) this.#sync.nudge(message.kind === "flush");
      if (message.match_id === this.match_id) await this.#reload();
    } else if (message.kind === "settled") {
      await this.#reload();
      await this.#follow(message.heads[this.match_id]?.version);
    } else if (message.kind === "assigned") {
      await this.#assigned(message.assignment, false);
    } else if (message.kind === "state" && !this.#isLeading) {
      const { link, alarm, alarm_reason, ack_age_ms } = message;
      const answered_at = ack_age_ms === null ? null : performance.now() - ack_age_ms;
      Object.assign(this.#sync, { link, alarm, alarm_reason, answered_at });
      this.#announce();
    }
  }

  #nudge() {
    if (this.#isLeading) this.#sync.nudge();
    this.#tabs.post({ kind: "recorded", match_id: this.match_id });
  }

  #tell() {
    const { link, alarm, ack_age_ms } = this.status;
    const { alarm_reason } = this.#sync;
    this.#tabs.post({ kind: "state", link, alarm, alarm_reason, ack_age_ms });
    this.#announce();
  }

  /**
   * Await work, and show a storage failure in the status too, before it is thrown to the caller.
   * @template T
   * @param {Promise<T>} work
   * @returns {Promise<T>}
   */
  async #keeping(work) {
    try {
      return await work;
    } catch (error) {
      if (error instanceof StorageFailed) this.#fail("storage-failed");
      throw error;
    }
  }

  /** @param {string} alarm */
  #fail(alarm) {
    this.#failure = alarm;
    this.#announce();
  }

  /** Announce a new status; `entries` stays the same array, so callers need not fold it again. */
  #announce() {
    this.dispatchEvent(new Event("change"));
  }

  #changed() {
    this.#shown = null;
    this.#announce();
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #inTurn(work) {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }
}
