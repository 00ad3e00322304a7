// Swapping parts of a page for those that the server draws now, so that it alone draws a match.

/**
 * Fetch a page of ours and put its elements in the place of those here with the same ids.
 *
 * @param {string} url
 * @param {string[]} ids
 * @returns {Promise<boolean>} whether the server gave them
 */
export async function swap(url, ids) {
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  if (!answer.ok) return false;
  // Parsed apart from the page: nothing of it runs, and only the named parts are taken over.
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
 * What the part `now` shows: version, words, the last version there is, and how far the match is.
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
