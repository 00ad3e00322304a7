// Keyboard control of the whole recorder; the help on `?` lists the same keys.

import { placeOf } from "../../board/position.js";
import { t } from "../../shared/texts.js";

/** @import { TbBoard } from "../../board/element.js" */
/** @import { Seat } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */
/** @typedef {import("../screen/screen.js").Screen} Screen */

/** Keys and the names of the texts that explain them, in the order of the help. */
export const KEYS = /** @type {const} */ ([
  ["1–6 1–6", "dice"],
  [". 8", "point"],
  [". 1 3", "long_point"],
  ["b, o", "bar_off"],
  ["← ↑ → ↓", "board"],
  ["Enter", "tap"],
  ["p", "played"],
  ["x", "twice"],
  ["a", "as_played"],
  ["q 1", "answer"],
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

/** Digits that name a point. */
const POINT = /^(0?[1-9]|1\d|2[0-4])$/;

/** Digits that another digit can still complete to a point. */
const OPEN = /^[012]?$/;

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

/**
 * Listen to keys until the returned function is called.
 * @param {Recorder} recorder
 * @param {Screen} screen
 * @returns {() => void}
 */
export function listenToKeys(recorder, screen) {
  const keys = new Keys(recorder, screen);
  const off = new AbortController();
  const { signal } = off;
  // In the capture phase, before the board: Enter after a number confirms that number.
  document.addEventListener("keydown", (event) => keys.pressed(event), { capture: true, signal });
  document.addEventListener("pointerdown", () => keys.touched(), { capture: true, signal });
  // A closing sheet or a key that disappears may leave the focus nowhere.
  document.addEventListener("close", () => keys.keepFocus(), { capture: true, signal });
  recorder.addEventListener("change", () => keys.keepFocus(), { signal });
  return () => off.abort();
}

class Keys {
  /** The first of two dice. @type {number | null} */
  #first = null;
  /** The digits of a point so far; null = none typed. @type {string | null} */
  #point = null;
  /** Whether the next digit chooses an answer to the question on the screen. */
  #isAnswering = false;
  /** Whether the last gesture came from a keyboard. */
  #isKeyed = false;
  /** How many arrow keys were pressed so far. */
  #arrows = 0;

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
    this.#isKeyed = true;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    if (target instanceof HTMLElement && target.matches("input, select, textarea")) return;
    if (document.querySelector("dialog[open]") !== null) return;
    // On some keyboards digits need Shift, so Shift alone ends nothing.
    if (key === "Shift") return;
    if (ARROWS.has(key)) this.#arrows += 1;
    // A key that is held down counts once.
    else if (event.repeat && /^(.|Enter)$/.test(key)) return event.preventDefault();
    if (this.#act(key.length === 1 ? key.toLowerCase() : key)) {
      event.preventDefault();
      event.stopPropagation();
    }
    // Tab may leave the page.
    if (key !== "Tab") this.keepFocus();
  }

  /** After a touch or click: drop half-typed input, and leave the focus alone. */
  touched() {
    if (this.#isAnswering || this.#first !== null || this.#point !== null) this.#tell("");
    this.#isKeyed = this.#isAnswering = false;
    this.#first = this.#point = null;
  }

  /**
   * For people who type: if the focused element has disappeared, focus the board.
   */
  keepFocus() {
    if (!this.#isKeyed) return;
    // Wait for the frame that redraws: it may remove the focused element.
    requestAnimationFrame(() => setTimeout(() => this.#home()));
  }

  #home() {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (!isLost || !document.hasFocus() || document.querySelector("dialog[open]") !== null) return;
    this.#toBoard();
  }

  /** @returns {TbBoard | null} */
  get #board() {
    return this.screen.element.querySelector("tb-board");
  }

  /** Focus the column that the arrow keys reached last. */
  #toBoard() {
    const column = this.#board?.querySelector('.column[tabindex="0"]');
    if (column instanceof SVGElement) column.focus();
  }

  /** @param {string} key @returns {boolean} whether the key does something here */
  #act(key) {
    if (this.#isAnswering) {
      this.#isAnswering = false;
      this.#tell("");
      if (/^[1-9]$/.test(key)) this.#answers[Number(key) - 1]?.click();
      // These keys are used up by ending it; any other key has its usual meaning.
      if (/^\d$/.test(key) || ["Escape", "Backspace"].includes(key)) return true;
    }
    if (this.#point !== null && this.#pointGoesOn(key)) return true;
    if (key === "." || key === ",") {
      this.#first = null;
      this.#typing("");
      return true;
    }
    if (/^[1-6]$/.test(key)) {
      this.#die(Number(key));
      return true;
    }
    this.#first = null;
    const isOutside = !this.#board?.contains(document.activeElement);
    const act = ARROWS.has(key) && isOutside ? () => this.#toBoard() : this.#acts()[key];
    if (act === undefined) return false;
    void act();
    return true;
  }

  /** @param {number} die */
  #die(die) {
    if (this.#first === null) {
      this.#first = die;
      this.#tell(t("tablet.first_die", { die }));
      return;
    }
    const first = this.#first;
    this.#first = null;
    const isLower = this.screen.bottom === "one";
    void this.recorder.keyed(isLower ? first : die, isLower ? die : first);
  }

  /**
   * @param {string} key
   * @returns {boolean} whether the key belongs to the number
   */
  #pointGoesOn(key) {
    const typed = this.#point ?? "";
    if (/^\d$/.test(key)) {
      this.#typing(typed + key);
      return true;
    }
    if (key === "Backspace" && typed !== "") {
      this.#typing(typed.slice(0, -1));
      return true;
    }
    this.#point = null;
    this.#tell("");
    if (POINT.test(typed)) this.#tapPoint(typed);
    // These keys only end the number; any other key ends it and has its usual meaning.
    return ["Enter", " ", "Escape", "Backspace"].includes(key);
  }

  /** @param {string} typed */
  #typing(typed) {
    this.#point = OPEN.test(typed) ? typed : null;
    if (this.#point !== null) this.#tell(t("tablet.point_typed", { point: typed }));
    else if (POINT.test(typed)) this.#tapPoint(typed);
    else this.#tell(t("tablet.no_point", { point: typed }));
  }

  /** Tap the point with the number that the board shows. @param {string} typed */
  #tapPoint(typed) {
    const arrows = this.#arrows;
    void this.recorder.tap(() => {
      const place = placeOf(this.screen.numbered, Number(typed));
      // The gesture may have waited: do not move the focus if arrow keys were pressed since.
      if (arrows === this.#arrows) this.#board?.focusPlace(place);
      return place;
    });
  }

  /** Tap both bars or trays: the opponent's is ignored. @param {string} name */
  #tapOwn(name) {
    for (const seat of ["one", "two"]) void this.recorder.tap(`${name}-${seat}`);
  }

  /** Show and announce half-typed input. @param {string} text */
  #tell(text) {
    const note = this.screen.element.querySelector(".note");
    if (note !== null) note.textContent = text;
  }

  /** The answer buttons of the question; empty without one. @returns {HTMLButtonElement[]} */
  get #answers() {
    return [...this.screen.element.querySelectorAll(".question:not([hidden]) button")].filter(
      (key) => key instanceof HTMLButtonElement,
    );
  }

  /** Let the next digit choose an answer by its place. */
  #toAnswer() {
    const { length } = this.#answers;
    this.#isAnswering = length > 0;
    this.#tell(t(length > 0 ? "question.by_number" : "question.none", { last: length }));
  }

  /** Press the clock of a seat; refused if no seat is on roll. @param {Seat | null} seat */
  #press(seat) {
    return seat ? this.recorder.clock.press(seat) : this.recorder.refuse("clock_whose");
  }

  /** @returns {Record<string, () => unknown>} */
  #acts() {
    const { recorder, screen } = this;
    const { awaits, clock } = recorder.table;
    const isResigned = awaits === "resignation";
    return {
      q: () => this.#toAnswer(),
      u: () => recorder.undo(),
      c: () => recorder.double(),
      d: () => recorder.call(),
      m: () => recorder.mark(),
      x: () => recorder.twice(),
      a: () => recorder.asPlayed(),
      b: () => this.#tapOwn("bar"),
      o: () => this.#tapOwn("off"),
      f: () => screen.flip(),
      g: () => screen.openMenu(),
      "?": () => screen.openHelp(),
      p: () => (isResigned ? recorder.answer("resignation.refused") : recorder.playedOrPassed()),
      t: () => recorder.answer(isResigned ? "resignation.accepted" : "cube.double_taken"),
      k: () => this.#press(clock?.running ?? recorder.told.to_act),
      n: () => screen.next(),
      y: () => screen.confirmNext(),
      Escape: () => (recorder.fixing ? recorder.undo() : undefined),
    };
  }
}
