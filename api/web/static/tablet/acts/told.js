// What the screen shows of a tapped play: players must not see whether it is legal.
//
// Taps that determine a play are recorded at once; others only when the scribe confirms the play.
// That difference would tell players whether the dice allow a play. So, on a screen that they see,
// every tapped play looks open until it is confirmed or something else happens, and the header's
// ticks do not count its entry until then.

/** @import { Entry, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("./recorder.js").Recorder} Recorder */

/** Tags of entries that do not end a turn, and do not show whether its play is recorded. */
const BESIDE = new RegExp(
  "^(director|moment|notice|dispute|penalty|slow_play|sanction|evidence|testimony|spectator|delay|handling|" +
    "equipment|monitor|recording|clock\\.(set|paused|read|adjusted|flag|fault|delay))",
);

/** Tags that end a turn if they start the opponent's time, but not if they start the player's. */
const RUNS = /^clock\.(started|resumed)$/;

/** @param {Entry} entry @param {Seat} seat of the player of the last play */
function isBeside({ tag, body }, seat) {
  return BESIDE.test(tag) || (RUNS.test(tag) && (body.seat ?? seat) === seat);
}

/**
 * Whether a recorded play is shown as if it were not recorded.
 * @param {Recorder} recorder
 */
function isToldOpen({ table, turn, profile }) {
  const played = table.last_play;
  const isAtHand = turn?.recorded && turn.recorded.entry_id === played?.entry.entry_id;
  if (profile !== "no-assist" || !isAtHand || turn.words.includes("played")) return false;
  return isLast(table);
}

/**
 * Whether further taps may still change the last play.
 * @param {Table} table
 */
export function isLast(table) {
  return table.in_game && isNewest(table);
}

/**
 * Whether nothing that ends its turn has followed the last play.
 * @param {Table} table
 */
export function isNewest({ last_play: played, standing }) {
  if (played === null) return false;
  const at = standing.findLastIndex(({ entry_id }) => entry_id === played.entry.entry_id);
  return standing.slice(at + 1).every((entry) => isBeside(entry, played.seat));
}

/**
 * The table as the screen shows it in words.
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
 * Whether the play at hand looks open; where players look, also if its taps were all taken back.
 * @param {Recorder} recorder
 */
function isAtHand(recorder) {
  const { turn, profile } = recorder;
  if (turn === null) return false;
  if (turn.isPending || isToldOpen(recorder)) return true;
  return profile === "no-assist" && turn.recorded === null && turn.wasTapped;
}

/**
 * Whether there are taps that count as not recorded.
 * @param {Recorder} recorder
 */
export function isOpen(recorder) {
  const { fixing, asking } = recorder;
  return fixing?.turn.isPending || asking.question?.turn?.isPending || isAtHand(recorder);
}

/**
 * How many unsent entries are about the open play: they are not counted while it is open.
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
