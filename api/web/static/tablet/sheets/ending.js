// Sheets about games that end early: resignations, claims, games agreed as won.

/** @import { Seat, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { otherSeat } from "../../board/position.js";
import { LEVELS } from "../../fold/past.js";
import { stated } from "./cube.js";
import { atTurn, entryOptions, latest } from "./entries.js";
import { actor, choice, note, number, seat, seats, yesNo } from "./fields.js";
import { form, keys, more, openSheet, options, recordKey, words } from "./kit.js";
import { h } from "../../shared/dom.js";

/**
 * Sheet: a resignation is offered with its level, or a waiting one is answered.
 *
 * @param {SheetContext} context
 */
export function openResignation(context) {
  return openSheet(context, "resignation", (sheet) => {
    const waits = context.table().resigning;
    if (waits !== null) {
      const answerer = otherSeat(waits.seat);
      const level = waits.level === null ? words("level_unsaid") : words(`level_${waits.level}`);
      return [
        h("p", { class: "about" }, words("resigns", { name: context.names[waits.seat], level })),
        keys(
          words("resignation_answer", { name: context.names[answerer] }),
          options("resignation", ["accepted", "refused"]),
          (answer) => sheet.record({ tag: `resignation.${answer}`, body: { seat: answerer } }),
        ),
      ];
    }
    const who = seat(context, words("resignation_who"), {
      value: atTurn(context),
      required: true,
    });
    /** @type {Option<string>[]} */
    const levels = [...options("level", LEVELS), ["unsaid", words("level_unsaid")]];
    return [
      who.element,
      keys(words("resignation_level"), levels, (level) => {
        if (!who.check()) return;
        const body = { seat: who.value(), level: level === "unsaid" ? null : level };
        sheet.record({ tag: "resignation.offered", body });
      }),
    ];
  });
}

const CLAIMS = /** @type {const} */ (["game", "game_and_match", "concede_match"]);
const WISHES = /** @type {const} */ (["settle_game", "cancel_and_replay_game"]);

/**
 * Sheet: a player claims a game or the match, or both want to end the game without playing on.
 *
 * @param {SheetContext} context
 */
export function openClaim(context) {
  return openSheet(context, "claim", (sheet) => {
    const kind = choice(words("claim_kind"), options("claim", [...CLAIMS, ...WISHES]), {
      required: true,
    });
    /** @type {Option<string>[]} */
    const all = [...seats(context), ["both", words("actor_both")]];
    const who = choice(words("claim_who"), all, { required: true });
    const level = choice(words("claim_level"), options("level", LEVELS));
    const agreed = yesNo(words("claim_agreed"));
    return form(sheet, { kind, seat: who, level, agreed }, ({ agreed: isAgreed, ...said }) => {
      const isBoth = said.seat === "both";
      return {
        tag: "claim.made",
        basis: isAgreed || isBoth ? "agreed" : "observed",
        body: isBoth ? { ...said, seat: null, seats: ["one", "two"] } : said,
      };
    });
  });
}

/**
 * Sheet: the opponent grants or refuses a claim. The director decides claims in the room.
 *
 * @param {SheetContext} context
 */
export function openClaimAnswer(context) {
  return openSheet(context, "claim_answer", (sheet) => {
    const claims = latest(context, ["claim.made"]);
    const first = claims[0];
    if (first === undefined) return [words("claim_none")];
    const target = choice(words("claim_which"), entryOptions(context, claims), {
      value: first.entry_id,
      required: true,
    });
    const claimer = /** @type {Seat | undefined} */ (first.body.seat);
    const by = actor(context, words("answered_by"), {
      among: ["both"],
      value: claimer === undefined ? "both" : otherSeat(claimer),
      required: true,
    });
    const says = note(words("reason"));
    return [
      target.element,
      by.element,
      says.element,
      keys(words("claim_holds"), options("claim", ["granted", "denied"]), (answer) => {
        if (![target.check(), by.check()].every(Boolean)) return;
        sheet.record({
          tag: "claim.ruled",
          body: {
            target: target.value(),
            holds: answer === "granted",
            by: by.value(),
            reason: says.value(),
          },
        });
      }),
    ];
  });
}

/**
 * Sheet: a game is won, as both say, although the record shows no end.
 *
 * @param {SheetContext} context
 */
export function openGameWon(context) {
  return openSheet(context, "game_won", (sheet) => {
    const winner = seat(context, words("winner"), { required: true });
    const cube = context.table().cube.value;
    const points = number(words("points"), { value: cube, least: 0, required: true });
    const kind = choice(words("level"), options("level", LEVELS), {
      value: "single",
      onChange: (level) => points.set(cube * (LEVELS.indexOf(level ?? "single") + 1)),
    });
    const how = note(words("game_won_how"), { rows: 1 });
    const agreed = stated();
    return [
      winner.element,
      kind.element,
      points.element,
      more(words("details"), agreed.element, how.element),
      recordKey(sheet, [winner, kind, points, agreed, how], () => ({
        tag: "game.won",
        basis: agreed.value() ?? "agreed",
        body: {
          winner: winner.value(),
          points: points.value(),
          kind: kind.value(),
          how: how.value(),
        },
      })),
    ];
  });
}
