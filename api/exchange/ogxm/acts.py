"""Writes the acts of one game as OGXM plies; what no ply can hold becomes a note and a loss."""

from __future__ import annotations

from collections import Counter

from api.exchange.ogxm.board import is_holdable
from api.exchange.ogxm.notes import GAP, MATCH, ROLL, Notes, Place, line
from api.exchange.ogxm.table import Table
from api.exchange.writing.losses import OGXM, Losses
from api.exchange.writing.story import CUBE_ACTS, Act, Game, Kind, Story
from api.exchange.writing.wanted import Wanted
from events.payloads.base import WinKind
from events.values import CheckerMove, Dice, Seat
from projections.board.legal import is_legal, legal_plays, single_steps
from projections.board.position import Position
from projections.facts.games import EndedBy
from projections.replay import Step

_TERMINATIONS = {EndedBy.BOARD: 0, EndedBy.DROP: 1, EndedBy.RESIGNATION: 2}

_ANSWERS = frozenset({Kind.TAKE, Kind.DROP, Kind.BEAVER})


class Told:
    """What was written of the match so far, for notes and clock readings."""

    def __init__(self, story: Story, wanted: Wanted) -> None:
        self.replay = story.replay
        self.losses = Losses(OGXM, wanted, story.replay, story)
        self.losses.take(story)
        self.notes = Notes()
        self.places: list[tuple[int, Place]] = [(0, MATCH)]
        """(version, place): the place of a note, by the event from which on it applies."""
        self.plies = 0
        """Plies of the games before the current one."""
        self.times: list[int | None] = []
        """When the act of each ply happened; None = not recorded."""
        self.versions: list[int] = []
        """Version of the event that each ply records."""


