// A match as the director sees it: the board at an entry, the record, and everything to decide.

import "../board/element.js";
import { announce, fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { rulesCalled } from "../shared/rules_called.js";
import { choices } from "../shared/settings.js";
import { t } from "../shared/texts.js";
import { lastPress, timeOf } from "./clock.js";
import { problemText } from "./forms.js";
import { badge, keepingFocus, key } from "./cards.js";
import { callsOf } from "./home.js";
import { drawRecord } from "./record.js";
import { partsOf } from "./sections.js";
import { drawBoard, drawPlate } from "./table.js";
import { unlessTouched } from "./touched.js";
import { namesOf, pairOf, saidText, wordText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("../shared/types").Seat} Seat
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {import("./types").Known} Known
 */

/** One match on the page: fetched, drawn, and drawn anew when it has changed. */
export class Case {
  /** @type {Known | null} */
  #known = null;
  /** What `update` read of the match's line in the room last. */
  #read = "";
  #isLeft = false;
  /** Numbers of the latest load, and of the latest one drawn: answers may come out of order. */
  #begun = 0;
  #drawn = 0;
  /** State that survives redrawing: open folds, unsent ticks. @type {Map<string, any>} */
  #kept = new Map();
  /**
   * Open windows for corrections: at the entry shown, and now.
   * @type {{ at: number | null, shown: any[] | null, now: any[] }}
   */
  #windows = { at: null, shown: null, now: [] };
  #board = /** @type {import("../shared/types").BoardElement} */ (document.createElement("tb-board"));
  #head = h("header", { class: "case-head" });
  #plates = { top: h("p", { class: "plate" }), bottom: h("p", { class: "plate" }) };
  #blank = h("p", { class: "muted", hidden: true });
  #steps = h("div", { class: "row steps" });
  #record = h("ol", { class: "record plain" });
  #first = h("div", { class: "case-first stack" });
  #moment = h("div");
  #rest = h("div", { class: "case-rest stack" });

  /**
   * @param {HTMLElement} place
   * @param {RoomContext} context
   * @param {string} match
   * @param {number | null} shown version of the entry to show; null = follow the match
   */
  constructor(place, context, match, shown) {
    this.place = place;
    this.context = context;
    this.match = match;
    this.shown = shown;
    const { top, bottom } = this.#plates;
    const middle = [top, this.#board, bottom, this.#blank, this.#steps, this.#moment, this.#record];
    fill(
      place,
      this.#head,
      h("div", { class: "case" }, this.#first, h("div", { class: "case-board stack" }, ...middle), this.#rest),
    );
    fill(this.#first, h("p", { class: "card muted" }, t("room.reading_match")));
    this.update();
  }

  leave() {
    this.#isLeft = true;
  }

  update(isAnew = false) {
    const table = this.context.tableOf(this.match);
    const calls = callsOf(this.context, this.match);
    const read = JSON.stringify([table?.last?.version, table?.parked, table?.lease, table?.shadows, table?.is_public, calls]);
    if (isAnew || read !== this.#read) {
      this.#read = read;
      void this.#load();
    } else if (this.#known !== null) {
      this.#drawPlates();
    }
  }

  async #load() {
    const base = `/logs/${this.context.log}/matches/${this.match}`;
    const mine = (this.#begun += 1);
    const isLate = () => this.#isLeft || mine < this.#drawn;
    try {
      const [scenes, penalties, appeals, branches, entries] = await Promise.all([
        api("GET", `${base}/scenes`),
        api("GET", `${base}/penalties`),
        api("GET", `${base}/appeals`),
        api("GET", `/logs/${this.context.log}/branches?match=${this.match}`),
        entriesOf(base),
      ]);
      if (isLate()) return;
      this.#drawn = mine;
      this.#known = {
        scenes: scenes.json.scenes,
        questions: scenes.json.questions,
        penalties: penalties.json,
        appeals: appeals.json.appeals,
        branches: branches.json.branches.filter((/** @type {any} */ one) => one.state === "open"),
        entries,
      };
      this.#draw();
    } catch (error) {
      if (isLate()) return;
      // The next poll tries again. The alert is drawn only once, or it would be read aloud again.
      this.#read = "";
      const why = problemText(error);
      unlessTouched(this.#first, () => {
        if (this.#first.textContent !== why) fill(this.#first, h("p", { class: "card", role: "alert" }, why));
      });
    }
  }

  /** Show the match at an entry, or follow it. @param {number | null} version */
  #stand = (version) => {
    this.shown = version;
    history.replaceState(null, "", version === null ? `#${this.match}` : `#${this.match}/${version}`);
    this.#draw();
    const scene = this.#scene();
    if (scene) announce(saidText(scene, this.#names()));
  };

  #names() {
    return namesOf(this.context.tableOf(this.match)?.names);
  }

  /** The scene shown. */
  #scene() {
    const { shown } = this;
    const scenes = this.#known?.scenes ?? [];
    return shown === null ? scenes.at(-1) : scenes.findLast((scene) => scene.version <= shown);
  }

  #draw() {
    unlessTouched(this.place, () => this.#drawNow());
  }

  #drawNow() {
    const known = this.#known;
    if (known === null || this.#isLeft) return;
    const scene = this.#scene();
    drawBoard(this.#board, scene, known.scenes, this.#names());
    this.#blank.hidden = this.#board.board !== null;
    this.#blank.textContent = t(scene?.game ? "room.no_board" : "room.no_board_yet");
    this.#drawPlates();
    keepingFocus(this.#head, () => drawHead(this.#head, this.context, this.match, scene));
    drawSteps(this.#steps, known, this.shown, this.#stand);
    keepingFocus(this.#record, () => drawRecord(this.#record, known, scene, this.#names(), this.#stand));
    this.#drawSides();
    void this.#readWindows();
  }

  /** Draw the sections of `sections.js`: everything except board and record. */
  #drawSides() {
    const known = this.#known;
    if (known === null) return;
    const scene = this.#scene();
    /** @type {CaseView} */
    const view = {
      context: this.context,
      match: this.match,
      known,
      scene,
      version: this.shown ?? known.scenes.at(-1)?.version ?? 1,
      names: this.#names(),
      windows: this.#windows.at === scene?.version ? this.#windows.shown : null,
      closing: this.#windows.now,
      kept: this.#kept,
      stand: this.#stand,
    };
    for (const [place, area] of /** @type {[HTMLElement, "first" | "moment" | "rest"][]} */ ([
      [this.#first, "first"],
      [this.#moment, "moment"],
      [this.#rest, "rest"],
    ])) {
      const calm = area === "first" ? [h("p", { class: "muted calm" }, t("panel.calm_here"))] : [];
      keepingFocus(place, () => {
        const parts = partsOf(area, view);
        fill(place, ...(parts.length > 0 ? parts : calm));
      });
    }
  }

  /** Draw both players: clocks run if the last entry is shown, else they show the entry's times. */
  #drawPlates() {
    const { context, match } = this;
    const scene = this.#scene();
    const { bottom } = choices();
    const table = context.tableOf(match);
    const isNow = table?.clock && scene?.version === table.last?.version;
    for (const [place, seat] of /** @type {[HTMLElement, Seat][]} */ ([
      [this.#plates.top, bottom === "one" ? "two" : "one"],
      [this.#plates.bottom, bottom],
    ])) {
      const old = table?.clock?.running === seat ? lastPress(context, match) : null;
      drawPlate(place, seat, scene, this.#names(), isNow ? [old, timeOf(context, match, seat)] : undefined);
    }
  }

  /** Fetch the windows for corrections, for the entry shown and for now. */
  async #readWindows() {
    const last = this.#known?.scenes.at(-1)?.version ?? null;
    const version = this.#scene()?.version ?? null;
    try {
      const [at, now] = await Promise.all([this.#windowsAt(version), version === last ? null : this.#windowsAt(last)]);
      if (this.#isLeft || version !== (this.#scene()?.version ?? null)) return;
      const read = { at: version, shown: at, now: now ?? at };
      if (JSON.stringify(read) === JSON.stringify(this.#windows)) return;
      this.#windows = read;
      this.#drawSides();
    } catch (error) {
      // Keep what is shown; the next draw asks again.
      console.warn(error);
    }
  }

  /** @param {number | null} version */
  async #windowsAt(version) {
    const at = version === null ? "" : `?at=${version}`;
    const { json } = await api("GET", `/logs/${this.context.log}/matches/${this.match}/windows${at}`);
    return json.windows;
  }
}

/**
 * Fetch all entries of a match, by version.
 *
 * @param {string} base
 */
async function entriesOf(base) {
  /** @type {Map<number, any>} */
  const entries = new Map();
  for (let after = 0; ; ) {
    const { json } = await api("GET", `${base}/events?after=${after}&limit=1000`);
    for (const entry of json.entries) entries.set(entry.version, entry);
    if (json.next_after === null) return entries;
    after = json.next_after;
  }
}

/**
 * @param {HTMLElement} head
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} line
 */
function drawHead(head, context, match, line) {
  const table = context.tableOf(match);
  const page = `/matches/${context.log}/${match}`;
  const at = line ? `#v${line.version}` : "";
  fill(
    head,
    h("a", { class: "button", href: "#" }, `← ${t("room.all_tables")}`),
    h("h2", null, pairOf(table?.names)),
    h(
      "span",
      { class: "muted", title: table?.rule_set ?? "" },
      [
        table && t("room.table_n", { n: table.table ?? "–" }),
        table && (table.length === null ? t("room.money") : t("room.to_n", { n: table.length })),
        table?.rule_set && rulesCalled(table.rule_set),
      ]
        .filter(Boolean)
        .join(" · "),
    ),
    table && h("span", { class: "muted" }, wordText(table.state)),
    table && !table.is_public && badge("warn", t("room.public_no")),
    h("a", { class: "button", href: `${page}/replay${at}` }, t("room.replay")),
    h("a", { class: "button", href: page }, t("room.match_page")),
  );
}

/**
 * @param {HTMLElement} steps
 * @param {Known} known
 * @param {number | null} shown
 * @param {(version: number | null) => void} stand
 */
function drawSteps(steps, known, shown, stand) {
  const last = known.scenes.at(-1)?.version ?? 0;
  const now = shown ?? last;
  keepingFocus(steps, () =>
    fill(
      steps,
      labelled("‹", t("room.step_back"), now <= 1, () => stand(now - 1)),
      h("span", { class: "number" }, t("room.at_of", { n: now, of: last })),
      labelled("›", t("room.step_on"), now >= last, () => stand(now + 1)),
      shown === null
        ? badge("good", t("room.follows"))
        : key(t("room.to_now"), () => stand(null), "primary"),
    ),
  );
}

/**
 * @param {string} sign
 * @param {string} label
 * @param {boolean} isOff
 * @param {() => void} act
 */
function labelled(sign, label, isOff, act) {
  return h("button", { type: "button", "aria-label": label, disabled: isOff, on: { click: act } }, sign);
}
