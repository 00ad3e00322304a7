"""Nobody reads by what he writes: values, files, and corrections that are not his to repeat."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

import pytest
from msgspec.structs import replace

from api.archive.archive import token_hash
from events.payloads.access import Role
from events.payloads.corrections import MomentMarked
from tests.api.routes.conftest import entry

SECRET = "what was said under seal"


def amended(target: str, tag: str, body: dict[str, Any]) -> dict[str, Any]:
    return entry("entry.amended", target=target, tag=tag, schema=1, body=body)


async def said_under_seal(api: Any, make: Any) -> dict[str, Any]:
    """The director's record of what was said under seal, with its commitment visible."""
    said = make("testimony.given", says=SECRET, sealed=True, role="spectator")
    assert (await api.append(said, token=api.director)).status_code == 201
    told = (await api.get("/logs/club/matches/m1/events", api.scribe)).json()["entries"][-1]
    assert SECRET not in str(told)
    found: dict[str, Any] = told
    return found


async def anywhere(api: Any, token: str | None) -> list[str]:
    """Where the words stand, for this reader."""
    found = []
    match = "/logs/club/matches/m1"
    for path in (
        *("/", "/feed.atom", "/logs/club/matches", "/matches/club/m1", "/matches/club/m1/replay"),
        *(match, f"{match}/events", f"{match}/scenes", f"{match}/export.jsonl"),
        *(f"{match}/export.txt", f"{match}/export.html", f"{match}/export.mat"),
    ):
        if SECRET in (await api.get(path, token)).text:
            found.append(path)
    return found


