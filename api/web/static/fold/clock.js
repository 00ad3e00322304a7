// The fold of the clock: reserves and delay, from presses, pauses, readings and adjustments.

import { otherSeat } from "../board/position.js";

/** @import { BySeat, ClockState, Entry, Seat } from "../shared/types.js" */

/**
 * The state of the table's clock.
 * @typedef {object} Clock
 * @property {boolean} is_set
 * @property {string} kind
 * @property {number} delay_ms free time of a turn
 * @property {BySeat<number | null>} reserve_ms at the last clock entry; null = unknown
 * @property {Seat | null} running
 * @property {number | null} since_ms `at_ms` since when it has run without a pause
 * @property {number | null} elapsed_ms time of this turn used before that; null = unknown
 * @property {number | null} turn_reserve_ms reserve of the running seat when its turn began
 * @property {Seat | null} paused whose time ran before the pause
 * @property {number | null} free_ms free time of this turn, if it is not the whole delay
 * @property {Forfeit} turn_forfeit
 * @property {BySeat<Forfeit>} forfeits how each seat forfeits the delay of its next turn
 */

/** @typedef {"at_once" | "waits" | null} Forfeit how a delay is forfeited */

/** @type {Clock} */
export const NOT_SET = Object.freeze({
  is_set: false,
  kind: "simple",
  delay_ms: 0,
  reserve_ms: { one: null, two: null },
  running: null,
  since_ms: null,
  elapsed_ms: 0,
  turn_reserve_ms: null,
  paused: null,
  free_ms: null,
  turn_forfeit: null,
  forfeits: { one: null, two: null },
});

/**
 * @param {Clock} state
 * @param {Entry} event
 * @returns {Clock}
 */
export function evolve(state, { body, tag }) {
  const atMs = body.at_ms ?? null;
  switch (tag) {
    case "clock.pressed":
      return pressed(state, body, atMs);
    case "clock.set":
      // Setting the clock again does not restore a forfeited delay.
      return withReadings({ ...asSet(body), forfeits: state.forfeits }, body.readings);
    case "clock.started": {
      const now = charged(state, atMs);
      const isRunning = state.running === body.seat;
      return withReadings(isRunning ? now : run(now, body.seat, atMs), body.readings);
    }
    case "clock.paused":
      return withReadings(paused(state, atMs), body.readings);
    case "clock.resumed":
      return withReadings(resumed(state, body.seat ?? null, atMs), body.readings);
    case "clock.read":
    case "clock.fault_noticed":
    case "clock.flag_noticed":
    case "break.started":
      return withReadings(charged(state, atMs), body.readings);
    case "play.unseen": {
      // If only one play was missed, the clock was watched meanwhile: its presses are recorded.
      const isFollowed = Boolean(body.seat) && body.count === 1;
      return state.is_set && !isFollowed ? unknown(state) : state;
    }
    case "clock.adjusted":
      return withReadings(adjusted(state, body), body.readings);
    case "clock.delay_forfeited":
      return withReadings(delayed(state, body, body.waits ? "waits" : "at_once"), body.readings);
    case "clock.delay_restarted":
      return withReadings(delayed(state, body, null), body.readings);
    case "ruling.carried_out":
      return body.reserve_ms ? given(state, body.reserve_ms, atMs) : state;
    default:
      return state;
  }
}

/**
 * What the clock shows at a moment, as far as it follows from the entries.
 * @param {ClockState} clock
 * @param {number} atMs
 * @returns {{reserve_ms: BySeat<number | null>, delay_left_ms: number | null}}
 */
export function clockAt(clock, atMs) {
  const { running, since_at_ms: since, since_elapsed_ms: before } = clock;
  if (running === null || since === null || before === null) {
    return { reserve_ms: clock.reserve_ms, delay_left_ms: null };
  }
  const elapsed = before + Math.max(0, atMs - since);
  const free = freeOf(clock);
  const start = clock.turn_reserve_ms;
  const left = start === null ? null : Math.max(0, start - used(elapsed, clock));
  const isExpiring = clock.kind !== "non_expiring";
  const reserve = isExpiring ? { ...clock.reserve_ms, [running]: left } : clock.reserve_ms;
  return { reserve_ms: reserve, delay_left_ms: Math.max(0, free - elapsed) };
}

