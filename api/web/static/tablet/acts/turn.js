// A play being entered: takes taps, and gives what the board shows and what is recorded.

import { boardOf, placeOf, pointOf, seenBy } from "../../board/position.js";
import { AS_PLAYED, begin, drawn, fitsOf, followsFromDice, PLAYED, tap, wordOf } from "../../board/taps.js";
import { joined, pathWords } from "../../fold/notation.js";

/** @import { Board, CheckerMove, Dice, Entry, Mark, Place, Seat } from "../../shared/types.js" */

/** One play being entered; each roll has its own. */
export class Turn {
  /** The entry of this play, once it is recorded. @type {Entry | null} */
  recorded = null;
  /** Whether it is being recorded at this moment. */
  isKept = false;
  /** Whether anything was tapped, even if it was taken back since. */
  wasTapped = false;
  /** How many of its words are in the recorded entry. */
  known = 0;
  #state;
  #isSilent;

  /**
   * @param {object} options
   * @param {string} options.roll id of the roll's entry, which identifies this play
   * @param {Board} options.board the board before the play
   * @param {Seat} options.seat
   * @param {Dice | null} options.dice
   * @param {boolean} options.isSilent whether the screen must not show that a play is forced
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

  /** The taps as words, in order. */
  get words() {
    return this.#state.words;
  }

  /** Whether there are taps that no entry contains yet. */
  get isPending() {
    return this.words.length > this.known;
  }

  /** The play to record; null while the taps do not determine one. */
  get moves() {
    const { choice, isFree, reading } = this.#state;
    if (choice !== null) return choice.moves;
    // Free placing is the play itself, if any checker was placed.
    return isFree && reading?.picked === null && reading.moves.length > 0 ? reading.moves : null;
  }

  /** Whether the taps determine the play without a confirmation. */
  get isDecided() {
    return this.#state.choice !== null;
  }

  /** The plays that fit the taps. @returns {readonly import("../../board/taps.js").Choice[]} */
  get fits() {
    return fitsOf(this.#state);
  }

  /** Whether nothing was tapped and the dice leave one play: inferred by the device, not seen. */
  get isForced() {
    return followsFromDice(this.#state);
  }

  /** How it was found, for its entry. @returns {{ fitted?: number, confirmed?: string }} */
  get found() {
    const { isNamed, points } = this.#state;
    const confirmed = isNamed ? "played" : "tapped";
    if (points.length > 0) return { fitted: this.fits.length, confirmed };
    if (!this.isForced) return { confirmed };
    return isNamed ? { fitted: 1, confirmed } : { fitted: 1 };
  }

  /**
   * Take a tap on the drawn board; false if the place cannot belong to this player's play.
   * @param {Place} place
   */
  tap(place) {
    const point = pointOf(this.seat, place);
    if (point === null) return false;
    this.say(wordOf(point));
    return true;
  }

  /**
   * Take a word: a point, `x2`, `free` or `played`.
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

  /** The moves so far, shown alike whether or not the play is legal. @returns {CheckerMove[]} */
  get seen() {
    return joined(drawn(this.#state).moves);
  }

  /** The moves so far in notation, with hits. */
  get told() {
    return pathWords(seenBy(this.before, this.seat), drawn(this.#state).moves);
  }

  /** What the board shows now. @returns {Board} */
  get board() {
    return boardOf(drawn(this.#state).position, this.seat);
  }

  /** Places to mark, alike whether or not the play is legal. @returns {Map<Place, Mark>} */
  get marks() {
    const { moves, picked } = drawn(this.#state);
    const marks = marksOf(this.seat, moves);
    for (const point of picked) marks.set(placeOf(this.seat, point), "picked");
    return marks;
  }

  /** Places from which a legal play may move on; for the monitor only. @returns {Place[]} */
  get sources() {
    const { plays, points } = this.#state;
    const from = (points.length > 0 ? this.fits : plays).flatMap(({ moves }) => moves.map(([point]) => point));
    return [...new Set(from)].map((point) => placeOf(this.seat, point));
  }
}

/**
 * Marks from where and to where the checkers of a play went.
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
