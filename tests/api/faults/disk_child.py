"""Does one thing to an archive again and again, on a disk that fails at another call each time.

Runs with `failing_disk.c` before the C library. One line of JSON for each failure: what was
answered while the disk failed, and what is wrong afterwards, which is to be nothing.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import shutil
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from typer.testing import CliRunner

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring, keys_folder
from api.cli import app as command_line
from api.commands.printing import UNUSABLE
from api.settings import Settings
from events.store.fsck import fsck
from tests.api.commands.conftest import MATCH
from tests.api.devices import Tablet, raw_of
from tests.api.faults.disk_archive import DIRECTOR, LOG, MATCHES, NAME

WAYS = ("eio", "broken", "full", "short")
"""As `failing_disk.c` numbers them."""

_disk = ctypes.CDLL(None)
_disk.disk_mend.restype = ctypes.c_long


class Trial:
    """One archive, one thing done to it, one failure."""

    def __init__(self, home: Path, nth: int, way: int) -> None:
        self.home = home
        self.url = f"sqlite:///{home / 'archive.sqlite'}"
        self.wrong: list[str] = []
        self.answers: list[str] = []
        """What was reported while the disk failed, each once."""
        self.calls = 0
        self._nth = nth
        self._way = way

    def failing(self, work: Callable[[], None]) -> None:
        """Do it on the disk that fails."""
        _disk.disk_arm(str(self.home).encode(), ctypes.c_long(self._nth), self._way)
        try:
            work()
        except Exception as error:
            self.wrong.append(f"{type(error).__name__} came through: {error}")
        finally:
            self.calls = _disk.disk_mend()

    def said(self, answer: str) -> None:
        if answer not in self.answers:
            self.answers.append(answer)

    def need(self, holds: bool, what: str) -> None:
        if not holds:
            self.wrong.append(what)

    def opened(self, *, read_only: bool = False) -> Archive:
        keyring = None if read_only else Keyring(keys_folder(self.url))
        return open_archive(self.url, keyring=keyring, read_only=read_only)

    def run(self, *arguments: object) -> int:
        """The exit code of a command in this process."""
        words = [*map(str, arguments), *(["--db", self.url] if arguments[0] != "restore" else [])]
        result = CliRunner().invoke(command_line, words)
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            self.wrong.append(f"{arguments[0]}: {type(error).__name__} came through: {error}")
        self.need("Traceback" not in result.stderr, f"{arguments[0]}: a traceback: {result.stderr}")
        if result.exit_code not in (0,):
            text = " ".join(result.stderr.split())
            self.need(bool(text), f"{arguments[0]}: exit {result.exit_code} without a word")
            is_told = result.exit_code != UNUSABLE or "give the command again" in text
            self.need(is_told, f"{arguments[0]}: not a word of what to do: {text}")
            self.said(f"exit {result.exit_code}: {text.replace(str(self.home), '')[-160:]}")
        return result.exit_code

    def check(self) -> None:
        """What anybody finds who opens the archive now."""
        archive = self.opened(read_only=True)
        try:
            for finding in fsck(archive.store).findings:
                self.wrong.append(f"fsck: {finding.code}: {finding.message}")
        finally:
            archive.close()

    def ids(self) -> list[str]:
        """Every entry of the log."""
        archive = self.opened(read_only=True)
        try:
            return [event.entry_id for event in archive.store.read_log(LOG)]
        finally:
            archive.close()


async def _posted(http: httpx.AsyncClient, match: str, entry_id: str) -> httpx.Response:
    entry = {"entry_id": entry_id, "tag": "director.called", "body": {}}
    return await http.post(
        f"/logs/{LOG}/matches/{match}/events",
        json={"entries": [entry]},
        headers={"Authorization": f"Bearer {DIRECTOR}", "If-Match": "*"},
    )


Ask = Callable[[httpx.AsyncClient], Any]


def _asked(trial: Trial, rounds: list[list[tuple[Ask, list[str]]]]) -> None:
    """Requests to a server whose disk fails; each round at once. Then all of them once more.

    A request is acknowledged by a status below 300, and then its entries are there for good.
    """
    archive = trial.opened()
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url), index=index)
    acknowledged: set[str] = set()
    wanted = [entry_id for group in rounds for _, ids in group for entry_id in ids]

    async def go(*, again: bool) -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
            for group in rounds:
                answers = await asyncio.gather(*(ask(http) for ask, _ in group))
                for answer, (_, ids) in zip(answers, group, strict=True):
                    if answer.status_code < 300:
                        acknowledged.update(_taken(answer.json(), ids))
                        continue
                    told = answer.json()
                    trial.said(f"{answer.status_code} {told.get('type')}")
                    trial.need(answer.status_code == 503 and not again, f"answered {answer.text}")
                    trial.need(bool(told.get("detail")), f"no word of what to do: {answer.text}")

    try:
        trial.failing(lambda: asyncio.run(go(again=False)))
        # What others find while the server still runs, and had its trouble.
        there = trial.ids()
        trial.need(acknowledged <= set(there), "an acknowledged entry is not there")
        trial.check()
        asyncio.run(go(again=True))
        there = trial.ids()
        trial.need(acknowledged == set(wanted), "what was sent again was not taken")
        last = there[-len(wanted) :]
        trial.need(sorted(last) == sorted(wanted), "one is there twice, or one that nobody sent")
    finally:
        index.close()
        archive.close()
    trial.need(acknowledged <= set(trial.ids()), "an acknowledged entry was gone after the end")


def _taken(told: Any, ids: list[str]) -> list[str]:
    """Those that an answer acknowledges: of a tablet's drafts not those that came too early."""
    results = told.get("results")
    if results is None:
        return ids
    return [one for one, said in zip(ids, results, strict=True) if said["outcome"] != "gap"]