async def test_a_commitment_that_is_seen_is_not_repeated_to_read_its_value(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    scribe = api.token(Role.SCRIBE, match="m1")
    await api.append(*begin(), token=scribe)
    told = await said_under_seal(api, make)
    mark = told["body"]["says"]
    [opened] = (await api.get("/logs/club/matches/m1/events", scribe)).json()["entries"][:1]
    target = told["entry_id"]
    tried = [
        make("moment.marked", target=target, note=mark),
        make("testimony.given", says=mark, role="spectator", sealed=False),
        amended(opened["entry_id"], "match.opened", {**opened["body"], "event": mark}),
        make("entry.retracted", target=opened["entry_id"], reason=mark),
        amended(target, "moment.marked", {"target": target, "note": mark}),
    ]
    for one in tried:
        answer = await api.append(one, token=scribe)
        assert answer.status_code in (403, 422), (one, answer.text)
    unsealed = {"says": mark, "role": "spectator", "sealed": False}
    shown = make("entry.amended", target=target, tag="testimony.given", schema=1, body=unsealed)
    assert (await api.append(shown, token=scribe)).status_code == 403
    for token in (scribe, None):
        assert await anywhere(api, token) == []


async def test_testimony_that_is_put_under_seal_by_a_correction_is_kept_as_it_was_first_recorded(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    said = make("testimony.given", says=SECRET, role="spectator", sealed=False)
    await api.append(*begin(), said, token=api.director)
    viewer = api.token(Role.VIEWER)
    match = "/logs/club/matches/m1"
    recorded = f"{match}/scenes?as_recorded=true"
    assert SECRET in (await api.get(recorded, viewer)).text
    first = amended(said["entry_id"], "testimony.given", {"role": "spectator", "says": SECRET})
    unsealed = {"role": "spectator", "says": f"{SECRET}!", "sealed": False}
    second = amended(first["entry_id"], "testimony.given", unsealed)
    sealed = amended(said["entry_id"], "testimony.given", {**unsealed, "sealed": True})
    answer = await api.append(first, second, sealed, token=api.director)
    assert answer.status_code == 201, answer.text
    for token in (viewer, api.scribe):
        assert await anywhere(api, token) == []
        assert SECRET not in (await api.get(recorded, token)).text
    for path in (f"{match}/events", recorded):
        assert SECRET in (await api.get(path, api.director)).text
    # Where the seal itself was the slip, the words are given as they were.
    back = make("entry.retracted", target=sealed["entry_id"])
    assert (await api.append(back, token=api.director)).status_code == 201
    assert SECRET in (await api.get(recorded, viewer)).text


async def test_testimony_that_is_taken_back_when_it_was_sealed_is_kept_as_it_was_first_recorded(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    said = make("testimony.given", says=SECRET, role="spectator", sealed=False)
    await api.append(*begin(), said, token=api.director)
    body = {"role": "spectator", "says": SECRET, "sealed": True}
    sealed = amended(said["entry_id"], "testimony.given", body)
    back = make("entry.retracted", target=said["entry_id"])
    answer = await api.append(sealed, back, token=api.director)
    assert answer.status_code == 201, answer.text
    viewer = api.token(Role.VIEWER)
    for token in (viewer, api.scribe):
        assert await anywhere(api, token) == []
        scenes = await api.get("/logs/club/matches/m1/scenes?as_recorded=true", token)
        assert SECRET not in scenes.text


async def test_a_value_of_another_match_is_not_repeated_in_ones_own(api: Any, make: Any) -> None:
    players = {"one": [{"name": "Ann", "federation_id": SECRET}], "two": [{"name": "Bo"}]}
    await api.open("m2", players=players, publication={"public": True, "delay_ms": 0})
    await api.open()
    scribe = api.token(Role.SCRIBE, match="m1")
    [opened] = (await api.get("/logs/club/matches/m2/events")).json()["entries"]
    mark = opened["body"]["players"]["one"][0]["federation_id"]
    marked = make("moment.marked", target=str(uuid.uuid4()), note=mark)
    assert (await api.append(marked, token=scribe)).status_code == 422
    assert await anywhere(api, scribe) == []


async def test_a_correction_repeats_what_it_corrects_though_it_was_corrected_before(
    api: Any, make: Any
) -> None:
    await api.open(event="Cup")
    [opened] = (await api.get("/logs/club/matches/m1/events", api.scribe)).json()["entries"]
    amended = {"target": opened["entry_id"], "tag": "match.opened", "schema": 1}
    body = {**opened["body"], "event": "Cup of the club"}
    assert (await api.append(make("entry.amended", **amended, body=body))).status_code == 201
    told = (await api.get("/logs/club/matches/m1/events", api.scribe)).json()["entries"][-1]
    again = {**told["body"]["body"], "length": 7}
    assert (await api.append(make("entry.amended", **amended, body=again))).status_code == 201


async def test_who_reads_a_match_under_appeal_is_not_decided_by_a_correction_of_its_rule_set(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(rule_set="biba-2014")
    [opened] = (await api.get("/logs/club/matches/m1/events", api.scribe)).json()["entries"]

    def under(rule_set: str) -> dict[str, Any]:
        body = {**opened["body"], "rule_set": rule_set}
        return make(
            "entry.amended", target=opened["entry_id"], tag="match.opened", schema=1, body=body
        )

    # Nobody has appealed yet: the person who pinned the wrong rule set may correct it.
    assert (await api.append(under("common"))).status_code == 201
    assert (await api.append(under("biba-2014"))).status_code == 201
    await api.append(*begin(), make("dispute.raised", by="one"))
    ruling = make("ruling.made")
    appeal = make("appeal.filed", target=ruling["entry_id"], seat="one")
    assert (await api.append(ruling, appeal, token=api.director)).status_code == 201
    gone = make("entry.retracted", target=opened["entry_id"])
    for one in (under("common"), under("usbgf-2017-09"), gone):
        answer = await api.append(one)
        assert answer.status_code == 403, answer.text
    assert (await api.get("/logs/club/matches/m1/export.jsonl", api.scribe)).status_code == 403


async def test_a_second_record_stays_beside_its_match(api: Any, make: Any) -> None:
    for match, beside in (("m1", {}), ("m2", {}), ("s1", {"shadow_of": "m1"})):
        assert (await api.open(match, **beside)).status_code == 201
    for match, beside in (("s1", "m2"), ("s1", None), ("m1", "m2")):
        answer = await api.get(f"/logs/club/matches/{match}/events", api.director)
        opened = answer.json()["entries"][0]
        body = {**opened["body"], "shadow_of": beside}
        if beside is None:
            del body["shadow_of"]
        target = opened["entry_id"]
        one = make("entry.amended", target=target, tag="match.opened", schema=1, body=body)
        refused = await api.append(one, match=match, token=api.director)
        assert refused.status_code == 422, refused.text
        if match == "s1":
            gone = make("entry.retracted", target=target)
            assert (await api.append(gone, match=match, token=api.director)).status_code == 422
        length = amended(target, "match.opened", {**opened["body"], "length": 7})
        assert (await api.append(length, match=match, token=api.director)).status_code == 201


@pytest.mark.parametrize("is_amended", [False, True])
@pytest.mark.parametrize("is_film", [False, True])
async def test_a_file_of_another_match_is_not_read_by_naming_it(
    api: Any, make: Any, is_amended: bool, is_film: bool
) -> None:
    data = b"\x89PNG what the camera saw"
    sha256 = hashlib.sha256(data).hexdigest()
    await api.open("m2", publication={"public": True, "delay_ms": 0})
    await api.open()
    scribe = api.token(Role.SCRIBE, match="m1")
    path = f"/logs/club/files/{sha256}"
    auth = {"Authorization": f"Bearer {api.director}", "Content-Type": "image/png"}
    assert (await api.http.put(path, content=data, headers=auth)).status_code in (200, 201)
    shown = make("evidence.attached", file=sha256, kind="photo")
    if is_film:
        shown = make("film.attached", file=sha256)
    assert (await api.append(shown, match="m2", token=api.director)).status_code == 201
    mine = make("evidence.attached", file=sha256, kind="photo")
    if is_amended:
        marked = make("moment.marked", target=str(uuid.uuid4()))
        assert (await api.append(marked, token=scribe)).status_code == 201
        mine = amended(marked["entry_id"], "evidence.attached", mine["body"])
    assert (await api.append(mine, token=scribe)).status_code == 403
    assert (await api.get(path, scribe)).status_code == 403
    # Who reads both matches may show it in both.
    assert (await api.append(mine, token=api.director)).status_code == 201


async def test_what_a_director_corrected_is_undone_by_nobody_who_may_not_correct_it(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open()
    scribe = api.token(Role.SCRIBE, match="m1")
    penalty = make("penalty.assessed", seat="one", points=1)
    await api.append(*begin(), penalty, token=api.director)
    body = {"seat": "two", "points": 2}
    for correction in (
        amended(penalty["entry_id"], "penalty.assessed", body),
        make("entry.retracted", target=penalty["entry_id"]),
    ):
        assert (await api.append(correction, token=api.director)).status_code == 201
        undone = make("entry.retracted", target=correction["entry_id"])
        into = amended(correction["entry_id"], "moment.marked", {"target": penalty["entry_id"]})
        for one in (undone, into):
            assert (await api.append(one, token=scribe)).status_code == 403
        # A scribe's own entries are corrected and taken back as usual.
    own = make("moment.marked", target=penalty["entry_id"])
    back = make("entry.retracted", target=own["entry_id"])
    forth = make("entry.retracted", target=back["entry_id"])
    for one in (own, back, forth):
        assert (await api.append(one, token=scribe)).status_code == 201


async def test_an_entry_of_a_later_program_is_taken_back_as_any_other(api: Any, make: Any) -> None:
    await api.open()
    marked = MomentMarked(target=str(uuid.uuid4()))
    later = replace(api.archive.draft(marked), schema=99)
    api.archive.append("club", "m1", [later])
    back = make("entry.retracted", target=later.entry_id)
    assert (await api.append(back)).status_code == 201


async def test_nobody_records_that_somebody_else_opened_a_case(api: Any, make: Any) -> None:
    await api.open()
    grant = str(uuid.uuid4())
    opened = make("access.case_opened", grant=grant, match="m1", appeal=grant, through=1)
    body = {"entries": [opened]}
    answer = await api.post("/logs/club/events", body, api.director, If_Match="*")
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "scope",
    [{"kind": "match"}, {"kind": "log", "match": "m1"}, {"kind": "match", "match": "tournament"}],
)
async def test_a_grant_is_over_a_match_or_over_the_log(
    api: Any, make: Any, scope: dict[str, str]
) -> None:
    await api.open()
    granted = make("access.granted", token_sha256=token_hash("t"), role="viewer", scope=scope)
    answer = await api.post("/logs/club/events", {"entries": [granted]}, api.director, If_Match="*")
    assert answer.status_code == 422
    assert answer.json()["where"] == "$.entries[0].body.scope.match"
