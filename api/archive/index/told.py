"""What the ledger discloses of rows that are put into the index: names, and times of receipt."""

from __future__ import annotations

from collections.abc import Sequence

from api.archive.index.rows import MatchRow
from api.archive.personal import received_at
from events.personal import opened
from events.store.protocol import EventStore


class Told:
    """What the store discloses of some rows: two look-ups a log, however many rows there are."""

    def __init__(self, store: EventStore, rows: Sequence[tuple[MatchRow, int]]) -> None:
        self._contexts: dict[tuple[str, int], Sequence[bytes]] = {}
        self._names: dict[tuple[str, str], bytes] = {}
        for log_id in {row.log_id for row, _ in rows}:
            own = [(row, place) for row, place in rows if row.log_id == log_id]
            places = {place for row, news in own for place in (row.opened_at, news)}
            for place, raws in store.disclosures_of(log_id, sorted(places)).items():
                self._contexts[log_id, place] = raws
            names = {sd for row, _ in own for side in row.names for sd in side}
            for sd, raw in store.disclosures(log_id, sorted(names)).items():
                self._names[log_id, sd] = raw

    def received(self, log_id: str, place: int) -> int:
        """When an entry was received; 0 once that is erased."""
        return received_at(self._contexts.get((log_id, place), ())) or 0

    def names_of(self, row: MatchRow) -> dict[str, str]:
        """Commitment to name of its players; none that is withheld or erased."""
        marks = dict.fromkeys(sd for side in row.names for sd in side)
        found = {sd: self._names.get((row.log_id, sd)) for sd in marks}
        return {sd: str(opened(raw)[2]) for sd, raw in found.items() if raw is not None}
