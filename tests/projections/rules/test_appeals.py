"""Appeals under every rule set: how shared cases are told, and ours of admission, size, ballots."""

from __future__ import annotations

from typing import Any

import pytest

from events.payloads import appeal, clock, dispute, match, penalty, play
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, BySeat
from projections.folding.findings import Finding
from projections.replay import Replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from tests.bunches import in_bunches
from tests.projections.table import Table

RULE_SETS = ("usbgf-2017-07", "biba-2014", "fcbg-tournament")

KINDS: dict[str, Any] = {
    "disqualification": lambda: penalty.PlayerDisqualified(seat=ONE),
    "slow_play": lambda: penalty.PenaltyAssessed(
        seat=ONE, points=1, ground=penalty.PenaltyGround.SLOW_PLAY
    ),
    "any": dispute.RulingMade,
}


def ballots(votes: dict[str, int]) -> list[tuple[appeal.Vote, str | None]]:
    """One for each member, in the order in which a case names them."""
    listed: list[tuple[appeal.Vote, str | None]] = []
    for word, count in votes.items():
        vote, _, proposal = word.partition("_")
        named = proposal or ("x" if vote == "modify" else None)
        listed += [(appeal.Vote(vote), named)] * count
    return listed


def convened(size: int) -> appeal.CommitteeConvened:
    members = tuple(appeal.Member(member=f"m{number}") for number in range(1, size + 1))
    return appeal.CommitteeConvened(size=size, members=members)


def told(given: dict[str, Any], rule_set: str | None) -> Table:
    """The events of a case."""
    given = dict(given)
    table = Table(7, rule_set=rule_set).game().turns(2)
    kind = given.pop("ruling_kind", "any")
    if kind == "slow_play":
        table.record(penalty.SlowPlayWarned(seat=ONE))
    table.record(KINDS[kind]())
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    size = given.pop("committee_size", None)
    learned = given.pop("committee_learned", None)
    if size is not None or learned is not None:
        table.record(convened(3 if size is None else size))
    if learned is not None:
        table.record(appeal.CommitteeLeakNoted(learned=tuple(learned)))
    for number, (vote, proposal) in enumerate(ballots(given.pop("votes", {})), start=1):
        table.record(appeal.VoteCast(member=f"m{number}", vote=vote, proposal=proposal))
    director = given.pop("director", None)
    if director == "declines":
        table.record(appeal.VoteDirectorDeclined())
    elif director is not None:
        [(vote, proposal)] = ballots({director.removeprefix("votes_"): 1})
        table.record(appeal.VoteDirectorCast(vote=vote, proposal=proposal))
    assert not given, f"keys without a meaning: {given}"
    return table


def answer_of(shown: Replay) -> Answer | None:
    return shown.state.judged.appeals.answer


@pytest.mark.parametrize(
    ("votes", "director", "usbgf", "biba", "fcbg"),
    [
        ("rrr", None, "ruling_changed", "ruling_changed", "ruling_changed"),
        ("rru", None, "ruling_changed", "ruling_stands", "ruling_changed"),
        ("rru", "u", "ruling_stands", "ruling_stands", "ruling_changed"),
        ("rua", "r", "ruling_changed", "ruling_stands", "ruling_stands"),
        ("uuu", "r", "ruling_stands", "ruling_stands", "ruling_stands"),
        ("aaa", None, "ruling_stands", "ruling_stands", "ruling_stands"),
    ],
)
def test_ballots_against_the_threshold(
    votes: str, director: str | None, usbgf: str, biba: str, fcbg: str
) -> None:
    """More than half of the votes cast; all three; two of three."""
    words = {"u": "uphold", "r": "reverse", "a": "abstain"}
    for rule_set, expected in zip(RULE_SETS, (usbgf, biba, fcbg), strict=True):
        table = Table(7, rule_set=rule_set).record(dispute.RulingMade())
        table.record(appeal.AppealFiled(seat=TWO, target=table.last)).record(convened(3))
        for number, vote in enumerate(votes, start=1):
            cast = appeal.VoteCast(member=f"m{number}", vote=appeal.Vote(words[vote]))
            table.record(cast)
        if director is None:
            table.record(appeal.VoteDirectorDeclined())
        else:
            table.record(appeal.VoteDirectorCast(vote=appeal.Vote(words[director])))
        answer = answer_of(table.replay)
        assert answer is not None
        assert answer.outcome == expected, rule_set


