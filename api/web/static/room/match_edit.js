// The list of a tournament's matches, with forms to edit, cancel and restore a match.

import { uuid } from "../device/chain/ids.js";
import { h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { withoutEmpty } from "./fields.js";
import { askAndRefresh, problemText } from "./forms.js";
import { key } from "./cards.js";
import { askParts, clockPart, field, rulesPart } from "./parts.js";
import { append } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * @param {any} listed the answer of `/logs/{log}/matches`
 * @param {RoomContext} context
 * @param {() => Promise<void>} reload fetches and redraws the list
 */
export function matchLines(listed, context, reload) {
  /** @type {any[]} */
  const matches = listed.matches;
  /** @param {any} match @param {"one" | "two"} seat */
  const name = (match, seat) => match.players[seat].join(" / ") || t(`common.player_${seat}`);
  return [
    h("h2", null, t("tournament.matches")),
    matches.length === 0 ? h("p", null, t("tournament.no_matches")) : null,
    h(
      "ul",
      { class: "plain matches-list" },
      matches.map((match) => {
        const isCancelled = match.state === "cancelled";
        return h(
          "li",
          { class: "row", dataset: { match: match.match_id } },
          h("a", { href: `#${match.match_id}` }, `${name(match, "one")} – ${name(match, "two")}`),
          h("span", { class: `badge ${isCancelled ? "warn" : "plain"}` }, t(`tournament.state_${match.state}`)),
          h("span", { class: "muted number" }, `${match.score.one}–${match.score.two}`),
          !isCancelled && key(t("tournament.edit_match"), () => editMatch(context, match.match_id).then(reload)),
          isCancelled
            ? key(t("tournament.restore"), () => restore(context, match.match_id).then(reload))
            : key(t("tournament.cancel"), () => cancelMatch(context, match.match_id).then(reload), "danger"),
        );
      }),
    ),
    listed.next_cursor ? h("p", { class: "muted" }, t("tournament.older_matches")) : null,
  ];
}

/**
 * Form: edit the opening of a match: players, table, round, length, clock, rules.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
async function editMatch(context, match) {
  const now = await openingOf(context, match);
  if (now === null) return;
  const text = (/** @type {string} */ name, /** @type {string} */ label, value = now[name]) =>
    field(`match-${name}`, label, { value: value ?? "", maxlength: 200 });
  const side = (/** @type {"one" | "two"} */ seat) => now.players[seat].map((/** @type {any} */ one) => one ?? "").join(" / ");
  const fields = {
    one: text("one", t("common.player_one"), side("one")),
    two: text("two", t("common.player_two"), side("two")),
    length: field("match-length", t("room.length"), { type: "number", min: 1, max: 99, value: now.length ?? "" }, t("room.length_hint")),
    table: text("table", t("room.table")),
    round: text("round", t("room.round")),
    place: text("place", t("tournament.place")),
    date: text("date", t("tournament.date")),
    reason: text("reason", t("room.reason"), ""),
  };
  const clock = clockPart(now.clock_terms);
  const rules = rulesPart(now);
  /** @param {string} name */
  const changed = (name) => {
    const value = fields[/** @type {keyof typeof fields} */ (name)].control.value.trim() || null;
    return value === now[name] ? {} : { [name]: value };
  };
  const players = () => {
    // Only seats with an edited field are sent, so that a withheld name stays with its player.
    const touched = /** @type {("one" | "two")[]} */ (["one", "two"]).filter((seat) => fields[seat].control.value !== side(seat));
    const said = touched.map((seat) => [seat, namesOrKept(fields[seat].control.value, now.players[seat])]);
    return touched.length === 0 ? {} : { players: Object.fromEntries(said) };
  };
  /** What was sent last, and its id: if no answer came, sending it again repeats the same entry. */
  let sent = { said: "", entry_id: "" };
  const done = await askParts(
    t("tournament.edit_match"),
    [
      h("p", { class: "muted" }, t("tournament.edit_match_about")),
      h("div", { class: "side-by-side" }, fields.one.element, fields.two.element),
      h("p", { class: "muted" }, t("tournament.doubles_hint")),
      h("div", { class: "side-by-side" }, fields.length.element, fields.table.element, fields.round.element),
      h("div", { class: "side-by-side" }, fields.place.element, fields.date.element),
      clock.element,
      rules.element,
      fields.reason.element,
    ],
    async () => {
      const terms = clock.read().clock_terms ?? null;
      const { rule_set, options = {} } = rules.read();
      const length = fields.length.control.value === "" ? null : fields.length.control.valueAsNumber;
      const isRuled = rule_set !== (now.rule_set ?? "common") || JSON.stringify(options) !== JSON.stringify(now.options);
      const changes = {
        ...players(),
        ...(length === now.length ? {} : { length }),
        ...["table", "round", "place", "date"].map(changed).reduce((all, one) => ({ ...all, ...one }), {}),
        ...(isSameClock(terms, now.clock_terms) ? {} : { clock_terms: terms }),
        ...(isRuled ? { rule_set, options } : {}),
      };
      if (Object.keys(changes).length === 0) throw new Error(t("tournament.nothing_changed"));
      const reason = fields.reason.control.value.trim();
      const body = { changes, ...(reason ? { reason } : {}) };
      const said = JSON.stringify(body);
      if (said !== sent.said) sent = { said, entry_id: uuid() };
      await api("POST", `/logs/${context.log}/matches/${match}/opening`, { body: { ...body, entry_id: sent.entry_id } });
    },
  );
  if (done) await context.refresh();
}

