"""Reading .bgf files: home-made documents, real matches told as such, broken bytes."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
import random
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.exchange.bgf import smile
from api.exchange.readers import read_file
from api.exchange.reading.facts import Ended, NoticeCode, ReadMatch, Refused
from events.payloads.base import WinKind
from events.payloads.cube import CubeStated, DoubleDropped, DoubleOffered, DoubleTaken
from events.payloads.dice import Rolled
from events.payloads.ending import ResignationOffered
from events.payloads.match import GameWon, MatchEnded, ScoreNoted
from events.payloads.play import PlayMade, PlayUnseen, PositionStated
from events.values import BySeat, CheckerMove, Seat
from projections.board.position import STARTING, Position
from projections.replay import replay
from tests.api.exchange import record_files
from tests.api.exchange.conftest import GOLDEN
from tests.api.exchange.record_files import HEAD, BgfFile, XgFile, as_bgf, moves_of, packed
from tests.api.exchange.recorded import events_of, survives
from tests.api.exchange.test_xg_reader import WHOLE, codes, essence, notes, payloads, texts

__all__ = ["texts"]

ONE, TWO = Seat.ONE, Seat.TWO


def read(data: bytes) -> ReadMatch:
    (match,) = read_file(data, "x.bgf")
    return match


def two_plays(file: BgfFile | None = None, **members: Any) -> BgfFile:
    """A game of two plays."""
    file = (file or BgfFile()).start()
    file.roll(ONE, (3, 1), "8/5 6/5")
    return file.roll(TWO, (6, 4), "24/18 18/14", **members)


# -- what a match is ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLE)
def test_a_match_is_the_same_as_text_and_as_a_document(name: str) -> None:
    for match in read_file((GOLDEN / name).read_bytes(), name):
        told = read(as_bgf(match))
        assert essence(told) == essence(match)
        assert told.dialect == "bgblitz-bgf"
        ends = [replay(events_of(m)).steps[-1].after for m in (match, told)]
        assert ends[0].positions.board == ends[1].positions.board
        assert ends[0].score.score == ends[1].score.score


def test_names_and_context_are_personal_values() -> None:
    told = {"nameGreen": "Käthe", "nameRed": "Çem", "ratingGreen": 2_100, "ratingRed": 0}
    context = {"event": "Cup", "round": "2", "location": "Wien", "site": "x", "date": "2026.01.08"}
    body = read(two_plays(BgfFile(**told, **context)).bytes()).opened
    assert body["players"] == {
        "one": [{"name": "Käthe", "rating": "2100"}],
        "two": [{"name": "Çem"}],
    }
    members = [body[name] for name in ("event", "round", "place", "date")]
    assert members == ["Cup", "2", "Wien", "2026.01.08"]
    assert "site: x" in body["source"]["headers"]


def test_options_are_as_stated_and_money_has_no_length() -> None:
    match = read(two_plays(BgfFile(0, useJacoby=True, useBeaver=True)).bytes())
    assert match.length is None
    assert match.result.ended is Ended.MONEY
    assert match.opened["options"] == {"jacoby": {"value": "on"}, "beavers": {"value": "on"}}


@pytest.mark.parametrize(
    ("match", "game"),
    [
        ({"matchlen": 1_001}, {}),
        ({"matchlen": -1}, {}),
        ({"gameMode": 2}, {"initial": {"points": [1, *[0] * 23, 0, 0]}}),
        ({}, {"initial": {"egyptian": True}}),
    ],
)
def test_another_game_is_refused(match: dict[str, Any], game: dict[str, Any]) -> None:
    file = BgfFile().start(**game)
    file.match.update(match)
    with pytest.raises(Refused):
        read(file.bytes())


def test_a_match_without_games_is_refused() -> None:
    with pytest.raises(Refused, match="no game"):
        read(BgfFile().bytes())


def test_a_game_may_start_from_any_position_and_cube() -> None:
    points = [0] * 28
    points[0], points[5], points[24] = 2, -3, 1
    match = read(BgfFile().start(initial={"points": points, "cube": 4, "cubeOwner": 1}).bytes())
    stated, cube = payloads(match, PositionStated, CubeStated)
    assert isinstance(stated, PositionStated)
    assert isinstance(cube, CubeStated)
    assert [stated.checkers.one[point] for point in (0, 24, 25)] == [12, 2, 1]
    assert [stated.checkers.two[point] for point in (0, 6)] == [12, 3]
    assert (cube.value, cube.owner) == (4, TWO)


# -- plays and acts ----------------------------------------------------------------------------


def test_dice_are_in_the_order_red_and_green() -> None:
    match = read(two_plays().bytes())
    assert payloads(match, Rolled) == [Rolled(seat=ONE, dice=(3, 1)), Rolled(seat=TWO, dice=(6, 4))]


def test_a_dance_has_its_dice_elsewhere() -> None:
    match = read(two_plays().roll(ONE, (5, 5), "").bytes())
    assert payloads(match, Rolled)[-1] == Rolled(seat=ONE, dice=(5, 5))
    assert payloads(match, PlayMade)[-1] == PlayMade(seat=ONE)


def test_a_hit_on_the_way_is_derived_where_only_it_makes_the_play_legal() -> None:
    points = [0] * 28
    points[24 - 13], points[24 - 8], points[24 - 6] = 2, 3, 5
    points[6], points[17] = -1, -5
    # Green goes 13/8 with a 4 and a 1: over 9 or over 12; red has a lone checker on one of them.
    blot = dict(enumerate(points))
    blot[24 - 12] = -2
    blot[24 - 9] = -1
    file = BgfFile().start(initial={"points": [blot[place] for place in range(28)]})
    faces = {"red": 4, "green": 1, "from": [13, -1, -1, -1], "to": [8, -1, -1, -1]}
    file.add(ONE, faces)
    match = read(file.bytes())
    (play,) = payloads(match, PlayMade)
    assert play == PlayMade(seat=ONE, moves=(CheckerMove(13, 9), CheckerMove(9, 8)))
    last = replay(events_of(match)).steps[-1]
    assert last.after.positions.board is not None
    assert last.after.positions.board.other[25] == 1


def test_a_way_without_hits_is_kept_as_it_is_written() -> None:
    file = BgfFile().start().roll(ONE, (6, 5), "24/13")
    (play,) = payloads(read(file.bytes()), PlayMade)
    assert play == PlayMade(seat=ONE, moves=(CheckerMove(24, 13),))


def test_a_play_of_many_checkers_is_read_without_trying_all_their_ways() -> None:
    count = 60
    faces = {"red": 3, "green": 2, "from": [13] * count, "to": [8] * count}
    file = BgfFile().start()
    file.add(ONE, faces)
    (play,) = payloads(read(file.bytes()), PlayMade)
    assert play == PlayMade(seat=ONE, moves=(CheckerMove(13, 8),) * count)


def test_an_illegal_play_is_told_as_it_was_made() -> None:
    match = read(BgfFile().start().roll(ONE, (3, 1), "24/18 8/6").bytes())
    assert payloads(match, PlayMade) == [PlayMade(seat=ONE, moves=moves_of("24/18 8/6"))]
    found = [f.code for step in replay(events_of(match)).steps for f in step.findings]
    assert found == ["illegal-play"]


def test_cube_acts_and_a_resignation() -> None:
    file = two_plays(BgfFile(7)).act(ONE, 1).act(TWO, 2)
    file.roll(ONE, (2, 1), "13/11 24/23").act(TWO, 9).win(4)
    match = read(file.start((4, 0)).act(TWO, 1).act(ONE, 3).win(1).bytes())
    assert payloads(match, DoubleOffered, DoubleTaken, DoubleDropped) == [
        *(DoubleOffered(seat=ONE), DoubleTaken(seat=TWO)),
        *(DoubleOffered(seat=TWO), DoubleDropped(seat=ONE)),
    ]
    assert payloads(match, ResignationOffered) == [
        ResignationOffered(seat=TWO, level=WinKind.GAMMON)
    ]
    assert payloads(match, GameWon) == [
        GameWon(winner=ONE, points=4),
        GameWon(winner=TWO, points=1),
    ]
    assert codes(match) == set()


def test_an_act_of_an_unknown_kind_is_lost_by_name() -> None:
    match = read(two_plays().act(ONE, 6).bytes())
    assert any("kind 6" in what for what in match.lost)


def test_a_roll_without_a_play_is_a_gap_if_the_game_goes_on() -> None:
    nothing = {"red": 3, "green": 1, "from": [-1] * 4, "to": [-1] * 4}
    file = BgfFile().start()
    file.add(ONE, nothing)
    assert not payloads(read(file.bytes()), PlayUnseen)
    match = read(file.roll(TWO, (6, 4), "24/18 18/14").bytes())
    assert payloads(match, PlayUnseen) == [PlayUnseen(seat=ONE, written=None)]


@pytest.mark.parametrize(
    "members",
    [
        {"red": 0, "green": 3},
        {"red": 9, "green": 8},
        {"from": [30, -1], "to": [2, -1]},
        {"from": [8, -1], "to": [25, -1]},
        {"player": 0},
        {"from": [8], "to": []},
    ],
)
def test_a_record_of_no_sense_is_remarked(members: dict[str, Any]) -> None:
    match = read(two_plays(None, **members).bytes())
    assert codes(match) - {NoticeCode.UNFINISHED}


def test_comments_are_marked_moments_about_what_they_comment() -> None:
    match = read(two_plays(BgfFile(comment="at the start"), comment=["a", 1]).bytes())
    (first, opened), (second, play) = notes(match)
    assert (first, opened.kind) == ("at the start", "match.opened")
    assert (second, play.payload) == (
        '["a",1]',
        PlayMade(seat=TWO, moves=moves_of("24/18 18/14")),
    )


# -- illegal plays, here and in .xg ------------------------------------------------------------

BAR = Position(
    (0, *([0] * 5), 5, 0, 3, *([0] * 4), 5, *([0] * 10), 1, 1),
    STARTING.other,
)
"""The start, with a checker of the player on roll on the bar."""

LAST = Position((13, 0, 0, 0, 0, 1, 1, *([0] * 19)), (0, 15, *([0] * 24)))
"""Two checkers are left, and the other player has borne off none."""

CLOSED = Position((3, 2, 2, 2, 2, 2, 2, *([0] * 19)), (10, 4, *([0] * 23), 1))
"""The other player dances with every roll."""

TWO_COLOURS = "onto two others"

SHAPES = {
    "a die unplayed": ((3, 1), "8/5", STARTING),
    "too many pips": ((3, 1), "24/18", STARTING),
    "one die twice": ((6, 3), "13/9 13/7", STARTING),
    "three moves": ((3, 1), "8/5 6/5 24/23", STARTING),
    "ten pips at once": ((3, 3), "13/3", STARTING),
    "backward": ((6, 5), "24/18 13/8 6/8", STARTING),
    "borne off from outside": ((6, 6), "6/off", STARTING),
    TWO_COLOURS: ((5, 1), "24/19 6/5", STARTING),
    "past the bar": ((2, 1), "13/11 6/5", BAR),
    "wins the game": ((1, 1), "6/off 5/off", LAST),
    "after a dance": ((6, 5), "6/off 5/off 4/off", CLOSED),
}
"""Shapes that have broken tools: dice, moves, and the board before, seen by the mover."""


def told(form: str, seat: Seat, shape: str) -> tuple[bytes, list[Position]]:
    """A game with an illegal play and more after it; the board after every play."""
    dice, moves, board = SHAPES[shape]
    file: XgFile | BgfFile = XgFile() if form == "xg" else BgfFile(finalGreen=0, finalRed=0)
    file.start(board=board if seat is ONE else board.swap())
    boards = []
    plays = [(seat, dice, moves), (seat.other, (2, 1), "6/4"), (seat, (2, 1), "6/4")]
    if shape == "after a dance":
        plays = [(seat.other, (6, 6), ""), *plays[:1], (seat.other, (6, 1), "bar/19 19/18")]
    if shape == "wins the game":
        plays = plays[:1]
    for mover, rolled, played in plays:
        file.roll(mover, rolled, played)
        boards.append(file.board)
    return file.bytes(), boards


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize(
    ("form", "shape"),
    # A point of .xg has one number: it cannot hold checkers of both players.
    [*(("xg", shape) for shape in SHAPES if shape != TWO_COLOURS), *(("bgf", s) for s in SHAPES)],
)
def test_after_an_illegal_play_every_board_is_right(form: str, seat: Seat, shape: str) -> None:
    data, boards = told(form, seat, shape)
    replayed = replay(events_of(read(data)))
    steps = [step for step in replayed.steps if isinstance(step.event.payload, PlayMade)]
    assert [step.after.positions.board for step in steps] == boards
    illegal = [
        number
        for number, step in enumerate(steps)
        if any(finding.code == "illegal-play" for finding in step.findings)
    ]
    expected = 1 if shape == "after a dance" else 0
    assert expected in illegal


# -- results -----------------------------------------------------------------------------------


def test_points_that_the_last_game_does_not_write_are_those_of_the_final_score() -> None:
    match = read(two_plays(BgfFile(5, finalGreen=6, finalRed=0)).win(0).bytes())
    assert payloads(match, GameWon) == [GameWon(winner=ONE, points=6)]
    assert NoticeCode.NO_RESULT in codes(match)
    assert payloads(match, MatchEnded) == [MatchEnded(winner=ONE, score=BySeat(6, 0))]


def test_the_scores_name_the_winner_of_a_game() -> None:
    match = read(two_plays().win(2).start((0, 2)).bytes())
    assert payloads(match, GameWon) == [GameWon(winner=TWO, points=2)]
    assert payloads(match, ScoreNoted)[-1] == ScoreNoted(score=BySeat(0, 2), sheet="recording")


def test_points_that_nobody_is_told_to_have_won_are_lost_by_name() -> None:
    match = read(two_plays().win(2).bytes())
    assert not payloads(match, GameWon)
    assert [what.partition(": ")[2] for what in match.lost] == ["2 points, and nobody who won them"]


@pytest.mark.parametrize("flag", ["wasResignation", "lostOnTime", "wasForfeit"])
def test_how_a_game_was_lost_without_play_is_lost_by_name(flag: str) -> None:
    file = two_plays(BgfFile(finalGreen=1, finalRed=0)).win(1)
    file.games[0][flag] = True
    assert len(read(file.bytes()).lost) == 1


# -- broken files ------------------------------------------------------------------------------


@cache
def whole() -> bytes:
    """A home-made match of two games."""
    file = two_plays(BgfFile(3, finalGreen=4, finalRed=0, comment="ein schöner Kampf"))
    file.act(ONE, 1).act(TWO, 2).roll(ONE, (2, 1), "13/11 24/23").act(TWO, 9).win(2)
    file.start((2, 0), isCrawford=True).roll(ONE, (6, 6), "24/18(2) 13/7(2)".replace("(2)", ""))
    return file.win(2).bytes()


def content() -> bytes:
    """What the home-made match holds packed."""
    return gzip.decompress(whole().split(b"\n", 1)[1])


def head() -> bytes:
    return json.dumps(HEAD).encode() + b"\n"


def test_a_file_cut_anywhere_is_refused() -> None:
    start = len(head())
    for length in range(start, len(whole())):
        with pytest.raises(Refused):
            read(whole()[:length])
    for length in range(len(content())):
        with pytest.raises(Refused):
            read(head() + gzip.compress(content()[:length]))


def test_plain_json_is_read_as_well() -> None:
    file = two_plays()
    assert essence(read(head() + json.dumps(file.match).encode())) == essence(read(file.bytes()))


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([], id="an array"),
        pytest.param({}, id="nothing"),
        pytest.param({"matchlen": 5, "games": {}}, id="games are no list"),
        pytest.param({"matchlen": 5, "games": [1]}, id="a game is a number"),
        pytest.param({"matchlen": 5, "games": [{"moves": [{"player": "x"}]}]}, id="no player"),
        pytest.param({"matchlen": 10**30, "games": [{}]}, id="a length beyond all numbers"),
        pytest.param({"matchlen": 5, "games": [{"scoreRed": 1.5}]}, id="half a point"),
        pytest.param({"matchlen": 5, "games": [{}] * 25_001}, id="more games than anybody plays"),
    ],
)
def test_a_document_of_another_shape_is_refused(document: Any) -> None:
    data = json.dumps(document).encode()
    with pytest.raises(Refused):
        read(head() + gzip.compress(data))


@pytest.mark.parametrize("games", [[1] * 25_001, [{"moves": [1] * 25_000}]])
def test_too_many_records_are_refused_before_anything_is_made_of_them(games: Any) -> None:
    document = json.dumps({"matchlen": 5, "games": games}).encode()
    with pytest.raises(Refused, match="more than 25,000 records"):
        read(head() + gzip.compress(document))


@pytest.mark.gate
def test_hostile_documents_are_refused_at_once() -> None:
    start = smile.MAGIC + b"\x00"
    hostile = {
        "deep": start + b"\xf8" * 1_000_000,
        "deep JSON": b"[" * 1_000_000,
        "a number without an end": start + b"\x24" + b"\x3f" * 5_000_000,
        "many empty objects": start + b"\xf8" + b"\xfa\xfb" * 4_000_000 + b"\xf9",
        "a huge number": start + b"\x26\x3f\x3f\xbf" + bytes(1_000_000),
        "a bomb": bytes(50_000_000),
    }
    for data in hostile.values():
        with pytest.raises(Refused):
            read(head() + gzip.compress(data, 1))


def mutated(seed: int) -> bytes:
    """The match with a few bytes of its document changed, or members set to odd values."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        data = bytearray(content())
        for _ in range(chance.randint(1, 5)):
            data[chance.randrange(4, len(data))] = chance.randrange(256)
        return head() + gzip.compress(bytes(data), 1)
    document = smile.decode(content())
    games = document["games"]
    parts = [
        document,
        *games,
        *(part for game in games for part in (game["initial"], *game["moves"])),
    ]
    for _ in range(chance.randint(1, 4)):
        part = chance.choice(parts)
        odd = (None, -1, 0, 1, 2, 7, 25, 10**6, 2**62, "x", [], [3, -1], {}, 1.5)
        part[chance.choice(sorted(part))] = chance.choice(odd)
    return packed(document)


