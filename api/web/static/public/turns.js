// Steps from turn to turn without loading a new page, by the page's links or by arrow keys.

import { announce, byId } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { bringOnScreen } from "../shared/in_view.js";
import { shownNow, swap } from "./swap.js";

/** @type {Record<string, string>} */
const KEYS = {
  ArrowLeft: "way-previous",
  ArrowRight: "way-next",
  Home: "way-first",
  End: "way-last",
  j: "way-next",
  k: "way-previous",
};

/**
 * Make the links between turns work in place: *Next* announces the play, *Previous* its reversal.
 *
 * @param {(url: string) => string} partOf gives the address of the part for a link
 * @param {() => void} [shown] called when another moment is shown
 */
export function stepInPlace(partOf, shown = () => {}) {
  let line = Promise.resolve();

  /**
   * Queue steps, so that a key that is held down skips no turn.
   *
   * @param {() => HTMLAnchorElement | null} linkNow
   * @param {() => void} [then] called after the step
   */
  function queue(linkNow, then = () => {}) {
    line = line.then(async () => {
      const link = linkNow();
      if (link !== null && (await go(link))) then();
    });
  }

  /**
   * @param {HTMLAnchorElement} link
   * @returns {Promise<boolean>} whether this page now shows it
   */
  async function go(link) {
    const before = shownNow();
    const url = new URL(link.href);
    // Links name only a moment, so add the language of this page.
    const language = new URLSearchParams(location.search).get("lang");
    if (language !== null) url.searchParams.set("lang", language);
    if (!(await swap(partOf(url.href), ["now"]).catch(() => false))) {
      location.assign(url.href);
      return false;
    }
    history.replaceState(null, "", url.pathname + url.search);
    const now = shownNow();
    const isBack = now.version < before.version;
    announce(isBack ? t("public.taken_back", { words: before.words }) : now.words);
    shown();
    return true;
  }

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || !link.getAttribute("href")?.startsWith("?at=")) return;
    if (link.id === "permalink") return;
    event.preventDefault();
    // A clicked link may be far below the board; steps by key do not scroll.
    queue(() => link, () => bringOnScreen(byId("now")));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
    const id = KEYS[event.key];
    if (id === undefined) return;
    event.preventDefault();
    queue(() => {
      const link = document.getElementById(id);
      return link instanceof HTMLAnchorElement ? link : null;
    });
  });
}
