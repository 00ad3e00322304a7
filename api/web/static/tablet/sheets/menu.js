// The menu of all sheets: first those of what can happen now, then all, with a search.

/** @import { SheetContext, Table } from "../../shared/types.js" */

import { dialog, h } from "../../shared/dom.js";
import { hasText, t } from "../../shared/texts.js";
import { trainingLink } from "../start/enrol.js";
import * as attendance from "./attendance.js";
import * as clock from "./clock.js";
import * as cube from "./cube.js";
import * as device from "./device.js";
import * as dice from "./dice.js";
import * as director from "./director.js";
import * as ending from "./ending.js";
import * as equipment from "./equipment.js";
import { words } from "./kit.js";
import * as play from "./play.js";
import * as position from "./position.js";
import * as score from "./score.js";

/** @typedef {(context: SheetContext) => Promise<boolean>} Opens */

/**
 * Every sheet by its name, in the groups and order of the menu, the most used first.
 * @type {Readonly<Record<string, Readonly<Record<string, Opens>>>>}
 */
export const SHEETS = {
  dice: {
    void: dice.openVoid,
    early: dice.openEarlyRoll,
    early_answer: dice.openEarlyAnswer,
    lifted: dice.openLifted,
    repositioned: dice.openRepositioned,
    turn_ended: dice.openTurnEnded,
    mixed: dice.openMixed,
  },
  play: {
    unseen: play.openUnseen,
    position: position.openPosition,
    revised: play.openRevised,
    illegality: play.openIllegality,
    illegality_answer: play.openIllegalityAnswer,
    corrected: play.openCorrected,
    handling: play.openHandling,
    start_fault: position.openStartFault,
    start_corrected: position.openStartCorrected,
  },
  cube: {
    cube_act: cube.openCubeAct,
    gesture: cube.openGesture,
    intent: cube.openIntent,
    beaver: cube.openBeaver,
    cube_void: cube.openCubeVoid,
    cube_stated: cube.openCubeStated,
  },
  clock: {
    clock_pause: clock.openClockPause,
    clock_resume: clock.openClockResume,
    clock_start: clock.openClockStart,
    clock_set: clock.openClockSet,
    clock_read: clock.openClockRead,
    clock_press: clock.openClockPress,
    clock_fault: clock.openClockFault,
    clock_flag: clock.openClockFlag,
    break: attendance.openBreak,
    delay: attendance.openDelay,
  },
  game: {
    resignation: ending.openResignation,
    claim: ending.openClaim,
    claim_answer: ending.openClaimAnswer,
    game_won: ending.openGameWon,
    game_started: score.openGameStarted,
    score_stated: score.openScoreStated,
    score_noted: score.openScoreNoted,
    result: score.openResult,
    match_ended: score.openMatchEnded,
    belief: score.openBelief,
    length_error: score.openLengthError,
    next: score.openNext,
  },
  players: {
    presence: attendance.openPresence,
    left: attendance.openLeft,
    recording: equipment.openRecording,
    spectator: equipment.openSpectator,
    monitor: equipment.openMonitor,
    equipment: equipment.openEquipment,
    replaced: equipment.openReplaced,
    preference: dice.openPreference,
  },
  director: {
    call: director.openCall,
    mark: director.openMark,
    evidence: director.openEvidence,
    dispute: director.openDispute,
    testimony: director.openTestimony,
    disturbed: director.openDisturbed,
  },
  device: {
    device: device.openDevice,
  },
};

/** Tags that wait for an answer, the tags of answers, and the sheet for the answer. */
const ANSWERS = /** @type {const} */ ([
  ["claim.made", "claim.ruled", "claim_answer"],
  ["play.illegality_noticed", "play.illegality_answered", "illegality_answer"],
  ["break.started", "break.ended", "break"],
]);

/**
 * The sheets of what can happen now, first those that are waited for. Legality plays no part, since
 * players may see the menu.
 *
 * @param {Table} table
 * @returns {string[]}
 */
