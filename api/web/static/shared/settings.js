// What one person chose for this browser: theme, colours of the board, direction, sound.

/**
 * @typedef {object} Choices
 * @property {"auto" | "light" | "dark"} theme
 * @property {string} colours colour set of the board
 * @property {"right" | "left"} direction side on which the player at the bottom bears off
 * @property {import("./types").Seat} bottom who sits at the bottom
 * @property {"turn" | "bottom"} numbers from whose side a tablet numbers the points
 * @property {boolean} sound whether a tap is heard
 */

const KEY = "tabularium.choices";

/** @type {Choices} */
const DEFAULTS = {
  theme: "auto",
  colours: "walnut",
  direction: "right",
  bottom: "one",
  numbers: "turn",
  sound: false,
};

/** @type {Set<(choices: Choices) => void>} */
const listeners = new Set();

/**
 * The choices as they stand. A browser that keeps nothing has the defaults.
 *
 * @returns {Choices}
 */
export function choices() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

/**
 * Change some choices, keep them if the browser lets us, and tell who listens.
 *
 * @param {Partial<Choices>} changed
 */
export function choose(changed) {
  const now = { ...choices(), ...changed };
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // A private window may keep nothing: the choice holds until the page is left.
  }
  apply(now);
  for (const listener of listeners) listener(now);
}

/**
 * Hear of every change.
 *
 * @param {(choices: Choices) => void} listener
 */
export function onChoice(listener) {
  listeners.add(listener);
}

/**
 * Put the theme and the colours on the page.
 *
 * @param {Choices} [now]
 */
export function apply(now = choices()) {
  const root = document.documentElement;
  if (now.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = now.theme;
  root.dataset.colours = now.colours;
}

/**
 * Keep a text for the next page, if the browser lets us: nobody's act hangs on that.
 *
 * @param {string} key
 * @param {string} text
 */
export function remember(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Full, or closed to us: what is recorded lies elsewhere, and the page goes on.
  }
}
