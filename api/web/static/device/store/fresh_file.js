// A fresh file for the browser to write ahead in, so that a torn record never has one behind it.
//
// Chromium keeps IndexedDB in LevelDB. When a browser or a battery dies in the middle of a write, the
// last record of LevelDB's write-ahead file is torn; the next start passes over it, but goes on
// writing behind it (google/leveldb issue 1287), and the start after that takes the file for damaged
// and deletes the whole database with everything that was durable. A database that is deleted makes
// LevelDB compact, which puts what is in memory into a table and begins a new file. It costs some
// milliseconds a page. Other browsers keep IndexedDB in SQLite, where it does nothing.

import { answered } from "./idb.js";

const NAME = "tabularium-fresh-file";

/** Leave the file that an earlier life may have torn. Never fails: without it all goes on as before. */
export async function startFreshFile() {
  try {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("nothing");
    /** @type {IDBDatabase} */
    const db = await answered(request);
    db.close();
    await answered(indexedDB.deleteDatabase(NAME));
  } catch {
    // A full or closed storage is told by whoever has something to keep in it.
  }
}
