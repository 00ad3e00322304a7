"""The routes for disputes, rulings, appeals and votes: permissions, references, consequences."""

from __future__ import annotations

from typing import Any

import pytest

from events.payloads.access import Role

M = "/logs/club/matches/m1"
IDS = [f"5f0c1d4e-8f55-4a57-9a0e-27d1f5a3c{number:03}" for number in range(100, 120)]
FOUND = 3
"""Version of the entry at which the wrong length is found."""
QUESTION = {"topic": "match-length.outcome", "at": FOUND}


async def wrong_length(api: Any, make: Any) -> None:
    """Posted to 7 and played to 9, under Biba's rules: what becomes of it is a question."""
    await api.open(length=7, rule_set="biba-2014")
    stated = make("score.stated", score={"one": 7, "two": 8})
    error = make("match.length_error_found", wrong=9, correct=7, during_game=False)
    await api.append({**stated, "basis": "agreed"}, error, token=api.director)


async def post(
    api: Any,
    door: str,
    body: dict[str, Any],
    token: str | None,
    *,
    at: int | str | None = "*",
    entry_id: str = IDS[0],
    **more: Any,
) -> Any:
    headers = {} if at is None else {"If_Match": str(at)}
    request = {"entry_id": entry_id, "body": body, **more}
    return await api.post(f"{M}/{door}", request, token, **headers)


def answering(question: dict[str, Any], reading: str = "higher") -> dict[str, Any]:
    return {"answers": [{"question": question, "reading": reading}]}


async def questions(api: Any, query: str = "") -> list[dict[str, Any]]:
    return (await api.get(f"{M}/findings{query}", api.director)).json()["questions"]


async def test_a_director_answers_an_open_question_and_the_state_follows(
    api: Any, make: Any
) -> None:
    await wrong_length(api, make)
    [asked] = await questions(api, "?open=true")
    assert (asked["topic"], asked["version"], asked["answered"]) == (QUESTION["topic"], FOUND, None)
    before = (await api.get(f"{M}/match-length", api.director)).json()["answer"]
    assert before["outcome"] == "ruling_required"
    assert set(asked["readings"]) == set(before["readings"])
    hanging = (await api.get(f"{M}/score", api.director)).json()["outcome"]
    assert (hanging["winner"], hanging["questions"]) == (None, ["match-length.outcome"])

    named = {name: asked[name] for name in ("topic", "at", "seat")}
    answer = await post(api, "rulings", {**answering(named), "at_ms": 90_000}, api.director, at=3)
    assert (answer.status_code, answer.json()["version"]) == (201, 4)

    replayed = (await api.get(f"{M}/replay", api.director)).json()
    [question] = replayed["questions"]
    assert question["answered"] == {"version": 4, "reading": "higher", "at_ms": 90_000}
    [finding] = replayed["lines"][FOUND - 1]["findings"]
    assert finding["answered_by"] == 4
    after = (await api.get(f"{M}/match-length", api.director)).json()["answer"]
    assert (after["outcome"], after["details"]["winner"]) == ("match_won", "two")
    outcome = (await api.get(f"{M}/score", api.director)).json()["outcome"]
    assert (outcome["winner"], outcome["by"], outcome["version"]) == ("two", "wrong_length", 4)
    assert await questions(api, "?open=true") == []
    assert (await api.get(M, api.director)).json()["open_questions"] == 0


async def test_a_question_may_be_named_by_the_version_of_its_entry(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    assert (await post(api, "rulings", answering(QUESTION), api.director)).status_code == 201
    entries = (await api.get(f"{M}/events", api.director)).json()["entries"]
    [answer] = entries[-1]["body"]["answers"]
    assert answer["question"]["at"] == entries[FOUND - 1]["entry_id"]
    assert (entries[-1]["tag"], entries[-1]["basis"]) == ("ruling.made", "ruled")


async def test_any_reading_may_be_chosen(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    body = answering(QUESTION, "share the points")
    assert (await post(api, "rulings", body, api.director)).status_code == 201
    assert (await questions(api))[0]["answered"]["reading"] == "share the points"


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ({"topic": "match-length.outcome", "at": 99}, "$.body.answers[0].question.at"),
        ({"topic": "match-length.outcome", "at": 0}, "$.body.answers[0].question.at"),
        ({"topic": "match-length.outcome", "at": True}, "$.body.answers[0].question.at"),
        ({"topic": "match-length.outcome", "at": IDS[9]}, "$.body.answers[0].question.at"),
        ({"topic": "match-length.outcome", "at": 2}, "$.body.answers[0].question"),
        ({"topic": "dice.validity", "at": FOUND}, "$.body.answers[0].question"),
        ({**QUESTION, "seat": "one"}, "$.body.answers[0].question"),
        ({**QUESTION, "at": None}, "$.body.answers[0].question.at"),
        ({"topic": "dice.validity"}, "$.body.answers[0].question"),
    ],
)
async def test_a_ruling_on_what_nobody_asked_is_refused(
    api: Any, make: Any, question: dict[str, Any], where: str
) -> None:
    await wrong_length(api, make)
    answer = await post(api, "rulings", answering(question), api.director)
    assert answer.status_code == 422, answer.text
    assert answer.json()["where"] == where
    assert api.version() == 3


