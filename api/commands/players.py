"""`tabularium player`: what is counted of one player."""

from __future__ import annotations

import contextlib
from typing import Annotated

import msgspec
import typer

from api.analysis.results import Results, results_file
from api.commands.common import Db, Json, reading
from api.commands.exploring import played_here
from api.commands.printing import counted, line, safe, say, show
from api.commands.searching import OPERATOR, positions_of
from api.routes.shared.persons import Played
from api.routes.shared.players import counted_of
from api.search.counting import Counted, sums_of_player
from api.shapes.figures import PlayerCounted


def player(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The whole name, as it is spelled.")],
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Count what a player did: record, opponents, cube, time of decisions, analysis.

    Of matches that are over, those that are not public too; one in several files counts once.
    """
    with reading(db) as shelf, positions_of(shelf) as positions:
        shelf.index.catch_up()
        positions.catch_up()
        played = [Played(*one) for one in played_here(shelf, name)]
        sums = sums_of_player(positions, Counted(public_by=None, of=played))
        archive = shelf.archive
        with contextlib.closing(Results(results_file(archive.url))) as results:
            found = counted_of(archive, shelf.index, results, OPERATOR, name, played, sums)
    if as_json:
        line(msgspec.to_builtins(found))
    else:
        _say(found)


def _say(found: PlayerCounted) -> None:
    """The figures, each with from how many matches it is."""
    if not found.matches:
        say("no match of this player is over yet")
        return
    show(f"{safe(found.name)}: {counted(found.matches, 'match', 'matches')} that are over")
    show(f"  matches   {found.won} won, {found.lost} lost, {found.undecided} without a winner")
    for one in found.lengths:
        length = "money" if one.length is None else f"to {one.length}"
        show(f"            {length}: {one.won} won, {one.lost} lost, of {one.matches}")
    games = found.games
    show(
        f"  games     {games.won} won of {games.games}; gammons {games.gammons_won} won,"
        f" {games.gammons_lost} lost"
    )
    cube = found.cube
    when = "" if cube.mean_turn is None else f", the first at turn {cube.mean_turn} in the mean"
    show(f"  cube      {cube.doubles} doubles and {cube.redoubles} redoubles offered{when}")
    show(f"            {cube.taken} of them taken, {cube.dropped} dropped")
    show(f"            {cube.takes} taken of {cube.faced} that opponents offered")
    time = found.time
    if time.mean_ms is None or time.slowest_ms is None:
        show("  time      none is recorded")
    else:
        show(
            f"  time      {time.mean_ms / 1000:.1f} s a decision, the slowest"
            f" {time.slowest_ms / 1000:.1f} s (from {counted(time.decisions, 'decision')} of"
            f" {counted(time.matches, 'match', 'matches')})"
        )
    skill = found.skill
    if skill is None:
        show("  analysis  none of these matches was analysed")
    else:
        pr = "-" if skill.pr is None else f"{skill.pr:.2f}"
        luck = "-" if skill.luck is None else f"{skill.luck:+.3f}"
        show(
            f"  analysis  PR {pr}, luck {luck} (from {counted(skill.matches, 'match', 'matches')},"
            f" {skill.engine} {skill.engine_version}, preset {skill.preset})"
        )
    for other in found.opponents:
        record = f"{other.won} won, {other.lost} lost, of {other.matches}"
        show(f"  against   {safe(other.name)}: {record}")
