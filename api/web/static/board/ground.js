// Draws the parts of a board that never move: frame, trays, triangles and point numbers.

import { s } from "../shared/dom.js";
import * as geometry from "./geometry.js";

/** @import { Outlook } from "./geometry.js" */

/**
 * The SVG of an empty board; the texts of its point numbers are still empty.
 * @param {Outlook} outlook
 * @returns {{ nodes: SVGElement[], numbers: SVGElement[] }} `nodes` include `numbers`, which start
 *   at point 1 of the player at the bottom
 */
export function groundNodes(outlook) {
  const { BAR_WIDTH, BOTTOM, HEIGHT, SIDE, TOP, UNIT, WIDTH } = geometry;
  const height = BOTTOM - TOP;
  const frame = s("rect", { class: "frame", width: WIDTH, height: HEIGHT, rx: 5 });
  /** @param {string} name @param {number} x @param {number} width */
  const rect = (name, x, width) =>
    s("rect", { class: name, x, y: TOP, width, height, rx: name === "tray" ? 2 : 0 });
  const halves = [SIDE, SIDE + 6 * UNIT + BAR_WIDTH];
  const triangles = Array.from({ length: 24 }, (_, index) =>
    s("path", {
      class: `point ${index % 2 === 0 ? "a" : "z"}`,
      d: geometry.triangleOf(index + 1, outlook),
    }),
  );
  const numbers = Array.from({ length: 24 }, (_, index) => {
    const y = index < 12 ? HEIGHT - 3 : 9;
    const x = geometry.columnOf(index + 1, outlook);
    return s("text", { class: "number", x, y });
  });
  const trays = [rect("tray", 5, SIDE - 8), rect("tray", WIDTH - SIDE + 3, SIDE - 8)];
  const fields = halves.map((x) => rect("field", x, 6 * UNIT));
  return { nodes: [frame, ...trays, ...fields, ...triangles, ...numbers], numbers };
}
