"""Pictures of SVG images, drawn in a process of their own, because drawing blocks other threads.

The library holds the interpreter's lock for as long as a picture takes, a tenth of a second or
more; in the server's own process no tablet would be answered during that time.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
from pathlib import Path
from typing import IO

import resvg_py

from api.archive.child import ended, pipes_of, receive, send, set_out, started

FONTS = Path(__file__).parent.parent / "web" / "fonts"
"""Letters of our own, so that a picture is the same on every machine."""

PATIENCE_S = 30.0
"""How long a picture may take before its painter is killed."""

GIVES_WAY = 10
"""How much lower the painter's priority is than the server's (nice)."""

_FAMILY = "DejaVu Sans"
_OURS = range(0x20, 0x530)
_MARKS = frozenset("\N{EN DASH}\N{EM DASH}\N{HORIZONTAL ELLIPSIS}\N{REPLACEMENT CHARACTER}")
_WIDTH_BYTES = 4
"""Bytes of the width in pixels, before those of the image."""


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
        asked, answers = pipes_of(process)
        # A picture that never comes would keep all later ones waiting.
        impatient = threading.Timer(PATIENCE_S, process.kill)
        impatient.daemon = True
        impatient.start()
        try:
            send(asked, width.to_bytes(_WIDTH_BYTES) + raw)
            return receive(answers)
        finally:
            impatient.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._is_closed:
            raise BrokenPipeError("the painter was let go")
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = started(__name__)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            ended(process)


def paint(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Draw what is asked for until nobody asks any more; what cannot be drawn comes back empty."""
    with contextlib.suppress(BrokenPipeError):
        while True:
            raw = receive(asked)
            width, svg = int.from_bytes(raw[:_WIDTH_BYTES]), raw[_WIDTH_BYTES:]
            try:
                made = png(svg.decode(), width=width)
            except Exception:
                # The server then tries itself, and reports the error.
                made = b""
            send(answers, made)


if __name__ == "__main__":
    paint(*set_out(GIVES_WAY))
