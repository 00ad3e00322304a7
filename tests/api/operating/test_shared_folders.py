"""Files and ballots in folders that several archives share, as those on PostgreSQL do."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path

from api.operating import copies
from api.operating.parts import Brought, place_for
from api.settings import Settings
from events.envelope import TOURNAMENT_STREAM
from events.payloads.custody import DisclosureErased
from tests.api.commands.conftest import Run
from tests.api.operating.conftest import opened


def test_a_copy_leaves_alone_what_lies_of_other_archives_in_the_same_folders(
    archive_url: str, tmp_path: Path
) -> None:
    # As those of all archives on PostgreSQL do, unless the environment names others.
    target = f"sqlite:///{tmp_path / 'copy' / 'there.sqlite'}"
    to = place_for(Settings(db=target))._replace(
        files=tmp_path / "shared.files", ballots=tmp_path / "shared.ballots"
    )
    theirs = [to.ballots / str(uuid.UUID(int=7))]  # type: ignore[operator]
    for log, body in (("imports", b"of their imports"), ("other", b"of another log")):
        name = hashlib.sha256(body).hexdigest()
        theirs.append(to.files / log / name[:2] / name)  # type: ignore[operator]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(path.name.encode())
    of, ours = place_for(Settings(db=archive_url)), hashlib.sha256(b"a photo").hexdigest()
    assert of.files is not None
    made = copies.copy(archive_url, of, target, to, origin="here")
    copied = to.files / "imports" / ours[:2] / ours  # type: ignore[operator]
    assert (made.files, copied.read_bytes()) == (Brought(1, 0, ()), b"a photo")
    archive = opened(archive_url)
    archive.append(
        "imports", TOURNAMENT_STREAM, [archive.draft(DisclosureErased(commitments=(ours,)))]
    )
    archive.close()
    (of.files / "imports" / ours[:2] / ours).unlink()
    assert copies.copy(archive_url, of, target, to, origin="here").files == Brought(0, 1, ())
    assert not copied.exists()
    assert [path.read_bytes() for path in theirs] == [path.name.encode() for path in theirs]


def test_a_backup_takes_no_file_or_ballot_of_another_archive(
    run: Run, archive_url: str, database: Path, tmp_path: Path
) -> None:
    beside = database.with_name("archive.sqlite.files")
    name = hashlib.sha256(b"of another log").hexdigest()
    (beside / "other" / name[:2]).mkdir(parents=True)
    (beside / "other" / name[:2] / name).write_bytes(b"of another log")
    ballots = database.with_name("archive.sqlite.ballots")
    ballots.mkdir()
    (ballots / str(uuid.UUID(int=7))).write_bytes(b"closed")
    [told] = run("backup", tmp_path / "safe", "--json").lines
    assert told["files"] == 1
    assert not (tmp_path / "safe" / "files" / "other").exists()
    assert not [*(tmp_path / "safe").glob("ballots/*")]
