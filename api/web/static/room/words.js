// Words of the room: names, clocks, ages and entries as a director reads them.

import { hasText, t } from "../texts.js";

/** @typedef {import("../types").Seat} Seat */

/**
 * A name, or the seat's where it is not disclosed.
 *
 * @param {import("../types").BySeat<string | null> | null | undefined} names
 * @param {Seat} seat
 */
export function nameOf(names, seat) {
  return names?.[seat] || t(`common.player_${seat}`);
}

/**
 * Both names.
 *
 * @param {import("../types").BySeat<string | null> | null | undefined} names
 */
export function pairOf(names) {
  return `${nameOf(names, "one")} – ${nameOf(names, "two")}`;
}

/**
 * Milliseconds as minutes and seconds; a minus for time that is overdrawn.
 *
 * @param {number | null | undefined} ms
 */
export function clockText(ms) {
  if (ms === null || ms === undefined) return "–";
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return ms < 0 ? `−${text}` : text;
}

/**
 * How long ago, in one word and a number.
 *
 * @param {number | null | undefined} then milliseconds since 1970 UTC
 * @param {number} now
 */
export function ageText(then, now) {
  if (then === null || then === undefined) return t("room.age_never");
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return t("room.age_s", { n: seconds });
  if (seconds < 5400) return t("room.age_min", { n: Math.round(seconds / 60) });
  return t("room.age_h", { n: Math.round(seconds / 3600) });
}

/**
 * An entry's type in the words of the tablet, so that director and scribe say the same; one that
 * the tablet never records as it is written: `lease.granted` as "lease: granted".
 *
 * @param {string} tag
 */
export function tagText(tag) {
  const key = `tablet.sheet_tag_${tag.replace(".", "_")}`;
  if (hasText(key)) return t(key);
  const [noun, verb] = tag.split(".");
  return `${noun}: ${(verb ?? "").replaceAll("_", " ")}`;
}

/**
 * One line of a replay in words.
 *
 * @param {any} line
 * @param {import("../types").BySeat<string | null>} names
 */
export function lineText(line, names) {
  const who = line.seat ? `${nameOf(names, line.seat)}: ` : "";
  if (line.play !== null) return `${who}${line.play || t("room.no_play")}`;
  if (line.dice !== null && line.tag.startsWith("dice.")) {
    const faces = line.dice.map((/** @type {number | null} */ face) => face ?? "?").join("-");
    return `${who}${faces}${line.tag === "dice.rolled" ? "" : ` (${tagText(line.tag)})`}`;
  }
  return `${who}${tagText(line.tag)}`;
}

/**
 * A word of the record, translated where there is a text for it.
 *
 * @param {string} word
 */
export function wordText(word) {
  const key = `room.word_${word}`;
  return hasText(key) ? t(key) : word.replaceAll("_", " ");
}
