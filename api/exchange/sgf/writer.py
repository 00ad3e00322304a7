"""Writes a replayed match as SGF that GNU Backgammon loads, illegal plays and all."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from api.exchange.prose.wording import Wording, clock_lines
from api.exchange.sgf.acts import SIDE, GameWriter
from api.exchange.sgf.grammar import escaped
from api.exchange.writing.kinds import COMMENT
from api.exchange.writing.losses import SGF, Losses, lose_always
from api.exchange.writing.story import Game, Story, told
from api.exchange.writing.wanted import WITHHELD, Loss, Wanted, Writer, Written
from events.payloads.base import WinKind
from events.payloads.ending import ResignationAccepted
from events.payloads.match import MatchOpened
from events.values import BySeat, Seat
from projections.facts.games import EndedBy
from projections.folding.findings import Finding
from projections.replay import Replay, Step
from projections.views.freezing import spoken_of
from projections.views.transcript import about_line, asides

MAX_NAME_BYTES = 31
"""GNU Backgammon truncates longer names, even inside a character, and then breaks."""

_COMMENTED = frozenset(
    {COMMENT, "set-up", "opening-tie", "illegal-steps", "revision", "cube", "resignation"}
    | {"claim", "score", "no-roll", "gap", "reopened", "undone"}
)
"""Kinds of loss whose events are written as comments."""

_DETAILS = (
    ("DT", "date"),
    ("EV", "event"),
    ("RO", "round"),
    ("PC", "place"),
    ("AN", "transcriber"),
)
"""Properties, and the details that they can hold."""

_DAY = re.compile(r"([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})")


class _Speaker:
    """Writes every event that no node records, and the findings, as comments."""

    def __init__(self, replay: Replay, names: BySeat[str]) -> None:
        self.names = names
        self.replay = replay
        self._abouts = spoken_of(replay)
        self.wording = Wording(names, replay)

    def said(self, step: Step) -> list[str]:
        """An event in the words of the transcript, or its members if it has none there."""
        about = about_line(step, self.replay, self.names, self._abouts)
        lines = [*asides(step, self.names), *([] if about is None else [about])]
        lines += clock_lines(step, self.names)
        return lines or [self.wording.by_members(step)]

    def found(self, finding: Finding) -> str:
        """A finding with the rule that it cites."""
        told = finding.said.named({seat: self.names[seat] for seat in Seat})
        return f"{told} [{finding.rule_set} {finding.section}]"


class _Writer:
    def __init__(self, story: Story, wanted: Wanted) -> None:
        self.replay = story.replay
        self.wanted = wanted
        self.losses = Losses(SGF, wanted, story.replay, story)
        self.losses.take(story)
        self.full_names = wanted.names or WITHHELD
        self.names = BySeat(*(sanitised(self.full_names[s], WITHHELD[s]) for s in Seat))
        self.remarks: list[str] = []
        """The comment about the whole match."""
        self.lose_opening()
        length = self.replay.state.score.length
        self.games = [
            GameWriter(self.losses, number, game, length=length, illegal=wanted.illegal)
            for number, game in enumerate(story.games)
        ]
        for game in self.games:
            game.write()
        self.lose_ways()
        lose_always(self.losses, self.replay)

    def written(self) -> Written:
        """The file and its losses."""
        self.add_comments()
        trees = [self.tree(game) for game in self.games]
        # A match without a game is written as a root alone, so that the file can be loaded.
        text = "\n".join(trees) or f"({self.root(0, None, '', chr(10).join(self.remarks))})"
        return Written((text + "\n").encode(), self.losses.listed())

    def tree(self, game: GameWriter) -> str:
        """One game."""
        remarks = [*(self.remarks if game.number == 0 else ()), *game.remarks]
        if game.nodes and game.number:
            # GNU Backgammon shows only the comment of the first game.
            game.nodes[0].comments[:0] = remarks
            remarks = []
        root = self.root(game.number, game.game, game.opening_cube, "\n".join(remarks))
        return "\n".join([f"({root}", *(node.written() for node in game.nodes)]) + ")"

    # -- roots ---------------------------------------------------------------------------------

    def root(self, number: int, game: Game | None, cube: str, comment: str) -> str:
        """The root of a game; what is about the whole match is in the first one."""
        length = self.replay.state.score.length
        begun = ""
        if game is not None:
            begun = f"[game:{number}][ws:{game.score.one}][bs:{game.score.two}]"
        parts = [
            ";FF[4]GM[6]CA[UTF-8]AP[Tabularium]",
            f"MI[length:{length or 0}]{begun}",
            f"PW[{escaped(self.names.one)}]PB[{escaped(self.names.two)}]",
            *(self.details() if number == 0 else ()),
            *((f"GC[{escaped(comment)}]",) if comment else ()),
            self.rules(game),
            cube,
        ]
        if game is not None and game.result is not None:
            result = game.result
            mark = "R" if _is_resigned(game) else ""
            parts.append(f"RE[{SIDE[result.winner]}+{result.points}{mark}]")
        return "".join(parts)

    def details(self) -> list[str]:
        """When and where it was played, as far as it may be shown."""
        details = self.wanted.details
        # Anything but a single day is kept as it is: several days, or words.
        found = _DAY.fullmatch(details.date or "")
        told = {"date": "-".join(found.groups())} if found else {}
        shown = ((name, told.get(of, getattr(details, of))) for name, of in _DETAILS)
        rated = zip(("WR", "BR"), details.ratings, strict=True)
        return [f"{name}[{escaped(_line(value))}]" for name, value in (*rated, *shown) if value]

    def rules(self, game: Game | None) -> str:
        """Options of the match; the Crawford game is marked where it is played."""
        rules = self.replay.rules
        if self.replay.state.score.length is None:
            return "RU[Jacoby]" if rules.is_on("jacoby") else ""
        words = ["Crawford"] if self.replay.has_crawford else []
        if game is not None and game.is_crawford:
            words = ["Crawford", "CrawfordGame"]
        return f"RU[{':'.join(words)}]" if words else ""

    def lose_opening(self) -> None:
        """Members of the opening that no property can hold, or that may not be shown."""
        opened = self.replay.opened
        for seat in Seat:
            if self.names[seat] != self.full_names[seat]:
                self.losses.note("name", f"seat {seat.value}", 1)
                full = _text(self.full_names[seat])
                if full.strip():
                    side = "White" if seat is Seat.ONE else "Black"
                    self.remarks.append(f"{side} in full: {full}")
        for _, member in _DETAILS:
            value: str = getattr(self.wanted.details, member) or ""
            if _line(value) != value:
                self.losses.note("header", f"{member}, in other characters", 1)
        if opened is None:
            return
        kept = {"players", "length", "score_at_start", "crawford_played", "options"}
        kept |= {member for _, member in _DETAILS if getattr(self.wanted.details, member)}
        for field in msgspec.structs.fields(MatchOpened):
            if field.name not in kept and getattr(opened, field.name) != field.default:
                self.losses.note("header", field.name, 1)
        for option in sorted(set(opened.options) - {"crawford", "jacoby"}):
            self.losses.note("header", f"option {option}", 1)
        ratings = self.wanted.details.ratings
        are_named = self.wanted.names is not None
        self.losses.lose_players(opened, are_named=are_named, ratings=ratings)

    # -- comments ------------------------------------------------------------------------------

    def add_comments(self) -> None:
        """Every event that no node records, and every finding, at the node before it."""
        games, kinds_at = self.games, self.losses.kinds_at()
        nodes = sorted(
            (node for game in games for node in game.nodes), key=lambda node: node.version
        )
        versions = [node.version for node in nodes]
        starts = [(game.game.step.event.version, game) for game in games]

        def add(version: int, line: str) -> None:
            game = next((game for start, game in reversed(starts) if start <= version), None)
            if game is None:
                self.remarks.append(line)
                return
            place = bisect_right(versions, version) - 1
            if place >= 0 and versions[place] >= game.game.step.event.version:
                nodes[place].comments.append(line)
            else:
                game.remarks.append(line)

        speaker = _Speaker(self.replay, self.full_names)
        for step in self.replay.steps:
            event = step.event
            if kinds_at.get(event.version, set()) & _COMMENTED:
                for line in speaker.said(step):
                    add(event.version, _text(line))
        for finding in self.replay.findings if self.wanted.findings else ():
            add(finding.version, _text(speaker.found(finding)))

    def lose_ways(self) -> None:
        """Events that readers cannot follow: an unknown board, a game opened again."""
        for step in self.replay.steps:
            boards = (step.before.positions.board, step.after.positions.board)
            if (
                step.after.flow.in_game
                and not step.before.flow.in_game
                and step.before.score.game_number == step.after.score.game_number
            ):
                self.losses.at(step, "undone")
            if boards[0] is not None and boards[1] is None and step.after.flow.in_game:
                self.losses.at(step, "gap")


def _is_resigned(game: Game) -> bool:
    """Whether a resignation ended the game at a level that points and cube show."""
    result = game.result
    if result is None or result.ended_by is EndedBy.RESIGNATION:
        return result is not None
    accepted = [
        step.after.cube.value
        for _, step in game.asides
        if isinstance(step.event.payload, ResignationAccepted)
    ]
    # GNU Backgammon converts the points of a resignation to whole levels.
    return (
        result.ended_by is EndedBy.CLAIM
        and bool(accepted)
        and result.points in [accepted[-1] * kind.factor for kind in WinKind]
    )


def sanitised(name: str, stand_in: str) -> str:
    """A name that GNU Backgammon reads in full; `stand_in` if nothing is left of it."""
    # It does not decode an escaped backslash in names.
    plain = _line(name).replace("\\", "/")
    return plain.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip() or stand_in


def _line(text: str) -> str:
    """Text on one line."""
    return " ".join(_text(text).split())


def _text(text: str) -> str:
    """Text without control characters and half surrogate pairs; line breaks are kept."""
    plain = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    return plain.encode("utf-8", "replace").decode("utf-8")


def _write(replay: Replay, wanted: Wanted) -> Written:
    return _Writer(told(replay), wanted).written()


def _losses(story: Story, wanted: Wanted) -> tuple[Loss, ...]:
    return _Writer(story, wanted).losses.listed()


WRITER = Writer(
    name="sgf",
    title="for GNU Backgammon: every play exact, illegal ones too; the rest as comments",
    media_type="application/x-go-sgf; charset=utf-8",
    write=_write,
    losses=_losses,
)
"""The format, as the registry of writers has it."""
