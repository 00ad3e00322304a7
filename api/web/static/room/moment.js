// The card of the entry shown, with its texts: readings of a dispute, facts, decisions, reasons.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { foundText } from "../replay/found.js";
import { spoken } from "../replay/spoken.js";
import { sentence } from "../replay/words.js";
import { key } from "./cards.js";
import { citedLine } from "./cited.js";
import { withoutEmpty } from "./fields.js";
import { askAndRefresh } from "./forms.js";
import { questionLine } from "./questions.js";
import { citationText, saidText } from "./words.js";
import { append } from "./write.js";

/**
 * @typedef {import("../shared/types").BySeat<string>} Names
 */

/** Tags of entries that the room records and that can be taken back only here. */
const MISTAKABLE = new Set([
  ...["player.called", "player.arrived", "delay.noted", "forfeit.declared", "sanction.imposed"],
  ...["player.disqualified", "slow_play.warned", "clock.adjusted"],
  ...["match.ended", "score.stated", "result.posted", "result.corrected"],
]);

/**
 * Form: retract an entry that was recorded by mistake; it stays in the record but no longer counts.
 *
 * @param {import("./types").CaseView} view
 * @param {import("../replay/types").Scene} scene
 */
async function takeBack({ context, match, names }, scene) {
  await askAndRefresh(
    context,
    t("room.take_back"),
    [{ name: "reason", label: t("room.reason"), kind: "text" }],
    ({ reason }) =>
      append(context.log, match, [{ tag: "entry.retracted", body: withoutEmpty({ target: scene.entry_id, reason }) }]),
    { action: t("room.take_back"), lead: [h("p", null, h("strong", null, saidText(scene, names))), h("p", null, t("room.take_back_about"))] },
  );
}

/**
 * @param {import("../replay/types").Scene | undefined} scene
 * @param {any} entry the recorded entry with its disclosures
 * @param {Names} names
 * @param {import("./types").CaseView | null} [view] if given, questions come with their keys
 */
export function momentCard(scene, entry, names, view = null) {
  if (scene === undefined) return h("p", { class: "card muted" }, t("room.nothing_yet"));
  const found = foundText(scene);
  return h(
    "section",
    { class: "card" },
    h("h3", null, t("room.entry_cap", { n: scene.version })),
    h("p", null, saidText(scene, names)),
    found !== "" && h("p", { class: "muted how-found" }, `${t("replay.p.found")}: ${found}.`),
    ...spoken(scene, names),
    (entry?.body.references ?? []).map((/** @type {any} */ one) => h("p", { class: "muted" }, citationText(one))),
    entry?.body.rule && h("p", { class: "muted" }, citationText(entry.body.rule)),
    scene.findings.map((one) => foundLine(scene, one, names, view)),
    view && scene.status === "stands" && MISTAKABLE.has(scene.tag) && key(t("room.take_back"), () => takeBack(view, scene)),
  );
}

/**
 * A finding at the entry; a question comes with its keys, unless it is listed above anyway.
 *
 * @param {import("../replay/types").Scene} scene
 * @param {import("../replay/types").Finding} one
 * @param {Names} names
 * @param {import("./types").CaseView | null} view
 */
function foundLine(scene, one, names, view) {
  const question = view?.known.questions.find(
    ({ at, topic, seat, attention }) =>
      at === scene.entry_id &&
      topic === one.ruling_required?.topic &&
      seat === one.seat &&
      (attention === "note" || attention === "left"),
  );
  if (view && question) return questionLine(view, question);
  return h(
    "div",
    { class: "question" },
    h("p", null, sentence(one.said, names)),
    citedLine(one, view, `moment ${scene.version} ${one.code}`),
  );
}