function happening({ standing, awaits, in_game, ended, clock, early, length, resigning, winner }) {
  const at = (/** @type {string} */ wanted) => standing.findLastIndex(({ tag }) => tag === wanted);
  const asked = ANSWERS.filter(([tag, answer]) => at(tag) > at(answer)).map(([, , sheet]) => sheet);
  const isClosed = awaits === "nothing" || awaits === "cancelled";
  /** @type {(string | false)[]} */
  const names = [
    early !== null && "early_answer",
    resigning !== null && "resignation",
    awaits === "answer" && length === null && "beaver",
    ...asked,
    // Decided by an entry of the director, during a game or between games.
    winner !== null && at("match.ended") < 0 && "match_ended",
    ...(in_game
      ? [
          "void",
          awaits !== "opening" && "early",
          awaits !== "opening" && "resignation",
          awaits !== "opening" && "unseen",
          awaits !== "opening" && "illegality",
          "position",
        ]
      : isClosed
        ? ["result", "score_noted", "next"]
        : ended === null
          ? ["presence", "preference", "equipment", "delay"]
          : ["break", "score_noted", "score_stated", "left"]),
    in_game && clock !== null && "clock_flag",
    clock === null ? !isClosed && "clock_set" : clock.running ? "clock_pause" : "clock_resume",
    "call",
    "mark",
    "evidence",
  ];
  return [...new Set(names.filter((name) => name !== false))];
}

/**
 * Open the menu, then the sheet that was chosen.
 *
 * @param {SheetContext} context
 * @returns {Promise<boolean>} whether something was recorded
 */
export async function openMenu(context) {
  const now = happening(context.table());
  const chosen = await dialog(words("menu"), (close) => build(close, now, context.table().in_game), {
    className: "tablet-sheet menu wide",
    closeText: t("common.close"),
  });
  const opens = chosen === null ? undefined : all().get(chosen);
  return opens === undefined ? false : opens(context);
}

/** @returns {Map<string, Opens>} */
function all() {
  return new Map(Object.values(SHEETS).flatMap((group) => Object.entries(group)));
}

/**
 * @param {(name: string) => void} close
 * @param {readonly string[]} now
 * @param {boolean} in_game
 * @returns {Node[]}
 */
function build(close, now, in_game) {
  const key = (/** @type {string} */ name) =>
    h(
      "button",
      { type: "button", dataset: { sheet: name }, on: { click: () => close(name) } },
      words(name),
    );
  const group = (/** @type {string} */ name, /** @type {readonly string[]} */ sheets) =>
    h(
      "section",
      { class: ["menu-group", name === "first" && "first"], "aria-label": words(`group_${name}`) },
      h("h3", null, words(`group_${name}`)),
      h("div", { class: "chips" }, sheets.map(key)),
    );
  const first = group("first", now);
  const groups = Object.entries(SHEETS).map(([name, sheets]) => group(name, Object.keys(sheets)));
  const search = h("input", {
    type: "search",
    autocomplete: "off",
    placeholder: words("search"),
    "aria-label": words("search"),
  });
  const none = h("p", { class: "muted", role: "status" });
  const rest = h(
    "details",
    { class: "more rest" },
    h("summary", null, words("rest")),
    h("div", { class: "menu-groups" }, groups),
  );
  const body = h("div", { class: "menu-body" }, first, search, none, rest, h("p", null, trainingLink(in_game)));
  body.addEventListener("keydown", (event) => onKey(event, search));
  first.querySelector("button")?.setAttribute("autofocus", "");
  search.addEventListener("input", () => {
    narrow(search.value, first, groups, none);
    if (search.value.trim() !== "") rest.setAttribute("open", "");
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const found = groups
      .flatMap((one) => [...one.querySelectorAll("button")])
      .find((one) => !one.hidden);
    found?.click();
  });
  return [body];
}

/**
 * Letters typed anywhere on the menu go to the search, which opens no on-screen keyboard.
 *
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} search
 */
function onKey(event, search) {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length === 1 && event.key !== " ") search.focus();
}

/** Other words by which a sheet is found. @param {string | undefined} name */
function calledToo(name) {
  return hasText(`tablet.find_${name}`) ? t(`tablet.find_${name}`) : "";
}

/**
 * Show only sheets whose name or other words contain the text typed.
 *
 * @param {string} text
 * @param {HTMLElement} first
 * @param {readonly HTMLElement[]} groups
 * @param {HTMLElement} none
 */
function narrow(text, first, groups, none) {
  const wanted = text.trim().toLocaleLowerCase();
  first.hidden = wanted !== "";
  let found = 0;
  for (const group of groups) {
    const title = group.querySelector("h3")?.textContent?.toLocaleLowerCase() ?? "";
    let shown = 0;
    for (const one of group.querySelectorAll("button")) {
      const label = `${one.textContent} ${calledToo(one.dataset.sheet)}`.toLocaleLowerCase();
      one.hidden = !label.includes(wanted) && !title.includes(wanted);
      if (!one.hidden) shown += 1;
    }
    group.hidden = shown === 0;
    found += shown;
  }
  none.textContent = found === 0 ? words("search_none") : "";
}
