"""Evidence over HTTP: signed data for readers of the log, bundles for readers of the match."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import httpx
import pytest

from api.archive.archive import Archive
from api.evidence.bundle import MANIFEST, Files, with_manifest
from api.evidence.files import write_folder
from api.evidence.scripts import verify as verifier
from events.envelope import TOURNAMENT_STREAM
from events.payloads.access import Role
from events.sealing.notes import Note, VerifierKey, parse_checkpoint, parse_note, parse_verifier_key
from events.sealing.policy import parse_policy
from events.sealing.proofs import parse_entry_proof, parse_growth
from tests.api.devices import Tablet
from tests.api.evidence.conftest import LOG, MATCH
from tests.api.evidence.test_ticking import entry

BUNDLE = f"/logs/{LOG}/matches/{MATCH}/bundle.zip"


def key_of(archive: Archive) -> VerifierKey:
    assert archive.signing is not None
    return archive.signing.keyring.verifiers(LOG)[0]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def signed(http: httpx.AsyncClient) -> Note:
    answer = await http.get(f"/logs/{LOG}/checkpoint/note")
    assert answer.status_code == 200, answer.text
    return parse_note(answer.content)


def unzipped(raw: bytes) -> Files:
    with zipfile.ZipFile(BytesIO(raw)) as packed:
        return {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


def names_in(raw: bytes) -> set[str]:
    told = [json.loads(one) for name, one in unzipped(raw).items() if "disclosures/" in name]
    return {name for _, name, _ in told}


async def release(http: httpx.AsyncClient) -> None:
    body = {"entries": [entry("publication.released")]}
    path = f"/logs/{LOG}/matches/{MATCH}/events"
    answer = await http.post(path, json=body, headers={"If-Match": "*"})
    assert answer.status_code == 201, answer.text


async def test_the_signed_checkpoint_is_a_note_of_the_log(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    note = await signed(http)
    assert note.verified([key_of(archive)])
    head = archive.store.log_head(LOG)
    assert parse_checkpoint(note.text) == (key_of(archive).name, head.size, head.root)
    answer = await http.get(f"/logs/{LOG}/checkpoint/note")
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert (await http.get(f"/logs/{LOG}/checkpoint/note", headers=tag)).status_code == 304


async def test_every_entry_has_a_proof_that_stands_alone(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    for row in archive.store.read_log(LOG):
        answer = await http.get(f"/logs/{LOG}/proof/entry", params={"entry": row.global_position})
        assert answer.status_code == 200, answer.text
        proof = parse_entry_proof(answer.content)
        assert proof.entry == row.global_position
        proof.check(row.leaf_hash, [key_of(archive)])
    beyond = await http.get(f"/logs/{LOG}/proof/entry", params={"entry": 99})
    assert (beyond.status_code, beyond.json()["where"]) == (400, "query.entry")


async def test_what_was_appended_since_the_last_signature_is_signed_when_it_is_asked_for(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    before = parse_checkpoint((await signed(http)).text)
    archive.grant(Role.VIEWER, log_id=LOG)
    assert parse_checkpoint((await signed(http)).text) == before
    answer = await http.get(f"/logs/{LOG}/proof/entry", params={"entry": before.size})
    proof = parse_entry_proof(answer.content)
    assert parse_checkpoint(proof.note.text).size == before.size + 1


async def test_growth_is_proved_in_the_form_in_which_witnesses_take_it(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    old = parse_checkpoint((await signed(http)).text)
    for _ in range(3):
        archive.grant(Role.VIEWER, log_id=LOG)
    assert archive.signing is not None
    archive.signing.keep_grown()
    answer = await http.get(f"/logs/{LOG}/proof/growth", params={"from": old.size})
    new = parse_growth(answer.content).check(old, [key_of(archive)])
    assert new.size == old.size + 3
    beyond = await http.get(f"/logs/{LOG}/proof/growth", params={"from": 99})
    assert (beyond.status_code, beyond.json()["where"]) == (400, "query.from")


async def test_keys_and_policy_are_those_of_the_log(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    keys = (await http.get(f"/logs/{LOG}/keys")).json()["keys"]
    assert [parse_verifier_key(one) for one in keys] == [key_of(archive)]
    policy = parse_policy((await http.get(f"/logs/{LOG}/policy")).text)
    assert policy.logs == (key_of(archive),)
    policy.check(await signed(http))


@pytest.mark.parametrize(
    "path", ["checkpoint/note", "proof/entry?entry=0", "proof/growth?from=1", "policy", "keys"]
)
async def test_whoever_may_not_know_of_the_log_gets_nothing_that_is_signed(
    http: httpx.AsyncClient, archive: Archive, path: str
) -> None:
    del http.headers["Authorization"]
    assert (await http.get(f"/logs/{LOG}/{path}")).status_code == 401
    stranger, _ = archive.grant(Role.VIEWER, log_id="archive", match=None)
    assert (await http.get(f"/logs/{LOG}/{path}", headers=bearer(stranger))).status_code == 200
    http.headers["Authorization"] = f"Bearer {archive.operator_token()}"
    assert (await http.get(f"/logs/nobody/{path}")).status_code == 404
    archive.store.hold(LOG, "it is an older copy")
    answer = await http.get(f"/logs/{LOG}/{path}")
    assert answer.status_code == (200 if path in ("policy", "keys") else 409)


async def test_a_bundle_verifies_and_is_the_same_each_time(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    first, second = [(await http.get(BUNDLE)) for _ in range(2)]
    assert first.status_code == 200, first.text
    assert first.content == second.content
    assert first.headers["Content-Type"] == "application/zip"
    place = tmp_path / "m1.zip"
    place.write_bytes(first.content)
    assert list(verifier.verify(str(place)))
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await http.get(BUNDLE, headers=tag)).status_code == 304
    head = await http.head(BUNDLE)
    assert (head.content, head.headers["Content-Length"]) == (b"", str(len(first.content)))


async def test_the_evidence_of_a_match_is_its_bundle(http: httpx.AsyncClient) -> None:
    for query in ("", "?profile=public&since=3"):
        answer = await http.get(f"/logs/{LOG}/matches/{MATCH}/evidence{query}")
        assert answer.status_code == 200, answer.text
        assert answer.content == (await http.get(f"{BUNDLE}{query}")).content
        assert answer.headers["content-type"] == "application/zip"


async def test_a_bundle_goes_on_from_a_checkpoint_that_somebody_kept(
    http: httpx.AsyncClient, archive: Archive, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes((await signed(http)).raw)
    await release(http)
    size = parse_checkpoint(parse_note(kept.read_bytes()).text).size
    answer = await http.get(BUNDLE, params={"since": size})
    told = list(verifier.verify_files(unzipped(answer.content), str(kept)))
    assert f"the log has only grown since your checkpoint of {size} entries" in told
    beyond = await http.get(BUNDLE, params={"since": 99})
    assert (beyond.status_code, beyond.json()["where"]) == (400, "query.since")


async def test_each_reader_gets_no_more_than_is_due(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    operator = dict(http.headers)["authorization"]
    committee, _ = archive.grant(Role.COMMITTEE, log_id=LOG, match=MATCH)
    viewer, _ = archive.grant(Role.VIEWER, log_id=LOG, match=MATCH)
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    names = {"players.one.0.name", "players.two.0.name"}
    del http.headers["Authorization"]
    assert (await http.get(BUNDLE)).status_code == 401
    await release_as(http, operator)
    public = await http.get(BUNDLE)
    assert names_in(public.content) == names
    assert names_in((await http.get(BUNDLE, params={"profile": "bare"})).content) == set()
    assert (await http.get(BUNDLE, params={"profile": "full"})).status_code == 401
    # A viewer may be a player, and testimony may be kept from players: words are the director's.
    assert names_in((await http.get(BUNDLE, headers=bearer(viewer))).content) == names
    more = await http.get(BUNDLE, params={"profile": "full"}, headers=bearer(viewer))
    assert (more.status_code, "director" in more.json()["needs"]) == (403, True)
    full = await http.get(BUNDLE, headers=bearer(director))
    assert names_in(full.content) >= {*names, "round", "context"}
    refused = await http.get(BUNDLE, headers=bearer(committee))
    assert refused.status_code == 403
    assert "pack" in refused.json()["needs"]
    wrong = await http.get(BUNDLE, params={"profile": "committee"})
    assert (wrong.status_code, wrong.json()["where"]) == (400, "query.profile")


async def release_as(http: httpx.AsyncClient, authorization: str) -> None:
    http.headers["Authorization"] = authorization
    await release(http)
    del http.headers["Authorization"]


async def test_the_public_gets_the_match_up_to_where_it_stands_still(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    await release(http)
    shown = archive.reading.live(LOG, MATCH).version
    path = f"/logs/{LOG}/matches/{MATCH}/events"
    dispute = entry("dispute.raised", by="one", topic="dice.validity")
    body = {"entries": [dispute]}
    assert (await http.post(path, json=body, headers={"If-Match": "*"})).status_code == 201
    del http.headers["Authorization"]
    answer = await http.get(BUNDLE)
    files = unzipped(answer.content)
    told = json.loads(files["bundle.json"])
    assert told["last"] <= shown
    tags = {json.loads(raw)["tag"] for name, raw in files.items() if name.startswith("entries/")}
    assert "dispute.raised" not in tags
    assert list(verifier.verify_files(files))


async def test_what_tablets_sent_and_no_entry_became_is_in_a_full_bundle_alone(
    http: httpx.AsyncClient, archive: Archive
) -> None:
    tablet = Tablet()
    granted = entry("access.granted", **tablet.granted())
    body = {"entries": [granted]}
    answer = await http.post(f"/logs/{LOG}/events", json=body, headers={"If-Match": "*"})
    assert answer.status_code == 201, answer.text
    late = tablet.named("entry.noted", 1, "text", "what the scribe had seen")
    stale = tablet.record("game.ended", 1)
    sent = await http.post(
        f"/logs/{LOG}/ingest", json={"items": [late, stale]}, headers=bearer(tablet.token)
    )
    outcomes = [one["outcome"] for one in sent.json()["results"]]
    assert outcomes == ["stream_conflict"] * 2, sent.text
    files = unzipped((await http.get(BUNDLE)).content)
    parked = [name for name in files if name.startswith("parked/")]
    assert len(parked) == 4
    told = list(verifier.verify_files(files))
    assert "2 drafts of devices that became no entry, 2 of them signed" in told
    public = unzipped((await http.get(BUNDLE, params={"profile": "public"})).content)
    assert not [name for name in public if name.startswith(("parked/", "drafts/", "devices/"))]
    # A changed word in an entry that was set aside is found as well.
    draft = next(name for name in parked if name.endswith(".json"))
    for changed in (
        {**files, draft: files[draft] + b" "},
        {name: raw for name, raw in files.items() if not name.startswith("devices/")},
    ):
        with pytest.raises(verifier.Fails):
            list(verifier.verify_files(remade(changed)))


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("t1", base64.b64encode),
        ("t1", lambda raw: base64.urlsafe_b64encode(raw).rstrip(b"=")),
        ("../../\u00e9 x", base64.b64encode),
        (":" + "\U0001f3b2" * 63, base64.b64encode),
    ],
    ids=["plain", "url", "path", "long"],
)
async def test_a_bundle_shows_that_a_tablet_wrote_and_signed_what_became_an_entry(
    http: httpx.AsyncClient, name: str, spelled: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    tablet = Tablet(name)
    granted = tablet.granted()
    granted["device"]["public_key"] = spelled(tablet.key.public_key().public_bytes_raw()).decode()
    leased = {"match": MATCH, "device": name, "lease": 1}
    entries = [entry("access.granted", **granted), entry("lease.granted", **leased)]
    body = {"entries": entries}
    answer = await http.post(f"/logs/{LOG}/events", json=body, headers={"If-Match": "*"})
    assert answer.status_code == 201, answer.text
    items = [tablet.record("turn.ended", 4, body={"seat": "one", "method": "tapped_bar"})]
    sent = await http.post(
        f"/logs/{LOG}/ingest", json={"items": items}, headers=bearer(tablet.token)
    )
    assert [one["outcome"] for one in sent.json()["results"]] == ["accepted"], sent.text
    files = unzipped((await http.get(BUNDLE)).content)
    told = list(verifier.verify_files(files))
    assert "1 entries as a device wrote them, 1 of them signed by it" in told
    folder = tmp_path / "bundle" / "deep" / "down"
    write_folder(files, folder)
    assert {one.relative_to(folder) for one in folder.rglob("*.pem")} == {
        one.relative_to(folder) for one in (tmp_path / "bundle").rglob("*.pem")
    }
    assert len(list((folder / "devices").iterdir())) == 1
    # Another draft, with the right name and signed by the tablet, is not the one behind the entry.
    draft = next(one for one in files if one.startswith("drafts/") and one.endswith(".json"))
    other = files[draft].replace(b"tapped_bar", b"lifted_one")
    stem = f"drafts/{hashlib.sha256(other).hexdigest()}"
    swapped = {one: raw for one, raw in files.items() if not one.startswith("drafts/")}
    swapped |= {f"{stem}.json": other, f"{stem}.sig": tablet.key.sign(other)}
    assert not any("as a device wrote" in one for one in verifier.verify_files(remade(swapped)))
    swapped[f"{stem}.sig"] = files[draft.replace(".json", ".sig")]
    with pytest.raises(verifier.Fails, match="the device did not sign"):
        list(verifier.verify_files(remade(swapped)))


def remade(files: Files) -> Files:
    return with_manifest({name: raw for name, raw in files.items() if name != MANIFEST})


async def test_the_tournaments_own_stream_is_no_match(http: httpx.AsyncClient) -> None:
    answer = await http.get(f"/logs/{LOG}/matches/{TOURNAMENT_STREAM}/bundle.zip")
    assert answer.status_code == 404
