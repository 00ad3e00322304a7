// The director's decisions in words for the table; personal reasons are left out.

import { hasText, t } from "../../shared/texts.js";
import { clockWords } from "../acts/words.js";

/** @import { BySeat, Entry, Seat } from "../../shared/types.js" */

/**
 * A notice in words.
 * @typedef {object} Words
 * @property {string} who whose decision it is
 * @property {string} what the decision, with the rules that it cites
 * @property {string} todo what to do at the table; empty if nothing
 */

/**
 * @param {Entry} entry
 * @param {BySeat<string>} names of the players, as this tablet shows them
 * @param {readonly Entry[]} standing
 * @returns {Words}
 */
export function noticeWords(entry, names, standing) {
  const { tag, body } = entry;
  const cited = (body.references ?? [body.rule]).filter(Boolean).map(cites);
  const { decided, todo = "" } = saying(entry, names, standing);
  const what = [decided, ...cited].filter(Boolean).join(" ");
  return { who: officeOf(tag, body), what, todo: todo && t("notices.todo", { what: todo }) };
}

/** @param {string} tag @param {Record<string, any>} body */
function officeOf(tag, body) {
  const by = body.by ?? body.ordered_by ?? (tag === "appeal.decided" ? "committee" : "director");
  const key = `notices.by_${by}`;
  return t(hasText(key) ? key : "notices.by_director");
}

/** @param {{ rule_set: string, section: string }} rule */
function cites({ rule_set: rules, section }) {
  return t("notices.cites", { rules, section });
}

/**
 * @param {Entry} entry
 * @param {BySeat<string>} names
 * @param {readonly Entry[]} standing
 * @returns {{ decided: string, todo?: string }}
 */
function saying({ tag, body }, names, standing) {
  const name = names[/** @type {Seat} */ (body.seat)] ?? "";
  const target = standing.find(({ entry_id }) => entry_id === (body.target ?? body.appeal));
  const of = names[/** @type {Seat} */ (target?.body.seat)] ?? t("notices.somebody");
  switch (tag) {
    case "match.opened": {
      const { length: points } = body;
      return { decided: t("notices.length", { what: points ? t("tablet.to_points", { points }) : t("tablet.money") }) };
    }
    case "moment.marked":
      return { decided: t("notices.on_the_way") };
    case "ruling.made":
      return { decided: ruled(body), todo: spoken(body.intended_action) };
    case "ruling.carried_out":
      return { decided: t("notices.carried_out"), todo: set(body, names).join("; ") };
    case "penalty.assessed":
      return { decided: penalty(body, name), todo: scored(body) };
    case "penalty.waived":
      return { decided: body.points == null ? t("notices.waived_all", { name: of }) : t("notices.waived", { name: of, points: points(body.points) }) };
    case "slow_play.warned":
      return { decided: t("notices.slow_play", { name }) };
    case "forfeit.declared":
      return { decided: [t("notices.forfeit", { name }), ground(body)].filter(Boolean).join(" ") };
    case "sanction.imposed":
      return { decided: t("notices.sanction", { name, kind: word(body.kind) }) };
    case "player.disqualified":
      return { decided: t("notices.disqualified", { name }) };
    case "claim.ruled":
      return { decided: t(body.holds ? "notices.claim_holds" : "notices.claim_fails", { name: of }) };
    case "match.deciding_game_ordered":
      return { decided: t("notices.deciding_game") };
    case "clock.adjusted": {
      const ms = body.amount_ms;
      return { decided: t(ms < 0 ? "notices.clock_taken" : "notices.clock_given", { name, time: clockWords(Math.abs(ms)) }), todo: t("notices.set_clock") };
    }
    case "delay.excused":
      return { decided: t("notices.excused", { name }) };
    case "result.corrected":
      return { decided: t("notices.result", { old: pair(body.old), new: pair(body.new) }) };
    case "appeal.refused":
      return { decided: t("notices.appeal_refused", { name: of }) };
    case "appeal.decided":
      return { decided: [t(`notices.appeal_${body.outcome}`), spoken(body.decision)].filter(Boolean).join(" ") };
    default:
      return { decided: t("notices.dispute") };
  }
}

/** A typed text, if this device may read it; else empty. @param {unknown} value */
function spoken(value) {
  return typeof value === "string" ? value : "";
}

/** The decision as worded, else the readings chosen. @param {Record<string, any>} body */
function ruled({ decision, answers = [] }) {
  const put = spoken(decision);
  if (put) return t("notices.ruling", { decision: put });
  const chosen = answers.map((/** @type {any} */ { question, reading }) =>
    t("notices.answer", { question: topic(question.topic), reading: word(reading) }),
  );
  return chosen.length > 0 ? t("notices.ruling", { decision: chosen.join("; ") }) : t("notices.ruling_plain");
}

/** @param {string} name */
function topic(name) {
  const key = `tablet.sheet_topic_${name.replace(".", "_")}`;
  return hasText(key) ? t(key) : word(name.replace(".", ", "));
}

/** A word of the record, translated if the replay's texts are loaded. @param {string} value */
function word(value) {
  const key = `replay.word.${value}`;
  const words = value.replaceAll("_", " ");
  return t(hasText(key) ? key : words);
}

/** Whether a notice needs the replay's texts, loaded only on demand. @param {Entry} entry */
export function needsWords({ tag, body }) {
  return tag === "sanction.imposed" || (tag === "ruling.made" && !spoken(body.decision) && Boolean(body.answers));
}

/** @param {Record<string, any>} body @param {BySeat<string>} names */
function set({ checkers, dice, score, cube, reserve_ms: clocks, on_roll, game_over }, names) {
  const who = (/** @type {Seat} */ seat) => names[seat];
  return [
    game_over && t("notices.set_game", { name: who(game_over) }),
    score && t("notices.set_score", { one: names.one, two: names.two, score: pair(score) }),
    checkers && t("notices.set_board"),
    cube && t("notices.set_cube", { value: cube.value, where: cube.owner ? t("notices.cube_with", { name: who(cube.owner) }) : t("notices.cube_middle") }),
    dice && t("notices.set_dice", { dice: dice.join("-") }),
    on_roll && t("notices.set_roll", { name: who(on_roll) }),
    clocks && t("notices.set_clocks", { one: names.one, two: names.two, first: clockWords(clocks.one), second: clockWords(clocks.two) }),
  ].filter(Boolean);
}

/** @param {Record<string, any>} body @param {string} name */
function penalty(body, name) {
  return [t("notices.penalty", { name, points: points(body.points) }), ground(body)].filter(Boolean).join(" ");
}

/** @param {Record<string, any>} body */
function ground({ ground: why }) {
  return why && why !== "other" ? t("notices.for", { ground: t(`notices.ground_${why}`) }) : "";
}

/** @param {Record<string, any>} body */
function scored({ enters_score: enters }) {
  return enters == null ? "" : t(enters ? "notices.enters_score" : "notices.not_in_score");
}

/** @param {number} count */
function points(count) {
  return t("echo.points", { points: count });
}

/** @param {BySeat<number>} score */
function pair({ one, two }) {
  return `${one} – ${two}`;
}
