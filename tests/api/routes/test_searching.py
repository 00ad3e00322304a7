"""The search over HTTP: what anybody may see of matches that are over, and nothing else."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from events.payloads.access import Role
from tests.api.routes.conftest import LOG, Api, Clock

START = "4HPwATDgc/ABMA"
AFTER_31 = "sGfwATDgc/ABMA"
"""After 31: 8/5 6/5, for the opponent."""


async def play(api: Api, make: Any, begin: Any, match: str, **publication: Any) -> None:
    """A match in which 31 and 64 are played, and that one wins."""
    terms = {"public": True, "delay_ms": 0, **publication}
    await api.open(match, publication=terms)
    rest = [
        make("dice.rolled", seat="two", dice=[6, 4]),
        make("play.made", seat="two", moves=[[24, 14]]),
        make("game.won", winner="one", points=5),
    ]
    answer = await api.append(*begin(), *rest, match=match)
    assert answer.status_code == 201, answer.text


async def found(api: Api, token: str | None = None, **asked: object) -> list[dict[str, Any]]:
    answer = await api.get(f"/positions/search?{urlencode(asked)}", token)
    assert answer.status_code == 200, answer.text
    turns: list[dict[str, Any]] = answer.json()["turns"]
    return turns


async def test_a_turn_is_found_by_its_board_and_what_is_said_of_it(
    api: Api, make: Any, begin: Any
) -> None:
    await play(api, make, begin, "m1")
    [turn] = await found(api, text=START)
    assert turn["match"]["players"] == {"one": ["Ann"], "two": ["Bo"]}
    assert (turn["dice"], turn["position_id"]) == ([3, 1], START)
    assert turn["href"] == f"/matches/{LOG}/m1/replay#v{turn['version']}"
    assert turn["xgid"].startswith("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:")
    # Every notation of the board finds it again.
    for text in (turn["xgid"], turn["gnubg_id"], turn["position_id"]):
        assert await found(api, text=text, as_written=True) == [turn]
    [other] = await found(api, text=AFTER_31)
    assert other["dice"] == [6, 4]
    assert await found(api, text=AFTER_31, dice="46", own_away=5, player="bo", length=5) == [other]
    assert await found(api, text=AFTER_31, like="near") != []
    both = await found(api, text=START, like="free", free="5 6 8")
    assert [one["version"] for one in both] == [turn["version"]]
    for wrong in ({"dice": "65"}, {"cube": 2}, {"player": "cleo"}, {"own_away": 3}):
        assert await found(api, text=START, **wrong) == []


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"text": "nonsense"}, "text"),
        ({"player": "ann"}, "text"),
        ({"text": "XGID=1:2"}, "text"),
        ({"text": START, "like": "free", "free": "31"}, "free"),
        ({"dice": "31", "free": "3", "like": "free"}, "free"),
        ({"dice": "71"}, "dice"),
        ({"cube": 3}, "cube"),
        ({"owner": "me"}, "owner"),
        ({"double": "won"}, "double"),
        ({"text": START, "cursor": "x"}, "cursor"),
        ({"rule_set": "none-such"}, None),
        ({"own_away": -1}, None),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_named(
    api: Api, asked: dict[str, Any], where: str | None
) -> None:
    answer = await api.get(f"/positions/search?{urlencode(asked)}")
    assert answer.status_code == 400, answer.text
    problem = answer.json()
    assert where is None or problem["where"] == f"query.{where}", problem


async def test_nothing_is_found_of_a_match_that_is_played_private_or_under_appeal(
    api: Api, make: Any, begin: Any
) -> None:
    await api.open("live", publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), match="live")
    await play(api, make, begin, "private", public=False)
    assert await found(api, text=START) == []
    viewer = api.token(Role.VIEWER)
    assert await found(api, viewer, text=START) == []
    [turn] = await found(api, viewer, text=START, log=LOG)
    assert turn["match"]["match_id"] == "private"
    await play(api, make, begin, "m1")
    assert len(await found(api, text=START)) == 1
    ruled = make("ruling.made", text="So it stands.")
    await api.append(ruled, match="m1", token=api.director)
    filed = make("appeal.filed", seat="two", target=ruled["entry_id"])
    answer = await api.append(filed, match="m1", token=api.director)
    assert answer.status_code == 201, answer.text
    assert await found(api, text=START) == []
    refused = make("appeal.refused", appeal=filed["entry_id"])
    await api.append(refused, match="m1", token=api.director)
    assert len(await found(api, text=START)) == 1


async def test_behind_the_table_a_match_is_found_when_all_of_it_may_be_known(
    api: Api, make: Any, begin: Any, clock: Clock
) -> None:
    await play(api, make, begin, "m1", delay_ms=60_000)
    assert await found(api, text=START) == []
    clock.now += 59_000
    assert await found(api, text=START) == []
    clock.now += 2_000
    assert len(await found(api, text=START)) == 1


async def test_a_name_that_is_erased_finds_nothing(api: Api, make: Any, begin: Any) -> None:
    await play(api, make, begin, "m1")
    assert len(await found(api, text=START, player="ann")) == 1
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    answer = await api.post("/erasures", {"name": "Ann", "confirm": "Ann"}, archivist)
    assert answer.status_code in (200, 201), answer.text
    assert await found(api, text=START, player="ann") == []
    [turn] = await found(api, text=START)
    assert turn["match"]["players"]["one"] == []


async def test_findings_are_found_by_code_and_section(api: Api, make: Any, begin: Any) -> None:
    await api.open("m1", publication={"public": True, "delay_ms": 0})
    illegal = [
        make("game.started"),
        make("dice.opening_rolled", one=3, two=1),
        make("play.made", seat="one", moves=[[8, 4], [6, 5]]),
        make("game.won", winner="one", points=5),
    ]
    await api.append(*illegal, match="m1")
    [turn] = await found(api, finding="illegal-play")
    assert turn["dice"] == [3, 1]
    assert await found(api, finding="illegal-play", text=START) == [turn]
    assert await found(api, finding="landed-on-point") == []
    answer = await api.get(f"/logs/{LOG}/matches/m1/findings")
    section = next(
        one["section"] for one in answer.json()["findings"] if one["code"] == "illegal-play"
    )
    assert turn in await found(api, section=section)


async def test_a_page_goes_on_by_its_cursor(api: Api, make: Any, begin: Any) -> None:
    for number in range(5):
        await play(api, make, begin, f"m{number}")
    whole = await found(api, text=START)
    assert len(whole) == 5
    cursor, pages = None, []
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        query = urlencode({"text": START, "limit": 2, **more})
        page = (await api.get(f"/positions/search?{query}")).json()
        pages += page["turns"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == whole


async def test_the_page_takes_empty_fields_and_says_what_cannot_be_meant(
    api: Api, make: Any, begin: Any
) -> None:
    await play(api, make, begin, "m1")
    form = urlencode({"text": START, "cube": "", "own_away": "5", "player": "", "like": "exact"})
    found_ = await api.get(f"/search?{form}")
    assert found_.status_code == 200
    assert "Ann – Bo" in found_.text
    assert "Ann – Bo" not in (await api.get("/search")).text
    for wrong in ("text=nonsense", "cube=x", "rule_set=none", f"text={START}&like=free&free=99"):
        answer = await api.get(f"/search?{wrong}")
        assert (answer.status_code, 'role="alert"' in answer.text) == (400, True), wrong


async def test_a_finding_that_no_fold_makes_is_refused_by_name(api: Api) -> None:
    """An empty list would be understood as the answer that there is none."""
    answer = await api.get("/positions/search?finding=ilegal-play")
    assert (answer.status_code, answer.json()["where"]) == (400, "query.finding")
    assert (await api.get("/positions/search?finding=illegal-play")).status_code == 200


async def test_a_german_form_says_in_german_what_its_field_takes(api: Api) -> None:
    for wrong, said in (
        ("search?text=nonsense", "Eine Stellung wird durch eine XGID"),
        ("search?cube=x", "Der Doppler zeigt 1, 2, 4"),
        ("search?dice=77", "Ein Wurf wird als 31 geschrieben."),
        ("search?own_away=x", "Fehlende Punkte sind eine Zahl"),
        ("search?since=May", "Ein Tag wird als 2026-05-01 geschrieben."),
        ("search?dice=31&length=x", "Eine Länge ist eine Zahl von Punkten oder money."),
        ("search?finding=ilegal-play", "Kein Befund hat diesen Code"),
        ("explorer?first=9", "Ein Wurf wird als 31 geschrieben."),
        ("explorer?second=31", "ein zweiter Wurf kommt nach einem"),
    ):
        german = await api.get(f"/{wrong}&lang=de")
        assert german.status_code == 400, wrong
        assert said in german.text, wrong
        english = await api.get(f"/{wrong}")
        assert said not in english.text
    assert "5 auf Feld 13" in (await api.get("/explorer?lang=de")).text
    assert "5 on 13" in (await api.get("/explorer?lang=en")).text
