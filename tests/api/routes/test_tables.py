"""Tablets at tables: one code for several, and matches assigned to the tablet at their table."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest

from api.rounds import tables
from api.routes import leases, pairing
from tests.api.routes.conftest import OPENED
from tests.api.routes.tablets import hashed

ROUND = "round,table,player 1,player 2,length\n{round},1,A A,B B,5\n{round},2,C C,D D,5\n"


def token(number: int) -> str:
    return f"{number:064x}"


def claim(code: str, number: int) -> dict[str, Any]:
    return {
        "code": code,
        "device": f"tablet-{number}",
        "epoch": 1,
        "token_sha256": hashed(token(number)),
        "public_key": None,
    }


async def made(api: Any, path: str, status: int, **body: Any) -> dict[str, Any]:
    answer = await api.post(f"/logs/club/{path}", body, api.director)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


async def paired(api: Any, number: int, **approval: Any) -> dict[str, Any]:
    code = (await made(api, "pairings", 201))["code"]
    told = (await api.post("/pairings/claims", claim(code, number))).json()
    return await made(api, f"pairings/{told['pairing_id']}/approval", 201, **approval)


async def opened(api: Any, number: int) -> list[str]:
    text = ROUND.format(round=number)
    answer = await made(api, "rounds", 201, text=text, request_id=str(uuid.uuid4()))
    matches: dict[str, str] = {
        table["table"]: table["match_id"]
        for table in (await api.get("/logs/club/room", api.director)).json()["tables"]
        if table["match_id"] in answer["matches"]
    }
    return [matches["1"], matches["2"]]


async def assigned(api: Any, number: int) -> list[tuple[str, bool]]:
    answer = await api.get("/logs/club/assignment", token(number))
    assert answer.status_code == 200, answer.text
    return [(lease["match_id"], lease["is_over"]) for lease in answer.json()["leases"]]


async def standing(api: Any) -> dict[str, str | None]:
    room = (await api.get("/logs/club/room", api.director)).json()
    return {device["id"]: device["table"] for device in room["devices"]}


async def test_one_code_lets_several_tablets_in_each_by_its_own_words(api: Any) -> None:
    code = await made(api, "pairings", 201, uses=3)
    told = [(await api.post("/pairings/claims", claim(code["code"], at))).json() for at in (1, 2)]
    again = (await api.post("/pairings/claims", claim(code["code"], 2))).json()
    assert again == told[1]
    assert len({one["pairing_id"] for one in told}) == 2
    assert told[0]["fingerprint"] != told[1]["fingerprint"]
    lines = (await api.get("/logs/club/pairings", api.director)).json()["pairings"]
    assert [(line["state"], line["uses_left"]) for line in lines] == [
        ("open", 1),
        ("waiting", 0),
        ("waiting", 0),
    ]
    assert lines[0]["code"] == code["code"]
    assert lines[1]["code"] is None
    for at, one in enumerate(told, 1):
        assert (await api.get("/logs/club/assignment", token(at))).status_code == 401
        approval = f"pairings/{one['pairing_id']}/approval"
        await made(api, approval, 201, table=str(at))
        assert await assigned(api, at) == []
    assert (await api.post("/pairings/claims", claim(code["code"], 3))).status_code == 202
    refused = await api.post("/pairings/claims", claim(code["code"], 4))
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/code-taken")
    assert await standing(api) == {"tablet-1": "1", "tablet-2": "2"}


async def test_a_code_for_several_that_was_taken_back_lets_nobody_in(api: Any) -> None:
    code = await made(api, "pairings", 201, uses=3)
    await made(api, f"pairings/{code['pairing_id']}/refusal", 201)
    refused = await api.post("/pairings/claims", claim(code["code"], 1))
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/code-taken")


async def test_a_match_comes_to_the_tablet_at_its_table(api: Any, make: Any) -> None:
    await paired(api, 1, table="1")
    first = await opened(api, 1)
    assert await assigned(api, 1) == [(first[0], False)]
    # The next round is opened while the first is played: its match waits for the end of the first.
    second = await opened(api, 2)
    assert await assigned(api, 1) == [(first[0], False), (second[0], False)]
    ended = make("forfeit.declared", seat="two", ground="late_start")
    assert (await api.append(ended, match=first[0], token=api.director)).status_code == 201
    assert await assigned(api, 1) == [(first[0], True), (second[0], False)]
    # A tablet that comes late gets the open matches of its table, the oldest first.
    await paired(api, 2, table=" 2 ")
    assert await assigned(api, 2) == [(first[1], False), (second[1], False)]


async def test_a_match_that_is_opened_by_itself_comes_to_the_tablet_at_its_table(
    api: Any,
) -> None:
    await paired(api, 1, table="Table 7")
    at_the_table = {**OPENED, "table": " table 7"}
    entry_id = str(uuid.uuid4())
    for status in (201, 200):
        answer = await made(
            api, "matches", status, opened=at_the_table, match_id="m1", entry_id=entry_id
        )
        assert answer["match_id"] == "m1"
    assert await assigned(api, 1) == [("m1", False)]
    await made(api, "matches", 201, opened={**OPENED, "table": "8"}, match_id="m2")
    await made(api, "matches", 201, opened={**at_the_table, "shadow_of": "m1"}, match_id="m3")
    # A scribe opens a match, and lends it to nobody.
    body = {"opened": at_the_table, "match_id": "m4"}
    assert (await api.post("/logs/club/matches", body, api.scribe)).status_code == 201
    assert await assigned(api, 1) == [("m1", False)]


async def test_a_tablet_moves_with_what_waits_and_keeps_what_it_records(
    api: Any, make: Any
) -> None:
    await paired(api, 1, table="1")
    first, second = await opened(api, 1), await opened(api, 2)
    await api.append(make("game.started"), match=first[0], token=api.director)
    moved = await made(api, "tables", 201, device="tablet-1", table="2")
    assert moved["matches"] == [first[0], first[1], second[1]]
    again = await made(api, "tables", 200, device="tablet-1", table="2")
    assert again["matches"] == moved["matches"]
    none = await made(api, "tables", 201, device="tablet-1", table=None)
    assert none == {"device": "tablet-1", "table": None, "matches": [first[0]]}
    assert await standing(api) == {"tablet-1": None}


async def test_a_tablet_that_comes_to_its_match_keeps_it(api: Any) -> None:
    await paired(api, 1, table="1")
    first = await opened(api, 1)
    # By hand: the tablet of table 1 is to record table 2, and then it is carried over there.
    await made(api, "leases", 201, match=first[1], device="tablet-1")
    moved = await made(api, "tables", 201, device="tablet-1", table="2")
    assert moved["matches"] == [first[1]]
    assert await assigned(api, 1) == [(first[1], False)]


@pytest.mark.parametrize("door", ["tables", "pairing"])
async def test_a_round_that_is_opened_at_the_same_moment_comes_to_the_tablet(
    api: Any, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    loop, began = asyncio.get_running_loop(), []

    def place_of(*args: Any, **more: Any) -> tables.Place:
        found = tables.place_of(*args, **more)
        if not began:
            began.append(True)
            asyncio.run_coroutine_threadsafe(opened(api, 1), loop).result()
        return found

    monkeypatch.setattr(leases if door == "tables" else pairing, "place_of", place_of)
    await paired(api, 1, **({} if door == "tables" else {"table": "1"}))
    if door == "tables":
        await made(api, "tables", 201, device="tablet-1", table="1")
    assert began
    assert len(await assigned(api, 1)) == 1


async def test_nobody_loses_a_table_silently(api: Any, make: Any) -> None:
    await paired(api, 1, table="1")
    first = await opened(api, 1)
    await api.append(make("game.started"), match=first[0], token=api.director)
    await paired(api, 2)
    body = {"device": "tablet-2", "table": "1"}
    refused = await api.post("/logs/club/tables", body, api.director)
    assert (refused.status_code, refused.json()["device"]) == (409, "tablet-1")
    assert await assigned(api, 1) == [(first[0], False)]
    taken = await made(api, "tables", 201, **body, takeover=True)
    assert taken["matches"] == [first[0]]
    assert await assigned(api, 1) == []
    assert await standing(api) == {"tablet-1": None, "tablet-2": "1"}
    assert api.faults() == []


async def test_a_tablet_that_is_paired_again_stands_where_it_stood(api: Any) -> None:
    await paired(api, 1, table="1")
    first = await opened(api, 1)
    code = (await made(api, "pairings", 201))["code"]
    body = {**claim(code, 1), "epoch": 2, "token_sha256": hashed("new")}
    told = (await api.post("/pairings/claims", body)).json()
    await made(api, f"pairings/{told['pairing_id']}/approval", 201)
    answer = await api.get("/logs/club/assignment", "new")
    assert [lease["match_id"] for lease in answer.json()["leases"]] == [first[0]]
    assert await standing(api) == {"tablet-1": "1"}


async def test_an_approval_gives_a_match_and_a_table_or_leaves_the_table_that_was(api: Any) -> None:
    first = await opened(api, 1)
    answer = await paired(api, 1, match=first[0], table="2")
    assert (answer["match_id"], answer["lease"]) == (first[0], 1)
    assert await assigned(api, 1) == [(first[0], False), (first[1], False)]
    assert await standing(api) == {"tablet-1": "2"}
    # Its storage was lost: under the next epoch it is given a match, and stands where it stood.
    code = (await made(api, "pairings", 201))["code"]
    body = {**claim(code, 1), "epoch": 2, "token_sha256": hashed(token(9))}
    told = (await api.post("/pairings/claims", body)).json()
    approval = f"pairings/{told['pairing_id']}/approval"
    answer = await made(api, approval, 201, match=first[1])
    assert (answer["match_id"], answer["lease"]) == (first[1], 2)
    assert await assigned(api, 9) == [(first[1], False)]
    assert await standing(api) == {"tablet-1": "2"}


async def test_only_a_director_says_who_stands_where(api: Any) -> None:
    await paired(api, 1)
    body = {"device": "tablet-1", "table": "1"}
    assert (await api.post("/logs/club/tables", body, api.scribe)).status_code == 403
    nobody = await api.post("/logs/club/tables", {**body, "device": "no"}, api.director)
    assert (nobody.status_code, nobody.json()["type"]) == (404, "/problems/no-such-device")
