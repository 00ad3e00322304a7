"""Texts longer than an entry can hold: the match is imported, and the rest is reported."""

from __future__ import annotations

from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import ReadMatch
from api.exchange.reading.notes import MAX_COMMENT, parts_of
from api.imports.preparing import Order, Preparer
from api.imports.ready import FileRefused
from events.payloads.match import GameStarted
from events.personal import LONGEST
from events.values import BySeat
from tests.api.exchange.ogxm_documents import OPENING, codec, document, packed
from tests.api.exchange.record_files import BgfFile
from tests.api.exchange.test_bgf_reader import two_plays as bgf_plays
from tests.api.exchange.test_xg_reader import two_plays as xg_plays

__all__ = ["codec"]

WORDS = "A thought of Ada's on it. " * 400
LETTERS = "y" * (LONGEST + 1)


def taken(data: bytes) -> ReadMatch:
    """The one match of a file, which the door takes in too."""
    ready = Preparer(Order(log_id="imports")).ready(data, "x", source_name="x")
    assert not [one for one in ready if isinstance(one, FileRefused)]
    (found,) = read_file(data, "x")
    return found


def said(found: ReadMatch) -> str:
    """All comments, one behind the other."""
    plain: list[Any] = [fact.plain for fact in found.facts if fact.kind == "moment.marked"]
    assert all(len(one["note"]) <= LONGEST for one in plain)
    return "".join(one["note"] for one in plain)


def sgf(*, root: str = "", node: str = "", number: int = 0) -> bytes:
    info = f"MI[length:3][game:{number}][ws:0][bs:0]"
    return f"(;FF[4]GM[6]{info}PW[Ida]PB[Omar]RE[B+1]{root};W[31hefe]{node};B[42qusu])".encode()


def mat(*, head: str = "", comment: str = "") -> bytes:
    rows = f"  1) 31: 8/5 6/5                 42: 8/4 6/4\n{comment}      Wins 1 point\n"
    return f"{head} 1 point match\n\n Game 1\n Ida : 0       Omar : 0\n{rows}".encode()


@pytest.mark.parametrize("text", [WORDS, LETTERS, "y" * MAX_COMMENT])
@pytest.mark.parametrize("place", ["C", "GC", "mat", "xg", "bgf", "ogxm"])
def test_a_long_comment_is_kept_in_parts(text: str, place: str) -> None:
    text = text.strip()
    match place:
        case "C":
            data = sgf(node=f"C[{text}]")
        case "GC":
            data = sgf(root=f"GC[{text}]")
        case "mat":
            text = text[: MAX_COMMENT - 10]
            data = mat(comment=f"; {text}\n")
        case "xg":
            file = xg_plays((2524, "i", 0))
            file.comments = [text]
            data = file.bytes()
        case "bgf":
            data = bgf_plays(BgfFile(), comment=text).bytes()
        case _:
            text = text[: LONGEST - 6]
            note = {"scope": "match", "ref": 0, "author": "Ida Omar", "value": text}
            data = packed(document(OPENING, annotations=[note]))
            text = f"Ida Omar: {text}"
    found = taken(data)
    assert said(found) == text
    assert not [lost for lost in found.lost if "comment" in lost]


def test_the_end_of_a_comment_beyond_all_measure_is_lost_by_name() -> None:
    found = taken(sgf(node=f"C[{'y' * (MAX_COMMENT + 5)}]"))
    assert said(found) == "y" * MAX_COMMENT
    assert any("the end of a comment of 20005 letters" in lost for lost in found.lost)


def test_parts_end_behind_a_line_or_a_word() -> None:
    assert parts_of("") == [""]
    assert parts_of("a" * LONGEST) == ["a" * LONGEST]
    line, word = "b" * (LONGEST - 100) + "\n", "c" * 50 + " "
    assert parts_of(line + word + "d" * 90) == [line, word + "d" * 90]
    assert parts_of("a" * 3_000 + " " + "b" * 3_000) == ["a" * 3_000 + " ", "b" * 3_000]


@pytest.mark.parametrize("member", ["EV", "RO", "PC", "AN", "DT", "PW", "WR"])
def test_a_long_detail_is_cut_and_its_end_lost_by_name(member: str) -> None:
    data = sgf().replace(b"PW[Ida]", b"") if member == "PW" else sgf()
    found = taken(data.replace(b"RE[", f"{member}[{LETTERS}]RE[".encode()))
    assert [lost for lost in found.lost if lost.startswith("the end of ") and lost.endswith(": y")]
    assert LETTERS[:LONGEST] in str({**found.opened, "source": None})
    assert LETTERS not in str({**found.opened, "source": None})


def test_a_long_header_is_cut_and_its_end_lost_by_name() -> None:
    found = taken(mat(head=f'; [Event "{LETTERS}"]\n'))
    assert found.opened["event"] == LETTERS[:LONGEST]
    assert found.lost == ["the end of event: y"]


def test_a_game_whose_number_nobody_counts_has_none() -> None:
    found = taken(sgf(number=-999))
    assert [f.payload.number for f in found.facts if isinstance(f.payload, GameStarted)] == [None]
    assert found.lost == ["line 1: the number -998 of a game"]
    assert found.claimed_score == BySeat(0, 1)
