"""Shapes of the data that the replay viewer reads."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from api.shapes.matches import (
    Checkers,
    FindingOut,
    Line,
    Name,
    Pair,
    QuestionOut,
    SaidOut,
    View,
)
from api.shapes.shape import Shape


class ActOut(Shape):
    """The contents of an entry: values by name, and the people in it."""

    facts: Annotated[dict[str, int | str], "Plain members of the body, by name."]
    people: Annotated[dict[str, str], "Role in the entry to one, two, director …"]


class LyingOut(Shape):
    """Dice as they lie on the board."""

    seat: Annotated[Name | None, "Whose dice; null = one die of each player."]
    dice: list[int | None]


class FrameOut(Shape):
    """The board after one checker of a play."""

    play: str
    origin: Annotated[int, "Point from the mover's side, 25 = bar."] = msgspec.field(name="from")
    to: Annotated[int, "Point from the mover's side, 0 = off."]
    checkers: Checkers


WhyOut = Literal[
    "not_public",
    "kept_from_players",
    "players_secret",
    "no_appeals",
    "names_somebody",
    "unchecked",
    "first_ruling",
    "erased",
    "missing",
]


class WordOut(Shape):
    """A statement of a person in an entry."""

    path: Annotated[str, "Path of the member in the body."]
    kind: Annotated[str, "Name of the member: says, ground, facts, decision, reason …"]
    by: Annotated[str | None, "A seat or an office; null = the recorder of the entry."]
    text: Annotated[str | None, "Null if it is not shown."]
    withheld: Annotated[WhyOut | None, "Why it is not shown."]


class RecorderOut(Shape):
    """The recorder of an entry."""

    role: Annotated[
        str | None, "scribe, second_scribe, director, import, unlisted …; null = erased."
    ]
    name: str | None
    table: Annotated[str | None, "Table of a scribe."]
    withheld: Annotated[WhyOut | None, "Why name and table are not shown."]


class EvidenceOut(Shape):
    """A file that an entry names."""

    sha256: str
    kind: Annotated[str, "video, photo, sheet, audio, other."]
    media_type: str | None
    size_bytes: int | None
    href: Annotated[str | None, "Path of the file; null if it is not shown."]
    is_image: bool
    withheld: Annotated[WhyOut | None, "Why it is not shown."]


class ShowingOut(Shape):
    """The reader that a match is shown to, and what is withheld from him."""

    reader: Literal["public", "viewer", "scribe", "committee", "director"]
    rule_set: str
    section: Annotated[str | None, "Section that says what a committee is given."]
    people: Literal["all", "posted", "none"]
    withheld: Annotated[WhyOut | None, "Why some values about people are not shown."]
    cut: Annotated[WhyOut | None, "Why nothing is shown after `last`."]
    last: int | None
    unstated: Annotated[
        list[Literal["players", "first_ruling"]],
        "Things that are given although the text does not mention them.",
    ]
    is_in_hand: Annotated[bool, "Whether the rule set's text about it is available."]


class SceneOut(Line):
    """One recorded entry as a viewer shows it."""

    facts: Annotated[dict[str, int | str], "Plain members of the body, by name."]
    people: Annotated[dict[str, str], "Role in the entry to one, two, director …"]
    is_custody: Annotated[
        bool, "Whether it is about the record itself, and not a moment of the match."
    ]
    is_crawford: Annotated[bool, "Whether the game is played without a cube."]
    entry_id: str
    basis: str
    at_ms: Annotated[int | None, "When, in ms since the appointed start."]
    status: Literal["stands", "amended", "retracted"]
    corrected_by: Annotated[int | None, "Version of the correction in force."]
    was: Annotated[ActOut | None, "The original contents, if it was amended."]
    target: Annotated[int | None, "Version of the entry that this one, or a dispute, is about."]
    game: Annotated[int, "Number of the game, from 1; 0 before the first."]
    turn: Annotated[int, "Number of the turn in the game, from 1; 0 between games."]
    row: Annotated[int, "Number of its row in a .mat file, a text, the score sheet; 0 = none."]
    turn_of: Name | None
    awaits: Annotated[str, "The kind of act that is expected after it."]
    lying: LyingOut | None
    before: Checkers
    frames: list[FrameOut]
    marks: Annotated[list[str], "Its mark on a timeline."]
    is_disputed: bool
    pips: Annotated[Pair | None, "Null while the game is played."]
    findings: Annotated[list[FindingOut], "Empty if they are held back."]
    words: Annotated[list[WordOut], "Statements in it."]
    recorder: Annotated[RecorderOut | None, "Who recorded its statements; null = it has none."]
    file: EvidenceOut | None


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
    version: Annotated[int, "Version of its first entry."]
    score: Pair
    crawford: bool
    result: GameEndOut | None


class DisputeOut(Shape):
    """One dispute."""

    version: int
    frozen: Annotated[int, "Version at which the record was frozen."]
    topic: str | None


class SideOut(Shape):
    """One rule set's finding on a matter."""

    rule_set: str
    section: str
    code: Annotated[str | None, "Code of its finding; null = no finding."]
    message: Annotated[str, "`said` in English, of player one and player two."]
    said: SaidOut
    is_question: Annotated[bool, "Whether a person has to decide."]
    readings: Annotated[list[str], "Competing answers, if a person has to decide."]
    leaning: Annotated[SaidOut | None, "The answer that the text favours; shown, never applied."]


