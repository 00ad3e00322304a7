// Computes where everything on a drawn board lies; the same numbers as in drawing.py.

import { BAR, OFF, boardOf, otherSeat, placeOf, seenBy } from "./position.js";

/** @import { Board, Cube, Place, Seat } from "../shared/types.js" */

/**
 * Which player sits at the bottom, and on which side that player bears off.
 * @typedef {object} Outlook
 * @property {Seat} bottom
 * @property {"right" | "left"} direction
 */

/**
 * Where one checker lies.
 * @typedef {object} Man
 * @property {Seat} seat
 * @property {Place} place
 * @property {number} index its number among the checkers there, counted from the edge
 * @property {number} x
 * @property {number} y
 * @property {boolean} isOff whether it is borne off, and drawn as a slab in the tray
 */

/**
 * The count on the last checker of a stack that is higher than drawn, or beside a tray.
 * @typedef {object} Tally
 * @property {Seat} seat
 * @property {Place} place
 * @property {number} count
 * @property {number} x
 * @property {number} y
 * @property {boolean} isOff
 */

/**
 * The rectangle in which a tap means a place.
 * @typedef {object} Area
 * @property {Place} place
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {boolean} isBelow in the lower half
 */

/** Width of a point; a checker fills it. */
export const UNIT = 20;

/** Width of the trays beside the points. */
export const SIDE = 30;

/** Width of the bar. */
export const BAR_WIDTH = 24;

/** Width of the whole board. */
export const WIDTH = 2 * SIDE + 12 * UNIT + BAR_WIDTH;

/**
 * How much of the frame is cut off at either side, so that columns are wider on small tablets.
 */
export const MARGIN = 3;

/** Height of the strips with the numbers of the points. */
export const NUMBERS = 12;

/** Height of one player's half. */
export const HALF = 108;

/** Height of the whole board. */
export const HEIGHT = 2 * NUMBERS + 2 * HALF + 8;

/** The edge from which checkers of the upper half are stacked. */
export const TOP = NUMBERS;

/** The edge from which checkers of the lower half are stacked. */
export const BOTTOM = HEIGHT - NUMBERS;

/** The line between the halves. */
const MIDDLE = HEIGHT / 2;

/** Checkers drawn on a point at most; the last one shows the count if there are more. */
const STACK = 5;

/** The same for each player if both have checkers on one point. */
export const SHARED = 2;

/**
 * The x coordinate of the middle of a point's column.
 * @param {number} point 1 to 24, counted by the player at the bottom
 * @param {Outlook} outlook
 * @returns {number}
 */
export function columnOf(point, outlook) {
  const place = point <= 12 ? 12 - point : point - 13;
  return across(SIDE + UNIT / 2 + place * UNIT + (place >= 6 ? BAR_WIDTH : 0), outlook);
}

/**
 * Mirror an x coordinate if the player at the bottom bears off to the left.
 * @param {number} x
 * @param {Outlook} outlook
 * @returns {number}
 */
export function across(x, { direction }) {
  return direction === "right" ? x : WIDTH - x;
}

/**
 * Where every checker of a board lies, and every count.
 * @param {Board} board
 * @param {Outlook} outlook
 * @returns {{men: Man[], tallies: Tally[]}}
 */
export function layOut(board, outlook) {
  /** @type {Man[]} */
  const men = [];
  /** @type {Tally[]} */
  const tallies = [];
  const { own, other } = seenBy(board, outlook.bottom);
  for (const [counts, facing, isBottom] of /** @type {const} */ ([
    [own, other, true],
    [other, own, false],
  ])) {
    const seat = isBottom ? outlook.bottom : otherSeat(outlook.bottom);
    for (let point = OFF; point <= BAR; point += 1) {
      const isShared = point > OFF && point < BAR && facing[BAR - point] > 0;
      lay(men, tallies, outlook, { seat, point, count: counts[point], isShared });
    }
  }
  return { men, tallies };
}

/**
 * Where the next checker of a place would lie, and where the last one lies; with `step`, so many
 * checkers beyond the next, and before the last.
 * @param {Board} board
 * @param {Seat} seat
 * @param {number} point from that seat's side
 * @param {Outlook} outlook
 * @param {number} [step]
 * @returns {{next: {x: number, y: number}, last: {x: number, y: number}}}
 */
export function endsOf(board, seat, point, outlook, step = 0) {
  const { own, other } = seenBy(board, seat);
  const isShared = point > OFF && point < BAR && other[BAR - point] > 0;
  const spot = (/** @type {number} */ index) => spotOf(seat, point, index, isShared, outlook);
  return { next: spot(own[point] + step), last: spot(Math.max(0, own[point] - 1 - step)) };
}

/**
 * @typedef {object} Stack
 * @property {Seat} seat
 * @property {number} point
 * @property {number} count
 * @property {boolean} isShared
 */

/**
 * @param {Man[]} men
 * @param {Tally[]} tallies
 * @param {Outlook} outlook
 * @param {Stack} stack
 */
function lay(men, tallies, outlook, { seat, point, count, isShared }) {
  const place = placeOf(seat, point);
  const isOff = point === OFF;
  for (let index = 0; index < count; index += 1) {
    men.push({ seat, place, index, isOff, ...spotOf(seat, point, index, isShared, outlook) });
  }
  const limit = isShared ? SHARED : STACK;
  if (isOff && count > 0) {
    const y = seat === outlook.bottom ? BOTTOM - 86 : TOP + 92;
    tallies.push({ seat, place, count, isOff, x: trayOf(outlook), y });
  } else if (count > limit) {
    const { x, y } = spotOf(seat, point, limit - 1, isShared, outlook);
    tallies.push({ seat, place, count, isOff, x, y: y + 4 });
  }
}

