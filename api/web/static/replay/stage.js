// The board of the moment shown (before, after or disputed), with players, clocks, score and cube.

import "../board/element.js";
import { placeOf, STARTING } from "../board/position.js";
import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { time } from "./words.js";

/** @import { TbBoard } from "../board/element.js" */
/** @import { Board, BySeat, Dice, Mark, Place, Seat } from "../shared/types.js" */
/** @import { MaybeBoard, Scene, Tab } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

const SEATS = /** @type {const} */ (["one", "two"]);

/**
 * The board if it is known; before the first game, the starting position.
 *
 * @param {MaybeBoard} board
 * @param {number} game
 * @returns {Board | null}
 */
function known({ one, two }, game) {
  if (one !== null && two !== null) return { one, two };
  return game === 0 ? STARTING : null;
}

/**
 * Marks for the difference between two boards: checkers left, checkers arrived, hits.
 *
 * @param {Board | null} from
 * @param {Board | null} to
 * @returns {Map<Place, Mark>}
 */
export function difference(from, to) {
  /** @type {Map<Place, Mark>} */
  const marks = new Map();
  if (from === null || to === null) return marks;
  for (const seat of SEATS) {
    for (let point = 0; point <= 25; point += 1) {
      const change = to[seat][point] - from[seat][point];
      const place = placeOf(seat, point);
      if (change > 0) marks.set(place, "to");
      // Where one side arrived and the other left, the mark is a hit.
      else if (change < 0) marks.set(place, marks.get(place) === "to" ? "hit" : "ghost");
    }
  }
  for (const seat of SEATS) {
    const other = seat === "one" ? "two" : "one";
    if (to[other][25] <= from[other][25]) continue;
    for (let point = 1; point <= 24; point += 1) {
      const isTaken = to[other][25 - point] < from[other][25 - point];
      if (isTaken && to[seat][point] > from[seat][point]) marks.set(placeOf(seat, point), "hit");
    }
  }
  return marks;
}

/**
 * The stage: board, both players, tabs for the position.
 *
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function stage(viewer) {
  const board = /** @type {TbBoard} */ (document.createElement("tb-board"));
  board.labels = viewer.setting.names;
  const plates = { top: h("div", { class: "plate" }), bottom: h("div", { class: "plate" }) };
  const note = h("p", { class: "board-note muted", id: "board-note" });
  const tabs = tabsOf(viewer);
  const paint = () => {
    const shown = positions(viewer);
    const tab = viewer.tab === "disputed" && shown.disputed === undefined ? "after" : viewer.tab;
    const position = shown[tab] ?? null;
    board.bottom = viewer.bottom;
    board.direction = viewer.direction;
    board.board = position;
    board.marks = viewer.isMarked ? marksOf(shown, tab) : new Map();
    board.markCounts = tab === "disputed" ? new Map() : manyOf(shown);
    const moment = momentOf(viewer, tab);
    showThings(board, moment);
    const pips = pipsOf(viewer, moment, position);
    for (const [edge, plate] of Object.entries(plates)) {
      const seat = (edge === "bottom") === (viewer.bottom === "one") ? "one" : "two";
      showPlate(plate, { name: viewer.setting.names[seat], seat, moment, pips: pips?.[seat] ?? null });
    }
    fill(note, noteOf(viewer, tab, position));
    tabs.show(tab, shown.disputed !== undefined);
  };
  viewer.listen(paint);
  const element = h(
    "section",
    { class: "stage", "aria-label": t("replay.stage") },
    plates.top,
    h("div", { class: "board-frame" }, board),
    plates.bottom,
    h("div", { class: "row under-board" }, tabs.element, markSwitch(viewer)),
    note,
  );
  paint();
  return element;
}

/**
 * @param {Viewer} viewer
 * @returns {{ before: Board | null, after: Board | null, disputed?: Board | null }}
 */
function positions(viewer) {
  const { scene, frame, reader } = viewer;
  const { dispute } = reader;
  const last = reader.at.frame === null ? null : scene.frames[reader.at.frame - 1];
  const earlier = reader.scenes[reader.at.scene - 1]?.game ?? 0;
  const before = known(last?.checkers ?? scene.before, earlier);
  const after = known(frame?.checkers ?? scene.checkers, scene.game);
  if (dispute === null) return { before, after };
  const frozen = reader.scenes[reader.momentOf(dispute.frozen).scene];
  return { before, after, disputed: known(frozen.checkers, frozen.game) };
}

/**
 * @param {{ before: Board | null, after: Board | null, disputed?: Board | null }} shown
 * @param {Tab} tab
 */
function marksOf(shown, tab) {
  if (tab === "after") return difference(shown.before, shown.after);
  if (tab === "disputed") return difference(shown.after, shown.disputed ?? null);
  /** @type {Map<Place, Mark>} */
  const marks = new Map();
  for (const [place, mark] of difference(shown.before, shown.after)) {
    if (mark === "ghost") marks.set(place, "leaves");
  }
  return marks;
}

/**
 * The places where more than one checker left or arrived, with their number.
 *
 * @param {{ before: Board | null, after: Board | null }} shown
 * @returns {Map<Place, number>}
 */
