// The view of the hall: a card for each table, and the queue of what waits for the director.

import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { allClocks } from "./all_clocks.js";
import { attend, takeBackNoShow } from "./attendance.js";
import { badge, keepingFocus, key } from "./cards.js";
import { isSilent, lastPress, timeOf } from "./clock.js";
import { byNumber, pairTablet } from "./hall_acts.js";
import { callsOf, isInDispute } from "./home.js";
import { openMatch } from "./match_open.js";
import { unheard } from "./notices.js";
import { showPlayers } from "./players.js";
import { queueOf, waits } from "./queue.js";
import { openSheet } from "./rounds.js";
import { tabletsOf } from "./tablets.js";
import { unlessTouched } from "./touched.js";
import { ageText, entryText, lostOnTime, nameOf, pointsText, wordText } from "./words.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * Show the hall.
 *
 * @param {HTMLElement} place
 * @param {RoomContext} context
 */
export function showHall(place, context) {
  const tables = h("div", { class: "tables" });
  const finished = h("div", { class: "tables" });
  const fold = h("summary", null);
  const folded = h("details", { class: "finished", hidden: true }, fold, finished);
  const filters = h("div", { class: "row filters unprinted", role: "group", "aria-label": t("rounds.filter") });
  const tablets = h("div", null);
  const queue = h("aside", { class: "queue", "aria-label": t("room.queue") });
  const clocks = allClocks(context);
  const hall = h("section", { "aria-label": t("room.tables") }, filters, tables, folded, tablets);
  fill(place, toolbar(context, clocks.keys), h("div", { class: "hall" }, hall, queue));
  /** @type {Map<string, { said: string, node: HTMLElement }>} */
  const cards = new Map();
  let queued = "";
  let filtered = "";
  let placed = "";

  function update() {
    const room = context.room();
    if (room === null) return;
    clocks.update();
    const rounds = roundsOf(room);
    const chosen = chosenRound(context.log, rounds);
    const shown = room.tables
      .filter((table) => chosen === null || (table.round ?? "") === chosen)
      .sort((a, b) => byNumber(a.table, b.table) || byNumber(a.round, b.round));
    const over = shown.filter((table) => isOver(table, room));
    const open = shown.filter((table) => !isOver(table, room));
    const callable = open.filter((table) => isUncalled(table));
    const bar = JSON.stringify([rounds, chosen, callable.map((table) => table.match_id), room.byes]);
    if (bar !== filtered) {
      filtered = bar;
      keepingFocus(filters, () => fill(filters, ...filterKeys(context, rounds, chosen, callable, update)));
    }
    for (const id of [...cards.keys()]) if (!room.tables.some((table) => table.match_id === id)) cards.delete(id);
    const empty = room.tables.length === 0 ? t("room.no_tables") : null;
    unlessTouched(tables, () => keepCards(tables, cards, open, room, context, empty));
    unlessTouched(finished, () => {
      keepCards(finished, cards, over, room, context, null);
      folded.hidden = over.length === 0;
      fold.textContent = t("rounds.finished_n", { n: over.length });
    });
    const places = JSON.stringify(room.devices.map((device) => [device.id, device.table, device.fingerprint, device.matches.length]));
    if (places !== placed) {
      placed = places;
      keepingFocus(tablets, () => fill(tablets, tabletsOf(context, room)));
    }
    const ages = room.calls.map((call) => ageText(call.received_at, room.server_time_ms));
    // Redraw the queue also if a name or table was corrected or erased.
    const named = room.tables.map((table) => [table.match_id, table.table, table.names]);
    const said = JSON.stringify([room.calls, ages, room.pairings, room.results, room.appeals, waits(room), room.byes, named]);
    if (said !== queued) {
      queued = said;
      keepingFocus(queue, () => fill(queue, ...queueOf(room, context)));
    }
  }
  update();
  return { update, leave() {} };
}

/**
 * Whether a match is over and needs nothing of the director, so that its card is collapsed: its
 * result is posted, or both players have confirmed it.
 *
 * @param {import("./types").TableLine} table
 * @param {import("./types").Room} room
 */
function isOver(table, room) {
  if (table.state !== "ended" || table.questions + table.parked > 0 || isInDispute(table)) return false;
  const result = room.results.find((one) => one.match_id === table.match_id);
  const by = (/** @type {import("../shared/types").Seat} */ seat) =>
    JSON.stringify(result?.confirmations?.[seat]) === JSON.stringify(result?.score);
  return result === undefined || (by("one") && by("two"));
}

/** @param {import("./types").Room} room */
function roundsOf(room) {
  return [...new Set(room.tables.map((table) => table.round ?? ""))].sort(byNumber);
}

/**
 * The round chosen in this browser window; null = all.
 *
 * @param {string} log
 * @param {string[]} rounds
 */
function chosenRound(log, rounds) {
  const kept = sessionStorage.getItem(`tabularium.round.${log}`);
  return kept !== null && rounds.includes(kept) ? kept : null;
}

