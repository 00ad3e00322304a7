// The page of a pack: shows what its seals prove, replays the case, and prints it.

import { byId, fill, h } from "../shared/dom.js";
import { language, loadTexts, t } from "../shared/texts.js";
import { details } from "../replay/details.js";
import { findings } from "../replay/findings.js";
import { listenToKeys, showKeys } from "../replay/keys.js";
import { list } from "../replay/list.js";
import { said } from "../replay/said.js";
import { notesOn } from "../replay/spoken.js";
import { stage } from "../replay/stage.js";
import { timeline } from "../replay/timeline.js";
import { Player, transport } from "../replay/transport.js";
import { Viewer } from "../replay/viewer.js";
import { SAYINGS, captionText, word } from "../replay/words.js";
import { binder } from "./binder.js";
import { agree, Broken, check, unsealed } from "./seals.js";

/** @import { Match } from "../replay/types.js" */
/** @import { BySeat } from "../shared/types.js" */

/**
 * The data of a pack's page.
 *
 * @typedef {object} Pack
 * @property {{ rule_set: string, title: string, is_blind: boolean, last: number, hidden: number[] }} case
 * @property {BySeat<string> | null} names
 * @property {Match} match
 * @property {{ what: string, version: number, seat: "one" | "two" | null, state: string, until: string | null, closed_by: number | null, section: string }[]} windows
 * @property {[string, string][]} sections
 * @property {string[][]} others
 * @property {Record<string, string>} files
 * @property {boolean} [hides_score]
 */

/** @param {string} id */
const dataOf = (id) => JSON.parse(byId(id).textContent ?? "");

/** Make `fetch` of texts read them from the page, since there is no server. */
function bringTexts() {
  const texts = dataOf("texts");
  globalThis.fetch = async (asked) => {
    const found = /\/texts\/(.+)\.json$/.exec(String(asked));
    const text = found === null ? undefined : texts[found[1]];
    return new Response(JSON.stringify(text ?? {}), { status: text === undefined ? 404 : 200 });
  };
}

/** Check the page, then show it. */
export async function start() {
  bringTexts();
  await loadTexts("replay", "words", "entry", "entry_told", "board", "case", "pack", "rules", ...SAYINGS);
  /** @type {Pack} */
  const pack = dataOf("pack");
  let found;
  let sealed;
  try {
    found = await check(pack.files);
    sealed = agree(found, pack.match.scenes);
  } catch (error) {
    const why = error instanceof Broken ? t(error.key, error.values) : String(error);
    seal("bad", h("strong", null, t("pack.bad")), h("p", null, why));
    return;
  }
  const isWhole = found.isSigned === true;
  seal(
    isWhole ? "good" : "part",
    h("strong", null, t(isWhole ? "pack.good" : "pack.unchecked_signature")),
    h("ul", null, found.lines.map(({ key, values }) => h("li", null, t(key, values)))),
    h("p", null, t("pack.compare"), " ", h("code", null, found.key)),
    h("p", { class: "muted" }, t("pack.proves")),
  );
  const names = pack.names ?? { one: t("case.seat_one"), two: t("case.seat_two") };
  show(pack, names);
  fill(byId("binder"), binder(pack, names, sealed));
  if (pack.case.is_blind) byId("seal").append(unsealing(found));
  document.documentElement.dataset["ready"] = "1";
}

/**
 * @param {"good" | "part" | "bad"} state
 * @param {...(HTMLElement)} told
 */
function seal(state, ...told) {
  const element = byId("seal");
  element.dataset["state"] = state;
  fill(element, ...told);
}

/**
 * @param {Pack} pack
 * @param {BySeat<string>} names
 */
function show(pack, names) {
  const { match } = pack;
  const viewer = new Viewer({ log: "", match: "", names, pinned: match.rule_set }, match);
  const player = new Player(viewer);
  const dispute = match.disputes.at(-1);
  viewer.reader.at = viewer.reader.momentOf(dispute?.frozen ?? Infinity);
  const other = language === "de" ? "en" : "de";
  const tools = h(
    "div",
    { class: "row tools unprinted" },
    h("button", { type: "button", id: "tool-flip", on: { click: () => viewer.flip() } }, t("replay.flip")),
    h("button", { type: "button", id: "tool-print", on: { click: () => window.print() } }, t("replay.print")),
    h("button", { type: "button", id: "tool-help", on: { click: () => void showKeys() } }, t("replay.help")),
    h("a", { href: `?lang=${other}`, lang: other }, t("pack.other_language")),
  );
  fill(
    byId("viewer"),
    header(pack, names),
    h(
      "div",
      { class: "viewer" },
      h("div", { class: "left" }, stage(viewer), transport(viewer, player), timeline(viewer), tools),
      h("div", { class: "right" }, details(viewer, { isAlone: true }), list(viewer)),
    ),
    windows(pack, names),
    said(viewer),
    others(pack),
    findings(viewer),
  );
  listenToKeys(viewer, player);
}

