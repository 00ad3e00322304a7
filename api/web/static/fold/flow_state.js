// The state of the flow of a game, and the transitions that several entries share.

import { otherSeat } from "../board/position.js";
import { winnerOf } from "./score.js";

/** @import { Awaits, Dice, Seat } from "../shared/types.js" */
/** @import { Seen } from "./past.js" */

/**
 * Dice thrown before the opponent's turn had ended, unless the answer was to redo them.
 * @typedef {{seat: Seat, dice: Dice, entry_id: string, stands: boolean}} EarlyRoll
 */

/**
 * Whose turn it is, and what the game waits for.
 * @typedef {object} Flow
 * @property {Awaits} awaits
 * @property {boolean} in_game
 * @property {Seat | null} on_roll whose turn it is
 * @property {Seat | null} to_act who has to decide now: while a double waits, the doubled player
 * @property {Seat | null} turn_open who may still change the last play
 * @property {Dice | null} dice the roll in play; an opening roll: seat one's die, then seat two's
 * @property {number} turn_number turns begun in this game
 * @property {string | null} roll_entry the entry of the roll in play, or of an opening tie
 * @property {Seat | null} answering who has to answer a double or a beaver
 * @property {Seat | null} resigning who has offered to resign, while unanswered
 * @property {string | null} resign_level
 * @property {EarlyRoll | null} early
 * @property {Seat | null} void_double who has made a double that is void by the terms
 */

/** @type {Flow} */
export const NOT_OPENED = Object.freeze({
  awaits: /** @type {const} */ ("match"),
  in_game: false,
  on_roll: null,
  to_act: null,
  turn_open: null,
  dice: null,
  turn_number: 0,
  roll_entry: null,
  answering: null,
  resigning: null,
  resign_level: null,
  early: null,
  void_double: null,
});

/**
 * The roll that `seat` has to play: the roll in play, else that seat's early roll.
 * @param {Flow} flow
 * @param {Seat} seat
 * @returns {Dice | null}
 */
export function diceOf(flow, seat) {
  if (flow.dice !== null) return flow.on_roll === seat ? flow.dice : null;
  return flow.early?.seat === seat ? flow.early.dice : null;
}

/**
 * The flow when `seat` has rolled and has to play.
 * @param {Seat | null} seat
 * @param {Dice} dice
 * @param {number} turns
 * @param {string} entry
 * @returns {Flow}
 */
export function inPlay(seat, dice, turns, entry) {
  return {
    ...NOT_OPENED,
    awaits: "play",
    in_game: true,
    on_roll: seat,
    to_act: seat,
    dice,
    turn_number: turns,
    roll_entry: entry,
  };
}

/**
 * The flow when `seat` is on roll and has not rolled.
 * @param {Seat | null} seat
 * @param {number} turns
 * @returns {Flow}
 */
export function toRoll(seat, turns) {
  return {
    ...NOT_OPENED,
    awaits: "roll",
    in_game: true,
    on_roll: seat,
    to_act: seat,
    turn_number: turns,
  };
}

/** The number of the next turn, or of this one if it has rolled already. @param {Flow} state */
export function turnsOf(state) {
  return state.dice !== null ? state.turn_number : state.turn_number + 1;
}

/**
 * The flow after a game: waiting for the next game, or for nothing if the match is won.
 * @param {Seen} seen
 * @returns {Flow}
 */
export function between({ score }) {
  return { ...NOT_OPENED, awaits: winnerOf(score) === null ? "game" : "nothing" };
}

/**
 * Put an early roll that stands into play, once the turn before it has ended.
 * @param {Flow} state
 * @returns {Flow}
 */
export function promoted(state) {
  const { early } = state;
  const isDue =
    early?.stands &&
    state.awaits === "roll" &&
    state.turn_open === null &&
    state.on_roll === early.seat;
  if (!isDue || early === null) return state;
  const now = inPlay(early.seat, early.dice, state.turn_number + 1, early.entry_id);
  return { ...now, in_game: state.in_game };
}

/**
 * Take over from the cube who has to answer; its offer may have lapsed or been settled.
 * @param {Flow} state
 * @param {Seen} seen
 * @returns {Flow}
 */
export function byTheCube(state, { cube }) {
  const offeredBy = state.in_game ? cube.offered_by : null;
  if (offeredBy !== null) {
    const answering = otherSeat(offeredBy);
    if (state.answering === answering) return state;
    return { ...state, awaits: "answer", to_act: answering, answering, turn_open: null };
  }
  if (state.answering === null) return state;
  const now = { ...state, answering: null };
  return state.awaits === "resignation" ? now : turnGoesOn(now);
}

/** Whether the opening roll is still to come, even if a double waits. @param {Flow} state */
export function isBeforeOpening(state) {
  return state.awaits === "opening" || (state.answering !== null && state.on_roll === null);
}

/**
 * Go on with the roll, or with its play, after an answer was given or is no longer needed.
 * @param {Flow} state
 * @returns {Flow}
 */
export function turnGoesOn(state) {
  if (state.dice !== null) return { ...state, awaits: "play", to_act: state.on_roll };
  const isOpening = state.on_roll === null && state.turn_number === 0;
  return promoted({ ...state, awaits: isOpening ? "opening" : "roll", to_act: state.on_roll });
}
