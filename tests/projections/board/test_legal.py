"""Legal plays and the judge: every rule by example, and both generators against brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from events.values import CheckerMove
from projections.board import hops
from projections.board.legal import (
    LEGAL,
    Reason,
    Verdict,
    count_playable,
    has_legal_play,
    is_legal,
    judge,
    legal_plays,
    legal_positions,
    single_hops,
)
from projections.board.notation import Play, parse
from projections.board.position import Position

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def board(own: dict[int, int], other: dict[int, int] | None = None) -> Position:
    """A position from the points that hold checkers; the rest of 15 a side is borne off."""
    sides = []
    for counts in (own, other or {}):
        counts = {0: 15 - sum(counts.values()), **counts}
        sides.append(tuple(counts.get(point, 0) for point in range(26)))
    return Position(sides[0], sides[1])


def steps(position: Position, die: int) -> set[Position]:
    """Every position one hop away, by the wording of the rules and nothing else."""
    reached = set()
    for from_point in range(1, 26):
        if not position.own[from_point] or (position.own[25] and from_point != 25):
            continue
        to_point = from_point - die
        if to_point <= 0:
            if any(position.own[7:]) or (to_point < 0 and any(position.own[from_point + 1 :])):
                continue
            to_point = 0
        elif position.other[25 - to_point] > 1:
            continue
        own, other = list(position.own), list(position.other)
        own[from_point] -= 1
        own[to_point] += 1
        if to_point and other[25 - to_point] == 1:
            other[25 - to_point] = 0
            other[25] += 1
        reached.add(Position(tuple(own), tuple(other)))
    return reached


def brute_force(position: Position, dice: tuple[int, int]) -> tuple[set[Position], int]:
    """All legal ends, and how many dice are played, from every order of every hop."""
    high, low = max(dice), min(dice)
    orders = [[high] * 4] if high == low else [[high, low], [low, high]]
    best: set[Position] = {position}
    most = 0
    for order in orders:
        reached = {position}
        for count, die in enumerate(order, start=1):
            reached = set().union(*(steps(one, die) for one in reached))
            if not reached:
                break
            if count > most:
                best, most = reached, count
            elif count == most and (count > 1 or high == low):
                best = best | reached
            # One die only: the first order began with the higher one, which is kept.
    return best, most


@pytest.mark.gate
def test_legal_sets_equal_brute_force_on_wild_boards(
    wild: Callable[[random.Random], Position],
) -> None:
    chance = random.Random(20260801)
    seen: Counter[str] = Counter()
    for _ in range(12_000):
        position = wild(chance)
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        if chance.random() < 0.35:
            dice = (dice[0], dice[0])
        expected, most = brute_force(position, dice)
        assert legal_positions(position, dice) == expected, f"\n{position.draw()}\n{dice}"
        assert count_playable(position, dice) == most
        assert has_legal_play(position, dice) == (most > 0)
        plays = legal_plays(position, dice)
        assert plays.count() == len(plays) == (len(expected) if most else 0)
        seen[f"{'doublet' if dice[0] == dice[1] else 'unequal'} {most}"] += 1
        seen["bar"] += position.own[25] > 0
    assert all(seen[f"doublet {most}"] > 30 for most in range(5)), seen
    assert all(seen[f"unequal {most}"] > 100 for most in range(3)), seen
    assert seen["bar"] > 1000


@pytest.mark.gate
@pytest.mark.parametrize("most", [800, pytest.param(2_500, marks=pytest.mark.long)])
def test_the_quick_judge_never_disagrees_with_the_list(
    wild: Callable[[random.Random], Position],
    playout: Callable[[random.Random], Iterator[tuple[Position, tuple[int, int]]]],
    mutated: Callable[[random.Random, tuple[CheckerMove, ...]], tuple[CheckerMove, ...]],
    most: int,
) -> None:
    chance = random.Random(7)
    boards = [(wild(chance), (chance.randint(1, 6), chance.randint(1, 6))) for _ in range(most)]
    boards += [(board, (die, die)) for (board, (die, _)) in boards[: most * 7 // 25]]
    for _ in range(most // 125):
        boards += playout(chance)
    verdicts: Counter[object] = Counter()
    for position, dice in boards:
        ends = position.legal_plays(dice).ends
        candidates = [(), *(play.moves for play in ends.values())]
        for partial in hops.every_partial(position.own, position.other, dice)[:4]:
            candidates.append(tuple(CheckerMove(*hop) for hop in partial))
        for moves in chance.sample(candidates, min(len(candidates), 6)):
            spoilt = mutated(chance, moves)
            expected = position.moved(spoilt).position in ends
            told = f"\n{position.draw()}\n{dice} {spoilt}"
            assert is_legal(position, dice, spoilt) == expected, told
            assert is_legal(position, dice[::-1], spoilt) == expected, told
            assert (Play(spoilt) in position.legal_plays(dice)) == expected
            verdict = judge(position, dice, spoilt)
            assert bool(verdict) == expected
            assert (verdict.reason is None) == expected
            verdicts[verdict.reason] += 1
            written = single_hops(position, dice, spoilt)
            assert (written is not None) == expected
            if written is not None:
                assert len(written) == count_playable(position, dice)
                assert position.moved(written).position == position.moved(spoilt).position
    assert verdicts[None] > 2 * most, verdicts
    assert verdicts.total() - verdicts[None] > 2 * most, verdicts
    assert set(Reason) - {Reason.HIT_NOT_LIFTED} <= set(verdicts), verdicts


def test_a_play_of_plain_hops_is_legal_without_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every listed play is seen to be legal at a glance: the slow way is for odd spellings."""
    chance = random.Random(11)
    position = Position.start()
    plays = []
    for _ in range(3000):
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        ends = position.legal_plays(dice).ends
        end, play = chance.choice(list(ends.items()))
        plays.append((position, dice, play.moves))
        position = Position.start() if end.own[0] == 15 else end.swap()

    def refuse(*_: object) -> None:
        raise AssertionError("the legal plays were listed")

    monkeypatch.setattr(hops, "every_legal", refuse)
    for before, dice, moves in plays:
        assert is_legal(before, dice, moves)
        assert is_legal(before, dice, moves[::-1])


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("13/7 8/7", (6, 1)),
        ("8/7 13/7", (6, 1)),
        ("24/18 18/13", (6, 5)),
        ("18/13 24/18", (6, 5)),  # the second hop written first, from a point empty till then
        ("24/13", (6, 5)),
        ("24/20(2)", (2, 2)),
        ("24/16", (2, 2)),
        ("24/22/20 13/9", (2, 2)),
        ("8/4(2) 6/4(2)", (2, 2)),
        ("13/7(2) 8/2(2)", (6, 6)),
        ("24/18(2) 13/7(2)", (6, 6)),
        ("24/22/21/20 13/12", (1, 1)),
        ("24/20", (1, 1)),
    ],
)
def test_spellings_of_opening_plays(text: str, dice: tuple[int, int]) -> None:
    expected = text not in ("24/22/21/20 13/12", "8/4(2) 6/4(2)")
    assert is_legal(Position.start(), dice, parse(text).moves) == expected


