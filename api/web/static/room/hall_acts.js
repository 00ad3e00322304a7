// What a director does for the hall as a whole: tablets, new matches, who may do what.

import { dialog, h } from "../dom.js";
import { api } from "../http.js";
import { t } from "../texts.js";
import { ask } from "./forms.js";
import { pairOf } from "./words.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** The rule sets on the shelf: the page carries the title and the sections of each. */
const ruleSets = () =>
  [...document.querySelectorAll("datalist")].map((list) => {
    const id = list.id.replace(/^sections-/, "");
    return { value: id, text: `${id}: ${list.dataset.title}` };
  });

/**
 * The rule set that most tables play by, for a new one.
 *
 * @param {RoomContext} context
 */
function usualRules(context) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { rule_set } of context.room()?.tables ?? []) {
    if (rule_set) counts.set(rule_set, (counts.get(rule_set) ?? 0) + 1);
  }
  const [usual] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ["common"];
  return usual;
}

/**
 * Show a code and its QR for a tablet; the tablet then waits in the queue until it is approved.
 *
 * @param {RoomContext} context
 * @param {string | null} [match]
 */
export async function pairTablet(context, match = null) {
  const tables = (context.room()?.tables ?? []).filter((table) => table.state !== "ended");
  /** @type {any} */
  let made = null;
  const done = await ask(
    t("room.pair"),
    [
      {
        name: "match",
        label: t("room.for_match"),
        kind: "select",
        value: match ?? tables.find((table) => table.lease === null)?.match_id ?? "",
        options: [
          { value: "", text: t("room.for_later") },
          ...tables.map((table) => ({
            value: table.match_id,
            text: `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
          })),
        ],
      },
      { name: "table", label: t("room.table"), kind: "text", hint: t("room.table_hint") },
    ],
    async (values) => {
      const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
      made = (await api("POST", `/logs/${context.log}/pairings`, { body })).json;
    },
    { action: t("room.make_code") },
  );
  if (!done || made === null) return;
  await dialog(
    t("room.pair"),
    () => [
      h("p", null, t("room.pair_how")),
      h(
        "div",
        { class: "pairing" },
        h("img", { src: `data:image/svg+xml,${encodeURIComponent(made.qr_svg)}`, alt: t("room.qr_alt"), width: 260, height: 260 }),
        h("div", null, h("p", { class: "code" }, made.code), h("p", { class: "muted wrap" }, made.url)),
      ),
      h("p", { class: "muted" }, t("room.pair_then")),
    ],
    { closeText: t("common.close") },
  );
  await context.refresh();
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
 * Let a tablet in, for the match it was made for or another one.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
export async function approvePairing(context, pairing) {
  const tables = (context.room()?.tables ?? []).filter((table) => table.state !== "ended");
  await ask(
    t("room.approve_title"),
    [
      {
        name: "match",
        label: t("room.for_match"),
        kind: "select",
        value: pairing.match_id ?? "",
        options: [
          { value: "", text: t("room.for_later") },
          ...tables.map((table) => ({
            value: table.match_id,
            text: `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
          })),
        ],
      },
      screenField(),
    ],
    ({ match, shows }) =>
      api("POST", `/logs/${context.log}/pairings/${pairing.pairing_id}/approval`, {
        body: match ? { match, profile: profileOf(shows) } : {},
      }),
    {
      action: t("room.approve"),
      lead: [
        h("p", null, t("room.approve_check")),
        h("p", { class: "words big" }, (pairing.fingerprint ?? []).join(" ")),
      ],
    },
  );
  await context.refresh();
}

/**
 * Turn a tablet away.
 *
 * @param {RoomContext} context
 * @param {import("./types").PairingLine} pairing
 */
export async function refusePairing(context, pairing) {
  await ask(
    t("room.refuse_title"),
    [],
    () => api("POST", `/logs/${context.log}/pairings/${pairing.pairing_id}/refusal`, { body: {} }),
    { action: t("room.refuse"), isDanger: true, lead: [h("p", { class: "words big" }, (pairing.fingerprint ?? []).join(" "))] },
  );
  await context.refresh();
}

/**
 * Open a match.
 *
 * @param {RoomContext} context
 */
export async function openMatch(context) {
  await ask(
    t("room.open_match"),
    [
      { name: "one", label: t("common.player_one"), kind: "text", needed: true },
      { name: "two", label: t("common.player_two"), kind: "text", needed: true },
      { name: "length", label: t("room.length"), kind: "number", value: 7, least: 1, hint: t("room.length_hint") },
      { name: "table", label: t("room.table"), kind: "text" },
      { name: "round", label: t("room.round"), kind: "text" },
      {
        name: "rules",
        label: t("room.rules"),
        kind: "select",
        value: usualRules(context),
        options: ruleSets(),
      },
      { name: "minutes", label: t("room.clock_minutes"), kind: "number", least: 0, hint: t("room.clock_hint") },
      { name: "delay", label: t("room.clock_delay"), kind: "number", value: 12, least: 0 },
      { name: "public", label: t("room.make_public"), kind: "check", value: true },
      { name: "behind", label: t("room.public_delay"), kind: "number", value: 0, least: 0 },
    ],
    (v) => api("POST", `/logs/${context.log}/matches`, { body: { opened: openingOf(v) } }),
    { action: t("room.open_match") },
  );
  await context.refresh();
}

/** @param {Record<string, any>} v */
function openingOf(v) {
  return {
    players: { one: [{ name: v.one }], two: [{ name: v.two }] },
    length: v.length || null,
    ...(v.table ? { table: v.table } : {}),
    ...(v.round ? { round: v.round } : {}),
    rule_set: v.rules,
    ...(v.minutes
      ? { clock_terms: { kind: "simple", reserve_ms: v.minutes * 60_000, delay_ms: (v.delay ?? 0) * 1000 } }
      : {}),
    ...(v.public ? { publication: { public: true, delay_ms: (v.behind ?? 0) * 60_000 } } : {}),
  };
}
