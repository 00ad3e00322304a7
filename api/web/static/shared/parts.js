// Parts of the program that are fetched when they are first wanted, and what is said if they do not come.

import { dialog, h } from "./dom.js";
import { request } from "./http.js";
import { t } from "./texts.js";

/**
 * A part of the program; null where it does not come, which the scribe is told.
 *
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T | null>}
 */
export async function part(load) {
  try {
    return await load();
  } catch {
    await tellMissing();
    return null;
  }
}

/**
 * A server that answers has another version by now, and the page may be loaded anew: entries and taps
 * are kept. Without an answer that could take the page away.
 */
async function tellMissing() {
  const isThere = await request("/health", { cache: "no-store" }).then(({ ok }) => ok, () => false);
  const again = { type: "button", class: "primary", on: { click: () => location.reload() } };
  const body = h(
    "div",
    { class: "sheet-body" },
    h("p", null, t(isThere ? "tablet.part_newer" : "tablet.part_no_server")),
    isThere && h("div", { class: "sheet-foot" }, h("button", again, t("tablet.part_reload"))),
  );
  const look = { className: "tablet-sheet", closeText: t("common.close") };
  await dialog(t("tablet.part_missing"), () => [body], look);
}
