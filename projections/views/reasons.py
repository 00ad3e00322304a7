"""Reasons: why two rule sets differ on a matter, by what their answers say of their rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from events.values import Seat
from projections.folding.sayings import Said, listed, said, worded
from projections.rules.answers import (
    DISCRETION,
    NOT_IN_HAND,
    NOT_RECORDED,
    NOT_VERIFIED,
    SILENT,
    Answer,
)

MINUTE = 60_000


class Reason(NamedTuple):
    """One criterion in which two rule sets differ; None = this one does not mention it."""

    name: str
    """Name of the detail or term."""
    rules: Said | None
    against: Said | None

    def told(self, rules: str, against: str) -> Said:
        """The reason as a sentence that names both rule sets."""
        return said(
            "under {rules}, {one}; under {against}, {other}",
            rules=rules,
            one=self.rules or said("the text says nothing of it"),
            against=against,
            other=self.against or said("the text says nothing of it"),
        )


def reasons(rules: Answer | None, against: Answer | None) -> list[Reason]:
    """Why two answers to a matter differ; empty if one of the rule sets was not asked."""
    if rules is None or against is None:
        return []
    ours, theirs = _measures(rules), _measures(against)
    found = []
    if rules.is_open != against.is_open or _why_open(rules) != _why_open(against):
        found.append(Reason("question", _answered(rules), _answered(against)))
    for name in (*ours, *(name for name in theirs if name not in ours)):
        one, other = ours.get(name), theirs.get(name)
        # Of a text that asks it is said already why it does not say so much.
        is_said = (one is not None or not rules.is_open) and (
            other is not None or not against.is_open
        )
        if one != other and is_said:
            found.append(Reason(name, one, other))
    if not found and rules.outcome != against.outcome:
        found.append(Reason("answer", _answered(rules), _answered(against)))
    return found


def _answered(answer: Answer) -> Said:
    """The text's answer, or why it leaves the matter to a person."""
    return _why_open(answer) or said("the text answers: {outcome}", outcome=worded(answer.outcome))


def measured(answer: Answer) -> tuple[tuple[str, object], ...]:
    """Details of an answer that have words, to be compared; terms are of the text, no case's."""
    return tuple(
        (name, value) for name, value in sorted(answer.details.items()) if name in _OF_A_CASE
    )


def _measures(answer: Answer) -> dict[str, Said]:
    """By name what an answer says of its own rule, the case before the text."""
    found: dict[str, Said] = {}
    for name, told in _TOLD.items():
        value = answer.details.get(name, answer.terms.get(name))
        words = None if value is None else told(value)
        if words is not None:
            found[name] = words
    return found


def _why_open(answer: Answer) -> Said | None:
    """Why the text leaves a matter to a person; None where it answers."""
    if not answer.is_open:
        return None
    match answer.reason:
        case None if answer.ambiguity is not None:
            readings = listed([worded(one) for one in answer.readings] or [said("several")])
            return said("the text can be read in more than one way: {readings}", readings=readings)
        case reason if reason == SILENT:
            return said("the text is silent, and a person decides")
        case reason if reason == NOT_IN_HAND:
            return said("the text is not in hand, and a person decides")
        case reason if reason == NOT_VERIFIED:
            return said("the sentence is not verified, and a person decides")
        case reason if reason == NOT_RECORDED:
            return said("it hangs on what nobody recorded, and a person decides")
        case reason if reason == DISCRETION:
            return said("the text leaves it to the Director")
        case _:
            return said("a person decides")


# Words, one function for each detail or term; None where a value has none.

Told = Callable[[object], Said | None]


def _words(known: Mapping[str, Said]) -> Told:
    return lambda value: known.get(str(value))


