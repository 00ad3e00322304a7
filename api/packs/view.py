"""What the page of a pack shows of a case: the replay's own scenes, and nothing that is kept back.

The replay's modules read it as they read the answers of the API. What a browser can check of it
against the sealed entries, it does (`web/static/pack/`); the rest is this program's reading.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from api.archive.archive import Archive
from api.archive.files import IMAGES, FileStore
from api.archive.openings import names_of
from api.archive.words import showing_line, words_lines
from api.desk.cases import Case
from api.evidence.bundle import Files
from api.exchange.writing.numbering import numbers_of
from events.values import BySeat
from projections.replay import Replay
from projections.rules.shelf import SHELF, captions
from projections.views.discretion import EVERYTHING
from projections.views.lines import Line, question_lines
from projections.views.open_windows import windows_of
from projections.views.scenes import disputes, games, scenes
from projections.views.showing import Showing
from projections.views.transcript import transcript

IN_PAGE = 2 * 1024 * 1024
"""The largest picture that is in the page itself, in bytes; larger ones lie beside it."""

_SCORE = re.compile(r"\d+\s*[-–]\s*\d+|\bscore\b|penalty point")
"""What a finding says of a score, in the English in which it is kept."""

_SILENT: Line = {"words": [], "recorder": None, "file": None}


class Seen(NamedTuple):
    """One scribe's record, as far as a committee is shown it."""

    stream: str
    showing: Showing
    hidden: frozenset[int]
    """Versions of which nothing is shown."""


def view_of(
    archive: Archive, found: Case, records: list[Seen], made: Files, files: FileStore | None
) -> Line:
    """Everything that the page shows, plain. Reads the store."""
    seen, *others = records
    shown = archive.reading.replay(found.log_id, found.match_id, at=seen.showing.last)
    profile = SHELF[found.rule_set]
    names = None
    if not seen.showing.hides_players:
        names = names_of(archive.reading, found.log_id, shown.opened)
    words = words_lines(
        archive.reading, found.log_id, found.match_id, shown, seen.showing, files=files
    )
    for line in words.values():
        _bring(line, made)
    windows = windows_of(shown)
    versions = shown.versions
    cited = sorted({one.section for one in windows} & profile.contents.keys())
    return {
        "case": {
            "rule_set": profile.id,
            "title": profile.title,
            "is_blind": seen.showing.hides_players,
            "last": seen.showing.last,
            "hidden": sorted(seen.hidden),
        },
        "names": None if names is None else {"one": names.one, "two": names.two},
        "match": match_of(shown, seen, words),
        "windows": [
            {
                "what": one.what.value,
                "version": versions[one.entry],
                "seat": None if one.seat is None else one.seat.value,
                "state": one.state.value,
                "until": one.until,
                "closed_by": versions.get(one.closed_by or ""),
                "section": one.section,
            }
            for one in windows
            if versions[one.entry] not in seen.hidden
        ],
        "sections": [[number, profile.contents[number]] for number in cited],
        "others": [_told(archive, found, one, names) for one in others],
    }


def without_score(view: Line) -> Line:
    """The view without scores and the findings about them, where a score would reveal who plays."""
    blank = {"one": "–", "two": "–"}
    match = view["match"]
    scenes_ = [
        {
            **one,
            "score": blank,
            "findings": [said for said in one["findings"] if not _SCORE.search(said["message"])],
        }
        for one in match["scenes"]
    ]
    first = scenes_[0]["version"] if scenes_ else 0
    hidden = view["case"]["hidden"]
    games_ = [
        {**one, "score": blank, "result": None, "crawford": False}
        for one in match["games"]
        if one["version"] not in hidden and one["version"] >= first
    ]
    corrections = [one for one in match["corrections"] if not _SCORE.search(one["message"])]
    told = {**match, "scenes": scenes_, "games": games_, "corrections": corrections}
    # What another scribe wrote down is told in lines, and they tell the score.
    return {**view, "match": told, "others": [], "hides_score": True}


def match_of(shown: Replay, seen: Seen, words: Mapping[int, Line]) -> Line:
    """The match as the replay's modules read it; ids of log and match are nobody's to read here."""
    hidden = seen.hidden
    rows = numbers_of(shown)
    told: list[Line] = []
    row = 0
    for line in scenes(shown, EVERYTHING):
        row = rows.get(line["version"], row if line["turn"] else 0)
        if line["version"] not in hidden and line["corrected_by"] not in hidden:
            told.append({**line, "row": row, **words.get(line["version"], _SILENT)})
    found = [one for one in shown.findings if one.version not in hidden]
    return {
        "log_id": "",
        "match_id": "",
        "version": shown.version,
        "rule_set": shown.rules.profile.id,
        "as_recorded": False,
        "held_back": None,
        "awaits_ruling": False,
        "length": shown.state.score.length,
        "is_trusted": True,
        "showing": showing_line(seen.showing),
        "scenes": told,
        "games": games(shown),
        "disputes": disputes(shown),
        "questions": _kept(question_lines(shown), hidden),
        "corrections": _kept((one.as_json() for one in shown.corrections), hidden),
        "contrasts": [],
        "captions": captions((one.rule_set, one.section) for one in found),
    }


def _kept(lines: Iterable[Line], hidden: Container[int]) -> list[Line]:
    return [line for line in lines if line["version"] not in hidden]


def _told(archive: Archive, found: Case, one: Seen, names: BySeat[str] | None) -> list[str]:
    """What another scribe wrote down, in lines."""
    record = archive.reading.replay(found.log_id, one.stream, at=one.showing.last)
    called = names or BySeat("One", "Two")
    numbers = numbers_of(record)
    return list(transcript(record, called, numbers=numbers, hidden=one.hidden))


def _bring(line: Line, made: Files) -> None:
    """Have a file's link lead to where it lies: in the page, or in the folder beside it."""
    file = line["file"]
    if file is None or file["href"] is None:
        return
    raw = made.get(f"files/{file['sha256']}")
    if raw is None or hashlib.sha256(raw).hexdigest() != file["sha256"]:
        line["file"] = {**file, "href": None, "withheld": "missing", "is_image": False}
        return
    is_image = file["media_type"] in IMAGES and len(raw) <= IN_PAGE
    href = f"files/{file['sha256']}"
    if is_image:
        href = f"data:{file['media_type']};base64,{base64.b64encode(raw).decode()}"
    line["file"] = {**file, "href": href, "is_image": is_image}
