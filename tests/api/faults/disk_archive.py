"""The archive that a failing disk is tried on: a hall of six matches, a tablet at the first."""

from __future__ import annotations

from pathlib import Path

from api.archive.archive import open_archive, token_hash
from api.archive.keyring import Keyring, keys_folder
from events.envelope import NO_STREAM, TOURNAMENT_STREAM
from events.payloads.access import AccessGranted, Device, Role, Scope, ScopeKind
from events.payloads.custody import LeaseGranted
from events.payloads.match import MatchOpened, Player
from events.personal import disclose
from events.values import BySeat
from tests.api.devices import Tablet

LOG = "hall"
MATCHES = ("m1", "m2", "m3", "m4", "m5", "m6")
DIRECTOR = "d" * 43
"""The director's token."""
NAME = "Ottokar Zwiebelfisch"
"""A name that lies in the archive, and nowhere else in any of its files."""


def make(home: Path) -> None:
    """Make it in a folder."""
    home.mkdir()
    url = f"sqlite:///{home / 'archive.sqlite'}"
    archive = open_archive(url, keyring=Keyring(keys_folder(url)))
    try:
        archive.open_tournament(LOG, "On a failing disk")
        scope, tablet = Scope(kind=ScopeKind.LOG), Tablet()
        director = AccessGranted(token_sha256=token_hash(DIRECTOR), role=Role.DIRECTOR, scope=scope)
        let_in = AccessGranted(
            token_sha256=tablet.token_sha256,
            role=Role.SCRIBE,
            scope=scope,
            device=Device(id=tablet.name, public_key=tablet.public_key),
        )
        lease = LeaseGranted(lease=1, device=tablet.name, match=MATCHES[0])
        drafts = [archive.draft(payload) for payload in (director, let_in, lease)]
        archive.append(LOG, TOURNAMENT_STREAM, drafts)
        name, raw = disclose(bytes(range(16)), "players.one.0.name", NAME)
        for match in MATCHES:
            is_first = match == MATCHES[0]
            players = BySeat((Player(name=name),) if is_first else (), ())
            opened = archive.draft(
                MatchOpened(players=players, length=5), disclosures=(raw,) if is_first else ()
            )
            archive.append(LOG, match, [opened], expected_version=NO_STREAM)
        assert archive.signing is not None
        archive.signing.keep_all()
    finally:
        archive.close()
