// Compares records: both players' score sheets, and two scribes' records turn by turn.

import { announce, byId, fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { t } from "../shared/texts.js";

/** @import { BySeat } from "../shared/types.js" */
/** @import { AlignedTurn, Alignment } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement[]}
 */
export function beside(viewer) {
  const sheets = h("div", { class: "sheets wide" });
  const scribes = h("div", { class: "scribes" });
  const message = h("p", { class: "muted", role: "status" });
  const read = async (/** @type {string | null} */ other) => {
    const query = other === null ? "" : `?with=${encodeURIComponent(other)}`;
    const path = `/logs/${viewer.setting.log}/matches/${viewer.setting.match}/alignment${query}`;
    try {
      const { json } = await api("GET", path);
      message.textContent = "";
      return /** @type {Alignment} */ (json);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      message.textContent = t(error.status === 0 ? "common.no_answer" : "replay.not_compared");
      return null;
    }
  };
  const compare = async (/** @type {string} */ other) => {
    const found = await read(other);
    fill(scribes, ...(found === null ? [] : turnTable(viewer, found)));
  };
  const chooser = h("div", { class: "row" });
  void read(null).then((found) => {
    if (found === null) return;
    fill(sheets, sheetTable(viewer, found));
    fill(chooser, ...choosing(found.records, compare));
    if (found.records.length > 0) void compare(found.records[0]);
  });
  return [sheets, h("h3", null, t("replay.scribes")), chooser, message, scribes];
}

/**
 * @param {readonly string[]} records
 * @param {(other: string) => Promise<void>} compare
 */
function choosing(records, compare) {
  const list = h("datalist", { id: "records" }, records.map((one) => h("option", { value: one })));
  const input = h("input", { id: "other-record", list: "records", value: records[0] ?? "" });
  const go = () => {
    if (input.value.trim() !== "") void compare(input.value.trim());
  };
  return [
    records.length === 0 && h("p", { class: "muted" }, t("replay.no_records")),
    h("label", { for: "other-record" }, t("replay.record_id")),
    input,
    list,
    h("button", { type: "button", class: "unprinted", on: { click: go } }, t("replay.compare")),
  ];
}

/**
 * @param {Viewer} viewer
 * @param {Alignment} found
 */
function sheetTable(viewer, found) {
  const { names } = viewer.setting;
  if (found.sheets.length === 0) return h("p", { class: "muted" }, t("replay.sheets_none"));
  const score = (/** @type {BySeat<number>} */ value) => `${value.one}–${value.two}`;
  const heads = [
    t("replay.game", { number: "" }).trim(),
    t("replay.sheet_games"),
    t("replay.sheet_of", { name: names.one }),
    t("replay.sheet_of", { name: names.two }),
    t("replay.differs_in"),
  ];
  const rows = found.sheets.map((sheet) => {
    const cell = (/** @type {"one" | "two"} */ seat) => {
      const noted = sheet.noted[seat];
      if (noted === null) return h("td", { class: "muted" }, t("replay.not_recorded"));
      const text = noted.score === null ? t("replay.not_recorded") : score(noted.score);
      const press = () => viewer.go(viewer.reader.momentOf(noted.version));
      const isOff = sheet.differs.includes(seat);
      return h(
        "td",
        { class: isOff && "differs" },
        h("button", { type: "button", class: "quiet link number", on: { click: press } }, text),
        isOff && h("span", { class: "badge warn" }, t("replay.sheet_differs")),
      );
    };
    return h(
      "tr",
      { class: sheet.differs.length > 0 && "differs" },
      h("th", { scope: "row", class: "number" }, String(sheet.game)),
      h("td", { class: "number" }, score(sheet.computed)),
      cell("one"),
      cell("two"),
      h("td", null, t(sheet.differs.length > 0 ? "replay.sheet_differs" : "replay.sheet_same")),
    );
  });
  return table(t("replay.sheets"), heads, rows);
}

/**
 * @param {Viewer} viewer
 * @param {Alignment} found
 */
function turnTable(viewer, found) {
  const { rows, first_divergence: first } = found;
  const other = `/matches/${viewer.setting.log}/${found.with}/replay`;
  const heads = [
    t("replay.turn"),
    t("replay.who"),
    t("replay.this_record"),
    t("replay.other_record"),
    t("replay.differs_in"),
  ];
  const lines = rows.map(({ first: ours, second: theirs, differs }, index) => {
    const here = ours ?? theirs;
    const isFirst = index === first;
    const seat = here?.seat ?? null;
    return h(
      "tr",
      {
        id: isFirst ? "first-divergence" : null,
        class: [differs.length > 0 && "differs", isFirst && "first-divergence"],
        tabindex: isFirst ? -1 : null,
      },
      h("th", { scope: "row", class: "number" }, here === null ? "" : `${here.game}.${here.row}`),
      h("td", null, seat === null ? "" : viewer.setting.names[seat]),
      h("td", null, turnCell(ours, (version) => viewer.go(viewer.reader.momentOf(version)))),
      h("td", null, theirs === null ? "–" : h("a", { href: `${other}#v${theirs.version}` }, inWords(theirs))),
      h("td", null, differs.map((one) => h("span", { class: "badge warn" }, t(`replay.differs.${one}`)))),
    );
  });
  return [
    divergence(viewer, found),
    h("div", { class: "wide turn-rows", tabindex: 0, role: "region", "aria-label": t("replay.scribes") },
      table(t("replay.scribes"), heads, lines)),
  ];
}

/**
 * @param {Viewer} viewer
 * @param {Alignment} found
 */
function divergence(viewer, { rows, first_divergence: first }) {
  if (first === null) return h("p", { class: "good" }, t("replay.no_divergence"));
  const ours = rows[first].first ?? rows[first].second;
  const press = () => {
    const version = rows[first].first?.version ?? rows.slice(0, first).findLast((row) => row.first)?.first?.version;
    const row = byId("first-divergence");
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
    if (version !== undefined) viewer.go(viewer.reader.momentOf(version), { isQuiet: true });
    announce(t("replay.divergence", { game: ours?.game ?? "", turn: ours?.row ?? "" }));
  };
  return h(
    "p",
    { class: "row" },
    h("strong", null, t("replay.divergence", { game: ours?.game ?? "", turn: ours?.row ?? "" })),
    h("button", { type: "button", on: { click: press } }, t("replay.to_divergence")),
  );
}

/**
 * @param {AlignedTurn | null} turn
 * @param {(version: number) => void} go
 */
function turnCell(turn, go) {
  if (turn === null) return "–";
  const press = () => go(turn.version);
  return h("button", { type: "button", class: "quiet link", on: { click: press } }, inWords(turn));
}

/** @param {AlignedTurn} turn */
function inWords(turn) {
  const cube = turn.cube.map((act) => t(`replay.cube.${act}`));
  const play = turn.play === null ? [] : [turn.play || t("replay.no_play")];
  return [...cube, turn.dice && `${turn.dice}:`, ...play].filter(Boolean).join(" ");
}

/**
 * @param {string} caption
 * @param {readonly string[]} heads
 * @param {readonly Node[]} rows
 */
function table(caption, heads, rows) {
  return h(
    "table",
    null,
    h("caption", null, caption),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", null, [...rows]),
  );
}
