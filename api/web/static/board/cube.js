// Draws the cube: its value, its place and its accessible name.

import { s } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { cubeSpot } from "./geometry.js";

/** @import { BySeat, Cube } from "../shared/types.js" */
/** @import { Outlook } from "./geometry.js" */

/**
 * The SVG of a cube; taps on it name the place `cube`.
 * @param {Cube} cube
 * @param {object} look
 * @param {Outlook} look.outlook
 * @param {BySeat<string>} look.labels
 * @param {boolean} look.isButton
 * @returns {SVGElement}
 */
export function cubeNode(cube, { outlook, labels, isButton }) {
  const { x, y } = cubeSpot(cube, outlook);
  const { owner, offered_by } = cube;
  // An offered cube is turned already: it shows the value that is offered.
  const value = offered_by === null ? cube.value : 2 * cube.value;
  const face = String(value);
  const small = face.length > 3 ? " small" : "";
  const of = offered_by ?? owner;
  const name =
    of === null
      ? t("board.cube", { value })
      : t(offered_by === null ? "board.cube_of" : "board.cube_offered", { value, name: labels[of] });
  const node = s(
    "g",
    {
      class: `cube${offered_by === null ? "" : " offered"}`,
      transform: `translate(${x} ${y})`,
      role: isButton ? "button" : "img",
      "aria-label": name,
      tabindex: isButton ? "0" : null,
    },
    s("rect", { class: "cube-hit", x: -13, y: -13, width: 26, height: 26 }),
    s("rect", { class: "cube-face", x: -11, y: -11, width: 22, height: 22, rx: 3 }),
    s("text", { class: `cube-value${small}`, y: 4 }, face),
  );
  node.dataset.place = "cube";
  return node;
}
