"""Witnesses: what only grows is cosigned; a history that was rewritten is refused, and shown."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import sqlite3
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.archive.keyring import Keyring
from api.archive.signing import note_of
from api.cli import app as cli
from api.commands import witnessing
from api.evidence.bundle import FULL, Wanted
from api.evidence.evidence import bundled, cosigned_note, tree_of
from api.evidence.files import write_folder, zipped
from api.evidence.scripts import verify as verifier
from api.evidence.ticking import ticking
from api.evidence.witnesses import (
    SIZE_TYPE,
    Answer,
    Collector,
    Refused,
    Unreachable,
    answered,
    cosignature,
    policy_of,
)
from api.settings import Settings
from events.envelope import ARCHIVE_LOG
from events.errors import BadInput, BadNote, RolledBack, Unverified
from events.payloads import match
from events.payloads.access import Role
from events.sealing.merkle import leaf_hash
from events.sealing.notes import (
    MAX_NOTE_BYTES,
    Checkpoint,
    Kind,
    SigningKey,
    VerifierKey,
    parse_checkpoint,
    parse_note,
    parse_verifier_key,
)
from events.sealing.policy import Policy, Witness, any_of, parse_policy
from events.sealing.proofs import parse_growth
from events.sealing.tree import Tree
from events.values import BySeat
from tests.api.evidence.conftest import LOG, MATCH

GOLDEN = Path(__file__).parents[2] / "golden" / "seals" / "witness.json"
SECONDS = 1_795_440_000


class Bystander:
    """A witness as specified by c2sp.org/tlog-witness, in a few lines."""

    def __init__(self, *keys: VerifierKey, name: str = "witness.example/w1") -> None:
        self.key = SigningKey(name, bytes(31) + b"w", kind=Kind.COSIGNATURE)
        self.keys = keys
        self.known: Checkpoint | None = None
        self.asked: list[int] = []

    @property
    def witness(self) -> Witness:
        return Witness("bystander", self.key.verifier, "https://witness.example")

    def __call__(self, url: str, body: bytes) -> Answer:
        assert url == "https://witness.example/add-checkpoint"
        sent = parse_growth(body)
        self.asked.append(sent.old_size)
        known = 0 if self.known is None else self.known.size
        if sent.old_size != known:
            return Answer(409, SIZE_TYPE, f"{known}\n".encode())
        try:
            self.known = sent.check(self.known, self.keys)
        except Unverified as error:
            return Answer(422, "text/plain", str(error).encode())
        line = self.key.cosign(sent.note.text, seconds=SECONDS)
        return Answer(200, "text/plain", f"{line}\n".encode())


def keys_of(archive: Archive) -> tuple[VerifierKey, ...]:
    assert archive.signing is not None
    return archive.signing.keyring.verifiers(LOG)


def sign(archive: Archive) -> Checkpoint:
    """Store a checkpoint of the log's current state."""
    assert archive.signing is not None
    kept = archive.signing.keep(LOG)
    assert kept is not None
    return parse_checkpoint(note_of(kept).text)


def collect(collector: Collector, archive: Archive) -> bool:
    return collector.collect(LOG, tree_of(archive, LOG, archive.store.log_head(LOG).size))


@pytest.fixture
def bystander(archive: Archive) -> Bystander:
    return Bystander(*keys_of(archive))


@pytest.fixture
def collector(archive: Archive, bystander: Bystander) -> Collector:
    return Collector(archive, any_of((), [bystander.witness]), post=bystander)


@pytest.fixture
def rewritten(archive: Archive, tmp_path: Path) -> Iterator[Archive]:
    """Another history under the name of the same log, longer, and signed with its key."""
    assert archive.signing is not None
    folder = tmp_path / "stolen"
    shutil.copytree(archive.signing.keyring.folder, folder)
    for path in folder.glob("*.signed"):
        path.unlink()
    url = f"sqlite:///{tmp_path / 'rewritten.db'}"
    made = open_archive(url, keyring=Keyring(folder))
    made.open_tournament(LOG, "Lantern Open")
    made.append(LOG, MATCH, [made.draft(match.MatchOpened(players=BySeat((), ()), length=3))])
    for _ in range(12):
        made.grant(Role.VIEWER, log_id=LOG)
    yield made
    made.close()


