"""What a device has to know of games that are given away by words: whether they end by them."""

from __future__ import annotations

from events.values import ONE
from projections.board.position import STARTING
from projections.replay import Replay, Step
from projections.rules.profile import Rules
from projections.rules.subjects.bounds import Race
from projections.rules.subjects.endings import RESIGNATION_VALIDITY, SINGLE, Conceded

_AT_THE_START = Conceded(
    winner=ONE,
    level=SINGLE,
    points=1,
    is_accepted=True,
    is_turn_completed=True,
    race=Race(winner=STARTING.own, loser=STARTING.other, has_contact=True, is_winner_next=True),
)


def played_on(shown: Replay) -> list[str]:
    """Entries that give a game away where the rule set has it go on, by their ids: words, and drops
    that end no match (Biba 4.10)."""
    # A tablet asks after each of its sends: nobody walks through the whole match for that.
    return [step.event.entry_id for step in shown.steps_passing(_is_kept)]


def _is_kept(step: Step) -> bool:
    after = step.after
    return step.event.version in (after.score.kept_at, after.cube.kept_at)


def concedable(rules: Rules) -> str | None:
    """Where alone a rule set lets a game be given away, in its term's word; None = anywhere."""
    word = rules.ask(RESIGNATION_VALIDITY, _AT_THE_START).terms.get("concedable")
    return None if word is None else str(word)
