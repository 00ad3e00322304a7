// The recorder without its screen: what a scribe does, gesture by gesture.

import { waitingNotices } from "../../fold/notices.js";
import { gapBody, undoable } from "./acts.js";
import { Asking } from "./asking.js";
import { AtHand } from "./at_hand.js";
import { ClockActs } from "./clock_acts.js";
import { DiceActs } from "./dice_acts.js";
import { EarlyRolls } from "./early.js";
import { Recording } from "./recording.js";
import { Repair } from "./repair.js";
import { ScoreActs } from "./score_acts.js";
import { isOpen, toldTable, untold } from "./told.js";

/** @import { Dice, Entry, Outbox, Place } from "../../shared/types.js" */

/** What the scribe may see: nothing that helps, or (screen turned away) what is legal. */
/** @typedef {"no-assist" | "monitor"} Profile */

/**
 * What the screen shows of the play that is entered.
 * @typedef {object} Shown
 * @property {string} roll that the play belongs to
 * @property {boolean} isEarlier whether it is not the play at hand
 * @property {boolean} isFixed whether it is put right
 */

/** Two touches within this time are one. */
const TWICE_MS = 500;

/** One match being recorded. */
export class Recorder extends Recording {
  /** When the key that marks was touched last, by `performance.now()`. */
  #markedAt = -Infinity;
  /** The play that the screen shows as the one entered; null where one comes that nobody has seen yet.
   * @type {Shown | null} */
  #shown = null;
  /** Gestures on their way after which another play is entered. */
  #coming = 0;

