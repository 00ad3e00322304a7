"""Through how many files four walks lead: a play, a file, a page, a ruling; one command prints it.

`uv run python -m tests.house.walks`. A file is entered where a function of it is called; what only
stands at a file's top, such as a table, is not counted. The tapped play is walked in Chromium too,
and its files in the browser and in the server are told one by one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import httpx
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from api.archive.archive import open_archive
from api.cli import app as command_line
from api.commands.demo import DEMO_LOG, DEMO_MATCH, LIVE_MATCH, seed
from events.values import ONE
from tests.house.measure import ROOMS, ROOT
from tests.web.conftest import CHROMIUM_ARGS, Served, Site, chromium_path
from tests.web.tablet_rig import Scribe, open_tablet

OURS = tuple(f"{ROOT / room}{os.sep}" for room in ROOMS)

MATCH_FILE = ROOT / "tests" / "golden" / "files" / "gnubg_3pt.mat"


class Walk(NamedTuple):
    """The files that a walk enters, in order of the first call, and how often it changes files."""

    files: list[str]
    changes: int


class Watch:
    """Sees which of our Python files are entered, by whichever thread, while it is on."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        self._changes = 0
        self._last = ""
        self._is_on = False

    def install(self) -> None:
        """Look at each call in this thread and in all that begin from now on."""
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def walk(self, do: Callable[[], Any]) -> Walk:
        """The files that are entered while `do` runs."""
        self._seen, self._changes, self._last = {}, 0, ""
        self._is_on = True
        do()
        self._is_on = False
        return Walk(list(self._seen), self._changes)

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        if not self._is_on or event != "call":
            return
        name = frame.f_code.co_filename
        # The body of a module runs once, when it is imported: that is not a step of a walk.
        if name.startswith(OURS) and frame.f_code.co_name != "<module>":
            self._seen[name[len(str(ROOT)) + 1 :]] = None
            self._changes += name != self._last
            self._last = name


@contextlib.contextmanager
def hall(watch: Watch) -> Iterator[Site]:
    """A server with the demonstration, in threads that are watched."""
    watch.install()
    archive = open_archive("memory://")
    demo = asyncio.run(seed(archive))
    served = Served(archive)
    try:
        url = f"http://127.0.0.1:{served.port}"
        yield Site(url, archive, archive.operator_token(), demo.tokens["director"])
    finally:
        served.stop()
        archive.close()


def page(site: Site, watch: Watch) -> Walk:
    """A public match page, as the first to ask for it gets it."""
    with httpx.Client(base_url=site.url, timeout=60) as client:
        # What is made once for all pages is made by another match's.
        assert client.get(f"/matches/{DEMO_LOG}/{LIVE_MATCH}").is_success
        return watch.walk(lambda: client.get(f"/matches/{DEMO_LOG}/{DEMO_MATCH}"))


def ruling(site: Site, watch: Watch) -> Walk:
    """The director answers an open question of the demonstration."""
    match = f"/logs/{DEMO_LOG}/matches/{LIVE_MATCH}"
    with site.http(site.director) as client:
        question = client.get(f"{match}/findings").json()["questions"][0]
        named = {key: question[key] for key in ("topic", "at", "seat")}
        body = {"answers": [{"question": named, "reading": "no_offence"}], "references": []}
        said: list[httpx.Response] = []

        def rule() -> None:
            ruled = {"body": body, "entry_id": str(uuid.uuid4())}
            said.append(client.post(f"{match}/rulings", json=ruled, headers={"If-Match": "*"}))

        found = watch.walk(rule)
    assert said[0].is_success, said[0].text
    return found


def match_file(watch: Watch) -> Walk:
    """One `.mat` to the ledger, by the command line."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ["import", str(MATCH_FILE), "--workers", "0", "--db", f"{folder}/archive.sqlite"]
        return watch.walk(lambda: CliRunner().invoke(command_line, asked, catch_exceptions=False))


def tapped_play(site: Site, watch: Watch) -> tuple[list[str], Walk]:
    """A play tapped on a tablet until the server has it: the browser's files, then the server's."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGS)
        context = browser.new_context(base_url=site.url, has_touch=True)
        tablet = context.new_page()
        open_tablet(tablet, site, site.open_match(log_id=DEMO_LOG, table="9"), log_id=DEMO_LOG)
        scribe = Scribe(tablet)
        scribe.key("next_game")
        scribe.opening(3, 1)
        scribe.settle()
        profiler = context.new_cdp_session(tablet)
        profiler.send("Profiler.enable")
        profiler.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
        profiler.send("Profiler.takePreciseCoverage")

        def play() -> None:
            for point in ("8", "5", "6", "5"):
                scribe.point(ONE, point)
            scribe.key("played")
            scribe.settle()

        server = watch.walk(play)
        covered = profiler.send("Profiler.takePreciseCoverage")["result"]
        browser.close()
    entered = {
        # Behind `/static/` comes a digest of all files.
        one["url"].partition("/static/")[2].partition("/")[2]
        for one in covered
        if "/static/" in one["url"]
        and any(part["count"] for function in one["functions"] for part in function["ranges"])
    }
    return sorted(entered), server


def main() -> None:
    """Print each walk with its number of files, its goal and how often it changes files."""
    watch = Watch()
    watch.install()
    found: list[tuple[str, str, Walk]] = [("one `.mat` to the ledger", "≤ 45", match_file(watch))]
    with hall(watch) as site:
        found.append(("a public match page", "≤ 35", page(site, watch)))
        found.append(("a ruling", "", ruling(site, watch)))
        scripts, server = tapped_play(site, watch)
    print("| walk | goal | files entered | changes of file |\n|---|---|---|---|")
    print(f"| a tapped play, in the browser | ≤ 25 | {len(scripts)} | |")
    for name, goal, walk in [("the same play, in the server", "", server), *found]:
        print(f"| {name} | {goal} | {len(walk.files)} | {walk.changes:,} |")
    for name, files in [
        ("a tapped play", scripts),
        ("the same play, in the server", server.files),
        *((name, walk.files) for name, _, walk in found),
    ]:
        print(f"\n{name}: {' '.join(files)}")


if __name__ == "__main__":
    main()
