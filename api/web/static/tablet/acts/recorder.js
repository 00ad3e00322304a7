// The recorder without its screen: turns each gesture of a scribe into entries of one match.

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

/** What the scribe may see: "monitor" also shows what is legal, on a screen that players cannot see. */
/** @typedef {"no-assist" | "monitor"} Profile */

/**
 * The play that the screen shows as being entered.
 * @typedef {object} Shown
 * @property {string} roll the roll that the play belongs to
 * @property {boolean} isEarlier whether it is another play than that of the current roll
 * @property {boolean} isFixed whether it is an earlier play that is being corrected
 */

/** Two touches within this time (ms) count as one. */
const TWICE_MS = 500;

/** One match being recorded. */
export class Recorder extends Recording {
  /** When the key that marks a moment was last touched, by `performance.now()`. */
  #markedAt = -Infinity;
  /** The play that the screen shows as being entered; null while the next one is not drawn yet.
   * @type {Shown | null} */
  #shown = null;
  /** How many gestures are pending after which another play will be entered. */
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

  /** Stop listening to the outbox; nothing is drawn any more. */
  close() {
    this.outbox.removeEventListener("change", this.#changed);
    this.time.close();
  }

  /** Fold the entries again and have the screen drawn. @override */
  refresh() {
    super.refresh();
    if (this.profile === "monitor" && !this.mayHelp) this.choose("no-assist");
  }

  /** Bring the current play, the corrected one and open questions in line with the table. @override */
  follow() {
    this.atHand.follow(this.table);
    this.asking.follow(this.table);
    this.repair.follow();
  }

  /** Whether the director lets this screen show what is legal. */
  get mayHelp() {
    return this.outbox.status.profile === "monitor";
  }

  /** @param {Profile} profile if the director does not allow it, `refresh` goes back at once */
  choose(profile) {
    this.profile = profile;
    this.atHand.resume();
    this.asking.resume();
    this.refresh();
  }

  /** The table as the entries alone make it. */
  get folded() {
    return super.table;
  }

  /** The table as the entries make it, with an early roll on the board as the roll in play. @override */
  get table() {
    return this.early?.follow(super.table) ?? super.table;
  }

  /** Make an early roll on the board the roll in play, if there is one. @param {Dice} [dice] the dice tapped */
  takeEarly(dice) {
    if (this.fixing || !this.early.take(super.table, dice)) return false;
    this.refresh();
    return true;
  }

  /** The table as the screen shows it in words. */
  get told() {
    return toldTable(this);
  }

  /** Whether there are taps that have not become an entry yet. */
  get isOpen() {
    return isOpen(this);
  }

  /** How many entries the server does not have yet, as the screen counts them. */
  get unsent() {
    return this.outbox.status.unsent - untold(this);
  }

  /** Dice that are being recorded. */
  get thrown() {
    return this.dice.thrown;
  }

  /** The play of the current roll. */
  get turn() {
    return this.atHand.turn;
  }

  /** An earlier play that is being corrected. */
  get fixing() {
    return this.repair.fixing;
  }

  /** The play that taps go to: an earlier one that is being corrected, else that of the current roll,
   * else one that a question asks for. */
  get entering() {
    return this.fixing?.turn ?? this.turn ?? this.asking.question?.turn ?? null;
  }

  /** Called when the screen has drawn `entering`. @returns {Shown | null} the earlier play that it showed before, if complete now */
  drawn() {
    const over = this.#isOver(this.#shown) ? this.#shown : null;
    const { entering, turn, fixing } = this;
    const { roll = "" } = entering ?? {};
    if (this.#coming === 0) this.#shown = entering && { roll, isEarlier: entering !== turn, isFixed: entering === fixing?.turn };
    return over;
  }

  /** Whether an earlier play has closed by itself, its taps being complete. @param {Shown | null} shown */
  #isOver(shown) {
    const open = [this.fixing?.turn, this.asking.question?.turn].map((turn) => turn?.roll);
    return shown !== null && shown.isEarlier && !open.includes(shown.roll);
  }

  /**
   * Do a gesture that is meant for the play on the screen; drop it if that play has closed by itself
   * meanwhile, because another one stands in its place now.
   * @param {() => unknown} work
   * @param {(shown: Shown) => boolean} [isAbout] whether the gesture is meant for the shown play
   */
  #ofShown(work, isAbout = ({ isEarlier }) => isEarlier) {
    const shown = this.#shown;
    return this.gesture(async () => {
      if (shown === null || !isAbout(shown) || !this.#isOver(shown)) await work();
    });
  }

  /** Do a gesture after which another play is entered; taps that follow at once are meant for that one. @param {() => unknown} work */
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
   * @param {Place | (() => Place)} place or a function that is called once earlier gestures are done:
   *   on the next turn the same number is another place
   */
  tap(place) {
    if (place === "cube") return this.double();
    return this.#ofShown(async () => {
      if (this.entering === null) this.takeEarly();
      const tapped = typeof place === "function" ? place() : place;
      if (this.entering?.tap(tapped)) await this.atHand.entered();
    });
  }

  /** The chip for doublets: repeats every checker move tapped so far. */
  twice() {
    return this.#say("x2");
  }

  /** From here on checkers are moved freely, legal or not. */
  asPlayed() {
    return this.#say("free");
  }

  /** An answer to a question. @param {Entry} entry that is asked for @param {(asking: Asking) => Promise<void> | void} answer */
  answerWith({ entry_id }, answer) {
    return this.gesture(async () => {
      // Otherwise it was a double touch: the next question is on the screen, and nobody has read it.
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

  /** The key that says that the play is complete. */
  played() {
    const shown = this.#shown;
    return this.gesture(() => this.#played(shown));
  }

  /** The same key on a keyboard: drops a double that waits for its answer, else completes the play. */
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
    // The play that was meant has closed by itself; the key is not meant for the one that followed.
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
