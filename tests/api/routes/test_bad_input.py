"""Bad input of every kind gets a clear refusal, and nothing of it is written."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from api.routes.shared import requests
from events.canonical import parse_strict
from events.payloads.access import Role
from tests.api.routes.conftest import LOG, MATCH
from tests.bunches import in_bunches

ID = "00000000-0000-4000-8000-0000000000aa"
ROLL = {"entry_id": ID, "tag": "dice.rolled", "body": {"seat": "one", "dice": [3, 1]}}


def batch(**changes: Any) -> bytes:
    return json.dumps({"entries": [{**ROLL, **changes}]}).encode()


def body(**changes: Any) -> bytes:
    return batch(body={**ROLL["body"], **changes})


def opened(*, name: Any = None, headers: Any = None) -> bytes:
    """A batch that opens a match, with this as a name or as the headers of its file."""
    source = {"sha256": "0" * 64, "dialect": "mat", "headers": headers}
    players = {"one": [{"name": name}], "two": []}
    return batch(tag="match.opened", basis="imported", body={"players": players, "source": source})


BAD: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 422),
    "no JSON": (b"{", 422),
    "JSON with a tail": (batch() + b"{}", 422),
    "not UTF-8": (b'{"entries":"\xff"}', 422),
    "UTF-16": ('{"entries":[]}'.encode("utf-16"), 422),
    "an array": (b"[]", 422),
    "a number": (b"17", 422),
    "null": (b"null", 422),
    "no entries": (b"{}", 422),
    "an empty batch": (b'{"entries":[]}', 422),
    "an unknown member of the batch": (b'{"entries":[],"more":1}', 422),
    "entries that are none": (b'{"entries":[1]}', 422),
    "entries in an object": (b'{"entries":{}}', 422),
    "no entry id": (json.dumps({"entries": [{"tag": "dice.rolled"}]}).encode(), 400),
    "no entry id, and a tag that is none": (b'{"entries":[{"tag":7}]}', 400),
    "no entry id, and an unknown member": (b'{"entries":[{"tag":"dice.rolled","more":1}]}', 400),
    "an entry id that is none": (batch(entry_id="1"), 422),
    "an entry id in capitals": (batch(entry_id=ID.upper()), 422),
    "the same entry id twice": (json.dumps({"entries": [ROLL, ROLL]}).encode(), 422),
    "no tag": (json.dumps({"entries": [{"entry_id": ID}]}).encode(), 422),
    "an unknown tag": (batch(tag="dice.eaten"), 422),
    "a tag that is a number": (batch(tag=7), 422),
    "a tag with a line end": (batch(tag="dice.rolled\n"), 422),
    "an unknown member of an entry": (batch(colour="red"), 422),
    "a basis that is none": (batch(basis="dreamt"), 422),
    "a schema from the future": (batch(schema=2), 422),
    "a schema of nought": (batch(schema=0), 422),
    "a body that is no object": (batch(body=[]), 422),
    "no body": (batch(body=None), 422),
    "an unknown member of the body": (body(colour="red"), 422),
    "a missing member of the body": (batch(body={"seat": "one"}), 422),
    "a die of seven": (body(dice=[7, 1]), 422),
    "a die of nought": (body(dice=[0, 1]), 422),
    "three dice": (body(dice=[1, 2, 3]), 422),
    "a die in words": (body(dice=["3", 1]), 422),
    "a die that is true": (body(dice=[True, 1]), 422),
    "a seat that is none": (body(seat="three"), 422),
    "a float": (body(at_ms=1.5), 422),
    "a float that is whole": (body(at_ms=1.0), 422),
    "an exponent": (batch().replace(b"[3, 1]", b"[3, 1e0]"), 422),
    "a huge exponent": (batch().replace(b"[3, 1]", b"[3, 1e400]"), 422),
    "NaN": (batch().replace(b"[3, 1]", b"[3, NaN]"), 422),
    "infinity": (batch().replace(b"[3, 1]", b"[3, Infinity]"), 422),
    "minus nought": (batch().replace(b"[3, 1]", b"[3, -0]"), 422),
    "2 to the 53": (body(at_ms=2**53), 422),
    "2 to the 64": (body(at_ms=2**64), 422),
    "5,000 digits": (batch().replace(b"[3, 1]", b"[3, " + b"1" * 5_000 + b"]"), 422),
    "a duplicate key": (batch().replace(b'"seat"', b'"seat": "two", "seat"'), 422),
    "a duplicate key, escaped": (batch().replace(b'"seat"', b'"se\\u0061t": "two", "seat"'), 422),
    "half a surrogate pair": (body(seat="\ud800"), 422),
    "half a surrogate pair as a key": (body(**{"\udfff": 1}), 422),
    "a key that is not ASCII": (body(wü=1), 422),
    "deep nesting": (b'{"entries":' + b"[" * 500 + b"]" * 500 + b"}", 422),
    "very deep nesting": (b"[" * 100_000, 413),
    "deep nesting under a duplicate key": (
        b'{"entries":' + b"[" * 500 + b"]" * 500 + b',"entries":[]}',
        422,
    ),
    "a context of its own": (batch(context="x"), 422),
    "a device that is a number": (batch(device=7), 422),
    "a device of more letters than any has": (batch(device="d" * 65), 422),
    "a device of half a surrogate pair": (batch(device="\ud800"), 422),
    "a time that is a text": (batch(occurred_at="noon"), 422),
    "a tournament's entry": (batch(tag="tournament.closed", body={}), 422),
    "a name that is true": (opened(name=True), 422),
    "a name that is an object": (opened(name={"first": "Ada"}), 422),
    "a name that is a list": (opened(name=["Ada"]), 422),
    "a name beyond all names": (opened(name="A" * 4_097), 422),
    "more beside a commitment": (opened(name={"sd": "0" * 64, "x": 42}), 422),
    "headers that are no texts": (opened(headers=["Event", 7]), 422),
    "headers that are an object": (opened(headers={"Event": "Lantern Cup"}), 422),
    "an amendment into nothing known": (
        batch(tag="entry.amended", body={"target": ID, "tag": "dice.eaten", "body": {}}),
        422,
    ),
    "an entry above 65,535 bytes": (
        batch(
            tag="position.stated",
            body={"checkers": {"one": [0] * 26, "two": [0] * 26}, "reason": "x" * 70_000},
        ),
        422,
    ),
    "too many entries": (
        json.dumps(
            {"entries": [{**ROLL, "entry_id": ID[:-4] + f"{n:04x}"} for n in range(5_001)]}
        ).encode(),
        413,
    ),
}


@in_bunches("name", BAD)
async def test_a_bad_batch_is_refused_and_nothing_written(begun: Any, name: str) -> None:
    api, (sent, status) = begun, BAD[name]
    size = api.size()
    answer = await api.post("/logs/club/matches/m1/events", sent, api.director, If_Match="*")
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"].startswith("/problems/")
    assert problem["detail"]
    assert problem["instance"] == "/logs/club/matches/m1/events"
    assert api.size() == size
    assert api.version() == 4
    assert api.faults() == []


async def test_one_bad_entry_keeps_the_whole_batch_out(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    answer = await api.append(*begin(), make("dice.rolled", seat="two", dice=[9, 9]))
    assert answer.status_code == 422
    assert answer.json()["where"] == "$.entries[3].body.dice[0]"
    assert api.version() == 1


async def test_a_value_that_is_not_here_is_not_promised(api: Any, make: Any) -> None:
    """Nobody could tell it from one that was taken away without an erasure."""
    await api.open()
    note = make("handling.noted", seat="one", kind="two_hands", detail={"sd": "0" * 64})
    for entries in ([note], [make("turn.ended", seat="one"), note]):
        answer = await api.append(*entries)
        assert answer.status_code == 422
        problem = answer.json()
        assert problem["where"] == f"$.entries[{len(entries) - 1}].body.detail"
        assert "send the value itself" in problem["detail"]
    opened = make("match.opened", players={"one": [{"name": {"sd": "0" * 64}}], "two": []})
    assert (await api.append(opened, match="m2", token=api.director)).status_code == 422
    assert api.version() == 1
    assert api.faults() == []


async def test_a_body_has_no_member_that_came_with_a_later_version(api: Any, make: Any) -> None:
    """Sealed so, a program that knows the older version alone would read it as damaged."""
    await api.open()
    agreed = make("equipment.agreed", item="throwing_side", half="left", until="game")
    answer = await api.append(agreed | {"schema": 1})
    assert answer.status_code == 422
    assert answer.json()["where"] == "$.entries[0].body.until"
    assert (await api.append(agreed | {"schema": 2})).status_code == 201
    old = make("equipment.agreed", item="throwing_side", half="left")
    assert (await api.append(old | {"schema": 1})).status_code == 201


async def test_what_is_corrected_may_be_said_again_even_when_it_is_erased(
    api: Any, make: Any
) -> None:
    await api.open()
    detail = make("handling.noted", seat="one", kind="two_hands", detail="Ann moved two men")
    assert (await api.append(detail)).status_code == 201
    [_, noted] = api.archive.reading.live("club", "m1").recorded
    again = {"sd": noted.payload.detail.sd}
    body = {"seat": "two", "kind": "two_hands", "detail": again}
    of = {"target": detail["entry_id"], "tag": "handling.noted", "schema": 1}
    more = make("entry.amended", **of, body=body)
    assert (await api.append(more)).status_code == 201
    gone = make("disclosure.erased", commitments=[again["sd"]])
    archivist = api.token(Role.ARCHIVIST)
    answer = await api.post("/logs/club/events", {"entries": [gone]}, archivist, If_Match="*")
    assert answer.status_code == 201, answer.text
    assert (await api.append(more | {"entry_id": str(uuid.uuid4())})).status_code == 201
    # The first request once more: it is a retry, whatever was erased meanwhile.
    assert (await api.append(more)).status_code == 200


@pytest.mark.parametrize(
    "header", ["", "one", '"1', "1.0", "-1", '"1","2"', 'W/"1"', "1" * 20, "**", "²"]
)
async def test_an_if_match_that_is_no_version_is_refused(api: Any, make: Any, header: str) -> None:
    await api.open()
    answer = await api.http.post(
        "/logs/club/matches/m1/events",
        headers=[
            (b"authorization", f"Bearer {api.scribe}".encode()),
            (b"if-match", header.encode("latin-1")),
        ],
        json={"entries": [make("turn.ended", seat="one")]},
    )
    assert answer.status_code == 400
    assert api.version() == 1


@pytest.mark.parametrize("place", ["matches/m1/events", "events", "matches/m1/rulings"])
async def test_an_entry_without_the_id_by_which_a_retry_is_known_is_no_request(
    api: Any, make: Any, place: str
) -> None:
    await api.open()
    before = api.size()
    entry = {name: value for name, value in make("ruling.made").items() if name != "entry_id"}
    sent = entry if place.endswith("rulings") else {"entries": [make("game.started"), entry]}
    answer = await api.post(f"/logs/club/{place}", sent, api.director, If_Match="*")
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/bad-request")
    assert answer.json()["where"] == ("$" if sent is entry else "$.entries[1]")
    assert api.size() == before


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/logs/nowhere/matches/m1/events", "no-such-log"),
        ("/logs/UPPER/matches/m1/events", "no-such-log"),
        ("/logs/club/matches/tournament/events", "no-such-match"),
    ],
)
async def test_a_wrong_address_is_404(api: Any, make: Any, path: str, slug: str) -> None:
    operator = api.archive.operator_token()
    answer = await api.post(path, {"entries": [make("game.started")]}, operator, If_Match="*")
    assert answer.status_code == 404
    assert answer.json()["type"] == f"/problems/{slug}"


@pytest.mark.parametrize("match", ["M1", "-m", "m" * 65, "m_1", "%C3%BC", "m%00"])
async def test_a_match_id_that_is_none_is_refused(api: Any, make: Any, match: str) -> None:
    opened = make("match.opened", players={"one": [], "two": []})
    answer = await api.append(opened, match=match, token=api.director)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/bad-identifier"
    assert (await api.get(f"/logs/club/matches/{match}", api.director)).status_code == 404


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"opened": {}},
        {"opened": []},
        {"opened": {"players": {"one": []}}},
        {"opened": {"players": {"one": [], "two": []}}, "match_id": "tournament"},
        {"opened": {"players": {"one": [], "two": []}}, "match_id": ""},
        {"opened": {"players": {"one": [], "two": []}}, "match_id": "No"},
        {"opened": {"players": {"one": [], "two": []}}, "entry_id": "x"},
        {"opened": {"players": {"one": [], "two": []}}, "more": 1},
        {"opened": {"players": {"one": [], "two": []}, "length": 0}},
        {"opened": {"players": {"one": [{"name": 1.5}], "two": []}}},
    ],
)
async def test_a_match_that_cannot_be_opened_is_refused(api: Any, sent: Any) -> None:
    size = api.size()
    answer = await api.post("/logs/club/matches", sent, api.director)
    assert answer.status_code == 422, answer.text
    assert api.size() == size


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"title": 1},
        {"title": "x" * 5_000},
        {"title": "x", "log_id": "Not an id"},
        {"title": "x", "log_id": ""},
        {"title": "x", "more": 1},
        b'{"title":"x","title":"y"}',
    ],
)
async def test_a_log_that_cannot_be_opened_is_refused(api: Any, sent: Any) -> None:
    operator = api.archive.operator_token()
    before = [head.log_id for head in api.archive.store.logs()]
    answer = await api.post("/logs", sent, operator)
    assert answer.status_code == 422, answer.text
    assert [head.log_id for head in api.archive.store.logs()] == before


@pytest.mark.parametrize("length", ["9" * 5_000, "9" * 20, "-1", "1x"])
async def test_a_length_that_is_none_is_refused(api: Any, length: str) -> None:
    answer = await api.http.post("/logs", content=b"{}", headers={"Content-Length": length})
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")


async def test_an_announced_body_that_is_too_large_is_refused_unread(api: Any) -> None:
    answer = await api.post(
        "/logs/club/matches/m1/events", b"x" * 10_000_000, api.scribe, If_Match="*"
    )
    assert answer.status_code == 413
    assert answer.json()["type"] == "/problems/too-large"


async def test_what_is_not_there_is_a_problem_too(api: Any) -> None:
    for answer in (await api.get("/nowhere"), await api.http.put("/logs")):
        assert answer.headers["content-type"] == "application/problem+json"
    assert (await api.http.put("/logs")).status_code == 405
    kind = await api.get("/problems/version-conflict")
    assert kind.json()["status"] == 412
    assert (await api.get("/problems/none")).status_code == 404


# -- whoever has no token in force -----------------------------------------------------------------


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    """A body of which no length is announced."""
    for at in range(0, len(body), 1_000):
        yield body[at : at + 1_000]


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize("token", [None, "0" * 64, "nonsense"])
async def test_a_strangers_body_is_read_as_far_as_a_code_is_long(
    api: Any, token: str | None, is_announced: bool
) -> None:
    body = b'{"entries": [' + b"[]," * 3_000 + b"[]]}"
    headers = {"Content-Type": "application/json"} | (
        {"Authorization": f"Bearer {token}"} if token else {}
    )
    # An append asks for the token before it reads what has no length.
    append = ["/logs/club/matches/m1/events"] if is_announced else []
    for path in ["/session", "/pairings/claims", *append]:
        answer = await api.http.post(
            path, content=body if is_announced else pieces(body), headers=headers
        )
        assert answer.status_code == 413, path
        assert "without a token in force" in answer.json()["detail"]


async def test_whoever_has_a_token_sends_as_much_as_an_evening_is_long(api: Any, make: Any) -> None:
    await api.open()
    answer = await api.append(*(make("turn.ended", seat="one") for _ in range(100)), at=1)
    assert answer.status_code == 201, answer.text


HOSTILE = {
    "empty lists": b"[" + b"[]," * 330_000 + b"[]]",
    "spaced empty lists": b"[ " + b"[]," * 330_000 + b"[]]",
    "numbers and then a fraction": b"[" + b"1," * 500_000 + b"1.5]",
    "many keys": b"{" + b",".join(b'"%d":1' % at for at in range(80_000)) + b"}",
    "many objects": b'{"entries":[' + b"{}," * 200_000 + b"{}]}",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("path", ["matches/m1/events", "matches/m1/rulings", "ingest", "matches"])
async def test_a_body_of_more_values_than_anybody_needs_is_not_taken_apart(
    api: Any, path: str, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked(raw: bytes) -> object:
        raise AssertionError("it was taken apart")

    monkeypatch.setattr(requests, "parse_strict", looked)
    headers = {"Authorization": f"Bearer {api.director}", "If-Match": "*"}
    answer = await api.http.post(f"/logs/club/{path}", content=raw, headers=headers)
    assert answer.status_code == 413
    assert "50,000 values" in answer.json()["detail"]


@pytest.mark.parametrize("count", [1, 900])
async def test_a_large_body_is_taken_apart_beside_the_loop(
    api: Any, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def looked(raw: bytes) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return parse_strict(raw)

    monkeypatch.setattr(requests, "parse_strict", looked)
    await api.open()
    entries = [{**ROLL, "entry_id": str(uuid.UUID(int=at, version=4))} for at in range(count)]
    threads.clear()
    assert (await api.append(*entries, token=api.director)).status_code == 201
    assert threads == [count == 1]


@pytest.mark.parametrize(
    "raw",
    [b"[" * 2_000, b"[" * 2_000 + b"]" * 2_000, b"[" + b"9" * 4_000 + b"]", b'{"a":' * 700],
    ids=["opened and opened", "nested", "one number", "objects in objects"],
)
async def test_what_cannot_be_sealed_is_refused_by_strangers_doors_too(
    api: Any, raw: bytes
) -> None:
    for path in ("/session", "/pairings/claims", "/logs/club/ingest"):
        assert (await api.post(path, raw)).status_code == 422


@pytest.mark.parametrize("url", ["memory://"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/session"),
        ("POST", f"/logs/{LOG}/matches/{MATCH}/events"),
        ("POST", f"/logs/{LOG}/ingest"),
        ("PUT", f"/logs/{LOG}/files/{'0' * 64}"),
    ],
)
async def test_whoever_hangs_up_in_the_middle_of_a_body_is_no_fault_of_the_program(
    api: Any, app: Any, caplog: pytest.LogCaptureFixture, method: str, path: str
) -> None:
    await api.open()
    coming = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    said = {
        "authorization": f"Bearer {api.director}",
        "content-length": "40",
        "content-type": "image/png",
        "if-match": "*",
    }
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in said.items()],
        "scheme": "http",
    }
    await app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert caplog.records == []
