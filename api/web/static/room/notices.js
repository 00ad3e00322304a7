// The notices to a table, and when each was acknowledged; unacknowledged ones come first.

import { h } from "../shared/dom.js";
import { language, t } from "../shared/texts.js";
import { saidText, tagText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./types").NoticeLine} NoticeLine
 */

/** How many notices of a match are shown at most, the latest first. */
const SHOWN = 6;

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/**
 * The card with the notices of a match; null if there are none.
 *
 * @param {RoomContext} context
 * @param {string} match
 * @param {readonly import("../replay/types").Scene[]} scenes
 * @param {import("../shared/types").BySeat<string>} names
 */
export function noticesCard(context, match, scenes, names) {
  const notices = context.tableOf(match)?.notices ?? [];
  if (notices.length === 0) return null;
  const waits = notices.filter(({ acknowledged }) => acknowledged === null).reverse();
  const noted = notices.filter(({ acknowledged }) => acknowledged !== null).reverse();
  const said = (/** @type {NoticeLine} */ { version, tag }) => {
    const scene = scenes.find((one) => one.version === version);
    return scene === undefined ? tagText(tag) : saidText(scene, names);
  };
  return h(
    "section",
    { class: "card told" },
    h("h3", null, t("room.told")),
    h(
      "ul",
      { class: "plain" },
      [...waits, ...noted].slice(0, Math.max(SHOWN, waits.length)).map((notice) =>
        h(
          "li",
          { class: "row" },
          h("span", null, said(notice)),
          h("span", { class: ["badge", notice.acknowledged === null ? "warn" : "good"] }, notedText(notice, names)),
        ),
      ),
    ),
  );
}

/**
 * @param {NoticeLine} notice
 * @param {import("../shared/types").BySeat<string>} names
 */
function notedText({ acknowledged }, names) {
  if (acknowledged === null) return t("room.told_waits");
  const { by, received_at } = acknowledged;
  // The time of receipt, because the tablet's own clock may be wrong.
  const time = received_at === null ? "–" : new Date(received_at).toLocaleTimeString(language, TIME);
  const who = by === "one" || by === "two" ? names[by] : null;
  return who === null ? t("room.told_noted", { time }) : t("room.told_noted_by", { name: who, time });
}

/**
 * The number of notices that a table has not acknowledged.
 *
 * @param {{ notices?: readonly NoticeLine[] }} table
 */
export function unheard({ notices = [] }) {
  return notices.filter(({ acknowledged }) => acknowledged === null).length;
}
