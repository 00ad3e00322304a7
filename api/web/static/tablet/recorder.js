// The recorder without its screen: gestures in, entries out, and what the table looks like now.

import { extend, fold } from "../record/fold.js";
import { hasText, t } from "../texts.js";
import {
  amended, claimedBy, confirmed, confirmations, MatchTime, playBody, undoable,
} from "./acts.js";
import { ClockActs } from "./clock_acts.js";
import { Turn } from "./turn.js";
import { namesOf } from "./words.js";

/** @import { Act, Dice, Entry, FoldTerms, Outbox, Place, RecordOptions, Seat, Table } from "../types.js" */

/** A play that is drawn but could still be another one is recorded after this silence. */
const QUIET_MS = 2_500;

/** How long entries may be missing before the table is folded without them. */
const DOUBT_MS = 250;

/** What the scribe may see: nothing that helps, or (screen turned away) what is legal. */
/** @typedef {"no-assist" | "monitor"} Profile */

/** One match being recorded. Events: "change" (draw anew), "echo" (a gesture came), "taken" (it is kept). */
export class Recorder extends EventTarget {
  /** @type {Outbox} */ outbox;
  /** @type {Table} */ table;
  /** @type {Turn | null} */ turn = null;
  /** An earlier play that is being put right. @type {{ entry: Entry, turn: Turn } | null} */
  fixing = null;
  /** What went wrong last, in the words of whoever refused; null if nothing. @type {string | null} */
  trouble = null;
  /** Entries that `table` is folded from. @type {string[]} */
  #known = [];
  /** @type {readonly Entry[] | null} */
  #seen = null;
  /** What the rule set says for the fold. @type {FoldTerms} */
  #terms = {};
  /** @type {Promise<void>} */ #queue = Promise.resolve();
  /** @type {number | undefined} */ #quiet;
  #waiting = 0;
  /** @type {number | undefined} */ #doubt;
  #isSure = false;

