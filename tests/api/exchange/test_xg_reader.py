"""Reading .xg files: home-made records, the real ones beside their text twins, broken bytes."""

from __future__ import annotations

import importlib
import importlib.util
import random
import struct
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, Fact, NoticeCode, ReadMatch, Refused
from api.exchange.xg.rtf import plain_text
from events.envelope import RecordedEvent
from events.payloads.base import Payload, WinKind
from events.payloads.clock import ClockKind, ClockRead, ClockSet
from events.payloads.cube import CubeBeavered, CubeStated, DoubleDropped, DoubleOffered, DoubleTaken
from events.payloads.dice import Rolled
from events.payloads.ending import ResignationAccepted, ResignationOffered
from events.payloads.match import GameStarted, GameWon, MatchEnded, ScoreNoted, ScoreStated
from events.payloads.play import PlayMade, PlayUnseen, PositionStated
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import STARTING
from projections.replay import Replay, replay
from tests.api.exchange.conftest import GOLDEN
from tests.api.exchange.record_files import XgFile, archive, as_xg, moves_of, record, signed, wide
from tests.api.exchange.recorded import events_of, survives

ONE, TWO = Seat.ONE, Seat.TWO

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

WHOLE = ("galaxy_3pt.txt", "opengammon_2pt.mat", "xg_7pt.txt")
"""Home-made text files in which no checker is taken that is not there."""


def read(data: bytes) -> ReadMatch:
    (match,) = read_file(data, "x.xg")
    return match


def payloads(match: ReadMatch, *kinds: type[Payload]) -> list[Payload]:
    """What is told of these kinds."""
    return [fact.payload for fact in match.facts if isinstance(fact.payload, kinds)]


def codes(match: ReadMatch) -> set[NoticeCode]:
    return {notice.code for notice in match.notices}


def notes(match: ReadMatch) -> list[tuple[str, Fact]]:
    """Comments, each with the fact that it speaks of."""
    found = []
    for fact in match.facts:
        if fact.kind == "moment.marked":
            assert fact.plain is not None
            ((_, place),) = fact.refers
            found.append((fact.plain["note"], match.facts[place]))
    return found


def two_plays(*fields: tuple[int, str, Any], file: XgFile | None = None) -> XgFile:
    """A game of two plays, the second with more fields in its record."""
    file = (file or XgFile()).start(1)
    file.decide(ONE).roll(ONE, (3, 1), "8/5 6/5")
    return file.decide(TWO).roll(TWO, (6, 4), "24/14", *fields)


# -- what a match is ---------------------------------------------------------------------------


def essence(match: ReadMatch) -> tuple[Any, ...]:
    """What two files of one match must both tell: dice, plays, cube acts, scores, results."""
    told = (Rolled, PlayMade, DoubleOffered, DoubleTaken, DoubleDropped, GameStarted, GameWon)
    acts = []
    for payload in payloads(match, *told, ScoreNoted):
        if isinstance(payload, PlayMade):
            acts.append((payload.seat, payload.moves))
        elif isinstance(payload, GameWon):
            acts.append((payload.winner, payload.points))
        elif isinstance(payload, Rolled):
            acts.append((payload.seat, tuple(sorted(payload.dice))))
        else:
            acts.append(payload)
    counts = (match.length, match.games, match.rolls, match.claimed_score, match.result)
    return (*counts, acts)


@pytest.mark.parametrize("name", WHOLE)
def test_a_match_is_the_same_as_text_and_as_records(name: str) -> None:
    for match in read_file((GOLDEN / name).read_bytes(), name):
        told = read(as_xg(match))
        assert essence(told) == essence(match)
        assert told.dialect == "xg-binary"
        boards = [[step.after for step in replay(events_of(m)).steps][-1] for m in (match, told)]
        assert boards[0].positions.board == boards[1].positions.board
        assert boards[0].score.score == boards[1].score.score


def test_the_line_of_a_fact_is_the_number_of_its_record() -> None:
    match = read(two_plays().bytes())
    plays = [fact.line for fact in match.facts if isinstance(fact.payload, PlayMade)]
    assert plays == [4, 6]


