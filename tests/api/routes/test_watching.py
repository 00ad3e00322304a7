"""What can be seen of the server: health, readiness, metrics, its log, headers of answers."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import logging
import os
import queue
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from api.app import create_app
from api.archive.archive import Archive
from api.archive.files import FileStore
from api.archive.index.index import MatchIndex
from api.refusals import problem_of
from api.routes.shared import soundness
from api.routes.shared.soundness import Soundness
from api.routes.shared.watching import Figures, Watching, request_log, spans_to
from api.settings import Settings
from events.errors import BadInput, Damaged, StoreFailed
from tests.api.routes.conftest import Api, Clock, cookie_with, door_behind
from tests.conftest import needed

FAR = ("203.0.113.9", 5_000)


def checked(api: Api) -> Any:
    """The checks of the app, run again each time."""
    sound = door_behind(api.http).soundness
    sound._kept = None
    return {check.name: check for check in sound.checks()}


async def test_an_archive_that_is_well_says_what_was_tried(api: Api) -> None:
    answer = await api.get("/health")
    assert answer.status_code == 200
    told = answer.json()
    assert told["status"] == "ok"
    assert [check["name"] for check in told["checks"]] == [
        *("read", "write", "disk", "clock", "index", "logs", "files")
    ]
    assert answer.headers["cache-control"] == "no-store"
    ready = await api.get("/ready")
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "why": None})


async def test_a_disk_that_takes_nothing_is_told_although_it_can_be_read(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise StoreFailed("the database could not do it: disk full at /home/ida")

    monkeypatch.setattr(api.archive.store, "try_write", refuse)
    answer = await api.get("/health")
    assert answer.status_code == 503
    found = {check["name"]: check["status"] for check in answer.json()["checks"]}
    assert (found["read"], found["write"]) == ("ok", "failing")
    assert "/home/ida" not in answer.text
    ready = await api.get("/ready")
    assert (ready.status_code, ready.json()["ready"]) == (503, False)
    assert ready.json()["why"].startswith("write: ")


@pytest.mark.parametrize("fault", [StoreFailed, Damaged])
def test_what_a_driver_says_of_the_machine_is_for_the_log_alone(
    fault: type[StoreFailed | Damaged], caplog: pytest.LogCaptureFixture
) -> None:
    secret = 'connection to "10.1.2.3", user "ida", /home/ida/archive.sqlite'
    told = problem_of(fault(secret))
    assert "ida" not in str(told)
    assert "server's log" in str(told)
    assert secret in caplog.text


def test_trying_a_write_commits_and_changes_no_row(sqlite_url: str) -> None:
    from events.store.opening import open_store

    store = open_store(sqlite_url)
    try:
        path = Path(sqlite_url.removeprefix("sqlite:///") + "-wal")
        store.try_write()
        before = path.stat().st_size
        store.try_write()
        store.try_write()
        assert path.stat().st_size > before
        assert store.logs() == []
    finally:
        store.close()


def test_a_write_is_tried_where_nothing_can_be_written(sqlite_url: str) -> None:
    from events.store.opening import open_store

    store = open_store(sqlite_url, read_only=True)
    with pytest.raises(StoreFailed):
        store.try_write()
    store.close()


@pytest.mark.gate
def test_trying_a_write_in_postgresql_leaves_no_row(postgres_url: str) -> None:
    from events.store.opening import open_store

    store = open_store(postgres_url)
    store.try_write()
    assert store.logs() == []
    store.close()


def sound_with(api: Api, **given: Any) -> dict[str, str]:
    sound = Soundness(api.archive, door_behind(api.http).index, Path("/"), **given)
    return {check.name: check.status for check in sound.checks()}


@pytest.mark.parametrize(
    ("free", "status"),
    [
        (soundness.LEFT_FREE - 1, "failing"),
        (soundness.LEFT_FREE, "warning"),
        (soundness.LOW_BYTES, "ok"),
    ],
)
async def test_a_disk_that_fills_is_told_before_it_is_full(
    api: Api, free: int, status: str
) -> None:
    assert sound_with(api, free_of=lambda _: free)["disk"] == status


async def test_a_clock_that_was_set_is_told_for_a_while(api: Api, clock: Clock) -> None:
    elapsed = 0.0
    sound = Soundness(api.archive, door_behind(api.http).index, None, elapsed_s=lambda: elapsed)

    def told() -> str:
        return {check.name: check.status for check in sound.checks()}["clock"]

    assert told() == "ok"
    elapsed, clock.now = 10.0, clock.now + 10_000
    assert told() == "ok"
    elapsed, clock.now = 20.0, clock.now - 3_600_000
    assert told() == "warning"
    elapsed, clock.now = 30.0, clock.now + 10_000
    assert told() == "warning"
    elapsed, clock.now = 20.0 + soundness.STEP_TOLD_S, clock.now + 590_000
    assert told() == "ok"
    elapsed, clock.now = elapsed + 10, 1_000
    assert told() == "failing"


async def test_a_list_that_is_far_behind_is_no_fault_and_not_ready(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    index = door_behind(api.http).index
    assert index.lag() == api.size() + api.archive.store.log_head("archive").size
    index.catch_up()
    assert index.lag() == 0
    monkeypatch.setattr(index, "lag", lambda: soundness.LATE_ENTRIES + 1)
    assert checked(api)["index"].status == "warning"
    assert (await api.get("/health")).status_code == 200
    ready = await api.get("/ready")
    assert (ready.status_code, ready.json()["why"][:6]) == (503, "index:")


async def test_a_log_that_is_held_is_told(api: Api) -> None:
    api.archive.store.hold("club", "an older copy stands in its place")
    assert checked(api)["logs"].status == "failing"
    assert (await api.get("/health")).status_code == 503


async def test_whoever_asks_without_end_gets_the_answer_of_a_moment_ago(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(api.archive.store, "try_write", lambda: asked.append(1))
    for _ in range(20):
        await api.get("/health")
        await api.get("/ready")
    assert len(asked) == 1


async def test_figures_are_counted_by_route_and_hold_no_id_nor_name(api: Api, make: Any) -> None:
    await api.open()
    await api.append(make("game.started", number=1))
    await api.get("/logs/club/matches/m1", api.director)
    await api.get("/players/Ida%20Berg")
    await api.get("/nowhere/secret-code")
    # Lists are made in turns, each for all who wait: every one of them is counted by its route.
    await asyncio.gather(*(api.get("/players") for _ in range(3)))
    answer = await api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    text = answer.text
    route = 'route="/logs/{log}/matches/{match}"'
    assert f'tabularium_requests_total{{method="GET",{route},status="200"}} 1.0' in text
    assert 'tabularium_requests_total{method="GET",route="/players",status="200"} 3.0' in text
    assert 'tabularium_requests_total{method="GET",route="(none)",status="404"} 1.0' in text
    assert "tabularium_entries_total 2.0" in text
    assert "tabularium_index_lag_entries" in text
    assert "tabularium_check_write 1.0" in text
    assert "process_open_fds" in text
    for told in ("Ida", "secret-code", "m1", "club", api.director):
        assert told not in text
    # As who scrapes it reads it: every line, each family once and with its meaning.
    families = list(text_string_to_metric_families(text))
    assert len({one.name for one in families}) == len(families)
    assert all(one.documentation and one.samples for one in families)


@pytest.fixture
async def far(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client on another machine."""
    transport = httpx.ASGITransport(app, client=FAR)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        yield http


