"""`usbgf-2017-09`: USBGF Tournament Rules ratified in August 2017, in hand only in part.

Where the ratified text is not in hand the answer is a question with the draft's answer as a
suggestion, unless the matrix takes the draft's text unverified (`unverified`) or the Director has
pinned `gaps_from: usbgf-2017-07`, which adopts it for every gap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import MappingProxyType

from msgspec.structs import replace

from events.values import CHECKERS
from projections.rules import index
from projections.rules.answers import NOT_IN_HAND, SILENT, Answer, ambiguous, left_open, settled
from projections.rules.profile import (
    Contents,
    CubeFault,
    Facts,
    Hearing,
    Policies,
    Policy,
    RuleProfile,
    Rules,
    Withheld,
)
from projections.rules.subjects import (
    clock_terms,
    cube_doubles,
    cube_signs,
    dice,
    endings,
    handling,
    premature,
    resting,
    windows,
)
from projections.rules.subjects.clock_terms import FlagFacts, TermsFacts
from projections.rules.subjects.cube_doubles import DoubleFacts
from projections.rules.subjects.cube_found import FoundFacts
from projections.rules.subjects.dice import Die, ThrowText
from projections.rules.subjects.endings import GAME_VALUE, Finished
from projections.rules.subjects.handling import HANDLING, Handled
from projections.rules.subjects.match_length import LengthFacts
from projections.rules.subjects.penalties import barring
from projections.rules.subjects.premature import EarlyCube, EarlyRoll, PlayChange, TurnAct
from projections.rules.subjects.windows import WINDOW_PLAY, WindowFacts
from projections.rules.texts.usbgf_2017_07 import cube, play, table, timing
from projections.rules.texts.usbgf_2017_07 import sections as at
from projections.rules.texts.usbgf_2017_07.play import responsible
from projections.rules.texts.usbgf_2017_07.profile import USBGF_2017_07
from projections.rules.texts.usbgf_2017_07.results import VALUE, cube_by_length, wrong_length

CONTENTS = Contents(USBGF_2017_07.contents)
"""The sections known of the ratified text; where it is not in hand, by the draft's numbers."""

DISCRETION = CONTENTS.section("[1.1]", "the Director's discretion, duty to point out, penalties")
MONITORS = CONTENTS.section("[1.3.3]", "monitors")
VALID_ROLLS = CONTENTS.section(
    "S000", "valid rolls: the ratified rule, as the federation explains it"
)
MONITORED_MOVES = "[1.3.3, 4.2.3]"
"""What the ratified text says of monitors, and of legal moves."""


def not_in_hand(subject: str, facts: object, rules: Rules) -> Answer:
    """A question that suggests the draft's answer; or that answer, where the Director adopts it."""
    draft = USBGF_2017_07.policies.get(subject)
    if rules.options.get("gaps_from") == USBGF_2017_07.id:
        # What the draft has no policy for it is silent on: that, too, is what it says.
        if draft is None:
            return replace(left_open(SILENT, USBGF_2017_07.cite(subject)[1]), verified=False)
        answer = draft(facts, rules)  # type: ignore[arg-type]  # they are of that subject
        return replace(answer, verified=False)
    suggest = USBGF_2017_07.id if draft is not None else None
    return left_open(NOT_IN_HAND, USBGF_2017_07.cite(subject)[1], suggest=suggest)


def terms(facts: TermsFacts, rules: Rules) -> Answer:
    """As the draft for open events at 0-0; its other numbers may have changed."""
    if facts.points_played:
        return ambiguous("AMB-K1", at.CLOCKS, "by_match_length", "reduced")
    drafted = timing.terms(facts, rules)
    if clock_terms.event_kind(facts, rules) in ("open", None) and not drafted.is_open:
        return replace(drafted, verified=False)
    if rules.options.get("gaps_from") == USBGF_2017_07.id:
        return replace(drafted, verified=False)
    return left_open(NOT_IN_HAND, at.CLOCKS, suggest=USBGF_2017_07.id)


def flag(facts: FlagFacts, rules: Rules) -> Answer:
    """As the draft, not verified; its ambiguities are the same, without a lean."""
    answer = timing.flag(facts, rules)
    return replace(answer, lean=None) if answer.is_open else replace(answer, verified=False)


def doubling_time(facts: DoubleFacts, rules: Rules) -> Answer:
    """What the common rules settle is settled; the rest is not in hand."""
    return _silence_not_in_hand(cube.doubling_time(facts, rules), rules)


def found(facts: FoundFacts, rules: Rules) -> Answer:
    """As the draft, unverified; what follows after a Crawford game is not in hand."""
    answer = cube.found(facts, rules)
    if not answer.is_open:
        return replace(answer, verified=False)
    if facts.fault is CubeFault.CRAWFORD:
        if rules.options.get("gaps_from") is not None:
            return replace(answer, verified=False)
        return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest=USBGF_2017_07.id)
    return answer


