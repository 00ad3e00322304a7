// How the tablet calls things: players, turns, the end of a game.

import { playWords } from "../record/notation.js";
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

const SAID = /^(play|cube|game|resignation|claim|position)\.|^dice\.(voided|rolled_early)$/;

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
    if (!SAID.test(entry.tag)) continue;
    const { seat = null } = entry.body;
    const isPlay = entry.tag === "play.made";
    const text = isPlay ? playLine(standing, index) : actLine(entry);
    lines.push({ entry, seat, text, isPlay });
    if (entry.tag === "game.started") break;
  }
  return lines;
}

/** @param {readonly Entry[]} standing @param {number} index */
function playLine(standing, index) {
  const { body } = standing[index];
  const roll = standing.slice(Math.max(0, index - 12), index).findLast(({ tag }) =>
    /^dice\.(rolled|opening_rolled|rolled_early)$|^play\.made$/.test(tag),
  );
  return `${diceWords(roll)}: ${playWords(body.moves ?? []) || t("tablet.no_play")}`;
}

/** @param {Entry | undefined} roll */
function diceWords(roll) {
  if (roll === undefined || roll.tag === "play.made") return "–";
  const { dice, one, two } = roll.body;
  const [first, second] = dice ?? [one, two];
  return `${Math.max(first, second)}${Math.min(first, second)}`;
}

/** @param {Entry} entry */
function actLine({ tag, body }) {
  const key = `tablet.did_${tag.replace(".", "_")}`;
  return hasText(key) ? t(key, { number: body.number ?? "" }) : tag;
}