# -- the archive asks ------------------------------------------------------------------------------


def test_what_a_witness_signs_is_kept_under_the_checkpoint(
    archive: Archive, collector: Collector, bystander: Bystander
) -> None:
    sign(archive)
    assert collect(collector, archive)
    kept = archive.store.checkpoint(LOG)
    assert kept is not None
    key = bystander.key.verifier
    assert note_of(kept).verified([key]) == [key]
    # It has signed this one: it is not asked again.
    assert collect(collector, archive)
    assert bystander.asked == [0]


def test_a_witness_is_shown_that_the_log_has_grown_since_it_was_asked_last(
    archive: Archive, collector: Collector, bystander: Bystander
) -> None:
    first = sign(archive)
    collect(collector, archive)
    archive.grant(Role.VIEWER, log_id=LOG)
    second = sign(archive)
    assert collect(collector, archive)
    assert bystander.asked == [0, first.size]
    assert bystander.known == second


def test_a_witness_that_knows_more_than_is_believed_is_asked_again_from_there(
    archive: Archive, collector: Collector, bystander: Bystander
) -> None:
    first = sign(archive)
    collect(collector, archive)
    archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    anew = Collector(archive, any_of((), [bystander.witness]), post=bystander)
    assert collect(anew, archive)
    assert bystander.asked == [0, 0, first.size]


def test_a_rewritten_history_is_not_cosigned_however_well_it_is_signed(
    archive: Archive, collector: Collector, bystander: Bystander, rewritten: Archive
) -> None:
    known = sign(archive)
    collect(collector, archive)
    assert sign(rewritten).size > known.size
    forger = Collector(rewritten, any_of((), [bystander.witness]), post=bystander)
    assert collect(forger, rewritten)
    assert "does not go on" in forger.refused(LOG)["bystander"]
    kept = rewritten.store.checkpoint(LOG)
    assert kept is not None
    assert kept.lines == {}
    assert bystander.known == known


def test_a_history_that_was_rewritten_before_anybody_knew_it_is_cosigned(
    archive: Archive, rewritten: Archive
) -> None:
    sign(archive)
    known = sign(rewritten)
    late = Bystander(*keys_of(archive))
    forger = Collector(rewritten, any_of((), [late.witness]), post=late)
    assert collect(forger, rewritten)
    assert forger.refused(LOG) == {}
    assert late.known == known


async def test_what_a_witness_refused_is_told_in_the_room(
    archive: Archive, collector: Collector, bystander: Bystander, rewritten: Archive
) -> None:
    sign(archive)
    collect(collector, archive)
    sign(rewritten)
    index = MatchIndex(rewritten.store, rewritten.reading)
    app = create_app(rewritten, Settings(db=rewritten.url), index=index)
    door = app.state.door
    door.collector = Collector(rewritten, any_of((), [bystander.witness]), post=bystander)
    headers = {"Authorization": f"Bearer {rewritten.operator_token()}"}
    transport, base = httpx.ASGITransport(app), "http://archive"
    async with httpx.AsyncClient(transport=transport, base_url=base, headers=headers) as http:
        before = await http.get(f"/logs/{LOG}/room")
        assert before.json()["refused_by"] == []
        collect(door.collector, rewritten)
        tag = {"If-None-Match": before.headers["ETag"]}
        after = await http.get(f"/logs/{LOG}/room", headers=tag)
        assert after.status_code == 200
        [said] = after.json()["refused_by"]
        assert said.startswith("bystander does not sign: ")
        assert "does not go on" in said
        rooms = (await http.get("/room")).text
        assert 'role="alert"' in rooms
        assert "bystander does not sign: " in rooms
    index.close()


async def test_above_all_rooms_it_is_told_of_the_archives_own_log_which_has_none(
    archive: Archive, http: httpx.AsyncClient
) -> None:
    assert 'role="alert"' not in (await http.get("/room")).text
    archive.store.hold(ARCHIVE_LOG, "an older copy stands in its place")
    rooms = (await http.get("/room")).text
    assert rooms.count('role="alert"') == 1
    assert "an older copy stands in its place" in rooms


