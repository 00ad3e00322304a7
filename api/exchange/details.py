"""What may be written of a match's opening beside the names."""

from __future__ import annotations

from api.archive.reading import Reading
from api.exchange.writing.wanted import Details
from events.payloads.match import MatchOpened
from events.personal import Commitment
from projections.views.showing import People, is_posted

_OPENING = ("event", "round", "table", "place", "date", "transcriber")


def details_of(
    reading: Reading, log_id: str, opening: MatchOpened | None, people: People
) -> Details:
    """What is disclosed of a match's opening beside the names, to whom so much is shown of it."""
    if opening is None or people is People.NONE:
        return Details()
    commitments: dict[str, Commitment] = {
        member: value
        for member in _OPENING
        if (value := getattr(opening, member)) is not None
        and (people is People.ALL or is_posted("match.opened", member))
    }
    texts = reading.texts(log_id, commitments.values())
    known = {member: texts[one.sd] for member, one in commitments.items() if one.sd in texts}
    return Details(**known)
