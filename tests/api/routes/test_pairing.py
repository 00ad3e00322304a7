"""Pairing: a code, a claim, four words, a director's answer; nothing is recorded before that."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.archive.archive import Archive
from api.archive.index.index import MatchIndex
from api.desk.fingerprint import WORDS
from api.desk.pairing import ALPHABET, AT_MOST, LIFE_MS, Pairings
from api.settings import Settings
from events.catalogue import read
from events.payloads.access import AccessGranted, Role
from events.payloads.base import Payload
from events.payloads.custody import LeaseGranted

PAIRINGS = "/logs/club/pairings"
TOKEN = "d" * 64
KEY = base64.b64encode(bytes(range(32))).decode()


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def claim(code: str, **more: Any) -> dict[str, Any]:
    made = {
        "code": code,
        "device": "tablet-1",
        "epoch": 1,
        "token_sha256": hashed(TOKEN),
        "public_key": KEY,
    }
    return {**made, **more}


async def opened(api: Any, **body: Any) -> dict[str, Any]:
    answer = await api.post(PAIRINGS, body, api.director)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def claimed(api: Any, *, of: dict[str, Any] | None = None, **more: Any) -> str:
    """A code, made and claimed; the pairing's id."""
    made = await opened(api, **(of or {}))
    answer = await api.post("/pairings/claims", claim(made["code"], **more))
    assert answer.status_code == 202, answer.text
    return str(made["pairing_id"])


async def answered(api: Any, pairing: str, answer: str = "approval", **body: Any) -> httpx.Response:
    made: httpx.Response = await api.post(f"{PAIRINGS}/{pairing}/{answer}", body, api.director)
    return made


def recorded(api: Any) -> list[Payload]:
    return [read(row).payload for row in api.archive.store.read_stream("club", "tournament")]


def granted(api: Any) -> list[AccessGranted]:
    return [payload for payload in recorded(api) if isinstance(payload, AccessGranted)]


async def test_a_code_is_read_aloud_and_scanned(api: Any, clock: Any) -> None:
    await api.open()
    made = await opened(api, match="m1", table="7")
    code = made["code"].replace("-", "")
    assert len(made["code"]) == 9
    assert set(code) <= set(ALPHABET)
    assert not set("01OIL") & set(ALPHABET)
    assert made["url"] == f"http://archive/tablet?code={code}"
    assert made["qr_svg"].startswith("<svg xmlns=")
    assert made["expires_at"] == clock.now + LIFE_MS


async def test_a_device_is_let_in_by_four_words_and_a_director(api: Any) -> None:
    await api.open()
    made = await opened(api, match="m1", table="7")
    size = api.size()
    answer = await api.post("/pairings/claims", claim(made["code"].lower(), label="green cover"))
    assert answer.status_code == 202
    told = answer.json()
    digest = hashlib.sha256(base64.b64decode(KEY)).digest()
    assert told["fingerprint"] == [WORDS[byte] for byte in digest[:4]]
    assert (told["log_id"], told["match_id"]) == ("club", "m1")
    path = f"/pairings/{told['pairing_id']}"
    waiting = await api.get(path, TOKEN)
    assert waiting.json()["state"] == "waiting"
    assert waiting.json()["fingerprint"] == told["fingerprint"]
    [line] = (await api.get(PAIRINGS, api.director)).json()["pairings"]
    assert line["fingerprint"] == told["fingerprint"]
    assert (line["state"], line["label"], line["code"]) == ("waiting", "green cover", None)
    assert api.size() == size
    assert (await api.get("/logs/club/assignment", TOKEN)).status_code == 401

    approval = await answered(api, told["pairing_id"], match="m1")
    assert approval.status_code == 201, approval.text
    assert approval.json()["lease"] == 1
    assert (await api.get(path, TOKEN)).json()["state"] == "approved"
    assert api.size() == size + 2
    grant = granted(api)[-1]
    assert grant.role is Role.SCRIBE
    assert grant.token_sha256 == hashed(TOKEN)
    assert grant.device is not None
    assert (grant.device.id, grant.device.public_key, grant.device.epoch) == ("tablet-1", KEY, 1)
    assignment = (await api.get("/logs/club/assignment", TOKEN)).json()
    [lease] = assignment["leases"]
    assert (lease["match_id"], lease["lease"], lease["shadow_of"]) == ("m1", 1, None)
    assert api.faults() == []


