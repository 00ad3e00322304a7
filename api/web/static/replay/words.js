// An entry in words, as `api/pages/entry_words.py` says it too: for the list, and for a listener.

import { hasText, t } from "../texts.js";

/** @import { BySeat, Seat } from "../types.js" */
/** @import { Act, Scene } from "./types.js" */

/**
 * A text with its values; a part in brackets falls away where one of its values is missing.
 *
 * @param {string} text
 * @param {Record<string, string>} values
 */
export function filled(text, values) {
  const kept = text.replace(/\[([^[\]]*)\]/g, (_, part) => {
    const names = [...part.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
    return names.every((name) => values[name]) ? part : "";
  });
  return kept.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/**
 * A word of the record in the reader's language, where there is one.
 *
 * @param {string | number} value
 */
export function word(value) {
  const key = `replay.word.${value}`;
  return hasText(key) ? t(key) : String(value).replaceAll("_", " ");
}

/** A seat where a finding's message means a player: at its beginning, or after one of these words. */
const SEATS = /(^|\b(?:of|against|by|from|for|on|that|and|before|with|winner) |[:;] )(one|two)\b(?! (?:or|more|of|side|point|points|is wrong))/g;

/**
 * A finding's message with the players' names where it says `one` and `two`, as
 * `api/pages/entry_words.py` says it too.
 *
 * @param {string} message
 * @param {BySeat<string>} names
 */
export function seatsNamed(message, names) {
  return message.replace(SEATS, (_, before, seat) => `${before}${names[/** @type {Seat} */ (seat)]}`);
}

/**
 * Points, counted.
 *
 * @param {number} count
 */
export function points(count) {
  return count === 1 ? t("replay.points_1") : t("replay.points_n", { count });
}

/**
 * Who is meant by a word of the record.
 *
 * @param {string} who
 * @param {BySeat<string>} names
 */
export function person(who, names) {
  return who === "one" || who === "two" ? names[who] : t(`replay.actor.${who}`);
}

/**
 * @param {Act & { tag: string }} act
 * @param {BySeat<string>} names
 * @returns {Record<string, string>}
 */
function values({ tag, facts, people }, names) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(facts)) found[name] = word(value);
  if (tag === "game.won") found.points = points(Number(facts.points));
  if (tag.startsWith("play.") && facts.play === "") found.play = t("replay.no_play");
  else if (tag === "play.made" && facts.play === undefined) found.play = t("replay.by_end");
  for (const [name, who] of Object.entries(people)) found[name] = person(who, names);
  return found;
}

/**
 * What an entry says, as one sentence without its full stop.
 *
 * @param {Act & { tag: string }} act
 * @param {BySeat<string>} names
 */
export function told(act, names) {
  const key = `replay.tag.${act.tag}`;
  if (!hasText(key)) return t("replay.unread");
  const said = filled(t(key), values(act, names));
  const sentence = said.charAt(0).toUpperCase() + said.slice(1);
  const { won, won_points: count } = act.facts;
  if (won === undefined) return sentence;
  const winner = person(String(won), names);
  return `${sentence}; ${t("replay.won", { name: winner, points: points(Number(count)) })}`;
}

/**
 * The same in a word or two, for a list in which the seat is written beside it.
 *
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
export function short(scene, names) {
  const key = `replay.short.${scene.tag}`;
  return hasText(key) ? filled(t(key), values(scene, names)) : told(scene, names);
}

/**
 * What comes next after an entry; empty where the record waits for nothing that has a name.
 *
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
export function next(scene, names) {
  const key = `replay.next.${scene.awaits}`;
  if (!hasText(key)) return "";
  const name = scene.to_act === null ? "" : names[scene.to_act];
  return name === "" && scene.awaits !== "opening" ? "" : t(key, { name });
}

/**
 * Milliseconds as minutes and seconds.
 *
 * @param {number} milliseconds
 */
export function time(milliseconds) {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const sign = milliseconds < 0 ? "−" : "";
  if (hours === 0) return `${sign}${minutes}:${two(seconds % 60)}`;
  return `${sign}${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
