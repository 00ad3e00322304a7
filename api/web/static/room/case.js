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

/**
 * Show one match.
 *
 * @param {HTMLElement} place
 * @param {RoomContext} context
 * @param {string} match
 * @param {number | null} at version of the entry to show; null = follow the match
 */
export function showCase(place, context, match, at) {
  /** @type {Known | null} */
  let known = null;
  let read = "";
  let isLeft = false;
  let shown = at;
  const board = /** @type {import("../shared/types").BoardElement} */ (document.createElement("tb-board"));
  const head = h("header", { class: "case-head" });
  const plates = { top: h("p", { class: "plate" }), bottom: h("p", { class: "plate" }) };
  const blank = h("p", { class: "muted", hidden: true });
  const steps = h("div", { class: "row steps" });
  const record = h("ol", { class: "record plain" });
  const first = h("div", { class: "case-first stack" });
  const moment = h("div");
  const rest = h("div", { class: "case-rest stack" });
  /** State that survives redrawing: open folds, unsent ticks. @type {Map<string, any>} */
  const kept = new Map();
  /**
   * Open windows for corrections: at the entry shown, and now.
   * @type {{ at: number | null, shown: any[] | null, now: any[] }}
   */
  let windows = { at: null, shown: null, now: [] };
  fill(
    place,
    head,
    h(
      "div",
      { class: "case" },
      first,
      h("div", { class: "case-board stack" }, plates.top, board, plates.bottom, blank, steps, moment, record),
      rest,
    ),
  );

  /** Numbers of the latest load, and of the latest one drawn: answers may come out of order. */
  let begun = 0;
  let drawn = 0;

  async function load() {
    const base = `/logs/${context.log}/matches/${match}`;
    const mine = (begun += 1);
    const isLate = () => isLeft || mine < drawn;
    try {
      const [scenes, penalties, appeals, branches, entries] = await Promise.all([
        api("GET", `${base}/scenes`),
        api("GET", `${base}/penalties`),
        api("GET", `${base}/appeals`),
        api("GET", `/logs/${context.log}/branches?match=${match}`),
        entriesOf(base),
      ]);
      if (isLate()) return;
      drawn = mine;
      known = {
        scenes: scenes.json.scenes,
        questions: scenes.json.questions,
        penalties: penalties.json,
        appeals: appeals.json.appeals,
        branches: branches.json.branches.filter((/** @type {any} */ one) => one.state === "open"),
        entries,
      };
      draw();
    } catch (error) {
      if (isLate()) return;
      // The next poll tries again. The alert is drawn only once, or it would be read aloud again.
      read = "";
      const why = problemText(error);
      unlessTouched(first, () => {
        if (first.textContent !== why) fill(first, h("p", { class: "card", role: "alert" }, why));
      });
    }
  }

  /** @param {number | null} version */
  function stand(version) {
    shown = version;
    history.replaceState(null, "", version === null ? `#${match}` : `#${match}/${version}`);
    draw();
    const scene = sceneAt();
    if (scene) announce(saidText(scene, names()));
  }

  const names = () => namesOf(context.tableOf(match)?.names);

  function sceneAt() {
    const scenes = known?.scenes ?? [];
    return shown === null
      ? scenes.at(-1)
      : scenes.findLast((scene) => scene.version <= /** @type {number} */ (shown));
  }

  const draw = () => unlessTouched(place, drawNow);

  function drawNow() {
    if (known === null || isLeft) return;
    const now = known;
    const scene = sceneAt();
    drawBoard(board, scene, now.scenes, names());
    blank.hidden = board.board !== null;
    blank.textContent = t(scene?.game ? "room.no_board" : "room.no_board_yet");
    drawPlates();
    keepingFocus(head, () => drawHead(head, context, match, scene));
    drawSteps(steps, now, shown, stand);
    keepingFocus(record, () => drawRecord(record, now, scene, names(), stand));
    drawSides();
    void readWindows();
  }

  /** Draw the sections of `sections.js`: everything except board and record. */
  function drawSides() {
    if (known === null) return;
    /** @type {CaseView} */
    const view = {
      context,
      match,
      known,
      scene: sceneAt(),
      version: shown ?? known.scenes.at(-1)?.version ?? 1,
      names: names(),
      windows: windows.at === sceneAt()?.version ? windows.shown : null,
      closing: windows.now,
      kept,
      stand,
    };
    for (const [place, area] of /** @type {[HTMLElement, "first" | "moment" | "rest"][]} */ ([
      [first, "first"],
      [moment, "moment"],
      [rest, "rest"],
    ])) {
      const calm = place === first ? [h("p", { class: "muted calm" }, t("panel.calm_here"))] : [];
      keepingFocus(place, () => {
        const parts = partsOf(area, view);
        fill(place, ...(parts.length > 0 ? parts : calm));
      });
    }
  }

  /** Draw both players: clocks run if the last entry is shown, else they show the entry's times. */
  function drawPlates() {
    const scene = sceneAt();
    const { bottom } = choices();
    const table = context.tableOf(match);
    const isNow = table?.clock && scene?.version === table.last?.version;
    for (const [place, seat] of /** @type {[HTMLElement, Seat][]} */ ([
      [plates.top, bottom === "one" ? "two" : "one"],
      [plates.bottom, bottom],
    ])) {
      const old = table?.clock?.running === seat ? lastPress(context, match) : null;
      drawPlate(place, seat, scene, names(), isNow ? [old, timeOf(context, match, seat)] : undefined);
    }
  }

  /** Fetch the windows for corrections, for the entry shown and for now. */
  async function readWindows() {
    const last = known?.scenes.at(-1)?.version ?? null;
    const version = sceneAt()?.version ?? null;
    try {
      const [at, now] = await Promise.all([windowsAt(version), version === last ? null : windowsAt(last)]);
      if (isLeft || version !== (sceneAt()?.version ?? null)) return;
      const read = { at: version, shown: at, now: now ?? at };
      if (JSON.stringify(read) === JSON.stringify(windows)) return;
      windows = read;
      drawSides();
    } catch (error) {
      // Keep what is shown; the next draw asks again.
      console.warn(error);
    }
  }

  /** @param {number | null} version */
  async function windowsAt(version) {
    const at = version === null ? "" : `?at=${version}`;
    const { json } = await api("GET", `/logs/${context.log}/matches/${match}/windows${at}`);
    return json.windows;
  }

  function update(isAnew = false) {
    const table = context.tableOf(match);
    const said = JSON.stringify([table?.last?.version, table?.parked, table?.lease, table?.shadows, table?.is_public, callsOf(context, match)]);
    if (isAnew || said !== read) {
      read = said;
      void load();
    } else if (known !== null) {
      drawPlates();
    }
  }
  fill(first, h("p", { class: "card muted" }, t("room.reading_match")));
  update();
  return {
    update,
    leave() {
      isLeft = true;
    },
  };
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
