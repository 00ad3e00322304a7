"""A match told for people: heading, games of rows, asides, findings; once, for every such format.

The words are those of the transcript. What the transcript has no words for is told by its tag and
members, so that nothing of a match is left out without a line in the losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from api.exchange.prose.losses import is_left_out, losses_of
from api.exchange.prose.sections import (
    Act,
    Aside,
    Cell,
    Ended,
    Found,
    Item,
    Row,
    Section,
    has_moved,
)
from api.exchange.prose.spoken import english, spoken_lines
from api.exchange.prose.wording import Wording, clock_lines, clocked, shown
from api.exchange.writing.losses import Losses
from api.exchange.writing.numbering import numbers_of
from api.exchange.writing.wanted import WITHHELD, Wanted
from events.payloads import clock, match, play
from events.payloads.match import MatchOpened
from events.values import BySeat, Seat
from projections.folding.findings import Finding, Key
from projections.folding.sayings import Said, listed, said, worded
from projections.replay import Replay, Step
from projections.views import attention
from projections.views.freezing import spoken_of
from projections.views.transcript import about_line, act_of, asides, counts_otherwise, won

_ILLEGAL = frozenset({"illegal-play", "landed-on-point"})
_SILENT = frozenset({"match.opened", "game.started"})
"""Entries that headings tell."""

_CORRECTS = {"entry.retracted": "takes back entry", "entry.amended": "puts right entry"}

_DETAILS = {
    "event": said("Event"),
    "round": said("Round"),
    "table": said("Table"),
    "place": said("Place"),
    "date": said("Date"),
    "transcriber": said("Transcriber"),
}


class Account:
    """A whole match in words, and everything that the words leave out."""

    def __init__(self, replay: Replay, wanted: Wanted, *, holds_record: bool) -> None:
        self.replay = replay
        self.wanted = wanted
        self.names = (wanted.names or WITHHELD).map(shown)
        """What the players are called."""
        self.losses: Losses = losses_of(replay, wanted, holds_record=holds_record)
        self.holds_record = holds_record
        """Whether the file also has the entries as data."""
        self.sections: list[Section] = []
        self.wording = Wording(self.names, replay)
        self._numbers = numbers_of(replay)
        self._abouts = spoken_of(replay)
        self._row: Row | None = None
        self._number = 0
        self._last: Seat | None = None
        self._has_roll = False
        self._has_played = False
        for step in replay.steps:
            self._take(step)

    @property
    def about_corrections(self) -> list[Found]:
        """What was found about the corrections of the record, which are no steps of the match."""
        wanted = self.replay.corrections if self.wanted.findings else ()
        return [self._found(finding) for finding in wanted]

    @property
    def found(self) -> list[Found]:
        """Every finding that is shown, in order of version."""
        inside = [
            item for section in self.sections for item in section.items if isinstance(item, Found)
        ]
        both = [*inside, *self.about_corrections]
        return sorted(both, key=lambda one: one.finding.version)

    def said(self, version: int) -> list[str]:
        """What was said in an entry, by whom, and who wrote it down, a line each."""
        line = self.wanted.spoken.get(version)
        called = {seat.value: self.names[seat] for seat in Seat}
        return [] if line is None else list(spoken_lines(english(), line, called))

    @property
    def said_of_corrections(self) -> list[str]:
        """Why the record was corrected, and by whom, a line each: corrections are no steps."""
        versions = {event.entry_id: event.version for event in self.replay.recorded}
        return [
            shown(f"entry {event.version}, {_CORRECTS[event.tag]} {versions.get(target)}: {words}")
            for event in self.replay.recorded
            if event.tag in _CORRECTS
            for target in [getattr(event.payload, "target", "")]
            for words in self.said(event.version)
        ]

    # -- the heading -----------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Who played."""
        return f"{self.names.one} \N{EN DASH} {self.names.two}"

    @property
    def facts(self) -> list[tuple[Said, Said]]:
        """What was agreed and announced, as labels and values."""
        opened, details = self.replay.opened, self.wanted.details
        told = [
            (label, said("{value}", value=shown(value)))
            for member, label in _DETAILS.items()
            if (value := getattr(details, member))
        ]
        told.append((said("Length"), self._length(opened)))
        rules = self.replay.rules
        title, rule_set = shown(rules.profile.title), rules.profile.id
        told.append((said("Rules"), said("{title} ({rules})", title=title, rules=rule_set)))
        if rules.unknown is not None:
            unknown = said("{rules}, which this program does not know", rules=rules.unknown)
            told.append((said("Rules announced"), unknown))
        if options := [
            said("{option}: {value}", option=worded(key), value=self._option(value))
            for key, value in rules.options.items()
            if value is not None
        ]:
            told.append((said("Options"), listed(options, have_commas=True)))
        if opened is not None:
            told += self._agreed(opened)
        return told

    def _option(self, value: object) -> Said:
        match value:
            case str():
                return worded(value)
            case dict() if value:
                parts = [self._part(name, one) for name, one in value.items()]
                return listed(parts, have_commas=True)
            case _:
                return said("{value}", value=self.wording.said(value))

    def _part(self, name: str, value: object) -> Said:
        """A member of an option; what is counted in milliseconds is told as a clock shows it."""
        shown_as = self._option(value)
        if name.endswith("_ms") and isinstance(value, int):
            shown_as = said("{value}", value=clocked(value))
        return said("{option} {value}", option=worded(name.removesuffix("_ms")), value=shown_as)

    @property
    def result(self) -> str:
        """Who has won the match and by what."""
        outcome = self.replay.state.judged.outcome
        decided = outcome.decided
        if decided is None:
            is_told = outcome.questions and self.wanted.findings
            open_on = f"; open: {', '.join(outcome.questions)}" if is_told else ""
            return f"nobody has won the match{open_on}"
        by = decided.by.value.replace("_", " ")
        words = f"{self.names[decided.winner]} has won the match, by {by}"
        cited = f" ({decided.rule_set}, {decided.section})" if self.wanted.findings else ""
        return f"{words}{cited}"

    def score(self, points: BySeat[int]) -> str:
        """Both names with their points."""
        return f"{self.names.one} {points.one}, {self.names.two} {points.two}"

    def _length(self, opened: MatchOpened | None) -> Said:
        length = self.replay.state.score.length
        if length is None:
            return said("not recorded") if opened is None else said("money session")
        match = said("match to {n} {n:point|points}", n=length)
        if opened is not None and opened.draw_sheet_length is not None:
            sheet = opened.draw_sheet_length
            return said("{match} (the draw sheet says {sheet})", match=match, sheet=sheet)
        return match

    def _agreed(self, opened: MatchOpened) -> Iterator[tuple[Said, Said]]:
        terms = opened.clock_terms
        if terms is not None and self.wanted.clocks:
            free = worded(terms.kind.value)
            if terms.delay_ms:
                kind = worded(f"{terms.kind.value} delay")
                free = said("{kind} {n} s", kind=kind, n=terms.delay_ms // 1000)
            reserve = clocked(terms.reserve_ms)
            yield said("Clock"), said("{reserve} each, {terms}", reserve=reserve, terms=free)
        if any(opened.score_at_start) or opened.crawford_played:
            score = said("{score}", score=self.score(opened.score_at_start))
            if opened.crawford_played:
                score = said("{score}, the Crawford game played", score=score)
            yield said("Score at the start"), score

    # -- one step --------------------------------------------------------------------------------

    def _take(self, step: Step) -> None:
        """Put one step where it belongs."""
        number = step.after.score.game_number
        if number != step.before.score.game_number:
            self._row, self._number, self._last = None, 0, None
            self.sections.append(Section(step, number))
        if self.sections:
            self.sections[-1].last = step
            if number and step.after.flow.awaits_opening:
                self.sections[-1].score = step.after.match_score
        if not is_left_out(self.losses, step):
            self._tell(step)
            for words in self.said(step.event.version):
                self._add(Aside(step, words))
            if self.wanted.findings and not self.wanted.is_held_back:
                for finding in step.findings:
                    self._add(self._found(self.replay.answered(finding)))
        if step.after.score.ended_at == step.event.version or counts_otherwise(step):
            words = won(step.after.score, self.names)
            self._add(Ended(step, words, self.score(step.after.match_score)))
        if has_moved(step) and self.sections:
            self.sections[-1].last_board = step

    def _found(self, finding: Finding) -> Found:
        caption = self.replay.rules.profile.caption(finding.section)
        return Found(finding, caption, self.names, self._asked.get(_key_of(finding)))

    @cached_property
    def _asked(self) -> dict[Key | None, attention.Asked]:
        """Question to whether it needs the director."""
        return {_key_of(one.finding): one for one in attention.asked(self.replay)}

    def _tell(self, step: Step) -> None:
        payload = step.event.payload
        act = act_of(step)
        if act is not None:
            if isinstance(payload, play.PlayMade):
                self._early_roll(step, payload.seat)
            cell = self._act(step, *act)
            if self.wanted.findings and any(found.code in _ILLEGAL for found in step.findings):
                cell.is_illegal = True
            return
        match payload:
            case clock.ClockPressed(seat=seat) if self._press(step, seat):
                return
            case clock.ClockStarted(seat=seat) if self._start_clock(step, seat):
                return
            case _:
                pass
        lines = list(clock_lines(step, self.names)) or list(asides(step, self.names))
        if not lines and not self._is_silent(step):
            lines = [self.wording.by_members(step)]
        for line in (*lines, about_line(step, self.replay, self.names, self._abouts)):
            if line is not None:
                self._add(Aside(step, line))

    def _act(self, step: Step, seat: Seat, words: str) -> Cell:
        """An act goes into the cell of its seat; a row that was interrupted goes on below."""
        is_roll = words.endswith(":")
        cell = self._row.cells.get(seat) if self._row is not None else None
        number = self._numbers.get(step.event.version, 0) or max(self._number, 1)
        if seat is not self._last or number != self._number or (is_roll and self._has_played):
            if number != self._number:
                self._row, self._number = None, number
            cell, self._has_roll, self._has_played = None, False, False
        elif is_roll and cell is not None and self._has_roll:
            self._row = cell = None
        if cell is None and self._row is not None and self._row.cells.keys() & {seat, Seat.TWO}:
            # Undone, and done again: the row goes on below, under the same number.
            self._row = None
        if self._row is None:
            self._row = Row(self._number)
            self._add(self._row)
        if cell is None:
            cell = self._row.cells[seat] = Cell()
        self._last = seat
        self._has_roll = self._has_roll or is_roll
        self._has_played = self._has_played or isinstance(step.event.payload, play.PlayMade)
        cell.acts.append(Act(step, words))
        return cell

    def _early_roll(self, step: Step, seat: Seat) -> None:
        """A roll that was thrown early, or set, stands beside its play like any other."""
        faces = step.before.flow.dice_of(seat)
        is_there = seat is self._last and self._has_roll and not self._has_played
        if faces is not None and not is_there:
            self._act(step, seat, f"{faces[0]}{faces[1]}:")

    def _press(self, step: Step, seat: Seat) -> bool:
        """The reserve after a press stands in the turn that it ends, if that is in the row."""
        cell = self._row.cells.get(seat) if self._row is not None else None
        if cell is None or seat is not self._last or cell.clock is not None:
            return False
        left = step.after.clock.reserve_ms[seat]
        cell.clock = Act(step, "pressed" if left is None else clocked(left))
        return True

    def _start_clock(self, step: Step, seat: Seat) -> bool:
        """A clock that is started after the roll of its seat does not interrupt the row."""
        cell = self._row.cells.get(seat) if self._row is not None else None
        if cell is None or seat is not self._last:
            return False
        cell.acts.append(Act(step, "(clock on)"))
        return True

    def _add(self, item: Item) -> None:
        if not self.sections:
            self.sections.append(Section(self.replay.steps[0], 0))
        if not isinstance(item, Row):
            self._row = None
        self.sections[-1].items.append(item)

    def _is_silent(self, step: Step) -> bool:
        """Whether the heading or the numbers beside it say all that an entry does."""
        games = step.after.score.games
        match step.event.payload:
            case match.GameWon() as claimed if games:
                last = games[-1]
                return (last.winner, last.points) == (claimed.winner, claimed.points)
            case match.ScoreNoted(score=noted):
                return noted == step.after.match_score
            case _:
                return step.event.tag in _SILENT


def _key_of(finding: Finding) -> Key | None:
    """What a decision names its question by; None = it asks nothing."""
    question = finding.ruling_required
    return None if question is None else (question.topic, finding.entry_id, finding.seat)
