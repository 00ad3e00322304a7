// The fold of the score: games won on the board, by drop, resignation or claim; Crawford.

import { OFF, otherSeat } from "../board/position.js";
import { LEVELS, SETTLING, cubeAct, firstPlay, given, isJustDropped } from "./past.js";

/** @import { BySeat, Counts, Entry, Known, Seat } from "../shared/types.js" */
/** @import { Seen } from "./past.js" */

/**
 * The result of a game.
 * @typedef {object} GameResult
 * @property {number} number
 * @property {Seat} winner
 * @property {number} points uncapped
 * @property {string | null} kind the level; null if only points are known
 * @property {"board" | "drop" | "resignation" | "claim" | "ruling"} ended_by
 * @property {number} version of the entry that ended it
 */

/**
 * The score of the match so far.
 * @typedef {object} Score
 * @property {BySeat<number>} score points of games, or as stated; uncapped
 * @property {BySeat<number>} entered points that penalties add to each side; below 0 if a stated
 *   score included points that were waived since
 * @property {Readonly<Record<string, {to: Seat, points: number}>>} penalties by entry id: the
 *   points left of a penalty that enters the score, and the side that gets them
 * @property {Known & {at: BySeat<number>} | null} known the server's last result, and the points
 *   of games at that time
 * @property {number | null} length null = money
 * @property {"none" | "before" | "crawford" | "after"} phase of the game in progress, or last game
 * @property {boolean} crawford_played
 * @property {readonly GameResult[]} games
 * @property {number} game_number
 * @property {number} ended_at version of the entry that ended the last game; 0 = none
 * @property {number} reopened_at version of the entry that undid the end of the last game
 * @property {number} unseen_at version since which whole games are missing; 0 = none
 * @property {Seat | null} decided who has won the match by a forfeit or a disqualification
 */

/** @type {Score} */
export const NOTHING_PLAYED = Object.freeze({
  score: { one: 0, two: 0 },
  entered: { one: 0, two: 0 },
  penalties: {},
  known: null,
  length: null,
  phase: /** @type {const} */ ("none"),
  crawford_played: false,
  games: [],
  game_number: 0,
  ended_at: 0,
  reopened_at: 0,
  unseen_at: 0,
  decided: null,
});

const ONE_WORD = new Set(["claimed_by_one", "claimed_by_two", "testified"]);

/**
 * Who has won by reaching the length; null in money play, before that, and if both are level.
 * @param {Score} state
 * @returns {Seat | null}
 */
export function winnerOf({ decided, length, score }) {
  if (decided !== null || length === null) return decided;
  if (Math.max(score.one, score.two) < length || score.one === score.two) return null;
  return score.two > score.one ? "two" : "one";
}

/**
 * The score with the penalty points that enter it: the one that is shown and agreed.
 * @param {Score} state
 * @returns {BySeat<number>}
 */
export function wholeOf({ score, entered }) {
  const { one, two } = entered;
  return { one: Math.max(0, score.one + one), two: Math.max(0, score.two + two) };
}

/**
 * Who has won the match: by the server's result if it still applies, else by points and entries.
 * @param {Score} state
 * @returns {Seat | null}
 */
export function matchWinner(state) {
  const { known, score, entered } = state;
  if (known !== null) {
    const isSame = known.at === score && known.entered === entered && state.decided === null;
    if (isSame || known.winner !== null) return known.winner;
  }
  return winnerOf(state) ?? winnerOf({ ...state, score: wholeOf(state) });
}

/**
 * Take over the score that the server has computed by the rule set.
 * @param {Score} state
 * @param {Known} known
 * @returns {Score}
 */
export function told(state, known) {
  const { score, entered } = known;
  return { ...state, score, entered, known: { ...known, at: score } };
}

/**
 * @param {Score} state
 * @param {Entry} event
 * @param {Seen} seen
 * @returns {Score}
 */
export function evolve(state, event, seen) {
  const { body, tag } = event;
  switch (tag) {
    case "play.made":
      return seen.flow.in_game ? borneOff(state, event, body.seat, seen) : state;
    case "game.started":
      return started(state, seen);
    case "game.won":
      return claimed(state, event, seen);
    case "cube.double_dropped":
      return dropped(state, event, seen);
    case "cube.action_voided":
      return cubeVoided(state, event, seen);
    case "resignation.accepted":
    case "claim.made":
    case "claim.ruled":
      return conceded(state, event, seen);
    case "score.stated":
      if (!SETTLING.has(event.basis)) return state;
      return scoreStated(state, body.score, body.crawford_played || null, event.version, seen);
    case "match.opened":
      return opened(body);
    case "match.length_error_found":
      return lengthFound(state, event, seen);
    case "play.revised":
    case "play.corrected":
      return replayed(state, event, seen);
    case "position.stated":
      return seen.flow.in_game ? state : started(state, seen);
    case "play.unseen":
      return body.spans === "games" ? { ...state, unseen_at: event.version } : state;
    case "ruling.carried_out":
      return carriedOut(state, event, seen);
    case "forfeit.declared":
    case "player.disqualified":
      return { ...state, decided: otherSeat(body.seat) };
    case "penalty.assessed":
      return body.enters_score ? penalised(state, event) : state;
    case "penalty.waived":
      return waived(state, body);
    default:
      return state;
  }
}