def test_names_in_unicode_go_before_those_in_one_byte_letters() -> None:
    fields = (wide(880, "Ада"), wide(622, "Клуб"), wide(1396, "Вена"), wide(1654, "Финал"))
    rest = (wide(1960, "Cem"), (104, "d", 1712.5), (120, "i", 300), (128, "d", 45_256.5))
    body = read(two_plays(file=XgFile(fields=(*fields, *rest))).bytes()).opened
    assert body["players"]["one"] == [{"name": "Ада", "rating": "1712.50/300"}]
    assert body["players"]["two"] == [{"name": "Ben"}]
    members = {name: body[name] for name in ("event", "place", "round", "date", "transcriber")}
    assert members == {
        "event": "Клуб",
        "place": "Вена",
        "round": "Финал",
        "date": "2023-11-26T12:00",
        "transcriber": "Cem",
    }
    assert "game name: Ada - Ben" in body["source"]["headers"]


def test_an_old_version_has_names_in_one_byte_letters_only() -> None:
    file = XgFile(version=20, fields=(wide(880, "not a name"), (1912, "i", 1), (1920, "i", 60)))
    body = read(two_plays(file=file).bytes()).opened
    assert body["players"]["one"] == [{"name": "Ada"}]
    assert "clock_terms" not in body


def test_text_that_is_no_text_does_no_harm() -> None:
    half = b"A\x00\x00\xd8B\x00"
    file = XgFile(fields=((880, "6s", half), (104, "d", float("nan")), (112, "d", float("inf"))))
    body = read(two_plays(file=file).bytes()).opened
    assert body["players"]["one"] == [{"name": "A\ufffdB"}]


def test_money_play_has_no_length() -> None:
    options = ((100, "4B", (1, 1, 1, 1)),)
    match = read(two_plays(file=XgFile(99_999, fields=options)).bytes())
    assert match.length is None
    assert match.result.ended is Ended.MONEY
    on = {"value": "on"}
    assert match.opened["options"] == {"jacoby": on, "beavers": on, "automatic_doubles": on}


@pytest.mark.parametrize(("length", "offset", "value"), [(5, 96, 2), (5, 96, -9), (1_001, 96, 0)])
def test_another_game_is_refused(length: int, offset: int, value: int) -> None:
    with pytest.raises(Refused, match="line 1"):
        read(two_plays(file=XgFile(length, fields=((offset, "i", value),))).bytes())


def test_nackgammon_starts_where_it_starts() -> None:
    match = read(XgFile(fields=((96, "i", 1),)).start(1, (0, 0), (21, "26b", (0,) * 26)).bytes())
    (stated,) = payloads(match, PositionStated)
    assert isinstance(stated, PositionStated)
    assert stated.checkers.one[23] == 2
    assert NoticeCode.VARIATION in codes(match)


def test_a_game_may_start_from_any_position() -> None:
    start = list(signed(STARTING))
    start[24] = 0
    match = read(XgFile().start(1, (0, 0), (21, "26b", tuple(start))).bytes())
    (stated,) = payloads(match, PositionStated)
    assert isinstance(stated, PositionStated)
    assert (stated.checkers.one[0], stated.checkers.two[0]) == (2, 0)


# -- plays -------------------------------------------------------------------------------------


def test_the_end_position_is_trusted_where_the_moves_do_not_lead_there() -> None:
    file = XgFile().start(1)
    backward = moves_of("24/18 13/8 6/8")
    file.decide(ONE).roll(ONE, (6, 5), backward, (68, "8i", (23, 17, 12, 7, -1, -1, 5, 7)))
    match = read(file.bytes())
    (play,) = payloads(match, PlayMade)
    assert isinstance(play, PlayMade)
    assert play.moves == ()
    assert play.written == "24/18 13/8"
    assert play.resulting_position is not None
    assert play.resulting_position.one[8] == 5
    board = replay(events_of(match)).steps[-1].after.positions.board
    assert board is not None
    assert board.own == play.resulting_position.one


def test_moves_that_lead_to_the_end_position_are_kept_as_written() -> None:
    file = XgFile().start(1)
    (play,) = payloads(read(file.decide(ONE).roll(ONE, (6, 5), "24/18 18/13").bytes()), PlayMade)
    assert play == PlayMade(seat=ONE, moves=(CheckerMove(24, 18), CheckerMove(18, 13)))


