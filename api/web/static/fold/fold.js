// Folds the entries of a match into board, cube, score, turn and clock, as Python does.

import { otherSeat } from "../board/position.js";
import * as clock from "./clock.js";
import * as cube from "./cube.js";
import * as flow from "./flow.js";
import { NOT_OPENED } from "./flow_state.js";
import * as positions from "./positions.js";
import { isPlayedOn } from "./past.js";
import * as score from "./score.js";
import { isCorrection, standing } from "./standing.js";

/** @import { ClockState, Entry, Known, Table } from "../shared/types.js" */
/** @import { Seen, State, Step, Terms } from "./past.js" */

/** @type {State} */
const BEFORE_ALL = Object.freeze({
  positions: positions.NO_BOARD,
  cube: cube.IN_THE_MIDDLE,
  score: score.NOTHING_PLAYED,
  flow: NOT_OPENED,
  clock: clock.NOT_SET,
});

/**
 * What a table was folded from, so that one more entry does not fold all entries again.
 * @typedef {object} Folded
 * @property {readonly Entry[]} entries
 * @property {readonly Entry[]} standing
 * @property {ReadonlyMap<string, Step>} steps by entry id
 * @property {State} state
 * @property {Terms} terms
 * @property {Partial<Terms>} given
 */

/** @type {WeakMap<Table, Folded>} */
const folded = new WeakMap();

/**
 * The table after all entries, with corrections applied.
 * @param {readonly Entry[]} entries in the order of the stream
 * @param {Partial<Terms>} [given] terms of the rule set in force
 * @returns {Table}
 */
export function fold(entries, given = {}) {
  const kept = standing(entries);
  const terms = termsOf(kept, given);
  /** @type {Map<string, Step>} */
  const steps = new Map();
  const known = knownOf(terms, entries);
  let state = BEFORE_ALL;
  let isDue = known !== null && (entries.at(-1)?.version ?? 0) >= known.version;
  for (const event of kept) {
    if (isDue && known !== null && event.version > known.version) {
      state = told(state, known);
      isDue = false;
    }
    state = evolved(state, event, steps, terms);
  }
  if (isDue && known !== null) state = told(state, known);
  return tableOf({ entries, standing: kept, steps, state, terms, given });
}

/**
 * The table after one more entry; fast unless that entry corrects an earlier one.
 * @param {Table} table made by `fold` or `extend`
 * @param {Entry} entry
 * @returns {Table}
 */
export function extend(table, entry) {
  const was = folded.get(table);
  if (was === undefined) throw new TypeError("this table was not made by fold");
  const entries = [...was.entries, entry];
  const isPlain = !isCorrection(entry) && entry.tag !== "match.opened" && entry.state !== "parked";
  if (!isPlain || entry.state === "set_aside") return fold(entries, was.given);
  const steps = new Map(was.steps);
  const after = evolved(was.state, entry, steps, was.terms);
  const known = knownOf(was.terms, entries);
  const state = known?.version === entry.version ? told(after, known) : after;
  return tableOf({ ...was, entries, standing: [...was.standing, entry], steps, state });
}

/**
 * @param {State} was
 * @param {Entry} event
 * @param {Map<string, Step>} steps gets the step of this entry
 * @param {Terms} terms
 * @returns {State}
 */
function evolved(was, event, steps, terms) {
  const before = found(was, event, steps);
  /** @type {Seen} */
  const seen = { ...before, terms, stepOf: (id) => (id ? steps.get(id) : undefined) };
  // The order matters: the board needs the roll that the flow still has, the score needs the
  // board after the play, the flow needs to know whether the score has ended the game.
  seen.positions = positions.evolve(before.positions, event, seen);
  seen.cube = cube.evolve(before.cube, event, seen);
  seen.score = score.evolve(before.score, event, seen);
  seen.flow = flow.evolve(before.flow, event, seen);
  seen.clock = clock.evolve(before.clock, event);
  const { terms: _, stepOf: __, ...after } = seen;
  steps.set(event.entry_id, { event, before: was, after });
  return after;
}

/** Tags of entries after which an earlier ruling on a claim is no longer taken back. */
const OF_THE_GAME = /^(play|dice|cube|claim|resignation)\./;

/**
 * The state that a ruling on a claim starts from: a repeated one starts where the first did.
 * @param {State} was
 * @param {Entry} event
 * @param {Map<string, Step>} steps
 * @returns {State}
 */
function found(was, { body, tag }, steps) {
  if (tag !== "claim.ruled" || (body.by ?? "director") !== "director") return was;
  let now = was;
  for (const { event, before, after } of [...steps.values()].reverse()) {
    if (event.tag === "claim.ruled") {
      if (event.body.target !== body.target) continue;
      const saysTheSame = now === was && event.body.holds === body.holds;
      if (saysTheSame || moved(after) !== moved(now)) break;
      now = before;
    } else if (OF_THE_GAME.test(event.tag)) break;
  }
  const { cube: value, flow: turn, positions: board, score: points } = now;
  return now === was ? was : { ...was, cube: value, flow: turn, positions: board, score: points };
}

/** The states that a ruling on a claim may change, as text. @param {State} state */
function moved({ cube: value, flow: turn, positions: board, score: points }) {
  return JSON.stringify([value, turn, board, points]);
}

