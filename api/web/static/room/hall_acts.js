// What a director does for the hall as a whole: tablets, new matches, who may do what.

import { dialog, fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { language, t } from "../shared/texts.js";
import { ask, problemText } from "./forms.js";
import { picture } from "./reach.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** Tablets that one code lets ask; each is approved by itself. */
const SEVERAL = 50;

/** How often the tablets at the door are drawn anew while the code is shown. */
const DOOR_MS = 500;

/**
 * Show a code and its QR: for the tablet of one match, or for several that are to stand at tables.
 * Whoever has claimed it stands below with four words until it is let in.
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
    fill(
      door,
      h("h3", null, t("rounds.waiting")),
      waiting.length
        ? h("ul", { class: "plain" }, waiting.map((pairing) => pairingItem(context, pairing)))
        : h("p", { class: "muted" }, t(context.now() > made.expires_at ? "rounds.expired" : "rounds.waiting_none")),
    );
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

/** What was typed for a tablet that waits: drawing the list anew does not forget it. @type {Map<string, string>} */
const typedTables = new Map();

/** Fields made so far. */
let fields = 0;

/**
 * A tablet that waits: its four words, its table, and one key that lets it in.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
export function pairingItem(context, pairing) {
  const match = pairing.match_id ? context.tableOf(pairing.match_id) : null;
  const words = (pairing.fingerprint ?? []).join(" ");
  // It may stand in the queue and in the dialog at once: a label is for one field.
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
 * The table that a tablet is probably for: the one in its name, else the lowest without a tablet.
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
 * Table 2 before table 10.
 *
 * @param {string | null} one
 * @param {string | null} two
 */
export function byNumber(one, two) {
  return collator.compare(one ?? "\uffff", two ?? "\uffff");
}

/**
 * Whether the tablet's screen may show what is legal: nobody but the director allows that.
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
 * Let a tablet in: for the match it was made for, or to stand at a table.
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
 * Have a tablet stand at a table, or at none.
 *
 * @param {RoomContext} context
 * @param {string} device
 * @param {string} table empty = none
 */
export async function placeTablet(context, device, table) {
  await seated(context, `/logs/${context.log}/tables`, { device, table: table || null }, table);
}

/**
 * Send a tablet to a table, and where another one has it ask first: nobody loses a table without a word.
 *
 * @param {RoomContext} context
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {string} table as it is told
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
 * Turn a tablet away.
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
