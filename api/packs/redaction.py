"""Which sealed entries do not reveal the players, for committees that must not know them.

Parts of sealed bytes cannot be blackened: an entry is shown whole, or replaced by its leaf hash. So
only entries known to be harmless are shown: those with certain tags, if each plain member is a word
of the record, a number, or a random id. Personal values are commitments, which reveal nothing.
"""

from __future__ import annotations

import enum
import functools
import importlib
import json
import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from api.html.assets import WEB
from events.canonical import canonical
from events.catalogue import KINDS, Unread, decode, encode, tag_of
from events.envelope import RecordedEvent
from events.errors import BadInput
from events.payloads.match import MatchOpened
from projections.replay import Replay
from projections.rules.shelf import SHELF
from projections.views.showing import is_telling, plain_words

HARMLESS = (
    "match.opened",
    "match.length_",
    "match.deciding_game_ordered",
    "match.ended",
    "game.",
    "score.",
    "result.",
    "equipment.",
    "preference.rolled",
    "dice.",
    "player.called",
    "player.arrived",
    "player.left",
    "break.",
    "delay.",
    "clock.",
    "turn.ended",
    "play.",
    "start.",
    "position.stated",
    "handling.noted",
    "cube.",
    "resignation.",
    "claim.",
    "penalty.",
    "slow_play.warned",
    "director.called",
    "dispute.raised",
    "table.disturbed",
    "testimony.given",
    "question.left",
    "ruling.",
    "notice.acknowledged",
    "entry.",
    "moment.marked",
    "tournament.rules_",
)
"""Beginnings of the tags of which an entry may be shown; every other one is withheld."""

NEVER = frozenset({"id", "source", "shadow_of", "posted", "effective_from"})
"""Members that are withheld with their entry: who it is, which file or stream, where and when."""

_RANDOM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"[0-9a-f]{64}")
_WORD = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_SECTION = re.compile(r"[A-Za-z0-9.,()\[\] -]{1,64}")
_PLAY = re.compile(r"(?:[0-9]{1,2}|bar|off|Bar|Off)(?:[-/ *()0-9]|bar|off|Bar|Off)*")
"""A play as players write it down: numbers, bar and off."""


def is_random(text: str) -> bool:
    """Whether an id was made by chance: a UUID of version 4, which tells nothing."""
    return _RANDOM.fullmatch(text) is not None


def is_harmless(sealed: bytes, marks: Iterable[str] = ()) -> bool:
    """Whether a sealed entry may be shown to whoever must not learn who plays.

    `marks` are what would tell it (`projections/views/showing.py`).
    """
    entry = json.loads(sealed)
    marks = frozenset(marks)
    if not is_random(entry["entry_id"]):
        return False  # Ids of other versions tell the time, or the computer.
    return _is_shown(entry["tag"], entry["body"], marks)


def _is_shown(tag: str, body: object, marks: frozenset[str]) -> bool:
    if not tag.startswith(HARMLESS):
        return False
    if tag == "entry.amended" and isinstance(body, dict):
        # What stands in its target's place is an entry in an entry.
        inner, body = body.get("body"), {**body, "body": None}
        if not _is_shown(str(body["tag"]), inner, marks):
            return False
    return all(_is_plain(name, value, marks) for name, value in _leaves(body))


def _is_plain(name: str, value: object, marks: frozenset[str]) -> bool:
    if name in NEVER:
        return value is None
    if not isinstance(value, str):
        return True
    if _UUID.fullmatch(value):
        return is_random(value)
    if name == "written":
        return _PLAY.fullmatch(value) is not None
    if value in _known():
        return True  # Whoever is called as the record calls a thing is not told by it.
    shape = _SECTION if name == "section" else _WORD
    return shape.fullmatch(value) is not None and not _is_named(value, marks)


def is_naming(sealed: bytes, marks: Iterable[str]) -> bool:
    """Whether somebody has typed what tells who plays into a plain member of an entry."""
    marks = frozenset(marks)
    return any(
        isinstance(value, str) and not _is_the_records(name, value) and _is_named(value, marks)
        for name, value in _leaves(json.loads(sealed)["body"])
        if name not in NEVER
    )


