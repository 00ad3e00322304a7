"""Equipment and how it is handled: replaced, chosen, mixed, moved by hand.

What both players agree on is recorded and not judged. Acts of one player alone, or against a text,
are findings; if a text names no remedy, none is added.
"""

from __future__ import annotations

import msgspec

from events.envelope import Basis, RecordedEvent
from events.payloads import attendance, dice, equipment, match, play
from events.payloads.base import Actor, Payload
from events.values import ONE, TWO, Seat
from projections.folding.findings import Finding, judged
from projections.folding.fold import NOTHING, Fold, Seen, on
from projections.folding.sayings import Said, said, worded
from projections.rules.answers import NOT_RECORDED, Answer
from projections.rules.profile import Facts, Subject
from projections.rules.subjects import handling
from projections.rules.subjects.equipment import (
    AFTER_START,
    ALLOWED,
    BY_ONE,
    CHANGE,
    DECIDED,
    IN_GAME,
    LOWER_DIE,
    MIXING,
    NOT_BY_DICE,
    NOT_IN_TURN,
    OUT_OF_ORDER,
    PREFERENCE,
    THROUGHOUT,
    TOO_LATE,
    WITH_A_CLOCK,
    Change,
    Mixing,
    Preference,
)

Result = tuple["OnTable", tuple[Finding, ...]]


class OnTable(msgspec.Struct, frozen=True, gc=False):
    """What was judged so far."""

    answer: Answer | None = None
    """The latest answer; None while nothing was asked."""
    preferred: Seat | None = None
    """Who obtained the first roll for preferences; None = none was made."""
    allowed: frozenset[tuple[str, Seat]] = frozenset()
    """What a player may do beside the board, because the opponent has agreed to it."""
    objected: frozenset[Seat] = frozenset()
    """Who has objected to being photographed, or to a recording of no named kind."""
    on_break: bool = False
    """Whether a break is on."""
    partners: frozenset[Seat] = frozenset()
    """Sides on which two play, and consult one another."""


def evolve(state: OnTable, event: RecordedEvent, payload: Payload, seen: Seen) -> Result:
    """The judgements after one event."""
    match payload:
        case match.MatchOpened(players=players):
            partners = frozenset(seat for seat in (ONE, TWO) if len(players[seat]) > 1)
            return msgspec.structs.replace(state, partners=partners) if partners else state, NOTHING
        case equipment.EquipmentChanged() as changed:
            return _changed(state, event, changed, seen)
        case equipment.EquipmentAgreed() as agreed:
            return _taken(state, event, agreed, seen)
        case equipment.PreferenceRolled() as rolled:
            return _preferred(state, event, rolled, seen)
        case equipment.DiceMixed(demander=demander, picks=picks):
            mixed = Mixing(demander, picks, seen.flow.is_under_way)
            message = said("dice are mixed")
            if mixed.in_game:
                message = said("dice are mixed during a game")
            return _told(
                state, event, MIXING, mixed, message, demander, seen, is_plain=mixed.is_plain
            )
        case equipment.AgreementEnded(item=item):
            sort = handling.conduct(item)
            allowed = frozenset(one for one in state.allowed if one[0] != sort)
            return msgspec.structs.replace(state, allowed=allowed), NOTHING
        case equipment.RecordingObjected(seat=seat, medium=medium):
            if medium is None or handling.conduct(medium) == handling.PICTURES:
                state = msgspec.structs.replace(state, objected=state.objected | {seat})
            return state, NOTHING
        case equipment.RecordingConsented(seat=seat, medium=medium):
            if medium is None or handling.conduct(medium) == handling.PICTURES:
                allowed = state.allowed | {(handling.PICTURES, seat.other)}
                objected = state.objected - {seat}
                state = msgspec.structs.replace(state, objected=objected, allowed=allowed)
            return state, NOTHING
        case attendance.BreakStarted() | attendance.BreakEnded():
            is_on = isinstance(payload, attendance.BreakStarted)
            return msgspec.structs.replace(state, on_break=is_on), NOTHING
        case play.HandlingNoted(seat=seat, kind=kind):
            return _handled(state, event, seat, kind, seen)
        case equipment.SpectatorReported(kind=kind, by=by, to=to):
            # What somebody else reports to the staff, the spectator has done all the same.
            if by is Actor.SPECTATOR and to in _STAFF:
                return state, NOTHING
            # To whom somebody else reported it does not say to whom the spectator spoke.
            spoken_to = to if by is Actor.SPECTATOR else None
            return _spectated(state, event, kind, spoken_to, seen)
        case dice.Repositioned(seat=seat, act=None | "touched_die") as moved:
            # Lifted dice are asked about as the end of a turn; of others it is moot how they moved.
            kind = handling.UNANNOUNCED
            if moved.announced is not None and moved.announced_when == "before":
                if moved.announced == "repositioning_and_roll":
                    return state, NOTHING
                kind = _HALF_TOLD.get(moved.announced, kind)
            return _handled(state, event, seat, kind, seen)
        case _:
            return state, NOTHING


