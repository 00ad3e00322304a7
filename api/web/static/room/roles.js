// Roles: who holds which, handed out by one-time codes, and withdrawn.

import { dialog, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { language, t } from "../shared/texts.js";
import { withoutEmpty } from "./fields.js";
import { ask } from "./forms.js";
import { key } from "./cards.js";
import { copyKey, picture } from "./reach.js";
import { pairOf, roleText, tabletText } from "./words.js";
import { appendToLog } from "./write.js";

/** @typedef {import("./types").RoomContext} RoomContext */

/** The log whose roles apply to all tournaments. */
const ARCHIVE = "archive";

/** The option "whole archive" beside matches; no match has this id. */
const EVERYWHERE = "*";

/**
 * The roles in a tournament; with those over the whole archive, if the reader may hand them out.
 *
 * @param {string} log
 */
export async function rolesOf(log) {
  const own = (await api("GET", `/logs/${log}/roles`)).json;
  if (log === ARCHIVE || own.may_grant_all.length === 0) return own;
  const all = (await api("GET", `/logs/${ARCHIVE}/roles`)).json;
  return { ...own, grants: [...own.grants, ...all.grants], invitations: [...own.invitations, ...everywhere(all.invitations)] };
}

/** @param {any[]} invitations those of the archive's own log */
const everywhere = (invitations) => invitations.map((one) => ({ ...one, kind: "archive" }));

/**
 * The lists of holders and open codes, and the key to hand out a role.
 *
 * @param {any} held the answer of `/logs/{log}/roles`
 * @param {RoomContext} context
 * @param {() => Promise<void>} reload fetches and redraws the lists
 */
export function roleLines(held, context, reload) {
  return [
    h("h2", null, t(held.log_id === ARCHIVE ? "archive.roles" : "tournament.roles")),
    held.log_id === ARCHIVE ? h("p", { class: "muted" }, t("archive.roles_about")) : null,
    held.grants.length ? grantTable(held.grants, context, reload) : h("p", null, t("tournament.no_roles")),
    held.invitations.length ? openCodes(held.invitations, context, reload) : null,
    h(
      "div",
      { class: "row" },
      held.may_grant.length > 0 && key(t("tournament.hand_out"), () => handOut(held, context, reload), "primary"),
    ),
  ];
}

/** @param {any[]} grants @param {RoomContext} context @param {() => Promise<void>} reload */
function grantTable(grants, context, reload) {
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
            h("td", null, scopeText(grant, context)),
            h("td", null, momentText(grant.granted_at)),
            h("td", null, grant.last_used_at === null ? "–" : momentText(grant.last_used_at)),
            h("td", null, key(t("tournament.withdraw"), () => withdraw(grant, context, reload), "danger")),
          ),
        ),
      ),
    ),
  );
}

/** @param {any[]} invitations @param {RoomContext} context @param {() => Promise<void>} reload */
function openCodes(invitations, context, reload) {
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
          h("span", null, `${one.holder}: ${roleText(one.role)}, ${scopeText(one, context)}`),
          h("span", { class: "muted" }, t("tournament.until", { time: timeText(one.expires_at) })),
          key(t("tournament.take_back"), async () => {
            await api("DELETE", `/logs/${logOf(one, context)}/invitations/${one.invitation_id}`).catch(() => {});
            await reload();
          }),
        ),
      ),
    ),
  );
}

/** @param {{ kind?: string, match_id: string | null }} held a grant or a code @param {RoomContext} context */
function scopeText({ kind, match_id: match }, context) {
  if (kind === ARCHIVE || context.log === ARCHIVE) return t("archive.whole");
  if (match === null) return t("room.whole_tournament");
  const table = context.tableOf(match);
  return table === null ? match : pairOf(table.names);
}

/** @param {{ kind?: string }} held a grant or a code @param {RoomContext} context */
const logOf = ({ kind }, context) => (kind === ARCHIVE ? ARCHIVE : context.log);

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
 * @param {any} held the answer of `/logs/{log}/roles`, with the roles that may be handed out
 * @param {RoomContext} context
 * @param {() => Promise<void>} reload
 */
