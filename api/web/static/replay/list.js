// The list of entries: a section for each game, a row for each turn, a button for each entry.

import { fill, h } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { onceAFrame, SIGNS } from "./timeline.js";
import { points, short, told } from "./words.js";

/** @import { Game, Scene } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/** Estimated height of a turn in games that are not drawn yet; two are side by side. */
const ROW_REM = 1.8;

/** Tags in nearly every turn, which the play's button includes. */
const FOLDED = new Set(["dice.rolled", "dice.opening_rolled", "clock.pressed", "turn.ended"]);

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function list(viewer) {
  const body = h("div", { class: "games folded", tabindex: 0, role: "region", "aria-label": t("replay.list") });
  const every = h("input", {
    type: "checkbox",
    id: "every-entry",
    on: {
      change: () => {
        body.classList.toggle("folded", !(/** @type {HTMLInputElement} */ (every).checked));
        show();
      },
    },
  });
  /** @type {Map<number, HTMLElement>} */
  let buttons = new Map();
  /** @type {HTMLElement | null} */
  let current = null;
  body.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button[data-scene]");
    if (button === null) return;
    viewer.go({ scene: Number(/** @type {HTMLElement} */ (button).dataset.scene), frame: null });
  });
  const draw = () => {
    buttons = new Map();
    fill(body, ...sections(viewer, buttons));
    current = null;
  };
  const bring = () => current === null || bringIntoSight(body, current);
  const bringSoon = onceAFrame(() => {
    // Heights of games off the screen are estimates, so check again once they are drawn.
    if (!bring()) requestAnimationFrame(bring);
  });
  const show = () => {
    current?.removeAttribute("aria-current");
    current = buttons.get(viewer.reader.at.scene) ?? null;
    current?.setAttribute("aria-current", "true");
    bringSoon();
  };
  viewer.listen((what) => {
    if (what !== "moment") draw();
    show();
  });
  draw();
  show();
  const head = h(
    "div",
    { class: "row list-head" },
    h("h2", null, t("replay.list")),
    h("label", { class: "choice unprinted" }, every, ` ${t("replay.every_entry")}`),
  );
  return h("section", { class: "list card" }, head, body);
}

/**
 * @param {Viewer} viewer
 * @param {Map<number, HTMLElement>} buttons
 */
function sections(viewer, buttons) {
  const { scenes } = viewer.reader;
  const games = new Map(viewer.match.games.map((game) => [game.number, game]));
  /** @type {HTMLElement[]} */
  const made = [];
  for (let index = 0; index < scenes.length; ) {
    const { game } = scenes[index];
    let end = index;
    while (end < scenes.length && scenes[end].game === game) end += 1;
    made.push(section(viewer, games.get(game) ?? null, [index, end], buttons));
    index = end;
  }
  return made;
}

/**
 * @param {Viewer} viewer
 * @param {Game | null} game
 * @param {[number, number]} range
 * @param {Map<number, HTMLElement>} buttons
 */
function section(viewer, game, [start, end], buttons) {
  const { names } = viewer.setting;
  const { scenes } = viewer.reader;
  const rows = [];
  for (let index = start; index < end; ) {
    let last = index;
    // A double before the roll gets a row of its own, as in files of matches.
    const { turn, row: number } = scenes[index];
    while (last < end && scenes[last].turn === turn && scenes[last].row === number) last += 1;
    rows.push(row(viewer, [index, last], buttons));
    index = last;
  }
  const heading = game === null ? t("replay.before_games") : t("replay.game", { number: game.number });
  const result = game?.result ?? null;
  return h(
    "section",
    { class: "game", style: `contain-intrinsic-size: auto ${(rows.length + 1) * ROW_REM}rem` },
    h(
      "h3",
      null,
      heading,
      game !== null && h("span", { class: "muted number" }, ` ${game.score.one}–${game.score.two}`),
      game?.crawford && h("span", { class: "badge" }, t("replay.crawford")),
    ),
    h("ol", { class: "turns" }, rows),
    result !== null &&
      h(
        "p",
        { class: "result" },
        t("replay.wins_game", { name: names[result.winner], points: points(result.points) }),
      ),
  );
}

/**
 * @param {Viewer} viewer
 * @param {[number, number]} range
 * @param {Map<number, HTMLElement>} buttons
 */
