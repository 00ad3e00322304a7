"""What a file for people does not hold of a match: what is withheld, unasked, or beyond its words.

A text tells a match in words. An HTML page tells it in the same words, and has the entries beside
them as data: there only what is withheld, personal or proof is lost.
"""

from __future__ import annotations

from api.exchange.prose.clear import is_readable, personal_members
from api.exchange.writing.losses import PAGE, TEXT, Losses, lose_corrections
from api.exchange.writing.wanted import Wanted
from events.payloads import attendance, play
from events.payloads.base import Payload
from events.payloads.match import MatchOpened
from projections.replay import Replay, Step

LEFT_OUT = frozenset({"clock", "ruling", "custody", "tournament", "entry"})
"""Kinds of loss whose entries are told nowhere."""


def losses_of(replay: Replay, wanted: Wanted, *, holds_record: bool) -> Losses:
    """Everything that the file does not hold.

    `holds_record`: the file has every entry as data, beside the words.
    """
    losses = Losses(PAGE if holds_record else TEXT, wanted, replay)
    for step in replay.steps:
        losses.at(step, None if is_readable(step.event.payload) else "unread")
        if not wanted.is_held_back and is_left_out(losses, step):
            for finding in step.findings:
                kind = losses.loss_of[step.event.tag]
                losses.note(kind, f"finding {finding.code}", finding.version)
    for step in replay.steps:
        _lose(losses, step, wanted, holds_record=holds_record)
    if not (wanted.findings or wanted.is_held_back):
        for finding in replay.findings:
            losses.note("finding", finding.code, finding.version)
    lose_corrections(losses, replay)
    return losses


def is_left_out(losses: Losses, step: Step) -> bool:
    """Whether nothing is told of an entry, because nobody asked, or nobody could follow it."""
    kind = losses.loss_of.get(step.event.tag)
    return kind in LEFT_OUT and is_readable(step.event.payload)


def _lose(losses: Losses, step: Step, wanted: Wanted, *, holds_record: bool) -> None:
    """What an entry loses beside its words."""
    event = step.event
    losses.note("proof", event.tag, event.version)
    if not is_readable(event.payload):
        return
    for member in personal_members(event.payload):
        if not _is_shown(step, member, wanted):
            losses.note("personal", f"{event.tag} {member}", event.version)
    at_ms = getattr(event.payload, "at_ms", None)
    if at_ms is not None and not _tells_time(event.payload, wanted, holds_record=holds_record):
        losses.note("time", event.tag, event.version)
    if not holds_record:
        _lose_members(losses, event.payload, event.version)


def _is_shown(step: Step, member: str, wanted: Wanted) -> bool:
    """Whether a personal value was handed over."""
    payload = step.event.payload
    if not isinstance(payload, MatchOpened):
        kind = member.rpartition(".")[2]
        said = wanted.spoken.get(step.event.version, {}).get("words", ())
        of_kind = [word for word in said if word["kind"] == kind]
        return bool(of_kind) and all(word["text"] is not None for word in of_kind)
    if member in wanted.details.__struct_fields__:
        return bool(getattr(wanted.details, member))
    return member.startswith("players") and member.endswith("name") and bool(wanted.names)


def _tells_time(payload: Payload, wanted: Wanted, *, holds_record: bool) -> bool:
    """Whether the file says when it was."""
    is_told = isinstance(
        payload,
        attendance.PlayerCalled
        | attendance.PlayerArrived
        | attendance.PlayerLeft
        | attendance.BreakStarted
        | attendance.BreakEnded,
    )
    return is_told or (holds_record and wanted.clocks)


def _lose_members(losses: Losses, payload: Payload, version: int) -> None:
    """Members that words leave out of entries which they otherwise tell."""
    match payload:
        case MatchOpened():
            for member in ("start_basis", "shadow_of", "publication", "source"):
                if getattr(payload, member) is not None:
                    losses.note("header", member, version)
        case play.PlayMade(written=written, hits_not_lifted=left_lying, taps=taps):
            if written is not None or left_lying or taps:
                losses.note("words", "play.made", version)
        case _:
            if getattr(payload, "observations", None):
                losses.note("observation", type(payload).__name__, version)
