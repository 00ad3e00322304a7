// Addresses for other devices: QR picture, link and copy key; or why the server is not reachable.

import { h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { key } from "./cards.js";

/** The command that makes the server listen to the hall's network. */
const START = "tabularium serve --host 0.0.0.0";

/** @param {string} name */
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/**
 * A QR picture; or, if no other device can reach the server, what to do about that.
 *
 * @param {{ qr_svg: string | null, unreachable: string | null }} made
 */
export function picture(made) {
  if (made.unreachable !== null || made.qr_svg === null) return hereAlone(made.unreachable ?? "loopback");
  return h("img", { src: `data:image/svg+xml,${encodeURIComponent(made.qr_svg)}`, alt: t("room.qr_alt"), width: 260, height: 260 });
}

/**
 * The message that no other device can reach the server, and how to start it so that they can.
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
 * The addresses of a tournament's pages for other devices.
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
 * @param {string} [what] the page that the address leads to
 */
export function copyKey(url, what = "") {
  // Over plain http browsers offer no clipboard: the link can be copied by hand.
  if (!navigator.clipboard) return null;
  const button = key(t("tournament.copy"), async () => {
    await navigator.clipboard.writeText(url);
    button.textContent = t("tournament.copied");
  });
  if (what) button.setAttribute("aria-label", `${t("tournament.copy")}: ${what}`);
  return button;
}
