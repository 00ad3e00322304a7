"""Whether real turns are told truly, and in how many taps: ours, GNU Backgammon's and XG's.

Every turn of the real match files is tapped through `projections/board/taps.py` by the two scribes
of `tests/web/tap_schemes.py`, who know the best points or go hop by hop, and is stopped after each
tap. A play that is told then must be the one that was played, and nothing else may fit; what fits
is counted here anew, and not taken from what is measured. The corpus is not in the checkout:
`TABULARIUM_SHARED` names the folder that holds it, or it lies beside it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from events.payloads.play import PlayMade
from events.values import CheckerMove, Seat
from projections.board import hops, taps
from projections.board.position import Position
from projections.replay import replay
from tests.api.exchange.recorded import Shelf, events_of
from tests.web import tap_schemes
from tests.web.tap_schemes import Turn


class Scribe(Protocol):
    """Which words somebody taps for a turn."""

    def __call__(self, turn: Turn, *, is_silent: bool) -> tuple[taps.Word, ...]:
        """The words, in order."""


BEST, STEPWISE = "knows the best points", "hop by hop"
HOP_BY_HOP: Scribe = tap_schemes.hop_by_hop
SCRIBES: tuple[tuple[str, Scribe], ...] = (
    (BEST, tap_schemes.words_for),
    (STEPWISE, HOP_BY_HOP),
)
"""Those who tap the real turns."""


def turns(folder: Path, step: int = 1) -> Iterator[Turn]:
    """Turns of every `step`-th match of the corpus: those with a board and a roll."""
    for _, read in Shelf(folder).read[::step]:
        for one in replay(events_of(read)).steps:
            made = one.event.payload
            board = one.before.positions.board
            if not isinstance(made, PlayMade) or board is None:
                continue
            dice = one.before.flow.dice_of(made.seat)
            if dice is None or made.resulting_position is not None or made.hits_not_lifted:
                continue
            seen = board if made.seat is Seat.ONE else Position(board.other, board.own)
            moves = tuple((move.from_point, move.to_point) for move in made.moves)
            yield Turn(seen, dice, moves)


def row(name: str, counts: Sequence[int]) -> str:
    """Mean, median and tail of one scheme."""
    ordered = sorted(counts)
    last = len(ordered) - 1
    mean = sum(ordered) / len(ordered)
    low = [sum(count <= limit for count in ordered) / len(ordered) for limit in (1, 2, 3)]
    at = [ordered[round(last * part)] for part in (0.5, 0.9, 0.99)]
    shares = "  ".join(f"{share:5.1%}" for share in low)
    return f"{name:34} {mean:5.2f}  {at[0]:6}  {at[1]:3}  {at[2]:3}   {shares}"


class Truth(NamedTuple):
    """What was told, over many turns."""

    early: int
    """Prefixes of taps after which another play than the turn's was told."""
    other: int
    """Turns that were recorded as another play."""
    beside: int
    """Turns told by their taps alone while another play fitted these."""
    asked: int
    """Turns with a hop for every die that need *Played* all the same."""


def truth(played: Sequence[Turn], said: Sequence[Sequence[str]], *, is_silent: bool) -> Truth:
    """Tap every turn as it was said, and stop after each tap."""
    early = other = beside = asked = 0
    for turn, words in zip(played, said, strict=True):
        state = taps.begin(turn.position, turn.dice, is_silent=is_silent)
        for word in words:
            state = taps.tap(state, word)
            early += state.moves is not None and not tap_schemes.is_told(state, turn)
            beside += state.moves is not None and not state.is_done and _others(state, turn) > 0
        other += not tap_schemes.is_told(state, turn)
        whole = len(tap_schemes.steps(turn)) == (4 if turn.dice[0] == turn.dice[1] else 2)
        asked += whole and state.is_named
    return Truth(early, other, beside, asked)


def _others(state: taps.Entering, turn: Turn) -> int:
    """Ends of other legal plays that change every tapped point as often as it was tapped."""
    if state.is_free or not state.points:
        return 0
    found = 0
    for play in hops.every_legal(turn.position.own, turn.position.other, turn.dice):
        changed: Counter[int] = Counter()
        for from_point, to_point in play:
            changed[from_point] -= 1
            changed[to_point] += 1
        hit = {to for _, to in play if to and turn.position.other[25 - to] == 1}
        fits = all(
            max(abs(changed[point]), point in hit) >= state.points.count(point)
            for point in state.points
        )
        moves = [CheckerMove(*move) for move in play]
        end = turn.position.moved(moves).position
        found += (
            fits and state.moves is not None and end != turn.position.moved(state.moves).position
        )
    return found


def main() -> None:
    """Print the table."""
    named = os.environ.get("TABULARIUM_SHARED")
    shared = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not (shared / "corpus" / "INDEX.csv").is_file():
        print("the corpus of real match files is not there (TABULARIUM_SHARED)")
        return
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    played = list(turns(shared / "corpus", step))
    print(f"{len(played):,} turns; a play told that was not played / turns recorded as another one")
    print("/ told while another legal play fitted / with a hop for each die asked back")
    words: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for name, is_silent in (("no-assist", True), ("monitor", False)):
        for scribe, words_of in SCRIBES:
            said = [words_of(turn, is_silent=is_silent) for turn in played]
            words[name, scribe] = said
            found = truth(played, said, is_silent=is_silent)
            asked = f"{found.asked / len(played):.2%}" if words_of is HOP_BY_HOP else "-"
            print(f"{name:9} {scribe:22} {found.early} / {found.other} / {found.beside} / {asked}")
            sys.stdout.flush()
    silent, stepwise, monitor = (
        [1 + len(one) for one in words[scheme]]
        for scheme in (("no-assist", BEST), ("no-assist", STEPWISE), ("monitor", BEST))
    )
    choosing = [
        tap_schemes.choosing(turn, said)
        for turn, said in zip(played, words["no-assist", BEST], strict=True)
    ]
    gnubg = [tap_schemes.gnubg(turn) for turn in played]
    extreme = [tap_schemes.extreme(turn) for turn in played]
    print("taps with the dice")
    print(f"{'':34}  mean  median  p90  p99     <= 1   <= 2   <= 3")
    print(row("ours, monitor", monitor))
    print(row("ours, no-assist", silent))
    print(row('ours, no-assist, "which play?"', choosing))
    print(row("ours, no-assist, hop by hop", stepwise))
    print(row("GNU Backgammon, window", gnubg))
    print(row("eXtreme Gammon, transcription", extreme))
    ours = sum(silent)
    print(f"no-assist / monitor {ours / sum(monitor):.0%}, the cost of honesty")
    print(f"no-assist / GNU Backgammon {ours / sum(gnubg):.0%}, ", end="")
    print(f"/ eXtreme Gammon {ours / sum(extreme):.0%}; goal 3.0 taps a turn")


if __name__ == "__main__":
    main()
