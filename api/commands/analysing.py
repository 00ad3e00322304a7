"""`tabularium analyse`: matches that are over and released, judged by an engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Annotated

import msgspec
import typer

from api.analysis.engines import DEFAULT, OFFERS, NoEngine, offer_of
from api.analysis.released import NotAnalysed, Work, match_of, why_not, work_of
from api.analysis.results import Results, results_file
from api.analysis.telling import analysis_out
from api.analysis.working import Piece, Told, Workers, pieces_of
from api.commands.common import Db, Json, OfLog, Shelf, reading
from api.commands.printing import REFUSED, counted, fail, line, progress, safe, say, show
from api.shapes.analysis import AnalysisOut, PlayerSums
from events.errors import LedgerError
from events.values import Seat

PAGE = 500
"""Rows of the list that are read at a time."""

Key = tuple[str, str]
"""(log id, match id)."""


def analyse(
    matches: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LOG/]MATCH...", help="Ids of matches, or their beginnings."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every released match, or those of --log.")
    ] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="|".join(OFFERS), help="The engine that judges.")
    ] = DEFAULT,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="How deep it looks. "
            + "; ".join(f"{one.name}: {', '.join(one.presets)}" for one in OFFERS.values())
            + ". (default: the second of them)",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=64,
            help="Number of games analysed at the same time.",
        ),
    ] = 1,
    log: OfLog = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Analyse matches with an engine: PR and luck of each player, and the loss of each choice.

    Only matches that are over and entirely public are analysed. The results are kept beside the
    archive, never in the ledger, and shown on the match's pages. After a stop, the next run
    continues with the first game that is not finished.
    """
    if everything == bool(matches):
        fail("name the matches, or take --all: see `tabularium matches`")
    offer = OFFERS.get(engine)
    chosen = preset or (offer.presets[1] if offer is not None else "")
    try:
        offer_of(engine, chosen)
    except NoEngine as error:
        fail(str(error))
    with reading(db) as shelf:
        results = Results(results_file(shelf.archive.url))
        try:
            keys = None if everything else [_key(shelf, one, log) for one in matches or ()]
            _run(shelf, results, keys, log, engine, chosen, workers, as_json=as_json)
        finally:
            results.close()


def _key(shelf: Shelf, named: str, log: str | None) -> Key:
    """The match given as `MATCH` or `LOG/MATCH`."""
    its_log, _, match = named.rpartition("/")
    return shelf.find(match, its_log or log)


def _run(
    shelf: Shelf,
    results: Results,
    keys: list[Key] | None,
    log: str | None,
    engine: str,
    preset: str,
    count: int,
    *,
    as_json: bool,
) -> None:
    if keys is not None:
        for key in keys:
            # Checked before an engine is started, which takes long.
            try:
                work_of(shelf.archive, *key)
            except NotAnalysed as error:
                fail(str(error), REFUSED)
    elif not _released(shelf, log):
        fail("no match is released to the public and over: nothing is analysed", REFUSED)
    try:
        workers = Workers(engine, preset, count)
    except NoEngine as error:
        fail(str(error))
    tally = _Tally(shelf, results, workers, as_json=as_json)
    try:
        with progress() as bar:
            task = bar.add_task("analysing", total=None)
            gate = threading.Lock()
            under_way: dict[tuple[str, int], tuple[int, int]] = {}

            def step(piece: Piece, done: int, total: int) -> None:
                with gate:
                    under_way[piece.match.match_id, piece.game.number] = (done, total)
                    sums = [sum(one) for one in zip(*under_way.values(), strict=True)]
                bar.update(task, completed=sums[0], total=sums[1])

            wanted = keys if keys is not None else _released(shelf, log)
            workers.run(tally.pieces(wanted), results, told=tally.told, progress=step)
    finally:
        workers.close()
    tally.close(is_named=keys is not None)


def _released(shelf: Shelf, log: str | None) -> list[Key]:
    """Every match that may be analysed, in the order of lists. Errors: NoSuchLog."""
    archive, index = shelf.archive, shelf.index
    if log is not None:
        archive.store.log_head(log)
    index.catch_up(None if log is None else [log])
    found: list[Key] = []
    after = None
    while rows := index.matches(log, after=after, limit=PAGE, public_only=True):
        after = (rows[-1].log_id, rows[-1].opened_at)
        found += [(row.log_id, row.stream_id) for row in rows if not row.is_in_play]
    return found


