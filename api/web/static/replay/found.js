// How a play was found: what was tapped, how many plays fitted, and how it was chosen.

import { hasText, t } from "../shared/texts.js";

/** @import { Scene } from "./types.js" */

/**
 * A line about how a play was found; empty if the entry does not say it.
 *
 * @param {Pick<Scene, "tag" | "basis" | "facts">} scene
 */
export function foundText({ tag, basis, facts }) {
  const parts = tag === "play.made" ? ofPlay(basis, facts) : tag === "play.unseen" ? ofGap(basis, facts) : [];
  const text = parts.join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {string} basis
 * @param {Scene["facts"]} facts
 */
function ofPlay(basis, { taps, fitted, confirmed }) {
  const parts = [];
  // The key "Played" is not a place on the board.
  const tapped = words(taps).filter((one) => one !== "played" || confirmed !== "played");
  if (tapped.length > 0) parts.push(t("replay.found.tapped", { taps: tapped.map(tapText).join(" ") }));
  const count = Number(fitted);
  if (confirmed === "chosen") {
    parts.push(fitted === undefined ? t("replay.found.told") : t("replay.found.chosen", { count }));
  } else if (fitted !== undefined) {
    parts.push(count === 1 ? t("replay.found.fitted_1") : t("replay.found.fitted_n", { count }));
  }
  if (basis === "device") parts.push(t("replay.found.device"));
  if (confirmed === "played") parts.push(t("replay.found.played"));
  return parts;
}

/**
 * @param {string} basis
 * @param {Scene["facts"]} facts
 */
function ofGap(basis, { written }) {
  if (basis !== "device") return basis === "imported" ? [] : [t("replay.found.gap")];
  const parts = [t("replay.found.gap_device")];
  if (written !== undefined) parts.push(t("replay.found.tapped", { taps: String(written) }));
  return parts;
}

/** @param {string | number | undefined} taps */
const words = (taps) => (taps === undefined ? [] : String(taps).split(", "));

/** @param {string} tap */
function tapText(tap) {
  const key = `replay.found.tap_${tap}`;
  return hasText(key) ? t(key) : tap;
}
