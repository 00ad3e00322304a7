"""Rounds by sheet: what each line results in; all of it is opened or nothing, and only once."""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from api.app import create_app
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.catalogue import read
from events.errors import OutcomeUnknown
from events.payloads.access import Role
from events.payloads.match import MatchOpened
from events.payloads.tournament import ByeGiven, PlayerRegistered
from tests.api.routes.conftest import door_behind
from tests.api.routes.tablets import paired

ROUNDS = "/logs/club/rounds"
SHEET = "round,table,player 1,player 2,length\n1,1,Ida Berg,Omar Lund,5\n1,2,Eva Holm,Per Dahl,7\n"


async def looked_at(api: Any, text: str, **more: Any) -> dict[str, Any]:
    answer = await api.post(f"{ROUNDS}/preview", {"text": text, **more}, api.director)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def opened(api: Any, text: str, *, status: int = 201, **more: Any) -> dict[str, Any]:
    body = {"text": text, "request_id": str(uuid.uuid4()), **more}
    answer = await api.post(ROUNDS, body, api.director)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def codes(preview: dict[str, Any]) -> list[tuple[int, str]]:
    lines = [(line["line"], fault["code"]) for line in preview["lines"] for fault in line["faults"]]
    return [(fault["line"], fault["code"]) for fault in preview["faults"]] + lines


def recorded(api: Any, stream: str = "tournament") -> list[Any]:
    return [read(row).payload for row in api.archive.store.read_stream("club", stream)]


async def test_a_sheet_is_read_with_commas_tabs_or_semicolons_in_both_languages(api: Any) -> None:
    sheets = (
        SHEET,
        "1\t1\tIda Berg\tOmar Lund\t5\n1\t2\tEva Holm\tPer Dahl\t7",
        "\ufeffRunde;Tisch;Spieler 1;Spieler 2;Länge\r\n1;1;Ida Berg;Omar Lund;5\r\n"
        '1;2;"Eva  Holm";Per Dahl;7\r\n\r\n',
        "\ufeffsep=;\r\nTisch;Spieler 1;Gegner;Punkte\r\n1;Ida Berg;Omar Lund;5\r\n"
        "2;Eva Holm;Per Dahl;7\r\n",
        "Tisch,Spieler 1,Gegner,Punkte\n1,Ida Berg,Omar Lund,5\n2,Eva Holm,Per Dahl,7 Punkte\n",
    )
    for sheet in sheets:
        told = await looked_at(api, sheet, round="1")
        assert (told["kind"], told["errors"], told["new_players"]) == ("pairings", 0, 4)
        assert [
            (line["table"], line["one"][0]["name"], line["two"][0]["name"], line["length"])
            for line in told["lines"]
        ] == [("1", "Ida Berg", "Omar Lund", 5), ("2", "Eva Holm", "Per Dahl", 7)]
    assert api.size() == 3  # the opening, and the tokens of the director and the scribe


async def test_a_round_opens_its_matches_and_registers_its_players(api: Any) -> None:
    answer = await opened(api, SHEET, called=True)
    assert (len(answer["matches"]), answer["players"], answer["duplicate"]) == (2, 4, False)
    registered = [one for one in recorded(api) if isinstance(one, PlayerRegistered)]
    assert len({one.player for one in registered}) == 4
    first, *called = recorded(api, answer["matches"][0])
    assert isinstance(first, MatchOpened)
    assert first.length == 5
    assert {player.id for side in first.players for player in side} <= {
        one.player for one in registered
    }
    assert [(one.seat.value, one.at_ms) for one in called] == [("one", 0), ("two", 0)]
    assert b"Ida Berg" not in b"".join(row.sealed for row in api.archive.store.read_log("club"))
    [player] = [
        one
        for one in (await api.get("/logs/club/players", api.director)).json()["players"]
        if one["name"] == "Ida Berg"
    ]
    assert (player["matches"], player["penalty_points"]) == (1, 0)
    assert api.faults() == []


async def test_the_same_request_again_changes_nothing(api: Any) -> None:
    await paired(api)
    stands = {"device": "tablet-1", "table": "1"}
    assert (await api.post("/logs/club/tables", stands, api.director)).status_code == 201
    body = {"text": SHEET + "1,,Nils Ek,bye,\n", "request_id": str(uuid.uuid4())}
    first = await api.post(ROUNDS, body, api.director)
    size = api.size()
    again = await api.post(ROUNDS, body, api.director)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["tablets"] == 1
    assert again.json() == {**first.json(), "duplicate": True}
    assert api.size() == size
    # Another request with the same lines would have everybody play twice.
    other = await opened(api, SHEET, status=422)
    assert other["type"] == "/problems/not-ready"
    assert api.size() == size


