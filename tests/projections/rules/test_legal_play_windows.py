"""Illegal plays: until when they may or must be corrected, by whom, and what closed the window."""

from __future__ import annotations

from typing import Any

import pytest
from golden import Case, check
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace
from table import SCENES, TURNS, Table, men

from events.envelope import Basis
from events.payloads import dice, equipment, play
from events.payloads.base import Actor
from events.values import BySeat, Seat
from projections.judging.illegal_plays import Noticed, PlayIs
from projections.rules.answers import Answer
from projections.views.open_windows import windows_of
from projections.views.window import What, WindowIs

ILLEGAL = "8/5 6/4"
BARRED = "5:2 6:4 8:2 13:4 24:2 bar:1"
START = "6:5 8:3 13:5 24:2"
CLASSES = {"dice_or_pips", "unrelated", "hit_not_lifted"}
LATER_ILLEGAL = {1: ILLEGAL, 3: "13/7 13/11", 5: "13/11 6/4"}
"""Illegal plays of turns 1, 3 and 5: all are seat one's."""


def opened(rule_set: str | None, **options: Any) -> Table:
    table = Table(rule_set=rule_set, **options)
    return table.record(equipment.EquipmentAgreed(item="dice", count=4))


def wrong_play(table: Table, kind: str = "dice_or_pips") -> str:
    """The opening turn of seat one, played illegally; its entry."""
    if kind == "hit_not_lifted":
        table.game().opening(3, 1).stated(*SCENES["blot"], on_roll=Seat.ONE, dice=(3, 1))
        return table.play("one", "8/5 6/5", hits_not_lifted=(5,)).last
    table.game().opening(3, 1)
    if kind == "unrelated":
        after = BySeat(men(BARRED), men(START))
        return table.record(play.PlayMade(seat=Seat.ONE, resulting_position=after)).last
    return table.play("one", ILLEGAL).last


def notice(
    table: Table,
    target: str,
    kind: str | None = "dice_or_pips",
    by: str | None = "two",
    known_since: str | None = None,
) -> Table:
    return table.record(
        play.PlayIllegalityNoticed(
            target=target,
            illegality_class=None if kind is None else play.IllegalityClass(kind),
            noticed_by=None if by is None else Actor(by),
            known_since=known_since,
        ),
        basis=Basis.OBSERVED if known_since is None else Basis.TESTIFIED,
    )


def answered(table: Table, answer: str, by: str | None = None) -> Table:
    basis = Basis.AGREED if answer == "agreed_later" else Basis.OBSERVED
    return table.record(
        play.PlayIllegalityAnswered(
            answer=play.IllegalityAnswer(answer), by=None if by is None else Actor(by)
        ),
        basis=basis,
    )


# How the shared cases are told at a table; `test_own_golden.py` holds their answers.


