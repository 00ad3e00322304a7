"""Writes a replayed match as .mat in the profile that every known reader understands alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from api.exchange.facts import Written
from api.exchange.mat_losses import Losses
from events.payloads import cube, dice, dispute, match, play
from events.payloads.base import Payload
from events.values import BAR, BySeat, CheckerMove, Seat
from projections.board.legal import is_legal, legal_plays, single_hops
from projections.board.position import Position
from projections.replay import Replay, Step

Illegal = Literal["raw", "stated"]
"""How an illegal play is written: its steps as made, or `Illegal play (...)` with the board."""

WITHHELD = BySeat("Player 1", "Player 2")
"""Names of players whose names may not be shown."""

MAX_NAME_BYTES = 31
"""GNU Backgammon cuts longer names."""

MAX_LENGTH = 64
"""GNU Backgammon refuses longer matches."""

HIDDEN = "????"

_LEFT = 28
_BREAKING = re.compile(r"[:;)\x00-\x1f\x7f]")
_RATING = re.compile(r",(?=\s*[0-9])")


class Details(msgspec.Struct, frozen=True):
    """What the caller may show of the match's opening; None = not recorded, or withheld."""

    event: str | None = None
    """Tournament."""
    round: str | None = None
    """Round."""
    place: str | None = None
    """Where it is played."""
    date: str | None = None
    """Day, ISO 8601 or `2026.01.31`; GNU Backgammon makes one up if there is none."""
    transcriber: str | None = None
    """Who transcribed it."""


class _Cell:
    """One side's part of a row, and what is needed to write it again after a correction."""

    def __init__(
        self,
        seat: Seat,
        *,
        entry_id: str = "",
        dice: tuple[int, int] | None = None,
        text: str = "",
        before: Position | None = None,
        end: Position | None = None,
        is_cube: bool = False,
    ) -> None:
        self.seat = seat
        self.entry_id = entry_id
        self.dice = dice
        self.text = text
        """What follows the dice, or the whole cell where there are none."""
        self.before = before
        """Board before the play, from the player's side."""
        self.end = end
        """Board after it, from the player's side, if it is to be written as a stated board."""
        self.is_cube = is_cube
        self.score: BySeat[int] = BySeat(0, 0)
        self.cube_value = 1
        self.cube_owner: Seat | None = None
        self.is_crawford = False


class _Game:
    """Cells of one game, its score line and its result."""

    def __init__(self, score: BySeat[int]) -> None:
        self.score = score
        self.cells: list[_Cell] = []
        self.result: tuple[Seat, str] | None = None

    def find(self, entry_id: str) -> int | None:
        """Place of an entry's cell."""
        places = (k for k, cell in enumerate(self.cells) if cell.entry_id == entry_id)
        return next(places, None)


def write(
    replay: Replay,
    names: BySeat[str] | None = None,
    *,
    details: Details | None = None,
    illegal: Illegal = "raw",
) -> Written:
    """The match as .mat text, as corrected, and everything that the text does not hold.

    `names` are those that may be shown; None = withheld. What readers break on is replaced in
    them, and then the name itself stands in a header.
    """
    return _Writer(replay, names, details or Details(), illegal).written()