def test_a_play_marked_as_illegal_is_noticed_and_left_to_the_folds() -> None:
    match = read(two_plays((2480, "i", 2)).bytes())
    assert NoticeCode.DECLARED_ILLEGAL in codes(match)
    (noticed,) = (fact for fact in match.facts if fact.kind == "play.illegality_noticed")
    ((member, place),) = noticed.refers
    assert member == "target"
    assert match.facts[place].payload == PlayMade(seat=TWO, moves=moves_of("24/14"))
    findings = [f.code for step in replay(events_of(match)).steps for f in step.findings]
    assert "illegal-play" not in findings


def test_a_play_marked_as_an_error_is_only_remarked() -> None:
    match = read(two_plays((2480, "i", 1)).bytes())
    assert NoticeCode.DECLARED_ILLEGAL in codes(match)
    assert not [fact for fact in match.facts if fact.kind == "play.illegality_noticed"]


def test_a_last_roll_without_a_play_is_a_roll_and_no_more() -> None:
    match = read(two_plays().decide(ONE).roll(ONE, (6, 6), None).win(TWO, 2, 102).bytes())
    assert match.rolls == 3
    assert not payloads(match, PlayUnseen)
    offered, accepted = payloads(match, ResignationOffered, ResignationAccepted)
    assert offered == ResignationOffered(seat=ONE, level=WinKind.GAMMON)
    assert accepted == ResignationAccepted(seat=TWO)


def test_a_roll_without_a_play_in_mid_game_is_a_gap_until_the_next_record() -> None:
    file = XgFile().start(1)
    file.decide(ONE).roll(ONE, (3, 1), None)
    file.play(ONE, moves_of("8/5 6/5"))
    match = read(file.decide(TWO).roll(TWO, (6, 4), "24/14").bytes())
    (lost,) = [one for one in match.notices if one.code is NoticeCode.LOST_PLAY]
    assert lost.line == next(one.line for one in match.facts if isinstance(one.payload, Rolled))
    gap, stated = payloads(match, PlayUnseen, PositionStated)
    assert gap == PlayUnseen(seat=ONE, written=None)
    assert isinstance(stated, PositionStated)
    assert stated.checkers.one[5] == 2


def test_a_roll_that_only_the_decision_before_it_names_is_told() -> None:
    match = read(two_plays().decide(ONE, None, (208, "3s", b"\x0253")).win(TWO, 1, 101).bytes())
    assert payloads(match, Rolled)[-1] == Rolled(seat=ONE, dice=(5, 3))


def test_a_dance_is_a_play_of_nothing() -> None:
    file = XgFile().start(1)
    file.roll(ONE, (3, 1), "8/5 6/5").roll(TWO, (5, 5), "")
    match = read(file.bytes())
    assert payloads(match, PlayMade)[-1] == PlayMade(seat=TWO)
    assert NoticeCode.NO_PLAY_CLAIMED in codes(match)


def test_a_position_set_by_hand_is_stated() -> None:
    file = two_plays()
    file.board = STARTING
    match = read(file.decide(ONE, None, (296, "B", 1)).bytes())
    (stated,) = payloads(match, PositionStated)
    assert isinstance(stated, PositionStated)
    assert (stated.checkers.one, stated.checkers.two) == (STARTING.own, STARTING.other)
    assert "set by hand" in match.notices[-2].message


@pytest.mark.parametrize("dice", [(0, 3), (7, 7), (-1, 2)])
def test_dice_that_do_not_exist_are_remarked(dice: tuple[int, int]) -> None:
    match = read(two_plays((100, "ii", dice)).bytes())
    assert NoticeCode.DICE_NOT_READ in codes(match)
    assert match.rolls == 1
    assert len(payloads(match, PlayMade)) == 2


def test_impossible_positions_are_remarked_and_the_moves_followed() -> None:
    crowd = (0, 16, *([0] * 24))
    match = read(two_plays((9, "26b", crowd), (35, "26b", crowd)).bytes())
    assert NoticeCode.POSITION_CONFLICT in codes(match)
    assert payloads(match, PlayMade)[-1] == PlayMade(seat=TWO, moves=moves_of("24/14"))


# -- the cube ----------------------------------------------------------------------------------


