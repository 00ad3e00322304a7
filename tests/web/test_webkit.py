"""The tablet in WebKit, the engine of the iPad's browser: pairing, signing, recording, sending."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import presence_of_element_located
from selenium.webdriver.support.ui import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.web.conftest import LOG, PATIENCE_MS, Site
from tests.web.device_site import check_stream
from tests.web.proxy import Mode, Proxy
from tests.web.tablet_rig import approve

pytestmark = pytest.mark.filterwarnings(
    "ignore:setting remote_server_addr in RemoteConnection:DeprecationWarning"
)
"""Selenium's own driver for WebKitGTK still says it in the old way."""

BROWSERS = tuple(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))


@pytest.fixture
def display(
    require: Callable[[bool, str], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A screen that nobody sees, for a browser that wants one."""
    has_browser = bool(BROWSERS) and shutil.which("WebKitWebDriver") is not None
    require(has_browser, "there is no WebKitGTK with its driver (webkit2gtk-driver)")
    require(shutil.which("Xvfb") is not None, "there is no Xvfb")
    ours, its = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(its), "-screen", "0", "1280x900x24"],
        pass_fds=[its],
        stderr=subprocess.DEVNULL,
    )
    os.close(its)
    try:
        number = os.read(ours, 16).decode().strip()
        monkeypatch.setenv("DISPLAY", f":{number}")
        # A sandbox of its own needs rights that a container does not give.
        monkeypatch.setenv("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1")
        yield
    finally:
        os.close(ours)
        screen.terminate()
        screen.wait(20)


@pytest.fixture
def webkit(display: None) -> Iterator[webdriver.WebKitGTK]:
    """A WebKit that a test may drive."""
    options = Options()
    options.binary_location = str(BROWSERS[0])
    options.add_argument("--automation")
    service = Service(executable_path=str(shutil.which("WebKitWebDriver")))
    driver = webdriver.WebKitGTK(options=options, service=service)
    driver.set_window_size(1180, 900)
    yield driver
    driver.quit()


class Patience(WebDriverWait[webdriver.WebKitGTK]):
    """Waits, and tells what the page said where it waited in vain."""

    def until(self, method: Callable[[Any], Any], message: str = "") -> Any:
        """What the method gives once it gives something. Errors: TimeoutException."""
        try:
            return super().until(method, message)
        except TimeoutException as error:
            said = self._driver.execute_script("return document.body.innerText")
            raise TimeoutException(f"{message}\nthe page says: {said}") from error


class Hand:
    """Taps keys and points in WebKit; waits for what it taps."""

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self.driver = driver
        # A key may be drawn anew between two looks at it.
        drawn_anew = (StaleElementReferenceException,)
        self.wait = Patience(driver, PATIENCE_MS / 1000, ignored_exceptions=drawn_anew)

    def tap(self, selector: str) -> None:
        """A key: looked for and tapped at once, for it may be drawn anew between the two."""
        script = """
          const keys = [...document.querySelectorAll(arguments[0])];
          const key = keys.find((one) => one.getClientRects().length > 0);
          key?.click();
          return Boolean(key);
        """
        self.wait.until(lambda driver: driver.execute_script(script, selector))

    def points(self, *places: str) -> None:
        """Columns of the board, as a finger comes down on one after the other without a pause."""
        for place in places:
            drawn = (By.CSS_SELECTOR, f'tb-board [data-place="{place}"]')
            self.wait.until(presence_of_element_located(drawn))
        script = """
          for (const place of arguments) {
            const column = document.querySelector(`tb-board [data-place="${place}"]`);
            const { x, y, width, height } = column.getBoundingClientRect();
            const at = { clientX: x + width / 2, clientY: y + height / 2, bubbles: true };
            document.elementFromPoint(at.clientX, at.clientY)
              .dispatchEvent(new MouseEvent("click", at));
          }
        """
        self.driver.execute_script(script, *places)

    def shown(self, selector: str) -> list[WebElement]:
        """All of them that can be seen."""
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return [key for key in found if key.is_displayed()]


def test_a_tablet_with_webkit_records_signs_and_comes_back_after_a_reload_without_a_network(
    webkit: webdriver.WebKitGTK, site: Site, proxy: Proxy
) -> None:
    match = site.open_match(length=3)
    hand = Hand(webkit)
    wait = hand.wait
    with site.http(site.director) as director:
        made = director.post(f"/logs/{LOG}/pairings", json={"match": match}).json()
    webkit.get(f"{proxy.url}/tablet?code={made['code']}")
    wait.until(lambda driver: len(driver.find_elements(By.CSS_SELECTOR, ".fingerprint li")) == 4)
    approve(site, made["pairing_id"], match)
    wait.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, ".recorder"))
    wait.until(lambda driver: "Scribe" in driver.find_element(By.CSS_SELECTOR, ".badge.role").text)
    hand.tap('.recorder [data-act="next_game"]')
    hand.tap('.opening [data-dice="61"]')
    wait.until(lambda _: len(site.entries(match)) == 3)
    last = site.entries(match)[-1]
    assert last["tag"] == "dice.opening_rolled"
    assert last["body"]["one"] == 6
    wait.until(lambda driver: driver.execute_script("return !!navigator.serviceWorker.controller"))
    # The server has it before the tablet knows so; what it does not know is unsent.
    wait.until(lambda _: not hand.shown(".badge.unsent"))

    proxy.switch(Mode.DOWN)
    webkit.refresh()
    # What it contains: the driver leaves text out that may be cut where a name is too long.
    wait.until(lambda driver: told(driver, ".next") == "Ada to play")
    hand.points("7", "7")
    hand.tap('.area [data-dice="52"]')
    wait.until(lambda driver: told(driver, ".next") == "Ben to play")
    wait.until(lambda driver: told(driver, ".badge.unsent") == "2 unsent")
    webkit.refresh()
    wait.until(lambda driver: told(driver, ".next") == "Ben to play")
    assert len(site.entries(match)) == 3

    proxy.switch(Mode.UP)
    wait.until(lambda _: len(site.entries(match)) == 5)
    entries = site.entries(match)[1:]
    assert [entry["tag"] for entry in entries[-2:]] == ["play.made", "dice.rolled"]
    assert entries[-2]["body"]["moves"] == [[13, 7], [8, 7]]
    assert {entry["context"]["signature_state"] for entry in entries} == {"good"}
    check_stream(site.archive, match, entries)


def told(driver: webdriver.WebKitGTK, selector: str) -> str:
    """What an element contains; nothing while there is none."""
    found = driver.find_elements(By.CSS_SELECTOR, selector)
    return str(found[0].get_property("textContent")) if found else ""
