"""Golden cases of the shared folder: loaded, and answers compared with the expected ones."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from projections.rules.answers import Answer
from projections.rules.shelf import SHELF

_ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("TABULARIUM_SHARED") or _ROOT.parent / "shared")

VARIANTS = {
    "expect": {},
    "expect_without_dice_on_checkers": {"dice_on_checkers": "invalid"},
    "expect_responsible": {"moves_policy": "responsible"},
}
"""Keys of a case that hold expectations, and the options that they pin beside the case's own."""

PINNED = {("dice", "wbgf-2.1"): {"dice_on_checkers": "invalid"}}
"""File and rule set to the options with which the file judges it, as its head says."""

ABOUT_THE_ANSWER = {"amb", "reason", "lean", "suggest", "flag", "verified", "outcome"}


OVERRULED = {
    **{
        ("penalties", "P12", rule_set): "each text speaks of whoever is late, and of both so too"
        for rule_set in ("usbgf-2017-07", "biba-2014", "fcbg-tournament")
    },
    **{
        ("clock", case, "biba-2014"): "no text in hand states the terms of Biba's Clock Rules"
        for case in ("K1", "K2", "K3", "K4", "K7a", "K7b", "K7c", "K12", "K13")
    },
    **{
        ("clock", "K11", rule_set): "a match that was won is not lost by a flag that is seen later"
        for rule_set in ("usbgf-2017-07", "usbgf-2017-09", "biba-2014")
    },
    **{
        ("endings_and_scores", f"E{number}", "usbgf-2017-07"): "[4.8] is about a wrong length"
        for number in range(20, 26)
    },
    **{
        (file, case, rule_set): "the text lets it stand, whoever agrees to another later"
        for file, case in (("legal_play_windows", "G14"), ("starting_position", "S7"))
        for rule_set in ("biba-2014", "fcbg-tournament")
    },
    **{
        ("endings_and_scores", case, "usbgf-2017-07"): "[4.5] speaks of non-contact positions"
        for case in ("E38", "E40")
    },
}
"""Cases (file, id, rule set) that expect other than what the seeds say, with the reason."""


class Case(NamedTuple):
    """One case under one rule set."""

    id: str
    rule_set: str
    options: dict[str, Any]
    """Options that the variant pins."""
    case: dict[str, Any]
    """The case, as in the file."""
    expect: dict[str, Any]
    """The expected answer of that rule set."""
    file: dict[str, Any]
    """The whole file, for defaults."""


@cache
def load(path: Path) -> Any:
    """What a YAML file holds, read once a run: without a C reader it takes seconds."""
    return yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def cases(name: str, key: str = "cases") -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: every case of a file under every rule set it names.

    Without the shared folder there is one parameter, which skips with its reason, or fails where
    TABULARIUM_REQUIRE_ALL=1.
    """
    path = SHARED / "golden" / f"{name}.yaml"
    if not path.is_file():
        return [pytest.param(None, id="no shared folder")]
    file = load(path)
    return [_param(name, case) for case in _cases(name, file, key)]


def _param(name: str, case: Case) -> Any:
    """A case by its name; one that is overruled has to fail."""
    case_id = f"{case.id}-{case.rule_set}{'' if not case.options else '-option'}"
    reason = OVERRULED.get((name, case.id, case.rule_set))
    marks = (
        ()
        if reason is None
        else pytest.mark.xfail(raises=AssertionError, reason=reason, strict=True)
    )
    return pytest.param(case, id=case_id, marks=marks)


def _cases(name: str, file: dict[str, Any], key: str) -> Iterator[Case]:
    for case in file[key]:
        for variant, options in VARIANTS.items():
            for rule_set, expect in case.get(variant, {}).items():
                # A rule set that does not exist here is a later one: it is not judged.
                if rule_set in SHELF:
                    pinned = {**PINNED.get((name, rule_set), {}), **options}
                    yield Case(str(case["id"]), rule_set, pinned, case, expect, file)


def present(case: Case | None) -> Case:
    """The case; skips, or fails where everything is required, if there is no shared folder."""
    if case is None:
        reason = f"no golden cases at {SHARED}: set TABULARIUM_SHARED"
        if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return case


def check(answer: Answer | None, expect: Mapping[str, Any]) -> None:
    """Every key that is expected, one by one; nothing may be open that the case does not name."""
    assert answer is not None, "nothing was judged"
    said = told(answer)
    for key, value in expect.items():
        assert plain(said.get(key)) == plain(value), f"{key}: {said}"
    if "verified" not in expect:
        assert answer.verified, said
    if expect.get("outcome") != "ruling_required":
        named = {key for key, value in expect.items() if value == "ruling_required"}
        opened = {key for key, other in answer.also.items() if other.is_open}
        assert opened <= named, f"open beside the answer: {opened - named}"


def told(answer: Answer) -> dict[str, Any]:
    """An answer as the golden files write one."""
    said: dict[str, Any] = {
        "outcome": answer.outcome,
        "amb": answer.ambiguity,
        "reason": answer.reason,
        "lean": answer.lean,
        "suggest": answer.suggest,
        "flag": answer.flag,
        "verified": answer.verified,
        **answer.details,
    }
    for name, other in answer.also.items():
        said[name] = other.outcome
    return said


def plain(value: Any) -> Any:
    """Enums as their values, tuples as lists, mappings as dicts."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    return value