def test_doubles_takes_and_drops() -> None:
    file = two_plays().decide(ONE, 1).roll(ONE, (2, 1), "13/11 24/23").decide(TWO, 0)
    match = read(file.win(TWO, 2, 0).bytes())
    acts = payloads(match, DoubleOffered, DoubleTaken, DoubleDropped)
    assert acts == [
        *(DoubleOffered(seat=ONE), DoubleTaken(seat=TWO)),
        *(DoubleOffered(seat=TWO), DoubleDropped(seat=ONE)),
    ]
    assert match.result.winner is TWO
    assert match.result.points == 2
    assert codes(match) == set()


def test_a_beaver_turns_the_cube_twice() -> None:
    file = two_plays(file=XgFile(99_999)).decide(ONE, 2, (24, "i", 1))
    file.cube, file.owner = 2, TWO
    match = read(file.roll(ONE, (2, 1), "13/11 24/23").bytes())
    assert payloads(match, CubeBeavered) == [CubeBeavered(seat=TWO)]
    assert NoticeCode.CUBE_DIFFERS not in codes(match)


@pytest.mark.parametrize(
    ("cube", "owner", "says"),
    [(1, ONE, "elsewhere than the acts put it"), (2, TWO, "4 in the file, 2 by the acts")],
)
def test_a_cube_that_no_act_tells_is_followed(cube: int, owner: Seat, says: str) -> None:
    file = two_plays().decide(ONE, 1)
    file.cube, file.owner = cube, owner
    match = read(file.roll(ONE, (2, 1), "13/11 24/23").bytes())
    (notice,) = [one for one in match.notices if one.code is NoticeCode.CUBE_DIFFERS]
    assert says in notice.message
    assert payloads(match, CubeStated) == [
        CubeStated(value=2**cube, owner=owner, reason="cube of the file")
    ]


def test_a_raccoon_turns_the_cube_once_more() -> None:
    file = two_plays(file=XgFile(99_999)).decide(ONE, 2, (24, "ii", (2, 1)))
    file.cube, file.owner = 3, TWO
    match = read(file.roll(ONE, (2, 1), "13/11 24/23").bytes())
    assert payloads(match, CubeBeavered) == [CubeBeavered(seat=TWO), CubeBeavered(seat=ONE)]
    assert payloads(match, CubeStated) == []
    assert NoticeCode.CUBE_DIFFERS not in codes(match)


def test_automatic_doubles_are_the_cube_at_the_start() -> None:
    file = XgFile(99_999).start(1, (0, 0), (64, "i", 2))
    match = read(file.decide(ONE).roll(ONE, (3, 1), "8/5 6/5").bytes())
    (stated,) = payloads(match, CubeStated)
    assert isinstance(stated, CubeStated)
    assert (stated.value, stated.owner) == (4, None)


@pytest.mark.parametrize("cube", [31, -40, 2**31 - 1, -(2**31)])
def test_a_cube_that_nothing_shows_is_remarked(cube: int) -> None:
    match = read(two_plays((108, "i", cube)).bytes())
    assert NoticeCode.CUBE_DIFFERS in codes(match)
    assert not payloads(match, CubeStated)


def test_a_cube_decision_marked_as_invalid_is_remarked() -> None:
    match = read(two_plays().decide(ONE, 0, (260, "i", 2)).win(ONE, 1, 0).bytes())
    assert NoticeCode.DECLARED_ILLEGAL in codes(match)
    assert any("invalid" in what for what in match.lost)


# -- results and scores ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("termination", "points", "level"),
    [(101, 1, "single"), (102, 2, "gammon"), (103, 3, "backgammon"), (104, 2, "gammon")],
)
def test_a_resignation_has_its_level(termination: int, points: int, level: str) -> None:
    match = read(two_plays().win(TWO, points, termination).bytes())
    assert payloads(match, ResignationOffered) == [
        ResignationOffered(seat=ONE, level=WinKind(level))
    ]
    assert payloads(match, GameWon) == [GameWon(winner=TWO, points=points)]
    assert replay(events_of(match)).state.score.score == BySeat(0, points)


