// One match as the director sees it: the board at the frozen moment, and everything to decide.

import "../board/element.js";
import { announce, fill, h } from "../dom.js";
import { api } from "../http.js";
import { choices } from "../settings.js";
import { t } from "../texts.js";
import { adjustClock, carryOut, late, penalise, publish, raiseDispute, rule, sanction } from "./acts.js";
import { appealCard, fileAppeal } from "./appeals.js";
import { lastPress, timeOf } from "./clock.js";
import { branchesCard, tabletCard } from "./custody.js";
import { problemText } from "./forms.js";
import { badge, keepingFocus, key } from "./hall.js";
import { momentCard } from "./moment.js";
import { noticesCard } from "./notices.js";
import { penaltyCard } from "./penalties.js";
import { drawBoard, drawPlate } from "./table.js";
import { windowsCard } from "./windows.js";
import { sentence } from "../replay/words.js";
import { ageText, citationText, namesOf, pairOf, saidText, wordText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("../types").Seat} Seat
 * @typedef {{ scenes: import("../replay/types").Scene[], questions: any[], penalties: any, appeals: any[], branches: any[], entries: Map<number, any> }} Known
 */

/** Lines of the record shown around the moment. */
const AROUND = 8;

/**
 * Show one match.
 *
 * @param {HTMLElement} place
 * @param {RoomContext} context
 * @param {string} match
 * @param {number | null} at the version to stand at; null follows the match
 */