def voting(rule_set: str, *votes: tuple[str, str], size: int = 3) -> Table:
    """An appeal with ballots by member."""
    table = Table(7, rule_set=rule_set).record(dispute.RulingMade())
    table.record(appeal.AppealFiled(seat=TWO, target=table.last)).record(convened(size))
    for member, vote in votes:
        table.record(appeal.VoteCast(member=member, vote=appeal.Vote(vote)))
    return table


def test_ballots_that_cannot_count_are_found() -> None:
    """A stranger's, a second one, one after the Director's, and a Director's where he has none."""
    stranger = voting("fcbg-tournament", ("m9", "reverse"))
    assert stranger.found == ["ballot-not-counted"]
    second = voting("fcbg-tournament", ("m1", "reverse"), ("m1", "reverse"))
    assert second.found == ["ballot-not-counted"]
    table = voting("usbgf-2017-07", ("m1", "uphold"), ("m2", "reverse"))
    table.record(appeal.VoteDirectorCast(vote=appeal.Vote.UPHOLD))
    table.record(appeal.VoteCast(member="m3", vote=appeal.Vote.REVERSE))
    assert table.found == ["ballot-not-counted"]
    table = voting("biba-2014", ("m1", "reverse"), ("m2", "reverse"), ("m3", "reverse"))
    table.record(appeal.VoteDirectorCast(vote=appeal.Vote.UPHOLD))
    assert table.found == ["ballot-not-counted"]


def notes(table: Table) -> list[tuple[int, str, str]]:
    """What the ballots were found to settle: version, words, section."""
    found = [one for one in table.replay.findings if one.code == "appeal-settled"]
    return [(one.version, one.message, one.section) for one in found]


@pytest.mark.rows("Q-13", "Q-14")
def test_what_the_ballots_settle_is_found_once() -> None:
    """At the ballot that settles it, with the section; the same ballots differ by text."""
    votes = (("m1", "reverse"), ("m2", "reverse"), ("m3", "uphold"))
    table = voting("biba-2014", *votes)
    assert notes(table) == [(7, "3 of 3 members voted: the ruling stands", "6.3")]
    decide = appeal.AppealDecided(outcome=appeal.AppealOutcome.UPHELD)
    assert table.record(decide).found == []
    changed = "2 of 3 members voted: the ruling is changed (reverse)"
    assert notes(voting("fcbg-tournament", *votes)) == [(6, changed, "CONT/T(c)")]
    table = voting("usbgf-2017-07", *votes)
    assert notes(table) == []
    changed = "3 of 3 members voted: the ruling is changed (reverse)"
    assert notes(table.record(appeal.VoteDirectorDeclined())) == [(8, changed, "[5]")]


@pytest.mark.rows("Q-17")
@pytest.mark.parametrize("against", ["ruling", "appeal", "decision", "carried out"])
@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [
        ("usbgf-2017-07", "ruling_required"),
        ("usbgf-2017-09", "ruling_required"),
        ("biba-2014", "not_appealable"),
        ("fcbg-tournament", "not_appealable"),
        ("fcbg-club", "ruling_required"),
        ("common", "ruling_required"),
    ],
)
def test_a_second_appeal(rule_set: str, outcome: str, is_announced: bool, against: str) -> None:
    """The decision exhausts the right of appeal, whichever entry is attacked, and by whom."""
    table = voting(rule_set, ("m1", "reverse"), ("m2", "reverse"), ("m3", "reverse"))
    ruling, filed = table.events[1].entry_id, table.events[2].entry_id
    table.record(appeal.VoteDirectorDeclined())
    targets = {"ruling": ruling, "appeal": filed}
    if is_announced:
        table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome.REVERSED))
        targets["decision"] = table.last
        table.record(dispute.RulingCarriedOut(ruling=table.last))
        targets["carried out"] = table.last
    if against not in targets:
        return
    table.record(appeal.AppealFiled(seat=TWO, target=targets[against]))
    finding = table.findings[-1]
    assert finding.code == "appeal-admissibility"
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.outcome == outcome
    if outcome == "not_appealable":
        words = "player two appeals against what a committee has decided, and that is final"
        assert finding.message == words


