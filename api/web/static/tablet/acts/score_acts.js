// What is said between games: how the last one ended, who agrees with the score, that the next begins.

import { otherSeat } from "../../board/position.js";
import { LEVELS } from "../../fold/past.js";
import { claimedBy, confirmations, confirmed } from "./acts.js";
import { earlyAnswer } from "./early.js";

/** @import { Act, BySeat, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/**
 * Whether both have confirmed the result and no entry ends the match: it was taken back, or they had
 * confirmed elsewhere than on their plates.
 * @param {Table} table
 */
export function lacksEnd(table) {
  const { awaits, standing, winner } = table;
  if (awaits !== "nothing" || winner === null || confirmations(table).length < 2) return false;
  return !standing.some(({ tag }) => tag === "match.ended");
}

/** Acts about the score of one match. */
export class ScoreActs {
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** The next game begins. */
  startGame() {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      if (recorder.table.in_game || /^(nothing|cancelled)$/.test(recorder.table.awaits)) return;
      await recorder.record("game.started", { number: recorder.table.game + 1 });
    });
  }

  /** What a resigned game was worth. @param {Seat} winner @param {string} kind */
  wonBy(winner, kind) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      if (recorder.table.awaits !== "claim") return;
      await recorder.record("game.won", { winner, points: (LEVELS.indexOf(kind) + 1) * recorder.table.cube.value, kind });
    });
  }

  /** The match is over that a flag has decided, or of which both players have confirmed the result. */
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

  /** What the opponent says to an early roll. @param {"stands" | "redone"} answer */
  answerEarly(answer) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      const { early } = recorder.table;
      // Else the finger has touched twice, and it is answered already.
      if (early === null || earlyAnswer(recorder.table) !== null) return;
      const body = { answer, target: early.entry_id, seat: otherSeat(early.seat) };
      await recorder.record("dice.early_roll_answered", body);
    });
  }

  /** A player agrees with the score shown, and at the end with the result. @param {Seat} seat @param {BySeat<number>} [shown] */
  confirm(seat, shown) {
    return this.#recorder.gesture(async () => {
      const { one, two } = this.#recorder.table.score;
      // Put right since it was drawn, it is another one than the player has read.
      if (!shown || (shown.one === one && shown.two === two)) await this.#confirm(seat);
    });
  }

  /** Whoever of these has not agreed yet does. @param {readonly Seat[]} seats */
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

  /** A player does not agree: the director is called, and the moment is marked. @param {Seat} seat */
  disagree(seat) {
    const recorder = this.#recorder;
    return recorder.gesture(async () => {
      const { about, table } = recorder;
      // Else the finger has touched twice: the director is called already.
      if (table.standing.slice(-2).some(({ tag, body }) => tag === "director.called" && body.by === seat)) return;
      /** @type {Act[]} */
      const acts = [{ tag: "director.called", body: { by: seat, ...about }, basis: claimedBy(seat) }];
      if (about.about) acts.push({ tag: "moment.marked", body: { target: about.about } });
      await recorder.recordAll(acts);
    });
  }
}
