"""Matches made at home in the spelling of every dialect of formats.md 7: one match, many texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from events.values import BAR, OFF, CheckerMove, Dice, Seat
from projections.board.position import STARTING, Position

NAMES = ("Ida Berg", "Omar Lund")


class Turn(NamedTuple):
    """What one player did, in the order in which it happened."""

    seat: Seat
    act: str
    """roll, double, take, drop, or resign."""
    dice: Dice = (0, 0)
    """Of a roll; of a resignation, the roll before it, (0, 0) = none."""
    hops: tuple[CheckerMove, ...] = ()
    """One for each die, of a roll."""
    hits: tuple[int, ...] = ()
    """Points that a roll hit."""
    number: int = 0
    """Cube value of a double; points of a resignation."""
    after: Position | None = None
    """The board after a roll, seen by `seat`."""


class Game(NamedTuple):
    """One game, and the points that it adds to the score."""

    turns: tuple[Turn, ...]
    winner: Seat
    points: int
    """Uncapped."""
    score: tuple[int, int]
    """At its start."""


def played(seed: int, *, length: int = 5) -> list[Game]:
    """A match of legal plays with cube acts and resignations, the same for the same seed."""
    chance = random.Random(seed)
    games: list[Game] = []
    score = [0, 0]
    while max(score) < length and len(games) < 7:
        away = (length - score[0], length - score[1])
        most = 1 if _is_crawford(games, score, length) else 4
        turns, winner, points = _game(chance, away, most=most)
        games.append(Game(tuple(turns), winner, points, (score[0], score[1])))
        score[winner is Seat.TWO] += points
    return games


def _is_crawford(games: Sequence[Game], score: Sequence[int], length: int) -> bool:
    now = sorted(score)[1] == length - 1
    return now and not any(max(game.score) == length - 1 for game in games)


def _game(
    chance: random.Random, away: tuple[int, int], *, most: int
) -> tuple[list[Turn], Seat, int]:
    turns: list[Turn] = []
    cube, owner = 1, None
    seat, board = chance.choice(list(Seat)), STARTING
    dice = chance.choice([(3, 1), (4, 2), (1, 6), (5, 3), (2, 5), (6, 4)])
    while True:
        legal = list(board.legal_plays(dice))
        play = chance.choice(legal) if legal else None
        hops = () if play is None else play.moves
        hits = () if play is None else play.hits
        after = board if play is None else board.after(play)
        turns.append(Turn(seat, "roll", dice, hops, hits, after=after))
        if after.own[OFF] == 15:
            factor = 1
            if not after.other[OFF]:
                factor = 3 if after.other[BAR] or any(after.other[19:25]) else 2
            return turns, seat, cube * factor
        seat, board = seat.other, after.swap()
        is_alive = cube < min(most, away[seat is Seat.TWO])
        if is_alive and owner in (None, seat) and chance.random() < 0.03:
            turns.append(Turn(seat, "double", number=cube * 2))
            if chance.random() < 0.3:
                turns.append(Turn(seat.other, "drop"))
                return turns, seat, cube
            turns.append(Turn(seat.other, "take"))
            cube, owner = cube * 2, seat.other
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        if len(turns) > 40 and chance.random() < 0.03:
            points = cube * chance.choice([1, 1, 2])
            is_rolled = board.legal_plays(dice) and chance.random() < 0.5
            rolled = dice if is_rolled else (0, 0)
            turns.append(Turn(seat, "resign", rolled, number=points))
            return turns, seat.other, points


class Dialect(NamedTuple):
    """How a program spells a match (formats.md 7)."""

    name: str
    """What the reader calls it."""
    headers: tuple[str, ...] = ()
    """Lines above the length line."""
    length: str = " {} point match"
    game: str = " Game {}"
    score: str = " {} : {}"
    row: str = "{:3d}) "
    column: int = 33
    """Where right dice stand."""
    bar: str = "25"
    off: str = "0"
    joins: bool = False
    """Whether hops of one checker are joined, and equal ones counted."""
    stars: bool = True
    dance: str = ""
    order: str = "as rolled"
    """as rolled, high or low."""
    points: str = "point"
    ends: bool = False
    """Whether it says `and the match`."""
    cap: str = "none"
    """none, length or needed."""
    resigns: str = "none"
    """none, ???, ????, empty, losses, losses apart, opengammon, concedes or resigns."""
    doubles: str = " Doubles => {}"
    encoding: str = "utf-8"
    end: str = "\n"
    names: tuple[str, str] = NAMES


def spelled(games: Sequence[Game], dialect: Dialect, *, length: int = 5) -> bytes:
    """The match as a file of that dialect."""
    lines = [*dialect.headers, dialect.length.format(length), ""]
    for number, game in enumerate(games, 1):
        is_last = number == len(games)
        lines.append(dialect.game.format(number))
        one, two = (
            dialect.score.format(name, points)
            for name, points in zip(dialect.names, game.score, strict=True)
        )
        lines.append(one.ljust(dialect.column - 1) + two)
        lines += _rows(game, dialect, length=length, ends=is_last and max(_after(game)) >= length)
        lines.append("")
    return (dialect.end.join(lines) + dialect.end).encode(dialect.encoding)


def _after(game: Game) -> tuple[int, int]:
    one, two = game.score
    return (one + game.points, two) if game.winner is Seat.ONE else (one, two + game.points)


def written_points(game: Game, dialect: Dialect, *, length: int) -> int:
    """The points of a game as the dialect writes them."""
    needed = length - game.score[game.winner is Seat.TWO]
    return min(game.points, {"none": game.points, "length": length, "needed": needed}[dialect.cap])


def _rows(game: Game, dialect: Dialect, *, length: int, ends: bool) -> Iterator[str]:
    cells = [(turn.seat, _cell(turn, dialect)) for turn in game.turns]
    points = written_points(game, dialect, length=length)
    match = " and the match" if ends and dialect.ends else ""
    plural = "s" if dialect.points == "points" or (dialect.points == "both" and points > 1) else ""
    result = f"Wins {points} point{plural}{match}"
    if game.turns[-1].act == "resign":
        cells = [(seat, cell) for seat, cell in cells if cell != "-"]
        if dialect.resigns == "opengammon":
            kind = "Resigned Match" if ends else "Resigned Game"
            cells.append((game.winner, kind))
    rows: list[list[str | None]] = []
    for seat, cell in cells:
        if seat is Seat.ONE or not rows or rows[-1][1] is not None:
            rows.append([None, None])
        rows[-1][seat is Seat.TWO] = cell
    for number, (left, right) in enumerate(rows, 1):
        text = dialect.row.format(number) + (left or "")
        if right is not None:
            text = text.ljust(dialect.column) if len(text) < dialect.column else text + "   "
            text += right
        yield text
    if dialect.resigns == "losses apart" and game.turns[-1].act == "resign":
        yield ""
    indent = 6 if game.winner is Seat.ONE else dialect.column + 1
    yield " " * indent + result


def _cell(turn: Turn, dialect: Dialect) -> str:
    if turn.act == "double":
        return dialect.doubles.format(turn.number)
    if turn.act in ("take", "drop"):
        return " Takes" if turn.act == "take" else " Drops"
    faces = list(turn.dice)
    if dialect.order != "as rolled":
        faces.sort(reverse=dialect.order == "high")
    roll = f"{faces[0]}{faces[1]}:"
    if turn.act == "resign":
        return _resigned(turn, dialect, roll if any(faces) else "")
    if not turn.hops:
        return f"{roll} {dialect.dance}".rstrip()
    return f"{roll} {_moves(turn, dialect)}"


def _resigned(turn: Turn, dialect: Dialect, roll: str) -> str:
    """The loser's cell; `-` = none."""
    match dialect.resigns:
        case "losses" | "losses apart":
            # Whoever rolled before it is not told to have.
            return f" Losses {turn.number} point"
        case "concedes":
            return f"{roll} Concedes" if roll else " Concedes"
        case "resigns":
            return " Resigns"
        case "???" | "????":
            return f"{roll} {dialect.resigns}" if roll else "-"
        case _:
            return roll or "-"


