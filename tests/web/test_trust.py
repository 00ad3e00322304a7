"""From plain http to a tablet that works offline: the trust page and its checks."""

from __future__ import annotations

import base64
import datetime
import hashlib
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from playwright.sync_api import BrowserContext, Playwright, expect

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.hall.authority import Trust, prepare
from api.hall.doorway import Doorway
from api.hall.places import Bounds, Places
from api.settings import Settings
from tests.web.conftest import (
    CHROMIUM_ARGS,
    PATIENCE_MS,
    TABLET,
    check_axe,
    check_targets,
    chromium_path,
    shot,
)

HALL = "hall.local"


class Hall:
    """A server that speaks https and plain http on one port."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        now = datetime.datetime.now(datetime.UTC)
        papers = prepare(folder, [HALL, "127.0.0.1"], now=now)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(papers.chain_file)
        listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = listening.getsockname()[1]
        self.plain, self.secure = (f"{scheme}://{HALL}:{self.port}" for scheme in ("http", "https"))
        self.papers = papers
        self.index = MatchIndex(archive.store, archive.reading)
        trust = Trust(self.plain, self.secure, papers)
        settings = Settings(db=archive.url)
        app = create_app(archive, settings, index=self.index, hall=self.secure, trust=trust)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        self.server = Doorway(config, app.state.door.hub.close, context, Places(Bounds()))
        self.thread = threading.Thread(target=self.server.run, args=([listening],), daemon=True)
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            self.thread.join(0.01)

    @property
    def pin(self) -> str:
        """The server's key as Chromium takes a pin: it stands in for an authority taken in."""
        key = self.papers.server.public_key()
        spki = key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return base64.b64encode(hashlib.sha256(spki).digest()).decode()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.index.close()


@pytest.fixture
def hall(sqlite_url: str, tmp_path: Path) -> Iterator[Hall]:
    archive = open_archive(sqlite_url)
    archive.open_tournament("open", "Lantern Open")
    served = Hall(archive, tmp_path / "https")
    yield served
    served.stop()
    archive.close()


@pytest.fixture(params=["trusting", "untrusting"])
def tablet(
    request: pytest.FixtureRequest, playwright_driver: Playwright, hall: Hall
) -> Iterator[BrowserContext]:
    """A tablet that has taken the authority in, or not, and knows the server by its name."""
    rules = f"--host-resolver-rules=MAP {HALL} 127.0.0.1"
    trusts = [f"--ignore-certificate-errors-spki-list={hall.pin}"]
    args = [*CHROMIUM_ARGS, rules, *(trusts if request.param == "trusting" else [])]
    browser = playwright_driver.chromium.launch(executable_path=chromium_path(), args=args)
    context = browser.new_context(
        viewport=TABLET, has_touch=True, base_url=hall.plain, locale="en-GB"
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context
    browser.close()


@pytest.mark.parametrize("tablet", ["untrusting"], indirect=True)
def test_a_tablet_that_trusts_nothing_yet_gets_the_steps_and_no_way_on(
    tablet: BrowserContext, hall: Hall
) -> None:
    page = tablet.new_page()
    page.goto("/trust#code=ABCD2345")
    expect(page.locator("#trust")).to_have_attribute("data-state", "untrusted")
    assert page.url.startswith(f"{hall.plain}/trust")
    expect(page.get_by_role("status")).to_have_text(
        "This device does not trust the server yet. Follow the steps for it below;"
        " this page notices by itself when they are done.",
        use_inner_text=True,
    )
    expect(page.locator("#go-on")).to_be_hidden()
    pairs = page.locator(".fingerprint code").inner_text()
    assert pairs.replace("\n", "") == hall.papers.fingerprint
    check_axe(page)
    check_targets(page)
    shot(page, "trust")
    page.goto("/trust?lang=de")
    expect(page.locator("#trust")).to_have_attribute("data-state", "untrusted")
    check_axe(page)
    shot(page, "trust-de")


@pytest.mark.parametrize("tablet", ["untrusting"], indirect=True)
def test_a_warning_that_was_clicked_away_is_not_taken_for_trust(
    hall: Hall, tablet: BrowserContext
) -> None:
    assert tablet.browser is not None
    careless = tablet.browser.new_context(ignore_https_errors=True, base_url=hall.secure)
    page = careless.new_page()
    page.goto("/trust")
    expect(page.locator("#trust")).to_have_attribute("data-state", "no_worker", timeout=PATIENCE_MS)
    expect(page.get_by_role("status")).to_contain_text("will not work offline", use_inner_text=True)


@pytest.mark.service_worker
@pytest.mark.parametrize("tablet", ["trusting"], indirect=True)
def test_a_tablet_that_trusts_is_led_to_the_code_and_is_there_again_without_a_network(
    tablet: BrowserContext, hall: Hall
) -> None:
    page = tablet.new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto("/trust#code=ABCD2345")
    page.wait_for_url(f"{hall.secure}/tablet**")
    assert page.evaluate("isSecureContext")
    assert not [url for url in sent if "ABCD2345" in url.partition("#")[0] and "http://" in url]
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    hall.stop()
    page.goto(f"{hall.secure}/tablet")
    expect(page.locator("main")).to_contain_text("Pair")


@pytest.mark.parametrize("tablet", ["trusting"], indirect=True)
def test_a_tablet_that_trusts_is_told_so_and_offered_the_way_on(
    tablet: BrowserContext, hall: Hall
) -> None:
    page = tablet.new_page()
    page.goto("/trust")
    page.wait_for_url(f"{hall.secure}/trust")
    expect(page.locator("#trust")).to_have_attribute("data-state", "works")
    check_axe(page)
    page.get_by_role("link", name="Go on").tap()
    page.wait_for_url(f"{hall.secure}/tablet")