async def test_of_two_who_open_the_same_round_at_once_one_is_told_of_the_other(api: Any) -> None:
    """Also where everybody is registered, so that nothing but matches is recorded."""
    names = ("Ida Berg", "Omar Lund", "Eva Holm", "Per Dahl")
    await opened(api, "\n".join(["name", *names]), kind="players")
    for number in range(1, 4):
        sheet = SHEET.replace("\n1,", f"\n{number},")
        bodies = [{"text": sheet, "request_id": str(uuid.uuid4())} for _ in range(4)]
        answers = await asyncio.gather(*(api.post(ROUNDS, body, api.director) for body in bodies))
        assert sorted(answer.status_code for answer in answers) == [201, 422, 422, 422]
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    assert {one["name"]: one["matches"] for one in listed} == dict.fromkeys(names, 3)


async def test_a_round_that_is_opened_while_a_name_is_corrected_has_the_name(api: Any) -> None:
    await opened(api, "name\nIda Berg\nOmar Lund\nEva Holm\nPer Dahl\n", kind="players")
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    [player] = [one["player"] for one in listed if one["name"] == "Ida Berg"]
    corrected = {"request_id": str(uuid.uuid4()), "name": "Ida Bergh"}
    sheet = {"text": SHEET, "request_id": str(uuid.uuid4())}
    opening = asyncio.create_task(api.post(ROUNDS, sheet, api.director))
    while not door_behind(api.http).at_players.locked():
        await asyncio.sleep(0)
    name = await api.post(f"/logs/club/players/{player}", corrected, api.director)
    round_ = await opening
    assert (round_.status_code, name.status_code) == (201, 201)
    [match, *_] = round_.json()["matches"]
    opened_as = (await api.get(f"/logs/club/matches/{match}/opening", api.director)).json()
    assert opened_as["players"]["one"] == ["Ida Bergh"]


async def test_one_wrong_line_keeps_all_of_them_out_and_names_what_is_wrong(api: Any) -> None:
    size = api.size()
    sheet = (
        "round,table,player 1,player 2,length\n"
        "1,1,Ida Berg,Omar Lund,5\n"
        "1,1,Eva Holm,Per Dahl,0\n"
        "1,3,Ida Berg,,5\n"
        "1,4,Nils Ek,Nils Ek,five\n"
    )
    refused = await opened(api, sheet, status=422)
    told = {(line["line"], fault["code"]) for line in refused["lines"] for fault in line["faults"]}
    assert told == {
        (3, "bad_length"),
        (3, "table_twice"),
        (4, "no_opponent"),
        (4, "paired_twice"),
        (5, "bad_length"),
        (5, "against_self"),
    }
    assert api.size() == size


async def test_two_of_one_name_are_asked_about_and_never_guessed(api: Any) -> None:
    players = "name,club,id\nJan Vik,Oslo,11\nJan Vik,Bergen,12\nEva Holm,,\n"
    assert (await looked_at(api, players))["errors"] == 0
    await opened(api, players)
    sheet = "1,1,Jan Vik,Eva Holm,5"
    told = await looked_at(api, sheet)
    assert codes(told) == [(1, "which_player")]
    [person] = told["lines"][0]["one"]
    assert [one["club"] for one in person["candidates"]] == ["Oslo", "Bergen"]
    bergen = person["candidates"][1]["player"]
    answered = await looked_at(api, sheet, answers={person["key"]: bergen})
    assert (answered["errors"], answered["lines"][0]["one"][0]["player"]) == (0, bergen)
    # Who is typed with the club is not asked about.
    assert codes(await looked_at(api, "1,1,Jan Vik (bergen),Eva Holm,5")) == []
    # Without numbers two lines of one name are a slip, until somebody says otherwise.
    twice = "name\nKai Moe\nKai Moe\n"
    told = await looked_at(api, twice)
    assert codes(told) == [(3, "listed_twice")]
    # Two lists put together may each have their own order of names.
    told = await looked_at(api, "Name;Club\nMoe, Kai;Oslo\nKai Moe;Oslo\nKai Moen;Oslo\n")
    assert codes(told) == [(3, "listed_twice")]
    key = told["lines"][1]["one"][0]["key"]
    assert (await looked_at(api, twice, answers={key: "new"}))["new_players"] == 2


