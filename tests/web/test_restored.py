"""An archive restored from an older backup: tablets send again what it lacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from api.archive.archive import Archive, open_archive
from api.archive.keyring import Keyring, keys_folder
from api.operating.copies import back_up, restore
from api.operating.parts import place_for
from api.settings import Settings
from tests.web.conftest import LOG, NewContext, Served, Site, shot
from tests.web.device_rig import copied, wait_until
from tests.web.device_site import check_stream
from tests.web.proxy import Proxy
from tests.web.tablet_rig import Scribe, open_tablet, start_game

pytestmark = pytest.mark.gate

ORIGIN = "archive.example/logs"
OTHER = "second"


def opened(url: str) -> Archive:
    return open_archive(url, keyring=Keyring(keys_folder(url), origin=ORIGIN))


class House:
    """An archive at home, a backup in a safe place, and a tablet that reaches it by one address."""

    def __init__(self, folder: Path, new_context: NewContext) -> None:
        self.home, self.safe = folder / "home", folder / "safe"
        self.home.mkdir()
        self.url = f"sqlite:///{self.home / 'archive.sqlite'}"
        self.place = place_for(Settings(db=self.url))
        self.archive = opened(self.url)
        for log in (LOG, OTHER):
            self.archive.open_tournament(log, f"Lantern {log}")
        self.served = Served(self.archive)
        self.wire = Proxy(self.served.port)
        operator = self.archive.operator_token()
        self.site = Site(self.wire.url, self.archive, operator, operator)
        self.page = new_context(base_url=self.wire.url, expects_errors=True).new_page()

    def recorded(self, match_id: str) -> list[dict[str, Any]]:
        """A game begins, a backup is made, and the tablet records what that lacks."""
        open_tablet(self.page, self.site, match_id)
        scribe = Scribe(self.page)
        start_game(scribe)
        scribe.settle()
        back_up(self.url, self.place, self.safe, with_keys=True, origin=ORIGIN, version="0")
        assert self.archive.signing is not None
        self.archive.signing.look()
        # Each is acknowledged before the next: that names a hash which the restored archive lacks.
        scribe.opening(3, 1)
        scribe.settle()
        scribe.key("mark")
        scribe.settle()
        return self.site.entries(match_id)[1:]

    def burn(self) -> None:
        """The machine and its disk are gone."""
        self.served.stop()
        # What was acknowledged was signed as well, and all that knew of it is gone.
        self.archive.close()
        shutil.rmtree(self.home)

    def put_back(self) -> None:
        """The backup takes their place."""
        restore(self.safe, self.url, self.place, origin=ORIGIN)
        self.archive = opened(self.url)
        self.site = self.site._replace(archive=self.archive)
        self.served = Served(self.archive)
        self.wire.target = self.served.port

    def close(self) -> None:
        self.served.stop()
        self.archive.close()
        self.wire.close()


@pytest.fixture
def house(tmp_path: Path, new_context: NewContext) -> Iterator[House]:
    made = House(tmp_path, new_context)
    yield made
    made.close()


def test_machine_and_disk_are_gone_and_the_tablets_give_back_what_the_backup_lacks(
    house: House,
) -> None:
    match_id = house.site.open_match()
    made = house.recorded(match_id)
    house.burn()
    house.put_back()
    assert len(house.archive.store.read_stream(LOG, match_id)) < 1 + len(made)
    words = "An older archive was put back; this tablet sends again what it lacks"
    expect(house.page.locator(".alarm")).to_contain_text(words)
    scribe = Scribe(house.page)
    scribe.settle()
    check_stream(house.archive, match_id, made)
    shot(house.page, "archive-restored")
    scribe.key("mark")
    scribe.settle()
    check_stream(house.archive, match_id, house.site.entries(match_id)[1:])
    assert len(house.site.entries(match_id)) == len(made) + 2


def test_the_browser_has_lost_its_database_as_well_and_the_second_copy_gives_it_back(
    house: House,
) -> None:
    page, match_id = house.page, house.site.open_match()
    made = house.recorded(match_id)
    # All of it was acknowledged, and the backup lacks the half.
    wait_until(page, lambda: len(made) <= copied(page) + 1)
    house.burn()
    session = page.context.new_cdp_session(page)
    page.goto("about:blank")
    lost = {"origin": house.wire.url, "storageTypes": "indexeddb"}
    session.send("Storage.clearDataForOrigin", lost)
    house.put_back()
    lacks = 1 + len(made) - len(house.archive.store.read_stream(LOG, match_id))
    assert lacks > 0
    page.goto("/tablet")
    expect(page.get_by_role("alert")).to_contain_text(f"A second copy of {lacks} entries was still")
    check_stream(house.archive, match_id, made)
    assert copied(page) == 0


def test_a_tablet_that_records_elsewhere_by_now_gives_back_what_its_old_log_lacks(
    house: House,
) -> None:
    page, match_id = house.page, house.site.open_match()
    other = house.site.open_match(log_id=OTHER)
    made = house.recorded(match_id)
    open_tablet(page, house.site, other, log_id=OTHER)
    house.burn()
    house.put_back()
    assert len(house.archive.store.read_stream(LOG, match_id)) < 1 + len(made)
    # It asks its old log once when it is opened, and every minute.
    page.goto("/tablet")
    wait_until(page, lambda: len(house.site.entries(match_id)) == 1 + len(made))
    check_stream(house.archive, match_id, made)
