// The list of all findings in a match, each linked to its entry.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { sentence } from "../replay/words.js";
import { card, fold } from "./cards.js";
import { citedLine, isLoaded } from "./cited.js";
import { citationText } from "./words.js";

/** @typedef {import("./types").CaseView} CaseView */

/** A longer list is collapsed. */
const OPEN_AT_MOST = 5;

/**
 * @param {CaseView} view
 */
export function findingsCard(view) {
  const found = view.known.scenes.flatMap((scene) => scene.findings);
  if (found.length === 0) return card(t("panel.findings"), h("p", { class: "muted" }, t("panel.no_findings")));
  const list = h("ol", { class: "plain findings" }, found.map((one) => h("li", null, findingKey(view, one), isLoaded(one) && citedLine(one, view, `found ${one.version} ${one.code}`))));
  if (found.length <= OPEN_AT_MOST) return card(t("panel.findings"), list);
  return h(
    "section",
    { class: "card" },
    fold(view.kept, "findings", t("panel.findings_all", { n: found.length }), list),
  );
}

/**
 * @param {CaseView} view
 * @param {import("../replay/types").Finding} one
 */
function findingKey({ names, stand, scene }, one) {
  return h(
    "button",
    {
      type: "button",
      class: "quiet line",
      "aria-current": scene?.version === one.version ? "step" : null,
      on: { click: () => stand(one.version) },
    },
    h("span", { class: "number muted" }, String(one.version)),
    h("span", { class: "said" }, sentence(one.said, names), !isLoaded(one) && h("small", { class: "muted" }, " ", citationText(one))),
  );
}
