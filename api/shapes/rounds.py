"""Shapes of answers about rounds: sheets line by line, players and byes, and results."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Name, Pair
from api.shapes.shape import Shape


class FaultOut(Shape):
    """A remark or an error about a line of a sheet."""

    field: Annotated[str | None, "Column concerned."]
    code: str
    values: Annotated[dict[str, str], "Values in the message."]
    is_error: Annotated[bool, "Whether it has to be settled before anything is recorded."]
    message: str


class SheetFault(Shape):
    """A remark or an error about a sheet as a whole."""

    line: int
    field: Annotated[str | None, "Column concerned."]
    code: str
    values: Annotated[dict[str, str], "Values in the message."]
    is_error: Annotated[bool, "Whether it has to be settled before anything is recorded."]
    message: str


class EntrantOut(Shape):
    """A player of a tournament."""

    player: Annotated[str, "Id of `player.registered`."]
    name: str | None
    club: str | None
    federation_id: str | None
    penalty_points: Annotated[int, "Sum over all matches."]


class PersonOut(Shape):
    """A person in a cell of a sheet."""

    key: Annotated[str, "Key of the cell in `answers`."]
    name: str
    player: Annotated[str | None, "Id of the registered player; null = a new player."]
    is_new: bool
    penalty_points: Annotated[int, "Sum over all matches so far."]
    candidates: Annotated[list[EntrantOut], "Players to choose from, if the name fits several."]


class RoundLine(Shape):
    """The result of reading one line of a sheet."""

    line: Annotated[int, "Line of the text, from 1."]
    kind: Literal["match", "bye", "player"]
    round: str | None
    table: str | None
    is_table_filled: Annotated[bool, "Whether the table was filled in automatically."]
    one: list[PersonOut]
    two: list[PersonOut]
    length: int | None
    start: Annotated[str | None, "Appointed start, ISO 8601 UTC."]
    details: Annotated[dict[str, str], "Other values that a list has for the player."]
    faults: list[FaultOut]


class RoundPreview(Shape):
    """A sheet of players or pairings, line by line."""

    kind: Literal["players", "pairings"]
    columns: Annotated[list[str], "Columns that were recognised."]
    ignored: Annotated[list[str], "Headings that were not recognised."]
    faults: list[SheetFault]
    lines: list[RoundLine]
    errors: Annotated[int, "Number of errors to settle before the sheet can be opened."]
    new_players: int
    next_round: Annotated[str | None, "The round after those that were opened."]


class RoundOpened(Shape):
    """The result of opening a sheet."""

    matches: Annotated[list[str], "Ids of the matches opened."]
    players: Annotated[int, "Number of players registered."]
    byes: Annotated[list[str], "Entry ids of the byes given."]
    tablets: Annotated[int, "Number of matches that were leased to the tablet at their table."]
    duplicate: bool


State = Literal["waiting", "live", "ended", "ruling", "appeal", "bye"]


class ResultRow(Shape):
    """A match on the sheet of results, or a bye."""

    match_id: Annotated[str | None, "Null for a bye."]
    round: str | None
    table: str | None
    players: Sides
    length: int | None
    state: Annotated[State, "`ruling` and `appeal`: a decision is awaited."]
    score: Annotated[Pair | None, "Null before the match, and while an appeal is open."]
    winner: Name | None
    by: Annotated[str | None, "What decided it."]
    confirmed_by: Annotated[list[Name], "Players who have confirmed the final score."]
    is_posted: bool
    penalty_points: Annotated[Pair | None, "In this match."]
    called: Annotated[list[Name], "Players who are called to the table and have not come."]


class Sides(Shape):
    """Names of each side; two names in consultation doubles."""

    one: list[str]
    two: list[str]


class ResultsOut(Shape):
    """The results of a tournament, by round and table."""

    log_id: str
    title: str
    results: list[ResultRow]


class AttendanceOut(Shape):
    """The result of recording attendance."""

    recorded: Annotated[int, "Number of entries recorded by this request."]


class PlayerRenamed(Shape):
    """The result of correcting a name."""

    player: str
    name: str
    matches: Annotated[list[str], "Ids of the matches whose opening was amended."]
    duplicate: bool


class PlayerOut(EntrantOut):
    """A player with the number of his matches."""

    matches: int


class ByeOut(Shape):
    """A bye."""

    entry_id: str
    round: str | None
    players: list[str]
    names: list[str | None]


class PlayersOut(Shape):
    """The players of a tournament, by name, and the byes in force."""

    players: list[PlayerOut]
    byes: list[ByeOut]
    next_round: str | None
