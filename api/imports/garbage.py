"""How seldom garbage is looked for while files are imported, in whichever process reads them."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

LEFT_OVER = 300_000
"""Objects more than before at which it is looked whether some only refer to themselves."""

_THRESHOLDS = gc.get_threshold()


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Python's collector looks only when very many objects are left over, and at these alone.

    Nearly nothing that an import makes refers to itself, and looking for it takes long.
    """
    gc.freeze()
    gc.set_threshold(LEFT_OVER, *_THRESHOLDS[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_THRESHOLDS)
        gc.unfreeze()
