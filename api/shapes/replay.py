"""Shapes of what the replay viewer reads."""

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
    """What an entry says: values by name, and who is named."""

    facts: Annotated[dict[str, int | str], "Plain members of the body, by name."]
    people: Annotated[dict[str, str], "Role in the entry to one, two, director …"]


class LyingOut(Shape):
    """Dice as they lie on the board."""

    seat: Annotated[Name | None, "Whose; null = one of each player's."]
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
    """What somebody said in an entry."""

    path: Annotated[str, "Where it stands in the body."]
    kind: Annotated[str, "Its member: says, ground, facts, decision, reason …"]
    by: Annotated[str | None, "A seat or an office; null = whoever recorded it."]
    text: Annotated[str | None, "Null where it is not shown."]
    withheld: Annotated[WhyOut | None, "Why it is not."]


class RecorderOut(Shape):
    """Who wrote an entry down."""

    role: Annotated[
        str | None, "scribe, second_scribe, director, import, unlisted …; null = erased."
    ]
    name: str | None
    table: Annotated[str | None, "Of a scribe."]
    withheld: Annotated[WhyOut | None, "Why name and table are not shown."]


class EvidenceOut(Shape):
    """A file that an entry names."""

    sha256: str
    kind: Annotated[str, "video, photo, sheet, audio, other."]
    media_type: str | None
    size_bytes: int | None
    href: Annotated[str | None, "Where it is; null where it is not shown."]
    is_image: bool
    withheld: Annotated[WhyOut | None, "Why it is not shown."]


class ShowingOut(Shape):
    """Whom a match is shown to, and what of it is not."""

    reader: Literal["public", "viewer", "scribe", "committee", "director"]
    rule_set: str
    section: Annotated[str | None, "Where it says what a committee is given."]
    people: Literal["all", "posted", "none"]
    withheld: Annotated[WhyOut | None, "Why not everything about people is shown."]
    cut: Annotated[WhyOut | None, "Why nothing is shown after `last`."]
    last: int | None
    unstated: Annotated[
        list[Literal["players", "first_ruling"]], "Given, though the text does not say so."
    ]
    is_in_hand: Annotated[bool, "Whether the text that would say it is in hand."]


class SceneOut(Line):
    """One recorded entry as a viewer shows it."""

    facts: Annotated[dict[str, int | str], "Plain members of the body, by name."]
    people: Annotated[dict[str, str], "Role in the entry to one, two, director …"]
    is_custody: Annotated[bool, "Whether it is about the record itself: no moment of the match."]
    is_crawford: Annotated[bool, "Whether the game is played without a cube."]
    entry_id: str
    basis: str
    at_ms: Annotated[int | None, "When, in ms since the appointed start."]
    status: Literal["stands", "amended", "retracted"]
    corrected_by: Annotated[int | None, "Version of the correction in force."]
    was: Annotated[ActOut | None, "What was recorded, where it was amended."]
    target: Annotated[int | None, "Version of the entry that this one, or a dispute, is about."]
    game: Annotated[int, "From 1; 0 before the first."]
    turn: Annotated[int, "From 1 in the game; 0 between games."]
    row: Annotated[int, "Number of its row in a .mat file, a text, the score sheet; 0 = in none."]
    turn_of: Name | None
    awaits: Annotated[str, "What the record waits for after it."]
    lying: LyingOut | None
    before: Checkers
    frames: list[FrameOut]
    marks: Annotated[list[str], "What it is on a timeline."]
    is_disputed: bool
    pips: Annotated[Pair | None, "Null while the game is played."]
    findings: Annotated[list[FindingOut], "Empty where they are held back."]
    words: Annotated[list[WordOut], "What was said in it."]
    recorder: Annotated[RecorderOut | None, "Who wrote its words down; null = it has none."]
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
    version: Annotated[int, "Entry with which it begins."]
    score: Pair
    crawford: bool
    result: GameEndOut | None


class DisputeOut(Shape):
    """One dispute."""

    version: int
    frozen: Annotated[int, "Version at which the record was frozen."]
    topic: str | None


