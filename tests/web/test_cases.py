"""Cases in the browser: playthroughs of appeals, with each member on a page of their own."""

from __future__ import annotations

import hashlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from playwright.sync_api import BrowserContext, Page, Route, expect

from api.archive.archive import open_archive
from api.archive.keyring import Keyring
from api.evidence.scripts import verify as verifier
from events.payloads.access import Role
from events.payloads.appeal import AppealFiled
from events.payloads.dice import OpeningRolled
from events.payloads.match import GameStarted
from events.values import BySeat
from tests.projections.rules.federations import FEDERATIONS, federation_match
from tests.web.conftest import LOG, Served, Site, check_axe, check_targets, shot
from tests.web.replay_rig import put

pytestmark = [pytest.mark.gate, pytest.mark.warm]

GOLDEN = Path(__file__).parents[1] / "golden" / "playthroughs"

NAMES = ("Ida Berg", "Omar Lund", "Zoë O’Hara")

PHONE = {"width": 390, "height": 844}


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
    if "/cases/" in page.url:
        ready(page)
    return page


def ready(page: Page) -> Page:
    """The page with its script at work."""
    expect(page.locator("body[data-ready]")).to_have_count(1)
    return page


def again(page: Page, path: str | None = None) -> Page:
    page.reload() if path is None else page.goto(path)
    return ready(page)


class Golden(NamedTuple):
    """The appeal of a playthrough, as its golden text has it."""

    votes: Sequence[str]
    director: str | None
    computed: str
    announced: str


def golden_of(rule_set: str) -> Golden:
    text = (GOLDEN / f"federation-{rule_set}.txt").read_text("utf-8")
    director = re.findall(r"vote\.director_cast.*\n +appeal #\d+; vote (\w+)", text)
    return Golden(
        re.findall(r"vote\.cast.*\n +appeal #\d+; member m\d; vote (\w+)", text),
        director[0] if director else None,
        re.findall(r"= appeals\.answer: (ruling_\w+)", text)[-1],
        re.findall(r"appeal\.decided.*\n +appeal #\d+; outcome (\w+)", text)[-1],
    )


def playthrough(site: Site, rule_set: str) -> str:
    """The case of a federation's playthrough, recorded as far as its appeal; the match is `m1`."""
    events = federation_match(rule_set).events
    filed = next(n for n, one in enumerate(events) if isinstance(one.payload, AppealFiled))
    match = put(site, events[: filed + 1], "m1")
    return str(site.entries(match)[-1]["entry_id"])


def fill_in(page: Page, names: Sequence[str], independent: str = "yes") -> None:
    lines = page.locator("#sitting li")
    for number, name in enumerate(names):
        lines.nth(number).locator("input").fill(name)
        lines.nth(number).locator("select").select_option(independent)


def convened(page: Page, names: Sequence[str] = NAMES) -> list[str]:
    """The members' codes, in order."""
    fill_in(page, names)
    page.get_by_role("button", name="Convene, with a code for each").click()
    expect(page.locator("#codes li")).to_have_count(len(names))
    # The codes are shown once, so nobody loads the page anew: it says what is so by now.
    expect(page.locator("#seats tbody tr")).to_have_count(len(names))
    return [str(one.get_attribute("data-code")) for one in page.locator("#codes li").all()]


def give_out(page: Page) -> None:
    page.get_by_role("button", name="Give the committee its case").click()
    expect(page.locator("#told")).to_have_text("The committee has its case.")


def cast(page: Page, vote: str) -> None:
    page.locator(f"#vote input[value={vote}]").check()
    page.get_by_role("button", name="Seal the ballot").click()


