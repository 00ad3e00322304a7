// Sheets for the director: calls, marked moments, evidence, disputes, testimony.

/** @import { Act, Entry, SheetContext } from "../../shared/types.js" */
/** @import { Option } from "./kit.js" */

import { h } from "../../shared/dom.js";
import { lastMoment, waitingCalls, withdrawal } from "../acts/calls.js";
import { entryOptions, entryWords, recent } from "./entries.js";
import { actor, choice, note, seats, yesNo } from "./fields.js";
import { form, keys, more, notRecorded, openSheet, options, recordKey, words } from "./kit.js";

/** The usual reasons for calling the director. */
const CALLS = /** @type {const} */ ([
  "dice",
  "play",
  "cube",
  "clock",
  "score",
  "late",
  "conduct",
  "spectator",
  "equipment",
  "other",
]);

/**
 * Sheet: call the director, or withdraw the call. The reason is recorded as a note to the moment;
 * if a call waits already, a reason makes no second call.
 *
 * @param {SheetContext} context
 */
export function openCall(context) {
  return openSheet(context, "call", (sheet) => {
    const { standing } = context.table();
    const waiting = waitingCalls(standing);
    const [known] = waiting;
    const about = known ? known.body.about : lastMoment(standing)?.entry_id;
    const by = actor(context, words("call_by"));
    const call = (/** @type {typeof CALLS[number]} */ reason) => {
      /** @type {Act[]} */
      const acts = known ? [] : [{ tag: "director.called", body: { by: by.value(), about } }];
      if (about) acts.push({ tag: "moment.marked", body: { target: about, note: words(`call_${reason}`) } });
      sheet.record(...acts);
    };
    const reasons = keys(words("call_why"), options("call", CALLS), call);
    if (known === undefined) return [reasons, by.element];
    const calls = waiting.map((one) => withdrawKey(context, sheet, one));
    return about ? [...calls, reasons] : calls;
  });
}

/**
 * A waiting call, and the key that withdraws it.
 *
 * @param {SheetContext} context
 * @param {import("./kit.js").Sheet} sheet
 * @param {Entry} call
 */
function withdrawKey(context, sheet, call) {
  const by = seats(context).find(([seat]) => seat === call.body.by)?.[1];
  const said = by === undefined ? words("call_waits") : words("call_waits_by", { name: by });
  const withdraw = () => sheet.record(...withdrawal(context.table().standing, call));
  return h(
    "section",
    { class: "pair waiting-call", "aria-label": said },
    h("p", null, said),
    h("button", { type: "button", on: { click: withdraw } }, words("call_withdraw")),
  );
}

/**
 * Sheet: mark a moment, to come back to it later.
 *
 * @param {SheetContext} context
 */
export function openMark(context) {
  return openSheet(context, "mark", (sheet) => {
    const about = entryOptions(context, recent(context));
    const target = choice(words("mark_which"), about, {
      value: about[0]?.[0] ?? null,
      required: true,
    });
    const says = note(words("mark_note"), { rows: 3 });
    return form(sheet, { target, note: says }, "moment.marked");
  });
}

/** The largest file that the server accepts. */
const LARGEST_BYTES = 50_000_000;

/**
 * Sheet: a file as evidence; it is stored here and sent when the network allows.
 *
 * @param {SheetContext} context
 */
export function openEvidence(context) {
  return openSheet(context, "evidence", (sheet) => {
    const said = h("p", { class: "muted", role: "status" }, words("evidence_none"));
    const picker = (/** @type {string} */ accept, /** @type {boolean} */ isCamera) =>
      h("input", { type: "file", accept, capture: isCamera ? "environment" : null });
    const key = (/** @type {string} */ name, /** @type {HTMLElement} */ input) =>
      h("label", { class: "button file-key" }, words(name), input);
    const camera = picker("image/*", true);
    const file = picker("image/*,video/*,audio/*,application/pdf", false);
    /** @type {File | null} */
    let chosen = null;
    const kind = choice(
      words("evidence_kind"),
      options("evidence", ["photo", "video", "audio", "sheet", "other"]),
      { value: "photo", required: true },
    );
    for (const input of [camera, file]) {
      input.addEventListener("change", () => {
        chosen = input.files?.[0] ?? null;
        if (chosen === null) return;
        const kilobytes = Math.max(1, Math.round(chosen.size / 1000));
        said.textContent = words("evidence_chosen", { name: chosen.name, kilobytes });
      });
    }
    const source = note(words("evidence_source"), { rows: 1 });
    const about = entryOptions(context, recent(context));
    const which = choice(words("evidence_about"), about, { value: about[0]?.[0] ?? null });
    let isTaken = false;
    const attach = async () => {
      // Reading a large file takes time; another tap on the key means the same file.
      if (isTaken) return;
      if (chosen === null) {
        sheet.say(words("evidence_missing"));
        camera.focus();
        return;
      }
      if (chosen.size > LARGEST_BYTES) {
        sheet.say(words("evidence_large"));
        return;
      }
      if (!kind.check()) return;
      isTaken = true;
      try {
        const sha256 = await context.outbox.attach(chosen);
        await sheet.record({
          tag: "evidence.attached",
          body: {
            file: sha256,
            kind: kind.value(),
            size_bytes: chosen.size,
            source: source.value(),
            about: which.value(),
          },
        });
      } catch (error) {
        sheet.say(notRecorded(error));
      } finally {
        isTaken = false;
      }
    };
    return [
      h(
        "div",
        { class: "pair" },
        key("evidence_camera", camera),
        key("evidence_file", file),
      ),
      said,
      kind.element,
      which.element,
      source.element,
      h(
        "div",
        { class: "sheet-foot" },
        h("button", { type: "button", class: "primary", on: { click: attach } }, words("record")),
      ),
    ];
  });
}

