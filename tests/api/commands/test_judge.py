"""`judge`: the same facts under two rule sets, with what each of them cites."""

from __future__ import annotations

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from api.archive.archive import open_archive, token_hash
from api.desk.desk import Desk
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from events.envelope import NO_STREAM, Basis
from events.payloads.access import Role
from events.values import Seat
from projections.folding.findings import Finding
from projections.folding.sayings import Said
from projections.rules.shelf import SHELF
from projections.views.contrasts import pairs

MATCH_ID = "5f0c1d4e-8f55-4a57-9a0e-27d1f5a3c111"

Told = list[tuple[str, dict[str, Any]]]


def entry_id(number: int) -> str:
    return str(uuid.UUID(int=(0x4 << 76) | (0x8 << 60) | number))


LATE: Told = [
    ("match.opened", {"players": {"one": [], "two": []}, "length": 8, "rule_set": "biba-2014"}),
    ("player.arrived", {"seat": "two", "at_ms": 0}),
    ("player.arrived", {"seat": "one", "at_ms": 1_620_000}),
]
"""One is 27 minutes late in a match to 8: four points for the one text, a forfeit for another."""

FOUND: Told = [
    ("match.opened", {"players": {"one": [], "two": []}, "length": 7, "rule_set": "biba-2014"}),
    ("score.stated", {"score": {"one": 7, "two": 8}}),
    ("match.length_error_found", {"wrong": 9, "correct": 7, "during_game": False}),
]
"""Both are at the right length, and played to a longer one."""


def recorded(database: Path, told: Told) -> None:
    """The match in this test's archive, in a log of its own."""
    database.parent.mkdir(parents=True, exist_ok=True)
    archive = open_archive(f"sqlite:///{database}")
    try:
        archive.open_tournament("club", "Club night", recorded_by="test")
        token, _ = archive.grant(Role.DIRECTOR, log_id="club", holder="x", recorded_by="test")
        hand = Hand(archive.reading.grants("club", token_hash(token)))
        entries = [
            EntryIn(
                entry_id=entry_id(number),
                tag=tag,
                body=body,
                basis=Basis.RULED if tag.startswith("ruling.") else Basis.AGREED,
            )
            for number, (tag, body) in enumerate(told, start=1)
        ]
        asyncio.run(
            Desk(archive).append(hand, "club", MATCH_ID, entries, expected_version=NO_STREAM)
        )
    finally:
        archive.close()


def test_findings_stand_beside_each_other_with_both_citations(run, database: Path) -> None:
    recorded(database, LATE)
    ran = run("judge", MATCH_ID, "--rules", "usbgf-2017-07", "--against", "biba-2014")
    head, one, other, *why, nothing, decided, winner, by, count = ran.out.splitlines()
    assert head == "Player 1 - Player 2: usbgf-2017-07 against biba-2014"
    assert one.startswith("    3  penalty-points: 4 penalty points against Player 1")
    assert one.endswith("[usbgf-2017-07 [2.2]]")
    assert other.startswith("       penalty-forfeit: 5 penalty points against Player 1")
    assert other.endswith("[biba-2014 2.3]")
    assert why == [
        "         why: under usbgf-2017-07, the first penalty point comes after 10 minutes; "
        "under biba-2014, the first penalty point comes after 5 minutes",
        "         why: under usbgf-2017-07, it comes to 4 penalty points; "
        "under biba-2014, it comes to 5 penalty points",
    ]
    assert nothing == "    3  nothing is found: penalty [usbgf-2017-07 [2.2]]"
    assert decided.startswith("       match-decided: Player 2 has won the match")
    assert decided.endswith("[biba-2014 2.3]")
    assert winner == "  winner: nobody by usbgf-2017-07, Player 2 by biba-2014"
    assert by == "  won by: nobody by usbgf-2017-07, forfeit by biba-2014"
    assert count == "  2 findings differ, 0 the same"


