// The worker that writes a second copy's file: browsers write files in place only in workers.
//
// The worker has the file's name. Lines wait until the file can be opened: a page that was just
// left may still hold it.

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
    // One timer however many messages came: in a private window the file never opens.
    clearTimeout(again);
    again = setTimeout(() => (turn = turn.then(write)), AGAIN_MS);
  }
}

/**
 * Append all bytes or none: a line after half a line could not be read.
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
