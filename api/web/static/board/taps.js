// Narrowing taps: which play a scribe means who taps points that changed; twin of taps.py.

import { legalPlays, movesWith } from "./legal.js";
import { BAR, OFF, moved } from "./position.js";

/** @import { CheckerMove, Dice, LegalPlay, Position } from "../types.js" */

/** Every checker tapped so far moved, and another one with it. */
export const TWICE = "x2";

/** That is all; nothing of it is completed. */
export const PLAYED = "played";

/** From here on checkers are picked up and put down, whatever is legal. */
export const AS_PLAYED = "free";

/**
 * A legal play as taps see it.
 * @typedef {object} Choice
 * @property {readonly CheckerMove[]} moves
 * @property {Position} end
 * @property {ReadonlySet<number>} sources points that fewer checkers stand on afterwards
 * @property {readonly number[]} changes how many taps each point can take
 * @property {ReadonlySet<number>} large points from which the larger die can be played in it
 */

/**
 * Checkers picked up and put down, whatever is legal.
 * @typedef {object} Placed
 * @property {readonly CheckerMove[]} moves
 * @property {readonly number[]} picked points where one was picked up, and not put down yet
 * @property {readonly number[]} awaiting points where one came to stand, nobody knows from where
 */

/**
 * A play that is being entered. Points are the mover's own.
 * @typedef {object} Entering
 * @property {Position} position the board before it, from the mover's side
 * @property {Dice | null} dice
 * @property {boolean} isSilent whether a play that needs no tap waits for `played`
 * @property {readonly string[]} words what was tapped, in order
 * @property {readonly number[]} points the points of it, doubled where `x2` said so
 * @property {readonly Choice[]} choices every legal play; one that moves nothing if there is none
 * @property {readonly Choice[]} remaining those that change every tapped point
 * @property {Choice | null} choice the legal play that is meant; null while that is not decided
 * @property {boolean} isFree whether checkers are placed as tapped
 * @property {boolean} isLiteral whether each second tap puts down what the one before picked up
 * @property {boolean} isDone whether the scribe said `played`
 */

/**
 * Before the first tap; without silence, a play that needs none is decided already.
 * @param {Position} position
 * @param {Dice | null} dice null = not known, which makes the placing free
 * @param {{silent?: boolean}} [options]
 * @returns {Entering}
 */
export function begin(position, dice, { silent = true } = {}) {
  const choices = dice === null ? [] : choicesOf(position, dice);
  const isFree = dice === null;
  return {
    position,
    dice,
    isSilent: silent,
    words: [],
    points: [],
    choices,
    remaining: choices,
    choice: choices.length === 1 && !silent ? choices[0] : null,
    isFree,
    isLiteral: isFree,
    isDone: false,
  };
}

/**
 * The state after one more tap; after `played` nothing changes any more.
 * @param {Entering} state
 * @param {string} word `1` to `24`, `bar`, `off`, `x2`, `played` or `free`
 * @returns {Entering}
 */
export function tap(state, word) {
  if (state.isDone) return state;
  const words = [...state.words, word];
  if (word === PLAYED) return all({ ...state, words });
  if (word === AS_PLAYED) {
    return { ...state, words, remaining: [], choice: null, isFree: true, isLiteral: true };
  }
  const points = word === TWICE ? twice(state) : [...state.points, pointOfWord(word)];
  return narrowed({ ...state, words, points });
}

/**
 * The play to record; null while it is neither decided nor said to be all.
 * @param {Entering} state
 * @returns {readonly CheckerMove[] | null}
 */
export function movesOf(state) {
  if (state.choice !== null) return state.choice.moves;
  return state.isDone && untoldOf(state).length === 0 ? placedOf(state).moves : null;
}

/**
 * Points where one end of a move was tapped and nothing tells the other one.
 * @param {Entering} state
 * @returns {number[]}
 */
export function untoldOf(state) {
  if (state.choice !== null) return [];
  const placed = placedOf(state);
  const { picked, awaiting } = state.isLiteral ? placed : allPlaced(placed);
  return [...picked, ...awaiting];
}

/**
 * What the taps are literally, while no legal play is drawn.
 * @param {Entering} state
 * @returns {Placed}
 */
export function placedOf(state) {
  if (state.isLiteral) return alternating(state.position, state.points);
  const placed = asTapped(state.position, state.points);
  return state.isDone ? allPlaced(placed) : placed;
}

/**
 * What the board shows now: the play that is meant, else what lies where it was put down.
 * @param {Entering} state
 * @returns {{position: Position, moves: readonly CheckerMove[], picked: readonly number[],
 *   awaiting: readonly number[]}}
 */
