"""What GNU Backgammon runs for us inside its own process: boards in, equities out.

Nothing here is imported by this program: GNU Backgammon's own interpreter runs it, in another
process, and what goes between the two are numbers. Questions come in the file
`asked` of the folder that it runs in, one JSON object a line; answers go to stdout behind `@@`.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

Asked = dict[str, Any]

KEPT = 8
"""Ends of plays that are looked at more deeply, the best first."""
WITHIN = 0.16
"""Ends that are further behind the best one are not looked at more deeply."""


def equity(
    gnubg: Any, own: list[int], other: list[int], cube: Any, plies: int
) -> tuple[float, float, float, float]:
    """Cubeful equity of who is on roll, with the choice to double: (best, nd, dt, dp)."""
    found = gnubg.cfevaluate(
        (tuple(other), tuple(own)), cube, gnubg.evalcontext(1, plies, 1, 1, 0.0)
    )
    best, nd, dt, dp, *_ = found
    return best, nd, dt, dp


def cube_of(gnubg: Any, asked: Asked, *, is_swapped: bool) -> Any:
    """The cube and score as GNU Backgammon has them, for who is on roll."""
    owner = asked["owner"]
    score = asked["score"]  # of the other player, then of the one who chooses
    if is_swapped:
        owner = owner if owner < 0 else 1 - owner
        score = score[::-1]
    return gnubg.cubeinfo(
        asked["cube"], owner, 1, asked["length"], tuple(score), int(asked["crawford"]), 0
    )


def answer(gnubg: Any, asked: Asked) -> Asked:
    """What is said to one question."""
    plies, cube = asked["plies"], cube_of(gnubg, asked, is_swapped=False)
    made: Asked = {}
    if asked["length"]:
        made["slope"] = (gnubg.eq2mwc(1.0, cube) - gnubg.eq2mwc(-1.0, cube)) / 2
    if asked["asks_cube"]:
        made["cube"] = equity(gnubg, asked["own"], asked["other"], cube, plies)[1:]
    ends = asked.get("ends")
    if ends:
        theirs = cube_of(gnubg, asked, is_swapped=True)
        seen = [-equity(gnubg, other, own, theirs, 0)[0] for own, other in ends]
        best = max(seen)
        order = sorted(range(len(ends)), key=lambda k: -seen[k])
        deeper = [k for k in order[:KEPT] if best - seen[k] <= WITHIN]
        if asked["played"] not in deeper and asked["played"] >= 0:
            deeper.append(asked["played"])
        if plies:
            for k in deeper:
                own, other = ends[k]
                seen[k] = -equity(gnubg, other, own, theirs, plies)[0]
        made["ends"] = {str(k): seen[k] for k in deeper}
        made["spread"] = best - min(seen[k] for k in order[:10])
    return made


def main() -> None:
    """Answer every question."""
    gnubg: Any = importlib.import_module("gnubg")
    with open("asked") as file:
        for line in file:
            asked = json.loads(line)
            gnubg.command("set jacoby " + ("on" if asked["jacoby"] else "off"))
            # A beaver and a raccoon; the evaluation tells none from any.
            gnubg.command("set beavers " + ("2" if asked["beavers"] else "0"))
            print("@@" + json.dumps(answer(gnubg, asked)), flush=True)


if __name__ == "__main__":
    main()
