// Freezes: from a dispute to the ruling that settles it, as projections/views/freezing.py has them.

/** @import { Entry } from "../shared/types.js" */

/**
 * One dispute, and how far it goes.
 * @typedef {object} Freeze
 * @property {Entry} dispute
 * @property {number | null} settled version of the ruling that settles it
 */

/** Beginnings of the tags that go on with the match. */
const PLAYED_ON = [
  "dice.", "play.", "turn.", "cube.", "clock.", "game.", "resignation.", "claim.made", "score.",
  "result.reported", "match.ended", "position.", "start.", "handling.",
];

/**
 * Every dispute that stands, in order. A ruling settles the dispute that it names; one that names
 * nothing settles all that are open.
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
 * Whether an entry was made while a ruling was awaited.
 * @param {readonly Freeze[]} known
 * @param {Entry} entry
 */
export function isFrozen(known, { tag, basis, version }) {
  if (basis === "ruled" || tag === "clock.adjusted" || !PLAYED_ON.some((start) => tag.startsWith(start))) return false;
  return known.some(({ dispute, settled }) => dispute.version < version && (settled === null || settled > version));
}
