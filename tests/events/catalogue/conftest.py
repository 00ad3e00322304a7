"""What the catalogue's tests share: a judge of bodies that knows only their JSON Schema."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from events import catalogue


@pytest.fixture(scope="session")
def schema_validator(require: Callable[[bool, str], None]) -> Callable[[str], Any]:
    """The JSON Schema validator of a tag's current body."""
    found = importlib.util.find_spec("jsonschema_rs") is not None
    require(found, "there is no jsonschema_rs (it comes with schemathesis)")
    jsonschema_rs = importlib.import_module("jsonschema_rs")
    schemas, shared = catalogue.json_schemas()

    @functools.cache
    def validator(tag: str) -> Any:
        return jsonschema_rs.Draft202012Validator({**schemas[tag], "$defs": shared})

    return validator