async def test_whose_registered_name_looks_like_a_team_is_paired_by_that_name(api: Any) -> None:
    await opened(api, "name\nAnna Alt / Bert Bahr\nOmar Lund\n")
    told = await looked_at(api, "1,1,Anna Alt / Bert Bahr,Omar Lund,5")
    assert (told["new_players"], len(told["lines"][0]["one"])) == (0, 1)
    told = await looked_at(api, "1,1,Anna Alt / Bert Bohr,Omar Lund / Eva Holm,5")
    assert (told["new_players"], len(told["lines"][0]["one"])) == (3, 2)


async def test_who_is_registered_is_not_registered_again(api: Any) -> None:
    await opened(api, "name\nIda Berg\nOmar Lund\n")
    told = await looked_at(api, "name\nida  BERG\nEva Holm\n")
    assert (codes(told), told["errors"], told["new_players"]) == ([(2, "registered")], 0, 1)
    answer = await opened(api, SHEET)
    assert answer["players"] == 2
    slip = await looked_at(api, "2,1,Ida Borg,Omar Lund,5")
    assert (1, "similar") in codes(slip)
    assert slip["errors"] == 0


async def test_a_name_is_known_again_without_its_accents_and_turned_round(api: Any) -> None:
    await opened(api, "name\nJosé Álvarez\nSøren Kjær\nTom O'Neil\nJürgen Groß\n")
    sheet = 'Jose Alvarez;"Kjær, Søren"\nTom O’Neil;Juergen Gross\n'
    told = await looked_at(api, sheet, round="1", length=5)
    near = [
        (line["line"], person["name"], one["name"])
        for line in told["lines"]
        for person in line["one"] + line["two"]
        for one in person["candidates"]
    ]
    assert near == [
        (1, "Jose Alvarez", "José Álvarez"),
        (1, "Kjær, Søren", "Søren Kjær"),
        (2, "Tom O’Neil", "Tom O'Neil"),
        (2, "Juergen Gross", "Jürgen Groß"),
    ]
    # Nor does a list register somebody again silently.
    assert codes(await looked_at(api, "Jose Alvarez\nEva Holm\n")) == [(1, "similar")]


async def test_who_is_called_otherwise_by_now_is_known_by_the_name_before(api: Any) -> None:
    """The program that makes the draw went on with it, and each round registered somebody new."""
    await opened(api, "name\nIda Berg\nOmar Lund\n")
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    [player] = [one["player"] for one in listed if one["name"] == "Ida Berg"]
    corrected = {"request_id": str(uuid.uuid4()), "name": "Edith Steen"}
    assert (await api.post(f"/logs/club/players/{player}", corrected, api.director)).is_success
    told = await looked_at(api, "ida berg,Omar Lund", round="1", length=5)
    assert codes(told) == [(1, "similar")]
    [person] = told["lines"][0]["one"]
    assert [one["name"] for one in person["candidates"]] == ["Edith Steen"]


async def test_pairings_are_read_as_people_write_them_to_each_other(api: Any) -> None:
    for sheet in (
        "Ida Berg - Omar Lund\nEva Holm – Per Dahl\n",
        "Ida Berg vs. Omar Lund\n\nEva Holm gegen Per Dahl",
    ):
        told = await looked_at(api, sheet, round="1", length=5)
        assert (told["kind"], told["errors"]) == ("pairings", 0)
        assert [[line["one"][0]["name"], line["two"][0]["name"]] for line in told["lines"]] == [
            ["Ida Berg", "Omar Lund"],
            ["Eva Holm", "Per Dahl"],
        ]
    # In a list of players a hyphen is part of a name.
    assert (await looked_at(api, "Anna - Lena Graf\nEva Holm\n"))["kind"] == "players"


async def test_a_list_with_ratings_and_no_heading_opens_no_match(api: Any) -> None:
    told = await looked_at(api, "Ida Berg\t1850\tDE\nOmar Lund\t1720\tDK\n", length=5)
    assert [one for one in codes(told) if one[1] == "number"] == [(1, "number"), (2, "number")]
    assert told["errors"] == 2