/**
 * The middle of checker number `index` on a point.
 * @param {Seat} seat
 * @param {number} point from that seat's side
 * @param {number} index
 * @param {boolean} isShared whether the other player has checkers there too
 * @param {Outlook} outlook
 * @returns {{x: number, y: number}}
 */
function spotOf(seat, point, index, isShared, outlook) {
  const isBottom = seat === outlook.bottom;
  if (point === OFF) {
    const depth = 3 + 5 * Math.min(index, 14);
    return { x: trayOf(outlook), y: isBottom ? BOTTOM - depth : TOP + depth };
  }
  if (point === BAR) {
    const depth = 8 + UNIT / 2 + UNIT * Math.min(index, STACK - 1);
    return { x: WIDTH / 2, y: isBottom ? MIDDLE + depth : MIDDLE - depth };
  }
  const seen = isBottom ? point : BAR - point;
  const limit = isShared ? SHARED : STACK;
  // On a shared point, the checkers of the player at the top lie further in.
  const inwards = isShared && !isBottom ? SHARED * UNIT : 0;
  const depth = inwards + UNIT / 2 + UNIT * Math.min(index, limit - 1);
  return { x: columnOf(seen, outlook), y: seen <= 12 ? BOTTOM - depth : TOP + depth };
}

/** @param {Outlook} outlook */
function trayOf(outlook) {
  return across(WIDTH - SIDE / 2, outlook);
}

/**
 * The middle of the cube: on its owner's side, or between the players; an offered cube lies
 * halfway towards the player who has to answer.
 * @param {Cube} cube
 * @param {Outlook} outlook
 * @returns {{x: number, y: number}}
 */
export function cubeSpot(cube, outlook) {
  const x = across(SIDE / 2, outlook);
  const edgeOf = (/** @type {Seat} */ seat) => (seat === outlook.bottom ? BOTTOM - 14 : TOP + 14);
  if (cube.offered_by !== null) return { x, y: (MIDDLE + edgeOf(otherSeat(cube.offered_by))) / 2 };
  return { x, y: cube.owner === null ? MIDDLE : edgeOf(cube.owner) };
}

/**
 * The upper left corners of two dice, in the half to the right of the player who rolled.
 * @param {Seat} seat
 * @param {Outlook} outlook
 * @returns {{x: number, y: number}[]}
 */
export function diceSpots(seat, { bottom }) {
  const first = seat === bottom ? (WIDTH * 3) / 4 - 14 : WIDTH / 4 - 22;
  return [0, 1].map((place) => ({ x: first + 20 * place, y: MIDDLE - 8 }));
}

/**
 * The areas that can be tapped, the upper half first, each from left to right.
 * @param {Outlook} outlook
 * @returns {Area[]}
 */
export function areasOf(outlook) {
  const { bottom } = outlook;
  /** @type {Area[]} */
  const areas = [];
  /** @param {Place} place @param {number} middle @param {number} width @param {boolean} isBelow */
  const add = (place, middle, width, isBelow) => {
    const y = isBelow ? MIDDLE : 0;
    areas.push({ place, x: middle - width / 2, y, width, height: MIDDLE, isBelow });
  };
  for (let point = 1; point <= 24; point += 1) {
    add(placeOf(bottom, point), columnOf(point, outlook), UNIT, point <= 12);
  }
  for (const seat of [bottom, otherSeat(bottom)]) {
    add(placeOf(seat, BAR), WIDTH / 2, BAR_WIDTH, seat === bottom);
    const tray = across(WIDTH - MARGIN - (SIDE - MARGIN) / 2, outlook);
    add(placeOf(seat, OFF), tray, SIDE - MARGIN, seat === bottom);
  }
  return areas.sort((one, two) => Number(one.isBelow) - Number(two.isBelow) || one.x - two.x);
}

/**
 * The place that a key (an arrow, Home or End) leads to from another place; null if there is none.
 * @param {readonly Area[]} areas in the order of `areasOf`
 * @param {Place} place
 * @param {string} key
 * @returns {Place | null}
 */
export function neighbourOf(areas, place, key) {
  const area = areas.find((one) => one.place === place);
  if (area === undefined) return null;
  const row = areas.filter((one) => one.isBelow === area.isBelow);
  const at = row.indexOf(area);
  const facing = areas.find((one) => one.x === area.x && one.isBelow !== area.isBelow);
  /** @type {Record<string, Area | undefined>} */
  const reached = {
    ArrowLeft: row[at - 1],
    ArrowRight: row[at + 1],
    ArrowUp: area.isBelow ? facing : undefined,
    ArrowDown: area.isBelow ? undefined : facing,
    Home: row[0],
    End: row.at(-1),
  };
  return reached[key]?.place ?? null;
}

/**
 * The triangle of a point as an SVG path.
 * @param {number} point counted by the player at the bottom
 * @param {Outlook} outlook
 * @returns {string}
 */
export function triangleOf(point, outlook) {
  const x = columnOf(point, outlook) - UNIT / 2;
  const [y, height] = point <= 12 ? [BOTTOM, 12 - HALF] : [TOP, HALF - 12];
  return `M${x} ${y}h${UNIT}l${-UNIT / 2} ${height}z`;
}

/**
 * A board without checkers.
 * @returns {Board}
 */
export function emptyBoard() {
  const nothing = new Array(26).fill(0);
  return boardOf({ own: nothing, other: nothing }, "one");
}
