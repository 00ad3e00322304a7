"""The tablet's folds equal Python's: board, score, cube, turn and clock after every entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from playwright.sync_api import Browser, Page

from events import catalogue
from events.envelope import Basis, RecordedEvent
from events.payloads import clock, dispute, ending, match, penalty
from events.payloads import corrections as entry
from events.payloads.base import WinKind
from events.values import ONE, TWO, BySeat, CheckerMove
from projections.board.notation import format_play
from projections.facts.clock_state import Clock
from projections.facts.flow_state import Await, Flow
from projections.folding.standing import is_correction
from projections.replay import replay
from projections.rules.shelf import SHELF
from projections.rules.subjects.game_worth import counts_single
from projections.views.lines import known_line, plain, state_line
from projections.views.told_acts import concedable, played_on, ruled_throws, turned_cubes
from tests.api.exchange.recorded import Shelf, events_of
from tests.projections.playthroughs import home_match
from tests.projections.rules import own, script
from tests.projections.rules.federations import FEDERATIONS, federation_match
from tests.projections.streams import TABLES, legal_match
from tests.projections.table import Table
from tests.web import modules

COMPARING = """
window.compare = async (cases) => {
  const { extend, fold } = await import("/static/fold/fold.js");
  const sorted = (key, value) => value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
    : value;
  const text = (value) => JSON.stringify(value, sorted);
  const lineOf = (table) => ({
    checkers: table.board ?? { one: null, two: null },
    score: table.score,
    cube: table.cube,
    on_roll: table.on_roll,
    to_act: table.to_act,
    turn_open: table.turn_open,
    awaits: table.awaits,
    dice: table.dice,
    early: table.early && [table.early.seat, table.early.dice, table.early.entry_id],
    clock: table.clock && {
      reserve_ms: table.clock.reserve_ms, running: table.clock.running,
      free_ms: table.clock.free_ms, turn_forfeit: table.clock.turn_forfeit,
      forfeits: table.clock.forfeits,
    },
  });
  const differing = [];
  for (const { name, entries, lines, terms, untold = false } of cases) {
    let table = fold([], terms);
    entries.forEach((entry, index) => {
      table = extend(table, entry);
      const { awaits, score } = lines[index];
      if (untold && text([table.awaits, table.score]) !== text([awaits, score])) return;
      if (text(lineOf(table)) !== text(lines[index])) {
        differing.push([name, entry.version, entry.tag, lineOf(table), lines[index]]);
      }
    });
    const whole = fold(entries, terms);
    if (!untold && entries.length && text(lineOf(whole)) !== text(lines.at(-1))) {
      differing.push([name, "as a whole", lineOf(whole)]);
    }
  }
  return differing.slice(0, 5);
};
"""


@pytest.fixture(scope="module")
def folding(chromium: Browser) -> Iterator[Page]:
    """A page that folds."""
    with modules.served() as url:
        page = chromium.new_page()
        page.goto(url)
        page.evaluate(f"() => {{ {COMPARING} }}")
        yield page
        page.close()


def case_of(name: str, events: Sequence[RecordedEvent], *, anew: bool = True) -> dict[str, Any]:
    """Entries as the tablet has them, and Python's line after each.

    `anew`: the stream is replayed up to each entry, as corrections among them want it.
    """
    shown = replay(events)
    states = (
        [replay(events[:count]).state for count in range(1, len(events) + 1)]
        if anew
        else [step.after for step in shown.steps]
    )
    lines = [{**state_line(state), **_turn(state.flow)} for state in states]
    for line, state in zip(lines, states, strict=True):
        if line["clock"] is not None:
            line["clock"] = {**line["clock"], **_delays(state.clock)}
    for line in lines:
        del line["position_id"]
    rules = shown.rules
    terms = {
        "crawford": rules.is_on("crawford"),
        "jacoby": counts_single(rules, is_money=shown.state.score.length is None),
        "void_cube_acts": sorted(fault.value for fault in rules.profile.void_cube_acts),
        "played_on": played_on(shown),
        "ruled_throws": plain(ruled_throws(shown)),
        "cubes": plain(turned_cubes(shown)),
        "concedable": concedable(rules),
    }
    return {"name": name, "entries": list(map(entry_of, events)), "lines": lines, "terms": terms}


def _turn(now: Flow) -> dict[str, Any]:
    """What is awaited, and which dice lie there, as the tablet has it."""
    turn = {"awaits": now.awaits.value, "dice": now.dice and list(now.dice), "early": None}
    if (early := now.early) is not None:
        turn["early"] = [early.seat.value, list(early.dice), early.entry_id]
    return turn


def _delays(now: Clock) -> dict[str, Any]:
    """What is forfeited of the delays, as the tablet has it."""
    forfeits = {"one": now.forfeits.one, "two": now.forfeits.two}
    return {"free_ms": now.free_ms, "turn_forfeit": now.turn_forfeit, "forfeits": forfeits}


def entry_of(event: RecordedEvent) -> dict[str, Any]:
    """An entry as the server hands it out."""
    body = json.loads(catalogue.encode(event.payload))
    about = {"entry_id": event.entry_id, "version": event.version, "tag": event.tag}
    return {**about, "schema": 1, "basis": event.basis.value, "body": body, "state": "sent"}


def differing(folding: Page, cases: list[dict[str, Any]]) -> Any:
    """Where the tablet says otherwise."""
    assert cases
    # As text: handed over piece by piece, so many values would take a minute.
    return folding.evaluate("(text) => compare(JSON.parse(text))", json.dumps(cases))


def test_a_match_with_a_little_of_everything_folds_alike(folding: Page) -> None:
    assert differing(folding, [case_of("home match", home_match().events)]) == []


def test_matches_under_three_federations_fold_alike(folding: Page) -> None:
    cases = [case_of(one, federation_match(one).events) for one in FEDERATIONS]
    assert len(cases) == 3
    assert differing(folding, cases) == []


def test_matches_of_legal_plays_fold_alike(folding: Page) -> None:
    cases = [case_of(str(seed), legal_match(seed).events, anew=False) for seed in range(20)]
    assert differing(folding, cases) == []


def test_tables_where_nearly_everything_goes_wrong_fold_alike(folding: Page) -> None:
    cases: list[dict[str, Any]] = []

    @settings(
        max_examples=90,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(TABLES)
    def collect(events: list[RecordedEvent]) -> None:
        cases.append(case_of(str(len(cases)), events))

    collect()
    assert len(cases) >= 60
    assert differing(folding, cases) == []


def test_an_opening_tie_that_is_voided_folds_alike(folding: Page) -> None:
    """Whatever came after it, as if the tie were somebody's roll."""
    acts: list[Callable[[Table], Table]] = [
        lambda table: table.play("one", "24/18"),
        lambda table: table.play("two", "24/18").play("one", "8/2"),
        lambda table: table.early("two", 42),
        lambda table: table.early("one", 42).answers_early("stands"),
        lambda table: table.double("one"),
        lambda table: table.resign("two"),
        lambda table: table.opening(3, 1).play("one", "8/5 6/5"),
        lambda table: table.roll("one", 61),
        lambda table: table.roll("two", 61).play("two", "13/7 8/7"),
        lambda table: table.opening(5, 5),
    ]
    cases = []
    for number, after in enumerate(acts):
        table = Table(7).game().opening(6, 6)
        tie = table.last
        after(table).void(tie).opening(4, 2).play("one", "8/4 6/4")
        cases.append(case_of(str(number), table.events))
    assert differing(folding, cases) == []


