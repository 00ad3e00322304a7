// The play at hand: taps in, one entry out, and the corrections of what further taps say of it.

import { amended, gapBody, playBody } from "./acts.js";
import { beforePlay } from "./early.js";
import { KeptTaps } from "./kept_taps.js";
import { Refused } from "./recording.js";
import { isLast, isNewest } from "./told.js";
import { Turn } from "./turn.js";

/** @import { Entry, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** The play that belongs to the roll in play; a recorded one stays open until the next act. */
export class AtHand {
  /** @type {Turn | null} */ turn = null;
  #recorder;
  #taps;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
    this.#taps = new KeptTaps(recorder.outbox.match_id);
  }

  /** Let go of the play, and of what was tapped of it. */
  drop() {
    this.turn = null;
    this.#taps.forget();
  }

  /** Begin the play that the table waits for, and let go of one that something else came after. */
  follow(/** @type {Table} */ table) {
    const { awaits, dice, board, on_roll, last_play, roll_entry, turn_number } = table;
    const { turn } = this;
    const roll = roll_entry ?? `turn ${turn_number}`;
    if (awaits === "play" && dice !== null && board !== null && on_roll !== null) {
      const isSame =
        turn !== null && turn.roll === roll && turn.recorded === null && alike(turn.dice, dice);
      if (isSame && turn.seat === on_roll && turn.before === board) return;
      const words = isSame ? turn.words : this.#taps.of(roll);
      const isSilent = this.#recorder.profile === "no-assist";
      this.turn = new Turn({ roll, board, seat: on_roll, dice, isSilent });
      this.turn.wasTapped = isSame ? turn.wasTapped : words !== null;
      if (words?.length) this.turn.replay(words);
    } else if (turn !== null && !turn.isKept) {
      if (turn.recorded === null || turn.recorded.entry_id !== last_play?.entry.entry_id) this.turn = null;
      // It has been put right, or what is before it: what was tapped is not what was played.
      else if (!isSamePlay(last_play.entry, turn.recorded.body) || !alike(last_play.before, turn.before)) this.drop();
      // The turn is over: a finger on the board says nothing of it any more.
      else if (!turn.isPending && !isNewest(table)) this.turn = null;
    }
  }

  /** Begin anew with what the record and the kept taps say, as a page does that is loaded again. */
  resume() {
    const recorder = this.#recorder;
    const { folded } = recorder;
    this.turn = null;
    // First what is open: on that hangs whether an early roll is the roll in play.
    if (isLast(folded)) this.turn = this.#reopened(folded);
    this.follow(recorder.table);
  }

  /** The last play as its taps told it: it is as open as it was. @param {Table} table */
  #reopened({ last_play, standing }) {
    if (last_play === null) return null;
    const { entry, seat, before: board, dice } = last_play;
    const { taps = [] } = entry.body;
    const isClosed = taps.length === 0 || taps.includes("played") || entry.body.confirmed === "chosen";
    if (board === null || isClosed) return null;
    const { roll_entry: roll } = beforePlay(standing, entry, this.#recorder.outbox.terms);
    if (roll === null) return null;
    const isSilent = this.#recorder.profile === "no-assist";
    const turn = new Turn({ roll, board, seat, dice, isSilent });
    const kept = this.#taps.of(roll);
    // What a browser that was killed remembers may be older than the entry: that knows better then.
    const goesOn = kept !== null && alike(kept.slice(0, taps.length), taps);
    turn.replay(goesOn ? kept : taps);
    if (!goesOn && !(turn.moves && isSamePlay(entry, turn))) return null;
    turn.recorded = entry;
    turn.known = Math.min(taps.length, turn.words.length);
    return turn;
  }

  /** What the taps have told so far is kept, and recorded where they tell one play. */
  async entered() {
    const recorder = this.#recorder;
    const turn = recorder.entering;
    if (turn === null) return;
    this.#remember(turn);
    // Drawn at once; the tick says when it is kept.
    recorder.tell();
    if (turn.isDecided) return this.keep(turn);
    recorder.refresh();
  }

  /** Take back a tap that no entry says yet. @param {Turn} turn */
  back(turn) {
    turn.back();
    this.#remember(turn);
  }

  /**
   * Take an entry back. Of the play that is still open one tap goes and the others stay, as they do
   * where they had made no entry yet: nobody can tell by this which of both it was.
   * @param {Entry} entry
   */
  async retract({ entry_id, tag, body }) {
    const { turn } = this;
    const said = turn?.recorded && !turn.words.includes("played") ? turn.recorded.entry_id : null;
    const isPlay = entry_id === said;
    const isAmended = tag === "entry.amended" && body.target === said;
    // What came beside it, such as a clock that was stopped, has left it open.
    const isBeside = said !== null && !isPlay && isLast(this.#recorder.table);
    const asked = this.#recorder.asking.question;
    const words = turn?.words.slice(0, -1) ?? [];
    // The table will wait for the play again: it begins with these.
    if (turn && isPlay) this.#taps.keep(turn.roll, words);
    else if (asked?.turn) this.#taps.keep(asked.turn.roll, asked.turn.words);
    else this.#taps.forget();
    // Until it is written, the play is as open as it was: else a draw meanwhile would tell it as an entry.
    if (!isAmended && !isPlay && !isBeside) this.turn = null;
    const write = async () => {
      await this.#recorder.record("entry.retracted", { target: entry_id }, { timed: false });
      if (turn && isAmended) this.#goOn(turn, words);
    };
    await (turn ? keeping(turn, write) : write());
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
   * Something else happens next: a play that is told is kept, any other one leaves its place open. The
   * place is kept by the device; nothing that nobody entered is written there.
   */
  async settle() {
    const { turn } = this;
    const { table } = this.#recorder;
    const isOpen = turn !== null && (turn.recorded === null || turn.isPending);
    if (isOpen && turn.moves !== null) return this.keep(turn);
    if (isOpen) return this.#leaveOpen(turn);
    if (turn === null && table.awaits === "play" && table.on_roll !== null) {
      await this.#recorder.record("play.unseen", gapBody(table.on_roll, []), { basis: "device" });
    }
  }

  /**
   * The game goes no further, or from somewhere else: what was tapped of a play and does not tell it is
   * kept as it was tapped, and asked for. Of a roll that nobody has begun to play there is nothing to ask.
   */
  async leave() {
    const { turn } = this;
    if (turn !== null && turn.isPending && turn.points.length > 0) await this.settle();
  }

  /**
   * That was the play: all of it. Where that does not tell which one, it is asked for.
   * @param {Turn} turn
   * @throws {Refused} if it is asked for already
   */
  async close(turn) {
    if (!turn.words.includes("played")) turn.say("played");
    // A page that is loaded anew before the entry is written finds it here, as it finds points.
    this.#remember(turn);
    if (turn.moves !== null) return this.keep(turn);
    if (turn !== this.turn) throw new Refused("untold");
    await this.#leaveOpen(turn);
  }

  /** @param {Turn} turn */
  async #leaveOpen(turn) {
    const recorder = this.#recorder;
    const body = gapBody(turn.seat, turn.points);
    // What was tapped is where the question begins, and where undo comes back to.
    this.#remember(turn);
    if (turn.recorded === null) {
      await recorder.record("play.unseen", body, { basis: "device" });
    } else {
      const { tag, body: said, basis } = amended(turn.recorded, "play.unseen", body, "device");
      await recorder.record(tag, said, { basis, timed: false });
    }
    if (this.turn === turn) this.turn = null;
    recorder.refresh();
  }

  /** Record a play as it is told, or put the entry right that said it otherwise. @param {Turn} turn */
  async keep(turn) {
    const recorder = this.#recorder;
    const { moves } = turn;
    if (moves === null) return recorder.refresh();
    const body = playBody(turn.seat, moves, turn.words, turn.found);
    const basis = turn.isForced ? "device" : "observed";
    if (turn.recorded === null) {
      await keeping(turn, async () => {
        turn.recorded = await recorder.record("play.made", body, { basis });
      });
      this.#taps.forget(turn.roll);
    } else if (isSamePlay(turn.recorded, body)) {
      // No entry says these taps: a page that is loaded anew finds them here.
      this.#remember(turn);
    } else {
      const act = amended(turn.recorded, "play.made", body, basis);
      const { recorded } = turn;
      await keeping(turn, async () => {
        await recorder.record(act.tag, act.body, { basis, timed: false });
        turn.recorded = { ...recorded, tag: "play.made", body };
      });
      this.#taps.forget(turn.roll);
    }
    turn.known = turn.words.length;
    recorder.repair.over(turn);
    recorder.refresh();
  }

  /** @param {Turn} turn */
  #remember(turn) {
    if (this.#recorder.fixing?.turn !== turn) this.#taps.keep(turn.roll, turn.words);
  }

  /** What was tapped since a roll and is no entry yet. @param {string} roll @returns {string[] | null} */
  kept(roll) {
    return this.#taps.of(roll);
  }

  /** Begin a play again that is asked for. @param {Turn} turn */
  anew(turn) {
    turn.replay([]);
    turn.known = 0;
    this.#remember(turn);
  }
}

/**
 * The outbox tells of an entry before its receipt comes back here: further taps must still find the play.
 * @param {Turn} turn @param {() => Promise<unknown>} write
 */
async function keeping(turn, write) {
  turn.isKept = true;
  try {
    await write();
  } finally {
    turn.isKept = false;
  }
}

/** @param {Entry} entry @param {Record<string, any>} now */
function isSamePlay({ tag, body: kept }, now) {
  return (
    tag === "play.made" &&
    alike(kept.moves ?? [], now.moves ?? []) &&
    kept.resulting_position === undefined &&
    kept.hits_not_lifted === undefined
  );
}

/** @param {unknown} one @param {unknown} two */
function alike(one, two) {
  return JSON.stringify(one) === JSON.stringify(two);
}
