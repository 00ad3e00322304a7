// The sheet of players or pairings: pasted or from a file, previewed by line, opened at once.

import { uuid } from "../device/chain/ids.js";
import { announce, dialog, fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { answerOf, holding } from "./answered.js";
import { keepsTyped, problemText } from "./forms.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** How long typing must pause before the preview is fetched. */
const PAUSE_MS = 350;

/** The longest sheet that the server accepts. */
const MOST_CHARACTERS = 200_000;

/**
 * Open the dialog for a sheet of players or pairings.
 *
 * @param {RoomContext} context
 */
export async function openSheet(context) {
  /** @type {any} */
  let preview = null;
  /** @type {import("./answered.js").Answer[]} */
  let answers = [];
  let request = uuid();
  let asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const text = h("textarea", {
    id: "sheet-text",
    rows: 7,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: t("rounds.placeholder"),
    "aria-describedby": "sheet-hint",
    on: { input: () => later() },
  });
  const file = h("input", {
    id: "sheet-file",
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv,text/plain",
    on: { change: () => void read() },
  });
  const round = h("input", { id: "sheet-round", type: "text", maxlength: 40, autocomplete: "off", on: { input: () => later() } });
  const length = h("input", {
    id: "sheet-length",
    type: "number",
    min: 1,
    max: 99,
    value: context.room()?.tournament?.defaults?.length ?? "",
    on: { input: () => later() },
  });
  // The day can be chosen, since a round may be opened the evening before.
  const day = h("input", { id: "sheet-day", type: "date", value: dayOf(new Date()), on: { input: () => later() } });
  const start = h("input", { id: "sheet-start", type: "time", on: { input: () => later() } });
  // Calling at once is preselected only if no match is in progress: players may be busy.
  const isFree = !(context.room()?.tables ?? []).some((table) => table.state !== "ended");
  const called = h("input", { type: "checkbox", id: "sheet-called", checked: isFree });
  const shown = h("div", { class: "sheet-preview", role: "region", "aria-label": t("rounds.preview"), tabindex: 0 });
  const said = h("p", { class: "muted", role: "status" });
  const refusal = h("p", { class: "refusal", role: "alert" });
  const go = h("button", { type: "submit", class: "primary", disabled: true }, t("rounds.open"));

  function body() {
    const chosen = day.value || dayOf(new Date());
    return {
      text: text.value,
      round: round.value.trim() || null,
      length: Number(length.value) || null,
      day: chosen,
      // The time zone's offset on that day.
      offset_minutes: -new Date(`${chosen}T${start.value || "12:00"}`).getTimezoneOffset(),
      answers: holding(text.value, answers),
    };
  }

  function later() {
    // Only a previewed sheet can be opened.
    go.disabled = true;
    // A changed sheet is a new request; the same sheet sent again is a retry.
    request = uuid();
    clearTimeout(timer);
    timer = setTimeout(() => void look(), PAUSE_MS);
  }

  async function look() {
    const number = (asked += 1);
    refusal.textContent = "";
    if (text.value.trim() === "") {
      preview = null;
      fill(shown);
      said.textContent = "";
      return;
    }
    if (text.value.length > MOST_CHARACTERS) {
      refusal.textContent = t("rounds.too_long");
      return;
    }
    try {
      const { json } = await api("POST", `/logs/${context.log}/rounds/preview`, { body: body() });
      if (number !== asked) return;
      preview = json;
      draw();
    } catch (error) {
      if (number === asked) refusal.textContent = problemText(error);
    }
  }

  function draw() {
    const matches = preview.lines.filter((/** @type {any} */ line) => line.kind === "match").length;
    const opens = matches === 1 ? t("rounds.open_one") : t("rounds.open_n", { n: matches });
    go.textContent = preview.kind === "players" ? t("rounds.register") : opens;
    go.disabled = preview.errors > 0 || preview.lines.length === 0;
    said.textContent = preview.errors > 0 ? t("rounds.errors_n", { n: preview.errors }) : sumUp(preview);
    fill(shown, ...preview.faults.map(sheetFault), surnamesOf(preview, text.value), ignoredOf(preview), tableOf(preview, choose));
  }

  /** @param {string} key @param {string} player */
  function choose(key, player) {
    answers = [...answers, answerOf(text.value, key, player)];
    request = uuid();
    void look();
  }

  async function read() {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    if (chosen.size > 4 * MOST_CHARACTERS) {
      refusal.textContent = t("rounds.too_long");
      return;
    }
    text.value = decoded(new Uint8Array(await chosen.arrayBuffer()));
    answers = [];
    later();
  }

  /** @type {() => boolean} */
  let mayLeave = () => true;
  const done = await dialog(
    t("rounds.title"),
    (close) => {
      const form = h(
        "form",
        { class: "stack", novalidate: true },
        h("p", { id: "sheet-hint", class: "muted" }, t("rounds.hint")),
        h("label", { for: "sheet-text" }, t("rounds.paste")),
        text,
        h("div", { class: "field" }, h("label", { for: "sheet-file" }, t("rounds.file")), file),
        h(
          "div",
          { class: "row" },
          h("div", { class: "field" }, h("label", { for: "sheet-round" }, t("rounds.round")), round),
          h("div", { class: "field" }, h("label", { for: "sheet-length" }, t("rounds.length")), length),
          h("div", { class: "field" }, h("label", { for: "sheet-day" }, t("tournament.date")), day),
          h("div", { class: "field" }, h("label", { for: "sheet-start" }, t("rounds.start")), start),
          h("label", { class: "chip" }, called, h("span", null, t("rounds.call_with"))),
        ),
        said,
        shown,
        h(
          "div",
          { class: "row actions" },
          refusal,
          go,
          h("button", { type: "button", class: "quiet", on: { click: () => close() } }, t("common.cancel")),
        ),
      );
      mayLeave = keepsTyped(form, refusal);
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (go.disabled) return;
        go.disabled = true;
        refusal.textContent = "";
        try {
          const begins = start.value ? new Date(`${body().day}T${start.value}`).toISOString() : null;
          const sent = { ...body(), request_id: request, start: begins, called: called.checked };
          const { json } = await api("POST", `/logs/${context.log}/rounds`, { body: sent });
          announce(t("rounds.opened", { matches: json.matches.length, players: json.players, tablets: json.tablets }));
          close("done");
        } catch (error) {
          refusal.textContent = problemText(error);
          // Others may have opened matches meanwhile: preview again.
          if (error instanceof ApiProblem && error.slug === "not-ready") await look();
          else go.disabled = false;
        }
      });
      return [form];
    },
    { className: "broad", closeText: t("common.close"), onEscape: () => mayLeave() },
  );
  clearTimeout(timer);
  if (done) await context.refresh();
}

