"""Tiles: a log as static files, from which anybody makes the signed root again."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.cli import app
from api.evidence.evidence import standing_note
from api.evidence.tiles import hash_tiles, tile_path, write_tiles
from events.errors import BadInput
from events.payloads.access import Role
from events.payloads.custody import PublicationReleased
from events.sealing.merkle import leaf_hash, root
from events.sealing.notes import parse_checkpoint, parse_note
from tests.api.evidence.conftest import LOG


@pytest.mark.parametrize(
    ("path", "level", "index", "width"),
    [
        ("tile/0/000", 0, 0, 256),
        ("tile/0/x001/x234/067", 0, 1_234_067, 256),
        ("tile/2/x001/000.p/5", 2, 1_000, 5),
        ("tile/entries/x001/234.p/255", "entries", 1_234, 255),
        ("tile/1/999", 1, 999, 256),
    ],
)
def test_tiles_lie_where_others_look_for_them(
    path: str, level: int | str, index: int, width: int
) -> None:
    assert tile_path(level, index, width) == path


def leaves_in(folder: Path, level: str = "0") -> Iterator[bytes]:
    """Hashes of a level, read from its files alone, as a mirror reads them."""
    for path in sorted((folder / "tile" / level).rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            yield from (raw[at : at + 32] for at in range(0, len(raw), 32))


def entries_in(folder: Path) -> Iterator[bytes]:
    for path in sorted((folder / "tile" / "entries").rglob("*")):
        raw = path.read_bytes() if path.is_file() else b""
        while raw:
            (size,) = struct.unpack(">H", raw[:2])
            yield raw[2 : 2 + size]
            raw = raw[2 + size :]


def sizes() -> list[int]:
    return [1, 2, 255, 256, 257, 600]


@pytest.mark.parametrize("size", sizes())
def test_the_root_is_made_again_from_the_tiles_alone(size: int, tmp_path: Path) -> None:
    leaves = [leaf_hash(str(at).encode()) for at in range(size)]
    for name, content in hash_tiles(leaves):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert root(list(leaves_in(tmp_path))) == root(leaves)
    # A tile above says the same of 256 below it.
    for at, above in enumerate(leaves_in(tmp_path, "1")):
        assert above == root(leaves[at * 256 : at * 256 + 256])
    assert (tmp_path / "tile" / "1").exists() == (size >= 256)


def test_a_log_is_published_up_to_its_signed_checkpoint(archive: Archive, tmp_path: Path) -> None:
    note = standing_note(archive, LOG)
    write_tiles(archive, LOG, note, tmp_path, entries=False)
    checkpoint = parse_checkpoint(parse_note((tmp_path / "checkpoint").read_bytes()).text)
    assert root(list(leaves_in(tmp_path))) == checkpoint.root
    assert not (tmp_path / "tile" / "entries").exists()
    assert archive.signing is not None
    assert note.verified(archive.signing.keyring.verifiers(LOG))


def test_a_folder_grows_with_its_log_and_is_no_other_logs(archive: Archive, tmp_path: Path) -> None:
    assert write_tiles(archive, LOG, standing_note(archive, LOG), tmp_path, entries=False) == 2
    assert write_tiles(archive, LOG, standing_note(archive, LOG), tmp_path, entries=False) == 1
    archive.grant(Role.VIEWER, log_id=LOG)
    write_tiles(archive, LOG, standing_note(archive, LOG), tmp_path, entries=False)
    widths = {path.name for path in (tmp_path / "tile" / "0" / "000.p").iterdir()}
    size = archive.store.log_head(LOG).size
    assert widths == {str(size - 1), str(size)}
    with pytest.raises(BadInput, match="another log"):
        write_tiles(archive, "archive", standing_note(archive, "archive"), tmp_path, entries=False)


def told_by(folder: Path) -> int:
    return parse_checkpoint(parse_note((folder / "checkpoint").read_bytes()).text).size


def test_a_folder_tells_of_no_fewer_entries_than_it_has_told(
    archive: Archive, tmp_path: Path
) -> None:
    # As of witnesses that sign later, or of the same command that began earlier and ended later.
    earlier = standing_note(archive, LOG)
    archive.grant(Role.VIEWER, log_id=LOG)
    write_tiles(archive, LOG, standing_note(archive, LOG), tmp_path, entries=False)
    before = (tmp_path / "checkpoint").read_bytes()
    write_tiles(archive, LOG, earlier, tmp_path, entries=False)
    assert (tmp_path / "checkpoint").read_bytes() == before
    assert told_by(tmp_path) == archive.store.log_head(LOG).size


def test_what_was_published_is_kept_where_the_log_does_not_go_on_from_it(
    archive: Archive, tmp_path: Path
) -> None:
    url, club, mirror = archive.url, tmp_path / "club.db", tmp_path / "mirror"
    older = tmp_path / "older.db"
    with closing(sqlite3.connect(club)) as db:
        db.execute("VACUUM INTO ?", (str(older),))
    archive.grant(Role.VIEWER, log_id=LOG)
    write_tiles(archive, LOG, standing_note(archive, LOG), mirror, entries=False)
    archive.close()
    before = {path: path.read_bytes() for path in mirror.rglob("*") if path.is_file()}
    # An older database is restored, and only what was published shows it.
    older.replace(club)
    for path in [*tmp_path.glob("club.db-*"), *(tmp_path / "club.db.keys").glob("*.signed")]:
        path.unlink()
    for further in (0, 5):
        again = open_archive(url, keyring=Keyring(keys_folder(url), origin="archive.example/logs"))
        for _ in range(further):
            again.grant(Role.VIEWER, log_id=LOG)
        again.close()
        done = CliRunner().invoke(app, ["tiles", LOG, "-o", str(mirror), "--db", url])
        assert done.exit_code == 1, done.output
        assert "does not go on from them" in " ".join(done.output.split())
        assert {path: path.read_bytes() for path in mirror.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"half of a"])
def test_what_is_no_checkpoint_is_told_and_left(
    archive: Archive, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "checkpoint").write_bytes(content)
    with pytest.raises(BadInput, match="is no checkpoint"):
        write_tiles(archive, LOG, standing_note(archive, LOG), tmp_path, entries=False)
    assert (tmp_path / "checkpoint").read_bytes() == content


def test_entries_are_published_only_where_everybody_may_read_them_all(
    archive: Archive, tmp_path: Path
) -> None:
    mirror = tmp_path / "mirror"

    def publish() -> None:
        write_tiles(archive, LOG, standing_note(archive, LOG), mirror, entries=True)

    with pytest.raises(BadInput, match="match m1"):
        publish()
    archive.append(LOG, "m1", [archive.draft(PublicationReleased())])
    with pytest.raises(BadInput, match="match m2"):
        publish()
    assert not mirror.exists()
    archive.append(LOG, "m2", [archive.draft(PublicationReleased())])
    publish()
    entries = list(entries_in(mirror))
    assert entries == [bytes(row.sealed) for row in archive.store.read_log(LOG)]
    assert [leaf_hash(one) for one in entries] == list(leaves_in(mirror))
    # Names are committed to, and not in the entries.
    assert b"Ada Lantern" not in b"".join(entries)


def test_the_command_writes_them(archive: Archive, tmp_path: Path) -> None:
    url = archive.url
    archive.close()
    place = tmp_path / "mirror"
    done = CliRunner().invoke(app, ["tiles", LOG, "-o", str(place), "--db", url])
    assert done.exit_code == 0, done.output
    assert (place / "checkpoint").is_file()
    refused = CliRunner().invoke(app, ["tiles", LOG, "-o", str(place), "--entries", "--db", url])
    assert refused.exit_code != 0
    assert "its hashes can be" in " ".join(refused.output.split())


def test_the_command_ends_where_the_public_is_behind_the_table(
    archive: Archive, tmp_path: Path
) -> None:
    assert archive.signing is not None
    kept = archive.signing.keep(LOG)
    assert kept is not None

    def written(name: str) -> tuple[int, int | None]:
        place = tmp_path / name
        done = CliRunner().invoke(app, ["tiles", LOG, "-o", str(place), "--db", archive.url])
        note = place / "checkpoint"
        if not note.is_file():
            return done.exit_code, None
        return done.exit_code, parse_checkpoint(parse_note(note.read_bytes()).text).size

    assert written("mirror") == (0, kept.size)
    archive.append(LOG, "m2", [archive.draft(PublicationReleased(delay_ms=3_600_000))])
    later = archive.signing.keep(LOG)
    assert later is not None
    assert later.size > kept.size
    # What was published stays, because a mirror accepts nothing smaller. Newer entries are not due
    # yet.
    assert written("mirror") == (0, kept.size)
    assert written("another") == (1, None)
    archive.append(LOG, "m2", [archive.draft(PublicationReleased(delay_ms=0))])
    assert written("mirror") == (0, later.size + 1)
