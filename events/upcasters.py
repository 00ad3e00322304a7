"""Pure dict-to-dict steps from an old version of a body to the next; stored bytes never change.

A step from version n of a tag takes the decoded body of version n, gives that of n + 1. Members
it does not know it leaves alone. Reading applies the steps one after the other until the
catalogue's current version is reached; nothing is ever written back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Body = dict[str, object]
Step = Callable[[Body], Body]


def _as_it_is(old: Body) -> Body:
    """What may be left out since was always said before."""
    return old


def _everything_was_shown(old: Body) -> Body:
    """Nothing was kept back before for what it would tell: the default says so."""
    return old


def _nobody_said(old: Body) -> Body:
    """What was not asked before is not known."""
    return old


UPCASTERS: Mapping[tuple[str, int], Step] = {
    ("key.rotated", 1): _as_it_is,
    ("appeal.filed", 1): _nobody_said,
    ("clock.flag_noticed", 1): _nobody_said,
    ("dice.early_roll_answered", 1): _nobody_said,
    ("equipment.agreed", 1): _nobody_said,
    ("decision.reported", 1): _nobody_said,
    ("appeal.issued", 1): _everything_was_shown,
}
"""(tag, version that the step reads) to the step."""


CAME_WITH: Mapping[tuple[str, int], frozenset[str]] = {
    ("appeal.filed", 2): frozenset({"on"}),
    ("appeal.issued", 2): frozenset({"hides_score"}),
    ("clock.flag_noticed", 2): frozenset({"gin", "gin_for"}),
    ("decision.reported", 2): frozenset({"by", "description", "on", "reasons", "ruling"}),
    ("dice.early_roll_answered", 2): frozenset({"forfeit", "revises"}),
    ("equipment.agreed", 2): frozenset({"allowed", "until"}),
}
"""(tag, version) to the members that the body has since: none of an older version has them."""


def later_members(tag: str, body: Mapping[str, object], *, schema: int) -> list[str]:
    """Members of a body that came with a later version than it says it is of, in order.

    For doors: what is sealed as version n would be damaged to a program that knows n alone. What
    is sealed already is read as it is.
    """
    return sorted(
        member
        for (of, version), members in CAME_WITH.items()
        if of == tag and version > schema
        for member in members & body.keys()
    )


def upcast(
    tag: str,
    body: Body,
    *,
    schema: int,
    current: int,
    steps: Mapping[tuple[str, int], Step] = UPCASTERS,
) -> Body:
    """`body` of version `schema` as a body of version `current`.

    Raises KeyError with (tag, version) where a step is missing: a version was raised without one.
    """
    for version in range(schema, current):
        body = steps[tag, version](dict(body))
    return body