def _minutes(of: Callable[[int], Said]) -> Told:
    return lambda value: of(value // MINUTE) if isinstance(value, int) else None


_THRESHOLD = _words(
    {
        "unanimity": said("only a unanimous committee changes the ruling"),
        "majority_of_members": said("a majority of the members changes the ruling"),
        "majority_of_votes_cast": said("an absolute majority of the votes cast changes the ruling"),
    }
)
_VOTERS = _words(
    {
        "members": said("the members alone vote"),
        "members_and_director": said("the Director may vote after the members"),
    }
)
_NOT_APPEALABLE = _words(
    {
        "disqualification_or_expulsion": said("disqualification and expulsion are not appealed"),
        "slow_play_or_second_appeal": said("slow play, and what a committee decided, is final"),
        "second_appeal": said("what a committee decided is final"),
    }
)
_CHOICE = _words(
    {
        "stands_or_redone": said("the opponent chooses whether an early roll stands or is redone"),
        "void": said("an early roll is void, and nobody chooses"),
    }
)
_RIGHT_LOST = _words(
    {
        "repeated_silence": said("who stays silent repeatedly may lose the choice"),
        "one_silence": said("who once stays silent has lost the choice for the match"),
        "True": said("the choice was lost by an earlier silence"),
    }
)
_UNTIL = _words(
    {
        "no_end": said("there is no time limit"),
        "next_round_begun": said("it ends when a player has begun the next round"),
        "next_match_begun": said("it ends when a player has begun the next match"),
        "opponents_valid_roll": said("it ends with the opponent's valid roll"),
        "offenders_next_valid_roll": said("it ends with the offender's next valid roll"),
        "opponents_valid_roll_or_offenders_next_valid_roll": said(
            "it ends with the opponent's valid roll or the offender's next one"
        ),
        "opponents_roll_or_double": said("it ends when the opponent rolls or turns the cube"),
        "next_toss": said("it ends with the next toss of the dice"),
        "fifth_roll": said("it ends with the fifth roll of the game"),
        "second_roll_played": said("it ends when the second roll has been played"),
        "fourth_turn_completed": said("it ends when both have completed their second turns"),
    }
)
_BY = _words(
    {
        "both": said("both players have to speak up"),
        "opponent": said("the opponent alone decides"),
        "either_player_or_official": said("either player or an official may object"),
    }
)
_LATER = _words({"both_agree": said("both may agree on a correction even later")})
_CONCEDABLE = _words(
    {
        "without_contact": said("a game is given up only without contact"),
        "where_it_is_certain": said("a game is given up only where nothing can be won or saved"),
    }
)
_WHEN = _words({"after_own_turn": said("and only after one's own turn")})
_PREVAILS = _words(
    {
        "only_written_sheet": said("the only written score sheet takes precedence"),
        "kept_as_prescribed": said("who did not keep score as prescribed is at a disadvantage"),
        "whoever_kept_score": said("who did not keep score is at a disadvantage"),
    }
)
_WRONG_LENGTH = _words(
    {
        "either_length_wins": said("the higher score wins at either length"),
        "both_assumed_end_stands": said("what both took for the end stands"),
        "appointed_length": said("the match is played to the appointed length"),
    }
)
_FLAG = _words(
    {
        "valid_claim": said("a flag loses the match unless game and match can be claimed"),
        "near_match_point": said("a flag loses the match but for an exception near match point"),
    }
)
_BASIS = _words(
    {
        "result_stands": said("the result stands as reported"),
        "only_written_sheet": said("the only written score sheet takes precedence"),
        "both_sheets": said("both score sheets agree"),
    }
)


def _seats(of: Callable[[Said], Said]) -> Told:
    def told(value: object) -> Said | None:
        seats = value if isinstance(value, tuple) else (value,)
        if not seats or not all(isinstance(seat, Seat) for seat in seats):
            return None
        return of(listed([said("{seat}", seat=seat) for seat in seats]))

    return told


def _count(of: Callable[[int], Said]) -> Told:
    return lambda value: of(value) if isinstance(value, int) else None


_OF_A_CASE: Mapping[str, Told] = {
    "until": _UNTIL,
    "by": _BY,
    "later": _LATER,
    "basis": _BASIS,
    "right_lost": _RIGHT_LOST,
    "may_revise": _seats(lambda who: said("{who} may still change the play", who=who)),
    "winner": _seats(lambda who: said("{who} wins", who=who)),
    "must_report": _seats(lambda who: said("the result is reported by {who}", who=who)),
    "penalty_points": _count(
        lambda n: said("it comes to {n} {n:penalty point|penalty points}", n=n)
    ),
    "to_points": _count(lambda n: said("the match goes on to {n} {n:point|points}", n=n)),
    "points": _count(lambda n: said("the game counts {n} {n:point|points}", n=n)),
    "cube_value": _count(lambda n: said("the cube is at {n}", n=n)),
    "breaks": _count(lambda n: said("{n} {n:break is|breaks are} allowed", n=n)),
    "each_ms": _minutes(lambda n: said("a break lasts {n} {n:minute|minutes}", n=n)),
    "total_ms": _minutes(lambda n: said("breaks last {n} {n:minute|minutes} in all", n=n)),
    "restore_ms": _count(lambda ms: said("{n} {n:second is|seconds are} given back", n=ms // 1000)),
}
"""Details of a case by name, with the words for their values."""

_TOLD: Mapping[str, Told] = {
    "threshold": _THRESHOLD,
    "voters": _VOTERS,
    "not_appealable": _NOT_APPEALABLE,
    "choice": _CHOICE,
    "first_after_ms": _minutes(
        lambda n: said("the first penalty point comes after {n} {n:minute|minutes}", n=n)
    ),
    "step_ms": _minutes(lambda n: said("one more comes every {n} {n:minute|minutes}", n=n)),
    "concedable": _CONCEDABLE,
    "when": _WHEN,
    "prevails": _PREVAILS,
    "wrong_length": _WRONG_LENGTH,
    "flag": _FLAG,
    **_OF_A_CASE,
}
"""Details and terms by name, in the order in which they are told."""
