"""Boards as pictures: SVG as pages show it, PNG for those who show no SVG, a card for previews."""

from __future__ import annotations

import html
from typing import NamedTuple

from markupsafe import Markup

from api.exchange.prose.drawing import BoardWords, ShownCube, ShownDice, board_on_page, render_board
from api.exchange.prose.lettering import lettered
from api.html.moments import Moment
from api.html.texts import Texts
from events.values import BySeat, Seat
from projections.board.position import Position
from projections.folding.sayings import legible

CARD = (1200, 630)
"""Pixels of a preview's card."""

PNG_WIDTH = 1200
"""Pixels of a board's picture."""

_PAPER, _INK, _MUTED, _ACCENT = "#f6f2ea", "#221e19", "#5d564c", "#8c3b1f"
_LEFT, _RIGHT = 770, 1176
_TITLE_SIZES = (26, 23, 20, 17)
_NAME_SIZES = (40, 35, 30, 26, 22, 19)


class Card(NamedTuple):
    """What a card says beside the board."""

    title: str
    """The tournament."""
    names: BySeat[str]
    """The players."""
    score: BySeat[int]
    """Points."""
    winner: Seat | None
    """Who has won."""
    lines: tuple[str, ...]
    """Small print."""


_BARE = Position((0,) * 26, (0,) * 26)
"""What a card shows where the board is not known."""


def drawn_board(
    t: Texts, position: Position, cube: ShownCube | None, dice: ShownDice | None, names: BySeat[str]
) -> Markup:
    """A board on a page that holds the symbols and shapes once; described in its language."""
    words = BoardWords(*(t(f"board.described_{one}") for one in BoardWords.__struct_fields__))
    return Markup(board_on_page(position, cube, dice, names, words=words))


def board_svg(moment: Moment, names: BySeat[str], *, has_pips: bool) -> str:
    """The board of a moment as an image of its own; one that is not known has no checkers.

    `has_pips`: whether its visitor is told the pip counts.
    """
    board, is_known = moment.board or _BARE, moment.board is not None
    return render_board(board, moment.cube, moment.dice, names, has_pips=has_pips and is_known)


def card_svg(card: Card, moment: Moment) -> str:
    """A preview of 1200 x 630: the board, and beside it who plays and how it stands."""
    width, height = CARD
    board = render_board(moment.board or _BARE, moment.cube, moment.dice)
    inner = board.replace("<svg ", '<svg x="40" y="52" width="690" height="526" ', 1)
    rows = [_row(card, seat, 190 + 130 * place) for place, seat in enumerate(Seat)]
    small = "".join(
        _text(line, _LEFT, 470 + 38 * place, _RIGHT - _LEFT, (26, 23, 20), _MUTED)
        for place, line in enumerate(card.lines[:3])
    )
    title = _text(card.title, _LEFT, 96, _RIGHT - _LEFT, _TITLE_SIZES, _ACCENT, weight="bold")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>{inner}{title}'
        f"{''.join(rows)}{small}"
        f"{_text('Tabularium', _RIGHT, 592, 300, (22,), _MUTED, anchor='end')}</svg>"
    )


def _row(card: Card, seat: Seat, y: int) -> str:
    fill, stroke = ("#fffaf0", "#5a4330") if seat is Seat.ONE else ("#37271d", "#c2a27e")
    disc = f'<circle cx="{_LEFT + 16}" cy="{y - 12}" r="16" fill="{fill}" stroke="{stroke}"/>'
    weight = "bold" if card.winner in (None, seat) else "normal"
    x = _LEFT + 46
    room = _RIGHT - x
    return (
        f"{disc}{_text(card.names[seat], x, y, room, _NAME_SIZES, _INK, weight=weight)}"
        f"{_text(str(card.score[seat]), x, y + 62, room, (52,), _ACCENT, weight='bold')}"
    )


def _text(
    text: str,
    x: int,
    y: int,
    room: int,
    sizes: tuple[int, ...],
    fill: str,
    *,
    weight: str = "normal",
    anchor: str = "start",
) -> str:
    """A text in the largest of these sizes in which it fits into its room; cut in the smallest."""
    words, size = lettered(text, room, sizes)
    # An attribute loses against the style sheet of the board, which speaks of every text.
    style = f"font:{weight} {size}px sans-serif;text-anchor:{anchor};fill:{fill}"
    return f'<text x="{x}" y="{y}" style="{style}">{_safe(words)}</text>'


def _safe(text: str) -> str:
    """Text inside an element; what XML cannot hold is replaced."""
    return html.escape(legible(text))
