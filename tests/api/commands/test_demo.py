"""The demonstration: its content, and starts that were interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.archive.archive import Archive, open_archive, token_hash
from api.archive.words import words_lines
from api.commands import demo, serving
from api.commands.demo import DEMO_DEVICE, seed
from api.commands.demo_matches import LATE_MATCH, LIVE_MATCH, SECOND_MATCH
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH
from api.desk.desk import Desk
from api.desk.leases import Leasing
from api.desk.room_lines import line_of
from events.envelope import Basis
from events.payloads.match import MatchOpened
from events.store.fsck import fsck
from events.values import BySeat
from projections.views.alignment import aligned, first_divergence
from projections.views.showing import Reader, showing


@pytest.fixture
def archive() -> Iterator[Archive]:
    opened = open_archive("memory://")
    yield opened
    opened.close()


FOUND = ["illegal-play", "correction-too-late", "appeal-settled"]
FOUND += 2 * ["ending-not-allowed", "ended-by-claim"]
"""Its content: an illegal play that stood, an appeal that failed, two resignations with contact."""


def test_it_holds_what_paper_loses(archive: Archive) -> None:
    asyncio.run(seed(archive))
    shown = archive.reading.live(DEMO_LOG, DEMO_MATCH).replay
    tags = [step.event.tag for step in shown.steps]
    assert tags.count("dice.opening_rolled") == 3  # one of them a tie
    assert tags.count("dice.voided") == 2
    for tag in ("cube.double_taken", "play.illegality_answered", "dispute.raised"):
        assert tag in tags
    assert tags.count("clock.pressed") > 15
    at = {step.event.tag: step.event for step in shown.steps}
    assert at["ruling.made"].basis is Basis.RULED
    dispute = at["dispute.raised"].payload
    frozen = next(s for s in shown.steps if s.event.entry_id == dispute.frozen_at)
    assert frozen.event.version < at["dispute.raised"].version
    assert at["ruling.made"].payload.dispute == at["dispute.raised"].entry_id


def test_it_holds_an_appeal_a_correction_and_a_second_scribe(archive: Archive) -> None:
    asyncio.run(seed(archive))
    shown = archive.reading.live(DEMO_LOG, DEMO_MATCH).replay
    [appeal] = shown.state.judged.appeals.appeals
    assert (appeal.is_admitted, appeal.result.outcome, len(appeal.ballots)) == (
        True,
        "ruling_stands",
        3,
    )
    assert appeal.announced == "upheld"
    assert [event.tag for event in shown.recorded].count("entry.amended") == 1
    second = archive.reading.live(DEMO_LOG, SECOND_MATCH).replay
    assert second.opened.shadow_of == DEMO_MATCH
    assert first_divergence(aligned(shown, second)) is not None
    assert Leasing(archive.reading).of(DEMO_LOG).number(SECOND_MATCH) == 1
    said = words_lines(
        archive.reading, DEMO_LOG, DEMO_MATCH, shown, showing(shown, Reader.COMMITTEE)
    )
    texts = [word["text"] for line in said.values() for word in line["words"]]
    assert len(texts) == 12
    assert None not in texts


def test_nothing_is_irregular_but_what_the_demonstration_shows(archive: Archive) -> None:
    asyncio.run(seed(archive))
    shown = archive.reading.live(DEMO_LOG, DEMO_MATCH).replay
    assert [finding.code for finding in shown.findings] == FOUND
    assert shown.state.score.score == BySeat(3, 0)
    # The clock was set back by the ruling, and nobody's flag fell.
    assert all(reserve and reserve > 60_000 for reserve in shown.state.clock.reserve_ms)
    assert archive.reading.live(DEMO_LOG, DEMO_MATCH).publicity.is_public
    assert fsck(archive.store).clean


def test_a_room_is_worth_looking_at(archive: Archive) -> None:
    asyncio.run(seed(archive))
    reading = archive.reading
    live = line_of(reading, DEMO_LOG, LIVE_MATCH)
    assert (live.standing.state, live.shown.questions) == ("live", 1)
    assert live.shown.clock is not None
    assert live.shown.clock.paused == "one"
    [call] = live.calls
    assert (call.reason, call.answered) == ("dice.lifted", False)
    [finding] = reading.live(DEMO_LOG, LIVE_MATCH).replay.findings
    assert finding.code == "dice-lifted-early"
    late = line_of(reading, DEMO_LOG, LATE_MATCH)
    assert (late.standing.state, [seat.value for seat in late.missing]) == ("waiting", ["two"])
    final = line_of(reading, DEMO_LOG, DEMO_MATCH)
    assert final.result is not None
    lease = Leasing(reading).of(DEMO_LOG).current(LIVE_MATCH)
    assert lease is not None
    assert (lease.device, lease.number) == (DEMO_DEVICE, 1)


def test_a_second_start_adds_nothing_and_keeps_its_tokens(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    first = asyncio.run(seed(archive, tokens_file=path))
    size = archive.store.log_head(DEMO_LOG).size
    assert asyncio.run(seed(archive, tokens_file=path)) == first
    assert archive.store.log_head(DEMO_LOG).size == size
    path.write_text("{]")
    fresh = asyncio.run(seed(archive, tokens_file=path))
    assert fresh.tokens != first.tokens
    for role, token in fresh.tokens.items():
        [grant] = archive.reading.grants(DEMO_LOG, token_hash(token))
        assert grant.role.value == role


def test_nobody_is_led_to_a_case_that_an_earlier_release_did_not_record(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demonstration recorded by 0.2.0 has no appeal, and is kept as it was recorded."""
    whole = asyncio.run(seed(archive))
    earlier = open_archive("memory://")
    earlier.open_tournament(DEMO_LOG, "Lantern Cup, a demonstration")
    opened = MatchOpened(players=BySeat((), ()), length=3)
    earlier.append(DEMO_LOG, DEMO_MATCH, [earlier.draft(opened)])
    monkeypatch.setattr(demo, "_is_complete", lambda archive: True)
    shown = asyncio.run(seed(earlier))
    assert earlier.store.log_head(DEMO_LOG).size == 2 + len(shown.tokens)
    earlier.close()
    told = ["\n".join(serving._about("http://here", one)) for one in (whole, shown)]
    assert [("appeal" in text, "/cases" in text) for text in told] == [
        (True, True),
        (False, False),
    ]
    assert "earlier release" in told[1]


@pytest.mark.parametrize("entries", [1, 2, 40, 105, 120])
def test_a_start_that_was_cut_short_is_gone_on_with(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    path = tmp_path / "tokens"
    left = entries

    async def failing(self: Desk, *arguments: object, **more: object) -> object:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        return await append(self, *arguments, **more)  # type: ignore[arg-type]

    append = Desk.append
    monkeypatch.setattr(Desk, "append", failing)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(seed(archive, tokens_file=path))
    monkeypatch.undo()
    asyncio.run(seed(archive, tokens_file=path))
    shown = archive.reading.live(DEMO_LOG, DEMO_MATCH).replay
    assert shown.state.score.score == BySeat(3, 0)
    assert [finding.code for finding in shown.findings] == FOUND
    assert fsck(archive.store).clean
