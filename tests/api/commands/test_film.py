"""`tabularium film`: attach a film by link or by file, align it, list it; refusals say why."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

LINK = "https://vimeo.com/123456"


@pytest.fixture
def match(run: Any, match_file: Path) -> str:
    [told] = run("import", match_file, "--json").lines
    return str(told["match_id"])


def test_a_film_is_attached_aligned_listed_and_exported(
    run: Any, match: str, tmp_path: Path
) -> None:
    assert "no film" in run("film", match).out
    shown = [one for one in run("replay", match, "--json").lines if one["tag"] == "play.made"]
    first, second = shown[0]["version"], shown[1]["version"]
    out = run("film", match, "--link", LINK, "--align", f"{first}=1:02:03.5").out
    assert "2 entries recorded" in out
    run("film", match, "--align", f"{second}=1:02:20", "--json")
    [film] = run("film", match, "--json").lines
    assert film["link"] == LINK
    assert [one["film_ms"] for one in film["points"]] == [3_723_500, 3_740_000]
    assert f"entry {first:>4}  1:02:03.500" in run("film", match).out
    content = tmp_path / "final.webm"
    content.write_bytes(b"a film")
    run("film", match, "--file", content)
    films = run("film", match, "--json").lines
    assert films[1]["sha256"] == hashlib.sha256(b"a film").hexdigest()
    run("film", match, "--film", film["film_id"][:9], "--align", f"{second}=1:02:21")
    assert run("film", match, "--json").lines[0]["points"][1]["film_ms"] == 3_741_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--link", "javascript:alert(1)"], "takes an address"),
        (["--align", "5"], "written as 12=1:02:03.5"),
        (["--align", "5=noon"], "written as 12=1:02:03.5"),
        (["--align", "5=3"], "no film"),
        (["--film", "ab", "--align", "5=3"], "no film whose id"),
        (["--link", LINK, "--align", "9999=3"], "no entry 9999"),
        (["--file", "/nowhere.webm"], "/nowhere.webm"),
    ],
)
def test_what_cannot_be_recorded_is_refused_and_says_why(
    run: Any, match: str, arguments: list[str], said: str
) -> None:
    refused = run("film", match, *arguments, exit_code=2)
    assert said in " ".join(refused.err.split())
    assert not run("film", match, "--json").lines
