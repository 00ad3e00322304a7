// Dice: shown at once, and recorded even if the play before them is incomplete.

import { otherSeat } from "../../board/position.js";

/** @import { Dice, Seat } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** Throws of one match. */
export class DiceActs {
  /** Dice being recorded: shown at once, while the tick says that they are not stored
   * yet. @type {{ seat: Seat, dice: Dice } | null} */
  thrown = null;
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** @param {Dice} dice */
  async rolled(dice) {
    const recorder = this.#recorder;
    if (recorder.fixing) return recorder.repair.dice(dice);
    if (recorder.asking.isRolling) return recorder.asking.dice(dice);
    // The dice on the board were tapped again: that is not a second throw.
    if (recorder.takeEarly(dice)) return;
    this.#show(dice);
    try {
      await recorder.settle();
      const { in_game, on_roll } = recorder.table;
      if (!in_game || on_roll === null) return recorder.refuse(in_game ? "no_roll" : "no_game");
      await recorder.record("dice.rolled", { seat: on_roll, dice: [...dice] });
    } finally {
      this.thrown = null;
      recorder.tell();
    }
    await this.#complete();
  }

  /** The dice being recorded, as a roll of the player who rolls next. @param {Dice} dice */
  #show(dice) {
    const { in_game, on_roll, awaits } = this.#recorder.table;
    if (!in_game || on_roll === null) return;
    const seat = awaits === "play" ? otherSeat(on_roll) : on_roll;
    this.thrown = { seat, dice };
    this.#recorder.tell();
  }

  /** Each player's first die. @param {number} one @param {number} two */
  async opened(one, two) {
    const recorder = this.#recorder;
    if (!recorder.table.in_game) return recorder.refuse("no_game");
    // The opening is decided already: a double touch.
    if (recorder.table.awaits !== "opening") return;
    await recorder.record("dice.opening_rolled", { one, two });
    await this.#complete();
  }

  /**
   * Two typed digits: each player's die if the opening roll is due, else the roll.
   * @param {number} one
   * @param {number} two
   */
  keyed(one, two) {
    const { table, fixing } = this.#recorder;
    if (table.awaits === "opening" && !fixing) return this.opened(one, two);
    return this.rolled(one > two ? [one, two] : [two, one]);
  }

  /** Record a play that needs no tap; where players see the screen, every play needs taps. */
  async #complete() {
    const { turn, atHand } = this.#recorder;
    if (turn?.isDecided) await atHand.keep(turn);
  }
}
