// All texts of persons in the match, each linked to its entry; printed in full.

import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { goTo } from "./details.js";
import { notesOn, spoken } from "./spoken.js";
import { told } from "./words.js";

/** @import { Scene } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function said(viewer) {
  const body = h("div");
  const section = h("section", { class: "card", id: "said" }, h("h2", null, t("words.title")), body);
  const draw = () => {
    const { scenes, showing } = viewer.match;
    const items = scenes
      .map((scene) => ({ scene, words: [...custody(viewer, scene), ...spoken(scene, viewer.setting.names)] }))
      .filter(({ words }) => words.length > 0)
      .map(({ scene, words }) => h("li", null, goTo(viewer, scene.version, "entry"), words));
    section.hidden = items.length === 0 && showing.cut === null;
    const notes = notesOn(showing).map((note) => h("p", { class: "muted shown-to" }, note));
    fill(body, ...notes, h("ol", { class: "all-said" }, items));
  };
  viewer.listen((what) => {
    if (what === "match") draw();
  });
  draw();
  return section;
}

/**
 * The sentence of an entry about the record itself, which cannot be stepped to.
 *
 * @param {Viewer} viewer
 * @param {Scene} scene
 */
function custody(viewer, scene) {
  return scene.is_custody ? [h("p", null, `${told(scene, viewer.setting.names)}.`)] : [];
}
