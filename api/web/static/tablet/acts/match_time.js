// When things happen at the table: by the server's clock where it was heard, and never going back.

import { remember } from "../../shared/settings.js";

/** @import { Entry, ServerClock } from "../../shared/types.js" */

/** What this tablet knew of the time when it was left: a page that is loaded anew goes on from it. */
const KEPT = "tabularium.time";

/** The match that is none: `training/outbox.js` calls it so. */
const TRAINING = "training";

/** Clocks that differ by less agree. */
const SAME_MS = 2_000;

/** The tablet's clock has been changed, or it has slept, where that moved by more between two looks. */
const JUMP_MS = 250;

/** A clock that is put right little by little moves by less than this share of the time. */
const SLEW = 0.001;

/** How far a good clock runs off, as a share of the time: after that a slower answer is news again. */
const DRIFT = 0.000_05;

/** A touch that was handled later than this is none of now. */
const LATE_MS = 10_000;

/**
 * @typedef {object} Kept
 * @property {string} match_id
 * @property {number} wall what the tablet's clock said, milliseconds since 1970
 * @property {number} time what time it was
 * @property {number} last the time of the latest entry made here, of this match
 * @property {number} apart how far the server's clock is ahead of `time`, as far as it may stay
 * @property {number} [slack] how well `apart` is known, milliseconds
 * @property {number} [known] the time at which that was so
 */

/**
 * Time as entries say it: milliseconds since the appointed start, else since the match was opened.
 *
 * A clock that is changed while the page is open moves nobody's time; one that was changed while it
 * was closed is put right by the server's. No entry gets an earlier time than one before it.
 */
export class MatchTime {
  #match;
  #base;
  #match_id;
  /** Time minus `performance.now()`. */
  #zero;
  /** The tablet's clock minus `performance.now()`: it moves when that clock is changed, or slept. */
  #wall = wallZero();
  #last = -Infinity;
  #apart = 0;
  /** @type {ServerClock | null} */
  #heard = null;
  /** Whether the clock went back while the page was closed, and nobody has said by how much. */
  #isUnsure = false;
  #hasDoubt = false;
  /** `wallZero()` and `performance.now()` when the clocks were compared last. */
  #looked = { wall: this.#wall, at: performance.now() };
  #wasHidden = document.hidden;
  /** Time that was added for a sleep, and that no server has confirmed. */
  #slept = 0;
  /** When it woke, by `performance.now()`: what was heard before says nothing of it. */
  #woke = -Infinity;
  /** How well the server's clock is known, and since when. */
  #best = { slack: Infinity, time: 0 };
  /** When the gesture that is being taken was made, by `performance.now()`. @type {number | null} */
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

  /** Another match is recorded from here on. */
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
   * Has the tablet slept since the last look? That stops `performance.now()` on most, and the clock on
   * the table has run on. A clock that was changed looks the same, but for the screen that was dark.
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
    // The next page goes on from here, whatever the tablet's clock says by then.
    if (isJump) this.#keep();
  }

  get #time() {
    return performance.now() + this.#zero;
  }

  /** The time of the gesture that is being taken, else of now; nothing is before the last entry. */
  get #happened() {
    const time = this.#moment === null ? this.#time : this.#moment + this.#zero;
    return Math.max(time, this.#last);
  }

  /** @param {number} time */
  #told(time) {
    return this.#base === null ? null : Math.round(time - this.#base);
  }

  /** Milliseconds now; null where the start is not known to this device. */
  now() {
    this.hear(this.#match.server_clock);
    this.#look();
    return this.#told(this.#time);
  }

  /** The same for what is being recorded: when it happened, however late a slow device comes to it. */
  happened() {
    return this.#told(this.#happened);
  }

  /**
   * A gesture whose entries all happened when somebody touched the screen.
   * @template T
   * @param {() => Promise<T>} gesture
   * @returns {() => Promise<T>}
   */
  touched(gesture) {
    this.#look();
    const now = performance.now();
    // The browser notes when a finger came, also where the page was busy then.
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

  /** The same for an entry: what comes later is no earlier. */
  taken() {
    this.#look();
    this.#last = this.#happened;
    this.#hasDoubt ||= this.#isUnsure;
    this.#keep();
    return this.#told(this.#last);
  }

  /**
   * `body` with the time of now, where it is known.
   * @param {Record<string, any>} body
   */
  stamp(body) {
    const at_ms = this.taken();
    return at_ms === null ? body : { ...body, at_ms };
  }

  /**
   * The server's clock was heard. The first time it says what the tablet's did while the page was
   * closed; after that it is believed where the tablet has slept, which stops `performance.now()`.
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
   * Clocks that agree: the quicker an answer came, the better it says by how little they do not.
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

  /** Whether an entry has a time that the tablet's changed clock made doubtful; told once. */
  takeDoubt() {
    const had = this.#hasDoubt;
    if (had) this.#hasDoubt = this.#isUnsure = false;
    return had;
  }

  #keep() {
    // Training runs beside a match, whose time this is.
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