@pytest.mark.parametrize(
    ("rule_set", "outcome", "section"),
    [("biba-2014", "not_appealable", "2.4"), ("fcbg-tournament", "admissible", "CONT/T(c)")],
)
@pytest.mark.parametrize(
    "imposed",
    [
        penalty.SlowPlayWarned(seat=ONE),
        penalty.PenaltyAssessed(seat=ONE, points=1, ground=penalty.PenaltyGround.SLOW_PLAY),
        penalty.ForfeitDeclared(seat=ONE, ground=penalty.PenaltyGround.SLOW_PLAY),
        clock.ClockSet(kind=clock.ClockKind.SIMPLE, imposed=True),
    ],
)
def test_what_the_director_does_about_slow_play_is_final_under_biba(
    imposed: Payload, rule_set: str, outcome: str, section: str
) -> None:
    """2.4: a warning, points or clocks, "the Director's decision is final"."""
    table = Table(7, rule_set=rule_set).record(imposed)
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    answer = answer_of(table.replay)
    assert answer is not None
    assert (answer.outcome, answer.section) == (outcome, section)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("disqualified", "not_appealable"),
        ("expelled", "not_appealable"),
        ("expulsion_from_the_area", "not_appealable"),
        ("barred", "admissible"),
        ("warning", "admissible"),
    ],
)
def test_which_sanctions_the_draft_lets_be_appealed(kind: str, outcome: str) -> None:
    table = Table(7, rule_set="usbgf-2017-07")
    table.record(penalty.SanctionImposed(seat=ONE, kind=kind))
    table.record(appeal.AppealFiled(seat=ONE, target=table.last))
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.outcome == outcome


@pytest.mark.parametrize(
    ("rule_set", "votes", "settled"),
    [
        ("fcbg-tournament", ("reverse", "reverse"), "ruling_changed"),
        ("fcbg-tournament", ("reverse", "uphold"), None),
        ("fcbg-tournament", ("uphold", "uphold"), "ruling_stands"),
        ("biba-2014", ("reverse", "reverse"), None),
        ("biba-2014", ("reverse", "uphold"), "ruling_stands"),
        ("usbgf-2017-07", ("reverse", "reverse"), None),
        ("usbgf-2017-07", ("reverse", "reverse", "reverse"), "ruling_changed"),
        ("usbgf-2017-07", ("reverse", "reverse", "uphold"), None),
        ("usbgf-2017-07", ("uphold", "uphold", "uphold"), "ruling_stands"),
    ],
)
def test_what_can_end_only_so_is_said_before_the_rest_have_voted(
    rule_set: str, votes: tuple[str, ...], settled: str | None
) -> None:
    """However the members who are missing vote, and the Director where he may."""
    table = voting(rule_set, *((f"m{place}", vote) for place, vote in enumerate(votes, 1)))
    (known,) = table.state.judged.appeals.appeals
    assert (known.result and known.result.outcome) == settled
    assert table.replay.open_questions == []


@pytest.mark.parametrize(
    ("size", "votes", "director"),
    [
        (2, ("reverse", "reverse"), None),
        (5, ("reverse", "reverse"), None),
        (3, ("reverse", "abstain", "abstain"), "reverse"),
    ],
)
def test_two_of_two_votes_cast_are_an_absolute_majority_of_them(
    size: int, votes: tuple[str, ...], director: str | None
) -> None:
    """[5] counts votes cast, however many of the committee cast one."""
    table = Table(7, rule_set="usbgf-2017-07").record(dispute.RulingMade())
    table.record(appeal.AppealFiled(seat=ONE, target=table.last)).record(convened(size))
    for place, vote in enumerate(votes, 1):
        table.record(appeal.VoteCast(member=f"m{place}", vote=appeal.Vote(vote)))
    if director is None:
        table.record(appeal.VoteDirectorDeclined())
    else:
        table.record(appeal.VoteDirectorCast(vote=appeal.Vote(director)))
    answer = answer_of(table.replay)
    assert answer is not None
    assert (answer.outcome, answer.details["votes_cast"]) == ("ruling_changed", 2)
    assert table.replay.open_questions == []


