"""What reaches a seat in a committee: its photos, its own name, and nobody's before it is due."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest
from fastapi import FastAPI

from events.payloads import dispute
from events.payloads.base import Actor
from events.personal import disclose
from tests.api.routes.test_cases import FORM, M, case_of, convened, desk, issued, seated, vote

PHOTO = b"\x89PNG\r\n\x1a\n a photo of a die"
SHA = hashlib.sha256(PHOTO).hexdigest()
FILE = f"/logs/club/files/{SHA}?match=m1"


async def put(api: Any) -> None:
    headers = {"Authorization": f"Bearer {api.scribe}", "Content-Type": "image/png"}
    path = f"/logs/club/files/{SHA}"
    assert (await api.http.put(path, content=PHOTO, headers=headers)).status_code == 201


async def with_photo(api: Any, make: Any, rule_set: str, *, late: bool = False) -> tuple[str, Any]:
    """A case with a photo in it, or one that came after it was given out; a member's token."""
    await api.open(rule_set=rule_set)
    await put(api)
    attached = make("evidence.attached", file=SHA, kind="photo", size_bytes=len(PHOTO))
    ruling = make("ruling.made")
    filed = make("appeal.filed", seat="one", target=ruling["entry_id"])
    before = [make("game.started"), *([] if late else [attached]), ruling, filed]
    for one in before:
        assert (await api.append(one, token=api.director)).status_code == 201
    case = filed["entry_id"]
    codes = (await convened(api, case)).json()["codes"]
    token = await seated(api, codes[0])
    assert (await api.get(FILE, token)).status_code == 403, "before the case is given out"
    given = await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    assert given.status_code == 201
    if late:
        assert (await api.append(attached, token=api.director)).status_code == 201
    return case, token


async def test_a_member_sees_the_photos_that_the_desk_shows(api: Any, make: Any) -> None:
    case, token = await with_photo(api, make, "usbgf-2017-07")
    page = (await desk(api, case, token)).text
    shown = set(re.findall(r'<img class="evidence" src="([^"]*)"', page))
    assert shown == {FILE}
    assert (await api.get(FILE, token)).content == PHOTO
    # A seat is its case's alone: of its log it opens nothing else.
    other = hashlib.sha256(b"another").hexdigest()
    assert (await api.get(f"/logs/club/files/{other}?match=m1", token)).status_code == 403


async def test_whoever_looks_at_a_photo_alone_has_opened_the_case(api: Any, make: Any) -> None:
    case, token = await with_photo(api, make, "usbgf-2017-07")
    for _ in range(2):
        assert (await api.get(FILE, token)).status_code == 200
    await desk(api, case, token)
    opened = (await api.get(f"/logs/club/cases/{case}", api.director)).json()["openings"]
    assert [one["member"] for one in opened] == ["m1"], "one entry for each reader and opening"


async def test_a_photo_that_is_not_in_what_was_given_out_is_none_of_the_seats(
    api: Any, make: Any
) -> None:
    _, token = await with_photo(api, make, "usbgf-2017-07", late=True)
    assert (await api.get(FILE, token)).status_code == 403


async def test_a_blind_committee_and_a_former_member_get_no_photo(api: Any, make: Any) -> None:
    case, token = await with_photo(api, make, "biba-2014")
    assert SHA not in (await desk(api, case, token)).text
    assert (await api.get(FILE, token)).status_code == 403


async def test_whoever_steps_down_gets_no_photo_any_more(api: Any, make: Any) -> None:
    case, token = await with_photo(api, make, "usbgf-2017-07")
    assert (await api.post(f"/cases/{case}/recusal", {}, token)).status_code == 201
    assert (await api.get(FILE, token)).status_code == 403