/**
 * The terms of the match: its opening says whether Crawford and Jacoby apply, the caller gives
 * what follows from the rule set.
 * @param {readonly Entry[]} entries
 * @param {Partial<Terms>} given
 * @returns {Terms}
 */
function termsOf(entries, given) {
  const opened = entries.find(({ tag }) => tag === "match.opened")?.body;
  const options = opened?.options ?? {};
  const isMatch = Boolean(opened?.length);
  /** @param {string} key @param {boolean} otherwise */
  const isOn = (key, otherwise) => {
    const value = options[key]?.value;
    return value === undefined || value === null ? otherwise : value === true || value === "on";
  };
  return {
    crawford: isOn("crawford", isMatch),
    jacoby: !isMatch && isOn("jacoby", false),
    void_cube_acts: [],
    played_on: [],
    concedable: null,
    ...given,
  };
}

/**
 * The server's result for these entries up to a version; null if there is none, or if an entry
 * was corrected since.
 * @param {Terms} terms
 * @param {readonly Entry[]} entries
 * @returns {Known | null}
 */
function knownOf({ known }, entries) {
  if (!known) return null;
  const isOld = entries.some((entry) => entry.version > known.version && isCorrection(entry));
  return isOld ? null : known;
}

/** @param {State} state @param {Known} known @returns {State} */
function told(state, known) {
  return { ...state, score: score.told(state.score, known) };
}

/** @param {Folded} whole @returns {Table} */
function tableOf(whole) {
  const { entries, standing: kept, state, steps, terms } = whole;
  const { cube: cubeNow, flow: turn, positions: board, score: points } = state;
  const last = points.games.at(-1);
  const winner = score.matchWinner(points);
  /** @type {Table} */
  const table = {
    version: entries.at(-1)?.version ?? 0,
    length: points.length,
    crawford_played: points.crawford_played,
    is_crawford: points.phase === "crawford",
    score: score.wholeOf(points),
    game: points.game_number,
    in_game: turn.in_game,
    board: board.board,
    cube: { value: cubeNow.value, owner: cubeNow.owner, offered_by: cubeNow.offered_by },
    on_roll: turn.on_roll,
    to_act: turn.to_act,
    turn_open: turn.turn_open,
    asked: [turn.answering, turn.void_double && otherSeat(turn.void_double)].filter((seat) => seat !== null),
    // Only the score knows that a flag or penalty points have decided the match.
    awaits: turn.awaits === "game" && winner !== null ? "nothing" : turn.awaits,
    dice: turn.dice,
    dice_seat: turn.dice === null ? null : turn.on_roll,
    roll_entry: turn.roll_entry,
    turn_number: turn.turn_number,
    early: turn.early,
    resigning:
      turn.resigning === null ? null : { seat: turn.resigning, level: turn.resign_level },
    ended:
      turn.in_game || last === undefined
        ? null
        : { winner: last.winner, points: last.points, kind: last.kind, by: last.ended_by },
    games: points.games,
    winner,
    known: points.known,
    before: (entry) => steps.get(entry)?.before.positions.board ?? null,
    clock: clockOf(state),
    flag: flagOf(kept),
    played_on: isKept(kept.findLast(({ tag }) => tag !== "score.noted"), steps, terms),
    unjudged: isUnjudged(points, terms),
    standing: kept,
    last_play: lastPlay(state, steps),
  };
  folded.set(table, whole);
  return table;
}

/**
 * Whether an entry gives a game away that goes on all the same.
 * @param {Entry | undefined} event
 * @param {ReadonlyMap<string, Step>} steps
 * @param {Terms} terms
 */
function isKept(event, steps, terms) {
  const step = steps.get(event?.entry_id ?? "");
  if (!step) return false;
  return isPlayedOn(step.event, { ...step.before, terms, stepOf: (id) => steps.get(id ?? "") });
}

/**
 * Whether the server has not yet judged if a resignation or claim may end the last game.
 * @param {State["score"]} points
 * @param {Terms} terms
 */
function isUnjudged({ games }, { concedable, known }) {
  const { ended_by: by, version = 0 } = games.at(-1) ?? {};
  const isByWords = by === "resignation" || by === "claim";
  return isByWords && concedable === "where_it_is_certain" && version > (known?.version ?? 0);
}

/**
 * The noticed flag, if the clock has not run since.
 * @param {readonly Entry[]} kept
 * @returns {Entry | null}
 */
function flagOf(kept) {
  const last = kept.findLast(({ tag }) => tag.startsWith("clock.") && tag !== "clock.paused");
  return last?.tag === "clock.flag_noticed" ? last : null;
}

/** @param {State} state @returns {ClockState | null} */
function clockOf({ clock: { is_set, since_ms: since_at_ms, elapsed_ms: since_elapsed_ms, ...now } }) {
  return is_set ? { ...now, since_at_ms, since_elapsed_ms } : null;
}

/**
 * @param {State} state
 * @param {ReadonlyMap<string, Step>} steps
 * @returns {Table["last_play"]}
 */
function lastPlay({ positions: now }, steps) {
  const step = now.last_play === null ? undefined : steps.get(now.last_play);
  if (step === undefined || now.player === null) return null;
  return { entry: step.event, seat: now.player, before: now.before_play, dice: now.dice };
}
