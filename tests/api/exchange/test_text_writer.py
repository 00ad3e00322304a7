"""The text for people: a score sheet in words, and a line in the losses for every fact left out.

`TABULARIUM_REWRITE=1 uv run pytest tests/api/exchange/test_text_writer.py` rewrites the golden
text; look at the difference before you keep it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.exchange.prose.text import WRITER, write
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Details, Wanted
from events import catalogue
from events.catalogue import Unread
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, dispute, match, penalty, play
from events.payloads.base import Actor
from events.payloads.corrections import MomentMarked
from events.values import BySeat, CheckerMove, Seat
from projections.folding.sayings import is_legible
from projections.replay import replay
from tests.bunches import in_bunches
from tests.projections.playthroughs import NAMES, home_match
from tests.projections.rules.federations import federation_match
from tests.projections.streams import STREAMS
from tests.projections.table import ENTRY, Table, scene_of
from tests.projections.views.test_attention import doubtful_roll, left

GOLDEN = Path(__file__).parents[2] / "golden"
DETAILS = Details(event="Evening club", round="3", date="2026-01-31")
PLAIN = Wanted(names=NAMES)


def _text(table: Table, wanted: Wanted = PLAIN) -> str:
    return write(table.replay, wanted).text


def _lines(table: Table, wanted: Wanted = PLAIN) -> list[str]:
    """The lines of the match, without heading and losses."""
    text = _text(table, wanted)
    body = text[text.index("rests on.") :].partition("\n\n")[2].partition("\nWhat this text")[0]
    return body.splitlines()


def _kinds(table: Table, wanted: Wanted = PLAIN) -> set[str]:
    return {loss.kind for loss in write(table.replay, wanted).losses}


def test_the_text_of_the_home_match_is_the_golden_one() -> None:
    text = _text(home_match(), Wanted(names=NAMES, details=DETAILS))
    path = GOLDEN / "exports" / "home-match.txt"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8").splitlines() == text.splitlines()


def test_the_doors_offer_it_by_the_name_text() -> None:
    assert WRITERS["text"] is WRITER


# -- the heading -----------------------------------------------------------------------------


def test_the_heading_says_who_played_what_under_which_rules_and_who_won() -> None:
    details = msgspec.structs.replace(DETAILS, table="12")
    text = _text(federation_match("biba-2014"), Wanted(names=NAMES, details=details))
    heading = text.partition("\n\nAda is on the left")[0]
    assert heading.startswith("Ada – Ben\n=========\n")
    for line in (
        "Event                Evening club",
        "Round                3",
        "Table                12",
        "Length               match to 5 points",
        "Rules                Biba Rules & Procedures 2014 (biba-2014)",
        "Score                Ada 3, Ben 0",
        "Result               Ada has won the match, by wrong length (biba-2014, 4.10)",
    ):
        assert line in heading.splitlines()
    assert "automatic doubles: off; beavers:" in heading


def test_what_was_agreed_beside_stands_in_the_heading() -> None:
    opened = match.MatchOpened(
        players=BySeat((), ()),
        length=7,
        draw_sheet_length=9,
        clock_terms=match.ClockTerms(
            kind=clock.ClockKind.SIMPLE, reserve_ms=840_000, delay_ms=12_000
        ),
        score_at_start=BySeat(6, 2),
        crawford_played=True,
        rule_set="no-such-rules",
    )
    heading = _text(Table(is_opened=False).record(opened))
    assert "Length               match to 7 points (the draw sheet says 9)\n" in heading
    assert "Clock                14:00 each, simple delay 12 s\n" in heading
    assert "Score at the start   Ada 6, Ben 2, the Crawford game played\n" in heading
    assert "no-such-rules, which this program does not know" in heading


def test_a_money_session_and_a_match_that_is_open_are_called_so() -> None:
    heading = _text(Table(None).game().turns(2))
    assert "Length               money session\n" in heading
    assert "Result               nobody has won the match\n" in heading


def test_names_that_are_withheld_are_stood_in_for() -> None:
    text = _text(home_match(), Wanted())
    assert text.startswith("Player 1 – Player 2\n")
    assert "Ada" not in text


@given(st.text(), st.text())
def test_whatever_a_name_holds_it_stays_on_its_line(one: str, event: str) -> None:
    plain = _text(Table().game().turns(2), Wanted(names=NAMES))
    wanted = Wanted(names=BySeat(one, "Ben"), details=Details(event="x" + event))
    text = _text(Table().game().turns(2), wanted)
    assert all(is_legible(mark) or mark == "\n" for mark in text)
    games = plain[plain.index("Game 1") :].count("\n")
    assert text[text.index("\nGame 1\n") + 1 :].count("\n") == games


# -- games -----------------------------------------------------------------------------------


def test_turns_stand_in_two_columns_below_the_score() -> None:
    assert _lines(Table().game().turns(3)) == [
        "Game 1",
        "------",
        "     Ada: 0                               Ben: 0",
        "  1) 31: 8/5 6/5                          42: 8/4 6/4",
        "  2) 61: 13/7 8/7",
    ]


def test_the_clock_stands_in_the_turn_that_it_ends() -> None:
    table = Table().clock(600).game().opening(3, 1).play("one", "8/5 6/5").press("one", 20)
    assert "  1) 31: 8/5 6/5 [9:52]" in _lines(table)


def test_without_clocks_none_is_shown_and_the_losses_say_so() -> None:
    wanted = Wanted(names=NAMES, clocks=False)
    lines = _lines(home_match(), wanted)
    assert not any("clock " in line or "clock:" in line or "[" in line for line in lines)
    assert "clock" in _kinds(home_match(), wanted) - _kinds(home_match())


def test_after_each_game_stands_the_score() -> None:
    table = Table(5).win("gammon").win(winner="two")
    told = [line.strip() for line in _lines(table) if "wins" in line or "Score" in line]
    assert told == [
        "Ada wins 2 points with a gammon",
        "Score: Ada 2, Ben 0",
        "Ben wins 1 point",
        "Score: Ada 2, Ben 1",
    ]


def test_an_illegal_play_is_marked_and_its_finding_cites_the_rule() -> None:
    lines = _lines(Table(rule_set="biba-2014").game().opening(3, 1).play("one", "8/5 6/4"))
    assert "  1) 31: 8/5 6/4 (illegal)" in lines
    at = lines.index("    ! Ada plays 8/5 6/4 with 31: that is not what the dice show (biba-2014,")
    assert lines[at + 1] == "        4.8)"


def test_a_void_throw_is_told_with_its_reason_and_the_row_goes_on() -> None:
    table = Table().game().turns(1).roll("two", 65)
    table.void(table.last, "two").turn("two", 42, "8/4 6/4")
    assert _lines(table)[-3:] == [
        f"  1) {'31: 8/5 6/5':36} 65:",
        "      roll of Ben does not count: cocked",
        f"  1) {'':36} 42: 8/4 6/4",
    ]


def test_a_second_turn_of_the_same_player_has_a_number_of_its_own() -> None:
    lines = _lines(Table().game().turns(1).turn("one", 42, "8/4 6/4"))
    assert lines[-3] == "  2) 42:"
    assert lines[-1] == "  2) 8/4 6/4"


def test_a_roll_that_was_thrown_early_stands_beside_its_play() -> None:
    table = Table().game().turns(1).early("two", 42).answers_early("stands")
    assert f"  1) {'':36} 42: 8/4 6/4" in _lines(table.play("two", "8/4 6/4"))


@pytest.mark.parametrize(
    "play_told_by_end",
    [
        play.PlayMade(seat=Seat.ONE, resulting_position=scene_of("race")),
        play.PositionStated(checkers=scene_of("race")),
        dispute.RulingCarriedOut(checkers=scene_of("race")),
    ],
)
def test_a_board_that_no_moves_tell_is_drawn(play_told_by_end: Any) -> None:
    table = Table().game().opening(3, 1)
    assert not any("BAR" in line for line in _lines(table))
    assert any("BAR" in line for line in _lines(table.record(play_told_by_end)))


# -- findings and rulings --------------------------------------------------------------------


def test_a_question_says_its_readings_until_it_is_answered() -> None:
    table = home_match()
    flag = "the reserve of Ben is noticed to have run out"
    open_text = " ".join(write(table.replay.at(61), PLAIN).text.split())
    follows = "; what follows is for the Director to decide"
    assert f"{flag}{follows} (a ruling is needed" in open_text
    assert f"{flag}{follows} (ruled at 62)" in " ".join(_text(table).split())


def test_without_findings_neither_they_nor_rulings_are_shown_and_the_losses_say_so() -> None:
    table, wanted = federation_match("usbgf-2017-07"), Wanted(names=NAMES, findings=False)
    lines = [line.strip() for line in _lines(table, wanted)]
    assert not any(line.startswith(("!", "ruling", "dispute")) for line in lines)
    assert not any("appeal" in line or "illegal" in line for line in lines)
    assert {"finding", "ruling"} <= _kinds(table, wanted)
    assert not {"finding", "ruling"} & _kinds(table)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "fcbg-tournament"])
def test_what_a_federations_match_was_about_is_all_told(rule_set: str) -> None:
    text = _text(federation_match(rule_set))
    for words in (
        "Ben arrives at +12:00",
        "the director is called by Ben",
        "does not count: cocked",
        "(illegal)",
        "corrected to 8/4 6/4",
        "wrong length found: played to 3, posted to 5",
        "Ben appeals",
    ):
        assert words in text


# -- what is lost ----------------------------------------------------------------------------


def _bodies() -> list[Any]:
    found = []
    for kind in catalogue.KINDS:
        path = GOLDEN / "events" / f"{kind.tag}@{kind.schema}.json"
        for name, case in json.loads(path.read_text("utf-8"))["bodies"].items():
            found.append(pytest.param(kind.tag, case["body"], id=f"{kind.tag}-{name}"))
    return found


@in_bunches(("tag", "body"), _bodies())
@pytest.mark.parametrize("is_wanted", [True, False])
def test_every_type_of_event_is_told_or_named_among_the_losses(
    tag: str, body: Any, is_wanted: bool
) -> None:
    payload = catalogue.decode(tag, msgspec.json.encode(body))
    wanted = Wanted(names=NAMES, clocks=is_wanted, findings=is_wanted)
    table = Table(is_opened=tag != "match.opened")
    if tag not in ("match.opened", "game.started"):
        table.game()
    before = _lines(table, wanted)
    table.record(payload)
    version = len(table.events)
    lost = {
        loss.kind
        for loss in write(table.replay, wanted).losses
        if version in loss.versions and loss.kind not in ("proof", "time", "personal", "words")
    }
    is_told = tag == "match.opened" or _lines(table, wanted) != before
    assert is_told or lost


def test_a_claim_that_is_true_needs_no_line_and_another_has_one() -> None:
    table = Table().win().won("one", 1).noted(1, 0)
    assert _lines(table) == _lines(Table().win())
    wanted = Wanted(names=NAMES, findings=False)
    assert "      game won: points 3; winner Ben" in _lines(Table().win().won("two", 3), wanted)
    assert "      score noted: score Ada 0, Ben 2" in _lines(Table().win().noted(0, 2), wanted)


def test_an_entry_that_cannot_be_read_is_named_in_text_and_losses() -> None:
    table = Table().game().turns(1)
    unread = Unread(raw=msgspec.Raw(b'{"new":1}'))
    version = len(table.events) + 1
    event = RecordedEvent(version, ENTRY.format(version), "dice.sung", Basis.OBSERVED, unread)
    written = write(replay([*table.events, event]), PLAIN)
    assert "      dice sung: an entry that this program cannot read" in written.text.splitlines()
    assert [loss.versions for loss in written.losses if loss.kind == "unread"] == [(version,)]


def test_members_that_words_leave_out_are_lost() -> None:
    table = Table().game().opening(3, 1)
    moves = (CheckerMove(8, 5), CheckerMove(6, 5))
    table.record(play.PlayMade(seat=Seat.ONE, moves=moves, written="8-5 6-5"))
    assert "words" in _kinds(table)
    assert "words" not in _kinds(Table().game().opening(3, 1).play("one", "8/5 6/5"))


def test_entries_that_were_corrected_are_lost_with_their_corrections() -> None:
    table = Table().game().turns(1).roll("two", 65)
    wrong = table.last
    table.retract(wrong).turn("two", 42, "8/4 6/4")
    [entry] = [loss for loss in write(table.replay, PLAIN).losses if loss.kind == "entry"]
    assert entry.count == 2
    assert "65:" not in "".join(_lines(table))


def test_a_correction_that_could_not_be_made_is_told_at_the_end() -> None:
    table = Table().game().turns(1).retract(ENTRY.format(99))
    assert "Corrections of the record\n-------------------------\n    ! " in _text(table)


@settings(max_examples=80, deadline=None)
@given(STREAMS, st.booleans(), st.booleans())
def test_every_record_can_be_written(
    events: list[RecordedEvent], clocks: bool, findings: bool
) -> None:
    written = write(replay(events), Wanted(names=NAMES, clocks=clocks, findings=findings))
    lines = written.text.splitlines()
    assert all(mark.isprintable() for line in lines for mark in line)
    reported = {version for loss in written.losses for version in loss.versions}
    assert {event.version for event in events} <= reported


def test_a_clock_that_stood_with_all_others_is_told_as_that() -> None:
    table = Table(3).game()
    table.record(clock.ClockSet(kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(360_000, 360_000)))
    table.record(clock.ClockStarted(seat=Seat.ONE, at_ms=0))
    table.record(clock.ClockPaused(at_ms=1_000, reason="all_clocks"))
    assert "all clocks of the hall are stopped" in _text(table)


def test_a_question_that_the_director_left_to_rest_is_told_as_that() -> None:
    table = left(doubtful_roll())
    said = f"no ruling: the director left it as it is at {table.replay.steps[-1].event.version}"
    assert said in " ".join(_text(table).split())


def test_a_mark_on_a_call_is_told_as_what_it_says_and_time_by_who_loses_it() -> None:
    table = Table().clock(60).game()
    table.record(dispute.DirectorCalled(by=Actor.ONE)).record(MomentMarked(target=table.last))
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1))
    table.record(clock.ClockAdjusted(seat=Seat.TWO, amount_ms=-60_000))
    table.record(clock.ClockAdjusted(seat=Seat.ONE, amount_ms=30_000))
    text = _text(table)
    for words in (
        "the director is on the way (call: entry 5)",
        "1 penalty point against Ben",
        "1:00 taken from the reserve of Ben",
        "0:30 given to the reserve of Ada",
    ):
        assert words in text
    assert "is adjusted" not in text
