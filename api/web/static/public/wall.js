// The screen in the hall: updates itself, and turns pages if not everything fits on one.

import { askAgain } from "./asking_again.js";

const POLL_MS = 5_000;
const TURN_MS = 10_000;
/** After this time without an answer, the screen says that it is outdated. */
const OLD_MS = 60_000;

const wall = /** @type {HTMLElement} */ (document.getElementById("wall"));
const counter = /** @type {HTMLElement} */ (document.getElementById("wall-page"));

let heardAt = performance.now();
let page = 0;
/** @type {HTMLElement[][]} */
let pages = [];

/** Divide the lists into pages of whole lines, each with its heading. */
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

/** Show the current page, its number, and whether the content is outdated. */
function show() {
  const shown = new Set(pages[page] ?? []);
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (wall.querySelectorAll("section"))) {
    section.hidden = !shown.has(section);
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (section.querySelectorAll("li"))) line.hidden = !shown.has(line);
  }
  const isOld = performance.now() - heardAt > OLD_MS;
  counter.textContent = [isOld && wall.dataset.old, pages.length > 1 && `${page + 1} / ${pages.length}`].filter(Boolean).join(" · ");
}

/** The server's last HTML, before lines were hidden for pages. */
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
