"""Whatever players are called, GNU Backgammon and GammonView read the match that we wrote."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable

import pytest

from api.exchange.mat import writer as mat
from api.exchange.readers import read_file
from api.exchange.writing.wanted import Details, Illegal
from events.values import BySeat
from projections.replay import replay
from tests.api.exchange.recorded import events_of
from tests.api.exchange.roundtrip import differences
from tests.oracles import gammonview
from tests.oracles.comparing import compared
from tests.oracles.conftest import Reads
from tests.oracles.illegal import match_with
from tests.projections.streams import legal_match

pytestmark = pytest.mark.gate

HOSTILE = {
    "colon": "Ada: 3",
    "semicolon": "; Ada;Ben",
    "parenthesis": "1) Ada (x) )",
    "rating": "Berg, 9",
    "rating without a blank": "Berg,1800",
    "empty": "",
    "blank": "   ",
    "long": "Wolfeschlegelsteinhausenbergerdorff the Elder",
    "long in bytes": "Ærøskøbing Ñandú Øystein Åsmundsdóttir",
    "game": "Game Boy",
    "game line": " Game 2",
    "game in capitals": "GAME 2 Ada",
    "length line": "5 point match",
    "wins": "Wins 3 points and the match",
    "dice": "31: 8/5 6/5",
    "drops": "Drops",
    "right to left": "שלום \u202eעולם",
    "emoji": "🎲🎲🎲 Ada 👩‍👩‍👧‍👦",
    "control": "A\x00d\x1ba\x7f\r\n Ben",
    "tab": "Ada\tBen",
    "line separator": "Ada\u2028Game 2\u0085x",
    "quotes": 'Ada "the [dice]" \\',
    "hash": "# Ada",
    "bracket": '[Player 1 "Ben"]',
    "percent": "%s%n%d",
    "bom": "\ufeffAda",
    "half a pair": "Ada\ud800",
    "two blanks": "Ada  :  Ben",
    "number": "  42",
    "illegal play": "Illegal play (1;2;3;)",
    "combining": "A" + "\u0301" * 60,
}


@pytest.mark.parametrize("illegal", ["raw", "stated"])
@pytest.mark.parametrize("side", ["left", "right", "both"])
def test_gnubg_reads_the_same_match(side: str, illegal: Illegal, gnubg: Reads) -> None:
    legal, other = legal_match(4).replay, match_with("wrong pips", "left")
    assert other is not None
    chosen = other if illegal == "stated" else legal
    files = {}
    for number, name in enumerate(HOSTILE.values()):
        left, right = (name if side in (one, "both") else "Ben" for one in ("left", "right"))
        details = Details(event=name, round=name, place=name, date="2026-01-31", transcriber=name)
        written = mat.write(chosen, BySeat(left, right), details=details, illegal=illegal)
        files[f"{number}.mat"] = written.content
    counts: Counter[str] = Counter()
    for name, read in zip(HOSTILE, gnubg(files, ids=True).values(), strict=True):
        found = {one.name for one in compared(chosen, read, counts)}
        assert found <= {"stated", "rolled-only", "level"}, name
        assert not read.complaints, name
        assert all(0 < len(one.encode()) <= 31 for one in read.names), name
    assert counts["games"] > len(HOSTILE)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_we_and_gammonview_read_the_same_match(
    name: str, require: Callable[[bool, str], None]
) -> None:
    chosen = legal_match(4).replay
    # It tells the players apart by their names: two of one name are no match to it.
    for names in (BySeat(name, "Ben"), BySeat("Ben", name)):
        details = Details(event=name, round=name, place=name, transcriber=name)
        written = mat.write(chosen, names, details=details)
        (again,) = read_file(written.content, "export.mat")
        assert differences(chosen, written, replay(events_of(again))) == []
        for package in ("gvformat", "ogxm"):
            found = importlib.util.find_spec(package) is not None
            require(found, f"the package {package} is not installed")
        counts: Counter[str] = Counter()
        for document in gammonview.documents(written.text):
            # White is the one whose name is the first in the alphabet.
            is_left_white = document["player_white"] == mat.sanitised(names.one, "Player 1")
            found_other = gammonview.compared(chosen, document, counts, is_left_white=is_left_white)
            assert list(found_other) == []
        assert counts["turns"] > 50
