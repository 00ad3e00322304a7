"""The README of a room says what is in the room; what is generated in it is current."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from api.settings import Settings
from events import catalogue, describe
from projections.folding.findings import CODES
from tests.house import rooms


def test_events_readme_holds_the_catalogue_of_today(root: Path) -> None:
    """To bring it up to date: `uv run python -m events.describe events/README.md`."""
    text = (root / "events" / "README.md").read_text("utf-8")
    assert describe.BEGIN in text
    assert describe.END in text
    assert describe.rewritten(text) == text


def test_every_event_type_and_version_is_in_the_readme_with_its_members(root: Path) -> None:
    lines = (root / "events" / "README.md").read_text("utf-8").splitlines()
    for kind in catalogue.KINDS:
        (line,) = [one for one in lines if one.startswith(f"| `{kind.tag}@{kind.schema}` |")]
        _, _, says, members, _ = line.split("|")
        assert re.fullmatch(r" [A-Z`].+\. ", says), kind.tag
        for member in describe.members(kind.payload):
            assert f"`{member.name}{'' if member.required else '?'}: " in members, kind.tag


def test_every_member_of_every_body_is_explained() -> None:
    for kind in catalogue.KINDS:
        for member in describe.members(kind.payload):
            assert member.says.endswith("."), (kind.tag, member.name)


@pytest.mark.parametrize("readme", rooms.rooms(), ids=lambda path: path.parent.name)
def test_every_readme_names_the_files_of_its_room_and_only_those(readme: Path) -> None:
    """To bring it up to date: `uv run python -m tests.house.rooms`."""
    assert rooms.rewritten(readme) == readme.read_text("utf-8")


def test_every_room_has_such_a_table() -> None:
    expected = {
        "events",
        "projections",
        "rules",
        "api",
        "analysis",
        "exchange",
        "publishing",
        "web",
    }
    assert expected == {readme.parent.name for readme in rooms.rooms()}


def test_every_finding_code_is_in_the_readme_of_projections(root: Path) -> None:
    text = (root / "projections" / "README.md").read_text("utf-8")
    assert CODES
    assert not [code for code in CODES if f"`{code}`" not in text]


def test_every_setting_is_in_the_readme_of_api(root: Path) -> None:
    text = (root / "api" / "README.md").read_text("utf-8")
    names = [f"TABULARIUM_{name.upper()}" for name in Settings.model_fields]
    assert names
    assert not [name for name in names if f"`{name}`" not in text]
