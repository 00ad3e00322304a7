"""Throws called void for a reason that does not count; answers and appeals that come twice."""

from __future__ import annotations

import own
import pytest
import script

from projections.replay import replay

CALLED = """
1 match.opened {{length: 7{options}}}
2 game.started
3 dice.opening_rolled 31
4 play.made one 8/5 6/5
5 dice.voided two {{reason: {reason}, dice: [4, 2], caller: one}}
""".strip()


def found(rule_set: str, text: str, code: str) -> list[tuple[str, str]]:
    """Sections and sentences of the findings with a code."""
    shown = replay(own.under(script.read(text), rule_set, {}))
    return [(one.section, one.message) for one in shown.findings if one.code == code]


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [
        ("usbgf-2017-07", "[4.1.1-4]"),
        ("usbgf-2017-09", "S000"),
        ("biba-2014", None),
        ("fcbg-tournament", None),
        ("fcbg-club", None),
        ("common", None),
    ],
)
def test_a_die_on_a_checker_is_no_reason_to_call_a_throw_void_where_it_counts(
    rule_set: str, section: str | None
) -> None:
    text = CALLED.format(reason="on_checker", options="")
    told = found(rule_set, text, "throw-voided")
    assert [one for one, _ in told] == ([] if section is None else [section])


@pytest.mark.parametrize(
    ("reason", "options"),
    [("cocked", ""), ("on_checker", ", options: {dice_on_checkers: invalid}")],
)
def test_another_reason_or_an_option_makes_it_void(reason: str, options: str) -> None:
    text = CALLED.format(reason=reason, options=options)
    for rule_set in ("usbgf-2017-07", "usbgf-2017-09"):
        assert found(rule_set, text, "throw-voided") == []


@pytest.mark.parametrize("ruled", [("two {", "(ruled) two {"), ("caller: one", "caller: director")])
def test_what_the_director_calls_void_is_not_held_against_the_text(ruled: tuple[str, str]) -> None:
    text = CALLED.format(reason="on_checker", options="").replace(*ruled)
    for rule_set in ("usbgf-2017-07", "usbgf-2017-09"):
        assert found(rule_set, text, "throw-voided") == []


APPEALED = """
1 match.opened {length: 5}
2 player.disqualified (ruled) two {by: director}
3 appeal.filed two {target: $2}
4 committee.convened {size: 3, appeal: $3}
5 vote.cast {member: a, vote: reverse, appeal: $3}
6 vote.cast {member: b, vote: reverse, appeal: $3}
7 vote.cast {member: c, vote: reverse, appeal: $3}
8 appeal.filed one {target: $2}
""".strip()


@pytest.mark.parametrize(
    ("rule_set", "why"),
    [
        ("biba-2014", "what a committee has decided, and that is final"),
        ("fcbg-tournament", "what a committee has decided, and that is final"),
        ("usbgf-2017-07", "a disqualification, and the rules allow no appeal against that"),
    ],
)
def test_a_second_appeal_is_told_from_one_that_was_never_allowed(rule_set: str, why: str) -> None:
    told = [message for _, message in found(rule_set, APPEALED, "appeal-admissibility")]
    assert told[-1] == f"player one appeals against {why}"


ANSWERED = """
1 match.opened {length: 7}
2 game.started
3 dice.opening_rolled 31
4 dice.rolled_early two 66
5 dice.early_roll_answered one {answer: stands}
6 play.made one 8/5 6/5
7 turn.ended one
8 dice.early_roll_answered one {answer: redone}
""".strip()


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_a_second_answer_to_an_early_roll_is_not_one_to_none(rule_set: str) -> None:
    (told,) = found(rule_set, ANSWERED, "answer-without-offer")
    assert told[1] == "an early roll is answered that was answered before"
    other = ANSWERED.replace("4 dice.rolled_early two 66", "4 moment.marked {target: $3}")
    other = other.replace("5 dice.early_roll_answered one {answer: stands}", "5 player.called one")
    (told,) = found(rule_set, other, "answer-without-offer")
    assert told[1] == "an early roll is answered, and none is recorded"
