"""One numbering of turns: .mat, text, page, HTML and replay give a turn the same number."""

from __future__ import annotations

import re

import pytest

from api.exchange.prose.account import Account
from api.exchange.prose.sections import Row
from api.exchange.writers import WRITERS
from api.exchange.writing.numbering import numbers_of
from api.exchange.writing.wanted import Wanted
from events.payloads import dispute
from events.payloads.base import Actor
from projections.replay import Replay
from projections.views.transcript import transcript
from tests.projections.playthroughs import home_match
from tests.projections.table import Table

_ROW = re.compile(r"^ *(\d+)\) ", re.MULTILINE)

_CALL = re.compile(r"director\.called \(game 1, turn (\d+)\)")


def rows_in_mat(shown: Replay) -> list[int]:
    """The numbers of a .mat file's rows, game after game."""
    text = WRITERS["mat"].write(shown, Wanted()).text
    return [int(number) for number in _ROW.findall(text)]


def rows_in_text(shown: Replay) -> list[int]:
    """Those of the text, of which a row may go on below under the same number.

    A .mat file has no place for an answer to a resignation; in a text it is the last row of all.
    """
    text = WRITERS["text"].write(shown, Wanted()).text
    text = re.sub(r"(?m)^ *\d+\) +(?:accepts|refuses)$", "", text)
    numbers = [int(number) for number in _ROW.findall(text)]
    return [n for place, n in enumerate(numbers) if place == 0 or numbers[place - 1] != n]


def doubled() -> Table:
    """Doubles, a drop, a void roll, and a second player who begins."""
    table = Table(7).game().opening(2, 5).play("two", "13/8 24/22").turns(3)
    return table.double("one").take("two").turns(2)


MATCHES = {"home": home_match, "doubled": doubled}


@pytest.mark.parametrize("name", MATCHES)
def test_text_and_mat_number_their_rows_alike(name: str) -> None:
    shown = MATCHES[name]().replay
    assert rows_in_text(shown) == rows_in_mat(shown)


@pytest.mark.parametrize("name", MATCHES)
def test_every_act_of_a_row_has_its_number(name: str) -> None:
    shown = MATCHES[name]().replay
    numbers = numbers_of(shown)
    account = Account(shown, Wanted(), holds_record=True)
    for section in account.sections:
        for row in section.items:
            if isinstance(row, Row):
                assert {numbers[step.event.version] for step in row.steps} == {row.number}


def test_no_act_of_a_row_is_lost_when_it_is_done_again() -> None:
    shown = doubled().replay
    account = Account(shown, Wanted(), holds_record=True)
    told = {
        step.event.version
        for section in account.sections
        for row in section.items
        if isinstance(row, Row)
        for step in row.steps
    }
    acts = {s.event.version for s in shown.steps if s.event.tag in ("play.made", "dice.rolled")}
    assert acts <= told


def test_lines_of_a_record_are_numbered_as_its_files_are() -> None:
    """A throw that is void took the transcript's own count away from all others."""
    table = Table(7).game().turns(2).double("one").take("two")
    table.turn("one", 31, "8/5 6/5").roll("two", 64)
    table.void(seat="two", target=table.replay.steps[-1].event.entry_id)
    shown = table.turn("two", 53, "8/3 6/3").turn("one", 21, "13/11 6/5").replay
    uncounted = [found[1] for line in transcript(shown) if (found := _ROW.match(line))]
    numbers = [
        int(found[1])
        for line in transcript(shown, numbers=numbers_of(shown))
        if (found := _ROW.match(line)) is not None
    ]
    assert sorted(set(numbers)) == sorted(set(rows_in_mat(shown)))
    assert numbers == sorted(numbers)
    assert [int(one) for one in uncounted] != numbers, "it shows something"


@pytest.mark.parametrize("form", ["mat", "sgf", "ogxm", "text", "html"])
def test_what_a_file_leaves_out_is_told_by_the_numbers_of_its_rows(form: str) -> None:
    """Losses counted turns as the flow of play does: by rolls, void ones too."""
    shown = doubled().record(dispute.DirectorCalled(by=Actor.ONE)).replay
    call = shown.steps[-1]
    row = numbers_of(shown)[call.event.version]
    assert row not in (0, call.before.flow.turn_number), "it shows something"
    losses = WRITERS[form].write(shown, Wanted(findings=False)).losses
    told = [found[1] for loss in losses for found in _CALL.finditer(loss.detail)]
    assert told == [str(row)] * len(told)
    assert told or form == "html"
