// The play at hand: taps in, one entry out, and the corrections of what further taps say of it.

import { amended, gapBody, playBody } from "./acts.js";
import { KeptTaps } from "./kept_taps.js";
import { Refused } from "./recording.js";
import { isLast } from "./told.js";
import { Turn } from "./turn.js";

/** @import { Dice, Entry, Table } from "../types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** A play that is drawn but could still be another one is recorded after this silence. */
const QUIET_MS = 2_500;

/** The play that belongs to the roll in play; a recorded one stays open until the next act. */
export class AtHand {
  /** @type {Turn | null} */ turn = null;
  #recorder;
  #taps;
  /** @type {number | undefined} */ #quiet;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
    this.#taps = new KeptTaps(recorder.outbox.match_id);
  }

  /** Something is heard again: the silence is over. */
  heard() {
    clearTimeout(this.#quiet);
  }

  /**
   * Every gesture is through. Only now does a silence begin: begun by a gesture with others behind
   * it, it would go on into the next play.
   */
  rest() {
    const { turn } = this;
    if (!turn?.isPending || !turn.isDrawn || turn.moves === null) return;
    if (this.#recorder.fixing !== null) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#recorder.gesture(() => this.#keepDrawn()), QUIET_MS);
  }

  /** Whether the dice are keyed and nothing else was said: another pair means they were misread. */
  get isUntouched() {
    return this.turn !== null && this.turn.recorded === null && this.turn.words.length === 0;
  }

  /** Let go of the play, and of what was tapped of it. */
  drop() {
    this.turn = null;
    this.#taps.forget();
  }

  /** Begin the play that the table waits for, and let go of one that something else came after. */
  follow(/** @type {Table} */ { awaits, dice, board, on_roll, last_play, roll_entry, turn_number }) {
    const { turn } = this;
    const roll = roll_entry ?? `turn ${turn_number}`;
    if (awaits === "play" && dice !== null && board !== null && on_roll !== null) {
      const isSame =
        turn !== null && turn.roll === roll && turn.recorded === null && sameDice(turn.dice, dice);
      if (isSame && turn.seat === on_roll && turn.before === board) return;
      const words = isSame ? turn.words : this.#taps.of(roll);
      const isSilent = this.#recorder.profile === "no-assist";
      this.turn = new Turn({ roll, board, seat: on_roll, dice, isSilent });
      this.turn.wasTapped = isSame ? turn.wasTapped : words !== null;
      if (words?.length) this.turn.replay(words);
      this.turn.isAsked = isSame && turn.isAsked;
    } else if (turn !== null && !turn.isKept) {
      const isItsPlay = turn.recorded !== null && turn.recorded.entry_id === last_play?.entry.entry_id;
      if (!isItsPlay) this.turn = null;
    }
  }

  /** Begin anew with what the record and the kept taps say, as a page does that is loaded again. */
  resume() {
    const { table } = this.#recorder;
    this.turn = null;
    this.follow(table);
    if (this.turn === null && isLast(table)) this.turn = this.#reopened(table);
  }

  /** The last play as its taps told it: it is as open as it was. @param {Table} table */
  #reopened({ last_play, standing }) {
    if (last_play === null) return null;
    const { entry, seat, before: board, dice } = last_play;
    const { taps = [] } = entry.body;
    const roll = standing.findLast(({ tag }) => tag.startsWith("dice."))?.entry_id;
    if (board === null || roll === undefined || taps.length === 0 || taps.includes("played")) return null;
    const isSilent = this.#recorder.profile === "no-assist";
    const turn = new Turn({ roll, board, seat, dice, isSilent });
    turn.replay(this.#taps.of(roll) ?? taps);
    turn.recorded = entry;
    turn.known = Math.min(taps.length, turn.words.length);
    return turn;
  }

  /** What the taps have told so far is kept, and recorded where nothing else fits. */
  async entered() {
    const recorder = this.#recorder;
    const turn = recorder.entering;
    if (turn === null) return;
    this.#remember();
    // Drawn at once; the tick says when it is kept.
    recorder.tell();
    if (turn.isDecided) return this.keep(turn);
    recorder.refresh();
  }

  /** Take back a tap that no entry says yet. @param {Turn} turn */
  back(turn) {
    turn.back();
    this.#remember();
  }

  /**
   * Take an entry back. Of the play that is still open one tap goes and the others stay, as they do
   * where they had made no entry yet: nobody can tell by this which of both it was.
   * @param {Entry} entry
   */
  async retract({ entry_id, tag, body }) {
    const { outbox } = this.#recorder;
    const { turn } = this;
    const said = turn?.recorded && !turn.words.includes("played") ? turn.recorded.entry_id : null;
    const isPlay = entry_id === said;
    const isAmended = tag === "entry.amended" && body.target === said;
    const words = turn?.words.slice(0, -1) ?? [];
    // The table will wait for the play again: it begins with these.
    if (turn && isPlay) this.#taps.keep(turn.roll, words);
    else this.#taps.forget();
    if (!isAmended) this.turn = null;
    await outbox.record("entry.retracted", { target: entry_id });
    this.#recorder.refresh();
    if (turn && isAmended) this.#goOn(turn, words);
  }

  /** Its entry says again what it had said before. @param {Turn} turn @param {readonly string[]} words */
  #goOn(turn, words) {
    const { standing } = this.#recorder.table;
    const entry = standing.find(({ entry_id }) => entry_id === turn.recorded?.entry_id);
    if (entry === undefined) return;
    turn.recorded = entry;
    turn.replay(words);
    turn.known = Math.min(words.length, entry.body.taps?.length ?? 0);
  }

  /**
   * Finish the play, because something else happens next.
   * @throws {Refused} if it is not told; said again, it is left out as not seen
   */
  async settle() {
    const { turn } = this;
    if (turn === null || !turn.isPending) return;
    if (turn.untold.length > 0) return this.#leaveOut(turn);
    if (turn.moves === null) turn.say("played");
    await this.keep(turn);
  }

  /**
   * That was the play: all of it.
   * @param {Turn} turn
   * @throws {Refused} as `settle` does
   */
  async close(turn) {
    if (turn.untold.length > 0) return this.#leaveOut(turn);
    if (!turn.words.includes("played")) turn.say("played");
    await this.keep(turn);
  }

  /** A play that its taps do not tell is asked for once; then it is a gap, never a guess. @param {Turn} turn */
  async #leaveOut(turn) {
    if (!turn.isAsked) {
      turn.isAsked = true;
      throw new Refused("untold");
    }
    const recorder = this.#recorder;
    const body = gapBody(turn.seat, turn.points);
    const act =
      turn.recorded === null
        ? { tag: "play.unseen", body: recorder.time.stamp(body) }
        : amended(turn.recorded, "play.unseen", body);
    await recorder.outbox.record(act.tag, act.body);
    if (this.turn === turn) this.drop();
    recorder.repair.over(turn);
    recorder.refresh();
  }

  /**
   * After a silence the play that is drawn is recorded; a scribe who pauses in the middle of a play
   * has not said that it was all.
   */
  async #keepDrawn() {
    const { turn } = this;
    if (turn?.isPending && turn.moves !== null) await this.keep(turn);
  }

  /** Record a play as it is told, or put the entry right that said it otherwise. @param {Turn} turn */
  async keep(turn) {
    const recorder = this.#recorder;
    const { outbox } = recorder;
    const { moves } = turn;
    if (moves === null) return recorder.refresh();
    const body = playBody(turn.seat, moves, turn.words);
    if (turn.recorded === null) {
      // The outbox tells of the entry before its receipt comes back here: further taps of this
      // play must still find it.
      turn.isKept = true;
      try {
        turn.recorded = await outbox.record("play.made", recorder.time.stamp(body));
      } finally {
        turn.isKept = false;
      }
      this.#taps.forget();
    } else if (isSamePlay(turn.recorded, body)) {
      // No entry says these taps: a page that is loaded anew finds them here.
      this.#remember();
    } else {
      const act = amended(turn.recorded, "play.made", body);
      await outbox.record(act.tag, act.body);
      turn.recorded = { ...turn.recorded, tag: "play.made", body };
      this.#taps.forget();
    }
    turn.known = turn.words.length;
    recorder.repair.over(turn);
    recorder.refresh();
  }

  #remember() {
    const { turn } = this;
    if (turn !== null && this.#recorder.fixing === null) this.#taps.keep(turn.roll, turn.words);
  }
}

/** @param {Entry} entry @param {Record<string, any>} now */
function isSamePlay({ tag, body: kept }, now) {
  return (
    tag === "play.made" &&
    JSON.stringify(kept.moves ?? []) === JSON.stringify(now.moves ?? []) &&
    kept.resulting_position === undefined &&
    kept.hits_not_lifted === undefined
  );
}

/** @param {Dice | null} one @param {Dice} two */
function sameDice(one, two) {
  return one !== null && one[0] === two[0] && one[1] === two[1];
}
