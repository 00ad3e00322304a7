// The list of sections of a match's panel: what waits first, then the entry shown, then the rest.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { actKeys } from "./acts.js";
import { appealCard } from "./appeals.js";
import { branchesCard, tabletCard } from "./custody.js";
import { findingsCard } from "./findings.js";
import { momentCard } from "./moment.js";
import { noticesCard } from "./notices.js";
import { card, key } from "./cards.js";
import { penaltyCard } from "./penalties.js";
import { openQuestions, restingQuestions } from "./questions.js";
import { waitingCard } from "./waiting.js";
import { closingCard, windowsCard } from "./windows.js";

/**
 * @typedef {import("./types").CaseView} CaseView
 * @typedef {Node | null | undefined | false} Part
 * @typedef {object} Section
 * @property {"first" | "moment" | "rest"} area first = on top: what can be acted on now; moment =
 *   under the board: about the entry shown; rest = beside or below the board
 * @property {(view: CaseView) => Part | Part[]} draw
 */

/** All sections, from top to bottom in each area. @type {readonly Section[]} */
export const SECTIONS = [
  { area: "first", draw: waitingCard },
  {
    area: "first",
    draw: ({ context, match, known, kept }) => branchesCard(context, match, known.branches, known.entries, kept),
  },
  { area: "first", draw: openQuestions },
  { area: "first", draw: closingCard },
  { area: "first", draw: (view) => appealsCard(view, isOpen) },
  {
    area: "moment",
    draw: (view) => h("div", { class: "moment" }, momentCard(view.scene, entryOf(view), view.names, view)),
  },
  {
    area: "rest",
    draw: ({ context, match, known, names }) => noticesCard(context, match, known.scenes, names),
  },
  {
    area: "rest",
    draw: (view) => card(t("room.acts"), h("div", { class: "chips" }, actKeys(view, key))),
  },
  { area: "rest", draw: findingsCard },
  { area: "rest", draw: restingQuestions },
  {
    area: "rest",
    draw: ({ context, match, known }) => penaltyCard(context, match, known.penalties, known.entries),
  },
  {
    area: "rest",
    draw: ({ windows, names, stand }) => h("div", { class: "windows" }, windows && windowsCard(windows, names, stand)),
  },
  { area: "rest", draw: (view) => appealsCard(view, (appeal) => !isOpen(appeal)) },
  { area: "rest", draw: ({ context, match }) => tabletCard(context, match) },
];

/**
 * The parts of one area.
 *
 * @param {Section["area"]} area
 * @param {CaseView} view
 */
export function partsOf(area, view) {
  return SECTIONS.filter((one) => one.area === area)
    .flatMap(({ draw }) => draw(view))
    .filter((one) => one instanceof Node);
}

/** @param {CaseView} view */
const entryOf = ({ known, scene }) => known.entries.get(scene?.version ?? 0) ?? null;

/** @param {any} appeal */
const isOpen = (appeal) => appeal.announced === null && !appeal.is_refused;

/**
 * @param {CaseView} view
 * @param {(appeal: any) => boolean} isShown
 */
function appealsCard({ context, match, known }, isShown) {
  const shown = known.appeals.filter(isShown);
  return (
    shown.length > 0 &&
    card(
      t("room.appeals"),
      h(
        "ul",
        { class: "plain" },
        shown.map((appeal) => appealCard(context, match, appeal, known.entries.get(appeal.version ?? 0)?.entry_id ?? null)),
      ),
    )
  );
}
