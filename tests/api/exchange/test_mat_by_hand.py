"""Files of .mat that hands and mail programs have touched: headings, sentences, wrapped rows."""

from __future__ import annotations

from typing import Any

import pytest

from api.exchange.mat import writer as mat
from api.exchange.readers import read_file
from api.exchange.reading.facts import NoticeCode, ReadMatch, Refused
from api.exchange.writing.wanted import Details
from events.payloads import cube, dice, ending, match, play
from events.payloads.base import WinKind
from events.values import BySeat, CheckerMove, Seat
from projections.replay import replay
from tests.api.exchange.recorded import events_of

FIRST = "  1) 31: 8/5 6/5                    42: 8/4 6/4\n"
SCORE = " Ada : 0                        Ben : 0\n"


def read(rows: str, *, length: int = 5, head: str = "", heading: str = " Game 1") -> ReadMatch:
    text = f"{head} {length} point match\n\n{heading}\n{SCORE}{rows}"
    (found,) = read_file(text.encode(), "x.mat")
    return found


def payloads(found: ReadMatch, *kinds: type) -> list[Any]:
    return [fact.payload for fact in found.facts if isinstance(fact.payload, kinds)]


def codes(found: ReadMatch) -> list[NoticeCode]:
    return [notice.code for notice in found.notices]


ROW_TWO = "  2) 65: 24/13                       Resigns gammon\n"
ENDS = (ending.ResignationOffered, ending.ResignationAccepted, ending.ResignationRefused)


def test_who_accepts_a_resignation_takes_no_double() -> None:
    found = read(f"{FIRST}{ROW_TWO}  3)  Accepts\n      Wins 2 points\n")
    offered, accepted = payloads(found, *ENDS, cube.DoubleTaken)
    assert (offered.seat, offered.level) == (Seat.TWO, WinKind.GAMMON)
    assert isinstance(accepted, ending.ResignationAccepted)
    assert (accepted.seat, codes(found), found.lost) == (Seat.ONE, [], [])


def test_a_resignation_that_is_rejected_is_no_end_and_keeps_its_level() -> None:
    rows = f"{FIRST}{ROW_TWO}  3)  Rejects                         62: 24/16\n"
    offered, refused = payloads(read(rows), *ENDS, cube.DoubleDropped)
    assert (offered.level, type(refused)) == (WinKind.GAMMON, ending.ResignationRefused)
    (offered,) = payloads(read(f"{FIRST}{ROW_TWO}  3) 61: 13/6\n"), *ENDS)
    assert offered.level is WinKind.GAMMON


STATED = (
    "Illegal play (5;0;0;0;0;Ben;Ada;0;0;0;1;0;0;"
    "-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;-1;0;0;2;0;6;2;)"
)


@pytest.mark.parametrize("rest", ["", "  2)                             64: 24/14\n"])
@pytest.mark.parametrize(
    ("cell", "code"),
    [
        (STATED, NoticeCode.STATED_POSITION),
        ("8/5 6/5 (the best of all openings, as people say)", NoticeCode.CELL_NOT_READ),
    ],
)
def test_a_long_left_cell_moves_no_result_to_the_other_side(
    cell: str, code: NoticeCode, rest: str
) -> None:
    for column, winner in ((6, Seat.ONE), (34, Seat.TWO)):
        found = read(f"  1) 31: {cell}   62: 24/18 13/11\n{rest}{' ' * column}Wins 1 point\n")
        assert [one.winner for one in payloads(found, match.GameWon)] == [winner]
        assert codes(found) == [code]


@pytest.mark.parametrize(("blanks", "winner"), [(7, Seat.ONE), (24, Seat.TWO)])
def test_a_first_roll_before_a_result_of_the_left_column_is_the_right_players(
    blanks: int, winner: Seat
) -> None:
    found = read(f"  1) 61:{' ' * blanks}Wins 2 points\n")
    [rolled, won] = payloads(found, dice.Rolled, match.GameWon)
    assert (rolled.seat, won.winner, codes(found)) == (winner.other, winner, [])


@pytest.mark.parametrize("line", ["12:31", "[ 12:31 ]", "Ada 12:31   Ben 11:02", "12:31:02"])
def test_a_time_of_the_clock_is_no_roll(line: str) -> None:
    rows = "  2) 65: 24/13                       61: 13/7 8/7\n"
    found = read(f"{FIRST}{line}\n{rows}", length=0)
    assert len(payloads(found, dice.Rolled)) == 4
    assert payloads(found, play.PlayUnseen) == []
    assert found.lost == [f"line 6: {' '.join(line.split())}"]