async def test_what_a_member_wrote_down_is_told_as_the_members_and_by_no_id(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    said = {"reason": "He is my cousin"}
    assert (await api.post(f"/cases/{case}/recusal", said, tokens[2])).status_code == 201
    page = (await desk(api, case, api.director)).text
    assert "He is my cousin" in page
    assert "Written down by Zoë O’Hara (committee)" in page
    assert "erased" not in page
    scenes = (await api.get(f"{M}/scenes", api.director)).json()["scenes"]
    [told] = [
        one for one in scenes if [said["text"] for said in one["words"]] == list(said.values())
    ]
    assert (told["recorder"]["role"], told["recorder"]["name"]) == ("committee", "Zoë O’Hara")


async def test_who_recorded_under_a_grant_of_elsewhere_is_told_as_that(api: Any, make: Any) -> None:
    await api.open(rule_set="usbgf-2017-07")
    commitment, raw = disclose(bytes(16), "says", "The die was flat.")
    given = dispute.TestimonyGiven(role=Actor.SPECTATOR, says=commitment)
    elsewhere = "1b671a64-40d5-491e-99b0-da01ff1f3341"
    draft = api.archive.draft(given, disclosures=(raw,), recorded_by=elsewhere)
    api.archive.append("club", "m1", [draft])
    page = (await api.get("/matches/club/m1", api.director)).text
    assert "somebody whose grant is not in this archive" in page
    scenes = (await api.get(f"{M}/scenes", api.director)).text
    assert elsewhere not in scenes
    assert "unlisted" in scenes


@pytest.mark.parametrize("is_refused", [False, True])
async def test_names_that_were_unsealed_after_one_appeal_are_none_for_the_next_committee(
    api: Any, make: Any, is_refused: bool
) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    for token in tokens:
        assert (await vote(api, case, token, "uphold")).status_code == 201
    pack = make("pack.issued", profile="biba-2014")
    ruling = make("ruling.made")
    second = make("appeal.filed", seat="two", target=ruling["entry_id"])
    later = [
        make("appeal.decided", outcome="upheld", appeal=case),
        pack,
        make("pack.unsealed", pack=pack["entry_id"]),
        make("dice.opening_rolled", one=3, two=1),
        ruling,
        second,
    ]
    for one in later:
        assert (await api.append(one, token=api.director)).status_code == 201, one["tag"]
    if is_refused:
        refused = make("appeal.refused", appeal=second["entry_id"])
        await api.append(refused, token=api.director)
    else:
        codes = (await convened(api, second["entry_id"], ("Per", "Rae", "Sol"))).json()["codes"]
        token = await seated(api, codes[0])
        given = f"/logs/club/cases/{second['entry_id']}/issue"
        assert (await api.post(given, {}, api.director)).status_code == 201
        page = (await desk(api, second["entry_id"], token)).text
        assert not re.search(r"\b(?:Ann|Bo)\b", page), "the second committee is told nobody"
    # Who has decided knows already.
    assert re.search(r"\bAnn\b", (await desk(api, case, tokens[0])).text)


async def test_whoever_comes_with_a_code_that_somebody_else_has_used_is_told(
    api: Any, make: Any
) -> None:
    case = await case_of(api, make, "biba-2014")
    code, *_ = (await convened(api, case)).json()["codes"]
    thief = await seated(api, code)
    late = await api.http.post("/session", content=f"code={code['code']}", headers=FORM)
    assert late.status_code == 401, late.text
    # The seat is seen to be taken; a new code ends it, and a new committee undoes its ballot.
    members = (await api.get(f"/logs/club/cases/{case}", api.director)).json()["members"]
    assert [one["is_seated"] for one in members] == [True, False, False]
    assert (await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)).status_code == 201
    assert (await vote(api, case, thief, "reverse")).status_code == 201
    codes = (await convened(api, case)).json()["codes"]
    assert (await vote(api, case, thief, "reverse")).status_code == 401
    member = await seated(api, codes[0])
    assert (await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)).status_code == 201
    assert (await vote(api, case, member, "uphold")).status_code == 201
    seats = (await api.get(f"/logs/club/cases/{case}", api.director)).json()["members"]
    assert [one["has_voted"] for one in seats] == [True, False, False]


NEVER_ENDING = ("/live", "/follow")


@pytest.mark.parametrize("rule_set", ["biba-2014", "usbgf-2017-07"])
async def test_a_seat_opens_of_all_that_can_be_read_its_case_alone(
    api: Any, make: Any, app: FastAPI, rule_set: str
) -> None:
    case, tokens = await issued(api, make, rule_set)
    names = {"log": "club", "match": "m1", "case": case, "sha256": "0" * 64, "rule_set": rule_set}
    places = {route.path for route in app.routes if "GET" in getattr(route, "methods", ())}
    described = (await api.get("/openapi.json")).json()["paths"]
    places |= {path for path, doors in described.items() if "get" in doors}
    asked = {
        re.sub(r"\{(\w+)(?::path)?\}", lambda found: names.get(found[1], "2"), place)
        for place in places
        if not place.endswith(NEVER_ENDING)
    }
    assert len(asked) > 80
    at_desk = {f"/cases/{case}", "/cases"}
    for path in sorted(asked - at_desk):
        theirs, anybodys = await api.get(path, tokens[0]), await api.get(path)
        is_refused = anybodys.status_code >= 400
        assert theirs.status_code < 500, path
        assert not (is_refused and theirs.status_code < 400), path
        assert "Club night" not in theirs.text, path
    listed = (await api.get("/logs", tokens[0])).json()
    assert listed["logs"] == [], "a seat's log is in no list"


async def test_a_case_that_is_none_any_more_gives_no_photo(api: Any, make: Any) -> None:
    case = await case_of(api, make, "usbgf-2017-07")
    await put(api)
    codes = (await convened(api, case)).json()["codes"]
    token = await seated(api, codes[0])
    await api.append(make("entry.retracted", target=case), token=api.director)
    assert (await api.get(FILE, token)).status_code in (403, 404)
