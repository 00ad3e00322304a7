// Stops all clocks of the hall by one key, as for an alarm, and starts them again.

import { dialog, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { isSilent } from "./clock.js";
import { problemText } from "./forms.js";
import { unlessTouched } from "./touched.js";
import { pairOf } from "./words.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./types").TableLine} TableLine
 * @typedef {{ table: TableLine, trouble: string | null }} Done the outcome at one table
 */

/** The recorded reason of these pauses; tablets and this page have texts for it. */
const REASON = "all_clocks";

/**
 * The keys in the hall's bar, and the function that updates them.
 *
 * @param {RoomContext} context
 */
export function allClocks(context) {
  let isBusy = false;
  const stop = key("stop", () => act(stopped));
  const resume = key("resume", () => act(resumed));

  /** @param {(context: RoomContext) => Promise<void>} doing */
  async function act(doing) {
    if (isBusy) return;
    isBusy = true;
    try {
      await doing(context);
    } finally {
      isBusy = false;
    }
  }

  /** Show only the key that can do something now. */
  function draw() {
    const waiting = standing(context).length;
    stop.hidden = running(context).length === 0;
    resume.hidden = waiting === 0;
    resume.textContent = t("clocks.resume", { n: waiting });
    stop.textContent = t("clocks.stop");
  }
  const update = () => unlessTouched(stop, draw);
  update();
  return { keys: [stop, resume], update };
}

/** @param {string} name @param {() => void} act */
function key(name, act) {
  const props = { type: "button", hidden: true, dataset: { clocks: name }, on: { click: act } };
  return h("button", props);
}

/** @param {RoomContext} context */
function running(context) {
  return (context.room()?.tables ?? []).filter((table) => table.clock?.running);
}

/** The unfinished tables whose clocks were stopped here. @param {RoomContext} context */
function standing(context) {
  const tables = (context.room()?.tables ?? []).filter(({ state }) => state !== "ended");
  return tables.filter(({ clock }) => clock?.paused && !clock.running && clock.pause_reason === REASON);
}

/** @param {RoomContext} context */
async function stopped(context) {
  const now = context.room()?.server_time_ms ?? 0;
  const tables = running(context);
  // Leave out tablets that are silent or have unsent entries: an entry from here would park all of
  // those entries, and the clock at that table would not stop anyway.
  const unheard = tables.filter((table) => isSilent(table, now) || (table.device?.unsent ?? 0) > 0);
  const reached = tables.filter((table) => !unheard.includes(table));
  const done = await each(reached, (table) =>
    append(context.log, table.match_id, [
      { tag: "clock.paused", body: timed(context, table, { reason: REASON, by: "director" }) },
    ]),
  );
  await context.refresh();
  const again = await tell(t("clocks.stopped"), done, unheard, t("clocks.unheard"), standing(context).length > 0);
  if (again) await resumed(context);
}

/** @param {RoomContext} context */
async function resumed(context) {
  const done = await each(standing(context), (table) =>
    append(context.log, table.match_id, [
      { tag: "clock.resumed", body: timed(context, table, { seat: table.clock?.paused }) },
    ]),
  );
  await context.refresh();
  await tell(t("clocks.resumed"), done, [], "", false);
}

/**
 * Do the same at every table, all at once.
 *
 * @param {TableLine[]} tables
 * @param {(table: TableLine) => Promise<unknown>} act
 * @returns {Promise<Done[]>}
 */
function each(tables, act) {
  return Promise.all(
    tables.map(async (table) => {
      try {
        await act(table);
        return { table, trouble: null };
      } catch (error) {
        return { table, trouble: problemText(error) };
      }
    }),
  );
}

/**
 * A body with the time of the act in the match's own time, if that is known.
 *
 * @param {RoomContext} context
 * @param {TableLine} table
 * @param {Record<string, any>} body
 */
function timed(context, table, body) {
  const zero = table.clock?.time_zero ?? null;
  return zero === null ? body : { ...body, at_ms: Math.max(0, Math.round(context.now() - zero)) };
}

/**
 * Show the outcome for each table; resolves to whether the clocks should run again.
 *
 * @param {string} title
 * @param {Done[]} done
 * @param {TableLine[]} left tables that were not touched
 * @param {string} why
 * @param {boolean} canResume
 */
async function tell(title, done, left, why, canResume) {
  const line = (/** @type {TableLine} */ table, /** @type {string | null} */ trouble) =>
    h(
      "li",
      null,
      `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
      trouble !== null && h("span", { class: "badge bad" }, trouble),
    );
  const answer = await dialog(
    title,
    (close) => [
      done.length > 0
        ? h("ul", { class: "plain" }, done.map(({ table, trouble }) => line(table, trouble)))
        : h("p", null, t("clocks.none")),
      left.length > 0 && h("p", { role: "alert" }, h("strong", null, why)),
      left.length > 0 && h("ul", { class: "plain" }, left.map((table) => line(table, null))),
      canResume &&
        h(
          "p",
          { class: "row" },
          h("button", { type: "button", class: "primary", on: { click: () => close("resume") } }, t("clocks.again")),
        ),
    ].filter((part) => part !== false),
    { closeText: t("common.close") },
  );
  return answer === "resume";
}