class GameWriter:
    """Writes the acts of one game; the table follows the state that a reader derives."""

    def __init__(
        self, told: Told, number: int, game: Game, table: Table, *, has_beavers: bool
    ) -> None:
        self.told = told
        self.number = number
        """Number of the game, from 0."""
        self.losses = told.losses
        self.game = game
        self.table = table
        self.has_beavers = has_beavers
        self.is_doubled = False
        """Whether the last double is a ply that has not been answered yet."""
        self.is_beavered = False
        """Whether the last act is a beaver: readers count it as taken at once, we with the next
        act."""

    def write(self) -> None:
        """All acts, and the result."""
        for place, act in enumerate(self.game.acts):
            if self.table.is_over:
                self.losses.at(act.step, "after-the-end")
                continue
            known = len(self.table.plies)
            self.act(act, place)
            self.mark(act.step, known)
        self.end()

    def mark(self, step: Step, known: int) -> None:
        """The plies since `known` record a step: notes about it belong to the last of them."""
        at_ms = getattr(step.event.payload, "at_ms", None)
        for _ in self.table.plies[known:]:
            self.told.times.append(at_ms)
            self.told.versions.append(step.event.version)
        if len(self.table.plies) > known:
            self.told.places.append((step.event.version, self.last_ply()))

    def last_ply(self) -> Place:
        """The place of the last ply, or of the game if it has none yet."""
        count = len(self.table.plies)
        if not count:
            return Place(1, self.number)
        return Place(2, self.told.plies + count - 1)

    def note(self, key: str, text: str, act: Act) -> None:
        """A note at the last ply."""
        self.told.notes.add(self.last_ply(), key, text, act.step.event.version)

    def act(self, act: Act, place: int) -> None:
        """One act, as plies."""
        if act.kind is Kind.POSITION:
            self.position(act)
            self.follow_cube(act)
            return
        was_beavered, self.is_beavered = self.is_beavered, False
        if not (self.is_doubled or (was_beavered and act.kind in _ANSWERS)):
            self.follow_cube(act)
        seat = act.seat
        if seat is None:
            return
        if act.kind in CUBE_ACTS:
            self.cube_act(act, seat, place)
        elif act.kind is Kind.PLAY:
            self.play(act, seat)
        elif act.kind is Kind.GAP:
            self.gap(act, seat, None)
        else:
            self.roll(act, seat, is_last=place == len(self.game.acts) - 1)

    # -- checkers ------------------------------------------------------------------------------

    def play(self, act: Act, seat: Seat) -> None:
        """A play: steps if it is legal, else the board after it; a pass if that is not known."""
        before, faces = act.before, act.dice
        end = act.end
        if end is None and before is not None:
            end = before.moved(act.moves, act.hits_not_lifted).position
        if end is None or not is_holdable(end):
            if end is not None:
                self.losses.at(act.step, "board")
            self.gap(act, seat, act.moves)
            return
        steps = self.steps(act, before, faces, end)
        after = end.seen_by(seat)
        if steps is not None and faces is not None and before is not None:
            self.see(before.seen_by(seat), seat, act)
            self.table.play(seat, faces, steps)
            self.table.played(seat, after)
            self.table.has_moved = True
            self.say_what_steps_lose(act, steps, faces)
            return
        if faces is None and end == before:
            self.turn(seat, act)
            self.table.turn_passed(seat)
            return
        self.turn(seat, act)
        is_illegal = False  # not known if the board before it, or the roll, is not
        if before is not None and faces is not None:
            is_illegal = end not in legal_plays(before, faces).ends
        self.table.play_to(seat, faces, after, is_illegal=is_illegal)
        if act.moves or act.end is None:
            self.note("steps", _words(act.moves), act)
            self.losses.at(act.step, "illegal-steps")

    def steps(
        self, act: Act, before: Position | None, faces: Dice | None, end: Position
    ) -> tuple[CheckerMove, ...] | None:
        """A legal play as steps of one die, in an order that can be played; None if illegal."""
        if before is None or faces is None or not is_holdable(before) or act.hits_not_lifted:
            return None
        if act.end is None:
            if not is_legal(before, faces, act.moves):
                return None
            steps = single_steps(before, faces, act.moves)
            if _is_plain(before, steps):
                return steps
        low, high = sorted(faces)  # So that the same play is always written as the same steps.
        found = legal_plays(before, (low, high)).ends.get(end)
        return None if found is None else tuple(found.moves)

    def say_what_steps_lose(self, act: Act, steps: tuple[CheckerMove, ...], faces: Dice) -> None:
        """What a legal play loses when it is written as steps."""
        if faces[0] != faces[1]:
            self.losses.at(act.step, "dice-order")
        if act.end is not None:
            self.losses.at(act.step, "told-by-end")
        elif Counter(steps) != Counter(act.moves):
            self.losses.at(act.step, "steps")

    def see(self, board: Position, seat: Seat, act: Act) -> None:
        """Make the table show the board before a play, and give the turn to its player."""
        if not self.table.is_known or self.table.board != board:
            self.table.set_board(board, seat)
        self.turn(seat, act)

    def turn(self, seat: Seat, act: Act) -> None:
        """Give the turn to who acts."""
        if self.table.on_roll not in (None, seat):
            self.losses.at(act.step, "turn")
        self.table.give_turn(seat)

    def gap(self, act: Act, seat: Seat, moves: tuple[CheckerMove, ...] | None) -> None:
        """A play that is not known, or whose board is not known: a pass, and a note."""
        self.turn(seat, act)
        self.table.turn_passed(seat)
        self.table.is_known = False
        faces = "" if act.dice is None else f"{act.dice[0]}{act.dice[1]}"
        words = "" if moves is None else f": {_words(moves)}".rstrip()
        self.note(GAP, faces + words, act)
        if moves is not None:
            self.losses.at(act.step, "gap")

    def roll(self, act: Act, seat: Seat, *, is_last: bool) -> None:
        """A roll without a play: before a resignation a ply, else a note."""
        result, faces = self.game.result, act.dice
        if faces is None:
            return
        board = act.before
        is_ply = (
            is_last
            and result is not None
            and result.ended_by is EndedBy.RESIGNATION
            and self.level() is not None
            and board is not None
            and is_holdable(board)
            and not is_legal(board, faces, ())
        )
        if is_ply and board is not None:
            self.see(board.seen_by(seat), seat, act)
            self.table.play(seat, faces, ())
            self.table.on_roll = seat.other
            return
        self.note(ROLL, f"{seat.value} {faces[0]}{faces[1]}", act)
        self.losses.at(act.step, "roll")

    def position(self, act: Act) -> None:
        """A board set from outside play."""
        board = act.board
        if board is None:
            return
        on_roll = act.seat or self.table.on_roll
        if is_holdable(board):
            self.table.set_board(board, on_roll or Seat.ONE)
            self.table.on_roll = on_roll
            return
        self.table.is_known = False
        self.note("board", line({"own": board.own, "other": board.other}), act)
        self.losses.at(act.step, "board")

    # -- the cube ------------------------------------------------------------------------------

    def follow_cube(self, act: Act) -> None:
        """Set the cube, if the acts written so far do not give the cube before an act."""
        self.set_cube(act.cube_value, act.cube_owner, act)

    def set_cube(self, value: int, owner: Seat | None, act: Act) -> None:
        """Set the cube, unless it is the same; readers accept no value that a cube cannot show."""
        if (value, owner) == (self.table.cube, self.table.owner):
            return
        if value & (value - 1):
            self.note("cube", f"{value} {owner.value if owner else ''}".strip(), act)
            self.losses.at(act.step, "cube")
            return
        self.table.set_cube(value, owner)

    def cube_act(self, act: Act, seat: Seat, place: int) -> None:
        """A double and its answer, as plies if a reader accepts them."""
        table = self.table
        if act.kind is Kind.DOUBLE:
            answer = self.game.acts[place + 1] if place + 1 < len(self.game.acts) else None
            is_answered = answer is None or (answer.kind in _ANSWERS and answer.seat is seat.other)
            self.is_doubled = is_answered and table.may_double(seat)
            if self.is_doubled:
                self.turn(seat, act)
                table.double(seat)
            else:
                self.not_a_ply(act, seat)
            return
        was_doubled, self.is_doubled = self.is_doubled, False
        self.is_beavered = act.kind is Kind.BEAVER
        if not was_doubled:
            self.not_a_ply(act, seat)
        elif act.kind is Kind.TAKE:
            table.take(seat)
        elif act.kind is Kind.DROP:
            table.drop(seat)
        elif self.has_beavers:
            table.beaver(seat)
        else:
            table.take(seat)
            self.not_a_ply(act, seat)

    def not_a_ply(self, act: Act, seat: Seat) -> None:
        """A cube act that a reader would refuse here: a note, and the cube that results is set."""
        self.note("cube", f"{seat.value} {act.kind.value}", act)
        self.losses.at(act.step, "cube")
        if act.kind is not Kind.DROP:
            cube = act.step.after.cube
            self.set_cube(cube.value, cube.owner, act)

    # -- the end -------------------------------------------------------------------------------

    def level(self) -> int | None:
        """The level of a resignation: how many times the cube."""
        result = self.game.result
        if result is None:
            return None
        if result.kind is not None:
            return result.kind.factor
        factors = {kind.factor for kind in WinKind}
        factor, rest = divmod(result.points, self.table.cube)
        return factor if not rest and factor in factors else None

    def end(self) -> None:
        """Winner and points as they count, and how the game ended."""
        result = self.game.result
        if result is None:
            return
        table = self.table
        level = self.level()
        if result.ended_by is EndedBy.RESIGNATION and level is not None and not table.is_over:
            table.resign(result.winner.other, level)
            step = self.told.replay.step_at(result.version)
            at_ms = None if step is None else getattr(step.event.payload, "at_ms", None)
            self.told.times.append(at_ms)
        table.record |= {
            "winner": 0 if result.winner is Seat.ONE else 1,
            "points_won": result.points,
        }
        if result.ended_by in _TERMINATIONS:
            table.record["termination"] = _TERMINATIONS[result.ended_by]
        if self.game.ends_match:
            table.record["is_lastgame"] = True
        self.told.places.append((result.version, self.last_ply()))


def _is_plain(before: Position, steps: tuple[CheckerMove, ...]) -> bool:
    """Whether the steps can be played in this order: bar first, sources filled, none borne off."""
    bar = before.own[25]
    own = list(before.own)
    for step in steps:
        if step.to_point == 0 or (bar > 0) is not (step.from_point == 25):
            return False
        bar -= step.from_point == 25
        if own[step.from_point] < 1:
            return False
        own[step.from_point] -= 1
        own[step.to_point] += 1
    return True


def _words(moves: tuple[CheckerMove, ...]) -> str:
    """Checker moves as recorded, from the mover's side; 25 is the bar, 0 is off."""
    return " ".join(f"{move.from_point}/{move.to_point}" for move in moves)
