// The sheet about this tablet: unsent and waiting entries, and alarms.

/** @import { Entry, SheetContext } from "../../shared/types.js" */

import { nextEpoch } from "../../device/pairing.js";
import { openStore } from "../../device/store/store.js";
import { announce, h } from "../../shared/dom.js";
import { hasText, t } from "../../shared/texts.js";
import { askForCode } from "../start/enrol.js";
import { entryWords } from "./entries.js";
import { more, notRecorded, openSheet, tagWords, words } from "./kit.js";

/** Alarms after which this device can go on only under a new epoch. */
const LOST = new Set(["device-fork", "old-epoch", "receipt-lost", "storage-lost"]);
/** Alarms that a new code does not cure, because they are not about the right to send. */
const ELSEWHERE = new Set([
  "archive-restored", "file-refused", "history-rewritten", "journal-full", "rolled-back",
]);

/**
 * Open the sheet about this tablet and its entries.
 *
 * @param {SheetContext} context
 */
export function openDevice(context) {
  return openSheet(context, "device", (sheet) => page(context, sheet));
}

/**
 * @param {SheetContext} context
 * @param {import("./kit.js").Sheet} sheet
 * @returns {Node[]}
 */
function page(context, sheet) {
  return [
    ...alarm(context, sheet),
    facts(context),
    parkedList(context),
    more(words("details"), names(context)),
    h(
      "div",
      { class: "sheet-foot" },
      h("button", { type: "button", on: { click: () => save(context, sheet) } }, words("device_export")),
      h(
        "button",
        {
          type: "button",
          class: context.outbox.status.unsent > 0 && "primary",
          on: { click: () => sendNow(context, sheet) },
        },
        words("device_send"),
      ),
    ),
  ];
}

/**
 * The alarm in words, with what can be done about it.
 *
 * @param {SheetContext} context
 * @param {import("./kit.js").Sheet} sheet
 * @returns {Node[]}
 */
function alarm({ outbox }, sheet) {
  const { alarm: why } = outbox.status;
  if (why === null) return [];
  const key = `tablet.alarm_${why.replaceAll("-", "_")}`;
  const said = hasText(key) ? t(key) : t("tablet.alarm", { why });
  const isFull = why === "storage-failed";
  const way = isFull ? "reload" : LOST.has(why) ? "renew" : "pair";
  const go = async () => {
    if (way === "reload") return location.reload();
    try {
      if (way === "renew") await nextEpoch(await openStore());
      askForCode();
    } catch (error) {
      sheet.say(notRecorded(error));
    }
  };
  return [
    h(
      "section",
      { class: "alarm-part", "aria-label": said },
      h("h3", null, said),
      h("p", null, words(`alarm_${ELSEWHERE.has(why) ? "wait" : way}_how`)),
      h(
        "button",
        { type: "button", class: "danger", dataset: { act: way }, on: { click: () => void go() } },
        words(`alarm_${way}`),
      ),
    ),
  ];
}

/** @param {SheetContext} context */
function facts({ outbox }) {
  const { status } = outbox;
  const age = status.ack_age_ms;
  return list([
    ["device_unsent", String(status.unsent)],
    ["device_files", String(status.files ?? 0)],
    [
      "device_ack",
      age === null
        ? words("device_never")
        : words("device_ago", { seconds: Math.round(age / 1000) }),
    ],
    ["device_link", words(`link_${status.link}`)],
    ["device_role", words(`role_${status.role}`)],
    ["device_signing", words(status.signing === "absent" ? "no" : "yes")],
    ["device_secure", words(status.secure ? "yes" : "no")],
  ]);
}

/**
 * The ids that a director needs to find this tablet's entries.
 * @param {SheetContext} context
 */
function names({ outbox }) {
  return list(
    [
      ["device_id", outbox.device],
      ["device_match", outbox.match_id],
      ["device_version", version()],
    ],
    "long",
  );
}

/**
 * @param {readonly (readonly [string, string])[]} rows
 * @param {string} [className]
 */
function list(rows, className = "") {
  return h(
    "dl",
    { class: `facts ${className}`.trim() },
    rows.map(([name, value]) =>
      h("div", null, h("dt", null, words(name)), h("dd", { class: "number" }, value)),
    ),
  );
}

/** The version of the program: the hash in the addresses of its files. */
function version() {
  return /\/static\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? "–";
}

/** @param {SheetContext} context */
function parkedList(context) {
  const { parked } = context.outbox;
  if (parked.length === 0) return h("p", { class: "muted" }, words("parked_none"));
  return h(
    "section",
    { "aria-label": words("parked") },
    h("h3", null, words("parked")),
    h("p", null, words("parked_how")),
    h(
      "ul",
      { class: "parked" },
      parked.map((entry) => h("li", null, parkedWords(context, entry))),
    ),
  );
}

/**
 * @param {SheetContext} context
 * @param {Entry} entry
 */
function parkedWords(context, entry) {
  const key = `tablet.sheet_parked_${entry.reason}`;
  const why = entry.reason !== undefined && hasText(key) ? t(key) : (entry.reason ?? "");
  const what = entryWords(context, entry);
  const kind = tagWords(entry.tag);
  return h(
    "span",
    null,
    h("strong", null, what.includes(kind) ? what : `${kind}: ${what}`),
    why === "" ? null : ` – ${why}`,
  );
}

/**
 * @param {SheetContext} context
 * @param {import("./kit.js").Sheet} sheet
 */
async function sendNow(context, sheet) {
  await context.outbox.flush();
  sheet.show(...page(context, sheet));
  const { link, unsent } = context.outbox.status;
  if (unsent > 0 && link === "offline") sheet.say(words("device_send_later"));
  announce(words("device_unsent_now", { count: context.outbox.status.unsent }));
}

/**
 * Save unsent entries as a file.
 *
 * @param {SheetContext} context
 * @param {import("./kit.js").Sheet} sheet
 */
async function save({ outbox }, sheet) {
  try {
    const url = URL.createObjectURL(await outbox.exportUnsent());
    const name = `tabularium-${outbox.match_id}-unsent.json`;
    const link = h("a", { href: url, download: name });
    link.click();
    // The browser reads the file some time after the click.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    announce(words("device_exported"));
  } catch (error) {
    sheet.say(notRecorded(error));
  }
}
