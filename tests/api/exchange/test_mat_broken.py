"""Broken files: cut off, binary, bytes flipped: a refusal with its reason, or notices."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.mat import numbers
from api.exchange.mat.cells import Act, Cell, Row
from api.exchange.mat.columns import LOOKED_AT
from api.exchange.mat.cut import Line
from api.exchange.mat.headings import MAX_LINES
from api.exchange.mat.reader import MatchReader
from api.exchange.readers import read_file
from api.exchange.reading.facts import NoticeCode, ReadMatch, Refused
from api.exchange.reading.sniff import MAX_FILE_BYTES, Format, sniff
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Wanted
from events.payloads.dice import Rolled
from events.payloads.match import GameWon
from events.payloads.play import PlayMade
from tests.api.exchange.recorded import survives
from tests.projections.table import Table

GOLDEN = Path(__file__).parents[2] / "golden" / "files"
FILES = sorted(path for path in GOLDEN.iterdir() if path.suffix in (".mat", ".txt"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"RGMH\x00\x00", "header is not whole"),
        (b"(;FF[4]GM[6]MI[length:3];W[31he", "no end"),
        (b'{"version":1}\n\x1f\x8b\x08', "has no end"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "known format"),
        (b"Dear Ada, the match was fun.\n", "known format"),
        (b" 3 point match\n\n Game 1\n A : 0     B : 0\n  1) 31: 8/5\x00 6/5\n", "control"),
        (b" Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5\n", "point match"),
        (b" 5000 point match\n", "5000 points"),
        (b" 3 point match\n\n Game 1\n", "heading"),
        (b" 3 point match\n\n Game 1\n A : 0     B : 0", "beginning"),
        (b" 3 point match\n\n Game 1\n A : 0     B : 0\n  1) 3", "beginning"),
    ],
)
def test_refusals_name_their_reason_and_what_to_do(data: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=f"{reason}.*; (copy|save|put)"):
        read_file(data, "x.mat")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"MatchId: 1\nPlayer1: A\nMaxPoints: 5\nGame 1: 0-0\n 1 1 31\n", "TMG.*; import it into"),
        (b"A vs. B\nGame 1.0*-0/7\n1\t31 8/5 6/5\n", "SGG.*; import it into"),
        (b"Score is 0-0 in a 5 point match.\nX: (5 3) 13-8 24-21\n", "oldmoves.*; import it into"),
        (b" A     B\n 1) 31: 8/5 6/5     62: 24/18 13/11\n", r"\.gam.*; put"),
        (b"bgammon-replay 3\ni 1 a b\n", "bgammon; save"),
        (b"{\\rtf1 5 point match\\par\n Game 1\\par\n}", "RTF.*; copy"),
        (b"<!DOCTYPE html>\n<p>No match.</p>\n", "page of the web.*; copy"),
        (b"%PDF-1.4\n", "PDF.*; copy"),
        (b"(;GM[1]FF[4];B[aa])", "mark of backgammon; leave it out"),
        (b"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\n", "position; import the match"),
        (b" +13-14-15-16-\n |\n\n Position-ID: Mw5jkCQyz+AhAg\n", "position; import the match"),
        (b" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n", "position; import the match"),
        (b"The score (after 0 games) is: A 0, B 0\n Position ID: x\n", "people; .* as .mat"),
        (" 5 point match\n\n Game 1\n".encode("utf-16-be"), "UTF-16 without the mark.*; save"),
        (b"\xff\xfe" + "5 point match\n".encode("utf-16-le") + b"\0\xd8A\0", "UTF-16, and.*; save"),
    ],
)
def test_what_is_known_and_not_read_is_called_by_its_name(data: bytes, what: str) -> None:
    with pytest.raises(Refused, match=what):
        read_file(data, "x.mat")


@pytest.mark.parametrize("form", ["text", "html"])
@pytest.mark.parametrize("length", [5, None])
def test_what_is_written_for_people_is_not_told_to_add_a_length(
    form: str, length: int | None
) -> None:
    played = Table(length).game().turn("one", 31, "8/5 6/5").replay
    with pytest.raises(Refused, match=r"a match for people; export the match as \.mat"):
        read_file(WRITERS[form].write(played, Wanted()).content, "x")


def codes(match: ReadMatch) -> list[str]:
    return [notice.code.value for notice in match.notices]


def told(match: ReadMatch) -> list[object]:
    return [(fact.tag, fact.payload) for fact in match.facts[1:]]


NAMED = """ 1 point match

 Game 1
 R\xe9n\xe9 : 0           Ada : 0
  1) 31: 8/5 6/5              62: 24/18 13/11
