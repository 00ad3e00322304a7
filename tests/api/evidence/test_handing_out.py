"""Packs at the doors: who is handed one, its record, the embargo, unsealing, the command."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from msgspec.structs import replace
from typer.testing import CliRunner

from api.app import create_app
from api.archive.archive import token_hash
from api.archive.channel import Terms
from api.archive.index.index import MatchIndex
from api.cli import app as cli
from api.evidence.scripts import verify as verifier
from api.openapi import document
from api.settings import Settings
from events.catalogue import read
from events.payloads.access import Role
from events.payloads.custody import PublicationReleased
from events.payloads.dispute import EvidenceAttached
from events.values import BySeat
from tests.api.evidence.case_rig import LOG, MATCH, Rig, rig
from tests.api.routes.conftest import admitted_by, cookie_with
from tests.projections.rules.federations import BIBA, USBGF

M = f"/logs/{LOG}/matches/{MATCH}"
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}


class Doors:
    """A case that is served, and whoever asks."""

    def __init__(self, http: httpx.AsyncClient, made: Rig, app: FastAPI) -> None:
        self.http, self.made, self.archive = http, made, made.archive
        self.app, self.hub = app, app.state.door.hub
        self.director = self.token(Role.DIRECTOR)

    def token(self, role: Role, match: str | None = None) -> str:
        return self.archive.grant(role, log_id=LOG, match=match)[0]

    async def post(self, path: str, token: str | None, body: Any = None) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self.http.post(path, headers=headers, json=body or {})

    async def get(self, path: str, token: str | None = None) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self.http.get(path, headers=headers)

    async def issued(self) -> list[str]:
        """Give a committee of three its case; the members' tokens."""
        case = f"/logs/{LOG}/cases/{self.made.case}"
        members = [{"name": name, "independent": True} for name in ("Ida", "Omar", "Zoe")]
        made = await self.post(f"{case}/committee", self.director, {"members": members})
        assert made.status_code == 201, made.text
        tokens = []
        for one in made.json()["codes"]:
            tokens.append((await admitted_by(self.http, one["code"])).token)
        return tokens

    async def issue(self) -> None:
        case = f"/logs/{LOG}/cases/{self.made.case}"
        assert (await self.post(f"{case}/issue", self.director)).status_code == 201

    def entries(self, tag: str) -> list[Any]:
        rows = self.archive.store.read_stream(LOG, MATCH)
        return [read(row).payload for row in rows if row.tag == tag]


@pytest.fixture(params=[BIBA])
async def doors(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Doors]:
    made = rig(tmp_path, request.param)
    index = MatchIndex(made.archive.store, made.archive.reading)
    app = create_app(made.archive, Settings(db=made.archive.url), index=index)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        yield Doors(http, made, app)
    index.close()
    made.archive.close()


def files_of(answer: httpx.Response) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {one.partition("/")[2]: archive.read(one) for one in archive.namelist()}