class Built:
    """A case as events, and the names that its file gives to some of them."""

    def __init__(self, case: Case, rule_set: str | None) -> None:
        self.given = dict(case.case["given"])
        self.table = opened(rule_set, **case.options)
        self.play = ""
        self.rolls: list[str] = []
        """Rolls of the opponent since the play."""
        take = self.given.pop
        assert take("offender") == "one"
        self.kind = take("illegality_class")
        assert self.kind in CLASSES
        self.noticed_by = take("noticed_by")
        self.opponents_roll = take("opponents_roll")
        self.opponent_doubled = take("opponent_doubled")
        self.next_roll = take("offenders_next_valid_roll_made")
        knew = take("offender_knew_and_kept_silent", False)
        if self.noticed_by == "monitor":
            self.table.record(equipment.MonitorAppointed())
        self._first_part()
        self._second_part()
        assert not self.given, f"keys that mean nothing: {self.given}"
        both = self.noticed_by == "both_agree"
        by = "both" if both else self.noticed_by
        notice(self.table, self.play, self.kind, by, known_since=self.play if knew else None)
        if both:
            answered(self.table, "agreed_later", "both")

    def _first_part(self) -> None:
        """Up to the end of the offender's turn."""
        table, take = self.table, self.given.pop
        if take("match_ended", False):
            table.score_is(6, 0, crawford_played=True).scene("last two").roll("one", 31)
            self.play = table.play("one", "6/off 1/off").last
            table.ends_turn("one").noted(7, 0, "one").noted(7, 0, "two").ended()
            table.events[-1] = replace(table.events[-1], basis=Basis.AGREED)
            return
        if take("opponent_closed_out_and_not_rolling", False):
            table.scene("closed").roll("one", 31)
            self.play = table.play("one", "10/7 9/7").last
            table.ends_turn("one")
            if take("opponents_turn_ended"):
                table.play("two").ends_turn("two")
            return
        count = take("illegal_plays_of_offender", 1)
        if count > 1:
            assert count == 3
            self._third()
        else:
            self.play = wrong_play(table, self.kind)
        if self.opponents_roll == "premature_made_to_stand":
            self.rolls.append(table.early("two", 42).last)
            table.answers_early("stands")
        table.ends_turn("one")

    def _third(self) -> None:
        """Two illegal plays of the offender, corrected at once, and a third one."""
        table, seat = self.table.game(), "one"
        for number, (roll, text) in enumerate(TURNS[:5], 1):
            if number == 1:
                table.opening(*divmod(roll, 10))
            else:
                table.roll(seat, roll)
            if number in LATER_ILLEGAL:
                self.play = table.play(seat, LATER_ILLEGAL[number]).last
                if number == 5:
                    return
                table.ends_turn(seat)
                answered(notice(table, self.play), "demanded", "two").correct(self.play, text)
            else:
                table.play(seat, text)
                table.ends_turn(seat)
            seat = "two" if seat == "one" else "one"

    def _second_part(self) -> None:
        """The opponent's part, and the offender's next roll."""
        table = self.table
        if self.opponent_doubled:
            table.double("two")
        match self.opponents_roll:
            case "invalid":
                table.void(seat="two")
                invalid = table.events[-1].payload
                cocked = dice.Observation(touching=("bar",), supported_by=("bar",), tilt="tilted")
                observed = replace(invalid, observations=(cocked, dice.Observation(tilt="flat")))
                table.events[-1] = replace(table.events[-1], payload=observed, basis=Basis.AGREED)
            case "valid":
                self.rolls.append(table.roll("two", 42).last)
            case known:
                assert known in ("none", "premature_made_to_stand")
        if later := self.given.pop("turns_later", 0):
            assert later == 3
            assert self.next_roll
            table.play("two", TURNS[1][1]).ends_turn("two")
            table.turn("one", *TURNS[2]).ends_turn("one").turn("two", *TURNS[3]).ends_turn("two")
        elif self.next_roll:
            if self.rolls:
                table.play("two", TURNS[1][1]).ends_turn("two")
            table.roll("one", 61)


def holds(built: Built, answer: Answer, case: Case) -> None:
    """The answer is the one that the case expects, in its names for the entries."""
    expect = dict(case.expect)
    opened_beside = [other for other in answer.also.values() if other.is_open]
    if "amb" in expect and not answer.is_open:
        # The file names the ambiguity of the further question beside a settled answer.
        answer = replace(answer, ambiguity=opened_beside[0].ambiguity)
    if "undoes" in expect:
        names = {built.play: "offenders_play", **dict.fromkeys(built.rolls, "opponents_roll")}
        undoes = [names[entry] for entry in answer.details["undoes"]]
        answer = replace(answer, details={**answer.details, "undoes": undoes})
    check(answer, expect)


# Our own table, in our own words.


def judged(table: Table) -> Noticed:
    return table.state.judged.windows.plays[-1]


def answer_of(table: Table) -> Answer:
    answer = table.state.judged.windows.answer
    assert answer is not None
    return answer


