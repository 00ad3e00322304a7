"""What the replay viewer reads: scenes, legal plays, alignment, provenance; and who may read it."""

from __future__ import annotations

from typing import Any

import pytest

from events.payloads.access import Role

URL = "/logs/club/matches/m1"
SHADOW = "/logs/club/matches/m1-shadow"


async def scenes(api: Any, query: str = "", token: str | None = None) -> dict[str, Any]:
    answer = await api.get(f"{URL}/scenes{query}", token)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("path", ["/scenes", "/legal-plays", "/alignment"])
async def test_what_has_not_changed_is_304(api: Any, make: Any, begin: Any, path: str) -> None:
    await api.open()
    await api.append(*begin())
    first = await api.get(f"{URL}{path}", api.director)
    etag = first.headers["etag"]
    again = await api.get(f"{URL}{path}", api.director, If_None_Match=etag)
    assert (again.status_code, again.content) == (304, b"")
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    assert (await api.get(f"{URL}{path}", api.director)).headers["etag"] != etag


@pytest.mark.parametrize("path", ["/scenes", "/legal-plays", "/alignment", "/provenance"])
async def test_a_private_match_is_replayed_by_those_with_a_grant_alone(
    api: Any, begin: Any, path: str
) -> None:
    await api.open()
    await api.append(*begin())
    assert (await api.get(f"{URL}{path}")).status_code == 401
    await api.open("m2")
    elsewhere = api.token(Role.VIEWER, match="m2")
    assert (await api.get(f"{URL}{path}", elsewhere)).status_code == 403
    assert (await api.get(f"{URL}{path}", api.director)).status_code == 200