def test_a_settled_game_is_lost_by_name_and_its_points_are_claimed() -> None:
    match = read(two_plays().win(ONE, 1, 1_001).bytes())
    assert any("settled" in what for what in match.lost)
    assert payloads(match, GameWon) == [GameWon(winner=ONE, points=1)]
    assert not payloads(match, ResignationOffered)


def test_the_final_score_is_part_of_the_claim_that_the_match_is_over() -> None:
    match = read(two_plays(file=XgFile(1)).win(TWO, 2, 102).end(TWO).bytes())
    assert payloads(match, MatchEnded) == [MatchEnded(winner=TWO, score=BySeat(0, 2))]
    assert match.result.ended is Ended.MATCH


def test_a_final_score_of_its_own_is_remarked() -> None:
    file = two_plays(file=XgFile(1)).win(TWO, 2, 102)
    file.score = (0, 1)
    assert NoticeCode.SCORE_DIFFERS in codes(read(file.end(TWO).bytes()))
    unfinished = two_plays().win(TWO, 1, 101)
    unfinished.score = (0, 2)
    match = read(unfinished.end().bytes())
    assert NoticeCode.SCORE_DIFFERS in codes(match)
    assert any("the end says 0-2, the games make it 0-1" in what for what in match.lost)


def test_a_score_that_the_games_do_not_make_is_followed() -> None:
    file = two_plays().win(TWO, 1, 101).start(2, (1, 1))
    match = read(file.decide(ONE).roll(ONE, (3, 1), "8/5 6/5").bytes())
    assert NoticeCode.SCORE_DIFFERS in codes(match)
    (stated,) = payloads(match, ScoreStated)
    assert isinstance(stated, ScoreStated)
    assert stated.score == BySeat(1, 1)


def test_a_file_that_stops_within_a_game_is_an_unfinished_match() -> None:
    match = read(two_plays().bytes())
    assert match.result.ended is Ended.UNFINISHED
    assert NoticeCode.UNFINISHED in codes(match)


@pytest.mark.parametrize("is_marked", [True, False])
def test_the_mark_of_the_crawford_game_is_followed(is_marked: bool) -> None:
    file = XgFile(3).start(1, (2, 0), (20, "B", is_marked))
    match = read(file.decide(TWO).roll(TWO, (3, 1), "8/5 6/5").bytes())
    assert (NoticeCode.CRAWFORD_DIFFERS in codes(match)) is not is_marked
    crawford = replay(events_of(match)).state.score.is_crawford_game
    assert crawford is is_marked


@pytest.mark.parametrize("is_marked", [True, False])
def test_after_the_crawford_game_no_game_is_marked_as_one(is_marked: bool) -> None:
    file = XgFile(3).start(1, (2, 0), (20, "B", 1)).decide(TWO).roll(TWO, (3, 1), "8/5 6/5")
    file.win(TWO, 1, 101).start(2, (2, 1), (20, "B", is_marked))
    match = read(file.decide(TWO).roll(TWO, (3, 1), "8/5 6/5").bytes())
    assert (NoticeCode.CRAWFORD_DIFFERS in codes(match)) is is_marked
    assert any("marked as the Crawford game" in what for what in match.lost) is is_marked
    assert not payloads(match, ScoreStated)
    assert not replay(events_of(match)).state.score.is_crawford_game


# -- comments and clocks -----------------------------------------------------------------------

RTF = (
    r"{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0 Arial;}}" + "\x01\x02"
    r"{\*\generator Wine;}\pard\fs20 d\'e9j\'e0 vu\par \u8222?so\ldblquote\{\}\tab x\par}"
)


def test_comments_are_marked_moments_about_what_they_comment() -> None:
    file = two_plays((2524, "i", 1))
    file.comments = ["at the start", RTF]
    file.records[0] = record(
        0,
        *((offset, "i", value) for offset, value in ((92, 5), (552, 30), (576, 0), (580, -1))),
        (556, "I", 0x494C4D44),
    )
    match = read(file.bytes())
    (first, opened), (second, play) = notes(match)
    assert (first, opened.kind) == ("at the start", "match.opened")
    assert second == "déjà vu\n\u201eso\u201c{}\tx"
    assert play.payload == PlayMade(seat=TWO, moves=moves_of("24/14"))


