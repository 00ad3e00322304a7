"""`tabularium player`, `join` and `split`: figures of a player, and the player's names."""

from __future__ import annotations

import contextlib
from typing import Annotated

import msgspec
import typer

from api.analysis.results import Results, results_file
from api.archive.joined import SamePlayers
from api.commands.access import sent
from api.commands.common import Db, Json, lock_holder, reading, settings_of, writing
from api.commands.exploring import played_here
from api.commands.printing import REFUSED, counted, fail, line, safe, say, show
from api.commands.searching import OPERATOR, positions_of
from api.routes.shared.persons import Played
from api.routes.shared.players import counted_of, rows_of
from api.search.counting import Counted, sums_of_player
from api.shapes.figures import PlayerCounted
from api.shapes.shape import JsonObject
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM
from events.payloads.tournament import Called, PlayerJoined, PlayerSplit
from events.personal import SALT_BYTES, disclose


def player(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The whole name.")],
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Show a player's figures: record, opponents, cube, time of decisions, analysis.

    Counts matches that are over, private ones included; a match in several files counts once.
    """
    with reading(db) as shelf, positions_of(shelf) as positions:
        shelf.index.catch_up()
        positions.catch_up()
        name, found_here = played_here(shelf, name)
        played = [Played(*one) for one in found_here]
        sums = sums_of_player(positions, Counted(public_by=None, of=played))
        archive = shelf.archive
        with contextlib.closing(Results(results_file(archive.url))) as results:
            same = SamePlayers(archive.reading)
            found = counted_of(
                archive,
                rows_of(shelf.index, played, sums),
                results,
                OPERATOR,
                same.of(name),
                played,
                sums,
                same.groups(),
            )
    if as_json:
        line(msgspec.to_builtins(found))
    else:
        _say(found)


def join(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Two or more whole names, as they are spelled; the player is listed by the first"
            " one. (default: list the joined names)",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Record that names belong to one player; without names, list the joined ones.

    This is an entry in the log `archive`, with the names as commitments. Matches do not change;
    pages and figures show one player.
    """
    settings = settings_of(db)
    if not names:
        with reading(settings.db) as shelf:
            for one in SamePlayers(shelf.archive.reading).joins():
                if as_json:
                    line({"join": one.entry_id, "names": list(one.names)})
                else:
                    show(f"{one.entry_id}  {safe(' = '.join(one.names))}")
        return
    said = list(dict.fromkeys(" ".join(name.split()) for name in names))
    if len(said) < 2 or not all(said):
        fail("two names or more are joined: `tabularium join 'Ann Berg' 'A. Berg'`")
    if lock_holder(settings.db) is not None:
        body: JsonObject = {"names": [{"name": name} for name in said]}
        entry_id = sent(settings, ARCHIVE_LOG, "player.joined", body)
    else:
        with writing(settings) as shelf:
            archive = shelf.archive
            made = [
                disclose(archive.entropy(SALT_BYTES), f"names.{place}.name", name)
                for place, name in enumerate(said)
            ]
            draft = archive.draft(
                PlayerJoined(names=tuple(Called(name=sd) for sd, _ in made)),
                recorded_by="operator",
                disclosures=tuple(raw for _, raw in made),
            )
            archive.append(ARCHIVE_LOG, TOURNAMENT_STREAM, [draft])
            entry_id = draft.entry_id
    if as_json:
        line({"join": entry_id, "names": said})
    else:
        show(f"{safe(' = '.join(said))} ({entry_id}); `tabularium split` takes it back")


def split(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="One of the names, or the id of the entry that joined them."
        ),
    ],
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Undo `join` for a name: every entry that joined it to others."""
    settings = settings_of(db)
    with reading(settings.db) as shelf:
        joins = SamePlayers(shelf.archive.reading).joins()
    found = [one for one in joins if name in one.names or one.entry_id == name]
    if not found:
        fail(f"nothing joins {safe(name)!r} to another name: see `tabularium join`", REFUSED)
    for one in found:
        if lock_holder(settings.db) is not None:
            sent(settings, ARCHIVE_LOG, "player.split", {"target": one.entry_id})
        else:
            with writing(settings) as shelf:
                archive = shelf.archive
                draft = archive.draft(PlayerSplit(target=one.entry_id), recorded_by="operator")
                archive.append(ARCHIVE_LOG, TOURNAMENT_STREAM, [draft])
        if as_json:
            line({"split": one.entry_id, "names": list(one.names)})
        else:
            show(f"{safe(' = '.join(one.names))} are no longer one player's")


def _say(found: PlayerCounted) -> None:
    """The figures, each with the number of matches it is from."""
    if not found.matches:
        say("no match of this player is over yet")
        return
    names = safe(" = ".join([found.name, *found.also]))
    that = "that is over" if found.matches == 1 else "that are over"
    show(f"{names}: {counted(found.matches, 'match', 'matches')} {that}")
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
    offered = f"{counted(cube.doubles, 'double')} and {counted(cube.redoubles, 'redouble')}"
    show(f"  cube      {offered} offered{when}")
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