def test_a_shorter_history_is_not_cosigned(
    archive: Archive, collector: Collector, bystander: Bystander, rewritten: Archive
) -> None:
    sign(rewritten)
    collect(Collector(rewritten, any_of((), [bystander.witness]), post=bystander), rewritten)
    sign(archive)
    collect(collector, archive)
    assert "has seen" in collector.refused(LOG)["bystander"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500, "text/plain", b"later"),
        Answer(404, "text/plain", b"unknown log"),
        Answer(403, "text/plain", b"unknown key"),
        Answer(302, "text/html", b""),
        Answer(200, "text/plain", b""),
        Answer(200, "text/plain", b"OK"),
        Answer(200, "text/plain", b"\xff\n"),
        Answer(200, "text/plain", "\u2014 witness.example/w1 AAAAAAAA\n".encode()),
    ],
)
def test_what_is_no_signature_is_not_kept_and_asked_for_again(
    archive: Archive, bystander: Bystander, answer: Answer
) -> None:
    sign(archive)
    answers = [answer]
    policy = any_of((), [bystander.witness])
    mute = Collector(
        archive, policy, post=lambda url, body: answers.pop() if answers else bystander(url, body)
    )
    assert not collect(mute, archive)
    kept = archive.store.checkpoint(LOG)
    assert kept is not None
    assert kept.lines == {}
    # That says nothing of the log.
    assert mute.refused(LOG) == {}
    assert collect(mute, archive)


def test_a_witness_that_says_no_all_day_is_told_of_once_an_hour(
    archive: Archive, bystander: Bystander, caplog: pytest.LogCaptureFixture
) -> None:
    sign(archive)
    policy, now, knows_us = any_of((), [bystander.witness]), [0.0], []

    def post(url: str, body: bytes) -> Answer:
        return bystander(url, body) if knows_us else Answer(403, "text/plain", b"who are you?")

    asking = Collector(archive, policy, post=post, clock=lambda: now[0])
    for _ in range(361):
        assert not collect(asking, archive)
        now[0] += 10.0
    first, second = [record.getMessage() for record in caplog.records]
    assert first.endswith("answers 403: who are you?")
    assert second == f"{first} (359 more times since it was told last)"
    knows_us.append(True)
    assert collect(asking, archive)
    knows_us.clear()
    archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    collect(asking, archive)
    # It was well meanwhile: this is news.
    assert len(caplog.records) == 3


def test_a_signature_over_another_checkpoint_is_not_kept(
    archive: Archive, bystander: Bystander
) -> None:
    text = Checkpoint(keys_of(archive)[0].name, 5, bytes(32)).text
    line = f"{bystander.key.cosign(text, seconds=SECONDS)}\n".encode()
    sign(archive)
    policy = any_of((), [bystander.witness])
    liar = Collector(archive, policy, post=lambda url, body: Answer(200, "text/plain", line))
    assert not collect(liar, archive)


def test_one_witness_that_is_out_of_reach_does_not_keep_the_others_from_signing(
    archive: Archive, bystander: Bystander
) -> None:
    absent = Witness(
        "absent", SigningKey("a.example", bytes(32), kind=Kind.COSIGNATURE).verifier, "https://a"
    )

    def post(url: str, body: bytes) -> Answer:
        if url.startswith("https://a/"):
            raise Unreachable("nobody answers")
        return bystander(url, body)

    sign(archive)
    both = Collector(archive, any_of((), [absent, bystander.witness]), post=post)
    assert not collect(both, archive)
    kept = archive.store.checkpoint(LOG)
    assert kept is not None
    assert len(kept.lines) == 1


async def test_a_server_has_what_it_signs_cosigned(
    archive: Archive, collector: Collector, bystander: Bystander
) -> None:
    async with ticking(archive, every_s=0.01, collector=collector, abroad_every_s=0.01):
        archive.grant(Role.VIEWER, log_id=LOG)
        size = archive.store.log_head(LOG).size
        for _ in range(500):
            if bystander.known is not None and bystander.known.size == size:
                break
            await asyncio.sleep(0.01)
    assert bystander.known is not None
    assert bystander.known.size == size


