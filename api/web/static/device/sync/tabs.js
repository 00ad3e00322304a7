// Coordinates the tabs of a device: one tab sends, one tab records each board, the others mirror.
//
// Web Locks decide if the browser has them. Without them (on an insecure origin), the tab that
// keeps raising a counter in the store sends, and a board is taken if another tab answers for it.

import { uuid } from "../chain/ids.js";

const ASK_MS = 600;
const TAKE_MS = 1_500;
const BEAT_MS = 1_000;
/** Beats that a leader may miss: timers of a background tab run once a second at best. */
const MISSED = 8;
/** The name under which the sending tab answers; no match id looks like this. */
const SENDER = "(sender)";

/** The tabs of this device that work on one log. */
export class Tabs {
  #store;
  #scope;
  #channel;
  #id = uuid();
  /** @type {Set<string>} */
  #boards = new Set();
  /** @type {(() => void)[]} */
  #releases = [];
  #closed = false;
  /**
   * Called with each message of another tab.
   * @type {(message: any) => void}
   */
  onmessage = () => {};

  /**
   * @param {import("../store/store.js").Store} store
   * @param {string} scope
   */
  constructor(store, scope) {
    this.#store = store;
    this.#scope = scope;
    this.#channel = new BroadcastChannel(`tabularium:${scope}`);
    this.#channel.onmessage = ({ data }) => this.#heard(data);
  }

  /**
   * Send a message to the other tabs.
   * @param {Record<string, any>} message
   */
  post(message) {
    if (!this.#closed) this.#channel.postMessage(message);
  }

  /**
   * Become the recorder of a board; false if another tab of this device already is.
   * @param {string} board
   * @returns {Promise<boolean>}
   */
  async take(board) {
    const taken = navigator.locks
      ? await this.#lock(`board:${board}`, TAKE_MS)
      : await this.#isFree(board);
    if (taken) this.#boards.add(board);
    return taken;
  }

  /**
   * Resolves with true when this tab becomes the sending one, perhaps never; with false if closed.
   * @returns {Promise<boolean>}
   */
  lead() {
    return navigator.locks ? this.#lock("sender") : this.#beat();
  }

  /** Release all locks, and stop talking to other tabs. */
  close() {
    this.#closed = true;
    this.#boards.clear();
    for (const release of this.#releases) release();
    this.#channel.close();
  }

  /**
   * Hold a lock until `close`; false if it was not granted in time, or only after `close`.
   * @param {string} name
   * @param {number} [within_ms]
   * @returns {Promise<boolean>}
   */
  #lock(name, within_ms) {
    const control = new AbortController();
    if (within_ms !== undefined) setTimeout(() => control.abort(), within_ms);
    return new Promise((resolve) => {
      const held = () => {
        // Granted just as the tab closed: nothing would ever release it.
        if (this.#closed) return resolve(false);
        resolve(true);
        /** @type {Promise<void>} */
        const letGo = new Promise((release) => this.#releases.push(release));
        return letGo;
      };
      // A closed tab must stop waiting, or it would get the lock and block all others.
      this.#releases.push(() => control.abort());
      navigator.locks
        .request(`tabularium:${this.#scope}:${name}`, { signal: control.signal }, held)
        .catch(() => resolve(false));
    });
  }

  /**
   * @param {string} board
   * @returns {Promise<boolean>}
   */
  #isFree(board) {
    return new Promise((resolve) => {
      const listen = (/** @type {MessageEvent} */ { data }) => {
        if (data.kind === "mine" && data.board === board) settle(false);
      };
      const timer = setTimeout(() => settle(true), ASK_MS);
      const settle = (/** @type {boolean} */ answer) => {
        clearTimeout(timer);
        this.#channel.removeEventListener("message", listen);
        resolve(answer);
      };
      this.#channel.addEventListener("message", listen);
      this.post({ kind: "whose", board });
    });
  }

  /**
   * Lead by the counter: take over one that has stopped rising, or for which no tab answers. If two
   * tabs lead for a moment, the server gets some drafts twice, which does no harm.
   */
  async #beat() {
    let isOrphan = await this.#isFree(SENDER);
    let seen = -1;
    let still = 0;
    const isMine = async () => {
      const kept = await this.#store.changeBeat(this.#scope, (row) => {
        still = row && row.beat === seen ? still + 1 : 0;
        seen = row?.beat ?? -1;
        const isFree = !row || isOrphan || row.owner === this.#id || still >= MISSED;
        return isFree ? { owner: this.#id, beat: (row?.beat ?? 0) + 1 } : null;
      });
      isOrphan = false;
      return kept?.owner === this.#id;
    };
    while (!this.#closed && !(await isMine())) await pause(BEAT_MS);
    if (this.#closed) return false;
    this.#boards.add(SENDER);
    const timer = setInterval(() => isMine().catch(() => {}), BEAT_MS);
    this.#releases.push(() => clearInterval(timer));
    return true;
  }

  /** @param {any} message */
  #heard(message) {
    if (message.kind === "whose") {
      if (this.#boards.has(message.board)) this.post({ kind: "mine", board: message.board });
    } else if (message.kind !== "mine") {
      this.onmessage(message);
    }
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
