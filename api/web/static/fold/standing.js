// Resolves corrections: which entries stand, as in projections/folding/standing.py.

/** @import { Entry } from "../shared/types.js" */

const UNCORRECTABLE = [
  "ruling.",
  "vote.",
  "appeal.",
  "entry.",
  "publication.",
  "pack.",
  "lease.",
  "key.",
  "branch.",
  "disclosure.",
];

/**
 * Whether an entry corrects another one.
 * @param {Entry} entry
 */
export function isCorrection({ tag }) {
  return tag === "entry.retracted" || tag === "entry.amended";
}

/**
 * The entries that stand after every correction among them is applied, in order. The latest
 * correction of an entry wins; a retracted correction has no effect.
 * @param {readonly Entry[]} entries
 * @returns {readonly Entry[]} amended entries keep their version and id
 */
export function standing(entries) {
  const kept = entries.filter(({ state }) => state !== "parked" && state !== "set_aside");
  const corrections = kept.filter(isCorrection);
  if (corrections.length === 0) return kept;
  const byId = new Map(kept.map((entry) => [entry.entry_id, entry]));
  /** @type {Set<string>} */
  const gone = new Set();
  /** @type {Map<string, Entry>} */
  const inForce = new Map();
  for (const correction of corrections.reverse()) {
    const target = byId.get(correction.body.target);
    if (gone.has(correction.entry_id) || !reaches(correction, target)) continue;
    if (isCorrection(target)) gone.add(target.entry_id);
    else if (!inForce.has(target.entry_id)) inForce.set(target.entry_id, correction);
  }
  return kept.flatMap((entry) => (isCorrection(entry) ? [] : corrected(entry, inForce)));
}

/**
 * @param {Entry} correction
 * @param {Entry | undefined} target
 * @returns {target is Entry}
 */
function reaches(correction, target) {
  if (target === undefined || target.version >= correction.version) return false;
  const isRetraction = correction.tag === "entry.retracted";
  if (isCorrection(target) && isRetraction) return true;
  /** @param {string} tag */
  const isFixed = (tag) => UNCORRECTABLE.some((start) => tag.startsWith(start));
  return !isFixed(target.tag) && (isRetraction || !isFixed(correction.body.tag));
}

/**
 * @param {Entry} entry
 * @param {Map<string, Entry>} inForce
 * @returns {Entry[]}
 */
function corrected(entry, inForce) {
  const correction = inForce.get(entry.entry_id);
  if (correction === undefined) return [entry];
  if (correction.tag === "entry.retracted") return [];
  const { body, basis } = correction;
  return [{ ...entry, tag: body.tag, schema: body.schema ?? 1, basis, body: body.body }];
}
