"""Who plays in a tournament: players as they were registered last, and the byes that stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from events.envelope import RecordedEvent
from events.payloads.tournament import (
    ByeGiven,
    ByeWithdrawn,
    PlayerRegistered,
    PlayerUnregistered,
)
from events.personal import Commitment


class Bye(msgspec.Struct, frozen=True):
    """Somebody plays no match in a round."""

    entry_id: str
    """Entry id of the `bye.given`."""
    players: tuple[str, ...]
    """Ids of the players."""
    round: Commitment | None
    """Commitment to the round."""


class Roster(msgspec.Struct, frozen=True):
    """Players and byes after some entries of a tournament stream."""

    version: int = 0
    """Version of the last entry folded."""
    players: Mapping[str, PlayerRegistered] = MappingProxyType({})
    """Id of a player to the latest entry about who it is, in the order of the first ones."""
    former: Mapping[str, tuple[Commitment, ...]] = MappingProxyType({})
    """Id of a player to the names before the one that stands, the oldest first."""
    byes: Mapping[str, Bye] = MappingProxyType({})
    """Entry id to the bye, of those that were not withdrawn."""


def fold_roster(events: Iterable[RecordedEvent], start: Roster | None = None) -> Roster:
    """Players and byes after these entries; folded ones are skipped.

    An id registered once more is the same player: a name that was misspelled is said anew. Who was
    registered by mistake is gone, with byes that were given to nobody else.
    """
    folded = start or Roster()
    players, byes, former = dict(folded.players), dict(folded.byes), dict(folded.former)
    version = folded.version
    for event in events:
        if event.version <= version:
            continue
        version = event.version
        match event.payload:
            case PlayerRegistered(player=player) as registered:
                before = players.get(player)
                if before is not None and isinstance(before.name, Commitment):
                    former[player] = (*former.get(player, ()), before.name)
                players[player] = registered
            case PlayerUnregistered(player=player):
                players.pop(player, None)
                former.pop(player, None)
                # A bye of nobody else goes with it.
                byes = {
                    entry_id: bye
                    for entry_id, bye in byes.items()
                    if player not in bye.players or any(one in players for one in bye.players)
                }
            case ByeGiven(players=given, round=in_round):
                byes[event.entry_id] = Bye(event.entry_id, given, in_round)
            case ByeWithdrawn(target=target):
                byes.pop(target, None)
            case _:
                pass
    return Roster(
        version, MappingProxyType(players), MappingProxyType(former), MappingProxyType(byes)
    )
