// The dice pad: one tap enters both dice; for the opening roll also who threw which.

import { h } from "../../shared/dom.js";
import { t } from "../../shared/texts.js";

/** @import { BySeat, Dice, Seat } from "../../shared/types.js" */

const FACES = [1, 2, 3, 4, 5, 6];

/**
 * The triangle of 21 pairs; `corner` is placed in its free corner.
 * @param {(dice: Dice) => void} pick
 * @param {HTMLElement} corner
 */
export function dicePad(pick, corner) {
  const keys = FACES.flatMap((high) =>
    FACES.slice(0, high).map((low) =>
      h(
        "button",
        {
          type: "button",
          class: ["throw", high === low && "doublet"],
          style: `grid-area: ${high} / ${low}`,
          "aria-label": `${high}${low}, ${t("tablet.roll", { high, low })}`,
          dataset: { dice: `${high}${low}` },
          on: { click: () => pick([high, low]) },
        },
        `${high}${low}`,
      ),
    ),
  );
  return h(
    "div",
    { class: "pad", role: "group", "aria-label": t("tablet.pad") },
    keys,
    corner,
  );
}

/**
 * The square of the opening roll: rows are the bottom player's die, columns the other's.
 * @param {(one: number, two: number) => void} pick
 * @param {Seat} bottom
 * @param {BySeat<string>} names
 */
export function openingPad(pick, bottom, names) {
  const top = bottom === "one" ? "two" : "one";
  const key = (/** @type {number} */ mine, /** @type {number} */ theirs) => {
    const winner = mine === theirs ? null : mine > theirs ? bottom : top;
    const says = winner ? t("tablet.begins", { name: names[winner] }) : t("tablet.tie");
    const thrown = `${names[bottom]} ${mine}, ${names[top]} ${theirs}`;
    const side = winner === null ? "tie" : winner === bottom ? "lower" : "upper";
    return h(
      "button",
      {
        type: "button",
        class: ["throw", side],
        style: `grid-area: ${mine} / ${theirs}`,
        "aria-label": `${mine}${theirs}, ${thrown}: ${says}`,
        dataset: { dice: `${mine}${theirs}` },
        on: { click: () => (bottom === "one" ? pick(mine, theirs) : pick(theirs, mine)) },
      },
      `${mine}${theirs}`,
    );
  };
  const keys = FACES.flatMap((mine) => FACES.map((theirs) => key(mine, theirs)));
  return h(
    "div",
    { class: "opening", role: "group", "aria-label": t("tablet.opening") },
    h("p", { class: "side upper" }, t("tablet.begins", { name: names[top] })),
    h("div", { class: "pad" }, keys),
    h("p", { class: "side lower" }, t("tablet.begins", { name: names[bottom] })),
    h("p", { class: "side tie" }, t("tablet.ties")),
  );
}
