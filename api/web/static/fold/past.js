// What folds ask about earlier entries: the play, cube act or claim that an entry refers to.

import { otherSeat } from "../board/position.js";

/** @import { Board, Entry, Seat } from "../shared/types.js" */
/** @import { Positions } from "./positions.js" */
/** @import { CubeState } from "./cube.js" */
/** @import { Score } from "./score.js" */
/** @import { Flow } from "./flow_state.js" */
/** @import { Clock } from "./clock.js" */

/** Bases on which a stated cube or score replaces the computed one. */
export const SETTLING = new Set(["agreed", "ruled", "imported"]);

/**
 * The states of all folds at one moment.
 * @typedef {object} State
 * @property {Positions} positions
 * @property {CubeState} cube
 * @property {Score} score
 * @property {Flow} flow
 * @property {Clock} clock
 */

/**
 * An earlier entry with the states before and after it.
 * @typedef {object} Step
 * @property {Entry} event
 * @property {State} before
 * @property {State} after
 */

/**
 * What the options of the match and its rule set say, as far as the folds need it.
 * @typedef {object} Terms
 * @property {boolean} crawford
 * @property {boolean} jacoby whether a gammon without a double counts as a single game
 * @property {readonly string[]} void_cube_acts faults that make a double void
 * @property {readonly string[]} played_on ids of entries that give a game away which goes on
 * @property {Record<string, State["flow"]>} [ruled_throws] by entry id, from the server: the flow
 *   after a ruling that changed it, or after a double that left a roll unplayed
 * @property {Record<string, State["cube"]>} [cubes] by entry id, from the server: the cube after an
 *   opening tie, a drop or a ruling on them that turned it
 * @property {string | null} concedable when a game may be given away; null = always
 * @property {import("../shared/types.js").Known | null} [known] the server's last result
 */

/**
 * An earlier entry by its id; undefined if there is none.
 * @typedef {(id: string | null | undefined) => Step | undefined} StepOf
 */

/**
 * What a fold sees while it folds an entry: the new state of folds that ran before it, the old
 * state of the others.
 * @typedef {State & {terms: Terms, stepOf: StepOf}} Seen
 */

/** Entries by which a player acts on the cube. */
export const CUBE_ACTS = [
  "cube.double_offered",
  "cube.double_taken",
  "cube.double_dropped",
  "cube.beavered",
];

/**
 * Whether an entry is a cube act of a player.
 * @param {Entry} event
 */
export function isCubeAct(event) {
  return CUBE_ACTS.includes(event.tag);
}

/**
 * The `play.made` that a revision or correction changes; undefined if not of this game.
 * @param {Seen} seen
 * @param {Entry} event
 * @returns {Step | undefined}
 */
export function firstPlay(seen, event) {
  let target = event.body.target;
  let version = event.version;
  for (;;) {
    const step = seen.stepOf(target);
    if (step === undefined || step.event.version >= version) return undefined;
    const { body, tag } = step.event;
    if (tag === "play.made") {
      return step.before.flow.in_game && isSameGame(step.before, seen) ? step : undefined;
    }
    if (tag !== "play.revised" && tag !== "play.corrected") return undefined;
    [target, version] = [body.target, step.event.version];
  }
}

/**
 * The earlier cube act with this id; undefined if there is none, or if it changed nothing.
 * @param {Seen} seen
 * @param {string} id
 * @returns {Step | undefined}
 */
export function cubeAct(seen, id) {
  const step = seen.stepOf(id);
  if (step === undefined || !isCubeAct(step.event)) return undefined;
  const then = step.before.cube;
  const after = step.after.cube;
  const isSame =
    then.value === after.value &&
    then.owner === after.owner &&
    then.offered_by === after.offered_by;
  return isSame ? undefined : step;
}

/**
 * Whether no roll and no play has happened since `before`, and the game is still in progress.
 * @param {State} before
 * @param {State} now
 */
export function isSameTurn(before, now) {
  const [then, flow] = [before.flow, now.flow];
  return (
    then.in_game &&
    flow.in_game &&
    isSameGame(before, now) &&
    then.turn_number === flow.turn_number &&
    String(then.dice) === String(flow.dice) &&
    (flow.on_roll === null || (then.awaits === "opening") === (flow.awaits === "opening"))
  );
}

/**
 * Whether nothing has happened since `before` except a drop that ended the game.
 * @param {State} before
 * @param {State} now
 */
export function isJustDropped(before, now) {
  const { games } = now.score;
  return (
    before.flow.in_game &&
    !now.flow.in_game &&
    isSameGame(before, now) &&
    games.length === before.score.games.length + 1 &&
    games.at(-1)?.ended_by === "drop" &&
    isSameBoard(before.positions.board, now.positions.board)
  );
}

/**
 * @param {import("../shared/types.js").Board | null} one
 * @param {import("../shared/types.js").Board | null} two
 */