function row(viewer, [start, end], buttons) {
  const { scenes, step } = viewer.reader;
  const { names } = viewer.setting;
  const [first, last] = [scenes[start], scenes[end - 1]];
  const shown = scenes.slice(start, end);
  const entries =
    step === "turns"
      ? [turnButton(viewer, shown, end - 1)]
      : shown.map((scene, offset) => entryButton(viewer, scene, start + offset, shown));
  shown.forEach((_, offset) => buttons.set(start + offset, entries[step === "turns" ? 0 : offset]));
  const seat = shown.find((scene) => scene.turn_of !== null)?.turn_of ?? null;
  return h(
    "li",
    { class: ["turn", isLong(shown) && "is-long"], dataset: { seat: seat ?? "none" }, id: `row-${last.version}` },
    h("span", { class: "turn-number muted number" }, first.row === 0 ? "" : String(first.row)),
    seat !== null && h("span", { class: `stone of-${seat}`, "aria-hidden": "true" }),
    h("span", { class: "turn-name" }, seat === null ? "" : names[seat]),
    h("span", { class: "entries" }, entries),
  );
}

/**
 * @param {Viewer} viewer
 * @param {Scene} scene
 * @param {number} index
 * @param {readonly Scene[]} turn the entries of its row
 */
function entryButton(viewer, scene, index, turn) {
  const { names } = viewer.setting;
  const isElsewhere = scene.seat !== null && scene.turn_of !== null && scene.seat !== scene.turn_of;
  const said = short(scene, names);
  const name = names[scene.seat ?? "one"];
  const roll = rollOf(scene, turn);
  const text = isElsewhere && !said.includes(name) ? `${name}: ${said}` : said;
  return h(
    "button",
    {
      type: "button",
      class: ["entry", `is-${scene.status}`, scene.is_disputed && "is-disputed", isFolded(scene, turn) && "is-folded"],
      title: `${scene.version}: ${told(scene, names)}`,
      dataset: { scene: String(index), version: String(scene.version), ...(roll === null ? {} : { roll }) },
    },
    scene.status === "retracted" ? h("s", null, text) : text,
    signs(viewer, [scene]),
  );
}

/** How many entries fit into half of the list's width. */
const FEW = 3;

/**
 * Whether a turn has so many entries, such as a dispute and an appeal, that it takes a whole row.
 *
 * @param {readonly Scene[]} turn
 */
function isLong(turn) {
  return turn.filter((scene) => !isFolded(scene, turn)).length > FEW;
}

/**
 * Whether an entry is included in its play's button: it has no findings and was not corrected.
 *
 * @param {Scene} scene
 * @param {readonly Scene[]} turn
 */
function isFolded(scene, turn) {
  const isPlain = scene.status === "stands" && scene.marks.length === 0 && !scene.is_disputed;
  return isPlain && FOLDED.has(scene.tag) && turn.some(isPlay);
}

/** @param {Scene} scene */
function isPlay(scene) {
  return scene.tag === "play.made" && scene.status !== "retracted";
}

/**
 * The roll for a play's button, if the roll has no button of its own.
 *
 * @param {Scene} scene
 * @param {readonly Scene[]} turn
 */
function rollOf(scene, turn) {
  const folds = turn.some((one) => one.tag.startsWith("dice.") && isFolded(one, turn));
  return isPlay(scene) && folds && scene.facts.dice ? String(scene.facts.dice) : null;
}

/**
 * @param {Viewer} viewer
 * @param {Scene[]} shown
 * @param {number} index
 */
function turnButton(viewer, shown, index) {
  const { names } = viewer.setting;
  const isMain = (/** @type {Scene} */ scene) =>
    scene.status !== "retracted" && !scene.tag.startsWith("clock.") && !scene.tag.startsWith("turn.");
  const said = shown.filter(isMain).map((scene) => short(scene, names));
  return h(
    "button",
    { type: "button", class: "entry", dataset: { scene: String(index) } },
    said.join(" · ") || short(shown[shown.length - 1], names),
    signs(viewer, shown),
  );
}

/**
 * @param {Viewer} viewer
 * @param {readonly Scene[]} shown
 */
function signs({ contrasts }, shown) {
  const kinds = new Set(shown.flatMap((scene) => scene.marks));
  if (shown.some((scene) => contrasts.has(scene.version))) kinds.add("contrast");
  return [...kinds].map((kind) =>
    h(
      "span",
      { class: `mark of-${kind}` },
      h("span", { "aria-hidden": "true" }, SIGNS[/** @type {keyof typeof SIGNS} */ (kind)] ?? "•"),
      h("span", { class: "unseen" }, ` ${t(`replay.mark.${kind}`)}`),
    ),
  );
}

/**
 * Scroll the list, but not the page, to an entry; true if it was in sight already.
 *
 * @param {HTMLElement} body
 * @param {HTMLElement} shown
 */
function bringIntoSight(body, shown) {
  const [outer, inner] = [body.getBoundingClientRect(), shown.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return true;
  body.scrollTop += inner.top - outer.top - outer.height / 3;
  return false;
}
