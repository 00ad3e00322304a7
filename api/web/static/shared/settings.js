// The settings of this browser: theme, colours of the board, direction, sound.

/**
 * @typedef {object} Choices
 * @property {"auto" | "light" | "dark"} theme
 * @property {string} colours colour set of the board
 * @property {"right" | "left"} direction side on which the player at the bottom bears off
 * @property {import("./types").Seat} bottom who sits at the bottom
 * @property {"turn" | "bottom"} numbers from whose side a tablet numbers the points
 * @property {boolean} sound whether taps make a sound
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
 * The current settings; the defaults if the browser has stored none.
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
 * Change some settings, store them if possible, and call the listeners.
 *
 * @param {Partial<Choices>} changed
 */
export function choose(changed) {
  const now = { ...choices(), ...changed };
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // A private window may store nothing: the setting holds until the page is left.
  }
  apply(now);
  for (const listener of listeners) listener(now);
}

/**
 * Add a listener to changes.
 *
 * @param {(choices: Choices) => void} listener
 */
export function onChoice(listener) {
  listeners.add(listener);
}

/**
 * Apply the theme and the colours to the page.
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
 * Store a text for the next page, if the browser allows it; no recorded act depends on it.
 *
 * @param {string} key
 * @param {string} text
 */
export function remember(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The storage is full or blocked; entries are stored elsewhere.
  }
}
