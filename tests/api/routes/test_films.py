"""Films of a match: attached and aligned by who directs, never shown before the match is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.archive.erasing import places_of
from api.archive.films import address_of
from events.payloads.access import Role

LINK = "https://youtu.be/dQw4w9WgXcQ"
SHA = "3dbe53a2de431feaea25139a6ea5eb705629d3fb419181298046d78d55acb055"
FILMS = "/logs/club/matches/m1/films"
PUBLIC = {"public": True, "delay_ms": 0}
DELAY = 900_000


async def filmed(api: Any, make: Any, *, is_over: bool = True, **opened: Any) -> dict[str, Any]:
    """A match with a film of which one roll is found; the ids of its entries."""
    terms = {"publication": PUBLIC, **opened}
    assert (await api.open(**terms)).status_code == 201
    started = make("game.started")
    first = make("dice.opening_rolled", one=3, two=1, at_ms=60_000)
    play = make("play.made", seat="one", moves=[[8, 5], [6, 5]], at_ms=75_000)
    assert (await api.append(started, first, play)).status_code == 201
    if is_over:
        ended = make("match.ended", winner="one")
        assert (await api.append(ended, token=api.director)).status_code == 201
    film = make("film.attached", file=SHA, link=LINK)
    point = make("film.aligned", film=film["entry_id"], target=first["entry_id"], film_ms=5_000)
    answer = await api.append(film, point, token=api.director)
    assert answer.status_code == 201, answer.text
    return {"film": film["entry_id"], "first": first["entry_id"], "point": point["entry_id"]}


async def told(api: Any, token: str | None = None) -> Any:
    answer = await api.get(FILMS, token)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_film_says_where_the_entries_are_until_a_point_is_taken_back(
    api: Any, make: Any
) -> None:
    known = await filmed(api, make)
    [film] = (await told(api))["films"]
    assert (film["film_id"], film["sha256"], film["link"]) == (known["film"], SHA, LINK)
    assert [(one["target"], one["film_ms"]) for one in film["points"]] == [(3, 5_000)]
    assert film["moments"] == [{"version": 3, "film_ms": 5_000}, {"version": 4, "film_ms": 20_000}]
    later = make("film.aligned", film=known["film"], target=known["first"], film_ms=6_000)
    await api.append(later, token=api.director)
    assert (await told(api))["films"][0]["moments"][1]["film_ms"] == 21_000
    await api.append(make("entry.retracted", target=later["entry_id"]), token=api.director)
    answer = await api.get(FILMS)
    assert answer.json()["films"][0]["moments"][1]["film_ms"] == 20_000
    again = await api.get(FILMS, If_None_Match=answer.headers["ETag"])
    assert again.status_code == 304
    assert not api.faults()


async def test_who_directs_may_attach_films_and_no_scribe(api: Any, make: Any) -> None:
    known = await filmed(api, make)
    film = make("film.attached", link=LINK)
    point = make("film.aligned", film=known["film"], target=known["first"], film_ms=1)
    for refused in (film, point):
        assert (await api.append(refused, token=api.scribe)).status_code == 403
    assert not (await told(api, api.scribe))["may_record"]
    assert (await told(api, api.director))["may_record"]
    assert (await told(api, api.token(Role.ARCHIVIST)))["may_record"]
    assert not (await told(api))["may_record"]


async def test_no_film_is_shown_before_all_of_its_match_is(api: Any, make: Any, clock: Any) -> None:
    await filmed(api, make, is_over=False)
    for token in (None, api.scribe, api.token(Role.VIEWER)):
        answer = await told(api, token)
        assert (answer["films"], answer["withheld"]) == ([], "not_public"), token
        assert LINK not in json.dumps(answer)
    assert len((await told(api, api.director))["films"]) == 1
    await api.append(make("match.ended", winner="one"), token=api.director)
    assert len((await told(api))["films"]) == 1
    assert len((await told(api, api.scribe))["films"]) == 1


async def test_neither_with_a_delay_nor_under_appeal_nor_unreleased(
    api: Any, make: Any, clock: Any
) -> None:
    await filmed(api, make, publication={"public": True, "delay_ms": DELAY})
    assert (await api.get(FILMS)).status_code in (200, 404)
    for path in ("/matches/club/m1", "/matches/club/m1/replay", FILMS):
        assert LINK not in (await api.get(path)).text
    clock.now += DELAY + 1
    assert len((await told(api))["films"]) == 1
    ruling = make("ruling.made")
    filed = make("appeal.filed", target=ruling["entry_id"], seat="two", on="rule")
    await api.append(ruling, filed, token=api.director)
    assert (await api.get(FILMS)).status_code in (401, 403)
    await api.append(make("publication.withheld"), token=api.director)
    assert (await api.get(FILMS)).status_code in (401, 403)


async def test_a_committee_that_must_not_know_the_players_sees_no_film(api: Any, make: Any) -> None:
    await filmed(api, make, rule_set="biba-2014", publication={"public": False, "delay_ms": 0})
    answer = await told(api, api.token(Role.COMMITTEE))
    assert (answer["films"], answer["withheld"]) == ([], "players_secret")


async def test_no_door_but_this_one_gives_the_public_the_address(api: Any, make: Any) -> None:
    await filmed(api, make)
    base = "/logs/club/matches/m1"
    for path in ("/events", "/replay", "/scenes", "/export.jsonl", "/export.html", "/evidence"):
        assert LINK not in (await api.get(base + path)).text, path


async def test_erasing_a_player_takes_the_addresses_of_films_with_it(api: Any, make: Any) -> None:
    await filmed(api, make)
    found = places_of(api.archive, "club", "Ann")
    assert "link" in {one.path for one in found if not one.is_words}
    answer = await api.post(
        "/erasures",
        {"name": "Ann", "words": False, "log": None, "confirm": "Ann"},
        api.archive.grant(Role.ARCHIVIST)[0],
    )
    assert answer.status_code == 200, answer.text
    assert SHA in {one["sha256"] for one in answer.json()["files"]}
    for token in (None, api.director):
        [film] = (await told(api, token))["films"]
        assert (film["link"], film["withheld"]) == (None, "erased")
    assert "link" not in {one.path for one in places_of(api.archive, "club", "Bo")}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (LINK, True),
        ("http://films.example/a?b=1#t=3", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https://", False),
        ("https://a b", False),
        ("https://club@evil.example/", False),
        ("https://[::1", False),
        ("//youtu.be/x", False),
        ("https://x/" + "a" * 600, False),
        (7, False),
    ],
)
def test_an_address_is_one_of_the_web(text: object, is_one: bool) -> None:
    assert (address_of(text) == text) is is_one
