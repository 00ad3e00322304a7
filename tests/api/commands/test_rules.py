"""`tabularium rules`: texts loaded, listed, shown and let go of, beside the database."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.archive.archive import open_archive
from api.archive.rule_texts import RuleTexts
from api.archive.text_sections import sections_in
from events.payloads import clock, match
from events.values import BySeat
from projections.rules.sentences import sentence_hash
from projections.rules.shelf import SHELF
from tests.conftest import needed

Run = Any
DRAFT = """\
USBGF rules, our own words for a test.

4.2.3 Play as the dice
demand. See 9.1 for more.
[4.3] The clock stops for nobody.
(i) Not for tea.
(ii) For dice on the floor.
4.4 The cube
Rule 4.4.6. No cube in that one game.
1.4 ............ 12
4.1.1 Dice rest.
4.1.4 So do boxes.
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A short text made at home, with the numbers of the draft."""
    path = tmp_path / "draft.txt"
    path.write_text(DRAFT, "utf-8")
    return path


@pytest.fixture
def folder(database: Path) -> Path:
    """Where texts lie of the archive of these tests."""
    return database.with_name(database.name + ".rules")


def pdf(*lines: str) -> bytes:
    """A page with a few lines, as small as a PDF can be."""
    shown = b" ".join(b"0 -14 Td (%s) Tj" % text.encode("ascii") for text in lines)
    stream = b"BT /F1 12 Tf 20 800 Td %s ET" % shown
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 840] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return out + b"startxref\n%d\n%%%%EOF\n" % start


# Sections by their numbers.


def test_sections_are_found_by_their_numbers_with_their_items() -> None:
    wanted = ("[4.2.3]", "[4.3]", "4.3(ii)", "[4.4.6]", "[4.1.1-4]", "[1.4]", "[9.1]")
    found = sections_in(DRAFT, wanted)
    assert found["[4.2.3]"] == "4.2.3 Play as the dice\ndemand. See 9.1 for more."
    assert found["[4.3]"].endswith("(ii) For dice on the floor.")
    assert found["4.3(ii)"] == "(ii) For dice on the floor."
    assert found["[4.4.6]"] == "Rule 4.4.6. No cube in that one game."
    assert found["[4.1.1-4]"] == "4.1.1 Dice rest.\n4.1.4 So do boxes."
    assert found.keys().isdisjoint({"[1.4]", "[9.1]"})


def test_headings_by_name_and_marks_of_an_own_copy_are_found() -> None:
    named = "Movement\nRoll, then move.\n\nDoubling cube\nDouble first.\n"
    assert sections_in(named, ("Movement", "Doubling cube"))["Movement"].endswith("then move.")
    assert sections_in("## IRR/T(b)\nFlat.\n", ()) == {"IRR/T(b)": "Flat."}


@pytest.mark.parametrize("filling", [".", " ", "\u3000"])
def test_no_line_of_a_text_keeps_the_server_busy(filling: str) -> None:
    """A line for which a naive search, begun at each of its places, would take hours."""
    text = f"1.1 First.\n{filling * 300_000}x\n1.2 Second.\n"
    assert sections_in(text, ("1.2",)) == {"1.2": "1.2 Second."}


@pytest.mark.parametrize("rule_set", ["usbgf-2017-07", "biba-2014", "common"])
def test_the_texts_of_the_present_sets_have_their_sections(rule_set: str, seeds: Path) -> None:
    number = {"usbgf-2017-07": "001", "biba-2014": "003", "common": "004"}[rule_set]
    (path,) = seeds.glob(f"{number}_*.txt")
    wanted = tuple(SHELF[rule_set].contents)
    found = sections_in(path.read_text("utf-8"), wanted)
    missing = {one for one in set(wanted) - set(found) if not one.startswith(("St.", "ClkR"))}
    assert not missing


# Commands.


def test_a_text_is_kept_by_its_hash_beside_the_database_and_for_its_owner_alone(
    run: Run, text: Path, folder: Path
) -> None:
    added = run("rules", "add", str(text), "--set", "usbgf-2017-07", "--by", "Ida")
    assert added.exit_code == 0, added.err
    sha256 = hashlib.sha256(DRAFT.encode()).hexdigest()
    assert sha256 in added.err
    assert (folder / f"{sha256}.txt").read_bytes() == DRAFT.encode()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    shown = run("rules", "text", "usbgf-2017-07", "[4.3]")
    assert shown.out.startswith("[4.3] The clock stops for nobody.")
    assert RuleTexts(folder).text_of("club", "usbgf-2017-07", "[4.4.6]") == (
        "Rule 4.4.6. No cube in that one game."
    )


def test_the_list_says_what_each_set_was_read_from_and_what_is_loaded(run: Run, text: Path) -> None:
    run("rules", "add", str(text), "--set", "usbgf-2017-07", "--by", "Ida")
    told = {one["rule_set"]: one for one in run("rules", "--json").lines}
    assert list(told) == list(SHELF)
    draft = told["usbgf-2017-07"]
    assert [(one["name"], one["by"]) for one in draft["texts"]] == [("draft.txt", "Ida")]
    assert draft["read_from"] == SHELF["usbgf-2017-07"].read_from
    sections = {one["section"]: one for one in draft["sections"]}
    assert all(one["verified"] for one in sections.values())
    assert (sections["[4.3]"]["is_loaded"], sections["[5]"]["is_loaded"]) == (True, False)
    ratified = {one["section"]: one for one in told["usbgf-2017-09"]["sections"]}
    assert (ratified["S000"]["verified"], ratified["[5]"]["verified"]) == (True, False)
    whole = run("rules", "--set", "usbgf-2017-07")
    assert "loaded   draft.txt" in whole.out
    assert "[4.4.6]  Crawford game (verified, text loaded)" in whole.out


def test_a_pdf_is_read_and_its_sections_are_found(run: Run, tmp_path: Path, folder: Path) -> None:
    needed("pypdf")
    path = tmp_path / "biba-2014 ours.pdf"
    path.write_bytes(pdf("6.3 Appeal at once.", "6.1 Leave all as it is."))
    added = run("rules", "add", str(path))
    assert added.exit_code == 0, added.err
    assert RuleTexts(folder).text_of("club", "biba-2014", "6.1") == "6.1 Leave all as it is."
    assert run("rules", "remove", path.name).exit_code == 0
    assert sorted(one.name for one in folder.iterdir()) == ["loaded.json"]


def test_a_text_that_is_let_go_of_is_shown_no_more(run: Run, text: Path, folder: Path) -> None:
    run("rules", "add", str(text), "--set", "usbgf-2017-07")
    sha256 = hashlib.sha256(DRAFT.encode()).hexdigest()
    assert run("rules", "remove", sha256[:8]).exit_code == 0
    assert RuleTexts(folder).text_of("club", "usbgf-2017-07", "[4.3]") is None
    assert not (folder / f"{sha256}.txt").exists()
    again = run("rules", "remove", sha256[:8], exit_code=None)
    assert (again.exit_code, "no text is loaded" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("given", "options", "why"),
    [
        (DRAFT.encode(), (), "whose text is"),
        (DRAFT.encode(), ("--set", "usbgf-1999"), "there is no rule set"),
        (b"\xff\xfe\x00", ("--set", "common"), "neither a PDF nor text"),
        (b"", ("--set", "common"), "is empty"),
        (b"%PDF-1.4 broken", ("--set", "common"), "cannot be read as a PDF"),
    ],
)
def test_what_cannot_be_loaded_is_said_and_nothing_is_kept(
    run: Run, tmp_path: Path, folder: Path, given: bytes, options: tuple[str, ...], why: str
) -> None:
    if given.startswith(b"%PDF"):
        needed("pypdf")
    path = tmp_path / "some.txt"
    path.write_bytes(given)
    ran = run("rules", "add", str(path), *options, exit_code=None)
    assert (ran.exit_code, why in ran.err) == (2, True), ran.err
    assert not folder.exists()


def test_the_same_file_is_not_loaded_twice(run: Run, text: Path) -> None:
    assert run("rules", "add", str(text), "--set", "common").exit_code == 0
    again = run("rules", "add", str(text), "--set", "common", exit_code=None)
    assert (again.exit_code, "loaded already" in again.err) == (2, True)


def test_a_text_read_as_a_whole_has_no_sentence_to_name(run: Run, text: Path) -> None:
    run("rules", "add", str(text), "--set", "usbgf-2017-07")
    ran = run(
        "rules", "verify", "usbgf-2017-07", "[4.3]", "The clock stops for nobody.", exit_code=None
    )
    assert (ran.exit_code, "read as a whole" in ran.err) == (2, True)


# A text that is known by sentences.

LOST = "The player whose time has run out has lost the match."
NOTICED = "Time has run out once a player or the Director says so."


@pytest.fixture
def flagged(database: Path) -> str:
    """A match under such a text, in which somebody notices that a reserve has run out."""
    database.parent.mkdir(parents=True, exist_ok=True)
    archive = open_archive(f"sqlite:///{database}")
    try:
        archive.open_tournament("club", "Club night")
        players = {"one": [], "two": []}
        opened = msgspec.convert(
            {"length": 7, "players": players, "rule_set": "wbgf-2.1"}, match.MatchOpened
        )
        terms = clock.ClockSet(
            kind=clock.ClockKind.SIMPLE, reserve_ms=BySeat(0, 0), delay_ms=12_000
        )
        noticed = clock.ClockFlagNoticed(whose=clock.Flag.ONE)
        drafts = [archive.draft(one) for one in (opened, terms, noticed)]
        archive.append("club", "m1", drafts)
    finally:
        archive.close()
    return "m1"


def flag_of(run: Run, match_id: str) -> dict[str, Any]:
    """The finding about the flag, as the command line prints it."""
    [shown] = run("show", match_id, "--json").lines
    (found,) = [one for one in shown["findings"] if one["code"] == "flag-noticed"]
    return {**found, "winner": shown["winner"]}


def test_loading_the_text_turns_the_question_into_the_consequence_and_letting_go_turns_it_back(
    run: Run, flagged: str, tmp_path: Path
) -> None:
    asked = flag_of(run, flagged)
    assert asked["ruling_required"]["reason"] == "not_verified"
    assert asked["ruling_required"]["lean"].startswith("outcome match_lost, loser one")
    assert asked["rests_on"] == [{"sentence": "4.3(iii)", "sha256": None}]
    assert asked["winner"] is None
    rows = {row["match_id"]: row for row in run("matches", "--json").lines}
    path = tmp_path / "ours.txt"
    path.write_text(f"A text made for a test.\n4.3 Time\n(iii) {LOST}\n", "utf-8")
    added = run("rules", "add", str(path))
    assert "is loaded for wbgf-2.1" in added.err
    assert "verified by it: 4.3(iii)" in added.err
    decided = flag_of(run, flagged)
    assert decided["ruling_required"] is None
    assert decided["rests_on"] == [{"sentence": "4.3(iii)", "sha256": sentence_hash(LOST)}]
    assert decided["winner"] == "two"
    now = {row["match_id"]: row for row in run("matches", "--json").lines}
    assert now[flagged]["questions"] == rows[flagged]["questions"] - 1
    assert now[flagged]["winner"] == "two"
    run("rules", "remove", path.name)
    assert flag_of(run, flagged) == asked


def test_a_text_with_an_exception_that_nobody_quoted_verifies_nothing(
    run: Run, flagged: str, tmp_path: Path
) -> None:
    path = tmp_path / "ours.txt"
    path.write_text(f"4.3(iii) {LOST[:-1]}, unless the Director says otherwise.\n", "utf-8")
    run("rules", "add", str(path), "--set", "wbgf-2.1")
    assert flag_of(run, flagged)["ruling_required"] is not None


def test_a_paraphrase_counts_once_somebody_names_its_sentence_in_the_loaded_text(
    run: Run, database: Path, tmp_path: Path, folder: Path
) -> None:
    path = tmp_path / "ours.txt"
    path.write_text(f"4.3(iii) {LOST} {NOTICED}\n", "utf-8")
    run("rules", "add", str(path), "--set", "wbgf-2.1")
    stranger = run("rules", "verify", "wbgf-2.1", "4.3(iii)#noticed", "Not there.", exit_code=None)
    assert (stranger.exit_code, "no loaded text" in stranger.err) == (1, True)
    several = run("rules", "verify", "wbgf-2.1", "4.3", NOTICED, exit_code=None)
    assert (several.exit_code, "several sentences" in several.err) == (2, True)
    run("rules", "verify", "wbgf-2.1", "4.3(iii)#noticed", NOTICED, "--by", "Ida")
    (named,) = RuleTexts(folder).verified
    assert (named.sentence, named.by) == ("4.3(iii)#noticed", "Ida")
    assert named.sha256 == sentence_hash(NOTICED)
    assert RuleTexts(folder).in_hand()["wbgf-2.1"] == {
        "4.3(iii)": sentence_hash(LOST),
        "4.3(iii)#noticed": sentence_hash(NOTICED),
    }
    shown = run("rules", "--set", "wbgf-2.1").out
    assert "named by Ida" in shown
    assert "4.5#end [V2, not verified]" in shown
    gone = run("rules", "remove", path.name)
    assert "no longer verified: 4.3(iii)#noticed" in gone.err
    assert RuleTexts(folder).in_hand() == {}