/** The local date, not the one in UTC. @param {Date} now */
function dayOf(now) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * The text of a file: UTF-8 or UTF-16, else Windows-1252, in which some spreadsheets export.
 *
 * @param {Uint8Array} bytes
 */
function decoded(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** @param {any} preview */
function sumUp(preview) {
  const of = (/** @type {string} */ kind) => preview.lines.filter((/** @type {any} */ line) => line.kind === kind).length;
  if (preview.kind === "players") return t("rounds.sum_players", { n: preview.new_players });
  return t("rounds.sum", { matches: of("match"), byes: of("bye"), players: preview.new_players });
}

/** @param {any} fault */
function sheetFault(fault) {
  return h("p", { class: "refusal" }, `${t("rounds.line_n", { n: fault.line })}: ${faultText(fault)}`);
}

/**
 * Lines that may be "surname, first name" of one player, although they are read as a match of two:
 * every line has two words with a comma, and none is a known player.
 *
 * @param {any} preview
 * @param {string} text
 */
function surnamesOf(preview, text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isPairs = preview.kind === "pairings" && preview.columns.length === 2 && preview.lines[0]?.line === 1;
  if (!isPairs || !lines.every((line) => /^[^,]+,[^,]+$/.test(line))) return null;
  const isKnown = preview.lines.some((/** @type {any} */ { one, two }) => [...one, ...two].some((person) => !person.is_new));
  return isKnown ? null : h("p", { class: "refusal" }, t("rounds.surnames"));
}

/** @param {any} preview */
function ignoredOf(preview) {
  if (preview.ignored.length === 0) return null;
  return h("p", { class: "muted" }, t("rounds.ignored", { columns: preview.ignored.join(", ") }));
}

/** @param {any} fault */
function faultText(fault) {
  return t(`rounds.fault_${fault.code}`, fault.values);
}

/**
 * @param {any} preview
 * @param {(key: string, player: string) => void} choose
 */
function tableOf(preview, choose) {
  if (preview.lines.length === 0) return null;
  const isList = preview.kind === "players";
  const heads = isList ? ["line", "name"] : ["line", "round", "table", "one", "two", "length"];
  return h(
    "table",
    null,
    h("caption", { class: "unseen" }, t("rounds.preview")),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, t(`rounds.${head}`))))),
    h("tbody", null, preview.lines.flatMap((/** @type {any} */ line) => lineOf(line, isList, heads.length, choose))),
  );
}