async def test_the_refusal_lists_what_is_asked(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    question = {"topic": "dice.validity", "at": FOUND}
    refusal = (await post(api, "rulings", answering(question), api.director)).json()
    assert refusal["known"] == ["match-length.outcome at 3"]


async def test_who_rules_on_a_question_that_a_correction_took_away_is_told_so_in_words(
    api: Any, make: Any
) -> None:
    """The form was open while the entry that it was asked at was put right."""
    await wrong_length(api, make)
    [asked] = await questions(api, "?open=true")
    await api.append(make("entry.retracted", target=asked["at"]), token=api.director)
    body = answering({name: asked[name] for name in ("topic", "at", "seat")})
    for language, word in (
        ("en", "This question is no longer open"),
        ("de", "Diese Frage ist nicht mehr offen"),
    ):
        headers = {"Authorization": f"Bearer {api.director}", "Accept-Language": language}
        answer = await api.http.post(
            f"{M}/rulings",
            headers={**headers, "If-Match": "*"},
            json={"entry_id": IDS[0], "body": body},
        )
        assert answer.status_code == 422, answer.text
        assert answer.json()["told"].startswith(word)


async def test_a_scribe_is_not_told_what_is_asked_about_a_match_in_play(
    api: Any, make: Any
) -> None:
    """By no door that is his: it may follow from what he must not be told while he plays."""
    await wrong_length(api, make)
    assert (await api.get(f"{M}/findings", api.scribe)).json()["held_back"]
    asked = answering({"topic": "dice.validity", "at": FOUND})
    for door, body in (("disputes", {"by": "one", **asked}), ("appeals", {"seat": "one", **asked})):
        answer = await post(api, door, body, api.scribe)
        assert answer.status_code == 422, answer.text
        assert "match-length" not in answer.text


async def test_a_dispute_is_ruled_on_though_no_fold_asks(api: Any, make: Any, begin: Any) -> None:
    await api.open()
    await api.append(*begin())
    body = {"by": "one", "frozen_at": 4, "topic": "cube.value"}
    raised = await post(api, "disputes", body, api.scribe)
    assert raised.status_code == 201
    question = {"topic": "cube.value", "at": 5}
    ruling = {**answering(question, "two"), "dispute": 5}
    answer = await post(api, "rulings", ruling, api.director, entry_id=IDS[1])
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    ("door", "body", "more", "allowed"),
    [
        ("disputes", {"by": "one"}, {}, "director scribe"),
        ("disputes", {"by": "two"}, {"tag": "director.called"}, "director scribe"),
        ("rulings", {}, {}, "director"),
        ("rulings", {"on_roll": "two"}, {"tag": "ruling.carried_out"}, "director"),
        ("appeals", {"seat": "one", "target": 3}, {}, "director scribe"),
        ("appeals", {"outcome": "upheld"}, {"tag": "appeal.decided"}, "director"),
        ("votes", {"member": "a", "vote": "uphold"}, {}, "director"),
        ("votes", {"vote": "uphold"}, {"tag": "vote.director_cast"}, "director"),
        ("votes", {}, {"tag": "vote.director_declined"}, "director"),
    ],
)
@pytest.mark.parametrize("role", [*Role])
async def test_each_door_opens_to_its_own_roles(
    api: Any, make: Any, *, role: Role, door: str, body: Any, more: Any, allowed: str
) -> None:
    await wrong_length(api, make)
    scope = {} if role is not Role.ARCHIVIST else {"log": "archive"}
    token = api.archive.operator_token() if scope else api.token(role, match="m1")
    answer = await post(api, door, body, token, **more)
    if role.value in f"archivist {allowed}".split():
        assert answer.status_code == 201, answer.text
        return
    assert answer.status_code == 403
    for needed in set(allowed.split()) & {"director"}:
        assert needed in answer.json()["needs"]
    assert api.version() == 3


