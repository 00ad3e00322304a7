"""Which recorded facts a .mat file cannot hold: one line for every type of event there is."""

from __future__ import annotations

from api.exchange.facts import Loss
from projections.replay import Replay, Step

KEPT = "kept"
"""Not a loss: the writer writes it, or says at the event what of it is lost."""

KINDS: dict[str, str] = {
    "proof": "Entry ids, bases, recorders and seals stay behind; a .mat file proves nothing.",
    "header": "Of the match's opening, what no header of the format names is left out.",
    "name": "A name is cut or spelt otherwise, since readers of the format break on it.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out.",
    "void-throw": "A throw that does not count is left out, and so is its reason.",
    "opening-tie": "An opening throw of equal dice is left out.",
    "opening": "Of the opening throw only the roll of the player who begins is written.",
    "early-roll": "That a roll came early is left out.",
    "turn-end": "How a turn was ended, and what was done with the dice, is left out.",
    "steps": "A play is written one die a step, not as it was recorded.",
    "illegal-play": "An illegal play is written as made; many readers alter or drop it.",
    "illegal-steps": "An illegal play is written as the board after it; its steps are left out.",
    "told-by-end": "A play known by its end is written in steps that lead there.",
    "gap": "What was not seen is written as hidden; readers go on with a wrong board.",
    "no-roll": "A turn without a recorded roll has no place in the format.",
    "revision": "Only the last word of a play that was changed or corrected is written.",
    "position": "A board that was stated or set is left out; readers go on with another one.",
    "cube": "A gesture, a stated or a void cube act is left out.",
    "resignation": "A resignation is told by the result alone; a refused one is left out.",
    "claim": "What sheets, sources and players claimed is left out; the computed value stands.",
    "score": "That the score was stated is left out; the next score line shows it.",
    "length": "Doubts and orders about the match length are left out.",
    "penalty": "Penalties, forfeits and sanctions are left out, but for the next score line.",
    "dispute": "Disputes, evidence, testimony and rulings are left out.",
    "appeal": "Appeals are left out.",
    "attendance": "Calls, arrivals, breaks and delays are left out.",
    "equipment": "Equipment, staff, spectators and consent to recording are left out.",
    "entry": "Corrections of the record are applied, and not shown.",
    "remark": "Marked moments and their notes are left out.",
    "custody": "Leases, keys, packs and publication are left out.",
    "tournament": "What belongs to the tournament is left out.",
    "finding": "Findings are left out.",
    "limit": "A reader of the format refuses what the match needs.",
}
"""Every kind of loss, and what becomes of the facts."""