USBGF, BIBA, FCBG = "usbgf-2017-07", "biba-2014", "fcbg-tournament"
RULE_SETS = (USBGF, "usbgf-2017-09", BIBA, FCBG, "fcbg-club", "common")
M, C, S, R = "must_correct", "opponent_decides", "stands", "ruling_required"


def follow(table: Table, what: str) -> Table:
    """What happens between the play and the notice."""
    table.ends_turn("one")
    match what:
        case "nothing":
            pass
        case "void":
            table.void(seat="two")
        case "roll":
            table.roll("two", 42)
        case "double":
            table.double("two")
        case "roll twice":
            table.turn("two", 42, "8/4 6/4").ends_turn("two").roll("one", 61)
        case "over":
            table.won("one", 1)
    return table


@pytest.mark.parametrize(
    ("kind", "what", "answers"),
    [
        ("dice_or_pips", "nothing", (M, M, M, C, R, R)),
        ("dice_or_pips", "void", (M, R, R, R, R, R)),
        ("dice_or_pips", "roll", (S, R, S, S, R, R)),
        ("dice_or_pips", "double", (M, R, M, S, R, R)),
        ("dice_or_pips", "over", (R, R, R, R, R, R)),
        ("unrelated", "roll", (M, R, S, S, R, R)),
        ("unrelated", "roll twice", (S, R, S, S, R, R)),
        ("hit_not_lifted", "nothing", (M, R, M, C, R, R)),
        ("hit_not_lifted", "roll", (R, R, S, S, R, R)),
    ],
)
def test_each_text_has_its_own_window(kind: str, what: str, answers: tuple[str, ...]) -> None:
    for rule_set, expected in zip(RULE_SETS, answers, strict=True):
        table = opened(rule_set)
        made = wrong_play(table, kind)
        notice(follow(table, what), made, kind)
        assert answer_of(table).outcome == expected, rule_set
        assert judged(table).offender is Seat.ONE


def test_a_play_that_stands_names_what_closed_its_window() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    closer = table.ends_turn("one").void(seat="two").roll("two", 42).last
    notice(table.play("two", "8/4 6/4").ends_turn("two").roll("one", 61), made)
    assert answer_of(table).details["closed_by"] == closer
    assert judged(table).play_is is PlayIs.STANDS
    assert table.found == ["correction-too-late"]
    assert table.findings[0].section == "[4.2.3]"


def test_standing_condoned_corrected_and_open_are_told_apart() -> None:
    table = opened(FCBG)
    made = wrong_play(table)
    notice(table, made)
    assert judged(table).play_is is PlayIs.OPEN
    assert table.found == ["correction-due"]
    condoned = answered(copied(table), "condoned", "two")
    assert judged(condoned).play_is is PlayIs.CONDONED
    assert condoned.found == []
    corrected = answered(copied(table), "demanded", "two").correct(made, "8/5 6/5")
    assert judged(corrected).play_is is PlayIs.CORRECTED
    assert corrected.found == []
    late = answered(copied(table).ends_turn("one").roll("two", 42), "demanded", "two")
    assert judged(late).play_is is PlayIs.STANDS
    assert late.found == ["correction-too-late"]
    asked = notice(copied(table).ends_turn("one").void(seat="two"), made)
    assert judged(asked).play_is is PlayIs.ASKED
    assert asked.found == ["correction-question"]


def copied(table: Table) -> Table:
    other = Table(is_opened=False)
    other.events = list(table.events)
    return other


def test_the_choice_is_the_opponents() -> None:
    table = opened(FCBG)
    notice(table, wrong_play(table))
    assert answered(table, "condoned", "one").found == ["correction-differs"]
    assert judged(table).play_is is PlayIs.OPEN


def test_what_has_to_be_corrected_may_not_be_condoned() -> None:
    table = opened(USBGF)
    notice(table, wrong_play(table))
    assert answered(table, "condoned", "two").found == ["correction-differs"]
    assert judged(table).play_is is PlayIs.CONDONED


