// Calls for the director: which of them wait, and how one made by mistake is taken back.

/** @import { Act, Entry } from "../../shared/types.js" */

/** Beginnings of the tags that say the director was at the table, as the room has them. */
export const DECISIONS = [
  "ruling.",
  "penalty.",
  "forfeit.",
  "sanction.",
  "player.disqualified",
  "appeal.refused",
  "appeal.decided",
  "slow_play.",
  "clock.adjusted",
  "delay.excused",
  "result.corrected",
  "spectator.barred",
];

/** @param {Entry} entry */
function isCall({ tag }) {
  return tag === "director.called";
}

/**
 * Calls that nothing says the director has dealt with, the latest first.
 * @param {readonly Entry[]} standing
 * @returns {Entry[]}
 */
export function waitingCalls(standing) {
  if (!standing.some(isCall)) return [];
  /** @type {Entry[]} */
  const found = [];
  /** @type {Set<string>} */
  const marked = new Set();
  for (const entry of standing.toReversed()) {
    if (isCall(entry) && !marked.has(entry.entry_id)) found.push(entry);
    else if (entry.tag === "moment.marked") marked.add(entry.body.target);
    else if (isDecision(entry)) break;
  }
  return found;
}

/** @param {Entry} entry */
function isDecision({ tag, body }) {
  // An entry leaves out that it was the director.
  if (tag === "claim.ruled" || tag === "match.deciding_game_ordered") return (body.by ?? "director") === "director";
  return DECISIONS.some((start) => tag.startsWith(start));
}

/**
 * The call was a mistake: it goes, and with it the mark that was made with it. Both stay readable.
 * @param {readonly Entry[]} standing
 * @param {Entry} call
 * @returns {Act[]}
 */
export function withdrawal(standing, call) {
  const next = standing[standing.indexOf(call) + 1];
  // Of one gesture, hence of one moment: a mark that was made by itself stays.
  const isItsMark = next?.tag === "moment.marked" && next.occurred_at === call.occurred_at;
  return [...(isItsMark ? [next] : []), call].map(({ entry_id }) => ({
    tag: "entry.retracted",
    body: { target: entry_id },
  }));
}

/**
 * What happened last, as a call or a mark is about it. Never a call: a mark on one says that the
 * director is on the way.
 * @param {readonly Entry[]} standing
 * @returns {Entry | undefined}
 */
export function lastMoment(standing) {
  return standing.findLast(({ tag }) => !/^(director|moment|notice)\./.test(tag));
}
