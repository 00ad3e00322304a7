// Details of the entry shown: sentence, correction, findings with citations, windows, origin.

import { fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { rulesCalled } from "../shared/rules_called.js";
import { hasText, t } from "../shared/texts.js";
import { spoken } from "./spoken.js";
import { captionText, person, reasonOf, sentence, time, told, word } from "./words.js";

/** @import { Finding, Said, Scene, Window } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * @param {Viewer} viewer
 * @param {{ isAlone?: boolean }} [options] whether there is no server to ask for more
 * @returns {HTMLElement}
 */
export function details(viewer, { isAlone = false } = {}) {
  const head = h("div", { class: "entry-head" });
  const main = h("div", { class: "entry-findings" });
  const drawers = isAlone ? [] : [
    drawer(viewer, "windows", windows),
    drawer(viewer, "legality", legality),
    drawer(viewer, "provenance", async (...asked) => (await import("./provenance.js")).provenance(...asked)),
  ];
  const show = () => {
    fill(head, ...headOf(viewer));
    fill(main, ...findingsOf(viewer));
    for (const one of drawers) one.show();
  };
  viewer.listen(show);
  show();
  return h(
    "section",
    { class: "details card", "aria-labelledby": "details-title" },
    h("h2", { id: "details-title", class: "unseen" }, t("replay.details")),
    head,
    main,
    drawers.map((one) => one.element),
  );
}

/**
 * A drawer whose content is fetched when it is opened; `show` fetches it again while it is open.
 *
 * @param {Viewer} viewer
 * @param {string} key
 * @param {(viewer: Viewer, signal: AbortSignal) => Promise<(Node | string)[]>} read
 * @param {Node | string} [title]
 */
export function drawer(viewer, key, read, title = t(`replay.${key}`)) {
  const body = h("div", { class: "drawer-body" });
  const element = h("details", { class: "drawer", id: key }, h("summary", null, title), body);
  let asked = new AbortController();
  const show = async () => {
    if (!element.open) return;
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const found = await read(viewer, signal);
      if (!signal.aborted) fill(body, ...found);
    } catch (error) {
      if (signal.aborted) return;
      fill(body, h("p", { class: "muted" }, reasonOf(error)));
    }
  };
  element.addEventListener("toggle", show);
  return { element, show };
}

/** @param {Viewer} viewer */
function headOf(viewer) {
  const { scene } = viewer;
  const { names } = viewer.setting;
  const at = scene.at_ms === null ? null : t("replay.at", { time: time(scene.at_ms) });
  const game = scene.game === 0 ? null : t("replay.game", { number: scene.game });
  const turn = scene.row === 0 ? null : t("replay.turn_number", { number: scene.row });
  const basis = t(`replay.basis.${scene.basis}`, { one: names.one, two: names.two });
  return [
    h(
      "p",
      { class: "muted number facts" },
      [t("replay.entry", { version: scene.version }), game, turn, at, basis].filter(Boolean).join(" · "),
    ),
    h("p", { class: "said" }, `${viewer.sentence()}.`),
    scene.marks.length > 0 &&
      h(
        "p",
        { class: "chips" },
        scene.marks.map((mark) => h("span", { class: "badge" }, t(`replay.mark.${mark}`))),
      ),
    ...spoken(scene, names),
    ...correctionOf(viewer, scene),
    scene.target !== null &&
      scene.status === "stands" &&
      goTo(viewer, scene.target, scene.tag.startsWith("entry.") ? "corrects" : "refers_to"),
  ];
}

/**
 * A button that leads to another entry.
 *
 * @param {Viewer} viewer
 * @param {number} version
 * @param {string} key
 */
export function goTo(viewer, version, key) {
  return h(
    "button",
    { type: "button", class: "quiet link", on: { click: () => viewer.go(viewer.reader.momentOf(version)) } },
    t(`replay.${key}`, { version }),
  );
}

/**
 * How the entry was corrected: what was recorded first, and by which entry, whom and why.
 *
 * @param {Viewer} viewer
 * @param {Scene} scene
 */
function correctionOf(viewer, scene) {
  if (scene.corrected_by === null) return [];
  const first = scene.was === null ? null : told({ ...scene.was, tag: scene.tag }, viewer.setting.names);
  const corrector = viewer.reader.scenes[viewer.reader.momentOf(scene.corrected_by).scene];
  return [
    h(
      "div",
      { class: "corrected" },
      goTo(viewer, scene.corrected_by, `status.${scene.status}`),
      first !== null && h("p", null, `${t("replay.recorded_first")}: `, h("s", null, first)),
      ...(corrector === undefined ? [] : whyOf(viewer, corrector)),
    ),
  ];
}

