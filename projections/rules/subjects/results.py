"""Results: who reports and checks, until when a posting is corrected, whose sheet prevails."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import Answer, left_open, settled
from projections.rules.profile import Rules, Subject

DUTIES = "duties"
DUTY_MET = "duty_met"
DUTY_OPEN = "duty_open"

MAY_CORRECT = "may_correct"
STANDS = "stands"

SCORE_SET = "score_set"
BOTH_SHEETS = "both_sheets"
ONLY_SHEET = "only_written_sheet"

OFFICIAL = "official"

AT_ONCE_MS = 60_000
"""Until so long after a posting a fault counts as seen at once; no text names a time."""

Points = BySeat[int]


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is over, and who has reported its result."""

    winner: Seat
    """Who has won."""
    reported: frozenset[Seat] = frozenset()
    """Who has reported."""


class Posted(msgspec.Struct, frozen=True, kw_only=True):
    """A posted result that is not the one of the match, and what came after it."""

    begun: frozenset[Seat] = frozenset()
    """Who of the two has begun another match since."""
    is_next_round: bool = False
    """Whether such a match is known to be of the next round of this event."""
    noticed_after_ms: int | None = None
    """How long after the posting it was noticed; None = not known."""
    is_by_director: bool = False
    """Whether the Director, or an official, has corrected it."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What one player kept of the score."""

    written: Points | None = None
    """The score on the written sheet; None = none was kept."""
    is_as_prescribed: bool | None = None
    """Whether it was kept as the rules prescribe; None = not recorded."""
    has_display: bool = False
    """Whether the player kept a visual display."""
    said: Points | None = None
    """The score by that display, or as the player remembers it; None = not recorded."""


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """Records of a score that do not agree."""

    sheets: BySeat[Sheet]
    """What each kept."""
    evidence: Points | None = None
    """What evidence shows that neither disputes."""
    recorded: Points | None = None
    """What the games on record make, where they are known: it is they that are disputed."""
    others: tuple[Points, ...] = ()
    """What records show that are neither player's, such as a display that both turn."""
    are_all_shown: bool = True
    """Whether both have shown a sheet, or are known to have kept none."""

    @property
    def written(self) -> tuple[Seat, ...]:
        """Who kept a written sheet."""
        return tuple(seat for seat in Seat if self.sheets[seat].written is not None)

    @property
    def agreed(self) -> Points | None:
        """The score on which both written sheets agree."""
        one, two = self.sheets.one.written, self.sheets.two.written
        return one if one == two else None


def _score(points: Points) -> Mapping[str, int]:
    return MappingProxyType({"one": points.one, "two": points.two})


def agreed_on(facts: Disputed) -> Points | None:
    """The score of both written sheets, where they agree and nothing is known against them."""
    known = (facts.evidence, facts.recorded)
    return facts.agreed if all(other in (None, facts.agreed) for other in known) else None


# Who reports, who checks the posting.


class Duties(msgspec.Struct, frozen=True, kw_only=True):
    """Who has to do what after a match."""

    section: str
    """Where the text says so."""
    both_report: bool
    """Whether both report, or the winner alone."""
    checks: str
    """Who checks the posting: both, winner or official."""


def duties(text: Duties, facts: Reported, rules: Rules) -> Answer:
    """Duties while nobody has reported; after that whose are still open."""
    must = tuple(Seat) if text.both_report else (facts.winner,)
    if not facts.reported:
        checks: tuple[str, ...] = (OFFICIAL,)
        if text.checks != OFFICIAL:
            checks = tuple(Seat) if text.checks == "both" else (facts.winner,)
        return settled(DUTIES, text.section, must_report=must, must_check_posting=checks)
    missing = tuple(seat for seat in must if seat not in facts.reported)
    if missing:
        return settled(DUTY_OPEN, text.section, by=missing)
    return settled(DUTY_MET, text.section)


# Whose sheet prevails.


def score_set(points: Points, section: str, basis: str) -> Answer:
    """The score is that of the records, on this basis."""
    return settled(SCORE_SET, section, score=_score(points), basis=basis)


def competing(reason: str, section: str, facts: Disputed, lean: Points | None) -> Answer:
    """The scores that compete, and the one that the text leans to."""
    sheets = facts.sheets
    known = [sheets.one.written, sheets.two.written, facts.evidence]
    known += [sheet.said for sheet in sheets if sheet.written is None]
    known += [facts.recorded, *facts.others]
    readings = dict.fromkeys(f"{points.one}-{points.two}" for points in known if points)
    return left_open(reason, section, *readings, lean=None if lean is None else _score(lean))


RESULT_DUTIES = Subject[Reported]("result.duties")
"""Whose duty it is to report the result."""
RESULT_CORRECTION = Subject[Posted]("result.correction")
"""Whether a posted result may still be corrected."""
SCORE_RECORD = Subject[Disputed]("score.record")
"""Whose score sheet prevails."""