class _Writer:
    def __init__(
        self, replay: Replay, names: BySeat[str] | None, details: Details, illegal: Illegal
    ) -> None:
        self.replay = replay
        self.given = names
        self.names = BySeat(
            *(
                sanitised(name, WITHHELD[seat])
                for seat, name in zip(Seat, names or WITHHELD, strict=True)
            )
        )
        self.details = details
        self.illegal = illegal
        self.losses = Losses()
        self.games: list[_Game] = []
        self.is_opening = False
        """Whether the roll in play is the opening throw: seat one's die, then seat two's."""

    def written(self) -> Written:
        """Header, games and losses."""
        for step in self.replay.steps:
            self.losses.at(step)
            self.step(step)
        if self.replay.steps:
            self.leave_roll(self.replay.steps[-1], is_after=True)
        lines = [*self.header()]
        for number, game in enumerate(self.games, 1):
            lines += ["", f" Game {number}", self.score_line(game), *self.rows(game)]
        self.losses.general(self.replay)
        return Written("\n".join(lines) + "\n", self.losses.listed())

    # -- header ------------------------------------------------------------------------------

    def header(self) -> list[str]:
        """Headers and the length line."""
        opened = self.replay.opened
        details = self.details
        tags = [("Site", "Tabularium")]
        tags += [
            (tag, value)
            for tag, value in (
                ("Event", details.event),
                ("Round", details.round),
                ("Place", details.place),
            )
            if value
        ]
        for number, seat in enumerate(Seat, 1):
            tags.append((f"Player {number}", self.names[seat]))
            original = WITHHELD[seat] if self.given is None else self.given[seat]
            if original != self.names[seat]:
                tags.append((f"Player {number} in full", original))
                self.losses.note("name", f"seat {seat.value}", 1)
        if details.date:
            tags.append(("EventDate", details.date[:10].replace("-", ".")))
        tags.append(("Variation", "Backgammon"))
        length = None if opened is None else opened.length
        rules = self.replay.rules
        if length is not None:
            tags.append(("Crawford", "On" if rules.is_on("crawford") else "Off"))
        for tag, option in (("Jacoby", "jacoby"), ("Beaver", "beavers")):
            if opened is not None and option in opened.options:
                tags.append((tag, "On" if rules.is_on(option) else "Off"))
        if details.transcriber:
            tags.append(("Transcriber", details.transcriber))
        if opened is not None:
            self.lose_opening(opened)
        if length is not None and length > MAX_LENGTH:
            self.losses.note("limit", f"a match to {length} points", 1)
        return [*(self.tag(name, value) for name, value in tags), "", f" {length or 0} point match"]

    def tag(self, name: str, value: str) -> str:
        """One header; lines stay under 1,000 bytes, since readers take longer ones in pieces."""
        plain = _plain(value).replace('"', "'")
        cut = _cut(plain, 900)
        if cut != plain:
            self.losses.note("header", f"{name}, cut to 900 bytes", 1)
        return f'; [{name} "{cut}"]'

    def lose_opening(self, opened: match.MatchOpened) -> None:
        """Members of the opening that no header holds, or that were not handed over."""
        shown = {f for f in ("event", "round", "place", "date", "transcriber") if self.detail(f)}
        kept = {"players", "length", "options", "score_at_start", *shown}
        for field in msgspec.structs.fields(opened):
            if field.name not in kept and getattr(opened, field.name) != field.default:
                self.losses.note("header", field.name, 1)
        for seat in Seat:
            for player in opened.players[seat]:
                for field in msgspec.structs.fields(player):
                    value = getattr(player, field.name)
                    if value is not None and (field.name != "name" or self.given is None):
                        self.losses.note("header", f"{field.name} of {seat.value}", 1)

    def detail(self, name: str) -> str | None:
        """One of the details handed over."""
        value: str | None = getattr(self.details, name)
        return value

    # -- events ------------------------------------------------------------------------------

    def step(self, step: Step) -> None:
        """What one event adds to the rows."""
        payload: Payload = step.event.payload
        if isinstance(payload, match.GameStarted):
            self.leave_roll(step)
            self.games.append(_Game(step.before.score.score))
            return
        if not self.games:
            return
        game = self.games[-1]
        match payload:
            case play.PlayMade():
                self.made(step, payload.seat, payload)
            case dice.Rolled() | dice.OpeningRolled():
                self.roll(step, payload)
            case play.PlayUnseen():
                self.unseen(step, payload)
            case play.PlayRevised(target=target, moves=moves):
                self.again(step, target, moves, payload.hits_not_lifted)
            case play.PlayCorrected():
                self.corrected(step, payload)
            case cube.DoubleOffered(seat=seat):
                value = step.before.cube.value * 2
                self.cube_act(step, seat, f" Doubles => {value}", is_void=_is_void(step))
            case cube.DoubleTaken(seat=seat):
                self.cube_act(step, seat, " Takes", is_void=step.before.cube.offered_by is None)
            case cube.DoubleDropped(seat=seat):
                self.cube_act(step, seat, " Drops", is_void=step.before.cube.offered_by is None)
            case cube.CubeBeavered(seat=seat):
                value = step.before.cube.value * 4
                is_void = step.before.cube.offered_by is None
                self.cube_act(step, seat, f" Beavers => {value}", is_void=is_void)
            case cube.CubeActionVoided(target=target):
                place = game.find(target)
                if place is not None:
                    game.cells = [c for k, c in enumerate(game.cells) if k < place or not c.is_cube]
            case play.PositionStated() | play.StartCorrected():
                self.restate(step)
            case dispute.RulingCarriedOut(checkers=checkers) if checkers is not None:
                self.losses.at(step, "position")
                self.restate(step)
            case match.ScoreNoted(score=score) if score != step.before.score.score:
                self.losses.at(step, "claim")
            case match.GameWon():
                self.claim(step, payload)
            case match.MatchEnded() if step.before.score.winner is None:
                self.losses.at(step, "claim")
            case _:
                pass
        self.result(step)

    def roll(self, step: Step, rolled: dice.Rolled | dice.OpeningRolled) -> None:
        """Rolls are written with their play; here only what never becomes one is looked after."""
        self.leave_roll(step, text=HIDDEN)
        self.is_opening = isinstance(rolled, dice.OpeningRolled)
        if isinstance(rolled, dice.OpeningRolled):
            self.losses.at(step, "opening-tie" if rolled.one == rolled.two else "opening")

    def leave_roll(self, step: Step, *, text: str = "", is_after: bool = False) -> None:
        """Write a roll that no play followed: resigned, or not recorded."""
        flow = step.after.flow if is_after else step.before.flow
        if self.games and flow.in_game and flow.dice is not None and flow.on_roll is not None:
            faces = self.in_order(flow.on_roll, flow.dice)
            self.games[-1].cells.append(_Cell(flow.on_roll, dice=faces, text=text))
            if text:
                self.losses.at(step, "gap")

    def in_order(self, seat: Seat, faces: tuple[int, int]) -> tuple[int, int]:
        """The faces as written: of an opening throw, the beginner's own die first."""
        if self.is_opening and seat is Seat.TWO:
            return faces[1], faces[0]
        return faces

    def made(self, step: Step, seat: Seat, played: play.PlayMade) -> None:
        """A play with the roll it was made with."""
        faces = step.before.flow.dice_of(seat)
        if not step.before.flow.in_game:
            self.losses.at(step, "no-roll")
            return
        if faces is None:
            self.losses.at(step, "no-roll")
            # An empty cell keeps the turns in order; without dice no more can be said.
            self.games[-1].cells.append(_Cell(seat, entry_id=step.event.entry_id))
            return
        board = step.before.positions.board
        before = None if board is None else board if seat is Seat.ONE else board.swap()
        cell = _Cell(
            seat,
            entry_id=step.event.entry_id,
            dice=self.in_order(seat, faces),
            before=before,
        )
        self.is_opening = False
        self.remember(cell, step)
        end = None
        if played.resulting_position is not None:
            one, two = played.resulting_position
            end = Position(one, two) if seat is Seat.ONE else Position(two, one)
        self.fill(step, cell, played.moves, played.hits_not_lifted, end)
        self.games[-1].cells.append(cell)

    def remember(self, cell: _Cell, step: Step) -> None:
        """What a stated board says beside the checkers."""
        cell.score = step.before.score.score
        cell.cube_value = step.before.cube.value
        cell.cube_owner = step.before.cube.owner
        cell.is_crawford = step.before.score.is_crawford_game

    def fill(
        self,
        step: Step,
        cell: _Cell,
        moves: Sequence[CheckerMove],
        hits_not_lifted: Sequence[int],
        end: Position | None,
    ) -> None:
        """The words of a play: single dice if it is legal, else as made or the board after it."""
        before, faces = cell.before, cell.dice
        assert faces is not None
        cell.end = None
        if end is not None:
            self.fill_by_end(step, cell, end)
            return
        if before is None:
            cell.text = _words(moves, ())
            return
        if not hits_not_lifted and is_legal(before, faces, moves):
            steps = single_hops(before, faces, moves)
            assert steps is not None  # a legal play has steps
            if len(steps) != len(moves):
                self.losses.at(step, "steps")
            cell.text = _words(steps, before.moved(steps).hits)
            return
        moved = before.moved(moves, hits_not_lifted)
        cell.text = _words(moves, moved.hits)
        if self.illegal == "stated" and moved.position is not None:
            cell.end = moved.position
            self.losses.at(step, "illegal-steps")
        else:
            self.losses.at(step, "illegal-play")

    def fill_by_end(self, step: Step, cell: _Cell, end: Position) -> None:
        """A play of which only the board after it is known."""
        before, faces = cell.before, cell.dice
        assert faces is not None
        found = None if before is None else legal_plays(before, faces).ends.get(end)
        if found is not None:
            self.losses.at(step, "told-by-end")
            cell.text = _words(found.moves, found.hits)
        elif self.illegal == "stated":
            cell.end = end
        else:
            self.losses.at(step, "gap")
            cell.text = HIDDEN

    def unseen(self, step: Step, unseen: play.PlayUnseen) -> None:
        """A gap: hidden, if its roll is known."""
        flow = step.before.flow
        seat = unseen.seat or flow.on_roll
        if seat is None or not flow.in_game:
            return
        faces = flow.dice_of(seat)
        if faces is None:
            return
        cell = _Cell(
            seat,
            entry_id=step.event.entry_id,
            dice=self.in_order(seat, faces),
            text=HIDDEN,
        )
        self.is_opening = False
        self.remember(cell, step)
        self.games[-1].cells.append(cell)

    def again(
        self,
        step: Step,
        target: str,
        moves: Sequence[CheckerMove],
        hits_not_lifted: Sequence[int],
    ) -> None:
        """The last word of a play that was changed."""
        game = self.games[-1]
        place = game.find(target)
        if place is not None and game.cells[place].dice is not None:
            self.fill(step, game.cells[place], moves, hits_not_lifted, None)

    def corrected(self, step: Step, corrected: play.PlayCorrected) -> None:
        """A play put right: what came after it was undone."""
        game = self.games[-1]
        place = game.find(corrected.target)
        if place is None or game.cells[place].dice is None:
            return
        cell = game.cells[place]
        del game.cells[place + 1 :]
        if corrected.dice is not None:
            cell.dice = corrected.dice
        if corrected.checkers is None:
            self.fill(step, cell, corrected.moves, (), None)
        else:
            self.restate(step)

    def restate(self, step: Step) -> None:
        """A board set from outside play: said as the end of the play before, if so asked."""
        board = step.after.positions.board
        cells = self.games[-1].cells
        if self.illegal != "stated" or board is None or not cells or cells[-1].dice is None:
            return
        cell = cells[-1]
        cell.end = board if cell.seat is Seat.ONE else board.swap()

    def cube_act(self, step: Step, seat: Seat, text: str, *, is_void: bool) -> None:
        """A cube act, unless it counts for nothing."""
        if is_void or not step.before.flow.in_game:
            self.losses.at(step, "cube")
            return
        cell = _Cell(seat, entry_id=step.event.entry_id, text=text, is_cube=True)
        self.games[-1].cells.append(cell)

    def claim(self, step: Step, won: match.GameWon) -> None:
        """A claimed result is lost where it is not the computed one."""
        games = step.after.score.games
        if not games or (games[-1].winner, games[-1].points) != (won.winner, won.points):
            self.losses.at(step, "claim")

    def result(self, step: Step) -> None:
        """The result of a game that this event ended, or opened again."""
        before, after = step.before.score, step.after.score
        if len(after.games) == len(before.games):
            return
        game = self.games[-1]
        if len(after.games) < len(before.games):
            game.result = None
            return
        if not isinstance(
            step.event.payload, play.PlayMade | play.PlayRevised | play.PlayCorrected
        ):
            self.leave_roll(step)
        last = after.games[-1]
        words = f"Wins {last.points} point{'' if last.points == 1 else 's'}"
        if after.length is not None and after.score[last.winner] >= after.length:
            words += " and the match"
        game.result = last.winner, words

    # -- rows --------------------------------------------------------------------------------

    def score_line(self, game: _Game) -> str:
        """Both names with their points."""
        left = f" {self.names.one} : {game.score.one}".ljust(31)
        return f"{left}  {self.names.two} : {game.score.two}"

    def rows(self, game: _Game) -> list[str]:
        """Numbered rows, left cell before right cell, and the result."""
        pairs: list[tuple[str, str]] = []
        left: str | None = None
        for k, cell in enumerate(game.cells):
            text = self.cell_text(cell, game.cells[k + 1 :])
            if cell.seat is Seat.TWO:
                pairs.append((left or "", text))
                left = None
                continue
            if left is not None:
                pairs.append((left, ""))
            left = text
        if left is not None:
            pairs.append((left, ""))
        own_row = []
        if game.result is not None:
            winner, words = game.result
            if winner is Seat.TWO and pairs and not pairs[-1][1]:
                # GNU Backgammon takes a lone ` Drops` on the left for a row with leftovers of
                # the one before on its right, so the result fills that place.
                pairs[-1] = (pairs[-1][0], f" {words}")
            else:
                own_row = [(" " * 6 if winner is Seat.ONE else " " * 34) + words]
        rows = [
            f"{number:3}) {_padded(first)}{second}".rstrip()
            for number, (first, second) in enumerate(pairs, 1)
        ]
        return rows + own_row

    def cell_text(self, cell: _Cell, later: Sequence[_Cell]) -> str:
        """The whole cell."""
        if cell.dice is None:
            return cell.text
        faces = f"{cell.dice[0]}{cell.dice[1]}:"
        if cell.end is not None:
            following = next((c.dice for c in later if c.dice is not None), None)
            return f"{faces} {self.stated(cell, cell.end, following)}"
        return f"{faces} {cell.text}" if cell.text else faces

    def stated(self, cell: _Cell, end: Position, following: tuple[int, int] | None) -> str:
        """`Illegal play (...)`: 40 fields, the player then on roll is the + side."""
        plus = cell.seat.other
        own, other = end.other, end.own
        points = [own[point] - other[BAR - point] for point in range(1, 25)]
        length = self.replay.state.score.length
        is_money = length is None
        owner = 0 if cell.cube_owner is None else 1 if cell.cube_owner is plus else -1
        fields = [
            length or 0,
            int(is_money and self.replay.rules.is_on("jacoby")),
            0,
            int(is_money),
            0 if plus is Seat.TWO else 1,
            self.names[plus],
            self.names[plus.other],
            int(cell.is_crawford),
            cell.score[plus],
            cell.score[plus.other],
            cell.cube_value,
            owner,
            -other[BAR],  # GNU Backgammon reads the other side's bar here, the + side's below
            *points,
            own[BAR],
            *(following or (0, 0)),
        ]
        return "Illegal play (" + "".join(f"{field};" for field in fields) + ")"


