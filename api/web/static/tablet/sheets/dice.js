// Sheets about dice: re-rolls, early rolls, dice lifted, moved aside or mixed, ends of turns.

/** @import { Dice, Entry, Seat, SheetContext } from "../../shared/types.js" */
/** @import { Option, Sheet } from "./kit.js" */

import { h } from "../../shared/dom.js";
import { amended } from "../acts/acts.js";
import { entryOptions, entryWords, latest, atTurn, byEntryId, offTurn, THROWS } from "./entries.js";
import { actor, choice, face, note, number, pairs, seat, seats, several, yesNo } from "./fields.js";
import { form, keys, more, openSheet, options, recordKey, words } from "./kit.js";
import { observed, thrown } from "./observation.js";

/** Reasons why a throw does not count, the usual ones first. */
const REASONS = /** @type {const} */ ([
  "cocked",
  "off_board",
  "on_floor",
  "wrong_side",
  "on_checker",
  "on_die",
  "on_bar",
  "vertical_support",
  "below_tops",
  "balanced",
  "disturbed",
  "premature",
  "not_a_legal_roll",
  "opening",
  "other",
]);

/**
 * The throw on the board, which "roll again" is about; null if it was not entered.
 *
 * @param {SheetContext} context
 * @returns {Entry | null}
 */
function rollInPlay(context) {
  const { dice, early, roll_entry } = context.table();
  const lying = [dice && roll_entry, early?.entry_id];
  // Dice stated with a position are no throw, and no earlier throw is meant either.
  return latest(context, THROWS).find(({ entry_id }) => lying.includes(entry_id)) ?? null;
}

/**
 * The dice that were stated with a position, and the amendment that leaves them out; null if no
 * such roll is in play, or if the director stated it.
 *
 * @param {SheetContext} context
 */
function statedRoll(context) {
  const { dice, roll_entry } = context.table();
  const stated = byEntryId(context, roll_entry);
  if (dice === null || stated?.tag !== "position.stated" || stated.basis === "ruled") return null;
  const { dice: _, ...body } = stated.body;
  return { dice, act: amended(stated, stated.tag, body, stated.basis) };
}

/**
 * Who threw, for `dice.voided`; null for an opening roll.
 *
 * @param {SheetContext} context
 * @param {Entry | null} roll
 * @returns {Seat | null}
 */
function thrower(context, roll) {
  if (roll !== null) return roll.body.seat ?? null;
  const table = context.table();
  return table.awaits === "opening" ? null : table.on_roll;
}

/**
 * Sheet: a throw does not count. A reason records it as agreed; "contested" opens the pictures.
 *
 * @param {SheetContext} context
 */
export function openVoid(context) {
  return openSheet(
    context,
    "void",
    (sheet) => {
      const roll = rollInPlay(context);
      const stated = roll === null ? statedRoll(context) : null;
      const record = (/** @type {string} */ reason) => {
        const seat = thrower(context, roll);
        const body = { seat, reason, dice: stated?.dice, target: roll?.entry_id, contested: false };
        sheet.record({ tag: "dice.voided", body }, ...(stated ? [stated.act] : []));
      };
      const contest = () => sheet.show(...contested(context, sheet, roll));
      return [
        h("p", { class: "about" }, rollWords(context, roll)),
        keys(words("void_why"), options("void", REASONS), record),
        h(
          "div",
          { class: "sheet-foot" },
          h("button", { type: "button", on: { click: contest } }, words("void_contested")),
        ),
      ];
    },
    "wide",
  );
}

/**
 * @param {SheetContext} context
 * @param {Entry | null} roll
 */
function rollWords(context, roll) {
  if (roll !== null) return words("void_of", { roll: entryWords(context, roll) });
  const who = thrower(context, null);
  return who === null
    ? words("void_opening_now")
    : words("void_now", { name: context.names[who] });
}

/** The value of the chip for a throw that was not entered. */
const NOT_ENTERED = "not-entered";

/**
 * The second page: how each die lay, in pictures, and who says what.
 *
 * @param {SheetContext} context
 * @param {Sheet} sheet
 * @param {Entry | null} roll
 * @returns {Node[]}
 */
function contested(context, sheet, roll) {
  const isOpening = () => {
    const chosen = byEntryId(context, which.value());
    if (chosen !== null) return chosen.tag === "dice.opening_rolled";
    return context.table().awaits === "opening";
  };
  /** @type {Option<string>[]} */
  const throws = [
    [NOT_ENTERED, words("void_not_entered")],
    ...entryOptions(context, latest(context, THROWS)),
  ];
  const which = choice(words("void_which"), throws, {
    value: roll?.entry_id ?? NOT_ENTERED,
    required: true,
  });
  const reason = choice(words("void_why"), options("void", REASONS), { required: true });
  const isContested = yesNo(words("void_is_contested"), { value: true });
  const caller = actor(context, words("void_caller"));
  /** @type {Option<string>[]} */
  const dice = [
    ["both", words("void_both")],
    ["die_of_one", words("void_die_of", { name: context.names.one })],
    ["die_of_two", words("void_die_of", { name: context.names.two })],
  ];
  const scope = choice(words("void_scope"), dice);
  const lay = observed();
  const how = thrown();
  const says = note(words("void_note"));
  const fields = [which, reason, isContested, caller, lay, scope, how, says];
  return [
    lay.element,
    reason.element,
    h("div", { class: "pair" }, isContested.element, caller.element),
    which.element,
    more(words("void_more"), scope.element, how.element, says.element),
    recordKey(sheet, fields, () => {
      const target = which.value() === NOT_ENTERED ? null : which.value();
      const chosen = byEntryId(context, target);
      const { faces, observations } = lay.value();
      return {
        tag: "dice.voided",
        body: {
          seat: isOpening() ? null : thrower(context, chosen),
          reason: reason.value(),
          // If the throw was entered, its own entry has the faces.
          dice: chosen === null && faces.some((one) => one !== null) ? faces : null,
          target,
          caller: caller.value(),
          contested: isContested.value(),
          scope: scope.value() === "both" ? null : scope.value(),
          throw: how.value(),
          observations,
          note: says.value(),
        },
      };
    }),
  ];
}

