"""The page of a match, walked from moment to moment: it draws and says what the folds say."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from events import catalogue
from events.envelope import RecordedEvent
from events.payloads import dice
from events.values import BySeat, Seat
from projections.board.position import BAR, OFF
from projections.replay import Replay, replay
from tests.api.exchange.recorded import Shelf, events_of, spread
from tests.api.routes.conftest import Api, entry
from tests.projections.playthroughs import home_match
from tests.projections.rules.federations import FEDERATIONS, federation_match
from tests.projections.streams import legal_match

NAMES = BySeat("Ada Lovelace", "Ben & Söhne")
LIGHT_AND_DARK = "ld"


class Seen(NamedTuple):
    """What somebody sees of the match on a page."""

    points: tuple[int, ...]
    """Seat by seat."""
    on_roll: tuple[bool, ...]
    """Whose turn is marked."""
    checkers: tuple[tuple[int, ...], ...] | None
    """As they are drawn, 26 counts of each seat; None where there is no board."""
    dice: tuple[str, tuple[int, ...]]
    """Colour and faces as they are drawn; "" where none lie."""
    cube: tuple[int, Seat | None] | None
    """The cube's value, and on whose side it is; None = there is none."""
    is_won: tuple[bool, ...]
    """Who is said to have won."""


def looked_at(page: str) -> Seen:
    """What a page shows, read off its text and its drawing."""
    sides = re.findall(r'<p class="side([^"]*)">(.*?)</p>', page)
    drawn = re.search(r'<figure class="board"><svg[^>]*>(.*?)</svg>', page, re.DOTALL)
    caption = re.search(r"<figcaption>.*<span>([^<]*)</span></figcaption>", page)
    return Seen(
        points=tuple(int(_found(r'points number">(\d+)<', side)) for _, side in sides),
        on_roll=tuple("turn" in marks for marks, _ in sides),
        checkers=None if drawn is None else _checkers(drawn[1]),
        dice=_dice("" if drawn is None else drawn[1]),
        cube=None if caption is None else _cube(unescape(caption[1])),
        is_won=tuple("won" in marks for marks, _ in sides),
    )


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found[1]


def _checkers(drawn: str) -> tuple[tuple[int, ...], ...]:
    """Counts by where checkers lie: 20 a point, the bar in the middle, those borne off beside."""
    sides = []
    for seat, colour in zip(Seat, LIGHT_AND_DARK, strict=True):
        counts = [0] * 26
        stacks = (
            rf'<use href="#{colour}(\d+)u?" x="(\d+)" y="(\d+)"/>'
            rf'(?:<text class="n{colour}"[^>]*>(\d+))?'
        )
        for shown, x, y, written in re.findall(stacks, drawn):
            counts[_point(seat, int(x), int(y))] += int(written or shown)
        off = re.search(rf'<path class="o{colour}"[^>]*/><text class="w"[^>]*>(\d+)', drawn)
        counts[OFF] = int(off[1]) if off else 0
        sides.append(tuple(counts))
    return tuple(sides)


def _point(seat: Seat, x: int, y: int) -> int:
    """The point, from the seat's own side, of a stack that begins here."""
    if x == 324 // 2:
        return BAR
    column = (x - 40) // 20 if x < 160 else (x - 64) // 20
    point = 12 - column if y > 124 else 13 + column
    return point if seat is Seat.ONE else BAR - point


def _dice(drawn: str) -> tuple[str, tuple[int, ...]]:
    lie = re.findall(r'<use href="#([ld])f(\d)"', drawn)
    return (lie[0][0], tuple(int(face) for _, face in lie)) if lie else ("", ())


def _cube(caption: str) -> tuple[int, Seat | None] | None:
    if caption == "no cube":
        return None
    value, _, name = caption.removeprefix("cube ").partition(" with ")
    return int(value), None if not name else Seat.ONE if name == NAMES.one else Seat.TWO


def to_be_seen(events: Sequence[RecordedEvent]) -> Iterator[tuple[int, Seen]]:
    """What a page has to show, version by version: what was known then, and no more."""
    whole = replay(events)
    for version in range(1, whole.version + 1):
        yield version, _to_be_seen(whole.at(version), is_last=version == whole.version)


