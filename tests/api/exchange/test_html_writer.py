"""The HTML page: whole, safe to open, with a board for every turn, and the entries as data."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.exchange.prose.clear import clear_body
from api.exchange.prose.html import WRITER, write
from api.exchange.writers import WRITERS
from api.exchange.writing.wanted import Details, Wanted, Written
from events.catalogue import Unread
from events.envelope import Basis, RecordedEvent
from events.payloads import corrections, cube, dispute, match, play
from events.values import BySeat, Seat
from projections.board.ids import position_id
from projections.replay import Replay, replay
from tests.projections.playthroughs import NAMES, home_match
from tests.projections.rules.federations import federation_match
from tests.projections.streams import STREAMS, legal_match
from tests.projections.table import ENTRY, Table

PLAIN = Wanted(names=NAMES)
VOID = frozenset({"meta", "col"})
TAGS = """
html head meta title style body a svg defs g rect path circle text use header h1 h2 p section dl dt
dd nav ol li small main div figure figcaption b code table caption colgroup col thead tbody tr th td
details summary span strong time cite footer script
"""
ATTRIBUTES = """
lang charset http-equiv content name class href id width height aria-hidden aria-label role viewbox
aria-labelledby x y rx r d scope colspan span title type
"""
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "' style='x",
    "<!--",
    "]]>",
    "</title></style></svg>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;b&gt;&amp;",
    "\u202etxet\u2028",
)


class Page(HTMLParser):
    """A page read back: its elements, ids, links and texts; it fails where one is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.scripts: list[dict[str, str | None]] = []
        self.record: Any = None
        self.texts: list[str] = []
        self.codes: list[str] = []
        self.others: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.elements.append((tag, tuple(sorted(values))))
        self.ids.update([values["id"] or ""] if "id" in values else [])
        self.links += [values["href"] or ""] if "href" in values else []
        self.scripts += [values] if tag == "script" else []
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        if inside == "script":
            self.record = json.loads(data)
        elif inside == "code":
            self.codes.append(data)
        if inside not in ("script", "style"):
            self.texts.append(data)

    @property
    def words(self) -> str:
        """All that a reader sees, in a line."""
        return " ".join(" ".join(self.texts).split())


def _page(shown: Replay | Table, wanted: Wanted = PLAIN) -> Page:
    return Page(_written(shown, wanted).text)


def _written(shown: Replay | Table, wanted: Wanted = PLAIN) -> Written:
    return write(shown.replay if isinstance(shown, Table) else shown, wanted)


def _is_safe(page: Page) -> bool:
    """Whether a page contains only what the template writes."""
    return (
        {tag for tag, _ in page.elements} <= set(TAGS.split())
        and {name for _, names in page.elements for name in names} <= set(ATTRIBUTES.split())
        and all(link.startswith("#") for link in page.links)
        and [script["type"] for script in page.scripts] == ["application/json"]
        and not page.others
    )


def test_the_doors_offer_it_by_the_name_html() -> None:
    assert WRITERS["html"] is WRITER


# -- whole and safe --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        home_match(),
        *[federation_match(one) for one in ("usbgf-2017-07", "biba-2014", "fcbg-tournament")],
        legal_match(3, games=2),
        Table().game().turns(1).retract(ENTRY.format(99)),
        Table(),
    ],
    ids=["home", "usbgf", "biba", "fcbg", "legal", "corrected", "opened"],
)
def test_a_page_is_whole_and_needs_nothing_else(table: Table) -> None:
    text = _written(table).text
    page = Page(text)
    assert _is_safe(page)
    assert max(page.ids.values()) == 1
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert not re.search(r"url\(|@import|https?://", text)
    assert "default-src 'none'" in text