/** The usual topics of disputes, in the record's words. */
const TOPICS = /** @type {const} */ ([
  "dice.validity",
  "dice.early",
  "turn.end",
  "window.play",
  "play.change",
  "start.position",
  "cube.sign",
  "cube.double",
  "clock.flag",
  "clock.fault",
  "score.record",
  "resignation.validity",
  "claim.validity",
]);

/**
 * Sheet: the players disagree. The record is frozen at what both accept.
 *
 * @param {SheetContext} context
 */
export function openDispute(context) {
  return openSheet(context, "dispute", (sheet) => {
    const by = actor(context, words("dispute_by"), { required: true });
    /** @type {Option<string>[]} */
    const topics = TOPICS.map((topic) => [topic, words(`topic_${topic.replace(".", "_")}`)]);
    const topic = choice(words("dispute_topic"), topics);
    const accepted = entryOptions(context, recent(context));
    const frozen = choice(words("dispute_frozen"), accepted, {
      value: accepted[0]?.[0] ?? null,
    });
    const says = seats(context).map(
      ([seat, name]) => /** @type {const} */ ([seat, note(words("dispute_says", { name }))]),
    );
    const fields = [by, topic, frozen, ...says.map(([, field]) => field)];
    return [
      by.element,
      topic.element,
      frozen.element,
      h("div", { class: "pair" }, says.map(([, field]) => field.element)),
      recordKey(sheet, fields, () => ({
        tag: "dispute.raised",
        body: {
          by: by.value(),
          frozen_at: frozen.value(),
          topic: topic.value(),
          readings: says
            .filter(([, field]) => field.value() !== null)
            .map(([seat, field]) => ({ by: seat, says: field.value() })),
        },
      })),
    ];
  });
}

/**
 * Sheet: the testimony of a person.
 *
 * @param {SheetContext} context
 */
export function openTestimony(context) {
  return openSheet(context, "testimony", (sheet) => {
    const role = actor(context, words("testimony_role"), {
      required: true,
      among: ["director", "monitor", "spectator", "official"],
    });
    const says = note(words("testimony_says"), { rows: 4, required: true });
    const request = actor(context, words("testimony_request"));
    const about = choice(words("evidence_about"), entryOptions(context, recent(context)));
    const sealed = yesNo(words("testimony_sealed"), { value: false, required: true });
    return [
      role.element,
      says.element,
      more(words("details"), request.element, about.element, sealed.element),
      recordKey(sheet, [role, says, request, about, sealed], () => ({
        tag: "testimony.given",
        body: {
          role: role.value(),
          says: says.value(),
          at_request_of: request.value(),
          about: about.value(),
          sealed: sealed.value() || null,
        },
      })),
    ];
  });
}

/**
 * Sheet: something on the table was touched before or during a dispute.
 *
 * @param {SheetContext} context
 */
export function openDisturbed(context) {
  return openSheet(context, "disturbed", (sheet) => {
    const what = choice(
      words("disturbed_what"),
      options("thing", ["dice", "checkers", "cube", "score", "clock"]),
      { required: true },
    );
    const by = actor(context, words("disturbed_by"), { required: true });
    const detail = note(words("what_seen"));
    const frozen = recent(context, 1)[0];
    return [
      frozen === undefined
        ? null
        : h("p", { class: "about" }, words("last_entry", { entry: entryWords(context, frozen) })),
      ...form(sheet, { what, by, detail }, "table.disturbed"),
    ];
  });
}