async def test_the_token_is_nowhere(api: Any) -> None:
    await api.open()
    pairing = await claimed(api)
    approval = await answered(api, pairing)
    listed = await api.get(PAIRINGS, api.director)
    entries = await api.get("/logs/club/events", api.director)
    for answer in (approval, listed, entries):
        assert TOKEN not in answer.text


async def test_a_claim_sent_twice_gets_the_same_answer(api: Any) -> None:
    made = await opened(api)
    first = await api.post("/pairings/claims", claim(made["code"]))
    again = await api.post("/pairings/claims", claim(made["code"]))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    await answered(api, made["pairing_id"])
    late = await api.post("/pairings/claims", claim(made["code"]))
    assert (late.status_code, late.json()) == (202, first.json())


async def test_a_code_that_is_typed_half_is_an_unknown_one(api: Any) -> None:
    """The tablet showed that a string of at least eight is expected."""
    made = await opened(api)
    answer = await api.post("/pairings/claims", claim(made["code"][:4]))
    assert answer.json()["type"] == "/problems/no-such-pairing"


async def test_a_code_is_used_once(api: Any) -> None:
    made = await opened(api)
    answers = await asyncio.gather(
        api.post("/pairings/claims", claim(made["code"])),
        api.post(
            "/pairings/claims", claim(made["code"], device="other", token_sha256=hashed("other"))
        ),
    )
    assert sorted(answer.status_code for answer in answers) == [202, 409]
    [refused] = [answer for answer in answers if answer.status_code == 409]
    assert refused.json()["type"] == "/problems/code-taken"


async def test_two_approvals_make_one_grant(api: Any) -> None:
    await api.open()
    pairing = await claimed(api)
    before = len(granted(api))
    answers = await asyncio.gather(
        answered(api, pairing, match="m1"), answered(api, pairing, match="m1")
    )
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    assert answers[0].json() == answers[1].json()
    assert len(granted(api)) == before + 1


async def test_an_approval_and_a_refusal_at_once_are_one_of_them(api: Any) -> None:
    pairing = await claimed(api)
    before = len(granted(api))
    answers = await asyncio.gather(answered(api, pairing), answered(api, pairing, "refusal"))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    is_approved = answers[0].status_code == 201
    assert len(granted(api)) == before + is_approved
    state = (await api.get(f"/pairings/{pairing}", TOKEN)).json()["state"]
    assert state == ("approved" if is_approved else "refused")


async def test_who_is_refused_was_never_let_in(api: Any) -> None:
    pairing = await claimed(api)
    size = api.size()
    assert (await answered(api, pairing, "refusal")).status_code == 201
    assert (await answered(api, pairing, "refusal")).status_code == 200
    assert (await api.get(f"/pairings/{pairing}", TOKEN)).json()["state"] == "refused"
    late = await answered(api, pairing)
    assert late.status_code == 409
    assert late.json()["state"] == "refused"
    assert api.size() == size
    assert (await api.get("/logs/club/assignment", TOKEN)).status_code == 401


async def test_a_code_that_nobody_claimed_cannot_be_approved_and_can_be_taken_back(
    api: Any,
) -> None:
    made = await opened(api)
    answer = await answered(api, made["pairing_id"])
    assert answer.status_code == 409
    assert answer.json()["state"] == "open"
    assert (await answered(api, made["pairing_id"], "refusal")).status_code == 201
    assert (await api.post("/pairings/claims", claim(made["code"]))).status_code == 409