def test_a_thousand_changed_files() -> None:
    read_at_all = sum(bool(survives(mutated(seed))) for seed in range(1_000))
    assert 100 < read_at_all < 1_000


@pytest.mark.long
def test_fifty_thousand_changed_files() -> None:
    assert sum(bool(survives(mutated(seed))) for seed in range(50_000)) > 5_000


# -- real matches ------------------------------------------------------------------------------


@pytest.mark.gate
def test_real_matches_are_the_same_as_text_and_as_documents(texts: list[ReadMatch]) -> None:
    for match in texts[::16]:
        assert essence(read(as_bgf(match))) == essence(match), match.opened["source"]["sha256"]


@pytest.mark.long
def test_every_real_match_is_the_same_as_text_and_as_a_document(texts: list[ReadMatch]) -> None:
    assert len(texts) > 400
    for match in texts:
        assert essence(read(as_bgf(match))) == essence(match), match.opened["source"]["sha256"]


# -- SMILE -------------------------------------------------------------------------------------

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=90),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcde", min_size=1, max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values)
def test_a_document_is_read_as_it_was_written(value: Any) -> None:
    assert smile.decode(record_files.smile(value)) == value


@given(st.binary(max_size=60), st.integers(0, 3))
def test_any_bytes_are_read_or_no_such_document(data: bytes, flags: int) -> None:
    try:
        smile.decode(smile.MAGIC + bytes([flags]) + data)
    except smile.NotSmile:
        return


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x01\xfa\x80a\xc2\xfb", {"a": 1}),
        (b"\x01\xf8\xfa\x80a\xc2\xfb\xfa\x40\xc4\xfb\xf9", [{"a": 1}, {"a": 2}]),
        (b"\x01\xf8\xfa\x80a\xc2\xfb\xfa\x30\x00\xc4\xfb\xf9", [{"a": 1}, {"a": 2}]),
        (b"\x02\xf8\x41hi\x01\xec\x00\xf9", ["hi", "hi", "hi"]),
        (b"\x00\xfa\x34long\xfc\xc2\x20\x21\xc0\xc3\xa9\x20\xfb", {"long": 1, "": None, "é": ""}),
        (b"\x00\x28" + bytes((0x3, 0x7C, 0, 0, 0)), 1.0),
        (b"\x00\x26\x81\x40\x00", -128),
        (b"\x00\x2a\x82\x82\x00\x20\x00", 12.8),
        (b"\x00\xe8\x81\x40\x01", b"\x81"),
        (b"\x00\xfd\x83abc", b"abc"),
    ],
)
def test_every_spelling_of_a_value_is_read(data: bytes, value: Any) -> None:
    assert smile.decode(smile.MAGIC + data) == value


