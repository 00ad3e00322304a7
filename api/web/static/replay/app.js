// The page of the replay viewer: fetches the match, builds the parts, keeps the address up to date.

import { announce, byId, dialog, fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { bringOnScreen } from "../shared/in_view.js";
import { rulesCalled } from "../shared/rules_called.js";
import { tellRefusal } from "../shared/refused.js";
import { loadTexts, t } from "../shared/texts.js";
import { details, drawer } from "./details.js";
import { errors } from "./errors.js";
import { findings } from "./findings.js";
import { goesOn } from "./goes_on.js";
import { listenToKeys, showKeys } from "./keys.js";
import { list } from "./list.js";
import { said } from "./said.js";
import { stage } from "./stage.js";
import { thinking } from "./thinking.js";
import { timeline } from "./timeline.js";
import { Player, choices, transport } from "./transport.js";
import { Viewer } from "./viewer.js";
import { SAYINGS, reasonOf } from "./words.js";

/** @import { Match, Provenance, Setting } from "./types.js" */

/** How long after the last step the address is updated; browsers limit how often it may be. */
const ADDRESS_MS = 250;

const root = byId("replay");
const host = byId("viewer");

/** @returns {Setting} */
function settingOf() {
  const { log = "", match = "", one = "", two = "", pinned = "" } = root.dataset;
  return { log, match, names: { one, two }, pinned };
}

/**
 * Fetch the match, judged by a rule set, with or without the scribe's corrections.
 *
 * @param {Setting} setting
 * @param {string} rules
 * @param {boolean} asRecorded
 * @returns {Promise<Match>}
 */
async function read({ log, match, pinned }, rules, asRecorded) {
  const query = new URLSearchParams();
  if (rules !== pinned) query.set("rules", rules);
  if (asRecorded) query.set("as_recorded", "true");
  const { json } = await api("GET", `/logs/${log}/matches/${match}/scenes?${query}`);
  return json;
}

/**
 * The card of the match's films; null if this reader sees none.
 *
 * @param {Setting} setting
 */
async function readFilms(setting) {
  if (root.dataset.films === undefined) return null;
  const { FilmCard } = await import("./film.js");
  return FilmCard.read(setting);
}

/**
 * Where the viewer starts if the address names no entry: at the first game, or a live match's end.
 *
 * @param {Viewer} viewer
 */
function firstMoment({ match, reader }) {
  if (root.dataset.live !== undefined) return reader.momentOf(Infinity);
  return reader.momentOf(match.games[0]?.version ?? 0);
}

/** The moment that the address names: an entry, or one checker of it. @param {Viewer} viewer */
function momentOfAddress(viewer, { hash } = new URL(location.href)) {
  const found = /^#v(\d+)(?:\.(\d+))?$/.exec(hash);
  // As in links to the match's page, `at` may name an entry.
  const at = new URLSearchParams(location.search).get("at") ?? "";
  if (found === null) return /^\d+$/.test(at) ? viewer.reader.momentOf(Number(at)) : null;
  const moment = viewer.reader.momentOf(Number(found[1]));
  const count = viewer.reader.scenes[moment.scene].frames.length;
  const frame = found[2] === undefined ? null : Number(found[2]) - 1;
  if (frame === null || frame < 0 || frame >= count) return moment;
  viewer.measure("checkers");
  return { ...moment, frame };
}

/** @param {Viewer} viewer */
function addressOf(viewer) {
  const query = new URLSearchParams(location.search);
  const { match, setting, scene, reader } = viewer;
  query.delete("at");
  query.delete("rules");
  query.delete("as_recorded");
  if (match.rule_set !== setting.pinned) query.set("rules", match.rule_set);
  if (match.as_recorded) query.set("as_recorded", "true");
  const asked = query.size === 0 ? "" : `?${query}`;
  const { frame } = reader.at;
  return `${location.pathname}${asked}#v${scene.version}${frame === null ? "" : `.${frame + 1}`}`;
}

/** @param {Viewer} viewer */
function keepAddress(viewer) {
  /** @type {number | undefined} */
  let timer;
  viewer.listen(() => {
    clearTimeout(timer);
    timer = window.setTimeout(() => history.replaceState(null, "", addressOf(viewer)), ADDRESS_MS);
  });
  // Take the address from the event: the current one may have been rewritten since.
  window.addEventListener("hashchange", ({ newURL }) => viewer.go(momentOfAddress(viewer, new URL(newURL))));
}

/**
 * Keep the line for printing up to date: which record, judged by which rules, at which address.
 * @param {Viewer} viewer
 */
function keepPaper(viewer) {
  const line = byId("paper");
  const write = () => {
    const { match, scene } = viewer;
    line.textContent = [
      t(match.as_recorded ? "replay.as_recorded" : "replay.as_corrected"),
      t("replay.judged_under", { rules: rulesCalled(match.rule_set) }),
      t("replay.entry", { version: scene.version }),
      new URL(addressOf(viewer), location.href).href,
    ].join(" · ");
  };
  viewer.listen(write);
  write();
}

/** Keep the link to the match's page at the moment shown. @param {Viewer} viewer */
function keepMatchPage(viewer) {
  const link = /** @type {HTMLAnchorElement} */ (byId("match-page"));
  const point = () => {
    link.search = `?at=${viewer.scene.version}`;
    link.hash = "#board";
  };
  viewer.listen(point);
  point();
}

/** @param {Viewer} viewer */
async function copyLink(viewer) {
  const address = new URL(addressOf(viewer), location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    announce(t("replay.copied", { version: viewer.scene.version }));
  } catch {
    // Without a secure context there is no clipboard: show the address to copy by hand.
    const field = h("input", { class: "wide-field", readonly: true, value: address });
    const label = h("label", null, t("replay.copy_by_hand"), field);
    void dialog(t("replay.copy"), () => [label], { closeText: t("common.close") });
    field.select();
  }
}

/** @param {Viewer} viewer */
function tools(viewer) {
  const tool = (/** @type {string} */ key, /** @type {() => void} */ press) =>
    h("button", { type: "button", id: `tool-${key}`, on: { click: press } }, t(`replay.${key}`));
  return h(
    "div",
    { class: "row tools unprinted" },
    tool("flip", () => viewer.flip()),
    tool("copy", () => void copyLink(viewer)),
    tool("print", () => window.print()),
    tool("help", () => void showKeys()),
    searchLink(viewer),
  );
}

/**
 * The link to the search for the board shown; hidden while it could help the players.
 * @param {Viewer} viewer
 */
function searchLink(viewer) {
  const link = h("a", { class: "button", id: "tool-search" }, t("search.this"));
  const point = () => {
    const { game, checkers, on_roll, version } = viewer.scene;
    // A board is searched for by who is on roll.
    link.hidden = viewer.match.held_back !== null || !game || checkers.one === null || on_roll === null;
    link.href = `${location.pathname.replace(/\/replay$/, "/search")}?at=${version}`;
  };
  viewer.listen(point);
  point();
  return link;
}

/** The drawer that compares two records; it is loaded when it is opened. @param {Viewer} viewer */
function records(viewer) {
  const title = h("h2", null, t("replay.beside"));
  const read = async () => (await import("./beside.js")).beside(viewer);
  return h("section", { class: "beside card" }, drawer(viewer, "beside", read, title).element);
}

/**
 * Connect the choices above the board: rule set, corrections, new entries.
 *
 * @param {Viewer} viewer
 */
function listenToViews(viewer) {
  const form = /** @type {HTMLFormElement} */ (root.querySelector("form.views"));
  const choose = (/** @type {string} */ name, /** @type {string} */ value) => {
    /** @type {HTMLSelectElement | RadioNodeList} */ (form.elements.namedItem(name)).value = value;
  };
  // Set the form to what is shown: a choice may have failed, or the browser restored another.
  const tell = () => {
    choose("rules", viewer.match.rule_set);
    choose("as_recorded", String(viewer.match.as_recorded));
  };
  viewer.listen((what) => what === "match" && tell());
  tell();
  let chosen = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", async () => {
    const said = new FormData(form);
    // Only the answer to the last choice counts, since answers may come out of order.
    const mine = (chosen += 1);
    try {
      const match = await read(viewer.setting, String(said.get("rules")), said.get("as_recorded") === "true");
      if (mine === chosen) viewer.replace(match);
    } catch (error) {
      if (mine !== chosen) return;
      tell();
      tellRefusal(t("replay.failed", { reason: reasonOf(error) }));
    }
  });
  if (root.dataset.live === undefined) return;
  const readAgain = () => read(viewer.setting, viewer.match.rule_set, viewer.match.as_recorded);
  form.append(goesOn(viewer, readAgain));
}

