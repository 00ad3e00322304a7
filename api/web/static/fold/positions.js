// The fold of the board: every play is applied as recorded, legal or not.

import { EVERY_POINT, STARTING, boardOf, moved, seenBy } from "../board/position.js";
import { firstPlay } from "./past.js";
import { diceOf } from "./flow_state.js";

/** @import { Board, CheckerMove, Dice, Entry, Seat } from "../shared/types.js" */
/** @import { Seen, Step } from "./past.js" */

/**
 * The board, and the play that led to it.
 * @typedef {object} Positions
 * @property {Board | null} board null while unknown, and before the first game
 * @property {boolean} stated whether an entry has stated the board of this game
 * @property {string | null} last_play id of the last play of the game, made or corrected
 * @property {Board | null} before_play the board before that play
 * @property {Dice | null} dice the roll of that play
 * @property {Seat | null} player who made that play
 * @property {string | null} changes id of the `play.made` that it replaces
 * @property {number} rewound_at version of the entry that undid later plays; 0 = none
 */

/** @type {Positions} */
export const NO_BOARD = Object.freeze({
  board: null,
  stated: false,
  last_play: null,
  before_play: null,
  dice: null,
  player: null,
  changes: null,
  rewound_at: 0,
});

/**
 * @param {Positions} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Positions}
 */
export function evolve(state, event, seen) {
  const { body, tag } = event;
  switch (tag) {
    case "play.made":
      return made(state, event, seen);
    case "game.started":
      return { ...NO_BOARD, board: STARTING };
    case "match.opened":
      return NO_BOARD;
    case "dice.voided":
      return body.target ? unplayed(state, event, seen) : state;
    case "play.revised":
      return revised(state, event, seen);
    case "play.unseen":
      return { ...NO_BOARD, stated: state.stated, player: body.seat ?? null };
    case "position.stated":
      return { ...NO_BOARD, board: body.checkers, stated: true };
    case "play.corrected":
      return corrected(state, event, seen);
    case "start.corrected":
      return startCorrected(state, body);
    case "ruling.carried_out":
      return body.checkers ? { ...NO_BOARD, board: body.checkers, stated: true } : state;
    default:
      return state;
  }
}

/** @param {Positions} state @param {Entry} event @param {Seen} seen */
function made(state, event, seen) {
  if (!seen.flow.in_game) return state;
  const { seat } = event.body;
  const now = played(event.body, seat, state.board, diceOf(seen.flow, seat), event.entry_id);
  return { ...now, stated: state.stated };
}

/**
 * The state after any play from `board`; `target` is the id under which the play is kept.
 * @param {Record<string, any>} body
 * @param {Seat} seat
 * @param {Board | null} board
 * @param {Dice | null} dice
 * @param {string} target
 * @returns {Positions}
 */
function played(body, seat, board, dice, target) {
  const known = { ...NO_BOARD, last_play: target, before_play: board, dice, player: seat };
  if (body.resulting_position) return { ...known, board: body.resulting_position };
  if (board === null) return known;
  /** @type {CheckerMove[]} */
  const moves = body.moves ?? [];
  const after = moved(seenBy(board, seat), moves, body.hits_not_lifted).position;
  return { ...known, board: after === null ? null : boardOf(after, seat) };
}

/** @param {Positions} state @param {Entry} event @param {Seen} seen */
function revised(state, event, seen) {
  const step = firstPlay(seen, event);
  if (step === undefined) return state;
  // However often it is revised, a play keeps the id of its `play.made`.
  return again(state, event, step, step.event.entry_id);
}

/** @param {Positions} state @param {Entry} event @param {Seen} seen */
function corrected(state, event, seen) {
  const step = firstPlay(seen, event);
  if (step === undefined) return state;
  const { checkers, dice } = event.body;
  if (!checkers) return again(state, event, step, event.entry_id, dice);
  return { ...NO_BOARD, board: checkers, stated: true, rewound_at: rewound(state, event, step) };
}

/**
 * A play that replaces another one.
 * @param {Positions} state
 * @param {Entry} event
 * @param {Step} step
 * @param {string} target
 * @param {Dice} [shown] the dice, if the entry records them too
 * @returns {Positions}
 */
function again(state, event, step, target, shown) {
  const { seat } = step.event.body;
  const dice = shown ?? diceOf(step.before.flow, seat);
  const now = played(event.body, seat, step.before.positions.board, dice, target);
  return { ...now, stated: state.stated, changes: step.event.entry_id, rewound_at: rewound(state, event, step) };
}

/** @param {Positions} state @param {Entry} event @param {Step} step */
function rewound(state, event, step) {
  return firstOf(state) === step.event.entry_id ? 0 : event.version;
}

/** @param {Positions} state */
function firstOf(state) {
  return state.changes ?? state.last_play;
}

/**
 * Undo the last play, because the roll that it was made with is voided.
 * @param {Positions} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Positions}
 */
function unplayed(state, event, seen) {
  const step = seen.stepOf(firstOf(state));
  const { flow } = seen;
  if (step === undefined || !flow.in_game || flow.dice !== null || flow.answering !== null) {
    return state;
  }
  const then = step.before.flow;
  const { target } = event.body;
  if (target !== then.roll_entry && target !== then.early?.entry_id) return state;
  const { board } = step.before.positions;
  return { ...NO_BOARD, board, stated: state.stated, rewound_at: event.version };
}

/**
 * Put a wrong starting position right; nothing moves unless an entry had stated the wrong board.
 * @param {Positions} state
 * @param {Record<string, any>} body
 * @returns {Positions}
 */
function startCorrected(state, { seat, moved: moves }) {
  if (state.board === null || !state.stated) return state;
  const after = moved(seenBy(state.board, seat), moves, EVERY_POINT).position;
  return after ? { ...state, board: boardOf(after, seat) } : state;
}
