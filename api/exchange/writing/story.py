"""A replayed match as match formats tell one: games of rolls with their plays, cube acts, results.

Every format of other programs tells a match so: one roll and one play a turn, no throw that did not
count, of a play that was changed its last word alone. `told` makes that story of a replay, once for
all writers; what the story itself leaves out is a loss in each of them. What stands beside it
(void throws, rulings, clock presses) is kept as asides with their place, for formats with comments.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from events.payloads import cube, dice, dispute, match, play
from events.values import BySeat, CheckerMove, Dice, Seat
from projections.board.position import Position
from projections.facts.games import GameResult
from projections.replay import Replay, Step


class Kind(enum.StrEnum):
    """What an act of a game is."""

    ROLL = "roll"
    """A roll that no play followed: resigned, or the record stops."""
    PLAY = "play"
    """A roll and what was played with it; without moves and end, nothing was played."""
    GAP = "gap"
    """A roll, and a play that is not known."""
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    POSITION = "position"
    """The board, and maybe roll and cube, set from outside play."""


CUBE_ACTS = frozenset({Kind.DOUBLE, Kind.TAKE, Kind.DROP, Kind.BEAVER})
"""Acts with the cube."""


_CLAIMS = frozenset({match.ScoreNoted, match.GameWon, match.MatchEnded})
"""What says a score or a result that is computed as well."""


class Act:
    """One thing done in a game, or set from outside it."""

    def __init__(self, kind: Kind, step: Step, seat: Seat | None, faces: Dice | None) -> None:
        self.kind = kind
        self.step = step
        """The step whose word it is; the last one, where a play was changed."""
        self.entry_id = step.event.entry_id
        """The entry that made it."""
        self.seat = seat
        """Who acts; of a position, who is on roll, and None where nobody says."""
        self.dice = faces
        """The roll, in the order in which it is to be written; None = not recorded."""
        self.moves: tuple[CheckerMove, ...] = ()
        """Checker moves as recorded, from the mover's side."""
        self.hits_not_lifted: tuple[int, ...] = ()
        """Points where a hit checker was left lying."""
        self.before: Position | None = None
        """The board before a play, from the mover's side; None while unknown."""
        self.end: Position | None = None
        """The board after a play that is told by it, from the mover's side."""
        self.board: Position | None = None
        """Of a position: the board, seat one's checkers as `own`."""
        self.put_right: Step | None = None
        """Of a play: the step that set another board in its place."""
        then = step.before
        self.score: BySeat[int] = then.match_score
        """The score then."""
        self.cube_value: int = then.cube.value
        """What the cube showed before the act."""
        self.cube_owner: Seat | None = then.cube.owner
        """Who owned it before the act."""
        self.roll_entry: str | None = None
        """The entry of its roll."""
        self.is_crawford: bool = then.score.is_crawford_game
        """Whether it was the Crawford game."""


class Game:
    """One game: the score at its start, its acts, its result."""

    def __init__(self, step: Step) -> None:
        self.step = step
        """The step that began it."""
        self.score: BySeat[int] = step.before.match_score
        """Points at its start, uncapped, as they were put right before its first roll."""
        self.is_crawford: bool = step.after.score.is_crawford_game
        """Whether it is the Crawford game, as the score or a ruling had it last."""
        self.acts: list[Act] = []
        self.asides: list[tuple[int, Step]] = []
        """Steps that are no act of it, each with how many acts stood before it."""
        self.result: GameResult | None = None
        """How it ended; None while it has not."""
        self.ends_match = False
        """Whether the winner has won the match with it."""

    @property
    def told_of(self) -> set[str | None]:
        """Entries whose facts its acts tell."""
        return {
            entry_id
            for act in self.acts
            for entry_id in (act.entry_id, act.roll_entry, act.step.event.entry_id)
        }

    def find(self, entry_id: str) -> int | None:
        """Place of an entry's act."""
        return next((k for k, act in enumerate(self.acts) if act.entry_id == entry_id), None)


class Lost(NamedTuple):
    """An event of which something has no place in a story."""

    step: Step
    """The step of the event."""
    kind: str | None = None
    """As what it is lost; None = as the format's table has it."""
    like: str | None = None
    """The type of event that the table is asked for; None = its own."""


