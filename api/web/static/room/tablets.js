// The list of the hall's tablets, with the table of each and a choice to place it elsewhere.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { ask } from "./forms.js";
import { byNumber, placeTablet } from "./hall_acts.js";
import { tabletText } from "./words.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** The option "another table"; no table can have this name. */
const OTHER = "\u0000";

/** Whether the list is open; it survives redrawing. */
let isOpen = true;

/**
 * The list of tablets.
 *
 * @param {RoomContext} context
 * @param {import("./types").Room} room
 */
export function tabletsOf(context, room) {
  if (room.devices.length === 0) return null;
  const names = [...new Set([...room.tables.map((table) => table.table), ...room.devices.map((device) => device.table)])];
  const known = /** @type {string[]} */ (names.filter(Boolean)).sort(byNumber);
  const noted = (/** @type {Event} */ event) => {
    isOpen = /** @type {HTMLDetailsElement} */ (event.target).open;
  };
  return h(
    "details",
    { class: "card tablets unprinted", open: isOpen, on: { toggle: noted } },
    h("summary", null, t("rounds.tablets_n", { n: room.devices.length })),
    h("datalist", { id: "table-names" }, known.map((name) => h("option", { value: name }))),
    h(
      "ul",
      { class: "plain" },
      [...room.devices].sort((a, b) => byNumber(a.table, b.table)).map((device) => tabletLine(context, device, known)),
    ),
  );
}

/** @param {RoomContext} context @param {any} device @param {string[]} known */
function tabletLine(context, device, known) {
  const words = tabletText(context, device.id);
  const option = (/** @type {string} */ value, /** @type {string} */ text) => h("option", { value, selected: value === (device.table ?? "") }, text);
  const choice = h(
    "select",
    { "aria-label": t("rounds.at_table", { tablet: words }), on: { change: () => void move() } },
    option("", t("rounds.no_table")),
    known.map((name) => option(name, t("room.table_n", { n: name }))),
    option(OTHER, t("rounds.other_table")),
  );
  async function move() {
    if (choice.value === OTHER) await toOther(context, device, words);
    else await placeTablet(context, device.id, choice.value);
    // Also after a refusal, show the table where the tablet is.
    choice.value = standsAt(context, device.id);
  }
  return h("li", { class: "row" }, choice, h("span", { class: "words" }, words));
}

/** @param {RoomContext} context @param {string} device */
function standsAt(context, device) {
  return context.room()?.devices.find((one) => one.id === device)?.table ?? "";
}

/**
 * Form: place a tablet at a table that is not listed yet.
 *
 * @param {RoomContext} context
 * @param {any} device
 * @param {string} words
 */
async function toOther(context, device, words) {
  let table = "";
  const done = await ask(
    t("rounds.at_table", { tablet: words }),
    [{ name: "table", label: t("room.table"), kind: "text", needed: true }],
    async (values) => {
      table = String(values.table).trim().slice(0, 20);
    },
    { action: t("rounds.set_table") },
  );
  if (done && table) await placeTablet(context, device.id, table);
}
