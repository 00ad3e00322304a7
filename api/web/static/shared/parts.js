// Loads modules on demand, with a message if that fails.

import { dialog, h } from "./dom.js";
import { request } from "./http.js";
import { t } from "./texts.js";

/**
 * Load a module; null, after a message to the scribe, if that fails.
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
 * Say that a module is missing. If the server answers, it has a newer version: offer to reload,
 * since entries and taps are kept. Without an answer do not, as a reload might fail.
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
