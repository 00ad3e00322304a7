"""One numbering of turns: the rows of a .mat file, for pages, texts, sheets and replays alike.

A row is a turn of each player, seat one's first; a double and its answer are a row of their own, as
backgammon programs number them. What stands in no row of such a file (a throw that did not count, a
press of the clock, a ruling) has the number of the row into which it falls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from api.exchange.writing.story import Act, Game, Kind, Story, told
from events.payloads import ending
from events.values import Seat
from projections.replay import Replay, Step
from projections.views.scenes import NOWHERE, Place, place_of


def rows_of(seats: Sequence[Seat], empty: Sequence[bool]) -> list[int | None]:
    """The number of the row of each cell; None for a cell in a row with nothing in it.

    `empty`: whether nothing is written into a cell.
    """
    pairs: list[list[int]] = []
    is_open = False
    for place, seat in enumerate(seats):
        if seat is Seat.TWO and is_open:
            pairs[-1].append(place)
        else:
            pairs.append([place])
        is_open = seat is Seat.ONE
    numbers: list[int | None] = [None] * len(seats)
    number = 0
    for pair in pairs:
        if all(empty[place] for place in pair):
            continue
        number += 1
        for place in pair:
            numbers[place] = number
    return numbers


def is_cell(act: Act) -> bool:
    """Whether an act has a cell of its own: a board that was set from outside has none."""
    return act.kind is not Kind.POSITION and act.seat is not None


def is_empty(act: Act) -> bool:
    """Whether its cell is left empty: a play without dice keeps the turns in order."""
    return act.kind is Kind.PLAY and act.dice is None


def numbers_of(replay: Replay, story: Story | None = None) -> dict[int, int]:
    """Version to the number of its row; 0 before a game's first row, and between games.

    Resignations have no row in such a file; behind the last one they go on with the count.
    """
    story = told(replay) if story is None else story
    versions = replay.versions
    known: dict[int, int] = {}
    for game in story.games:
        known.update(_numbers_in(game, versions))
    return _filled(replay, known)


def _numbers_in(game: Game, versions: dict[str, int]) -> Iterable[tuple[int, int]]:
    """(version, number) of the entries that acts are made of."""
    acts = [act for act in game.acts if is_cell(act)]
    seats = [act.seat for act in acts if act.seat is not None]
    for act, number in zip(acts, rows_of(seats, [is_empty(act) for act in acts]), strict=True):
        if number is None:
            continue
        for entry_id in (act.entry_id, act.roll_entry, act.step.event.entry_id):
            version = versions.get(entry_id or "")
            if version is not None:
                yield version, number


def _filled(replay: Replay, known: dict[int, int]) -> dict[int, int]:
    """The same for every entry: within its turn from what follows, else from what came before."""
    placed: list[tuple[Step, Place]] = []
    place = NOWHERE
    for step in replay.steps:
        place = place_of(step, place)
        placed.append((step, place))
    ahead = _from_behind(placed, known)
    numbers: dict[int, int] = {}
    game, number, seat = 0, 0, None
    for step, place in placed:
        version, payload = step.event.version, step.event.payload
        if place.game != game:
            game, number, seat = place.game, 0, None
        resigns = payload.seat if isinstance(payload, _Resignation) else None
        if resigns is not None and ahead.get(version) is None and resigns is not seat:
            number += seat is not Seat.ONE or resigns is Seat.ONE
        number = ahead.get(version) or number
        if resigns is not None or version in known:
            seat = getattr(payload, "seat", None) or step.after.flow.on_roll
        numbers[version] = number if place.turn else 0
    return numbers


_Resignation = ending.ResignationOffered | ending.ResignationAccepted | ending.ResignationRefused


def _from_behind(placed: Sequence[tuple[Step, Place]], known: dict[int, int]) -> dict[int, int]:
    """Version to the number of the next act in its turn; of a later turn, if none is behind it."""
    found: dict[int, int] = {}
    turn: tuple[int, int] | None = None
    number = 0
    for step, place in reversed(placed):
        version = step.event.version
        if version in known:
            turn, number = place[:2], known[version]
        if turn == place[:2] and place.turn:
            found[version] = number
    return found
