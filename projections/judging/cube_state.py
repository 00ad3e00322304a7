"""What is known of cube acts: doubles, beavers, binding words, and every answer to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from events.envelope import RecordedEvent
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Key, Severity, judged
from projections.folding.fold import NOTHING, Seen
from projections.folding.questions import put
from projections.folding.sayings import Said, said
from projections.folding.seen_judged import SeenDouble, SeenResult
from projections.rules.answers import Answer
from projections.rules.profile import CubeFault, Subject
from projections.rules.subjects.cube_doubles import BeaverFacts, DoubleFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.cube_signs import CUBE_BROKEN, BrokenFacts, ShownFacts
from projections.rules.subjects.cube_words import (
    ADOPTED,
    BOUND,
)

Result = tuple["CubeActs", tuple[Finding, ...]]


BEFORE = "pre_crawford"


CRAWFORD = "crawford"


AFTER = "post_crawford"


class Double(msgspec.Struct, frozen=True, gc=False):
    """One double, with what the rule set says to it."""

    entry_id: str
    """The `cube.double_offered`."""
    facts: DoubleFacts
    """Who doubled, and what was wrong."""
    verdict: Answer
    """The rule set's answer to it."""
    by: Subject[DoubleFacts]
    """The subject on which it says so."""
    game_number: int
    """In which game."""
    value: int
    """The cube's value before it."""
    score: BySeat[int]
    """The score before that game."""
    answered: str | None = None
    """take or drop; None = not yet."""
    answer_entry: str | None = None
    """The entry of that answer."""


class Promise(msgspec.Struct, frozen=True, gc=False):
    """A stated intent that binds."""

    seat: Seat
    """Whose."""
    intent: str
    """double, take or drop."""
    game_number: int
    """In which game it was stated."""
    bound: Answer
    """What it binds to, and by which text."""

    def is_as(self, other: Promise | None) -> bool:
        """Whether it is the same intent, whatever was ruled on it since."""
        return other is not None and (self.seat, self.intent, self.game_number) == (
            other.seat,
            other.intent,
            other.game_number,
        )


class Beaver(msgspec.Struct, frozen=True, gc=False):
    """A beaver that the text does not allow, and that was answered all the same."""

    entry_id: str
    """The `cube.beavered`."""
    answer_entry: str
    """The entry of that answer."""
    facts: BeaverFacts
    """Who beavered, and what was answered."""
    game_number: int
    """In which game."""