async def test_doubles_teams_are_two_a_side(api: Any) -> None:
    sheet = (
        "round;table;player 1;partner 1;player 2;length\n"
        "1;1;Ida Berg;Eva Holm;Omar Lund / Per Dahl;5\n"
        "1;2;Nils Ek;;Kai Moe & Jan Vik;5\n"
    )
    told = await looked_at(api, sheet)
    assert [len(told["lines"][0][side]) for side in ("one", "two")] == [2, 2]
    assert codes(told) == [(3, "uneven_teams")]
    answer = await opened(api, sheet.rsplit("1;2", 1)[0])
    [match] = answer["matches"]
    [row] = (await api.get("/logs/club/room", api.director)).json()["tables"]
    assert (row["match_id"], row["names"]["one"]) == (match, "Ida Berg / Eva Holm")


async def test_lines_without_a_table_get_one_that_is_free(api: Any) -> None:
    told = await looked_at(api, "player 1,player 2\nA A,B B\nC C,D D", round="1", length=5)
    assert [(line["table"], line["is_table_filled"]) for line in told["lines"]] == [
        ("1", True),
        ("2", True),
    ]
    await opened(api, "player 1,player 2,table\nA A,B B,1\n", round="1", length=5)
    told = await looked_at(api, "player 1,player 2\nC C,D D", round="1", length=5)
    assert told["lines"][0]["table"] == "2"


async def test_a_bye_is_said_and_a_player_with_one_is_not_paired(api: Any) -> None:
    answer = await opened(api, "round,player 1,player 2\n1,Ida Berg,Freilos\n")
    assert len(answer["byes"]) == 1
    [bye] = [one for one in recorded(api) if isinstance(one, ByeGiven)]
    assert len(bye.players) == 1
    told = await looked_at(api, SHEET)
    assert (2, "has_bye") in codes(told)
    listed = (await api.get("/logs/club/players", api.director)).json()
    assert [(one["round"], one["names"]) for one in listed["byes"]] == [("1", ["Ida Berg"])]


async def test_names_may_hold_anything_that_can_be_shown(api: Any) -> None:
    names = ("=HYPERLINK(1)", "<b>Bo", "O'Brien, Pat", "Åsa 🎲", "{name}")
    lines = "".join(f'1,{at},"{name}",Rival {at},5\n' for at, name in enumerate(names, 1))
    told = await looked_at(api, lines)
    assert told["errors"] == 0
    assert tuple(line["one"][0]["name"] for line in told["lines"]) == names
    bad = await looked_at(api, f"1,1,A\x07B,{'x' * 200},5")
    assert codes(bad)[0] == (1, "bad_text")
    crowded = await looked_at(api, "round,table,player 1,player 2,length\n1,1,Berg, Ida,Omar,5")
    assert (2, "too_many_cells") in codes(crowded)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "sheet_empty"),
        (" \n\t\n", "sheet_empty"),
        ("name\n", "sheet_empty"),
        ("table,player 1\n1,Ida", "sheet_no_names"),
        ("player 1,player 1,player 2\nA,B,C", "sheet_twice_named"),
        ("\n".join(f"Player {at}" for at in range(1_200)), "sheet_too_many"),
    ],
)
async def test_a_sheet_that_says_nothing_is_told_so(api: Any, text: str, code: str) -> None:
    told = await looked_at(api, text)
    assert code in [one for _, one in codes(told)]
    assert told["errors"] > 0
    assert (await opened(api, text, status=422))["type"] == "/problems/not-ready"


async def test_only_who_directs_sees_or_opens_a_round(api: Any) -> None:
    body = {"text": SHEET, "request_id": str(uuid.uuid4())}
    for token, status in ((api.scribe, 403), (None, 401), (api.token(Role.VIEWER), 403)):
        assert (await api.post(ROUNDS, body, token)).status_code == status
        shown = await api.post(f"{ROUNDS}/preview", {"text": SHEET}, token)
        assert shown.status_code == status
        assert (await api.get("/logs/club/players", token)).status_code == status
    too_long = {"text": "x" * 200_001}
    assert (await api.post(f"{ROUNDS}/preview", too_long, api.director)).status_code == 422
    nowhere = await api.post("/logs/nowhere/rounds/preview", {"text": SHEET}, api.director)
    assert nowhere.status_code in (403, 404)


async def test_a_time_of_day_is_one_in_the_hall(api: Any) -> None:
    sheet = "player 1,player 2,start\nA A,B B,14:30\nC C,D D,25:99\n"
    told = await looked_at(api, sheet, round="1", length=5, day="2026-11-22", offset_minutes=60)
    assert told["lines"][0]["start"] == "2026-11-22T13:30:00Z"
    assert codes(told) == [(3, "bad_start")]


