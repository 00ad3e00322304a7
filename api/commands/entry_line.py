"""One entry of a match in one line, as a person at the board would say it."""

from __future__ import annotations

from api.commands.printing import safe
from events.payloads import clock, cube, dice, dispute, ending, match, play
from events.values import BySeat, Seat
from projections.replay import Step
from projections.views.lines import Line
from projections.views.transcript import asides


def told(value: Line, step: Step, names: BySeat[str]) -> str:
    """Version, who, what; `value` is the entry's line of `replay --json`."""
    seat = getattr(step.event.payload, "seat", None)
    who = f"{names[seat]}: " if isinstance(seat, Seat) else ""
    what = _what(value, step, names)
    if what is not None:
        return f"{value['version']:>5}  {who}{what}"
    # Lines of the transcript name the player in the sentence itself.
    said = "; ".join(asides(step, names))
    return f"{value['version']:>5}  {safe(said or who + _words(step.event.tag.replace('.', ': ')))}"


def _what(value: Line, step: Step, names: BySeat[str]) -> str | None:
    """The act in the words of this page; None if the transcript's words are used."""
    payload = step.event.payload
    match payload:
        case dice.OpeningRolled(one=one, two=two):
            if one == two:
                return f"opening roll {one}-{two}, a tie: rolled again"
            first = Seat.ONE if one > two else Seat.TWO
            return f"opening roll {one}-{two}: {names[first]} begins"
        case dice.Rolled(dice=(first_die, second)):
            return f"rolls {first_die}-{second}"
        case dice.RolledEarly(dice=(first_die, second)):
            return f"rolls {first_die}-{second} early"
        case dice.Voided(reason=reason, target=target):
            faces = "-".join("?" if die is None else str(die) for die in payload.dice or ())
            thrown = f"throw {faces}" if faces else "the throw" if target is None else "the roll"
            return f"{thrown} is void: {_words(reason.value)}"
        case play.PlayMade() | play.PlayRevised() | play.PlayCorrected():
            verb = {"play.made": "plays", "play.revised": "plays instead"}.get(
                step.event.tag, "the play is put right:"
            )
            text = value["play"]
            if text is None:
                return f"{verb} to a position that is recorded as a whole"
            score = step.after.score
            end = _score(value) if score.ended_at == value["version"] else ""
            return f"{verb} {text}{end}" if text else "cannot play"
        case cube.DoubleOffered():
            return f"doubles to {step.before.cube.value * 2}"
        case cube.DoubleTaken():
            return "takes"
        case cube.DoubleDropped():
            return f"drops{_score(value)}"
        case ending.ResignationOffered(level=level):
            return "resigns" if level is None else f"resigns a {level.value}"
        case ending.ResignationAccepted():
            return f"the resignation is accepted{_score(value)}"
        case match.GameStarted():
            return f"game {step.after.score.game_number}{_score(value)}"
        case match.GameWon(winner=winner, points=points):
            return f"{names[winner]} is said to win {points}{_score(value)}"
        case match.ScoreNoted(score=noted):
            return "score noted" + ("" if noted is None else f": {noted.one}-{noted.two}")
        case match.ScoreStated(score=stated):
            return f"score stated: {stated.one}-{stated.two}"
        case match.MatchEnded(winner=ended):
            return "the match ends" + ("" if ended is None else f": {names[ended]} wins")
        case match.MatchOpened(length=length):
            what = "a money session" if length is None else f"a match to {length}"
            return f"{names.one} and {names.two} begin {what}"
        case clock.ClockPressed():
            return "presses the clock"
        case dispute.RulingMade(references=references, answers=answers):
            cited = ", ".join(f"{rule.rule_set} {rule.section}" for rule in references)
            chosen = "; ".join(f"{one.question.topic}: {one.reading}" for one in answers)
            said = f" by {cited}" if cited else ""
            return safe(f"the director rules{said}{': ' if chosen else ''}{chosen}")
        case _:
            return None


def _score(value: Line) -> str:
    return f" ({value['score']['one']}-{value['score']['two']})"


def _words(name: str) -> str:
    return name.replace("_", " ")
