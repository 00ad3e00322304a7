"""An analysis at the doors: shown for the match it belongs to, to nobody while it must not be."""

from __future__ import annotations

from typing import Any

import pytest

from api.analysis.released import match_of
from api.analysis.results import By
from tests.api.analysis.test_results import game_judged
from tests.api.routes.conftest import api, app, archive, begin, clock, door_behind, make, url

__all__ = ["api", "app", "archive", "begin", "clock", "make", "url"]

M = "/logs/club/matches/m1"
PAGE = "/matches/club/m1"


def judge(api: Any) -> None:
    """Have the current state of the match analysed: its opening play lost something."""
    match = match_of(api.archive, "club", "m1", api.version())
    assert match is not None
    by = By("bgsage", "gv-bgsage/1", "fast@2")
    door_behind(api.http).results.put(match, by, 1, 1, game_judged(4))


async def seen(api: Any, token: str | None = None) -> list[bool]:
    """Whether JSON, match page, replay and quiz show an analysis."""
    answer = await api.get(f"{M}/analysis", token)
    page = (await api.get(PAGE, token, accept="text/html")).text
    replay = (await api.get(f"{PAGE}/replay", token, accept="text/html")).text
    assert answer.status_code in (200, 401, 403, 404)
    quiz = await api.get(f"{PAGE}/quiz", token, accept="text/html")
    assert quiz.status_code == answer.status_code
    shown = ['id="analysis"' in page, 'data-analysed="1"' in replay, "bgsage" in quiz.text]
    return [answer.status_code == 200, *shown]


@pytest.mark.gate
async def test_an_analysis_is_shown_for_the_match_it_belongs_to_and_never_in_play(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    judge(api)
    # In play: not even to who rules.
    assert await seen(api) == [False, False, False, False]
    assert await seen(api, api.director) == [False, False, False, False]
    await api.append(make("match.ended", winner="one"), token=api.director)
    # The match has ended and grown: the earlier analysis no longer belongs to it.
    assert await seen(api) == [False, False, False, False]
    judge(api)
    assert await seen(api) == [True, True, True, True]
    # A film changes nothing that an engine judges, however many points align it.
    film = make("film.attached", link="https://films.example/final")
    target = next(iter(api.archive.reading.live("club", "m1").replay.steps)).event.entry_id
    points = [
        make("film.aligned", film=film["entry_id"], target=target, film_ms=ms) for ms in range(6)
    ]
    assert (await api.append(film, *points, token=api.director)).status_code == 201
    assert await seen(api) == [True, True, True, True]
    told = (await api.get(f"{M}/analysis")).json()
    assert (told["engine"], told["preset"], told["version"]) == ("bgsage", "fast@2", 12)
    assert (told["players"]["one"]["pr"], told["players"]["two"]["pr"]) == (40.0, None)
    etag = (await api.get(f"{M}/analysis")).headers["ETag"]
    assert (await api.get(f"{M}/analysis", If_None_Match=etag)).status_code == 304
    page = (await api.get(PAGE, accept="text/html")).text
    assert "gv-bgsage/1" in page
    assert "fast@2" in page
    # Under appeal, withheld, behind its delay: nobody is shown it, and it is back afterwards.
    withheld = make("publication.withheld")
    assert (await api.append(withheld, token=api.director)).status_code == 201
    judge(api)
    assert await seen(api) == [False, False, False, False]
    assert await seen(api, api.director) == [False, False, False, False]
    await api.append(make("publication.released", delay_ms=600_000), token=api.director)
    judge(api)
    assert await seen(api, api.director) == [False, False, False, False]
    await api.append(make("publication.released", delay_ms=0), token=api.director)
    judge(api)
    assert await seen(api) == [True, True, True, True]
