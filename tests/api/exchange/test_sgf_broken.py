"""SGF text taken apart, and broken files: a refusal with its reason, or notices, and no more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.readers import read_file
from api.exchange.reading.facts import NoticeCode, Refused
from api.exchange.sgf.grammar import MAX_PARTS, escaped, parsed, plain
from tests.api.exchange.recorded import survives

GOLDEN = Path(__file__).parents[2] / "golden" / "files"
FILES = sorted(GOLDEN.glob("*.sgf"))


# -- grammar ----------------------------------------------------------------------------------


def test_nodes_keep_their_lines_and_values() -> None:
    ((tree,), notices) = parsed("(;A[1]B[2][3]\n;C[x\ny]\r\n;D[4])")
    assert not notices
    assert [node.line for node in tree.nodes] == [1, 2, 4]
    assert [p.values for p in tree.nodes[0].properties] == [("1",), ("2", "3")]
    assert tree.nodes[1].value("C") == "x\ny"
    assert tree.nodes[2].value("A") is None


def test_escapes_are_undone() -> None:
    assert plain("a\\]b\\\\c\\:d\\\ne\\\r\nf") == "a]b\\c:def"


@given(st.text())
def test_escaped_text_comes_back(text: str) -> None:
    ((tree,), _) = parsed(f"(;C[{escaped(text)}])")
    assert tree.nodes[0].value("C") == text


def test_small_letters_of_names_are_left_out() -> None:
    ((tree,), _) = parsed("(;GaMe[6])")
    assert tree.nodes[0].value("GM") == "6"


def test_the_first_variation_is_the_main_line() -> None:
    ((tree,), _) = parsed("(;A[1](;B[2](;C[3])(;C[4]))(;B[5];C[6]))")
    assert [node.properties[0].values[0] for node in tree.nodes] == ["1", "2", "3"]
    assert tree.left_out == 3


def test_noise_between_and_inside_the_trees_is_remarked_on_its_line() -> None:
    trees, notices = parsed("x\n(;A[1]\n,,;B[2])\nnoise\n(;A[3])")
    assert len(trees) == 2
    assert [(notice.line, notice.raw) for notice in notices] == [(1, "x"), (3, ",,"), (4, "noise")]


@pytest.mark.gate
@pytest.mark.parametrize(
    "text",
    [
        "(" * 400_000,
        "(;" + "A[]" * 200_000 + ")",
        "(;" + "a" * 10_000_000,
        "(" + "]a" * 200_000,
        "(;A" + "[]" * 400_000 + ")",
        "(" + ";" * 400_000,
    ],
    ids=["brackets", "properties", "name", "noise", "values", "nodes"],
)
def test_too_many_parts_are_refused_early(text: str) -> None:
    with pytest.raises(Refused, match=f"{MAX_PARTS} parts"):
        parsed(text)


def test_a_value_without_end_is_read_once() -> None:
    ([tree], [notice]) = parsed("(;C[" + "\\]x" * 3_000_000)
    assert not tree.is_closed
    assert notice.code is NoticeCode.CUT_OFF


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"(;GM[6]MI[length:3]", "last game has no end"),
        (b"(;GM[6]MI[length:3];W[31he", "a value has no end"),
        (b"(;GM[6]MI[length:3]PW[A", "a value has no end"),
        (b"(;GM[6]MI[length:5000])", "5000 points"),
        (b"(;GM[6]MI[length:-2])", "-2 points"),
        (b"(;GM[6])()", "without a node"),
        (b"(;GM[6]PW[A\x00])", "control characters"),
    ],
)
def test_refusals_name_their_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        read_file(data, "x.sgf")


def test_another_encoding_is_read_with_a_notice() -> None:
    (found,) = read_file("(;GM[6]MI[length:3]PW[Ren\xe9];W[31hefe])".encode("cp1252"), "x.sgf")
    assert found.opened["players"]["one"] == [{"name": "Ren\xe9"}]
    assert found.notices[0].code is NoticeCode.ENCODING


def test_an_old_file_with_long_names_is_one() -> None:
    text = b"(;FileFormat[1]GaMe[6]PlayerWhite[Ada]PlayerBlack[Ben];White[31hefe])"
    (found,) = read_file(text, "x.sgf")
    assert found.opened["players"]["one"] == [{"name": "Ada"}]
    assert found.rolls == 1


def test_what_a_root_says_again_and_otherwise_is_lost_by_name() -> None:
    root = "(;GM[6]MI[length:5]MI[game:0][length:7]PW[Ada]PW[Ada]PB[Ben]PB[B\\]o];W[31hefe])"
    (found,) = read_file(root.encode(), "x.sgf")
    assert found.length == 5
    assert found.lost == ["line 1: MI[length:7]", "line 1: PB[B\\]o]"]
    told = [n for n in found.notices if n.code is NoticeCode.LINE_NOT_READ]
    assert [notice.line for notice in told] == [1, 1]
    node = root.replace("hefe]", "hefe]DT[2020-01-02]DT[2021-01-02]")
    (found,) = read_file(node.encode(), "x.sgf")
    assert not [lost for lost in found.lost if "DT[" in lost]  # no root says that


FIRST = b"(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[Ada]PB[Ben]RE[W+1];W[31hefe];B[42qutu])\n"
SECOND = FIRST.strip().replace(b"game:0][ws:0", b"game:1][ws:1")


@pytest.mark.parametrize(
    ("left", "rolls", "games"),
    [
        (b"", 2, 1),
        (b"(;GM[6]MI[length:3][game:1]PW[Ada]PB[B", 2, 1),
        (SECOND[:-1], 4, 2),
        (SECOND[: -len(b"tu])")], 3, 2),
        (SECOND[:-1] + b"C[a word", 4, 2),
        (SECOND[:-1] + b";W", 4, 2),
    ],
)
def test_of_a_file_that_is_cut_off_what_is_certain_is_kept(
    left: bytes, rolls: int, games: int
) -> None:
    (found,) = read_file(FIRST + left, "x.sgf")
    assert (found.rolls, found.games) == (rolls, games)
    cut = [notice.line for notice in found.notices if notice.code is NoticeCode.CUT_OFF]
    assert cut == ([2] if left else [])
    assert bool(found.lost) is bool(left)


@pytest.mark.parametrize("end", [b"", b"[h", b"[h]"])
def test_a_board_that_may_not_be_whole_is_not_set(end: bytes) -> None:
    data = FIRST + SECOND[:-1] + b";AE[a:y]AW[f][g]" + end
    (found,) = read_file(data, "x.sgf")
    assert not [fact for fact in found.facts if fact.tag == "position.stated"]
    assert any("AE[a:y]AW[f][g]" in what for what in found.lost)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_cut_anywhere_is_told(path: Path) -> None:
    data = path.read_bytes().rstrip()
    for k in filter(lambda k: survives(data[:k]), range(len(data))):
        # Where a tree ends, what is there is a whole file, noise after it or not.
        is_whole = data[:k].rstrip(b"noise\n ").endswith(b")")
        codes = {one.code for found in read_file(data[:k], "x.sgf") for one in found.notices}
        assert is_whole or NoticeCode.CUT_OFF in codes


@pytest.mark.gate
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_bytes_exchanged_or_taken_out_break_nothing(path: Path) -> None:
    chance = random.Random(path.name)
    data = path.read_bytes()
    pieces = b"[]();\\WBAEDICVPLabxyz0169 \n\xe9"
    read = 0
    for _ in range(400):
        work = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 5, 20))):
            place = chance.randrange(len(work))
            match chance.randrange(3):
                case 0:
                    work[place] = chance.choice(pieces)
                case 1:
                    del work[place : place + chance.choice((1, 1, 3, 40))]
                case _:
                    work[place:place] = bytes(chance.choices(pieces, k=chance.choice((1, 2, 8))))
        read += bool(survives(bytes(work)))
    assert 20 < read < 400