def test_a_time_behind_checker_moves_takes_them_not_along() -> None:
    rows = "  2) 65: 24/13 12:31                 61: 13/7 8/7 0:45:10\n"
    found = read(FIRST + rows)
    assert [len(made.moves) for made in payloads(found, play.PlayMade)] == [2, 2, 1, 2]
    assert found.lost == ["line 6: 12:31", "line 6: 0:45:10"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_file_all_of_whose_blanks_are_no_break_ones_is_read(encoding: str) -> None:
    text = f" 5 point match\n\n Game 1\n{SCORE}{FIRST}".replace(" ", "\xa0")
    (found,) = read_file(text.encode(encoding), "x.mat")
    assert len(payloads(found, play.PlayMade)) == 2
    assert found.lost == []


BEAVERED = "  2)  Doubles => 2                  Beavers => 4\n"


@pytest.mark.parametrize("word", ["Beavers", "Raccoons"])
def test_a_beaver_of_a_beaver_is_a_raccoon_and_turns_the_cube_once(word: str) -> None:
    rows = f"{FIRST}{BEAVERED}  3)  {word} => 8                  Takes\n"
    found = read(f"{rows}  4) 62: 24/18 13/11\n  5)  Doubles => 16\n", length=0)
    assert (codes(found), found.lost) == ([NoticeCode.UNFINISHED], [])
    assert len(payloads(found, cube.CubeBeavered)) == 2
    state = replay(events_of(found)).state.cube
    assert (state.value, state.owner) == (8, Seat.TWO)
    (again,) = read_file(mat.write(replay(events_of(found))).content, "x.mat")
    assert (codes(again), again.lost) == (codes(found), [])


@pytest.mark.parametrize(
    ("rows", "points"),
    [
        (f"{BEAVERED}  3)  Drops", BySeat(0, 2)),
        (f"{BEAVERED}  3)  Beavers => 8                  Drops", BySeat(4, 0)),
    ],
)
def test_who_drops_a_beaver_loses_what_the_cube_was_before_it(
    rows: str, points: BySeat[int]
) -> None:
    score = " Game 2\n Ada : {0.one}                        Ben : {0.two}\n"
    found = read(f"{FIRST}{rows}\n{score.format(points)}{FIRST}", length=0)
    assert codes(found) == [NoticeCode.UNFINISHED]
    assert replay(events_of(found)).state.score.score == points


def test_who_rejects_a_double_drops_it() -> None:
    found = read(f"{FIRST}  2)  Doubles => 2                    Rejects\n      Wins 1 point\n")
    assert [one.seat for one in payloads(found, cube.DoubleDropped)] == [Seat.TWO]
    assert (codes(found), found.lost) == ([], [])


# -- headings -----------------------------------------------------------------------------------

SECOND = (
    "      Wins 2 points\n\n{}\n Ada : 2                        Ben : 0\n"
    "  1)                                31: 8/5 6/5\n"
)


@pytest.mark.parametrize(
    "heading",
    [" Game 2:", " GAME 2", " game 2", "\tGame\t2", "\x0c Game 2", "\xa0Game 2", "Game #2"],
)
def test_a_game_begins_with_its_heading_however_that_is_spelled(heading: str) -> None:
    found = read(FIRST + SECOND.format(heading))
    assert [started.number for started in payloads(found, match.GameStarted)] == [1, 2]
    assert (found.rolls, found.lost) == (3, [])


def test_a_length_that_stands_there_twice_begins_no_match_without_a_game() -> None:
    found = read(FIRST, head='; [Event "x"]\n 5 point match\n\n')
    assert (found.games, found.rolls) == (1, 2)
    assert found.lost == ["line 4: 5 point match"]


WON, SITTING = SECOND.split("\n\n", 1)
AGAIN = f" 5 point match\n\n{SITTING}"


def test_a_length_above_the_next_sitting_of_a_match_begins_no_other() -> None:
    found = read(f"{FIRST}{WON}\n\n{AGAIN.format(' Game 2')}")
    assert [started.number for started in payloads(found, match.GameStarted)] == [1, 2]
    assert (found.rolls, found.lost) == (3, ["line 8: 5 point match"])


@pytest.mark.parametrize(
    "following",
    [
        AGAIN.format(" Game 1"),
        AGAIN.format(" Game 3"),
        AGAIN.format(" Game 2").replace("5 point", "7 point"),
        AGAIN.format(" Game 2").replace("Ada", "Eve"),
        f'; [Event "x"]\n{AGAIN.format(" Game 2")}',
    ],
)
def test_a_length_begins_another_match_unless_the_next_game_of_the_same_two_follows(
    following: str,
) -> None:
    text = f" 5 point match\n\n Game 1\n{SCORE}{FIRST}{WON}\n\n{following}"
    assert [found.games for found in read_file(text.encode(), "x.mat")] == [1, 1]


def test_a_match_without_a_game_is_remarked() -> None:
    text = f" 7 point match\n 5 point match\n\n Game 1\n{SCORE}{FIRST}"
    empty, found = read_file(text.encode(), "x.mat")
    assert (empty.games, codes(empty), found.games) == (0, [NoticeCode.UNFINISHED], 1)


def test_a_match_that_goes_on_after_its_end_is_remarked() -> None:
    found = read(FIRST + SECOND.format(" Game 2").replace("points", "points and the match"))
    (notice,) = [n for n in found.notices if n.code is NoticeCode.RESULT_DIFFERS]
    assert (notice.line, notice.raw) == (6, "Wins 2 points and the match")


def test_a_session_without_a_length_that_ends_a_match_is_remarked() -> None:
    found = read(FIRST + "      Wins 1 point and the match\n", length=0)
    assert codes(found) == [NoticeCode.RESULT_DIFFERS]


@pytest.mark.parametrize("heading", [" Spiel 2", " Game", " Partie n° 2"])
def test_a_score_line_begins_a_game_whose_heading_nobody_knows(heading: str) -> None:
    found = read(FIRST + SECOND.format(heading))
    assert found.games == 2
    assert found.claimed_score == BySeat(2, 0)
    assert found.lost == [f"line 8: {heading.strip()}"]
    assert NoticeCode.GAME_NUMBER in codes(found)


def test_a_score_that_is_only_told_begins_no_game() -> None:
    told = " Ada : 1500                     Ben : 1600\n"
    found = read(FIRST + "      Wins 2 points\n Ada : 2        Ben : 0\n", heading=f"{told} Game 1")
    assert found.games == 1
    assert found.claimed_score == BySeat(2, 0)
    assert found.lost == [
        "line 3: Ada : 1500                     Ben : 1600",
        "line 8: Ada : 2 Ben : 0",
    ]


def test_a_line_of_other_names_with_numbers_begins_no_game() -> None:
    found = read(FIRST + " Final : 3    Result : 2\n")
    assert found.games == 1
    assert found.lost == ["line 6: Final : 3 Result : 2"]


@pytest.mark.parametrize(("length", "lost"), [(3, []), (5, ["line 8: (Crawford)"])])
def test_a_game_called_crawford_is_compared_with_the_score(length: int, lost: list[str]) -> None:
    text = FIRST + SECOND.format(" Game 2 (Crawford)")
    found = read(text, length=length)
    assert found.games == 2
    assert found.lost == lost
    assert (NoticeCode.CRAWFORD_DIFFERS in codes(found)) is bool(lost)


def test_other_words_behind_the_number_of_a_game_are_lost_by_name() -> None:
    found = read(FIRST + SECOND.format(" Game 2 - at the second table"))
    assert found.games == 2
    assert found.lost == ["line 8: - at the second table"]


@pytest.mark.parametrize("name", ["1) Ada", "1. FC Ada", "7) 7)"])
def test_a_name_may_begin_as_a_row_does(name: str) -> None:
    text = f" 5 point match\n\n Game 1\n {name} : 0                 Ben : 0\n{FIRST}"
    (found,) = read_file(text.encode(), "x.mat")
    assert found.opened["players"] == {"one": [{"name": name}], "two": [{"name": "Ben"}]}


def test_a_score_that_nobody_has_is_none() -> None:
    text = f" 5 point match\n\n Game 1\n Ada : 9999999             Ben : 0\n{FIRST}"
    (found,) = read_file(text.encode(), "x.mat")
    assert payloads(found, match.ScoreNoted) == []
    assert found.lost == ["line 4: Ada : 9999999 Ben : 0"]


# -- headers ------------------------------------------------------------------------------------


def test_headers_may_stand_behind_the_length() -> None:
    headers = '; [Crawford "Off"]\n; [Event "Open"]\n; so long\n'
    text = f" 5 point match\n{headers}\n Game 1\n{SCORE}{FIRST}"
    (found,) = read_file(text.encode(), "x.mat")
    assert found.opened["options"] == {"crawford": {"value": "off"}}
    assert found.opened["event"] == "Open"
    source: Any = found.opened["source"]
    assert "; so long" in source["headers"]


def test_an_option_that_is_neither_on_nor_off_is_not_stated() -> None:
    found = read(FIRST, head='; [Jacoby "perhaps"]\n; [Crawford "maybe"]\n')
    assert found.opened["options"] == {"crawford": {"value": "on"}}
    assert codes(found).count(NoticeCode.LINE_NOT_READ) == 2


def test_games_without_a_length_say_what_to_do() -> None:
    with pytest.raises(Refused, match="put it above the first game, with 0 for a session"):
        read_file(f" Game 1\n{SCORE}{FIRST}".encode(), "x.mat")


def test_the_end_that_dos_wrote_is_no_damage() -> None:
    text = f" 5 point match\r\n\r\n Game 1\r\n{SCORE}{FIRST}\x1a"
    (found,) = read_file(text.encode(), "x.mat")
    assert found.rolls == 2


# -- sides and sentences ------------------------------------------------------------------------


def test_rows_may_be_numbered_with_a_dot() -> None:
    found = read(FIRST.replace(")", ".") + "  2. 65: 24/13                      61: 13/7 8/7\n")
    thrown = [(rolled.seat, rolled.dice) for rolled in payloads(found, dice.Rolled)]
    assert thrown == [
        (Seat.ONE, (3, 1)),
        (Seat.TWO, (4, 2)),
        (Seat.ONE, (6, 5)),
        (Seat.TWO, (6, 1)),
    ]
    assert found.lost == []


def test_what_nobody_understands_moves_no_roll_to_the_other_side() -> None:
    found = read("  1) xx 31: 8/5 6/5                    42: 8/4 6/4\n  2) 9x 65: 24/13\n")
    thrown = [(rolled.seat, rolled.dice) for rolled in payloads(found, dice.Rolled)]
    assert thrown == [(Seat.ONE, (3, 1)), (Seat.TWO, (4, 2)), (Seat.ONE, (6, 5))]
    assert found.lost == ["line 5: xx", "line 6: 9x"]


@pytest.mark.parametrize(
    "line",
    [
        "  Ada doubles too late here.",
        "  What a drop",
        "  Ben drops a clanger",
        "  Zed resigns himself to it",
    ],
)
def test_a_sentence_with_a_word_of_the_game_in_it_is_no_act(line: str) -> None:
    found = read(FIRST + line + "\n" + "  2) 65: 24/13                      61: 13/7 8/7\n")
    acts = (cube.DoubleOffered, cube.DoubleDropped, ending.ResignationOffered)
    assert payloads(found, *acts) == []
    assert found.rolls == 4
    assert found.lost == [f"line 6: {line.strip()}"]


@pytest.mark.parametrize(
    ("line", "winner"),
    [
        ("      Ada wins 2 points", Seat.ONE),
        ("      Ben wins 2 points", Seat.TWO),
        ("                                    Ada wins 2 points", Seat.ONE),
        ("      Ben loses 2 points", Seat.ONE),
        ("      Ada resigns a gammon", Seat.TWO),
        ("  2) 65: 24/13                     Ada wins 2 points", Seat.ONE),
    ],
)
def test_who_is_named_did_it_wherever_it_stands(line: str, winner: Seat) -> None:
    found = read(FIRST + line + "\n")
    assert replay(events_of(found)).state.match_score == (
        BySeat(2, 0) if winner is Seat.ONE else BySeat(0, 2)
    )
    assert found.lost == []


def test_a_result_of_somebody_unknown_is_nobodys() -> None:
    found = read(FIRST + "      Zed wins 2 points\n")
    assert payloads(found, match.GameWon) == []
    assert found.lost == ["line 6: Zed", "line 6: wins 2 points"]


# Rows as every program writes them: the right cells begin in column 33.
BEGUN = "  1) 31: 8/5 6/5                 64: 24/14\n  2) 21: 13/11 6/5\n"
FAR = " " * 34 + "Wins 1 point and the match\n"


@pytest.mark.parametrize("letters", [1, 15, 30, 38, 39, 45, 53, 54, 70])
@pytest.mark.parametrize(("end", "winner"), [(FAR, Seat.TWO), (f"      {FAR.strip()}\n", Seat.ONE)])
def test_a_long_name_moves_no_result(letters: int, end: str, winner: Seat) -> None:
    score = f" {'A' * letters} : 0  Ben : 0\n"
    (found,) = read_file(f" 1 point match\n\n Game 1\n{score}{BEGUN}{end}".encode(), "x.mat")
    assert [won.winner for won in payloads(found, match.GameWon)] == [winner]
    assert found.notices == []


def test_a_game_without_two_cells_in_a_row_has_the_columns_of_the_one_before() -> None:
    score = f" {'A' * 45} : {{}}  Ben : {{}}\n"
    first = f" 5 point match\n\n Game 1\n{score.format(0, 0)}{BEGUN}{FAR[:46]}\n"
    second = f"\n Game 2\n{score.format(0, 1)}  1) 31: 8/5 6/5\n{FAR[:46]}\n"
    (found,) = read_file((first + second).encode(), "x.mat")
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.TWO, Seat.TWO]


