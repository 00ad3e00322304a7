"""One-time codes: handed out by who may, used once, and never by looking at a link."""

from __future__ import annotations

from typing import Any

import pytest

from api.archive.archive import token_hash
from api.routes.shared.cookie import COOKIE
from events.envelope import ARCHIVE_LOG
from events.payloads.access import Role
from tests.api.routes.conftest import door_behind

FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}


async def invited(api: Any, role: str = "viewer", token: str | None = None, **more: Any) -> Any:
    body = {"role": role, "holder": "Omar Lund", **more}
    return await api.post("/logs/club/invitations", body, token or api.director)


async def by_form(api: Any, code: str) -> Any:
    return await api.http.post("/session", content=f"code={code}", headers=FORM)


async def test_a_code_is_exchanged_once_for_a_session_and_a_grant(api: Any) -> None:
    made = (await invited(api, "director")).json()
    assert made["url"].endswith(f"/session?code={made['code'].replace('-', '')}")
    assert made["qr_svg"].startswith("<svg")
    size = api.size()
    answer = await by_form(api, made["code"].lower())
    assert (answer.status_code, answer.headers["location"]) == (303, "/room/club")
    parts = answer.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= set(parts)
    word = parts[0].removeprefix(f"{COOKIE}=")
    assert len(word) > 40
    assert word not in str(answer.headers["location"]) + answer.text
    assert api.size() == size + 1
    roles = (await api.get("/logs/club/roles")).json()
    [own] = [grant for grant in roles["grants"] if grant["is_own"]]
    assert (own["role"], own["holder"], own["kind"]) == ("director", "Omar Lund", "log")
    assert own["last_used_at"] == own["granted_at"] == api.archive.now_ms()
    assert roles["invitations"] == []
    again = await by_form(api, made["code"])
    assert again.status_code == 401
    assert "Set-Cookie" not in again.headers
    assert api.size() == size + 1


async def test_looking_at_the_link_uses_nothing_up(api: Any) -> None:
    made = (await invited(api)).json()
    for _ in range(3):
        page = await api.http.get(made["url"].replace("http://archive", ""))
        assert page.status_code == 200
        assert made["code"] in page.text
        assert "Omar Lund" not in page.text
        assert "no-store" in page.headers["cache-control"]
        assert "set-cookie" not in page.headers
    assert (await by_form(api, made["code"])).headers["location"] == "/tournaments/club"


async def test_a_page_shows_no_code_that_can_be_none(api: Any) -> None:
    page = await api.http.get("/session", params={"code": '"><script>alert(1)</script>'})
    assert "alert" not in page.text


async def test_a_code_ends_after_an_hour_or_when_it_is_taken_back(api: Any, clock: Any) -> None:
    old = (await invited(api)).json()
    clock.now += 60 * 60_000
    assert (await by_form(api, old["code"])).status_code == 401
    made = (await invited(api)).json()
    path = f"/logs/club/invitations/{made['invitation_id']}"
    headers = {"Authorization": f"Bearer {api.director}"}
    assert (await api.http.delete(path)).status_code == 401
    assert (await api.http.delete(path, headers=headers)).status_code == 204
    assert (await api.http.delete(path, headers=headers)).status_code == 404
    assert (await by_form(api, made["code"])).status_code == 401


async def test_nobody_hands_out_more_than_they_hold(api: Any) -> None:
    assert (await invited(api, "archivist")).status_code == 403
    for token in (api.scribe, api.token(Role.COMMITTEE), api.token(Role.VIEWER)):
        assert (await invited(api, "viewer", token)).status_code == 403
    await api.open()
    of_match = api.token(Role.DIRECTOR, match="m1")
    assert (await invited(api, "viewer", of_match, match="m1")).status_code == 403
    own = api.token(Role.ARCHIVIST)
    assert (await invited(api, "archivist", own)).status_code == 201
    body = {"role": "viewer", "holder": "Omar Lund"}
    refused = await api.post(f"/logs/{ARCHIVE_LOG}/invitations", body, own)
    assert refused.status_code == 403
    operator = api.token(Role.ARCHIVIST, log=ARCHIVE_LOG)
    body["role"] = "archivist"
    made = await api.post(f"/logs/{ARCHIVE_LOG}/invitations", body, operator)
    answer = await by_form(api, made.json()["code"])
    assert answer.headers["location"] == "/room"


