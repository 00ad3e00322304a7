// The card of what waits at one match: calls, a dispute, a result to post.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { card, key } from "./cards.js";
import { callsOf } from "./home.js";
import { confirmResult } from "./results.js";
import { answerCall, rule } from "./rulings.js";
import { ageText, namesOf, saidText, standingBy, wordText } from "./words.js";

/**
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {import("./types").RoomContext} RoomContext
 */

/**
 * The card; null if nothing waits.
 *
 * @param {CaseView} view
 */
export function waitingCard({ context, match, known, stand, names }) {
  const calls = callsOf(context, match);
  const dispute = context.tableOf(match)?.dispute ?? null;
  const result = context.room()?.results.find((one) => one.match_id === match) ?? null;
  const beside = (context.tableOf(match)?.shadows ?? []).filter((one) => one.dispute !== null);
  if (calls.length + beside.length === 0 && dispute === null && result === null) return null;
  const callKeys = (/** @type {import("./types").CallLine} */ call) => {
    if (call.parked) return [];
    // A second scribe's call is in another match's stream, in which there are no rulings.
    if (call.match_id !== match) return [key(t("room.on_my_way"), () => answerCall(context, call), "primary")];
    return [
      key(t("room.to_moment"), () => stand(call.version)),
      key(t("room.settle"), () => settleCall(context, match, call), "primary"),
    ];
  };
  return card(
    t("room.waits_for_you"),
    ...calls.map((call) =>
      h(
        "div",
        { class: "row" },
        h("span", null, callText(context, match, call)),
        ...callKeys(call),
      ),
    ),
    dispute &&
      h(
        "div",
        { class: "row" },
        h("span", null, disputeText(known.scenes, dispute.version, names)),
        key(t("room.frozen"), () => stand(dispute.frozen_version ?? dispute.version)),
        key(t("room.settle"), () => settle(context, match, known.scenes, dispute), "primary"),
      ),
    ...beside.map(({ match_id: other, dispute: recorded }) => {
      const by = recorded?.by === "one" || recorded?.by === "two" ? names[recorded.by] : wordText(recorded?.by ?? "table");
      const about = `${t("room.dispute_of", { name: by })} · ${t("room.by_second_scribe")}`;
      const settled = () => rule(context, other, { dispute: recorded?.entry_id, title: t("room.settle_dispute"), about });
      return h("div", { class: "row" }, h("span", null, about), key(t("room.settle"), settled, "primary"));
    }),
    result &&
      h(
        "div",
        { class: "row" },
        h(
          "span",
          null,
          [`${result.score?.one ?? "–"}–${result.score?.two ?? "–"}`, ...standingBy(result, names)].join(" · "),
        ),
        key(t("room.confirm_result"), () => confirmResult(context, result), "primary"),
      ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("./types").CallLine} call
 */
function settleCall(context, match, call) {
  const about = callText(context, match, call);
  return rule(context, match, { dispute: call.entry_id, title: t("room.settle_call"), about });
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {readonly import("../replay/types").Scene[]} scenes
 * @param {{ version: number, entry_id: string }} dispute
 */
function settle(context, match, scenes, { version, entry_id: entry }) {
  const about = disputeText(scenes, version, namesOf(context.tableOf(match)?.names));
  return rule(context, match, { dispute: entry, title: t("room.settle_dispute"), about });
}

/**
 * The words for who calls, since when, and about what.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("./types").CallLine} call
 */
function callText(context, match, call) {
  const by = call.by === "one" || call.by === "two" ? context.nameOf(match, call.by) : wordText(call.by ?? "table");
  const age = ageText(call.received_at, context.room()?.server_time_ms ?? 0);
  const parked = call.parked ? ` · ${t("room.call_parked")}` : "";
  return `${t("room.call_of", { name: by })} · ${age}${parked}`;
}

/**
 * @param {readonly import("../replay/types").Scene[]} scenes
 * @param {number} version
 * @param {import("../shared/types").BySeat<string>} names
 */
function disputeText(scenes, version, names) {
  const scene = scenes.find((one) => one.version === version);
  return scene ? saidText(scene, names) : t("room.in_dispute");
}
