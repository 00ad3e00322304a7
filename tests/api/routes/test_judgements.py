"""Views of what the rule sets say: penalties, length, windows, outcome and open questions."""

from __future__ import annotations

from typing import Any

import pytest

from api.archive import reading
from api.html import pictures
from api.routes import replay as replaying
from projections.replay import Replay, replay
from projections.rules.shelf import SHELF
from projections.views.scenes import scenes

M = "/logs/club/matches/m1"
MINUTE = 60_000


async def view(api: Any, name: str, query: str = "") -> Any:
    answer = await api.get(f"{M}/{name}{query}", api.director)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def late(api: Any, make: Any, minutes: int, rule_set: str | None = "biba-2014") -> None:
    """One comes so late to a match to 8."""
    await api.open(length=8, rule_set=rule_set)
    await api.append(
        make("player.arrived", seat="two", at_ms=0),
        make("player.arrived", seat="one", at_ms=minutes * MINUTE),
    )


async def test_penalties_say_what_each_player_is_charged_with(api: Any, make: Any) -> None:
    await late(api, make, 12)
    shown = await view(api, "penalties")
    assert shown["points"] == {"one": 2, "two": 0}
    assert (shown["undecided"], shown["entering"]) == ({"one": 2, "two": 0}, {"one": 0, "two": 0})
    assert shown["scores"] == {"apart": {"one": 0, "two": 0}, "entered": {"one": 0, "two": 2}}
    one, two = shown["accounts"]["one"], shown["accounts"]["two"]
    assert one["delays"] == [{"kind": "start", "ms": 12 * MINUTE}]
    assert (one["answer"]["section"], one["answer"]["verified"]) == ("2.3", True)
    assert two["answer"] is None
    assert shown["forfeited"] is None


async def test_penalties_are_those_of_the_version_and_the_rule_set_asked_for(
    api: Any, make: Any
) -> None:
    await late(api, make, 12)
    assert (await view(api, "penalties", "?at=2"))["points"] == {"one": 0, "two": 0}
    other = await view(api, "penalties", "?rules=usbgf-2017-07")
    assert (other["rule_set"], other["points"]) == ("usbgf-2017-07", {"one": 1, "two": 0})
    open_one = await view(api, "penalties", "?rules=common")
    assert open_one["accounts"]["one"]["answer"]["outcome"] == "ruling_required"


async def test_an_assessed_penalty_is_named_by_the_version_of_its_entry(
    api: Any, make: Any
) -> None:
    await api.open()
    assessed = make("penalty.assessed", seat="two", points=3, ground="conduct", enters_score=True)
    await api.append(assessed, token=api.director)
    waived = make("penalty.waived", target=assessed["entry_id"], points=1)
    await api.append(waived, token=api.director)
    shown = await view(api, "penalties")
    assert shown["accounts"]["two"]["assessed"] == [
        {
            "version": 2,
            "points": 2,
            "waived": 1,
            "enters_score": True,
            "time_ms": {"one": 0, "two": 0},
        }
    ]
    assert shown["entering"] == {"one": 0, "two": 2}


async def test_a_forfeit_is_the_outcome_with_its_citation(api: Any, make: Any) -> None:
    await late(api, make, 27)
    assert (await view(api, "penalties"))["forfeited"] == "one"
    shown = await view(api, "score")
    assert shown["outcome"] == {
        "winner": "two",
        "by": "forfeit",
        "rule_set": "biba-2014",
        "section": "2.3",
        "version": 3,
        "questions": [],
    }
    assert (shown["winner"], shown["has_ended"]) == ("two", True)
    before = await view(api, "score", "?at=2")
    assert (before["winner"], before["outcome"]["by"]) == (None, None)
    summary = (await api.get(M, api.director)).json()
    assert (summary["state"], summary["winner"]) == ("ended", "two")
    listed = (await api.get("/logs/club/matches", api.director)).json()["matches"]
    assert [one["winner"] for one in listed] == ["two"]