async def test_the_rules_that_the_tournament_declared_are_those_of_its_matches(
    api: Any, make: Any
) -> None:
    declared = make("tournament.rules_declared", rule_set="usbgf-2017-07")
    answer = await api.http.post(
        "/logs/club/events",
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
        json={"entries": [declared]},
    )
    assert answer.status_code == 201, answer.text
    made = await opened(api, SHEET)
    first = recorded(api, made["matches"][0])[0]
    assert first.rule_set == "usbgf-2017-07"


async def test_a_round_survives_a_server_that_starts_anew(api: Any, archive: Archive) -> None:
    made = await opened(api, SHEET)
    index = MatchIndex(archive.store, archive.reading)
    fresh = create_app(archive, Settings(db=archive.url), index=index)
    known = fresh.state.door.rosters.of("club")
    index.close()
    assert len(known.players) == 4
    assert len(made["matches"]) == 2


async def test_who_is_called_comes_or_does_not_is_one_click_each(api: Any, clock: Any) -> None:
    first, second = (await opened(api, SHEET))["matches"]
    path = "/logs/club/attendance"
    clock.now += 60_000
    body = {
        "request_id": str(uuid.uuid4()),
        "acts": [{"match": match, "act": "called"} for match in (first, second)],
    }
    assert (await api.post(path, body, api.director)).json() == {"recorded": 4}
    clock.now += 9 * 60_000
    assert (await api.post(path, body, api.director)).json() == {"recorded": 0}
    other = {**body, "request_id": str(uuid.uuid4())}
    assert (await api.post(path, other, api.director)).json() == {"recorded": 0}
    rows = (await api.get("/logs/club/room", api.director)).json()["tables"]
    assert [row["called"] for row in rows] == [["one", "two"], ["one", "two"]]
    acts = [
        {"match": first, "act": "arrived", "seat": "one"},
        {"match": second, "act": "no_show", "seat": "two"},
    ]
    done = {"request_id": str(uuid.uuid4()), "acts": acts}
    assert (await api.post(path, done, api.director)).json() == {"recorded": 2}
    # The click came nine minutes after the call; when the player came nobody has said.
    assert [one.at_ms for one in recorded(api, first)[1:]] == [60_000, 60_000, None]
    rows = {
        row["match_id"]: row
        for row in (await api.get("/logs/club/room", api.director)).json()["tables"]
    }
    assert (rows[first]["called"], rows[second]["state"]) == (["two"], "ended")
    results = (await api.get("/logs/club/room", api.director)).json()["results"]
    assert [(one["match_id"], one["winner"], one["by"]) for one in results] == [
        (second, "one", "forfeit")
    ]
    both = {"request_id": str(uuid.uuid4()), "acts": [{"match": first, "act": "no_show"}]}
    assert (await api.post(path, both, api.director)).status_code == 422
    assert (await api.post(path, done, api.scribe)).status_code == 403


async def attended(api: Any, match: str, act: str, seat: str) -> None:
    acts = [{"match": match, "act": act, "seat": seat}]
    body = {"request_id": str(uuid.uuid4()), "acts": acts}
    answer = await api.post("/logs/club/attendance", body, api.director)
    assert answer.status_code == 201, answer.text


async def test_what_two_directors_say_of_a_player_at_once_is_said_once(api: Any) -> None:
    """Taking it back would leave the other one: the match stayed lost."""
    match, _ = (await opened(api, SHEET))["matches"]
    for act, count in (("called", 2), ("no_show", 1)):
        seat = {"seat": "two"} if act == "no_show" else {}
        acts = [{"match": match, "act": act, **seat}]
        bodies = [{"request_id": str(uuid.uuid4()), "acts": acts} for _ in range(3)]
        answers = await asyncio.gather(
            *(api.post("/logs/club/attendance", body, api.director) for body in bodies)
        )
        assert sorted(answer.json()["recorded"] for answer in answers) == [0, 0, count]
    [row] = [
        one
        for one in (await api.get("/logs/club/room", api.director)).json()["tables"]
        if one["match_id"] == match
    ]
    retracted = {"tag": "entry.retracted", "body": {"target": row["no_show"]["entry_id"]}}
    entry = {"entry_id": str(uuid.uuid4()), **retracted}
    await api.append(entry, match=match, token=api.director)
    opening = (await api.get("/logs/club/room", api.director)).json()["tables"]
    assert {one["state"] for one in opening} == {"waiting"}
    # It can be said again then.
    await attended(api, match, "no_show", "two")