CLOSE = (
    " 5 point match\n\n Game 1\n Ada : 0 Ben : 0\n 1) 31: 8/5 6/5 42: 8/4 6/4\n"
    " 2) 11: 6/5 6/5 8/7 8/7 65: 24/13\n 3) 62: 24/18 13/11 64: 24/14\n"
    " 4) Doubles => 2 Drops\n{}\n\n Game 2\n Ada : 1 Ben : 0\n 1) 52: 13/8 13/11\n"
    " 2) 31: 8/5 6/5 42: 8/4 6/4\n 3) 21: 13/11 6/5 Doubles => 2\n 4) Takes{}\n"
)
"""What can be read of a match if a page has reduced several blanks to one."""


@pytest.mark.parametrize("blank", [" ", "  "])
@pytest.mark.parametrize("end", ["Wins 1 point", "5) Wins 1 point"])
def test_rows_without_columns_give_no_act_to_the_other_side(blank: str, end: str) -> None:
    text = CLOSE.format(end, "").replace(" ", blank)
    (found,) = read_file(text.encode(), "x.mat")
    thrown = [rolled.seat for rolled in payloads(found, dice.Rolled)]
    assert thrown == [Seat.ONE, Seat.TWO] * 3 + [Seat.TWO, Seat.ONE, Seat.TWO, Seat.ONE]
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.ONE]
    assert [taken.seat for taken in payloads(found, cube.DoubleTaken)] == [Seat.ONE]
    assert codes(found) == [NoticeCode.UNFINISHED]