class CubeActs(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    time: Answer | None = None
    """Whether the last double came in time and from whom may double."""
    worth: Answer | None = None
    """Whether the last double could be of use to the doubler."""
    phase: Answer | None = None
    """Of the game in progress: before, in or after the Crawford game."""
    bound: Answer | None = None
    """What the last stated intent binds to."""
    promises: tuple[Promise, ...] = ()
    """The intents that bind and were not acted on yet: one of each seat at most."""
    last: Double | None = None
    """The last double."""
    irregular: tuple[Double, ...] = ()
    """Doubles in a Crawford game, and void ones."""
    words: tuple[str, ...] = ()
    """What was said in answer to the open double."""
    sign: tuple[Seat, int, int, str, bool] | None = None
    """Signs asked about last: seat, game, turn, intent, and whether they were words."""
    beaver: BeaverFacts | None = None
    """The beaver that waits for its answer."""
    cocked: tuple[Seat, int, int] | None = None
    """Who threw and may throw again, in which game and turn."""
    early: str | None = None
    """The entry of the last early roll."""
    match_point_game: int = 0
    """The first game with a player exactly one point away; -1 = before the record, 0 = none."""
    game_number: int = 0
    """The game in progress or the last one."""
    begun: tuple[Seat, ...] = ()
    """Who began another match."""
    is_round_begun: bool = False
    """Whether the next round has begun."""
    noticed_of: frozenset[str] = frozenset()
    """Doubles that should not have been, and that somebody has noticed since."""
    shown: ShownFacts | None = None
    """A cube that does not show what the acts make it."""
    beaver_entry: str = ""
    """The entry of the beaver that waits."""
    beavers: tuple[Beaver, ...] = ()
    """Beavers that are not allowed and were answered."""
    side: tuple[str, Answer] | None = None
    """Topic and answer of the last question that was asked beside what the text itself answers."""
    asked: Mapping[Key, Answer] = MappingProxyType({})
    """Every question asked so far with its answer, ruled or not."""

    @property
    def match_point_phase(self) -> Answer | None:
        """What is said to the game in progress, if it is the first with a player at match point."""
        return self.phase if self.match_point_game == self.game_number else None

    def promise_of(self, seat: Seat) -> Promise | None:
        """What binds `seat` and was not acted on yet."""
        return next((one for one in self.promises if one.seat is seat), None)

    def noticed(self, about: str | None) -> Double | None:
        """The double that should not have been, and that somebody notices now.

        A call that names nothing is not about a game before this one.
        """
        of_those = (
            double
            for double in reversed(self.irregular)
            if about in (double.entry_id, double.answer_entry)
            or (about is None and double.game_number == self.game_number)
        )
        return next(of_those, None)

    def beaver_raised(self, about: str | None) -> Beaver | None:
        """The beaver that should not have been, and that somebody raises now."""
        of_those = (one for one in self.beavers if about in (one.entry_id, one.answer_entry))
        return next(of_those, None)

    def found_facts(
        self, double: SeenDouble, games: Sequence[SeenResult], length: int | None
    ) -> FoundFacts:
        """What the rule set is asked about such a double; `games` are those that are over."""
        game = next((one for one in games if one.number == double.game_number), None)
        fault = CubeFault.CRAWFORD if double.by == "cube.crawford" else CubeFault.DEAD
        facts = FoundFacts(fault, double.answered, is_over=game is not None)
        if game is None:
            return facts
        factor = 1 if game.kind is None else game.kind.factor
        turned = 2 if double.answered == "take" else 1
        since = BySeat(0, 0)
        for later in games:
            if later.number > game.number:
                since = since.put(later.winner, since[later.winner] + later.points)
        return replace(
            facts,
            winner=game.winner,
            points=double.value * factor,
            turned_points=double.value * turned * factor,
            score=double.score,
            since=since,
            length=length,
            begun=self.begun,
            is_round_begun=self.is_round_begun,
        )


def told_act(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    seat: Seat,
    seen: Seen,
) -> Finding:
    """The finding of an answer about a cube act; that somebody is bound is worth a note."""
    severity = Severity.NOTE if answer.outcome == BOUND else Severity.IRREGULARITY
    return judged(code, event, message, answer, topic, seen.rules, seat=seat, severity=severity)


def open_act(
    event: RecordedEvent, message: Said, answer: Answer, topic: str, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The question, if it is one, and those beside the answer."""
    beside = open_beside(event, message, answer, topic, seat, seen)
    if not answer.is_open:
        return beside
    return (told_act("cube-act-open", event, message, answer, topic, seat, seen), *beside)


def promised(state: CubeActs, promise: Promise) -> CubeActs:
    """The state with an intent that binds, in the place of what that seat had said before."""
    return replace(state, promises=(*_others(state, promise.seat), promise))


def released(state: CubeActs, seat: Seat) -> CubeActs:
    """The state in which nothing binds `seat`."""
    return replace(state, promises=_others(state, seat))


def _others(state: CubeActs, seat: Seat) -> tuple[Promise, ...]:
    return tuple(one for one in state.promises if one.seat is not seat)


def promise_passed(
    state: CubeActs, event: RecordedEvent, seat: Seat, intent: str, name: str, seen: Seen
) -> Result:
    """Something else was done than an intent binds to; the promise is over in any case."""
    promise = state.promise_of(seat)
    if promise is None:
        return state, NOTHING
    if promise.intent != intent:
        is_answer = name != "roll" and promise.intent != "double"
        return (released(state, seat) if is_answer else state), NOTHING
    answer = seen.rules.ask(CUBE_BROKEN, BrokenFacts(promise.bound, name))
    message = said("{seat} was bound to {intent}, and did not", seat=seat, intent=Said(intent))
    new = replace(released(state, seat), answer=answer, bound=answer)
    told = told_act("cube-promise-broken", event, message, answer, "cube.sign", seat, seen)
    return new, (told, *open_act(event, message, answer, "cube.sign", seat, seen))


def open_beside(
    event: RecordedEvent, message: Said, answer: Answer, topic: str, seat: Seat, seen: Seen
) -> tuple[Finding, ...]:
    """The questions beside an answer, each under a topic of its own."""
    found_open = []
    for name, other in answer.also.items():
        if other.is_open:
            what = _LEFT_OPEN.get(name, Said(name))
            told = said("{act}; {what} is for the Director to decide", act=message, what=what)
            about = f"{topic}-{name}"
            found_open.append(told_act("cube-act-open", event, told, other, about, seat, seen))
    return tuple(found_open)


_LEFT_OPEN = {
    "cube": said("what the cube is worth"),
    "double": said("what becomes of the double"),
    "beaver": said("what becomes of the beaver"),
    "resume": said("from where the game is played on"),
    "roll": said("whether the roll stands"),
    "take": said("whether the take stands"),
    "drop": said("whether the drop stands"),
}
"""Names of questions beside an answer about the cube, in words."""


def with_answer(state: CubeActs, asked: Answer, now: Answer) -> CubeActs:
    """The state with the ruled answer wherever the question was kept."""

    def now_of(kept: Answer | None) -> Answer | None:
        return put(kept, asked, now)

    def put_in(double: Double) -> Double:
        verdict = now_of(double.verdict)
        return double if verdict is double.verdict else replace(double, verdict=verdict)

    return replace(
        state,
        answer=now_of(state.answer),
        time=now_of(state.time),
        worth=now_of(state.worth),
        phase=now_of(state.phase),
        bound=now_of(state.bound),
        promises=tuple(replace(one, bound=now_of(one.bound)) for one in state.promises),
        last=None if state.last is None else put_in(state.last),
        irregular=tuple(map(put_in, state.irregular)),
        asked=MappingProxyType({key: now_of(answer) for key, answer in state.asked.items()}),
    )


def as_ruled_before(answer: Answer, before: Answer | None) -> Answer:
    """Whether a text binds at all is ruled once, and holds for whatever hangs on it."""
    if before is None or before.ruled_at is None or before.readings != answer.readings:
        return answer
    return answer.ruled(before.outcome, before.ruled_at) if ADOPTED in answer.readings else answer
