"""Which recorded facts a file for people does not hold: one line for every type of event there is.

A text tells a match in words. An HTML page tells it in the same words, and has the entries beside
them as data: there only what is withheld, personal or proof is lost.
"""

from __future__ import annotations

from api.exchange.ogxm.losses import CLOCKS, RULINGS
from api.exchange.writing.wanted import KEPT, Losses, Wanted

WORDS = "words"
"""Told in words, which leave out what the transcript has none for."""

KINDS: dict[str, str] = {
    "proof": "Seals and recorders stay behind, and of a text the entry ids: it proves nothing.",
    "header": "Of the match's opening, what does not concern the match as played is left out.",
    "personal": "Names, notes and reasons in people's own words are left out unless handed over.",
    "time": "When something happened is left out.",
    "clock": "The clock is left out, since nobody asked for it.",
    "observation": "How each die came to rest is left out.",
    WORDS: "Told in words, which do not say everything that the entries do.",
    "ruling": "Penalties, disputes, rulings and appeals are left out, since nobody asked for them.",
    "finding": "Findings are left out, since nobody asked for them.",
    "entry": "Corrections of the record are applied, and not shown.",
    "custody": "Leases, keys, packs and publication are left out.",
    "unread": "What is of a type or version that this program does not know is left out.",
    "tournament": "What belongs to the tournament is left out.",
}
"""Every kind of loss, and what becomes of the facts."""

LOSS_OF: dict[str, str] = {
    "tournament.opened": "tournament",
    "tournament.described": "tournament",
    "tournament.defaults_declared": "tournament",
    "tournament.rules_declared": "tournament",
    "tournament.rules_varied": "tournament",
    "player.registered": "tournament",
    "bye.given": "tournament",
    "bye.withdrawn": "tournament",
    "tournament.closed": "tournament",
    "tournament.reopened": "tournament",
    "access.granted": "custody",
    "access.revoked": "custody",
    "match.opened": KEPT,
    "match.length_believed": WORDS,
    "match.length_error_found": WORDS,
    "match.deciding_game_ordered": KEPT,
    "match.cancelled": WORDS,
    "match.ended": WORDS,
    "game.started": KEPT,
    "game.won": KEPT,
    "score.noted": KEPT,
    "result.reported": WORDS,
    "result.posted": WORDS,
    "result.corrected": WORDS,
    "match.next_started": WORDS,
    "score.stated": WORDS,
    "equipment.agreed": WORDS,
    "equipment.changed": WORDS,
    "preference.rolled": WORDS,
    "dice.mixed": WORDS,
    "monitor.appointed": WORDS,
    "spectator.reported": WORDS,
    "spectator.barred": WORDS,
    "recording.consented": WORDS,
    "recording.objected": WORDS,
    "player.called": WORDS,
    "player.arrived": WORDS,
    "player.left": WORDS,
    "break.started": WORDS,
    "break.ended": WORDS,
    "delay.noted": WORDS,
    "delay.excused": WORDS,
    "clock.set": WORDS,
    "clock.started": KEPT,
    "clock.pressed": KEPT,
    "clock.paused": WORDS,
    "clock.resumed": WORDS,
    "clock.read": WORDS,
    "clock.fault_noticed": WORDS,
    "clock.adjusted": WORDS,
    "clock.flag_noticed": WORDS,
    "dice.opening_rolled": KEPT,
    "dice.rolled": KEPT,
    "dice.voided": WORDS,
    "dice.rolled_early": WORDS,
    "dice.early_roll_answered": WORDS,
    "dice.lifted": WORDS,
    "dice.repositioned": WORDS,
    "turn.ended": WORDS,
    "play.made": KEPT,
    "play.revised": WORDS,
    "play.unseen": WORDS,
    "play.illegality_noticed": WORDS,
    "play.illegality_answered": WORDS,
    "play.corrected": WORDS,
    "start.fault_noticed": WORDS,
    "start.corrected": WORDS,
    "position.stated": WORDS,
    "handling.noted": WORDS,
    "cube.gestured": WORDS,
    "cube.intent_stated": WORDS,
    "cube.double_offered": KEPT,
    "cube.double_taken": KEPT,
    "cube.double_dropped": KEPT,
    "cube.beavered": KEPT,
    "cube.action_voided": WORDS,
    "cube.stated": WORDS,
    "resignation.offered": KEPT,
    "resignation.accepted": KEPT,
    "resignation.refused": KEPT,
    "claim.made": WORDS,
    "claim.ruled": WORDS,
    "penalty.assessed": WORDS,
    "penalty.waived": WORDS,
    "slow_play.warned": WORDS,
    "forfeit.declared": WORDS,
    "sanction.imposed": WORDS,
    "player.disqualified": WORDS,
    "director.called": WORDS,
    "dispute.raised": WORDS,
    "table.disturbed": WORDS,
    "evidence.attached": WORDS,
    "testimony.given": WORDS,
    "question.left": WORDS,
    "ruling.made": WORDS,
    "ruling.carried_out": WORDS,
    "notice.acknowledged": WORDS,
    "appeal.filed": WORDS,
    "appeal.refused": WORDS,
    "committee.convened": WORDS,
    "committee.member_recused": WORDS,
    "committee.leak_noted": WORDS,
    "pack.issued": WORDS,
    "vote.cast": WORDS,
    "vote.director_cast": WORDS,
    "vote.director_declined": WORDS,
    "appeal.decided": WORDS,
    "decision.reported": WORDS,
    "entry.retracted": "entry",
    "entry.amended": "entry",
    "moment.marked": WORDS,
    "branch.resolved": "custody",
    "lease.granted": "custody",
    "lease.ended": "custody",
    "pack.unsealed": "custody",
    "disclosure.erased": "custody",
    "key.rotated": "custody",
    "publication.released": "custody",
    "publication.withheld": "custody",
}
"""What each type of event loses in a text; a test holds the table to the whole catalogue."""

CORRECTIONS = frozenset({"entry.retracted", "entry.amended"})
"""Entries by which the record itself is corrected."""

SILENT = frozenset({"match.opened", "game.started"})
"""Entries that headings tell."""

LEFT_OUT = frozenset({"clock", "ruling", "custody", "tournament", "entry"})
"""Kinds of loss whose entries are told nowhere."""

APPEALS = frozenset(
    tag
    for tag in LOSS_OF
    if tag.split(".")[0] in ("appeal", "committee", "vote", "decision", "pack", "evidence")
) | {"testimony.given"}
"""Entries about appeals; with `RULINGS` they are left out where nobody asked for rulings."""


def losses_of(wanted: Wanted, *, holds_record: bool) -> Losses:
    """An empty list of losses, with the table for what is asked for.

    `holds_record`: the file has every entry as data, beside the words.
    """
    table = dict.fromkeys(LOSS_OF, KEPT) if holds_record else dict(LOSS_OF)
    if not wanted.clocks:
        table |= dict.fromkeys(CLOCKS, "clock")
    if not wanted.findings:
        table |= dict.fromkeys(RULINGS | APPEALS, "ruling")
    return Losses(KINDS, table)
