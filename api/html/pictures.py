"""Pictures of boards: SVG for pages, PNG for programs without SVG, a card for previews."""

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
"""Width and height of a preview's card in pixels."""

PNG_WIDTH = 1200
"""Width and height of a board's picture in pixels."""

_PAPER, _INK, _MUTED, _ACCENT = "#f6f2ea", "#221e19", "#5d564c", "#8c3b1f"
_LEFT, _RIGHT = 770, 1176
_TITLE_SIZES = (26, 23, 20, 17)
_NAME_SIZES = (40, 35, 30, 26, 22, 19)


class Card(NamedTuple):
    """The texts of a card beside the board."""

    title: str
    """Title of the tournament."""
    names: BySeat[str]
    """Names of the players."""
    score: BySeat[int]
    """The score."""
    winner: Seat | None
    """The text about the winner."""
    lines: tuple[str, ...]
    """The text in small print."""


_BARE = Position((0,) * 26, (0,) * 26)
"""The board of a card if the real one is unknown."""


def drawn_board(
    t: Texts, position: Position, cube: ShownCube | None, dice: ShownDice | None, names: BySeat[str]
) -> Markup:
    """A board for a page that contains the shared symbols, with a description in its language."""
    words = BoardWords(*(t(f"board.described_{one}") for one in BoardWords.__struct_fields__))
    return Markup(board_on_page(position, cube, dice, names, words=words))


def board_svg(moment: Moment, names: BySeat[str], *, has_pips: bool) -> str:
    """The board of a moment as a standalone SVG; without checkers if the board is unknown.

    `has_pips`: whether the visitor may see the pip counts.
    """
    board, is_known = moment.board or _BARE, moment.board is not None
    return render_board(board, moment.cube, moment.dice, names, has_pips=has_pips and is_known)


def card_svg(card: Card, moment: Moment) -> str:
    """A preview of 1200 x 630 pixels: the board, the players and the score."""
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
    """A text in the largest of these sizes in which it fits; cut if it is too long for all."""
    words, size = lettered(text, room, sizes)
    # As a style, because the board's style sheet for all texts overrides attributes.
    style = f"font:{weight} {size}px sans-serif;text-anchor:{anchor};fill:{fill}"
    return f'<text x="{x}" y="{y}" style="{style}">{_safe(words)}</text>'


def _safe(text: str) -> str:
    """A text escaped for XML; characters that XML cannot hold are replaced."""
    return html.escape(legible(text))
