"""An older backup in the archive's place: tablets still have what it lacks, and send it again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.operating.copies import back_up, restore
from api.operating.parts import place_for
from api.settings import Settings
from events.payloads.access import Role
from tests.web.conftest import LOG, NewContext, Served, Site, shot
from tests.web.device_site import check_stream
from tests.web.proxy import Proxy
from tests.web.tablet_rig import Scribe, open_tablet, start_game

pytestmark = pytest.mark.gate

ORIGIN = "archive.example/logs"


def opened(url: str) -> Archive:
    return open_archive(url, keyring=Keyring(keys_folder(url), origin=ORIGIN))


def test_machine_and_disk_are_gone_and_the_tablets_give_back_what_the_backup_lacks(
    new_context: NewContext, tmp_path: Path
) -> None:
    home, safe = tmp_path / "home", tmp_path / "safe"
    home.mkdir()
    url = f"sqlite:///{home / 'archive.sqlite'}"
    place = place_for(Settings(db=url))
    archive = opened(url)
    archive.open_tournament(LOG, "Lantern Open")
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    served = Served(archive)
    wire = Proxy(served.port)
    try:
        site = Site(wire.url, archive, archive.operator_token(), director)
        match_id = site.open_match()
        page = new_context(base_url=wire.url, expects_errors=True).new_page()
        open_tablet(page, site, match_id)
        scribe = Scribe(page)
        start_game(scribe)
        scribe.settle()
        back_up(url, place, safe, with_keys=True, origin=ORIGIN, version="0")
        assert archive.signing is not None
        archive.signing.look()
        # Each is acknowledged before the next: that names a hash which the restored archive lacks.
        scribe.opening(3, 1)
        scribe.settle()
        scribe.key("mark")
        scribe.settle()
        made = site.entries(match_id)[1:]
        served.stop()
        # What was acknowledged was signed as well, and all that knew of it is gone.
        archive.close()
        shutil.rmtree(home)
        restore(safe, url, place, origin=ORIGIN)
        archive = opened(url)
        assert len(archive.store.read_stream(LOG, match_id)) < 1 + len(made)
        served = Served(archive)
        wire.target = served.port
        words = "An older archive was put back; this tablet sends again what it lacks"
        expect(page.locator(".alarm")).to_contain_text(words)
        scribe.settle()
        check_stream(archive, match_id, made)
        shot(page, "archive-restored")
        scribe.key("mark")
        scribe.settle()
        check_stream(archive, match_id, site.entries(match_id)[1:])
        assert len(site.entries(match_id)) == len(made) + 2
    finally:
        served.stop()
        archive.close()
        wire.close()
