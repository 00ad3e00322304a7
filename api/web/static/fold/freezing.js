// Freezes: from a dispute to the ruling that settles it; twin of projections/views/freezing.py.

/** @import { Entry } from "../shared/types.js" */

/**
 * A dispute, and where it ends.
 * @typedef {object} Freeze
 * @property {Entry} dispute
 * @property {number | null} settled version of the ruling that settles it
 */

/** Beginnings of the tags of entries by which the match goes on. */
const PLAYED_ON = [
  "dice.", "play.", "turn.", "cube.", "clock.", "game.", "resignation.", "claim.made", "score.",
  "result.reported", "match.ended", "position.", "start.", "handling.",
];

/**
 * The freezes of all disputes that stand, in order. A ruling settles the dispute that it names, or
 * all open ones if it names none.
 * @param {readonly Entry[]} standing
 * @returns {Freeze[]}
 */
export function freezes(standing) {
  /** @type {Freeze[]} */
  const found = [];
  for (const entry of standing) {
    if (entry.tag === "dispute.raised") found.push({ dispute: entry, settled: null });
    if (entry.tag !== "ruling.made") continue;
    const { dispute: named = null } = entry.body;
    for (const one of found) {
      if (one.settled === null && (named === null || named === one.dispute.entry_id)) one.settled = entry.version;
    }
  }
  return found;
}

/**
 * Whether an entry goes on with the match although a dispute was open.
 * @param {readonly Freeze[]} known
 * @param {Entry} entry
 */
export function isFrozen(known, { tag, basis, version }) {
  if (basis === "ruled" || tag === "clock.adjusted" || !PLAYED_ON.some((start) => tag.startsWith(start))) return false;
  return known.some(({ dispute, settled }) => dispute.version < version && (settled === null || settled > version));
}
