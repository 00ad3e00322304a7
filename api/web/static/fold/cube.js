// The fold of the cube: value, owner, and the offer that waits for an answer.

import { otherSeat } from "../board/position.js";
import { SETTLING, cubeAct, firstPlay, given, isCubeAct, isJustDropped, isSameTurn } from "./past.js";
import { diceOf } from "./flow_state.js";
import { hasBorneOff, wholeOf } from "./score.js";

/** @import { Entry, Seat } from "../shared/types.js" */
/** @import { Seen } from "./past.js" */

/**
 * The cube of the game in progress, or of the last one.
 * @typedef {object} CubeState
 * @property {number} value
 * @property {Seat | null} owner null = in the middle
 * @property {Seat | null} offered_by who has doubled or beavered, while unanswered
 * @property {boolean} is_beaver whether the offer is a beaver
 * @property {boolean} turned whether a double was taken in this game
 * @property {number} void_at version of the last double that was void by the terms
 */

/** @type {CubeState} */
export const IN_THE_MIDDLE = Object.freeze({
  value: 1,
  owner: null,
  offered_by: null,
  is_beaver: false,
  turned: false,
  void_at: 0,
});

const HIGHEST = 2 ** 30;

/**
 * @param {CubeState} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {CubeState}
 */
export function evolve(state, event, seen) {
  const { body, entry_id, tag } = event;
  const told = seen.terms.cubes?.[entry_id];
  if (told) return told;
  switch (tag) {
    case "play.made":
      if (!completesTurn(state, body.seat, seen)) return wentOn(state, seen);
      // With the last checker off the game is over, and the double needs no answer.
      return hasBorneOff(body.seat, seen) ? lapsed(state) : state;
    case "dice.rolled":
      // The doubled player rolled too early, and may still answer.
      return state.offered_by === body.seat && !state.is_beaver ? state : wentOn(state, seen);
    case "play.unseen":
    case "dice.opening_rolled":
      return wentOn(state, seen);
    case "game.started":
    case "match.opened":
      return IN_THE_MIDDLE;
    case "cube.double_offered":
      return offered(state, event, seen);
    case "cube.double_taken":
      if (!isAsked(state, body.seat)) return state;
      return state.is_beaver ? accepted(state) : turnedTo(state, body.seat);
    case "cube.double_dropped":
      return isAsked(state, body.seat) ? lapsed(state) : state;
    case "cube.beavered":
      return isAsked(state, body.seat) ? beavered(state, body.seat) : state;
    case "cube.action_voided":
      return voided(state, body.target, seen);
    case "cube.stated":
      return stated(state, event);
    case "position.stated":
      return placed(state, body, seen);
    case "ruling.carried_out":
      return carriedOut(state, body);
    case "play.revised":
    case "play.corrected":
      return replayed(state, event, seen);
    case "resignation.accepted":
    case "claim.made":
    case "claim.ruled":
      return conceded(state, event, seen);
    case "game.won":
    case "match.ended":
    case "forfeit.declared":
    case "player.disqualified":
      return lapsed(state);
    default:
      return state;
  }
}

/** The next value of the cube. @param {number} value */
function twice(value) {
  return Math.min(2 * value, HIGHEST);
}

/** @param {CubeState} state @param {Seat} seat */
function isAsked(state, seat) {
  return state.offered_by !== null && state.offered_by !== seat;
}

/** The cube without the offer that waited. @param {CubeState} state @returns {CubeState} */
function lapsed(state) {
  return state.offered_by === null ? state : { ...state, offered_by: null, is_beaver: false };
}

/**
 * Play goes on although an offer waits: a beaver is accepted, a double lapses.
 * @param {CubeState} state
 * @param {Seen} seen
 * @returns {CubeState}
 */
function wentOn(state, seen) {
  if (state.offered_by === null || !seen.flow.in_game) return state;
  return state.is_beaver ? accepted(state) : lapsed(state);
}

/**
 * Whether the doubled player plays the roll during which the double came; the answer follows.
 * @param {CubeState} state
 * @param {Seat} seat
 * @param {Seen} seen
 */
function completesTurn(state, seat, { flow }) {
  return isAsked(state, seat) && !state.is_beaver && flow.dice !== null && flow.on_roll === seat;
}

/** @param {CubeState} state @returns {CubeState} */
function accepted({ value, owner, void_at }) {
  return { ...IN_THE_MIDDLE, value: twice(value), owner, turned: true, void_at };
}

/** @param {CubeState} state @param {Seat} owner @returns {CubeState} */
function turnedTo({ value, void_at }, owner) {
  return { ...IN_THE_MIDDLE, value: twice(value), owner, turned: true, void_at };
}

/** @param {CubeState} state @param {Seat} seat @returns {CubeState} */
function beavered(state, seat) {
  const owner = state.is_beaver ? state.owner : seat;
  return { ...turnedTo(state, seat), owner, offered_by: seat, is_beaver: true };
}

