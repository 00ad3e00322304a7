// The steps of training: the acts that lead to each step, and when the step is done.

/** @import { Act, Dice, Entry, Seat, Table } from "../shared/types.js" */

/**
 * One exercise.
 * @typedef {object} Step
 * @property {string} name last part of the keys of its texts
 * @property {(table: Table, since: readonly Entry[], made: readonly Entry[]) => boolean} isDone
 *   gets the entries made since it began: the standing ones, and all of them
 * @property {readonly Act[]} skipped the acts recorded if it is skipped
 */

/** A placeholder for the id of the entry before. */
export const LAST = "last";

/** @param {Seat} seat @param {Dice} dice @returns {Act} */
function roll(seat, dice) {
  return { tag: "dice.rolled", body: { seat, dice } };
}

/** @param {Seat} seat @param {...[number, number]} moves @returns {Act} */
function play(seat, ...moves) {
  return { tag: "play.made", body: { seat, moves } };
}

/** @param {readonly Entry[]} since @param {string} tag @param {Seat} [seat] */
function has(since, tag, seat) {
  return since.some((entry) => entry.tag === tag && (seat === undefined || entry.body.seat === seat));
}

/**
 * Whether a play is not possible with its dice; only training tells.
 * @param {Table} table
 */
function isOff({ last_play: last }) {
  if (last === null || last.seat !== "two" || last.dice === null) return false;
  const pips = (last.entry.body.moves ?? []).reduce(
    (/** @type {number} */ sum, /** @type {[number, number]} */ [from, to]) => sum + from - to,
    0,
  );
  const [one, two] = last.dice;
  return pips !== (one === two ? 4 * one : one + two);
}

/** @type {readonly Step[]} */
export const STEPS = [
  {
    name: "opening",
    isDone: ({ awaits }) => awaits === "play",
    skipped: [{ tag: "dice.opening_rolled", body: { one: 3, two: 1 } }],
  },
  {
    name: "play",
    isDone: (_, since) => has(since, "play.made", "one"),
    skipped: [play("one", [8, 5], [6, 5])],
  },
  {
    name: "turn",
    isDone: (_, since) => has(since, "dice.rolled", "two") && has(since, "play.made", "two"),
    skipped: [roll("two", [4, 2]), play("two", [8, 4], [6, 4])],
  },
  {
    name: "reroll",
    isDone: (_, since) => has(since, "dice.voided"),
    skipped: [
      roll("one", [6, 5]),
      { tag: "dice.voided", body: { seat: "one", reason: "off_board", target: LAST, contested: false } },
    ],
  },
  {
    name: "question",
    // Done by the answer that keeps the roll; after another answer the learner can undo it.
    isDone: ({ awaits, on_roll }, _, made) =>
      awaits === "play" && on_roll === "one" && made.some(({ tag, body }) => tag === "entry.amended" && /^dice/.test(body.tag)),
    skipped: [roll("one", [6, 1])],
  },
  {
    name: "again",
    isDone: (_, since) => has(since, "play.made", "one"),
    skipped: [play("one", [13, 7], [8, 7])],
  },
  {
    name: "cube",
    isDone: (_, since) => has(since, "cube.double_taken"),
    skipped: [
      { tag: "cube.double_offered", body: { seat: "two" } },
      { tag: "cube.double_taken", body: { seat: "one" } },
    ],
  },
  {
    name: "illegal",
    isDone: (table, since) => has(since, "play.made", "two") && isOff(table),
    skipped: [roll("two", [3, 1]), play("two", [24, 18])],
  },
  {
    name: "undo",
    isDone: (_table, _since, made) => made.some(({ tag }) => tag === "entry.retracted"),
    skipped: [],
  },
];
