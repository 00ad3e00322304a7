"""Rows of match lists as answers: scores, states and the personal values that may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from api.archive.index.rows import MatchRow
from api.archive.reading import Reading
from api.desk.embargo import as_heard
from api.desk.hand import Hand
from api.shapes.matches import MatchSummary, Pair, Players
from events.values import Seat
from projections.views.discretion import rules_on
from projections.views.showing import People, Reader, people_in_list, reader_of


class HasReading(Protocol):
    """A door, or an archive: what has a reading."""

    @property
    def reading(self) -> Reading:
        """By which names are opened."""
        ...


class HasHand(Protocol):
    """A visitor."""

    @property
    def hand(self) -> Hand:
        """The grants by which more is shown."""
        ...


def summaries(door: HasReading, visitor: HasHand, rows: list[MatchRow]) -> list[MatchSummary]:
    """Rows of a list with what may be shown of them; one look-up a log. Reads the store."""
    values = []
    rows = [
        as_heard(door.reading, row)
        if reader_of(visitor.hand.grants, row.log_id, row.stream_id) is Reader.COMMITTEE
        else row
        for row in rows
    ]
    by_log: dict[str, list[str]] = {}
    for row in rows:
        wanted = by_log.setdefault(row.log_id, [])
        if people_of(visitor, row) is People.NONE:
            continue
        wanted += [name for side in row.names for name in side]
        posted = (row.event, row.round, row.table, row.date)
        wanted += [commitment for commitment in posted if commitment is not None]
    opened = {
        log_id: door.reading.texts(log_id, commitments) for log_id, commitments in by_log.items()
    }
    for row in rows:
        known = opened[row.log_id]
        # That there is a finding at all may be a strong hint.
        is_held_back = row.is_in_play and not rules_on(
            visitor.hand.grants, row.log_id, row.stream_id
        )

        def shown(commitment: str | None, known: Mapping[str, str] = known) -> str | None:
            return None if commitment is None else known.get(commitment)

        names = [[name for sd in side if (name := shown(sd))] for side in row.names]
        values.append(
            MatchSummary(
                log_id=row.log_id,
                match_id=row.stream_id,
                version=row.version,
                players=Players(names[0], names[1]),
                event=shown(row.event),
                round=shown(row.round),
                table=shown(row.table),
                date=shown(row.date),
                length=row.length,
                score=Pair(row.score_one, row.score_two),
                games=row.games,
                state=row.state,
                winner=None if row.winner is None else Seat(row.winner),
                won_by=row.won_by,
                is_public=row.is_public,
                delay_ms=row.delay_ms,
                findings=None if is_held_back else row.findings,
                open_questions=None if is_held_back else row.questions,
                rule_set=row.rule_set,
                source=row.source,
                awaits_ruling=row.awaits_ruling,
            )
        )
    return values


def people_of(visitor: HasHand, row: MatchRow) -> People:
    """Which personal values of a row its visitor is shown."""
    reader = reader_of(visitor.hand.grants, row.log_id, row.stream_id)
    return people_in_list(reader, row.rule_set)