def sanitised(name: str, stand_in: str) -> str:
    """A name that no reader of .mat breaks on (formats.md 9); `stand_in` if nothing is left."""
    plain = _plain(_BREAKING.sub(" ", name))
    plain = _RATING.sub("", plain)
    plain = re.sub(r"\bGame (?=\S)", "Game-", plain)
    plain = " ".join(plain.split()).lstrip("#[(")
    return _cut(plain, MAX_NAME_BYTES).strip() or stand_in


def _plain(text: str) -> str:
    """One line without control characters or half surrogate pairs."""
    one_line = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(one_line.encode("utf-8", "replace").decode("utf-8").split())


def _cut(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8, cut between characters."""
    return text.encode()[:size].decode("utf-8", "ignore")


def _words(moves: Sequence[CheckerMove], hits: Sequence[int]) -> str:
    """Checker moves in the order given, 25 and 0, a star at the first that lands on a hit."""
    words = []
    starred = set(hits)
    for checker_move in moves:
        target = checker_move.to_point
        star = "*" if target in starred else ""
        starred.discard(target)
        words.append(f"{checker_move.from_point}/{target}{star}")
    return " ".join(words)


def _padded(left: str) -> str:
    """A left cell, at least three blanks before the right one."""
    return left.ljust(_LEFT) if len(left) <= _LEFT - 3 else left + "   "


def _is_void(step: Step) -> bool:
    return step.after.cube.void_at == step.event.version
