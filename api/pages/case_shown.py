"""The data of a case's desk: its moment, with steps, texts, clocks, windows and sections."""

from __future__ import annotations

import base64
from typing import NamedTuple

from api.archive.openings import names_of
from api.archive.words import showing_line, words_lines
from api.desk.cases import Case, committee_showing, version_of
from api.exchange.prose.spoken import Spoken, notes_on, spoken
from api.exchange.writing.numbering import numbers_of
from api.html.entry_words import word
from api.html.moments import Moment, Ways, heard_since, line_of, moment_of, ways_of
from api.html.pictures import board_svg
from api.html.templates import Values
from api.html.texts import Texts
from api.packs.redaction import is_naming
from api.pages.other_records import others_of
from api.routes.shared.door import Door
from events.payloads.dispute import DirectorCalled, DisputeRaised, RulingMade
from events.values import BySeat, Seat
from projections.folding.standing import target_of
from projections.replay import Replay
from projections.rules.profile import RuleProfile
from projections.views.freezing import freezes, spoken_of
from projections.views.lines import clock_line
from projections.views.open_windows import windows_of
from projections.views.scoreless import tells_score
from projections.views.showing import Reader, Showing, showing
from projections.views.transcript import transcript


class CaseMoment(NamedTuple):
    """Which moment of a case is asked for."""

    at: int | None = None
    """The version; None = the disputed moment."""
    as_recorded: bool = False
    """Whether to show the record as first written, without later corrections."""


class Stand(NamedTuple):
    """A case as one reader may see it, at one moment."""

    shown: Replay
    """The replay of all that this reader may see."""
    at: Replay
    """The replay up to the moment."""
    names: BySeat[str]
    showing: Showing
    moment: int
    """The version of the disputed moment."""
    hidden: frozenset[int] = frozenset()
    """Versions of entries that would reveal a withheld score."""
    hides_score: bool = False
    """Whether the score is withheld."""


def showing_for(door: Door, found: Case, through: int) -> Showing:
    """What this reader may see of the case, by its rule set. Reads the store."""
    if found.seat is None:
        return showing(found.live.replay, Reader.DIRECTOR)
    shown = committee_showing(door.reading, found.log_id, found.live, case=found.case_id)
    # The issued case is shown as it was cut when it was issued.
    return shown._replace(last=through)


def names_in(door: Door, found: Case, shown_to: Showing, t: Texts) -> BySeat[str]:
    """The players' names; or their seats, if the players are secret. Reads the store."""
    if shown_to.hides_players:
        return BySeat(t("case.seat_one"), t("case.seat_two"))
    return names_of(door.reading, found.log_id, found.live.replay.opened)


def shown_values(door: Door, found: Case, through: int, asked: CaseMoment, t: Texts) -> Values:
    """All parts of the record that the desk shows; nothing before the case is issued."""
    shown_to = showing_for(door, found, through)
    names = names_in(door, found, shown_to, t)
    if not through:
        return {"through": 0, "names": names, "shown_to": []}
    place = (found.log_id, found.match_id)
    both = {
        False: door.reading.replay(*place, at=through),
        True: door.reading.replay(*place, at=through, as_recorded=True),
    }
    shown = both[asked.as_recorded]
    hides = found.seat is not None and found.hides_score
    # For both readings: an entry as first written may reveal a score that was corrected since.
    hidden = tells_score(both[False]) | tells_score(both[True]) if hides else frozenset[int]()
    # A text typed into a plain member cannot be withheld by itself, so its entry is left out.
    named = _naming(door, place, shown_to) if shown_to.hides_players else frozenset[int]()
    hidden |= named
    disputed = _shown_at(disputed_moment(found, through), through, hidden)
    version = disputed if asked.at is None else _shown_at(asked.at, through, hidden)
    at = door.reading.replay(*place, at=version, as_recorded=asked.as_recorded)
    stand = Stand(shown, at, names, shown_to, disputed, hidden, hides)
    called = {seat.value: names[seat] for seat in Seat}
    every = [
        spoken(t, number, line, called)
        for number, line in sorted(
            words_lines(door.reading, *place, shown, shown_to, files=door.files).items()
        )
        if number not in hidden
    ]
    return {
        "through": through,
        "names": names,
        "shown_to": [
            *notes_on(t, showing_line(shown_to)),
            *([t("case.without_score")] if hides else []),
            *([t("case.without_named", n=len(named))] if named else []),
        ],
        "hides_score": hides,
        "as_recorded": asked.as_recorded,
        "disputed": disputed,
        **_moment_values(stand, every, t),
        "clock": _clock(stand, t),
        "windows": _windows(stand, t),
        "limits": _limits(found, stand, t),
        "sections": _sections(door, found, stand),
        # The lines of a game tell its result, and so the score.
        "lines": None
        if hides or named
        else {
            "corrected": transcript(both[False], names, numbers=numbers_of(both[False])),
            "recorded": transcript(both[True], names, numbers=numbers_of(both[True])),
        },
        "others": others_of(door, found, both[False], t, names, hides_score=hides),
        "words": every,
    }


