"""Equipment, preferences, mixed dice, handling: what each text says about these acts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from events.envelope import Basis
from events.payloads import clock, dice, equipment, match, play
from events.payloads.base import Actor, Payload
from events.payloads.match import Player
from events.values import BySeat, Seat
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

ONE, TWO = Seat.ONE, Seat.TWO
USBGF, RATIFIED, BIBA = "usbgf-2017-07", "usbgf-2017-09", "biba-2014"
FCBG, CLUB, COMMON = "fcbg-tournament", "fcbg-club", "common"


def said(table: Table) -> tuple[str, str, bool] | None:
    """Code, section and whether a person is asked, of the findings at the last entry."""
    if not table.found:
        return None
    (finding,) = table.replay.steps[-1].findings
    return finding.code, finding.section, finding.ruling_required is not None


def changed(
    rule_set: str, by: Actor, item: str = "board", *, in_game: bool
) -> tuple[str, str, bool] | None:
    table = Table(rule_set=rule_set).game().opening(3, 1)
    if not in_game:
        table.won("one", 1)
    return said(table.record(equipment.EquipmentChanged(item=item, by=by)))


@pytest.mark.rows("X-04")
@pytest.mark.parametrize(
    ("rule_set", "section"), [(USBGF, "[3.7]"), (BIBA, "3.1"), (FCBG, "EQUIPMENT CHANGES/T")]
)
@pytest.mark.parametrize("by", [Actor.ONE, Actor.TWO, Actor.BOTH])
def test_players_change_no_equipment_during_a_game(rule_set: str, section: str, by: Actor) -> None:
    assert changed(rule_set, by, in_game=True) == ("equipment", section, False)


@pytest.mark.rows("X-04")
@pytest.mark.parametrize(
    ("rule_set", "found"),
    [
        (USBGF, None),
        (RATIFIED, None),
        (BIBA, ("equipment", "3.1", False)),
        (FCBG, ("equipment", "EQUIPMENT CHANGES/T", False)),
        (CLUB, None),
        (COMMON, None),
    ],
)
def test_between_games_both_may_change_it_by_agreement_where_the_text_says_so(
    rule_set: str, found: tuple[str, str, bool] | None
) -> None:
    assert changed(rule_set, Actor.BOTH, in_game=False) == found


@pytest.mark.rows("X-04")
@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("in_game", [False, True])
def test_the_director_may_change_it_at_any_time(rule_set: str, in_game: bool) -> None:
    assert changed(rule_set, Actor.DIRECTOR, in_game=in_game) is None


@pytest.mark.rows("X-04")
def test_one_player_alone_may_not_even_between_games() -> None:
    assert changed(USBGF, Actor.ONE, in_game=False) == ("equipment", "[3.7]", False)
    assert changed(RATIFIED, Actor.ONE, in_game=False) == ("equipment", "[3.7]", True)
    assert changed(CLUB, Actor.ONE, in_game=True) == ("equipment", "INTERPRETATION", True)
    assert changed(COMMON, Actor.ONE, in_game=True) is None


@pytest.mark.rows("X-04", "X-05")
def test_other_dice_may_be_called_for_at_biba_and_when_it_does_not_say() -> None:
    assert changed(BIBA, Actor.TWO, "dice", in_game=False) is None
    assert changed(BIBA, Actor.TWO, "dice", in_game=True) == ("equipment", "3.3", True)


def test_before_the_start_nothing_is_changed_that_had_to_stay() -> None:
    table = Table(rule_set=FCBG)
    table.record(equipment.EquipmentChanged(item="board", by=Actor.BOTH))
    assert table.codes == []


def preferred(
    rule_set: str, winner: Seat, dice: BySeat[int] | None, basis: Basis = Basis.OBSERVED
) -> Table:
    rolled = equipment.PreferenceRolled(items=("direction",), dice=dice, winner=winner)
    return Table(rule_set=rule_set).record(rolled, basis=basis)


@pytest.mark.rows("X-02")
@pytest.mark.parametrize(
    ("rule_set", "found"),
    [
        (USBGF, ("equipment", "[3.6]", False)),
        (RATIFIED, ("equipment", "[3.6]", True)),
        (BIBA, ("equipment", "3.2", False)),
        (FCBG, ("equipment", "SETUP/PREFERENCES/T", True)),
        (CLUB, ("equipment", "INTERPRETATION", True)),
        (COMMON, None),
    ],
)
def test_a_preference_taken_with_the_lower_die(
    rule_set: str, found: tuple[str, str, bool] | None
) -> None:
    assert said(preferred(rule_set, TWO, BySeat(5, 2))) == found
    assert said(preferred(rule_set, ONE, BySeat(5, 2))) is None
    assert said(preferred(rule_set, ONE, None)) is None


@pytest.mark.rows("X-02")
def test_what_the_director_decides_is_not_held_against_the_dice() -> None:
    assert said(preferred(BIBA, TWO, BySeat(5, 2), Basis.RULED)) is None


@pytest.mark.rows("X-02")
@pytest.mark.parametrize("rule_set", [USBGF, BIBA, FCBG])
def test_equal_dice_decide_nothing_and_a_roll_after_the_start_is_too_late(rule_set: str) -> None:
    tied = said(preferred(rule_set, ONE, BySeat(4, 4)))
    assert tied is not None
    assert tied[2]
    table = Table(rule_set=rule_set).game().opening(3, 1)
    table.record(equipment.PreferenceRolled(items=("seat",), dice=BySeat(6, 1), winner=ONE))
    late = said(table)
    assert late is not None
    assert not late[2]


@pytest.mark.rows("X-02")
@pytest.mark.parametrize(("rule_set", "is_found"), [(USBGF, True), (BIBA, False), (FCBG, False)])
def test_one_roll_decides_all_preferences_where_the_text_says_so(
    rule_set: str, is_found: bool
) -> None:
    table = preferred(rule_set, ONE, BySeat(5, 2))
    table.record(equipment.PreferenceRolled(items=("seat",), dice=BySeat(1, 2), winner=TWO))
    assert bool(table.found) is is_found


@pytest.mark.rows("X-05")
def test_dice_are_mixed_before_a_game_and_picked_in_turn() -> None:
    in_order = equipment.DiceMixed(demander=ONE, picks=(TWO, ONE))
    out_of_order = equipment.DiceMixed(demander=ONE, picks=(ONE, TWO))
    preferences = "SETUP/PREFERENCES/T"
    assert said(Table(rule_set=FCBG).record(in_order)) is None
    assert said(Table(rule_set=FCBG).record(out_of_order)) == ("equipment", preferences, False)
    in_game = Table(rule_set=FCBG).game().opening(3, 1)
    assert said(in_game.record(in_order)) == ("equipment", preferences, False)
    assert said(Table(rule_set=BIBA).record(out_of_order)) is None
    not_in_turn = equipment.DiceMixed(demander=ONE, picks=(ONE, ONE, TWO, TWO))
    assert said(Table(rule_set=BIBA).record(not_in_turn)) == ("equipment", "3.3", False)
    in_game = Table(rule_set=BIBA).game().opening(3, 1)
    assert said(in_game.record(in_order)) == ("equipment", "3.3", True)
    for silent in (USBGF, COMMON):
        assert said(Table(rule_set=silent).game().opening(3, 1).record(out_of_order)) is None


@pytest.mark.rows("X-02", "X-05")
@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("is_second", [False, True])
def test_a_game_that_is_set_up_has_not_started_before_its_opening_roll(
    rule_set: str, *, is_second: bool
) -> None:
    """Players set up the checkers, then ask for the dice to be mixed, and only then roll."""

    def set_up() -> Table:
        table = Table(rule_set=rule_set).game()
        return table.opening(3, 1).won("one", 1).game() if is_second else table

    assert said(set_up().record(equipment.DiceMixed(demander=ONE, picks=(TWO, ONE)))) is None
    assert said(set_up().opening(4, 4).record(equipment.DiceMixed(demander=ONE))) is None
    rolled = equipment.PreferenceRolled(items=("seat",), dice=BySeat(6, 1), winner=ONE)
    if not is_second:
        assert said(set_up().record(rolled)) is None
    pointed_out = equipment.SpectatorReported(kind="wrong_setup", by=Actor.TWO)
    # usbgf-2017-07 [1.6] and biba-2014 1.7 let a spectator say so between games.
    found = ("handling", "SPECTATORS/T", False) if rule_set == FCBG else None
    assert said(set_up().record(pointed_out)) == found


def handled(rule_set: str, kind: str) -> tuple[str, str, bool] | None:
    table = Table(rule_set=rule_set).game().opening(3, 1)
    return said(table.record(play.HandlingNoted(seat=TWO, kind=kind)))


@pytest.mark.rows("M-09")
@pytest.mark.parametrize(
    ("kind", "sections"),
    [
        ("two_hands", {USBGF: "[4.2]", BIBA: "4.3", FCBG: "IRR/T(e)"}),
        ("opponents_turn", {USBGF: "[4.2]", BIBA: "4.3", FCBG: "IRR/T(e)"}),
        ("not_offset", {USBGF: "[4.2]"}),
        ("hit_not_on_bar", {USBGF: "[4.2]", BIBA: "4.4", FCBG: "IRR/T(f)"}),
        ("borne_off_on_field", {USBGF: "[4.2]", BIBA: "4.4", FCBG: "IRR/T(g)"}),
        ("bar_not_first", {BIBA: "4.3", FCBG: "IRR/T(e)"}),
        ("other", {USBGF: "[4.2]", BIBA: "4.3", FCBG: "IRR/T(e)"}),
    ],
)
def test_handling_is_held_against_the_text_that_speaks_of_it(
    kind: str, sections: dict[str, str]
) -> None:
    for rule_set in SHELF:
        section = sections.get(rule_set)
        found = None if section is None else ("handling", section, False)
        assert handled(rule_set, kind) == found, rule_set


@pytest.mark.rows("M-09")
def test_what_may_count_against_a_player_is_said_so() -> None:
    for rule_set, weighs in ((USBGF, True), (BIBA, True), (FCBG, True)):
        table = Table(rule_set=rule_set).game()
        table.record(play.HandlingNoted(seat=TWO, kind="two_hands"))
        (finding,) = table.replay.findings
        assert ("may count against" in finding.message) is weighs
        assert finding.seat is TWO


@pytest.mark.rows("T-06", "M-09")
@pytest.mark.parametrize("act", [None, "touched_die"])
def test_dice_moved_aside_without_a_word_are_held_against_the_text(act: str | None) -> None:
    sections = {USBGF: "[4.2]", BIBA: "4.3", FCBG: "IRR/T(c)"}
    for rule_set in SHELF:
        table = Table(rule_set=rule_set).game().opening(3, 1)
        moved = dice.Repositioned(seat=ONE, act=act)
        codes = [one.section for one in table.record(moved).findings if one.code == "handling"]
        assert codes == ([sections[rule_set]] if rule_set in sections else [])
        announced = replace(moved, announced="repositioning_and_roll", announced_when="before")
        assert "handling" not in table.record(announced).found


CONDUCT = {
    # kind: usbgf-2017-07, biba-2014, fcbg-tournament; the others have no words in hand.
    "electronic_aid": ("[1.7]", "1.5", "AIDS/T"),
    "written_notes": ("[1.7]", "1.5", "AIDS/T"),
    "foreign_language": ("[1.5]", "1.6", "LANGUAGE/T"),
    # Foul language is no foreign one.
    "foul_language": ("[1.2]", "St. 5", None),
    "insulted_opponent": ("[1.2]", "St. 5", None),
    "headphones": (None, "1.5", None),
    "headphones_forbidden": (None, "1.5", "AIDS/T"),
    "score_notes": (None, None, None),
    "recording": (None, None, "AIDS/T"),
    "took_photo": ("[1.7]", "1.8", None),
    "slammed_dice": ("[4.2]", "4.3", "IRR/T(e)"),
}


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("kind", CONDUCT)
def test_conduct_beside_the_board_is_held_against_the_rule_that_speaks_of_it(
    rule_set: str, kind: str
) -> None:
    sections = dict(zip((USBGF, BIBA, FCBG), CONDUCT[kind], strict=True))
    if kind == "foreign_language":
        # Of the ratified text the words on language are published, and those of the draft.
        sections["usbgf-2017-09"] = "[1.5]"
    section = sections.get(rule_set)
    assert handled(rule_set, kind) == (None if section is None else ("handling", section, False))


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("kind", ["written_notes", "foreign_language", "headphones"])
def test_conduct_is_held_against_nobody_while_no_match_is_in_progress(
    rule_set: str, kind: str
) -> None:
    noted = play.HandlingNoted(seat=TWO, kind=kind)
    assert said(Table(rule_set=rule_set).record(noted)) is None
    over = Table(1, rule_set=rule_set).game().opening(3, 1).won("one", 1)
    assert said(over.record(noted)) is None


def noted(rule_set: str, kind: str, *before: Payload, **options: Any) -> str | None:
    """What the last sentence says against what One did, after other things that were recorded."""
    table = Table(rule_set=rule_set, **options).game()
    for payload in (*before, play.HandlingNoted(seat=ONE, kind=kind)):
        table.record(payload)
    told = [one.message for one in table.replay.steps[-1].findings if one.code == "handling"]
    return told[-1].split("; ")[-1] if told else None


PHOTO = "took_photo"
OTHERWISE = "the rule cited here asks for it otherwise, and names nothing that follows"
OBJECTED = equipment.RecordingObjected(seat=TWO, medium="photo")
OBJECTED_TO_SOUND = equipment.RecordingObjected(seat=TWO, medium="audio")
CONSENTED = equipment.RecordingConsented(seat=TWO, medium="photo")
LET = equipment.EquipmentAgreed(item="headphones", by=Actor.TWO, allowed=ONE)
OWN_WORD = equipment.EquipmentAgreed(item="headphones", by=Actor.ONE, allowed=ONE)
NO_MORE = equipment.AgreementEnded(item="headphones")
IF_AGREED = "players may do so only where the opponent agrees"
MAY = "players may do so where the opponent does not object"
CLOCK_ALONE = "where either player may insist on a clock, it is done with a clock alone"


@pytest.mark.parametrize(
    ("rule_set", "kind", "before", "options", "against"),
    [
        (BIBA, "headphones", (LET,), {}, None),
        (BIBA, "headphones", (OWN_WORD,), {}, IF_AGREED),
        (BIBA, "headphones", (LET, NO_MORE), {}, IF_AGREED),
        (BIBA, PHOTO, (), {}, MAY),
        (BIBA, PHOTO, (OBJECTED,), {}, OTHERWISE),
        (BIBA, PHOTO, (OBJECTED, CONSENTED), {}, None),
        (BIBA, PHOTO, (CONSENTED, OBJECTED), {}, OTHERWISE),
        (BIBA, PHOTO, (OBJECTED_TO_SOUND,), {}, MAY),
        (USBGF, PHOTO, (), {"event_kind": "open"}, CLOCK_ALONE),
        (USBGF, PHOTO, (), {"event_kind": "other_skill"}, None),
        (
            BIBA,
            "borne_off_checker_on_playing_surface",
            (),
            {},
            "in a dispute it may count against that player",
        ),
    ],
)
def test_what_the_opponent_lets_a_player_do_is_not_held_against_him(
    rule_set: str,
    kind: str,
    before: tuple[Payload, ...],
    options: dict[str, Any],
    against: str | None,
) -> None:
    """Biba 1.5: headphones if the opponent agrees; 1.8 and [1.7]: pictures."""
    assert noted(rule_set, kind, *before, **options) == against


@pytest.mark.parametrize(("running", "is_found"), [(ONE, False), (TWO, True)])
@pytest.mark.parametrize("rule_set", [USBGF, BIBA])
def test_pictures_are_taken_in_ones_own_time(rule_set: str, running: Seat, is_found: bool) -> None:
    set_up = clock.ClockSet(kind=clock.ClockKind.SIMPLE)
    started = clock.ClockStarted(seat=running)
    against = noted(rule_set, PHOTO, CONSENTED, set_up, started, event_kind="open")
    assert against == (OTHERWISE if is_found else None)


def taken(rule_set: str, item: str, **members: Any) -> tuple[str, str, bool] | None:
    options = members.pop("options", {})
    agreed = equipment.EquipmentAgreed(item=item, **members)
    return said(Table(rule_set=rule_set, **options).record(agreed))


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("members", [{"by": Actor.ONE}, {"seats": (ONE,)}])
@pytest.mark.parametrize(
    ("item", "count", "section"), [("baffle_box", None, "[3.4]"), ("dice", 4, "[3.6]")]
)
def test_what_takes_both_is_found_where_one_player_alone_takes_it_into_use(
    rule_set: str, members: dict[str, Any], item: str, count: int | None, section: str
) -> None:
    found = ("equipment", section, False) if rule_set == USBGF else None
    assert taken(rule_set, item, count=count, **members) == found


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("open", None),
        ("doubles", None),
        ("other_skill", ("equipment", "[3.5]", False)),
        ("other", ("equipment", "[3.5]", False)),
    ],
)
def test_a_clock_takes_both_where_the_event_makes_it_an_option(
    kind: str, found: tuple[str, str, bool] | None
) -> None:
    assert taken(USBGF, "clock", by=Actor.TWO, options={"event_kind": kind}) == found


@pytest.mark.parametrize(
    "members",
    [{"by": Actor.BOTH}, {"by": Actor.DIRECTOR}, {"seats": (ONE, TWO)}, {"allowed": ONE}, {}],
)
def test_what_both_agree_on_or_the_director_orders_is_not_found(members: dict[str, Any]) -> None:
    assert taken(USBGF, "baffle_box", **members) is None


@pytest.mark.parametrize(
    ("count", "is_timed", "found"),
    [(4, True, ("equipment", "3.3", False)), (2, True, None), (4, False, None)],
)
def test_with_a_clock_biba_sets_two_of_the_four_dice_aside(
    count: int, found: tuple[str, str, bool] | None, *, is_timed: bool
) -> None:
    table = Table(rule_set=BIBA)
    if is_timed:
        table.record(clock.ClockSet(kind=clock.ClockKind.SIMPLE))
    agreed = equipment.EquipmentAgreed(item="dice", count=count, by=Actor.ONE)
    assert said(table.record(agreed)) == found


def test_a_preference_is_one_players_to_insist_on() -> None:
    assert taken(USBGF, "dice", count=2, by=Actor.ONE) is None
    assert taken(USBGF, "lipped_cup", by=Actor.ONE) is None


SPECTATORS = {
    # kind: in a game and between games, for usbgf-2017-07, biba-2014 and fcbg-tournament.
    "comment": ((True, True), (True, True), (True, True)),
    "signal": ((True, True), (True, True), (False, False)),
    "clock_running": ((True, False), (False, False), (True, True)),
    "wrong_setup": ((True, False), (True, False), (True, True)),
    "recommended_move": ((True, True), (True, True), (True, True)),
    "coughing": ((False, False), (False, False), (False, False)),
}


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("is_between", [False, True])
@pytest.mark.parametrize("kind", SPECTATORS)
def test_what_a_spectator_does_is_held_against_the_rule_that_has_him_silent(
    rule_set: str, kind: str, *, is_between: bool
) -> None:
    table = Table(rule_set=rule_set).game().opening(3, 1)
    if is_between:
        table.won("one", 1)
    reported = equipment.SpectatorReported(kind=kind, by=Actor.TWO)
    sections = {USBGF: "[1.6]", BIBA: "1.7", FCBG: "SPECTATORS/T"}
    # The published part of the ratified text on spectators has the words of the draft.
    sections[RATIFIED] = sections[USBGF]
    held = dict(zip((USBGF, BIBA, FCBG), SPECTATORS[kind], strict=True))
    held[RATIFIED] = held[USBGF]
    is_held = held.get(rule_set, (False, False))[is_between]
    found = ("handling", sections[rule_set], False) if is_held else None
    if rule_set == CLUB and kind == "recommended_move":
        # Whoever only watches may converse there; on this its heading has no text (AMB-F2).
        found = ("handling", "SPECTATORS", True)
    assert said(table.record(reported)) == found


@in_bunches("rule_set", SHELF)
def test_a_spectator_too_speaks_the_official_language_while_a_match_is_in_progress(
    rule_set: str,
) -> None:
    spoke = equipment.SpectatorReported(kind="spoke_foreign_language")
    section = {
        USBGF: "[1.5]",
        RATIFIED: "[1.5]",
        BIBA: "1.6",
        FCBG: "LANGUAGE/T",
    }.get(rule_set)
    found = None if section is None else ("handling", section, False)
    assert said(Table(rule_set=rule_set).game().opening(3, 1).record(spoke)) == found
    assert said(Table(rule_set=rule_set).record(spoke)) is None


@pytest.mark.parametrize("to", [Actor.DIRECTOR, Actor.OFFICIAL, Actor.MONITOR, Actor.ONE, None])
def test_what_a_spectator_did_is_found_whomever_a_player_reports_it_to(to: Actor | None) -> None:
    for rule_set, section in ((USBGF, "[1.6]"), (BIBA, "1.7"), (FCBG, "SPECTATORS/T")):
        table = Table(rule_set=rule_set).game().opening(3, 1)
        reported = equipment.SpectatorReported(kind="commented", by=Actor.ONE, to=to)
        assert said(table.record(reported)) == ("handling", section, False)


def test_a_spectator_may_always_turn_to_the_staff() -> None:
    for to in (Actor.DIRECTOR, Actor.OFFICIAL, Actor.MONITOR):
        told = equipment.SpectatorReported(kind="comment", to=to)
        assert said(Table(rule_set=USBGF).game().record(told)) is None


@pytest.mark.parametrize(
    ("rule_set", "section"),
    [(USBGF, "[1.6]"), (RATIFIED, "[1.6]"), (BIBA, "1.7"), (FCBG, "SPECTATORS/T"), (COMMON, None)],
)
@pytest.mark.parametrize("to", [Actor.ONE, Actor.BOTH])
def test_who_tells_the_players_of_anything_has_not_remained_silent(
    rule_set: str, section: str | None, to: Actor
) -> None:
    told = equipment.SpectatorReported(kind="illegal_play", to=to)
    found = None if section is None else ("handling", section, False)
    assert said(Table(rule_set=rule_set).game().opening(3, 1).record(told)) == found


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("foreign_language", ("handling", "[1.5]", True)),
        ("foreign_language_between_partners", None),
    ],
)
@pytest.mark.parametrize("rule_set", [USBGF, RATIFIED])
def test_partners_who_consult_may_speak_any_language_with_one_another(
    rule_set: str, kind: str, found: tuple[str, str, bool] | None
) -> None:
    table = Table(rule_set=rule_set, is_opened=False)
    pair = (Player(), Player())
    table.record(match.MatchOpened(players=BySeat(pair, (Player(),)), rule_set=rule_set)).game()
    assert said(table.record(play.HandlingNoted(seat=ONE, kind=kind))) == found
    alone = ("handling", "[1.5]", False)
    assert said(table.record(play.HandlingNoted(seat=TWO, kind="foreign_language"))) == alone


@pytest.mark.rows("X-02")
@pytest.mark.parametrize("item", ["dice_count", "lipped_cups", "clock", "baffle_box"])
@in_bunches("rule_set", SHELF)
def test_dice_decide_nothing_that_the_text_itself_calls_a_preference(
    rule_set: str, item: str
) -> None:
    """[3.6] has the dice decide all *other* preferences."""
    rolled = equipment.PreferenceRolled(items=("seat", item), dice=BySeat(6, 1), winner=ONE)
    found = ("equipment", "[3.6]", False) if rule_set == USBGF else None
    assert said(Table(rule_set=rule_set).record(rolled)) == found


@pytest.mark.rows("M-09")
@pytest.mark.parametrize(
    ("announced", "found"),
    [
        ("repositioning_and_roll", {}),
        ("repositioning", {USBGF: "[4.2]", BIBA: "4.3"}),
        ("roll", {BIBA: "4.3"}),
    ],
)
@pytest.mark.parametrize("rule_set", [USBGF, BIBA, FCBG, COMMON])
def test_what_has_to_be_announced_before_dice_are_moved_aside(
    rule_set: str, announced: str, found: dict[str, str]
) -> None:
    table = Table(rule_set=rule_set).game().opening(3, 1)
    moved = dice.Repositioned(
        seat=ONE, announced=announced, announced_when="before", act="touched_die"
    )
    section = found.get(rule_set)
    assert said(table.record(moved)) == (section and ("handling", section, False))


@pytest.mark.rows("M-09")
@pytest.mark.parametrize("kind", ["excessive_shaking", "shaking", "talking_during_play"])
@pytest.mark.parametrize("rule_set", [USBGF, RATIFIED, BIBA, FCBG, CLUB, COMMON])
def test_of_shaking_and_talking_one_text_speaks(rule_set: str, kind: str) -> None:
    expected = ("handling", "1.9", False) if rule_set == BIBA else None
    assert handled(rule_set, kind) == expected
