"""How a game of a match file ended: who won, by what, and what the file claims about it."""

from __future__ import annotations

from typing import NamedTuple

from api.exchange.reading.facts import NoticeCode
from api.exchange.reading.notes import Notes, clear
from events.payloads.base import WinKind
from events.payloads.ending import ResignationAccepted, ResignationOffered
from events.payloads.match import GameWon
from events.values import BAR, OFF, BySeat, Seat

MAX_POINTS = 1_000_000
"""More than that nobody wins; the catalogue's own limit."""

FORFEIT_CODE = 1_000
"""Points from here on are codes of their source, such as 1004 times the cube (formats.md 8.5)."""


class Claim(NamedTuple):
    """A result as written."""

    seat: Seat | None
    """Whose column it stands in; for a loss the loser's. None = in no column."""
    points: int
    """The number written."""
    line: int
    """Line of the file."""
    text: str
    """The words."""
    ends_match: bool = False
    """Whether it says `and the match`."""


class Outcome(NamedTuple):
    """What a game added to the score."""

    winner: Seat
    """Who won."""
    points: int
    """What the folds will make of it, uncapped."""
    claimed: int
    """What the file says; the same where it says nothing."""
    ends_match: bool
    """Whether the file says that the match is over."""


class Ending:
    """Collects the evidence for the end of one game, and decides how it ended."""

    def __init__(self, *, length: int | None, jacoby: bool) -> None:
        self.length = length
        self.jacoby = jacoby
        self.borne_off_by: Seat | None = None
        """Who has no checker left."""
        self.loser: tuple[int, ...] = ()
        """The other player's 26 counts then."""
        self.dropped: Seat | None = None
        """Who dropped a double."""
        self.resigned: tuple[Seat, int] | None = None
        """Who resigned, and on which line it says so."""
        self.level: WinKind | None = None
        """The level of the resignation, if the source states it besides the points."""
        self.loss: Claim | None = None
        """`Losses N`."""
        self.rolled: Seat | None = None
        """Who threw last: a loss without a column is that player's."""
        self.result: Claim | None = None
        """`Wins N`."""
        self.second: Claim | None = None
        """A later `Wins N` that stands in the other player's column."""

    def conclude(
        self,
        notes: Notes,
        *,
        cube: int,
        is_turned: bool,
        printed: BySeat[int] | None,
        following: BySeat[int] | None,
        line: int,
    ) -> Outcome | None:
        """Record how the game ended; None if it did not, or that is unknown.

        `printed` is the score line above the game, `following` the one below it, `line` the
        game's heading.
        """
        said = self.result or self.loss
        points = None if said is None else said.points
        if said is not None and said.points > MAX_POINTS:
            notes.remark(
                NoticeCode.RESULT_DIFFERS, "nobody wins that much", line=said.line, raw=said.text
            )
            points = None
        winner = self._winner(notes, printed, following, line)
        computed = self._resign(notes, winner, points, cube=cube, is_turned=is_turned)
        if computed is None:
            computed = self._computed(cube=cube, is_turned=is_turned)
        worth = points if computed is None else computed
        if winner is None or worth is None:
            if following is not None:
                notes.remark(NoticeCode.NO_RESULT, "the game has no result", line=line)
            else:
                notes.remark(NoticeCode.UNFINISHED, "the file stops within the game")
            if said is not None:
                # Records have no words, only the number.
                what = said.text[:200] or f"{said.points} points, and nobody who won them"
                notes.lost.append(f"line {said.line}: {what}")
            return None
        if said is not None and points is not None:
            notes.add(GameWon(winner=winner, points=points, how=clear(said.text)), said.line)
            self._contradicted(notes, winner)
            if points != worth:
                needed = None
                if self.length is not None and printed is not None:
                    needed = self.length - printed[winner]
                cause = self._cause(points, worth, needed=needed, cube=cube)
                message = f"{points} written, {worth} computed{cause}"
                code = NoticeCode.RESULT_DIFFERS
                notes.remark(code, message, line=said.line, raw=said.text)
        ends_match = self._ends_match
        if said is not None and ends_match and (following is not None or self.length is None):
            why = "it has no length" if following is None else "another game follows"
            message = f"the match is said to end with this game, and {why}"
            code = NoticeCode.RESULT_DIFFERS
            notes.remark(code, message, line=said.line, raw=said.text)
        return Outcome(winner, worth, worth if points is None else points, ends_match)

    def _winner(
        self,
        notes: Notes,
        printed: BySeat[int] | None,
        following: BySeat[int] | None,
        line: int,
    ) -> Seat | None:
        """Board, drop, resignation, next score line, then column; conflicts are remarked."""
        by_score = None
        if printed is not None and following is not None:
            gained = [now - before for now, before in zip(following, printed, strict=True)]
            if gained[0] > 0 and gained[1] == 0:
                by_score = Seat.ONE
            elif gained[1] > 0 and gained[0] == 0:
                by_score = Seat.TWO
        answers = (
            ("the board", self.borne_off_by),
            ("the drop", self.dropped and self.dropped.other),
            ("the resignation", self.resigned and self.resigned[0].other),
            ("the next score", by_score),
            ("the length of the match", self._reaching(printed)),
            ("the loss", self.loss and self.loss.seat and self.loss.seat.other),
            ("the column", self.result and self.result.seat),
            ("the second result", self.second and self.second.seat),
        )
        said = [(who, seat) for who, seat in answers if seat is not None]
        if len({seat for _, seat in said}) > 1:
            message = "; ".join(f"{who} says {seat.value}" for who, seat in said)
            notes.remark(NoticeCode.WINNER_CONFLICT, message, line=line)
        if not said and self.loss is not None and self.rolled is not None:
            return self.rolled.other
        return said[0][1] if said else None

    @property
    def _ends_match(self) -> bool:
        return any(one is not None and one.ends_match for one in (self.result, self.loss))

    def _reaching(self, printed: BySeat[int] | None) -> Seat | None:
        """The only player who can win the match by this game, if the file says that it ends it."""
        said = self.result or self.loss
        if said is None or printed is None or self.length is None or not self._ends_match:
            return None
        able = [seat for seat in Seat if printed[seat] + said.points >= self.length]
        return able[0] if len(able) == 1 else None

    def _contradicted(self, notes: Notes, winner: Seat) -> None:
        """The file's claim, if it names another winner: the folds will make a finding."""
        loss = self.loss
        if loss is not None and loss.seat is not None:
            loss = loss._replace(seat=loss.seat.other)
        for claim in (loss, self.result, self.second):
            is_other = claim is not None and claim.seat is winner.other
            if claim is not None and is_other and 0 < claim.points <= MAX_POINTS:
                other = GameWon(winner=winner.other, points=claim.points, how=clear(claim.text))
                notes.add(other, claim.line)

    def _resign(
        self,
        notes: Notes,
        winner: Seat | None,
        points: int | None,
        *,
        cube: int,
        is_turned: bool,
    ) -> int | None:
        """Record the resignation, at the level that the points show, if they do."""
        resigned = self.resigned
        if resigned is None and self.loss is not None and winner is not None:
            if self.loss.seat is winner:
                return None  # Whatever the row means, the winner did not resign.
            resigned = (winner.other, self.loss.line)
            points = self.loss.points
        if resigned is None or self.dropped or self.borne_off_by:
            return None
        seat, line = resigned
        level = self.level
        if level is None and points is not None and points % cube == 0:
            level = next((kind for kind in WinKind if kind.factor == points // cube), None)
        notes.add(ResignationOffered(seat=seat, level=level), line)
        notes.add(ResignationAccepted(seat=seat.other), line)
        # Without a level, the claim ends the game in the folds, and the points do so here.
        return None if level is None else self._worth(level.factor, cube, is_turned=is_turned)

    def _computed(self, *, cube: int, is_turned: bool) -> int | None:
        """What the game is worth if board or drop ended it; None if only a claim does."""
        if self.borne_off_by is not None:
            if self.loser[OFF]:
                return cube
            # The winner's home board is the loser's points 19 to 24.
            factor = 3 if self.loser[BAR] or any(self.loser[19:25]) else 2
            return self._worth(factor, cube, is_turned=is_turned)
        return cube if self.dropped is not None else None

    def _worth(self, factor: int, cube: int, *, is_turned: bool) -> int:
        """Cube value times level; under Jacoby a cube never turned counts once."""
        return cube if self.jacoby and not is_turned else cube * factor

    def _cause(self, points: int, worth: int, *, needed: int | None, cube: int) -> str:
        """The likely cause of a difference, in words."""
        if points >= FORFEIT_CODE:
            return ": a forfeit code"
        if points < worth and points == self.length:
            return ": capped at the match length"
        if points < worth and points == needed:
            return ": capped at the points needed"
        if points < worth and points == cube:
            return ": as under Jacoby"
        return ""
