"""A TCP proxy between browser and server that a test can cut, block, or make lose answers."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import threading
from collections.abc import Coroutine
from typing import Any

from tests.web.kept import PORTS


class Mode(enum.StrEnum):
    """What the proxy does to every connection, including open ones."""

    UP = "up"
    """Passes everything on."""
    DOWN = "down"
    """Refuses, and cuts open connections: the hall's network is gone, but not the Wi-Fi signal."""
    DROP_RESPONSE = "drop_response"
    """The server gets the request and answers, but the answer is lost and the connection breaks."""
    BLACK_HOLE = "black_hole"
    """Accepts connections, but passes nothing on."""


class Proxy:
    """A proxy to a port of this machine; the test's thread may switch it."""

    def __init__(self, target: int) -> None:
        self.target = target
        """The port that it leads to; may be changed when a server restarts on another one."""
        self.mode = Mode.UP
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, sock=PORTS.listen()))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """The address for browsers."""
        return f"http://127.0.0.1:{self.port}"

    def switch(self, mode: Mode) -> None:
        """Change what the proxy does, and cut open connections, so that it applies to all."""
        self.mode = mode
        self._run(self._cut())

    def close(self) -> None:
        """Cut all connections, and stop listening."""
        self._server.close()
        self._run(self._cut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()
        self._open.clear()
        # Their tasks end in the next iteration of the event loop.
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        upstream: asyncio.StreamWriter | None = None
        try:
            if self.mode is Mode.DOWN:
                return
            if self.mode is Mode.BLACK_HOLE:
                while await reader.read(65_536):
                    pass
                return
            answers, upstream = await asyncio.open_connection("127.0.0.1", self.target)
            self._open.add(upstream)
            await asyncio.gather(self._pass(reader, upstream), self._answer(answers, writer))
        except OSError:
            pass
        finally:
            for one in (writer, upstream):
                if one is not None:
                    self._open.discard(one)
                    with contextlib.suppress(OSError, RuntimeError):
                        one.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, upstream: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65_536):
            upstream.write(chunk)
            await upstream.drain()
        upstream.close()

    async def _answer(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await answers.read(65_536):
            if self.mode is Mode.DROP_RESPONSE:
                # The server has handled the request; its answer is lost.
                writer.transport.abort()
                return
            writer.write(chunk)
            await writer.drain()
        writer.close()
