"""A part of a name finds all names that contain it, however they became known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.archive.index import spelled as spelled_module
from api.archive.index.spelled import Spelled, asked, spellings

NAMES = st.text(alphabet="aAbBß\n ", max_size=6)


@given(
    names=st.lists(NAMES, unique=True, max_size=12),
    part=st.text(alphabet="abS\n ", max_size=3),
    fresh=st.integers(0, 12),
    again=st.integers(0, 12),
)
def test_a_part_finds_whose_name_holds_it_and_nobody_else(
    names: list[str], part: str, fresh: int, again: int
) -> None:
    """Names of several lines too, whether they are in the one text or beside it; each once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(spelled_module, "_FRESH", fresh)
        known = Spelled()
        persons = dict(enumerate(names, start=1))
        for person, name in persons.items():
            known.learn({person: name}, upto=person, is_whole=False)
            if person % 4 == 0:
                known.holding(part, limit=0)
        known.learn(dict([*persons.items()][:again]), upto=again, is_whole=True)
        assert known.learned == max(len(names), again)
        holding = {one for one, name in persons.items() if asked(part) in spellings(name)}
        found = known.holding(part, limit=len(names))
        assert found is not None
        assert sorted(found) == sorted(holding)
        assert {one for one in persons if known.holder(part)(one)} == holding
        if holding:
            assert known.holding(part, limit=len(holding) - 1) is None
        known.clear()
        assert known.holding(part, limit=0) == []
        assert not any(known.holder(part)(one) for one in persons)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        *(("zoe", "Zoë Åström"), ("ASTROM", "Zoë Åström"), ("zoë", "ZOË"), ("ё", "Фёдор")),
        # As macOS writes its files' names, and as everybody types.
        *(
            ("Zo\u0308", "Z\u00f6ller"),
            ("Z\u00f6", "Zo\u0308ller"),
            ("\ud55c", "\u1112\u1161\u11ab"),
        ),
        *(("weiss", "Weiß"), ("ß", "WEISS"), ("\u03c3", "\u039f\u03a3")),
    ],
)
def test_a_name_is_found_in_any_case_without_accents_and_however_it_is_composed(
    part: str, name: str
) -> None:
    assert asked(part) in spellings(name)


@pytest.mark.parametrize(("part", "name"), [("zoë", "Zoe"), ("å", "Ann"), ("rz", "Zoë Zr")])
def test_who_types_an_accent_means_it(part: str, name: str) -> None:
    assert asked(part) not in spellings(name)