def test_ballots_on_an_appeal_that_is_not_admitted_settle_nothing() -> None:
    table = Table(7, rule_set="usbgf-2017-07").record(penalty.PlayerDisqualified(seat=ONE))
    table.record(appeal.AppealFiled(seat=ONE, target=table.last)).record(convened(1))
    table.record(appeal.VoteCast(member="m1", vote=appeal.Vote.REVERSE))
    table.record(appeal.VoteDirectorDeclined())
    assert notes(table) == []


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament"])
@pytest.mark.parametrize("act", ["votes", "declines"])
def test_a_director_without_a_vote_closes_no_poll(rule_set: str, act: str) -> None:
    """The ballots of the members who come after him count."""
    table = voting(rule_set, ("m1", "reverse"))
    uphold = appeal.VoteDirectorCast(vote=appeal.Vote.UPHOLD)
    table.record(uphold if act == "votes" else appeal.VoteDirectorDeclined())
    assert table.found == (["ballot-not-counted"] if act == "votes" else [])
    for member in ("m2", "m3"):
        table.record(appeal.VoteCast(member=member, vote=appeal.Vote.REVERSE))
        assert "ballot-not-counted" not in table.found
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.outcome == "ruling_changed"


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_a_director_who_declines_first_leaves_the_poll_to_the_committee(rule_set: str) -> None:
    """Its last ballot settles it, or the one after which it can end only so; none is lost."""
    table = voting(rule_set).record(appeal.VoteDirectorDeclined())
    for member in ("m1", "m2", "m3"):
        is_foregone = rule_set != "biba-2014" and member == "m3"
        assert bool(notes(table)) is is_foregone
        table.record(appeal.VoteCast(member=member, vote=appeal.Vote.REVERSE))
    assert table.codes == ["appeal-settled"]
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.outcome == "ruling_changed"


def test_the_director_votes_after_the_committee() -> None:
    """Until the Director has voted or declined, ballots of this text settle nothing."""
    table = voting("usbgf-2017-07", ("m1", "reverse"), ("m2", "reverse"), ("m3", "uphold"))
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.outcome == "awaits_director"


@pytest.mark.parametrize(
    ("announced", "found"),
    [("reversed", []), ("upheld", ["appeal-differs"]), ("modified", ["appeal-differs"])],
)
def test_the_announced_outcome_is_a_claim(announced: str, found: list[str]) -> None:
    """It is compared with the ballots and changes nothing."""
    table = voting("usbgf-2017-07", ("m1", "reverse"), ("m2", "reverse"), ("m3", "uphold"))
    table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome(announced)))
    # The announcement closes the poll, and with that settles it.
    assert table.found == ["appeal-settled", *found]
    answer = answer_of(table.replay)
    assert answer is not None
    assert answer.details["result"] == "reverse"


def test_a_member_who_steps_down_leaves_a_smaller_committee() -> None:
    """Two are left of three, and the text asks for three."""
    table = voting("biba-2014")
    table.record(appeal.CommitteeMemberRecused(member="m2"))
    [finding] = table.findings
    assert (finding.code, finding.ambiguity) == ("appeal-committee", "AMB-Q8")


def test_an_appeal_that_is_admitted_may_not_be_refused() -> None:
    """And one that is not may."""
    for target, found in ((dispute.RulingMade(), ["appeal-refused"]), (None, [])):
        payload = target or penalty.PlayerDisqualified(seat=ONE)
        table = Table(7, rule_set="usbgf-2017-07").record(payload)
        table.record(appeal.AppealFiled(seat=ONE, target=table.last))
        filed = table.last
        table.record(appeal.AppealRefused(appeal=filed, by=Actor.DIRECTOR))
        assert table.found == found


