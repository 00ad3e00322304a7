"""Who may read a match, by its entries: released, withheld, under appeal, or standing still."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from events.envelope import RecordedEvent
from events.payloads.appeal import AppealDecided, AppealFiled, AppealRefused
from events.payloads.custody import PublicationReleased, PublicationWithheld
from events.payloads.dispute import DisputeRaised, RulingMade
from events.payloads.match import MatchCancelled
from projections.replay import Replay
from projections.views.freezing import (
    NONE,
    Freeze,
    is_awaited,
    version_told,
    with_event,
)


class Publicity(msgspec.Struct, frozen=True):
    """Whether anybody may read a match, and how far a live follower is behind."""

    is_released: bool = False
    """Whether it was released to the public."""
    delay_ms: int = 0
    """Delay of the public, in milliseconds."""
    appeals: tuple[str, ...] = ()
    """Appeals that are open, the last one last: entry ids of their `appeal.filed`."""
    is_shadow: bool = False
    """Whether it is a second recorder's stream, which nobody can release."""
    is_cancelled: bool = False
    """Whether it was cancelled, and so is nobody's to follow; releasing it does not restore it."""
    freezes: tuple[Freeze, ...] = NONE
    """Its disputes; from each until its ruling the public is shown nothing later."""

    @property
    def is_public(self) -> bool:
        """Whether reading takes no grant: released, and no appeal is open (design §6)."""
        is_held = self.appeals or self.is_shadow or self.is_cancelled
        return self.is_released and not is_held

    @property
    def terms(self) -> Publicity:
        """Who may read it, and how far behind the table; without what it stands still for."""
        return msgspec.structs.replace(self, freezes=NONE)

    def told(self, version: int) -> int:
        """The last version that the public is told, of a match that it could know up to `version`.

        The one rule for everything that anybody may read: pages, lists, feeds, pictures, JSON,
        files and live streams all come to it by `sight` or by a channel of `following.py`.
        """
        return version_told(self.freezes, version)

    def awaits_ruling(self, version: int) -> bool:
        """Whether a reader who could see the match up to `version` waits for a ruling."""
        return is_awaited(self.freezes, version)


def publicity_of(shown: Replay) -> Publicity:
    """Whether the match may be shown to anybody, by its entries."""
    publicity = Publicity()
    opened_match = shown.opened
    if opened_match is not None and opened_match.publication is not None:
        terms = opened_match.publication
        publicity = Publicity(terms.public, terms.delay_ms)
    if opened_match is not None and opened_match.shadow_of is not None:
        publicity = msgspec.structs.replace(publicity, is_shadow=True)
    # Looked through without a call for each: it is asked of every entry of every match.
    about = [s.event for s in shown.steps if type(s.event.payload) in _ABOUT_PUBLICITY]
    return publicity_after(publicity, about, shown) if about else publicity


_ABOUT_PUBLICITY = frozenset(
    {
        PublicationReleased,
        PublicationWithheld,
        AppealFiled,
        AppealRefused,
        AppealDecided,
        MatchCancelled,
        DisputeRaised,
        RulingMade,
    }
)


def publicity_after(
    publicity: Publicity, events: Iterable[RecordedEvent], shown: Replay
) -> Publicity:
    """Whether it may be shown once more entries stand behind; `shown` is the match with them."""
    versions: dict[str, int] = {}
    for event in events:
        if type(event.payload) not in _ABOUT_PUBLICITY:
            continue  # nearly all
        match event.payload:
            case PublicationReleased(delay_ms=delay_ms):
                publicity = msgspec.structs.replace(publicity, is_released=True, delay_ms=delay_ms)
            case PublicationWithheld():
                publicity = msgspec.structs.replace(publicity, is_released=False, delay_ms=0)
            case AppealFiled():
                appeals = (*publicity.appeals, event.entry_id)
                publicity = msgspec.structs.replace(publicity, appeals=appeals)
            case AppealRefused(appeal=about) | AppealDecided(appeal=about):
                # Without a name it is the last one: an earlier one that is open is still heard.
                ended = (about,) if about else publicity.appeals[-1:]
                rest = tuple(one for one in publicity.appeals if one not in ended)
                publicity = msgspec.structs.replace(publicity, appeals=rest)
            case MatchCancelled():
                publicity = msgspec.structs.replace(publicity, is_cancelled=True)
            case DisputeRaised() | RulingMade() as said:
                if not versions and isinstance(said, DisputeRaised):
                    # For all of them: none walks through the match by itself.
                    versions = shown.versions
                freezes = with_event(publicity.freezes, event, versions.get)
                publicity = msgspec.structs.replace(publicity, freezes=freezes)
            case _:
                pass
    return publicity