async def test_match_length_says_what_was_posted_believed_and_found(api: Any, make: Any) -> None:
    await api.open(length=7, rule_set="usbgf-2017-07", draw_sheet_length=9)
    await api.append(
        make("match.length_believed", seat="one", length=9),
        make("match.length_believed", seat="two", length=7),
    )
    asked = await view(api, "match-length")
    assert (asked["posted"], asked["draw_sheet"]) == (7, 9)
    assert (asked["found"], asked["answer"]) == ([], None)
    await api.append({**make("score.stated", score={"one": 7, "two": 8}), "basis": "agreed"})
    await api.append(
        make("match.length_error_found", wrong=9, correct=7, during_game=False, found_by="director")
    )
    shown = await view(api, "match-length")
    assert shown["believed"] == [
        {"version": 2, "seat": "one", "length": 9},
        {"version": 3, "seat": "two", "length": 7},
    ]
    [found] = shown["found"]
    assert (found["version"], found["wrong"], found["correct"]) == (5, 9, 7)
    assert (found["found_by"], found["during_game"]) == ("director", False)
    answer = shown["answer"]
    assert (answer["outcome"], answer["details"]["winner"]) == ("match_won", "two")
    assert answer["section"] == "[4.8]"


async def test_a_view_shows_every_golden_kind_of_answer_as_json(api: Any, make: Any) -> None:
    """Details, leans and questions beside an answer are whatever the rule sets put there."""
    await api.open(length=7)
    await api.append({**make("score.stated", score={"one": 7, "two": 8}), "basis": "agreed"})
    error = make("match.length_error_found", wrong=9, correct=7, during_game=False, knowingly=True)
    await api.append(error)
    for rule_set in SHELF:
        answer = (await view(api, "match-length", f"?rules={rule_set}"))["answer"]
        assert answer["section"]
        assert isinstance(answer["details"], dict)
        for beside in answer["also"].values():
            assert beside["outcome"] == "ruling_required"


async def test_windows_say_what_may_still_be_put_right(api: Any, make: Any, begin: Any) -> None:
    await api.open(length=7, rule_set="usbgf-2017-07")
    illegal = make("play.made", seat="two", moves=[[24, 20]])
    await api.append(*begin(), make("dice.rolled", seat="two", dice=[6, 5]), illegal)
    notice = make(
        "play.illegality_noticed",
        **{"target": illegal["entry_id"], "class": "dice_or_pips", "noticed_by": "one"},
    )
    await api.append(notice)
    [open_one] = [one for one in (await view(api, "windows"))["windows"] if one["state"] == "open"]
    assert (open_one["what"], open_one["entry"], open_one["seat"]) == ("play", 6, "two")
    assert open_one["must"] or open_one["may"]
    assert open_one["rule_set"] == "usbgf-2017-07"
    assert open_one["closed_by"] is None
    corrected = make("play.corrected", target=illegal["entry_id"], moves=[[24, 13]])
    await api.append(corrected, token=api.director)
    [shut] = [one for one in (await view(api, "windows"))["windows"] if one["entry"] == 6]
    assert shut["state"] == "corrected"
    assert shut["closed_by"] in (None, 8)


async def test_open_questions_can_be_asked_for_alone(api: Any, make: Any) -> None:
    await api.open(length=7, rule_set="biba-2014")
    await api.append({**make("score.stated", score={"one": 7, "two": 8}), "basis": "agreed"})
    await api.append(make("match.length_error_found", wrong=9, correct=7, during_game=False))
    everything = await view(api, "findings")
    assert len(everything["findings"]) == 2
    asked = await view(api, "findings", "?open=true")
    assert [one["code"] for one in asked["findings"]] == ["wrong-length"]
    assert asked["questions"] == everything["questions"]
    assert (asked["open_questions"], everything["open_questions"]) == (1, 1)
    assert (await api.get(f"{M}/findings?open=perhaps", api.director)).status_code == 400
    replayed = await view(api, "replay")
    assert replayed["questions"] == everything["questions"]
    assert (await view(api, "replay", "?rules=usbgf-2017-07"))["questions"] == []


async def test_the_page_of_a_match_shows_who_has_won_and_what_is_open(api: Any, make: Any) -> None:
    await late(api, make, 27)
    page = (await api.get("/matches/club/m1", api.director)).text
    assert "Ann" in page
    assert "Bo has won the match by forfeit" in page
    assert "biba-2014, 2.3" in page
    assert "Open questions" not in page