class Story:
    """The whole match: its games, what stood before the first one, and what has no place here."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        """The match that is told."""
        self.lost: list[Lost] = []
        """What a format loses by telling the match so, in order; most events are told or kept."""
        self.games: list[Game] = []
        self.before: list[Step] = []
        """Steps before the first game, `match.opened` among them."""


def games_of(replay: Replay) -> list[Game]:
    """The games of that story alone, for who has a place for everything and loses nothing."""
    return _told(_Teller(replay), replay).games


def told(replay: Replay) -> Story:
    """The story of a match as corrected; each event is in `lost`, for the format's table to judge.

    Beside the table these kinds are noted, which every format has to know: `opening`,
    `opening-tie`, `gap`, `no-roll`, `cube`, `claim`. A throw that came to nothing is lost as
    `dice.voided` is in the table, a play that was undone as `play.corrected`: so every event is
    either told or named.
    """
    teller = _Loser(replay)
    story = _told(teller, replay)
    teller.leave_out(replay)
    return story


def _told(teller: _Teller, replay: Replay) -> Story:
    for step in replay.steps:
        teller.step(step)
    if replay.steps:
        teller.leave_roll(replay.steps[-1], is_after=True)
    return teller.story


class _Teller:
    def __init__(self, replay: Replay) -> None:
        self.story = Story(replay)
        self.is_opening = False
        """Whether the roll in play is the opening throw: seat one's die, then seat two's."""

    def lose(self, step: Step, kind: str) -> None:
        """Something of an event has no place in the story: nobody asks what."""

    def step(self, step: Step) -> None:
        """What one event adds to the story."""
        games = self.story.games
        before, after = step.before.score, step.after.score
        # Nearly all entries leave the score as it is.
        is_scored = after is not before
        if is_scored and after.game_number > before.game_number:
            self.leave_roll(step)
            games.append(Game(step))
            if not isinstance(step.event.payload, match.GameStarted):
                self.add_position(step)
            return
        if type(step.event.payload) in _CLAIMS:
            self.claim(step)
        ended = is_scored and len(after.games) > len(before.games)
        if not games and not ended:
            self.story.before.append(step)
            return
        if ended and (not games or games[-1].result is not None):
            # A game that nobody saw begin, behind a gap: all that is known of it is how it ended.
            games.append(Game(step))
        game = games[-1]
        known = len(game.acts)
        then, now = step.before.flow, step.after.flow
        if then.awaits_opening and now.in_game and not now.awaits_opening:
            game.score = step.before.match_score
        self.act(game, step)
        if is_scored:
            self.result(game, step)
            if after.game_number == game.step.after.score.game_number:
                game.is_crawford = after.is_crawford_game
        if len(game.acts) == known:
            game.asides.append((known, step))

    def act(self, game: Game, step: Step) -> None:
        """The act that an event is, or what it changes in those before it."""
        match step.event.payload:
            case play.PlayMade(seat=seat) as played:
                self.made(game, step, seat, played)
            case dice.Rolled() | dice.OpeningRolled() as rolled:
                self.roll(step, rolled)
            case play.PlayUnseen() as unseen:
                self.unseen(game, step, unseen)
            case play.PlayRevised() as revised:
                self.again(game, step, revised)
            case play.PlayCorrected() as corrected:
                self.corrected(game, step, corrected)
            case dice.Voided() if step.after.positions.rewound_at == step.event.version:
                self.unplayed(game, step)
            case cube.DoubleOffered(seat=seat):
                is_void = step.after.cube.void_at == step.event.version
                self.cube_act(game, Kind.DOUBLE, step, seat, is_void=is_void)
            case cube.DoubleTaken(seat=seat):
                self.answer(game, Kind.TAKE, step, seat)
            case cube.DoubleDropped(seat=seat):
                self.answer(game, Kind.DROP, step, seat)
            case cube.CubeBeavered(seat=seat):
                self.answer(game, Kind.BEAVER, step, seat)
            case cube.CubeActionVoided(target=target):
                place = game.find(target)
                if place is not None:
                    kept = (
                        a for k, a in enumerate(game.acts) if k < place or a.kind not in CUBE_ACTS
                    )
                    game.acts = list(kept)
            case play.PositionStated() | play.StartCorrected():
                self.add_position(step)
            case dispute.RulingCarriedOut(checkers=checkers) if checkers is not None:
                self.add_position(step)
            case _:
                pass

    # -- rolls and plays -----------------------------------------------------------------------

    def roll(self, step: Step, rolled: dice.Rolled | dice.OpeningRolled) -> None:
        """A roll is told with its play; here only what never becomes one is looked after."""
        self.leave_roll(step, is_followed=True)
        self.is_opening = isinstance(rolled, dice.OpeningRolled)
        if isinstance(rolled, dice.OpeningRolled) and rolled.one != rolled.two:
            self.lose(step, "opening")

    def leave_roll(self, step: Step, *, is_followed: bool = False, is_after: bool = False) -> None:
        """Tell a roll that no play followed: resigned, or not recorded."""
        state = step.after if is_after else step.before
        flow = state.flow
        if not self.story.games or not flow.in_game or flow.dice is None or flow.on_roll is None:
            return
        kind = Kind.GAP if is_followed else Kind.ROLL
        faces = self.in_order(flow.on_roll, flow.dice)
        act = Act(kind, step, flow.on_roll, faces)
        act.entry_id = flow.roll_entry or ""
        act.roll_entry = flow.roll_entry
        act.before = state.positions.seen_by(flow.on_roll)
        self.story.games[-1].acts.append(act)
        if is_followed:
            self.lose(step, "gap")

    def in_order(self, seat: Seat, faces: Dice) -> Dice:
        """The faces as written: of an opening throw, the beginner's own die first."""
        if self.is_opening and seat is Seat.TWO:
            return faces[1], faces[0]
        return faces

    def made(self, game: Game, step: Step, seat: Seat, played: play.PlayMade) -> None:
        """A play with the roll it was made with."""
        faces = step.before.flow.dice_of(seat)
        if not step.before.flow.in_game:
            return
        if faces is None:
            self.lose(step, "no-roll")
        act = Act(Kind.PLAY, step, seat, None if faces is None else self.in_order(seat, faces))
        self.is_opening = False
        act.before = step.before.positions.seen_by(seat)
        act.roll_entry = None if faces is None else step.before.flow.roll_entry
        if played.resulting_position is not None:
            act.end = Position(*played.resulting_position).seen_by(seat)
        act.moves, act.hits_not_lifted = played.moves, played.hits_not_lifted
        game.acts.append(act)

    def unseen(self, game: Game, step: Step, unseen: play.PlayUnseen) -> None:
        """A gap: told if its roll is known."""
        flow = step.before.flow
        seat = unseen.seat or flow.on_roll
        faces = None if seat is None else flow.dice_of(seat)
        if seat is None or faces is None or not flow.in_game:
            return
        act = Act(Kind.GAP, step, seat, self.in_order(seat, faces))
        act.before = step.before.positions.seen_by(seat)
        act.roll_entry = flow.roll_entry
        self.is_opening = False
        game.acts.append(act)

    def again(self, game: Game, step: Step, changed: play.PlayRevised | play.PlayCorrected) -> None:
        """The last word of a play that was changed."""
        place = game.find(changed.target)
        if place is None:
            return
        act = game.acts[place]
        act.step, act.moves, act.hits_not_lifted = step, changed.moves, ()
        act.end = act.put_right = None
        if isinstance(changed, play.PlayRevised):
            act.hits_not_lifted = changed.hits_not_lifted
            if changed.resulting_position is not None and act.seat is not None:
                act.end = Position(*changed.resulting_position).seen_by(act.seat)

    def corrected(self, game: Game, step: Step, corrected: play.PlayCorrected) -> None:
        """A play put right: what came after it was undone."""
        place = game.find(corrected.target)
        if place is None:
            return
        del game.acts[place + 1 :]
        act = game.acts[place]
        if corrected.dice is not None:
            act.dice = corrected.dice
        self.again(game, step, corrected)
        if corrected.checkers is not None and act.seat is not None:
            act.put_right, act.end = step, step.after.positions.seen_by(act.seat)
            self.add_position(step)

    def unplayed(self, game: Game, step: Step) -> None:
        """A roll that is void after it was played: the play is undone with it."""
        played = step.before.positions.first_play
        place = None if played is None else game.find(played)
        if place is not None:
            del game.acts[place:]

    def add_position(self, step: Step) -> None:
        """A board set from outside play, with whose turn it is and the roll, if they are said."""
        board = step.after.positions.board
        if board is None or not step.after.flow.in_game:
            return
        flow, cube_then = step.after.flow, step.after.cube
        act = Act(Kind.POSITION, step, flow.on_roll, flow.dice)
        act.board = board
        act.cube_value, act.cube_owner = cube_then.value, cube_then.owner
        self.story.games[-1].acts.append(act)

    # -- cube and result -----------------------------------------------------------------------

    def answer(self, game: Game, kind: Kind, step: Step, seat: Seat) -> None:
        """The answer to a double."""
        self.cube_act(game, kind, step, seat, is_void=step.before.cube.offered_by in (None, seat))

    def cube_act(self, game: Game, kind: Kind, step: Step, seat: Seat, *, is_void: bool) -> None:
        """A cube act, unless it counts for nothing."""
        if is_void or not step.before.flow.in_game:
            return
        game.acts.append(Act(kind, step, seat, None))

    def claim(self, step: Step) -> None:
        """A claimed score or result is lost where it is not the computed one."""
        then = step.before.score
        match step.event.payload:
            case match.ScoreNoted(score=score):
                is_told = score == step.before.match_score
            case match.GameWon(winner=winner, points=points):
                games = step.after.score.games
                is_told = bool(games) and (games[-1].winner, games[-1].points) == (winner, points)
            case match.MatchEnded(winner=winner, score=score):
                is_told = then.winner is not None and winner in (None, then.winner)
                is_told = is_told and score in (None, step.before.match_score)
            case _:
                return
        if not is_told:
            self.lose(step, "claim")

    def result(self, game: Game, step: Step) -> None:
        """The result of a game that this event ended, opened again, or made count otherwise."""
        before, after = step.before.score.games, step.after.score.games
        if len(after) < len(before):
            game.result, game.ends_match = None, False
            return
        if len(after) > len(before):
            # A drop stands behind the double: a roll that was thrown before both is left out.
            plays = play.PlayMade | play.PlayRevised | play.PlayCorrected | cube.DoubleDropped
            if not isinstance(step.event.payload, plays):
                self.leave_roll(step)
            self.ends(game, step, after[-1])
        for old, new in zip(before, after, strict=False):
            for one in self.story.games if new != old else ():
                if one.result == old:
                    self.ends(one, step, new)

    def ends(self, game: Game, step: Step, result: GameResult) -> None:
        """What a game counts, and whether its winner has won the match with it."""
        length = step.after.score.length
        game.result = result
        game.ends_match = length is not None and step.after.match_score[result.winner] >= length


