"""Shapes of answers about cases: a committee and its seats, its ballots, who has read what."""

from __future__ import annotations

from typing import Annotated

from api.shapes.shape import Shape


class SeatCode(Shape):
    """A member's own code to the case, good for one use and one hour."""

    member: Annotated[str, "As `committee.convened` names them."]
    holder: str
    code: Annotated[str, "Two groups of four, without letters that look like digits."]
    url: Annotated[str, "The page that exchanges it; opening it uses nothing up."]
    qr_svg: Annotated[
        str | None, "The same as a QR code, an SVG document; null where no other device reaches it."
    ]
    expires_at: Annotated[int, "Milliseconds since 1970 UTC."]


class Convened(Shape):
    """A committee that was called together."""

    case: Annotated[str, "Entry id of the `appeal.filed`."]
    version: Annotated[int, "The `committee.convened`."]
    rule_set: str
    anonymised: Annotated[bool, "Whether the players and the first ruling are kept from it."]
    notes: Annotated[list[str], "What was found about it: its size, members not independent."]
    codes: list[SeatCode]


class MemberOut(Shape):
    """A member of a committee, as its director sees them."""

    member: str
    name: Annotated[str | None, "Null where it was erased, or never said."]
    is_independent: Annotated[bool | None, "As said when convened; null where nobody said."]
    is_seated: Annotated[bool, "Whether the code was used: the member has a seat in force."]
    opened: Annotated[list[int], "When the member opened the case, milliseconds since 1970 UTC."]
    has_voted: Annotated[bool, "Whether a ballot is in; what it says is told when all are."]
    vote: Annotated[str | None, "What it says, once opened."]
    proposal: str | None


class CaseOpening(Shape):
    """Somebody opened the desk of the case."""

    grant: str
    member: Annotated[str | None, "Null where it was no member: a director."]
    through: Annotated[int, "Version of the last entry that was shown."]
    opened_at: Annotated[int | None, "Milliseconds since 1970 UTC; null once erased."]


class CaseOut(Shape):
    """A case as its director sees it."""

    case: Annotated[str, "Entry id of the `appeal.filed`."]
    match_id: str
    version: Annotated[int, "The `appeal.filed`."]
    rule_set: str
    size: Annotated[int, "Members of the committee; 0 = none is convened."]
    is_admitted: Annotated[bool | None, "Null while that is for a person to say."]
    is_refused: bool
    is_issued: Annotated[bool, "Whether the committee has its case, and may vote."]
    through: Annotated[int | None, "Last version that the committee is shown."]
    is_complete: Annotated[bool, "Whether every member's ballot is in."]
    members: list[MemberOut]
    openings: list[CaseOpening]
    director: Annotated[str | None, "The director's own ballot."]
    outcome: Annotated[str | None, "What the ballots make of the ruling: `ruling_stands` …"]
    result: Annotated[str | None, "What a ruling is changed to."]
    announced: Annotated[str | None, "What the director announced."]
    agrees: Annotated[bool | None, "Whether both say the same; null while one is missing."]
    hanging: Annotated[list[str], "Questions of the case that are open, each with why."]
    on: Annotated[str | None, "fact, rule or fact_and_rule; null where nobody said."]
    reported: Annotated[list[str], "Federations that the decision was reported to."]


class BallotTaken(Shape):
    """A ballot that is in."""

    entry_id: str
    version: int
    commitment: Annotated[str, "Hash that stands in the record; the ballot is opened with all."]
    replaces: Annotated[str | None, "Entry id of the earlier ballot that it replaces."]
    is_complete: Annotated[bool, "Whether it was the last one, and all are opened."]


class SteppedDown(Shape):
    """A member has left the committee."""

    entry_id: str
    version: int
