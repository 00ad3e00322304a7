// The engine's analysis: PR and luck, marks in the record, next and previous error, best play.

import "../board/element.js";
import { announce, fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { isTaken } from "./keys.js";
import { difference } from "./stage.js";
import { decimals } from "./words.js";

/** @import { TbBoard } from "../board/element.js" */
/** @import { Board } from "../shared/types.js" */
/** @import { Analysis, Choice, Scene } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/** The loss of equity from which a choice is an error, as in eXtreme Gammon. */
const ERROR = 0.02;
const BLUNDER = 0.08;

const SEATS = /** @type {const} */ (["one", "two"]);

/**
 * The card; empty if the match was not analysed.
 *
 * @param {Viewer} viewer
 * @param {HTMLElement} root
 * @returns {HTMLElement | false}
 */
export function errors(viewer, root) {
  if (root.dataset.analysed === undefined) return false;
  const card = h("section", { class: "analysis-card card", id: "analysis" }, h("h2", null, t("analysis.title")));
  void read(viewer, card, root);
  return card;
}

/**
 * @param {Viewer} viewer
 * @param {HTMLElement} card
 * @param {HTMLElement} root
 */
async function read(viewer, card, root) {
  const { log, match } = viewer.setting;
  /** @type {Analysis} */
  let found;
  try {
    found = (await api("GET", `/logs/${log}/matches/${match}/analysis`)).json;
  } catch {
    card.append(h("p", { class: "muted" }, t("analysis.failed")));
    return;
  }
  const here = h("div", { class: "found-here", "aria-live": "off" });
  const go = (/** @type {1 | -1} */ direction) => goToError(viewer, found, direction);
  const way = (/** @type {"previous" | "next"} */ key, /** @type {1 | -1} */ direction) =>
    h(
      "button",
      { type: "button", id: `error-${key}`, on: { click: () => go(direction) } },
      t(`analysis.${key}`),
    );
  const by = { engine: found.engine, version: found.engine_version, preset: found.preset };
  card.append(
    figures(viewer, found),
    h("p", { class: "muted" }, t("analysis.by", by), " ", t("analysis.between")),
    h("div", { class: "row unprinted" }, way("previous", -1), way("next", 1)),
    here,
  );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    if (event.key.toLowerCase() === "e") go(event.shiftKey ? -1 : 1);
  });
  const show = () => fill(here, ...atMoment(viewer, found));
  viewer.listen((what) => {
    show();
    if (what !== "moment") mark(viewer, found, root);
  });
  show();
  mark(viewer, found, root);
  card.dataset.ready = "1";
}

/** @param {number | null} share a fraction of the match */
const percent = (share) => (share === null ? "–" : `${decimals(share * 100, 1)} %`);

/**
 * @param {Viewer} viewer
 * @param {Analysis} found
 */
function figures(viewer, found) {
  const heads = ["player", "pr", "lost_chance", "luck"].map((key) =>
    h("th", { scope: "col" }, t(`analysis.${key}`)),
  );
  const rows = SEATS.map((seat) => {
    const sums = found.players[seat];
    const cells = [
      [sums.pr === null ? "–" : decimals(sums.pr, 2), span(sums.pr_between, 1)],
      [percent(sums.lost_chance), span(sums.lost_chance_between, 100)],
      [sums.luck === null ? "–" : signed(sums.luck)],
    ];
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, viewer.setting.names[seat]),
      cells.map((parts) => h("td", { class: "number" }, parts)),
    );
  });
  return h("table", null, h("thead", null, h("tr", null, heads)), h("tbody", null, rows));
}

/**
 * An interval, shown in brackets under its figure.
 *
 * @param {import("../shared/answers.js").Between | null} between
 * @param {number} factor
 */
const span = (between, factor) =>
  between &&
  h(
    "small",
    { class: "muted between" },
    `(${decimals(between.low * factor, 1)}–${decimals(between.high * factor, 1)})`,
  );

/** @param {number} value */
const signed = (value) => `${value < 0 ? "−" : "+"}${decimals(Math.abs(value), 3)}`;

/** The choices that lost equity, by the version of their entry. @param {Analysis} found */
function faults(found) {
  return new Map(found.choices.filter((one) => one.lost >= ERROR).map((one) => [one.version, one]));
}