def test_real_matches_fold_alike(
    folding: Page, shared_folder: Path, require: Callable[[bool, str], None]
) -> None:
    folder = shared_folder / "corpus"
    require((folder / "INDEX.csv").is_file(), "the corpus of real match files is not there")
    read = Shelf(folder).read[::11][:40]
    cases = [case_of(row["file"], events_of(match), anew=False) for row, match in read]
    assert len(cases) == 40
    assert differing(folding, cases) == []


KNOWING = """
window.comparePrefixes = async (cases) => {
  const { extend, fold } = await import("/static/fold/fold.js");
  const differing = [];
  for (const { name, entries, told } of cases) {
    told.forEach(({ terms, score, winner, awaits }, index) => {
      // The server's word may come with an entry, or after others that this device has made since.
      for (const behind of [0, 1, 3]) {
        const known = told[Math.max(0, index - behind)].terms;
        if (behind && !told[index].is_own.slice(-behind).every(Boolean)) continue;
        const upto = entries.slice(0, index + 1);
        const whole = fold(upto, known);
        const grown = upto.slice(-1).reduce(extend, fold(upto.slice(0, -1), known));
        for (const table of [whole, grown]) {
          const found = [table.score.one, table.score.two, table.winner, table.awaits];
          const expected = [score.one, score.two, winner, awaits];
          if (found.join() !== expected.join()) {
            const { tag, version } = entries[index];
            differing.push([name, version, tag, behind, found, expected]);
          }
        }
      }
    });
  }
  return differing.slice(0, 5);
};
"""

