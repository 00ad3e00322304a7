// Finds the plays that fit a scribe's taps, and tells when only one is left; twin of taps.py.

import { legalPlays } from "./legal.js";
import { BAR, OFF, moved } from "./position.js";

/** @import { CheckerMove, Dice, Position } from "../shared/types.js" */

/** Repeat all taps so far: every checker tapped moved together with another one. */
export const TWICE = "x2";

/** The play is complete: it is what is drawn or, without taps, what follows from the dice. */
export const PLAYED = "played";

/** From here on checkers are placed freely, without regard to the dice. */
export const AS_PLAYED = "free";

/**
 * A possible play.
 * @typedef {object} Choice
 * @property {readonly CheckerMove[]} moves highest source first; if read hop by hop, as tapped
 * @property {readonly number[]} changes how many taps on each point fit this play
 * @property {string} key equal for plays with the same end and the same hits
 */

/**
 * The taps as hops, each from one point to another.
 * @typedef {object} Reading
 * @property {readonly CheckerMove[]} moves
 * @property {number | null} picked where a checker is picked up and not put down yet
 */

/**
 * A play that is being entered. Points are counted from the mover's side.
 * @typedef {object} Entering
 * @property {Position} position the board before the play, from the mover's side
 * @property {Dice | null} dice
 * @property {boolean} isSilent whether players see the screen: then it must not reveal legality
 * @property {readonly Choice[]} plays all plays that use the whole roll
 * @property {readonly string[]} words the taps, in order
 * @property {readonly number[]} points the points tapped, repeated by `x2`
 * @property {Reading | null} reading the taps as hops; null if they cannot be read so
 * @property {boolean} isFree whether only the hops count, and not the dice
 * @property {Choice | null} choice the play that the taps have determined; null = not yet
 * @property {boolean} isDone whether the scribe has confirmed the play by `played`
 * @property {boolean} isNamed whether the taps left several plays, and `played` determined one
 */

/**
 * The state before the first tap; unless silent, an only legal play is determined already.
 * @param {Position} position
 * @param {Dice | null} dice null = unknown: checkers are placed freely
 * @param {{silent?: boolean}} [options]
 * @returns {Entering}
 */
export function begin(position, dice, { silent = true } = {}) {
  const known = dice !== null && (silent ? withDice(position, dice) : legal(position, dice));
  const plays = known || [];
  return {
    position,
    dice,
    isSilent: silent,
    plays,
    words: [],
    points: [],
    reading: { moves: [], picked: null },
    isFree: dice === null,
    choice: plays.length === 1 && !silent ? plays[0] : null,
    isDone: false,
    isNamed: false,
  };
}

/**
 * The state after one more tap; `played` changes nothing if it does not determine a play.
 * @param {Entering} state
 * @param {string} word `1` to `24`, `bar`, `off`, `x2`, `played` or `free`
 * @returns {Entering}
 */
export function tap(state, word) {
  if (state.isDone) return state;
  if (word === PLAYED) return all(state);
  const words = [...state.words, word];
  const isFree = state.isFree || word === AS_PLAYED;
  let { points } = state;
  if (word === TWICE) points = points.flatMap((point) => [point, point]);
  else if (word !== AS_PLAYED) points = [...points, pointOfWord(word)];
  const now = { ...state, words, points, isFree };
  now.reading = read(now);
  now.choice = told(now);
  return now;
}

/**
 * The plays that fit the taps, one for each end, in the order of the board; empty before any tap.
 * If the taps are hops, they fit as they are, and with every way to use the rest of the dice.
 * @param {Entering} state
 * @returns {Choice[]}
 */
export function fitsOf(state) {
  return state.points.length > 0 ? fitting(state) : [];
}

/**
 * Whether nothing was tapped and there is only one legal play: it was inferred, not seen.
 * @param {Entering} state
 */
export function followsFromDice({ position, dice, points, isFree }) {
  return points.length === 0 && !isFree && dice !== null && legal(position, dice).length === 1;
}

/**
 * What the board shows now: the determined play, else the tapped hops, else only the tapped points.
 * @param {Entering} state
 * @returns {{position: Position, moves: readonly CheckerMove[], picked: readonly number[]}}
 */
export function drawn({ position, choice, reading, points }) {
  if (choice === null && reading === null) return { position, moves: [], picked: points };
  const moves = choice?.moves ?? reading?.moves ?? [];
  const lifted = choice === null ? (reading?.picked ?? null) : null;
  const picked = lifted === null ? [] : [lifted];
  return { position: moved(position, moves).position ?? position, moves, picked };
}

/**
 * The point that a word names: 25 is the bar, 0 the tray.
 * @param {string} word
 * @returns {number}
 */
function pointOfWord(word) {
  if (word === "bar") return BAR;
  if (word === "off") return OFF;
  const point = /^[1-9]\d?$/.test(word) ? Number(word) : BAR;
  if (point >= BAR) throw new RangeError(`"${word}" is no point, nor one of x2, played, free`);
  return point;
}

/**
 * The word of a point in `words`.
 * @param {number} point
 * @returns {string}
 */
