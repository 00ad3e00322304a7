// The score after every entry: games won on the board, by drop, by words, by claim; Crawford.

import { OFF, otherSeat } from "../board/position.js";
import { LEVELS, SETTLING, cubeAct, firstPlay, given, isJustDropped } from "./past.js";

/** @import { BySeat, Counts, Entry, Known, Seat } from "../shared/types.js" */
/** @import { Seen } from "./past.js" */

/**
 * One game that is over.
 * @typedef {object} GameResult
 * @property {number} number
 * @property {Seat} winner
 * @property {number} points uncapped
 * @property {string | null} kind level; null where only points are known
 * @property {"board" | "drop" | "resignation" | "claim" | "ruling"} ended_by
 * @property {number} version of the entry that ended it
 */

/**
 * The match so far.
 * @typedef {object} Score
 * @property {BySeat<number>} score points of games, or as stated; uncapped
 * @property {BySeat<number>} entered points that penalties add to each side; below 0 where a stated
 *   score had points in it that were waived since
 * @property {Readonly<Record<string, {to: Seat, points: number}>>} penalties by entry id: what is
 *   left of penalties that enter the score, and whose side it is on
 * @property {Known & {at: BySeat<number>} | null} known what the server made of it all last, and the
 *   points of games then
 * @property {number | null} length null = money
 * @property {"none" | "before" | "crawford" | "after"} phase of the game in progress, or the last
 * @property {boolean} crawford_played
 * @property {readonly GameResult[]} games
 * @property {number} game_number
 * @property {number} ended_at version of the entry that ended the last game; 0 = none
 * @property {number} reopened_at version of the entry that undid the end of the last game
 * @property {number} unseen_at version since which whole games are missing; 0 = none
 * @property {Seat | null} decided who was given the match by a forfeit or a disqualification
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
 * Who has reached the length; null for money, while nobody has, and where both are level.
 * @param {Score} state
 * @returns {Seat | null}
 */
export function winnerOf({ decided, length, score }) {
  if (decided !== null || length === null) return decided;
  if (Math.max(score.one, score.two) < length || score.one === score.two) return null;
  return score.two > score.one ? "two" : "one";
}

/**
 * The score as it stands, with the penalty points that enter it: what is shown and agreed on.
 * @param {Score} state
 * @returns {BySeat<number>}
 */
export function wholeOf({ score, entered }) {
  const { one, two } = entered;
  return { one: Math.max(0, score.one + one), two: Math.max(0, score.two + two) };
}

/**
 * Who has won the match: as the server told it, else by points and by entries that say so.
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
 * The score as the server makes it by the rule set.
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
      return set(state, body.score, body.crawford_played || null, event.version, seen);
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
 * The phase of a game that starts now: the first with a side a point away is the Crawford game.
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
  // In a 1-point match both begin a point away; in another one penalty points bring both to that
  // before that game, and no games do.
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
 * Whether a seat's last checker is off, on the board as it is known: the game is over.
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
 * The last checker borne off ends the game.
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
 * Single, gammon or backgammon, by what the loser has left.
 * @param {Counts} loser 26 counts, own side
 */
function levelOf(loser) {
  if (loser[OFF] > 0) return "single";
  // The winner's home board is the loser's points 19 to 24; the bar comes behind them.
  return loser.slice(19).some((count) => count > 0) ? "backgammon" : "gammon";
}

/**
 * A game that ended at a level: cube value times level, unless Jacoby has a say in it.
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
 * The last game goes on: what it was worth is taken back.
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
 * Another play in the target's place: a game that ended since is open, or ends anew.
 * @param {Score} state
 * @param {Entry} event
 * @param {Seen} seen
 */
function replayed(state, event, seen) {
  const step = firstPlay(seen, event);
  if (step === undefined) return state;
  let now = state;
  if (!seen.flow.in_game) {
    // The match was given away in mid-game: no play brings that back.
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
  // The cube has folded already: see the flow.
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
  // A gammon without a double counts under Jacoby what the text says, whatever is claimed.
  const level = LEVELS.indexOf(kind) + 1;
  const { turned, value } = seen.cube;
  const isJacobys = seen.terms.jacoby && !turned && level > 1;
  if (isJacobys && (points === value || points === value * level)) {
    return valued(state, event, winner, kind, "claim", seen);
  }
  return won(state, event, { winner, points, kind, ended_by: "claim" });
}

/**
 * The state with another score.
 * @param {Score} state
 * @param {BySeat<number> | null | undefined} score
 * @param {boolean | null | undefined} played undefined or null = as far as the score allows it
 * @param {number} at version of the entry that sets it
 * @param {Seen} seen
 * @returns {Score}
 */
function set(state, score, played, at, seen) {
  // A stated score is all of it: the points that had entered before are in it.
  const now = score ? { ...state, score, entered: { one: 0, two: 0 }, unseen_at: 0 } : state;
  // Nobody can have played the Crawford game who has not come within a point of the match.
  const whole = wholeOf(now);
  const most = Math.max(whole.one, whole.two);
  const mayBe = now.length === null || most >= now.length - 1;
  const known = { ...now, crawford_played: played ?? (now.crawford_played && mayBe) };
  // A game in progress is in the phase that its score makes of it, from here on.
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
  return set({ ...state, length: correct }, null, null, event.version, seen);
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
      // The board is set up again: the last game goes on. Its points are the ruling's affair.
      now = { ...reopened(now, event), score: now.score };
    } else if (now.game_number === 0) {
      now = started(now, seen);
    }
  }
  return set(now, score, event.body.crawford_played, event.version, seen);
}
