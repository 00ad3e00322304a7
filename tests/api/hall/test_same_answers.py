"""Clients that keep to the rules get the same answers from our connections as from uvicorn's."""

from __future__ import annotations

import asyncio
import itertools
import re
from typing import Any, NamedTuple

import uvicorn
from hypothesis import example, given
from hypothesis import strategies as st
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from api.hall.bounded import bounded
from api.hall.places import Bounds, Places
from tests.api.hall.test_bounded import Wire


class Said(NamedTuple):
    """One request of a client that keeps to the rules."""

    body: int
    """Bytes of its body; -1 = a GET, that has none."""
    chunk: int
    """Bytes of each of its chunks; 0 = its length is said in its head."""
    headers: int
    """Bytes of a header that means nothing."""

    def raw(self) -> bytes:
        head = b"%b / HTTP/1.1\r\nhost: x\r\nx: %b\r\n" % (
            b"GET" if self.body < 0 else b"POST",
            b"h" * self.headers,
        )
        if self.body < 0:
            return head + b"\r\n"
        body = b"b" * self.body
        if not self.chunk:
            return head + b"content-length: %d\r\n\r\n%b" % (self.body, body)
        pieces = [body[at : at + self.chunk] for at in range(0, self.body, self.chunk)]
        told = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        return head + b"transfer-encoding: chunked\r\n\r\n" + told + b"0\r\n\r\n"


async def _answers(
    protocol: type[HttpToolsProtocol], sent: list[bytes], cuts: list[int]
) -> tuple[bytes, bool]:
    """The answers to all that is sent, one after the other, in pieces of these sizes."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        size, more = 0, True
        while more:
            came = await receive()
            size, more = size + len(came.get("body", b"")), came.get("more_body", False)
        told = b"%b %d" % (scope["method"].encode(), size)
        length = [(b"content-length", b"%d" % len(told))]
        await send({"type": "http.response.start", "status": 200, "headers": length})
        await send({"type": "http.response.body", "body": told})

    config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None)
    config.load()
    one = protocol(config, ServerState(), {}, asyncio.get_running_loop())
    wire = Wire("10.0.0.2")
    one.connection_made(wire)  # type: ignore[arg-type]  # as much of a transport as is asked
    for raw in sent:
        answered, at = len(wire.written), 0
        for cut in itertools.cycle(cuts):
            one.data_received(raw[at : at + cut])
            at += cut
            if at >= len(raw):
                break
            await asyncio.sleep(0)
        for _ in range(50):
            if len(wire.written) > answered and len(sent) > 1:
                break
            await asyncio.sleep(0)
    one.connection_lost(None)
    return re.sub(rb"date: [^\r]*", b"", wire.written), wire.is_closed


REQUESTS = st.builds(
    Said,
    body=st.sampled_from([-1, -1, 0, 1, 4_000, 40_000, 200_000]),
    chunk=st.sampled_from([0, 0, 1_000, 70_000]),
    headers=st.integers(1, 20_000),
)

CUTS = st.sampled_from([1_000, 4_096, 30_000, 65_536, 262_144])


@given(
    said=st.lists(REQUESTS, min_size=1, max_size=5),
    cuts=st.lists(CUTS, min_size=1, max_size=4),
    is_patient=st.booleans(),
)
@example(said=[Said(262_144, 0, 1), Said(9, 0, 1)], cuts=[65_536], is_patient=True)
@example(said=[Said(-1, 0, 20_000)] * 4, cuts=[70_000], is_patient=False)
def test_who_keeps_to_the_rules_is_answered_as_by_uvicorn_itself(
    said: list[Said], cuts: list[int], is_patient: bool
) -> None:
    raws = [one.raw() for one in said]
    sent = raws if is_patient else [b"".join(raws)]
    bounds = bounded(Places(Bounds(connections=12, of_one_address=4)))
    ours = asyncio.run(_answers(bounds, sent, cuts))
    assert ours == asyncio.run(_answers(HttpToolsProtocol, sent, cuts))
    assert ours[0].count(b"200 OK") == len(said)