def _naming(door: Door, place: tuple[str, str], shown_to: Showing) -> frozenset[int]:
    """Versions of entries of which a plain member tells who plays. Reads the store."""
    return frozenset(
        version
        for version, (_, sealed) in enumerate(door.archive.store.read_sealed(*place), 1)
        if version <= shown_to.last and is_naming(sealed, shown_to.marks)
    )


def _shown_at(version: int, through: int, hidden: frozenset[int]) -> int:
    """The version itself, as far as it is shown; else the first one behind it, or the last, that
    is.
    """
    version = max(0, min(version, through))
    if not hidden:
        return version
    following = [n for n in range(max(1, version), through + 1) if n not in hidden]
    before = [n for n in range(version, 0, -1) if n not in hidden]
    return next(iter((*following[:1], *before[:1])), 0)


def disputed_moment(found: Case, through: int) -> int:
    """Version of the disputed moment: what the dispute that was ruled on speaks of.

    Where no dispute was recorded, what the director was called for; else what the ruling, or the
    penalty, came upon.
    """
    live = found.live
    [filed] = [event for event in live.recorded if event.entry_id == found.case_id]
    against = version_of(live, target_of(filed))
    ruling = next((one for one in live.recorded if one.version == against), None)
    named = None
    if ruling is not None and isinstance(ruling.payload, RulingMade):
        named = ruling.payload.dispute
    moment = _about(found, named, against)
    return max(0, min(against - 1 if moment is None else moment, through))


def _about(found: Case, named: str | None, against: int) -> int | None:
    """Version of what a dispute or a call is about; None where neither is known."""
    live = found.live
    if named is None:
        # A ruling that names no dispute settles all open ones (freezing.py).
        raised = [
            one.raised
            for one in freezes(live.replay)
            if one.raised < against and one.holds_at(against - 1)
        ]
        return spoken_of(live.replay).get(raised[-1]) if raised else None
    about = next((event for event in live.recorded if event.entry_id == named), None)
    if about is not None and isinstance(about.payload, DisputeRaised):
        return spoken_of(live.replay).get(about.version, about.version - 1)
    if about is not None and isinstance(about.payload, DirectorCalled):
        return version_of(live, about.payload.about) or about.version - 1
    return None


# The moment, and the steps to others.


def _moment_values(stand: Stand, every: list[Spoken], t: Texts) -> Values:
    moment = moment_of(stand.at, stand.names, t)
    version = stand.at.version
    since = heard_since(stand.shown, version, stand.hidden)
    return {
        "version": version,
        "said_here": moment.words,
        "position": _position(moment, stand, t),
        "board": _picture(moment, stand.names),
        "ways": _ways(stand, t),
        "around": _around(stand, t),
        "spoken_here": [one for one in every if since < one.version <= version],
    }


def _ways(stand: Stand, t: Texts) -> list[tuple[str, int | None]]:
    ways: Ways = ways_of(stand.shown, stand.at.version, stand.hidden)
    return [
        (t("case.way_first"), ways.first),
        (t("case.way_previous"), ways.previous),
        (t("case.way_next"), ways.following),
        (t("case.way_last"), ways.last),
    ]


def _around(stand: Stand, t: Texts) -> list[tuple[int, str, bool]]:
    """The entries around the moment: (version, words, whether it is the moment's own)."""
    steps = [one for one in stand.shown.steps if one.event.version not in stand.hidden]
    place = next(
        (n for n, step in enumerate(steps) if step.event.version >= stand.at.version), len(steps)
    )
    near = steps[max(0, place - _BEFORE) : place + _AFTER + 1]
    return [
        (
            step.event.version,
            line_of(step, stand.names, t, stand.shown),
            step.event.version == stand.at.version,
        )
        for step in near
    ]


_BEFORE, _AFTER = 4, 3
"""How many entries are shown before and after a moment."""


def _picture(moment: Moment, names: BySeat[str]) -> str:
    """The board as a `data:` address of a picture."""
    svg = board_svg(moment, names, has_pips=True)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _position(moment: Moment, stand: Stand, t: Texts) -> str:
    """The moment in a line, for readers who do not see the board."""
    parts = []
    if not stand.hides_score:
        if moment.game:
            parts.append(t("public.game", number=moment.game))
        parts.append(t("case.score_is", one=moment.score.one, two=moment.score.two))
        if moment.is_crawford:
            parts.append(t("public.crawford"))
    if moment.on_roll is not None:
        parts.append(t("case.on_roll", name=stand.names[moment.on_roll]))
    if moment.board is not None:
        one, two = moment.board.pip_count()
        parts.append(t("public.pips", one=one, two=two))
    if moment.position_id is not None:
        parts.append(f"Position ID {moment.position_id}")
    return " · ".join(parts)


# Clocks, windows, limits.


