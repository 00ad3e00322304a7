"""`tabularium serve`: the HTTP API and the pages, with a demonstration on request."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Annotated
from urllib.parse import urlsplit

import typer
import uvicorn

from api.app import create_app
from api.archive.archive import Archive, operator_file
from api.commands.common import Db, Shelf, settings_of, writing
from api.commands.demo import Demo, seed
from api.commands.printing import REFUSED, fail, safe, show
from api.commands.traces import install
from api.commands.trusting import context_of, greeting, papers_of, renewal, speaks_https
from api.hall.addresses import first_of_hall, is_loopback, means_this_machine
from api.hall.authority import Trust
from api.hall.bounded import bounded, https_only_for
from api.hall.descriptors import bounds_of
from api.hall.doorway import Doorway, Server
from api.hall.places import Places
from api.settings import Settings, demo_database
from events.errors import Damaged, RolledBack
from events.store.address import (
    FileAddress,
    MemoryAddress,
    ServerAddress,
    parse_address,
    without_password,
)
from events.store.sqlite import SqliteStore

GRACE_S = 5
"""Seconds that open requests and streams may take to end after Ctrl-C."""

BACKLOG = 2_048


def serve(
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Serve an invented tournament from a separate database, with tokens."
        ),
    ] = False,
    host: Annotated[
        str | None,
        typer.Option("--host", help="Address to listen on. (default: TABULARIUM_HOST, 127.0.0.1)"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65_535,
            help="Port; 0 = any free one. (default: TABULARIUM_PORT, 8340)",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            help="Serve https with this certificate chain (PEM): tablets need it to work"
            " offline. (default: TABULARIUM_CERTIFICATE)",
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="Its private key (PEM). (default: TABULARIUM_KEY)")
    ] = None,
    https: Annotated[
        bool | None,
        typer.Option(
            "--https/--no-https",
            help="Whether to speak https, by a certificate authority of this archive's own"
            " unless one is named. (default: on every address but loopback)",
        ),
    ] = None,
    db: Db = None,
) -> None:
    """Serve the HTTP API and the pages, until Ctrl-C.

    First makes the database, or brings it up to date. Only one process writes to an SQLite file:
    while a server runs, reading commands still work, and imports and grants are sent to the server.
    """
    # TABULARIUM_DB names the real archive: the demonstration goes there only if --db says so.
    settings = settings_of(
        demo_database() if demo and db is None else db,
        host=host,
        port=port,
        certificate=certificate,
        key=key,
        https=https,
    )
    is_secure = speaks_https(settings)
    install()
    with contextlib.closing(_listening(settings)) as sock, writing(settings, makes=True) as shelf:
        url = _url(settings.host, sock)
        archive = shelf.archive
        trust = _trust(settings, sock) if is_secure else None
        if isinstance(archive.store, SqliteStore):
            # Commands on this machine use plain http, whatever the certificate.
            secure = {} if trust is None else {"secure_url": trust.secure_url}
            archive.store.lock.describe(url=url, **secure)
        if settings.certificate is not None:
            url = _secure(url)
        shown = asyncio.run(seed(archive, tokens_file=_tokens_file(settings))) if demo else None
        hall = _hall_url(settings, sock) if trust is None else trust.secure_url
        server = server_of(shelf, settings, hall=hall, trust=trust)
        with _stopping(server):
            _greet(archive, settings, url, shown, hall=hall, trust=trust)
            server.run(sockets=[sock])
        held = [*archive.store.held.values(), *filter(None, [archive.store.displaced])]
        held += _damage(archive)
        show("stopped")
        for why in held:
            show(f"HELD: {safe(why)}", "red")
    if held:
        raise typer.Exit(REFUSED)


def _damage(archive: Archive) -> list[str]:
    """Why the archive can no longer be read, whatever happened to its files; None if it can."""
    try:
        archive.store.logs()
    except Damaged as error:
        return [str(error)]
    return []


def _listening(settings: Settings) -> socket.socket:
    """A socket that already accepts connections, so that the address printed next is valid."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        fail(
            f"--host {settings.host}: no such address ({error.strerror}):"
            " name one of this machine, or 0.0.0.0 for all"
        )
    sock = socket.socket(family, kind, proto)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            fail(
                f"port {settings.port} of {settings.host} is taken: stop what listens there, or"
                " choose another with --port (0 = any free one)"
            )
        fail(f"cannot listen on {settings.host} port {settings.port}: {error.strerror or error}")
    return sock


def _url(host: str, sock: socket.socket) -> str:
    """The address at which a program on this machine reaches the server."""
    port = sock.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _secure(url: str) -> str:
    return url.replace("http://", "https://", 1)


def _hall_url(settings: Settings, sock: socket.socket) -> str | None:
    """The address for tablets of the same network; None if only this machine can reach it."""
    if is_loopback(settings.host):
        return None
    if settings.host not in ("0.0.0.0", "", "::"):
        return _url(settings.host, sock)
    address = first_of_hall()
    return None if address is None else _url(address, sock)


def _trust(settings: Settings, sock: socket.socket) -> Trust:
    plain = _hall_url(settings, sock) or _url(settings.host, sock)
    return Trust(plain, _secure(plain), papers_of(settings))