def _handled(state: OnTable, event: RecordedEvent, seat: Seat, kind: str, seen: Seen) -> Result:
    kind = _SAME.get(kind) or handling.manner(kind)
    how = _HANDLED.get(kind)
    message = said("{seat} handled checkers or dice: {kind}", seat=seat, kind=worded(kind))
    sort = handling.conduct(kind)
    if sort in handling.IN_MATCH and not _is_in_progress(seen):
        return state, NOTHING
    handled = handling.Handled(
        seat,
        kind,
        is_allowed=(sort, seat) in state.allowed,
        is_objected=seat.other in state.objected,
        clock=_time_of(seat, seen),
        is_break=state.on_break or not seen.flow.in_game,
        is_consulting=seat in state.partners,
    )
    if how is not None:
        message = said("{seat} handled checkers or dice {how}", seat=seat, how=how)
    elif sort is not None:
        message = said("{seat} {did} ({kind})", seat=seat, did=_DID[sort], kind=worded(kind))
    # If a text is not in hand, or is not binding, nothing depends on it yet.
    return _told(state, event, handling.HANDLING, handled, message, seat, seen, is_plain=True)


def _time_of(seat: Seat, seen: Seen) -> str | None:
    """Whose time runs while a player does something beside the board; None without a clock."""
    if not seen.clock.is_set:
        return None
    running = seen.clock.running
    if running is None:
        return handling.STANDS_STILL
    return handling.OWN_TIME if running is seat else handling.OTHERS_TIME


_STAFF = (Actor.DIRECTOR, Actor.OFFICIAL, Actor.MONITOR)
"""To whom a spectator may always turn."""
_PLAYERS = (Actor.ONE, Actor.TWO, Actor.BOTH)


def _spectated(
    state: OnTable, event: RecordedEvent, kind: str, to: Actor | None, seen: Seen
) -> Result:
    """A spectator who spoke or made signs, held against the rule that speaks of spectators.

    Whatever it is about, who tells the players of it has not remained silent.
    """
    sort = handling.by_spectator(kind, in_game=seen.flow.is_under_way)
    if sort is None and to in _PLAYERS:
        sort = handling.SPECTATOR_SPOKE
    if sort is None or (sort == handling.SPECTATOR_SPOKE_OTHERWISE and not _is_in_progress(seen)):
        return state, NOTHING
    message = said("a spectator {did} ({kind})", did=_SPECTATOR[sort], kind=worded(kind))
    acted = handling.Handled(None, sort)
    return _told(state, event, handling.HANDLING, acted, message, None, seen, is_plain=True)


def _is_in_progress(seen: Seen) -> bool:
    """Whether the match is in progress: its first game is set up, and nobody has won it."""
    return seen.score.game_number > 0 and seen.score.winner is None


_SPECTATOR = {
    handling.SPECTATOR_ADVISED: said("spoke about the moves"),
    handling.SPECTATOR_SPOKE_OTHERWISE: said("spoke another language than the official one"),
    handling.SPECTATOR_SPOKE: said("did not remain silent"),
    handling.SPECTATOR_SIGNALLED: said("and a player made signs"),
    handling.SPECTATOR_ON_CLOCK: said("spoke of the clock during a game"),
    handling.SPECTATOR_ON_SETUP: said("spoke of the set-up during a game"),
    handling.SPECTATOR_BETWEEN: said("spoke of the table between games"),
}
"""What a spectator did, in words."""


def _changed(
    state: OnTable, event: RecordedEvent, changed: equipment.EquipmentChanged, seen: Seen
) -> Result:
    if not seen.score.game_number or event.basis is Basis.RULED:
        # Before the start nothing is replaced that had to stay.
        return state, NOTHING
    between, by = changed.between_games, changed.by
    in_game = seen.flow.is_under_way if between is None else not between
    facts = Change(changed.item, by.value, in_game)
    message = said("{who} replaced {item}", who=_named(by), item=worded(changed.item))
    if in_game:
        message = said(
            "{who} replaced {item} during a game", who=_named(by), item=worded(changed.item)
        )
    return _told(state, event, CHANGE, facts, message, by.seat, seen, is_plain=facts.is_plain)