OWN = ("dice.", "play.", "cube.", "game.", "clock.set", "clock.started", "score.", "penalty.")
"""What the tablet folds by itself, the server's word being older than it."""

WORDS = ("resignation.", "claim.", "position.")


def knowing_case(
    name: str, events: Sequence[RecordedEvent], *, own: tuple[str, ...] = OWN
) -> dict[str, Any]:
    """Entries, and after each what the server tells a device and what the score then is.

    `own`: beginnings of tags that the tablet has to fold before the server has heard of them.
    """
    told = []
    for count in range(1, len(events) + 1):
        shown = replay(events[:count])
        state, rules = shown.state, shown.rules
        fixed = [one.version for one in events[:count] if is_correction(one)]
        is_over = state.flow.awaits is Await.GAME and not state.judged.outcome.is_open
        told.append(
            {
                "terms": {
                    "crawford": rules.is_on("crawford"),
                    "jacoby": counts_single(rules, is_money=shown.state.score.length is None),
                    "void_cube_acts": sorted(one.value for one in rules.profile.void_cube_acts),
                    "played_on": played_on(shown),
                    "ruled_throws": plain(ruled_throws(shown)),
                    "cubes": plain(turned_cubes(shown)),
                    "concedable": concedable(rules),
                    "known": known_line(shown, max(fixed, default=0)),
                },
                "score": dict(zip(("one", "two"), state.match_score, strict=True)),
                "winner": state.judged.outcome.winner,
                "awaits": Await.NOTHING if is_over else state.flow.awaits,
                "is_own": [one.tag.startswith(own) for one in events[:count]],
            }
        )
    return {"name": name, "entries": list(map(entry_of, events)), "told": told}


def penalised_match(rule_set: str) -> list[RecordedEvent]:
    """Games, penalty points that enter, are waived, are ruled in, and scores that are set."""
    table = Table(7, rule_set=rule_set).clock().game().turns(3).won("one", 2)
    table.record(penalty.PenaltyAssessed(seat=ONE, points=1, enters_score=True))
    entered = table.last
    table.record(match.ScoreNoted(score=BySeat(2, 1), keeper=ONE), basis=Basis.CLAIMED_BY_ONE)
    table.game().turns(2)
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1, enters_score=True))
    table.won("two", 1)
    table.record(match.ScoreStated(score=BySeat(4, 2)), basis=Basis.AGREED)
    table.record(penalty.PenaltyWaived(target=entered))
    table.record(entry.EntryRetracted(target=table.last), basis=Basis.OBSERVED)
    table.game().turns(2)
    # Nobody says whether these enter the score: a person rules it where it matters.
    table.record(penalty.PenaltyAssessed(seat=TWO, points=2))
    question = dispute.Question(topic="penalties.score", at=table.last, seat=TWO)
    answer = dispute.Answer(question=question, reading="opponents_score")
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    table.record(dispute.RulingCarriedOut(score=BySeat(5, 5), game_over=ONE), basis=Basis.RULED)
    table.game().turns(2)
    table.record(clock.ClockFlagNoticed(whose=clock.Flag.TWO))
    table.won("one", 1)
    table.record(penalty.PenaltyAssessed(seat=TWO, points=1, enters_score=True))
    return list(table.events)


@pytest.fixture(scope="module")
def knowing(folding: Page) -> Page:
    """A page that folds with what a server tells beside the entries."""
    folding.evaluate(f"() => {{ {KNOWING} }}")
    return folding


@pytest.mark.parametrize("rule_set", SHELF)
def test_score_and_winner_are_pythons_after_penalties_flags_and_set_scores(
    knowing: Page, rule_set: str
) -> None:
    cases = [knowing_case(rule_set, penalised_match(rule_set))]
    told = cases[0]["told"]
    assert any(one["terms"]["known"]["entered"] != {"one": 0, "two": 0} for one in told)
    found = knowing.evaluate("(text) => comparePrefixes(JSON.parse(text))", json.dumps(cases))
    assert found == []