/** @param {Record<string, any>} body @returns {Score} */
function opened({ score_at_start: start, length, crawford_played: played }) {
  const score = { one: start?.one ?? 0, two: start?.two ?? 0 };
  return { ...NOTHING_PLAYED, score, length: length ?? null, crawford_played: played ?? false };
}

/** @param {Score} state @param {Entry} event @returns {Score} */
function penalised(state, { body, entry_id: entry }) {
  const to = otherSeat(body.seat);
  const points = { to, points: body.points };
  const penalties = { ...state.penalties, [entry]: points };
  return entering({ ...state, penalties }, to, body.points);
}

/** @param {Score} state @param {Record<string, any>} body @returns {Score} */
function waived(state, { target, points }) {
  const penalty = state.penalties[target];
  if (penalty === undefined) return state;
  const off = Math.min(points ?? penalty.points, penalty.points);
  const left = { ...penalty, points: penalty.points - off };
  return entering({ ...state, penalties: { ...state.penalties, [target]: left } }, penalty.to, -off);
}

/** @param {Score} state @param {Seat} to @param {number} points @returns {Score} */
function entering(state, to, points) {
  return { ...state, entered: { ...state.entered, [to]: state.entered[to] + points } };
}

/** @param {Score} state @param {Seen} seen @returns {Score} */
function started(state, seen) {
  return inPhase({ ...state, game_number: state.game_number + 1 }, seen);
}

/** @param {Score} state @param {Seen} seen @returns {Score} */
function inPhase(state, { terms }) {
  return { ...state, phase: phaseOf(state, terms.crawford) };
}

/**
 * The phase of a game that starts now: the first with one side a point away is the Crawford game.
 * @param {Score} state
 * @param {boolean} isInForce
 * @returns {Score["phase"]}
 */
function phaseOf(state, isInForce) {
  const { crawford_played: wasPlayed, length, score } = state;
  if (length === null || !isInForce) return "none";
  if (wasPlayed) return "after";
  const whole = wholeOf(state);
  const [one, two] = [whole.one === length - 1, whole.two === length - 1];
  // Both sides are one point away at the start of a 1-point match; in longer matches only
  // penalty points can bring both there before the Crawford game.
  const isByPoints = length === 1 || Math.min(score.one, score.two) < length - 1;
  return one !== two || (one && isByPoints) ? "crawford" : "before";
}

/**
 * @param {Score} state
 * @param {Entry} event
 * @param {Omit<GameResult, "number" | "version">} result
 * @returns {Score}
 */
function won(state, event, result) {
  const { winner, points } = result;
  return {
    ...state,
    score: { ...state.score, [winner]: state.score[winner] + points },
    games: [...state.games, { ...result, number: state.game_number, version: event.version }],
    crawford_played: state.crawford_played || state.phase === "crawford",
    ended_at: event.version,
  };
}

/**
 * Whether a seat has borne off its last checker, as far as the board is known.
 * @param {Seat} seat
 * @param {Seen} seen
 */
export function hasBorneOff(seat, { positions: { board } }) {
  if (board === null) return false;
  const counts = board[seat];
  const left = counts.reduce((sum, count) => sum + count, 0) - counts[OFF];
  return counts[OFF] > 0 && left === 0;
}

/**
 * End the game if `seat` has borne off its last checker.
 * @param {Score} state
 * @param {Entry} event
 * @param {Seat} seat
 * @param {Seen} seen
 * @returns {Score}
 */
function borneOff(state, event, seat, seen) {
  const { board } = seen.positions;
  if (board === null || !hasBorneOff(seat, seen)) return state;
  return valued(state, event, seat, levelOf(board[otherSeat(seat)]), "board", seen);
}

/**
 * Single, gammon or backgammon, from the loser's checkers.
 * @param {Counts} loser 26 counts, own side
 */
function levelOf(loser) {
  if (loser[OFF] > 0) return "single";
  // The winner's home board is the loser's points 19 to 24; index 25 is the bar.
  return loser.slice(19).some((count) => count > 0) ? "backgammon" : "gammon";
}

/**
 * The state after a game won at a level: cube value times level; by Jacoby once the cube value.
 * @param {Score} state
 * @param {Entry} event
 * @param {Seat} winner
 * @param {string} kind
 * @param {GameResult["ended_by"]} endedBy
 * @param {Seen} seen
 */
function valued(state, event, winner, kind, endedBy, { cube, terms }) {
  const isFlat = terms.jacoby && !cube.turned;
  const factor = isFlat ? 1 : LEVELS.indexOf(kind) + 1;
  return won(state, event, { winner, points: cube.value * factor, kind, ended_by: endedBy });
}

/**
 * Undo the end of the last game, and take its points back.
 * @param {Score} state
 * @param {Entry} event
 * @returns {Score}
 */