async function handOut(held, context, reload) {
  /** @type {string[]} */
  const roles = held.may_grant;
  const isEverywhere = context.log === ARCHIVE;
  /** @type {any} */
  let made = null;
  let log = context.log;
  const done = await ask(
    t("tournament.hand_out"),
    [
      { name: "holder", label: t("tournament.for_whom"), kind: "text", needed: true },
      {
        name: "role",
        label: t("room.role"),
        kind: "choice",
        value: roles.includes("viewer") ? "viewer" : roles[0],
        options: roles.map((value) => ({ value, text: roleText(value) })),
        hint: roles.includes("archivist") ? `${t("tournament.roles_about")} ${t("archive.archivists")}` : t("tournament.roles_about"),
      },
      {
        name: "match",
        label: t("room.only_match"),
        kind: "select",
        value: "",
        options: [
          { value: "", text: t(isEverywhere ? "archive.whole" : "room.whole_tournament") },
          ...(held.may_grant_all.length > 0 && !isEverywhere ? [{ value: EVERYWHERE, text: t("archive.whole") }] : []),
          ...(context.room()?.tables ?? []).map((table) => ({
            value: table.match_id,
            text: `${t("room.table_n", { n: table.table ?? "–" })}: ${pairOf(table.names)}`,
          })),
        ],
      },
    ],
    async ({ role, holder, match }) => {
      const body = { role, holder, ...(match && match !== EVERYWHERE ? { match } : {}) };
      log = match === EVERYWHERE ? ARCHIVE : context.log;
      made = (await api("POST", `/logs/${log}/invitations`, { body })).json;
    },
    { action: t("room.make_code") },
  );
  if (!done || made === null) return;
  await showCode(made, scopeText({ kind: log === ARCHIVE ? ARCHIVE : "log", match_id: made.match_id }, context));
  await reload();
}

/** @param {any} made @param {string} scope what the role applies to, in words */
async function showCode(made, scope) {
  await dialog(
    t("tournament.code_for", { name: made.holder, role: roleText(made.role) }),
    () => [
      h("p", null, t("archive.code_over", { scope })),
      ...(made.unreachable === null ? [h("p", null, t("tournament.code_how"))] : []),
      h(
        "div",
        { class: "pairing" },
        picture(made),
        h("div", null, h("p", { class: "code" }, made.code), h("p", { class: "muted wrap" }, made.url), copyKey(made.url)),
      ),
      h("p", { class: "muted" }, t("tournament.code_then", { time: timeText(made.expires_at) })),
    ],
    { closeText: t("common.close") },
  );
}

/**
 * The words for the holder of a grant; a tablet is shown by its four words.
 *
 * @param {any} grant
 * @param {RoomContext} context
 */
function holderText(grant, context) {
  return grant.device ? tabletText(context, grant.device) : (grant.holder ?? "–");
}

/** @param {any} grant @param {RoomContext} context @param {() => Promise<void>} reload */
async function withdraw(grant, context, reload) {
  const name = holderText(grant, context);
  const done = await ask(
    t("tournament.withdraw_of", { name, role: roleText(grant.role) }),
    [{ name: "reason", label: t("room.reason"), kind: "text" }],
    ({ reason }) =>
      appendToLog(logOf(grant, context), [{ tag: "access.revoked", body: withoutEmpty({ target: grant.grant_id, reason }) }]),
    {
      action: t("tournament.withdraw"),
      isDanger: true,
      lead: [
        ...(logOf(grant, context) === ARCHIVE ? [h("p", null, t("archive.withdraw_all"))] : []),
        ...(grant.is_own ? [h("p", { class: "badge warn" }, t("tournament.withdraw_own"))] : []),
      ],
    },
  );
  if (!done) return;
  await context.refresh();
  await reload();
}
