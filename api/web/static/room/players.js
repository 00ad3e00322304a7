// The dialog of registered players: penalty points of all matches, byes, names, removals.

import { uuid } from "../device/chain/ids.js";
import { dialog, fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { toLog, withdrawBye } from "./attendance.js";
import { askAndRefresh, problemText } from "./forms.js";
import { appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * Open the list of registered players.
 *
 * @param {RoomContext} context
 */
export async function showPlayers(context) {
  /** @type {any} */
  let found;
  try {
    found = (await api("GET", `/logs/${context.log}/players`)).json;
  } catch (error) {
    tellRefusal(problemText(error));
    return;
  }
  const place = h("div", { class: "sheet-preview", role: "region", "aria-label": t("rounds.players_title"), tabindex: 0 });
  const rounds = [...new Set((context.room()?.tables ?? []).map((table) => table.round).filter(Boolean))];
  const round = h("input", { id: "bye-round", maxlength: 40, autocomplete: "off", value: rounds.at(-1) ?? found.next_round ?? "1" });
  const read = async () => {
    found = (await api("GET", `/logs/${context.log}/players`)).json;
    draw();
  };
  const draw = () => fill(place, playersTable(context, found, round, read));
  draw();
  await dialog(
    t("rounds.players_title"),
    () => [h("div", { class: "field" }, h("label", { for: "bye-round" }, t("rounds.round")), round), place],
    { className: "broad", closeText: t("common.close") },
  );
}

/**
 * @param {RoomContext} context
 * @param {any} found
 * @param {HTMLInputElement} round
 * @param {() => Promise<void>} read
 */
function playersTable(context, found, round, read) {
  if (found.players.length === 0) return h("p", { class: "muted" }, t("rounds.players_none"));
  const heads = ["name", "club", "matches", "penalties", "acts"];
  const byeOf = (/** @type {string} */ player) =>
    found.byes.find((/** @type {any} */ bye) => bye.players.includes(player) && (bye.round ?? "") === round.value.trim());
  const give = async (/** @type {any} */ player) => {
    await toLog(context, { tag: "bye.given", body: { players: [player.player], round: round.value.trim() } });
    await read();
  };
  const back = async (/** @type {any} */ player) => {
    const bye = byeOf(player.player);
    if (bye) await withdrawBye(context, bye.entry_id);
    await read();
  };
  const act = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => Promise<unknown>} */ go) =>
    h("button", { type: "button", "aria-label": label, on: { click: () => void go() } }, text);
  return h(
    "table",
    null,
    h("caption", { class: "unseen" }, t("rounds.players_title")),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, t(`rounds.${head}`))))),
    h(
      "tbody",
      null,
      found.players.map((/** @type {any} */ player) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, player.name ?? "–"),
          h("td", null, [player.club, player.federation_id].filter(Boolean).join(" · ")),
          h("td", { class: "number" }, String(player.matches)),
          h("td", { class: "number" }, String(player.penalty_points)),
          h(
            "td",
            null,
            h(
              "div",
              { class: "row" },
              byeOf(player.player)
                ? [
                    h("span", { class: "badge" }, t("rounds.bye")),
                    act(t("rounds.withdraw_bye"), t("rounds.withdraw_bye_of", { name: player.name ?? "–" }), () => back(player)),
                  ]
                : act(t("rounds.give_bye"), t("rounds.give_bye_to", { name: player.name ?? "–" }), () => give(player)),
              act(t("rounds.rename"), t("rounds.rename_of", { name: player.name ?? "–" }), async () => {
                if (await renamePlayer(context, player)) await read();
              }),
              player.matches === 0 &&
                act(t("rounds.unregister"), t("rounds.unregister_of", { name: player.name ?? "–" }), async () => {
                  if (await unregisterPlayer(context, player)) await read();
                }),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * Form: remove a player who was registered by mistake and plays in no match.
 *
 * @param {RoomContext} context
 * @param {any} player
 */
async function unregisterPlayer(context, player) {
  return askAndRefresh(
    context,
    t("rounds.unregister_of", { name: player.name ?? "–" }),
    [],
    () => appendToLog(context.log, [{ tag: "player.unregistered", body: { player: player.player } }]),
    { action: t("rounds.unregister"), isDanger: true, lead: [h("p", { class: "muted" }, t("rounds.unregister_hint"))] },
  );
}

/**
 * Form: correct the name of a player, in the tournament's list and in all matches.
 *
 * @param {RoomContext} context
 * @param {any} player
 */
async function renamePlayer(context, player) {
  const request_id = uuid();
  return askAndRefresh(
    context,
    t("rounds.rename_of", { name: player.name ?? "–" }),
    [{ name: "name", label: t("rounds.name"), kind: "text", value: player.name ?? "", needed: true }],
    ({ name }) =>
      api("POST", `/logs/${context.log}/players/${encodeURIComponent(player.player)}`, { body: { request_id, name } }),
    { action: t("rounds.rename"), lead: [h("p", { class: "muted" }, t("rounds.rename_hint"))] },
  );
}
