// The texts for readers, in the page's language; Python's pages use the same files.

/** @type {Record<string, string>} */
const texts = {};

const KEY = "tabularium.language";

/** Language of the page: "en" or "de". */
export const language = chosen() ?? (document.documentElement.lang === "de" ? "de" : "en");
document.documentElement.lang = language;

/**
 * The language chosen on the tablet, whose page the worker caches in the language of the first
 * request. Null on pages that the server renders in the requested language.
 *
 * @returns {"en" | "de" | null}
 */
function chosen() {
  if (!document.body.classList.contains("tablet")) return null;
  const asked = new URL(location.href).searchParams.get("lang");
  try {
    if (asked !== null) localStorage.setItem(KEY, asked);
    const kept = localStorage.getItem(KEY);
    return kept === "de" || kept === "en" ? kept : null;
  } catch {
    return asked === "de" || asked === "en" ? asked : null;
  }
}

/**
 * Load files of texts; must be awaited before `t` is called.
 *
 * @param {...string} rooms names of the files in `texts/<language>/`
 */
export async function loadTexts(...rooms) {
  const files = [...new Set(["common", ...rooms])].map((room) =>
    fetch(new URL(`../texts/${language}/${room}.json`, import.meta.url)),
  );
  for (const answer of await Promise.all(files)) {
    if (!answer.ok) throw new Error(`no texts at ${answer.url}`);
    Object.assign(texts, await answer.json());
  }
}

/** Letters of scripts that are written from right to left. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A value, with a direction mark after a right-to-left name: 3-1 behind it would read 1-3. @param {string} value */
const apart = (value) => (FROM_THE_RIGHT.test(value) ? `${value}\u200e` : value);

/**
 * A text with its placeholders filled: `{name}` with its value, `{name:point|points}` with the word
 * for a count.
 *
 * @param {string} text
 * @param {Record<string, string | number>} values
 * @param {(place: string) => string} missing gives the text for a placeholder without a value
 */
export function placed(text, values, missing) {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}]*))?\}/g, (place, name, one, more) => {
    if (!(name in values)) return missing(place);
    if (one === undefined) return apart(String(values[name]));
    return String(values[name]) === "1" ? one : more;
  });
}

/**
 * The text of a key, with placeholders filled. A key without a text is shown as it is, which is
 * better at the board than a screen that fails.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return placed(texts[key] ?? key, values, (place) => place);
}

/**
 * Whether a key has a text; words of the record may be newer than the texts.
 *
 * @param {string} key
 */
export function hasText(key) {
  return key in texts;
}
