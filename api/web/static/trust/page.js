// Tests whether this device trusts the server and a tablet would work offline, then goes on.

/** How often trust is tested again, while a person changes the device's settings. */
const AGAIN_MS = 4_000;

/** How long caching the tablet's files may take on a slow network. */
const WORKER_MS = 60_000;

const place = /** @type {HTMLElement} */ (document.getElementById("trust"));
const goOn = /** @type {HTMLAnchorElement} */ (document.getElementById("go-on"));
const again = /** @type {HTMLButtonElement} */ (document.getElementById("again"));
const isSecure = location.protocol === "https:";
let isBusy = false;

/** The address to go on to: the tablet, with the code of the director's QR, or the given page. */
function target() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // Until https is trusted, the code stays in the fragment, so that it is never sent over http.
  return code === null ? (place.dataset.next ?? "/tablet") : `/tablet?code=${encodeURIComponent(code)}`;
}

/** Whether the person was on the way to another page. */
function isOnTheWay() {
  return location.hash.startsWith("#code=") || new URLSearchParams(location.search).has("next");
}

/** @param {string} state */
function show(state) {
  place.dataset.state = state;
  again.hidden = state === "checking" || state === "works" || state === "trusted";
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url, { cache: "no-store", credentials: "omit" })).ok;
  } catch {
    return false;
  }
}

/** Over plain http: test whether https of the same host is trusted. */
async function checkTrust() {
  const secure = `https://${location.host}`;
  goOn.href = `${secure}/trust${location.search}${location.hash}`;
  if (await answers(`${secure}/trust/probe`)) {
    show("trusted");
    // The other test needs https.
    location.replace(goOn.href);
    return;
  }
  show((await answers("/trust/probe")) ? "untrusted" : "unanswered");
}

/** Over https: test whether the tablet's files are cached for reloads without a network. */
async function checkWorker() {
  goOn.href = target();
  if (!(await keepsFiles())) {
    show("no_worker");
    return;
  }
  show("works");
  if (isOnTheWay()) location.replace(target());
}

/** Whether the worker caches the files; browsers refuse it if a warning was only skipped. */
async function keepsFiles() {
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return false;
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    return false;
  }
  const late = new Promise((resolve) => setTimeout(resolve, WORKER_MS, false));
  return Promise.race([navigator.serviceWorker.ready.then(() => true), late]);
}

async function check() {
  if (isBusy) return;
  isBusy = true;
  try {
    await (isSecure ? checkWorker() : checkTrust());
  } finally {
    isBusy = false;
  }
}

// iPads claim to be a Macintosh, but a Macintosh has no touch screen.
if (/Macintosh/.test(navigator.userAgent)) {
  const other = navigator.maxTouchPoints > 1 ? "mac" : "ipad";
  document.querySelector(`[data-system="${other}"]`)?.removeAttribute("open");
}
again.addEventListener("click", () => {
  show("checking");
  void check();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && place.dataset.state !== "works") void check();
});
setInterval(() => {
  if (!document.hidden && ["untrusted", "unanswered"].includes(place.dataset.state ?? "")) void check();
}, AGAIN_MS);
show("checking");
void check();