function manyOf({ before, after }) {
  /** @type {Map<Place, number>} */
  const counts = new Map();
  if (before === null || after === null) return counts;
  for (const seat of SEATS) {
    for (let point = 1; point <= 25; point += 1) {
      const change = Math.abs(after[seat][point] - before[seat][point]);
      if (change > 1) counts.set(placeOf(seat, point), change);
    }
  }
  return counts;
}

/**
 * The entry whose cube, dice, clocks and score are shown; null before the first one. While only
 * some checkers of a play have moved, it is the entry before.
 *
 * @param {Viewer} viewer
 * @param {Tab} tab
 * @returns {Scene | null}
 */
function momentOf({ scene, frame, reader }, tab) {
  const { dispute } = reader;
  if (tab === "disputed" && dispute !== null) return reader.scenes[reader.momentOf(dispute.frozen).scene];
  if (tab === "after" && frame === null) return scene;
  return reader.scenes[reader.at.scene - 1] ?? null;
}

/**
 * The pip counts, if the reader may see them: of the entry, or counted in the middle of a play.
 *
 * @param {Viewer} viewer
 * @param {Scene | null} moment
 * @param {Board | null} position
 * @returns {BySeat<number> | null}
 */
function pipsOf({ frame }, moment, position) {
  const told = moment?.pips ?? null;
  if (told === null || frame === null || position === null) return told;
  const count = (/** @type {Seat} */ seat) =>
    position[seat].reduce((sum, checkers, point) => sum + checkers * point, 0);
  return { one: count("one"), two: count("two") };
}

/**
 * Show cube, dice and turn on the board.
 *
 * @param {TbBoard} board
 * @param {Scene | null} shown
 */
function showThings(board, shown) {
  board.cube = shown === null || shown.is_crawford ? null : shown.cube;
  board.turn = shown === null ? null : shown.on_roll;
  const faces = shown?.lying?.dice ?? null;
  const isRead = faces !== null && faces.every((face) => face !== null);
  board.dice = isRead ? /** @type {Dice} */ (/** @type {unknown} */ (faces)) : null;
  board.diceSeat = shown?.lying?.seat ?? shown?.on_roll ?? null;
}

/**
 * @param {Viewer} viewer
 * @param {Tab} tab
 * @param {Board | null} position
 */
function noteOf(viewer, tab, position) {
  if (position === null) return t("replay.board_unknown");
  if (viewer.scene.game === 0) return t("replay.not_begun");
  const { dispute } = viewer.reader;
  if (tab !== "disputed" || dispute === null) return "";
  return t("replay.frozen_at", { version: dispute.frozen, dispute: dispute.version });
}

/**
 * Show name, points, clock and pips of one player.
 *
 * @param {HTMLElement} plate
 * @param {{ name: string, seat: Seat, moment: Scene | null, pips: number | null }} player
 */
function showPlate(plate, { name, seat, moment, pips }) {
  const clock = moment?.clock ?? null;
  const isRunning = clock?.running === seat;
  const reserve = clock?.reserve_ms[seat] ?? null;
  const isOnRoll = moment?.on_roll === seat;
  plate.dataset.seat = seat;
  plate.classList.toggle("on-roll", isOnRoll);
  fill(
    plate,
    h("span", { class: `stone of-${seat}`, "aria-hidden": "true" }),
    h("strong", { class: "name" }, name),
    isOnRoll && h("span", { class: "badge" }, t("replay.to_roll")),
    pips !== null && h("span", { class: "muted number" }, t("replay.pips", { count: pips })),
    clock !== null &&
      h(
        "span",
        { class: ["clock number", isRunning && "running"] },
        h("span", { class: "unseen" }, `${t("replay.reserve", { name })} `),
        reserve === null ? t("replay.unknown_time") : time(reserve),
        isRunning && h("span", { class: "runs" }, ` ${t("replay.runs")}`),
      ),
    h(
      "span",
      { class: "points number" },
      h("span", { class: "unseen" }, `${t("replay.score")} `),
      String(moment?.score[seat] ?? 0),
    ),
  );
}

/** @param {Viewer} viewer */
function tabsOf(viewer) {
  const buttons = /** @type {Tab[]} */ (["before", "after", "disputed"]).map((tab) =>
    h(
      "button",
      { type: "button", dataset: { tab }, on: { click: () => viewer.look(tab) } },
      t(`replay.${tab}`),
    ),
  );
  const element = h(
    "div",
    { class: "tabs chips unprinted", role: "group", "aria-label": t("replay.position") },
    buttons,
  );
  /** @param {Tab} shown @param {boolean} hasDispute */
  const show = (shown, hasDispute) => {
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.tab === shown));
      if (button.dataset.tab === "disputed") button.hidden = !hasDispute;
    }
  };
  return { element, show };
}

/** @param {Viewer} viewer */
function markSwitch(viewer) {
  const box = h("input", { type: "checkbox", checked: viewer.isMarked });
  box.addEventListener("change", () => {
    viewer.isMarked = box.checked;
    viewer.changed("moment");
  });
  return h("label", { class: "choice unprinted" }, box, ` ${t("replay.marks_on")}`);
}
