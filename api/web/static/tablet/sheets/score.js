// Sheets about the score: stated or noted scores, results, ends of matches, believed lengths.

/** @import { SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { actor, bySeat, choice, note, number, seat, seats, yesNo } from "./fields.js";
import { form, keys, openSheet, options, words } from "./kit.js";

/** The highest number of points that sheets accept. */
const MOST = 1000;

/**
 * A field for a score.
 *
 * @param {SheetContext} context
 * @param {boolean} required
 */
function scoreField(context, required) {
  const score = context.table().score;
  return bySeat(
    context,
    words("score"),
    (legend, value) => number(legend, { value, most: MOST, required }),
    { one: score.one, two: score.two },
  );
}

/**
 * Sheet: both state the score from here on.
 *
 * @param {SheetContext} context
 */
export function openScoreStated(context) {
  return openSheet(context, "score_stated", (sheet) => {
    const score = scoreField(context, true);
    const crawford = yesNo(words("score_crawford"), {
      value: context.table().crawford_played,
      required: true,
    });
    const reason = note(words("reason"), { rows: 1 });
    return form(sheet, { score, crawford_played: crawford, reason }, (said) => ({
      tag: "score.stated",
      basis: "agreed",
      body: { ...said, crawford_played: said.crawford_played || null },
    }));
  });
}

/**
 * Sheet: the score as a person noted it.
 *
 * @param {SheetContext} context
 */
export function openScoreNoted(context) {
  return openSheet(context, "score_noted", (sheet) => {
    const score = scoreField(context, true);
    const keeper = seat(context, words("score_keeper"));
    const kind = choice(
      words("score_sheet"),
      options("score", ["written", "display", "memory", "recording", "none"]),
      { value: "written", required: true },
    );
    const prescribed = yesNo(words("score_prescribed"));
    return form(sheet, { score, keeper, sheet: kind, kept_as_prescribed: prescribed }, (said) => ({
      tag: "score.noted",
      body: {
        ...said,
        score: said.sheet === "none" ? null : said.score,
        sheet: said.sheet === "written" ? null : said.sheet,
      },
    }));
  });
}

/**
 * Sheet: a player reports the result.
 *
 * @param {SheetContext} context
 */
export function openResult(context) {
  return openSheet(context, "result", (sheet) => {
    const table = context.table();
    const by = seat(context, words("result_by"), { required: true });
    const winner = seat(context, words("winner"), { value: table.winner });
    const score = scoreField(context, true);
    return form(sheet, { seat: by, winner, score }, "result.reported");
  });
}

/**
 * Sheet: the match has ended.
 *
 * @param {SheetContext} context
 */
export function openMatchEnded(context) {
  return openSheet(context, "match_ended", (sheet) => {
    const winner = seat(context, words("winner"), { value: context.table().winner });
    const score = scoreField(context, true);
    return form(sheet, { winner, score }, "match.ended");
  });
}

/**
 * Sheet: which length a player believed the match to have.
 *
 * @param {SheetContext} context
 */
export function openBelief(context) {
  return openSheet(context, "belief", (sheet) => {
    const who = seat(context, words("belief_who"), { required: true });
    const length = number(words("belief_length"), { least: 1, most: MOST, required: true });
    const own = note(words("belief_sheet"), { rows: 1 });
    return form(sheet, { seat: who, length, sheet: own }, "match.length_believed");
  });
}

/**
 * Sheet: the match was played to another length than the posted one.
 *
 * @param {SheetContext} context
 */
export function openLengthError(context) {
  return openSheet(context, "length_error", (sheet) => {
    const table = context.table();
    const wrong = number(words("length_wrong"), { least: 1, most: MOST, required: true });
    const correct = number(words("length_correct"), {
      value: table.length,
      least: 1,
      most: MOST,
      required: true,
    });
    const during = yesNo(words("length_during"), { value: table.in_game, required: true });
    const knowingly = yesNo(words("length_knowingly"));
    const by = actor(context, words("found_by"));
    return form(
      sheet,
      { wrong, correct, during_game: during, knowingly, found_by: by },
      "match.length_error_found",
    );
  });
}

/**
 * Sheet: players of this match began another one.
 *
 * @param {SheetContext} context
 */
export function openNext(context) {
  return openSheet(context, "next", (sheet) => {
    const kind = choice(words("next_kind"), options("next", ["next_round", "other_event"]));
    /** @type {Option<string>[]} */
    const all = [...seats(context), ["both", words("actor_both")], ["none", words("next_nobody")]];
    return [
      kind.element,
      keys(words("next_who"), all, (who) => {
        const begun = who === "both" ? ["one", "two"] : [who];
        sheet.record({
          tag: "match.next_started",
          body: { seats: who === "none" ? [] : begun, next: kind.value() },
        });
      }),
    ];
  });
}

/**
 * Sheet: the checkers are set up for a game; used if the screen's big key does not offer it.
 *
 * @param {SheetContext} context
 */
export function openGameStarted(context) {
  return openSheet(context, "game_started", (sheet) => {
    const next = context.table().game + 1;
    const which = number(words("game_number"), { value: next, least: 1, most: MOST });
    return form(sheet, { number: which }, "game.started");
  });
}
