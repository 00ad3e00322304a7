"""Pages of the rule sets: what of each section is computed, recorded, or left to people."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from api.html.kept import finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.refusals import Problem
from api.routes.shared.door import door_of
from projections.rules.index import How, by_section
from projections.rules.profile import RuleProfile
from projections.rules.sentences import InHand, Sentence, held
from projections.rules.shelf import SHELF

router = APIRouter(include_in_schema=False)


@router.get("/rules")
async def rules_page(request: Request) -> Response:
    """The list of rule sets, each with how many rules are computed, recorded or left to people."""
    texts = [
        {
            "id": profile.id,
            "title": profile.title,
            "counts": {how.value: sum(line.how is how for line in profile.index) for how in How},
        }
        for profile in SHELF.values()
    ]
    return await hashed_answer(
        request, lambda: finished(rendered(request, "rules.html", texts=texts).encode()), HEADERS
    )


@router.get("/rules/{rule_set}")
async def rule_set_page(request: Request, rule_set: str) -> Response:
    """One rule set by sections, and what of each is verified. Errors: Problem."""
    profile = SHELF.get(rule_set)
    if profile is None:
        raise Problem("not-found", "there is no such rule set")
    in_hand = door_of(request).archive.reading.in_hand
    sections = by_section(profile.contents, profile.index)
    values = {
        "profile": profile,
        "sections": sections,
        "about": profile.contents,
        "stands": {section: _stand(profile, section, in_hand) for section in sections},
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "rule_set.html", **values).encode()), HEADERS
    )


class _Stand(NamedTuple):
    """How a section is verified: by the whole text, or sentence by sentence."""

    read_from: str | None
    """SHA-256 of the text that it was checked against; None = it was not."""
    sentences: tuple[tuple[Sentence, str | None], ...]
    """The sentences that are used, each with its hash if its wording is known."""


def _stand(profile: RuleProfile, section: str, in_hand: InHand) -> _Stand:
    held_now = held(profile.sentences, in_hand.get(profile.id, {}))
    known = (one for one in profile.sentences.values() if one.section == section)
    return _Stand(
        read_from=None if section in profile.unread else profile.read_from,
        sentences=tuple((one, held_now.get(one.name)) for one in known),
    )
