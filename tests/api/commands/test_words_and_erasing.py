"""`show`, `replay` and `export` contain what was said; `erase` removes a person from all of it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import open_archive
from api.commands.demo import seed
from api.commands.demo_table import DEMO_MATCH

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-")
WITNESS = "I could see light under one side of the die."


@pytest.fixture
def demonstrated(database: Path) -> Path:
    """The demonstration as the archive of the commands."""
    archive = open_archive(f"sqlite:///{database}")
    asyncio.run(seed(archive))
    archive.close()
    return database


@pytest.mark.usefixtures("demonstrated")
@pytest.mark.parametrize("command", [["show"], ["replay"], ["export", "--format", "text"]])
def test_words_are_told_with_who_said_them_and_who_wrote_them_down(
    run: Any, command: list[str]
) -> None:
    first, *more = command
    out = " ".join(run(first, DEMO_MATCH, *more).out.split())
    assert f"A spectator says: {WITNESS}" in out
    assert "Ground (Bram Osei): The die lay flat" in out
    assert "To be done at the table (the director): Bram rolls again" in out
    assert "written down by demo scribe (scribe, table 1)" in out
    assert "Reason: Typed a three; the die shows a one." in out
    assert not ID.search(out)


@pytest.mark.usefixtures("demonstrated")
def test_a_dispute_says_which_entry_it_is_about_in_a_replay(run: Any) -> None:
    lines = run("replay", DEMO_MATCH).out.splitlines()
    place = next(n for n, text in enumerate(lines) if "dispute by Ada Lindqvist" in text)
    assert lines[place + 1].strip() == "about entry 40: Bram Osei rolls 64"
    assert "rolls 6-4" in next(text for text in lines if text.startswith("   40 "))


@pytest.mark.usefixtures("demonstrated")
@pytest.mark.parametrize("form", ["text", "html"])
def test_a_file_for_people_says_which_entry_a_dispute_is_about(run: Any, form: str) -> None:
    out = " ".join(run("export", DEMO_MATCH, "--format", form).out.split())
    assert "about entry 40: Bram Osei rolls 64" in out
    assert out.index("dispute by Ada Lindqvist") < out.index("about entry 40:")


@pytest.mark.usefixtures("demonstrated")
def test_a_match_that_is_shown_says_which_entry_is_disputed(run: Any) -> None:
    [told] = [one for one in run("show", DEMO_MATCH).out.splitlines() if "dispute  entry" in one]
    assert re.search(r"entry \d+, about entry 40: Bram Osei rolls 64: ruled at entry \d+", told)
    [shown] = run("show", DEMO_MATCH, "--json").lines
    assert [one["about"] for one in shown["disputes"]] == [40]


@pytest.mark.usefixtures("demonstrated")
def test_json_has_the_words_of_each_entry(run: Any) -> None:
    lines = run("replay", DEMO_MATCH, "--json").lines
    [witness] = [line for line in lines if line["tag"] == "testimony.given"]
    assert [word["text"] for word in witness["words"]] == [WITNESS]
    assert witness["recorder"]["role"] == "director"
    [shown] = run("show", DEMO_MATCH, "--json").lines
    assert witness["version"] in [said["version"] for said in shown["said"]]


@pytest.mark.usefixtures("demonstrated")
def test_erasing_says_what_goes_and_does_it_only_when_told(run: Any) -> None:
    ran = run("erase", "Bram Osei")
    assert "players.two.0.name" in ran.out
    assert "nothing was erased" in ran.err
    assert "Bram Osei" in run("show", DEMO_MATCH).out
    gone = run("erase", "bram osei", "--yes", "--words")
    assert "erased" in gone.out
    for command in (["show"], ["replay"], ["export", "--format", "html"], ["export"]):
        first, *more = command
        out = run(first, DEMO_MATCH, *more).out
        assert "Osei" not in out, command
        assert "Bram" not in out, command
    assert "Osei" not in run("matches").out
    assert "left out: it was erased" in run("show", DEMO_MATCH).out.lower()
    assert run("fsck").exit_code == 0
    again = run("erase", "Bram Osei", "--yes", "--words", exit_code=1)
    assert "nobody in the archive is called" in again.err


@pytest.mark.usefixtures("demonstrated")
def test_an_erasure_that_is_stopped_behind_its_commit_says_that_it_stands(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("api.commands.erasing.sealed_mentions", stop)
        early = run("erase", "Bram Osei", "--yes", exit_code=130)
        assert early.err.split() == ["stopped"]
    with monkeypatch.context() as patch:
        patch.setattr("api.commands.erasing.why_unscrubbed", stop)
        late = run("erase", "Bram Osei", "--yes", exit_code=130)
    told = " ".join(late.err.split())
    assert "it stands: 1 entry in log demo (disclosure.erased)" in told
    assert told.endswith("stopped")
    assert "Osei" not in run("show", DEMO_MATCH).out
