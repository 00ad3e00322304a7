"""Two records of one match beside each other: two scribes turn by turn, two score sheets by game.

Neither is taken to be right: each row shows what both have and in what they differ. A turn that one
of them missed is a row with an empty side, and the turns after it are aligned again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from events.payloads import cube, dice, dispute, match, play
from events.values import BySeat, Seat
from projections.board.notation import format_play
from projections.board.position import Position
from projections.states import Replay, Step
from projections.views.scenes import NOWHERE, place_of


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn as one record has it."""

    game: int
    """Number of the game in this record, from 1."""
    number: int
    """Number of the turn in it, from 1."""
    seat: Seat | None
    """Whose turn."""
    version: int
    """Entry to look at: the last one that says what was rolled, played or done with the cube."""
    dice: str = ""
    """The roll that counts, higher die first."""
    play: str | None = None
    """What was played; None = not recorded, or only the board after it is."""
    cube: tuple[str, ...] = ()
    """Cube acts and answers, in order."""
    won: str | None = None
    """Winner and points, if it ended the game."""
    end: Position | None = None
    """The board after it, seat one's checkers as `own`."""

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two turns alike."""
        return self.seat, self.dice, self.play, self.cube


class Row(msgspec.Struct, frozen=True):
    """The same turn in both records."""

    first: Turn | None
    """As the first has it; None = it has none."""
    second: Turn | None
    """As the second has it; None = it has none."""
    differs: tuple[str, ...] = ()
    """In what: missing, dice, play, cube, won; () = alike."""


class Noted(msgspec.Struct, frozen=True):
    """A score as a keeper wrote it down."""

    score: BySeat[int] | None
    """The score; None where the keeper kept none."""
    version: int
    """The `score.noted`."""


class Sheet(msgspec.Struct, frozen=True):
    """The score after one game, as both players' sheets have it and as the games make it."""

    game: int
    """Number of the game, from 1."""
    computed: BySeat[int]
    """What the games make."""
    noted: BySeat[Noted | None]
    """What each player's sheet says; None = nothing is recorded of it."""
    differs: tuple[str, ...]
    """Whose sheet differs from the games: one, two; and `sheets` if the two sheets differ."""


def aligned(first: Replay, second: Replay) -> list[Row]:
    """Two records of a match, turn beside turn, game by game."""
    ours, theirs = turns(first), turns(second)
    rows: list[Row] = []
    for game in sorted({turn.game for turn in (*ours, *theirs)}):
        rows += _rows(
            [turn for turn in ours if turn.game == game],
            [turn for turn in theirs if turn.game == game],
        )
    return rows


def first_divergence(rows: Sequence[Row]) -> int | None:
    """Index of the first row in which the records differ; None = they agree."""
    return next((index for index, row in enumerate(rows) if row.differs), None)


def turns(shown: Replay) -> list[Turn]:
    """The turns of a match in one record: as corrected, without rolls that did not count."""
    told: list[Turn] = []
    place = NOWHERE
    for step in shown.steps:
        place = place_of(step, place)
        known = told[-1] if told else None
        if known is None or (known.game, known.number) != place[:2]:
            known = Turn(
                game=place.game, number=place.turn, seat=place.seat, version=step.event.version
            )
            told.append(known)
        told[-1] = _told(known, step, place.seat)
    return [turn for turn in told if turn.number and (turn.dice or turn.cube or turn.end)]


def sheets(shown: Replay) -> list[Sheet]:
    """Both players' sheets after each game, beside the score that the games make."""
    noted: dict[int, dict[Seat, Noted]] = {}
    computed: dict[int, BySeat[int]] = {}
    for step in shown.steps:
        payload, score = step.event.payload, step.after.score
        if score.ended_at == step.event.version:
            computed[score.game_number] = step.after.match_score
        if isinstance(payload, match.ScoreNoted) and payload.keeper is not None:
            # Points may have entered the score since the game ended.
            computed[score.game_number] = step.after.match_score
            known = Noted(payload.score, step.event.version)
            noted.setdefault(score.game_number, {})[payload.keeper] = known
    return [_sheet(game, computed[game], noted.get(game, {})) for game in sorted(computed)]


