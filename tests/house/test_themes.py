"""Themes change colours alone, the same at every size: a look at each of both sees them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BLOCK = re.compile(r"([^{};]*)\{|([^{};]*);|\}")

PRINTED = "@media print"


def rules_of(css: str) -> Iterator[tuple[list[str], str]]:
    """Each declaration with the headings of the blocks around it."""
    inside: list[str] = []
    for found in BLOCK.finditer(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)):
        heading, declaration = found.groups()
        if heading is not None:
            inside.append(" ".join(heading.split()))
        elif declaration is not None:
            yield [*inside], declaration.strip()
        else:
            inside.pop()


def is_themed(headings: list[str]) -> bool:
    return any("prefers-color-scheme" in one or "data-theme" in one for one in headings)


SHEETS = sorted((Path(__file__).parents[2] / "api/web/static").rglob("*.css"))


def test_a_sheet_has_themes_to_look_at() -> None:
    headings = [one for path in SHEETS for one, _ in rules_of(path.read_text("utf-8"))]
    assert any(map(is_themed, headings))


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_a_theme_gives_colours_to_the_root_and_the_same_at_every_size(path: Path) -> None:
    for headings, declaration in rules_of(path.read_text("utf-8")):
        if is_themed(headings):
            assert re.match("--|color-scheme:", declaration), declaration
            assert "url(" not in declaration
            media = [one for one in headings if one.startswith("@")]
            assert media in ([], ["@media (prefers-color-scheme: dark)"], [PRINTED]), media
            assert all(one.startswith(":root") for one in headings if one not in media), headings
        assert "light-dark(" not in declaration
        # What asks for a size gives no colour another value.
        if any(re.search(r"\b(width|height|orientation)\b", one) for one in headings):
            assert not re.match(r"--[\w-]+:.*(#|rgb)", declaration), declaration
