"""Answers packed by gzip: which are, what their headers say, and that a stream is not kept back."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Message

from api.html.kept import takes_gzip
from api.routes.shared.packing import Packing

M = "/logs/club/matches/m1"
LINE = b'{"version":1,"tag":"dice.rolled"}\n'


async def answered(
    answer: Response, *, method: str = "GET", accepts: str = "gzip"
) -> tuple[dict[str, str], list[bytes]]:
    """Headers and pieces of the body, as they go out."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"accept-encoding", accepts.encode())] if accepts else []
    scope = {"type": "http", "method": method, "path": "/", "headers": headers}
    await Packing(answer)(scope, receive, send)
    named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return named, [message.get("body", b"") for message in sent[1:]]


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "text/plain", "application/json"])
async def test_text_is_packed_and_says_so(media_type: str) -> None:
    whole = LINE * 100
    headers, body = await answered(Response(whole, media_type=media_type))
    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) == len(body[0]) < len(whole)
    assert headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(b"".join(body)) == whole


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "image/png"},
        {"content-type": "application/vnd.ogxm"},
        {"content-type": "text/plain", "content-encoding": "br"},
        {"content-type": "text/plain", "content-range": "bytes 0-9/100"},
        {"content-type": "text/plain", "accept-ranges": "bytes"},
        {"content-type": "text/event-stream"},
    ],
)
async def test_what_is_no_text_or_packed_or_a_part_or_live_is_left_alone(
    headers: dict[str, str],
) -> None:
    found, body = await answered(Response(LINE * 100, headers=headers))
    assert found.get("content-encoding") == headers.get("content-encoding")
    assert b"".join(body) == LINE * 100


@pytest.mark.parametrize("accepts", ["", "identity", "br, zstd", "gzip;q=0", "gzip; q=0.000", "*"])
async def test_nobody_gets_gzip_who_does_not_ask_for_it(accepts: str) -> None:
    headers, body = await answered(Response(LINE * 100, media_type="text/plain"), accepts=accepts)
    assert "content-encoding" not in headers
    assert headers["vary"] == "Accept-Encoding"  # for a cache in between
    assert b"".join(body) == LINE * 100


@pytest.mark.parametrize("accepts", ["gzip", "br, GZIP;q=0.5", "deflate, gzip ; q=1.0", "x-gzip"])
def test_whoever_asks_for_gzip_gets_it(accepts: str) -> None:
    assert takes_gzip(Headers({"accept-encoding": accepts}))


async def test_a_short_answer_goes_as_it_is() -> None:
    headers, body = await answered(Response(LINE, media_type="text/plain"))
    assert "content-encoding" not in headers
    assert headers["content-length"] == str(len(LINE))
    assert body == [LINE]


async def test_the_tag_is_that_of_what_is_said_packed_or_not() -> None:
    headers, _ = await answered(
        Response(LINE * 100, headers={"etag": '"12"'}, media_type="text/plain")
    )
    assert headers["etag"] == '"12"'
    assert headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(("length", "is_packed"), [("9000", True), ("12", False)])
async def test_a_head_tells_what_the_answer_would_be(length: str, is_packed: bool) -> None:
    answer = Response(b"", headers={"content-length": length}, media_type="text/plain")
    headers, body = await answered(answer, method="HEAD")
    assert headers.get("content-encoding") == ("gzip" if is_packed else None)
    # How long a packed answer is shows only when it is packed.
    assert headers.get("content-length") == (None if is_packed else length)
    assert headers["vary"] == "Accept-Encoding"
    assert body == [b""]


async def test_a_stream_is_packed_as_it_comes() -> None:
    seen: list[int] = []
    sent: list[bytes] = []

    async def lines() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield LINE * 100
            seen.append(sum(map(len, sent)))

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> Message:
        raise AssertionError("nobody asked")

    headers = [(b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    answer = Packing(StreamingResponse(lines(), media_type="application/x-ndjson"))
    await answer({**scope, "asgi": {"spec_version": "2.4"}}, receive, send)
    assert gzip.decompress(b"".join(sent)) == LINE * 4_000
    # What was sent up to the tenth piece can be read, although the stream goes on.
    assert seen[9] < seen[20] < seen[39]
    early = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(b"".join(sent)[: seen[9]])
    assert len(early) > 5 * 100 * len(LINE)


async def test_the_log_of_a_match_its_replay_and_its_files_are_packed(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    for path, accept in (
        (f"{M}/events", "application/x-ndjson"),
        (f"{M}/replay", "application/x-ndjson"),
        (f"{M}/export.jsonl", "*/*"),
        (f"{M}/export.html", "*/*"),
        ("/logs/club/export", "application/x-ndjson"),
    ):
        plain = await api.get(path, Accept=accept, Accept_Encoding="identity")
        packed = await api.get(path, Accept=accept, Accept_Encoding="gzip")
        assert plain.status_code == packed.status_code == 200, path
        assert "content-encoding" not in plain.headers, path
        assert packed.headers["content-encoding"] == "gzip", path
        assert "Accept-Encoding" in packed.headers["vary"], path
        assert plain.content == packed.content, path
        if "etag" in packed.headers:
            again = await api.get(path, If_None_Match=packed.headers["etag"], Accept=accept)
            assert again.status_code in (200, 304)


async def test_what_was_packed_and_has_not_changed_is_not_sent_again(api: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    packed = await api.get(f"{M}/export.html", Accept_Encoding="gzip")
    again = await api.get(f"{M}/export.html", If_None_Match=packed.headers["etag"])
    assert again.status_code == 304
    # What a cache keeps of it stays for those who read gzip alone.
    assert again.headers["vary"] == packed.headers["vary"]


@pytest.mark.parametrize(
    "path", ["/", "/openapi.json", "/rules/common", "/session", "/tablet", "/sw.js"]
)
async def test_no_page_is_packed_for_whoever_says_that_it_reads_no_gzip(
    api: Any, path: str
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    packed = await api.get(path, accept_encoding="gzip")
    assert packed.headers.get("content-encoding") == "gzip"
    bare = await api.get(path, accept_encoding="gzip;q=0, identity")
    assert "content-encoding" not in bare.headers
    assert "Accept-Encoding" in bare.headers["vary"]
    assert bare.content == packed.content
