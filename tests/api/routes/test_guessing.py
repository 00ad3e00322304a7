"""Wrong tokens and codes: who is slowed down by them, for how long, and who never is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.archive.lateness import Steps
from api.desk.invitations import Invitations
from api.desk.pairing import ALPHABET, GUESSES, Pairings
from api.routes.shared.attempts import ATTACK, FREE, FREE_UNDER_ATTACK, WINDOW_S, Attempts
from api.routes.shared.cookie import CSRF_HEADER, csrf_of
from api.routes.shared.sessions import Sessions
from events.payloads.access import Role
from tests.api.routes.conftest import cookie_with

WRONG = {"token": "wrong"}


class Ticks:
    """A clock that moves forward only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks(app: FastAPI) -> Ticks:
    ticks = Ticks()
    app.state.door.attempts = Attempts(ticks)
    return ticks


@pytest.fixture
def at(app: FastAPI) -> Callable[[str], httpx.AsyncClient]:
    """`at("10.0.0.1")`: a client at this address."""

    def client(address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app, client=(address, 40_000))
        return httpx.AsyncClient(transport=transport, base_url="http://archive")

    return client


async def guess(http: httpx.AsyncClient, times: int) -> list[int]:
    return [(await http.post("/session", json=WRONG)).status_code for _ in range(times)]


async def test_each_wrong_guess_beyond_the_free_ones_doubles_the_wait_up_to_a_minute(
    api: Any, ticks: Ticks
) -> None:
    assert await guess(api.http, FREE) == [401] * FREE
    waits = []
    for _ in range(8):
        for sent in ({"json": {"token": api.director}}, {"data": {"token": api.director}}):
            answer = await api.http.post("/session", **sent)
            assert answer.status_code == 429
        waits.append(int(answer.headers["retry-after"]))
        ticks.now += waits[-1]
        assert await guess(api.http, 1) == [401]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    ticks.now += 60
    assert (await api.post("/session", {"token": api.director})).status_code == 204
    ticks.now += WINDOW_S
    assert await guess(api.http, FREE) == [401] * FREE


@pytest.mark.parametrize("jump_ms", [-(10**10), 10**10])
async def test_a_clock_that_is_set_lets_nobody_in_and_locks_nobody_out(
    api: Any, clock: Any, ticks: Ticks, jump_ms: int
) -> None:
    await guess(api.http, FREE)
    clock.now += jump_ms
    assert (await api.post("/session", {"token": api.director})).status_code == 429
    ticks.now += 1
    assert (await api.post("/session", {"token": api.director})).status_code == 204


async def test_whoever_is_known_is_not_slowed_by_who_guesses_at_the_same_address(
    api: Any, ticks: Ticks
) -> None:
    signed_in = cookie_with(api.http, api.token(Role.VIEWER))
    await guess(api.http, FREE)
    assert (await api.post("/session", WRONG)).status_code == 429
    token = {"token": api.director}
    assert (await api.post("/session", token)).status_code == 429
    assert (await api.post("/session", token, api.scribe)).status_code == 204
    assert (await api.http.post("/session", headers=signed_in, json=token)).status_code == 204


async def test_a_session_is_no_licence_to_guess_codes_but_slows_nobody_else(
    api: Any, ticks: Ticks
) -> None:
    signed_in = cookie_with(api.http, api.token(Role.VIEWER))
    code = {"code": "ABCD-2345"}
    seen = [
        (await api.http.post("/session", headers=signed_in, json=code)).status_code
        for _ in range(FREE + 1)
    ]
    assert seen == [401] * FREE + [429]
    assert await guess(api.http, 1) == [401]


async def test_while_many_addresses_guess_each_has_few_guesses_and_nobody_is_locked_out(
    api: Any, app: FastAPI, ticks: Ticks, at: Any
) -> None:
    for number in range(ATTACK - 1):
        app.state.door.attempts.failed(f"10.0.{number}", is_stranger=True)
    honest = at("192.168.1.7")
    assert await guess(honest, 1) == [401]
    assert await guess(honest, FREE_UNDER_ATTACK) == [401] * (FREE_UNDER_ATTACK - 1) + [429]
    right = {"token": api.director}
    assert (await at("192.168.1.8").post("/session", json=right)).status_code == 204
    ticks.now += 1
    assert (await honest.post("/session", json=right)).status_code == 204
    ticks.now += WINDOW_S
    assert await guess(honest, FREE) == [401] * FREE


async def test_all_of_a_network_of_ipv6_guesses_as_one_and_the_next_network_for_itself(
    api: Any, ticks: Ticks, at: Any
) -> None:
    for number in range(FREE):
        assert await guess(at(f"2001:db8:1:1::{number:x}"), 1) == [401]
    assert await guess(at("2001:db8:1:1:ffff::1"), 1) == [429]
    # Nor is a body looked at that comes from there, whatever it is for.
    refused = await at("2001:db8:1:1:ffff::2").post("/logs/club/ingest", content=b"{}")
    assert refused.status_code == 429
    assert await guess(at("2001:db8:1:2::1"), 1) == [401]