def append(trial: Trial) -> None:
    """Three requests, one after the other."""
    ids = [str(uuid.uuid4()) for _ in range(3)]
    _asked(trial, [[(lambda http, one=one: _posted(http, MATCHES[0], one), [one])] for one in ids])


def group(trial: Trial) -> None:
    """Six requests at once, which one commit takes."""
    ids = [str(uuid.uuid4()) for _ in MATCHES]
    _asked(
        trial,
        [
            [
                (lambda http, match=match, one=one: _posted(http, match, one), [one])
                for match, one in zip(MATCHES, ids, strict=True)
            ]
        ],
    )


def ingest(trial: Trial) -> None:
    """Two batches of a tablet."""
    tablet = Tablet()
    batches = [
        [tablet.record("director.called", 1 + at) for at in range(3)],
        [tablet.record("director.called", 4 + at) for at in range(2)],
    ]
    rounds: list[list[tuple[Ask, list[str]]]] = []
    for batch in batches:

        def ask(http: httpx.AsyncClient, batch: list[Any] = batch) -> Any:
            return http.post(
                f"/logs/{LOG}/ingest",
                json={"items": batch},
                headers={"Authorization": f"Bearer {tablet.token}"},
            )

        rounds.append([(ask, [json.loads(raw_of(item))["entry_id"] for item in batch])])
    _asked(trial, rounds)


def imported(trial: Trial) -> None:
    """A file of two games, by the command.

    In this process alone: one that only reads and judges would be begun anew for each trial, which
    takes five times as long, and writes nothing.
    """
    file = trial.home.with_suffix(".mat")
    file.write_text(MATCH, "utf-8")
    before = trial.ids()
    codes: list[int] = []
    trial.failing(lambda: codes.append(trial.run("import", file, "--log", LOG, "--workers", "0")))
    trial.check()
    first = trial.ids()
    trial.need(first[: len(before)] == before, "what was there is not")
    trial.need(trial.run("import", file, "--log", LOG, "--workers", "0") == 0, "not even later")
    whole = trial.ids()
    trial.need(len(whole) > len(before), "imported, it said")
    trial.need(first == whole or (codes != [0] and first == before), "half of a match was there")
    trial.check()


def backup(trial: Trial) -> None:
    """A backup by the command, and one more into the same folder."""
    safe = trial.home / "safe"
    before = trial.ids()
    codes: list[int] = []
    trial.failing(lambda: codes.append(trial.run("backup", safe, "--keys")))
    trial.check()
    trial.need(trial.ids() == before, "a backup has changed what it took")
    back = trial.home / "back.sqlite"
    if codes == [0]:
        trial.need(trial.run("restore", safe, "--db", f"sqlite:///{back}") == 0, "it said done")
        return
    again = trial.run("backup", safe, "--keys")
    if again != 0:
        # A new folder is a way out as well, if it was told.
        trial.need(trial.run("backup", trial.home / "new", "--keys") == 0, "no backup any more")
    else:
        trial.need(trial.run("restore", safe, "--db", f"sqlite:///{back}") == 0, "no way back")


def erasure(trial: Trial) -> None:
    """A name erased by the command: done or told, and in no byte once it is done."""
    codes: list[int] = []
    trial.failing(lambda: codes.append(trial.run("erase", NAME, "--yes")))
    trial.check()

    def is_gone() -> bool:
        files = [path for path in trial.home.rglob("*") if path.is_file()]
        return not [path for path in files if NAME.encode() in path.read_bytes()]

    if codes == [0]:
        trial.need(is_gone(), "it said erased, and the name is there")
        return
    trial.run("erase", NAME, "--yes")
    trial.need(is_gone(), "the name is there after a second attempt")
    trial.check()


ACTS: dict[str, Callable[[Trial], None]] = {
    "append": append,
    "group": group,
    "ingest": ingest,
    "import": imported,
    "backup": backup,
    "erasure": erasure,
}


def sweep(act: str, way: str, step: int, template: Path, folder: Path) -> None:
    """Every `step`th call fails, one after the other, until the thing is done before that.

    `way`: one of WAYS, or `each` for one after the other.
    """
    for count in range(100_000):
        nth = 1 + count * step
        chosen = WAYS[count % len(WAYS)] if way == "each" else way
        home = folder / f"{act}-{chosen}-{nth}"
        shutil.copytree(template, home)
        trial = Trial(home, nth, WAYS.index(chosen))
        ACTS[act](trial)
        is_failed = bool(_disk.disk_failed())
        told = {
            "act": act, "way": chosen, "nth": nth, "failed": is_failed, "calls": trial.calls,
            "answers": trial.answers, "wrong": trial.wrong,
        }  # fmt: skip
        print(json.dumps(told), flush=True)
        if not trial.wrong:
            shutil.rmtree(home)
        # Past its last call. (A full disk lets flushes pass: that nothing failed is not enough.)
        if not is_failed and nth > trial.calls:
            return


if __name__ == "__main__":
    for plan in sys.argv[3:]:
        named, chosen_way, every = plan.split(":")
        sweep(named, chosen_way, int(every), Path(sys.argv[1]), Path(sys.argv[2]))
