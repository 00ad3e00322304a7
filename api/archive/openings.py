"""What is known of who plays a match, and where, as far as it is at hand and not erased."""

from __future__ import annotations

from api.archive.joined import SamePlayers
from api.archive.reading import Live, Reading
from events.envelope import TOURNAMENT_STREAM
from events.payloads.match import MatchOpened, Player
from events.payloads.tournament import PlayerRegistered
from events.personal import Commitment, Disclosed
from events.values import BySeat
from projections.views.words import committed_in


def opening_values(reading: Reading, log_id: str, live: Live) -> list[tuple[str, object]]:
    """(path in an opening, value) of all that is known of who plays a match, and where.

    Of its opening as recorded, of everything that was ever said in its place, of what the list of
    players says or said of those who play, and of names that are said to be theirs as well.
    """
    known = [*_committed_in_openings(live), *_committed_in_list(reading, log_id, live)]
    values = reading.opened_values(log_id, [sd for _, sd in known])
    told = [(path, value.value) for path, sd in known if isinstance(value := values[sd], Disclosed)]
    names = [str(value) for path, value in told if _is_name(path)]
    same = SamePlayers(reading).others(*names)
    return [*told, *(("players.joined.name", name) for name in same)]


def knows_players(reading: Reading, log_id: str, live: Live) -> bool:
    """Whether every name that is committed to for who plays is at hand, and none was erased."""
    known = [*_committed_in_openings(live), *_committed_in_list(reading, log_id, live)]
    values = reading.opened_values(log_id, [sd for path, sd in known if _is_name(path)]).values()
    return all(isinstance(value, Disclosed) for value in values)


def _is_name(path: str) -> bool:
    return path.startswith("players.") and path.endswith(".name")


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


def _committed_in_list(reading: Reading, log_id: str, live: Live) -> list[tuple[str, str]]:
    """The same of what the tournament's list of players says, or said, of those who play."""
    ids = {
        player.id
        for event in live.recorded[: live.version]
        for payload in (event.payload, getattr(event.payload, "replacement", None))
        if isinstance(payload, MatchOpened)
        for side in payload.players
        for player in side
    }
    found = []
    for event in reading.peek(log_id, TOURNAMENT_STREAM).recorded if ids - {None} else ():
        said = event.payload
        if isinstance(said, PlayerRegistered) and said.player in ids:
            # A country is often two letters, which are words as well ("NO", "IS", "AT").
            for member in ("name", "federation_id", "club"):
                value = getattr(said, member)
                if isinstance(value, Commitment):
                    found.append((f"players.listed.{member}", value.sd))
    return found
