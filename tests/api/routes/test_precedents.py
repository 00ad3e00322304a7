"""Precedents: who finds which decisions, by what, and whom they never name."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from tests.api.routes.test_public_pages import DELAY, html, names_in

NAMED = {"players": {"one": [{"name": "Zinaida Quill"}], "two": [{"name": "Jörg Brand"}]}}
PUBLIC = {"publication": {"public": True, "delay_ms": 0}}
USBGF, BIBA = "usbgf-2017-07", "biba-2014"
DECIDED = "The roll of Quill is void."


async def ruled(
    api: Any, make: Any, begin: Any, match: str = "m1", rule_set: str = USBGF, **opened: Any
) -> dict[str, str]:
    """A match with a dispute about a roll, ruled on, that has ended; the ids of its entries."""
    publication = opened.pop("publication", PUBLIC["publication"])
    await api.open(match, **NAMED, rule_set=rule_set, publication=publication, **opened)
    roll = make("dice.rolled", seat="two", dice=[6, 4])
    dispute = make("dispute.raised", by="one", topic="dice.validity", frozen_at=roll["entry_id"])
    ruling = make(
        "ruling.made",
        dispute=dispute["entry_id"],
        references=[{"rule_set": rule_set, "section": "[4.1.1-4]"}],
        decision=DECIDED,
    )
    await api.append(*begin(), roll, match=match, token=api.director)
    await api.append(dispute, ruling, match=match, token=api.director)
    ended = make("match.ended", winner="one")
    answer = await api.append(ended, match=match, token=api.director)
    assert answer.status_code == 201, answer.text
    return {"ruling": ruling["entry_id"], "roll": roll["entry_id"]}


async def found(api: Any, query: str = "", token: str | None = None) -> list[dict[str, Any]]:
    answer = await api.get(f"/rulings{query}", token)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["precedents"])


async def test_a_ruling_is_found_by_what_it_was_about_with_its_board(
    api: Any, make: Any, begin: Any
) -> None:
    await ruled(api, make, begin)
    [one] = await found(api)
    assert (one["moment"], one["subjects"], one["outcome"]) == (5, ["dice.validity"], "stands")
    assert one["sections"] == [{"rule_set": USBGF, "section": "[4.1.1-4]"}]
    assert sum(one["checkers"]["one"]) == 15
    assert one["players"] == {"one": ["Zinaida Quill"], "two": ["Jörg Brand"]}
    # Words are not for the public; who directs reads them.
    assert {word["text"] for word in one["words"]} <= {None}
    [known] = await found(api, token=api.director)
    assert DECIDED in [word["text"] for word in known["words"]]
    for fits in (
        *("?section=4.1.1", "?section=%5B4.1.1-4%5D", "?subject=dice", "?subject=dice.validity"),
        *(f"?rule_set={USBGF}", "?outcome=stands", "?subject=&section="),
    ):
        assert len(await found(api, fits)) == 1, fits
    for other in ("?section=9.9", "?subject=cube", f"?rule_set={BIBA}", "?outcome=upheld"):
        assert await found(api, other) == [], other
    page = await html(api, "/precedents?subject=dice.validity")
    assert "Whether a roll counts" in page
    assert "<svg viewBox" in page
    assert "?at=5#board" in page
    assert len(names_in(page)) == 4
    refused = await api.get("/rulings?rule_set=nobodys")
    assert refused.status_code == 404 or refused.status_code == 400


async def test_nobody_is_shown_a_ruling_before_its_match_may_be_read(
    api: Any, make: Any, begin: Any, clock: Any
) -> None:
    await ruled(api, make, begin, "behind", publication={"public": True, "delay_ms": DELAY})
    await ruled(api, make, begin, "private", publication={"public": False, "delay_ms": 0})
    known = await ruled(api, make, begin, "appealed")
    filed = make("appeal.filed", target=known["ruling"], seat="two", on="rule")
    await api.append(filed, match="appealed", token=api.director)
    assert await found(api) == []
    own = await found(api, token=api.director)
    assert {one["match_id"]: one["outcome"] for one in own} == {
        "behind": "stands",
        "private": "stands",
        "appealed": "open",
    }
    clock.now += DELAY + 1
    assert [one["match_id"] for one in await found(api)] == ["behind"]
    decided = make("appeal.decided", appeal=filed["entry_id"], outcome="reversed")
    await api.append(decided, match="appealed", token=api.director)
    [one] = await found(api, "?outcome=reversed")
    assert (one["match_id"], one["appeal_on"]) == ("appealed", "rule")


async def test_a_ruling_in_a_game_in_play_is_for_those_who_rule(
    api: Any, make: Any, begin: Any
) -> None:
    await api.open(**NAMED, **PUBLIC, rule_set=USBGF)
    await api.append(*begin(), make("ruling.made"), token=api.director)
    assert await found(api) == []
    assert len(await found(api, token=api.director)) == 1


@pytest.mark.parametrize("why", ["rule_set", "objected"])
async def test_names_are_left_out_where_the_rule_set_or_a_player_says_so(
    api: Any, make: Any, begin: Any, why: str
) -> None:
    await ruled(api, make, begin, rule_set=BIBA if why == "rule_set" else USBGF)
    if why == "objected":
        await api.append(make("recording.objected", seat="two", medium="video"))
    [public] = await found(api)
    assert (public["unnamed"], public["players"], public["match_id"]) == (why, None, None)
    assert names_in(await html(api, "/precedents")) == []
    # A director is led to the match, and reads no word here that tells who plays.
    [known] = await found(api, token=api.director)
    assert known["match_id"] == "m1"
    assert {word["withheld"] for word in known["words"]} == {"names_somebody"}


@pytest.mark.parametrize("rule_set", [BIBA, USBGF])
async def test_a_name_that_was_typed_for_a_reading_is_told_where_names_are(
    api: Any, make: Any, begin: Any, rule_set: str
) -> None:
    ids = await ruled(api, make, begin, rule_set=rule_set)
    question = {"topic": "dice.validity", "at": ids["roll"]}
    answer = {"question": question, "reading": "quills_roll_stands"}
    typed = make("ruling.made", answers=[answer])
    assert (await api.append(typed, token=api.director)).status_code == 201
    told = await found(api)
    assert len(told) == 2
    page = await html(api, "/precedents")
    for text in (str(told), page):
        assert ("quill" in text.lower()) is (rule_set == USBGF)


async def test_an_erased_name_is_in_no_precedent(api: Any, make: Any, begin: Any) -> None:
    await ruled(api, make, begin)
    assert names_in(await html(api, "/precedents"))
    players = api.archive.reading.live("club", "m1").replay.opened.players
    for player in (players.one[0], players.two[0]):
        api.archive.store.erase_disclosure("club", player.name.sd)
    assert names_in(await html(api, "/precedents")) == []


async def test_precedents_go_on_where_a_page_stopped(api: Any, make: Any, begin: Any) -> None:
    for number in range(12):
        await ruled(api, make, begin, f"m{number}")
    first = await html(api, "/precedents?subject=dice")
    assert first.count("<article") == 10
    following = first.split('rel="next" href="', 1)[1].split('"', 1)[0].replace("&amp;", "&")
    # The match of which a page says last that nobody is named is not named by its end either.
    cursor = following.rpartition("cursor=")[2]
    place = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    assert not re.search(r"club|\bm\d+\b", place), place
    second = await html(api, f"/precedents{following}")
    assert second.count("<article") == 2
    broken = await api.get("/rulings?cursor=x")
    assert broken.status_code == 400
