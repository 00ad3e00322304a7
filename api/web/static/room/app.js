// The director's room: polls the state of the hall, and shows the hall, a match or the tournament.

import { announce, byId, fill, h, unturned } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";
import { SAYINGS } from "../replay/words.js";
import { Case } from "./case.js";
import { tick } from "./clock.js";
import { showHall } from "./hall.js";
import { homeOf } from "./home.js";
import { unlessTouched } from "./touched.js";
import { showTournament } from "./tournament.js";
import { ageText, nameOf } from "./words.js";

const POLL_MS = 2000;

/** How often running clocks are redrawn. */
const TICK_MS = 250;

/** A poll that takes longer is given up: the network may swallow requests without an answer. */
const PATIENCE_MS = 8000;

/** @param {string} name */
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

const log = meta("room-log");

/**
 * Views other than the hall and its matches, by their name in the address, such as `#/tournament`.
 * Each has a link above the view.
 *
 * @type {Record<string, (place: HTMLElement, context: import("./types").RoomContext) => { update(isAnew?: boolean): void, leave(): void }>}
 */
const VIEWS = { tournament: showTournament };

/** @type {import("./types").Room | null} */
let room = null;
/** @type {string | null} */
let etag = null;
let heardAt = 0;
let wasOld = false;
/** The server's time in the last full answer, received at `serverTimeAt`; a 304 has none. */
let serverTime = 0;
let serverTimeAt = 0;
/** @type {{ update(isAnew?: boolean): void, leave(): void } | null} */
let view = null;
let calls = new Set();

/** @type {import("./types").RoomContext} */
const context = {
  log,
  title: meta("room-title"),
  room: () => room,
  now: () => serverTime + (performance.now() - serverTimeAt),
  refresh: () => poll({ isAnew: true }),
  open: (match, at = null) => {
    location.hash = at === null ? `#${match}` : `#${match}/${at}`;
  },
  tableOf: (match) => room?.tables.find((table) => table.match_id === match) ?? null,
  nameOf: (match, seat) => nameOf(context.tableOf(match)?.names, seat),
};

/** Numbers of the latest poll, and of the latest answered one: answers may come out of order. */
let begun = 0;
let answered = 0;

/**
 * Fetch the room, and update the view.
 *
 * @param {{ isAnew?: boolean }} [how] `isAnew`: the view fetches its own parts again too, because
 *   an act of this director may change them without changing what the room says of them
 */
async function poll({ isAnew = false } = {}) {
  const mine = (begun += 1);
  try {
    const answer = await api("GET", `/logs/${log}/room`, {
      headers: etag ? { "If-None-Match": etag } : {},
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    heardAt = performance.now();
    if (mine < answered) return showAge();
    answered = mine;
    if (answer.status !== 304) {
      room = answer.json;
      etag = answer.etag;
      context.title = answer.json.title ?? log;
      byId("room-title").textContent = unturned(context.title);
      serverTime = answer.json.server_time_ms;
      serverTimeAt = heardAt;
      tellCalls();
      tellHeld();
    } else if (room !== null) {
      room = { ...room, server_time_ms: serverTime + (heardAt - serverTimeAt) };
    }
    if (view === null) show();
    else view.update(isAnew);
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 401 || error.status === 403)) {
      showShut();
    } else {
      // The next poll may succeed; the age beside the title shows how old the view is.
      console.warn(error);
    }
  }
  showAge();
}

/** Announce new calls, and count open calls in the page's title. */
function tellCalls() {
  const open = (room?.calls ?? []).filter((call) => !call.answered);
  for (const call of open) {
    if (!calls.has(call.entry_id)) {
      const table = homeOf(context, call.match_id);
      announce(t("room.call_announced", { table: table?.table ?? call.match_id }), {
        assertive: true,
      });
    }
  }
  calls = new Set(open.map((call) => call.entry_id));
  document.title = unturned(`${open.length ? `(${open.length}) ` : ""}${context.title}: ${t("room.title")}`);
}

/** Show what is wrong with the log or its copies: a log held back accepts no entries. */
function tellHeld() {
  const told = [...(room?.held ? [["held", room.held]] : []), ...(room?.refused_by ?? []).map((why) => ["refused", why])];
  if (room?.unstamped) told.push(["unstamped", room.unstamped]);
  if (room?.uncopied) told.push(["uncopied", ""]);
  const place = byId("room-held");
  unlessTouched(place, () => drawHeld(place, told));
}