def _silence_not_in_hand(answer: Answer, rules: Rules) -> Answer:
    """A silence of the draft is a text not in hand in the ratified one."""
    if answer.reason != SILENT or rules.options.get("gaps_from") is not None:
        return answer
    return left_open(NOT_IN_HAND, answer.section, *answer.readings, suggest=USBGF_2017_07.id)


def as_ratified(policy: Policy[Facts]) -> Policy[Facts]:
    """The draft's settled answers, unverified; its ambiguities; its silences as not in hand."""

    @wraps(policy)
    def answer(facts: Facts, rules: Rules) -> Answer:
        draft = policy(facts, rules)
        if draft.is_open:
            return _silence_not_in_hand(draft, rules)
        also = {name: _silence_not_in_hand(other, rules) for name, other in draft.also.items()}
        return replace(draft, verified=False, also=MappingProxyType(also))

    return answer


def settled_only(policy: Policy[Facts]) -> Policy[Facts]:
    """Every question of the draft is one of a text not in hand; the same settled answers."""

    @wraps(policy)
    def answer(facts: Facts, rules: Rules) -> Answer:
        draft = policy(facts, rules)
        if not draft.is_open or rules.options.get("gaps_from") is not None:
            return draft
        return left_open(NOT_IN_HAND, draft.section, *draft.readings, suggest=USBGF_2017_07.id)

    return answer


_die_as_explained = resting.by_option(
    # Valid rolls, as the federation explains them.
    resting.by_checks(
        VALID_ROLLS, resting.at_rest, resting.on_playing_field, resting.side_of_throw,
        resting.on_field_or_checkers, resting.unsupported, resting.not_balanced,
        resting.at_rest_when_balanced, resting.not_below_all_tops, resting.return_unclear,
        resting.thrown_to_the_right,
    ),
    resting.by_checks(
        VALID_ROLLS, resting.at_rest, resting.on_playing_field, resting.side_of_throw,
        resting.on_field_or_checkers, resting.off_checkers, resting.unsupported,
        resting.not_balanced, resting.at_rest_when_balanced, resting.surface_sound,
        resting.return_unclear, resting.thrown_to_the_right,
    ),
)  # fmt: skip


def valid_die(die: Die, rules: Rules) -> Answer:
    """The ratified text: without clear evidence of support there is none."""
    answer = _die_as_explained(die, rules)
    if die.is_support_unclear and answer.outcome == dice.VALID:
        return replace(answer, flag="AMB-D7")
    return answer


valid_throw = dice.throw(
    ThrowText(section=VALID_ROLLS, tie_section=VALID_ROLLS, flaw_section=VALID_ROLLS)
)


def game_value_of_fifteen(facts: Finished, rules: Rules) -> Answer:
    """Common to all texts where both had fifteen; else that of the ratified one is not in hand."""
    if facts.winners_checkers == facts.losers_checkers == CHECKERS:
        return endings.game_value(VALUE, facts, rules)
    return rules.gap(GAME_VALUE, facts)


def unverified(policy: Policy[LengthFacts]) -> Policy[LengthFacts]:
    """The draft's answer for the ratified text; a question is nobody's answer, and stays one."""

    def answer(facts: LengthFacts, rules: Rules) -> Answer:
        said = policy(facts, rules)
        return said if said.is_open else replace(said, verified=False)

    return answer


def _as_far_as_taken(draft: Policy[Facts], is_taken: Callable[[Facts], bool]) -> Policy[Facts]:
    """The draft's answer, unverified, where it is taken over; else a question suggesting it."""

    def answer(facts: Facts, rules: Rules) -> Answer:
        said = draft(facts, rules)
        if rules.options.get("gaps_from") == USBGF_2017_07.id:
            return replace(said, verified=False)
        if is_taken(facts) and not said.is_open:
            return replace(said, verified=False)
        if is_taken(facts) and said.ambiguity is not None:
            return said
        suggest = None if said.is_open else USBGF_2017_07.id
        return left_open(NOT_IN_HAND, said.section, *said.readings, suggest=suggest)

    return answer


def _by_clock(acts: tuple[TurnAct, ...]) -> bool:
    # T-01 is taken over, T-02 and T-03 are not in hand; what was ruled needs no text.
    return all(act.clock == premature.RUNNING or act.ruled is not None for act in acts)


def _is_plain(roll: EarlyRoll) -> bool:
    # T-07 is taken over; T-08 (no choice, no contact) and T-09 (repeated) are not in hand.
    is_first = not (roll.passed_over or roll.unremarked or roll.warned)
    return roll.has_choice and roll.has_contact and is_first and _by_clock(roll.acts)


