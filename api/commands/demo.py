"""A demonstration: a club tournament with a few tables, made up, with tokens to look at it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import msgspec

from api.archive.archive import TOKEN_BYTES, Archive, token_hash
from api.commands.demo_matches import LIVE_MATCH, SECOND_MATCH, record
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH, DEMO_RULES, entry_id
from api.desk.desk import Desk
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from api.desk.leases import Leasing, append_folded, lease_entries
from events.envelope import TOURNAMENT_STREAM
from events.errors import LogExists
from events.payloads.access import Role, ScopeKind
from events.payloads.appeal import AppealFiled
from projections.custody.access import Grant
from projections.custody.leases import Leases

DEMO_DEVICE = "tablet-2"
"""The device that holds the lease of the match in play; it never contacts the server."""

_LENT = {"tablet-1b": (SECOND_MATCH, "1"), DEMO_DEVICE: (LIVE_MATCH, "2")}
"""Device to the match that it records, and the table; the match in play is leased last."""

DEMO_TITLE = "Lantern Cup, a demonstration"

_ROLES = (Role.DIRECTOR, Role.SCRIBE, Role.VIEWER)


class Demo(msgspec.Struct, frozen=True):
    """What a demonstration has to show."""

    log_id: str
    match_id: str
    tokens: dict[str, str]
    """Role to a token that has it in the demonstration's log."""
    has_appeal: bool = True
    """Whether its final has a case; a demonstration recorded by release 0.2.0 has none."""


async def seed(archive: Archive, *, tokens_file: Path | None = None) -> Demo:
    """Record the demonstration, unless it is there already. Errors: LedgerError.

    Tokens are kept in `tokens_file`, so that a second start prints the same ones.
    """
    with contextlib.suppress(LogExists):
        archive.open_tournament(DEMO_LOG, DEMO_TITLE, recorded_by="demo")
    tokens = _tokens(archive, tokens_file)
    if not _is_complete(archive):
        await _declare(archive, tokens)
        scribe, director = (_hand(archive, tokens[role]) for role in (Role.SCRIBE, Role.DIRECTOR))
        await record(archive, scribe=scribe, director=director)
        await _lend(archive, tokens)
    recorded = archive.reading.live(DEMO_LOG, DEMO_MATCH).recorded
    has_appeal = any(isinstance(one.payload, AppealFiled) for one in recorded)
    return Demo(DEMO_LOG, DEMO_MATCH, tokens, has_appeal)


def _is_complete(archive: Archive) -> bool:
    """Whether the last thing was recorded: the lease."""
    return Leasing(archive.reading).of(DEMO_LOG).number(LIVE_MATCH) > 0


def _tokens(archive: Archive, path: Path | None) -> dict[str, str]:
    """One token a role: those of an earlier start if they are still valid, else new ones."""
    kept: dict[str, str] = {}
    if path is not None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            kept = {str(role): str(token) for role, token in json.loads(path.read_text()).items()}
    access = archive.reading.access(DEMO_LOG)
    tokens = {}
    for role in _ROLES:
        token = kept.get(role.value)
        known = None if token is None else access.grant_of(token_hash(token))
        if token is None or known is None or known.role is not role:
            token, _ = archive.grant(
                role, log_id=DEMO_LOG, holder=f"demo {role.value}", recorded_by="demo"
            )
        tokens[role.value] = token
    if path is not None and tokens != kept:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(tokens, file)
    return tokens


def _hand(archive: Archive, token: str) -> Hand:
    grants: list[Grant] = archive.reading.grants(DEMO_LOG, token_hash(token))
    return Hand(grants)


async def _declare(archive: Archive, tokens: dict[str, str]) -> None:
    """The rules, as posted at the playing site."""
    access = archive.reading.access(DEMO_LOG)
    entry = EntryIn(
        entry_id=entry_id(0),
        tag="tournament.rules_declared",
        body={
            "rule_set": DEMO_RULES,
            "options": {
                "crawford": {"value": "on", "declared_by": "director"},
                "moves_policy": {"value": "legal", "declared_by": "director"},
            },
            "posted": "notice board, Saturday morning",
        },
    )
    appended = await Desk(archive).append(
        _hand(archive, tokens[Role.DIRECTOR]),
        DEMO_LOG,
        TOURNAMENT_STREAM,
        [entry],
        expected_version=access.version,
    )
    if not appended.duplicate:
        archive.reading.took(appended.events)


async def _lend(archive: Archive, tokens: dict[str, str]) -> None:
    """Tablets for the match in play and the second scribe; nobody has their tokens."""
    desk = Desk(archive)
    hashes = {device: token_hash(archive.entropy(TOKEN_BYTES).hex()) for device in _LENT}

    def entries(leases: Leases) -> list[EntryIn]:
        made: list[EntryIn] = []
        for device, (match, table) in _LENT.items():
            granted = {
                "token_sha256": hashes[device],
                "role": Role.SCRIBE.value,
                "scope": {"kind": ScopeKind.LOG.value},
                "holder": f"Tablet at table {table}",
                "device": {"id": device},
            }
            made.append(EntryIn(archive.entry_id(), "access.granted", granted))
            made += lease_entries(
                desk, leases, match=match, device=device, takeover=False, table=table
            )
        return made

    director = _hand(archive, tokens[Role.DIRECTOR])
    appended = await append_folded(desk, Leasing(archive.reading), director, DEMO_LOG, entries)
    if appended is not None:
        archive.reading.took(appended.events)
