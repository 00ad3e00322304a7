"""Packs: what each rule set gives its committee, and nothing else; whatever else is tried fails."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import random
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.archive.files import FileStore
from api.evidence.bundle import MANIFEST, Files, with_manifest
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from api.packs.pack import Pack, packed
from api.packs.redaction import is_harmless
from api.packs.unsealing import unsealed
from api.refusals import Problem
from events.payloads.appeal import AppealFiled, PackIssued
from events.payloads.base import Actor
from events.payloads.dispute import DisputeRaised, EvidenceAttached, Reading
from events.payloads.equipment import AgreementEnded
from events.values import BySeat, Seat
from tests.api.evidence.case_rig import LOG, MATCH, Rig, Roster, Words, rig
from tests.api.evidence.conftest import is_verified
from tests.api.evidence.test_tampering import checked
from tests.projections.rules.federations import BIBA, FCBG, FEDERATIONS, USBGF

SECOND = "5b1d2f3a-7c4e-4a6b-9d8c-2e1f0a9b8c7d"
"""Stream of what another scribe wrote down of the match."""


@pytest.fixture(scope="module")
def rigs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rig]]:
    """The playthrough of each federation, up to the appeal."""
    made = {one: rig(tmp_path_factory.mktemp(one), one) for one in FEDERATIONS}
    yield made
    for one in made.values():
        one.archive.close()


@pytest.fixture(scope="module")
def packs(rigs: dict[str, Rig]) -> dict[str, Pack]:
    return {one: packed(made.archive, LOG, made.case) for one, made in rigs.items()}


def tags_of(files: Files) -> list[str]:
    entries = [json.loads(raw) for name, raw in files.items() if name.startswith("entries/")]
    mine = [one for one in entries if one["stream"] == MATCH]
    return [str(one["tag"]) for one in sorted(mine, key=lambda one: one["version"])]


def values_of(files: Files) -> dict[str, object]:
    told = [json.loads(raw) for name, raw in files.items() if name.startswith("disclosures/")]
    return {name: value for _, name, value in told}


def by_bash(folder: Path) -> subprocess.CompletedProcess[str]:
    # No more of the machine than a stranger's would have.
    clean = {"PATH": "/usr/bin:/bin"}
    script = Path(verifier.__file__).parent / "verify.sh"
    command = ["bash", str(script), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean)


# -- what is in it ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule_set", [USBGF, FCBG])
def test_a_committee_that_may_know_all_is_given_all(
    packs: dict[str, Pack], rigs: dict[str, Rig], rule_set: str
) -> None:
    files, made = packs[rule_set].files, rigs[rule_set]
    told = set(map(str, values_of(files).values()))
    said = {*made.words, made.roster.one, made.roster.two, made.roster.club, made.roster.table}
    assert said <= told
    assert {"ruling.made", "appeal.filed", "testimony.given"} <= set(tags_of(files))
    assert not any(name.startswith("withheld/") for name in files)
    page = packs[rule_set].page.decode()
    for one in (made.roster.one, made.roster.two, *made.words):
        assert json.dumps(one, ensure_ascii=False)[1:-1] in page


def test_what_a_text_does_not_say_is_given_and_flagged(packs: dict[str, Pack]) -> None:
    files = packs[FCBG].files
    assert json.loads(files["bundle.json"])["unstated"] == ["first_ruling"]
    assert b"does not say so: the first ruling" in files["README"]
    assert b"does not say so" not in packs[USBGF].files["README"]


def test_biba_is_given_neither_who_plays_nor_the_first_ruling(
    packs: dict[str, Pack], rigs: dict[str, Rig]
) -> None:
    pack = packs[BIBA]
    assert values_of(pack.files) == {"says": rigs[BIBA].words.testimony}
    tags = tags_of(pack.files)
    assert "appeal.filed" not in tags
    assert tags[-1] == "director.called"
    told = json.loads(pack.files["bundle.json"])
    assert told["cut"] == {"last": pack.through, "why": ["first_ruling"], "withheld": []}
    assert told["keeps_back"] == ["first_ruling", "players"]
    # The ruling that is appealed is the last one; the one before it was on another matter.
    assert tags.count("ruling.made") == 1
    assert "tournament.opened" not in {
        json.loads(raw)["tag"] for name, raw in pack.files.items() if name.startswith("entries/")
    }


def test_words_that_name_a_player_are_left_out_of_a_blind_pack(tmp_path: Path) -> None:
    words = Words(testimony="I saw LANTERN knock the table.")
    made = rig(tmp_path, BIBA, words=words)
    pack = packed(made.archive, LOG, made.case)
    assert values_of(pack.files) == {}
    assert b"LANTERN" not in b"".join(pack.files.values())
    assert "it names a player" in pack.page.decode()


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_the_same_case_gives_the_same_bytes(
    rigs: dict[str, Rig], packs: dict[str, Pack], rule_set: str
) -> None:
    made = rigs[rule_set]
    assert packed(made.archive, LOG, made.case).zip == packs[rule_set].zip


def test_what_is_recorded_later_changes_no_pack(tmp_path: Path) -> None:
    """Also that it was handed out, and everything up to the decision and after it."""
    early = rig(tmp_path / "early", BIBA)
    late = rig(tmp_path / "late", BIBA, until=None)
    first = packed(early.archive, LOG, early.case)
    assert packed(late.archive, LOG, late.case).files["entries/5.json"]
    issued = early.archive.draft(PackIssued(**first.issued(None)))  # type: ignore[arg-type]
    early.archive.append(LOG, MATCH, [issued])
    assert packed(early.archive, LOG, early.case).zip == first.zip
    assert packed(late.archive, LOG, late.case).through == first.through


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_second_scribes_record_is_in_it_though_it_was_sent_late(
    tmp_path: Path, is_kept: bool
) -> None:
    """As far as the turn of the last entry shown: when a tablet sends depends on its network."""
    made = rig(tmp_path, USBGF)
    main = made.archive.reading.live(LOG, MATCH)
    opened = main.replay.opened
    assert opened is not None
    if is_kept:
        events = [replace(opened, shadow_of=MATCH, players=BySeat((), ()))]
        events += [one.payload for one in main.recorded if one.tag in ("game.started",)][:1]
        for payload in events:
            made.archive.append(LOG, SECOND, [made.archive.draft(payload)])
    pack = packed(made.archive, LOG, made.case)
    page = pack.files["case.html"].decode()
    view = json.loads(re.search(r"\{\"case\":.*?\n?(?=</script>)", page, re.S)[0])  # type: ignore[index]
    assert len(view["others"]) == int(is_kept)
    entries = [json.loads(raw) for name, raw in pack.files.items() if name.startswith("entries/")]
    assert (SECOND in {one["stream"] for one in entries}) is is_kept
    assert is_verified(pack.files)


@pytest.mark.parametrize("rule_set", [BIBA, USBGF])
def test_a_word_that_names_a_player_is_told_of_no_record_in_a_blind_pack(
    tmp_path: Path, rule_set: str
) -> None:
    made = rig(tmp_path, rule_set)
    opened = made.archive.reading.live(LOG, MATCH).replay.opened
    assert opened is not None
    reading = Reading(by=Actor.ONE, reading=f"{made.roster.one} rolled 3-1")
    for payload in (
        replace(opened, shadow_of=MATCH, players=BySeat((), ())),
        AgreementEnded(item="mixing_of_dice"),
        AgreementEnded(item=made.roster.two.replace(" ", "_")),
        DisputeRaised(by=Actor.ONE, readings=(reading,)),
    ):
        made.archive.append(LOG, SECOND, [made.archive.draft(payload)])
    page = packed(made.archive, LOG, made.case).files["case.html"].decode()
    assert "no longer agreed: mixing_of_dice" in page
    for telling in ("Ada", "Lantern", "Candle"):
        assert (telling in page) is (rule_set != BIBA), telling


def test_a_pack_says_its_own_hash(packs: dict[str, Pack]) -> None:
    pack = packs[USBGF]
    body = pack.issued("the chair")
    assert body["bundle"] == hashlib.sha256(pack.zip).hexdigest()
    assert body["profile"] == USBGF
    assert body["checkpoint_size"] == json.loads(pack.files["bundle.json"])["size"]
    assert body["to"] == "the chair"


def test_a_zip_file_tells_no_date_no_user_and_no_case(packs: dict[str, Pack]) -> None:
    with zipfile.ZipFile(io.BytesIO(packs[BIBA].zip)) as archive:
        infos = archive.infolist()
    assert {one.filename.partition("/")[0] for one in infos} == {"pack"}
    assert {(one.date_time, one.extra, one.comment) for one in infos} == {
        ((1980, 1, 1, 0, 0, 0), b"", b"")
    }


def test_a_blind_pack_is_proved_without_the_hours_of_witnesses(packs: dict[str, Pack]) -> None:
    files = packs[BIBA].files
    assert files["checkpoint"].count("\u2014".encode()) == 1
    assert b"witness" not in files["policy"]


# -- refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "telling"),
    [
        ({"log_id": "nordic-open-2026"}, ["log"]),
        ({"match_id": "r3-t07-9c41"}, ["match"]),
        ({"log_id": "nordic-open-2026", "match_id": "r3-t07-9c41"}, ["log", "match"]),
        # A UUID that is not made by chance tells the hour, or the computer.
        ({"match_id": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}, ["match"]),
        ({"log_id": "c232ab00-9414-11ec-b3c8-9f6bdeced846"}, ["log"]),
    ],
)
def test_ids_that_tell_something_are_refused_where_players_are_secret(
    tmp_path: Path, ids: dict[str, str], telling: list[str]
) -> None:
    """It is shown to nobody: the reader may be a member of the committee."""
    made = rig(tmp_path / "blind", BIBA, **ids)  # type: ignore[arg-type]
    with pytest.raises(Problem, match="may tell a committee") as refused:
        packed(made.archive, ids.get("log_id", LOG), made.case)
    assert refused.value.more == {"telling": telling}
    assert "at its desk" in refused.value.detail
    assert not any(one in f"{refused.value.detail} {refused.value.why}" for one in ids.values())
    open_one = rig(tmp_path / "open", USBGF, **ids)  # type: ignore[arg-type]
    assert packed(open_one.archive, ids.get("log_id", LOG), open_one.case).files


def test_there_is_no_pack_of_what_is_no_appeal(rigs: dict[str, Rig]) -> None:
    with pytest.raises(Problem, match="no appeal of this id"):
        packed(rigs[BIBA].archive, LOG, "00000000-0000-4000-8000-000000000001")


# -- sealed entries that might tell who plays ------------------------------------------------------


@pytest.mark.gate
def test_an_opening_that_names_players_by_id_is_a_hash_and_unsealed_later(tmp_path: Path) -> None:
    made = rig(tmp_path, BIBA, has_ids=True, until=None)
    pack = packed(made.archive, LOG, made.case)
    assert json.loads(pack.files["bundle.json"])["cut"]["withheld"] == [1]
    assert "match.opened" not in tags_of(pack.files)
    assert b'"p-' not in b"".join(pack.files.values())
    assert is_verified(pack.files)
    body = pack.issued(None)
    made.archive.append(LOG, MATCH, [made.archive.draft(PackIssued(**body))])  # type: ignore[arg-type]
    _, _, later = unsealed(made.archive, LOG, made.case)
    [opening] = [name for name in later if name.startswith("unsealed/")]
    both = {**pack.files, **later}
    assert is_verified(both)
    for wrong in (later[opening][:-1] + b" ", later[opening].replace(b"p-", b"q-")):
        assert not is_verified({**both, opening: wrong})
    write_folder(both, tmp_path / "both")
    done = by_bash(tmp_path / "both")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "both" / opening).write_bytes(later[opening].replace(b"p-", b"q-"))
    assert by_bash(tmp_path / "both").returncode == 1


ENTRY: dict[str, Any] = {"entry_id": "9d2f7c11-5e6a-4b7c-8d9e-1f2a3b4c5d6e", "tag": "play.made"}


@pytest.mark.parametrize(
    ("entry", "is_shown"),
    [
        ({}, True),
        ({"body": {"seat": "one", "written": "13/7 8/7*"}}, True),
        ({"body": {"seat": "one", "written": "13/7 as Ada said"}}, False),
        ({"body": {"seat": "one", "reason": "ada"}}, False),
        ({"body": {"seat": "one", "reason": "for_ada"}}, False),
        ({"body": {"seat": "one", "reason": "winsada"}}, False),
        ({"body": {"seat": "one", "reason": "wick_wax"}}, False),
        ({"body": {"seat": "one", "reason": "wickwax.2"}}, False),
        ({"body": {"seat": "one", "reason": "of_bo"}}, False),
        ({"body": {"seat": "one", "reason": "a-board-leg"}}, True),
        ({"tag": "vote.opened", "body": {"vote": "modify", "proposal": "ada"}}, False),
        ({"tag": "vote.director_cast", "body": {"vote": "uphold"}}, False),
        ({"body": {"seat": "one", "note": {"sd": "ab" * 32}}}, True),
        ({"entry_id": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}, False),
        ({"body": {"target": "c232ab00-9414-11ec-b3c8-9f6bdeced846"}}, False),
        ({"tag": "evidence.attached", "body": {"file": "ab" * 32, "kind": "photo"}}, False),
        ({"tag": "publication.released"}, False),
        ({"tag": "vote.cast", "body": {"vote": "uphold"}}, False),
        ({"tag": "pack.issued"}, False),
        ({"tag": "something.new"}, False),
        ({"tag": "match.opened", "body": {"source": {"sha256": "ab" * 32}}}, False),
        ({"tag": "match.opened", "body": {"shadow_of": "x"}}, False),
        ({"tag": "match.opened", "body": {"players": {"one": [{"id": "p-1"}]}}}, False),
        ({"tag": "match.opened", "body": {"options": {"beaver": {"posted": "hall"}}}}, False),
        ({"tag": "entry.amended", "body": {"tag": "play.made", "body": {"seat": "one"}}}, True),
        ({"tag": "entry.amended", "body": {"tag": "pack.issued", "body": {}}}, False),
        ({"tag": "entry.amended", "body": {"tag": "play.made", "body": {"reason": "ada"}}}, False),
    ],
)  # fmt: skip
def test_an_entry_is_shown_only_where_it_is_known_to_tell_nothing(
    entry: dict[str, Any], is_shown: bool
) -> None:
    sealed = json.dumps({**ENTRY, "body": {}, **entry}).encode()
    assert is_harmless(sealed, {"ada", "bo", "wick wax"}) is is_shown


def test_where_the_score_would_tell_who_plays_earlier_games_are_hashes(
    rigs: dict[str, Rig], packs: dict[str, Pack]
) -> None:
    made = rigs[BIBA]
    pack = packed(made.archive, LOG, made.case, hides_score=True)
    assert is_verified(pack.files)
    told = json.loads(pack.files["bundle.json"])["cut"]
    assert told["why"] == ["first_ruling", "score"]
    tags = tags_of(pack.files)
    assert tags.count("game.started") == 1
    assert not {"game.won", "score.noted", "result.posted", "match.ended"} & set(tags)
    page = pack.page.decode()
    [data] = re.findall(
        r'<script type="application/json" id="pack">(.*?)</script>', page, re.DOTALL
    )
    view = json.loads(data)
    assert {str(one["score"]["one"]) for one in view["match"]["scenes"]} == {"–"}
    assert [one["number"] for one in view["match"]["games"]] == [2]
    findings = [said["message"] for one in view["match"]["scenes"] for said in one["findings"]]
    assert not [one for one in findings if re.search(r"\d-\d|score", one)]
    assert pack.files["README"] != packs[BIBA].files["README"]
    with pytest.raises(Problem, match="the score is shown"):
        packed(rigs[USBGF].archive, LOG, rigs[USBGF].case, hides_score=True)


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_a_photo_is_in_the_pack_of_who_may_see_it_and_of_nobody_else(
    tmp_path: Path, rule_set: str
) -> None:
    made = rig(tmp_path, rule_set, until="appeal.filed")
    store = FileStore(tmp_path / "files", lambda: 1_790_000_000_000)
    photo, missing = b"\xff\xd8 a cocked die", hashlib.sha256(b"it never came").hexdigest()
    incoming = store.incoming()
    incoming.write(photo)
    sha256 = incoming.sha256
    store.keep(LOG, incoming, "image/jpeg")
    archive = made.archive
    for file in (sha256, missing):
        attached = EvidenceAttached(file=file, kind="photo")
        archive.append(LOG, MATCH, [archive.draft(attached)])
    recorded = archive.reading.live(LOG, MATCH).recorded
    [ruled] = [one for one in recorded if one.tag == "ruling.made"][:1]
    filed = archive.draft(AppealFiled(seat=Seat.ONE, target=ruled.entry_id))
    archive.append(LOG, MATCH, [filed])
    archive.signing and archive.signing.keep(LOG)
    files = packed(archive, LOG, filed.entry_id, files=store).files
    assert is_verified(files)
    shown = {name: raw for name, raw in files.items() if name.startswith("files/")}
    # Of a photo nobody can tell by its bytes whom it shows: a blind committee gets none.
    assert shown == ({} if rule_set == BIBA else {f"files/{sha256}": photo})
    assert (base64.b64encode(photo) in files["case.html"]) is (rule_set != BIBA)
    if shown:
        assert not is_verified({**files, f"files/{sha256}": photo + b"."})
    archive.close()


@pytest.mark.parametrize("script", [pytest.param("verify.sh", marks=pytest.mark.gate), "verify.py"])
def test_a_photo_that_was_swapped_is_refused_whatever_the_manifest_says(
    tmp_path: Path, script: str
) -> None:
    made = rig(tmp_path, USBGF, until="appeal.filed")
    store = FileStore(tmp_path / "files", lambda: 1_790_000_000_000)
    photo, other = b"\xff\xd8 a cocked die", b"\xff\xd8 a die that is flat"
    incoming = store.incoming()
    incoming.write(photo)
    store.keep(LOG, incoming, "image/jpeg")
    archive = made.archive
    attached = archive.draft(EvidenceAttached(file=incoming.sha256, kind="photo"))
    recorded = archive.reading.live(LOG, MATCH).recorded
    ruled = next(one for one in recorded if one.tag == "ruling.made")
    filed = archive.draft(AppealFiled(seat=Seat.ONE, target=ruled.entry_id))
    archive.append(LOG, MATCH, [attached, filed])
    archive.signing and archive.signing.keep(LOG)
    files = packed(archive, LOG, filed.entry_id, files=store).files
    archive.close()
    name, another = f"files/{incoming.sha256}", f"files/{hashlib.sha256(other).hexdigest()}"
    rest = {path: raw for path, raw in files.items() if path not in (MANIFEST, name)}
    kept = {**rest, name: photo}
    for number, (forged, said) in enumerate(
        (
            (kept, ""),
            ({**rest, name: other}, "is not what its name says"),
            ({**kept, another: other}, "no entry shown names"),
            ({**kept, "files/photo.jpg": other}, "photo.jpg"),
            ({**kept, "ruling.txt": b"upheld"}, "belongs to no bundle"),
        )
    ):
        folder = tmp_path / f"forged {number}"
        write_folder(with_manifest(forged), folder)
        done = checked(script, folder)
        assert done.returncode == (1 if said else 0), (done.stdout, done.stderr)
        assert said in done.stdout


# -- unsealing -------------------------------------------------------------------------------------


def test_names_are_unsealed_after_the_decision_alone(tmp_path: Path) -> None:
    before = rig(tmp_path / "before", BIBA, until="appeal.decided")
    with pytest.raises(Problem, match="not decided"):
        unsealed(before.archive, LOG, before.case)
    after = rig(tmp_path / "after", BIBA, until=None)
    with pytest.raises(Problem, match="no pack of this case was handed out"):
        unsealed(after.archive, LOG, after.case)
    opened = rig(tmp_path / "open", FCBG, until=None)
    with pytest.raises(Problem, match="shows all names"):
        unsealed(opened.archive, LOG, opened.case)


def test_what_is_unsealed_is_what_was_committed_to_at_the_start(tmp_path: Path) -> None:
    made = rig(tmp_path, BIBA, until=None)
    pack = packed(made.archive, LOG, made.case)
    body = pack.issued(None)
    made.archive.append(LOG, MATCH, [made.archive.draft(PackIssued(**body))])  # type: ignore[arg-type]
    _, issued, later = unsealed(made.archive, LOG, made.case)
    assert issued
    values = values_of(later)
    assert values["players.one.0.name"] == made.roster.one
    assert values["table"] == made.roster.table
    both = {**pack.files, **later}
    assert is_verified(both)
    [name] = [one for one, raw in later.items() if made.roster.one.encode() in raw]
    other = later[name].replace(b"Ada", b"Eve")
    assert not is_verified({**both, name: other})
    renamed = f"disclosures/{hashlib.sha256(other).hexdigest()}.json"
    assert not is_verified({**pack.files, renamed: other})
    # The ruling that is kept back stays so: names are unsealed, and nothing that came later.
    assert made.words.ground not in map(str, values.values())


# -- checked by others -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_bare_python_verifies_it(packs: dict[str, Pack], rule_set: str) -> None:
    told = list(verifier.verify_files(packs[rule_set].files))
    assert any("personal values shown" in line for line in told)
    assert any("keeps back" in line for line in told) is (rule_set == BIBA)


@pytest.mark.gate
@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_bash_verifies_it(packs: dict[str, Pack], tmp_path: Path, rule_set: str) -> None:
    write_folder(packs[rule_set].files, tmp_path / "pack")
    done = by_bash(tmp_path / "pack")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.gate
@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_a_flipped_bit_fails(packs: dict[str, Pack], tmp_path: Path, rule_set: str) -> None:
    """A seeded sample: 40 bits by verify.py over all files, 2 of them by verify.sh."""
    files = packs[rule_set].files
    chance = random.Random(f"flips {rule_set}")
    names = sorted(files)
    folder = tmp_path / "pack"
    write_folder(files, folder)
    for number in range(40):
        name = chance.choice(names)
        at, bit = chance.randrange(len(files[name])), chance.randrange(8)
        raw = bytearray(files[name])
        raw[at] ^= 1 << bit
        assert not is_verified({**files, name: bytes(raw)}), (name, at, bit)
        if number % 20 == 0:
            (folder / name).write_bytes(raw)
            assert by_bash(folder).returncode == 1, (name, at, bit)
            (folder / name).write_bytes(files[name])


def test_a_version_that_is_taken_out_is_missed(packs: dict[str, Pack]) -> None:
    for rule_set in FEDERATIONS:
        files = dict(packs[rule_set].files)
        entry = next(
            name
            for name, raw in files.items()
            if name.startswith("entries/") and json.loads(raw)["version"] == 20
        )
        proof = f"proofs/{entry[8:-5]}.tlog-proof"
        less = {name: raw for name, raw in files.items() if name not in (entry, proof)}
        less.pop("MANIFEST.sha256")
        kept = {name: raw for name, raw in less.items() if not name.startswith("disclosures/")}
        assert not is_verified(with_manifest(kept)), rule_set


# -- nothing leaks ---------------------------------------------------------------------------------

AWKWARD = (
    ("A", "B"), ("Ö", "É"), ("Zoë", "Ångström"), ("Nguyễn Thị", "Łukasz Żak"), ("אבי כהן", "שרה"),
    ("محمد علي", "فاطمة"), ("🎲", "🎲🎲"), ("王", "小明"), ("O’Hara", "d'Artagnan"),
    ("<b>Bold</b>", "</script><script>alert(1)</script>"), ("&amp;", "&lt;Tag&gt;"),
    ('"Quote"', "back\\slash"), ("May", "Rose"), ("Roll", "Dice"), ("Simple", "Other"),
    ("Director", "Committee"), ("One", "Two"), ("Player 1", "Player 2"), ("Table Seven", "Seven"),
    ("Wick & Wax", "Wax"), ("Quarter Final", "Final"), ("Lantern Open", "Open"), ("7", "12"),
    ("1723.45", "GBR-88412"), ("null", "true"), ("constructor", "__proto__"), ("../../etc", "a/b"),
    ("%41da", "Ada%20"), ("{{7*7}}", "${x}"), ("Ada\tTab", "New\nLine"), ("  spaced  ", "x  y"),
    ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ﬁne", "ﬂow"), ("Ada\u200bZero", "Ben\u202eltr"), ("e\u0301", "é"),
    ("Jean-Luc Émile de la Tour", "van der Berg"), ("III", "Jr."), ("uphold", "reverse"),
    ("biba-2014", "usbgf"), ("-", "..."),
)  # fmt: skip
"""Forty rosters: one letter, accents, from right to left, emoji, signs, words of the record."""


def masked(pack: Pack) -> dict[str, str]:
    """The files without what salts make: hashes in hex and in base64, and what holds them."""
    found = {}
    for name, raw in pack.files.items():
        found[re.sub(r"[0-9a-f]{64}", "#", name)] = masked_text(raw)
    return found


# Scripts and their files have the same bytes in every pack.
@functools.cache
def masked_text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    text = re.sub(r"[0-9a-f]{64}", "#", text)
    text = re.sub(r"[0-9a-f]{32}", "#", text)
    return re.sub(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43,}={0,2}", "#", text)


def rosters() -> Iterator[Roster]:
    for number, (one, two) in enumerate(AWKWARD):
        yield Roster(one, two, club=f"{two} & {one} Club", table=f"{one} table {number}")


@pytest.mark.gate
def test_the_roster_makes_no_difference_to_a_blind_pack(tmp_path: Path) -> None:
    """Forty rosters, one pack: but for what salts make, the bytes are the same for all of them."""
    words = Words(testimony="~")
    plain = None
    for number, roster in enumerate(rosters()):
        place = tmp_path / str(number)
        place.mkdir()
        made = rig(place, BIBA, roster=roster, words=words)
        pack = packed(made.archive, LOG, made.case)
        found = masked(pack)
        if plain is None:
            plain = found
        assert found == plain, roster
        whole = pack.zip + b"".join(pack.files.values()) + "".join(pack.files).encode()
        for text in roster.strings:
            raw = hashlib.sha256(text.encode())
            assert raw.hexdigest().encode() not in whole, text
            assert base64.b64encode(raw.digest()).rstrip(b"=") not in whole, text
            assert base64.urlsafe_b64encode(raw.digest()).rstrip(b"=") not in whole, text
        for text in (roster.club, roster.scribe, roster.director, "Lantern", roster.rating):
            assert text.encode() not in whole, text
        made.archive.close()
    assert len(AWKWARD) == 40


def test_no_hour_of_the_day_is_in_a_blind_pack(
    packs: dict[str, Pack], rigs: dict[str, Rig]
) -> None:
    whole = b"".join(packs[BIBA].files.values())
    # The rig's clock runs from 1 790 000 000 000 milliseconds on.
    assert b"1790000" not in whole
    assert b"received_at" not in b"".join(
        raw for name, raw in packs[BIBA].files.items() if not name.startswith("verify")
    )
    assert b"1790000" in b"".join(packs[USBGF].files.values())


def test_the_case_has_no_id_in_a_blind_pack(packs: dict[str, Pack], rigs: dict[str, Rig]) -> None:
    whole = packs[BIBA].zip + b"".join(packs[BIBA].files.values())
    made = rigs[BIBA]
    grants = made.archive.reading.access(LOG).grants.values()
    for one in (made.case, *(grant.grant_id for grant in grants)):
        assert one.encode() not in whole
