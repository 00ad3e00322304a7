// Boards as counts: where checkers are, what checker moves as written make of them.

/** @import { Board, CheckerMove, Counts, Place, Position, Seat } from "../shared/types.js" */

/** Index of the bar in a row of 26 counts. */
export const BAR = 25;

/** Index of the checkers borne off. */
export const OFF = 0;

/** Checkers of each player. */
export const CHECKERS = 15;

/** Every point hit, for `moved`: what is set right by hand hits nothing. */
export const EVERY_POINT = Object.freeze(Array.from({ length: 24 }, (_, index) => index + 1));

/** @type {Counts} */
const START = Object.freeze(
  Array.from({ length: 26 }, (_, point) => ({ 6: 5, 8: 3, 13: 5, 24: 2 })[point] ?? 0),
);

/** The starting position. @type {Board} */
export const STARTING = Object.freeze({ one: START, two: START });

/**
 * The other seat.
 * @param {Seat} seat
 * @returns {Seat}
 */
export function otherSeat(seat) {
  return seat === "one" ? "two" : "one";
}

/**
 * A board as `seat` sees it.
 * @param {Board} board
 * @param {Seat} seat
 * @returns {Position}
 */
export function seenBy(board, seat) {
  return seat === "one"
    ? { own: board.one, other: board.two }
    : { own: board.two, other: board.one };
}

/**
 * A board of both seats again, from what `seat` sees.
 * @param {Position} position
 * @param {Seat} seat
 * @returns {Board}
 */
export function boardOf(position, seat) {
  return seat === "one"
    ? { one: position.own, two: position.other }
    : { one: position.other, two: position.own };
}

/**
 * The name of a point on the drawn board, where points are counted from seat one's side.
 * @param {Seat} seat
 * @param {number} point from that seat's side; 25 is the bar, 0 the tray
 * @returns {Place}
 */
export function placeOf(seat, point) {
  if (point === BAR) return `bar-${seat}`;
  if (point === OFF) return `off-${seat}`;
  return String(seat === "one" ? point : BAR - point);
}

/**
 * The point that a place is to `seat`; null where it is none of that player's: the cube, the
 * other's bar or tray.
 * @param {Seat} seat
 * @param {Place} place
 * @returns {number | null}
 */
export function pointOf(seat, place) {
  if (place === `bar-${seat}`) return BAR;
  if (place === `off-${seat}`) return OFF;
  const point = Number(place);
  if (!Number.isInteger(point) || point < 1 || point > 24) return null;
  return seat === "one" ? point : BAR - point;
}

/**
 * What came of checker moves as written.
 * @typedef {object} Moved
 * @property {Position | null} position null where a source was empty
 * @property {number[]} hits points on which a checker was hit and lifted, in order
 */

/**
 * The board after `moves`, whatever they are; judges nothing.
 *
 * Nobody is lifted from under two checkers. A point overdrawn for a while is filled by a move
 * written later; one still below zero at the end never held the checker.
 * @param {Position} position
 * @param {readonly CheckerMove[]} moves
 * @param {readonly number[]} [hitsNotLifted] points where a checker was hit and left lying
 * @returns {Moved}
 */
export function moved(position, moves, hitsNotLifted = []) {
  const own = [...position.own];
  const other = [...position.other];
  /** @type {number[]} */
  const hits = [];
  for (const [from, to] of moves) {
    if (!isPlace(from) || !isPlace(to)) return { position: null, hits: [] };
    own[from] -= 1;
    own[to] += 1;
    if (to !== OFF && to !== BAR && other[BAR - to] === 1 && !hitsNotLifted.includes(to)) {
      hits.push(to);
      other[BAR - to] = 0;
      other[BAR] += 1;
    }
  }
  return { position: own.some((count) => count < 0) ? null : { own, other }, hits };
}

/** @param {number} index */
function isPlace(index) {
  return Number.isInteger(index) && index >= 0 && index <= BAR;
}