class SideOut(Shape):
    """What one rule set says to a matter."""

    rule_set: str
    section: str
    code: Annotated[str | None, "Code of its finding; null = it finds nothing amiss."]
    message: Annotated[str, "`said` in English, of player one and player two."]
    said: SaidOut
    is_question: Annotated[bool, "Whether a person has to say."]
    readings: Annotated[list[str], "Answers that compete, where somebody has to."]
    leaning: Annotated[SaidOut | None, "What the text leans to; shown, never applied."]


class ReasonOut(Shape):
    """One thing by which two rule sets measure differently."""

    name: Annotated[str, "Name of the detail: until, by, threshold …"]
    said: Annotated[SaidOut, "What each of them says of it, in one sentence."]


class ContrastOut(Shape):
    """Where two rule sets differ."""

    version: int
    rules: Annotated[SideOut | None, "Null = nothing."]
    against: Annotated[SideOut | None, "The pinned rule set."]
    why: Annotated[list[ReasonOut], "From what each answer carries; empty where one was not asked."]


class ThoughtOut(Shape):
    """How long one decision took."""

    version: Annotated[int, "Of the play, the double, or the answer to it."]
    seat: Name
    took_ms: Annotated[int, "Since its roll, the beginning of the turn, or the double."]
    turn_ms: Annotated[int | None, "What its turn took on the clock; null where no press ended it."]
    delay_ms: Annotated[int | None, "What of that the delay covered."]
    of: Annotated[Literal["play", "answer", "double"], "What the decision is about."]


class ScenesOut(View):
    """A match for a replay viewer."""

    length: int | None
    is_trusted: Annotated[bool, "Whether pips are told while a game is played."]
    showing: ShowingOut
    scenes: list[SceneOut]
    games: list[GameScenesOut]
    disputes: list[DisputeOut]
    thinking: Annotated[list[ThoughtOut], "Decisions whose time is known."]
    questions: list[QuestionOut]
    corrections: Annotated[list[FindingOut], "What was found about corrections."]
    contrasts: list[ContrastOut]
    captions: Annotated[
        dict[str, dict[str, str | None]], "Rule set to section to what it speaks about."
    ]


class LegalPlaysOut(Shape):
    """What could legally be played."""

    log_id: str
    match_id: str
    version: int
    seat: Name | None
    dice: list[int] | None
    plays: Annotated[list[str], "One for each end position; empty = none could."]
    played: str | None
    is_legal: bool | None


class AlignedTurnOut(Shape):
    """One turn as one record has it."""

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
    differs: Annotated[list[str], "missing, dice, play, cube, won."]


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
    differs: Annotated[list[str], "Whose sheet differs from the games; or `sheets`."]


class AlignmentOut(Shape):
    """Two records beside each other."""

    log_id: str
    match_id: str
    version: int
    beside: str | None = msgspec.field(name="with")
    rows: list[AlignedOut]
    first_divergence: Annotated[int | None, "Index of the first row that differs."]
    sheets: list[SheetOut]
    records: Annotated[list[str], "Match ids of other records of this match."]


class EntryProvenance(Shape):
    """Where one entry comes from."""

    version: int
    entry_id: str
    global_position: int
    leaf_hash: str
    basis: str
    is_known: Annotated[bool, "Whether its context is at hand and may be seen."]
    recorded_by: Annotated[str | None, "The grant under which it was recorded."]
    recorder: Annotated[RecorderOut | None, "Who that is, by name or by role."]
    device: str | None
    device_seq: int | None
    epoch: int | None
    lease: int | None
    signature: Annotated[Literal["good", "absent"] | None, "Null = by no paired device."]
    occurred_at: Annotated[int | None, "By the device's clock: a claim."]
    received_at: int | None
    offline_ms: Annotated[int | None, "How much later it was received, if by a minute."]


class ProvenanceOut(Shape):
    """Where entries come from."""

    log_id: str
    match_id: str
    version: int
    is_context_shown: bool
    entries: list[EntryProvenance]
