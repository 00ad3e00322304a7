"""The rules of a money session, handed on to bgsage where gammonview leaves them at its defaults.

gammonview 3.1.0 reads from a document whether Jacoby's rule and beavers are on, and asks the engine
without saying so, which then takes both to be on. In a session without Jacoby's rule that makes a
player who rightly plays on for a gammon look as if a double had been missed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

_RULES = ("jacoby", "beaver")
_DEFAULTS = (True, True)
"""What the engine takes where nothing is said."""
_EVALUATES = ("_checker_play",)
_ASKS = ("checker_play", "cube_action", "post_move_analytics")


class SessionRules:
    """Jacoby's rule and beavers as the engine is asked about them; one thread, one engine.

    Errors: AttributeError where the two modules have no such functions any more.
    """

    def __init__(self, evaluating: ModuleType, engine: type) -> None:
        """`evaluating` is gvanalysis.game_eval, `engine` bgsage's BgBotAnalyzer."""
        self._now: tuple[bool, bool] = _DEFAULTS
        for asked, names in ((evaluating, _EVALUATES), (engine, _ASKS)):
            for name in names:
                setattr(asked, name, self._ruled(getattr(asked, name)))

    def be(self, *, jacoby: bool, beavers: bool) -> None:
        """What is asked from now on is asked under these."""
        self._now = (jacoby, beavers)

    def _ruled(self, asked: Callable[..., Any]) -> Callable[..., Any]:
        """The same question with the session's rules, where whoever asks says nothing of them."""
        known = [name for name in _RULES if name in inspect.signature(asked).parameters]

        @functools.wraps(asked)
        def ruled(*args: Any, **named: Any) -> Any:
            now = dict(zip(_RULES, self._now, strict=True))
            return asked(*args, **({name: now[name] for name in known} | named))

        return ruled
