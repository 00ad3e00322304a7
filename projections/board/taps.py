"""Which plays fit what a scribe tapped, and when that tells one of them (tablet §2, §3).

A tap names a point from the mover's side: a checker left it, came to it, or was hit there. Taps
can be read in two ways, and both readings are kept as long as they are possible. *By what changed*:
every play fits that changes each tapped point at least as often as it was tapped. *Hop by hop*: the
first of two taps picks a checker up and the second puts it down, with whatever die that takes.
Where players see the screen, legality plays no part: everything the dice can do with the mover's
checkers counts, even if the point is blocked, the bar not empty or bearing off too early, so that
neither what is sealed nor what is asked reveals whether a play is legal. Where they do not see it,
only legal plays count.

A play is known when all that fits ends in one position, hits included. Hop by hop, the scribe may
still be in the middle of it, so a checker has to be moved for every die first; a scribe who stops
earlier says `played`, and means the hops that are drawn. Nothing is ever completed because it is
likely. The tablet's `board/taps.js` does the same, and golden vectors compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from events.values import BAR, OFF, CheckerMove
from projections.board import hops as _hops
from projections.board.hops import Hop, Hops
from projections.board.position import Position

Word: TypeAlias = str
"""What was tapped: `1` to `24`, `bar`, `off`, or one of the three below."""

TWICE = "x2"
"""Every checker tapped so far moved, and another one with it."""

PLAYED = "played"
"""The play is complete: what is drawn, or, if nothing is, what follows from the dice alone."""

AS_PLAYED = "free"
"""From here on checkers are moved freely, legal or not."""

_Key: TypeAlias = tuple[int, int]
"""What a play changes: the net of each point in one integer, and the points where it hits."""


class Choice(msgspec.Struct, frozen=True, gc=False):
    """A play as taps see it."""

    moves: Hops
    """Hops, highest source first; hop by hop, as they were tapped."""
    changes: tuple[int, ...]
    """How many taps each point can take: what left or came, or one for a hit in passing."""
    key: _Key
    """The same for every play with this end and these hits."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """Taps read hop by hop."""

    moves: Hops
    """From where to where."""
    picked: int | None = None
    """The point where a checker was picked up, and not put down yet."""


class Entering(msgspec.Struct, frozen=True):
    """A play that is being entered."""

    position: Position
    """The board before it, from the mover's side."""
    dice: tuple[int, int] | None
    """The roll; None = not known, which makes the placing free."""
    is_silent: bool
    """Whether players see the screen; then legality plays no part."""
    plays: tuple[Choice, ...] = ()
    """All that can be meant with both dice: all that they can do, or what is legal."""
    words: tuple[Word, ...] = ()
    """What was tapped, in order."""
    points: tuple[int, ...] = ()
    """The points of it, doubled where `x2` said so."""
    reading: Reading | None = Reading(())
    """The taps hop by hop; None where they cannot be read so."""
    is_free: bool = False
    """Whether nothing counts but that reading."""
    choice: Choice | None = None
    """The play, once it is known; None before."""
    is_done: bool = False
    """Whether the scribe said `played`, and the play is known."""
    is_named: bool = False
    """Whether only `played` decided between several plays."""

    @property
    def moves(self) -> tuple[CheckerMove, ...] | None:
        """The play to record; None until it is known."""
        return None if self.choice is None else tuple(CheckerMove(*m) for m in self.choice.moves)

    @property
    def fits(self) -> tuple[Choice, ...]:
        """All that fits the taps, one for each end, in the order of the board; () before them.

        Read hop by hop, what the rest of the dice may still do fits as well, and to stop there.
        """
        return _fits(self) if self.points else ()


def begin(position: Position, dice: tuple[int, int] | None, *, is_silent: bool = True) -> Entering:
    """Before the first tap; unless silent, a play that needs no taps is known already."""
    if dice is None:
        return Entering(position, dice, is_silent, is_free=True)
    plays = tuple(_with_dice(position, dice) if is_silent else _legal(position, dice))
    state = Entering(position, dice, is_silent, plays)
    if len(plays) == 1 and not is_silent:
        return msgspec.structs.replace(state, choice=plays[0])
    return state


def tap(state: Entering, word: Word) -> Entering:
    """The state after one more tap; `played` changes nothing where it names nothing.

    Raises:
        ValueError: the word is none.
    """
    if state.is_done:
        return state
    if word == PLAYED:
        return _all(state)
    words = (*state.words, word)
    if word == AS_PLAYED:
        state = msgspec.structs.replace(state, is_free=True)
        points = state.points
    elif word == TWICE:
        points = tuple(point for point in state.points for _ in range(2))
    else:
        points = (*state.points, point_of(word))
    state = msgspec.structs.replace(state, words=words, points=points)
    state = msgspec.structs.replace(state, reading=_read(state))
    return msgspec.structs.replace(state, choice=_told(state))


