// What a director does at one match: rule, carry out, penalise, post, publish. One form an act.

import { h } from "../dom.js";
import { t } from "../texts.js";
import { lastPress, timeOf } from "./clock.js";
import { ask } from "./forms.js";
import { sentence } from "../replay/words.js";
import { citationText, namesOf, pairOf, questionsText, standingBy, wordText } from "./words.js";
import { append, through } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./forms.js").Field} Field
 * @typedef {import("../types").Seat} Seat
 */

/** The reading of a ruling that chooses none of those on offer: the decision says what holds. */
const IN_WORDS = "as_decided";

/** What a cube may be set to. */
const CUBES = Array.from({ length: 11 }, (_, power) => String(2 ** power));

const GROUNDS = ["late_start", "break", "slow_play", "conduct", "wrong_length", "other"];

/**
 * Both players as options.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
function seats(context, match) {
  return /** @type {Seat[]} */ (["one", "two"]).map((value) => ({
    value,
    text: context.nameOf(match, value),
  }));
}

/**
 * Fields that cite a rule: the set in force, and a section with the text's own captions to choose from.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} [section]
 * @returns {Field[]}
 */
function citation(context, match, section = "") {
  const rules = context.tableOf(match)?.rule_set ?? "common";
  return [
    {
      name: "section",
      label: t("room.section_of", { rules }),
      kind: "text",
      list: `sections-${rules}`,
      value: section,
      hint: t("room.section_hint"),
    },
  ];
}

/**
 * The rule that is cited: a section that the text has, or any where the set lists none.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Record<string, any>} v
 * @param {string} [asked] the section of the question that is ruled on
 */
function ruleOf(context, match, { section }, asked) {
  if (!section) return null;
  const rules = context.tableOf(match)?.rule_set ?? "common";
  const known = [...document.querySelectorAll(`[id="sections-${rules}"] option`)].map((one) => one.getAttribute("value"));
  if (known.length > 0 && section !== asked && !known.includes(section)) {
    throw new Error(t("room.no_section", { section, rules }));
  }
  return { rule_set: rules, section };
}

/**
 * Only what was said: a member left out is not recorded as null.
 *
 * @param {Record<string, any>} body
 */
