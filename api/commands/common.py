"""What every command needs: common options, the settings, and the opened archive."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from pydantic import ValidationError

from api.archive.archive import Archive, open_archive
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring, keys_folder
from api.archive.openings import names_of
from api.archive.rule_texts import texts_of
from api.archive.words import words_lines
from api.commands.printing import UNUSABLE, counted, fail, safe, say
from api.settings import Settings
from events.envelope import TOURNAMENT_STREAM, check_id
from events.errors import LedgerError, NoArchive
from events.payloads.match import MatchOpened
from events.personal import Commitment, Disclosed
from events.store.address import FileAddress, MemoryAddress, parse_address
from events.store.lock import read_lock
from events.store.opening import open_store
from events.values import BySeat
from projections.replay import Replay
from projections.rules.shelf import SHELF
from projections.views.lines import Line
from projections.views.showing import Reader, showing

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="Database: sqlite:///path, a file path or postgresql://... "
        "(default: TABULARIUM_DB, else a file in your data folder)",
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object on each line of stdout, messages on stderr."
    ),
]
Match = Annotated[
    str, typer.Argument(metavar="MATCH", help="Id of the match, or its unique beginning.")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write to this file. (default: stdout)"),
]
OfLog = Annotated[str | None, typer.Option("--log", metavar="ID", help="Only this log.")]
At = Annotated[
    int | None,
    typer.Option(
        "--at", metavar="VERSION", min=1, help="Show the match as it stood after this many entries."
    ),
]


def settings_of(db: str | None, **options: Any) -> Settings:
    """The settings, those given on the command line first; or the command ends."""
    given = {"db": db, **options}
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        fail(_settings_fault(error))


def _settings_fault(error: ValidationError) -> str:
    faults = [
        f"TABULARIUM_{'_'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}"
        for fault in error.errors()
    ]
    return "a setting cannot be used: " + "; ".join(faults)


def lock_holder(url: str) -> Mapping[str, object] | None:
    """What the process that writes to the database says of itself; None if there is none."""
    address = parse_address(url)
    return read_lock(address.path) if isinstance(address, FileAddress) else None


class Shelf(msgspec.Struct, frozen=True):
    """An archive that is open, with its index."""

    archive: Archive
    index: MatchIndex

    def find(self, beginning: str, log_id: str | None = None) -> tuple[str, str]:
        """(log id, match id) of the one match whose id begins so; else the command ends."""
        whole = self._whole(beginning.lower(), log_id)
        if whole is not None:
            return whole
        self.index.catch_up(None if log_id is None else [log_id])
        found = self.index.find(beginning.lower(), log_id=log_id)
        exact = [pair for pair in found if pair[1] == beginning.lower()]
        if len(found) == 1 or len(exact) == 1:
            return (exact or found)[0]
        if not found:
            fail(f"no match has an id that begins with {beginning!r}: see `tabularium matches`")
        say(f"tabularium: several matches have an id that begins with {beginning!r}:", style="red")
        for log, stream in found:
            say(f"  {stream}  (log {log})")
        raise typer.Exit(UNUSABLE)

    def _whole(self, match_id: str, log_id: str | None) -> tuple[str, str] | None:
        """The one match with exactly this id, found without the list of all matches."""
        if match_id == TOURNAMENT_STREAM:
            return None  # Every log has that stream, and it is not a match.
        store = self.archive.store
        logs = [log_id] if log_id is not None else [head.log_id for head in store.logs()]
        found = [(log, match_id) for log in logs if store.stream_head(log, match_id) is not None]
        return found[0] if len(found) == 1 else None

    def replay(
        self,
        beginning: str,
        log_id: str | None,
        *,
        at: int | None = None,
        rule_set: str | None = None,
        as_recorded: bool = False,
    ) -> tuple[str, str, Replay]:
        """(log id, match id, replay) of the one match whose id begins so."""
        log, match = self.find(beginning, log_id)
        reading = self.archive.reading
        version = reading.live(log, match).version
        if at is not None and at > version:
            fail(f"the match has {counted(version, 'entry', 'entries')}: --at {at} is beyond them")
        shown = reading.replay(log, match, at=at, rule_set=rule_set, as_recorded=as_recorded)
        return log, match, shown

    def names(self, log_id: str, opened: MatchOpened | None) -> BySeat[str]:
        """The players' names, harmless on a terminal."""
        return names_of(self.archive.reading, log_id, opened).map(safe)

    def spoken(self, log_id: str, match_id: str, shown: Replay) -> dict[int, Line]:
        """Version to what was said in it: whoever runs the command line may read every word."""
        everything = showing(shown, Reader.DIRECTOR)
        return words_lines(self.archive.reading, log_id, match_id, shown, everything)

    def value(self, log_id: str, commitment: Commitment | None) -> str | None:
        """A personal value in the clear; None where there is none or it is withheld."""
        if commitment is None:
            return None
        found = self.archive.reading.opened_values(log_id, [commitment])[commitment.sd]
        return safe(found.value) if isinstance(found, Disclosed) else None


