"""Endings, results and scores under every rule set: how shared cases are told, and our own."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
from golden import Case

from events.envelope import Basis
from events.payloads import clock, dice, dispute, ending, match, penalty, play
from events.payloads.base import Actor, WinKind
from events.values import OFF, BySeat, Seat
from projections.board.legal import legal_positions
from projections.board.position import Position
from projections.facts.flow_state import Await
from projections.folding.findings import Severity
from projections.replay import Replay
from projections.rules.answers import Answer
from projections.rules.shelf import SHELF
from projections.rules.subjects.bounds import (
    Race,
    fewest_to_finish,
    is_backgammon_certain,
    is_backgammon_ruled_out,
    is_gammon_certain,
    is_gammon_ruled_out,
    most_to_finish,
    surely_bears_off_one,
)
from tests.bunches import in_bunches
from tests.projections.table import Table, seat_of

POSTED_MS = 7_200_000
START = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)


class Told:
    """A case turned into events; every key of it has to be taken."""

    def __init__(self, given: dict[str, Any], rule_set: str | None) -> None:
        self.given = dict(given)
        self.take = lambda key, default=None: self.given.pop(key, default)
        self.length = self.take("match_length_points", 25)
        self.table = Table(self.length, rule_set=rule_set)
        if "match_winner" in given or "posted_result" in given:
            self._result()
        elif "sheet_of_one" in given:
            self._sheets()
        else:
            self._game()
        assert not self.given, f"keys without a meaning: {self.given}"

    # A game that ends.

    def _game(self) -> None:
        table, take = self.table, self.take
        score = take("score")
        if score:
            table.score_is(score["one"], score["two"])
        wish = take("wish")
        if wish:
            self._wish(wish)
            return
        table.game()
        start = take("checkers_at_start")
        if start:
            self._stated(BySeat(*(with_men(start[seat]) for seat in ("one", "two"))), None)
            table.opening(3, 1)
        value, owner = take("cube_value", 1), take("cube_owner")
        winner, doubler = take("winner"), take("doubler")
        if value > 1:
            table.cube_is(value, "two" if owner is None else seat_of(owner))
        else:
            assert owner in (None, "none")
        if doubler:
            self._double(doubler, value)
        elif winner:
            self._won(winner)
        elif "resigned_by" in self.given:
            self._resigned()
        else:
            self._claimed()

    def _stated(self, checkers: BySeat[tuple[int, ...]], on_roll: str | None) -> None:
        stated = play.PositionStated(checkers=checkers, on_roll=seat_of(on_roll))
        self.table.record(stated, basis=Basis.AGREED)

    def _scene(self, on_roll: str) -> None:
        checkers = self.take("checkers")
        self._stated(BySeat(tuple(checkers["one"]), tuple(checkers["two"])), on_roll)

    def _won(self, winner: str) -> None:
        kind = self.take("kind")
        checkers = self.take("checkers")
        if checkers is None:
            self.table.win(kind, winner)
            return
        counts = BySeat(list(checkers["one"]), list(checkers["two"]))
        last = counts[Seat(winner)]
        last[0] -= 1
        last[2] += 1
        self._stated(counts.map(tuple), winner)  # type: ignore[arg-type]
        self.table.turn(winner, 65, "2/off")

    def _double(self, doubler: str, value: int) -> None:
        table = self.table
        assert self.take("offered_value") == 2 * value
        assert self.take("answer") == "drop"
        if "checkers" in self.given:
            self._scene(doubler)
        else:
            table.turns(2, winner=doubler)
        table.double(doubler).drop(Seat(doubler).other.value)

    def _resigned(self) -> None:
        table, take = self.table, self.take
        seat, on_roll = take("resigned_by"), take("on_roll")
        self._scene(on_roll)
        self._contact()
        if take("own_turn_completed"):
            assert on_roll != seat
        else:
            assert on_roll == seat
            table.roll(seat, 65)
        table.resign(seat, take("level"))
        answers = {"accepted": table.accept, "refused": table.refuse}
        answers[take("answer")](Seat(seat).other.value)

    def _contact(self) -> None:
        expected = self.take("contact")
        board = self.table.state.positions.board
        assert board is not None
        assert expected is None or board.has_contact() == expected

    def _claimed(self) -> None:
        take = self.take
        seat, on_roll = take("claimed_by"), take("on_roll", "two")
        self._scene(on_roll)
        self._contact()
        level = take("level")
        claim = ending.ClaimMade(
            kind=ending.ClaimKind.GAME,
            seat=Seat(seat),
            level=None if level is None else WinKind(level),
        )
        agreed = take("agreed_by_opponent", False)
        self.table.record(claim, basis=Basis.AGREED if agreed else claimed_by(seat))

    def _wish(self, wish: str) -> None:
        table = self.table
        seats = tuple(Seat(seat) for seat in self.take("wished_by"))
        if self.take("game_in_progress"):
            table.game().turns(1)
        claim = ending.ClaimMade(kind=ending.ClaimKind(wish), seats=seats)
        both = len(seats) == 2
        table.record(claim, basis=Basis.AGREED if both else claimed_by(seats[0].value))

    # A match that is over, and its result.

    def _result(self) -> None:
        table, take = self.table, self.take
        winner = take("match_winner", "one")
        score = {"one": (24, 20), "two": (20, 24)}[winner]
        table.score_is(*score).game().win("single", winner)
        table.record(match.MatchEnded(), basis=Basis.AGREED)
        for seat in take("reported_by", ()):
            table.record(match.ResultReported(seat=Seat(seat)))
        posted = take("posted_result")
        if posted is None:
            return
        assert posted == "wrong"
        wrong = BySeat(25, 21) if winner == "one" else BySeat(21, 25)
        table.record(match.ResultPosted(score=wrong, at_ms=POSTED_MS))
        posting = table.last
        begun = tuple(Seat(seat) for seat in take("next_match_begun_by"))
        following = take("next_match")
        if begun or following:
            after = None if following is None else match.NextMatch(following)
            table.record(match.MatchNextStarted(seats=begun, next=after))
        noticed_ms = POSTED_MS + take("noticed_after_s", 0) * 1_000
        table.record(dispute.DirectorCalled(about=posting, at_ms=noticed_ms))

    # Score sheets that do not agree.

    def _sheets(self) -> None:
        table, take = self.table, self.take
        table.game().record(play.PlayUnseen(spans=play.UnseenSpan.GAMES))
        for name in ("one", "two"):
            sheet = take(f"sheet_of_{name}")
            if sheet == "none":
                table.record(match.ScoreNoted(keeper=Seat(name), sheet=match.Sheet.NONE))
                continue
            table.record(
                match.ScoreNoted(
                    keeper=Seat(name),
                    score=BySeat(**sheet["score"]),
                    kept_as_prescribed=sheet["kept_as_prescribed"],
                )
            )
        for name in ("one", "two"):
            claimed = take(f"claim_of_{name}")
            if claimed:
                noted = match.ScoreNoted(
                    keeper=Seat(name), score=BySeat(**claimed), sheet=match.Sheet.MEMORY
                )
                table.record(noted, basis=claimed_by(name))
        keeper, display = take("display_kept_by"), take("display")
        if display:
            noted = match.ScoreNoted(
                keeper=seat_of(keeper), score=BySeat(**display), sheet=match.Sheet.DISPLAY
            )
            table.record(noted)
        evidence = take("undisputed_evidence", "none")
        if evidence != "none":
            table.record(dispute.EvidenceAttached(file="0" * 64, kind="video"))
            noted = match.ScoreNoted(score=BySeat(**evidence), sheet=match.Sheet.RECORDING)
            table.record(noted, basis=Basis.AGREED)


def with_men(count: int) -> tuple[int, ...]:
    """The starting position with that many checkers, the difference on the own 6 point."""
    counts = list(START)
    counts[6] += count - 15
    return tuple(counts)


def claimed_by(seat: str) -> Basis:
    return Basis.CLAIMED_BY_ONE if seat == "one" else Basis.CLAIMED_BY_TWO


def asked_of(case: Case) -> str:
    """Which answer a case is about: its given facts and its vocabulary say so."""
    given = case.case["given"]
    if any(key in given for key in ("sheet_of_one", "reported_by", "posted_result")):
        return "result"
    return "match" if case.expect["outcome"] in ("match_won", "match_continues") else "ending"


def answer_of(shown: Replay, asked: str) -> Answer | None:
    """That answer, read off the replay."""
    judged = shown.state.judged
    if asked == "result":
        return judged.results.answer
    return judged.endings.match if asked == "match" else judged.endings.answer


# Our own: the most important endings, in short, for every rule set.

RULE_SETS = (
    "usbgf-2017-07",
    "usbgf-2017-09",
    "biba-2014",
    "fcbg-tournament",
    "fcbg-club",
    "common",
)

NEAR = {
    "lost": ("off:3 4:4 5:4 6:4", "off:12 1:3"),
    "gammon": ("4:4 5:4 6:5 9:2", "off:13 1:2"),
    "backgammon": ("4:4 5:4 6:6 23:1", "off:13 1:2"),
    "contact": ("6:5 8:3 13:5 24:2", "6:5 8:3 13:5 24:2"),
}
"""Boards on which one is about to lose, two to roll."""


def resigned(
    rule_set: str | None, board: str, level: str | None, *, accepted: bool = True
) -> Table:
    """One resigns on such a board, and two answers."""
    table = Table(7, rule_set=rule_set).game()
    table.stated(*NEAR[board], on_roll=Seat.TWO).resign("one", level)
    return table.accept("two") if accepted else table.refuse("two")


def outcome(table: Table) -> str:
    answer = table.state.judged.endings.answer
    assert answer is not None
    return answer.ambiguity or answer.reason or answer.outcome


@pytest.mark.parametrize(
    ("board", "level", "usbgf", "biba", "fcbg"),
    [
        ("lost", "single", "game_won", "game_won", "game_won"),
        ("lost", "gammon", "game_won", "discretion", "game_won"),
        ("gammon", "gammon", "game_won", "game_won", "game_won"),
        ("gammon", "single", "game_won", "discretion", "game_won"),
        ("backgammon", "backgammon", "game_won", "game_won", "game_won"),
        ("backgammon", "gammon", "game_won", "discretion", "game_won"),
        ("contact", "single", "not_allowed", "AMB-E2", "not_allowed"),
    ],
)
def test_a_resignation_is_accepted(
    board: str, level: str, usbgf: str, biba: str, fcbg: str
) -> None:
    """Any level without contact; only what is certain; any level without contact."""
    expected = (usbgf, "not_in_hand", biba, fcbg, "AMB-F3", "silent")
    for rule_set, said in zip(RULE_SETS, expected, strict=True):
        assert outcome(resigned(rule_set, board, level)) == said, rule_set


def test_an_accepted_resignation_counts_unless_the_text_does_not_allow_it() -> None:
    """While it is a question the record goes by what the table did; what is disallowed is void."""
    for rule_set in RULE_SETS:
        table = resigned(rule_set, "gammon", "single")
        assert table.score == ((0, 0) if rule_set == "biba-2014" else (0, 1)), rule_set
    biba = resigned("biba-2014", "gammon", "single")
    assert biba.found == ["ending-not-allowed", "ending-open"]
    [question] = biba.replay.open_questions
    assert question.ruling_required is not None
    assert question.ruling_required.topic == "ending.sanction"


@pytest.mark.parametrize(
    ("rule_set", "board"), [("fcbg-tournament", "contact"), ("biba-2014", "gammon")]
)
def test_a_resignation_that_is_not_allowed_leaves_the_game_where_it_was(
    rule_set: str, board: str
) -> None:
    before = Table(7, rule_set=rule_set).game().stated(*NEAR[board], on_roll=Seat.TWO).state
    table = resigned(rule_set, board, "single")
    state = table.state
    assert "ending-not-allowed" in table.found
    assert (state.flow, state.cube, table.score) == (before.flow, before.cube, (0, 0))
    assert state.judged.endings.match is None
    assert state.judged.outcome.is_open


def test_a_double_still_waits_after_a_resignation_that_is_not_allowed() -> None:
    table = Table(7, rule_set="fcbg-tournament").game().turns(2).double("one")
    table.resign("two").accept("one")
    assert (table.state.flow.answering, table.state.cube.offered_by) == (Seat.TWO, Seat.ONE)
    assert table.drop("two").score == (1, 0)


def test_a_table_that_takes_a_disallowed_resignation_for_an_end_says_what_was_won() -> None:
    """Its claim ends the game; without one, each game that starts is found once."""
    claimed = resigned("fcbg-tournament", "contact", "single").won("two", 1)
    assert (claimed.score, claimed.found) == ((0, 1), ["ended-by-claim"])
    assert claimed.game().found == []
    silent = resigned("fcbg-tournament", "contact", "single").game()
    assert silent.found == ["game-in-progress"]
    assert silent.turns(4).codes.count("game-in-progress") == 1


def test_a_refused_resignation_lets_the_game_go_on() -> None:
    """In one text the Director adjudicates; in another a resignation with contact is none."""
    expected = ("play_on", "not_in_hand", "discretion", "silent", "AMB-F3", "silent")
    for rule_set, said in zip(RULE_SETS, expected, strict=True):
        table = resigned(rule_set, "gammon", "single", accepted=False)
        assert (outcome(table), table.state.flow.to_act) == (said, Seat.TWO)
    assert outcome(resigned("fcbg-tournament", "contact", "single", accepted=False)) == (
        "not_allowed"
    )


def test_a_resignation_on_which_a_text_has_no_word_raises_no_question() -> None:
    """Nobody at the table asks: records under no rule set stay without findings."""
    assert resigned(None, "contact", "single").codes == []
    assert resigned("common", "gammon", "single").codes == []


def test_without_a_level_or_a_board_nothing_is_asked() -> None:
    """The claim that follows has to say what was won; nobody can judge what nobody saw."""
    table = Table(7, rule_set="biba-2014").game().turns(2).resign("one", None).accept("two")
    assert table.state.judged.endings.answer is None
    table = Table(7, rule_set="biba-2014").game().turns(2)
    table.record(play.PlayUnseen()).resign("one", "single").accept("two")
    assert table.state.judged.endings.answer is None


def claimed(
    rule_set: str = "usbgf-2017-07",
    board: tuple[str, str] = ("4:4 5:5 6:5 10:1", "off:12 1:3"),
    level: WinKind | None = WinKind.GAMMON,
    basis: Basis = Basis.CLAIMED_BY_TWO,
) -> Table:
    """Two claims the game."""
    table = Table(7, rule_set=rule_set).game().stated(*board, on_roll=Seat.TWO)
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=Seat.TWO, level=level)
    return table.record(claim, basis=basis)


def answered(table: Table, by: str, *, holds: bool = True) -> Table:
    return table.record(ending.ClaimRuled(target=table.last, holds=holds, by=Actor(by)))


@pytest.mark.parametrize("by", ["one", "both", "director"])
def test_a_claim_that_holds_ends_the_game_at_its_level(by: str) -> None:
    """The opponent gives the game away; the Director has ruled; nothing is open any more."""
    table = answered(claimed(), by)
    [result] = table.state.score.games
    assert (result.winner, result.points, result.kind) == (Seat.TWO, 2, WinKind.GAMMON)
    assert result.ended_by == ("ruling" if by == "director" else "claim")
    assert not table.state.flow.in_game
    assert table.replay.open_questions == []
    assert outcome(table) == ("AMB-E4" if by == "director" else "game_won")


def test_a_claim_without_a_level_that_holds_is_a_single_game() -> None:
    assert answered(claimed(level=None), "director").score == (0, 1)


def test_a_claim_that_the_director_refuses_is_answered_and_the_game_goes_on() -> None:
    table = answered(claimed(), "director", holds=False)
    assert (table.score, table.state.flow.in_game) == ((0, 0), True)
    assert table.replay.open_questions == []
    answer = table.state.judged.endings.answer
    assert answer is not None
    assert answer.outcome == "certain"


@pytest.mark.parametrize(("by", "holds"), [("one", False), ("two", True), ("spectator", True)])
def test_who_has_no_say_in_a_claim_answers_no_question(by: str, holds: bool) -> None:
    """An opponent who refuses leaves it to the Director; nobody grants a claim of his own."""
    table = answered(claimed(), by, holds=holds)
    assert (table.score, len(table.replay.open_questions)) == ((0, 0), 1)


def test_a_claim_that_both_agree_on_ends_the_game_where_the_text_lets_it() -> None:
    agreed = claimed(basis=Basis.AGREED)
    assert (agreed.score, agreed.codes) == ((0, 2), [])
    contact = claimed("fcbg-tournament", NEAR["contact"], WinKind.SINGLE, Basis.AGREED)
    assert (contact.score, contact.found) == ((0, 0), ["ending-not-allowed"])
    assert contact.state.flow.in_game


def test_the_director_lets_a_claim_hold_on_the_last_checkers() -> None:
    """Fifteen are off and one is left: the level is what the loser has left."""
    board = ("6:15", "off:15 1:1")
    table = answered(claimed("biba-2014", board, level=None), "director")
    assert (table.score, table.replay.open_questions) == ((0, 2), [])


def test_a_claim_answered_after_play_went_on_moves_nothing() -> None:
    table = claimed()
    claim = table.last
    table.turn("two", 21, "1/off 1/off")
    table.record(ending.ClaimRuled(target=claim, holds=True))
    assert (table.score, table.replay.open_questions) == ((0, 0), [])


def test_a_double_needs_no_answer_once_a_claim_has_ended_the_game() -> None:
    table = Table(7, rule_set="common").game().turns(2).double("one")
    claim = ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=Seat.ONE)
    answered(table.record(claim), "two")
    assert (table.score, table.state.cube.offered_by) == ((1, 0), None)


def test_a_match_ends_with_a_claim_that_holds() -> None:
    table = Table(2, rule_set="usbgf-2017-07").game()
    table.stated("4:4 5:5 6:5 10:1", "off:12 1:3", on_roll=Seat.TWO)
    claim = ending.ClaimMade(
        kind=ending.ClaimKind.GAME_AND_MATCH, seat=Seat.TWO, level=WinKind.GAMMON
    )
    answered(table.record(claim), "director")
    assert table.state.judged.outcome.winner is Seat.TWO


def test_a_claim_after_a_flag_is_about_the_clock() -> None:
    """What a run-out reserve costs is not this fold's to say."""
    table = Table(7, rule_set="usbgf-2017-07").game().turns(2).clock()
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO))
    table.record(ending.ClaimMade(kind=ending.ClaimKind.GAME, seat=Seat.ONE))
    assert table.state.judged.endings.answer is None


