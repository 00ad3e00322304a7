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
  const sheet = new Sheet(context);
  const done = await dialog(t("rounds.title"), (close) => [sheet.form(close)], {
    className: "broad",
    closeText: t("common.close"),
    onEscape: () => sheet.mayLeave(),
  });
  sheet.leave();
  if (done) await context.refresh();
}

/** The sheet in its dialog: typed, previewed a moment later, opened as previewed. */
class Sheet {
  /** @type {import("./answered.js").Answer[]} */
  #answers = [];
  #request = uuid();
  #asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #changes = { on: { input: () => this.#later() } };
  #text = h("textarea", {
    id: "sheet-text",
    rows: 7,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: t("rounds.placeholder"),
    "aria-describedby": "sheet-hint",
    ...this.#changes,
  });
  #file = h("input", {
    id: "sheet-file",
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv,text/plain",
    on: { change: () => void this.#read() },
  });
  #round = h("input", { id: "sheet-round", type: "text", maxlength: 40, autocomplete: "off", ...this.#changes });
  #length;
  // The day can be chosen, since a round may be opened the evening before.
  #day = h("input", { id: "sheet-day", type: "date", value: dayOf(new Date()), ...this.#changes });
  #start = h("input", { id: "sheet-start", type: "time", ...this.#changes });
  #called;
  #shown = h("div", { class: "sheet-preview", role: "region", "aria-label": t("rounds.preview"), tabindex: 0 });
  #summary = h("p", { class: "muted", role: "status" });
  #refusal = h("p", { class: "refusal", role: "alert" });
  #go = h("button", { type: "submit", class: "primary", disabled: true }, t("rounds.open"));
  /** @type {() => boolean} */
  mayLeave = () => true;

  /** @param {RoomContext} context */
  constructor(context) {
    this.path = `/logs/${context.log}/rounds`;
    const length = context.room()?.tournament?.defaults?.length ?? "";
    this.#length = h("input", { id: "sheet-length", type: "number", min: 1, max: 99, value: length, ...this.#changes });
    // Calling at once is preselected only if no match is in progress: players may be busy.
    const isFree = !(context.room()?.tables ?? []).some((table) => table.state !== "ended");
    this.#called = h("input", { type: "checkbox", id: "sheet-called", checked: isFree });
  }

  /** @param {(value?: string) => void} close */
  form(close) {
    const labelled = (/** @type {HTMLElement} */ input, /** @type {string} */ label) =>
      h("div", { class: "field" }, h("label", { for: input.id }, label), input);
    const form = h(
      "form",
      { class: "stack", novalidate: true },
      h("p", { id: "sheet-hint", class: "muted" }, t("rounds.hint")),
      h("label", { for: "sheet-text" }, t("rounds.paste")),
      this.#text,
      labelled(this.#file, t("rounds.file")),
      h(
        "div",
        { class: "row" },
        labelled(this.#round, t("rounds.round")),
        labelled(this.#length, t("rounds.length")),
        labelled(this.#day, t("tournament.date")),
        labelled(this.#start, t("rounds.start")),
        h("label", { class: "chip" }, this.#called, h("span", null, t("rounds.call_with"))),
      ),
      this.#summary,
      this.#shown,
      h(
        "div",
        { class: "row actions" },
        this.#refusal,
        this.#go,
        h("button", { type: "button", class: "quiet", on: { click: () => close() } }, t("common.cancel")),
      ),
    );
    this.mayLeave = keepsTyped(form, this.#refusal);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#open(close);
    });
    return form;
  }

  /** Fetch no preview any more. */
  leave() {
    clearTimeout(this.#timer);
  }

  #body() {
    const chosen = this.#day.value || dayOf(new Date());
    return {
      text: this.#text.value,
      round: this.#round.value.trim() || null,
      length: Number(this.#length.value) || null,
      day: chosen,
      // The time zone's offset on that day.
      offset_minutes: -new Date(`${chosen}T${this.#start.value || "12:00"}`).getTimezoneOffset(),
      answers: holding(this.#text.value, this.#answers),
    };
  }

  #later() {
    // Only a previewed sheet can be opened.
    this.#go.disabled = true;
    // A changed sheet is a new request; the same sheet sent again is a retry.
    this.#request = uuid();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), PAUSE_MS);
  }

  async #look() {
    const number = (this.#asked += 1);
    this.#refusal.textContent = "";
    if (this.#text.value.trim() === "") {
      fill(this.#shown);
      this.#summary.textContent = "";
      return;
    }
    if (this.#text.value.length > MOST_CHARACTERS) {
      this.#refusal.textContent = t("rounds.too_long");
      return;
    }
    try {
      const { json } = await api("POST", `${this.path}/preview`, { body: this.#body() });
      if (number !== this.#asked) return;
      this.#draw(json);
    } catch (error) {
      if (number === this.#asked) this.#refusal.textContent = problemText(error);
    }
  }

  /** @param {any} preview */
  #draw(preview) {
    const matches = preview.lines.filter((/** @type {any} */ line) => line.kind === "match").length;
    const opens = matches === 1 ? t("rounds.open_one") : t("rounds.open_n", { n: matches });
    this.#go.textContent = preview.kind === "players" ? t("rounds.register") : opens;
    this.#go.disabled = preview.errors > 0 || preview.lines.length === 0;
    this.#summary.textContent = preview.errors > 0 ? t("rounds.errors_n", { n: preview.errors }) : sumUp(preview);
    fill(
      this.#shown,
      ...preview.faults.map(sheetFault),
      surnamesOf(preview, this.#text.value),
      ignoredOf(preview),
      tableOf(preview, (key, player) => this.#choose(key, player)),
    );
  }

  /** @param {string} key @param {string} player */
  #choose(key, player) {
    this.#answers = [...this.#answers, answerOf(this.#text.value, key, player)];
    this.#request = uuid();
    void this.#look();
  }

  async #read() {
    const [chosen] = this.#file.files ?? [];
    if (!chosen) return;
    if (chosen.size > 4 * MOST_CHARACTERS) {
      this.#refusal.textContent = t("rounds.too_long");
      return;
    }
    this.#text.value = decoded(new Uint8Array(await chosen.arrayBuffer()));
    this.#answers = [];
    this.#later();
  }

  /** Open what was previewed. @param {(value?: string) => void} close */
  async #open(close) {
    if (this.#go.disabled) return;
    this.#go.disabled = true;
    this.#refusal.textContent = "";
    try {
      const body = this.#body();
      const start = this.#start.value ? new Date(`${body.day}T${this.#start.value}`).toISOString() : null;
      const sent = { ...body, request_id: this.#request, start, called: this.#called.checked };
      const { json } = await api("POST", this.path, { body: sent });
      announce(t("rounds.opened", { matches: json.matches.length, players: json.players, tablets: json.tablets }));
      close("done");
    } catch (error) {
      this.#refusal.textContent = problemText(error);
      // Others may have opened matches meanwhile: preview again.
      if (error instanceof ApiProblem && error.slug === "not-ready") await this.#look();
      else this.#go.disabled = false;
    }
  }
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
