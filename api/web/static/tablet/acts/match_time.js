// The time of acts: follows the server's clock if it was heard, and never goes backwards.

import { remember } from "../../shared/settings.js";

/** @import { Entry, ServerClock } from "../../shared/types.js" */

/** Key in localStorage of the time when the page was left, from which the next page goes on. */
const KEPT = "tabularium.time";

/** The match id of training, as in `training/outbox.js`. */
const TRAINING = "training";

/** Clocks that differ by no more than this count as equal. */
const SAME_MS = 2_000;

/** If the tablet's clock jumps by more, it was changed, or the tablet has slept. */
const JUMP_MS = 250;

/** The system slews its clock by less than this fraction of the time. */
const SLEW = 0.001;

/** How far a good clock drifts, as a fraction of the time: an old measurement loses precision. */
const DRIFT = 0.000_05;

/** The time stamp of a touch is ignored if it is older than this. */
const LATE_MS = 10_000;

/**
 * @typedef {object} Kept
 * @property {string} match_id
 * @property {number} wall the tablet's clock, milliseconds since 1970
 * @property {number} time the time of entries at that moment, milliseconds since 1970
 * @property {number} last the time of this match's latest entry from this tablet
 * @property {number} apart how far the server's clock is ahead of `time`, and is left ahead
 * @property {number} [slack] how precisely `apart` is known, in milliseconds
 * @property {number} [known] the time of that measurement
 */

/**
 * The time of entries: milliseconds since the appointed start, or else since the match was opened.
 *
 * Changing the tablet's clock while the page is open has no effect; a change while the page was
 * closed is corrected by the server's clock. No entry gets an earlier time than the one before it.
 */
export class MatchTime {
  #match;
  #base;
  #match_id;
  /** The time of entries minus `performance.now()`. */
  #zero;
  /** The tablet's clock minus `performance.now()`; a change of clock or a sleep changes this. */
  #wall = wallZero();
  #last = -Infinity;
  #apart = 0;
  /** @type {ServerClock | null} */
  #heard = null;
  /** Whether the clock was set back while the page was closed, by an unknown amount. */
  #isUnsure = false;
  #hasDoubt = false;
  /** `wallZero()` and `performance.now()` when the clocks were compared last. */
  #looked = { wall: this.#wall, at: performance.now() };
  #wasHidden = document.hidden;
  /** Time added for a sleep that the server's clock has not confirmed yet. */
  #slept = 0;
  /** `performance.now()` at the last waking: server times heard before it are useless. */
  #woke = -Infinity;
  /** How precisely the server's clock is known, and since when. */
  #best = { slack: Infinity, time: 0 };
  /** `performance.now()` at the touch of the running gesture. @type {number | null} */
  #moment = null;
  #closed = new AbortController();