def test_letters_of_a_note_may_be_written_with_capitals() -> None:
    assert plain_text(r"{\rtf1\ansi caf\'E9 \'e9 \'Fc}") == "café é ü"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (r"\f1 \'cf\'f0\'e8\f0  caf\'e9", "При café"),
        (r"{\f1 \'cf}\'e9\f1\'cf\plain\'e9", "ПéПé"),
        (r"\f2 \'93\'fa\'96\{\'83A A", "日本ア A"),
        (r"\f3 \'e9", "é"),
    ],
)
def test_letters_of_a_note_are_those_of_their_font(words: str, text: str) -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fnil\fcharset204 B;}{\f2\fcharset128 C;}}"
    assert plain_text(rf"{{\rtf1\ansi\ansicpg1252\deff0{fonts}{words}\par}}") == text


def test_a_note_begins_in_its_first_font() -> None:
    fonts = r"{\fonttbl{\f5\fcharset161 A;}}"
    assert plain_text(rf"{{\rtf1\ansi\ansicpg1252\deff5{fonts}\'e1}}") == "α"


def test_a_comment_that_is_not_there_is_remarked() -> None:
    match = read(two_plays((2524, "i", 7)).bytes())
    assert any("comment 7" in what for what in match.lost)


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        ("plain", "plain"),
        (r"{\rtf1 a\u-10179?\u-8704?b}", "a\U0001f600b"),
        (r"{\rtf1 a\u-10179?b}", "a\ufffdb"),
        (r"{\rtf1{\*\x{\y z}}w", "w"),
        ("{\\rtf1 }}}}{{{ \\", "\\"),
        (r"{\rtf1\ansicpg99999 \'e9}", "é"),
    ],
)
def test_notes_of_any_shape_become_text(rtf: str, text: str) -> None:
    assert plain_text(rtf) == text


def test_a_clock_is_set_and_read() -> None:
    setting = (1912, "iB3x6i", (1, 1, 300, 12, 2, 0, 0, 0))
    file = XgFile(fields=(setting,)).start(1)
    file.decide(ONE, None, (304, "ii", (300, 300))).roll(ONE, (3, 1), "8/5 6/5")
    file.decide(TWO, None, (304, "ii", (290, 300))).roll(TWO, (6, 4), "24/14")
    match = read(file.bytes())
    terms = {"kind": "fischer", "reserve_ms": 300_000, "delay_ms": 12_000}
    assert match.opened["clock_terms"] == terms
    was_set, first, second = payloads(match, ClockSet, ClockRead)
    reserve = BySeat(300_000, 300_000)
    assert was_set == ClockSet(kind=ClockKind.FISCHER, reserve_ms=reserve, delay_ms=12_000)
    assert first == ClockRead(readings=BySeat(300_000, 300_000))
    assert second == ClockRead(readings=BySeat(290_000, 300_000))
    assert any("2 points" in what for what in match.lost)
    shown = replay(events_of(match)).state.clock.reserve_ms
    assert shown == BySeat(290_000, 300_000)


def test_a_clock_of_an_unknown_kind_is_lost_by_name() -> None:
    setting = (1912, "iB3x6i", (3, 0, 300, 12, 0, 0, 0, 0))
    match = read(two_plays(file=XgFile(fields=(setting,))).bytes())
    assert "clock_terms" not in match.opened
    assert any("a clock of kind 3" in what for what in match.lost)


# -- broken files ------------------------------------------------------------------------------


@cache
def whole() -> bytes:
    """A home-made match of two games with a comment."""
    file = (
        two_plays((2524, "i", 0)).decide(ONE, 1).roll(ONE, (2, 1), "13/11 24/23").win(TWO, 2, 101)
    )
    file.comments = [RTF]
    file.start(2, (0, 2)).roll(TWO, (5, 2), "13/8 24/22").decide(ONE, 0).win(ONE, 1, 0)
    return file.end().bytes()


def test_a_file_cut_anywhere_is_refused_or_lacks_its_index() -> None:
    data = whole()
    read_at_all = []
    for length in (*range(4, 100), *range(8_200, len(data))):
        try:
            match = read(data[:length])
        except Refused:
            continue
        read_at_all.append(match)
    (match,) = read_at_all  # cut where the records end
    assert NoticeCode.LINE_NOT_READ in codes(match)


