"""One port for https, and for plain http from this machine and from tablets not set up yet.

The first byte of a connection tells them apart: a TLS record begins with 0x16, no request does.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import ssl
from collections.abc import Callable

import uvicorn

from api.hall.places import Places

TLS_RECORD = 0x16
"""First byte of a TLS handshake (RFC 8446 5.1)."""

PATIENCE_S = 30.0
"""How long a connection may stay without a byte; browsers open some in advance."""

HANDSHAKE_S = 15.0

FAREWELL_S = 0.5
"""How long the other side may take to say that it has heard the end of a TLS connection."""


class Server(uvicorn.Server):
    """A server that lets its followers go before it waits for what is open to end."""

    def __init__(self, config: uvicorn.Config, let_go: Callable[[], None]) -> None:
        super().__init__(config)
        self._let_go = let_go

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down; first let go of live streams, which would not end by themselves."""
        self._let_go()
        await super().shutdown(sockets)


class Doorway(Server):
    """A server whose sockets speak https and plain http, by the first byte of each connection."""

    def __init__(
        self,
        config: uvicorn.Config,
        let_go: Callable[[], None],
        context: ssl.SSLContext,
        places: Places,
        reached_by: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(config, let_go)
        self._context = context
        self._places = places
        self._reached_by = reached_by
        """Told by which address of this machine somebody came over TLS, before the handshake."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections on sockets that listen already."""
        await super().startup(sockets=[])
        config = self.config

        def protocol() -> asyncio.Protocol:
            # uvicorn types the class too wide, by its base.
            made: asyncio.Protocol = config.http_protocol_class(  # type: ignore[call-arg]
                config=config, server_state=self.server_state, app_state=self.lifespan.state
            )
            return made

        for sock in sockets or []:
            acceptor = _Acceptor(sock, self._context, protocol, self._places, self._reached_by)
            self.servers.append(acceptor)  # type: ignore[arg-type]  # closes as a server does


class _Acceptor:
    """Takes connections of one socket; closes as a server of asyncio does."""

    def __init__(
        self,
        sock: socket.socket,
        context: ssl.SSLContext,
        protocol: Callable[[], asyncio.Protocol],
        places: Places,
        reached_by: Callable[[str], None] | None,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._context = context
        self._protocol = protocol
        self._places = places
        self._reached_by = reached_by
        self._welcomes: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._accept())

    def close(self) -> None:
        """Take no more connections; those that are open stay."""
        self._accepting.cancel()
        for welcome in self._welcomes:
            welcome.cancel()

    async def wait_closed(self) -> None:
        """Until the last one is let go."""
        await asyncio.gather(self._accepting, *self._welcomes, return_exceptions=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, peer = await loop.sock_accept(self._sock)
            except OSError:
                # Out of descriptors, or gone before it was taken: the next one may do better.
                await asyncio.sleep(0.1)
                continue
            knock = _Knock()
            if not self._places.enter(knock, str(peer[0])):
                connection.close()
                continue
            welcome = asyncio.create_task(self._welcome(connection, knock))
            knock.welcome = welcome
            self._welcomes.add(welcome)
            welcome.add_done_callback(functools.partial(self._over, knock, connection))

    def _over(self, knock: _Knock, connection: socket.socket, welcome: asyncio.Task[None]) -> None:
        self._welcomes.discard(welcome)
        self._places.leave(knock)
        if welcome.cancelled():
            connection.close()

    def _entered(self, knock: _Knock) -> asyncio.Protocol:
        """A protocol that takes the place of the knock, once the handshake is over."""
        protocol = self._protocol()
        made = protocol.connection_made

        def connection_made(transport: asyncio.BaseTransport) -> None:
            self._places.leave(knock)
            made(transport)

        protocol.connection_made = connection_made  # type: ignore[method-assign]  # this one alone
        return protocol

    async def _welcome(self, connection: socket.socket, knock: _Knock) -> None:
        loop = asyncio.get_running_loop()
        entered = functools.partial(self._entered, knock)
        try:
            connection.setblocking(False)
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            async with asyncio.timeout(PATIENCE_S):
                first = await _peek(connection)
            if not first:
                connection.close()
            elif first[0] == TLS_RECORD:
                if self._reached_by is not None:
                    self._reached_by(str(connection.getsockname()[0]))
                await loop.connect_accepted_socket(
                    entered,
                    connection,
                    ssl=self._context,
                    ssl_handshake_timeout=HANDSHAKE_S,
                    ssl_shutdown_timeout=FAREWELL_S,
                )
            else:
                await loop.connect_accepted_socket(entered, connection)
        except (OSError, TimeoutError):
            # ssl.SSLError is one: whoever trusts no certificate of ours hangs up here.
            connection.close()


class _Knock:
    """A connection that has not said yet which way in it wants; until then it is a silent one."""

    welcome: asyncio.Task[None] | None = None
    """Reads its first byte, and hands it on; None before it has begun."""

    def give_way(self) -> None:
        """Close at once: the place is wanted."""
        if self.welcome is not None:
            self.welcome.cancel()


async def _peek(connection: socket.socket) -> bytes:
    """The first byte, left where it is; empty when the other side has hung up. Errors: OSError."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            return connection.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            pass
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(connection.fileno(), _settle, ready)
        except NotImplementedError:
            # Windows' own loop tells of no readiness.
            await asyncio.sleep(0.02)
            continue
        try:
            await ready
        finally:
            loop.remove_reader(connection.fileno())


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
