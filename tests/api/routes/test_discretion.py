"""Readers who do not rule are shown only the facts of a match in play, by every route."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from api.archive.channel import Terms
from api.routes import following
from api.routes.exports import FORMATS
from events.payloads.access import Role
from projections.views.discretion import HELD_BACK

M = "/logs/club/matches/m1"
PUBLIC = {"public": True, "delay_ms": 0}

MINUTE = 60_000


@pytest.fixture
async def played(api: Any, make: Any, begin: Any) -> Any:
    """A public match in play: a late start, a wrong length, an illegal play, an open question."""
    await api.open(publication=PUBLIC, rule_set="common", length=5)
    illegal = make("play.made", seat="two", moves=[[24, 20]])
    seen = {"target": illegal["entry_id"], "class": "dice_or_pips", "noticed_by": "one"}
    recorded = await api.append(
        make("player.arrived", seat="two", at_ms=0),
        make("player.arrived", seat="one", at_ms=12 * MINUTE),
        *begin(),
        make("dice.rolled", seat="two", dice=[6, 5]),
        illegal,
        make("play.illegality_noticed", **seen),
        make("match.length_error_found", wrong=7, correct=5, during_game=True),
        token=api.director,
    )
    assert recorded.status_code == 201, recorded.text
    return api


async def words(api: Any) -> set[bytes]:
    """Every code and text of a finding of the match, and every topic of a question."""
    told = (await api.get(f"{M}/findings", api.director)).json()
    found = {word for one in told["findings"] for word in (one["code"], one["message"])}
    found |= {one["topic"] for one in told["questions"]}
    return {word.encode() for word in found if word}


def paths(api: Any, description: dict[str, Any]) -> list[str]:
    """The address of every GET of the description that serves a match, but for the live stream."""
    found = []
    for path, acts in description["paths"].items():
        if "get" not in acts or "{log}" not in path or path.endswith("/live"):
            continue
        address = path.replace("{log}", "club").replace("{match}", "m1")
        if "{format}" in address:
            found += [address.replace("{format}", ending) for ending in FORMATS]
        elif "{" not in address:
            found.append(address)
            names = {one["name"] for one in acts["get"].get("parameters", ())}
            found += [f"{address}?at=7"] * ("at" in names)
            found += [f"{address}?rules=common"] * ("rules" in names)
            found += [f"{address}?as_recorded=true"] * ("as_recorded" in names)
    return found


@pytest.fixture
async def described(api: Any) -> Any:
    return (await api.get("/openapi.json")).json()


async def test_no_route_tells_the_public_what_was_found_in_a_match_in_play(
    played: Any, described: Any
) -> None:
    found = await words(played)
    assert len(found) > 6
    asked = paths(played, described)
    assert len(asked) > 30
    answered = set()
    for path in [*asked, "/matches/club/m1", "/matches/club/m1/replay", "/matches/club/m1/embed"]:
        for token in (None, played.scribe, played.token(Role.VIEWER)):
            answer = await played.get(path, token)
            assert answer.status_code < 500, path
            if answer.status_code == 200:
                answered.add(path)
                assert not {word for word in found if word in answer.content}, path
    assert {f"{M}{name}" for name in ("", *VIEWS)} <= answered


VIEWS = (
    *("/replay", "/score", "/penalties", "/match-length", "/windows", "/appeals", "/findings"),
    *("/scenes", "/export.json", "/export.html", "/export.txt", "/export.sgf", "/export"),
)


@pytest.mark.parametrize("ends", [False, True], ids=["in play", "over"])
async def test_whoever_rules_is_told_at_once_and_everybody_when_the_match_is_over(
    played: Any, make: Any, ends: bool
) -> None:
    if ends:
        await played.append(make("match.ended", winner="one"), token=played.director)
    token = None if ends else played.director
    found = await words(played)
    for name in ("/findings", "/scenes"):
        answer = await played.get(f"{M}{name}", token)
        missing = {word for word in found if word not in answer.content}
        assert not missing, (name, missing)
    codes = {one["code"] for one in (await played.get(f"{M}/findings", token)).json()["findings"]}
    for name in ("/replay", "/export.json"):
        text = (await played.get(f"{M}{name}", token)).text
        assert all(code in text for code in codes), name
    summary = (await played.get(M, token)).json()
    assert summary["findings"] == len(codes) > 0
    assert summary["open_questions"] is not None
    penalties = (await played.get(f"{M}/penalties", token)).json()
    assert penalties["points"] is not None
    assert penalties["accounts"]["one"]["answer"] is not None
    assert (await played.get(f"{M}/match-length", token)).json()["answer"] is not None
    assert (await played.get(f"{M}/windows", token)).json()["windows"]
    assert (await played.get(f"{M}/export.ogxm", token)).status_code == 200
    assert "tabularium-losses" in (await played.get(f"{M}/export.mat", token)).headers


async def test_an_answer_that_leaves_something_out_says_when_it_comes(
    played: Any, make: Any
) -> None:
    for name in ("/replay", "/findings", "/windows", "/penalties", "/scenes", "/score"):
        assert (await played.get(f"{M}{name}")).json()["held_back"] == HELD_BACK
        assert (await played.get(f"{M}{name}", played.director)).json()["held_back"] is None
    line = (await played.get(f"{M}/replay")).json()["lines"][-1]
    assert line["findings"] is None
    assert (await played.get(M)).json()["findings"] is None
    assert (await played.get(M)).json()["open_questions"] is None
    listed = (await played.get("/logs/club/matches")).json()["matches"]
    assert listed[0]["findings"] is None
    file = await played.get(f"{M}/export.mat")
    assert file.headers["tabularium-held-back"] == HELD_BACK
    assert "tabularium-losses" not in file.headers
    assert (await played.get(f"{M}/export.ogxm")).status_code == 401
    await played.append(make("match.ended", winner="one"), token=played.director)
    assert (await played.get(f"{M}/replay")).json()["held_back"] is None
    assert (await played.get(M)).json()["findings"] > 0


async def test_a_game_that_is_over_is_told_while_the_next_one_is_played(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication=PUBLIC)
    illegal = make("play.made", seat="two", moves=[[24, 18], [24, 18]])
    roll = make("dice.rolled", seat="two", dice=[6, 5])
    won = [make("cube.double_offered", seat="one"), make("cube.double_dropped", seat="two")]
    await api.append(*begin(), roll, illegal)
    assert (await api.get(f"{M}/findings")).json()["findings"] == []
    await api.append(*won)
    [found] = (await api.get(f"{M}/findings")).json()["findings"]
    await api.append(*begin(), {**roll, "entry_id": make("x.y")["entry_id"]})
    await api.append({**illegal, "entry_id": make("x.y")["entry_id"]})
    assert (await api.get(f"{M}/findings")).json()["findings"] == [found]
    assert len((await api.get(f"{M}/findings", api.director)).json()["findings"]) == 2


@pytest.fixture
async def raced(api: Any, make: Any, begin: Any) -> Any:
    """A public match in play; seat two has counted 158 pips since its board was set, one 163."""
    await api.open(publication=PUBLIC, length=5)
    two = [0] * 26
    two[6], two[8], two[13], two[18], two[24] = 5, 3, 5, 1, 1
    one = [0] * 26
    one[5], one[6], one[8], one[13], one[24] = 2, 4, 2, 5, 2
    await api.append(*begin())
    stated = make("position.stated", checkers={"one": one, "two": two}, on_roll="two")
    answer = await api.append(stated, token=api.director)
    assert answer.status_code == 201, answer.text
    await api.append(
        make("dice.rolled", seat="two", dice=[2, 1]),
        make("play.made", seat="two", moves=[[8, 6], [6, 5]]),
    )
    return api


PAGE = "/matches/club/m1"
COUNTING = (
    *(PAGE, f"{PAGE}?part=now", f"{PAGE}/embed", f"{PAGE}/board.svg", f"{M}/scenes"),
    *(f"{M}/export.html", f"{M}/export.txt"),
)
"""Every door that tells pip counts in letters, when it may."""

COUNTED = re.compile(
    r'pips 163–158|>163<.*>158<|>158<.*>163<|"one":163,"two":158|x 163 pips.*o 161 pips', re.S
)
"""Both counts, as these doors write them: of the last board, or of the one that was set."""


@pytest.mark.parametrize("ends", [False, True], ids=["in play", "over"])
async def test_pip_counts_are_told_to_whoever_rules_and_to_everybody_when_the_match_is_over(
    raced: Any, make: Any, ends: bool
) -> None:
    if ends:
        await raced.append(make("match.ended", winner="one"), token=raced.director)
    version = f"?at={raced.version() - ends}"
    for token in (raced.director, *([None] if ends else [])):
        for door in COUNTING:
            at = version if "/board.svg" in door else ""
            answer = await raced.get(door + at, token, Accept="text/html")
            assert COUNTED.search(answer.text), (door, token)


async def test_no_door_tells_the_public_a_pip_count_of_a_match_in_play(
    raced: Any, described: Any
) -> None:
    asked = [*paths(raced, described), *COUNTING, f"{PAGE}/replay", f"{PAGE}?at=6"]
    any_count = re.compile(r'\bpips \d|\d pips\b|class="q"|"pips":\s*[\[{]')
    answered = set()
    for path in asked:
        for token in (None, raced.scribe, raced.token(Role.VIEWER)):
            answer = await raced.get(path, token)
            if answer.status_code == 200:
                answered.add(path)
                text = answer.content.decode("utf-8", "replace")
                assert not COUNTED.search(text), path
                assert not any_count.search(text), path
    assert {*COUNTING, *(f"{M}/export.{ending}" for ending in ("mat", "jsonl", "sgf"))} <= answered


async def test_a_picture_of_a_match_in_play_has_no_pip_count_and_one_of_a_finished_game_has(
    raced: Any, make: Any
) -> None:
    picture = f"{PAGE}/board.png?at={raced.version()}"
    public = (await raced.get(picture)).content
    ruling = (await raced.get(picture, raced.director)).content
    assert public != ruling
    won = [make("cube.double_offered", seat="one"), make("cube.double_dropped", seat="two")]
    await raced.append(*won)
    assert (await raced.get(picture)).content == ruling
    assert 'class="q"' in (await raced.get(picture.replace("png", "svg"))).text


async def first(stream: AsyncIterator[bytes], count: int) -> list[dict[str, Any]]:
    """The data of the first frames."""
    lines: list[dict[str, Any]] = []
    # What never comes fails the test instead of holding it up for ever.
    async with asyncio.timeout(30):
        async for part in stream:
            data = [json.loads(line[6:]) for line in part.splitlines() if line[:6] == b"data: "]
            lines += [one for one in data if "erased" not in one]
            if len(lines) >= count:
                break
    return lines


async def test_the_live_stream_tells_findings_to_those_who_rule(played: Any, app: Any) -> None:
    hub, version = app.state.door.hub, played.version()
    key = ("club", "m1")
    public = await first(hub.stream(key, Terms(), version=version, after=0), version)
    assert [line["findings"] for line in public] == [None] * version
    ruling = Terms("0" * 64, is_trusted=True)
    told = await first(hub.stream(key, ruling, version=version, after=0), version)
    assert [line["version"] for line in told] == [line["version"] for line in public]
    assert any(line["findings"] for line in told)


async def test_one_follower_too_many_is_asked_to_come_back(
    played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MAX_FOLLOWERS", 0)
    answer = await played.get(f"{M}/live")
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/busy")
    assert "retry-after" in answer.headers


async def test_who_joins_a_live_stream_after_a_game_is_told_what_was_found_in_it(
    played: Any, app: Any, make: Any
) -> None:
    hub, key = app.state.door.hub, ("club", "m1")
    version = played.version()
    earlier = hub.stream(key, Terms(), version=version, after=0)
    assert (await anext(earlier)).startswith(b"retry")
    held = (await anext(earlier)).count(b'"findings":null')
    assert held == version
    won = [make("cube.double_offered", seat="one"), make("cube.double_dropped", seat="two")]
    await played.append(*won)
    assert len(await first(earlier, 2)) == 2
    later = await first(hub.stream(key, Terms(), version=version + 2, after=0), version + 2)
    assert all(line["findings"] is not None for line in later)
