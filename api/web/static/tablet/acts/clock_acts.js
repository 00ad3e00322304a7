// Acts on the table's clock: what it shows at a moment, and what presses, starts, pauses record.

import { otherSeat } from "../../board/position.js";
import { clockAt } from "../../fold/clock.js";

/** @import { BySeat, ClockState, Seat } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/**
 * What one player's side of the clock shows.
 * @typedef {object} Shown
 * @property {number | null} reserve_ms what is left of the reserve; null = unknown
 * @property {number} delay_ms what is left of the free time of this turn
 */

const UNKNOWN = { reserve_ms: null, delay_ms: 0 };

/** The clock of one match and the acts on it. */
export class ClockActs {
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** The announced settings of the clock; null if the match has no clock. */
  get terms() {
    const opened = this.#recorder.table.standing.find(({ tag }) => tag === "match.opened");
    return opened?.body.clock_terms ?? null;
  }

  /** Whether there is a clock to show. */
  get isUsed() {
    return this.#recorder.table.clock !== null || this.terms !== null;
  }

  /** Whether it is unknown what the clock shows: a play was missed, and it was not read since. */
  get isUnknown() {
    const { reserve_ms, running } = this.#recorder.table.clock ?? {};
    return reserve_ms !== undefined && !running && reserve_ms.one === null && reserve_ms.two === null;
  }

  /** Whether the match is over, so that no clock runs any more. */
  get isOver() {
    const { awaits } = this.#recorder.table;
    return awaits === "nothing" || awaits === "cancelled";
  }

  /** Whether the clock still runs although the game is over. */
  get runsOn() {
    const { awaits, clock, in_game, ended } = this.#recorder.table;
    return Boolean(clock?.running) && awaits !== "cancelled" && !in_game && (ended !== null || this.isOver);
  }

  /**
   * Whose time is shown as running: nobody's after a flag was noticed, or if the director has
   * cancelled the match.
   */
  get running() {
    const { awaits, clock, flag } = this.#recorder.table;
    return flag !== null || awaits === "cancelled" ? null : (clock?.running ?? null);
  }

  /** What both sides of the clock show now. @returns {BySeat<Shown>} */
  get shown() {
    const { parked, status } = this.#recorder.outbox;
    // Another tablet has the board now, and this one does not know its clock.
    if (status.role === "none" && parked.length > 0) return { one: UNKNOWN, two: UNKNOWN };
    return this.#shownAt(this.#recorder.time.now());
  }

