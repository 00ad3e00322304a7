// Every text that a person reads, in the page's language; Python's pages read the same files.

/** @type {Record<string, string>} */
const texts = {};

/** Language of the page: "en" or "de". */
export const language = document.documentElement.lang === "de" ? "de" : "en";

/**
 * Load the texts of these rooms; to be awaited before `t` is called.
 *
 * @param {...string} rooms names of the files in `texts/<language>/`
 */
export async function loadTexts(...rooms) {
  const files = [...new Set(["common", ...rooms])].map((room) =>
    fetch(new URL(`./texts/${language}/${room}.json`, import.meta.url)),
  );
  for (const answer of await Promise.all(files)) {
    if (!answer.ok) throw new Error(`no texts at ${answer.url}`);
    Object.assign(texts, await answer.json());
  }
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
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * Whether there is a text of this key: for words of the record that may be new.
 *
 * @param {string} key
 */
export function hasText(key) {
  return key in texts;
}