async def test_a_code_is_good_for_ten_minutes(api: Any, clock: Any) -> None:
    made = await opened(api)
    clock.now += LIFE_MS
    answer = await api.post("/pairings/claims", claim(made["code"]))
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/no-such-pairing"
    [line] = (await api.get(PAIRINGS, api.director)).json()["pairings"]
    assert line["state"] == "expired"


async def test_a_claim_waits_ten_minutes_for_its_answer(api: Any, clock: Any) -> None:
    made = await opened(api)
    clock.now += LIFE_MS - 1
    assert (await api.post("/pairings/claims", claim(made["code"]))).status_code == 202
    clock.now += LIFE_MS - 1
    path = f"/pairings/{made['pairing_id']}"
    assert (await api.get(path, TOKEN)).json()["state"] == "waiting"
    clock.now += 1
    assert (await api.get(path, TOKEN)).json()["state"] == "expired"
    late = await answered(api, made["pairing_id"])
    assert late.status_code == 409
    assert late.json()["state"] == "expired"


async def test_a_server_that_starts_anew_has_forgotten_its_codes(
    api: Any, archive: Archive
) -> None:
    made = await opened(api)
    pairing = await claimed(api)
    index = MatchIndex(archive.store, archive.reading)
    later = create_app(archive, Settings(db=archive.url), index=index)
    transport = httpx.ASGITransport(later)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        answer = await http.post("/pairings/claims", json=claim(made["code"]))
        assert answer.status_code == 404
        assert "forgotten" in answer.json()["detail"]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = await http.get(f"/pairings/{pairing}", headers=headers)
        assert answer.status_code == 404
        assert "forgotten" in answer.json()["detail"]
    index.close()


async def test_a_device_that_was_let_in_stays_so_after_a_restart(
    api: Any, archive: Archive
) -> None:
    await answered(api, await claimed(api))
    index = MatchIndex(archive.store, archive.reading)
    later = create_app(archive, Settings(db=archive.url), index=index)
    transport = httpx.ASGITransport(later)
    async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert (await http.get("/logs/club/assignment", headers=headers)).status_code == 200
    index.close()


async def test_only_the_device_hears_what_became_of_its_claim(api: Any) -> None:
    path = f"/pairings/{await claimed(api)}"
    assert (await api.get(path)).status_code == 401
    for token in ("another", api.director):
        answer = await api.get(path, token)
        assert answer.status_code == 404
    assert (await api.get(f"/pairings/{'0' * 32}", TOKEN)).status_code == 404


async def test_only_a_director_makes_codes_and_answers(api: Any) -> None:
    pairing = await claimed(api)
    api.archive.open_tournament("elsewhere", "Another club")
    elsewhere = api.token(Role.DIRECTOR, log="elsewhere")
    for token, status in ((None, 401), (api.scribe, 403), (elsewhere, 403)):
        for path in (PAIRINGS, f"{PAIRINGS}/{pairing}/approval", f"{PAIRINGS}/{pairing}/refusal"):
            assert (await api.post(path, {}, token)).status_code == status
        assert (await api.get(PAIRINGS, token)).status_code == status
    # A director of another log does not find it in his own.
    path = f"/logs/elsewhere/pairings/{pairing}/approval"
    assert (await api.post(path, {}, elsewhere)).status_code == 404


async def test_what_there_is_not_is_said(api: Any) -> None:
    assert (await api.post(PAIRINGS, {"match": "m9"}, api.director)).status_code == 404
    assert (await api.post(PAIRINGS, {"match": "tournament"}, api.director)).status_code == 404
    archivist = api.archive.operator_token()
    assert (await api.post("/logs/nowhere/pairings", {}, archivist)).status_code == 404
    assert (await api.post("/logs/archive/pairings", {}, archivist)).status_code == 404
    pairing = await claimed(api)
    assert (await answered(api, pairing, match="m9")).status_code == 404
    assert (await answered(api, "0" * 32)).status_code == 404
    assert (await answered(api, "x")).status_code in (400, 404)


