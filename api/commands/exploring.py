"""`tabularium explore`: plays of opening rolls and second rolls, and their results."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from api.archive.index.spelled import is_called
from api.archive.joined import SamePlayers
from api.commands.common import Db, Json, OfLog, Shelf, reading
from api.commands.printing import REFUSED, counted, fail, line, say, show
from api.commands.searching import OPERATOR, positions_of
from api.refusals import Problem
from api.routes.shared.figures import Explored, explored, told
from api.routes.shared.summaries import summaries
from api.search.counting import Counted, replies
from api.search.positions import PositionIndex
from api.shapes.figures import OpeningsCounted, ReplyCounted

_AT_ONCE = 1_000
"""Matches whose names are opened together."""


def explore(
    first: Annotated[
        str, typer.Argument(metavar="ROLL", help="The opening roll, such as 31. (default: all)")
    ] = "",
    play: Annotated[
        str,
        typer.Argument(
            metavar="PLAY", help="The play of it, such as '8/5 6/5'; then second rolls are counted."
        ),
    ] = "",
    second: Annotated[str, typer.Argument(metavar="ROLL", help="The second roll.")] = "",
    player: Annotated[
        str, typer.Option("--player", metavar="NAME", help="Only plays of this player.")
    ] = "",
    rules: Annotated[
        str, typer.Option("--rules", metavar="ID", help="Rule set of the match.")
    ] = "",
    length: Annotated[
        str, typer.Option("--length", metavar="POINTS", help="Length of the match, or money.")
    ] = "",
    log: OfLog = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Count replies to opening rolls and second rolls, with results, in matches that are over.

    A match that was imported from several files is counted once.
    """
    with reading(db) as shelf, positions_of(shelf) as positions:
        if log is not None:
            shelf.archive.store.log_head(log)
        shelf.index.catch_up()
        positions.catch_up()
        try:
            asked = explored(
                first=first,
                second="" if play.strip() else second,
                log=log or "",
                player=player,
                rule_set=rules,
                length=length,
            )
            of = None if asked.player is None else played_here(shelf, asked.player)[1]
            found = _counted(positions, asked, of)
            if play.strip():
                [reply] = _named(found, play)
                asked = explored(
                    first=first, after=reply.position_id, second=second,
                    log=log or "", player=player, rule_set=rules, length=length,
                )  # fmt: skip
                found = _counted(positions, asked, of)
        except Problem as problem:
            fail(problem.detail)
    if as_json:
        line(msgspec.to_builtins(found))
        return
    for roll in found.rolls:
        show(f"{''.join(map(str, roll.dice))}  {counted(roll.games, 'game')}")
        for reply in roll.replies:
            show(f"  {_line(reply)}")
    if not found.rolls:
        say("nothing was played there in a match that is over")
    say(f"from {counted(found.matches, 'match', 'matches')}")


def played_here(shelf: Shelf, name: str) -> tuple[str, list[tuple[str, str, int]]]:
    """The name that is meant, and (log, match, seat) of all matches of the player, those that are
    not public too.

    In another case or without accents, where one alone is called so.
    """
    wanted = {*SamePlayers(shelf.archive.reading).of(name)}
    found: list[tuple[str, str, int]] = []
    near: set[str] = set()
    for head in shelf.archive.store.logs():
        after = None
        while rows := shelf.index.matches(head.log_id, after=after, limit=_AT_ONCE):
            for one in summaries(shelf.archive, OPERATOR, rows):
                for seat, names in enumerate((one.players.one, one.players.two), 1):
                    near.update(other for other in names if is_called(other, name))
                    if wanted & {*names}:
                        found.append((one.log_id, one.match_id, seat))
            after = (head.log_id, rows[-1].opened_at)
    if not found and len(near) == 1:
        return played_here(shelf, near.pop())
    if near and not found:
        fail(f"several are called so: {', '.join(map(repr, sorted(near)))}")
    if not found:
        fail(f"no match has a player called {name!r}: the whole name is needed")
    return name, found


def _counted(
    positions: PositionIndex, asked: Explored, of: list[tuple[str, str, int]] | None
) -> OpeningsCounted:
    wanted = Counted(
        public_by=None, log_id=asked.log, rule_set=asked.rule_set, length=asked.length, of=of
    )
    found = replies(
        positions, wanted, first=asked.first, after=asked.after, second=asked.second
    )  # fmt: skip
    return told(asked, found)


def _named(found: OpeningsCounted, play: str) -> list[ReplyCounted]:
    """The one reply with this notation or Position ID; the command ends if there is none."""
    wanted = sorted(play.split())
    every = [one for roll in found.rolls for one in roll.replies]
    named = [
        one for one in every if sorted(one.play.split()) == wanted or one.position_id == play
    ][:1]  # fmt: skip
    if not named:
        known = ", ".join(f"'{one.play}'" for one in every[:8]) or "none"
        fail(f"nobody played {play!r} with it; what was played: {known}", REFUSED)
    return named


def _line(one: ReplyCounted) -> str:
    if not one.over:
        return f"{one.play or 'no play':<18} {one.games:>6}"
    shares = [f"{100 * part / one.over:.0f}%" for part in (one.won, one.gammons_won)]
    lost = f"{100 * one.gammons_lost / one.over:.0f}%"
    return (
        f"{one.play or 'no play':<18} {one.games:>6}  won {shares[0]:>4}"
        f"  gammons {shares[1]:>4} / {lost:>4}  points {one.points / one.over:+.2f}"
        f"  with cube {one.points_with_cube / one.over:+.2f}"
    )
