// Boards as counts of checkers, and what checker moves change in them.

/** @import { Board, CheckerMove, Counts, Place, Position, Seat } from "../shared/types.js" */

/** Index of the bar in a player's 26 counts. */
export const BAR = 25;

/** Index of the checkers borne off in a player's 26 counts. */
export const OFF = 0;

/** How many checkers each player has. */
export const CHECKERS = 15;

/** All points, to be passed to `moved` as not lifted: moves that put a board right hit nothing. */
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
 * A board from the side of `seat`.
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
 * A board of both seats, from a position as `seat` sees it.
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
 * The place of a point on the drawn board, which counts points from seat one's side.
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
 * A place as a point of `seat`; null for the cube, and for the opponent's bar and tray.
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
 * The result of checker moves.
 * @typedef {object} Moved
 * @property {Position | null} position null if a source was empty
 * @property {number[]} hits points on which a checker was hit and lifted, in order
 */

/**
 * The board after `moves`, legal or not.
 *
 * A hit lifts a blot only, never one of two checkers. A count may be below zero for a while, since
 * a later move may fill the point; if it still is at the end, the moves are impossible.
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
