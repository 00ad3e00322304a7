"""What a critical reader broke once: a cube without end, doubtful commits, borrowed rights."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import pytest

from api.archive.archive import Archive, token_hash
from api.archive.index.index import MatchIndex
from events.errors import OutcomeUnknown
from events.payloads.access import Role
from events.store.address import FileAddress, parse_address
from events.values import MAX_CUBE_VALUE

ON_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)

LISTS = ["/logs", "/logs/club", "/logs/club/matches", "/"]


async def test_a_cube_turned_without_end_stays_a_number_and_breaks_no_list(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(length=None)
    doubles = [
        make(tag, seat=seat)
        for turn in range(40)
        for doubler in [("two", "one")[turn % 2]]
        for tag, seat in (
            ("cube.double_offered", doubler),
            ("cube.double_taken", "one" if doubler == "two" else "two"),
        )
    ]
    end = [make("cube.double_offered", seat="two"), make("cube.double_dropped", seat="one")]
    sent = await api.append(*begin(), *doubles, *end, token=api.director)
    assert sent.status_code == 201
    replayed = (await api.get("/logs/club/matches/m1/replay", api.scribe)).json()
    assert max(line["cube"]["value"] for line in replayed["lines"]) == MAX_CUBE_VALUE
    findings = (await api.get("/logs/club/matches/m1/findings", api.director)).json()["findings"]
    assert "cube-at-limit" in {finding["code"] for finding in findings}
    for path in LISTS:
        assert (await api.get(path, api.director)).status_code == 200, path


@ON_A_FILE
async def test_an_entry_whose_commit_seemed_to_fail_is_seen_and_followed(
    api: Any, make: Any, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    await api.append(*begin())
    late = make("turn.ended", seat="one")
    commit = api.archive.store._commit

    def stands_but_fails(db: sqlite3.Connection) -> None:
        commit(db)
        raise OutcomeUnknown("the flush reported an error")

    signed: list[str] = []
    monkeypatch.setattr(api.archive, "grew", signed.extend)
    monkeypatch.setattr(api.archive.store, "_commit", stands_but_fails)
    assert (await api.append(late, at=4)).status_code == 503
    assert signed == ["club"]  # it is signed like any other, also where nothing follows it
    monkeypatch.undo()
    again = await api.append(late, at=4)
    assert (again.status_code, again.headers["etag"]) == (200, '"5"')
    events = (await api.get("/logs/club/matches/m1/events", api.scribe)).json()["entries"]
    assert len(events) == 5
    assert (await api.append(make("turn.ended", seat="two"), at=5)).status_code == 201


@ON_A_FILE
async def test_a_match_that_cannot_be_read_takes_no_other_with_it(
    archive: Archive, api: Any
) -> None:
    address = parse_address(archive.url)
    assert isinstance(address, FileAddress)
    await api.open("good")
    await api.open("bad")
    with sqlite3.connect(address.path) as db:
        db.execute("DROP TRIGGER event_no_update")
        db.execute("UPDATE event SET sealed = x'7b' WHERE stream_id = 'bad'")
    db.close()
    archive.reading.forget("club", "bad")
    index = MatchIndex(archive.store, archive.reading)
    index.catch_up()
    states = {row.stream_id: row.state for row in index.matches("club")}
    index.close()
    assert states == {"good": "waiting", "bad": "damaged"}


@ON_A_FILE
async def test_another_program_that_holds_the_file_does_not_hold_the_loop(
    archive: Archive, api: Any, make: Any, begin: Any
) -> None:
    address = parse_address(archive.url)
    assert isinstance(address, FileAddress)
    await api.open()
    await api.append(*begin())
    other = sqlite3.connect(address.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    appending = asyncio.create_task(api.append(make("turn.ended", seat="one")))
    # While the append waits for the lock in its thread, everybody else is answered, and the
    # archive says that it cannot write.
    assert (await api.get("/logs/club/matches/m1/score", api.scribe)).status_code == 200
    assert (await api.get("/health")).status_code == 503
    assert not appending.done()
    other.execute("ROLLBACK")
    other.close()
    assert (await appending).status_code == 201
    assert (await api.append(make("turn.ended", seat="two"))).status_code == 201


async def test_a_scribe_decides_in_no_way_who_reads_a_match(api: Any, make: Any) -> None:
    opened = await api.open()
    assert (
        await api.open("m2", token=api.scribe, publication={"public": True, "delay_ms": 0})
    ).status_code == 403
    amended = make(
        "entry.amended",
        target=opened.json()["entry_id"],
        tag="match.opened",
        body={"players": {"one": [], "two": []}, "publication": {"public": True, "delay_ms": 0}},
    )
    assert (await api.append(amended)).status_code == 403
    assert (await api.get("/logs/club/matches/m1")).status_code == 401
    honest = {**amended["body"], "body": {"players": {"one": [], "two": []}, "length": 7}}
    assert (await api.append({**amended, "body": honest})).status_code == 201


async def test_a_director_ends_no_archivists_grant(api: Any, make: Any) -> None:
    token, grant_id = api.archive.grant(Role.ARCHIVIST, log_id="club")
    path = "/logs/club/events"

    async def sent(entry: dict[str, Any]) -> int:
        answer = await api.post(path, {"entries": [entry]}, api.director, If_Match="*")
        return int(answer.status_code)

    assert await sent(make("access.revoked", target=grant_id)) == 403
    hijack = make(
        "access.granted", token_sha256=token_hash(token), role="viewer", scope={"kind": "log"}
    )
    assert await sent(hijack) == 422
    nobody = make("access.revoked", target="00000000-0000-4000-8000-000000000000")
    assert await sent(nobody) == 422
    assert (await api.get("/logs/club", token)).status_code == 200


async def test_a_cursor_beyond_all_numbers_is_no_cursor(api: Any) -> None:
    path = "/logs/club/matches?cursor=Wzk5OTk5OTk5OTk5OTk5OTk5OTld"
    assert (await api.get(path, api.director)).status_code == 400


@pytest.mark.parametrize("tag", ["publication.released", "slow_play.warned"])
async def test_a_refusal_names_the_role_that_may(api: Any, make: Any, tag: str) -> None:
    await api.open()
    body = {"seat": "one"} if tag == "slow_play.warned" else {}
    answer = await api.append(make(tag, **body))
    assert (answer.status_code, answer.json()["needs"]) == (403, "director of the match")
