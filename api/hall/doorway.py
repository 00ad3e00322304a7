"""One port for https, and for plain http from this machine and from tablets not set up yet.

The first byte of a connection tells them apart: a TLS record begins with 0x16, and no request does.
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
"""How long a connection may stay open without a byte; browsers open some in advance."""

HANDSHAKE_S = 15.0

FAREWELL_S = 0.5
"""How long the other side may take to confirm the end of a TLS connection."""


class Server(uvicorn.Server):
    """A server that ends live streams before it waits for open connections to end."""

    def __init__(self, config: uvicorn.Config, let_go: Callable[[], None]) -> None:
        super().__init__(config)
        self._let_go = let_go

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down; first end the live streams, which would not end by themselves."""
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
        """Called with the address of this machine that a TLS connection used, before the
        handshake."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections on sockets that are already listening."""
        await super().startup(sockets=[])
        config = self.config

        def protocol() -> asyncio.Protocol:
            # Uvicorn's base class declares a wider type.
            made: asyncio.Protocol = config.http_protocol_class(  # type: ignore[call-arg]
                config=config, server_state=self.server_state, app_state=self.lifespan.state
            )
            return made

        for sock in sockets or []:
            acceptor = _Acceptor(sock, self._context, protocol, self._places, self._reached_by)
            self.servers.append(acceptor)  # type: ignore[arg-type]  # closes as a server does


class _Acceptor:
    """Accepts the connections of one socket; closes like a server of asyncio."""

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
        """Accept no more connections; open ones stay."""
        self._accepting.cancel()
        for welcome in self._welcomes:
            welcome.cancel()

    async def wait_closed(self) -> None:
        """Wait until the last connection is closed."""
        await asyncio.gather(self._accepting, *self._welcomes, return_exceptions=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, peer = await loop.sock_accept(self._sock)
            except OSError:
                # No descriptors left, or the client closed before it was accepted: try the next
                # one.
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
        """The protocol that takes over the connection when the handshake is done."""
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
            # ssl.SSLError is an OSError: a client that does not trust our certificate closes here.
            connection.close()


class _Knock:
    """A connection of which the protocol is not known yet; until then it counts as silent."""

    welcome: asyncio.Task[None] | None = None
    """The task that reads the first byte and hands the connection on; None before it has begun."""

    def give_way(self) -> None:
        """Close at once, because the place is needed."""
        if self.welcome is not None:
            self.welcome.cancel()


async def _peek(connection: socket.socket) -> bytes:
    """The first byte, which stays unread in the socket; empty if the client has closed.

    Errors: OSError.
    """
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
            # The event loop of Windows does not report when a socket can be read.
            await asyncio.sleep(0.02)
            continue
        try:
            await ready
        finally:
            loop.remove_reader(connection.fileno())


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