async def test_ipv4_guesses_as_ipv4_where_a_socket_of_both_kinds_writes_it_as_ipv6(
    api: Any, ticks: Ticks, at: Any
) -> None:
    assert await guess(at("::ffff:10.0.0.9"), FREE) == [401] * FREE
    assert await guess(at("10.0.0.9"), 1) == [429]
    assert await guess(at("::ffff:10.0.0.8"), 1) == [401]


async def test_what_strangers_send_that_cannot_be_read_counts_as_wrong_and_a_devices_does_not(
    api: Any, ticks: Ticks
) -> None:
    for _ in range(FREE + 1):
        assert (await api.post("/logs/club/ingest", b"[", api.scribe)).status_code == 422
    for path in ("/pairings/claims", "/session") * (FREE // 2):
        assert (await api.post(path, b"[")).status_code == 422
    for path in ("/pairings/claims", "/session"):
        answer = await api.post(path, b"[")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert (await api.open()).status_code == 201


@pytest.mark.parametrize(
    "path", ["/logs/club/ingest", "/logs/club/matches", "/logs/club/events", "/nowhere"]
)
async def test_after_too_much_nonsense_no_strangers_body_is_looked_at_at_any_door(
    api: Any, ticks: Ticks, path: str
) -> None:
    for _ in range(FREE):
        assert (await api.post("/logs/club/ingest", b"[")).status_code == 422
    answer = await api.post(path, b"{}")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert answer.json()["type"] == "/problems/too-often"
    assert (await api.get("/logs/club/matches")).status_code == 200
    assert (await api.open()).status_code == 201
    ticks.now += 1
    assert (await api.post("/logs/club/ingest", b"{}")).status_code == 422


def test_the_longest_silent_are_forgotten_when_there_are_too_many() -> None:
    attempts = Attempts(lambda: 0.0, at_most=2)
    for who in ("a", "b", "c"):
        for _ in range(FREE):
            attempts.failed(who, is_stranger=True)
    assert [attempts.wait_s(who) for who in ("a", "b", "c")] == [0.0, 1.0, 1.0]


# What a device does beside its guesses.


async def test_who_is_known_works_on_however_often_he_and_his_whole_address_guessed_wrong(
    api: Any, ticks: Ticks, begin: Any
) -> None:
    await api.open()
    code = {"code": "ABCD-2345"}
    assert await guess(api.http, FREE + 1) == [401] * FREE + [429]
    seen = [(await api.post("/session", code, api.scribe)).status_code for _ in range(FREE + 1)]
    assert seen == [401] * FREE + [429]
    assert (await api.append(*begin())).status_code == 201
    signed_in = cookie_with(api.http, api.scribe)
    csrf = csrf_of(signed_in["Cookie"].partition("=")[2])
    sent = await api.http.post(
        "/logs/club/ingest", json={"items": []}, headers={**signed_in, CSRF_HEADER: csrf}
    )
    assert sent.status_code != 429
    assert (await api.get("/logs/club/matches", api.scribe)).status_code == 200


# Codes, each of which counts the guesses at itself.


def with_another_end(code: str, number: int) -> str:
    """The first half of a code, and a second one that is wrong."""
    head, tail = code.replace("-", "")[:4], code[-4:]
    other = [letter for letter in ALPHABET if letter != tail[-1]][number]
    return head + tail[:3] + other


async def pairing_code(api: Any) -> tuple[str, Callable[[str, httpx.AsyncClient], Any]]:
    made = (await api.post("/logs/club/pairings", {}, api.director)).json()

    async def tried(code: str, http: httpx.AsyncClient) -> bool:
        body = {"code": code, "device": "t1", "epoch": 1, "token_sha256": "0" * 64}
        answer = await http.post("/pairings/claims", json={**body, "public_key": None})
        return bool(answer.status_code == 202)

    return made["code"], tried


async def role_code(api: Any) -> tuple[str, Callable[[str, httpx.AsyncClient], Any]]:
    body = {"role": "scribe", "holder": "Omar"}
    made = (await api.post("/logs/club/invitations", body, api.director)).json()

    async def tried(code: str, http: httpx.AsyncClient) -> bool:
        return bool((await http.post("/session", json={"code": code})).status_code == 204)

    return made["code"], tried


@pytest.mark.parametrize("of", [pairing_code, role_code])
async def test_a_code_whose_end_is_guessed_at_is_void_and_no_other_one(
    api: Any, ticks: Ticks, at: Any, of: Any
) -> None:
    guessed, tried = await of(api)
    kept, _ = await of(api)
    assert kept[:4] != guessed[:4]
    for number in range(GUESSES):
        # Whatever the address: it is the code that counts.
        assert not await tried(with_another_end(guessed, number), at(f"10.0.0.{number}"))
    assert not await tried(guessed, at("10.0.1.1"))
    assert await tried(kept, at("10.0.0.1"))


@pytest.mark.parametrize("of", [pairing_code, role_code])
async def test_a_code_that_was_mistyped_a_few_times_is_as_good_as_before(
    api: Any, ticks: Ticks, at: Any, of: Any
) -> None:
    code, tried = await of(api)
    for number in range(GUESSES - 1):
        assert not await tried(with_another_end(code, number), at("10.0.0.1"))
    assert not await tried(code[:4], at("10.0.0.1"))
    assert not await tried("", at("10.0.0.1"))
    assert await tried(code, at("10.0.0.1"))


# Clocks that are set.


@pytest.mark.parametrize("jump_ms", [-(10**8), 10**8])
@pytest.mark.parametrize("of", [pairing_code, role_code])
async def test_a_clock_that_is_set_ends_no_code_and_lengthens_none(
    api: Any, app: FastAPI, clock: Any, at: Any, of: Any, jump_ms: int
) -> None:
    steady = Ticks()
    steps = [Steps(clock, lambda: int(steady.now)) for _ in range(2)]
    door, entropy = app.state.door, api.archive.entropy
    door.pairings = Pairings(clock, entropy, steps[0])
    door.invitations = Invitations(clock, entropy, steps[1])
    first, tried = await of(api)
    second, _ = await of(api)
    clock.now += jump_ms
    assert await tried(first, at("10.0.0.1"))
    life = 60 * 60_000
    clock.now += life
    steady.now += life
    assert not await tried(second, at("10.0.0.1"))


@pytest.mark.parametrize("jump_ms", [-(10**9), 10**9])
@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_clock_that_is_set_signs_nobody_out_and_keeps_nobody_in(
    clock: Any, tmp_path: Path, jump_ms: int, is_restarted: bool
) -> None:
    steady = Ticks()

    def served() -> Sessions:
        steps = Steps(clock, lambda: int(steady.now))
        return Sessions(tmp_path / "a.sessions", clock, steps, hours=1)

    sessions = served()
    word = sessions.begin("ab")
    clock.now += jump_ms
    if is_restarted:
        sessions = served()
    assert sessions.token_of(word) == "ab"
    clock.now += 3_600_000
    steady.now += 3_600_000
    assert sessions.token_of(word) is None


@pytest.mark.parametrize("jump_ms", [-(10**9), 10**9])
def test_servers_that_share_their_sessions_move_them_once_where_the_clock_is_set(
    clock: Any, tmp_path: Path, jump_ms: int
) -> None:
    steady = Ticks()
    steps = [Steps(clock, lambda: int(steady.now)) for _ in range(2)]
    shared = [Sessions(tmp_path / "a.sessions", clock, one, hours=1) for one in steps]
    word = shared[0].begin("ab")
    clock.now += jump_ms
    later = [server.begin("cd") for server in shared]
    assert [server.token_of(word) for server in shared] == ["ab", "ab"]
    clock.now += 3_599_999
    steady.now += 3_599_999
    for server in shared:
        assert [server.token_of(one) for one in (word, *later)] == ["ab", "cd", "cd"]
    clock.now += 1
    steady.now += 1
    for server in shared:
        assert [server.token_of(one) for one in (word, *later)] == [None] * 3


@pytest.mark.parametrize("jump_ms", [-(10**9), 10**9])
@pytest.mark.parametrize("boot", ["of this start", None])
def test_a_step_that_a_full_disk_did_not_take_is_written_later(
    clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boot: str | None, jump_ms: int
) -> None:
    """Also on a machine that does not tell of which start it is."""
    monkeypatch.setattr("api.routes.shared.sessions.boot_of_machine", lambda: boot)
    steady = Ticks()

    def served() -> Sessions:
        steps = Steps(clock, lambda: int(steady.now))
        return Sessions(tmp_path / "a.sessions", clock, steps, hours=1)

    sessions = served()
    words = [sessions.begin("ab")]
    sessions._db.execute("PRAGMA query_only=ON")
    words.append(sessions.begin("ab"))
    clock.now += jump_ms
    words.append(sessions.begin("ab"))
    assert [sessions.token_of(word) for word in words] == ["ab"] * 3
    sessions._db.execute("PRAGMA query_only=OFF")
    clock.now += 3_599_999
    steady.now += 3_599_999
    assert [sessions.token_of(word) for word in words] == ["ab"] * 3
    restarted = served()
    assert [restarted.token_of(word) for word in words] == ["ab"] * 3
    clock.now += 1
    steady.now += 1
    assert [restarted.token_of(word) for word in words] == [None] * 3
