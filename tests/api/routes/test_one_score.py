"""One score: every door shows the same figure after penalty points, set scores and waivers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from projections.rules.shelf import SHELF
from tests.api.routes.tablets import paired

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"

Pair = tuple[int, int]


def pair(value: dict[str, int]) -> Pair:
    return value["one"], value["two"]


async def shown(api: Any, token: str) -> dict[str, Pair]:
    """The score of match `m1` by where it is shown."""

    async def value(path: str, who: str | None = None, **headers: str) -> Any:
        answer = await api.get(path, who, **headers)
        assert answer.status_code == 200, f"{path}: {answer.text[:200]}"
        return answer

    match = "/logs/club/matches/m1"
    room = (await value("/logs/club/room", api.director)).json()
    [table] = room["tables"]
    found = {"room": pair(table["score"])}
    if room["results"]:
        found["result in the room"] = pair(room["results"][0]["score"])
    listed = (await value("/logs/club/matches", api.director)).json()["matches"]
    found["list"] = pair(listed[0]["score"])
    found["score"] = pair((await value(f"{match}/score", api.director)).json()["score"])
    found["penalties"] = pair(
        (await value(f"{match}/penalties", api.director)).json()["scores"]["apart"]
    )
    [lease] = (await value("/logs/club/assignment", token)).json()["leases"]
    known = lease["terms"]["known"]
    games, entered = pair(known["score"]), pair(known["entered"])
    found["tablet"] = (games[0] + entered[0], games[1] + entered[1])
    for name, path in (("page", "/matches/club/m1"), ("embed", "/matches/club/m1/embed")):
        page = (await value(path, None, Accept=BROWSER)).text
        points = re.findall(r'class="points number">(\d+)<', page)
        found[name] = (int(points[0]), int(points[1]))
    sheet = (await value(f"{match}/export.txt", api.director)).text
    ((one, two),) = re.findall(r"^Score +\D* (\d+), .*? (\d+)$", sheet, re.MULTILINE)[:1]
    found["text"] = (int(one), int(two))
    page = (await value(f"{match}/export.html", api.director)).text
    ((one, two),) = re.findall(r'class="result">\D* (\d+), .*? (\d+):', page)
    found["file"] = (int(one), int(two))
    return found


@pytest.mark.parametrize("rule_set", SHELF)
async def test_every_door_shows_the_same_score(api: Any, make: Any, rule_set: str) -> None:
    await api.open(length=9, rule_set=rule_set, publication={"public": True, "delay_ms": 0})
    token = await paired(api, match="m1")
    penalty = make("penalty.assessed", seat="one", points=1, enters_score=True)
    steps: list[tuple[list[dict[str, Any]], Pair]] = [
        ([make("game.started"), make("game.won", winner="one", points=2)], (2, 0)),
        ([penalty], (2, 1)),
        ([make("score.stated", score={"one": 3, "two": 1}) | {"basis": "agreed"}], (3, 1)),
        ([make("penalty.assessed", seat="two", points=2, enters_score=True)], (5, 1)),
        ([make("penalty.waived", target=penalty["entry_id"])], (5, 0)),
        ([make("game.started"), make("game.won", winner="two", points=1)], (5, 1)),
        ([make("ruling.carried_out", score={"one": 6, "two": 4}) | {"basis": "ruled"}], (6, 4)),
        ([make("penalty.assessed", seat="one", points=5, enters_score=True)], (6, 9)),
    ]
    for entries, expected in steps:
        answer = await api.append(*entries, token=api.director)
        assert answer.status_code == 201, answer.text
        found = await shown(api, token)
        assert found == dict.fromkeys(found, expected), entries[-1]["tag"]
    won = (await api.get("/logs/club/matches/m1/score", api.director)).json()
    assert (won["winner"], won["outcome"]["by"]) == ("two", "penalty_points")


async def test_who_agrees_with_the_points_in_the_score_has_confirmed_it(
    api: Any, make: Any
) -> None:
    await api.open(length=9)
    await api.append(
        make("game.started"),
        make("game.won", winner="one", points=2),
        make("penalty.assessed", seat="one", points=1, enters_score=True),
        make("score.noted", keeper="one", score={"one": 2, "two": 1}),
        make("score.noted", keeper="two", score={"one": 2, "two": 0}),
        token=api.director,
    )
    findings = (await api.get("/logs/club/matches/m1/findings", api.director)).json()["findings"]
    differing = [one["seat"] for one in findings if one["code"] == "score-differs"]
    assert differing == ["two"]