class _Loser(_Teller):
    """Also notes what has no place in the story."""

    def step(self, step: Step) -> None:
        self.story.lost.append(Lost(step))
        super().step(step)

    def lose(self, step: Step, kind: str) -> None:
        self.story.lost.append(Lost(step, kind))

    def leave_out(self, replay: Replay) -> None:
        """Note the throws, plays and cube acts that became nothing, or were undone later."""
        told_of = set().union(*(game.told_of for game in self.story.games))
        for step in replay.steps:
            if step.event.entry_id not in told_of:
                lost = self.left_out(step, is_first=step is replay.steps[0])
                if lost is not None:
                    self.story.lost.append(lost)

    def left_out(self, step: Step, *, is_first: bool) -> Lost | None:
        """As what an act that the story does not tell is lost; None if it is none."""
        match step.event.payload:
            case match.MatchOpened():
                return None if is_first else Lost(step, "claim")
            case dice.OpeningRolled(one=one, two=two) if one == two:
                return Lost(step, "opening-tie")
            case dice.Rolled() | dice.OpeningRolled():
                return Lost(step, like="dice.voided")
            case play.PlayMade():
                is_undone = step.before.flow.in_game
                return Lost(step, like="play.corrected") if is_undone else Lost(step, "no-roll")
            case (
                cube.DoubleOffered()
                | cube.DoubleTaken()
                | cube.DoubleDropped()
                | cube.CubeBeavered()
            ):
                return Lost(step, "cube")
            case _:
                return None