  /** @param {number | null} at @returns {BySeat<Shown>} */
  #shownAt(at) {
    const clock = this.#recorder.table.clock;
    if (clock !== null) {
      // A clock that was stopped by a flag shows the time at which it stopped.
      return shownAt({ ...clock, running: this.running }, at);
    }
    const { reserve_ms = 0, delay_ms = 0 } = this.terms ?? {};
    return { one: { reserve_ms, delay_ms }, two: { reserve_ms, delay_ms } };
  }

  get #readings() {
    const { one, two } = this.#shownAt(this.#recorder.time.happened());
    return { readings: { one: one.reserve_ms, two: two.reserve_ms } };
  }

  /** The body of a press, with what the clock shows after it. @param {Seat} seat */
  #pressed(seat) {
    return { seat, readings: this.afterPress(seat) };
  }

  /**
   * What the clock shows after `seat` presses: a Fischer or Bronstein clock adds time.
   * @param {Seat} seat
   * @returns {BySeat<number | null>}
   */
  afterPress(seat) {
    const { kind, delay_ms = 0, running, since_at_ms, since_elapsed_ms, turn_forfeit } = this.#recorder.table.clock ?? {};
    // One moment for both: otherwise the time between two looks would not be given back.
    const now = this.#recorder.time.happened();
    const { one, two } = this.#shownAt(now);
    const readings = { one: one.reserve_ms, two: two.reserve_ms };
    const left = readings[seat];
    if (running !== seat || left === null || now === null || since_at_ms == null || turn_forfeit) return readings;
    const used = (since_elapsed_ms ?? 0) + Math.max(0, now - since_at_ms);
    const bonus = { fischer: delay_ms, bronstein: Math.min(used, delay_ms) }[String(kind)] ?? 0;
    return { ...readings, [seat]: left + bonus };
  }

  /** A tap on a player's side of the clock: that player presses. @param {Seat} seat */
  press(seat) {
    return this.#recorder.gesture(async () => {
      const recorder = this.#recorder;
      const { clock, on_roll } = recorder.table;
      if (clock?.running === otherSeat(seat)) return;
      if (this.isOver) return recorder.refuse("over");
      // A press by the player of this turn ends it; the opponent's press only starts the clock.
      const { turn } = recorder;
      if (seat === (turn?.seat ?? on_roll)) await recorder.settle();
      await this.#set();
      // Starting it would hide that the reserves are unknown: they must be read first.
      if (this.isUnknown) return recorder.refuse("clock_unknown");
      const { running, paused } = recorder.table.clock ?? {};
      if (running === seat) await recorder.record("clock.pressed", this.#pressed(seat));
      else if (paused === seat) {
        // Pressed while the clock was paused: the opponent's time runs from here.
        await recorder.record("clock.resumed", { seat: otherSeat(seat), ...this.#readings });
      } else await recorder.record("clock.started", { seat: otherSeat(seat), ...this.#readings });
    });
  }

  /** Whose time ran when the clock was paused; null if a new game has begun since. */
  get #stopped() {
    const { clock, in_game, standing } = this.#recorder.table;
    const at = (/** @type {string} */ wanted) => standing.findLastIndex(({ tag }) => tag === wanted);
    return in_game && at("game.started") > at("clock.paused") ? null : (clock?.paused ?? null);
  }

  /** Pause the clock, or start it again: whichever the key said when it was touched. */
  toggle() {
    const ran = Boolean(this.#recorder.table.clock?.running);
    return this.#recorder.gesture(async () => {
      const recorder = this.#recorder;
      const { running } = recorder.table.clock ?? {};
      const paused = this.#stopped;
      // Done already: a double touch, or the director was faster.
      if (ran !== Boolean(running)) return;
      if (this.isUnknown) return recorder.refuse("clock_unknown");
      if (running && recorder.table.awaits !== "cancelled") {
        const reason = this.runsOn ? { reason: "game_over" } : {};
        await recorder.record("clock.paused", { ...reason, ...this.#readings });
      } else if (this.isOver) {
        recorder.refuse("over");
      } else if (paused) {
        await recorder.record("clock.resumed", { seat: paused, ...this.#readings });
      } else {
        // From the table as shown: the entries alone would reveal if an open play is recorded.
        const seat = recorder.told.to_act ?? recorder.told.on_roll;
        if (seat === null) return recorder.refuse("clock_whose");
        await this.#set();
        await recorder.record("clock.started", { seat, ...this.#readings });
      }
    });
  }

  /** Record the clock's settings before its first use. */
  async #set() {
    const { terms } = this;
    if (this.#recorder.table.clock !== null || terms === null) return;
    const { kind, reserve_ms, delay_ms = 0 } = terms;
    const body = { kind, reserve_ms: { one: reserve_ms, two: reserve_ms }, delay_ms };
    await this.#recorder.record("clock.set", body);
  }
}

/**
 * What the clock shows at a moment of the match.
 * @param {ClockState} clock
 * @param {number | null} at_ms
 * @returns {BySeat<Shown>}
 */
export function shownAt(clock, at_ms) {
  const isFree = clock.kind === "simple";
  const told = at_ms === null ? null : clockAt(clock, at_ms);
  const plate = (/** @type {Seat} */ seat) => {
    if (clock.running !== seat) {
      const isGone = !isFree || (clock.paused === seat ? clock.free_ms === 0 : clock.forfeits[seat] === "at_once");
      return { reserve_ms: clock.reserve_ms[seat], delay_ms: isGone ? 0 : clock.delay_ms };
    }
    return { reserve_ms: told?.reserve_ms[seat] ?? null, delay_ms: told?.delay_left_ms ?? 0 };
  };
  return { one: plate("one"), two: plate("two") };
}

/**
 * A time as the clock shows it: 12:05, with tenths in the last ten seconds.
 * @param {number | null} ms
 */
export function inWords(ms) {
  if (ms === null) return "–:––";
  if (ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}
