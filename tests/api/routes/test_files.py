"""Files by their hash: whole or not at all, for those who may, and harmless in a browser."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.archive import files
from events.payloads.access import Role
from tests.api.routes.tablets import paired

PHOTO = b"\x89PNG\r\n\x1a\n a photograph of two dice"
SHA256 = hashlib.sha256(PHOTO).hexdigest()
PATH = f"/logs/club/files/{SHA256}"


async def put(
    api: Any, path: str = PATH, body: Any = PHOTO, token: str | None = None, **headers: str
) -> httpx.Response:
    headers = {"Content-Type": "image/png", **headers}
    if token != "":
        headers["Authorization"] = f"Bearer {token or api.scribe}"
    answer: httpx.Response = await api.http.put(path, content=body, headers=headers)
    return answer


def kept(app: FastAPI) -> list[str]:
    """Names of everything that lies in the folder."""
    folder: Path = app.state.door.files.folder
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


async def test_a_file_is_kept_and_given_out_again(api: Any, app: FastAPI) -> None:
    answer = await put(api)
    assert answer.status_code == 201, answer.text
    assert answer.json() == {"sha256": SHA256, "size": len(PHOTO), "content_type": "image/png"}
    assert answer.headers["location"] == PATH
    found = await api.get(PATH, api.director)
    assert found.content == PHOTO
    assert found.headers["content-type"] == "image/png"
    assert found.headers["etag"] == f'"{SHA256}"'
    head = await api.http.head(PATH, headers={"Authorization": f"Bearer {api.director}"})
    assert (head.status_code, head.content) == (200, b"")
    again = await api.get(PATH, api.director, If_None_Match=f'"{SHA256}"')
    assert again.status_code == 304
    assert kept(app) == [SHA256, f"{SHA256}.json"]


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("sqlite:////data/archive.sqlite", Path("/data/archive.sqlite.files")),
        ("postgresql://localhost/tabularium", Path("/named")),
        ("memory://", None),
    ],
)
def test_files_lie_beside_the_database(url: str, folder: Path | None) -> None:
    assert files.folder_of(url, Path("/named")) == folder


def test_the_files_of_an_archive_in_memory_are_gone_with_it() -> None:
    store = files.FileStore(None, lambda: 0)
    incoming = store.incoming()
    incoming.write(PHOTO)
    assert store.keep("club", incoming, "image/png")
    folder = store.folder
    assert folder.is_dir()
    del store
    assert not folder.exists()


def test_what_a_crash_left_of_an_upload_is_cleared_away(tmp_path: Path) -> None:
    # Unfinished files of an earlier release, which did not lock them, are recognised by their age.
    for name, moment in (("tmpold", 0), ("tmpyoung", 2 * files.STALE_MS // 1_000)):
        path = tmp_path / ".incoming" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half a photograph")
        os.utime(path, (moment, moment))
    incoming = files.FileStore(tmp_path, lambda: 2 * files.STALE_MS).incoming()
    left = {path.name for path in (tmp_path / ".incoming").iterdir()}
    assert left == {"tmpyoung", incoming.path.name}
    incoming.discard()


async def test_a_disk_that_takes_nothing_is_told_and_nothing_is_kept(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(incoming: files.Incoming, chunk: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.Incoming, "write", full)
    answer = await put(api)
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/store-failed"
    monkeypatch.undo()
    assert kept(app) == []
    assert (await put(api)).status_code == 201


async def test_files_leave_the_database_room_on_the_disk(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearly_full = type(shutil.disk_usage("/"))(
        1 << 40, (1 << 40) - files.LEFT_FREE, files.LEFT_FREE
    )
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: nearly_full)
    answer = await put(api)
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/store-failed")
    assert kept(app) == []


async def test_the_floor_is_looked_at_while_a_file_comes_in(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage, free = type(shutil.disk_usage("/")), [files.LEFT_FREE + files.MAX_FILE_BYTES]
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: usage(free[0], 0, free[0]))

    async def slowly() -> AsyncIterator[bytes]:
        yield b"x" * (2 << 20)
        await asyncio.sleep(0)
        free[0] = files.LEFT_FREE  # somebody else has filled the disk meanwhile
        yield b"x" * (2 << 20)

    answer = await put(api, body=slowly())
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/store-failed")
    assert kept(app) == []


async def test_a_log_keeps_no_more_files_than_it_may(api: Any, app: FastAPI) -> None:
    app.state.door.files._quota = len(PHOTO) + 35  # the kind lies beside it
    assert (await put(api)).status_code == 201
    other = hashlib.sha256(b"another").hexdigest()
    answer = await put(api, f"/logs/club/files/{other}", b"another")
    assert (answer.status_code, answer.json()["type"]) == (507, "/problems/no-room")
    assert kept(app) == [SHA256, f"{SHA256}.json"]
    # Bytes that are stored already need no space.
    assert (await put(api)).status_code == 200


async def test_a_file_that_is_there_is_not_written_again(api: Any, app: FastAPI) -> None:
    await put(api)
    path = app.state.door.files.find("club", SHA256).path
    before = path.stat().st_mtime_ns
    again = await put(api, **{"Content-Type": "text/html"})
    assert again.status_code == 200
    assert again.json()["content_type"] == "image/png"
    assert path.stat().st_mtime_ns == before
    assert kept(app) == [SHA256, f"{SHA256}.json"]


async def test_two_who_send_the_same_file_at_once_keep_one(api: Any, app: FastAPI) -> None:
    answers = await asyncio.gather(*(put(api) for _ in range(4)))
    assert {answer.status_code for answer in answers} <= {200, 201}
    assert (await api.get(PATH, api.director)).content == PHOTO
    assert kept(app) == [SHA256, f"{SHA256}.json"]


async def test_bytes_of_another_hash_are_not_kept(api: Any, app: FastAPI) -> None:
    answer = await put(api, body=PHOTO + b"!")
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/wrong-hash"
    assert answer.json()["sha256"] == hashlib.sha256(PHOTO + b"!").hexdigest()
    assert kept(app) == []
    assert (await api.get(PATH, api.director)).status_code == 404
    await put(api)
    assert (await put(api, body=b"")).status_code == 422
    assert (await api.get(PATH, api.director)).content == PHOTO


async def test_a_file_larger_than_a_body_is_taken(api: Any) -> None:
    body = bytes(3 * 1024 * 1024)
    path = f"/logs/club/files/{hashlib.sha256(body).hexdigest()}"
    assert (await put(api, path, body)).status_code == 201
    assert (await api.get(path, api.director)).content == body
    # Everything else is read into memory, and stays small.
    answer = await api.post("/logs", body, api.director)
    assert answer.status_code == 413


async def test_a_file_that_is_too_large_is_refused(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_large = str(files.MAX_FILE_BYTES + 1)
    answer = await put(api, **{"Content-Length": too_large})
    assert answer.status_code == 413
    assert answer.json()["type"] == "/problems/too-large"

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield bytes(1024)

    monkeypatch.setattr("api.app.MAX_FILE_BYTES", 10 * 1024)
    assert (await put(api, body=endless())).status_code == 413
    monkeypatch.undo()
    monkeypatch.setattr("api.routes.files.MAX_FILE_BYTES", 10 * 1024)
    assert (await put(api, body=endless())).status_code == 413
    assert kept(app) == []


@pytest.mark.parametrize(
    "name",
    [
        SHA256.upper(),
        SHA256[:-1],
        SHA256 + "0",
        "g" * 64,
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..%2f" + SHA256,
        SHA256 + "%00",
        SHA256 + "%0a",
        SHA256 + ".json",
    ],
)
async def test_a_name_that_is_no_hash_leads_nowhere(api: Any, app: FastAPI, name: str) -> None:
    await put(api)
    for answer in (
        await put(api, f"/logs/club/files/{name}"),
        await api.get(f"/logs/club/files/{name}", api.director),
    ):
        assert answer.status_code in (400, 404, 405), answer.text
        assert PHOTO not in answer.content
    assert kept(app) == [SHA256, f"{SHA256}.json"]


@pytest.mark.parametrize("log", ["..", "%2e%2e", "archive%2f..", "no-such-log"])
async def test_a_log_that_there_is_not_has_no_folder(api: Any, app: FastAPI, log: str) -> None:
    archivist = api.archive.operator_token()
    answer = await put(api, f"/logs/{log}/files/{SHA256}", token=archivist)
    assert answer.status_code in (400, 404, 405, 422)
    assert kept(app) == []


async def test_only_who_records_sends_files_and_a_committee_sees_none(api: Any) -> None:
    for role in (Role.VIEWER, Role.COMMITTEE):
        assert (await put(api, token=api.token(role))).status_code == 403
    assert (await put(api, token="")).status_code == 401
    device = await paired(api)
    assert (await put(api, token=device)).status_code == 201
    for token in (device, api.director, api.token(Role.VIEWER), api.archive.operator_token()):
        assert (await api.get(PATH, token)).status_code == 200
    assert (await api.get(PATH, api.token(Role.COMMITTEE))).status_code == 403
    assert (await api.get(PATH)).status_code == 401


async def test_a_log_knows_nothing_of_anothers_files(api: Any) -> None:
    await put(api)
    api.archive.open_tournament("elsewhere", "Another club")
    elsewhere = api.token(Role.DIRECTOR, log="elsewhere")
    assert (await api.get(f"/logs/elsewhere/files/{SHA256}", elsewhere)).status_code == 404
    assert (await api.get(PATH, elsewhere)).status_code == 403


async def test_a_grant_over_one_match_sees_what_is_evidence_in_it(api: Any, make: Any) -> None:
    await api.open()
    await api.open("m2")
    scribe, viewer = api.token(Role.SCRIBE, match="m1"), api.token(Role.VIEWER, match="m1")
    other = api.token(Role.VIEWER, match="m2")
    assert (await put(api, token=scribe)).status_code == 201
    assert (await api.get(PATH, viewer)).status_code == 403
    attached = make("evidence.attached", file=SHA256, kind="photo")
    assert (await api.append(attached, token=scribe)).status_code == 201
    assert (await api.get(PATH, viewer)).status_code == 200
    assert (await api.get(PATH, other)).status_code == 403


@pytest.mark.parametrize(
    ("sent", "shown", "kind"),
    [
        ("image/jpeg", "inline", "image/jpeg"),
        ("IMAGE/PNG; charset=x", "inline", "image/png"),
        ("image/svg+xml", "attachment", "image/svg+xml"),
        ("text/html", "attachment", "text/html"),
        ("video/mp4", "attachment", "video/mp4"),
        ("nonsense", "attachment", "application/octet-stream"),
        ("a/b\tc", "attachment", "application/octet-stream"),
    ],
)
async def test_only_an_image_is_shown_and_nothing_runs(
    api: Any, sent: str, shown: str, kind: str
) -> None:
    await put(api, **{"Content-Type": sent})
    answer = await api.get(PATH, api.director)
    assert answer.headers["content-disposition"].startswith(shown)
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert answer.headers["cache-control"].startswith("private")


async def test_a_range_that_is_no_part_of_the_file_is_passed_over(api: Any) -> None:
    """No refusal of it could be a problem document: the framework answers it in plain text."""
    await put(api)
    for asked in ("bytes=", "bytes=-", "bytes=-0", "bytes=9-3", "bytes=999999999-", "lines=1-2"):
        answer = await api.get(PATH, api.director, Range=asked)
        assert (answer.status_code, answer.content) == (200, PHOTO), asked
    for asked in ("bytes=0-1,3-4", "bytes=0-0,1-1,2-2"):
        assert (await api.get(PATH, api.director, Range=asked)).status_code == 200
    for asked, part in (("bytes=2-", PHOTO[2:]), ("bytes=-2", PHOTO[-2:])):
        answer = await api.get(PATH, api.director, Range=asked)
        assert (answer.status_code, answer.content) == (206, part)


async def test_a_part_of_a_video_can_be_asked_for(api: Any) -> None:
    await put(api)
    answer = await api.get(PATH, api.director, Range="bytes=1-3")
    assert (answer.status_code, answer.content) == (206, PHOTO[1:4])


async def test_a_file_whose_kind_was_lost_is_sent_as_bytes(api: Any, app: FastAPI) -> None:
    await put(api)
    path = app.state.door.files.find("club", SHA256).path
    path.with_name(f"{SHA256}.json").write_bytes(b"[")
    answer = await api.get(PATH, api.director)
    assert (answer.content, answer.headers["content-type"]) == (PHOTO, files.OCTETS)


async def erase(api: Any, token: str) -> httpx.Response:
    answer: httpx.Response = await api.http.delete(
        PATH, headers={"Authorization": f"Bearer {token}"}
    )
    return answer


async def test_an_erased_file_is_gone_and_does_not_come_back(
    api: Any, app: FastAPI, make: Any
) -> None:
    await api.open()
    await put(api)
    await api.append(make("evidence.attached", file=SHA256, kind="photo"))
    for token in (api.scribe, api.token(Role.VIEWER), await paired(api)):
        assert (await erase(api, token)).status_code == 403
    size = api.size()
    assert (await erase(api, api.director)).status_code == 204
    assert kept(app) == []
    said = (await api.get("/logs/club/events", api.director)).json()["entries"][-1]
    assert (said["tag"], said["body"]["commitments"]) == ("disclosure.erased", [SHA256])
    for answer in (await api.get(PATH, api.director), await put(api)):
        assert (answer.status_code, answer.json()["type"]) == (410, "/problems/erased")
    assert (await erase(api, api.director)).status_code == 204
    assert api.size() == size + 1
    assert api.faults() == []


async def test_a_file_is_erased_by_whose_grant_is_in_force_as_it_is_written_down(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    await put(api)
    archive = api.archive
    token, grant = archive.grant(Role.DIRECTOR, log_id="club")
    append = archive.writer.append

    def revoke_first(unit: Any) -> Any:
        monkeypatch.undo()
        archive.revoke(grant, log_id="club")
        return append(unit)

    monkeypatch.setattr(archive.writer, "append", revoke_first)
    assert (await erase(api, token)).status_code == 403
    assert kept(app) != []
    # Where another one's grant ends meanwhile, the director's own says what it said.
    _, grant = archive.grant(Role.VIEWER, log_id="club")
    monkeypatch.setattr(archive.writer, "append", revoke_first)
    assert (await erase(api, api.director)).status_code == 204


async def test_a_crash_between_the_entry_and_the_erasure_shows_nothing(
    api: Any, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(store: files.FileStore, log_id: str, sha256: str) -> None:
        raise OSError(errno.EIO, "Input/output error")

    await put(api)
    monkeypatch.setattr(files.FileStore, "erase", broken)
    assert (await erase(api, api.director)).status_code == 503
    assert (await api.get(PATH, api.director)).status_code == 410
    monkeypatch.undo()
    assert (await erase(api, api.director)).status_code == 204
    assert kept(app) == []


async def test_a_file_that_is_erased_while_it_comes_in_again_is_not_kept(
    api: Any, app: FastAPI
) -> None:
    await put(api)

    async def body() -> AsyncIterator[bytes]:
        yield PHOTO[:5]
        assert (await erase(api, api.director)).status_code == 204
        yield PHOTO[5:]

    answer = await put(api, body=body())
    assert (answer.status_code, answer.json()["type"]) == (410, "/problems/erased")
    assert kept(app) == []


async def test_what_was_never_there_is_not_erased(api: Any) -> None:
    size = api.size()
    assert (await erase(api, api.director)).status_code == 404
    assert api.size() == size


async def test_a_changed_file_is_served_to_nobody_until_its_own_bytes_are_back(
    api: Any, app: FastAPI
) -> None:
    await put(api)
    [path] = [one for one in app.state.door.files.folder.rglob(SHA256) if one.is_file()]
    assert (await api.get(PATH, api.director)).content == PHOTO
    before = path.stat()
    path.write_bytes(PHOTO.replace(b"two", b"six"))
    # Of the same size, and with the same modification time.
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for _ in range(2):
        answer = await api.get(PATH, api.director)
        assert (answer.status_code, answer.json()["type"].rsplit("/")[-1]) == (500, "damaged")
        assert b"dice" not in answer.content
    path.write_bytes(PHOTO)
    assert (await api.get(PATH, api.director)).content == PHOTO
