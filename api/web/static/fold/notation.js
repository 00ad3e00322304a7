// Plays and rolls in the notation of players: 8/5 6/5, bar/20*, 13/7(2).

import { moved } from "../board/position.js";

/** @import { CheckerMove, Dice, Position } from "../shared/types.js" */

/**
 * Checker moves in canonical notation, as projections/board/notation.py writes it: highest source
 * first, equal moves with their count, a star at the first move to a point of a hit.
 * @param {readonly CheckerMove[]} moves
 * @param {readonly number[]} [hits] points on which a checker was hit
 * @returns {string} "" if nothing was moved
 */
export function playWords(moves, hits = []) {
  const starred = new Set(hits);
  const sorted = [...moves].sort((one, two) => two[0] - one[0] || two[1] - one[1]);
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const move of sorted) times.set(move.join(), (times.get(move.join()) ?? 0) + 1);
  const words = [...times].map(([key, count]) => {
    const [from, to] = key.split(",").map(Number);
    const star = starred.delete(to) ? "*" : "";
    return `${pointWord(from)}/${pointWord(to)}${star}${count > 1 ? `(${count})` : ""}`;
  });
  return words.join(" ");
}

/**
 * Join the steps of each checker into one move from its first to its last point.
 * @param {readonly CheckerMove[]} moves
 * @returns {CheckerMove[]}
 */
export function joined(moves) {
  const ways = moves.map(([from, to]) => /** @type {CheckerMove} */ ([from, to]));
  for (let at = 0; at < ways.length; ) {
    const [from, to] = ways[at];
    const next = to === 0 ? -1 : ways.findIndex((way) => way[0] === to);
    if (next < 0) at += 1;
    else {
      ways[at] = [from, ways[next][1]];
      ways.splice(next, 1);
      at = 0;
    }
  }
  return ways;
}

/**
 * A play for readers: each checker's way, with a star at each hit, also on the way (`8/4*` to 3).
 * Hits follow from the board alone, whether or not the play was legal.
 * @param {Position} before the board before the play, from the player's side
 * @param {readonly CheckerMove[]} moves in the order in which they were made
 * @param {readonly number[]} [hitsNotLifted] points where a checker was hit and left lying
 * @returns {string} "" if nothing was moved
 */
export function pathWords(before, moves, hitsNotLifted = []) {
  /** @type {{ from: number, via: number[], to: number, isHit: boolean }[]} */
  const ways = [];
  let position = before;
  for (const [from, to] of moves) {
    const { own, other } = position;
    const isHit = hits(position, to) && !hitsNotLifted.includes(to);
    if (isHit) position = { own, other: other.map((count, at) => (at === 25 - to ? 0 : count)) };
    ways.push({ from, via: [], to, isHit });
  }
  for (let at = 0; at < ways.length; ) {
    const way = ways[at];
    const next = way.to === 0 ? -1 : ways.findIndex((one) => one !== way && one.from === way.to);
    if (next < 0) {
      at += 1;
      continue;
    }
    const { via, to, isHit } = ways[next];
    ways[at] = { from: way.from, via: [...way.via, ...(way.isHit ? [way.to] : []), ...via], to, isHit };
    ways.splice(next, 1);
    at = 0;
  }
  ways.sort((one, two) => two.from - one.from || two.to - one.to);
  /** @type {Map<string, { count: number, isHit: boolean }>} */
  const told = new Map();
  for (const { from, via, to, isHit } of ways) {
    const word = [from, ...via].map((point, at) => pointWord(point) + (at > 0 ? "*" : ""));
    const key = `${word.join("/")}/${pointWord(to)}`;
    const { count = 0, isHit: wasHit = false } = told.get(key) ?? {};
    told.set(key, { count: count + 1, isHit: isHit || wasHit });
  }
  return [...told]
    .map(([key, { count, isHit }]) => `${key}${isHit ? "*" : ""}${count > 1 ? `(${count})` : ""}`)
    .join(" ");
}

/** Whether a checker that arrives at a point hits. @param {Position} position @param {number} to */
function hits({ own, other }, to) {
  return moved({ own, other }, [[25, to]]).hits.length > 0;
}

/**
 * A roll in the notation of players, the higher die first.
 * @param {Dice} dice
 * @returns {string}
 */
export function diceWords([one, two]) {
  return `${Math.max(one, two)}${Math.min(one, two)}`;
}

/** @param {number} point */
function pointWord(point) {
  if (point === 25) return "bar";
  return point === 0 ? "off" : String(point);
}
