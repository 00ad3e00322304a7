// Texts of the room: names, clocks, ages and entries in words.

import { told, word } from "../replay/words.js";
import { rulesCalled } from "../shared/rules_called.js";
import { hasText, t } from "../shared/texts.js";

/** @import { BySeat, Seat } from "../shared/types.js" */

/**
 * A player's name, or the seat's if the name is not disclosed.
 *
 * @param {BySeat<string | null> | null | undefined} names
 * @param {Seat} seat
 */
export function nameOf(names, seat) {
  return names?.[seat] || t(`common.player_${seat}`);
}

/**
 * Both names in one text.
 *
 * @param {any} names
 */
export function pairOf(names) {
  return `${nameOf(names, "one")} – ${nameOf(names, "two")}`;
}

/**
 * Milliseconds as minutes and seconds; overdrawn time with a minus.
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
 * How long ago, as a number with a unit.
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
 * The name of an entry's tag, the same as on the tablet; a tag without a name in parts:
 * `lease.granted` as "lease: granted".
 *
 * @param {string} tag
 */
export function tagText(tag) {
  const key = `entry.${tag}.name`;
  if (hasText(key)) return t(key);
  const [noun, verb] = tag.split(".");
  return `${noun}: ${(verb ?? "").replaceAll("_", " ")}`;
}

/**
 * An entry in a line: who, what, and its dice and play.
 *
 * @param {{ tag: string, seat?: Seat | null, dice?: readonly (number | null)[] | null, play?: string | null }} entry
 * @param {BySeat<string | null> | null | undefined} names
 */
export function entryText({ tag, seat = null, dice = null, play = null }, names) {
  const who = seat === null ? "" : `${nameOf(names, seat)}: `;
  const faces = dice?.every((face) => face !== null) ? dice.join("-") : "";
  const moved = tag === "play.made" && play === "" ? t("room.no_checker") : play;
  return who + [tagText(tag), faces, moved].filter(Boolean).join(" ");
}

/**
 * The checker moves of a parked draft in notation.
 *
 * @param {readonly (readonly [number, number])[]} moves
 */
export function movesText(moves) {
  return moves.map(([from, to]) => `${from === 25 ? "bar" : from}/${to === 0 ? "off" : to}`).join(" ");
}

/**
 * Both names, with the seat's in place of one that is not disclosed.
 *
 * @param {BySeat<string | null> | null | undefined} names
 * @returns {BySeat<string>}
 */
export function namesOf(names) {
  return { one: nameOf(names, "one"), two: nameOf(names, "two") };
}

/**
 * An entry as a sentence, the same as in the replay.
 *
 * @param {import("../replay/types").Scene} scene
 * @param {BySeat<string>} names
 */
export function saidText(scene, names) {
  return told(scene, names);
}

/**
 * Penalty points, counted.
 *
 * @param {number} n
 */
export function pointsText(n) {
  return n === 1 ? t("room.points_1") : t("room.points_n", { n });
}

/**
 * A section of a rule set with its caption and the ambiguity noted there.
 *
 * @param {{ rule_set: string, section: string, ambiguity?: string | null }} cited
 */
export function citationText({ rule_set, section, ambiguity = null }) {
  const list = document.getElementById(`sections-${rule_set}`);
  const option = [...(list?.querySelectorAll("option") ?? [])].find((one) => one.value === section);
  const caption = option?.textContent ? `: ${option.textContent}` : "";
  const open = ambiguity ? ` · ${t("rules.open_to_reading", { code: ambiguity })}` : "";
  return `${rulesCalled(rule_set)}, ${section}${caption}${open}`;
}

/**
 * The text of a word of the record: the room's own, else the replay's.
 *
 * @param {string} value
 */
export function wordText(value) {
  const key = `room.word_${value}`;
  return hasText(key) ? t(key) : word(value);
}

/** @param {"one" | "two" | null | undefined} loser @param {any} names */
export function lostOnTime(loser, names) {
  return loser ? t("room.lost_on_time", { name: nameOf(names, loser) }) : null;
}

/**
 * Who has won, if the score does not show it, and which players have confirmed the score.
 *
 * @param {any} result
 * @param {BySeat<string | null> | undefined} names
 */
export function standingBy(result, names) {
  // A loss on time has a line of its own.
  const isSaid = result.winner && result.by && !["score", "flag"].includes(result.by);
  const won = isSaid ? [t(`public.won_by_${result.by}`, { name: nameOf(names, result.winner) })] : [];
  const confirmed = (/** @type {const} */ (["one", "two"])).map((seat) => {
    const noted = result.confirmations?.[seat] ?? null;
    const name = nameOf(names, seat);
    if (noted === null) return t("room.unconfirmed", { name });
    if (noted.one === result.score?.one && noted.two === result.score?.two) return t("room.confirmed", { name });
    return t("room.confirmed_other", { name, score: `${noted.one}–${noted.two}` });
  });
  return [...won, ...confirmed];
}

/**
 * Questions that the rules leave to the director, counted.
 *
 * @param {number} n
 */
export function questionsText(n) {
  return n === 1 ? t("room.question_1") : t("room.question_n", { n });
}

/**
 * The name of a role, as a heading.
 *
 * @param {string} role
 */
export function roleText(role) {
  return role === "director" ? t("room.role_director") : wordText(role);
}

/**
 * A tablet in words: its name, if it has one, and its four words.
 *
 * @param {import("./types").RoomContext} context
 * @param {string} id
 */
export function tabletText(context, id) {
  const room = context.room();
  const words = room?.devices.find((one) => one.id === id)?.fingerprint.join(" ");
  const holder = room?.grants.find((one) => one.device === id)?.holder;
  return [holder === id ? null : holder, words].filter(Boolean).join(" · ") || id.slice(0, 8);
}
