"""Other scribes' records of a match beside the first, turn by turn, for the desk of a case."""

from __future__ import annotations

from collections.abc import Mapping

from api.desk.cases import Case, committee_showing, second_recorders
from api.exchange.writing.numbering import numbers_of
from api.html.entry_words import points
from api.html.templates import Values
from api.html.texts import Texts
from api.routes.shared.door import Door
from events.values import BySeat, Seat
from projections.replay import Replay
from projections.views.alignment import Row, Turn, aligned, first_divergence, turns


def others_of(
    door: Door, found: Case, ours: Replay, t: Texts, names: BySeat[str], *, hides_score: bool
) -> list[Values]:
    """Other scribes' records beside the first, turn by turn, as far as the reader may see them.

    Reads the store.
    """
    told: list[Values] = []
    last_game = ours.state.score.game_number
    numbers = numbers_of(ours)
    for stream in second_recorders(door.reading, found.log_id, found.match_id):
        live = door.reading.live(found.log_id, stream)
        last = live.version
        if found.seat is not None:
            last = committee_showing(door.reading, found.log_id, live).last
        if not last:
            continue
        theirs = door.reading.replay(found.log_id, stream, at=last)
        rows, beside = _given(found, ours, theirs), numbers_of(theirs)
        if hides_score:
            rows = [one for one in rows if (one.first or one.second or _NO_TURN).game == last_game]
        told.append(
            {
                "first": first_divergence(rows),
                "rows": [
                    {
                        "first": _turn(row.first, t, names),
                        "second": _turn(row.second, t, names),
                        "turn": _number(row.first, numbers, has_game=not hides_score)
                        or _number(row.second, beside, has_game=not hides_score),
                        "version": None if row.first is None else row.first.version,
                        "seat": _seat(row.first or row.second),
                        "differs": [t(f"case.differs_{one}") for one in row.differs],
                    }
                    for row in rows
                ],
            }
        )
    return told


def _given(found: Case, ours: Replay, theirs: Replay) -> list[Row]:
    """The turns side by side, without those recorded by the first scribe after the issue.

    Otherwise each later turn would look as if the first scribe had missed it.
    """
    rows, whole = aligned(ours, theirs), aligned(found.live.replay, theirs)
    reached = max((_place(turn) for turn in turns(ours)), default=(0, 0))
    since = next((n for n, row in enumerate(whole) if _place(row.first) > reached), len(whole))
    later = {_place(row.second) for row in whole[since:]}
    alike = {_place(row.first) for row in whole if not row.differs}
    given = [row for row in rows if row.first is not None or _place(row.second) not in later]
    # The turn during which the case was issued may have been completed since, in both records.
    return [
        Row(row.first, row.first) if _place(row.first) == reached and reached in alike else row
        for row in given
    ]


def _place(turn: Turn | None) -> tuple[int, int]:
    """Game and turn as a sort key; first if a record has none."""
    return (0, 0) if turn is None else (turn.game, turn.number)


_NO_TURN = Turn(game=0, number=0, seat=None, version=0)


def _number(turn: Turn | None, numbers: Mapping[int, int], *, has_game: bool) -> str:
    """Game and row, as in files; without the game if its number would reveal a score."""
    if turn is None:
        return ""
    row = numbers.get(turn.version, 0)
    return f"{turn.game}.{row}" if has_game else str(row)


def _seat(turn: Turn | None) -> str:
    return "" if turn is None or turn.seat is None else turn.seat.value


def _turn(turn: Turn | None, t: Texts, names: BySeat[str]) -> str | None:
    """A turn in words; None if a record lacks it."""
    if turn is None:
        return None
    played = turn.play if turn.play or not turn.dice else t("replay.no_play")
    said = f"{turn.dice}: {played or ''}".strip(": ") if turn.dice else (played or "")
    told = [*(t(f"replay.cube.{act}") for act in turn.cube), said]
    if turn.won is not None:
        winner, count = turn.won.split()
        told.append(t("replay.won", name=names[Seat(winner)], points=points(t, int(count))))
    return "; ".join(filter(None, told))
