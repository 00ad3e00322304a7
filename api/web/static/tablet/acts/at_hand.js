// The play of the current roll: taps become one entry, which further taps correct.

import { amended, gapBody, playBody } from "./acts.js";
import { beforePlay } from "./early.js";
import { KeptTaps } from "./kept_taps.js";
import { Refused } from "./recording.js";
import { isLast, isNewest } from "./told.js";
import { Turn } from "./turn.js";

/** @import { Entry, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** The play of the current roll; once recorded, it can still be changed until the next act. */
export class AtHand {
  /** @type {Turn | null} */ turn = null;
  #recorder;
  #taps;

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
    this.#taps = new KeptTaps(recorder.outbox.match_id);
  }

  /** Forget the play and its taps. */
  drop() {
    this.turn = null;
    this.#taps.forget();
  }

  /** Begin the play that the table waits for; forget one that something else has followed. */
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
      // It, or something before it, was corrected: the taps no longer say what was played.
      else if (!isSamePlay(last_play.entry, turn.recorded.body) || !alike(last_play.before, turn.before)) this.drop();
      // The turn is over: further taps no longer belong to it.
      else if (!turn.isPending && !isNewest(table)) this.turn = null;
    }
  }

  /** Begin again from the record and the stored taps, as after a reload. */
  resume() {
    const recorder = this.#recorder;
    const { folded } = recorder;
    this.turn = null;
    // Open questions first: whether an early roll is in play depends on them.
    if (isLast(folded)) this.turn = this.#reopened(folded);
    this.follow(recorder.table);
  }

  /** The last play with its taps, which may still be changed as before. @param {Table} table */
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
    // After a crash, the stored taps may be older than the entry; then the entry counts.
    const goesOn = kept !== null && alike(kept.slice(0, taps.length), taps);
    turn.replay(goesOn ? kept : taps);
    if (!goesOn && !(turn.moves && isSamePlay(entry, turn))) return null;
    turn.recorded = entry;
    turn.known = Math.min(taps.length, turn.words.length);
    return turn;
  }

  /** Store the taps made so far, and record the play if they are complete. */
  async entered() {
    const recorder = this.#recorder;
    const turn = recorder.entering;
    if (turn === null) return;
    this.#remember(turn);
    // Drawn at once; a tick shows when it is stored.
    recorder.tell();
    if (turn.isDecided) return this.keep(turn);
    recorder.refresh();
  }

  /** Undo a tap that is not part of an entry yet. @param {Turn} turn */
  back(turn) {
    turn.back();
    this.#remember(turn);
  }

  /**
   * Retract an entry. Of a play that may still be changed only the last tap is undone, just as if there
   * were no entry yet: so the screen does not reveal whether there was one.
   * @param {Entry} entry
   */
  async retract({ entry_id, tag, body }) {
    const { turn } = this;
    const said = turn?.recorded && !turn.words.includes("played") ? turn.recorded.entry_id : null;
    const isPlay = entry_id === said;
    const isAmended = tag === "entry.amended" && body.target === said;
    // Acts beside the play, such as stopping the clock, do not close it.
    const isBeside = said !== null && !isPlay && isLast(this.#recorder.table);
    const asked = this.#recorder.asking.question;
    const words = turn?.words.slice(0, -1) ?? [];
    // The table will wait for the play again, which begins with these taps.
    if (turn && isPlay) this.#taps.keep(turn.roll, words);
    else if (asked?.turn) this.#taps.keep(asked.turn.roll, asked.turn.words);
    else this.#taps.forget();
    // Until the entry is written the play stays open; otherwise a redraw meanwhile would show it as an entry.
    if (!isAmended && !isPlay && !isBeside) this.turn = null;
    const write = async () => {
      await this.#recorder.record("entry.retracted", { target: entry_id }, { timed: false });
      if (turn && isAmended) this.#goOn(turn, words);
    };
    await (turn ? keeping(turn, write) : write());
  }

  /**
   * Go on with the play after an amendment of it was retracted.
   * @param {Turn} turn
   * @param {readonly string[]} words
   */
  #goOn(turn, words) {
    const { standing } = this.#recorder.table;
    const entry = standing.find(({ entry_id }) => entry_id === turn.recorded?.entry_id);
    if (entry === undefined) return;
    turn.recorded = entry;
    turn.replay(words);
    turn.known = Math.min(words.length, entry.body.taps?.length ?? 0);
  }

  /**
   * Something else happens next: a complete play is recorded; for an incomplete one the device records
   * a gap in its place, and never anything that nobody entered.
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
   * The game ends, or continues from another position: the taps of an incomplete play are stored, and the
   * play is asked for. A roll that nobody has begun to play is not asked about.
   */
  async leave() {
    const { turn } = this;
    if (turn !== null && turn.isPending && turn.points.length > 0) await this.settle();
  }

  /**
   * The scribe says that the play is complete. If the taps do not decide which one it was, it is asked for.
   * @param {Turn} turn
   * @throws {Refused} if there is a question about it already
   */
  async close(turn) {
    if (!turn.words.includes("played")) turn.say("played");
    // Stored like taps, for a reload before the entry is written.
    this.#remember(turn);
    if (turn.moves !== null) return this.keep(turn);
    if (turn !== this.turn) throw new Refused("untold");
    await this.#leaveOpen(turn);
  }

  /** @param {Turn} turn */
  async #leaveOpen(turn) {
    const recorder = this.#recorder;
    const body = gapBody(turn.seat, turn.points);
    // The question begins with these taps, and undo comes back to them.
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

  /** Record a complete play, or amend the entry that has it differently. @param {Turn} turn */
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
      // These taps are in no entry: store them for a reload.
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

  /** Taps since a roll that are in no entry yet. @param {string} roll @returns {string[] | null} */
  kept(roll) {
    return this.#taps.of(roll);
  }

  /** Start the play of a question again. @param {Turn} turn */
  anew(turn) {
    turn.replay([]);
    turn.known = 0;
    this.#remember(turn);
  }
}

/**
 * Write with `isKept` set: the outbox announces the entry before `write` resolves, and the play
 * must not be dropped in between.
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
