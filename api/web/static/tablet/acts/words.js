// The tablet's words for players, turns, entries and ends of games.

import { otherSeat, seenBy } from "../../board/position.js";
import { joined, pathWords, playWords } from "../../fold/notation.js";
import { t, hasText } from "../../shared/texts.js";
import { earlyAnswer, isEarlyNext } from "./early.js";

/** @import { BySeat, Entry, Seat, Table } from "../../shared/types.js" */

/**
 * The names of the players; the seat if this device does not know a name.
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

/** Longer names are shortened within other text. */
const BRIEF = 20;

/**
 * Names shortened for headings, lines and keys.
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
 * A personal value of the opening, such as the table; null if this device does not know it.
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
  const flag = flagWords(table, names);
  if (flag !== null) return flag;
  const { early } = table;
  if (early !== null && isEarlyNext(table)) {
    const key = earlyAnswer(table) === null ? "echo.early_asked" : "echo.early_press";
    return t(key, { name: names[early.seat], dice: early.dice.join("") });
  }
  if (early !== null && table.roll_entry === early.entry_id && table.awaits === "play") {
    return t("echo.early_lies", { name, dice: early.dice.join("") });
  }
  if (table.awaits === "nothing") return t("tablet.next_nothing");
  if (table.awaits === "game" && table.ended === null) return t("tablet.next_first_game");
  const key = `tablet.next_${table.awaits}`;
  const next = seat === null && hasText(`${key}_nobody`) ? t(`${key}_nobody`) : t(key, { name });
  return table.played_on ? t("echo.played_on", { next }) : next;
}

/**
 * The words about a noticed flag. Whether it loses depends on the rule set, which only the server
 * knows.
 * @param {Table} table
 * @param {BySeat<string>} names
 * @returns {string | null} null if no flag was noticed, or the match is over
 */
