"""A rule set as folds see it: numbers, small named policies, citations and options."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Generic, Never, TypeVar

import msgspec

from projections.rules.answers import NOT_IN_HAND, SILENT, Answer, left_open
from projections.rules.index import Line
from projections.rules.sentences import Sentences

Facts = TypeVar("Facts")

OptionValue = str | int | bool | tuple[str, ...] | Mapping[str, str | int | bool] | None
"""Value of a rule option: a word, a number, on or off, a list of words, or several by name."""


class CubeFault(enum.StrEnum):
    """What can be wrong with a double."""

    CRAWFORD = "cube-in-crawford-game"
    NOT_OWNED = "cube-not-owned"
    AFTER_ROLL = "cube-after-roll"
    BEFORE_OPENING = "cube-before-opening"
    DEAD = "cube-dead"
    OUT_OF_TURN = "out-of-turn"


class Contents(dict[str, str]):
    """Every section of a text as its edition numbers it, with what it speaks about.

    A text names each of its sections once, and cites them by these names.
    """

    def section(self, number: str, caption: str) -> str:
        """Add a section; returns its number, to be assigned to a name."""
        self[number] = caption
        return number


class Subject(str, Generic[Facts]):
    """The name of a question that folds ask a rule set; `Facts` is the class of facts to ask with.

    At run time it is a plain string.
    """

    def __new__(cls, name: str) -> Subject[Facts]:
        """The name itself."""
        return name  # type: ignore[return-value]  # as a NewType, which cannot be generic


class Withheld(enum.StrEnum):
    """What a text keeps from the committee that hears an appeal."""

    PLAYERS = "players"
    """Who plays: names, ids, clubs, table and round, who recorded it, the hour, pictures."""
    FIRST_RULING = "first_ruling"
    """The Director's ruling that is appealed, and all that was recorded from it on."""


class Hearing(msgspec.Struct, frozen=True, kw_only=True):
    """What a text gives the committee that hears an appeal (rules.md §8)."""

    section: str
    """The section that says so; what it does not mention is in `unstated`."""
    withholds: frozenset[Withheld] = frozenset()
    """What is kept from the committee."""
    words: frozenset[str] | None = None
    """Words that it is given although players are secret, as `tag member`; None = all."""
    unstated: frozenset[Withheld] = frozenset()
    """What the text does not mention: it is given, marked as unstated."""
    opens_ballots: bool = False
    """Whether the text makes single ballots public, as it has to say explicitly."""
    is_in_hand: bool = True
    """Whether the text that would say so is in hand."""
    knows_appeals: bool = True
    """Whether the text knows appeals; if not, there are no committees."""

    @property
    def has_embargo(self) -> bool:
        """Whether the match is withheld from everybody outside of the case until it is decided."""
        return self.knows_appeals and Withheld.PLAYERS in self.withholds


HEARD_WORDS = frozenset({"testimony.given says", "dispute.raised readings.says"})
"""Testimony and statements of the parties: words given to a committee without names."""


class RuleProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One rule set: what its text answers, by number or named policy, and where it says so.

    A file of this room makes one or more of these; `shelf.py` lists them. Folds ask a profile and
    never its name. A question that the text leaves open is answered with a finding that says
    `ruling_required`, never with a guess.
    """

    id: str
    """Id of the rule set, edition included."""
    title: str
    """The text's own title."""
    sections: Mapping[str, str]
    """Subject to the section that speaks about it, as the edition numbers it."""
    default_section: str
    """The section that is cited for a subject without one of its own."""
    contents: Mapping[str, str]
    """Every section of the text as the edition numbers it, with what it speaks about."""
    index: tuple[Line, ...] = ()
    """For every section, what of it is computed, recorded, or left to a person."""
    options: Mapping[str, OptionValue] = MappingProxyType({})
    """Options that the text provides for, with their defaults; None = no default."""
    choices: Mapping[str, tuple[OptionValue, ...]] = MappingProxyType({})
    """Option to the values that may be pinned, where the text does not allow all."""
    void_cube_acts: frozenset[CubeFault] = frozenset()
    """Faults that make a double null and void: it is found, and the cube stays as it was."""
    void_by: Mapping[CubeFault, tuple[str, ...]] = MappingProxyType({})
    """Faults that do so only if certain sentences are in hand, with the names of these."""
    hearing: Hearing
    """What the committee is given that hears an appeal."""
    policies: Policies = MappingProxyType({})
    """Subject to the policy that answers it; a subject without one goes to `gap`."""
    gap: Gap | None = None
    """What the rule set answers where it has no policy; None = it is silent."""
    may_adopt: Policies = MappingProxyType({})
    """Policies of another text that a Director may adopt where this one does not bind."""
    sentences: Sentences = MappingProxyType({})
    """The known sentences of a text that was not read as a whole."""
    read_from: str | None = None
    """SHA-256 of the text, or part of it, that was read; None = only sentences are known."""
    unread: frozenset[str] = frozenset()
    """Sections that are missing from that text."""

    def provides(self, key: str, value: OptionValue) -> bool:
        """Whether an option may be pinned to a value; the default is always allowed."""
        chosen = self.choices.get(key)
        return key in self.options and (value is None or chosen is None or value in chosen)

    def cite(self, subject: str) -> tuple[str, str]:
        """(rule set, section) that speaks about the subject."""
        return self.id, self.sections.get(subject, self.default_section)

    def caption(self, section: str) -> str | None:
        """What a section speaks about, in a few words; None = the text has no such section.

        A citation of several sections, such as `[1.3.3, 4.2.3]`, has the captions of all of them.
        """
        if section in self.contents:
            return self.contents[section]
        parts = [f"[{part}]" for part in section.strip("[]").split(", ")]
        if len(parts) < 2 or not all(part in self.contents for part in parts):
            return None
        return "; ".join(self.contents[part] for part in parts)


