// One match as the director sees it: the board at the frozen moment, and everything to decide.

import "../board/element.js";
import { announce, fill, h } from "../dom.js";
import { api } from "../http.js";
import { choices } from "../settings.js";
import { t } from "../texts.js";
import { adjustClock, carryOut, late, penalise, publish, raiseDispute, rule, sanction, waive } from "./acts.js";
import { appealCard, fileAppeal } from "./appeals.js";
import { branchesCard, tabletCard } from "./custody.js";
import { problemText } from "./forms.js";
import { badge, keepingFocus, key } from "./hall.js";
import { clockText, lineText, nameOf, pairOf, wordText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {{ replay: any, windows: any[], penalties: any, appeals: any[], branches: any[], ids: Map<number, string> }} Known
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
  const steps = h("div", { class: "row steps" });
  const record = h("ol", { class: "record plain" });
  const side = h("div", { class: "case-side stack" });
  fill(
    place,
    head,
    h("div", { class: "case" }, h("div", { class: "case-board stack" }, board, steps, record), side),
  );

  async function load() {
    const base = `/logs/${context.log}/matches/${match}`;
    try {
      const [replay, windows, penalties, appeals, branches, events] = await Promise.all([
        api("GET", `${base}/replay`),
        api("GET", `${base}/windows`),
        api("GET", `${base}/penalties`),
        api("GET", `${base}/appeals`),
        api("GET", `/logs/${context.log}/branches?match=${match}`),
        entryIds(base),
      ]);
      if (isLeft) return;
      known = {
        replay: replay.json,
        windows: windows.json.windows,
        penalties: penalties.json,
        appeals: appeals.json.appeals,
        branches: branches.json.branches.filter((/** @type {any} */ one) => one.state === "open"),
        ids: events,
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
    const line = lineAt();
    if (line) announce(lineText(line, names()));
  }

  const names = () => context.tableOf(match)?.names ?? { one: null, two: null };

  function lineAt() {
    const lines = known?.replay.lines ?? [];
    return shown === null ? lines.at(-1) : lines.findLast((/** @type {any} */ line) => line.version <= /** @type {number} */ (shown));
  }

  function draw() {
    if (known === null) return;
    const line = lineAt();
    drawBoard(board, line, names());
    drawHead(head, context, match, line);
    drawSteps(steps, known, shown, stand);
    keepingFocus(record, () => drawRecord(record, /** @type {Known} */ (known), line, names(), stand));
    keepingFocus(side, () =>
      fill(side, ...sideOf(context, match, /** @type {Known} */ (known), shown, stand)),
    );
  }

  function update() {
    const table = context.tableOf(match);
    const said = JSON.stringify([table?.last?.version, table?.parked, table?.lease, table?.shadows, table?.is_public]);
    if (said !== read) {
      read = said;
      void load();
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
 * Version to entry id: acts name entries by id, and people by number.
 *
 * @param {string} base
 */
async function entryIds(base) {
  /** @type {Map<number, string>} */
  const ids = new Map();
  for (let after = 0; ; ) {
    const { json } = await api("GET", `${base}/events?after=${after}&limit=1000`);
    for (const entry of json.entries) ids.set(entry.version, entry.entry_id);
    if (json.next_after === null) return ids;
    after = json.next_after;
  }
}

/**
 * @param {import("../types").BoardElement} board
 * @param {any} line
 * @param {import("../types").BySeat<string | null>} names
 */
function drawBoard(board, line, names) {
  const chosen = choices();
  board.bottom = chosen.bottom;
  board.direction = chosen.direction;
  board.interactive = false;
  board.labels = { one: nameOf(names, "one"), two: nameOf(names, "two") };
  board.board = line?.checkers?.one ? line.checkers : null;
  board.cube = line?.cube ?? { value: 1, owner: null, offered_by: null };
  board.turn = line?.to_act ?? null;
  const isRoll = line?.dice && (line.tag === "dice.rolled" || line.tag === "dice.rolled_early");
  board.dice = isRoll ? line.dice : null;
  board.diceSeat = line?.seat ?? null;
}

/**
 * @param {HTMLElement} head
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} line
 */
function drawHead(head, context, match, line) {
  const table = context.tableOf(match);
  const at = line ? `#v${line.version}` : "";
  fill(
    head,
    h("a", { class: "button", href: "#" }, `← ${t("room.all_tables")}`),
    h("h2", null, pairOf(table?.names)),
    h("span", { class: "number score" }, line ? `${line.score.one}–${line.score.two}` : ""),
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
    line?.clock &&
      h(
        "span",
        { class: "number" },
        `${clockText(line.clock.reserve_ms.one)} / ${clockText(line.clock.reserve_ms.two)}`,
      ),
    h("a", { class: "button", href: `/matches/${context.log}/${match}/replay${at}` }, t("room.replay")),
  );
}

/**
 * @param {HTMLElement} steps
 * @param {Known} known
 * @param {number | null} shown
 * @param {(version: number | null) => void} stand
 */
function drawSteps(steps, known, shown, stand) {
  const last = known.replay.lines.at(-1)?.version ?? 0;
  const now = shown ?? last;
  keepingFocus(steps, () =>
    fill(
      steps,
      labelled("‹", t("room.step_back"), () => stand(Math.max(1, now - 1))),
      h("span", { class: "number" }, t("room.at_of", { n: now, of: last })),
      labelled("›", t("room.step_on"), () => stand(Math.min(last, now + 1))),
      shown === null
        ? badge("good", t("room.follows"))
        : key(t("room.to_now"), () => stand(null), "primary"),
    ),
  );
}

/**
 * @param {string} sign
 * @param {string} label
 * @param {() => void} act
 */
function labelled(sign, label, act) {
  return h("button", { type: "button", "aria-label": label, on: { click: act } }, sign);
}

/**
 * @param {HTMLElement} record
 * @param {Known} known
 * @param {any} at
 * @param {import("../types").BySeat<string | null>} names
 * @param {(version: number) => void} stand
 */
function drawRecord(record, known, at, names, stand) {
  const { lines } = known.replay;
  const index = lines.indexOf(at);
  const from = Math.max(0, Math.min(index - AROUND + 3, lines.length - AROUND));
  fill(
    record,
    ...lines.slice(from, from + AROUND).map((/** @type {any} */ line) =>
      h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            class: "quiet line",
            "aria-current": line === at ? "step" : null,
            on: { click: () => stand(line.version) },
          },
          h("span", { class: "number muted" }, String(line.version)),
          h("span", null, lineText(line, names)),
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
 */
function sideOf(context, match, known, shown, stand) {
  const lines = known.replay.lines;
  const version = shown ?? lines.at(-1)?.version ?? 1;
  const calls = (context.room()?.calls ?? []).filter((call) => call.match_id === match && !call.answered);
  const dispute = context.tableOf(match)?.dispute ?? null;
  const open = known.replay.questions.filter((/** @type {any} */ one) => one.answered === null);
  const rulings = lines.filter((/** @type {any} */ line) => line.tag === "ruling.made");
  const lastRuling = rulings.length ? (known.ids.get(rulings.at(-1).version) ?? null) : null;
  return [
    (calls.length > 0 || dispute) &&
      card(
        t("room.waits_for_you"),
        ...calls.map((call) =>
          h(
            "div",
            { class: "row" },
            h("span", null, `${t("room.call")} · ${t("room.entry_n", { n: call.version })}`),
            key(t("room.to_moment"), () => stand(call.version)),
            key(t("room.settle"), () => rule(context, match, { dispute: call.entry_id, title: t("room.settle_call") }), "primary"),
          ),
        ),
        dispute &&
          h(
            "div",
            { class: "row" },
            h("span", null, `${t("room.in_dispute")} · ${t("room.entry_n", { n: dispute.version })}`),
            key(t("room.frozen"), () => stand(dispute.frozen_version ?? dispute.version)),
            key(t("room.settle"), () => rule(context, match, { dispute: dispute.entry_id }), "primary"),
          ),
      ),
    ...branchesCard(context, match, known.branches),
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
        key(t("room.publication"), () => publish(context, match)),
        lastRuling && key(t("room.file_appeal"), () => fileAppeal(context, match, lastRuling)),
      ),
    ),
    penaltyCard(context, match, known),
    windowsCard(context, match, known, stand),
    known.appeals.length > 0 &&
      card(
        t("room.appeals"),
        h(
          "ul",
          { class: "plain" },
          known.appeals.map((appeal) =>
            appealCard(context, match, appeal, known.ids.get(appeal.version) ?? null),
          ),
        ),
      ),
    tabletCard(context, match),
  ];
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
    h("p", null, question.message),
    h(
      "p",
      { class: "muted" },
      `${question.rule_set}, ${question.section}${question.ambiguity ? ` · ${question.ambiguity}` : ""}`,
    ),
    h(
      "div",
      { class: "row" },
      key(t("room.entry_n", { n: question.version }), () => stand(question.version)),
      key(t("room.rule"), () => rule(context, match, { question }), "primary"),
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {Known} known
 */
function penaltyCard(context, match, known) {
  const { penalties, ids } = known;
  const { apart, entered } = penalties.scores;
  const differs = apart.one !== entered.one || apart.two !== entered.two;
  return card(
    t("room.penalties"),
    ...(/** @type {const} */ (["one", "two"])).map((seat) => {
      const account = penalties.accounts[seat];
      return h(
        "div",
        null,
        h("p", null, h("strong", null, context.nameOf(match, seat)), ` · ${t("room.points_n", { n: penalties.points[seat] })}`),
        account.delays.map((/** @type {any} */ one) =>
          h("p", { class: "muted" }, `${wordText(one.kind)}: ${clockText(one.ms)}`),
        ),
        account.answer &&
          h("p", { class: "muted" }, `${wordText(account.answer.outcome)} (${account.answer.section})`),
        account.assessed.map((/** @type {any} */ one) =>
          h(
            "div",
            { class: "row" },
            h(
              "span",
              { class: "muted" },
              `${t("room.entry_n", { n: one.version })}: ${one.points}${one.waived ? ` − ${one.waived}` : ""}`,
            ),
            one.waived < one.points &&
              key(t("room.waive"), () => waive(context, match, ids.get(one.version) ?? "", one.points - one.waived)),
          ),
        ),
      );
    }),
    differs &&
      h(
        "p",
        null,
        t("room.scores_both", {
          apart: `${apart.one}–${apart.two}`,
          entered: `${entered.one}–${entered.two}`,
        }),
      ),
    penalties.forfeited &&
      h("p", { class: "badge bad" }, t("room.forfeits", { name: context.nameOf(match, penalties.forfeited) })),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {Known} known
 * @param {(version: number) => void} stand
 */
function windowsCard(context, match, known, stand) {
  const open = known.windows.filter((one) => one.state === "open" || one.state === "asked");
  return card(
    t("room.windows"),
    open.length === 0 && h("p", { class: "muted" }, t("room.no_windows")),
    ...open.map((one) =>
      h(
        "div",
        { class: "question" },
        h(
          "p",
          null,
          h("strong", null, wordText(one.what)),
          one.seat ? ` · ${context.nameOf(match, one.seat)}` : "",
          ` · ${one.must ? t("room.must") : t("room.may")}`,
        ),
        h(
          "p",
          { class: "muted" },
          [
            one.by && t("room.by_whom", { who: wordText(one.by) }),
            one.until && t("room.until", { what: wordText(one.until) }),
            `${one.rule_set}, ${one.section}`,
          ]
            .filter(Boolean)
            .join(" · "),
        ),
        key(t("room.entry_n", { n: one.entry }), () => stand(one.entry)),
      ),
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
