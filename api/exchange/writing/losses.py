"""What the formats cannot hold: one table of every type of event, with a column a format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from api.exchange.writing import kinds
from api.exchange.writing.kinds import COMMENT, KEPT, NOTE, WORDS
from api.exchange.writing.numbering import numbers_of
from api.exchange.writing.story import Story
from api.exchange.writing.wanted import Loss, Wanted
from events.payloads.match import MatchOpened
from events.values import BySeat, Seat
from projections.replay import Replay, Step

_TOLD = (KEPT,) * 4
_TOURNAMENT = ("tournament",) * 4
_CUSTODY = ("custody",) * 4
_ENTRY = ("entry",) * 4
_FILM = ("film", "film", KEPT, "film")

TABLE: Mapping[str, tuple[str, str, str, str]] = {
    # in a .mat file, in SGF, in OGXM, in words
    "tournament.opened": _TOURNAMENT,
    "tournament.described": _TOURNAMENT,
    "tournament.defaults_declared": _TOURNAMENT,
    "tournament.rules_declared": _TOURNAMENT,
    "tournament.rules_varied": _TOURNAMENT,
    "player.registered": _TOURNAMENT,
    "player.unregistered": _TOURNAMENT,
    "player.joined": _TOURNAMENT,
    "player.split": _TOURNAMENT,
    "bye.given": _TOURNAMENT,
    "bye.withdrawn": _TOURNAMENT,
    "tournament.closed": _TOURNAMENT,
    "tournament.reopened": _TOURNAMENT,
    "access.granted": _CUSTODY,
    "access.seated": _CUSTODY,
    "access.case_opened": _CUSTODY,
    "access.revoked": _CUSTODY,
    "match.opened": _TOLD,
    "match.length_believed": ("length", COMMENT, NOTE, WORDS),
    "match.length_error_found": ("length", COMMENT, NOTE, WORDS),
    "match.deciding_game_ordered": ("length", COMMENT, NOTE, KEPT),
    "match.cancelled": ("cancelled", COMMENT, NOTE, WORDS),
    "match.ended": (KEPT, KEPT, KEPT, WORDS),
    "game.started": _TOLD,
    "game.won": _TOLD,
    "score.noted": _TOLD,
    "result.reported": ("claim", COMMENT, NOTE, WORDS),
    "result.posted": ("claim", COMMENT, NOTE, WORDS),
    "result.corrected": ("claim", COMMENT, NOTE, WORDS),
    "match.next_started": ("attendance", COMMENT, NOTE, WORDS),
    "score.stated": ("score", "score", NOTE, WORDS),
    "equipment.agreed": ("equipment", COMMENT, NOTE, WORDS),
    "equipment.agreement_ended": ("equipment", COMMENT, NOTE, WORDS),
    "equipment.changed": ("equipment", COMMENT, NOTE, WORDS),
    "preference.rolled": ("equipment", COMMENT, NOTE, WORDS),
    "dice.mixed": ("equipment", COMMENT, NOTE, WORDS),
    "monitor.appointed": ("equipment", COMMENT, NOTE, WORDS),
    "spectator.reported": ("equipment", COMMENT, NOTE, WORDS),
    "spectator.barred": ("equipment", COMMENT, NOTE, WORDS),
    "recording.consented": ("equipment", COMMENT, NOTE, WORDS),
    "recording.objected": ("equipment", COMMENT, NOTE, WORDS),
    "player.called": ("attendance", COMMENT, NOTE, WORDS),
    "player.arrived": ("attendance", COMMENT, NOTE, WORDS),
    "player.left": ("attendance", COMMENT, NOTE, WORDS),
    "break.started": ("attendance", COMMENT, NOTE, WORDS),
    "break.ended": ("attendance", COMMENT, NOTE, WORDS),
    "delay.noted": ("attendance", COMMENT, NOTE, WORDS),
    "delay.excused": ("attendance", COMMENT, NOTE, WORDS),
    "clock.set": ("clock", COMMENT, NOTE, WORDS),
    "clock.started": ("clock", COMMENT, NOTE, KEPT),
    "clock.pressed": ("clock", COMMENT, NOTE, KEPT),
    "clock.paused": ("clock", COMMENT, NOTE, WORDS),
    "clock.resumed": ("clock", COMMENT, NOTE, WORDS),
    "clock.read": ("clock", COMMENT, NOTE, WORDS),
    "clock.fault_noticed": ("clock", COMMENT, NOTE, WORDS),
    "clock.adjusted": ("clock", COMMENT, NOTE, WORDS),
    "clock.delay_forfeited": ("clock", COMMENT, NOTE, WORDS),
    "clock.delay_restarted": ("clock", COMMENT, NOTE, WORDS),
    "clock.flag_noticed": ("clock", COMMENT, NOTE, WORDS),
    "dice.opening_rolled": _TOLD,
    "dice.rolled": _TOLD,
    "dice.voided": ("void-throw", COMMENT, NOTE, WORDS),
    "dice.rolled_early": ("early-roll", COMMENT, NOTE, WORDS),
    "dice.early_roll_answered": ("early-roll", COMMENT, NOTE, WORDS),
    "dice.lifted": ("turn-end", COMMENT, NOTE, WORDS),
    "dice.lift_answered": ("turn-end", COMMENT, NOTE, WORDS),
    "dice.repositioned": ("turn-end", COMMENT, NOTE, WORDS),
    "turn.ended": ("turn-end", COMMENT, NOTE, WORDS),
    "play.made": _TOLD,
    "play.revised": ("revision", "revision", NOTE, WORDS),
    "play.unseen": ("gap", "gap", "gap", WORDS),
    "play.illegality_noticed": ("dispute", COMMENT, NOTE, WORDS),
    "play.illegality_answered": ("dispute", COMMENT, NOTE, WORDS),
    "play.corrected": ("revision", "set-up", NOTE, WORDS),
    "start.fault_noticed": ("dispute", COMMENT, NOTE, WORDS),
    "start.corrected": ("position", "set-up", NOTE, WORDS),
    "position.stated": ("position", "set-up", NOTE, WORDS),
    "handling.noted": ("dispute", COMMENT, NOTE, WORDS),
    "cube.gestured": ("cube", COMMENT, NOTE, WORDS),
    "cube.intent_stated": ("cube", COMMENT, NOTE, WORDS),
    "cube.double_offered": _TOLD,
    "cube.double_taken": _TOLD,
    "cube.double_dropped": _TOLD,
    "cube.beavered": _TOLD,
    "cube.action_voided": ("cube", "set-up", NOTE, WORDS),
    "cube.stated": ("cube", "set-up", NOTE, WORDS),
    "resignation.offered": ("resignation", "resignation", NOTE, KEPT),
    "resignation.accepted": ("resignation", "resignation", NOTE, KEPT),
    "resignation.refused": ("resignation", COMMENT, NOTE, KEPT),
    "claim.made": ("claim", COMMENT, NOTE, WORDS),
    "claim.ruled": ("dispute", COMMENT, NOTE, WORDS),
    "penalty.assessed": ("penalty", COMMENT, NOTE, WORDS),
    "penalty.waived": ("penalty", COMMENT, NOTE, WORDS),
    "slow_play.warned": ("penalty", COMMENT, NOTE, WORDS),
    "forfeit.declared": ("penalty", COMMENT, NOTE, WORDS),
    "sanction.imposed": ("penalty", COMMENT, NOTE, WORDS),
    "player.disqualified": ("penalty", COMMENT, NOTE, WORDS),
    "director.called": ("dispute", COMMENT, NOTE, WORDS),
    "dispute.raised": ("dispute", COMMENT, NOTE, WORDS),
    "table.disturbed": ("dispute", COMMENT, NOTE, WORDS),
    "evidence.attached": ("dispute", "appeal", "appeal", WORDS),
    "testimony.given": ("dispute", "appeal", "appeal", WORDS),
    "question.left": ("dispute", "appeal", "appeal", WORDS),
    "ruling.made": ("dispute", COMMENT, NOTE, WORDS),
    "ruling.carried_out": ("dispute", "set-up", NOTE, WORDS),
    "notice.acknowledged": ("dispute", COMMENT, NOTE, WORDS),
    "appeal.filed": ("appeal", "appeal", "appeal", WORDS),
    "appeal.refused": ("appeal", "appeal", "appeal", WORDS),
    "committee.convened": ("appeal", "appeal", "appeal", WORDS),
    "committee.member_recused": ("appeal", "appeal", "appeal", WORDS),
    "committee.leak_noted": ("appeal", "appeal", "appeal", WORDS),
    "pack.issued": ("appeal", "appeal", "appeal", WORDS),
    "vote.cast": ("appeal", "appeal", "appeal", WORDS),
    "appeal.issued": ("appeal", "appeal", "appeal", WORDS),
    "vote.sealed": ("appeal", "appeal", "appeal", WORDS),
    "vote.opened": ("appeal", "appeal", "appeal", WORDS),
    "vote.director_cast": ("appeal", "appeal", "appeal", WORDS),
    "vote.director_declined": ("appeal", "appeal", "appeal", WORDS),
    "appeal.decided": ("appeal", "appeal", "appeal", WORDS),
    "decision.reported": ("appeal", "appeal", "appeal", WORDS),
    "entry.retracted": _ENTRY,
    "entry.amended": _ENTRY,
    "moment.marked": ("remark", "remark", "remark", WORDS),
    "film.attached": _FILM,
    "film.aligned": _FILM,
    "branch.resolved": _CUSTODY,
    "lease.granted": _CUSTODY,
    "lease.ended": _CUSTODY,
    "pack.unsealed": _CUSTODY,
    "disclosure.erased": _CUSTODY,
    "key.rotated": _CUSTODY,
    "publication.released": _CUSTODY,
    "publication.withheld": _CUSTODY,
}
"""What each type of event loses; a test holds the table to the whole catalogue."""

CLOCKS = frozenset(tag for tag in TABLE if tag.startswith("clock."))
"""Events that are left out unless clocks are asked for."""

RULINGS = frozenset(
    {
        "play.illegality_noticed",
        "play.illegality_answered",
        "start.fault_noticed",
        "handling.noted",
        "claim.ruled",
        "penalty.assessed",
        "penalty.waived",
        "slow_play.warned",
        "forfeit.declared",
        "sanction.imposed",
        "player.disqualified",
        "director.called",
        "dispute.raised",
        "table.disturbed",
        "ruling.made",
        "ruling.carried_out",
        "notice.acknowledged",
    }
)
"""Events that are left out unless findings and rulings are asked for."""

APPEALS = frozenset(
    tag
    for tag in TABLE
    if tag.split(".")[0] in ("appeal", "committee", "vote", "decision", "pack", "evidence")
) | {"testimony.given"}
"""Entries about appeals; files for people leave them out where nobody asked for rulings."""


class Column(msgspec.Struct, frozen=True):
    """What one format cannot hold."""

    kinds: Mapping[str, str]
    """Kind of loss to what becomes of its facts, in the order of the report."""
    loss_of: Mapping[str, str]
    """Type of event to the kind of loss it is, or KEPT."""
    rulings: frozenset[str] = frozenset()
    """Events that are left out unless findings and rulings are asked for."""
    ruling: str = "dispute"
    """The kind of loss that they are then."""

    def asked(self, wanted: Wanted) -> Mapping[str, str]:
        """`loss_of` for what is asked for."""
        table = dict(self.loss_of)
        if not wanted.clocks:
            table |= dict.fromkeys(CLOCKS, "clock")
        if not wanted.findings:
            table |= dict.fromkeys(self.rulings, self.ruling)
        return table


def _column(place: int) -> dict[str, str]:
    return {tag: row[place] for tag, row in TABLE.items()}


MAT = Column(kinds.MAT, _column(0))

SGF = Column(
    kinds.SGF,
    _column(1),
    # What a ruling sets on the board is written, whoever asks.
    RULINGS - {"ruling.carried_out"},
)

OGXM = Column(
    kinds.OGXM,
    _column(2),
    RULINGS,
)

TEXT = Column(
    kinds.PEOPLE,
    _column(3),
    RULINGS | APPEALS,
    "ruling",
)

PAGE = msgspec.structs.replace(TEXT, loss_of=dict.fromkeys(TABLE, KEPT))
"""An HTML page has every entry as data, beside the words."""


class Losses:
    """Collects what a format cannot hold of a match; no fact is left out without a line here."""

    def __init__(
        self, column: Column, wanted: Wanted, replay: Replay, story: Story | None = None
    ) -> None:
        self._replay = replay
        self._story = story
        self.kinds = column.kinds
        self.loss_of = column.asked(wanted)
        """Type of event to the kind of loss it is for what is asked for, or KEPT."""
        self._at: dict[str, list[tuple[int, str]]] = {}

    def at(self, step: Step, kind: str | None = None, *, like: str | None = None) -> None:
        """The event of a step is lost, by the table or as `kind`; nothing if it is kept.

        `like` is the type of event that the table is asked for instead of its own.
        """
        kind = kind or self.loss_of.get(like or step.event.tag, "proof")
        if kind == KEPT:
            return
        self.note(kind, step.event.tag + self._place(step), step.event.version)

    def _place(self, step: Step) -> str:
        """Where an entry stands, by the numbers that rows and turns have everywhere."""
        game, turn = step.before.score.game_number, self._numbers.get(step.event.version)
        if not game:
            return ""
        return f" (game {game}, turn {turn})" if turn else f" (game {game})"

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return numbers_of(self._replay, self._story)

    def note(self, kind: str, what: str, version: int) -> None:
        """Something at a version is lost."""
        assert kind in self.kinds, kind
        self._at.setdefault(kind, []).append((version, what))

    def lose_players(
        self,
        opened: MatchOpened,
        *,
        are_named: bool,
        ratings: BySeat[str | None] | None = None,
    ) -> None:
        """What the opening says of the players, but for names and ratings that are written."""
        for seat in Seat:
            for player in opened.players[seat]:
                for field in msgspec.structs.fields(player):
                    is_shown = field.name == "name" and are_named
                    is_shown |= (
                        field.name == "rating" and ratings is not None and bool(ratings[seat])
                    )
                    if getattr(player, field.name) is not None and not is_shown:
                        self.note("header", f"{field.name} of {seat.value}", 1)

    def take(self, story: Story) -> None:
        """Everything that a story of rolls and plays leaves out."""
        for lost in story.lost:
            self.at(lost.step, lost.kind, like=lost.like)

    def kinds_at(self) -> dict[int, set[str]]:
        """Version to the kinds of loss noted there so far."""
        found: dict[int, set[str]] = {}
        for kind, noted in self._at.items():
            for version, _ in noted:
                found.setdefault(version, set()).add(kind)
        return found

    def listed(self) -> tuple[Loss, ...]:
        """All losses, in the order of the kinds."""
        return tuple(
            Loss(
                kind,
                len(self._at[kind]),
                f"{self.kinds[kind]} {_summed([what for _, what in self._at[kind]])}",
                tuple(version for version, _ in self._at[kind]),
            )
            for kind in self.kinds
            if kind in self._at
        )


def lose_always(losses: Losses, replay: Replay) -> None:
    """What every event loses in a format without proof, times and findings."""
    for step in replay.steps:
        losses.note("proof", step.event.tag, step.event.version)
        if getattr(step.event.payload, "at_ms", None) is not None:
            losses.note("time", step.event.tag, step.event.version)
    for finding in replay.findings:
        losses.note("finding", finding.code, finding.version)
    lose_corrections(losses, replay)


def lose_corrections(losses: Losses, replay: Replay) -> None:
    """Entries that do not stand, and those by which the record itself is corrected."""
    standing = {step.event.version for step in replay.steps}
    for event in replay.recorded:
        if event.version not in standing or event.tag in ("entry.retracted", "entry.amended"):
            losses.note("entry", event.tag, event.version)


def _summed(places: list[str]) -> str:
    counts: dict[str, int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    return ", ".join(place if n == 1 else f"{place} x{n}" for place, n in counts.items())
