"""Matches for the replay viewer's tests: built at a table of tests, sent through the API's door."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, expect

from events import catalogue
from events.envelope import RecordedEvent
from events.payloads import clock, dispute, play
from events.payloads.base import Actor
from events.payloads.custody import PublicationReleased
from events.values import CheckerMove, Seat
from projections.board.notation import parse
from tests.projections.table import Table
from tests.web.conftest import LOG, Site

PLAYERS = {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}

TWO_HOURS_MS = 7_200_000


def put(
    site: Site,
    events: Sequence[RecordedEvent],
    match_id: str,
    *,
    offline: range = range(0),
    **opening: Any,
) -> str:
    """Record these events as a match of Ada and Ben; its id.

    Versions in `offline` are said to have been recorded two hours before they are sent.
    """
    own = f"{zlib.crc32(match_id.encode()):08x}"
    now = site.archive.now_ms()

    def body(event: Any) -> dict[str, Any]:
        text = (
            catalogue.encode(event.payload)
            .decode()
            .replace("00000000-0000-4000", f"{own}-0000-4000")
        )
        found: dict[str, Any] = json.loads(text)
        return found

    first, *rest = events
    opened = {**body(first), "players": PLAYERS, **opening}
    entries = [
        {
            "entry_id": event.entry_id.replace("00000000-", f"{own}-", 1),
            "tag": event.tag,
            "body": body(event),
            "basis": event.basis.value,
            "device": "tablet-7",
            "occurred_at": now - TWO_HOURS_MS if event.version in offline else now,
        }
        for event in rest
    ]
    with site.http() as client:
        answer = client.post(
            f"/logs/{LOG}/matches",
            json={
                "opened": opened,
                "match_id": match_id,
                "entry_id": f"{own}-0000-4000-8000-000000000001",
            },
        )
        assert answer.status_code == 201, answer.text
        for start in range(0, len(entries), 500):
            answer = client.post(
                f"/logs/{LOG}/matches/{match_id}/events",
                json={"entries": entries[start : start + 500]},
                headers={"If-Match": f'"{start + 1}"'},
            )
            assert answer.status_code == 201, answer.text
    return match_id


def disputed_match(*, is_released: bool = False) -> Table:
    """A game with a void roll, an illegal play, a dispute, a ruling, and a scribe's corrections."""
    table = Table(3, rule_set="usbgf-2017-07").clock(360)
    table.game().opening(4, 4).opening(3, 1).play("one", "8/5 6/5").press("one", 9)
    table.void(seat="two").turn("two", 64, "24/14").press("two", 31)
    table.roll("one", 52)
    slip = table.play("one", "13/8 24/21").last
    table.press("one", 55).roll("two", 62)
    table.record(
        dispute.DisputeRaised(by=Actor.TWO, frozen_at=slip, topic="play.legality", at_ms=80_000)
    )
    table.record(clock.ClockPaused(at_ms=81_000, reason="dispute"))
    table.record(dispute.DirectorCalled(by=Actor.TWO, at_ms=85_000))
    table.record(play.PlayIllegalityNoticed(target=slip, noticed_by=Actor.TWO))
    table.record(dispute.RulingMade(dispute=table.last))
    table.record(clock.ClockResumed(seat=Seat.TWO, at_ms=400_000))
    table.play("two", "24/18 14/12").press("two", 420)
    table.roll("one", 21)
    table.retract(table.last)
    table.roll("one", 31).play("one", "6/5 8/5").press("one", 450)
    table.roll("two", 65)
    told = table.play("two", "18/7").last
    table.press("two", 470)
    table.amend(told, play.PlayMade(seat=Seat.TWO, moves=parse_moves("13/7 13/8")))
    table.double("one").drop("two")
    table.noted(1, 0, "one").noted(0, 1, "two")
    table.game().opening(2, 5).play("two", "13/8 13/11")
    table.double("one").take("two").roll("one", 66).play("one", "24/18(2) 13/7(2)")
    if is_released:
        table.record(PublicationReleased())
    return table


def parse_moves(text: str) -> tuple[CheckerMove, ...]:
    """Checker moves from their notation."""
    return parse(text).moves


def long_match(entries: int) -> Table:
    """A match of many entries with clock presses, as a whole evening makes them."""
    table = Table(None).clock(10_000)
    at_s = 0
    while len(table.events) < entries:
        table.game().opening(3, 1).play("one", "8/5 6/5")
        for turn in range(10):
            seat = ("two", "one")[turn % 2]
            roll, text = ((64, "24/14"), (52, "13/8 13/11"))[turn % 2]
            at_s += 11
            table.turn(seat, roll, text).press(seat, at_s)
        table.resign("one").accept("two")
    return table


def open_replay(page: Page, match_id: str, suffix: str = "") -> None:
    """The viewer of a match, ready to be stepped through."""
    page.goto(f"/matches/{LOG}/{match_id}/replay{suffix}")
    expect(page.locator("#viewer[data-ready]")).to_be_visible()
