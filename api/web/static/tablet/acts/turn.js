// The play that a scribe is entering: taps in, what the board shows and the entry out.

import { boardOf, placeOf, pointOf, seenBy } from "../../board/position.js";
import { AS_PLAYED, begin, drawn, fitsOf, followsFromDice, PLAYED, tap, wordOf } from "../../board/taps.js";
import { joined, pathWords } from "../../fold/notation.js";

/** @import { Board, CheckerMove, Dice, Entry, Mark, Place, Seat } from "../../shared/types.js" */

/** One play being entered; a new one for each roll. */
export class Turn {
  /** The entry that says this play, once it is recorded. @type {Entry | null} */
  recorded = null;
  /** Whether it is on its way into the record just now. */
  isKept = false;
  /** Whether anything was tapped of it, be it taken back since. */
  wasTapped = false;
  /** How many words of it the recorded entry knows. */
  known = 0;
  #state;
  #isSilent;

  /**
   * @param {object} options
   * @param {string} options.roll entry of the roll, which names this play
   * @param {Board} options.board before it
   * @param {Seat} options.seat
   * @param {Dice | null} options.dice
   * @param {boolean} options.isSilent whether nothing may show that a play is forced
   */
  constructor({ roll, board, seat, dice, isSilent }) {
    this.roll = roll;
    this.before = board;
    this.seat = seat;
    this.dice = dice;
    this.#isSilent = isSilent;
    this.#state = this.#begin();
  }

  #begin() {
    return begin(seenBy(this.before, this.seat), this.dice, { silent: this.#isSilent });
  }

  /** What was tapped, in order. */
  get words() {
    return this.#state.words;
  }

  /** Whether something was tapped that no entry says yet. */
  get isPending() {
    return this.words.length > this.known;
  }

  /** The play to record; null while the taps do not tell it. */
  get moves() {
    const { choice, isFree, reading } = this.#state;
    if (choice !== null) return choice.moves;
    // Placed freely, nothing else fits than what was placed; where nothing was, that tells no play.
    return isFree && reading?.picked === null && reading.moves.length > 0 ? reading.moves : null;
  }

  /** Whether the taps tell it and nothing more is to be said. */
  get isDecided() {
    return this.#state.choice !== null;
  }

  /** All that fits the taps. @returns {readonly import("../../board/taps.js").Choice[]} */
  get fits() {
    return fitsOf(this.#state);
  }

  /** Whether nothing was tapped and the dice leave nothing else: then the device says it, nobody saw. */
  get isForced() {
    return followsFromDice(this.#state);
  }

  /** How it was found, as its entry says it. @returns {{ fitted?: number, confirmed?: string }} */
  get found() {
    const { isNamed, points } = this.#state;
    const confirmed = isNamed ? "played" : "tapped";
    if (points.length > 0) return { fitted: this.fits.length, confirmed };
    if (!this.isForced) return { confirmed };
    return isNamed ? { fitted: 1, confirmed } : { fitted: 1 };
  }

  /**
   * A tap on the drawn board; false where the place is none of this player's.
   * @param {Place} place
   */
  tap(place) {
    const point = pointOf(this.seat, place);
    if (point === null) return false;
    this.say(wordOf(point));
    return true;
  }

  /**
   * A point, `x2`, `free` or `played`.
   * @param {string} word
   */
  say(word) {
    this.wasTapped = true;
    this.#state = tap(this.#state, word);
  }

  /** Take the last word back. */
  back() {
    this.replay(this.words.slice(0, -1));
    this.known = Math.min(this.known, this.words.length);
  }

  /**
   * Start again with these words.
   * @param {readonly string[]} words
   */
  replay(words) {
    this.#state = words.reduce(tap, this.#begin());
  }

  /** The points tapped so far. */
  get points() {
    return this.words.filter((word) => word !== PLAYED && word !== AS_PLAYED);
  }

  /** What has moved so far, told alike for a legal play and for any other. @returns {CheckerMove[]} */
  get seen() {
    return joined(drawn(this.#state).moves);
  }

  /** What has moved so far, as a line tells it: with its hits. */
  get told() {
    return pathWords(seenBy(this.before, this.seat), drawn(this.#state).moves);
  }

  /** What the board shows now. @returns {Board} */
  get board() {
    return boardOf(drawn(this.#state).position, this.seat);
  }

  /** Places to mark: the same marks for a legal play as for any other. @returns {Map<Place, Mark>} */
  get marks() {
    const { moves, picked } = drawn(this.#state);
    const marks = marksOf(this.seat, moves);
    for (const point of picked) marks.set(placeOf(this.seat, point), "picked");
    return marks;
  }

  /** Where a legal play may still begin; for the monitor's colouring alone. @returns {Place[]} */
  get sources() {
    const { plays, points } = this.#state;
    const from = (points.length > 0 ? this.fits : plays).flatMap(({ moves }) => moves.map(([point]) => point));
    return [...new Set(from)].map((point) => placeOf(this.seat, point));
  }
}

/**
 * From where and to where a play went.
 * @param {Seat} seat
 * @param {readonly CheckerMove[]} moves
 * @returns {Map<Place, Mark>}
 */
export function marksOf(seat, moves) {
  /** @type {Map<Place, Mark>} */
  const marks = new Map();
  for (const [from, to] of joined(moves)) {
    marks.set(placeOf(seat, from), "from");
    marks.set(placeOf(seat, to), "to");
  }
  return marks;
}
