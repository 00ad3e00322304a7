"""Neighbours of our golden cases: seats swapped, marks made between, and facts taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import own
import pytest
from golden import plain
from msgspec.structs import replace
from own import Judged
from subjects import SUBJECTS
from table import ENTRY, Table

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import corrections, cube, custody, dice, match
from events.payloads.base import Payload
from events.values import ONE, TWO, Seat
from projections.folding.findings import Finding
from projections.replay import Replay, replay
from tests.bunches import in_bunches

WHOLE = ("usbgf-2017-07", "biba-2014", "fcbg-tournament")
"""Texts that are in hand as a whole; each case is tried under one of them, and each in its turn."""


def _in_turn(judged: Iterable[Judged]) -> list[Judged]:
    cases = own.by_case(judged)
    return [
        one
        for number, case in enumerate(cases)
        for one in case
        if one.rule_set == WHOLE[number % len(WHOLE)]
    ]


NEIGHBOURS = _in_turn(one for name in SUBJECTS for one in own.judged(name))


# The other seat.

_SEAT = re.compile(r"(?<![a-z])(one|two)(?![a-z])(?!_more|_alone)")
_SCORE = re.compile(r"\d+-\d+")
_OTHER = {"one": "two", "two": "one"}


def _swapped(value: Any) -> Any:
    """What a body says, of the other seat."""
    if isinstance(value, dict):
        return {_OTHER.get(key, key): _swapped(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_swapped(inner) for inner in value]
    return _OTHER.get(value, _other_way(value)) if isinstance(value, str) else value


def _other_way(word: str) -> str:
    """A score the other way round; any other word as it is."""
    return "-".join(reversed(word.split("-"))) if _SCORE.fullmatch(word) else word


def _seats_swapped(event: RecordedEvent) -> RecordedEvent:
    """The same with the seats exchanged; dice that are listed by seat change places too."""
    told = json.loads(catalogue.encode(event.payload))
    body = _swapped(told)
    if event.tag == "dice.lifted" and "dice" in told:
        body["dice"] = told["dice"]
    if event.tag == "dice.opening_rolled":
        body.get("observations", []).reverse()
    return replace(event, payload=catalogue.decode(event.tag, json.dumps(body).encode()))


def _words(value: Any, *, swap: bool) -> Any:
    """An answer for comparison: parts without an order of their own are sorted."""
    if isinstance(value, dict):
        return {
            _OTHER.get(key, key) if swap else key: _words(inner, swap=swap)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return sorted((_words(inner, swap=swap) for inner in value), key=repr)
    if not isinstance(value, str) or not swap:
        return value
    return _SEAT.sub(lambda found: _OTHER[found[0]], _other_way(value))


def _asked(finding: Finding) -> list[str]:
    """What a Director may answer."""
    question = finding.ruling_required
    return [] if question is None else list(question.readings)


def _verdicts(shown: Replay, *, swap: bool = False) -> list[str]:
    """The findings, without the words for people."""
    told = [
        {
            **{name: plain(getattr(finding, name)) for name in ("code", "section", "ambiguity")},
            "seat": finding.seat and finding.seat.value,
            "at": finding.entry_id,
            "open": finding.is_open,
            "readings": _asked(finding),
            "answer": None if finding.answer is None else plain(own.told(finding.answer, _NOTHING)),
        }
        for finding in shown.findings
    ]
    ordered = (json.dumps(_words(one, swap=swap), sort_keys=True, default=str) for one in told)
    return sorted(ordered)


_NOTHING = replay([])
"""A match without open questions, to put a single answer into words."""


@in_bunches("one", NEIGHBOURS, ids=lambda one: one.name, of=12)
def test_seats_have_no_privileges(one: Judged) -> None:
    """Whatever is found of one player is found of the other, who did the same."""
    mirrored = replay([_seats_swapped(event) for event in one.pinned])
    assert _verdicts(mirrored) == _verdicts(one.shown, swap=True)
    winner, other = one.shown.state.judged.outcome.winner, mirrored.state.judged.outcome.winner
    assert other is (None if winner is None else winner.other)
    assert tuple(mirrored.state.score.score) == tuple(one.shown.state.score.score)[::-1]


# What does not matter, and what never was.


def _numbered(events: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    return [replace(event, version=version) for version, event in enumerate(events, start=1)]


def _recorded(number: int, payload: Payload) -> RecordedEvent:
    """An entry with an id that no case has."""
    tag, _ = catalogue.tag_of(payload)
    return RecordedEvent(0, ENTRY.format(900_100 + number), tag, Basis.OBSERVED, payload)


def _between(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """The stream with a mark, and entries about publishing it, after every entry."""
    told: list[RecordedEvent] = []
    for number, event in enumerate(events):
        marked = _recorded(2 * number, corrections.MomentMarked(target=event.entry_id))
        told += [event, marked, _recorded(2 * number + 1, custody.PublicationWithheld())]
    return _numbered(told)


@in_bunches("one", NEIGHBOURS, ids=lambda one: one.name, of=12)
def test_marks_and_what_is_taken_back_change_no_finding(one: Judged) -> None:
    """A game won, a double and a throw by the wrong player, each retracted when all is told."""
    added = [
        _recorded(-1, match.GameWon(winner=TWO, points=3)),
        _recorded(-2, cube.DoubleOffered(seat=ONE)),
        _recorded(-3, dice.RolledEarly(seat=TWO, dice=(6, 5))),
    ]
    back = [
        _recorded(-10 - number, corrections.EntryRetracted(target=event.entry_id))
        for number, event in enumerate(added)
    ]
    shown = replay(_numbered([*_between(one.pinned), *added, *back]))
    assert _verdicts(shown) == _verdicts(one.shown)
    assert shown.state.score.score == one.shown.state.score.score


# Before the first turn.


@pytest.mark.rows("T-07")
@pytest.mark.parametrize("ties", [0, 1])
@pytest.mark.parametrize("roller", list(Seat))
@pytest.mark.parametrize(
    ("rule_set", "section"), [("usbgf-2017-07", "[4.1.7]"), ("biba-2014", "4.6")]
)
def test_who_rolls_before_the_opening_roll_interrupts_nobodys_turn(
    rule_set: str, section: str, roller: Seat, ties: int
) -> None:
    """Both texts give the choice to "the player" whose turn is not completed: there is none yet."""
    table = Table(rule_set=rule_set).game()
    for _ in range(ties):
        table.opening(4, 4)
    table.early(roller, 53)
    (finding,) = [one for one in table.findings if one.code == "early-roll"]
    assert finding.is_open
    assert finding.section == section
    assert finding.ruling_required is not None
    assert finding.ruling_required.reason == "silent"
    assert "before it is decided who begins" in finding.message
    table = Table(rule_set=rule_set).game().opening(3, 1).early("two", 53)
    assert not any(one.is_open for one in table.findings)


@pytest.mark.rows("T-07")
def test_who_rolls_before_the_opening_roll_rolls_again_where_no_turn_has_ended() -> None:
    """FCBG IRR/T(a): a legal roll can only occur if an opponent's turn has concluded."""
    table = Table(rule_set="fcbg-tournament").game().early("one", 53)
    (finding,) = table.findings
    assert not finding.is_open
    assert finding.answer is not None
    assert finding.answer.outcome == "void"
