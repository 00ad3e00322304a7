// IndexedDB in promises: requests that answer, transactions that end, and the two ways to fail.

/** The device's storage refused: full, blocked, private mode, or taken away. */
export class StorageFailed extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    const told = cause instanceof Error || cause instanceof DOMException ? cause.message : cause;
    super(`this device cannot keep entries: ${told}`, { cause });
    this.name = "StorageFailed";
  }
}

/** Another tab of this device has recorded in between: build the draft anew. */
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
 * Nothing more comes: the browser need not wait for the answers to what was put.
 * @param {IDBTransaction} transaction
 */
function finish(transaction) {
  try {
    transaction.commit?.();
  } catch {
    // It has ended by itself already; whether well, its own event tells.
  }
}

/** @param {IDBTransaction} transaction */
function giveUp(transaction) {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself already: what failed was a request of it.
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
 * Work in one transaction: what it wrote is durable when this resolves, and undone when it rejects.
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
    // The work may fail first; its own error is the one to tell then.
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
