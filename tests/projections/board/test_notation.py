"""Plays as text, in and out, and boards drawn in characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.values import CheckerMove
from projections.board.notation import InvalidNotation, Play, drawn, format_play, parse
from projections.board.position import Position

moves = st.lists(st.builds(CheckerMove, st.integers(0, 25), st.integers(0, 25)), max_size=5).map(
    tuple
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("   ", ""),
        ("13/7*(2)", "13/7*(2)"),
        ("13/7(2)*", "13/7*(2)"),
        ("13/11/10(2)*", "13/11(2) 11/10*(2)"),
        ("13/7* 13/7", "13/7*(2)"),
        ("13/7* 13/7*", "13/7*(2)"),
        ("8/5 13/8", "13/8 8/5"),
        ("25/20 6/0", "bar/20 6/off"),
        ("Bar/20 6/Off", "bar/20 6/off"),
        ("BAR/20  6/OFF ", "bar/20 6/off"),
        ("13/11*/10", "13/11* 11/10"),
        ("8/3*/1*", "8/3* 3/1*"),
        ("24/22/20(2)", "24/22(2) 22/20(2)"),
        ("4/off(2)", "4/off(2)"),
        ("8/4*(2) 6/4(2)", "8/4*(2) 6/4(2)"),
        ("6/4*(2) 8/4", "8/4* 6/4(2)"),
        ("6/off 6/2", "6/2 6/off"),
        ("6/bar off/3", "6/bar off/3"),
    ],
)
def test_spellings_have_one_canonical_text(text: str, canonical: str) -> None:
    play = parse(text)
    assert str(play) == canonical
    assert str(parse(canonical)) == canonical
    assert eval(repr(play)) == play


def test_the_written_order_of_moves_is_kept() -> None:
    assert parse("8/5 13/8").moves == (CheckerMove(8, 5), CheckerMove(13, 8))
    assert repr(parse("8/5 13/8")) == "Play.parse('8/5 13/8')"
    assert repr(parse("13/7* 13/7")) == "Play.parse('13/7*(2)')"
    assert parse("13/11*/10").hits == (11,)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("13", 2),
        ("13/", 3),
        ("13/26", 3),
        ("13/7**", 5),
        ("13*/7", 2),
        ("13/7(0)", 4),
        ("13/7(2)(2)", 7),
        ("13/7 x", 5),
        ("13/7,8/7", 4),
        ("13/7a", 3),
        ("barn/20", 0),
        ("13/-1", 3),
        ("Cannot Move", 0),
        ("١٣/7", 0),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, offset: int) -> None:
    with pytest.raises(InvalidNotation) as refused:
        parse(text)
    assert refused.value.offset == offset
    assert refused.value.text == text


@given(st.text(alphabet="0123456789/*() barofBAROF", max_size=20))
def test_reading_ends_in_a_play_or_in_invalid_notation(text: str) -> None:
    refused = None
    try:
        play = parse(text)
    except InvalidNotation as error:
        refused = error
    if refused is None:
        assert sorted(parse(str(play)).moves, key=_key) == sorted(play.moves, key=_key)
    else:
        assert 0 <= refused.offset <= len(text)


def _key(checker_move: CheckerMove) -> tuple[int, int]:
    return checker_move.from_point, checker_move.to_point


@given(moves, st.data())
def test_parse_undoes_format(played: tuple[CheckerMove, ...], data: st.DataObject) -> None:
    landed = sorted({m.to_point for m in played})
    hits = data.draw(st.lists(st.sampled_from(landed), unique=True)) if landed else []
    play = Play(played, tuple(sorted(hits, reverse=True)))
    again = parse(format_play(play.moves, play.hits))
    assert sorted(again.moves, key=_key) == sorted(play.moves, key=_key)
    assert again.hits == play.hits
    assert format_play(again.moves, again.hits) == str(play)
    assert eval(repr(play)) == play


def test_the_start_is_drawn() -> None:
    assert (
        drawn(Position.start())
        == """\
 13 14 15 16 17 18 |   | 19 20 21 22 23 24
  x           o    |   |  o              x
  x           o    |   |  o              x
  x           o    |   |  o
  x                |   |  o
  x                |   |  o
-------------------|BAR|------------------
  o                |   |  x
  o                |   |  x
  o           x    |   |  x
  o           x    |   |  x              o
  o           x    |   |  x              o
 12 11 10  9  8  7 |   |  6  5  4  3  2  1
x 167 pips, 0 off   o 167 pips, 0 off"""
    )


def test_bars_stacks_and_shared_points_are_drawn() -> None:
    own, other = [0] * 26, [0] * 26
    own[6], own[25], own[3], own[0] = 7, 2, 1, 5
    other[22], other[25], other[1] = 1, 1, 13
    picture = Position(tuple(own), tuple(other)).draw()
    lines = picture.splitlines()
    assert lines[1] == "                   |  o|                 o"
    assert lines[5] == "                   |   |                13"
    assert lines[7] == "                   |   |  7"
    assert lines[11] == "                   |  x|  x        ?"
    assert lines[13] == "x 95 pips, 5 off   o 60 pips, 0 off"