def test_a_bundle_says_who_has_cosigned_and_whether_it_is_enough(
    archive: Archive, collector: Collector, bystander: Bystander
) -> None:
    policy = any_of((), [bystander.witness])
    files = bundled(archive, Wanted(LOG, MATCH, FULL), policy=policy)
    assert "too few witnesses have signed: the quorum of `policy` is not met" in list(
        verifier.verify_files(files)
    )
    collect(collector, archive)
    files = bundled(archive, Wanted(LOG, MATCH, FULL), policy=policy)
    told = list(verifier.verify_files(files))
    assert f"cosigned by bystander, at {SECONDS} seconds since 1970" in told
    assert not [line for line in told if "too few" in line]
    assert parse_policy(files["policy"].decode()).witnesses == (bystander.witness,)


def test_commands_that_only_read_give_out_what_witnesses_have_signed(
    archive: Archive,
    collector: Collector,
    bystander: Bystander,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sign(archive)
    assert collect(collector, archive)
    size = archive.store.log_head(LOG).size
    monkeypatch.setenv("TABULARIUM_WITNESSES", str(tmp_path / "witnesses"))
    (tmp_path / "witnesses").write_text(str(Policy((), (bystander.witness,), (), "bystander")))
    url, key = archive.url, bystander.key.verifier

    def given(name: str) -> list[str]:
        place = tmp_path / name
        for asked in (
            ["export", MATCH, "--format", "bundle", "-o", str(place / "bundle")],
            ["tiles", LOG, "-o", str(place / "tiles")],
        ):
            done = CliRunner().invoke(cli, [*asked, "--db", url])
            assert done.exit_code == 0, done.output
        noted = [
            parse_note((place / folder / "checkpoint").read_bytes())
            for folder in ("bundle", "tiles")
        ]
        assert [note.verified([key]) for note in noted] == [[key], [key]]
        sizes = {parse_checkpoint(note.text).size for note in noted}
        assert sizes == {size}
        return list(verifier.verify(str(place / "bundle"), None))

    assert f"cosigned by bystander, at {SECONDS} seconds since 1970" in given("beside")
    # What was signed last when a server stops, no witness was asked about: the one before it is
    # given, as far as it reaches.
    archive.grant(Role.VIEWER, log_id=LOG)
    archive.close()
    assert not [line for line in given("later") if "too few" in line]


def test_an_older_copy_of_the_archive_gives_out_nothing_that_is_signed(
    archive: Archive,
    collector: Collector,
    bystander: Bystander,
    tmp_path: Path,
) -> None:
    sign(archive)
    assert collect(collector, archive)
    policy = Policy((), (bystander.witness,), (), "bystander")
    older = tmp_path / "older"
    older.mkdir()
    place = Path(archive.url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(place)) as db, closing(sqlite3.connect(older / "a.db")) as copy:
        db.backup(copy)
    archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    assert archive.signing is not None
    stale = open_archive(
        f"sqlite:///{older / 'a.db'}", keyring=Keyring(archive.signing.keyring.folder)
    )
    try:
        with pytest.raises(RolledBack):
            cosigned_note(stale, LOG, policy)
        with pytest.raises(RolledBack):
            bundled(stale, Wanted(LOG, MATCH, FULL), policy=policy)
    finally:
        stale.close()


def test_witnesses_are_named_by_a_file(tmp_path: Path, bystander: Bystander) -> None:
    assert policy_of(Settings()).witnesses == ()
    path = tmp_path / "witnesses"
    path.write_text(str(Policy((), (bystander.witness,), (), "bystander")))
    assert policy_of(Settings(witnesses=path)).witnesses == (bystander.witness,)
    path.write_text(f"witness w {bystander.key.verifier} ftp://w\nquorum none\n")
    with pytest.raises(BadInput, match="no http URL"):
        policy_of(Settings(witnesses=path))
    path.write_text("witness w\n")
    with pytest.raises(BadNote, match="line 1"):
        policy_of(Settings(witnesses=path))
    with pytest.raises(BadInput, match="cannot be read"):
        policy_of(Settings(witnesses=tmp_path / "absent"))


# -- what another implementation answers -----------------------------------------------------------


def _golden() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(GOLDEN.read_text("utf-8"))
    return told


@pytest.mark.parametrize("case", _golden()["cases"], ids=lambda case: case["name"])
def test_aics_witness_gets_what_it_understood_and_is_understood(case: dict[str, Any]) -> None:
    """Its answers of 23 November 2026: it cosigned growth, and refused rewritten logs."""
    golden = _golden()
    word = "other" if case["name"].startswith("rewritten") else "entry"
    tree = Tree(leaf_hash(f"{word} {at}".encode()) for at in range(20))
    left = list(case["exchanges"])

    def post(url: str, body: bytes) -> Answer:
        told = left.pop(0)
        assert body.decode() == told["request"]
        return Answer(told["status"], told["type"], told["answer"].encode())

    witness = Witness("w1", parse_verifier_key(golden["witness"]), "http://127.0.0.1:7399")
    note = parse_note(case["note"].encode())
    try:
        result = str(cosignature(witness, note, tree, old=case["old"], post=post))
    except (Refused, Unreachable) as error:
        result = f"{type(error).__name__}: {error}"
    assert result == case["result"]
    assert not left


# -- the command -----------------------------------------------------------------------------------


Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def invoked(source: str | Path, *options: str) -> Any:
        place = ("--state", str(tmp_path / "state"))
        return CliRunner().invoke(cli, ["witness", str(source), *place, *options])

    return invoked


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Archive], str]]:
    """`serving(archive)`: what the command asks of the address, this archive answers."""
    indexes: list[MatchIndex] = []

    def serve(archive: Archive) -> str:
        index = MatchIndex(archive.store, archive.reading)
        indexes.append(index)
        app = create_app(archive, Settings(db=archive.url), index=index)
        token = archive.operator_token()

        async def asked(url: str, headers: dict[str, str]) -> Answer:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
                answer = await client.get(url, headers=headers)
            if len(answer.content) > MAX_NOTE_BYTES:
                raise Unreachable("more than a note may have")
            return Answer(answer.status_code, "", answer.content)

        def get(_: str, url: str, *, headers: dict[str, str], timeout_s: float) -> Answer:
            sent = {**headers, "Authorization": f"Bearer {token}"}
            return asyncio.run(asked(url, sent))

        monkeypatch.setattr(witnessing, "answered", get)
        return f"https://club.example/logs/{LOG}"

    yield serve
    for index in indexes:
        index.close()


