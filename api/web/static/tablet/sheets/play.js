// Sheets about plays: unseen, changed, said to be illegal, corrected; handling of checkers.

/** @import { Seat, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { h } from "../../shared/dom.js";
import { boardBefore, byEntryId, entryOptions, latest, atTurn } from "./entries.js";
import { mover } from "./boards.js";
import { actor, choice, dice, note, number, seat, seats, several } from "./fields.js";
import { keys, form, more, openSheet, options, recordKey, words } from "./kit.js";

const PLAYS = ["play.made"];

/**
 * Sheet: something was played and not seen.
 *
 * @param {SheetContext} context
 */
export function openUnseen(context) {
  return openSheet(context, "unseen", (sheet) => {
    /** @type {Option<string>[]} */
    const whose = [...seats(context), ["several", words("unseen_several")]];
    const count = number(words("unseen_count"), { least: 1, most: 999 });
    const spans = choice(words("unseen_spans"), options("unseen", ["plays", "games"]), {
      value: "plays",
      required: true,
    });
    return [
      keys(words("unseen_whose"), whose, (who) => {
        if (!count.check()) return;
        sheet.record({
          tag: "play.unseen",
          body: {
            seat: who === "several" ? null : who,
            spans: spans.value() === "plays" ? null : spans.value(),
            count: count.value(),
          },
        });
      }),
      h("p", { class: "muted" }, words("unseen_after")),
      more(words("details"), spans.element, count.element),
    ];
  });
}

/**
 * Fields to choose a play, and to play it again on the board before it.
 *
 * @param {SheetContext} context
 * @param {string} which the legend of the choice
 * @param {string} anew the legend of the board
 * @param {(entryId: string | null) => void} [onPick]
 */
function replayed(context, which, anew, onPick) {
  const plays = latest(context, PLAYS);
  const board = mover(context, anew);
  const begin = (/** @type {string | null} */ entryId) => {
    onPick?.(entryId);
    const play = byEntryId(context, entryId);
    const seatOf = /** @type {Seat | undefined} */ (play?.body.seat);
    board.begin(play === null ? null : boardBefore(context, play), seatOf ?? null);
  };
  const target = choice(which, entryOptions(context, plays), {
    value: plays[0]?.entry_id ?? null,
    required: true,
    onChange: begin,
  });
  begin(target.value());
  board.beside.prepend(target.element);
  const seatOf = () => /** @type {Seat} */ (byEntryId(context, target.value())?.body.seat);
  return { target, board, seatOf, isAny: plays.length > 0 };
}

/**
 * Sheet: the player changes the play just made.
 *
 * @param {SheetContext} context
 */
export function openRevised(context) {
  return openSheet(
    context,
    "revised",
    (sheet) => {
      const { target, board, seatOf, isAny } = replayed(
        context,
        words("revised_which"),
        words("revised_to"),
      );
      const reason = choice(
        words("revised_why"),
        options("revised", ["changed_mind", "early_roll", "illegal"]),
      );
      if (!isAny) return [words("play_none")];
      board.beside.append(reason.element);
      return [
        board.element,
        recordKey(sheet, [target, board, reason], () => ({
          tag: "play.revised",
          body: {
            seat: seatOf(),
            target: target.value(),
            moves: board.value(),
            reason: reason.value(),
          },
        })),
      ];
    },
    "wide",
  );
}

const CLASSES = /** @type {const} */ (["dice_or_pips", "unrelated", "hit_not_lifted"]);

/**
 * Sheet: somebody at the table says that a play was illegal.
 *
 * @param {SheetContext} context
 */
export function openIllegality(context) {
  return openSheet(context, "illegality", (sheet) => {
    const plays = latest(context, PLAYS);
    const target = choice(words("revised_which"), entryOptions(context, plays), {
      value: plays[0]?.entry_id ?? null,
      required: true,
    });
    const kind = choice(words("illegality_class"), options("illegality", CLASSES));
    const by = actor(context, words("noticed_by"));
    const known = choice(words("illegality_known"), entryOptions(context, latest(context, PLAYS)));
    if (plays.length === 0) return [words("play_none")];
    return [
      target.element,
      kind.element,
      by.element,
      more(words("details"), known.element),
      recordKey(sheet, [target, kind, by, known], () => ({
        tag: "play.illegality_noticed",
        body: {
          target: target.value(),
          class: kind.value(),
          noticed_by: by.value(),
          known_since: known.value(),
        },
      })),
    ];
  });
}

/**
 * Sheet: what was done about an illegal play.
 *
 * @param {SheetContext} context
 */
export function openIllegalityAnswer(context) {
  return openSheet(context, "illegality_answer", (sheet) => {
    const notices = latest(context, ["play.illegality_noticed"]);
    const target = notices[0];
    if (target === undefined) return [words("illegality_none")];
    const by = actor(context, words("answered_by"));
    return [
      by.element,
      keys(
        words("illegality_answer_how"),
        options("illegality", ["condoned", "demanded", "mandatory", "agreed_later"]),
        (answer) =>
          sheet.record({
            tag: "play.illegality_answered",
            body: { answer, target: target.entry_id, by: by.value() },
          }),
      ),
    ];
  });
}

/**
 * The entries after a play that may be undone with it.
 *
 * @param {SheetContext} context
 * @param {string | null} entryId
 */
function undoable(context, entryId) {
  const standing = context.table().standing;
  const at = standing.findIndex((entry) => entry.entry_id === entryId);
  const later = at < 0 ? [] : standing.slice(at + 1);
  const acts = later.filter((entry) => /^(dice|play|cube)\./.test(entry.tag));
  const field = several(words("corrected_undoes"), entryOptions(context, acts));
  return { field, isAny: acts.length > 0 };
}

/**
 * Sheet: an illegal play is corrected at the table.
 *
 * @param {SheetContext} context
 */
export function openCorrected(context) {
  return openSheet(
    context,
    "corrected",
    (sheet) => {
      let undone = undoable(context, null);
      const folded = h("div", null);
      const offer = (/** @type {string | null} */ entryId) => {
        undone = undoable(context, entryId);
        folded.replaceChildren(again.element, ...(undone.isAny ? [undone.field.element] : []));
      };
      const again = dice(words("corrected_dice"));
      const { target, board, isAny } = replayed(
        context,
        words("revised_which"),
        words("corrected_to"),
        offer,
      );
      const by = actor(context, words("corrected_by"), { value: "both" });
      if (!isAny) return [words("play_none")];
      const fields = [target, board, again, by];
      board.beside.append(by.element);
      return [
        board.element,
        more(words("details"), folded),
        recordKey(sheet, fields, () => ({
          tag: "play.corrected",
          body: {
            target: target.value(),
            moves: board.value(),
            dice: again.value(),
            undoes: undone.field.value(),
            by: by.value(),
          },
        })),
      ];
    },
    "wide",
  );
}

/**
 * Sheet: somebody objects to how a checker was handled.
 *
 * @param {SheetContext} context
 */
export function openHandling(context) {
  return openSheet(context, "handling", (sheet) => {
    const who = seat(context, words("who_did"), { value: atTurn(context), required: true });
    const kind = choice(
      words("handling_kind"),
      options("handling", ["two_hands", "opponents_turn", "not_offset", "other"]),
      { required: true },
    );
    const detail = note(words("what_seen"));
    return form(sheet, { seat: who, kind, detail }, "handling.noted");
  });
}
