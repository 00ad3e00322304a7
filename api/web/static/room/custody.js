// Who writes at a board: the lease, takeover, second scribes, and entries that were parked.

import { fill, h } from "../dom.js";
import { api } from "../http.js";
import { t } from "../texts.js";
import { ask } from "./forms.js";
import { pairTablet, profileOf, screenField } from "./hall_acts.js";
import { badge, key } from "./hall.js";
import { ageText, tagText, wordText } from "./words.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * The tablet at the board, and the keys to give the board to another one.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export function tabletCard(context, match) {
  const table = context.tableOf(match);
  const now = context.room()?.server_time_ms ?? 0;
  const lease = table?.lease ?? null;
  return h(
    "section",
    { class: "card" },
    h("h3", null, t("room.tablet")),
    h(
      "p",
      null,
      lease
        ? t("room.lease_line", { n: lease.number, device: deviceText(context, lease.device) })
        : t("room.no_tablet"),
      lease?.profile === "monitor" ? ` · ${t("room.screen_shows")}` : "",
      lease && table?.device
        ? ` · ${t("room.heard", { age: ageText(table.device.seen_at, now) })}`
        : "",
    ),
    ...(table?.shadows ?? []).map((shadow) =>
      h(
        "p",
        { class: "muted" },
        t("room.shadow_line", { device: shadow.device ? deviceText(context, shadow.device) : "–" }),
      ),
    ),
    h(
      "div",
      { class: "chips" },
      key(lease ? t("room.take_over") : t("room.give_board"), () => giveBoard(context, match)),
      lease && key(t("room.screen"), () => setScreen(context, match)),
      lease && key(t("room.end_lease"), () => endLease(context, match)),
      key(t("room.add_shadow"), () => addShadow(context, match)),
      key(t("room.pair"), () => pairTablet(context, match)),
    ),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} device
 */
function deviceText(context, device) {
  const found = context.room()?.devices.find((one) => one.id === device);
  return found?.label ?? found?.fingerprint?.join(" ") ?? device.slice(0, 8);
}

/**
 * @param {RoomContext} context
 * @param {string | null} except
 */
function deviceOptions(context, except) {
  return (context.room()?.devices ?? [])
    .filter((one) => one.id !== except)
    .map((one) => ({ value: one.id, text: deviceText(context, one.id) }));
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
async function giveBoard(context, match) {
  const lease = context.tableOf(match)?.lease ?? null;
  const options = deviceOptions(context, lease?.device ?? null);
  if (options.length === 0) {
    await pairTablet(context, match);
    return;
  }
  const done = await ask(
    lease ? t("room.take_over") : t("room.give_board"),
    [{ name: "device", label: t("room.device"), kind: "choice", options, needed: true }, screenField()],
    ({ device, shows }) => {
      const body = { match, device, takeover: lease !== null, profile: profileOf(shows) };
      return api("POST", `/logs/${context.log}/leases`, { body });
    },
    { action: lease ? t("room.take_over") : t("room.give_board"), lead: lease ? [h("p", null, t("room.take_over_what"))] : [] },
  );
  if (done) await context.refresh();
}

/**
 * What the screen at the board may show, from the tablet's next question on.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
async function setScreen(context, match) {
  const lease = context.tableOf(match)?.lease;
  if (!lease) return;
  const { device, profile } = lease;
  const done = await ask(t("room.screen"), [screenField(profile === "monitor")], ({ shows }) =>
    api("POST", `/logs/${context.log}/leases`, { body: { match, device, profile: profileOf(shows) } }),
  );
  if (done) await context.refresh();
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
async function endLease(context, match) {
  const done = await ask(
    t("room.end_lease"),
    [
      {
        name: "reason",
        label: t("room.reason"),
        kind: "choice",
        value: "match_over",
        options: ["match_over", "lost", "revoked"].map((value) => ({ value, text: wordText(value) })),
      },
    ],
    ({ reason }) => api("POST", `/logs/${context.log}/leases/end`, { body: { match, reason } }),
    { action: t("room.end_lease") },
  );
  if (done) await context.refresh();
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
async function addShadow(context, match) {
  const options = deviceOptions(context, context.tableOf(match)?.lease?.device ?? null);
  const done = await ask(
    t("room.add_shadow"),
    [{ name: "device", label: t("room.device"), kind: "choice", options, needed: true }],
    ({ device }) => api("POST", `/logs/${context.log}/shadows`, { body: { match, device } }),
    { lead: [h("p", null, options.length ? t("room.shadow_what") : t("room.no_other_tablet"))] },
  );
  if (done) await context.refresh();
}

/**
 * Entries that were recorded on another state of the match: the director says which count.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any[]} branches
 */
export function branchesCard(context, match, branches) {
  return branches.map((branch) => {
    /** @type {Set<string>} */
    const accepted = new Set(branch.items.map((/** @type {any} */ item) => item.entry_id));
    const list = h("ul", { class: "plain parked" });
    const draw = () =>
      fill(
        list,
        ...branch.items.map((/** @type {any} */ item) =>
          h(
            "li",
            null,
            h(
              "label",
              { class: "chip" },
              h("input", {
                type: "checkbox",
                checked: accepted.has(item.entry_id),
                on: {
                  change: (/** @type {Event} */ event) => {
                    const box = /** @type {HTMLInputElement} */ (event.target);
                    if (box.checked) accepted.add(item.entry_id);
                    else accepted.delete(item.entry_id);
                  },
                },
              }),
              h("span", null, `${item.device_seq}. ${entryText(item)}`),
            ),
            h("span", { class: "muted" }, ` ${wordText(item.reason ?? "")}`),
          ),
        ),
      );
    draw();
    return h(
      "section",
      { class: "card warned" },
      h("h3", null, t("room.parked_title", { device: deviceText(context, branch.device) }), " ", badge("warn", String(branch.items.length))),
      h("p", null, t("room.parked_what")),
      list,
      h(
        "div",
        { class: "row" },
        key(t("room.resolve"), () => resolve(context, match, branch, accepted), "primary"),
      ),
    );
  });
}

/** @param {any} item */
function entryText(item) {
  const { body } = item;
  const dice = body?.dice ? ` ${body.dice.join("-")}` : "";
  const moves = (body?.moves ?? [])
    .map((/** @type {any} */ move) => `${move[0] === 25 ? "bar" : move[0]}/${move[1] === 0 ? "off" : move[1]}`)
    .join(" ");
  return `${tagText(item.tag)}${dice}${moves ? ` ${moves}` : ""}`;
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} branch
 * @param {Set<string>} accepted
 */
async function resolve(context, match, branch, accepted) {
  const ids = branch.items.map((/** @type {any} */ item) => item.entry_id);
  const taken = ids.filter((/** @type {string} */ id) => accepted.has(id));
  const done = await ask(
    t("room.resolve"),
    [{ name: "reason", label: t("room.reason"), kind: "long" }],
    ({ reason }) =>
      api("POST", `/logs/${context.log}/branches/resolution`, {
        body: {
          match,
          device: branch.device,
          accepted: taken,
          set_aside: ids.filter((/** @type {string} */ id) => !accepted.has(id)),
          ...(reason ? { reason } : {}),
        },
      }),
    {
      action: t("room.resolve"),
      lead: [h("p", null, t("room.resolve_what", { n: taken.length, aside: ids.length - taken.length }))],
    },
  );
  if (done) await context.refresh();
}
