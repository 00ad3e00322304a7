"""Cases in bunches lose no claim: every one is tried, and each that fails is named."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.bunches import in_bunches

HAS_TO_FAIL = pytest.mark.xfail(raises=AssertionError, strict=True)


def run(values: list[Any], of: int = 24) -> tuple[list[int], list[str]]:
    """The numbers given to a test that expects odd ones, and the messages of its failures."""
    tried: list[int] = []

    @in_bunches("number", values, of=of)
    def test_is_odd(number: int, tried: list[int]) -> None:
        tried.append(number)
        assert number % 2

    [mark] = test_is_odd.pytestmark  # type: ignore[attr-defined]
    wrong: list[str] = []
    for bunch in mark.args[1]:
        try:
            test_is_odd(bunch=bunch, tried=tried)
        except ExceptionGroup as group:
            wrong += [error.__notes__[0] for error in group.exceptions]
    return tried, wrong


def test_every_value_is_tried_and_each_that_fails_is_named() -> None:
    assert run([1, 2, 3, 4, 5], of=2) == ([1, 2, 3, 4, 5], ["test_is_odd[2]", "test_is_odd[4]"])


async def test_coroutines_are_awaited() -> None:
    tried: list[int] = []

    @in_bunches("number", [1, 2, 3])
    async def test_is_odd(number: int) -> None:
        await asyncio.sleep(0)
        tried.append(number)
        assert number % 2

    [mark] = test_is_odd.pytestmark  # type: ignore[attr-defined]
    [bunch] = mark.args[1]
    with pytest.raises(ExceptionGroup, match="1 of 3 cases"):
        await test_is_odd(bunch=bunch)
    assert tried == [1, 2, 3]


def test_what_is_expected_to_fail_has_to() -> None:
    values = [pytest.param(n, id=f"n{n}", marks=HAS_TO_FAIL) for n in (1, 2)]
    assert run(values) == ([1, 2], ["test_is_odd[n1]"])


@in_bunches(("one", "other"), [pytest.param(1, 2, id="low"), pytest.param(3, 4, id="high")])
@pytest.mark.parametrize("by", [10, 20])
def test_values_come_in_pairs_beside_other_parameters(one: int, other: int, by: int) -> None:
    assert (other - one) * by in (10, 20)
