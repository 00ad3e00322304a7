"""Statistics for everybody: exactly the matches that are over and fully visible, once each."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import pytest

from api.routes.shared.cursors import write_places
from events.payloads.access import Role
from tests.api.routes.conftest import LOG, Api, Clock
from tests.api.routes.test_searching import AFTER_31, play


async def openings(api: Api, token: str | None = None, **asked: object) -> dict[str, Any]:
    answer = await api.get(f"/positions/openings?{urlencode(asked)}", token)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_replies_to_first_and_second_rolls_are_counted_with_what_they_led_to(
    api: Api, make: Any, begin: Any
) -> None:
    await play(api, make, begin, "m1")
    told = await openings(api)
    assert (told["position_id"], told["matches"]) == ("4HPwATDgc/ABMA", 1)
    [roll] = told["rolls"]
    [reply] = roll["replies"]
    assert (roll["dice"], roll["games"], reply["play"]) == ([3, 1], 1, "8/5 6/5")
    assert (reply["over"], reply["won"], reply["points"]) == (1, 1, 1)
    # It won five points in a single game: by whatever the cube was.
    assert reply["points_with_cube"] == 5
    assert reply["position_id"] == AFTER_31
    second = await openings(api, first=31, after=AFTER_31)
    [roll] = second["rolls"]
    assert (roll["dice"], roll["replies"][0]["play"]) == ([6, 4], "24/14")
    # Bo, who answered, has lost it.
    assert (roll["replies"][0]["won"], roll["replies"][0]["points"]) == (0, -1)
    assert roll["replies"][0]["points_with_cube"] == -5
    for nothing in (
        {"first": "65"},
        {"first": 31, "after": AFTER_31, "second": "66"},
        {"player": "Bo"},
        {"player": "An"},
        {"log": "other"},
        {"length": 7},
        {"rule_set": "usbgf-2017-09"},
    ):
        assert (await openings(api, **nothing))["rolls"] == [], nothing
    for something in (
        {"player": "Ann"},
        {"player": "ann"},
        {"length": 5},
        {"rule_set": "common"},
        {"first": "1-3"},
    ):
        assert (await openings(api, **something))["rolls"] == told["rolls"], something
    page = await api.get(f"/explorer?{urlencode({'first': 31, 'after': AFTER_31, 'second': 64})}")
    assert page.status_code == 200
    assert "24/14" in page.text
    assert "8/5 6/5" in page.text


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"first": "77"}, "first"),
        ({"second": "31"}, "after"),
        ({"after": "nonsense"}, "after"),
        ({"after": AFTER_31, "second": "x"}, "second"),
        ({"rule_set": "none-such"}, None),
        ({"length": "-1"}, None),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_named(
    api: Api, asked: dict[str, Any], where: str | None
) -> None:
    answer = await api.get(f"/positions/openings?{urlencode(asked)}")
    assert answer.status_code == 400, answer.text
    assert where is None or answer.json()["where"] == f"query.{where}"
    page = await api.get(f"/explorer?{urlencode(asked)}")
    assert (page.status_code, 'role="alert"' in page.text) == (400, True)


async def test_nothing_is_counted_of_a_match_that_is_played_private_or_under_appeal(
    api: Api, make: Any, begin: Any
) -> None:
    await api.open("live", publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), match="live")
    await play(api, make, begin, "private", public=False)
    # Nor for who may read it: this is what anybody is told.
    for token in (None, api.token(Role.VIEWER), api.archive.grant(Role.ARCHIVIST)[0]):
        assert (await openings(api, token))["matches"] == 0
    await play(api, make, begin, "m1")
    assert (await openings(api))["matches"] == 1
    ruled = make("ruling.made", text="So it stands.")
    await api.append(ruled, match="m1", token=api.director)
    filed = make("appeal.filed", seat="two", target=ruled["entry_id"])
    await api.append(filed, match="m1", token=api.director)
    assert (await openings(api))["matches"] == 0
    refused = make("appeal.refused", appeal=filed["entry_id"])
    await api.append(refused, match="m1", token=api.director)
    assert (await openings(api))["matches"] == 1
    disputed = make("dispute.raised", by="one", frozen_at=ruled["entry_id"], topic="other")
    answer = await api.append(disputed, match="m1", token=api.director)
    assert answer.status_code == 201, answer.text
    assert (await openings(api))["matches"] == 0
    await api.append(make("publication.withheld"), match="m1", token=api.director)
    assert (await openings(api))["matches"] == 0


async def test_behind_the_table_a_match_is_counted_when_all_of_it_may_be_known(
    api: Api, make: Any, begin: Any, clock: Clock
) -> None:
    await play(api, make, begin, "m1", delay_ms=60_000)
    clock.now += 59_000
    assert (await openings(api))["matches"] == 0
    clock.now += 2_000
    assert (await openings(api))["matches"] == 1


async def test_whose_name_is_erased_is_counted_for_nobody(api: Api, make: Any, begin: Any) -> None:
    await play(api, make, begin, "m1")
    assert (await openings(api, player="Ann"))["matches"] == 1
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    answer = await api.post("/erasures", {"name": "Ann", "confirm": "Ann"}, archivist)
    assert answer.status_code in (200, 201), answer.text
    assert (await openings(api, player="Ann"))["matches"] == 0
    assert (await openings(api))["matches"] == 1


def long_game(make: Any, *, doubled: bool = True) -> list[dict[str, Any]]:
    """A game of twelve plays, with a double that is taken and then one that is dropped."""
    seats, entries = ("one", "two"), [make("game.started")]
    plays = [[24, 23], [23, 22], [22, 21], [21, 20], [20, 19], [19, 18]]
    at_ms = 0
    for number in range(12):
        seat, at_ms = seats[number % 2], at_ms + 10_000
        if doubled and number in (4, 7):
            entries.append(make("cube.double_offered", seat=seat, at_ms=at_ms))
            answer = "taken" if number == 4 else "dropped"
            other = seats[(number + 1) % 2]
            entries.append(make(f"cube.double_{answer}", seat=other, at_ms=at_ms + 2_000))
            if answer == "dropped":
                return entries
        entries.append(make("dice.rolled", seat=seat, dice=[2, 1], at_ms=at_ms))
        moves = [plays[number // 2], [6, 4]] if number < 4 else [plays[number // 2]]
        entries.append(make("play.made", seat=seat, moves=moves, at_ms=at_ms + 4_000))
    entries.append(make("game.won", winner="two", points=5, kind="single"))
    return entries


async def player(api: Api, name: str) -> dict[str, Any]:
    answer = await api.get(f"/statistics/player?{urlencode({'name': name})}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_player_is_told_with_record_opponents_cube_and_time(
    api: Api, make: Any, begin: Any
) -> None:
    await api.open("m1", publication={"public": True, "delay_ms": 0}, length=2)
    answer = await api.append(*long_game(make), match="m1")
    assert answer.status_code == 201, answer.text
    await play(api, make, begin, "m2")
    ann, bo = await player(api, "Ann"), await player(api, "Bo")
    assert (ann["matches"], ann["won"], ann["lost"]) == (2, 1, 1)
    assert (bo["matches"], bo["won"], bo["lost"]) == (2, 1, 1)
    assert ann["lengths"] == [
        {"length": 2, "matches": 1, "won": 0, "lost": 1},
        {"length": 5, "matches": 1, "won": 1, "lost": 0},
    ]
    assert ann["opponents"] == [{"name": "Bo", "matches": 2, "won": 1, "lost": 1}]
    assert ann["games"] == {"games": 2, "won": 1, "gammons_won": 0, "gammons_lost": 0}
    # Ann doubled at her third turn and was taken; Bo redoubled, and Ann dropped.
    assert ann["cube"] == {
        "doubles": 1,
        "redoubles": 0,
        "taken": 1,
        "dropped": 0,
        "mean_turn": 3.0,
        "faced": 1,
        "takes": 0,
    }
    assert bo["cube"] == {
        "doubles": 0,
        "redoubles": 1,
        "taken": 0,
        "dropped": 1,
        "mean_turn": None,
        "faced": 1,
        "takes": 1,
    }
    # Ann: four plays of 4 s and a drop of 2 s; the other match has no times.
    assert ann["time"] == {"matches": 1, "decisions": 5, "mean_ms": 3_600, "slowest_ms": 4_000}
    assert ann["skill"] is None
    page = await api.get("/players/Ann")
    assert "from 2 matches" in page.text
    assert "None of these matches has been analysed" in page.text
    assert (await api.get("/statistics/player?name=Nobody")).status_code == 404


async def test_a_match_in_play_adds_nothing_to_a_player_and_erasing_takes_all(
    api: Api, make: Any, begin: Any
) -> None:
    await api.open("live", publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), match="live")
    assert (await player(api, "Ann"))["matches"] == 0
    page = await api.get("/players/Ann")
    assert "No match of this player is over yet" in page.text
    await play(api, make, begin, "m1")
    assert (await player(api, "Bo"))["opponents"][0]["name"] == "Ann"
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    answer = await api.post("/erasures", {"name": "Ann", "confirm": "Ann"}, archivist)
    assert answer.status_code in (200, 201), answer.text
    assert (await api.get("/statistics/player?name=Ann")).status_code == 404
    assert (await player(api, "Bo"))["opponents"] == []
    assert "Ann" not in (await api.get("/players/Bo")).text


async def test_one_match_in_two_records_is_shown_as_one_wherever_both_may_be_seen(
    api: Api, make: Any, begin: Any
) -> None:
    terms = {"public": True, "delay_ms": 0}
    for match in ("m1", "m2"):
        await api.open(match, publication=terms, length=2, event="Open")
        await api.append(*long_game(make, doubled=False), match=match)
    await api.open("secret", publication={"public": False}, length=2)
    await api.append(*long_game(make, doubled=False), match="secret")
    told = await openings(api)
    assert (told["matches"], told["rolls"][0]["games"]) == (1, 1)
    assert (await player(api, "Ann"))["matches"] == 1
    path = f"/matches/{LOG}/"
    feeds = ("/feed.atom", f"/tournaments/{LOG}/feed.atom", "/players/Ann/feed.atom")
    for page in (f"/tournaments/{LOG}", "/", "/players/Ann", "/search?dice=21", *feeds):
        text = (await api.get(page)).text
        assert (path + "m1" in text, path + "m2" in text) == (True, False), page
    assert "1 match<" in (await api.get("/players")).text
    # Each page names the files that may be seen, and nobody learns of another one.
    for match, other in (("m1", "m2"), ("m2", "m1")):
        text = (await api.get(path + match)).text
        assert "in several files" in text
        assert path + other in text
        assert path + "secret" not in text
    assert path + "secret" in (await api.get(path + "m1", api.director)).text
    # The one that represents both is withdrawn: the other one is shown.
    await api.append(make("publication.withheld"), match="m1", token=api.director)
    assert (await openings(api))["matches"] == 1
    for page in (f"/tournaments/{LOG}", "/players/Ann", "/search?dice=21", *feeds):
        text = (await api.get(page)).text
        assert (path + "m1" in text, path + "m2" in text) == (False, True), page
    assert "in several files" not in (await api.get(path + "m2")).text


async def test_who_must_not_know_the_players_is_led_to_no_other_file_of_the_match(
    api: Api, make: Any
) -> None:
    await api.open("blind", length=2, rule_set="biba-2014")
    await api.open("open", length=2, publication={"public": True, "delay_ms": 0})
    for match in ("blind", "open"):
        await api.append(*long_game(make, doubled=False), match=match)
    assert (await api.get("/search?dice=21")).status_code == 200
    for role, is_led in ((Role.COMMITTEE, False), (Role.DIRECTOR, True)):
        page = await api.get(f"/matches/{LOG}/blind", api.token(role))
        assert page.status_code == 200
        assert (f"/matches/{LOG}/open" in page.text) is is_led
    assert "Ann" in (await api.get(f"/matches/{LOG}/open")).text


async def test_names_that_are_joined_are_one_player_until_they_are_split(
    api: Api, make: Any, begin: Any
) -> None:
    await play(api, make, begin, "m1")
    other = {"one": [{"name": "Ann Berg"}], "two": [{"name": "Cy"}]}
    terms = {"public": True, "delay_ms": 0}
    await api.open("m2", publication=terms, players=other, length=2)
    await api.append(*long_game(make), match="m2")
    hidden = {"one": [{"name": "Secret"}], "two": [{"name": "Cy"}]}
    await api.open("m3", publication={"public": False}, players=hidden)
    archivist = api.archive.grant(Role.ARCHIVIST)[0]

    async def said(entry: dict[str, Any], token: str, status: int = 201) -> None:
        answer = await api.post(
            "/logs/archive/events", {"entries": [entry]}, token, **{"If-Match": "*"}
        )
        assert answer.status_code == status, answer.text

    names = ("Ann Berg", "Ann", "Secret")
    joined = make("player.joined", names=[{"name": name} for name in names])
    await said(joined, api.director, 403)
    assert (await player(api, "Ann"))["matches"] == 1
    await said(joined, archivist)
    # No name is in the ledger, and none is shown that is in no public match.
    for row in api.archive.store.read_log("archive"):
        assert not any(name.encode() in row.sealed for name in names)
    for name in ("Ann", "Ann Berg"):
        told = await player(api, name)
        assert (told["name"], told["also"], told["matches"]) == ("Ann Berg", ["Ann"], 2)
        assert "Secret" not in (await api.get(f"/players/{name}")).text
    assert "The same player as" in (await api.get("/players/Ann")).text
    text = (await api.get("/players")).text
    assert ">Ann Berg</a>" in text
    assert ">Ann</a>" not in text
    assert "2 matches" in text
    assert ">Ann Berg</a>" in (await api.get("/players?name=ann")).text.replace("\n", "")
    assert "whose name contains" in (await api.get("/players?name=secr")).text
    assert (await openings(api, player="Ann"))["matches"] == 2
    # The feed of a player is of all their names, whichever it is asked for by.
    for name in ("Ann", "Ann Berg"):
        feed = (await api.get(f"/players/{name}/feed.atom")).text
        assert [match for match in ("m1", "m2", "m3") if f"/{match}<" in feed] == ["m1", "m2"]
    assert (await api.get("/players/Secret/feed.atom")).status_code == 404
    # Nor can somebody who knows a name from elsewhere learn here whose it is.
    later = write_places(1 << 50, "\U0010ffff", 0)
    for nobody in ("Secret", "Nobody at all"):
        text = (await api.get(f"/players/{nobody}", Accept="text/html")).text
        text += (await api.get(f"/players/{nobody}?{urlencode({'cursor': later})}")).text
        assert "Ann" not in text, nobody
        assert (await openings(api, player=nobody))["matches"] == 0, nobody
        assert (await api.get(f"/statistics/player?name={nobody}")).status_code == 404
    await said(make("player.split", target=joined["entry_id"]), archivist)
    assert (await player(api, "Ann"))["also"] == []
    again = make("player.joined", names=[{"name": "Ann Berg"}, {"name": "Ann"}])
    await said(again, archivist)
    # An erased player is joined to nobody.
    answer = await api.post("/erasures", {"name": "Ann Berg", "confirm": "Ann Berg"}, archivist)
    assert answer.status_code in (200, 201), answer.text
    told = await player(api, "Ann")
    assert (told["name"], told["also"], told["matches"]) == ("Ann", [], 1)


async def test_a_player_is_found_in_any_case_and_without_accents_where_one_has_the_name(
    api: Api, make: Any, begin: Any
) -> None:
    """Figures, plays and feed know whom the search and the list of players find."""
    players = {"one": [{"name": "Jos\u00e9 Berg"}], "two": [{"name": "Bo"}]}
    terms = {"public": True, "delay_ms": 0}
    await api.open("m1", publication=terms, players=players, length=2)
    await api.append(*long_game(make), match="m1")
    for asked in ("jose berg", "Jose\u0301 Berg", "JOS\u00c9 BERG", " Jos\u00e9 Berg "):
        assert (await player(api, asked))["name"] == "Jos\u00e9 Berg"
        assert (await openings(api, player=asked))["matches"] == 1
        feed = await api.get(f"/players/{quote(asked)}/feed.atom?lang=de")
        where = "/players/Jos%C3%A9%20Berg/feed.atom?lang=de"
        assert (feed.status_code, feed.headers["Location"]) == (303, where)
    # A part of a name is no name, and of two who are called so none is meant.
    assert (await api.get("/players/jose/feed.atom")).status_code == 404
    twin = {"one": [{"name": "Jose Berg"}], "two": [{"name": "Bo"}]}
    await api.open("m2", publication=terms, players=twin, length=2)
    await api.append(*long_game(make), match="m2")
    assert (await player(api, "Jose Berg"))["matches"] == 1
    assert (await api.get("/players/JOSE%20BERG/feed.atom")).status_code == 404


async def test_what_the_public_does_not_know_yet_does_not_show_by_what_is_missing(
    api: Api, make: Any, begin: Any, clock: Clock
) -> None:
    delay = 60_000
    await play(api, make, begin, "m1", delay_ms=delay)
    film = make("film.attached", file="a" * 64)
    await api.append(film, match="m1", token=api.director)
    clock.now += delay + 1
    doors = (
        *("/positions/openings", "/positions/openings?player=Ann", "/explorer"),
        *("/statistics/player?name=Ann", "/players/Ann", "/players", "/search?player=Ann&text="),
        *(f"/positions/search?text={AFTER_31}", f"/logs/{LOG}/matches/m1/films"),
    )

    async def told() -> dict[str, tuple[int, str | None, bytes]]:
        answers = {door: await api.get(door, Accept="text/html,*/*") for door in doors}
        return {
            door: (one.status_code, one.headers.get("etag"), one.content)
            for door, one in answers.items()
        }

    before = await told()
    assert before[doors[0]][2].count(b'"matches":1') == 1
    assert b"a" * 64 in before[doors[-1]][2]
    raised = make("dispute.raised", by="one")
    ruled = make("ruling.made", dispute=raised["entry_id"])
    for entry in (make("clock.set", kind="none"), raised, ruled):
        answer = await api.append(entry, match="m1", token=api.director)
        assert answer.status_code == 201, answer.text
        assert await told() == before, entry["tag"]
        clock.now += delay // 3
    # The dispute is known, its ruling is not: the match stands still, and is counted no more.
    assert (await openings(api))["matches"] == 1
    clock.now += delay // 3
    assert (await api.get(f"/logs/{LOG}/matches/m1")).json()["awaits_ruling"] is True
    assert (await openings(api))["matches"] == 0
    clock.now += delay
    assert (await openings(api))["matches"] == 1
