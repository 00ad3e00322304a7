"""How many functions a piece of work calls: a measure of its cost that no busy machine moves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(work: Callable[[], Any]) -> int:
    """Python's own functions that are called while `work` runs; built-in ones are not counted."""
    called, before = 0, sys.getprofile()

    def count(_frame: FrameType, event: str, _of: Any) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return called
