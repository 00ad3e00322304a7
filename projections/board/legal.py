"""Judging recorded plays: legal or not, in a few microseconds, and if not, why."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence

import msgspec

from events.values import BAR, OFF, CheckerMove, Dice
from projections.board import hops as _hops
from projections.board.hops import Hop
from projections.board.position import LegalPlays, Moved, Position


class Reason(enum.StrEnum):
    """Why a play is not legal; where several hold, the first in this order is given."""

    NO_CHECKER = "no-checker"
    """A checker is taken from a point where there is none (or from no point at all)."""
    WRONG_DIRECTION = "wrong-direction"
    """A checker goes backwards, stays where it is, or is put on its own bar."""
    HIT_NOT_LIFTED = "hit-not-lifted"
    """A checker was hit and left on the point, beside the one that hit it."""
    MUST_PLAY_MORE = "must-play-more"
    """Every hop is right, but more of the dice could and therefore must have been played."""
    MUST_PLAY_HIGHER = "must-play-higher"
    """Only one die could be played, and not the lower one, since the higher could."""
    BAR_FIRST = "bar-first"
    """Another checker was played while one waited on the bar."""
    BLOCKED = "blocked"
    """A checker landed on two or more opposing ones."""
    NOT_THE_DICE = "not-the-dice"
    """No way of sharing out the dice gives the distances that were played."""
    BEAR_OFF = "bear-off"
    """Borne off with a checker outside home, or with too high a die from below the highest."""
    NO_ROUTE = "no-route"
    """The distances are right, but every way there is blocked, or hits what was not hit."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """Whether a play is legal, and if not, why; true if it is."""

    is_legal: bool
    """Whether the play ends where a legal play ends."""
    reason: Reason | None = None
    """Why not; None for a legal play."""

    def __bool__(self) -> bool:
        return self.is_legal


LEGAL = Verdict(True)
"""The verdict on every legal play."""


def legal_plays(position: Position, dice: tuple[int, int]) -> LegalPlays:
    """Every legal play of `dice` (two faces, 1-6), one for each distinct end position."""
    return LegalPlays(position, dice)


def legal_positions(position: Position, dice: tuple[int, int]) -> frozenset[Position]:
    """The distinct positions in which a legal play ends, not swapped, opposing checkers included.

    If nothing can be played, that is the position itself.
    """
    return frozenset(LegalPlays(position, dice).ends)


def has_legal_play(position: Position, dice: tuple[int, int]) -> bool:
    """Whether any checker can be played; if not, the empty play is the legal one."""
    own, other = position.own, position.other
    first, second = dice
    return _hops.can_hop(own, other, first) or (
        second != first and _hops.can_hop(own, other, second)
    )


def count_playable(position: Position, dice: tuple[int, int]) -> int:
    """How many dice must be played: 0, 1 or 2, of a doublet 0 to 4."""
    found = _hops.every_legal(position.own, position.other, dice)
    return len(found[0]) if found else 0


def is_legal(
    position: Position,
    dice: tuple[int, int],
    moves: Sequence[CheckerMove],
    *,
    hits_not_lifted: Sequence[int] = (),
) -> bool:
    """Whether playing `moves` as written ends where a legal play of `dice` ends.

    Hops may be joined (`13/7` with 6-1) and stand in any order; nothing is hit on a point that
    the moves pass over. Most legal plays are known at a glance (see README.md); only the rest
    are compared with every legal end position.
    """
    return played(position, dice, moves, hits_not_lifted=hits_not_lifted) is not None


def played(
    position: Position,
    dice: tuple[int, int],
    moves: Sequence[CheckerMove],
    *,
    hits_not_lifted: Sequence[int] = (),
) -> Moved | None:
    """What comes of `moves` if they are a legal play of `dice`, else None: `is_legal`, and played.

    Judging and playing read the same counts, and a replay wants both.
    """
    # The hottest lines of replay: nearly all plays of unequal dice are two hops on the board.
    # Everything read here is a fact about the final counts; hops.fits says why that is enough.
    first, second = dice
    if len(moves) == 2 and first != second and not hits_not_lifted:
        one, two = moves
        from_one = one.from_point
        to_one = one.to_point
        from_two = two.from_point
        to_two = two.to_point
        if to_one > 0 and to_two > 0:
            distance = from_one - to_one
            if (
                (distance == first and from_two - to_two == second)
                or (distance == second and from_two - to_two == first)
            ) and from_one <= 25 >= from_two:
                own = position.own
                other = position.other
                met_one = other[25 - to_one]
                met_two = other[25 - to_two]
                if (
                    met_one < 2
                    and met_two < 2
                    and (
                        (own[from_one] > 0 or (from_one == to_two))
                        and (own[from_two] > 0 or from_two == to_one)
                        if from_one != from_two
                        else own[from_one] > 1
                    )
                    and own[25] <= (from_one == 25) + (from_two == 25)
                ):
                    final = list(own)
                    final[from_one] -= 1
                    final[to_one] += 1
                    final[from_two] -= 1
                    final[to_two] += 1
                    if met_one + met_two == 0:
                        return Moved(Position(tuple(final), other))
                    hits = [to_one] if met_one else []
                    if met_two and to_two != to_one:
                        hits.append(to_two)
                    return Moved(Position(tuple(final), _lifted(other, hits)), tuple(hits))
    if not hits_not_lifted:
        if first == second and moves:
            plain = _plain_doublet(position, first, moves)
            if plain is not None:
                return plain
        elif _is_plainly_legal(position, dice, moves):
            return position.moved(moves)
    moved = position.moved(moves, hits_not_lifted)
    end = moved.position
    return moved if end is not None and end in LegalPlays(position, dice).ends else None


def judge(
    position: Position,
    dice: tuple[int, int],
    moves: Sequence[CheckerMove],
    *,
    hits_not_lifted: Sequence[int] = (),
) -> Verdict:
    """The verdict of `is_legal`, with the reason where it is against the play."""
    if is_legal(position, dice, moves, hits_not_lifted=hits_not_lifted):
        return LEGAL
    return Verdict(False, _reason(position, dice, moves, hits_not_lifted))


def single_hops(
    position: Position, dice: tuple[int, int], moves: Sequence[CheckerMove]
) -> tuple[CheckerMove, ...] | None:
    """The same play with one checker move for each die, as .mat wants it; None if impossible.

    Moves that already are single hops come back as written; joined ones are split, highest
    source first, over points that give the same end position. None: the play is not legal.
    """
    if len(moves) == count_playable(position, dice) and is_legal(position, dice, moves):
        spans = sorted(m.from_point - m.to_point for m in moves if m.to_point)
        faces = sorted(dice * 2 if dice[0] == dice[1] else dice)
        if all(span in faces for span in spans):
            return tuple(moves)
    end = position.moved(moves).position
    play = LegalPlays(position, dice).ends.get(end) if end is not None else None
    return play.moves if play is not None else None


def single_steps(
    before: Position, faces: Dice, moves: Sequence[CheckerMove]
) -> tuple[CheckerMove, ...]:
    """A legal play with one checker move for each die, as written where it is so already.

    `before` is the board from the mover's side. A legal play whose moves use up every die is one
    hop a die: fewer dice give fewer pips, so no legal play need be listed to know that.
    """
    dice = faces * 2 if faces[0] == faces[1] else faces
    if len(moves) == len(dice) and all(move.to_point != OFF for move in moves):
        spans = sorted(move.from_point - move.to_point for move in moves)
        if spans == sorted(dice):
            return tuple(moves)
    steps = single_hops(before, faces, moves)
    assert steps is not None  # a legal play has steps
    return steps


def _is_plainly_legal(
    position: Position, dice: tuple[int, int], moves: Sequence[CheckerMove]
) -> bool:
    """Whether the moves are seen to be legal without listing the legal plays.

    True is certain; False only says that the end positions must be compared.
    """
    own = position.own
    other = position.other
    first, second = dice
    if not moves:
        return not has_legal_play(position, dice)
    if len(moves) == 1:
        return _is_plain_single(own, other, dice, moves[0])
    if len(moves) != 2:
        return False
    (one, two) = ((m.from_point, m.to_point) for m in moves)
    if not _on_board((one, two)):
        return False
    final = list(own)
    final[one[0]] -= 1
    final[one[1]] += 1
    final[two[0]] -= 1
    final[two[1]] += 1
    return _hops.fits(final, other, (first, second), (one, two)) or _hops.fits(
        final, other, (second, first), (one, two)
    )


def _lifted(other: tuple[int, ...], hits: Sequence[int]) -> tuple[int, ...]:
    """The opponent's counts with a checker on each of `hits` (mover's side) put on the bar."""
    counts = list(other)
    for point in hits:
        counts[25 - point] = 0
    counts[BAR] += len(hits)
    return tuple(counts)


def _plain_doublet(position: Position, die: int, moves: Sequence[CheckerMove]) -> Moved | None:
    """What comes of a doublet played in whole hops, joined ones over empty points, and in full."""
    own = position.own
    other = position.other
    final = list(own)
    hits: list[int] = []
    left = 4
    lowest_off = 6
    for checker_move in moves:
        from_point = checker_move.from_point
        to_point = checker_move.to_point
        if to_point > 0:
            met = other[25 - to_point]
            if met > 1 or not to_point < from_point <= 25:
                return None
            if met and to_point not in hits:
                hits.append(to_point)
            left -= 1
            if from_point - to_point != die:
                # A joined hop passes over points; a blot there would have to be hit.
                over = from_point - die
                while over > to_point:
                    if other[25 - over]:
                        return None
                    left -= 1
                    over -= die
                if over != to_point:
                    return None
        elif 0 < from_point <= die and to_point == 0:
            left -= 1
            if from_point < lowest_off:
                lowest_off = from_point
        else:
            return None
        final[from_point] -= 1
        final[to_point] += 1
    if left < 0 or min(final) < 0:
        return None
    if final[25]:
        for checker_move in moves:
            if checker_move.from_point != 25:
                return None
        # Joined hops from the bar go on before the rest has entered.
        if left + len(moves) != 4:
            return None
    if final[0] > own[0]:
        top = 25
        while top and not final[top]:
            top -= 1
        if top > 6 or (lowest_off < die and top > lowest_off):
            return None
    # All maximal plays of a doublet are equally long (README.md), so stuck is enough.
    if left and _hops.can_hop(final, other, die):
        return None
    if not hits:
        return Moved(Position(tuple(final), other))
    return Moved(Position(tuple(final), _lifted(other, hits)), tuple(hits))


def _is_plain_single(
    own: tuple[int, ...], other: tuple[int, ...], dice: tuple[int, int], checker_move: CheckerMove
) -> bool:
    """Whether one checker move of unequal dice is both dice joined, or the one die that goes."""
    hop = from_point, to_point = checker_move.from_point, checker_move.to_point
    if not _on_board((hop,)):
        return False
    final = list(own)
    final[from_point] -= 1
    final[to_point] += 1
    high, low = dice if dice[0] > dice[1] else (dice[1], dice[0])
    for die, rest in ((high, low), (low, high)):
        # Both dice: the point between must be empty of opposing checkers, or it would be hit.
        between = from_point - die
        if (
            between > to_point
            and not other[25 - between]
            and final[from_point] >= 0
            and _hops.fits(final, other, (rest,), ((between, to_point),))
        ):
            return True
    if _hops.fits(final, other, (high,), (hop,)):
        return not _hops.can_play_both(own, other, high, low)
    if _hops.fits(final, other, (low,), (hop,)):
        return not _hops.can_hop(own, other, high) and not _hops.can_play_both(
            own, other, high, low
        )
    return False


def _on_board(hops: Sequence[Hop]) -> bool:
    """Whether all points are on the board or off it, as far as there are counts for them."""
    return all(0 < from_point <= BAR and OFF <= to_point < BAR for from_point, to_point in hops)


def _reason(
    position: Position,
    dice: tuple[int, int],
    moves: Sequence[CheckerMove],
    hits_not_lifted: Sequence[int],
) -> Reason:
    """Why a play known to be illegal is so."""
    own, other = position.own, position.other
    moved = position.moved(moves, hits_not_lifted)
    if moved.position is None:
        return Reason.NO_CHECKER
    if any(m.to_point >= m.from_point for m in moves):
        return Reason.WRONG_DIRECTION
    if any(m.to_point in hits_not_lifted and other[25 - m.to_point] == 1 for m in moves):
        return Reason.HIT_NOT_LIFTED
    for partial in _hops.every_partial(own, other, dice):
        hops = tuple(CheckerMove(from_point, to_point) for from_point, to_point in partial)
        if position.moved(hops).position == moved.position:
            if len(partial) < count_playable(position, dice):
                return Reason.MUST_PLAY_MORE
            return Reason.MUST_PLAY_HIGHER
    final = moved.position.own
    if own[BAR] and final[BAR] and any(m.from_point != BAR for m in moves):
        return Reason.BAR_FIRST
    if moved.blocked:
        return Reason.BLOCKED
    faces = dice * 2 if dice[0] == dice[1] else dice
    if not any(_shared_out(moves, faces)):
        return Reason.NOT_THE_DICE
    if final[OFF] > own[OFF]:
        top = max((point for point in range(1, 26) if final[point]), default=0)
        if top > 6 or not any(_shared_out(moves, faces, top=top)):
            return Reason.BEAR_OFF
    return Reason.NO_ROUTE


def _shared_out(
    moves: Sequence[CheckerMove], faces: tuple[int, ...], top: int = 0
) -> Iterator[bool]:
    """True once for each way of giving every move dice that fit, each die used at most once.

    A checker borne off may use a higher sum than its distance if it comes from `top` or above
    (the highest point still held afterwards), joined hops whatever the points between.
    """
    if not moves:
        yield True
        return
    checker_move, rest = moves[0], moves[1:]
    distance = checker_move.from_point - checker_move.to_point
    for chosen in range(1, 1 << len(faces)):
        used = [face for k, face in enumerate(faces) if chosen >> k & 1]
        over = sum(used) - distance
        # The last of the dice must still be needed, else a checker already off is played.
        is_off = checker_move.to_point == OFF and checker_move.from_point >= top
        if over == 0 or (is_off and 0 < over < max(used)):
            left = tuple(face for k, face in enumerate(faces) if not chosen >> k & 1)
            yield from _shared_out(rest, left, top)
