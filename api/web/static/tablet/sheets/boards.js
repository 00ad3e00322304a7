// Boards on sheets: one to move checkers freely, one to set up a position.

/** @import { Board, CheckerMove, Place, Seat, SheetContext } from "../../shared/types.js" */
/** @import { Field, Option } from "./kit.js" */
/** @import { TbBoard } from "../../board/element.js" */

import "../../board/element.js";
import {
  BAR,
  boardOf,
  CHECKERS,
  EVERY_POINT,
  moved,
  OFF,
  placeOf,
  pointOf,
  seenBy,
} from "../../board/position.js";
import { announce, fill, h } from "../../shared/dom.js";
import { playWords } from "../../fold/notation.js";
import { choices } from "../../shared/settings.js";
import { words } from "./kit.js";

/**
 * A board with this browser's settings.
 *
 * @param {SheetContext} context
 * @param {(place: Place) => void} onTap
 * @returns {TbBoard}
 */
function liveBoard(context, onTap) {
  const element = /** @type {TbBoard} */ (document.createElement("tb-board"));
  const { bottom, direction } = choices();
  element.bottom = bottom;
  element.direction = direction;
  element.labels = context.names;
  element.cube = context.table().cube;
  element.interactive = true;
  element.addEventListener("tb-tap", (event) => {
    onTap(/** @type {CustomEvent<{ place: Place }>} */ (event).detail.place);
  });
  return element;
}

/**
 * A field in which one player's checkers are moved one by one, without regard to the dice.
 *
 * @typedef {Field<CheckerMove[]> & { begin: (board: Board | null, seat: Seat | null) => void,
 *   end: () => Board | null, beside: HTMLElement }} Mover
 */

/**
 * @param {SheetContext} context
 * @param {string} legend
 * @param {{ areHits?: boolean, required?: boolean }} [settings] areHits: whether moves hit blots
 * @returns {Mover}
 */
export function mover(context, legend, { areHits = true, required = false } = {}) {
  /** @type {{ board: Board | null, seat: Seat | null }} */
  let start = { board: null, seat: null };
  /** @type {CheckerMove[]} */
  let moves = [];
  /** @type {number | null} */
  let picked = null;
  const said = h("output", { class: "moves number" });
  const hint = h("span", { class: "missing" });
  const board = liveBoard(context, (place) => tap(place));
  const back = h(
    "button",
    { type: "button", on: { click: () => (takeBack(), show()) } },
    words("take_back"),
  );
  const beside = h("div", { class: "beside" }, said, back);

  const position = () => {
    if (start.board === null || start.seat === null) return null;
    const before = seenBy(start.board, start.seat);
    return moved(before, moves, areHits ? [] : EVERY_POINT).position;
  };
  const end = () => {
    const now = position();
    return now === null || start.seat === null ? null : boardOf(now, start.seat);
  };
  const takeBack = () => {
    if (picked === null) moves = moves.slice(0, -1);
    picked = null;
  };
  /** @param {Place} place */
  const tap = (place) => {
    const now = position();
    const point = start.seat === null ? null : pointOf(start.seat, place);
    if (now === null || point === null) return;
    if (picked === null) {
      if ((now.own[point] ?? 0) > 0 && point !== OFF) picked = point;
    } else if (point === picked) {
      picked = null;
    } else if (point !== BAR) {
      moves = [...moves, [picked, point]];
      picked = null;
    }
    show();
  };
  const show = () => {
    const seat = start.seat;
    board.board = end();
    board.turn = seat;
    // As on the screen: points are numbered from the side of the player who moves.
    board.numbered = choices().numbers === "turn" ? seat : null;
    const place = picked === null || seat === null ? null : placeOf(seat, picked);
    board.marks = new Map(place === null ? [] : [[place, "picked"]]);
    if (start.board === null || seat === null) said.textContent = words("board_unknown");
    else said.textContent = moves.length === 0 ? words("moves_none") : playWords(moves);
    hint.textContent = "";
  };
  const element = h(
    "fieldset",
    { class: "field board-field" },
    h("legend", null, legend, " ", hint),
    board,
    beside,
  );
  const check = () => {
    // A checker that is picked up must be put down first, or the play would lack a move.
    const isWhole = picked === null && (!required || moves.length > 0);
    hint.textContent = isWhole ? "" : words("missing_moves");
    return isWhole;
  };
  return {
    element,
    value: () => moves,
    check,
    beside,
    end,
    begin: (from, seat) => {
      start = { board: from, seat };
      moves = [];
      picked = null;
      board.hidden = from === null || seat === null;
      back.hidden = board.hidden;
      show();
    },
  };
}

