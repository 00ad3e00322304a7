// Windows: what may or must be corrected at the entry shown, by whom and until when.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { card, key } from "./cards.js";
import { citationText, wordText } from "./words.js";

/**
 * @param {any[]} windows lines of `GET …/windows`
 * @param {import("../shared/types").BySeat<string>} names
 * @param {(version: number) => void} stand
 */
export function windowsCard(windows, names, stand) {
  const open = windows.filter((one) => one.state === "open" || one.state === "asked");
  return h(
    "section",
    { class: "card" },
    h("h3", null, t("room.windows")),
    open.length === 0 && h("p", { class: "muted" }, t("room.no_windows")),
    open.map((one) => windowLine(one, names, stand)),
  );
}

/**
 * The card of corrections whose time runs out soon; null if there are none.
 *
 * @param {import("./types").CaseView} view
 */
export function closingCard({ closing, names, stand }) {
  const open = closing.filter((one) => one.state === "open" || one.state === "asked");
  return (
    open.length > 0 &&
    card(t("panel.closing"), h("div", { class: "closing" }, open.map((one) => windowLine(one, names, stand))))
  );
}

/**
 * @param {any} one
 * @param {import("../shared/types").BySeat<string>} names
 * @param {(version: number) => void} stand
 */
function windowLine(one, names, stand) {
  const limits = [
    one.by && t("room.by_whom", { who: wordText(one.by) }),
    one.until && t("room.until", { what: wordText(one.until) }),
  ].filter(Boolean);
  return h(
    "div",
    { class: "question" },
    h(
      "p",
      null,
      h("strong", null, wordText(one.what)),
      one.seat ? ` · ${names[/** @type {import("../shared/types").Seat} */ (one.seat)]}` : "",
      ` · ${one.must ? t("room.must") : t("room.may")}`,
    ),
    limits.length > 0 && h("p", null, limits.join(", ")),
    h("p", { class: "muted" }, citationText(one)),
    key(t("room.entry_n", { n: one.entry }), () => stand(one.entry)),
  );
}
