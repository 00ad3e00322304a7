"""Random event streams: plausible matches with slips and rulings, and wild ones in any order."""

from __future__ import annotations

import functools
import random
from typing import Any

from hypothesis import strategies as st

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, corrections, cube, dice, dispute, ending, match, play
from events.payloads.base import Payload, WinKind
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import STARTING, Position
from projections.folding.fold import Fold, Handler
from projections.replay import FOLDS, Replay, replay
from tests.events.catalogue.strategies import payloads
from tests.projections.table import ENTRY, Table, faces, scene_of

IDS = [ENTRY.format(version) for version in range(1, 60)]
HEARD = sorted(
    {kind for fold in FOLDS.values() for kind in fold.hears}, key=lambda kind: kind.__name__
)


def legal_match(seed: int, *, length: int | None = 5, games: int = 3) -> Table:
    """A match in which everything is as it should be: legal plays, cube acts, resignations."""
    table = Table(is_opened=False)
    table.events = [*_legal_events(seed, length, games)]
    return table


# Many laws are tried along the same few matches.
@functools.cache
def _legal_events(seed: int, length: int | None, games: int) -> tuple[RecordedEvent, ...]:
    chance = random.Random(seed)
    table = Table(length)
    clocked = chance.random() < 0.5
    at_s = 0
    if clocked:
        reserve = BySeat(100_000_000, 100_000_000)
        table.record(clock.ClockSet(kind=clock.ClockKind.SIMPLE, reserve_ms=reserve))
    for _ in range(games):
        state = table.state
        if state.score.winner is not None:
            break
        table.game()
        if chance.random() < 0.2:
            table.opening(4, 4)
        roll = chance.choice([31, 42, 61, 53, 21, 65, 13, 26])
        table.opening(*faces(roll))
        seat = Seat.ONE if roll // 10 > roll % 10 else Seat.TWO
        board, owner = STARTING, None
        dies: tuple[int, int] | None = faces(roll)
        if clocked:
            table.record(clock.ClockStarted(seat=seat, at_ms=at_s * 1_000))
        while True:
            if dies is None:
                if owner in (None, seat) and chance.random() < 0.04 and _can_double(table, seat):
                    table.double(seat.value)
                    if chance.random() < 0.4:
                        table.drop(seat.other.value)
                        break
                    table.take(seat.other.value)
                    owner = seat.other
                if chance.random() < 0.01:
                    level = chance.choice(["single", "gammon"])
                    table.resign(seat.value, level)
                    if chance.random() < 0.5:
                        table.accept(seat.other.value)
                        break
                    table.refuse(seat.other.value)
                dies = (chance.randint(1, 6), chance.randint(1, 6))
                if chance.random() < 0.05:
                    table.void(seat=seat.value)
                table.roll(seat.value, dies[0] * 10 + dies[1])
            legal = list(board.legal_plays(dies))
            moves = chance.choice(legal).moves if legal else ()
            table.record(play.PlayMade(seat=seat, moves=moves))
            after = board.moved(moves).position
            assert after is not None
            if after.own[0] == 15:
                break
            if clocked:
                at_s += chance.randint(1, 20)
                table.press(seat.value, at_s)
            board, seat, dies = after.swap(), seat.other, None
        if clocked:
            table.record(clock.ClockPaused(at_ms=at_s * 1_000, reason="game_over"))
    return tuple(table.events)


def _can_double(table: Table, seat: Seat) -> bool:
    score, value = table.state.score, table.state.cube.value
    is_dead = score.length is not None and score.score[seat] + value >= score.length
    return not score.is_crawford_game and not is_dead


SEATS = st.sampled_from(Seat)
ENTRIES = st.sampled_from(IDS)
DIES = st.tuples(st.integers(1, 6), st.integers(1, 6))
MOVES = st.lists(st.builds(CheckerMove, st.integers(1, 25), st.integers(0, 24)), max_size=4).map(
    tuple
)
BOARDS = st.sampled_from(["race", "dance", "closed", "blot", "last two", "single", "gammon"]).map(
    scene_of
)
AT = st.none() | st.integers(0, 900_000)
READINGS = st.none() | st.builds(
    BySeat, st.none() | st.integers(0, 10_000), st.none() | st.integers(0, 10_000)
)


