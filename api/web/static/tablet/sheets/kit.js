// What all sheets share: opening, checking, recording with the time of the act, closing.

/** @import { Act, Entry, SheetContext } from "../../shared/types.js" */

import { announce, dialog, fill, h, settleKeys } from "../../shared/dom.js";
import { hasText, t } from "../../shared/texts.js";
import { troubleWords } from "../acts/recording.js";

/**
 * A value of a choice, and its label.
 * @template T
 * @typedef {readonly [T, string]} Option
 */

/**
 * A field on a sheet.
 * @template T
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => T} value what was filled in; null if nothing
 * @property {() => boolean} check whether it can be recorded; if not, it shows what is missing
 */

/**
 * An open sheet.
 * @typedef {object} Sheet
 * @property {(...nodes: (Node | string | null)[]) => void} show replace its content
 * @property {(...acts: Act[]) => Promise<Entry[] | null>} record record all acts or none, then
 *   close; null if they could not be recorded, for a reason that the sheet shows
 * @property {(...acts: Act[]) => Promise<Entry[] | null>} keep the same, but the sheet stays open
 * @property {(problem: string) => void} say show what went wrong
 * @property {() => void} close
 */

/**
 * A text of the sheets.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function words(name, values) {
  return t(`tablet.sheet_${name}`, values);
}

/** The message that and why something could not be recorded. @param {unknown} error */
export function notRecorded(error) {
  return t("tablet.trouble", { why: troubleWords(error) });
}

/**
 * Words of the record with their texts, as options.
 * @template {string} W
 * @param {string} prefix
 * @param {readonly W[]} all
 * @returns {Option<W>[]}
 */
export function options(prefix, all) {
  return all.map((word) => [word, words(`${prefix}_${word}`)]);
}

/**
 * The name of a tag; a tag without a text is returned as it is.
 * @param {string} tag
 */
export function tagWords(tag) {
  const key = `entry.${tag}.name`;
  return hasText(key) ? t(key) : tag;
}

/**
 * A body without empty members.
 * @param {Record<string, any>} body
 * @returns {Record<string, any>}
 */
export function told(body) {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => {
      if (value === null || value === undefined || value === "") return false;
      return !(Array.isArray(value) && value.length === 0);
    }),
  );
}

/** Tags of acts that a cancelled match does not allow. */
const PLAYED_ON = /^(game|dice|play|turn|cube|clock|resignation|claim|position|score|result|match)\./;

/** Tags of acts that are possible only during a game. */
const IN_GAME = /^(dice\.rolled|cube\.double_offered|resignation\.offered)/;

/**
 * Why an act is impossible as the table is; null if it is possible. If it were recorded, the server
 * would park it and everything after it.
 *
 * @param {SheetContext} context
 * @param {Act} act
 */
function lacking({ names, table }, { body, tag }) {
  const { asked, awaits, in_game, resigning } = table();
  /** @type {"one" | "two"} */
  const seat = body.seat;
  const name = names[seat];
  if (awaits === "cancelled" && PLAYED_ON.test(tag)) return t("tablet.cancelled");
  if (tag === "game.started" && in_game) return words("in_game");
  if (IN_GAME.test(tag) && !in_game) return words("not_in_game");
  if (/^cube\.(double_taken|double_dropped|beavered)/.test(tag)) {
    return asked.includes(seat) ? null : words("not_doubled", { name });
  }
  if (!/^resignation\.(accepted|refused)/.test(tag)) return null;
  return resigning && resigning.seat !== seat ? null : words("not_resigned", { name });
}

/**
 * Open a sheet; resolves when it is closed, with whether something was recorded.
 *
 * @param {SheetContext} context
 * @param {string} name of the sheet: its title is the text `tablet.sheet_<name>`
 * @param {(sheet: Sheet) => (Node | string | null)[]} build
 * @param {string} [className]
 * @returns {Promise<boolean>}
 */
