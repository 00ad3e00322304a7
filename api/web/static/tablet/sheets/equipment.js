// Sheets about equipment, monitors, spectators and recordings.

/** @import { SheetContext } from "../../shared/types.js" */

import { actor, choice, note, number, seat, seats, several, yesNo } from "./fields.js";
import { form, keys, openSheet, options, words } from "./kit.js";

const ITEMS = /** @type {const} */ (["dice", "baffle_box", "cup", "clock", "board", "cube"]);

/**
 * Sheet: the equipment used at this table.
 *
 * @param {SheetContext} context
 */
export function openEquipment(context) {
  return openSheet(context, "equipment", (sheet) => {
    const item = choice(words("equipment_item"), options("equipment", ITEMS), { required: true });
    const count = number(words("equipment_count"), { most: 20 });
    const half = choice(words("equipment_half"), options("side", ["left", "right"]));
    const agreed = several(words("equipment_seats"), seats(context));
    const by = actor(context, words("equipment_by"), { among: ["both", "director"] });
    const detail = note(words("equipment_detail"));
    return form(sheet, { item, count, half, by, seats: agreed, detail }, "equipment.agreed");
  });
}

/**
 * Sheet: a piece of equipment is replaced.
 *
 * @param {SheetContext} context
 */
export function openReplaced(context) {
  return openSheet(context, "replaced", (sheet) => {
    const item = choice(words("equipment_item"), options("equipment", ITEMS), { required: true });
    const by = actor(context, words("replaced_by"), {
      among: ["both", "director"],
      required: true,
    });
    const between = yesNo(words("between_games"), { value: !context.table().in_game });
    const detail = note(words("replaced_detail"));
    return form(sheet, { item, by, between_games: between, detail }, "equipment.changed");
  });
}

/**
 * Sheet: a person is appointed to monitor the match.
 *
 * @param {SheetContext} context
 */
export function openMonitor(context) {
  return openSheet(context, "monitor", (sheet) => {
    const who = note(words("monitor_who"), { rows: 1 });
    const request = actor(context, words("monitor_request"));
    const powers = note(words("monitor_powers"), { rows: 1 });
    return form(sheet, { monitor: who, at_request_of: request, powers }, "monitor.appointed");
  });
}

/**
 * Sheet: a spectator said or did something that matters.
 *
 * @param {SheetContext} context
 */
export function openSpectator(context) {
  return openSheet(context, "spectator", (sheet) => {
    const kind = choice(
      words("spectator_kind"),
      options("spectator", ["spoke", "signalled", "pointed_out_error", "disturbed", "other"]),
      { required: true },
    );
    const by = actor(context, words("spectator_by"), { value: "spectator", required: true });
    const to = actor(context, words("spectator_to"));
    const detail = note(words("what_seen"));
    return form(sheet, { kind, by, to, detail }, (said) => ({
      tag: "spectator.reported",
      body: { ...said, by: said.by === "spectator" ? null : said.by },
    }));
  });
}

/**
 * Sheet: a player agrees or objects to a recording.
 *
 * @param {SheetContext} context
 */
export function openRecording(context) {
  return openSheet(context, "recording", (sheet) => {
    const who = seat(context, words("recording_who"), { required: true });
    const medium = choice(
      words("recording_medium"),
      options("medium", ["device", "video", "paper"]),
      { value: "device" },
    );
    const scope = note(words("recording_scope"), { rows: 1 });
    return [
      who.element,
      medium.element,
      scope.element,
      keys(words("recording_says"), options("recording", ["consented", "objected"]), (answer) => {
        if (!who.check()) return;
        const body = { seat: who.value(), medium: medium.value(), scope: scope.value() };
        sheet.record({ tag: `recording.${answer}`, body });
      }),
    ];
  });
}
