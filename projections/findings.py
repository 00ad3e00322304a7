"""Findings: irregularities as data, with code, rule citation, place and message; never an error."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from events.envelope import RecordedEvent
from events.values import Seat
from projections.rules.answers import Answer, Lean

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
    "cube-differs": "The cube as somebody states it is not the cube that the acts make.",
    "ended-by-claim": "Only a claim ends the game: neither board, drop nor resignation does.",
    "claim-differs": "The winner or the points claimed are not those computed.",
    "claim-capped": "The points claimed are the computed ones, capped at what the match needs.",
    "score-differs": "A score noted is not the score that the games make.",
    "score-restated": "The score was stated anew and differs from the sum of the games.",
    "result-differs": "The result claimed is not the one computed.",
    "clock-reading-differs": "A clock reading differs by over a second from the presses.",
    "clock-pressed-by-other": "A player pressed whose time was not running.",
    "flag-fell": "By the presses recorded, a reserve has run out.",
    "flag-noticed": "Somebody noticed that a reserve has run out; what follows is a ruling.",
    "correction-without-target": "A correction names an entry that its stream does not hold.",
    "correction-not-allowed": "A correction names an entry of a kind that cannot be corrected.",
    "correction-below-dispute": "A correction changes an entry that a dispute had frozen.",
    "reference-unknown": "The entry names another entry that its stream does not hold.",
    "rule-set-unknown": "The rule set pinned is not on the shelf; common rules are applied.",
    "option-not-provided": "An option is pinned that the rule set does not provide for.",
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
    """silent, ambiguous, not_in_hand or discretion."""
    lean: str | None = None
    """The reading that the text leans to; shown, never applied."""
    suggest: str | None = None
    """What a neighbouring text answers; shown, never applied."""


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
    message: str = ""
    """What happened, for people."""
    severity: Severity = Severity.IRREGULARITY
    """How much it matters."""
    ambiguity: str | None = None
    """Id of the ambiguity in the rule set's text, if one is at work."""
    verified: bool = True
    """False where the answer is taken from another edition's text."""
    ruling_required: RulingRequired | None = None
    """The question, where a person has to answer."""
    answered_by: int | None = None
    """Version of the `ruling.made` that answers the question."""

    def as_json(self) -> dict[str, Any]:
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
            "severity": self.severity.value,
            "ambiguity": self.ambiguity,
            "verified": self.verified,
            "ruling_required": asked,
            "answered_by": self.answered_by,
        }


def found(
    code: str,
    event: RecordedEvent,
    message: str,
    *,
    cite: tuple[str, str],
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
    ruling_required: RulingRequired | None = None,
    ambiguity: str | None = None,
    verified: bool = True,
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
        message=message,
        severity=severity,
        ruling_required=ruling_required,
        ambiguity=ambiguity,
        verified=verified,
    )


def judged(
    code: str,
    event: RecordedEvent,
    message: str,
    *,
    answer: Answer,
    rule_set: str,
    topic: str,
    seat: Seat | None = None,
    severity: Severity = Severity.IRREGULARITY,
) -> Finding:
    """The finding of an answer: a question where a person has to rule, else what was settled."""
    question = None
    if answer.is_open:
        question = RulingRequired(
            topic,
            answer.readings,
            answer.reason or "ambiguous",
            _in_words(answer.lean),
            answer.suggest,
        )
    return found(
        code,
        event,
        message,
        cite=(rule_set, answer.section),
        seat=seat,
        severity=severity,
        ruling_required=question,
        ambiguity=answer.ambiguity or answer.flag,
        verified=answer.verified,
    )


def _in_words(lean: Lean | None) -> str | None:
    if lean is None or isinstance(lean, str):
        return lean
    return ", ".join(f"{name} {value}" for name, value in lean.items())