# x plays; points of o are numbered from o's side, so o's 20 is x's 5
ILLEGAL = [
    # 13/7 with 6-1 leaves the 1 unplayed
    (Position.start(), (6, 1), "13/7", Reason.MUST_PLAY_MORE),
    (Position.start(), (6, 1), "", Reason.MUST_PLAY_MORE),
    (Position.start(), (4, 4), "24/20(2) 13/9", Reason.MUST_PLAY_MORE),
    (Position.start(), (6, 1), "13/8 6/5", Reason.NOT_THE_DICE),
    (Position.start(), (6, 1), "13/7 8/7 6/5", Reason.NOT_THE_DICE),
    (Position.start(), (6, 1), "22/16 8/7", Reason.NO_CHECKER),
    (Position.start(), (6, 1), "6/12 8/7", Reason.WRONG_DIRECTION),
    (Position.start(), (6, 1), "6/bar 8/7", Reason.WRONG_DIRECTION),
    (Position.start(), (5, 1), "24/19 8/7", Reason.BLOCKED),
    (Position.start(), (6, 1), "6/off 8/7", Reason.BEAR_OFF),
    # x on 24 alone; o holds 20 and 19: 24/13 with 6-5 goes through neither 18 nor 19
    (board({24: 1, 6: 2}, {7: 2, 6: 2}), (6, 5), "24/13", Reason.NO_ROUTE),
    # the same with a blot on 18: it would be hit on the way, 24/18*/13
    (board({24: 1, 6: 2}, {7: 1, 6: 2}), (6, 5), "24/13", Reason.NO_ROUTE),
    # two on the bar, one entered
    (board({25: 2, 6: 3}), (3, 1), "bar/22 6/5", Reason.BAR_FIRST),
    (board({25: 1, 6: 3}), (3, 1), "6/3 6/5", Reason.BAR_FIRST),
    # x on 7, o holds x's 1-point: 7/2 or 7/6, never both, so the 5 must be played
    (board({7: 1}, {24: 2}), (5, 1), "7/6", Reason.MUST_PLAY_HIGHER),
    (board({8: 1}, {24: 2}), (6, 1), "8/7", Reason.MUST_PLAY_HIGHER),
    # x on 6 and 3: the 4 cannot take off the 3 while the 6 stands
    (board({6: 1, 3: 1}), (4, 1), "3/off 6/5", Reason.BEAR_OFF),
    (board({9: 1, 3: 1}), (3, 1), "3/off 9/8", Reason.BEAR_OFF),
]


