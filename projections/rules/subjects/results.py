"""Results: who reports and checks, until when a posting is corrected, whose sheet prevails."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

import msgspec

from events.values import BySeat, Seat
from projections.rules.answers import (
    DISCRETION,
    SILENT,
    Answer,
    ambiguous,
    left_open,
    settled,
)
from projections.rules.profile import Policy, Rules

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


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """Records of a score that do not agree."""

    sheets: BySeat[Sheet]
    """What each kept."""
    evidence: Points | None = None
    """What evidence shows that neither disputes."""

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


# Until when a wrong posting is corrected.


def _usbgf_correction(facts: Posted, rules: Rules) -> Answer:
    # usbgf-2017-07 [4.6]: even if the next match has started.
    return settled(MAY_CORRECT, "[4.6]")


def _biba_correction(facts: Posted, rules: Rules) -> Answer:
    # biba-2014 5.6: only if neither player has started playing the next round.
    section = "5.6"
    if not facts.begun:
        return settled(MAY_CORRECT, section, until="next_round_begun")
    if facts.is_next_round:
        return settled(STANDS, section)
    readings = ("next_round_of_the_event", "any_next_match")
    return ambiguous("AMB-O1", section, *readings, lean=STANDS)


def _fcbg_correction(facts: Posted, rules: Rules) -> Answer:
    # fcbg-tournament REPORTING RESULTS/T: in a timely manner, and not after either player has
    # begun a succeeding match.
    section = "REPORTING RESULTS/T"
    if facts.begun:
        return settled(STANDS, section)
    if facts.noticed_after_ms is not None and facts.noticed_after_ms <= AT_ONCE_MS:
        return settled(MAY_CORRECT, section, until="next_match_begun")
    if facts.is_by_director:
        # What is timely is left to him, and he held that it was.
        return settled(MAY_CORRECT, section, until="next_match_begun")
    return left_open(DISCRETION, section, MAY_CORRECT, STANDS)


# Whose sheet prevails.


def _set(points: Points, section: str, basis: str) -> Answer:
    return settled(SCORE_SET, section, score=_score(points), basis=basis)


def _open(reason: str, section: str, facts: Disputed, lean: Points | None) -> Answer:
    """The scores that compete, and the one that the text leans to."""
    known = [facts.sheets.one.written, facts.sheets.two.written, facts.evidence]
    readings = dict.fromkeys(f"{points.one}-{points.two}" for points in known if points)
    return left_open(reason, section, *readings, lean=None if lean is None else _score(lean))


def _usbgf_sheets(facts: Disputed, rules: Rules) -> Answer:
    # usbgf-2017-07 [4.7]: the only written sheet takes precedence, absent any undisputed evidence
    # to the contrary.
    section = "[4.7]"
    evidence = facts.evidence
    written = facts.written
    if len(written) == 1:
        points = facts.sheets[written[0]].written
        assert points is not None
        if evidence in (None, points):
            return _set(points, section, ONLY_SHEET)
    elif facts.agreed is not None and evidence in (None, facts.agreed):
        return _set(facts.agreed, section, BOTH_SHEETS)
    return _open(SILENT, section, facts, evidence)


def _biba_sheets(facts: Disputed, rules: Rules) -> Answer:
    # biba-2014 5.1: whoever did not keep score as prescribed is at a disadvantage; 5.1a: a display
    # does not replace a written sheet.
    section = "5.1"
    evidence = facts.evidence
    if facts.agreed is not None and evidence in (None, facts.agreed):
        return _set(facts.agreed, section, BOTH_SHEETS)
    kept = [seat for seat in facts.written if facts.sheets[seat].is_as_prescribed is not False]
    if len(kept) != 1:
        return _open(SILENT, section, facts, evidence)
    return _open(DISCRETION, section, facts, evidence or facts.sheets[kept[0]].written)


def _fcbg_sheets(facts: Disputed, rules: Rules) -> Answer:
    # fcbg-tournament SCORING/T: a player not keeping score is at a disadvantage; how a score is to
    # be kept is not said, and a display is one way of keeping it.
    section = "SCORING/T"
    evidence = facts.evidence
    if facts.agreed is not None and evidence in (None, facts.agreed):
        return _set(facts.agreed, section, BOTH_SHEETS)
    kept = [seat for seat in Seat if _keeps(facts.sheets[seat])]
    if len(kept) != 1:
        return _open(SILENT, section, facts, evidence)
    return _open(DISCRETION, section, facts, evidence or facts.sheets[kept[0]].written)


def _keeps(sheet: Sheet) -> bool:
    return sheet.written is not None or sheet.has_display


USBGF_2017_07: Mapping[str, Policy] = MappingProxyType(
    {
        "result.duties": partial(duties, Duties(section="[4.6]", both_report=True, checks="both")),
        "result.correction": _usbgf_correction,
        "score.record": _usbgf_sheets,
    }
)
"""Subject to policy."""

BIBA_2014: Mapping[str, Policy] = MappingProxyType(
    {
        "result.duties": partial(duties, Duties(section="5.6", both_report=True, checks="winner")),
        "result.correction": _biba_correction,
        "score.record": _biba_sheets,
    }
)
"""Subject to policy."""

FCBG_TOURNAMENT: Mapping[str, Policy] = MappingProxyType(
    {
        "result.duties": partial(
            duties, Duties(section="REPORTING RESULTS/T", both_report=False, checks=OFFICIAL)
        ),
        "result.correction": _fcbg_correction,
        "score.record": _fcbg_sheets,
    }
)
"""Subject to policy."""

USBGF_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "result.duties": "[4.6]",
        "result.correction": "[4.6]",
        "score.record": "[4.7]",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""

FCBG_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "result.duties": "REPORTING RESULTS/T",
        "result.correction": "REPORTING RESULTS/T",
        "score.record": "SCORING/T",
    }
)
"""Subject to section, for an edition or a club without a policy of its own."""
