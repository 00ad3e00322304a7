// The page of the whole archive: its title, and roles over all tournaments.

import { byId, fill, h, unturned } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";
import { problemText } from "./forms.js";
import { keepingFocus, key } from "./cards.js";
import { askParts, field, reasonPart } from "./parts.js";
import { roleLines } from "./roles.js";
import { appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** How often roles are fetched again while they are shown. */
const ANEW_MS = 10_000;

/** @param {string} name */
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** The title of an archive that was not given one. */
const UNNAMED = meta("unnamed");

const log = meta("room-log");

/** The context that lists of roles need; there are no tables here. @type {RoomContext} */
const context = {
  log,
  title: "",
  room: () => null,
  now: () => Date.now(),
  refresh: reload,
  open() {},
  tableOf: () => null,
  nameOf: () => "–",
};

const facts = h("section", { class: "card" });
const roles = h("section", { class: "card broad" });
const refusal = h("p", { class: "refusal", role: "alert" });

async function reload() {
  try {
    const [found, held] = await Promise.all([api("GET", `/logs/${log}`), api("GET", `/logs/${log}/roles`)]);
    refusal.textContent = "";
    redraw(facts, found.json.tournament, factLines);
    redraw(roles, held.json, () => roleLines(held.json, context, reload));
  } catch (error) {
    refusal.textContent = problemText(error);
  }
}

/** @param {HTMLElement} section @param {any} value @param {(value: any) => (Node | null)[]} lines */
function redraw(section, value, lines) {
  const text = JSON.stringify(value);
  if (section.dataset.said === text) return;
  section.dataset.said = text;
  keepingFocus(section, () => fill(section, ...lines(value)));
}

/** @param {import("./types").TournamentLine} now */
function factLines(now) {
  const title = titleOf(now);
  byId("archive-title").textContent = unturned(title ?? "") || t("archive.unnamed");
  return [
    h("h2", null, t("archive.about")),
    h("p", { class: "muted" }, t("archive.shown")),
    h(
      "dl",
      { class: "facts" },
      line(t("tournament.name"), title || null),
      line(t("tournament.place"), now.place),
      line(t("archive.organiser"), now.organiser),
    ),
    h("div", { class: "row" }, key(t("archive.edit"), () => edit(now))),
  ];
}

/** @param {import("./types").TournamentLine} now */
const titleOf = (now) => (now.title === UNNAMED ? "" : now.title);

/** @param {string} label @param {string | null} value */
function line(label, value) {
  return [h("dt", null, label), h("dd", null, value ?? "–")];
}

/** @param {import("./types").TournamentLine} now */
async function edit(now) {
  const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string | null} */ value) =>
    field(name, label, { value: value ?? "", maxlength: 200 });
  const title = text("title", t("tournament.name"), titleOf(now));
  const place = text("place", t("tournament.place"), now.place);
  const organiser = text("organiser", t("archive.organiser"), now.organiser);
  const part = {
    element: h("div", { class: "stack" }, title.element, h("div", { class: "side-by-side" }, place.element, organiser.element)),
    read() {
      if (!title.control.value.trim()) throw new Error(t("room.needed", { field: t("tournament.name") }));
      // The entry states the whole description: members without a field are repeated.
      const said = {
        starts_on: now.starts_on,
        ends_on: now.ends_on,
        title: title.control.value.trim(),
        place: place.control.value.trim(),
        organiser: organiser.control.value.trim(),
      };
      return Object.fromEntries(Object.entries(said).filter(([, value]) => value));
    },
  };
  const done = await askParts(t("archive.edit"), [part, reasonPart()], (body) =>
    appendToLog(log, [{ tag: "tournament.described", body }]),
  );
  if (done) await reload();
}

async function start() {
  await loadTexts("room", "tournament", "archive", "reach", "rounds");
  fill(byId("archive"), h("div", { class: "tournament" }, facts, roles), refusal);
  await reload();
  setInterval(() => {
    if (!document.hidden) void reload();
  }, ANEW_MS);
}

void start();
