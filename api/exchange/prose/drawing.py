"""A board drawn as SVG: checkers, cube and dice of one moment, for pages, files and images.

Seat one sits at the bottom and has the light checkers. A drawing by itself (`render_board`) brings
its own symbols and style; on a page with many of them (`board_on_page`) both stand there once
(`SYMBOLS`, `STYLE`), and a drawing costs a few hundred bytes.
"""

from __future__ import annotations

import enum
import html
from collections.abc import Iterator

import msgspec

from api.exchange.prose.lettering import lettered
from events.values import BAR, OFF, BySeat, Dice, Seat
from projections.board.position import Position
from projections.folding.sayings import legible

STACK = 5
"""Checkers that are drawn on a point; of more, the last one carries the number."""

SHARED = 2
"""The same, where both players have checkers on one point."""


class BoardWords(msgspec.Struct, frozen=True):
    """What a board is described by, for those who do not see it."""

    on: str = "on"
    """Before the number of a point."""
    bar: str = "on bar"
    off: str = "off"
    none: str = "no checkers"


IN_ENGLISH = BoardWords()
"""The words of files and of pictures by themselves."""


class Direction(enum.StrEnum):
    """On which side seat one bears off."""

    RIGHT = "right"
    LEFT = "left"


class ShownCube(msgspec.Struct, frozen=True):
    """The cube as it lies."""

    value: int = 1
    """What the game is played for."""
    owner: Seat | None = None
    """On whose side; None = in the middle."""
    offered_by: Seat | None = None
    """Who has turned it to twice the value and waits for the answer; None = nobody."""


class ShownDice(msgspec.Struct, frozen=True):
    """A roll as it lies on the board."""

    seat: Seat
    """Who rolled."""
    faces: Dice
    """The faces, from left to right."""


IN_THE_MIDDLE = ShownCube()
"""The cube at the beginning of a game."""

_UNIT = 20
_SIDE = 30
_BAR_WIDTH = 24
_WIDTH = 2 * _SIDE + 12 * _UNIT + _BAR_WIDTH
_NUMBERS = 12
_HALF = 108
_HEIGHT = 2 * _NUMBERS + 2 * _HALF + 8
_TOP, _BOTTOM = _NUMBERS, _HEIGHT - _NUMBERS
_MIDDLE = _HEIGHT // 2
_NAMES = 18
_NAME_SIZES = (11, 10, 9, 8)
_PIPS_ROOM = 34

_COLOURS = BySeat("l", "d")
"""Light and dark, as ids of symbols begin."""

_PIPS = {
    1: ("8 8",),
    2: ("4 4", "12 12"),
    3: ("4 4", "8 8", "12 12"),
    4: ("4 4", "12 4", "4 12", "12 12"),
    5: ("4 4", "12 4", "8 8", "4 12", "12 12"),
    6: ("4 4", "12 4", "4 8", "12 8", "4 12", "12 12"),
}


def render_board(
    position: Position,
    cube: ShownCube | None = IN_THE_MIDDLE,
    dice: ShownDice | None = None,
    names: BySeat[str] | None = None,
    direction: Direction = Direction.RIGHT,
    *,
    has_pips: bool = False,
) -> str:
    """A whole SVG image of a board; `position` holds seat one's checkers as `own`.

    `cube`: None = played without one. `names` stand above and below, with the pip counts if
    `has_pips`: nobody who does not rule on a match is told them while it is played.
    """
    top = -_NAMES if names is not None else 0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {_WIDTH} {_HEIGHT - 2 * top}"'
        f' role="img"><title>{_safe(described(position, names or BySeat("one", "two")))}</title>'
        f"<style>{STYLE}</style>{SYMBOLS}",
        *_drawn(position, cube, dice, direction),
        *(_named(position, names, has_pips=has_pips) if names is not None else ()),
        "</svg>",
    ]
    return "".join(parts)