def _kinds() -> list[st.SearchStrategy[Payload]]:
    """Payloads of a match, most of them about the play, with small values that meet each other."""
    kind = st.sampled_from(list(clock.ClockKind))
    reserve = st.builds(BySeat, st.integers(0, 9_000), st.integers(0, 9_000))
    cubes = st.none() | st.builds(
        play.StatedCube, value=st.sampled_from([1, 2, 4]), owner=st.none() | SEATS
    )
    points = st.builds(BySeat, st.integers(0, 4), st.integers(0, 4))
    undoes = st.lists(ENTRIES, max_size=2).map(tuple)
    span = st.sampled_from(list(play.UnseenSpan))
    answer = st.sampled_from(list(dice.EarlyRollAnswer))
    reason = st.just(dice.VoidReason.COCKED)
    return [
        st.builds(match.GameStarted),
        st.builds(dice.OpeningRolled, one=st.integers(1, 6), two=st.integers(1, 6), at_ms=AT),
        *[st.builds(dice.Rolled, seat=SEATS, dice=DIES)] * 4,
        *[st.builds(play.PlayMade, seat=SEATS, moves=MOVES)] * 4,
        st.builds(play.PlayMade, seat=SEATS, moves=MOVES, hits_not_lifted=st.just((5,))),
        st.builds(play.PlayMade, seat=SEATS, resulting_position=BOARDS),
        *[st.builds(play.PlayRevised, seat=SEATS, target=ENTRIES, moves=MOVES)] * 2,
        *[st.builds(play.PlayCorrected, target=ENTRIES, moves=MOVES, undoes=undoes)] * 2,
        st.builds(play.PlayCorrected, target=ENTRIES, checkers=BOARDS),
        st.builds(play.PlayUnseen, seat=st.none() | SEATS, spans=span),
        *[
            st.builds(
                play.PositionStated,
                checkers=BOARDS,
                on_roll=st.none() | SEATS,
                dice=st.none() | DIES,
                cube=cubes,
            )
        ]
        * 2,
        st.builds(play.StartCorrected, seat=SEATS, moved=MOVES),
        *[st.builds(cube.DoubleOffered, seat=SEATS)] * 2,
        *[st.builds(cube.DoubleTaken, seat=SEATS)] * 2,
        st.builds(cube.DoubleDropped, seat=SEATS),
        st.builds(cube.CubeBeavered, seat=SEATS),
        st.builds(cube.CubeActionVoided, target=ENTRIES),
        st.builds(cube.CubeStated, value=st.sampled_from([1, 2, 4]), owner=st.none() | SEATS),
        st.builds(dice.TurnEnded, seat=SEATS),
        st.builds(dice.RolledEarly, seat=SEATS, dice=DIES),
        st.builds(dice.EarlyRollAnswered, answer=answer),
        st.builds(dice.Voided, reason=reason, target=st.none() | ENTRIES),
        st.builds(
            ending.ResignationOffered,
            seat=SEATS,
            level=st.none() | st.sampled_from(list(WinKind)),
        ),
        st.builds(ending.ResignationAccepted, seat=SEATS),
        st.builds(ending.ResignationRefused, seat=SEATS),
        st.builds(match.GameWon, winner=SEATS, points=st.integers(0, 4)),
        st.builds(match.ScoreNoted, score=points),
        st.builds(match.ScoreStated, score=points),
        st.builds(clock.ClockSet, kind=kind, reserve_ms=reserve, delay_ms=st.just(1_000)),
        st.builds(clock.ClockStarted, seat=SEATS, at_ms=AT),
        *[st.builds(clock.ClockPressed, seat=SEATS, at_ms=AT, readings=READINGS)] * 2,
        st.builds(clock.ClockPaused, at_ms=AT, readings=READINGS),
        st.builds(clock.ClockResumed, seat=st.none() | SEATS, at_ms=AT),
        st.builds(clock.ClockRead, at_ms=AT, readings=READINGS),
        st.builds(clock.ClockAdjusted, seat=SEATS, amount_ms=st.integers(-9_000, 9_000)),
        st.builds(
            clock.ClockDelayForfeited,
            seat=SEATS,
            at_ms=AT,
            readings=READINGS,
            turn=st.sampled_from(clock.DelayTurn),
            waits=st.booleans(),
        ),
        st.builds(
            clock.ClockDelayRestarted,
            seat=SEATS,
            at_ms=AT,
            readings=READINGS,
            left_ms=st.none() | st.integers(0, 2_000),
        ),
        st.builds(
            dispute.RulingCarriedOut,
            checkers=st.none() | BOARDS,
            on_roll=st.none() | SEATS,
            dice=st.none() | DIES,
            score=st.none() | points,
            crawford_played=st.none() | st.booleans(),
            reserve_ms=st.none() | reserve,
            cube=cubes,
            game_over=st.none() | SEATS,
        ),
    ]