@pytest.mark.parametrize("kind", ["concede_match", "cancel_and_replay_game", "settle_game"])
def test_games_and_matches_are_played_out(kind: str) -> None:
    """Three texts say so; the others are not in hand, do not bind, or are silent."""
    expected = ("not_allowed", "not_in_hand", "not_allowed", "not_allowed", "AMB-F3", "silent")
    for rule_set, said in zip(RULE_SETS, expected, strict=True):
        table = Table(7, rule_set=rule_set).game().turns(2)
        wish = ending.ClaimMade(kind=ending.ClaimKind(kind), seats=(Seat.ONE, Seat.TWO))
        table.record(wish, basis=Basis.AGREED)
        assert outcome(table) == said
        [finding] = table.findings
        assert finding.code == ("ending-not-allowed" if said == "not_allowed" else "ending-open")


@pytest.mark.parametrize(("level", "points"), [("single", 1), ("gammon", 2), ("backgammon", 3)])
@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_a_game_counts_its_level(rule_set: str, level: str, points: int) -> None:
    """In every text alike, and without a word about it."""
    table = Table(7, rule_set=rule_set).game().win(level)
    answer = table.state.judged.endings.answer
    assert answer is not None
    assert (answer.outcome, answer.details["kind"], answer.details["points"]) == (
        "game_won",
        level,
        points,
    )
    assert table.found == []
    goes_on = table.state.judged.endings.match
    assert goes_on is not None
    assert goes_on.outcome == "match_continues"