def test_the_command_keeps_a_checkpoint_and_follows_a_log_that_grows(
    archive: Archive, run: Run, serving: Callable[[Archive], str], tmp_path: Path
) -> None:
    url = serving(archive)
    first = run(url)
    assert first.exit_code == 0, first.output
    assert "taken on trust" in first.output
    again = run(url)
    assert (again.exit_code, "as before" in again.output) == (0, True)
    size = archive.store.log_head(LOG).size
    noun = "entry" if size == 1 else "entries"
    assert f": {size:,} {noun}, kept in" in first.output
    archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    grown = run(url, "--json")
    assert grown.exit_code == 0, grown.output
    told = json.loads(grown.stdout)
    assert (told["size"], told["from"]) == (size + 1, size)


def test_the_command_refuses_a_rewritten_history_and_says_what_it_saw(
    archive: Archive, rewritten: Archive, run: Run, serving: Callable[[Archive], str],
    tmp_path: Path,
) -> None:  # fmt: skip
    assert run(serving(archive)).exit_code == 0
    before = (tmp_path / "state").read_bytes()
    sign(rewritten)
    refused = run(serving(rewritten))
    assert refused.exit_code == 1
    told = " ".join(refused.output.split())
    assert "REFUSED: the log of" in told
    assert "does not go on from" in told
    # It still has its own state; what it received is stored beside it.
    assert (tmp_path / "state").read_bytes() == before
    shown = parse_note((tmp_path / "state.rewritten").read_bytes())
    assert shown.verified(keys_of(archive))
    assert run(serving(archive)).exit_code == 0