def test_a_result_that_stands_in_no_column_is_nobodys() -> None:
    text = CLOSE.format("Wins 1 point", "\n Wins 2 points")
    (found,) = read_file(text.encode(), "x.mat")
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.ONE]
    assert codes(found) == [NoticeCode.UNFINISHED]
    assert found.lost == ["line 17: Wins 2 points"]


@pytest.mark.parametrize("first", ["8/5 6/5", "8/5 6/5 and a thought of some length"])
@pytest.mark.parametrize(("tabs", "winner"), [("\t", Seat.ONE), ("\t\t", Seat.TWO)])
@pytest.mark.parametrize("name", ["Ada", "A" * 45])
def test_cells_may_be_parted_by_tabs(first: str, tabs: str, winner: Seat, name: str) -> None:
    rows = f"1)\t31: {first}\t64: 24/14\n2)\t21: 13/11 6/5\n{tabs}Wins 1 point\n"
    text = f" 1 point match\n\n Game 1\n {name} : 0\tBen : 0\n{rows}"
    (found,) = read_file(text.encode(), "x.mat")
    thrown = [rolled.seat for rolled in payloads(found, dice.Rolled)]
    assert thrown == [Seat.ONE, Seat.TWO, Seat.ONE]
    assert [won.winner for won in payloads(found, match.GameWon)] == [winner]


