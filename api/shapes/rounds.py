"""Shapes of answers about rounds: sheets line by line, players and byes, and results."""

from __future__ import annotations

from typing import Annotated, Literal

from api.shapes.matches import Name, Pair
from api.shapes.shape import Shape


class FaultOut(Shape):
    """What is to be said about a line of a sheet."""

    field: Annotated[str | None, "Column that it is about."]
    code: str
    values: Annotated[dict[str, str], "What the words name."]
    is_error: Annotated[bool, "Whether nothing is recorded before it is settled."]
    message: str


class SheetFault(Shape):
    """What is wrong with a sheet as a whole."""

    line: int
    field: Annotated[str | None, "Column that it is about."]
    code: str
    values: Annotated[dict[str, str], "What the words name."]
    is_error: Annotated[bool, "Whether nothing is recorded before it is settled."]
    message: str


class EntrantOut(Shape):
    """A player of a tournament."""

    player: Annotated[str, "Id of `player.registered`."]
    name: str | None
    club: str | None
    federation_id: str | None
    penalty_points: Annotated[int, "Over all matches."]


class PersonOut(Shape):
    """Who stands in a cell of a sheet."""

    key: Annotated[str, "Names the cell in `answers`."]
    name: str
    player: Annotated[str | None, "Id of whom it is; null where that is somebody new."]
    is_new: bool
    penalty_points: Annotated[int, "Over all matches so far."]
    candidates: Annotated[list[EntrantOut], "Whom it may be, where that is to be chosen."]


class RoundLine(Shape):
    """What a line of a sheet comes to."""

    line: Annotated[int, "Line of the text, from 1."]
    kind: Literal["match", "bye", "player"]
    round: str | None
    table: str | None
    is_table_filled: Annotated[bool, "Whether the table was filled in."]
    one: list[PersonOut]
    two: list[PersonOut]
    length: int | None
    start: Annotated[str | None, "Appointed start, ISO 8601 UTC."]
    details: Annotated[dict[str, str], "What else a list says of a player."]
    faults: list[FaultOut]


class RoundPreview(Shape):
    """A sheet of players or pairings, line by line."""

    kind: Literal["players", "pairings"]
    columns: Annotated[list[str], "Columns that were understood."]
    ignored: Annotated[list[str], "Headings that were not."]
    faults: list[SheetFault]
    lines: list[RoundLine]
    errors: Annotated[int, "What is to be settled before it can be opened."]
    new_players: int
    next_round: Annotated[str | None, "The round that follows those that were opened."]


class RoundOpened(Shape):
    """What a sheet has become."""

    matches: Annotated[list[str], "Ids of the matches opened."]
    players: Annotated[int, "Players registered."]
    byes: Annotated[list[str], "Entry ids of the byes given."]
    tablets: Annotated[int, "Matches that went to the tablet at their table."]
    duplicate: bool


State = Literal["waiting", "live", "ended", "ruling", "appeal", "bye"]


class ResultRow(Shape):
    """A match on the sheet of results, or a bye."""

    match_id: Annotated[str | None, "Null for a bye."]
    round: str | None
    table: str | None
    players: Sides
    length: int | None
    state: Annotated[State, "`ruling`, `appeal`: one is awaited."]
    score: Annotated[Pair | None, "Null before the match, and while an appeal is open."]
    winner: Name | None
    by: Annotated[str | None, "What decided it."]
    confirmed_by: Annotated[list[Name], "Players who stand by the final score."]
    is_posted: bool
    penalty_points: Annotated[Pair | None, "In this match."]
    called: Annotated[list[Name], "Who is called to the table, and has not come."]


class Sides(Shape):
    """Names of each side; two in consultation doubles."""

    one: list[str]
    two: list[str]


class ResultsOut(Shape):
    """The results of a tournament, by round and table."""

    log_id: str
    title: str
    results: list[ResultRow]


class AttendanceOut(Shape):
    """What was recorded of who came."""

    recorded: Annotated[int, "Entries recorded just now."]


class PlayerRenamed(Shape):
    """What became of a name that was corrected."""

    player: str
    name: str
    matches: Annotated[list[str], "Ids of the matches whose opening says it anew."]
    duplicate: bool


class PlayerOut(EntrantOut):
    """A player with how often he has played."""

    matches: int


class ByeOut(Shape):
    """A bye."""

    entry_id: str
    round: str | None
    players: list[str]
    names: list[str | None]


class PlayersOut(Shape):
    """The players of a tournament, by name, and the byes that stand."""

    players: list[PlayerOut]
    byes: list[ByeOut]
    next_round: str | None
