"""Cases: the appeal that one is about, who comes to it, and what its committee is shown."""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from api.archive.archive import Archive
from api.archive.openings import knows_players, opening_values
from api.archive.personal import received_of
from api.archive.reading import Live, Reading
from api.desk.ballot_box import BallotBox, ClosedBallot
from api.desk.entries import EntryIn
from api.refusals import Problem
from events import catalogue
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.payloads.access import AccessCaseOpened, AccessSeated
from events.payloads.appeal import AppealFiled, AppealOn, CommitteeConvened, Member
from projections.custody.access import Grant
from projections.judging.appeal_state import Appeal, Sealed
from projections.judging.ballots import commitment_to
from projections.rules.profile import Withheld
from projections.rules.subjects.appeals import (
    ADMISSIBLE,
    APPEAL_COMMITTEE,
    THREE,
    Committee,
    director_may_vote,
    has_committee,
)
from projections.views.scenes import last_beside
from projections.views.showing import (
    ANYTHING,
    Reader,
    Showing,
    first_ruling_on,
    marks_of,
    showing,
)


class Case(NamedTuple):
    """One appeal of a match, before its committee."""

    log_id: str
    match_id: str
    case_id: str
    """Entry id of the `appeal.filed`."""
    live: Live
    appeal: Appeal
    """What is known of it now."""
    seat: Grant | None
    """The visitor's seat in the committee; None for a director."""

    @property
    def rule_set(self) -> str:
        """Rule set under which it is heard."""
        return self.live.replay.rules.profile.id

    @property
    def is_blind(self) -> bool:
        """Whether the players are kept from the committee."""
        return Withheld.PLAYERS in self.live.replay.rules.profile.hearing.withholds

    @property
    def is_cut(self) -> bool:
        """Whether the first ruling, and what follows it, is kept from the committee."""
        return Withheld.FIRST_RULING in self.live.replay.rules.profile.hearing.withholds

    @property
    def hides_score(self) -> bool:
        """Whether the case was given out without its score and its earlier games."""
        return self.is_blind and self.appeal.hides_score

    @property
    def on(self) -> AppealOn | None:
        """Whether it is an appeal of fact or of rule; None = nobody said."""
        for event in self.live.recorded:
            if event.entry_id == self.case_id and isinstance(event.payload, AppealFiled):
                return event.payload.on
        return None

    @property
    def through(self) -> int:
        """The last version that the committee is shown; 0 before the case is issued."""
        return version_of(self.live, self.appeal.through)


class Convening(NamedTuple):
    """What the rule set requires of a committee, as far as its text says."""

    knows: bool
    """Whether the text knows a committee, or leaves open whether it does."""
    sizes: tuple[int, ...]
    """Sizes that it admits without asking anybody."""
    is_any: bool
    """Whether it names no size: each of them is admitted."""
    section: str
    """Where it says so."""
    director_votes: bool
    """Whether the Director may vote after the committee."""


class Opening(NamedTuple):
    """Somebody opened the desk of a case."""

    grant: str
    through: int
    at_ms: int | None


def case_in(reading: Reading, log_id: str, case_id: str, *, seat: Grant | None = None) -> Case:
    """A case of a log. Reads the store. Errors: Problem, NoSuchLog."""
    rows = reading.store.find_entries(log_id, [case_id])
    row = rows.get(case_id)
    if row is None or row.tag != "appeal.filed":
        raise Problem("no-such-case", "no appeal of this id was filed here")
    live = reading.live(log_id, row.stream_id)
    for known in live.replay.state.judged.appeals.appeals:
        if known.entry_id == case_id:
            return Case(log_id, row.stream_id, case_id, live, known, seat)
    raise Problem("no-such-case", "the appeal of this id was taken back")


def seat_of(reading: Reading, token_sha256: str, case_id: str | None = None) -> Grant | None:
    """The seat in a committee that a token holds, of this case or of any. Reads each log once."""
    for head in reading.store.logs():
        grant = reading.access(head.log_id).grant_of(token_sha256)
        if grant is not None and grant.case is not None and case_id in (None, grant.case):
            return grant
    return None


def log_of(reading: Reading, case_id: str) -> Iterator[str]:
    """Logs in which an appeal of this id was filed. Reads the store."""
    for head in reading.store.logs():
        if head.log_id != ARCHIVE_LOG and reading.store.find_entries(head.log_id, [case_id]):
            yield head.log_id


def version_of(live: Live, entry_id: str | None) -> int:
    """Version of an entry; 0 where there is none."""
    return next((event.version for event in live.recorded if event.entry_id == entry_id), 0)


def cut_of(case: Case) -> str:
    """The last entry that a committee is shown if it gets its case now.

    Where the first ruling is kept from it, the cut is by prefix: before the first ruling on what is
    disputed, for what follows gives it away (evidence §6). Errors: Problem.
    """
    events = case.live.recorded[: case.live.version]
    first = first_ruling_on(case.live.replay, case.case_id) if case.is_cut else None
    last = len(events) if first is None else first - 1
    if last < 1:
        detail = "there is no entry before the ruling: there is nothing to show"
        raise Problem("case-conflict", detail, why=("nothing_before", {}))
    return events[last - 1].entry_id


MEMBERS_AT_MOST = 15
"""Seats of the largest committee that is convened here."""


