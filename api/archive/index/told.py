"""What the ledger discloses for rows of the index: names, and times of receipt."""

from __future__ import annotations

from collections.abc import Sequence

from api.archive.index.rows import Known, MatchRow
from api.archive.personal import received_at
from events.personal import opened
from events.store.protocol import EventStore


class Told:
    """What the store discloses of some rows: two look-ups a log, however many rows there are."""

    def __init__(self, store: EventStore, rows: Sequence[tuple[MatchRow, Sequence[Known]]]) -> None:
        self._contexts: dict[tuple[str, int], Sequence[bytes]] = {}
        self._names: dict[tuple[str, str], bytes] = {}
        for log_id in {row.log_id for row, _ in rows}:
            own = [(row, known) for row, known in rows if row.log_id == log_id]
            places = {row.opened_at for row, _ in own}
            places |= {one.news for _, known in own for one in known}
            for place, raws in store.disclosures_of(log_id, sorted(places)).items():
                self._contexts[log_id, place] = raws
            names = {sd for _, known in own for side in known[0].names for sd in side}
            for sd, raw in store.disclosures(log_id, sorted(names)).items():
                self._names[log_id, sd] = raw

    def received(self, log_id: str, place: int) -> int:
        """When an entry was received; 0 once that is erased."""
        return received_at(self._contexts.get((log_id, place), ())) or 0

    def names_of(self, log_id: str, known: Known) -> dict[str, str]:
        """Commitment to name of its players; none that is withheld or erased."""
        marks = dict.fromkeys(sd for side in known.names for sd in side)
        found = {sd: self._names.get((log_id, sd)) for sd in marks}
        return {sd: str(opened(raw)[2]) for sd, raw in found.items() if raw is not None}
