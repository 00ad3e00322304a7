"""Leases: one scribe a board, takeovers, second recorders, what a device has to do."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from events.catalogue import read
from events.envelope import Basis
from events.payloads import dispute
from events.payloads.access import Role
from events.payloads.custody import LeaseEnded, LeaseGranted
from tests.api.routes.tablets import paired
from tests.projections.rules.federations import federation_match
from tests.projections.table import Table

LEASES = "/logs/club/leases"
SHADOWS = "/logs/club/shadows"


NOTHING_KNOWN = {
    "version": 1,
    "score": {"one": 0, "two": 0},
    "entered": {"one": 0, "two": 0},
    "winner": None,
    "by": None,
    "rule_set": None,
    "section": None,
    "is_flag_open": False,
}
"""What a device hears of a match in which nothing has changed since its opening."""


async def lease(
    api: Any, device: str = "tablet-1", match: str = "m1", **more: Any
) -> httpx.Response:
    body = {"match": match, "device": device, **more}
    made: httpx.Response = await api.post(LEASES, body, api.director)
    return made


async def shadow(api: Any, device: str, match: str = "m1") -> httpx.Response:
    made: httpx.Response = await api.post(SHADOWS, {"match": match, "device": device}, api.director)
    return made


def custody(api: Any) -> list[LeaseGranted | LeaseEnded]:
    payloads = [read(row).payload for row in api.archive.store.read_stream("club", "tournament")]
    return [one for one in payloads if isinstance(one, LeaseGranted | LeaseEnded)]


async def test_a_device_becomes_the_scribe_of_a_board(api: Any) -> None:
    await api.open()
    await paired(api)
    answer = await lease(api)
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert (told["match_id"], told["lease"], told["device"]) == ("m1", 1, "tablet-1")
    assert custody(api) == [LeaseGranted(lease=1, device="tablet-1", match="m1")]
    again = await lease(api)
    assert (again.status_code, again.json()) == (200, told)
    assert len(custody(api)) == 1


async def test_a_board_is_taken_over_only_where_the_director_says_so(api: Any) -> None:
    await api.open()
    await paired(api, match="m1")
    await paired(api, "tablet-2")
    held = await lease(api, "tablet-2")
    assert held.status_code == 409
    assert held.json()["type"] == "/problems/lease-held"
    assert held.json()["device"] == "tablet-1"
    assert len(custody(api)) == 1
    taken = await lease(api, "tablet-2", takeover=True)
    assert (taken.status_code, taken.json()["lease"]) == (201, 2)
    assert custody(api)[1:] == [
        LeaseEnded(lease=1, match="m1", reason="taken_over"),
        LeaseGranted(lease=2, device="tablet-2", match="m1", takeover=True),
    ]


async def test_only_the_director_lets_a_screen_show_what_is_legal_and_can_take_that_back(
    api: Any,
) -> None:
    await api.open()
    token = await paired(api, match="m1")

    async def told() -> tuple[int, str]:
        [held] = (await api.get("/logs/club/assignment", token)).json()["leases"]
        return held["lease"], held["profile"]

    assert await told() == (1, "no_assist")
    allowed = await lease(api, profile="monitor")
    assert (allowed.status_code, allowed.json()["lease"]) == (201, 1)
    assert await told() == (1, "monitor")
    again = await lease(api, profile="monitor")
    assert (again.status_code, again.json()) == (200, allowed.json())
    by_itself = {"match": "m1", "device": "tablet-1", "profile": "monitor"}
    assert (await api.post(LEASES, by_itself, token)).status_code == 403
    room = (await api.get("/logs/club/room", api.director)).json()
    assert room["tables"][0]["lease"] == {
        "number": 1,
        "device": "tablet-1",
        "profile": "monitor",
    }
    assert (await lease(api)).status_code == 201
    assert await told() == (1, "no_assist")
    said = [one.profile for one in custody(api) if isinstance(one, LeaseGranted)]
    assert said == [None, "monitor", "no_assist"]
    assert (await lease(api, profile="helpful")).status_code in (400, 422)
    assert len(custody(api)) == 3


async def test_a_board_taken_over_shows_no_more_than_the_director_says_of_it(api: Any) -> None:
    await api.open()
    await paired(api, match="m1")
    await lease(api, profile="monitor")
    token = await paired(api, "tablet-2")
    await lease(api, "tablet-2", takeover=True)
    [held] = (await api.get("/logs/club/assignment", token)).json()["leases"]
    assert (held["lease"], held["profile"]) == (2, "no_assist")


async def test_two_takeovers_at_once_leave_one_scribe(api: Any) -> None:
    await api.open()
    await paired(api, match="m1")
    for device in ("tablet-2", "tablet-3"):
        await paired(api, device)
    answers = await asyncio.gather(
        lease(api, "tablet-2", takeover=True), lease(api, "tablet-3", takeover=True)
    )
    assert sorted(answer.json()["lease"] for answer in answers) == [2, 3]
    numbers = [one.lease for one in custody(api) if isinstance(one, LeaseGranted)]
    assert numbers == [1, 2, 3]
    scribes = [
        device
        for device in ("tablet-1", "tablet-2", "tablet-3")
        if (await lease(api, device)).status_code == 200
    ]
    assert len(scribes) == 1


async def test_two_leases_at_once_for_a_free_board_leave_one_scribe(api: Any) -> None:
    await api.open()
    for device in ("tablet-1", "tablet-2"):
        await paired(api, device)
    answers = await asyncio.gather(lease(api, "tablet-1"), lease(api, "tablet-2"))
    assert sorted(answer.status_code for answer in answers) == [201, 409]


async def test_a_lease_ends_and_the_next_number_is_higher(api: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    ended = await api.post(f"{LEASES}/end", {"match": "m1", "reason": "lost"}, api.director)
    assert ended.status_code == 201
    assert ended.json() == {
        "match_id": "m1",
        "lease": 1,
        "device": "tablet-1",
        "reason": "lost",
    }
    assert (await api.get("/logs/club/assignment", token)).json()["leases"] == []
    again = await api.post(f"{LEASES}/end", {"match": "m1"}, api.director)
    assert again.status_code == 409
    assert again.json()["type"] == "/problems/no-lease"
    assert (await lease(api)).json()["lease"] == 2


async def test_a_revoked_device_is_no_scribe(api: Any, make: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    room = (await api.get("/logs/club/room", api.director)).json()
    revoked = make("access.revoked", target=room["devices"][0]["grant_id"])
    answer = await api.post("/logs/club/events", {"entries": [revoked]}, api.director, If_Match="*")
    assert answer.status_code == 201
    assert (await api.get("/logs/club/assignment", token)).status_code == 401
    assert (await lease(api)).json()["type"] == "/problems/no-such-device"
    await paired(api, "tablet-2")
    # Nobody has to be taken over: the lease has gone with the grant.
    assert (await lease(api, "tablet-2")).status_code == 201


async def test_a_second_recorder_writes_beside_the_match(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0}, length=7)
    await paired(api, match="m1")
    token = await paired(api, "tablet-2")
    answer = await shadow(api, "tablet-2")
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert (told["shadow_of"], told["lease"], told["device"]) == ("m1", 1, "tablet-2")
    beside = told["match_id"]
    opened = api.archive.reading.live("club", beside).replay.opened
    original = api.archive.reading.live("club", "m1").replay.opened
    assert opened.shadow_of == "m1"
    assert opened.publication is None
    assert (opened.players, opened.length) == (original.players, 7)
    shown = await api.get(f"/logs/club/matches/{beside}", api.director)
    assert shown.json()["players"] == {"one": ["Ann"], "two": ["Bo"]}
    assignment = (await api.get("/logs/club/assignment", token)).json()
    [lease] = assignment["leases"]
    assert {**lease, "terms": None} == {
        "match_id": beside,
        "lease": 1,
        "shadow_of": "m1",
        "terms": None,
        "profile": "no_assist",
        "is_over": False,
    }
    again = await shadow(api, "tablet-2")
    assert (again.status_code, again.json()) == (200, told)
    assert api.faults() == []


async def test_what_a_second_recorder_writes_is_never_public(api: Any, make: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await paired(api, "tablet-2")
    beside = (await shadow(api, "tablet-2")).json()["match_id"]
    path = f"/logs/club/matches/{beside}"
    assert (await api.get(path)).status_code == 401
    released = make("publication.released")
    assert (await api.append(released, match=beside, token=api.director)).status_code == 201
    for asked in (path, f"{path}/replay", f"{path}/export.mat", f"{path}/events"):
        assert (await api.get(asked)).status_code == 401
    listed = (await api.get("/logs/club/matches")).json()["matches"]
    assert [row["match_id"] for row in listed] == ["m1"]
    # Also when the program is restarted and folds the whole stream at once.
    api.archive.reading.forget("club", beside)
    assert (await api.get(path)).status_code == 401


async def test_nobody_writes_beside_a_second_recorder(api: Any) -> None:
    await api.open()
    await paired(api)
    await paired(api, "tablet-2")
    beside = (await shadow(api, "tablet-1")).json()["match_id"]
    assert (await shadow(api, "tablet-2", beside)).status_code == 422


async def test_only_a_director_gives_boards_away(api: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    bodies = {
        LEASES: {"match": "m1", "device": "tablet-1", "takeover": True},
        f"{LEASES}/end": {"match": "m1"},
        SHADOWS: {"match": "m1", "device": "tablet-1"},
    }
    local = api.token(Role.DIRECTOR, match="m1")
    for path, body in bodies.items():
        assert (await api.post(path, body)).status_code == 401
        for hand in (api.scribe, token, local, api.token(Role.VIEWER)):
            answer = await api.post(path, body, hand)
            assert answer.status_code == 403, path
    assert len(custody(api)) == 1


async def test_what_there_is_not_is_said(api: Any) -> None:
    await api.open()
    await paired(api)
    assert (await lease(api, match="m9")).json()["type"] == "/problems/no-such-match"
    assert (await lease(api, match="tournament")).json()["type"] == "/problems/no-such-match"
    assert (await lease(api, "nobody")).json()["type"] == "/problems/no-such-device"
    assert (await shadow(api, "nobody")).json()["type"] == "/problems/no-such-device"
    assert (await shadow(api, "tablet-1", "m9")).status_code == 404
    streams = [head.stream_id for head in api.archive.store.streams("club")]
    assert sorted(streams) == ["m1", "tournament"]
    ended = await api.post(f"{LEASES}/end", {"match": "m9"}, api.director)
    assert ended.status_code == 404


@pytest.mark.parametrize("path", [LEASES, f"{LEASES}/end", SHADOWS])
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", {"match": 1}, {"match": "M1", "device": "x"}])
async def test_a_body_of_another_shape_is_refused(api: Any, path: str, body: Any) -> None:
    answer = await api.post(path, body, api.director)
    assert answer.status_code == 422
    assert answer.json()["status"] == 422


async def test_a_device_hears_what_it_has_to_record(api: Any, clock: Any, begin: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    assert (await api.append(*begin())).status_code == 201
    answer = await api.get("/logs/club/assignment?unsent=4", token)
    head = api.archive.store.stream_head("club", "m1")
    assert answer.json() == {
        "device": "tablet-1",
        "epoch": 1,
        "leases": [
            {
                "match_id": "m1",
                "lease": 1,
                "shadow_of": None,
                "terms": {
                    "crawford": True,
                    "jacoby": False,
                    "void_cube_acts": [],
                    "played_on": [],
                    "ruled_throws": {},
                    "cubes": {},
                    "concedable": None,
                    "known": NOTHING_KNOWN,
                },
                "profile": "no_assist",
                "is_over": False,
            }
        ],
        "streams": {"m1": {"version": 4, "head": head.head_hash.hex()}},
        "cursor": {"last_seq": 0, "last_hash": None},
        "server_time_ms": clock.now,
        "covered": None,
    }
    assert answer.headers["cache-control"] == "no-store"


async def test_a_lease_of_what_was_never_opened_keeps_no_device_from_its_board(
    api: Any, make: Any
) -> None:
    await api.open()
    token = await paired(api, match="m1")
    entries = [
        make("lease.granted", lease=1, device="tablet-1", match=match)
        for match in ("m2", "tournament")
    ]
    answer = await api.post("/logs/club/events", {"entries": entries}, api.director, If_Match="*")
    assert answer.status_code == 201, answer.text
    told = await api.get("/logs/club/assignment", token)
    assert told.status_code == 200, told.text
    assert [one["match_id"] for one in told.json()["leases"]] == ["m1"]
    assert (await shadow(api, "tablet-1")).status_code == 201
    await api.open("m2")
    told = (await api.get("/logs/club/assignment", token)).json()
    assert {"m1", "m2"} < {one["match_id"] for one in told["leases"]}


async def test_a_device_hears_what_the_rules_in_force_say_for_its_fold(api: Any) -> None:
    await api.open()
    sides = {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]}
    opened = {"players": sides, "length": 5, "rule_set": "biba-2014"}
    body = {"match_id": "under-biba", "opened": opened}
    assert (await api.post("/logs/club/matches", body, api.director)).status_code == 201
    token = await paired(api, "tablet-biba", match="under-biba")
    [lease] = (await api.get("/logs/club/assignment", token)).json()["leases"]
    assert lease["terms"] == {
        "crawford": True,
        "jacoby": False,
        "void_cube_acts": ["cube-in-crawford-game"],
        "played_on": [],
        "ruled_throws": {},
        "cubes": {},
        "concedable": "where_it_is_certain",
        "known": NOTHING_KNOWN,
    }


@pytest.mark.parametrize(
    ("rule_set", "length", "is_single"),
    [
        ("fcbg-club", 5, True),
        ("fcbg-tournament", 5, False),
        ("common", 5, False),
        ("common", None, True),
        ("biba-2014", None, False),
    ],
)
async def test_a_device_hears_whether_a_gammon_without_a_double_is_a_single_game(
    api: Any, rule_set: str, length: int | None, is_single: bool
) -> None:
    await api.open()
    sides = {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]}
    options = {"jacoby": {"value": "on"}, "rated": {"value": False}}
    opened = {"players": sides, "length": length, "rule_set": rule_set, "options": options}
    body = {"match_id": "with-jacoby", "opened": opened}
    assert (await api.post("/logs/club/matches", body, api.director)).status_code == 201
    token = await paired(api, "tablet-jacoby", match="with-jacoby")
    [lease] = (await api.get("/logs/club/assignment", token)).json()["leases"]
    assert lease["terms"]["jacoby"] is is_single


async def test_a_device_hears_that_a_club_has_adopted_the_crawford_game(api: Any) -> None:
    """FCBG has it only for tournaments: the Director is asked when a player is a point away."""
    table = Table(3, rule_set="fcbg-club", score=(2, 0)).game()
    question = dispute.Question(topic="crawford.phase", at=table.last)
    adopted = dispute.Answer(question=question, reading="adopted")
    table.record(dispute.RulingMade(answers=(adopted,)), basis=Basis.RULED)
    drafts = [
        api.archive.draft(one.payload, basis=one.basis, entry_id=one.entry_id)
        for one in table.events
    ]
    api.archive.append("club", "m1", drafts[:-1])
    token = await paired(api, match="m1")
    heard = []
    for _ in range(2):
        [lease] = (await api.get("/logs/club/assignment", token)).json()["leases"]
        heard.append(lease["terms"]["crawford"])
        if len(heard) == 1:
            api.archive.append("club", "m1", drafts[-1:])
    assert heard == [False, True]


async def test_a_device_hears_where_a_ruling_on_a_throw_leaves_the_game(api: Any) -> None:
    """A roll is called cocked, and ruled so: its player has to throw again."""
    table = federation_match("usbgf-2017-07")
    upto = next(one.version for one in table.events if one.tag == "ruling.made")
    drafts = [
        api.archive.draft(one.payload, basis=one.basis, entry_id=one.entry_id)
        for one in table.events[:upto]
    ]
    api.archive.append("club", "m1", drafts)
    token = await paired(api, match="m1")
    [lease] = (await api.get("/logs/club/assignment", token)).json()["leases"]
    assert lease["terms"]["ruled_throws"] == {
        drafts[-1].entry_id: {
            "awaits": "roll",
            "in_game": True,
            "on_roll": "two",
            "to_act": "two",
            "turn_open": None,
            "dice": None,
            "turn_number": 1,
            "roll_entry": None,
            "answering": None,
            "resigning": None,
            "resign_level": None,
            "early": None,
            "void_double": None,
        }
    }


async def test_an_assignment_is_for_devices_alone(api: Any) -> None:
    assert (await api.get("/logs/club/assignment")).status_code == 401
    for token in (api.director, api.scribe):
        assert (await api.get("/logs/club/assignment", token)).status_code == 403
    token = await paired(api)
    for unsent in ("-1", "many"):
        answer = await api.get(f"/logs/club/assignment?unsent={unsent}", token)
        assert answer.status_code == 400
    api.archive.open_tournament("elsewhere", "Another club")
    assert (await api.get("/logs/elsewhere/assignment", token)).status_code == 403


async def test_a_devices_token_appends_to_no_stream_by_itself(api: Any, make: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    answer = await api.append(make("turn.ended", seat="one"), token=token)
    assert answer.status_code == 403
    assert api.version() == 1