def test_a_tab_before_an_empty_cell_leaves_it_empty() -> None:
    found = read("1)\t\t31: 8/5 6/5\n2)\t21: 13/11 6/5\t64: 24/14\n3)\t\tDoubles => 2\n")
    thrown = [rolled.seat for rolled in payloads(found, dice.Rolled)]
    assert thrown == [Seat.TWO, Seat.ONE, Seat.TWO]
    assert [double.seat for double in payloads(found, cube.DoubleOffered)] == [Seat.TWO]


@pytest.mark.parametrize("play_", ["31: 8/5 6/5", "31: ????", "31:"])
@pytest.mark.parametrize("later", ["", "  2) 64: 24/14                    21: 13/11 6/5\n"])
def test_a_result_behind_it_moves_no_roll_to_an_empty_left_cell(play_: str, later: str) -> None:
    row = "  1)".ljust(34) + f"{play_:28}"
    found = read(f"{row}Wins 1 point\n" if not later else f"{row}\n{later}{row}Wins 1 point\n")
    assert payloads(found, dice.Rolled)[-1].seat is Seat.TWO
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.TWO]
    assert NoticeCode.WINNER_CONFLICT not in codes(found)


def test_a_resignation_behind_a_lone_roll_is_that_players() -> None:
    found = read(FIRST + "  2)".ljust(34) + "31: 8/5 6/5                Resigns\n")
    (offered,) = payloads(found, ending.ResignationOffered)
    assert offered.seat is Seat.TWO
    assert [rolled.seat for rolled in payloads(found, dice.Rolled)][-1] is Seat.TWO