def test_as_json(run, database: Path) -> None:
    recorded(database, LATE)
    ran = run("judge", MATCH_ID, "--rules", "common", "--against", "biba-2014", "--json")
    [told] = ran.lines
    assert set(told) == {
        *("log_id", "match_id", "version", "rules", "against"),
        *("differences", "same", "outcome"),
    }
    assert (told["rules"], told["against"]) == ("common", "biba-2014")
    pair, decided = told["differences"]
    assert pair["version"] == 3
    assert pair["rules"]["ruling_required"]["reason"] == "silent"
    assert (pair["against"]["code"], pair["against"]["section"]) == ("penalty-forfeit", "2.3")
    assert (decided["rules"], decided["against"]["code"]) == (None, "match-decided")
    for one in (pair, decided):
        assert one["cited"] == {
            "rules": {"rule_set": "common", "section": "Objective"},
            "against": {"rule_set": "biba-2014", "section": "2.3"},
        }
    assert told["outcome"]["rules"]["winner"] is None
    assert told["outcome"]["against"]["winner"] == "two"
    assert told["outcome"]["against"]["won_by"] == "forfeit"


def test_without_against_the_findings_under_one_rule_set_are_listed(run, database: Path) -> None:
    recorded(database, LATE)
    [told] = run("judge", MATCH_ID, "--json").lines
    assert set(told) == {"log_id", "match_id", "version", "rules", "findings", "outcome"}
    assert told["rules"] == "biba-2014"
    assert [one["code"] for one in told["findings"]] == ["penalty-forfeit", "match-decided"]
    assert told["outcome"]["winner"] == "two"
    head, forfeit, decided, *outcome, count = run("judge", MATCH_ID).out.splitlines()
    assert head == "Player 1 - Player 2: biba-2014"
    assert forfeit.startswith("    3  penalty-forfeit: 5 penalty points against Player 1")
    assert decided.startswith("    3  match-decided: Player 2 has won the match")
    assert {"  score: 0-0", "  winner: Player 2", "  won by: forfeit"} <= set(outcome)
    assert count == "  2 findings"


@pytest.mark.parametrize("rule_set", SHELF)
def test_findings_are_listed_under_any_rule_set_its_own_too(
    run, database: Path, rule_set: str
) -> None:
    recorded(database, LATE)
    [told] = run("judge", MATCH_ID, "--rules", rule_set, "--json").lines
    assert told["rules"] == rule_set
    assert told["findings"]
    assert {one["rule_set"] for one in told["findings"]} == {rule_set}
    out = run("judge", MATCH_ID, "--rules", rule_set).out
    assert out.startswith(f"Player 1 - Player 2: {rule_set}\n")
    own = run("judge", MATCH_ID).out
    assert (out == own) == (rule_set == "biba-2014")


def test_against_compares_the_pinned_rule_set_with_another(run, database: Path) -> None:
    recorded(database, LATE)
    assert run("judge", MATCH_ID, "--against", "fcbg-tournament").out.startswith(
        "Player 1 - Player 2: biba-2014 against fcbg-tournament\n"
    )


def test_a_ruling_is_shown_beside_the_text_that_needs_none(run, database: Path) -> None:
    question = {"topic": "match-length.outcome", "at": entry_id(3)}
    ruling = {"answers": [{"question": question, "reading": "higher"}]}
    recorded(database, [*FOUND, ("ruling.made", ruling)])
    text = run("judge", MATCH_ID, "--against", "usbgf-2017-07").out
    assert "[biba-2014 4.10] - answered by entry 4: higher" in text
    assert "Player 2 has won [usbgf-2017-07 [4.8]]" in text
    [told] = run("judge", MATCH_ID, "--against", "usbgf-2017-07", "--json").lines
    pair, *follows = told["differences"]
    assert [one["version"] for one in follows] == [4] * len(follows)
    assert (pair["rules"]["answered_by"], pair["rules"]["ruled"]) == (4, "higher")
    assert (pair["against"]["ruling_required"], pair["against"]["ruled"]) == (None, None)
    [earlier] = run("judge", MATCH_ID, "--against", "usbgf-2017-07", "--at", "3", "--json").lines
    assert earlier["differences"][0]["rules"]["answered_by"] is None


