"""Moments: a match at one version, with board, words, and the versions to step to."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from api.exchange.prose.drawing import ShownCube, ShownDice
from api.exchange.prose.sections import dice_after
from api.html.entry_words import told
from api.html.texts import Texts
from events.payloads import cube, dice, play
from events.values import BySeat, Dice, Seat
from projections.board.ids import MatchId, NotSayable, PlayState, Xgid, XgSide
from projections.board.notation import format_play
from projections.board.position import Position
from projections.rules.profile import Rules
from projections.states import Replay, State, Step
from projections.views.acts import act_line, is_custody
from projections.views.freezing import spoken_of
from projections.views.lines import Line, position_id
from projections.views.notices import calls_of

_STOPS = frozenset(
    {
        *("dice.opening_rolled", "dice.rolled", "dice.rolled_early", "dice.voided"),
        *("play.made", "play.revised", "play.corrected", "play.unseen", "position.stated"),
        *("cube.double_offered", "cube.double_taken", "cube.double_dropped", "cube.beavered"),
        *("resignation.offered", "resignation.accepted", "resignation.refused"),
        *("game.started", "game.won", "start.corrected", "cube.stated", "ruling.carried_out"),
        *("dispute.raised", "testimony.given", "evidence.attached", "ruling.made"),
        *("appeal.filed", "appeal.refused", "appeal.decided"),
    }
)
"""Tags of entries that change board, dice or cube, or that contain a person's text."""


class Moment(NamedTuple):
    """A match after one of its entries."""

    version: int
    """The version shown."""
    words: str
    """The last entry in a line; "" before the first entry."""
    board: Position | None
    """The board with seat one's checkers as `own`; None = unknown."""
    cube: ShownCube | None
    """The cube; None = the game is played without one."""
    dice: ShownDice | None
    """The roll on the board."""
    score: BySeat[int]
    """The score at that version."""
    game: int
    """Number of the game; 0 = before the first game."""
    on_roll: Seat | None
    """Whose turn it is."""
    is_crawford: bool
    """Whether it is the Crawford game."""
    position_id: str | None
    """GNU Backgammon's Position ID for the player on roll; None if there is none."""
    match_id: str | None
    """GNU Backgammon's Match ID."""
    xgid: str | None
    """eXtreme Gammon's XGID with seat one at the bottom; None if there is none."""


class Ways(NamedTuple):
    """The versions to step to from a moment; None at either end."""

    first: int | None
    previous: int | None
    following: int | None
    last: int | None


def moment_of(at: Replay, names: BySeat[str], t: Texts) -> Moment:
    """The moment after a replay."""
    # Entries about the record itself are no moments of the match.
    step = next((one for one in reversed(at.steps) if not is_custody(one.event.tag)), None)
    state = at.state if step is None else step.after
    board, flow = state.positions.board, state.flow
    is_crawford = state.score.is_crawford_game
    lies = ShownCube(state.cube.value, state.cube.owner, state.cube.offered_by)
    return Moment(
        version=at.version,
        words="" if step is None else line_of(step, names, t, at),
        board=board,
        cube=None if is_crawford else lies,
        dice=None if step is None else dice_after(step),
        score=state.final_score,
        game=state.score.game_number,
        on_roll=flow.on_roll,
        is_crawford=is_crawford,
        position_id=position_id(board, flow.on_roll),
        match_id=_match_id(state, at.rules),
        xgid=_xgid(state, at.rules),
    )


def ways_of(whole: Replay, version: int, hidden: Container[int] = ()) -> Ways:
    """The versions to step to from a version, without hidden ones."""
    stops = [
        step.event.version
        for step in whole.steps
        if step.event.tag in _STOPS and step.event.version not in hidden
    ]
    before = [stop for stop in stops if stop < version]
    after = [stop for stop in stops if stop > version]
    return Ways(
        before[0] if before else None,
        before[-1] if before else None,
        after[0] if after else None,
        after[-1] if after else None,
    )


