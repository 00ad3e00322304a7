// The tablet's service worker: caches the recorder's files for reloads without a network, no data.
// The server puts VERSION, FILES and LATER before this text.

const CACHE = `tabularium-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))),
    ),
  );
});

// A new version waits until no match is being recorded: the page sends "take-over" then.
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
  // Page and modules come from the cache of one version. The query, such as a pairing code, is
  // left out of the look-up: the page reads it itself.
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) =>
        cache.match(url.pathname).then((kept) => kept ?? (isLater ? added(cache, request) : fetch(request))),
      ),
  );
});

// Files that are rarely needed are cached when they are first used.
async function added(cache, request) {
  const answer = await fetch(request);
  if (answer.ok) await cache.put(new URL(request.url).pathname, answer.clone());
  return answer;
}
