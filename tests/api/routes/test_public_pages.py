"""The public pages over HTTP: what they show and never show, feeds, pictures, refusals."""

from __future__ import annotations

import json
import re
import struct
import uuid
from html import unescape
from typing import Any, cast
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from api.archive.index import spelled
from api.exchange.writers import WRITERS
from api.html.templates import _environment
from events.payloads.access import Role
from events.values import BySeat, Seat
from tests.api.routes.conftest import cookie_with

ATOM = "{http://www.w3.org/2005/Atom}"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
DELAY = 300_000
ONE, TWO = "Zinaida Quill", "Jörg O'Neil/Brand"
NAMED = {"players": {"one": [{"name": ONE}], "two": [{"name": TWO}]}, "length": 5}

PAGES = (
    *("/", "/tournaments/club", "/tournaments/club?player=quill", "/tournaments/club?state=live"),
    *("/players", f"/players?name={quote(ONE)}", f"/players/{quote(ONE)}"),
    *(f"/players/{quote(TWO, safe='')}", "/feed.atom", "/tournaments/club/feed.atom"),
    *("/matches/club/m1", "/matches/club/m1?at=1", "/matches/club/m1?part=now"),
    *("/matches/club/m1?part=sheet", "/matches/club/m1/embed", "/matches/club/m1/board.svg"),
    *("/matches/club/m1/board.png", "/matches/club/m1/card.png", "/tournaments/club?state=ended"),
)
"""Every address that may say something of match `m1`."""


async def html(api: Any, path: str, token: str | None = None) -> str:
    answer = await api.get(path, token, Accept=BROWSER)
    assert answer.status_code == 200, f"{path}: {answer.status_code}"
    return str(answer.text)


def names_in(text: str) -> list[str]:
    """Which of the two names a text holds, in any spelling that a page could use."""
    folded = text.casefold()
    known = ("zinaida", "quill", "jörg", "j&#246;rg", "o'neil", "o&#39;neil", "oneil", "brand")
    return [part for part in known if part in folded]