def test_memory_of_names_starts_anew_when_it_is_full() -> None:
    names = [f"n{number}" for number in range(smile.MAX_SHARED + 1)]
    pairs = b"".join(bytes([0x7F + len(name)]) + name.encode() + b"\xc0" for name in names)
    again = b"\xfa" + pairs + b"\x40\xc2" + b"\xfb"
    assert smile.decode(smile.MAGIC + b"\x01" + again)[names[-1]] == 1


def test_gammonview_decodes_the_same(require: Callable[[bool, str], None]) -> None:
    has = importlib.util.find_spec("gvformat") is not None
    require(has, "the package gammonview is not installed")
    decoder = importlib.import_module("gvformat.bgf")
    # It knows no accents and no numbers above two thousand.
    plain = two_plays(BgfFile(3, finalGreen=4, finalRed=0)).win(2)
    assert decoder.decode_smile(record_files.smile(plain.match)) == plain.match
    assert smile.decode(record_files.smile(plain.match)) == plain.match


def test_a_double_has_ten_bytes_of_seven_bits() -> None:
    bits = struct.unpack(">Q", struct.pack(">d", 0.1))[0]
    written = bytes(bits >> 7 * place & 0x7F for place in range(9, -1, -1))
    assert smile.decode(smile.MAGIC + b"\x00\x29" + written) == 0.1
