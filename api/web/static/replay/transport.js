// Stepping and playing: the buttons, and a player that shows the record at its own pace.

import { announce, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";

/** @import { Moment, Step } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

const SPEEDS = [1, 2, 4, 8, 16];

/** How long an entry is shown if the record has no times, in milliseconds. */
const PAUSE_MS = 1500;

/** How long each checker of a play is shown. */
const CHECKER_MS = 500;

/** A longer pause in the record counts as idle time. */
export const IDLE_MS = 30_000;

/** How long skipped idle time takes. */
const SKIPPED_MS = 2000;

/** Plays the record; steps by hand do not stop it. */
export class Player {
  /** @type {number | undefined} */
  #timer;

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.speed = 1;
    this.skipsIdle = true;
    /** @type {(isPlaying: boolean) => void} */
    this.onChange = () => {};
  }

  get isPlaying() {
    return this.#timer !== undefined;
  }

  toggle() {
    if (this.isPlaying) this.stop();
    else this.#plan();
    this.onChange(this.isPlaying);
    announce(t(this.isPlaying ? "replay.play" : "replay.pause"));
  }

  /** @param {number} speed */
  hurry(speed) {
    this.speed = speed;
    if (!this.isPlaying) return;
    // The running timer was set for the old speed.
    clearTimeout(this.#timer);
    this.#plan();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.onChange(false);
  }

  #plan() {
    const moment = this.viewer.reader.beside(1);
    if (moment === null) {
      this.stop();
      return;
    }
    this.#timer = window.setTimeout(() => {
      // Announce entries only at normal speed; a screen reader could not follow faster.
      this.viewer.go(moment, { isQuiet: this.speed > 1 });
      this.#plan();
    }, this.wait(moment));
  }

  /**
   * How long to wait before the next moment.
   *
   * @param {Moment} moment
   */
  wait(moment) {
    const { times, at } = this.viewer.reader;
    if (moment.frame !== null || moment.scene === at.scene) return CHECKER_MS / this.speed;
    if (times === null) return PAUSE_MS / this.speed;
    const real = times[moment.scene] - times[at.scene];
    const told = this.skipsIdle && real > IDLE_MS ? SKIPPED_MS : real;
    return Math.max(told, 100) / this.speed;
  }
}

/**
 * @param {string} key
 * @param {string} sign
 * @param {() => void} press
 */
function button(key, sign, press) {
  const label = t(`replay.${key}`);
  return h(
    "button",
    { type: "button", class: "step", title: label, dataset: { key }, on: { click: press } },
    h("span", { "aria-hidden": "true" }, sign),
    h("span", { class: "unseen" }, label),
  );
}

/**
 * The row of buttons under the board.
 *
 * @param {Viewer} viewer
 * @param {Player} player
 */
export function transport(viewer, player) {
  const go = (/** @type {() => Moment | null} */ find) => () => viewer.go(find());
  const last = () => viewer.reader.momentOf(Infinity);
  const playing = button("play", "▶", () => player.toggle());
  player.onChange = (isPlaying) => {
    const label = t(isPlaying ? "replay.pause" : "replay.play");
    playing.title = label;
    playing.children[0].textContent = isPlaying ? "Ⅱ" : "▶";
    playing.children[1].textContent = label;
  };
  return h(
    "div",
    { class: "transport unprinted", role: "group", "aria-label": t("replay.transport") },
    h(
      "div",
      { class: "steps" },
      button("first", "|‹", go(() => viewer.reader.momentOf(0))),
      button("previous_turn", "«", go(() => viewer.reader.turnBeside(-1))),
      button("previous", "‹", go(() => viewer.reader.beside(-1))),
      playing,
      button("next", "›", go(() => viewer.reader.beside(1))),
      button("next_turn", "»", go(() => viewer.reader.turnBeside(1))),
      button("last", "›|", go(last)),
    ),
  );
}

/**
 * The rarely used choices for stepping and playing, below the timeline.
 *
 * @param {Viewer} viewer
 * @param {Player} player
 */
export function choices(viewer, player) {
  return h(
    "div",
    { class: "transport unprinted", role: "group", "aria-label": t("replay.choices") },
    h(
      "div",
      { class: "row options" },
      measure(viewer),
      h("label", { class: "choice" }, `${t("replay.speed")} `, speeds(player)),
      skipping(player),
    ),
    disputes(viewer),
  );
}

/** Buttons for the next and previous dispute, if there is one. @param {Viewer} viewer */
function disputes(viewer) {
  const way = (/** @type {string} */ key, /** @type {1 | -1} */ direction) =>
    h("button", { type: "button", on: { click: () => disputed(viewer, direction) } }, t(`replay.${key}`));
  const row = h(
    "div",
    { class: "row options" },
    way("previous_disputed", -1),
    way("next_disputed", 1),
  );
  const show = () => {
    row.hidden = !viewer.reader.scenes.some((scene) => scene.is_disputed);
  };
  viewer.listen((what) => {
    if (what === "match") show();
  });
  show();
  return row;
}

/**
 * Go to the next or previous disputed entry, or announce that there is none.
 *
 * @param {Viewer} viewer
 * @param {1 | -1} direction
 */
export function disputed(viewer, direction) {
  const moment = viewer.reader.disputedBeside(direction);
  if (moment === null) announce(t("replay.no_disputed"));
  viewer.go(moment);
}

/** @param {Viewer} viewer */
function measure(viewer) {
  const chosen = (/** @type {Event} */ event) => {
    viewer.measure(/** @type {Step} */ (/** @type {HTMLSelectElement} */ (event.target).value));
  };
  const options = /** @type {Step[]} */ (["turns", "entries", "checkers"]).map((step) => {
    const option = h("option", { value: step }, t(`replay.by.${step}`));
    option.selected = step === viewer.reader.step;
    return option;
  });
  const select = h("select", { id: "measure", on: { change: chosen } }, options);
  return h("label", { class: "choice" }, `${t("replay.steps")} `, select);
}

/** @param {Player} player */
function speeds(player) {
  const options = SPEEDS.map((speed) => h("option", { value: String(speed) }, `${speed}×`));
  const select = h("select", { id: "speed" }, options);
  select.addEventListener("change", () => {
    player.hurry(Number(select.value));
  });
  return select;
}

/** @param {Player} player */
function skipping(player) {
  const box = h("input", { type: "checkbox", checked: player.skipsIdle });
  box.addEventListener("change", () => {
    player.skipsIdle = box.checked;
  });
  return h("label", { class: "choice" }, box, ` ${t("replay.skip_idle")}`);
}
