"""While a ruling is awaited the public's match stands still, whichever address is asked."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from api.archive.channel import GOES_ON, STANDS_STILL, Terms
from api.routes.exports import FORMATS
from events.payloads.access import Role

pytestmark = pytest.mark.gate

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
M = "/logs/club/matches/m1"
PAGE = "/matches/club/m1"
DELAY = 300_000
NAMED = {"players": {"one": [{"name": "Zinaida"}], "two": [{"name": "Quill"}]}, "length": 5}
FROZEN = 4
"""Version of the last entry that both accept: the opening play."""

PAGES = (
    *("/", "/tournaments/club", "/tournaments/club?state=live", "/tournaments/club?state=ended"),
    *("/tournaments/club?player=zin", "/players", "/players/Zinaida", "/players?name=Zinaida"),
    *("/feed.atom", "/tournaments/club/feed.atom", PAGE, f"{PAGE}?at=3", f"{PAGE}?part=now"),
    *(f"{PAGE}?part=sheet", f"{PAGE}/embed", f"{PAGE}/replay", f"{PAGE}/board.svg"),
    *(f"{PAGE}/board.png", f"{PAGE}/card.png", f"{M}/export.zip"),
    *("/tournaments/club/results", "/tournaments/club/wall"),
)


def addresses(description: dict[str, Any]) -> list[str]:
    """Every GET of the description that a match of the log `club` can be told from, and pages."""
    found = list(PAGES)
    for path, acts in description["paths"].items():
        if "get" not in acts or path.endswith("/live"):
            continue
        address = path.replace("{log}", "club").replace("{match}", "m1")
        if "{format}" in address:
            found += [address.replace("{format}", ending) for ending in FORMATS]
        elif "{" not in address:
            found.append(address)
            names = {one["name"] for one in acts["get"].get("parameters", ())}
            found += [f"{address}?at=3"] * ("at" in names)
            found += [f"{address}?as_recorded=true"] * ("as_recorded" in names)
            found += [f"{address}?state={state}" for state in ("live", "ended") if "state" in names]
            found += [f"{address}?player=zin"] * ("player" in names)
    return found


@pytest.fixture
async def described(api: Any) -> Any:
    return (await api.get("/openapi.json")).json()


async def dispute(api: Any, make: Any, begin: Any, **publication: Any) -> dict[str, Any]:
    """A public match with a dispute over its first play, and all that was played on since."""
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0, **publication})
    start = begin()
    await api.append(*start)
    raised = make("dispute.raised", by="one", frozen_at=start[-1]["entry_id"])
    on = [
        make("dice.rolled", seat="two", dice=[6, 5]),
        make("play.made", seat="two", moves=[[24, 18], [18, 13]]),
        make("cube.double_offered", seat="one"),
        make("cube.double_dropped", seat="two"),
        make("match.ended", winner="one"),
    ]
    await api.append(raised, *on, token=api.director)
    return {"raised": raised, "on": on}


def told(text: str, made: dict[str, Any]) -> list[str]:
    """What a text tells of the match after the dispute."""
    ids = [entry["entry_id"] for entry in (made["raised"], *made["on"])]
    found = [one for one in ids if one in text]
    # Seat one leads by a point, the match is over, and Zinaida is said to have won it.
    signs = (
        r'"score":\{"one":1',
        r"\b1–0\b",
        r"\b0–1\b",
        r"24/13|24/18",
        r"\b65:",
        r"Zinaida has won",
        r'"state":"ended"',
        r'"state":"\w+","winner":"one"',
        r'"games":1',
        "Drops|drops",
        r"Zinaida : 1",
    )
    return found + [sign for sign in signs if re.search(sign, text)]


async def test_nothing_after_a_dispute_is_told_to_the_public_before_the_ruling(
    api: Any, make: Any, begin: Any, described: Any
) -> None:
    made = await dispute(api, make, begin)
    answered = set()
    for path in addresses(described):
        answer = await api.get(path, Accept=BROWSER)
        assert answer.status_code < 500, path
        if answer.status_code == 200:
            answered.add(path)
            text = answer.content.decode("utf-8", "replace")
            assert not told(text, made), f"{path}: {told(text, made)}"
    wanted = {"", "/replay", "/score", "/scenes", "/events", "/export.mat", "/export.json"}
    assert {f"{M}{name}" for name in wanted} <= answered
    assert {*PAGES[:2], *PAGES[8:12], *PAGES[14:19]} <= answered
    in_the_hall = {"/logs/club/results.json", "/logs/club/results.csv", *PAGES[-2:]}
    assert in_the_hall <= answered
    assert (await api.get(f"{M}/replay?at={FROZEN + 1}")).status_code == 404
    # Who records it, and who holds a grant to read it, sees what there is.
    for token in (api.scribe, api.token(Role.VIEWER), api.director):
        summary = (await api.get(M, token)).json()
        assert (summary["version"], summary["score"]) == (10, {"one": 1, "two": 0})
        assert summary["awaits_ruling"] is True


async def test_no_page_says_that_there_is_no_dispute_while_one_is_open(
    api: Any, make: Any, begin: Any
) -> None:
    await dispute(api, make, begin)
    page = (await api.get(PAGE)).text
    assert "<dd>a ruling is awaited</dd>" in page
    assert "no dispute" not in page


async def test_every_page_says_that_a_ruling_is_awaited_until_it_is_made(
    api: Any, make: Any, begin: Any
) -> None:
    made = await dispute(api, make, begin)
    pages = ("/", "/tournaments/club", "/players/Zinaida", "/feed.atom", PAGE, f"{PAGE}/embed")
    parts = (f"{PAGE}?part=now", f"{PAGE}/replay", "/tournaments/club/feed.atom")
    for path in (*pages, *parts):
        assert "uling is awaited" in (await api.get(path, Accept=BROWSER)).text, path
    german = await api.get(PAGE, Accept=BROWSER, Accept_Language="de")
    assert "Entscheid steht aus" in german.text
    for name in ("", "/score", "/replay", "/scenes", "/export.json"):
        assert (await api.get(f"{M}{name}")).json()["awaits_ruling"] is True, name
    file = await api.get(f"{M}/export.mat")
    assert file.headers["tabularium-awaits-ruling"] == "true"
    card = (await api.get(f"{PAGE}/card.png")).content
    etag = (await api.get(PAGE, Accept=BROWSER)).headers["etag"]
    ruling = make("ruling.made", dispute=made["raised"]["entry_id"])
    await api.append(ruling, token=api.director)
    for path in (*pages, *parts):
        assert "uling is awaited" not in (await api.get(path, Accept=BROWSER)).text, path
    assert (await api.get(PAGE, Accept=BROWSER, If_None_Match=etag)).status_code == 200
    assert (await api.get(f"{PAGE}/card.png")).content != card
    summary = (await api.get(M)).json()
    assert (summary["score"], summary["state"]) == ({"one": 1, "two": 0}, "ended")
    assert summary["awaits_ruling"] is False
    assert "1–0" in (await api.get("/feed.atom")).text
    assert "tabularium-awaits-ruling" not in (await api.get(f"{M}/export.mat")).headers


async def test_a_dispute_that_is_taken_back_lets_the_match_go_on(
    api: Any, make: Any, begin: Any
) -> None:
    made = await dispute(api, make, begin)
    retracted = make("entry.retracted", target=made["raised"]["entry_id"])
    assert (await api.append(retracted, token=api.director)).status_code == 201
    assert (await api.get(M)).json()["version"] == 11


async def test_lists_of_those_who_may_read_go_by_the_match_as_it_is(
    api: Any, make: Any, begin: Any
) -> None:
    await dispute(api, make, begin)
    for state, count, public in (("ended", 1, 0), ("live", 0, 1)):
        path = f"/tournaments/club?state={state}"
        ruling = (await api.get(path, api.director, Accept=BROWSER)).text
        assert ruling.count("/matches/club/m1") == count, state
        assert ("/matches/club/m1" in (await api.get(path, Accept=BROWSER)).text) is bool(public)


async def test_who_is_behind_the_table_never_sees_a_match_go_back(
    api: Any, make: Any, begin: Any, clock: Any
) -> None:
    made = await dispute(api, make, begin, delay_ms=DELAY)
    clock.now += DELAY
    assert (await api.get(M)).json()["version"] == FROZEN
    await api.append(make("ruling.made", dispute=made["raised"]["entry_id"]), token=api.director)
    # The ruling has been made; behind the table it has not.
    assert (await api.get(M)).json()["version"] == FROZEN
    assert (await api.get(M)).json()["awaits_ruling"] is True
    clock.now += DELAY
    assert (await api.get(M)).json()["version"] == 11
    assert (await api.get(M)).json()["awaits_ruling"] is False


async def frames(stream: AsyncIterator[bytes], until: bytes) -> list[bytes]:
    """Frames of a live stream up to the first that holds some bytes."""
    found: list[bytes] = []
    async with asyncio.timeout(30):
        async for part in stream:
            found += [frame for frame in part.split(b"\n\n") if b"data:" in frame]
            if any(until in frame for frame in found):
                return found
    return found


def versions(found: list[bytes]) -> list[int]:
    """Versions of the entries that are shown; a frame that names an erasure has none."""
    data = [json.loads(frame.rpartition(b"data: ")[2]) for frame in found]
    return [one["version"] for one in data if one.get("version")]


async def test_a_live_stream_stands_still_and_goes_on_with_the_ruling(
    api: Any, make: Any, begin: Any, app: Any
) -> None:
    hub, key = app.state.door.hub, ("club", "m1")
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    start = begin()
    await api.append(*start)
    early = hub.stream(key, Terms(), version=FROZEN, after=0)
    assert versions(await frames(early, b'"version":4')) == [1, 2, 3, 4]
    raised = make("dispute.raised", by="one", frozen_at=start[-2]["entry_id"])
    rolled = make("dice.rolled", seat="two", dice=[6, 5])
    await api.append(raised, rolled, token=api.director)
    assert await frames(early, b"awaits") == [STANDS_STILL.strip()]
    # A reader who comes during the freeze is shown only what both accept: entry 4 is disputed.
    late = hub.stream(key, Terms(), version=3, after=0)
    began = await frames(late, b"awaits")
    assert versions(began) == [1, 2, 3]
    assert began[-1] == STANDS_STILL.strip()
    granted = hub.stream(key, Terms("0" * 64), version=6, after=4)
    assert versions(await frames(granted, b'"version":6')) == [5, 6]
    await api.append(make("ruling.made", dispute=raised["entry_id"]), token=api.director)
    went_on = await frames(early, GOES_ON.strip())
    assert versions(went_on) == [5, 6, 7]
    assert versions(await frames(late, GOES_ON.strip())) == [4, 5, 6, 7]


EMBARGOED = re.compile(r"zinaida|quill|[^a-z]m1[^a-z0-9]", re.I)


async def test_under_appeal_nothing_by_which_a_match_can_be_told_is_told_by_any_address(
    api: Any, make: Any, begin: Any, described: Any
) -> None:
    """The embargo (evidence §6): the public gets no name, id, score or position of it anywhere."""
    await api.open("m0", publication={"public": True, "delay_ms": 0})
    made = await dispute(api, make, begin)
    ruling = make("ruling.made", dispute=made["raised"]["entry_id"])
    filed = make("appeal.filed", target=ruling["entry_id"], seat="two")
    await api.append(ruling, filed, token=api.director)
    asked = addresses(described)
    for path in asked:
        answer = await api.get(path, Accept=BROWSER)
        assert answer.status_code < 500, path
        if "/m1" in path:
            assert answer.status_code in (401, 403, 404, 405), (path, answer.status_code)
        text = answer.text
        for typed in (path, quote(path, safe=""), quote(path), "player=zin", 'value="zin"'):
            text = text.replace(typed, "")
        text = re.sub(r'"instance":"[^"]*"|value="[^"]*"|“[^”]*”', "", text)
        ids = [one["entry_id"] for one in (made["raised"], *made["on"], ruling, filed)]
        assert not [one for one in ids if one in text], path
        assert not EMBARGOED.search(text), f"{path}: {EMBARGOED.search(text)}"
    decided = make("appeal.decided", outcome="upheld", appeal=filed["entry_id"])
    assert (await api.append(decided, token=api.director)).status_code == 201
    assert (await api.get(M)).status_code == 200
    assert "Zinaida" in (await api.get("/", Accept=BROWSER)).text


async def test_a_page_of_a_match_in_play_shows_no_pips_and_no_ids(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    entries = begin()
    await api.append(*entries, make("dice.rolled", seat="two", dice=[6, 5]))
    ids = [entry["entry_id"] for entry in entries]
    doors = (PAGE, f"{PAGE}?at=3", f"{PAGE}?part=now", f"{PAGE}?part=sheet", f"{PAGE}/embed")
    images = (f"{PAGE}/board.svg", f"{PAGE}/board.svg?at=4", f"{M}/export.html")
    for path in (*doors, *images):
        text = (await api.get(path, Accept=BROWSER)).text
        assert not re.search(r"Position ID|Match ID|XGID|\bpips \d|\d pips", text), path
        assert not re.search(r"4HPwATDgc/ABMA|4HPwAT", text), path
        # A file holds the record with its ids; a page that is followed shows none.
        assert path in images or not [one for one in ids if one in text], path
        # Who rules is shown them.
        if path in doors[:2]:
            assert "Position ID" in (await api.get(path, api.director, Accept=BROWSER)).text
    stream = (await api.get(f"{M}/replay")).json()["lines"][0]
    assert "entry_id" not in stream
    await api.append(make("match.ended", winner="one"), token=api.director)
    assert "Position ID" in (await api.get(f"{PAGE}?at=4", Accept=BROWSER)).text


async def test_a_public_line_names_no_entry_by_its_id(
    api: Any, make: Any, begin: Any, app: Any
) -> None:
    await api.open(**NAMED, publication={"public": True, "delay_ms": 0})
    start = begin()
    await api.append(*start, make("entry.retracted", target=start[-1]["entry_id"]))
    hub, key = app.state.door.hub, ("club", "m1")
    public = b"".join(await frames(hub.stream(key, Terms(), version=5, after=0), b"corrected"))
    assert b'"target_version":4' in public
    assert not [one for one in start if one["entry_id"].encode() in public]
    scribes = hub.stream(key, Terms("0" * 64), version=5, after=0)
    assert start[-1]["entry_id"].encode() in b"".join(await frames(scribes, b"corrected"))


MEANWHILE: list[tuple[str, dict[str, Any]]] = [
    ("dice.rolled", {"seat": "two", "dice": [6, 5]}),
    ("play.made", {"seat": "two", "moves": [[24, 18], [18, 13]]}),
    ("clock.set", {"kind": "simple", "reserve_ms": {"one": 600_000, "two": 600_000}}),
    ("director.called", {"by": "two"}),
    ("testimony.given", {"role": "spectator", "says": "I saw it"}),
    ("penalty.assessed", {"seat": "two", "points": 2, "enters_score": True}),
    ("clock.adjusted", {"seat": "two", "amount_ms": -60_000}),
    ("cube.double_offered", {"seat": "one"}),
    ("cube.double_dropped", {"seat": "two"}),
    ("score.noted", {"keeper": "one", "score": {"one": 1, "two": 0}}),
    ("game.started", {"number": 2}),
    ("score.stated", {"score": {"one": 5, "two": 0}}),
    ("player.disqualified", {"seat": "two"}),
    ("match.ended", {"winner": "one"}),
    ("result.posted", {"winner": "one", "score": {"one": 5, "two": 0}}),
]
"""What happens at a table and in the room while a ruling is awaited."""

OF_THE_LOG = ("/logs", "/logs/club", "/logs/club/checkpoint", "/logs/club/proof", "/metrics")
"""What says how large the log is, of whichever matches: its proofs are open to everybody."""
OF_THE_SERVER = "/health"
"""It says how long a commit took and how much of the disk is free, which change by themselves."""


async def answers(api: Any, paths: list[str]) -> dict[str, Any]:
    """Status, headers and body by path, as somebody gets them who has not signed in."""
    found = {}
    for path in paths:
        is_of_the_log = path in OF_THE_LOG or path.startswith(
            tuple(f"{one}/" for one in OF_THE_LOG[2:])
        )
        if is_of_the_log or path == OF_THE_SERVER:
            continue
        answer = await api.get(path, Accept=BROWSER)
        found[path] = (answer.status_code, dict(answer.headers), answer.content)
    return found


@pytest.mark.parametrize(
    ("delay_ms", "url"),
    [
        (0, "sqlite"),
        (DELAY, "memory"),
        # What is compared is what the doors say of the same entries, whatever store holds them.
        pytest.param(0, "memory", marks=pytest.mark.long),
        pytest.param(DELAY, "sqlite", marks=pytest.mark.long),
    ],
    indirect=["url"],
)
async def test_nothing_that_is_recorded_while_a_ruling_is_awaited_changes_any_answer(
    api: Any, make: Any, begin: Any, clock: Any, described: Any, delay_ms: int
) -> None:
    """Neither a body, nor its length, nor a header: who compares answers learns nothing."""
    await api.open(**NAMED, publication={"public": True, "delay_ms": delay_ms})
    start = begin()
    await api.append(*start)
    raised = make("dispute.raised", by="one", frozen_at=start[-1]["entry_id"])
    await api.append(raised, token=api.director)
    clock.now += 2 * DELAY
    paths = [*addresses(described), *(f"{M}/legal-plays?at={at}" for at in range(1, 25))]
    paths += [
        f"{M}/{view}?at={at}" for view in ("position", "replay", "scenes") for at in (4, 5, 9)
    ]
    before = await answers(api, paths)
    assert sum(status == 200 for status, _, _ in before.values()) > 60
    for tag, body in MEANWHILE:
        answer = await api.append(make(tag, **body), token=api.director)
        assert answer.status_code == 201, answer.text
    clock.now += 2 * DELAY
    after = await answers(api, paths)
    assert {place for place, was in before.items() if after[place] != was} == set()
    ruling = make("ruling.made", dispute=raised["entry_id"])
    await api.append(ruling, token=api.director)
    ruled = await answers(api, paths)
    differ = {place for place, was in before.items() if ruled[place] != was}
    # Who is behind the table does not learn either that a ruling was made, before its time comes.
    assert bool(differ) is (delay_ms == 0)