def test_the_place_of_a_result_behind_a_drop_says_nothing() -> None:
    row = "  2)  Doubles => 2\n" + "  3)".ljust(35) + "Drops                Wins 1 point\n"
    found = read(FIRST + row)
    assert [dropped.seat for dropped in payloads(found, cube.DoubleDropped)] == [Seat.TWO]
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.ONE]
    assert NoticeCode.WINNER_CONFLICT not in codes(found)


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("Resigns gammon", WinKind.GAMMON),
        ("Resign Gammon", WinKind.GAMMON),
        ("Resigns (gammon)", WinKind.GAMMON),
        ("Resign normal", WinKind.SINGLE),
        ("Resigns a single game", WinKind.SINGLE),
        ("Resign backgammon", WinKind.BACKGAMMON),
        ("Resign game", None),
        ("Resigns Match", None),
    ],
)
def test_the_level_of_a_resignation_may_be_said(words: str, level: WinKind | None) -> None:
    found = read(FIRST + f"  2) 65: 24/13                      {words}\n")
    (offered,) = payloads(found, ending.ResignationOffered)
    assert (offered.seat, offered.level) == (Seat.TWO, level)
    assert found.lost == []


def test_a_result_in_the_row_of_the_last_checkers_tells_no_side() -> None:
    last_ones = "; Set Pos=-C----------------------a-/0\n"
    found = read(f"{last_ones}  1) 11: 1/0 1/0 1/0              Wins 1 point\n")
    assert [won.winner for won in payloads(found, match.GameWon)] == [Seat.ONE]
    assert NoticeCode.WINNER_CONFLICT not in codes(found)
    below = read(f"{last_ones}  1) 11: 1/0 1/0 1/0\n{' ' * 34}Wins 1 point\n")
    assert NoticeCode.WINNER_CONFLICT in codes(below)


def test_a_double_may_be_passed_and_so_may_a_roll() -> None:
    found = read(f"{FIRST}  2)  Doubles =&gt; 2                Pass\n      Wins 1 point\n")
    offered, dropped = payloads(found, cube.DoubleOffered, cube.DoubleDropped)
    assert (offered.seat, dropped.seat, found.lost) == (Seat.ONE, Seat.TWO, [])
    danced = read(f"{FIRST}  2) 61: Pass                      21: 13/11 6/5\n")
    *_, passed, _ = payloads(danced, play.PlayMade)
    assert (passed.seat, passed.moves, danced.lost) == (Seat.ONE, (), [])
    assert not payloads(danced, cube.DoubleDropped)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("33: 24/21 (2) 13/10 (2)", 4),
        ("33: 24/21(2) 13/10 (2)", 4),
        ("33: 13/10 13/7 (2)", 3),
        ("33: 6/3 (4)", 4),
        ("66: 24/18* (2)", 2),
    ],
)
def test_a_blank_before_a_repeat_takes_no_checker_along(words: str, count: int) -> None:
    found = read(f"{FIRST}  2) {words:31}52: 13/8\n")
    assert [len(made.moves) for made in payloads(found, play.PlayMade)][2:] == [count, 1]
    assert found.lost == []


@pytest.mark.parametrize(
    "words",
    ["21: 2/0 0/0", "21: 0/0 2/0", "21: 2/off off/off", "21: bar/bar 2/0", "21: 2/0 0/0(2)"],
)
def test_a_checker_moved_nowhere_is_no_part_of_a_play(words: str) -> None:
    for _ in range(2):
        found = read(f"{FIRST}  2) {words:31}52: 13/8\n")
        plays = [made.moves for made in payloads(found, play.PlayMade)][2:]
        assert plays == [(CheckerMove(2, 0),), (CheckerMove(13, 8),)]
        assert found.lost == []


@pytest.mark.parametrize("mark", ["ILLEGAL?", "????????"])
def test_a_mark_at_one_checker_move_of_several_takes_no_play_along(mark: str) -> None:
    found = read(FIRST + f"  2) 62: 24/18 {mark} 13/11            52: 13/8\n")
    assert [len(made.moves) for made in payloads(found, play.PlayMade)][2:] == [2, 1]
    assert found.lost == [f"line 6: {mark}"]


@pytest.mark.parametrize("words", ["Doubles -> 2", "Doubles to 2", "Doubles ==> 2", "Doubles 2"])
def test_a_double_keeps_its_answer_however_its_value_is_written(words: str) -> None:
    found = read(FIRST + f"  2)  {words}                Takes\n")
    kinds = [type(one) for one in payloads(found, cube.DoubleOffered, cube.DoubleTaken)]
    assert kinds == [cube.DoubleOffered, cube.DoubleTaken]
    assert found.lost == []


def test_a_number_beyond_all_cubes_takes_no_answer_along() -> None:
    found = read(FIRST + "  2)  Doubles => 99999999999999999       Takes\n")
    assert len(payloads(found, cube.DoubleTaken)) == 1
    assert NoticeCode.CUBE_DIFFERS in codes(found)


def test_an_automatic_double_is_nobodys_double() -> None:
    rows = "  1)  Automatic double\n  2) 31: 8/5 6/5                    42: 8/4 6/4\n"
    found = read(rows + "      Wins 2 points\n", length=0)
    assert payloads(found, cube.DoubleOffered) == []
    (stated,) = payloads(found, cube.CubeStated)
    assert (stated.value, stated.owner) == (2, None)


