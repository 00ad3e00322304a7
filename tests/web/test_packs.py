"""A pack's page in the browser: from a disk, without a network; changes to it are detected."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from api.packs.pack import packed
from api.packs.page import written
from api.packs.unsealing import unsealed
from events.payloads.appeal import PackIssued
from tests.api.evidence.case_rig import LOG, MATCH, ROSTER, WORDS, rig
from tests.projections.rules.federations import BIBA, FCBG, FEDERATIONS, USBGF
from tests.web.conftest import PATIENCE_MS

pytestmark = pytest.mark.gate

NO_ED25519 = """
const own = SubtleCrypto.prototype.importKey;
SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
  if (algorithm === "Ed25519") return Promise.reject(new DOMException("no", "NotSupportedError"));
  return own.call(this, format, key, algorithm, ...rest);
};
"""


class Made(NamedTuple):
    """A pack in a folder, and what was given out after the decision."""

    folder: Path
    later: dict[str, bytes]

    @property
    def page(self) -> Path:
        return self.folder / "case.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    found = {}
    for rule_set in FEDERATIONS:
        place = tmp_path_factory.mktemp(rule_set)
        case = rig(place, rule_set, until=None)
        pack = packed(case.archive, LOG, case.case)
        later: dict[str, bytes] = {}
        if rule_set == BIBA:
            body: Any = pack.issued(None)
            case.archive.append(LOG, MATCH, [case.archive.draft(PackIssued(**body))])
            later = unsealed(case.archive, LOG, case.case)[2]
        (place / "case.html").write_bytes(pack.page)
        found[rule_set] = Made(place, later)
        case.archive.close()
    return found


Open = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Open]:
    """`open_page(path)`: the page as a stranger opens it: no server, no network, no cookie."""
    contexts = []

    def opened(
        path: Path,
        *,
        query: str = "",
        script: str = "",
        patience: int = PATIENCE_MS,
        **options: Any,
    ) -> Page:
        context = chromium.new_context(offline=True, **{"locale": "en-GB", **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url.partition(":")[0]))
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.goto(path.as_uri() + query)
        # Its policy forbids what waiting for a function would take.
        page.locator('html[data-ready="1"], #seal[data-state="bad"]').first.wait_for(
            state="attached", timeout=patience
        )
        assert set(asked) <= {"file", "data"}
        return page

    yield opened
    for context in contexts:
        context.close()


def state(page: Page) -> str | None:
    return page.locator("#seal").get_attribute("data-state")


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_it_opens_from_a_disk_without_a_network_and_verifies_itself(
    made: dict[str, Made], open_page: Open, rule_set: str
) -> None:
    page = open_page(made[rule_set].page)
    assert state(page) == "good"
    told = page.locator("main").inner_text()
    assert (ROSTER.one in told) is (rule_set != BIBA)
    assert (WORDS.facts in told) is (rule_set != BIBA)
    assert WORDS.testimony in told
    expect(page).to_have_title("A case before its committee")
    if rule_set == BIBA:
        expect(page.locator("#left-out")).to_contain_text("keeps from its committee who plays")
        expect(page.locator("#left-out")).to_contain_text("keeps the first ruling")
    if rule_set == FCBG:
        expect(page.locator("#left-out")).to_contain_text("does not say so: the first ruling")
    # Step by step: the moment that is shown moves, and is told.
    said = page.locator(".entry-head .said")
    first = said.inner_text()
    page.keyboard.press("Home")
    expect(said).not_to_have_text(first)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("tb-board").first).to_be_visible()


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_it_is_no_wider_than_a_telephone(
    made: dict[str, Made], open_page: Open, rule_set: str
) -> None:
    page = open_page(made[rule_set].page, viewport={"width": 390, "height": 844})
    table = page.locator("#windows-then table")
    assert table.count() == 1
    wide, room = page.locator("html").evaluate("(one) => [one.scrollWidth, one.clientWidth]")
    assert wide <= room
    # What does not fit is reached by keyboard too.
    table.locator("..").focus()
    expect(table.locator("..")).to_be_focused()


def test_it_speaks_german_too(made: dict[str, Made], open_page: Open) -> None:
    page = open_page(made[BIBA].page, locale="de-DE")
    assert state(page) == "good"
    expect(page.locator("#seal")).to_contain_text("Geprüft")
    expect(page.get_by_role("heading", name="Ein Fall vor seinem Komitee").first).to_be_visible()
    page = open_page(made[BIBA].page, query="?lang=de")
    expect(page.locator("#seal")).to_contain_text("Geprüft")


def test_a_browser_without_ed25519_says_what_it_has_not_checked(
    made: dict[str, Made], open_page: Open
) -> None:
    page = open_page(made[USBGF].page, script=NO_ED25519)
    assert state(page) == "part"
    expect(page.locator("#seal")).to_contain_text("cannot check Ed25519 signatures")


def flipped(raw: bytes, at: int, bit: int = 0) -> bytes:
    changed = bytearray(raw)
    changed[at] ^= 1 << bit
    return bytes(changed)


PLACES = (
    r'\\"tag\\":\\"dice',
    r'"at_ms":\d',
    r'"reserve_ms"',
    r'"text":"',
    r"proofs/1\d*\.tlog",
    r'"checkpoint":"a',
    r'"log\.vkey"',
    r"javascript;base64,L",
    r"--board-a",
    r"pack\.good",
    r"crypto\.subtle\.digest",
    r"const sha256",
    r"A case before",
    r"sha256-\w",
    r"default-src",
    r"has not checked itself",
    r"DOCTYPE",
)
"""Where a bit is flipped: in entries, proofs, what is shown of them, modules, style and policy."""


@pytest.mark.parametrize("place", PLACES)
def test_a_flipped_bit_anywhere_is_told(
    made: dict[str, Made], open_page: Open, chromium: Browser, tmp_path: Path, place: str
) -> None:
    raw = made[BIBA].page.read_bytes()
    found = re.search(place.encode(), raw)
    assert found is not None, place
    path = tmp_path / "case.html"
    path.write_bytes(flipped(raw, found.end() - 1))
    is_run = True
    try:
        page = open_page(path, patience=8_000)
    except TimeoutError:
        is_run = False  # Its own policy keeps it from running at all.
    # The page that did not run was not handed out; contexts of other files may be kept.
    page = chromium.contexts[-1].pages[0]
    assert state(page) == ("bad" if is_run else "none")
    told = page.locator("#seal").inner_text()
    assert ("CHANGED" in told or "NOT VERIFIED" in told) if is_run else "verify.py" in told
    assert WORDS.testimony not in page.locator("main").inner_text()


def test_a_page_that_does_not_run_says_that_it_proves_nothing(
    made: dict[str, Made], chromium: Browser
) -> None:
    context = chromium.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(made[BIBA].page.as_uri())
    expect(page.locator("#seal")).to_contain_text("has not checked itself")
    expect(page.locator("#seal")).to_contain_text("hat sich nicht geprüft")
    context.close()


def test_data_that_was_made_anew_around_other_entries_fails(
    made: dict[str, Made], open_page: Open, tmp_path: Path
) -> None:
    """Whoever rebuilds the page, hashes and policy included, still has no signature."""
    raw = made[BIBA].page.read_text("utf-8")
    [data] = re.findall(r'<script type="application/json" id="pack">(.*?)</script>', raw, re.DOTALL)
    pack = json.loads(data)
    name = next(one for one, text in pack["files"].items() if '"tag":"dice.rolled"' in text)
    pack["files"][name] = pack["files"][name].replace('"seat":"two"', '"seat":"one"')
    path = tmp_path / "case.html"
    path.write_bytes(written(json.dumps(pack).replace("<", "\\u003c")))
    page = open_page(path)
    assert state(page) == "bad"
    expect(page.locator("#seal")).to_contain_text("is not in it as it stands here")
    # Entries as they were, and another story told of them.
    pack = json.loads(data)
    scene = next(one for one in pack["match"]["scenes"] if one["tag"] == "dice.rolled")
    scene["facts"]["dice"] = "11"
    path.write_bytes(written(json.dumps(pack).replace("<", "\\u003c")))
    page = open_page(path)
    assert state(page) == "bad"
    expect(page.locator("#seal")).to_contain_text("is not what was sealed")


def test_a_false_signature_beside_the_true_one_fails(
    made: dict[str, Made], open_page: Open, tmp_path: Path
) -> None:
    raw = made[BIBA].page.read_text("utf-8")
    [data] = re.findall(r'<script type="application/json" id="pack">(.*?)</script>', raw, re.DOTALL)
    pack = json.loads(data)
    note = pack["files"]["checkpoint"]
    whose, _, encoded = note.splitlines()[-1].rpartition(" ")
    false = base64.b64encode(base64.b64decode(encoded)[:4] + bytes(64)).decode()
    for name, text in pack["files"].items():
        pack["files"][name] = text.replace(note, f"{note}{whose} {false}\n")
    path = tmp_path / "case.html"
    path.write_bytes(written(json.dumps(pack).replace("<", "\\u003c")))
    page = open_page(path)
    assert state(page) == "bad"
    expect(page.locator("#seal")).to_contain_text("not signed by the log’s key")


def test_names_are_shown_once_they_are_unsealed_and_no_others(
    made: dict[str, Made], open_page: Open, tmp_path: Path
) -> None:
    page = open_page(made[BIBA].page)
    page.get_by_text("Unseal after the decision").click()
    files = [
        {"name": name.rpartition("/")[2], "mimeType": "application/json", "buffer": raw}
        for name, raw in made[BIBA].later.items()
    ]
    page.locator("#unsealed-files").set_input_files(files)  # type: ignore[arg-type]
    expect(page.locator("#unsealed")).to_contain_text(ROSTER.one)
    expect(page.locator("#unsealed")).to_contain_text("committed to from the start")
    other = [{**one, "buffer": one["buffer"].replace(b"Ada", b"Eve")} for one in files]  # type: ignore[attr-defined]
    page.locator("#unsealed-files").set_input_files(other)  # type: ignore[arg-type]
    expect(page.locator("#unsealed")).to_contain_text("NOT VERIFIED")
    expect(page.locator("#unsealed")).not_to_contain_text("Eve")


def test_on_paper_both_colours_tell_themselves_and_each_entry_has_its_hash(
    made: dict[str, Made], open_page: Open
) -> None:
    page = open_page(made[USBGF].page)
    page.emulate_media(media="print")
    expect(page.locator("#replay")).to_be_hidden()
    sheets = page.locator(".on-paper .sheet")
    assert sheets.count() > 10
    expect(sheets.first).to_be_visible()
    fill = "(one) => getComputedStyle(one).fill"
    one = page.locator(".on-paper tb-board .man.of-one .disc").first.evaluate(fill)
    two = page.locator(".on-paper tb-board .man.of-two .disc").first.evaluate(fill)
    assert (one, two) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
    # And by shape: a ring in the one, an eye in the other.
    expect(page.locator(".on-paper tb-board .man.of-one .ring").first).to_be_visible()
    expect(page.locator(".on-paper tb-board .man.of-two .eye").first).to_be_visible()
    hashes = page.locator(".on-paper .hash").all_inner_texts()
    assert len(hashes) == len({line.split()[0] for line in hashes}) > 60
    assert all(re.fullmatch(r"\d+ [0-9a-f]{64}", line) for line in hashes)
    assert page.pdf(format="A4").startswith(b"%PDF")
