"""Which program wrote a .mat file: told from its own header, else from its habits."""

from __future__ import annotations

import re

OURS = "tabularium-mat"
"""Dialect of our own files."""

_SITES = {
    "backgammongalaxy": "galaxy-mat",
    "opengammon": "opengammon-mat",
    "choue.net": "choue-net-mat",
    "bgdb": "bgdb-mat",
    "xg mobile": "xg-mobile-mat",
    "gammonview": "gammonview-mat",
    "hedgehog": "hedgehog-mat",
    "dailygammon": "dailygammon-mat",
    "tabularium": OURS,
}
"""Dialects by the `Site` header, in lower case."""

_XG_WORDS = re.compile(r"\bBar/|/Off\b|: Cannot Move|[0-9]\([2-4]\)")
"""What XG's text files spell and its .mat files write out."""


def dialect_of(tags: dict[str, str], lines: list[tuple[int, str]], *, length_line: str) -> str:
    """The dialect's name; `tags` are the headers by lower-case name (formats.md 7)."""
    site = tags.get("site", "").strip().lower()
    if site in _SITES:
        return _SITES[site]
    if site.startswith("backgammon studio"):
        return "bgstudio-mat"
    if "player 1" in tags or "site" in tags:
        spells_words = any(_XG_WORDS.search(text[:400]) for _, text in lines)
        return "xg-text" if spells_words else "jellyfish-mat+tags"
    return "gnubg-mat" if length_line.startswith(" ") else "jellyfish-mat"
