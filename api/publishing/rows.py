"""A replayed match as rows of the tables: itself, its games, its turns, its findings."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from api.archive.index.rows import row_of
from api.exchange.writing.story import Act, Game, Kind, games_of
from api.publishing.tables import TURNS
from events.values import BySeat
from projections.board.ids import position_id_or_none
from projections.board.notation import format_play
from projections.board.position import Position
from projections.folding.findings import Finding
from projections.folding.sayings import UNNAMED
from projections.replay import Replay
from projections.views.discretion import EVERYTHING, Discretion
from projections.views.thinking import Of, thoughts_of

Row = tuple[object, ...]

_UNTIMED = (None,) * 4

_DIE = range(1, 7)
"""Faces of a die."""

_ANSWERS = {Kind.DOUBLE: "offered", Kind.TAKE: "taken", Kind.DROP: "dropped"}


PLAYS = 10
"""So many plays at least tell a match from others that began alike."""

_PLAY, _BEFORE, _AFTER = (
    [column.name for column in TURNS.columns].index(name)
    for name in ("play", "position_id", "position_id_after")
)


class Rows(NamedTuple):
    """What a match adds to the tables; columns in the order of `tables`."""

    match: Row
    games: list[Row]
    turns: list[Row]
    findings: list[Row]


class Turn:
    """One turn of a game: what was done with the cube, and what with the dice."""

    def __init__(self, act: Act, first_version: int) -> None:
        self.act = act
        """The last thing done in it: the roll with its play, or the double if no roll followed."""
        self.double: str | None = None
        """What became of a double before the roll."""
        self.first_version = first_version
        """Version of its first entry."""


def rows_of(
    shown: Replay,
    *,
    log_id: str,
    match_id: str,
    opened_at: int,
    names: BySeat[str | None],
    told: Discretion = EVERYTHING,
) -> Rows:
    """The rows of one match, with as many findings as its readers may see."""
    findings = [one for one in shown.findings if told.tells(one.version)]
    games: list[Row] = []
    turns: list[Row] = []
    reader = _Reader(shown, match_id, findings, told)
    story = games_of(shown)
    for number, game in enumerate(story, 1):
        end = story[number].step.event.version - 1 if number < len(story) else shown.version
        its_turns = list(reader.turns(game, number, end))
        turns += its_turns
        games.append(reader.game(game, number, end, turns=len(its_turns)))
    listed = row_of(log_id, match_id, opened_at, shown)
    decided = shown.state.judged.outcome.decided
    match = (
        match_id,
        shown.version,
        opened_at,
        listed.is_public,
        listed.rule_set,
        listed.length,
        listed.score_one,
        listed.score_two,
        listed.games,
        len(turns),
        listed.state,
        listed.winner,
        None if decided is None else decided.by.value,
        len(findings),
        sum(one.is_open for one in findings),
        listed.source,
        names.one,
        names.two,
        plays_of(turns, listed.length),
    )
    return Rows(match, games, turns, [_finding(match_id, finding) for finding in findings])


def plays_of(turns: Sequence[Row], length: int | None) -> str | None:
    """What every file of one match has in common: its length and the boards after its plays.

    Dances are left out, for not every format writes them down; so are cubes and results, which
    some write otherwise. None where they are too few to tell matches apart.
    """
    boards = [
        str(turn[_AFTER])
        for turn in turns
        if turn[_PLAY] != "" and turn[_BEFORE] is not None and turn[_AFTER] is not None
    ]
    if len(boards) < PLAYS:
        return None
    said = f"{length or 0} {' '.join(boards)}"
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


class _Reader:
    """Reads games and turns off the story of one match."""

    def __init__(
        self, shown: Replay, match_id: str, findings: Sequence[Finding], told: Discretion
    ) -> None:
        self.shown = shown
        self.match_id = match_id
        self.codes = [finding.code for finding in findings]
        self.found_at = [finding.version for finding in findings]
        """Versions of the findings, which come in this order."""
        self.steps = {step.event.entry_id: step for step in shown.steps}
        self.told = told
        self.illegal = {one.version for one in findings if one.code == "illegal-play"}
        self.has_clock = shown.state.clock.is_set
        self.thoughts = thoughts_of(shown)
        self.thought_at = [one.version for one in self.thoughts]
        self._known: tuple[Position | None, str | None] = (None, None)
        """A board and its id: the board after a turn is mostly the one before the next."""

    def game(self, game: Game, number: int, end: int, *, turns: int) -> Row:
        """The row of a game whose last entry is `end`; one that nobody saw begin counts too."""
        result = game.result
        last = self.shown.step_at(end)
        assert last is not None, "the game has the entry that began it"
        ending = None if result is None else self.shown.step_at(result.version)
        return (
            self.match_id,
            number,
            game.score.one,
            game.score.two,
            game.is_crawford,
            None if result is None else result.winner.value,
            None if result is None else result.points,
            None if result is None or result.kind is None else result.kind.value,
            None if result is None else result.ended_by.value,
            (last.after if ending is None else ending.before).cube.value,
            turns,
            game.step.event.version,
            end,
        )

    def turns(self, game: Game, number: int, end: int) -> Iterator[Row]:
        """The rows of a game's turns; the game's last entry is `end`."""
        turns = list(self._turns(game))
        for turn in turns:
            # A roll that nobody played is told last, behind a double that was offered out of turn.
            turn.first_version = min(turn.first_version, end)
        for place, turn in enumerate(turns):
            last = turns[place + 1].first_version - 1 if place + 1 < len(turns) else end
            # A position may have been stated before the game that it belongs to was begun.
            last = max(last, turn.first_version)
            yield self._turn(turn, number, place + 1, last)

    def _turns(self, game: Game) -> Iterator[Turn]:
        doubled: Turn | None = None
        begun = game.step.event.version
        for act in game.acts:
            match act.kind:
                case Kind.DOUBLE:
                    if doubled is not None:
                        yield doubled
                    begun = max(begun + 1, self._version(act))
                    doubled = Turn(act, begun)
                    doubled.double = "offered"
                case Kind.TAKE | Kind.DROP | Kind.BEAVER if doubled is not None:
                    # An answer to a beaver does not answer the double.
                    if doubled.double != "beavered":
                        doubled.double = _ANSWERS.get(act.kind, "beavered")
                case Kind.PLAY | Kind.ROLL | Kind.GAP:
                    turn = doubled
                    if turn is None or turn.act.seat is not act.seat:
                        if turn is not None:
                            yield turn
                        begun = max(begun + 1, self._rolled_at(act))
                        turn = Turn(act, begun)
                    turn.act, doubled = act, None
                    yield turn
                case _:
                    pass
        if doubled is not None:
            yield doubled

    def _version(self, act: Act) -> int:
        step = self.steps.get(act.entry_id, act.step)
        return step.event.version

    def _rolled_at(self, act: Act) -> int:
        """Version of the roll that an act is about; its own where none is recorded."""
        step = self.steps.get(act.entry_id, act.step)
        flow = step.before.flow
        rolled = self.steps.get(flow.roll_entry or flow.early_entry or "")
        own = step.event.version
        return own if rolled is None else min(own, rolled.event.version)

    def _id(self, board: Position | None) -> str | None:
        if board is not None and board != self._known[0]:
            self._known = (board, position_id_or_none(board))
        return None if board is None else self._known[1]

    def _codes(self, first: int, last: int) -> list[str]:
        if not self.codes:
            return []
        return self.codes[bisect_left(self.found_at, first) : bisect_right(self.found_at, last)]

    def _times(self, first: int, last: int) -> tuple[int | None, ...]:
        """What double, answer and play took, and what the delay covered of the turn."""
        if not self.thoughts:
            return _UNTIMED
        begin, end = bisect_left(self.thought_at, first), bisect_right(self.thought_at, last)
        found = {one.of: one for one in self.thoughts[begin:end]}
        took = [
            found[of].took_ms if of in found else None for of in (Of.DOUBLE, Of.ANSWER, Of.PLAY)
        ]
        return (*took, found[Of.PLAY].delay_ms if Of.PLAY in found else None)

    def _turn(self, turn: Turn, game: int, number: int, last: int) -> Row:
        act = turn.act
        seat = act.seat
        assert seat is not None, "only a position has nobody to act"
        before, after = act.before, act.step.after
        if act.kind is Kind.DOUBLE:
            before = act.step.before.positions.seen_by(seat)
        is_play = act.kind is Kind.PLAY
        is_judged = (
            is_play
            and act.put_right is None
            and act.before is not None
            and act.dice is not None
            and self.told.tells(act.step.event.version)
        )
        reserve: BySeat[int | None] = BySeat(None, None)
        if self.has_clock:
            ended = self.shown.step_at(last)
            reserve = reserve if ended is None else ended.after.clock.reserve_ms
        return (
            self.match_id,
            game,
            number,
            seat.value,
            turn.double,
            None if act.dice is None else _FACES[act.dice],
            format_play(act.moves, act.step.hits) if is_play and act.end is None else None,
            act.step.event.version not in self.illegal if is_judged else None,
            self._id(before),
            self._id(after.positions.seen_by(seat.other)) if is_play else None,
            act.cube_value,
            None if act.cube_owner is None else act.cube_owner.value,
            act.score.one,
            act.score.two,
            act.is_crawford,
            reserve.one,
            reserve.two,
            *self._times(turn.first_version, last),
            self._codes(turn.first_version, last),
            turn.first_version,
            last,
        )


_FACES = {(one, two): f"{max(one, two)}{min(one, two)}" for one in _DIE for two in _DIE}


def _finding(match_id: str, finding: Finding) -> Row:
    asked = finding.ruling_required
    return (
        match_id,
        finding.version,
        finding.entry_id,
        finding.code,
        finding.rule_set,
        finding.section,
        None if finding.seat is None else finding.seat.value,
        finding.severity.value,
        finding.said.named(UNNAMED),
        finding.ambiguity,
        finding.verified,
        None if asked is None else asked.topic,
        [] if asked is None else list(asked.readings),
        finding.answered_by,
        [one.sentence for one in finding.rests_on],
        [one.sha256 or "" for one in finding.rests_on],
    )
