"""Entries as sentences in the reader's language; twin of `static/replay/words.js`."""

from __future__ import annotations

from collections.abc import Mapping

from api.html.texts import Texts
from projections.folding.sayings import PLACE, filled, in_place
from projections.views.lines import Line


def told(texts: Texts, scene: Line, names: Mapping[str, str]) -> str:
    """The sentence of a scene; `names` are the players'."""
    values = _values(texts, scene, names)
    key = f"entry.{scene['tag']}.told"
    # Some tags have several sentences; the fact `says` chooses one.
    key = f"{key}.{scene['facts'].get('says')}" if "says" in scene["facts"] else key
    if not texts.has(key):
        return texts("replay.unread")
    said = filled(texts(key), values)
    said = said[:1].upper() + said[1:]
    won = scene["facts"].get("won")
    if won is None:
        return said
    count = points(texts, scene["facts"]["won_points"])
    return f"{said}; {texts('replay.won', name=names[won], points=count)}"


def short(texts: Texts, scene: Line, names: Mapping[str, str]) -> str:
    """The same in a word or two, for lists that show the seat beside it."""
    key = f"entry.{scene['tag']}.short"
    if not texts.has(key):
        return told(texts, scene, names)
    return filled(texts(key), _values(texts, scene, names))


def sentence(texts: Texts, said: Line, names: Mapping[str, str]) -> str:
    """A fold's sentence in the reader's language, else in English."""
    values: dict[str, str | int] = dict(said["facts"])
    values |= {name: names[seat] for name, seat in said["people"].items()}
    values |= {name: sentence(texts, part, names) for name, part in said["parts"].items()}
    key = f"replay.word.{said['text']}"
    return _sentence(texts, key if texts.has(key) else said["text"], values)


def _sentence(texts: Texts, english: str, values: Mapping[str, str | int]) -> str:
    text = texts(english) if texts.has(english) else english
    return PLACE.sub(lambda found: in_place(found, values), text)


def _values(texts: Texts, scene: Line, names: Mapping[str, str]) -> dict[str, str]:
    facts: Line = scene["facts"]
    values = {name: word(texts, value) for name, value in facts.items()}
    if scene["tag"] == "game.won":
        values["points"] = points(texts, int(facts["points"]))
    if scene["tag"].startswith("play.") and facts.get("play") == "":
        values["play"] = texts("replay.no_play")
    elif scene["tag"] == "play.made" and "play" not in facts:
        values["play"] = texts("replay.by_end")
    if scene["tag"] == "dispute.raised" and scene.get("target") is not None:
        values["about"] = str(scene["target"])
    for name, value in scene["people"].items():
        values[name] = names.get(value) or texts(f"replay.actor.{value}")
    return values


def points(texts: Texts, count: int) -> str:
    """A number of points in words."""
    return texts("replay.points_1") if count == 1 else texts("replay.points_n", count=count)


def word(texts: Texts, value: str | int) -> str:
    """A word of the record or of a rule set in the reader's language, if it has a text."""
    key = f"replay.word.{value}"
    if texts.has(key):
        return texts(key)
    words = str(value).replace("_", " ")
    name, _, number = words.rpartition(" ")
    if name and number.isdecimal():
        return _sentence(texts, f"{name} {{n}}", {"n": number})
    return _sentence(texts, words, {})
