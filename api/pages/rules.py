"""The rule sets: every section of every text, and what is computed, recorded, or left to people."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.html.kept import finished, hashed_answer
from api.html.templates import HEADERS, rendered
from api.refusals import Problem
from projections.rules.index import How, by_section
from projections.rules.shelf import SHELF

router = APIRouter(include_in_schema=False)


@router.get("/rules")
async def rules_page(request: Request) -> Response:
    """All rule sets, and how many of their rules are computed, recorded, or left to a person."""
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
    """One text, section by section. Errors: Problem."""
    profile = SHELF.get(rule_set)
    if profile is None:
        raise Problem("not-found", "there is no such rule set")
    values = {
        "profile": profile,
        "sections": by_section(profile.contents, profile.index),
        "about": profile.contents,
    }
    return await hashed_answer(
        request, lambda: finished(rendered(request, "rule_set.html", **values).encode()), HEADERS
    )
