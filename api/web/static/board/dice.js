// Faces of dice as SVG, on the board and as an element of its own.

import { s } from "../shared/dom.js";

/**
 * Where the pips of each face are, on a square of 16.
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
 * One die, 16 wide, to be put into an SVG.
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

/**
 * An SVG with some dice side by side, for keys and lists; says nothing to a screen reader.
 * @param {readonly number[]} faces
 * @param {{seat?: string | null}} [options] whose dice they are
 * @returns {SVGElement}
 */
export function diceImage(faces, { seat = null } = {}) {
  const width = 16 * faces.length + 3 * (faces.length - 1);
  const className = seat === null ? "" : `of-${seat}`;
  const dice = faces.map((face, index) => die(face, { x: 19 * index, className }));
  const hidden = { "aria-hidden": "true", focusable: "false" };
  return s("svg", { class: "dice", viewBox: `0 0 ${width} 16`, ...hidden }, ...dice);
}

/** `<tb-dice faces="31" seat="one">`: two dice as an image with a name. */
export class TbDice extends HTMLElement {
  static observedAttributes = ["faces", "seat"];

  connectedCallback() {
    this.#paint();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#paint();
  }

  #paint() {
    const said = [...(this.getAttribute("faces") ?? "")].map(Number);
    const faces = said.filter((face) => face in PIPS);
    this.setAttribute("role", "img");
    this.setAttribute("aria-label", faces.join(" "));
    this.replaceChildren(diceImage(faces, { seat: this.getAttribute("seat") }));
  }
}

customElements.define("tb-dice", TbDice);
