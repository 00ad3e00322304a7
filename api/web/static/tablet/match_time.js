// When things happen at the table: by the server's clock where it was heard, and never going back.

/** @import { Entry, ServerClock } from "../types.js" */

/** What this tablet knew of the time when it was left: a page that is loaded anew goes on from it. */
const KEPT = "tabularium.time";

/** Clocks that differ by less agree. */
const SAME_MS = 2_000;

/**
 * @typedef {object} Kept
 * @property {string} match_id
 * @property {number} wall what the tablet's clock said, milliseconds since 1970
 * @property {number} time what time it was
 * @property {number} last the time of the latest entry made here, of this match
 * @property {number} apart how far the server's clock is ahead of `time`, as far as it may stay
 */

/**
 * Time as entries say it: milliseconds since the appointed start, else since the match was opened.
 *
 * Within one visit of the page it is monotonic, and what the visit ends with the next one begins
 * with: a clock that is changed while the page is open moves nobody's time. One that was changed
 * while the page was closed is put right by the server's clock. No entry gets an earlier time than
 * one before it.
 */
export class MatchTime {
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
  #closed = new AbortController();

  /** @param {{ match_id: string, entries: readonly Entry[] }} match */
  constructor({ match_id, entries }) {
    const opened = entries.find((entry) => entry.tag === "match.opened");
    this.#base = opened === undefined ? null : startOf(opened);
    this.#match_id = match_id;
    this.#zero = this.#wall;
    const kept = read();
    if (kept !== null) this.#goOn(kept);
    addEventListener("pagehide", () => this.#keep(), { signal: this.#closed.signal });
  }

  /** Another match is recorded from here on. */
  close() {
    this.#keep();
    this.#closed.abort();
  }

  /** @param {Kept} kept */
  #goOn({ match_id, wall, time, last, apart }) {
    const passed = Date.now() - wall;
    this.#isUnsure = passed < -SAME_MS;
    this.#zero = time + Math.max(0, passed) - performance.now();
    if (match_id !== this.#match_id) return;
    this.#last = last;
    this.#apart = apart;
  }

  get #time() {
    return performance.now() + this.#zero;
  }

  /** Milliseconds now; null where the start is not known to this device. */
  now() {
    return this.#base === null ? null : Math.round(this.#time - this.#base);
  }

  /** The same for an entry: what comes later is no earlier. */
  taken() {
    this.#last = this.#time;
    this.#hasDoubt ||= this.#isUnsure;
    this.#keep();
    return this.now();
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
    const isFirst = this.#heard === null;
    this.#heard = clock;
    const ahead = clock.time_ms - (clock.heard_ms + this.#zero);
    const change = ahead - this.#apart;
    const slack = SAME_MS + clock.slack_ms;
    const slept = wallZero() - this.#wall;
    this.#wall += slept;
    this.#isUnsure = false;
    if (Math.abs(change) <= slack) return;
    if (isFirst || Math.abs(slept - change) <= slack) this.#move(change);
    this.#apart = clock.time_ms - (clock.heard_ms + this.#zero);
    this.#keep();
  }

  /** @param {number} change */
  #move(change) {
    const least = this.#last - this.#time;
    this.#hasDoubt ||= change < least;
    this.#zero += Math.max(change, least);
  }

  /** Whether an entry has a time that the tablet's changed clock made doubtful; told once. */
  takeDoubt() {
    const had = this.#hasDoubt;
    if (had) this.#hasDoubt = this.#isUnsure = false;
    return had;
  }

  #keep() {
    /** @type {Kept} */
    const kept = {
      match_id: this.#match_id,
      wall: Date.now(),
      time: this.#time,
      last: Math.max(this.#last, 0),
      apart: this.#apart,
    };
    localStorage.setItem(KEPT, JSON.stringify(kept));
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
