"""Counting: replies are those of the rows that are published, and a match in two files is one."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from api.archive.archive import Archive, open_archive
from api.archive.index.file import index_file
from api.publishing.rows import rows_of
from api.search.counting import Counted, every_twin, replies, sums_of_player, twins
from api.search.figures import START, figures_of
from api.search.positions import PositionIndex
from api.search.tables import POSITIONS
from events.catalogue import tag_of
from events.envelope import Basis, RecordedEvent
from events.payloads.base import Payload
from events.payloads.cube import DoubleDropped, DoubleOffered, DoubleTaken
from events.payloads.dice import Rolled
from events.payloads.match import GameStarted, GameWon, MatchOpened, Source, WinKind
from events.payloads.play import PlayMade
from events.values import BySeat, CheckerMove, Seat
from projections.replay import replay
from tests.benchmarks.matches import written

MATCHES = 5
GAMES = 4
ALL = Counted(public_by=None)


def opened(dialect: str | None = "mat", length: int = 99) -> MatchOpened:
    source = None if dialect is None else Source(sha256="0" * 64, dialect=dialect)
    return MatchOpened(players=BySeat((), ()), length=length, source=source)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Matches of one log; the first of them once more in another log, from another file."""
    made = open_archive(f"sqlite:///{tmp_path_factory.mktemp('counting') / 'a.sqlite'}")
    made.open_tournament("club", "Club")
    made.open_tournament("later", "Later")
    for number in range(MATCHES):
        put(made, "club", f"m{number}", opened(), number)
    put(made, "later", "again", opened("sgf"), 0)
    put(made, "later", "longer", opened("sgf", length=98), 0)
    yield made
    made.close()


def put(archive: Archive, log: str, match: str, begun: MatchOpened, seed: int) -> None:
    entries: list[Payload] = [begun, *games(random.Random(seed))]
    archive.append(log, match, [archive.draft(one) for one in entries])


def games(chance: random.Random) -> Iterator[Payload]:
    """Games that are won by who the record says, some after doubles."""
    for _ in range(GAMES):
        doubled_by: list[Seat] = []
        for number, one in enumerate(written(chance, 31)):
            may_double = isinstance(one, Rolled) and number > 1 and doubled_by[-1:] != [one.seat]
            if isinstance(one, Rolled) and may_double and chance.random() < 0.2:
                yield DoubleOffered(seat=one.seat, at_ms=one.at_ms)
                if chance.random() < 0.3:
                    yield DoubleDropped(seat=one.seat.other)
                    break
                yield DoubleTaken(seat=one.seat.other)
                doubled_by.append(one.seat)
            yield one
        else:
            winner, kind = chance.choice(list(Seat)), chance.choice(list(WinKind))
            yield GameWon(winner=winner, points=1, kind=kind)


@pytest.fixture(scope="module")
def index(archive: Archive) -> Iterator[PositionIndex]:
    path = index_file(archive.url, POSITIONS)
    with contextlib.closing(PositionIndex(archive.store, archive.reading, path=path)) as made:
        made.catch_up()
        yield made


def games_of(archive: Archive) -> list[list[tuple[object, ...]]]:
    """The turns of every game of the log, game by game."""
    found = []
    for number in range(MATCHES):
        name = f"m{number}"
        shown = archive.reading.replay("club", name)
        rows = rows_of(shown, log_id="club", match_id=name, opened_at=0, names=BySeat(None, None))
        for game in rows.games:
            found.append([turn for turn in rows.turns if turn[1] == game[1]])
    return found


def test_replies_are_those_of_the_turns_that_are_published(
    archive: Archive, index: PositionIndex
) -> None:
    club = Counted(public_by=None, log_id="club")
    expected: Counter[tuple[int, str]] = Counter()
    answers: Counter[tuple[str, int, str]] = Counter()
    for turns in games_of(archive):
        first = turns[0]
        if first[8] != START or first[6] is None or first[9] is None:
            continue
        expected[int(str(first[5])), str(first[9])] += 1
        if len(turns) > 1 and None not in (turns[1][5], turns[1][6], turns[1][9]):
            answers[str(first[9]), int(str(turns[1][5])), str(turns[1][9])] += 1
    found = replies(index, club)
    assert found.matches == MATCHES
    assert {(one.dice, one.after): one.sums.games for one in found.found} == expected
    assert expected
    for after in {after for after, _, _ in answers}:
        second = replies(index, club, after=after)
        assert {(after, one.dice, one.after): one.sums.games for one in second.found} == {
            key: many for key, many in answers.items() if key[0] == after
        }
    for roll in range(11, 67):
        only = replies(index, club, first=roll).found
        assert only == [one for one in found.found if one.dice == roll]