function said(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * Rule: on an open question with its readings, on a call or a dispute, or on anything.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {{ question?: any, dispute?: string | null, title?: string, about?: string | null }} [on] `about` says
 *   in words what is settled
 */
export async function rule(context, match, { question = null, dispute = null, title, about = null } = {}) {
  const readings = /** @type {string[]} */ (question?.readings ?? []);
  const names = namesOf(context.tableOf(match)?.names);
  /** @type {Field[]} */
  const fields = [
    ...(readings.length > 0
      ? [
          /** @type {Field} */ ({
            name: "reading",
            label: t("room.reading"),
            kind: "choice",
            needed: true,
            options: [
              ...readings.map((value) => ({ value, text: wordText(value) })),
              { value: IN_WORDS, text: t("room.reading_other") },
            ],
          }),
        ]
      : []),
    { name: "facts", label: t("room.facts"), kind: "long" },
    { name: "decision", label: t("room.decision"), kind: "long", needed: readings.length === 0 },
    { name: "action", label: t("room.intended"), kind: "text" },
    ...citation(context, match, question?.section),
  ];
  const lead = question
    ? [
        h("p", null, sentence(question.said, names)),
        h("p", { class: "muted" }, citationText(question)),
        ...(readings.length === 0 ? [h("p", null, t("room.no_readings"))] : []),
        ...(question.leaning
          ? [h("p", { class: "muted" }, t("room.leans", { reading: sentence(question.leaning, names) }))]
          : []),
      ]
    : about === null
      ? []
      : [h("p", null, about)];
  const done = await ask(
    title ?? t("room.rule"),
    fields,
    (v) => {
      const reference = ruleOf(context, match, v, question?.section);
      if (v.reading === IN_WORDS && !v.decision) {
        throw new Error(t("room.needed", { field: t("room.decision") }));
      }
      return through(context.log, match, "rulings", {
        body: said({
          answers: question
            ? [
                {
                  question: said({ topic: question.topic, at: question.at, seat: question.seat }),
                  reading: v.reading ?? IN_WORDS,
                },
              ]
            : undefined,
          dispute,
          facts: v.facts,
          decision: v.decision,
          intended_action: v.action,
          references: reference ? [reference] : undefined,
        }),
      });
    },
    { action: t("room.rule"), lead },
  );
  if (done) await context.refresh();
  return done;
}

/**
 * The director goes to the table: the call is marked, and leaves the queue.
 *
 * @param {RoomContext} context
 * @param {import("./types").CallLine} call
 */
export async function answerCall(context, call) {
  await append(context.log, call.match_id, [
    { tag: "moment.marked", basis: "observed", body: { target: call.entry_id } },
  ]);
  await context.refresh();
  context.open(call.match_id, call.version);
}

/**
 * Set score, cube, clock, turn or position as ruled; what is left empty stays as it is.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any[]} lines the replay's lines, to take a position from
 * @param {string | null} ruling
 */
export async function carryOut(context, match, lines, ruling = null) {
  const now = lines.at(-1);
  const done = await ask(
    t("room.carry_out"),
    [
      { name: "back", label: t("room.back_to"), kind: "number", least: 1, hint: t("room.back_hint", { n: now?.version ?? 0 }) },
      {
        name: "on_roll",
        label: t("room.on_roll"),
        kind: "choice",
        value: "",
        options: [{ value: "", text: t("room.unchanged") }, ...seats(context, match)],
      },
      { name: "one", label: t("room.score_of", { name: context.nameOf(match, "one") }), kind: "number", least: 0 },
      { name: "two", label: t("room.score_of", { name: context.nameOf(match, "two") }), kind: "number", least: 0 },
      {
        name: "cube",
        label: t("room.cube"),
        kind: "select",
        value: "",
        options: [{ value: "", text: t("room.unchanged") }, ...CUBES.map((value) => ({ value, text: value }))],
      },
      {
        name: "owner",
        label: t("room.cube_owner"),
        kind: "choice",
        value: "",
        options: [
          { value: "", text: t("room.unchanged") },
          { value: "middle", text: t("room.cube_middle") },
          ...seats(context, match),
        ],
      },
      { name: "clock_one", label: t("room.clock_of", { name: context.nameOf(match, "one") }), kind: "text", hint: t("room.clock_format") },
      { name: "clock_two", label: t("room.clock_of", { name: context.nameOf(match, "two") }), kind: "text" },
    ],
    (v) => {
      const body = said({
        ruling,
        checkers: boardAt(lines, v.back),
        on_roll: v.on_roll,
        score: scoreOf(v, now),
        cube: cubeOf(v, now),
        reserve_ms: readings(v),
      });
      if (Object.keys(body).filter((name) => name !== "ruling").length === 0) {
        throw new Error(t("room.nothing_said"));
      }
      return through(context.log, match, "rulings", { tag: "ruling.carried_out", body });
    },
    { action: t("room.carry_out") },
  );
  if (done) await context.refresh();
}

/**
 * @param {any[]} lines
 * @param {number | null} version
 */
function boardAt(lines, version) {
  if (version === null) return null;
  const found = lines.findLast((line) => line.version <= version);
  if (!found?.checkers?.one) throw new Error(t("room.no_board", { n: version }));
  return found.checkers;
}

/**
 * The score that is set; whose is left empty keeps it.
 *
 * @param {Record<string, any>} v
 * @param {any} now the last line
 */
function scoreOf({ one, two }, now) {
  if (one === null && two === null) return null;
  return { one: one ?? now.score.one, two: two ?? now.score.two };
}

/**
 * The cube that is set, with its value or its owner as it was where only the other is said.
 *
 * @param {Record<string, any>} v
 * @param {any} now the last line
 */
function cubeOf({ cube, owner }, now) {
  if (cube === null && owner === null) return null;
  const holder = owner === null ? now.cube.owner : owner === "middle" ? null : owner;
  return said({ value: cube === null ? now.cube.value : Number(cube), owner: holder });
}

/** @param {Record<string, any>} v */
function readings(v) {
  if (!v.clock_one && !v.clock_two) return null;
  if (!v.clock_one || !v.clock_two) throw new Error(t("room.both_clocks"));
  return { one: clockMs(v.clock_one), two: clockMs(v.clock_two) };
}

/**
 * "11:30" in milliseconds.
 *
 * @param {string} text
 */
export function clockMs(text) {
  const found = /^([-−])?(\d{1,3}):([0-5]\d)$/.exec(text.trim());
  if (found === null) throw new Error(t("room.clock_wrong", { text }));
  const ms = (Number(found[2]) * 60 + Number(found[3])) * 1000;
  return found[1] ? -ms : ms;
}

/**
 * Assess penalty points.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function penalise(context, match) {
  const done = await ask(
    t("room.penalise"),
    [
      { name: "seat", label: t("room.against"), kind: "choice", options: seats(context, match), needed: true },
      { name: "points", label: t("room.points"), kind: "number", value: 1, least: 0, needed: true },
      {
        name: "ground",
        label: t("room.ground"),
        kind: "choice",
        value: "late_start",
        options: GROUNDS.map((value) => ({ value, text: wordText(value) })),
      },
      {
        name: "enters",
        label: t("room.enters_score"),
        kind: "choice",
        value: "",
        options: [
          { value: "yes", text: t("room.yes") },
          { value: "no", text: t("room.no") },
          { value: "", text: t("room.as_rules") },
        ],
      },
      ...citation(context, match),
      { name: "reason", label: t("room.reason"), kind: "long" },
    ],
    (v) =>
      append(context.log, match, [
        {
          tag: "penalty.assessed",
          body: said({
            seat: v.seat,
            points: v.points,
            ground: v.ground,
            enters_score: v.enters === null ? null : v.enters === "yes",
            rule: ruleOf(context, match, v),
            reason: v.reason,
          }),
        },
      ]),
    { action: t("room.penalise") },
  );
  if (done) await context.refresh();
}

/**
 * Waive an assessed penalty, wholly or in part.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} target entry id of the `penalty.assessed`
 * @param {number} points
 */
export async function waive(context, match, target, points) {
  const done = await ask(
    t("room.waive"),
    [
      { name: "points", label: t("room.points"), kind: "number", value: points, least: 0 },
      { name: "reason", label: t("room.reason"), kind: "long" },
    ],
    (v) =>
      append(context.log, match, [
        { tag: "penalty.waived", body: said({ target, points: v.points, reason: v.reason }) },
      ]),
    { action: t("room.waive") },
  );
  if (done) await context.refresh();
}

/**
 * Somebody is late, or was excused.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function late(context, match) {
  const done = await ask(
    t("room.late_title"),
    [
      { name: "seat", label: t("room.who"), kind: "choice", options: seats(context, match), needed: true },
      {
        name: "act",
        label: t("room.what"),
        kind: "choice",
        value: "noted",
        options: ["called", "arrived", "noted", "excused"].map((value) => ({ value, text: t(`room.late_${value}`) })),
      },
      {
        name: "kind",
        label: t("room.late_for"),
        kind: "choice",
        value: "start",
        options: ["start", "resumption", "break"].map((value) => ({ value, text: wordText(value) })),
      },
      { name: "minutes", label: t("room.late_minutes"), kind: "number", least: 0 },
      { name: "reason", label: t("room.reason"), kind: "text" },
    ],
    (v) => append(context.log, match, [lateAct(v)]),
  );
  if (done) await context.refresh();
}

/**
 * @param {Record<string, any>} v
 * @returns {import("../types").Act}
 */
function lateAct(v) {
  if (v.act === "called") return { tag: "player.called", body: { seat: v.seat }, basis: "observed" };
  if (v.act === "arrived") return { tag: "player.arrived", body: { seat: v.seat }, basis: "observed" };
  if (v.act === "excused") {
    return { tag: "delay.excused", body: said({ seat: v.seat, kind: v.kind, reason: v.reason }) };
  }
  if (v.minutes === null) throw new Error(t("room.needed", { field: t("room.late_minutes") }));
  const excess_ms = Math.round(v.minutes * 60_000);
  return { tag: "delay.noted", body: { seat: v.seat, kind: v.kind, excess_ms }, basis: "observed" };
}

/**
 * Acts against a player that need no more than a ground: warning, forfeit, disqualification.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function sanction(context, match) {
  const done = await ask(
    t("room.sanction"),
    [
      { name: "seat", label: t("room.against"), kind: "choice", options: seats(context, match), needed: true },
      {
        name: "tag",
        label: t("room.what"),
        kind: "choice",
        needed: true,
        options: ["slow_play.warned", "forfeit.declared", "player.disqualified"].map((value) => ({
          value,
          text: wordText(value),
        })),
      },
      ...citation(context, match),
      { name: "reason", label: t("room.reason"), kind: "long" },
    ],
    (v) => {
      const rule = ruleOf(context, match, v);
      const body =
        v.tag === "slow_play.warned"
          ? { seat: v.seat }
          : v.tag === "forfeit.declared"
            ? { seat: v.seat, rule }
            : { seat: v.seat, rule, reason: v.reason };
      return append(context.log, match, [{ tag: v.tag, body: said(body) }]);
    },
    { action: t("room.record"), isDanger: true },
  );
  if (done) await context.refresh();
}

/**
 * Give or take time.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export async function adjustClock(context, match) {
  const clock = context.tableOf(match)?.clock ?? null;
  const done = await ask(
    t("room.adjust_clock"),
    [
      { name: "seat", label: t("room.who"), kind: "choice", options: seats(context, match), needed: true },
      { name: "seconds", label: t("room.seconds"), kind: "number", needed: true, hint: t("room.seconds_hint") },
      ...citation(context, match),
      { name: "reason", label: t("room.reason"), kind: "text" },
    ],
    (v) =>
      append(context.log, match, [
        {
          tag: "clock.adjusted",
          body: said({
            seat: v.seat,
            amount_ms: Math.round(v.seconds * 1000),
            rule: ruleOf(context, match, v),
            reason: v.reason,
          }),
        },
      ]),
    {
      lead: clock
        ? [
            h(
              "p",
              { class: "row" },
              seats(context, match).flatMap(({ value, text }) => [text, timeOf(context, match, value)]),
              lastPress(context, match),
            ),
          ]
        : [],
    },
  );
  if (done) await context.refresh();
}

/**
 * Freeze the record at the entry shown and say what is disputed.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {number} version
 */
export async function raiseDispute(context, match, version) {
  const done = await ask(
    t("room.raise"),
    [
      {
        name: "by",
        label: t("room.raised_by"),
        kind: "choice",
        value: "director",
        options: [...seats(context, match), { value: "director", text: wordText("director") }],
      },
      { name: "frozen", label: t("room.frozen_at"), kind: "number", value: version, least: 1 },
      { name: "one", label: t("room.says", { name: context.nameOf(match, "one") }), kind: "long" },
      { name: "two", label: t("room.says", { name: context.nameOf(match, "two") }), kind: "long" },
    ],
    (v) =>
      through(context.log, match, "disputes", {
        body: said({
          by: v.by,
          frozen_at: v.frozen,
          readings: ["one", "two"].filter((seat) => v[seat]).map((seat) => ({ by: seat, says: v[seat] })),
        }),
      }),
    { action: t("room.raise") },
  );
  if (done) await context.refresh();
}

/**
 * What a result rests on: whose confirmation, and how many questions are open.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, names?: any }} result
 */
function standing(context, result) {
  const table = context.tableOf(result.match_id);
  const open = table?.questions ?? 0;
  return [
    h("p", null, h("strong", null, pairOf(result.names ?? table?.names))),
    h("p", null, standingBy(result, result.names ?? table?.names).join(" · ")),
    ...(open > 0 ? [h("p", { class: "badge warn" }, questionsText(open))] : []),
  ];
}

/**
 * Put a result on the draw sheet.
 *
 * @param {RoomContext} context
 * @param {{ match_id: string, score?: any, winner?: Seat | null, names?: any, confirmations?: any, questions?: any[] }} result
 */
export async function confirmResult(context, result) {
  const done = await ask(
    t("room.confirm_result"),
    [
      { name: "one", label: context.nameOf(result.match_id, "one"), kind: "number", value: result.score?.one ?? null, least: 0 },
      { name: "two", label: context.nameOf(result.match_id, "two"), kind: "number", value: result.score?.two ?? null, least: 0 },
      {
        name: "winner",
        label: t("room.winner"),
        kind: "choice",
        value: result.winner ?? null,
        options: seats(context, result.match_id),
      },
    ],
    (v) =>
      append(context.log, result.match_id, [
        {
          tag: "result.posted",
          basis: "observed",
          body: said({
            score: v.one === null || v.two === null ? null : { one: v.one, two: v.two },
            winner: v.winner,
          }),
        },
      ]),
    { action: t("room.post"), lead: standing(context, result) },
  );
  if (done) await context.refresh();
}

/**
 * How far behind the table the public is by the record, in minutes.
 *
 * @param {Map<number, any>} entries
 */
function minutesBehind(entries) {
  let delay = 0;
  for (const { tag, body } of entries.values()) {
    if (tag === "match.opened") delay = body.publication?.delay_ms ?? 0;
    if (tag === "publication.released") delay = body.delay_ms ?? 0;
  }
  return delay / 60_000;
}

/**
 * Show the match to the public, or show it no more.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Map<number, any>} entries
 */
export async function publish(context, match, entries) {
  const done = await ask(
    t("room.publication"),
    [
      {
        name: "public",
        label: t("room.publication"),
        kind: "choice",
        value: context.tableOf(match)?.is_public ? "yes" : "no",
        options: [
          { value: "yes", text: t("room.public_yes") },
          { value: "no", text: t("room.public_no") },
        ],
      },
      { name: "behind", label: t("room.public_delay"), kind: "number", value: minutesBehind(entries), least: 0 },
      { name: "reason", label: t("room.reason"), kind: "text" },
    ],
    (v) =>
      append(context.log, match, [
        v.public === "yes"
          ? { tag: "publication.released", body: { delay_ms: Math.round((v.behind ?? 0) * 60_000), by: "director" } }
          : { tag: "publication.withheld", body: said({ reason: v.reason, by: "director" }) },
      ]),
  );
  if (done) await context.refresh();
}
