// Sheets about the cube: acts in detail, gestures, announcements, void acts, where it lies.

/** @import { Basis, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { CUBE_ACTS } from "../../fold/past.js";
import { entryOptions, latest, toAct } from "./entries.js";
import { actor, choice, note, seat, seats } from "./fields.js";
import { form, keys, more, openSheet, options, recordKey, words } from "./kit.js";

const PLACES = /** @type {const} */ (["own_side", "middle_of_bar", "opponents_side", "field"]);

/**
 * Sheet: a hand reached for, touched, lifted or put down the cube, or words suggested an act.
 *
 * @param {SheetContext} context
 */
export function openGesture(context) {
  return openSheet(context, "gesture", (sheet) => {
    const who = seat(context, words("who_did"), { value: toAct(context), required: true });
    const kind = choice(
      words("gesture_kind"),
      options("gesture", ["reach", "touch", "lift", "put", "words", "none"]),
      { required: true },
    );
    const put = choice(words("put_where"), options("place", PLACES));
    const announced = choice(words("announced_when"), options("when", ["before", "after"]));
    const said = note(words("gesture_said"), { rows: 1 });
    return form(
      sheet,
      { seat: who, kind, put, repositioning_announced: announced, words: said },
      "cube.gestured",
    );
  });
}

/**
 * Sheet: a player says what he does, or will do, with the cube.
 *
 * @param {SheetContext} context
 */
export function openIntent(context) {
  return openSheet(context, "intent", (sheet) => {
    const who = seat(context, words("who_said"), { value: toAct(context), required: true });
    const intent = choice(words("intent_what"), options("intent", ["double", "take", "drop"]), {
      required: true,
    });
    const when = choice(
      words("intent_when"),
      options("intent", ["now", "next_turn", "if_doubled"]),
      { value: "now", required: true },
    );
    return form(sheet, { seat: who, intent, when }, (said) => ({
      tag: "cube.intent_stated",
      body: { ...said, when: said.when === "now" ? null : said.when },
    }));
  });
}

/** How a cube act is made. */
const MEANS = /** @type {const} */ (["words", "placement", "both"]);

/** The tags that this sheet records, by the word of their key. */
const ACTS = /** @type {const} */ ({
  double: "cube.double_offered",
  take: "cube.double_taken",
  drop: "cube.double_dropped",
  beaver: "cube.beavered",
});

/**
 * Sheet: a double, take, drop or beaver whose manner matters: by words or by hand.
 *
 * @param {SheetContext} context
 */
export function openCubeAct(context) {
  return openSheet(context, "cube_act", (sheet) => {
    const who = seat(context, words("who_did"), { value: toAct(context), required: true });
    const means = choice(words("means"), options("means", MEANS));
    const put = choice(words("put_where"), options("place", PLACES));
    const record = (/** @type {keyof typeof ACTS} */ act) => {
      if (!who.check()) return;
      sheet.record({
        tag: ACTS[act],
        body: { seat: who.value(), means: means.value(), put: put.value() },
      });
    };
    const acts = /** @type {(keyof typeof ACTS)[]} */ (Object.keys(ACTS));
    return [
      who.element,
      means.element,
      put.element,
      keys(words("cube_act_what"), options("intent", acts), record),
    ];
  });
}

/**
 * Sheet: a beaver: the double is taken, turned once more and kept.
 *
 * @param {SheetContext} context
 */
export function openBeaver(context) {
  return openSheet(context, "beaver", (sheet) => [
    keys(words("beaver_who"), seats(context), (who) =>
      sheet.record({ tag: "cube.beavered", body: { seat: who } }),
    ),
  ]);
}

/**
 * Sheet: a cube act is declared void.
 *
 * @param {SheetContext} context
 */
export function openCubeVoid(context) {
  return openSheet(context, "cube_void", (sheet) => {
    const acts = latest(context, CUBE_ACTS);
    const target = choice(words("cube_void_which"), entryOptions(context, acts), {
      value: acts[0]?.entry_id ?? null,
      required: true,
    });
    const reason = choice(
      words("cube_void_why"),
      options("cube_void", ["crawford", "dead_cube", "after_roll", "not_owner", "other"]),
      { required: true },
    );
    const by = actor(context, words("found_by"));
    if (acts.length === 0) return [words("cube_void_none")];
    return form(sheet, { target, reason, found_by: by }, "cube.action_voided");
  });
}

/**
 * A field for the basis: agreed by both, or observed by the scribe.
 * @returns {import("./kit.js").Field<Basis | null>}
 */
export function stated() {
  /** @type {Basis} */
  const value = "agreed";
  /** @type {readonly Basis[]} */
  const all = [value, "observed"];
  return choice(words("stated_by"), options("stated", all), { value, required: true });
}

/** The values of the cube that sheets offer. */
const CUBE_VALUES = /** @type {const} */ ([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);

/** @returns {Option<number>[]} */
export function cubeValues() {
  return CUBE_VALUES.map((value) => [value, String(value)]);
}

/**
 * The options for where the cube lies: at either player, or in the middle.
 *
 * @param {SheetContext} context
 * @returns {Option<string>[]}
 */
export function cubeOwners(context) {
  return [["middle", words("cube_middle")], ...seats(context)];
}

/**
 * Sheet: the value and place of the cube, as agreed at the table.
 *
 * @param {SheetContext} context
 */
export function openCubeStated(context) {
  return openSheet(context, "cube_stated", (sheet) => {
    const cube = context.table().cube;
    const value = choice(words("cube_value"), cubeValues(), { value: cube.value, required: true });
    const owner = choice(words("cube_owner"), cubeOwners(context), {
      value: cube.owner ?? "middle",
      required: true,
    });
    const reason = note(words("reason"), { rows: 1 });
    const agreed = stated();
    const fields = [value, owner, agreed, reason];
    return [
      value.element,
      owner.element,
      more(words("details"), agreed.element, reason.element),
      recordKey(sheet, fields, () => ({
        tag: "cube.stated",
        basis: agreed.value() ?? "agreed",
        body: {
          value: value.value(),
          owner: owner.value() === "middle" ? null : owner.value(),
          reason: reason.value(),
        },
      })),
    ];
  });
}
