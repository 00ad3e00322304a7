// Addresses for other devices: as a picture, a link and a copy, or why no other device reaches them.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { key } from "./cards.js";

/** What makes the server listen to the hall's network. */
const START = "tabularium serve --host 0.0.0.0";

/** @param {string} name */
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/**
 * A code as a picture to be scanned; words and what to do where no other device gets here by it.
 *
 * @param {{ qr_svg: string | null, unreachable: string | null }} made
 */
export function picture(made) {
  if (made.unreachable !== null || made.qr_svg === null) return hereAlone(made.unreachable ?? "loopback");
  return h("img", { src: `data:image/svg+xml,${encodeURIComponent(made.qr_svg)}`, alt: t("room.qr_alt"), width: 260, height: 260 });
}

/**
 * That no other device reaches the server, and how it is started so that they do.
 *
 * @param {string} why `loopback` or `no_network`
 */
function hereAlone(why) {
  return h(
    "div",
    { class: "here-alone stack", role: "note" },
    h("p", null, h("strong", null, t("reach.here_alone"))),
    h("p", null, t(`reach.${why}`)),
    h("p", null, h("code", null, START)),
    why === "loopback" ? h("p", { class: "muted" }, t("reach.proxy")) : null,
  );
}

/**
 * The pages of a tournament that are opened on other devices, with their addresses.
 *
 * @param {string} log
 */
export function linkLines(log) {
  const why = meta("hall-unreachable");
  const origin = meta("hall-origin");
  const pages = { wall: `/tournaments/${log}/wall`, public: `/tournaments/${log}` };
  return [
    h("h2", null, t("reach.links")),
    why === ""
      ? h(
          "ul",
          { class: "plain links" },
          Object.entries(pages).map(([name, path]) =>
            h(
              "li",
              null,
              h("div", null, t(`reach.${name}`)),
              h("div", { class: "row" }, h("span", { class: "wrap" }, origin + path), copyKey(origin + path, t(`reach.${name}`))),
            ),
          ),
        )
      : hereAlone(why),
  ];
}

/**
 * @param {string} url
 * @param {string} [what] what it is the address of
 */
export function copyKey(url, what = "") {
  // Over plain http the browser gives no clipboard: the link stands there to be marked by hand.
  if (!navigator.clipboard) return null;
  const button = key(t("tournament.copy"), async () => {
    await navigator.clipboard.writeText(url);
    button.textContent = t("tournament.copied");
  });
  if (what) button.setAttribute("aria-label", `${t("tournament.copy")}: ${what}`);
  return button;
}