async def test_the_page_is_frozen_while_an_appeal_is_open(api: Any, make: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    page = "/matches/club/m1/replay"
    assert (await api.get(page)).status_code == 200
    ruling = make("ruling.made")
    appeal = make("appeal.filed", seat="one", target=ruling["entry_id"])
    assert (await api.append(ruling, appeal, token=api.director)).status_code == 201
    assert (await api.get(page)).status_code == 403
    assert (await api.get(f"{URL}/scenes")).status_code == 401
    assert (await api.get(page, api.director)).status_code == 200


async def test_another_rule_set_says_where_it_differs(api: Any, make: Any, begin: Any) -> None:
    await api.open(rule_set="usbgf-2017-07")
    slip = make("play.made", seat="two", moves=[[24, 20], [24, 22]])
    notice = make("play.illegality_noticed", target=slip["entry_id"], noticed_by="one")
    rolled = make("dice.rolled", seat="two", dice=[6, 1])
    await api.append(*begin(), rolled, slip, notice, token=api.director)
    pinned = await scenes(api, token=api.director)
    assert pinned["contrasts"] == []
    other = await scenes(api, "?rules=biba-2014", api.director)
    assert other["rule_set"] == "biba-2014"
    versions = {one["version"] for one in other["contrasts"]}
    assert versions <= {scene["version"] for scene in other["scenes"]}
    cited = other["scenes"][5]["findings"][0]
    assert other["captions"][cited["rule_set"]][cited["section"]]
    unknown = await api.get(f"{URL}/scenes?rules=nobody", api.director)
    assert unknown.status_code == 400


async def test_a_large_answer_is_packed_for_those_who_can_read_it(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    packed = await api.get(f"{URL}/scenes", api.director, Accept_Encoding="gzip")
    plain = await api.get(f"{URL}/scenes", api.director, Accept_Encoding="identity")
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


async def test_nobody_advises_while_a_game_is_played_but_those_who_rule(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), make("dice.rolled", seat="two", dice=[6, 5]))
    assert (await api.get(f"{URL}/legal-plays")).status_code == 401
    assert (await api.get(f"{URL}/legal-plays", api.scribe)).status_code == 403
    assert {scene["pips"] is None for scene in (await scenes(api))["scenes"][1:]} == {True}
    told = (await api.get(f"{URL}/legal-plays", api.director)).json()
    assert (told["seat"], told["dice"]) == ("two", [6, 5])
    assert "24/18 18/13" in told["plays"]
    ending = make("game.won", winner="two", points=1)
    await api.append(ending, token=api.director)
    told = (await api.get(f"{URL}/legal-plays?at=4")).json()
    assert (told["played"], told["is_legal"]) == ("8/5 6/5", True)
    assert (await scenes(api))["scenes"][3]["pips"] == {"one": 163, "two": 167}


@pytest.mark.parametrize("path", ["/legal-plays?at=99", "/provenance?at=99", "/provenance?at=0"])
async def test_a_version_that_is_not_there_is_said_so(api: Any, begin: Any, path: str) -> None:
    await api.open()
    await api.append(*begin())
    answer = await api.get(f"{URL}{path}", api.director)
    assert answer.status_code == 404
    assert answer.json()["current_version"] == 4


async def test_a_shadow_scribes_record_is_laid_beside_the_match(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    await api.append(*begin(), make("dice.rolled", seat="two", dice=[6, 5]))
    await api.append(make("play.made", seat="two", moves=[[24, 18], [18, 13]]))
    await api.open("m1-shadow", shadow_of="m1")
    seen = [make("dice.rolled", seat="two", dice=[6, 4])]
    seen += [make("play.made", seat="two", moves=[[24, 18], [18, 14]])]
    await api.append(*begin(), *seen, match="m1-shadow")
    answer = await api.get(f"{URL}/alignment?with=m1-shadow", api.director)
    told = answer.json()
    assert [row["differs"] for row in told["rows"]] == [[], ["dice", "play"]]
    assert told["first_divergence"] == 1
    assert told["rows"][1]["second"]["dice"] == "64"
    back = (await api.get(f"{SHADOW}/alignment", api.director)).json()
    assert back["records"] == ["m1"]
    missing = await api.get(f"{URL}/alignment?with=nobody", api.director)
    assert missing.status_code == 404
    public_match = await api.get(f"{URL}/alignment?with=m1-shadow")
    assert public_match.status_code == 401


async def test_the_records_of_shadow_scribes_are_named_to_those_who_may_read_them(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.open("m2")
    await api.open("m1-shadow", shadow_of="m1")
    leases = [
        make("lease.granted", lease=1, device="tablet-7", match=match)
        for match in ("m1", "m2", "m1-shadow")
    ]
    granted = await api.post("/logs/club/events", {"entries": leases}, api.director, If_Match="*")
    assert granted.status_code == 201, granted.text
    told = (await api.get(f"{URL}/alignment", api.director)).json()
    assert told["records"] == ["m1-shadow"]
    only_this = api.token(Role.VIEWER, match="m1")
    assert (await api.get(f"{URL}/alignment", only_this)).json()["records"] == []
    assert (await api.get(f"{URL}/alignment")).json()["records"] == []


async def test_provenance_tells_the_public_no_device(api: Any, make: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    early = {**make("game.started"), "device": "tablet-7", "occurred_at": 1_799_990_000_000}
    await api.append(early)
    told = (await api.get(f"{URL}/provenance?at=2", api.director)).json()
    [one] = told["entries"]
    assert told["is_context_shown"]
    assert (one["device"], one["signature"]) == ("tablet-7", None)
    assert one["offline_ms"] == one["received_at"] - one["occurred_at"] >= 60_000
    [entries] = [(await api.get(f"{URL}/events", api.director)).json()["entries"]]
    assert one["leaf_hash"] == entries[1]["leaf_hash"]
    public = await api.get(f"{URL}/provenance")
    assert public.headers["cache-control"] == "no-store"
    assert not public.json()["is_context_shown"]
    for hidden in public.json()["entries"]:
        assert hidden["device"] is hidden["occurred_at"] is hidden["recorded_by"] is None
        assert not hidden["is_known"]


async def test_a_committee_sees_neither_names_nor_who_recorded(api: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    committee = api.token(Role.COMMITTEE, match="m1")
    page = await api.get("/matches/club/m1/replay", committee)
    assert page.status_code == 200
    assert "Ann" not in page.text
    assert "Player 1" in page.text
    told = (await api.get(f"{URL}/provenance", committee)).json()
    assert not told["is_context_shown"]
    assert (await scenes(api, token=committee))["is_trusted"]
