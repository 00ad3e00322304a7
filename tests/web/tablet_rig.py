"""A scribe with a tablet at a real server: pairs it, taps dice, points and keys, counts taps."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from events.values import BAR, OFF, ONE, TWO, Seat
from tests.web.conftest import LOG, Site


def open_tablet(
    page: Page,
    site: Site,
    match_id: str | None,
    *,
    log_id: str = LOG,
) -> None:
    """Pair the tablet by the address in its QR code, and approve it as the director."""
    with site.http(site.director) as director:
        body = {} if match_id is None else {"match": match_id}
        made = director.post(f"/logs/{log_id}/pairings", json=body)
        assert made.status_code == 201, made.text
        page.goto(f"/tablet?code={made.json()['code']}")
        expect(page.locator(".fingerprint li")).to_have_count(4)
        approve(site, made.json()["pairing_id"], match_id, log_id=log_id)
    if match_id is not None:
        page.locator(".recorder").wait_for()
        # Nothing can be recorded before the server's first answer, which brings the lease.
        expect(page.locator(".badge.role.good")).to_be_attached()


def approve(site: Site, pairing_id: str, match_id: str | None, *, log_id: str = LOG) -> None:
    """Approve the tablet as the director does in the room."""
    body = {} if match_id is None else {"match": match_id}
    with site.http(site.director) as director:
        path = f"/logs/{log_id}/pairings/{pairing_id}/approval"
        answer = director.post(path, json=body)
    assert answer.status_code in (200, 201), answer.text


def place_of(seat: Seat, word: str) -> str:
    """The place on the drawn board of a word of `taps`, counted from that seat's side."""
    if word in ("bar", "off"):
        return f"{word}-{seat.value}"
    return word if seat is ONE else str(25 - int(word))


def word_of(point: int) -> str:
    """The word of a point in `taps`."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


_CENTRE = """async (place) => {
  const column = document.querySelector(`tb-board rect[data-place="${place}"]`);
  // A board that has just moved takes no finger: whoever taps looks where it is first.
  while (column.closest("[inert]")) await new Promise(requestAnimationFrame);
  const { x, y, width, height } = column.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""


class Scribe:
    """Touches the screen, and counts how often."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def key(self, act: str) -> None:
        """Tap a key, by its name."""
        self._tap(self.page.locator(f'.recorder [data-act="{act}"]:visible').first)

    def key_of(self, seat: Seat, act: str) -> None:
        """Tap a key on one player's side."""
        self._tap(self.page.locator(f'.player[data-seat="{seat.value}"] [data-act="{act}"]'))

    def press(self, seat: Seat) -> None:
        """Tap one player's clock."""
        self._tap(self.page.locator(f'.player[data-seat="{seat.value}"] .clock'))

    def dice(self, one: int, two: int) -> None:
        """Tap a pair of dice on the pad."""
        pair = f"{max(one, two)}{min(one, two)}"
        self._tap(self.page.locator(f'.area [data-dice="{pair}"]'))

    def opening(self, one: int, two: int) -> None:
        """Tap the opening roll; seat one sits at the bottom."""
        self._tap(self.page.locator(f'.opening [data-dice="{one}{two}"]'))

    def point(self, seat: Seat, word: str) -> None:
        """Tap the middle of the column of a point, bar or tray, where the board is now."""
        at = self.page.evaluate(_CENTRE, place_of(seat, word))
        self.taps += 1
        self.page.touchscreen.tap(*at)

    def say(self, seat: Seat, word: str) -> None:
        """Tap one word of `taps`: a point, or one of the three keys."""
        if word in ("x2", "played", "free"):
            self.key({"x2": "twice", "played": "played", "free": "as_played"}[word])
        else:
            self.point(seat, word)

    def _tap(self, locator: Any) -> None:
        self.taps += 1
        locator.tap()

    def settle(self) -> None:
        """Wait until every gesture so far is recorded, on the tablet and on the server."""
        draw(self.page)
        expect(self.page.locator(".tick.here:not(.open)")).to_be_visible()
        expect(self.page.locator(".badge.unsent")).to_be_hidden()
        draw(self.page)


def draw(page: Page) -> None:
    """Wait until the current state is drawn, and its announcements are made."""
    frame = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
    for _ in range(2):
        page.evaluate(frame)


def start_game(scribe: Scribe) -> None:
    """Tap the big key between games."""
    scribe.key("next_game")


BOTH = (ONE, TWO)
