"""What an account of a match consists of: sections of rows, asides, findings and ends of games."""

from __future__ import annotations

from api.exchange.prose.drawing import ShownDice
from api.exchange.prose.wording import shown
from events.payloads import match, play
from events.values import BySeat, Dice, Seat
from projections.board.position import Position
from projections.facts.games import GameResult
from projections.folding.findings import Finding, Severity
from projections.replay import Step
from projections.views.attention import Asked, Attention


class Act:
    """One act of a player in a turn."""

    def __init__(self, step: Step, words: str) -> None:
        self.step = step
        self.words = words
        """What was done, as the transcript has it."""


class Cell:
    """A turn of one player, or the part of it that nothing interrupted."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.clock: Act | None = None
        """The press that ended the turn; its words are the reserve then."""
        self.is_illegal = False
        """Whether a play in it was found illegal."""

    @property
    def words(self) -> str:
        """All of it in a line."""
        parts = [act.words for act in self.acts]
        parts += ["(illegal)"] if self.is_illegal else []
        parts += [f"[{self.clock.words}]"] if self.clock is not None else []
        return " ".join(parts)

    @property
    def board_step(self) -> Step | None:
        """The last step of it that has a board to show: a play, a dance too."""
        for act in reversed(self.acts):
            is_play = isinstance(act.step.event.payload, play.PlayMade)
            if board_of(act.step) is not None and (is_play or has_moved(act.step)):
                return act.step
        return None


class Row:
    """A numbered row: a turn of each player, seat one's on the left."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.cells: dict[Seat, Cell] = {}

    @property
    def steps(self) -> list[Step]:
        """The steps of all its acts, seat one's first."""
        return [act.step for seat in Seat if seat in self.cells for act in self.cells[seat].acts]


class Aside:
    """Something told on a line of its own."""

    def __init__(self, step: Step, words: str) -> None:
        self.step = step
        self.words = shown(words)


class Found:
    """A finding, with the section that it cites."""

    def __init__(
        self,
        finding: Finding,
        caption: str | None,
        names: BySeat[str],
        asked: Asked | None = None,
    ) -> None:
        self.finding = finding
        self.names = names
        """Who sits where, as it is shown."""
        self.caption = caption
        """What the cited section speaks about; None = not known."""
        left = None if asked is None else asked.left
        self.left_at = None if left is None else left.event.version
        """The entry by which the director left its question to rest; None = none did."""
        self.rests = asked is not None and asked.attention is Attention.NOTE
        """Whether its question is open and needs nobody."""

    @property
    def is_irregular(self) -> bool:
        """Whether it is more than a note."""
        return self.finding.severity is Severity.IRREGULARITY

    @property
    def words(self) -> str:
        """What was found."""
        return shown(self.finding.said.named({seat: self.names[seat] for seat in Seat}))

    @property
    def citation(self) -> str:
        """Rule set and section, and the ambiguity at work."""
        cited = f"{self.finding.rule_set}, {self.finding.section}"
        return cited if self.finding.ambiguity is None else f"{cited}, {self.finding.ambiguity}"

    @property
    def question(self) -> str | None:
        """What a person has to say, and whether somebody has; None = nothing."""
        asked, answered = self.finding.ruling_required, self.finding.answered_by
        if asked is None:
            return None
        if answered is not None:
            return f"ruled at {answered}"
        if self.left_at is not None:
            return f"no ruling: the director left it as it is at {self.left_at}"
        if self.rests:
            return "open, and nobody waits for a ruling"
        readings = " / ".join(said.replace("_", " ") for said in asked.readings)
        return f"a ruling is needed: {readings}" if readings else "a ruling is needed"


class Ended:
    """The end of a game: who won it, and the score then."""

    def __init__(self, step: Step, words: str, score: str) -> None:
        self.step = step
        self.words = words
        self.score = score


Item = Row | Aside | Found | Ended
"""What a section holds, in order."""


class Section:
    """What came before the first game, or one game."""

    def __init__(self, first: Step, number: int) -> None:
        self.first = first
        """The step with which it begins."""
        self.number = number
        """Number of the game; 0 = before the first one."""
        self.score = first.after.match_score
        """Points at its start, as they were put right before its first roll."""
        self.items: list[Item] = []
        self.last = first
        """The last step of it."""
        self.last_board: Step | None = None
        """The last step that changed the board."""

    @property
    def is_crawford(self) -> bool:
        """Whether it is the Crawford game, as the score or a ruling had it last."""
        return bool(self.number) and self.last.after.score.is_crawford_game

    @property
    def title(self) -> str:
        """Its heading."""
        if not self.number:
            return "Before the first game"
        return f"Game {self.number}{', Crawford game' if self.is_crawford else ''}"

    @property
    def result(self) -> GameResult | None:
        """How the game ended; None while it is in progress, also again."""
        known, games = self.first.before.score.games, self.last.after.score.games
        return games[-1] if len(games) > len(known) else None


def has_moved(step: Step) -> bool:
    """Whether the board is known after a step, and was changed or set by it."""
    after = step.after.positions.board
    return after is not None and after is not step.before.positions.board


def is_set(step: Step) -> bool:
    """Whether a step leaves a board that no checker moves tell."""
    match step.event.payload:
        case match.GameStarted():
            return False
        case play.PlayMade(resulting_position=None) | play.PlayRevised(resulting_position=None):
            return False
        case play.PlayCorrected(checkers=None):
            return False
        case _:
            return has_moved(step)


def board_of(step: Step) -> Position | None:
    """The board after a step, seat one's checkers as `own`."""
    return step.after.positions.board


def dice_after(step: Step) -> ShownDice | None:
    """The roll that a play was made with, or the roll that waits."""
    seat = getattr(step.event.payload, "seat", None)
    faces: Dice | None = None
    if step.event.tag == "play.made" and seat is not None:
        faces = step.before.flow.dice_of(seat)
    elif step.after.flow.dice is not None:
        seat, faces = step.after.flow.on_roll, step.after.flow.dice
    return None if seat is None or faces is None else ShownDice(seat, faces)
