// Rulings and the acts around them: answering calls, raising disputes, leaving questions.

import { h } from "../shared/dom.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { sentence } from "../replay/words.js";
import { atOf } from "./clock_acts.js";
import { citation, ruleOf, seats, withoutEmpty } from "./fields.js";
import { askAndRefresh, problemText } from "./forms.js";
import { homeOf } from "./home.js";
import { penalise } from "./penalty_acts.js";
import { citationText, namesOf, wordText } from "./words.js";
import { append, through } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./forms.js").Field} Field
 */

/** The reading "none of these": the decision's text says what holds. */
const IN_WORDS = "as_decided";

/** The reading "penalty", whose points the director enters. */
const PENALTY = "penalty";

/**
 * Form: a ruling on an open question with its readings, on a call, on a dispute, or on anything.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {{ question?: any, dispute?: string | null, title?: string, about?: string | null }} [on]
 *   what the ruling is about; `about` is its description
 */
export async function rule(context, match, { question = null, dispute = null, title, about = null } = {}) {
  const readings = /** @type {string[]} */ (question?.readings ?? []);
  // For a second scribe's record, take players and rules from its table.
  const table = homeOf(context, match);
  const home = table?.match_id ?? match;
  const names = namesOf(table?.names);
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
    { name: "decision", label: t("room.decision"), kind: "long", needed: readings.length === 0 },
    { name: "action", label: t("room.intended"), kind: "text" },
    {
      name: "more",
      label: t("panel.facts_and_rule"),
      kind: "fold",
      fields: [
        { name: "facts", label: t("room.facts"), kind: "long" },
        ...citation(context, home, question?.section),
      ],
    },
  ];
  const like = h(
    "p",
    null,
    h("a", { href: precedents(table?.rule_set, question), target: "_blank" }, t("room.precedents")),
  );
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
  lead.push(like);
  let isPenalty = false;
  const done = await askAndRefresh(
    context,
    title ?? t("room.rule"),
    fields,
    (v) => {
      isPenalty = v.reading === PENALTY;
      const reference = ruleOf(context, home, v, question?.section);
      if (v.reading === IN_WORDS && !v.decision) {
        throw new Error(t("room.needed", { field: t("room.decision") }));
      }
      return through(context.log, match, "rulings", {
        body: withoutEmpty({
          answers: question
            ? [
                {
                  question: withoutEmpty({ topic: question.topic, at: question.at, seat: question.seat }),
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
  // The ruling does not contain the points: the penalty is an entry of its own.
  if (done && isPenalty) await penalise(context, home, question?.seat ?? "");
  return done;
}

/**
 * A link to precedents.
 *
 * @param {string | null | undefined} ruleSet of the match
 * @param {any} question null = for the whole rule set
 */
function precedents(ruleSet, question) {
  const wanted = new URLSearchParams();
  if (ruleSet) wanted.set("rule_set", ruleSet);
  if (question) wanted.set("subject", question.topic);
  return `/precedents?${wanted}`;
}

/**
 * Answer a call: mark it, so that it leaves the queue.
 *
 * @param {RoomContext} context
 * @param {import("./types").CallLine} call
 */
export async function answerCall(context, call) {
  try {
    await append(context.log, call.match_id, [
      { tag: "moment.marked", basis: "observed", body: { target: call.entry_id } },
    ]);
  } catch (error) {
    // The call stays in the queue, and the director has to know that.
    tellRefusal(problemText(error));
    return;
  }
  await context.refresh();
  context.open(homeOf(context, call.match_id)?.match_id ?? call.match_id);
}

/**
 * Form: raise a dispute, which freezes the record at the entry shown.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {number} version
 */
export async function raiseDispute(context, match, version) {
  let runs = Boolean(context.tableOf(match)?.clock?.running);
  await askAndRefresh(
    context,
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
      // Offer to stop the clock: the player on roll could lose on time during the wait.
      ...(runs ? [/** @type {Field} */ ({ name: "stops", label: t("panel.freeze_stops"), kind: "check", value: true })] : []),
    ],
    async (v) => {
      if (runs && v.stops) {
        await append(context.log, match, [
          {
            tag: "clock.paused",
            basis: "observed",
            body: withoutEmpty({ at_ms: atOf(context, match), reason: "dispute", by: "director" }),
          },
        ]);
        // If the dispute is refused and sent again, do not stop the clock twice.
        runs = false;
      }
      return through(context.log, match, "disputes", {
        body: withoutEmpty({
          by: v.by,
          frozen_at: v.frozen,
          readings: ["one", "two"].filter((seat) => v[seat]).map((seat) => ({ by: seat, says: v[seat] })),
        }),
      });
    },
    { action: t("room.raise") },
  );
}

/**
 * Form: leave a question without a ruling; it rests until it is reopened.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} question
 */
export async function leave(context, match, question) {
  const names = namesOf(context.tableOf(match)?.names);
  await askAndRefresh(
    context,
    t("panel.leave"),
    [{ name: "reason", label: t("room.reason"), kind: "long" }],
    (v) =>
      append(context.log, match, [
        {
          tag: "question.left",
          body: withoutEmpty({
            question: withoutEmpty({ topic: question.topic, at: question.at, seat: question.seat }),
            reason: v.reason,
          }),
        },
      ]),
    {
      action: t("panel.leave"),
      lead: [h("p", null, sentence(question.said, names)), h("p", { class: "muted" }, t("panel.leave_what"))],
    },
  );
}

/**
 * Reopen a question that was left, by retracting the entry that left it.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {{ entry_id: string }} left
 */
export async function reopen(context, match, left) {
  await askAndRefresh(
    context,
    t("panel.reopen"),
    [{ name: "reason", label: t("room.reason"), kind: "long" }],
    (v) =>
      append(context.log, match, [
        { tag: "entry.retracted", basis: "observed", body: withoutEmpty({ target: left.entry_id, reason: v.reason }) },
      ]),
    { action: t("panel.reopen") },
  );
}
