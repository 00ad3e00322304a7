"""Signing in: a token in a cookie, writes that are meant, and no way in by another site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from api.archive.archive import token_hash
from api.routes.shared.cookie import COOKIE, CSRF_HEADER, csrf_of, local_path
from api.routes.shared.sessions import Sessions
from events.payloads.access import Role


async def signed_in(api: Any, token: str | None = None) -> str:
    """Sign the client in; the word of its session."""
    answer = await api.post("/session", {"token": token or api.director})
    assert answer.status_code == 204, answer.text
    return str(api.http.cookies[COOKIE])


def cookie_of(answer: httpx.Response) -> str:
    return str(answer.headers["set-cookie"])


async def test_a_session_is_a_cookie_that_no_script_reads_and_holds_no_token(api: Any) -> None:
    answer = await api.post("/session", {"token": api.director})
    assert answer.status_code == 204
    assert answer.content == b""
    parts = cookie_of(answer).split("; ")
    assert parts[0].startswith(f"{COOKIE}=")
    for secret in (api.director, token_hash(api.director)):
        assert secret not in cookie_of(answer)
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(parts)
    assert "Secure" not in parts
    assert not any(part.startswith(("Max-Age", "Expires")) for part in parts)


async def test_over_https_the_cookie_never_goes_over_http(app: Any, api: Any) -> None:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="https://archive") as http:
        answer = await http.post("/session", json={"token": api.director})
    assert "Secure" in cookie_of(answer).split("; ")


async def test_the_cookie_acts_with_the_grants_of_its_token(api: Any) -> None:
    await api.open()
    path = "/logs/club/matches/m1"
    assert (await api.get(path)).status_code == 401
    await signed_in(api)
    answer = await api.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "Cookie" in answer.headers["vary"]
    listed = await api.get("/logs/club/matches")
    assert [row["match_id"] for row in listed.json()["matches"]] == ["m1"]
    assert listed.headers["cache-control"].startswith("private")


async def test_a_write_by_cookie_shows_that_it_is_meant(api: Any, make: Any) -> None:
    await api.open()
    token = await signed_in(api)
    path = "/logs/club/matches/m1/events"
    body = {"entries": [make("publication.released")]}
    for header in ({}, {CSRF_HEADER: "0" * 32}, {CSRF_HEADER: csrf_of("another")}):
        answer = await api.http.post(path, json=body, headers={"If-Match": "*", **header})
        assert answer.status_code == 403
        assert answer.json()["type"] == "/problems/csrf"
    assert api.version() == 1
    headers = {"If-Match": "*", CSRF_HEADER: csrf_of(token)}
    assert (await api.http.post(path, json=body, headers=headers)).status_code == 201


async def test_a_page_is_told_that_its_session_has_ended_and_others_what_a_write_takes(
    api: Any, make: Any
) -> None:
    await api.open()
    await signed_in(api)
    path, body = "/logs/club/matches/m1/events", {"entries": [make("publication.released")]}

    async def told(**headers: str) -> str:
        sent = {"If-Match": "*", "Accept-Language": "en", **headers}
        answer = await api.http.post(path, json=body, headers=sent)
        assert answer.status_code in (401, 403)
        return str(answer.json().get("told"))

    of_another = {CSRF_HEADER: csrf_of("another")}
    assert await told() == "None"
    assert "signed in anew" in await told(**of_another)
    assert "neu angemeldet" in await told(**of_another | {"Accept-Language": "de"})
    api.http.cookies.clear()
    assert "You are signed out" in await told(**of_another)
    assert await told() == "None"


async def test_a_bearer_token_goes_before_the_cookie(api: Any, make: Any) -> None:
    await api.open()
    await signed_in(api, api.token(Role.VIEWER))
    # No CSRF token is needed for what a browser never sends by itself.
    assert (await api.append(make("turn.ended", seat="one"))).status_code == 201
    answer = await api.get("/logs/club/matches/m1", "nonsense")
    assert answer.status_code == 401


async def test_a_viewer_who_signed_in_is_a_viewer(api: Any, make: Any) -> None:
    await api.open()
    token = await signed_in(api, api.token(Role.VIEWER))
    headers = {"If-Match": "*", CSRF_HEADER: csrf_of(token)}
    body = {"entries": [make("turn.ended", seat="one")]}
    answer = await api.http.post("/logs/club/matches/m1/events", json=body, headers=headers)
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems/not-permitted"


async def test_a_cookie_that_holds_no_more_shuts_no_public_page(api: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    token, grant = api.archive.grant(Role.DIRECTOR, log_id="club")
    token = await signed_in(api, token)
    api.archive.revoke(grant, log_id="club")
    assert (await api.get("/logs/club/matches/m1")).status_code == 200
    headers = {"If-Match": "*", CSRF_HEADER: csrf_of(token)}
    answer = await api.http.post("/logs/club/matches/m1/events", json={}, headers=headers)
    assert answer.status_code == 401


@pytest.mark.parametrize("body", [{"token": "nonsense"}, {"token": ""}, {"token": "a; b=c\r\n"}])
async def test_what_is_no_token_signs_nobody_in(api: Any, body: dict[str, str]) -> None:
    answer = await api.post("/session", body)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("body", "status"), [(b"", 422), (b"[", 422), ({}, 422), ({"token": 1}, 422), ([], 422)]
)
async def test_another_body_is_told_what_is_wrong(api: Any, body: Any, status: int) -> None:
    answer = await api.post("/session", body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


async def test_signing_out_takes_the_cookie_away(api: Any) -> None:
    await api.open()
    token = await signed_in(api)
    assert (await api.http.delete("/session")).status_code == 403
    answer = await api.http.delete("/session", headers={CSRF_HEADER: csrf_of(token)})
    assert answer.status_code == 204
    assert "Max-Age=0" in cookie_of(answer)
    assert (await api.get("/logs/club/matches/m1")).status_code == 401
    assert (await api.http.delete("/session")).status_code == 204


async def test_a_copy_of_the_cookie_is_worth_nothing_after_signing_out(api: Any) -> None:
    await api.open()
    word = await signed_in(api)
    copied = {"Cookie": f"{COOKIE}={word}"}
    path = "/logs/club/matches/m1"
    assert (await api.http.get(path, headers=copied)).status_code == 200
    await api.http.delete("/session", headers={CSRF_HEADER: csrf_of(word)})
    api.http.cookies.clear()
    assert (await api.http.get(path, headers=copied)).status_code == 401
    # Nor does it open anything as a token.
    assert (await api.get(path, word)).status_code == 401


async def test_a_session_ends_by_itself(api: Any, clock: Any) -> None:
    await api.open()
    await signed_in(api)
    clock.now += 16 * 3_600_000 - 1
    assert (await api.get("/logs/club/matches/m1")).status_code == 200
    clock.now += 1
    assert (await api.get("/logs/club/matches/m1")).status_code == 401


async def test_whoever_signs_in_anew_leaves_no_session_behind(api: Any) -> None:
    await api.open()
    first = await signed_in(api)
    await signed_in(api, api.scribe)
    api.http.cookies.clear()
    cookie = {"Cookie": f"{COOKIE}={first}"}
    assert (await api.http.get("/logs/club/matches/m1", headers=cookie)).status_code == 401


def test_a_restart_signs_nobody_out_and_the_file_is_its_owners(tmp_path: Path) -> None:
    path, now = tmp_path / "a.sessions", 5
    word = Sessions(path, lambda: now, hours=1).begin("ab")
    assert Sessions(path, lambda: now, hours=1).token_of(word) == "ab"
    assert path.stat().st_mode & 0o777 == 0o600
    assert word.encode() not in path.read_bytes()
    # Where no file can be kept they are kept in memory.
    assert Sessions(tmp_path, lambda: now, hours=1).token_of(word) is None


def test_where_the_disk_is_full_one_signs_in_and_out_and_the_file_learns_it_later(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.sessions"
    sessions = Sessions(path, lambda: 5, hours=1)
    early = sessions.begin("ab")
    sessions._db.execute("PRAGMA query_only=ON")
    late = sessions.begin("cd")
    sessions.end(early)
    assert [sessions.token_of(word) for word in (early, late)] == [None, "cd"]
    sessions._db.execute("PRAGMA query_only=OFF")
    latest = sessions.begin("ef")
    restarted = Sessions(path, lambda: 5, hours=1)
    assert [restarted.token_of(word) for word in (early, late, latest)] == [None, "cd", "ef"]


def test_whoever_signs_in_again_and_again_is_out_where_he_was_longest_and_nobody_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.routes.shared.sessions.MOST_OF_A_TOKEN", 3)
    now = iter(range(10_000))
    sessions = Sessions(tmp_path / "a.sessions", lambda: next(now), hours=1)
    other = sessions.begin("ab")
    words = [sessions.begin("cd") for _ in range(20)]
    assert [sessions.token_of(word) for word in words] == [None] * 17 + ["cd"] * 3
    assert sessions.token_of(other) == "ab"
    assert sessions._db.execute("SELECT count(*) FROM session").fetchone() == (4,)


async def test_the_form_works_without_javascript(api: Any) -> None:
    page = await api.get("/session?next=/room/club")
    assert page.status_code == 200
    assert 'name="next" value="/room/club"' in page.text
    assert 'action="/session"' in page.text
    form = {"token": f" {api.director} ", "next": "/room/club"}
    answer = await api.http.post("/session", data=form)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/room/club"
    assert api.director not in answer.headers["location"]
    again = await api.get("/session?next=/room/club")
    assert csrf_of(api.http.cookies[COOKIE]) in again.text
    assert api.director not in again.text
    out = await api.http.post("/session", data={"csrf": csrf_of(api.http.cookies[COOKIE])})
    assert out.status_code == 303
    assert "Max-Age=0" in cookie_of(out)


async def test_the_form_says_how_long_one_stays_signed_in(api: Any) -> None:
    """A session ends by itself while the browser stays open."""
    assert "this browser is closed, 16 hours at most." in (await api.http.get("/session")).text
    german = (await api.http.get("/session?lang=de")).text
    assert "dieser Browser geschlossen wird, höchstens 16 Stunden." in german


async def test_a_wrong_token_in_the_form_is_told_on_the_page(api: Any) -> None:
    answer = await api.http.post("/session", data={"token": "nonsense", "next": "/room"})
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert "nonsense" not in answer.text
    assert "set-cookie" not in answer.headers


async def test_a_form_of_too_many_fields_is_refused(api: Any) -> None:
    answer = await api.http.post("/session", data={f"f{number}": "x" for number in range(20)})
    assert answer.status_code == 422


async def test_nobody_is_signed_out_by_a_form_of_another_page(api: Any) -> None:
    await signed_in(api)
    answer = await api.http.post("/session", data={"csrf": "0" * 32})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/\\elsewhere.example",
        "room",
        "javascript:alert(1)",
        "/room\r\nSet-Cookie: x=y",
        "/room?a=\\",
        "",
        None,
    ],
)
async def test_one_never_goes_on_to_another_site(api: Any, path: str | None) -> None:
    assert local_path(path) == "/room"
    form = {"token": api.director} | ({} if path is None else {"next": path})
    answer = await api.http.post("/session", data=form)
    assert answer.headers["location"] == "/room"


@pytest.mark.parametrize("path", ["/room/club", "/matches/club/m1?at=3", "/tablet#x"])
def test_a_path_of_this_server_is_gone_on_to(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
    ],
)
async def test_no_other_site_signs_anybody_in(api: Any, headers: dict[str, str]) -> None:
    for sent in ({"json": {"token": api.director}}, {"data": {"token": api.director}}):
        answer = await api.http.post("/session", headers=headers, **sent)
        assert answer.status_code == 403
        assert answer.json()["type"] == "/problems/csrf"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [{"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://archive"}],
)
async def test_our_own_pages_do(api: Any, headers: dict[str, str]) -> None:
    answer = await api.http.post("/session", headers=headers, json={"token": api.director})
    assert answer.status_code == 204


async def test_a_match_is_followed_by_cookie(api: Any) -> None:
    await api.open()
    await signed_in(api, api.token(Role.VIEWER))
    for path in ("/replay", "/events", "/findings", "/export.mat"):
        assert (await api.get(f"/logs/club/matches/m1{path}")).status_code == 200
