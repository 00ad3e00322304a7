"""The tablet's legal plays equal Python's: every golden vector, in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.projections.board import vectors
from tests.web import modules

pytestmark = pytest.mark.warm

READING = """
const digit = (c) => parseInt(c, 36);
window.positionOf = (text) => {
  const counts = [...text].map(digit);
  return { own: counts.slice(0, 26), other: counts.slice(26) };
};
window.textOf = ({ own, other }) => [...own, ...other].map((count) => count.toString(36)).join("");
const place = (letter) => letter.charCodeAt(0) - 97;
window.movesOf = (text) => (text === "-" ? [] : text.match(/../g) ?? [])
  .map(([from, to]) => [place(from), place(to)]);
window.playOf = (moves) => moves
  .map((move) => move.map((point) => String.fromCharCode(97 + point)).join("")).join("") || "-";
window.diceOf = (text) => text && [...text].map(Number);
"""


@pytest.fixture(scope="module")
def modules_page(chromium: Browser) -> Iterator[Page]:
    """An empty page on which modules can be imported."""
    with modules.served() as url:
        page = chromium.new_page()
        page.goto(url)
        page.evaluate(f"() => {{ {READING} }}")
        yield page
        page.close()


def cases_of(name: str) -> list[Any]:
    """The cases of one file of vectors."""
    found: list[Any] = json.loads((vectors.FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def test_every_vector_has_the_same_legal_plays(modules_page: Page) -> None:
    cases = cases_of("legal")
    found = modules_page.evaluate(
        """async (text) => {
          const cases = JSON.parse(text);
          const { legalPlays } = await import("/static/board/legal.js");
          const told = ({ moves }) => playOf(moves);
          return cases.map(([board, dice]) =>
            legalPlays(positionOf(board), diceOf(dice)).map(told).join(" "));
        }""",
        json.dumps(cases),
    )
    assert len(found) > 3_000
    assert [
        (case, plays) for case, plays in zip(cases, found, strict=True) if case[2] != plays
    ] == []


def test_the_ends_of_legal_plays_are_told_apart(modules_page: Page) -> None:
    wrong = modules_page.evaluate(
        """async (text) => {
          const cases = JSON.parse(text);
          const { legalPlays } = await import("/static/board/legal.js");
          const { moved } = await import("/static/board/position.js");
          return cases.filter(([board, dice]) => {
            const position = positionOf(board);
            const plays = legalPlays(position, diceOf(dice));
            const ends = new Set(plays.map(({ end }) => textOf(end)));
            return ends.size !== plays.length || plays.some(({ moves, end }) =>
              textOf(moved(position, moves).position) !== textOf(end));
          });
        }""",
        json.dumps(cases_of("legal")),
    )
    assert wrong == []


def test_moves_of_any_shape_end_on_the_same_board(modules_page: Page) -> None:
    cases = cases_of("moved")
    found = modules_page.evaluate(
        """async (text) => {
          const cases = JSON.parse(text);
          const { moved } = await import("/static/board/position.js");
          return cases.map(([board, play, held]) => {
            const { position, hits } = moved(positionOf(board), movesOf(play), held);
            return [position && textOf(position), position ? hits : []];
          });
        }""",
        json.dumps(cases),
    )
    expected = [[after, hits if after else []] for _, _, _, after, hits in cases]
    assert found == expected


def test_every_sequence_of_taps_comes_to_the_same(modules_page: Page) -> None:
    cases = cases_of("taps")
    found = modules_page.evaluate(
        """async (text) => {
          const cases = JSON.parse(text);
          const { begin, fitsOf, tap } = await import("/static/board/taps.js");
          const told = (state) => {
            const { reading, choice, isFree } = state;
            const fits = fitsOf(state).map(({ moves }) => playOf(moves));
            const shown = fits.length <= 8 ? fits : [fits[0], fits.at(-1)];
            const lies = reading ? [playOf(reading.moves), reading.picked] : [null, null];
            return [shown.join(" "), fits.length, Number(isFree),
              choice && playOf(choice.moves), ...lies];
          };
          return cases.map(([board, dice, silent, words]) => {
            let state = begin(positionOf(board), diceOf(dice), { silent });
            const states = [told(state)];
            for (const word of words.split(" ").filter(Boolean)) {
              state = tap(state, word);
              states.push(told(state));
            }
            return states;
          });
        }""",
        json.dumps(cases),
    )
    differing = [pair for pair in zip(cases, found, strict=True) if pair[0][4] != pair[1]]
    assert differing == []


def test_202782_positions_come_from_two_rolls(modules_page: Page) -> None:
    counts = modules_page.evaluate(
        """async () => {
          const { legalPlays } = await import("/static/board/legal.js");
          const { STARTING, seenBy } = await import("/static/board/position.js");
          const rolls = [];
          for (let high = 1; high <= 6; high += 1)
            for (let low = 1; low <= high; low += 1) rolls.push([high, low]);
          const ends = (position, dice) => {
            const plays = legalPlays(position, dice);
            return plays.length ? plays.map(({ end }) => end) : [position];
          };
          const first = rolls.flatMap((dice) => ends(seenBy(STARTING, "one"), dice));
          const second = first.flatMap(({ own, other }) =>
            rolls.map((dice) => ends({ own: other, other: own }, dice).length));
          return [first.length, second.reduce((sum, count) => sum + count, 0)];
        }"""
    )
    assert counts == [447, 202_782]