# -- plays --------------------------------------------------------------------------------------

OPENING = (CheckerMove(8, 5), CheckerMove(6, 5))


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("8/5 6/5!", ["line 5: !"]),
        ("8/5?! 6/5", ["line 5: ?!"]),
        ("8/5 6/5 (-0.052)", ["line 5: (-0.052)"]),
        ("8/5 6/5 [1:58]", ["line 5: [1:58]"]),
        ("8/5 6/5 ; the best", ["line 5: ; the best"]),
        ("8/5, 6/5", []),
        ("8/5,6/5", []),
        ("8/5,6/5,!", ["line 5: !"]),
    ],
)
def test_marks_and_remarks_behind_a_play_leave_it_readable(words: str, lost: list[str]) -> None:
    found = read(f"  1) 31: {words}                 42: 8/4 6/4\n")
    assert payloads(found, play.PlayMade)[0].moves == OPENING
    assert payloads(found, play.PlayUnseen) == []
    assert found.lost == lost


@pytest.mark.parametrize("words", ["8/5 ????", "8/5 6/x", "8/5 6", "8/5 (6/5)"])
def test_a_play_of_which_a_part_cannot_be_read_is_a_gap(words: str) -> None:
    found = read(f"  1) 31: {words}                 42: 8/4 6/4\n")
    assert [gap.seat for gap in payloads(found, play.PlayUnseen)] == [Seat.ONE]


@pytest.mark.parametrize("words", ["Timeout", "Forfeits the match", "Surrenders"])
def test_words_in_the_right_column_take_no_play_of_the_left_one_along(words: str) -> None:
    found = read(FIRST + f"  2) 64: 24/14                      {words}\n")
    assert [len(made.moves) for made in payloads(found, play.PlayMade)] == [2, 2, 1]
    assert found.lost == [f"line 6: {words}"]
    [notice, _] = found.notices
    assert (notice.code, notice.side) == (NoticeCode.CELL_NOT_READ, Seat.TWO)


@pytest.mark.parametrize(
    "words", ["Wins 2 points.", "Wins 5 points, and the match.", "wins 1 point!"]
)
def test_a_result_may_end_with_a_full_stop(words: str) -> None:
    found = read(f"{FIRST}      {words}\n")
    assert [claim.winner for claim in payloads(found, match.GameWon)] == [Seat.ONE]
    assert found.lost == []


def test_an_unreadable_play_that_names_somebody_is_lost_by_name() -> None:
    found = read("  1) 31: as Cleo showed                 42: 8/4 6/4\n")
    assert found.lost == ["line 5: as Cleo showed"]


@pytest.mark.parametrize(
    "words",
    [
        *("Can't move", "No move", "cannot move", "0/0", "bar/bar", "0/0 (dance)"),
        *("0/0 12:31", "bar/bar ????????"),
    ],
)
def test_no_play_may_be_said_in_other_words(words: str) -> None:
    found = read(f"  1) 31: {words}                 42: 8/4 6/4\n")
    assert payloads(found, play.PlayMade)[0].moves == ()


@pytest.mark.parametrize("words", ["Fans", "(no play)", "----"])
def test_words_for_a_dance_that_nobody_knows_do_not_cost_the_board(words: str) -> None:
    closed = "; Set Pos=------N------c-----bbbbbbA/0"
    found = read(f"{closed}\n  1) 66: {words}                   21: 13/11 13/12\n")
    assert [len(made.moves or ()) for made in payloads(found, play.PlayMade)] == [0, 2]
    assert payloads(found, play.PlayUnseen) == []
    assert found.lost == [f"line 6: {words}"]
    told = [notice.code.value for notice in found.notices]
    assert told == ["stated-position", "cell-not-read", "unfinished"]


ON_THE_WAY = "  1)                             62: 24/18 13/11\n  2) 61: 13/6\n"
"""Ada's way goes over 12, which Ben holds, or over 7, where he has a checker alone."""


def test_whom_a_joined_move_must_have_hit_on_its_way_is_found() -> None:
    found = read(ON_THE_WAY)
    assert payloads(found, play.PlayMade)[1].moves == (CheckerMove(13, 7), CheckerMove(7, 6))
    assert found.lost == []


def test_a_joined_move_of_our_own_file_went_as_it_is_written() -> None:
    """There it is an illegal play, which hit nobody."""
    found = read(ON_THE_WAY, head='; [Site "Tabularium"]\n')
    assert payloads(found, play.PlayMade)[1].moves == (CheckerMove(13, 6),)


