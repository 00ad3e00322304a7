// How the tablet calls things: players, turns, the end of a game.

import { joined, playWords } from "../record/notation.js";
import { t, hasText } from "../texts.js";

/** @import { BySeat, Entry, Seat, Table } from "../types.js" */

/**
 * What the players are called: their names where this device knows them, else their seats.
 * @param {readonly Entry[]} standing
 * @returns {BySeat<string>}
 */
export function namesOf(standing) {
  const opened = standing.find(({ tag }) => tag === "match.opened");
  const name = (/** @type {Seat} */ seat) => {
    const players = opened?.body.players?.[seat] ?? [];
    const known = players.map((/** @type {any} */ player) => player.name).filter(isText);
    return known.length > 0 ? known.join(" & ") : t(`common.player_${seat}`);
  };
  return { one: name("one"), two: name("two") };
}

/** Longer names are cut where they stand among other words. */
const BRIEF = 20;

/**
 * Names as headings, lines and keys say them.
 * @param {BySeat<string>} names
 * @returns {BySeat<string>}
 */
export function brief({ one, two }) {
  const cut = (/** @type {string} */ name) =>
    name.length <= BRIEF ? name : `${name.slice(0, BRIEF - 1).trimEnd()}…`;
  return { one: cut(one), two: cut(two) };
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value !== "";
}

/**
 * A committed value of the opening, such as the table; null where this device does not know it.
 * @param {readonly Entry[]} standing
 * @param {string} member
 * @returns {string | null}
 */
export function openingWord(standing, member) {
  const value = standing.find(({ tag }) => tag === "match.opened")?.body[member];
  return isText(value) ? value : null;
}

/**
 * Who has to do what, in words.
 * @param {Table} table
 * @param {BySeat<string>} names
 */
export function whatNext(table, names) {
  const seat = table.to_act;
  const name = seat === null ? "" : names[seat];
  if (table.awaits === "nothing") return t("tablet.next_nothing");
  if (table.awaits === "game" && table.ended === null) return t("tablet.next_first_game");
  const key = `tablet.next_${table.awaits}`;
  return seat === null && hasText(`${key}_nobody`) ? t(`${key}_nobody`) : t(key, { name });
}

/**
 * How a game ended, in words.
 * @param {NonNullable<Table["ended"]>} ended
 * @param {BySeat<string>} names
 */
export function howEnded(ended, names) {
  const values = { name: names[ended.winner], points: ended.points };
  const said = ended.points === 1 ? t("tablet.won_one", values) : t("tablet.won", values);
  const kind = ended.kind ? `tablet.kind_${ended.kind}` : "";
  return hasText(kind) ? `${said} (${t(kind)})` : said;
}

/**
 * One line of the list of what happened.
 * @typedef {object} Line
 * @property {Entry} entry
 * @property {Seat | null} seat
 * @property {string} text
 * @property {boolean} isPlay whether it can be put right by tapping
 */

/** What is told by the line of another entry, or is about nothing at the table. */
const UNSAID = new Set([
  "dice.rolled", "dice.opening_rolled", "clock.pressed", "clock.set", "clock.started",
  "match.opened",
]);

/** Nouns of what a scribe has entered, or has to know of. */
const SAID = new Set([
  "break", "claim", "clock", "cube", "delay", "dice", "director", "dispute", "evidence", "game",
  "match", "moment", "penalty", "play", "player", "position", "resignation", "result", "ruling",
  "score", "start", "table",
]);

/** @param {Entry} entry */
function isSaid({ tag }) {
  return SAID.has(tag.split(".")[0]) && !UNSAID.has(tag);
}

/**
 * The last things that happened, latest first.
 * @param {readonly Entry[]} standing
 * @param {number} most
 * @returns {Line[]}
 */
export function lastLines(standing, most) {
  /** @type {Line[]} */
  const lines = [];
  for (let index = standing.length - 1; index >= 0 && lines.length < most; index -= 1) {
    const entry = standing[index];
    if (!isSaid(entry)) continue;
    const seat = whose(entry);
    const isPlay = entry.tag === "play.made" || isOnePlay(entry);
    const text = isPlay ? playLine(standing, index) : actLine(entry, seat);
    lines.push({ entry, seat, text, isPlay });
    if (entry.tag === "game.started") break;
  }
  return lines;
}

/** Whether a gap stands for one play, which can still be told. @param {Entry} entry */
function isOnePlay({ tag, body: { seat, count } }) {
  return tag === "play.unseen" && count === 1 && Boolean(seat);
}

/**
 * Whose line it is: who did it, or said so.
 * @param {Entry} entry
 * @returns {Seat | null}
 */
function whose({ body }) {
  return [body.seat, body.keeper, body.by].find((one) => one === "one" || one === "two") ?? null;
}

/**
 * What one tap on "undo" has just taken back, in words.
 * @param {Entry} entry
 * @param {BySeat<string>} names
 */
export function takenBack(entry, names) {
  return t("tablet.taken_back", { what: deed(entry, names) });
}

/**
 * That an entry is kept for the director, so that nobody enters it a second time.
 * @param {Entry} entry
 * @param {BySeat<string>} names
 */
export function notInMatch(entry, names) {
  return t("tablet.not_in_match", { what: deed(entry, names) });
}

/** @param {Entry} entry @param {BySeat<string>} names */
function deed(entry, names) {
  const seat = whose(entry);
  const isRoll = /^dice\.(rolled|opening_rolled)$/.test(entry.tag);
  const what = isRoll
    ? diceWords(entry)
    : entry.tag === "play.made" || isOnePlay(entry)
      ? movesWords(entry)
      : actLine(entry, seat);
  return seat === null ? what : `${names[seat]} ${what}`;
}

/** @param {readonly Entry[]} standing @param {number} index */
function playLine(standing, index) {
  const roll = standing.slice(Math.max(0, index - 12), index).findLast(({ tag }) =>
    /^dice\.(rolled|opening_rolled|rolled_early)$|^play\.(made|unseen)$/.test(tag),
  );
  return `${diceWords(roll)}: ${movesWords(standing[index])}`;
}

/** A play, or of a gap what was tapped. @param {Entry} play */
function movesWords({ tag, body: { moves = [], written } }) {
  if (tag === "play.unseen") return written ? `${written} …?` : t("tablet.did_play_unseen");
  return playWords(joined(moves)) || t("tablet.no_play");
}

/** @param {Entry | undefined} roll */
function diceWords(roll) {
  if (roll === undefined || roll.tag.startsWith("play.")) return "–";
  const { dice, one, two } = roll.body;
  const [first, second] = dice ?? [one, two];
  return `${Math.max(first, second)}${Math.min(first, second)}`;
}

/**
 * @param {Entry} entry
 * @param {Seat | null} seat who is named before it
 */
function actLine({ tag, body }, seat) {
  const name = tag.replace(".", "_");
  const keys = [`tablet.did_${name}`, `tablet.sheet_tag_${name}`];
  if (seat !== null) keys.unshift(`tablet.did_${name}_by`);
  const key = keys.find(hasText);
  const { one = "", two = "" } = body.score ?? {};
  return key === undefined ? tag : t(key, { number: body.number ?? "", one, two });
}
