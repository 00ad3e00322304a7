// Sheets about the score: stated anew, noted by a player, results reported, lengths believed.

/** @import { SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { actor, bySeat, choice, note, number, seat, seats, yesNo } from "./fields.js";
import { form, keys, openSheet, options, words } from "./kit.js";

/** The longest match that is played to points. */
const MOST = 1000;

/**
 * A score.
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
 * The score from here on, as both say it is.
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
 * The score as somebody kept it.
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
 * A player reports the result.
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
 * The match is said to be over.
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
 * What length a player believed the match had.
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
 * The match was played to a length that was not posted.
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
 * Players of this match began another one.
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
 * The checkers are set up for a game, where the big key of the screen does not offer it.
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
