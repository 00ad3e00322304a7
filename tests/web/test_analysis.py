"""An analysis in the replay: figures, marks, steps between errors, the best play drawn."""

from __future__ import annotations

import msgspec
import pytest
from playwright.sync_api import Page, expect

from api.analysis.asking import AskedPlay, asked_of
from api.analysis.engines import Judged, JudgedGame, Luck
from api.analysis.plays import play_to
from api.analysis.released import match_of
from api.analysis.results import By, Results, results_file
from events.payloads.custody import PublicationReleased
from events.values import Seat
from projections.board.legal import legal_positions
from tests.projections.table import Table
from tests.web.conftest import LOG, Site, check_axe, check_targets
from tests.web.replay_rig import open_replay, put
from tests.web.test_widths import TOO_WIDE

pytestmark = pytest.mark.gate


def judged(table: Table, losses: dict[int, float]) -> JudgedGame:
    """The game judged so that its plays, counted from 0, lose so much."""
    [game] = asked_of(table.replay)
    made: list[Judged] = []
    plays = [one for one in game.choices if isinstance(one, AskedPlay)]
    for place, one in enumerate(plays):
        ends = sorted(legal_positions(one.before, one.dice), key=lambda end: end.own)
        best = one.after
        if place in losses:
            best = next(end for end in ends if end != one.after)
        made.append(
            Judged(
                version=one.version,
                seat=one.seat,
                choice="play",
                best="play",
                lost=losses.get(place, 0.0),
                lost_chance=losses.get(place, 0.0) / 10,
                counts=True,
                level="3ply",
                after=best,
                best_play=play_to(one.before, one.dice, best),
            )
        )
    # Doubles that nobody missed: without them it has too few decisions to tell an interval of.
    held = [msgspec.structs.replace(one, choice="no-double", best="no-double") for one in made]
    made += [msgspec.structs.replace(one, lost=0.0, lost_chance=0.0) for one in held * 9]
    luck = tuple(Luck(one.version, one.seat, 0.1, 0.01) for one in plays)
    return JudgedGame(tuple(made), luck)


def test_errors_are_marked_and_reached_by_button_and_key_with_the_best_play_drawn(
    site: Site, page: Page
) -> None:
    table = Table(length=5).game().turns(5).ended("one")
    table.record(PublicationReleased(delay_ms=0))
    match_id = put(site, table.events, "analysed")
    losses = {1: 0.041, 3: 0.125}
    found = judged(table, losses)
    head = site.archive.store.stream_head(LOG, match_id)
    assert head is not None
    match = match_of(site.archive, LOG, match_id, head.version)
    assert match is not None
    results = Results(results_file(site.archive.url))
    results.put(match, By("bgsage", "gv-bgsage/1", "fast@2"), 1, 1, found)
    results.close()
    open_replay(page, match_id)
    card = page.locator("#analysis")
    expect(card).to_have_attribute("data-ready", "1")
    expect(card).to_contain_text("fast@2")
    expect(card).to_contain_text("gv-bgsage/1")
    expect(page.locator(".mark.of-error")).to_have_count(1)
    expect(page.locator(".mark.of-blunder")).to_have_count(1)
    # By button to the first, by key to the second and back.
    page.locator("#error-next").click()
    first, second = (one for one in found.judged if one.lost)
    expect(card.locator(".found-here strong")).to_contain_text(first.best_play or "")
    expect(card.locator("tb-board")).to_have_count(1)
    shown = card.locator("tb-board").evaluate("board => board.board")
    assert first.after is not None
    board = first.after if first.seat is Seat.ONE else first.after.swap()
    assert (shown["one"], shown["two"]) == (list(board.own), list(board.other))
    page.keyboard.press("e")
    expect(card.locator(".found-here strong")).to_contain_text(second.best_play or "")
    page.keyboard.press("Shift+E")
    expect(card.locator(".found-here strong")).to_contain_text(first.best_play or "")
    expect(card.locator(".found-here")).to_contain_text("0.041")
    check_axe(page)
    page.goto(f"/matches/{LOG}/{match_id}")
    expect(page.locator("#analysis table")).to_contain_text("4.15")
    expect(page.locator("#analysis")).to_contain_text("no part of the record")
    expect(page.locator("#analysis")).to_contain_text("In brackets: where 95 of 100 would lie")
    expect(page.locator("#analysis .muted", has_text="(0.9–19.1)")).to_be_visible()
    # The errors as a quiz: by finger and by key, one choice is the best and the other was made.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("link", name="Learn from the errors").click()
    expect(page.locator("#asked")).to_contain_text("Ben has rolled")
    expect(page.locator(".options svg[role=img]")).to_have_count(2)
    assert page.evaluate(TOO_WIDE) == []
    check_axe(page)
    check_targets(page)
    page.get_by_role("button", name=first.best_play or "", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Right.")
    expect(page.get_by_role("status")).to_contain_text("lost 0.041")
    expect(page.locator(".is-best")).to_contain_text(first.best_play or "")
    check_axe(page)
    page.get_by_role("link", name="Next error").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#asked")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Error 2 of 2")
    wrong = page.locator(".options button").filter(has_not_text=second.best_play or "")
    wrong.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The other one is better.")
    page.get_by_role("link", name="How many were right").click()
    expect(page.get_by_role("status")).to_have_text("1 of 2 right.")
    page.goto(f"/matches/{LOG}/{match_id}/quiz?seat=one&lang=de")
    expect(page.get_by_role("status")).to_contain_text("Es wurde kein Fehler gefunden")
