"""The .mat reader on home-made files: every dialect's habits, and facts held by golden files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.exchange.mat import rows as mat_rows
from api.exchange.mat import writer as mat
from api.exchange.mat.cells import Act, Mark
from api.exchange.mat.headings import score_line
from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, Fact, NoticeCode, ReadMatch
from events.payloads.match import GameWon
from events.values import BySeat, Seat
from projections.replay import replay
from tests.api.exchange.recorded import assert_in_catalogue
from tests.calls import calls_of
from tests.projections.streams import legal_match

GOLDEN = Path(__file__).parents[2] / "golden" / "files"
TEXTS = (".mat", ".sgf", ".txt")
FILES = sorted(path for path in GOLDEN.iterdir() if path.suffix in TEXTS)
"""Home-made files, each with the facts that it tells."""


ONE_TURN = " 3 point match\n\n Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5\n"


def as_text(matches: list[ReadMatch]) -> str:
    """The facts of a file, one a line, as in the golden files."""
    lines: list[object] = []
    for match in matches:
        lines.append(
            {
                "dialect": match.dialect,
                "ordinal": match.ordinal,
                "line": match.line,
                "length": match.length,
                "games": match.games,
                "rolls": match.rolls,
                "claimed_score": match.claimed_score,
                "result": match.result,
                "lost": match.lost,
            }
        )
        lines += [
            [
                fact.line,
                fact.tag,
                fact.plain if fact.payload is None else fact.payload,
                *fact.refers,
            ]
            for fact in match.facts
        ]
        lines += [
            ["notice", notice.line, notice.game, notice.row, notice.side, notice.code]
            for notice in match.notices
        ]
    return "".join(json.dumps(msgspec.to_builtins(line)) + "\n" for line in lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_tells_the_facts_of_its_golden_twin(path: Path) -> None:
    text = as_text(read_file(path.read_bytes(), path.name))
    twin = path.with_name(path.name + ".facts")
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        twin.write_text(text, encoding="utf-8")
    assert text == twin.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_fact_is_a_body_of_the_catalogue(path: Path) -> None:
    for match in read_file(path.read_bytes(), path.name):
        assert_in_catalogue(match)


def read(body: str, *, length: int = 5, first: str = " Ada : 0          Ben : 0") -> ReadMatch:
    text = f" {length} point match\n\n Game 1\n{first}\n{body}\n"
    (match,) = read_file(text.encode(), "x.mat")
    return match


def then(score: str) -> str:
    """A game that the left column wins, and another one under `score`."""
    row = "  1) 31: 8/5 6/5"
    return f"{row}\n      Wins 1 point\n\n Game 2\n{score}\n{row}"


def tags(match: ReadMatch) -> list[str]:
    return [fact.tag for fact in match.facts[3:]]


def of(match: ReadMatch, tag: str) -> list[Fact]:
    return [fact for fact in match.facts if fact.tag == tag]


def codes(match: ReadMatch) -> list[str]:
    return [notice.code.value for notice in match.notices if notice.code != NoticeCode.UNFINISHED]


def test_reading_an_ordinary_play_costs_nineteen_calls() -> None:
    """A check of each row costs time in each import: check where it is rarely needed."""
    events = legal_match(5, length=None, games=6).events
    text = mat.write(replay(events), BySeat("Ada", "Ben")).text.encode()
    plays = sum(event.tag == "play.made" for event in events)
    (match,) = read_file(text, "first.mat")
    assert len(of(match, "play.made")) == plays
    # Words that it has met are known to it, as in any long import.
    assert calls_of(lambda: read_file(text, "again.mat")) / plays < 19


def test_match_opens_the_facts_and_its_score_line_comes_before_the_game() -> None:
    match = read("  1) 31: 8/5 6/5")
    assert [fact.tag for fact in match.facts[:3]] == ["match.opened", "score.noted", "game.started"]
    assert match.opened["players"] == {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}
    assert match.opened["options"] == {"crawford": {"value": "on"}}


def test_money_has_no_length_and_no_crawford() -> None:
    match = read("  1) 31: 8/5 6/5", length=0)
    assert match.length is None
    assert "length" not in match.opened
    assert "options" not in match.opened
    assert match.result.ended is Ended.MONEY


@pytest.mark.parametrize("word", ["25/20", "bar/20", "Bar/20", "b/20"])
def test_bar_has_many_spellings(word: str) -> None:
    found = mat_rows.hops_of(word)
    assert found is not None
    assert (found[0][0].from_point, found[0][0].to_point) == (25, 20)


@pytest.mark.parametrize(
    ("word", "hops", "stars"),
    [
        ("8/5", [(8, 5)], ()),
        ("6/off", [(6, 0)], ()),
        ("6/Off(2)", [(6, 0), (6, 0)], ()),
        ("24/20", [(24, 20)], ()),
        ("13/11*/10", [(13, 11), (11, 10)], (11,)),
        ("8/4*(2)", [(8, 4), (8, 4)], (4,)),
        ("13/10/7(2)", [(13, 10), (10, 7), (13, 10), (10, 7)], ()),
    ],
)
def test_repeats_and_chains_are_written_out(
    word: str, hops: list[tuple[int, int]], stars: tuple[int, ...]
) -> None:
    found = mat_rows.hops_of(word)
    assert found is not None
    assert [(m.from_point, m.to_point) for m in found[0]] == hops
    assert found[1] == stars


@pytest.mark.parametrize("line", ["  3) 52: 13/8 6/4", "  3)52:13/8 6/4", " 3)  52: 13/8 6/4   "])
def test_a_lone_cell_near_its_number_is_the_left_players(line: str) -> None:
    (row,) = mat_rows.rows_of(line)
    assert row.left is not None
    assert row.right is None
    assert row.left.dice == (5, 2)


@pytest.mark.parametrize("column", [33, 39, 40, 46])
def test_a_lone_cell_far_from_its_number_is_the_right_players(column: int) -> None:
    (row,) = mat_rows.rows_of("  1)".ljust(column) + "52: 13/8 6/4")
    assert row.left is None
    assert row.right is not None


ROLLS = ["54:", "11:", "66:", "07:"]
HOPS = ["8/5", "6/5", "8/5*(2)", "bar/20", "0/0", "bar/bar", "8/5!", "8/5,6/5", "????", "=>"]
OTHERS = [
    "4)",
    "12)",
    "Doubles",
    "2",
    "Takes",
    "Wins",
    "point",
    "Cannot",
    "Move",
    ";",
    "\t",
    "Illegal",
]
ROW_WORDS = st.sampled_from([*ROLLS, *HOPS, *OTHERS])


@given(number=st.sampled_from(["  1)", "12)", "0)", "1)31:", ""]), words=st.lists(ROW_WORDS))
@example(number=" 1)", words=["54:", "8/5", "6/5", "11:", "bar/20"])
@example(number=" 1)", words=["54:", "11:", "0/0"])
@example(number=" 1)", words=["54:", *["8/5"] * (mat_rows.MAX_MOVES + 1), "11:"])
def test_a_row_of_known_words_reads_as_one_that_is_read_word_by_word(
    number: str, words: list[str]
) -> None:
    line = " ".join([number, *words])
    with pytest.MonkeyPatch.context() as unhurried:
        unhurried.setattr(mat_rows, "_NUMBERED", {})
        read_word_by_word = mat_rows.rows_of(line)
    assert mat_rows.rows_of(line) == read_word_by_word


def test_a_row_number_in_mid_line_begins_another_row() -> None:
    line = " 24) 43: 21/18 18/14              24)  Losses 2 point                 Wins 2 point"
    first, second = mat_rows.rows_of(line, 34)
    assert first.left is not None
    assert first.right is None
    assert second.left is not None
    assert second.left.act is Act.LOSS
    assert second.right is not None
    assert second.right.act is Act.WIN


@pytest.mark.parametrize("mark", ["???", "????"])
def test_hidden_marks(mark: str) -> None:
    (row,) = mat_rows.rows_of(f" 24) 53: {mark}                         Wins 4 point")
    assert row.left is not None
    assert row.left.mark is Mark.HIDDEN
    assert row.right is not None
    assert row.right.value == 4


@pytest.mark.parametrize(
    ("line", "names", "points"),
    [
        (" Ada : 0                         Ben : 2", ("Ada", "Ben"), (0, 2)),
        (" Ada: 0      Ben: 12             ", ("Ada", "Ben"), (0, 12)),
        (" ada : 0                         : 0", ("ada", ""), (0, 0)),
        ("  : 0        ada : 0", ("", "ada"), (0, 0)),
        (" Hans,1615 : 0   Nora,1756 : 3", ("Hans,1615", "Nora,1756"), (0, 3)),
        (" A: B : 1           C 12: 3 : 4", ("A: B", "C 12: 3"), (1, 4)),
        (f" {'x' * 4096} : 1           y : 4", ("x" * 4096, "y"), (1, 4)),
    ],
)
def test_score_lines(line: str, names: tuple[str, str], points: tuple[int, int]) -> None:
    found = score_line(line)
    assert found is not None
    assert found[0] == names
    assert found[1] == BySeat(*points)


def test_empty_cell_with_no_legal_play_is_a_dance() -> None:
    match = read(
        "  1) 31: 24/23 13/10             55: 8/3(2) 6/1*(2)\n  2) 66:              21: 13/11 8/7"
    )
    assert tags(match)[4:6] == ["dice.rolled", "play.made"]
    assert not codes(match)


def test_empty_cell_in_mid_game_with_a_legal_play_is_a_lost_play() -> None:
    match = read("  1) 31:                   42: 8/4 6/4")
    assert tags(match) == ["dice.rolled", "play.unseen", "dice.rolled", "play.made"]
    assert codes(match) == ["lost-play"]


def test_empty_cell_at_the_end_is_a_roll_and_nothing_else() -> None:
    match = read("  1) 31: 8/5 6/5             42:\n      Wins 1 point")
    assert tags(match) == ["dice.rolled", "play.made", "dice.rolled", "game.won"]
    assert not codes(match)


def test_hidden_play_in_mid_game_is_a_gap() -> None:
    match = read("  1) 31: ????                42: 8/4 6/4")
    assert tags(match)[1] == "play.unseen"
    assert codes(match) == ["hidden-play"]


def test_cannot_move_is_taken_at_its_word_and_remarked() -> None:
    match = read("  1) 31: Cannot Move         42: 8/4 6/4")
    assert tags(match)[1] == "play.made"
    assert codes(match) == ["no-play-claimed"]


def test_resignation_marks_level_by_points() -> None:
    match = read("  1) 31: 8/5 6/5             Losses 2 point\n      Wins 2 point")
    offered = of(match, "resignation.offered")[0].payload
    assert msgspec.to_builtins(offered) == {"seat": "two", "level": "gammon"}
    assert tags(match)[-1] == "game.won"


def test_forfeit_code_is_kept_as_a_claim() -> None:
    match = read("  1) 31: 8/5 6/5\n      Wins 4016 point")
    assert match.claimed_score == BySeat(4016, 0)
    assert match.result.ended is Ended.MATCH


def test_column_against_the_next_score_is_remarked_and_the_score_believed() -> None:
    body = then(" Ada : 0          Ben : 1")
    match = read(body)
    assert msgspec.to_builtins(of(match, "game.won")[0].payload)["winner"] == "two"
    assert codes(match) == ["winner-conflict"]


def test_score_line_off_the_sum_is_stated_so_that_crawford_follows_the_source() -> None:
    body = then(" Ada : 3          Ben : 0")
    match = read(body)
    assert codes(match) == ["score-differs"]
    assert msgspec.to_builtins(of(match, "score.stated")[0].payload)["score"] == {
        "one": 3,
        "two": 0,
    }


def test_result_of_a_drop_in_the_other_players_row() -> None:
    match = read("  1) 31: 8/5 6/5             Doubles => 2\n  2)  Drops            Wins 1 point")
    assert msgspec.to_builtins(of(match, "game.won")[0].payload)["winner"] == "two"
    assert not codes(match)


def test_stated_board_takes_its_side_from_field_five_and_leaves_names_out() -> None:
    board = "5;0;1;0;0;Ben;Ada;0;0;0;1;0;-1;" + "2;" * 6 + "0;" * 12 + "-2;" * 6 + "3;3;1;"
    match = read(f"  1) 31: Illegal play ({board})     31: 25/22 25/24")
    made = of(match, "play.made")[0].payload
    body = msgspec.to_builtins(made)
    assert body["resulting_position"]["two"][1:7] == (2,) * 6
    assert body["resulting_position"]["two"][25] == 3
    assert body["resulting_position"]["one"][1:7] == (2,) * 6
    assert body["resulting_position"]["one"][25] == 1
    assert "Ada" not in body["written"]
    assert "Ben" not in body["written"]


def test_nackgammon_marker_is_a_start_and_no_play() -> None:
    start = "-2;-2;0;0;0;4;0;3;0;0;0;-4;4;0;0;0;-3;0;-4;0;0;0;2;2;"
    marker = f"Illegal play (5;0;1;0;0;Ben;Ada;0;0;0;1;0;0;{start}0;3;1;)"
    match = read(f"  1) 31: {marker}     31: 8/5 6/5")
    assert tags(match) == ["position.stated", "dice.rolled", "play.made"]
    assert match.rolls == 1


def test_a_variation_that_is_not_backgammon_is_refused() -> None:
    with pytest.raises(Exception, match="HyperGammon"):
        read_file(b'; [Variation "HyperGammon (1)"]\n 1 point match\n', "x.mat")


def test_names_ratings_and_reversed_headers_are_told_apart() -> None:
    text = (
        '; [Player 1 "Ben"]\n; [Player 2 "Ada"]\n; [Player 1 Elo "1700"]\n\n1 point match\n\n'
        " Game 1\n Ada : 0             Ben : 0\n  1) 31: 8/5 6/5\n"
    )
    (match,) = read_file(text.encode(), "x.mat")
    assert match.opened["players"] == {
        "one": [{"name": "Ada"}],
        "two": [{"name": "Ben", "rating": "1700"}],
    }


def test_a_header_behind_the_markup_of_a_page_is_one() -> None:
    text = (
        '<html><body><pre>; [Crawford "Off"]\n; [Player 1 "Ada"]\n 1 point match\n\n'
        " Game 1\n Ada : 0             Ben : 0\n  1) 31: 8/5 6/5\n"
    )
    (match,) = read_file(text.encode(), "x.mat")
    assert match.opened["options"] == {"crawford": {"value": "off"}}
    assert match.opened["source"]["headers"][0] == '<html><body><pre>; [Crawford "Off"]'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(end: str) -> None:
    text = (GOLDEN / "studio_5pt.txt").read_text(encoding="utf-8")
    plain = as_text(read_file(text.encode(), "x")).splitlines()
    other = as_text(read_file(text.replace("\n", end).encode(), "x")).splitlines()
    assert other[2:] == plain[2:]


def test_windows_text_is_read_with_a_notice() -> None:
    text = " 1 point match\n\n Game 1\n R\xe9n\xe9 : 0           Ada : 0\n  1) 31: 8/5 6/5\n"
    (match,) = read_file(text.encode("cp1252"), "x.mat")
    assert match.opened["players"]["one"] == [{"name": "R\xe9n\xe9"}]
    assert codes(match) == ["encoding"]
    assert match.opened["source"]["encoding"] == "cp1252"


def test_same_bytes_tell_the_same_facts() -> None:
    for path in FILES:
        data = path.read_bytes()
        assert as_text(read_file(data, "x")) == as_text(read_file(data, "x"))


def test_swapped_names_swap_the_columns() -> None:
    body = then(" Ben : 0          Ada : 1")
    match = read(body)
    assert codes(match) == ["sides-swapped"]
    assert of(match, "play.made")[1].payload.seat is Seat.TWO  # type: ignore[union-attr]


def test_every_notice_code_is_in_the_readme() -> None:
    readme = Path(mat_rows.__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    assert [code.value for code in NoticeCode if f"`{code.value}`" not in readme] == []


def test_a_second_result_that_names_the_other_player_is_a_claim_of_its_own() -> None:
    left = "      Wins 3 points and the match\n"
    page = ONE_TURN + left + " " * 34 + left.lstrip()
    (match,) = read_file(page.encode(), "x.mat")
    claims = [fact.payload for fact in match.facts if isinstance(fact.payload, GameWon)]
    assert [claim.winner for claim in claims] == [Seat.ONE, Seat.TWO]
    codes = [notice.code for notice in match.notices]
    assert NoticeCode.WINNER_CONFLICT in codes
    (same,) = read_file((ONE_TURN + left + left).encode(), "x.mat")
    assert len([fact for fact in same.facts if isinstance(fact.payload, GameWon)]) == 1
    assert same.lost
