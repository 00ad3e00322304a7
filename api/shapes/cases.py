"""Shapes of answers about cases: a committee and its seats, its ballots, who has read what."""

from __future__ import annotations

from typing import Annotated

from api.shapes.shape import Shape


class SeatCode(Shape):
    """A member's own code for the case, valid for one use and one hour."""

    member: Annotated[str, "The member's id in `committee.convened`."]
    holder: str
    code: Annotated[str, "Two groups of four, without letters that look like digits."]
    url: Annotated[str, "The page that exchanges the code; opening it does not use the code."]
    qr_svg: Annotated[
        str | None, "The link as a QR code, an SVG document; null if other devices cannot reach it."
    ]
    expires_at: Annotated[int, "Milliseconds since 1970 UTC."]


class Convened(Shape):
    """A committee that was convened."""

    case: Annotated[str, "Entry id of the `appeal.filed`."]
    version: Annotated[int, "Version of the `committee.convened`."]
    rule_set: str
    anonymised: Annotated[bool, "Whether the players and the first ruling are kept from it."]
    notes: Annotated[list[str], "Findings about it: its size, members who are not independent."]
    codes: list[SeatCode]


class MemberOut(Shape):
    """A member of a committee, as the director sees him."""

    member: str
    name: Annotated[str | None, "Null = erased, or not recorded."]
    is_independent: Annotated[bool | None, "As stated when convened; null = not stated."]
    is_seated: Annotated[bool, "Whether the code was used: the member has a seat in force."]
    opened: Annotated[list[int], "When the member opened the case, milliseconds since 1970 UTC."]
    has_voted: Annotated[bool, "Whether the ballot is in; votes are shown once all are in."]
    vote: Annotated[str | None, "The vote, once it is opened."]
    proposal: str | None


class CaseOpening(Shape):
    """A reader opened the case."""

    grant: str
    member: Annotated[str | None, "Null = a director, not a member."]
    through: Annotated[int, "Version of the last entry that was shown."]
    opened_at: Annotated[int | None, "Milliseconds since 1970 UTC; null once erased."]


class CaseOut(Shape):
    """A case as the director sees it."""

    case: Annotated[str, "Entry id of the `appeal.filed`."]
    match_id: str
    version: Annotated[int, "Version of the `appeal.filed`."]
    rule_set: str
    size: Annotated[int, "Members of the committee; 0 = none is convened."]
    is_admitted: Annotated[bool | None, "Null = a person has to decide it."]
    is_refused: bool
    is_issued: Annotated[bool, "Whether the case was issued to the committee, so that it may vote."]
    through: Annotated[int | None, "Last version that the committee is shown."]
    is_complete: Annotated[bool, "Whether every member's ballot is in."]
    members: list[MemberOut]
    openings: list[CaseOpening]
    director: Annotated[str | None, "The director's own ballot."]
    outcome: Annotated[str | None, "Outcome by the ballots: `ruling_stands` …"]
    result: Annotated[str | None, "What the ruling is changed to."]
    announced: Annotated[str | None, "The outcome that the director announced."]
    agrees: Annotated[bool | None, "Whether both outcomes agree; null while one is missing."]
    hanging: Annotated[list[str], "Open questions of the case, each with its reason."]
    on: Annotated[str | None, "fact, rule or fact_and_rule; null = not stated."]
    reported: Annotated[list[str], "Federations that the decision was reported to."]


class BallotTaken(Shape):
    """A ballot that is in."""

    entry_id: str
    version: int
    commitment: Annotated[str, "The recorded hash; all ballots are opened together."]
    replaces: Annotated[str | None, "Entry id of the earlier ballot that it replaces."]
    is_complete: Annotated[bool, "Whether it was the last ballot, so that all are opened."]


class SteppedDown(Shape):
    """A member has left the committee."""

    entry_id: str
    version: int
