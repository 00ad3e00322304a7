"""What may be written of a match's opening beside the names."""

from __future__ import annotations

from api.archive.reading import Reading
from api.exchange.writing.wanted import Details
from events.payloads.match import MatchOpened, Player
from events.personal import Commitment
from events.values import BySeat
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
    ratings = BySeat[str | None](None, None)
    if people is People.ALL:
        ratings = BySeat(*(_rating(reading, log_id, side) for side in opening.players))
    return Details(**known, ratings=ratings)


def _rating(reading: Reading, log_id: str, side: tuple[Player, ...]) -> str | None:
    """The rating of a side that is one player, where it has one and it is disclosed."""
    rating = side[0].rating if len(side) == 1 else None
    return None if rating is None else reading.texts(log_id, [rating]).get(rating.sd)
