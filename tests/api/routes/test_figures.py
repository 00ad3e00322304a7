"""What is counted for everybody: matches that are over and seen whole, once each, and no others."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from events.payloads.access import Role
from tests.api.routes.conftest import Api, Clock
from tests.api.routes.test_searching import AFTER_31, play


async def openings(api: Api, token: str | None = None, **asked: object) -> dict[str, Any]:
    answer = await api.get(f"/positions/openings?{urlencode(asked)}", token)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_replies_to_first_and_second_rolls_are_counted_with_what_they_led_to(
    api: Api, make: Any, begin: Any
) -> None:
    await play(api, make, begin, "m1")
    told = await openings(api)
    assert (told["position_id"], told["matches"]) == ("4HPwATDgc/ABMA", 1)
    [roll] = told["rolls"]
    [reply] = roll["replies"]
    assert (roll["dice"], roll["games"], reply["play"]) == ([3, 1], 1, "8/5 6/5")
    assert (reply["over"], reply["won"], reply["points"]) == (1, 1, 1)
    assert reply["position_id"] == AFTER_31
    second = await openings(api, first=31, after=AFTER_31)
    [roll] = second["rolls"]
    assert (roll["dice"], roll["replies"][0]["play"]) == ([6, 4], "24/14")
    # Bo, who answered, has lost it.
    assert (roll["replies"][0]["won"], roll["replies"][0]["points"]) == (0, -1)
    for nothing in (
        {"first": "65"},
        {"first": 31, "after": AFTER_31, "second": "66"},
        {"player": "Bo"},
        {"player": "ann"},
        {"log": "other"},
        {"length": 7},
        {"rule_set": "usbgf-2017-09"},
    ):
        assert (await openings(api, **nothing))["rolls"] == [], nothing
    for something in ({"player": "Ann"}, {"length": 5}, {"rule_set": "common"}, {"first": "1-3"}):
        assert (await openings(api, **something))["rolls"] == told["rolls"], something
    page = await api.get(f"/explorer?{urlencode({'first': 31, 'after': AFTER_31, 'second': 64})}")
    assert page.status_code == 200
    assert "24/14" in page.text
    assert "8/5 6/5" in page.text


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"first": "77"}, "first"),
        ({"second": "31"}, "after"),
        ({"after": "nonsense"}, "after"),
        ({"after": AFTER_31, "second": "x"}, "second"),
        ({"rule_set": "none-such"}, None),
        ({"length": "-1"}, None),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_named(
    api: Api, asked: dict[str, Any], where: str | None
) -> None:
    answer = await api.get(f"/positions/openings?{urlencode(asked)}")
    assert answer.status_code == 400, answer.text
    assert where is None or answer.json()["where"] == f"query.{where}"
    page = await api.get(f"/explorer?{urlencode(asked)}")
    assert (page.status_code, 'role="alert"' in page.text) == (400, True)


async def test_nothing_is_counted_of_a_match_that_is_played_private_or_under_appeal(
    api: Api, make: Any, begin: Any
) -> None:
    await api.open("live", publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), match="live")
    await play(api, make, begin, "private", public=False)
    # Nor for who may read it: this is what anybody is told.
    for token in (None, api.token(Role.VIEWER), api.archive.grant(Role.ARCHIVIST)[0]):
        assert (await openings(api, token))["matches"] == 0
    await play(api, make, begin, "m1")
    assert (await openings(api))["matches"] == 1
    ruled = make("ruling.made", text="So it stands.")
    await api.append(ruled, match="m1", token=api.director)
    filed = make("appeal.filed", seat="two", target=ruled["entry_id"])
    await api.append(filed, match="m1", token=api.director)
    assert (await openings(api))["matches"] == 0
    refused = make("appeal.refused", appeal=filed["entry_id"])
    await api.append(refused, match="m1", token=api.director)
    assert (await openings(api))["matches"] == 1
    disputed = make("dispute.raised", by="one", frozen_at=ruled["entry_id"], topic="other")
    answer = await api.append(disputed, match="m1", token=api.director)
    assert answer.status_code == 201, answer.text
    assert (await openings(api))["matches"] == 0
    await api.append(make("publication.withheld"), match="m1", token=api.director)
    assert (await openings(api))["matches"] == 0


async def test_behind_the_table_a_match_is_counted_when_all_of_it_may_be_known(
    api: Api, make: Any, begin: Any, clock: Clock
) -> None:
    await play(api, make, begin, "m1", delay_ms=60_000)
    clock.now += 59_000
    assert (await openings(api))["matches"] == 0
    clock.now += 2_000
    assert (await openings(api))["matches"] == 1


async def test_whose_name_is_erased_is_counted_for_nobody(api: Api, make: Any, begin: Any) -> None:
    await play(api, make, begin, "m1")
    assert (await openings(api, player="Ann"))["matches"] == 1
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    answer = await api.post("/erasures", {"name": "Ann", "confirm": "Ann"}, archivist)
    assert answer.status_code in (200, 201), answer.text
    assert (await openings(api, player="Ann"))["matches"] == 0
    assert (await openings(api))["matches"] == 1
