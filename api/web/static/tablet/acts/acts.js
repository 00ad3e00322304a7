// Bodies of the entries that gestures record, and which entries "undo" may take back.

/**
 * @import { Act, Basis, BySeat, CheckerMove, Entry, Seat, Table } from "../../shared/types.js"
 */

/** Nouns of entries that "undo" takes back; not calls, marks, disputes and rulings. */
const UNDONE = new Set([
  "break", "claim", "clock", "cube", "delay", "dice", "equipment", "evidence", "game", "handling",
  "match", "monitor", "play", "player", "position", "preference", "recording", "resignation",
  "result", "score", "spectator", "start", "table", "testimony", "turn",
]);

/** Tags with one of these nouns that the scribe may not take back all the same. */
const KEPT = new Set([
  "clock.adjusted", "match.deciding_game_ordered", "match.opened", "result.corrected",
  "result.posted", "spectator.barred",
]);

/** Tags of entries that change the board, the cube or the score. */
export const AT_THE_TABLE =
  /^((dice|play|cube|resignation|claim|game|position|start)\.|score\.stated|result\.corrected|ruling\.carried_out)/;

/**
 * The body of a play, with how it was found: the taps, how many plays fitted, how it was chosen.
 * @param {Seat} seat
 * @param {readonly CheckerMove[]} moves
 * @param {readonly string[]} words
 * @param {{ fitted?: number, confirmed?: string }} [found]
 */
export function playBody(seat, moves, words, found = {}) {
  /** @type {Record<string, any>} */
  const body = { seat, ...found };
  if (moves.length > 0) body.moves = moves.map((move) => [...move]);
  if (words.length > 0) body.taps = [...words];
  return body;
}

/**
 * The body of a gap for a play that the taps do not determine.
 * @param {Seat} seat
 * @param {readonly string[]} points
 */
export function gapBody(seat, points) {
  return points.length > 0 ? { seat, count: 1, written: points.join(" ") } : { seat, count: 1 };
}

/**
 * An amendment of an entry: what happened instead.
 * @param {Entry} target
 * @param {string} tag
 * @param {Record<string, any>} body
 * @param {Basis} [basis] of the amended entry
 * @returns {Act}
 */
export function amended(target, tag, body, basis = "observed") {
  const { at_ms } = target.body;
  const kept = at_ms === undefined ? body : { ...body, at_ms };
  return { tag: "entry.amended", body: { target: target.entry_id, tag, body: kept }, basis };
}

/**
 * Whether an entry is a gap for one play that still has to be asked about. The device wrote it,
 * because something else came next; a scribe's own "not seen" has another basis.
 * @param {Entry} entry
 */
export function isUntold({ tag, basis, body }) {
  return tag === "play.unseen" && basis === "device" && body.count === 1 && Boolean(body.seat);
}

/** Tags of clock entries: "undo" does not reach behind one that the director recorded. */
const ON_THE_CLOCK = /^clock\./;

/**
 * The entry that "undo" takes back: the scribe's last act or correction that is still in force. Or
 * the bar: an entry that the director has recorded since, behind which "undo" does not reach.
 * @param {Table} table
 * @param {readonly Entry[]} entries all of the stream
 * @returns {{ entry: Entry | null, bar: Entry | null }}
 */
export function undoable({ standing }, entries) {
  const terms = standing.find(({ tag }) => tag === "match.opened")?.body.clock_terms;
  const tags = new Map(standing.map(({ entry_id, tag }) => [entry_id, tag]));
  const unasked = entries.filter(
    (entry, at) => isSetByTerms(entry, terms) && entries[at + 1]?.tag === "clock.started",
  );
  const gone = new Set(unasked.map(({ entry_id }) => entry_id));
  const theirs = new Map();
  /** @type {Entry | null} */
  let clock = null;
  for (const entry of entries.toReversed()) {
    const { entry_id, tag, body, state, basis, isFromRoom } = entry;
    const about = tag === "entry.amended" ? body.target : entry_id;
    // The scribe does not take back what the director has recorded, nor what lies behind a
    // director's entry on board, cube or score: its loss would not be seen.
    if (state === "parked" || state === "set_aside" || gone.has(entry_id)) continue;
    if (tag === "entry.retracted") gone.add(body.target);
    else if (basis === "ruled" || isFromRoom) {
      if (AT_THE_TABLE.test(tag) || tag === "result.posted") return { entry: null, bar: entry };
      theirs.set(about, entry);
      if (ON_THE_CLOCK.test(tag)) clock ??= entry;
    } else {
      const now = tags.get(about);
      const bar = theirs.get(about) ?? (ON_THE_CLOCK.test(now ?? "") ? clock : null);
      if (bar) return { entry: null, bar };
      if (isUndone(now)) return { entry, bar };
    }
  }
  return { entry: null, bar: null };
}

/**
 * Whether an entry sets the clock as agreed. The tablet records that by itself before the first
 * start, and it stays when the start is taken back.
 * @param {Entry} entry
 * @param {any} terms
 */
function isSetByTerms({ tag, body }, terms) {
  if (tag !== "clock.set" || !terms) return false;
  // A clock without reserve or delay has no such members.
  const { kind, delay_ms = 0, reserve_ms: { one, two } = { one: 0, two: 0 } } = body;
  const isWhole = one === terms.reserve_ms && two === terms.reserve_ms;
  return isWhole && kind === terms.kind && delay_ms === (terms.delay_ms ?? 0);
}

/** @param {string | undefined} tag after corrections; undefined if the entry is retracted */
function isUndone(tag) {
  return tag !== undefined && UNDONE.has(tag.split(".")[0]) && !KEPT.has(tag);
}

/**
 * The act of a player who agrees with the score.
 * @param {Seat} seat
 * @param {BySeat<number>} score
 * @returns {Act}
 */
export function confirmed(seat, score) {
  const body = { score: { one: score.one, two: score.two }, keeper: seat, sheet: "display" };
  return { tag: "score.noted", body, basis: claimedBy(seat) };
}

/**
 * @param {Seat} seat
 * @returns {Basis}
 */
export function claimedBy(seat) {
  return seat === "one" ? "claimed_by_one" : "claimed_by_two";
}

/**
 * The seats that have confirmed the current score since the last game ended.
 * @param {Table} table
 * @returns {Seat[]}
 */
export function confirmations({ standing, score, winner }) {
  /** @type {Set<Seat>} */
  const found = new Set();
  for (const { tag, body, basis } of standing.toReversed()) {
    if (/^(dice|play|cube|resignation|claim)\.|^game\.|^position\./.test(tag)) break;
    // A score that the director has corrected since must be confirmed again.
    const { one, two } = body.score ?? {};
    if (one !== score.one || two !== score.two) continue;
    // A noted score does not confirm the result: the director may have shortened the match since.
    const isOwn = winner === null && tag === "score.noted" && body.keeper && basis === claimedBy(body.keeper);
    const isResult = tag === "result.reported" && (winner === null || body.winner === winner);
    if (isOwn || isResult) found.add(isOwn ? body.keeper : body.seat);
  }
  return [...found];
}
