"""Exports over HTTP: every format, chosen by ending or by `Accept`, flags, delay, and streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.exchange.ogxm import codec as ogxm_codec
from api.exchange.readers import read_file
from api.exchange.sealed import jsonl
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import NotWritten
from api.routes import exports
from api.routes.exports import FORMATS
from api.routes.many import MAX_STREAMS, STRANGERS_STREAMS, STREAMS
from api.routes.shared import filing, listing
from events.payloads.access import Role

BASE = "/logs/club/matches/m1"
DELAY = 300_000
PUBLIC = {"public": True, "delay_ms": 0}
MAT = "application/x-backgammon-mat"
NDJSON = "application/x-ndjson"

endings = pytest.mark.parametrize("ending", FORMATS)

IN_PLAY = [name for name in FORMATS if name not in WRITERS or not WRITERS[name].marks_illegal]
"""Formats in which the public may have a match that is being played."""

endings_in_play = pytest.mark.parametrize("ending", IN_PLAY)


async def stream(api: Any, query: str = "", token: str | None = None) -> list[dict[str, Any]]:
    answer = await api.get(f"/logs/club/export{query}", token)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == NDJSON
    return [json.loads(line) for line in answer.content.splitlines()]


async def ids(api: Any, query: str = "", token: str | None = None) -> list[str]:
    return [row["match_id"] for row in await stream(api, query, token)]


async def listed(api: Any, query: str = "", token: str | None = None) -> list[str]:
    answer = await api.get(f"/logs/club/matches{query}", token)
    assert answer.status_code == 200, answer.text
    return [row["match_id"] for row in answer.json()["matches"]]


def named(one: str, two: str) -> dict[str, Any]:
    return {"one": [{"name": one}], "two": [{"name": two}]}


# One match.


def test_no_two_formats_share_a_media_type_or_an_ending() -> None:
    forms = [form for form, _ in FORMATS.values()]
    assert len({form.bare_type for form in forms}) == len(forms)
    assert len({form.name for form in forms}) == len(forms)
    assert {"mat", "sgf", "ogxm", "jsonl", "txt", "html"} <= set(FORMATS)


@endings
async def test_the_ending_and_the_media_type_give_the_same_file(
    api: Any, begin: Any, ending: str
) -> None:
    await api.open()
    await api.append(*begin())
    form, _ = FORMATS[ending]
    by_ending = await api.get(f"{BASE}/export.{ending}", api.director)
    by_type = await api.get(f"{BASE}/export", api.director, Accept=form.bare_type)
    assert by_ending.status_code == by_type.status_code == 200
    assert by_ending.content == by_type.content
    assert by_type.headers["content-type"] == form.media_type
    assert by_type.headers["etag"] == by_ending.headers["etag"]
    assert f'filename="club_m1.{ending}"' in by_type.headers["content-disposition"]
    assert "accept" in by_type.headers["vary"].lower()
    assert by_type.headers["cache-control"] == "private, no-cache"
    assert "sandbox" in by_type.headers["content-security-policy"]
    json.loads(by_type.headers["tabularium-losses"])


@pytest.mark.parametrize(
    ("accept", "ending"),
    [
        ("*/*", "mat"),
        ("", "mat"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html"),
        ("text/*", "txt"),
        ("TEXT/PLAIN ; Q=0.4, application/json;q=0.5", "json"),
        ("application/*;q=0.9, application/json;q=0.1, application/x-backgammon-mat;q=0", "sgf"),
        ("image/png, application/x-ndjson", "jsonl"),
        ("*/*;q=0.1, application/vnd.ogxm", "ogxm"),
    ],
)
async def test_the_visitor_gets_what_is_liked_best(api: Any, accept: str, ending: str) -> None:
    await api.open()
    answer = await api.get(f"{BASE}/export", api.director, Accept=accept)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f'.{ending}"')


@pytest.mark.parametrize(
    "accept", ["image/png", "text/plain;q=0", "*/*;q=x", "*/*;q=nan", "*/*;q=7", "💥", ";;;", "/"]
)
@pytest.mark.parametrize("path", [f"{BASE}/export", "/logs/club/export"])
async def test_what_is_not_to_be_had_is_406_with_what_is(api: Any, path: str, accept: str) -> None:
    await api.open()
    headers = {"Authorization": f"Bearer {api.director}", "Accept": accept.encode()}
    answer = await api.http.get(path, headers=headers)
    assert answer.status_code == 406
    assert answer.json()["type"] == "/problems/not-acceptable"
    assert MAT in answer.json()["known"]


@endings_in_play
async def test_a_head_tells_all_but_the_file(api: Any, begin: Any, ending: str) -> None:
    await api.open(publication=PUBLIC)
    await api.append(*begin())
    as_it_is = {"Accept-Encoding": "identity"}
    whole = await api.get(f"{BASE}/export.{ending}", **as_it_is)
    head = await api.http.head(f"{BASE}/export.{ending}", headers=as_it_is)
    assert head.status_code == 200
    assert head.content == b""
    assert dict(head.headers) == dict(whole.headers)
    assert int(head.headers["content-length"]) == len(whole.content)
    type_ = FORMATS[ending][0].bare_type
    negotiated = {"Accept": type_, **as_it_is}
    assert (await api.http.head(f"{BASE}/export", headers=negotiated)).headers == head.headers
    # How long a packed file is shows only when it is packed: that alone is left out then.
    packed = dict((await api.get(f"{BASE}/export.{ending}")).headers)
    told = dict((await api.http.head(f"{BASE}/export.{ending}")).headers)
    if "content-encoding" in packed:
        length = packed.pop("content-length")
        assert told.pop("content-length", length) == length
    assert told == packed


@endings_in_play
async def test_what_has_not_changed_is_not_sent_again(
    api: Any, make: Any, begin: Any, ending: str
) -> None:
    await api.open(publication=PUBLIC)
    url = f"{BASE}/export.{ending}"
    etag = (await api.get(url)).headers["etag"]
    again = await api.get(url, If_None_Match=etag)
    assert (again.status_code, again.content) == (304, b"")
    assert (await api.get(f"{url}?names=withheld", If_None_Match=etag)).status_code == 200
    await api.append(*begin())
    assert (await api.get(url, If_None_Match=etag)).status_code == 200
    tags = {(await api.get(f"{BASE}/export.{one}")).headers["etag"] for one in IN_PLAY}
    assert len(tags) == len(IN_PLAY)


@endings_in_play
async def test_names_can_be_withheld_and_are_then_nowhere(
    api: Any, begin: Any, ending: str
) -> None:
    await api.open(event="Lantern Cup", transcriber="Cy")
    await api.append(*begin())
    shown = (await api.get(f"{BASE}/export.{ending}", api.director)).content
    withheld = (await api.get(f"{BASE}/export.{ending}?names=withheld", api.director)).content
    assert b"Ann" in shown
    assert b"Lantern" in shown
    assert b"Ann" not in withheld
    assert b"Lantern" not in withheld


@endings
async def test_nobody_sees_more_by_asking_for_names(api: Any, begin: Any, ending: str) -> None:
    await api.open(publication=PUBLIC, place="The old library")
    await api.append(*begin())
    url = f"{BASE}/export.{ending}?names=disclosed"
    assert b"old library" not in (await api.get(url)).content
    assert b"Ann" not in (await api.get(url, api.token(Role.COMMITTEE))).content


@pytest.mark.parametrize(
    ("ending", "rated"),
    [("mat", '; [Player 1 Elo "1843.20/310"]'), ("sgf", "WR[1843.20/310]")],
)
async def test_a_rating_stands_in_the_files_of_those_who_may_see_all_of_the_players(
    api: Any, begin: Any, ending: str, rated: str
) -> None:
    players = {"one": [{"name": "Ann", "rating": "1843.20/310"}], "two": [{"name": "Ben"}]}
    await api.open(publication=PUBLIC, players=players)
    await api.append(*begin())
    url = f"{BASE}/export.{ending}"
    shown = await api.get(url, api.director)
    assert rated in shown.text
    (again,) = read_file(shown.content, f"x.{ending}")
    assert again.opened["players"] == players
    public = await api.get(url)
    assert "Ann" in public.text
    assert "1843" not in public.text
    assert "1843" not in (await api.get(f"{url}?names=withheld", api.director)).text


async def test_flags_leave_out_clocks_and_findings(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    clock = make("clock.set", reserve_ms={"one": 600_000, "two": 600_000}, kind="simple")
    *before, play = begin()
    play["body"]["moves"] = [[8, 4], [6, 5]]
    await api.append(clock, *before, play)

    async def exported(ending: str, query: str) -> str:
        return str((await api.get(f"{BASE}/export.{ending}{query}", api.director)).text)

    whole = json.loads(await exported("json", ""))
    [turn] = whole["games"][0]["turns"]
    assert turn["clock"] == {"one": 600_000, "two": 600_000}
    assert "illegal-play" in {finding["code"] for finding in whole["findings"]}
    bare = json.loads(await exported("json", "?clocks=false&findings=no"))
    assert "findings" not in bare
    assert "clock" not in bare["games"][0]["turns"][0]
    left_out = await api.get(f"{BASE}/export.txt?findings=0", api.director)
    assert json.loads(left_out.headers["tabularium-losses"])["finding"] == 1
    written = await api.get(f"{BASE}/export.txt", api.director)
    assert "finding" not in json.loads(written.headers["tabularium-losses"])
    assert "Illegal play" not in await exported("mat", "?illegal=raw")
    assert "Illegal play" in await exported("mat", "?illegal=stated")


@pytest.mark.parametrize(
    "query", ["clocks=maybe", "findings=", "names=all", "illegal=kept", "names=%00", "clocks=💥"]
)
async def test_a_flag_that_is_none_is_400(api: Any, query: str) -> None:
    await api.open()
    for path in (f"{BASE}/export.mat", f"{BASE}/export", "/logs/club/export"):
        assert (await api.get(f"{path}?{query}", api.director)).status_code == 400


async def test_the_object_tells_a_game_turn_by_turn(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    await api.append(
        *begin(),
        make("cube.double_offered", seat="two"),
        make("cube.double_dropped", seat="one"),
    )
    made = (await api.get(f"{BASE}/export.json", api.director)).json()
    [game] = made["games"]
    assert [(turn["seat"], turn["act"]) for turn in game["turns"]] == [
        ("one", "play"),
        ("two", "double"),
        ("one", "drop"),
    ]
    assert game["turns"][0]["dice"] == [3, 1]
    assert game["turns"][0]["play"] == "8/5 6/5"
    assert game["result"] == {"winner": "two", "points": 1, "kind": "single", "ended_by": "drop"}
    assert made["score"] == {"one": 0, "two": 1}
    assert made["lost"]["opening"] == 1


async def test_a_format_that_is_not_installed_is_501_and_says_what_is_missing(
    api: Any, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.open()
    await api.append(*begin())
    monkeypatch.setattr(ogxm_codec, "_package", lambda _: None)
    answer = await api.get(f"{BASE}/export.ogxm", api.director)
    assert answer.status_code == 501
    assert "ogxm" in answer.json()["detail"]
    assert "ogxm" not in answer.json()["known"]


async def test_a_match_that_a_format_cannot_hold_is_406_with_the_others(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> exports.Export:
        raise NotWritten("it has no games")

    await api.open()
    monkeypatch.setitem(FORMATS, "sgf", (FORMATS["sgf"][0], refuse))
    answer = await api.get(f"{BASE}/export.sgf", api.director)
    assert answer.status_code == 406
    assert answer.json()["type"] == "/problems/not-writable"
    assert answer.json()["detail"] == "it has no games"


async def test_other_sites_may_read_public_files_and_their_losses(api: Any) -> None:
    await api.open(publication=PUBLIC)
    for path in (f"{BASE}/export.sgf", f"{BASE}/export", "/logs/club/export"):
        answer = await api.get(path, Origin="https://example.org")
        assert answer.headers["access-control-allow-origin"] == "*"
        exposed = answer.headers["access-control-expose-headers"].split(", ")
        assert {"ETag", "Tabularium-Losses", "Content-Disposition"} <= set(exposed)


# The delay, and appeals.


@endings_in_play
async def test_every_format_is_as_late_as_the_public(
    api: Any, clock: Any, begin: Any, ending: str
) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    clock.now += DELAY
    form, _ = FORMATS[ending]
    young = (await api.get(f"{BASE}/export.{ending}")).content
    await api.append(*begin())
    clock.now += DELAY - 1
    for path, accept in ((f"{BASE}/export.{ending}", "*/*"), (f"{BASE}/export", form.bare_type)):
        answer = await api.get(path, Accept=accept)
        assert answer.status_code == 200
        assert answer.content == young
        assert (await api.get(path, api.director, Accept=accept)).content != young
    clock.now += 1
    assert (await api.get(f"{BASE}/export.{ending}")).content != young


@pytest.mark.parametrize("accept", STREAMS)
async def test_a_stream_is_as_late_as_the_public(
    api: Any, clock: Any, begin: Any, accept: str
) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    clock.now += DELAY
    young = (await api.get("/logs/club/export", Accept=accept)).content
    await api.append(*begin())
    clock.now += DELAY - 1
    assert (await api.get("/logs/club/export", Accept=accept)).content == young
    granted = (await api.get("/logs/club/export", api.director, Accept=accept)).content
    assert b"8/5 6/5" in granted
    clock.now += 1
    assert b"8/5 6/5" in (await api.get("/logs/club/export", Accept=accept)).content


async def test_an_opening_that_is_too_young_is_found_by_nobody(api: Any, clock: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    for query in ("?player=ann", "?length=5", "?length=money", "?rule_set=common"):
        assert await ids(api, query) == []
        assert await listed(api, query) == []
    assert await ids(api, "?player=ann", api.director) == ["m1"]
    clock.now += DELAY
    assert await ids(api, "?player=ann&length=5&rule_set=common") == ["m1"]


async def test_filters_ask_what_the_public_sees_and_not_what_came_since(
    api: Any, clock: Any, make: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": DELAY})
    clock.now += DELAY
    opening = api.archive.store.read_stream("club", "m1")[0].entry_id
    terms = {"public": True, "delay_ms": DELAY}
    body = {"players": named("Zoe", "Bo"), "length": 9, "publication": terms}
    amended = make("entry.amended", target=opening, tag="match.opened", schema=1, body=body)
    answer = await api.append(amended, token=api.director)
    assert answer.status_code == 201, answer.text
    for ask in (ids, listed):
        assert await ask(api, "?player=zoe") == []
        assert await ask(api, "?length=9") == []
        assert await ask(api, "?player=ann&length=5") == ["m1"]
        assert await ask(api, "?player=zoe&length=9", api.director) == ["m1"]
    clock.now += DELAY
    assert await ids(api, "?player=zoe&length=9") == ["m1"]


@endings_in_play
async def test_no_format_of_a_match_under_appeal_is_public(
    api: Any, make: Any, begin: Any, ending: str
) -> None:
    await api.open(publication=PUBLIC)
    await api.append(*begin())
    turn = make("turn.ended", seat="one")
    filed = make("appeal.filed", target=turn["entry_id"], seat="one")
    await api.append(turn, filed, token=api.director)
    type_ = FORMATS[ending][0].bare_type
    assert (await api.get(f"{BASE}/export.{ending}")).status_code == 401
    assert (await api.get(f"{BASE}/export", Accept=type_)).status_code == 401
    assert await ids(api) == []
    assert await ids(api, "", api.director) == ["m1"]
    await api.append(make("appeal.refused", appeal=filed["entry_id"]), token=api.director)
    assert (await api.get(f"{BASE}/export.{ending}")).status_code == 200
    assert await ids(api) == ["m1"]


# Many matches.


@pytest.fixture
async def season(api: Any, begin: Any) -> None:
    """Four matches: three public ones, and a private one."""
    opened: list[dict[str, Any]] = [
        {
            "players": named("Ann Åberg", "Bo"),
            "event": "Lantern Cup",
            "date": "2026.03.14",
            "publication": PUBLIC,
        },
        {
            "players": named("Cy", "Dot"),
            "event": "Heron Open",
            "date": "2025-11-02",
            "publication": PUBLIC,
            "rule_set": "biba-2014",
            "length": 7,
        },
        {"players": named("Ann Åberg", "Cy"), "length": None, "publication": PUBLIC},
        {"players": named("Eve", "Bo"), "event": "Lantern Cup", "date": "spring 2026"},
    ]
    for number, body in enumerate(opened, 1):
        assert (await api.open(f"m{number}", **body)).status_code == 201
        await api.append(*begin(), match=f"m{number}")


@pytest.mark.parametrize(
    ("query", "public", "granted"),
    [
        ("", "123", "1234"),
        ("?player=ann", "13", "13"),
        ("?player=%C3%A5BERG", "13", "13"),
        ("?player=bo", "1", "14"),
        ("?player=eve", "", "4"),
        ("?event=lantern", "1", "14"),
        ("?player=cy&event=heron", "2", "2"),
        ("?rule_set=biba-2014", "2", "2"),
        ("?rule_set=common", "13", "134"),
        ("?length=5", "1", "14"),
        ("?length=money", "3", "3"),
        ("?sort=newest", "321", "4321"),
        ("?sort=newest&player=ann", "31", "31"),
        ("?player=nobody", "", ""),
    ],
)
@pytest.mark.usefixtures("season")
async def test_filters_find_what_the_reader_may_see(
    api: Any, query: str, public: str, granted: str
) -> None:
    for ask in (ids, listed):
        assert await ask(api, query) == [f"m{number}" for number in public]
        assert await ask(api, query, api.director) == [f"m{number}" for number in granted]


@pytest.mark.usefixtures("season")
async def test_matches_are_found_by_their_dates(api: Any) -> None:
    for ask in (ids, listed):
        assert await ask(api, "?since=2026-01-01", api.director) == ["m1"]
        assert await ask(api, "?until=2026-03-13", api.director) == ["m2"]
        assert await ask(api, "?since=2025-11-02&until=2026-03-14", api.director) == ["m1", "m2"]
        own = api.token(Role.VIEWER, match="m4")
        assert await ask(api, "?since=2020-01-01", own) == ["m1", "m2"]
        assert await ask(api, "?since=2025-11-02&until=2026-03-14") == ["m1", "m2"]
    for token in (None, api.director):
        assert (await stream(api, "", token))[0]["date"] == "2026.03.14"
    for path in ("/logs/club/export", "/logs/club/matches"):
        for query in ("since=2026", "until=tomorrow", "since=2026-01-01T00:00", "until=%00"):
            assert (await api.get(f"{path}?{query}", api.director)).status_code == 400


@pytest.mark.parametrize("day", ["2026-13-45", "2026-02-30", "0000-00-00", "٢٠٢٦-01-01"])
async def test_a_day_that_no_calendar_has_is_refused_by_name(api: Any, day: str) -> None:
    """Compared letter by letter, it found nothing, or everything."""
    for path in ("/logs/club/export?", "/logs/club/matches?", "/positions/search?dice=31&"):
        for name in ("since", "until"):
            answer = await api.get(f"{path}{name}={day}", api.director)
            assert (answer.status_code, answer.json()["where"]) == (400, f"query.{name}"), path
    page = await api.get(f"/search?dice=31&since={day}")
    assert (page.status_code, 'role="alert"' in page.text) == (400, True)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/positions/search?dice=31&log=No%20log", "log"),
        ("/positions/openings?log=-x", "log"),
        ("/logs/club/branches?match=%00", "match"),
        ("/logs/club/matches?rule_set=none", "rule_set"),
        ("/logs/club/matches/m1/findings?rules=none", "rules"),
        ("/rulings?rule_set=none", "rule_set"),
    ],
)
async def test_what_can_name_nothing_is_refused_by_its_field(
    api: Any, path: str, name: str
) -> None:
    """An empty list would be understood as the answer that there is nothing."""
    await api.open()
    answer = await api.get(path, api.director)
    assert (answer.status_code, answer.json()["where"]) == (400, f"query.{name}")


@pytest.mark.usefixtures("season")
async def test_all_matches_are_one_file_for_whoever_follows_a_link(api: Any) -> None:
    for ending, media_type in (("ndjson", NDJSON), ("mat", MAT)):
        for query in ("", "?player=ann", "?max=1"):
            asked = await api.get(f"/logs/club/export{query}", Accept=media_type)
            linked = await api.get(f"/logs/club/export.{ending}{query}", Accept="text/html")
            assert linked.content == asked.content
            assert linked.headers["content-type"] == asked.headers["content-type"]
            assert f'filename="club.{ending}"' in linked.headers["content-disposition"]
    assert (await api.get("/logs/club/export.sgf")).status_code == 400


@pytest.mark.usefixtures("season")
async def test_a_name_that_is_hidden_or_erased_finds_nothing(api: Any) -> None:
    assert await ids(api, "?player=ann", api.token(Role.COMMITTEE)) == []
    assert await ids(api, "?event=lantern", api.token(Role.COMMITTEE)) == []
    assert len(await ids(api, "", api.token(Role.COMMITTEE))) == 4
    opening = api.archive.reading.live("club", "m1").replay.opened
    api.archive.store.erase_disclosure("club", opening.players.one[0].name.sd)
    for ask in (ids, listed):
        assert await ask(api, "?player=ann", api.director) == ["m3"]
    assert await ids(api, "", api.token(Role.VIEWER, match="m4")) == ["m1", "m2", "m3", "m4"]


@pytest.mark.parametrize(
    "query",
    [
        *("player=", "event=", "length=0", "length=-1", "length=x", "length=99999", "max=0"),
        *("max=x", "max=99999999", "sort=best", "rule_set=house", "rule_set=%00", "cursor=x"),
        *("player=" + "x" * 300, "cursor=%F0%9F%8E%B2", "rule_set=" + "x" * 99),
    ],
)
async def test_a_filter_that_is_none_is_400(api: Any, query: str) -> None:
    answer = await api.get(f"/logs/club/export?{query}", api.director)
    assert answer.status_code == 400, answer.text
    if not query.startswith("max"):
        assert (await api.get(f"/logs/club/matches?{query}", api.director)).status_code == 400


@pytest.mark.usefixtures("season")
async def test_a_stream_can_be_gone_on_with(api: Any) -> None:
    for order, expected in (("oldest", "1234"), ("newest", "4321")):
        seen: list[str] = []
        cursor = ""
        while rows := await stream(api, f"?max=3&sort={order}{cursor}", api.director):
            assert len(rows) <= 3
            seen += [row["match_id"] for row in rows]
            cursor = f"&cursor={rows[-1]['cursor']}"
        assert seen == [f"m{number}" for number in expected]


@pytest.mark.usefixtures("season")
async def test_a_line_is_the_object_of_its_match(api: Any) -> None:
    for row in await stream(api, "", api.director):
        del row["cursor"]
        alone = await api.get(f"/logs/club/matches/{row['match_id']}/export.json", api.director)
        assert alone.json() == row
    [row] = await stream(api, "?player=dot&names=withheld&findings=false&clocks=false")
    assert row["players"] == {"one": [], "two": []}
    assert row["event"] is None
    assert "findings" not in row


@pytest.mark.usefixtures("season")
async def test_a_stream_of_mat_files_reads_back(api: Any) -> None:
    answer = await api.get("/logs/club/export?sort=oldest", api.director, Accept=MAT)
    assert answer.headers["content-type"] == f"{MAT}; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="club.mat"'
    found = read_file(answer.content, "club.mat")
    assert [match.length for match in found] == [5, 7, None, 5]
    assert [match.rolls for match in found] == [1, 1, 1, 1]
    withheld = await api.get("/logs/club/export?names=withheld", api.director, Accept=MAT)
    assert "Ann" not in withheld.text


async def test_a_head_of_a_stream_starts_none(api: Any) -> None:
    await api.open(publication=PUBLIC)
    answer = await api.http.head("/logs/club/export")
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["content-type"] == NDJSON
    assert answer.headers["cache-control"] == "no-store"
    assert (await api.http.head("/logs/none/export")).status_code == 404


@pytest.mark.usefixtures("season")
async def test_a_match_that_cannot_be_read_takes_no_other_with_it(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filing.compact

    def breaks(shown: Any, **flags: bool) -> Any:
        if shown.state.score.length == 7:
            raise RuntimeError("inside")
        return whole(shown, **flags)

    monkeypatch.setattr(filing, "compact", breaks)
    rows = await stream(api, "", api.director)
    assert [row["match_id"] for row in rows] == ["m1", "m2", "m3", "m4"]
    assert rows[1] == {"log_id": "club", "match_id": "m2", "refused": "it cannot be read"}


async def test_too_many_streams_are_asked_to_come_back(api: Any, app: Any) -> None:
    await api.open(publication=PUBLIC)
    app.state.door.streams = MAX_STREAMS
    answer = await api.get("/logs/club/export")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    app.state.door.streams = 0
    assert await ids(api) == ["m1"]
    assert app.state.door.streams == 0


async def test_strangers_who_read_slowly_keep_out_nobody_with_a_grant(api: Any, app: Any) -> None:
    await api.open(publication=PUBLIC)
    app.state.door.streams = STRANGERS_STREAMS
    assert (await api.get("/logs/club/export")).status_code == 503
    assert await ids(api, "", api.director) == ["m1"]
    app.state.door.streams = MAX_STREAMS
    assert (await api.get("/logs/club/export", api.director)).status_code == 503


async def test_whose_grant_ends_in_the_middle_of_a_stream_is_told_what_anybody_is(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for match, more in (("m1", {}), ("m2", {}), ("m3", {"publication": PUBLIC})):
        await api.open(match, **more)
    token, grant = api.archive.grant(Role.VIEWER, log_id="club")
    whole = filing.compact

    def ends(shown: Any, **flags: Any) -> Any:
        if grant in {one.grant_id for one in api.archive.reading.access("club").grants.values()}:
            api.archive.revoke(grant, log_id="club")
        return whole(shown, **flags)

    monkeypatch.setattr(filing, "compact", ends)
    assert await ids(api, "", token) == ["m1", "m3"]


@pytest.mark.usefixtures("season")
async def test_a_page_looks_at_a_bounded_number_of_rows(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LOOKED_AT", 2)
    url = "/logs/club/matches?player=eve"
    first = (await api.get(url, api.director)).json()
    assert first["matches"] == []
    second = (await api.get(f"{url}&cursor={first['next_cursor']}", api.director)).json()
    assert [row["match_id"] for row in second["matches"]] == ["m4"]
    assert second["next_cursor"] is None


@pytest.mark.usefixtures("season")
async def test_a_walk_over_a_log_pushes_no_match_out_of_memory(api: Any) -> None:
    reading = api.archive.reading
    assert len(await ids(api, "", api.director)) == 4
    for number in range(1, 5):
        reading.forget("club", f"m{number}")
    assert len(await ids(api, "", api.director)) == 4
    kept = [number for number in range(1, 5) if reading.is_cached("club", f"m{number}")]
    assert kept == []


@pytest.mark.usefixtures("season")
async def test_a_sealed_export_without_names_still_verifies(api: Any) -> None:
    answer = await api.get("/logs/club/matches/m1/export.jsonl?names=withheld", api.director)
    export = jsonl.read(answer.content)
    assert export.problems == ()
    assert all(entry.disclosures == () for entry in export.entries)
    assert json.loads(answer.headers["tabularium-losses"]) == {}
