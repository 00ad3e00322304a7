"""What a writer of match files is asked for, and what it gives: a file, and what the file lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from events.values import BySeat
from projections.replay import Replay, Step

Illegal = Literal["raw", "stated"]
"""How an illegal play is written: its steps as made, or the board after it."""

WITHHELD = BySeat("Player 1", "Player 2")
"""Names of players whose names may not be shown."""

KEPT = "kept"
"""Not a loss: the writer writes it, or says at the event what of it is lost."""


class Details(msgspec.Struct, frozen=True):
    """What the caller may show of the match's opening; None = not recorded, or withheld."""

    event: str | None = None
    """Tournament."""
    round: str | None = None
    """Round."""
    place: str | None = None
    """Where it is played."""
    date: str | None = None
    """Day, ISO 8601 or `2026.01.31`; GNU Backgammon makes one up if there is none."""
    transcriber: str | None = None
    """Who transcribed it."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How a match is to be written."""

    names: BySeat[str] | None = None
    """The players' names as they may be shown; None = withheld."""
    details: Details = Details()
    """What else may be shown of the opening."""
    illegal: Illegal = "raw"
    """How illegal plays are written, in formats that leave a choice."""
    clocks: bool = True
    """Whether clocks are written, in formats that can hold them."""
    findings: bool = True
    """Whether findings and rulings are written, in formats that can hold them."""
    is_held_back: bool = False
    """Whether a file tells no pip count, and must not even say which findings it leaves out."""


class NotWritten(Exception):
    """A match cannot be written in a format at all; the message says why, for people."""


class NotInstalled(NotWritten):
    """The package that writes the format is missing here; the message says what to install."""


class Loss(msgspec.Struct, frozen=True, order=True):
    """Recorded facts that a written file does not hold, or holds in other words."""

    kind: str
    """Class of loss; each writer documents its own."""
    count: int
    """How many facts."""
    detail: str
    """What becomes of them, and where they stand: tags with game and turn."""
    versions: tuple[int, ...] = ()
    """Versions of the events, every one of them."""


class Written(msgspec.Struct, frozen=True):
    """A match as a file, and what the file does not say."""

    content: bytes
    """The whole file; a text is UTF-8 with LF."""
    losses: tuple[Loss, ...]
    """What is lost, by kind."""

    @property
    def text(self) -> str:
        """The file as text. Errors: UnicodeDecodeError for a binary format."""
        return self.content.decode()


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """One format that a match can be had in."""

    name: str
    """What the format is asked for by, and the ending of its files."""
    title: str
    """What it is for, in a line, for people."""
    media_type: str
    """Media type, with the charset of a text."""
    write: Callable[[Replay, Wanted], Written]
    """The match as corrected; pure. Errors: NotWritten."""
    marks_illegal: bool = False
    """Whether its files say of every play whether it was legal, whatever is wanted."""


class Losses:
    """Collects what is lost while a match is written; no fact is left out without a line here."""

    def __init__(self, kinds: Mapping[str, str], loss_of: Mapping[str, str]) -> None:
        self.kinds = kinds
        """Kind of loss to what becomes of its facts, in the order of the report."""
        self.loss_of = loss_of
        """Type of event to the kind of loss it is in this format, or KEPT."""
        self._at: dict[str, list[tuple[int, str]]] = {}

    def at(self, step: Step, kind: str | None = None) -> None:
        """The event of a step is lost, by the table or as `kind`; nothing if it is kept."""
        kind = kind or self.loss_of.get(step.event.tag, "proof")
        if kind == KEPT:
            return
        game, turn = step.before.score.game_number, step.before.flow.turn_number
        place = f"{step.event.tag} (game {game}, turn {turn})" if game else step.event.tag
        self.note(kind, place, step.event.version)

    def note(self, kind: str, what: str, version: int) -> None:
        """Something at a version is lost."""
        assert kind in self.kinds, kind
        self._at.setdefault(kind, []).append((version, what))

    def listed(self) -> tuple[Loss, ...]:
        """All losses, in the order of the kinds."""
        return tuple(
            Loss(
                kind,
                len(self._at[kind]),
                f"{self.kinds[kind]} {_summed([what for _, what in self._at[kind]])}",
                tuple(version for version, _ in self._at[kind]),
            )
            for kind in self.kinds
            if kind in self._at
        )


def lose_always(losses: Losses, replay: Replay) -> None:
    """What every event loses in a format without proof, times and findings."""
    for step in replay.steps:
        losses.note("proof", step.event.tag, step.event.version)
        if getattr(step.event.payload, "at_ms", None) is not None:
            losses.note("time", step.event.tag, step.event.version)
    for finding in replay.findings:
        losses.note("finding", finding.code, finding.version)
    standing = {step.event.version for step in replay.steps}
    for event in replay.recorded:
        if event.version not in standing or event.tag in ("entry.retracted", "entry.amended"):
            losses.note("entry", event.tag, event.version)


def _summed(places: list[str]) -> str:
    counts: dict[str, int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    return ", ".join(place if n == 1 else f"{place} x{n}" for place, n in counts.items())
