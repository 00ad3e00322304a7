// Fields of sheets: chips, numbers, times, dice and texts, usable by touch and by keyboard.

/** @import { BySeat, Dice, Seat, SheetContext } from "../../shared/types.js" */
/** @import { Field, Option } from "./kit.js" */

import { h } from "../../shared/dom.js";
import { clockWords } from "../acts/words.js";
import { options, words } from "./kit.js";

let made = 0;

/** An id that is unique on the page. */
function freshId() {
  made += 1;
  return `field-${made}`;
}

/**
 * Chips under a legend; arrow keys move between them.
 *
 * @param {string} legend
 * @param {readonly HTMLElement[]} chips
 * @param {string} [className]
 */
function group(legend, chips, className = "") {
  const hint = h("span", { class: "missing" });
  const element = h(
    "fieldset",
    { class: `field ${className}`.trim(), on: { keydown: walk } },
    h("legend", null, legend, " ", hint),
    h("div", { class: "chips" }, chips),
  );
  return { element, hint };
}

/** @param {KeyboardEvent} event */
function walk(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const fieldset = /** @type {HTMLElement} */ (event.currentTarget);
  const chips = /** @type {HTMLElement[]} */ ([...fieldset.querySelectorAll("button")]);
  const at = chips.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (step === undefined || at < 0) return;
  event.preventDefault();
  chips[(at + step + chips.length) % chips.length]?.focus();
}

/**
 * Chips of which at most one is chosen; a second tap on it undoes the choice.
 *
 * @template T
 * @param {string} legend
 * @param {readonly Option<T>[]} all
 * @param {{ value?: T | null, required?: boolean, className?: string,
 *   onChange?: (value: T | null) => void }} [settings]
 * @returns {Field<T | null>}
 */
export function choice(legend, all, settings = {}) {
  const { required = false, className, onChange } = settings;
  /** @type {T | null} */
  let chosen = settings.value ?? null;
  const chips = all.map(([value, label]) =>
    h("button", { type: "button", class: "chip", on: { click: () => pick(value) } }, label),
  );
  const { element, hint } = group(legend, chips, className);
  const show = () => {
    chips.forEach((chip, index) => {
      chip.setAttribute("aria-pressed", String(all[index]?.[0] === chosen));
    });
  };
  /** @param {T} value */
  const pick = (value) => {
    chosen = value === chosen && !required ? null : value;
    hint.textContent = "";
    show();
    onChange?.(chosen);
  };
  show();
  const check = () => {
    const isWhole = !required || chosen !== null;
    hint.textContent = isWhole ? "" : words("missing");
    if (!isWhole) chips[0]?.focus();
    return isWhole;
  };
  return { element, value: () => chosen, check };
}

/**
 * Chips of which any number is chosen; the value has the order of the chips.
 *
 * @template T
 * @param {string} legend
 * @param {readonly Option<T>[]} all
 * @param {{ value?: readonly T[], required?: boolean }} [settings]
 * @returns {Field<T[]>}
 */
export function several(legend, all, { value = [], required = false } = {}) {
  const chosen = new Set(value);
  const chips = all.map(([one, label]) => {
    const chip = h(
      "button",
      { type: "button", class: "chip", "aria-pressed": String(chosen.has(one)) },
      label,
    );
    chip.addEventListener("click", () => {
      if (!chosen.delete(one)) chosen.add(one);
      chip.setAttribute("aria-pressed", String(chosen.has(one)));
      hint.textContent = "";
    });
    return chip;
  });
  const { element, hint } = group(legend, chips);
  const check = () => {
    const isWhole = !required || chosen.size > 0;
    hint.textContent = isWhole ? "" : words("missing");
    if (!isWhole) chips[0]?.focus();
    return isWhole;
  };
  return { element, value: () => all.map(([one]) => one).filter((one) => chosen.has(one)), check };
}

/**
 * A choice of yes or no; neither means not recorded.
 *
 * @param {string} legend
 * @param {{ value?: boolean | null, required?: boolean }} [settings]
 */
