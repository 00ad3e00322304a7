// Attendance by one key each: called, here, did not come; and byes.

import { uuid } from "../device/chain/ids.js";
import { ApiProblem, api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { problemText } from "./forms.js";
import { append, appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * Record who is called, has come or did not come, for one match or several.
 *
 * @param {RoomContext} context
 * @param {{ match: string, act: "called" | "arrived" | "arrived_late" | "no_show", seat?: "one" | "two" }[]} acts
 */
export async function attend(context, acts) {
  if (acts.length === 0) return;
  const body = { request_id: uuid(), acts };
  const send = () => api("POST", `/logs/${context.log}/attendance`, { body });
  try {
    await send();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 0) return tellRefusal(problemText(error));
    await send().catch((again) => tellRefusal(problemText(again)));
  }
  await context.refresh();
}

/**
 * Retract the forfeit of a player who has come after all; the match goes on.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} target id of the forfeit's entry
 */
export async function takeBackNoShow(context, match, target) {
  try {
    await append(context.log, match, [{ tag: "entry.retracted", body: { target } }]);
  } catch (error) {
    tellRefusal(problemText(error));
  }
  await context.refresh();
}

/**
 * Retract a bye that was given by mistake.
 *
 * @param {RoomContext} context
 * @param {string} target id of its entry
 */
export async function withdrawBye(context, target) {
  await toLog(context, { tag: "bye.withdrawn", body: { target } });
}

/**
 * @param {RoomContext} context
 * @param {import("../shared/types").Act} act
 */
export async function toLog(context, act) {
  try {
    await appendToLog(context.log, [act]);
  } catch (error) {
    tellRefusal(problemText(error));
  }
  await context.refresh();
}
