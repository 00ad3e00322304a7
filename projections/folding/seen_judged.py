"""What folds may ask of those that judge: as much of each state as others need, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from events.payloads.base import WinKind
from events.values import BySeat, Seat
from projections.folding.findings import Key
from projections.rules.answers import Answer
from projections.rules.profile import Rules
from projections.rules.subjects.clock_terms import FlagFacts
from projections.rules.subjects.cube_doubles import BeaverFacts
from projections.rules.subjects.cube_found import FoundFacts


class SeenSides(Protocol):
    """What other folds ask the fold of sides to throw on."""

    def half_of(self, seat: Seat | None, game: int) -> str | None:
        """Half into which a player may throw in a game by permission; None = none is in force."""


class SeenThrows(Protocol):
    """What other folds ask the fold that judges throws."""

    @property
    def answer(self) -> Answer | None:
        """The latest verdict on a throw."""

    @property
    def at(self) -> str | None:
        """The entry at which that throw was judged."""

    @property
    def has_box(self) -> bool:
        """Whether a baffle box was agreed on by both, or ordered."""

    @property
    def box_half(self) -> str | None:
        """Half in which a baffle box was agreed to stand."""

    def ruled_on(self, key: Key) -> SeenThrow | None:
        """The throw about which a question with this key was asked."""

    def is_ruled_out(self, throw: str) -> bool:
        """Whether a ruling does not let that throw count."""


class SeenWindows(Protocol):
    """What other folds ask the fold that judges illegal plays."""

    def double_asked_at(self, entry_id: str) -> str | None:
        """The double about which it was asked at an entry what becomes of it."""


class SeenThrow(NamedTuple):
    """A throw by which a person has to rule."""

    entry_id: str
    """The entry of the throw; of one that was void at once, of the call."""
    answer: Answer
    """What was asked about it."""


class SeenPremature(Protocol):
    """What other folds ask the fold of premature actions."""

    def is_answered_in(self, game: int) -> bool:
        """Whether the latest early roll was one of that game, and something was said to it."""

    def is_cube_act_asked_at(self, entry_id: str) -> bool:
        """Whether it was asked at an entry what becomes of a cube act that came too early."""

    def is_unanswered_in(self, game: int) -> bool:
        """Whether nobody has said anything yet to the latest early roll of that game."""

    def is_end_known(self, game: int, number: int, seat: Seat) -> bool:
        """Whether the rules say of what was done in that turn that it ended it, or did not."""

    def end_of_turn(self, game: int, number: int, seat: Seat) -> Answer | None:
        """What ended that turn, by its number in the game; None = nothing did."""

    @property
    def early(self) -> object | None:
        """The latest early roll of the match; None = there was none."""

    @property
    def is_answered_by_other(self) -> bool:
        """Whether the choice about the latest early roll is whose turn it was."""

    @property
    def void_roll(self) -> str | None:
        """The entry of the latest early roll, if the rule set holds it void."""

    def is_redone(self, game: int, number: int, roller: Seat) -> bool:
        """Whether the latest early roll was that seat's in that turn, and is to be thrown again."""

    def early_roll_asked_at(self, entry_id: str) -> str | None:
        """The early roll about which it was asked at an entry what becomes of it."""

    @property
    def dice_on_table(self) -> int | None:
        """How many dice are in play; None = not recorded."""


class SeenDouble(Protocol):
    """One double, with what the rule set says to it."""

    @property
    def entry_id(self) -> str:
        """The `cube.double_offered`."""

    @property
    def verdict(self) -> Answer:
        """What the rule set says to it."""

    @property
    def by(self) -> str:
        """The subject on which it says so."""

    @property
    def game_number(self) -> int:
        """In which game."""

    @property
    def value(self) -> int:
        """What the cube showed before it."""

    @property
    def score(self) -> BySeat[int]:
        """The score before that game."""

    @property
    def answered(self) -> str | None:
        """take or drop; None = not yet."""

    @property
    def answer_entry(self) -> str | None:
        """The entry of that answer."""


