"""Boards drawn as SVG show exactly the position, the cube and the dice."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.prose.drawing import (
    IN_THE_MIDDLE,
    SYMBOLS,
    Direction,
    ShownCube,
    ShownDice,
    board_on_page,
    described,
    render_board,
)
from events.values import BySeat, Seat
from projections.board.position import STARTING, Position

NAMES = BySeat("Ada", "Ben")
SVG = "{http://www.w3.org/2000/svg}"

COUNTS = st.dictionaries(st.integers(0, 25), st.integers(1, 16), max_size=8).map(
    lambda found: tuple(found.get(point, 0) for point in range(26))
)
POSITIONS = st.builds(Position, COUNTS, COUNTS)


class Drawn:
    """The content of a drawing, read back from its elements."""

    def __init__(self, svg: str) -> None:
        root = ElementTree.fromstring(svg)
        self.texts = [node.text for node in root if node.tag == f"{SVG}text"]
        self.uses = [node.attrib for node in root if node.tag == f"{SVG}use"]
        self.checkers: Counter[str] = Counter()
        self.at: Counter[tuple[str, int, int]] = Counter()
        nodes = list(root)
        for place, node in enumerate(nodes):
            found = re.fullmatch(r"#([ld])([0-9])u?", node.get("href", ""))
            if found:
                following = nodes[place + 1] if place + 1 < len(nodes) else None
                is_numbered = following is not None and following.get("class") == f"n{found[1]}"
                count = int(following.text) if is_numbered else int(found[2])  # type: ignore
                self.checkers[found[1]] += count
                self.at[found[1], int(node.attrib["x"]), int(node.attrib["y"])] += count
        self.off = [node.text for node in root if node.get("class") == "w"]


@given(POSITIONS, st.sampled_from(Direction))
def test_as_many_checkers_are_drawn_as_there_are(position: Position, direction: Direction) -> None:
    drawn = Drawn(render_board(position, direction=direction))
    assert drawn.checkers["l"] == sum(position.own[1:])
    assert drawn.checkers["d"] == sum(position.other[1:])
    off = [str(side[0]) for side in (position.own, position.other) if side[0]]
    assert drawn.off == off


@given(POSITIONS, st.sampled_from(Direction))
def test_every_stack_has_a_place_of_its_own(position: Position, direction: Direction) -> None:
    drawn = Drawn(render_board(position, direction=direction))
    stacks = sum(bool(count) for side in (position.own, position.other) for count in side[1:])
    assert len(drawn.at) == stacks
    places = {(x, y) for _, x, y in drawn.at}
    assert len(places) == stacks


def test_a_drawing_mirrored_is_the_same_board() -> None:
    right, left = (Drawn(render_board(STARTING, direction=one)) for one in Direction)
    width = 2 * 30 + 12 * 20 + 24
    assert left.at == Counter({(who, width - x, y): n for (who, x, y), n in right.at.items()})


def test_of_more_than_five_the_last_carries_the_number() -> None:
    counts = tuple({6: 5, 8: 6}.get(point, 0) for point in range(26))
    drawn = Drawn(render_board(Position(counts, (0,) * 26), None))
    assert drawn.texts == ["6"]


@pytest.mark.parametrize(
    ("cube", "text"), [(IN_THE_MIDDLE, ["1"]), (ShownCube(64, Seat.TWO), ["64"]), (None, [])]
)
def test_the_cube_shows_its_value(cube: ShownCube | None, text: list[str]) -> None:
    assert Drawn(render_board(STARTING, cube)).texts == text


def test_the_cube_lies_on_its_owners_side() -> None:
    at = {}
    for owner in (None, *Seat):
        drawn = Drawn(render_board(STARTING, ShownCube(2, owner)))
        [at[owner]] = [int(use["y"]) for use in drawn.uses if use["href"] == "#c"]
    assert at[Seat.TWO] < at[None] < at[Seat.ONE]


@pytest.mark.parametrize("owner", [None, *Seat])
def test_an_offered_cube_is_turned_and_lies_on_the_way_to_whoever_has_to_answer(
    owner: Seat | None,
) -> None:
    for seat in Seat:
        drawn = Drawn(render_board(STARTING, ShownCube(4, owner, offered_by=seat)))
        assert drawn.texts == ["8"]
        [offered] = [int(use["y"]) for use in drawn.uses if use["href"] == "#c"]
        places = []
        for lying in (None, seat.other):
            plain = Drawn(render_board(STARTING, ShownCube(4, lying)))
            places += [int(use["y"]) for use in plain.uses if use["href"] == "#c"]
        assert min(places) < offered < max(places)


@pytest.mark.parametrize(("seat", "colour"), [(Seat.ONE, "l"), (Seat.TWO, "d")])
def test_the_dice_are_those_of_whoever_rolled(seat: Seat, colour: str) -> None:
    drawn = Drawn(render_board(STARTING, dice=ShownDice(seat, (6, 1))))
    faces = [use["href"] for use in drawn.uses if re.match("#[ld]f", use["href"])]
    assert faces == [f"#{colour}f6", f"#{colour}f1"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_name_is_text_and_nothing_else(one: str, two: str) -> None:
    plain = ElementTree.fromstring(render_board(STARTING, names=NAMES))
    named = ElementTree.fromstring(render_board(STARTING, names=BySeat(one, two)))
    shape = [(node.tag, sorted(node.attrib)) for node in plain.iter()]
    assert [(node.tag, sorted(node.attrib)) for node in named.iter()] == shape


def test_a_board_is_told_in_words() -> None:
    counts = tuple({25: 1, 6: 2, 0: 12}.get(point, 0) for point in range(26))
    words = described(Position(counts, (0,) * 26), NAMES)
    assert words == "Ada: 1 on bar, 2 on 6, 12 off; Ben: no checkers"


def test_everything_that_a_drawing_uses_is_among_the_symbols() -> None:
    known = set(re.findall(r'id="([a-z0-9]+)"', SYMBOLS))
    many = Position(tuple([16] * 26), tuple([3] * 26))
    for direction in Direction:
        for seat in Seat:
            dice = ShownDice(seat, (2, 5))
            drawn = board_on_page(many, ShownCube(4096, seat), dice, NAMES, direction)
            assert set(re.findall(r'href="#([a-z0-9]+)"', drawn)) <= known
    assert set(re.findall(r'href="#([a-z0-9]+)"', SYMBOLS)) <= known