@pytest.mark.rows("M-06")
@pytest.mark.parametrize(
    ("dice", "text", "found"),
    [
        (None, "8/5 6/5", []),
        ((1, 3), "8/5 6/5", []),
        ((4, 1), "8/4 6/5", ["correction-differs"]),
    ],
)
@pytest.mark.parametrize("rule_set", [USBGF, BIBA, FCBG])
def test_an_illegal_play_is_corrected_with_the_dice_that_were_thrown(
    rule_set: str, dice: tuple[int, int] | None, text: str, found: list[str]
) -> None:
    table = opened(rule_set)
    made = wrong_play(table)
    notice(table, made)
    assert table.correct(made, text, dice=dice).found == found


@pytest.mark.rows("M-06")
def test_a_ruling_may_set_other_dice() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    notice(table, made)
    assert table.correct(made, "8/4 6/5", dice=(4, 1), by=Actor.DIRECTOR).found == []


def test_what_stands_is_not_corrected_unless_both_agree_or_a_person_rules() -> None:
    for basis, found, outcome in (
        (Basis.OBSERVED, ["correction-differs"], "stands"),
        (Basis.AGREED, [], "corrected_by_agreement"),
        (Basis.RULED, [], "stands"),
    ):
        table = opened(USBGF)
        made = wrong_play(table)
        notice(table.ends_turn("one").roll("two", 42), made)
        corrected = play.PlayCorrected(target=made, moves=())
        table.record(corrected, basis=basis)
        assert [code for code in table.found if "correction" in code] == found
        assert answer_of(table).outcome == outcome
        assert (judged(table).play_is is PlayIs.STANDS) == bool(found)


def test_a_roll_declared_void_has_not_closed_the_draft_s_window() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    table.ends_turn("one").roll("two", 42).void(table.last, seat="two")
    assert answer_of(notice(table, made)).outcome == "must_correct"


def test_a_double_declared_void_has_not_closed_a_window() -> None:
    table = opened(FCBG)
    made = wrong_play(table)
    table.ends_turn("one").double("two").void_cube(table.last)
    assert answer_of(notice(table, made)).outcome == "opponent_decides"


def test_an_unclassified_play_shows_both_deadlines_once_they_differ() -> None:
    table = opened(USBGF)
    made = wrong_play(table, "unrelated")
    table.ends_turn("one")
    assert answer_of(notice(copied(table), made, None)).outcome == "must_correct"
    between = answer_of(notice(copied(table).roll("two", 42), made, None))
    assert between.ambiguity == "AMB-M6"
    assert between.readings == ("opponents_valid_roll", "offenders_next_valid_roll")
    later = table.turn("two", 42, "8/4 6/4").ends_turn("two").roll("one", 61)
    assert answer_of(notice(later, made, None)).outcome == "stands"


@pytest.mark.parametrize("text", [ILLEGAL, "8/5", "8/2"])
def test_the_board_classifies_what_is_plainly_about_the_roll(text: str) -> None:
    """Not what the dice show, or not all of it: no person has to say that this is about them."""
    table = opened(USBGF)
    made = table.game().opening(3, 1).play("one", text).last
    table.ends_turn("one").roll("two", 42)
    assert answer_of(notice(table, made, None)).outcome == "stands"


@pytest.mark.parametrize(("answer", "outcome"), [("redone", M), ("stands", R), ("only_warned", R)])
def test_an_early_roll_that_is_redone_closes_nothing(answer: str, outcome: str) -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    table.early("two", 42).answers_early(answer).ends_turn("one")
    assert answer_of(notice(table, made)).outcome == outcome


def test_a_revised_play_is_judged_from_its_revision() -> None:
    table = opened(BIBA)
    made = wrong_play(table)
    table.early("two", 42).answers_early("redone")
    revised = table.revise("one", made, "8/5 6/3").last
    answer = answer_of(notice(table, revised))
    assert answer.outcome == "must_correct"
    assert answer.details["undoes"] == (revised,)
    assert judged(table).made == made


