"""A match stream as lines of text, one event each: how our golden files write what happened.

    9   play.made one 8/5 6/4
    10  dice.rolled two 42
    11  score.stated (agreed) {score: 6-3}
    12  play.illegality_noticed {class: dice_or_pips, noticed_by: two, target: $9}

A line is the event's number, its tag, its basis where that is not `observed`, then the seat, the
dice and the play in a player's words, then every other member as YAML. `$9` is the ninth event.
Boards are point:men, two numbers with a dash are a score, a die is written by what sets it apart
from a `plain` one, an option by its value.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from events import catalogue
from events.envelope import Basis, RecordedEvent
from tests.projections.table import ENTRY, men

PLAIN = {
    "at_rest": "natural",
    "baffle_box": False,
    "balanced_on": "none",
    "first_contact": "field",
    "left_board_and_returned": "none",
    "location": "playing_field",
    "rest_side": "right",
    "rests_on": ["field"],
    "rolled_side": "right",
    "tilt": "flat",
    "tilt_cause": "none",
    "tipped_after_balance": False,
}
"""A die of which everything was seen and nothing is out of the ordinary."""

OPENED = {"players": {"one": [], "two": []}, "score_at_start": {"one": 0, "two": 0}}
"""Members of `match.opened` that are written where they are otherwise."""

SCORES = ("score", "score_at_start")
BOARDS = ("checkers", "resulting_position")
_LINE = re.compile(r"\d+ +(?P<tag>[a-z_.]+)(?: \((?P<basis>\w+)\))?(?P<words>[^{]*)(?P<rest>.*)")
_ENTRY = re.compile(r"00000000-0000-4000-8000-0*(\d+)")
_SCORE = re.compile(r"(\d+)-(\d+)")


def read(text: str) -> list[RecordedEvent]:
    """The stream that the lines tell."""
    return [_event(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]


@functools.cache
def _event(number: int, line: str) -> RecordedEvent:
    found = _LINE.fullmatch(line)
    assert found is not None, line
    assert line.startswith(f"{number} "), f"{line}: is event {number}"
    tag, basis = found["tag"], Basis(found["basis"] or "observed")
    members = _spoken(tag, found["words"].split())
    members |= yaml.load(found["rest"] or "{}", yaml.CSafeLoader)
    if tag == "match.opened":
        members = {**OPENED, **members}
    body = json.dumps({name: _long(name, value) for name, value in members.items()})
    payload = catalogue.decode(tag, body.encode())
    return RecordedEvent(number, ENTRY.format(number), tag, basis, payload)


def _spoken(tag: str, words: list[str]) -> dict[str, Any]:
    """Members that are written before the braces."""
    members: dict[str, Any] = {}
    if words and words[0] in ("one", "two"):
        members["seat"] = words.pop(0)
    if words and words[0].isdigit():
        faces = [int(face) for face in words.pop(0)]
        if tag == "dice.opening_rolled":
            members["one"], members["two"] = faces
        else:
            members["dice"] = faces
    if words:
        members["moves"] = [[_point(name) for name in word.split("/")] for word in words]
    return members


def _point(name: str) -> int:
    return {"bar": 25, "off": 0}.get(name) or int(name.replace("off", "0"))


def _long(name: str, value: Any) -> Any:
    """A member, as in the body."""
    if name in BOARDS:
        return {seat: men(text) for seat, text in value.items()}
    if name in SCORES and isinstance(value, str):
        return dict(zip(("one", "two"), map(int, value.split("-")), strict=True))
    if name == "observations":
        return [_die(die) for die in value]
    if name == "options":
        return {key: _option(option) for key, option in value.items()}
    return entries(value)


def _die(die: Any) -> dict[str, Any]:
    seen = {} if die == "plain" else dict(die)
    is_plain = die == "plain" or seen.pop("else", None) == "plain"
    return {**PLAIN, **seen} if is_plain else seen


def _option(option: Any) -> Any:
    return option if isinstance(option, dict) and "value" in option else {"value": option}


def entries(value: Any) -> Any:
    """The value with `$5` as the id of the fifth entry, wherever it stands."""
    if isinstance(value, str) and value[:1] == "$":
        return ENTRY.format(int(value[1:]))
    if isinstance(value, Mapping):
        return {key: entries(inner) for key, inner in value.items()}
    return [entries(inner) for inner in value] if isinstance(value, list) else value


def numbers(value: Any) -> Any:
    """The value with every entry's id as `$5`, wherever it stands."""
    if isinstance(value, str) and (found := _ENTRY.fullmatch(value)):
        return f"${found[1]}"
    if isinstance(value, Mapping):
        return {key: numbers(inner) for key, inner in value.items()}
    return [numbers(inner) for inner in value] if isinstance(value, list) else value


def written(events: Iterable[RecordedEvent]) -> str:
    """The stream as lines; reading them gives it back."""
    lines = [_line(event) for event in events]
    return "".join(f"{line}\n" for line in lines)


def _line(event: RecordedEvent) -> str:
    members = json.loads(catalogue.encode(event.payload))
    if event.tag == "match.opened":
        members = {key: value for key, value in members.items() if OPENED.get(key, ()) != value}
    words = [f"{event.version:<3}", event.tag]
    if event.basis is not Basis.OBSERVED:
        words.append(f"({event.basis.value})")
    if "seat" in members:
        words.append(members.pop("seat"))
    faces = members.get("dice")
    if event.tag == "dice.opening_rolled":
        words.append(f"{members.pop('one')}{members.pop('two')}")
    elif isinstance(faces, list) and all(isinstance(face, int) for face in faces):
        words.append("".join(map(str, members.pop("dice"))))
    words += ["/".join(map(_named, move)) for move in members.pop("moves", ())]
    if members:
        short = {name: _short(name, value) for name, value in members.items()}
        words.append(yaml.dump(short, default_flow_style=True, width=10_000).strip())
    return " ".join(words)


def _named(point: int) -> str:
    return {25: "bar", 0: "off"}.get(point, str(point))


def _short(name: str, value: Any) -> Any:
    """A member, as in a line."""
    if name in BOARDS:
        return {seat: _men(counts) for seat, counts in value.items()}
    if name in SCORES and value is not None:
        return f"{value['one']}-{value['two']}"
    if name == "observations":
        return [_apart(die) for die in value]
    if name == "options":
        return {
            key: option["value"] if len(option) == 1 else option for key, option in value.items()
        }
    return numbers(value)


def _men(counts: list[int]) -> str:
    return " ".join(f"{_named(point)}:{men}" for point, men in enumerate(counts) if men)


def _apart(die: dict[str, Any]) -> Any:
    if not set(die) >= set(PLAIN):
        return die
    apart = {key: value for key, value in die.items() if PLAIN.get(key) != value}
    return {**apart, "else": "plain"} if apart else "plain"