class SeenBeaver(Protocol):
    """A beaver that the text does not allow, and that was answered all the same."""

    @property
    def entry_id(self) -> str:
        """The `cube.beavered`."""

    @property
    def facts(self) -> BeaverFacts:
        """Who beavered, and what was answered."""

    @property
    def game_number(self) -> int:
        """In which game."""


class SeenResult(Protocol):
    """A game that is over, as seen by the judgement on a double in it."""

    @property
    def number(self) -> int:
        """Which game of the match."""

    @property
    def points(self) -> int:
        """What it counted."""

    @property
    def winner(self) -> Seat:
        """Who won it."""

    @property
    def kind(self) -> WinKind | None:
        """Level; None where only points are known."""


class SeenCubeActs(Protocol):
    """What other folds ask the fold that judges cube acts."""

    @property
    def last(self) -> SeenDouble | None:
        """The last double."""

    @property
    def match_point_phase(self) -> Answer | None:
        """Whether the game in progress, the first at match point, is played without the cube."""

    @property
    def asked(self) -> Mapping[Key, Answer]:
        """Every question asked so far with its answer, ruled or not."""

    def noticed(self, about: str | None) -> SeenDouble | None:
        """The double that should not have been, and that somebody notices now."""

    def beaver_raised(self, about: str | None) -> SeenBeaver | None:
        """The beaver that should not have been, and that somebody raises now."""

    def found_facts(
        self, double: SeenDouble, games: Sequence[SeenResult], length: int | None
    ) -> FoundFacts:
        """What the rule set is asked about such a double; `games` are those that are over."""


class SeenUnasked(Protocol):
    """A resignation on which the text has no word, and which nobody has doubted yet."""

    @property
    def entries(self) -> tuple[str, str]:
        """The entries that offered the resignation and answered it."""


class SeenEndings(Protocol):
    """What other folds ask the fold that judges endings."""

    @property
    def asked(self) -> Mapping[Key, Answer]:
        """Every question asked so far with its answer, ruled or not."""

    @property
    def unasked(self) -> SeenUnasked | None:
        """What would be asked about the last resignation if somebody raised it."""


class SeenAccount(Protocol):
    """What one player's time and penalties come to."""

    @property
    def answer(self) -> Answer | None:
        """What the rule set says to it all; None = not asked."""

    @property
    def points(self) -> int:
        """Penalty points; beside an open question those that are drawn."""

    def answered_by(self, kind: str | None, rules: Rules) -> Mapping[Key, str]:
        """Questions that an excuse of a kind answers, with the reading; None = of any kind."""

    @property
    def on_breaks(self) -> tuple[Key, ...]:
        """Questions on breaks."""


class SeenPenalties(Protocol):
    """What other folds ask the penalties."""

    @property
    def answer(self) -> Answer | None:
        """The latest answer; None while nothing was asked."""

    @property
    def on_allowance(self) -> tuple[Key, ...]:
        """Questions on what breaks may be taken."""

    @property
    def accounts(self) -> Iterable[SeenAccount]:
        """Both players' accounts."""

    def forfeited_before(self, seat: Seat, version: int, length: int) -> bool:
        """Whether points that a seat had drawn before an event forfeit a match to that length."""

    @property
    def forfeiting(self) -> tuple[Seat, ...]:
        """Whose points forfeit the match: of two who were late, it may be each."""

    @property
    def beyond_stated(self) -> BySeat[int]:
        """Penalty points against each seat that enter the score and are in none that was stated."""

    @property
    def undecided(self) -> BySeat[int]:
        """Penalty points against each seat of which nobody has said whether they enter it."""

    @property
    def is_score_asked(self) -> bool:
        """Whether it was asked if points enter the score, and nobody has ruled it."""

    def both_scores(self, score: BySeat[int]) -> tuple[BySeat[int], BySeat[int]]:
        """The score with penalty points in a ledger of their own, and with them entered."""


class SeenStart(Protocol):
    """What other folds ask about the start of a game."""

    @property
    def began(self) -> str | None:
        """Entry that began the game in progress, or the last one."""


