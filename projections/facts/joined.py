"""Names that are said to be one player's, as the archive's own log has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from events.envelope import RecordedEvent
from events.payloads.tournament import PlayerJoined, PlayerSplit
from events.personal import Commitment


class Joined(msgspec.Struct, frozen=True):
    """What is joined after some entries of the stream."""

    version: int = 0
    """Version of the last entry folded."""
    names: Mapping[str, tuple[Commitment, ...]] = MappingProxyType({})
    """Entry id of each `player.joined` that stands to the names, in their order."""


def fold_joined(events: Iterable[RecordedEvent], start: Joined | None = None) -> Joined:
    """What is joined after these entries; those folded already are skipped."""
    folded = start or Joined()
    names, version = dict(folded.names), folded.version
    for event in events:
        if event.version <= version:
            continue
        version = event.version
        match event.payload:
            case PlayerJoined(names=called):
                names[event.entry_id] = tuple(one.name for one in called if one.name is not None)
            case PlayerSplit(target=target):
                names.pop(target, None)
            case _:
                pass
    return Joined(version, MappingProxyType(names))


def groups_of(joined: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Names, list by list, as groups of one player each: lists that share a name are one group.

    In each the names stand in the order in which they were said first.
    """
    groups: list[tuple[str, ...]] = []
    for names in joined:
        shared = [group for group in groups if set(group) & set(names)]
        whole = [name for group in shared for name in group] + list(names)
        groups = [group for group in groups if group not in shared]
        groups.append(tuple(dict.fromkeys(whole)))
    return [group for group in groups if len(group) > 1]
