"""Turns a match that comes as records into facts; shared by the readers of binary files."""

from __future__ import annotations

import msgspec

from api.exchange.reading.ending import MAX_POINTS
from api.exchange.reading.facts import ClaimedResult, Fact, NoticeCode
from api.exchange.reading.game import GameTelling
from api.exchange.reading.match import MatchTelling
from events.payloads.match import MatchEnded, ScoreStated
from events.values import BySeat, Seat


class RecordGame(GameTelling):
    """One game of such a match. A line is the number of a record, from 1."""

    unplayed: tuple[Seat, int] | None = None
    """The player and line of a roll without a play, until it is known whether the game goes on."""

    def go_on(self) -> None:
        """The game goes on, so the roll before was played, in an unknown way."""
        if self.unplayed is not None:
            seat, line = self.unplayed
            self.unplayed = None
            message = "no play is recorded, and the game goes on"
            self.notes.remark(NoticeCode.LOST_PLAY, message, line=line, side=seat)
            self.add_gap(seat, "", line)
        super().go_on()

    def claim_dance(self, seat: Seat, dice: tuple[int, int] | None) -> None:
        """The file says that nothing was played."""
        if dice is not None and self.could_play(seat, dice):
            message = "nothing was played, and a play could be made"
            self.notes.remark(NoticeCode.NO_PLAY_CLAIMED, message, side=seat)
        self.add_dance(seat)

    def lose(self, what: str, code: NoticeCode = NoticeCode.CELL_NOT_READ) -> None:
        """Something that no event holds."""
        self.notes.remark(code, what)
        self.notes.lost.append(f"record {self.notes.line}: {what}")


class RecordMatch(MatchTelling):
    """Such a match, whose file marks the Crawford game and states the final score."""

    is_crawford = False
    """Whether the game about to start is marked as the Crawford game."""
    final: tuple[int, int] | None = None
    """The score at the end, as the file has it."""

    def lose(self, what: str, code: NoticeCode = NoticeCode.NO_FACT) -> None:
        """Something that no event holds."""
        self.notes.remark(code, f"{what}, which no event holds")
        self.notes.lost.append(what)

    def note_score(self, points: BySeat[int]) -> None:
        """A printed score, and whether the next game is marked as the Crawford game."""
        was_played = self.crawford_played
        super().note_score(points)
        if self.length is None or self.length == 1 or not self.has_crawford:
            return  # the only game of a match to one point is marked by some programs
        is_one_away = (points.one == self.length - 1) is not (points.two == self.length - 1)
        if self.is_crawford is (is_one_away and not was_played):
            return
        marked = "marked" if self.is_crawford else "not marked"
        message = f"the game is {marked} as the Crawford game, against the scores"
        self.notes.remark(NoticeCode.CRAWFORD_DIFFERS, message)
        if is_one_away and not self.is_crawford:
            reason = "Crawford game as the file marks it"
            self.notes.add(ScoreStated(score=points, crawford_played=True, reason=reason))
        else:
            # Only a ruling can make another game the Crawford game.
            self.notes.lost.append(f"record {self.notes.line}: {message}")

    def close(self, dialect: str, result: ClaimedResult) -> None:
        """The final score goes into the claim that the match is over, if there is one."""
        final, notes = self.final, self.notes
        if final is None:
            return
        claimed = self.claimed_score()
        ended = notes.facts[-1].payload if notes.facts else None
        is_held = isinstance(ended, MatchEnded) and all(0 <= won <= MAX_POINTS for won in final)
        if isinstance(ended, MatchEnded) and is_held:
            told = msgspec.structs.replace(ended, score=BySeat(*final))
            notes.facts[-1] = Fact(told, notes.line)
        if claimed is not None and tuple(claimed) != final:
            one, two = final
            message = f"the end says {one}-{two}, the games make it {claimed.one}-{claimed.two}"
            notes.remark(NoticeCode.SCORE_DIFFERS, message)
            if not is_held:
                notes.lost.append(message)

    def comment(self, text: str, about: int) -> None:
        """A comment, about the fact at that place of the finished match."""
        self.notes.mark(text, about)