/** @param {CubeState} state @param {Entry} event @param {Seen} seen @returns {CubeState} */
function offered(state, event, seen) {
  if (!seen.flow.in_game) return state;
  const { seat } = event.body;
  const faults = faultsOf(state, seat, seen);
  if (faults.some((fault) => seen.terms.void_cube_acts.includes(fault))) {
    return { ...state, void_at: event.version };
  }
  return { ...state, offered_by: seat, is_beaver: false };
}

/**
 * What is wrong with a double by `seat` now, in the words of `CubeFault`.
 * @param {CubeState} state
 * @param {Seat} seat
 * @param {Seen} seen
 * @returns {string[]}
 */
function faultsOf(state, seat, { flow, score }) {
  const isDead = score.length !== null && wholeOf(score)[seat] + state.value >= score.length;
  const isOpening = flow.on_roll === null && flow.awaits === "opening";
  /** @type {[string, boolean][]} */
  const faults = [
    ["cube-in-crawford-game", score.phase === "crawford"],
    ["cube-not-owned", state.owner !== null && state.owner !== seat],
    ["cube-after-roll", diceOf(flow, seat) !== null],
    ["cube-before-opening", isOpening],
    ["out-of-turn", flow.on_roll !== null && flow.on_roll !== seat],
    ["cube-dead", isDead],
  ];
  return faults.filter(([, holds]) => holds).map(([fault]) => fault);
}

/** @param {CubeState} state @param {string} target @param {Seen} seen @returns {CubeState} */
function voided(state, target, seen) {
  const step = cubeAct(seen, target);
  if (step === undefined || step.before.score.game_number !== seen.score.game_number) return state;
  const before = { ...step.before.cube, void_at: state.void_at };
  const isAtOnce = isSameTurn(step.before, seen) || isJustDropped(step.before, seen);
  return isAtOnce ? before : lapsed(before);
}

/** @param {CubeState} state @param {Entry} event @returns {CubeState} */
function stated(state, { basis, body }) {
  const { value, owner = null } = body;
  if ((value === state.value && owner === state.owner) || !SETTLING.has(basis)) return state;
  return { ...cubeStated({ value, owner }, state.turned), void_at: state.void_at };
}

/** @param {CubeState} state @param {Record<string, any>} body @param {Seen} seen */
function placed(state, body, seen) {
  // Stating a board between games begins a game.
  const before = seen.flow.in_game ? state : IN_THE_MIDDLE;
  if (body.cube) return cubeStated(body.cube, false);
  return body.on_roll || body.dice ? lapsed(before) : before;
}

/** @param {CubeState} state @param {Record<string, any>} body */
function carriedOut(state, { cube, on_roll: onRoll, dice, game_over: winner }) {
  if (cube) return cubeStated(cube, state.turned);
  return onRoll || dice || winner ? lapsed(state) : state;
}

/**
 * The cube as it is stated. No double that was taken leaves it in the middle.
 * @param {{value: number, owner?: Seat | null}} cube
 * @param {boolean} wasTurned
 * @returns {CubeState}
 */
function cubeStated({ value, owner = null }, wasTurned) {
  const turned = wasTurned || (value > 1 && owner !== null);
  return { ...IN_THE_MIDDLE, value, owner, turned };
}

/**
 * Undo the cube acts that a corrected play undoes; an offer made since that play lapses.
 * @param {CubeState} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {CubeState}
 */
function replayed(state, event, seen) {
  const made = firstPlay(seen, event);
  if (made === undefined) return state;
  if (event.tag === "play.revised") {
    const isOver = hasBorneOff(event.body.seat, seen);
    return isOver || seen.positions.rewound_at === event.version ? lapsed(state) : state;
  }
  /** @type {string[]} */
  const undoes = event.body.undoes ?? [];
  const acts = undoes
    .map((id) => seen.stepOf(id))
    .filter((step) => step !== undefined)
    .filter((step) => isCubeAct(step.event))
    .filter((step) => step.before.score.game_number === seen.score.game_number)
    .sort((one, two) => one.event.version - two.event.version);
  const now = acts.length === 0 ? state : { ...acts[0].before.cube, void_at: state.void_at };
  // A double from before that play, made during its player's roll, still waits for an answer.
  return now.offered_by === made.before.cube.offered_by ? now : lapsed(now);
}

/**
 * A double needs no answer once a resignation or claim has ended the game.
 * @param {CubeState} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {CubeState}
 */
function conceded(state, event, seen) {
  if (state.offered_by === null) return state;
  const { flow } = seen;
  const isLevelToCome =
    event.tag === "resignation.accepted" &&
    flow.resigning === otherSeat(event.body.seat) &&
    flow.resign_level === null;
  return isLevelToCome || given(event, seen) !== null ? lapsed(state) : state;
}