/**
 * @param {RoomContext} context
 * @param {string[]} rounds
 * @param {string | null} chosen
 * @param {import("./types").TableLine[]} callable
 * @param {() => void} update
 */
function filterKeys(context, rounds, chosen, callable, update) {
  const choose = (/** @type {string | null} */ round) => {
    const name = `tabularium.round.${context.log}`;
    if (round === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, round);
    update();
  };
  const chip = (/** @type {string | null} */ round, /** @type {string} */ text) =>
    h("button", { type: "button", class: "chip", "aria-pressed": String(round === chosen), on: { click: () => choose(round) } }, text);
  return [
    ...(rounds.length > 1
      ? [
          chip(null, t("rounds.all_rounds")),
          ...rounds.map((round) => chip(round, round === "" ? t("rounds.no_round") : `${t("rounds.round")} ${round}`)),
        ]
      : []),
    callable.length > 0
      ? key(callable.length === 1 ? t("rounds.call_one") : t("rounds.call_all", { n: callable.length }), () =>
          attend(context, callable.map((table) => ({ match: table.match_id, act: "called" }))),
        )
      : null,
  ];
}

/** @param {RoomContext} context @param {Node[]} clocks */
function toolbar(context, clocks) {
  return h(
    "div",
    { class: "row toolbar unprinted" },
    key(t("rounds.key"), () => openSheet(context), "primary"),
    key(t("room.pair"), () => pairTablet(context)),
    key(t("room.open_match"), () => openMatch(context)),
    key(t("rounds.players_key"), () => showPlayers(context)),
    h("a", { class: "button", href: `/tournaments/${context.log}/results` }, t("rounds.results")),
    h("a", { class: "button", href: `/tournaments/${context.log}/wall` }, t("rounds.wall")),
    clocks,
  );
}

/**
 * @param {HTMLElement} place
 * @param {Map<string, { said: string, node: HTMLElement }>} cards
 * @param {import("./types").TableLine[]} tables
 * @param {import("./types").Room} room
 * @param {RoomContext} context
 * @param {string | null} empty the text if there is no table
 */
function keepCards(place, cards, tables, room, context, empty) {
  if (tables.length === 0) {
    fill(place, empty && h("p", { class: "card" }, empty));
    return;
  }
  const order = tables.map((table) => {
    const silent = silence(table, room.server_time_ms);
    const { received_at: _, ...last } = table.last ?? { received_at: null };
    const age = ageText(table.last?.received_at, room.server_time_ms);
    const calls = callsOf(context, table.match_id).length;
    const said = JSON.stringify([{ ...table, device: table.device?.id, last }, silent, age, calls]);
    const kept = cards.get(table.match_id);
    if (kept?.said === said) return kept.node;
    const node = cardOf(table, silent, age, context);
    const hadFocus = kept?.node.contains(document.activeElement);
    cards.set(table.match_id, { said, node });
    kept?.node.replaceWith(node);
    if (hadFocus) node.querySelector("a")?.focus();
    return node;
  });
  const isSame = order.length === place.children.length && order.every((n, i) => n === place.children[i]);
  if (!isSame) place.replaceChildren(...order);
}

/**
 * How long the table's tablet has been silent, in words; null if it is not, or is not needed.
 *
 * @param {import("./types").TableLine} table
 * @param {number} now
 */
function silence(table, now) {
  if (table.lease === null) return table.state === "ended" ? null : t("room.no_tablet");
  if (!isSilent(table, now)) return null;
  const seen = table.device?.seen_at ?? null;
  return seen === null ? t("room.tablet_unheard") : t("room.offline", { age: ageText(seen, now) });
}

/**
 * @param {import("./types").TableLine} table
 * @param {string | null} silent
 * @param {string} age
 * @param {RoomContext} context
 */
function cardOf(table, silent, age, context) {
  const isCalled = callsOf(context, table.match_id).length > 0;
  const badges = [
    isCalled && badge("bad", t("room.calls_you")),
    isInDispute(table) && badge("bad", t("room.in_dispute")),
    table.parked > 0 && badge("warn", t("room.parked_n", { n: table.parked })),
    table.questions > 0 && badge("warn", t("room.questions_n", { n: table.questions })),
    unheard(table) > 0 && badge("warn", t("room.unheard_n", { n: unheard(table) })),
    table.windows > 0 && badge("warn", t("room.windows_n", { n: table.windows })),
    silent && badge(table.lease === null ? "warn" : "bad", silent),
    (table.device?.unsent ?? 0) > 0 && badge("warn", t("room.unsent_n", { n: table.device?.unsent ?? 0 })),
    flagBadge(table),
    lastPress(context, table.match_id),
    table.called.length > 0 && badge("", t("rounds.is_called")),
    table.late && badge("warn", lateText(table, table.late.missing)),
    table.shadows.length > 0 && badge("", t("room.shadow_n", { n: table.shadows.length })),
    !table.is_public && badge("", t("room.public_no")),
  ];
  return h(
    "article",
    { class: ["card", "table", (isCalled || isInDispute(table)) && "calls"] },
    h(
      "a",
      { class: "table-open", href: `#${table.match_id}` },
      h(
        "header",
        null,
        h("span", { class: "table-number" }, t("room.table_n", { n: table.table ?? "–" })),
        h("span", { class: "muted" }, stateText(table)),
      ),
      sideOf(table, "one", context),
      sideOf(table, "two", context),
    ),
    h(
      "p",
      { class: "muted last" },
      table.last ? `${entryText(table.last, table.names)} · ${age}` : t("room.nothing_yet"),
    ),
    h("div", { class: "chips badges" }, badges),
    table.state === "waiting" && attendanceKeys(table, context),
    table.no_show && noShowKey(table, table.no_show, context),
  );
}

