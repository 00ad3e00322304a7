// Correcting an earlier play or roll: the entry stays, and an amendment says what happened instead.

import { amended } from "./acts.js";
import { beforePlay } from "./early.js";
import { Refused } from "./recording.js";
import { Turn } from "./turn.js";

/** @import { Dice, Entry } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** The entry being corrected; taps go to it before the play of the current roll. */
export class Repair {
  /** The play, and the taps that replace it. @type {{ entry: Entry, turn: Turn, told: string } | null} */
  fixing = null;
  #recorder;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** Begin to correct a play: the board shows the position before it. @param {Entry} entry */
  begin(entry) {
    const recorder = this.#recorder;
    const { standing } = recorder.table;
    const index = standing.findIndex((one) => one.entry_id === entry.entry_id);
    const { board, dice } = beforePlay(standing, entry, recorder.outbox.terms);
    const { seat } = entry.body;
    if (board === null) return recorder.refuse("board_unknown");
    const turn = new Turn({ roll: entry.entry_id, board, seat, dice, isSilent: true });
    turn.recorded = standing[index];
    this.fixing = { entry: standing[index], turn, told: this.#upTo(entry) };
    recorder.refresh();
  }

  /** The corrected play is complete. @param {Turn} turn */
  over(turn) {
    if (this.fixing?.turn !== turn) return;
    const { atHand } = this.#recorder;
    // The play of the current roll was built on the uncorrected one.
    if (atHand.turn?.recorded?.entry_id === this.fixing.entry.entry_id) atHand.drop();
    this.fixing = null;
  }

  /** Leave the play uncorrected. */
  cancel() {
    this.fixing = null;
  }

  /** Stop correcting a play that was retracted; begin again if it, or anything before it, has changed. */
  follow() {
    const { entry, turn, told } = this.fixing ?? {};
    if (!entry || turn?.isKept || this.#upTo(entry) === told) return;
    this.cancel();
    const { standing } = this.#recorder.table;
    if (standing.some(({ entry_id }) => entry_id === entry.entry_id)) this.begin(entry);
  }

  /** The standing entries up to this one. @param {Entry} entry */
  #upTo({ entry_id }) {
    const { standing } = this.#recorder.table;
    const at = standing.findIndex((one) => one.entry_id === entry_id);
    return JSON.stringify(standing.slice(0, at + 1).map(({ body }) => body));
  }

  /** Correct the dice of the play that is being corrected. @param {Dice} dice */
  async dice(dice) {
    const recorder = this.#recorder;
    const { entry } = /** @type {NonNullable<typeof this.fixing>} */ (this.fixing);
    const { roll_entry } = beforePlay(recorder.table.standing, entry, recorder.outbox.terms);
    await this.amendRoll(roll_entry, dice);
  }

  /** @param {string | null} entry of the roll; null if there is none @param {Dice} dice */
  async amendRoll(entry, dice) {
    const recorder = this.#recorder;
    const roll = recorder.table.standing.find(({ entry_id }) => entry_id === entry);
    if (roll === undefined) throw new Refused("no_throw");
    const act = this.amendedRoll(roll, dice);
    if (act === null) return;
    // Taps for these dice are no play of other dice; plays of other rolls are not affected.
    if (recorder.atHand.turn?.roll === entry) recorder.atHand.drop();
    await recorder.record(act.tag, act.body, { basis: act.basis, timed: false });
  }

  /**
   * The correction of a misread roll; null if it has these dice already.
   * @param {Entry} roll
   * @param {Dice} dice
   * @throws {Refused} if the roll cannot have these dice
   */
  amendedRoll(roll, dice) {
    const [high, low] = dice[0] > dice[1] ? dice : [dice[1], dice[0]];
    // Dice stated together with a position are corrected in that entry.
    const isStated = roll.tag === "position.stated" && roll.basis !== "ruled";
    const isPlain = isStated || roll.tag === "dice.rolled" || roll.tag === "dice.rolled_early";
    /** @type {Record<string, any> | null} */
    let body = isPlain ? { ...roll.body, dice: [...dice] } : null;
    // An opening tie is no roll that is played, so it cannot be corrected here.
    if (roll.tag === "dice.opening_rolled" && roll.body.one !== roll.body.two) {
      if (high === low) throw new Refused("opening_doublet");
      body = roll.body.one > roll.body.two ? { one: high, two: low } : { one: low, two: high };
    }
    if (body === null) throw new Refused("no_throw");
    return isSameRoll(roll.body, body) ? null : amended(roll, roll.tag, body, roll.basis);
  }
}

/** @param {Record<string, any>} kept @param {Record<string, any>} now */
function isSameRoll(kept, now) {
  const faces = (/** @type {Record<string, any>} */ { dice, one, two }) =>
    [...(dice ?? [one, two])].sort().join();
  return faces(kept) === faces(now);
}