def test_it_says_its_language_and_has_headings_and_names_for_what_is_drawn() -> None:
    text = _written(home_match()).text
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert text.count("<h1>") == 1
    drawings = re.findall(r"<svg [^>]*viewBox[^>]*>", text)
    assert len(drawings) > 20
    assert all('role="img" aria-label="Ada: ' in one for one in drawings)
    assert '<th scope="col">Ada</th>' in text


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(HOSTILE) | st.text(),
    st.sampled_from(HOSTILE) | st.text(),
    st.sampled_from(HOSTILE) | st.text(),
)
def test_names_and_headings_are_text_and_nothing_else(one: str, two: str, event: str) -> None:
    table = Table(5).game().opening(3, 1).play("one", "8/5 6/4").double("two").drop("one")
    plain = _page(table, Wanted(names=NAMES, details=Details(event="Evening")))
    details = Details(event="x" + event)
    page = _page(table, Wanted(names=BySeat(one, two), details=details))
    assert page.elements == plain.elements
    assert page.others == []
    assert page.record == plain.record


@pytest.mark.gate
@settings(max_examples=60, deadline=None)
@given(STREAMS, st.booleans(), st.booleans())
def test_every_record_makes_a_safe_page(
    events: list[RecordedEvent], clocks: bool, findings: bool
) -> None:
    assert _is_safe(_page(replay(events), Wanted(clocks=clocks, findings=findings)))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_typed_freely_at_the_table_is_text(text: str) -> None:
    table = Table(7).game()
    table.record(cube.CubeGestured(seat=Seat.ONE, kind=cube.GestureKind.WORDS, words=text))
    table.record(cube.CubeStated(value=2, reason=text))
    page = _page(table)
    assert _is_safe(page)
    assert page.record[-1]["body"]["reason"] == text


# -- what it shows ---------------------------------------------------------------------------


def test_every_play_has_its_board_and_position_id() -> None:
    table = legal_match(11, games=2)
    shown = table.replay
    ids = [
        position_id(board if on_roll is Seat.ONE else board.swap())
        for step in shown.steps
        if isinstance(step.event.payload, play.PlayMade)
        if (board := step.after.positions.board) is not None
        if (on_roll := step.after.flow.on_roll) is not None
    ]
    assert len(ids) > 50
    assert not Counter(ids) - Counter(_page(shown).codes)


def test_a_dance_has_a_board_too() -> None:
    table = Table().scene("dance").turn("one", 66)
    assert len(_page(table).codes) > len(_page(Table().scene("dance").roll("one", 66)).codes)


def test_each_game_begins_and_ends_with_a_board() -> None:
    page = _page(Table(5).win().win(winner="two"))
    assert page.words.count("Start:") == page.words.count("End:") == 2


def test_a_game_that_goes_on_shows_how_it_stands() -> None:
    words = _page(Table(5).game().turns(2)).words
    assert "As it stands:" in words
    assert "End:" not in words


def test_a_game_that_goes_on_after_its_end_is_told_as_one_that_goes_on() -> None:
    table = Table(5).win()
    words = _page(table.revise("one", table.last, "2/1").turn("two", 31, "6/3 5/4")).words
    assert words.count("As it stands:") == 1
    assert "End:" not in words
    assert words.partition("Contents")[2].startswith(" Game 1 Ada 0, Ben 0 Findings")


def test_a_game_that_is_ruled_to_count_otherwise_is_told_with_what_it_counts() -> None:
    table = Table(7, rule_set="usbgf-2017-07", score=(5, 0), jacoby="on").game().win("gammon")
    [asked] = table.replay.open_questions
    question = dispute.Question(topic="score.gammon", at=asked.entry_id, seat=asked.seat)
    answer = dispute.Answer(question=question, reading="single")
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    words = _page(table.game()).words
    contents, _, told = words.partition("Contents")[2].partition("Findings")
    assert contents.startswith(" Game 1 Ada 5, Ben 0: Ada wins 1 point with a gammon Game 2")
    assert "counts: single Ada wins 1 point with a gammon. Ada 6, Ben 0" in told


def test_entries_that_are_told_have_anchors_and_findings_lead_there() -> None:
    table = federation_match("biba-2014")
    page = _page(table)
    for step in table.replay.steps:
        if isinstance(step.event.payload, play.PlayMade | match.GameStarted):
            assert page.ids[f"v{step.event.version}"] == 1
    for finding in table.replay.findings:
        assert f"#v{finding.version}" in page.links


