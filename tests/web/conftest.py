"""Fixtures for tests of pages and of the tablet: a real server and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx
import pytest
import uvicorn
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Playwright,
    expect,
    sync_playwright,
)
from starlette.requests import Request
from starlette.responses import Response

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from tests.web import axe
from tests.web.fonts import folders_of, font_config
from tests.web.kept import PORTS, Shelf
from tests.web.proxy import Proxy

PATIENCE_MS = 30_000
"""How long a page may take to show what is expected, on a busy machine."""

expect.set_options(timeout=PATIENCE_MS)

TABLET = {"width": 1180, "height": 820}
"""A tablet in landscape; its smaller sister is 1024 x 768."""

_FEATURES_OFF = (
    # A new frame host for each page of the same site: another 12 percent (three measured pairs).
    "RenderDocument",
    # Those that Playwright turns off, because Chromium takes only the last of such switches.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Renderers that are started, not forked, take 10 percent less processor time for the same
    # pages (six measured pairs). To start one takes 10 ms more.
    "--no-zygote",
    f"--disable-features={','.join(_FEATURES_OFF)}",
    # Pages live for seconds, too short for V8's optimising compiler to pay off. Without it, tests
    # take 7 to 11 percent less processor time (four measured pairs); packs and folds are as fast.
    # Garbage is collected on one thread, since four browsers share two cores: 3 percent.
    "--js-flags=--no-turbofan --no-maglev --single-threaded-gc",
]

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

AXE_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of axe that depend on colours."""

AXE_LOAD = """async (path) => {
  if (typeof window.axe !== "object") await import(path).catch(() => null);
  return typeof window.axe === "object";
}"""
"""Load axe from the page's own server, where that has it: 50 ms less than by the driver."""

AXE_RUN = """async ([exclude, tags, colours, hasOtherColours]) => {
  // A page that had every rule asked of it at this size has only its colours left to change.
  const root = document.documentElement;
  const look = [innerWidth, innerHeight, exclude, document.body.innerText, root.outerHTML].join();
  window.looksSeen ??= new Set();
  const isSeen = hasOtherColours || window.looksSeen.has(look);
  window.looksSeen.add(look);
  const asked = isSeen ? { type: "rule", values: colours } : { type: "tag", values: tags };
  return (await axe.run({ exclude }, { runOnly: asked, resultTypes: ["violations"] })).violations;
}"""
"""Report violations only: passed checks are most of axe's report, and not used."""

LOG = "open"

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of `http://`: without it each of them reads the machine's certificates, 40 ms."""


class Site(NamedTuple):
    """A running server, with tokens that may do everything."""

    url: str
    """Its address, `http://127.0.0.1:PORT`."""
    archive: Archive
    """The archive that it serves; tests may append to it directly."""
    token: str
    """An archivist's token."""
    director: str
    """A director's token for the log `open`."""

    def http(self, token: str | None = None) -> httpx.Client:
        """A client with a token (the archivist's unless another is named)."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, verify=NO_CERTIFICATES)

    def open_match(self, match_id: str | None = None, log_id: str = LOG, **body: Any) -> str:
        """Open a match of Ada and Ben to 5 points, or as in `body`; returns its id."""
        opening: dict[str, Any] = {
            "players": {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]},
            "length": 5,
            "table": "1",
            **body,
        }
        request: dict[str, Any] = {"opened": opening}
        if match_id is not None:
            request["match_id"] = match_id
        with self.http() as client:
            answer = client.post(f"/logs/{log_id}/matches", json=request)
        assert answer.status_code == 201, answer.text
        found: str = answer.json()["match_id"]
        return found

    def entries(self, match_id: str, log_id: str = LOG) -> list[dict[str, Any]]:
        """All entries of a match as the server has them."""
        with self.http() as client:
            answer = client.get(f"/logs/{log_id}/matches/{match_id}/events", params={"limit": 1000})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["entries"]
        return found


async def _axe(_: Request) -> Response:
    """The script of axe, which the page's policy allows from its own server."""
    headers = {"Cache-Control": "max-age=3600"}
    return Response(axe.source(), media_type="text/javascript", headers=headers)


