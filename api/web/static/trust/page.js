// Whether this device trusts the server, and whether a tablet would work offline; then leads on.

/** How often an untrusted device is asked again: somebody is busy in its settings meanwhile. */
const AGAIN_MS = 4_000;

/** How long the tablet's files may take to be kept, on a slow network. */
const WORKER_MS = 60_000;

const place = /** @type {HTMLElement} */ (document.getElementById("trust"));
const goOn = /** @type {HTMLAnchorElement} */ (document.getElementById("go-on"));
const again = /** @type {HTMLButtonElement} */ (document.getElementById("again"));
const isSecure = location.protocol === "https:";
let isBusy = false;

/** Where this page leads: to the tablet with the code that a director's QR carried, or as asked. */
function target() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // A code is never sent over plain http: it stays in the fragment until https is trusted.
  return code === null ? (place.dataset.next ?? "/tablet") : `/tablet?code=${encodeURIComponent(code)}`;
}

/** Whether somebody was led here on the way to somewhere else. */
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

/** Over plain http: is the same address trusted over https? */
async function checkTrust() {
  const secure = `https://${location.host}`;
  goOn.href = `${secure}/trust${location.search}${location.hash}`;
  if (await answers(`${secure}/trust/probe`)) {
    show("trusted");
    // What only a trusted address can do is tested there.
    location.replace(goOn.href);
    return;
  }
  show((await answers("/trust/probe")) ? "untrusted" : "unanswered");
}

/** Over https: will the tablet's files be kept for a reload without a network? */
async function checkWorker() {
  goOn.href = target();
  if (!(await keepsFiles())) {
    show("no_worker");
    return;
  }
  show("works");
  if (isOnTheWay()) location.replace(target());
}

/** A click past a warning opens pages, but lets no service worker in. */
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

// An iPad says that it is a Macintosh, which has no touch screen.
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
