"""After an erasure, new exports contain nothing of the person; earlier ones still verify."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from api.archive.erasing import erase, places_of, split
from api.archive.index.index import MatchIndex
from api.evidence.bundle import FULL, PROFILES, Files, Wanted
from api.evidence.evidence import bundled
from api.evidence.scripts import verify as verifier
from api.packs.pack import packed
from api.packs.unsealing import unsealed
from events.payloads.appeal import AppealDecided, AppealOutcome, PackIssued
from events.store.fsck import fsck
from tests.api.evidence.case_rig import LOG, MATCH, Rig, Words, rig
from tests.projections.rules.federations import BIBA, USBGF

WHO = "Ada Lantern"
WORDS = Words(testimony="Ada Lantern lifted both dice before they lay still.")
MARKS = (WHO.encode(), hashlib.sha256(WHO.encode()).hexdigest().encode())


def erased(made: Rig, *, words: bool = True) -> None:
    """Erase the player, and the words that name them if they are asked for."""
    index = MatchIndex(made.archive.store, made.archive.reading)
    index.catch_up()
    places = places_of(made.archive, LOG, WHO)
    named, _ = split(places, words=words)
    assert erase(made.archive, index, named, by="operator") >= 1
    index.close()
    made.archive.signing and made.archive.signing.keep(LOG)


def tells(files: Files) -> list[str]:
    return [name for name, raw in files.items() if any(mark in raw for mark in MARKS)]


@pytest.mark.parametrize("rule_set", [USBGF, BIBA])
def test_a_pack_that_is_made_later_names_nobody_who_was_erased(
    tmp_path: Path, rule_set: str
) -> None:
    made = rig(tmp_path, rule_set, words=WORDS)
    before = packed(made.archive, LOG, made.case).files
    erased(made)
    after = packed(made.archive, LOG, made.case).files
    assert bool(tells(before)) == (rule_set == USBGF)
    assert tells(after) == []
    for files in (before, after):
        assert list(verifier.verify_files(files))
    assert not fsck(made.archive.store).findings
    made.archive.close()


def test_words_that_name_who_was_erased_are_kept_from_a_blind_committee_all_the_same(
    tmp_path: Path,
) -> None:
    made = rig(tmp_path, BIBA, words=WORDS)
    erased(made, words=False)
    after = packed(made.archive, LOG, made.case).files
    made.archive.close()
    assert tells(after) == []


def test_nothing_of_who_was_erased_is_unsealed(tmp_path: Path) -> None:
    made = rig(tmp_path, BIBA, words=WORDS)
    pack = packed(made.archive, LOG, made.case)
    decided = AppealDecided(outcome=AppealOutcome.UPHELD, appeal=made.case)
    issued = PackIssued(**pack.issued(None))  # type: ignore[arg-type]
    made.archive.append(LOG, MATCH, [made.archive.draft(one) for one in (issued, decided)])
    erased(made)
    later = unsealed(made.archive, LOG, made.case)[2]
    made.archive.close()
    assert tells(later) == []
    assert any(b"Ben Candle" in raw for raw in later.values())
    assert list(verifier.verify_files({**pack.files, **later}))


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_bundle_that_is_made_later_names_nobody_who_was_erased(
    tmp_path: Path, profile: str
) -> None:
    made = rig(tmp_path, USBGF, words=WORDS, until=None)
    before = bundled(made.archive, Wanted(LOG, MATCH, FULL))
    assert tells(before)
    erased(made)
    after = bundled(made.archive, Wanted(LOG, MATCH, profile))
    made.archive.close()
    assert tells(after) == []
    for files in (before, after):
        assert list(verifier.verify_files(files))
