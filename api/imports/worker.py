"""A process that makes files ready for an import: bytes in, matches out, one file after the other.

It holds no archive and opens no file, so that nothing is lost when it is ended. It ends by itself
when whoever started it is gone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
from typing import IO

import msgspec

from api.archive.child import receive, send
from api.imports.garbage import seldom_collected
from api.imports.preparing import Order, Preparer
from api.imports.ready import Ready

MEMORY_BYTES = 2 * 1024**3
"""Most memory that a worker may ask for, its programs included."""


class Work(msgspec.Struct, frozen=True, array_like=True):
    """One file to be made ready."""

    file: str
    """What the results call it."""
    source_name: str
    """What the archive will call it."""
    data: bytes
    """What it holds."""


ORDER = msgspec.msgpack.Decoder(Order)
WORK = msgspec.msgpack.Decoder(Work)
READY = msgspec.msgpack.Decoder(list[Ready])
ENCODER = msgspec.msgpack.Encoder()


def main() -> None:
    """Read the order, then files, until there are no more."""
    # Ctrl-C is for the command, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    # What a library prints must not get between the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(OSError), seldom_collected():
        serve(sys.stdin.buffer, out)


def serve(inlet: IO[bytes], outlet: IO[bytes]) -> None:
    """Answer each file with its matches, or why there are none. Errors: OSError."""
    preparer = Preparer(ORDER.decode(receive(inlet)))
    send(outlet, b"")  # from here on every moment is a file's
    # The next file is taken out of the pipe while one is read: whoever sends it never waits.
    coming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_receiving, args=(inlet, coming), daemon=True).start()
    while (raw := coming.get()) is not None:
        work = WORK.decode(raw)
        ready = preparer.ready(work.data, work.file, source_name=work.source_name)
        send(outlet, ENCODER.encode(ready))


def _receiving(inlet: IO[bytes], coming: queue.SimpleQueue[bytes | None]) -> None:
    with contextlib.suppress(OSError):
        while True:
            coming.put(receive(inlet))
    coming.put(None)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))
