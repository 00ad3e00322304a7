"""A case before its committee, by the doors: seats, sealed ballots, refusals, custody, outcome."""

from __future__ import annotations

import asyncio
import hashlib
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from api.app import create_app
from api.archive.archive import token_hash
from api.archive.index.index import MatchIndex
from api.archive.rule_texts import RuleTexts
from api.desk.ballot_box import BallotBox, ClosedBallot
from api.exchange.sealed.jsonl import read as read_jsonl
from api.html.texts import LANGUAGES, texts_of
from api.refusals import KINDS
from api.routes.exports import FORMATS
from api.settings import Settings
from events.errors import OutcomeUnknown, StoreBusy
from events.payloads.access import Role
from events.payloads.dice import OpeningRolled
from events.payloads.match import GameStarted
from events.values import BySeat
from projections.judging.ballots import commitment_to
from projections.views.ballots import veiled
from projections.views.transcript import transcript
from tests.api.routes.conftest import Api, admitted_by, cookie_with, door_behind

M = "/logs/club/matches/m1"
ON_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
NAMES = ("Ida Berg", "Omar Lund", "Zoë O’Hara")
RULED = [("ruling.made", {"answers": []})]


async def case_of(api: Any, make: Any, rule_set: str, *, kind: str = "any") -> str:
    """A match with an appeal against a ruling; the appeal's id."""
    await api.open(rule_set=rule_set)
    against = {
        "any": make("ruling.made"),
        "disqualification": make("player.disqualified", seat="one"),
        "slow_play": make("penalty.assessed", seat="one", points=1, ground="slow_play"),
    }[kind]
    for entry in (make("game.started"), against):
        assert (await api.append(entry, token=api.director)).status_code == 201
    filed = make("appeal.filed", seat="one", target=against["entry_id"])
    assert (await api.append(filed, token=api.director)).status_code == 201
    return str(filed["entry_id"])


async def convened(api: Any, case: str, names: Any = NAMES, **more: Any) -> Any:
    members = [{"name": name, **more} for name in names]
    return await api.post(f"/logs/club/cases/{case}/committee", {"members": members}, api.director)


async def seated(api: Any, code: Mapping[str, Any]) -> str:
    """A member's token, by their code."""
    entered = await admitted_by(api.http, code["code"])
    assert re.fullmatch(r"/cases/[0-9a-f-]{36}", entered.path)
    return entered.token


async def issued(api: Any, make: Any, rule_set: str, names: Any = NAMES) -> tuple[str, list[str]]:
    """A case that was issued to its committee; its id and the members' tokens."""
    case = await case_of(api, make, rule_set)
    made = await convened(api, case, names)
    assert made.status_code == 201, made.text
    tokens = [await seated(api, code) for code in made.json()["codes"]]
    answer = await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    assert answer.status_code == 201, answer.text
    return case, tokens


async def vote(api: Any, case: str, token: str | None, ballot: str, **more: Any) -> Any:
    return await api.post(f"/cases/{case}/ballots", {"vote": ballot, **more}, token)


async def seen(api: Any, case: str) -> Any:
    return (await api.get(f"/logs/club/cases/{case}", api.director)).json()


@pytest.mark.parametrize(
    ("rule_set", "ballots", "outcome"),
    [
        ("usbgf-2017-07", "uphold reverse reverse", "ruling_changed"),
        ("usbgf-2017-07", "uphold uphold reverse", "ruling_stands"),
        ("biba-2014", "uphold reverse reverse", "ruling_stands"),
        ("biba-2014", "reverse reverse reverse", "ruling_changed"),
        ("fcbg-tournament", "uphold reverse reverse", "ruling_changed"),
        ("fcbg-tournament", "abstain abstain abstain", "ruling_stands"),
    ],
)
async def test_a_case_is_carried_from_its_convening_to_its_outcome(
    api: Any, make: Any, rule_set: str, ballots: str, outcome: str
) -> None:
    case, tokens = await issued(api, make, rule_set)
    for token, ballot in zip(tokens, ballots.split(), strict=True):
        before = await seen(api, case)
        assert [one["vote"] for one in before["members"]] == [None, None, None]
        assert before["outcome"] is None
        answer = await vote(api, case, token, ballot)
        assert answer.status_code == 201, answer.text
    assert answer.json()["is_complete"] is True
    if rule_set == "usbgf-2017-07":
        declined = make("vote.director_declined", appeal=case)
        assert (await api.append(declined, token=api.director)).status_code == 201
    after = await seen(api, case)
    assert [one["vote"] for one in after["members"]] == ballots.split()
    assert (after["outcome"], after["agrees"]) == (outcome, None)
    said = {"ruling_stands": "upheld", "ruling_changed": "reversed"}
    for announced, agrees in ((said[outcome], True),):
        decided = make("appeal.decided", outcome=announced, appeal=case)
        assert (await api.append(decided, token=api.director)).status_code == 201
        assert (await seen(api, case))["agrees"] is agrees
    assert api.faults() == []