def test_money_has_no_match_to_end() -> None:
    """A session without a length is never over."""
    assert Table(None).game().win().state.judged.endings.match is None


# Plain bounds on a race, against every roll and every legal play.

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


@functools.cache
def slowest(own: tuple[int, ...], limit: int) -> int:
    """Turns to bear off all with the worst rolls and the best plays; `limit` where it is more."""
    if sum(own) == own[OFF]:
        return 0
    if limit == 0:
        return 0
    ends = (legal_positions(Position(own, (15, *[0] * 25)), roll) for roll in ROLLS)
    return 1 + max(min(slowest(end.own, limit - 1) for end in after) for after in ends)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_the_slowest_finish_hold(seed: int) -> None:
    """Three men in the home board: the true number is between the two."""
    chance = random.Random(seed)
    points = [chance.randint(1, 4) for _ in range(chance.randint(1, 3))]
    counts = [0] * 26
    for point in points:
        counts[point] += 1
    counts[OFF] = 15 - len(points)
    own = tuple(counts)
    lower, upper = most_to_finish(own)
    assert fewest_to_finish(own) <= lower <= slowest(own, 6) <= upper


@pytest.mark.parametrize("seed", range(10))
def test_one_is_surely_borne_off_only_if_every_roll_does_it(seed: int) -> None:
    """Looked up one turn ahead against the legal plays themselves."""
    chance = random.Random(seed)
    counts = [0] * 26
    for _ in range(15):
        counts[chance.randint(1, 6)] += 1
    if seed % 2:
        counts[6 + chance.randint(1, 2)] += 1
        counts[max(point for point in range(1, 7) if counts[point])] -= 1
    own = tuple(counts)
    board = Position(own, (15, *[0] * 25))
    sure = all(any(end.own[OFF] for end in legal_positions(board, roll)) for roll in ROLLS)
    assert surely_bears_off_one(own, 1) is sure


