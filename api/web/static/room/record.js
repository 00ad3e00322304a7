// The list of entries around the one shown, with the findings at each.

import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { sentence } from "../replay/words.js";
import { badge } from "./cards.js";
import { saidText } from "./words.js";

/** @typedef {import("./types").Known} Known */

/** How many entries are shown around the current one. */
const AROUND = 8;

/**
 * @param {HTMLElement} record
 * @param {Known} known
 * @param {import("../replay/types").Scene | undefined} at
 * @param {import("../shared/types").BySeat<string>} names
 * @param {(version: number) => void} stand
 */
export function drawRecord(record, known, at, names, stand) {
  const { scenes } = known;
  const index = at === undefined ? -1 : scenes.indexOf(at);
  const from = Math.max(0, Math.min(index - AROUND + 3, scenes.length - AROUND));
  fill(
    record,
    ...scenes.slice(from, from + AROUND).map((line) =>
      h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            class: ["quiet", "line", line.status === "retracted" && "undone"],
            "aria-current": line === at ? "step" : null,
            on: { click: () => stand(line.version) },
          },
          h("span", { class: "number muted" }, String(line.version)),
          h("span", { class: "said" }, saidText(line, names)),
          line.status !== "stands" && badge("", t(`room.${line.status}`)),
          line.marks.includes("freeze") && badge("warn", t("replay.mark.freeze")),
        ),
        line.findings.map((one) => h("p", { class: "found" }, sentence(one.said, names))),
      ),
    ),
  );
}
