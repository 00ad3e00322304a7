// A live match in the viewer: counts new entries, and shows them when the reader asks.

import { announce, h } from "../shared/dom.js";
import { keepLine } from "../shared/live.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { reasonOf } from "./words.js";

/** @import { Match } from "./types.js" */
/** @typedef {import("./viewer.js").Viewer} Viewer */

/**
 * The key that shows new entries; hidden while there are none. The board never moves by itself,
 * since the reader may be looking at it.
 *
 * @param {Viewer} viewer
 * @param {() => Promise<Match>} read fetches the match again, with the reader's choices
 * @returns {HTMLElement}
 */
export function goesOn(viewer, read) {
  const { log, match } = viewer.setting;
  const key = h("button", { type: "button", id: "news", class: "primary", hidden: true });
  /** Versions that the server has announced and that are not shown yet. @type {Set<number>} */
  const news = new Set();
  const last = () => viewer.match.scenes.at(-1)?.version ?? 0;

  function paint() {
    for (const version of news) if (version <= last()) news.delete(version);
    key.hidden = news.size === 0;
    key.textContent = t(news.size === 1 ? "replay.one_new" : "replay.some_new", { count: news.size });
  }

  keepLine(`/logs/${log}/matches/${match}/live`, last, {
    heard({ data }) {
      const isFirst = news.size === 0;
      news.add(JSON.parse(data).version);
      paint();
      // Announced only once: entries come every few seconds, and would interrupt a screen reader.
      if (isFirst && news.size > 0) announce(t("replay.match_goes_on"));
    },
  });
  key.addEventListener("click", async () => {
    const first = last() + 1;
    key.disabled = true;
    try {
      viewer.replace(await read());
      viewer.go(viewer.reader.momentOf(first));
    } catch (error) {
      tellRefusal(t("replay.failed", { reason: reasonOf(error) }));
    }
    key.disabled = false;
  });
  viewer.listen((what) => {
    if (what === "match") paint();
  });
  return key;
}