def test_whoever_surely_bears_one_off_soon_does_so_however_many_turns_are_left() -> None:
    """And of whoever does not, nobody says that he never does: more turns are too far to look."""
    home, straggler = [0, 2, 3, 3, 3, 2, 2, *[0] * 19], [0, 14, *[0] * 12, 1, *[0] * 11]
    assert [surely_bears_off_one(tuple(home), turns) for turns in (1, 2, 3, 9)] == [True] * 4
    assert surely_bears_off_one(tuple(straggler), 2) is False
    assert surely_bears_off_one(tuple(straggler), 3) is None


def test_certain_and_ruled_out_exclude_each_other() -> None:
    """Certain outcomes are not ruled out, on boards of every kind."""
    chance = random.Random(7)
    for _ in range(200):
        ends = [0] * 26, [0] * 26
        for counts, far in zip(ends, (chance.choice((6, 9, 18, 24)), 6), strict=True):
            for _ in range(chance.choice((2, 5, 15))):
                counts[chance.randint(1, far)] += 1
            counts[OFF] = chance.choice((0, 15 - sum(counts)))
        both = Race(
            winner=tuple(ends[1]),
            loser=tuple(ends[0]),
            has_contact=chance.random() < 0.2,
            is_winner_next=chance.random() < 0.5,
        )
        assert not (is_gammon_certain(both) and is_gammon_ruled_out(both))
        assert not (is_backgammon_certain(both) and is_backgammon_ruled_out(both))
        assert not (is_backgammon_certain(both) and is_gammon_certain(both) is False)


