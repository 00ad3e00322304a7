"""Findings: irregularities as data, with code, rule citation, place and words; never an error."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from events.envelope import RecordedEvent
from events.values import Seat
from projections.folding.sayings import UNNAMED, Said, listed, said, worded
from projections.rules.answers import AMBIGUOUS, Answer, Lean
from projections.rules.profile import Rules

Key = tuple[str, str, Seat | None]
"""A question: topic, the entry at which it arose, seat (design §8.11)."""

_SEATS = frozenset(seat.value for seat in Seat)

CODES: dict[str, str] = {
    "illegal-play": "The checkers were not played as the roll demands; the play is kept as made.",
    "landed-on-point": "A checker was put beside two or more opposing checkers; both stay.",
    "board-unknown": "The entry cannot be followed on the board; unknown until it is stated.",
    "play-without-roll": "Checkers were moved and no roll is recorded for the turn.",
    "turn-passed-without-roll": "A turn passed without a roll, and the player was not closed out.",
    "position-fault": "A stated board does not hold fifteen checkers a side, or is not sound.",
    "roll-not-played": "Dice are rolled while the player's own roll waits to be played.",
    "opening-again": "An opening roll is recorded after the opening was decided.",
    "void-throw-played": "A throw that was played on is voided; the board stays as it is.",
    "void-roll-played": "An early roll is played that is void, or to be thrown again.",
    "turn-unplayed": "A turn was ended with its roll not played, and it could have been played.",
    "equipment": "Equipment, preferences or dice were changed otherwise than the rules have it.",
    "handling": "Hands, words or aids at the table were otherwise than the rules have it.",
    "revised-late": "A play is revised after a later one; what came after it is undone.",
    "earlier-game": "A play or cube act of an earlier game is changed; the games since stand.",
    "out-of-turn": "The entry is by a player whose turn it was not.",
    "outside-game": "The entry belongs to a game, and none is in progress.",
    "game-in-progress": "A game starts while another one has not ended.",
    "game-after-match": "A game starts although the match has been won.",
    "answer-without-offer": "An answer is recorded, and nothing was offered.",
    "offer-not-answered": "Play went on while a double or a resignation was not answered.",
    "cube-in-crawford-game": "A cube act in the Crawford game.",
    "cube-not-owned": "A double by a player who does not own the cube.",
    "cube-after-roll": "A double after the dice were rolled.",
    "cube-before-opening": "A double before the opening roll decided who begins.",
    "cube-dead": "A double by a player whom the game at its present value already gives the match.",
    "cube-beavered": "A beaver, where the options in force do not provide for one.",
    "cube-at-limit": "A double beyond the highest value that is kept; the cube stays at that.",
    "cube-act-open": "Whether a cube act counts, or as what, the rules leave to a person.",
    "cube-act-bound": "A gesture or a word about the cube binds the player who made it.",
    "cube-void": "A double is null and void under the rules: the cube is as it was.",
    "cube-act-voided": "A cube act is called void that the rule set lets stand.",
    "cube-not-allowed": "A double that the rules do not allow; what becomes of it is open.",
    "cube-promise-broken": "A player bound to a cube act did something else.",
    "cube-violation-found": "A double that should not have been is noticed later.",
    "drop-ends-no-match": "A drop that would end the match does not end it under the rules.",
    "gammon-open": "Whether a gammon counts under Jacoby, the rules leave to a person.",
    "crawford-open": "Whether this game is played without the cube, the rules leave to a person.",
    "cube-differs": "The cube as somebody states it is not the cube that the acts make.",
    "ended-by-claim": "Only a claim ends the game: neither board, drop nor resignation does.",
    "claim-differs": "The winner or the points claimed are not those computed.",
    "claim-capped": "The points claimed are the computed ones, capped at what the match needs.",
    "cube-to-centre": "A cube that does not lie in the middle as a game begins is put there.",
    "score-differs": "A score noted is not the score that the games make.",
    "score-restated": "The score was stated anew and differs from the sum of the games.",
    "result-differs": "The result claimed is not the one computed.",
    "clock-reading-differs": "A clock reading differs by over a second from the presses.",
    "clock-pressed-by-other": "A player pressed whose time was not running.",
    "flag-fell": "By the presses recorded, a reserve has run out.",
    "delay-forfeited": "A delay is demanded or forfeited; what the text says of it.",
    "delay-restarted": "A delay begins anew, where the text does not say that it does.",
    "throwing-side": "A side to throw on is agreed or permitted; what the text says of it.",
    "flag-noticed": "Somebody noticed that a reserve has run out; what follows is a ruling.",
    "correction-due": "An illegal play was noticed in time: it may, or has to, be corrected.",
    "correction-too-late": "An illegal play was noticed after its window had closed: it stands.",
    "correction-question": "What becomes of an illegal play, or of what followed, is to be ruled.",
    "correction-differs": "An illegal play was answered or corrected otherwise than the rules say.",
    "start-to-correct": "A wrong starting position was noticed in time: it is to be corrected.",
    "start-stands": "A wrong starting position was noticed too late: it stands.",
    "start-question": "What becomes of a wrong starting position is for a person to rule.",
    "start-corrected-late": "A wrong start was corrected that the rules let stand.",
    "correction-without-target": "A correction names an entry that its stream does not hold.",
    "correction-not-allowed": "A correction names an entry of a kind that cannot be corrected.",
    "correction-below-dispute": "A correction changes an entry that a dispute had frozen.",
    "reference-unknown": "The entry names another entry that its stream does not hold.",
    "rule-set-unknown": "The rule set pinned is not on the shelf; common rules are applied.",
    "option-not-provided": "An option is pinned that the rule set does not provide for.",
    "appeal-admissibility": "An appeal against what cannot be appealed, or may not be.",
    "table-disturbed": "A player touched what was to lie untouched until the director comes.",
    "appeal-refused": "An appeal is refused that the rules admit.",
    "appeal-committee": "A committee that is not as the rules demand.",
    "appeal-outcome": "What the ballots on an appeal make of the ruling is for a person to say.",
    "appeal-settled": "The ballots on an appeal settle whether the ruling stands or is changed.",
    "ballots-missing": "An appeal is said to have ended before its committee's ballots were in.",
    "appeal-differs": "An appeal is said to have ended otherwise than its ballots say.",
    "ruling-reversed": "A ruling or penalty falls on appeal; what followed from it stands so far.",
    "report-due": "A decided dispute is to be reported to the federation, or that is open.",
    "member-not-independent": "A member of a committee is marked as not independent.",
    "ballot-not-counted": "A ballot that cannot count: by a stranger, a second one, or too late.",
    "throw-invalid": "A throw is recorded as one that counts, and is invalid by the rule set.",
    "throw-voided": "A throw is called void that the rule set, or a ruling, holds valid.",
    "throw-in-doubt": "Whether a throw is valid is for a person to rule.",
    "throw-not-at-rest": "A throw is read before the dice have come to rest.",
    "reroll-scope": "What is thrown again is not what the rule set says, or is for a ruling.",
    "automatic-double": "An opening tie, where automatic doubles were agreed, turns no cube.",
    "clock-terms": "The clock is not set as the rule set allots, or that is for a ruling.",
    "clock-missing": "Play begins without a clock, where the rules oblige both sides to use one.",
    "clock-stop": "Whether the clock may be stopped is for a person to rule.",
    "clock-fault": "The clock ran or stood wrongly; what is put right, or is for a ruling.",
    "checkers-not-fifteen": "A game is won, and one side did not have fifteen checkers.",
    "ending-not-allowed": "A game or match is to end in a way that the rules do not allow.",
    "ending-open": "Whether a game may end so, or what follows, is for a person to rule.",
    "ending-computed": "Plain bounds computed from the board let the game end so.",
    "turn-end": "What was done at a turn's end did not end it, or whether it did is a question.",
    "play-changed": "A play was changed when it might not be, or whether it might is a question.",
    "early-roll": "Dice were rolled before the opponent had ended his turn.",
    "dice-lifted-early": "Dice were lifted before the opponent had ended his turn, and not rolled.",
    "early-cube-act": "A cube act before the opponent had ended his turn.",
    "resignation-without-level": "A resignation is accepted, and nobody has said at which level.",
    "length-believed": "A player believes in another length than the posted one.",
    "length-differs": "A posted length, or the draw sheet, is not the one on record: one is wrong.",
    "wrong-length": "The match was played to a length that was not posted.",
    "wrong-length-agreed": "Both had agreed on the wrong length; a sanction is for a person.",
    "wrong-length-crawford": "Whether the Crawford game is still to come after a wrong length.",
    "wrong-length-cube": "Whether a double may be made hangs on which length counts.",
    "penalty-points": "A player has drawn penalty points by the scale in force.",
    "penalty-forfeit": "Penalty points above half the length forfeit the match.",
    "penalty-question": "What delays, breaks or penalties come to is for a person to decide.",
    "player-barred": "A player is barred from the tournament, as the rules let the director do.",
    "slow-play-not-warned": "Points for slow play are given, and no warning came before them.",
    "penalty-in-score": "The match is over if the penalty points enter the score.",
    "penalty-differs": "Penalty points or a forfeit are not those that the scale makes.",
    "break-allowance": "How long a break may be is for a person to say.",
    "break-in-game": "A break begins during a game, and the rules allow it between games.",
    "break-in-first-hour": "A break begins in the first hour, which the text has for urgent need.",
    "break-alone": "A break is taken by one player alone, and the rules have both take theirs.",
    "break-unsigned": "A break that one alone has signed for, or with clocks that nobody read.",
    "absence": "A player left the playing area for long; what the rules say of it.",
    "result-not-reported": "A result is posted, or disputed, that not everybody has reported.",
    "result-duty-open": "Whose duty it was to report a result is disputed, and a person decides.",
    "result-posted-wrong": "The result posted is not the one that the games make.",
    "result-corrected-late": "A posted result is corrected after the time for it was over.",
    "match-decided": "The rule set decides the match otherwise than by points.",
    "testimony": "A spectator testifies, and the Director has not asked for it.",
    "score-records-differ": "Records of a score differ, and the games do not tell it.",
    "unread": "An entry of a type or version that this program does not know.",
}
"""Every finding code and what it says; the room's README lists them."""


