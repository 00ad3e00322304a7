// Replaces parts of a page by newly fetched ones, so that only the server renders matches.

/**
 * Fetch a page, and replace the elements with these ids by those of the fetched page.
 *
 * @param {string} url
 * @param {string[]} ids
 * @returns {Promise<boolean>} whether the server answered with the page
 */
export async function swap(url, ids) {
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  if (!answer.ok) return false;
  // Parsed as a separate document: no script of it runs.
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const [old, found] = [document.getElementById(id), fresh.getElementById(id)];
    if (old !== null && found !== null) replaceKeepingFocus(old, document.adoptNode(found));
  }
  return true;
}

/**
 * @param {HTMLElement} old
 * @param {HTMLElement} found
 */
function replaceKeepingFocus(old, found) {
  const focused = document.activeElement;
  const id = focused instanceof HTMLElement && old.contains(focused) ? focused.id : "";
  old.replaceWith(found);
  if (id === "") return;
  const again = document.getElementById(id) ?? found.querySelector(".way");
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * The data of the part `now`: version shown, last version, words, state of the match.
 *
 * @returns {{ version: number, last: number, words: string, state: string }}
 */
export function shownNow() {
  const { version, last, words, state = "", awaits } = document.getElementById("now")?.dataset ?? {};
  return {
    version: Number(version ?? 0),
    last: Number(last ?? 0),
    words: words ?? "",
    state: awaits === undefined ? state : `${state}, a ruling is awaited`,
  };
}