export function wordOf(point) {
  if (point === BAR) return "bar";
  return point === OFF ? "off" : String(point);
}

// The play that the taps determine.

/**
 * The only play that fits; null if several do, or if the scribe may still be tapping.
 * @param {Entering} state
 * @returns {Choice | null}
 */
function told(state) {
  const { points, isFree, isSilent, reading } = state;
  if (points.length === 0 || isFree) return null;
  if (isSilent && reading !== null && !isWhole(state, reading)) return null;
  const fits = fitting(state);
  return fits.length === 1 ? fits[0] : null;
}

/** Whether the hops can be a whole play. @param {Entering} state @param {Reading} reading */
function isWhole({ dice, position, plays }, { moves, picked }) {
  if (picked !== null) return false;
  if (moves.length >= countOf(dice)) return true;
  const { key } = choiceOf(position, moves);
  return plays.some((play) => play.key === key);
}

/**
 * The state after `played`: the play is what is drawn or, without taps, what the dice force.
 * @param {Entering} state
 * @returns {Entering}
 */
function all(state) {
  const { position, dice, points, words } = state;
  let { choice } = state;
  if (choice === null && points.length === 0) {
    choice = followsFromDice(state) && dice ? legal(position, dice)[0] : choiceOf(position, []);
  } else if (choice === null) {
    choice = drawnChoice(state);
  }
  if (choice === null) return state;
  const isNamed = state.choice === null;
  return { ...state, words: [...words, PLAYED], choice, isDone: true, isNamed };
}

/**
 * The tapped hops as a play; null if the taps are no hops, or a checker is still picked up.
 * @param {Entering} state
 * @returns {Choice | null}
 */
function drawnChoice({ position, plays, reading, isFree }) {
  if (reading === null || reading.picked !== null) return null;
  const literal = choiceOf(position, reading.moves);
  const { length } = literal.moves;
  if (isFree) return literal;
  // A hop that takes several dice is given as its single steps.
  return plays.find(({ key, moves }) => key === literal.key && moves.length !== length) ?? literal;
}

/** @param {Entering} state @returns {Choice[]} */
function fitting(state) {
  const { points, plays, isFree } = state;
  const counts = new Array(26).fill(0);
  for (const point of points) counts[point] += 1;
  /** @type {Map<string, Choice>} */
  const found = new Map();
  const add = (/** @type {Choice} */ play) => found.has(play.key) || found.set(play.key, play);
  const hops = drawnChoice(state);
  if (hops !== null) add(hops);
  if (!isFree) {
    for (const play of plays) if (points.every((at) => play.changes[at] >= counts[at])) add(play);
    goingOn(state, add);
  }
  return [...found.values()].sort((one, two) => inOrder(one.moves, two.moves));
}

/**
 * Highest source first, then highest end.
 * @param {readonly CheckerMove[]} one
 * @param {readonly CheckerMove[]} two
 */
function inOrder(one, two) {
  const before = sorted(one).flat();
  const after = sorted(two).flat();
  const place = before.findIndex((point, at) => point !== after[at]);
  if (place < 0) return before.length - after.length;
  return place >= after.length ? 1 : after[place] - before[place];
}

/** @param {readonly CheckerMove[]} moves */
function sorted(moves) {
  return [...moves].sort((one, two) => two[0] - one[0] || two[1] - one[1]);
}

/**
 * Add every play that goes on from the tapped hops with some or none of the remaining dice.
 * @param {Entering} state
 * @param {(play: Choice) => unknown} add
 */
function goingOn({ reading, position, dice, plays, isSilent }, add) {
  if (reading === null || dice === null || reading.moves.length >= countOf(dice)) return;
  const known = new Map(plays.map((play) => [play.key, play]));
  for (const left of leftOf(dice, reading.moves)) {
    const own = [...position.own];
    for (const [from, to] of reading.moves) hop(own, from, to);
    further(own, left, (more) => {
      if (reading.picked !== null && more.every(([from]) => from !== reading.picked)) return;
      const play = choiceOf(position, [...reading.moves, ...more]);
      const same = known.get(play.key);
      if (same !== undefined) add(same);
      else if (isSilent) add(play);
    });
  }
}

/**
 * The dice that may be left after these hops of one die each; empty if the hops do not fit.
 * @param {Dice} dice
 * @param {readonly CheckerMove[]} moves
 * @returns {number[][]}
 */
function leftOf(dice, moves) {
  let rest = [eachDie(dice)];
  for (const [from, to] of moves) {
    const lefts = rest.flatMap((left) =>
      left.flatMap((die, place) =>
        Math.max(OFF, from - die) === to ? [left.toSpliced(place, 1)] : [],
      ),
    );
    rest = [...new Map(lefts.map((left) => [left.join(), left])).values()];
  }
  return rest.sort((one, two) => (one[0] ?? 0) - (two[0] ?? 0));
}

/** The dice, smallest first; a doublet as four. @param {Dice} dice @returns {number[]} */
function eachDie([one, two]) {
  return one === two ? [one, one, one, one] : [one, two].sort((a, b) => a - b);
}

