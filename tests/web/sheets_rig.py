"""A page with only the tablet's sheets and an outbox in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Page, Route

from api.html.assets import assets
from api.html.templates import HEADERS
from tests.web.conftest import PATIENCE_MS, TABLET

ORIGIN = "https://sheets.test"
AT_MS = 60_000

_PAGE = """<!doctype html>
<html lang="{language}" data-theme="{theme}">
<head>
<meta charset="utf-8"><title>Sheets</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/shared/base.css">
<link rel="stylesheet" href="{base}/board/board.css">
<link rel="stylesheet" href="{base}/tablet/tablet.css">
<link rel="stylesheet" href="{base}/tablet/sheets/sheets.css">
</head>
<body class="tablet"><main><h1>Sheets</h1></main></body>
</html>"""

_START = """
async ([base, told, atMs, readings, terms]) => {
  const { fold } = await import(`${base}/fold/fold.js`);
  const { loadTexts } = await import(`${base}/shared/texts.js`);
  window.texts ??= loadTexts("tablet", "entry", "board", "echo", "notices");
  await window.texts;
  const { openMenu } = await import(`${base}/tablet/sheets/menu.js`);
  for (const left of document.querySelectorAll("dialog")) left.remove();
  const entryId = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

  class MemoryOutbox extends EventTarget {
    match_id = "match-1";
    log_id = "open";
    device = "tablet-1";
    terms = terms;
    entries = [];
    parked = [];
    recorded = [];
    attached = [];
    exported = 0;
    flushed = 0;
    refuses = null;
    status = {
      unsent: 2, ack_age_ms: 4000, link: "online", parked: 0, secure: true,
      signing: "ed25519", role: "scribe", lease: 1, alarm: null,
    };

    add({ tag, body, basis = "observed", schema = 1 }) {
      const version = this.entries.length + 1;
      const entry = {
        entry_id: entryId(version), version, tag, schema, basis, body, state: "saved",
      };
      this.entries = [...this.entries, entry];
      return entry;
    }

    async record(tag, body, options = {}) {
      return (await this.recordAll([{ tag, body, ...options }]))[0];
    }

    async recordAll(acts) {
      if (this.refuses !== null) throw new Error(this.refuses);
      const entries = acts.map((act) => this.add(act));
      this.recorded.push(
        ...entries.map(({ tag, basis, body }) => JSON.parse(JSON.stringify({ tag, basis, body }))),
      );
      this.dispatchEvent(new Event("change"));
      return entries;
    }

    async attach(file) {
      const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
      const hex = [...new Uint8Array(hash)].map((b) => b.toString(16).padStart(2, "0")).join("");
      this.attached.push(hex);
      return hex;
    }

    async flush() { this.flushed += 1; this.status = { ...this.status, unsent: 0 }; }
    async exportUnsent() { this.exported += 1; return new Blob(["{}"]); }
    close() {}
  }

  const outbox = new MemoryOutbox();
  for (const act of told) outbox.add(act);
  const context = {
    outbox,
    table: () => fold(outbox.entries, terms),
    names: { one: "Ada", two: "Ben" },
    atMs: () => atMs,
    readings: () => readings,
    profile: "no-assist",
    changed: () => { window.harness.changes += 1; },
  };
  window.harness = {
    outbox, context, changes: 0, closed: 0,
    open: () => { openMenu(context).then(() => { window.harness.closed += 1; }); },
  };
}
"""

Told = tuple[str, dict[str, Any]]


class Sheets:
    """The page, used by touch as a scribe uses the tablet."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self._language: str | None = None
        self.taps = 0

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def start(
        self,
        told: list[Told],
        *,
        at_ms: int | None = AT_MS,
        readings: dict[str, int | None] | None = None,
        language: str = "en",
        theme: str = "light",
        terms: dict[str, Any] | None = None,
    ) -> None:
        """Start again with a record of these entries."""
        if self._language != language:
            self.page.goto(f"{ORIGIN}/?language={language}&theme={theme}")
            self._language = language
        self.put_on(theme)
        acts = [{"tag": tag, "body": body} for tag, body in told]
        self.page.evaluate(_START, [self.base, acts, at_ms, readings, terms or {}])
        self.taps = 0

    def put_on(self, theme: str) -> None:
        """Set the theme of the page."""
        self.page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)

    def menu(self) -> None:
        """Open the menu, as the app's key does."""
        self.page.evaluate("window.harness.open()")
        self.dialog.wait_for()
        self.taps += 1

    def open(self, name: str) -> None:
        """Open a sheet by the menu."""
        self.menu()
        self.tap(self.dialog.locator(".rest > summary"))
        self.tap(self.dialog.locator(f".menu-groups [data-sheet={name}]"))
        self.page.locator("dialog.tablet-sheet:not(.menu)").wait_for()

    def tap(self, target: Locator) -> None:
        target.tap()
        self.taps += 1

    def group(self, legend: str) -> Locator:
        return self.dialog.get_by_role("group", name=legend, exact=True)

    def chip(self, legend: str, *labels: str) -> None:
        """Tap chips or keys under a legend."""
        for label in labels:
            self.tap(self.group(legend).get_by_role("button", name=label, exact=True))

    def fill(self, label: str, text: str) -> None:
        self.dialog.get_by_label(label, exact=True).fill(text)

    def key(self, label: str = "Record") -> None:
        self.tap(self.dialog.get_by_role("button", name=label, exact=True))

    def more(self, summary: str = "Details") -> None:
        """Open a collapsed part."""
        self.tap(self.dialog.locator("summary", has_text=summary))

    def place(self, *places: str) -> None:
        """Tap columns of the board on a sheet."""
        for place in places:
            self.tap(self.dialog.locator(f"tb-board [data-place='{place}']").first)

    def picture(self, words: str) -> None:
        self.tap(self.dialog.locator("button.picture", has_text=words).first)

    def unfold(self) -> None:
        """Open all collapsed parts."""
        self.dialog.locator("details").evaluate_all("all => all.forEach((one) => one.open = true)")

    def settle(self) -> None:
        """Wait until the board of a sheet is drawn."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => done(null)))")

    def recorded(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate("window.harness.outbox.recorded")
        return found

    def undoable(self) -> str | None:
        """The tag of the entry that the app's undo would take back."""
        found: str | None = self.page.evaluate(
            """async (base) => {
              const { undoable } = await import(`${base}/tablet/acts/acts.js`);
              const { context, outbox } = window.harness;
              return undoable(context.table(), outbox.entries).entry?.tag ?? null;
            }""",
            self.base,
        )
        return found

    def wait_closed(self) -> None:
        self.page.wait_for_function("() => window.harness.closed > 0")


def serve(context: BrowserContext) -> None:
    """Serve the page and all static files from disk, with the site's security policy."""
    kept = assets()

    def answer(route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.path == "/":
            asked = dict(part.split("=") for part in url.query.split("&"))
            page = _PAGE.format(base=_base(), **asked)
            route.fulfill(
                body=page,
                content_type="text/html; charset=utf-8",
                headers={"Content-Security-Policy": HEADERS["Content-Security-Policy"]},
            )
            return
        asset = kept.get(url.path.removeprefix(f"{_base()}/"))
        if asset is None:
            route.fulfill(status=404, body="")
            return
        route.fulfill(body=asset.body, content_type=asset.media_type)

    context.route(f"{ORIGIN}/**", answer)


def _base() -> str:
    return f"/static/{assets().digest}"


def open_sheets(new: Callable[..., BrowserContext], **options: Any) -> Sheets:
    """The page in a context of its own."""
    context = new(viewport=TABLET, has_touch=True, reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE_MS)
    serve(context)
    return Sheets(context.new_page(), _base())
