// The state of the replay page: what is shown, and the parts that listen to changes.

import { announce } from "../shared/dom.js";
import { choices } from "../shared/settings.js";
import { t } from "../shared/texts.js";
import { isLastOfTurn, Reader } from "./reader.js";
import { next, told } from "./words.js";

/** @import { Match, Moment, Scene, Setting, Step, Tab } from "./types.js" */

/** The state of the page. Parts listen to changes, and draw themselves from it. */
export class Viewer {
  /** @type {Set<(what: "moment" | "match" | "view") => void>} */
  #listeners = new Set();

  /**
   * @param {Setting} setting
   * @param {Match} match
   */
  constructor(setting, match) {
    this.setting = setting;
    this.reader = new Reader(match);
    /** @type {Tab} */
    this.tab = "after";
    this.isMarked = true;
    this.bottom = choices().bottom;
    this.direction = choices().direction;
    /** Versions that were recorded offline, as far as known. @type {Set<number>} */
    this.offline = new Set();
  }

  get match() {
    return this.reader.match;
  }

  /** Versions at which the chosen rule set differs from the match's own. */
  get contrasts() {
    return new Set(this.match.contrasts.map((one) => one.version));
  }

  get scene() {
    return this.reader.scene;
  }

  /** The part of a play that is shown; null = the whole entry. */
  get frame() {
    const { frame } = this.reader.at;
    return frame === null ? null : (this.scene.frames[frame] ?? null);
  }

  /** @param {(what: "moment" | "match" | "view") => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
  }

  /** @param {"moment" | "match" | "view"} what */
  changed(what) {
    for (const listener of this.#listeners) listener(what);
  }

  /**
   * Show a moment, and announce it; null does nothing.
   *
   * @param {Moment | null} moment
   * @param {{ isQuiet?: boolean }} [options]
   */
  go(moment, { isQuiet = false } = {}) {
    if (moment === null) return;
    const { reader } = this;
    const [left, from] = [this.#told(), reader.place];
    reader.at = moment;
    if (this.tab === "before") this.tab = "after";
    this.changed("moment");
    if (!isQuiet) announce(reader.place < from ? this.#reversal(left) : this.sentence());
  }

  /** @param {Step} step */
  measure(step) {
    this.reader.step = step;
    if (step !== "checkers") this.reader.at = { ...this.reader.at, frame: null };
    if (step === "turns" && !isLastOfTurn(this.reader.scenes, this.reader.at.scene)) {
      this.reader.at = this.reader.turnBeside(1) ?? this.reader.at;
    }
    this.changed("view");
    this.changed("moment");
  }

  /** @param {Tab} tab */
  look(tab) {
    this.tab = tab;
    this.changed("moment");
    announce(t(`replay.${tab}`));
  }

  flip() {
    this.bottom = this.bottom === "one" ? "two" : "one";
    this.changed("moment");
  }

  /**
   * Show the same record with other choices or new entries; the reader's place stays.
   *
   * @param {Match} match
   */
  replace(match) {
    const { version } = this.scene;
    const { step } = this.reader;
    this.reader = new Reader(match);
    this.reader.step = step;
    this.reader.at = this.reader.momentOf(version);
    this.changed("match");
    this.changed("moment");
  }

  /** The moment shown in words, for screen readers. */
  sentence() {
    const { scene, frame } = this;
    const { names } = this.setting;
    if (frame === null) {
      if (this.reader.step === "turns") return this.#turn(scene);
      return [told(scene, names), next(scene, names)].filter(Boolean).join("; ");
    }
    return this.#told();
  }

  /** The words for the entry shown, or for the checker of it that has just moved. */
  #told() {
    const { scene, frame } = this;
    const { names } = this.setting;
    if (frame === null) return told(scene, names);
    return t("replay.checker_step", {
      name: names[scene.seat ?? "one"],
      play: frame.play,
      ...this.#count(),
    });
  }

  /** The number of the checker, and of how many. */
  #count() {
    return { number: (this.reader.at.frame ?? 0) + 1, count: this.scene.frames.length };
  }

  /** @param {Scene} last */
  #turn(last) {
    const { names } = this.setting;
    const { scenes } = this.reader;
    /** @type {string[]} */
    const said = [];
    let isPlayed = false;
    for (let index = this.reader.at.scene; index >= 0; index -= 1) {
      const scene = scenes[index];
      if (scene.game !== last.game || scene.turn !== last.turn) break;
      const isTold = scene === last || scene.tag !== "clock.pressed";
      // A play's words include its roll, so only a roll without a play needs words of its own.
      if (isTold && !(isPlayed && scene.tag === "dice.rolled")) said.unshift(told(scene, names));
      isPlayed ||= scene.tag === "play.made" && scene.facts.dice !== undefined;
    }
    return [...said, next(last, names)].filter(Boolean).join("; ");
  }

  /** @param {string} left the words for what was stepped back over */
  #reversal(left) {
    const back = t("replay.back", { what: left });
    const here =
      this.frame === null
        ? next(this.scene, this.setting.names)
        : t("replay.after_checker", this.#count());
    return [back, here].filter(Boolean).join("; ");
  }
}