@pytest.mark.parametrize("reading", ["game_won", "play_on"])
def test_where_a_game_stands_after_a_ruling_on_a_resignation_a_tablet_hears(
    knowing: Page, reading: str
) -> None:
    """Biba 4.9: who rejects one summons the Director, and he may have it end the game."""
    table = Table(3, rule_set="biba-2014").game().turns(2)
    table.record(ending.ResignationOffered(seat=ONE, level=WinKind.SINGLE))
    table.record(ending.ResignationRefused(seat=TWO), basis=Basis.AGREED)
    question = dispute.Question(topic="resignation.validity", at=table.last, seat=ONE)
    answer = dispute.Answer(question=question, reading=reading)
    table.record(dispute.RulingMade(answers=(answer,)), basis=Basis.RULED)
    assert table.state.flow.in_game is (reading == "play_on")
    told = knowing_case(reading, table.events)["told"][-1:]
    assert bool(told[0]["terms"]["ruled_throws"]) is (reading == "game_won")
    case = {**knowing_case(reading, table.events), "name": reading}
    assert knowing.evaluate("(text) => comparePrefixes(JSON.parse(text))", json.dumps([case])) == []


@pytest.mark.parametrize("rule_set", SHELF)
@pytest.mark.parametrize("is_early", [False, True])
def test_a_roll_left_unplayed_is_out_of_play_once_the_other_has_doubled(
    knowing: Page, rule_set: str, is_early: bool
) -> None:
    """Whether the turn had ended is the rule set's word, which the tablet hears."""
    table = Table(7, rule_set=rule_set).game().turns(2)
    if is_early:
        table.roll("one", 31).early("two", 52).answers_early("stands").ends_turn("one")
    else:
        table.roll("one", 31).ends_turn("one")
    has_ended = table.state.flow.is_ended
    table.double("two")
    assert (table.state.flow.on_roll is TWO) is has_ended
    events = table.take("one").roll("two", 64).events
    case = {**knowing_case(rule_set, events), "name": rule_set}
    assert bool(case["told"][-1]["terms"]["ruled_throws"]) is has_ended
    assert knowing.evaluate("(text) => comparePrefixes(JSON.parse(text))", json.dumps([case])) == []
    assert differing(knowing, [case_of(rule_set, events)]) == []


def given_away(rule_set: str) -> list[RecordedEvent]:
    """Games given away by words, in contact and after it: some rule sets have them go on."""
    table = Table(25, rule_set=rule_set)
    for level, is_race in product((WinKind.GAMMON, None), (False, True)):
        table.game().turns(2)
        if is_race:
            table.stated("6:5 5:5 4:5", "6:5 5:5 4:5", on_roll=TWO)
        table.record(ending.ResignationOffered(seat=ONE, level=level))
        table.record(ending.ResignationAccepted(seat=TWO), basis=Basis.AGREED)
        if table.state.flow.awaits is Await.CLAIM:
            table.won("two", 1)
        if not table.state.flow.in_game:
            table.game().turns(1)
        kind = ending.ClaimKind.GAME if level else ending.ClaimKind.GAME_AND_MATCH
        if level is None and is_race:
            # A gammon with the cube on 2 is what the match still takes.
            table.score_is(0, 21).cube_is(2, "one")
        table.record(ending.ClaimMade(seat=TWO, kind=kind, level=level), basis=Basis.AGREED)
        if table.state.flow.in_game:
            table.won("two", 1)
    return list(table.events)


@pytest.mark.parametrize("rule_set", SHELF)
def test_a_game_given_away_goes_on_where_the_rule_set_has_it_go_on(
    knowing: Page, rule_set: str
) -> None:
    events = given_away(rule_set)
    last = knowing_case(rule_set, events)["told"][-1]["terms"]
    assert bool(last["played_on"]) is (last["concedable"] is not None)
    # What is certain of a race the server has to say; who is in contact the tablet sees.
    is_told = last["concedable"] == "where_it_is_certain"
    case = knowing_case(rule_set, events, own=OWN if is_told else (*OWN, *WORDS))
    found = knowing.evaluate("(text) => comparePrefixes(JSON.parse(text))", json.dumps([case]))
    assert found == []


@pytest.mark.parametrize("rule_set", FEDERATIONS)
def test_matches_in_miniature_fold_alike(knowing: Page, rule_set: str) -> None:
    """Nearly three hundred in which something goes wrong: score, winner and what is awaited are
    Python's as soon as the server has told them; board, cube and turn are without that, too."""
    cases = [
        (one["id"], own.under(script.read(one["events"]), rule_set, {}))
        for one in own.loaded("findings")
    ]
    assert len(cases) > 280
    told = [knowing_case(name, events, own=()) for name, events in cases]
    found = knowing.evaluate("(text) => comparePrefixes(JSON.parse(text))", json.dumps(told))
    assert found == []
    # Where the score is another one than points and cube make, the server has to tell it.
    alike = [{**case_of(name, events), "untold": True} for name, events in cases]
    assert differing(knowing, alike) == []