def convening_of(case: Case) -> Convening:
    """What the rule set of a case asks of its committee."""
    rules = case.live.replay.rules
    answers = {
        size: rules.ask(APPEAL_COMMITTEE, Committee(size=size))
        for size in range(1, MEMBERS_AT_MOST + 1)
    }
    sizes = tuple(
        size
        for size, answer in answers.items()
        if not answer.is_open and answer.outcome == ADMISSIBLE
    )
    return Convening(
        knows=has_committee(rules),
        sizes=sizes,
        is_any=len(sizes) == MEMBERS_AT_MOST,
        section=answers[THREE].section,
        director_votes=director_may_vote(rules),
    )


def committee_showing(
    reading: Reading, log_id: str, live: Live, *, case: str | None = None
) -> Showing:
    """What a committee is shown of a match, or of a second scribe's record. Reads the store.

    `case`: the appeal it sits on; the names that were unsealed after another one are none for it.

    A second scribe's record is heard under the rules of the match that it lies beside, whatever its
    own opening says. It holds no ruling, and goes as far as the turn before which that match is
    cut, since what was played on from a ruling would give it away.
    """
    whole = live.replay
    known = opening_values(reading, log_id, live)
    knows = knows_players(reading, log_id, live)
    beside = None if whole.opened is None else whole.opened.shadow_of
    if beside is None:
        return showing(whole, Reader.COMMITTEE, _marks(known, knows=knows), case=case)
    main = reading.live(log_id, beside)
    known += opening_values(reading, log_id, main)
    knows = knows and knows_players(reading, log_id, main)
    first = showing(main.replay, Reader.COMMITTEE, case=case)
    shown = showing(whole, Reader.COMMITTEE, _marks(known, knows=knows))
    shown = shown._replace(
        hearing=first.hearing, rule_set=first.rule_set, is_unsealed=first.is_unsealed
    )
    if first.cut is None:
        return shown
    return shown._replace(last=last_beside(whole, main.replay.at(first.last)), cut=first.cut)


def _marks(known: Iterable[tuple[str, object]], *, knows: bool) -> frozenset[str]:
    """Words that would reveal who plays; if a name was erased, any word might."""
    return marks_of(known) | (frozenset() if knows else frozenset({ANYTHING}))


def members_of(case: Case) -> tuple[Member, ...]:
    """The members as the last convening of the case names them, those who left included."""
    found: tuple[Member, ...] = ()
    for event in case.live.recorded:
        payload = event.payload
        if isinstance(payload, CommitteeConvened) and payload.appeal in (None, case.case_id):
            found = payload.members
    return found


def next_member(live: Live) -> int:
    """Number of the next member, so that no two members in a match have the same name."""
    convened = [e.payload for e in live.recorded if isinstance(e.payload, CommitteeConvened)]
    return 1 + sum(len(one.members) for one in convened)


def folded(name: str) -> str:
    """A name as names are compared: no case, no marks, single spaces."""
    plain = unicodedata.normalize("NFKD", name)
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).casefold().split())


def openings_of(reading: Reading, log_id: str, case_id: str) -> list[Opening]:
    """Who has opened a case, in order. Reads the store."""
    found = []
    for row in reading.store.read_stream(log_id, TOURNAMENT_STREAM):
        if row.tag != "access.case_opened":
            continue
        opened = catalogue.read(row).payload
        if isinstance(opened, AccessCaseOpened) and opened.appeal == case_id:
            at_ms = received_of(reading.store, log_id, row.global_position)
            found.append(Opening(opened.grant, opened.through, at_ms))
    return found


def seats_ever(reading: Reading, log_id: str, case_id: str) -> dict[str, str]:
    """Grant to member of every seat at a case, ended ones too. Reads the store."""
    found = {}
    for row in reading.store.read_stream(log_id, TOURNAMENT_STREAM):
        if row.tag == "access.seated":
            seated = catalogue.read(row).payload
            if isinstance(seated, AccessSeated) and seated.appeal == case_id:
                found[row.entry_id] = seated.member
    return found


def second_recorders(reading: Reading, log_id: str, match_id: str) -> list[str]:
    """Streams that other scribes kept of the same match. Reads the store."""
    return sorted(reading.beside(log_id, match_id))


def cases_of_log(reading: Reading, log_id: str) -> list[Case]:
    """Every appeal of a log, in the order of filing. Reads the store."""
    found = []
    for row in reading.store.read_tagged(log_id, "appeal.filed"):
        with contextlib.suppress(Problem):
            found.append(case_in(reading, log_id, row.entry_id))
    return found


def openings(
    archive: Archive, box: BallotBox, sealed: Sequence[tuple[str, Sealed]]
) -> list[EntryIn] | None:
    """The entries that open closed ballots; None if a ballot is lost, or not as sealed."""
    made = []
    for _, ballot in sealed:
        says = box.get(ballot.entry_id)
        if says is None or not _is_as_sealed(says, ballot.commitment):
            return None
        body: dict[str, object] = {
            "target": ballot.entry_id,
            "vote": says.vote,
            "salt": says.salt,
        }
        if says.proposal is not None:
            body["proposal"] = says.proposal
        made.append(EntryIn(archive.entry_id(), "vote.opened", body))
    return made


def _is_as_sealed(says: ClosedBallot, commitment: str) -> bool:
    """Whether a ballot is what was sealed, since its file may have changed."""
    try:
        return commitment_to(says.vote, says.proposal, says.salt) == commitment
    except ValueError:  # a salt that is no hex
        return False