/** @param {Record<string, any>} body @returns {Clock} */
function asSet({ delay_ms: delay = 0, kind, reserve_ms: reserve }) {
  const left = { one: reserve?.one ?? 0, two: reserve?.two ?? 0 };
  return { ...NOT_SET, is_set: true, kind, delay_ms: delay, reserve_ms: left };
}

/**
 * Begin a new turn of `seat` on the clock.
 * @param {Clock} state
 * @param {Seat | null} seat
 * @param {number | null} atMs
 * @returns {Clock}
 */
function run(state, seat, atMs) {
  const reserve = seat === null ? null : state.reserve_ms[seat];
  const forfeit = seat === null ? null : state.forfeits[seat];
  return {
    ...state,
    running: seat,
    since_ms: atMs,
    elapsed_ms: 0,
    turn_reserve_ms: reserve,
    paused: null,
    free_ms: forfeit === "at_once" ? 0 : null,
    turn_forfeit: forfeit,
    forfeits: seat === null ? state.forfeits : { ...state.forfeits, [seat]: null },
  };
}

/** The free time of a turn, before the reserve runs. @param {Clock | ClockState} state */
function freeOf(state) {
  return state.kind === "simple" ? (state.free_ms ?? state.delay_ms) : 0;
}

/**
 * Forfeit or restart a delay: that of the player's next turn, or of this one from now on.
 * @param {Clock} state
 * @param {Record<string, any>} body
 * @param {Forfeit} how null = it restarts
 * @returns {Clock}
 */
function delayed(state, { at_ms: atMs = null, left_ms: left = null, seat, turn }, how) {
  const isNext = how !== null && turn !== "this";
  if (!isNext && (state.running ?? state.paused) !== seat) return state;
  const isAnew = !isNext && how !== "waits";
  const now = atMs === null && !isAnew ? state : charged(state, atMs);
  if (isNext) return { ...now, forfeits: { ...now.forfeits, [seat]: how } };
  if (!isAnew) return { ...now, turn_forfeit: how };
  return {
    ...now,
    since_ms: now.running === null ? null : atMs,
    elapsed_ms: 0,
    turn_reserve_ms: now.reserve_ms[/** @type {Seat} */ (seat)],
    free_ms: how === null ? left : 0,
    turn_forfeit: how,
  };
}

/**
 * The state at `atMs`, with the time since charged to the running seat's reserve.
 * @param {Clock} state
 * @param {number | null} atMs
 * @returns {Clock}
 */
function charged(state, atMs) {
  const seat = state.running;
  if (seat === null || state.kind === "non_expiring") return state;
  if (atMs === null || state.since_ms === null || state.elapsed_ms === null) {
    // Unknown at this moment; a later known time charges the turn from its beginning.
    return { ...state, reserve_ms: { ...state.reserve_ms, [seat]: null } };
  }
  const elapsed = state.elapsed_ms + Math.max(0, atMs - state.since_ms);
  const start = state.turn_reserve_ms;
  const left = start === null ? null : Math.max(0, start - used(elapsed, state));
  return {
    ...state,
    since_ms: Math.max(atMs, state.since_ms),
    elapsed_ms: elapsed,
    reserve_ms: { ...state.reserve_ms, [seat]: left },
  };
}

/** @param {number} elapsed @param {Clock | ClockState} state */
function used(elapsed, state) {
  return Math.max(0, elapsed - freeOf(state));
}

/**
 * Take over reserves known from elsewhere; the turn goes on from them, its used delay stays used.
 * @param {Clock} state
 * @param {BySeat<number | null>} reserve
 * @returns {Clock}
 */
function settled(state, reserve) {
  const seat = state.running ?? state.paused;
  const kept = seat === null ? null : reserve[seat];
  if (kept === null) return { ...state, reserve_ms: reserve, turn_reserve_ms: null };
  const start = state.turn_reserve_ms;
  // The reserve has run, so the delay must be used up, even if the times are unknown.
  const isRunDown = state.elapsed_ms === null && start !== null && kept < start;
  const elapsed = isRunDown ? freeOf(state) : state.elapsed_ms;
  const turn = elapsed === null ? kept : kept + used(elapsed, state);
  return { ...state, reserve_ms: reserve, turn_reserve_ms: turn, elapsed_ms: elapsed };
}

/**
 * Take over reserves that were read off the clock.
 * @param {Clock} state
 * @param {BySeat<number | null>} reserve
 * @returns {Clock}
 */
