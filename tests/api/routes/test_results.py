"""Results and the wall: who sees what, the spreadsheet, and what nobody is shown."""

from __future__ import annotations

import csv
import io
import uuid
from typing import Any

import pytest

from events.payloads.access import Role

SHEET = (
    "round,table,player 1,player 2,length\n"
    '1,1,=SUM(1),"Lund, Omar",5\n'
    "1,2,<b>Eva,Per Dahl,7\n"
    "1,,Nils Ek,bye,\n"
)
PAGES = ("results", "wall")


async def hall(api: Any, make: Any, *, is_public: bool = True, delay_ms: int = 0) -> list[str]:
    """A round of two matches; the first one over by a forfeit."""
    terms = {"public": is_public, "delay_ms": delay_ms}
    declared = make("tournament.defaults_declared", publication=terms)
    await api.http.post(
        "/logs/club/events",
        headers={"Authorization": f"Bearer {api.director}", "If-Match": "*"},
        json={"entries": [declared]},
    )
    body = {"text": SHEET, "request_id": str(uuid.uuid4()), "called": True}
    made = (await api.post("/logs/club/rounds", body, api.director)).json()
    tables = {
        row["table"]: row["match_id"]
        for row in (await api.get("/logs/club/room", api.director)).json()["tables"]
    }
    assert len(made["matches"]) == 2
    found = [tables["1"], tables["2"]]
    await api.append(
        make("penalty.assessed", seat="two", points=1, ground="conduct"),
        make("forfeit.declared", seat="two", ground="late_start"),
        match=found[0],
        token=api.director,
    )
    return found


async def rows(api: Any, token: str | None = None) -> dict[str | None, dict[str, Any]]:
    answer = await api.get("/logs/club/results.json", token)
    assert answer.status_code == 200, answer.text
    return {row["table"]: row for row in answer.json()["results"]}


async def page(api: Any, name: str, token: str | None = None) -> str:
    answer = await api.get(f"/tournaments/club/{name}", token)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


async def test_results_say_who_won_by_what_and_who_stands_by_it(api: Any, make: Any) -> None:
    first, _ = await hall(api, make)
    for token in (api.director, None):
        told = await rows(api, token)
        assert (told["1"]["winner"], told["1"]["by"]) == ("one", "forfeit")
        assert told["1"]["penalty_points"] == {"one": 0, "two": 1}
        assert (told["1"]["confirmed_by"], told["1"]["is_posted"]) == ([], False)
        # Of a forfeit "0-0" alone tells nobody on the wall why one of the two has won.
        assert "by forfeit" in await page(api, "wall", token)
        assert (told["2"]["state"], told["2"]["called"]) == ("waiting", ["one", "two"])
        assert (told[None]["state"], told[None]["players"]["one"]) == ("bye", ["Nils Ek"])
    score = {"one": 0, "two": 0}
    noted = [make("score.noted", keeper=seat, score=score) for seat in ("one", "two")]
    await api.append(*noted, match=first, token=api.director)
    await api.append(make("result.posted", winner="one"), match=first, token=api.director)
    told = await rows(api)
    assert told["1"]["is_posted"] is True


async def test_a_result_that_is_posted_otherwise_is_not_told_as_posted(api: Any, make: Any) -> None:
    first, _ = await hall(api, make)
    await api.append(make("result.posted", winner="two"), match=first, token=api.director)
    for token in (api.director, None):
        told = (await rows(api, token))["1"]
        assert (told["winner"], told["is_posted"]) == ("one", False)
        shown = await page(api, "results", token)
        assert "posted" not in shown[shown.index("<tbody") :]
    table = (await api.get("/logs/club/results.csv", api.director)).text
    assert ",forfeit,,," in table
    await api.append(make("result.posted", winner="one"), match=first, token=api.director)
    assert (await rows(api))["1"]["is_posted"] is True


