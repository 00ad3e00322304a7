"""What a sheet is judged against: players, matches, byes and tables, by their names."""

from __future__ import annotations

from collections.abc import Iterable

from api.archive.index.index import MatchIndex
from api.archive.reading import Reading
from api.archive.tournaments import TournamentFold
from api.desk.room_lines import Line, Rooms
from api.rounds.judging import Entrant, Known, Played
from api.rounds.sheet import key_of
from events.errors import LedgerError
from events.personal import Commitment
from events.values import ONE, TWO
from projections.custody.leases import Leases
from projections.facts.roster import Roster, fold_roster


class Rosters(TournamentFold[Roster]):
    """The players and byes of each log."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading, fold_roster)


class Opened:
    """Disclosed values of many commitments, read at once."""

    def __init__(
        self, reading: Reading, log_id: str, wanted: Iterable[Commitment | str | None]
    ) -> None:
        self._texts = reading.texts(log_id, wanted)

    def text(self, commitment: Commitment | str | None) -> str:
        """The value; empty where it is withheld, erased or was never said."""
        sd = commitment.sd if isinstance(commitment, Commitment) else commitment
        return self._texts.get(sd, "") if sd else ""


def all_lines(
    index: MatchIndex, reading: Reading, rooms: Rooms, log_id: str, *, with_cancelled: bool = False
) -> dict[str, Line]:
    """Every match that was recorded in a log and stands, the oldest first. Reads the store."""
    index.catch_up([log_id])
    lines: dict[str, Line] = {}
    for stream_id, version in index.versions(log_id):
        try:
            line = rooms.line(reading, log_id, stream_id, version)
        except LedgerError:
            continue  # The list of matches shows it as damaged.
        if line.shadow_of is None and (with_cancelled or line.standing.state != "cancelled"):
            lines[stream_id] = line
    return lines


def tallies_of(lines: Iterable[Line]) -> dict[str, int]:
    """Id of a player to the penalty points of all matches."""
    points: dict[str, int] = {}
    for line in lines:
        for seat in (ONE, TWO):
            counted = line.standing.penalties[seat]
            for player in line.players[seat]:
                if player is not None and counted:
                    points[player] = points.get(player, 0) + counted
    return points


def known_of(
    reading: Reading,
    log_id: str,
    *,
    roster: Roster,
    lines: Iterable[Line],
    leases: Leases,
    length: int | None = None,
) -> Known:
    """Everything a sheet is held against. Reads the store."""
    lines = list(lines)
    wanted: list[Commitment | str | None] = [bye.round for bye in roster.byes.values()]
    for player in roster.players.values():
        wanted += [player.name, player.club, player.federation_id]
    wanted += [name for names in roster.former.values() for name in names]
    for line in lines:
        wanted += [line.round, line.table]
    wanted += [placed.table for placed in leases.tables.values()]
    opened = Opened(reading, log_id, wanted)
    points = tallies_of(lines)
    rounds = [opened.text(line.round) for line in lines]
    return Known(
        entrants=tuple(
            Entrant(
                player=player,
                name=opened.text(registered.name),
                club=opened.text(registered.club) or None,
                federation_id=opened.text(registered.federation_id) or None,
                points=points.get(player, 0),
                former=tuple(map(opened.text, roster.former.get(player, ()))),
            )
            for player, registered in roster.players.items()
        ),
        matches=tuple(
            Played(
                round=round_,
                table=opened.text(line.table),
                players=tuple(
                    player for side in line.players for player in side if player is not None
                ),
                is_over=line.standing.state == "ended",
            )
            for line, round_ in zip(lines, rounds, strict=True)
        ),
        byes=tuple((opened.text(bye.round), bye.players) for bye in roster.byes.values()),
        tables=tuple(
            table for placed in leases.tables.values() if (table := opened.text(placed.table))
        ),
        length=length,
        next_round=_next_round(rounds),
    )


def standing_at(reading: Reading, log_id: str, leases: Leases) -> dict[str, str]:
    """Key of a table to the device that stands there. Reads the store."""
    opened = Opened(reading, log_id, [placed.table for placed in leases.tables.values()])
    placed = sorted(leases.tables.values(), key=lambda one: one.number)
    return {key_of(table): one.device for one in placed if (table := opened.text(one.table))}


def _next_round(rounds: Iterable[str]) -> str:
    numbers = [int(one) for one in rounds if one.isascii() and one.isdecimal() and len(one) < 4]
    return str(max(numbers, default=0) + 1)