# Results and sheets.


def reported(rule_set: str, *seats: str) -> Answer:
    table = Table(1, rule_set=rule_set).game().win().ended()
    for seat in seats:
        table.record(match.ResultReported(seat=Seat(seat)))
    answer = table.state.judged.results.answer
    assert answer is not None
    return answer


def test_who_reports() -> None:
    """Both, or the winner alone."""
    for rule_set in ("usbgf-2017-07", "biba-2014"):
        assert reported(rule_set, "one").details["by"] == (Seat.TWO,)
        assert reported(rule_set, "two", "one").outcome == "duty_met"
    assert reported("fcbg-tournament", "one").outcome == "duty_met"
    assert reported("fcbg-tournament", "two").details["by"] == (Seat.ONE,)


def test_a_report_of_another_result_meets_no_duty() -> None:
    """Two reports of 3-0 in what was thought a match to 3 say nothing about the end at 5-0."""
    table = Table(5, rule_set="fcbg-tournament").score_is(3, 0).ended("one", (3, 0))
    table.record(match.ResultReported(seat=Seat.ONE, winner=Seat.ONE, score=BySeat(3, 0)))
    posted = table.record(match.ResultPosted(winner=Seat.ONE, score=BySeat(3, 0))).last
    assert table.found == []
    table.game().win("gammon").ended("one", (5, 0))
    assert table.found == ["result-posted-wrong"]
    posting = table.state.judged.results.posting
    assert posting is not None
    assert (posting.entry_id, posting.is_wrong) == (posted, True)
    table.record(match.ResultCorrected(old=BySeat(3, 0), new=BySeat(5, 0)))
    answer = table.state.judged.results.answer
    assert answer is not None
    assert (answer.outcome, answer.section, table.found) == (
        "may_correct",
        "REPORTING RESULTS/T",
        [],
    )
    table.record(match.ResultReported(seat=Seat.ONE, winner=Seat.ONE, score=BySeat(5, 0)))
    answer = table.state.judged.results.answer
    assert answer is not None
    assert answer.outcome == "duty_met"


