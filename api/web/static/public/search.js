// The search page: a board to set up, which fills its Position ID into the field.

import { OFF, STARTING } from "../board/position.js";
import { h } from "../shared/dom.js";
import { loadTexts, t } from "../shared/texts.js";
import { editor, emptyBoard } from "../tablet/sheets/boards.js";

/** @import { Board } from "../shared/types.js" */

await loadTexts("public", "board", "tablet", "search");

/**
 * GNU Backgammon's Position ID of a board with seat one on roll: for the opponent's and then the
 * player's points and bar, as many ones as checkers and a zero. Null if a side has more than 15.
 *
 * @param {Board} board
 * @returns {string | null}
 */
function positionId(board) {
  let bits = "";
  for (const counts of [board.two, board.one]) {
    const on = counts.slice(OFF + 1);
    if (on.reduce((sum, count) => sum + count, 0) > 15) return null;
    bits += on.map((count) => `${"1".repeat(count)}0`).join("");
  }
  const bytes = Array.from({ length: 10 }, (_, index) =>
    parseInt([...bits.padEnd(80, "0").slice(8 * index, 8 * index + 8)].reverse().join(""), 2),
  );
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}

const place = /** @type {HTMLElement} */ (document.getElementById("editor"));
const text = /** @type {HTMLInputElement} */ (document.getElementById("text"));
const names = { one: t("search.on_roll"), two: t("search.opponent") };
const context = /** @type {any} */ ({ names, table: () => ({ cube: null }) });
const board = editor(context, t("search.board"), [
  [STARTING, t("search.board_opening")],
  [emptyBoard(), t("search.board_empty")],
]);
board.set(JSON.parse(place.dataset.board ?? "null") ?? STARTING);
const take = h(
  "button",
  {
    type: "button",
    on: {
      click: () => {
        const id = positionId(board.value());
        text.value = id ?? "";
        text.setCustomValidity(id === null ? t("search.too_many") : "");
        if (text.reportValidity()) /** @type {HTMLFormElement} */ (text.form).requestSubmit();
      },
    },
  },
  t("search.find_board"),
);
text.addEventListener("input", () => text.setCustomValidity(""));
const title = h("h2", { class: "unseen" }, t("search.board"));
place.append(
  h("details", { class: "more" }, h("summary", null, t("search.set_board")), title, board.element, board.beside, take),
);