def _clock(stand: Stand, t: Texts) -> list[str]:
    """Both clocks at the moment, whose time ran, and the terms."""
    clock, line = stand.at.state.clock, clock_line(stand.at.state)
    if line is None:
        return []
    lines = []
    for seat in Seat:
        left = clock.reserve_ms[seat]
        key = "case.clock_unknown" if left is None else "case.clock_left"
        told = t(key, name=stand.names[seat], left="" if left is None else _time(left))
        lines.append(told + (f" · {t('case.clock_fallen')}" if clock.fallen[seat] else ""))
    if clock.running is not None:
        lines.append(t("case.clock_runs", name=stand.names[clock.running]))
    else:
        lines.append(t("case.clock_stands"))
    return lines


def _time(ms: int) -> str:
    minutes, seconds = divmod(ms // 1_000, 60)
    return f"{minutes}:{seconds:02}"


def _windows(stand: Stand, t: Texts) -> list[Values]:
    """The windows for corrections at the moment; closed ones with what closed them."""
    versions = stand.at.versions
    told: list[Values] = []
    for window in windows_of(stand.at):
        if versions[window.entry] in stand.hidden:
            continue
        closed = versions.get(window.closed_by or "")
        closed = None if closed in stand.hidden else closed
        step = None if closed is None else stand.at.step_at(closed)
        told.append(
            {
                "what": window.what.value,
                "version": versions[window.entry],
                "who": "" if window.seat is None else stand.names[window.seat],
                "state": window.state.value,
                "may": _may(window.by, window.must, window.may, t),
                "until": "" if window.until is None else word(t, window.until),
                "closed_at": closed,
                "closed_by": "" if step is None else line_of(step, stand.names, t, stand.at),
                "section": window.section,
            }
        )
    return told


def _may(by: str | None, must: bool, may: bool, t: Texts) -> str:
    if not (must or may):
        return ""
    duty = t("case.must") if must else t("case.may")
    return duty if by is None else f"{duty} ({word(t, by)})"


def _limits(found: Case, stand: Stand, t: Texts) -> list[tuple[str, str, str]]:
    """The time limits of the rule set for the case: (what, how much, section)."""
    rules, clock = stand.shown.rules, stand.at.state.clock
    limits = []
    if clock.is_set:
        kind = word(t, clock.kind.value)
        amount = t("case.limit_delay", kind=kind, seconds=clock.delay_ms // 1_000)
        limits.append((t("case.limit_clock"), amount, rules.cite("clock.terms")[1]))
    if not stand.showing.cut and found.appeal.answer is not None:
        limits.append(
            (
                t("case.limit_appeal"),
                _appeal_limit(found, t),
                found.appeal.answer.section,
            )
        )
    return limits


def _appeal_limit(found: Case, t: Texts) -> str:
    """Until when an appeal was possible; no known text says how long "prompt" is (AMB-Q6)."""
    about = found.appeal
    told = [t("case.limit_prompt")]
    if about.against is not None:
        key = "case.limit_played_on" if about.against.has_played_on else "case.limit_in_time"
        told.append(t(key))
    events = {event.entry_id: event for event in found.live.recorded}
    filed = events.get(found.case_id)
    against = None if filed is None else events.get(target_of(filed) or "")
    times = [getattr(getattr(one, "payload", None), "at_ms", None) for one in (against, filed)]
    if times[0] is not None and times[1] is not None:
        told.append(t("case.limit_after", left=_time(times[1] - times[0])))
    return " ".join(told)


# Sections.


class Section(NamedTuple):
    """A section of the rule set that applies to the case."""

    number: str
    caption: str
    text: str | None
    """The section's text; None if the tournament has not loaded it."""


def _sections(door: Door, found: Case, stand: Stand) -> list[Section]:
    """The sections that apply to the moment, with their text if it is loaded. Reads files."""
    rules = stand.shown.rules
    cited = [window.section for window in windows_of(stand.at)]
    since = stand.moment
    for step in stand.shown.steps:
        payload = step.event.payload
        if isinstance(payload, DisputeRaised) and payload.topic is not None:
            cited.append(_section_on(rules.profile, payload.topic))
        if isinstance(payload, RulingMade):
            # The sections of a ruling are shown only to readers who may see the ruling.
            cited += [one.section for one in payload.references if one.rule_set == found.rule_set]
        if step.event.version >= since:
            cited += [one.section for one in step.findings if one.section]
    cited.append(rules.profile.hearing.section)
    sections = []
    for number in dict.fromkeys(cited):
        caption = rules.profile.caption(number)
        if caption is None:
            continue
        text = door.texts.text_of(found.log_id, found.rule_set, number)
        sections.append(Section(number, caption, text))
    return sections


def _section_on(profile: RuleProfile, topic: str) -> str:
    """The section for the topic of a dispute: for the whole topic, else for its noun."""
    noun = topic.partition(".")[0]
    named = (topic, _SUBJECTS.get(topic, topic), noun)
    known = next((one for one in named if one in profile.sections), topic)
    return profile.cite(known)[1]


_SUBJECTS = {"dice.early-roll": "premature.roll", "window.play": "play"}
"""Topics of disputes that have another name among subjects of sections."""
