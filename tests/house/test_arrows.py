"""Who imports whom: no circle in either language, and in the browser's modules no arrow upward.

Python's floors are contracts in `pyproject.toml`; `lint-imports` holds them.
"""

from __future__ import annotations

import pytest

from tests.house import measure

FLOORS = (
    "shared",
    "board",
    "fold",
    "device/chain",
    "device/store",
    "device/sync",
    "device",
    "replay",
    "tablet/acts",
    "tablet/start",
    "tablet/sheets",
    "tablet/screen",
    "training",
    "rescue",
    "tablet",
    "room",
    "public",
    "trust",
    "case",
    "pack",
)
"""Rooms of `api/web/static`, lowest first: a module imports from its own and lower ones."""

FLOORS_OF_PYTHON = 22
"""Files in the longest chain of imports."""


def room(module: str) -> str:
    """The folder that a module lies in."""
    return module.rpartition("/")[0]


@pytest.mark.parametrize("graph", [measure.python_imports, measure.script_imports])
def test_nothing_is_imported_in_a_circle(graph: object) -> None:
    assert callable(graph)
    imports = graph()
    assert sum(map(len, imports.values())) > 200
    assert measure.circles(imports) == []


def test_every_module_of_the_browser_stands_on_a_floor() -> None:
    assert {room(module) for module in measure.script_imports()} == set(FLOORS)


def test_in_the_browser_no_arrow_runs_upward() -> None:
    upward = [
        (module, other)
        for module, others in measure.script_imports().items()
        for other in others
        if FLOORS.index(room(other)) > FLOORS.index(room(module))
    ]
    assert upward == []


def test_no_more_files_stand_on_one_another_than_do_today() -> None:
    # The goal is 16. Whoever takes floors away writes the new number here.
    assert measure.floors(measure.python_imports()) <= FLOORS_OF_PYTHON


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert measure.circles(graph) == [["b", "c"]]
    assert measure.floors(graph) == 3


def is_route(module: str) -> bool:
    """Whether a module is one of the routes, and not of what they share."""
    return module.startswith("api.routes.") and not module.startswith("api.routes.shared")


def test_only_routes_and_what_gathers_them_import_a_route() -> None:
    imports = measure.python_imports()
    importing = {
        module
        for module, others in imports.items()
        if any(map(is_route, others)) and not is_route(module)
    }
    assert importing == {"api.app", "api.openapi"}


def test_the_doors_lie_in_rooms() -> None:
    flat = {path.name for path in (measure.ROOT / "api").glob("*.py")}
    assert flat == {"__init__.py", "app.py", "cli.py", "openapi.py", "refusals.py", "settings.py"}