/** What a tap on the editor's board does. */
/** @typedef {"add-one" | "add-two" | "take" | "move"} Tool */

/**
 * A field to set up a position: add and remove checkers, or move one to another place.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {readonly Option<Board>[]} starts boards to begin from
 * @returns {Field<Board> & { set: (board: Board) => void, cube: (cube: TbBoard["cube"]) => void,
 *   beside: HTMLElement }}
 */
export function editor(context, legend, starts) {
  const empty = Array.from({ length: 26 }, () => 0);
  /** @type {{ one: number[], two: number[] }} */
  let now = { one: [...empty], two: [...empty] };
  /** @type {Tool} */
  let tool = "move";
  /** @type {{ seat: Seat, point: number, place: Place } | null} */
  let picked = null;
  const totals = h("output", { class: "totals number" });
  const board = liveBoard(context, (place) => tap(place));

  /** @type {Option<Tool>[]} */
  const tools = [
    ["move", words("tool_move")],
    ["add-one", words("tool_add", { name: context.names.one })],
    ["add-two", words("tool_add", { name: context.names.two })],
    ["take", words("tool_take")],
  ];
  const chips = tools.map(([one, label]) =>
    h("button", { type: "button", class: "chip", on: { click: () => use(one) } }, label),
  );
  /** @param {Tool} chosen */
  const use = (chosen) => {
    tool = chosen;
    picked = null;
    show();
  };
  /** @param {Seat} seat @param {Place} place @param {number} by */
  const count = (seat, place, by) => {
    const point = pointOf(seat, place);
    if (point === null) return false;
    const counts = now[seat];
    const after = (counts[point] ?? 0) + by;
    if (after < 0 || after > 30) return false;
    counts[point] = after;
    return true;
  };
  /**
   * Whose checker a tap on a place means; if both have some there, seat one's.
   * @param {Place} place
   */
  const owner = (place) => {
    const seats = /** @type {const} */ (["one", "two"]);
    return seats.find((seat) => {
      const point = pointOf(seat, place);
      return point !== null && (now[seat][point] ?? 0) > 0;
    });
  };
  /** @param {Place} place */
  const tap = (place) => {
    if (tool === "add-one") count("one", place, 1);
    else if (tool === "add-two") count("two", place, 1);
    else if (tool === "take") {
      const seat = owner(place);
      if (seat !== undefined) count(seat, place, -1);
    } else lift(place);
    show();
  };
  /** @param {Place} place */
  const lift = (place) => {
    if (picked === null) {
      const seat = owner(place);
      const point = seat === undefined ? null : pointOf(seat, place);
      if (seat !== undefined && point !== null) picked = { seat, point, place };
      return;
    }
    const { seat, place: from } = picked;
    if (place !== from && count(seat, place, 1)) count(seat, from, -1);
    picked = null;
  };
  const show = () => {
    // A new object, because the element redraws only if it is given another one.
    board.board = { one: [...now.one], two: [...now.two] };
    board.marks = new Map(picked === null ? [] : [[picked.place, "picked"]]);
    tools.forEach(([one], index) => {
      chips[index]?.setAttribute("aria-pressed", String(one === tool));
    });
    fill(totals, ...(/** @type {Seat[]} */ (["one", "two"]).map((seat) => {
      const checkers = now[seat].reduce((sum, value) => sum + value, 0);
      const isWhole = checkers === CHECKERS;
      const said = words(isWhole ? "total" : "total_other", { name: context.names[seat], checkers });
      return h("span", { class: isWhole ? null : "badge warn" }, said);
    })));
  };
  const beside = h(
    "div",
    { class: "beside" },
    h("div", { class: "chips" }, chips),
    totals,
    h("h3", null, words("position_from")),
    h(
      "div",
      { class: "chips" },
      starts.map(([start, label]) =>
        h("button", { type: "button", class: "chip", on: { click: () => set(start) } }, label),
      ),
    ),
  );
  const element = h(
    "fieldset",
    { class: "field board-field" },
    h("legend", null, legend),
    board,
    beside,
  );
  /** @param {Board} from */
  const set = (from) => {
    now = { one: [...from.one], two: [...from.two] };
    picked = null;
    show();
    announce(words("board_set"));
  };
  show();
  return {
    element,
    value: () => ({ one: [...now.one], two: [...now.two] }),
    check: () => true,
    set,
    cube: (cube) => {
      board.cube = cube;
    },
    beside,
  };
}

/** A board without checkers. @type {() => Board} */
export function emptyBoard() {
  const none = () => Array.from({ length: 26 }, () => 0);
  return { one: none(), two: none() };
}