/**
 * The reason for the correction, if the reader may know it, and by whom.
 *
 * @param {Viewer} viewer
 * @param {Scene} corrector
 */
function whyOf(viewer, corrector) {
  const none = corrector.words.length === 0 && h("p", { class: "muted" }, t("words.no_reason"));
  return [none, ...spoken(corrector, viewer.setting.names)];
}

// Findings.

/** @param {Viewer} viewer */
function findingsOf(viewer) {
  const { scene, match } = viewer;
  const contrasts = match.contrasts.filter(({ version }) => version === scene.version);
  const beside = match.corrections.filter(({ version }) => version === scene.version);
  const found = [...scene.findings, ...beside];
  const none = match.held_back === null ? t("replay.nothing_found") : t("replay.held_back");
  return [
    h("h3", null, t("replay.findings_here")),
    found.length === 0 && h("p", { class: "muted" }, none),
    found.length > 0 && h("ul", { class: "findings" }, found.map((one) => finding(viewer, one))),
    contrasts.length > 0 && h("div", { class: "contrasts" }, contrasts.map((one) => contrast(viewer, one))),
  ];
}

/**
 * A finding with its citation, and the question that it asks.
 *
 * @param {Viewer} viewer
 * @param {Finding} found
 */
export function finding(viewer, found) {
  const question = found.ruling_required;
  return h(
    "li",
    { class: ["finding", `is-${found.severity}`] },
    h("p", null, h("strong", null, sentence(found.said, viewer.setting.names))),
    citation(viewer, found.rule_set, found.section, found.ambiguity, found.verified || found.rests_on.length > 0),
    ...found.rests_on.map(rest),
    question !== null &&
      h(
        "div",
        { class: "question" },
        h("p", null, t(rests(viewer, found) ? "replay.question_rests" : "replay.question", { topic: word(question.topic) })),
        ...answers(question, viewer.setting.names),
        question.suggest !== null && h("p", null, t("replay.suggest", { rules: rulesCalled(question.suggest) })),
        ruled(viewer, found),
      ),
  );
}

/**
 * The line on a sentence of the rule set that a finding is based on, with its hash if it is loaded.
 *
 * @param {Finding["rests_on"][number]} one
 */
function rest({ sentence: name, sha256 }) {
  const told = sha256 === null ? t("replay.rests_missing", { name }) : t("replay.rests_on", { name, sha256 });
  return h("p", { class: ["citation", "rests"] }, told);
}

/**
 * The possible answers, and the one that the text favours.
 *
 * @param {{ readings: readonly string[], leaning: Said | null }} question
 * @param {import("../shared/types.js").BySeat<string>} names
 */
function answers({ readings, leaning }, names) {
  return [
    readings.length > 0 && h("p", null, t("replay.readings", { readings: readings.map(word).join(" / ") })),
    leaning !== null && h("p", null, t("replay.lean", { lean: sentence(leaning, names) })),
  ];
}

/**
 * @param {Viewer} viewer
 * @param {Finding} found
 */
function questionOf(viewer, found) {
  const topic = found.ruling_required?.topic;
  return viewer.match.questions.find(
    (one) => one.version === found.version && one.topic === topic && one.seat === found.seat,
  );
}

/**
 * Whether what is asked is open, and nobody waits for a ruling.
 *
 * @param {Viewer} viewer
 * @param {Finding} found
 */
const rests = (viewer, found) => questionOf(viewer, found)?.attention === "note";

/**
 * @param {Viewer} viewer
 * @param {Finding} found
 */
function ruled(viewer, found) {
  const question = questionOf(viewer, found);
  const left = question?.left ?? null;
  const version = found.answered_by ?? left?.version ?? null;
  if (version === null) {
    return rests(viewer, found)
      ? h("p", { class: "muted" }, t("replay.unwaited"))
      : h("p", { class: "open" }, t("replay.unruled"));
  }
  const reading = word(question?.answered?.reading ?? "");
  return h(
    "button",
    { type: "button", class: "quiet link", on: { click: () => viewer.go(viewer.reader.momentOf(version)) } },
    found.answered_by === null ? t("replay.left_at", { version }) : t("replay.ruled_at", { version, reading }),
  );
}

/**
 * A citation: rule set, section, and the section's caption.
 *
 * @param {Viewer} viewer
 * @param {string} ruleSet
 * @param {string} section
 * @param {string | null} [ambiguity]
 * @param {boolean} [isVerified]
 */
