"""Runs the garbage collector rarely while files are imported, in every process that reads them."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

LEFT_OVER = 300_000
"""Collect once there are so many new objects."""

_THRESHOLDS = gc.get_threshold()


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect rarely, and only among objects made since.

    An import makes almost no reference cycles, and searching for them takes long.
    """
    gc.freeze()
    gc.set_threshold(LEFT_OVER, *_THRESHOLDS[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_THRESHOLDS)
        gc.unfreeze()
