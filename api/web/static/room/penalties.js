// The card of penalties: each player's account, and the score with and without penalty points.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { waive } from "./penalty_acts.js";
import { key } from "./cards.js";
import { citationText, clockText, pointsText, wordText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("../shared/types").Seat} Seat
 */

/**
 * The card of both players' delays and penalties.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} penalties what `GET …/penalties` answers
 * @param {Map<number, any>} entries
 */
export function penaltyCard(context, match, penalties, entries) {
  const { apart, entered } = penalties.scores;
  const differs = apart.one !== entered.one || apart.two !== entered.two;
  return h(
    "section",
    { class: "card" },
    h("h3", null, t("room.penalties")),
    ...(/** @type {const} */ (["one", "two"])).map((seat) => accountOf(context, match, seat, penalties, entries)),
    differs &&
      h(
        "p",
        { class: "total" },
        t("room.scores_both", {
          apart: `${apart.one}–${apart.two}`,
          entered: `${entered.one}–${entered.two}`,
        }),
      ),
    penalties.forfeited &&
      h("p", { class: "badge bad" }, t("room.forfeits", { name: context.nameOf(match, penalties.forfeited) })),
    // If both forfeit, neither has won, and the director has to decide.
    !penalties.forfeited &&
      penalties.accounts.one.answer?.outcome === "forfeit" &&
      penalties.accounts.two.answer?.outcome === "forfeit" &&
      h("p", { class: "badge bad" }, t("room.both_forfeit")),
  );
}

/**
 * One player's account: delays, penalties and their sum.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Seat} seat
 * @param {any} penalties
 * @param {Map<number, any>} entries
 */
function accountOf(context, match, seat, penalties, entries) {
  const account = penalties.accounts[seat];
  const rules = context.tableOf(match)?.rule_set ?? "common";
  return h(
    "div",
    { class: "account" },
    h(
      "p",
      { class: "account-head" },
      h("strong", null, context.nameOf(match, seat)),
      h("span", { class: "number" }, pointsText(penalties.points[seat])),
    ),
    account.delays.map((/** @type {any} */ one) =>
      h("p", { class: "muted" }, t("room.late_by", { what: wordText(one.kind), time: clockText(one.ms) })),
    ),
    account.answer &&
      h(
        "p",
        { class: "muted" },
        `${wordText(account.answer.outcome)} (${citationText({ ...account.answer, rule_set: rules })})`,
      ),
    account.assessed.map((/** @type {any} */ one) => {
      const entry = entries.get(one.version);
      const ground = entry?.body.ground ? ` · ${wordText(entry.body.ground)}` : "";
      const waived = one.waived ? ` · ${t("room.waived_n", { n: one.waived })}` : "";
      const hasTime = one.time_ms.one !== 0 || one.time_ms.two !== 0;
      return h(
        "div",
        { class: "row" },
        h("span", { class: "muted" }, `${t("room.entry_n", { n: one.version })}: ${pointsText(one.points)}${timeText(context, match, one.time_ms)}${ground}${waived}`),
        (one.points > 0 || hasTime) &&
          key(t("room.waive"), () => waive(context, match, entry?.entry_id ?? "", one.points, one.time_ms)),
      );
    }),
  );
}

/**
 * The words for how a penalty changed the clocks; empty if it did not.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {import("../shared/types").BySeat<number>} time milliseconds given; negative = taken
 */
function timeText(context, match, time) {
  return /** @type {const} */ (["one", "two"])
    .filter((seat) => time[seat] !== 0)
    .map((seat) => {
      const words = time[seat] < 0 ? "panel.time_taken_from" : "panel.time_given_to";
      return ` · ${t(words, { time: clockText(Math.abs(time[seat])), name: context.nameOf(match, seat) })}`;
    })
    .join("");
}