/**
 * Visit every sequence of further hops with these dice; hops of a doublet from the top down.
 * @param {number[]} own
 * @param {readonly number[]} left
 * @param {(more: readonly CheckerMove[]) => void} visit
 */
function further(own, left, visit) {
  visit([]);
  if (new Set(left).size === 1) return ofOne(own, left[0], left.length, BAR, [], visit);
  left.forEach((die, place) => {
    for (const [from, to] of hopsOf(own, die, BAR)) {
      hop(own, from, to);
      further(own, left.toSpliced(place, 1), (more) => visit([[from, to], ...more]));
      hop(own, to, from);
    }
  });
}

/**
 * Visit every sequence of one to `most` hops of the same die, highest source first.
 * @param {number[]} own
 * @param {number} die
 * @param {number} most
 * @param {number} top
 * @param {readonly CheckerMove[]} before
 * @param {(more: readonly CheckerMove[]) => void} visit
 */
function ofOne(own, die, most, top, before, visit) {
  for (const [from, to] of hopsOf(own, die, top)) {
    /** @type {CheckerMove[]} */
    const moves = [...before, [from, to]];
    visit(moves);
    if (most === 1) continue;
    hop(own, from, to);
    ofOne(own, die, most - 1, from, moves, visit);
    hop(own, to, from);
  }
}

// Plays.

/** @param {Position} position @param {Dice} dice @returns {Choice[]} */
function legal(position, dice) {
  const plays = legalPlays(position, dice).map(({ moves }) => choiceOf(position, moves));
  return plays.length > 0 ? plays : [choiceOf(position, [])];
}

/**
 * One play for each end that the whole roll can reach, blocked points included; legal if possible.
 * @param {Position} position
 * @param {Dice} dice
 * @returns {Choice[]}
 */
function withDice(position, dice) {
  const own = [...position.own];
  const most = countOf(dice);
  const men = own.slice(1).reduce((sum, count) => sum + count, 0);
  const lawful = legalPlays(position, dice).map(({ moves }) => choiceOf(position, moves));
  const found = new Map(lawful.map((play) => [play.key, play]));
  const whole = new Set();
  further(own, dice[0] === dice[1] ? eachDie(dice) : dice, (moves) => {
    if (moves.length < Math.min(most, men)) return;
    const isTurned = most === 2 && moves.length === 2 && moves[0][0] < moves[1][0];
    const play = choiceOf(position, isTurned ? [moves[1], moves[0]] : moves);
    whole.add(play.key);
    if (!found.has(play.key)) found.set(play.key, play);
  });
  return [...found.values()].filter(({ key }) => whole.has(key));
}

/**
 * The hops of one die from every point with a checker, highest source first.
 * @param {readonly number[]} own
 * @param {number} die
 * @param {number} top
 * @returns {CheckerMove[]}
 */
function hopsOf(own, die, top) {
  /** @type {CheckerMove[]} */
  const found = [];
  for (let from = top; from > 0; from -= 1) {
    if (own[from] > 0) found.push([from, Math.max(OFF, from - die)]);
  }
  return found;
}

/** @param {Dice | null} dice */
function countOf(dice) {
  return dice !== null && dice[0] === dice[1] ? 4 : 2;
}

/** @param {Position} position @param {readonly CheckerMove[]} moves @returns {Choice} */
function choiceOf(position, moves) {
  const net = new Array(26).fill(0);
  const hits = new Array(26).fill(0);
  for (const [from, to] of moves) {
    hop(net, from, to);
    if (to !== OFF && to !== BAR && position.other[BAR - to] === 1) hits[to] = 1;
  }
  const changes = net.map((change, point) => Math.abs(change) || hits[point]);
  return { moves, changes, key: `${net.join()}/${hits.join("")}` };
}

// Taps as hops.

/**
 * Read taps as picking up and putting down in turn; null if they cannot be that. Unless placing is
 * free, there must be a checker where one is picked up, and it must move forward.
 * @param {Entering} state
 * @returns {Reading | null}
 */
function read({ position, words, isFree }) {
  const own = [...position.own];
  /** @type {CheckerMove[]} */
  const moves = [];
  /** @type {number | null} */
  let picked = null;
  for (const word of words) {
    if (word === AS_PLAYED) continue;
    /** @type {CheckerMove[]} */
    let again = [];
    if (word === TWICE) {
      if (picked !== null && !isFree) return null;
      if (picked === null) again = [...moves];
    } else if (picked === null) {
      const point = pointOfWord(word);
      if (point !== OFF && own[point] > 0) picked = point;
      else if (!isFree) return null;
    } else {
      again = [[picked, pointOfWord(word)]];
      picked = null;
    }
    for (const [from, to] of again) {
      if (!isFree && (to >= from || own[from] < 1)) return null;
      if (to === from || to === BAR) continue;
      hop(own, from, to);
      moves.push([from, to]);
    }
  }
  return { moves, picked };
}

/** @param {number[]} counts @param {number} from @param {number} to */
function hop(counts, from, to) {
  counts[from] -= 1;
  counts[to] += 1;
}
