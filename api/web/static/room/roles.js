// Who may do what here: roles handed out by one-time codes, and withdrawn.

import { dialog, h } from "../dom.js";
import { api } from "../http.js";
import { language, t } from "../texts.js";
import { ask } from "./forms.js";
import { key } from "./hall.js";
import { pairOf, roleText } from "./words.js";
import { appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/**
 * Everything about roles: who holds one, which codes are open, and the key to hand one out.
 *
 * @param {any} held the answer of `/logs/{log}/roles`
 * @param {RoomContext} context
 * @param {() => Promise<void>} anew shows what has changed
 */
export function roleLines(held, context, anew) {
  return [
    h("h2", null, t("tournament.roles")),
    held.grants.length ? grantTable(held.grants, context, anew) : h("p", null, t("tournament.no_roles")),
    held.invitations.length ? openCodes(held.invitations, context, anew) : null,
    h(
      "div",
      { class: "row" },
      key(t("tournament.hand_out"), () => handOut(held.may_grant, context, anew), "primary"),
    ),
  ];
}

/** @param {any[]} grants @param {RoomContext} context @param {() => Promise<void>} anew */
function grantTable(grants, context, anew) {
  const heads = ["holder", "role", "scope", "since", "used", "act"];
  return h(
    "div",
    { class: "wide-table", tabindex: 0, role: "region", "aria-label": t("tournament.roles") },
    h(
      "table",
      null,
      h("caption", { class: "unseen" }, t("tournament.roles")),
      h("thead", null, h("tr", null, heads.map((name) => h("th", { scope: "col" }, t(`tournament.role_${name}`))))),
      h(
        "tbody",
        null,
        grants.map((grant) =>
          h(
            "tr",
            null,
            h(
              "th",
              { scope: "row" },
              holderText(grant, context),
              grant.is_own && h("span", { class: "badge plain" }, t("tournament.own")),
            ),
            h("td", null, grant.device ? t("tournament.tablet") : roleText(grant.role)),
            h("td", null, scopeText(grant.match_id, context)),
            h("td", null, momentText(grant.granted_at)),
            h("td", null, grant.last_used_at === null ? "–" : momentText(grant.last_used_at)),
            h("td", null, key(t("tournament.withdraw"), () => withdraw(grant, context, anew), "danger")),
          ),
        ),
      ),
    ),
  );
}

/** @param {any[]} invitations @param {RoomContext} context @param {() => Promise<void>} anew */
function openCodes(invitations, context, anew) {
  return h(
    "section",
    null,
    h("h3", null, t("tournament.open_codes")),
    h(
      "ul",
      { class: "plain" },
      invitations.map((one) =>
        h(
          "li",
          { class: "row" },
          h("strong", { class: "number" }, one.code),
          h("span", null, `${one.holder}: ${roleText(one.role)}, ${scopeText(one.match_id, context)}`),
          h("span", { class: "muted" }, t("tournament.until", { time: timeText(one.expires_at) })),
          key(t("tournament.take_back"), async () => {
            await api("DELETE", `/logs/${context.log}/invitations/${one.invitation_id}`).catch(() => {});
            await anew();
          }),
        ),
      ),
    ),
  );
}

/** @param {string | null} match @param {RoomContext} context */
function scopeText(match, context) {
  if (match === null) return t("room.whole_tournament");
  const table = context.tableOf(match);
  return table === null ? match : pairOf(table.names);
}

/** @param {number | null} ms */
function momentText(ms) {
  if (ms === null) return "–";
  return new Date(ms).toLocaleString(language === "en" ? "en-GB" : language, { dateStyle: "short", timeStyle: "short" });
}

/** @param {number} ms */
function timeText(ms) {
  return new Date(ms).toLocaleTimeString(language === "en" ? "en-GB" : language, { timeStyle: "short" });
}

/**
 * @param {string[]} roles those that may be handed out
 * @param {RoomContext} context
 * @param {() => Promise<void>} anew
 */
async function handOut(roles, context, anew) {
  /** @type {any} */
  let made = null;
  const done = await ask(
    t("tournament.hand_out"),
    [
      { name: "holder", label: t("tournament.for_whom"), kind: "text", needed: true },
      {
        name: "role",
        label: t("room.role"),
        kind: "choice",
        value: roles.includes("committee") ? "viewer" : roles[0],
        options: roles.map((value) => ({ value, text: roleText(value) })),
        hint: t("tournament.roles_about"),
      },
      {
        name: "match",
        label: t("room.only_match"),
        kind: "select",
        value: "",
        options: [
          { value: "", text: t("room.whole_tournament") },
          ...(context.room()?.tables ?? []).map((table) => ({
            value: table.match_id,
            text: `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
          })),
        ],
      },
    ],
    async ({ role, holder, match }) => {
      const body = { role, holder, ...(match ? { match } : {}) };
      made = (await api("POST", `/logs/${context.log}/invitations`, { body })).json;
    },
    { action: t("room.make_code") },
  );
  if (!done || made === null) return;
  await showCode(made);
  await anew();
}

/** @param {any} made */
async function showCode(made) {
  await dialog(
    t("tournament.code_for", { name: made.holder, role: roleText(made.role) }),
    () => [
      h("p", null, t("tournament.code_how")),
      h(
        "div",
        { class: "pairing" },
        h("img", { src: `data:image/svg+xml,${encodeURIComponent(made.qr_svg)}`, alt: t("room.qr_alt"), width: 260, height: 260 }),
        h("div", null, h("p", { class: "code" }, made.code), h("p", { class: "muted wrap" }, made.url), copyKey(made.url)),
      ),
      h("p", { class: "muted" }, t("tournament.code_then", { time: timeText(made.expires_at) })),
    ],
    { closeText: t("common.close") },
  );
}

/** @param {string} url */
function copyKey(url) {
  // Over plain http the browser gives no clipboard: the link stands there to be marked by hand.
  if (!navigator.clipboard) return null;
  const button = key(t("tournament.copy"), async () => {
    await navigator.clipboard.writeText(url);
    button.textContent = t("tournament.copied");
  });
  return button;
}

/**
 * Whose a grant is: a tablet is known by its four words, as where it was let in.
 *
 * @param {any} grant
 * @param {RoomContext} context
 */
function holderText(grant, context) {
  const device = context.room()?.devices.find((one) => one.id === grant.device);
  return device ? device.fingerprint.join(" ") : (grant.holder ?? grant.device ?? "–");
}

/** @param {any} grant @param {RoomContext} context @param {() => Promise<void>} anew */
async function withdraw(grant, context, anew) {
  const name = holderText(grant, context);
  const done = await ask(
    t("tournament.withdraw_of", { name, role: roleText(grant.role) }),
    [{ name: "reason", label: t("room.reason"), kind: "text" }],
    ({ reason }) =>
      appendToLog(context.log, [{ tag: "access.revoked", body: { target: grant.grant_id, ...(reason ? { reason } : {}) } }]),
    {
      action: t("tournament.withdraw"),
      isDanger: true,
      lead: grant.is_own ? [h("p", { class: "badge warn" }, t("tournament.withdraw_own"))] : [],
    },
  );
  if (!done) return;
  await context.refresh();
  await anew();
}
