"""What is published and what is not, from which time, and that the files prove themselves."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import Archive, open_archive
from api.archive.personal import commit_personal
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH
from api.publishing import engines, partitions
from api.publishing.engines import LocalEngine
from api.publishing.extras import NotPublished
from api.publishing.partitions import Wanted, planned
from api.publishing.publication import plan_of, publish
from events.canonical import canonical
from events.envelope import EventDraft
from events.errors import NoSuchLog, StoreFailed
from events.payloads.appeal import (
    AppealDecided,
    AppealFiled,
    AppealOutcome,
    CommitteeConvened,
    Member,
    Vote,
    VoteCast,
    VoteDirectorCast,
)
from events.payloads.base import Payload
from events.payloads.corrections import EntryRetracted
from events.payloads.custody import PublicationReleased, PublicationWithheld
from events.payloads.dice import Rolled
from events.payloads.dispute import RulingMade
from events.payloads.match import GameStarted, GameWon
from events.payloads.play import PlayMade
from events.sealing import merkle
from events.store.protocol import LogHead
from events.values import CheckerMove, Seat
from projections.views.ballots import BALLOTS
from tests.api.publishing.published import NOW_MS, Demonstrate, Publish, files, rows, told

NAMES = ("Ida Berg", "Omar Lund")


class Club:
    """An archive with the log `club`, whose matches are made here."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.now_ms = NOW_MS
        self.archive: Archive = open_archive(url, now_ms=lambda: self.now_ms)
        self.archive.open_tournament("club", "Club")

    def match(self, name: str, *more: Payload) -> list[str]:
        """A match of one roll, then these entries; ids of all of them."""
        plain = {
            "players": {
                seat: [{"name": who}] for seat, who in zip(("one", "two"), NAMES, strict=True)
            }
        }
        body, disclosures = commit_personal("match.opened", plain, entropy=self.archive.entropy)
        opened = EventDraft(
            entry_id=self.archive.entry_id(),
            tag="match.opened",
            body=canonical(body),
            context=self.archive.context("scribe"),
            disclosures=disclosures,
        )
        drafts = [opened, *map(self.archive.draft, (GameStarted(), ROLL, *more))]
        self.archive.append("club", name, drafts)
        return [draft.entry_id for draft in drafts]

    def add(self, name: str, *payloads: Payload) -> None:
        """More entries of a match."""
        self.archive.append("club", name, [self.archive.draft(payload) for payload in payloads])


ROLL = Rolled(seat=Seat.ONE, dice=(6, 1))


@pytest.fixture
def club(sqlite_url: str) -> Iterator[Club]:
    """The club; closed before its archive is published, and after the test."""
    made = Club(sqlite_url)
    yield made
    made.archive.close()


def store_head(url: str, log_id: str) -> LogHead:
    with closing(open_archive(url, read_only=True)) as archive:
        return archive.store.log_head(log_id)


def shown(folder: Path) -> list[str]:
    return [row["match_id"] for row in rows(folder, "matches")]