/**
 * The header: which case it is, and what is left out and why.
 *
 * @param {Pack} pack
 * @param {BySeat<string>} names
 */
export function header({ case: about, match, hides_score: score }, names) {
  const notes = notesOn(match.showing);
  if (score) notes.push(t("pack.readme_score"));
  if (about.hidden.length > 0) notes.push(t("pack.hidden", { versions: about.hidden.join(", ") }));
  return h(
    "header",
    { class: "match-head" },
    h("h1", null, t("case.title")),
    h("p", null, `${names.one} – ${names.two} · ${about.title} (${about.rule_set})`),
    h("p", { class: "muted" }, t("case.through", { n: about.last })),
    h("div", { id: "left-out" }, notes.map((note) => h("p", { class: "shown-to" }, note))),
  );
}

/**
 * What could be corrected at that time, and until when.
 *
 * @param {Pack} pack
 * @param {BySeat<string>} names
 */
function windows({ case: about, windows: found, sections }, names) {
  const row = (/** @type {Pack["windows"][number]} */ one) =>
    h(
      "tr",
      null,
      h("td", null, String(one.version)),
      h("td", null, t(`case.what_${one.what}`)),
      h("td", null, one.seat === null ? "" : names[one.seat]),
      h("td", null, t(`case.state_${one.state}`), one.closed_by === null ? "" : ` (${one.closed_by})`),
      h("td", null, one.until === null ? "" : word(one.until)),
      h("td", null, one.section),
    );
  const heads = ["entry", "what", "who", "state", "until", "section"];
  return h(
    "section",
    { class: "card", id: "windows-then" },
    h("h2", { id: "windows-title" }, t("case.windows_at", { n: about.last })),
    found.length === 0
      ? h("p", null, t("case.no_windows"))
      : h(
          "section",
          { class: "case-wide", tabindex: 0, "aria-labelledby": "windows-title" },
          h(
            "table",
            null,
            h("thead", null, h("tr", null, heads.map((one) => h("th", { scope: "col" }, t(`case.${one}`))))),
            h("tbody", null, found.map(row)),
          ),
        ),
    h("ul", null, sections.map(([number, caption]) => h("li", null, `${number} ${captionText(caption)}`))),
  );
}

/** @param {Pack} pack */
function others({ others: records }) {
  if (records.length === 0) return h("p", { class: "muted" }, t("case.one_scribe"));
  return h(
    "section",
    { class: "card" },
    records.map((lines) => [h("h2", null, t("case.other_scribe")), h("pre", null, lines.join("\n"))]).flat(),
  );
}

/**
 * The form to read files unsealed after the decision: names are shown if they match commitments.
 *
 * @param {Awaited<ReturnType<typeof check>>} found
 */
function unsealing(found) {
  const told = h("div", { id: "unsealed", role: "status" });
  const field = h("input", { type: "file", id: "unsealed-files", multiple: true, accept: ".json" });
  field.addEventListener("change", async () => {
    const files = await Promise.all([...(field.files ?? [])].map(async (one) => ({ name: one.name, text: await one.text() })));
    try {
      const opened = await unsealed(found, files);
      const lines = opened.map(([name, value]) => h("li", null, h("code", null, name), ` ${plain(value)}`));
      fill(told, h("p", null, t("pack.unsealed", { count: opened.length })), h("ul", null, lines));
    } catch (error) {
      const why = error instanceof Broken ? t(error.key, error.values) : String(error);
      fill(told, h("p", { class: "bad" }, h("strong", null, t("pack.bad_unsealed")), ` ${why}`));
    }
  });
  return h("details", { class: "unprinted" }, h("summary", null, t("pack.unseal")), h("p", null, h("label", { for: "unsealed-files" }, t("pack.unseal_about"))), field, told);
}

/** @param {unknown} value */
function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
