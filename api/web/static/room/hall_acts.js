// Acts for the hall as a whole: pairing tablets and placing them at tables.

import { dialog, fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { language, t } from "../shared/texts.js";
import { keepingFocus } from "./cards.js";
import { ask, problemText } from "./forms.js";
import { picture } from "./reach.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** How many tablets may claim one code; each is approved separately. */
const SEVERAL = 50;

/** How often the list of waiting tablets is redrawn while the code is shown. */
const DOOR_MS = 500;

/**
 * Show a code and its QR picture, for the tablet of one match or for several tablets. Tablets that
 * have claimed it are listed below with their four words until they are approved.
 *
 * @param {RoomContext} context
 * @param {string | null} [match]
 */
export async function pairTablet(context, match = null) {
  /** @type {any} */
  let made;
  try {
    const body = match === null ? { uses: SEVERAL } : { match };
    made = (await api("POST", `/logs/${context.log}/pairings`, { body })).json;
  } catch (error) {
    tellRefusal(problemText(error));
    return;
  }
  const door = h("div", { class: "door" });
  let said = "";
  const draw = () => {
    const waiting = waitingPairings(context);
    const now = JSON.stringify([waiting, context.now() > made.expires_at]);
    if (now === said) return;
    said = now;
    const list = () => [
      h("h3", null, t("rounds.waiting")),
      waiting.length
        ? h("ul", { class: "plain" }, waiting.map((pairing) => pairingItem(context, pairing)))
        : h("p", { class: "muted" }, t(context.now() > made.expires_at ? "rounds.expired" : "rounds.waiting_none")),
    ];
    keepingFocus(door, () => fill(door, ...list()));
  };
  draw();
  const timer = setInterval(draw, DOOR_MS);
  await dialog(
    t("room.pair"),
    () => [
      h("p", null, t(made.unreachable === null ? "room.pair_how" : "room.pair_here")),
      ...(match === null ? [h("p", null, t("rounds.pair_several"))] : []),
      h(
        "div",
        { class: "pairing" },
        picture(made),
        h("div", null, h("p", { class: "code" }, made.code), h("p", { class: "muted wrap" }, made.url)),
      ),
      door,
    ],
    { className: "broad", closeText: t("common.close") },
  );
  clearInterval(timer);
  await context.refresh();
}

/** @param {RoomContext} context */
export function waitingPairings(context) {
  const pairings = context.room()?.pairings ?? [];
  return pairings.filter((pairing) => pairing.state === "waiting" && pairing.fingerprint);
}

/** Tables typed for waiting tablets, which survive redrawing. @type {Map<string, string>} */
const typedTables = new Map();

/** Counter for unique ids of fields. */
let fields = 0;

/**
 * A waiting tablet: its four words, its table, and the key that approves it.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
export function pairingItem(context, pairing) {
  const match = pairing.match_id ? context.tableOf(pairing.match_id) : null;
  const words = (pairing.fingerprint ?? []).join(" ");
  // The tablet may be listed twice, in the queue and in the dialog, and ids must be unique.
  const id = `table-${(fields += 1)}`;
  const table = match
    ? null
    : h("input", {
        id,
        class: "table-name",
        maxlength: 20,
        autocomplete: "off",
        list: "table-names",
        value: typedTables.get(pairing.pairing_id) ?? suggestedTable(context, pairing),
        on: { input: (/** @type {Event} */ event) => typedTables.set(pairing.pairing_id, /** @type {HTMLInputElement} */ (event.target).value) },
      });
  const act = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ go, /** @type {string} */ className) =>
    h("button", { type: "button", class: className, "aria-label": `${text}: ${words}`, on: { click: () => void go() } }, text);
  return h(
    "li",
    null,
    h("div", null, h("strong", { class: "words" }, words)),
    h("div", { class: "muted" }, [pairing.label, match ? t("room.wants_table", { n: match.table ?? "–" }) : t("room.wants_in")].filter(Boolean).join(" · ")),
    h(
      "div",
      { class: "row" },
      table && h("label", { for: id }, t("room.table")),
      table,
      act(t("room.approve"), () => approvePairing(context, pairing, table?.value.trim() ?? ""), "primary"),
      act(t("room.refuse"), () => refusePairing(context, pairing), ""),
    ),
  );
}