/** @param {HTMLElement} place @param {string[][]} told */
function drawHeld(place, told) {
  place.hidden = told.length === 0;
  place.className = place.hidden ? "" : "card warned";
  // Redraw the alert only if it has changed, because screen readers read it at each redraw.
  const said = JSON.stringify([...told, room?.uncopied]);
  if (place.dataset.said === said) return;
  place.dataset.said = said;
  fill(
    place,
    ...told.map(([kind, why]) =>
      h(
        "div",
        null,
        h("p", null, h("strong", null, t(`room.${kind}`, { count: room?.uncopied ?? 0 }))),
        why && h("p", { class: "muted", lang: "en" }, why),
      ),
    ),
  );
}

function showAge() {
  const badge = byId("room-age");
  const age = performance.now() - heardAt;
  const isOld = heardAt === 0 || age > 3 * POLL_MS;
  badge.className = `badge ${isOld ? "bad" : "good"}`;
  const text = isOld
    ? t("room.stale", { age: heardAt === 0 ? t("room.age_never") : ageText(0, age) })
    : t("room.fresh");
  badge.textContent = text;
  // Read aloud when it changes, and not again with each age.
  if (isOld !== wasOld) announce(text);
  wasOld = isOld;
}

/** Say that the person is signed out or has lost the role, since the view no longer updates. */
function showShut() {
  if (document.querySelector(".shut") !== null) return;
  room = null;
  etag = null;
  view?.leave();
  view = null;
  fill(
    byId("room-view"),
    h(
      "div",
      { class: "card shut", role: "alert" },
      h("p", null, t("room.shut")),
      h(
        "p",
        { class: "row" },
        h("a", { class: "button primary", href: `/session?next=/room/${log}` }, t("room.sign_in")),
      ),
    ),
  );
}

function show() {
  const named = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  const beside = Object.hasOwn(VIEWS, named) ? VIEWS[named] : null;
  const [match, at] = named === "" ? location.hash.slice(1).split("/") : [];
  showWay(beside === null ? (match ? null : "") : named);
  const place = byId("room-view");
  const hadFocus = place.contains(document.activeElement);
  view?.leave();
  fill(place);
  if (beside) view = beside(place, context);
  else if (match) view = new Case(place, context, match, at === undefined ? null : Number(at));
  else view = showHall(place, context);
  // For keyboard users: a link leads the focus into the new view.
  if (hadFocus) place.focus();
}

/** @param {string | null} named the view shown; "" = the hall, null = a match */
function showWay(named) {
  for (const link of document.querySelectorAll(".room-ways a")) {
    if (link.getAttribute("href") === (named ? `#/${named}` : "#")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/**
 * Focus the view if a redraw has removed the focused element, for people who use the keyboard.
 *
 * @param {HTMLElement} place
 */
function keepFocus(place) {
  let isInside = false;
  document.addEventListener("focusin", ({ target }) => {
    isInside = target instanceof Node && place.contains(target);
  });
  document.addEventListener("pointerdown", () => {
    isInside = false;
  });
  new MutationObserver(() => {
    if (isInside && document.activeElement === document.body) place.focus({ preventScroll: true });
  }).observe(place, { childList: true, subtree: true });
}

async function start() {
  await loadTexts("room", "public", "clocks", "panel", "rounds", "tournament", "archive", "reach", "board", "tablet", "entry", "entry_told", "replay", "rules", "words", ...SAYINGS);
  fill(
    byId("room"),
    h(
      "div",
      { class: "room-head" },
      h("h1", { id: "room-title" }, context.title),
      h("span", { id: "room-age", class: "badge" }),
      h(
        "nav",
        { class: "room-ways row", "aria-label": t("tournament.ways") },
        h("a", { href: "#" }, t("tournament.way_hall")),
        Object.keys(VIEWS).map((name) => h("a", { href: `#/${name}` }, t(`tournament.way_${name}`))),
        h("a", { href: "/session?next=/room" }, t("room.sign_out")),
      ),
    ),
    h("div", { id: "room-held", role: "alert", hidden: true }),
    h("div", { id: "room-view", tabindex: -1 }),
  );
  keepFocus(byId("room-view"));
  window.addEventListener("hashchange", show);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void poll();
  });
  setInterval(() => tick(context), TICK_MS);
  for (;;) {
    await poll();
    await new Promise((resolve) => setTimeout(resolve, document.hidden ? 5 * POLL_MS : POLL_MS));
  }
}

void start();
