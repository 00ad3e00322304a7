// Questions about earlier plays that are still unknown.
//
// If dice, clock or cube follow before a play is complete, the device records a gap in its place. While
// the gap stands, the play is asked for; the scribe's answer, even "not seen", amends the gap.

import { AT_THE_TABLE, amended, gapBody, isUntold, playBody } from "./acts.js";
import { beforePlay } from "./early.js";
import { Refused } from "./recording.js";
import { Turn } from "./turn.js";

/** @import { Act, Dice, Entry, Table } from "../../shared/types.js" */
/** @typedef {import("../../board/taps.js").Choice} Choice */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** With more plays to choose from than this, a further tap is asked for instead. */
const MOST_KEYS = 7;

/**
 * The question on the screen.
 * @typedef {object} Question
 * @property {Entry} entry the gap that it is about
 * @property {Table} before the table before the gap
 * @property {Turn | null} turn the play being tapped; null if the board before it is unknown
 */

/** Questions of one match, oldest first, because each answer decides the board of the next question. */
export class Asking {
  /** @type {Question | null} */ question = null;
  /** How many questions are open, this one included. */
  count = 0;
  /** Whether the next dice keyed in correct the roll of the question. */
  isRolling = false;
  /** Whether the play is to be tapped again from the beginning. */
  isAnew = false;
  #recorder;
  /** @type {Table | null} */ #table = null;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** The oldest gap that the scribe has not answered. */
  follow(/** @type {Table} */ table) {
    if (table === this.#table) return;
    this.#table = table;
    const open = table.standing.filter(isUntold);
    this.count = open.length;
    const was = this.question;
    if (open[0]?.entry_id !== was?.entry.entry_id) this.isRolling = this.isAnew = false;
    this.question = open.length > 0 ? this.#about(open[0], table, was) : null;
  }

  /** Begin again, as after a reload. */
  resume() {
    this.#table = this.question = null;
  }

  /** @param {Entry} entry @param {Table} table @param {Question | null} was @returns {Question} */
  #about(entry, { standing }, was) {
    const { profile, outbox, atHand } = this.#recorder;
    const before = beforePlay(standing, entry, outbox.terms);
    const { board, dice, roll_entry } = before;
    const { seat, written = "" } = entry.body;
    if (board === null) return { entry, before, turn: null };
    const roll = roll_entry ?? entry.entry_id;
    const isSame = was?.entry.entry_id === entry.entry_id && was.turn !== null;
    const words = isSame ? was.turn?.words : (atHand.kept(roll) ?? written.split(" ").filter(Boolean));
    const turn = new Turn({ roll, board, seat, dice, isSilent: profile === "no-assist" });
    turn.replay((words ?? []).filter((/** @type {string} */ word) => word !== "played"));
    turn.recorded = entry;
    turn.known = isSame ? (was.turn?.known ?? 0) : turn.words.length;
    return { entry, before, turn };
  }

  /** Whether nothing was tapped: then the question must look the same whatever is legal. */
  get isUntapped() {
    return !this.isAnew && (this.question?.turn?.points ?? []).length === 0;
  }

  /** The plays to choose from; empty if there are too many. @returns {readonly Choice[]} */
  get choices() {
    const fits = this.isUntapped ? [] : (this.question?.turn?.fits ?? []);
    return fits.length <= MOST_KEYS ? fits : [];
  }

  /** The scribe chooses a play. @param {Choice} choice */
  async choose({ key }) {
    const turn = this.question?.turn;
    const fits = turn?.fits ?? [];
    const meant = fits.find((one) => one.key === key);
    if (!turn || !meant) return;
    const found = { fitted: fits.length, confirmed: "chosen" };
    await this.#answer("play.made", playBody(turn.seat, meant.moves, turn.words, found));
  }

  /** Answer: nothing was played. */
  async nothing() {
    const seat = this.question?.entry.body.seat;
    if (seat) await this.#answer("play.made", playBody(seat, [], [], { confirmed: "chosen" }));
  }

  /** Nobody saw it: the gap stays, now stated by the scribe. */
  async unseen() {
    const { question } = this;
    if (question === null) return;
    const { seat } = question.entry.body;
    await this.#answer("play.unseen", gapBody(seat, question.turn?.points ?? []));
  }

  /** None of the choices: the play is tapped from the beginning. */
  anew() {
    const turn = this.question?.turn;
    if (!turn) throw new Refused("board_unknown");
    this.isAnew = true;
    this.#recorder.atHand.anew(turn);
    this.#recorder.refresh();
  }

  /**
   * The roll was misread. Its true dice are those recorded straight after it, or, if something else
   * followed it, the next dice that are keyed.
   */
  async mistyped() {
    const { question } = this;
    const recorder = this.#recorder;
    if (question === null) return;
    const { standing } = recorder.table;
    const at = standing.indexOf(question.entry);
    const [next, ...later] = standing.slice(at + 1).filter(({ tag }) => AT_THE_TABLE.test(tag));
    const roll = standing.find(({ entry_id }) => entry_id === question.before.roll_entry);
    if (roll === undefined) throw new Refused("no_throw");
    if (next?.tag !== "dice.rolled" || later.length > 0) {
      this.isRolling = true;
      recorder.tell();
      return;
    }
    const act = recorder.repair.amendedRoll(roll, next.body.dice);
    /** @type {Act[]} */
    const acts = [next, question.entry].map(({ entry_id }) => ({
      tag: "entry.retracted", body: { target: entry_id },
    }));
    recorder.atHand.drop();
    await recorder.outbox.recordAll(act === null ? acts : [...acts, act]);
    recorder.kept();
  }

  /** Correct the roll of the question. @param {Dice} dice */
  async dice(dice) {
    this.isRolling = false;
    await this.#recorder.repair.amendRoll(this.question?.before.roll_entry ?? null, dice);
    this.#recorder.tell();
  }

  /** @param {string} tag @param {Record<string, any>} body */
  async #answer(tag, body) {
    const { question } = this;
    const recorder = this.#recorder;
    if (question === null) return;
    const act = amended(question.entry, tag, body);
    await recorder.record(act.tag, act.body, { timed: false });
  }
}