async def test_every_address_shows_a_public_match(api: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    for path in PAGES:
        answer = await api.get(path, Accept=BROWSER)
        expected = 303 if path.startswith("/players?name") else 200
        assert answer.status_code == expected, f"{path}: {answer.text[:300]}"
    for path in ("/", "/tournaments/club", "/players", "/matches/club/m1", "/feed.atom"):
        assert len(names_in(await html(api, path))) >= 4, path


async def test_no_name_turns_round_what_stands_behind_it(api: Any, begin: Any) -> None:
    """Behind a name that ends so, a browser shows "Ida wins, 3-0" as "Ida 0-3 ,sniw"."""
    turning = "Ida\N{RIGHT-TO-LEFT OVERRIDE}"
    hebrew = "\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET}"
    players = {"one": [{"name": turning}], "two": [{"name": hebrew}]}
    await api.open(players=players, event=turning, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    pages = ("", "?at=1", "?part=now", "?part=sheet", "/embed", "/replay", "/overlay")
    listed = ("/", "/tournaments/club", "/players", f"/players/{quote(turning)}", "/players?name=I")
    for path in (*listed, *(f"/matches/club/m1{page}" for page in pages)):
        shown = await html(api, path)
        # JSON-LD spells it out, for programs, and shows it to nobody.
        assert turning not in shown, path
        if "part=sheet" not in path and path not in ("/players?name=I", listed[3]):
            assert "Ida\N{REPLACEMENT CHARACTER}" in shown, path
            assert hebrew in shown, path
    # Another site shows the title, and what it frames, among words of its own.
    embedded = (await api.get("/oembed?url=/matches/club/m1")).json()
    for told in (embedded["title"], embedded["html"]):
        assert turning not in told
        assert f"Ida\N{REPLACEMENT CHARACTER} \N{EN DASH} {hebrew}" in told


async def conceal(api: Any, make: Any, how: str) -> None:
    """Take a public match away from the public."""
    match how:
        case "withheld":
            await api.append(make("publication.withheld"), token=api.director)
        case "appealed":
            turn = make("turn.ended", seat="one")
            filed = make("appeal.filed", target=turn["entry_id"], seat="one")
            await api.append(turn, filed, token=api.director)
        case "erased":
            players = api.archive.reading.live("club", "m1").replay.opened.players
            for player in (players.one[0], players.two[0]):
                api.archive.store.erase_disclosure("club", player.name.sd)


@pytest.mark.parametrize("how", ["private", "withheld", "appealed", "erased"])
@pytest.mark.parametrize("is_warm", [pytest.param(False, marks=pytest.mark.gate), True])
async def test_no_address_names_who_plays_in_a_match_that_is_not_shown(
    api: Any, make: Any, begin: Any, how: str, is_warm: bool
) -> None:
    await api.open("m0", publication={"public": True, "delay_ms": 0})
    await api.open(**NAMED, publication={"public": how != "private", "delay_ms": 0})
    await api.append(*begin())
    if is_warm:
        for path in PAGES:
            await api.get(path, Accept=BROWSER)
    if how != "private":
        await conceal(api, make, how)
    for path in PAGES:
        for accept in (BROWSER, "application/json", "image/*"):
            answer = await api.get(path, Accept=accept)
            if answer.headers.get("content-type", "").startswith("image/png"):
                assert how == "erased"
                continue
            shown = answer.text
            for asked in (quote(ONE), quote(TWO, safe=""), "quill"):
                # What the visitor typed comes back in links to this very page, and in its form.
                shown = shown.replace(asked, "")
            shown = shown.replace(f'value="{ONE}"', "").replace(f"“{ONE}”", "")
            shown = re.sub(r'"instance":"[^"]*"', "", shown)
            assert not names_in(shown), f"{path} {accept}: {names_in(shown)}"
    assert (await api.get(f"/players/{quote(ONE)}")).status_code == 404


async def test_a_picture_of_an_erased_name_is_drawn_anew(api: Any, make: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    before = await api.get("/matches/club/m1/card.png")
    await conceal(api, make, "erased")
    after = await api.get("/matches/club/m1/card.png", If_None_Match=before.headers["etag"])
    assert after.status_code == 200
    assert after.content != before.content


async def test_a_frozen_match_says_that_an_appeal_is_open(api: Any, make: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await conceal(api, make, "appealed")
    answer = await api.get("/matches/club/m1", Accept=BROWSER)
    assert answer.status_code == 403
    assert "Frozen while an appeal is open" in answer.text
    refused = (await api.get("/matches/club/m1")).json()
    assert (refused["status"], refused["reason"]) == (403, "appeal")
    assert (await api.get("/logs/club/matches/m1", Accept=BROWSER)).status_code == 401
    assert "Zinaida" in await html(api, "/matches/club/m1", api.director)


async def test_a_private_match_says_how_to_sign_in(api: Any) -> None:
    await api.open(**NAMED)
    answer = await api.get("/matches/club/m1?at=1", Accept=BROWSER)
    assert answer.status_code == 401
    assert "/session?next=%2Fmatches%2Fclub%2Fm1%3Fat%3D1" in answer.text
    elsewhere = api.token(Role.VIEWER, log="archive")
    assert (await api.get("/matches/club/m1", elsewhere, Accept=BROWSER)).status_code in (200, 403)
    assert (await api.get("/matches/club/m1")).headers["content-type"].endswith("problem+json")


async def test_a_browser_gets_a_page_and_a_program_a_document(api: Any) -> None:
    for path in ("/nowhere", "/matches/club/nobody", "/tournaments/none", "/players/Nobody"):
        page = await api.get(path, Accept=BROWSER)
        assert page.status_code == 404, path
        assert page.headers["content-type"].startswith("text/html"), path
        assert "There is nothing here" in page.text
        document = await api.get(path)
        assert document.status_code == 404, path
        assert document.json()["status"] == 404
    assert (await api.get("/logs/none", Accept=BROWSER)).json()["status"] == 404
    wrong = await api.get("/players?cursor=xyz", Accept=BROWSER)
    assert wrong.status_code == 400
    assert "is not valid" in wrong.text


async def test_the_public_pages_are_as_far_behind_as_was_agreed(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": DELAY})
    await api.append(*begin())
    clock.now += DELAY - 1
    for path in PAGES:
        answer = await api.get(path, Accept=BROWSER)
        if "name=" not in path and "/players/" not in path and "player=" not in path:
            assert not names_in(answer.text), path
        assert "8/5" not in answer.text, path
        # Of a match of which nothing may be seen it is not known that it is for money.
        assert "money session" not in answer.text, path
    assert "money" not in (await html(api, "/matches/club/m1/replay"))
    assert (await api.get(f"/players/{quote(ONE)}")).status_code == 404
    clock.now += 1
    page = await html(api, "/matches/club/m1")
    assert "8/5 6/5" in page
    assert "5 minutes behind the table" in page
    assert "Zinaida" in await html(api, "/players")
    await api.append(make("match.ended", winner="one"), token=api.director)
    assert "in play" in re.findall(r'class="badge[^>]*>(?:<[^>]*></span>)?([^<]*)', page)
    for path in ("/tournaments/club?state=live", "/"):
        assert "Live now" in await html(api, path) or "Zinaida" in await html(api, path), path
    ended = await html(api, "/tournaments/club?state=ended")
    assert "Zinaida" not in ended


async def test_a_match_is_shown_at_the_version_that_the_address_names(api: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    # Ids are shown to who rules on a match in play: a program that gets one tells what to play.
    now = await html(api, "/matches/club/m1", api.director)
    then = await html(api, "/matches/club/m1?at=3", api.director)
    assert "Zinaida Quill plays 31: 8/5 6/5" in now
    assert "Opening roll: Zinaida Quill 3" in then
    # 4HPwATDgc/ABMA is the start of a game; the five point was made since.
    assert "4HPwATDgc/ABMA" in then
    assert "4HPwATDgc/ABMA" not in now
    assert '<link rel="canonical" href="http://archive/matches/club/m1?at=3">' in then
    svg = [(await api.get(f"/matches/club/m1/board.svg?at={at}")).text for at in (3, 4)]
    assert svg[0] != svg[1]
    ET.fromstring(svg[0])
    refused = await api.get("/matches/club/m1?at=5", Accept=BROWSER)
    assert refused.status_code == 404


@pytest.mark.parametrize("tag", ["forfeit.declared", "match.cancelled", "match.ended"])
async def test_a_match_that_is_over_before_its_first_game_is_not_said_to_be_still_to_begin(
    api: Any, make: Any, tag: str
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    body = {"match.cancelled": {"by": "director"}, "match.ended": {"winner": "two"}}
    over = make(tag, **body.get(tag, {"seat": "one"}))
    await api.append(over, token=api.director)
    for language, played in (("en", "No game was recorded."), ("de", "kein Spiel aufgezeichnet")):
        page = await html(api, f"/matches/club/m1?lang={language}", api.director)
        assert played in page
        assert "has not begun" not in page
    assert "has not begun" in await html(api, "/matches/club/m1?at=1&lang=en", api.director)


async def test_at_every_moment_each_player_has_their_own_points(api: Any, make: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    for winner, points in (("one", 2), ("two", 1), ("one", 4)):
        won = make("game.won", winner=winner, points=points)
        await api.append(make("game.started"), won, token=api.director)
    points = re.compile(r'class="points number">(\d+)<')
    told = (await api.get("/logs/club/matches/m1/replay")).json()["lines"]
    for line in told:
        score = [str(line["score"][seat]) for seat in ("one", "two")]
        for page in ("?part=now&", "?", "/embed?"):
            shown = await html(api, f"/matches/club/m1{page}at={line['version']}")
            assert points.findall(shown) == score, line["version"]


@pytest.mark.parametrize("seat", ["one", "two", *Seat])
def test_a_template_that_names_a_seat_gets_what_is_that_seats_own(seat: str) -> None:
    """The quiz offers the errors of both players by their names so."""
    template = _environment().from_string("{{ names[seat] }}")
    assert template.render(names=BySeat("one", "two"), seat=seat) == seat


async def test_the_winner_is_named_by_the_seat_that_won(api: Any, make: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    ended = make("forfeit.declared", seat="two", ground="other", by="director")
    answer = await api.append(ended, token=api.director)
    assert answer.status_code == 201, answer.text
    page = await html(api, "/matches/club/m1")
    scores = re.findall(r'<p class="side( won)?[^>]*>.*?class="who">([^<]*)<', page)
    assert scores == [(" won", ONE), ("", TWO.replace("'", "&#39;"))]
    assert f"{ONE} has won the match" in page
    items = ET.fromstring((await api.get("/feed.atom")).content).findall(f"{ATOM}entry")
    said = f"{ONE} has won the match by forfeit"
    assert (items[0].findtext(f"{ATOM}title") or "").endswith(said)


async def test_a_preview_is_a_picture_of_the_size_that_it_says(api: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    page = await html(api, "/matches/club/m1")
    told = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', page))
    assert told["og:title"] == "Zinaida Quill – Jörg O&#39;Neil/Brand"
    assert told["twitter:card"] == "summary_large_image"
    image = await api.get(told["og:image"].removeprefix("http://archive"))
    assert image.headers["content-type"] == "image/png"
    assert image.content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", image.content[16:24]) == (1200, 630)
    assert (told["og:image:width"], told["og:image:height"]) == ("1200", "630")
    again = await api.get("/matches/club/m1/card.png", If_None_Match=image.headers["etag"])
    assert again.status_code == 304
    assert "public" in again.headers["cache-control"]


@pytest.mark.parametrize("part", ["", "?part=now", "/embed", "/board.svg", "/board.png"])
async def test_an_answer_is_made_once_for_everybody(api: Any, begin: Any, part: str) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    first = await api.get(f"/matches/club/m1{part}", Accept=BROWSER)
    second = await api.get(f"/matches/club/m1{part}", Accept=BROWSER)
    assert first.content == second.content
    etag = first.headers["etag"]
    assert etag == second.headers["etag"]
    known = await api.get(f"/matches/club/m1{part}", Accept=BROWSER, If_None_Match=etag)
    assert (known.status_code, known.content) == (304, b"")
    other = await api.http.get(
        f"/matches/club/m1{part}", headers={"Host": "elsewhere", "Accept": BROWSER}
    )
    # A page names its own address; a picture is kept once, whatever host somebody makes up.
    assert (other.headers["etag"] == etag) == part.startswith("/board")


async def test_a_page_for_frames_is_the_only_one_that_others_may_frame(api: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    policy = (await api.get("/matches/club/m1/embed")).headers["content-security-policy"]
    assert "frame-ancestors *" in policy
    policy = (await api.get("/matches/club/m1")).headers["content-security-policy"]
    assert "frame-ancestors 'self'" in policy


async def test_a_page_counts_the_losses_of_every_format_and_writes_no_file(
    api: Any, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: Any) -> Any:
        raise AssertionError("a page wrote a file")

    for name, writer in WRITERS.items():
        monkeypatch.setitem(cast("Any", WRITERS), name, structs.replace(writer, write=write))
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    assert "export.sgf" in await html(api, "/matches/club/m1")


async def test_downloads_say_what_each_format_leaves_out(api: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    page = await html(api, "/matches/club/m1", api.director)
    for ending in ("mat", "sgf", "txt", "html", "jsonl"):
        answer = await api.get(f"/logs/club/matches/m1/export.{ending}", api.director)
        count = sum(json.loads(answer.headers["tabularium-losses"]).values())
        told = page.split(f"export.{ending}", 1)[1]
        expected = "Loses nothing." if not count else f"Leaves out {count} recorded facts"
        assert told.index(expected) < 400, ending


# Lists.


async def test_who_is_sent_on_to_another_page_reads_on_in_the_language_asked_for(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin(), make("match.ended", winner="one"))
    for path in (f"/players?name={quote(ONE)}", "/matches/club/m1/search?at=4"):
        sent = await api.get(f"{path}&lang=de", Accept=BROWSER)
        assert sent.headers["location"].endswith("lang=de"), path
        sent = await api.get(path, Accept=BROWSER)
        assert "lang" not in sent.headers["location"], path


async def test_a_name_that_is_spelled_otherwise_leads_to_who_may_be_meant(api: Any) -> None:
    """The search found them, and their page did not."""
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    for asked in (ONE.lower(), ONE[:4], f" {ONE.upper()} "):
        answer = await api.get(f"/players/{quote(asked)}", Accept=BROWSER)
        assert answer.status_code == 303
        assert "zinaida" in names_in(await html(api, answer.headers["location"]))
    assert (await api.get("/players/%20", Accept=BROWSER)).status_code == 404


async def test_players_are_listed_by_how_often_they_play(api: Any) -> None:
    for number, name in enumerate(("Ann", "Ann", "ann", "Cleo / Dov")):
        players = {"one": [{"name": name}], "two": [{"name": f"Guest {number}"}]}
        await api.open(f"m{number}", players=players, publication={"public": True, "delay_ms": 0})
    page = await html(api, "/players")
    listed = re.findall(r'<a href="(/players/[^"]+)">([^<]+)</a> <span[^>]*>([^<]+)<', page)
    assert listed[0] == ("/players/Ann", "Ann", "2 matches")
    assert len(listed) == 7
    for path, name, count in listed:
        shown = await html(api, path)
        assert f"<h1>{name}</h1>" in shown
        assert shown.count("<tr>") == int(count.split()[0]) + 1
    assert (await api.get("/players?name=Ann")).headers["location"] == "/players/Ann"
    # A part of a name, in any case, finds all who have it and nobody else; the form says so.
    assert ">Name, or a part of it</label>" in page
    part = re.findall(
        r'<a href="/players/[^"]+">([^<]+)</a> <span', await html(api, "/players?name=ANN")
    )
    assert sorted(part) == ["Ann", "ann"]
    assert "whose name contains" in await html(api, "/players?name=Zoe")


@pytest.mark.gate
async def test_every_part_of_a_name_finds_all_that_hold_it(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all names are known by now, some of them, or none; later ones become known too."""
    people = ["Ann Berg", "Anna", "ÅNN", "Bergström", "Straße / Dov"]

    async def open_for(first: int, names: list[str]) -> None:
        for number, name in enumerate(names, first):
            players = {"one": [{"name": name}], "two": [{"name": f"Guest {number}"}]}
            public = {"public": True, "delay_ms": 0}
            await api.open(f"m{number}", players=players, publication=public)

    async def found(part: str) -> tuple[set[str], set[str]]:
        query = quote(part)
        rows = (await api.get(f"/logs/club/matches?player={query}&limit=200")).json()["matches"]
        listed = {name for row in rows for side in row["players"].values() for name in side}
        answer = await api.get(f"/players?name={query}")
        if answer.status_code == 303:
            return {part}, listed
        shown = re.findall(r'<a href="/players/[^"]+">([^<]+)</a> <span', answer.text)
        return {unescape(name) for name in shown}, listed

    async def compare(count: int) -> None:
        pairs = [(name, f"Guest {number}") for number, name in enumerate(people[:count])]
        names = [name for pair in pairs for name in pair]
        parts = {name[a : a + 3].strip() for name in names for a in range(0, len(name), 2)}
        for part in {*parts, "zz", "ann", names[0]} - {""}:
            holding = {name for name in names if spelled.asked(part) in spelled.spellings(name)}
            players, listed = await found(part)
            assert players == ({part} if part in names else holding), part
            assert listed == {name for pair in pairs if holding & {*pair} for name in pair}, part

    await open_for(0, people[:3])
    monkeypatch.setattr("api.archive.index.players.LEARNED", 3)
    await compare(3)
    await open_for(3, people[3:])
    await compare(5)
    monkeypatch.setattr("api.routes.shared.listing.FEW", 1)
    monkeypatch.setattr("api.pages.players.FEW", 1)
    await compare(5)


async def test_lists_go_on_where_they_stopped(api: Any) -> None:
    for number in range(104):
        players = {"one": [{"name": "Ann"}], "two": [{"name": f"Guest {number:03}"}]}
        await api.open(f"m{number}", players=players, publication={"public": True, "delay_ms": 0})
    for path in ("/tournaments/club", "/players", "/players/Ann"):
        found: list[str] = []
        following: str | None = path
        pages = 0
        while following is not None:
            page = await html(api, following)
            # What is shown as live is not listed a second time.
            found += re.findall(r"Guest \d{3}", page)
            more = re.search(r'rel="next" href="\?([^"]+)"', page)
            following = None if more is None else f"{path}?{more[1]}"
            pages += 1
        assert sorted(found) == [f"Guest {number:03}" for number in range(104)], path
        assert pages == 3


@pytest.mark.parametrize("order", ["oldest", "newest"])
@pytest.mark.parametrize("more", ["", "&length=7"])
async def test_a_search_by_a_part_of_a_name_goes_on_where_it_stopped(
    api: Any, order: str, more: str
) -> None:
    """Page by page what the whole list, sieved, is; with matches between that do not fit."""
    expected = []
    for number in range(18):
        name, length = ("Dov", "Ann", "Annika")[number % 3], (5, 7)[number % 5 > 2]
        players = {"one": [{"name": name}], "two": [{"name": ("Guest", "Joann")[number % 4 > 2]}]}
        public = {"public": number % 7 != 3, "delay_ms": 0}
        await api.open(f"m{number}", players=players, length=length, publication=public)
        is_found = name != "Dov" or number % 4 > 2
        if public["public"] and is_found and (not more or length == 7):
            expected.append(f"m{number}")
    assert len(expected) > 3
    # The first search has the names known; the second asks the index for those alone.
    for _ in range(2):
        found: list[str] = []
        after = ""
        while True:
            query = f"player=ANN&limit=2&sort={order}{more}{after}"
            answer = (await api.get(f"/logs/club/matches?{query}")).json()
            found += [row["match_id"] for row in answer["matches"]]
            if answer["next_cursor"] is None:
                break
            after = f"&cursor={answer['next_cursor']}"
        assert found == (expected if order == "oldest" else expected[::-1])


async def test_an_empty_archive_says_what_to_do(api: Any) -> None:
    assert 'href="/session?next=/room"' in await html(api, "/")
    keys = cookie_with(api.http, api.director)
    assert "--public" in (await api.get("/", Accept=BROWSER, **keys)).text
    assert "released" in await html(api, "/players")
    assert (await api.get("/tournaments/club", Accept=BROWSER)).status_code == 401
    await api.open(publication={"public": True, "delay_ms": 0})
    assert "Show all" in await html(api, "/tournaments/club?player=nobody")


async def test_a_tournament_says_where_and_when_it_is_held_as_far_as_that_is_disclosed(
    api: Any,
) -> None:
    told = {"title": "Club night", "place": "The <old> library", "starts_on": "2026-10-02"}
    described = {
        "entry_id": str(uuid.uuid4()),
        "tag": "tournament.described",
        "body": {**told, "ends_on": "2026-10-04"},
    }
    path = "/logs/club/events"
    answer = await api.post(path, {"entries": [described]}, api.director, **{"If-Match": "*"})
    assert answer.status_code == 201, answer.text
    await api.open(publication={"public": True, "delay_ms": 0})
    shown = await html(api, "/tournaments/club")
    assert "The &lt;old&gt; library" in shown
    assert '<time datetime="2026-10-02">2026-10-02</time>' in shown
    assert '<time datetime="2026-10-04">2026-10-04</time>' in shown
    found = api.archive.reading.tournament("club")
    api.archive.store.erase_disclosure("club", found.place.sd)
    api.archive.store.erase_disclosure("club", found.starts_on.sd)
    shown = await html(api, "/tournaments/club")
    assert "library" not in shown
    assert "2026-10-02" not in shown
    assert "2026-10-04" in shown


async def test_every_list_says_where_and_when_a_match_was_played(api: Any) -> None:
    where = {"event": "Lantern Cup", "round": "2", "table": "7", "date": "2026-03-14"}
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0}, **where)
    match = "/matches/club/m1"
    for path in ("/", "/tournaments/club", f"/players/{quote(ONE)}", match, f"{match}/replay"):
        page = await html(api, path)
        for words in ("Lantern Cup", "Round 2", "Table 7", "2026-03-14"):
            assert words in page, (path, words)
    feed = (await api.get("/feed.atom")).text
    assert "Lantern Cup, Round 2, Table 7, 2026-03-14, 0–0" in feed


BADGE = re.compile(r'class="badge[^>]*>(?:<[^>]*></span>)?([^<]*)')


async def test_a_match_is_listed_by_how_far_it_has_come(api: Any, make: Any, begin: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    ways = (
        ("waiting", "to begin", ()),
        ("live", "in play", begin()),
        ("ended", "finished", [make("match.ended", winner="two")]),
    )
    for state, badge, entries in ways:
        if entries:
            await api.append(*entries, token=api.director)
        for path in ("/", "/tournaments/club", f"/players/{quote(ONE)}", "/matches/club/m1"):
            badges = set(BADGE.findall(await html(api, path))) - {"1 in play"}
            assert badges == {badge}, path
        lists = [await html(api, path) for path in ("/", "/tournaments/club")]
        assert ["Live now" in page for page in lists] == [state == "live"] * 2
        assert ("1 in play" in lists[0]) == (state == "live")
        assert badge in await html(api, "/matches/club/m1/replay")
        for other in ("waiting", "live", "ended"):
            found = await html(api, f"/tournaments/club?state={other}")
            assert ("Zinaida" in found) == (other == state), other
        [listed] = (await api.get("/logs/club/matches", api.director)).json()["matches"]
        assert listed["state"] == state
        feed = ET.fromstring((await api.get("/feed.atom")).content)
        assert badge in (feed.find(f"{ATOM}entry").findtext(f"{ATOM}title") or "")  # type: ignore[union-attr]


async def test_nobody_is_told_before_its_time_that_a_match_has_begun(
    api: Any, clock: Any, begin: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": DELAY})
    clock.now += DELAY
    await api.append(*begin())
    seen = []
    for later in (0, DELAY - 1, 1):
        clock.now += later
        seen.append((set(BADGE.findall(await html(api, "/"))), "Live now" in await html(api, "/")))
    assert seen == [({"to begin"}, False)] * 2 + [({"in play", "1 in play"}, True)]


async def test_live_tournaments_come_first(api: Any, clock: Any, make: Any, begin: Any) -> None:
    for log in ("early", "late"):
        api.archive.open_tournament(log, f"The {log} one")
        clock.now += 1_000
        token = api.token(Role.DIRECTOR, log=log)
        await api.open("m1", log=log, token=token, publication={"public": True, "delay_ms": 0})
        begun = {"entries": begin()}
        await api.post(f"/logs/{log}/matches/m1/events", begun, token, If_Match="*")
    ended = {"entries": [make("match.ended", winner="one")]}
    token = api.token(Role.DIRECTOR, log="late")
    sent = await api.post("/logs/late/matches/m1/events", ended, token, If_Match="*")
    assert sent.status_code == 201, sent.text
    page = await html(api, "/")
    found = re.findall(r'<a href="/tournaments/(\w+)">', page)
    assert found == ["early", "late"]


async def test_a_list_that_is_being_made_says_so_and_asks_again(api: Any, app: Any) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    app.state.door.index.patience = 0
    answer = await api.get("/", Accept="text/html")
    assert (answer.status_code, answer.headers["refresh"]) == (503, "5")
    assert answer.headers["retry-after"] == "1"
    assert "One moment, please" in answer.text
    assert "went wrong" not in answer.text


# Feeds.


async def test_a_feed_is_atom(api: Any, clock: Any, begin: Any) -> None:
    await api.open("m0", publication={"public": True, "delay_ms": 0})
    clock.now += 60_000
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    for path in ("/feed.atom", "/tournaments/club/feed.atom"):
        answer = await api.get(path)
        assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
        feed = ET.fromstring(answer.content)
        assert feed.tag == f"{ATOM}feed"
        assert feed.findtext(f"{ATOM}id") == f"http://archive{path}"
        entries = feed.findall(f"{ATOM}entry")
        assert [one.findtext(f"{ATOM}id") for one in entries] == [
            "http://archive/matches/club/m1",
            "http://archive/matches/club/m0",
        ]
        for one in (feed, *entries):
            assert one.findtext(f"{ATOM}title")
            assert re.fullmatch(
                r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one.findtext(f"{ATOM}updated") or ""
            )
        assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")
        assert [name.text for name in entries[0].iter(f"{ATOM}name")] == [ONE, TWO]
        known = await api.get(path, If_None_Match=answer.headers["etag"])
        assert known.status_code == 304
        assert answer.headers["last-modified"].endswith("GMT")
    page = await html(api, "/matches/club/m1")
    assert 'type="application/atom+xml"' in page


async def test_a_feed_goes_back_page_by_page_to_the_first_match(
    api: Any, clock: Any, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.feed.NEWEST", 2)
    # Two at the same moment, one that is behind the table, one that nobody may see.
    for number in range(6):
        clock.now += 0 if number == 3 else 60_000
        terms = {"public": number != 4, "delay_ms": 3_600_000 if number == 5 else 0}
        await api.open(f"m{number}", publication=terms)
    await api.append(*begin(), match="m5")
    url: str | None = "/feed.atom"
    pages = []
    while url is not None:
        feed = ET.fromstring((await api.get(url)).content)
        found = [one.findtext(f"{ATOM}id") or "" for one in feed.findall(f"{ATOM}entry")]
        pages.append([one.rpartition("/")[2] for one in found])
        links = {one.get("rel"): one.get("href") for one in feed.findall(f"{ATOM}link")}
        assert links["self"] == f"http://archive{url}"
        assert links["first"] == "http://archive/feed.atom"
        url = (links.get("next") or "").removeprefix("http://archive") or None
    assert pages == [["m3", "m2"], ["m1", "m0"]]
    # It continues in the language of the request, and is one feed in both languages.
    german = ET.fromstring((await api.get("/feed.atom?lang=de")).content)
    links = {one.get("rel"): one.get("href") for one in german.findall(f"{ATOM}link")}
    assert links["self"] == "http://archive/feed.atom?lang=de"
    assert (links["next"] or "").endswith("&lang=de")
    assert german.findtext(f"{ATOM}id") == "http://archive/feed.atom"
    assert (await api.get("/feed.atom?cursor=nonsense")).status_code == 400


async def test_a_feed_holds_whatever_people_call_themselves(api: Any) -> None:
    name = "<b>&\u202e\ufffe]]>"
    await api.open(
        players={"one": [{"name": name}], "two": []}, publication={"public": True, "delay_ms": 0}
    )
    feed = ET.fromstring((await api.get("/feed.atom")).content)
    title = feed.find(f"{ATOM}entry").findtext(f"{ATOM}title")  # type: ignore[union-attr]
    assert (title or "").startswith("<b>&\ufffd\ufffd]]>")


@pytest.mark.parametrize(
    "name",
    [
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
        "\u5c71\u7530\u3000\u592a\u90ce",
        "Ann \U0001f469\u200d\U0001f680",
        "Jean\u00a0Dupont",
    ],
)
async def test_a_name_is_told_as_it_is_spelled_wherever_it_is_told(
    api: Any, make: Any, begin: Any, name: str
) -> None:
    """What joins the letters of a Persian name, or parts a Japanese one, belongs to it."""
    players = {"one": [{"name": name}], "two": [{"name": "Bo"}]}
    await api.open(length=1, players=players, publication={"public": True, "delay_ms": 0})
    await api.append(begin()[0], make("dice.opening_rolled", one=3, two=1))
    await api.append(make("play.made", seat="one", moves=[[6, 5], [6, 5]]))
    await api.append(make("match.ended", winner="one"))
    feed = ET.fromstring((await api.get("/feed.atom")).content)
    assert name in (feed.findtext(f"{ATOM}entry/{ATOM}title") or "")
    assert feed.findtext(f"{ATOM}entry/{ATOM}author/{ATOM}name") == name
    for path in ("", "/board.svg", "/replay", "/overlay"):
        shown = unescape(await html(api, f"/matches/club/m1{path}"))
        assert name in shown
        assert "\N{REPLACEMENT CHARACTER}" not in shown, path
    text = (await api.get("/logs/club/matches/m1/export.txt")).text
    assert "\N{REPLACEMENT CHARACTER}" not in text


async def test_a_feed_tells_anew_of_a_match_whose_end_is_put_right(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    """A reader that was told "Ann has won" looks at an entry again only where it is younger."""
    await api.open(length=1, publication={"public": True, "delay_ms": 0})
    offered = make("resignation.offered", seat="two", level="single")
    accepted = make("resignation.accepted", seat="one")
    await api.append(*begin(), offered, accepted)
    seen: list[tuple[str, str]] = []

    async def look() -> str:
        entry = ET.fromstring((await api.get("/feed.atom")).content).find(f"{ATOM}entry")
        assert entry is not None
        updated, title = (entry.findtext(f"{ATOM}{one}") or "" for one in ("updated", "title"))
        if seen and seen[-1][1] != title:
            assert updated > seen[-1][0]
        seen.append((updated, title))
        clock.now += 60_000
        return title

    assert "Ann has won" in await look()
    back = make("entry.retracted", target=accepted["entry_id"])
    await api.append(back)
    assert "in play" in await look()
    # Further play is not news, and does not repeat old news.
    await api.append(make("resignation.refused", seat="one"))
    told = seen[-1]
    await look()
    assert seen[-1] == told
    await api.append(make("entry.retracted", target=back["entry_id"]))
    assert "Ann has won" in await look()


async def test_a_score_is_not_turned_round_by_a_name_from_right_to_left(
    api: Any, make: Any
) -> None:
    """Behind Hebrew letters a line shows 1-0 as 0-1, unless something from left to right parts
    them."""
    hebrew, mark = "\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET}", "\N{LEFT-TO-RIGHT MARK}"
    players = {"one": [{"name": "Ann"}], "two": [{"name": hebrew}]}
    terms = {"public": True, "delay_ms": 0}
    await api.open(length=3, players=players, event=hebrew, publication=terms)
    won = make("game.won", winner="one", points=1)
    await api.append(make("game.started"), won, token=api.director)
    feed = ET.fromstring((await api.get("/feed.atom")).content)
    title = feed.findtext(f"{ATOM}entry/{ATOM}title") or ""
    summary = feed.findtext(f"{ATOM}entry/{ATOM}summary") or ""
    assert title.startswith(f"Ann \N{EN DASH} {hebrew}{mark}: 1\N{EN DASH}0")
    assert summary.startswith(f"{hebrew}{mark}, 1\N{EN DASH}0")
    assert feed.findtext(f"{ATOM}entry/{ATOM}author[2]/{ATOM}name") == hebrew
    described = f'name="description" content="{hebrew}{mark}, 1\N{EN DASH}0'
    assert described in await html(api, "/matches/club/m1")


async def test_what_is_released_later_is_news_then(api: Any, clock: Any, make: Any) -> None:
    await api.open("m0")
    clock.now += 1_000
    await api.open("m1", publication={"public": True, "delay_ms": 0})
    clock.now += 1_000
    await api.append(make("publication.released"), match="m0", token=api.director)
    entries = ET.fromstring((await api.get("/feed.atom")).content).findall(f"{ATOM}entry")
    assert [(one.findtext(f"{ATOM}id") or "")[-2:] for one in entries] == ["m0", "m1"]


async def test_a_match_that_is_played_says_of_no_play_that_it_was_illegal(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(begin()[0], make("dice.opening_rolled", one=3, two=1))
    await api.append(make("play.made", seat="one", moves=[[6, 5], [6, 5]]))
    page = await html(api, "/matches/club/m1")
    assert "6/5(2)" in page
    assert "illegal" not in page.casefold()
    assert "pips 1" not in page
    assert "shown when the match is over" in page
    assert "not a legal play" not in page
    replay_page = await html(api, "/matches/club/m1/replay")
    assert "illegal" not in replay_page.casefold()
    # Holders of a grant read everything.
    assert "illegal" in (await html(api, "/matches/club/m1", api.director)).casefold()


async def test_what_was_entered_by_mistake_is_no_gap_and_no_dispute(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    gap, dispute = make("play.unseen", seat="two"), make("dispute.raised", by="one")
    await api.append(*begin(), make("dice.rolled", seat="two", dice=[6, 4]), gap)
    assert "Gaps that nobody saw" in await html(api, "/matches/club/m1")
    await api.append(make("entry.retracted", target=gap["entry_id"]))
    await api.append(dispute, token=api.director)
    await api.append(make("entry.retracted", target=dispute["entry_id"]), token=api.director)
    page = await html(api, "/matches/club/m1")
    assert "Gaps that nobody saw" not in page
    assert "no dispute, no ruling" in page
    assert "2 corrections" in page


async def test_an_overlay_lets_no_clock_run_while_a_ruling_is_awaited_or_when_all_is_over(
    api: Any, make: Any, begin: Any
) -> None:
    """The pause may stand behind what both accept, and nobody stops the clock of a match won."""
    await api.open(length=1, publication={"public": True, "delay_ms": 0})
    reserve = {"one": 360_000, "two": 360_000}
    set_up = make("clock.set", kind="simple", delay_ms=12_000, reserve_ms=reserve)
    rolled = make("dice.rolled", seat="two", dice=[6, 4], at_ms=5_000)
    pressed = make("clock.pressed", seat="one", at_ms=0)
    await api.append(set_up, *begin(), pressed, rolled, token=api.director)
    path = "/matches/club/m1/overlay"
    assert "clock running" in await html(api, path)
    paused = make("clock.paused", at_ms=6_000, reason="dispute")
    dispute = make("dispute.raised", by="one", frozen_at=rolled["entry_id"])
    await api.append(paused, dispute, token=api.director)
    shown = await html(api, path)
    assert "a ruling is awaited" in shown
    assert "clock running" not in shown
    ruling = make("ruling.made", dispute=dispute["entry_id"])
    resumed = make("clock.resumed", seat="two", at_ms=7_000)
    await api.append(ruling, resumed, token=api.director)
    assert "clock running" in await html(api, path)
    await api.append(make("resignation.offered", seat="two", level="single"))
    await api.append(make("resignation.accepted", seat="one"))
    shown = await html(api, path)
    assert "won" in shown
    assert "clock running" not in shown


async def test_an_overlay_shows_what_the_public_is_shown_whoever_asks(
    api: Any, clock: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": DELAY})
    set_up = make(
        "clock.set", kind="simple", delay_ms=12_000, reserve_ms={"one": 360_000, "two": 360_000}
    )
    await api.append(set_up, *begin(), token=api.director)
    path = "/matches/club/m1/overlay"
    for token in (None, api.director):
        assert names_in(await html(api, path, token)) == []
    clock.now += DELAY + 1
    shown = await html(api, f"{path}?board=true", api.director)
    assert len(names_in(shown)) >= 4
    assert "6:00" in shown
    assert shown.count('<svg viewBox="0 0') == 1
    assert shown == await html(api, f"{path}?board=true")
    etag = (await api.get(path)).headers["etag"]
    assert (await api.get(path, If_None_Match=etag)).status_code == 304
    dispute = make("dispute.raised", by="one")
    await api.append(dispute, token=api.director)
    assert "a ruling is awaited" not in await html(api, path)
    clock.now += DELAY + 1
    assert "a ruling is awaited" in await html(api, path, api.director)
    await api.append(make("publication.withheld"), token=api.director)
    assert (await api.get(path, api.director, Accept=BROWSER)).status_code == 401


@pytest.mark.parametrize(("at_ms", "left", "free"), [(5_000, 360_000, 7_000), (20_000, 352_000, 0)])
async def test_an_overlay_knows_what_a_turn_has_used_of_its_delay(
    api: Any, make: Any, begin: Any, at_ms: int, left: int, free: int
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    set_up = make(
        "clock.set", kind="simple", delay_ms=12_000, reserve_ms={"one": 360_000, "two": 360_000}
    )
    pressed = make("clock.pressed", seat="one", at_ms=0)
    rolled = make("dice.rolled", seat="two", dice=[6, 4], at_ms=at_ms)
    await api.append(set_up, *begin(), pressed, rolled, token=api.director)
    page = await html(api, "/matches/club/m1/overlay")
    assert f'clock running" data-reserve="{left}" data-free="{free}"' in page
