// A page on a screen that nobody touches: it asks for itself every few seconds, and puts in what came.

const PATIENCE_MS = 8_000;

/** Answers after which what is on the screen may not stay there. */
const REFUSED = [401, 403, 404];

/**
 * What is done with an answer.
 *
 * @typedef {object} Done
 * @property {(fresh: HTMLElement) => unknown} came the element as it stands now
 * @property {() => unknown} gone it may not be shown any more
 * @property {() => unknown} [same] nothing has changed since
 * @property {() => unknown} [lost] no answer, or none that says anything; the next may
 */

/**
 * Ask for this page now and from then on, and hand out its element of that id.
 *
 * @param {string} id
 * @param {number} every_ms the pause behind each answer, milliseconds
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
