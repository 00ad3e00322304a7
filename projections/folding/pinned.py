"""The rules that a match pins, and findings about rule sets and options that are unknown here."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from events.envelope import RecordedEvent
from events.payloads.match import MatchOpened
from projections.folding.findings import Finding, Severity, found
from projections.folding.sayings import said, worded
from projections.rules.profile import Rules
from projections.rules.sentences import InHand
from projections.rules.shelf import rules_in_force


def rules_of(
    events: Sequence[RecordedEvent], asked: tuple[str | None, bool], in_hand: InHand
) -> Rules:
    """The rules in force: those that `match.opened` pins, or those asked for.

    `in_hand`: sentences of rule sets that were found in the texts loaded by the operator.
    """
    for event in events[:1]:
        if isinstance(event.payload, MatchOpened):
            opened = event.payload
            options = {key: option.value for key, option in opened.options.items()}
            rule_set = asked[0] if asked[1] else opened.rule_set
            is_match = opened.length is not None
            return rules_in_force(rule_set, options, is_match=is_match, in_hand=in_hand)
    return rules_in_force(asked[0], {}, in_hand=in_hand)


def is_unread(payload: object) -> bool:
    """Whether a later version of the program wrote the entry, so that only its bytes were kept."""
    return payload is None or isinstance(getattr(payload, "raw", None), msgspec.Raw)


def unread(event: RecordedEvent, rules: Rules) -> Finding:
    """A note that an entry is not understood."""
    message = said(
        "an entry is of a kind or version that this program does not know: {tag}", tag=event.tag
    )
    return found("unread", event, message, cite=rules.cite("score"), severity=Severity.NOTE)


def about_rules(event: RecordedEvent, rules: Rules) -> tuple[Finding, ...]:
    """Findings on a pinned rule set that is unknown here, and on options that it does not have."""
    findings = []
    if rules.unknown is not None:
        message = said(
            "this program does not know the rule set {rule_set}: the common rules are applied",
            rule_set=rules.unknown,
        )
        findings.append(found("rule-set-unknown", event, message, cite=rules.cite("score")))
    findings += [
        found(
            "option-not-provided",
            event,
            said(
                "an option is pinned that the rules do not provide for, "
                "and it does not count: {option}",
                option=worded(option),
            ),
            cite=rules.cite(_SPEAKS_OF.get(option, option)),
            severity=Severity.NOTE,
        )
        for option in rules.not_provided
    ]
    return tuple(findings)


_SPEAKS_OF = {
    "automatic_doubles": "cube.automatic",
    "baffle_box": "dice.throw",
    "beavers": "gammon",
    "clock_terms": "clock.terms",
    "clock_use": "clock.terms",
    "crawford": "cube.crawford",
    "dice_on_checkers": "dice.die",
    "jacoby": "gammon",
    "match_length_points": "match_length",
    "moves_policy": "window.play",
    "penalty_scale": "penalties",
}
"""Option to the subject that it would change, which is cited if the rule set lacks the option."""