async def test_a_member_gets_what_was_issued_and_it_is_on_record(doors: Doors) -> None:
    ida, *_ = await doors.issued()
    pack = f"/cases/{doors.made.case}/pack"
    early = await doors.post(pack, ida)
    assert early.status_code == 409
    assert "has not given the committee this case" in early.json()["detail"]
    await doors.issue()
    answer = await doors.post(pack, ida)
    assert answer.status_code == 201, answer.text
    digest = hashlib.sha256(answer.content)
    said = base64.b64encode(digest.digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{said}:"
    assert answer.headers["content-disposition"].startswith('attachment; filename="pack-')
    files = files_of(answer)
    list(verifier.verify_files(files))
    assert doors.made.roster.one.encode() not in answer.content + b"".join(files.values())
    [issued] = doors.entries("pack.issued")
    assert (issued.bundle, issued.profile) == (digest.hexdigest(), BIBA)
    assert issued.checkpoint_size == json.loads(files["bundle.json"])["size"]
    again = await doors.post(pack, ida)
    assert again.content == answer.content
    assert (await doors.post(pack, doors.director, {"to": "the chair"})).content == answer.content
    # Each handing out is one; to whom is a commitment.
    assert len(doors.entries("pack.issued")) == 3


async def test_nobody_else_gets_a_pack_or_unseals_one(doors: Doors) -> None:
    ida, *_ = await doors.issued()
    await doors.issue()
    pack, seals = (f"/cases/{doors.made.case}/{one}" for one in ("pack", "seals"))
    for path in (pack, seals):
        assert (await doors.post(path, None)).status_code == 401
        for role in (Role.VIEWER, Role.SCRIBE, Role.COMMITTEE):
            assert (await doors.post(path, doors.token(role))).status_code == 403, role
    assert (await doors.post(seals, ida)).status_code == 403
    early = await doors.post(seals, doors.director)
    assert early.status_code == 409
    assert "not decided" in early.json()["detail"]
    assert doors.entries("pack.issued") == doors.entries("pack.unsealed") == []


async def test_packs_are_unsealed_after_the_decision_on_record(doors: Doors) -> None:
    ida, omar, zoe = await doors.issued()
    await doors.issue()
    case = f"/cases/{doors.made.case}"
    files = files_of(await doors.post(f"{case}/pack", ida))
    for token in (ida, omar, zoe):
        assert (await doors.post(f"{case}/ballots", token, {"vote": "uphold"})).status_code == 201
    decided = {
        "entry_id": "6ee1b9a1-0d3c-4f5e-8a51-4c9be2f81f0a",
        "tag": "appeal.decided",
        "body": {"appeal": doors.made.case, "outcome": "upheld"},
    }
    headers = {"Authorization": f"Bearer {doors.director}", "If-Match": "*"}
    answer = await doors.http.post(f"{M}/events", json={"entries": [decided]}, headers=headers)
    assert answer.status_code == 201, answer.text
    answer = await doors.post(f"{case}/seals", doors.director)
    assert answer.status_code == 201, answer.text
    later = files_of(answer)
    told = list(verifier.verify_files({**files, **later}))
    assert any("personal values shown" in line for line in told)
    assert doors.made.roster.one.encode() in b"".join(later.values())
    [unsealed] = doors.entries("pack.unsealed")
    rows = doors.archive.store.read_stream(LOG, MATCH)
    assert unsealed.pack in {row.entry_id for row in rows if row.tag == "pack.issued"}
    # The pack stays the same, even once its names are disclosed.
    assert files_of(await doors.post(f"{case}/pack", doors.director)) == files


async def test_a_pack_of_one_case_is_unsealed_for_no_other(doors: Doors) -> None:
    ida, *_ = await doors.issued()
    await doors.issue()
    case = f"/cases/{doors.made.case}"
    assert (await doors.post(f"{case}/pack", ida)).status_code == 201
    ruling, second = str(uuid.uuid4()), str(uuid.uuid4())
    said = [
        ("appeal.decided", {"appeal": doors.made.case, "outcome": "upheld"}, str(uuid.uuid4())),
        ("ruling.made", {}, ruling),
        ("appeal.filed", {"seat": "two", "target": ruling}, second),
        ("appeal.decided", {"appeal": second, "outcome": "upheld"}, str(uuid.uuid4())),
    ]
    entries = [{"entry_id": of, "tag": tag, "body": body} for tag, body, of in said]
    headers = {"Authorization": f"Bearer {doors.director}", "If-Match": "*"}
    answer = await doors.http.post(f"{M}/events", json={"entries": entries}, headers=headers)
    assert answer.status_code == 201, answer.text
    other = await doors.post(f"/cases/{second}/seals", doors.director)
    assert other.status_code == 409, other.text
    assert "no pack of this case was handed out" in other.json()["detail"]
    assert (await doors.post(f"{case}/seals", doors.director)).status_code == 201


async def test_a_case_given_out_without_its_score_tells_none_at_the_desk_nor_in_packs(
    doors: Doors,
) -> None:
    ida, *_ = await doors.issued()
    await doors.issue()
    case, place = f"/cases/{doors.made.case}", f"/logs/{LOG}/cases/{doors.made.case}"
    cookie = cookie_with(doors.http, ida)
    before = (await doors.http.get(case, headers=cookie)).text
    assert "Score " in before
    assert "Game 1" in before
    assert (await doors.post(f"{place}/issue", doors.director, {"hides_score": True})).is_success
    assert [one.hides_score for one in doors.entries("appeal.issued")] == [False, True]
    first = 10_000
    for at in ("", *(f"?at={version}" for version in range(0, 60, 3))):
        page = (await doors.http.get(f"{case}{at}", headers=cookie)).text
        assert "has given out this case without its score" in page, at
        for telling in ("Score ", "Game 1", "Game 2", "Crawford", "wins 1", "wins 2"):
            assert telling not in page, (at, telling)
        first = min(first, *(int(one) for one in re.findall(r"\?at=(\d+)", page)))
    assert "Score " in (await doors.get(case, doors.director)).text
    files = files_of(await doors.post(f"{case}/pack", ida))
    told = json.loads(files["bundle.json"])["cut"]
    assert told["why"] == ["first_ruling", "score"]
    assert first not in told["withheld"]
    list(verifier.verify_files(files))
    # A later unsealing contains what this pack withheld.
    await _decide(doors)
    later = files_of(await doors.post(f"{case}/seals", doors.director))
    hidden = {
        f"unsealed/{name.removeprefix('withheld/')}.json" for name in files if "held/" in name
    }
    assert len([name for name in later if name in hidden]) >= len(told["withheld"])
    list(verifier.verify_files({**files, **later}))


async def _decide(doors: Doors) -> None:
    said = {"appeal": doors.made.case, "outcome": "upheld"}
    entry = {"entry_id": str(uuid.uuid4()), "tag": "appeal.decided", "body": said}
    headers = {"Authorization": f"Bearer {doors.director}", "If-Match": "*"}
    answer = await doors.http.post(f"{M}/appeals", headers=headers, json=entry)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("doors", [USBGF], indirect=True)
async def test_where_the_players_are_no_secret_the_score_is_none_either(doors: Doors) -> None:
    await doors.issued()
    place = f"/logs/{LOG}/cases/{doors.made.case}"
    answer = await doors.post(f"{place}/issue", doors.director, {"hides_score": True})
    assert (answer.status_code, answer.json()["where"]) == (422, "$.hides_score")
    assert doors.entries("appeal.issued") == []


# -- embargo ---------------------------------------------------------------------------------------

VIEWS = ("", "/events", "/replay", "/scenes", "/export.mat", "/export.html", "/export.jsonl")


def released(made: Rig) -> None:
    draft = made.archive.draft(PublicationReleased())
    made.archive.append(LOG, MATCH, [draft])


async def test_while_an_appeal_is_open_the_match_is_for_its_case_alone(doors: Doors) -> None:
    released(doors.made)
    viewer, scribe = doors.token(Role.VIEWER), doors.token(Role.SCRIBE)
    for path in (*VIEWS, "/bundle.zip", "/live"):
        for token in (None, viewer):
            answer = await doors.get(f"{M}{path}", token)
            assert answer.status_code in (401, 403), (path, token, answer.status_code)
            assert doors.made.roster.one not in answer.text
    for path in ("/export.mat", "/export.html", "/export.jsonl", "/bundle.zip"):
        answer = await doors.get(f"{M}{path}", scribe)
        assert answer.status_code == 403, path
        assert "an appeal on this match is open" in answer.json()["detail"]
    # The scribe who records it goes on, and the director who rules on it sees everything.
    assert (await doors.get(f"{M}/replay", scribe)).status_code == 200
    for path in VIEWS:
        assert (await doors.get(f"{M}{path}", doors.director)).status_code == 200, path


@pytest.mark.parametrize("doors", [BIBA, USBGF], indirect=True)
async def test_while_an_appeal_is_open_no_photo_of_the_match_is_shown_outside_of_its_case(
    doors: Doors,
) -> None:
    is_kept = doors.archive.reading.live(LOG, MATCH).replay.rules.profile.id == BIBA
    photo, other = b"\x89PNG who sits there", b"\x89PNG the hall"
    paths = {}
    for data in (photo, other):
        sha256 = hashlib.sha256(data).hexdigest()
        paths[data] = f"/logs/{LOG}/files/{sha256}"
        headers = {"Authorization": f"Bearer {doors.director}", "Content-Type": "image/png"}
        sent = await doors.http.put(paths[data], content=data, headers=headers)
        assert sent.status_code == 201
    attached = EvidenceAttached(file=hashlib.sha256(photo).hexdigest(), kind="photo")
    doors.archive.append(LOG, MATCH, [doors.archive.draft(attached)])
    for scope in (None, MATCH):
        for role in (Role.VIEWER, Role.SCRIBE, Role.DIRECTOR):
            token = doors.token(role, scope)
            wanted = 403 if is_kept and role is Role.VIEWER else 200
            for path in (paths[photo], f"{paths[photo]}?match={MATCH}"):
                assert (await doors.get(path, token)).status_code == wanted, (scope, role)
            if wanted == 403:
                told = (await doors.get(paths[photo], token)).json()
                assert "an appeal on this match is open" in told["detail"]
    # Evidence of matches without an appeal stays available to its readers.
    viewer = doors.token(Role.VIEWER)
    assert (await doors.get(paths[other], viewer)).status_code == 200
    await _decide(doors)
    assert (await doors.get(paths[photo], viewer)).status_code == 200


async def test_no_path_tells_of_a_match_under_appeal(doors: Doors) -> None:
    released(doors.made)
    ida, *_ = await doors.issued()
    await doors.issue()
    case, app = doors.made.case, doors.app
    named = {"log": LOG, "match": MATCH, "case": case, "sha256": "0" * 64, "rule_set": BIBA}
    places = {route.path for route in app.routes if "GET" in (getattr(route, "methods", 0) or ())}
    places |= {path for path, ways in document(app)["paths"].items() if "get" in ways}
    asked = sorted(
        re.sub(r"\{(\w+)(?::path)?\}", lambda one: named.get(one[1], "2"), place)
        for place in places
        if not place.endswith(("/live", "/follow"))
    )
    assert len(asked) > 75
    roster, words = doors.made.roster, doors.made.words
    secret = {*roster.strings, *words} - {roster.event, words.testimony}
    for token in (None, doors.token(Role.VIEWER), ida):
        # Who may look knows who holds the grants of the tournament, and a member nobody.
        told = {roster.scribe, roster.director} if token not in (None, ida) else set()
        for path in asked:
            answer = await doors.get(path, token)
            assert answer.status_code < 500, (path, answer.text)
            whole = answer.text + repr(answer.headers.items())
            found = [text for text in secret - told if text in whole]
            assert not found, (path, token == ida, found)
            ids = (MATCH, case) if token != ida else (MATCH,)
            assert not [one for one in ids if one in whole.replace(path, "")], path


async def test_the_tournaments_own_stream_tells_of_no_case_but_to_who_directs(doors: Doors) -> None:
    ida, *_ = await doors.issued()
    await doors.issue()
    await doors.get(f"/cases/{doors.made.case}", ida)
    for role in (Role.VIEWER, Role.SCRIBE, Role.COMMITTEE, Role.DIRECTOR):
        token = doors.token(role)
        told = await doors.get(f"/logs/{LOG}/events", token)
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/x-ndjson"}
        lines = (await doors.http.get(f"/logs/{LOG}/events", headers=headers)).text
        of_case = [one for one in told.json()["entries"] if one.get("withheld") == "case"]
        directs = role is Role.DIRECTOR
        assert len(of_case) == (0 if directs else 4), role
        assert all((one["body"], one["context"]) == ({}, None) for one in of_case)
        # Which match it is, which case, and who judges.
        for telling in (MATCH, doors.made.case, "Ida", '"through"'):
            assert (telling in told.text, telling in lines) == (directs, directs), (role, telling)


@pytest.mark.parametrize("doors", [BIBA, USBGF], indirect=True)
async def test_an_open_line_on_a_second_scribes_record_ends_when_an_appeal_is_filed(
    doors: Doors,
) -> None:
    rule_set = doors.made.archive.reading.live(LOG, MATCH).replay.rules.profile.id
    await _decide(doors)
    opened = doors.archive.reading.live(LOG, MATCH).recorded[0].payload
    beside = "5b1c2d3e-0f1a-4b2c-8d3e-4f5a6b7c8d9e"
    shadow = replace(opened, shadow_of=MATCH, players=BySeat((), ()))
    doors.archive.append(LOG, beside, [doors.archive.draft(shadow)])
    lines = {}
    for role in (Role.VIEWER, Role.SCRIBE, Role.DIRECTOR):
        terms = Terms(token_hash(doors.token(role)), is_trusted=role is Role.DIRECTOR)
        _, lines[role] = doors.hub.join((LOG, beside), terms, version=1)
    filed = {"seat": "one", "target": doors.made.case}
    ruling = next(one for one in doors.archive.reading.live(LOG, MATCH).recorded
                  if one.tag == "ruling.made")  # fmt: skip
    entry = {"entry_id": str(uuid.uuid4()), "tag": "appeal.filed",
             "body": {**filed, "target": ruling.entry_id}}  # fmt: skip
    headers = {"Authorization": f"Bearer {doors.director}", "If-Match": "*"}
    assert (await doors.http.post(f"{M}/appeals", headers=headers, json=entry)).is_success
    cut = set()
    for role, line in lines.items():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                while await line.queue.get() is not None:
                    pass
                cut.add(role)
    assert cut == ({Role.VIEWER} if rule_set == BIBA else set())


@pytest.mark.parametrize("doors", [USBGF], indirect=True)
async def test_where_the_players_are_no_secret_whoever_has_a_grant_reads_on(doors: Doors) -> None:
    viewer = doors.token(Role.VIEWER)
    assert (await doors.get(f"{M}/replay", viewer)).status_code == 200
    assert (await doors.get(f"{M}/export.mat", viewer)).status_code == 200


# -- the command -----------------------------------------------------------------------------------


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, list(args), catch_exceptions=False)


