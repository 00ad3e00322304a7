"""Texts in drawings stay in their space, and as much of a text is kept as fits there."""

from __future__ import annotations

import re
import struct
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.prose import lettering
from api.exchange.prose.drawing import ShownCube, render_board
from api.exchange.prose.lettering import lettered, width
from api.html.moments import Moment
from api.html.painting import FONTS
from api.html.pictures import CARD, Card, card_svg
from events.values import BySeat
from projections.board.position import STARTING

SVG = "{http://www.w3.org/2000/svg}"
CUT = "\N{HORIZONTAL ELLIPSIS}"
NAMES = (
    "Ada Lindqvist",
    "MARKUS HAMMAN",
    "Gwendolyn Mommsen Wagner",
    "MUNICH MIDSUMMER MASTERS 2026",
    "WILMA MOMMSEN / MAXIMILIAN WOLFGANG WAMMES",
    "Жанна Шульц / Юрий Щедрин-Жмых",
    "Ωραία Παπαδοπούλου / Γεώργιος Μπαμπινιώτης",
)


def advances() -> dict[str, float]:
    """How wide each letter of the bold font is, in em, by its own tables (cmap 4, hmtx)."""
    font = (FONTS / "DejaVuSans-Bold.ttf").read_bytes()

    def number(at: int) -> int:
        return int.from_bytes(font[at : at + 2], "big")

    tables = {
        font[at : at + 4]: struct.unpack(">I", font[at + 8 : at + 12])[0]
        for at in range(12, 12 + 16 * number(4), 16)
    }
    em, count = number(tables[b"head"] + 18), number(tables[b"hhea"] + 34)
    maps = tables[b"cmap"]
    places = [maps + number(maps + 10 + 8 * one) for one in range(number(maps + 2))]
    table = next(at for at in places if number(at) == 4)
    room = number(table + 6)
    found = {}
    for at in range(table + 14, table + 14 + room, 2):
        start, delta, place = (number(at + 2 + room * step) for step in (1, 2, 3))
        for code in range(start, min(number(at), 0xFFFE) + 1):
            near = at + 2 + 3 * room + place + 2 * (code - start)
            glyph = min(number(near) if place else (code + delta) & 0xFFFF, count - 1)
            found[chr(code)] = number(tables[b"hmtx"] + 4 * glyph) / em
    return found


ADVANCES = advances()


def drawn_width(text: str) -> float:
    """The same of a text; the font has no space of its own."""
    return sum(ADVANCES.get(mark, 0.35) for mark in text)


def test_no_name_is_wider_than_it_is_taken_to_be() -> None:
    assert ADVANCES["m"] > 1 > ADVANCES["a"] > ADVANCES["i"] > 0.3
    for name in NAMES:
        assert drawn_width(name) <= width(name) < 1.3 * drawn_width(name), name
    for code in range(0x21, 0x7F):
        assert ADVANCES[chr(code)] <= width(chr(code)) + 0.01, chr(code)


@given(st.text(max_size=60), st.integers(30, 300))
def test_a_text_is_whole_or_its_beginning_and_stays_in_its_room(text: str, room: int) -> None:
    sizes = (14, 11, 9)
    shown, size = lettered(text, room, sizes)
    assert width(shown) * size <= room
    if shown == text:
        assert all(width(text) * larger > room for larger in sizes if larger > size)
    else:
        assert shown.endswith(CUT)
        assert text.startswith(shown.removesuffix(CUT))
        assert size == 9


def test_a_text_of_any_length_is_measured_once_for_each_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: list[str] = []
    true = lettering._width
    monkeypatch.setattr(lettering, "_width", lambda mark: measured.append(mark) or true(mark))
    text = "Ada " * 1_000
    shown, size = lettered(text, 300, (14, 11, 9))
    assert (size, shown[:4], len(shown) < 60) == (9, "Ada ", True)
    assert len(measured) < 4 * len(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_a_board_ends_before_the_pip_count_does_begin(name: str) -> None:
    root = ElementTree.fromstring(render_board(STARTING, names=BySeat(name, name), has_pips=True))
    names = [node for node in root if node.get("class") == "p"]
    counts = [node for node in root if node.get("class") == "q"]
    assert len(names) == len(counts) == 2
    for node, count in zip(names, counts, strict=True):
        end = float(node.attrib["x"]) + drawn_width(node.text or "") * size_of(node)
        assert end < float(count.attrib["x"]) - 11 * drawn_width(count.text or "")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_on_a_card_runs_over_its_edge(name: str) -> None:
    card = Card(name, BySeat(name, name), BySeat(11, 2), None, (name, "match to 11 points"))
    moment = Moment(
        1, "", STARTING, ShownCube(), None, BySeat(0, 0), 1, None, False, None, None, ""
    )
    root = ElementTree.fromstring(card_svg(card, moment))
    texts = [node for node in root if node.tag == f"{SVG}text"]
    assert len(texts) == 8
    for node in texts:
        wide = drawn_width(node.text or "") * size_of(node)
        start = float(node.attrib["x"])
        assert (start if "anchor:end" in node.attrib["style"] else start + wide) <= CARD[0] - 20


def test_a_usual_name_is_whole_and_as_large_as_it_can_be() -> None:
    assert lettered("Ada Lindqvist", 400, (40, 30, 20)) == ("Ada Lindqvist", 40)
    assert lettered("Gwendolyn Mommsen Wagner", 360, (40, 30, 19)).size == 19


def size_of(node: ElementTree.Element) -> int:
    """In which size a text is drawn."""
    found = re.search(r"(\d+)px", node.attrib["style"])
    assert found is not None
    return int(found[1])
