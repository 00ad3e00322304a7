// Blocks of fields about a tournament: its facts, its rules, the defaults of its matches.

import { dialog, h } from "../shared/dom.js";
import { hasText, t } from "../shared/texts.js";
import { problemText } from "./forms.js";

/**
 * A block of fields; `read` gives members of a body, or throws an error with a text for the user.
 * @typedef {{ element: HTMLElement, read(): Record<string, any> }} Part
 */

/**
 * A rule set with its options, their defaults, and the values that they may be set to.
 * @typedef {{ id: string, title: string, options: Record<string, any>,
 *   choices: Record<string, any[]> }} RuleSet
 */

const MINUTE_MS = 60_000;

/** The values of options that are chosen from a list. */
const CHOICES = /** @type {Record<string, any[]>} */ ({
  moves_policy: ["legal", "responsible", "opponent_condones"],
  dice_on_checkers: ["valid", "invalid"],
  crawford: ["on", "off"],
  jacoby: ["on", "off"],
  beavers: ["on", "off"],
  automatic_doubles: ["off", 1, 2, 3],
  rated: [true, false],
  dice_count: [2, 4],
  baffle_box: ["preference", "option", "off"],
  clock_use: ["preference", "option", "obligation"],
  event_kind: ["open", "other_skill", "doubles", "other"],
  gaps_from: ["usbgf-2017-07"],
});

/** Options whose value is a free text. */
const WRITTEN = ["notice"];

/** @returns {RuleSet[]} the known rule sets, which are embedded in the page */
function ruleSets() {
  const text = document.querySelector('meta[name="rule-sets"]')?.getAttribute("content");
  return text ? JSON.parse(text) : [];
}

/** @param {string} id */
export function ruleSetTitle(id) {
  return ruleSets().find((one) => one.id === id)?.title ?? id;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Record<string, any>} [props]
 * @param {string} [hint]
 */
