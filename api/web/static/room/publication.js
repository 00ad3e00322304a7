// The form for who may read a match, and with which delay.

import { t } from "../shared/texts.js";
import { refuseLost, withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { append } from "./write.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 */

/**
 * The recorded delay of the public view, in minutes.
 *
 * @param {Map<number, any>} entries
 */
function minutesBehind(entries) {
  let delay = 0;
  for (const { tag, body } of entries.values()) {
    if (tag === "match.opened") delay = body.publication?.delay_ms ?? 0;
    if (tag === "publication.released") delay = body.delay_ms ?? 0;
  }
  return delay / 60_000;
}

/**
 * Form: publish the match, or stop publishing it.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {Map<number, any>} entries
 */
export async function publish(context, match, entries) {
  await askAndRefresh(
    context,
    t("room.publication"),
    [
      {
        name: "public",
        label: t("room.publication"),
        kind: "choice",
        value: context.tableOf(match)?.is_public ? "yes" : "no",
        options: [
          { value: "yes", text: t("room.public_yes") },
          { value: "no", text: t("room.public_no") },
        ],
      },
      { name: "behind", label: t("room.public_delay"), kind: "number", value: minutesBehind(entries), hasParts: true, least: 0 },
      { name: "reason", label: t("room.reason"), kind: "text" },
    ],
    (v) => {
      if (v.public === "yes") refuseLost(t("room.reason"), v.reason);
      return append(context.log, match, [
        v.public === "yes"
          ? { tag: "publication.released", body: { delay_ms: Math.round((v.behind ?? 0) * 60_000), by: "director" } }
          : { tag: "publication.withheld", body: withoutEmpty({ reason: v.reason, by: "director" }) },
      ]);
    },
  );
}
