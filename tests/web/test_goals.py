"""Goals that hold through a whole match: no help with plays, all keys in reach, nothing lost."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from api.html import assets as asset_files
from events.payloads.access import Role
from events.values import ONE, TWO, Seat
from tests.web.conftest import (
    LOG,
    NewContext,
    Site,
)
from tests.web.device_site import check_stream
from tests.web.proxy import Mode, Proxy
from tests.web.tablet_rig import BOTH, Scribe, draw, open_tablet
from tests.web.test_tablet import WARNING, everything_said, patience

# -- no assistance (U9) ----------------------------------------------------------------------------

pytestmark = pytest.mark.warm

LOOK = r"""() => {
  const masked = (text) => text.replace(/\d+/g, "#");
  const named = /^(class|role|aria-.*|title|alt|disabled|hidden|open|tabindex)$/;
  const told = (e) => {
    const names = [...e.attributes].filter(({ name }) => named.test(name));
    const own = [...e.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data);
    return [e.tagName, ...names.map(({ name, value }) => `${name}=${masked(value)}`),
      masked(own.join(" "))].join(" ").trim();
  };
  // Dice have as many pips as they have, and how long ago the server answered is not of the play.
  const isSeen = (e) => e.checkVisibility() && !e.matches(".die-pip, .age");
  return [...document.querySelectorAll("body *")].filter(isSeen).map(told).sort();
}"""
"""Everything that can be seen, heard or read of the page, without its numbers."""


def settled_look(page: Page) -> list[str]:
    """The look when nothing is on its way any more: kept, sent, drawn, announced."""
    expect(page.locator(".tick.here")).to_have_attribute("data-busy", "false")
    draw(page)
    expect(page.locator(".tapped")).to_have_count(0)
    expect(page.locator("[inert]")).to_have_count(0)
    if page.evaluate("navigator.onLine"):
        expect(page.locator(".badge.unsent")).to_be_hidden()
    found: list[str] = page.evaluate(LOOK)
    return found


SHAPES = {
    "one checker": ((3, 1), (6, 1), ("24", "20")),
    "two checkers": ((2, 1), (6, 5), ("13", "11", "6", "5")),
}
"""Dice under which the taps are a legal play, dice under which they are none, and the taps."""


@pytest.mark.parametrize("is_offline", [False, True], ids=["online", "offline"])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_tells_an_illegal_play_from_a_legal_one_at_any_step(
    new_context: NewContext, site: Site, shape: str, is_offline: bool
) -> None:
    *rolls, words = SHAPES[shape]
    looks = []
    for dice in rolls:
        page = new_context().new_page()
        open_tablet(page, site, site.open_match(length=1))
        scribe = Scribe(page)
        scribe.key("next_game")
        scribe.opening(*dice)
        scribe.settle()
        page.context.set_offline(is_offline)
        told = []
        for word in words:
            scribe.point(ONE, word)
            told.append(settled_look(page))
        scribe.key("played")
        told.append(settled_look(page))
        scribe.dice(6, 4)
        told.append(settled_look(page))
        looks.append(told)
    legal, illegal = looks
    # From where the play is told in full, both screens are the same in every word and name.
    full = len(words) - 1
    assert illegal[full:] == legal[full:]
    # Before that no other kind of thing is ever shown.
    kinds = {alike(kind) for look in legal for kind in look}
    partial = {alike(kind) for look in illegal[:full] for kind in look}
    assert partial - kinds - PICKED_UP == set()


PICKED_UP = {"g class=mark picked", "rect class=lit", "P class=play #"}
"""What shows that a checker was tapped, while no play is likelier than another."""


def alike(kind: str) -> str:
    """A column or a play, whatever stands on it and however many checkers moved."""
    return re.sub(r"(#/#)( #/#)+", r"\1", re.sub(r"aria-label=Point.*? role", "role", kind))


def test_a_play_is_never_said_to_be_over_before_the_scribe_says_so(page: Page, site: Site) -> None:
    match_id = site.open_match(length=1)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    page.evaluate(
        """() => {
          globalThis.heard = [];
          const listen = (all) => all.forEach(({ target }) => heard.push(target.textContent));
          const options = { childList: true, characterData: true, subtree: true };
          for (const one of document.querySelectorAll("[aria-live]")) {
            new MutationObserver(listen).observe(one, options);
          }
        }"""
    )
    scribe.key("next_game")
    scribe.opening(3, 1)
    scribe.point(ONE, "5")
    scribe.point(ONE, "5")
    patience(lambda: site.entries(match_id)[-1]["tag"] == "play.made", page)
    # What the taps have moved is heard, and nothing of it as a play that is over.
    draw(page)
    assert page.evaluate("heard.at(-1)") == "8/5 6/5"
    assert not page.evaluate("heard.some((text) => text.includes('Ben'))")
    scribe.key("played")
    page.wait_for_function("() => heard.at(-1).includes('Ben to roll')")


def test_a_roll_and_its_play_that_come_within_a_frame_are_both_heard(
    page: Page, site: Site
) -> None:
    match_id = site.open_match(length=1)
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    expect(page.locator(".opening")).to_be_visible()
    # A tablet that is busy paints none of the gestures before the last.
    page.evaluate(
        """() => {
          const own = requestAnimationFrame;
          const held = [];
          globalThis.requestAnimationFrame = (act) => held.push(act);
          globalThis.paint = () => held.splice(0).forEach(globalThis.requestAnimationFrame = own);
          for (const key of "31.5.5") {
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          }
        }"""
    )
    patience(lambda: site.entries(match_id)[-1]["tag"] == "play.made", page)
    page.evaluate("paint()")
    expect(page.locator("#live-region")).to_have_text(re.compile("Ada to play. 8/5 6/5$"))


# -- an illegal play (U10) -------------------------------------------------------------------------


def test_an_illegal_play_is_found_in_replay_and_nowhere_while_it_can_be_played_on(
    new_context: NewContext, site: Site, sign_in: Callable[..., None]
) -> None:
    match_id = site.open_match(length=1, publication={"public": True, "delay_ms": 0})
    page = new_context().new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    for word in ("24", "20", "13", "8"):
        scribe.point(ONE, word)
    scribe.dice(5, 2)
    scribe.settle()
    [played] = [one for one in site.entries(match_id) if one["tag"] == "play.made"]
    assert played["body"]["moves"] == [[24, 20], [13, 8]]
    assert played["body"]["taps"] == ["24", "20", "13", "8"]
    assert not re.search(WARNING, everything_said(page), re.IGNORECASE)

    stranger = new_context().new_page()
    stranger.goto(f"/matches/{LOG}/{match_id}")
    expect(stranger.locator("main")).to_contain_text("24/20")
    assert not re.search(r"illegal|not legal", everything_said(stranger), re.IGNORECASE)

    context = new_context()
    sign_in(context)
    desk = context.new_page()
    desk.goto(f"/matches/{LOG}/{match_id}/replay#v{played['version']}")
    found = desk.locator(".entry-findings .finding")
    expect(found).to_contain_text("24/20 13/8 with 61")
    expect(found.locator("cite")).to_be_visible()


# -- a newer version, another tournament (U5) ------------------------------------------------------


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """`upgrade()`: the server goes on with other files, and no longer has those of before."""
    found = asset_files._found

    def changed(tmp: Path) -> Iterator[tuple[str, Path, str]]:
        for path, folder, name in found():
            if path == "texts/en/tablet.json":
                texts = (folder / name).read_text("utf-8")
                (tmp / "tablet.json").write_text(texts.replace(WAITING, NEWER), "utf-8")
                yield path, tmp, "tablet.json"
            else:
                yield path, folder, name

    def upgraded(tmp: Path) -> None:
        monkeypatch.setattr(asset_files, "_found", lambda: changed(tmp))
        asset_files.assets.cache_clear()

    with tempfile.TemporaryDirectory() as folder:
        yield lambda: upgraded(Path(folder))
        monkeypatch.undo()
        asset_files.assets.cache_clear()


WAITING = "Nothing to record yet"
NEWER = "Nothing to record for now"


def worker_waits(page: Page) -> None:
    """Until a newer worker has all its files and waits."""
    page.evaluate(
        """async () => {
          const registration = await navigator.serviceWorker.getRegistration();
          while (!registration.waiting) await new Promise((done) => setTimeout(done, 50));
        }"""
    )


def end_match(scribe: Scribe, loser: Seat = ONE) -> None:
    """Whoever is on roll says nothing more, the other doubles, and that is the match."""
    scribe.key("played")
    scribe.key("double")
    scribe.key_of(loser, "pass")
    for seat in BOTH:
        scribe.key_of(seat, "confirm")


@pytest.mark.service_worker
def test_a_new_version_waits_for_the_end_of_the_match_and_nothing_unsent_is_lost(
    new_context: NewContext, site: Site, proxy: Proxy, upgrade: Callable[[], None]
) -> None:
    match_id = site.open_match(length=1)
    page = new_context(base_url=proxy.url, expects_errors=True).new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    before = page.evaluate("document.scripts[0].src")
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    upgrade()
    page.reload()
    expect(page.locator(".next")).to_have_text("Ada to play")
    worker_waits(page)
    proxy.switch(Mode.DOWN)
    for word in ("13", "7", "8", "7"):
        scribe.point(ONE, word)
    scribe.dice(5, 2)
    expect(page.locator(".badge.unsent")).to_have_text("2 unsent")
    page.reload()
    # Still the version that the match began with, whole, without a network.
    expect(page.locator(".next")).to_have_text("Ben to play")
    expect(page.locator(".badge.unsent")).to_have_text("2 unsent")
    assert page.evaluate("document.scripts[0].src") == before
    page.get_by_role("button", name="Menu").tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    end_match(scribe, TWO)
    scribe.key("next_match")
    expect(page.get_by_role("heading", name=NEWER)).to_be_visible()
    assert page.evaluate("document.scripts[0].src") != before
    assert site.entries(match_id)[-1]["tag"] == "dice.opening_rolled"
    proxy.switch(Mode.UP)
    patience(lambda: site.entries(match_id)[-1]["tag"] == "match.ended", page)
    made = site.entries(match_id)[1:]
    assert [entry["tag"] for entry in made].count("dice.rolled") == 1
    check_stream(site.archive, match_id, made)


@pytest.mark.service_worker
def test_a_new_version_that_comes_in_a_match_waits_though_the_tablet_waited_for_that_match(
    new_context: NewContext, site: Site, upgrade: Callable[[], None]
) -> None:
    context = new_context()
    page = context.new_page()
    open_tablet(page, site, None)
    expect(page.get_by_role("heading", name=WAITING)).to_be_visible()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.reload()
    expect(page.get_by_role("heading", name=WAITING)).to_be_visible()
    match_id = site.open_match(length=1)
    with site.http(site.director) as director:
        [device] = director.get(f"/logs/{LOG}/room").json()["devices"]
        lease = {"match": match_id, "device": device["id"]}
        assert director.post(f"/logs/{LOG}/leases", json=lease).status_code == 201
    expect(page.locator(".badge.role.good")).to_be_attached()
    page.evaluate("() => { globalThis.isTheSame = true; }")
    upgrade()
    # Any page of the archive that is opened on the tablet has the browser look for a newer worker.
    context.new_page().goto("/tablet?training")
    worker_waits(page)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    assert page.evaluate("() => globalThis.isTheSame")


@pytest.mark.service_worker
def test_what_a_match_left_unsent_is_sent_while_the_tablet_waits_for_the_next_one(
    new_context: NewContext, site: Site
) -> None:
    match_id = site.open_match(length=1)
    page = new_context(expects_errors=True).new_page()
    open_tablet(page, site, match_id)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    page.context.set_offline(True)
    end_match(scribe)
    scribe.key("next_match")
    expect(page.get_by_role("heading", name=WAITING)).to_be_visible()
    page.context.set_offline(False)
    patience(lambda: site.entries(match_id)[-1]["tag"] == "match.ended", page)
    check_stream(site.archive, match_id, site.entries(match_id)[1:])


def test_two_tournaments_one_after_the_other_on_one_tablet_lose_nothing_of_either(
    new_context: NewContext, site: Site
) -> None:
    site.archive.open_tournament("harbour", "Harbour Cup")
    token, _ = site.archive.grant(Role.DIRECTOR, log_id="harbour")
    first = site.open_match(length=1)
    second = site.open_match(length=3, log_id="harbour")
    context = new_context(expects_errors=True)
    page = context.new_page()
    open_tablet(page, site, first)
    scribe = Scribe(page)
    scribe.key("next_game")
    scribe.opening(6, 1)
    scribe.settle()
    # The first tournament's door does not answer for the rest of its match.
    shut = f"**/logs/{LOG}/ingest"
    context.route(shut, lambda route: route.abort("connectionreset"))
    end_match(scribe)
    open_tablet(page, site._replace(director=token), second, log_id="harbour")
    expect(page.locator(".bar .title")).to_contain_text("to 3")
    scribe.key("next_game")
    scribe.opening(4, 2)
    scribe.settle()
    assert site.entries(first)[-1]["tag"] == "dice.opening_rolled"
    context.unroute(shut)
    # As a browser says it when the network is back: the pause after so many failures is long.
    page.evaluate("dispatchEvent(new Event('online'))")
    patience(lambda: site.entries(first)[-1]["tag"] == "match.ended", page)
    check_stream(site.archive, first, site.entries(first)[1:])
    tags = [entry["tag"] for entry in site.entries(second, "harbour")]
    assert tags == ["match.opened", "game.started", "dice.opening_rolled"]


@pytest.mark.service_worker
def test_a_language_chosen_without_a_network_is_there_at_once_and_stays(
    new_context: NewContext, site: Site
) -> None:
    page = new_context(expects_errors=True).new_page()
    open_tablet(page, site, site.open_match(length=3))
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.get_by_role("button", name="View").tap()
    page.get_by_role("button", name="Deutsch").tap()
    expect(page.locator("[data-act=view]")).to_have_text("Ansicht")
    page.reload()
    expect(page.locator("[data-act=view]")).to_have_text("Ansicht")
    assert page.evaluate("document.documentElement.lang") == "de"