@contextlib.contextmanager
def reading(db: str | None) -> Iterator[Shelf]:
    """The archive, open for reading only: works beside a server that writes to it."""
    settings = settings_of(db)
    try:
        archive = open_archive(
            settings.db,
            read_only=True,
            cached_matches=settings.cached_matches,
            keyring=keyring_of(settings),
            in_hand=texts_of(settings).in_hand(),
        )
    except NoArchive:
        check_archive(settings)
        raise
    with _shelf(archive) as shelf:
        yield shelf


def check_rule_set(rule_set: str | None) -> None:
    """Whether a rule set that is named is there; the command ends where it is not."""
    if rule_set is not None and rule_set not in SHELF:
        fail(f"there is no rule set {rule_set!r}: choose one of {', '.join(SHELF)}")


def check_archive(settings: Settings) -> None:
    """Whether there is a file at all; the command ends where there is none."""
    address = parse_address(settings.db)
    if isinstance(address, FileAddress) and not address.path.exists():
        fail(
            f"there is no archive at {settings.db} yet: `tabularium import FILE.mat` makes one,"
            " and so does `tabularium serve`"
        )


@contextlib.contextmanager
def writing(settings: Settings, *, makes: bool = False) -> Iterator[Shelf]:
    """The archive, open for writing; made if there is none, where the command `makes` one."""
    # A new archive at a mistyped path would give true answers about itself that are false for the
    # real one: that nobody in it has this name, that a case was never filed.
    if not makes:
        check_archive(settings)
    archive = open_archive(
        settings.db,
        cached_matches=settings.cached_matches,
        keyring=keyring_of(settings),
        in_hand=texts_of(settings).in_hand(),
    )
    sizes = {head.log_id: head.size for head in archive.store.logs()}
    try:
        with _shelf(archive) as shelf:
            yield shelf
    except KeyboardInterrupt:
        _say_what_stands(archive.url, sizes)
        raise


_FEW = 5


def _say_what_stands(url: str, before: Mapping[str, int]) -> None:
    """What was recorded so far: a command that is interrupted undoes nothing."""
    with (
        contextlib.suppress(LedgerError),
        contextlib.closing(open_store(url, read_only=True)) as store,
    ):
        for head in store.logs():
            start = before.get(head.log_id, 0)
            if (more := head.size - start) > 0:
                tags = {one.tag for one in store.read_log(head.log_id, start=start, limit=_FEW)}
                which = f" ({', '.join(sorted(tags))})" if more <= _FEW else ""
                say(
                    f"recorded before that, and it stands: {counted(more, 'entry', 'entries')}"
                    f" in log {head.log_id}{which}"
                )


def keyring_of(settings: Settings) -> Keyring | None:
    """The keys of the archive's logs; None of one that is gone with its process."""
    if isinstance(parse_address(settings.db), MemoryAddress):
        return None
    return Keyring(
        settings.keys or keys_folder(settings.db),
        origin=settings.origin,
        checkpoints=settings.checkpoints,
    )


@contextlib.contextmanager
def _shelf(archive: Archive) -> Iterator[Shelf]:
    try:
        index = MatchIndex(archive.store, archive.reading, path=index_file(archive.url))
        try:
            yield Shelf(archive, index)
        finally:
            index.close()
    finally:
        archive.close()


def checked_log(log_id: str) -> str:
    """A well-formed log id, else the command ends. Errors: BadIdentifier."""
    return check_id(log_id, "log")
