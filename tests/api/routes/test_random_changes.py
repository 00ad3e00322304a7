"""Lists and searches after random changes: updated indexes agree with rebuilt ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from api.app import create_app
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from tests.api.routes.conftest import LOG, Api, Clock, entry

pytestmark = pytest.mark.gate

NAMES = ("Ann", "Zoë Åström", "zoe astrom", "Дмитрий", "Łukasz", "田中", "Weiß", "O'Neil & Söhne")
PARTS = ("zo", "AN", "å", "д", "中", "SS", "ß", "o'n", "& s")
RULE_SETS = ("usbgf-2017-09", "biba-2014", "fcbg-tournament")
DELAY_MS = 600_000
STEPS, LOOKS = 45, 3

ASKED = (
    *("/", "/logs", "/players", "/feed.atom", "/rulings", "/sitemap.xml", "/positions/openings"),
    *(f"/tournaments/{LOG}?state={state}" for state in ("waiting", "live", "ended")),
    *(f"/logs/{LOG}/{what}" for what in ("matches?sort=newest", "export", "players")),
    *(f"/positions/search?limit=200&dice=64{more}" for more in ("", f"&log={LOG}", "&player=zo")),
    "/positions/search?limit=200&finding=illegal-play",
    *(f"/statistics/player?name={quote(name)}" for name in NAMES[:3]),
    *(f"/players/{quote(name, safe='')}" for name in NAMES[:3]),
)
"""Addresses whose answers lists and search are behind."""


class Changes:
    """What happens in a club, by chance: every kind of entry on which lists depend."""

    def __init__(self, api: Api, clock: Clock, chance: random.Random) -> None:
        self.api = api
        self.clock = clock
        self.chance = chance
        self.archivist = api.archive.grant(Role.ARCHIVIST)[0]
        self.entered: dict[str, list[dict[str, Any]]] = {}

    async def one(self) -> None:
        """One of them; some are refused, as they would be at a table."""
        acts = [self.open, *[self.play] * 4, *[self.correct] * 3, *[self.rule] * 3]
        acts += [*[self.show] * 2, self.erase, self.wait]
        await self.chance.choice(acts if self.entered else acts[:1])()

    def _match(self) -> str:
        return self.chance.choice([*self.entered])

    async def _append(self, match: str, *entries: dict[str, Any]) -> None:
        answer = await self.api.append(*entries, match=match, token=self.api.director)
        assert answer.status_code in (201, 409, 422), answer.text
        if answer.status_code == 201:
            self.entered[match] += entries

    async def open(self) -> None:
        match, chance = f"m{len(self.entered)}", self.chance
        opened = {
            "players": {seat: [{"name": chance.choice(NAMES)}] for seat in ("one", "two")},
            "length": chance.choice([1, 5, None]),
            "rule_set": chance.choice([None, *RULE_SETS]),
            "event": chance.choice([None, "Open", "Öpen Cup"]),
            "publication": {"public": chance.random() < 0.7, "delay_ms": self._delay()},
        }
        answer = await self.api.open(match, **opened)
        assert answer.status_code == 201, answer.text
        self.entered[match] = []

    def _delay(self) -> int:
        return self.chance.choice([0, 0, DELAY_MS])

    async def play(self) -> None:
        one, two = self.chance.choice([(3, 1), (6, 4), (4, 6)])
        played = [entry("game.started"), entry("dice.opening_rolled", one=one, two=two)]
        seat = "one" if one > two else "two"
        moves = [[8, 5], [6, 5]] if one == 3 else [[24, 14]]
        played.append(entry("play.made", seat=seat, moves=moves))
        if self.chance.random() < 0.7:
            winner, points = self.chance.choice(["one", "two"]), self.chance.choice([1, 5])
            played.append(entry("game.won", winner=winner, points=points))
        await self._append(self._match(), *played)

    async def correct(self) -> None:
        match = self._match()
        if not self.entered[match]:
            return
        target = self.chance.choice(self.entered[match])
        if target["tag"] == "game.won" and self.chance.random() < 0.5:
            body = {"winner": "two", "points": self.chance.choice([1, 5])}
            said = {"target": target["entry_id"], "tag": "game.won", "schema": 1, "body": body}
            await self._append(match, {**entry("entry.amended"), "body": said})
        else:
            await self._append(match, entry("entry.retracted", target=target["entry_id"]))

    async def rule(self) -> None:
        match = self._match()
        known = {one["tag"]: one["entry_id"] for one in self.entered[match]}
        coming = [entry("dispute.raised"), entry("ruling.made")]
        if "dispute.raised" in known:
            coming.append(entry("ruling.made", dispute=known["dispute.raised"]))
        if "ruling.made" in known:
            coming.append(entry("appeal.filed", seat="two", target=known["ruling.made"]))
        if "appeal.filed" in known:
            coming += [entry("appeal.refused", appeal=known["appeal.filed"])] * 3
        await self._append(match, self.chance.choice(coming))

    async def show(self) -> None:
        acts = [entry("publication.released", delay_ms=self._delay())] * 3
        acts += [entry("publication.withheld"), entry("match.ended"), entry("match.cancelled")]
        await self._append(self._match(), self.chance.choice(acts))

    async def erase(self) -> None:
        name = self.chance.choice(NAMES)
        answer = await self.api.post("/erasures", {"name": name, "confirm": name}, self.archivist)
        assert answer.status_code in (200, 404), answer.text

    async def wait(self) -> None:
        self.clock.now += self.chance.choice([1_000, DELAY_MS // 3, DELAY_MS + 1])


def _of_two_stores(seed: int) -> list[Any]:
    """The same changes over either store, in the gate over one of them."""
    stores = ("memory", "sqlite") if seed % 2 == 0 else ("sqlite", "memory")
    marks = ((), pytest.mark.long)
    return [pytest.param(seed, one, marks=mark) for one, mark in zip(stores, marks, strict=True)]


@pytest.mark.parametrize(
    ("seed", "url"), list(itertools.chain(*map(_of_two_stores, range(3)))), indirect=["url"]
)
async def test_lists_that_went_along_say_what_lists_made_anew_say_and_filters_the_truth(
    api: Api, clock: Clock, seed: int
) -> None:
    chance = random.Random(seed)
    changes = Changes(api, clock, chance)
    tokens = [None, api.token(Role.VIEWER), changes.archivist]
    for _ in range(LOOKS):
        for _ in range(STEPS // LOOKS):
            await changes.one()
            # A reader makes the lists catch up, entry by entry.
            await api.get(chance.choice(ASKED), chance.choice(tokens))
        for token in tokens:
            await _same_as_anew(api, token)
            await _filtered_by_hand(api, token, chance)


async def _same_as_anew(api: Api, token: str | None) -> None:
    archive = api.archive
    with closing(MatchIndex(archive.store, archive.reading)) as index:
        on_committed = archive.writer.on_committed  # type: ignore[union-attr]
        anew = create_app(archive, Settings(db=archive.url), index=index)
        archive.writer.on_committed = on_committed  # type: ignore[union-attr]
        transport = httpx.ASGITransport(anew)
        async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
            for path in ASKED:
                there = await api.get(path, token)
                headers = {} if token is None else {"Authorization": f"Bearer {token}"}
                here = await http.get(path, headers=headers)
                assert there.status_code == here.status_code, path
                # The order of news, and how much of a log a stranger was shown, depend on who asked
                # when; the content does not.
                assert _parts(there) == _parts(here), (path, token)
        anew.state.door.looks.close()


def _parts(answer: httpx.Response) -> list[str]:
    if answer.is_redirect:
        return [answer.headers["location"]]
    if answer.headers["content-type"] in ("application/json", "application/problem+json"):
        return sorted(map(str, _leaves(answer.json())))
    return sorted(answer.text.replace("</li>", "\n").splitlines())


def _leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        kept = ((k, v) for k, v in value.items() if k not in ("size", "root", "instance"))
        return list(itertools.chain(*(_leaves(v, f"{path}.{k}") for k, v in kept)))
    if isinstance(value, list):
        return list(itertools.chain(*(_leaves(one, path) for one in value)))
    return [(path, value)]


Fits = Callable[[dict[str, Any]], bool]


async def _filtered_by_hand(api: Api, token: str | None, chance: random.Random) -> None:
    """Each filter leaves in what a look at every match leaves in, page by page, in either order."""
    whole = await _walked(api, token, "", 200)
    filters: list[tuple[str, Fits]] = [
        ("event=ÖPEN", lambda one: "öpen" in (one["event"] or "").casefold()),
        ("length=money", lambda one: not one["length"]),
        ("length=5", lambda one: one["length"] == 5),
        ("rule_set=common", lambda one: one["rule_set"] in (None, "common")),
        *((f"player={quote(part)}", _plays(part)) for part in PARTS),
    ]
    for asked, fits in filters:
        # Of an opening that is younger than the delay nothing is said yet.
        wanted = [one for one in whole if one["version"] and fits(one)]
        assert await _walked(api, token, asked, chance.choice([1, 2, 200])) == wanted, asked
        newest = await _walked(api, token, f"{asked}&sort=newest", chance.choice([1, 2, 200]))
        assert newest[::-1] == wanted, asked


def _plays(part: str) -> Fits:
    def fits(one: dict[str, Any]) -> bool:
        names = one["players"]["one"] + one["players"]["two"]
        return any(part.casefold() in name.casefold() for name in names)

    return fits


async def _walked(api: Api, token: str | None, asked: str, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        answer = await api.get(f"/logs/{LOG}/matches?limit={limit}&{asked}{cursor}", token)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["matches"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"
