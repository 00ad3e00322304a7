// The recorder's outbox: an act is durable here before it is shown, and until the server has it.
//
// `exportUnsent` gives a JSON file `{format: "tabularium-unsent", log_id, device, epoch,
// submissions}`. Each member of `submissions` is a body as `POST /logs/{log_id}/ingest` takes it:
// posted one after the other with the device's token they do what the flusher would have done.
// Nothing is lost by posting them twice.

import { committed, drafted } from "./chain/drafting.js";
import { fetched, resolved } from "./sync/following.js";
import { listen } from "./sync/hearing.js";
import { ownIdentity } from "./pairing.js";
import { sha256Hex } from "./chain/sha256.js";
import { leftCopies, SecondCopy, tidyCopies } from "./store/second_copy.js";
import { ChainMoved, StorageFailed } from "./store/idb.js";
import { openStore } from "./store/store.js";
import { BATCH, itemOf } from "./sync/submission.js";
import { Sync } from "./sync/sync.js";
import { Tabs } from "./sync/tabs.js";

/** @typedef {import("../shared/types").Act} Act */
/** @typedef {import("../shared/types").Entry} Entry */
/** @typedef {import("../shared/types").Outbox} Outbox */
/** @typedef {import("../shared/types").OutboxStatus} OutboxStatus */
/** @typedef {import("../shared/types").RecordOptions} RecordOptions */
/** @import { DraftRow, ParkedRow } from "./store/kinds" */

/** How often a draft is built anew because another tab was faster. */
const TRIES = 20;

/** By when the receipt of an own entry is here that the server also tells on its live line. */
const RECEIPT_MS = 250;

/** Another tab of this device records this board. */
export class BoardTaken extends Error {
  constructor() {
    super("another tab of this device records this board");
    this.name = "BoardTaken";
  }
}

/** The director has not given this device the board, so nothing can be recorded for it. */
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
 * @property {import("./store/store.js").Store} [store] left out, the device's own
 * @property {boolean} [mirror] only show what another tab records
 * @property {Partial<import("./store/kinds").Timing>} [timing]
 */

