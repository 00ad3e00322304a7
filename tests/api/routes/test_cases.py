"""A case before its committee, by the doors: seats, sealed ballots, refusals, custody, outcome."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from api.exchange.sealed.jsonl import read as read_jsonl
from api.routes.exports import FORMATS
from api.routes.shared.cookie import COOKIE
from events.payloads.access import Role
from projections.judging.ballots import commitment_to

M = "/logs/club/matches/m1"
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
    answer = await api.http.post("/session", content=f"code={code['code']}", headers=FORM)
    assert answer.status_code == 303, answer.text
    assert re.fullmatch(r"/cases/[0-9a-f-]{36}", answer.headers["location"])
    api.http.cookies.clear()
    return str(answer.headers["set-cookie"].split("; ")[0].removeprefix(f"{COOKIE}="))


async def issued(api: Any, make: Any, rule_set: str, names: Any = NAMES) -> tuple[str, list[str]]:
    """A case whose committee has it; its id and the members' tokens."""
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


async def test_imported_as_records_they_go_in_and_are_findings(api: Any, make: Any) -> None:
    case, _ = await issued(api, make, "biba-2014")
    stranger = make("vote.cast", member="m9", vote="uphold", appeal=case)
    sealed = make(
        "vote.sealed", target=case, member="m9", grant=stranger["entry_id"], commitment="0" * 64
    )
    for one in (stranger, sealed):
        assert (await api.append(one, token=api.director)).status_code == 201
    found = (await api.get(f"{M}/findings", api.director)).json()["findings"]
    assert [one["code"] for one in found].count("ballot-not-counted") == 2


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


async def test_who_may_not_sit_is_refused_and_what_a_text_asks_is_told(api: Any, make: Any) -> None:
    case = await case_of(api, make, "biba-2014")
    for names in (("Ann", "Ida", "Omar"), ("ida  BERG", "Ida Berg", "Omar"), (" ", "Ida", "Omar")):
        assert (await convened(api, case, names)).status_code == 422, names
    made = (await convened(api, case, NAMES[:2], independent=False)).json()
    assert made["anonymised"] is True
    assert any("not independent" in note for note in made["notes"])
    assert any("committee of 2" in note for note in made["notes"])
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
    cookies = {} if token is None else {"Cookie": f"{COOKIE}={token}"}
    return await api.http.get(f"/cases/{case}", headers=cookies)


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


async def test_the_desk_shows_a_committee_of_an_open_rule_set_names_and_ruling(
    api: Any, make: Any
) -> None:
    case, tokens = await issued(api, make, "usbgf-2017-07")
    page = await desk(api, case, tokens[0])
    assert page.status_code == 200, page.text
    assert "Ann appeals" in page.text
    assert "ruling" in page.text


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
    cookie = {"Cookie": f"{COOKIE}={api.director}"}
    assert (await api.http.get(f"/cases/{case}/report", headers=cookie)).status_code == 409
    for token in tokens:
        await vote(api, case, token, "uphold")
    decided = make("appeal.decided", outcome="upheld", appeal=case, decision="Heard and upheld.")
    await api.append(decided, token=api.director)
    for path in ("report", "report.txt"):
        answer = await api.http.get(f"/cases/{case}/{path}", headers=cookie)
        assert answer.status_code == 200, answer.text
        assert "Heard and upheld." in answer.text
    theirs = {"Cookie": f"{COOKIE}={tokens[0]}"}
    assert (await api.http.get(f"/cases/{case}/report", headers=theirs)).status_code == 403
    assert "/cases/" + case in (await api.http.get("/cases", headers=theirs)).text
    assert "/cases/" + case in (await api.http.get("/cases", headers=cookie)).text


# What ballots say is told to nobody before the last is in, and to no public after it.

READABLE = (
    *("", "/replay", "/scenes", "/appeals", "/findings", "/events", "/provenance", "/windows"),
    *("/penalties", "/score", "/alignment"),
)


async def every_reading(api: Any, token: str | None) -> dict[str, str]:
    """Everything that there is to read of the match, by where it is read."""
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    cookie = {} if token is None else {"Cookie": f"{COOKIE}={token}"}
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
    # Who decides is told.
    for reader in (api.director, api.token(Role.COMMITTEE)):
        told = await every_reading(api, reader)
        assert proposal in told["/appeals"]
        assert proposal in told["txt"]
        assert proposal in told["jsonl"]


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
