// The fold of the flow: whose turn it is, who has to act, and which roll is in play.

import { otherSeat } from "../board/position.js";
import {
  between, byTheCube, inPlay, isBeforeOpening, NOT_OPENED, promoted, toRoll, turnGoesOn, turnsOf,
} from "./flow_state.js";
import { cubeAct, firstPlay, isPlayedOn, isSameTurn } from "./past.js";

/** @import { Dice, Entry, Seat } from "../shared/types.js" */
/** @import { Flow } from "./flow_state.js" */
/** @import { Seen } from "./past.js" */

/**
 * @param {Flow} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Flow}
 */
export function evolve(state, event, seen) {
  if (state.awaits === "cancelled") return state;
  const { body, tag } = event;
  switch (tag) {
    case "dice.rolled":
      return rolled(state, event, seen);
    case "play.made":
      return played(state, event, seen);
    case "clock.pressed":
    case "turn.ended":
      return turnEnded(state, body.seat);
    case "game.started":
      return { ...NOT_OPENED, awaits: "opening", in_game: true };
    case "dice.opening_rolled":
      return opening(state, event);
    case "cube.double_offered":
      return doubled(state, event, seen);
    case "cube.double_taken":
    case "cube.double_dropped":
    case "cube.beavered":
      return answered(state, event, seen);
    case "cube.stated":
    case "ruling.made":
      return seen.terms.ruled_throws?.[event.entry_id] ?? byTheCube(state, seen);
    case "cube.action_voided":
      return cubeVoided(state, event, seen);
    case "game.won":
      return state.in_game ? between(seen) : state;
    case "dice.voided":
      return voided(state, event, seen);
    case "dice.rolled_early":
      if (!state.in_game) return state;
      return { ...state, early: { ...pick(body), entry_id: event.entry_id, stands: false } };
    case "dice.early_roll_answered":
      return earlyAnswered(state, body);
    case "play.revised":
    case "play.corrected":
      return replayed(state, event, seen);
    case "play.unseen":
      return unseen(state, body);
    case "position.stated":
      return byTheCube(turnStated(state, event), seen);
    case "ruling.carried_out":
      return carriedOut(state, event, seen);
    default:
      return ending(state, event, seen);
  }
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function ending(state, event, seen) {
  const { body, tag } = event;
  switch (tag) {
    case "resignation.offered":
      return resigns(state, body);
    case "resignation.accepted":
      return resignationAccepted(state, event, seen);
    case "resignation.refused":
      return isOffered(state, body.seat) ? notResigned(state) : state;
    case "claim.made":
    case "claim.ruled":
      return seen.score.ended_at === event.version ? between(seen) : state;
    case "match.opened":
      return { ...NOT_OPENED, awaits: "game" };
    case "match.ended":
    case "forfeit.declared":
    case "player.disqualified":
      return { ...NOT_OPENED, awaits: "nothing" };
    case "match.cancelled":
      return { ...NOT_OPENED, awaits: "cancelled" };
    case "score.stated":
    case "match.length_error_found":
    case "match.deciding_game_ordered":
      return betweenAnew(state, event, seen);
    default:
      return state;
  }
}

/** @param {Record<string, any>} body @returns {{seat: Seat, dice: Dice}} */
function pick({ seat, dice }) {
  return { seat, dice };
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function rolled(state, { body, entry_id: entry }, seen) {
  if (!state.in_game) return state;
  const isAgain = state.on_roll === body.seat && state.dice !== null;
  const turns = state.turn_number + (isAgain ? 0 : 1);
  // An early roll of the opponent still waits for the end of this turn.
  const early = state.early?.seat === body.seat ? null : state.early;
  const now = { ...inPlay(body.seat, body.dice, turns, entry), early };
  return seen.cube.offered_by === null ? now : byTheCube(now, seen);
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function played(state, event, seen) {
  if (!state.in_game) return state;
  if (seen.score.ended_at === event.version) return between(seen);
  /** @type {Seat} */
  const seat = event.body.seat;
  const early = state.early?.seat === seat ? null : state.early;
  const now = { ...toRoll(otherSeat(seat), turnsOf(state)), turn_open: seat, early };
  // A player doubled during the own roll has now played it, and answers.
  return seen.cube.offered_by === null ? now : byTheCube(now, seen);
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function betweenAnew(state, event, seen) {
  if (state.in_game || state.awaits === "match") return state;
  if (event.tag === "match.deciding_game_ordered") return { ...NOT_OPENED, awaits: "game" };
  return between(seen);
}

/** @param {Flow} state @param {Seat} seat @returns {Flow} */
function turnEnded(state, seat) {
  return state.turn_open === seat ? promoted({ ...state, turn_open: null }) : state;
}

/** @param {Flow} state @param {Entry} event @returns {Flow} */
function opening(state, { body: { one, two }, entry_id: entry }) {
  if (!state.in_game) return state;
  // A tie is not played. It is remembered as the last throw, so that later entries can name it.
  if (one === two) return { ...NOT_OPENED, awaits: "opening", in_game: true, roll_entry: entry };
  return inPlay(one > two ? "one" : "two", [one, two], 1, entry);
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function doubled(state, event, seen) {
  if (!state.in_game) return state;
  /** @type {Seat} */
  const seat = event.body.seat;
  if (seen.cube.void_at === event.version) return { ...state, void_double: seat };
  // The server decides about a double after a turn that ended with its roll not played.
  const told = seen.terms.ruled_throws?.[event.entry_id];
  if (told !== undefined) return told;
  // During the opponent's roll, that turn goes on after the answer. Before the opening roll no
  // player is on roll, and the opening roll is still to come.
  const isOthers = state.dice !== null && state.on_roll !== null;
  const onRoll = isOthers || isBeforeOpening(state) ? state.on_roll : seat;
  return {
    ...state,
    awaits: "answer",
    on_roll: onRoll,
    to_act: otherSeat(seat),
    turn_open: null,
    answering: otherSeat(seat),
    resigning: null,
    resign_level: null,
    void_double: null,
  };
}

/**
 * After a take, a drop or a beaver; without an offer to answer, it changes nothing.
 * @param {Flow} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Flow}
 */
function answered(state, event, seen) {
  if (seen.score.ended_at === event.version) return between(seen);
  /** @type {Seat} */
  const seat = event.body.seat;
  if (state.void_double === otherSeat(seat) && state.answering !== seat) {
    return { ...state, void_double: null };
  }
  const now = byTheCube(state, seen);
  return now === state ? state : { ...now, resigning: null, resign_level: null };
}

const THROWS = new Set(["dice.rolled", "dice.opening_rolled", "dice.rolled_early"]);

/**
 * Void a throw: one that was never in play changes nothing, the roll in play is thrown again.
 * @param {Flow} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Flow}
 */
function voided(state, event, seen) {
  const { target } = event.body;
  const step = seen.stepOf(target);
  if (step === undefined || !THROWS.has(step.event.tag)) return state;
  if (state.early?.entry_id === target) return { ...state, early: null };
  if (state.roll_entry !== target && seen.positions.rewound_at !== event.version) return state;
  if (step.event.tag === "dice.opening_rolled") {
    const now = { ...NOT_OPENED, awaits: /** @type {const} */ ("opening"), in_game: state.in_game };
    return resigningStill(byTheCube(now, seen), state);
  }
  const { seat } = step.event.body;
  const was = step.event.tag === "dice.rolled" ? step.before.flow.on_roll : null;
  const now = toRoll(was ?? seat, Math.max(0, state.turn_number - 1));
  // An early roll of the opponent waits for the end of this turn, as before.
  const early = state.early?.seat === now.on_roll ? null : state.early;
  return resigningStill(byTheCube({ ...now, in_game: state.in_game, early }, seen), state);
}

/** A resignation still waits for its answer. @param {Flow} state @param {Flow} was before it */
function resigningStill(state, was) {
  const { awaits, resign_level, resigning, to_act } = was;
  return resigning === null ? state : { ...state, awaits, resign_level, resigning, to_act };
}

/** @param {Flow} state @param {Record<string, any>} body @returns {Flow} */
function earlyAnswered(state, { answer, target }) {
  const { early } = state;
  if (early === null || (target && target !== early.entry_id)) return state;
  if (answer === "redone") return { ...state, early: null };
  return answer === "stands" ? promoted({ ...state, early: { ...early, stands: true } }) : state;
}

/**
 * After a play was replaced, the opponent of its player is on roll.
 * @param {Flow} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Flow}
 */
function replayed(state, event, seen) {
  if (seen.score.ended_at === event.version) return between(seen);
  const step = firstPlay(seen, event);
  if (step === undefined || !(state.in_game || seen.score.reopened_at === event.version)) {
    return state;
  }
  const isRevision = event.tag === "play.revised";
  /** @type {string[]} */
  const undoes = event.body.undoes ?? [];
  const thrownBefore = step.before.flow.early?.entry_id;
  /** Whether a roll made since still counts. @param {string | null | undefined} roll */
  const keeps = (roll) =>
    Boolean(roll) && !undoes.includes(String(roll)) && (undoes.length > 0 || roll === thrownBefore);
  const isLast = state.in_game && seen.positions.rewound_at !== event.version;
  if (isLast && (isRevision || keeps(state.roll_entry))) {
    return isRevision ? state : byTheCube({ ...state, turn_open: null }, seen);
  }
  /** @type {Seat} */
  const seat = step.event.body.seat;
  const now = {
    ...toRoll(otherSeat(seat), turnsOf(step.before.flow)),
    turn_open: isRevision ? seat : null,
    early: !isRevision && keeps(state.early?.entry_id) ? state.early : null,
  };
  return byTheCube(now, seen);
}

/** @param {Flow} state @param {Record<string, any>} body @returns {Flow} */
function unseen(state, { seat, spans }) {
  if (spans === "games") {
    // Whole games are missing: the record goes on with a new game or a stated board.
    return state.awaits === "match" ? state : { ...NOT_OPENED, awaits: "game" };
  }
  if (!state.in_game) return state;
  return toRoll(seat ? otherSeat(seat) : null, turnsOf(state));
}

/**
 * Take over a stated turn and roll; what is not stated stays as it was.
 * @param {Flow} state
 * @param {Entry} event
 * @returns {Flow}
 */
function turnStated(state, { body: { on_roll: seat, dice }, entry_id: entry }) {
  if (!seat && !dice) {
    if (state.in_game) return { ...state, turn_open: null };
    return { ...NOT_OPENED, awaits: "roll", in_game: true };
  }
  const onRoll = seat ?? state.on_roll;
  if (!dice) return toRoll(onRoll, state.turn_number);
  return inPlay(onRoll, dice, turnsOf(state), entry);
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function carriedOut(state, event, seen) {
  if (seen.score.ended_at === event.version) return between(seen);
  const { checkers, dice, on_roll: onRoll } = event.body;
  if (!state.in_game && !checkers && !(onRoll && isCutOff(seen))) return betweenAnew(state, event, seen);
  return byTheCube(checkers || onRoll || dice ? turnStated(state, event) : state, seen);
}

/** Whether the last game was broken off without a result. @param {Seen} seen */
function isCutOff({ positions, score: { game_number: number, games, unseen_at: unseen } }) {
  return number > 0 && games.at(-1)?.number !== number && !unseen && positions.board !== null;
}

/** @param {Flow} state @param {Record<string, any>} body @returns {Flow} */
function resigns(state, { level = null, seat }) {
  if (!state.in_game) return state;
  const toAct = otherSeat(seat);
  return { ...state, awaits: "resignation", to_act: toAct, resigning: seat, resign_level: level };
}

/** @param {Flow} state @param {Seat} seat */
function isOffered(state, seat) {
  return state.resigning !== null && state.resigning !== seat;
}

/** @param {Flow} state @param {Entry} event @param {Seen} seen @returns {Flow} */
function resignationAccepted(state, event, seen) {
  if (seen.score.ended_at === event.version) return between(seen);
  if (!isOffered(state, event.body.seat)) return state;
  if (isPlayedOn(event, seen)) return notResigned(state);
  // Accepted without a known level: the claim that follows ends the game.
  return { ...state, awaits: "claim", to_act: null, answering: null };
}

/**
 * The game goes on from where it was when the resignation was offered.
 * @param {Flow} state
 * @returns {Flow}
 */
function notResigned(state) {
  const now = { ...state, resigning: null, resign_level: null };
  if (state.answering !== null) return { ...now, awaits: "answer", to_act: state.answering };
  return turnGoesOn(now);
}

/**
 * Undo a cube act that was declared void; after a voided double its player is on roll.
 * @param {Flow} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Flow}
 */
function cubeVoided(state, event, seen) {
  const now = { ...state, void_double: null };
  const step = cubeAct(seen, event.body.target);
  if (step === undefined) return byTheCube(now, seen);
  const was = step.before.flow;
  if (seen.score.reopened_at === event.version) return was;
  const isAtOnce = isSameTurn(step.before, { ...seen, flow: now }) && now.resigning === null;
  return byTheCube(isAtOnce ? { ...was, early: now.early } : now, seen);
}
