// A second copy of what is unsent or not safe yet, in a file apart: what tears one leaves the other.
//
// It is written behind the record, which is durable in IndexedDB before it is shown: nobody waits for
// it. A file is one board's, of one device and epoch; whoever records the board is its one writer. Each
// line holds a draft as it goes to the server, and what it takes to send it when all else is lost
// (`rescue/rescue.js`). Where the browser has no such files (plain http, private windows), there is
// no second copy.

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
 * A draft as the door takes it.
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
      // A browser that starts no worker keeps one copy, as all did before.
    }
  }

  /**
   * @param {readonly {device_seq: number, item: Item}[]} drafts
   * @param {boolean} [isAll] whether these are all that is held, and the file begins anew
   */
  keep(drafts, isAll = false) {
    const lines = drafts.map((draft) => `${JSON.stringify({ ...this.#about, ...draft })}\n`);
    this.#worker?.postMessage({ lines: lines.join(""), isAll });
  }

  /** What was given is written; then the file is let go of, and removed if nothing is in it. */
  close() {
    this.#worker?.postMessage({ isLast: true });
  }
}

/**
 * What another epoch of this device, or another device before it, has left in its copies.
 * @param {import("./kinds").Identity} identity
 * @returns {Promise<[string, Line[]][]>} name and lines of each; a last line that a death has torn is none
 */
export async function leftCopies(identity) {
  /** @type {[string, Line[]][]} */
  const found = [];
  // A private window has the door to its files, and does not open it.
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
 * Let go of this device's copies of boards of which nothing is held any more.
 * @param {import("./kinds").Identity} identity
 * @param {(log_id: string, match_id: string) => Promise<boolean>} isHeld
 */
export async function tidyCopies(identity, isHeld) {
  if (!hasFiles()) return;
  const root = /** @type {any} */ (await navigator.storage.getDirectory());
  for await (const name of root.keys()) {
    if (!name.startsWith(ownPrefix(identity))) continue;
    const [log_id, match_id] = name.slice(ownPrefix(identity).length).split(".").map(decodeURIComponent);
    // One that another tab writes stays: the browser does not let go of it.
    if (!(await isHeld(log_id, match_id))) await dropCopy(name).catch(() => {});
  }
}

/** @param {string} name of a copy of which nothing is needed any more */
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