def test_a_ruling_on_the_question_closes_it() -> None:
    """Where the text names three members, four are a question, and the Director may answer it."""
    table = voting("biba-2014", size=4)
    at = table.last
    question = dispute.Question(topic="appeal.committee", at=at, seat=TWO)
    assert [q.entry_id for q in table.replay.open_questions] == [at]
    answered = dispute.RulingMade(answers=(dispute.Answer(question=question, reading="valid"),))
    assert table.record(answered).replay.open_questions == []


@pytest.mark.rows("Q-06")
@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_an_appeal_after_play_went_on_asks_whether_it_came_promptly(rule_set: str) -> None:
    """No text says what prompt is: the Director does, and then the appeal is in or out."""
    at_once = Table(7, rule_set=rule_set).game().record(dispute.RulingMade())
    at_once.record(appeal.AppealFiled(seat=TWO, target=at_once.last))
    assert not at_once.replay.open_questions
    for reading, is_admitted in (("admissible", True), ("too_late", False)):
        table = Table(7, rule_set=rule_set).game().record(dispute.RulingMade())
        ruling = table.last
        table.opening(3, 1).record(appeal.AppealFiled(seat=TWO, target=ruling))
        (question,) = table.replay.open_questions
        assert question.ruling_required is not None
        assert question.ambiguity == "AMB-Q6"
        assert question.ruling_required.readings == ("admissible", "too_late")
        asked = dispute.Question(
            topic=question.ruling_required.topic, at=question.entry_id, seat=question.seat
        )
        table.record(dispute.RulingMade(answers=(dispute.Answer(question=asked, reading=reading),)))
        shown = table.replay
        assert not shown.open_questions
        (filed,) = shown.state.judged.appeals.appeals
        assert filed.is_admitted is is_admitted


@pytest.mark.rows("Q-06")
@pytest.mark.parametrize("rule_set", RULE_SETS)
@pytest.mark.parametrize(
    "meanwhile",
    [
        match.GameStarted(),
        match.ResultPosted(score=BySeat(3, 0)),
        match.MatchNextStarted(seats=(ONE, TWO), next=match.NextMatch.NEXT_ROUND),
        play.PlayUnseen(),
    ],
    ids=lambda payload: type(payload).__name__,
)
def test_a_game_or_a_round_begun_since_is_going_on_as_well(
    rule_set: str, meanwhile: Payload
) -> None:
    """An appeal after the result was posted, or the next round begun, is not prompt by itself."""
    table = Table(3, rule_set=rule_set).game().record(dispute.RulingMade())
    ruling = table.last
    table.won("one", 3).ended("one", (3, 0)).record(meanwhile)
    table.record(appeal.AppealFiled(seat=TWO, target=ruling))
    assert [q.ambiguity for q in table.replay.open_questions] == ["AMB-Q6"]


def test_what_a_ruling_brings_about_is_no_going_on() -> None:
    """The game that it ends, and its carrying out, leave an appeal as prompt as it was."""
    table = Table(3, rule_set="biba-2014").game().record(dispute.RulingMade())
    ruling = table.last
    table.carry_out(ruling=ruling).won("one", 3).ended("one", (3, 0))
    table.record(appeal.AppealFiled(seat=TWO, target=ruling))
    assert table.replay.open_questions == []


# A ruling that falls.


def ruled_on_length() -> tuple[Table, dispute.Question, str]:
    """Both are beyond the length when the error is found; the Director rules for the higher."""
    table = Table(7, rule_set="biba-2014").score_is(6, 6)
    table.game().won("one", 1).game().won("two", 2)
    error = match.MatchLengthErrorFound(wrong=9, correct=7, during_game=False)
    at = table.record(error).last
    question = dispute.Question(topic="match-length.outcome", at=at)
    return table, question, rule(table, question, "higher").last


def rule(table: Table, question: dispute.Question, reading: str) -> Table:
    return table.record(
        dispute.RulingMade(answers=(dispute.Answer(question=question, reading=reading),))
    )