def _taken(
    state: OnTable, event: RecordedEvent, agreed: equipment.EquipmentAgreed, seen: Seen
) -> Result:
    """Something that one player alone takes into use: what a text calls an option takes both."""
    by, seats = agreed.by, agreed.seats
    seat = by.seat if by is not None else seats[0] if len(set(seats)) == 1 else None
    is_agreed = event.basis.settles or len(set(seats)) > 1
    sort = handling.conduct(agreed.item)
    if sort is not None:
        return _allowed(state, agreed, sort, seat, is_agreed=is_agreed), NOTHING
    if seat is None or is_agreed or agreed.allowed is not None:
        return state, NOTHING
    facts = Change(
        agreed.item,
        seat.value,
        seen.flow.is_under_way,
        is_use=True,
        count=agreed.count,
        is_timed=seen.clock.is_set,
    )
    message = said("{seat} alone takes into use: {item}", seat=seat, item=worded(agreed.item))
    if agreed.count is not None:
        message = said(
            "{seat} alone takes {count} {item} into use",
            seat=seat,
            count=agreed.count,
            item=worded(agreed.item),
        )
    return _told(state, event, CHANGE, facts, message, seat, seen, is_plain=True)


def _allowed(
    state: OnTable,
    agreed: equipment.EquipmentAgreed,
    sort: str,
    by: Seat | None,
    *,
    is_agreed: bool,
) -> OnTable:
    """What a player does beside the board, with the opponent's consent."""
    seats: tuple[Seat, ...] = ()
    if agreed.allowed is None:
        if is_agreed or agreed.by is Actor.BOTH:
            seats = tuple(set(agreed.seats)) or (ONE, TWO)
    elif is_agreed or by is not agreed.allowed:
        # His own word gives him no permission that is the opponent's to give.
        seats = (agreed.allowed,)
    allowed = state.allowed | {(sort, seat) for seat in seats}
    return msgspec.structs.replace(state, allowed=allowed)


def _preferred(
    state: OnTable, event: RecordedEvent, rolled: equipment.PreferenceRolled, seen: Seen
) -> Result:
    winner, faces = rolled.winner, rolled.dice
    new = state if state.preferred is not None else msgspec.structs.replace(state, preferred=winner)
    if event.basis is Basis.RULED:
        # The Director decides instead of the dice.
        return new, NOTHING
    higher = None
    if faces is not None and faces.one != faces.two:
        higher = ONE if faces.one > faces.two else TWO
    facts = Preference(
        winner,
        higher,
        is_tie=faces is not None and faces.one == faces.two,
        is_begun=_is_begun(seen),
        earlier=state.preferred,
        items=rolled.items,
    )
    message = said(
        "the dice are said to give {seat} the choice of board, colour, seat or direction",
        seat=winner,
    )
    return _told(new, event, PREFERENCE, facts, message, winner, seen, is_plain=facts.is_plain)


def _is_begun(seen: Seen) -> bool:
    """Whether the first game has begun: set up it is still before the start, until it is rolled."""
    return seen.score.game_number > 1 or (
        seen.score.game_number == 1 and not (seen.flow.in_game and seen.flow.awaits_opening)
    )


def _told(
    state: OnTable,
    event: RecordedEvent,
    subject: Subject[Facts],
    facts: Facts,
    message: Said,
    seat: Seat | None,
    seen: Seen,
    *,
    is_plain: bool,
) -> Result:
    """The answer: a finding if it is against the text, or a question if somebody may object."""
    answer = seen.rules.ask(subject, facts)
    new = msgspec.structs.replace(state, answer=answer)
    # A text that stops short itself is asked about; one that is not in hand, or binds nobody, not.
    is_own = answer.ambiguity is not None or answer.reason == NOT_RECORDED
    is_own = is_own and answer.suggest is None and answer.verified
    is_moot = (is_plain and not is_own) or not _is_asked(answer)
    if answer.outcome == ALLOWED or (answer.is_open and is_moot):
        return new, NOTHING
    if answer.is_open:
        message = said("{what}; what follows is for the Director to decide", what=message)
    else:
        message = _against(message, answer)
    code = "handling" if subject == handling.HANDLING else "equipment"
    return new, (judged(code, event, message, answer, subject, seen.rules, seat=seat),)