/**
 * Go to the next or previous error, or announce that there is none.
 *
 * @param {Viewer} viewer
 * @param {Analysis} found
 * @param {1 | -1} direction
 */
function goToError(viewer, found, direction) {
  const wrong = faults(found);
  const { scenes, at } = viewer.reader;
  for (let scene = at.scene + direction; scenes[scene] !== undefined; scene += direction) {
    if (wrong.has(scenes[scene].version)) {
      viewer.go({ scene, frame: null });
      return;
    }
  }
  announce(t("analysis.none"));
}

/**
 * Mark each error in the record.
 *
 * @param {Viewer} viewer
 * @param {Analysis} found
 * @param {HTMLElement} root
 */
function mark(viewer, found, root) {
  for (const old of root.querySelectorAll(".mark.of-error, .mark.of-blunder")) old.remove();
  if (viewer.match.as_recorded) return;
  const wrong = faults(found);
  for (const button of root.querySelectorAll("button[data-scene]")) {
    const index = Number(/** @type {HTMLElement} */ (button).dataset.scene);
    const worst = shownAt(viewer, index)
      .map((scene) => wrong.get(scene.version)?.lost ?? 0)
      .reduce((one, other) => Math.max(one, other), 0);
    if (worst < ERROR) continue;
    const kind = worst < BLUNDER ? "error" : "blunder";
    button.append(
      h(
        "span",
        { class: `mark of-${kind}` },
        h("span", { "aria-hidden": "true" }, worst < BLUNDER ? "?" : "??"),
        h("span", { class: "unseen" }, ` ${t(`analysis.${kind}`)}`),
      ),
    );
  }
}

/**
 * The entries that a button of the record stands for: one, or its whole turn.
 *
 * @param {Viewer} viewer
 * @param {number} index
 * @returns {Scene[]}
 */
function shownAt({ reader }, index) {
  const scene = reader.scenes[index];
  if (reader.step !== "turns") return [scene];
  return reader.scenes.filter((one) => one.game === scene.game && one.turn === scene.turn);
}

/**
 * The analysis of the moment shown.
 *
 * @param {Viewer} viewer
 * @param {Analysis} found
 */
function atMoment(viewer, found) {
  if (viewer.match.as_recorded) return [];
  const scenes = shownAt(viewer, viewer.reader.at.scene);
  return scenes.flatMap((scene) =>
    found.choices
      .filter((one) => one.version === scene.version)
      .map((one) => h("div", { class: "choice-found" }, said(one), drawn(viewer, one, scene))),
  );
}

/** @param {Choice} one */
function said(one) {
  if (one.lost === 0) {
    if (one.choice !== "play") return false;
    return h("p", null, t("analysis.nothing"), " ", h("span", { class: "muted" }, one.level));
  }
  const best = one.best_play ?? t(`analysis.choice.${one.best}`);
  const lost = decimals(one.lost, 3);
  const cost =
    one.lost_chance === null
      ? t("analysis.cost", { lost })
      : t("analysis.cost_chance", { lost, share: decimals(one.lost_chance * 100, 2) });
  const made = one.choice === "play" ? "" : `${t(`analysis.choice.${one.choice}`)}: `;
  return h(
    "p",
    null,
    h("strong", null, t("analysis.best", { best })),
    ` · ${made}${cost} · `,
    h("span", { class: "muted" }, t("analysis.level", { level: one.level })),
  );
}

/**
 * The best play on a board of its own, beside the play that was made.
 *
 * @param {Viewer} viewer
 * @param {Choice} one
 * @param {Scene} scene
 */
function drawn(viewer, one, scene) {
  const { checkers } = one;
  if (one.lost === 0 || checkers === null || checkers.one === null || checkers.two === null) return false;
  const best = /** @type {Board} */ (/** @type {unknown} */ ({ one: checkers.one, two: checkers.two }));
  const { before } = scene;
  const board = /** @type {TbBoard} */ (document.createElement("tb-board"));
  board.labels = viewer.setting.names;
  board.bottom = viewer.bottom;
  board.direction = viewer.direction;
  board.board = best;
  if (before.one !== null && before.two !== null) {
    board.marks = difference({ one: before.one, two: before.two }, best);
  }
  return h("figure", null, board, h("figcaption", null, t("analysis.board", { best: one.best_play ?? "" })));
}
