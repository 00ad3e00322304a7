"""An engine in a process of its own, asked through pipes and given a limited time for each game.

It gives way to everything else on the machine (nice). It knows no archive: it is handed boards and
rolls, and neither a name nor an id. Where it dies, the one who asks is told, and nothing else ends.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import IO

import msgspec

from api.analysis.asking import AskedGame
from api.analysis.engines import JudgedGame, NoEngine, Progress, opened
from api.archive.child import ended, pipes_of, receive, send, set_out, started

GIVES_WAY = 15
"""By so much more patient than whoever began it is it with the processor (nice)."""


class Ready(msgspec.Struct, frozen=True):
    """What the engine says of itself."""

    version: str
    preset: str


class Step(msgspec.Struct, frozen=True):
    """How far it has come with a game."""

    done: int
    total: int


class Beside:
    """An engine beside this process; used by one thread at a time, stopped by any.

    Errors of the constructor: NoEngine, with what the engine said.
    """

    def __init__(self, name: str, preset: str) -> None:
        self._process = started(__name__, name, preset)
        self._gate = threading.Lock()
        try:
            ready = msgspec.json.decode(self._answer(b"r", _unheard), type=Ready)
        except BaseException:
            self.close()
            raise
        self.version, self.preset = ready.version, ready.preset

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
        """One game judged. Errors: NoEngine where the engine failed or is gone."""
        try:
            _send(pipes_of(self._process)[0], b"g", msgspec.json.encode(game))
        except (OSError, ValueError):
            raise NoEngine("the engine's process is gone") from None
        return msgspec.json.decode(self._answer(b"j", progress), type=JudgedGame)

    def close(self) -> None:
        """End it, in the middle of a game too."""
        with self._gate:
            ended(self._process)

    def _answer(self, kind: bytes, progress: Progress) -> bytes:
        while True:
            try:
                got, body = _received(pipes_of(self._process)[1])
            except (OSError, ValueError):
                raise NoEngine("the engine's process is gone") from None
            if got == b"p":
                step = msgspec.json.decode(body, type=Step)
                progress(step.done, step.total)
            elif got == kind:
                return body
            else:
                raise NoEngine(body.decode("utf-8", "replace"))


def _unheard(done: int, total: int) -> None:
    """Nobody asks how far it is."""


def _send(pipe: IO[bytes], kind: bytes, body: bytes) -> None:
    """Send one byte that says what follows, and that: `g` a game asked, `j` one judged, `p`
    progress, `e` why not, `r` the engine is ready."""
    send(pipe, kind + body)


def _received(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """Kind and body of what comes next. Errors: OSError where nothing comes any more."""
    raw = receive(pipe)
    return raw[:1], raw[1:]


def serve(name: str, preset: str, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Judge what is asked until nobody asks any more."""
    try:
        engine = opened(name, preset)
    except NoEngine as error:
        _send(answers, b"e", str(error).encode())
        return
    _send(answers, b"r", msgspec.json.encode(Ready(engine.version, engine.preset)))

    def tell(done: int, total: int) -> None:
        _send(answers, b"p", msgspec.json.encode(Step(done, total)))

    with contextlib.suppress(OSError):
        while True:
            _, body = _received(asked)
            try:
                judged = engine.judge(msgspec.json.decode(body, type=AskedGame), tell)
            except BrokenPipeError:
                break
            except Exception as error:
                _send(answers, b"e", f"the engine failed: {type(error).__name__}: {error}".encode())
            else:
                _send(answers, b"j", msgspec.json.encode(judged))
    engine.close()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], *set_out(GIVES_WAY))
