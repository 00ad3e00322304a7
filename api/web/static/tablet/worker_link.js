// The page's side of its service worker: registered where it can be, replaced only between matches.

/** Register it; an origin that is not secure has none, and the header says what that means. */
export async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    // A certificate that nobody trusts lets no worker in: the page works, a reload needs the network.
  }
}

/** Between matches a newer version may take over; the page is loaded anew with it. */
export async function takeOver() {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration?.waiting) return;
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  registration.waiting.postMessage("take-over");
}