class ReasonOut(Shape):
    """One detail on which two rule sets differ."""

    name: Annotated[str, "Name of the detail: until, by, threshold …"]
    said: Annotated[SaidOut, "Each rule set's version, in one sentence."]


class ContrastOut(Shape):
    """A difference between two rule sets."""

    version: int
    rules: Annotated[SideOut | None, "Its finding; null = none."]
    against: Annotated[SideOut | None, "Finding of the pinned rule set."]
    why: Annotated[list[ReasonOut], "Details that differ; empty if one of them was not asked."]


class ThoughtOut(Shape):
    """The time that one decision took."""

    version: Annotated[int, "Version of the play, the double, or the answer to a double."]
    seat: Name
    took_ms: Annotated[int, "Time since the roll, the start of the turn, or the double, ms."]
    turn_ms: Annotated[int | None, "Clock time of its turn, ms; null = no press ended the turn."]
    delay_ms: Annotated[int | None, "Part of that time that the delay covered, ms."]
    of: Annotated[Literal["play", "answer", "double"], "What the decision is about."]


class ScenesOut(View):
    """A match for a replay viewer."""

    length: int | None
    is_trusted: Annotated[bool, "Whether pip counts are shown while a game is played."]
    showing: ShowingOut
    scenes: list[SceneOut]
    games: list[GameScenesOut]
    disputes: list[DisputeOut]
    thinking: Annotated[list[ThoughtOut], "Decisions whose time is known."]
    questions: list[QuestionOut]
    corrections: Annotated[list[FindingOut], "Findings about corrections."]
    contrasts: list[ContrastOut]
    captions: Annotated[dict[str, dict[str, str | None]], "Rule set to section to its subject."]


class LegalPlaysOut(Shape):
    """The legal plays of a roll."""

    log_id: str
    match_id: str
    version: int
    seat: Name | None
    dice: list[int] | None
    plays: Annotated[list[str], "One play for each end position; empty = no legal play."]
    played: str | None
    is_legal: bool | None


class AlignedTurnOut(Shape):
    """One turn in one record."""

    game: int
    turn: int
    row: Annotated[int, "Number of its row in a .mat file of this record."]
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
    differs: Annotated[list[str], "Where the records differ: missing, dice, play, cube, won."]


class NotedOut(Shape):
    """A score as a keeper noted it."""

    score: Pair | None
    version: int


class NotedBySeat(Shape):
    """Both players' score sheets."""

    one: NotedOut | None
    two: NotedOut | None


class SheetOut(Shape):
    """The score after one game."""

    game: int
    computed: Pair
    noted: NotedBySeat
    differs: Annotated[list[str], "Whose sheet differs from the games; `sheets` = from each other."]


class AlignmentOut(Shape):
    """Two records of a match, compared."""

    log_id: str
    match_id: str
    version: int
    beside: str | None = msgspec.field(name="with")
    rows: list[AlignedOut]
    first_divergence: Annotated[int | None, "Index of the first row that differs."]
    sheets: list[SheetOut]
    records: Annotated[list[str], "Match ids of other records of this match."]


class EntryProvenance(Shape):
    """The provenance of one entry."""

    version: int
    entry_id: str
    global_position: int
    leaf_hash: str
    basis: str
    is_known: Annotated[bool, "Whether its context is available and the reader may see it."]
    recorded_by: Annotated[str | None, "The grant under which it was recorded."]
    recorder: Annotated[RecorderOut | None, "The holder of the grant, by name or role."]
    device: str | None
    device_seq: int | None
    epoch: int | None
    lease: int | None
    signature: Annotated[
        Literal["good", "absent"] | None, "Null = not recorded by a paired device."
    ]
    occurred_at: Annotated[int | None, "By the device's clock: a claim."]
    received_at: int | None
    offline_ms: Annotated[int | None, "How much later it was received, if by a minute or more."]


class ProvenanceOut(Shape):
    """The provenance of entries."""

    log_id: str
    match_id: str
    version: int
    is_context_shown: bool
    entries: list[EntryProvenance]
