"""What a match's page says of its entries: whole and in words, in every language."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from api.html.entry_words import word
from api.html.texts import LANGUAGES, texts_of
from events.payloads.clock import ClockKind
from projections.rules.subjects import windows

PUBLIC = {"public": True, "delay_ms": 0}


async def text(api: Any, language: str, part: str = "") -> str:
    """The texts of the page, to whoever rules."""
    path = f"/matches/club/m1?lang={language}{part}"
    page = await api.get(path, api.director, Accept="text/html")
    assert page.status_code == 200
    return html.unescape(re.sub(r"<[^>]*>", " ", page.text))


@pytest.fixture
async def disputed(api: Any, make: Any, begin: Any) -> Any:
    """A roll is disputed, and ruled."""
    await api.open(publication=PUBLIC, rule_set="usbgf-2017-07")
    roll = make("dice.rolled", seat="two", dice=[6, 4])
    readings = [{"by": "one", "reading": "void"}, {"by": "two", "reading": "valid"}]
    about = {"topic": "dice.validity", "at": roll["entry_id"]}
    answer = await api.append(
        *begin(),
        roll,
        make("dispute.raised", by="one", topic="dice.validity", readings=readings),
        make("ruling.made", answers=[{"question": about, "reading": "void"}]),
        token=api.director,
    )
    assert answer.status_code == 201, answer.text
    return api


@pytest.mark.parametrize(
    ("language", "dispute", "ruling"),
    [
        (
            "en",
            "Dispute by Ann: whether a roll counts; Ann says void; Bo says valid",
            "Ruling: whether a roll counts: void",
        ),
        (
            "de",
            "Streitfall von Ann: ob ein Wurf zählt; Ann sagt: nichtig; Bo sagt: gültig",
            "Entscheid: ob ein Wurf zählt: nichtig",
        ),
    ],
)
async def test_a_dispute_is_told_with_who_says_what_and_a_ruling_in_words(
    disputed: Any, language: str, dispute: str, ruling: str
) -> None:
    page = await text(disputed, language)
    assert dispute in page
    assert ruling in page
    assert "dice.validity" not in page


@pytest.mark.parametrize("kind", [*ClockKind])
async def test_the_time_agreed_is_told_in_words_that_nothing_says_twice(
    api: Any, kind: ClockKind
) -> None:
    terms = {"kind": kind.value, "reserve_ms": 600_000, "delay_ms": 12_000}
    await api.open(publication=PUBLIC, clock_terms=terms)
    english, german = [await text(api, language) for language in ("en", "de")]
    words = kind.value.replace("_", " ")
    assert f"10:00 each, {words} delay 12 s" in english
    [told] = re.findall(r"je 10:00, (.*), 12 s", german)
    assert words not in told


@pytest.mark.parametrize(
    ("language", "scale"),
    [
        ("en", "penalty scale: first after 10:00; step 5:00"),
        ("de", "Strafstufen: die erste nach 10:00; jede weitere nach 5:00"),
    ],
)
async def test_an_option_tells_time_as_a_clock_shows_it(
    api: Any, language: str, scale: str
) -> None:
    await api.open(publication=PUBLIC, rule_set="usbgf-2017-07")
    page = await text(api, language)
    assert scale in page
    assert "600000" not in page


@pytest.mark.parametrize(
    ("level", "english", "german"),
    [
        ("single", "wins 1 point and the match, by", "gewinnt 1 Punkt und das Match, durch"),
        (
            "gammon",
            "wins 2 points with a gammon and the match, by",
            "gewinnt 2 Punkte mit einem Gammon und das Match, durch",
        ),
    ],
)
async def test_a_game_won_is_told_as_wholly_in_german_as_in_english(
    api: Any, make: Any, begin: Any, level: str, english: str, german: str
) -> None:
    await api.open(publication=PUBLIC, length=1 if level == "single" else 2)
    await api.append(
        *begin(),
        make("resignation.offered", seat="two", level=level),
        make("resignation.accepted", seat="one"),
    )
    assert f"Ann {english} resignation" in await text(api, "en")
    assert f"Ann {german} Aufgabe" in await text(api, "de")


@pytest.mark.parametrize(
    ("cube", "english", "german"),
    [
        (True, "Ann wins 1 point, by drop", "Ann gewinnt 1 Punkt, durch Ablehnung"),
        (False, "Bo wins 3 points with a", "Bo gewinnt 3 Punkte mit einem Backgammon"),
    ],
)
async def test_a_game_that_does_not_end_the_match_does_not_say_so(
    api: Any, make: Any, begin: Any, cube: bool, english: str, german: str
) -> None:
    await api.open(publication=PUBLIC, length=5)
    ends = [
        make("cube.double_offered", seat="one"),
        make("cube.double_dropped", seat="two"),
    ]
    if not cube:
        ends = [
            make("resignation.offered", seat="one", level="backgammon"),
            make("resignation.accepted", seat="two"),
        ]
    await api.append(*begin(), *ends)
    for language, words in (("en", english), ("de", german)):
        page = await text(api, language, "&part=sheet")
        assert words in page
        assert "the match" not in page
        assert "das Match" not in page


async def test_where_the_clock_stops_both_languages_tell_what_it_shows(
    api: Any, make: Any, begin: Any
) -> None:
    terms = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
    await api.open(publication=PUBLIC, clock_terms=terms)
    game, *rest = begin()
    reserve = {"one": 600_000, "two": 600_000}
    await api.append(
        game,
        make("clock.set", kind="simple", reserve_ms=reserve, delay_ms=12_000, at_ms=0),
        *rest,
        make("clock.started", seat="two", at_ms=0),
        make("clock.paused", reason="dispute", by="one", at_ms=72_000),
        make("clock.resumed", seat="two", at_ms=90_000),
    )
    english, german = [await text(api, language) for language in ("en", "de")]
    shown = "(Ann 10:00, Bo 9:00)"
    assert f"the clock is stopped: dispute {shown}" in english
    assert f"Die Uhr ist angehalten: Streitfall {shown}" in german
    assert f"the clock goes on {shown}" in english
    assert f"Die Uhr läuft weiter {shown}" in german


@pytest.mark.parametrize("language", LANGUAGES)
def test_until_what_an_illegal_play_may_be_corrected_is_said_in_words(language: str) -> None:
    until = (
        *(windows.OPPONENTS_VALID_ROLL, windows.OFFENDERS_NEXT_VALID_ROLL, windows.EITHER_ROLL),
        *(windows.NEXT_TOSS, windows.OPPONENTS_ROLL_OR_DOUBLE),
    )
    for one in until:
        told = word(texts_of(language), one)
        assert told.startswith(("the ", "der ")), told
        assert "opponents " not in told