class Severity(enum.StrEnum):
    """How much a finding matters."""

    NOTE = "note"
    """Worth knowing: a source's habit, a gap."""
    IRREGULARITY = "irregularity"
    """Something did not happen as it should have."""


class RulingRequired(msgspec.Struct, frozen=True):
    """A question that the rule set leaves to a person."""

    topic: str
    """Noun and question, never a rule set."""
    readings: tuple[str, ...]
    """The answers that compete."""
    reason: str = "silent"
    """silent, ambiguous, not_in_hand, not_verified or discretion."""
    lean: str | None = None
    """The reading that the text leans to; shown, never applied."""
    suggest: str | None = None
    """What a neighbouring text answers; shown, never applied."""
    leaning: Said | None = None
    """`lean` in words."""


class Rest(msgspec.Struct, frozen=True):
    """A sentence of a rule set on which a finding rests, or would rest were it in hand."""

    sentence: str
    """What the rule set calls it by: its section, and a number where a section has several."""
    sha256: str | None
    """Hash of the sentence in hand (`rules/sentences.py`); None = it is not in hand."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One irregularity, or one open question, found at one entry."""

    code: str
    """One of CODES."""
    rule_set: str
    """Id of the rule set that is cited."""
    section: str
    """Section as that rule set numbers it."""
    version: int
    """Version of the entry at which it was found."""
    entry_id: str
    """Id of that entry: with topic and seat the key of a question (design §8.11)."""
    seat: Seat | None = None
    """Whose irregularity; None = nobody's, or both players'."""
    said: Said
    """What happened, for people."""
    severity: Severity = Severity.IRREGULARITY
    """How much it matters."""
    ambiguity: str | None = None
    """Id of the ambiguity in the rule set's text, if one is at work."""
    verified: bool = True
    """False where another edition's text answered, or the sentence it rests on is not in hand."""
    ruling_required: RulingRequired | None = None
    """The question, where a person has to answer."""
    answered_by: int | None = None
    """Version of the `ruling.made` that answers the question."""
    answer: Answer | None = None
    """What the rule set answered; None where no policy was asked. Not told: it is for comparing."""
    rests_on: tuple[Rest, ...] = ()
    """Sentences it rests on; none where the rule set's text was read as a whole."""

    @property
    def key(self) -> Key | None:
        """The key of the question; None where nothing is asked."""
        asked = self.ruling_required
        return None if asked is None else (asked.topic, self.entry_id, self.seat)

    @property
    def is_open(self) -> bool:
        """Whether a person has to rule on it, and nobody has."""
        return self.ruling_required is not None and self.answered_by is None

    @property
    def message(self) -> str:
        """What happened, in English, of "player one" and "player two".

        Names are no part of a match's meaning, and not everybody may be told them: whoever may
        name the players fills `said` with their names.
        """
        return self.said.named(UNNAMED)

    def as_json(self) -> dict[str, object]:
        """The finding as `replay --json` prints it."""
        question = self.ruling_required
        asked = None if question is None else msgspec.to_builtins(question)
        if asked is not None:
            asked["readings"] = list(asked["readings"])
        return {
            "code": self.code,
            "rule_set": self.rule_set,
            "section": self.section,
            "version": self.version,
            "seat": self.seat.value if self.seat else None,
            "message": self.message,
            "said": self.said.as_json(),
            "severity": self.severity.value,
            "ambiguity": self.ambiguity,
            "verified": self.verified,
            "ruling_required": asked,
            "answered_by": self.answered_by,
            "rests_on": [{"sentence": one.sentence, "sha256": one.sha256} for one in self.rests_on],
        }