class Served:
    """An app on a port of its own, in a thread; stops in order, or dies at once."""

    def __init__(
        self, archive: Archive, port: int | None = None, *, hall: str | None = None
    ) -> None:
        self.index = MatchIndex(archive.store, archive.reading)
        app = create_app(archive, Settings(db=archive.url), index=self.index, hall=hall)
        app.add_route(axe.PATH, _axe, include_in_schema=False)
        at_port = ("127.0.0.1", port or 0)
        self.socket = PORTS.listen() if port is None else socket.create_server(at_port)
        self.port: int = self.socket.getsockname()[1]
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        while not self.server.started:
            if not self.thread.is_alive():
                raise RuntimeError("the server ended before it had started")
            self.thread.join(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.socket.close()


@pytest.fixture
def site(sqlite_url: str) -> Iterator[Site]:
    """A server over a new archive with the log `open`."""
    archive = open_archive(sqlite_url)
    archive.open_tournament(LOG, "Lantern Open")
    token = archive.operator_token()
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    served = Served(archive)
    try:
        yield Site(f"http://127.0.0.1:{served.port}", archive, token, director)
    finally:
        served.stop()
        archive.close()


@pytest.fixture
def proxy(site: Site) -> Iterator[Proxy]:
    """A wire to the server that a test can cut, block, or rob of its answers."""
    wire = Proxy(int(site.url.rsplit(":", 1)[1]))
    yield wire
    wire.close()


DEAREST = (
    *("test_replay", "test_tablet", "test_sheets", "test_faults", "test_states", "test_from_zero"),
    *("test_public", "test_whole_match", "test_questions", "test_rounds", "test_room"),
    *("test_room_panel", "test_fold", "test_outbox", "test_cases", "test_hurry", "test_layout"),
    *("test_room_record", "test_goals", "test_widths"),
)
"""Files that take one to five minutes: they start first, so that no process ends long after all."""

WAITING = ("test_match_time", "test_hall", "test_interrupted", "test_notices", "test_plain_http")
"""Files whose tests mostly wait for clocks and polls. They are mixed among the longest files, as
the machine would be idle if all processes waited at once."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with an event loop run first, since the browser's driver leaves a loop running."""
    apart: list[pytest.Item] = []
    here: dict[str, list[pytest.Item]] = {}
    for item in items:
        is_here = Path(__file__).parent in item.path.parents
        (here.setdefault(item.path.stem, []) if is_here else apart).append(item)
    dearest = [item for stem in DEAREST for item in here.pop(stem, ())]
    waiting = [item for stem in WAITING for item in here.pop(stem, ())]
    places = [(place / len(dearest), item) for place, item in enumerate(dearest)]
    places += [(place / len(waiting), item) for place, item in enumerate(waiting)]
    mixed = [item for _, item in sorted(places, key=lambda one: one[0])]
    items[:] = [*apart, *mixed, *chain.from_iterable(here.values())]


# The browser is Debian's, because others cannot be downloaded everywhere.


def chromium_path() -> str | None:
    """The path of a Chromium; None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    return (
        # The same engine without a window or a desktop: an eighth less work for the machine.
        shutil.which("chromium-headless-shell")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


@pytest.fixture(scope="session")
def playwright_driver(require: Callable[[bool, str], None]) -> Iterator[Playwright]:
    """Playwright, if there is a browser that it can drive."""
    require(chromium_path() is not None, "there is no Chromium (CHROMIUM names one)")
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def chromium(playwright_driver: Playwright) -> Iterator[Browser]:
    """One browser for all tests of a process, with the fonts of the machine."""
    browser = playwright_driver.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGS)
    yield browser
    browser.close()


BrowserOf = Callable[[str], Browser]


@pytest.fixture(scope="session")
def browser_of(
    playwright_driver: Playwright,
    require: Callable[[bool, str], None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[BrowserOf]:
    """`browser_of("dejavu")`: a browser that has only the fonts of a named set."""
    opened: dict[str, Browser] = {}

    def of(fonts: str) -> Browser:
        if fonts not in opened:
            require(folders_of(fonts) is not None, f"the fonts {fonts} are not installed (uv sync)")
            config = font_config(fonts, tmp_path_factory.mktemp("fonts"))
            opened[fonts] = playwright_driver.chromium.launch(
                executable_path=chromium_path(),
                args=CHROMIUM_ARGS,
                env={**os.environ, "FONTCONFIG_FILE": str(config)},
            )
        return opened[fonts]

    yield of
    for browser in opened.values():
        browser.close()


NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def shelf(chromium: Browser) -> Iterator[Shelf]:
    """Cleared contexts of earlier tests."""
    kept = Shelf(PATIENCE_MS)
    with kept.watching():
        yield kept


@pytest.fixture
def new_context(
    request: pytest.FixtureRequest, chromium: Browser, site: Site, shelf: Shelf
) -> Iterator[NewContext]:
    """`new_context(base_url=..., color_scheme="dark", ...)`: a tablet of its own, touch and all.

    `fonts="dejavu"` has it drawn with that set of fonts (`tests/web/fonts.py`). A test fails on an
    exception or an error on the console that its page did not expect.

    There is no service worker, which would fetch all that the page has fetched once more, unless
    the test is marked `service_worker`: whoever reloads without a network, awaits a newer version
    or lives through an evening is. Nothing glides unless it is marked `moves`, which
    takes an eighth more of the processors: whole matches and fast fingers are.

    A test marked `warm` gets one that an earlier test had, cleared, with its page (`kept.py`);
    `cold=True` has a new one all the same, which has loaded nothing yet.
    """
    worker = request.node.get_closest_marker("service_worker")
    is_warm = request.node.get_closest_marker("warm") is not None
    moves = request.node.get_closest_marker("moves") is not None
    opened: list[BrowserContext] = []
    errors: list[str] = []
    shelf.is_spoiled = False

    def make(**options: Any) -> BrowserContext:
        expects_errors = options.pop("expects_errors", False)
        fonts = options.pop("fonts", None)
        is_cold = options.pop("cold", False) or worker is not None or not is_warm
        browser = chromium if fonts is None else request.getfixturevalue("browser_of")(fonts)
        wanted: dict[str, Any] = {
            "viewport": TABLET,
            "has_touch": True,
            "reduced_motion": "no-preference" if moves else "reduce",
            "service_workers": "block" if worker is None else "allow",
            "base_url": site.url,
            "locale": "en-GB",
            **options,
        }
        heard = None if expects_errors else errors
        if not is_cold and (kept := shelf.take(browser, wanted, heard)) is not None:
            return kept
        context = browser.new_context(**wanted)
        with shelf.unnoticed():
            context.set_default_timeout(PATIENCE_MS)
            if not expects_errors:
                context.on("weberror", lambda error: errors.append(str(error.error)))
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    shelf.give_back()
    assert not errors, "\n".join(errors)


@pytest.fixture
def page(new_context: NewContext) -> Page:
    """A page of a tablet."""
    return new_context().new_page()


@pytest.fixture
def sign_in(site: Site) -> Callable[[BrowserContext], None]:
    """`sign_in(context)` or `sign_in(context, token)`: the director's cookie."""

    def with_cookie(context: BrowserContext, token: str | None = None) -> None:
        answer = context.request.post(f"{site.url}/session", data={"token": token or site.director})
        assert answer.ok, answer.text()

    return with_cookie


Theme = Literal["light", "dark"]

THEMES: tuple[Theme, ...] = ("light", "dark")

Size = tuple[int, int]
"""Width and height in CSS pixels."""


def at_every_look(
    page: Page,
    sizes: Sequence[Size],
    check: Callable[[str, Size], None],
    *,
    themes: Sequence[Theme] = THEMES,
) -> None:
    """Calls `check("dark-1024", (1024, 768))` for the page at each size in each theme.

    Only style sheets depend on size and theme, so the page is not reloaded. At the end it has the
    first size and theme again.
    """
    for theme, size in product(themes, sizes):
        _look(page, theme, size)
        try:
            check(f"{theme}-{size[0]}", size)
        except AssertionError as wrong:
            wrong.add_note(f"{page.url}, {theme}, {size[0]} x {size[1]}")
            raise
    _look(page, themes[0], sizes[0])


def _look(page: Page, theme: Theme, size: Size) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def check_axe(
    page: Page, *, exclude: tuple[str, ...] = (), has_other_colours: bool = False
) -> None:
    """Assert that axe finds no violation of WCAG 2.2 A and AA, or of its best practices.

    `has_other_colours`: the same elements were checked before, so only rules on colours run here.
    """
    # Keys that have just replaced others are inert for a moment: wait for them.
    page.wait_for_function("() => document.querySelector('[inert]') === null")
    if not page.evaluate(AXE_LOAD, axe.PATH):
        # Injected by the driver, because the page's policy allows no foreign script.
        page.evaluate(axe.source())
    asked = [[[one] for one in exclude], AXE_TAGS, AXE_COLOURS, has_other_colours]
    violations = page.evaluate(AXE_RUN, asked)
    told = [
        f"{violation['id']} ({violation['impact']}): {violation['help']}\n"
        + "\n".join(
            f"    {node['html'][:200]} {node['failureSummary']}" for node in violation["nodes"][:4]
        )
        for violation in violations
    ]
    assert not told, "\n".join(told)


def check_targets(page: Page, *, least: float = 44, apart: str = ".unseen") -> None:
    """Assert that every visible control is at least `least` pixels wide and high.

    Links in text are exempt. A checkbox or radio button in a label counts as large as the label.
    Controls within `apart` are not checked.
    """
    small = page.evaluate(
        """([least, apart]) => [...document.querySelectorAll(
            'button, [role=button], summary, select, input, a.button')]
          .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('.unseen')
            && !e.closest(apart))
          .map((e) => e.closest('label') ?? e)
          .map((e) => [e.outerHTML.slice(0, 120), e.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && Math.min(box.width, box.height) < least - 0.5)
          .map(([html, box]) => `${Math.round(box.width)}x${Math.round(box.height)} ${html}`)""",
        [least, apart],
    )
    assert not small, "\n".join(small)


def tick(chip: Locator, *, on: bool) -> None:
    """Tick a chip or not, as a finger does: on its place, whatever is drawn anew there."""
    if chip.locator("input").is_checked() is not on:
        chip.tap()
    expect(chip.locator("input")).to_be_checked(checked=on)


def shot(page: Page, name: str) -> None:
    """Save a picture of the page for people, if `TABULARIUM_SHOTS` names a folder."""
    folder = os.environ.get("TABULARIUM_SHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")
