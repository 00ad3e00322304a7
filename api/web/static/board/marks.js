// Draws marks: where checkers came from and went to, which are picked up, which may be meant.

import { s } from "../shared/dom.js";
import { RADIUS } from "./checkers.js";
import * as geometry from "./geometry.js";
import { countsAt } from "./names.js";
import { OFF, pointOf, seenBy } from "./position.js";

/** @import { Board, Mark, Place, Seat } from "../shared/types.js" */
/** @import { Area, Outlook } from "./geometry.js" */

/** Marks drawn on the last checker of a place; all others are drawn on the next empty spot. */
const ON_CHECKER = new Set(["to", "leaves", "picked"]);

/**
 * What the places of marks depend on.
 * @typedef {object} Ground
 * @property {Board} board
 * @property {Seat} mover whose side counts on a point without checkers
 * @property {readonly Area[]} areas
 * @property {Outlook} outlook
 */

/**
 * The SVG of the marks: those below the checkers, and those above.
 * @param {ReadonlyMap<Place, Mark>} marks
 * @param {ReadonlyMap<Place, number>} counts how many checkers a mark means, if more than one
 * @param {Ground} ground
 * @returns {{ under: SVGElement[], over: SVGElement[] }}
 */
export function markNodes(marks, counts, ground) {
  /** @type {SVGElement[]} */
  const under = [];
  /** @type {SVGElement[]} */
  const over = [];
  for (const [place, mark] of marks) {
    const area = ground.areas.find((one) => one.place === place);
    if (area === undefined) continue;
    const count = mark === "hit" ? 1 : (counts.get(place) ?? 1);
    for (let step = count - 1; step >= 0; step -= 1) {
      const spot = spotOf(place, mark, area, ground, step);
      if (spot !== null) over.push(markAt(mark, spot));
    }
    if (mark === "picked") under.push(s("rect", { class: "lit", ...box(area) }));
    if (mark === "target") under.push(targetIn(area));
  }
  return { under, over };
}

/**
 * @param {Place} place
 * @param {Mark} mark
 * @param {Area} area
 * @param {Ground} ground
 * @param {number} step how many checkers beyond the end of the stack
 */
function spotOf(place, mark, area, { board, mover, outlook }, step) {
  if (mark === "target") return null;
  const there = countsAt(place, board, outlook.bottom)[0]?.seat ?? mover;
  const seat = place.endsWith("-one") ? "one" : place.endsWith("-two") ? "two" : there;
  const point = pointOf(seat, place);
  if (point === null) return null;
  const { next, last } = geometry.endsOf(board, seat, point, outlook, step);
  const isOccupied = seenBy(board, seat).own[point] > 0;
  if (point === OFF) return { x: area.x + area.width / 2, y: last.y };
  return ON_CHECKER.has(mark) && isOccupied ? last : next;
}

/**
 * @param {Mark} mark
 * @param {{x: number, y: number}} spot
 */
function markAt(mark, { x, y }) {
  const transform = `translate(${x} ${y})`;
  const group = s("g", { class: `mark ${mark}`, transform });
  if (mark === "hit") {
    const d = "M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5";
    group.append(s("path", { class: "halo", d }), s("path", { d }));
    return group;
  }
  const r = mark === "picked" ? RADIUS - 0.6 : RADIUS - 1.6;
  group.append(s("circle", { class: "halo", r }), s("circle", { r }));
  return group;
}

/** @param {Area} area */
function box({ x, y, width, height }) {
  return { x: x + 0.75, y: y + 0.75, width: width - 1.5, height: height - 1.5, rx: 2 };
}

/** @param {Area} area */
function targetIn({ x, width, isBelow }) {
  const [edge, height] = isBelow ? [geometry.HEIGHT, -3] : [0, 3];
  return s("path", { class: "target", d: `M${x + width / 2 - 5} ${edge}h10l-5 ${height}z` });
}