def found(
    code: str,
    event: RecordedEvent,
    message: Said,
    *,
    cite: tuple[str, str],
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
    ruling_required: RulingRequired | None = None,
    ambiguity: str | None = None,
    verified: bool = True,
    answer: Answer | None = None,
    rests_on: tuple[Rest, ...] = (),
) -> Finding:
    """A finding at `event`; `cite` is (rule set, section)."""
    assert code in CODES, code
    return Finding(
        code=code,
        rule_set=cite[0],
        section=cite[1],
        version=event.version,
        entry_id=event.entry_id,
        seat=seat,
        said=message,
        severity=severity,
        ruling_required=ruling_required,
        ambiguity=ambiguity,
        verified=verified,
        answer=answer,
        rests_on=rests_on,
    )


def judged(
    code: str,
    event: RecordedEvent,
    message: Said,
    answer: Answer,
    topic: str,
    rules: Rules,
    *,
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
) -> Finding:
    """The finding of an answer: a question where a person has to rule, else what was settled."""
    question = None
    if answer.is_open:
        question = RulingRequired(
            topic,
            answer.readings,
            answer.reason or AMBIGUOUS,
            _in_words(answer.lean),
            answer.suggest,
            leaning(answer.lean),
        )
    return found(
        code,
        event,
        message,
        cite=(rules.profile.id, answer.section),
        seat=seat,
        severity=severity,
        ruling_required=question,
        ambiguity=answer.ambiguity or answer.flag,
        verified=answer.verified,
        answer=answer,
        rests_on=rests_of(answer, rules),
    )


