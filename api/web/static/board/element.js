// The element <tb-board>: a board as SVG, each column a named button; it knows no legality.

import { s } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { Checkers } from "./checkers.js";
import { cubeNode } from "./cube.js";
import { die } from "./dice.js";
import * as geometry from "./geometry.js";
import { groundNodes } from "./ground.js";
import { markNodes } from "./marks.js";
import { countsAt, placeName } from "./names.js";
import { placeOf } from "./position.js";

/** @import { Board, BySeat, Cube, Dice, Mark, Place, Seat } from "../shared/types.js" */
/** @import { Area, Outlook } from "./geometry.js" */

/**
 * A board. After properties are set it redraws once before the next frame. A tap fires `tb-tap`,
 * with `{place}` in its detail.
 */
export class TbBoard extends HTMLElement {
  /** @type {Board | null} */
  #board = null;
  /** @type {Cube | null} */
  #cube = null;
  /** @type {Dice | null} */
  #dice = null;
  /** @type {Seat | null} */
  #diceSeat = null;
  /** @type {Outlook} */
  #outlook = { bottom: "one", direction: "right" };
  /** @type {ReadonlyMap<Place, Mark>} */
  #marks = new Map();
  /** @type {ReadonlyMap<Place, number>} */
  #markCounts = new Map();
  /** @type {BySeat<string>} */
  #labels = { one: "", two: "" };
  /** @type {Seat | null} */
  #numbered = null;
  /** The drawn numbers, from point 1 of the player at the bottom. @type {SVGElement[]} */
  #numbers = [];
  #interactive = false;
  #cubeTappable = false;
  /** @type {Seat | null} */
  #turn = null;

  /** @type {SVGElement | null} */
  #svg = null;
  /** @type {Record<string, SVGElement>} */
  #layers = {};
  /** @type {Map<Place, SVGElement>} */
  #columns = new Map();
  /** @type {Area[]} */
  #areas = [];
  /** @type {Checkers | null} */
  #checkers = null;
  /** @type {Place | null} the column that the arrow keys have reached */
  #current = null;
  /** What each part was last drawn from. @type {Map<string, string>} */
  #drawn = new Map();
  #isAsked = false;
  #isLaidOut = false;

  /** Where the checkers are; null = unknown. */
  get board() {
    return this.#board;
  }

  set board(board) {
    this.#board = board;
    this.#ask();
  }

  /** The cube; null = played without one. */
  get cube() {
    return this.#cube;
  }

  set cube(cube) {
    this.#cube = cube;
    this.#ask();
  }

  /** Dice on the board; null = none. */
  get dice() {
    return this.#dice;
  }

  set dice(dice) {
    this.#dice = dice;
    this.#ask();
  }

  /** Who rolled them. */
  get diceSeat() {
    return this.#diceSeat;
  }

  set diceSeat(seat) {
    this.#diceSeat = seat;
    this.#ask();
  }

  /** Who sits at the bottom. */
  get bottom() {
    return this.#outlook.bottom;
  }