def test_results_of_a_play_are_those_of_who_made_it(index: PositionIndex) -> None:
    every = replies(index, ALL).found
    for one in every:
        sums = one.sums
        assert 0 <= sums.won <= sums.over <= sums.games
        lost = sums.over - sums.won
        assert sums.gammons_won <= sums.won
        assert sums.gammons_lost <= lost
        assert sums.won - 3 * lost <= sums.points <= 3 * sums.won - lost
    assert any(one.sums.gammons_won for one in every)
    one = [("club", f"m{number}", 1) for number in range(MATCHES)]
    two = [("club", f"m{number}", 2) for number in range(MATCHES)]
    by_seat = [replies(index, Counted(public_by=None, of=of)).found for of in (one, two)]
    only = replies(index, Counted(public_by=None, log_id="club")).found
    for key in ("games", "over", "won", "points", "points_with_cube"):
        parts = sum(getattr(reply.sums, key) for found in by_seat for reply in found)
        assert parts == sum(getattr(reply.sums, key) for reply in only)


def test_a_match_in_two_files_is_one_and_the_older_is_shown(
    archive: Archive, index: PositionIndex
) -> None:
    both = [("club", "m0"), ("later", "again")]
    # Another length is another match, whatever was rolled.
    told = twins(index, [(key, 99) for key in (*both, ("later", "longer"), ("club", "m1"))])
    shown = {key: [one.key for one in same] for key, same in told.items()}
    assert shown == dict.fromkeys(both, both)
    # Nobody released them.
    assert every_twin(index, 0) == []
    with index._db:
        index._db.execute("UPDATE match SET is_public = TRUE")
    assert every_twin(index, 0) == [both]
    with index._db:
        index._db.execute("UPDATE match SET is_public = FALSE WHERE log_id = 'later'")
    assert every_twin(index, 0) == []
    count = replies(index, ALL).matches
    assert count == MATCHES + 1
    assert replies(index, Counted(public_by=None, log_id="later")).matches == 2
    played = [("club", "m0", 1), ("later", "again", 1), ("club", "m1", 2)]
    mine = sums_of_player(index, Counted(public_by=None, of=played))
    assert mine.matches == {("club", "m0"), ("club", "m1")}
    assert mine.twins == {("later", "again")}
    alone = [sums_of_player(index, Counted(public_by=None, of=[one])).habits for one in played]
    assert alone[0] == alone[1]
    assert mine.habits.games == alone[0].games + alone[2].games
    assert mine.habits.faced == alone[0].faced + alone[2].faced


def test_a_double_is_counted_by_who_offered_it_and_when(index: PositionIndex) -> None:
    everybody = [("club", f"m{number}", seat) for number in range(MATCHES) for seat in (1, 2)]
    told = [sums_of_player(index, Counted(public_by=None, of=[one])) for one in everybody]
    assert sum(one.habits.doubles for one in told) > 3
    assert any(one.habits.redoubles for one in told)
    assert any(one.habits.dropped for one in told)
    for one in told:
        assert one.habits.double_turns >= one.habits.doubles
        # Of every play and answer of these games the time is known, and each took some.
        assert one.habits.slowest_ms <= one.habits.thought_ms <= 40_000 * one.habits.decisions
        assert one.timed == 1


def test_what_one_player_offers_the_other_has_to_answer(index: PositionIndex) -> None:
    for number in range(MATCHES):
        one, two = (
            sums_of_player(index, Counted(public_by=None, of=[("club", f"m{number}", seat)])).habits
            for seat in (1, 2)
        )
        assert one.games == GAMES
        for own, other in ((one, two), (two, one)):
            assert own.taken + own.dropped == other.faced
            assert own.taken == other.takes
            assert own.taken + own.dropped <= own.doubles + own.redoubles
            assert own.points_won == other.points_lost
            assert own.games_won == other.games - other.games_won
            assert own.gammons_won == other.gammons_lost


@pytest.mark.parametrize(("written", "counted"), [(12, 12), (100, 100), (1004, 0), (4016, 0)])
def test_a_forfeit_that_a_file_writes_as_thousands_of_points_adds_none_to_a_sum(
    written: int, counted: int
) -> None:
    cube = (
        DoubleOffered(seat=Seat.ONE),
        DoubleTaken(seat=Seat.TWO),
        DoubleOffered(seat=Seat.TWO),
        DoubleTaken(seat=Seat.ONE),
    )
    play = PlayMade(seat=Seat.ONE, moves=(CheckerMove(8, 5), CheckerMove(6, 5)))
    begun = (opened(), GameStarted(), Rolled(seat=Seat.ONE, dice=(3, 1)), play)
    told = (*begun, *cube, GameWon(winner=Seat.TWO, points=written))
    shown = replay(
        RecordedEvent(version, f"e{version}", tag_of(one)[0], Basis.IMPORTED, one)
        for version, one in enumerate(told, 1)
    )
    assert shown.state.score.score == BySeat(0, written)
    rows = rows_of(shown, log_id="club", match_id="m", opened_at=0, names=BySeat(None, None))
    found = figures_of(shown, rows)
    assert [one.worth for one in found.openings] == [counted]
    points = [(one.points_won, one.points_lost) for one in found.habits]
    assert points == [(0, counted), (counted, 0)]
