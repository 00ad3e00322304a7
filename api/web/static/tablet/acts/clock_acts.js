// The clock on the table: what it shows at a moment, and what a press, a start or a pause records.

import { otherSeat } from "../../board/position.js";
import { clockAt } from "../../fold/clock.js";

/** @import { BySeat, ClockState, Seat } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/**
 * What one plate shows.
 * @typedef {object} Shown
 * @property {number | null} reserve_ms what is left of the bank; null = not known
 * @property {number} delay_ms what is left of the free time of this turn
 */

const UNKNOWN = { reserve_ms: null, delay_ms: 0 };

/** Clock acts of one match; the terms come with the opening of the match. */
export class ClockActs {
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** How the clock is to be set; null where the match has no clock. */
  get terms() {
    const opened = this.#recorder.table.standing.find(({ tag }) => tag === "match.opened");
    return opened?.body.clock_terms ?? null;
  }

  /** Whether there is a clock to show. */
  get isUsed() {
    return this.#recorder.table.clock !== null || this.terms !== null;
  }

  /** Whether nobody knows what it shows: a play was missed, and no clock was read since. */
  get isUnknown() {
    const { reserve_ms, running } = this.#recorder.table.clock ?? {};
    return reserve_ms !== undefined && !running && reserve_ms.one === null && reserve_ms.two === null;
  }

  /** Whether nothing is played any more, and no time either. */
  get isOver() {
    const { awaits } = this.#recorder.table;
    return awaits === "nothing" || awaits === "cancelled";
  }

  /** Whether it runs on though the game is over. */
  get runsOn() {
    const { awaits, clock, in_game, ended } = this.#recorder.table;
    return Boolean(clock?.running) && awaits !== "cancelled" && !in_game && (ended !== null || this.isOver);
  }

  /**
   * Whose time runs, as it is shown: a flag that was noticed ends it, and so does the end of a match
   * that the director has cancelled, with which nothing goes on.
   */
  get running() {
    const { awaits, clock, flag } = this.#recorder.table;
    return flag !== null || awaits === "cancelled" ? null : (clock?.running ?? null);
  }

  /** What both plates show now. @returns {BySeat<Shown>} */
  get shown() {
    const { parked, status } = this.#recorder.outbox;
    // Another tablet has the board, and this one stands where it lost it: what it knew runs no more.
    if (status.role === "none" && parked.length > 0) return { one: UNKNOWN, two: UNKNOWN };
    return this.#shownAt(this.#recorder.time.now());
  }

  /** @param {number | null} at @returns {BySeat<Shown>} */
  #shownAt(at) {
    const clock = this.#recorder.table.clock;
    if (clock !== null) {
      // What is shown of a time that ended is what it ended at.
      return shownAt({ ...clock, running: this.running }, at);
    }
    const { reserve_ms = 0, delay_ms = 0 } = this.terms ?? {};
    return { one: { reserve_ms, delay_ms }, two: { reserve_ms, delay_ms } };
  }

  get #readings() {
    const { one, two } = this.#shownAt(this.#recorder.time.happened());
    return { readings: { one: one.reserve_ms, two: two.reserve_ms } };
  }

  /** A press, with what the clock shows after it. @param {Seat} seat */
  #pressed(seat) {
    return { seat, readings: this.afterPress(seat) };
  }

  /**
   * What the clock shows after a press of whoever's time runs: some kinds give time back.
   * @param {Seat} seat
   * @returns {BySeat<number | null>}
   */
  afterPress(seat) {
    const { kind, delay_ms = 0, running, since_at_ms, since_elapsed_ms, turn_forfeit } = this.#recorder.table.clock ?? {};
    // At one moment: what was used between two looks would not be given back.
    const now = this.#recorder.time.happened();
    const { one, two } = this.#shownAt(now);
    const readings = { one: one.reserve_ms, two: two.reserve_ms };
    const left = readings[seat];
    if (running !== seat || left === null || now === null || since_at_ms == null || turn_forfeit) return readings;
    const used = (since_elapsed_ms ?? 0) + Math.max(0, now - since_at_ms);
    const bonus = { fischer: delay_ms, bronstein: Math.min(used, delay_ms) }[String(kind)] ?? 0;
    return { ...readings, [seat]: left + bonus };
  }

  /** A tap on a plate: that player presses. @param {Seat} seat */
  press(seat) {
    return this.#recorder.gesture(async () => {
      const recorder = this.#recorder;
      const { clock, on_roll } = recorder.table;
      if (clock?.running === otherSeat(seat)) return;
      if (this.isOver) return recorder.refuse("over");
      // The press of whoever played ends the turn; the other's only starts the clock.
      const { turn } = recorder;
      if (seat === (turn?.seat ?? on_roll)) await recorder.settle();
      await this.#set();
      // To start it would hide that nobody knows what is left: first somebody says so.
      if (this.isUnknown) return recorder.refuse("clock_unknown");
      const { running, paused } = recorder.table.clock ?? {};
      if (running === seat) await recorder.record("clock.pressed", this.#pressed(seat));
      else if (paused === seat) {
        // Pressed while both stood still: the other's time runs from here.
        await recorder.record("clock.resumed", { seat: otherSeat(seat), ...this.#readings });
      } else await recorder.record("clock.started", { seat: otherSeat(seat), ...this.#readings });
    });
  }

  /** Whose time ran when it was stopped; a game that has begun since has other turns. */
  get #stopped() {
    const { clock, in_game, standing } = this.#recorder.table;
    const at = (/** @type {string} */ wanted) => standing.findLastIndex(({ tag }) => tag === wanted);
    return in_game && at("game.started") > at("clock.paused") ? null : (clock?.paused ?? null);
  }

  /** Both times stand still, or run again: what the key said when it was touched. */
  toggle() {
    const ran = Boolean(this.#recorder.table.clock?.running);
    return this.#recorder.gesture(async () => {
      const recorder = this.#recorder;
      const { running } = recorder.table.clock ?? {};
      const paused = this.#stopped;
      // Else the finger has touched twice, or the director was faster: it is done already.
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
        // As it is told: whose time it would be by the entries tells whether an open play is one.
        const seat = recorder.told.to_act ?? recorder.told.on_roll;
        if (seat === null) return recorder.refuse("clock_whose");
        await this.#set();
        await recorder.record("clock.started", { seat, ...this.#readings });
      }
    });
  }

  /** Set it by the terms, the first time that it is used. */
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
 * A time as a clock shows it: 12:05, and tenths in the last ten seconds.
 * @param {number | null} ms
 */
export function inWords(ms) {
  if (ms === null) return "–:––";
  if (ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}