  /**
   * @param {Outbox} outbox
   * @param {Profile} profile
   */
  constructor(outbox, profile) {
    super(outbox);
    this.profile = this.mayHelp ? profile : "no-assist";
    this.clock = new ClockActs(this);
    this.dice = new DiceActs(this);
    this.score = new ScoreActs(this);
    this.atHand = new AtHand(this);
    this.early = new EarlyRolls(this);
    this.repair = new Repair(this);
    this.asking = new Asking(this);
    this.atHand.resume();
    this.asking.follow(this.table);
    this.outbox.addEventListener("change", this.#changed);
  }

  #changed = () => this.refresh();

  /** Let go of the outbox; nothing is drawn any more. */
  close() {
    this.outbox.removeEventListener("change", this.#changed);
    this.time.close();
  }

  /** Fold the entries anew and say so. @override */
  refresh() {
    super.refresh();
    if (this.profile === "monitor" && !this.mayHelp) this.choose("no-assist");
  }

  /** The play at hand, the one put right and the one asked for are those of the table as it is now. @override */
  follow() {
    this.atHand.follow(this.table);
    this.asking.follow(this.table);
    this.repair.follow();
  }

  /** Whether the director lets this screen show what is legal. */
  get mayHelp() {
    return this.outbox.status.profile === "monitor";
  }

  /** @param {Profile} profile one that is not allowed is left at once */
  choose(profile) {
    this.profile = profile;
    this.atHand.resume();
    this.asking.resume();
    this.refresh();
  }

  /** What the entries make, and no more. */
  get folded() {
    return super.table;
  }

  /** What the entries make; an early roll that lies on the board is the roll in play. @override */
  get table() {
    return this.early?.follow(super.table) ?? super.table;
  }

  /** Play the early roll that lies there, if one does. @param {Dice} [dice] those that were tapped */
  takeEarly(dice) {
    if (this.fixing || !this.early.take(super.table, dice)) return false;
    this.refresh();
    return true;
  }

  /** The table as the screen tells it. */
  get told() {
    return toldTable(this);
  }

  /** Whether taps were made that count as no entry yet. */
  get isOpen() {
    return isOpen(this);
  }

  /** Entries that the server has not, as the screen tells it. */
  get unsent() {
    return this.outbox.status.unsent - untold(this);
  }

  /** Dice on their way into the record. */
  get thrown() {
    return this.dice.thrown;
  }

  /** The play at hand. */
  get turn() {
    return this.atHand.turn;
  }

  /** An earlier play that is being put right. */
  get fixing() {
    return this.repair.fixing;
  }

  /** What is being entered now: a play put right goes before the one at hand, and that before one that
   * is asked for, of which the board of any later one hangs. */
  get entering() {
    return this.fixing?.turn ?? this.turn ?? this.asking.question?.turn ?? null;
  }

  /** The screen shows what is entered now. @returns {Shown | null} an earlier play that it showed, and that is told */
  drawn() {
    const over = this.#isOver(this.#shown) ? this.#shown : null;
    const { entering, turn, fixing } = this;
    const { roll = "" } = entering ?? {};
    if (this.#coming === 0) this.#shown = entering && { roll, isEarlier: entering !== turn, isFixed: entering === fixing?.turn };
    return over;
  }

  /** Whether an earlier play has closed by itself, because its taps told it. @param {Shown | null} shown */
  #isOver(shown) {
    const open = [this.fixing?.turn, this.asking.question?.turn].map((turn) => turn?.roll);
    return shown !== null && shown.isEarlier && !open.includes(shown.roll);
  }

  /**
   * A gesture about the play that is shown: of what came by itself in its place since it says nothing.
   * @param {() => unknown} work
   * @param {(shown: Shown) => boolean} [isAbout] whether it is about that one
   */
  #ofShown(work, isAbout = ({ isEarlier }) => isEarlier) {
    const shown = this.#shown;
    return this.gesture(async () => {
      if (shown === null || !isAbout(shown) || !this.#isOver(shown)) await work();
    });
  }

  /** A gesture after which another play is entered: whoever goes on at once means that one. @param {() => unknown} work */
  #toNext(work) {
    const taken = this.#ofShown(work, ({ isFixed }) => isFixed);
    if (this.fixing) return taken;
    this.#shown = null;
    this.#coming += 1;
    return taken.finally(() => (this.#coming -= 1));
  }

  /** @param {Dice} dice */
  roll(dice) {
    return this.#toNext(() => this.dice.rolled(dice));
  }

  /** @param {number} one @param {number} two */
  openingRoll(one, two) {
    return this.#toNext(() => this.dice.opened(one, two));
  }

  /** @param {number} one @param {number} two */
  keyed(one, two) {
    return this.#toNext(() => this.dice.keyed(one, two));
  }

  /**
   * A tap on the board.
   * @param {Place | (() => Place)} place or what says it once all before it is done: a number means
   *   another place in the next turn
   */
  tap(place) {
    if (place === "cube") return this.double();
    return this.#ofShown(async () => {
      if (this.entering === null) this.takeEarly();
      const tapped = typeof place === "function" ? place() : place;
      if (this.entering?.tap(tapped)) await this.atHand.entered();
    });
  }

  /** The chip for doublets: every checker tapped so far, once more. */
  twice() {
    return this.#say("x2");
  }

  /** From here on checkers are picked up and put down, whatever they do. */
  asPlayed() {
    return this.#say("free");
  }

  /** An answer to a question. @param {Entry} entry that is asked for @param {(asking: Asking) => Promise<void> | void} answer */
  answerWith({ entry_id }, answer) {
    return this.gesture(async () => {
      // Else the finger has touched twice: another question stands there, and nobody has read it.
      if (this.asking.question?.entry.entry_id === entry_id) await answer(this.asking);
    });
  }

  /** @param {string} word */
  #say(word) {
    return this.#ofShown(async () => {
      this.entering?.say(word);
      await this.atHand.entered();
    });
  }

  /** That was the play: all of it. */
  played() {
    const shown = this.#shown;
    return this.gesture(() => this.#played(shown));
  }

  /** One key on a keyboard: pass while a double waits, else that was the play. */
  playedOrPassed() {
    const shown = this.#shown;
    return this.gesture(async () => {
      const { awaits, to_act: seat } = this.table;
      if (awaits === "answer" && seat) await this.record("cube.double_dropped", { seat });
      else await this.#played(shown);
    });
  }

  /** @param {Shown | null} shown */
  async #played(shown) {
    const turn = this.entering;
    // What was meant is told already, and another play has come by itself: of that nothing was said.
    if (shown !== null && shown.roll !== turn?.roll) return;
    if (turn !== null) {
      await this.atHand.close(turn);
    } else if (this.table.awaits === "play" && this.table.on_roll !== null) {
      // The board is unknown: what was played cannot be said, that it was played can.
      await this.record("play.unseen", gapBody(this.table.on_roll, []));
    }
  }

  /** One tap back: a tap not recorded yet, else the last act, by an entry that retracts it. */
  undo() {
    return this.#toNext(async () => {
      const turn = this.entering;
      if (turn?.isPending) {
        this.atHand.back(turn);
      } else if (this.fixing) {
        this.repair.cancel();
      } else if (this.outbox.status.role === "none" || this.outbox.parked.length > 0) {
        // What was entered last is not in the match: an entry before it is not what is meant.
        return this.refuse("undo_waits");
      } else {
        const { entry, bar } = undoable(this.table, this.outbox.entries);
        if (entry === null) {
          return bar ? this.refuse("undo_barred", bar) : this.refuse("nothing_to_undo");
        }
        await this.atHand.retract(entry);
      }
      this.refresh();
    });
  }

  /** The player on roll offers the cube. */
  double() {
    return this.gesture(async () => {
      await this.settle();
      const { in_game, on_roll, awaits } = this.table;
      if (awaits === "answer") return;
      if (!in_game || on_roll === null) return this.refuse(in_game ? "no_roll" : "no_game");
      await this.record("cube.double_offered", { seat: on_roll });
    });
  }

  /** The answer to a double or a resignation. @param {string} tag */
  answer(tag) {
    return this.gesture(async () => {
      const { awaits, to_act: seat } = this.table;
      // Else the finger has touched twice, and it is answered already.
      const isAsked = awaits === (tag.startsWith("cube.") ? "answer" : "resignation");
      if (isAsked && seat !== null) await this.record(tag, { seat });
    });
  }

  /** Somebody calls the director. */
  call() {
    return this.gesture(async () => {
      const newest = this.table.standing.at(-1);
      // Else the finger has touched twice: the director is called already.
      if (newest?.tag !== "director.called") await this.record("director.called", this.about);
    });
  }

  /** Mark this moment, to come back to it. */
  mark() {
    const now = performance.now();
    // A finger that touches twice has marked once; later on it marks what goes on without an entry.
    const isTwice = now - this.#markedAt < TWICE_MS;
    this.#markedAt = now;
    return this.gesture(async () => {
      const { about: target } = this.about;
      if (isTwice && this.table.standing.at(-1)?.tag === "moment.marked") return;
      if (target) await this.record("moment.marked", { target });
    });
  }

  /** The table has taken note of what the director says. @param {Entry} entry */
  acknowledge({ entry_id: target }) {
    return this.gesture(async () => {
      const waiting = waitingNotices(this.table.standing, this.outbox.entries);
      // Else the finger has touched twice.
      if (waiting.some(({ entry_id }) => entry_id === target)) await this.record("notice.acknowledged", { target });
    });
  }

  /** Put a play right. @param {Entry} entry */
  fix(entry) {
    return this.gesture(async () => this.repair.begin(entry));
  }

  /** Finish the play at hand, because something else happens next. */
  settle() {
    return this.atHand.settle();
  }
}
