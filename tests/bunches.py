"""Many like cases in a few tests: one of a millisecond costs five more as a test of its own."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest

Test = Callable[..., Any]


class _One(NamedTuple):
    """One case of a bunch."""

    name: str
    arguments: dict[str, Any]
    has_to_fail: Any
    """The exception that has to come; None where none may."""


def in_bunches(
    arguments: str | tuple[str, ...],
    values: Iterable[Any],
    *,
    ids: Callable[[Any], str] = str,
    of: int = 24,
) -> Callable[[Test], Test]:
    """`pytest.mark.parametrize` with one test for `of` values at a time.

    All values of a bunch are tried, whatever one of them comes to, and a failure names each that
    failed by its id. Values may be `pytest.param` with an id; one with the mark `xfail` has to
    fail with the exception that the mark names. For tests that leave nothing in their fixtures.
    Cases of a coroutine run one after the other.
    """
    names = (arguments,) if isinstance(arguments, str) else arguments
    cases = [_one(names, value, ids) for value in values]
    bunches = [cases[at : at + of] for at in range(0, len(cases), of)]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def over_all(bunch: list[_One], **others: Any) -> None:
            wrong: list[Exception] = []
            for one in bunch:
                with _tried(one, test, wrong):
                    test(**one.arguments, **others)
            _tell(wrong, bunch)

        @functools.wraps(test)
        async def one_after_the_other(bunch: list[_One], **others: Any) -> None:
            wrong: list[Exception] = []
            for one in bunch:
                with _tried(one, test, wrong):
                    await test(**one.arguments, **others)
            _tell(wrong, bunch)

        made: Test = one_after_the_other if inspect.iscoroutinefunction(test) else over_all
        given = inspect.signature(test).parameters
        others = [one for name, one in given.items() if name not in names]
        bunch = inspect.Parameter("bunch", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        made.__signature__ = inspect.Signature([bunch, *others])  # type: ignore[attr-defined]
        told = [_name_of(bunch) for bunch in bunches]
        return pytest.mark.parametrize("bunch", bunches, ids=told)(made)

    return decorate


@contextlib.contextmanager
def _tried(one: _One, test: Test, wrong: list[Exception]) -> Iterator[None]:
    try:
        with (
            contextlib.nullcontext() if one.has_to_fail is None else pytest.raises(one.has_to_fail)
        ):
            yield
    except (Exception, pytest.fail.Exception) as error:
        told = error if isinstance(error, Exception) else AssertionError(str(error))
        told.add_note(f"{test.__name__}[{one.name}]")
        wrong.append(told)


def _tell(wrong: list[Exception], bunch: list[_One]) -> None:
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(bunch)} cases", wrong)


def _one(names: tuple[str, ...], value: Any, ids: Callable[[Any], str]) -> _One:
    if not hasattr(value, "marks"):
        return _One(ids(value), {names[0]: value}, None)
    has_to_fail = [mark.kwargs["raises"] for mark in value.marks if mark.name == "xfail"]
    return _One(value.id, dict(zip(names, value.values, strict=True)), *has_to_fail or [None])


def _name_of(bunch: list[_One]) -> str:
    """The first and the last of it."""
    return "..".join(dict.fromkeys([bunch[0].name, bunch[-1].name]))
