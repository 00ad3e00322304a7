"""The texts of pages in all languages; JavaScript modules use the same files."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from types import MappingProxyType

from starlette.requests import Request

from api.html.assets import WEB
from projections.folding.sayings import PLACE, in_place

LANGUAGES = ("en", "de")
"""The languages; the first one is the default."""


class UnknownText(KeyError):
    """A page asks for a text that does not exist."""


class Texts:
    """The texts of one language: `texts("public.matches", count=3)`."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        """The language's code, as in `<html lang>`."""
        self._texts = texts

    def __call__(self, key: str, **values: object) -> str:
        """The text with its placeholders filled (`folding/sayings.py`). Errors: UnknownText."""
        text = self._texts.get(key)
        if text is None:
            raise UnknownText(f"no text {key!r} in {self.language}")
        if not values:
            return text
        # In one pass, so that a value that looks like a placeholder is not filled.
        return PLACE.sub(lambda found: in_place(found, values), text)

    def number(self, value: float, digits: int, *, signed: bool = False) -> str:
        """A number with so many decimals and the decimal mark of the language."""
        written = f"{value:{'+' if signed else ''}.{digits}f}"
        return written.replace(".", ",") if self.language == "de" else written

    def rules(self, rule_set: str) -> str:
        """The short name of a rule set, or its id if it has none."""
        return self._texts.get(f"rules.called.{rule_set}", rule_set)

    def caption(self, english: str) -> str:
        """The caption of a section; of several, as `RuleProfile.caption` joins them."""
        return "; ".join(self._texts.get(one, one) for one in english.split("; "))

    def has(self, key: str) -> bool:
        """Whether a key has a text."""
        return key in self._texts


@functools.cache
def texts_of(language: str) -> Texts:
    """All texts of a language, from all files of its folder."""
    found: dict[str, str] = {}
    for path in sorted((WEB / "texts" / language).glob("*.json")):
        found.update(json.loads(path.read_text("utf-8")))
    return Texts(language, MappingProxyType(found))


def language_of(request: Request) -> str:
    """The language of the address (`?lang=de`), else the browser's, else the first."""
    asked = request.query_params.get("lang")
    if asked in LANGUAGES:
        return str(asked)
    preferred: list[tuple[float, str]] = []
    for part in request.headers.get("accept-language", "").split(","):
        name, _, weight = part.partition(";q=")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            preferred.append((-_weight(weight), language))
    return min(preferred)[1] if preferred else LANGUAGES[0]


def _weight(text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0