export async function openSheet(context, name, build, className = "") {
  const title = words(name);
  const body = h("div", { class: "sheet-body" });
  const problem = h("p", { class: "sheet-problem", role: "alert" });
  let hasRecorded = false;
  let isBusy = false;
  let isTouched = false;
  const known = new Set();
  const unknown = () => {
    const found = context.outbox.entries.filter(({ entry_id }) => !known.has(entry_id));
    for (const { entry_id } of found) known.add(entry_id);
    return found;
  };
  unknown();

  /** @param {Act[]} acts */
  const keep = async (acts) => {
    // A double tap is one act.
    if (isBusy) return null;
    problem.textContent = acts.map((one) => lacking(context, one)).find(Boolean) ?? "";
    if (problem.textContent) return null;
    isBusy = true;
    const at_ms = context.atMs();
    try {
      await context.before?.(acts);
      const entries = await context.outbox.recordAll(
        acts.map((one) => ({ ...one, body: told({ ...one.body, at_ms }) })),
      );
      hasRecorded = true;
      unknown();
      context.changed();
      return entries;
    } catch (error) {
      problem.textContent = notRecorded(error);
      return null;
    } finally {
      isBusy = false;
    }
  };

  let heard = () => {};
  await dialog(
    title,
    (close) => {
      /** @type {Sheet} */
      const sheet = {
        show: (...nodes) => fill(body, ...nodes),
        keep: (...acts) => keep(acts),
        record: async (...acts) => {
          const entries = await keep(acts);
          if (entries !== null) close("recorded");
          return entries;
        },
        say: (text) => {
          problem.textContent = text;
        },
        close: () => close(),
      };
      const begin = () => {
        fill(body, ...build(sheet));
        // Focus the first chip and not the key that closes the sheet.
        body.querySelector("button")?.setAttribute("autofocus", "");
      };
      begin();
      for (const type of ["input", "click"]) body.addEventListener(type, () => (isTouched = true));
      // Another person's entry may change what the sheet offers: rebuild it, or, if something is
      // filled in already, only say so.
      heard = () => {
        const [last] = isBusy ? [] : unknown().filter(({ tag }) => tagWords(tag) !== tag).reverse();
        if (last === undefined) return;
        if (isTouched) return sheet.say(words("meanwhile", { what: tagWords(last.tag) }));
        const hadFocus = body.contains(document.activeElement);
        begin();
        settleKeys(body, hadFocus);
      };
      context.outbox.addEventListener("change", heard);
      return [body, problem];
    },
    { className: `tablet-sheet ${className}`.trim(), closeText: t("common.close") },
  );
  context.outbox.removeEventListener("change", heard);
  if (hasRecorded) announce(words("recorded", { what: title }));
  return hasRecorded;
}

/**
 * The key that records the acts, if all fields are valid.
 *
 * @param {Sheet} sheet
 * @param {readonly Pick<Field<any>, "check">[]} fields
 * @param {() => Act | readonly Act[]} acts
 * @param {string} [text]
 */
export function recordKey(sheet, fields, acts, text = words("record")) {
  const record = () => {
    const isWhole = fields.map((field) => field.check()).every(Boolean);
    if (!isWhole) return;
    const made = acts();
    sheet.record(.../** @type {Act[]} */ (Array.isArray(made) ? made : [made]));
  };
  return h(
    "div",
    { class: "sheet-foot" },
    h("button", { type: "button", class: "primary", on: { click: record } }, text),
  );
}

/**
 * Keys that act at once, under a legend.
 *
 * @template T
 * @param {string} legend
 * @param {readonly Option<T>[]} all
 * @param {(value: T) => void} act
 */
export function keys(legend, all, act) {
  return h(
    "fieldset",
    { class: "sheet-keys" },
    h("legend", null, legend),
    h(
      "div",
      { class: "chips" },
      all.map(([value, label]) =>
        h("button", { type: "button", class: "sheet-key", on: { click: () => act(value) } }, label),
      ),
    ),
  );
}

/**
 * A form: fields, and the key that records them.
 *
 * @param {Sheet} sheet
 * @param {Record<string, Field<any>>} fields by the members of the body, in the order of the sheet
 * @param {string | ((said: Record<string, any>) => Act | Act[])} act makes acts of the values; or
 *   the tag, if the values are the body
 * @returns {Node[]}
 */
export function form(sheet, fields, act) {
  const all = Object.values(fields);
  const made = () => {
    const said = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value()]));
    return typeof act === "string" ? { tag: act, body: said } : act(said);
  };
  return [...all.map((field) => field.element), recordKey(sheet, all, made)];
}

/**
 * Rarely used content, collapsed under a summary.
 *
 * @param {string} summary
 * @param {...(Node | string | null)} children
 */
export function more(summary, ...children) {
  return h("details", { class: "more" }, h("summary", null, summary), ...children);
}