def heard_since(whole: Replay, version: int, hidden: Container[int] = ()) -> int:
    """The version of the stop before a moment: texts after it belong to the moment."""
    return ways_of(whole, version, hidden).previous or 0


def line_of(step: Step, names: BySeat[str], t: Texts, shown: Replay) -> str:
    """An entry in a line."""
    payload = step.event.payload
    match payload:
        case dice.OpeningRolled(one=one, two=two):
            return t("public.says_opening", one=names.one, two=names.two, first=one, second=two)
        case dice.Rolled(seat=seat, dice=faces):
            return t("public.says_roll", name=names[seat], dice=_faces(faces))
        case play.PlayMade(seat=seat, moves=moves, resulting_position=None):
            faces_of = step.before.flow.dice_of(seat)
            with_dice = "" if faces_of is None else f"{_faces(faces_of)}: "
            played = format_play(moves, step.hits)
            if not played:
                return t("public.says_no_play", name=names[seat], dice=with_dice)
            return t("public.says_play", name=names[seat], play=with_dice + played)
        case cube.DoubleOffered(seat=seat):
            value = step.before.cube.value * 2
            return t("public.says_double", name=names[seat], value=value)
        case cube.DoubleTaken(seat=seat):
            return t("public.says_take", name=names[seat])
        case cube.DoubleDropped(seat=seat):
            return t("public.says_drop", name=names[seat])
        case _:
            scene = scene_of(step, calls_of(shown), spoken_of(shown))
            return told(t, scene, {seat.value: names[seat] for seat in Seat})


def scene_of(step: Step, calls: Container[str], abouts: Mapping[int, int]) -> Line:
    """An entry in a line; a dispute with the entry that it is about (`spoken_of`)."""
    return {
        "tag": step.event.tag,
        "target": abouts.get(step.event.version),
        **act_line(step, calls),
    }


def _faces(faces: Dice) -> str:
    return f"{faces[0]}{faces[1]}"


def _match_id(state: State, rules: Rules) -> str | None:
    flow = state.flow
    if flow.on_roll is None or not flow.in_game:
        return None
    rolled = None if flow.dice is None else (flow.dice[0], flow.dice[1])
    try:
        return MatchId(
            cube_value=state.cube.value,
            cube_owner=state.cube.owner,
            on_roll=flow.on_roll,
            to_act=flow.to_act or flow.on_roll,
            dice=rolled,
            length=state.score.length or 0,
            score=state.match_score,
            is_crawford=state.score.is_crawford_game,
            state=PlayState.PLAYING,
            is_doubled=state.cube.offered_by is not None,
            resigned=0 if flow.resign_level is None else flow.resign_level.factor,
            no_jacoby=state.score.length is None and not rules.is_on("jacoby"),
        ).encode()
    except NotSayable:
        return None


def _xgid(state: State, rules: Rules) -> str | None:
    board, flow, score = state.positions.board, state.flow, state.score
    if board is None or flow.on_roll is None or not flow.in_game:
        return None
    sides = {Seat.ONE: XgSide.BOTTOM, Seat.TWO: XgSide.TOP}
    owner, points = state.cube.owner, state.match_score
    turned = state.cube.offered_by
    act = "" if turned is None else "D"
    if state.cube.is_beaver:
        act = "B" if turned is owner else "R"  # the beaverer keeps the cube
    said = int(score.is_crawford_game)
    if score.length is None:
        said = int(rules.is_on("jacoby")) + 2 * int(rules.is_on("beavers"))
    try:
        return Xgid(
            board=board,
            cube_value=state.cube.value,
            cube_owner=None if owner is None else sides[owner],
            on_roll=sides[flow.on_roll],
            dice=None if flow.dice is None or act else (flow.dice[0], flow.dice[1]),
            score_bottom=points.one,
            score_top=points.two,
            length=score.length or 0,
            rules=said,
            cube_act=act,
        ).encode()
    except NotSayable:
        return None
