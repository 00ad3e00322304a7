// The board of the shown moment: before, after or disputed; who sits where, clocks, score, cube.

import "../board/element.js";
import { placeOf, STARTING } from "../board/position.js";
import { fill, h } from "../dom.js";
import { t } from "../texts.js";
import { time } from "./words.js";

/** @import { TbBoard } from "../board/element.js" */
/** @import { Board, Dice, Mark, Place, Seat } from "../types.js" */
/** @import { MaybeBoard, Tab } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

const SEATS = /** @type {const} */ (["one", "two"]);

/**
 * A board as far as it is known: before the first game, as every game begins.
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
 * What differs between two boards: a ghost where a checker left, a ring where one arrived, a hit.
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
      // A checker that was hit left where the other one arrived: that says more than either.
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
 * The stage: board, plates of both players, tabs of the position.
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
    showThings(board, viewer, tab);
    for (const [edge, plate] of Object.entries(plates)) {
      const seat = (edge === "bottom") === (viewer.bottom === "one") ? "one" : "two";
      showPlate(plate, viewer, seat);
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
    if (mark === "ghost") marks.set(place, "from");
  }
  return marks;
}

/**
 * Cube, dice and turn beside the checkers.
 *
 * @param {TbBoard} board
 * @param {Viewer} viewer
 * @param {Tab} tab
 */
function showThings(board, viewer, tab) {
  const { scene, reader } = viewer;
  const earlier = reader.scenes[reader.at.scene - 1] ?? null;
  const dispute = reader.dispute;
  const frozen = dispute && reader.scenes[reader.momentOf(dispute.frozen).scene];
  const shown = { before: earlier, after: scene, disputed: frozen }[tab];
  board.cube = shown === null ? null : shown.cube;
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
 * Name, points, clock and pips of one player.
 *
 * @param {HTMLElement} plate
 * @param {Viewer} viewer
 * @param {Seat} seat
 */
function showPlate(plate, viewer, seat) {
  const { scene } = viewer;
  const { names } = viewer.setting;
  const isRunning = scene.clock?.running === seat;
  const reserve = scene.clock?.reserve_ms[seat] ?? null;
  plate.dataset.seat = seat;
  plate.classList.toggle("on-roll", scene.on_roll === seat);
  fill(
    plate,
    h("span", { class: `stone of-${seat}`, "aria-hidden": "true" }),
    h("strong", { class: "name" }, names[seat]),
    scene.on_roll === seat && h("span", { class: "badge" }, t("replay.to_roll")),
    scene.pips !== null &&
      h("span", { class: "muted number" }, t("replay.pips", { count: scene.pips[seat] })),
    scene.clock !== null &&
      h(
        "span",
        { class: ["clock number", isRunning && "running"] },
        h("span", { class: "unseen" }, `${t("replay.reserve", { name: names[seat] })} `),
        reserve === null ? t("replay.unknown_time") : time(reserve),
        isRunning && h("span", { class: "runs" }, ` ${t("replay.runs")}`),
      ),
    h(
      "span",
      { class: "points number" },
      h("span", { class: "unseen" }, `${t("replay.score")} `),
      String(scene.score[seat]),
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
