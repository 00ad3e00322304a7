"""How a process that another one began for a piece of work sets out, and ends with it."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import IO

_LOOKS_EVERY_S = 1.0
"""How often it is looked whether whoever began it is still there."""


def set_out(gives_way: int) -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go, for a process that lasts no longer than its parent.

    `gives_way`: by so much more patient than its parent is it with the processor (nice).
    """
    end_with(os.getppid())
    if hasattr(os, "nice"):
        os.nice(gives_way)
    # What a library prints is no answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def end_with(parent: int) -> None:
    """End this process soon after its parent: work may take long, and nobody would hear of it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