@pytest.mark.parametrize(
    "wrong",
    [
        {"public_key": "short"},
        {"public_key": base64.b64encode(bytes(31)).decode()},
        {"public_key": "ü" * 43},
        {"device": "two words"},
        {"device": "../etc"},
        {"device": ""},
        {"device": "x" * 65},
        {"epoch": 0},
        {"epoch": "1"},
        {"token_sha256": "A" * 64},
        {"token_sha256": TOKEN[:-1]},
        {"label": "x" * 81},
        {"token": TOKEN},
    ],
)
async def test_a_claim_of_another_shape_is_refused_and_the_code_stays_good(
    api: Any, wrong: dict[str, Any]
) -> None:
    made = await opened(api)
    answer = await api.post("/pairings/claims", claim(made["code"], **wrong))
    assert answer.status_code == 422
    assert answer.json()["where"].startswith("$")
    assert (await api.post("/pairings/claims", claim(made["code"]))).status_code == 202


async def test_a_key_is_kept_in_one_spelling(api: Any) -> None:
    raw = bytes([251] * 32)
    url_safe = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    await answered(api, await claimed(api, public_key=url_safe))
    device = granted(api)[-1].device
    assert device is not None
    assert device.public_key == base64.b64encode(raw).decode()


async def test_a_device_without_a_key_is_known_by_its_token(api: Any) -> None:
    made = await opened(api)
    answer = await api.post("/pairings/claims", claim(made["code"], public_key=None))
    digest = bytes.fromhex(hashed(TOKEN))
    assert answer.json()["fingerprint"] == [WORDS[byte] for byte in digest[:4]]
    [line] = (await api.get(PAIRINGS, api.director)).json()["pairings"]
    assert line["has_key"] is False


async def test_codes_cannot_be_tried_by_the_thousand(api: Any) -> None:
    made = await opened(api)
    for _ in range(20):
        assert (await api.post("/pairings/claims", claim("AAAA-AAAA"))).status_code == 404
    answer = await api.post("/pairings/claims", claim(made["code"]))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    # Known senders are not slowed down by senders who guess.
    answer = await api.post("/pairings/claims", claim(made["code"]), api.scribe)
    assert answer.status_code == 202


async def test_a_device_that_lost_its_storage_begins_another_epoch(api: Any) -> None:
    await api.open()
    await answered(api, await claimed(api), match="m1")
    made = await opened(api)
    lost = {"token_sha256": hashed("second"), "public_key": None}
    answer = await api.post("/pairings/claims", claim(made["code"], **lost))
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/old-epoch"
    assert answer.json()["epoch"] == 2
    answer = await api.post("/pairings/claims", claim(made["code"], **lost, epoch=2))
    assert answer.status_code == 202
    approval = await answered(api, made["pairing_id"], match="m1")
    assert approval.status_code == 201, approval.text
    assert approval.json()["lease"] == 2
    # The old token has gone with the old storage.
    assert (await api.get("/logs/club/assignment", TOKEN)).status_code in (401, 403)
    assignment = (await api.get("/logs/club/assignment", "second")).json()
    assert (assignment["epoch"], assignment["leases"][0]["lease"]) == (2, 2)


@pytest.mark.parametrize("other", [{"epoch": 2}, {"device": "tablet-2"}, {"public_key": None}])
async def test_a_token_is_of_one_device_one_epoch_and_one_key(
    api: Any, other: dict[str, Any]
) -> None:
    await answered(api, await claimed(api))
    made = await opened(api)
    answer = await api.post("/pairings/claims", claim(made["code"], **other))
    assert answer.status_code == 422
    assert answer.json()["where"] == "$.token_sha256"


