// Times of films: as text, parsed from text, and as part of a link to another site.

/**
 * Milliseconds as text: 1:02:03.
 *
 * @param {number} ms
 */
export function timeOf(ms) {
  const seconds = Math.floor(ms / 1_000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * Milliseconds from 1:02:03.5, 2:03 or 123; null if the text is not a time.
 *
 * @param {string} text
 * @returns {number | null}
 */
export function msOf(text) {
  const found = /^\s*(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6})(?:[.,](\d{1,3}))?\s*$/.exec(text);
  if (found === null) return null;
  const [hours = 0, minutes = 0, seconds] = found.slice(1, 4).map((part) => Number(part ?? 0));
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + Number((found[4] ?? "").padEnd(3, "0"));
}

/**
 * The address of a film at a time, in the form of its site, else as a media fragment (W3C Media
 * Fragments URI 1.0, 4.2.1).
 *
 * @param {string} link
 * @param {number | null} ms
 */
export function linkAt(link, ms) {
  if (ms === null) return link;
  const url = new URL(link);
  const seconds = Math.floor(ms / 1_000);
  const host = url.hostname.replace(/^(?:www|m)\./, "");
  if (host === "youtu.be" || host === "youtube.com") {
    url.searchParams.set("t", `${seconds}s`);
  } else if (host === "twitch.tv") {
    const [hours, minutes, rest] = timeOf(ms).split(":").map(Number);
    url.searchParams.set("t", `${hours}h${minutes}m${rest}s`);
  } else if (host === "vimeo.com") {
    url.hash = `t=${seconds}s`;
  } else {
    url.hash = `t=${seconds}`;
  }
  return url.href;
}
