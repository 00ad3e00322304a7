// For unattended screens: fetches the page again every few seconds, and hands out what is new.

const PATIENCE_MS = 8_000;

/** Statuses after which the content must not stay on the screen. */
const REFUSED = [401, 403, 404];

/**
 * Callbacks for the kinds of answers.
 *
 * @typedef {object} Done
 * @property {(fresh: HTMLElement) => unknown} came gets the element of the new page
 * @property {() => unknown} gone the content must not be shown any more
 * @property {() => unknown} [same] nothing has changed
 * @property {() => unknown} [lost] no usable answer this time
 */

/**
 * Fetch this page now and again and again, and hand out its element with an id.
 *
 * @param {string} id
 * @param {number} every_ms the pause after each answer, in milliseconds
 * @param {Done} done
 * @param {RequestCredentials} [credentials]
 */
export function askAgain(id, every_ms, { came, gone, same, lost }, credentials = "same-origin") {
  /** @type {string | null} */
  let etag = null;
  const ask = async () => {
    const answer = await fetch(location.href, {
      headers: etag ? { "If-None-Match": etag } : {},
      cache: "no-store",
      credentials,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (REFUSED.includes(answer.status)) {
      etag = null;
      return gone();
    }
    if (answer.status === 304) return same?.();
    const page = answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
    const fresh = page?.getElementById(id) ?? null;
    if (fresh === null) return lost?.();
    await came(document.adoptNode(fresh));
    etag = answer.headers.get("ETag");
  };
  const goOn = () => {
    const later = () => setTimeout(goOn, every_ms);
    void ask().catch(() => lost?.()).then(later);
  };
  goOn();
}
