// Fields for how dice came to rest: pictures first, further details by words.

/** @import { Field } from "./kit.js" */
/** @import { Situation } from "./pictures.js" */

import { fill, h } from "../../shared/dom.js";
import { choice, face, number, yesNo } from "./fields.js";
import { more, options, told, words } from "./kit.js";
import { GROUPS, SITUATIONS, drawing } from "./pictures.js";

/**
 * What a person saw of both dice.
 * @typedef {object} Seen
 * @property {[number | null, number | null]} faces
 * @property {Record<string, any>[]} observations empty if nothing was seen of either
 */

/**
 * The fields of one die: a picture, its face, and details that no picture shows.
 *
 * @param {number} which 1 or 2
 * @param {() => void} onPicture
 */
function oneDie(which, onPicture) {
  /** @type {Situation | null} */
  let situation = null;
  const seen = face(words("face_seen", { number: which }));
  const rolledSide = choice(
    words("seen_rolled_side"),
    options("side", ["right", "left", "unknown"]),
  );
  const restSide = choice(words("seen_rest_side"), options("side", ["right", "left"]));
  const box = yesNo(words("seen_box"));
  const contact = choice(
    words("seen_contact"),
    options("contact", ["field", "checker", "outside_right_half"]),
  );
  const returned = choice(
    words("seen_returned"),
    options("returned", ["none", "table", "person", "floor", "other"]),
  );
  const seconds = number(words("seen_balanced"), { most: 600 });
  const test = choice(words("seen_test"), options("test", ["stayed", "dropped"]));
  const inDispute = yesNo(words("seen_test_dispute"));
  const fields = [
    seen,
    rolledSide,
    restSide,
    box,
    contact,
    returned,
    seconds,
    test,
    inDispute,
  ];

  const tiles = new Map(
    SITUATIONS.map((one) => [
      one,
      h(
        "button",
        { type: "button", class: "picture", on: { click: () => pick(one) } },
        drawing(one),
        h("span", null, words(`seen_${one.id}`)),
      ),
    ]),
  );
  /** @param {Situation | null} chosen */
  const pick = (chosen) => {
    situation = chosen === situation ? null : chosen;
    for (const [one, tile] of tiles) tile.setAttribute("aria-pressed", String(one === situation));
    onPicture();
  };
  for (const tile of tiles.values()) tile.setAttribute("aria-pressed", "false");

  const groups = GROUPS.map((group) =>
    h(
      "fieldset",
      { class: "pictures" },
      h("legend", null, words(`seen_group_${group}`)),
      h(
        "div",
        { class: "tiles" },
        [...tiles].filter(([one]) => one.group === group).map(([, tile]) => tile),
      ),
    ),
  );
  const element = h(
    "div",
    { class: "one-die" },
    seen.element,
    groups,
    more(words("seen_more"), ...fields.slice(1).map((field) => field.element)),
  );

  const observation = () => {
    const tested = test.value();
    const balanced = seconds.value();
    return told({
      ...(situation?.seen ?? {}),
      ...told({
        rolled_side: rolledSide.value(),
        rest_side: restSide.value(),
        baffle_box: box.value(),
        first_contact: contact.value(),
        left_board_and_returned: returned.value(),
        balanced_for_ms: balanced === null ? null : balanced * 1000,
        support_test: tested === null ? null : supportTest(tested, inDispute.value()),
        face: seen.value(),
      }),
    });
  };
  return {
    element,
    face: () => seen.value(),
    observation,
    situation: () => situation,
    check: () => fields.map((field) => field.check()).every(Boolean),
  };
}

/**
 * @param {string} what the die did
 * @param {boolean | null} inDispute
 */
function supportTest(what, inDispute) {
  return told({ slid: true, dropped: what === "dropped", in_dispute: inDispute || null });
}

/**
 * The fields of both dice, each on a tab; choosing a picture of the first leads to the second.
 *
 * @returns {Field<Seen>}
 */
export function observed() {
  let shown = 0;
  const panel = h("div", { class: "die-panel" });
  const dice = [1, 2].map((which) => oneDie(which, () => onPicture(which - 1)));
  const tabs = dice.map((_, index) =>
    h("button", { type: "button", class: "die-tab", on: { click: () => show(index) } }),
  );
  /** @param {number} index */
  const show = (index) => {
    shown = index;
    tabs.forEach((tab, at) => {
      const situation = dice[at]?.situation() ?? null;
      tab.setAttribute("aria-pressed", String(at === shown));
      fill(
        tab,
        situation === null ? null : drawing(situation),
        h(
          "span",
          null,
          words("die", { number: at + 1 }),
          ": ",
          situation === null ? words("seen_nothing") : words(`seen_${situation.id}`),
        ),
      );
    });
    fill(panel, dice[index]?.element);
  };
  /** @param {number} index */
  const onPicture = (index) => {
    const isNext = index === 0 && dice[0]?.situation() !== null && dice[1]?.situation() === null;
    show(isNext ? 1 : index);
    // The tapped picture may be hidden now, so the tab gets the focus.
    tabs[shown]?.focus();
  };
  const element = h(
    "fieldset",
    { class: "field observed" },
    h("legend", null, words("seen")),
    h("p", { class: "muted" }, words("seen_how")),
    h("div", { class: "die-tabs" }, tabs),
    panel,
  );
  show(0);
  return {
    element,
    value: () => {
      const observations = dice.map((die) => die.observation());
      // A face alone does not describe how a die came to rest.
      const isAnything = observations.some(({ face: _, ...rest }) => Object.keys(rest).length > 0);
      return {
        faces: [dice[0]?.face() ?? null, dice[1]?.face() ?? null],
        observations: isAnything ? observations : [],
      };
    },
    check: () => dice.map((die) => die.check()).every(Boolean),
  };
}

/**
 * Fields for how the dice were thrown.
 *
 * @returns {Field<Record<string, any> | null>}
 */
export function thrown() {
  const source = choice(words("throw_source"), options("throw", ["cup", "hand", "box"]));
  const facts = /** @type {const} */ (["together", "shaken", "height", "bounced"]).map(
    (fact) => /** @type {const} */ ([fact, yesNo(words(`throw_${fact}`))]),
  );
  const element = h(
    "div",
    { class: "how-thrown" },
    source.element,
    h("div", { class: "pair" }, facts.map(([, field]) => field.element)),
  );
  return {
    element,
    value: () => {
      const body = told({
        source: source.value(),
        ...Object.fromEntries(facts.map(([fact, field]) => [fact, field.value()])),
      });
      return Object.keys(body).length === 0 ? null : body;
    },
    check: () => true,
  };
}