def test_the_command_refuses_a_shorter_log_and_another_of_the_same_size(
    archive: Archive, rewritten: Archive, run: Run, serving: Callable[[Archive], str]
) -> None:
    sign(rewritten)
    assert run(serving(rewritten)).exit_code == 0
    shorter = run(serving(archive))
    assert (shorter.exit_code, "had 14 before" in shorter.output) == (1, True)
    while archive.store.log_head(LOG).size < 14:
        archive.grant(Role.VIEWER, log_id=LOG)
    sign(archive)
    other = run(serving(archive))
    assert (other.exit_code, "is another one than it was" in other.output) == (1, True)


def test_the_command_refuses_a_log_that_its_own_server_holds(
    archive: Archive, run: Run, serving: Callable[[Archive], str]
) -> None:
    archive.store.hold(LOG, "the log open is an older copy")
    held = run(serving(archive))
    assert (held.exit_code, "older copy" in held.output) == (1, True)


def test_the_command_believes_the_published_key_alone(
    archive: Archive, run: Run, serving: Callable[[Archive], str]
) -> None:
    url = serving(archive)
    stranger = SigningKey(keys_of(archive)[0].name, bytes(32)).verifier
    refused = run(url, "--key", str(stranger))
    assert (refused.exit_code, "no signature by" in refused.output) == (1, True)
    assert run(url, "--key", "nonsense").exit_code == 2
    assert run(url, "--key", str(keys_of(archive)[0])).exit_code == 0


def test_a_key_that_the_command_does_not_know_is_no_proof_of_a_rewritten_history(
    archive: Archive, run: Run, serving: Callable[[Archive], str], tmp_path: Path
) -> None:
    """A log whose key was rotated and retired was said to be one to be shown to whoever rules."""
    assert run(serving(archive)).exit_code == 0
    assert archive.signing is not None
    keyring = archive.signing.keyring
    new = archive.rotate_key(LOG)
    assert keyring.retire(LOG)
    sign(archive)
    refused = run(serving(archive))
    told = " ".join(refused.output.split())
    assert (refused.exit_code, "name it with --key" in told) == (1, True)
    assert "whoever rules" not in told
    assert not (tmp_path / "state.rewritten").exists()
    assert run(serving(archive), "--key", str(new)).exit_code == 0
    assert run(serving(archive)).exit_code == 0


@pytest.fixture
def run_as_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command with an address alone, as the page on evidence names it, in an empty folder."""
    monkeypatch.setattr(witnessing, "default_witnessed", lambda: tmp_path / "witnessed")

    def invoked(source: str, *options: str) -> Any:
        return CliRunner().invoke(cli, ["witness", source, *options])

    return invoked


def test_a_history_rewritten_under_a_key_and_name_of_its_own_is_no_log_that_nobody_knows(
    archive: Archive, run_as_told: Run, serving: Callable[[Archive], str], tmp_path: Path
) -> None:
    """States are stored under the log's name, which is the name of its key, of a new one too."""
    first = run_as_told(serving(archive))
    assert (first.exit_code, "taken on trust" in first.output) == (0, True)
    other = open_archive(f"sqlite:///{tmp_path / 'other.db'}", keyring=Keyring(tmp_path / "own"))
    other.open_tournament(LOG, "Lantern Open")
    for _ in range(20):
        other.grant(Role.VIEWER, log_id=LOG)
    sign(other)
    assert keys_of(other)[0].name != keys_of(archive)[0].name
    refused = run_as_told(serving(other))
    assert refused.exit_code == 1, refused.output
    assert "taken on trust" not in refused.output
    # With the new key given as trusted: then the entries have to continue, and do not.
    named = run_as_told(serving(other), "--key", str(keys_of(other)[0]))
    assert (named.exit_code, "does not go on from" in named.output) == (1, True), named.output
    other.close()
    assert run_as_told(serving(archive)).exit_code == 0
    assert "as before" in run_as_told(serving(archive) + "/").output