async def test_nobody_writes_without_a_token(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    for door in ("disputes", "rulings", "appeals", "votes"):
        assert (await post(api, door, {}, None)).status_code == 401


async def test_who_may_not_is_told_so_before_what_is_wrong_with_it(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    nonsense = answering({"topic": "no.such", "at": 99})
    viewer = api.token(Role.VIEWER, match="m1")
    assert (await post(api, "rulings", nonsense, viewer)).status_code == 403


async def test_the_version_is_asked_for_and_held_to(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    ruling = answering(QUESTION)
    assert (await post(api, "rulings", ruling, api.director, at=None)).status_code == 428
    stale = await post(api, "rulings", ruling, api.director, at=2)
    assert (stale.status_code, stale.json()["current_version"]) == (412, 3)
    assert [one["version"] for one in stale.json()["missed"]] == [3]
    assert (await post(api, "rulings", ruling, api.director, at=3)).status_code == 201


async def test_sending_it_again_changes_nothing(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    ruling = {**answering(QUESTION), "decision": "the higher score wins"}
    first = await post(api, "rulings", ruling, api.director, at=3)
    await api.append(make("entry.retracted", target=await _id_of(api, FOUND)), token=api.director)
    again = await post(api, "rulings", ruling, api.director, at=3)
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    assert again.json()["entries"] == first.json()["entries"]
    other = await post(api, "rulings", answering(QUESTION, "stop"), api.director, at=3)
    assert other.status_code == 409


async def _id_of(api: Any, version: int) -> str:
    entries = (await api.get(f"{M}/events", api.director)).json()["entries"]
    return str(entries[version - 1]["entry_id"])


@pytest.mark.parametrize(
    ("door", "request_", "where"),
    [
        ("rulings", [], "$"),
        ("rulings", {"entry_id": IDS[0], "body": []}, "$.body"),
        ("rulings", {"entry_id": "x", "body": {}}, None),
        ("rulings", {"entry_id": IDS[0], "body": {}, "more": 1}, "$"),
        ("rulings", {"entry_id": IDS[0], "tag": "vote.cast", "body": {}}, "$.tag"),
        ("rulings", {"entry_id": IDS[0], "body": {"answers": [1]}}, "$.body.answers[0]"),
        ("rulings", {"entry_id": IDS[0], "body": {"answers": 1}}, "$.body.answers"),
        ("rulings", {"entry_id": IDS[0], "body": {"dispute": 3}}, "$.body.dispute"),
        ("disputes", {"entry_id": IDS[0], "body": {"by": "nobody"}}, "$.body.by"),
        ("disputes", {"entry_id": IDS[0], "body": {"by": "one", "frozen_at": 4}}, None),
        ("appeals", {"entry_id": IDS[0], "body": {"seat": "one"}}, "$.body"),
        ("appeals", {"entry_id": IDS[0], "body": {"seat": "one", "target": 1.5}}, None),
        (
            "votes",
            {"entry_id": IDS[0], "body": {"member": "a", "vote": "uphold", "appeal": 3}},
            "$.body.appeal",
        ),
    ],
)
async def test_what_is_no_such_entry_is_422_and_says_where(
    api: Any, make: Any, door: str, request_: Any, where: str | None
) -> None:
    await wrong_length(api, make)
    answer = await api.post(f"{M}/{door}", request_, api.director, If_Match="*")
    assert answer.status_code == 422, answer.text
    if where is not None:
        assert answer.json()["where"] == where
    assert api.version() == 3


async def test_an_appeal_runs_from_its_filing_to_its_outcome(api: Any, make: Any) -> None:
    await wrong_length(api, make)
    await post(api, "rulings", answering(QUESTION), api.director)
    filed = await post(api, "appeals", {"seat": "one", "target": 4}, api.scribe, entry_id=IDS[1])
    assert filed.status_code == 201, filed.text
    for number, member in enumerate("abc"):
        body = {"member": member, "vote": "reverse", "appeal": 5}
        cast = await post(api, "votes", body, api.director, entry_id=IDS[2 + number])
        assert cast.status_code == 201, cast.text
    decided = await post(
        api,
        "appeals",
        {"outcome": "reversed", "appeal": 5},
        api.director,
        entry_id=IDS[8],
        tag="appeal.decided",
    )
    assert decided.status_code == 201
    body = {"ruling": 9, "score": {"one": 7, "two": 7}}
    carried = await post(
        api, "rulings", body, api.director, entry_id=IDS[9], tag="ruling.carried_out"
    )
    assert carried.status_code == 201, carried.text
    assert (await api.get(f"{M}/score", api.scribe)).json()["score"] == {"one": 7, "two": 7}


async def test_there_has_to_be_such_a_match(api: Any) -> None:
    request = {"entry_id": IDS[0], "body": {"by": "one"}}
    for match in ("nowhere", "tournament"):
        path = f"/logs/club/matches/{match}/disputes"
        assert (await api.post(path, request, api.director, If_Match="*")).status_code == 404