export function yesNo(legend, settings) {
  /** @type {Option<boolean>[]} */
  const both = [
    [true, words("yes")],
    [false, words("no")],
  ];
  return choice(legend, both, settings);
}

/**
 * The two players as options.
 *
 * @param {SheetContext} context
 * @returns {Option<Seat>[]}
 */
export function seats(context) {
  return [
    ["one", context.names.one],
    ["two", context.names.two],
  ];
}

/**
 * A choice of one of the players.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {{ value?: Seat | null, required?: boolean,
 *   onChange?: (seat: Seat | null) => void }} [settings]
 */
export function seat(context, legend, settings) {
  return choice(legend, seats(context), settings);
}

/** Persons at a table other than the players. */
const OTHERS = /** @type {const} */ ([
  "both",
  "director",
  "monitor",
  "spectator",
  "official",
]);

/**
 * A choice of who did, called or noticed something: a player, both, or another person.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {{ value?: string | null, required?: boolean, among?: readonly string[] }} [settings]
 */
export function actor(context, legend, { among = OTHERS, ...settings } = {}) {
  /** @type {Option<string>[]} */
  const all = [...seats(context), ...options("actor", among)];
  return choice(legend, all, settings);
}

/**
 * A free text; null if empty.
 *
 * @param {string} legend
 * @param {{ rows?: number, required?: boolean, value?: string }} [settings]
 * @returns {Field<string | null>}
 */
export function note(legend, { rows = 2, required = false, value = "" } = {}) {
  const id = freshId();
  const hint = h("span", { class: "missing" });
  const input =
    rows > 1
      ? h("textarea", { id, rows, maxlength: 2000, value })
      : h("input", { id, type: "text", maxlength: 400, autocomplete: "off", value });
  const element = h("div", { class: "field" }, h("label", { for: id }, legend, " ", hint), input);
  const read = () => input.value.trim() || null;
  const check = () => {
    const isWhole = !required || read() !== null;
    hint.textContent = isWhole ? "" : words("missing_words");
    if (!isWhole) input.focus();
    return isWhole;
  };
  return { element, value: read, check };
}

/**
 * An input with keys that count up and down.
 *
 * @template {number | null} T
 * @param {string} legend
 * @param {{ shown: string, steps: readonly Option<number>[], read: (text: string) => T | undefined,
 *   show: (value: number) => string, least: number, most: number, hint: string }} how
 * @returns {Field<T | null> & { set: (value: number) => void }}
 */
function counted(legend, { shown, steps, read, show, least, most, hint: words_ }) {
  const id = freshId();
  const hint = h("span", { class: "missing" });
  const input = h("input", {
    id,
    class: "number",
    inputmode: "numeric",
    autocomplete: "off",
    value: shown,
  });
  /** @param {number} by */
  const step = (by) => {
    const now = read(input.value) ?? 0;
    set(Math.min(most, Math.max(least, now + by)));
  };
  /** @param {number} value */
  const set = (value) => {
    input.value = show(value);
    hint.textContent = "";
  };
  const stepKeys = steps.map(([by, label]) =>
    h(
      "button",
      {
        type: "button",
        class: "step",
        "aria-label": `${label}, ${legend}`,
        on: { click: () => step(by) },
      },
      label,
    ),
  );
  const half = steps.length / 2;
  const element = h(
    "div",
    { class: "field counted" },
    h("label", { for: id }, legend, " ", hint),
    h("div", { class: "row" }, stepKeys.slice(0, half), input, stepKeys.slice(half)),
  );
  const check = () => {
    const value = read(input.value);
    const isWhole =
      value !== undefined && (value === null || (value >= least && value <= most));
    hint.textContent = isWhole ? "" : words_;
    if (!isWhole) input.focus();
    return isWhole;
  };
  return { element, value: () => read(input.value) ?? null, check, set };
}

/**
 * A field for a whole number.
 *
 * @param {string} legend
 * @param {{ value?: number | null, least?: number, most?: number, required?: boolean }} [settings]
 */
