"""Pictures of SVG images, drawn in a process of their own, because drawing blocks other threads.

The library holds the interpreter's lock for as long as a picture takes, a tenth of a second or
more; in the server's own process no tablet would be answered during that time.
"""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import resvg_py

FONTS = Path(__file__).parent.parent / "web" / "fonts"
"""Letters of our own, so that a picture is the same on every machine."""

PATIENCE_S = 30.0
"""How long a picture may take before its painter is killed."""

GIVES_WAY = 10
"""How much lower the painter's priority is than the server's (nice)."""

_FAMILY = "DejaVu Sans"
_OURS = range(0x20, 0x530)
_MARKS = frozenset("\N{EN DASH}\N{EM DASH}\N{HORIZONTAL ELLIPSIS}\N{REPLACEMENT CHARACTER}")
_ASKED = struct.Struct(">II")
"""Width in pixels, bytes of the image that follows."""
_ANSWERED = struct.Struct(">I")
"""Bytes of the picture that follows; 0 = there is none."""


def png(svg: str, *, width: int) -> bytes:
    """A picture of an SVG image, drawn here and now."""
    # Our letters are Latin, Greek and Cyrillic; for any other name the machine's own are asked.
    is_ours = all(ord(mark) in _OURS or mark in _MARKS for mark in svg)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            background="#f6f2ea",
            skip_system_fonts=is_ours,
            font_files=[str(path) for path in sorted(FONTS.glob("*.ttf"))],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
        )
    )


class Painter:
    """A process that draws, started with the first picture, and again if it has died.

    Any thread may call it; pictures are drawn one after the other. If no process can be started,
    they are drawn in this one.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def png(self, svg: str, *, width: int) -> bytes:
        """A picture of an SVG image."""
        raw = svg.encode("utf-8", "replace")
        with self._turn:
            for _ in range(2):
                try:
                    made = self._asked(raw, width)
                except OSError:
                    self._end()
                    continue
                if made:
                    return made
                break
        return png(svg, width=width)

    def close(self) -> None:
        """End the process; later pictures are drawn in this one."""
        with self._turn:
            self._is_closed = True
            self._end()

    def _asked(self, raw: bytes, width: int) -> bytes:
        """Its answer; empty if it could not draw. Errors: OSError if it is gone."""
        process = self._running()
        assert process.stdin is not None, "it is begun with a pipe"
        assert process.stdout is not None, "it is begun with a pipe"
        # A picture that never comes would keep all later ones waiting.
        impatient = threading.Timer(PATIENCE_S, process.kill)
        impatient.daemon = True
        impatient.start()
        try:
            process.stdin.write(_ASKED.pack(width, len(raw)) + raw)
            process.stdin.flush()
            [size] = _ANSWERED.unpack(_exactly(process.stdout, _ANSWERED.size))
            return _exactly(process.stdout, size)
        finally:
            impatient.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._is_closed:
            raise BrokenPipeError("the painter was let go")
        if self._process is None or self._process.poll() is not None:
            self._end()
            # In a session of its own: Ctrl-C is for the server, and it ends with the server.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # What could not be written any more is of no interest.
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    """So many bytes. Errors: OSError where they do not come."""
    found = pipe.read(size)
    if len(found) != size:
        raise BrokenPipeError("the painter is gone")
    return found


def paint(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Draw what is asked for until nobody asks any more."""
    while len(head := asked.read(_ASKED.size)) == _ASKED.size:
        width, size = _ASKED.unpack(head)
        try:
            made = png(_exactly(asked, size).decode(), width=width)
        except BrokenPipeError:
            return
        except Exception:
            # The server then tries itself, and reports the error.
            made = b""
        answers.write(_ANSWERED.pack(len(made)) + made)
        answers.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(GIVES_WAY)
    paint(sys.stdin.buffer, sys.stdout.buffer)
