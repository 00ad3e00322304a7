// The device's IndexedDB: identity, drafts with their exact bytes, entries and files.
//
// A write is durable when its promise resolves. A write that fails rejects with `StorageFailed`: a
// recorder that silently loses entries is worse than none.

import { startFreshFile } from "./fresh_file.js";
import { answered, ChainMoved, got, StorageFailed, transact } from "./idb.js";
import { isAcked, letGo, takeBack, unsent } from "./kept.js";
import { freshChain, freshStream, keyOf, within } from "./rows.js";
import { settle } from "./settling.js";

const NAME = "tabularium-device";
const SCHEMA = 1;

/** Tables and their keys. To change them, raise SCHEMA and add a step to `upgrade`. */
const TABLES = {
  identity: "name",
  enrolments: "log_id",
  chains: "log_id",
  drafts: ["log_id", "epoch", "device_seq"],
  parked: ["log_id", "epoch", "device_seq"],
  entries: ["log_id", "match_id", "version"],
  streams: ["log_id", "match_id"],
  files: ["log_id", "sha256"],
  beats: "name",
};

/** @typedef {keyof typeof TABLES} TableName */
/** @typedef {import("../../shared/types").Entry} Entry */
/** @typedef {import("../../shared/types").FoldTerms} FoldTerms */

/** @import { Beat, Chain, DraftRow, Enrolment, FileRow, Heads, Identity } from "./kinds" */
/** @import { ParkedRow, Settlement, StreamRow } from "./kinds" */

/**
 * Open the device's store.
 * @param {string} [name]
 * @returns {Promise<Store>}
 * @throws {StorageFailed}
 */
export async function openStore(name = NAME) {
  // Not awaited: what is written meanwhile moves to the new file with the rest.
  void startFreshFile();
  try {
    const request = indexedDB.open(name, SCHEMA);
    request.onupgradeneeded = () => upgrade(request.result);
    return new Store(await answered(request));
  } catch (error) {
    throw new StorageFailed(error);
  }
}

/** @param {IDBDatabase} db */
function upgrade(db) {
  for (const [table, key] of Object.entries(TABLES)) db.createObjectStore(table, { keyPath: key });
}

/** The device's storage; every write is durable when its promise resolves. */
export class Store {
  #db;
  /** Called when the browser closes the database while the page is open. */
  onlost = () => {};

  /** @param {IDBDatabase} db */
  constructor(db) {
    this.#db = db;
    db.onclose = () => this.onlost();
    db.onversionchange = () => {
      db.close();
      this.onlost();
    };
  }

  /** Close the database; later reads and writes fail. */
  close() {
    this.#db.close();
  }

  /** @returns {Promise<Identity | undefined>} */
  identity() {
    return this.#read(["identity"], (table) => got(table("identity").get("device")));
  }