async def test_who_reports_otherwise_does_not_stand_by_a_result(api: Any, make: Any) -> None:
    """Of two reports of one player the later one counts, and another score is another result."""
    first, _ = await hall(api, make)
    score = {"one": 0, "two": 0}
    other = {"one": 0, "two": 5}
    for reported, stand in (
        ([{"seat": "one", "score": other}], []),
        ([{"seat": "one", "winner": "one", "score": other}], []),
        ([{"seat": "one", "winner": "one"}, {"seat": "two", "score": score}], ["one", "two"]),
        ([{"seat": "two", "winner": "two"}], ["one"]),
    ):
        told = [make("result.reported", **one) for one in reported]
        await api.append(*told, match=first, token=api.director)
        assert (await rows(api))["1"]["confirmed_by"] == stand


async def test_a_posting_that_was_right_is_told_again_once_the_score_is_that_again(
    api: Any, make: Any
) -> None:
    await hall(api, make)
    second = (await rows(api, api.director))["2"]["match_id"]
    right, wrong = {"one": 7, "two": 2}, {"one": 2, "two": 7}

    async def stated(score: dict[str, int], *more: dict[str, Any]) -> None:
        said = {**make("score.stated", score=score), "basis": "ruled"}
        await api.append(said, *more, match=second, token=api.director)

    await stated(right, make("result.posted", score=right))
    for score, winner, is_posted in ((wrong, "two", False), (right, "one", True)):
        await stated(score)
        told = (await rows(api))["2"]
        assert (told["winner"], told["is_posted"]) == (winner, is_posted)


async def test_a_match_without_a_tablet_stands_as_it_was_posted(api: Any, make: Any) -> None:
    """It is over, at the score that is posted, though no game of it was recorded."""
    await hall(api, make)
    second = (await rows(api, api.director))["2"]["match_id"]
    posted = make("result.posted", score={"one": 2, "two": 5})
    await api.append(posted, match=second, token=api.director)
    for token in (api.director, None):
        told = (await rows(api, token))["2"]
        assert (told["state"], told["winner"], told["is_posted"]) == ("ended", "two", True)
        assert told["score"] == {"one": 2, "two": 5}
        listed = (await api.get("/logs/club/matches", token)).json()["matches"]
        [summary] = [one for one in listed if one["match_id"] == second]
        assert (summary["state"], summary["winner"]) == ("ended", "two")
        assert summary["score"] == {"one": 2, "two": 5}
        shown = (await api.get(f"/matches/club/{second}", token)).text
        assert "to begin" not in shown
        assert "2\u20135" in shown
        # Followers of the tournament are told of it as of any other end.
        entry = (await api.get("/tournaments/club/feed.atom")).text.split("<entry>")[1]
        assert "2\u20135, Per Dahl has won" in entry
    room = (await api.get("/logs/club/room", api.director)).json()
    [table] = [one for one in room["tables"] if one["match_id"] == second]
    assert (table["state"], table["score"]) == ("ended", {"one": 2, "two": 5})
    assert table["posted"] == {"winner": None, "score": {"one": 2, "two": 5}}
    corrected = make("result.corrected", old={"one": 2, "two": 5}, new={"one": 5, "two": 2})
    await api.append(corrected, match=second, token=api.director)
    told = (await rows(api))["2"]
    assert (told["winner"], told["score"]) == ("one", {"one": 5, "two": 2})