function flagWords({ flag, known, awaits }, names) {
  if (known?.by === "flag" && known.winner !== null) {
    const rule = `${known.rule_set} ${known.section}`.trim();
    return t("echo.lost_on_time", { name: names[otherSeat(known.winner)], rule });
  }
  if (flag === null || awaits === "nothing") return null;
  if (known !== null && known.version >= flag.version) {
    return t(known.is_flag_open ? "echo.flag_open" : "echo.flag_play_on");
  }
  const { whose } = flag.body;
  const isOne = whose === "one" || whose === "two";
  return isOne ? t("echo.flag_said", { name: names[/** @type {Seat} */ (whose)] }) : t("echo.flag_said_unknown");
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
 * One line of the list of recent entries.
 * @typedef {object} Line
 * @property {Entry} entry
 * @property {Seat | null} seat
 * @property {string} text
 * @property {boolean} isPlay whether it can be corrected by tapping
 */

/** Tags without a line: the running clock shows a press, the heading shows the opening. */
const UNSAID = new Set(["clock.pressed", "match.opened"]);

/** Nouns of entries that a scribe has made, or has to know. */
const SAID = new Set([
  "break", "claim", "clock", "cube", "delay", "dice", "director", "dispute", "equipment", "evidence",
  "forfeit", "game", "handling", "match", "moment", "monitor", "penalty", "play", "player",
  "position", "preference", "recording", "resignation", "result", "ruling", "sanction", "score",
  "slow_play", "spectator", "start", "table", "testimony", "turn",
]);

/** @param {Entry} entry */
function isSaid({ tag }) {
  return SAID.has(tag.split(".")[0]) && !UNSAID.has(tag);
}

/** Tags of acts after which a roll still waits for its play. */
const BESIDE = /^(clock|director|moment)\./;

/**
 * Whether a roll gets a line of its own: not while it waits for its play, nor if the line of its
 * play contains it.
 * @param {readonly Entry[]} standing
 * @param {number} index
 */
function isRollSaid(standing, index) {
  const { tag, body } = standing[index];
  if (tag === "dice.opening_rolled" && body.one === body.two) return true;
  if (tag !== "dice.rolled" && tag !== "dice.opening_rolled") return true;
  const next = standing.slice(index + 1).find((entry) => !BESIDE.test(entry.tag));
  return next !== undefined && next.tag !== "play.made" && !isOnePlay(next);
}

/**
 * Lines for the last entries, latest first.
 * @param {Table} table
 * @param {number} most
 * @param {BySeat<string>} names
 * @returns {Line[]}
 */
export function lastLines(table, most, names) {
  const { standing } = table;
  /** @type {Line[]} */
  const lines = [];
  for (let index = standing.length - 1; index >= 0 && lines.length < most; index -= 1) {
    const entry = standing[index];
    if (!isSaid(entry) || !isRollSaid(standing, index)) continue;
    const seat = whose(entry);
    const isPlay = entry.tag === "play.made" || isOnePlay(entry);
    const text = isPlay ? playLine(table, index) : actLine(entry, seat, standing, names);
    lines.push({ entry, seat, text, isPlay });
    if (entry.tag === "game.started") break;
  }
  return lines;
}

/** Whether a gap stands for one play, which can still be entered. @param {Entry} entry */
function isOnePlay({ tag, body: { seat, count } }) {
  return tag === "play.unseen" && count === 1 && Boolean(seat);
}

/**
 * The player of a line: who acted, or said so.
 * @param {Entry} entry
 * @returns {Seat | null}
 */
function whose({ body }) {
  return [body.seat, body.keeper, body.by].find((one) => one === "one" || one === "two") ?? null;
}

/**
 * Words for what "undo" has just taken back.
 * @param {Entry} entry
 * @param {BySeat<string>} names
 */
export function takenBack(entry, names) {
  return t("tablet.taken_back", { what: deed(entry, names) });
}

/**
 * Words that an entry waits for the director, so that it is not entered again.
 * @param {Entry} entry
 * @param {BySeat<string>} names
 */
export function notInMatch(entry, names) {
  return t("tablet.not_in_match", { what: deed(entry, names) });
}

/** An act in words, with the player's name. @param {Entry} entry @param {BySeat<string>} names */
export function deed(entry, names) {
  const seat = whose(entry);
  const isRoll = /^dice\.(rolled|opening_rolled)$/.test(entry.tag);
  const what = isRoll
    ? diceWords(entry)
    : entry.tag === "play.made" || isOnePlay(entry)
      ? movesWords(entry)
      : actLine(entry, seat, [], names);
  return seat === null ? what : `${names[seat]} ${what}`;
}

/** @param {Table} table @param {number} index */
function playLine(table, index) {
  const { standing } = table;
  const entry = standing[index];
  const earlier = standing.slice(Math.max(0, index - 20), index);
  const at = earlier.findLastIndex(({ tag, body }) =>
    (/^dice\.(rolled|opening_rolled|rolled_early)$|^play\.(made|unseen)$/.test(tag) ||
      (/^(position\.stated|ruling\.carried_out)$/.test(tag) && body.dice)) &&
    !(tag === "dice.rolled_early" && body.seat !== entry.body.seat),
  );
  const roll = earlier[at];
  // The line says if the roll replaced an early one.
  const early = earlier.slice(0, Math.max(0, at)).findLast(({ tag, body }) =>
    tag === "play.made" ? body.seat === entry.body.seat : tag === "dice.rolled_early",
  );
  const isAgain = roll?.tag === "dice.rolled" && early?.tag === "dice.rolled_early" && early.body.seat === roll.body.seat;
  const dice = isAgain
    ? t("echo.again", { dice: diceWords(roll), early: diceWords(early) })
    : diceWords(roll);
  return `${dice}: ${movesWords(entry, table)}`;
}

/** A play in notation with hits; for a gap, its taps. @param {Entry} play @param {Table} [table] */
function movesWords({ tag, body: { hits_not_lifted, moves = [], seat, written }, entry_id }, table) {
  if (tag === "play.unseen") return written ? `${written} …?` : t("entry.play.unseen.did");
  const board = table?.before(entry_id) ?? null;
  const told = board === null ? playWords(joined(moves)) : pathWords(seenBy(board, seat), moves, hits_not_lifted);
  return told || t("tablet.no_play");
}

/** @param {Entry | undefined} roll */
function diceWords(roll) {
  if (roll === undefined || roll.tag.startsWith("play.")) return "–";
  const { dice, one, two } = roll.body;
  const [first, second] = dice ?? [one, two];
  return `${Math.max(first, second)}${Math.min(first, second)}`;
}

/**
 * Milliseconds as minutes and seconds: "12:05", with a sign if negative.
 * @param {number} ms
 */
export function clockWords(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const sign = ms < 0 && seconds > 0 ? "−" : "";
  return `${sign}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Members of entries that a line adds to the name, and where the texts of their values are. */
const MORE = /** @type {Readonly<Record<string, readonly [string, string]>>} */ ({
  "claim.made": ["kind", "claim"],
  "clock.fault_noticed": ["kind", "clock_fault"],
  "clock.paused": ["reason", "clock_pause"],
  "clock.set": ["kind", "clock_kind"],
  "cube.gestured": ["kind", "gesture"],
  "cube.intent_stated": ["intent", "intent"],
  "delay.noted": ["kind", "delay"],
  "dice.lifted": ["dice", "lifted"],
  "dice.repositioned": ["act", "act"],
  "dice.voided": ["reason", "void"],
  "dispute.raised": ["topic", "topic"],
  "equipment.agreed": ["item", "equipment"],
  "equipment.changed": ["item", "equipment"],
  "evidence.attached": ["kind", "evidence"],
  "handling.noted": ["kind", "handling"],
  "match.next_started": ["next", "next"],
  "play.illegality_answered": ["answer", "illegality"],
  "play.illegality_noticed": ["class", "illegality"],
  "resignation.offered": ["level", "level"],
  "spectator.reported": ["kind", "spectator"],
  "turn.ended": ["method", "act"],
});

/**
 * The details of an entry after its name: reasons, amounts, players.
 * @param {Entry} entry
 * @param {BySeat<string>} names
 * @returns {(string | false | null | undefined)[]}
 */
function details({ tag, body }, names) {
  const [member, room] = MORE[tag] ?? [];
  const key = member ? `tablet.sheet_${room}_${String(body[member]).replaceAll(".", "_")}` : "";
  const word = hasText(key) ? t(key) : null;
  const name = (/** @type {unknown} */ who) => (who === "one" || who === "two" ? names[who] : null);
  const readings = body.readings ?? {};
  switch (tag) {
    case "break.started":
    case "break.ended":
    case "match.next_started":
      return [...(body.seats ?? []).map(name), word];
    case "claim.ruled":
      return [t(`tablet.sheet_claim_${body.holds ? "granted" : "denied"}`)];
    case "clock.flag_noticed":
      return [name(body.whose) ?? t(body.whose === "both" ? "tablet.sheet_actor_both" : "tablet.sheet_unknown")];
    case "clock.read":
      return ["one", "two"].map((seat) => readings[seat] != null && `${name(seat)} ${clockWords(readings[seat])}`);
    case "cube.stated":
      return [String(body.value), name(body.owner)];
    case "delay.noted":
      return [word, clockWords(body.excess_ms)];
    case "dice.voided":
      return [word, body.contested && t("tablet.sheet_void_is_contested"), name(body.caller)];
    case "game.won":
    case "match.ended": {
      const { one, two } = body.score ?? {};
      return [name(body.winner), body.points ?? (body.score && `${one}–${two}`)].map((one) => one && String(one));
    }
    case "match.length_believed":
      return [String(body.length)];
    case "match.length_error_found":
      return [`${body.wrong} → ${body.correct}`];
    case "clock.adjusted":
      return [t(`echo.time_${body.amount_ms < 0 ? "taken" : "given"}`, { time: clockWords(Math.abs(body.amount_ms)) })];
    case "penalty.assessed":
      return [t(body.enters_score ? "echo.points_in" : "echo.points", { points: body.points })];
    case "preference.rolled":
      return [name(body.winner)];
    default:
      return [word];
  }
}

/**
 * @param {Entry} entry
 * @param {Seat | null} seat the player named before it
 * @param {readonly Entry[]} [standing]
 * @param {BySeat<string>} [names]
 */
function actLine(entry, seat, standing = [], names = { one: "", two: "" }) {
  const { tag, body } = entry;
  const said = throwLine(entry, standing);
  const columns = seat === null ? ["did", "name"] : ["did_by", "did", "name"];
  const key = columns.map((column) => `entry.${tag}.${column}`).find(hasText);
  const { one = "", two = "" } = body.score ?? {};
  const what = said ?? (key === undefined ? tag : t(key, { number: body.number ?? "", one, two }));
  const more = details(entry, names).filter(Boolean).join(", ");
  return more === "" ? what : `${what}: ${more}`;
}

/**
 * The line of a throw with its dice, also a void, early or tied one; and of a mark on a call, which
 * means that the director is coming.
 * @param {Entry} entry
 * @param {readonly Entry[]} standing
 * @returns {string | null} null if the entry is none of these
 */
function throwLine(entry, standing) {
  const { tag, body } = entry;
  const about = standing.find(({ entry_id }) => entry_id === body.target);
  switch (tag) {
    case "moment.marked":
      return about?.tag === "director.called" ? t("echo.on_the_way") : null;
    case "dice.opening_rolled": {
      const { one, two } = body;
      return t(one === two ? "echo.tie" : "echo.opening", { one, two });
    }
    case "dice.rolled":
      return t("echo.rolls", { dice: diceWords(entry) });
    case "dice.rolled_early":
      return t("echo.rolls_early", { dice: diceWords(entry) });
    case "dice.early_roll_answered": {
      const early = about ?? standing.findLast((one) => one.tag === "dice.rolled_early");
      return t(`echo.early_${body.answer}`, { dice: diceWords(early) });
    }
    case "dice.voided": {
      const faces = (body.dice ?? []).filter((/** @type {unknown} */ die) => die !== null);
      if (about !== undefined) return t("echo.void", { dice: diceWords(about) });
      return faces.length > 0 ? t("echo.void", { dice: faces.join("") }) : null;
    }
    default:
      return null;
  }
}