/**
 * @param {any} line
 * @param {boolean} isList
 * @param {number} width
 * @param {(key: string, player: string) => void} choose
 */
function lineOf(line, isList, width, choose) {
  const isWrong = line.faults.some((/** @type {any} */ fault) => fault.is_error);
  // A missing name is not a bye unless the sheet says so.
  const isSaid = !line.faults.some((/** @type {any} */ { code }) => code === "no_names" || code === "no_opponent");
  const side = (/** @type {"one" | "two"} */ seat) =>
    line[seat].length ? line[seat].flatMap(personOf) : [line.kind === "bye" && isSaid ? t("rounds.bye") : "–"];
  const cells = isList
    ? [side("one"), []]
    : [[line.round ?? "–"], [line.table ?? "–", line.is_table_filled && h("small", { class: "muted" }, ` ${t("rounds.filled")}`)], side("one"), side("two"), [line.length ?? "–"]];
  const rows = [
    h(
      "tr",
      { class: isWrong ? "wrong" : "" },
      h("th", { scope: "row", class: "number" }, String(line.line)),
      (isList ? cells.slice(0, 1) : cells).map((cell) => h("td", null, cell)),
    ),
  ];
  const people = [...line.one, ...line.two];
  if (line.faults.length || people.some((person) => person.candidates.length)) {
    rows.push(
      h(
        "tr",
        { class: isWrong ? "wrong" : "" },
        h("td", null),
        h(
          "td",
          { colspan: width - 1 },
          line.faults.map((/** @type {any} */ fault) =>
            h("p", { class: fault.is_error ? "refusal" : "muted" }, faultText(fault)),
          ),
          people.map((person) => choiceOf(person, line, choose)),
        ),
      ),
    );
  }
  return rows;
}

/** @param {any} person */
function personOf(person, /** @type {number} */ place = 0) {
  return [
    place > 0 ? " / " : "",
    person.name,
    person.is_new && h("small", { class: "muted" }, ` ${t("rounds.new")}`),
    person.penalty_points > 0 &&
      h("span", { class: "badge warn" }, t("rounds.penalty_n", { n: person.penalty_points })),
  ];
}

/**
 * The choice of who is meant by an ambiguous name.
 *
 * @param {any} person
 * @param {any} line
 * @param {(key: string, player: string) => void} choose
 */
function choiceOf(person, line, choose) {
  const isTwice = line.faults.some((/** @type {any} */ fault) => fault.code === "listed_twice");
  if (person.candidates.length === 0 && !isTwice) return null;
  return h(
    "div",
    { class: "row", role: "group", "aria-label": t("rounds.who_is", { name: person.name }) },
    person.candidates.map((/** @type {any} */ one) =>
      h(
        "button",
        { type: "button", on: { click: () => choose(person.key, one.player) } },
        [one.name, one.club, one.federation_id].filter(Boolean).join(" · "),
      ),
    ),
    !(person.is_new && person.candidates.length === 0) &&
      h("button", { type: "button", on: { click: () => choose(person.key, "new") } }, t("rounds.somebody_else")),
  );
}
