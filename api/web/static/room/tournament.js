// The view of the tournament: facts, defaults of matches, roles, matches, closing.

import { fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { language, t } from "../shared/texts.js";
import { withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { keepingFocus, key } from "./cards.js";
import { matchLines } from "./match_edit.js";
import { askParts, defaultsPart, factsPart, optionText, reasonPart, ruleSetTitle, rulesPart, valueText } from "./parts.js";
import { linkLines } from "./reach.js";
import { roleLines, rolesOf } from "./roles.js";
import { pairOf } from "./words.js";
import { appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** How often roles and matches are fetched again while they are shown. */
const ANEW_MS = 10_000;

/**
 * Show the tournament.
 *
 * @param {HTMLElement} place
 * @param {RoomContext} context
 */
export function showTournament(place, context) {
  const facts = h("section", { class: "card" });
  const roles = h("section", { class: "card broad" });
  const matches = h("section", { class: "card broad" });
  const end = h("section", { class: "card" });
  const links = h("section", { class: "card" }, linkLines(context.log));
  fill(place, h("div", { class: "tournament" }, facts, h("div", { class: "stack" }, end, links), roles, matches));
  let said = "";
  let hasLeft = false;

  function update() {
    const now = context.room()?.tournament;
    if (!now || JSON.stringify(now) === said) return;
    said = JSON.stringify(now);
    keepingFocus(facts, () => fill(facts, ...factLines(now, context)));
    keepingFocus(end, () => fill(end, ...endLines(now, context)));
  }

  async function reload() {
    const [held, opened] = await Promise.all([
      rolesOf(context.log),
      api("GET", `/logs/${context.log}/matches?sort=newest&limit=200`),
    ]);
    if (hasLeft) return;
    /** @param {HTMLElement} section @param {any} value @param {() => (Node | null)[]} lines */
    const redraw = (section, value, lines) => {
      const text = JSON.stringify(value);
      if (section.dataset.said === text) return;
      section.dataset.said = text;
      keepingFocus(section, () => fill(section, ...lines()));
    };
    redraw(roles, held, () => roleLines(held, context, quietly));
    redraw(matches, opened.json, () => matchLines(opened.json, context, quietly));
  }

  // A failed fetch is repeated by the timer, also after an act that succeeded.
  const quietly = () => reload().catch((error) => console.warn(error));
  update();
  void quietly();
  const timer = setInterval(() => void quietly(), ANEW_MS);
  return {
    update,
    leave() {
      hasLeft = true;
      clearInterval(timer);
    },
  };
}

/**
 * @param {import("./types").TournamentLine} now
 * @param {RoomContext} context
 */
function factLines(now, context) {
  const { defaults } = now;
  const options = Object.entries(now.options).map(([name, { value }]) => `${optionText(name)}: ${valueText(name, value)}`);
  return [
    h("h2", null, t("tournament.about")),
    h(
      "dl",
      { class: "facts" },
      ...line(t("tournament.name"), now.title),
      ...line(t("tournament.days"), daysText(now)),
      ...line(t("tournament.place"), now.place),
      ...line(t("tournament.organiser"), now.organiser),
      ...line(t("room.rules"), now.rule_set ? ruleSetTitle(now.rule_set) : t("tournament.no_rules")),
      ...line(t("tournament.options"), options.join("; ") || null),
      ...line(t("tournament.length"), defaults.length ? String(defaults.length) : t("tournament.by_match")),
      ...line(t("tournament.clock"), clockText(defaults.clock_terms)),
      ...line(t("tournament.follow"), followText(defaults.publication)),
    ),
    h(
      "div",
      { class: "row" },
      key(t("tournament.edit_facts"), () => editFacts(now, context)),
      key(t("tournament.edit_rules"), () => editRules(now, context)),
      key(t("tournament.edit_defaults"), () => editDefaults(now, context)),
    ),
  ];
}

/** @param {string} label @param {string | null} value */
function line(label, value) {
  return [h("dt", null, label), h("dd", null, value ?? "–")];
}

/** @param {import("./types").TournamentLine} now */
function daysText({ starts_on, ends_on }) {
  const days = [starts_on, ends_on].filter((day) => day !== null);
  const text = days.map((day) => {
    const date = new Date(`${day}T12:00:00`);
    return Number.isNaN(date.getTime()) ? String(day) : date.toLocaleDateString(language === "en" ? "en-GB" : language, { dateStyle: "long" });
  });
  return text.length ? [...new Set(text)].join(" – ") : null;
}

/** @param {import("./types").TournamentLine["defaults"]["clock_terms"]} terms */
function clockText(terms) {
  if (!terms) return t("tournament.clock_none");
  return t("tournament.clock_said", {
    minutes: terms.reserve_ms / 60_000,
    delay: (terms.delay_ms ?? 0) / 1000,
    kind: t(`tournament.clock_${terms.kind}`),
  });
}

/** @param {import("./types").TournamentLine["defaults"]["publication"]} terms */
function followText(terms) {
  if (!terms) return t("tournament.follow_unsaid");
  if (!terms.public) return t("tournament.follow_no");
  return t("tournament.follow_said", { minutes: (terms.delay_ms ?? 0) / 60_000 });
}

/** @param {import("./types").TournamentLine} now @param {RoomContext} context */
async function editFacts(now, context) {
  const done = await askParts(t("tournament.edit_facts"), [factsPart(now), reasonPart()], (facts) =>
    appendToLog(context.log, [{ tag: "tournament.described", body: withoutEmpty(facts) }]),
  );
  if (done) await context.refresh();
}

/** @param {import("./types").TournamentLine} now @param {RoomContext} context */
async function editRules(now, context) {
  const parts = [h("p", { class: "muted" }, t("tournament.not_open_ones")), rulesPart(now)];
  const done = await askParts(t("tournament.edit_rules"), parts, (said) =>
    appendToLog(context.log, [{ tag: "tournament.rules_declared", body: said }]),
  );
  if (done) await context.refresh();
}

/** @param {import("./types").TournamentLine} now @param {RoomContext} context */
async function editDefaults(now, context) {
  const parts = [h("p", { class: "muted" }, t("tournament.not_open_ones")), defaultsPart(now.defaults), reasonPart()];
  const done = await askParts(t("tournament.edit_defaults"), parts, (said) =>
    appendToLog(context.log, [{ tag: "tournament.defaults_declared", body: said }]),
  );
  if (done) await context.refresh();
}

/** @param {import("./types").TournamentLine} now @param {RoomContext} context */
function endLines(now, context) {
  /** @param {string} tag @param {string} title @param {boolean} isDanger */
  const settle = async (tag, title, isDanger) => {
    if (isDanger) await context.refresh();
    const open = isDanger ? openLines(context) : [];
    await askAndRefresh(
      context,
      title,
      [{ name: "reason", label: t("room.reason"), kind: "text" }],
      ({ reason }) => appendToLog(context.log, [{ tag, body: withoutEmpty({ reason }) }]),
      {
        action: open.length ? t("tournament.close_all_the_same") : title,
        isDanger,
        lead: isDanger ? [h("p", null, t("tournament.close_about")), ...open] : [],
      },
    );
  };
  return [
    h("h2", null, t("tournament.end")),
    h("p", null, now.is_closed ? t("tournament.is_closed") : t("tournament.is_open")),
    h(
      "div",
      { class: "row" },
      now.is_closed
        ? key(t("tournament.reopen"), () => settle("tournament.reopened", t("tournament.reopen"), false))
        : key(t("tournament.close"), () => settle("tournament.closed", t("tournament.close"), true), "danger"),
    ),
  ];
}

/** How many matches are listed before the rest is only counted. */
const NAMED = 12;

/**
 * The list of unfinished matches, shown before the tournament is closed.
 *
 * @param {RoomContext} context
 */
function openLines(context) {
  const tables = context.room()?.tables ?? [];
  /** @param {string} label @param {import("./types").TableLine[]} found */
  const list = (label, found) =>
    found.length === 0
      ? []
      : [
          h("p", null, h("strong", null, t(label, { n: found.length }))),
          h(
            "ul",
            null,
            found.slice(0, NAMED).map((table) => h("li", null, `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`)),
            found.length > NAMED ? h("li", null, t("tournament.close_more", { n: found.length - NAMED })) : null,
          ),
        ];
  const lines = [
    ...list("tournament.close_in_play", tables.filter(({ state }) => !["ended", "waiting"].includes(state))),
    ...list("tournament.close_to_begin", tables.filter(({ state }) => state === "waiting")),
  ];
  return lines.length === 0 ? [] : [...lines, h("p", null, t("tournament.close_still"))];
}