  /**
   * @param {Outbox} outbox
   * @param {Profile} profile
   */
  constructor(outbox, profile) {
    super();
    this.outbox = outbox;
    this.profile = profile;
    this.table = this.#folded();
    this.time = new MatchTime(outbox.entries);
    this.clock = new ClockActs(this);
    this.#follow();
    this.outbox.addEventListener("change", this.#changed);
  }

  #changed = () => this.refresh();

  /** Let go of the outbox; nothing is drawn any more. */
  close() {
    clearTimeout(this.#quiet);
    clearTimeout(this.#doubt);
    this.outbox.removeEventListener("change", this.#changed);
  }

  /** Fold the entries anew and say so. */
  refresh() {
    this.table = this.#folded();
    this.#follow();
    this.dispatchEvent(new Event("change"));
  }

  /**
   * An entry that is missing may only be on its way from the drafts to the server's: what is being
   * tapped must not be lost over that. It is believed if it is still so a moment later.
   */
  #doubted() {
    this.#doubt ??= setTimeout(() => {
      this.#doubt = undefined;
      this.#isSure = true;
      this.refresh();
      this.#isSure = false;
    }, DOUBT_MS);
    return this.table;
  }

  /** What is folded already is not folded again: a tap adds one entry or two. */
  #folded() {
    const { entries, terms } = this.outbox;
    const known = this.#known;
    if (entries === this.#seen && terms === this.#terms && this.table) return this.table;
    const names = entries.map(nameOf);
    const isSame = known.length <= names.length && known.every((name, at) => name === names[at]);
    if (!isSame && this.table && !this.#isSure) return this.#doubted();
    const goesOn = isSame && JSON.stringify(terms) === JSON.stringify(this.#terms);
    this.#seen = entries;
    this.#terms = terms;
    this.#known = names;
    return goesOn && this.table
      ? entries.slice(known.length).reduce(extend, this.table)
      : fold(entries, terms);
  }

  /** @param {Profile} profile */
  choose(profile) {
    this.profile = profile;
    this.turn = null;
    this.refresh();
  }

  /** What the players are called here. */
  get names() {
    return namesOf(this.table.standing);
  }

  /**
   * The table as the screen tells it. Where players see the screen, a play that was tapped is as
   * open after its last tap as one that no rule allows: until somebody says that it was played, or
   * something else happens.
   *
   * @returns {Table}
   */
  get told() {
    const { table, turn } = this;
    const played = table.last_play;
    const isOpen = turn?.recorded && turn.recorded.entry_id === played?.entry.entry_id;
    if (this.profile !== "no-assist" || !played || !isOpen || !table.in_game) return table;
    const at = table.standing.findIndex(({ entry_id }) => entry_id === played.entry.entry_id);
    const isOver = table.standing.slice(at + 1).some(({ tag }) => !/^(director|moment)\./.test(tag));
    if (isOver || turn.words.includes("played")) return table;
    const standing = table.standing.filter(({ entry_id }) => entry_id !== played.entry.entry_id);
    return { ...table, standing, awaits: "play", on_roll: played.seat, to_act: played.seat };
  }

  /** What is being entered now: a play put right goes before the one at hand. */
  get entering() {
    return this.fixing?.turn ?? this.turn;
  }

  // -- gestures -----------------------------------------------------------------------------------

  /** @param {Dice} dice */
  roll(dice) {
    return this.#take(() => this.#rolled(dice));
  }

  /** @param {number} one @param {number} two */
  openingRoll(one, two) {
    return this.#take(() => this.#opened(one, two));
  }

  /** Two digits, each player's first die where the opening roll is due. @param {number} one @param {number} two */
  keyed(one, two) {
    return this.#take(() => {
      if (this.table.awaits === "opening" && !this.fixing) return this.#opened(one, two);
      return this.#rolled(one > two ? [one, two] : [two, one]);
    });
  }

  /** @param {Dice} dice */
  async #rolled(dice) {
    if (this.fixing) return this.#fixDice(dice);
    if (this.#isUntouched()) return this.#rekey(dice);
    await this.settle();
    const { in_game, on_roll } = this.table;
    if (!in_game || on_roll === null) return this.#refuse("no_roll");
    await this.record("dice.rolled", { seat: on_roll, dice: [...dice] });
    if (this.turn?.isDrawn) await this.#keep(this.turn);
  }

  /** @param {number} one @param {number} two */
  async #opened(one, two) {
    if (!this.table.in_game) return this.#refuse("no_game");
    // Decided already: the same pair is a finger that touched twice, another one was misread.
    if (this.table.awaits !== "opening") return this.#isUntouched() && this.#rekey([one, two]);
    await this.record("dice.opening_rolled", { one, two });
    if (this.turn?.isDrawn) await this.#keep(this.turn);
  }