def rests_of(answer: Answer, rules: Rules) -> tuple[Rest, ...]:
    """The sentences that an answer rests on, each with its hash where it is in hand."""
    return tuple(Rest(name, rules.held.get(name)) for name in answer.rests_on)


def _in_words(lean: Lean | None) -> str | None:
    if lean is None or isinstance(lean, str):
        return lean
    return ", ".join(f"{name} {value}" for name, value in lean.items())


def leaning(lean: Lean | None) -> Said | None:
    """What a text leans to, in words."""
    if lean is None or isinstance(lean, str):
        return None if lean is None else worded(lean)
    if set(lean) == _SEATS:
        return said("{score}", score=f"{lean['one']}-{lean['two']}")
    return listed([_told(name, value) for name, value in lean.items()])


def _told(name: str, value: Any) -> Said:
    """One member of what a text leans to."""
    if name == "outcome":
        return worded(value)
    if value in _SEATS:
        return said("{name} {seat}", name=worded(name), seat=Seat(value))
    if name.endswith("_ms") and isinstance(value, int):
        time = f"{value // 60_000}:{value // 1_000 % 60:02}"
        return said("{name} {value}", name=worded(name.removesuffix("_ms")), value=time)
    told = value if isinstance(value, int) else worded(str(value))
    return said("{name} {value}", name=worded(name), value=told)