def _to_be_seen(known: Replay, *, is_last: bool) -> Seen:
    state, payload = known.state, known.steps[-1].event.payload if known.steps else None
    board = state.positions.board
    # Who has won in the end is told where it ends: a moment before it tells nothing of it.
    winner = state.judged.outcome.winner if is_last else None
    turn = None if winner else state.flow.on_roll
    is_thrown = isinstance(payload, dice.Rolled) and state.flow.dice == payload.dice
    has_cube = board is not None and not state.score.is_crawford_game
    return Seen(
        points=tuple(state.match_score),
        on_roll=tuple(seat is turn for seat in Seat),
        checkers=None if board is None else (tuple(board.own), tuple(board.other)),
        dice=(LIGHT_AND_DARK[payload.seat is Seat.TWO], payload.dice) if is_thrown else ("", ()),
        cube=(state.cube.value, state.cube.owner) if has_cube else None,
        is_won=tuple(seat is winner for seat in Seat),
    )


async def recorded(api: Api, events: Sequence[RecordedEvent], match: str) -> None:
    """Have these events recorded as a public match."""
    opened, *rest = events
    answer = await api.open(
        match,
        **{
            **_body(opened, match),
            "players": {seat: [{"name": NAMES[Seat(seat)]}] for seat in ("one", "two")},
            "publication": {"public": True, "delay_ms": 0},
        },
    )
    assert answer.status_code == 201, answer.text
    entries = [
        entry(event.tag, entry_id=_own(event.entry_id, match), **_body(event, match))
        | {"basis": event.basis.value}
        for event in rest
    ]
    answer = await api.append(*entries, match=match, token=api.archive.operator_token())
    assert answer.status_code == 201, answer.text


def _body(event: RecordedEvent, match: str) -> dict[str, Any]:
    text = _own(catalogue.encode(event.payload).decode(), match)
    found: dict[str, Any] = _without_commitments(json.loads(text))
    return found


def _without_commitments(value: Any) -> Any:
    """The same without names of which only the commitment is at hand: no door takes those."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if not _is_commitment(one)}
        return {key: _without_commitments(one) for key, one in kept.items()}
    return [_without_commitments(one) for one in value] if isinstance(value, list) else value


def _is_commitment(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"sd"}


def _own(text: str, match: str) -> str:
    """Entry ids of one match alone: all tables of tests begin with the same."""
    return text.replace("00000000-0000-", f"{zlib.crc32(match.encode()):08x}-0000-")


async def differing(
    http: httpx.AsyncClient, match: str, events: Sequence[RecordedEvent]
) -> list[str]:
    """Moments at which page or frame show something else than the folds say."""
    found = []
    for version, expected in to_be_seen(events):
        for page in (f"{match}?part=now&at={version}", f"{match}/embed?at={version}"):
            answer = await http.get(page, headers={"Accept": "text/html"})
            assert answer.status_code == 200, (page, answer.text[:200])
            seen = looked_at(answer.text)
            for what, one, other in zip(Seen._fields, seen, expected, strict=True):
                if one != other and (what != "dice" or other[0]):
                    found.append(f"{page}: {what} {one}, not {other}")
    return found


MATCHES = {
    "home match": home_match,
    **{name: partial(federation_match, name) for name in FEDERATIONS},
    **{f"legal match {seed}": partial(legal_match, seed) for seed in range(2)},
}
"""Matches made at home: with all that happens at a table, and as anybody would play."""


# Where entries are kept is nothing to a page: stores have a test of their own.
in_memory = pytest.mark.parametrize("url", ["memory"], indirect=True)


@in_memory
@pytest.mark.parametrize("name", MATCHES)
async def test_every_moment_of_a_match_is_shown_as_it_was(api: Api, name: str) -> None:
    """Points, who is on roll, checkers, dice, cube, and who has won: on the page, in a frame."""
    events = MATCHES[name]().events
    await recorded(api, events, "m1")
    assert await differing(api.http, "/matches/club/m1", events) == []


@in_memory
@pytest.mark.gate
async def test_every_moment_of_a_real_match_is_shown_as_it_was(
    api: Api, shared_folder: Path, require: Any
) -> None:
    """Some short ones of every dialect that names its players."""
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    read = [one for one in Shelf(folder, every=20).read if len(one[1].facts) < 400]
    for number, (_, match) in enumerate(spread(read, 100)):
        events = events_of(match)
        await recorded(api, events, f"m{number}")
        assert await differing(api.http, f"/matches/club/m{number}", events) == []
