"""The director's room: everything that waits, in one answer that is cheap to ask for again."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest

from api.desk.room_lines import Signs, moment_of
from events.payloads.access import Role
from projections.replay import Replay
from tests.api.devices import Tablet
from tests.api.routes.tablets import paired
from tests.api.routes.test_ingest import Hall

ROOM = "/logs/club/room"
HOUR = 60 * 60_000


async def asked(api: Any, token: str | None = None, **headers: str) -> httpx.Response:
    answer: httpx.Response = await api.get(ROOM, token or api.director, **headers)
    return answer


async def room(api: Any) -> dict[str, Any]:
    answer = await asked(api)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def table(api: Any) -> dict[str, Any]:
    [found] = (await room(api))["tables"]
    return dict(found)


async def record(api: Any, *entries: dict[str, Any], match: str = "m1") -> None:
    answer = await api.append(*entries, match=match, token=api.director)
    assert answer.status_code == 201, answer.text


async def second_record(api: Any) -> str:
    """What a second tablet writes beside match `m1`; its stream."""
    await paired(api, "tablet-2")
    body = {"match": "m1", "device": "tablet-2"}
    opened = await api.post("/logs/club/shadows", body, api.director)
    assert opened.status_code == 201, opened.text
    return str(opened.json()["match_id"])


async def test_an_empty_room_is_empty(api: Any, clock: Any) -> None:
    value = await room(api)
    assert (value["log_id"], value["title"]) == ("club", "Club night")
    assert value["server_time_ms"] == clock.now
    for name in ("tables", "calls", "pairings", "devices", "results", "appeals"):
        assert value[name] == []
    assert {grant["role"] for grant in value["grants"]} == {"director", "scribe"}


async def test_a_table_shows_where_its_match_stands(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    await api.open(table="7", publication={"public": True, "delay_ms": 0})
    waiting = await table(api)
    assert (waiting["state"], waiting["clock"], waiting["lease"]) == ("waiting", None, None)
    clock_set = make(
        "clock.set", kind="simple", reserve_ms={"one": 600_000, "two": 600_000}, delay_ms=12_000
    )
    clock.now += 5_000
    await record(api, clock_set, *begin(), make("clock.started", seat="two", at_ms=0))
    shown = await table(api)
    assert shown["match_id"] == "m1"
    assert shown["table"] == "7"
    assert shown["names"] == {"one": "Ann", "two": "Bo"}
    assert (shown["state"], shown["length"], shown["games"]) == ("live", 5, 0)
    assert shown["score"] == {"one": 0, "two": 0}
    assert (shown["on_roll"], shown["to_act"]) == ("two", "two")
    assert shown["clock"] == {
        "reserve_ms": {"one": 600_000, "two": 600_000},
        "running": "two",
        "flag": None,
        "forfeits": {"one": None, "two": None},
        "free_ms": None,
        "turn_forfeit": None,
        "delay_ms": 12_000,
        "paused": None,
        "kind": "simple",
        "pause_reason": None,
        "running_since": clock.now,
        "time_zero": clock.now,
        "since_elapsed_ms": 0,
        "turn_reserve_ms": 600_000,
    }
    assert shown["last"] == {
        "version": 6,
        "tag": "clock.started",
        "seat": "two",
        "dice": None,
        "play": None,
        "received_at": clock.now,
    }
    assert shown["is_public"] is True
    assert (shown["questions"], shown["parked"], shown["late"]) == (0, 0, None)


async def test_the_last_entry_says_what_was_played(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    *start, played = begin()
    await record(api, *start, played)
    last = (await table(api))["last"]
    assert (last["tag"], last["play"]) == ("play.made", "8/5 6/5")
    await record(api, make("dice.rolled", seat="two", dice=[4, 2]))
    last = (await table(api))["last"]
    assert (last["seat"], last["dice"], last["play"]) == ("two", [4, 2], None)


async def test_a_clock_runs_on_the_servers_time_since_the_entry_that_started_it(
    api: Any, clock: Any, make: Any
) -> None:
    await api.open()
    set_to = {"one": 600_000, "two": 600_000}
    await record(
        api,
        make("clock.set", kind="simple", reserve_ms=set_to, delay_ms=12_000),
        make("game.started"),
        make("clock.started", seat="one", at_ms=0),
        make("clock.pressed", seat="one", at_ms=30_000),
    )
    shown = (await table(api))["clock"]
    began = clock.now
    assert shown["reserve_ms"] == {"one": 582_000, "two": 600_000}
    assert (shown["running"], shown["running_since"]) == ("two", began)
    # What comes later says nothing else, unless it tells that the press was sent late.
    clock.now += 7_000
    await record(api, make("dice.rolled", seat="two", dice=[3, 1], at_ms=37_000))
    assert (await table(api))["clock"]["running_since"] == began
    clock.now += 1_000
    await record(api, make("turn.ended", seat="two", at_ms=42_000))
    assert (await table(api))["clock"]["running_since"] == began - 4_000


@pytest.mark.parametrize(
    "last",
    [
        {"tag": "clock.started", "seat": "one"},
        {"tag": "clock.paused", "at_ms": 5_000},
        {"tag": "play.unseen"},
    ],
)
async def test_a_clock_that_stands_or_runs_from_an_unknown_time_has_no_beginning(
    api: Any, make: Any, last: dict[str, Any]
) -> None:
    await api.open()
    await record(
        api,
        make("clock.set", kind="simple", reserve_ms={"one": 600_000, "two": 600_000}),
        make("game.started"),
        *([] if last["tag"] == "clock.started" else [make("clock.started", seat="one", at_ms=0)]),
        make(last["tag"], **{name: value for name, value in last.items() if name != "tag"}),
    )
    assert (await table(api))["clock"]["running_since"] is None


async def test_a_clock_that_was_left_running_stands_when_the_match_is_over(
    api: Any, make: Any
) -> None:
    """Stopped with all others, it would have an entry in a match that nobody plays any more."""
    await api.open()
    await record(
        api,
        make("clock.set", kind="simple", reserve_ms={"one": 600_000, "two": 600_000}),
        make("game.started"),
        make("clock.started", seat="one", at_ms=0),
    )
    assert (await table(api))["clock"]["running"] == "one"
    await record(api, make("game.won", winner="one", points=5))
    ended = await table(api)
    assert (ended["state"], ended["clock"]["running"]) == ("ended", None)
    assert ended["clock"]["running_since"] is None


async def test_a_flag_that_fell_is_shown(api: Any, make: Any) -> None:
    await api.open()
    await record(
        api,
        make("clock.set", kind="simple", reserve_ms={"one": 1_000, "two": 600_000}),
        make("game.started"),
        make("clock.started", seat="one", at_ms=0),
        make("clock.pressed", seat="one", at_ms=90_000),
    )
    assert (await table(api))["clock"]["flag"] == "one"


@pytest.mark.parametrize(
    ("rule_set", "loser"), [("usbgf-2017-07", "one"), ("fcbg-tournament", None)]
)
async def test_a_flag_that_was_noticed_ends_the_time_and_says_who_has_lost_by_it(
    api: Any, make: Any, rule_set: str, loser: str | None
) -> None:
    await api.open(rule_set=rule_set)
    running = make("clock.started", seat="one", at_ms=0)
    await record(
        api,
        make("clock.set", kind="simple", reserve_ms={"one": 1_000, "two": 600_000}),
        make("game.started"),
        running,
        make(
            "clock.flag_noticed",
            whose="one",
            at_ms=90_000,
            readings={"one": 0, "two": 600_000},
        ),
    )
    found = await table(api)
    assert (found["clock"]["flag"], found["clock"]["running"]) == ("one", None)
    assert found["clock"]["running_since"] is None
    assert found["lost_on_time"] == loser
    results = (await room(api))["results"]
    assert [one["lost_on_time"] for one in results] == ([] if loser is None else [loser])
    await record(api, make("clock.started", seat="two", at_ms=95_000))
    assert (await table(api))["clock"]["running"] == "two"


async def test_a_device_is_shown_with_when_it_was_heard_of(api: Any, clock: Any) -> None:
    await api.open()
    token = await paired(api, match="m1")
    shown = await table(api)
    assert shown["lease"] == {"number": 1, "device": "tablet-1", "profile": "no_assist"}
    assert shown["device"] == {"id": "tablet-1", "seen_at": None, "unsent": None}
    heard_at = clock.now + 30_000
    clock.now = heard_at
    await api.get("/logs/club/assignment?unsent=12", token)
    clock.now += 60_000
    value = await room(api)
    expected = {"id": "tablet-1", "seen_at": heard_at, "unsent": 12}
    assert value["tables"][0]["device"] == expected
    [device] = value["devices"]
    assert {name: device[name] for name in expected} == expected
    assert (device["matches"], device["has_key"], device["epoch"]) == (["m1"], False, 1)
    holders = {grant["device"]: grant["holder"] for grant in value["grants"]}
    assert holders["tablet-1"] == "tablet-1"


@pytest.mark.parametrize("key", ["", "hello", "mu-k_dKk", "mu-k_dKk5"])
async def test_whatever_a_grant_calls_a_key_the_room_is_shown(
    api: Any, make: Any, key: str
) -> None:
    body = Tablet().granted()
    body["device"]["public_key"] = key
    granted = {"entries": [make("access.granted", **body)]}
    answer = await api.post("/logs/club/events", granted, api.director, If_Match="*")
    assert answer.status_code == 201, answer.text
    [device] = (await room(api))["devices"]
    assert len(device["fingerprint"]) == 4


async def test_a_second_recorder_stands_beside_its_table(api: Any) -> None:
    await api.open()
    beside = await second_record(api)
    shown = await table(api)
    shadow = {"match_id": beside, "device": "tablet-2", "dispute": None}
    assert shown["shadows"] == [shadow]
    assert (shown["match_id"], shown["lease"]) == ("m1", None)


@pytest.mark.parametrize(
    ("tag", "body"),
    [
        ("ruling.made", {}),
        ("ruling.carried_out", {}),
        ("penalty.assessed", {"seat": "one", "points": 1}),
        ("slow_play.warned", {"seat": "two"}),
        ("clock.adjusted", {"seat": "one", "amount_ms": 60_000}),
        ("delay.excused", {"seat": "one"}),
        ("moment.marked", {"target": "the call"}),
    ],
)
async def test_what_a_director_does_answers_the_calls_before_it(
    api: Any, make: Any, tag: str, body: dict[str, Any]
) -> None:
    await api.open()
    first = make("director.called", by="one", at_ms=1_000)
    await record(api, first)
    [call] = (await room(api))["calls"]
    assert (call["entry_id"], call["match_id"], call["by"]) == (first["entry_id"], "m1", "one")
    assert (call["answered"], call["at_ms"]) == (False, 1_000)
    if "target" in body:
        body = {"target": first["entry_id"]}
    await record(api, make(tag, **body), make("director.called", by="two"))
    answered = [call["answered"] for call in (await room(api))["calls"]]
    assert answered == [True, False]


async def test_what_others_do_answers_no_call(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    call = make("director.called", by="one")
    turn = make("turn.ended", seat="one")
    claim = make("claim.made", seat="one", kind="game")
    ruled = make("claim.ruled", target=claim["entry_id"], holds=True, by="two")
    marked = make("moment.marked", target=turn["entry_id"])
    await record(api, *begin(), call, turn, claim, ruled, marked)
    assert [call["answered"] for call in (await room(api))["calls"]] == [False]


async def test_a_call_that_was_a_slip_is_gone(api: Any, make: Any) -> None:
    await api.open()
    call = make("director.called", by="one")
    await record(api, call)
    await record(api, make("entry.retracted", target=call["entry_id"]))
    assert (await room(api))["calls"] == []


async def test_a_second_scribe_who_calls_is_heard_until_that_is_answered(
    api: Any, make: Any
) -> None:
    await api.open()
    beside = await second_record(api)
    call = make("director.called", by="one")
    assert (await api.append(call, match=beside, token=api.director)).status_code == 201
    told = [(one["entry_id"], one["match_id"]) for one in (await room(api))["calls"]]
    assert told == [(call["entry_id"], beside)]
    marked = make("moment.marked", target=call["entry_id"])
    assert (await api.append(marked, match=beside, token=api.director)).status_code == 201
    assert [one["answered"] for one in (await room(api))["calls"]] == [True]


async def test_a_dispute_in_a_second_record_waits_at_its_table_until_it_is_ruled_on(
    api: Any, make: Any
) -> None:
    await api.open()
    beside = await second_record(api)
    raised = make("dispute.raised", by="one")
    assert (await api.append(raised, match=beside, token=api.director)).status_code == 201
    shown = await table(api)
    [shadow] = shown["shadows"]
    assert (shown["dispute"], shadow["dispute"]["entry_id"]) == (None, raised["entry_id"])
    ruled = make("ruling.made", dispute=raised["entry_id"], decision="the play stands")
    path = f"/logs/club/matches/{beside}/rulings"
    answer = await api.post(path, ruled, api.director, **{"If-Match": "*"})
    assert answer.status_code == 201, answer.text
    [shadow] = (await table(api))["shadows"]
    assert shadow["dispute"] is None


@pytest.mark.parametrize("is_taken_over", [True, False])
async def test_a_call_that_was_parked_rings_until_it_is_decided(
    api: Any, clock: Any, is_taken_over: bool
) -> None:
    await api.open()
    hall, tablet = Hall(api), Tablet()
    await hall.pair(tablet)
    await hall.lease(tablet, number=2)
    late = tablet.record("director.called", 7, body={"by": "two", "at_ms": 5_000})
    other = tablet.record("clock.paused", 7)
    outcomes = [outcome for outcome, _ in await hall.outcomes(tablet, late, other)]
    assert outcomes == ["stream_conflict"] * 2
    [branch] = (await api.get("/logs/club/branches", api.director)).json()["branches"]
    ids = [item["entry_id"] for item in branch["items"]]
    shown = await room(api)
    assert shown["calls"] == [
        {
            "match_id": "m1",
            "version": 1,
            "entry_id": ids[0],
            "at_ms": 5_000,
            "received_at": clock.now,
            "by": "two",
            "about": None,
            "reason": None,
            "answered": False,
            "parked": True,
        }
    ]
    accepted = ids if is_taken_over else []
    order = {"accepted": accepted, "set_aside": [one for one in ids if one not in accepted]}
    order = {"match": "m1", "device": tablet.name, **order}
    answer = await api.post("/logs/club/branches/resolution", order, api.director)
    assert answer.status_code == 201, answer.text
    calls = [(call["entry_id"], call["parked"]) for call in (await room(api))["calls"]]
    assert calls == [(one, False) for one in accepted[:1]]


async def test_a_call_says_what_it_is_about(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    start, roll, play = begin()
    call = make("director.called", by="two", about=play["entry_id"])
    await record(api, start, roll, play, call)
    [shown] = (await room(api))["calls"]
    assert (shown["about"], shown["reason"]) == (play["entry_id"], "play.made")


async def test_a_dispute_stands_until_it_is_ruled(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    start, roll, play = begin()
    raised = make(
        "dispute.raised", by="two", frozen_at=roll["entry_id"], topic="dice.validity", at_ms=9
    )
    await record(api, start, roll, play, raised)
    dispute = (await table(api))["dispute"]
    assert dispute == {
        "version": 5,
        "entry_id": raised["entry_id"],
        "by": "two",
        "topic": "dice.validity",
        "at_ms": 9,
        "frozen_version": 3,
    }
    await record(api, make("ruling.made", dispute=make("x")["entry_id"]))
    assert (await table(api))["dispute"] is not None
    await record(api, make("ruling.made", dispute=raised["entry_id"]))
    assert (await table(api))["dispute"] is None


async def test_questions_and_penalties_are_counted(api: Any, make: Any) -> None:
    await api.open(length=7)
    await record(
        api,
        make("player.arrived", seat="two", at_ms=0),
        make("player.arrived", seat="one", at_ms=12 * 60_000),
        make("penalty.assessed", seat="two", points=2, ground="conduct"),
    )
    shown = await table(api)
    findings = await api.get("/logs/club/matches/m1/findings?open=true", api.director)
    assert shown["questions"] == findings.json()["open_questions"] > 0
    penalties = (await api.get("/logs/club/matches/m1/penalties", api.director)).json()
    assert shown["penalties"] == penalties["points"]
    windows = (await api.get("/logs/club/matches/m1/windows", api.director)).json()["windows"]
    assert shown["windows"] == sum(window["state"] == "open" for window in windows)


async def test_both_players_confirm_a_game(api: Any, make: Any) -> None:
    await api.open()
    await record(
        api,
        make("score.noted", score={"one": 9, "two": 9}, keeper="one"),
        make("game.started"),
        make("game.won", winner="one", points=2),
    )
    assert (await table(api))["confirmations"] == {"one": None, "two": None}
    score = {"one": 2, "two": 0}
    await record(api, make("score.noted", score=score, keeper="one"))
    assert (await table(api))["confirmations"] == {"one": score, "two": None}
    await record(api, make("score.noted", score=score, keeper="two"))
    assert (await table(api))["confirmations"] == {"one": score, "two": score}


async def ended(api: Any, make: Any, match: str = "m1") -> None:
    await api.open(match, length=1)
    await record(
        api,
        make("game.started"),
        make("game.won", winner="two", points=1),
        make("match.ended", winner="two", score={"one": 0, "two": 1}),
        make("result.reported", seat="two", winner="two", score={"one": 0, "two": 1}),
        match=match,
    )


async def test_a_result_waits_until_it_is_posted(api: Any, make: Any, clock: Any) -> None:
    await ended(api, make)
    clock.now += 24 * HOUR
    value = await room(api)
    assert value["tables"] == []
    [result] = value["results"]
    assert (result["match_id"], result["winner"], result["length"]) == ("m1", "two", 1)
    assert result["names"] == {"one": "Ann", "two": "Bo"}
    assert result["score"] == {"one": 0, "two": 1}
    [report] = result["reports"]
    assert (report["seat"], report["winner"]) == ("two", "two")
    await record(api, make("result.posted", winner="two", score={"one": 0, "two": 1}))
    assert (await room(api))["results"] == []


async def test_a_match_that_is_over_stays_for_six_hours(api: Any, make: Any, clock: Any) -> None:
    await ended(api, make)
    assert (await table(api))["state"] == "ended"
    clock.now += 6 * HOUR - 1
    assert len((await room(api))["tables"]) == 1
    clock.now += 1
    assert (await room(api))["tables"] == []


async def test_an_old_match_with_an_appeal_stays(api: Any, make: Any, clock: Any) -> None:
    await ended(api, make)
    ruling = make("ruling.made")
    filed = make("appeal.filed", target=ruling["entry_id"], seat="one")
    await record(api, ruling, filed)
    clock.now += 24 * HOUR
    value = await room(api)
    assert [shown["match_id"] for shown in value["tables"]] == ["m1"]
    [appeal] = value["appeals"]
    assert (appeal["match_id"], appeal["entry_id"]) == ("m1", filed["entry_id"])
    assert (appeal["seat"], appeal["state"]) == ("one", "filed")
    await record(api, make("appeal.decided", appeal=filed["entry_id"], outcome="upheld"))
    assert (await room(api))["appeals"] == []


async def test_who_is_late_and_since_when(api: Any, make: Any, clock: Any) -> None:
    # The clock of these tests stands at 2027-01-15T08:00:00Z.
    await api.open(appointed_start="2027-01-15T08:10:00Z", start_basis="posted")
    assert (await table(api))["late"] is None
    clock.now += 10 * 60_000
    since = moment_of("2027-01-15T08:10:00Z")
    assert (await table(api))["late"] == {"since": since, "missing": ["one", "two"]}
    await record(api, make("player.arrived", seat="two", at_ms=1_000))
    assert (await table(api))["late"]["missing"] == ["one"]
    await record(api, make("player.arrived", seat="one", at_ms=2_000), make("game.started"))
    assert (await table(api))["late"] is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2027-01-15T08:00:00Z", 1_800_000_000_000),
        ("2027-01-15T09:00:00+01:00", 1_800_000_000_000),
        ("2027-01-15T08:00:00", 1_800_000_000_000),
        ("after lunch", None),
        (None, None),
    ],
)
def test_an_appointed_start_is_a_moment_or_none(text: str | None, moment: int | None) -> None:
    assert moment_of(text) == moment


async def test_pairings_wait_in_the_room(api: Any, clock: Any) -> None:
    made = (await api.post("/logs/club/pairings", {"table": "3"}, api.director)).json()
    [line] = (await room(api))["pairings"]
    assert (line["state"], line["code"], line["table"]) == ("open", made["code"], "3")
    claim = {"code": made["code"], "device": "t", "epoch": 1, "token_sha256": "0" * 64}
    await api.post("/pairings/claims", claim)
    [line] = (await room(api))["pairings"]
    assert (line["state"], len(line["fingerprint"])) == ("waiting", 4)
    clock.now += HOUR
    assert (await room(api))["pairings"] == []


async def test_what_has_not_changed_is_not_sent_again(api: Any, clock: Any, make: Any) -> None:
    await api.open()
    first = await asked(api)
    assert first.headers["cache-control"].startswith("private")
    etag = first.headers["etag"]
    clock.now += 2_000
    again = await asked(api, If_None_Match=etag)
    assert (again.status_code, again.content) == (304, b"")
    await record(api, make("director.called", by="one"))
    changed = await asked(api, If_None_Match=etag)
    assert changed.status_code == 200
    assert changed.json()["server_time_ms"] == clock.now


async def test_a_poll_folds_nothing_that_has_not_changed(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for match in ("m1", "m2", "m3"):
        await api.open(match)
    await room(api)
    made: list[str] = []

    def counted(shown: Replay) -> tuple[()]:
        made.append(shown.steps[0].event.stream_id)
        return ()

    monkeypatch.setattr("api.desk.room_lines.windows_of", counted)
    await room(api)
    assert made == []
    await record(api, make("game.started"), match="m2")
    await room(api)
    assert made == ["m2"]


async def test_an_erased_name_is_gone_from_the_room(api: Any) -> None:
    await api.open(table="7")
    assert (await table(api))["names"]["one"] == "Ann"
    opened = api.archive.reading.live("club", "m1").replay.opened
    api.archive.store.erase_disclosure("club", opened.players.one[0].name.sd)
    assert (await table(api))["names"] == {"one": None, "two": "Bo"}


async def test_what_was_imported_lies_on_no_table(api: Any) -> None:
    await api.open(source={"sha256": hashlib.sha256(b"x").hexdigest(), "dialect": "gnubg-mat"})
    assert (await room(api))["tables"] == []


async def test_the_room_is_the_directors(api: Any) -> None:
    await api.open()
    device = await paired(api, match="m1")
    assert (await api.get(ROOM)).status_code == 401
    roles = (Role.SCRIBE, Role.VIEWER, Role.COMMITTEE)
    for token in (*(api.token(role) for role in roles), api.token(Role.DIRECTOR, match="m1")):
        assert (await api.get(ROOM, token)).status_code == 403
    assert (await api.get(ROOM, device)).status_code == 403
    assert (await api.get(ROOM, api.token(Role.ARCHIVIST))).status_code == 200
    operator = api.archive.operator_token()
    assert (await api.get(ROOM, operator)).status_code == 200
    assert (await api.get("/logs/nowhere/room", operator)).status_code == 404


def test_a_sign_without_a_count_leaves_the_last_one() -> None:
    signs = Signs(lambda: 7)
    signs.seen("club", "a", unsent=3)
    signs.seen("club", "a")
    assert signs.of("club", "a") == (7, 3)


def test_the_devices_that_are_remembered_are_bounded() -> None:
    signs = Signs(lambda: 7, at_most=2)
    for device in ("a", "b", "c"):
        signs.seen("club", device)
    assert signs.of("club", "a") is None
    assert signs.of("club", "c") == (7, None)
