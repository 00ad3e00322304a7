"""Matches judged game by game by engines beside this process; what is done is kept at once.

So a run that was stopped goes on where it was: with the first game that nobody has judged yet.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple

from api.analysis.asking import AskedGame
from api.analysis.beside import Beside
from api.analysis.engines import JudgedGame, NoEngine
from api.analysis.released import Work
from api.analysis.results import By, Match, Results


class Piece(NamedTuple):
    """One game to be judged."""

    match: Match
    game: AskedGame
    games: int
    """Games of the match."""


class Told(NamedTuple):
    """What happened to one game."""

    piece: Piece
    judged: JudgedGame | None
    """None where the engine failed at it."""
    reason: str | None
    """Why it failed."""


def pieces_of(work: Work, results: Results, by: By) -> list[Piece]:
    """The games of a match that nobody has judged so yet."""
    known = results.known(work.match, by)
    games = len(work.games)
    return [Piece(work.match, game, games) for game in work.games if game.number not in known]


class Workers:
    """Engines beside this process, each with a thread that asks it."""

    def __init__(self, engine: str, preset: str, count: int) -> None:
        """Begin them. Errors: NoEngine, saying what to do."""
        first = Beside(engine, preset)
        self.by = By(engine, first.version, first.preset)
        """By what they judge."""
        self._engine, self._preset = engine, preset
        self._beside: dict[int, Beside] = {0: first}
        self._count = count
        self._stopped = threading.Event()
        self._gate = threading.Lock()

    def run(
        self,
        pieces: Iterable[Piece],
        results: Results,
        *,
        told: Callable[[Told], None],
        progress: Callable[[Piece, int, int], None],
    ) -> None:
        """Judge all of them and keep what is found; `told` and `progress` come from any thread."""
        waiting, turn = iter(pieces), threading.Lock()

        def work(number: int) -> None:
            while not self._stopped.is_set():
                # One at a time: matches are read as their turn comes.
                with turn:
                    piece = next(waiting, None)
                if piece is None:
                    return
                judged = self._judged(number, piece, results, progress)
                if judged.reason is not None and self._stopped.is_set():
                    # It was ended in the middle of it: nothing is wrong with the game.
                    return
                told(judged)

        threads = [
            threading.Thread(target=work, args=(k,), daemon=True) for k in range(self._count)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                # A wait without an end would keep Ctrl-C from this thread.
                while thread.is_alive():
                    thread.join(0.2)
        except BaseException:
            self.close()
            raise

    def _judged(
        self,
        number: int,
        piece: Piece,
        results: Results,
        progress: Callable[[Piece, int, int], None],
    ) -> Told:
        try:
            engine = self._engine_of(number)
            judged = engine.judge(piece.game, lambda done, total: progress(piece, done, total))
        except NoEngine as error:
            self._let_go(number)
            return Told(piece, None, str(error))
        results.put(piece.match, self.by, piece.game.number, piece.games, judged)
        return Told(piece, judged, None)

    def _engine_of(self, number: int) -> Beside:
        """The engine of one thread, begun anew where it failed. Errors: NoEngine."""
        with self._gate:
            if number in self._beside:
                return self._beside[number]
        begun = Beside(self._engine, self._preset)
        with self._gate:
            if self._stopped.is_set():
                begun.close()
                raise NoEngine("it was stopped")
            self._beside[number] = begun
            return begun

    def _let_go(self, number: int) -> None:
        with self._gate:
            engine = self._beside.pop(number, None)
        if engine is not None:
            engine.close()

    def close(self) -> None:
        """End the engines, in the middle of a game too."""
        self._stopped.set()
        with self._gate:
            begun, self._beside = list(self._beside.values()), {}
        for engine in begun:
            engine.close()