export function number(legend, { value = null, least = 0, most = 1000, required = false } = {}) {
  /** @param {string} text */
  const read = (text) => {
    if (text.trim() === "") return required ? undefined : null;
    return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
  };
  return counted(legend, {
    shown: value === null ? "" : String(value),
    steps: [
      [-1, "−"],
      [1, "+"],
    ],
    read,
    show: String,
    least,
    most,
    hint: words("missing_number", { least, most }),
  });
}

/** The longest time that a sheet accepts: one day. */
const LONGEST_MS = 86_400_000;

/**
 * Milliseconds from a typed time: "12:05", "1:00:00", or "90" as seconds; undefined if it is none.
 * @param {string} text
 */
function readTime(text) {
  const found = /^\s*([-−])?(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,4})\s*$/.exec(text);
  if (found === null) return undefined;
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = found;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === undefined ? ms : -ms;
}

/**
 * A field for minutes and seconds; its value is in milliseconds.
 *
 * @param {string} legend
 * @param {{ value?: number | null, required?: boolean, least?: number }} [settings]
 */
export function time(legend, { value = null, required = false, least = 0 } = {}) {
  /** @param {string} text */
  const read = (text) => {
    if (text.trim() === "") return required ? undefined : null;
    return readTime(text);
  };
  return counted(legend, {
    shown: value === null ? "" : clockWords(value),
    steps: [
      [-60_000, "−1:00"],
      [-1000, "−0:01"],
      [1000, "+0:01"],
      [60_000, "+1:00"],
    ],
    read,
    show: clockWords,
    least,
    most: LONGEST_MS,
    hint: words("missing_time"),
  });
}

/**
 * A field with a number for each player, such as a score.
 *
 * @param {SheetContext} context
 * @param {string} legend
 * @param {(legend: string, value: number | null) => Field<number | null>} make
 * @param {BySeat<number | null>} values
 * @returns {Field<BySeat<number | null>>}
 */
export function bySeat(context, legend, make, values) {
  const one = make(`${legend}, ${context.names.one}`, values.one);
  const two = make(`${legend}, ${context.names.two}`, values.two);
  return {
    element: h("div", { class: "pair seats" }, one.element, two.element),
    value: () => ({ one: one.value(), two: two.value() }),
    check: () => [one.check(), two.check()].every(Boolean),
  };
}

const FACES = /** @type {const} */ ([1, 2, 3, 4, 5, 6]);

/**
 * A choice of a die's face; none = not read.
 * @param {string} legend
 */
export function face(legend) {
  /** @type {Option<number>[]} */
  const all = FACES.map((value) => [value, String(value)]);
  return choice(legend, all, { className: "faces" });
}

/**
 * The 21 pairs as keys: one tap enters both dice.
 *
 * @param {string} legend
 * @param {(dice: Dice) => void} pick
 */
export function pairs(legend, pick) {
  const key = (/** @type {number} */ high, /** @type {number} */ low) =>
    h(
      "button",
      {
        type: "button",
        class: "number",
        "aria-label": `${high}${low}, ${words("roll_key", { high, low })}`,
        style: `grid-area: ${high} / ${low}`,
        on: { click: () => pick([high, low]) },
      },
      `${high}${low}`,
    );
  const all = FACES.flatMap((high) => FACES.slice(0, high).map((low) => key(high, low)));
  return h(
    "fieldset",
    { class: "field" },
    h("legend", null, legend),
    h("div", { class: "pairs" }, all),
  );
}

/**
 * A field for the dice in play, or none.
 *
 * @param {string} legend
 * @returns {Field<Dice | null>}
 */
export function dice(legend) {
  const first = face(words("die", { number: 1 }));
  const second = face(words("die", { number: 2 }));
  const hint = h("span", { class: "missing" });
  const element = h(
    "fieldset",
    { class: "field" },
    h("legend", null, legend, " ", hint),
    first.element,
    second.element,
  );
  /** @returns {Dice | null} */
  const value = () => {
    const [one, two] = [first.value(), second.value()];
    return one === null || two === null ? null : [one, two];
  };
  const check = () => {
    const isWhole = (first.value() === null) === (second.value() === null);
    hint.textContent = isWhole ? "" : words("missing_die");
    return isWhole;
  };
  return { element, value, check };
}
