"""`fsck --explain` says what fsck sees: each row of it is tried on an archive."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.files import folder_of
from api.archive.index.file import index_file
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring, keys_folder
from api.desk.ballot_box import BallotBox, ClosedBallot
from api.operating.auditing import CODES, audit, audit_tables
from api.operating.parts import place_for
from api.operating.sights import SIGHTS, Seen, Sight
from api.settings import Settings
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import Role
from events.payloads.appeal import VoteSealed
from events.payloads.custody import DisclosureErased
from events.sealing.merkle import leaf_hash, push
from events.sealing.notes import SigningKey, parse_note
from projections.judging.ballots import commitment_to
from tests.api.commands.conftest import Run
from tests.api.devices import Tablet
from tests.api.routes.conftest import LOG, Api, Clock, entry, opening
from tests.api.routes.test_ingest import Hall, game

BALLOT = "00000000-0000-4000-8000-0000000ba110"
PHOTO, OTHER = b"\x89PNG two dice", b"\x89PNG a cube"


class Copy(NamedTuple):
    """An archive that a test may change, in a folder of its own."""

    path: Path

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def file(self, raw: bytes) -> Path:
        name = hashlib.sha256(raw).hexdigest()
        folder = folder_of(self.url, Path())
        assert folder is not None
        return folder / LOG / name[:2] / name

    @property
    def ballot(self) -> Path:
        return Path(f"{self.path}.ballots") / BALLOT

    def list_is_gone(self) -> None:
        """It is rebuilt by the next process that opens the archive."""
        Path(f"{self.path}.index").unlink()

    def sql(self, *statements: str) -> None:
        """Change rows past the guards, which are there again afterwards."""
        with sqlite3.connect(self.path, isolation_level=None) as db:
            guards = db.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in guards:
                db.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                assert db.execute(statement).rowcount != 0, statement
            for _, sql in guards:
                db.execute(sql)
        db.close()

    def rows(self, sql: str) -> list[Any]:
        with sqlite3.connect(self.path) as db:
            found = db.execute(sql).fetchall()
        db.close()
        return found


class Base(NamedTuple):
    """The contents of copies."""

    now: Path
    """Folder of the archive; its last entry is not signed yet."""
    before: Path
    """The database of the same archive as it was some entries ago."""
    name: tuple[Any, ...]
    """The row of a disclosure that was erased since."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """A match by a tablet, one by the director, a parked draft, a photo, names: all of it erased
    once as well. And a ballot that is closed."""
    folder = tmp_path_factory.mktemp("base")
    return asyncio.run(_made(folder))


async def _made(folder: Path) -> Base:
    path = folder / "live" / "a.sqlite"
    path.parent.mkdir()
    url = f"sqlite:///{path}"
    archive = open_archive(url, now_ms=Clock(), keyring=Keyring(keys_folder(url)))
    archive.open_tournament(LOG, "Club night")
    index = MatchIndex(archive.store, archive.reading, path=index_file(url))
    app = create_app(archive, Settings(db=url), index=index)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as http:
        api = Api(http, archive)
        name, before = await _recorded(api, folder)
    assert archive.signing is not None
    for _ in range(2):
        archive.grant(Role.VIEWER, log_id=LOG)
    archive.signing.keep(LOG)
    archive.grant(Role.VIEWER, log_id=LOG)
    index.catch_up()
    now = folder / "now"
    now.mkdir()
    _snapshot(path, now / "a.sqlite")
    shutil.copy(f"{path}.index", now / "a.sqlite.index")
    for part in ("keys", "files", "ballots"):
        shutil.copytree(f"{path}.{part}", now / f"a.sqlite.{part}")
    index.close()
    archive.close()
    return Base(now, before, name)


async def _recorded(api: Api, folder: Path) -> tuple[tuple[Any, ...], Path]:
    hall, tablet, archive = Hall(api), Tablet(), api.archive
    path = Path(archive.url.removeprefix("sqlite:///"))
    assert (await api.open()).status_code == 201
    assert (await api.open("m2")).status_code == 201
    released = entry("publication.released")
    assert (await api.append(released, match="m2", token=api.director)).status_code == 201
    await hall.pair(tablet)
    await hall.send(tablet, *game(tablet))
    before = folder / "before.sqlite"
    assert archive.signing is not None
    archive.signing.keep(LOG)
    _snapshot(path, before)
    # Recorded on a position that is not current any more.
    parked = tablet.named("table.disturbed", 1, "note", "Ann stood up")
    assert await hall.outcomes(tablet, parked) == [("stream_conflict", "version_mismatch")]
    assert (await api.append(*opening(), match="m2", token=api.director)).status_code == 201
    for raw in (PHOTO, OTHER):
        sent = f"/logs/{LOG}/files/{hashlib.sha256(raw).hexdigest()}"
        headers = {"Authorization": f"Bearer {api.director}", "Content-Type": "image/png"}
        assert (await api.http.put(sent, content=raw, headers=headers)).status_code == 201
        if raw == OTHER:
            assert (await api.http.delete(sent, headers=headers)).status_code == 204
    says = ClosedBallot("uphold", None, "5a" * 32)
    by, mark = archive.entry_id(), commitment_to(says.vote, says.proposal, says.salt)
    cast = VoteSealed(target=by, member="a", grant=by, commitment=mark)
    ballot = archive.draft(cast, entry_id=BALLOT)
    archive.append(LOG, "m2", [ballot])
    BallotBox(Path(f"{path}.ballots")).put(BALLOT, says)
    with sqlite3.connect(path) as db:
        [name] = db.execute(
            "SELECT * FROM disclosure WHERE class = 'body' AND CAST(raw AS TEXT) LIKE '%Bo%'"
            " ORDER BY global_position LIMIT 1"
        ).fetchall()
    db.close()
    said = archive.draft(DisclosureErased(commitments=(name[2],)))
    archive.append(LOG, TOURNAMENT_STREAM, [said])
    return name, before


def _snapshot(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as live, sqlite3.connect(target) as copy:
        live.backup(copy)
    live.close()
    copy.close()


@pytest.fixture
def copy(base: Base, tmp_path: Path) -> Copy:
    shutil.copytree(base.now, tmp_path / "copy")
    return Copy(tmp_path / "copy" / "a.sqlite")


def found(copy: Copy, *, with_checkpoint: bool) -> set[str]:
    """Codes of the findings."""
    keyring = Keyring(keys_folder(copy.url)) if with_checkpoint else None
    tables = audit_tables(copy.url)
    archive: Archive = open_archive(copy.url, read_only=True, keyring=keyring)
    try:
        report = audit(archive, keyring, place_for(Settings(db=copy.url)))
    finally:
        archive.close()
    return {one.code for one in (*tables, *report.findings)}


# What each row changes.


def _cut(copy: Copy, count: int) -> None:
    """Remove the last entries, and make all agree with that except what is stored elsewhere."""
    [(size,)] = copy.rows(f"SELECT size FROM log_head WHERE log_id = '{LOG}'")
    left = size - count
    copy.sql(
        f"DELETE FROM event WHERE log_id = '{LOG}' AND global_position >= {left}",
        f"DELETE FROM disclosure WHERE log_id = '{LOG}' AND global_position >= {left}",
    )
    _refit(copy)
    copy.list_is_gone()


def _refit(copy: Copy) -> None:
    """Make the heads those of the entries, and the kept checkpoints no larger than the log."""
    frontier: list[bytes] = []
    leaves = copy.rows(
        f"SELECT leaf_hash FROM event WHERE log_id = '{LOG}' ORDER BY global_position"
    )
    for size, (leaf,) in enumerate(leaves):
        push(frontier, size, leaf)
    edge = b"".join(frontier).hex()
    copy.sql(
        f"UPDATE log_head SET size = {len(leaves)}, frontier = x'{edge}' WHERE log_id = '{LOG}'",
        f"UPDATE stream_head SET (version, head_hash) = (SELECT version, leaf_hash FROM event e"
        f" WHERE e.log_id = stream_head.log_id AND e.stream_id = stream_head.stream_id"
        f" ORDER BY version DESC LIMIT 1) WHERE log_id = '{LOG}'",
    )
    with sqlite3.connect(copy.path, isolation_level=None) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        for guard in ("checkpoint_no_delete",):
            [(sql,)] = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (guard,))
            db.execute(f"DROP TRIGGER {guard}")
            db.execute(f"DELETE FROM checkpoint WHERE log_id = '{LOG}'")
            db.execute(sql)
    db.close()


def _rewrite_last(copy: Copy) -> None:
    """Another last entry in the place of the last signed one, and everything made to agree."""
    _cut(copy, 2)
    url = copy.url
    keyless = open_archive(url)
    keyless.grant(Role.ARCHIVIST, log_id=LOG)
    keyless.grant(Role.ARCHIVIST, log_id=LOG)
    keyless.close()


def _older(copy: Copy, base: Base) -> None:
    shutil.copy(base.before, copy.path)
    copy.list_is_gone()


def _log_gone(copy: Copy) -> None:
    tables = ("journal_outcome", "journal", "device_cursor", "disclosure", "checkpoint", "event")
    copy.sql(*(f"DELETE FROM {one} WHERE log_id = '{LOG}'" for one in tables))
    copy.sql(*(f"DELETE FROM {one} WHERE log_id = '{LOG}'" for one in ("stream_head", "log_head")))
    copy.list_is_gone()


def _swap(copy: Copy) -> None:
    for old, new in ((1, 900), (2, 1), (900, 2)):
        for table in ("event", "disclosure"):
            copy.sql(f"UPDATE {table} SET global_position = {new} WHERE global_position = {old}")


def _refitted(copy: Copy) -> None:
    [(at, sealed)] = copy.rows(
        "SELECT global_position, sealed FROM event WHERE tag = 'dice.opening_rolled' LIMIT 1"
    )
    forged = sealed.replace(b'"one":3', b'"one":5')
    assert forged != sealed
    where = f"WHERE log_id = '{LOG}' AND global_position = {at}"
    copy.sql(
        f"UPDATE event SET sealed = x'{forged.hex()}', leaf_hash = x'{leaf_hash(forged).hex()}'"
        f" {where}"
    )


def _note(copy: Copy, signs: Callable[[Copy, bytes, int], tuple[str, tuple[Any, ...]]]) -> None:
    [(size, note)] = copy.rows(
        f"SELECT size, note FROM checkpoint WHERE log_id = '{LOG}' ORDER BY size DESC LIMIT 1"
    )
    table, row = signs(copy, note, size)
    with sqlite3.connect(copy.path, isolation_level=None) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"DROP TRIGGER {name}")
        marks = ", ".join("?" * len(row))
        db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
        for _, sql in guards:
            db.execute(sql)
    db.close()


def _others(copy: Copy, note: bytes, size: int) -> tuple[str, tuple[Any, ...]]:
    text = parse_note(note).text
    [known] = Keyring(keys_folder(copy.url)).verifiers(LOG)
    line = SigningKey(known.name, bytes(32)).sign(text)
    return "checkpoint", (LOG, size, f"{text}\n{line}\n".encode())


def _witness(copy: Copy, note: bytes, size: int) -> tuple[str, tuple[Any, ...]]:
    line = SigningKey("witness.example/w", bytes(32)).sign(parse_note(note).text)
    return "checkpoint_signature", (LOG, size, "witness.example/w+00", str(line).encode())


def _stamp(copy: Copy, note: bytes, size: int) -> tuple[str, tuple[Any, ...]]:
    return "checkpoint_token", (LOG, size, b"no stamp at all")


def _name_back(copy: Copy, base: Base) -> None:
    with sqlite3.connect(copy.path) as db:
        marks = ", ".join("?" * len(base.name))
        db.execute(f"INSERT INTO disclosure VALUES ({marks})", base.name)
    db.close()


def _file_back(copy: Copy) -> None:
    copy.file(OTHER).parent.mkdir(exist_ok=True, parents=True)
    copy.file(OTHER).write_bytes(OTHER)


def _listed(copy: Copy, sql: str) -> None:
    with sqlite3.connect(f"{copy.path}.index") as db:
        assert db.execute(sql).rowcount > 0
    db.close()


def _sql(*statements: str) -> Callable[[Copy, Base], None]:
    return lambda copy, base: copy.sql(*statements)


_PARKED = "SELECT journal_id FROM journal_outcome WHERE outcome = 'stream_conflict'"

CHANGES: dict[str, Callable[[Copy, Base], Any]] = {
    "sealed": _sql("UPDATE event SET sealed = x'7b7d' WHERE global_position = 3"),
    "refitted": lambda copy, base: _refitted(copy),
    "column": _sql("UPDATE event SET tag = 'dice.voided' WHERE tag = 'game.started'"),
    "fingerprint": _sql("UPDATE event SET draft_sha256 = zeroblob(32) WHERE global_position = 3"),
    "removed": _sql("DELETE FROM event WHERE global_position = 3"),
    "swapped": lambda copy, base: _swap(copy),
    "head": _sql("UPDATE log_head SET size = size - 1"),
    "stream-head": _sql("UPDATE stream_head SET version = version - 1 WHERE stream_id = 'm1'"),
    "grant": _sql(
        "UPDATE event SET sealed = CAST(replace(sealed, 'viewer', 'archiv') AS BLOB)"
        " WHERE tag = 'access.granted'"
    ),
    "value": _sql("UPDATE disclosure SET raw = CAST(replace(raw, 'Ann', 'Eve') AS BLOB)"),
    "value-gone": _sql(
        "DELETE FROM disclosure WHERE class = 'body' AND CAST(raw AS TEXT) LIKE '%\"Ann\"%'"
    ),
    "values-gone": _sql("DELETE FROM disclosure WHERE global_position = 4"),
    "value-back": _name_back,
    "draft": _sql("UPDATE journal SET raw = CAST(replace(raw, 'game', 'dice') AS BLOB)"),
    "signature": _sql("UPDATE journal SET signature = zeroblob(64) WHERE id = 4"),
    "signed": _sql("UPDATE journal SET signature_state = 'absent' WHERE id = 4"),
    "outcome": _sql(
        "UPDATE journal_outcome SET outcome = 'stream_conflict', reason = 'bad_body',"
        " global_position = NULL WHERE journal_id = 2"
    ),
    "received": _sql("UPDATE journal SET received_at = received_at - 60000 WHERE id = 2"),
    "cursor": _sql("UPDATE device_cursor SET last_seq = last_seq - 1"),
    "file": lambda copy, base: copy.file(PHOTO).write_bytes(OTHER),
    "file-back": lambda copy, base: _file_back(copy),
    "list": lambda copy, base: _listed(copy, "UPDATE match SET score_one = 4 WHERE is_public"),
    "player": lambda copy, base: _listed(copy, "UPDATE person SET hash = zeroblob(number)"),
    "table": lambda copy, base: copy.rows("DROP TABLE checkpoint_token"),
    "guard": lambda copy, base: copy.rows("DROP TRIGGER event_no_update"),
    "shortened": lambda copy, base: _cut(copy, 2),
    "older": _older,
    "rewritten": lambda copy, base: _rewrite_last(copy),
    "log-gone": lambda copy, base: _log_gone(copy),
    "note": lambda copy, base: _note(copy, _others),
    "unsigned-tail": lambda copy, base: _cut(copy, 1),
    "parked-tail": _sql(
        f"DELETE FROM disclosure WHERE -global_position IN ({_PARKED})",
        f"DELETE FROM journal WHERE id IN ({_PARKED})",
        "DELETE FROM journal_outcome WHERE outcome = 'stream_conflict'",
        "UPDATE device_cursor SET (last_seq, last_hash) ="
        " (SELECT device_seq, raw_sha256 FROM journal ORDER BY id DESC LIMIT 1)",
    ),
    "parked-reason": _sql(
        "UPDATE journal_outcome SET reason = 'stale_lease' WHERE outcome = 'stream_conflict'",
        f"UPDATE journal SET received_at = 0 WHERE id IN ({_PARKED})",
        f"UPDATE journal_outcome SET stream_version = 1 WHERE journal_id IN ({_PARKED})",
    ),
    "checkpoint-gone": _sql("DELETE FROM checkpoint"),
    "witness": lambda copy, base: _note(copy, _witness),
    "stamp": lambda copy, base: _note(copy, _stamp),
    "file-gone": lambda copy, base: copy.file(PHOTO).unlink(),
    "file-kind": lambda copy, base: (
        copy.file(PHOTO)
        .with_name(copy.file(PHOTO).name + ".json")
        .write_text('{"content_type": "video/mp4"}')
    ),
    "ballot": lambda copy, base: copy.ballot.write_bytes(
        copy.ballot.read_bytes().replace(b"uphold", b"reverse")
    ),
    "ballot-gone": lambda copy, base: copy.ballot.unlink(),
    "parked-value": _sql(f"DELETE FROM disclosure WHERE -global_position IN ({_PARKED})"),
    "news": lambda copy, base: _listed(copy, "UPDATE match SET news_ms = 1"),
}


def test_an_archive_that_nobody_changed_is_all_as_sealed(copy: Copy) -> None:
    assert found(copy, with_checkpoint=False) == found(copy, with_checkpoint=True) == set()


def test_every_row_of_the_table_is_tried_and_nothing_else() -> None:
    assert CHANGES.keys() == {one.key for one in SIGHTS}
    assert len(SIGHTS) == len(CHANGES)
    assert {one.told for one in SIGHTS if one.seen is not Seen.NOT} <= CODES.keys()


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda one: one.key)
def test_what_the_table_says_of_a_change_is_so(sight: Sight, copy: Copy, base: Base) -> None:
    CHANGES[sight.key](copy, base)
    alone = found(copy, with_checkpoint=False)
    signed = found(copy, with_checkpoint=True)
    assert (sight.told in alone) == (sight.seen is Seen.ALONE), alone
    assert (sight.told in signed) == (sight.seen is not Seen.NOT), signed
    if sight.seen is not Seen.ALONE:
        assert alone == set()
    if sight.seen is Seen.NOT:
        assert signed == set()


def test_the_command_prints_the_table(run: Run) -> None:
    told = run("fsck", "--explain").out
    for sight in SIGHTS:
        assert f"  {sight.change}: {sight.told}" in told
    lines = run("fsck", "--explain", "--json").lines
    assert [(one["change"], one["seen"]) for one in lines] == [
        (one.change, one.seen.value) for one in SIGHTS
    ]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DROP TABLE event", "the table event is missing"),
        ("DROP TABLE log_head", "the table log_head is missing"),
        ("DROP TABLE disclosure", "the table disclosure is missing"),
        ("DROP INDEX disclosure_commitment", "the index disclosure_commitment is missing"),
        ("ALTER TABLE journal RENAME COLUMN raw TO rows", "the table journal is not as"),
        ("DROP TABLE alembic_version", "which release made the tables is missing"),
        ("UPDATE alembic_version SET version_num = '9999'", "the tables are of revision 9999"),
        ("UPDATE sqlite_schema SET sql = 'x' WHERE name = 'event'", "tables cannot be read"),
    ],
)
def test_a_damaged_schema_is_a_clear_sentence_and_an_exit_code(
    run: Run, copy: Copy, damage: str, told: str
) -> None:
    with sqlite3.connect(copy.path, isolation_level=None) as db:
        db.execute("PRAGMA writable_schema=1")
        db.execute(damage)
    db.close()
    ran = run("fsck", "--db", copy.url, exit_code=1)
    assert told in " ".join(ran.out.split())
    assert "Traceback" not in ran.out + ran.err