async def test_a_spreadsheet_computes_nothing_of_a_name(api: Any, make: Any) -> None:
    await hall(api, make)
    answer = await api.get("/logs/club/results.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    read = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert [row["player_1"] for row in read] == ["'=SUM(1)", "<b>Eva", "Nils Ek"]
    assert read[0]["winner"] == "'=SUM(1)"
    assert read[0]["player_2"] == "Lund, Omar"
    # Another program writes it back, and it is read as before.
    told = await api.post(
        "/logs/club/rounds/preview", {"text": answer.text, "round": "9"}, api.director
    )
    assert told.json()["kind"] == "pairings"
    assert told.json()["columns"][:5] == ["round", "table", "one", "two", "length"]


@pytest.mark.parametrize("between", ["", '"', '" ', "\t", ' ""'])
async def test_a_spreadsheet_that_parts_cells_at_semicolons_computes_nothing_of_a_name_either(
    api: Any, between: str
) -> None:
    names = {"one": [{"name": f"Ada;{between}=cmd|'/C calc'!A0;"}], "two": [{"name": "Bo;Cy"}]}
    await api.open(players=names)
    told = (await api.get("/logs/club/results.csv", api.director)).text
    cells = [cell for row in csv.reader(io.StringIO(told), delimiter=";") for cell in row]
    assert [cell for cell in cells if "=cmd" in cell]
    assert not [cell for cell in cells if cell.strip().startswith("=")]
    assert ",Bo;Cy," in told


async def test_names_are_shown_as_they_are_and_never_as_markup(api: Any, make: Any) -> None:
    await hall(api, make)
    for name in PAGES:
        text = await page(api, name)
        assert "&lt;b&gt;Eva" in text
        assert "<b>Eva" not in text


async def test_a_wall_tells_who_is_called_and_no_ids(api: Any, make: Any) -> None:
    matches = await hall(api, make)
    text = await page(api, "wall")
    assert "Called to the table" in text
    assert "Table 2" in text
    assert not [match for match in matches if match in text]
    tag = (await api.get("/tournaments/club/wall")).headers["etag"]
    again = await api.get("/tournaments/club/wall", if_none_match=tag)
    assert again.status_code == 304


async def test_the_public_sees_public_matches_alone_and_staff_sees_all(api: Any, make: Any) -> None:
    first, _ = await hall(api, make, is_public=False)
    for path in ("/logs/club/results.json", "/logs/club/results.csv"):
        assert (await api.get(path)).status_code == 401
    for name in PAGES:
        assert (await api.get(f"/tournaments/club/{name}")).status_code == 401
        assert "Per Dahl" in await page(api, name, api.director)
    await api.append(make("publication.released"), match=first, token=api.director)
    told = await rows(api)
    assert set(told) == {"1", None}
    assert set(await rows(api, api.token(Role.VIEWER))) == {"1", "2", None}


async def test_under_an_appeal_nothing_is_told_by_which_the_match_is_known(
    api: Any, make: Any
) -> None:
    _, second = await hall(api, make)
    ruling = make("ruling.made")
    await api.append(
        make("game.started"), make("game.won", winner="one", points=3), ruling,
        match=second, token=api.director,
    )  # fmt: skip
    filed = make("appeal.filed", target=ruling["entry_id"], seat="two")
    await api.append(filed, match=second, token=api.director)
    assert "2" not in await rows(api)
    for name in PAGES:
        assert "Per Dahl" not in await page(api, name)
    # What staff puts on the wall is for everybody too; its printed sheet leaves the line out.
    assert "Per Dahl" not in await page(api, "wall", api.director)
    assert (await rows(api, api.director))["2"]["score"] is None
    assert '<tr role="row" class="unprinted">' in await page(api, "results", api.director)


async def test_while_a_ruling_is_awaited_the_score_stands_still_for_all(
    api: Any, make: Any
) -> None:
    _, second = await hall(api, make)
    begun = make("game.started")
    await api.append(
        begun, make("game.won", winner="one", points=3),
        make("dispute.raised", by="two", frozen_at=begun["entry_id"]),
        match=second, token=api.director,
    )  # fmt: skip
    for token in (None, api.director):
        told = (await rows(api, token))["2"]
        assert (told["state"], told["score"]) == ("ruling", {"one": 0, "two": 0})
        for name in PAGES:
            text = await page(api, name, token)
            assert "a ruling is awaited" in text
            assert "3–0" not in text


async def test_the_delay_of_a_match_holds_on_every_screen_in_the_hall(
    api: Any, make: Any, clock: Any
) -> None:
    _, second = await hall(api, make, delay_ms=60_000)
    clock.now += 120_000
    await api.append(
        make("game.started"), make("game.won", winner="one", points=3),
        match=second, token=api.director,
    )  # fmt: skip
    assert (await rows(api))["2"]["state"] == "waiting"
    assert (await rows(api, api.director))["2"]["score"] == {"one": 3, "two": 0}
    assert "3–0" not in await page(api, "wall", api.director)
    clock.now += 61_000
    assert (await rows(api))["2"]["score"] == {"one": 3, "two": 0}
    assert "3–0" in await page(api, "wall")