def leads_to_players(sealed: bytes, marks: Iterable[str]) -> bool:
    """Whether the plain members of an entry tell who plays, or name an id, a file or a stream by
    which other records tell it.
    """
    leaves = _leaves(json.loads(sealed)["body"])
    leads = any(name in NEVER | _ELSEWHERE and value is not None for name, value in leaves)
    return leads or is_naming(sealed, marks)


_ELSEWHERE = frozenset({"match"})
"""Members that name another match: of who has gone on to play it that one says the name."""


def nameless(shown: Replay, marks: Iterable[str]) -> Replay:
    """A match without what somebody has typed of who plays into plain members of its entries."""
    telling = frozenset(marks)
    return shown.retold(lambda event: _nameless(event, telling))


def _nameless(event: RecordedEvent, marks: frozenset[str]) -> RecordedEvent:
    if isinstance(event.payload, MatchOpened | Unread):
        return event  # No page and no file says a word of theirs.
    body = json.loads(encode(event.payload))
    told = _untyped("", body, marks)
    if told == body:
        return event
    try:
        payload = decode(tag_of(event.payload)[0], canonical(told))
    except BadInput:  # a member that takes no such word: nothing of the entry is told
        payload = Unread(raw=msgspec.Raw(b"{}"))
    return replace(event, payload=payload)


TYPED = "withheld"
"""Replaces a word by which somebody has named a player."""


def _untyped(name: str, value: object, marks: frozenset[str]) -> object:
    if isinstance(value, dict):
        if value.keys() == {"sd"}:
            return value
        return {
            key: one if key in NEVER else _untyped(key, one, marks)
            for key, one in value.items()
            if key not in _ELSEWHERE
        }
    if isinstance(value, list):
        return [_untyped(name, one, marks) for one in value]
    is_typed = isinstance(value, str) and not _is_the_records(name, value)
    return TYPED if is_typed and _is_named(str(value), marks) else value


def _is_the_records(name: str, value: str) -> bool:
    """Whether a value is one of the record's own: a fixed word, a play, an id, a hash."""
    is_play = name == "written" and _PLAY.fullmatch(value) is not None
    return is_play or value in _known() or any(one.fullmatch(value) for one in (_UUID, _HASH))


def _is_named(value: str, marks: frozenset[str]) -> bool:
    if is_telling(value, marks):
        return True
    run_on = _run_on(value)
    return any(len(_run_on(mark)) > _SHORT and _run_on(mark) in run_on for mark in marks)


_SHORT = 2
"""Names of up to so many letters occur within too many words."""


def _run_on(text: str) -> str:
    """A word or a name without the separators of its parts, as it may also be written."""
    return plain_words(text).replace(" ", "")


_DESCRIBING = (
    "after audio baffle_box balance balanced bar before board box changed_mind checker "
    "checker_a checker_b checker_side checkers clock corner cube cup device dice die_other "
    "die_side disturbed_by_player early_roll edge field flat floor gap hand height_difference "
    "illegal left lifted_both lifted_one natural none not_at_rest off_board other "
    "outside_right_half overhang paper person photo playing_field pressed_clock rail right "
    "score sheet side_rail surface_imperfection table tapped_bar tilted touched_die tray "
    "tray_rail unclear unknown vertical_support video"
)
"""Words that describe throws, acts and things (`events/payloads`), where no enum has them."""


@functools.cache
def _known() -> frozenset[str]:
    """Words that the record has by itself: no roster makes a difference to them."""
    texts = json.loads((WEB / "texts" / "en" / "replay.json").read_text("utf-8"))
    named = {key.removeprefix("replay.word.") for key in texts if key.startswith("replay.word.")}
    modules = {kind.payload.__module__ for kind in KINDS}
    enums = {
        member.value
        for module in modules
        for kind in vars(importlib.import_module(module)).values()
        if isinstance(kind, type) and issubclass(kind, enum.StrEnum)
        for member in kind
    }
    return frozenset({*named, *enums, *_DESCRIBING.split(), *SHELF, *(kind.tag for kind in KINDS)})


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """(member, value) of everything in a body that is plain; commitments are left out."""
    if isinstance(value, dict):
        if value.keys() == {"sd"}:
            return
        for key, one in value.items():
            if key in NEVER and isinstance(one, dict):
                yield key, one
            yield from _leaves(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, name)
    else:
        yield name, value
