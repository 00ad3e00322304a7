// Appeals as the director sees them: filed, refused, heard by a committee, decided.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { BALLOTS, OUTCOMES } from "./enums.js";
import { ask } from "./forms.js";
import { namesOf, saidText, wordText } from "./words.js";
import { append, through } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 */

/**
 * One appeal with its ballots, and what may be done next.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} appeal a line of `GET …/appeals`
 * @param {string | null} entry entry id of the `appeal.filed`
 */
export function appealCard(context, match, appeal, entry) {
  const told = appeal.announced ? wordText(appeal.announced) : null;
  const isOver = told !== null || appeal.is_refused;
  return h(
    "li",
    null,
    h(
      "p",
      null,
      h("strong", null, appeal.seat ? context.nameOf(match, appeal.seat) : wordText("both")),
      ` · ${t("room.entry_n", { n: appeal.version })} · `,
      told ?? (appeal.is_refused ? t("room.appeal_refused") : t("room.appeal_open")),
    ),
    appeal.size > 0 &&
      h(
        "p",
        { class: "muted" },
        t("room.ballots", { n: appeal.ballots.length, of: appeal.size }),
        ...appeal.ballots.map((/** @type {any} */ one) => ` · ${one.member}: ${wordText(one.vote)}`),
      ),
    entry && h("p", null, h("a", { href: `/cases/${entry}` }, t("room.case"))),
    appeal.result && h("p", null, `${wordText(appeal.result.outcome)} (${appeal.result.section})`),
    !isOver &&
      appeal.version !== null &&
      h(
        "div",
        { class: "row" },
        nextActs(appeal).map((name, index) =>
          h(
            "button",
            {
              type: "button",
              class: index === 0 && "primary",
              on: { click: () => void NEXT[name](context, match, entry, appeal) },
            },
            t(`room.${name}`),
          ),
        ),
      ),
  );
}

const NEXT = { convene, vote, decide_appeal: decide, refuse_appeal: refuse };

/**
 * What may be done about an appeal that is filed and open, the next thing first: a committee is convened where
 * the rule set knows one, votes once it is convened, and has voted when all its ballots are in.
 *
 * @param {any} appeal a line of `GET …/appeals`
 * @returns {(keyof typeof NEXT)[]}
 */
function nextActs(appeal) {
  const isConvened = appeal.size > 0;
  const isPolled = isConvened && appeal.ballots.length >= appeal.size;
  const mayVote = isConvened && (!isPolled || (appeal.director_may_vote && appeal.director === null));
  const isDue = isConvened ? isPolled : !appeal.has_committee;
  /** @type {(keyof typeof NEXT)[]} */
  const acts = ["decide_appeal", "refuse_appeal"];
  if (mayVote) acts.splice(isDue ? 1 : 0, 0, "vote");
  if (!isConvened && appeal.has_committee) acts.unshift("convene");
  return acts;
}

/**
 * Who has not voted yet, by the names that a committee's members get; the Director comes last.
 *
 * @param {any} appeal
 */
function nextVoter(appeal) {
  const voted = new Set(appeal.ballots.map((/** @type {any} */ one) => one.member));
  for (let place = 1; place <= appeal.size; place++) if (!voted.has(`m${place}`)) return `m${place}`;
  return "director";
}

/**
 * File an appeal in a player's name, against a ruling or a penalty.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {readonly import("../replay/types").Scene[]} appealable rulings and penalties, in order
 */
export async function fileAppeal(context, match, appealable) {
  const names = namesOf(context.tableOf(match)?.names);
  await done(
    context,
    ask(
      t("room.file_appeal"),
      [
        {
          name: "seat",
          label: t("room.who"),
          kind: "choice",
          needed: true,
          options: /** @type {const} */ (["one", "two"]).map((value) => ({ value, text: names[value] })),
        },
        {
          name: "target",
          label: t("room.appeal_against"),
          kind: "select",
          value: appealable.at(-1)?.entry_id ?? null,
          options: appealable.map((scene) => ({
            value: scene.entry_id,
            text: `${t("room.entry_n", { n: scene.version })}: ${saidText(scene, names)}`,
          })),
        },
        { name: "ground", label: t("room.reason"), kind: "long" },
      ],
      (v) =>
        through(context.log, match, "appeals", {
          body: { seat: v.seat, target: v.target, ...(v.ground ? { ground: v.ground } : {}) },
        }),
      { action: t("room.file_appeal") },
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {string | null} appeal
 */
async function convene(context, match, appeal) {
  await done(
    context,
    ask(
      t("room.convene"),
      [
        {
          name: "size",
          label: t("room.size"),
          kind: "choice",
          value: "3",
          options: ["3", "5"].map((value) => ({ value, text: value })),
        },
        { name: "names", label: t("room.members"), kind: "long", hint: t("room.members_hint") },
        { name: "anonymised", label: t("room.anonymised"), kind: "check", value: true },
      ],
      (v) => {
        const names = String(v.names ?? "").split("\n").map((name) => name.trim()).filter(Boolean);
        return append(context.log, match, [
          {
            tag: "committee.convened",
            body: {
              size: Number(v.size),
              members: names.map((name, index) => ({ member: `m${index + 1}`, name })),
              anonymised: v.anonymised,
              ...(appeal ? { appeal } : {}),
            },
          },
        ]);
      },
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {string | null} appeal
 * @param {any} line
 */
async function vote(context, match, appeal, line) {
  await done(
    context,
    ask(
      t("room.vote"),
      [
        { name: "member", label: t("room.member"), kind: "text", value: nextVoter(line), needed: true, hint: t("room.member_hint") },
        {
          name: "vote",
          label: t("room.ballot"),
          kind: "choice",
          needed: true,
          options: BALLOTS.map((value) => ({ value, text: wordText(value) })),
        },
      ],
      (v) =>
        through(context.log, match, "votes", {
          tag: v.member === "director" ? "vote.director_cast" : "vote.cast",
          body: {
            ...(v.member === "director" ? {} : { member: v.member }),
            vote: v.vote,
            ...(appeal ? { appeal } : {}),
          },
        }),
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {string | null} appeal
 */
async function decide(context, match, appeal) {
  await done(
    context,
    ask(
      t("room.decide_appeal"),
      [
        {
          name: "outcome",
          label: t("room.outcome"),
          kind: "choice",
          needed: true,
          options: OUTCOMES.map((value) => ({ value, text: wordText(value) })),
        },
        { name: "decision", label: t("room.decision"), kind: "long" },
      ],
      (v) =>
        through(context.log, match, "appeals", {
          tag: "appeal.decided",
          basis: "ruled",
          body: {
            outcome: v.outcome,
            ...(v.decision ? { decision: v.decision } : {}),
            ...(appeal ? { appeal } : {}),
          },
        }),
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {string | null} appeal
 */
async function refuse(context, match, appeal) {
  if (appeal === null) return;
  await done(
    context,
    ask(
      t("room.refuse_appeal"),
      [{ name: "reason", label: t("room.reason"), kind: "long" }],
      (v) =>
        through(context.log, match, "appeals", {
          tag: "appeal.refused",
          basis: "ruled",
          body: { appeal, ...(v.reason ? { reason: v.reason } : {}) },
        }),
      { isDanger: true },
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {Promise<boolean>} asked
 */
async function done(context, asked) {
  if (await asked) await context.refresh();
}
