"""`usbgf-2017-09`: USBGF Tournament Rules ratified in August 2017, in hand only in part.

Where the ratified text is not in hand the answer is a question with the draft's answer as a
suggestion, unless the matrix takes the draft's text unverified (`unverified`) or the Director has
pinned `gaps_from: usbgf-2017-07`, which adopts it for every gap.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import msgspec

from projections.rules.answers import NOT_IN_HAND, SILENT, Answer, left_open
from projections.rules.profile import CubeFault, Policy, RuleProfile, Rules
from projections.rules.subjects import (
    clock_terms,
    cube_acts,
    dice,
    endings,
    match_length,
    premature,
    windows,
)
from projections.rules.texts.usbgf_2017_07 import USBGF_2017_07


def unverified(policy: Policy) -> Policy:
    """The draft's answer, marked as not verified against the ratified text."""

    def answer(facts: Any, rules: Rules) -> Answer:
        return msgspec.structs.replace(policy(facts, rules), verified=False)

    return answer


def not_in_hand(subject: str, facts: Any, rules: Rules) -> Answer:
    """A question that suggests the draft's answer; or that answer, where the Director adopts it."""
    draft = USBGF_2017_07.policies.get(subject)
    if rules.options.get("gaps_from") == USBGF_2017_07.id:
        # What the draft has no policy for it is silent on: that, too, is what it says.
        answer = draft or _silent(subject)
        return msgspec.structs.replace(answer(facts, rules), verified=False)
    suggest = USBGF_2017_07.id if draft is not None else None
    return left_open(NOT_IN_HAND, USBGF_2017_07.cite(subject)[1], suggest=suggest)


def _silent(subject: str) -> Policy:
    return lambda facts, rules: left_open(SILENT, USBGF_2017_07.cite(subject)[1])


POLICIES: dict[str, Policy] = {
    "window.play": windows.usbgf_2017_09(not_in_hand),
    **cube_acts.USBGF_2017_09,
    **dice.USBGF_2017_09,
    **clock_terms.USBGF_2017_09,
    **endings.USBGF_2017_09,
    **premature.USBGF_2017_09,
    **match_length.USBGF_2017_09,
}
"""Subject to policy; a subject that is missing is one whose text is not in hand."""

CONTENTS = MappingProxyType(
    {
        **USBGF_2017_07.contents,
        "[1.1]": "the Director's discretion, duty to point out, penalties",
        "[1.3.3]": "monitors",
        "S000": "valid rolls: the ratified rule, as the federation explains it",
    }
)
"""The sections known of the ratified text; where it is not in hand, by the draft's numbers."""

USBGF_2017_09 = RuleProfile(
    id="usbgf-2017-09",
    title="USBGF Tournament Rules (ratified August 2017, effective September 2017)",
    default_section="[1.1]",
    contents=CONTENTS,
    sections=MappingProxyType(
        {
            **USBGF_2017_07.sections,
            "sanctions": "[1.1]",
            **dice.USBGF_2017_09_SECTIONS,
        }
    ),
    options=MappingProxyType(
        {
            **USBGF_2017_07.options,
            "gaps_from": None,
            "event_kind": None,
            "dice_count": None,
            "baffle_box": None,
            "clock_use": None,
            "penalty_scale": None,
        }
    ),
    void_cube_acts=frozenset({CubeFault.CRAWFORD, CubeFault.DEAD}),
    policies=MappingProxyType(POLICIES),
    gap=not_in_hand,
)
"""The profile of the ratified text, as far as it is in hand."""
