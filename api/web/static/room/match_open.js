// The form that opens one match, starting from the tournament's defaults.

import { h } from "../shared/dom.js";
import { uuid } from "../device/chain/ids.js";
import { api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { namesOf } from "./match_edit.js";
import { askParts, clockPart, field, followPart, rulesPart } from "./parts.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** A name normalised for comparison. @param {string} name */
const keyOf = (name) => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();

/**
 * The registered players; none if they cannot be read.
 *
 * @param {RoomContext} context
 * @returns {Promise<{ player: string, name: string | null }[]>}
 */
async function registered(context) {
  try {
    return (await api("GET", `/logs/${context.log}/players`)).json.players;
  } catch {
    return [];
  }
}

/**
 * Open a match.
 *
 * @param {RoomContext} context
 */
export async function openMatch(context) {
  const known = await registered(context);
  // A registered player is linked to the match, so that corrected names and penalty points count.
  const personOf = (/** @type {string} */ name) => {
    const found = known.filter((one) => one.name && keyOf(one.name) === keyOf(name));
    return found.length === 1 ? { id: found[0]?.player, name: found[0]?.name } : { name };
  };
  const now = context.room()?.tournament;
  const usual = now?.defaults ?? {};
  const one = field("one", t("common.player_one"), { maxlength: 200, list: "registered" });
  const two = field("two", t("common.player_two"), { maxlength: 200, list: "registered" });
  const length = field(
    "length",
    t("room.length"),
    { type: "number", min: 1, max: 99, step: 1, value: usual.length ?? 7 },
    t("room.length_hint"),
  );
  const table = field("table", t("room.table"), { maxlength: 40 });
  const round = field("round", t("room.round"), { maxlength: 40 });
  // One id for the form: a double click or a lost answer opens only one match.
  const entry_id = uuid();
  const players = () => {
    // A registered name with a slash is one player's name, not a team's.
    const sideOf = (/** @type {string} */ said) => ("id" in personOf(said.trim()) ? [said.trim()] : namesOf(said));
    const sides = { one: sideOf(one.control.value), two: sideOf(two.control.value) };
    if (!sides.one.length) throw new Error(t("room.needed", { field: t("common.player_one") }));
    if (!sides.two.length) throw new Error(t("room.needed", { field: t("common.player_two") }));
    const keys = [...sides.one, ...sides.two].map(keyOf);
    const twice = [...sides.one, ...sides.two].find((name, n) => keys.indexOf(keyOf(name)) < n);
    if (twice) throw new Error(t("rounds.fault_against_self", { name: twice }));
    if (length.control.value !== "" && !length.control.validity.valid) {
      throw new Error(t("tournament.wrong_number", { field: t("room.length") }));
    }
    const text = (/** @type {string} */ name, /** @type {HTMLInputElement} */ control) =>
      control.value.trim() ? { [name]: control.value.trim() } : {};
    return {
      players: { one: sides.one.map(personOf), two: sides.two.map(personOf) },
      length: length.control.value === "" ? null : length.control.valueAsNumber,
      ...text("table", table.control),
      ...text("round", round.control),
    };
  };
  const element = h(
    "div",
    { class: "stack" },
    h("datalist", { id: "registered" }, known.map(({ name }) => name && h("option", { value: name }))),
    h("div", { class: "side-by-side" }, one.element, two.element),
    h("p", { class: "muted" }, t("tournament.doubles_hint")),
    h("div", { class: "side-by-side" }, length.element, table.element, round.element),
  );
  const done = await askParts(
    t("room.open_match"),
    [
      { element, read: players },
      clockPart(usual.clock_terms ?? null),
      followPart(usual.publication ?? null, t("tournament.follow_match")),
      rulesPart({ rule_set: usual.rule_set, options: usual.options }),
    ],
    (opened) => api("POST", `/logs/${context.log}/matches`, { body: { entry_id, opened } }),
    { action: t("room.open_match") },
  );
  if (done) await context.refresh();
}
