"""Replays are true: the disputed entry, no cube without one, links that land, no later score."""

from __future__ import annotations

import re
from typing import Any

URL = "/logs/club/matches/m1"
PAGE = "/matches/club/m1"


async def scenes_of(api: Any) -> Any:
    return (await api.get(f"{URL}/scenes", api.director)).json()


async def disputed(api: Any, make: Any, begin: Any) -> tuple[int, int]:
    """Versions of a roll that is disputed, and of the dispute."""
    await api.open(publication={"public": True})
    await api.append(*begin())
    accepted = api.archive.reading.live("club", "m1").recorded[-1].entry_id
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    rolled = api.version()
    await api.append(make("clock.paused", reason="dispute"))
    await api.append(make("dispute.raised", by="one", frozen_at=accepted, topic="dice.validity"))
    return rolled, api.version()


async def test_a_dispute_says_which_entry_it_is_about(api: Any, make: Any, begin: Any) -> None:
    rolled, raised = await disputed(api, make, begin)
    answer = await scenes_of(api)
    [dispute] = answer["disputes"]
    assert (dispute["version"], dispute["frozen"]) == (raised, rolled - 1)
    assert answer["scenes"][raised - 1]["target"] == rolled
    for page in (PAGE, f"{PAGE}/replay"):
        english = (await api.get(f"{page}?lang=en", api.director)).text
        german = (await api.get(f"{page}?lang=de", api.director)).text
        assert f"about entry {rolled}" in english, page
        assert f"zu Eintrag {rolled}" in german, page
    for language, about in (("en", f"about entry {rolled}"), ("de", f"zu Eintrag {rolled}")):
        page = (await api.get(f"{PAGE}?lang={language}", api.director)).text
        asides = re.findall(r'<tr class="aside">.*?</tr>', page, re.S)
        assert sum(about in aside for aside in asides) == 1, "its sentence stood there twice"


async def test_what_the_director_was_called_for_is_what_the_dispute_is_about(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    await api.append(*begin())
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    played = make("play.made", seat="two", moves=[[24, 18], [18, 13]])
    await api.append(played)
    about = api.version()
    await api.append(make("director.called", by="one", about=played["entry_id"]))
    first = api.archive.reading.live("club", "m1").recorded[2].entry_id
    await api.append(make("dispute.raised", by="one", frozen_at=first))
    assert (await scenes_of(api))["scenes"][-1]["target"] == about


async def test_a_crawford_game_is_shown_without_a_cube(api: Any, begin: Any) -> None:
    await api.open(score_at_start={"one": 4, "two": 2}, rule_set="usbgf-2017-07")
    await api.append(*begin())
    scenes = (await scenes_of(api))["scenes"]
    assert scenes[-1]["is_crawford"]
    page = (await api.get(PAGE, api.director)).text
    assert "no cube" in page
    for ending in ("txt", "html"):
        text = (await api.get(f"{URL}/export.{ending}", api.director)).text
        assert "Crawford game" in text
    html = (await api.get(f"{URL}/export.html", api.director)).text
    assert "cube 1" not in html


async def test_a_link_to_a_moment_lands_above_its_players_and_its_board(
    api: Any, begin: Any
) -> None:
    await api.open(publication={"public": True})
    await api.append(*begin())
    page = (await api.get(f"{PAGE}?at=4")).text
    assert page.count('id="board"') == 1
    landed = page.index('id="board"')
    assert landed < page.index('<span class="who">Ann') < page.index('<figure class="board">')


async def test_what_is_done_with_the_record_is_no_moment_of_the_match(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True})
    await api.append(*begin())
    last = (await api.get(f"{PAGE}?part=now&lang=en")).text
    await api.append(make("pack.issued", profile="full", to="Ilse"), token=api.director)
    await api.append(make("publication.released"), token=api.director)
    text = (await api.get(f"{PAGE}?part=now&lang=en")).text

    def words(page: str) -> list[str]:
        return re.findall(r'data-words="([^"]*)"', page)

    assert words(text) == words(last)
    assert "8/5 6/5" in words(text)[0]
    flags = [scene["is_custody"] for scene in (await scenes_of(api))["scenes"]]
    assert flags[-2:] == [True, True]
    assert not any(flags[:-2])


async def test_the_preview_of_a_shared_moment_tells_no_later_score(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True}, length=1)
    await api.append(*begin())
    await api.append(make("resignation.offered", seat="two", level="single"))
    await api.append(make("resignation.accepted", seat="one"))

    def previews(page: str) -> set[str]:
        return set(
            re.findall(r'<meta (?:name|property)="[^"]*description" content="([^"]*)"', page)
        )

    [whole] = previews((await api.get(f"{PAGE}?lang=en")).text)
    [moment] = previews((await api.get(f"{PAGE}?at=4&lang=en")).text)
    assert "1–0" in whole
    assert "won" in whole or "wins" in whole
    assert "0–0" in moment
    assert "1–0" not in moment
    assert "wins" not in moment
    assert "won" not in moment
    assert "8/5 6/5" in moment
    first = (await api.get(f"{PAGE}/card.png?at=4")).content
    await api.append(make("score.noted", keeper="one", score={"one": 1, "two": 0}))
    assert (await api.get(f"{PAGE}/card.png?at=4")).content == first
