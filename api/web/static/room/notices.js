// What a table was told, and when it took note of it; what it has not heard stands first.

import { h } from "../shared/dom.js";
import { language, t } from "../shared/texts.js";
import { saidText, tagText } from "./words.js";

/**
 * @typedef {import("./types").RoomContext} RoomContext
 * @typedef {import("./types").NoticeLine} NoticeLine
 */

/** Notices shown of one match, the latest first. */
const SHOWN = 6;

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/**
 * The notices of a match as a card; null where the table was told nothing.
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
  // When it came in: what the tablet's own clock said is a claim.
  const time = received_at === null ? "–" : new Date(received_at).toLocaleTimeString(language, TIME);
  const who = by === "one" || by === "two" ? names[by] : null;
  return who === null ? t("room.told_noted", { time }) : t("room.told_noted_by", { name: who, time });
}

/**
 * How much of what a table was told waits to be heard.
 *
 * @param {{ notices?: readonly NoticeLine[] }} table
 */
export function unheard({ notices = [] }) {
  return notices.filter(({ acknowledged }) => acknowledged === null).length;
}
