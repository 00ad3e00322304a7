// <tb-board>: one board as SVG, every column a button with a name; knows nothing of legality.

import { s } from "../dom.js";
import { t } from "../texts.js";
import { die } from "./dice.js";
import * as geometry from "./geometry.js";
import { BAR, OFF, otherSeat, placeOf, pointOf, seenBy } from "./position.js";

/** @import { Board, BySeat, Cube, Dice, Mark, Place, Seat } from "../types.js" */
/** @import { Area, Man, Outlook, Tally } from "./geometry.js" */

const RADIUS = geometry.UNIT / 2 - 0.7;

/** Marks that stand on the last checker of a place; the others on the empty spot behind it. */
const ON_CHECKER = new Set(["to", "picked"]);

/**
 * A checker of the drawing; it stays the same element wherever it goes.
 * @typedef {object} Piece
 * @property {SVGElement} node
 * @property {string} slot where it lies, as `place:index`
 * @property {string} spot the same as drawn
 */

/**
 * A board. Set properties, it paints itself once before the next frame; it fires `tb-tap` with
 * `{place}` in its detail.
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
  /** @type {BySeat<string>} */
  #labels = { one: "", two: "" };
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
  /** @type {BySeat<Piece[]>} */
  #pieces = { one: [], two: [] };
  /** @type {Place | null} where the arrow keys are */
  #current = null;
  #isAsked = false;
  #isLaidOut = false;

  /** Where the checkers are; null while that is not known. */
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

  /** On which side the player at the bottom bears off. */
  get direction() {
    return this.#outlook.direction;
  }

  set direction(direction) {
    if (direction !== this.#outlook.direction) this.#turnTo({ ...this.#outlook, direction });
  }

  /** What is marked, by place. */
  get marks() {
    return this.#marks;
  }

  set marks(marks) {
    this.#marks = marks;
    this.#ask();
  }

  /** What the players are called. */
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

  /** Whether the cube can be tapped as well; its place is `cube`. */
  get cubeTappable() {
    return this.#cubeTappable;
  }

  set cubeTappable(tappable) {
    this.#cubeTappable = tappable;
    this.#ask();
  }

  /** Whose turn it is; a bar at that player's edge of the board. */
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

  /** Paint at once what was set since the last frame. */
  refresh() {
    this.#paint();
  }

  /**
   * Put the focus on a column.
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
    const names = ["ground", "columns", "under", "men", "tallies", "over", "things"];
    const layers = names.map((name) => s("g", { class: name }));
    this.#layers = Object.fromEntries(names.map((name, index) => [name, layers[index]]));
    const { HEIGHT, MARGIN, WIDTH } = geometry;
    const viewBox = `${MARGIN} 0 ${WIDTH - 2 * MARGIN} ${HEIGHT}`;
    this.#svg = s("svg", { viewBox, class: "board", role: "group" }, ...layers);
    this.#svg.addEventListener("click", (event) => this.#clicked(event));
    this.#svg.addEventListener("keydown", (event) => this.#pressed(event));
    this.append(this.#svg);
  }

  #paint() {
    this.#isAsked = false;
    if (this.#svg === null) return;
    const isNew = !this.#isLaidOut;
    if (isNew) this.#layGround();
    this.#svg.classList.toggle("still", isNew);
    this.#svg.classList.toggle("interactive", this.#interactive);
    this.#svg.classList.toggle("unknown", this.#board === null);
    const board = this.#board ?? geometry.emptyBoard();
    const { men, tallies } = geometry.layOut(board, this.#outlook);
    this.#placeMen(men);
    this.#writeTallies(tallies);
    this.#name(board);
    this.#drawMarks(board);
    this.#drawThings();
    this.#isLaidOut = true;
  }

  // The board itself.

  #layGround() {
    const outlook = this.#outlook;
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
      return s("text", { class: "number", x, y }, `${index + 1}`);
    });
    this.#layers.ground.replaceChildren(
      frame,
      rect("tray", 5, SIDE - 8),
      rect("tray", WIDTH - SIDE + 3, SIDE - 8),
      ...halves.map((x) => rect("field", x, 6 * UNIT)),
      ...triangles,
      ...numbers,
    );
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

  // Checkers.

  /** @param {readonly Man[]} men */
  #placeMen(men) {
    for (const seat of /** @type {const} */ (["one", "two"])) {
      this.#placeSide(seat, men.filter((man) => man.seat === seat));
    }
  }

  /**
   * Move as few checkers as will do; those that stay are not touched.
   * @param {Seat} seat
   * @param {readonly Man[]} men
   */
  #placeSide(seat, men) {
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
    // Told apart by shape as well: a ring for seat one, a filled eye for seat two.
    const pattern =
      seat === "one"
        ? s("circle", { class: "ring", r: RADIUS - 3.3 })
        : s("circle", { class: "eye", r: 2.6 });
    const node = s("g", { class: `man of-${seat}`, "aria-hidden": "true" }, slab, disc, pattern);
    this.#layers.men.append(node);
    const piece = { node, slot: "", spot: "" };
    this.#pieces[seat].push(piece);
    return piece;
  }

  /** @param {readonly Tally[]} tallies */
  #writeTallies(tallies) {
    const texts = tallies.map(({ seat, count, x, y, isOff }) => {
      const className = isOff ? "tally off" : `tally of-${seat}`;
      return s("text", { class: className, x, y, "aria-hidden": "true" }, `${count}`);
    });
    this.#layers.tallies.replaceChildren(...texts);
  }

  // Names.

  /** @param {Board} board */
  #name(board) {
    const { labels } = this;
    const label = t("board.label", { one: labels.one, two: labels.two });
    setAttribute(this.#svg, "aria-label", label);
    this.#current ??= placeOf(this.#outlook.bottom, 6);
    for (const { place } of this.#areas) {
      const column = this.#columns.get(place) ?? null;
      setAttribute(column, "aria-label", this.#nameOf(place, board));
      setAttribute(column, "role", this.#interactive ? "button" : "img");
      const isCurrent = place === this.#current;
      setAttribute(column, "tabindex", this.#interactive ? (isCurrent ? "0" : "-1") : null);
    }
  }

  /**
   * @param {Place} place
   * @param {Board} board
   */
  #nameOf(place, board) {
    const mark = this.#marks.get(place);
    const name = this.#plainName(place, board);
    return mark === undefined ? name : t("board.marked", { name, mark: t(`board.mark.${mark}`) });
  }

  /**
   * @param {Place} place
   * @param {Board} board
   */
  #plainName(place, board) {
    const { bottom } = this.#outlook;
    for (const seat of /** @type {const} */ (["one", "two"])) {
      const count = board[seat][place === `bar-${seat}` ? BAR : OFF];
      if (place === `bar-${seat}`) return t("board.bar", { name: this.labels[seat], count });
      if (place === `off-${seat}`) return t("board.off", { name: this.labels[seat], count });
    }
    const point = pointOf(bottom, place) ?? 0;
    if (this.#board === null) return t("board.unknown", { point });
    const here = this.#countsAt(place, board).map(({ seat, count }) =>
      t(count === 1 ? "board.checker" : "board.checkers", { count, name: this.labels[seat] }),
    );
    if (here.length === 0) return t("board.empty", { point });
    return t("board.point", { point, checkers: here.join(", ") });
  }

  /**
   * Who has how many on a point.
   * @param {Place} place
   * @param {Board} board
   */
  #countsAt(place, board) {
    const { bottom } = this.#outlook;
    return [bottom, otherSeat(bottom)]
      .map((seat) => ({ seat, count: board[seat][pointOf(seat, place) ?? OFF] }))
      .filter(({ count }) => count > 0);
  }

  // Marks, cube, dice, turn.

  /** @param {Board} board */
  #drawMarks(board) {
    /** @type {SVGElement[]} */
    const under = [];
    /** @type {SVGElement[]} */
    const over = [];
    for (const [place, mark] of this.#marks) {
      const area = this.#areas.find((one) => one.place === place);
      if (area === undefined) continue;
      const spot = this.#spot(place, mark, board, area);
      if (spot !== null) over.push(markAt(mark, spot));
      if (mark === "picked") under.push(s("rect", { class: "lit", ...box(area) }));
      if (mark === "target") under.push(targetIn(area));
    }
    this.#layers.under.replaceChildren(...under);
    this.#layers.over.replaceChildren(...over);
    for (const layer of [this.#layers.under, this.#layers.over]) {
      layer.setAttribute("aria-hidden", "true");
    }
  }

  /**
   * @param {Place} place
   * @param {Mark} mark
   * @param {Board} board
   * @param {Area} area
   */
  #spot(place, mark, board, area) {
    if (mark === "target") return null;
    const mover = this.#turn ?? this.#diceSeat ?? this.#outlook.bottom;
    const there = this.#countsAt(place, board)[0]?.seat ?? mover;
    const seat = place.endsWith("-one") ? "one" : place.endsWith("-two") ? "two" : there;
    const point = pointOf(seat, place);
    if (point === null) return null;
    const { next, last } = geometry.endsOf(board, seat, point, this.#outlook);
    const isOccupied = seenBy(board, seat).own[point] > 0;
    if (point === OFF) return { x: area.x + area.width / 2, y: last.y };
    return ON_CHECKER.has(mark) && isOccupied ? last : next;
  }

  #drawThings() {
    const things = [];
    if (this.#turn !== null) things.push(this.#turnBar(this.#turn));
    if (this.#dice !== null) things.push(...this.#diceNodes(this.#dice));
    if (this.#cube !== null) things.push(this.#cubeNode(this.#cube));
    const isFocused = document.activeElement?.getAttribute("data-place") === "cube";
    this.#layers.things.replaceChildren(...things);
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

  /** @param {Cube} cube */
  #cubeNode(cube) {
    const { x, y } = geometry.cubeSpot(cube, this.#outlook);
    const face = String(cube.value);
    const small = face.length > 3 ? " small" : "";
    const name =
      cube.owner === null
        ? t("board.cube", { value: cube.value })
        : t("board.cube_of", { value: cube.value, name: this.labels[cube.owner] });
    const isButton = this.#cubeTappable && this.#interactive;
    const node = s(
      "g",
      {
        class: `cube${cube.offered_by === null ? "" : " offered"}`,
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
    const next = this.#neighbour(target, event.key);
    if (next === null) return;
    event.preventDefault();
    this.#goTo(next);
  }

  /**
   * @param {Place} place
   * @param {string} key
   * @returns {Place | null}
   */
  #neighbour(place, key) {
    const area = this.#areas.find((one) => one.place === place);
    if (area === undefined) return null;
    const row = this.#areas.filter((one) => one.isBelow === area.isBelow);
    const at = row.indexOf(area);
    const facing = this.#areas.find((one) => one.x === area.x && one.isBelow !== area.isBelow);
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
 * Put a checker where it lies; the style sheet lets it glide.
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

/**
 * Set an attribute only where it changes: the tree below is what a screen reader watches.
 * @param {Element | null} element
 * @param {string} name
 * @param {string | null} value null = none
 */
function setAttribute(element, name, value) {
  if (element === null || element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

customElements.define("tb-board", TbBoard);