async def test_figures_are_for_this_machine_and_for_who_keeps_the_archive(
    api: Api, far: httpx.AsyncClient
) -> None:
    from events.payloads.access import Role

    assert (await far.get("/metrics")).status_code == 401
    bearer = {"Authorization": f"Bearer {api.director}"}
    assert (await far.get("/metrics", headers=bearer)).status_code == 403
    keeper, _ = api.archive.grant(Role.ARCHIVIST)
    bearer = {"Authorization": f"Bearer {keeper}"}
    assert (await far.get("/metrics", headers=bearer)).status_code == 200
    # Health is everybody's, and says nothing of anybody.
    assert (await far.get("/health")).status_code == 200


async def test_the_log_of_requests_holds_no_secret_and_no_name(
    archive: Archive, tmp_path: Path, make: Any
) -> None:
    place = tmp_path / "requests.log"
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, Settings(db=archive.url, request_log=place), index=index)
    transport = httpx.ASGITransport(app, client=FAR)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        api = Api(http, archive)
        await api.open()
        cookie = cookie_with(http, api.director)
        await http.get("/players/Ida%20Berg?code=ABCD-EFGH", headers=cookie)
        await http.get("/session?code=ABCDEFGH&next=/room/club")
        await http.post("/session", json={"token": api.director})
        await http.request("BREW", "/nowhere/Ida")
        await api.get("/logs/club/matches/m1", api.scribe)
    index.close()
    for handler in logging.getLogger("tabularium.requests").handlers:
        handler.flush()
    text = place.read_text("utf-8")
    assert len(text.splitlines()) == 6
    assert '"route":"/session","status":204' in text
    assert '"method":"OTHER","route":"(none)"' in text
    for secret in ("Ida", "ABCD", "club", "m1", "203.0.113", api.director, api.scribe, "next="):
        assert secret not in text
    assert cookie["Cookie"].partition("=")[2] not in text
    # Rotated under the server: the next line goes into a new file.
    place.rename(tmp_path / "requests.log.1")
    log = request_log(place)
    assert log is not None
    log.info("{}")
    assert place.read_text() == "{}\n"
    for handler in list(log.handlers):
        handler.close()
        log.removeHandler(handler)


