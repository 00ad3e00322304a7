"""What an engine is to this program: a name, a build, presets, and the choices of a game judged."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import msgspec

from api.analysis.asking import AskedGame
from events.errors import LedgerError
from events.values import Seat
from projections.board.position import Position

Choice = Literal["play", "no-double", "double", "take", "drop", "beaver"]
"""What was chosen."""

Progress = Callable[[int, int], None]
"""Called with the choices that are judged, and how many there are."""


class NoEngine(LedgerError):
    """An engine cannot be had; `str()` says why and what to do."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One choice as an engine judges it.

    Equities are cubeful and normalised: points at a cube of 1 for money, and in a match on the
    scale on which winning a single game is 1 and losing one -1 (EMG). Chances are of winning the
    match, from 0 to 1, by the engine's match equity table. None of the engines tells how
    far its judgement may be off.
    """

    version: int
    """Version of the entry that the choice was."""
    seat: Seat
    """Who chose."""
    choice: Choice
    """What kind of choice it was."""
    best: Choice
    """What would have been best."""
    lost: float
    """Equity lost by it, 0 or more."""
    lost_chance: float | None
    """The same as chance of winning the match; None for money."""
    counts: bool
    """Whether it is a decision of which PR takes account: more than one choice that matters."""
    level: str
    """How deep the engine looked: `2ply`, `truncated2`."""
    after: Position | None = None
    """Of a play: the board after the best one, from the player's side."""
    best_play: str | None = None
    """Of a play: the best one in words, `13/7 8/7`."""


class Luck(msgspec.Struct, frozen=True):
    """How lucky one roll was: what it was worth, less the mean of all 21."""

    version: int
    """Version of the play that followed the roll."""
    seat: Seat
    """Who rolled."""
    luck: float
    """In equity."""
    chance: float | None
    """As chance of winning the match; None for money."""


class JudgedGame(msgspec.Struct, frozen=True):
    """One game as an engine judges it."""

    judged: tuple[Judged, ...]
    """Its choices, in order."""
    luck: tuple[Luck, ...]
    """Its rolls, in order; none from an engine that does not measure luck."""
    unjudged: tuple[tuple[int, Seat], ...] = ()
    """Choices that were asked and not answered: version and seat."""


class Engine(Protocol):
    """An engine, ready to judge; used by one thread at a time."""

    version: str
    """Name, build, and whatever else two results must share to be compared."""
    preset: str
    """The preset, with its revision."""

    def judge(self, game: AskedGame, progress: Progress) -> JudgedGame:
        """One game judged. Errors: NoEngine where the engine is gone."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class Offer(msgspec.Struct, frozen=True):
    """An engine as it is offered, before it is loaded."""

    name: str
    """What it is called on the command line."""
    module: str
    """The module of this room with its `opened(preset)` and `version_of(preset)`."""
    presets: tuple[str, ...]
    """Its presets, the quickest first."""


OFFERS: Mapping[str, Offer] = {
    offer.name: offer
    for offer in (
        Offer("bgsage", "api.analysis.sage", ("very_quick", "fast", "deep", "world_class")),
        Offer("gnubg", "api.analysis.gnubg", ("0ply", "1ply", "2ply")),
    )
}
"""Every engine by its name."""

DEFAULT = "bgsage"
"""The engine where none is named."""


def offer_of(name: str, preset: str) -> Offer:
    """The engine of that name. Errors: NoEngine, saying which engines and presets there are."""
    offer = OFFERS.get(name)
    if offer is None:
        raise NoEngine(f"there is no engine {name[:40]!r}: --engine is one of {', '.join(OFFERS)}")
    if preset not in offer.presets:
        known = ", ".join(offer.presets)
        raise NoEngine(f"{name} has no preset {preset[:40]!r}: --preset is one of {known}")
    return offer


def opened(name: str, preset: str) -> Engine:
    """The engine, loaded into this process. Errors: NoEngine, saying how to install it."""
    engine: Engine = importlib.import_module(offer_of(name, preset).module).opened(preset)
    return engine