def record(site: Site, match: str, tag: str, **body: Any) -> None:
    """Among the entries, as an import or a script records what was on paper."""
    entry = {"entry_id": str(uuid.uuid4()), "tag": tag, "body": body}
    with site.http(site.director) as http:
        answer = http.post(
            f"/logs/{LOG}/matches/{match}/events",
            json={"entries": [entry]},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text


def found(site: Site, code: str) -> int:
    with site.http(site.director) as http:
        every = http.get(f"/logs/{LOG}/matches/m1/findings").json()["findings"]
    return [one["code"] for one in every].count(code)


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_a_playthrough_is_carried_through_its_appeal_as_its_golden_text_has_it(
    new_context: Any, site: Site, rule_set: str
) -> None:
    golden = golden_of(rule_set)
    assert len(golden.votes) == 3
    case = playthrough(site, rule_set)
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    codes = convened(director)
    expect(director.locator("#codes li").first).to_contain_text("good once, until")
    # A page of their own: another context, another cookie.
    members = [signed_in(new_context, site, code=code) for code in codes]
    told = members[0].locator("#told")
    expect(members[0].locator("main")).to_contain_text("has not given the committee this case yet")
    # No ballot is taken yet, so none is asked for.
    expect(members[0].locator("#vote")).to_be_hidden()
    give_out(director)
    for number, (page, vote) in enumerate(zip(members, golden.votes, strict=True), 1):
        again(page)
        shown = page.locator("main").inner_text()
        # Of Biba's committee the players are kept secret, and the first ruling.
        assert ("Ada" in shown) is (rule_set != "biba-2014")
        assert ("Ruling, entry" in shown) is (rule_set != "biba-2014")
        cast(page, vote)
        last = "All ballots are in and opened." if number == 3 else "The ballot is taken."
        expect(page.locator("#told")).to_have_text(last)
    cast(members[0], "uphold")
    expect(told).to_contain_text("after the last ballot was in")
    # Whoever has voted is not told that a ballot is not taken.
    expect(again(members[2]).locator("#standing")).to_have_text("All ballots are in and opened.")
    expect(members[2].locator("#why-not")).to_have_count(0)
    again(director)
    if golden.director is not None:
        director.locator(f"#director-vote input[value={golden.director}]").check()
        with director.expect_navigation():
            director.get_by_role("button", name="Record the director’s ballot").click()
        ready(director)
    else:
        expect(director.locator("#director-vote")).to_have_count(0)
    expect(director.locator("#computed")).to_have_attribute("data-outcome", golden.computed)
    expect(director.locator("#outcome")).to_have_value(golden.announced)
    with director.expect_navigation():
        director.get_by_role("button", name="Announce").click()
    ready(director)
    expect(director.locator("#announced")).to_have_attribute("data-outcome", golden.announced)
    expect(director.locator(".badge.bad")).to_have_count(0)
    expect(director.locator(".badge.good")).to_have_count(1)
    expect(again(members[2]).locator("#ballot ~ .badge")).to_have_text(
        f"Announced: {golden.announced}"
    )
    expect(director.locator("#openings li")).to_have_count(4)
    expect(director.locator("#openings")).not_to_contain_text("entry 0")
    # What a reversed ruling had answered is open again, and says so; else nothing is.
    hangs = director.locator("#hanging").inner_text()
    assert ("open" in hangs and "another ruling" in hangs) is (golden.announced != "upheld"), hangs
    shot(director, f"case-decided-{rule_set}")
    director.get_by_label("Reported to").fill("Rules board")
    director.get_by_label("Reported on").fill("2026-05-04")
    director.get_by_label("What happened").fill("A die leaned on the rail.")
    director.get_by_label("Why it was decided so").fill("It lay as the text says.")
    with director.expect_navigation():
        director.get_by_role("button", name="It has been reported").click()
    ready(director)
    expect(director.get_by_text("Rules board").first).to_be_visible()
    reported = site.entries("m1")[-1]
    assert (reported["tag"], reported["schema"]) == ("decision.reported", 2)
    assert (reported["body"]["to"], reported["body"]["appeal"]) == ("Rules board", case)
    # What happened and why is about people, and so is the day: it stands beside the record.
    assert {*reported["body"]} == {"appeal", "by", "description", "on", "reasons", "to"}
    director.get_by_role("link", name="Report to the federation").click()
    expect(director.locator("main")).to_contain_text("Ida Berg")
    assert found(site, "appeal-differs") == 0
    assert found(site, "ballot-not-counted") == 0


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_who_is_of_no_committee_is_refused_on_the_page_with_the_reason(
    new_context: Any, site: Site, rule_set: str
) -> None:
    case = playthrough(site, rule_set)
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    director.get_by_role("button", name="Convene, with a code for each").click()
    expect(director.locator("#told")).to_have_text("Name at least one member.")
    first = convened(director)
    give_out(director)
    page = signed_in(new_context, site, code=first[0])
    # Another committee is called: whoever sat in the first one sits no more, and has its page open.
    again(director)
    director.locator("#calling summary").click()
    convened(director, ("Per Dahl", "Rae Kim", "Sól Á"))
    cast(page, "reverse")
    expect(page.locator("#told")).to_contain_text("seat in the committee of this case")
    # The same as records go in, are found, and count for nothing.
    record(site, "m1", "vote.cast", member="m1", vote="reverse", appeal=case)
    record(site, "m1", "vote.cast", member="stranger", vote="reverse", appeal=case)
    assert found(site, "ballot-not-counted") == 2
    again(director)
    expect(director.locator("#computed")).to_have_attribute("data-outcome", "")
    expect(director.locator(".case-note")).to_have_count(2)


def test_ballots_out_of_time_go_in_as_records_and_are_findings(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "fcbg-tournament")
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    codes = convened(director)
    give_out(director)
    for code in codes:
        page = signed_in(new_context, site, code=code)
        cast(page, "uphold")
        expect(page.locator("#told")).not_to_be_empty()
    record(site, "m1", "vote.cast", member="m1", vote="reverse", appeal=case)
    record(site, "m1", "vote.cast", member="m2", vote="reverse", appeal=case)
    assert found(site, "ballot-not-counted") == 2
    again(director)
    expect(director.locator("#computed")).to_have_attribute("data-outcome", "ruling_stands")


def test_a_member_steps_through_the_moment_with_its_words_on_a_phone(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "usbgf-2017-07")
    record(site, "m1", "testimony.given", role="spectator", says="I saw the posted length: five.")
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    codes = convened(director)
    give_out(director)
    context = new_context(base_url=site.url, viewport=PHONE)
    page = context.new_page()
    page.goto(f"/session?code={codes[0].replace('-', '')}")
    page.locator("#by-code button").click()
    page.wait_for_url(re.compile(r"/cases/[0-9a-f-]{36}$"))
    ready(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    expect(page.locator("#moment")).to_contain_text("The disputed moment, after entry 67")
    shot(page, "case-phone")
    page.get_by_role("link", name="‹ Back").click()
    ready(page)
    expect(page.locator("#moment")).to_contain_text("After entry")
    expect(page.get_by_role("link", name="The disputed moment")).to_be_visible()
    page.get_by_role("link", name="Last »").click()
    ready(page)
    page.goto(page.url.partition("?")[0] + "?at=71#moment")
    ready(page)
    expect(page.locator("#spoken-here")).to_contain_text("I saw the posted length: five.")
    page.get_by_role("link", name="see it as recorded").click()
    ready(page)
    assert "record=recorded" in page.url
    check_axe(page)
    check_targets(page)
    # To look around is one reading, however many moments it takes.
    again(director)
    assert director.locator("#openings li").count() == 2


def test_a_note_is_its_members_alone_also_where_two_share_a_browser(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "biba-2014")
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    codes = convened(director)
    page = signed_in(new_context, site, code=codes[0])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    page.locator("#note").fill("The die leaned.")
    expect(again(page).locator("#note")).to_have_value("The die leaned.")
    page.get_by_role("button", name="Sign out").first.click()
    page.goto(f"/session?code={codes[1].replace('-', '')}")
    page.locator("#by-code button").click()
    page.wait_for_url(re.compile(r"/cases/[0-9a-f-]{36}$"))
    expect(ready(page).locator("#note")).to_have_value("")
    assert not any("leaned" in one for one in sent)


def test_what_the_rule_set_asks_of_a_committee_is_told_before_it_is_called(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "biba-2014")
    page = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    expect(page.locator("#asks")).to_contain_text("Members: 3 (6.3)")
    expect(page.locator("#asks")).to_contain_text("disinterested")
    fill_in(page, NAMES[:2], "no")
    expect(page.locator("#size-told")).to_contain_text("2 named; the rule set asks for 3 (6.3)")
    page.locator("#sitting li").nth(2).locator("input").fill("ADA")
    page.get_by_role("button", name="Convene, with a code for each").click()
    expect(page.locator("#told")).to_contain_text("ADA plays this match")
    # The form ends above the end of a screen, and what is said stands below it.
    expect(page.locator("#told")).to_be_in_viewport()
    page.locator("#sitting li").nth(2).locator("input").fill("")
    page.get_by_role("button", name="Convene, with a code for each").click()
    expect(page.locator("#told")).to_contain_text("not independent")
    check_axe(page)
    shot(page, "case-director")
    again(page)
    expect(page.locator(".case-note").first).to_contain_text("the committee has 2 members")
    page.get_by_role("button", name="New code for Ida Berg").click()
    expect(page.locator("#codes li")).to_have_count(1)
    assert re.search(r"[?]code=\w{8}", page.locator("#codes a").get_attribute("href") or "")


@pytest.mark.parametrize("language", ["en", "de"])
def test_both_languages_have_the_whole_desk(new_context: Any, site: Site, language: str) -> None:
    case = playthrough(site, "fcbg-tournament")
    context = new_context(base_url=site.url, locale=f"{language}-{language.upper()}")
    answer = context.request.post(f"{site.url}/session", data={"token": site.director})
    assert answer.ok
    page = context.new_page()
    page.goto(f"/cases/{case}")
    ready(page)
    words = json.loads((Path("api/web/texts") / language / "case.json").read_text("utf-8"))
    expect(page.locator("h1")).to_have_text(words["case.title"])
    for key in ("clocks_at", "sections", "record", "scribes", "committee", "questions"):
        text = re.sub(r"\{n\}.*", "", words[f"case.{key}"]).strip()
        expect(page.locator("main")).to_contain_text(text)
    shot(page, f"case-{language}")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.fixture
def hall_site(tmp_path: Path) -> Iterator[Site]:
    """A server that signs, and that other devices of the hall reach."""
    file = f"sqlite:///{tmp_path / 'hall.sqlite'}"
    archive = open_archive(file, keyring=Keyring(tmp_path / "keys"))
    archive.open_tournament(LOG, "Lantern Open")
    director, _ = archive.grant(Role.DIRECTOR, log_id=LOG)
    served = Served(archive, hall="http://192.168.1.5:8340")
    try:
        url = f"http://127.0.0.1:{served.port}"
        yield Site(url, archive, archive.operator_token(), director)
    finally:
        served.stop()
        archive.close()


def test_a_code_is_a_picture_to_scan_where_another_device_reaches_the_server(
    new_context: Any, hall_site: Site
) -> None:
    case = playthrough(hall_site, "usbgf-2017-07")
    director = signed_in(new_context, hall_site, token=hall_site.director, path=f"/cases/{case}")
    convened(director)
    for name in NAMES:
        picture = director.get_by_role("img", name=f"QR code for {name}")
        expect(picture).to_be_visible()
        # A picture that did not load has no size of its own.
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("(one) => one.naturalWidth") > 0
    link = director.locator("#codes a").first.get_attribute("href") or ""
    assert link.startswith("http://192.168.1.5:8340/session?code=")
    check_axe(director)


def test_a_pack_is_handed_out_and_the_decision_reported_by_the_pages_own_buttons(
    new_context: Any, hall_site: Site
) -> None:
    case = playthrough(hall_site, "usbgf-2017-07")
    director = signed_in(new_context, hall_site, token=hall_site.director, path=f"/cases/{case}")
    codes = convened(director)
    give_out(director)
    member = signed_in(new_context, hall_site, code=codes[0])
    with member.expect_download() as taken:
        member.get_by_role("button", name="Take the pack with you").click()
    raw = Path(taken.value.path()).read_bytes()
    expect(member.locator("#hand-out [role=status]")).to_contain_text(
        hashlib.sha256(raw).hexdigest()
    )
    with zipfile.ZipFile(io.BytesIO(raw)) as pack:
        files = {name.partition("/")[2]: pack.read(name) for name in pack.namelist()}
    list(verifier.verify_files(files))
    issued = [one for one in hall_site.entries("m1") if one["tag"] == "pack.issued"]
    assert [one["body"]["bundle"] for one in issued] == [hashlib.sha256(raw).hexdigest()]
    again(director)
    director.locator("#outcome").select_option("upheld")
    with director.expect_navigation():
        director.get_by_role("button", name="Announce").click()
    ready(director)
    expect(director.locator("#unseal")).to_have_count(0)
    director.locator("#to").fill("WBGF")
    with director.expect_navigation():
        director.get_by_role("button", name="It has been reported").click()
    ready(director)
    expect(director.locator("main")).to_contain_text("Reported to WBGF.")
    check_axe(director)


def test_a_case_is_given_out_without_its_score_and_unsealed_after_the_decision(
    new_context: Any, hall_site: Site
) -> None:
    log, match = str(uuid.uuid4()), str(uuid.uuid4())
    made = blind_case(hall_site, log, match)
    director = signed_in(new_context, hall_site, token=hall_site.token, path=f"/cases/{made}")
    codes = convened(director)
    again(director)
    director.get_by_role("checkbox", name="Without the score").check()
    director.get_by_role("button", name="Give the committee its case").click()
    expect(director.locator("#told")).to_have_text("The committee has its case.")
    expect(again(director).get_by_role("checkbox", name="Without the score")).to_be_checked()
    member = signed_in(new_context, hall_site, code=codes[0])
    expect(member.locator(".shown-to", has_text="without its score")).to_be_visible()
    expect(member.locator("main")).not_to_contain_text("Score ")
    check_axe(member)
    with member.expect_download() as taken:
        member.get_by_role("button", name="Take the pack with you").click()
    with zipfile.ZipFile(taken.value.path()) as pack:
        [told] = [pack.read(name) for name in pack.namelist() if name.endswith("bundle.json")]
    assert json.loads(told)["cut"]["why"] == ["first_ruling", "score"]
    again(director)
    director.locator("#outcome").select_option("upheld")
    with director.expect_navigation():
        director.get_by_role("button", name="Announce").click()
    ready(director)
    # A session that ended, and one that was begun beside this page: told, and gone on with.
    unseal, line = director.locator("#unseal button"), director.locator("#unseal [role=status]")
    director.context.clear_cookies()
    unseal.click()
    expect(line).to_contain_text("You are signed out")
    director.context.request.post("/session", data={"token": hall_site.token})
    unseal.click()
    expect(line).to_contain_text("You have signed in anew")
    with director.expect_download() as unsealed:
        unseal.click()
    with zipfile.ZipFile(unsealed.value.path()) as later:
        shown = b"".join(later.read(name) for name in later.namelist())
    assert b"Ada" in shown
    expect(director.locator("#unseal [role=status]")).to_have_text(
        "Unsealed, and that is recorded."
    )


def blind_case(site: Site, log: str, match: str) -> str:
    """Two games of a match under Biba's rules, a ruling in the second one, and an appeal."""
    site.archive.open_tournament(log, "Winter Open")
    site.open_match(match, log, rule_set="biba-2014")
    ruling, filed = str(uuid.uuid4()), str(uuid.uuid4())
    acts: list[tuple[str, dict[str, Any]]] = [
        ("game.started", {}),
        ("dice.opening_rolled", {"one": 3, "two": 1}),
        ("play.made", {"seat": "one", "moves": [[8, 5], [6, 5]]}),
        ("resignation.offered", {"seat": "two", "level": "single"}),
        ("resignation.accepted", {"seat": "one"}),
        ("game.started", {}),
        ("dice.opening_rolled", {"one": 6, "two": 1}),
        ("dispute.raised", {"by": "two"}),
        ("ruling.made", {}),
        ("appeal.filed", {"seat": "two", "target": ruling}),
    ]
    ids = {"ruling.made": ruling, "appeal.filed": filed}
    entries = [
        {"entry_id": ids.get(tag, str(uuid.uuid4())), "tag": tag, "body": body}
        for tag, body in acts
    ]
    with site.http() as http:
        answer = http.post(
            f"/logs/{log}/matches/{match}/events",
            json={"entries": entries},
            headers={"If-Match": "*"},
        )
    assert answer.status_code == 201, answer.text
    return filed


def test_a_second_scribes_record_is_told_beside_the_first_on_the_page(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "usbgf-2017-07")
    main = site.archive.reading.live(LOG, "m1").recorded[0].payload
    beside = replace(main, shadow_of="m1", players=BySeat((), ()))
    more = (beside, GameStarted(), OpeningRolled(one=6, two=5))
    site.archive.append(LOG, "beside", [site.archive.draft(one) for one in more])
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    convened(director)
    expect(again(director).locator("#scribes + p")).to_contain_text("They differ")
    expect(director.locator(".case-scribes tr.differs").first).to_be_visible()
    check_axe(director)
    check_targets(director)


def test_a_question_in_the_room_leads_to_its_case(new_context: Any, site: Site) -> None:
    case = playthrough(site, "biba-2014")
    director = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    fill_in(director, NAMES[:2])
    director.get_by_role("button", name="Convene, with a code for each").click()
    expect(director.locator("#codes li")).to_have_count(2)
    director.goto(f"/room/{LOG}#m1")
    question = director.locator(".question", has_text="the committee has 2 members").first
    question.get_by_role("link").click()
    director.wait_for_url(f"**/cases/{case}")
    director.locator("header").get_by_role("link", name="Cases").click()
    director.wait_for_url("**/cases")
    expect(director.locator(f'main a[href="/cases/{case}"]')).to_be_visible()


def test_a_committee_is_called_once_where_no_answer_is_heard(new_context: Any, site: Site) -> None:
    """The page tries once more itself, and the director after it: what came of it has one call."""
    case = playthrough(site, "usbgf-2017-07")
    page = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    answers: list[int] = []

    def lose(route: Route) -> None:
        answer = route.fetch()
        answers.append(answer.status)
        if len(answers) < 3:
            route.abort()
        else:
            route.fulfill(response=answer)

    page.route("**/committee", lose)
    fill_in(page, NAMES)
    page.get_by_role("button", name="Convene, with a code for each").click()
    expect(page.locator("#told")).not_to_be_empty()
    page.get_by_role("button", name="Convene, with a code for each").click()
    expect(page.locator("#codes li")).to_have_count(len(NAMES))
    assert answers == [201, 201, 201]
    assert [entry["tag"] for entry in site.entries("m1")].count("committee.convened") == 1


def test_what_a_director_says_at_the_desk_is_recorded_once_where_no_answer_is_heard(
    new_context: Any, site: Site
) -> None:
    case = playthrough(site, "usbgf-2017-07")
    page = signed_in(new_context, site, token=site.director, path=f"/cases/{case}")
    lost: list[str] = []

    def lose(route: Route) -> None:
        """It is recorded, and the answer is lost: twice, since the page tries once more itself."""
        answer = route.fetch()
        lost.append(str(answer.status))
        if len(lost) < 3:
            route.abort()
        else:
            route.fulfill(response=answer)

    page.route("**/appeals", lose)
    page.locator("#outcome").select_option("upheld")
    page.get_by_role("button", name="Announce").click()
    expect(page.locator("#told")).not_to_be_empty()
    with page.expect_navigation():
        page.get_by_role("button", name="Announce").click()
    expect(ready(page).locator("#announced")).to_have_attribute("data-outcome", "upheld")
    assert lost == ["201", "200", "200"]
    assert [entry["tag"] for entry in site.entries("m1")].count("appeal.decided") == 1