def board_on_page(
    position: Position,
    cube: ShownCube | None,
    dice: ShownDice | None,
    names: BySeat[str],
    direction: Direction = Direction.RIGHT,
    *,
    words: BoardWords = IN_ENGLISH,
) -> str:
    """The same as an element of an HTML page that holds `SYMBOLS` and `STYLE` once."""
    drawn = "".join(_drawn(position, cube, dice, direction))
    label = _safe(described(position, names, words))
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{drawn}</svg>'


def described(position: Position, names: BySeat[str], words: BoardWords = IN_ENGLISH) -> str:
    """A board in words, for those who do not see it; each side counts from its own."""
    return "; ".join(
        f"{name}: {', '.join(_places(counts, words)) or words.none}"
        for name, counts in zip(names, (position.own, position.other), strict=True)
    )


def _places(counts: tuple[int, ...], words: BoardWords) -> Iterator[str]:
    for point in range(BAR, -1, -1):
        if counts[point]:
            where = {BAR: words.bar, OFF: words.off}.get(point, f"{words.on} {point}")
            yield f"{counts[point]} {where}"


def _safe(text: str) -> str:
    """Text inside an element or an attribute; what XML cannot hold is replaced."""
    return html.escape(legible(text))


# -- one board -----------------------------------------------------------------------------------


def _drawn(
    position: Position, cube: ShownCube | None, dice: ShownDice | None, direction: Direction
) -> Iterator[str]:
    numbers = "r" if direction is Direction.RIGHT else "m"
    yield f'<use href="#b{numbers}"/>'
    for seat, counts in zip(Seat, (position.own, position.other), strict=True):
        across = position.other if seat is Seat.ONE else position.own
        for point in range(1, BAR):
            if counts[point]:
                is_shared = across[BAR - point] > 0
                yield from _stack(seat, point, counts[point], direction, is_shared=is_shared)
        yield from _on_bar(seat, counts[BAR])
        yield from _borne_off(seat, counts[OFF], direction)
    if cube is not None:
        yield _cube(cube, direction)
    if dice is not None:
        yield from _dice(dice)


def _across(x: int, direction: Direction) -> int:
    return x if direction is Direction.RIGHT else _WIDTH - x


def _column(point: int) -> int:
    """Middle of a point, counted by seat one, who bears off to the right."""
    place = 12 - point if point <= 12 else point - 13
    return _SIDE + _UNIT // 2 + place * _UNIT + (_BAR_WIDTH if place >= 6 else 0)


def _stack(
    seat: Seat, point: int, count: int, direction: Direction, *, is_shared: bool
) -> Iterator[str]:
    """Checkers on a point; where both have some, seat two's lie further in."""
    seen = point if seat is Seat.ONE else BAR - point
    x, is_below = _across(_column(seen), direction), seen <= 12
    limit = SHARED if is_shared else STACK
    inwards = SHARED * _UNIT if is_shared and seat is Seat.TWO else 0
    y = _BOTTOM - inwards if is_below else _TOP + inwards
    yield from _checkers(seat, count, x, y, limit, is_upward=is_below)


