"""`tabularium publish`: the archive as Parquet files, for DuckDB, Polars and similar tools."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from api.archive.archive import wall_clock_ms
from api.archive.rule_texts import texts_of
from api.commands.common import Db, Json, OfLog, checked_log, reading, settings_of
from api.commands.printing import REFUSED, counted, line, progress, safe, say, show
from api.publishing.engines import Engine, LocalEngine, RayEngine
from api.publishing.partitions import Wanted
from api.publishing.publication import Published, plan_of
from api.publishing.publication import publish as publish_archive


class On(enum.StrEnum):
    """Who does the work."""

    LOCAL = "local"
    RAY = "ray"


class Names(enum.StrEnum):
    """Whether players' names are published."""

    DISCLOSED = "disclosed"
    WITHHELD = "withheld"


def publish(
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="DIR", help="Target folder; an earlier publication in it is replaced."
        ),
    ],
    engine: Annotated[
        On, typer.Option(help="local: processes of this machine; ray: a Ray cluster (RAY_ADDRESS).")
    ] = On.LOCAL,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Number of parts worked on at the same time. (default: one for each processor)",
        ),
    ] = None,
    log: OfLog = None,
    names: Annotated[
        Names,
        typer.Option(
            "--names", help="disclosed: include players' names that are known and not erased."
        ),
    ] = Names.WITHHELD,
    everything: Annotated[
        bool, typer.Option("--all", help="Include private matches and tournament streams.")
    ] = False,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Publish the archive as Parquet: tables matches, games, turns, events and findings.

    Each table is a folder, partitioned by log; DICTIONARY.md explains every column. Only public
    matches are published, unless --all is given. The folder is replaced as a whole or, if the
    command fails, left as it was. Published copies cannot be erased later.
    """
    settings = settings_of(db)
    wanted = Wanted(
        url=settings.db,
        in_hand=texts_of(settings).in_hand(),
        everything=everything,
        names=names is Names.DISCLOSED,
        now_ms=wall_clock_ms(),
    )
    with reading(db) as shelf:
        wanted = structs.replace(wanted, steps=shelf.archive.lateness.steps())
        plan = plan_of(
            shelf.archive.store, wanted, log_id=None if log is None else checked_log(log)
        )
    chosen: Engine = RayEngine(workers) if engine is On.RAY else LocalEngine(workers)
    with progress() as bar:
        task = bar.add_task("publishing", total=sum(part.entries for part in plan.partitions))
        done = publish_archive(plan, to, chosen, told=lambda count: bar.advance(task, count))
    _tell(done, to, as_json=as_json)
    if done.unreadable:
        raise typer.Exit(REFUSED)


def _tell(done: Published, to: Path, *, as_json: bool) -> None:
    if as_json:
        line(
            {
                "folder": str(to),
                "rows": done.rows,
                "private": done.private,
                "unreadable": [
                    {"log": log_id, "match_id": match_id, "reason": reason}
                    for log_id, match_id, reason in done.unreadable
                ],
            }
        )
    else:
        rows = done.rows
        parts = [
            counted(rows["matches"], "match", "matches"),
            counted(rows["games"], "game"),
            counted(rows["turns"], "turn"),
            counted(rows["events"], "entry", "entries"),
            counted(rows["findings"], "finding"),
        ]
        show(f"{', '.join(parts)} published in {safe(to)}")
    if done.private:
        left = counted(done.private, "private match", "private matches")
        say(f"left out: {left}; --all publishes them too")
    for log_id, match_id, reason in done.unreadable:
        say(f"left out: match {match_id} of log {log_id} cannot be read: {safe(reason)}", "red")
