"""A tournament over HTTP: opened at once, described again, its defaults, cancelled matches."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from events.envelope import ARCHIVE_LOG
from events.payloads.access import Role
from tests.api.routes.conftest import door_behind
from tests.api.routes.tablets import paired

TERMS = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
WHOLE = {
    "title": "Kölner Herbst 2026",
    "organiser": "Ida Berg",
    "place": "Bürgerhaus",
    "starts_on": "2026-10-02",
    "ends_on": "2026-10-04",
    "rules": {"rule_set": "biba-2014", "options": {"rated": {"value": True}}},
    "defaults": {"length": 7, "clock_terms": TERMS, "publication": {"public": True, "delay_ms": 0}},
}


@pytest.fixture
def operator(api: Any) -> str:
    return str(api.token(Role.ARCHIVIST, log=ARCHIVE_LOG))


def said(tag: str, **body: Any) -> dict[str, Any]:
    return {"entry_id": str(uuid.uuid4()), "tag": tag, "body": body}


def amended(opened: Any, body: dict[str, Any]) -> dict[str, Any]:
    """An opening put right, by the answer that it was given."""
    about = {"target": opened.json()["entry_id"], "tag": "match.opened"}
    return {**said("entry.amended"), "body": {**about, "body": body}}


async def record(api: Any, path: str, token: str, *entries: dict[str, Any]) -> Any:
    return await api.post(path, {"entries": list(entries)}, token, **{"If-Match": "*"})


async def test_a_tournament_is_opened_whole_under_an_id_that_tells_nothing(
    api: Any, operator: str
) -> None:
    answer = await api.post("/logs", WHOLE, operator)
    assert answer.status_code == 201, answer.text
    log_id = answer.json()["log_id"]
    assert uuid.UUID(log_id).version == 4
    assert answer.headers["location"] == f"/logs/{log_id}"
    told = answer.json()["tournament"]
    for name in ("title", "organiser", "place", "starts_on", "ends_on"):
        assert told[name] == WHOLE[name]
    assert told["defaults"] == {
        "length": 7,
        "rule_set": "biba-2014",
        "options": {"rated": {"value": True}},
        "clock_terms": TERMS,
        "publication": {"public": True, "delay_ms": 0},
    }
    again = await api.post("/logs", {"title": "Kölner Herbst 2026"}, operator)
    assert again.json()["log_id"] != log_id
    own = {"title": "棋", "log_id": "nordic-open-2026"}
    assert (await api.post("/logs", own, operator)).json()["log_id"] == "nordic-open-2026"


async def test_an_opening_that_lets_anybody_follow_is_put_right_as_it_was_recorded_once(
    api: Any,
) -> None:
    opened = await api.open(publication={"public": True, "delay_ms": 0})
    body = {"players": {"one": [{"name": "Adele"}], "two": []}, "publication": {"public": True}}
    right = amended(opened, body)
    answer = await record(api, "/logs/club/matches/m1/events", api.director, right)
    assert answer.status_code == 201, answer.text
    assert (await api.get("/logs/club/matches/m1")).status_code == 200


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"starts_on": "4 May"}, "$.starts_on"),
        ({"rules": {"rule_set": "No such id"}}, None),
        ({"defaults": {"length": 0}}, None),
        ({"title": " "}, "$.title"),
        ({"ends_on": "20261004"}, "$.ends_on"),
    ],
)
async def test_a_tournament_that_cannot_be_recorded_leaves_no_log(
    api: Any, operator: str, wrong: dict[str, Any], where: str | None
) -> None:
    answer = await api.post("/logs", {**WHOLE, "log_id": "cup", **wrong}, operator)
    assert answer.status_code in (400, 422), answer.text
    assert where is None or answer.json()["where"] == where
    assert (await api.get("/logs/cup", operator)).status_code == 404


async def test_only_an_archivist_of_the_archive_opens_tournaments(api: Any) -> None:
    assert (await api.post("/logs", WHOLE, api.director)).status_code == 403
    own = api.token(Role.ARCHIVIST)
    assert (await api.post("/logs", WHOLE, own)).status_code == 403


async def test_a_tournament_is_described_anew_by_an_entry(api: Any) -> None:
    entry = said("tournament.described", title="Club Masters", place="Town hall")
    assert (await record(api, "/logs/club/events", api.director, entry)).status_code == 201
    log = (await api.get("/logs/club", api.director)).json()
    assert (log["title"], log["tournament"]["place"]) == ("Club Masters", "Town hall")
    room = (await api.get("/logs/club/room", api.director)).json()
    assert (room["title"], room["tournament"]) == ("Club Masters", log["tournament"])
    # The index, which pages use, has it as well; the first entry is unchanged.
    page = await api.get("/tournaments/club", api.director, Accept="text/html")
    assert "Club Masters" in page.text
    first = (await api.get("/logs/club/events", api.director)).json()["entries"][0]
    assert first["body"] == {"title": "Club night"}


async def test_strangers_are_not_told_where_a_tournament_is_held(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    entry = said("tournament.described", title="Club Masters", place="Town hall")
    await record(api, "/logs/club/events", api.director, entry)
    answer = (await api.get("/logs/club")).json()
    assert (answer["title"], answer["tournament"]) == ("Club Masters", None)


async def test_a_cancelled_match_is_nobodys_to_follow_until_it_is_restored(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    path = "/logs/club/matches/m1"
    assert (await api.get(path)).status_code == 200
    cancelled = said("match.cancelled", reason="opened twice")
    refused = await record(api, f"{path}/events", api.scribe, cancelled)
    assert refused.status_code == 403
    assert (await record(api, f"{path}/events", api.director, cancelled)).status_code == 201
    assert (await api.get(path)).status_code == 401
    assert (await api.get("/logs/club/matches")).json()["matches"] == []
    [line] = (await api.get("/logs/club/matches", api.director)).json()["matches"]
    assert line["state"] == "cancelled"
    assert (await api.get("/logs/club/room", api.director)).json()["tables"] == []
    on = await record(api, f"{path}/events", api.scribe, said("game.started"))
    assert on.status_code == 409
    assert "cancelled" in on.json()["detail"]
    back = said("entry.retracted", target=cancelled["entry_id"], reason="it was meant after all")
    assert (await record(api, f"{path}/events", api.scribe, back)).status_code == 403
    assert (await record(api, f"{path}/events", api.director, back)).status_code == 201
    assert (await api.get(path)).status_code == 200
    assert (await record(api, f"{path}/events", api.scribe, said("game.started"))).is_success


async def opening(api: Any, token: str | None = None) -> dict[str, Any]:
    answer = await api.get("/logs/club/matches/m1/opening", token or api.director)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def edit(api: Any, token: str | None = None, **changes: Any) -> Any:
    body = {"changes": changes, "reason": "written wrong"}
    return await api.post("/logs/club/matches/m1/opening", body, token or api.director)


async def test_a_match_is_edited_by_an_entry_and_the_original_stays(api: Any) -> None:
    await api.open(
        table="4", round="2", clock_terms=TERMS, publication={"public": True, "delay_ms": 0}
    )
    before = (await api.get("/logs/club/matches/m1/events", api.director)).json()["entries"]
    names = {"one": ["Anna"], "two": ["Bo"]}
    assert (await edit(api, players=names, length=7, table="9", round=None)).status_code == 201
    now = await opening(api)
    assert (now["players"], now["length"], now["table"]) == (names, 7, "9")
    assert (now["round"], now["clock_terms"], now["is_public"]) == (None, TERMS, True)
    [line] = (await api.get("/logs/club/matches", api.director)).json()["matches"]
    assert (line["players"], line["length"]) == (names, 7)
    after = (await api.get("/logs/club/matches/m1/events", api.director)).json()["entries"]
    assert after[0]["body"] == before[0]["body"]
    [amended] = [entry for entry in after if entry["tag"] == "entry.amended"]
    # Nobody is named in the clear, and who kept the name kept the commitment to it.
    assert "Anna" not in str(amended["body"])
    assert amended["body"]["body"]["players"]["two"] == before[0]["body"]["players"]["two"]
    assert not api.faults()


async def test_an_edit_that_is_sent_again_is_the_same_edit(api: Any) -> None:
    await api.open()
    body = {"changes": {"length": 7, "table": "9"}, "reason": "x", "entry_id": str(uuid.uuid4())}
    path = "/logs/club/matches/m1/opening"
    answers = [await api.post(path, body, api.director) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert [answer.json()["duplicate"] for answer in answers] == [False, True]
    assert (await edit(api, length=9)).status_code == 201
    again = await api.post(path, body, api.director)
    assert (again.status_code, (await opening(api))["length"]) == (200, 9)
    other = await api.post(path, {**body, "changes": {"length": 3}}, api.director)
    assert other.status_code == 409
    assert api.version() == 3


async def test_an_edit_holds_for_what_a_second_scribe_writes_beside_the_match(api: Any) -> None:
    """His tablet went on to the length, and by the rules, that the match does not have."""
    await api.open(table="4")
    await paired(api, "tablet-2")
    body = {"match": "m1", "device": "tablet-2"}
    beside = (await api.post("/logs/club/shadows", body, api.director)).json()["match_id"]
    names = {"one": ["Anna"], "two": ["Bo"]}
    assert (await edit(api, players=names, length=7, rule_set="biba-2014")).status_code == 201
    told = (await api.get(f"/logs/club/matches/{beside}/opening", api.director)).json()
    assert (told["players"], told["length"], told["rule_set"]) == (names, 7, "biba-2014")
    assert (told["table"], told["is_public"]) == ("4", False)
    live = api.archive.reading.live("club", beside)
    assert live.replay.opened.shadow_of == "m1"
    assert not api.faults()


async def test_an_edit_is_made_while_the_match_is_written_to(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    desk = door_behind(api.http).desk
    append, beaten = desk.append, []

    async def second(hand: Any, log: str, stream: str, entries: Any, **more: Any) -> Any:
        if entries[0].tag == "entry.amended" and not beaten:
            beaten.append(True)
            assert (await api.append(make("game.started"))).status_code == 201
        return await append(hand, log, stream, entries, **more)

    monkeypatch.setattr(desk, "append", second)
    assert (await edit(api, length=7)).status_code == 201
    assert ((await opening(api))["length"], api.version()) == (7, 3)


async def test_who_stays_at_the_table_is_named_with_an_edited_opening_to_whoever_was_told(
    api: Any,
) -> None:
    async def told(token: str | None) -> list[dict[str, Any]]:
        answer = await api.get("/logs/club/matches/m1/events", token)
        entries: list[dict[str, Any]] = answer.json()["entries"]
        return [entry["disclosures"] for entry in entries if entry["tag"] == "entry.amended"]

    await api.open(table="4", publication={"public": True, "delay_ms": 0})
    await edit(api, length=7)
    await edit(api, length=9, table="5")
    # A tablet draws the edited opening by what comes with it: nobody turns into "Player 1".
    for token in (api.director, api.scribe):
        first, second = await told(token)
        assert {*first.values()} == {"Ann", "Bo", "4", "written wrong"}
        assert {*second.values()} == {"Ann", "Bo", "5", "written wrong"}
    assert await told(None) == [{}, {}]
    assert not api.faults()


async def test_an_edit_that_changes_nothing_is_refused(api: Any) -> None:
    await api.open(table="4")
    answer = await edit(api, table="4", length=5, players={"one": ["Ann"], "two": ["Bo"]})
    assert (answer.status_code, answer.json()["where"]) == (422, "$.changes")


@pytest.mark.parametrize(
    "changes", [{"length": 0}, {"rule_set": "No id"}, {"clock_terms": {"kind": "x"}}, {"source": 1}]
)
async def test_an_edit_that_cannot_be_recorded_is_refused(
    api: Any, changes: dict[str, Any]
) -> None:
    await api.open()
    assert (await edit(api, **changes)).status_code == 422
    assert api.version() == 1


async def test_only_a_director_edits_a_match(api: Any) -> None:
    await api.open()
    assert (await edit(api, api.scribe, table="4")).status_code == 403
    assert (await api.get("/logs/club/matches/m1/opening")).status_code == 401


async def test_a_closed_tournament_has_no_new_match_until_it_is_opened_again(api: Any) -> None:
    await api.open("m1")
    await record(api, "/logs/club/events", api.director, said("tournament.closed"))
    refused = await api.open("m2")
    assert refused.status_code == 409
    assert "closed" in refused.json()["detail"]
    german = await api.http.post(
        "/logs/club/matches",
        json={"opened": {"players": PAIRS}},
        headers={"Authorization": f"Bearer {api.director}", "Accept-Language": "de"},
    )
    assert german.json()["told"].startswith("Das Turnier ist geschlossen")
    on = await record(api, "/logs/club/matches/m1/events", api.scribe, said("game.started"))
    assert on.status_code == 201
    await record(api, "/logs/club/events", api.director, said("tournament.reopened"))
    assert (await api.open("m2")).status_code == 201


async def registered(api: Any, **players: str) -> None:
    """Register players of the tournament: id to name."""
    for player, name in players.items():
        entry = said("player.registered", player=player, name=name)
        assert (await record(api, "/logs/club/events", api.director, entry)).is_success


async def seated(api: Any) -> dict[str, list[str | None]]:
    """Ids of the players as the edited match has them."""
    entries = (await api.get("/logs/club/matches/m1/events", api.director)).json()["entries"]
    last = [one["body"] for one in entries if one["tag"] in ("match.opened", "entry.amended")][-1]
    players = last.get("body", last)["players"]
    return {seat: [one.get("id") for one in players[seat]] for seat in ("one", "two")}


PAIRS = {
    "one": [{"id": "ann", "name": "Ann"}, {"id": "cleo", "name": "Cleo"}],
    "two": [{"id": "bo", "name": "Bo"}, {"id": "dan", "name": "Dan"}],
}


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ({"table": "9", "round": "3"}, {"one": ["ann", "cleo"], "two": ["bo", "dan"]}),
        (
            {"table": "9", "players": {"one": ["Ann", "Cleo"], "two": ["Bo", "Dan"]}},
            {"one": ["ann", "cleo"], "two": ["bo", "dan"]},
        ),
        ({"players": {"two": ["Dan", "Bo"]}}, {"one": ["ann", "cleo"], "two": ["dan", "bo"]}),
        (
            {"players": {"one": ["Bo", "Cleo"], "two": ["Ann", "Dan"]}},
            {"one": ["bo", "cleo"], "two": ["ann", "dan"]},
        ),
        ({"players": {"one": [None, "Eva"]}}, {"one": ["ann", "eva"], "two": ["bo", "dan"]}),
        ({"players": {"one": [None, " eVA"]}}, {"one": ["ann", "eva"], "two": ["bo", "dan"]}),
        ({"players": {"one": ["Ann", "Zoe"]}}, {"one": ["ann", None], "two": ["bo", "dan"]}),
        ({"players": {"one": ["Twin", "Cleo"]}}, {"one": [None, "cleo"], "two": ["bo", "dan"]}),
        ({"players": {"one": ["Ann"]}}, {"one": ["ann"], "two": ["bo", "dan"]}),
        ({"players": {"one": ["Ann", "Bo"]}}, {"one": ["ann", None], "two": ["bo", "dan"]}),
    ],
)
async def test_an_edit_keeps_who_a_player_is_as_long_as_somebody_of_that_name_plays(
    api: Any, changes: dict[str, Any], ids: dict[str, list[str | None]]
) -> None:
    await registered(
        api, ann="Ann", bo="Bo", cleo="Cleo", dan="Dan", eva="Eva", t1="Twin", t2="Twin"
    )
    await api.open(players=PAIRS, table="4")
    assert (await edit(api, **changes)).status_code == 201
    assert await seated(api) == ids
    assert not api.faults()


async def test_no_name_stays_where_nobody_sits(api: Any) -> None:
    await api.open()
    answer = await edit(api, players={"one": ["Ann", None]})
    assert (answer.status_code, answer.json()["where"]) == (422, "$.changes.players")
