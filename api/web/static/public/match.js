// The match page: steps in place, copies ids, and follows a live match.

import { announce, h, s } from "../shared/dom.js";
import { loadTexts, t } from "../shared/texts.js";
import { followLive } from "../shared/live.js";
import { shownNow, swap } from "./swap.js";
import { stepInPlace } from "./turns.js";

await loadTexts("public");

/** The icon for copying, drawn because not every font has such a sign. */
function copyIcon() {
  const icon = s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" });
  icon.append(s("path", { d: "M10.5 4.5v-2h-8v8h2M5.5 5.5h8v8h-8z" }));
  return icon;
}

/** Give each id a button that copies it. */
function offerCopies() {
  for (const code of document.querySelectorAll(".ids code")) {
    if (code.nextElementSibling !== null) continue;
    const { dataset } = /** @type {HTMLElement} */ (code);
    const what = dataset.what ?? code.closest("div")?.querySelector("dt")?.textContent ?? "";
    const label = t("public.copy", { what });
    const click = async () => {
      await navigator.clipboard.writeText(code.textContent ?? "");
      announce(t("public.copied"));
    };
    const button = h("button", { type: "button", class: "quiet", "aria-label": label, on: { click } }, copyIcon());
    // On insecure pages there is no clipboard: the id can be selected by hand.
    if (navigator.clipboard) code.after(button);
  }
}

/** Point all links and codes to the moment shown. */
function pointHere() {
  const { version, last } = shownNow();
  for (const [id, ending] of [
    ["picture", "board.png"],
    ["frame", "embed"],
  ]) {
    const link = document.getElementById(id);
    link?.setAttribute("href", `${location.pathname}/${ending}?at=${version}`);
  }
  const frame = document.getElementById("frame-code");
  if (frame !== null) frame.textContent = (frame.textContent ?? "").replace(/\/embed(\?at=\d+)?/, `/embed?at=${version}`);
  // At the end of the match, let the viewer choose where to start.
  const moment = version === last ? "" : `#v${version}`;
  document.getElementById("replay")?.setAttribute("href", `${location.pathname}/replay${moment}`);
  document.getElementById("permalink")?.setAttribute("href", `?at=${version}#board`);
  document.querySelector("#sheet [aria-current]")?.removeAttribute("aria-current");
  const act = document.getElementById(`v${version}`);
  act?.setAttribute("aria-current", "true");
  showInSheet(act);
  offerCopies();
}

/**
 * Scroll the score sheet to an act if the sheet has its own scrolling; the page does not move.
 *
 * @param {HTMLElement | null} act
 */
function showInSheet(act) {
  const record = document.querySelector(".record");
  if (act === null || record === null || record.scrollHeight <= record.clientHeight) return;
  const [inner, outer] = [act.getBoundingClientRect(), record.getBoundingClientRect()];
  record.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

/** Update the number of entries, and remove the seal, which was that of an earlier last entry. */
function countAnew() {
  const { last } = shownNow();
  const [count, entries] = ["record-count", "record-entries"].map((id) => document.getElementById(id));
  if (entries?.textContent === String(last)) return;
  count?.replaceChildren(t("public.record_sealed", { count: last }));
  entries?.replaceChildren(String(last));
  document.getElementById("record-seal")?.remove();
}

/**
 * The address of the part `now` of the page at a moment.
 *
 * @param {string} href
 */
function nowAt(href) {
  const url = new URL(href);
  url.searchParams.set("part", "now");
  url.searchParams.set("lang", document.documentElement.lang);
  url.hash = "";
  return url.href;
}

stepInPlace(nowAt, pointHere);
pointHere();

const status = document.getElementById("follow");
const stateAtFirst = shownNow().state;
if (status !== null) {
  followLive(status, async () => {
    const isAtEnd = !new URLSearchParams(location.search).has("at");
    const here = location.origin + location.pathname;
    const part = (/** @type {string} */ name) => `${here}?part=${name}&lang=${document.documentElement.lang}`;
    if (isAtEnd && (await swap(part("now"), ["now"]))) {
      announce(shownNow().words);
      countAnew();
    }
    await swap(part("sheet"), ["sheet"]);
    pointHere();
    // The match has begun or ended, so the rest of the page is outdated.
    if (isAtEnd && shownNow().state !== stateAtFirst) location.reload();
  });
}
