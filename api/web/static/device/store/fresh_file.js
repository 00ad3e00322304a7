// Makes Chromium begin a new write-ahead file, so that it never appends to a torn record.
//
// Chromium keeps IndexedDB in LevelDB. If the browser or the battery dies during a write, the last
// record of LevelDB's write-ahead file is torn. The next start skips that record but appends after
// it (google/leveldb issue 1287); the start after that takes the file for damaged and deletes the
// whole database. Deleting a database makes LevelDB compact: it moves what is in memory into a
// table and begins a new file. That costs some milliseconds per page. Other browsers keep IndexedDB
// in SQLite, where this has no effect.

import { answered } from "./idb.js";

const NAME = "tabularium-fresh-file";

/** Make LevelDB leave a file that may end in a torn record. Never rejects. */
export async function startFreshFile() {
  try {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("nothing");
    /** @type {IDBDatabase} */
    const db = await answered(request);
    db.close();
    await answered(indexedDB.deleteDatabase(NAME));
  } catch {
    // If storage is full or blocked, the next real write reports it.
  }
}
