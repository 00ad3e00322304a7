"""Standing: which entries are in force after the scribe's corrections, and findings about these."""

from __future__ import annotations

import msgspec
import pytest

from events import catalogue
from events.envelope import Basis
from events.payloads import corrections, custody, dice, dispute, match, play
from events.payloads.base import Actor, Payload
from events.values import BySeat, Seat
from projections.board.notation import parse
from projections.folding.standing import UNCORRECTABLE, standing
from projections.replay import replay
from tests.projections.table import ENTRY, Table

ONE, TWO = Seat.ONE, Seat.TWO


def _tags(table: Table) -> list[str]:
    return [event.tag for event in standing(table.events).events]


def _made(text: str) -> play.PlayMade:
    return play.PlayMade(seat=ONE, moves=parse(text).moves)


def test_without_corrections_the_events_are_handed_through() -> None:
    events = Table().game().turns(2).events
    assert standing(events).events is events


def test_a_retracted_entry_never_happened_and_later_ones_stand() -> None:
    table = Table().game().opening(3, 1)
    table.retract(table.opening(6, 2).last)
    assert _tags(table) == ["match.opened", "game.started", "dice.opening_rolled"]
    table.play("one", "8/5 6/5")
    assert table.codes == []


def test_an_amended_entry_keeps_its_place_its_version_and_its_id() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.turn("two", 42, "8/4 6/4")
    table.amend(made, _made("8/5 6/5"), basis=Basis.AGREED)
    stood = standing(table.events).events[3]
    assert (stood.version, stood.entry_id, stood.tag) == (4, made, "play.made")
    assert (stood.payload, stood.basis) == (_made("8/5 6/5"), Basis.AGREED)
    assert table.codes == []
    assert table.board("two") == {4: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_an_entry_can_be_amended_to_another_type() -> None:
    table = Table().game().opening(3, 1)
    table.amend(table.roll("one", 31).last, dice.Lifted(seat=ONE))
    assert _tags(table)[-1] == "dice.lifted"
    assert table.codes == []


def test_the_latest_correction_wins() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.amend(made, _made("24/23 24/21")).amend(made, _made("8/5 6/5"))
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}
    assert "play.made" not in _tags(table.retract(made))
    table.amend(made, _made("8/5 6/5"))
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_retracting_a_correction_restores_what_it_corrected() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    amendment = table.amend(made, _made("8/5 6/5")).last
    assert table.codes == []
    assert table.retract(amendment).codes == ["illegal-play"]


def test_retracting_the_later_correction_leaves_the_earlier_in_force() -> None:
    table = Table().game().opening(3, 1)
    made = table.play("one", "8/5 6/4").last
    table.amend(made, _made("8/5 6/5"))
    table.retract(table.retract(made).last)
    assert table.codes == []
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


def test_a_retraction_can_be_retracted_and_that_too() -> None:
    table = Table().game().opening(3, 1)
    one = table.retract(table.last).last
    two = table.retract(one).last
    assert "dice.opening_rolled" in _tags(table)
    table.retract(two)
    assert "dice.opening_rolled" not in _tags(table)


def test_the_opening_of_a_match_can_be_amended() -> None:
    table = Table(7, score=(6, 3)).game().turns(1)
    opened = match.MatchOpened(players=BySeat((), ()), length=9, score_at_start=BySeat(8, 3))
    table.amend(table.events[0].entry_id, opened)
    assert table.state.score.length == 9
    assert table.state.score.is_crawford_game


def test_an_amended_opening_decides_about_the_rules() -> None:
    table = Table(7, score=(6, 3)).game()
    opened = match.MatchOpened(players=BySeat((), ()), length=7, rule_set="common")
    table.amend(table.events[0].entry_id, opened)
    assert table.replay.rules.profile.id == "common"
    assert not table.replay.rules.is_on("crawford")


# What cannot be.


def test_a_correction_of_an_unknown_entry_is_found() -> None:
    table = Table().game().retract(ENTRY.format(99))
    assert table.codes == ["correction-without-target"]


def test_a_correction_of_a_later_entry_is_found_and_does_nothing() -> None:
    table = Table().retract(ENTRY.format(3)).game()
    assert table.codes == ["correction-without-target"]
    assert table.state.flow.in_game


@pytest.mark.parametrize(
    "payload",
    [
        dispute.RulingMade(),
        dispute.RulingCarriedOut(score=BySeat(1, 0)),
        custody.PublicationReleased(),
    ],
)
def test_what_others_decided_cannot_be_corrected(payload: Payload) -> None:
    table = Table().record(payload)
    before = table.state
    assert table.retract(table.last).codes == ["correction-not-allowed"]
    assert table.state == before


@pytest.mark.parametrize("noun", ["ruling.", "vote.", "appeal.", "publication.", "entry."])
def test_the_kinds_that_no_correction_reaches(noun: str) -> None:
    assert noun in UNCORRECTABLE


def test_a_correction_cannot_be_amended() -> None:
    table = Table().game()
    table.retract(table.last).amend(table.last, match.GameStarted())
    assert table.codes == ["correction-not-allowed"]
    assert not table.state.flow.in_game


def test_no_entry_can_be_amended_to_a_ruling() -> None:
    table = Table().game()
    table.amend(table.last, dispute.RulingCarriedOut(score=BySeat(5, 0)))
    assert table.codes == ["correction-not-allowed"]
    assert table.score == (0, 0)


def test_an_amendment_from_a_later_program_stands_unread() -> None:
    table = Table().game()
    amended = corrections.EntryAmended(
        target=table.last, tag="game.paused", schema=9, body=msgspec.Raw(b"{}")
    )
    table.record(amended)
    assert table.codes == ["unread"]
    assert not table.state.flow.in_game


