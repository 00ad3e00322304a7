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
export function finish(transaction) {
  try {
    transaction.commit?.();
  } catch {
    // It has ended by itself already; whether well, its own event tells.
  }
}

/** @param {IDBTransaction} transaction */
export function giveUp(transaction) {
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
export function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the write was given up"));
  });
}
