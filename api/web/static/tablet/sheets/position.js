// Sheets about the board: a stated position, and a wrong starting position and its correction.

/** @import { Board, Seat, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { STARTING } from "../../board/position.js";
import { cubeOwners, cubeValues } from "./cube.js";
import { editor, emptyBoard, mover } from "./boards.js";
import { boardBeforeGap } from "./entries.js";
import { actor, choice, dice, note, number, seat, seats } from "./fields.js";
import { form, more, openSheet, options, recordKey, words } from "./kit.js";

/**
 * Sheet: the whole position is stated.
 *
 * @param {SheetContext} context
 */
export function openPosition(context) {
  return openSheet(
    context,
    "position",
    (sheet) => {
      const table = context.table();
      /** @type {Option<Board>[]} */
      const starts = [
        [STARTING, words("position_opening")],
        [emptyBoard(), words("position_empty")],
      ];
      const before = table.board === null ? boardBeforeGap(context) : null;
      if (table.board !== null) starts.unshift([table.board, words("position_current")]);
      if (before !== null) starts.unshift([before, words("position_before_gap")]);
      const board = editor(context, words("position_board"), starts);
      board.set(table.board ?? before ?? STARTING);
      const onRoll = choice(words("position_on_roll"), seats(context), {
        value: table.on_roll,
        // Required if no player is on roll, as after a gap and between games: the next roll would
        // belong to nobody. The opening roll decides it by itself.
        required: table.on_roll === null && table.awaits !== "opening",
      });
      const roll = dice(words("position_dice"));
      const reason = choice(
        words("position_why"),
        options("position_why", ["not_seen", "knocked", "agreed", "recorded_wrongly"]),
      );
      const says = note(words("position_says"), { rows: 1 });
      const stated = () => {
        const held = owner.value();
        /** @type {Seat | null} */
        const seat = held === "one" || held === "two" ? held : null;
        return { value: value.value(), owner: seat };
      };
      const onChange = () => {
        const cube = stated();
        board.cube({ ...cube, value: cube.value ?? table.cube.value, offered_by: null });
      };
      const value = choice(words("cube_value"), cubeValues(), { onChange });
      const owner = choice(words("cube_owner"), cubeOwners(context), { value: "middle", onChange });
      const cubeSaid = {
        check: () => {
          const isWhole = stated().owner === null || value.value() !== null;
          if (!isWhole) sheet.say(`${words("cube_value")}: ${words("missing")}`);
          return isWhole;
        },
      };
      const fields = [board, onRoll, roll, reason, says, cubeSaid];
      board.beside.append(onRoll.element, reason.element);
      return [
        board.element,
        more(words("position_more"), roll.element, value.element, owner.element, says.element),
        recordKey(sheet, fields, () => {
          const { value: cube, owner: held } = stated();
          const why = reason.value();
          return {
            tag: "position.stated",
            basis: why === "agreed" ? "agreed" : "observed",
            body: {
              checkers: board.value(),
              on_roll: onRoll.value(),
              dice: roll.value(),
              cube: cube === null ? null : { value: cube, ...(held && { owner: held }) },
              reason: says.value() ?? why,
            },
          };
        }),
      ];
    },
    "wide",
  );
}

/**
 * Sheet: the starting position was wrong.
 *
 * @param {SheetContext} context
 */
export function openStartFault(context) {
  return openSheet(context, "start_fault", (sheet) => {
    const whose = seat(context, words("start_whose"), { required: true });
    const at = number(words("start_at"), { least: 1, most: 25 });
    const missing = number(words("start_missing"), { least: 1, most: 25 });
    const by = actor(context, words("noticed_by"));
    return form(sheet, { seat: whose, at, missing, noticed_by: by }, "start.fault_noticed");
  });
}

/**
 * Sheet: a wrong starting position is corrected.
 *
 * @param {SheetContext} context
 */
export function openStartCorrected(context) {
  return openSheet(
    context,
    "start_corrected",
    (sheet) => {
      const board = mover(context, words("start_moved"), { areHits: false, required: true });
      const begin = (/** @type {Seat | null} */ who) => board.begin(context.table().board, who);
      const whose = seat(context, words("start_whose"), { required: true, onChange: begin });
      begin(whose.value());
      board.beside.prepend(whose.element);
      const by = actor(context, words("corrected_by"), { value: "both" });
      board.beside.append(by.element);
      return [
        board.element,
        recordKey(sheet, [whose, board, by], () => ({
          tag: "start.corrected",
          body: { seat: whose.value(), moved: board.value(), by: by.value() },
        })),
      ];
    },
    "wide",
  );
}