export function citation(viewer, ruleSet, section, ambiguity = null, isVerified = true) {
  const caption = viewer.match.captions[ruleSet]?.[section] ?? null;
  return h(
    "p",
    { class: "citation" },
    h("cite", { title: ruleSet }, `${rulesCalled(ruleSet)}, ${section}`),
    ambiguity !== null && ` · ${t("rules.open_to_reading", { code: ambiguity })}`,
    !isVerified && ` · ${t("replay.unverified")}`,
    caption !== null && h("span", { class: "caption" }, ` – ${captionText(caption)}`),
  );
}

/**
 * How two rule sets differ on one matter.
 *
 * @param {Viewer} viewer
 * @param {import("./types.js").Match["contrasts"][number]} one
 */
export function contrast(viewer, one) {
  const sides = /** @type {const} */ ([
    [viewer.match.rule_set, one.rules],
    [viewer.setting.pinned, one.against],
  ]);
  const sidesTold = h(
    "dl",
    { class: "contrast" },
    sides.map(([rules, said]) => [
      h("dt", { title: rules }, rulesCalled(rules)),
      h(
        "dd",
        null,
        said === null ? t("replay.says_nothing", { rules: rulesCalled(rules) }) : sentence(said.said, viewer.setting.names),
        said?.is_question && h("p", { class: "open" }, t("replay.left_open")),
        ...(said === null ? [] : answers(said, viewer.setting.names)),
        said !== null && citation(viewer, said.rule_set, said.section),
      ),
    ]).flat(),
  );
  if (one.why.length === 0) return sidesTold;
  const why = one.why.map(({ said }) => h("li", null, sentence(said, viewer.setting.names)));
  return h("div", null, sidesTold, h("p", { class: "muted" }, t("replay.contrast_why")), h("ul", { class: "why" }, why));
}

// Windows and legal plays.

/**
 * @param {Viewer} viewer
 * @param {AbortSignal} signal
 */
async function windows(viewer, signal) {
  const { setting, scene, match } = viewer;
  const path = `/logs/${setting.log}/matches/${setting.match}/windows`;
  const { json } = await api("GET", `${path}?at=${scene.version}&rules=${match.rule_set}`, { signal });
  /** @type {Window[]} */
  const found = json.windows;
  const note = h("p", { class: "muted" }, t("replay.windows_note"));
  const none = json.held_back === null ? t("replay.windows_none") : t("replay.held_back");
  if (found.length === 0) return [note, h("p", null, none)];
  return [note, h("ul", { class: "windows" }, found.map((one) => windowLine(viewer, one)))];
}

/**
 * @param {Viewer} viewer
 * @param {Window} one
 */
function windowLine(viewer, one) {
  const known = (/** @type {string} */ key, /** @type {string} */ value) =>
    hasText(`replay.${key}.${value}`) ? t(`replay.${key}.${value}`) : word(value);
  const text = t("replay.window", {
    what: known("window_what", one.what),
    version: one.entry,
    state: known("window_state", one.state),
  });
  const by = one.by === "one" || one.by === "two" ? person(one.by, viewer.setting.names) : one.by;
  return h(
    "li",
    { class: `is-${one.state}` },
    h(
      "button",
      { type: "button", class: "quiet link", on: { click: () => viewer.go(viewer.reader.momentOf(one.entry)) } },
      text,
    ),
    h(
      "p",
      { class: "muted" },
      [
        by === null ? "" : t("replay.window_by", { by: word(by) }),
        one.until === null ? "" : t("replay.window_until", { until: word(one.until) }),
      ]
        .filter(Boolean)
        .join(", "),
    ),
    citation(viewer, one.rule_set, one.section),
  );
}

/**
 * @param {Viewer} viewer
 * @param {AbortSignal} signal
 */
async function legality(viewer, signal) {
  const { setting, scene } = viewer;
  const path = `/logs/${setting.log}/matches/${setting.match}/legal-plays?at=${scene.version}`;
  try {
    const { json } = await api("GET", path, { signal });
    if (json.dice === null) return [h("p", { class: "muted" }, t("replay.legal_none"))];
    const dice = json.dice.join("");
    const play = json.played === "" ? t("replay.legal_dance") : json.played;
    /** @type {string[]} */
    const plays = json.plays.length === 0 ? [t("replay.legal_dance")] : json.plays;
    return [
      json.is_legal !== null &&
        h("p", null, t(json.is_legal ? "replay.legal_yes" : "replay.legal_no", { play, dice })),
      h("p", { class: "muted" }, t("replay.legal_count", { count: json.plays.length, dice })),
      h("ul", { class: "plays number" }, plays.map((one) => h("li", null, one))),
    ].filter((node) => node !== false);
  } catch (error) {
    const isClosed = error instanceof ApiProblem && [401, 403].includes(error.status);
    if (isClosed) return [h("p", { class: "muted" }, t("replay.legality_closed"))];
    throw error;
  }
}
