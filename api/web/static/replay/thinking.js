// How long decisions took: totals of each player, and the slowest decisions with links.

import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { goTo } from "./details.js";
import { decimals } from "./words.js";

/** @import { Viewer } from "./viewer.js" */

/** How many of the slowest decisions are listed. */
const LISTED = 10;

/** Milliseconds as seconds with one decimal. @param {number} ms */
const seconds = (ms) => decimals(ms / 1_000, 1);

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function thinking(viewer) {
  const body = h("div");
  const section = h("section", { class: "card", id: "thinking" }, h("h2", null, t("replay.thinking")), body);
  const draw = () => {
    section.hidden = viewer.match.thinking.length === 0;
    fill(body, ...told(viewer));
  };
  viewer.listen((what) => {
    if (what === "match") draw();
  });
  draw();
  return section;
}

/** @param {Viewer} viewer */
function told(viewer) {
  const { match, setting } = viewer;
  const seats = /** @type {const} */ (["one", "two"]);
  const sums = seats.map((seat) => {
    const all = match.thinking.filter((one) => one.seat === seat);
    // Doubles are listed separately: a decision not to double has no time of its own.
    const own = all.filter((one) => one.of !== "double");
    const doubles = all.filter((one) => one.of === "double");
    const sum = own.reduce((ms, one) => ms + one.took_ms, 0);
    const delay = own.reduce((ms, one) => ms + (one.delay_ms ?? 0), 0);
    const mean = own.length === 0 ? "–" : seconds(sum / own.length);
    const toDouble = doubles.reduce((ms, one) => ms + one.took_ms, 0) / doubles.length;
    const double = doubles.length === 0 ? "–" : `${seconds(toDouble)} (${doubles.length})`;
    return [String(own.length), mean, seconds(sum), delay === 0 ? "–" : seconds(delay), double];
  });
  // One column for each player, since four figures in a row are too wide for a phone.
  const rows = ["count", "mean", "sum", "delay", "double"].map((name, row) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, t(`replay.thinking_${name}`)),
      ...sums.map((own) => h("td", { class: "number" }, own[row])),
    ),
  );
  const slowest = [...match.thinking].sort((one, other) => other.took_ms - one.took_ms).slice(0, LISTED);
  return [
    h("p", { class: "muted" }, t("replay.thinking_about")),
    h(
      "table",
      null,
      h("thead", null, h("tr", null, h("td"), ...seats.map((seat) => h("th", { scope: "col" }, setting.names[seat])))),
      h("tbody", null, ...rows),
    ),
    h("h3", null, t("replay.thinking_slowest")),
    h(
      "ol",
      { class: "slowest" },
      slowest.map((one) =>
        h("li", null, goTo(viewer, one.version, "entry"), ` ${setting.names[one.seat]}: ${seconds(one.took_ms)}`),
      ),
    ),
  ];
}
