"""An entry of a match as a sentence in the reader's language, as `replay/words.js` says it too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from api.pages.texts import Texts

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_SEATS = re.compile(
    r"(^|\b(?:of|against|by|from|for|on|that|and|before|with|winner) |[:;] )(one|two)\b"
    r"(?! (?:or|more|of|side|point|points|is wrong))"
)
"""A seat where a finding's message means a player: where it begins, or after one of these words."""

_PLACE = re.compile(r"\{(\w+)\}")


def told(texts: Texts, scene: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What a scene says; `names` say who sits where."""
    values = _values(texts, scene, names)
    key = f"replay.tag.{scene['tag']}"
    if not texts.has(key):
        return texts("replay.unread")
    said = _filled(texts(key), values)
    said = said[:1].upper() + said[1:]
    won = scene["facts"].get("won")
    if won is None:
        return said
    points = scene["facts"]["won_points"]
    return f"{said}; {texts('replay.won', name=names[won], points=_points(texts, points))}"


def seats_named(message: str, names: Mapping[str, str]) -> str:
    """A finding's message with the players' names where it says `one` and `two`."""
    return _SEATS.sub(lambda found: found[1] + names[found[2]], message)


def _values(texts: Texts, scene: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    facts: Mapping[str, Any] = scene["facts"]
    values = {name: _word(texts, value) for name, value in facts.items()}
    if scene["tag"] == "game.won":
        values["points"] = _points(texts, int(facts["points"]))
    if scene["tag"].startswith("play.") and facts.get("play") == "":
        values["play"] = texts("replay.no_play")
    elif scene["tag"] == "play.made" and "play" not in facts:
        values["play"] = texts("replay.by_end")
    for name, value in scene["people"].items():
        values[name] = names.get(value) or texts(f"replay.actor.{value}")
    return values


def _points(texts: Texts, count: int) -> str:
    return texts("replay.points_1") if count == 1 else texts("replay.points_n", count=count)


def _word(texts: Texts, value: str | int) -> str:
    key = f"replay.word.{value}"
    return texts(key) if texts.has(key) else str(value).replace("_", " ")


def _filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its values; a part in brackets falls away where one of its values is missing."""

    def part(found: re.Match[str]) -> str:
        return found[1] if all(values.get(name) for name in _PLACE.findall(found[1])) else ""

    # In one pass, so that a value that looks like a place is not filled again.
    return _PLACE.sub(lambda found: values.get(found[1], ""), _OPTIONAL.sub(part, text))
