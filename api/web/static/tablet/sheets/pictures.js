// Pictures of how dice can come to rest, to be chosen instead of a description.

import { s } from "../../shared/dom.js";

/** The groups of pictures, each with a heading. */
export const GROUPS = /** @type {const} */ (["field", "checkers", "leaning", "balance", "away"]);

/**
 * A way in which a die can come to rest.
 * @typedef {object} Situation
 * @property {string} id its text is `tablet.sheet_seen_<id>`
 * @property {typeof GROUPS[number]} group
 * @property {Record<string, any>} seen what the picture means, as members of an observation
 * @property {boolean} [isFar] whether the picture shows more than the die's surroundings
 * @property {() => SVGElement[]} draw
 */

/** The y coordinate of the playing field on which things lie. */
const GROUND = 76;
const DIE = 26;
/** How far the back of a solid is shifted from its front: seen from above and from the left. */
const BACK = { x: 8, y: -6 };

// Drawings of things.

/** @typedef {readonly [number, number]} Spot */

/** @param {readonly Spot[]} spots */
function outline(spots) {
  return spots.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
}

/**
 * A solid: the sides that face the viewer, then the front.
 *
 * @param {readonly Spot[]} front clockwise
 * @param {string} name class of the thing
 */
function solid(front, name) {
  const sides = front.flatMap(([x, y], index) => {
    const [nextX, nextY] = front[(index + 1) % front.length] ?? [x, y];
    // Outward normal of an edge that runs clockwise on a page where y grows downwards.
    const faces = (nextY - y) * BACK.x - (nextX - x) * BACK.y > 0.01;
    if (!faces) return [];
    /** @type {Spot[]} */
    const side = [
      [x, y],
      [nextX, nextY],
      [nextX + BACK.x, nextY + BACK.y],
      [x + BACK.x, y + BACK.y],
    ];
    return [s("polygon", { class: `${name} side`, points: outline(side) })];
  });
  return [...sides, s("polygon", { class: name, points: outline(front) })];
}

/**
 * The height of a die's centre above its lowest corner.
 * @param {number} turn degrees
 */
function half(turn) {
  const angle = (turn * Math.PI) / 180;
  return (DIE / 2) * (Math.abs(Math.cos(angle)) + Math.abs(Math.sin(angle)));
}

