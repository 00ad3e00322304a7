"""The index of turns: every turn is found by its board, and none that has no match any more."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from api.archive.archive import Archive, open_archive
from api.archive.index.file import index_file
from api.publishing.rows import rows_of
from api.search import positions as positions_module
from api.search import tables
from api.search import turns as turns_module
from api.search.boards import key_named, mask_of, near, position_of
from api.search.building import build
from api.search.positions import Conditions, FoundTurn, PositionIndex
from api.search.tables import POSITIONS, Facts
from events import catalogue
from events.envelope import NO_STREAM
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from events.payloads.dice import Rolled
from events.payloads.match import MatchOpened, Source
from events.values import BySeat
from tests.benchmarks.matches import written

MATCHES = 6
SOURCE = Source(sha256="0" * 64, dialect="mat")


def opened(**more: object) -> MatchOpened:
    return MatchOpened(players=BySeat((), ()), length=99, source=SOURCE, **more)  # type: ignore[arg-type]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Matches that are over as files are that break off, and one that is played."""
    made = open_archive(f"sqlite:///{tmp_path / 'a.sqlite'}")
    made.open_tournament("club", "Club")
    for number in range(MATCHES):
        entries: list[Payload] = [opened(), *written(random.Random(number), 160)]
        made.append("club", f"m{number}", [made.draft(one) for one in entries])
    played = MatchOpened(players=BySeat((), ()), length=99)
    entries = [played, *written(random.Random(0), 160)]
    made.append("club", "played", [made.draft(one) for one in entries], expected_version=NO_STREAM)
    yield made
    made.close()


@pytest.fixture
def index(archive: Archive) -> Iterator[PositionIndex]:
    path = index_file(archive.url, POSITIONS)
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
        yield made


def test_a_search_whose_disk_is_full_goes_on_in_memory(
    index: PositionIndex, archive: Archive
) -> None:
    [(pages,)] = index._db.execute("PRAGMA page_count").fetchall()
    index._db.execute(f"PRAGMA max_page_count = {pages}")
    matches, turns = index.count()
    for number in range(5):
        entries: list[Payload] = [opened(), *written(random.Random(MATCHES + number), 400)]
        archive.append("club", f"later{number}", [archive.draft(one) for one in entries])
    index.catch_up()
    assert index.count()[0] == matches + 5
    assert index.count()[1] > turns
    assert len(index.find(Conditions(), limit=1, also=None)) == 1


def turns_of(archive: Archive) -> set[tuple[str, int, str]]:
    """(match, version, Position ID) of every turn of the matches that are over, as published."""
    found = set()
    for number in range(MATCHES):
        shown = archive.reading.replay("club", f"m{number}")
        rows = rows_of(
            shown, log_id="club", match_id=f"m{number}", opened_at=0, names=BySeat(None, None)
        )
        found |= {(str(row[0]), int(str(row[-2])), str(row[8])) for row in rows.turns}
    return found


def places(found: list[FoundTurn]) -> set[tuple[str, int]]:
    return {(turn.stream_id, turn.version) for turn in found}


def test_every_turn_of_a_match_that_is_over_is_found_by_its_board_and_no_other(
    archive: Archive, index: PositionIndex
) -> None:
    turns = turns_of(archive)
    assert len(turns) > 400
    everything = index.find(Conditions(), limit=10_000, also=None)
    assert places(everything) == {(match, version) for match, version, _ in turns}
    for _, _, board in turns:
        same = {(match, version) for match, version, other in turns if other == board}
        found = index.find(Conditions(keys={key_named(board)}), limit=1_000, also=None)
        assert places(found) == same


def test_like_boards_are_those_that_looking_at_each_would_find(
    archive: Archive, index: PositionIndex
) -> None:
    turns = [(match, version, key_named(board)) for match, version, board in turns_of(archive)]
    chance = random.Random(1)
    for _ in range(12):
        key = chance.choice(turns)[2]
        close = near(position_of(key))
        found = index.find(Conditions(keys=close), limit=10_000, also=None)
        assert places(found) == {(m, v) for m, v, other in turns if other in close}
        mask = mask_of(set(chance.sample(range(26), 16)))
        found = index.find(Conditions(keys={key}, mask=mask), limit=10_000, also=None)
        assert places(found) == {
            (m, v)
            for m, v, other in turns
            if all(o & a == o & b for o, a, b in zip(mask, key, other, strict=True))
        }


def test_pages_are_the_whole_list_and_facts_narrow_it(index: PositionIndex) -> None:
    whole = index.find(Conditions(), limit=10_000, also=None)
    pages: list[FoundTurn] = []
    after = None
    while page := index.find(Conditions(), after=after, limit=37, also=None):
        pages += page
        after = (page[-1].match, page[-1].version)
    assert pages == whole
    rolled = index.find(Conditions(facts=Facts(dice=(6, 4), away_own=99)), limit=1_000, also=None)
    assert rolled == [one for one in whole if one.facts.dice == (6, 4) and one.facts.away_own == 99]
    assert rolled


def test_of_matches_that_are_not_public_only_those_of_logs_that_are_named(
    archive: Archive, index: PositionIndex
) -> None:
    assert index.find(Conditions(), also=()) == []
    assert index.find(Conditions(), also=("other",)) == []
    assert index.find(Conditions(), also=("club",)) != []
    assert index.find(Conditions(log_id="other"), also=None) == []


def test_a_corrected_match_is_found_as_it_stands_and_not_as_it_stood(
    archive: Archive, index: PositionIndex
) -> None:
    live = archive.reading.live("club", "m0")
    rolled = next(one for one in live.recorded if isinstance(one.payload, Rolled))
    body = catalogue.encode(Rolled(seat=rolled.payload.seat, dice=(6, 6)))
    amended = EntryAmended(target=rolled.entry_id, tag="dice.rolled", body=msgspec.Raw(body))
    archive.append("club", "m0", [archive.draft(amended)])
    index.catch_up()
    found = index.find(Conditions(), limit=10_000, also=None)
    assert len(places(found)) == len(found)
    [turn] = [one for one in found if (one.stream_id, one.version) == ("m0", rolled.version)]
    assert turn.facts.dice == (6, 6)
    assert places(found) == {(match, version) for match, version, _ in turns_of(archive)}


def test_it_is_the_same_however_it_is_made(
    archive: Archive, index: PositionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = index.find(Conditions(), limit=10_000, also=None)
    key = [(one.stream_id, one.version, one.key, one.facts) for one in before]
    # In small pages, and through every tier.
    monkeypatch.setattr(turns_module, "PAGE", 50)
    monkeypatch.setattr(
        positions_module, "TIERS", (("turn_0", 40), ("turn_1", 150), ("turn_2", None))
    )
    index.clear()
    assert index.find(Conditions(), also=None) == []
    index.catch_up()
    assert tables.TIERS != positions_module.TIERS
    again = index.find(Conditions(), limit=10_000, also=None)
    assert sorted((one.stream_id, one.version, one.key, one.facts) for one in again) == sorted(key)  # type: ignore[type-var]
    index.clear()
    build(index, archive.store, archive.url, in_hand={}, workers=1)
    assert index.lag() == 0
    built = index.find(Conditions(), limit=10_000, also=None)
    assert sorted((one.stream_id, one.version, one.key) for one in built) == sorted(
        one[:3] for one in key
    )