@pytest.mark.parametrize(("position", "dice", "text", "reason"), ILLEGAL)
def test_illegal_plays_are_told_why(
    position: Position, dice: tuple[int, int], text: str, reason: Reason
) -> None:
    assert judge(position, dice, parse(text).moves) == Verdict(False, reason), position.draw()
    assert Play.parse(text) not in position.legal_plays(dice)


def test_a_blot_left_unlifted_is_illegal() -> None:
    # o has a blot on x's 7-point; x plays 13/7 8/7 and leaves it lying there
    position = board({13: 2, 8: 2, 6: 3}, {18: 1, 6: 2})
    moves = parse("13/7 8/7").moves
    assert judge(position, (6, 1), moves) == LEGAL
    left = judge(position, (6, 1), moves, hits_not_lifted=(7,))
    assert left == Verdict(False, Reason.HIT_NOT_LIFTED)
    assert not is_legal(position, (6, 1), moves, hits_not_lifted=(7,))
    # a point where nothing was hit changes nothing
    assert is_legal(position, (6, 1), moves, hits_not_lifted=(3,))


def test_both_dice_must_be_played_if_one_order_allows_it() -> None:
    # x on 13 and 8, o holds x's 7-point: 13/7 and 8/7 are blocked, so the 1 is 13/12 or 2/1
    position = board({13: 1, 8: 1}, {18: 2})
    assert legal_positions(position, (6, 1)) == frozenset(
        {position.after(parse(text)) for text in ("13/12 8/2", "8/2 2/1", "13/12 12/6")}
    )


def test_the_higher_die_is_played_if_only_one_can_be() -> None:
    # x has one checker on 8, o holds x's 1-point: 8/2 then nothing; 8/7 then nothing (7/1 blocked)
    position = board({8: 1}, {24: 2})
    assert [str(play) for play in position.legal_plays((6, 1))] == ["8/2"]
    # with 2 and 1 blocked the 6 cannot be played, so the 1 must be
    position = board({8: 1}, {24: 2, 23: 2})
    assert [str(play) for play in position.legal_plays((6, 1))] == ["8/7"]


def test_a_dance_leaves_the_empty_play() -> None:
    # one on the bar against a closed board: o holds all six of x's entry points
    position = board({25: 1, 6: 5}, dict.fromkeys(range(1, 7), 2))
    plays = position.legal_plays((6, 3))
    assert not has_legal_play(position, (6, 3))
    assert not plays
    assert plays.count() == 0
    assert list(plays) == []
    assert plays.ends == {position: Play()}
    assert legal_positions(position, (6, 3)) == frozenset({position})
    assert Play.parse("") in plays
    assert judge(position, (6, 3), ()) is LEGAL
    assert judge(position, (6, 3), parse("6/3").moves).reason is Reason.BAR_FIRST
    assert judge(position, (6, 3), parse("bar/22").moves).reason is Reason.BLOCKED


def test_bearing_off_from_below_only_over_empty_points() -> None:
    # x on 5 and 2: a 6 takes off the highest; a 4 the 2 only when the 5 has gone
    position = board({5: 1, 2: 1})
    assert {str(play) for play in position.legal_plays((6, 4))} == {"5/off 2/off", "5/1 2/off"}
    assert {str(play) for play in position.legal_plays((4, 1))} == {"5/1 1/off", "5/1 2/1"}


def test_a_checker_comes_home_and_off_in_one_roll() -> None:
    # the traps of formats.md 4: joined hops that other judges call illegal
    position = board({7: 1, 3: 1})
    assert is_legal(position, (5, 4), parse("7/3 3/0").moves)
    assert is_legal(board({9: 1}), (6, 3), parse("9/off").moves)
    assert is_legal(board({9: 1}), (6, 2), parse("9/off").moves) is False
    assert is_legal(board({7: 1, 1: 1}), (6, 2), parse("7/off").moves) is True
    assert is_legal(board({7: 2, 3: 2}), (4, 4), parse("7/3 7/3 3/0 3/0").moves)
    assert is_legal(board({5: 2, 6: 1, 2: 1}), (1, 1), parse("2/1 5/4(2) 6/5").moves)


def test_single_hops_split_what_was_joined() -> None:
    start = Position.start()
    assert single_hops(start, (6, 5), parse("24/13").moves) == parse("24/18 18/13").moves
    assert single_hops(start, (1, 3), parse("8/5 6/5").moves) == parse("8/5 6/5").moves
    assert (
        single_hops(start, (4, 4), parse("24/16 13/9(2)").moves)
        == parse("24/20 20/16 13/9(2)").moves
    )
    assert single_hops(start, (6, 5), parse("24/12").moves) is None


def test_the_collection_answers_like_one() -> None:
    plays = Position.start().legal_plays((3, 1))
    assert len(plays) == plays.count() == len(list(plays)) == 16
    assert Play.parse("8/5 6/5") in plays
    assert Play.parse("6/5 8/5") in plays
    assert Play.parse("8/5") not in plays
    assert "8/5 6/5" not in plays
    assert eval(repr(plays), {"Position": Position}).ends == plays.ends
