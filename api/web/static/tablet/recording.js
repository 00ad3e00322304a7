// The record of one match as it grows here: gestures in turn, entries out, the table folded on.

import { hasText, t } from "../texts.js";
import { MatchTime } from "./acts.js";
import { Folding } from "./folding.js";
import { Gestures } from "./gestures.js";
import { namesOf } from "./words.js";

/** @import { Act, Outbox, RecordOptions } from "../types.js" */

/** What lies under the gestures. Events: "change" (draw anew), "echo" (a gesture came), "taken" (it is
 * through), "refused" (it means nothing now). */
export class Recording extends EventTarget {
  /** What went wrong last, in the words of whoever refused; null if nothing. @type {string | null} */
  trouble = null;
  #folding;
  #gestures;

  /** @param {Outbox} outbox */
  constructor(outbox) {
    super();
    this.outbox = outbox;
    this.#folding = new Folding(outbox);
    this.#gestures = new Gestures({
      taken: () => this.#taken(),
      failed: (error) => {
        this.trouble = troubleWords(error);
        this.refresh();
      },
    });
    this.time = new MatchTime(outbox.entries);
  }

  /** What the entries make. */
  get table() {
    return this.#folding.table;
  }

  /** What the players are called here. */
  get names() {
    return namesOf(this.table.standing);
  }

  /** The last entry, as what a call for the director is about. @returns {{ about?: string }} */
  get about() {
    const last = this.outbox.entries.at(-1);
    return last ? { about: last.entry_id } : {};
  }

  /** Fold the entries anew and say so. */
  refresh() {
    this.#folding.follow(this.outbox);
    this.follow();
    this.tell();
  }

  /** What hangs on the table follows it. */
  follow() {}

  /** Something looks other than before. */
  tell() {
    this.dispatchEvent(new Event("change"));
  }

  /** Whether a gesture was taken that is not durable yet. */
  get isBusy() {
    return this.#gestures.isBusy;
  }

  /**
   * Take one gesture after the other: each is durable before the next one is looked at.
   * @param {() => Promise<unknown>} gesture
   */
  gesture(gesture) {
    const taken = this.#gestures.take(gesture);
    this.dispatchEvent(new Event("echo"));
    return taken;
  }

  #taken() {
    this.dispatchEvent(new Event("taken"));
    if (!this.isBusy) this.rest();
  }

  /** Every gesture is through. */
  rest() {}

  /**
   * Record one act, with the time it happened, and fold it.
   * @param {string} tag
   * @param {Record<string, any>} body
   * @param {RecordOptions & { timed?: boolean }} [options]
   */
  async record(tag, body, { timed = true, ...options } = {}) {
    const entry = await this.outbox.record(tag, timed ? this.time.stamp(body) : body, options);
    this.trouble = null;
    this.refresh();
    return entry;
  }

  /** Record several acts of one gesture. @param {Act[]} acts */
  async recordAll(acts) {
    await this.outbox.recordAll(acts.map((act) => ({ ...act, body: this.time.stamp(act.body) })));
    this.refresh();
  }

  /** @param {string} why */
  refuse(why) {
    this.dispatchEvent(new CustomEvent("refused", { detail: why }));
  }
}

/** @param {unknown} error */
function troubleWords(error) {
  if (!(error instanceof Error)) return String(error);
  const key = `tablet.trouble_${error.name}`;
  return hasText(key) ? t(key) : error.message;
}