export function drawn(state) {
  if (state.choice !== null) {
    const { end, moves } = state.choice;
    return { position: end, moves, picked: [], awaiting: [] };
  }
  const now = placedOf(state);
  const position = moved(state.position, now.moves).position ?? state.position;
  return { position, ...now };
}

/**
 * The point that a word names: 25 for the bar, 0 for the tray.
 * @param {string} word
 * @returns {number}
 */
export function pointOfWord(word) {
  if (word === "bar") return BAR;
  if (word === "off") return OFF;
  const point = /^[1-9]\d?$/.test(word) ? Number(word) : BAR;
  if (point >= BAR) throw new RangeError(`"${word}" is no point, nor one of x2, played, free`);
  return point;
}

/**
 * How a point is called in `words`.
 * @param {number} point
 * @returns {string}
 */
export function wordOf(point) {
  if (point === BAR) return "bar";
  return point === OFF ? "off" : String(point);
}

// Legal plays.

/**
 * @param {Position} position
 * @param {Dice} dice
 * @returns {Choice[]}
 */
function choicesOf(position, dice) {
  const plays = legalPlays(position, dice);
  /** @type {LegalPlay[]} */
  const listed = plays.length > 0 ? plays : [{ moves: [], end: position }];
  const large = largeSources(position, dice);
  return listed.map(({ moves, end }) => {
    const told = changesOf(position, moves);
    const sources = new Set(POINTS.filter((point) => told.net[point] < 0));
    const fromLarge = large.size > 0 ? large.get(keyOf(told)) : undefined;
    return { moves, end, sources, changes: told.changes, large: fromLarge ?? sources };
  });
}

const POINTS = Array.from({ length: BAR }, (_, index) => index + 1);

/**
 * @param {Position} position
 * @param {readonly CheckerMove[]} moves
 */
function changesOf(position, moves) {
  /** @type {number[]} */
  const net = new Array(26).fill(0);
  /** @type {number[]} */
  const changes = new Array(26).fill(0);
  for (const [from, to] of moves) {
    net[from] -= 1;
    net[to] += 1;
    if (to > OFF && position.other[BAR - to] === 1) changes[to] = 1;
  }
  net.forEach((change, point) => {
    if (change !== 0) changes[point] = Math.abs(change);
  });
  return { net, changes };
}

/** @param {{net: readonly number[], changes: readonly number[]}} told */
function keyOf({ net, changes }) {
  return `${net.join()}/${changes.join()}`;
}

/**
 * By play of both of two unequal dice: from where its larger die can be played.
 * @param {Position} position
 * @param {Dice} dice
 * @returns {Map<string, Set<number>>}
 */
function largeSources(position, dice) {
  /** @type {Map<string, Set<number>>} */
  const found = new Map();
  if (dice[0] === dice[1]) return found;
  const own = [...position.own];
  const high = Math.max(...dice);
  const low = Math.min(...dice);
  for (const [first, second] of [
    [high, low],
    [low, high],
  ]) {
    for (const one of movesWith(position.own, position.other, first)) {
      own[one[0]] -= 1;
      own[one[1]] += 1;
      for (const two of movesWith(own, position.other, second)) {
        const key = keyOf(changesOf(position, [one, two]));
        const sources = found.get(key) ?? new Set();
        found.set(key, sources.add(first === high ? one[0] : two[0]));
      }
      own[one[0]] += 1;
      own[one[1]] -= 1;
    }
  }
  return found;
}

/**
 * Which legal plays the taps leave, and which of them is meant.
 * @param {Entering} state
 * @returns {Entering}
 */
function narrowed(state) {
  if (state.isFree) return state;
  const { points } = state;
  const counts = new Array(26).fill(0);
  for (const point of points) counts[point] += 1;
  const remaining = state.choices.filter((choice) =>
    points.every((point) => choice.changes[point] >= counts[point]),
  );
  if (remaining.length === 0) return { ...state, remaining, choice: null, isFree: true };
  const isAsked = points.length > 0 || !state.isSilent;
  return { ...state, remaining, choice: isAsked ? meant(remaining, points) : null };
}

/**
 * The play that is told in full, else the likest one; null if two are equally like.
 * @param {readonly Choice[]} remaining
 * @param {readonly number[]} points
 * @returns {Choice | null}
 */
