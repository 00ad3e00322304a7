// Forms in dialogs: they take fields, give values, and show why the server refused.

import { dialog, h } from "../shared/dom.js";
import { ApiProblem } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { formed } from "./write.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {"text" | "number" | "long" | "choice" | "select" | "check" | "fold" | "own"} kind
 *   fold = rarely needed fields, collapsed; own = a control made by the caller
 * @property {Field[]} [fields] of a fold
 * @property {boolean} [isOpen] whether a fold is open at first
 * @property {{ element: HTMLElement, value: () => any }} [control] of kind own
 * @property {{ value: string, text: string }[]} [options] of a choice or a select
 * @property {string | number | boolean | null} [value] its initial value
 * @property {string} [list] id of a datalist
 * @property {string} [hint]
 * @property {boolean} [needed]
 * @property {number} [least]
 * @property {boolean} [hasParts] whether a number may have a fraction, such as minutes
 */

/** The highest number that forms accept; entries accept no higher one. */
const MOST = 1_000_000;

/**
 * Open a form, and submit its values; the dialog stays open until that succeeds.
 *
 * @param {string} title
 * @param {readonly Field[]} fields
 * @param {(values: Record<string, any>) => Promise<unknown>} submit
 * @param {{ action?: string, lead?: (Node | string)[], isDanger?: boolean, isWide?: boolean }} [options]
 * @returns {Promise<boolean>} whether it was done
 */
export async function ask(title, fields, submit, { action, lead = [], isDanger = false, isWide = false } = {}) {
  const all = flat(fields);
  /** @type {() => boolean} */
  let mayLeave = () => true;
  formed(true);
  const done = await dialog(
    title,
    (close) => {
      const refusal = h("p", { class: "refusal", role: "alert" });
      const button = h(
        "button",
        { type: "submit", class: isDanger ? "danger" : "primary" },
        action ?? t("common.save"),
      );
      const form = h("form", { class: "stack", novalidate: true }, ...lead, ...fields.map(field));
      form.append(
        h(
          "div",
          { class: "row actions" },
          refusal,
          button,
          h("button", { type: "button", class: "quiet", on: { click: () => close() } }, t("common.cancel")),
        ),
      );
      mayLeave = keepsTyped(form, refusal);
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const given = values(form, all);
        const missing = all.find((one) => one.needed && !given[one.name]);
        if (missing) {
          refusal.textContent = t("room.needed", { field: missing.label });
          return;
        }
        const wrong = all.find((one) => one.kind === "number" && !fits(one, given[one.name]));
        if (wrong) {
          const range = { field: wrong.label, least: wrong.least ?? -MOST, most: MOST };
          refusal.textContent = t(wrong.hasParts ? "room.number" : "room.number_whole", range);
          return;
        }
        button.disabled = true;
        refusal.textContent = "";
        try {
          await submit(values(form, all));
          close("done");
        } catch (error) {
          refusal.textContent = problemText(error);
        } finally {
          button.disabled = false;
        }
      });
      return [form];
    },
    {
      closeText: t("common.close"),
      className: isWide ? "ask wide" : "ask",
      onEscape: () => mayLeave(),
    },
  );
  formed(false);
  return done === "done";
}

/**
 * The same, and fetch the room again once it is done.
 *
 * @param {import("./types").RoomContext} context
 * @param {Parameters<typeof ask>} form
 */
export async function askAndRefresh(context, ...form) {
  const done = await ask(...form);
  if (done) await context.refresh();
  return done;
}

/**
 * Whether a number is valid for its field; an empty field (null) is.
 *
 * @param {Field} one
 * @param {number | null} value
 */
function fits({ least = -MOST, hasParts = false }, value) {
  return value === null || (value >= least && value <= MOST && (hasParts || Number.isInteger(value)));
}

/**
 * Protect typed input: the first Escape, easily hit by mistake, only warns; the second one closes.
 *
 * @param {HTMLElement} form
 * @param {HTMLElement} told where to warn that input would be lost
 * @returns {() => boolean} whether the form may be left
 */
export function keepsTyped(form, told) {
  let isTouched = false;
  const touched = () => {
    isTouched = true;
  };
  form.addEventListener("input", touched);
  form.addEventListener("tb-tap", touched);
  return () => {
    const mayLeave = !isTouched;
    if (!mayLeave) told.textContent = t("panel.escape_again");
    // After more input, warn again.
    isTouched = false;
    return mayLeave;
  };
}

/**
 * What went wrong, in words that tell the reader what to do.
 *
 * @param {unknown} error
 */
export function problemText(error) {
  if (error instanceof ApiProblem) {
    if (error.status === 0) return t("room.no_answer");
    const advice = error.body.advice ? ` ${error.body.advice}` : "";
    return `${error.message}${advice}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * All fields in order, including those of folds.
 *
 * @param {readonly Field[]} fields
 * @returns {Field[]}
 */
function flat(fields) {
  return fields.flatMap((one) => (one.kind === "fold" ? flat(one.fields ?? []) : [one]));
}

/** @param {Field} one @returns {HTMLElement} */
function field(one) {
  if (one.kind === "own" && one.control) return one.control.element;
  if (one.kind === "fold") {
    return h(
      "details",
      { class: "more", open: one.isOpen === true },
      h("summary", null, one.label),
      h("div", { class: "stack" }, (one.fields ?? []).map(field)),
    );
  }
  const id = `field-${one.name}`;
  const hint = one.hint ? h("small", { id: `${id}-hint`, class: "muted" }, one.hint) : null;
  const common = { id, name: one.name, "aria-describedby": hint ? `${id}-hint` : null };
  if (one.kind === "choice") {
    return h(
      "fieldset",
      { class: "choice" },
      h("legend", null, one.label),
      h(
        "div",
        { class: "chips" },
        (one.options ?? []).map((option) =>
          h(
            "label",
            { class: "chip" },
            h("input", {
              type: "radio",
              name: one.name,
              value: option.value,
              checked: option.value === one.value,
            }),
            h("span", null, option.text),
          ),
        ),
      ),
      hint,
    );
  }
  if (one.kind === "check") {
    return h(
      "label",
      { class: "chip" },
      h("input", { ...common, type: "checkbox", checked: one.value === true }),
      h("span", null, one.label),
      hint,
    );
  }
  let input;
  if (one.kind === "select") {
    input = h(
      "select",
      common,
      (one.options ?? []).map((option) =>
        h("option", { value: option.value, selected: option.value === one.value }, option.text),
      ),
    );
  } else if (one.kind === "long") {
    input = h("textarea", { ...common, rows: 2 }, String(one.value ?? ""));
  } else {
    input = h("input", {
      ...common,
      type: one.kind,
      value: String(one.value ?? ""),
      list: one.list ?? null,
      min: one.least ?? null,
      step: one.kind === "number" && one.hasParts ? "any" : null,
      autocomplete: "off",
    });
  }
  return h("div", { class: "field" }, h("label", { for: id }, one.label), input, hint);
}

/**
 * @param {HTMLFormElement} form
 * @param {readonly Field[]} fields
 * @returns {Record<string, any>}
 */
function values(form, fields) {
  const data = new FormData(form);
  return Object.fromEntries(
    fields.map((one) => {
      if (one.kind === "own") return [one.name, one.control?.value() ?? null];
      const raw = data.get(one.name);
      if (one.kind === "check") return [one.name, raw !== null];
      if (one.kind === "number") return [one.name, raw === null || raw === "" ? null : Number(raw)];
      return [one.name, raw === null || raw === "" ? null : String(raw)];
    }),
  );
}