class SeenAsked(Protocol):
    """A question that a fold has asked."""

    @property
    def key(self) -> Key:
        """Topic, entry and seat."""

    @property
    def answer(self) -> Answer:
        """What the rule set said to it, or what was ruled."""


class SeenMatchLength(Protocol):
    """What other folds ask the fold of wrong lengths."""

    @property
    def answer(self) -> Answer | None:
        """The latest answer; None while nothing was asked."""

    @property
    def draw_sheet(self) -> int | None:
        """The length on the draw sheet, where it differs from the posted one."""

    @property
    def sheets_asked(self) -> SeenAsked | None:
        """The question which of the two was agreed on; None = there was none."""

    @property
    def in_doubt(self) -> int | None:
        """The length on the draw sheet, while nobody has said whether it is the agreed one."""

    def is_won_by(self, seat: Seat, points: int, rules: Rules) -> bool | None:
        """Whether a game of that worth gives a seat the match that waits for it; None = open."""


class SeenResults(Protocol):
    """What other folds ask the results."""

    def is_asked(self, topic: str, entry_id: str) -> bool:
        """Whether a question on a topic arose at an entry."""


class SeenTiming(Protocol):
    """What other folds ask the fold that judges the clock."""

    @property
    def flag(self) -> FlagFacts | None:
        """The reserve that was last noticed to have run out; None = none was."""

    @property
    def flagged(self) -> Answer | None:
        """What the rule set says to that, or what was ruled on it."""

    @property
    def set_entry(self) -> str:
        """The entry that set the clock; empty where none did."""

    @property
    def claim(self) -> str | None:
        """The last claim to a game that is not settled yet; None = none is."""

    @property
    def flag_asked(self) -> SeenAsked | None:
        """The last question about the flag that was noticed; None = none was asked."""

    @property
    def lost_by(self) -> Seat | None:
        """Who has lost the match by the clock; None = nobody, or open."""


class SeenAppeal(Protocol):
    """One appeal."""

    @property
    def entry_id(self) -> str | None:
        """The `appeal.filed`; None where a committee met and no appeal is recorded."""

    @property
    def on_committee(self) -> Mapping[Key, Answer]:
        """What was asked about its committee, and about the result of the ballots."""


class SeenAppeals(Protocol):
    """What other folds ask the appeals."""

    @property
    def appeals(self) -> Sequence[SeenAppeal]:
        """All of them, the last one last."""


class SeenOutcome(Protocol):
    """What other folds ask the outcome."""

    @property
    def winner(self) -> Seat | None:
        """Who has won; None while the match is open."""

    @property
    def is_open(self) -> bool:
        """Whether nobody has won."""

    def agrees(self, claimed: BySeat[int], score: BySeat[int], length: int | None) -> bool:
        """Whether a final score that is claimed is this one: capped, or written as won."""


class SeenJudged(Protocol):
    """The states of the folds that ask the rule set, as far as others ask them."""

    @property
    def throws(self) -> SeenThrows:
        """The dice."""

    @property
    def windows(self) -> SeenWindows:
        """Illegal plays."""

    @property
    def sides(self) -> SeenSides:
        """Sides to throw on."""

    @property
    def premature(self) -> SeenPremature:
        """Premature actions."""

    @property
    def cube_acts(self) -> SeenCubeActs:
        """Cube acts."""

    @property
    def endings(self) -> SeenEndings:
        """Endings."""

    @property
    def penalties(self) -> SeenPenalties:
        """Penalties."""

    @property
    def start(self) -> SeenStart:
        """The starting position."""

    @property
    def match_length(self) -> SeenMatchLength:
        """The match played to a wrong length."""

    @property
    def results(self) -> SeenResults:
        """Results."""

    @property
    def timing(self) -> SeenTiming:
        """Timing."""

    @property
    def appeals(self) -> SeenAppeals:
        """Appeals."""

    @property
    def outcome(self) -> SeenOutcome:
        """Who has won the match, and why."""
