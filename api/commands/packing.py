"""`tabularium pack` and `unseal`: the evidence for a committee, and names after the decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from api.archive.archive import Archive
from api.archive.files import FileStore, folder_of
from api.commands.common import Db, Json, OfLog, checked_log, lock_holder, settings_of, writing
from api.commands.printing import REFUSED, fail, line, safe, say, show
from api.desk.cases import log_of
from api.evidence.bundle import Files
from api.evidence.files import check_folder, write_folder, zipped
from api.evidence.witnesses import policy_of
from api.packs.pack import FOLDER, Pack, packed
from api.packs.unsealing import unsealed
from api.refusals import Problem
from api.settings import Settings
from events.errors import Unverified
from events.payloads.appeal import PackIssued
from events.payloads.custody import PackUnsealed
from events.personal import SALT_BYTES, disclose
from events.store.passing import Passing, clear, passing_folder

_PART = ".part"

Case = Annotated[
    str, typer.Argument(metavar="CASE", help="Id of the case: the id of its `appeal.filed`.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FOLDER|FILE.zip", help="Target: a new folder, or a zip file."
    ),
]


def pack(
    case: Case,
    out: Out = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write only its page, which replays the match, verifies itself and prints.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="NAME", help="Name of the recipient, recorded as a commitment."
        ),
    ] = None,
    without_score: Annotated[
        bool,
        typer.Option(
            "--without-score",
            help="Withhold the score and earlier games, if they could reveal who plays.",
        ),
    ] = False,
    log: OfLog = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Issue the pack of a case: the evidence that the match's rule set gives the committee.

    The issue is always recorded in the match, with the hash of the pack.
    """
    if out is None and html is None:
        fail("name a new folder or a .zip file with --out, or a page with --html")
    settings = _settings(db)
    if out is not None and not _is_zip(out):
        check_folder(out)
    with writing(settings) as shelf, _refusals():
        archive = shelf.archive
        files = FileStore(folder_of(archive.url, settings.files), archive.now_ms)
        log_id = _log(archive, case, log)
        made = packed(
            archive,
            log_id,
            case,
            policy=policy_of(settings),
            files=files,
            hides_score=without_score,
        )
        wanted: list[tuple[Path, Files | bytes]] = []
        if out is not None:
            wanted.append((out, _content(made.files, out)))
        if html is not None:
            wanted.append((html, made.page))
        with _laid_out(wanted):
            entry_id = _record(archive, made, to)
    told = {
        "case": case,
        "match_id": made.case.match_id,
        "profile": made.case.rule_set,
        "last": made.through,
        "checkpoint_size": made.size,
        "sha256": made.sha256,
        "entry_id": entry_id,
        "files": [str(one) for one in (out, html) if one is not None],
    }
    if as_json:
        line(told)
        return
    for one in (out, html):
        if one is not None:
            say(f"{safe(one)} written")
    show(f"pack of the case by {made.case.rule_set}, up to entry {made.through}")
    say(f"recorded as handed out: pack.issued {entry_id}; SHA-256 of its zip file {made.sha256}")
    if out is not None:
        say(f"check it with `tabularium verify {safe(out)}`, or with the scripts in it")


def unseal(
    case: Case,
    out: Out = None,
    without_score: Annotated[
        bool,
        typer.Option(
            "--without-score",
            help="For a pack without its score; needed only if something was erased since.",
        ),
    ] = False,
    log: OfLog = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Write what the packs of a decided case withheld: names, and their places in the record.

    Put the files into the folder of a pack to verify them with it: the names are those that the
    match's first entry has committed to. The unsealing is recorded in the match.
    """
    if out is None:
        fail("name a new folder or a .zip file with --out")
    settings = _settings(db)
    if not _is_zip(out):
        check_folder(out)
    with writing(settings) as shelf, _refusals():
        archive = shelf.archive
        log_id = _log(archive, case, log)
        found, issued, files = unsealed(archive, log_id, case, hides_score=without_score)
        entry = archive.draft(PackUnsealed(pack=issued))
        with _laid_out([(out, _content(files, out))]):
            archive.append(log_id, found.match_id, [entry])
    if as_json:
        line({"case": case, "pack": issued, "entry_id": entry.entry_id, "files": sorted(files)})
        return
    say(f"{safe(out)} written: put its folders into the pack's, then check the pack again")
    say(f"recorded: pack.unsealed {entry.entry_id}")


def _settings(db: str | None) -> Settings:
    settings = settings_of(db)
    if lock_holder(settings.db) is not None:
        fail(
            "a server is writing to this archive, and what is handed out is recorded: take it at"
            " the desk of the case (/cases/CASE), or stop the server first"
        )
    return settings


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except Problem as problem:
        fail(problem.detail, REFUSED)
    except Unverified as error:
        fail(str(error), REFUSED)


def _log(archive: Archive, case: str, log: str | None) -> str:
    if log is not None:
        return checked_log(log)
    found = list(log_of(archive.reading, case))
    if not found:
        fail(f"no appeal of the id {case!r} was filed: see the list at /cases", REFUSED)
    return found[0]


def _record(archive: Archive, made: Pack, to: str | None) -> str:
    body = made.issued(None)
    disclosures: tuple[bytes, ...] = ()
    whom = None
    if to:
        whom, raw = disclose(archive.entropy(SALT_BYTES), "to", to)
        disclosures = (raw,)
    issued = PackIssued(to=whom, **body)  # type: ignore[arg-type]
    draft = archive.draft(issued, disclosures=disclosures)
    archive.append(made.case.log_id, made.case.match_id, [draft])
    return draft.entry_id


def _is_zip(out: Path) -> bool:
    return out.suffix.lower() == ".zip"


def _content(files: Files, out: Path) -> Files | bytes:
    """The content to write: the files of a folder, or one zip file."""
    return zipped(files, folder=FOLDER) if _is_zip(out) else files


@contextmanager
def _laid_out(wanted: Sequence[tuple[Path, Files | bytes]]) -> Iterator[None]:
    """Write to a temporary place, record the pack as issued, and move it to its place.

    A pack that cannot be written is not recorded as issued, and nothing is overwritten.
    """
    with ExitStack() as stack:
        ready: list[tuple[Path, Callable[[Path], object]]] = []
        for place, content in wanted:
            if isinstance(content, bytes) and (place.exists() or place.is_symlink()):
                fail(f"{safe(place)} is there already: name a new file")
            place.parent.mkdir(parents=True, exist_ok=True)
            clear(place.parent, _PART)
            if isinstance(content, bytes):
                part = stack.enter_context(Passing(place.parent, _PART, mode=0o666))
                part.file.write(content)
                part.file.flush()
                ready.append((place, part.put))
            else:
                folder = stack.enter_context(passing_folder(place.parent, _PART))
                write_folder(content, folder)
                ready.append((place, folder.replace))
        yield
        for place, put in ready:
            if place.is_dir():
                place.rmdir()  # The folder is empty: that was checked first.
            put(place)