_AGAINST = {
    IN_GAME: said("players do so between games alone"),
    BY_ONE: said("players do so by agreement alone"),
    AFTER_START: said("after the start the director alone does so"),
    THROUGHOUT: said("what was selected is used throughout"),
    TOO_LATE: said("preferences are settled before the start"),
    LOWER_DIE: said("the higher die decides"),
    DECIDED: said("one roll decides all preferences"),
    NOT_BY_DICE: said("the rules themselves say who may insist on it, and no roll decides it"),
    WITH_A_CLOCK: said("with a clock two dice are used, and the others are set aside"),
    OUT_OF_ORDER: said("the opponent of whoever rolls them out picks first"),
    NOT_IN_TURN: said("each picks a die in turn"),
    handling.ADVERSE: said("in a dispute it may count against that player"),
    handling.DEVIATES: said(
        "the rule cited here asks for it otherwise, and names nothing that follows"
    ),
    handling.ON_PROOF: said("with proof of it all parties are disqualified"),
    handling.IF_AGREED: said("players may do so only where the opponent agrees"),
    handling.PUNISHED: said(
        "the Director may warn, take points or have the player leave the competition"
    ),
    handling.IF_NOT_OBJECTED: said("players may do so where the opponent does not object"),
    handling.ON_A_CLOCK: said(
        "where either player may insist on a clock, it is done with a clock alone"
    ),
    handling.REFRAIN: said("players must refrain from it where the opponent asks for it"),
}
"""What a text says against it, by the reason that its policy gives."""


def _against(message: Said, answer: Answer) -> Said:
    """What happened, and what the text says against it."""
    why = str(answer.details.get("why", answer.outcome))
    return said("{what}; {why}", what=message, why=_AGAINST.get(why) or worded(why))


_HALF_TOLD = {"repositioning": handling.ROLL_UNSAID, "roll": handling.INTENT_UNSAID}
"""What was announced before dice were moved aside, to what of it was not."""

_SAME = {
    "shaking": handling.SHAKING,
    "dice_shaking": handling.SHAKING,
    "excessive_dice_shaking": handling.SHAKING,
    "talking_during_play": handling.TALKING,
    "talking_in_play": handling.TALKING,
}
"""Other words for the same."""

_HANDLED = {
    handling.TWO_HANDS: said("with two hands"),
    handling.OPPONENTS_TURN: said("in the opponent's turn"),
    handling.NOT_OFFSET: said("with a tested play not set apart"),
    handling.NOT_RESTORED: said("with the position not restored before another test"),
    handling.UNCLEAR: said("with no clear destination"),
    handling.BAR_NOT_FIRST: said("with a checker still on the bar"),
    handling.HIT_NOT_ON_BAR: said("with a hit checker kept off the bar"),
    handling.OFF_ON_FIELD: said("with borne-off checkers on the playing field"),
    handling.UNANNOUNCED: said("with dice moved aside and nothing announced"),
    handling.ROLL_UNSAID: said("with dice moved aside and the roll not stated"),
    handling.INTENT_UNSAID: said("with dice moved aside and only the roll stated"),
    handling.SHAKING: said("with excessive shaking of the dice"),
    handling.TALKING: said("talking during play"),
    handling.DICE_TOUCHED: said("with dice touched"),
    handling.MANIPULATED: said("with dice or equipment manipulated"),
}
"""How checkers or dice were handled, in words."""


_DID = {
    handling.AIDED: said("used an aid in the match"),
    handling.DEVICE_BESIDE: said("used a device for what is no help in play"),
    handling.CONSULTED: said("took advice in the match"),
    handling.FOUL_WORDS: said("used foul, threatening or insulting words"),
    handling.SPOKE_OTHERWISE: said("spoke another language than the official one"),
    handling.HEADPHONES: said("wore headphones"),
    handling.HEADPHONES_FORBIDDEN: said("wore headphones that the opponent did not want"),
    handling.MATCH_RECORDED: said("used an aid to record the match"),
    handling.SCORE_KEPT: said("used an aid to keep the score"),
    handling.PICTURES: said("took pictures"),
}
"""What a player did beside the board, in words."""


def _is_asked(answer: Answer) -> bool:
    """Whether the text mentions it; if not, it is asked only once somebody objects."""
    return bool(answer.readings) or answer.suggest is not None


def _named(by: Actor) -> Said:
    seat = by.seat
    return worded(by.value) if seat is None else said("{seat}", seat=seat)


FOLD = Fold(
    OnTable,
    *(
        on(kind, evolve)
        for kind in (
            match.MatchOpened,
            equipment.EquipmentAgreed,
            equipment.EquipmentChanged,
            equipment.PreferenceRolled,
            equipment.DiceMixed,
            equipment.AgreementEnded,
            equipment.RecordingObjected,
            equipment.RecordingConsented,
            attendance.BreakStarted,
            attendance.BreakEnded,
            equipment.SpectatorReported,
            play.HandlingNoted,
            dice.Repositioned,
        )
    ),
)
"""The fold of what lies on the table."""
