"""The shelf: rule set id to profile, and the rules in force in one match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from projections.rules.profile import OptionValue, RuleProfile, Rules
from projections.rules.sentences import NOTHING_IN_HAND, InHand, held
from projections.rules.texts.biba_2014.profile import BIBA_2014
from projections.rules.texts.common import COMMON
from projections.rules.texts.fcbg.profile import FCBG_CLUB, FCBG_TOURNAMENT
from projections.rules.texts.usbgf_2017_07.profile import USBGF_2017_07
from projections.rules.texts.usbgf_2017_09 import USBGF_2017_09
from projections.rules.texts.usbgf_2024.profile import USBGF_2024
from projections.rules.texts.wbgf_2_1.profile import WBGF_2_1
from projections.rules.texts.wbgt_2010 import WBGT_2010

SHELF: Mapping[str, RuleProfile] = MappingProxyType(
    {
        profile.id: profile
        for profile in (
            USBGF_2017_07,
            USBGF_2017_09,
            BIBA_2014,
            FCBG_TOURNAMENT,
            FCBG_CLUB,
            COMMON,
            WBGF_2_1,
            USBGF_2024,
            WBGT_2010,
        )
    }
)
"""Every rule set that folds can ask."""


def captions(cited: Iterable[tuple[str, str]]) -> dict[str, dict[str, str | None]]:
    """What sections speak about, by rule set; those of a rule set that is not here are left out."""
    found: dict[str, dict[str, str | None]] = {}
    for rule_set, section in sorted(set(cited)):
        profile = SHELF.get(rule_set)
        if profile is not None:
            found.setdefault(rule_set, {})[section] = profile.caption(section)
    return found


def rules_in_force(
    rule_set: str | None,
    options: Mapping[str, OptionValue],
    *,
    is_match: bool = True,
    in_hand: InHand = NOTHING_IN_HAND,
) -> Rules:
    """The rules for a match that pins `rule_set` with `options` (key to value).

    `in_hand`: rule set to the sentences that loaded texts have (`sentences.InHand`).

    None = recorded under no rule set: the common rules, with Crawford on in a match unless an
    option says off (design §8.9). An id that is not on the shelf gives the same, marked: every
    match rule set but `common` itself plays the Crawford game.
    """
    profile = COMMON if rule_set is None else SHELF.get(rule_set)
    unknown = None
    if profile is None:
        profile, unknown = COMMON, rule_set
    in_force = dict(profile.options)
    if (rule_set is None or unknown is not None) and is_match:
        in_force["crawford"] = "on"
    provided = {key: value for key, value in options.items() if profile.provides(key, value)}
    not_provided = tuple(sorted(options.keys() - provided.keys()))
    in_force.update(provided)
    rested_on = held(profile.sentences, in_hand.get(profile.id, {}))
    return Rules(profile, MappingProxyType(in_force), unknown, not_provided, rested_on)
