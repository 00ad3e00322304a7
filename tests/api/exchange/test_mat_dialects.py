"""One match in the spelling of every dialect tells the same facts, with nothing left unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, NoticeCode, ReadMatch
from events.envelope import RecordedEvent
from events.payloads.dice import Rolled
from events.payloads.play import PlayMade
from events.values import BySeat, Seat
from projections.board.position import STARTING
from projections.replay import Replay, replay
from tests.api.exchange.dialects import (
    DIALECTS,
    Dialect,
    Game,
    played,
    spelled,
    written_points,
)

Recorded = Callable[[ReadMatch], list[RecordedEvent]]

EXPECTED = {NoticeCode.RESULT_DIFFERS, NoticeCode.ENCODING}
"""What a reader remarks of a sound file: points that its source caps, another code page."""


def boards(shown: Replay) -> list[tuple[object, object]]:
    """Seat and board after every play, the board seen by whoever played."""
    found = []
    for step in shown.steps:
        made = step.event.payload
        if isinstance(made, PlayMade):
            board = step.after.positions.board
            assert board is not None
            sides = (board.own, board.other)
            found.append((made.seat, sides if made.seat is Seat.ONE else sides[::-1]))
    return found


def rolls(games: list[Game]) -> list[tuple[Seat, list[int]]]:
    return [
        (turn.seat, sorted(turn.dice))
        for game in games
        for turn in game.turns
        if turn.act in ("roll", "resign") and any(turn.dice)
    ]


def tells_rolls_of_resigned(dialect: Dialect) -> bool:
    """Whether a roll before a resignation is written at all."""
    return not dialect.resigns.startswith(("losses", "resigns"))


def players(match: ReadMatch) -> list[tuple[str | None, str | None]]:
    """Name and rating of the left and of the right player."""
    sides = match.opened["players"]
    return [(sides[seat.value][0].get("name"), sides[seat.value][0].get("rating")) for seat in Seat]


def known_players(dialect: Dialect) -> list[tuple[str, str | None]]:
    """The same as the text has them: the score line names the sides, the headers only people."""
    found = []
    for written in dialect.names:
        name, _, rating = written.partition(",")
        label = next((h[10:11] for h in dialect.headers if h.endswith(f' "{name}"]')), None)
        if label is not None:
            rating = {"1": "1600.00/0", "2": "9,00/0"}[label]
        found.append((name, rating or None))
    return found


def known_points(game: Game, dialect: Dialect) -> int:
    """What a game counts: of a resignation, a file that caps its points tells no more."""
    if game.turns[-1].act != "resign" or dialect.resigns.startswith("losses"):
        return game.points
    return written_points(game, dialect, length=5)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dialect", DIALECTS, ids=[f"{k}-{d.name}" for k, d in enumerate(DIALECTS)])
def test_every_dialect_tells_the_match(dialect: Dialect, seed: int, recorded: Recorded) -> None:
    games = played(seed)
    (match,) = read_file(spelled(games, dialect), "x.mat")
    shown = replay(recorded(match))
    assert match.dialect == dialect.name
    assert (match.length, match.games) == (5, len(games))
    assert players(match) == known_players(dialect)
    thrown = [
        (fact.payload.seat, sorted(fact.payload.dice))
        for fact in match.facts
        if isinstance(fact.payload, Rolled)
    ]
    wanted = rolls(games)
    if not tells_rolls_of_resigned(dialect):
        wanted = rolls(
            [
                game._replace(turns=tuple(t for t in game.turns if t.act != "resign"))
                for game in games
            ]
        )
    assert thrown == wanted
    assert boards(shown) == [
        (turn.seat, (turn.after.own, turn.after.other))
        for game in games
        for turn in game.turns
        if turn.act == "roll" and turn.after is not None
    ]
    assert [(game.winner, game.points) for game in shown.state.score.games] == [
        (game.winner, known_points(game, dialect)) for game in games
    ]
    assert not {notice.code for notice in match.notices} - EXPECTED, match.notices
    assert not match.lost
    codes = {finding.code for finding in shown.findings}
    assert codes <= {"ended-by-claim", "claim-capped", "resignation-without-level"}, codes
    assert match.result.ended is Ended.MATCH
    assert match.result.winner is games[-1].winner


def test_the_matches_hold_what_there_is_to_spell() -> None:
    acts: Counter[str] = Counter()
    for seed in range(6):
        for game in played(seed):
            acts.update(turn.act for turn in game.turns)
            acts["dance"] += sum(turn.act == "roll" and not turn.hops for turn in game.turns)
            acts["hit"] += sum(len(turn.hits) for turn in game.turns)
            acts["doublet"] += sum(turn.dice[0] == turn.dice[1] for turn in game.turns if turn.hops)
            last = game.turns[-1]
            acts["rolled and resigned"] += last.act == "resign" and any(last.dice)
            acts["gammon"] += last.act == "roll" and game.points > 1
    for act in ("double", "take", "drop", "resign", "dance", "hit", "doublet", "gammon"):
        assert acts[act] >= 3, acts
    assert acts["rolled and resigned"] >= 2, acts


# Traps by excerpt (formats.md 8): what one program or one hand writes in one place.

ROW = "  1) 31: 8/5 6/5                  42: 8/4 6/4\n"
"""A first row, after which the left player is to roll."""


def read(body: str, *, length: int = 5, score: tuple[int, int] = (0, 0)) -> ReadMatch:
    head = f" {length} point match\n\n Game 1\n"
    names = f" Ida : {score[0]}".ljust(33) + f"Omar : {score[1]}\n"
    (match,) = read_file(f"{head}{names}{body}\n".encode(), "x.mat")
    return match


def told(match: ReadMatch, tag: str) -> list[dict[str, object]]:
    return [
        msgspec.to_builtins(fact.payload)
        for fact in match.facts
        if fact.tag == tag and fact.payload
    ]


def codes(match: ReadMatch) -> set[str]:
    return {notice.code.value for notice in match.notices}


@pytest.mark.parametrize(
    ("end", "loser", "points"),
    [
        ("  2) 33: 8/5(2) 6/3(2)            Losses 2 point\n      Wins 2 point", "two", 2),
        ("  2) 33: 8/5(2) 6/3(2)            Losses 2 point\n\n      Wins 2 point", "two", 2),
        ("  2)  Losses 3 point                                    Wins 3 point", "one", 3),
        (" 33)  Losses 2 point              Wins 2 point", "one", 2),
        ("  2) 43: 24/20 13/10               2)  Losses 2 point                 Wins 2 point",
         "one", 2),
        ("    Losses 1 point", "two", 1),
        ("    Losses 1 point\n      Wins 1 point", "two", 1),
        ("  2) 63: 24/15\n    Losses 1 point", "one", 1),
        ("    Losses 1 point\n                                  Wins 1 point", "one", 1),
        ("                                  Losses 1 point", "two", 1),
        ("  2) 63: 24/15                    62: Concedes\n  3)  Wins 2 point", "two", 2),
        ("  2) 63: Concedes\n                                  Wins 1 point", "one", 1),
        ("  2) 63: Resigns\n                                  Wins 1 point", "one", 1),
        ("  2) 63: 24/15                     Concedes\n      Wins 1 point", "two", 1),
        ("  2)  Resigns\n                                  Wins 2 points", "one", 2),
        ("  2)  Resigned Game\n      Wins 1 points", "two", 1),
        ("  2)                               Resigned Game   \n"
         "                                  Wins 1 points", "one", 1),
        ("  2) 62: ????                      Resigned Game\n"
         "                                  Wins 2 points", "one", 2),
    ],
)  # fmt: skip
def test_a_resignation_is_known_however_it_is_written(end: str, loser: str, points: int) -> None:
    match = read(ROW + end)
    [offered] = told(match, "resignation.offered")
    assert offered["seat"] == loser
    assert offered["level"] == {1: "single", 2: "gammon", 3: "backgammon"}[points]
    assert match.result.winner is not None
    assert match.result.winner.other.value == loser
    assert match.result.points == points
    assert not codes(match)
    assert not match.lost


def test_a_win_of_whoever_has_just_thrown_and_lost_is_found() -> None:
    match = read(ROW + "  2) 63: 24/15\n    Losses 1 point\n      Wins 1 point")
    assert [one["winner"] for one in told(match, "game.won")] == ["two", "one"]
    assert codes(match) == {"winner-conflict"}


def test_the_match_that_is_won_tells_who_lost_before_the_column_of_a_loss_does() -> None:
    """At 4-2 of 5 one point ends the match for the first player alone, whatever the columns say."""
    for end in (
        "    Losses 1 point\n      Wins 1 point and the match",
        "    Losses 1 point\n                                  Wins 1 point and the match",
    ):
        match = read(ROW + end, score=(4, 2))
        assert told(match, "resignation.offered") == [{"seat": "two", "level": "single"}]
        assert told(match, "game.won")[0]["winner"] == "one"
        assert match.result.winner is Seat.ONE


def test_a_loss_and_a_win_that_name_two_winners_are_both_recorded(recorded: Recorded) -> None:
    match = read(ROW + "  2)  Losses 1 point\n      Wins 1 point and the match", score=(4, 2))
    assert [claim["winner"] for claim in told(match, "game.won")] == ["one", "two"]
    assert not told(match, "resignation.offered")
    assert "winner-conflict" in codes(match)
    found = [one.code for one in replay(recorded(match)).findings]
    assert "claim-differs" in found


def test_a_dance_before_the_other_player_resigns_is_not_his_resignation() -> None:
    closed = "  1) 31: 24/23 13/10             55: 8/3(2) 6/1*(2)\n"
    match = read(closed + "  2) 66:                           Resigns\n      Wins 1 point")
    assert [offered["seat"] for offered in told(match, "resignation.offered")] == ["two"]
    assert not codes(match)


def test_a_resignation_right_after_a_take() -> None:
    cube = (
        "  2)  Doubles => 2                 Takes\n  3)  Losses 4 point              Wins 4 point"
    )
    match = read(ROW + cube)
    assert told(match, "resignation.offered") == [{"seat": "one", "level": "gammon"}]
    assert not codes(match)


@pytest.mark.parametrize(
    ("end", "winner"),
    [
        ("      Wins 1 point", "one"),
        ("                                  Wins 1 point", "two"),
        ("  2)  Wins 1 point", "one"),
        ("  2)                               Wins 1 point", "two"),
        ("\n      Wins 1 point", "one"),
        ("      Wins 1 points\n  34)                   \n  35)", "one"),
        ("  2) 62: ???                       Wins 1 point", "two"),
        ("  2) 62: ????                      Wins 1 point", "two"),
    ],
)
def test_a_result_stands_in_many_places(end: str, winner: str) -> None:
    match = read(ROW + end)
    assert told(match, "game.won")[0]["winner"] == winner
    assert not told(match, "resignation.offered")
    assert not codes(match)


@pytest.mark.parametrize("points", [4016, 1004, 100])
def test_a_forfeit_code_stays_what_the_file_says(points: int, recorded: Recorded) -> None:
    match = read(f"{ROW}  2) 62: 24/18 13/11               00: ????\n      Wins {points} point")
    assert told(match, "game.won")[0]["points"] == points
    assert match.rolls == 3
    assert codes(match) == {"no-roll"}
    assert match.lost == ["line 6: 00: ????"]
    shown = replay(recorded(match))
    assert [game.points for game in shown.state.score.games] == [points]


@pytest.mark.parametrize(
    ("number", "said"), [(1, "row 1 comes again"), (2, ""), (17, "row 17 follows row 1")]
)
def test_row_numbers_may_jump_or_come_again_and_it_is_told(number: int, said: str) -> None:
    match = read(f"{ROW} {number:2d}) 62: 24/18 13/11             21: 13/11 6/5")
    assert match.rolls == 4
    assert codes(match) == {"unfinished"} | ({"row-number"} if said else set())
    assert [n.message for n in match.notices if n.code == "row-number"] == [said] * bool(said)


def test_a_row_in_two_lines_does_not_come_again() -> None:
    match = read(f"{ROW}  2) 62: 24/18 13/11\n  2)                                21: 13/11 6/5")
    assert (match.rolls, codes(match)) == (4, {"unfinished"})


def test_a_session_for_money_has_no_end(recorded: Recorded) -> None:
    games = "\n Game 2\n Ida : 0                         Omar : 1\n" + ROW
    match = read(f"{ROW}                                  Wins 1 point\n{games}", length=0)
    assert (match.length, match.games, match.result.ended) == (None, 2, Ended.MONEY)
    shown = replay(recorded(match))
    assert shown.state.score.score == BySeat(0, 1)


def test_a_gammon_counts_once_where_jacoby_holds(recorded: Recorded) -> None:
    gammon = next(
        game._replace(score=(0, 0))
        for seed in range(200)
        for game in played(seed)
        if game.turns[-1].act == "roll"
        and game.points == 2
        and all(turn.act == "roll" for turn in game.turns)
    )
    text = spelled([gammon], Dialect("gnubg-mat"), length=0).replace(b"Wins 2", b"Wins 1")
    (match,) = read_file(b'; [Jacoby "True"]\n' + text, "x.mat")
    assert not codes(match)
    assert max(replay(recorded(match)).state.score.score) == 1
    (match,) = read_file(text, "x.mat")
    [notice] = match.notices
    assert notice.message == "1 written, 2 computed: as under Jacoby"


def test_a_beaver_takes_and_turns_the_cube(recorded: Recorded) -> None:
    cube = "  2)  Doubles => 2                 Beavers => 4\n  3) 62: 24/18 13/11"
    match = read(ROW + cube, length=0)
    assert codes(match) == {"unfinished"}
    assert replay(recorded(match)).state.cube.value == 4


def test_a_file_that_starts_in_mid_match_counts_from_there(recorded: Recorded) -> None:
    games = " Game 5\n Ida : 1                         Omar : 4\n" + ROW
    match = read(f"{ROW}                                  Wins 1 point\n{games}", score=(1, 3))
    assert codes(match) == {"starts-late", "game-number", "unfinished"}
    assert match.opened["score_at_start"] == {"one": 1, "two": 3}
    shown = replay(recorded(match))
    assert shown.state.score.score == BySeat(1, 4)
    assert shown.state.score.is_crawford_game


@pytest.mark.parametrize("headed", [True, False])
def test_every_match_of_a_file_is_read(headed: bool) -> None:
    text = ""
    for number in (1, 2, 3):
        text += f'; [Event "Round {number}"]\n; [Player 1 "Ida"]\n' if headed else ""
        text += f" {number + 2} point match\n\n Game 1\n Ida : 0             Omar : 0\n{ROW}"
        text += "                                  Wins 1 point\n\n"
    matches = read_file(text.encode(), "x.mat")
    assert [match.length for match in matches] == [3, 4, 5]
    assert [match.ordinal for match in matches] == [1, 2, 3]
    assert [match.rolls for match in matches] == [2, 2, 2]
    events = [match.opened.get("event") for match in matches]
    assert events == (["Round 1", "Round 2", "Round 3"] if headed else [None] * 3)
    assert not any(match.notices for match in matches)


@pytest.mark.parametrize("head", ["", '; [Site "XG"]\n; [Event "{}"]\n\n'])
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_files_with_byte_order_marks_may_be_joined(head: str, end: str, encoding: str) -> None:
    def part(one: str, two: str, length: int) -> str:
        score = f" Game 1\n {one} : 0                    {two} : 0\n"
        rows = "  1) 31: 8/5 6/5                   64: 24/14\n      Wins 1 point"
        return f"\ufeff{head.format(one)} {length} point match\n\n{score}{rows}{end}"

    joined = part("Ida", "Omar", 3) + part("Eve", "Bob", 5)
    first, second = read_file(joined.encode(encoding), "x.mat")
    assert [first.length, second.length] == [3, 5]
    assert [second.opened["players"], second.opened.get("event")] == [
        {"one": [{"name": "Eve"}], "two": [{"name": "Bob"}]},
        "Eve" if head else None,
    ]
    assert (first.games, second.games) == (1, 1)
    assert first.opened.get("event") == ("Ida" if head else None)
    assert first.lost == second.lost == []


def test_a_match_without_games_is_one() -> None:
    (match,) = read_file(b'; [Site "OpenGammon"]\n5 point match\n', "x.mat")
    assert (match.length, match.games, match.rolls) == (5, 0, 0)


def test_nackgammon_of_dailygammon_starts_every_game_anew(recorded: Recorded) -> None:
    start = "-2;-2;0;0;0;4;0;3;0;0;0;-4;4;0;0;0;-3;0;-4;0;0;0;2;2;0;3;1;"
    marker = f"Illegal play (5;0;1;0;0;Omar;Ida;0;0;0;1;0;0;{start})"
    game = f"  1) 31: {marker}     31: 8/5 6/5\n  2) 64: 24/14\n"
    games = (
        f"{game}      Wins 1 point\n\n Game 2\n Ida : 1                         Omar : 0\n{game}"
    )
    match = read(games)
    assert match.rolls == 4
    assert codes(match) == {"variation", "unfinished"}
    shown = replay(recorded(match))
    assert "illegal-play" not in {finding.code for finding in shown.findings}
    assert all(sum(own) == sum(other) == 15 for _, (own, other) in boards(shown))


def test_a_study_begins_with_the_board_that_it_sets(recorded: Recorded) -> None:
    study = "; Set Pos=-a-B--E-B-a-dDB--b-bcb----/-1\n  1)                              31: 8/5"
    match = read(study, length=0)
    stated = told(match, "position.stated")[0]
    assert stated["cube"] == {"value": 2, "owner": "one"}
    assert codes(match) == {"stated-position", "unfinished"}
    assert replay(recorded(match)).state.cube.value == 2


def test_a_declared_illegal_play_is_found_and_linked(recorded: Recorded) -> None:
    text = (
        "; |      Game 1, Move 1 of Omar --> 42: 8/4 6/5 was illegal   |\n"
        f" 5 point match\n\n Game 1\n Ida : 0               Omar : 0\n{ROW.replace('6/4', '6/5')}"
    )
    (match,) = read_file(text.encode(), "x.mat")
    assert codes(match) == {"declared-illegal", "unfinished"}
    shown = replay(recorded(match))
    assert [f.code for f in shown.findings if f.code == "illegal-play"] == ["illegal-play"]
    assert match.facts[-1].kind == "play.illegality_noticed"


@pytest.mark.parametrize("player", ["left", "right"])
def test_a_play_told_by_its_end_stands_in_either_column(player: str, recorded: Recorded) -> None:
    # Fields 14 to 37 are the points of whoever is then on roll.
    board = "-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-2;0;-6;0;0;0;0;2;0;6;1;"
    field = "0" if player == "left" else "1"
    names = "Omar;Ida" if player == "left" else "Ida;Omar"
    cell = f"41: Illegal play (5;0;1;0;{field};{names};0;0;0;1;0;0;{board})"
    rows = f"  1) {cell}" if player == "left" else f"  1)                               {cell}"
    match = read(rows)
    assert codes(match) == {"stated-position", "unfinished"}
    shown = replay(recorded(match))
    [(seat, (own, other))] = boards(shown)
    assert seat.value == {"left": "one", "right": "two"}[player]
    assert (own[6], own[8], own[24]) == (6, 2, 2)
    assert other == STARTING.own


@pytest.mark.parametrize(
    ("names", "known"),
    [
        ("  : 0                           Omar : 0", ({}, {"name": "Omar"})),
        (" Ida : 0                         : 0", ({"name": "Ida"}, {})),
        (" Ida: 0      Omar: 0", ({"name": "Ida"}, {"name": "Omar"})),
        (" Ida,1615 : 0         Omar,1756.25 : 0",
         ({"name": "Ida", "rating": "1615"}, {"name": "Omar", "rating": "1756.25"})),
        (" Ida, 9 : 0           Omar/Nora : 0", ({"name": "Ida, 9"}, {"name": "Omar/Nora"})),
        (" Game Boy : 0         2) Omar: x : 0", ({"name": "Game Boy"}, {"name": "2) Omar: x"})),
        (f" {'x' * 4096} : 0     Omar : 0", ({"name": "x" * 4096}, {"name": "Omar"})),
    ],
)  # fmt: skip
def test_names_are_what_stands_before_the_scores(names: str, known: tuple[object, object]) -> None:
    (match,) = read_file(f" 5 point match\n\n Game 1\n{names}\n{ROW}".encode(), "x.mat")
    assert match.opened["players"] == {"one": [known[0]], "two": [known[1]]}
    assert match.rolls == 2
    assert codes(match) == {"unfinished"}
