"""A table that writes its own record: matches for tests, built move by move in a player's verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, corrections, cube, dice, dispute, ending, match, play
from events.payloads.base import Option, Payload, WinKind
from events.values import BySeat, Seat
from projections.board.notation import parse
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from projections.states import State

TURNS = (
    (31, "8/5 6/5"),
    (42, "8/4 6/4"),
    (61, "13/7 8/7"),
    (53, "8/3 6/3"),
    (21, "13/11 6/5"),
    (65, "13/8 13/7"),
)
"""Roll and play of six ordinary turns; the first is the opening roll, 3 for its winner."""

SCENES = {
    "race": ("1:2 2:3 3:3 4:3 5:2 6:2", "1:2 2:3 3:3 4:3 5:2 6:2"),
    "forced": ("1:2 2:2 3:2 4:2 5:3 6:3 bar:1", "6:5 8:3 11:2 13:5"),
    "dance": ("6:5 8:3 13:5 24:1 bar:1", "5:2 6:5 8:3 13:5"),
    "closed": ("1:2 2:2 3:2 4:2 5:2 6:2 8:1 9:1 10:1", "5:3 6:5 8:3 13:3 bar:1"),
    "blot": ("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 20:1 24:1"),
    "last two": ("off:13 1:1 6:1", "off:5 5:5 6:5"),
    "single": ("off:14 2:1", "off:1 3:2 4:3 5:4 6:5"),
    "gammon": ("off:14 2:1", "5:4 6:6 8:3 13:2"),
    "backgammon": ("off:14 2:1", "5:5 6:6 8:3 bar:1"),
}
"""Boards by name: seat one's checkers and seat two's, as point:men from the owner's side."""

ENTRY = "00000000-0000-4000-8000-{:012d}"


def men(text: str) -> tuple[int, ...]:
    """26 counts of `6:5 bar:1`."""
    counts = [0] * 26
    for word in text.split():
        point, count = word.split(":")
        counts[{"off": 0, "bar": 25}.get(point) or int(point.replace("off", "0"))] += int(count)
    return tuple(counts)


def faces(roll: int) -> tuple[int, int]:
    """31 as (3, 1)."""
    return roll // 10, roll % 10


def scene_of(name: str, *, winner: str = "one") -> BySeat[tuple[int, ...]]:
    """The board of a scene, drawn for `one` and mirrored for `two`."""
    one, two = map(men, SCENES[name])
    return BySeat(one, two) if winner == "one" else BySeat(two, one)


def seat_of(name: Seat | str | None) -> Seat | None:
    """The seat called so."""
    return None if name is None else Seat(name)