def test_an_archive_without_an_index_is_read_as_far_as_it_goes() -> None:
    records = b"".join(two_plays().records)
    data = archive({}, picture=b"")[:8_232] + zlib.compress(records)
    match = read(data)
    assert match.rolls == 2
    assert NoticeCode.LINE_NOT_READ in codes(match)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\0" * 2_559, id="half a record"),
        pytest.param(b"\0" * 2_560, id="no match header"),
        pytest.param(record(1), id="a game first"),
        pytest.param(record(0, (556, "I", 0x494C4D44), (552, "i", 41)), id="a later version"),
    ],
)
def test_records_that_are_no_match_are_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        read(archive({"temp.xg": content}))


def test_a_file_that_unpacks_to_more_than_any_match_is_refused() -> None:
    bomb = zlib.compress(b"\0" * 70_000_000, 1)
    with pytest.raises(Refused, match="more than 64 MB"):
        read(whole()[:8_232].replace(struct.pack("<I", 7), bytes(4), 1) + bomb)
    with pytest.raises(Refused, match="more than 16 MB"):
        read(archive({"temp.xg": b"".join(two_plays().records), "temp.xgr": bytes(20_000_000)}))


def mutated(seed: int) -> bytes:
    """The match with records changed, dropped, doubled or exchanged; half the time bytes only."""
    chance = random.Random(seed)
    data = bytearray(whole())
    if chance.random() < 0.3:
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    records = [bytearray(part) for part in _records()]
    for _ in range(chance.randint(1, 6)):
        part = chance.choice(records)
        # The members that are read; an engine's analysis lies between them.
        at = chance.choice((chance.randrange(8, 130), chance.randrange(200, 320), 2480, 2524, 2308))
        if chance.random() < 0.5:
            part[at] = chance.randrange(256)
        else:
            struct.pack_into("<i", part, at, chance.choice((-1, 1, 2, 99_999, 2**31 - 1, -(2**31))))
        if chance.random() < 0.2:
            records.insert(chance.randrange(1, len(records)), bytearray(chance.choice(records)))
        if chance.random() < 0.2 and len(records) > 2:
            del records[chance.randrange(1, len(records))]
    return archive({"temp.xg": b"".join(records), "temp.xgc": RTF.encode() + b"\r\n"})


@cache
def _records() -> list[bytes]:
    content = zlib.decompressobj().decompress(whole()[8_232 + len(b"picture") :])
    return [content[at : at + 2_560] for at in range(0, len(content), 2_560)]


def test_five_hundred_changed_files() -> None:
    read_at_all = sum(bool(survives(mutated(seed))) for seed in range(500))
    assert 100 < read_at_all < 500


@pytest.mark.long
def test_twenty_thousand_changed_files() -> None:
    assert sum(bool(survives(mutated(seed))) for seed in range(20_000)) > 4_000


# -- real files --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(shelf: Any) -> dict[str, ReadMatch]:
    """Every real .xg file by its path."""
    return {row["file"]: m for row, m in shelf.read if row["dialect"] == "xg-binary"}


def test_every_real_file_is_read_whole(shelf: Any) -> None:
    rows = [(row, m) for row, m in shelf.read if row["dialect"] == "xg-binary"]
    assert len(rows) == 6
    for row, match in rows:
        counted = (match.dialect, str(match.length or 0), str(match.games), str(match.rolls))
        indexed = (row["dialect"], row["match_length"], row["games"], row["plies"])
        assert counted == indexed
        assert match.lost == ["an engine's analysis"]
    found = Counter(notice.code for _, match in rows for notice in match.notices)
    assert found == {
        NoticeCode.ANALYSIS: 6,
        NoticeCode.COMMENT: 2,
        NoticeCode.DECLARED_ILLEGAL: 1,
    }


def test_no_play_of_a_real_file_is_illegal_but_the_one_that_is_marked(
    real: dict[str, ReadMatch], recorded: Recorded
) -> None:
    marked, found = [], []
    for match in real.values():
        marked += [n.line for n in match.notices if n.code is NoticeCode.DECLARED_ILLEGAL]
        steps = replay(recorded(match)).steps
        for step in steps:
            if any(finding.code == "illegal-play" for finding in step.findings):
                found.append(match.facts[step.event.version - 1].line)
    assert found == marked
    assert len(found) == 1