function shown(state, reserve) {
  const seat = state.running;
  const isKnown = seat === null || state.reserve_ms[seat] !== null;
  const { elapsed_ms: elapsed, since_ms: since, turn_reserve_ms: turn } = state;
  if (isKnown || since === null || elapsed === null || turn === null) {
    return settled(state, reserve);
  }
  // Read at an unknown moment of a turn whose beginning is known: charge from the beginning.
  return { ...state, reserve_ms: reserve };
}

/**
 * @param {Clock} state
 * @param {Partial<BySeat<number | null>> | null | undefined} readings
 * @returns {Clock}
 */
function withReadings(state, readings) {
  if (!readings) return state;
  const { one, two } = state.reserve_ms;
  const now = { one: readings.one ?? one, two: readings.two ?? two };
  return now.one === one && now.two === two ? state : shown(state, now);
}

/**
 * @param {Clock} state
 * @param {Record<string, any>} body
 * @param {number | null} atMs
 * @returns {Clock}
 */
function pressed(state, { readings, seat }, atMs) {
  const now = charged(state, atMs);
  // Pressing while the opponent's time runs changes nothing: that side is down already.
  if (state.running !== null && state.running !== seat) return withReadings(now, readings);
  const after = state.running === seat ? afterTurn(now, seat) : now;
  return run(withReadings(after, readings), otherSeat(seat), atMs);
}

/**
 * The state after a turn of `seat`, with the time that a Fischer or Bronstein clock adds.
 * @param {Clock} state
 * @param {Seat} seat
 * @returns {Clock}
 */
function afterTurn(state, seat) {
  const reserve = state.reserve_ms[seat];
  if (reserve === null || state.elapsed_ms === null || state.turn_forfeit) return state;
  /** @type {Record<string, number>} */
  const gifts = {
    fischer: state.delay_ms,
    bronstein: Math.min(state.elapsed_ms, state.delay_ms),
  };
  const left = reserve + (gifts[state.kind] ?? 0);
  return { ...state, reserve_ms: { ...state.reserve_ms, [seat]: left } };
}

/** @param {Clock} state @param {number | null} atMs @returns {Clock} */
function paused(state, atMs) {
  if (state.running === null) return state;
  const isKnown = state.kind === "non_expiring" || (atMs !== null && state.since_ms !== null);
  const now = charged(state, atMs);
  return {
    ...now,
    running: null,
    since_ms: null,
    paused: state.running,
    elapsed_ms: isKnown ? now.elapsed_ms : null,
  };
}

/** @param {Clock} state @param {Seat | null} named @param {number | null} atMs @returns {Clock} */
function resumed(state, named, atMs) {
  const now = charged(state, atMs);
  const seat = named ?? state.running ?? state.paused;
  if (seat !== null && seat === state.running) return now;
  if (seat !== null && seat === state.paused) {
    // The same turn goes on, so it gets no new delay.
    return { ...state, running: seat, since_ms: atMs, paused: null };
  }
  return run(now, seat, atMs);
}

/**
 * The state after a gap: unknown whose time runs, and how much is left.
 * @param {Clock} state
 * @returns {Clock}
 */
function unknown(state) {
  const { delay_ms: delay, kind } = state;
  return { ...NOT_SET, is_set: true, kind, delay_ms: delay, elapsed_ms: null };
}

/** @param {Clock} state @param {Record<string, any>} body @returns {Clock} */
function adjusted(state, { amount_ms: amount, at_ms: atMs = null, seat }) {
  const now = atMs === null ? state : charged(state, atMs);
  const before = now.reserve_ms[/** @type {Seat} */ (seat)];
  const reserve = before === null ? null : Math.max(0, before + amount);
  let turn = now.turn_reserve_ms;
  if ((now.running ?? now.paused) === seat && turn !== null) {
    turn = Math.max(0, turn + amount);
    if (reserve !== null && now.elapsed_ms !== null) {
      // A reserve does not fall below 0, so the turn's initial reserve keeps pace with it.
      turn = Math.max(turn, reserve + used(now.elapsed_ms, now));
    }
  }
  return { ...now, reserve_ms: { ...now.reserve_ms, [seat]: reserve }, turn_reserve_ms: turn };
}

/**
 * @param {Clock} state
 * @param {BySeat<number>} reserve
 * @param {number | null} atMs
 * @returns {Clock}
 */
function given(state, reserve, atMs) {
  const left = { one: Math.max(0, reserve.one), two: Math.max(0, reserve.two) };
  return { ...settled(charged(state, atMs), left), is_set: true };
}