async def test_who_is_here_is_not_charged_for_a_late_click_and_who_comes_late_is(
    api: Any, clock: Any, make: Any
) -> None:
    sheet = SHEET.replace("length\n", "length,start\n").replace(",5\n", ",5,14:30\n")
    sheet = sheet.replace(",7\n", ",7,14:30\n")
    declared = make("tournament.rules_declared", rule_set="usbgf-2017-07")
    await api.http.post(
        "/logs/club/events",
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
        json={"entries": [declared]},
    )
    start = (clock.now // 86_400_000 + 1) * 86_400_000 + (14 * 60 + 30) * 60_000
    day = datetime.fromtimestamp(start / 1000, UTC).date().isoformat()
    first, second = (await opened(api, sheet, day=day))["matches"]
    clock.now = start + 20 * 60_000
    await attended(api, first, "arrived", "one")
    await attended(api, second, "arrived_late", "one")
    told = {match: recorded(api, match)[-1] for match in (first, second)}
    assert {one.seat.value for one in told.values()} == {"one"}
    assert [told[first].at_ms, told[second].at_ms] == [None, 20 * 60_000]
    rows = {
        row["match_id"]: row
        for row in (await api.get("/logs/club/room", api.director)).json()["tables"]
    }
    assert [rows[match]["late"]["missing"] for match in (first, second)] == [["two"], ["two"]]
    assert [rows[match]["missing"] for match in (first, second)] == [["two"], ["two"]]
    reading = api.archive.reading
    judged = {
        match: [finding.code for finding in reading.live("club", match).replay.findings]
        for match in (first, second)
    }
    assert judged[first] == []
    assert judged[second] != []


async def test_a_no_show_is_taken_back_where_it_stands(api: Any, make: Any) -> None:
    first, _ = (await opened(api, SHEET, called=True))["matches"]

    async def row() -> dict[str, Any]:
        tables = (await api.get("/logs/club/room", api.director)).json()["tables"]
        return dict(next(one for one in tables if one["match_id"] == first))

    assert (await row())["no_show"] is None
    await attended(api, first, "no_show", "two")
    told = (await row())["no_show"]
    assert told["seat"] == "two"
    back = make("entry.retracted", target=told["entry_id"])
    assert (await api.append(back, match=first, token=api.director)).status_code == 201
    assert ((await row())["state"], (await row())["no_show"]) == ("waiting", None)
    # Who does not come after all is called out once more.
    await attended(api, first, "no_show", "two")
    assert (await row())["no_show"]["entry_id"] != told["entry_id"]


async def test_penalty_points_are_summed_over_all_matches_of_a_player(api: Any, make: Any) -> None:
    first, second = (await opened(api, SHEET))["matches"]
    for match, seat, points in ((first, "one", 1), (second, "two", 2)):
        one = make("penalty.assessed", seat=seat, points=points, ground="conduct")
        assert (await api.append(one, match=match, token=api.director)).status_code == 201
    over = [make("forfeit.declared", seat="two", ground="late_start") for _ in range(2)]
    for match, ended in zip((first, second), over, strict=True):
        await api.append(ended, match=match, token=api.director)
    again = "round,table,player 1,player 2,length\n2,1,Per Dahl,Ida Berg,5\n"
    told = await looked_at(api, again)
    [line] = told["lines"]
    assert [line[seat][0]["penalty_points"] for seat in ("one", "two")] == [2, 1]
    [third] = (await opened(api, again))["matches"]
    more = make("penalty.assessed", seat="one", points=1, ground="conduct")
    await api.append(more, match=third, token=api.director)
    rows = (await api.get("/logs/club/room", api.director)).json()["tables"]
    [row] = [row for row in rows if row["match_id"] == third]
    assert (row["penalties"], row["tally"]) == ({"one": 1, "two": 0}, {"one": 3, "two": 1})
    players = (await api.get("/logs/club/players", api.director)).json()["players"]
    assert {one["name"]: (one["penalty_points"], one["matches"]) for one in players} == {
        "Ida Berg": (1, 2),
        "Omar Lund": (0, 1),
        "Eva Holm": (0, 1),
        "Per Dahl": (3, 2),
    }
    # Waived points count nowhere.
    waived = make("penalty.waived", target=more["entry_id"])
    await api.append(waived, match=third, token=api.director)
    players = (await api.get("/logs/club/players", api.director)).json()["players"]
    assert {one["name"]: one["penalty_points"] for one in players}["Per Dahl"] == 2


async def test_players_are_listed_in_the_order_in_which_people_read(api: Any) -> None:
    await opened(api, "name\nTeam 10\nTeam 9\nÅse Vik\nada Lund\n")
    players = (await api.get("/logs/club/players", api.director)).json()["players"]
    names = [one["name"] for one in players]
    assert names.index("Team 9") < names.index("Team 10")
    assert names.index("ada Lund") < names.index("Team 9")


async def renamed(api: Any, player: str, name: str, *, status: int = 201, **more: Any) -> Any:
    body = {"request_id": str(uuid.uuid4()), "name": name, **more}
    answer = await api.post(f"/logs/club/players/{player}", body, api.director)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_who_was_registered_by_mistake_is_taken_off_the_list_with_their_bye(
    api: Any, make: Any
) -> None:
    await opened(api, "Ida Berg\nOmar Lund\nNils Ek\n", kind="players")

    async def said(entry: dict[str, Any], token: str, status: int = 201) -> None:
        answer = await api.post("/logs/club/events", {"entries": [entry]}, token, If_Match="*")
        assert answer.status_code == status, answer.text

    async def listed() -> tuple[dict[str, str], list[list[str]]]:
        told = (await api.get("/logs/club/players", api.director)).json()
        players = {row["name"]: row["player"] for row in told["players"]}
        return players, [bye["players"] for bye in told["byes"]]

    everybody, _ = await listed()
    ida, nils = everybody["Ida Berg"], everybody["Nils Ek"]
    for byes in ([nils], [nils, ida]):
        await said(make("bye.given", players=byes, round="1"), api.director)
    gone = make("player.unregistered", player=nils, reason="he is the caterer")
    await said(gone, api.scribe, 403)
    await said(gone, api.director)
    players, byes = await listed()
    assert ([*players], byes) == (["Ida Berg", "Omar Lund"], [[nils, ida]])
    results = (await api.get("/logs/club/results.json", api.director)).json()["results"]
    assert [row["players"]["one"] for row in results] == [["Ida Berg"]]
    assert (await looked_at(api, "Nils Ek\n", kind="players"))["new_players"] == 1
    rename = {"request_id": str(uuid.uuid4()), "name": "Nils Eek"}
    assert (await api.post(f"/logs/club/players/{nils}", rename, api.director)).status_code == 404
    # Registered again, it is the same player.
    await said(make("player.registered", player=nils, name="Nils Ek"), api.director)
    assert (await listed())[0] == everybody


async def test_a_name_that_is_corrected_is_said_anew_in_all_matches_of_the_player(
    api: Any, make: Any
) -> None:
    first, second = (await opened(api, SHEET))["matches"]
    await api.append(
        make("forfeit.declared", seat="two", ground="late_start"),
        make("penalty.assessed", seat="one", points=1, ground="conduct"),
        match=first,
        token=api.director,
    )
    [third] = (await opened(api, "2,1,Ida Berg,Eva Holm,5\n", round="2"))["matches"]
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    ida = next(one["player"] for one in listed if one["name"] == "Ida Berg")
    told = await renamed(api, ida, " Ida  Bergh ", request_id=(asked := str(uuid.uuid4())))
    assert (told["name"], sorted(told["matches"])) == ("Ida Bergh", sorted([first, third]))
    again = await renamed(api, ida, "Ida Bergh", status=200, request_id=asked)
    assert again == {**told, "matches": again["matches"], "duplicate": True}
    assert sorted(again["matches"]) == sorted(told["matches"])
    size = api.size()
    assert (await renamed(api, ida, "Ida Bergh", status=200))["matches"] == []
    assert api.size() == size
    rows = (await api.get("/logs/club/room", api.director)).json()["tables"]
    names = {row["match_id"]: row["names"]["one"] for row in rows}
    assert names == {first: "Ida Bergh", second: "Eva Holm", third: "Ida Bergh"}
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    [known] = [one for one in listed if one["player"] == ida]
    # Who it is stays: the matches and the points go with the player, and not with the name.
    assert (known["name"], known["matches"], known["penalty_points"]) == ("Ida Bergh", 2, 1)
    sheet = (await api.get("/logs/club/results.csv", api.director)).text
    assert "Ida Bergh" in sheet
    assert "Ida Berg," not in sheet
    assert [type(one).__name__ for one in recorded(api)].count("PlayerRegistered") == 5
    assert api.faults() == []


async def test_a_match_that_is_restored_has_a_name_that_was_corrected_meanwhile(
    api: Any, make: Any
) -> None:
    first, _ = (await opened(api, SHEET))["matches"]
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    ida = next(one["player"] for one in listed if one["name"] == "Ida Berg")
    cancelled = make("match.cancelled")
    await api.append(cancelled, match=first, token=api.director)
    await renamed(api, ida, "Ida Bergh")
    back = make("entry.retracted", target=cancelled["entry_id"])
    await api.append(back, match=first, token=api.director)
    rows = (await api.get("/logs/club/room", api.director)).json()["tables"]
    assert "Ida Bergh" in [row["names"]["one"] for row in rows]


async def test_a_name_that_is_corrected_is_said_anew_beside_the_match_too(api: Any) -> None:
    """The second scribe's tablet, and what a committee is shown of it, went on with the old one."""
    match, _ = (await opened(api, SHEET))["matches"]
    await paired(api, "tablet-2")
    body = {"match": match, "device": "tablet-2"}
    beside = (await api.post("/logs/club/shadows", body, api.director)).json()["match_id"]
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    [ida] = [one["player"] for one in listed if one["name"] == "Ida Berg"]
    told = await renamed(api, ida, "Ida Bergh", request_id=(asked := str(uuid.uuid4())))
    assert told["matches"] == [match]
    for stream in (match, beside):
        opening = (await api.get(f"/logs/club/matches/{stream}/opening", api.director)).json()
        assert opening["players"]["one"] == ["Ida Bergh"]
    again = await renamed(api, ida, "Ida Bergh", status=200, request_id=asked)
    assert again == {**told, "duplicate": True}


@pytest.mark.parametrize(
    "name", ["\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "Ann \U0001f469\u200d\U0001f680"]
)
async def test_a_name_is_corrected_to_one_whose_letters_are_joined(api: Any, name: str) -> None:
    await opened(api, SHEET)
    player = (await api.get("/logs/club/players", api.director)).json()["players"][0]["player"]
    await renamed(api, player, name)
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    assert name in [one["name"] for one in listed]


@pytest.mark.parametrize("name", ["", "  ", "a\u0007b", "\u202eABC"])
async def test_a_name_that_cannot_be_shown_is_no_correction(api: Any, name: str) -> None:
    await opened(api, SHEET)
    player = (await api.get("/logs/club/players", api.director)).json()["players"][0]["player"]
    size = api.size()
    refused = await renamed(api, player, name, status=422)
    assert refused["type"] == "/problems/bad-input"
    assert api.size() == size


async def test_only_who_directs_corrects_a_name_and_only_of_somebody_registered(api: Any) -> None:
    await opened(api, SHEET)
    assert (await renamed(api, "p-nobody", "Ann", status=404))["type"] == "/problems/no-such-player"
    player = (await api.get("/logs/club/players", api.director)).json()["players"][0]["player"]
    body = {"request_id": str(uuid.uuid4()), "name": "Ann"}
    path = f"/logs/club/players/{player}"
    assert (await api.post(path, body, api.scribe)).status_code == 403
    assert (await api.post(path, body)).status_code == 401


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_a_round_whose_commit_seemed_to_fail_stands_and_others_follow(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(api, "name\nEva Holm\nPer Dahl\n", kind="players")
    store = api.archive.store
    commit = store._commit

    def stands_but_fails(db: Any) -> None:
        commit(db)
        raise OutcomeUnknown("the flush reported an error")

    body = {"text": SHEET, "request_id": str(uuid.uuid4())}
    monkeypatch.setattr(store, "_commit", stands_but_fails)
    assert (await api.post(ROUNDS, body, api.director)).status_code == 503
    monkeypatch.undo()
    listed = (await api.get("/logs/club/players", api.director)).json()["players"]
    assert [one["name"] for one in listed] == ["Eva Holm", "Ida Berg", "Omar Lund", "Per Dahl"]
    told = await looked_at(api, SHEET.replace("\n1,", "\n2,"))
    assert told["new_players"] == 0
    again = await api.post(ROUNDS, body, api.director)
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    assert len((await opened(api, SHEET.replace("\n1,", "\n2,")))["matches"]) == 2
