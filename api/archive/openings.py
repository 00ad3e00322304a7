"""What openings say of who plays a match, and where, as far as it is at hand and not erased."""

from __future__ import annotations

from api.archive.reading import Live, Reading
from events.payloads.match import MatchOpened, Player
from events.personal import Disclosed
from events.values import BySeat
from projections.views.words import committed_in


def opening_values(reading: Reading, log_id: str, live: Live) -> list[tuple[str, object]]:
    """(path in the opening, value) of all that is known of who plays a match, and where.

    Of its opening as recorded and of everything that was ever said in its place.
    """
    known = _committed_in_openings(live)
    values = reading.opened_values(log_id, [sd for _, sd in known])
    return [(path, value.value) for path, sd in known if isinstance(value := values[sd], Disclosed)]


def knows_players(reading: Reading, log_id: str, live: Live) -> bool:
    """Whether every name that an opening commits to is at hand, and none was erased."""
    named = [
        sd
        for path, sd in _committed_in_openings(live)
        if path.startswith("players.") and path.endswith(".name")
    ]
    values = reading.opened_values(log_id, named).values()
    return all(isinstance(value, Disclosed) for value in values)


def names_of(reading: Reading, log_id: str, opened_match: MatchOpened | None) -> BySeat[str]:
    """What to call the players: their disclosed names, else `Player 1` and `Player 2`."""
    fallback = BySeat("Player 1", "Player 2")
    if opened_match is None:
        return fallback
    players = opened_match.players
    texts = reading.texts(log_id, [player.name for side in players for player in side])

    def name(side: tuple[Player, ...], otherwise: str) -> str:
        named = [player.name.sd for player in side if player.name is not None]
        known = [texts[sd] for sd in named if sd in texts]
        return " / ".join(known) if known else otherwise

    return BySeat(name(players.one, fallback.one), name(players.two, fallback.two))


def _committed_in_openings(live: Live) -> list[tuple[str, str]]:
    """(path, commitment) of its opening as recorded and of all that was ever said in its place."""
    openings = [
        payload
        for event in live.recorded[: live.version]
        for payload in (event.payload, getattr(event.payload, "replacement", None))
        if isinstance(payload, MatchOpened)
    ]
    return [found for payload in openings for found in committed_in(payload)]