async def test_the_page_lists_open_questions_with_their_readings(api: Any, make: Any) -> None:
    await api.open(length=7, rule_set="biba-2014")
    await api.append({**make("score.stated", score={"one": 7, "two": 8}), "basis": "agreed"})
    await api.append(make("match.length_error_found", wrong=9, correct=7, during_game=False))
    page = (await api.get("/matches/club/m1", api.director)).text
    assert "<h2>Open questions</h2>" in page
    assert "first to reach / higher" in page
    assert "has won the match" not in page


async def test_lists_say_by_what_a_match_was_won_where_its_score_does_not(
    api: Any, make: Any
) -> None:
    await late(api, make, 27)
    await api.append(make("publication.released"), token=api.director)
    summary = (await api.get(M)).json()
    assert (summary["winner"], summary["won_by"]) == ("two", "forfeit")
    card = (await api.get("/tournaments/club")).text
    assert "<span>by forfeit</span>" in card
    german = (await api.get("/tournaments/club?lang=de")).text
    assert "<span>kampflos</span>" in german
    assert "Bo has won the match by forfeit</title>" in (await api.get("/feed.atom")).text
    page = (await api.get("/matches/club/m1")).text
    assert ', Bo has won the match by forfeit">' in page


async def test_the_picture_of_a_forfeit_says_so_in_few_words(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name and a reason are wider than its column, and would be cut before the reason."""
    drawn: list[pictures.Card] = []

    def card_svg(card: pictures.Card, *more: Any) -> str:
        drawn.append(card)
        return pictures.card_svg(card, *more)

    monkeypatch.setattr("api.pages.match.card_svg", card_svg)
    await late(api, make, 27)
    assert (await api.get("/matches/club/m1/card.png", api.director)).status_code == 200
    assert drawn[-1].lines == ("match to 8", "by forfeit")


async def test_the_page_lists_apart_what_is_open_and_needs_nobody(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(length=1, rule_set="usbgf-2024")
    double = make("cube.double_offered", seat="one")
    await api.append(*begin(), double, make("cube.double_dropped", seat="two"))
    await api.append(make("match.ended"))
    found = await view(api, "findings", "?open=true")
    resting = [one for one in found["questions"] if one["attention"] == "note"]
    waiting = [one for one in found["questions"] if one["attention"] == "alarm"]
    assert resting
    assert waiting
    page = (await api.get("/matches/club/m1", api.director)).text
    asked, needing_nobody = page.split(f"Open questions that need no answer ({len(resting)})")
    assert asked.count("Readings:") == sum(bool(one["readings"]) for one in waiting)
    assert '<span class="muted">open, and nobody waits for a ruling</span>' in needing_nobody
    assert f'class="warn">{len(waiting)} open question' in asked


@pytest.mark.parametrize("rule_set", SHELF)
async def test_a_match_recorded_under_none_is_judged_under_any(
    api: Any, make: Any, rule_set: str
) -> None:
    await late(api, make, 12, None)
    shown = await view(api, "replay", f"?rules={rule_set}")
    assert shown["rule_set"] == rule_set
    cited = {one["rule_set"] for line in shown["lines"] for one in line["findings"]}
    assert cited <= {rule_set}


def folds(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The rule sets under which a match is folded from its first entry, from now on."""
    folded: list[str | None] = []

    def counted(events: Any, rule_set: str | None = None, **more: Any) -> Replay:
        folded.append(rule_set)
        return replay(events, rule_set, **more)

    monkeypatch.setattr(reading, "replay", counted)
    return folded


async def test_another_rule_set_folds_a_match_once_and_then_what_is_new(
    api: Any, make: Any, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await late(api, make, 12)
    await api.append(*begin())
    folded = folds(monkeypatch)
    for name in ("penalties", "scenes", "score", "windows", "replay"):
        for at in ("",) if name == "scenes" else ("", "&at=2"):
            await view(api, name, f"?rules=usbgf-2017-07{at}")
    assert folded == ["usbgf-2017-07"]
    slip = make("dice.rolled", seat="two", dice=[6, 4])
    later = (
        [make("player.arrived", seat="two", at_ms=0), slip],
        [make("entry.retracted", target=slip["entry_id"])],
        [make("dice.rolled", seat="two", dice=[6, 5])],
    )
    live = api.archive.reading.live("club", "m1")
    for entries in later:
        await api.append(*entries)
        for as_recorded in (False, True):
            kept = api.archive.reading.replay(
                "club", "m1", rule_set="usbgf-2017-07", as_recorded=as_recorded
            )
            anew = replay(live.recorded, "usbgf-2017-07", as_recorded=as_recorded)
            assert kept.version == live.version
            assert (kept.state, kept.findings) == (anew.state, anew.findings)
    assert folded == ["usbgf-2017-07"] * 2, "once as corrected, once as recorded"


async def test_only_so_many_other_judgements_are_kept(
    api: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await late(api, make, 12)
    monkeypatch.setattr(reading, "OTHERWISE", 2)
    folded = folds(monkeypatch)
    sets = ["common", "biba-2014", "common", "usbgf-2017-07", "common", "biba-2014"]
    for rule_set in sets:
        await view(api, "score", f"?rules={rule_set}")
    assert folded == ["common", "biba-2014", "usbgf-2017-07", "biba-2014"]


@pytest.mark.parametrize(
    "path", [f"{M}/scenes?rules=common", "/matches/club/m1/replay?rules=common"]
)
async def test_what_the_replay_shows_is_made_once_for_each_version(
    api: Any, make: Any, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(replaying, "scenes", lambda *shown: made.append(1) or scenes(*shown))
    await late(api, make, 12)
    for version in (1, 2):
        first, second = [await api.get(path, api.director) for _ in range(2)]
        assert (first.status_code, first.content) == (200, second.content)
        assert len(made) == version
        etag = first.headers["etag"]
        assert (await api.get(path, api.director, If_None_Match=etag)).status_code == 304
        await api.append(make("player.arrived", seat="two", at_ms=1))


async def test_an_unknown_rule_set_is_refused_with_the_known_ones(api: Any, make: Any) -> None:
    await late(api, make, 12)
    answer = await api.get(f"{M}/replay?rules=biba-1066", api.director)
    assert answer.status_code == 400
    assert answer.json()["known"] == sorted(SHELF)


async def test_appeals_say_what_the_ballots_make_of_the_ruling(api: Any, make: Any) -> None:
    """The same ballots under two texts; the announcement of the director is shown beside."""
    await api.open(rule_set="fcbg-tournament")
    ruling = {**make("ruling.made"), "basis": "ruled"}
    filed = make("appeal.filed", seat="two", target=ruling["entry_id"])
    await api.append(ruling, token=api.director)
    assert (await view(api, "appeals"))["appeals"] == []
    await api.append(filed, token=api.director)
    votes = [("m1", "reverse"), ("m2", "reverse"), ("m3", "uphold")]
    await api.append(
        make("committee.convened", size=3, members=[{"member": member} for member, _ in votes]),
        *(make("vote.cast", member=member, vote=vote) for member, vote in votes),
        make("appeal.decided", outcome="upheld"),
        token=api.director,
    )
    [shown] = (await view(api, "appeals"))["appeals"]
    assert (shown["version"], shown["seat"], shown["size"]) == (3, "two", 3)
    assert shown["is_admitted"] is True
    assert (shown["has_committee"], shown["director_may_vote"]) == (True, False)
    assert [(one["member"], one["vote"]) for one in shown["ballots"]] == votes
    assert shown["result"]["outcome"] == "ruling_changed"
    assert shown["result"]["section"] == "CONT/T(c)"
    assert shown["announced"] == "upheld"
    [other] = (await view(api, "appeals", "?rules=biba-2014"))["appeals"]
    assert (other["result"]["outcome"], other["result"]["section"]) == ("ruling_stands", "6.3")
    [draft] = (await view(api, "appeals", "?rules=usbgf-2017-07"))["appeals"]
    assert (draft["has_committee"], draft["director_may_vote"]) == (True, True)
    [silent] = (await view(api, "appeals", "?rules=common"))["appeals"]
    assert (silent["has_committee"], silent["director_may_vote"]) == (False, False)
    [early] = (await view(api, "appeals", "?at=5"))["appeals"]
    assert (early["result"], early["announced"]) == (None, None)