def _on_bar(seat: Seat, count: int) -> Iterator[str]:
    """Seat one's below the middle, seat two's above it, as the board in characters has them."""
    if count:
        y = _MIDDLE + 8 if seat is Seat.ONE else _MIDDLE - 8
        yield from _checkers(seat, count, _WIDTH // 2, y, STACK, is_upward=seat is Seat.TWO)


def _checkers(
    seat: Seat, count: int, x: int, y: int, limit: int, *, is_upward: bool
) -> Iterator[str]:
    colour, shown = _COLOURS[seat], min(count, limit)
    way = "u" if is_upward else ""
    yield f'<use href="#{colour}{shown}{way}" x="{x}" y="{y}"/>'
    if count > limit:
        last = _UNIT * shown - _UNIT // 2
        at = y - last if is_upward else y + last
        yield f'<text class="n{colour}" x="{x}" y="{at + 4}">{count}</text>'


def _borne_off(seat: Seat, count: int, direction: Direction) -> Iterator[str]:
    if not count:
        return
    x, colour = _across(_WIDTH - _SIDE // 2, direction), _COLOURS[seat]
    slabs = min(count, 15) * 5 - 1
    if seat is Seat.ONE:
        line, at = f"M{x} {_BOTTOM - 1}v-{slabs}", _BOTTOM - 86
    else:
        line, at = f"M{x} {_TOP + 1}v{slabs}", _TOP + 92
    yield f'<path class="o{colour}" d="{line}"/><text class="w" x="{x}" y="{at}">{count}</text>'


def _cube(cube: ShownCube, direction: Direction) -> str:
    x = _across(_SIDE // 2, direction)
    y, frame, value = _MIDDLE, "", cube.value
    if cube.offered_by is not None:
        # Turned, and pushed half the way to whoever has to answer.
        y, value = (_MIDDLE + _edge(cube.offered_by.other)) // 2, 2 * value
        frame = f'<path class="k" d="M{x - 14} {y - 14}h28v28h-28z"/>'
    elif cube.owner is not None:
        y = _edge(cube.owner)
    face = str(value)
    small = ' class="s"' if len(face) > 3 else ""
    return f'<use href="#c" x="{x}" y="{y}"/>{frame}<text{small} x="{x}" y="{y + 4}">{face}</text>'


def _edge(seat: Seat) -> int:
    """Middle of a cube that a player owns."""
    return _BOTTOM - 14 if seat is Seat.ONE else _TOP + 14


def _dice(dice: ShownDice) -> Iterator[str]:
    """In the half to the right of whoever rolled, who sits at the top or at the bottom."""
    colour = _COLOURS[dice.seat]
    first = _WIDTH * 3 // 4 - 14 if dice.seat is Seat.ONE else _WIDTH // 4 - 22
    for place, face in enumerate(dice.faces):
        yield f'<use href="#{colour}f{face}" x="{first + 20 * place}" y="{_MIDDLE - 8}"/>'


def _named(position: Position, names: BySeat[str], *, has_pips: bool) -> Iterator[str]:
    pips = BySeat(*position.pip_count())
    start, end = _SIDE + 10, _WIDTH - _SIDE
    room = end - start - (_PIPS_ROOM if has_pips else 0)
    for seat, y in ((Seat.TWO, -5), (Seat.ONE, _HEIGHT + 13)):
        name, size = lettered(names[seat], room, _NAME_SIZES)
        yield f'<circle class="{_COLOURS[seat]}" cx="{_SIDE}" cy="{y - 4}" r="5"/>'
        # An attribute loses against the style sheet, which speaks of every text.
        letters = f'style="font-size:{size}px"'
        yield f'<text class="p" x="{start}" y="{y}" {letters}>{_safe(name)}</text>'
        if has_pips:
            yield f'<text class="q" x="{end}" y="{y}">{pips[seat]}</text>'


# -- what every drawing shares -------------------------------------------------------------------


def _symbols() -> Iterator[str]:
    yield '<defs><g id="bare">'
    yield f'<rect class="frame" width="{_WIDTH}" height="{_HEIGHT}" rx="5"/>'
    for x, width in ((2, _SIDE - 4), (_WIDTH - _SIDE + 2, _SIDE - 4)):
        yield f'<rect class="tray" x="{x}" y="{_TOP}" width="{width}" height="{_BOTTOM - _TOP}"/>'
    halves = (_SIDE, _SIDE + 6 * _UNIT + _BAR_WIDTH)
    for x in halves:
        size = f'width="{6 * _UNIT}" height="{_BOTTOM - _TOP}"'
        yield f'<rect class="field" x="{x}" y="{_TOP}" {size}/>'
    for shade, first in (("a", 0), ("z", 1)):
        yield f'<path class="{shade}" d="{"".join(_triangles(first))}"/>'
    yield "</g>"
    for id_, direction in (("br", Direction.RIGHT), ("bm", Direction.LEFT)):
        yield f'<g id="{id_}"><use href="#bare"/>'
        for point in range(1, BAR):
            y = _HEIGHT - 3 if point <= 12 else 9
            yield f'<text class="t" x="{_across(_column(point), direction)}" y="{y}">{point}</text>'
        yield "</g>"
    for colour in _COLOURS:
        radius = _UNIT // 2 - 0.7
        yield f'<g id="{colour}"><circle class="{colour}" r="{radius}"/>'
        # Told apart by shape as well, as `checkers.js` has it: a ring, or a filled eye.
        inner = "2.6" if colour == _COLOURS.two else f"{radius - 3.3:.1f}"
        yield f'<circle class="{colour}r" r="{inner}"/></g>'
        for count in range(1, STACK + 1):
            for way, step in (("", _UNIT), ("u", -_UNIT)):
                yield f'<g id="{colour}{count}{way}">'
                for place in range(count):
                    yield f'<use href="#{colour}" y="{step // 2 + step * place}"/>'
                yield "</g>"
        for face, pips in _PIPS.items():
            dots = "".join(f"M{pip}h0" for pip in pips)
            yield f'<g id="{colour}f{face}"><rect class="{colour}" width="16" height="16" rx="3"/>'
            yield f'<path class="{colour}p" d="{dots}"/></g>'
    yield '<g id="c"><rect class="cube" x="-11" y="-11" width="22" height="22" rx="3"/></g></defs>'


def _triangles(first: int) -> Iterator[str]:
    """Every second point, seat one's points 13 to 24 above, 12 to 1 below."""
    for place in range(12):
        x = _SIDE + place * _UNIT + (_BAR_WIDTH if place >= 6 else 0)
        if place % 2 == first:
            yield f"M{x} {_TOP}h{_UNIT}l-{_UNIT // 2} {_HALF - 12}z"
        else:
            yield f"M{x} {_BOTTOM}h{_UNIT}l-{_UNIT // 2} -{_HALF - 12}z"


SYMBOLS = "".join(_symbols())
"""Everything that a drawing refers to; once on a page, within an `svg` that has no size."""

STYLE = (
    ".frame{fill:#5d3f29}.tray{fill:#49301f}.field{fill:#f1e6d0}.a{fill:#a06a3c}"
    ".z{fill:#dcc5a0;stroke:#94704a;stroke-width:.6}"
    ".l{fill:#fffaf0;stroke:#5a4330;stroke-width:1}.lr{fill:none;stroke:#cdb792}"
    ".d{fill:#37271d;stroke:#c2a27e;stroke-width:1}.dr{fill:#b08d6c}"
    ".lp,.dp{fill:none;stroke:#37271d;stroke-width:3.2;stroke-linecap:round}.dp{stroke:#fffaf0}"
    ".ol,.od{fill:none;stroke:#fffaf0;stroke-width:22;stroke-dasharray:4 1}.od{stroke:#b08d6c}"
    ".cube{fill:#fffaf0;stroke:#37271d}"
    ".k{fill:none;stroke:#fffaf0;stroke-width:1.5;stroke-dasharray:4 3}"
    "text{font:bold 11px system-ui,sans-serif;text-anchor:middle;fill:#37271d}"
    "text.nd,text.w{fill:#fffaf0}text.s{font-size:7px}"
    "text.t{font-size:8px;font-weight:normal;fill:#f1e6d0}"
    "text.p{text-anchor:start;fill:#6b5d4d}text.q{text-anchor:end;fill:#6b5d4d}"
    "@media(prefers-color-scheme:dark){.frame{fill:#2b1f16}.tray{fill:#1c140d}"
    ".field{fill:#3a2d21}.a{fill:#a87f55}.z{fill:#5d4833;stroke:#a87f55}"
    ".l{fill:#f3e8d3;stroke:#1a120b}.lr{stroke:#bca684}.ol{stroke:#f3e8d3}"
    ".d{fill:#1d1510;stroke:#d9c29c}.dr{fill:#d9c29c}.od{stroke:#d9c29c}"
    "text.t{fill:#cdb995}text.p,text.q{fill:#c9bda8}}"
)
"""The colours, light and dark, of every class that drawings use: those of `board.css`."""

SHAPES = STYLE.partition("@media")[0]
"""The same without the dark ones, for pages, whose colours are the reader's choice."""