def test_repetition_and_silence_are_the_director_s_affair() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    notice(table, made, known_since=made)
    assert table.found == ["correction-due", "correction-question"]
    question = table.findings[1].ruling_required
    assert question is not None
    assert (question.topic, question.reason) == ("window.sanction", "discretion")


@pytest.mark.parametrize(
    ("by", "answers"),
    [
        ("one", (M, M, M, C, R, R)),
        (None, (M, M, M, C, R, R)),
        ("monitor", (R, M, M, R, R, R)),
        ("spectator", (R, R, R, R, R, R)),
    ],
)
def test_each_text_says_who_may_point_it_out(by: str | None, answers: tuple[str, ...]) -> None:
    for rule_set, expected in zip(RULE_SETS, answers, strict=True):
        table = opened(rule_set)
        answer = answer_of(notice(table, wrong_play(table), by=by))
        assert answer.outcome == expected, rule_set
        if expected == R and rule_set in (USBGF, BIBA, FCBG):
            assert answer.ambiguity == "AMB-M8"


@pytest.mark.parametrize(
    ("passed", "rolled", "answers"),
    [
        ("", False, (M, R, M, C, R, R)),
        ("played and ended", False, (R, R, M, R, R, R)),
        ("played and ended", True, (R, R, S, R, R, R)),
        ("ended", False, (R, R, M, R, R, R)),
        ("ended", True, (R, R, S, R, R, R)),
        # Nothing is entered of the turn of one who cannot move: the other rolls.
        ("", True, (R, R, S, R, R, R)),
    ],
)
def test_a_player_closed_out_makes_no_roll_that_closes_a_window(
    passed: str, rolled: bool, answers: tuple[str, ...]
) -> None:
    for rule_set, expected in zip(RULE_SETS, answers, strict=True):
        table = opened(rule_set).scene("closed").roll("one", 31)
        made = table.play("one", "10/7 9/7").last
        table.ends_turn("one")
        if "played" in passed:
            table.play("two")
        if "ended" in passed:
            table.ends_turn("two")
        if rolled:
            table.roll("one", 61)
        answer = answer_of(notice(table, made))
        assert answer.outcome == expected, rule_set
        if rule_set in (USBGF, FCBG) and answer.is_open:
            assert answer.ambiguity == "AMB-M5"


def test_both_may_agree_later_where_the_text_says_so() -> None:
    for rule_set, outcome, found in (
        (USBGF, "corrected_by_agreement", []),
        (BIBA, "stands", []),
        (FCBG, "stands", []),
        ("common", R, []),
    ):
        table = opened(rule_set)
        made = wrong_play(table)
        notice(table.ends_turn("one").roll("two", 42), made, by="both")
        answered(table, "agreed_later", "both")
        assert answer_of(table).outcome == outcome
        assert table.found == found
        table.correct(made, "8/5 6/5")
        stands = outcome == "stands"
        assert judged(table).play_is is (PlayIs.STANDS if stands else PlayIs.CORRECTED)
        assert ("correction-differs" in table.found) is stands


def test_options_decide_where_the_text_provides_for_them() -> None:
    responsible = opened(USBGF, moves_policy="responsible")
    answer = answer_of(notice(responsible, wrong_play(responsible)))
    assert (answer.outcome, answer.reason) == (R, "not_in_hand")
    adopted = opened("usbgf-2017-09", gaps_from=USBGF)
    made = wrong_play(adopted)
    answer = answer_of(notice(adopted.ends_turn("one").roll("two", 42), made))
    assert (answer.outcome, answer.verified) == ("stands", False)


def test_each_game_has_its_own_plays() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    table.ends_turn("one").resign("two").accept("one").game().opening(3, 1)
    assert answer_of(notice(table, made)).ambiguity == "AMB-M7"