/**
 * The opening of a match; null if it cannot be read, which is shown.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
async function openingOf(context, match) {
  try {
    return (await api("GET", `/logs/${context.log}/matches/${match}/opening`)).json;
  } catch (error) {
    tellRefusal(problemText(error));
    return null;
  }
}

/** @param {any} one @param {any} other */
function isSameClock(one, other) {
  if (!one || !other) return !one === !other;
  return one.kind === other.kind && one.reserve_ms === other.reserve_ms && one.delay_ms === (other.delay_ms ?? 0);
}

/**
 * The names of one side; in doubles two, separated by a slash.
 *
 * @param {string} text
 */
export function namesOf(text) {
  return text
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * The same, with null for a player whose name is withheld and was left empty.
 *
 * @param {string} text
 * @param {(string | null)[]} known the names of the side before
 */
function namesOrKept(text, known) {
  const names = text.split("/").map((name) => name.trim());
  return names.map((name, index) => (name === "" && known[index] === null ? null : name)).filter((name) => name !== "");
}

/**
 * Form: cancel a match that was opened by mistake; its record stays.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
async function cancelMatch(context, match) {
  await askAndRefresh(
    context,
    t("tournament.cancel"),
    [{ name: "reason", label: t("room.reason"), kind: "text", needed: true }],
    ({ reason }) => append(context.log, match, [{ tag: "match.cancelled", body: { reason, by: "director" } }]),
    { action: t("tournament.cancel"), isDanger: true, lead: [h("p", null, t("tournament.cancel_about"))] },
  );
}

/**
 * Retract a cancellation: the match goes on where it was.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function restore(context, match) {
  const now = await openingOf(context, match);
  if (now === null) return;
  await askAndRefresh(
    context,
    t("tournament.restore"),
    [{ name: "reason", label: t("room.reason"), kind: "text" }],
    async ({ reason }) => {
      // Two directors may have cancelled it at once: retract every cancellation.
      for (let target = now.cancelled_by; target !== null; target = (await openingOf(context, match))?.cancelled_by ?? null) {
        await append(context.log, match, [{ tag: "entry.retracted", body: withoutEmpty({ target, reason }) }]);
      }
    },
    { action: t("tournament.restore") },
  );
}