  /** A tap on the board. @param {Place} place */
  tap(place) {
    if (place === "cube") return this.double();
    return this.#take(async () => {
      if (this.entering?.tap(place)) await this.#entered();
    });
  }

  /** The chip for doublets: every checker tapped so far, once more. */
  twice() {
    return this.#take(async () => {
      this.entering?.say("x2");
      await this.#entered();
    });
  }

  /** From here on checkers are picked up and put down, whatever they do. */
  asPlayed() {
    return this.#take(async () => {
      this.entering?.say("free");
      await this.#entered();
    });
  }

  /** That was the play: all of it. */
  played() {
    return this.#take(() => this.#played());
  }

  /** One key on a keyboard: pass while a double waits, else that was the play. */
  playedOrPassed() {
    return this.#take(async () => {
      const { awaits, to_act: seat } = this.table;
      if (awaits === "answer" && seat) await this.record("cube.double_dropped", { seat });
      else await this.#played();
    });
  }

  async #played() {
    const turn = this.entering;
    if (turn !== null) {
      if (!turn.words.includes("played")) turn.say("played");
      await this.#keep(turn);
    } else if (this.table.awaits === "play" && this.table.on_roll !== null) {
      // The board is unknown: what was played cannot be said, that it was played can.
      await this.record("play.unseen", { seat: this.table.on_roll, count: 1 });
    }
  }

  /** One tap back: a tap not recorded yet, else the last act, by an entry that retracts it. */
  undo() {
    return this.#take(async () => {
      const turn = this.entering;
      if (turn?.isPending) {
        turn.back();
        this.#remember();
      } else if (this.fixing) {
        this.fixing = null;
      } else {
        const entry = undoable(this.table);
        if (entry === null) return this.#refuse("nothing_to_undo");
        this.turn = null;
        await this.outbox.record("entry.retracted", { target: entry.entry_id });
      }
      this.refresh();
    });
  }

  /** The player on roll offers the cube. */
  double() {
    return this.#take(async () => {
      await this.settle();
      const { in_game, on_roll, awaits } = this.table;
      if (awaits === "answer") return;
      if (!in_game || on_roll === null) return this.#refuse("no_roll");
      await this.record("cube.double_offered", { seat: on_roll });
    });
  }

  /** The answer to a double or a resignation. @param {string} tag */
  answer(tag) {
    return this.#take(async () => {
      const { awaits, to_act: seat } = this.table;
      // Else the finger has touched twice, and it is answered already.
      const isAsked = awaits === (tag.startsWith("cube.") ? "answer" : "resignation");
      if (isAsked && seat !== null) await this.record(tag, { seat });
    });
  }

  /** Somebody calls the director. */
  call() {
    return this.#take(async () => {
      await this.record("director.called", this.#about());
    });
  }

  /** Mark this moment, to come back to it. */
  mark() {
    return this.#take(async () => {
      const last = this.outbox.entries.at(-1);
      if (last) await this.record("moment.marked", { target: last.entry_id }, { timed: true });
    });
  }

  /** The next game begins. */
  startGame() {
    return this.#take(async () => {
      if (this.table.in_game || this.table.awaits === "nothing") return;
      await this.record("game.started", { number: this.table.game + 1 });
    });
  }

  /** What a resigned game was worth. @param {Seat} winner @param {"single" | "gammon" | "backgammon"} kind */
  wonBy(winner, kind) {
    return this.#take(async () => {
      if (this.table.awaits !== "claim") return;
      const factor = { single: 1, gammon: 2, backgammon: 3 }[kind];
      await this.record("game.won", { winner, points: factor * this.table.cube.value, kind });
    });
  }

  /** A player agrees with the score shown, and at the end with the result. @param {Seat} seat */
  confirm(seat) {
    return this.#take(() => this.#confirm(seat));
  }

  /** Whoever of these has not agreed yet does. @param {readonly Seat[]} seats */
  confirmNext(seats) {
    return this.#take(async () => {
      const done = confirmations(this.table);
      const seat = seats.find((one) => !done.includes(one));
      if (seat && !this.table.in_game && this.table.ended) await this.#confirm(seat);
    });
  }

  /** @param {Seat} seat */
  async #confirm(seat) {
    const { score, winner } = this.table;
    const done = confirmations(this.table);
    if (done.includes(seat)) return;
    const acts = [confirmed(seat, score)];
    if (winner !== null) {
      const body = { seat, winner, score: { ...score } };
      acts.push({ tag: "result.reported", body, basis: claimedBy(seat) });
      if (done.length === 1) {
        acts.push({ tag: "match.ended", body: { winner, score: { ...score } }, basis: "agreed" });
      }
    }
    await this.#recordAll(acts);
  }

  /** A player does not agree: the director is called, and the moment is marked. @param {Seat} seat */
  disagree(seat) {
    return this.#take(async () => {
      const about = this.#about();
      /** @type {Act[]} */
      const acts = [{ tag: "director.called", body: { by: seat, ...about }, basis: claimedBy(seat) }];
      if (about.about) acts.push({ tag: "moment.marked", body: { target: about.about } });
      await this.#recordAll(acts);
    });
  }

  // -- putting an earlier play right ---------------------------------------------------------------

  /** Put a play right: the board shows the position before it. @param {Entry} entry */
  fix(entry) {
    return this.#take(async () => {
      await this.settle();
      const { standing } = this.table;
      const index = standing.findIndex((one) => one.entry_id === entry.entry_id);
      const before = fold(standing.slice(0, index), this.outbox.terms);
      const { seat } = entry.body;
      if (before.board === null) return this.#refuse("board_unknown");
      const dice = before.dice;
      const turn = new Turn({ roll: entry.entry_id, board: before.board, seat, dice, isSilent: true });
      turn.recorded = entry;
      this.fixing = { entry: standing[index], turn };
      this.refresh();
    });
  }

  /** The dice of the play that is being put right were others. @param {Dice} dice */
  async #fixDice(dice) {
    const { entry } = /** @type {NonNullable<typeof this.fixing>} */ (this.fixing);
    const { standing } = this.table;
    const index = standing.findIndex((one) => one.entry_id === entry.entry_id);
    const roll = standing.slice(0, index).findLast((one) => one.tag.startsWith("dice."));
    if (roll === undefined) return;
    await this.#amendRoll(roll, dice);
    this.fixing = null;
    const again = this.table.standing.find((one) => one.entry_id === entry.entry_id);
    if (again) this.#enqueueFix(again);
  }

  /** @param {Entry} entry */
  #enqueueFix(entry) {
    void this.fix(entry);
  }

  // -- underneath -----------------------------------------------------------------------------------

  /**
   * Record one act, with the time it happened, and fold it.
   * @param {string} tag
   * @param {Record<string, any>} body
   * @param {RecordOptions & { timed?: boolean }} [options]
   */
  async record(tag, body, { timed = true, ...options } = {}) {
    const entry = await this.outbox.record(tag, timed ? this.time.stamp(body) : body, options);
    this.trouble = null;
    this.refresh();
    return entry;
  }

  /** Finish the play at hand, because something else happens next. */
  async settle() {
    const turn = this.turn;
    if (turn === null || !turn.isPending) return;
    if (turn.moves === null) turn.say("played");
    await this.#keep(turn);
  }

  /**
   * Take one gesture after the other: each is durable before the next one is looked at.
   * @param {() => Promise<unknown>} gesture
   * @returns {Promise<void>}
   */
  #take(gesture) {
    clearTimeout(this.#quiet);
    this.#waiting += 1;
    this.dispatchEvent(new Event("echo"));
    this.#queue = this.#queue.then(gesture).then(
      () => this.#taken(),
      (error) => {
        this.trouble = troubleWords(error);
        this.refresh();
        this.#taken();
      },
    );
    return this.#queue;
  }

  #taken() {
    this.#waiting -= 1;
    this.dispatchEvent(new Event("taken"));
  }

  /** Whether a gesture was taken that is not durable yet. */
  get isBusy() {
    return this.#waiting > 0;
  }

  /** For the parts that record on their own. @param {() => Promise<unknown>} gesture */
  gesture(gesture) {
    return this.#take(gesture);
  }

  /** @param {Act[]} acts */
  async #recordAll(acts) {
    await this.outbox.recordAll(acts.map((act) => ({ ...act, body: this.time.stamp(act.body) })));
    this.refresh();
  }

  /** What the taps have told so far is kept, and recorded where nothing else fits. */
  async #entered() {
    const turn = this.entering;
    if (turn === null) return;
    this.#remember();
    // Drawn at once; the tick says when it is kept.
    this.dispatchEvent(new Event("change"));
    if (turn.isDecided) return this.#keep(turn);
    if (turn.isDrawn && this.fixing === null) {
      this.#quiet = setTimeout(() => this.#take(() => this.#keepDrawn()), QUIET_MS);
    }
    this.refresh();
  }

  /**
   * After a silence the play that is drawn is recorded; a scribe who pauses in the middle of a play
   * has not said that it was all.
   */
  async #keepDrawn() {
    const { turn } = this;
    if (turn?.isPending && turn.moves !== null) await this.#keep(turn);
  }

  /** Record the play as it is told, or put the entry right that said it otherwise. @param {Turn} turn */
  async #keep(turn) {
    const { moves } = turn;
    if (moves === null) return this.refresh();
    const body = playBody(turn.seat, moves, turn.words);
    if (turn.recorded === null) {
      // The outbox tells of the entry before its receipt comes back here: further taps of this
      // play must still find it.
      turn.isKept = true;
      try {
        turn.recorded = await this.outbox.record("play.made", this.time.stamp(body));
      } finally {
        turn.isKept = false;
      }
    } else if (!isSamePlay(turn.recorded.body, body)) {
      const act = amended(turn.recorded, "play.made", body);
      await this.outbox.record(act.tag, act.body);
      turn.recorded = { ...turn.recorded, body };
    }
    turn.known = turn.words.length;
    if (this.fixing?.turn === turn) this.fixing = null;
    this.#forget();
    this.refresh();
  }

  /** Whether the dice are keyed and nothing else was said: another pair means they were misread. */
  #isUntouched() {
    const { turn } = this;
    return turn !== null && turn.recorded === null && turn.words.length === 0;
  }

  /** @param {Dice} dice */
  async #rekey(dice) {
    const roll = this.table.standing.findLast((entry) => entry.tag.startsWith("dice."));
    if (roll) await this.#amendRoll(roll, dice);
  }

  /** @param {Entry} roll @param {Dice} dice */
  async #amendRoll(roll, dice) {
    const [high, low] = dice[0] > dice[1] ? dice : [dice[1], dice[0]];
    /** @type {Record<string, any> | null} */
    let body = roll.tag === "dice.rolled" ? { ...roll.body, dice: [...dice] } : null;
    if (roll.tag === "dice.opening_rolled") {
      if (high === low) return this.#refuse("opening_doublet");
      body = roll.body.one > roll.body.two ? { one: high, two: low } : { one: low, two: high };
    }
    if (body === null) return this.#refuse("no_roll");
    if (isSameRoll(roll.body, body)) return;
    const act = amended(roll, roll.tag, body);
    this.turn = null;
    this.#forget();
    await this.record(act.tag, act.body, { timed: false });
  }

  #about() {
    const last = this.outbox.entries.at(-1);
    return last ? { about: last.entry_id } : {};
  }

  /** @param {string} why */
  #refuse(why) {
    this.dispatchEvent(new CustomEvent("refused", { detail: why }));
  }

  /** The play at hand belongs to the roll in play; a recorded one stays open until the next act. */
  #follow() {
    const { awaits, dice, board, on_roll, standing, last_play, roll_entry, turn_number } = this.table;
    const roll = roll_entry ?? `turn ${turn_number}`;
    if (awaits === "play" && dice !== null && board !== null && on_roll !== null) {
      const isOther = this.turn?.roll !== roll || this.turn.recorded !== null;
      const isSame = !isOther && sameDice(this.turn?.dice ?? null, dice);
      if (!isSame || this.turn?.seat !== on_roll || this.turn?.before !== board) {
        const words = isSame && this.turn ? this.turn.words : this.#kept(roll);
        const isSilent = this.profile === "no-assist";
        this.turn = new Turn({ roll, board, seat: on_roll, dice, isSilent });
        if (words.length > 0) this.turn.replay(words);
      }
    } else if (this.turn !== null && !this.turn.isKept && this.turn.recorded?.entry_id !== last_play?.entry.entry_id) {
      this.turn = null;
    }
    if (this.fixing && !standing.some((one) => one.entry_id === this.fixing?.entry.entry_id)) {
      this.fixing = null;
    }
  }

  // Taps that are not an entry yet survive a reload: the browser keeps the words beside the drafts.

  get #place() {
    return `tabularium.taps.${this.outbox.match_id}`;
  }

  #remember() {
    const { turn } = this;
    if (turn === null || this.fixing) return;
    localStorage.setItem(this.#place, JSON.stringify({ roll: turn.roll, words: turn.words }));
  }

  #forget() {
    localStorage.removeItem(this.#place);
  }

  /** @param {string} roll @returns {string[]} */
  #kept(roll) {
    const kept = JSON.parse(localStorage.getItem(this.#place) ?? "null");
    return kept?.roll === roll ? kept.words : [];
  }
}

/** @param {unknown} error */
function troubleWords(error) {
  if (!(error instanceof Error)) return String(error);
  const key = `tablet.trouble_${error.name}`;
  return hasText(key) ? t(key) : error.message;
}

/** @param {Record<string, any>} kept @param {Record<string, any>} now */
function isSamePlay(kept, now) {
  return (
    JSON.stringify(kept.moves ?? []) === JSON.stringify(now.moves ?? []) &&
    kept.resulting_position === undefined &&
    kept.hits_not_lifted === undefined
  );
}

/** @param {Record<string, any>} kept @param {Record<string, any>} now */
function isSameRoll(kept, now) {
  const faces = (/** @type {Record<string, any>} */ { dice, one, two }) =>
    [...(dice ?? [one, two])].sort().join();
  return faces(kept) === faces(now);
}

/** @param {Dice | null} one @param {Dice | null} two */
function sameDice(one, two) {
  return one !== null && two !== null && one[0] === two[0] && one[1] === two[1];
}

/**
 * What an entry is for the fold: one that the director takes over is the same entry, and counts now.
 *
 * @param {Entry} entry
 */
function nameOf(entry) {
  return entry.state === "parked" ? `${entry.entry_id} parked` : entry.entry_id;
}