  set bottom(bottom) {
    if (bottom !== this.#outlook.bottom) this.#turnTo({ ...this.#outlook, bottom });
  }

  /** From whose side the points are numbered; null = the player at the bottom. */
  get numbered() {
    return this.#numbered;
  }

  set numbered(numbered) {
    this.#numbered = numbered;
    this.#ask();
  }

  /** On which side the player at the bottom bears off. */
  get direction() {
    return this.#outlook.direction;
  }

  set direction(direction) {
    if (direction !== this.#outlook.direction) this.#turnTo({ ...this.#outlook, direction });
  }

  /** The mark of each marked place. */
  get marks() {
    return this.#marks;
  }

  set marks(marks) {
    this.#marks = marks;
    this.#ask();
  }

  /** How many checkers the mark of a place means, if more than one. */
  get markCounts() {
    return this.#markCounts;
  }

  set markCounts(counts) {
    this.#markCounts = counts;
    this.#ask();
  }

  /** The names of the players. */
  get labels() {
    return this.#labels;
  }

  set labels(labels) {
    this.#labels = labels;
    this.#ask();
  }

  /** Whether columns can be tapped. */
  get interactive() {
    return this.#interactive;
  }

  set interactive(interactive) {
    this.#interactive = interactive;
    this.#ask();
  }

  /** Whether the cube can be tapped too; its place is `cube`. */
  get cubeTappable() {
    return this.#cubeTappable;
  }

  set cubeTappable(tappable) {
    this.#cubeTappable = tappable;
    this.#ask();
  }

  /** Whose turn it is, shown by a bar at that player's edge of the board. */
  get turn() {
    return this.#turn;
  }

  set turn(turn) {
    this.#turn = turn;
    this.#ask();
  }

  connectedCallback() {
    if (this.#svg === null) this.#build();
    this.#paint();
  }

  /** Redraw at once what was set since the last frame. */
  refresh() {
    this.#paint();
  }

  /**
   * Focus a column.
   * @param {Place} place
   */
  focusPlace(place) {
    this.#goTo(place);
  }

  #ask() {
    if (this.#isAsked || !this.isConnected) return;
    this.#isAsked = true;
    queueMicrotask(() => {
      if (this.#isAsked) this.#paint();
    });
  }

  /** @param {Outlook} outlook */
  #turnTo(outlook) {
    this.#outlook = outlook;
    this.#isLaidOut = false;
    this.#ask();
  }

  #build() {
    const names = ["ground", "columns", "under", "men", "tallies", "over", "side", "throw", "stake"];
    const layers = names.map((name) => s("g", { class: name }));
    this.#layers = Object.fromEntries(names.map((name, index) => [name, layers[index]]));
    const { HEIGHT, MARGIN, WIDTH } = geometry;
    const viewBox = `${MARGIN} 0 ${WIDTH - 2 * MARGIN} ${HEIGHT}`;
    this.#checkers = new Checkers(this.#layers.men, this.#layers.tallies);
    for (const layer of [this.#layers.under, this.#layers.over]) layer.setAttribute("aria-hidden", "true");
    this.#svg = s("svg", { viewBox, class: "board", role: "group" }, ...layers);
    this.#svg.addEventListener("click", (event) => this.#clicked(event));
    this.#svg.addEventListener("keydown", (event) => this.#pressed(event));
    this.append(this.#svg);
  }

  #paint() {
    this.#isAsked = false;
    if (this.#svg === null) return;
    const isNew = !this.#isLaidOut;
    if (isNew) {
      this.#drawn.clear();
      this.#layGround();
    }
    this.#svg.classList.toggle("still", isNew);
    this.#svg.classList.toggle("interactive", this.#interactive);
    this.#svg.classList.toggle("unknown", this.#board === null);
    const board = this.#board ?? geometry.emptyBoard();
    const marks = [...this.#marks, ...this.#markCounts];
    if (this.#isOther("men", board)) this.#checkers?.lay(geometry.layOut(board, this.#outlook));
    this.#number();
    this.#name(board);
    if (this.#isOther("marks", board, marks, this.#turn, this.#diceSeat)) this.#drawMarks(board);
    this.#drawThings();
    this.#isLaidOut = true;
  }

  /**
   * Whether a part has to be redrawn because what it is drawn from has changed.
   * @param {string} part
   * @param {...unknown} look everything that it is drawn from
   */
  #isOther(part, ...look) {
    const now = JSON.stringify(look);
    const isOther = this.#drawn.get(part) !== now;
    this.#drawn.set(part, now);
    return isOther;
  }

  // The board itself.

  #layGround() {
    const outlook = this.#outlook;
    const { nodes, numbers } = groundNodes(outlook);
    this.#numbers = numbers;
    this.#layers.ground.replaceChildren(...nodes);
    this.#layers.ground.setAttribute("aria-hidden", "true");
    this.#areas = geometry.areasOf(outlook);
    this.#columns = new Map(this.#areas.map((area) => [area.place, this.#column(area)]));
    this.#layers.columns.replaceChildren(...this.#columns.values());
  }

  /** @param {Area} area */
  #column({ place, x, y, width, height }) {
    const column = s("rect", { class: "column", x, y, width, height, rx: 2 });
    column.dataset.place = place;
    return column;
  }

  // Names.

  #number() {
    const isTurned = (this.#numbered ?? this.bottom) !== this.bottom;
    if (!this.#isOther("numbers", isTurned)) return;
    for (const [index, text] of this.#numbers.entries()) {
      text.textContent = `${isTurned ? 24 - index : index + 1}`;
    }
  }

  /** @param {Board} board */
  #name(board) {
    const { labels } = this;
    const label = t("board.label", { one: labels.one, two: labels.two });
    setAttribute(this.#svg, "aria-label", label);
    this.#current ??= placeOf(this.#outlook.bottom, 6);
    const isKnown = this.#board !== null;
    const { bottom } = this.#outlook;
    const numbered = this.#numbered ?? bottom;
    for (const [place, column] of this.#columns) {
      const mark = this.#marks.get(place) ?? null;
      const counts = countsAt(place, board, bottom);
      if (!this.#isOther(place, counts, mark, isKnown, labels, this.#interactive, numbered)) continue;
      setAttribute(column, "aria-label", placeName(place, { counts, mark, isKnown, labels, numbered }));
      setAttribute(column, "role", this.#interactive ? "button" : "img");
      const isCurrent = place === this.#current;
      setAttribute(column, "tabindex", this.#interactive ? (isCurrent ? "0" : "-1") : null);
    }
  }

  // Marks, cube, dice, turn.

  /** @param {Board} board */
  #drawMarks(board) {
    const { under, over } = this.#layers;
    const mover = this.#turn ?? this.#diceSeat ?? this.#outlook.bottom;
    const ground = { board, mover, areas: this.#areas, outlook: this.#outlook };
    const nodes = markNodes(this.#marks, this.#markCounts, ground);
    under.replaceChildren(...nodes.under);
    over.replaceChildren(...nodes.over);
  }

  #drawThings() {
    const { side, stake, throw: thrown } = this.#layers;
    if (this.#isOther("turn", this.#turn)) {
      side.replaceChildren(...(this.#turn === null ? [] : [this.#turnBar(this.#turn)]));
    }
    if (this.#isOther("dice", this.#dice, this.#diceSeat, this.#labels)) {
      thrown.replaceChildren(...(this.#dice === null ? [] : this.#diceNodes(this.#dice)));
    }
    if (!this.#isOther("cube", this.#cube, this.#cubeTappable, this.#interactive, this.#labels)) return;
    const isFocused = document.activeElement?.getAttribute("data-place") === "cube";
    const look = {
      outlook: this.#outlook,
      labels: this.labels,
      isButton: this.#cubeTappable && this.#interactive,
    };
    stake.replaceChildren(...(this.#cube === null ? [] : [cubeNode(this.#cube, look)]));
    if (isFocused) this.#goTo("cube");
  }

  /** @param {Seat} seat */
  #turnBar(seat) {
    const { BAR_WIDTH, HEIGHT, WIDTH } = geometry;
    const y = seat === this.#outlook.bottom ? HEIGHT - 5 : 1.5;
    const x = (WIDTH - BAR_WIDTH) / 2 + 3;
    const size = { width: BAR_WIDTH - 6, height: 3.5, rx: 1.75 };
    return s("rect", { class: "turn", x, y, ...size, "aria-hidden": "true" });
  }

  /** @param {Dice} dice */
  #diceNodes(dice) {
    const seat = this.#diceSeat ?? this.#outlook.bottom;
    const spots = geometry.diceSpots(seat, this.#outlook);
    const className = `of-${seat}`;
    const nodes = dice.map((face, index) => die(face, { ...spots[index], className }));
    const label = t("board.dice", { name: this.labels[seat], one: dice[0], two: dice[1] });
    return [s("g", { role: "img", "aria-label": label, class: "thrown" }, ...nodes)];
  }

  // Taps and keys.

  /** @param {Event} event */
  #clicked(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-place]") : null;
    if (target instanceof SVGElement) this.#tapped(target.dataset.place ?? "");
  }

  /** @param {Place} place */
  #tapped(place) {
    if (!this.#interactive || (place === "cube" && !this.#cubeTappable)) return;
    this.#setCurrent(place);
    const detail = { place };
    this.dispatchEvent(new CustomEvent("tb-tap", { detail, bubbles: true, composed: true }));
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const target = event.target instanceof SVGElement ? event.target.dataset.place : undefined;
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#tapped(target);
      return;
    }
    const next = geometry.neighbourOf(this.#areas, target, event.key);
    if (next === null) return;
    event.preventDefault();
    this.#goTo(next);
  }

  /** @param {Place} place */
  #goTo(place) {
    this.#setCurrent(place);
    const node = this.#svg?.querySelector(`[data-place="${place}"]`);
    if (node instanceof SVGElement) node.focus();
  }

  /** @param {Place} place */
  #setCurrent(place) {
    if (place === "cube" || place === this.#current) return;
    setAttribute(this.#columns.get(this.#current ?? "") ?? null, "tabindex", "-1");
    setAttribute(this.#columns.get(place) ?? null, "tabindex", "0");
    this.#current = place;
  }
}

/**
 * Set an attribute only if it changes, because screen readers watch this tree for changes.
 * @param {Element | null} element
 * @param {string} name
 * @param {string | null} value null = remove it
 */
function setAttribute(element, name, value) {
  if (element === null || element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

customElements.define("tb-board", TbBoard);
