"""`tabularium film`: films of a match, and when in them its entries happened."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

import msgspec
import typer

from api.archive.films import MAX_LINK, SeenFilm, address_of, films_in
from api.archive.personal import commit_personal
from api.commands.common import Db, Json, Match, OfLog, Shelf, lock_holder, reading, settings_of
from api.commands.common import writing as writing_to
from api.commands.printing import counted, fail, line, safe, show
from api.commands.server import server_of
from api.routes.shared.filmed import film_out
from api.settings import Settings
from events import catalogue
from events.envelope import Basis
from projections.replay import Replay
from projections.views.films import moments_of

_TIME = re.compile(r"(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,9})(?:\.(\d{1,3}))?")
_ALIGNED = re.compile(r"(\d{1,9})=(.+)")


class Act(NamedTuple):
    """One entry to be made."""

    tag: str
    entry_id: str
    body: Mapping[str, object]


def film(
    match: Match,
    link: Annotated[
        str | None,
        typer.Option("--link", metavar="URL", help="Attach the film at this web address."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Attach this film by its hash; the file stays where it is.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    align: Annotated[
        list[str] | None,
        typer.Option(
            "--align",
            metavar="VERSION=TIME",
            help="State when in the film an entry happened, as 12=1:02:03.5; may be repeated. A cut"
            " needs two: the last entry before it and the first one after it.",
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--film", metavar="ID", help="Id of the film. (default: the one attached last)"
        ),
    ] = None,
    log: OfLog = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Films of a match: attach one, state when in it an entry happened, or list them.

    If a server is running, entries are recorded through it. A later statement about the same entry
    replaces the earlier one; `entry.retracted` removes one.
    """
    points = [_point(one) for one in align or ()]
    if link is not None and address_of(link) is None:
        fail(f"--link takes an address of the web of at most {MAX_LINK} characters, as https://…")
    settings = settings_of(db)
    if link is None and file is None and not points:
        with reading(settings.db) as shelf:
            log_id, _, shown = shelf.replay(match, log)
            _list(films_in(shelf.archive.reading, log_id, shown), shown, as_json=as_json)
        return
    if lock_holder(settings.db) is not None:
        with reading(settings.db) as shelf:
            place, acts = _acts(shelf, match, log, link=link, file=file, points=points, of=of)
        _send(settings, *place, acts)
    else:
        with writing_to(settings) as shelf:
            place, acts = _acts(shelf, match, log, link=link, file=file, points=points, of=of)
            _append(shelf, *place, acts)
    if as_json:
        for act in acts:
            line({"entry_id": act.entry_id, "tag": act.tag})
    else:
        what = counted(len(acts), "entry", "entries")
        show(f"{what} recorded; film {acts[-1].body.get('film', acts[-1].entry_id)}")


def _point(text: str) -> tuple[int, int]:
    """(version, milliseconds of the film) of `12=1:02:03.5`."""
    found = _ALIGNED.fullmatch(text)
    time = None if found is None else _TIME.fullmatch(found[2])
    if found is None or time is None:
        fail(f"--align is written as 12=1:02:03.5, the entry and the film's time; not {text!r}")
    hours, minutes, seconds, parts = time.groups(default="0")
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return int(found[1]), whole * 1_000 + int(parts.ljust(3, "0"))


def _acts(
    shelf: Shelf,
    match: str,
    log: str | None,
    *,
    link: str | None,
    file: Path | None,
    points: list[tuple[int, int]],
    of: str | None,
) -> tuple[tuple[str, str], list[Act]]:
    """(film, body of the entry to record); the command ends if the input is invalid."""
    log_id, match_id, shown = shelf.replay(match, log)
    new_id = shelf.archive.entry_id
    acts: list[Act] = []
    if link is not None or file is not None:
        stated = {"link": link, "file": None if file is None else _hash(file)}
        known = {name: value for name, value in stated.items() if value is not None}
        acts.append(Act("film.attached", new_id(), known))
    films = [one.film.film_id for one in films_in(shelf.archive.reading, log_id, shown)]
    name = acts[0].entry_id if acts else _named(films, of)
    entries = {step.event.version: step.event.entry_id for step in shown.steps}
    for version, film_ms in points:
        if version not in entries:
            fail(f"the match has no entry {version} that stands: see `tabularium show {match_id}`")
        said = {"film": name, "target": entries[version], "film_ms": film_ms}
        acts.append(Act("film.aligned", new_id(), said))
    return (log_id, match_id), acts


def _named(films: list[str], of: str | None) -> str:
    found = [one for one in films if of is None or one.startswith(of.lower())]
    if not found:
        _no_film(of)
    return found[-1]


def _no_film(of: str | None) -> NoReturn:
    what = "no film" if of is None else f"no film whose id begins with {of!r}"
    fail(f"the match has {what}: --link URL or --file FILE attaches one")


def _hash(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _send(settings: Settings, log_id: str, match_id: str, acts: list[Act]) -> None:
    basis = Basis.OBSERVED.value
    entries = [
        {"entry_id": act.entry_id, "tag": act.tag, "basis": basis, "body": act.body} for act in acts
    ]
    with server_of(settings, None) as client:
        client.append_to_match(log_id, match_id, entries)


def _append(shelf: Shelf, log_id: str, match_id: str, acts: list[Act]) -> None:
    archive = shelf.archive
    drafts = []
    for act in acts:
        body, raws = commit_personal(act.tag, act.body, entropy=archive.entropy)
        payload = catalogue.decode(act.tag, msgspec.json.encode(body))
        drafts.append(archive.draft(payload, disclosures=raws, entry_id=act.entry_id))
    archive.append(log_id, match_id, drafts)


def _list(films: list[SeenFilm], shown: Replay, *, as_json: bool) -> None:
    for seen in films:
        if as_json:
            line(msgspec.to_builtins(film_out(seen, shown)))
            continue
        where = seen.link or (seen.film.file and f"file sha256:{seen.film.file}") or "nowhere known"
        show(f"{seen.film.film_id}  {safe(where)}")
        found = counted(len(moments_of(seen.film, shown)), "entry", "entries")
        show(f"  {counted(len(seen.film.points), 'point')}; {found} found in it")
        for point in seen.film.points:
            show(f"  entry {point.target:>4}  {_time(point.film_ms)}")
        for point in seen.film.set_aside:
            show(f"  entry {point.target:>4}  {_time(point.film_ms)}  set aside")
    if not films and not as_json:
        show("no film is attached: --link URL or --file FILE attaches one")


def _time(film_ms: int) -> str:
    seconds, parts = divmod(film_ms, 1_000)
    return f"{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{parts:03}"
