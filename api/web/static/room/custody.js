// Which tablet records a board: leases, takeover, second scribes, and parked entries.

import { fill, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { t } from "../shared/texts.js";
import { askAndRefresh } from "./forms.js";
import { pairTablet, profileOf, screenField } from "./hall_acts.js";
import { badge, key } from "./cards.js";
import { seats, withoutEmpty } from "./fields.js";
import { ageText, clockText, entryText, movesText, tabletText, wordText } from "./words.js";
import { append } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * The card of the tablet at the board, with keys to give the board to another one.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
export function tabletCard(context, match) {
  const table = context.tableOf(match);
  const lease = table?.lease ?? null;
  return h(
    "section",
    { class: "card" },
    h("h3", null, t("room.tablet")),
    h(
      "p",
      null,
      lease
        ? t("room.lease_line", { n: lease.number, device: tabletText(context, lease.device) })
        : t("room.no_tablet"),
      lease?.profile === "monitor" ? ` · ${t("room.screen_shows")}` : "",
      lease && table?.device
        ? ` · ${heardText(context, table.device)}`
        : "",
    ),
    ...(table?.shadows ?? []).map((shadow) =>
      h(
        "p",
        { class: "muted" },
        t("room.shadow_line", { device: shadow.device ? tabletText(context, shadow.device) : "–" }),
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
 * @param {string | null} except
 */
function deviceOptions(context, except) {
  const found = (context.room()?.devices ?? []).filter((one) => one.id !== except);
  const rank = (/** @type {any} */ one) => (one.matches.length > 0 ? 2 : 0) + (one.seen_at === null ? 1 : 0);
  found.sort((a, b) => rank(a) - rank(b) || (b.seen_at ?? 0) - (a.seen_at ?? 0));
  return found.map((one) => ({
    value: one.id,
    text: [tabletText(context, one.id), dutyText(context, one), heardText(context, one)].join(" · "),
  }));
}

/**
 * The words for what a tablet records now.
 *
 * @param {RoomContext} context
 * @param {any} device
 */
function dutyText(context, { matches }) {
  if (matches.length === 0) return t("room.records_nothing");
  return matches
    .map((/** @type {string} */ match) => {
      const own = context.tableOf(match);
      if (own) return t("room.records_table", { n: own.table ?? "–" });
      const beside = context.room()?.tables.find((table) => table.shadows.some((one) => one.match_id === match));
      return beside ? t("room.shadows_table", { n: beside.table ?? "–" }) : t("room.records_other");
    })
    .join(", ");
}

/**
 * @param {RoomContext} context
 * @param {any} device
 */
function heardText(context, { seen_at: seen }) {
  return seen === null ? t("room.not_heard") : t("room.heard", { age: ageText(seen, context.now()) });
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
  await askAndRefresh(
    context,
    lease ? t("room.take_over") : t("room.give_board"),
    [{ name: "device", label: t("room.device"), kind: "choice", options, needed: true }, screenField()],
    ({ device, shows }) => {
      const body = { match, device, takeover: lease !== null, profile: profileOf(shows) };
      return api("POST", `/logs/${context.log}/leases`, { body });
    },
    { action: lease ? t("room.take_over") : t("room.give_board"), lead: lease ? [h("p", null, t("room.take_over_what"))] : [] },
  );
}

/**
 * Form: what the screen at the board may show, as from the tablet's next poll.
 *
 * @param {RoomContext} context
 * @param {string} match
 */
async function setScreen(context, match) {
  const lease = context.tableOf(match)?.lease;
  if (!lease) return;
  const { device, profile } = lease;
  await askAndRefresh(context, t("room.screen"), [screenField(profile === "monitor")], ({ shows }) =>
    api("POST", `/logs/${context.log}/leases`, { body: { match, device, profile: profileOf(shows) } }),
  );
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
async function endLease(context, match) {
  await askAndRefresh(
    context,
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
}

/**
 * @param {RoomContext} context
 * @param {string} match
 */
async function addShadow(context, match) {
  const options = deviceOptions(context, context.tableOf(match)?.lease?.device ?? null);
  await askAndRefresh(
    context,
    t("room.add_shadow"),
    [{ name: "device", label: t("room.device"), kind: "choice", options, needed: true }],
    ({ device }) => api("POST", `/logs/${context.log}/shadows`, { body: { match, device } }),
    { lead: [h("p", null, options.length ? t("room.shadow_what") : t("room.no_other_tablet"))] },
  );
}

/**
 * The cards of parked entries, recorded on another state of the match: the director says which
 * count.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {any[]} branches
 * @param {Map<number, any>} entries of the match, by version
 * @param {Map<string, any>} [kept] the director's ticks by entry id, which survive redrawing
 */
export function branchesCard(context, match, branches, entries, kept = new Map()) {
  const names = context.tableOf(match)?.names;
  return branches.map((branch) => {
    /** @type {Set<string>} */
    const accepted = new Set();
    const repeats = repeatsOf(branch.items, entries);
    for (const [place, item] of branch.items.entries()) {
      if (kept.get(`tick ${item.entry_id}`) ?? repeats[place] === null) accepted.add(item.entry_id);
    }
    const list = h("ul", { class: "plain parked" });
    const draw = () =>
      fill(
        list,
        ...branch.items.map((/** @type {any} */ item, /** @type {number} */ place) =>
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
                    kept.set(`tick ${item.entry_id}`, box.checked);
                    if (box.checked) accepted.add(item.entry_id);
                    else accepted.delete(item.entry_id);
                  },
                },
              }),
              h("span", null, `${item.device_seq}. ${itemText(item, names)}`),
            ),
            h("span", { class: "muted" }, `${wordText(item.reason ?? "")}`),
            repeats[place] && badge("warn", repeats[place]),
          ),
        ),
      );
    draw();
    return h(
      "section",
      { class: "card warned" },
      h("h3", null, t("room.parked_title", { device: tabletText(context, branch.device) }), " ", badge("warn", String(branch.items.length))),
      h("p", null, t("room.parked_what")),
      list,
      h(
        "div",
        { class: "row" },
        key(t("room.resolve"), () => resolve(context, match, branch, accepted, entries), "primary"),
      ),
    );
  });
}

/**
 * Why an item starts unticked: the match, or the item before it, has the same fact; else null.
 *
 * @param {any[]} items in the order in which they were recorded
 * @param {Map<number, any>} entries
 * @returns {(string | null)[]}
 */
function repeatsOf(items, entries) {
  const base = items[0].expected_version ?? Infinity;
  const since = [...entries.values()].filter(({ version }) => version > base || version === entries.size);
  const held = new Set(since.map(factOf));
  return items.map((item, place) => {
    const fact = factOf(item);
    if (held.has(fact)) return t("room.repeats");
    return place > 0 && fact === factOf(items[place - 1]) ? t("room.repeats_last") : null;
  });
}

/**
 * The content of an entry, without its time.
 *
 * @param {any} entry
 */
function factOf({ tag, body }) {
  const { at_ms: _, ...said } = body;
  return JSON.stringify([tag, Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/**
 * @param {any} item
 * @param {import("../shared/types").BySeat<string | null> | undefined} names
 */
function itemText({ tag, body }, names) {
  const { seat, dice, moves } = body;
  const thrown = Array.isArray(dice) ? dice : null;
  return entryText({ tag, seat, dice: thrown, play: moves && movesText(moves) }, names);
}

/**
 * @param {RoomContext} context
 * @param {string} match
 * @param {any} branch
 * @param {Set<string>} accepted
 * @param {Map<number, any>} entries
 */
async function resolve(context, match, branch, accepted, entries) {
  const ids = branch.items.map((/** @type {any} */ item) => item.entry_id);
  const taken = ids.filter((/** @type {string} */ id) => accepted.has(id));
  const items = branch.items.filter((/** @type {any} */ item) => accepted.has(item.entry_id));
  const clocks = clocksAfter(items, entries);
  const [one, two] = seats(context, match).map(({ value, text }) => `${text} ${clockText(clocks?.[value] ?? null)}`);
  await askAndRefresh(
    context,
    t("room.resolve"),
    [
      { name: "reason", label: t("room.reason"), kind: "long" },
      ...(clocks ? [/** @type {const} */ ({ name: "set", label: t("room.resolve_clocks", { one, two }), kind: "check", value: true })] : []),
    ],
    async ({ reason, set }) => {
      await api("POST", `/logs/${context.log}/branches/resolution`, {
        body: withoutEmpty({
          match,
          device: branch.device,
          accepted: taken,
          set_aside: ids.filter((/** @type {string} */ id) => !accepted.has(id)),
          reason,
        }),
      }).catch((/** @type {any} */ error) => {
        // The scribe, or another director, has gone on since: the director must see that first.
        void context.refresh();
        throw error.slug === "branch-moved" ? new Error(t("room.resolve_moved")) : error;
      });
      if (set) await append(context.log, match, [{ tag: "ruling.carried_out", body: { reserve_ms: clocks } }]);
    },
    {
      action: t("room.resolve"),
      lead: [h("p", null, t("room.resolve_what", { n: taken.length, aside: ids.length - taken.length }))],
    },
  );
}

/**
 * The branch's clock readings, plus the time that was given or taken since it left the match. Null
 * if no time was, or if no accepted item has readings.
 *
 * @param {any[]} taken
 * @param {Map<number, any>} entries
 * @returns {import("../shared/types").BySeat<number | null> | null}
 */
export function clocksAfter(taken, entries) {
  const readings = taken.findLast(({ body }) => body.readings)?.body.readings;
  const base = taken[0]?.expected_version ?? Infinity;
  const all = [...entries.values()];
  const gone = new Set(all.filter(({ tag }) => tag === "entry.retracted").map(({ body }) => body.target));
  const missed = all.filter(({ entry_id, tag, version }) => tag === "clock.adjusted" && version > base && !gone.has(entry_id));
  if (!readings || missed.length === 0) return null;
  const clocks = { ...readings };
  for (const { body } of missed) {
    if (clocks[body.seat] !== null) clocks[body.seat] = Math.max(0, clocks[body.seat] + body.amount_ms);
  }
  return clocks.one === null || clocks.two === null ? null : clocks;
}
