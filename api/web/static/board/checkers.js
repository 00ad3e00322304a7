// Draws the checkers of a board; each keeps its SVG element when it moves, so that it can glide.

import { s } from "../shared/dom.js";
import { UNIT } from "./geometry.js";

/** @import { BySeat, Seat } from "../shared/types.js" */
/** @import { Man, Tally } from "./geometry.js" */

/** Radius of a checker, in the drawing's units. */
export const RADIUS = UNIT / 2 - 0.7;

/**
 * A drawn checker.
 * @typedef {object} Piece
 * @property {SVGElement} node
 * @property {string} slot where it lies, as `place:index`
 * @property {string} spot where it is drawn, as a CSS transform
 */

/** The checkers of a board, and the numbers on stacks that are higher than drawn. */
export class Checkers {
  /** @type {BySeat<Piece[]>} */
  #pieces = { one: [], two: [] };
  #men;
  #tallies;

  /**
   * @param {SVGElement} men layer of the checkers
   * @param {SVGElement} tallies layer of the numbers
   */
  constructor(men, tallies) {
    this.#men = men;
    this.#tallies = tallies;
  }

  /** Draw a layout. @param {{ men: readonly Man[], tallies: readonly Tally[] }} layout */
  lay({ men, tallies }) {
    for (const seat of /** @type {const} */ (["one", "two"])) {
      this.#laySide(seat, men.filter((man) => man.seat === seat));
    }
    const texts = tallies.map(({ seat, count, x, y, isOff }) => {
      const className = isOff ? "tally off" : `tally of-${seat}`;
      return s("text", { class: className, x, y, "aria-hidden": "true" }, `${count}`);
    });
    this.#tallies.replaceChildren(...texts);
  }

  /**
   * Move as few checkers as possible; those that stay in place are not touched.
   * @param {Seat} seat
   * @param {readonly Man[]} men
   */
  #laySide(seat, men) {
    const pieces = this.#pieces[seat];
    const wanted = new Map(men.map((man) => [`${man.place}:${man.index}`, man]));
    const free = pieces.filter((piece) => !wanted.has(piece.slot));
    for (const piece of pieces) {
      const man = wanted.get(piece.slot);
      if (man !== undefined) lie(piece, man);
      wanted.delete(piece.slot);
    }
    for (const [slot, man] of wanted) {
      const piece = free.shift() ?? this.#newPiece(seat);
      piece.slot = slot;
      lie(piece, man);
    }
    for (const piece of free) {
      piece.node.remove();
      pieces.splice(pieces.indexOf(piece), 1);
    }
  }

  /** @param {Seat} seat @returns {Piece} */
  #newPiece(seat) {
    const slab = s("rect", { class: "slab", x: -11, y: -2, width: 22, height: 4, rx: 1 });
    const disc = s("circle", { class: "disc", r: RADIUS });
    // The players differ in shape too, not only colour: a ring for seat one, a filled eye for two.
    const pattern =
      seat === "one"
        ? s("circle", { class: "ring", r: RADIUS - 3.3 })
        : s("circle", { class: "eye", r: 2.6 });
    const node = s("g", { class: `man of-${seat}`, "aria-hidden": "true" }, slab, disc, pattern);
    this.#men.append(node);
    const piece = { node, slot: "", spot: "" };
    this.#pieces[seat].push(piece);
    return piece;
  }
}

/**
 * Place a checker; the style sheet animates the move.
 * @param {Piece} piece
 * @param {Man} man
 */
function lie(piece, { x, y, isOff }) {
  const spot = `translate(${x}px, ${y}px)`;
  if (piece.spot === spot) return;
  piece.spot = spot;
  piece.node.style.transform = spot;
  piece.node.classList.toggle("is-off", isOff);
}
