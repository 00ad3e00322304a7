// IndexedDB as promises: requests, transactions, and the two errors that they throw.

/** The device's storage failed: full, blocked, in private mode, or deleted. */
export class StorageFailed extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    const told = cause instanceof Error || cause instanceof DOMException ? cause.message : cause;
    super(`this device cannot keep entries: ${told}`, { cause });
    this.name = "StorageFailed";
  }
}

/** Another tab of this device has recorded in between: the draft must be rebuilt. */
export class ChainMoved extends Error {
  constructor() {
    super("another tab of this device has recorded in between");
    this.name = "ChainMoved";
  }
}

/**
 * @param {IDBRequest} request
 * @returns {Promise<any>}
 */
export function got(request) {
  return answered(request);
}

/**
 * @template T
 * @param {IDBRequest<T> | IDBOpenDBRequest} request
 * @returns {Promise<any>}
 */
export function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Commit now: no request follows, so the browser need not wait for the answers to the writes.
 * @param {IDBTransaction} transaction
 */
function finish(transaction) {
  try {
    transaction.commit?.();
  } catch {
    // The transaction has ended already; its event tells whether it succeeded.
  }
}

/** @param {IDBTransaction} transaction */
function giveUp(transaction) {
  try {
    transaction.abort();
  } catch {
    // The transaction has aborted already, because one of its requests failed.
  }
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the write was given up"));
  });
}

/**
 * Run work in one transaction: its writes are durable if this resolves, undone if it rejects.
 * @template T
 * @template {string} N
 * @param {IDBDatabase} db
 * @param {IDBTransactionMode} mode
 * @param {N[]} names
 * @param {(table: (name: N) => IDBObjectStore) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {StorageFailed | ChainMoved}
 */
export async function transact(db, mode, names, work) {
  try {
    const transaction = db.transaction(names, mode, { durability: "strict" });
    const done = completed(transaction);
    // If the work fails first, its error is the one to throw.
    done.catch(() => {});
    try {
      const result = await work((name) => transaction.objectStore(name));
      if (mode === "readwrite") finish(transaction);
      await done;
      return result;
    } catch (error) {
      giveUp(transaction);
      throw error;
    }
  } catch (error) {
    throw error instanceof ChainMoved ? error : new StorageFailed(error);
  }
}
