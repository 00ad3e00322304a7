// The director's notices to a table not acknowledged yet; twin of projections/views/notices.py.

/** @import { Entry } from "../shared/types.js" */

const TOLD = new Set([
  "ruling.made", "ruling.carried_out", "penalty.assessed", "penalty.waived", "slow_play.warned",
  "forfeit.declared", "sanction.imposed", "player.disqualified", "clock.adjusted", "delay.excused",
  "result.corrected", "appeal.refused", "appeal.decided",
]);

/** Who may raise a dispute at the table; that is no news to the table. */
const AT_THE_TABLE = new Set(["one", "two", "both"]);

/**
 * @param {Entry} entry
 * @param {ReadonlySet<string>} calls
 */
function isTold({ tag, body }, calls) {
  if (tag === "moment.marked") return calls.has(body.target);
  if (tag === "claim.ruled" || tag === "match.deciding_game_ordered") return (body.by ?? "director") === "director";
  if (tag === "dispute.raised") return !AT_THE_TABLE.has(body.by);
  return TOLD.has(tag);
}

/** Version at which the length last changed; 0 = never. @param {readonly Entry[]} entries */
function lengthSaidAt(entries) {
  let at = 0;
  /** @type {unknown} */
  let was;
  for (const { tag, body, version } of entries) {
    if ((body.tag ?? tag) !== "match.opened") continue;
    const { length = null } = body.tag ? body.body : body;
    if (was !== undefined && was !== length) at = version;
    was = length;
  }
  return at;
}

/**
 * The notices that the table has not acknowledged, in order.
 * @param {readonly Entry[]} standing
 * @param {readonly Entry[]} entries all of the stream
 * @returns {Entry[]}
 */
export function waitingNotices(standing, entries) {
  /** @type {Map<string, Entry>} */
  const waiting = new Map();
  /** @type {Set<string>} */
  const calls = new Set();
  /** Entry to the version of its last amendment: earlier acknowledgements no longer count. */
  const said = new Map(
    entries.filter(({ tag }) => tag === "entry.amended").map(({ body, version }) => [body.target, version]),
  );
  for (const entry of standing) {
    if (entry.tag === "director.called") calls.add(entry.entry_id);
    const isOpening = entry.tag === "match.opened";
    if (isOpening) said.set(entry.entry_id, lengthSaidAt(entries));
    if (isOpening ? said.get(entry.entry_id) : isTold(entry, calls)) waiting.set(entry.entry_id, entry);
    const { target } = entry.body;
    if (entry.tag === "notice.acknowledged" && entry.version > (said.get(target) ?? 0)) waiting.delete(target);
  }
  return [...waiting.values()];
}