def _is_clear_change(change: PlayChange) -> bool:
    return change.is_demanded or change.is_early_roll or _by_clock(change.acts)


_rolled = _as_far_as_taken(play.early_roll, _is_plain)
_cube = _as_far_as_taken(play.early_cube, lambda cube: _by_clock(cube.acts))

turn_end = _as_far_as_taken(play.turn_end, lambda act: act.clock == premature.RUNNING)
_changed = _as_far_as_taken(play.play_change, _is_clear_change)


def play_change(change: PlayChange, rules: Rules) -> Answer:
    """As the draft has it, but for an own illegal play: when the turn was over does not matter."""
    if change.is_illegal and not change.is_past and not _is_clear_change(change):
        # That both point out and correct what they notice is in hand ([1.1]).
        return replace(settled(premature.MAY_CHANGE, at.LEGAL_MOVES), verified=False)
    return _changed(change, rules)


def early_roll(roll: EarlyRoll, rules: Rules) -> Answer:
    """As the draft has it; valid rolls are in hand, so a bad throw is one."""
    return premature.bad_throw(roll) or _rolled(roll, rules)


def early_cube(cube: EarlyCube, rules: Rules) -> Answer:
    """As the draft has it; who owns the cube is common to all texts."""
    if cube.is_owned_by_player and not (cube.is_crawford or cube.is_dead):
        return play.early_cube(cube, rules)
    return _cube(cube, rules)


def illegal_play(facts: WindowFacts, rules: Rules) -> Answer:
    """What the ratified text is known to say, and the draft's where it agrees; else a gap."""
    if rules.options.get("moves_policy") == "responsible":
        return responsible(at.LEGAL_MOVES)
    draft = play.illegal_play(facts, rules)
    if draft.ambiguity in ("AMB-M3", "AMB-M7"):
        return draft
    if not _is_untouched(facts):
        return rules.gap(WINDOW_PLAY, facts)
    if facts.noticed_by in windows.STAFF:
        # Monitors may require correction.
        told = play.illegal_play(replace(facts, noticed_by=None), rules)
        return replace(told, section=MONITORED_MOVES)
    if draft.ambiguity == "AMB-M8":
        return draft
    unverified = replace(draft, verified=False)
    return _sanctioned_by(unverified, DISCRETION)


_PUBLISHED = frozenset(
    {
        handling.SPOKE_OTHERWISE,
        *(handling.SPECTATOR_SPOKE, handling.SPECTATOR_ADVISED, handling.SPECTATOR_SIGNALLED),
        *(handling.SPECTATOR_SPOKE_OTHERWISE, handling.SPECTATOR_ON_CLOCK),
        *(handling.SPECTATOR_ON_SETUP, handling.SPECTATOR_BETWEEN),
    }
)
"""Conduct of which the published words are those of the draft: language and spectators."""


def handled(facts: Handled, rules: Rules) -> Answer:
    """Language and spectators as the draft has them; of hands at the board nothing is in hand."""
    sort = facts.kind if facts.seat is None else handling.conduct(facts.kind)
    return table.handled(facts, rules) if sort in _PUBLISHED else rules.gap(HANDLING, facts)


def _is_untouched(facts: WindowFacts) -> bool:
    """Whether nothing has happened since that could bear on the window, in the plainest class."""
    return (
        facts.illegality == windows.DICE_OR_PIPS
        and facts.opponent_rolled is None
        and facts.void_throw is None
        and facts.early_roll is None
        and facts.early_undone is None
        and facts.opponent_doubled is None
        and facts.turn_passed is None
        and facts.offender_rolled is None
        and facts.game_over is None
        and not facts.agreed
        and not facts.is_closed_out
    )


def _sanctioned_by(answer: Answer, section: str) -> Answer:
    sanction = answer.also.get("sanction")
    if sanction is None:
        return answer
    return windows.also(answer, "sanction", replace(sanction, section=section))


SECTIONS = MappingProxyType(
    {
        **USBGF_2017_07.sections,
        "sanctions": DISCRETION,
        "dice.die": VALID_ROLLS,
        "dice.throw": VALID_ROLLS,
        "dice.side": VALID_ROLLS,
        "cube.automatic": DISCRETION,
        "cube.opening": DISCRETION,
    }
)
"""Subject to section, by the draft's numbers where the ratified text is not in hand."""

