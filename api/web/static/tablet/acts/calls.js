// Calls for the director: which calls wait, and how a mistaken one is withdrawn.

/** @import { Act, Entry } from "../../shared/types.js" */

/** Beginnings of tags that show that the director was at the table; the room has the same list. */
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
 * The calls with which the director has not dealt yet, the latest first.
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
  // Entries omit `by` if it was the director.
  if (tag === "claim.ruled" || tag === "match.deciding_game_ordered") return (body.by ?? "director") === "director";
  return DECISIONS.some((start) => tag.startsWith(start));
}

/**
 * The retractions of a mistaken call, and of the mark made with it. Both stay readable.
 * @param {readonly Entry[]} standing
 * @param {Entry} call
 * @returns {Act[]}
 */
export function withdrawal(standing, call) {
  const next = standing[standing.indexOf(call) + 1];
  // A mark of the same moment is of the same gesture; any other mark stays.
  const isItsMark = next?.tag === "moment.marked" && next.occurred_at === call.occurred_at;
  return [...(isItsMark ? [next] : []), call].map(({ entry_id }) => ({
    tag: "entry.retracted",
    body: { target: entry_id },
  }));
}

/**
 * The last entry, as the subject of a call or mark. Never a call: a mark on a call means that the
 * director is coming.
 * @param {readonly Entry[]} standing
 * @returns {Entry | undefined}
 */
export function lastMoment(standing) {
  return standing.findLast(({ tag }) => !/^(director|moment|notice)\./.test(tag));
}
