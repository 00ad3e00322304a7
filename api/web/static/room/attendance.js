// Who is called, has come or has not, and who has a bye: each said by one key.

import { uuid } from "../device/chain/ids.js";
import { ApiProblem, api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { problemText } from "./forms.js";
import { append, appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * Say who is called, has come, or has not, for one match or many.
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
 * A player who was said not to come: the forfeit is retracted, and the match is on again.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {string} target the entry that says it
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
 * A bye was given by mistake.
 *
 * @param {RoomContext} context
 * @param {string} target its entry
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