def taps(state: Entering, words: Sequence[Word]) -> Entering:
    """The state after several taps."""
    for word in words:
        state = tap(state, word)
    return state


def point_of(word: Word) -> int:
    """The point that a word names: 25 for the bar, 0 for the tray.

    Raises:
        ValueError: it names none.
    """
    if word in ("bar", "off"):
        return BAR if word == "bar" else OFF
    if word.isascii() and word.isdigit() and word[0] != "0" and 1 <= int(word) < BAR:
        return int(word)
    raise ValueError(f"{word!r} is no point, nor one of x2, played, free")


def word_of(point: int) -> Word:
    """How a point is called in `words`."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


# -- what the taps tell --------------------------------------------------------------------------


def _told(state: Entering) -> Choice | None:
    """The one play that fits; None while several do, or the scribe may be in the middle of one."""
    if not state.points or state.is_free:
        return None
    if state.is_silent and state.reading is not None and not _is_whole(state, state.reading):
        return None
    fits = _fits(state)
    return fits[0] if len(fits) == 1 else None


def _is_whole(state: Entering, reading: Reading) -> bool:
    """Whether the hops need no further one: one for each die, or an end of all dice."""
    if reading.picked is not None:
        return False
    if len(reading.moves) >= _count(state.dice):
        return True
    key = _choice(state.position, reading.moves).key
    return any(play.key == key for play in state.plays)


def _all(state: Entering) -> Entering:
    """The scribe says that this is all: what is drawn is meant, or what follows from the dice."""
    choice = state.choice
    if choice is None and not state.points:
        choice = _forced(state) or _choice(state.position, ())
    elif choice is None:
        choice = _drawn(state)
    if choice is None:
        return state
    words = (*state.words, PLAYED)
    return msgspec.structs.replace(
        state, words=words, choice=choice, is_done=True, is_named=state.choice is None
    )


def _forced(state: Entering) -> Choice | None:
    """The one play that the rules leave, where checkers are not placed freely."""
    if state.is_free or state.dice is None:
        return None
    legal = list(_legal(state.position, state.dice))
    return legal[0] if len(legal) == 1 else None


def _drawn(state: Entering) -> Choice | None:
    """The hops that are drawn as tapped; None where there are none, or a checker is picked up."""
    reading = state.reading
    if reading is None or reading.picked is not None:
        return None
    literal = _choice(state.position, reading.moves)
    for play in () if state.is_free else state.plays:
        # One hop over several dice is told in its steps.
        if play.key == literal.key and len(play.moves) != len(literal.moves):
            return play
    return literal


def _fits(state: Entering) -> tuple[Choice, ...]:
    counts = [0] * 26
    for point in state.points:
        counts[point] += 1
    found: dict[_Key, Choice] = {}
    drawn = _drawn(state)
    if drawn is not None:
        found[drawn.key] = drawn
    if not state.is_free:
        tapped = [(point, count) for point, count in enumerate(counts) if count]
        for play in state.plays:
            if all(play.changes[point] >= count for point, count in tapped):
                found.setdefault(play.key, play)
        for play in _going_on(state):
            found.setdefault(play.key, play)
    return tuple(sorted(found.values(), key=_in_order))


def _in_order(play: Choice) -> list[Hop]:
    """Highest source first, then highest end."""
    return sorted((-from_point, -to_point) for from_point, to_point in play.moves)


def _going_on(state: Entering) -> Iterator[Choice]:
    """Hop by hop: what the rest of the dice may still do, and where it may stop."""
    reading, position, dice = state.reading, state.position, state.dice
    if reading is None or dice is None or len(reading.moves) >= _count(dice):
        return
    known = {play.key: play for play in state.plays}
    for left in _left(dice, reading.moves):
        own = list(position.own)
        for from_point, to_point in reading.moves:
            own[from_point] -= 1
            own[to_point] += 1
        for more in _further(own, left):
            if reading.picked is not None and all(one != reading.picked for one, _ in more):
                continue
            play = _choice(position, (*reading.moves, *more))
            if play.key in known:
                yield known[play.key]
            elif state.is_silent:
                yield play


def _left(dice: tuple[int, int], moves: Hops) -> list[tuple[int, ...]]:
    """The dice that are left after these hops, one die each; [] where the dice are not so."""
    rest = {tuple(sorted(dice)) if dice[0] != dice[1] else (dice[0],) * 4}
    for from_point, to_point in moves:
        rest = {
            left[:place] + left[place + 1 :]
            for left in rest
            for place, die in enumerate(left)
            if max(OFF, from_point - die) == to_point
        }
    return sorted(rest)


def _further(own: list[int], left: tuple[int, ...]) -> Iterator[Hops]:
    """Every number of further hops with these dice; of equal ones, from the top down."""
    yield ()
    if len(set(left)) == 1:
        yield from _of_one(own, left[0], len(left), BAR)
        return
    for place, die in enumerate(left):
        for hop in _hops_of(own, die):
            own[hop[0]] -= 1
            own[hop[1]] += 1
            for more in _further(own, left[:place] + left[place + 1 :]):
                yield (hop, *more)
            own[hop[0]] += 1
            own[hop[1]] -= 1


def _of_one(own: list[int], die: int, most: int, top: int) -> Iterator[Hops]:
    """One to `most` hops of one die, highest source first."""
    for hop in _hops_of(own, die, top):
        yield (hop,)
        if most > 1:
            own[hop[0]] -= 1
            own[hop[1]] += 1
            for more in _of_one(own, die, most - 1, hop[0]):
                yield (hop, *more)
            own[hop[0]] += 1
            own[hop[1]] -= 1


# -- plays ---------------------------------------------------------------------------------------


def _legal(position: Position, dice: tuple[int, int]) -> Iterator[Choice]:
    for moves in _hops.every_legal(position.own, position.other, dice) or [()]:
        yield _choice(position, moves)


def _with_dice(position: Position, dice: tuple[int, int]) -> Iterator[Choice]:
    """One play for each end that all dice reach, whatever is blocked; as a legal one if one is."""
    own, whole_count = list(position.own), min(_count(dice), sum(position.own[1:]))
    found: dict[_Key, Choice] = {}
    for moves in _hops.every_legal(position.own, position.other, dice):
        found.setdefault((play := _choice(position, moves)).key, play)
    whole: set[_Key] = set()
    for moves in _further(own, dice if dice[0] != dice[1] else (dice[0],) * 4):
        if len(moves) < whole_count:
            continue
        if dice[0] != dice[1] and len(moves) == 2 and moves[0][0] < moves[1][0]:
            moves = moves[::-1]  # highest source first
        play = _choice(position, moves)
        whole.add(play.key)
        found.setdefault(play.key, play)
    yield from (play for key, play in found.items() if key in whole)


def _hops_of(own: Sequence[int], die: int, top: int = BAR) -> list[Hop]:
    """Every hop of one die from a point where a checker stands, highest source first."""
    return [(one, max(OFF, one - die)) for one in range(top, 0, -1) if own[one]]


def _count(dice: tuple[int, int] | None) -> int:
    return 4 if dice is not None and dice[0] == dice[1] else 2


def _choice(position: Position, moves: Hops) -> Choice:
    changes, net, hits = [0] * 26, 0, 0
    for from_point, to_point in moves:
        changes[from_point] -= 1
        changes[to_point] += 1
        net += (1 << 5 * to_point) - (1 << 5 * from_point)
        if to_point not in (OFF, BAR) and position.other[BAR - to_point] == 1:
            hits |= 1 << to_point
    told = tuple(
        abs(change) if change else hits >> point & 1 for point, change in enumerate(changes)
    )
    return Choice(moves, told, (net, hits))


# -- hop by hop ----------------------------------------------------------------------------------


def _read(state: Entering) -> Reading | None:
    """Pick up, put down, in turn; None where that cannot be what was tapped.

    Unless placing is free a checker stands where one is picked up, and goes forward. Placed
    freely, it may go anywhere; put down where it was picked up, it has not moved.
    """
    own = list(state.position.own)
    moves: list[Hop] = []
    picked: int | None = None
    for word in state.words:
        if word == AS_PLAYED:
            continue
        if word == TWICE:
            if picked is not None and not state.is_free:
                return None
            again = [] if picked is not None else list(moves)
        elif picked is None:
            point = point_of(word)
            if point != OFF and own[point] > 0:
                picked = point
            elif not state.is_free:
                return None
            continue
        else:
            again = [(picked, point_of(word))]
            picked = None
        for from_point, to_point in again:
            if not state.is_free and (to_point >= from_point or own[from_point] < 1):
                return None
            if to_point not in (from_point, BAR):
                own[from_point] -= 1
                own[to_point] += 1
                moves.append((from_point, to_point))
    return Reading(tuple(moves), picked)
