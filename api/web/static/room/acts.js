// The director's acts at a match: each with its label, its form, and when it is offered.

import { t } from "../shared/texts.js";
import { fileAppeal } from "./appeals.js";
import { adjustClock, resumeClock, stopClock } from "./clock_acts.js";
import { late, penalise, sanction } from "./penalty_acts.js";
import { publish } from "./publication.js";
import { correctResult, postResult } from "./results.js";
import { raiseDispute, rule } from "./rulings.js";
import { carryOut } from "./set_table.js";
import { answerEarly, bothOut, changeDelay, earlyRoll, liftedEarly, throwingSide } from "./table_facts.js";

// The hall's queue offers this act too.
export { confirmResult } from "./results.js";
export { answerCall } from "./rulings.js";

/**
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {{ label: string, act: (view: CaseView) => unknown, isOffered?: (view: CaseView) => boolean }} DirectorAct
 */

/** Tags of decisions that an appeal may name; the rule set decides whether it is admitted. */
const DECIDED = new Set([
  ...["ruling.made", "claim.ruled", "penalty.assessed", "forfeit.declared", "sanction.imposed"],
  ...["player.disqualified", "slow_play.warned"],
]);

/** @param {CaseView} view */
const appealable = ({ known }) => known.scenes.filter(({ tag }) => DECIDED.has(tag));

/** @param {CaseView} view */
const tableOf = ({ context, match }) => context.tableOf(match);

/** @param {CaseView} view */
const clockOf = (view) => tableOf(view)?.clock ?? null;

/** Whether the match is not over. @param {CaseView} view */
const isPlayed = (view) => tableOf(view)?.state !== "ended";

/** All acts, in the order in which a director comes to need them. @type {readonly DirectorAct[]} */
export const ACTS = [
  { label: "room.rule", act: ({ context, match }) => rule(context, match) },
  {
    label: "panel.stop_clock",
    isOffered: (view) => clockOf(view)?.running != null,
    act: ({ context, match }) => stopClock(context, match),
  },
  {
    label: "panel.resume_clock",
    isOffered: (view) => isPlayed(view) && clockOf(view) !== null && clockOf(view)?.running == null,
    act: ({ context, match }) => resumeClock(context, match),
  },
  { label: "room.carry_out", act: (view) => carryOut(view) },
  { label: "room.raise", act: ({ context, match, version }) => raiseDispute(context, match, version) },
  { label: "room.penalise", act: ({ context, match }) => penalise(context, match) },
  { label: "room.late_title", act: ({ context, match }) => late(context, match) },
  { label: "room.sanction", act: ({ context, match }) => sanction(context, match) },
  {
    label: "room.adjust_clock",
    isOffered: (view) => clockOf(view) !== null,
    act: ({ context, match }) => adjustClock(context, match),
  },
  {
    label: "room.delay",
    isOffered: (view) => clockOf(view) !== null,
    act: ({ context, match }) => changeDelay(context, match),
  },
  {
    label: "room.both_out",
    isOffered: (view) => clockOf(view) !== null,
    act: ({ context, match }) => bothOut(context, match),
  },
  { label: "room.lifted", act: ({ context, match }) => liftedEarly(context, match) },
  { label: "room.early", isOffered: (view) => earlyRoll(view) !== undefined, act: answerEarly },
  { label: "room.side", act: ({ context, match }) => throwingSide(context, match) },
  {
    label: "room.file_appeal",
    isOffered: (view) => appealable(view).length > 0,
    act: (view) => fileAppeal(view.context, view.match, appealable(view)),
  },
  {
    label: "room.post_result",
    // The result of a match that is over is confirmed elsewhere, above.
    isOffered: (view) => isPlayed(view) && tableOf(view)?.posted === null,
    act: ({ context, match }) => postResult(context, match),
  },
  {
    label: "room.correct_result",
    isOffered: (view) => tableOf(view)?.posted?.score != null,
    act: ({ context, match }) => correctResult(context, match),
  },
  { label: "room.publication", act: ({ context, match, known }) => publish(context, match, known.entries) },
];

/**
 * The keys of all acts that are offered now.
 *
 * @param {CaseView} view
 * @param {(text: string, act: () => unknown) => HTMLElement} key
 */
export function actKeys(view, key) {
  return ACTS.filter(({ isOffered }) => isOffered?.(view) ?? true).map(({ label, act }) =>
    key(t(label), () => act(view)),
  );
}
