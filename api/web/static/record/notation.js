// Plays and rolls in the letters that players write: 8/5 6/5, bar/20*, 13/7(2).

/** @import { CheckerMove, Dice } from "../types.js" */

/**
 * The canonical text of checker moves, as projections/board/notation.py writes it: highest source
 * first, equal moves with their number, a star at the first that lands where one was hit.
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
 * From where to where each checker went, its steps as one: how a play looks, whatever dice it took.
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
 * A roll as players write it, the higher die first.
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
