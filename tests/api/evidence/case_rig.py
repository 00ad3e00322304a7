"""A case on a file, signed: a federation's playthrough with people in it, as far as is wanted."""

from __future__ import annotations

import hashlib
import itertools
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from events.envelope import TOURNAMENT_STREAM, RecordedEvent
from events.payloads import appeal, dispute, tournament
from events.payloads.access import Role
from events.payloads.base import Actor, Payload
from events.payloads.match import MatchOpened, Player
from events.personal import Commitment, disclose
from events.values import BySeat
from tests.projections.rules.federations import federation_match

LOG = "3f0c5b5e-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
MATCH = "9d2f7c11-5e6a-4b7c-8d9e-1f2a3b4c5d6e"


class Roster(NamedTuple):
    """Who plays, and where."""

    one: str = "Ada Lantern"
    two: str = "Ben Candle"
    club: str = "Wick & Wax"
    table: str = "Table Seven"
    round: str = "Quarter Final"
    event: str = "Lantern Open"
    rating: str = "1723.45"
    federation_id: str = "GBR-88412"
    scribe: str = "Scribe Mirela"
    director: str = "Director Okonkwo"

    @property
    def strings(self) -> tuple[str, ...]:
        return tuple(self)


class Words(NamedTuple):
    """What is said in the case."""

    testimony: str = "The die leaned on a checker until the table was knocked."
    ground: str = "The length was posted wrongly."
    facts: str = "Both had believed in a match to 3."
    decision: str = "The result stands as played."
    intended: str = "Ask both for the score sheets again."


ROSTER = Roster()
WORDS = Words()


class Rig(NamedTuple):
    """An archive with one case."""

    archive: Archive
    case: str
    """Entry id of the `appeal.filed`."""
    roster: Roster
    words: Words


def counted(seed: str) -> Callable[[int], bytes]:
    """Bytes that look like chance, and are the same in every run."""
    count = itertools.count()

    def entropy(size: int) -> bytes:
        made = b""
        while len(made) < size:
            made += hashlib.sha256(f"{seed} {next(count)}".encode()).digest()
        return made[:size]

    return entropy


def rig(
    place: Path,
    rule_set: str,
    *,
    roster: Roster = ROSTER,
    words: Words = WORDS,
    until: str | None = "committee.convened",
    seed: str = "",
    log_id: str = LOG,
    match_id: str = MATCH,
    has_ids: bool = False,
    on_disk: bool = False,
) -> Rig:
    """The case; `until` names the tag before which it stops, None = all of it."""
    place.mkdir(exist_ok=True)
    # On a disk each append waits for its flush: only who needs the file asks for it.
    file = f"sqlite:///{place / 'club.db'}"
    url = file if on_disk else "memory://"
    clock = itertools.count(1_790_000_000_000, 1_000)
    archive = open_archive(
        url,
        keyring=Keyring(
            keys_folder(file), origin="archive.example/logs", entropy=counted(f"{seed}k")
        ),
        entropy=counted(seed),
        now_ms=lambda: next(clock),
    )
    made = _People(archive, roster, words, has_ids=has_ids)
    archive.open_tournament(log_id, roster.event)
    made.append(log_id, TOURNAMENT_STREAM, tournament.TournamentRulesDeclared(rule_set=rule_set))
    archive.grant(Role.SCRIBE, log_id=log_id, holder=roster.scribe)
    _, grant = archive.grant(Role.DIRECTOR, log_id=log_id, holder=roster.director)
    archive.signing and archive.signing.keep(log_id)
    case = ""
    for event in federation_match(rule_set).events:
        if event.tag == until:
            break
        for payload, entry_id in made.with_words(event):
            made.append(log_id, match_id, payload, entry_id=entry_id, event=event, by=grant)
        if event.tag == "appeal.filed":
            case = event.entry_id
    archive.signing and archive.signing.keep(log_id)
    return Rig(archive, case, roster, words)


class _People:
    """Puts people and words where a playthrough has none."""

    def __init__(self, archive: Archive, roster: Roster, words: Words, *, has_ids: bool) -> None:
        self.archive = archive
        self.roster = roster
        self.words = words
        self.has_ids = has_ids
        self.raws: list[bytes] = []

    def said(self, name: str, value: str) -> Commitment:
        commitment, raw = disclose(self.archive.entropy(16), name, value)
        self.raws.append(raw)
        return commitment

    def append(
        self,
        log_id: str,
        stream: str,
        payload: Payload,
        *,
        entry_id: str | None = None,
        event: RecordedEvent | None = None,
        by: str = "operator",
    ) -> None:
        disclosures, self.raws = tuple(self.raws), []
        more = {} if event is None else {"basis": event.basis}
        draft = self.archive.draft(
            payload, disclosures=disclosures, entry_id=entry_id, recorded_by=by, **more
        )
        self.archive.append(log_id, stream, [draft])

    def with_words(self, event: RecordedEvent) -> Iterator[tuple[Payload, str | None]]:
        """The entry with words in it, and who testified; each is to be appended before the next."""
        payload, words = event.payload, self.words
        match payload:
            case MatchOpened():
                yield self._opening(payload), event.entry_id
            case dispute.RulingMade():
                said = {
                    "facts": self.said("facts", words.facts),
                    "decision": self.said("decision", words.decision),
                    "intended_action": self.said("intended_action", words.intended),
                }
                yield replace(payload, **said), event.entry_id
            case appeal.AppealFiled():
                yield replace(payload, ground=self.said("ground", words.ground)), event.entry_id
            case dispute.DisputeRaised():
                yield payload, event.entry_id
                says = self.said("says", words.testimony)
                yield dispute.TestimonyGiven(role=Actor.SPECTATOR, says=says), None
            case _:
                yield payload, event.entry_id

    def _opening(self, opened: MatchOpened) -> MatchOpened:
        roster = self.roster

        def player(seat: str, name: str) -> Player:
            at = f"players.{seat}.0"
            return Player(
                id=f"p-{uuid.uuid5(uuid.NAMESPACE_DNS, name).hex[:8]}" if self.has_ids else None,
                name=self.said(f"{at}.name", name),
                club=self.said(f"{at}.club", roster.club),
                federation_id=self.said(f"{at}.federation_id", roster.federation_id),
                rating=self.said(f"{at}.rating", roster.rating),
            )

        return replace(
            opened,
            players=BySeat((player("one", roster.one),), (player("two", roster.two),)),
            event=self.said("event", roster.event),
            table=self.said("table", roster.table),
            round=self.said("round", roster.round),
        )