; for R\xe9n"""


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_a_file_that_ends_inside_a_letter_is_read_up_to_it(mark: bytes) -> None:
    (whole,) = read_file(mark + NAMED.encode(), "x.mat")
    (cut,) = read_file(mark + NAMED.encode() + "\xe9".encode()[:1], "x.mat")
    assert cut.opened["players"]["one"] == [{"name": "R\xe9n\xe9"}]
    assert (told(cut), codes(cut)) == (told(whole), ["cut-off", *codes(whole)])


def test_utf_16_of_which_a_byte_is_missing_is_read_up_to_it() -> None:
    (whole,) = read_file(NAMED.encode("utf-16"), "x.mat")
    (cut,) = read_file(f"{NAMED}.".encode("utf-16")[:-1], "x.mat")
    assert (told(cut), codes(cut)) == (told(whole), ["encoding", "cut-off", *codes(whole)[1:]])


def test_windows_text_behind_a_mark_of_utf_8_is_read_with_a_notice() -> None:
    (plain,) = read_file(NAMED.encode("cp1252"), "x.mat")
    (marked,) = read_file(codecs.BOM_UTF8 + NAMED.encode("cp1252"), "x.mat")
    assert marked.opened["players"] == plain.opened["players"]
    assert (told(marked), codes(marked)) == (told(plain), codes(plain))
    assert "mark of UTF-8" in marked.notices[0].message


def test_one_last_letter_alone_makes_no_utf_8_of_a_windows_text() -> None:
    text = NAMED.replace("\xe9", "e") + "\xe9"
    (match,) = read_file(text.encode("cp1252"), "x.mat")
    assert codes(match)[0] == "encoding"


def test_names_of_programs_in_japan_are_read_with_a_notice() -> None:
    text = NAMED.replace("R\xe9n\xe9", "\u9ad8\u6a4b \u30e8\u30fc\u30b3").replace("\xe9", "e")
    (match,) = read_file(text.encode("shift_jis"), "x.mat")
    (plain,) = read_file(text.encode(), "x.mat")
    assert match.opened["players"] == plain.opened["players"]
    assert (told(match), codes(match)) == (told(plain), ["encoding", *codes(plain)])
    assert match.notices[0].message == "not UTF-8; read as Shift JIS"


@pytest.mark.parametrize("odd", [b"\x8da", b"\x8d ", b"\x8d\x82\x8d "])
def test_bytes_that_no_code_page_has_are_no_text(odd: bytes) -> None:
    with pytest.raises(Refused, match="neither UTF-8 nor Windows-1252"):
        read_file(NAMED.encode("cp1252") + odd, "x.mat")


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\x1a"])
def test_zero_bytes_that_a_disk_has_put_behind_a_file_are_told(end: bytes) -> None:
    (whole,) = read_file(NAMED.encode() + end, "x.mat")
    (filled,) = read_file(NAMED.encode() + end + bytes(300), "x.mat")
    is_known_end = end.endswith(b"\x1a")
    assert told(filled) == told(whole)
    assert codes(filled) == [*([] if is_known_end else ["cut-off"]), *codes(whole)]
    with pytest.raises(Refused, match="control characters"):
        read_file(NAMED.encode() + bytes(9) + b"\n" + end + bytes(300) + b"x", "x.mat")


def test_a_file_too_large_is_refused_unread() -> None:
    with pytest.raises(Refused, match="larger"):
        read_file(b" 1 point match\n" + b" " * MAX_FILE_BYTES, "x.mat")


def test_rows_above_the_length_of_the_match_are_lost_by_name() -> None:
    row = "  1) 31: 8/5 6/5                52: 13/8 13/11"
    lines = [" Game 1", " A : 0          B : 0", row, "5 point match", " Game 2"]
    (match,) = read_file("\n".join([*lines, " A : 1          B : 0", row, ""]).encode(), "x.mat")
    assert match.rolls == 2
    assert [(one.code, one.line) for one in match.notices][:1] == [(NoticeCode.LINE_NOT_READ, 3)]
    assert match.lost == [f"line 3: {row.strip()}"]


def test_an_unfinished_game_with_whole_rows_is_accepted() -> None:
    data = b" 3 point match\n\n Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5       42: 8/4 6/4"
    (match,) = read_file(data, "x.mat")
    assert match.rolls == 2


@pytest.mark.parametrize(
    ("tail", "kept"),
    [
        ("  1) 31: 8/5 6/", ["one 31"]),
        ("  1) 31: 8/5", ["one 31"]),
        ("  1) 31:", ["one 31"]),
        ("  1) 31: 8/5 6/5      4", ["one 31", "one 8/5 6/5"]),
        ("  1) 31: 8/5 6/5      42:", ["one 31", "one 8/5 6/5", "two 42"]),
        ("  1) 31: 8/5 6/5      42: 8/4 6/", ["one 31", "one 8/5 6/5", "two 42"]),
        ("  1) 31: 8/5 6/5\n      Wins 1", ["one 31", "one 8/5 6/5"]),
        ("  1) 31: 8/5 6/5\n      Wins 3 point\n\n Gam", ["one 31", "one 8/5 6/5", "one wins 3"]),
        ("  1) 31: 8/5 6/5\n      Wins 3 point\n\n Game 2\n",
         ["one 31", "one 8/5 6/5", "one wins 3"]),
        ("  1) 31: 8/5 6/5\n      Wins 2 point\n\n Game 2\n A : 2     B : 1",
         ["one 31", "one 8/5 6/5", "one wins 2"]),
    ],
)  # fmt: skip
def test_what_is_certain_of_a_file_that_is_cut_off_is_kept_with_a_remark(
    tail: str, kept: list[str]
) -> None:
    head = " 3 point match\n\n Game 1\n A : 0     B : 0\n"
    (match,) = read_file((head + tail).encode(), "x.mat")
    assert list(_done(match)) == kept
    [remark] = [one for one in match.notices if one.code is NoticeCode.CUT_OFF]
    assert remark.raw == tail.rstrip("\n").rpartition("\n")[2].strip()
    assert len(match.lost) == 1


@pytest.mark.parametrize("end", ["", "   ", "\n  2)", "\n  2) ", "      "])
def test_a_whole_row_needs_no_line_end(end: str) -> None:
    head = " 3 point match\n\n Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5"
    (match,) = read_file((head + end).encode(), "x.mat")
    assert list(_done(match)) == ["one 31", "one 8/5 6/5"]
    assert {one.code for one in match.notices} == {NoticeCode.UNFINISHED}
    assert match.lost == []


def _done(match: ReadMatch) -> Iterator[str]:
    """Throws, plays and wins of a match, in words."""
    for fact in match.facts:
        match fact.payload:
            case Rolled(seat=seat, dice=dice):
                yield f"{seat.value} {dice[0]}{dice[1]}"
            case PlayMade(seat=seat, moves=moves):
                yield " ".join(
                    (seat.value, *(f"{one.from_point}/{one.to_point}" for one in moves or ()))
                )
            case GameWon(winner=seat, points=points):
                yield f"{seat.value} wins {points}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_cut_anywhere(path: Path) -> None:
    """What is kept of a cut file is the beginning of the whole: nothing is invented at the cut."""
    data = path.read_bytes()
    whole = [list(_done(match)) for match in survives(data)]
    for k in range(len(data)):
        for told, match in zip(whole, survives(data[:k]), strict=False):
            kept = [one for one in _done(match) if " wins " not in one]
            assert kept == [one for one in told if " wins " not in one][: len(kept)], k


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_lines_left_out_or_doubled(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    for k in range(len(lines)):
        survives(b"".join(lines[:k] + lines[k + 1 :]))
        survives(b"".join(lines[: k + 1] + lines[k:]))


def flipped(seed: int) -> bytes:
    """A home-made file with a few bytes changed, doubled or lost."""
    chance = random.Random(seed)
    data = bytearray(chance.choice(FILES).read_bytes())
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                data[at] = chance.choice(b"0123456789/:;()*? \n\tWG")
            case 2:
                del data[at : at + chance.randint(1, 9)]
            case _:
                data[at:at] = data[chance.randrange(len(data)) :][: chance.randint(1, 40)]
        if not data:
            break
    return bytes(data)


def test_two_thousand_damaged_files() -> None:
    for seed in range(2_000):
        survives(flipped(seed))


@pytest.mark.long
def test_a_hundred_thousand_damaged_files() -> None:
    for seed in range(2_000, 102_000):
        survives(flipped(seed))


@given(st.text(max_size=300))
def test_any_text_in_a_game(text: str) -> None:
    head = " 5 point match\n\n Game 1\n Ada : 0           Ben : 0\n"
    survives((head + text).encode("utf-8", "replace"))


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    survives(data)
    survives(b" 5 point match\n" + data)


@pytest.mark.parametrize(
    "line",
    [
        " : 0" * 40_000,
        " " * 300_000 + ": 0",
        "1) " * 50_000,
        " 13/7" * 50_000,
        "31: " + "8/5 " * 4_000,
        ";" * 100_000,
        "Illegal play (" * 20_000,
        "31: Illegal play (" + ";" * 18_000,
        "Doubles => " * 1_700,
        "Game " * 50_000,
        "x/" * 9_000,
        "; illegal Game 1, Move 1 of" + " " * 19_000,
        "; illegal Game 1, Move 1 of x" + " -" * 9_000,
        "; illegal " + "Game 1, Move 1 of " * 1_000,
        "; illegal Game" + " " * 19_000,
        "; [" + " " * 19_000,
        "; [Event" + " " * 19_000 + "x",
        "; [Event " + '" ' * 9_000,
        "\x1a" * 1_000_000 + "x\x1a",
        " \x1a" * 500_000 + "x\x1a",
    ],
)
def test_hostile_lines_cost_little(line: str) -> None:
    head = " 5 point match\n\n Game 1\n Ada : 0           Ben : 0\n"
    survives((head + line + "\n").encode())
    survives((head + "\n Game 2\n" + line + "\n").encode())
    survives((line + "\n" + head).encode())


@pytest.mark.parametrize("data", [b"(" * 60_000, b"( \n" * 20_000, b"x(" * 30_000])
def test_brackets_without_a_tree_cost_little(data: bytes) -> None:
    assert sniff(data) is sniff(b"x" + data) is Format.UNKNOWN
    assert sniff(data + b";GM[6]") is sniff(b"x" + data + b"(;GM[6]") is Format.SGF


class Counted(list[Line]):
    """Lines that count how many of them are copied."""

    copied = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.copied += len(found) if isinstance(key, slice) else 0
        return found


@pytest.mark.parametrize("line", [" Ada : 0     Ben : 0", " Game 1 and words"])
def test_what_stands_below_a_line_is_looked_up_without_a_copy(line: str) -> None:
    text = [" 5 point match", " Game 1", *[line] * 1_000]
    lines = Counted(enumerate(text, 1))
    MatchReader(lines, ordinal=1, source={"sha256": ""}).read(lacks_end=False)
    assert lines.copied <= LOOKED_AT


def test_rows_of_one_number_are_not_looked_at_again_for_each_that_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[Row] = []
    rolled = numbers._rolled
    monkeypatch.setattr(numbers, "_rolled", lambda row: looked.append(row) or rolled(row))
    roll = Cell(Act.ROLL)
    rows = [Row(1, roll, None), Row(1, None, roll), *[Row(1, None, roll)] * 100]
    told = [*map(numbers.Numbers().followed_by, rows)]
    assert told == [None, None, *["row 1 comes again"] * 100]
    assert len(looked) <= 2 * len(rows)


def test_a_file_of_empty_lines_is_refused_before_it_takes_a_gigabyte() -> None:
    for end in ("\n", "\r", "\r\n"):
        with pytest.raises(Refused, match="lines"):
            read_file(f" 5 point match\n{end * (MAX_LINES + 1)}".encode(), "x.mat")
