// The printed case: every turn with its board, texts, findings, and hashes at the foot.

import "../board/element.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { isLastOfTurn } from "../replay/reader.js";
import { notesOn, spoken } from "../replay/spoken.js";
import { sentence, time, told } from "../replay/words.js";

/** @import { TbBoard } from "../board/element.js" */
/** @import { Scene } from "../replay/types.js" */
/** @import { BySeat } from "../shared/types.js" */
/** @import { Pack } from "./app.js" */

/**
 * @param {Pack} pack
 * @param {BySeat<string>} names
 * @param {Map<number, { leaf: string }>} sealed version to the entry
 * @returns {HTMLElement}
 */
export function binder({ case: about, match }, names, sealed) {
  /** @type {HTMLElement[]} */
  const sheets = [];
  let turn = /** @type {Scene[]} */ ([]);
  match.scenes.forEach((scene, index) => {
    turn.push(scene);
    if (!isLastOfTurn(match.scenes, index)) return;
    sheets.push(sheet(turn, names, sealed));
    turn = [];
  });
  return h(
    "section",
    { class: "on-paper" },
    h("h1", null, t("case.title")),
    h("p", null, `${names.one} – ${names.two} · ${about.title} (${about.rule_set}) · ${t("case.through", { n: about.last })}`),
    notesOn(match.showing).map((note) => h("p", null, note)),
    h("p", null, t("pack.colours", { one: names.one, two: names.two })),
    sheets,
  );
}

/**
 * One turn on paper.
 *
 * @param {readonly Scene[]} scenes
 * @param {BySeat<string>} names
 * @param {Map<number, { leaf: string }>} sealed
 */
function sheet(scenes, names, sealed) {
  const last = scenes[scenes.length - 1];
  const where = [
    last.game === 0 ? t("replay.before_games") : t("replay.game", { number: last.game }),
    last.row === 0 ? null : t("replay.turn_number", { number: last.row }),
    last.turn_of === null ? null : names[last.turn_of],
    `${last.score.one}–${last.score.two}`,
  ];
  return h(
    "article",
    { class: "sheet" },
    h("h2", null, where.filter(Boolean).join(" · ")),
    h("div", { class: "sheet-body" }, board(last, names), h("div", null, scenes.map((scene) => line(scene, names)), clocks(last, names))),
    h(
      "footer",
      null,
      scenes.map((scene) => h("p", { class: "hash" }, `${scene.version} ${sealed.get(scene.version)?.leaf ?? ""}`)),
    ),
  );
}

/**
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
function line(scene, names) {
  const found = scene.findings.map((one) =>
    h("p", { class: "found" }, `! ${sentence(one.said, names)} (${one.rule_set}, ${one.section})`),
  );
  const at = scene.at_ms === null ? "" : ` · ${t("replay.at", { time: time(scene.at_ms) })}`;
  const text = `${scene.version}. ${told(scene, names)}${at}`;
  return h("div", { class: "said-on-paper" }, h("p", null, scene.status === "retracted" ? h("s", null, text) : text), spoken(scene, names), found);
}

/**
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
function clocks({ clock }, names) {
  if (clock === null) return null;
  const left = (/** @type {"one" | "two"} */ seat) => {
    const ms = clock.reserve_ms[seat];
    return `${names[seat]} ${ms === null ? t("replay.unknown_time") : time(ms)}`;
  };
  return h("p", { class: "number" }, `${left("one")} · ${left("two")}`);
}

/**
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
function board(scene, names) {
  const { one, two } = scene.checkers;
  if (one === null || two === null) return null;
  const drawn = /** @type {TbBoard} */ (document.createElement("tb-board"));
  drawn.labels = names;
  drawn.board = { one, two };
  drawn.cube = scene.is_crawford ? null : scene.cube;
  drawn.turn = scene.on_roll;
  return h("figure", null, drawn);
}