def test_a_wrong_posting_is_told_with_the_penalty_points_that_are_in_the_score() -> None:
    table = Table(7, rule_set="usbgf-2017-07")
    table.record(penalty.PenaltyAssessed(seat=Seat.TWO, points=1, enters_score=True))
    for _ in range(3):
        table.game().won("one", 2)
    table.record(match.ResultPosted(winner=Seat.ONE, score=BySeat(7, 1)))
    (finding,) = table.findings
    assert finding.message == (
        "the result on the draw sheet is wrong: games and penalty points make it 7-0, "
        "and it may be corrected"
    )


def test_a_correction_that_is_wrong_itself_is_found() -> None:
    table = Table(1, rule_set="usbgf-2017-07").game().win().ended()
    table.record(match.ResultCorrected(old=BySeat(0, 0), new=BySeat(0, 1)))
    assert table.found == ["result-posted-wrong"]


@pytest.mark.parametrize(
    ("rule_set", "is_begun", "says"),
    [
        ("usbgf-2017-07", True, "wrong, and it may be corrected"),
        ("biba-2014", False, "wrong, and it may be corrected"),
        ("biba-2014", True, "wrong; another match has begun since, and it stands as posted"),
        ("fcbg-tournament", True, "wrong; another match has begun since, and it stands as posted"),
        ("common", True, "; whether it is corrected is for the Director to decide"),
    ],
)
def test_what_becomes_of_a_wrong_posting_is_said_when_it_is_noticed(
    rule_set: str, says: str, *, is_begun: bool
) -> None:
    table = Table(1, rule_set=rule_set).game().win().ended()
    posted = table.record(match.ResultPosted(winner=Seat.TWO, score=BySeat(0, 1))).last
    first = table.findings[-1].message
    if is_begun:
        following = match.NextMatch.NEXT_ROUND
        table.record(match.MatchNextStarted(seats=(Seat.ONE,), next=following))
    table.record(dispute.DirectorCalled(about=posted))
    # A question that is already open is not asked again.
    told = [first, *(one.message for one in table.findings)]
    assert told[-1].endswith(says)


def test_a_duty_is_a_question_once_a_dispute_names_it() -> None:
    table = Table(1).game().win().ended()
    answer = table.state.judged.results.answer
    assert answer is not None
    assert answer.is_open
    assert table.replay.open_questions == []
    raised = dispute.DisputeRaised(by=Actor.TWO, topic="result.duties")
    at = table.record(raised).record(raised).events[-2].entry_id
    assert table.codes == ["result-duty-open"]
    question = dispute.Question(topic="result.duties", at=at)
    said = dispute.Answer(question=question, reading="both")
    table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)
    answer = table.state.judged.results.answer
    assert answer is not None
    assert (answer.outcome, table.replay.open_questions) == ("both", [])


@pytest.mark.parametrize(
    ("rule_set", "section", "one_alone", "nobody"),
    [
        ("usbgf-2017-07", "[4.6]", "player two has", "player one and player two have"),
        ("biba-2014", "5.6", "player two has", "player one and player two have"),
        ("fcbg-tournament", "REPORTING RESULTS/T", None, "player one has"),
    ],
)
def test_a_duty_that_the_text_settles_is_told_once_a_dispute_names_it(
    rule_set: str, section: str, one_alone: str | None, nobody: str
) -> None:
    """Both report, or the winner; no more is said about who has to report."""
    raised = dispute.DisputeRaised(by=Actor.TWO, topic="result.duties")
    for reported, who in (((), nobody), (("one",), one_alone), (("one", "two"), None)):
        table = Table(1, rule_set=rule_set).game().win().ended()
        for seat in reported:
            reports(table, seat, winner=Seat.ONE)
        found = [(one.code, one.message) for one in table.record(raised).findings]
        told = f"{who} still to report the result"
        assert found == ([] if who is None else [("result-not-reported", told)])
        assert {one.section for one in table.findings} <= {section}


@in_bunches("rule_set", SHELF)
def test_records_that_were_a_question_are_no_other_one_once_they_are_disputed(
    rule_set: str,
) -> None:
    table = sheets(rule_set, "3-2", "3-3")
    asked = len(table.replay.open_questions)
    table.record(dispute.DisputeRaised(by=Actor.TWO, topic="score"))
    assert len(table.replay.open_questions) == asked


def test_a_ruling_on_a_posting_is_asked_for_once() -> None:
    table = Table(1).game().win().ended()
    posted = table.record(match.ResultPosted(score=BySeat(0, 1), at_ms=POSTED_MS)).last
    table.record(dispute.DirectorCalled(about=posted, at_ms=POSTED_MS))
    (asked,) = table.replay.open_questions
    question = dispute.Question(topic="result.correction", at=asked.entry_id)
    said = dispute.Answer(question=question, reading="stands")
    table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)
    table.record(dispute.DirectorCalled(about=posted, at_ms=POSTED_MS))
    answer = table.state.judged.results.answer
    assert answer is not None
    assert (answer.outcome, table.replay.open_questions) == ("stands", [])


