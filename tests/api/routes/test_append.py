"""Appending over HTTP: versions, retries, conflicts, and what the desk says about it."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest

from api.desk.entries import parse_entries
from events.catalogue import KINDS, Kind
from projections.replay import replay


async def test_a_match_is_opened_and_appended_to(api: Any, begin: Any) -> None:
    opened = await api.open()
    assert opened.status_code == 201
    assert opened.headers["location"] == "/logs/club/matches/m1"
    assert opened.headers["etag"] == '"1"'
    answer = await api.append(*begin(), at='"1"')
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"4"'
    value = answer.json()
    assert value["version"] == 4
    assert [row["version"] for row in value["entries"]] == [2, 3, 4]
    assert value["duplicate"] is False
    rows = api.archive.store.read_stream("club", "m1", after=1)
    assert [row["leaf_hash"] for row in value["entries"]] == [row.leaf_hash.hex() for row in rows]


async def test_ids_that_are_left_out_are_made(api: Any) -> None:
    answer = await api.post("/logs/club/matches", {"opened": {"players": {"one": [], "two": []}}},
                            api.director)  # fmt: skip
    assert answer.status_code == 201
    assert uuid.UUID(answer.json()["match_id"])
    assert uuid.UUID(answer.json()["entry_id"])


async def test_opening_again_with_the_same_entry_id_is_a_retry(api: Any, make: Any) -> None:
    body = {
        "entry_id": make("x")["entry_id"],
        "opened": {"players": {"one": [{"name": "Ann"}], "two": []}},
    }
    first = await api.post("/logs/club/matches", body, api.director)
    again = await api.post("/logs/club/matches", body, api.director)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "duplicate": True}


async def test_a_match_id_is_taken_once(api: Any) -> None:
    await api.open()
    answer = await api.open()
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/match-exists"


async def test_no_if_match_is_428(api: Any, begin: Any) -> None:
    await api.open()
    answer = await api.append(*begin(), at=None)
    assert answer.status_code == 428
    assert api.version() == 1


async def test_a_stale_version_is_told_what_it_missed(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    entries = begin()
    await api.append(*entries, at=1)
    answer = await api.append(make("dice.rolled", seat="two", dice=[6, 5]), at=2)
    assert answer.status_code == 412
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["etag"] == '"4"'
    assert problem["current_version"] == 4
    assert problem["expected_version"] == 2
    assert [row["entry_id"] for row in problem["missed"]] == [
        entry["entry_id"] for entry in entries[1:]
    ]
    assert problem["missed_truncated"] is False
    assert api.version() == 4


async def test_what_was_missed_is_told_a_hundred_at_a_time(api: Any, make: Any) -> None:
    await api.open()
    await api.append(*[make("turn.ended", seat="one") for _ in range(150)], token=api.director)
    answer = await api.append(make("turn.ended", seat="one"), at=1)
    assert len(answer.json()["missed"]) == 100
    assert answer.json()["missed_truncated"] is True


async def test_a_late_retry_gets_its_first_answer(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    entries = begin()
    first = await api.append(*entries, at=1)
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]), at=4)
    again = await api.append(*entries, at=1)
    assert again.status_code == 200
    assert again.headers["etag"] == '"4"'
    assert again.json() == {**first.json(), "duplicate": True}
    assert api.version() == 5


async def test_a_retry_makes_the_same_commitments_of_plain_values(api: Any, make: Any) -> None:
    await api.open()
    note = make("handling.noted", seat="one", kind="two_hands", detail="Ann moved two men")
    first = await api.append(note)
    again = await api.append(note)
    assert (first.status_code, again.status_code) == (201, 200), first.text
    assert again.json()["entries"] == first.json()["entries"]
    assert api.faults() == []


async def test_the_same_batch_sent_twice_at_once_is_recorded_once(api: Any, make: Any) -> None:
    await api.open()
    note = make("handling.noted", seat="one", kind="two_hands", detail="Ann moved two men")
    answers = await asyncio.gather(*(api.append(note, at=1) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 201]
    assert api.version() == 2
    assert len({str(answer.json()["entries"]) for answer in answers}) == 1


async def test_a_known_id_with_other_bytes_is_409(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    entries = begin()
    await api.append(*entries)
    other = make("dice.rolled", entry_id=entries[1]["entry_id"], seat="two", dice=[1, 1])
    answer = await api.append(other)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/entry-id-reused"
    assert answer.json()["entry_id"] == other["entry_id"]
    assert api.version() == 4


async def test_an_id_of_another_match_is_409(api: Any, make: Any) -> None:
    await api.open()
    await api.open("m2")
    entry = make("turn.ended", seat="one")
    assert (await api.append(entry)).status_code == 201
    assert (await api.append(entry, match="m2")).status_code == 409
    assert api.version("m2") == 1


async def test_a_batch_of_known_and_new_entries_is_409(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    entries = begin()
    await api.append(*entries)
    answer = await api.append(*entries, make("dice.rolled", seat="two", dice=[6, 5]))
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/mixed-batch"
    assert answer.json()["known_entries"] == [entry["entry_id"] for entry in entries]
    assert api.version() == 4


async def test_of_two_with_the_same_version_one_wins(api: Any, make: Any) -> None:
    await api.open()
    turns = [make("turn.ended", seat="one") for _ in range(8)]
    answers = await asyncio.gather(*(api.append(turn, at=1) for turn in turns))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201] + [412] * 7
    assert api.version() == 2


async def test_an_answer_to_no_double_is_refused_with_what_may_come(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    await api.append(*begin())
    answer = await api.append(make("cube.double_taken", seat="one"))
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/not-expected"
    assert "dice.rolled" in answer.json()["expected"]
    assert answer.json()["where"] == "$.entries[0]"
    assert api.version() == 4


async def test_an_answer_to_a_double_that_the_rules_hold_void_is_taken(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(rule_set="usbgf-2017-07", length=7, score_at_start={"one": 6, "two": 3})
    await api.append(*begin(), make("cube.double_offered", seat="two"))
    answers = [
        await api.append(make("cube.double_dropped", seat=seat)) for seat in ("two", "one", "one")
    ]
    assert [answer.status_code for answer in answers] == [409, 201, 409]
    assert "cube.double_dropped" in answers[0].json()["expected"]
    assert "cube.double_dropped" not in answers[2].json()["expected"]
    last = (await api.get("/logs/club/matches/m1/replay", api.director)).json()["lines"][-1]
    assert last["score"] == {"one": 6, "two": 3}
    assert last["cube"] == {"value": 1, "owner": None, "offered_by": None}
    assert last["findings"] == []


async def test_an_early_roll_that_was_played_may_be_answered_late(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(rule_set="usbgf-2017-07")
    redone = make("dice.early_roll_answered", answer="redone")
    assert (await api.append(redone)).status_code == 409
    played = await api.append(
        *begin(),
        make("dice.rolled_early", seat="two", dice=[4, 2]),
        make("play.made", seat="two", moves=[]),
        redone,
    )
    assert played.status_code == 201


async def test_a_director_may_record_it_all_the_same(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    answer = await api.append(make("cube.double_taken", seat="one"), token=api.director)
    assert answer.status_code == 201


async def test_a_batch_is_read_entry_by_entry(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    answer = await api.append(
        *begin(),
        make("cube.double_offered", seat="two"),
        make("cube.double_taken", seat="one"),
        make("cube.double_dropped", seat="one"),
    )
    assert answer.status_code == 409
    assert answer.json()["where"] == "$.entries[5]"
    assert api.version() == 1


async def test_of_a_refused_batch_nothing_is_known_afterwards(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    await api.append(*begin())
    rolled = make("dice.rolled", seat="two", dice=[6, 5])
    answers = [
        await api.append(
            rolled,
            make("play.made", seat="two", moves=[[24, 18], [18, 13]]),
            make("cube.double_taken", seat="one"),
        )
        for _ in range(2)
    ]
    assert [answer.json()["where"] for answer in answers] == ["$.entries[2]"] * 2
    # The folds know no entry of that id: to them it voids a throw that nobody recorded.
    await api.append(make("dice.voided", seat="two", reason="cocked", target=rolled["entry_id"]))
    live = api.archive.reading.peek("club", "m1")
    anew = replay(live.recorded)
    assert [step.event for step in live.replay.steps] == [step.event for step in anew.steps]
    assert live.replay.state == anew.state
    assert live.replay.findings == anew.findings


async def test_an_illegal_play_is_recorded_and_found(api: Any, make: Any) -> None:
    await api.open()
    answer = await api.append(
        make("game.started"),
        make("dice.opening_rolled", one=3, two=1),
        make("play.made", seat="one", moves=[[8, 2], [6, 5]]),
    )
    assert answer.status_code == 201
    findings = await api.get("/logs/club/matches/m1/findings", api.director)
    assert [found["code"] for found in findings.json()["findings"]] == ["illegal-play"]


async def test_a_match_is_opened_once(api: Any, make: Any) -> None:
    await api.open()
    again = make("match.opened", players={"one": [], "two": []})
    answer = await api.append(again, token=api.director)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/not-expected"


async def test_nothing_begins_without_its_opening(api: Any, make: Any) -> None:
    answer = await api.append(make("game.started"), at=0, token=api.director)
    assert answer.status_code == 422
    assert api.version() == 0


async def test_an_opening_may_come_as_an_append(api: Any, make: Any) -> None:
    opened = make("match.opened", players={"one": [], "two": []})
    assert (await api.append(opened, at='"0"')).status_code == 201
    other = make("match.opened", players={"one": [], "two": []})
    assert (await api.append(other, at='"0"')).status_code == 412


async def test_a_log_is_opened_once(api: Any) -> None:
    operator = api.archive.operator_token()
    first = await api.post("/logs", {"log_id": "open", "title": "Open"}, operator)
    assert first.status_code == 201
    assert first.json()["title"] == "Open"
    again = await api.post("/logs", {"log_id": "open", "title": "Open"}, operator)
    assert again.status_code == 409
    assert again.json()["type"] == "/problems/log-exists"


async def test_a_log_left_empty_by_a_crash_can_be_opened(api: Any) -> None:
    api.archive.store.open_log("open")
    body = {"log_id": "open", "title": "Open"}
    answer = await api.post("/logs", body, api.archive.operator_token())
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "kind", [one for one in KINDS if one.schema > 1], ids=lambda kind: kind.tag
)
def test_an_entry_without_a_schema_is_of_the_current_one(kind: Kind) -> None:
    sent = {"entry_id": "5f0c1d4e-8f55-4a57-9a0e-27d1f5a3c100", "tag": kind.tag, "body": {}}
    [left_out] = parse_entries({"entries": [sent]})
    assert left_out.schema == kind.schema
    [named] = parse_entries({"entries": [{**sent, "schema": 1}]})
    assert named.schema == 1


@pytest.mark.parametrize(("sent", "recorded"), [({}, 2), ({"schema": 1}, 1), ({"schema": 2}, 2)])
async def test_an_appeal_is_recorded_at_the_version_that_it_was_sent_in(
    api: Any, make: Any, sent: dict[str, int], recorded: int
) -> None:
    await api.open(rule_set="usbgf-2017-07")
    ruling = make("ruling.made")
    await api.append(ruling, token=api.director)
    # What an appeal is on came with version 2.
    on = {} if recorded == 1 else {"on": "rule"}
    filed = {
        "entry_id": "5f0c1d4e-8f55-4a57-9a0e-27d1f5a3c101",
        "body": {"seat": "one", "target": ruling["entry_id"], **on},
        **sent,
    }
    answer = await api.post("/logs/club/matches/m1/appeals", filed, api.director, If_Match="*")
    assert answer.status_code == 201, answer.text
    [row] = api.archive.store.read_stream("club", "m1", after=2)
    assert (row.tag, row.schema) == ("appeal.filed", recorded)
    assert api.archive.reading.live("club", "m1").recorded[-1].payload.on == on.get("on")
