// Registers the service worker, and lets a newer one take over only between matches.

import { quietly } from "../shared/http.js";

/** How long requests pause so that a newer worker can take over. */
const QUIET_MS = 5_000;

/** Register the worker; impossible on an insecure origin, which the header shows. */
export async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    // With an untrusted certificate there is no worker: a reload then needs the network.
  }
}

/**
 * Let a newer version take over now or as soon as it is loaded, and reload the page with it.
 * @param {AbortSignal} signal aborts when a match begins: later versions wait for its end
 */
export async function takeOver(signal) {
  const { serviceWorker: workers } = navigator;
  // A page without a controlling worker came from the server and is up to date.
  if (!workers?.controller) return;
  const registration = await workers.getRegistration();
  if (!registration) return;
  const replace = () => {
    const { waiting } = registration;
    // Chromium replaces the old worker only while it is idle; one request at that moment can
    // delay the newer one for minutes.
    if (waiting && !signal.aborted) void quietly(async () => signal.aborted || replaced(workers, waiting));
  };
  const come = () => registration.installing?.addEventListener("statechange", replace);
  registration.addEventListener("updatefound", come, { signal });
  come();
  replace();
  // A tablet that is never reloaded would not check for updates by itself.
  await registration.update().catch(() => {});
}

/**
 * Activate the waiting worker and reload; resolves after `QUIET_MS` if that has not happened.
 * @param {ServiceWorkerContainer} workers
 * @param {ServiceWorker} waiting
 */
function replaced(workers, waiting) {
  workers.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage("take-over");
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}
