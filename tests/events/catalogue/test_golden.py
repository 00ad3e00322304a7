"""Golden bodies: every event type and version ever shipped, its content and its canonical bytes.

`tests/golden/events/<tag>@<schema>.json` holds `{"tag", "schema", "bodies": {name: {"sha256",
"body"}}}`: `minimal` has the needed members alone, `full` as many of the others as can stand
together, further names what cannot. The hash is that of the canonical bytes, so that any change of
spelling shows. The names and hashes in the bodies are made up.

The folder is add-only. An archive must read what it wrote years ago, so a file is never edited and
never removed: a change of shape raises the schema, and a new file stands beside the old one. What
came since the last release nobody has written yet; until the next such a file may change, and the
commit gives its reason.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785
from msgspec import inspect as shape

from events import catalogue
from events.payloads.corrections import EntryAmended
from tests.bunches import in_bunches
from tests.events.catalogue.test_shape import types

SchemaValidator = Callable[[str], Any]

FOLDER = Path(__file__).parents[2] / "golden" / "events"
FILES = sorted(FOLDER.glob("*.json"))
GOLDEN = [json.loads(file.read_text("utf-8")) for file in FILES]
BODIES = [
    pytest.param(golden["tag"], golden["schema"], said, id=f"{golden['tag']}-{name}")
    for golden in GOLDEN
    for name, said in golden["bodies"].items()
]
CURRENT = [
    golden for golden in GOLDEN if golden["schema"] == catalogue.kind_of(golden["tag"]).schema
]


def test_every_version_of_every_type_has_its_golden_file() -> None:
    versions = {f"{kind.tag}@{n}" for kind in catalogue.KINDS for n in range(1, kind.schema + 1)}
    assert {file.stem for file in FILES} == versions


def test_every_golden_file_is_named_after_its_content() -> None:
    assert [file.stem for file in FILES] == [f"{one['tag']}@{one['schema']}" for one in GOLDEN]
    assert {file.suffix for file in FOLDER.iterdir()} == {".json"}


@in_bunches(("tag", "schema", "said"), BODIES, of=48)
def test_golden_bytes_are_as_they_were(tag: str, schema: int, said: dict[str, Any]) -> None:
    raw = rfc8785.dumps(said["body"])
    assert hashlib.sha256(raw).hexdigest() == said["sha256"]
    payload = catalogue.decode(tag, raw, schema=schema)
    assert isinstance(payload, catalogue.kind_of(tag).payload)
    if schema == catalogue.kind_of(tag).schema:
        assert catalogue.encode(payload) == raw
    else:  # read through the upcasters: it must be sayable in today's shape
        now = catalogue.encode(payload)
        assert catalogue.decode(tag, now) == payload


@in_bunches(("tag", "schema", "said"), BODIES, of=48)
def test_golden_bodies_match_their_json_schema(
    tag: str, schema: int, said: dict[str, Any], schema_validator: SchemaValidator
) -> None:
    if schema != catalogue.kind_of(tag).schema:
        return  # only the current version has a schema; the bytes test reads the old ones
    validator = schema_validator(tag)
    validator.validate(said["body"])
    assert not validator.is_valid({**said["body"], "nobody_knows_this": 1})


@in_bunches("golden", CURRENT, ids=lambda golden: golden["tag"], of=64)
def test_golden_bodies_use_every_member(golden: dict[str, Any]) -> None:
    fields = msgspec.structs.fields(catalogue.kind_of(golden["tag"]).payload)
    bodies = {name: set(said["body"]) for name, said in golden["bodies"].items()}
    unused = {field.encode_name for field in fields} - set().union(*bodies.values())
    # An amendment to another version than the default 1 needs a type that has one.
    assert unused == ({"schema"} if golden["tag"] == "entry.amended" else set())
    assert bodies["minimal"] == {field.encode_name for field in fields if field.required}


def test_golden_bodies_use_every_member_of_every_part() -> None:
    used: dict[str, set[str]] = {}
    known: dict[str, set[str]] = {}
    for golden in CURRENT:
        payload = catalogue.kind_of(golden["tag"]).payload
        for said in golden["bodies"].values():
            _walk(shape.type_info(payload), said["body"], used, known)
    assert used == known


WORDS = json.loads(FOLDER.with_name("event_words.json").read_text("utf-8"))
"""Tag@schema to the members that take a word of a list, each with its words; add-only as well."""


def test_the_words_of_a_version_are_as_they_were() -> None:
    """A program that is one release older refuses a word that it does not know: raise the schema.

    What came since the last release may still change. `TABULARIUM_REWRITE=1` writes the file anew.
    """
    now = {f"{kind.tag}@{kind.schema}": words_of(kind.payload) for kind in catalogue.KINDS}
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        told = json.dumps(WORDS | {one: said for one, said in now.items() if said}, indent=1)
        FOLDER.with_name("event_words.json").write_text(f"{told}\n", "utf-8")
        return
    changed = {one: said for one, said in now.items() if WORDS.get(one, {}) != said}
    assert changed == {}


def words_of(payload: type[msgspec.Struct]) -> dict[str, list[str]]:
    """Path in a body to the words that may stand there."""
    return {
        path: sorted(one.value for one in of.cls)
        for path, of in types(shape.type_info(payload))
        if isinstance(of, shape.EnumType)
    }


def _walk(
    of: shape.Type, value: object, used: dict[str, set[str]], known: dict[str, set[str]]
) -> None:
    match of:
        case shape.Metadata(type=inner):
            _walk(inner, value, used, known)
        case shape.UnionType(types=types):
            for one in types:
                _walk(one, value, used, known)
        case shape.StructType(cls=cls, fields=fields) if isinstance(value, dict):
            if cls is not EntryAmended:
                known[cls.__name__] = {field.encode_name for field in fields}
                used.setdefault(cls.__name__, set()).update(value)
            for field in fields:
                _walk(field.type, value.get(field.encode_name), used, known)
        case shape.VarTupleType(item_type=item) if isinstance(value, list):
            for one in value:
                _walk(item, one, used, known)
        case shape.DictType(value_type=item) if isinstance(value, dict):
            for one in value.values():
                _walk(item, one, used, known)
