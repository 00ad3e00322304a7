// Following a match: the server tells that something was recorded, and the page is drawn again.

/** Milliseconds between two looks at most: a roll and its play often come together. */
const PAUSE = 400;

/** Milliseconds after which a line that the server has closed is tried again. */
const PATIENCE = 5_000;

/**
 * Follow a live match until it is over; what the line does is told in the status element.
 *
 * @param {HTMLElement} status with the address and the words in its data attributes
 * @param {() => Promise<void>} draw draws what is new
 */
export function followLive(status, draw) {
  const { live, following, lost } = status.dataset;
  let isDrawing = false;
  let isStale = false;
  let wasLost = false;

  /** Draw once for everything that came meanwhile. */
  async function drawSoon() {
    isStale = true;
    if (isDrawing) return;
    isDrawing = true;
    while (isStale) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      isStale = false;
      await draw().catch(() => {
        // The line is down: the event source says so, and its return draws again.
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
 * Keep a line on which the server tells of every entry and of disputes, opened again when it breaks.
 *
 * @param {string} address
 * @param {() => string | number} after the version behind which to begin, at each opening
 * @param {object} on
 * @param {(event: MessageEvent<string>) => void} on.heard
 * @param {() => void} [on.opened]
 * @param {() => void} [on.broke]
 */
export function keepLine(address, after, { heard, opened, broke }) {
  /** Which erasure the server had told of last when the page was read. @type {unknown} */
  let erased;

  function open() {
    const source = new EventSource(`${address}?after=${after()}`);
    source.addEventListener("open", () => opened?.());
    source.addEventListener("error", () => {
      broke?.();
      if (source.readyState === EventSource.CLOSED) void lookAgain();
    });
    // Somebody was erased: the whole page is read anew, whatever it shows of them.
    source.addEventListener("erased", () => location.reload());
    // That may have happened while the line was lost.
    source.addEventListener("names", ({ data }) => {
      const last = JSON.parse(data).erased;
      if (erased !== undefined && erased !== last) location.reload();
      erased = last;
    });
    for (const kind of ["entry", "corrected", "standing"]) source.addEventListener(kind, heard);
  }

  /** The server has ended the line: either the match is shown no longer, or it is only busy. */
  async function lookAgain() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    // What is not for the public any more must not stay on the screen: the page says why.
    if (answer !== null && !answer.ok) location.reload();
    else setTimeout(open, PATIENCE);
  }

  open();
}
