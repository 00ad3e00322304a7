// Draws faces of dice as SVG.

import { s } from "../shared/dom.js";

/**
 * The positions of the pips of each face, in a square of 16 by 16.
 * @type {Record<number, [number, number][]>}
 */
const PIPS = {
  1: [[8, 8]],
  2: [[4.2, 11.8], [11.8, 4.2]],
  3: [[4.2, 11.8], [8, 8], [11.8, 4.2]],
  4: [[4.2, 4.2], [11.8, 4.2], [4.2, 11.8], [11.8, 11.8]],
  5: [[4.2, 4.2], [11.8, 4.2], [8, 8], [4.2, 11.8], [11.8, 11.8]],
  6: [[4.4, 3.9], [11.6, 3.9], [4.4, 8], [11.6, 8], [4.4, 12.1], [11.6, 12.1]],
};

/**
 * One die, 16 units wide, as a group to be put into an SVG.
 * @param {number} face 1 to 6
 * @param {{x?: number, y?: number, className?: string}} [options]
 * @returns {SVGElement}
 */
export function die(face, { x = 0, y = 0, className = "" } = {}) {
  const square = s("rect", { class: "die-face", x: 0.5, y: 0.5, width: 15, height: 15, rx: 3 });
  const pips = PIPS[face].map(([cx, cy]) => s("circle", { class: "die-pip", cx, cy, r: 1.55 }));
  const place = `translate(${x} ${y})`;
  return s("g", { class: `die ${className}`.trim(), transform: place }, square, ...pips);
}