@pytest.mark.parametrize(
    ("begun", "usbgf", "biba", "fcbg"),
    [
        (None, "may_correct", "may_correct", "may_correct"),
        (((), "next_round"), "may_correct", "may_correct", "may_correct"),
        ((("one",), "next_round"), "may_correct", "stands", "stands"),
        ((("two",), "other_event"), "may_correct", "ruling_required", "stands"),
    ],
)
def test_until_when_a_wrong_posting_is_corrected(
    begun: Any, usbgf: str, biba: str, fcbg: str
) -> None:
    """Always; until a player begins the next round; until a player begins any other match."""
    expected = dict(
        zip(("usbgf-2017-07", "biba-2014", "fcbg-tournament"), (usbgf, biba, fcbg), strict=True)
    )
    for rule_set, said in expected.items():
        table = Table(1, rule_set=rule_set).game().win().ended()
        table.record(match.ResultPosted(score=BySeat(0, 1), at_ms=POSTED_MS))
        posting = table.last
        assert "result-posted-wrong" in table.found
        if begun is not None:
            seats, following = tuple(map(Seat, begun[0])), match.NextMatch(begun[1])
            table.record(match.MatchNextStarted(seats=seats, next=following))
        table.record(dispute.DirectorCalled(about=posting, at_ms=POSTED_MS))
        answer = table.state.judged.results.answer
        assert answer is not None
        assert answer.outcome == said, rule_set
        table.record(match.ResultCorrected(old=BySeat(0, 1), new=BySeat(1, 0)))
        assert table.found == (["result-corrected-late"] if said == "stands" else [])


def test_a_right_posting_raises_no_question() -> None:
    """Capped at the length it is right as well; only a duty that was missed is found."""
    table = Table(1, rule_set="biba-2014").game().win("gammon").ended()
    table.record(match.ResultPosted(score=BySeat(1, 0)))
    assert table.found == []
    table = Table(1, rule_set="biba-2014").game().win().ended()
    table.record(match.ResultReported(seat=Seat.ONE))
    table.record(match.ResultPosted(score=BySeat(1, 0)))
    assert table.found == ["result-not-reported"]


def sheets(rule_set: str | None, one: str | None, two: str | None) -> Table:
    """Whole games nobody saw, and what each player's sheet says."""
    table = Table(7, rule_set=rule_set).game()
    table.record(play.PlayUnseen(spans=play.UnseenSpan.GAMES))
    for seat, text in ((Seat.ONE, one), (Seat.TWO, two)):
        if text is None:
            table.record(match.ScoreNoted(keeper=seat, sheet=match.Sheet.NONE))
        else:
            table.noted(*map(int, text.split("-")), keeper=seat.value)
    return table


def test_whose_sheet_prevails() -> None:
    """The only written one, or a ruling that leans to it; of two that differ none does."""
    for rule_set, said in (
        ("usbgf-2017-07", "score_set"),
        ("biba-2014", "ruling_required"),
        ("fcbg-tournament", "ruling_required"),
    ):
        table = sheets(rule_set, "4-3", None)
        assert table.state.judged.results.answer is None
        memory = match.ScoreNoted(keeper=Seat.TWO, score=BySeat(4, 4), sheet=match.Sheet.MEMORY)
        table.record(memory, basis=Basis.CLAIMED_BY_TWO)
        answer = table.state.judged.results.answer
        assert answer is not None
        assert answer.outcome == said
        assert table.found == ["score-records-differ"]
        differ = sheets(rule_set, "4-3", "4-4").state.judged.results.answer
        assert differ is not None
        assert (differ.reason, differ.readings) == ("silent", ("4-3", "4-4"))


@pytest.mark.parametrize("rule_set", ["biba-2014", "fcbg-tournament"])
def test_a_display_that_differs_is_one_of_the_scores_to_choose_from(rule_set: str) -> None:
    """And who says the same from memory, before it or after it, asks nothing else."""
    display = match.ScoreNoted(score=BySeat(4, 4), sheet=match.Sheet.DISPLAY)
    memory = match.ScoreNoted(keeper=Seat.TWO, score=BySeat(4, 4), sheet=match.Sheet.MEMORY)
    for first, second in ((display, memory), (memory, display)):
        table = sheets(rule_set, "4-3", None).record(first)
        (finding,) = table.findings
        assert finding.ruling_required is not None
        assert finding.ruling_required.readings == ("4-3", "4-4")
        assert table.record(second).found == []
        record_ruled(table, finding.entry_id, "4-4")
        assert (table.score, table.replay.open_questions) == ((4, 4), [])


def test_the_record_that_prevails_is_told() -> None:
    table = sheets("usbgf-2017-07", "3-4", None)
    memory = match.ScoreNoted(keeper=Seat.TWO, score=BySeat(3, 5), sheet=match.Sheet.MEMORY)
    (finding,) = table.record(memory).findings
    assert (finding.severity, finding.section) == (Severity.NOTE, "[4.7]")
    assert "3-4 on the only written sheet prevails" in finding.message
    assert finding.ruling_required is None


def record_ruled(table: Table, at: str, reading: str) -> Table:
    question = dispute.Question(topic="score.record", at=at)
    said = dispute.Answer(question=question, reading=reading)
    return table.record(dispute.RulingMade(answers=(said,)), basis=Basis.RULED)


def test_the_record_that_is_ruled_to_prevail_is_the_score() -> None:
    for rule_set in ("usbgf-2017-07", "biba-2014", "fcbg-tournament"):
        table = sheets(rule_set, "3-4", "4-4")
        record_ruled(table, table.last, "3-4")
        assert (table.score, table.state.score.unseen_at) == ((3, 4), 0)
        assert table.noted(4, 4, "two").found == ["score-differs"]


