// The tablet's service worker: keeps the recorder for a reload without a network, and no data.
// VERSION, FILES and LATER are put before this text by the server.

const CACHE = `tabularium-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))),
    ),
  );
});

// A new version waits until no match is being recorded: the page says when it may take over.
self.addEventListener("message", (event) => {
  if (event.data === "take-over") event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith("tabularium-") && name !== CACHE)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const isLater = LATER.includes(url.pathname);
  const isKept = url.pathname === "/tablet" || FILES.includes(url.pathname);
  if (!isKept && !isLater) return;
  // The page and its modules come from one version together; the query (a pairing code) is read
  // by the page itself.
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) =>
        cache.match(url.pathname).then((kept) => kept ?? (isLater ? added(cache, request) : fetch(request))),
      ),
  );
});

// What is rarely wanted is kept from its first use on.
async function added(cache, request) {
  const answer = await fetch(request);
  if (answer.ok) await cache.put(new URL(request.url).pathname, answer.clone());
  return answer;
}