/**
 * Whether the players should be called: they were not, and not both are there.
 *
 * @param {import("./types").TableLine} table
 */
function isUncalled(table) {
  return table.state === "waiting" && table.called.length === 0 && table.missing.length > 0;
}

/**
 * Keys before a match: called, here, did not come.
 *
 * @param {import("./types").TableLine} table
 * @param {RoomContext} context
 */
function attendanceKeys(table, context) {
  const match = table.match_id;
  const seats = /** @type {import("../shared/types").Seat[]} */ (["one", "two"]);
  const awaited = seats.filter((seat) => table.called.includes(seat) || table.late?.missing?.includes(seat));
  return h(
    "div",
    { class: "row attendance unprinted" },
    isUncalled(table) && key(t("rounds.call"), () => attend(context, [{ match, act: "called" }])),
    awaited.map((seat) => {
      const name = nameOf(table.names, seat);
      const said = (/** @type {"arrived" | "arrived_late" | "no_show"} */ act) =>
        h(
          "button",
          {
            type: "button",
            "aria-label": t(`rounds.${act}`, { name }),
            on: { click: () => void attend(context, [{ match, act, seat }]) },
          },
          t(`rounds.${act}_key`),
        );
      return h(
        "div",
        { class: "row comes", role: "group", "aria-label": name },
        h("span", { class: "who" }, name),
        said("arrived"),
        said("arrived_late"),
        said("no_show"),
      );
    }),
  );
}

/**
 * The key that takes back that a player did not come.
 *
 * @param {import("./types").TableLine} table
 * @param {import("./types").NoShow} said
 * @param {RoomContext} context
 */
function noShowKey(table, said, context) {
  const name = nameOf(table.names, said.seat);
  return h(
    "div",
    { class: "row attendance unprinted" },
    h("span", { class: "muted" }, t("rounds.no_show", { name })),
    h(
      "button",
      {
        type: "button",
        "aria-label": t("rounds.no_show_back_of", { name }),
        on: { click: () => void takeBackNoShow(context, table.match_id, said.entry_id) },
      },
      t("rounds.no_show_back"),
    ),
  );
}

/**
 * @param {import("./types").TableLine} table
 * @param {import("../shared/types").Seat} seat
 * @param {RoomContext} context
 */
function sideOf(table, seat, context) {
  const points = table.penalties?.[seat] ?? 0;
  const all = table.tally?.[seat] ?? 0;
  return h(
    "span",
    { class: ["side", table.to_act === seat && "to-act"] },
    h("span", { class: "turn", "aria-hidden": "true" }, table.to_act === seat ? "▸" : ""),
    h("span", { class: "who" }, nameOf(table.names, seat)),
    points > 0 &&
      h("span", { class: "badge warn", title: pointsText(points) }, t("room.penalty_n", { n: points })),
    all > points && h("span", { class: "badge", title: t("rounds.all_penalties", { n: all }) }, `Σ ${all}`),
    table.clock && timeOf(context, table.match_id, seat),
    h("span", { class: "number points" }, String(table.score[seat])),
  );
}

/**
 * The words for who is missing at a table that should have begun.
 *
 * @param {import("./types").TableLine} table
 * @param {import("../shared/types").Seat[]} missing
 */
function lateText(table, missing) {
  if (missing.length === 0) return t("room.late");
  return t("room.late_who", { who: missing.map((seat) => nameOf(table.names, seat)).join(", ") });
}

/** @param {import("./types").TableLine} table */
function stateText(table) {
  const length = table.length === null ? t("room.money") : t("room.to_n", { n: table.length });
  const round = table.round ? `${t("rounds.round")} ${table.round}` : null;
  return [round, length, wordText(table.state)].filter(Boolean).join(" · ");
}

/**
 * A badge that a time has run out, with who has lost by it if the rules in force say so.
 * @param {import("./types").TableLine} table
 */
function flagBadge(table) {
  const flag = table.clock?.flag;
  const lost = lostOnTime(table.lost_on_time, table.names);
  if (lost) return badge("bad", lost);
  if (!flag) return null;
  const isOne = flag === "one" || flag === "two";
  return badge("bad", isOne ? `${t("room.flag")}: ${nameOf(table.names, flag)}` : t("room.flag"));
}
