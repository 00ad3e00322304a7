"""Taps a turn, on real turns: our scheme, GNU Backgammon's window, eXtreme Gammon's transcription.

Every turn of the real match files is tapped through `projections/board/taps.py` by the scribe that
`tests/web/tap_schemes.py` describes, and counted by the schemes of the two programs. The corpus is
not in the checkout: `TABULARIUM_SHARED` names the folder that holds it, or it lies beside it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from events.payloads.play import PlayMade
from events.values import Seat
from projections.board.position import Position
from projections.replay import replay
from tests.api.exchange.recorded import Shelf, events_of
from tests.web import tap_schemes
from tests.web.tap_schemes import Turn


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


def main() -> None:
    """Print the table."""
    named = os.environ.get("TABULARIUM_SHARED")
    shared = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not (shared / "corpus" / "INDEX.csv").is_file():
        print("the corpus of real match files is not there (TABULARIUM_SHARED)")
        return
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    played = list(turns(shared / "corpus", step))
    monitor = [tap_schemes.ours(turn, is_silent=False) for turn in played]
    silent = [tap_schemes.ours(turn, is_silent=True) for turn in played]
    gnubg = [tap_schemes.gnubg(turn) for turn in played]
    extreme = [tap_schemes.extreme(turn) for turn in played]
    print(f"{len(played):,} turns; taps with the dice")
    print(f"{'':34}  mean  median  p90  p99     <= 1   <= 2   <= 3")
    print(row("ours, monitor", monitor))
    print(row("ours, no-assist", silent))
    print(row("GNU Backgammon, window", gnubg))
    print(row("eXtreme Gammon, transcription", extreme))
    ours = sum(silent)
    print(f"no-assist / GNU Backgammon {ours / sum(gnubg):.0%} (goal 60 %), ", end="")
    print(f"/ eXtreme Gammon {ours / sum(extreme):.0%} (goal 75 %)")


if __name__ == "__main__":
    main()