async def test_a_code_that_gives_more_than_its_reader_holds_is_told_to_nobody_else(
    api: Any,
) -> None:
    of_log = api.token(Role.ARCHIVIST)
    of_all = api.archive.grant(Role.ARCHIVIST)[0]
    director_of_all = api.archive.grant(Role.DIRECTOR, log_id=ARCHIVE_LOG)[0]
    for log, archivist, director in (
        ("club", of_log, api.director),
        (ARCHIVE_LOG, of_all, director_of_all),
    ):
        body = {"role": "archivist", "holder": "Omar Lund"}
        made = (await api.post(f"/logs/{log}/invitations", body, archivist)).json()
        path = f"/logs/{log}/roles"
        told = await api.get(path, director)
        # By the code the director would have been an archivist, who erases people.
        assert (told.status_code, told.json()["invitations"]) == (200, [])
        assert made["code"] not in told.text
        gone = f"/logs/{log}/invitations/{made['invitation_id']}"
        answer = await api.http.delete(gone, headers={"Authorization": f"Bearer {director}"})
        assert answer.status_code == 404
        [own] = (await api.get(path, archivist)).json()["invitations"]
        assert own["code"] == made["code"]


async def test_who_hands_out_too_many_codes_keeps_no_other_log_from_it(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.archive.open_tournament("elsewhere", "Elsewhere")
    monkeypatch.setattr(door_behind(api.http).invitations, "_at_most", 2)
    assert [(await invited(api)).status_code for _ in range(3)] == [201, 201, 409]
    director = api.token(Role.DIRECTOR, log="elsewhere")
    body = {"role": "viewer", "holder": "Ida Berg"}
    made = await api.post("/logs/elsewhere/invitations", body, director)
    assert made.status_code == 201


async def test_a_code_is_worth_nothing_once_its_giver_was_let_go_of(api: Any) -> None:
    made = (await invited(api)).json()
    grant = api.archive.reading.access("club").grant_of(token_hash(api.director))
    api.archive.revoke(grant.grant_id, log_id="club")
    size = api.size()
    assert (await by_form(api, made["code"])).status_code == 401
    assert api.size() == size


async def test_a_code_is_worth_nothing_where_its_giver_is_let_go_of_while_it_is_used(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = (await invited(api)).json()
    grant = api.archive.reading.access("club").grant_of(token_hash(api.director))
    append = api.archive.writer.append

    def revoke_first(unit: Any) -> Any:
        monkeypatch.undo()
        api.archive.revoke(grant.grant_id, log_id="club")
        return append(unit)

    size = api.size()
    monkeypatch.setattr(api.archive.writer, "append", revoke_first)
    assert (await by_form(api, made["code"])).status_code == 401
    assert api.size() == size + 1


async def test_a_code_over_one_match_reaches_no_other(api: Any) -> None:
    await api.open("m1")
    await api.open("m2")
    assert (await invited(api, "viewer", match="m9")).status_code == 404
    made = (await invited(api, "viewer", match="m1")).json()
    answer = await by_form(api, made["code"])
    assert answer.status_code == 303
    assert (await api.get("/logs/club/matches/m1")).status_code == 200
    assert (await api.get("/logs/club/matches/m2")).status_code == 403


async def test_codes_are_not_tried_by_the_thousand(api: Any) -> None:
    made = (await invited(api)).json()
    for _ in range(20):
        assert (await by_form(api, "AAAA-AAAA")).status_code == 401
    answer = await by_form(api, made["code"])
    assert answer.status_code == 429
    assert "Retry-After" in answer.headers


async def test_another_site_cannot_sign_anybody_in_by_a_code(api: Any) -> None:
    made = (await invited(api)).json()
    headers = {**FORM, "Sec-Fetch-Site": "cross-site"}
    answer = await api.http.post("/session", content=f"code={made['code']}", headers=headers)
    assert answer.status_code == 403
    assert (await by_form(api, made["code"])).status_code == 303


@pytest.mark.parametrize("body", [{}, {"token": "a", "code": "b"}])
async def test_a_token_or_a_code_is_sent(api: Any, body: dict[str, str]) -> None:
    assert (await api.post("/session", body)).status_code == 422


async def test_a_program_exchanges_a_code_as_well(api: Any) -> None:
    made = (await invited(api, "viewer")).json()
    answer = await api.post("/session", {"code": made["code"]})
    assert (answer.status_code, answer.content) == (204, b"")
    assert COOKIE in answer.headers["set-cookie"]
