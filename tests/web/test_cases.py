"""A case in the browser: convened, issued, voted on by three members on pages of their own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.conftest import LOG, Site

pytestmark = pytest.mark.gate

NAMES = ("Ida Berg", "Omar Lund", "Zoë O’Hara")


def signed_in(make: Any, site: Site, *, code: str = "", token: str = "", path: str = "") -> Page:
    context: BrowserContext = make(base_url=site.url, expects_errors=True)
    page = context.new_page()
    if code:
        page.goto(f"/session?code={code.replace('-', '')}")
        page.locator("#by-code button").click()
        page.wait_for_url(re.compile(r"/cases/[0-9a-f-]{36}$"))
    else:
        page.goto(f"/session?next={path}")
        page.locator("#token").fill(token)
        page.get_by_role("button", name="Sign in").first.click()
        page.wait_for_url(f"**{path}")
    return page


def appealed(site: Site, rule_set: str) -> str:
    """The case of a match in which a ruling is appealed against."""
    match = site.open_match(opened={"rule_set": rule_set, "length": 5})
    with site.http(site.director) as http:
        ids = {}
        for number, (tag, body) in enumerate(
            (
                ("game.started", {}),
                ("dice.opening_rolled", {"one": 3, "two": 1}),
                ("dispute.raised", {"by": "two"}),
                ("ruling.made", {}),
                ("appeal.filed", {"seat": "two"}),
            )
        ):
            entry_id = f"00000000-0000-4000-8000-00000000000{number}"
            if tag == "appeal.filed":
                body = {**body, "target": ids["ruling.made"]}
            answer = http.post(
                f"/logs/{LOG}/matches/{match}/events",
                json={"entries": [{"entry_id": entry_id, "tag": tag, "body": body}]},
                headers={"If-Match": "*"},
            )
            assert answer.status_code == 201, answer.text
            ids[tag] = entry_id
    return ids["appeal.filed"]


def cast(page: Page, vote: str) -> None:
    page.locator(f"input[value={vote}]").check()
    page.get_by_role("button", name="Seal the ballot").click()


@pytest.mark.parametrize(
    ("rule_set", "votes", "computed", "announced"),
    [
        ("biba-2014", ("uphold", "reverse", "reverse"), "ruling_stands", "upheld"),
        ("fcbg-tournament", ("uphold", "reverse", "reverse"), "ruling_changed", "reversed"),
    ],
)
def test_a_case_is_carried_through_each_member_on_a_page_of_their_own(
    new_context: Any, site: Site, rule_set: str, votes: Any, computed: str, announced: str
) -> None:
    case = appealed(site, rule_set)
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    director.locator("#names").fill("\n".join(NAMES))
    director.get_by_role("button", name="Convene").click()
    expect(director.locator("#codes li")).to_have_count(3)
    codes = [one.get_attribute("data-code") for one in director.locator("#codes li").all()]
    members = [signed_in(new_context, site, code=str(code)) for code in codes]
    expect(members[0].locator("main")).to_contain_text("has not given the committee this case yet")
    cast(members[0], votes[0])
    expect(members[0].locator("#told")).to_contain_text("before the case was issued")
    director.get_by_role("button", name="Give the committee its case").click()
    expect(director.locator("#told")).to_have_text("The committee has its case.")
    for number, (page, vote) in enumerate(zip(members, votes, strict=True), 1):
        page.reload()
        is_told = page.locator("main").inner_text()
        assert ("Ada" in is_told) is (rule_set != "biba-2014")
        cast(page, vote)
        told = "All ballots are in and opened." if number == 3 else "The ballot is taken."
        expect(page.locator("#told")).to_have_text(told)
    cast(members[0], "reverse")
    expect(members[0].locator("#told")).to_contain_text("after the last ballot was in")
    members[0].locator("#note").fill("private")
    members[0].reload()
    expect(members[0].locator("#note")).to_have_value("private")
    director.reload()
    expect(director.locator("#computed")).to_contain_text(computed)
    expect(director.locator("#openings li")).to_have_count(4)
    director.locator("#outcome").select_option(announced)
    director.get_by_role("button", name="Announce").click()
    expect(director.locator("#announced")).to_have_text(announced)
    expect(director.locator(".badge.bad")).to_have_count(0)
    director.get_by_role("link", name="Report to the federation").click()
    expect(director.locator("main")).to_contain_text(announced)