@pytest.fixture
def on_disk(tmp_path: Path) -> tuple[str, str]:
    made = rig(tmp_path, BIBA, on_disk=True, until=None)
    url = made.archive.url
    made.archive.close()
    return url, made.case


@pytest.mark.gate
def test_the_command_hands_out_records_and_unseals(on_disk: Any, tmp_path: Path) -> None:
    url, case = on_disk
    nothing = run("pack", case, "--db", url)
    assert nothing.exit_code == 2
    early = run("unseal", case, "--db", url, "--out", str(tmp_path / "early"))
    assert early.exit_code != 0
    assert not (tmp_path / "early").exists()
    folder, page = tmp_path / "pack", tmp_path / "case.html"
    done = run(
        "pack",
        case,
        "--db",
        url,
        "--out",
        str(folder),
        "--html",
        str(page),
        "--to",
        "Ida",
        "--json",
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert page.read_bytes() == (folder / "case.html").read_bytes()
    zipped = tmp_path / "pack.zip"
    again = run("pack", case, "--db", url, "--out", str(zipped))
    assert again.exit_code == 0, again.output
    assert hashlib.sha256(zipped.read_bytes()).hexdigest() == told["sha256"]
    assert told["sha256"] in again.output
    assert run("verify", str(folder)).exit_code == run("verify", str(zipped)).exit_code == 0
    # What cannot be handed out is not recorded as handed out, and nothing is written over.
    before = entries_on(url)
    assert len(before) == 2
    (tmp_path / "mine.zip").write_text("mine")
    (tmp_path / "a file").write_text("mine")
    for option, place, said in (
        ("--out", folder, "is there already"),
        ("--out", tmp_path / "mine.zip", "is there already"),
        ("--html", page, "is there already"),
        ("--html", tmp_path / "a file" / "case.html", "a file"),
    ):
        full = run("pack", case, "--db", url, option, str(place))
        assert full.exit_code != 0, place
        assert said in full.output
    assert (tmp_path / "mine.zip").read_text() == "mine"
    assert entries_on(url) == before
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]
    unsealed = run("unseal", case, "--db", url, "--out", str(tmp_path / "names"))
    assert unsealed.exit_code == 0, unsealed.output
    for one in (tmp_path / "names" / "disclosures").iterdir():
        (folder / "disclosures" / one.name).write_bytes(one.read_bytes())
    assert run("verify", str(folder)).exit_code == 0
    nobody = run("pack", "00000000-0000-4000-8000-00000000ffff", "--db", url, "--html", str(page))
    assert nobody.exit_code != 0
    assert "no appeal" in nobody.output