def test_an_entry_from_a_later_program_is_found_and_skipped() -> None:
    table = Table().game()
    before = table.state
    event = msgspec.structs.replace(
        table.events[-1],
        version=3,
        entry_id=ENTRY.format(3),
        tag="game.paused",
        payload=catalogue.Unread(raw=msgspec.Raw(b"{}")),
    )
    table.events.append(event)
    assert (table.found, table.state) == (["unread"], before)


# Below a dispute.


def _disputed(frozen_at: int | None = None) -> Table:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    at = None if frozen_at is None else ENTRY.format(frozen_at)
    return table.record(dispute.DisputeRaised(by=Actor.TWO, frozen_at=at))


def test_correcting_what_a_dispute_had_frozen_is_found_and_done() -> None:
    table = _disputed().amend(ENTRY.format(4), _made("8/5 6/5"))
    assert table.codes == ["correction-below-dispute"]
    assert table.board() == {5: 2, 6: 4, 8: 2, 13: 5, 24: 2}


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [
        ("usbgf-2017-07", "[5]"),
        ("usbgf-2017-09", "[5]"),
        ("biba-2014", "6.1"),
        ("fcbg-tournament", "CONT/T(a)"),
        ("fcbg-club", "Objective"),
        ("common", "Objective"),
    ],
)
def test_what_a_dispute_had_frozen_is_so_by_the_rules_in_force(rule_set: str, section: str) -> None:
    """Those that have dice, checkers and score left as they are; the common rules elsewhere."""
    table = Table(rule_set=rule_set).game().opening(3, 1).play("one", "8/5 6/4")
    table.record(dispute.DisputeRaised(by=Actor.TWO)).amend(ENTRY.format(4), _made("8/5 6/5"))
    for shown in (table.replay, replay(table.events, rule_set)):
        (finding,) = [one for one in shown.findings if one.code == "correction-below-dispute"]
        cited = "common" if section == "Objective" else rule_set
        assert (finding.rule_set, finding.section) == (cited, section)


@pytest.mark.parametrize(("target", "codes"), [(3, 1), (4, 0)])
def test_a_dispute_freezes_up_to_the_entry_that_it_names(target: int, codes: int) -> None:
    table = _disputed(3).retract(ENTRY.format(target))
    assert table.codes.count("correction-below-dispute") == codes


def test_a_correction_before_the_dispute_is_none_of_its_business() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    table.amend(table.last, _made("8/5 6/5"))
    assert table.record(dispute.DisputeRaised(by=Actor.TWO)).codes == []


def test_taking_back_a_correction_below_a_dispute_is_found_too() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    amendment = table.amend(table.last, _made("8/5 6/5")).last
    table.record(dispute.DisputeRaised(by=Actor.TWO)).retract(amendment)
    assert "correction-below-dispute" in table.codes


def test_a_correction_below_a_dispute_that_is_taken_back_leaves_nothing_corrected() -> None:
    """The record is as it was when the dispute was raised."""
    table = _disputed()
    before = table.replay
    shown = table.amend(ENTRY.format(4), _made("8/5 6/5")).retract(table.last).replay
    assert (shown.findings, shown.state) == (before.findings, before.state)
    # And one that was taken back, and is in force again, is one.
    assert table.retract(table.last).codes == ["correction-below-dispute"]


def test_a_correction_below_many_disputes_is_found_once_by_the_last_of_them() -> None:
    """Else a table that disputes and takes back a hundred entries would leave ten thousand."""
    table = _disputed()
    for _ in range(5):
        table.record(dispute.DisputeRaised(by=Actor.ONE, frozen_at=ENTRY.format(2)))
    last = table.record(dispute.DisputeRaised(by=Actor.ONE)).replay.version
    table.record(dispute.DisputeRaised(by=Actor.ONE, frozen_at=ENTRY.format(2)))
    table.retract(ENTRY.format(4)).retract(ENTRY.format(3))
    found = [one for one in table.replay.findings if one.code == "correction-below-dispute"]
    assert [one.version for one in found] == [last + 2, last + 3]
    assert all(f"raised at {last} froze" in one.message for one in found)


@pytest.mark.parametrize("named", [99, 7], ids=["nothing", "one that comes later"])
def test_taking_back_a_correction_of_nothing_is_none_of_a_dispute(named: int) -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/5")
    nothing = table.retract(ENTRY.format(named)).last
    table.record(dispute.DisputeRaised(by=Actor.TWO)).retract(nothing)
    assert table.codes == []


def test_a_dispute_that_was_never_raised_freezes_nothing() -> None:
    table = _disputed()
    table.retract(table.last).amend(ENTRY.format(4), _made("8/5 6/5"))
    assert table.codes == []


# As recorded, and at a version.


def test_as_recorded_shows_the_slip_and_the_correction_without_its_effect() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4")
    table.amend(table.last, _made("8/5 6/5"))
    recorded = replay(table.events, as_recorded=True)
    assert [step.event.tag for step in recorded.steps][-1] == "entry.amended"
    assert [finding.code for finding in recorded.findings] == ["illegal-play"]
    assert [step.event.tag for step in table.replay.steps][-1] == "play.made"


def test_at_a_version_later_corrections_are_not_known_yet() -> None:
    table = Table().game().opening(3, 1).play("one", "8/5 6/4").turn("two", 42, "8/4 6/4")
    table.amend(ENTRY.format(4), _made("8/5 6/5")).roll("one", 61)
    whole = table.replay
    assert [finding.code for finding in whole.findings] == []
    for version, codes in ((4, ["illegal-play"]), (6, ["illegal-play"]), (7, []), (8, [])):
        assert [finding.code for finding in whole.at(version).findings] == codes, version
    assert whole.at(0).steps[:] == []