LOSS_OF: dict[str, str] = {
    "tournament.opened": "tournament",
    "tournament.rules_declared": "tournament",
    "tournament.rules_varied": "tournament",
    "player.registered": "tournament",
    "tournament.closed": "tournament",
    "access.granted": "custody",
    "access.revoked": "custody",
    "match.opened": KEPT,
    "match.length_believed": "length",
    "match.length_error_found": "length",
    "match.deciding_game_ordered": "length",
    "match.ended": KEPT,
    "game.started": KEPT,
    "game.won": KEPT,
    "score.noted": KEPT,
    "result.reported": "claim",
    "result.posted": "claim",
    "result.corrected": "claim",
    "match.next_started": "attendance",
    "score.stated": "score",
    "equipment.agreed": "equipment",
    "equipment.changed": "equipment",
    "preference.rolled": "equipment",
    "dice.mixed": "equipment",
    "monitor.appointed": "equipment",
    "spectator.reported": "equipment",
    "spectator.barred": "equipment",
    "recording.consented": "equipment",
    "recording.objected": "equipment",
    "player.called": "attendance",
    "player.arrived": "attendance",
    "player.left": "attendance",
    "break.started": "attendance",
    "break.ended": "attendance",
    "delay.noted": "attendance",
    "delay.excused": "attendance",
    "clock.set": "clock",
    "clock.started": "clock",
    "clock.pressed": "clock",
    "clock.paused": "clock",
    "clock.resumed": "clock",
    "clock.read": "clock",
    "clock.fault_noticed": "clock",
    "clock.adjusted": "clock",
    "clock.flag_noticed": "clock",
    "dice.opening_rolled": KEPT,
    "dice.rolled": KEPT,
    "dice.voided": "void-throw",
    "dice.rolled_early": "early-roll",
    "dice.early_roll_answered": "early-roll",
    "dice.lifted": "turn-end",
    "dice.repositioned": "turn-end",
    "turn.ended": "turn-end",
    "play.made": KEPT,
    "play.revised": "revision",
    "play.unseen": "gap",
    "play.illegality_noticed": "dispute",
    "play.illegality_answered": "dispute",
    "play.corrected": "revision",
    "start.fault_noticed": "dispute",
    "start.corrected": "position",
    "position.stated": "position",
    "handling.noted": "dispute",
    "cube.gestured": "cube",
    "cube.intent_stated": "cube",
    "cube.double_offered": KEPT,
    "cube.double_taken": KEPT,
    "cube.double_dropped": KEPT,
    "cube.beavered": KEPT,
    "cube.action_voided": "cube",
    "cube.stated": "cube",
    "resignation.offered": "resignation",
    "resignation.accepted": "resignation",
    "resignation.refused": "resignation",
    "claim.made": "claim",
    "claim.ruled": "dispute",
    "penalty.assessed": "penalty",
    "penalty.waived": "penalty",
    "slow_play.warned": "penalty",
    "forfeit.declared": "penalty",
    "sanction.imposed": "penalty",
    "player.disqualified": "penalty",
    "director.called": "dispute",
    "dispute.raised": "dispute",
    "table.disturbed": "dispute",
    "evidence.attached": "dispute",
    "testimony.given": "dispute",
    "ruling.made": "dispute",
    "ruling.carried_out": "dispute",
    "appeal.filed": "appeal",
    "appeal.refused": "appeal",
    "committee.convened": "appeal",
    "committee.member_recused": "appeal",
    "committee.leak_noted": "appeal",
    "pack.issued": "appeal",
    "vote.cast": "appeal",
    "vote.director_cast": "appeal",
    "vote.director_declined": "appeal",
    "appeal.decided": "appeal",
    "decision.reported": "appeal",
    "entry.retracted": "entry",
    "entry.amended": "entry",
    "moment.marked": "remark",
    "branch.resolved": "custody",
    "lease.granted": "custody",
    "lease.ended": "custody",
    "pack.unsealed": "custody",
    "disclosure.erased": "custody",
    "key.rotated": "custody",
    "publication.released": "custody",
    "publication.withheld": "custody",
}
"""What each type of event loses; a test holds the table to the whole catalogue."""


class Losses:
    """Collects what is lost while a match is written."""

    def __init__(self) -> None:
        self._at: dict[str, list[tuple[int, str]]] = {}

    def at(self, step: Step, kind: str | None = None) -> None:
        """The event of a step is lost, by the table or as `kind`; nothing if it is kept."""
        kind = kind or LOSS_OF.get(step.event.tag, "proof")
        if kind == KEPT:
            return
        game, turn = step.before.score.game_number, step.before.flow.turn_number
        place = f"{step.event.tag} (game {game}, turn {turn})" if game else step.event.tag
        self.note(kind, place, step.event.version)

    def note(self, kind: str, what: str, version: int) -> None:
        """Something at a version is lost."""
        assert kind in KINDS, kind
        self._at.setdefault(kind, []).append((version, what))

    def general(self, replay: Replay) -> None:
        """What every event loses, whatever it says."""
        for step in replay.steps:
            self.note("proof", step.event.tag, step.event.version)
            if getattr(step.event.payload, "at_ms", None) is not None:
                self.note("time", step.event.tag, step.event.version)
        for finding in replay.findings:
            self.note("finding", finding.code, finding.version)
        for event in replay.recorded:
            if event.tag in ("entry.retracted", "entry.amended"):
                self.note("entry", event.tag, event.version)

    def listed(self) -> tuple[Loss, ...]:
        """All losses, in the order of KINDS."""
        return tuple(
            Loss(
                kind,
                len(self._at[kind]),
                f"{KINDS[kind]} {_summed([what for _, what in self._at[kind]])}",
                tuple(version for version, _ in self._at[kind]),
            )
            for kind in KINDS
            if kind in self._at
        )


def _summed(places: list[str]) -> str:
    counts: dict[str, int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    return ", ".join(place if n == 1 else f"{place} x{n}" for place, n in counts.items())
