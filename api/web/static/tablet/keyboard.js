// The whole recorder by keyboard; the sheet of `?` says the same.

import { announce } from "../dom.js";
import { t } from "../texts.js";

/** @typedef {import("./recorder.js").Recorder} Recorder */
/** @typedef {import("./screen.js").Screen} Screen */

/** Keys and the texts that say what they do, in the order of the help. */
export const KEYS = /** @type {const} */ ([
  ["1–6 1–6", "dice"],
  ["← ↑ → ↓", "board"],
  ["Enter", "tap"],
  ["p", "played"],
  ["x", "twice"],
  ["u", "undo"],
  ["c", "double"],
  ["t", "take"],
  ["p", "pass"],
  ["k", "clock"],
  ["n", "next"],
  ["y", "confirm"],
  ["d", "call"],
  ["m", "mark"],
  ["f", "flip"],
  ["g", "menu"],
  ["Esc", "escape"],
  ["?", "help"],
]);

/**
 * Listen until the returned function is called.
 * @param {Recorder} recorder
 * @param {Screen} screen
 * @returns {() => void}
 */
export function listenToKeys(recorder, screen) {
  const keys = new Keys(recorder, screen);
  const listen = (/** @type {KeyboardEvent} */ event) => keys.pressed(event);
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

class Keys {
  /** The first of two dice. @type {number | null} */
  #first = null;

  /**
   * @param {Recorder} recorder
   * @param {Screen} screen
   */
  constructor(recorder, screen) {
    this.recorder = recorder;
    this.screen = screen;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    if (target instanceof HTMLElement && target.matches("input, select, textarea")) return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (/^[1-6]$/.test(key)) {
      this.#digit(Number(key));
      event.preventDefault();
      return;
    }
    this.#first = null;
    const act = this.#acts()[key.length === 1 ? key.toLowerCase() : key];
    if (act === undefined) return;
    event.preventDefault();
    void act();
  }

  /** @param {number} die */
  #digit(die) {
    if (this.#first === null) {
      this.#first = die;
      announce(t("tablet.first_die", { die }));
      return;
    }
    const first = this.#first;
    this.#first = null;
    const isLower = this.screen.bottom === "one";
    void this.recorder.keyed(isLower ? first : die, isLower ? die : first);
  }

  /** @returns {Record<string, () => unknown>} */
  #acts() {
    const { recorder, screen } = this;
    const { clock, to_act } = recorder.table;
    return {
      u: () => recorder.undo(),
      c: () => recorder.double(),
      d: () => recorder.call(),
      m: () => recorder.mark(),
      x: () => recorder.twice(),
      f: () => screen.flip(),
      g: () => screen.openMenu(),
      "?": () => screen.openHelp(),
      p: () => recorder.playedOrPassed(),
      t: () => recorder.answer("cube.double_taken"),
      k: () => recorder.clock.press(clock?.running ?? to_act ?? "one"),
      n: () => screen.next(),
      y: () => screen.confirmNext(),
      Escape: () => (recorder.fixing ? recorder.undo() : undefined),
    };
  }
}