def test_private_matches_are_left_out_and_counted(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("a-public", PublicationReleased())
    club.match("b-private")
    club.match("c-withdrawn", PublicationReleased(), PublicationWithheld())
    appealed = club.match("d-appealed", PublicationReleased())
    club.add("d-appealed", AppealFiled(target=appealed[2], seat=Seat.ONE))
    club.archive.close()
    done = publish_to(tmp_path / "out", club.url)
    assert shown(tmp_path / "out") == ["a-public"]
    assert {row["match_id"] for row in rows(tmp_path / "out", "events")} == {"a-public"}
    assert done.private == 3
    assert done.manifest["logs"]["club"]["private"] == 3
    assert "private" not in told(tmp_path / "out")


def test_what_ballots_say_is_published_to_nobody_and_what_they_make_is(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("decided", PublicationReleased())
    ruling = club.archive.draft(RulingMade())
    filed = club.archive.draft(AppealFiled(target=ruling.entry_id, seat=Seat.ONE))
    club.archive.append("club", "decided", [ruling, filed])
    about = filed.entry_id
    club.add(
        "decided",
        CommitteeConvened(appeal=about, size=1, members=(Member(member="m1"),)),
        VoteCast(appeal=about, member="m1", vote=Vote.MODIFY, proposal="replay_of_the_turn"),
        VoteDirectorCast(appeal=about, vote=Vote.REVERSE),
        AppealDecided(appeal=about, outcome=AppealOutcome.MODIFIED),
    )
    club.archive.close()
    publish_to(tmp_path / "public", club.url)
    assert shown(tmp_path / "public") == ["decided"]
    ballots = [row for row in rows(tmp_path / "public", "events") if row["tag"].startswith("vote.")]
    assert [row["tag"] for row in ballots] == ["vote.cast", "vote.director_cast"]
    for telling in ("replay_of_the_turn", "modify", "reverse"):
        assert telling not in str(ballots), telling
        assert telling not in told(tmp_path / "public").replace("reversed", ""), telling
    publish_to(tmp_path / "all", club.url, everything=True)
    assert "replay_of_the_turn" in told(tmp_path / "all")


def test_everything_holds_private_matches_and_tournament_streams(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("a-public", PublicationReleased())
    club.match("b-private")
    club.archive.close()
    done = publish_to(tmp_path / "out", club.url, everything=True)
    assert [(row["match_id"], row["is_public"]) for row in rows(tmp_path / "out", "matches")] == [
        ("a-public", True),
        ("b-private", False),
    ]
    assert done.private == 0
    streams = {(row["log"], row["match_id"]) for row in rows(tmp_path / "out", "events")}
    assert {("archive", "tournament"), ("club", "tournament"), ("club", "b-private")} <= streams


def test_a_log_of_which_nothing_is_public_is_not_named(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("b-private")
    club.archive.close()
    done = publish_to(tmp_path / "out", club.url)
    assert list(done.manifest["logs"]) == ["archive"]
    assert all("club" not in name for name in files(tmp_path / "out"))
    assert shown(tmp_path / "out") == []


def test_names_are_written_where_they_are_asked_for_and_disclosed(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("m", PublicationReleased())
    opening = club.archive.reading.live("club", "m").replay.opened
    assert opening is not None
    club.archive.close()

    def names(**wanted: Any) -> tuple[str | None, str | None]:
        publish_to(tmp_path / "out", club.url, **wanted)
        (match,) = rows(tmp_path / "out", "matches")
        return match["name_one"], match["name_two"]

    assert names() == (None, None)
    assert not any(name in told(tmp_path / "out") for name in NAMES)
    assert names(names=True) == NAMES
    archive = open_archive(club.url)
    name = opening.players.one[0].name
    assert name is not None
    assert archive.store.erase_disclosure("club", name.sd)
    archive.close()
    assert names(names=True) == (None, NAMES[1])


def test_what_is_young_is_left_out_where_a_delay_is_set(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("m", PublicationReleased(delay_ms=60_000))
    club.now_ms += 50_000
    club.add("m", *[ROLL] * 70)
    club.archive.close()

    def versions(**wanted: Any) -> list[int]:
        publish_to(tmp_path / "out", club.url, **wanted)
        return [row["version"] for row in rows(tmp_path / "out", "events")]

    assert versions(now_ms=NOW_MS + 59_000) == []
    assert versions(now_ms=NOW_MS + 60_000) == [1, 2, 3, 4]
    (match,) = rows(tmp_path / "out", "matches")
    assert match["version"] == 4
    # A clock that was set forward makes nothing older, for as long as the delay reaches back to it.
    assert versions(now_ms=NOW_MS + 60_000, steps=((59_999, 1),)) == []
    assert versions(now_ms=NOW_MS + 60_000, steps=((60_000, 1),)) == [1, 2, 3, 4]
    assert len(versions(now_ms=NOW_MS + 110_000)) == 74
    assert len(versions(now_ms=NOW_MS, everything=True)) == 74 + 2


def test_the_manifest_tells_no_more_of_a_log_than_anybody_may_know(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    opened = club.archive.store.log_head("club")
    club.match("delayed", PublicationReleased(delay_ms=60_000))
    club.match("private")
    early = club.archive.store.log_head("club")
    club.now_ms += 50_000
    club.match("at-once", PublicationReleased())
    late = club.archive.store.log_head("club")
    club.archive.close()

    def standing(of: str = "club", **wanted: Any) -> tuple[object, object]:
        done = publish_to(tmp_path / "out", club.url, **wanted)
        of_log = done.manifest["logs"][of]
        return of_log["size"], of_log["root"]

    # What came in behind the longest delay is not counted, though some of it is public already.
    assert standing(now_ms=NOW_MS + 59_999) == (opened.size, opened.root.hex())
    assert standing(now_ms=NOW_MS + 60_000) == (early.size, early.root.hex())
    assert standing(now_ms=NOW_MS + 60_000, steps=((59_999, 1),))[0] == opened.size
    assert standing(now_ms=NOW_MS + 110_000) == (late.size, late.root.hex())
    assert standing(now_ms=NOW_MS, everything=True) == (late.size, late.root.hex())
    assert early.size < late.size


def test_of_a_log_without_a_public_match_the_manifest_tells_neither_size_nor_root(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("m", PublicationReleased())
    club.archive.open_tournament("closed", "Closed")
    club.archive.close()

    def told_of(log: str, **wanted: Any) -> object:
        done = publish_to(tmp_path / "out", club.url, **wanted)
        of_log = done.manifest["logs"][log]
        return of_log["size"], of_log["root"]

    # The archive's own log is there so that each table has a file; it holds who may do what.
    assert told_of("archive") == (None, None)
    assert told_of("closed", log_id="closed") == (None, None)
    head = store_head(club.url, "closed")
    assert told_of("closed", log_id="closed", everything=True) == (head.size, head.root.hex())


def test_a_match_in_play_is_not_judged_aloud(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    wrong = PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 4), CheckerMove(6, 5)))
    club.match("m", PublicationReleased(), wrong)

    def judged(**wanted: Any) -> tuple[int, list[str], bool | None, list[str]]:
        publish_to(tmp_path / "out", club.url, **wanted)
        (match,) = rows(tmp_path / "out", "matches")
        (turn,) = rows(tmp_path / "out", "turns")
        found = [row["code"] for row in rows(tmp_path / "out", "findings")]
        assert match["findings"] == len(found)
        return match["version"], turn["findings"], turn["is_legal"], found

    # Who follows could tell the players what nobody at the table has seen.
    assert judged() == (5, [], None, [])
    version, codes, is_legal, found = judged(everything=True)
    assert (version, is_legal) == (5, False)
    assert "illegal-play" in codes
    assert "illegal-play" in found
    club.add("m", GameWon(winner=Seat.TWO, points=1))
    version, codes, is_legal, found = judged()
    assert (version, is_legal) == (6, False)
    assert "illegal-play" in codes
    assert "illegal-play" in found


def test_retracted_entries_are_kept_as_entries_and_gone_from_the_turns(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    entries = club.match("m", PublicationReleased())
    club.add("m", EntryRetracted(target=entries[2]))
    club.archive.close()
    publish_to(tmp_path / "out", club.url)
    assert [row["tag"] for row in rows(tmp_path / "out", "events")][2] == "dice.rolled"
    assert rows(tmp_path / "out", "turns") == []


def test_what_is_appended_meanwhile_is_left_out(club: Club, tmp_path: Path) -> None:
    club.match("m", PublicationReleased())
    plan = plan_of(club.archive.store, Wanted(url=club.url, now_ms=NOW_MS))
    size = club.archive.store.log_head("club").size
    club.add("m", ROLL)
    club.archive.close()
    done = publish(plan, tmp_path / "out", LocalEngine(1))
    assert done.rows["events"] == 4
    assert done.manifest["logs"]["club"]["size"] == size


def test_entries_prove_themselves(
    tmp_path: Path, sqlite_url: str, demonstrate: Demonstrate, publish_to: Publish
) -> None:
    archive = demonstrate(sqlite_url)
    stored = archive.store.read_stream(DEMO_LOG, DEMO_MATCH)
    root = archive.store.log_head(DEMO_LOG).root
    archive.close()
    done = publish_to(tmp_path / "out", sqlite_url)
    entries = rows(tmp_path / "out", "events")
    of_final = [row["sealed"] for row in entries if row["match_id"] == DEMO_MATCH]
    # What a ballot says is public to nobody: of it the leaf alone is there.
    assert of_final == [None if entry.tag in BALLOTS else bytes(entry.sealed) for entry in stored]
    leaves = [row["leaf_hash"] for row in entries if row["match_id"] == DEMO_MATCH]
    assert leaves == [entry.leaf_hash for entry in stored]
    for row in entries:
        if row["sealed"] is None:
            assert row["tag"] in BALLOTS
            assert not {"vote", "proposal", "salt"} & json.loads(row["body"]).keys()
            continue
        sealed = json.loads(row["sealed"])
        assert json.loads(row["body"]) == sealed["body"]
        assert [row[name] for name in ("tag", "basis", "entry_id", "version")] == [
            sealed[name] for name in ("tag", "basis", "entry_id", "version")
        ]
        assert row["leaf_hash"] == hashlib.sha256(b"\0" + row["sealed"]).digest()
    assert done.manifest["logs"][DEMO_LOG]["root"] == root.hex()
    for name, told_of in done.manifest["files"].items():
        content = (tmp_path / "out" / name).read_bytes()
        assert told_of == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_the_root_follows_from_what_is_published(
    tmp_path: Path, sqlite_url: str, demonstrate: Demonstrate, publish_to: Publish
) -> None:
    demonstrate(sqlite_url).close()
    done = publish_to(tmp_path / "out", sqlite_url, everything=True)
    entries = [row for row in rows(tmp_path / "out", "events") if row["log"] == DEMO_LOG]
    entries.sort(key=lambda row: row["global_position"])
    root = merkle.root([row["leaf_hash"] for row in entries])
    assert root.hex() == done.manifest["logs"][DEMO_LOG]["root"]


@pytest.mark.gate
def test_the_same_archive_gives_the_same_bytes_however_it_is_worked_on(
    club: Club, tmp_path: Path, publish_to: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c", "d"):
        club.match(name, PublicationReleased())
    club.archive.close()
    monkeypatch.setattr(partitions, "PART_ENTRIES", 8)
    monkeypatch.setattr(engines, "WORTH_A_POOL", 0)
    publish_to(tmp_path / "one", club.url, engine=LocalEngine(1))
    publish_to(tmp_path / "two", club.url, engine=LocalEngine(2))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    parts = sorted((tmp_path / "one" / "events" / "log=club").iterdir())
    assert len(parts) > 1
    assert shown(tmp_path / "one") == ["a", "b", "c", "d"]


@pytest.mark.parametrize("workers", [2, 3, 4])
def test_nobody_waits_long_for_the_last_part_of_a_long_log(
    club: Club, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(partitions, "PART_ENTRIES", 64)
    for number in range(120):
        club.match(f"m{number:03}", PublicationReleased())
    store = club.archive.store
    parts = planned(store, store.log_head("club"), Wanted(url=club.url, now_ms=NOW_MS))
    ids = [head.stream_id for head in store.streams("club")]
    places = [(ids.index(part.first), ids.index(part.last)) for part in parts]
    assert [place for first, last in places for place in range(first, last + 1)] == [*range(121)]
    assert max(part.entries for part in parts) <= 64
    done = [0] * workers
    for part in parts:
        done[done.index(min(done))] += part.entries
    assert max(done) - min(done) <= 16


def test_both_databases_give_the_same_bytes(
    tmp_path: Path,
    sqlite_url: str,
    postgres_url: str,
    demonstrate: Demonstrate,
    publish_to: Publish,
) -> None:
    for name, url in (("sqlite", sqlite_url), ("postgres", postgres_url)):
        demonstrate(url).close()
        publish_to(tmp_path / name, url, names=True, everything=True)
    assert files(tmp_path / "sqlite") == files(tmp_path / "postgres")


def test_a_match_that_cannot_be_read_is_named_and_stops_no_other(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("a", PublicationReleased())
    club.match("b", PublicationReleased())
    club.archive.close()
    with closing(sqlite3.connect(club.url.removeprefix("sqlite:///"))) as db:
        db.execute("DROP TRIGGER event_no_update")
        db.execute("UPDATE event SET sealed = x'7b' WHERE stream_id = 'a' AND version = 2")
        db.commit()
    done = publish_to(tmp_path / "out", club.url)
    assert shown(tmp_path / "out") == ["b"]
    ((log_id, match_id, reason),) = done.unreadable
    assert (log_id, match_id) == ("club", "a")
    assert "cannot be read" in reason
    assert done.manifest["logs"]["club"]["unreadable"] == 1


def test_a_match_without_its_beginning_lets_nothing_else_slip_through(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("a", PublicationReleased())
    club.match("b-private")
    club.archive.close()
    with closing(sqlite3.connect(club.url.removeprefix("sqlite:///"))) as db:
        db.execute("DROP TRIGGER event_no_delete")
        db.execute("DELETE FROM event WHERE stream_id = 'a' AND version = 1")
        db.commit()
    publish_to(tmp_path / "out", club.url)
    told_of = [(row["match_id"], row["version"]) for row in rows(tmp_path / "out", "events")]
    assert told_of == [("a", 2), ("a", 3), ("a", 4)]


def test_a_database_that_fails_is_no_matter_of_one_match(
    club: Club, tmp_path: Path, publish_to: Publish
) -> None:
    club.match("a", PublicationReleased())
    club.archive.close()
    with closing(sqlite3.connect(club.url.removeprefix("sqlite:///"))) as db:
        db.execute("DROP TABLE disclosure")
        db.commit()
    with pytest.raises(StoreFailed, match="could not be read"):
        publish_to(tmp_path / "out", club.url, names=True)
    assert not (tmp_path / "out").exists()


def test_one_log_can_be_published_alone(
    club: Club, tmp_path: Path, demonstrate: Demonstrate, publish_to: Publish
) -> None:
    club.match("m", PublicationReleased())
    club.archive.close()
    demonstrate(club.url).close()
    done = publish_to(tmp_path / "out", club.url, log_id="club")
    assert list(done.manifest["logs"]) == ["club"]
    with pytest.raises(NoSuchLog):
        publish_to(tmp_path / "none", club.url, log_id="nowhere")


def test_an_archive_in_memory_has_no_database_to_read(tmp_path: Path) -> None:
    archive = open_archive("memory://")
    plan = plan_of(archive.store, Wanted(url="memory://", now_ms=NOW_MS))
    with pytest.raises(NotPublished, match="memory"):
        publish(plan, tmp_path / "out", LocalEngine(1))
    archive.close()
