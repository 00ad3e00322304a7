// All findings of the match, linked to their entries, and how another rule set differs.

import { fill, h } from "../shared/dom.js";
import { rulesCalled } from "../shared/rules_called.js";
import { t } from "../shared/texts.js";
import { contrast, finding, goTo } from "./details.js";

/** @import { Viewer } from "./viewer.js" */

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function findings(viewer) {
  const body = h("div", { class: "all-findings" });
  const draw = () => fill(body, ...contrasts(viewer), ...all(viewer));
  viewer.listen((what) => {
    if (what === "match") draw();
  });
  draw();
  return h("section", { class: "card", id: "findings" }, h("h2", null, t("replay.findings_all")), body);
}

/** @param {Viewer} viewer */
function contrasts(viewer) {
  const { match, setting } = viewer;
  if (match.rule_set === setting.pinned) return [];
  const rules = rulesCalled(match.rule_set);
  const against = rulesCalled(setting.pinned);
  if (match.contrasts.length === 0) {
    // Entries held back may still differ, so agreement cannot be claimed.
    if (match.held_back !== null) return [];
    return [h("p", null, t("replay.contrast_none", { rules, against }))];
  }
  const items = match.contrasts.map((one) =>
    h("li", null, goTo(viewer, one.version, "entry"), contrast(viewer, one)),
  );
  const count = match.contrasts.length;
  return [
    h("h3", null, t("replay.contrast_title", { rules, against })),
    h("p", { class: "muted" }, t(count === 1 ? "replay.contrast_one" : "replay.contrast_count", { count, against })),
    h("ul", { class: "contrast-list" }, items),
  ];
}

/** @param {Viewer} viewer */
function all(viewer) {
  const { match } = viewer;
  const found = [...match.scenes.flatMap((scene) => scene.findings), ...match.corrections];
  const none = match.held_back === null ? t("replay.findings_none") : t("replay.held_back");
  if (found.length === 0) return [h("p", { class: "muted" }, none)];
  found.sort((one, other) => one.version - other.version);
  const items = found.map((one) => {
    const item = finding(viewer, one);
    item.prepend(goTo(viewer, one.version, "entry"));
    return item;
  });
  return [h("h3", { title: match.rule_set }, rulesCalled(match.rule_set)), h("ul", { class: "findings" }, items)];
}