class _Tally:
    """The results, match by match."""

    def __init__(self, shelf: Shelf, results: Results, workers: Workers, *, as_json: bool) -> None:
        self.shelf = shelf
        self.results = results
        self.workers = workers
        self.as_json = as_json
        self.done: list[Key] = []
        """Matches whose analysis is complete."""
        self.failed: list[Key] = []
        self.left_out = 0
        self._open: dict[Key, int] = {}
        """Match to the number of its games still to be judged."""
        self._gate = threading.Lock()

    def pieces(self, keys: list[Key]) -> Iterator[Piece]:
        """The games to be judged, match by match."""
        for key in dict.fromkeys(keys):
            try:
                work: Work = work_of(self.shelf.archive, *key)
            except NotAnalysed:
                self.left_out += 1
                continue
            except LedgerError as error:
                self._fail(key, str(error))
                continue
            pieces = pieces_of(work, self.results, self.workers.by)
            with self._gate:
                self._open[key] = len(pieces)
            if not pieces:
                self.whole(key)
            yield from pieces

    def told(self, one: Told) -> None:
        """A game was judged, or could not be."""
        key = (one.piece.match.log_id, one.piece.match.match_id)
        if one.reason is not None:
            self._fail(key, f"game {one.piece.game.number}: {one.reason}")
            return
        with self._gate:
            self._open[key] -= 1
            is_whole = not self._open[key]
        if is_whole:
            self.whole(key)

    def whole(self, key: Key) -> None:
        """A match is judged to its end."""
        with self._gate:
            self.done.append(key)
        found = _told_of(self.shelf, self.results, key)
        if found is None:
            return
        if self.as_json:
            line(msgspec.to_builtins(_without_choices(found)))
        else:
            show(f"{found.match_id}  (log {found.log_id})  {found.engine} {found.preset}")
            for seat, sums in ((Seat.ONE, found.players.one), (Seat.TWO, found.players.two)):
                show(f"  {seat.value}: {_sums_line(sums)}")
            if found.left_out:
                show(f"  {counted(len(found.left_out), 'choice')} left out")

    def close(self, *, is_named: bool) -> None:
        """Report the result of everything; the exit code is 1 if something failed."""
        said = f"{counted(len(self.done), 'match', 'matches')} analysed"
        if self.left_out and not is_named:
            said += f", {self.left_out:,} not released whole, or without a play"
        say(f"{said}; by {self.workers.by.version}, preset {self.workers.by.preset}")
        if self.failed:
            raise typer.Exit(REFUSED)

    def _fail(self, key: Key, reason: str) -> None:
        with self._gate:
            self.failed.append(key)
        if self.as_json:
            line({"log_id": key[0], "match_id": key[1], "refused": {"reason": reason}})
        else:
            say(f"match {key[1]} of log {key[0]}: {safe(reason)}", style="red")


def _told_of(shelf: Shelf, results: Results, key: Key) -> AnalysisOut | None:
    """The current state of a match; None if it has changed since, or may not be shown any more."""
    archive = shelf.archive
    live = archive.reading.once(*key)
    match = match_of(archive, *key, live.version)
    found = None if match is None else results.found(match)
    if match is None or found is None or why_not(archive, key[0], live) is not None:
        return None
    return analysis_out(match, live.replay, found)


def _without_choices(found: AnalysisOut) -> AnalysisOut:
    """Only the sums; `GET .../analysis` gives the choices."""
    return msgspec.structs.replace(found, choices=[], luck=[])


def _sums_line(sums: PlayerSums) -> str:
    if sums.pr is None:
        return "no decision"
    span, chance = sums.pr_between, sums.lost_chance_between
    parts = [
        f"PR {sums.pr:.2f}" + (f" ({span.low:.1f} to {span.high:.1f})" if span else ""),
        f"{counted(sums.decisions, 'decision')}",
        f"{sums.lost:.3f} lost",
    ]
    if sums.lost_chance is not None:
        within = f" ({chance.low:.1%} to {chance.high:.1%})" if chance else ""
        parts.append(f"{sums.lost_chance:.1%} of the match{within}")
    if sums.luck is not None:
        parts.append(f"luck {sums.luck:+.3f}")
    return ", ".join(parts)
