// The screen in the hall: renews itself, and turns its pages where not all fits on one.

import { askAgain } from "./asking_again.js";

const POLL_MS = 5_000;
const TURN_MS = 10_000;
/** After so long without an answer the screen says that it is old. */
const OLD_MS = 60_000;

const wall = /** @type {HTMLElement} */ (document.getElementById("wall"));
const counter = /** @type {HTMLElement} */ (document.getElementById("wall-page"));

let heardAt = performance.now();
let page = 0;
/** @type {HTMLElement[][]} */
let pages = [];

/** Put the lists on as many pages as the screen needs: each holds whole lines under their heading. */
function lay() {
  const sections = /** @type {HTMLElement[]} */ ([...wall.querySelectorAll("section")]);
  pages = [];
  for (const one of sections) one.hidden = true;
  for (const section of sections) {
    const lines = /** @type {HTMLElement[]} */ ([...section.querySelectorAll("li")]);
    section.hidden = false;
    let rest = lines;
    while (rest.length > 0) {
      for (const line of lines) line.hidden = true;
      let fitting = 0;
      for (const line of rest) {
        line.hidden = false;
        if (isTooHigh() && fitting > 0) {
          line.hidden = true;
          break;
        }
        fitting += 1;
      }
      pages.push([section, ...rest.slice(0, fitting)]);
      rest = rest.slice(fitting);
    }
    section.hidden = true;
  }
  page = Math.min(page, Math.max(0, pages.length - 1));
  show();
}

function isTooHigh() {
  return wall.scrollHeight > wall.clientHeight + 1 || document.documentElement.scrollHeight > innerHeight + 1;
}

/** Show one page, and on it what comes after in the same list order as far as it fits. */
function show() {
  const shown = new Set(pages[page] ?? []);
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (wall.querySelectorAll("section"))) {
    section.hidden = !shown.has(section);
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (section.querySelectorAll("li"))) line.hidden = !shown.has(line);
  }
  const isOld = performance.now() - heardAt > OLD_MS;
  counter.textContent = [isOld && wall.dataset.old, pages.length > 1 && `${page + 1} / ${pages.length}`].filter(Boolean).join(" · ");
}

/** What the server told last, before anything was folded away for the page that is shown. */
let served = wall.innerHTML;

lay();
document.fonts?.ready.then(lay);
addEventListener("resize", lay);
setInterval(() => {
  page = pages.length > 0 ? (page + 1) % pages.length : 0;
  show();
}, TURN_MS);
askAgain("wall", POLL_MS, {
  came: (fresh) => {
    heardAt = performance.now();
    if (fresh.innerHTML === served) return;
    served = fresh.innerHTML;
    wall.replaceChildren(...fresh.childNodes);
    lay();
  },
  gone: () => {
    served = "";
    wall.replaceChildren();
    lay();
  },
  same: () => {
    heardAt = performance.now();
  },
  lost: show,
});