POLICIES: Policies = MappingProxyType(
    {
        "window.play": illegal_play,
        "cube.time": doubling_time,
        "cube.worth": as_ratified(cube.worth),
        "cube.crawford": as_ratified(cube.in_crawford_game),
        "cube.premature": as_ratified(cube.premature),
        "cube.sign": as_ratified(cube.sign),
        "cube.broken": as_ratified(cube_signs.broken),
        "cube.drop": cube_doubles.drop_at(at.DEAD_CUBE),
        "cube.answer": as_ratified(cube.answered),
        "cube.beaver": settled_only(cube.beaver),
        "cube.found": found,
        "cube.shown": settled_only(cube.shown),
        "crawford.phase": as_ratified(cube.phase),
        "score.gammon": settled_only(cube.gammon),
        "dice.die": valid_die,
        "dice.throw": valid_throw,
        "dice.side": dice.right_alone(VALID_ROLLS),
        "cube.automatic": as_ratified(cube.automatic),
        "clock.terms": terms,
        "clock.delay": clock_terms.simple_delay(at.CLOCKS, verified=False),
        "clock.flag": flag,
        "game.value": game_value_of_fifteen,
        "game.dropped": partial(endings.dropped, at.COMPLETION),
        "match.end": partial(endings.match_end, at.COMPLETION),
        "premature.roll": early_roll,
        "premature.cube": early_cube,
        "turn.end": turn_end,
        "play.change": play_change,
        "play.handling": handled,
        "sanctions": barring(at.REGISTRATION),
        "match_length": unverified(wrong_length),
        "match_length.cube": unverified(cube_by_length),
    }
)
"""Subject to policy; a subject that is missing is one whose text is not in hand."""


_PUBLISHED_SECTIONS = frozenset({at.REGISTRATION, at.LANGUAGE, at.SPECTATORS})


def _index() -> tuple[index.Line, ...]:
    """The draft's lines as far as they are in hand; what the draft alone computes is a question."""
    lines = index.Lines()
    for line in USBGF_2017_07.index:
        known = tuple(name for name in line.names if _is_in_hand(name))
        is_computed = line.how is index.How.COMPUTED
        if line.how is index.How.RECORDED or (is_computed and line.section in _PUBLISHED_SECTIONS):
            lines.append(line)
        elif line.how is index.How.LEFT:
            lines.append(replace(line, why=index.NOT_IN_HAND))
        elif known and line.section != at.ROLLS:
            lines.append(replace(line, names=known))
        elif HANDLING in line.names or not any(name in POLICIES for name in line.names):
            lines.left(line.section, line.what, index.SUGGESTED, item=line.item)
    lines.left(DISCRETION, "the Director's discretion, and penalties", index.DISCRETION)
    lines.computed(DISCRETION, "sanctions for repeated illegal plays: a question", "window.play")
    lines.computed(
        DISCRETION,
        "an opening tie where automatic doubles were agreed: a question",
        "cube.automatic",
    )
    lines.computed(DISCRETION, "what is doubled without a rule: a question", "cube.time")
    lines.computed(at.CRAWFORD, "an opening tie in the Crawford game", "cube.automatic")
    lines.recorded(MONITORS, "that a monitor watches, and at whose request", "monitor.appointed")
    lines.computed(MONITORS, "illegal plays that a monitor points out", "window.play")
    lines.computed(VALID_ROLLS, "whether a die is valid where it rests", "dice.die")
    lines.computed(VALID_ROLLS, "an early roll that is no valid throw", "premature.roll")
    lines.computed(VALID_ROLLS, "a side to throw on that is agreed or permitted", "dice.side")
    lines.computed(VALID_ROLLS, "whether a throw counts, and what is thrown again", "dice.throw")
    return tuple(lines)


def _is_in_hand(name: str) -> bool:
    """Whether the name is a finding's, or a policy's that cites the section that the draft does."""
    if name == HANDLING:
        # Of language and spectators alone.
        return False
    if name not in USBGF_2017_07.policies:
        return True
    return name in POLICIES and SECTIONS.get(name) == USBGF_2017_07.sections.get(name)


USBGF_2017_09 = RuleProfile(
    id="usbgf-2017-09",
    title="USBGF Tournament Rules (ratified August 2017, effective September 2017)",
    default_section=DISCRETION,
    contents=CONTENTS,
    index=_index(),
    sections=SECTIONS,
    choices=USBGF_2017_07.choices,
    options=MappingProxyType(
        {
            **USBGF_2017_07.options,
            "gaps_from": None,
            "event_kind": None,
            "dice_count": None,
            "baffle_box": None,
            "clock_use": None,
            "penalty_scale": None,
        }
    ),
    void_cube_acts=frozenset({CubeFault.CRAWFORD, CubeFault.DEAD}),
    # [5] is not in hand: what the draft gives, and said to be so.
    hearing=Hearing(section=at.APPEALS, unstated=frozenset(Withheld), is_in_hand=False),
    read_from="57016b70ba817434c5b78f5d79fd47fd3ecec22064246321319c594ec0c65040",
    unread=frozenset(CONTENTS) - {VALID_ROLLS},
    policies=POLICIES,
    gap=not_in_hand,
)
"""The profile of the ratified text, as far as it is in hand."""