def _moves(turn: Turn, dialect: Dialect) -> str:
    hops = [(hop.from_point, hop.to_point) for hop in turn.hops]
    chains = [list(hop) for hop in hops]
    if dialect.joins:
        chains = _joined(chains, turn.hits)
    left = set(turn.hits) if dialect.stars else set()
    words: list[str] = []
    for chain in sorted(chains, reverse=True) if dialect.joins else chains:
        word = _point(chain[0], dialect)
        for point in chain[1:]:
            word += "/" + _point(point, dialect)
            if point in left:
                left.discard(point)
                word += "*"
        words.append(word)
    if dialect.joins:
        counted: list[str] = []
        for word in words:
            times = words.count(word) if "*" not in word else 1
            spelling = word if times == 1 else f"{word}({times})"
            if spelling not in counted:
                counted.append(spelling)
        words = counted
    return " ".join(words)


def _joined(chains: list[list[int]], hits: Sequence[int]) -> list[list[int]]:
    """Hops of one checker as one, by way of the points where it hit."""
    joined: list[list[int]] = []
    for chain in chains:
        before = next(
            (other for other in joined if other[-1] == chain[0] and chain[0] != BAR), None
        )
        if before is None:
            joined.append(chain)
        else:
            if before[-1] not in hits:
                before.pop()
            before.append(chain[1])
    return joined


def _point(point: int, dialect: Dialect) -> str:
    return dialect.bar if point == BAR else dialect.off if point == OFF else str(point)


