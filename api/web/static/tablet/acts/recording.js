// One match being recorded: gestures are done one after the other, and entries folded into a table.

import { hasText, t } from "../../shared/texts.js";
import { lastMoment } from "./calls.js";
import { Folding } from "./folding.js";
import { Gestures } from "./gestures.js";
import { MatchTime } from "./match_time.js";
import { namesOf } from "./words.js";

/** @import { Act, Entry, Outbox, RecordOptions } from "../../shared/types.js" */

/** Thrown by a gesture that is not possible now. */
export class Refused extends Error {
  /** @param {string} why last part of the text that says so */
  constructor(why) {
    super(why);
    this.name = "Refused";
    this.why = why;
  }
}

/** What all gestures share. Events: "change" (draw again), "echo" (a gesture was made), "taken" (it is
 * done), "refused" (it is not possible now). */
export class Recording extends EventTarget {
  /** The last refusal, in words; null if there was none. @type {string | null} */
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
        if (error instanceof Refused) this.refuse(error.why);
        else this.trouble = troubleWords(error);
        this.refresh();
      },
    });
    this.time = new MatchTime(outbox);
    this.time.hear(outbox.server_clock);
  }

  /** The table as the entries make it. */
  get table() {
    return this.#folding.table;
  }

  /** What the players are called here. */
  get names() {
    return namesOf(this.table.standing);
  }

  /** The last moment on record, which a call for the director is about. @returns {{ about?: string }} */
  get about() {
    const last = lastMoment(this.table.standing);
    return last ? { about: last.entry_id } : {};
  }

  /** Fold the entries again and have the screen drawn. */
  refresh() {
    this.time.hear(this.outbox.server_clock);
    this.#folding.follow(this.outbox);
    this.follow();
    this.tell();
  }

  /** Bring what depends on the table in line with it; subclasses override it. */
  follow() {}

  /** Have the screen drawn again. */
  tell() {
    this.dispatchEvent(new Event("change"));
  }

  /** Whether a gesture was taken that is not durable yet. */
  get isBusy() {
    return this.#gestures.isBusy;
  }

  /** Settles once every gesture so far is through. */
  get through() {
    return this.#gestures.through;
  }

  /**
   * Take one gesture after the other: each is durable before the next one is looked at.
   * @param {() => Promise<unknown>} gesture
   */
  gesture(gesture) {
    const taken = this.#gestures.take(this.time.touched(gesture));
    this.dispatchEvent(new Event("echo"));
    return taken;
  }

  #taken() {
    this.dispatchEvent(new Event("taken"));
    this.#tellDoubt();
    if (!this.isBusy) this.rest();
  }

  /** A time that may be wrong is marked as such; not beside a play, for that would tell that it is recorded. */
  #tellDoubt() {
    const last = lastMoment(this.table.standing);
    if (last === undefined || last.tag.startsWith("play.") || !this.time.takeDoubt()) return;
    const body = { target: last.entry_id, note: t("tablet.clock_changed") };
    void this.gesture(() => this.record("moment.marked", body, { basis: "device" }));
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
    this.kept();
    return entry;
  }

  /** Record several acts of one gesture. @param {Act[]} acts */
  async recordAll(acts) {
    await this.outbox.recordAll(acts.map((act) => ({ ...act, body: this.time.stamp(act.body) })));
    this.kept();
  }

  /** Something was recorded: what had gone wrong before it is told no more. */
  kept() {
    this.trouble = null;
    this.refresh();
  }

  /** @param {string} why @param {Entry} [about] what stands in the way */
  refuse(why, about) {
    this.dispatchEvent(new CustomEvent("refused", { detail: { why, about } }));
  }
}

/** Why something could not be recorded, in words. @param {unknown} error */
export function troubleWords(error) {
  if (!(error instanceof Error)) return String(error);
  const key = `tablet.trouble_${error.name}`;
  return hasText(key) ? t(key) : error.message;
}