def not_in_hand(subject: str, facts: object, rules: Rules) -> Answer:
    """The answer where no known sentence speaks of the subject: a question."""
    return left_open(NOT_IN_HAND, rules.cite(subject)[1])


Policy = Callable[[Facts, "Rules"], Answer]
"""Takes the facts of one case and the rules in force, and gives the answer."""

Gap = Callable[[str, object, "Rules"], Answer]
"""Gives the answer where the text has no policy for a subject."""

Policies = Mapping[str, Policy[Never]]
"""Subject to the policy that answers it. Each takes the facts of its own subject, and no others."""


class Rules(msgspec.Struct, frozen=True):
    """A rule set in force in one match: the profile with the options pinned for it."""

    profile: RuleProfile
    """The rule set."""
    options: Mapping[str, OptionValue] = MappingProxyType({})
    """Option key to value in force: pinned, else the profile's default."""
    unknown: str | None = None
    """The id that was pinned, where no such rule set is on the shelf."""
    not_provided: tuple[str, ...] = ()
    """Options that were pinned and that the rule set does not provide for."""
    held: Mapping[str, str] = MappingProxyType({})
    """Sentences that an answer may rest on: name to the hash of the sentence."""

    def ask(self, subject: Subject[Facts], facts: Facts) -> Answer:
        """The rule set's answer to the facts of one case."""
        policy = self.profile.policies.get(subject)
        if policy is not None:
            return self.said(policy(facts, self))  # type: ignore[arg-type]  # its subject's facts
        return self.gap(subject, facts)

    @property
    def void_cube_acts(self) -> frozenset[CubeFault]:
        """Faults that make a double null and void, by the sentences that are in hand."""
        if not self.profile.void_by:
            return self.profile.void_cube_acts
        by = {
            fault for fault, all_of in self.profile.void_by.items() if self.held.keys() >= {*all_of}
        }
        return self.profile.void_cube_acts | by

    def said(self, answer: Answer) -> Answer:
        """The answer of a policy; a question where sentences that it rests on are not in hand."""
        return answer.as_held(self.held) if answer.rests_on else answer

    def gap(self, subject: str, facts: object) -> Answer:
        """The answer where no policy decides the case."""
        if self.profile.gap is not None:
            return self.profile.gap(subject, facts, self)
        return left_open(SILENT, self.profile.cite(subject)[1])

    def adopted(self, subject: Subject[Facts], facts: Facts) -> Answer | None:
        """The answer of a text that a Director may adopt; None if it has none or leaves it open."""
        policy = self.profile.may_adopt.get(subject)
        answer = None if policy is None else policy(facts, self)  # type: ignore[arg-type]  # as above
        return None if answer is None or answer.is_open else answer

    def is_on(self, key: str) -> bool:
        """Whether an option is in force as on: true, the word, or so many times at most."""
        value = self.options.get(key)
        return value == "on" or (isinstance(value, int) and value > 0)

    def cite(self, subject: str) -> tuple[str, str]:
        """(rule set, section) that speaks about the subject."""
        return self.profile.cite(subject)
