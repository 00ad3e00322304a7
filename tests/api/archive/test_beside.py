"""Which streams are second scribes' records of a match: known without reading every stream."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.archive.archive import Archive, open_archive
from api.desk.cases import cases_of_log, second_recorders
from events import catalogue
from events.payloads.appeal import AppealFiled
from events.payloads.dispute import RulingMade
from events.payloads.match import MatchOpened, Player
from events.values import BySeat, Seat

SIDES = BySeat((Player(),), (Player(),))


@pytest.fixture(params=["memory", "sqlite"])
def archive(request: pytest.FixtureRequest) -> Iterator[Archive]:
    url = "memory://" if request.param == "memory" else request.getfixturevalue("sqlite_url")
    archive = open_archive(url)
    archive.open_tournament("club", "Club night")
    yield archive
    archive.close()


def opened(archive: Archive, stream: str, beside: str | None = None) -> None:
    opening = MatchOpened(players=SIDES, length=3, shadow_of=beside)
    archive.append("club", stream, [archive.draft(opening)])


def test_a_record_that_is_opened_later_is_known_at_once(archive: Archive) -> None:
    opened(archive, "m1")
    opened(archive, "m2")
    assert second_recorders(archive.reading, "club", "m1") == []
    opened(archive, "z", "m1")
    assert second_recorders(archive.reading, "club", "m1") == ["z"]
    opened(archive, "other", "m2")
    opened(archive, "a", "m1")
    assert second_recorders(archive.reading, "club", "m1") == ["a", "z"]
    assert second_recorders(archive.reading, "club", "m2") == ["other"]
    assert second_recorders(archive.reading, "none", "m1") == []


def test_openings_are_decoded_only_where_they_say_so(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        opened(archive, f"m{number}")
    opened(archive, "beside", "m3")
    read: list[str] = []
    known = catalogue.read
    monkeypatch.setattr(catalogue, "read", lambda row: (read.append(row.stream_id), known(row))[1])
    assert second_recorders(archive.reading, "club", "m3") == ["beside"]
    assert second_recorders(archive.reading, "club", "m4") == []
    assert read == ["beside"]


def test_the_cases_of_a_log_come_in_the_order_in_which_they_were_filed(archive: Archive) -> None:
    filed = []
    for stream in ("m3", "m1", "m2"):
        opened(archive, stream)
        ruling = archive.draft(RulingMade())
        appeal = archive.draft(AppealFiled(seat=Seat.ONE, target=ruling.entry_id))
        archive.append("club", stream, [ruling, appeal])
        filed.append(appeal.entry_id)
    assert [one.case_id for one in cases_of_log(archive.reading, "club")] == filed
    assert [one.match_id for one in cases_of_log(archive.reading, "club")] == ["m3", "m1", "m2"]
    assert cases_of_log(archive.reading, "none") == []