def test_a_log_whose_keys_were_lost_is_followed_once_its_new_key_is_named(
    archive: Archive, run_as_told: Run, serving: Callable[[Archive], str], tmp_path: Path
) -> None:
    size = sign(archive).size
    assert run_as_told(serving(archive)).exit_code == 0
    archive.close()
    shutil.copyfile(archive.url.removeprefix("sqlite:///"), tmp_path / "restored.db")
    restored = open_archive(
        f"sqlite:///{tmp_path / 'restored.db'}", keyring=Keyring(tmp_path / "new-keys")
    )
    sign(restored)
    url = serving(restored)
    unknown = run_as_told(url)
    assert (unknown.exit_code, "--key" in unknown.output) == (1, True), unknown.output
    known = run_as_told(url, "--json", "--key", str(keys_of(restored)[0]))
    assert known.exit_code == 0, known.output
    told = json.loads(known.stdout)
    assert (told["from"], told["size"] > size) == (size, True)
    assert run_as_told(url).exit_code == 0
    restored.close()


@pytest.mark.parametrize("is_zip", [True, False])
def test_the_command_reads_bundles_and_checkpoints(
    archive: Archive, rewritten: Archive, run: Run, tmp_path: Path, is_zip: bool
) -> None:
    def put(name: str, of: Archive, since: int | None = None) -> Path:
        files = bundled(of, Wanted(LOG, MATCH, FULL, since))
        place = tmp_path / (f"{name}.zip" if is_zip else name)
        if is_zip:
            place.write_bytes(zipped(files, folder=name))
        else:
            write_folder(files, place)
        return place

    key = ("--key", str(keys_of(archive)[0]))
    first = put("first", archive)
    assert run(first).exit_code == 2  # a file cannot vouch for its own key
    assert run(first, *key).exit_code == 0
    size = sign(archive).size
    archive.grant(Role.VIEWER, log_id=LOG)
    without = run(put("without", archive))
    assert (without.exit_code, "nothing shows that" in without.output) == (1, True)
    assert run(put("with", archive, size)).exit_code == 0
    false = run(put("false", rewritten, size))
    assert false.exit_code == 1
    assert run(tmp_path / "absent").exit_code == 2
    note = tmp_path / "note"
    note.write_bytes(b"no checkpoint")
    assert run(note).exit_code == 2


@pytest.mark.parametrize("name", ["checkpoint", "consistency"])
def test_the_command_reads_no_more_of_a_file_than_a_checkpoint_can_have(
    run: Run, tmp_path: Path, name: str
) -> None:
    place = tmp_path / "packed.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
        for one in ("b/checkpoint", "b/consistency"):
            packed.writestr(one, bytes(200_000_000 if one.endswith(name) else 10))
    tracemalloc.start()
    told = run(place)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (told.exit_code, most < 20_000_000) == (2, True), told.output
    assert run(Path("/dev/zero")).exit_code == 2
    # The packed proof is altered, and proves nothing any more.
    raw = bytearray(place.read_bytes())
    raw[60:80] = b"\xff" * 20
    place.write_bytes(raw)
    told = run(place)
    assert (told.exit_code, "no evidence bundle" in told.output) == (2, True), told.output


def test_the_command_says_which_address_it_wants(
    archive: Archive, run_as_told: Run, serving: Callable[[Archive], str]
) -> None:
    for page in ("", f"/matches/{LOG}/{MATCH}", "/logs/nowhere"):
        lost = run_as_told(serving(archive).removesuffix(f"/logs/{LOG}") + page)
        told = " ".join(lost.output.split())
        assert (lost.exit_code, "the address of a log" in told) == (2, True), told


def test_the_command_asks_nobody_who_does_not_answer(run: Run) -> None:
    silent = run("http://127.0.0.1:9/logs/open")
    assert silent.exit_code == 2
    assert "does not answer" in " ".join(silent.output.split())


@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n"])
def test_nobody_is_waited_for_who_answers_a_byte_at_a_time(before: bytes) -> None:
    """There is one thread for all witnesses, and a server that stops waits for it."""
    over = threading.Event()

    def drip(listening: socket.socket) -> None:
        there, _ = listening.accept()
        with there, suppress(OSError):
            there.sendall(before or b"HTTP/1.1 200 O")
            while not over.wait(0.02):
                there.sendall(b"K")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        dripping = threading.Thread(target=drip, args=(listening,))
        dripping.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/add-checkpoint"
        try:
            with pytest.raises(Unreachable, match=r"takes longer than 0\.3 seconds"):
                answered("POST", url, b"old 0\n", timeout_s=0.3)
        finally:
            over.set()
            dripping.join()
