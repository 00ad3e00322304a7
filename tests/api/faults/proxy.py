"""A small proxy before servers that hands requests on, each faithfully or with one fault."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from typing import Self

FAULTS = (
    "none",
    "cut before",
    "cut inside",
    "cut behind the commit",
    "half an answer",
    "twice",
    "at once",
    "black hole",
    "in pieces",
)
"""What becomes of a request. `twice` and `at once` send it to two servers, where there are two."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class FaultyProxy:
    """Takes one request a connection, as of a network that nobody can rely on."""

    def __init__(self, chance: random.Random) -> None:
        self.ports: list[int] = []
        """The servers behind it, dead ones too; requests go to each in turn."""
        self.port = 0
        self.done: Counter[str] = Counter()
        """How often each fault was made."""
        self._chance = chance
        self._turn = 0
        self._serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        try:
            await self._handed_on(reader, writer)
        finally:
            writer.close()

    async def _handed_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            request = await _request(reader)
            fault = self._chance.choice(FAULTS)
            answer = await self._through(fault, request)
            self.done[fault] += 1
            if fault == "black hole":
                await reader.read()  # until the client has had enough
            for at in range(0, len(answer), 7 if fault == "in pieces" else 1 << 20):
                writer.write(answer[at : at + (7 if fault == "in pieces" else 1 << 20)])
                await writer.drain()

    async def _through(self, fault: str, request: bytes) -> bytes:
        """What the client gets to read."""
        if fault == "cut before":
            return b""
        if fault == "cut inside":
            await self._asked(request[: len(request) // 2], waits=False)
            return b""
        if fault == "twice":
            await self._asked(request)
        if fault == "at once":
            both = await asyncio.gather(self._asked(request), self._asked(request))
            return self._chance.choice(both)
        answer = await self._asked(request)
        if fault in ("cut behind the commit", "black hole"):
            return b""
        return answer[: len(answer) // 2] if fault == "half an answer" else answer

    async def _asked(self, request: bytes, *, waits: bool = True) -> bytes:
        """What the next server that is up answers; nothing where it dies meanwhile."""
        for _ in self.ports:
            self._turn += 1
            port = self.ports[self._turn % len(self.ports)]
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            try:
                writer.write(request)
                await writer.drain()
                return await reader.read() if waits else b""
            except OSError:
                return b""
            finally:
                writer.close()
        return b""


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return head + await reader.readexactly(int(value))
    return head
