"""Shapes of what the replay viewer reads, for the API's description."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.shapes.matches import (
    Checkers,
    FindingOut,
    Line,
    Name,
    Pair,
    QuestionOut,
    SaidOut,
    Shape,
    View,
)


class ActOut(Shape):
    """What an entry says: values by name, and who is named."""

    facts: dict[str, int | str] = Field(description="Plain members of the body, by name.")
    people: dict[str, str] = Field(description="Role in the entry to one, two, director …")


class LyingOut(Shape):
    """Dice as they lie on the board."""

    seat: Name | None = Field(description="Whose; null = one of each player's.")
    dice: list[int | None]


class FrameOut(Shape):
    """The board after one checker of a play."""

    play: str
    origin: int = Field(alias="from", description="Point from the mover's side, 25 = bar.")
    to: int = Field(description="Point from the mover's side, 0 = off.")
    checkers: Checkers


class SceneOut(Line, ActOut):
    """One recorded entry as a viewer shows it."""

    entry_id: str
    basis: str
    at_ms: int | None = Field(description="When, in ms since the appointed start.")
    status: Literal["stands", "amended", "retracted"]
    corrected_by: int | None = Field(description="Version of the correction in force.")
    was: ActOut | None = Field(description="What was recorded, where it was amended.")
    target: int | None = Field(description="Version of the entry that this one speaks about.")
    game: int = Field(description="From 1; 0 before the first.")
    turn: int = Field(description="From 1 in the game; 0 between games.")
    turn_of: Name | None
    awaits: str = Field(description="What the record waits for after it.")
    lying: LyingOut | None
    before: Checkers
    frames: list[FrameOut]
    marks: list[str] = Field(description="What it is on a timeline.")
    is_disputed: bool
    pips: Pair | None = Field(description="Null while the game is played.")
    findings: list[FindingOut] = Field(description="Empty where they are held back.")


class GameEndOut(Shape):
    """How a game ended."""

    version: int
    winner: Name
    points: int
    kind: str | None
    ended_by: str


class GameScenesOut(Shape):
    """One game of the match."""

    number: int
    version: int = Field(description="Entry with which it begins.")
    score: Pair
    crawford: bool
    result: GameEndOut | None


class DisputeOut(Shape):
    """One dispute."""

    version: int
    frozen: int = Field(description="Version at which the record was frozen.")
    topic: str | None


class SideOut(Shape):
    """What one rule set says to a matter."""

    rule_set: str
    section: str
    code: str | None = Field(description="Code of its finding; null = it finds nothing amiss.")
    message: str = Field(description="`said` in English, with seats in the place of names.")
    said: SaidOut
    is_question: bool = Field(description="Whether a person has to say.")
    readings: list[str] = Field(description="Answers that compete, where somebody has to.")
    leaning: SaidOut | None = Field(description="What the text leans to; shown, never applied.")


class ContrastOut(Shape):
    """Where two rule sets differ."""

    version: int
    rules: SideOut | None = Field(description="Null = nothing.")
    against: SideOut | None = Field(description="The pinned rule set.")


class ScenesOut(View):
    """A match for a replay viewer."""

    length: int | None
    is_trusted: bool = Field(description="Whether pips are told while a game is played.")
    scenes: list[SceneOut]
    games: list[GameScenesOut]
    disputes: list[DisputeOut]
    questions: list[QuestionOut]
    corrections: list[FindingOut] = Field(description="What was found about corrections.")
    contrasts: list[ContrastOut]
    captions: dict[str, dict[str, str | None]] = Field(
        description="Rule set to section to what it speaks about."
    )


class LegalPlaysOut(Shape):
    """What could legally be played."""

    log_id: str
    match_id: str
    version: int
    seat: Name | None
    dice: list[int] | None
    plays: list[str] = Field(description="One for each end position; empty = none could.")
    played: str | None
    is_legal: bool | None


class AlignedTurnOut(Shape):
    """One turn as one record has it."""

    game: int
    turn: int
    seat: Name | None
    version: int
    dice: str
    play: str | None
    cube: list[str]
    won: str | None
    checkers: Checkers


class AlignedOut(Shape):
    """One turn in both records."""

    first: AlignedTurnOut | None
    second: AlignedTurnOut | None
    differs: list[str] = Field(description="missing, dice, play, cube, won.")


class NotedOut(Shape):
    """A score as a keeper wrote it down."""

    score: Pair | None
    version: int


class NotedBySeat(Shape):
    """Both players' sheets."""

    one: NotedOut | None
    two: NotedOut | None


class SheetOut(Shape):
    """The score after one game."""

    game: int
    computed: Pair
    noted: NotedBySeat
    differs: list[str] = Field(description="Whose sheet differs from the games; or `sheets`.")


class AlignmentOut(Shape):
    """Two records beside each other."""

    log_id: str
    match_id: str
    version: int
    beside: str | None = Field(alias="with")
    rows: list[AlignedOut]
    first_divergence: int | None = Field(description="Index of the first row that differs.")
    sheets: list[SheetOut]
    records: list[str] = Field(description="Match ids of other records of this match.")


class EntryProvenance(Shape):
    """Where one entry comes from."""

    version: int
    entry_id: str
    global_position: int
    leaf_hash: str
    basis: str
    is_known: bool = Field(description="Whether its context is at hand and may be seen.")
    recorded_by: str | None
    device: str | None
    device_seq: int | None
    epoch: int | None
    lease: int | None
    signature: Literal["good", "absent"] | None = Field(description="Null = by no paired device.")
    occurred_at: int | None = Field(description="By the device's clock: a claim.")
    received_at: int | None
    offline_ms: int | None = Field(description="How much later it was received, if by a minute.")


class ProvenanceOut(Shape):
    """Where entries come from."""

    log_id: str
    match_id: str
    version: int
    is_context_shown: bool
    entries: list[EntryProvenance]
