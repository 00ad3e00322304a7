"""What evidence does not prove: each of these passes every check, and nobody can tell by it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from api.archive.archive import Archive
from api.evidence.bundle import FULL, MANIFEST, Files, Wanted, with_manifest
from api.evidence.evidence import bundled
from api.evidence.files import zipped
from api.evidence.scripts import verify as verifier
from api.html.texts import texts_of
from api.packs.pack import FOLDER, packed
from events.payloads import dice, dispute
from events.values import Seat
from tests.api.evidence.case_rig import LOG as CASE_LOG
from tests.api.evidence.case_rig import rig
from tests.api.evidence.conftest import LOG, MATCH
from tests.projections.rules.federations import BIBA, USBGF


def told(files: Files) -> list[str]:
    """What the verifier says. Errors: verifier.Fails."""
    return list(verifier.verify_files(files))


def test_a_ruling_that_nobody_gave_is_sealed_like_any_other(archive: Archive) -> None:
    archive.append(LOG, MATCH, [archive.draft(dispute.RulingMade())])
    files = bundled(archive, Wanted(LOG, MATCH, FULL))
    assert any(b'"tag":"ruling.made"' in raw for raw in files.values())
    assert told(files)


def test_a_bundle_shows_nothing_of_what_was_recorded_since(archive: Archive) -> None:
    before = bundled(archive, Wanted(LOG, MATCH, FULL))
    archive.append(LOG, MATCH, [archive.draft(dice.Rolled(seat=Seat.TWO, dice=(4, 2)))])
    after = bundled(archive, Wanted(LOG, MATCH, FULL))
    last = [json.loads(one["bundle.json"])["last"] for one in (before, after)]
    assert last[0] + 1 == last[1]
    assert told(before)
    assert told(after)


def test_an_entry_that_was_never_taken_in_is_missed_by_nobody(archive: Archive) -> None:
    # A tablet that was told nothing of its last draft sends it again; one that is gone does not.
    meant = dice.Rolled(seat=Seat.TWO, dice=(4, 2))
    archive.append(LOG, MATCH, [archive.draft(dice.Rolled(seat=Seat.ONE, dice=(2, 1)))])
    files = bundled(archive, Wanted(LOG, MATCH, FULL))
    assert told(files)
    assert not any(str(list(meant.dice)).replace(" ", "").encode() in one for one in files.values())


def test_the_logs_random_id_stands_in_a_blind_pack_and_its_readme_says_so(tmp_path: Path) -> None:
    made = rig(tmp_path, BIBA)
    files = packed(made.archive, CASE_LOG, made.case).files
    made.archive.close()
    entries = [raw for name, raw in files.items() if name.startswith("entries/")]
    assert all(CASE_LOG.encode() in raw for raw in entries)
    assert texts_of("en")("pack.readme_linking").encode() in files["README"]


def test_a_page_that_was_put_into_a_pack_passes_and_is_told_by_the_packs_hash_alone(
    tmp_path: Path,
) -> None:
    made = rig(tmp_path, USBGF)
    pack = packed(made.archive, CASE_LOG, made.case)
    made.archive.close()
    files = {name: raw for name, raw in pack.files.items() if name != MANIFEST}
    files["case.html"] = b"<h1>Verified</h1>Ada Lantern said that she had lied."
    forged = with_manifest(files)
    assert any("case.html is not checked" in line for line in told(forged))
    assert hashlib.sha256(zipped(forged, folder=FOLDER)).hexdigest() != pack.sha256
