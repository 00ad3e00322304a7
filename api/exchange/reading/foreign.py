"""Formats that are recognised but not read, each with advice how to get a file that is."""

from __future__ import annotations

import re

_BEGINNING = 65_536
"""So many bytes tell what a file is."""

_BY_GNUBG = "import it into GNU Backgammon, and export it there as .mat"
_AS_TEXT = "copy the match out of it into a plain text (.txt, UTF-8)"
_HEADED = (
    "put `N point match` (0 for a session without a length), `Game 1` and the names with their"
    " points above it, or import it into GNU Backgammon and export it there as .mat"
)
_AS_KNOWN = "save the match as .mat, .sgf, .xg, .ogxm or .bgf"
_AS_FILE = "export the match as .mat, .sgf, .ogxm or .jsonl where this was made"
_AS_UTF8 = "save it as UTF-8"
_NO_MATCH = "import the match that it is of"

_KINDS = tuple(
    (re.compile(pattern, re.I | re.M), what, do)
    for pattern, what, do in (
        (rb"\A\s*+\{\\rtf", "a document in Rich Text Format (RTF)", _AS_TEXT),
        (rb"\A%PDF-", "a PDF document", _AS_TEXT),
        (rb"\A\xd0\xcf\x11\xe0", "a document of an office program", _AS_TEXT),
        (rb"\A<!DOCTYPE html>[^~]{0,200}default-src 'none'; style", "a match for people", _AS_FILE),
        (rb"\A\S[^\n]*+\n=++\n\n[^=]{0,2000}^Rules {3,}\S", "a match for people", _AS_FILE),
        (rb"\A\s*+<(?:!doctype|html|\?xml)", "a page of the web, without a match in it", _AS_TEXT),
        (rb"\A\s*+\(\s*+;", "an SGF file without GM[6], the mark of backgammon", "leave it out"),
        (rb"\Abgammon-replay\b", "a match of bgammon", _AS_KNOWN),
        (
            rb"^[ \t]*+Game[ \t]++[0-9]++\.[0-9]++\*?-[0-9]++\*?/[0-9]",
            "a match of GamesGrid (SGG)",
            _BY_GNUBG,
        ),
        (
            rb"^[ \t]*+Game[ \t]++[0-9]++[ \t]*+:[ \t]*+-?[0-9]++[ \t]*+-",
            "a match of TrueMoneyGames (TMG)",
            _BY_GNUBG,
        ),
        (rb"^[XO]: \([1-6] [1-6]\)", "the moves of a match on FIBS (oldmoves)", _BY_GNUBG),
        (
            rb"\A(?![\s\S]*^[ \t]*+Game[ \t])[\s\S]*?^[ \t]*+1\)[ \t]++[1-6][1-6]:",
            "a game without its match, as .gam has one",
            _HEADED,
        ),
        (
            rb"\AThe score \(after |^Move number [0-9]++:",
            "a match as GNU Backgammon tells it to people",
            "open its match there, and export it as .mat",
        ),
        (rb"^[^\n]{0,40}?\b(?:XGID=|Position[ -]ID[ ]?:)", "a single position", _NO_MATCH),
        (rb"\A\s*+[0-9]++;[01];[0-9]++;[0-9]++;", "a single position of Snowie", _NO_MATCH),
        (rb"\A(?:[^\0]\0){8}", "text in UTF-16 without the mark that says so", _AS_UTF8),
        (rb"\A(?:\0[^\0]){8}", "text in UTF-16 without the mark that says so", _AS_UTF8),
    )
)


def foreign(data: bytes) -> tuple[str, str] | None:
    """What the bytes of a file are that no reader takes, and what to do; None = nothing known."""
    beginning = data[:_BEGINNING]
    found = ((what, do) for pattern, what, do in _KINDS if pattern.search(beginning))
    return next(found, None)