def test_a_log_of_requests_that_takes_nothing_is_told_once_and_fails_no_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each request ended in a traceback once the folder was gone."""
    folder = tmp_path / "logs"
    folder.mkdir()
    log = request_log(folder / "requests.log")
    assert log is not None
    log.info("{}")
    shutil.rmtree(folder)
    for _ in range(3):
        log.info("{}")
    assert [one.getMessage()[:22] for one in caplog.records] == ["TABULARIUM_REQUEST_LOG"]
    folder.mkdir()
    log.info("{}")
    assert (folder / "requests.log").read_text() == "{}\n"
    for handler in list(log.handlers):
        handler.close()
        log.removeHandler(handler)


@pytest.mark.parametrize(
    ("named", "value"),
    [
        ("request_log", "/dev/null/x"),
        ("request_log", "/"),
        ("otlp", "nonsense"),
        ("analyse", "nonsense"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_as_the_server_starts(
    archive: Archive, named: str, value: str
) -> None:
    """It began, and said later, at each request, or never, that it did not do what was set."""
    index = MatchIndex(archive.store, archive.reading)
    settings = Settings(db=archive.url, **{named: value})
    with pytest.raises(BadInput, match=f"TABULARIUM_{named.upper()}: "):
        create_app(archive, settings, index=index)
    index.close()


async def test_every_answer_says_that_its_kind_is_meant(api: Api, far: httpx.AsyncClient) -> None:
    for path in ("/", "/health", "/nowhere", "/openapi.json", "/logs/none", "/session", "/sw.js"):
        answer = await far.get(path)
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"], path
        assert "strict-transport-security" not in answer.headers


@pytest.mark.parametrize(
    ("host", "has_own", "told"),
    [
        ("https://archive.example", False, "max-age=31536000"),
        # The archive's own authority may be lost: a day later its name can be used over http again.
        ("https://hall.local", True, "max-age=86400"),
        # What this machine calls itself is other programs' name as well.
        ("https://localhost:8340", False, None),
        ("https://127.0.0.1", False, None),
        ("http://archive.example", False, None),
    ],
)
async def test_over_https_browsers_are_told_to_stay_there(
    host: str, has_own: bool, told: str | None
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b""})

    watching = Watching(app, figures=Figures(), has_own_authority=has_own)
    transport = httpx.ASGITransport(watching)
    async with httpx.AsyncClient(transport=transport, base_url=host) as http:
        answer = await http.get("/")
    assert answer.headers.get("strict-transport-security") == told


Collector = tuple[str, "queue.SimpleQueue[tuple[str, str, bytes]]"]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """(address, what came): a collector of OpenTelemetry, as far as one is sent to it."""
    needed("opentelemetry.exporter.otlp.proto.http")
    received: queue.SimpleQueue[tuple[str, str, bytes]] = queue.SimpleQueue()

    class Door(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            received.put((self.path, self.headers["content-type"], body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        thread.join()


async def test_spans_hold_no_more_than_the_log(require: Any) -> None:
    sdk = needed("opentelemetry.sdk.trace")
    export = needed("opentelemetry.sdk.trace.export")
    memory = needed("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    kept = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(kept))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("Ida Berg")

    from api.routes.shared.watching import spans_of

    watching = Watching(app, figures=Figures(), spans=spans_of(provider))
    transport = httpx.ASGITransport(watching, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        await http.get("/players/Ida?code=ABCD")
    provider.shutdown()
    [span] = kept.get_finished_spans()
    assert span.name == "GET (none)"
    assert span.attributes["http.response.status_code"] == 500
    assert "Ida" not in span.to_json()
    assert "ABCD" not in span.to_json()


async def test_a_collector_is_sent_what_it_can_read(
    monkeypatch: pytest.MonkeyPatch, collector: Collector
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    address, received = collector

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body", "body": b""})

    watching = Watching(app, figures=Figures(), spans=spans_to(f"{address}/v1/traces"))
    transport = httpx.ASGITransport(watching)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as client:
        await client.get("/players/Ida?code=ABCD")
    path, kind, body = await asyncio.to_thread(received.get, timeout=30)
    assert (path, kind) == ("/v1/traces", "application/x-protobuf")
    service = needed("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    told = service.ExportTraceServiceRequest.FromString(body)
    [of] = told.resource_spans
    assert "tabularium" in {one.value.string_value for one in of.resource.attributes}
    [span] = of.scope_spans[0].spans
    assert {one.key for one in span.attributes} == {
        "http.request.method",
        "http.route",
        "http.response.status_code",
    }
    assert b"Ida" not in body
    assert b"ABCD" not in body


async def test_a_folder_of_files_that_is_gone_or_closed_is_told_and_entries_go_on(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = FileStore(tmp_path / "archive.files", lambda: 0)
    monkeypatch.setattr(door_behind(api.http).soundness, "_files", files)
    assert checked(api)["files"].status == "ok"  # nothing was kept yet
    files.incoming().discard()
    assert checked(api)["files"].status == "ok"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert checked(api)["files"].status == "failing"
    monkeypatch.undo()
    monkeypatch.setattr(door_behind(api.http).soundness, "_files", files)
    files.folder.rename(tmp_path / "elsewhere")
    assert "gone" in checked(api)["files"].detail
    assert (await api.get("/health")).status_code == 503
    assert (await api.get("/ready")).status_code == 200
    (tmp_path / "elsewhere").rename(files.folder)
    assert checked(api)["files"].status == "ok"


def test_a_folder_of_files_that_was_there_at_the_start_is_missed(tmp_path: Path) -> None:
    folder = tmp_path / "archive.files"
    folder.mkdir()
    files = FileStore(folder, lambda: 0)
    folder.rmdir()
    assert files.trouble() is not None
    assert FileStore(folder, lambda: 0).trouble() is None