/**
 * Open the outbox of a match; works without a network, and after a reload goes on where it was.
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
  const outbox = new DeviceOutbox({ store: kept, identity, tabs, sync, log_id, match_id, mirror });
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
  /** @type {Promise<any>} One thing after the other: records, and what receipts change. */
  #queue = Promise.resolve();
  /** @type {Entry[]} */
  #server = [];
  /** @type {DraftRow[]} */
  #drafts = [];
  /** @type {ParkedRow[]} */
  #parked = [];
  #unsent = 0;
  /** Null where another tab records. @type {SecondCopy | null} */
  #copy = null;
  /** Drafts in it. */
  #copied = 0;
  /** Where the device's chain ended after the last record. @type {import("./store/kinds").Chain | null} */
  #end = null;
  /** @type {import("./store/kinds").StreamRow} */
  #stream;
  /** @type {readonly Entry[] | null} */
  #shown = null;
  #isFollowing = false;
  #isLeading = false;
  #closed = false;
  /** @type {string | null} */
  #failure = null;
  /** @type {(() => void)[]} */
  #offs = [];
  #left = new AbortController();

  /**
   * @param {object} parts
   * @param {import("./store/store.js").Store} parts.store
   * @param {import("./store/kinds").Identity} parts.identity
   * @param {Tabs} parts.tabs
   * @param {Sync} parts.sync
   * @param {string} parts.log_id
   * @param {string} parts.match_id
   * @param {boolean} parts.mirror
   */
  constructor({ store, identity, tabs, sync, log_id, match_id, mirror }) {
    super();
    this.#store = store;
    this.#identity = identity;
    this.#tabs = tabs;
    this.#sync = sync;
    this.#mirror = mirror;
    this.log_id = log_id;
    this.match_id = match_id;
    this.device = identity.device;
    this.#stream = { log_id, match_id, version: 0, head: null, lease: null, role: "none" };
  }

  /** Read what is here and begin to send. */
  async open() {
    if (!this.#mirror) this.#copy = new SecondCopy(this.#identity, this.log_id, this.match_id);
    await this.#load();
    if (!this.#mirror) await this.#copyAll();
    void this.#tidy();
    this.#store.onlost = () => this.#fail("storage-lost");
    this.#sync.onstate = () => this.#tell();
    this.#sync.onsettled = (heads) => this.#settled(heads);
    this.#sync.onassigned = (assignment) => this.#assigned(assignment, true);
    this.#tabs.onmessage = (message) => this.#told(this.#heard(message));
    this.#listen(window, "online", () => this.#sync.nudge(true));
    this.#listen(document, "visibilitychange", () => {
      if (document.visibilityState === "visible") this.#sync.nudge(true);
    });
    navigator.storage?.persist?.().catch(() => false);
    if (!this.#mirror) this.#hear();
    this.#told(this.#lead());
  }

  /** What others record: whatever is entered on a base that has moved waits for the director. */
  #hear() {
    const { log_id, match_id } = this;
    void listen({
      path: `/logs/${log_id}/matches/${match_id}`,
      token: this.#identity.token,
      after: () => this.#stream.version,
      // Own entries are told here as well, but by their receipts first.
      heard: (version) => setTimeout(() => this.#told(this.#news(version)), RECEIPT_MS),
      signal: this.#left.signal,
    });
  }

  /** All entries of the stream: the server's, then our own that are not there yet. */
  get entries() {
    this.#shown ??= Object.freeze(this.#view());
    return this.#shown;
  }

  /**
   * Own entries that wait for the director, in order.
   * @returns {readonly Entry[]}
   */
  get parked() {
    const doomed = this.#drafts.filter((row) => row.doomed !== null);
    return [...this.#parked, ...doomed].map(shownOf);
  }

  /** Which boards this device records, as the server last said; null before it answered. */
  get assignment() {
    return this.#sync.assignment;
  }

  /** What the rules in force say, as far as the fold of the entries needs it. */
  get terms() {
    return this.#stream.terms ?? {};
  }

  /** What the server's clock said last; null where this tab did not hear it. */
  get server_clock() {
    return this.#sync.server_clock;
  }

  /** The server's reason code behind the alarm, where there is one. */
  get alarm_reason() {
    return this.#sync.alarm_reason;
  }

  /** @returns {OutboxStatus} */
  get status() {
    const { answered_at } = this.#sync;
    const { role, profile } = this.#stream;
    return {
      unsent: this.#unsent,
      ack_age_ms: answered_at === null ? null : Math.round(performance.now() - answered_at),
      link: this.#sync.link,
      parked: this.#parked.length + this.#drafts.filter((row) => row.doomed !== null).length,
      secure: window.isSecureContext,
      signing: this.#identity.key === null ? "absent" : "ed25519",
      role,
      lease: this.#stream.lease,
      profile: role === "none" || profile !== "monitor" ? "no_assist" : profile,
      alarm: this.#failure ?? this.#sync.alarm,
    };
  }

  /**
   * Resolves when the draft is durable here; only then may it be shown as recorded.
   * @param {string} tag
   * @param {Record<string, any>} body personal values in the clear: they are committed here
   * @param {RecordOptions} [options]
   * @returns {Promise<Entry>}
   * @throws {StorageFailed | NoLease}
   */
  async record(tag, body, options = {}) {
    const [entry] = await this.recordAll([{ tag, body, ...options }]);
    return entry;
  }

  /**
   * Several acts of one gesture, all or none durable together, in order.
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
   * Keep a file as evidence and send it when there is a network.
   * @param {Blob} file
   * @returns {Promise<string>} its SHA-256
   * @throws {StorageFailed}
   */
  async attach(file) {
    const bytes = await file.arrayBuffer();
    const sha256 = await sha256Hex(new Uint8Array(bytes));
    const { log_id } = this;
    await this.#keeping(this.#store.keepFile({ log_id, sha256, type: file.type, bytes }));
    this.#nudge();
    return sha256;
  }

  /** Try now, whatever the timer says. */
  async flush() {
    if (this.#isLeading) await this.#sync.flush();
    else this.#tabs.post({ kind: "flush" });
  }

  /** Everything unsent, of all boards of this log, as a file that can be posted by hand. */
  async exportUnsent() {
    const { log_id, device } = this;
    const parked = (await this.#store.parked(log_id)).filter((row) => !row.is_sent);
    const rows = [...parked, ...(await this.#store.drafts(log_id))];
    const { epoch } = this.#identity;
    const { checkpoint } = await this.#store.chain(log_id, epoch);
    const checkpoint_size = checkpoint?.size ?? 0;
    const submissions = [];
    for (let at = 0; at < rows.length; at += BATCH) {
      submissions.push({ items: rows.slice(at, at + BATCH).map(itemOf), checkpoint_size });
    }
    const known = new Set(submissions.flatMap(({ items }) => items.map(({ draft }) => draft)));
    for (const [, lines] of await leftCopies(this.#identity)) {
      const left = lines.filter((line) => line.log_id === log_id && !known.has(line.item.draft));
      const items = left.map(({ item }) => item);
      if (items.length > 0) submissions.push({ items, checkpoint_size });
    }
    const file = { format: "tabularium-unsent", log_id, device, epoch, submissions };
    return new Blob([JSON.stringify(file, null, 1)], { type: "application/json" });
  }

  /** Stop sending and let another tab record this board. What is unsent stays. */
  close() {
    this.#closed = true;
    this.#isLeading = false;
    this.#sync.close();
    this.#tabs.close();
    this.#copy?.close();
    for (const off of this.#offs) off();
    this.#left.abort();
  }

  /**
   * @param {readonly Act[]} acts
   * @param {{occurred_at: number, elapsed_ms: number}} moment
   * @returns {Promise<Entry[]>}
   */
  async #record(acts, moment) {
    if (this.#mirror) throw new BoardTaken();
    if (this.#stream.lease === null) throw new NoLease();
    const made = await Promise.all(acts.map(committed));
    for (let tries = 0; ; tries += 1) {
      try {
        const rows = await this.#keeping(this.#chained(made, moment));
        this.#drafts.push(...rows);
        this.#unsent += rows.length;
        this.#keepCopy(rows);
        this.#failure = null;
        this.#changed();
        this.#nudge();
        return rows.map((row) => row.entry);
      } catch (error) {
        if (!(error instanceof ChainMoved) || tries === TRIES) throw error;
      }
    }
  }

  /**
   * Drafts at the end of the device's chain, signed and durable.
   * @param {import("./chain/drafting.js").Made[]} made
   * @param {{occurred_at: number, elapsed_ms: number}} moment
   * @returns {Promise<DraftRow[]>}
   */
  async #chained(made, moment) {
    const { log_id, match_id } = this;
    const identity = this.#identity;
    // Remembered since the last record: whether it still ends there is looked at when it is kept.
    const before = this.#end ?? (await this.#store.chain(log_id, identity.epoch));
    this.#end = null;
    const { rows, chain } = await drafted(made, moment, {
      log_id, match_id, lease: this.#stream.lease, identity, chain: before, base: this.#base(),
    });
    await this.#store.addDrafts(rows, chain, before.last_seq);
    this.#end = chain;
    return rows;
  }

  /** The file holds all that is held of this board, and nothing else. */
  async #copyAll() {
    const held = await this.#store.held(this.log_id);
    this.#keepCopy(held.filter((row) => row.match_id === this.match_id), true);
  }

  /** Files of earlier boards of which nothing is held any more go; nobody waits for that. */
  async #tidy() {
    try {
      await tidyCopies(this.#identity, async (log_id, match_id) => {
        if (log_id === this.log_id && match_id === this.match_id) return true;
        const held = await this.#store.held(log_id);
        return held.some((row) => row.match_id === match_id);
      });
    } catch {
      // A storage that cannot be read says so elsewhere; the next start tries again.
    }
  }

  /**
   * What is held lies a second time in a file; nobody waits for that.
   * @param {readonly DraftRow[]} rows
   * @param {boolean} [isAll]
   */
  #keepCopy(rows, isAll = false) {
    const drafts = rows.map((row) => ({ device_seq: row.device_seq, item: itemOf(row) }));
    this.#copy?.keep(drafts, isAll);
    this.#copied = rows.length + (isAll ? 0 : this.#copied);
  }

  /** What the next entry is made on: the last own one, or the last of the server that is seen. */
  #base() {
    const last = this.#branch().at(-1);
    if (last) return { version: last.entry.version, head: null };
    return { version: this.#stream.version, head: this.#stream.head };
  }

  /**
   * Own entries that are not in the stream, in order; the next one builds on them. Those that wait
   * for the director stay among them: the match goes on at the table, and until the director has
   * decided, the server lets whatever this device adds wait with them.
   */
  #branch() {
    const { epoch } = this.#identity;
    const { role, version: known } = this.#stream;
    const waiting = this.#parked.filter((row) => row.is_sent && row.epoch === epoch);
    if (role === "none") return [...waiting, ...this.#drafts];
    // What was made while another device had the board does not go on from where that has come.
    const isOurs = (/** @type {string | null} */ reason) => reason !== "stale_lease";
    // A draft whose place is known to be taken, and which is not doomed, is there already.
    const isOut = (/** @type {DraftRow} */ row) => row.doomed !== null || row.entry.version > known;
    return [
      ...waiting.filter((row) => isOurs(row.reason)),
      ...this.#drafts.filter((row) => isOut(row) && isOurs(row.doomed)),
    ];
  }

  /** @returns {Entry[]} */
  #view() {
    const own = this.#branch().map((row) => shownOf(row));
    // Whoever has lost the board goes on from where that was, not among the entries of another.
    const isCut = this.#stream.role === "none" && own.length > 0;
    const server = isCut ? this.#server.slice(0, own[0].version - 1) : this.#server;
    own.forEach((entry, index) => {
      entry.version = server.length + index + 1;
    });
    return [...server, ...own];
  }

  /** Read anew what other tabs or receipts have changed. */
  async #load() {
    const { log_id, match_id } = this;
    const { stream, news, drafts, parked } = await this.#store.snapshot(
      log_id, match_id, this.#server.length,
    );
    // All at once: whoever looks meanwhile must not see an entry leave before it arrives.
    const before = this.#marks();
    this.#stream = stream;
    // An older archive has fewer.
    this.#server.splice(stream.version);
    this.#server.push(...news);
    this.#unsent = drafts.length;
    this.#drafts = drafts.filter((row) => row.match_id === match_id);
    this.#parked = parked.filter((row) => row.match_id === match_id);
    if (this.#drafts.length === 0 && this.#copied > 0) {
      // What was sent stays in it until that is safe; it begins anew when half of it is not needed.
      if (2 * (await this.#store.countHeld(log_id)) <= this.#copied) await this.#copyAll();
    }
    this.#sync.isWaiting = this.#parked.some((row) => row.is_sent);
    if (this.#marks() === before) this.#announce();
    else this.#changed();
  }

  /** Whatever `entries` depends on. */
  #marks() {
    const drafts = this.#drafts.map((row) => `${row.device_seq}${row.doomed ?? ""}`);
    const parked = this.#parked.map((row) => row.device_seq);
    return [this.#server.length, this.#stream.role, drafts, parked].join();
  }

  #reload() {
    return this.#inTurn(() => this.#load());
  }

  /**
   * @param {Record<string, {version: number, head: string | null}>} heads
   */
  async #settled(heads) {
    this.#tabs.post({ kind: "settled", heads });
    await this.#reload();
    await this.#follow(heads[this.match_id]?.version);
  }

  /**
   * @param {import("./store/kinds").Assignment} assignment
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
   * Fetch the entries of others up to a version that the server is known to have. From a server that
   * cannot prove its log nothing is taken: what was made on it, the true one would park.
   * @param {number} [until]
   */
  async #follow(until = 0) {
    if (this.#isFollowing || this.#sync.isDoubted || until <= this.#stream.version) return;
    this.#isFollowing = true;
    try {
      for await (const { entries, head } of fetched(this.#sync, this, this.#stream.version)) {
        if (this.#sync.isDoubted) return;
        await this.#store.keepEntries(this.log_id, this.match_id, entries, head);
        this.#tabs.post({ kind: "settled", heads: {} });
        await this.#reload();
      }
      this.#sync.nudge(true);
    } catch (error) {
      // The next answer to the question for the assignment brings us back here.
      if (error instanceof StorageFailed) this.#fail("storage-failed");
    } finally {
      this.#isFollowing = false;
    }
  }

  /** @param {number} version of an entry that the server has told of */
  async #news(version) {
    const isAnswered = await this.#sync.judged();
    // Where it was not, the next attempt that succeeds asks for what is new.
    if (isAnswered && !this.#closed) await this.#follow(version);
  }

  /** What the director has decided about entries of ours waits no longer. */
  async #askBranches() {
    const settled = await resolved(this.#sync, this);
    if (!this.#parked.some((row) => settled.has(row.entry.entry_id))) return;
    await this.#store.unpark(this.log_id, settled);
    await this.#reload();
  }

  async #lead() {
    this.#isLeading = await this.#tabs.lead();
    if (this.#isLeading) await this.#sync.run();
  }

  /**
   * Work that nobody waits for: a storage that fails shows in the status, a network that fails is
   * tried again anyway.
   * @param {Promise<any>} work
   */
  async #told(work) {
    try {
      await work;
    } catch (error) {
      if (error instanceof StorageFailed && !this.#closed) this.#fail("storage-failed");
    }
  }

  /** @param {any} message what another tab of this device says */
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
   * Tell a failure of the storage in the status as well as to whoever asked.
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

  /** The status has changed; `entries` stays the same array, which spares who folds it. */
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

  /**
   * @param {EventTarget} target
   * @param {string} type
   * @param {() => void} handler
   */
  #listen(target, type, handler) {
    target.addEventListener(type, handler);
    this.#offs.push(() => target.removeEventListener(type, handler));
  }
}

/**
 * A draft as its entry is shown.
 * @param {DraftRow | ParkedRow} row
 * @returns {Entry}
 */
function shownOf(row) {
  const reason = "reason" in row ? row.reason : row.doomed;
  const isWaiting = "reason" in row || row.doomed !== null;
  if (!isWaiting) return { ...row.entry };
  return { ...row.entry, state: "parked", ...(reason !== null && { reason }) };
}
