"""`tabularium grant`, `revoke` and `token`: who may read and write, as entries like any other."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from api.archive.archive import TOKEN_BYTES, operator_file, token_hash
from api.commands.common import Db, Json, Shelf, lock_holder, reading, settings_of, writing
from api.commands.printing import fail, line, safe, say, show
from api.commands.server import server_of
from api.settings import Settings
from api.shapes.shape import JsonObject
from events.envelope import ARCHIVE_LOG, TOURNAMENT_STREAM, Basis
from events.payloads.access import AccessGranted, Role
from events.store.address import FileAddress, parse_address
from projections.custody.access import Grant

_STARTING_S = 5.0
"""Seconds for which to wait until a starting server has made the operator's token."""


def token(db: Db = None) -> None:
    """Show the operator's token, which may do everything; make it if there is none.

    It is kept in a file beside an SQLite database. For a database server, make tokens with
    `tabularium grant`.
    """
    settings = settings_of(db)
    address = parse_address(settings.db)
    if not isinstance(address, FileAddress):
        fail("only an archive in a file keeps its operator's token: `tabularium grant` makes one")
    path = operator_file(address.path)
    # A server that is starting for the first time has not made it yet.
    until = time.monotonic() + _STARTING_S
    while lock_holder(settings.db) and not path.is_file() and time.monotonic() < until:
        time.sleep(0.1)
    if lock_holder(settings.db) is None:
        with writing(settings, makes=True) as shelf:
            show(shelf.archive.operator_token())
    elif path.is_file():
        show(path.read_text("ascii", "replace").strip())
    else:
        fail("the operator's token is gone: it is made anew when the server is started again")


def grant(
    role: Annotated[Role, typer.Option("--role", help="Role of the holder.")],
    log: Annotated[
        str | None,
        typer.Option(
            "--log", metavar="ID", help="Limit the role to this log. (default: the whole archive)"
        ),
    ] = None,
    match: Annotated[
        str | None, typer.Option("--match", metavar="MATCH", help="Limit the role to this match.")
    ] = None,
    holder: Annotated[
        str | None, typer.Option("--holder", metavar="NAME", help="Name of the holder.")
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Make a token with a role. It is shown once: the archive keeps only its hash.

    A user who can run this on the database's machine is the operator. If a server is running, the
    grant is made through it.
    """
    settings = settings_of(db)
    is_served = lock_holder(settings.db) is not None
    log_id = log or ARCHIVE_LOG
    stream_id = None
    if match is not None:
        with reading(settings.db) if is_served else writing(settings) as shelf:
            log_id, stream_id = shelf.find(match, log)
    if is_served:
        token, grant_id = _granted_by_server(settings, role, log_id, stream_id, holder)
    else:
        with writing(settings, makes=True) as shelf:
            token, grant_id = shelf.archive.grant(
                role, log_id=log_id, match=stream_id, holder=holder
            )
    over = f"log {log_id}" if log_id != ARCHIVE_LOG else "the whole archive"
    over = over if stream_id is None else f"match {stream_id}"
    if as_json:
        line({"token": token, "grant": grant_id, "role": role.value, "log": log_id,
              "match": stream_id})  # fmt: skip
        return
    show(f"token  {token}")
    show(f"grant  {grant_id}  ({role.value} of {over})")
    say("the token is shown only now; `tabularium revoke` with the grant's id ends it")


def _granted_by_server(
    settings: Settings, role: Role, log_id: str, stream_id: str | None, holder: str | None
) -> tuple[str, str]:
    token = os.urandom(TOKEN_BYTES).hex()
    kind = "log" if log_id != ARCHIVE_LOG else "archive"
    scope = {"kind": kind} if stream_id is None else {"kind": "match", "match": stream_id}
    body: JsonObject = {"token_sha256": token_hash(token), "role": role.value, "scope": scope}
    if holder:
        body["holder"] = holder
    return token, sent(settings, log_id, "access.granted", body)


def sent(settings: Settings, log_id: str, tag: str, body: JsonObject) -> str:
    """Append one entry to a log's own stream through the server; its id."""
    with server_of(settings, None) as client:
        entry_id = client.new_id()
        entry = {"entry_id": entry_id, "tag": tag, "basis": Basis.OBSERVED.value, "body": body}
        client.append_to_log(log_id, entry)
    return entry_id


def revoke(
    grant_id: Annotated[
        str | None,
        typer.Argument(
            metavar="GRANT",
            help="Id of the grant, or its unique beginning. (default: list the grants)",
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """End a grant; without an id, list the grants in force."""
    settings = settings_of(db)
    with reading(settings.db) as shelf:
        grants = list(_grants(shelf))
        if grant_id is None:
            for held, holder in grants:
                if as_json:
                    line(_grant_json(held, holder))
                else:
                    who = f"  {holder}" if holder else ""
                    over = held.kind.value if held.match is None else held.match
                    show(f"{held.grant_id}  {held.role.value:<9}  {held.log_id} ({over}){who}")
            if not grants:
                say("no grants yet: `tabularium grant --role ...` makes one")
            return
    found = [(held, holder) for held, holder in grants if held.grant_id.startswith(grant_id)]
    if not found:
        fail(f"no grant in force has an id that begins with {grant_id!r}: see `tabularium revoke`")
    if len(found) > 1:
        fail(f"{len(found)} grants have an id that begins with {grant_id!r}: give more of it")
    held, holder = found[0]
    if lock_holder(settings.db) is not None:
        sent(settings, held.log_id, "access.revoked", {"target": held.grant_id})
    else:
        with writing(settings) as shelf:
            shelf.archive.revoke(held.grant_id, log_id=held.log_id)
    if as_json:
        line(_grant_json(held, holder))
    else:
        show(f"grant {held.grant_id} ({held.role.value}) is revoked")


def _grant_json(held: Grant, holder: str | None) -> JsonObject:
    return {
        "grant": held.grant_id,
        "role": held.role.value,
        "scope": held.kind.value,
        "log": held.log_id,
        "match": held.match,
        "holder": holder,
    }


def _grants(shelf: Shelf) -> Iterator[tuple[Grant, str | None]]:
    """Every grant in force with its holder, log by log."""
    archive = shelf.archive
    for head in archive.store.logs():
        held = {
            grant.grant_id: grant for grant in archive.reading.access(head.log_id).grants.values()
        }
        if not held:
            continue
        for row in archive.reading.live(head.log_id, TOURNAMENT_STREAM).recorded:
            grant_ = held.get(row.entry_id)
            if grant_ is not None and isinstance(row.payload, AccessGranted):
                holder = shelf.value(head.log_id, row.payload.holder)
                yield grant_, None if holder is None else safe(holder)
