// What the screen tells of a play that was tapped: to players nothing that tells a legal one from others.
//
// A play that its taps tell is an entry at once, any other one when it is said to be all. Players would
// see by that whether the dice allow it. So to them a tapped play is open until somebody says that it
// was played, or something else happens, wherever it is told: neither tick claims anything meanwhile.

/** @import { Entry, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** What comes beside a play and does not end its turn, nor shows whether it is an entry already. */
const BESIDE = new RegExp(
  "^(director|moment|notice|dispute|penalty|slow_play|sanction|evidence|testimony|spectator|delay|handling|" +
    "equipment|monitor|recording|clock\\.(set|paused|read|adjusted|flag|fault|delay))",
);

/** Whoever has played ends the turn by having the other's time run; by their own it only goes on. */
const RUNS = /^clock\.(started|resumed)$/;

/** @param {Entry} entry @param {Seat} seat of who has played */
function isBeside({ tag, body }, seat) {
  return BESIDE.test(tag) || (RUNS.test(tag) && (body.seat ?? seat) === seat);
}

/**
 * Whether a recorded play is told as if it were not.
 * @param {Recorder} recorder
 */
function isToldOpen({ table, turn, profile }) {
  const played = table.last_play;
  const isAtHand = turn?.recorded && turn.recorded.entry_id === played?.entry.entry_id;
  if (profile !== "no-assist" || !isAtHand || turn.words.includes("played")) return false;
  return isLast(table);
}

/**
 * Whether further taps may still say the last play otherwise.
 * @param {Table} table
 */
export function isLast(table) {
  return table.in_game && isNewest(table);
}

/**
 * Whether nothing but what stands beside it has come since the last play.
 * @param {Table} table
 */
export function isNewest({ last_play: played, standing }) {
  if (played === null) return false;
  const at = standing.findLastIndex(({ entry_id }) => entry_id === played.entry.entry_id);
  return standing.slice(at + 1).every((entry) => isBeside(entry, played.seat));
}

/**
 * The table as the screen tells it.
 * @param {Recorder} recorder
 * @returns {Table}
 */
export function toldTable(recorder) {
  const { table } = recorder;
  const played = table.last_play;
  if (played === null || !isToldOpen(recorder)) return table;
  const standing = table.standing.filter(({ entry_id }) => entry_id !== played.entry.entry_id);
  return { ...table, standing, awaits: "play", on_roll: played.seat, to_act: played.seat };
}

/**
 * Whether the play at hand is open: to players also one tapped and taken back, perhaps an entry in between.
 * @param {Recorder} recorder
 */
function isAtHand(recorder) {
  const { turn, profile } = recorder;
  if (turn === null) return false;
  if (turn.isPending || isToldOpen(recorder)) return true;
  return profile === "no-assist" && turn.recorded === null && turn.wasTapped;
}

/**
 * Whether taps were made that count as no entry yet.
 * @param {Recorder} recorder
 */
export function isOpen(recorder) {
  const { fixing, asking } = recorder;
  return fixing?.turn.isPending || asking.question?.turn?.isPending || isAtHand(recorder);
}

/**
 * How many entries about the open play the server has not: they count once it is closed.
 * @param {Recorder} recorder
 */
export function untold(recorder) {
  const { outbox, profile, turn } = recorder;
  if (profile !== "no-assist" || turn === null || !isAtHand(recorder)) return 0;
  const { entries } = outbox;
  const at = entries.findLastIndex(({ entry_id }) => entry_id === turn.roll);
  /** @type {Set<string>} */
  const about = new Set();
  for (const { entry_id, tag, body } of at < 0 ? [] : entries.slice(at + 1)) {
    const isAbout = tag.startsWith("entry.") && about.has(body.target);
    if (tag === "play.made" || isAbout) about.add(entry_id);
  }
  return entries.slice(at + 1).filter(({ entry_id, state }) => about.has(entry_id) && state === "saved").length;
}
