// A second copy of drafts that are unsent or not safe yet, in a file: it survives a torn IndexedDB.
//
// It is written after the draft is durable in IndexedDB, and nothing waits for it. There is one
// file for each board, device and epoch; the tab that records the board is its only writer. Each
// line holds a draft as it goes to the server, and what is needed to send it if everything else is
// lost (`rescue/rescue.js`). Browsers offer no such files over plain http or in private windows;
// there is no second copy then.

const PREFIX = "unsent.";

/**
 * A line of the file.
 * @typedef {object} Line
 * @property {string} log_id
 * @property {number} epoch
 * @property {number} device_seq
 * @property {string} token the secret of the device in that epoch
 * @property {Item} item
 */

/**
 * A draft as the ingest route takes it.
 * @typedef {object} Item
 * @property {string} draft
 * @property {string | null} signature
 * @property {string[]} disclosures
 */

/** The second copy of one board. */
export class SecondCopy {
  /** @type {Worker | null} */
  #worker = null;
  #about;

  /**
   * @param {import("./kinds").Identity} identity
   * @param {string} log_id
   * @param {string} match_id
   */
  constructor(identity, log_id, match_id) {
    const { epoch, token } = identity;
    this.#about = { log_id, epoch, token };
    if (!hasFiles()) return;
    const name = ownPrefix(identity) + [log_id, match_id].map(encodeURIComponent).join(".");
    try {
      this.#worker = new Worker(new URL("./copy_worker.js", import.meta.url), {
        type: "module",
        name,
      });
      this.#worker.onerror = (event) => event.preventDefault();
    } catch {
      // A browser that starts no worker has no second copy.
    }
  }

  /**
   * @param {readonly {device_seq: number, item: Item}[]} drafts
   * @param {boolean} [isAll] whether these are all drafts held, so that the file is rewritten
   */
  keep(drafts, isAll = false) {
    const lines = drafts.map((draft) => `${JSON.stringify({ ...this.#about, ...draft })}\n`);
    this.#worker?.postMessage({ lines: lines.join(""), isAll });
  }

  /** Close the file once everything given is written; remove it if it is empty. */
  close() {
    this.#worker?.postMessage({ isLast: true });
  }
}

/**
 * The copies that earlier epochs of this device, or earlier devices in this browser, have left.
 * @param {import("./kinds").Identity} identity
 * @returns {Promise<[string, Line[]][]>} name and lines of each file, without a torn last line
 */
export async function leftCopies(identity) {
  /** @type {[string, Line[]][]} */
  const found = [];
  // A private window has the function, but its promise rejects.
  const root = /** @type {any} */ (hasFiles() ? await navigator.storage.getDirectory().catch(() => null) : null);
  if (root === null) return found;
  for await (const [name, handle] of root.entries()) {
    if (!name.startsWith(PREFIX) || name.startsWith(ownPrefix(identity))) continue;
    const lines = linesOf(await (await handle.getFile()).text());
    if (lines.length > 0) found.push([name, lines]);
  }
  return found;
}

/**
 * @param {string} text
 * @returns {Line[]}
 */
function linesOf(text) {
  return text.split("\n").flatMap((line) => {
    try {
      const read = JSON.parse(line);
      return typeof read?.item?.draft === "string" ? [read] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Delete this device's copies of boards of which the store holds no draft any more.
 * @param {import("./kinds").Identity} identity
 * @param {(log_id: string, match_id: string) => Promise<boolean>} isHeld
 */
export async function tidyCopies(identity, isHeld) {
  if (!hasFiles()) return;
  const root = /** @type {any} */ (await navigator.storage.getDirectory());
  for await (const name of root.keys()) {
    if (!name.startsWith(ownPrefix(identity))) continue;
    const [log_id, match_id] = name.slice(ownPrefix(identity).length).split(".").map(decodeURIComponent);
    // The browser refuses to delete a file that another tab is writing.
    if (!(await isHeld(log_id, match_id))) await dropCopy(name).catch(() => {});
  }
}

/** @param {string} name of a copy that is no longer needed */
export async function dropCopy(name) {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(name);
}

function hasFiles() {
  return typeof navigator.storage?.getDirectory === "function" && typeof Worker === "function";
}

/** @param {import("./kinds").Identity} identity */
function ownPrefix({ device, epoch }) {
  return `${PREFIX}${device}.${epoch}.`;
}