def test_alike_findings_are_counted_and_not_printed(run, match_file: Path) -> None:
    match_id = run("import", "--json", match_file).lines[0]["match_id"]
    [told] = run("judge", match_id, "--rules", "biba-2014", "--against", "common", "--json").lines
    assert (told["rules"], told["against"]) == ("biba-2014", "common")
    assert told["same"] >= 1
    assert all(pair["rules"] != pair["against"] for pair in told["differences"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rules", "nowhere-1999"], "there is no rule set 'nowhere-1999'"),
        (["--against", "nowhere-1999"], "there is no rule set 'nowhere-1999'"),
        (["--against", "common", "--rules", "common"], "both are common: name another one"),
        (["--against", "common"], "both are common: name another one"),
    ],
)
def test_wrong_usage_says_what_to_do(run, match_file: Path, options: list[str], says: str) -> None:
    match_id = run("import", "--json", match_file).lines[0]["match_id"]
    ran = run("judge", match_id, *options, exit_code=2)
    assert says in ran.err
    assert ran.out == ""


THROWN: Told = [
    ("match.opened", {"players": {"one": [], "two": []}, "length": 7}),
    ("game.started", {}),
    (
        "clock.set",
        {"reserve_ms": {"one": 1, "two": 1}, "kind": "simple", "delay_ms": 12_000},
    ),
    ("clock.flag_noticed", {"whose": "one"}),
]
"""Recorded under no rule set: short reserves, and a flag that fell."""


@pytest.mark.parametrize("rule_set", [name for name in SHELF if name != "common"])
def test_a_match_recorded_under_none_is_judged_under_any(
    run, database: Path, rule_set: str
) -> None:
    recorded(database, THROWN)
    ran = run("judge", MATCH_ID, "--rules", rule_set, "--against", "common")
    assert ran.out.startswith(f"Player 1 - Player 2: {rule_set} against common\n")
    [told] = run("judge", MATCH_ID, "--rules", rule_set, "--against", "common", "--json").lines
    assert told["rules"] == rule_set
    for pair in told["differences"]:
        for side, name in (("rules", rule_set), ("against", "common")):
            cited = pair["cited"][side]
            assert pair[side] is None or cited == {
                "rule_set": name,
                "section": pair[side]["section"],
            }


def test_a_question_that_both_ask_says_between_what_each_asks(run, database: Path) -> None:
    recorded(database, LATE)
    text = run("judge", MATCH_ID, "--rules", "usbgf-2017-09", "--against", "common").out
    assert "[usbgf-2017-09 [2.2]] - ruling required (not in hand; see usbgf-2017-07)\n" in text
    assert "[common Objective] - ruling required (silent)\n" in text


def finding(code: str, version: int = 1, seat: Seat | None = None, **members: Any) -> Finding:
    return Finding(
        code=code,
        rule_set=members.pop("rule_set", "common"),
        section="1",
        version=version,
        entry_id=entry_id(version),
        seat=seat,
        said=Said(code),
        **members,
    )


def test_pairs_go_by_what_the_findings_are_about() -> None:
    points = finding("penalty-points", 2, Seat.ONE)
    question = finding("penalty-question", 2, Seat.ONE, rule_set="biba-2014")
    illegal = finding("illegal-play", 1)
    other = finding("illegal-play", 1, rule_set="biba-2014")
    alone = finding("cube-dead", 2)
    found = list(pairs([illegal, points], [other, alone, question]))
    assert found == [(illegal, other), (points, question), (None, alone)]
    assert [pair.is_same for pair in found] == [True, False, False]
    assert [pair.version for pair in found] == [1, 2, 2]
    assert json.dumps([pair.version for pair in pairs([], [])]) == "[]"


APPEAL: Told = [
    ("match.opened", {"players": {"one": [], "two": []}, "length": 7, "rule_set": "biba-2014"}),
    ("ruling.made", {}),
    ("appeal.filed", {"seat": "two", "target": entry_id(2)}),
    ("committee.convened", {"size": 3}),
    ("vote.cast", {"member": "m1", "vote": "reverse"}),
    ("vote.cast", {"member": "m2", "vote": "reverse"}),
    ("vote.cast", {"member": "m3", "vote": "uphold"}),
    ("vote.director_declined", {}),
]
"""Two of three would reverse a ruling, which one text lets stand."""