export function field(name, label, props = {}, hint = "") {
  const id = `part-${name}`;
  const control = h("input", {
    id,
    name,
    autocomplete: "off",
    "aria-describedby": hint ? `${id}-hint` : null,
    ...props,
  });
  const note = hint ? h("small", { id: `${id}-hint`, class: "muted" }, hint) : null;
  return { control, element: h("div", { class: "field" }, h("label", { for: id }, label), control, note) };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {{ value: string, text: string }[]} options
 * @param {string} value
 */
export function select(name, label, options, value) {
  const id = `part-${name}`;
  const control = h(
    "select",
    { id, name },
    options.map((one) => h("option", { value: one.value, selected: one.value === value }, one.text)),
  );
  return { control, element: h("div", { class: "field" }, h("label", { for: id }, label), control) };
}

/** @param {HTMLInputElement} control */
const textOf = (control) => control.value.trim() || null;

/** @param {HTMLInputElement} control @param {string} label @returns {number | null} */
function numberOf(control, label) {
  if (control.value.trim() === "" && !control.validity.badInput) return null;
  const value = control.valueAsNumber;
  const least = control.min === "" ? 0 : Number(control.min);
  if (!Number.isFinite(value) || value < least) throw new Error(t("tournament.wrong_number", { field: label }));
  return value;
}

/**
 * The block for the tournament's title, dates, place and organiser.
 *
 * @param {Record<string, any>} now
 * @returns {Part & { title: HTMLInputElement }}
 */
export function factsPart(now = {}) {
  const title = field("title", t("tournament.name"), { value: now.title ?? "", required: true, maxlength: 200 });
  const starts = field("starts_on", t("tournament.starts_on"), { type: "date", value: now.starts_on ?? "" });
  const ends = field("ends_on", t("tournament.ends_on"), { type: "date", value: now.ends_on ?? "" });
  const place = field("place", t("tournament.place"), { value: now.place ?? "", maxlength: 200 });
  const organiser = field("organiser", t("tournament.organiser"), { value: now.organiser ?? "", maxlength: 200 });
  return {
    title: title.control,
    element: h(
      "div",
      { class: "stack" },
      title.element,
      h("div", { class: "side-by-side" }, starts.element, ends.element),
      h("div", { class: "side-by-side" }, place.element, organiser.element),
    ),
    read() {
      const said = {
        title: textOf(title.control),
        starts_on: textOf(starts.control),
        ends_on: textOf(ends.control),
        place: textOf(place.control),
        organiser: textOf(organiser.control),
      };
      if (said.title === null) throw new Error(t("room.needed", { field: t("tournament.name") }));
      if (said.starts_on && said.ends_on && said.ends_on < said.starts_on) {
        throw new Error(t("tournament.ends_before"));
      }
      return said;
    },
  };
}

/**
 * The block for the rule set, and for options that differ from its text.
 *
 * @param {{ rule_set?: string | null, options?: Record<string, any> }} now
 * @returns {Part}
 */
export function rulesPart(now = {}) {
  const sets = ruleSets();
  const chosen = now.rule_set ?? "common";
  const rules = select(
    "rule_set",
    t("room.rules"),
    sets.map(({ id, title }) => ({ value: id, text: `${title} (${id})` })),
    chosen,
  );
  const place = h("div", { class: "options" });
  /** @type {{ key: string, control: HTMLSelectElement | HTMLInputElement }[]} */
  let shown = [];
  const draw = () => {
    const { options: provided = {}, choices = {} } = sets.find(({ id }) => id === rules.control.value) ?? {};
    shown = [];
    place.replaceChildren();
    for (const [key, usual] of Object.entries(provided)) {
      const given = now.options?.[key]?.value;
      if (WRITTEN.includes(key)) {
        const made = field(`option-${key}`, optionText(key), { value: given ?? "", maxlength: 400 });
        shown.push({ key, control: made.control });
        place.append(made.element);
      } else if (key in CHOICES) {
        const usually =
          usual === null ? t("tournament.option_open") : t("tournament.option_usual", { value: valueText(key, usual) });
        const made = select(
          `option-${key}`,
          optionText(key),
          [
            { value: "", text: usually },
            ...(choices[key] ?? CHOICES[key]).map((value) => ({ value: JSON.stringify(value), text: valueText(key, value) })),
          ],
          given === undefined || given === null ? "" : JSON.stringify(given),
        );
        shown.push({ key, control: made.control });
        place.append(made.element);
      }
    }
  };
  rules.control.addEventListener("change", draw);
  draw();
  const isVaried = Object.keys(now.options ?? {}).length > 0;
  return {
    element: h(
      "div",
      { class: "stack" },
      rules.element,
      h(
        "details",
        { open: isVaried },
        h("summary", { class: "button quiet" }, t("tournament.options")),
        h("p", { class: "muted" }, t("tournament.options_about")),
        place,
      ),
    ),
    read() {
      /** @type {Record<string, any>} */
      const options = {};
      // Options without a field here, because they were declared elsewhere, are kept.
      const provided = sets.find(({ id }) => id === rules.control.value)?.options ?? {};
      for (const [key, option] of Object.entries(now.options ?? {})) {
        if (key in provided && !shown.some((one) => one.key === key)) options[key] = option;
      }
      for (const { key, control } of shown) {
        if (control.value.trim() === "") continue;
        const value = WRITTEN.includes(key) ? control.value.trim() : JSON.parse(control.value);
        options[key] = { value, declared_by: "director" };
      }
      return { rule_set: rules.control.value, ...(Object.keys(options).length ? { options } : {}) };
    },
  };
}

/**
 * The block for the defaults of new matches: length, clock, and who may follow live.
 *
 * @param {import("./types").TournamentLine["defaults"]} now
 * @returns {Part}
 */
export function defaultsPart(now = {}) {
  const terms = now.clock_terms;
  const length = field(
    "length",
    t("tournament.length"),
    { type: "number", min: 1, max: 99, step: 1, value: now.length ?? "" },
    t("tournament.length_about"),
  );
  const clock = clockPart(terms ?? null);
  const follow = followPart(now.publication ?? null);
  return {
    element: h("div", { class: "stack" }, length.element, clock.element, follow.element),
    read() {
      const points = numberOf(length.control, t("tournament.length"));
      if (points !== null && !Number.isInteger(points)) {
        throw new Error(t("tournament.wrong_number", { field: t("tournament.length") }));
      }
      return { ...(points === null ? {} : { length: points }), ...clock.read(), ...follow.read() };
    },
  };
}

/**
 * The block for the clock; without a clock, `clock_terms` is omitted.
 *
 * @param {{ kind: string, reserve_ms: number, delay_ms?: number } | null} terms
 * @returns {Part}
 */
export function clockPart(terms) {
  const kinds = ["none", "simple", "bronstein", "fischer"];
  const kind = select(
    "clock_kind",
    t("tournament.clock"),
    kinds.map((value) => ({ value, text: t(`tournament.clock_${value}`) })),
    terms?.kind ?? "none",
  );
  const minutes = field("reserve", t("room.clock_minutes"), {
    type: "number",
    min: 0,
    step: "any",
    value: terms ? terms.reserve_ms / MINUTE_MS : "",
  });
  const delay = field("delay", t("room.clock_delay"), {
    type: "number",
    min: 0,
    step: "any",
    value: terms ? (terms.delay_ms ?? 0) / 1000 : "12",
  });
  const row = h("div", { class: "side-by-side" }, minutes.element, delay.element);
  const sync = () => (row.hidden = kind.control.value === "none");
  kind.control.addEventListener("change", sync);
  sync();
  return {
    element: h("div", { class: "stack" }, kind.element, row),
    read() {
      if (kind.control.value === "none") return {};
      const reserve = numberOf(minutes.control, t("room.clock_minutes"));
      if (!reserve) throw new Error(t("room.needed", { field: t("room.clock_minutes") }));
      const wait = numberOf(delay.control, t("room.clock_delay")) ?? 0;
      return {
        clock_terms: {
          kind: kind.control.value,
          reserve_ms: Math.round(reserve * MINUTE_MS),
          delay_ms: Math.round(wait * 1000),
        },
      };
    },
  };
}

/**
 * The block for who may follow live: nothing is preselected, and "yes" needs a delay.
 *
 * @param {{ public?: boolean, delay_ms?: number } | null} now
 * @param {string} [question]
 * @returns {Part}
 */
export function followPart(now, question = t("tournament.follow")) {
  /** @param {string} value @param {boolean} checked */
  const radio = (value, checked) =>
    h(
      "label",
      { class: "chip" },
      h("input", { type: "radio", name: "follow", value, checked }),
      h("span", null, t(`tournament.follow_${value}`)),
    );
  const behind = field(
    "behind",
    t("tournament.behind"),
    { type: "number", min: 0, step: "any", value: now?.public ? (now.delay_ms ?? 0) / MINUTE_MS : "" },
    t("tournament.behind_about"),
  );
  const chips = h("div", { class: "chips" }, radio("yes", now?.public === true), radio("no", now?.public === false));
  const element = h("fieldset", { class: "choice" }, h("legend", null, question), chips, behind.element);
  const answer = () =>
    /** @type {HTMLInputElement | null} */ (element.querySelector("input[name=follow]:checked"))?.value ?? null;
  const sync = () => (behind.element.hidden = answer() !== "yes");
  chips.addEventListener("change", sync);
  sync();
  return {
    element,
    read() {
      if (answer() === null) return {};
      if (answer() === "no") return { publication: { public: false } };
      const minutes = numberOf(behind.control, t("tournament.behind"));
      if (minutes === null) throw new Error(t("tournament.behind_needed"));
      return { publication: { public: true, delay_ms: Math.round(minutes * MINUTE_MS) } };
    },
  };
}

/**
 * The block for the reason of a change, which is optional.
 *
 * @returns {Part}
 */
export function reasonPart() {
  const reason = field("reason", t("room.reason"));
  const said = () => reason.control.value.trim();
  return { element: reason.element, read: () => (said() ? { reason: said() } : {}) };
}

/** @param {string} key */
export function optionText(key) {
  return hasText(`tournament.option_${key}`) ? t(`tournament.option_${key}`) : key;
}

/** @param {string} key @param {any} value */
export function valueText(key, value) {
  const name = `tournament.value_${key}_${value}`;
  if (hasText(name)) return t(name);
  if (value === true || value === "on") return t("tournament.value_on");
  if (value === false || value === "off") return t("tournament.value_off");
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}

/**
 * Open a dialog with such blocks; it stays open, showing errors, until submitting succeeds.
 *
 * @param {string} title
 * @param {readonly (Node | Part)[]} parts
 * @param {(said: Record<string, any>) => Promise<unknown>} submit gets the members of all blocks
 * @param {{ action?: string }} [options]
 * @returns {Promise<boolean>} whether it was done
 */
export async function askParts(title, parts, submit, { action = t("common.save") } = {}) {
  const done = await dialog(
    title,
    (close) => [
      partsForm(parts, async (said) => {
        await submit(said);
        close("done");
      }, action),
    ],
    { className: "wide", closeText: t("common.close") },
  );
  return done === "done";
}

/**
 * The same as a form within a page.
 *
 * @param {readonly (Node | Part)[]} parts
 * @param {(said: Record<string, any>) => Promise<unknown>} submit
 * @param {string} action
 */
export function partsForm(parts, submit, action) {
  const refusal = h("p", { class: "refusal", role: "alert" });
  const button = h("button", { type: "submit", class: "primary" }, action);
  const form = h(
    "form",
    { class: "stack", novalidate: true },
    ...parts.map((part) => (part instanceof Node ? part : part.element)),
    refusal,
    h("div", { class: "row" }, button),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    refusal.textContent = "";
    button.disabled = true;
    try {
      const said = {};
      for (const part of parts) if (!(part instanceof Node)) Object.assign(said, part.read());
      await submit(said);
    } catch (error) {
      refusal.textContent = problemText(error);
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