class Table:
    """A match in the making. Every verb records one event and gives the table back."""

    def __init__(
        self,
        length: int | None = 7,
        *,
        rule_set: str | None = None,
        score: tuple[int, int] = (0, 0),
        crawford_played: bool = False,
        is_opened: bool = True,
        **options: Any,
    ) -> None:
        self.events: list[RecordedEvent] = []
        if is_opened:
            self.record(
                match.MatchOpened(
                    players=BySeat((), ()),
                    length=length,
                    rule_set=rule_set,
                    score_at_start=BySeat(*score),
                    crawford_played=crawford_played,
                    options={key: Option(value=value) for key, value in options.items()},
                )
            )

    # What was recorded, and what follows from it.

    @property
    def last(self) -> str:
        """Entry id of the last event."""
        return self.events[-1].entry_id

    @property
    def replay(self) -> Replay:
        """The current state of the match."""
        return replay(self.events)

    @property
    def state(self) -> State:
        """Every fold's state now."""
        return self.replay.state

    @property
    def codes(self) -> list[str]:
        """Codes of all findings."""
        return [finding.code for finding in self.replay.findings]

    @property
    def found(self) -> list[str]:
        """Codes of the findings at the last event."""
        return [finding.code for finding in self.findings]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings at the last event."""
        return self.replay.steps[-1].findings

    @property
    def score(self) -> tuple[int, int]:
        """Points of one and of two."""
        return tuple(self.state.score.score)  # type: ignore[return-value]

    def board(self, seat: str = "one") -> Mapping[int, int]:
        """Where a seat's checkers are, empty points left out."""
        board = self.state.positions.board
        assert board is not None
        counts = board.own if seat == "one" else board.other
        return {point: count for point, count in enumerate(counts) if count}

    # Verbs.

    def record(self, payload: Payload, *, basis: Basis = Basis.OBSERVED) -> Table:
        """Record any payload."""
        tag, _ = catalogue.tag_of(payload)
        version = len(self.events) + 1
        self.events.append(RecordedEvent(version, ENTRY.format(version), tag, basis, payload))
        return self

    def game(self) -> Table:
        return self.record(match.GameStarted())

    def opening(self, one: int, two: int) -> Table:
        return self.record(dice.OpeningRolled(one=one, two=two))

    def roll(self, seat: str, roll: int) -> Table:
        return self.record(dice.Rolled(seat=Seat(seat), dice=faces(roll)))

    def play(self, seat: str, text: str = "", **members: Any) -> Table:
        return self.record(play.PlayMade(seat=Seat(seat), moves=parse(text).moves, **members))

    def turn(self, seat: str, roll: int, text: str = "") -> Table:
        """A roll and its play."""
        return self.roll(seat, roll).play(seat, text)

    def turns(self, count: int, *, winner: str = "one") -> Table:
        """So many of the ordinary turns, the opening roll first."""
        seat = Seat(winner)
        for index, (roll, text) in enumerate(TURNS[:count]):
            if index:
                self.turn(seat, roll, text)
            else:
                self.opening(*(faces(roll) if winner == "one" else faces(roll)[::-1]))
                self.play(seat, text)
            seat = seat.other
        return self

    def ends_turn(self, seat: str) -> Table:
        return self.record(dice.TurnEnded(seat=Seat(seat), method="lifted_both"))

    def early(self, seat: str, roll: int) -> Table:
        return self.record(dice.RolledEarly(seat=Seat(seat), dice=faces(roll)))

    def answers_early(self, answer: str) -> Table:
        return self.record(dice.EarlyRollAnswered(answer=dice.EarlyRollAnswer(answer)))

    def void(self, target: str | None = None, seat: str | None = None) -> Table:
        reason = dice.VoidReason.COCKED
        return self.record(dice.Voided(seat=seat_of(seat), reason=reason, target=target))

    def double(self, seat: str) -> Table:
        return self.record(cube.DoubleOffered(seat=Seat(seat)))

    def take(self, seat: str) -> Table:
        return self.record(cube.DoubleTaken(seat=Seat(seat)))

    def drop(self, seat: str) -> Table:
        return self.record(cube.DoubleDropped(seat=Seat(seat)))

    def beaver(self, seat: str) -> Table:
        return self.record(cube.CubeBeavered(seat=Seat(seat)))

    def void_cube(self, target: str) -> Table:
        return self.record(cube.CubeActionVoided(target=target))

    def cube_is(self, value: int, owner: str | None, basis: str = "agreed") -> Table:
        stated = cube.CubeStated(value=value, owner=seat_of(owner))
        return self.record(stated, basis=Basis(basis))

    def resign(self, seat: str, level: str | None = "single") -> Table:
        kind = None if level is None else WinKind(level)
        return self.record(ending.ResignationOffered(seat=Seat(seat), level=kind))

    def accept(self, seat: str) -> Table:
        return self.record(ending.ResignationAccepted(seat=Seat(seat)))

    def refuse(self, seat: str) -> Table:
        return self.record(ending.ResignationRefused(seat=Seat(seat)))

    def won(self, winner: str, points: int) -> Table:
        return self.record(match.GameWon(winner=Seat(winner), points=points))

    def ended(self, winner: str | None = None, score: tuple[int, int] | None = None) -> Table:
        claimed = None if score is None else BySeat(*score)
        return self.record(match.MatchEnded(winner=seat_of(winner), score=claimed))

    def noted(self, one: int, two: int, keeper: str | None = None) -> Table:
        return self.record(match.ScoreNoted(score=BySeat(one, two), keeper=seat_of(keeper)))

    def score_is(self, one: int, two: int, basis: str = "agreed", **members: Any) -> Table:
        stated = match.ScoreStated(score=BySeat(one, two), **members)
        return self.record(stated, basis=Basis(basis))

    def scene(self, name: str, on_roll: str | None = "one", **members: Any) -> Table:
        """A game with the board of a scene; for `two`, the scene is mirrored."""
        if not self.replay.state.flow.in_game:
            self.game()
        checkers = scene_of(name, winner=on_roll or "one")
        stated = play.PositionStated(checkers=checkers, on_roll=seat_of(on_roll), **members)
        return self.record(stated, basis=Basis.AGREED)

    def win(self, level: str = "single", winner: str = "one") -> Table:
        """A game won on the board at a level."""
        return self.scene(level, winner).turn(winner, 65, "2/off")

    def stated(self, one: str, two: str, **members: Any) -> Table:
        checkers = BySeat(men(one), men(two))
        return self.record(play.PositionStated(checkers=checkers, **members), basis=Basis.AGREED)

    def revise(self, seat: str, target: str, text: str = "", **members: Any) -> Table:
        moves = parse(text).moves
        return self.record(play.PlayRevised(seat=Seat(seat), target=target, moves=moves, **members))

    def correct(self, target: str, text: str = "", **members: Any) -> Table:
        return self.record(play.PlayCorrected(target=target, moves=parse(text).moves, **members))

    def carry_out(self, **members: Any) -> Table:
        return self.record(dispute.RulingCarriedOut(**members), basis=Basis.RULED)

    def clock(self, reserve_s: int = 840, delay_s: int = 12, kind: str = "simple") -> Table:
        """The clock is set and one's time begins to run."""
        reserve = BySeat(reserve_s * 1_000, reserve_s * 1_000)
        chosen = clock.ClockKind(kind)
        self.record(clock.ClockSet(kind=chosen, reserve_ms=reserve, delay_ms=delay_s * 1_000))
        return self.record(clock.ClockStarted(seat=Seat.ONE, at_ms=0))

    def press(self, seat: str, at_s: int | None = None, readings: Any = None) -> Table:
        at_ms = None if at_s is None else at_s * 1_000
        pressed = clock.ClockPressed(seat=Seat(seat), at_ms=at_ms, readings=readings)
        return self.record(pressed)

    @property
    def reserve_s(self) -> tuple[float | None, float | None]:
        """Reserves in seconds."""
        one, two = (None if left is None else left / 1_000 for left in self.state.clock.reserve_ms)
        return one, two

    def retract(self, target: str) -> Table:
        return self.record(corrections.EntryRetracted(target=target))

    def amend(self, target: str, now: Payload, *, basis: Basis = Basis.OBSERVED) -> Table:
        """`now` is what happened in the target's place."""
        tag, schema = catalogue.tag_of(now)
        body = msgspec.Raw(catalogue.encode(now))
        amended = corrections.EntryAmended(target=target, tag=tag, schema=schema, body=body)
        read = catalogue.decode("entry.amended", catalogue.encode(amended))
        return self.record(read, basis=basis)