def test_findings_stand_with_their_rule_and_what_it_speaks_about() -> None:
    words = _page(federation_match("biba-2014")).words
    assert "Ben plays 8/4 6/3 with 42: that is not what the dice show biba-2014, 4.8" in words
    shown = federation_match("biba-2014").replay
    caption = shown.rules.profile.caption("4.8")
    assert caption is not None
    assert caption in words


def test_the_contents_list_every_game_with_its_result() -> None:
    words = _page(Table(5).win("gammon").win(winner="two")).words
    contents = words.partition("Contents")[2]
    assert contents.startswith(
        " Game 1 Ada 0, Ben 0: Ada wins 2 points with a gammon"
        " Game 2 Ada 2, Ben 0: Ben wins 1 point"
    )


def test_a_turn_costs_little() -> None:
    table = legal_match(5, games=3)
    plays = sum(event.tag == "play.made" for event in table.events)
    assert len(_written(table).content) < 40_000 + 1_500 * plays


# -- the record, and what is lost ------------------------------------------------------------


def test_the_entries_are_there_as_data() -> None:
    table = home_match()
    page = _page(table)
    assert page.record == [
        {
            "version": step.event.version,
            "entry_id": step.event.entry_id,
            "tag": step.event.tag,
            "basis": step.event.basis.value,
            "body": msgspec.json.decode(msgspec.json.encode(clear_body(step.event.payload))),
        }
        for step in table.replay.steps
    ]


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014"])
def test_what_is_not_among_the_data_is_among_the_losses(rule_set: str) -> None:
    table = federation_match(rule_set)
    wanted = Wanted(clocks=False, findings=False)
    shown = {entry["version"] for entry in _page(table, wanted).record}
    losses = _written(table, wanted).losses
    lost = {at for loss in losses if loss.kind in ("clock", "ruling") for at in loss.versions}
    assert not shown & lost
    assert shown | lost == {event.version for event in table.events}


def test_only_proof_is_lost_of_a_match_that_is_asked_for_whole() -> None:
    assert {loss.kind for loss in _written(federation_match("biba-2014")).losses} == {"proof"}


def test_without_clocks_and_findings_neither_is_on_the_page() -> None:
    page = _page(federation_match("usbgf-2017-07"), Wanted(clocks=False, findings=False))
    assert "time" not in {tag for tag, _ in page.elements}
    assert not any("at_ms" in entry["body"] or "readings" in entry["body"] for entry in page.record)
    assert "#findings" not in page.links
    assert not re.search("clock|illegal|ruling is", page.words.partition("does not hold")[0])


def test_the_losses_stand_at_the_end() -> None:
    written = _written(home_match())
    words = Page(written.text).words
    tail = words[words.rindex("What this page does not hold") :]
    for loss in written.losses:
        assert f"{loss.kind} ({loss.count}) {loss.detail}" in tail


def test_personal_values_are_neither_shown_nor_forgotten() -> None:
    secret = Table(7).game()
    marked = {"target": ENTRY.format(1), "note": {"sd": "ab" * 32}}
    secret.record(msgspec.convert(marked, corrections.MomentMarked))
    written = _written(secret)
    assert "ab" * 32 not in written.text
    assert [loss.versions for loss in written.losses if loss.kind == "personal"] == [(3,)]


def test_an_entry_that_cannot_be_read_is_named_and_its_body_is_not_shown() -> None:
    unread = Unread(raw=msgspec.Raw(b'{"new":"</script>"}'))
    event = RecordedEvent(2, ENTRY.format(2), "dice.sung", Basis.OBSERVED, unread)
    written = _written(replay([*Table().events, event]))
    page = Page(written.text)
    assert page.record[-1]["body"] == {}
    assert "dice sung: an entry that this program cannot read" in page.words
    assert "unread" in {loss.kind for loss in written.losses}