/** The answers to an early roll. */
const ANSWERS = /** @type {const} */ (["stands", "redone", "only_warned", "no_comment"]);

/**
 * Sheet: dice thrown before the opponent's turn had ended, and the answer to it.
 *
 * @param {SheetContext} context
 */
export function openEarlyRoll(context) {
  return openSheet(context, "early", (sheet) => {
    const who = seat(context, words("who_rolled"), { value: offTurn(context), required: true });
    const record = async (/** @type {Dice} */ faces) => {
      if (!who.check()) return;
      const body = { seat: who.value(), dice: faces };
      const entries = await sheet.keep({ tag: "dice.rolled_early", body });
      const roll = entries?.[0];
      if (roll !== undefined) sheet.show(...answers(context, sheet, roll));
    };
    return [who.element, pairs(words("early_faces"), record)];
  });
}

/**
 * Sheet: the answer to the early roll that waits for one, or to the last early roll.
 *
 * @param {SheetContext} context
 */
export function openEarlyAnswer(context) {
  return openSheet(context, "early_answer", (sheet) => {
    const roll = latest(context, ["dice.rolled_early"], 1)[0];
    if (roll === undefined) return [h("p", null, words("early_none"))];
    return answers(context, sheet, roll);
  });
}

/**
 * @param {SheetContext} context
 * @param {Sheet} sheet
 * @param {Entry} roll
 * @returns {Node[]}
 */
function answers(context, sheet, roll) {
  const answerer = roll.body.seat === "one" ? "two" : "one";
  const record = (/** @type {string} */ answer) =>
    sheet.record({
      tag: "dice.early_roll_answered",
      body: { answer, target: roll.entry_id, seat: answerer },
    });
  return [
    h("p", { class: "about" }, words("void_of", { roll: entryWords(context, roll) })),
    keys(
      words("early_said", { name: context.names[answerer] }),
      options("early", ANSWERS),
      record,
    ),
  ];
}

/**
 * Sheet: dice lifted early without being rolled.
 *
 * @param {SheetContext} context
 */
export function openLifted(context) {
  return openSheet(context, "lifted", (sheet) => {
    const who = seat(context, words("who_lifted"), { value: offTurn(context), required: true });
    const record = (/** @type {string} */ lifted) => {
      if (!who.check()) return;
      const body = { seat: who.value(), dice: lifted === "both" ? null : lifted };
      sheet.record({ tag: "dice.lifted", body });
    };
    return [who.element, keys(words("lifted_how"), options("lifted", ["both", "one"]), record)];
  });
}

/** What a hand does to dice. */
const HANDLING = /** @type {const} */ (["lifted_both", "lifted_one", "touched_die"]);

/**
 * Sheet: dice moved aside during the play.
 *
 * @param {SheetContext} context
 */
export function openRepositioned(context) {
  return openSheet(context, "repositioned", (sheet) => {
    const who = seat(context, words("who_did"), { value: atTurn(context), required: true });
    const act = choice(words("repositioned_act"), options("act", HANDLING));
    const announced = choice(
      words("announced"),
      options("announced", ["roll", "repositioning", "repositioning_and_roll"]),
    );
    const when = choice(words("announced_when"), options("when", ["before", "after"]));
    return form(sheet, { seat: who, act, announced, announced_when: when }, "dice.repositioned");
  });
}

/**
 * Sheet: how a player ended the turn, if not by the clock.
 *
 * @param {SheetContext} context
 */
export function openTurnEnded(context) {
  return openSheet(context, "turn_ended", (sheet) => {
    const who = seat(context, words("who_did"), { value: atTurn(context), required: true });
    const record = (/** @type {string} */ method) => {
      if (!who.check()) return;
      sheet.record({ tag: "turn.ended", body: { seat: who.value(), method } });
    };
    const methods = options("act", [...HANDLING, "tapped_bar", "pressed_clock"]);
    return [who.element, keys(words("turn_ended_how"), methods, record)];
  });
}

/**
 * Sheet: dice mixed and picked again.
 *
 * @param {SheetContext} context
 */
export function openMixed(context) {
  return openSheet(context, "mixed", (sheet) => {
    const demander = seat(context, words("mixed_demander"));
    const first = seat(context, words("mixed_first"));
    const aside = number(words("mixed_aside"), { most: 20 });
    return form(sheet, { demander, first, set_aside: aside }, ({ first: picker, ...said }) => {
      const picks = picker === null ? [] : [picker, picker === "one" ? "two" : "one"];
      return { tag: "dice.mixed", body: { ...said, picks } };
    });
  });
}

/**
 * Sheet: dice thrown for a preference before the start.
 *
 * @param {SheetContext} context
 */
export function openPreference(context) {
  return openSheet(context, "preference", (sheet) => {
    const items = several(
      words("preference_items"),
      options("preference", ["direction", "colour", "seat", "equipment"]),
      { required: true },
    );
    const one = face(words("face_of", { name: context.names.one }));
    const two = face(words("face_of", { name: context.names.two }));
    const winner = choice(words("preference_winner"), seats(context), { required: true });
    return form(sheet, { items, one, two, winner }, ({ one: first, two: second, ...said }) => {
      const isRead = first !== null && second !== null;
      return {
        tag: "preference.rolled",
        body: { ...said, dice: isRead ? { one: first, two: second } : null },
      };
    });
  });
}
