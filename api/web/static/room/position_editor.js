// A form field to set up a board: from an entry, an XGID or Position ID, or checker by checker.

import { STARTING } from "../board/position.js";
import { announce, fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { editor, emptyBoard } from "../tablet/sheets/boards.js";
import { seats } from "./fields.js";
import { problemText } from "./forms.js";

/**
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {import("../shared/types").Board} Board
 * @typedef {import("../shared/types").Seat} Seat
 * @typedef {{ checkers: Board, on_roll: Seat, cube: any, dice: number[] | null }} Named
 */

/**
 * The field; it has no value while it is collapsed.
 *
 * @param {CaseView} view
 * @param {(named: Named) => void} onNamed gets what else a text named: turn, cube, dice
 * @param {boolean} [isOpen]
 * @returns {import("./forms.js").Field}
 */
export function boardField(view, onNamed, isOpen = false) {
  const { known, scene, names } = view;
  const now = boardOf(known.scenes.at(-1));
  const shown = boardOf(scene);
  /** @type {[Board, string][]} */
  const starts = [
    [STARTING, t("panel.board_opening")],
    [emptyBoard(), t("panel.board_empty")],
  ];
  if (shown && scene !== known.scenes.at(-1)) starts.unshift([shown, t("panel.board_shown")]);
  if (now) starts.unshift([now, t("panel.board_now")]);
  const context = /** @type {any} */ ({ names, table: () => ({ cube: known.scenes.at(-1)?.cube ?? null }) });
  const board = editor(context, t("panel.board"), starts);
  board.set(now ?? STARTING);
  const said = h("output", { class: "muted" });
  const details = h("details", { class: "more" }, h("summary", null, t("panel.set_board")));
  details.append(
    h("div", { class: "stack" }, board.element, fromEntry(view, board, said), fromText(view, board, said, onNamed), said),
  );
  details.open = isOpen;
  details.addEventListener("toggle", () => {
    if (details.open) details.scrollIntoView({ block: "start" });
  });
  return {
    name: "checkers",
    label: t("panel.board"),
    kind: "own",
    control: { element: details, value: () => (details.open ? board.value() : null) },
  };
}

/** @param {import("../replay/types").Scene | undefined} scene @returns {Board | null} */
function boardOf(scene) {
  return scene?.checkers?.one && scene.checkers.two ? /** @type {Board} */ (scene.checkers) : null;
}

/**
 * The part that takes the board after an entry.
 *
 * @param {CaseView} view
 * @param {ReturnType<typeof editor>} board
 * @param {HTMLElement} said
 */
function fromEntry({ known }, board, said) {
  const version = h("input", { id: "board-entry", type: "number", min: 1, autocomplete: "off" });
  return source("board-entry", t("room.back_to"), version, () => {
    const found = boardOf(known.scenes.findLast((scene) => scene.version <= Number(version.value)));
    if (version.value === "" || found === null) {
      fill(said, t("room.no_board", { n: version.value || "–" }));
      return;
    }
    board.set(found);
    fill(said, t("panel.board_from_entry", { n: version.value }));
  });
}

/**
 * The part that takes the board from another program's text.
 *
 * @param {CaseView} view
 * @param {ReturnType<typeof editor>} board
 * @param {HTMLElement} said
 * @param {(named: Named) => void} onNamed
 */
function fromText({ context, match, names }, board, said, onNamed) {
  const text = h("input", { id: "board-text", type: "text", autocomplete: "off", spellcheck: "false" });
  const whose = h(
    "select",
    { id: "board-whose" },
    seats(context, match).map(({ value, text: name }) => h("option", { value }, name)),
  );
  return h(
    "div",
    { class: "stack" },
    source("board-text", t("panel.board_text"), text, async () => {
      try {
        const asked = new URLSearchParams({ text: text.value, on_roll: whose.value });
        const { json } = await api("GET", `/positions?${asked}`);
        board.set(json.checkers);
        if (json.cube) board.cube(json.cube);
        onNamed(json);
        fill(said, t("panel.board_read", { name: names[/** @type {Seat} */ (json.on_roll)] }));
        announce(said.textContent ?? "");
      } catch (error) {
        fill(said, problemText(error));
      }
    }),
    h("div", { class: "field" }, h("label", { for: "board-whose" }, t("panel.board_whose")), whose),
  );
}

/**
 * An input with a key that takes a board from it; Enter presses that key, not the form's.
 *
 * @param {string} id
 * @param {string} label
 * @param {HTMLInputElement} input
 * @param {() => unknown} take
 */
function source(id, label, input, take) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    void take();
  });
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("div", { class: "row nowrap" }, input, h("button", { type: "button", on: { click: () => void take() } }, t("panel.take_board"))),
  );
}