async def test_a_ballot_is_nowhere_before_all_are_in(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    sealed = (await vote(api, case, tokens[0], "reverse")).json()
    entries = (await api.get(f"{M}/events", api.director)).json()["entries"]
    [entry] = [one for one in entries if one["tag"] == "vote.sealed"]
    assert set(entry["body"]) == {"target", "member", "grant", "commitment"}
    assert "reverse" not in str(entry)
    for guess in ("uphold", "reverse", "modify", "abstain"):
        for salt in ("00" * 32, "ff" * 32):
            assert commitment_to(guess, None, salt) != sealed["commitment"]
    for path in (f"{M}/appeals", f"{M}/export.jsonl", f"{M}/export.html", f"{M}/replay"):
        answer = await api.get(path, api.director)
        assert "reverse" not in answer.text.replace("ruling-reversed", ""), path
    for token in tokens[1:]:
        await vote(api, case, token, "uphold")
    entries = (await api.get(f"{M}/events", api.director)).json()["entries"]
    opened = [one["body"] for one in entries if one["tag"] == "vote.opened"]
    assert [one["vote"] for one in opened] == ["reverse", "uphold", "uphold"]
    assert {len(one["salt"]) for one in opened} == {64}
    assert len({one["salt"] for one in opened}) == 3
    assert commitment_to("reverse", None, opened[0]["salt"]) == sealed["commitment"]


async def test_a_later_ballot_replaces_the_earlier_one_until_the_last_is_in(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    first = (await vote(api, case, tokens[0], "reverse")).json()
    again = (await vote(api, case, tokens[0], "uphold")).json()
    assert again["replaces"] == first["entry_id"]
    assert again["commitment"] != first["commitment"]
    for token in tokens[1:]:
        await vote(api, case, token, "uphold")
    entries = (await api.get(f"{M}/events", api.director)).json()["entries"]
    assert [one["tag"] for one in entries].count("vote.sealed") == 4
    assert [one["tag"] for one in entries].count("vote.opened") == 3
    assert [one["vote"] for one in (await seen(api, case))["members"]] == ["uphold"] * 3
    late = await vote(api, case, tokens[0], "reverse")
    assert late.status_code == 409
    assert "after the last ballot was in" in late.json()["detail"]
    found = (await api.get(f"{M}/findings", api.director)).json()["findings"]
    assert "ballot-not-counted" not in str(found)


async def test_a_ballot_before_the_case_is_issued_is_refused(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014")
    codes = (await convened(api, case)).json()["codes"]
    token = await seated(api, codes[0])
    answer = await vote(api, case, token, "uphold")
    assert answer.status_code == 409
    assert "before the case was issued" in answer.json()["detail"]


async def test_a_refused_ballot_says_why_in_the_readers_language(api: Any, make: Any) -> None:
    german = {"Accept-Language": "de"}
    case = await case_of(api, make, "usbgf-2017-07")
    token = await seated(api, (await convened(api, case)).json()["codes"][0])
    early = await api.post(f"/cases/{case}/ballots", {"vote": "uphold"}, token, **german)
    why = "Dieses Mitglied stimmt ab, bevor der Fall ausgegeben war"
    assert early.json()["told"] == f"{why}: Die Stimme wird nicht angenommen."
    shown = await api.http.get(f"/cases/{case}", headers={**cookie_with(api.http, token), **german})
    assert "Eine Stimme ab" not in shown.text
    await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    body = {"entry_id": str(uuid.uuid4()), "tag": "vote.director_cast", "body": {"vote": "uphold"}}
    votes = "/logs/club/matches/m1/votes"
    first = await api.post(votes, body, api.director, **{"If-Match": "*", **german})
    assert "Die Turnierleitung stimmt zuletzt ab" in first.json()["told"]
    stranger = {"member": "m9", "vote": "uphold"}
    cast = {"entry_id": str(uuid.uuid4()), "tag": "vote.cast", "body": stranger}
    answer = await api.post(votes, cast, api.director, **{"If-Match": "*", **german})
    assert answer.json()["told"].startswith("Mitglied 9 stimmt ab und gehört nicht zum Komitee")


async def test_a_token_votes_for_nobody_else_and_nowhere_else(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    for token in (None, api.director, api.scribe, api.token(Role.COMMITTEE)):
        answer = await vote(api, case, token, "uphold")
        assert answer.status_code in (401, 403), answer.text
    other = "00000000-0000-4000-8000-0000000000ff"
    assert (await vote(api, other, tokens[0], "uphold")).status_code == 403
    for tag, body in (
        ("vote.cast", {"member": "m2", "vote": "uphold"}),
        ("vote.sealed", {"target": case, "member": "m2", "grant": other, "commitment": "0" * 64}),
        ("vote.opened", {"target": other, "vote": "uphold", "salt": "0" * 64}),
        ("committee.member_recused", {"member": "m2"}),
        ("appeal.decided", {"outcome": "upheld"}),
    ):
        answer = await api.append(make(tag, **body), token=tokens[0])
        assert answer.status_code == 403, tag
    for path in (M, f"{M}/events", f"{M}/appeals", "/logs/club/roles", f"/logs/club/cases/{case}"):
        assert (await api.get(path, tokens[0])).status_code == 403, path
    assert (await api.get("/logs/club/matches", tokens[0])).json()["matches"] == []


async def test_recorded_from_paper_they_go_in_and_are_findings(api: Any, make: Any) -> None:
    case, _ = await issued(api, make, "biba-2014")
    stranger = make("vote.cast", member="m9", vote="uphold", appeal=case)
    assert (await api.append(stranger, token=api.director)).status_code == 201
    found = (await api.get(f"{M}/findings", api.director)).json()["findings"]
    assert [one["code"] for one in found].count("ballot-not-counted") == 1


async def test_nobody_seals_or_opens_a_ballot_in_a_members_name(api: Any, make: Any) -> None:
    """Under any grant that a director made up it counted as the member's, who was then refused."""
    case, tokens = await issued(api, make, "biba-2014")
    salt = "5a" * 32
    sealed = {
        "target": case,
        "member": "m1",
        "grant": "00000000-0000-4000-8000-0000000000ff",
        "commitment": commitment_to("reverse", None, salt),
    }
    mark = make("moment.marked", target=case)
    assert (await api.append(mark, token=api.director)).status_code == 201
    amended = {"target": mark["entry_id"], "tag": "vote.sealed", "schema": 1, "body": sealed}
    archivist = api.token(Role.ARCHIVIST)
    for token in (api.director, archivist):
        for one in (
            make("vote.sealed", **sealed),
            make("vote.opened", target=case, vote="reverse", salt=salt),
            make("entry.amended", **amended),
        ):
            answer = await api.append(one, token=token)
            assert answer.status_code in (403, 422), (one["tag"], answer.text)
    for token in tokens:
        taken = await vote(api, case, token, "uphold")
        assert taken.status_code == 201, taken.text
    assert taken.json()["is_complete"]


async def test_a_new_code_ends_the_seat_before_it_and_its_ballot_stands(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    await vote(api, case, tokens[0], "uphold")
    made = await api.post(f"/logs/club/cases/{case}/codes", {"member": "m1"}, api.director)
    fresh = await seated(api, made.json())
    assert (await vote(api, case, tokens[0], "reverse")).status_code == 401
    answer = await vote(api, case, fresh, "reverse")
    assert answer.status_code == 409
    assert "under another grant than before" in answer.json()["detail"]


async def test_a_case_is_convened_and_given_out_while_the_match_is_written_to(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tablet or another director writes meanwhile: no version conflict is reported for that."""
    case = await case_of(api, make, "usbgf-2017-07")
    desk = door_behind(api.http).desk
    append, beaten = desk.append, []

    async def second(hand: Any, log: str, stream: str, entries: Any, **more: Any) -> Any:
        tag = entries[0].tag
        if tag in ("committee.convened", "appeal.issued") and tag not in beaten:
            beaten.append(tag)
            assert (await api.append(make("turn.ended", seat="one"))).status_code == 201
        return await append(hand, log, stream, entries, **more)

    monkeypatch.setattr(desk, "append", second)
    made = await convened(api, case)
    assert made.status_code == 201, made.text
    answer = await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    assert answer.status_code == 201, answer.text
    tags = [row.tag for row in api.archive.store.read_stream("club", "m1")]
    assert [tags.count(tag) for tag in beaten] == [1, 1]


async def test_a_call_for_a_committee_that_is_sent_again_is_the_same_call(
    api: Any, make: Any
) -> None:
    """No answer arrived, so nobody has seen its codes: only these are made again."""
    case = await case_of(api, make, "usbgf-2017-07")
    path, members = f"/logs/club/cases/{case}/committee", [{"name": name} for name in NAMES]
    call = {"members": members, "entry_id": str(uuid.uuid4())}
    first, second = [await api.post(path, call, api.director) for _ in range(2)]
    assert [first.status_code, second.status_code] == [201, 201], second.text
    one, other = first.json(), second.json()
    assert one["version"] == other["version"]
    seats = [[(seat["member"], seat["holder"]) for seat in made["codes"]] for made in (one, other)]
    assert seats[0] == seats[1]
    assert {seat["code"] for seat in one["codes"]} & {
        seat["code"] for seat in other["codes"]
    } == set()
    tags = [row.tag for row in api.archive.store.read_stream("club", "m1")]
    assert tags.count("committee.convened") == 1
    another = await api.post(path, call | {"members": members[:2]}, api.director)
    assert (another.status_code, another.json()["type"]) == (409, "/problems/entry-id-reused")


async def test_a_call_that_was_stopped_half_way_ends_the_seats_before_it_when_it_is_sent_again(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new committee is in the match, and the end of the earlier seats in the tournament."""
    case, _ = await issued(api, make, "fcbg-tournament")
    desk = door_behind(api.http).desk
    append = desk.append

    async def stopped(hand: Any, log: str, stream: str, entries: Any, **more: Any) -> Any:
        if entries[0].tag == "access.revoked":
            raise StoreBusy("the server ends here")
        return await append(hand, log, stream, entries, **more)

    members = [{"name": name} for name in ("Eva Holm", "Ken Sato", "Lea Roth")]
    path, call = f"/logs/club/cases/{case}/committee", {
        "members": members,
        "entry_id": str(uuid.uuid4()),
    }  # fmt: skip
    monkeypatch.setattr(desk, "append", stopped)
    assert (await api.post(path, call, api.director)).status_code == 503
    monkeypatch.undo()
    again = await api.post(path, call, api.director)
    assert again.status_code == 201, again.text
    access = door_behind(api.http).reading.access("club")
    assert [one for one in access.grants.values() if one.case == case] == []
    # Sent once more later on, it ends no seat of those whom it has called.
    again = await api.post(path, call, api.director)
    tokens = [await seated(api, code) for code in again.json()["codes"]]
    assert (await api.post(path, call, api.director)).status_code == 201
    for token in tokens:
        assert (await api.get(f"/cases/{case}", token)).status_code == 200


async def test_who_may_not_sit_is_refused_and_what_a_text_asks_is_told(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014")
    for names in (("Ann", "Ida", "Omar"), ("ida  BERG", "Ida Berg", "Omar"), (" ", "Ida", "Omar")):
        assert (await convened(api, case, names)).status_code == 422, names
    made = (await convened(api, case, NAMES[:2], independent=False)).json()
    assert made["anonymised"] is True
    assert any("not independent" in note for note in made["notes"])
    assert any("the committee has 2 members" in note for note in made["notes"])
    assert "appeal.committee" in str((await seen(api, case))["hanging"])


async def test_a_member_steps_down_and_reads_no_more(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    await vote(api, case, tokens[0], "uphold")
    await vote(api, case, tokens[1], "uphold")
    answer = await api.post(f"/cases/{case}/recusal", {"reason": "a friend"}, tokens[2])
    assert answer.status_code == 201, answer.text
    after = await seen(api, case)
    assert (after["size"], after["is_complete"]) == (2, True)
    assert [one["vote"] for one in after["members"]] == ["uphold", "uphold"]
    assert (await vote(api, case, tokens[2], "uphold")).status_code == 409
    again = await api.post(f"/cases/{case}/recusal", {}, tokens[0])
    assert again.status_code == 409


@pytest.mark.parametrize(
    ("rule_set", "kind"), [("usbgf-2017-07", "disqualification"), ("biba-2014", "slow_play")]
)
async def test_what_cannot_be_appealed_has_no_committee(
    api: Any, make: Any, rule_set: str, kind: str
) -> None:
    case = await case_of(api, make, rule_set, kind=kind)
    answer = await convened(api, case)
    assert answer.status_code == 409
    assert "does not admit" in answer.json()["detail"]


async def test_a_committees_code_is_made_at_its_case_alone(api: Any) -> None:
    body = {"role": "committee", "holder": "Omar Lund"}
    answer = await api.post("/logs/club/invitations", body, api.director)
    assert answer.status_code == 422
    assert answer.json()["where"] == "$.role"


async def desk(api: Any, case: str, token: str | None) -> Any:
    cookies = {} if token is None else cookie_with(api.http, token)
    return await api.http.get(f"/cases/{case}", headers=cookies)


async def test_the_desk_says_what_is_kept_back_and_why_a_question_is_open(
    api: Any, make: Any
) -> None:
    """Under every text that hides the players the first ruling was said to be kept back too."""
    case = await case_of(api, make, "common")
    for language, kept, why in (
        ("en", "It is shown the first ruling.", "the text is silent, and a person decides"),
        ("de", "Den ersten Entscheid sieht es.", "der Text schweigt, und ein Mensch entscheidet"),
    ):
        headers = {**cookie_with(api.http, api.director), "Accept-Language": language}
        page = (await api.http.get(f"/cases/{case}", headers=headers)).text
        assert kept in page
        assert why in page


async def test_the_desk_shows_a_blind_committee_nobody_and_nothing_after_the_cut(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    page = await desk(api, case, tokens[0])
    assert page.status_code == 200, page.text
    for secret in ("Ann", ">Bo<", "m1/", "/m1", "club", "ruling.made", "1 appeals", "Club night"):
        assert secret not in page.text, secret
    shown = await desk(api, case, api.director)
    assert shown.status_code == 200, shown.text
    assert "Ann" in shown.text


@pytest.mark.parametrize("reading", ["for_ann", "annwins", "of_bo"])
async def test_no_plain_word_that_somebody_typed_tells_a_blind_committee_who_plays(
    api: Any, make: Any, begin: Any, reading: str
) -> None:
    await api.open(rule_set="biba-2014")
    await api.append(*begin())
    before = api.archive.reading.live("club", "m1").recorded[-1].entry_id
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    readings = [{"by": "one", "reading": reading}, {"by": "two", "reading": "void"}]
    raised = make("dispute.raised", by="one", frozen_at=before, readings=readings)
    assert (await api.append(raised)).status_code == 201
    ruled = make("ruling.made")
    assert (await api.append(ruled, token=api.director)).status_code == 201
    filed = make("appeal.filed", seat="one", target=ruled["entry_id"])
    assert (await api.append(filed, token=api.director)).status_code == 201
    case = filed["entry_id"]
    token = await seated(api, (await convened(api, case)).json()["codes"][0])
    assert (await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)).status_code == 201
    for at in range(7):
        page = await api.http.get(f"/cases/{case}?at={at}", headers=as_cookie(api, token))
        text = re.sub(r"<[^>]+>", " ", page.text)
        assert not re.search(r"(?i)ann|\bbo\b", text), at
        assert "1 entry is left out: what somebody typed into it tells who plays" in text
        assert at < 4 or "rolls 65" in text
    shown = re.sub(r"<[^>]+>", " ", (await desk(api, case, api.director)).text)
    assert "Ann says" in shown


def as_cookie(api: Any, token: str) -> dict[str, str]:
    return cookie_with(api.http, token)


async def test_the_desk_shows_a_committee_of_an_open_rule_set_names_and_ruling(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    page = await desk(api, case, tokens[0])
    assert page.status_code == 200, page.text
    assert "Ann appeals" in page.text
    assert "ruling" in page.text


async def test_the_desk_names_the_players_to_who_directs_in_every_question(
    api: Any, make: Any
) -> None:
    case = await case_of(api, make, "usbgf-2024")
    page = (await desk(api, case, api.director)).text
    assert "Ann appeals; whether the appeal is admitted is for the Director to decide" in page
    assert "Player 1" not in page


async def test_the_record_at_the_desk_names_the_players_in_what_was_found_too(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(rule_set="usbgf-2017-07")
    await api.append(*begin())
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    await api.append(make("dice.lifted", seat="one"))
    ruled = make("ruling.made")
    assert (await api.append(ruled, token=api.director)).status_code == 201
    filed = make("appeal.filed", seat="one", target=ruled["entry_id"])
    assert (await api.append(filed, token=api.director)).status_code == 201
    page = (await desk(api, filed["entry_id"], api.director)).text
    record = page.split('id="record"')[1].split("</section>")[0]
    assert "Ann lifts dice in the turn of Bo" in record
    assert "one lifts dice" not in record


async def test_when_a_case_was_opened_is_told_without_a_script_too(
    api: Any, make: Any, clock: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    clock.now = 1_795_478_237_836
    await desk(api, case, tokens[0])
    page = (await desk(api, case, api.director)).text
    assert '<time data-at="1795478237836">2026-11-23 23:57:17 UTC</time>' in page


async def test_nothing_is_shown_before_the_case_is_issued_and_to_no_stranger(
    api: Any, make: Any
) -> None:
    case = await case_of(api, make, "usbgf-2017-07")
    token = await seated(api, (await convened(api, case)).json()["codes"][0])
    page = await desk(api, case, token)
    assert "has not given the committee this case yet" in page.text
    assert "Ann appeals" not in page.text
    for stranger in (api.scribe, api.token(Role.VIEWER), api.token(Role.COMMITTEE)):
        assert (await desk(api, case, stranger)).status_code == 403
    assert (await desk(api, case, None)).status_code == 303


async def test_each_reader_and_opening_is_one_entry_of_custody(
    api: Any, make: Any, clock: Any
) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    for token in (tokens[0], tokens[0], tokens[1], api.director, tokens[0]):
        await desk(api, case, token)
    opened = (await seen(api, case))["openings"]
    assert [one["member"] for one in opened] == ["m1", "m2", None]
    assert {one["opened_at"] for one in opened} == {clock.now}
    clock.now += 29 * 60_000
    await desk(api, case, tokens[0])
    assert len((await seen(api, case))["openings"]) == 3
    clock.now += 30 * 60_000
    await desk(api, case, tokens[0])
    assert [one["member"] for one in (await seen(api, case))["openings"]][3:] == ["m1"]
    assert api.faults() == []


async def test_a_decided_case_has_its_report_and_an_open_one_has_none(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    cookie = cookie_with(api.http, api.director)
    assert (await api.http.get(f"/cases/{case}/report", headers=cookie)).status_code == 409
    for token in tokens:
        await vote(api, case, token, "uphold")
    decided = make("appeal.decided", outcome="upheld", appeal=case, decision="Heard and upheld.")
    await api.append(decided, token=api.director)
    for path in ("report", "report.txt"):
        answer = await api.http.get(f"/cases/{case}/{path}", headers=cookie)
        assert answer.status_code == 200, answer.text
        assert "Heard and upheld." in answer.text
        assert re.search(r"FCBG rules, tournaments included, \S", answer.text)
    theirs = cookie_with(api.http, tokens[0])
    assert (await api.http.get(f"/cases/{case}/report", headers=theirs)).status_code == 403
    assert "/cases/" + case in (await api.http.get("/cases", headers=theirs)).text
    assert "/cases/" + case in (await api.http.get("/cases", headers=cookie)).text


# The content of ballots is shown to nobody before the last is in, and never to the public.

READABLE = (
    *("", "/replay", "/scenes", "/appeals", "/findings", "/events", "/provenance", "/windows"),
    *("/penalties", "/score", "/alignment"),
)


async def every_reading(api: Any, token: str | None) -> dict[str, str]:
    """Everything that can be read about the match, by address."""
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    cookie = {} if token is None else cookie_with(api.http, token)
    told = {}
    for part in READABLE:
        told[part or "/"] = (await api.http.get(f"{M}{part}", headers=bearer)).text
    ndjson = {**bearer, "Accept": "application/x-ndjson"}
    told["ndjson"] = (await api.http.get(f"{M}/events", headers=ndjson)).text
    for ending in FORMATS:
        if ending not in ("xg", "bgf", "pdf"):
            answer = await api.http.get(f"{M}/export.{ending}", headers=bearer)
            told[ending] = answer.text
    told["many"] = (await api.http.get("/logs/club/export", headers=bearer)).text
    for path in ("", "/embed", "/replay", "?at=9", "/board.svg"):
        answer = await api.http.get(f"/matches/club/m1{path}", headers=cookie)
        told[f"page {path}"] = answer.text
    told["feed"] = (await api.http.get("/feed.atom")).text
    told["tournament"] = (await api.http.get("/tournaments/club", headers=cookie)).text
    return told


def says_ballot(text: str, proposal: str) -> bool:
    return bool(proposal in text or re.search('"vote":"(?!not_public)|"salt":"[0-9a-f]', text))


@pytest.mark.gate
async def test_what_ballots_say_is_read_nowhere_before_the_last_is_in_and_in_public_never(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    released = make("publication.released")
    assert (await api.append(released, token=api.director)).status_code == 201, "released"
    proposal = "zebra-quince"
    for number, token in enumerate(tokens):
        answer = await vote(api, case, token, "modify", proposal=proposal)
        assert answer.status_code == 201, answer.text
        readers = (
            None,
            api.scribe,
            api.token(Role.VIEWER),
            api.director,
            api.token(Role.COMMITTEE),
        )
        if number == len(tokens) - 1:
            break
        for reader in readers:
            for where, text in (await every_reading(api, reader)).items():
                assert not says_ballot(text, proposal), (number, reader, where)
    declined = make("vote.director_declined", appeal=case)
    await api.append(declined, token=api.director)
    cast = make("vote.cast", member="m9", vote="modify", proposal=proposal, appeal=case)
    await api.append(cast, token=api.director)
    amended = make("entry.amended")
    amended["body"] = {
        "target": cast["entry_id"],
        "tag": "vote.cast",
        "body": {"member": "m9", "vote": "modify", "proposal": proposal, "appeal": case},
    }
    assert (await api.append(amended, token=api.director)).status_code == 201
    decided = make("appeal.decided", outcome="modified", appeal=case)
    await api.append(decided, token=api.director)
    for reader in (None, api.scribe, api.token(Role.VIEWER)):
        told = await every_reading(api, reader)
        for where, text in told.items():
            assert not says_ballot(text, proposal), (reader, where)
        assert '"modified"' in told["/appeals"]
    # The director and the committee are shown it.
    for reader in (api.director, api.token(Role.COMMITTEE)):
        told = await every_reading(api, reader)
        assert proposal in told["/appeals"]
        assert proposal in told["txt"]
        assert proposal in told["jsonl"]


async def test_what_the_ballots_come_to_is_told_to_no_viewer_before_it_is_announced(
    api: Any, make: Any
) -> None:
    """For a match that is over, under a text that keeps nothing from its readers."""
    case, tokens = await issued(api, make, "usbgf-2017-07")
    for token in tokens:
        await vote(api, case, token, "reverse")
    after = [make("vote.director_declined", appeal=case), make("match.ended", winner="one")]
    assert (await api.append(*after, token=api.director)).status_code == 201

    async def told(reader: str) -> tuple[bool, bool, bool]:
        [line] = (await api.get(f"{M}/appeals", reader)).json()["appeals"]
        found = (await api.get(f"{M}/findings", reader)).json()["findings"]
        text = (await api.get(f"{M}/export.txt", reader)).text
        is_settled = any(one["code"] == "appeal-settled" for one in found)
        return line["result"] is not None, is_settled, "voted: the ruling" in text

    viewer = api.token(Role.VIEWER)
    assert (await told(api.director))[:2] == (True, True)
    assert await told(viewer) == await told(api.scribe) == (False, False, False)
    await api.append(make("appeal.decided", outcome="reversed", appeal=case), token=api.director)
    assert (await told(viewer))[:2] == (await told(api.scribe))[:2] == (True, True)


@pytest.mark.parametrize("is_ended", [True, False])
async def test_a_ballot_is_taken_while_grants_change_unless_its_own_seat_ends(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch, is_ended: bool
) -> None:
    case, (token, *_) = await issued(api, make, "usbgf-2017-07")
    [seat] = [
        grant.grant_id
        for digest, grant in api.archive.reading.access("club").grants.items()
        if digest == token_hash(token)
    ]
    append = api.archive.writer.append

    def change_first(unit: Any) -> Any:
        monkeypatch.undo()
        if is_ended:
            api.archive.revoke(seat, log_id="club")
        else:
            api.token(Role.VIEWER)
        return append(unit)

    monkeypatch.setattr(api.archive.writer, "append", change_first)
    answer = await vote(api, case, token, "uphold")
    assert answer.status_code == (401 if is_ended else 201)
    [member, *_] = (await seen(api, case))["members"]
    assert member["has_voted"] is not is_ended


async def test_what_came_of_one_appeal_is_told_while_another_ones_ballots_are_kept(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    for token in tokens:
        await vote(api, case, token, "reverse")
    ruling = make("ruling.made")
    later = make("appeal.filed", seat="two", target=ruling["entry_id"])
    about = {"appeal": later["entry_id"]}
    members = [{"member": name, "name": name} for name in ("a", "b", "c")]
    after = [
        *(make("vote.director_declined", appeal=case), make("match.ended", winner="one")),
        *(make("appeal.decided", outcome="reversed", appeal=case), ruling, later),
        make("committee.convened", size=3, members=members, **about),
        *(make("vote.cast", member=name, vote="uphold", **about) for name in ("a", "b", "c")),
        make("vote.director_declined", **about),
    ]
    assert (await api.append(*after, token=api.director)).status_code == 201

    async def settled(reader: str) -> list[str]:
        found = (await api.get(f"{M}/findings", reader)).json()["findings"]
        return [one["message"] for one in found if one["code"] == "appeal-settled"]

    first, second = await settled(api.director)
    assert await settled(api.scribe) == [first]
    await api.append(make("appeal.decided", outcome="upheld", **about), token=api.director)
    assert await settled(api.scribe) == [first, second]


async def test_a_file_for_the_public_says_that_ballots_are_missing_and_is_whole_but_for_them(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    for token in tokens:
        await vote(api, case, token, "uphold")
    whole = await api.get(f"{M}/export.jsonl", api.director)
    assert read_jsonl(whole.content).problems == ()
    answer = await api.get(f"{M}/export.jsonl", api.token(Role.VIEWER))
    problems = [one.what for one in read_jsonl(answer.content).problems]
    assert len(problems) == 3
    assert all("vote.opened" in one and "withheld" in one for one in problems)
    lines = transcript(veiled(api.archive.reading.live("club", "m1").replay))
    assert lines.count("      a sealed ballot is opened: not public") == 3


# What each text says about an appeal, by the doors.


@pytest.mark.parametrize(
    ("rule_set", "section", "sizes"),
    [
        ("usbgf-2017-07", "[5]", ()),
        ("biba-2014", "6.3", (2, 5)),
        ("fcbg-tournament", "CONT/T(c)", (2, 5)),
    ],
)
async def test_a_size_that_the_text_does_not_name_is_a_question_and_one_that_it_names_is_none(
    api: Any, make: Any, rule_set: str, section: str, sizes: tuple[int, ...]
) -> None:
    case = await case_of(api, make, rule_set)
    for size in (2, 3, 5):
        names = [f"Member {number}" for number in range(size)]
        made = (await convened(api, case, names, independent=True)).json()
        asked = [one for one in (await seen(api, case))["hanging"] if "appeal.committee" in one]
        assert bool(asked) is (size in sizes), size
        assert all(section in one and "AMB-Q8" in one for one in asked)
        assert bool(made["notes"]) is (size in sizes)


async def test_nobody_who_was_not_asked_passes_for_disinterested(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014")
    members = [
        {"name": "Ida", "independent": True},
        {"name": "Omar", "independent": False},
        {"name": "Zoë"},
    ]
    made = await api.post(f"/logs/club/cases/{case}/committee", {"members": members}, api.director)
    notes = " ".join(made.json()["notes"])
    assert "not independent: m2" in notes
    assert "nobody has asked Zoë" in notes
    assert [one["is_independent"] for one in (await seen(api, case))["members"]] == [
        True,
        False,
        None,
    ]


@pytest.mark.parametrize(
    ("rule_set", "admitted"),
    [("usbgf-2017-07", None), ("biba-2014", False), ("fcbg-tournament", False), ("common", None)],
)
async def test_a_second_appeal_gets_the_answer_of_its_text(
    api: Any, make: Any, rule_set: str, admitted: bool | None
) -> None:
    case = await case_of(api, make, rule_set)
    decided = make("appeal.decided", outcome="upheld", appeal=case)
    await api.append(decided, token=api.director)
    second = make("appeal.filed", seat="one", target=decided["entry_id"])
    await api.append(second, token=api.director)
    assert (await seen(api, second["entry_id"]))["is_admitted"] is admitted
    answer = await convened(api, second["entry_id"])
    assert (answer.status_code == 409) is (admitted is False)


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "fcbg-tournament"])
async def test_an_appeal_after_play_went_on_is_a_question_that_the_outcome_closes(
    api: Any, make: Any, rule_set: str
) -> None:
    case = await case_of(api, make, rule_set)
    [ruling] = [
        one["entry_id"]
        for one in (await api.get(f"{M}/events", api.director)).json()["entries"]
        if one["tag"] == "ruling.made"
    ]
    await api.append(make("dice.opening_rolled", one=3, two=1), token=api.director)
    late = make("appeal.filed", seat="two", target=ruling)
    await api.append(late, token=api.director)
    assert "AMB-Q6" in str((await seen(api, late["entry_id"]))["hanging"])
    assert (await seen(api, case))["hanging"] == []
    decided = make("appeal.decided", outcome="upheld", appeal=late["entry_id"])
    await api.append(decided, token=api.director)
    assert (await seen(api, late["entry_id"]))["hanging"] == []


async def test_a_reversed_ruling_leaves_its_question_open_until_it_is_ruled_anew(
    api: Any, make: Any
) -> None:
    await api.open(rule_set="fcbg-tournament")
    raised = make("dispute.raised", by="two", topic="dice.validity")
    question = {"topic": "dice.validity", "at": raised["entry_id"]}
    answers = [{"question": question, "reading": "invalid"}]
    ruling = make("ruling.made", dispute=raised["entry_id"], answers=answers)
    filed = make("appeal.filed", seat="one", target=ruling["entry_id"], on="rule")
    decided = make("appeal.decided", outcome="reversed", appeal=filed["entry_id"])
    for one in (make("game.started"), raised, ruling, filed, decided):
        assert (await api.append(one, token=api.director)).status_code == 201, one["tag"]
    found = await seen(api, filed["entry_id"])
    assert found["on"] == "rule"
    assert any("until another ruling is made" in one for one in found["hanging"])
    anew = [{"question": question, "reading": "valid"}]
    again = make("ruling.made", dispute=raised["entry_id"], answers=anew)
    await api.append(again, token=api.director)
    assert (await seen(api, filed["entry_id"]))["hanging"] == []


async def test_a_report_tells_the_decision_of_its_own_case(api: Any, make: Any) -> None:
    case = await case_of(api, make, "usbgf-2017-07")
    ruling = make("ruling.made")
    second = make("appeal.filed", seat="two", target=ruling["entry_id"])
    said = [
        make("appeal.decided", outcome="upheld", appeal=case, decision="It was a cocked die."),
        make("dice.opening_rolled", one=3, two=1),
        ruling,
        second,
        # A record of before may name no case: it is of the one that was filed last.
        make("appeal.decided", outcome="reversed", decision="The cube was turned."),
    ]
    for one in said:
        assert (await api.append(one, token=api.director)).status_code == 201, one["tag"]
    for of, told, other in (
        (case, "It was a cocked die.", "The cube was turned."),
        (second["entry_id"], "The cube was turned.", "It was a cocked die."),
    ):
        answer = await api.get(f"/cases/{of}/report.txt", api.director)
        assert told in answer.text
        assert other not in answer.text


async def test_a_refusal_cites_its_rule_and_its_ground(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014", kind="slow_play")
    door = f"{M}/appeals"
    for body, where in (
        ({"appeal": case}, "$.body.rule"),
        ({"appeal": case, "rule": {"rule_set": "biba-2014", "section": "2.4"}}, "$.body.reason"),
    ):
        entry = make("appeal.refused", **body)
        answer = await api.http.post(
            door,
            json=entry,
            headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
        )
        assert (answer.status_code, answer.json()["where"]) == (422, where)
    entry["body"]["reason"] = "A slow-play ruling is final."
    answer = await api.http.post(
        door, json=entry, headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"}
    )
    assert answer.status_code == 201, answer.text
    assert (await convened(api, case)).status_code == 409
    page = await desk(api, case, api.director)
    assert "The appeal was refused" in page.text


# Attacks.


async def test_a_seat_opens_no_other_case_and_a_former_member_none(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    [ruling] = [
        one["entry_id"]
        for one in (await api.get(f"{M}/events", api.director)).json()["entries"]
        if one["tag"] == "ruling.made"
    ]
    other = make("appeal.filed", seat="two", target=ruling)
    await api.append(other, token=api.director)
    assert (await desk(api, other["entry_id"], tokens[0])).status_code == 403
    assert (await vote(api, other["entry_id"], tokens[0], "uphold")).status_code == 403
    guessed = "3b9aca00-0000-4000-8000-000000000000"
    for token in (tokens[0], api.scribe):
        assert (await desk(api, guessed, token)).status_code == 403
    assert (await desk(api, guessed, api.director)).status_code == 403
    await convened(api, case, ("Per", "Rae", "Sól"))
    for path in (f"/cases/{case}", f"/cases/{case}/report"):
        cookie = cookie_with(api.http, tokens[0])
        answer = await api.http.get(path, headers=cookie)
        assert answer.status_code in (303, 401, 403), path
        assert "Ann" not in answer.text
    assert (await vote(api, case, tokens[0], "uphold")).status_code == 401


async def test_a_ballot_by_cookie_takes_the_pages_own_value(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "biba-2014")
    cookie = cookie_with(api.http, tokens[0])
    for headers in (cookie, {**cookie, "X-Tabularium-CSRF": "0" * 64}):
        answer = await api.http.post(
            f"/cases/{case}/ballots", json={"vote": "uphold"}, headers=headers
        )
        assert answer.status_code == 403, answer.text


async def test_names_and_proposals_are_told_as_they_are_and_never_as_markup(
    api: Any, make: Any
) -> None:
    case = await case_of(api, make, "usbgf-2017-07")
    names = ("<script>alert(1)</script>", "אילנה ‮evil", "x" * 200)
    made = await convened(api, case, names)
    assert made.status_code == 201, made.text
    assert (await convened(api, case, ("x" * 201,))).status_code == 422
    made = (await convened(api, case, names)).json()
    tokens = [await seated(api, code) for code in made["codes"]]
    await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    for proposal in ("x" * 200, "‮", "\u0000"):
        answer = await vote(api, case, tokens[0], "modify", proposal=proposal)
        assert answer.status_code in (201, 422), (proposal, answer.text)
    for token in tokens:
        assert (await vote(api, case, token, "modify", proposal="<b>x</b>")).status_code == 201
    page = await desk(api, case, api.director)
    assert "<script>alert" not in page.text
    assert "<b>x</b>" not in page.text
    assert "&lt;b&gt;x&lt;/b&gt;" in page.text
    assert "&lt;script&gt;alert(1)" in page.text
    assert "אילנה" in page.text


async def test_two_ballots_at_once_are_one_after_the_other(api: Any, make: Any) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    answers = await asyncio.gather(
        *(vote(api, case, token, "uphold") for token in (*tokens, tokens[0]))
    )
    assert sorted(one.status_code for one in answers) in ([201] * 4, [201, 201, 201, 409])
    after = await seen(api, case)
    assert [one["vote"] for one in after["members"]] == ["uphold"] * 3
    assert api.faults() == []


async def test_a_lost_ballot_says_what_to_do_and_a_committee_called_anew_can_decide(
    api: Any, make: Any, app: Any
) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    first = (await vote(api, case, tokens[0], "reverse")).json()
    await vote(api, case, tokens[1], "reverse")
    app.state.door.box.drop(first["entry_id"])
    answer = await vote(api, case, tokens[2], "reverse")
    assert answer.status_code == 409
    assert "convene anew" in answer.json()["detail"]
    assert "has to convene the committee again" in answer.json()["told"]
    # Nothing of the refused ballot was stored; members who vote again replace what was lost.
    assert (await vote(api, case, tokens[0], "reverse")).status_code == 201
    assert (await vote(api, case, tokens[2], "reverse")).json()["is_complete"] is True


@pytest.mark.parametrize(
    "changed",
    [{"vote": "uphold"}, {"vote": "perhaps"}, {"proposal": "half"}, {"salt": "00"}, {"salt": "?"}],
)
async def test_a_ballot_whose_file_is_another_than_was_sealed_is_never_opened(
    api: Any, make: Any, app: Any, changed: dict[str, str]
) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    first = (await vote(api, case, tokens[0], "reverse")).json()
    await vote(api, case, tokens[1], "reverse")
    box = app.state.door.box
    box.put(first["entry_id"], replace(box.get(first["entry_id"]), **changed))
    before = api.version()
    assert (await vote(api, case, tokens[2], "reverse")).status_code == 409
    assert api.version() == before
    # It counts as lost: its member casts it again.
    assert (await vote(api, case, tokens[0], "reverse")).status_code == 201
    assert (await vote(api, case, tokens[2], "reverse")).json()["is_complete"] is True
    assert [one["vote"] for one in (await seen(api, case))["members"]] == ["reverse"] * 3


@ON_A_FILE
async def test_a_ballot_whose_commit_seemed_to_fail_is_kept_and_opened_with_the_others(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, tokens = await issued(api, make, "fcbg-tournament")
    store = api.archive.store
    commit = store._commit

    def stands_but_fails(db: Any) -> None:
        commit(db)
        raise OutcomeUnknown("the flush reported an error")

    monkeypatch.setattr(store, "_commit", stands_but_fails)
    assert (await vote(api, case, tokens[0], "reverse")).status_code == 503
    monkeypatch.undo()
    assert (await seen(api, case))["members"][0]["has_voted"] is True
    assert (await vote(api, case, tokens[1], "reverse")).status_code == 201
    last = await vote(api, case, tokens[2], "uphold")
    assert last.json()["is_complete"] is True, last.text
    assert [one["vote"] for one in (await seen(api, case))["members"]] == [
        "reverse",
        "reverse",
        "uphold",
    ]


async def test_closed_ballots_outlive_the_server_in_a_file_that_nobody_else_reads(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "archive.sqlite.ballots"
    entry = "3b9aca00-0000-4000-8000-000000000000"
    says = ClosedBallot("modify", "half", "ab" * 32)
    BallotBox(folder).put(entry, says)
    assert (folder / entry).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    fresh = BallotBox(folder)
    assert fresh.get(entry) == says
    (folder / entry).write_bytes(b"{half a file")
    assert BallotBox(folder).get(entry) is None
    fresh.drop(entry)
    assert list(folder.iterdir()) == []


async def test_what_is_given_out_again_is_read_again(api: Any, make: Any) -> None:
    case = await case_of(api, make, "usbgf-2017-07")
    token = await seated(api, (await convened(api, case)).json()["codes"][0])
    await desk(api, case, token)
    assert (await seen(api, case))["openings"] == []
    shown = []
    for _ in range(2):
        await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
        for _ in range(2):
            await desk(api, case, token)
        shown.append((await seen(api, case))["openings"][-1]["through"])
    assert len((await seen(api, case))["openings"]) == 2
    assert shown[0] < shown[1]


async def test_the_text_of_a_section_is_shown_where_the_tournament_has_loaded_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "biba-2014.txt").write_text("## 6.3\nOur own words.\n## 6.1\nMore.\n")
    (tmp_path / "biba-2014.txt").write_text("## 6.3\nFor all.\n## [1]\nOne.\n## [2]\nTwo.")
    text_of, none = RuleTexts(tmp_path).text_of, RuleTexts(None)
    assert text_of("club", "biba-2014", "6.3") == "Our own words."
    assert text_of("other", "biba-2014", "6.3") == "For all."
    assert text_of("other", "biba-2014", "[1, 2]") == "One.\n\nTwo."
    for missing in ("9.9", "", "[1, 3]"):
        assert text_of("club", "biba-2014", missing) is None
    assert none.text_of("club", "biba-2014", "6.3") is None
    (tmp_path / "biba-2014.txt").write_bytes(b"\xff\xfe\x00")
    assert text_of("other", "biba-2014", "6.3") is None


@pytest.mark.parametrize(
    ("rule_set", "topic", "section"),
    [
        ("usbgf-2017-07", "dice.validity", "[4.1.1-4]"),
        ("usbgf-2017-07", "window.play", "[4.2.3]"),
        ("usbgf-2017-09", "dice.early-roll", "[4.1.7]"),
        ("biba-2014", "dice.validity", "4.2"),
        ("biba-2014", "cube.sign", "5.4"),
        ("fcbg-tournament", "play.legality", "IRR/T(h)"),
        ("fcbg-tournament", "cube.double", "CUBE RULES/T"),
        ("wbgf-2.1", "dice.validity", "4.1(iv)"),
    ],
)
async def test_the_section_on_what_is_disputed_stands_at_the_desk(
    api: Any, make: Any, rule_set: str, topic: str, section: str
) -> None:
    await api.open(rule_set=rule_set)
    raised = make("dispute.raised", by="two", topic=topic)
    ruling = make("ruling.made", dispute=raised["entry_id"])
    filed = make("appeal.filed", seat="one", target=ruling["entry_id"])
    for one in (make("game.started"), raised, ruling, filed):
        assert (await api.append(one, token=api.director)).status_code == 201, one["tag"]
    page = (await desk(api, filed["entry_id"], api.director)).text
    assert f"<summary>{section} " in page


async def test_the_sections_that_a_ruling_rests_on_stand_beside_it_where_it_is_shown(
    api: Any, make: Any
) -> None:
    cited = {"usbgf-2017-07": "[1.2]", "biba-2014": "5.3"}
    for number, (rule_set, section) in enumerate(cited.items(), 1):
        match = f"m{number}"
        await api.open(match, rule_set=rule_set)
        references = [{"rule_set": rule_set, "section": section}]
        ruling = make("ruling.made", references=references)
        filed = make("appeal.filed", seat="one", target=ruling["entry_id"])
        for one in (make("game.started"), ruling, filed):
            answer = await api.append(one, match=match, token=api.director)
            assert answer.status_code == 201
        case = filed["entry_id"]
        codes = (await convened(api, case)).json()["codes"]
        token = await seated(api, codes[0])
        await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
        member = (await desk(api, case, token)).text
        director = (await desk(api, case, api.director)).text
        # Where the first ruling is kept from the committee, its grounds are too.
        assert (f"<summary>{section} " in member) is (rule_set == "usbgf-2017-07")
        assert f"<summary>{section} " in director


async def test_a_loaded_section_stands_at_the_desk_and_nobody_elses_does(
    archive: Any, make: Any, tmp_path: Path
) -> None:
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "biba-2014.txt").write_text("## 6.3\nThree of them <b>decide</b>.\n")
    index = MatchIndex(archive.store, archive.reading)
    for loaded in (tmp_path, None):
        app = create_app(archive, Settings(db=archive.url, rule_texts=loaded), index=index)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://archive") as http:
            api = Api(http, archive)
            if loaded is not None:
                case = await case_of(api, make, "biba-2014")
            text = (await desk(api, case, api.director)).text
        assert "<summary>6.3 " in text
        assert ("Three of them &lt;b&gt;decide&lt;/b&gt;." in text) is (loaded is not None)
        unloaded = text.count("has not loaded the text of this section")
        assert unloaded == text.count('id="section-') - (loaded is not None)
    index.close()


async def test_whoever_made_the_ruling_sits_in_no_committee_on_it(api: Any, make: Any) -> None:
    grant = {"token_sha256": hashlib.sha256(b"dora").hexdigest(), "role": "director",
             "scope": {"kind": "log"}, "holder": "Dora Rule"}  # fmt: skip
    answer = await api.http.post(
        "/logs/club/events",
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
        json={"entries": [make("access.granted", **grant)]},
    )
    assert answer.status_code == 201, answer.text
    await api.open(rule_set="usbgf-2017-07")
    ruling = make("ruling.made")
    for entry in (make("game.started"), ruling):
        assert (await api.append(entry, token="dora")).status_code == 201
    filed = make("appeal.filed", seat="one", target=ruling["entry_id"])
    assert (await api.append(filed, token=api.director)).status_code == 201
    # Another director convenes, and names the one who ruled.
    refused = await convened(api, filed["entry_id"], ("Ida Berg", "dóra  RULE", "Omar Lund"))
    assert refused.status_code == 422, refused.text
    assert refused.json()["where"] == "$.members[1].name"
    assert "cannot judge a ruling on it" in refused.json()["detail"]
    assert (await convened(api, filed["entry_id"])).status_code == 201


async def test_a_second_scribes_record_stands_beside_the_first_at_the_desk(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    text = (await desk(api, case, tokens[0])).text
    assert "One scribe recorded this match." in text
    main = api.archive.reading.live("club", "m1").recorded[0].payload
    beside = api.archive.draft(replace(main, shadow_of="m1", players=BySeat((), ())))
    rolled = api.archive.draft(OpeningRolled(one=6, two=5))
    started = api.archive.draft(GameStarted())
    api.archive.append("club", "beside", [beside, started, rolled])
    text = (await desk(api, case, tokens[0])).text
    assert "One scribe recorded" not in text
    assert "They differ; the turns are marked." in text
    assert "missing in one" in text


async def test_turns_since_the_case_was_given_out_are_none_that_the_first_scribe_missed(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(rule_set="usbgf-2017-07")
    ruled = make("ruling.made")
    filed = make("appeal.filed", seat="one", target=ruled["entry_id"])
    rolled = make("dice.rolled", seat="two", dice=[6, 5])
    for one in (*begin(), rolled, ruled, filed):
        assert (await api.append(one, token=api.director)).status_code == 201
    case = filed["entry_id"]
    codes = (await convened(api, case)).json()["codes"]
    token = await seated(api, codes[0])
    await api.post(f"/logs/club/cases/{case}/issue", {}, api.director)
    # Play goes on, and both scribes record the same.
    since = [
        make("play.made", seat="two", moves=[[24, 13]]),
        make("dice.rolled", seat="one", dice=[4, 2]),
        make("play.made", seat="one", moves=[[8, 4], [6, 4]]),
    ]
    for one in since:
        assert (await api.append(one, token=api.director)).status_code == 201
    main = api.archive.reading.live("club", "m1").recorded
    kept = [one.payload for one in main[1:] if one.tag.startswith(("game.", "dice.", "play."))]
    opened = replace(main[0].payload, shadow_of="m1", players=BySeat((), ()))
    drafts = [api.archive.draft(payload) for payload in (opened, *kept)]
    api.archive.append("club", "beside", drafts)
    text = (await desk(api, case, token)).text
    assert "They differ" not in text
    assert "missing in one" not in text
    assert "24/13" not in text


async def test_the_desk_numbers_turns_as_every_file_does(api: Any, make: Any, begin: Any) -> None:
    await api.open(rule_set="usbgf-2017-07")
    await api.append(*begin())
    for seat, dice in (("two", [6, 5]), ("one", [4, 2]), ("two", [3, 2])):
        await api.append(make("dice.rolled", seat=seat, dice=dice))
        await api.append(make("play.made", seat=seat, moves=[]))
    ruled = make("ruling.made")
    assert (await api.append(ruled, token=api.director)).status_code == 201
    filed = make("appeal.filed", seat="one", target=ruled["entry_id"])
    assert (await api.append(filed, token=api.director)).status_code == 201
    main = api.archive.reading.live("club", "m1").recorded[0].payload
    beside = api.archive.draft(replace(main, shadow_of="m1", players=BySeat((), ())))
    started = api.archive.draft(GameStarted())
    api.archive.append("club", "beside", [beside, started])
    page = (await desk(api, filed["entry_id"], api.director)).text
    rows = re.findall(r'<tr class="differs"><td><a href="[^"]*">([^<]*)</a></td>', page)
    mat = (await api.get("/logs/club/matches/m1/export.mat", api.director)).text
    in_file = re.findall(r"(?m)^ *(\d+)\) +(.*)$", mat)
    assert rows == ["1.1", "1.1", "1.2", "1.2"]
    assert [number for number, _ in in_file] == ["1", "2"]


async def test_the_desk_tells_a_turn_that_won_a_game_in_words_where_it_was_played(
    api: Any, make: Any, begin: Any
) -> None:
    """The win is said a row later, behind a resignation, and moved the turn there."""
    await api.open(rule_set="usbgf-2017-07")
    double = (make("cube.double_offered", seat="two"), make("cube.double_taken", seat="one"))
    rolled = make("dice.rolled", seat="two", dice=[6, 5])
    played = make("play.made", seat="two", moves=[[24, 13]])
    given_up = make("resignation.offered", seat="one", level="single")
    taken = make("resignation.accepted", seat="two")
    won = make("game.won", winner="two", points=2, kind="single")
    ruled = make("ruling.made")
    filed = make("appeal.filed", seat="one", target=ruled["entry_id"])
    for one in (*begin(), *double, rolled, played, given_up, taken, won, ruled, filed):
        answer = await api.append(one, token=api.director)
        assert answer.status_code == 201, answer.text
    main = api.archive.reading.live("club", "m1").recorded[0].payload
    beside = api.archive.draft(replace(main, shadow_of="m1", players=BySeat((), ())))
    api.archive.append("club", "beside", [beside, api.archive.draft(GameStarted())])
    page = (await desk(api, filed["entry_id"], api.director)).text
    lines = re.findall(r'<tr class="differs"><td>.*?>([\d.]+)</a></td><td>.*?</td><td>(.*?)<', page)
    turn = next(words for _, words in lines if "65" in words)
    assert re.fullmatch(r"doubles; takes; 65: 24/13; .+ wins 2 points", turn), turn
    [at] = [number for number, words in lines if words == turn]
    mat = (await api.get("/logs/club/matches/m1/export.mat", api.director)).text
    [row] = [line for line in mat.splitlines() if "65:" in line]
    assert at == f"1.{row.split(')')[0].strip()}"


GERMAN = {"Accept-Language": "de-DE,de;q=0.9"}


async def test_a_refusal_is_said_in_the_language_of_the_page(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014")
    place = f"/logs/club/cases/{case}"

    async def refused(path: str, body: Any, **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {api.director}", **headers}
        answer = await api.http.post(path, headers=sent, json=body)
        assert answer.status_code >= 400, answer.text
        return answer.json()

    told = await refused(f"{place}/issue", {}, **GERMAN)
    assert told["told"] == "Es ist kein Komitee einberufen: Berufen Sie zuerst eines ein."
    assert told["detail"] == "no committee is convened: convene one first"
    told = await refused(f"{place}/issue", {})
    assert told["told"] == "No committee is convened: convene one first."
    sitting = {"members": [{"name": "Ann"}]}
    told = await refused(f"{place}/committee", sitting, **GERMAN)
    assert told["told"] == "Ann spielt dieses Match und kann nicht Mitglied seines Komitees sein."
    assert told["where"] == "$.members[0].name"
    told = await refused(f"/cases/{case}/seals", {}, **GERMAN)
    assert "Es wird kein Paket gemacht" in told["told"]
    # What has no text of its own is told by its kind; to an English reader the detail is enough.
    told = await refused("/logs/none/cases/x/issue", {}, **GERMAN)
    assert told["told"]
    told = await refused("/logs", {"log_id": "club", "title": "again"}, **GERMAN)
    assert (
        told["told"]
        == "Ihre Anmeldung reicht dafür nicht: Bitten Sie die Turnierleitung um die Berechtigung."
    )
    assert "told" not in await refused("/logs", {"log_id": "club", "title": "again"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_refusal_has_its_sentence_in_every_language(language: str) -> None:
    t = texts_of(language)
    for slug in KINDS:
        assert t(f"refused.kind_{slug.replace('-', '_')}").endswith(".")


async def test_who_is_shut_out_of_a_desk_is_told_whose_it_is_and_what_to_do(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "biba-2014")

    async def page(path: str, token: str, **headers: str) -> Any:
        sent = {**cookie_with(api.http, token), "Accept": "text/html", **headers}
        return await api.http.get(path, headers=sent)

    shut = await page(f"/cases/{case}", api.scribe)
    assert shut.status_code == 403
    assert "This is the desk of a case" in shut.text
    assert "asks the director for a new one" in shut.text
    assert f"/session?next=%2Fcases%2F{case}" in shut.text
    for telling in ("Ann", "club", "m1"):
        assert telling not in shut.text.replace(case, "")
    german = await page(f"/cases/{case}", api.scribe, **GERMAN)
    assert "bitten die Turnierleitung um einen neuen" in german.text
    nobody = await page("/cases/00000000-0000-4000-8000-000000000000", api.director)
    assert (nobody.status_code, "This is the desk of a case" in nobody.text) == (403, True)
    report = await page(f"/cases/{case}/report", tokens[0])
    assert (report.status_code, "is for the director alone" in report.text) == (403, True)
    early = await page(f"/cases/{case}/report", api.director)
    assert (early.status_code, "nothing to report yet" in early.text) == (409, True)
    assert "Something went wrong" not in early.text
    await api.http.post(
        f"/cases/{case}/recusal", headers={"Authorization": f"Bearer {tokens[1]}"}, json={}
    )
    left = await page(f"/cases/{case}", tokens[1])
    assert (left.status_code, "You have left this committee" in left.text) == (403, True)


async def test_a_signed_in_page_leads_to_the_cases(api: Any, make: Any) -> None:
    await case_of(api, make, "biba-2014")
    for path in ("/room/club", "/room", "/cases"):
        signed_in = await api.http.get(path, headers=cookie_with(api.http, api.director))
        assert '<a href="/cases">' in signed_in.text, path
    assert '<a href="/cases">' not in (await api.get("/")).text
