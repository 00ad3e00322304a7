"""The README of a room lists what is in the room; its generated parts are current."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from api.cli import COMMANDS, loaded
from api.settings import Settings
from events import catalogue, describe
from events.store import fsck
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
        "evidence",
        "exchange",
        "operating",
        "publishing",
        "web",
    }
    assert expected == {readme.parent.name for readme in rooms.rooms()}


def test_a_room_whose_readme_tells_its_files_by_hand_leaves_none_out(root: Path) -> None:
    rooms_of = [path for room in ("events", "projections", "api") for path in rooms.readmes(room)]
    by_hand = {*rooms_of, root / "tests" / "house" / "README.md"} - set(rooms.rooms())
    assert len(by_hand) > 3
    missing = [
        f"{readme.parent.name}/{name}"
        for readme in sorted(by_hand)
        for name, _ in rooms.rows(readme.parent, readme.parent)
        if f"`{name}`" not in readme.read_text("utf-8")
    ]
    assert missing == []


def test_every_finding_code_is_in_the_readme_of_projections(root: Path) -> None:
    text = (root / "projections" / "README.md").read_text("utf-8")
    assert CODES
    assert not [code for code in CODES if f"`{code}`" not in text]


def test_every_finding_of_fsck_and_every_file_is_in_the_readme_of_stores(root: Path) -> None:
    room = root / "events" / "store"
    text = (room / "README.md").read_text("utf-8")
    assert [
        code for code, says in fsck.FINDING_CODES.items() if f"| `{code}` | {says} |" not in text
    ] == []
    files = {path.name for path in room.glob("[a-z]*.py")}
    assert [name for name in sorted(files) if f"`{name}`" not in text] == []


def test_every_extra_is_in_the_readme(root: Path) -> None:
    text = (root / "README.md").read_text("utf-8")
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert "stamps" in extras
    assert [extra for extra in extras if f"| `{extra}` |" not in text] == []


def test_every_setting_is_in_the_readme_of_api(root: Path) -> None:
    text = (root / "api" / "README.md").read_text("utf-8")
    names = [f"TABULARIUM_{name.upper()}" for name in Settings.model_fields]
    assert names
    assert not [name for name in names if f"`{name}`" not in text]


ELSEWHERE = frozenset(
    {"--help", "--version", "--hypothesis-profile", "--behind", "--hard", "--keep"}
)
"""Options of every command, of pytest and of benchmarks."""

BY_HAND = frozenset(
    {"manifest.json", "bundle.json", "case.html", "tests/events/__init__.py", "docs/"}
)
"""Of what others get, or what is said not to be there."""


def files_of(root: Path) -> list[str]:
    """Every file of the checkout, those too that are not added yet."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    told = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout
    return [file for file in told.splitlines() if (root / file).is_file()]


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    """Every text of the house, but for what tells of earlier days."""
    past = ("CHANGELOG.md", "DECISIONS.md")
    files = [file for file in files_of(root) if file.endswith(".md") and not file.endswith(past)]
    return {file: (root / file).read_text("utf-8") for file in files}


def test_every_command_and_option_that_a_text_names_exists(texts: dict[str, str]) -> None:
    options = {name: options_of(loaded(name)) for name in COMMANDS}
    known = set().union(*options.values(), ELSEWHERE)
    wrong = []
    for file, text in texts.items():
        called = re.findall(r"tabularium ([a-z][a-z-]*)([^\n`|#;&>)]*)", text)
        wrong += [(file, name) for name, _ in called if name not in COMMANDS]
        wrong += [
            (file, f"{name} {option}")
            for name, rest in called
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", rest)
            if option not in options.get(name, known)
        ]
        said = re.findall(r"`(--[a-z][\w-]*)", text)
        wrong += [(file, option) for option in said if option not in known]
    assert wrong == []


def options_of(command: Any) -> set[str]:
    """The options of a command, and of those in its group."""
    found = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return found.union(*map(options_of, getattr(command, "commands", {}).values()))


def test_every_file_and_folder_that_a_text_names_exists(root: Path, texts: dict[str, str]) -> None:
    """By its path from the root or in the text's own room, or by its name if a path leads there."""
    paths = {Path("/", file) for file in files_of(root)}
    paths |= {folder for path in paths for folder in path.parents}
    named = r"`([\w./-]+(?:\.(?:py|js|json|html|css|md|ts|sh|toml|conf|service)|/))`"
    wrong = []
    for file, text in texts.items():
        names = {name.rstrip("/"): name for name in re.findall(named, text)}
        of_the_house = file.startswith("tests/house/")
        room = Path("/") if of_the_house else Path("/", file).parent
        own = {
            "/".join(path.parts[at:])
            for path in paths
            if path.is_relative_to(room)
            for at in range(1, len(path.parts))
        }
        beside = {Path("/", name).parent for name in names if Path("/", name) in paths}
        wrong += [
            (file, said)
            for name, said in names.items()
            if not said.startswith(("/", "-")) and said not in BY_HAND
            if name not in own and Path("/", name) not in paths
            if not any(folder / name in paths for folder in beside)
        ]
    assert wrong == []