def _sheet(game: int, computed: BySeat[int], noted: dict[Seat, Noted]) -> Sheet:
    both = BySeat(noted.get(Seat.ONE), noted.get(Seat.TWO))
    kept = {seat.value: one.score for seat, one in noted.items() if one.score is not None}
    differs = [name for name, score in sorted(kept.items()) if score != computed]
    if len({(score.one, score.two) for score in kept.values()}) > 1:
        differs.append("sheets")
    return Sheet(game, computed, both, tuple(differs))


def _told(turn: Turn, step: Step, seat: Seat | None) -> Turn:
    """The turn with one more of its entries."""
    payload = step.event.payload
    changes: dict[str, object] = {}
    board = step.after.positions.board
    if isinstance(payload, dice.Rolled | dice.RolledEarly):
        changes["dice"] = _roll(payload.dice)
    elif isinstance(payload, dice.OpeningRolled) and payload.one != payload.two:
        changes["dice"] = _roll((payload.one, payload.two))
    elif isinstance(payload, dispute.RulingMade) and step.after.flow.dice != step.before.flow.dice:
        # A ruling lets a throw count, or not.
        faces = step.after.flow.dice
        changes["dice"] = "" if faces is None else _roll(faces)
    elif isinstance(payload, dice.Voided) and step.after.flow != step.before.flow:
        # The roll no longer counts, and its play is undone.
        changes |= {"dice": "", "play": None, "end": None}
    elif isinstance(payload, play.PlayMade | play.PlayRevised):
        is_moved = payload.resulting_position is None
        text = format_play(payload.moves, step.hits) if is_moved else None
        changes |= {"play": text, "end": board}
    elif isinstance(payload, play.PlayCorrected):
        text = format_play(payload.moves, step.hits) if payload.checkers is None else None
        changes |= {"play": text, "end": board}
    elif isinstance(payload, cube.CubeAct):
        act = step.event.tag.partition(".")[2].removeprefix("double_")
        changes["cube"] = (*turn.cube, act)
    if step.after.score.ended_at == step.event.version:
        result = step.after.score.games[-1]
        changes["won"] = f"{result.winner.value} {result.points}"
    if not changes:
        return turn
    # The winner may be recorded later, after a resignation; the turn keeps its own version.
    version = turn.version if changes.keys() == {"won"} else step.event.version
    return msgspec.structs.replace(turn, **changes, seat=turn.seat or seat, version=version)


def _roll(faces: tuple[int, int]) -> str:
    return "".join(map(str, sorted(faces, reverse=True)))


def _rows(ours: Sequence[Turn], theirs: Sequence[Turn]) -> Iterator[Row]:
    """Align the turns of one game: equal ones beside each other, the others in between."""
    matcher = SequenceMatcher(
        None, [turn.key for turn in ours], [turn.key for turn in theirs], autojunk=False
    )
    for kind, start, end, their_start, their_end in matcher.get_opcodes():
        left, right = list(ours[start:end]), list(theirs[their_start:their_end])
        if kind == "equal":
            yield from (_row(one, other) for one, other in zip(left, right, strict=True))
            continue
        while left and right:
            if left[0].seat is right[0].seat:
                yield _row(left.pop(0), right.pop(0))
            elif len(left) > len(right):
                yield _row(left.pop(0), None)
            else:
                yield _row(None, right.pop(0))
        yield from (_row(one, None) for one in left)
        yield from (_row(None, other) for other in right)


def _row(first: Turn | None, second: Turn | None) -> Row:
    if first is None or second is None:
        return Row(first, second, ("missing",))
    differs = [name for name in ("dice", "cube", "won") if _of(first, name) != _of(second, name)]
    is_same_end = first.end is not None and first.end == second.end
    # The same play can be written in several ways, so the boards after it are compared.
    if first.play != second.play and not is_same_end:
        differs.append("play")
    return Row(first, second, tuple(differs))


def _of(turn: Turn, name: str) -> object:
    return getattr(turn, name)