def test_scores_and_results_are_those_that_the_file_prints(
    real: dict[str, ReadMatch], recorded: Recorded
) -> None:
    for match in real.values():
        state = replay(recorded(match)).state.score
        assert state.score == match.claimed_score
        assert state.winner == match.result.winner
        (ended,) = payloads(match, MatchEnded)
        assert isinstance(ended, MatchEnded)
        assert ended.score == match.claimed_score


def test_the_text_forms_of_one_match_tell_the_same(shelf: Any) -> None:
    forms = {".xg", ".mat", ".txt"}
    twins = {
        Path(row["file"]).suffix: match
        for row, match in shelf.read
        if Path(row["file"]).stem == "test" and Path(row["file"]).suffix in forms
    }
    assert twins.keys() == forms
    binary = twins.pop(".xg")
    for text in twins.values():
        assert boards_of(replay(events_of(text))) == boards_of(replay(events_of(binary)))
        counts = (text.games, text.rolls, text.claimed_score, text.result)
        assert counts == (binary.games, binary.rolls, binary.claimed_score, binary.result)
        assert dice_of(text) == dice_of(binary)
        assert acts_of(text) == acts_of(binary)


def boards_of(replayed: Replay) -> list[Any]:
    """The board after every play."""
    return [
        step.after.positions.board
        for step in replayed.steps
        if isinstance(step.event.payload, PlayMade)
    ]


def dice_of(match: ReadMatch) -> list[Any]:
    return [
        (payload.seat, sorted(payload.dice))
        for payload in payloads(match, Rolled)
        if isinstance(payload, Rolled)
    ]


def acts_of(match: ReadMatch) -> list[Any]:
    """Cube acts, scores and winners, which text files tell as well."""
    kinds = (DoubleOffered, DoubleTaken, DoubleDropped, ScoreNoted, GameStarted)
    won = [(w.winner, w.points) for w in payloads(match, GameWon) if isinstance(w, GameWon)]
    return [*payloads(match, *kinds), *won]


@pytest.fixture(scope="module")
def texts(shelf: Any) -> list[ReadMatch]:
    """Real text files of which every play is known, so that records can tell them."""
    unknown = (PlayUnseen, PositionStated)
    return [
        match
        for row, match in shelf.read
        if row["dialect"].endswith(("-mat", "-text", "+tags"))
        and match.claimed_score is not None
        and not payloads(match, *unknown)
        and all(
            not isinstance(fact.payload, PlayMade) or fact.payload.resulting_position is None
            for fact in match.facts
        )
    ]


def test_real_matches_are_the_same_as_text_and_as_records(texts: list[ReadMatch]) -> None:
    for match in texts[::16]:
        assert essence(read(as_xg(match))) == essence(match), match.opened["source"]["sha256"]


@pytest.mark.long
def test_every_real_match_is_the_same_as_text_and_as_records(texts: list[ReadMatch]) -> None:
    assert len(texts) > 400
    for match in texts:
        assert essence(read(as_xg(match))) == essence(match), match.opened["source"]["sha256"]


def test_gammonview_finds_the_same_in_every_record(
    real: dict[str, ReadMatch], shared_folder: Any, require: Callable[[bool, str], None]
) -> None:
    has = importlib.util.find_spec("gvformat") is not None
    require(has, "the package gammonview is not installed")
    reader = importlib.import_module("gvformat.xg")
    for file, match in real.items():
        records = reader.read_xg((shared_folder / "corpus" / file).read_bytes())
        moves = [found for kind, found in records if kind == "move"]
        headers = [found for kind, found in records if kind == "header_game"]
        rolls = payloads(match, Rolled)
        assert [(ONE if m["actifp"] == 1 else TWO, tuple(m["dice"])) for m in moves] == [
            (roll.seat, roll.dice) for roll in rolls if isinstance(roll, Rolled)
        ]
        scores = [n.score for n in payloads(match, ScoreNoted) if isinstance(n, ScoreNoted)]
        assert scores == [BySeat(h["score1"], h["score2"]) for h in headers]
        names = [match.opened["players"][seat][0]["name"] for seat in ("one", "two")]
        header = records[0][1]
        assert names == [header["player1"], header["player2"]]
