// The director's queue in sections: calls, disputes, tablets, questions, results, appeals.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { answerCall, confirmResult } from "./acts.js";
import { withdrawBye } from "./attendance.js";
import { key } from "./cards.js";
import { pairingItem, waitingPairings } from "./hall_acts.js";
import { homeOf, isInDispute } from "./home.js";
import { ageText, lostOnTime, nameOf, pairOf, questionsText, standingBy, tagText, wordText } from "./words.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** @param {import("./types").Room} room */
export function waits(room) {
  return room.tables
    .filter((table) => table.questions + table.parked > 0 || isInDispute(table))
    .map((table) => [table.match_id, table.questions, table.parked, table.dispute, table.shadows, table.confirmations]);
}

/**
 * @param {import("./types").Room} room
 * @param {RoomContext} context
 */
export function queueOf(room, context) {
  const calls = room.calls.filter((call) => !call.answered);
  const claimed = waitingPairings(context);
  const sections = [
    section(
      t("room.calls"),
      calls.map((call) => callLine(call, context)),
    ),
    section(
      t("room.disputes"),
      room.tables.filter(isInDispute).flatMap((table) => disputeLines(table, context)),
    ),
    section(
      t("room.tablets_wait"),
      claimed.map((pairing) => pairingItem(context, pairing)),
    ),
    section(
      t("room.decide"),
      room.tables
        .filter((table) => table.questions + table.parked > 0)
        .map((table) =>
          item(
            `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
            [
              table.questions > 0 && questionsText(table.questions),
              table.parked > 0 && t("room.parked_n", { n: table.parked }),
            ]
              .filter(Boolean)
              .join(", "),
            link(t("room.look"), table.match_id),
          ),
        ),
    ),
    section(
      t("room.results"),
      room.results.map((result) => resultLine(result, context)),
    ),
    section(
      t("rounds.byes"),
      room.byes.map((bye) =>
        item(
          bye.names.map((name) => name ?? "–").join(" / "),
          `${t("rounds.round")} ${bye.round ?? "–"}`,
          key(t("rounds.withdraw_bye"), () => withdrawBye(context, bye.entry_id)),
        ),
      ),
    ),
    section(
      t("room.appeals"),
      room.appeals.map((appeal) =>
        item(
          `${placeOf(context, appeal.match_id)}: ${pairOf(context.tableOf(appeal.match_id)?.names)}`,
          t(appeal.state === "filed" && !appeal.has_committee ? "panel.appeal_waits" : `room.appeal_${appeal.state}`, {
            name: appeal.seat ? context.nameOf(appeal.match_id, appeal.seat) : wordText("both"),
            n: appeal.ballots.length,
            of: appeal.size,
          }),
          link(t("room.look"), appeal.match_id, appeal.version),
        ),
      ),
    ),
  ].filter(Boolean);
  return sections.length ? sections : [h("p", { class: "card muted" }, t("room.calm"))];
}

/**
 * @param {import("./types").CallLine} call
 * @param {RoomContext} context
 */
function callLine(call, context) {
  const table = homeOf(context, call.match_id);
  const isBeside = table !== null && table.match_id !== call.match_id;
  const who = call.by === "one" || call.by === "two" ? nameOf(table?.names, call.by) : wordText(call.by ?? "table");
  const age = ageText(call.received_at, context.room()?.server_time_ms ?? 0);
  return item(
    `${placeOf(context, call.match_id)}: ${t("room.call_of", { name: who })}`,
    [age, call.reason && tagText(call.reason), pairOf(table?.names), call.parked && t("room.call_parked")]
      .filter(Boolean)
      .join(" · "),
    call.parked || isBeside
      ? link(t("room.look"), table?.match_id ?? call.match_id)
      : link(t("room.to_moment"), call.match_id, call.version),
    !call.parked && key(t("room.on_my_way"), () => answerCall(context, call), "primary"),
  );
}

/**
 * @param {import("./types").TableLine} table
 * @param {RoomContext} context
 */
function disputeLines(table, context) {
  const line = (/** @type {string} */ by, /** @type {string} */ more, /** @type {Node} */ way) => {
    const who = by === "one" || by === "two" ? nameOf(table.names, by) : wordText(by);
    return item(`${placeOf(context, table.match_id)}: ${t("room.dispute_of", { name: who })}`, more, way);
  };
  const { dispute, shadows } = table;
  return [
    ...(dispute === null
      ? []
      : [line(dispute.by, pairOf(table.names), link(t("room.frozen"), table.match_id, dispute.frozen_version))]),
    ...shadows.flatMap(({ dispute: other }) =>
      other === null ? [] : [line(other.by, t("room.by_second_scribe"), link(t("room.look"), table.match_id))],
    ),
  ];
}

/**
 * A result to confirm, with which players have confirmed it.
 *
 * @param {any} result
 * @param {RoomContext} context
 */
function resultLine(result, context) {
  const names = result.names ?? context.tableOf(result.match_id)?.names;
  const score = `${result.score?.one ?? "–"}–${result.score?.two ?? "–"}`;
  return item(
    `${placeOf(context, result.match_id)}: ${pairOf(names)}`,
    [score, lostOnTime(result.lost_on_time, names), ...standingBy(result, names)].filter(Boolean).join(" · "),
    key(t("room.confirm_result"), () => confirmResult(context, result), "primary"),
    link(t("room.look"), result.match_id),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
function placeOf(context, match) {
  return t("room.table_n", { n: homeOf(context, match)?.table ?? "–" });
}

/**
 * @param {string} title
 * @param {Node[]} items
 */
function section(title, items) {
  if (items.length === 0) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", null, `${title} (${items.length})`),
    h("ul", { class: "plain" }, items),
  );
}

/**
 * @param {string | Node} title
 * @param {string} detail
 * @param {...(Node | false)} keys
 */
function item(title, detail, ...keys) {
  return h(
    "li",
    null,
    h("div", null, h("strong", null, title)),
    h("div", { class: "muted" }, detail),
    h("div", { class: "row" }, ...keys),
  );
}

/**
 * @param {string} text
 * @param {string} match
 * @param {number | null} [at]
 */
function link(text, match, at = null) {
  return h("a", { class: "button", href: at === null ? `#${match}` : `#${match}/${at}` }, text);
}