def decided(table: Table, target: str, outcome: str, vote: str = "reverse") -> Table:
    """An appeal against the target, three ballots, and the announcement."""
    table.record(appeal.AppealFiled(seat=ONE, target=target)).record(convened(3))
    for member in ("m1", "m2", "m3"):
        table.record(appeal.VoteCast(member=member, vote=appeal.Vote(vote)))
    return table.record(appeal.AppealDecided(outcome=appeal.AppealOutcome(outcome)))


def test_a_ruling_that_is_reversed_leaves_its_question_open_again() -> None:
    """What followed from it stands until a new ruling is made, and that is said."""
    table, question, ruling = ruled_on_length()
    assert table.replay.open_questions == []
    decided(table, ruling, "reversed")
    [finding] = table.findings
    assert finding.code == "ruling-reversed"
    assert finding.message == (
        "the ruling at entry 8 is reversed: what it answered is open again, "
        "and what followed from it stands until another ruling is made"
    )
    assert [asked.entry_id for asked in table.replay.open_questions] == [question.at]
    assert table.state.judged.outcome.winner is TWO
    rule(table, question, "first_to_reach")
    assert table.replay.open_questions == []
    assert table.state.judged.outcome.winner is ONE


def test_a_ruling_that_is_upheld_still_answers() -> None:
    table, _, ruling = ruled_on_length()
    assert decided(table, ruling, "upheld", "uphold").found == []
    assert table.replay.open_questions == []


def test_a_later_ruling_outlives_the_appeal_against_an_earlier_one() -> None:
    table, question, ruling = ruled_on_length()
    rule(table, question, "first_to_reach")
    decided(table, ruling, "reversed")
    assert table.replay.open_questions == []
    assert table.state.judged.outcome.winner is ONE


def test_a_penalty_that_is_reversed_counts_until_it_is_waived() -> None:
    table = Table(7, rule_set="fcbg-tournament")
    assessed = table.record(penalty.PenaltyAssessed(seat=ONE, points=1)).last
    decided(table, assessed, "reversed")
    [finding] = table.findings
    assert finding.message == (
        "the penalty at entry 2 is reversed: its 1 point counts until the penalty is waived"
    )


DISTURBED = {
    "usbgf-2017-07": ("[1.2]", "disadvantage"),
    "biba-2014": ("6.1", "presumption"),
    "fcbg-tournament": ("CONT/T(a)", "presumption"),
}
"""What follows, under a text in hand, if one player touches what is in dispute."""


def touched(rule_set: str, by: Actor, what: str) -> list[Finding]:
    table = Table(7, rule_set=rule_set).game().turns(2)
    table.record(dispute.DisputeRaised(by=Actor.TWO))
    table.record(dispute.TableDisturbed(what=what, by=by))
    return [one for one in table.findings if one.code == "table-disturbed"]


@pytest.mark.rows("Q-02")
@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize(("by", "what"), [(Actor.BOTH, "dice"), (Actor.ONE, "clock")])
def test_of_both_at_fault_and_of_a_stopped_clock_no_text_speaks(
    rule_set: str, by: Actor, what: str
) -> None:
    """Both touched the dice, or one the clock, which usbgf-2017-07 [5] has players pause."""
    (asked,) = touched(rule_set, by, what)
    assert asked.ruling_required is not None
    assert asked.seat is by.seat
    if rule_set in DISTURBED:
        section, consequence = DISTURBED[rule_set]
        readings = ("against_both", "against_neither")
        assert asked.section == section
        assert asked.ruling_required.readings == (
            readings if by is Actor.BOTH else (consequence, "no_consequence")
        )


@pytest.mark.rows("Q-02")
@pytest.mark.parametrize("rule_set", DISTURBED)
@pytest.mark.parametrize("what", ["dice", "checkers", "cube", "score"])
def test_what_one_player_alone_touched_counts_against_him(rule_set: str, what: str) -> None:
    section, consequence = DISTURBED[rule_set]
    (finding,) = touched(rule_set, Actor.ONE, what)
    assert finding.ruling_required is None
    assert (finding.section, finding.seat) == (section, ONE)
    assert finding.answer is not None
    assert finding.answer.outcome == consequence
    assert touched(rule_set, Actor.DIRECTOR, what) == []
