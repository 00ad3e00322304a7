// The file of a second copy, in a thread of its own: only there a browser writes into files in place.
//
// The worker's name is the file's. Lines wait until the file can be had: a page that was just left
// may still hold it.

export {};

const AGAIN_MS = 500;
const { name } = self;
const encoder = new TextEncoder();
/** @type {any} */
let file = null;
let waiting = "";
let isAnew = false;
let isLast = false;
let turn = Promise.resolve();
let again = 0;

addEventListener("message", ({ data }) => {
  if (data.isLast) isLast = true;
  else if (data.isAll) [waiting, isAnew] = [data.lines, true];
  else waiting += data.lines;
  turn = turn.then(write);
});

async function write() {
  try {
    const root = await navigator.storage.getDirectory();
    if (file === null) {
      /** @type {any} */
      const handle = await root.getFileHandle(name, { create: true });
      file = await handle.createSyncAccessHandle();
    }
    if (isAnew) file.truncate(0);
    isAnew = false;
    append(encoder.encode(waiting));
    file.flush();
    waiting = "";
    if (!isLast) return;
    const isEmpty = file.getSize() === 0;
    file.close();
    if (isEmpty) await root.removeEntry(name);
    close();
  } catch {
    // Once, however often it was given more meanwhile: a private window has no file at all.
    clearTimeout(again);
    again = setTimeout(() => (turn = turn.then(write)), AGAIN_MS);
  }
}

/**
 * All or nothing: what comes behind half a line of a full storage would be no line.
 * @param {Uint8Array} bytes
 */
function append(bytes) {
  const at = file.getSize();
  try {
    if (file.write(bytes, { at }) < bytes.length) throw new Error("the storage is full");
  } catch (error) {
    file.truncate(at);
    throw error;
  }
}