def test_the_same_ballots_differ_by_the_threshold_of_the_text(run, database: Path) -> None:
    recorded(database, APPEAL)
    out = run("judge", MATCH_ID, "--rules", "fcbg-tournament", "--against", "biba-2014").out
    changed, stands = "the ruling is changed (reverse)", "the ruling stands"
    # Two of three settle it for the one text; the other waits for the third ballot.
    assert (
        f"    6  appeal-settled: 2 of 3 members voted: {changed} [fcbg-tournament CONT/T(c)]" in out
    )
    assert f"appeal-settled: 3 of 3 members voted: {stands} [biba-2014 6.3]" in out
    assert "  appeals: ruling changed by fcbg-tournament, ruling stands by biba-2014" in out
    asked = ("judge", MATCH_ID, "--rules", "usbgf-2017-07", "--against", "biba-2014", "--json")
    outcome = json.loads(run(*asked).out)["outcome"]
    assert outcome["rules"]["appeals"] == ["ruling_changed"]
    assert outcome["against"]["appeals"] == ["ruling_stands"]


def test_show_says_what_came_of_an_appeal(run, database: Path) -> None:
    recorded(database, [*APPEAL, ("appeal.decided", {"outcome": "reversed"})])
    told = "Player 2: the ruling stands, announced as reversed [biba-2014 6.3]"
    assert f"  appeal   {told}" in run("show", MATCH_ID).out
    [shown] = json.loads(run("show", MATCH_ID, "--json").out)["appeals"]
    assert (shown["result"]["outcome"], shown["announced"]) == ("ruling_stands", "reversed")


def test_show_says_that_nothing_has_come_of_an_appeal_yet(run, database: Path) -> None:
    recorded(database, APPEAL[:6])
    assert "  appeal   Player 2: no outcome yet [biba-2014]" in run("show", MATCH_ID).out


def test_why_the_ballots_differ_is_said_of_both_texts(run, database: Path) -> None:
    recorded(database, APPEAL)
    asked = ("judge", MATCH_ID, "--rules", "fcbg-tournament", "--against", "biba-2014")
    why = (
        "under fcbg-tournament, a majority of the members changes the ruling; "
        "under biba-2014, only a unanimous committee changes the ruling"
    )
    assert f"         why: {why}\n" in run(*asked).out
    [told] = run(*asked, "--json").lines
    settled = [pair for pair in told["differences"] if pair["version"] == 7]
    assert [one["name"] for one in settled[0]["why"]] == ["threshold"]


GRABBED: Told = [
    ("match.opened", {"players": {"one": [], "two": []}, "length": 7, "rule_set": "wbgf-2.1"}),
    ("game.started", {}),
    ("dice.opening_rolled", {"one": 3, "two": 1}),
    ("dice.lifted", {"seat": "two"}),
    ("play.made", {"seat": "one", "moves": [[8, 5], [6, 5]]}),
    ("cube.double_offered", {"seat": "two"}),
    ("cube.double_dropped", {"seat": "one"}),
]
"""Dice lifted early, and a double that is dropped."""

PASSED = (
    "All games and matches must be played to completion unless brought to an end by the pass of a"
    " double or, if the match is played using a game clock, by a player running out of time"
)


def test_what_a_text_leans_to_is_said_in_words_and_with_names(run, database: Path) -> None:
    recorded(database, GRABBED)
    out = run("judge", MATCH_ID).out
    assert "leans to not allowed, remedy delay forfeited)" in out
    assert "(not verified; game won / play on; leans to game won, winner Player 2, " in out
    assert "outcome" not in out
    assert "_" not in out
    shown = run("show", MATCH_ID).out
    assert "leans to   game won, winner Player 2, " in shown


def test_where_nothing_is_found_the_answer_to_that_very_matter_is_told(
    run, database: Path, tmp_path: Path
) -> None:
    recorded(database, GRABBED)
    text = tmp_path / "rules.txt"
    text.write_text(f"4.5 {PASSED}.\n", "utf-8")
    run("rules", "add", text, "--set", "wbgf-2.1")
    asked = ("judge", MATCH_ID, "--rules", "usbgf-2024", "--against", "wbgf-2.1")
    out = run(*asked).out
    assert "       nothing is found: game won [wbgf-2.1 4.5]\n" in out
    why = (
        "the text is not in hand, and a person decides; under wbgf-2.1, the text answers: game won"
    )
    assert f"         why: under usbgf-2024, {why}\n" in out