def test_a_notice_of_nothing_is_found() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    assert notice(copied(table), "nowhere").found == ["reference-unknown"]
    assert answered(table, "demanded").found == ["answer-without-offer"]
    assert made


# A play called illegal that is not, and windows that nobody used.


@pytest.mark.parametrize("kind", [None, "dice_or_pips", "unrelated", "hit_not_lifted"])
def test_a_legal_play_called_illegal_is_a_question(kind: str | None) -> None:
    for rule_set, otherwise in ((USBGF, M), ("usbgf-2017-09", M), (BIBA, M), (FCBG, C)):
        table = opened(rule_set).game().turns(1)
        answer = answer_of(notice(table, table.last, kind))
        assert answer.is_open, rule_set
        if (rule_set, kind) == ("usbgf-2017-09", "dice_or_pips") or rule_set in (USBGF, BIBA, FCBG):
            assert (answer.reason, answer.readings) == ("conflict", (S, otherwise))
        assert table.found == ["correction-question"]
        assert judged(table).play_is is PlayIs.ASKED


def test_a_legal_play_told_by_its_end_is_judged_by_the_board_too() -> None:
    for moved, open_or_not in (("6:4 8:2 13:5 24:2 5:2", True), (BARRED, False)):
        table = opened(BIBA).game().opening(3, 1)
        after = BySeat(men(moved), men(START))
        made = table.record(play.PlayMade(seat=Seat.ONE, resulting_position=after)).last
        assert answer_of(notice(table, made)).is_open is open_or_not


def test_a_legal_play_called_illegal_too_late_stands_without_a_question() -> None:
    table = opened(BIBA).game().turns(1)
    made = table.last
    assert answer_of(notice(table.ends_turn("one").roll("two", 42), made)).outcome == S


def test_a_play_without_a_known_board_is_taken_for_what_it_is_called() -> None:
    table = opened(BIBA).game().turns(1).record(play.PlayUnseen(seat=Seat.TWO))
    made = table.turn("one", 61, "13/7 8/7").last
    assert answer_of(notice(table, made)).outcome == M


def test_a_notice_comes_to_nothing_once_its_window_has_passed() -> None:
    for answer in ("demanded", "mandatory", "condoned"):
        table = opened(BIBA)
        made = wrong_play(table)
        closer = notice(table, made).ends_turn("one").roll("two", 42).last
        assert answered(table, answer, "two").found == ["correction-too-late"]
        assert (judged(table).play_is, judged(table).closed_by) == (PlayIs.STANDS, closer)


def test_a_play_left_to_the_end_of_the_game_is_not_asked_about_when_seen_again() -> None:
    table = opened(USBGF)
    made = wrong_play(table)
    notice(table, made).won("one", 1)
    assert notice(table, made, by="one").found == []
    assert answered(table, "demanded", "two").found == ["correction-question"]
    assert answer_of(table).ambiguity == "AMB-M7"


def test_a_late_correction_is_found_whether_anybody_had_noticed_or_not() -> None:
    for is_noticed in (True, False):
        for rule_set in (USBGF, BIBA, FCBG):
            table = opened(rule_set)
            made = wrong_play(table)
            if is_noticed:
                notice(table, made)
            closer = table.ends_turn("one").roll("two", 42).last
            table.play("two", "8/4 6/4").ends_turn("two").roll("one", 61)
            assert "correction-differs" in table.correct(made, "8/5 6/5").found
            assert (judged(table).play_is, judged(table).closed_by) == (PlayIs.STANDS, closer)


def test_a_correction_in_time_needs_no_notice() -> None:
    table = opened(FCBG)
    assert table.correct(wrong_play(table), "8/5 6/5").found == []


def test_a_notice_recorded_after_the_correction_opens_nothing() -> None:
    for rule_set in (USBGF, BIBA, FCBG):
        table = opened(rule_set)
        made = wrong_play(table)
        corrected = table.correct(made, "8/5 6/5").last
        assert notice(table, made).found == []
        assert (judged(table).play_is, judged(table).closed_by) == (PlayIs.CORRECTED, corrected)
        assert notice(table, made, by="one").found == []
        assert judged(table).play_is is PlayIs.CORRECTED


