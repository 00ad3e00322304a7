// Acts between games: the result of the last game, agreement with the score, the next game.

import { otherSeat } from "../../board/position.js";
import { LEVELS } from "../../fold/past.js";
import { claimedBy, confirmations, confirmed } from "./acts.js";
import { earlyAnswer } from "./early.js";

/** @import { Act, BySeat, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/**
 * Whether both have confirmed the result but no entry ends the match: that entry was taken back, or
 * they confirmed elsewhere than on this screen.
 * @param {Table} table
 */
export function lacksEnd(table) {
  const { awaits, standing, winner } = table;
  if (awaits !== "nothing" || winner === null || confirmations(table).length < 2) return false;
  return !standing.some(({ tag }) => tag === "match.ended");
}

/** Acts on the score of one match. */
export class ScoreActs {
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** Begin the next game. */
  startGame() {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      if (recorder.table.in_game || /^(nothing|cancelled)$/.test(recorder.table.awaits)) return;
      await recorder.record("game.started", { number: recorder.table.game + 1 });
    });
  }

  /** Record the level of a resigned game. @param {Seat} winner @param {string} kind */
  wonBy(winner, kind) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      if (recorder.table.awaits !== "claim") return;
      await recorder.record("game.won", { winner, points: (LEVELS.indexOf(kind) + 1) * recorder.table.cube.value, kind });
    });
  }

  /** End a match that a flag has decided, or whose result both players have confirmed. */
  endMatch() {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      const { table } = recorder;
      const { known, score, winner, in_game } = table;
      const isLost = known?.by === "flag" && winner !== null && in_game;
      if (!isLost && !lacksEnd(table)) return;
      await recorder.atHand.leave();
      const basis = isLost ? {} : { basis: /** @type {const} */ ("agreed") };
      await recorder.record("match.ended", { winner, score: { ...score } }, basis);
    });
  }

  /** The opponent's answer to an early roll. @param {"stands" | "redone"} answer */
  answerEarly(answer) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      const { early } = recorder.table;
      // Answered already: a double touch.
      if (early === null || earlyAnswer(recorder.table) !== null) return;
      const body = { answer, target: early.entry_id, seat: otherSeat(early.seat) };
      await recorder.record("dice.early_roll_answered", body);
    });
  }

  /**
   * A player agrees with the score shown or, at the end, with the result.
   * @param {Seat} seat
   * @param {BySeat<number>} [shown]
   */
  confirm(seat, shown) {
    return this.#recorder.gesture(async () => {
      const { one, two } = this.#recorder.table.score;
      // If the score was corrected since it was drawn, the player has read another one.
      if (!shown || (shown.one === one && shown.two === two)) await this.#confirm(seat);
    });
  }

  /** The first of these seats that has not agreed yet agrees. @param {readonly Seat[]} seats */
  confirmNext(seats) {
    return this.#recorder.gesture(async () => {
      const { table } = this.#recorder;
      const done = confirmations(table);
      const seat = seats.find((one) => !done.includes(one));
      if (seat && !table.in_game && table.ended && !table.unjudged) await this.#confirm(seat);
    });
  }

  /** @param {Seat} seat */
  async #confirm(seat) {
    const { awaits, score, winner } = this.#recorder.table;
    if (awaits === "cancelled") return this.#recorder.refuse("over");
    const done = confirmations(this.#recorder.table);
    if (done.includes(seat)) return;
    const acts = [confirmed(seat, score)];
    if (winner !== null) {
      const body = { seat, winner, score: { ...score } };
      acts.push({ tag: "result.reported", body, basis: claimedBy(seat) });
      if (done.length === 1) {
        acts.push({ tag: "match.ended", body: { winner, score: { ...score } }, basis: "agreed" });
      }
    }
    await this.#recorder.recordAll(acts);
  }

  /** A player disagrees: call the director, and mark the moment. @param {Seat} seat */
  disagree(seat) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      const { about, table } = recorder;
      // Called already: a double touch.
      if (table.standing.slice(-2).some(({ tag, body }) => tag === "director.called" && body.by === seat)) return;
      /** @type {Act[]} */
      const acts = [{ tag: "director.called", body: { by: seat, ...about }, basis: claimedBy(seat) }];
      if (about.about) acts.push({ tag: "moment.marked", body: { target: about.about } });
      await recorder.recordAll(acts);
    });
  }
}