/** Positions of pips, as fractions of the side. @type {Record<number, readonly Spot[]>} */
const PIPS = {
  2: [
    [-1, -1],
    [1, 1],
  ],
  3: [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  5: [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
};

/**
 * A die, placed by the centre of its front.
 *
 * @param {number} x
 * @param {number} y
 * @param {{ turn?: number, pips?: number, name?: string }} [how]
 */
function die(x, y, { turn = 0, pips = 5, name = "die" } = {}) {
  const angle = (turn * Math.PI) / 180;
  /** @param {number} dx @param {number} dy @returns {Spot} */
  const turned = (dx, dy) => [
    x + dx * Math.cos(angle) - dy * Math.sin(angle),
    y + dx * Math.sin(angle) + dy * Math.cos(angle),
  ];
  const r = DIE / 2;
  const front = [turned(-r, -r), turned(r, -r), turned(r, r), turned(-r, r)];
  return s(
    "g",
    {},
    ...solid(front, name),
    ...(PIPS[pips] ?? []).map(([px, py]) => {
      const [cx, cy] = turned(px * r * 0.52, py * r * 0.52);
      return s("circle", { class: "pip", cx, cy, r: 2.3 });
    }),
  );
}

/**
 * A die, placed by the height of its lowest corner.
 *
 * @param {number} x
 * @param {number} ground
 * @param {{ turn?: number, pips?: number, name?: string }} [how]
 */
function dieOn(x, ground, how = {}) {
  return die(x, ground - half(how.turn ?? 0), how);
}

/**
 * A checker lying flat, placed by the middle of its base.
 *
 * @param {number} x
 * @param {number} [ground]
 * @param {{ height?: number, isDipped?: boolean, rx?: number }} [how]
 */
function checker(x, ground = GROUND, { height = 10, isDipped = false, rx = 22 } = {}) {
  const ry = 6;
  const top = ground - height;
  const side = `M${x - rx} ${top} V${ground} A${rx} ${ry} 0 0 0 ${x + rx} ${ground} V${top} Z`;
  return s(
    "g",
    {},
    s("path", { class: "checker side", d: side }),
    s("ellipse", { class: "checker", cx: x, cy: top, rx, ry }),
    ...(isDipped ? [s("ellipse", { class: "dip", cx: x, cy: top, rx: rx - 7, ry: ry - 1.5 })] : []),
  );
}

/** The playing field with the tips of two points. */
function field(from = 0, to = 140) {
  return s(
    "g",
    {},
    s("rect", { class: "field", x: from, y: 58, width: to - from, height: 42 }),
    ...[0.3, 0.72].map((at, index) => {
      const x = from + (to - from) * at;
      return s("path", {
        class: index === 0 ? "point" : "point other",
        d: `M${x - 13} 100 L${x + 13} 100 L${x + 12} 61 Z`,
      });
    }),
  );
}

/**
 * A block of the board: the bar, a rail.
 *
 * @param {number} x
 * @param {number} width
 * @param {number} height
 */
function block(x, width, height) {
  const top = GROUND + 4 - height;
  return s(
    "g",
    {},
    ...solid(
      [
        [x, top],
        [x + width, top],
        [x + width, 100],
        [x, 100],
      ],
      "wood",
    ),
  );
}

/**
 * The bar, with a hinge line to tell it from a rail.
 *
 * @param {number} x
 * @param {number} [width]
 */
function bar(x, width = 26) {
  return s(
    "g",
    {},
    block(x, width, 26),
    s("line", { class: "hinge", x1: x + width / 2, y1: 54, x2: x + width / 2, y2: 100 }),
    s("line", { class: "hinge", x1: x + width / 2, y1: 54, x2: x + width / 2 + 8, y2: 48 }),
  );
}

/** The rail at the right edge of the board. */
function rail() {
  return block(106, 20, 42);
}

/** The tray rail: a low wall, with checkers borne off in the tray behind it. */
function trayRail() {
  return s(
    "g",
    {},
    s("rect", { class: "trough", x: 100, y: 58, width: 40, height: 42 }),
    ...[0, 1, 2].map((index) =>
      s("rect", { class: "checker", x: 106 + index * 8, y: 62, width: 7, height: 34, rx: 2 }),
    ),
    block(90, 9, 30),
  );
}

/** @param {string} d */
function way(d) {
  return s("path", { class: "way", d });
}

/**
 * An arrow head that points along `turn`.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} turn
 */
function head(x, y, turn) {
  return s("path", {
    class: "head",
    d: "M0 0 L-8 -4.5 L-8 4.5 Z",
    transform: `translate(${x} ${y}) rotate(${turn})`,
  });
}

/** @param {number} x @param {number} y @param {string} text */
function sign(x, y, text) {
  return s("text", { class: "sign", x, y }, text);
}

/** A hand that reaches in from the left. */
function hand() {
  return s("path", {
    class: "hand",
    d:
      "M0 30 H30 C38 30 42 34 50 37 C56 39 56 45 50 45 L38 43" +
      " C44 47 48 50 47 54 C46 58 41 57 36 54 L26 56 H0 Z",
  });
}

/**
 * A die on one corner: three faces meet in front.
 *
 * @param {number} x
 * @param {number} ground
 * @param {string} [name]
 */
function dieOnCorner(x, ground, name = "die") {
  const r = DIE * 0.78;
  const y = ground - r;
  /** @param {number} degrees @returns {Spot} */
  const at = (degrees) => [
    x + r * 0.9 * Math.sin((degrees * Math.PI) / 180),
    y - r * Math.cos((degrees * Math.PI) / 180),
  ];
  /** @type {Spot} */
  const middle = [x, y];
  const faces = [
    [at(300), at(0), at(60), middle],
    [at(300), middle, at(180), at(240)],
    [middle, at(60), at(120), at(180)],
  ];
  /** @type {Spot[]} */
  const pips = [
    [x, y - r / 2],
    [x - r * 0.4, y + r * 0.22],
    [x - r * 0.4 + 3, y + r * 0.5],
    [x + r * 0.4, y + r * 0.3],
  ];
  return s(
    "g",
    {},
    ...faces.map((spots, index) =>
      s("polygon", { class: index === 2 ? `${name} side` : name, points: outline(spots) }),
    ),
    ...(name === "die" ? pips : []).map(([cx, cy]) =>
      s("circle", { class: "pip", cx, cy, r: 2.2 }),
    ),
  );
}

/** A board from above: two halves, the bar between them, the dice cup below on the right. */
function plan() {
  return [
    s("rect", { class: "wood", x: 12, y: 10, width: 116, height: 68, rx: 4 }),
    s("rect", { class: "field", x: 18, y: 16, width: 47, height: 56 }),
    s("rect", { class: "field", x: 75, y: 16, width: 47, height: 56 }),
    ...[20, 43, 77, 100].flatMap((x) => [
      s("path", { class: "point", d: `M${x} 16 h10 l-5 22 Z` }),
      s("path", { class: "point other", d: `M${x + 10} 72 h10 l-5 -22 Z` }),
    ]),
    s("path", { class: "cup", d: "M86 96 L90 80 H108 L112 96 Z" }),
  ];
}

// Members of observations that many pictures share.

const ON_FIELD = { at_rest: "natural", location: "playing_field", rests_on: ["field"] };
const FLAT = { ...ON_FIELD, tilt: "flat" };
const ON_CHECKER = { ...FLAT, rests_on: ["checker_a"] };
const ON_TWO = { ...FLAT, rests_on: ["checker_a", "checker_b"] };

/** @param {string} wall @param {string} [on] */
function heldBy(wall, on = "field") {
  return {
    ...ON_FIELD,
    rests_on: [on],
    touching: [wall],
    supported_by: [wall],
    tilt: "tilted",
    tilt_cause: "vertical_support",
  };
}

/** @param {string} cause */
function tilted(cause) {
  return { tilt: "tilted", tilt_cause: cause };
}

/** @param {string} location @param {string[]} [rests_on] */
function lyingAt(location, rests_on = []) {
  return { at_rest: "natural", location, rests_on };
}

/** All pictures, in the order of the sheet. @type {readonly Situation[]} */
export const SITUATIONS = [
  {
    id: "flat",
    group: "field",
    seen: FLAT,
    draw: () => [field(), dieOn(66, GROUND)],
  },
  {
    id: "peeling",
    group: "field",
    seen: { ...ON_FIELD, ...tilted("surface_imperfection") },
    draw: () => [
      field(),
      s("path", { class: "peel", d: "M18 80 C50 80 70 76 104 62 L96 74 C74 84 50 88 18 88 Z" }),
      dieOn(66, 76, { turn: -13 }),
    ],
  },
  {
    id: "touching_bar",
    group: "field",
    seen: { ...FLAT, touching: ["bar"] },
    draw: () => [field(), bar(28), dieOn(75, GROUND + 6)],
  },
  {
    id: "wrong_side",
    group: "field",
    isFar: true,
    seen: { ...FLAT, rest_side: "left" },
    draw: () => [
      ...plan(),
      way("M98 78 C92 56 74 44 54 44"),
      head(50, 44, 182),
      die(34, 44, { pips: 3 }),
    ],
  },
  {
    id: "struck_checker",
    group: "field",
    isFar: true,
    seen: { ...FLAT, first_contact: "checker" },
    draw: () => [
      field(),
      checker(34),
      way("M8 16 C22 26 30 42 34 62"),
      way("M38 62 C44 38 66 26 80 42"),
      head(83, 46, 52),
      dieOn(92, GROUND),
    ],
  },
  {
    id: "came_back",
    group: "field",
    isFar: true,
    seen: { ...FLAT, left_board_and_returned: "table" },
    draw: () => [
      field(0, 106),
      rail(),
      way("M82 48 C92 14 124 6 136 34"),
      way("M134 40 C126 22 106 14 72 36"),
      head(68, 39, 142),
      dieOn(50, GROUND),
    ],
  },
  {
    id: "on_checker",
    group: "checkers",
    seen: ON_CHECKER,
    draw: () => [field(), checker(66), dieOn(62, GROUND - 8)],
  },
  {
    id: "in_dip",
    group: "checkers",
    seen: { ...ON_CHECKER, ...tilted("surface_imperfection") },
    draw: () => [
      field(),
      checker(66, GROUND, { isDipped: true, rx: 28, height: 12 }),
      dieOn(63, GROUND - 7, { turn: -12 }),
    ],
  },
  {
    id: "on_two",
    group: "checkers",
    seen: ON_TWO,
    draw: () => [field(), checker(42), checker(90), dieOn(62, GROUND - 8)],
  },
  {
    id: "two_heights",
    group: "checkers",
    seen: { ...ON_TWO, ...tilted("height_difference"), below_top_of: ["checker_a"] },
    draw: () => [
      field(),
      checker(40, GROUND, { height: 20 }),
      checker(90, GROUND, { height: 7 }),
      dieOn(66, GROUND - 5, { turn: 28 }),
    ],
  },
  {
    id: "in_gap",
    group: "checkers",
    seen: { ...ON_TWO, ...tilted("gap"), below_top_of: ["checker_a", "checker_b"] },
    draw: () => [
      field(),
      checker(34, GROUND, { height: 14 }),
      checker(100, GROUND, { height: 14 }),
      dieOn(66, GROUND - 2, { turn: 38 }),
    ],
  },
  {
    id: "field_and_checker",
    group: "checkers",
    seen: {
      ...ON_FIELD,
      rests_on: ["field", "checker_a"],
      ...tilted("gap"),
      below_top_of: ["checker_a"],
    },
    draw: () => [
      field(),
      checker(42, GROUND, { height: 12 }),
      dieOn(75, GROUND - 1, { turn: 33 }),
    ],
  },
  {
    id: "overhang",
    group: "checkers",
    seen: { ...ON_CHECKER, ...tilted("overhang"), below_top_of: ["checker_a"] },
    draw: () => [
      field(),
      checker(48, GROUND + 4, { height: 16 }),
      dieOn(72, GROUND - 2, { turn: 24 }),
    ],
  },
  {
    id: "overhang_rail",
    group: "checkers",
    seen: {
      ...ON_CHECKER,
      ...tilted("overhang"),
      below_top_of: ["checker_a"],
      touching: ["side_rail"],
    },
    draw: () => [
      field(0, 106),
      rail(),
      checker(62, GROUND + 4, { height: 16 }),
      dieOn(88, GROUND - 2, { turn: 24 }),
    ],
  },
  {
    id: "checker_touching_rail",
    group: "checkers",
    seen: { ...ON_CHECKER, touching: ["side_rail"] },
    draw: () => [field(0, 106), rail(), checker(80), dieOn(92, GROUND - 8)],
  },
  {
    id: "by_bar",
    group: "leaning",
    seen: heldBy("bar"),
    draw: () => [field(), bar(28), dieOn(80, GROUND + 6, { turn: 32 })],
  },
  {
    id: "by_rail",
    group: "leaning",
    seen: heldBy("side_rail"),
    draw: () => [field(0, 106), rail(), dieOn(88, GROUND + 6, { turn: -32 })],
  },
  {
    id: "by_tray_rail",
    group: "leaning",
    seen: heldBy("tray_rail"),
    draw: () => [field(0, 90), trayRail(), dieOn(72, GROUND + 6, { turn: -32 })],
  },
  {
    id: "by_checker",
    group: "leaning",
    seen: heldBy("checker_side"),
    draw: () => [
      field(),
      ...[0, 10, 20].map((up) => checker(36, GROUND + 4 - up)),
      dieOn(76, GROUND + 6, { turn: 32 }),
    ],
  },
  {
    id: "by_die",
    group: "leaning",
    seen: heldBy("die_side"),
    draw: () => [
      field(),
      dieOn(40, GROUND + 4, { pips: 2, name: "die second" }),
      dieOn(73, GROUND + 6, { turn: 28 }),
    ],
  },
  {
    id: "checker_and_rail",
    group: "leaning",
    seen: heldBy("side_rail", "checker_a"),
    draw: () => [
      field(0, 106),
      rail(),
      checker(72, GROUND + 4),
      dieOn(88, GROUND - 6, { turn: -28 }),
    ],
  },
  {
    id: "bar_unclear",
    group: "leaning",
    seen: {
      ...ON_FIELD,
      touching: ["bar"],
      supported_by: "unclear",
      tilt: "unknown",
    },
    draw: () => [
      field(),
      bar(28),
      dieOn(77, GROUND + 6, { turn: 10 }),
      sign(104, 56, "?"),
    ],
  },
  {
    id: "on_corner",
    group: "balance",
    seen: {
      at_rest: "balanced",
      location: "playing_field",
      rests_on: ["field"],
      balanced_on: "corner",
      ...tilted("balance"),
    },
    draw: () => [field(), dieOnCorner(70, GROUND + 2)],
  },
  {
    id: "on_edge",
    group: "balance",
    seen: {
      at_rest: "balanced",
      location: "playing_field",
      rests_on: ["field"],
      balanced_on: "edge",
      ...tilted("balance"),
    },
    draw: () => [field(), dieOn(66, GROUND + 2, { turn: 45 })],
  },
  {
    id: "tipped",
    group: "balance",
    isFar: true,
    seen: { ...FLAT, balanced_on: "corner", tipped_after_balance: true },
    draw: () => [
      field(),
      dieOnCorner(36, GROUND + 2, "ghost"),
      way("M44 30 C62 16 82 22 90 38"),
      head(93, 43, 60),
      dieOn(96, GROUND),
    ],
  },
  {
    id: "moving",
    group: "balance",
    seen: { at_rest: "not_at_rest", location: "playing_field" },
    draw: () => [
      field(),
      dieOn(68, GROUND, { turn: 18 }),
      way("M40 52 C40 28 72 18 92 30"),
      head(97, 34, 42),
      way("M100 70 C96 92 56 96 42 80"),
      head(39, 75, 236),
    ],
  },
  {
    id: "disturbed",
    group: "balance",
    seen: { at_rest: "disturbed_by_player", location: "playing_field" },
    draw: () => [
      field(),
      dieOn(84, GROUND, { turn: 12 }),
      hand(),
      way("M58 34 H62"),
      way("M58 44 L62 46"),
      way("M60 24 L64 21"),
    ],
  },
  {
    id: "on_die",
    group: "away",
    seen: { ...FLAT, rests_on: ["die_other"] },
    draw: () => [
      field(),
      dieOn(64, GROUND + 6, { pips: 2, name: "die second" }),
      dieOn(66, GROUND + 6 - DIE - 1),
    ],
  },
  {
    id: "on_bar",
    group: "away",
    seen: lyingAt("bar", ["bar"]),
    draw: () => [field(), bar(48, 36), dieOn(66, 52)],
  },
  {
    id: "in_tray",
    group: "away",
    seen: lyingAt("tray", ["tray"]),
    draw: () => [
      field(0, 44),
      s("rect", { class: "trough", x: 53, y: 58, width: 60, height: 42 }),
      ...[0, 1, 2].map((index) =>
        s("rect", { class: "checker", x: 88 + index * 8, y: 62, width: 7, height: 34, rx: 2 }),
      ),
      dieOn(70, GROUND + 14),
      block(44, 9, 30),
      block(116, 16, 36),
    ],
  },
  {
    id: "on_table",
    group: "away",
    seen: lyingAt("table"),
    draw: () => [
      s("rect", { class: "table", x: 0, y: 66, width: 140, height: 34 }),
      s("rect", { class: "field", x: 0, y: 52, width: 46, height: 14 }),
      block(46, 14, 40),
      dieOn(94, 84),
    ],
  },
  {
    id: "on_floor",
    group: "away",
    isFar: true,
    seen: lyingAt("floor", ["floor"]),
    draw: () => [
      s("rect", { class: "floor", x: 0, y: 80, width: 140, height: 20 }),
      s("rect", { class: "wood", x: 14, y: 12, width: 48, height: 7 }),
      s("rect", { class: "table", x: 4, y: 19, width: 78, height: 8 }),
      s("rect", { class: "table", x: 12, y: 27, width: 6, height: 58 }),
      s("rect", { class: "table", x: 68, y: 27, width: 6, height: 58 }),
      way("M66 10 C88 10 98 28 102 50"),
      head(103, 56, 80),
      dieOn(104, 92),
    ],
  },
  {
    id: "off_board",
    group: "away",
    isFar: true,
    seen: lyingAt("off_board"),
    draw: () => [
      field(0, 70),
      block(70, 16, 40),
      way("M36 60 C48 20 90 4 124 26"),
      head(128, 29, 36),
      sign(110, 70, "?"),
    ],
  },
];

/**
 * The drawing of a situation, without its text.
 * @param {Situation} situation
 */
export function drawing(situation) {
  const viewBox = situation.isFar ? "0 0 140 100" : "10 16 120 84";
  return s(
    "svg",
    { class: "situation", viewBox, "aria-hidden": "true", focusable: "false" },
    ...situation.draw(),
  );
}