def test_an_illegal_play_in_the_place_of_another_has_a_window_of_its_own() -> None:
    table = opened(BIBA)
    made = wrong_play(table)
    again = table.correct(made, "8/5 6/3").last
    assert answer_of(notice(table, again)).outcome == M
    assert answer_of(table).details["undoes"] == (again,)


def test_what_was_condoned_by_whose_choice_it_was_is_not_demanded_afterwards() -> None:
    for rule_set, is_found in ((FCBG, True), (BIBA, False)):
        table = opened(rule_set)
        made = wrong_play(table)
        answered(notice(table, made), "condoned", "two")
        demanded = answered(table.ends_turn("one"), "demanded", "two")
        assert ("correction-differs" in demanded.found) is is_found
        assert judged(table).play_is is PlayIs.CONDONED


def test_what_the_opponent_condoned_is_not_corrected_all_the_same() -> None:
    table = opened(FCBG)
    made = wrong_play(table)
    condoned = answered(notice(table, made), "condoned", "two").last
    assert table.correct(made, "8/5 6/5").found == ["correction-differs"]
    assert (judged(table).play_is, judged(table).closed_by) == (PlayIs.CONDONED, condoned)


FOLLOWING = st.lists(
    st.sampled_from(("roll", "void", "play", "end", "double", "take", "early", "unseen", "over")),
    max_size=12,
)


@pytest.mark.gate
@settings(max_examples=150, deadline=None)
@drawn(
    rule_set=st.sampled_from(RULE_SETS),
    kind=st.sampled_from(sorted(CLASSES)),
    by=st.sampled_from(("one", "two", "monitor", "spectator", None)),
    acts=FOLLOWING,
)
def test_a_window_once_closed_stays_closed(
    rule_set: str, kind: str, by: str | None, acts: list[str]
) -> None:
    """Nothing that happens after a play stands makes it correctable again."""
    table = opened(rule_set)
    made = wrong_play(table, kind)
    said = [answer_of(notice(table, made, kind, by))]
    seat = "one"
    for act in acts:
        match act:
            case "roll":
                seat = "two" if seat == "one" else "one"
                table.roll(seat, 61)
            case "void":
                table.void(seat=seat)
            case "play":
                table.play(seat)
            case "end":
                table.ends_turn(seat)
            case "double":
                table.double("two" if seat == "one" else "one")
            case "take":
                table.take(seat)
            case "early":
                table.early("two" if seat == "one" else "one", 21)
            case "unseen":
                table.record(play.PlayUnseen(seat=Seat(seat)))
            case "over":
                table.won(seat, 1)
        said.append(answer_of(notice(table, made, kind, by)))
    outcomes = [answer.outcome for answer in said]
    if S in outcomes:
        first = outcomes.index(S)
        assert set(outcomes[first:]) == {S}
        assert len({answer.details["closed_by"] for answer in said[first:]}) == 1


def test_a_play_that_was_condoned_does_not_reopen_at_a_second_notice() -> None:
    table = opened(FCBG)
    made = wrong_play(table)
    condoned = answered(notice(table, made), "condoned", "two").last
    for by in (Actor.ONE, Actor.TWO, Actor.SPECTATOR):
        table.record(play.PlayIllegalityNoticed(target=made, noticed_by=by))
        assert table.found == []
        assert (judged(table).play_is, judged(table).closed_by) == (PlayIs.CONDONED, condoned)


def test_a_play_that_nobody_could_condone_is_still_to_be_corrected_at_a_second_notice() -> None:
    table = opened("usbgf-2017-07")
    made = wrong_play(table)
    answered(notice(table, made), "condoned", "two")
    table.record(play.PlayIllegalityNoticed(target=made, noticed_by=Actor.ONE))
    assert table.found == ["correction-due"]