def _tags(site: str | None, *, is_reversed: bool = False, **more: str) -> tuple[str, ...]:
    one, two = reversed(NAMES) if is_reversed else NAMES
    tags = [] if site is None else [f'; [Site "{site}"]']
    tags += ['; [Match ID "-7"]', '; [Event "Lantern Cup"]', '; [Round ""]']
    tags += [f'; [Player 1 "{one}"]', f'; [Player 2 "{two}"]']
    tags += ['; [Player 1 Elo "1600.00/0"]', '; [Player 2 Elo "9,00/0"]']
    tags += ['; [EventDate "2026.03.14"]', '; [EventTime "06:20"]', '; [Variation "Backgammon"]']
    tags += [f'; [{name} "{value}"]' for name, value in more.items()]
    return (*tags, "")


DIALECTS = (
    Dialect("gnubg-mat"),
    Dialect(
        "jellyfish-mat+tags",
        headers=_tags(None, is_reversed=True),
        length="{} point match",
        stars=False,
        order="high",
        ends=True,
        resigns="???",
        encoding="utf-8-sig",
        end="\r\n",
    ),
    Dialect(
        "xg-text",
        headers=_tags(None, is_reversed=True),
        length="{} point match",
        column=39,
        bar="Bar",
        off="Off",
        joins=True,
        dance="Cannot Move",
        order="high",
        ends=True,
        resigns="????",
        encoding="utf-8-sig",
        end="\r\n",
    ),
    Dialect(
        "xg-mobile-mat",
        headers=_tags("XG Mobile"),
        game=" Game {} ",
        score=" {} : {} ",
        column=38,
        stars=False,
        resigns="empty",
        encoding="utf-8-sig",
        end="\r\n",
    ),
    Dialect(
        "galaxy-mat",
        headers=_tags("BackgammonGalaxy", CubeLimit="1024", ClockType="Live8 780/10"),
        length="{} point match",
        stars=False,
        order="high",
        ends=True,
        cap="length",
        resigns="losses",
    ),
    Dialect(
        "galaxy-mat",
        headers=_tags("BackgammonGalaxy", Unrated="True"),
        length="{} point match",
        stars=False,
        order="high",
        ends=True,
        cap="length",
        resigns="losses apart",
    ),
    Dialect(
        "bgstudio-mat",
        headers=_tags("Backgammon Studio Heroes"),
        length="{} point match",
        row="{:4d}) ",
        column=40,
        bar="bar",
        off="off",
        joins=True,
        dance="Cannot Move",
        order="high",
        resigns="????",
    ),
    Dialect(
        "bgstudio-mat",
        headers=_tags("Backgammon Studio"),
        length="{} point match",
        row="{:4d}) ",
        column=40,
        bar="bar",
        off="off",
        joins=True,
        dance="Cannot Move",
        order="high",
        resigns="concedes",
    ),
    Dialect(
        "opengammon-mat",
        headers=_tags("OpenGammon"),
        length="{} point match",
        score=" {}: {}",
        row="{:4d}) ",
        column=46,
        stars=False,
        points="points",
        ends=True,
        cap="needed",
        resigns="opengammon",
    ),
    Dialect(
        "hedgehog-mat",
        headers=_tags("HedgeHog"),
        length="{} point match",
        score=" {}: {}",
        row="{:4d}) ",
        column=47,
        stars=False,
        points="points",
        ends=True,
        cap="needed",
        resigns="empty",
    ),
    Dialect(
        "choue-net-mat",
        headers=_tags("choue.net"),
        length="{} point match",
        game="Game {}",
        row="{:4d}) ",
        column=39,
        bar="bar",
        off="off",
        joins=True,
        dance="Cannot Move",
        order="high",
        resigns="????",
        doubles=" Doubles ==> {}",
    ),
    Dialect(
        "bgdb-mat",
        headers=_tags("bgdb"),
        length="{} point match",
        column=40,
        bar="bar",
        off="off",
        dance="Cannot Move",
        order="high",
    ),
    Dialect(
        "gammonview-mat",
        headers=_tags("GammonView"),
        column=49,
        bar="bar",
        off="off",
        joins=True,
        order="low",
        resigns="resigns",
    ),
    # GridGammon and the play server of 2009: no headers, ratings in the names.
    Dialect(
        "gnubg-mat",
        column=36,
        stars=False,
        order="low",
        resigns="empty",
        names=("Ida Berg,1615", "Omar Lund,1756"),
    ),
    Dialect("dailygammon-mat", headers=_tags("DailyGammon"), column=35, end="\r"),
    # A bot's league: a box of comments on top, and the lower die first.
    Dialect(
        "gnubg-mat",
        headers=(
            "; ------------------------------------",
            "; |  Lantern League, week 7          |",
            "; |  Ida Berg (bot) - Omar Lund (bot) |",
            "; ------------------------------------",
            "",
        ),
        order="low",
    ),
    Dialect(
        "gnubg-mat",
        headers=("# written by hand in another code page: Zoë", ""),
        encoding="cp1252",
        names=("Zoë Ås", "Omar Lund"),
    ),
)
"""Every dialect that formats.md describes, samples at hand or not."""