  /** @param {{ match_id: string, entries: readonly Entry[], server_clock?: ServerClock | null }} match */
  constructor(match) {
    const { match_id, entries } = match;
    this.#match = match;
    const opened = entries.find((entry) => entry.tag === "match.opened");
    this.#base = opened === undefined ? null : startOf(opened);
    this.#match_id = match_id;
    this.#zero = this.#wall;
    const kept = read();
    if (kept !== null) this.#goOn(kept);
    const options = { signal: this.#closed.signal };
    addEventListener("pagehide", () => this.#keep(), options);
    addEventListener("visibilitychange", () => (this.#wasHidden ||= document.hidden), options);
  }

  /** Stop, because another match will be recorded. */
  close() {
    this.#keep();
    this.#closed.abort();
  }

  /** @param {Kept} kept */
  #goOn({ match_id, wall, time, last, apart, slack, known }) {
    const passed = Date.now() - wall;
    this.#isUnsure = passed < -SAME_MS;
    this.#zero = time + Math.max(0, passed) - performance.now();
    if (match_id !== this.#match_id) return;
    this.#last = last;
    this.#apart = apart;
    if (slack !== undefined && known !== undefined) this.#best = { slack, time: known };
  }

  /**
   * Find out whether the tablet has slept since the last look, and add that time: on most tablets
   * `performance.now()` stops meanwhile, while the clock on the table runs on. A changed clock
   * looks the same, except that the page was not hidden.
   */
  #look() {
    const wall = wallZero();
    const at = performance.now();
    const jump = wall - this.#looked.wall;
    const isJump = Math.abs(jump) > JUMP_MS + (at - this.#looked.at) * SLEW;
    if (isJump && jump > 0 && this.#wasHidden) {
      this.#zero += jump;
      this.#slept += jump;
      this.#woke = at;
    }
    this.#looked = { wall, at };
    this.#wasHidden = document.hidden;
    // Keep it for the next page, which cannot tell how the tablet's clock has jumped.
    if (isJump) this.#keep();
  }

  get #time() {
    return performance.now() + this.#zero;
  }

  /** The time of the running gesture's touch, or now; never before the last entry. */
  get #happened() {
    const time = this.#moment === null ? this.#time : this.#moment + this.#zero;
    return Math.max(time, this.#last);
  }

  /** @param {number} time */
  #told(time) {
    return this.#base === null ? null : Math.round(time - this.#base);
  }

  /** Milliseconds now; null if this device does not know the start. */
  now() {
    this.hear(this.#match.server_clock);
    this.#look();
    return this.#told(this.#time);
  }

  /** The same for an act being recorded: when it happened, even if the device is late with it. */
  happened() {
    return this.#told(this.#happened);
  }

  /**
   * Wrap a gesture so that all its entries get the time of the touch.
   * @template T
   * @param {() => Promise<T>} gesture
   * @returns {() => Promise<T>}
   */
  touched(gesture) {
    this.#look();
    const now = performance.now();
    // The browser stamps the touch itself, even if the page was busy.
    const touched = globalThis.event?.timeStamp ?? now;
    const at = touched <= now && touched > now - LATE_MS ? touched : now;
    return async () => {
      this.#moment = at;
      try {
        return await gesture();
      } finally {
        this.#moment = null;
      }
    };
  }

  /** The time of an entry being made; no later entry gets an earlier time. */
  taken() {
    this.#look();
    this.#last = this.#happened;
    this.#hasDoubt ||= this.#isUnsure;
    this.#keep();
    return this.#told(this.#last);
  }

  /**
   * `body` with the time of the act, if it is known.
   * @param {Record<string, any>} body
   */
  stamp(body) {
    const at_ms = this.taken();
    return at_ms === null ? body : { ...body, at_ms };
  }

  /**
   * Take over a reading of the server's clock. The first one shows how the tablet's clock changed
   * while the page was closed. A later one counts if the tablet has slept, or was assumed to.
   * @param {ServerClock | null | undefined} clock
   */
  hear(clock) {
    if (!clock || clock === this.#heard) return;
    this.#look();
    const isFirst = this.#heard === null;
    this.#heard = clock;
    if (clock.heard_ms <= this.#woke) return;
    const ahead = clock.time_ms - (clock.heard_ms + this.#zero);
    const change = ahead - this.#apart;
    const slack = SAME_MS + clock.slack_ms;
    const slept = wallZero() - this.#wall;
    this.#wall += slept;
    this.#isUnsure = false;
    const assumed = this.#slept;
    this.#slept = 0;
    if (Math.abs(change) <= slack) {
      this.#refine(change, clock.slack_ms);
      return;
    }
    const isSleep = Math.abs(slept - assumed - change) <= slack;
    const isNone = assumed > 0 && Math.abs(assumed + change) <= slack;
    if (isFirst || isSleep || isNone) this.#move(change);
    this.#apart = clock.time_ms - (clock.heard_ms + this.#zero);
    this.#best = { slack: clock.slack_ms, time: this.#time };
    this.#keep();
  }

  /**
   * If the clocks agree, adjust to a reading that is more precise than the best so far.
   * @param {number} change
   * @param {number} slack
   */
  #refine(change, slack) {
    const known = this.#best.slack + Math.max(0, this.#time - this.#best.time) * DRIFT;
    if (slack > known || change < this.#last - this.#time) return;
    this.#zero += change;
    this.#best = { slack, time: this.#time };
    this.#keep();
  }

  /** @param {number} change */
  #move(change) {
    const least = this.#last - this.#time;
    this.#hasDoubt ||= change < least - SAME_MS;
    this.#zero += Math.max(change, least);
  }

  /** Whether a changed clock has made the time of an entry doubtful; true only once. */
  takeDoubt() {
    const had = this.#hasDoubt;
    if (had) this.#hasDoubt = this.#isUnsure = false;
    return had;
  }

  #keep() {
    // Training runs beside a match, and must not overwrite that match's time.
    if (this.#match_id === TRAINING) return;
    /** @type {Kept} */
    const kept = {
      match_id: this.#match_id,
      wall: Date.now(),
      time: this.#time,
      last: Math.max(this.#last, 0),
      apart: this.#apart,
      ...(this.#best.slack < Infinity && { slack: this.#best.slack, known: this.#best.time }),
    };
    remember(KEPT, JSON.stringify(kept));
  }
}

function wallZero() {
  return Date.now() - performance.now();
}

/** @returns {Kept | null} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {Entry} opened
 * @returns {number | null}
 */
function startOf(opened) {
  const { appointed_start } = opened.body;
  if (appointed_start === null || appointed_start === undefined) return opened.occurred_at ?? null;
  const start = typeof appointed_start === "string" ? Date.parse(appointed_start) : NaN;
  return Number.isNaN(start) ? null : start;
}