def test_checker_moves_on_a_line_of_their_own_belong_to_the_row_above() -> None:
    found = read("  1) 31: 8/5 6/5                    42: 8/4\n     6/4\n  2) 65:\n24/13\n")
    moves = [made.moves for made in payloads(found, play.PlayMade)]
    assert moves[:2] == [OPENING, (CheckerMove(8, 4), CheckerMove(6, 4))]
    assert len(moves) == 3
    assert moves[2][0].from_point == 24
    assert found.lost == []


@pytest.mark.parametrize("line", ["  1) 31:" + " 8/5" * 9_000, "z" * 30_000])
def test_a_line_that_is_too_long_is_lost_by_name(line: str) -> None:
    found = read(line + "\n" + FIRST)
    assert found.rolls == 2
    assert [lost[:8] for lost in found.lost] == ["line 5: "]


# -- there and back -----------------------------------------------------------------------------


def test_what_our_own_file_says_of_itself_is_no_place() -> None:
    before = replay(events_of(read(FIRST)))
    for place in (None, "Garden"):
        written = mat.write(before, BySeat("Ada", "Ben"), details=Details(place=place))
        (again,) = read_file(written.content, "x.mat")
        assert again.opened.get("place") == place


@pytest.mark.parametrize("name", ["A: da", "Hans, 12", "Ada (GER)", "A" * 60, "Game 1"])
def test_a_name_that_readers_break_on_comes_back_whole(name: str) -> None:
    before = replay(events_of(read(FIRST)))
    (again,) = read_file(mat.write(before, BySeat(name, "Ben")).content, "x.mat")
    assert again.opened["players"] == {"one": [{"name": name}], "two": [{"name": "Ben"}]}


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        ("2024-05-03", "2024.05.03"),
        ("2026-03-14,15", "2026-03-14,15"),
        ("2026-03-14 to 2026-03-16", "2026-03-14 to 2026-03-16"),
        ("2026-03-14 (round 2)", "2026-03-14 (round 2)"),
        ("Friday, 3 May 2024", "Friday, 3 May 2024"),
    ],
)
def test_a_date_that_is_more_than_a_day_is_not_cut(date: str, kept: str) -> None:
    written = mat.write(replay(events_of(read(FIRST))), details=Details(date=date))
    assert f'; [EventDate "{kept}"]' in written.text
    (again,) = read_file(written.content, "x.mat")
    assert again.opened["date"] == kept


@pytest.mark.parametrize(
    ("date", "time"),
    [("2024-05-03T18:00", "18.00"), ("2024-05-03T18:30:00+00:00", "18.30.00+00.00")],
)
def test_the_time_of_day_stands_beside_the_day_and_comes_back(date: str, time: str) -> None:
    written = mat.write(replay(events_of(read(FIRST))), details=Details(date=date))
    assert f'; [EventDate "2024.05.03"]\n; [EventTime "{time}"]\n' in written.text
    (again,) = read_file(written.content, "x.mat")
    assert again.opened["date"] == date


def test_a_table_is_written_and_read_again() -> None:
    written = mat.write(replay(events_of(read(FIRST))), details=Details(table="12"))
    assert '; [Table "12"]' in written.text
    (again,) = read_file(written.text.encode(), "copy.mat")
    assert dict(again.facts[0].plain or {})["table"] == "12"


def test_a_header_in_other_characters_is_a_loss() -> None:
    written = mat.write(replay(events_of(read(FIRST))), details=Details(event='The "Open"'))
    assert "; [Event \"The 'Open'\"]" in written.text
    assert any("Event" in loss.detail for loss in written.losses if loss.kind == "header")


def test_a_board_that_its_fields_cannot_hold_is_not_stated() -> None:
    # The last step lands on five checkers of the opponent: one number cannot say both.
    rows = "  1) 65: 24/13 13/12                 61: 13/7 8/7\n"
    before = replay(events_of(read(rows)))
    written = mat.write(before, illegal="stated")
    assert "Illegal play" not in written.text
    assert any(loss.kind == "illegal-play" for loss in written.losses)
    (again,) = read_file(written.content, "x.mat")
    boards = [one.state.positions.board for one in (before, replay(events_of(again)))]
    assert boards[0] == boards[1]


def test_nackgammon_comes_back_as_nackgammon() -> None:
    rows = "  1) 21: 24/23 23/21                 65: 23/12\n      Wins 2 points\n"
    before = replay(events_of(read(rows, head='; [Variation "Nackgammon"]\n')))
    assert before.findings
    (again,) = read_file(mat.write(before).content, "x.mat")
    after = replay(events_of(again))
    assert [found.code for found in after.findings] == [found.code for found in before.findings]
    assert after.steps[-2].before.positions.board == before.steps[-2].before.positions.board