async def test_a_device_that_lost_nothing_may_be_paired_again(api: Any) -> None:
    await api.open()
    await answered(api, await claimed(api))
    before = len(granted(api))
    approval = await answered(api, await claimed(api), match="m1")
    assert approval.status_code == 201, approval.text
    assert len(granted(api)) == before
    assert approval.json()["grant_id"] is not None
    assert (await api.get("/logs/club/assignment", TOKEN)).json()["leases"][0]["lease"] == 1
    # As after an answer that was lost on its way: it has all of that, and nothing is added.
    size = api.size()
    approval = await answered(api, await claimed(api), match="m1")
    assert (approval.status_code, approval.json()["lease"]) == (201, 1)
    assert api.size() == size


async def test_an_approval_takes_no_board_from_another_device_unless_it_says_so(api: Any) -> None:
    await api.open()
    await answered(api, await claimed(api), match="m1")
    pairing = await claimed(api, device="tablet-2", token_sha256=hashed("second"), public_key=None)
    before = len(granted(api))
    answer = await answered(api, pairing, match="m1")
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/lease-held"
    assert answer.json()["device"] == "tablet-1"
    assert len(granted(api)) == before
    answer = await answered(api, pairing, match="m1", takeover=True)
    assert answer.status_code == 201
    assert recorded(api)[-1] == LeaseGranted(lease=2, device="tablet-2", match="m1", takeover=True)


async def test_an_approval_names_no_match_that_it_did_not_give(api: Any) -> None:
    await api.open()
    made = await opened(api, match="m1")
    assert (await api.post("/pairings/claims", claim(made["code"]))).status_code == 202
    for status in (201, 200):
        answer = await answered(api, made["pairing_id"])
        assert answer.status_code == status, answer.text
        assert (answer.json()["match_id"], answer.json()["lease"]) == (None, None)
    told = (await api.get(f"/pairings/{made['pairing_id']}", TOKEN)).json()
    assert (told["state"], told["match_id"]) == ("approved", None)


async def test_an_approval_says_what_the_screen_may_show(api: Any) -> None:
    await api.open()
    answer = await answered(api, await claimed(api), match="m1", profile="monitor")
    assert answer.status_code == 201, answer.text
    device = answer.json()["device"]
    assert recorded(api)[-1] == LeaseGranted(lease=1, device=device, match="m1", profile="monitor")
    again = await claimed(api)
    answer = await answered(api, again, match="m1")
    assert answer.status_code == 201, answer.text
    assert recorded(api)[-1] == LeaseGranted(
        lease=1, device=device, match="m1", profile="no_assist"
    )


def test_codes_are_bounded_and_the_oldest_goes_first() -> None:
    numbers = iter(range(10**9))

    def entropy(size: int) -> bytes:
        return hashlib.shake_128(str(next(numbers)).encode()).digest(size)

    pairings = Pairings(lambda: 0, entropy)
    made = [pairings.open("club", match_id=None, table=None) for _ in range(AT_MOST + 1)]
    assert pairings.get(made[0].pairing_id) is None
    assert pairings.get(made[1].pairing_id) is made[1]
    assert len({pairing.code for pairing in made}) == AT_MOST + 1


def test_codes_of_one_log_push_out_no_other_ones() -> None:
    pairings = Pairings(lambda: 0, os.urandom)
    first = pairings.open("club", match_id=None, table=None)
    for _ in range(AT_MOST + 1):
        pairings.open("elsewhere", match_id=None, table=None)
    assert pairings.with_code(first.code) is first


def test_every_letter_of_a_code_is_as_likely_as_another() -> None:
    # Bytes above the last whole alphabet are thrown away, such as the first ones given here.
    given = iter([bytes([255] * 8), bytes(range(8)), bytes(16)])
    pairings = Pairings(lambda: 0, lambda size: next(given)[:size])
    assert pairings.open("club", match_id=None, table=None).code == ALPHABET[:8]


def test_the_words_are_256_and_each_is_its_own() -> None:
    assert len(WORDS) == len(set(WORDS)) == 256
    assert all(word.isalpha() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)