function reopened(state, event) {
  const games = state.games.slice(0, -1);
  const { points, winner } = state.games[state.games.length - 1];
  return {
    ...state,
    score: { ...state.score, [winner]: Math.max(0, state.score[winner] - points) },
    games,
    crawford_played: state.crawford_played && state.phase !== "crawford",
    ended_at: games.at(-1)?.version ?? 0,
    reopened_at: event.version,
  };
}

/**
 * After a play was replaced: undo the end of the game, unless the new play ends it too.
 * @param {Score} state
 * @param {Entry} event
 * @param {Seen} seen
 */
function replayed(state, event, seen) {
  const step = firstPlay(seen, event);
  if (step === undefined) return state;
  let now = state;
  if (!seen.flow.in_game) {
    // No game has ended since that play, so the match was ended in mid-game, and stays so.
    if (state.games.length === step.before.score.games.length) return state;
    now = reopened(state, event);
  }
  return borneOff(now, event, step.event.body.seat, seen);
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function cubeVoided(state, event, seen) {
  const step = cubeAct(seen, event.body.target);
  const isReopened = step !== undefined && isJustDropped(step.before, seen);
  return isReopened ? reopened(state, event) : state;
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function dropped(state, event, { cube, flow, terms }) {
  // The cube was folded first, so only the flow still knows the offer.
  const { seat } = event.body;
  if (!flow.in_game || flow.answering !== seat || terms.played_on.includes(event.entry_id)) return state;
  const winner = otherSeat(seat);
  return won(state, event, { winner, points: cube.value, kind: "single", ended_by: "drop" });
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function conceded(state, event, seen) {
  const found = given(event, seen);
  if (found === null) return state;
  const { board } = seen.positions;
  const asItLies = board === null ? "single" : levelOf(board[otherSeat(found.winner)]);
  return valued(state, event, found.winner, found.level ?? asItLies, found.by, seen);
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function claimed(state, event, seen) {
  if (!seen.flow.in_game && state.unseen_at <= state.ended_at) return state;
  const { kind = null, points, winner } = event.body;
  // Under Jacoby a gammon without a double counts by that rule, not as claimed.
  const level = LEVELS.indexOf(kind) + 1;
  const { turned, value } = seen.cube;
  const isJacobys = seen.terms.jacoby && !turned && level > 1;
  if (isJacobys && (points === value || points === value * level)) {
    return valued(state, event, winner, kind, "claim", seen);
  }
  return won(state, event, { winner, points, kind, ended_by: "claim" });
}

/**
 * The state with a stated score.
 * @param {Score} state
 * @param {BySeat<number> | null | undefined} score
 * @param {boolean | null | undefined} played whether the Crawford game was played; undefined or
 *   null = as before, if the score allows it
 * @param {number} at version of the entry that sets it
 * @param {Seen} seen
 * @returns {Score}
 */
function scoreStated(state, score, played, at, seen) {
  // A stated score is the whole score: it includes penalty points entered before.
  const now = score ? { ...state, score, entered: { one: 0, two: 0 }, unseen_at: 0 } : state;
  // The Crawford game cannot have been played before a side is one point away.
  const whole = wholeOf(now);
  const most = Math.max(whole.one, whole.two);
  const mayBe = now.length === null || most >= now.length - 1;
  const known = { ...now, crawford_played: played ?? (now.crawford_played && mayBe) };
  // The phase of a game in progress follows from the new score.
  const { one, two } = wholeOf(state);
  const isMoved = now !== state && (whole.one !== one || whole.two !== two);
  const isSaid = now !== state || typeof played === "boolean";
  const isPlayed = isSaid && known.crawford_played !== state.crawford_played;
  const goesOn = seen.flow.in_game && state.ended_at !== at;
  return goesOn && (isMoved || isPlayed || seen.flow.awaits === "opening") ? inPhase(known, seen) : known;
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function lengthFound(state, event, seen) {
  const { correct } = event.body;
  if (state.length === null || state.length === correct || ONE_WORD.has(event.basis)) return state;
  return scoreStated({ ...state, length: correct }, null, null, event.version, seen);
}

/** @param {Score} state @param {Entry} event @param {Seen} seen */
function carriedOut(state, event, seen) {
  const { checkers, game_over: winner, on_roll: onRoll, score } = event.body;
  let now = checkers || onRoll ? { ...state, decided: null } : state;
  if (seen.flow.in_game && winner) {
    /** @type {Seat} */
    const seat = winner;
    const points = score ? Math.max(0, score[seat] - wholeOf(now)[seat]) : 0;
    now = won(now, event, { winner, points, kind: null, ended_by: "ruling" });
  } else if (!seen.flow.in_game && checkers) {
    if (now.games.at(-1)?.number === now.game_number && now.games.length > 0) {
      // The board is set up again, so the last game goes on; the ruling itself states points.
      now = { ...reopened(now, event), score: now.score };
    } else if (now.game_number === 0) {
      now = started(now, seen);
    }
  }
  return scoreStated(now, score, event.body.crawford_played, event.version, seen);
}