export function showCase(place, context, match, at) {
  /** @type {Known | null} */
  let known = null;
  let read = "";
  let isLeft = false;
  let shown = at;
  const board = /** @type {import("../types").BoardElement} */ (document.createElement("tb-board"));
  const head = h("header", { class: "case-head" });
  const plates = { top: h("p", { class: "plate" }), bottom: h("p", { class: "plate" }) };
  const blank = h("p", { class: "muted", hidden: true }, t("room.no_board_yet"));
  const steps = h("div", { class: "row steps" });
  const record = h("ol", { class: "record plain" });
  const moment = h("div", { class: "moment" });
  const windows = h("div", { class: "windows" });
  const side = h("div", { class: "case-side stack" });
  fill(
    place,
    head,
    h(
      "div",
      { class: "case" },
      h("div", { class: "case-board stack" }, plates.top, board, plates.bottom, blank, steps, record),
      side,
    ),
  );

  async function load() {
    const base = `/logs/${context.log}/matches/${match}`;
    try {
      const [scenes, penalties, appeals, branches, entries] = await Promise.all([
        api("GET", `${base}/scenes`),
        api("GET", `${base}/penalties`),
        api("GET", `${base}/appeals`),
        api("GET", `/logs/${context.log}/branches?match=${match}`),
        entriesOf(base),
      ]);
      if (isLeft) return;
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
      if (!isLeft) fill(side, h("p", { class: "card", role: "alert" }, problemText(error)));
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

  function draw() {
    if (known === null) return;
    const now = known;
    const scene = sceneAt();
    drawBoard(board, scene, now.scenes, names());
    blank.hidden = board.board !== null;
    drawPlates();
    keepingFocus(head, () => drawHead(head, context, match, scene));
    drawSteps(steps, now, shown, stand);
    keepingFocus(record, () => drawRecord(record, now, scene, names(), stand));
    fill(moment, momentCard(scene, now.entries.get(scene?.version ?? 0) ?? null, names()));
    keepingFocus(side, () => fill(side, ...sideOf(context, match, now, shown, stand, { moment, windows })));
    void drawWindows(scene?.version ?? null);
  }

  /** Both players; the clock runs on where the match is followed, and stands at an entry gone by. */
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

  /**
   * What could be put right at the moment that is shown: the server's answer for that version.
   *
   * @param {number | null} version
   */
  async function drawWindows(version) {
    try {
      const at = version === null ? "" : `?at=${version}`;
      const { json } = await api("GET", `/logs/${context.log}/matches/${match}/windows${at}`);
      if (isLeft || version !== (sceneAt()?.version ?? null)) return;
      keepingFocus(windows, () => fill(windows, windowsCard(json.windows, names(), stand)));
    } catch (error) {
      if (!isLeft) fill(windows, h("p", { class: "card", role: "alert" }, problemText(error)));
    }
  }

  function update() {
    const table = context.tableOf(match);
    const said = JSON.stringify([table?.last?.version, table?.parked, table?.lease, table?.shadows, table?.is_public]);
    if (said !== read) {
      read = said;
      void load();
    } else if (known !== null) {
      drawPlates();
    }
  }
  fill(side, h("p", { class: "card muted" }, t("room.reading_match")));
  update();
  return {
    update,
    leave() {
      isLeft = true;
    },
  };
}

/**
 * Every entry by its version: acts name entries by id, people by number, and what was said is in them.
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
      { class: "muted" },
      [
        table && t("room.table_n", { n: table.table ?? "–" }),
        table && (table.length === null ? t("room.money") : t("room.to_n", { n: table.length })),
        table?.rule_set,
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

/**
 * @param {HTMLElement} record
 * @param {Known} known
 * @param {import("../replay/types").Scene | undefined} at
 * @param {import("../types").BySeat<string>} names
 * @param {(version: number) => void} stand
 */
function drawRecord(record, known, at, names, stand) {
  const { scenes } = known;
  const index = at === undefined ? -1 : scenes.indexOf(at);
  const from = Math.max(0, Math.min(index - AROUND + 3, scenes.length - AROUND));
  fill(
    record,
    ...scenes.slice(from, from + AROUND).map((line) =>
      h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            class: ["quiet", "line", line.status === "retracted" && "undone"],
            "aria-current": line === at ? "step" : null,
            on: { click: () => stand(line.version) },
          },
          h("span", { class: "number muted" }, String(line.version)),
          h("span", { class: "said" }, saidText(line, names)),
          line.status !== "stands" && badge("", t(`room.${line.status}`)),
          line.marks.includes("freeze") && badge("warn", t("replay.mark.freeze")),
          line.findings.length > 0 && badge("warn", t("room.findings_n", { n: line.findings.length })),
        ),
      ),
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {Known} known
 * @param {number | null} shown
 * @param {(version: number) => void} stand
 * @param {{ moment: HTMLElement, windows: HTMLElement }} parts
 */
function sideOf(context, match, known, shown, stand, { moment, windows }) {
  const lines = known.scenes;
  const names = namesOf(context.tableOf(match)?.names);
  const version = shown ?? lines.at(-1)?.version ?? 1;
  const calls = (context.room()?.calls ?? []).filter((call) => call.match_id === match && !call.answered);
  const dispute = context.tableOf(match)?.dispute ?? null;
  const open = known.questions.filter((/** @type {any} */ one) => one.answered === null);
  const rulings = lines.filter((line) => line.tag === "ruling.made");
  const lastRuling = rulings.at(-1)?.entry_id ?? null;
  const appealable = lines.filter((line) => line.tag === "ruling.made" || line.tag === "penalty.assessed");
  return [
    (calls.length > 0 || dispute) &&
      card(
        t("room.waits_for_you"),
        ...calls.map((call) =>
          h(
            "div",
            { class: "row" },
            h("span", null, callText(context, match, call)),
            !call.parked && key(t("room.to_moment"), () => stand(call.version)),
            !call.parked && key(t("room.settle"), () => settleCall(context, match, call), "primary"),
          ),
        ),
        dispute &&
          h(
            "div",
            { class: "row" },
            h("span", null, disputeText(lines, dispute.version, names)),
            key(t("room.frozen"), () => stand(dispute.frozen_version ?? dispute.version)),
            key(t("room.settle"), () => settle(context, match, lines, dispute), "primary"),
          ),
      ),
    noticesCard(context, match, lines, names),
    moment,
    ...branchesCard(context, match, known.branches, known.entries),
    card(
      t("room.questions"),
      open.length === 0 && h("p", { class: "muted" }, t("room.no_questions")),
      ...open.map((/** @type {any} */ question) => questionLine(context, match, question, stand)),
    ),
    card(
      t("room.acts"),
      h(
        "div",
        { class: "chips" },
        key(t("room.rule"), () => rule(context, match)),
        key(t("room.carry_out"), () => carryOut(context, match, lines, lastRuling)),
        key(t("room.raise"), () => raiseDispute(context, match, version)),
        key(t("room.penalise"), () => penalise(context, match)),
        key(t("room.late_title"), () => late(context, match)),
        key(t("room.sanction"), () => sanction(context, match)),
        key(t("room.adjust_clock"), () => adjustClock(context, match)),
        key(t("room.publication"), () => publish(context, match, known.entries)),
        appealable.length > 0 &&
          key(t("room.file_appeal"), () => fileAppeal(context, match, appealable)),
      ),
    ),
    penaltyCard(context, match, known.penalties, known.entries),
    windows,
    known.appeals.length > 0 &&
      card(
        t("room.appeals"),
        h(
          "ul",
          { class: "plain" },
          known.appeals.map((appeal) =>
            appealCard(context, match, appeal, known.entries.get(appeal.version)?.entry_id ?? null),
          ),
        ),
      ),
    tabletCard(context, match),
  ];
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("./types").CallLine} call
 */
function settleCall(context, match, call) {
  const about = callText(context, match, call);
  return rule(context, match, { dispute: call.entry_id, title: t("room.settle_call"), about });
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {readonly import("../replay/types").Scene[]} scenes
 * @param {{ version: number, entry_id: string }} dispute
 */
function settle(context, match, scenes, { version, entry_id: entry }) {
  const about = disputeText(scenes, version, namesOf(context.tableOf(match)?.names));
  return rule(context, match, { dispute: entry, title: t("room.settle_dispute"), about });
}

/**
 * Who calls, since when, and what about.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("./types").CallLine} call
 */
function callText(context, match, call) {
  const by = call.by === "one" || call.by === "two" ? context.nameOf(match, call.by) : wordText(call.by ?? "table");
  const age = ageText(call.received_at, context.room()?.server_time_ms ?? 0);
  const parked = call.parked ? ` · ${t("room.call_parked")}` : "";
  return `${t("room.call_of", { name: by })} · ${age}${parked}`;
}

/**
 * @param {readonly import("../replay/types").Scene[]} scenes
 * @param {number} version
 * @param {import("../types").BySeat<string>} names
 */
function disputeText(scenes, version, names) {
  const scene = scenes.find((one) => one.version === version);
  return scene ? saidText(scene, names) : t("room.in_dispute");
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} question
 * @param {(version: number) => void} stand
 */
function questionLine(context, match, question, stand) {
  return h(
    "div",
    { class: "question" },
    h("p", null, sentence(question.said, namesOf(context.tableOf(match)?.names))),
    h("p", { class: "muted" }, citationText(question)),
    h(
      "div",
      { class: "row" },
      key(t("room.entry_n", { n: question.version }), () => stand(question.version)),
      key(t("room.rule"), () => rule(context, match, { question }), "primary"),
    ),
  );
}

/**
 * @param {string} title
 * @param {...(Node | null | undefined | false | 0 | "")} children
 */
export function card(title, ...children) {
  return h("section", { class: "card" }, h("h3", null, title), children.filter((one) => one instanceof Node));
}
