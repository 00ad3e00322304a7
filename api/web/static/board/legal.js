// Generates legal plays; twin of projections/board/legal.py, tested by the same golden vectors.

import { BAR, moved } from "./position.js";

/** @import { CheckerMove, Counts, Dice, LegalPlay, Position } from "../shared/types.js" */

/**
 * The legal plays of two dice, one for each distinct end position, highest source first.
 *
 * Both dice must be played if possible, else the higher one if possible, else the lower one; of a
 * doublet as many moves as possible. Empty if there is no legal move.
 * @param {Position} position
 * @param {Dice} dice
 * @returns {LegalPlay[]}
 */
export function legalPlays(position, dice) {
  return everyLegal(position, dice).map((moves) => {
    const end = moved(position, moves).position;
    if (end === null) throw new Error("a generated move starts from an empty point");
    return { moves, end };
  });
}

/**
 * The legal moves of one die, highest source first.
 * @param {Counts} own
 * @param {Counts} other
 * @param {number} die
 * @returns {CheckerMove[]}
 */
function movesWith(own, other, die) {
  if (own[BAR] > 0) return other[die] < 2 ? [[BAR, BAR - die]] : [];
  /** @type {CheckerMove[]} */
  const found = [];
  let outside = false;
  let above = false;
  for (let from = 24; from > 0; from -= 1) {
    if (own[from] === 0) continue;
    outside ||= from > 6;
    if (from > die) {
      if (other[BAR + die - from] < 2) found.push([from, from - die]);
    } else if (!outside && (from === die || !above)) {
      found.push([from, 0]);
    }
    above = true;
  }
  return found;
}

/**
 * @param {Position} position
 * @param {Dice} dice
 * @returns {CheckerMove[][]}
 */
function everyLegal({ own, other }, [one, two]) {
  if (one === two) return ofDoublet(own, other, one);
  const both = ofTwoDice(own, other, one, two);
  if (both.length > 0) return both;
  const high = movesWith(own, other, Math.max(one, two));
  const single = high.length > 0 ? high : movesWith(own, other, Math.min(one, two));
  return single.map((move) => [move]);
}

/**
 * @param {Counts} own
 * @param {Counts} other
 * @param {number} one
 * @param {number} two
 * @returns {CheckerMove[][]}
 */
function ofTwoDice(own, other, one, two) {
  const work = [...own];
  /** @type {Map<number, CheckerMove[]>} */
  const found = new Map();
  for (const [first, second] of [
    [one, two],
    [two, one],
  ]) {
    for (const start of movesWith(own, other, first)) {
      work[start[0]] -= 1;
      work[start[1]] += 1;
      for (const next of movesWith(work, other, second)) {
        const key = endKey(start, next, other);
        if (!found.has(key)) found.set(key, start[0] >= next[0] ? [start, next] : [next, start]);
      }
      work[start[0]] += 1;
      work[start[1]] -= 1;
    }
  }
  return [...found.values()];
}

/**
 * A number that is the same for moves with the same end: points left, points reached, points hit.
 *
 * If one checker makes both moves, only its first and last point count. Each point takes five bits.
 * @param {CheckerMove} one
 * @param {CheckerMove} two
 * @param {Counts} other
 * @returns {number}
 */
function endKey(one, two, other) {
  let left = pair(one[0], two[0]);
  let arrived = pair(one[1], two[1]);
  if (one[1] === two[0]) {
    left = pair(one[0], 31);
    arrived = pair(two[1], 31);
  } else if (two[1] === one[0]) {
    left = pair(two[0], 31);
    arrived = pair(one[1], 31);
  }
  const hits = pair(hitOn(one[1], other), hitOn(two[1], other));
  return (left * 1024 + arrived) * 1024 + hits;
}

/** @param {number} a @param {number} b */
function pair(a, b) {
  return a < b ? a * 32 + b : b * 32 + a;
}

/** @param {number} to @param {Counts} other */
function hitOn(to, other) {
  return to > 0 && other[BAR - to] === 1 ? to : 0;
}

/**
 * The plays of a doublet with the highest possible number of moves, highest source first.
 *
 * Moves in that order are always possible, and give each end once: see `projections/board/hops.py`.
 * @param {Counts} own
 * @param {Counts} other
 * @param {number} die
 * @returns {CheckerMove[][]}
 */
function ofDoublet(own, other, die) {
  const work = [...own];
  /** @type {CheckerMove[][][]} by number of moves */
  const reached = [[], [], [], [], []];

  /**
   * @param {number} start
   * @param {CheckerMove[]} moves
   * @param {boolean} outside a checker stays behind above point 6
   * @param {boolean} above a checker stays behind above `start`
   */
  function descend(start, moves, outside, above) {
    if (moves.length > 0) reached[moves.length].push(moves);
    if (moves.length === 4) return;
    for (let from = start; from > 0; from -= 1) {
      if (work[from] === 0) continue;
      const to = Math.max(0, from - die);
      const allowed =
        to > 0 ? other[BAR - to] < 2 : !outside && (from === die || !above);
      if (allowed) {
        work[from] -= 1;
        work[to] += 1;
        descend(from, [...moves, [from, to]], outside, above);
        work[from] += 1;
        work[to] -= 1;
      }
      if (from === BAR) return; // a checker left on the bar: nothing else may be played
      above = true;
      outside ||= from > 6;
    }
  }

  descend(BAR, [], false, false);
  return reached.findLast((plays) => plays.length > 0) ?? [];
}
