"""Whether a hand may correct an entry, and what a correction must not release or unseal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from api.archive.publicity import publicity_of
from api.archive.reading import Live
from api.desk.hand import Hand
from api.refusals import NotPermitted
from events import catalogue
from events.envelope import EventDraft, RecordedEvent
from events.errors import BadInput
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended, EntryRetracted
from events.payloads.match import MatchOpened
from projections.custody.access import DIRECTOR_NOUNS, SEALED_BALLOTS
from projections.views.words import is_sealed


def check_corrections(
    hand: Hand, log_id: str, stream_id: str, *, live: Live, payloads: Sequence[Payload]
) -> None:
    """Refuse corrections of, or into, entries that the hand may not record itself.

    Correcting a correction is refused likewise. Errors: NotPermitted, BadInput.
    """
    for index, payload in enumerate(payloads):
        if not isinstance(payload, EntryAmended | EntryRetracted):
            continue
        if isinstance(payload, EntryAmended) and payload.tag in catalogue.TOURNAMENT_TAGS:
            place = f"$.entries[{index}].body.tag"
            raise BadInput(f"{payload.tag} belongs to the tournament's stream", where=place)
        corrected = [*_corrected(live, payload.target)]
        tags = [event.tag for event in corrected]
        for one in (payload, *(event.payload for event in corrected)):
            if isinstance(one, EntryAmended):
                tags.append(one.tag)
        for tag in tags:
            if not hand.may_append(log_id, stream_id, tag):
                raise NotPermitted(
                    f"this token may not record {tag} here, nor correct it", needs=needed(tag)
                )
        if not corrected:
            continue
        first = corrected[-1].payload
        if isinstance(first, MatchOpened):
            _check_beside(first, payload, index)
        was_sealed = any(is_sealed(event.payload) for event in corrected)
        shows = isinstance(payload, EntryAmended) and was_sealed and not is_sealed(payload)
        if shows and not hand.may_append(log_id, stream_id, "publication.released"):
            raise NotPermitted(
                "this token may not show what was said under seal", needs=needed("publication.")
            )


def _corrected(live: Live, target: str) -> Iterator[RecordedEvent]:
    """The corrected entry, and what that corrects, down to the entry recorded first."""
    for event in reversed(live.recorded):
        # A correction follows what it corrects, so going back once finds them all.
        if event.entry_id == target:
            yield event
            if not isinstance(event.payload, EntryAmended | EntryRetracted):
                return
            target = event.payload.target


def _check_beside(first: MatchOpened, payload: EntryAmended | EntryRetracted, index: int) -> None:
    """Refuse to change which match a second record lies beside, as that decides who reads it."""
    told = payload.replacement if isinstance(payload, EntryAmended) else None
    beside = told.shadow_of if isinstance(told, MatchOpened) else None
    if beside != first.shadow_of:
        raise BadInput(
            "a second record stays beside the match that it was opened beside, and no other record"
            " becomes one: open another record",
            where=f"$.entries[{index}].body",
        )


def check_publicity(
    hand: Hand,
    log_id: str,
    stream_id: str,
    *,
    live: Live,
    drafts: Sequence[EventDraft],
    payloads: Sequence[Payload],
) -> None:
    """Refuse to release a match by its opening or by a correction, unless the hand may release it.

    Also refused while an appeal is open: changes of what the rule set keeps from the committee.
    Errors: NotPermitted.
    """
    if not any(_may_change_publicity(live, payload) for payload in payloads):
        return
    if hand.may_append(log_id, stream_id, "publication.released"):
        return
    known = live.replay
    events = [
        RecordedEvent(known.version + index, draft.entry_id, draft.tag, draft.basis, payload)
        for index, (draft, payload) in enumerate(zip(drafts, payloads, strict=True), 1)
    ]
    shown = known.extended(events)
    if publicity_of(shown).terms != live.publicity.terms:
        raise NotPermitted(
            "this token may not decide who reads the match", needs=needed("publication.")
        )
    before, after = known.rules.profile.hearing, shown.rules.profile.hearing
    if live.publicity.appeals and before != after:
        raise NotPermitted(
            "an appeal is open: this token may not put the match under a rule set that keeps"
            " something else from the committee",
            needs=needed("publication."),
        )


def _may_change_publicity(live: Live, payload: Payload) -> bool:
    """A quick check: most corrections are of a roll or a play, and need no closer look."""
    if not isinstance(payload, EntryAmended | EntryRetracted):
        return isinstance(payload, MatchOpened)
    tags = [event.tag for event in _corrected(live, payload.target)]
    if isinstance(payload, EntryAmended):
        tags.append(payload.tag)
    elif not tags:
        return True
    return any(tag.startswith(("match.", "publication.", "appeal.", "entry.")) for tag in tags)


def needed(tag: str) -> str:
    """Who may record entries of a tag, in words."""
    if tag == "disclosure.erased":
        return "archivist of the log; a director erases a file by its address"
    if tag in catalogue.TOURNAMENT_TAGS:
        return "director or archivist of the log"
    if tag in SEALED_BALLOTS:
        return "a member of the committee, at the desk of the case"
    if tag == "vote.cast":
        return "director of the match; a member of the committee votes at the desk of the case"
    if tag.startswith(DIRECTOR_NOUNS):
        return "director of the match"
    return "scribe or director of the match"
