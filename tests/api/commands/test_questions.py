"""Questions at the command line: listed while nobody has answered, and how to answer them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from projections.rules.shelf import SHELF
from tests.api.commands import test_judge

MATCH_ID = test_judge.MATCH_ID
QUESTION = {"topic": "match-length.outcome", "at": test_judge.entry_id(3)}
RULING = (
    "ruling.made",
    {"answers": [{"question": QUESTION, "reading": "higher"}], "at_ms": 60_000},
)

ASKED = """\
  1 open question
      3  match-length.outcome: the match was posted to 7 points and played to 9; at 7-8: what \
becomes of the match is for the Director to decide
         the text   biba-2014 4.10 (ambiguous, AMB-L5)
         readings   first_to_reach / higher
         named      {"topic": "match-length.outcome", "at": 3}
  a director answers with POST /logs/club/matches/5f0c1d4e-8f55-4a57-9a0e-27d1f5a3c111/rulings:
    {"entry_id": UUID, "body": {"answers": [{"question": NAMED, "reading": READING}]}}
"""


def test_show_lists_what_nobody_has_answered_and_how_to_answer_it(run, database: Path) -> None:
    test_judge.recorded(database, test_judge.FOUND)
    text = run("show", MATCH_ID).out
    assert text.endswith(ASKED)
    assert "\n  hangs on match-length.outcome\n" in text
    assert "won by" not in text


def test_replay_lists_it_too(run, database: Path) -> None:
    test_judge.recorded(database, test_judge.FOUND)
    assert run("replay", MATCH_ID).out.endswith(ASKED)
    [finding] = run("replay", MATCH_ID, "--json").lines[2]["findings"]
    assert finding["ruling_required"]["topic"] == "match-length.outcome"
    assert finding["answered_by"] is None


def test_an_answered_question_is_shown_with_its_answer_and_no_longer_listed(
    run, database: Path
) -> None:
    test_judge.recorded(database, [*test_judge.FOUND, RULING])
    for command in ("show", "replay"):
        text = run(command, MATCH_ID).out
        assert "open question" not in text
        assert "[biba-2014 4.10] - answered by entry 4: higher\n" in text
    assert "the director rules: match-length.outcome: higher\n" in run("replay", MATCH_ID).out
    assert (
        "  won by   Player 2 (wrong length, entry 4) [biba-2014 4.10]\n"
        in run("show", MATCH_ID).out
    )
    assert run("show", MATCH_ID, "--at", "3").out.endswith(ASKED)


def test_as_json_every_question_says_what_a_ruling_names_it_by(run, database: Path) -> None:
    test_judge.recorded(database, [*test_judge.FOUND, RULING])
    for at, answered in (("3", None), ("4", {"version": 4, "reading": "higher", "at_ms": 60_000})):
        [shown] = run("show", MATCH_ID, "--json", "--at", at).lines
        [question] = shown["questions"]
        assert {name: question[name] for name in ("topic", "at")} == QUESTION
        assert question["answered"] == answered
        assert (question["section"], question["ambiguity"]) == ("4.10", "AMB-L5")
        assert (shown["outcome"]["winner"] is None) is (answered is None)


def late(**options: Any) -> test_judge.Told:
    (tag, opened), *rest = test_judge.LATE
    pinned = {name: {"value": value} for name, value in options.items()}
    return [(tag, {**opened, "rule_set": "usbgf-2017-09", "options": pinned}), *rest]


def test_a_gap_is_shown_with_the_draft_beside_it(run, database: Path) -> None:
    test_judge.recorded(database, late())
    text = run("show", MATCH_ID).out
    assert "         the text   usbgf-2017-09 [2.2] (not in hand)\n" in text
    assert "         see also   usbgf-2017-07 (shown, never applied)\n" in text
    assert 'named      {"topic": "penalties.points", "at": 3, "seat": "one"}' in text
    assert "4 penalty points" not in text


def test_a_director_who_adopts_the_draft_gets_its_answer_marked_as_unverified(
    run, database: Path
) -> None:
    test_judge.recorded(database, late(gaps_from="usbgf-2017-07"))
    text = run("show", MATCH_ID).out
    assert "open question" not in text
    assert "penalty-points: 4 penalty points against Player 1" in text
    assert "[usbgf-2017-09 [2.2], unverified]\n" in text


def test_an_unknown_rule_set_is_refused_with_the_known_ones(run, database: Path) -> None:
    test_judge.recorded(database, test_judge.LATE)
    for command in ("replay", "judge"):
        ran = run(command, MATCH_ID, "--rules", "biba-1066", exit_code=2)
        assert ran.out == ""
        assert all(known in ran.err for known in SHELF)