def _tokens_file(settings: Settings) -> Path | None:
    """The file of the demonstration's tokens, beside its database file (mode 0600)."""
    address = parse_address(settings.db)
    if not isinstance(address, FileAddress):
        return None
    return address.path.with_name(address.path.name + ".tokens")


def _greet(
    archive: Archive,
    settings: Settings,
    url: str,
    demo: Demo | None,
    *,
    hall: str | None,
    trust: Trust | None,
) -> None:
    address = parse_address(settings.db)
    show(f"Tabularium serves {without_password(settings.db)}")
    show(f"  matches    {url}/")
    show(f"  directors  {url}/room")
    show(f"  tablets    {hall or url}/tablet")
    if is_loopback(settings.host):
        show("             (this machine alone: other devices take `serve --host 0.0.0.0`)")
    elif means_this_machine(urlsplit(hall or url).hostname or ""):
        show("             (this machine alone: it is in no network; join one, and start again)")
    if trust is not None:
        for text in greeting(trust):
            show(text)
    elif hall is not None:
        show("             (over plain http a tablet cannot reload offline: see --https)")
    show(f"  API        {url}/openapi.json")
    if isinstance(address, ServerAddress):
        show("  tokens     `tabularium grant --role archivist` makes one")
    else:
        _show_operator(archive, address)
    for why in archive.store.held.values():
        show(f"HELD: {safe(why)}", "red")
    if demo is not None:
        for text in _about(url, demo):
            show(text)
    show("Ctrl-C stops it.")


def _show_operator(archive: Archive, address: FileAddress | MemoryAddress) -> None:
    file = operator_file(address.path) if isinstance(address, FileAddress) else None
    known = None if file is None or not file.is_file() else file.read_bytes()
    try:
        token = archive.operator_token()
    except RolledBack:
        show("  operator   (no token can be made while the log `archive` is held)")
        return
    # Printed only once: output of a start is stored in journals and terminals that others can read.
    if known is not None and known.decode("ascii", "replace").strip() == token:
        show(f"  operator   `tabularium token --db {safe(archive.url)}` shows the token")
        return
    show(f"  operator   {token}")
    if file is not None:
        show(f"             (it may do everything, and is shown this once; kept in {file})")


_WHOLE = (
    "stood, a dispute, a ruling and an appeal; beside it a match that waits for the director,",
    "and one that is late. Its pages are public; writing takes a token, and the room and the",
    "case the director's.",
)

_EARLIER = (
    "stood, a dispute and a ruling, as an earlier release recorded it; what this release",
    "shows beside that takes a new database: name one with --db. Its pages are public;",
    "writing takes a token, and the room the director's.",
)


def _about(url: str, demo: Demo) -> Iterator[str]:
    match = f"{url}/logs/{demo.log_id}/matches/{demo.match_id}"
    viewer = demo.tokens["viewer"]
    yield ""
    yield "The demonstration: a final with an opening tie, a cocked die, an illegal play that"
    yield from _WHOLE if demo.has_appeal else _EARLIER
    yield f"  its page   {url}/matches/{demo.log_id}/{demo.match_id}"
    yield f"  its room   {url}/room/{demo.log_id}"
    if demo.has_appeal:
        yield f"  its case   {url}/cases (the appeal, decided: sign in as director)"
    for role, token in demo.tokens.items():
        yield f"  {role:<9}  {token}"
    yield "Try:"
    yield f'  curl -H "Authorization: Bearer {viewer}" {url}/logs/{demo.log_id}/matches'
    yield f"  curl {match}/findings"
    yield f"  curl {match}/export.mat"
    yield ""


def server_of(
    shelf: Shelf, settings: Settings, *, hall: str | None = None, trust: Trust | None = None
) -> uvicorn.Server:
    """The server of an archive that is open, before it takes a connection."""
    places = Places(bounds_of(settings))
    app = create_app(shelf.archive, settings, index=shelf.index, hall=hall, trust=trust)
    app.state.door.most_followers = places.bounds.followers
    has_own_authority = trust is not None and settings.certificate is None
    config = uvicorn.Config(
        app,
        http=bounded(places, https_only=https_only_for(has_own_authority=has_own_authority)),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        # Both options are set explicitly: by default uvicorn trusts this machine, and the senders
        # named in its own variable.
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_graceful_shutdown=GRACE_S,
    )
    let_go = app.state.door.hub.close
    if trust is None:
        return Server(config, let_go)
    context = context_of(settings, trust.papers)
    return Doorway(config, let_go, context, places, renewal(settings, trust, context))


@contextlib.contextmanager
def _stopping(server: uvicorn.Server) -> Iterator[None]:
    """Signals that end the server and not the process, so that the archive is closed."""

    def stop(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    # Uvicorn has its own handlers while it runs, and passes the signal on to these afterwards.
    numbers = [signal.SIGINT, signal.SIGTERM]
    # Closing the terminal ends it in order; with `nohup` it continues.
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is not None and signal.getsignal(hang_up) is signal.SIG_DFL:
        numbers.append(hang_up)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
