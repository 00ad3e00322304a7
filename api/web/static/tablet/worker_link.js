// The page's side of its service worker: registered where it can be, replaced only between matches.

import { quietly } from "../shared/http.js";

/** How long the tablet asks the server nothing so that a newer worker can take over. */
const QUIET_MS = 5_000;

/** Register it; an origin that is not secure has none, and the header says what that means. */
export async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    // A certificate that nobody trusts lets no worker in: the page works, a reload needs the network.
  }
}

/**
 * Between matches a newer version may take over, now or as soon as it has come; the page is loaded
 * anew with it.
 * @param {AbortSignal} signal a match begins: what comes from then on waits for its end
 */
export async function takeOver(signal) {
  const { serviceWorker: workers } = navigator;
  // Without one that rules this page nothing is replaced: what is here came from the server.
  if (!workers?.controller) return;
  const registration = await workers.getRegistration();
  if (!registration) return;
  const replace = () => {
    const { waiting } = registration;
    // Chromium lets the old one go when it has nothing to do; a request that comes just then can
    // leave the newer one waiting for minutes.
    if (waiting && !signal.aborted) void quietly(async () => signal.aborted || replaced(workers, waiting));
  };
  const come = () => registration.installing?.addEventListener("statechange", replace);
  registration.addEventListener("updatefound", come, { signal });
  come();
  replace();
  // A tablet that is never loaded anew would not ask; without a network there is nothing to ask.
  await registration.update().catch(() => {});
}

/**
 * Until the newer worker rules the page, which is then loaded anew; at most `QUIET_MS`.
 * @param {ServiceWorkerContainer} workers
 * @param {ServiceWorker} waiting
 */
function replaced(workers, waiting) {
  workers.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage("take-over");
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}