# A roll that was left unplayed.

LEFT = {
    # In time, and after the opponent's roll: what the text says about a roll that was not played.
    "usbgf-2017-07": ("must_correct", "stands"),
    "biba-2014": ("must_correct", "stands"),
    "fcbg-tournament": ("opponent_decides", "stands"),
}


def leaves(rule_set: str, *, rolls: int = 31) -> tuple[Table, str]:
    """One ends his turn with the opening roll not played, as this text has turns end."""
    table = Table(rule_set=rule_set).record(equipment.EquipmentAgreed(item="dice", count=2)).game()
    table.opening(*divmod(rolls, 10))
    method = "tapped_bar" if rule_set.startswith("usbgf") else "lifted_both"
    table.record(dice.TurnEnded(seat=Seat.ONE, method=method))
    return table, table.last


def noticed_left(table: Table, target: str) -> Answer:
    table.record(play.PlayIllegalityNoticed(target=target, noticed_by=Actor.TWO))
    assert "reference-unknown" not in table.found
    answer = table.state.judged.windows.answer
    assert answer is not None
    return answer


@pytest.mark.parametrize("rule_set", LEFT)
def test_a_roll_that_was_left_unplayed_is_an_illegal_play_to_be_noticed(rule_set: str) -> None:
    table, left = leaves(rule_set)
    assert noticed_left(table, left).outcome == LEFT[rule_set][0]
    table, left = leaves(rule_set)
    assert noticed_left(table.roll("two", 42), left).outcome == LEFT[rule_set][1]


@pytest.mark.parametrize("rule_set", LEFT)
def test_a_roll_that_was_left_and_is_played_after_all_is_put_right(rule_set: str) -> None:
    table, left = leaves(rule_set)
    noticed_left(table, left)
    table.play("one", "8/5 6/5").roll("two", 42)
    (window,) = [one for one in windows_of(table.replay) if one.what is What.PLAY]
    assert window.state is WindowIs.CORRECTED


def test_a_roll_that_could_not_be_played_and_is_called_illegal_is_in_conflict_with_the_board() -> (
    None
):
    table = Table(rule_set="usbgf-2017-07").clock().game()
    table.stated("bar:1 6:5 8:3 13:5", "1:3 2:2 3:2 4:2 5:2 6:2 13:2", on_roll=Seat.ONE)
    table.roll("one", 31).press("one")
    assert noticed_left(table, table.last).reason == "conflict"


def early_after_wrong_play(said: str | None) -> Table:
    """Two rolls before one, whose play was illegal, has ended his turn, and the roll is played."""
    table = opened("usbgf-2017-07")
    wrong_play(table, "unrelated")
    table.early("two", 42)
    if said is not None:
        table.answers_early(said)
    return table.ends_turn("one")


@pytest.mark.parametrize("said", ["stands", None])
def test_an_early_roll_that_counts_is_undone_with_what_came_after_an_illegal_play(
    said: str | None,
) -> None:
    table = early_after_wrong_play(said).play("two", "8/4 6/4").ends_turn("two")
    made, early = table.events[4].entry_id, table.events[5].entry_id
    answer = notice(table, made, "unrelated").state.judged.windows.answer
    assert answer is not None
    assert answer.outcome == "must_correct"
    assert early in answer.details["undoes"]


@pytest.mark.parametrize("said", ["redone", "void"])
def test_an_early_roll_that_does_not_count_is_nothing_to_undo(said: str) -> None:
    table = early_after_wrong_play("redone" if said == "redone" else "stands")
    made, early = table.events[4].entry_id, table.events[5].entry_id
    if said == "void":
        table.void(target=early)
    table.turn("two", 42, "8/4 6/4").ends_turn("two")
    answer = notice(table, made, "unrelated").state.judged.windows.answer
    assert answer is not None
    assert answer.outcome == "must_correct"
    assert early not in answer.details["undoes"]