def entries_on(url: str) -> list[str]:
    done = CliRunner().invoke(cli, ["export", MATCH, "--format", "jsonl", "--db", url])
    assert done.exit_code == 0, done.output
    return [line for line in done.stdout.splitlines() if "pack." in line]


@pytest.mark.gate
def test_a_pack_that_the_command_hid_the_score_of_is_unsealed_as_it_was_handed_out(
    on_disk: Any, tmp_path: Path
) -> None:
    url, case = on_disk

    def handed(name: str, *options: str) -> dict[str, bytes]:
        place = tmp_path / name
        done = run("pack", case, *options, "--db", url, "--out", str(place))
        assert done.exit_code == 0, done.output
        later = run("unseal", case, "--db", url, "--out", str(tmp_path / f"{name}-later"))
        assert later.exit_code == 0, later.output
        given = [place, tmp_path / f"{name}-later"]
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for folder in given
            for path in folder.rglob("*")
            if path.is_file()
        }

    for name, options in (("whole", ()), ("bare", ("--without-score",)), ("again", ())):
        files = handed(name, *options)
        list(verifier.verify_files(files))
        cut = json.loads(files["bundle.json"])["cut"]
        assert ("score" in cut["why"]) == (name == "bare")
        # All that the pack withheld of the match up to its cut is there now.
        log = {row: f"unsealed/{row}.json" for row in _withheld(files)}
        given = {row for row, path in log.items() if path in files}
        assert bool(given) == bool(cut["withheld"]), name
        assert len(given) >= len(cut["withheld"]), name


def _withheld(files: dict[str, bytes]) -> list[str]:
    return [name.removeprefix("withheld/") for name in files if name.startswith("withheld/")]