function isSameBoard(one, two) {
  return JSON.stringify(one) === JSON.stringify(two);
}

/** @param {State} before @param {State} now */
function isSameGame(before, now) {
  return before.score.game_number === now.score.game_number;
}

// Games that a resignation or claim ends.

const CLAIMS = new Set(["game", "game_and_match"]);

/** Levels of a won game, worth one, two and three times the cube. @type {readonly string[]} */
export const LEVELS = ["single", "gammon", "backgammon"];

/**
 * A game that a resignation, claim or ruling gives to a seat; level null = not said.
 * @typedef {{winner: Seat, level: string | null, by: "resignation" | "claim" | "ruling"}} Given
 */

/**
 * The result if an entry ends the game in progress by resignation, claim or ruling; else null.
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Given | null}
 */
export function given(event, seen) {
  const held = heldClaim(event, seen);
  if (held !== null) return held;
  const gift = conceded(event, seen);
  return gift === null || gift.level === null || isPlayedOn(event, seen) ? null : gift;
}

/**
 * Whether a game goes on although it is given away: as the server said, or by the terms alone.
 * @param {Entry} event
 * @param {Seen} seen
 */
export function isPlayedOn(event, seen) {
  const { concedable, known, played_on: kept } = seen.terms;
  if (kept.includes(event.entry_id)) return true;
  if (concedable !== "without_contact" || event.version <= (known?.version ?? 0)) return false;
  return hasContact(seen.positions.board) && conceded(event, seen) !== null;
}

/** @param {Board | null} board */
function hasContact(board) {
  /** @param {Seat} seat */
  const rearmost = (seat) => board?.[seat].findLastIndex((count, point) => count > 0 && point > 0) ?? 0;
  return rearmost("one") + rearmost("two") > 25;
}

/**
 * The result if the loser gives the game in progress away; else null.
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Given | null}
 */
function conceded(event, seen) {
  const { flow } = seen;
  if (!flow.in_game) return null;
  const { body, tag } = event;
  if (tag === "resignation.accepted") {
    if (flow.resigning === null || flow.resigning === body.seat) return null;
    return { winner: otherSeat(flow.resigning), level: flow.resign_level, by: "resignation" };
  }
  if (tag === "claim.made" && event.basis === "agreed") return claimed(body, seen);
  if (tag !== "claim.ruled" || !body.holds) return null;
  const step = claimStep(body.target, seen);
  if (step === undefined || !isSameTurn(step.before, seen)) return null;
  const claim = step.event.body;
  const isGranted = claim.seat && (body.by === "both" || body.by === otherSeat(claim.seat));
  return isGranted ? claimed(claim, seen) : null;
}

/**
 * @param {Record<string, any>} claim
 * @param {Seen} seen
 * @returns {{winner: Seat, level: string, by: "claim"} | null}
 */
function claimed(claim, seen) {
  if (!claim.seat || !CLAIMS.has(claim.kind) || hasTooMany(claim.seat, seen)) return null;
  return { winner: claim.seat, level: levelClaimed(claim, seen), by: "claim" };
}

/**
 * The level claimed; a claim of game and match without a level means the level that is enough.
 * @param {Record<string, any>} claim
 * @param {Seen} seen
 * @returns {string}
 */
function levelClaimed({ kind, level, seat: by }, { cube, positions, score: { entered, length, score } }) {
  const seat = /** @type {Seat} */ (by);
  if (level || kind === "game" || length === null) return level ?? "single";
  // A player who has borne off a checker loses a single game only.
  const levels = positions.board?.[otherSeat(seat)][0] ? [] : LEVELS;
  const missing = length - Math.max(0, score[seat] + entered[seat]);
  return levels.find((_, at) => cube.value * (at + 1) >= missing) ?? "single";
}

/**
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {{winner: Seat, level: string | null, by: "ruling"} | null}
 */
function heldClaim({ body, tag }, seen) {
  if (tag !== "claim.ruled" || !body.holds || (body.by ?? "director") !== "director") return null;
  const step = claimStep(body.target, seen);
  if (step === undefined || !isSameTurn(step.before, seen)) return null;
  const claim = step.event.body;
  if (!claim.seat || !CLAIMS.has(claim.kind)) return null;
  const level = hasTooMany(claim.seat, seen) ? (claim.level ?? null) : levelClaimed(claim, seen);
  return { winner: claim.seat, level, by: "ruling" };
}

/** @param {string} target @param {Seen} seen */
function claimStep(target, seen) {
  const step = seen.stepOf(target);
  return step?.event.tag === "claim.made" ? step : undefined;
}

/**
 * Whether fifteen checkers are off already: then an agreement does not decide the game.
 * @param {Seat} seat
 * @param {Seen} seen
 */
function hasTooMany(seat, seen) {
  return (seen.positions.board?.[seat][0] ?? 0) >= 15;
}
