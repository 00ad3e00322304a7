"""A whole match by touch: the tablet records what was played, in few taps (U1)."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from playwright.sync_api import Page, expect

from api.exchange.readers import read_file
from events.envelope import Basis, RecordedEvent
from events.payloads import cube, dice, match, play
from events.payloads.base import Payload
from events.values import ONE, TWO, BySeat, CheckerMove, Seat
from projections.board import hops
from projections.board.position import STARTING, Position
from projections.replay import replay
from tests.api.exchange.recorded import entry_id, events_of
from tests.conftest import Require
from tests.web import tap_schemes
from tests.web.conftest import LOG, Site
from tests.web.tablet_rig import BOTH, Scribe, open_tablet
from tests.web.tap_schemes import Turn

pytestmark = [pytest.mark.service_worker, pytest.mark.moves]

REAL = "lassehjorthmadsen__bglab/data-raw/lasse/raw/match7833600.txt"
"""A match of the shared corpus: three games to 5 points, four doubles."""

Fact = tuple[Any, ...]

_CUBE = (cube.DoubleOffered, cube.DoubleTaken, cube.DoubleDropped)


def facts(events: Sequence[RecordedEvent]) -> list[Fact]:
    """What happened, however it was written: rolls, ends of plays, cube acts, scores."""
    told: list[Fact] = []
    for step in replay(events).steps:
        payload, after = step.event.payload, step.after
        if isinstance(payload, dice.Rolled):
            told.append(("roll", payload.seat.value, *sorted(payload.dice)))
        elif isinstance(payload, dice.OpeningRolled) and payload.one != payload.two:
            higher = ONE if payload.one > payload.two else TWO
            told.append(("roll", higher.value, *sorted((payload.one, payload.two))))
        elif isinstance(payload, play.PlayMade):
            board = after.positions.board
            assert board is not None
            told.append(("play", payload.seat.value, board.own, board.other))
        elif isinstance(payload, _CUBE):
            told.append((type(payload).__name__, payload.seat.value, after.cube.value))
        if after.score.games != step.before.score.games:
            ended = after.score.games[-1]
            told.append(("won", ended.winner.value, ended.points, tuple(after.score.score)))
    return told


class Counted(NamedTuple):
    """Taps for one turn: ours, and those of two programs on the same turn."""

    ours: int
    gnubg: int
    extreme: int


def record(
    scribe: Scribe,
    events: Sequence[RecordedEvent],
    *,
    after_each: Callable[[], None] = lambda: None,
) -> list[Counted]:
    """Tap a whole match; taps by turn."""
    counts: list[Counted] = []
    is_opening = False
    rolled = 0
    for step in replay(events).steps:
        payload, before = step.event.payload, step.before
        taps = scribe.taps
        match payload:
            case match.GameStarted():
                if before.score.game_number:
                    for seat in BOTH:
                        scribe.key_of(seat, "confirm")
                scribe.key("next_game")
                is_opening = True
                continue
            case dice.OpeningRolled(one=one, two=two):
                scribe.opening(one, two)
                rolled = scribe.taps - taps
            case dice.Rolled(seat=seat, dice=(one, two)) if is_opening:
                high, low = max(one, two), min(one, two)
                scribe.opening(*((high, low) if seat is ONE else (low, high)))
                rolled = scribe.taps - taps
            case dice.Rolled(dice=(one, two)):
                scribe.dice(one, two)
                rolled = scribe.taps - taps
            case play.PlayMade():
                turn = turn_of(step)
                for word in tap_schemes.words_for(turn, is_silent=True):
                    scribe.say(payload.seat, word)
                ours = rolled + scribe.taps - taps
                counts.append(Counted(ours, tap_schemes.gnubg(turn), tap_schemes.extreme(turn)))
            case cube.DoubleOffered():
                scribe.key("double")
            case cube.DoubleTaken(seat=seat):
                scribe.key_of(seat, "take")
            case cube.DoubleDropped(seat=seat):
                scribe.key_of(seat, "pass")
        is_opening = False
        after_each()
    return counts


def turn_of(step: Any) -> Turn:
    """The turn of a play as the tap schemes want it."""
    made, before = step.event.payload, step.before
    board, rolled = before.positions.board, before.flow.dice_of(made.seat)
    seen = board if made.seat is ONE else Position(board.other, board.own)
    moves = tuple((move.from_point, move.to_point) for move in made.moves)
    return Turn(seen, rolled, moves)


def recorded_on(site: Site, match_id: str) -> list[RecordedEvent]:
    """The events of a match as the server has them."""
    return list(site.archive.reading.live(LOG, match_id).recorded)


def play_it(
    page: Page,
    site: Site,
    events: Sequence[RecordedEvent],
    *,
    hand: type[Scribe] = Scribe,
    after_each: Callable[[], None] = lambda: None,
) -> list[Counted]:
    """Record a match on a tablet, and hold what the server has against it."""
    opened = events[0].payload
    assert isinstance(opened, match.MatchOpened)
    options = {key: msgspec.to_builtins(option) for key, option in opened.options.items()}
    match_id = site.open_match(length=opened.length, options=options)
    open_tablet(page, site, match_id)
    scribe = hand(page)
    counts = record(scribe, events, after_each=after_each)
    expected = facts(events)
    # The play that ended the match may still be open to a further tap.
    expect(page.locator(".between")).to_be_visible()
    scribe.settle()
    assert facts(recorded_on(site, match_id)) == expected
    return counts


def corrections(site: Site) -> list[str]:
    """Tags of the entries that put others right."""
    tags: list[str] = [entry["tag"] for entry in site.entries(_only_match(site))]
    return [tag for tag in tags if tag.startswith("entry.")]


def tell(counts: Sequence[Counted]) -> None:
    """Print the counts beside those of the two programs."""
    for name, column in zip(Counted._fields, zip(*counts, strict=True), strict=True):
        ordered = sorted(column)
        p90 = ordered[round((len(ordered) - 1) * 0.9)]
        mean, median = statistics.mean(ordered), statistics.median(ordered)
        print(f"{name:8} {len(ordered)} turns: mean {mean:.2f}, median {median}, p90 {p90}")


def p90(values: Sequence[int]) -> int:
    ordered = sorted(values)
    return ordered[round((len(ordered) - 1) * 0.9)]


@pytest.mark.parametrize("games", [2, pytest.param(3, marks=pytest.mark.long)])
def test_a_real_match_is_recorded_in_few_taps(
    page: Page, site: Site, shared_folder: Path, require: Require, games: int
) -> None:
    file = shared_folder / "corpus" / REAL
    require(file.is_file(), "the corpus of real match files is not there")
    (read,) = read_file(file.read_bytes(), file.name)
    events = events_of(read)
    begun = [at for at, event in enumerate(events) if isinstance(event.payload, match.GameStarted)]
    counts = play_it(page, site, events[: [*begun, len(events)][games]])
    assert corrections(site) == []
    tell(counts)
    ours = [count.ours for count in counts]
    # On a screen that players see legality has no say in what is told: see bench_taps.
    assert statistics.mean(ours) <= 3.4
    assert statistics.median(ours) <= 3
    assert p90(ours) <= 5
    assert sum(ours) <= 0.70 * sum(count.gnubg for count in counts)
    assert sum(ours) <= 0.85 * sum(count.extreme for count in counts)


MATCHES = pytest.mark.parametrize("seed", [60, pytest.param(3, marks=pytest.mark.long)])
"""Of two games by chance: a short one in which all happens that may, and one as long as most."""

SMALL = 219

GAMES = pytest.mark.parametrize("seed", [SMALL, pytest.param(5, marks=pytest.mark.long)])
"""Two games by chance: the small one has doublets, hits, men on the bar and a dance."""


@MATCHES
def test_a_match_of_chance_is_recorded_as_it_was_played(page: Page, site: Site, seed: int) -> None:
    events = list(by_chance(seed))
    counts = play_it(page, site, events)
    assert corrections(site) == []
    tell(counts)
    expect(page.locator(".next")).to_have_text("The match is over")
    scribe = Scribe(page)
    for seat in BOTH:
        scribe.key_of(seat, "confirm")
    scribe.settle()
    tags = [entry["tag"] for entry in reversed(site.entries(_only_match(site)))]
    assert tags[0] == "match.ended"
    assert tags.count("result.reported") == 2


def _only_match(site: Site) -> str:
    with site.http() as client:
        (found,) = client.get(f"/logs/{LOG}/matches").json()["matches"]
    match_id: str = found["match_id"]
    return match_id


# A match that nobody played: dice and plays by chance, every doubt on the side of going on.


def by_chance(seed: int, *, length: int = 2) -> Iterator[RecordedEvent]:
    """Two games to the end of the bear-off, one of them doubled; the same for the same seed."""
    chance = random.Random(seed)
    made: list[Payload] = [match.MatchOpened(players=BySeat((), ()), length=length)]
    score = {ONE: 0, TWO: 0}
    while max(score.values()) < length:
        acts, winner, points = _game(chance, doubles=max(score.values()) + 1 < length)
        made += [match.GameStarted(), *acts]
        score[winner] += points
    for version, payload in enumerate(made, 1):
        yield RecordedEvent(version, entry_id(version), _tag(payload), Basis.OBSERVED, payload)


def one_game(seed: int) -> list[RecordedEvent]:
    """The first game of a match to two points, for tests of what befalls the tablet meanwhile.

    The small size has twenty turns and ends by a drop; the large size is played to its end.
    """
    events = list(by_chance(seed, length=2 if seed == SMALL else 1))
    starts = [at for at, event in enumerate(events) if event.tag == "game.started"]
    return events[: [*starts, len(events)][1]]


def _tag(payload: Payload) -> str:
    return {
        match.MatchOpened: "match.opened",
        match.GameStarted: "game.started",
        dice.OpeningRolled: "dice.opening_rolled",
        dice.Rolled: "dice.rolled",
        play.PlayMade: "play.made",
        cube.DoubleOffered: "cube.double_offered",
        cube.DoubleDropped: "cube.double_dropped",
    }[type(payload)]


def _game(chance: random.Random, *, doubles: bool) -> tuple[list[Payload], Seat, int]:
    acts: list[Payload] = []
    faces = (0, 0)
    while faces[0] == faces[1]:
        faces = (chance.randint(1, 6), chance.randint(1, 6))
        acts.append(dice.OpeningRolled(one=faces[0], two=faces[1]))
    seat = ONE if faces[0] > faces[1] else TWO
    board = STARTING
    for number in range(2_000):
        moves = _chosen(chance, board, faces)
        after = board.moved([CheckerMove(*move) for move in moves]).position
        assert after is not None
        acts.append(play.PlayMade(seat=seat, moves=tuple(CheckerMove(*move) for move in moves)))
        if after.own[0] == 15:
            return acts, seat, _points(after)
        board = Position(after.other, after.own)
        seat = seat.other
        if doubles and number == 20:
            acts += [cube.DoubleOffered(seat=seat), cube.DoubleDropped(seat=seat.other)]
            return acts, seat, 1
        faces = (chance.randint(1, 6), chance.randint(1, 6))
        acts.append(dice.Rolled(seat=seat, dice=faces))
    raise AssertionError("a game without an end")


def _chosen(chance: random.Random, board: Position, faces: tuple[int, int]) -> Any:
    """Mostly a play that runs home, so that games end."""
    legal = hops.every_legal(board.own, board.other, faces)
    if not legal:
        return ()
    return min(
        chance.sample(legal, min(6, len(legal))),
        key=lambda moves: max(move[1] for move in moves),
    )


def _points(after: Position) -> int:
    if after.other[0] > 0:
        return 1
    return 3 if any(after.other[19:]) else 2


class Slowed(Scribe):
    """Has a slow tablet for so many turns: it is slowed by burning what a machine has."""

    turns = 12

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._session = page.context.new_cdp_session(page)
        # Slow enough that a pause in the middle of a play looks like the end of it.
        self._session.send("Emulation.setCPUThrottlingRate", {"rate": 6})

    def dice(self, one: int, two: int) -> None:
        self.turns -= 1
        if self.turns == 0:
            self._session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        super().dice(one, two)


class SlowedThroughout(Slowed):
    """Has it for every turn."""

    turns = 10_000


@GAMES
def test_a_slow_tablet_and_a_slow_scribe_record_the_same_match(
    page: Page, site: Site, seed: int
) -> None:
    hand = Slowed if seed == SMALL else SlowedThroughout
    play_it(page, site, one_game(seed), hand=hand)