KINDS = _kinds()


# Composite, because the description of all the choices would be as long as a book.
@st.composite
def _plausible(draw: st.DrawFn) -> Payload:
    payload = draw(KINDS[draw(st.integers(0, len(KINDS) - 1))])
    match draw(st.integers(0, 19)):
        case 0:
            return corrections.EntryRetracted(target=draw(ENTRIES))
        case 1 if not isinstance(payload, corrections.EntryRetracted):
            return Table(is_opened=False).amend(draw(ENTRIES), payload).events[-1].payload
        case _:
            return payload


@st.composite
def _wild(draw: st.DrawFn) -> Payload:
    return draw(payloads(draw(st.sampled_from(HEARD))))


OPENED = st.builds(
    match.MatchOpened,
    players=st.just(BySeat((), ())),
    length=st.none() | st.integers(1, 5),
    rule_set=st.sampled_from([None, "common"]),
)


def _recorded(opened: list[Payload], drawn: list[tuple[Payload, Basis]]) -> list[RecordedEvent]:
    told = [(payload, Basis.OBSERVED) for payload in opened] + drawn
    return [
        RecordedEvent(version, ENTRY.format(version), _tag(payload), basis, payload)
        for version, (payload, basis) in enumerate(told, start=1)
    ]


def _tag(payload: Payload) -> str:
    tag, _ = catalogue.tag_of(payload)
    return tag


def _streams(
    drawn: st.SearchStrategy[Payload], opening: st.SearchStrategy[list[Payload]]
) -> st.SearchStrategy[list[RecordedEvent]]:
    entries = st.lists(st.tuples(drawn, st.sampled_from(Basis)), max_size=45)
    return st.builds(_recorded, opening, entries)


TABLES = _streams(_plausible(), OPENED.map(lambda opened: [opened, match.GameStarted()]))
"""Matches in which nearly everything goes wrong, but with entries that a table could write."""

WILD = _streams(_wild(), st.just([]))
"""Any payloads that folds hear, in any order, with any values that a body may hold."""

STREAMS = TABLES | WILD


def numbered(told: list[Payload]) -> list[RecordedEvent]:
    """A stream of these payloads, all of them observed."""
    return _recorded(told, [])


def legal_start(seed: int) -> list[Payload]:
    """The first turns of a legal match."""
    return [event.payload for event in legal_match(seed, games=1).events[:60]]


@st.composite
def of_every_kind(draw: st.DrawFn) -> list[RecordedEvent]:
    """One event of every type there is, in any order, strewn over a legal match."""
    told = legal_start(draw(st.integers(0, 5)))
    for kind in draw(st.permutations(catalogue.KINDS)):
        told.insert(draw(st.integers(1, len(told))), draw(payloads(kind.payload)))
    return numbered(told)


def deaf(events: list[RecordedEvent]) -> Replay:
    """The replay in which folds hear every play, whether it ends a game or not.

    A fold that has one handler for all that it hears is called for all that it does not hear.
    """
    from projections import replay as replaying

    kept = dict(replaying._HEARING)
    kinds = {type(event.payload) for event in events} | {
        type(getattr(event.payload, "replacement", None)) for event in events
    }
    try:
        for kind in kinds:
            replaying._HEARING[kind] = tuple(
                (place, name, handler, name in replaying._JUDGING, False)
                for place, (name, fold) in enumerate(FOLDS.items())
                for handler in _handlers(fold, kind)
            )
        return replay(events)
    finally:
        replaying._HEARING.clear()
        replaying._HEARING.update(kept)


def _handlers(fold: Fold[Any], kind: type[Payload]) -> list[Handler[Any, Any]]:
    handlers = {heard.by for heard in fold.hears.values()}
    if len(handlers) > 1:
        handlers = {heard.by for heard in fold.hears.values() if heard.kind is kind}
    return [*handlers]


def men_of(board: Position) -> tuple[int, int]:
    """How many checkers each side has, off and on the bar included."""
    return sum(board.own), sum(board.other)
