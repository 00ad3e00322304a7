// Follows a live match: redraws the page when the server's event stream announces entries.

/** Milliseconds to wait before redrawing, since a roll and its play often come together. */
const PAUSE = 400;

/** Milliseconds before a stream that the server closed is opened again. */
const PATIENCE = 5_000;

/**
 * Follow a live match, and show in the status element whether the stream is open.
 *
 * @param {HTMLElement} status has the address and the texts in its data attributes
 * @param {() => Promise<void>} draw redraws the page
 */
export function followLive(status, draw) {
  const { live, following, lost } = status.dataset;
  let isDrawing = false;
  let isStale = false;
  let wasLost = false;

  /** Redraw soon, once for everything that comes until then. */
  async function drawSoon() {
    isStale = true;
    if (isDrawing) return;
    isDrawing = true;
    while (isStale) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      isStale = false;
      await draw().catch(() => {
        // The network is down: the stream's return will redraw.
      });
    }
    isDrawing = false;
  }

  /** @param {string | undefined} words @param {boolean} isLost */
  function tell(words, isLost) {
    status.classList.toggle("lost", isLost);
    if (status.textContent !== words) status.textContent = words ?? "";
  }

  keepLine(live ?? "", () => document.getElementById("now")?.dataset.last ?? "0", {
    heard: () => void drawSoon(),
    opened() {
      tell(following, false);
      if (wasLost) void drawSoon();
      wasLost = false;
    },
    broke() {
      wasLost = true;
      tell(lost, true);
    },
  });
}

/**
 * Keep the event stream of a match open; it announces entries, corrections and disputes.
 *
 * @param {string} address
 * @param {() => string | number} after the version after which to start, at each opening
 * @param {object} on
 * @param {(event: MessageEvent<string>) => void} on.heard
 * @param {() => void} [on.opened]
 * @param {() => void} [on.broke]
 */
export function keepLine(address, after, { heard, opened, broke }) {
  /** The server's last erasure of a person at the first opening. @type {unknown} */
  let erased;

  function open() {
    const source = new EventSource(`${address}?after=${after()}`);
    source.addEventListener("open", () => opened?.());
    source.addEventListener("error", () => {
      broke?.();
      if (source.readyState === EventSource.CLOSED) void lookAgain();
    });
    // A person was erased, whose name the page may show: reload it.
    source.addEventListener("erased", () => location.reload());
    // The erasure may have happened while the stream was down.
    source.addEventListener("names", ({ data }) => {
      const last = JSON.parse(data).erased;
      if (erased !== undefined && erased !== last) location.reload();
      erased = last;
    });
    for (const kind of ["entry", "corrected", "standing"]) source.addEventListener(kind, heard);
  }

  /** After the server has closed the stream: reload if the page is gone, else open it again. */
  async function lookAgain() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    // A match that is no longer public must not stay on the screen.
    if (answer !== null && !answer.ok) location.reload();
    else setTimeout(open, PATIENCE);
  }

  open();
}