function meant(remaining, points) {
  if (remaining.length === 1) return remaining[0];
  const told = remaining.filter(
    ({ changes }) => changes.reduce((sum, change) => sum + change, 0) === points.length,
  );
  /** @type {Choice | null} */
  let likest = null;
  /** @type {number[] | null} */
  let least = null;
  for (const choice of told.length > 0 ? told : remaining) {
    const rank = unlikeness(choice, points);
    const order = least === null ? -1 : compare(rank, least);
    if (order < 0) [likest, least] = [choice, rank];
    else if (order === 0) likest = null;
  }
  return likest;
}

/**
 * For each tap: 0 = a checker goes with the larger die, 1 = one goes, 2 = none goes. Behind them how
 * little comes to the other tapped points, and the number of points that lose a checker untapped.
 * @param {Choice} choice
 * @param {readonly number[]} points
 * @returns {number[]}
 */
function unlikeness({ sources, large, changes }, points) {
  const read = points.map((point) => {
    if (large.has(point)) return 0;
    return sources.has(point) ? 1 : 2;
  });
  const others = new Set(points.filter((point) => !sources.has(point)));
  const come = [...others].reduce((sum, point) => sum + changes[point], 0);
  const untouched = [...sources].filter((point) => !points.includes(point));
  return [...read, -come, untouched.length];
}

/** @param {readonly number[]} one @param {readonly number[]} two */
function compare(one, two) {
  const place = one.findIndex((value, index) => value !== two[index]);
  return place < 0 ? 0 : one[place] - two[place];
}

// As tapped.

/** @param {Entering} state @returns {number[]} */
function twice({ points, isLiteral }) {
  return isLiteral ? [...points, ...points.slice(-2)] : points.flatMap((point) => [point, point]);
}

/**
 * The scribe says that this is all: what is forced may now be drawn.
 * @param {Entering} state
 * @returns {Entering}
 */
function all(state) {
  const { choices, isFree, points } = state;
  const isForced = !isFree && points.length === 0 && choices.length === 1;
  const choice = state.choice ?? (isForced ? choices[0] : null);
  return { ...state, choice, isDone: true, isFree: isFree || choice === null };
}

/**
 * Pick up, put down, in turn; put down where it was picked up, nothing has moved.
 * @param {Position} position
 * @param {readonly number[]} points
 * @returns {Placed}
 */
function alternating(position, points) {
  const own = [...position.own];
  /** @type {CheckerMove[]} */
  const moves = [];
  /** @type {number | null} */
  let picked = null;
  for (const point of points) {
    if (picked === null) {
      picked = point !== OFF && own[point] > 0 ? point : null;
    } else {
      if (point !== picked && point !== BAR) move(own, moves, picked, point);
      picked = null;
    }
  }
  return { moves, picked: picked === null ? [] : [picked], awaiting: [] };
}

/**
 * The same where each tap speaks for itself; see `_placed` in taps.py.
 * @param {Position} position
 * @param {readonly number[]} points
 * @returns {Placed}
 */
function asTapped(position, points) {
  const own = [...position.own];
  /** @type {CheckerMove[]} */
  const moves = [];
  /** @type {number[]} */
  const picked = [];
  /** @type {number[]} */
  const awaiting = [];
  for (const point of points) {
    const lifted = picked.filter((one) => one === point).length;
    if (point !== OFF && own[point] > lifted) {
      const target = awaiting[0] < point ? awaiting.shift() : undefined;
      if (target === undefined) picked.push(point);
      else move(own, moves, point, target);
    } else if (picked.length > 0) {
      const behind = picked.findIndex((one) => one > point);
      const [source] = picked.splice(Math.max(0, behind), 1);
      if (source !== point) move(own, moves, source, point);
    } else {
      awaiting.push(point);
    }
  }
  return { moves, picked, awaiting };
}

/**
 * Nothing more is tapped: what was picked up goes to the next tapped point before it.
 * @param {Placed} placed
 * @returns {Placed}
 */
function allPlaced({ moves, picked, awaiting }) {
  const left = [...picked];
  /** @type {CheckerMove[]} */
  const paired = [];
  /** @type {number[]} */
  const held = [];
  for (let source = left.shift(); source !== undefined; source = left.shift()) {
    const from = source;
    const place = left.findIndex((point) => point < from);
    if (place < 0) held.push(from);
    else paired.push([from, left.splice(place, 1)[0]]);
  }
  return { moves: [...moves, ...paired], picked: held, awaiting };
}

/**
 * @param {number[]} own
 * @param {CheckerMove[]} moves
 * @param {number} from
 * @param {number} to
 */
function move(own, moves, from, to) {
  own[from] -= 1;
  own[to] += 1;
  moves.push([from, to]);
}
