// Every text that a person reads, in the page's language; Python's pages read the same files.

/** @type {Record<string, string>} */
const texts = {};

const KEY = "tabularium.language";

/** Language of the page: "en" or "de". */
export const language = chosen() ?? (document.documentElement.lang === "de" ? "de" : "en");
document.documentElement.lang = language;

/**
 * The language that was chosen for the recorder: its page comes out of the worker's cache in the
 * language of whoever opened it first. Null on pages that come from the server as they were asked.
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
 * Load the texts of these rooms; to be awaited before `t` is called.
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

/**
 * A text with its places filled: `{name}` with its value, `{name:point|points}` with the word beside a count.
 *
 * @param {string} text
 * @param {Record<string, string | number>} values
 * @param {(place: string) => string} missing what stands where there is no value
 */
export function placed(text, values, missing) {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}]*))?\}/g, (place, name, one, more) => {
    if (!(name in values)) return missing(place);
    if (one === undefined) return String(values[name]);
    return String(values[name]) === "1" ? one : more;
  });
}

/**
 * A text, with `{name}` replaced by its value. A key that no file has is shown as it is: a word too
 * technical is better at the board than a screen that stops.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return placed(texts[key] ?? key, values, (place) => place);
}

/**
 * Whether there is a text of this key: for words of the record that may be new.
 *
 * @param {string} key
 */
export function hasText(key) {
  return key in texts;
}
