"""Collections of SGF games, nested or not, in the character sets that they name; archives."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import Any

import pytest

from api.exchange.readers import read_file
from api.exchange.reading.facts import NoticeCode, ReadMatch, Refused
from api.exchange.sgf.grammar import parsed
from api.imports.preparing import Order, Preparer
from api.imports.ready import FileRefused
from events.payloads import match
from events.values import BySeat

ROOT = "FF[4]GM[6]PW[Ada]PB[Ben]RU[Crawford]"
GAMES = (
    "MI[length:5][game:0][ws:0][bs:0]RE[W+2];W[31hefe];B[42qusu]",
    "MI[length:5][game:1][ws:2][bs:0];B[31qtst]",
)


def refusal(text: str) -> str:
    (refused,) = Preparer(Order(log_id="imports")).ready(text.encode(), "x.sgf", source_name="x")
    assert isinstance(refused, FileRefused)
    return refused.reason


def scores(found: ReadMatch) -> list[BySeat[int]]:
    return [
        fact.payload.score for fact in found.facts if isinstance(fact.payload, match.ScoreNoted)
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"(;{ROOT}{GAMES[0]})(;{ROOT}{GAMES[1]})",
        f"((;{ROOT}{GAMES[0]})(;{ROOT}{GAMES[1]}))",
        f"(;FF[4]GM[6](;{ROOT}{GAMES[0]})\n(;{ROOT}{GAMES[1]}))",
        f"(;{ROOT}(;{GAMES[0]})(;{GAMES[1]}))",
        f"(;{ROOT}MI[length:5](;{GAMES[0]})(;{GAMES[1].replace('[length:5]', '')}))",
        f"(;{ROOT}(;{GAMES[0]})(;{GAMES[1]}(;W[42hdfd])(;W[42xtxv])))",
    ],
    ids=["side by side", "in a bare tree", "in a root", "sharing a root", "a length", "varied"],
)
def test_the_games_of_a_match_are_read_wherever_their_trees_stand(text: str) -> None:
    (found,) = read_file(text.encode(), "x.sgf")
    assert found.games == 2
    assert scores(found) == [BySeat(0, 0), BySeat(2, 0)]
    assert found.length == 5
    assert found.opened["players"] == {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}


def test_a_root_within_a_game_is_another_game_and_no_variation() -> None:
    text = f"(;{ROOT}{GAMES[0]}(;{ROOT}{GAMES[1]}))"
    trees, _ = parsed(text)
    assert [len(tree.nodes) for tree in trees] == [3, 2]
    (found,) = read_file(text.encode(), "x.sgf")
    assert (found.games, found.rolls) == (2, 3)


def test_a_branch_without_a_root_is_a_variation() -> None:
    trees, _ = parsed("(;GM[6](;W[31hefe](;B[42qusu])(;B[61lrqr]))(;W[31xwxu]))")
    assert [(len(tree.nodes), tree.left_out) for tree in trees] == [(3, 2)]


def test_what_is_said_around_the_games_is_said_once() -> None:
    text = f"(;{ROOT}C[hello](;{GAMES[0]})(;{GAMES[1]}))"
    (found,) = read_file(text.encode(), "x.sgf")
    notes = [fact.plain for fact in found.facts if fact.kind == "moment.marked"]
    assert notes == [{"note": "hello"}]


def test_a_branch_that_has_no_end_is_told() -> None:
    (found,) = read_file(f"(;{ROOT}(;{GAMES[0]})(;{GAMES[1]}".encode(), "x.sgf")
    assert (found.games, found.rolls) == (2, 3)
    assert NoticeCode.CUT_OFF in [notice.code for notice in found.notices]


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[6])",
        "(;GM[6](;PW[Ada]PB[Ben])(;PW[Cleo]PB[Dan]))",
        "(;GM[6]PW[Ada]PB[Ben]MI[length:5](;C[a])(;C[b]))",
        "(;GM[6]" + "(" * 50_000 + ")" * 50_000 + ")",
    ],
)
def test_trees_in_which_nothing_is_done_are_no_games(text: str) -> None:
    assert refusal(text).startswith("it holds a heading and no game")


def test_words_where_no_game_was_begun_are_lost_by_name() -> None:
    text = f"(;{ROOT}{GAMES[0]})\n(;GM[6]MI[length:5];C[to be continued])"
    (found,) = read_file(text.encode(), "x.sgf")
    assert found.games == 1
    assert found.lost == ["line 2: C[to be continued]"]


# -- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("info", ["[ws:-3][bs:0]", "[ws:0][bs:99999999]", "[ws:2]"])
def test_a_score_that_is_half_or_none_is_not_made_up(info: str) -> None:
    text = f"(;GM[6]PW[Ada]PB[Ben]MI[length:5]{info};W[31hefe])"
    (found,) = read_file(text.encode(), "x.sgf")
    assert scores(found) == []
    assert len(found.lost) == 1
    assert found.lost[0].startswith("line 1: the score ")


def test_a_length_of_more_digits_than_numbers_have_is_no_session() -> None:
    assert "no match is played to 99999999999 points" in refusal(
        "(;GM[6]MI[length:99999999999];W[31hefe])"
    )


def test_every_comment_of_a_node_is_kept() -> None:
    (found,) = read_file(b"(;GM[6];W[31hefe]C[one][two];B[42qusu]C[three])", "x.sgf")
    notes = [(fact.plain or {}).get("note") for fact in found.facts if fact.plain]
    assert notes[1:] == ["one", "two", "three"]


# -- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charset", "codec", "name"),
    [
        ("windows-1251", "cp1251", "Иван"),
        ("KOI8-R", "koi8-r", "Иван"),
        ("Shift_JIS", "shift-jis", "望月"),
        ("windows-1250", "cp1250", "Łódź"),
        ("ISO-8859-1", "cp1252", "René"),
        ("no-such-set", "cp1252", "René"),
        ("rot13", "cp1252", "René"),
        ("UTF-8", "cp1252", "René"),
        ("ISO-8859-1", "utf-8", "Łódź"),
    ],
)
def test_a_tree_is_read_in_the_character_set_that_it_names(
    charset: str, codec: str, name: str
) -> None:
    data = f"(;GM[6]CA[{charset}]PW[{name}]PB[Ben];W[31hefe])".encode(codec)
    (found,) = read_file(data, "x.sgf")
    players: Any = found.opened["players"]
    assert players["one"] == [{"name": name}]
    assert (NoticeCode.ENCODING in {notice.code for notice in found.notices}) is (codec != "utf-8")


@pytest.mark.parametrize(
    "text", ["(;FF[4]GM[06];W[31hefe])", "Dear Ada,\n\n(;GM[6];W[31hefe])\n"], ids=["06", "a mail"]
)
def test_a_tree_of_backgammon_is_found_however_it_comes(text: str) -> None:
    for data in (text.encode(), text.encode("utf-16")):
        (found,) = read_file(data, "x")
        assert (found.dialect, found.rolls) == ("sgf", 1)


def packed() -> list[bytes]:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w") as archive:
        archive.writestr("a.mat", " 5 point match\n\n Game 1\n")
    return [box.getvalue(), gzip.compress(b" 5 point match\n")]


@pytest.mark.parametrize("data", packed(), ids=["zip", "gzip"])
def test_a_packed_file_says_what_to_do(data: bytes) -> None:
    with pytest.raises(Refused, match="unpack it"):
        read_file(data, "x.zip")


def test_a_byte_order_mark_between_two_trees_is_no_loss() -> None:
    tree = "\ufeff(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[{}]PB[Omar];W[31hefe])\n"
    found = read_file((tree.format("Ida") + tree.format("Eve")).encode(), "x.sgf")
    assert [match.lost for match in found] == [[], []]
    assert not [notice for match in found for notice in match.notices if notice.raw == "\ufeff"]


@pytest.mark.parametrize("info", ["MI[game:0][ws:0][bs:0]", ""])
def test_what_only_a_later_root_states_holds_for_the_match(info: str) -> None:
    first = f"(;FF[4]GM[6]{info}PW[Ada]RE[W+2];W[31hefe])"
    second = f"(;{ROOT}MI[length:5][game:1][ws:2][bs:0]EV[Open]BR[1500];B[31qtst])"
    (found,) = read_file(f"{first}\n{second}".encode(), "x.sgf")
    assert (found.length, found.games) == (5, 2)
    assert found.opened["options"] == {"crawford": {"value": "on"}}
    players = {"one": [{"name": "Ada"}], "two": [{"name": "Ben", "rating": "1500"}]}
    assert (found.opened["players"], found.opened["event"]) == (players, "Open")
    said = [one.message for one in found.notices if one.code is NoticeCode.NAMES_DIFFER]
    assert said == [
        "only a later game of the match states its length",
        "only a later game of the match states its rules",
    ]
    assert {one.line for one in found.notices if one.code is NoticeCode.NAMES_DIFFER} == {2}
