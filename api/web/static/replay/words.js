// Entries in words, for lists and screen readers; twin of `api/html/entry_words.py`.

import { ApiProblem } from "../shared/http.js";
import { hasText, language, placed, t } from "../shared/texts.js";

/** @import { BySeat } from "../shared/types.js" */
/** @import { Act, Said, Scene } from "./types.js" */

/** Texts that a page with findings loads; in English none, since folds' sentences are English. */
export const SAYINGS = language === "en" ? [] : ["findings", "sections"];

/**
 * A text with its values filled in; a part in brackets is left out if a value of it is missing.
 *
 * @param {string} text
 * @param {Record<string, string>} values
 */
export function filled(text, values) {
  const kept = text.replace(/\[([^[\]]*)\]/g, (_, part) => {
    const names = [...part.matchAll(/\{(\w+)/g)].map((found) => found[1]);
    return names.every((name) => values[name]) ? part : "";
  });
  return placed(kept, values, () => "");
}

/**
 * The reason for a failure, in the reader's language.
 *
 * @param {unknown} error
 */
export function reasonOf(error) {
  if (error instanceof ApiProblem && error.status === 0) return t("common.no_answer");
  return error instanceof Error ? error.message : String(error);
}

/**
 * A number with so many decimals, with the decimal mark of the language.
 *
 * @param {number} value
 * @param {number} digits
 */
export const decimals = (value, digits) => value.toFixed(digits).replace(".", language === "de" ? "," : ".");

/**
 * The caption of a section, or the joined captions of several.
 *
 * @param {string} english
 */
export const captionText = (english) => english.split("; ").map((one) => t(one)).join("; ");

/**
 * A word of the record or of a rule set in the reader's language, if it has a text.
 *
 * @param {string | number} value
 */
export function word(value) {
  const key = `replay.word.${value}`;
  if (hasText(key)) return t(key);
  const words = String(value).replaceAll("_", " ");
  const numbered = /^(.+) (\d+)$/.exec(words);
  return numbered === null ? t(words) : t(`${numbered[1]} {n}`, { n: numbered[2] });
}

/**
 * A fold's sentence in the reader's language, else in English.
 *
 * @param {Said} said
 * @param {BySeat<string>} names
 * @returns {string}
 */
export function sentence({ text, facts, people, parts }, names) {
  const key = `replay.word.${text}`;
  const values = { ...facts };
  for (const [name, seat] of Object.entries(people)) values[name] = names[seat];
  for (const [name, part] of Object.entries(parts)) values[name] = sentence(part, names);
  return t(hasText(key) ? key : text, values);
}

/**
 * A number of points in words.
 *
 * @param {number} count
 */
export function points(count) {
  return count === 1 ? t("replay.points_1") : t("replay.points_n", { count });
}

/**
 * The person that a word of the record means.
 *
 * @param {string} who
 * @param {BySeat<string>} names
 */
export function person(who, names) {
  return who === "one" || who === "two" ? names[who] : t(`replay.actor.${who}`);
}

/**
 * @param {Act & { tag: string, target?: number | null }} act
 * @param {BySeat<string>} names
 * @returns {Record<string, string>}
 */
function values({ tag, facts, people, target = null }, names) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(facts)) found[name] = word(value);
  if (tag === "game.won") found.points = points(Number(facts.points));
  if (tag.startsWith("play.") && facts.play === "") found.play = t("replay.no_play");
  else if (tag === "play.made" && facts.play === undefined) found.play = t("replay.by_end");
  if (tag === "dispute.raised" && target) found.about = String(target);
  for (const [name, who] of Object.entries(people)) found[name] = person(who, names);
  return found;
}

/**
 * An entry as one sentence, without the full stop.
 *
 * @param {Act & { tag: string, target?: number | null }} act
 * @param {BySeat<string>} names
 */
export function told(act, names) {
  // Some tags have several sentences; the fact `says` chooses one.
  const key = ["entry", act.tag, "told", act.facts.says].filter(Boolean).join(".");
  if (!hasText(key)) return t("replay.unread");
  const said = filled(t(key), values(act, names));
  const sentence = said.charAt(0).toUpperCase() + said.slice(1);
  const { won, won_points: count } = act.facts;
  if (won === undefined) return sentence;
  const winner = person(String(won), names);
  return `${sentence}; ${t("replay.won", { name: winner, points: points(Number(count)) })}`;
}

/**
 * The same in a word or two, for lists that show the seat beside it.
 *
 * @param {Scene} scene
 * @param {BySeat<string>} names
 */
export function short(scene, names) {
  const key = `entry.${scene.tag}.short`;
  if (!hasText(key)) return told(scene, names);
  const said = values(scene, names);
  const reserve = scene.seat === null ? null : scene.clock?.reserve_ms[scene.seat] ?? null;
  // A press is shown by the time left on the clock, if that is known.
  if (scene.tag === "clock.pressed" && reserve !== null) {
    delete said.at;
    said.reserve = time(reserve);
  }
  return filled(t(key), said);
}

/**
 * What has to happen next after an entry, in words; empty if nothing.
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