@pytest.mark.parametrize("rule_set", ["biba-2014", "common"])
def test_no_score_is_confirmed_of_a_game_given_away_that_the_server_has_to_judge(
    knowing: Page, rule_set: str
) -> None:
    events = Table(5, rule_set=rule_set).game().turns(2).events
    told = knowing_case(rule_set, events)["told"][-1]["terms"]
    table = Table(5, rule_set=rule_set).game().turns(2)
    table.record(ending.ResignationOffered(seat=ONE, level=WinKind.SINGLE))
    table.record(ending.ResignationAccepted(seat=TWO), basis=Basis.AGREED)
    asked = """async ([entries, known]) => {
      const { fold } = await import("/static/fold/fold.js");
      return fold(entries, known).unjudged;
    }"""
    entries = list(map(entry_of, table.events))
    heard = {**told, "known": {**told["known"], "version": len(entries)}}
    assert knowing.evaluate(asked, [entries, told]) is (rule_set == "biba-2014")
    assert knowing.evaluate(asked, [entries, heard]) is False


def test_without_a_server_points_that_an_entry_puts_into_the_score_are_in_it(
    folding: Page,
) -> None:
    for rule_set in SHELF:
        events = penalised_match(rule_set)
        ruled = next(at for at, one in enumerate(events) if one.tag == "ruling.made")
        assert differing(folding, [case_of(rule_set, events[:ruled])]) == []


def test_a_gammon_counts_under_jacoby_what_the_rule_set_makes_of_it(folding: Page) -> None:
    """FCBG's clubs may agree on it in a match; Biba counts a gammon for money, too."""
    games = [
        (length, Table(length, rule_set=rule_set, jacoby="on", rated=False).win("gammon"))
        for rule_set in SHELF
        for length in (None, 7)
    ]
    assert {(length, *table.score) for length, table in games} == {
        (length, points, 0) for length in (None, 7) for points in (1, 2)
    }
    assert differing(folding, [case_of(str(of), table.events) for of, table in games]) == []


def test_terms_are_those_of_the_opening(folding: Page) -> None:
    options = {"crawford": {"value": "off"}, "jacoby": {"value": True}}
    phases = folding.evaluate(
        """async (options) => {
          const { fold } = await import("/static/fold/fold.js");
          const entry = (version, tag, body) => ({ entry_id: `${version}`, version, tag,
            schema: 1, basis: "observed", body, state: "sent" });
          const started = (body) => fold([
            entry(1, "match.opened", { players: {}, length: 3, score_at_start: { one: 2, two: 0 },
              ...body }),
            entry(2, "game.started", {}),
          ]).is_crawford;
          return [started({}), started({ options })];
        }""",
        options,
    )
    assert phases == [True, False]


def test_parked_entries_are_not_folded(folding: Page) -> None:
    scores = folding.evaluate(
        """async () => {
          const { extend, fold } = await import("/static/fold/fold.js");
          const entry = (version, tag, body, state) => ({ entry_id: `${version}`, version, tag,
            schema: 1, basis: "agreed", body, state });
          const opened = entry(1, "match.opened", { players: {}, length: 3 }, "sent");
          const stated = (state) => entry(2, "score.stated", { score: { one: 1, two: 0 } }, state);
          const points = (table) => table.score.one;
          return ["sent", "parked", "set_aside"].map((state) => [
            points(fold([opened, stated(state)])), points(extend(fold([opened]), stated(state))),
          ]);
        }"""
    )
    assert scores == [[1, 1], [0, 0], [0, 0]]


def test_a_play_is_written_as_python_writes_it(folding: Page) -> None:
    plays = [
        ([(25, 20), (13, 7), (13, 7), (6, 0)], [7, 20]),
        ([(8, 5), (6, 5)], []),
        ([(6, 5), (24, 23), (8, 5)], [5]),
        ([], []),
    ]
    found = folding.evaluate(
        """async (plays) => {
          const { playWords } = await import("/static/fold/notation.js");
          return plays.map(([moves, hits]) => playWords(moves, hits));
        }""",
        plays,
    )
    expected = [format_play([CheckerMove(*move) for move in moves], hits) for moves, hits in plays]
    assert found == expected
