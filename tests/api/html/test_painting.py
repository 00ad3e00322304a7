"""Pictures are drawn by a process of their own, which may die, and lets nobody wait for ever."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator

import pytest

from api.archive.child import receive, send
from api.html import painting
from api.html.painting import Painter, paint, png

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><text y="9">Å</text></svg>'
PNG = b"\x89PNG"


@pytest.fixture
def painter() -> Iterator[Painter]:
    painter = Painter()
    yield painter
    painter.close()


def test_what_a_painter_reads_it_draws_in_turn_until_nobody_asks() -> None:
    raw = SVG.encode()
    asked, answers = io.BytesIO(), io.BytesIO()
    for width, one in ((20, raw), (20, b"<svg"), (40, raw)):
        send(asked, width.to_bytes(4) + one)
    asked.write(b"half")
    asked.seek(0)
    paint(asked, answers)
    answers.seek(0)
    found = [receive(answers) for _ in range(3)]
    assert answers.read() == b""
    assert [one[:4] for one in found] == [PNG, b"", PNG]
    assert found[0] == png(SVG, width=20)


@pytest.mark.gate
def test_a_painter_draws_elsewhere_what_would_be_drawn_here_and_is_begun_anew_where_it_dies(
    painter: Painter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = png(SVG, width=20)
    with monkeypatch.context() as patched:
        patched.setattr(painting, "png", None)  # Here it cannot be drawn.
        assert painter.png(SVG, width=20) == whole
        process = painter._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert painter.png(SVG, width=20) == whole
        assert painter._process is not process


@pytest.mark.gate
def test_a_painter_that_does_not_answer_is_given_up_and_the_picture_drawn_here(
    painter: Painter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "PATIENCE_S", 0.0)
    assert painter.png(SVG, width=20) == png(SVG, width=20)


def test_whoever_was_let_go_begins_no_process(painter: Painter) -> None:
    painter.close()
    assert painter.png(SVG, width=20)[:4] == PNG
    assert painter._process is None


def test_what_cannot_be_drawn_is_refused_here(painter: Painter) -> None:
    painter.close()
    with pytest.raises(Exception, match=r"."):
        painter.png("<svg", width=20)
