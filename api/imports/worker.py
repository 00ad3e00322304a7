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
from typing import BinaryIO

import msgspec

from api.imports.garbage import seldom_collected
from api.imports.preparing import Order, Preparer
from api.imports.ready import Ready

MEMORY_BYTES = 2 * 1024**3
"""Most memory that a worker may ask for, its programs included."""

_SIZE = 8


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


def send(pipe: BinaryIO, value: object) -> None:
    """One value as a frame: its size, then its bytes. Errors: OSError where nobody reads."""
    body = ENCODER.encode(value)
    pipe.write(len(body).to_bytes(_SIZE, "big"))
    pipe.write(body)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """The bytes of the next frame; None where nobody writes any more."""
    size = pipe.read(_SIZE)
    if len(size) < _SIZE:
        return None
    wanted = int.from_bytes(size, "big")
    body = pipe.read(wanted)
    return body if len(body) == wanted else None


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


def serve(inlet: BinaryIO, outlet: BinaryIO) -> None:
    """Answer each file with its matches, or why there are none."""
    raw = receive(inlet)
    if raw is None:
        return
    preparer = Preparer(ORDER.decode(raw))
    send(outlet, None)  # from here on every moment is a file's
    # The next file is taken out of the pipe while one is read: whoever sends it never waits.
    coming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_receiving, args=(inlet, coming), daemon=True).start()
    while (raw := coming.get()) is not None:
        work = WORK.decode(raw)
        send(outlet, preparer.ready(work.data, work.file, source_name=work.source_name))


def _receiving(inlet: BinaryIO, coming: queue.SimpleQueue[bytes | None]) -> None:
    raw: bytes | None = b""
    while raw is not None:
        raw = receive(inlet)
        coming.put(raw)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))
