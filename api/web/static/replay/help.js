// The dialog that lists the keys; loaded on demand.

import { dialog, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";

const KEYS = ["step", "turn", "game", "ends", "disputed", "error", "film", "position", "flip", "play", "help"];

/** Show the keys. */
export function help() {
  const items = KEYS.map((key) => h("li", null, t(`replay.key.${key}`)));
  return dialog(t("replay.keys_title"), () => [h("ul", { class: "keys" }, items)], {
    closeText: t("common.close"),
  });
}