def test_a_record_that_is_ruled_on_anew_is_the_score_also_once_the_next_game_is_played() -> None:
    """A ruling on appeal comes when the table has played on by the first one."""
    for rule_set in ("biba-2014", "fcbg-tournament"):
        table = sheets(rule_set, "3-4", "4-4")
        asked = table.last
        for reading, score in (("3-4", (3, 4)), ("4-4", (4, 4)), ("3-4", (3, 4))):
            record_ruled(table, asked, reading)
            assert table.score == score
            if not table.state.flow.in_game:
                table.game()
            table.record(dice.Voided(reason=dice.VoidReason.COCKED))
        table.won("two", 1)
        assert record_ruled(table, asked, "4-4").score == (3, 5)


def test_a_match_that_a_record_ends_awaits_no_game_until_another_one_prevails() -> None:
    table = sheets("biba-2014", "7-4", "6-4")
    asked = table.last
    for reading, awaits in (("7-4", Await.NOTHING), ("6-4", Await.GAME), ("7-4", Await.NOTHING)):
        assert record_ruled(table, asked, reading).state.flow.awaits is awaits


def test_a_ruling_on_a_record_sets_no_score_in_other_words_or_once_it_is_known() -> None:
    table = sheets("biba-2014", "3-4", "4-4")
    asked = table.last
    record_ruled(table, asked, "neither")
    assert (table.score, bool(table.state.score.unseen_at)) == ((0, 0), True)
    record_ruled(table.score_is(5, 4), asked, "3-4")
    assert table.score == (5, 4)


def test_sheets_that_agree_or_that_the_games_can_answer_raise_no_question() -> None:
    """A score that is noted beside the games is compared with them, by the fold of the score."""
    assert "score-records-differ" not in sheets(None, "4-3", "4-3").codes
    table = Table(7).game().win().noted(1, 0, "one").noted(2, 0, "two")
    assert table.codes == ["score-differs"]
    assert table.state.judged.results.answer is None


@pytest.mark.parametrize("rule_set", RULE_SETS)
@pytest.mark.parametrize("board", ["lost", "contact"])
def test_a_resignation_that_is_accepted_without_a_level_is_found(rule_set: str, board: str) -> None:
    """Nobody has said what was conceded; with contact some texts allow no level at all."""
    table = resigned(rule_set, board, None)
    is_barred = board == "contact" and rule_set in ("usbgf-2017-07", "fcbg-tournament")
    code = "ending-not-allowed" if is_barred else "resignation-without-level"
    assert (table.found, table.score) == ([code], (0, 0))
    assert table.state.flow.in_game
    assert table.won("two", 1).score == (0, 1)


# Reports that tell another result.

ONE_WON = {"winner": Seat.ONE, "score": BySeat(5, 3)}


def reports(table: Table, seat: str, **told: Any) -> Table:
    return table.record(match.ResultReported(seat=Seat(seat), **told))


@in_bunches("rule_set", SHELF)
def test_a_report_of_another_result_than_that_of_the_match_is_found(rule_set: str) -> None:
    table = Table(1, rule_set=rule_set).game().won("one", 1)
    assert reports(table, "one", winner=Seat.ONE, score=BySeat(1, 0)).found == []
    assert reports(table, "two", winner=Seat.TWO, score=BySeat(0, 1)).found == ["result-differs"]
    (finding,) = reports(table, "two", winner=Seat.TWO).findings
    cited = SHELF[rule_set].cite("result.duties")
    assert (finding.code, finding.rule_set, finding.section) == ("result-differs", *cited)
    assert table.state.judged.outcome.winner is Seat.ONE


@in_bunches("rule_set", SHELF)
@pytest.mark.parametrize("is_unseen", [True, False])
def test_two_reports_that_differ_are_a_question_where_no_games_tell_the_result(
    rule_set: str, is_unseen: bool
) -> None:
    table = Table(5, rule_set=rule_set)
    if is_unseen:
        table.record(play.PlayUnseen(spans=play.UnseenSpan.GAMES, count=8))
    assert reports(table, "one", **ONE_WON).found == []
    assert reports(table, "two", winner=Seat.ONE, score=BySeat(5, 4)).found == [
        "score-records-differ"
    ]
    asked = [one.ruling_required for one in table.replay.open_questions]
    assert "score.record" in [one.topic for one in asked if one is not None]


def test_reports_of_another_winner_alone_are_found_and_equal_ones_are_not() -> None:
    table = reports(Table(5, rule_set="usbgf-2017-07"), "one", **ONE_WON)
    assert reports(table, "two", winner=Seat.ONE).found == []
    assert reports(table, "two", winner=Seat.TWO).found == ["result-differs"]


def test_of_two_reports_that_differ_the_only_written_sheet_prevails() -> None:
    table = Table(5, rule_set="usbgf-2017-07")
    table.record(play.PlayUnseen(spans=play.UnseenSpan.GAMES, count=8))
    noted = match.ScoreNoted(keeper=Seat.ONE, sheet=match.Sheet.WRITTEN, score=BySeat(5, 3))
    reports(table.record(noted), "one", **ONE_WON)
    reports(table, "two", winner=Seat.TWO, score=BySeat(4, 5))
    assert table.found == ["score-records-differ"]
    assert table.replay.open_questions == []