  /**
   * Store a new identity, unless another tab has just stored one, and park the unsent drafts of the
   * earlier epoch.
   * @param {Identity} identity
   * @returns {Promise<Identity>} the one that counts
   */
  keepIdentity(identity) {
    return this.#write(["identity", "drafts", "parked", "chains"], async (table) => {
      const kept = await got(table("identity").get("device"));
      if (kept && kept.epoch >= identity.epoch) return kept;
      table("identity").put(identity);
      const rows = await got(table("drafts").getAll());
      for (const row of rows) {
        const chain = await got(table("chains").get(row.log_id));
        table("drafts").delete(keyOf(row));
        if (isAcked(row, chain)) continue;
        table("parked").put({ ...row, reason: "old_epoch", is_sent: false });
      }
      return identity;
    });
  }

  /** @returns {Promise<Enrolment[]>} latest first */
  async enrolments() {
    const rows = await this.#read(["enrolments"], (table) => got(table("enrolments").getAll()));
    return rows.sort((/** @type {Enrolment} */ a, /** @type {Enrolment} */ b) =>
      b.order - a.order);
  }

  /** @param {Enrolment} enrolment */
  async keepEnrolment(enrolment) {
    await this.#write(["enrolments"], async (table) => table("enrolments").put(enrolment));
  }

  /**
   * The end of the chain in a log. An epoch that has recorded nothing gets a fresh chain with the
   * checkpoints of the epoch before.
   * @param {string} log_id
   * @param {number} epoch
   * @returns {Promise<Chain>}
   */
  async chain(log_id, epoch) {
    const found = await this.#read(["chains"], (table) => got(table("chains").get(log_id)));
    if (found?.epoch === epoch) return found;
    const { checkpoint, anchor } = found ?? freshChain(log_id, epoch);
    return { ...freshChain(log_id, epoch), checkpoint, anchor };
  }

  /**
   * Store drafts and the chain's new end, all or none.
   * @param {DraftRow[]} rows
   * @param {Chain} chain
   * @param {number} after the sequence number on which the first draft was built
   * @throws {ChainMoved}
   */
  async addDrafts(rows, chain, after) {
    await this.#write(["chains", "drafts"], async (table) => {
      const kept = await got(table("chains").get(chain.log_id));
      const last = kept?.epoch === chain.epoch ? kept.last_seq : 0;
      if (last !== after) throw new ChainMoved();
      for (const row of rows) table("drafts").add(row);
      const { acked_seq } = kept?.epoch === chain.epoch ? kept : chain;
      const { checkpoint, anchor, covered } = kept ?? chain;
      table("chains").put({ ...chain, acked_seq, checkpoint, anchor, covered });
    });
  }

  /**
   * The unsent drafts of a log, in order.
   * @param {string} log_id
   * @param {number} [limit]
   * @returns {Promise<DraftRow[]>}
   */
  drafts(log_id, limit) {
    return this.#read(["drafts", "chains"], async (table) =>
      got(table("drafts").getAll(await unsent(table, log_id), limit)));
  }

  /** @param {string} log_id */
  countDrafts(log_id) {
    return this.#read(["drafts", "chains"], async (table) =>
      got(table("drafts").count(await unsent(table, log_id))));
  }

  /**
   * The number of drafts of a log in the store: unsent, or sent and not safe yet.
   * @param {string} log_id
   */
  countHeld(log_id) {
    return this.#read(["drafts"], (table) => got(table("drafts").count(within(log_id))));
  }

  /**
   * The drafts of a log in the store, in order: unsent, or sent and not safe yet.
   * @param {string} log_id
   * @returns {Promise<DraftRow[]>}
   */
  held(log_id) {
    return this.#read(["drafts"], (table) => got(table("drafts").getAll(within(log_id))));
  }

  /**
   * Delete sent drafts that are safe outside the server's database.
   * @param {string} log_id
   * @param {number} covered
   */
  async letGo(log_id, covered) {
    await this.#write(["drafts", "chains"], (table) => letGo(table, log_id, covered));
  }

  /**
   * Make the drafts that a restored, older archive lacks unsent again; false if any is gone here.
   * @param {string} log_id
   * @param {number} last_seq last draft that the archive has
   * @param {Heads} heads
   * @returns {Promise<boolean>}
   */
  takeBack(log_id, last_seq, heads) {
    return this.#write(["drafts", "chains", "parked", "streams", "entries"], (table) =>
      takeBack(table, log_id, last_seq, heads));
  }

  /**
   * From now on expect the archive to extend only what was safe; false if that is so already.
   * @param {string} log_id
   * @returns {Promise<boolean>}
   */
  fallBack(log_id) {
    return this.#write(["chains"], async (table) => {
      const chain = await got(table("chains").get(log_id));
      if (chain.anchor === undefined || chain.anchor?.size === chain.checkpoint?.size) return false;
      table("chains").put({ ...chain, checkpoint: chain.anchor });
      return true;
    });
  }

  /**
   * The drafts of a log that wait for the director, in order.
   * @param {string} log_id
   * @returns {Promise<ParkedRow[]>}
   */
  parked(log_id) {
    return this.#read(["parked"], (table) => got(table("parked").getAll(within(log_id))));
  }

  /**
   * The entries of a match after a version.
   * @param {string} log_id
   * @param {string} match_id
   * @param {number} [after]
   * @returns {Promise<Entry[]>}
   */
  async entries(log_id, match_id, after = 0) {
    const range = IDBKeyRange.bound([log_id, match_id, after + 1], [log_id, match_id, []]);
    const rows = await this.#read(["entries"], (table) => got(table("entries").getAll(range)));
    return rows.map((/** @type {{entry: Entry}} */ row) => row.entry);
  }

  /**
   * @param {string} log_id
   * @param {string} match_id
   * @returns {Promise<StreamRow>}
   */
  async stream(log_id, match_id) {
    const key = [log_id, match_id];
    const found = await this.#read(["streams"], (table) => got(table("streams").get(key)));
    return found ?? freshStream(log_id, match_id);
  }

  /**
   * Read all of a match in one transaction. A receipt turns a draft into an entry: read separately,
   * that entry might be missing, or appear twice.
   * @param {string} log_id
   * @param {string} match_id
   * @param {number} after version of the last entry that is known
   * @returns {Promise<{ stream: StreamRow, news: Entry[], drafts: DraftRow[], parked: ParkedRow[] }>}
   */
  snapshot(log_id, match_id, after) {
    const later = IDBKeyRange.bound([log_id, match_id, after + 1], [log_id, match_id, []]);
    return this.#read(["streams", "entries", "drafts", "parked", "chains"], async (table) => {
      const range = await unsent(table, log_id);
      const [stream, entries, drafts, parked] = await Promise.all([
        got(table("streams").get([log_id, match_id])),
        got(table("entries").getAll(later)),
        got(table("drafts").getAll(range)),
        got(table("parked").getAll(within(log_id))),
      ]);
      const news = entries.map((/** @type {{entry: Entry}} */ row) => row.entry);
      return { stream: stream ?? freshStream(log_id, match_id), news, drafts, parked };
    });
  }

  /**
   * Store which boards this device may record; it has lost the lease of any board not named.
   * @param {string} log_id
   * @param {{match_id: string, lease: number, shadow_of: string | null, terms?: FoldTerms,
   *   profile?: string}[]} leases
   */
  async keepLeases(log_id, leases) {
    await this.#write(["streams"], async (table) => {
      const rows = await got(table("streams").getAll(within(log_id)));
      const known = new Map(rows.map((/** @type {StreamRow} */ row) => [row.match_id, row]));
      for (const row of rows) table("streams").put({ ...row, role: "none" });
      for (const { match_id, lease, shadow_of, terms = {}, profile } of leases) {
        const row = known.get(match_id) ?? freshStream(log_id, match_id);
        const role = shadow_of === null ? "scribe" : "shadow";
        table("streams").put({ ...row, lease, role, terms, profile });
      }
    });
  }

  /**
   * Store entries from the server, and the hash of the last one. Parked drafts that have become
   * entries are deleted. If another device has taken the version of an unsent draft, the unsent
   * drafts of the match are marked: the server will park them.
   * @param {string} log_id
   * @param {string} match_id
   * @param {Entry[]} entries without a hole, from the next version on or earlier
   * @param {string | null} head
   */
  async keepEntries(log_id, match_id, entries, head) {
    await this.#write(["entries", "streams", "drafts", "parked", "chains"], async (table) => {
      const kept = await got(table("streams").get([log_id, match_id]));
      const row = kept ?? freshStream(log_id, match_id);
      for (const entry of entries) {
        table("entries").put({ log_id, match_id, version: entry.version, entry });
      }
      const last = entries.at(-1)?.version ?? 0;
      if (last >= row.version) table("streams").put({ ...row, version: last, head });
      const known = new Set(entries.map((entry) => entry.entry_id));
      const drafts = await got(table("drafts").getAll(await unsent(table, log_id)));
      const ours = drafts.filter((/** @type {DraftRow} */ draft) =>
        draft.match_id === match_id && draft.doomed === null && !known.has(draft.entry.entry_id)
        && draft.entry.version > row.version);
      if (ours.some((/** @type {DraftRow} */ draft) => draft.entry.version <= last)) {
        for (const draft of ours) table("drafts").put({ ...draft, doomed: "version_mismatch" });
      }
      const parked = await got(table("parked").getAll(within(log_id)));
      for (const old of parked) {
        if (known.has(old.entry.entry_id)) table("parked").delete(keyOf(old));
      }
    });
  }

  /**
   * Write what one answer of the server changes, all or none.
   * @param {string} log_id
   * @param {Settlement} settlement
   */
  async settle(log_id, settlement) {
    await this.#write(["drafts", "parked", "entries", "streams", "chains"], (table) =>
      settle(table, log_id, settlement));
  }

  /**
   * Delete parked drafts about which the director has decided.
   * @param {string} log_id
   * @param {Set<string>} entry_ids
   */
  async unpark(log_id, entry_ids) {
    await this.#write(["parked"], async (table) => {
      const rows = await got(table("parked").getAll(within(log_id)));
      for (const row of rows) {
        if (entry_ids.has(row.entry.entry_id)) table("parked").delete(keyOf(row));
      }
    });
  }

  /** @param {FileRow} file */
  async keepFile(file) {
    await this.#write(["files"], async (table) => table("files").put(file));
  }

  /**
   * The files of a log that the server does not have yet.
   * @param {string} log_id
   * @returns {Promise<FileRow[]>}
   */
  async unsentFiles(log_id) {
    const range = IDBKeyRange.bound([log_id], [log_id, []]);
    const rows = await this.#read(["files"], (table) => got(table("files").getAll(range)));
    return rows.filter((/** @type {FileRow} */ row) => row.bytes !== null);
  }

  /**
   * A lock among tabs for browsers without Web Locks: a counter that the holder keeps raising.
   * @param {string} name
   * @param {(row: Beat | undefined) => Beat | null} change
   * @returns {Promise<Beat | undefined>} the lease after the change
   */
  async changeBeat(name, change) {
    return this.#write(["beats"], async (table) => {
      const kept = await got(table("beats").get(name));
      const next = change(kept);
      if (next) table("beats").put({ name, ...next });
      return next ?? kept;
    });
  }

  /**
   * @template T
   * @param {TableName[]} names
   * @param {(table: (name: TableName) => IDBObjectStore) => Promise<T>} work
   * @returns {Promise<T>}
   */
  #read(names, work) {
    return transact(this.#db, "readonly", names, work);
  }

  /**
   * @template T
   * @param {TableName[]} names
   * @param {(table: (name: TableName) => IDBObjectStore) => Promise<T>} work
   * @returns {Promise<T>}
   */
  #write(names, work) {
    return transact(this.#db, "readwrite", names, work);
  }
}