/**
 * The likely table of a tablet: the one in its name, else the lowest without a tablet.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
function suggestedTable(context, pairing) {
  if (pairing.table) return pairing.table;
  const room = context.room();
  /** @type {Set<string | null | undefined>} */
  const taken = new Set((room?.devices ?? []).map((device) => device.table));
  for (const other of waitingPairings(context)) {
    if (other.pairing_id === pairing.pairing_id) break;
    taken.add(typedTables.get(other.pairing_id) ?? suggestions.get(other.pairing_id));
  }
  const kept = suggestions.get(pairing.pairing_id);
  if (kept !== undefined && !taken.has(kept)) return kept;
  const [, named] = /(\d+)\s*$/.exec(pairing.label ?? "") ?? [];
  const open = (room?.tables ?? []).filter((table) => table.state !== "ended" && table.lease === null && table.table);
  const tables = open.map((table) => /** @type {string} */ (table.table)).sort(byNumber);
  let free = named ?? tables.find((table) => !taken.has(table));
  for (let number = 1; free === undefined; number += 1) if (!taken.has(String(number))) free = String(number);
  suggestions.set(pairing.pairing_id, free);
  return free;
}

/** @type {Map<string, string>} */
const suggestions = new Map();

const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

/**
 * Compare names of tables by number: table 2 before table 10.
 *
 * @param {string | null} one
 * @param {string | null} two
 */
export function byNumber(one, two) {
  return collator.compare(one ?? "\uffff", two ?? "\uffff");
}

/**
 * The field for whether a tablet may show what is legal, which only the director allows.
 *
 * @param {boolean} [value]
 * @returns {import("./forms.js").Field}
 */
export function screenField(value = false) {
  return { name: "shows", label: t("room.screen_monitor"), kind: "check", value, hint: t("room.screen_hint") };
}

/** @param {boolean} shows */
export function profileOf(shows) {
  return shows ? "monitor" : "no_assist";
}

/**
 * Approve a tablet, for the match of its code or to be placed at a table.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 * @param {string} table empty = none
 */
async function approvePairing(context, pairing, table) {
  const path = `/logs/${context.log}/pairings/${pairing.pairing_id}/approval`;
  const body = pairing.match_id ? { match: pairing.match_id } : table ? { table } : {};
  await seated(context, path, body, table || "–");
}

/**
 * Place a tablet at a table, or at none.
 *
 * @param {RoomContext} context
 * @param {string} device
 * @param {string} table empty = none
 */
export async function placeTablet(context, device, table) {
  await seated(context, `/logs/${context.log}/tables`, { device, table: table || null }, table);
}

/**
 * Place a tablet at a table; if another tablet is there, ask first.
 *
 * @param {RoomContext} context
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {string} table the table's name, for the question
 */
async function seated(context, path, body, table) {
  try {
    await api("POST", path, { body });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.slug !== "lease-held") {
      tellRefusal(problemText(error));
    } else {
      await ask(t("rounds.take_table_do"), [], () => api("POST", path, { body: { ...body, takeover: true } }), {
        action: t("rounds.take_table_do"),
        isDanger: true,
        lead: [h("p", null, t("rounds.take_table", { table }))],
      });
    }
  }
  await context.refresh();
}

/**
 * Refuse a tablet.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
async function refusePairing(context, pairing) {
  await ask(
    t("room.refuse_title"),
    [],
    () => api("POST", `/logs/${context.log}/pairings/${pairing.pairing_id}/refusal`, { body: {} }),
    { action: t("room.refuse"), isDanger: true, lead: [h("p", { class: "words big" }, (pairing.fingerprint ?? []).join(" "))] },
  );
  await context.refresh();
}