/** Mark on the timeline what was recorded offline, if readers may see it. @param {Viewer} viewer */
async function showOffline(viewer) {
  const { log, match } = viewer.setting;
  const { json } = await api("GET", `/logs/${log}/matches/${match}/provenance`);
  /** @type {Provenance[]} */
  const entries = json.entries;
  viewer.offline = new Set(entries.filter((one) => one.offline_ms !== null).map((one) => one.version));
  if (viewer.offline.size > 0) viewer.changed("view");
}

async function start() {
  host.hidden = false;
  await loadTexts("replay", "words", "entry", "entry_told", "board", "analysis", "search", "rules", ...SAYINGS);
  fill(host, h("p", { role: "status" }, t("replay.loading")));
  const setting = settingOf();
  const rules = root.dataset.rules ?? setting.pinned;
  let match;
  /** @type {import("./film.js").FilmCard | null} */
  let film;
  try {
    // Fetched before anything is drawn, because a card added later would push the record down.
    [match, film] = await Promise.all([
      read(setting, rules, root.dataset.recorded !== undefined),
      readFilms(setting),
    ]);
  } catch (error) {
    fill(host, h("p", { role: "alert" }, t("replay.failed", { reason: reasonOf(error) })));
    return;
  }
  if (match.scenes.length === 0) {
    fill(host, h("p", null, t("replay.empty")));
    return;
  }
  const viewer = new Viewer(setting, match);
  const player = new Player(viewer);
  viewer.reader.at = momentOfAddress(viewer) ?? firstMoment(viewer);
  const board = stage(viewer);
  const card = film?.card(viewer);
  // A film is shown beside the board; the form to add a first one goes below.
  const [beside, below] = film?.film === undefined ? [undefined, card] : [card, undefined];
  fill(
    host,
    h(
      "div",
      { class: "viewer" },
      h("div", { class: "left" }, board, transport(viewer, player), timeline(viewer), choices(viewer, player), tools(viewer)),
      h("div", { class: "right" }, beside, details(viewer), errors(viewer, root), list(viewer), below),
    ),
    said(viewer),
    records(viewer),
    thinking(viewer),
    findings(viewer),
  );
  // A link to an entry scrolls to the board.
  if (location.hash !== "") bringOnScreen(board);
  host.dataset.ready = "1";
  listenToViews(viewer);
  listenToKeys(viewer, player);
  host.addEventListener("click", ({ target }) => {
    // A clicked entry may be far from the board.
    if (/** @type {Element} */ (target).closest("button.entry, button.link") !== null) bringOnScreen(board);
  });
  keepAddress(viewer);
  keepMatchPage(viewer);
  keepPaper(viewer);
  await showOffline(viewer);
}

void start();
