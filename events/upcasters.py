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
