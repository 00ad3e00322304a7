"""The API's description: current, sound, and such that a client generator likes it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from api.commands import describing
from api.html.texts import texts_of
from api.refusals import KINDS
from events import catalogue
from tests.api.routes.conftest import LOG, MATCH
from tests.bunches import in_bunches
from tests.house.trees import nodes_of, tree_of

FILE = Path(__file__).parents[3] / "openapi" / "openapi.json"
MADE = describing.text()
DOCUMENT: dict[str, Any] = json.loads(MADE)
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
VERBS = (
    r"(?:amend|append|approve|claim|close|end|erase|export|find|follow|get|grant|ingest|list|open"
    r"|put|refuse|resolve)"
)
NAME = re.compile(r"[A-Z][A-Za-z0-9]{1,40}")
NAMES = [operation["operationId"] for _, _, operation in OPERATIONS]


def validator(schema: dict[str, Any]) -> Any:
    return jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_the_file_is_current() -> None:
    current = "run `uv run tabularium openapi -o openapi/openapi.json`"
    assert FILE.read_bytes() == MADE, current


def test_it_is_the_same_every_time() -> None:
    assert describing.text() == MADE


def test_it_is_openapi_3_1() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert DOCUMENT["info"].keys() >= {"title", "version", "summary", "description", "license"}
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)
    validator({}).is_valid({})


def refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        yield from node.get("discriminator", {}).get("mapping", {}).values()
        for value in node.values():
            yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)


def test_every_reference_leads_somewhere_and_every_shape_is_used() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    found = {ref.removeprefix("#/components/schemas/") for ref in refs(DOCUMENT)}
    assert found <= set(schemas)
    assert set(schemas) <= found


def test_operation_ids_are_unique_verbs_in_camel_case() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for name in NAMES:
        assert re.fullmatch(VERBS + r"[A-Z][A-Za-z]+", name)


@in_bunches("name", NAMES)
def test_every_operation_is_tagged_described_and_shown_by_example(name: str) -> None:
    path, method, operation = OPERATIONS[NAMES.index(name)]
    assert len(operation["tags"]) == 1
    assert operation["tags"][0] in {tag["name"] for tag in DOCUMENT["tags"]}
    assert operation["summary"]
    assert operation["description"]
    done = [status for status in operation["responses"] if status.startswith("2")]
    success = operation["responses"][max(done)]
    assert success.get("content") or done == ["204"]
    for media_type, content in success.get("content", {}).items():
        assert content["schema"]
        if media_type == "application/json":
            validator(content["schema"]).validate(content["example"])
        elif "json" not in media_type:
            assert content["example"]
    declared = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
    assert declared == set(re.findall(r"\{(\w+)\}", path))
    for parameter in operation.get("parameters", []):
        assert parameter["description"], parameter["name"]
    if method == "post":
        content = operation["requestBody"]["content"]["application/json"]
        assert content["examples"]
        for example in content["examples"].values():
            validator(content["schema"]).validate(example["value"])


def test_examples_say_what_folds_say() -> None:
    """A program that fills templates by these examples meets the same ones in answers."""

    def said(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if node.keys() >= {"text", "facts", "people", "parts"}:
                yield node["text"]
            for value in node.values():
                yield from said(value)
        elif isinstance(node, list):
            for value in node:
                yield from said(value)

    sentences = set(said(DOCUMENT["paths"]))
    german = texts_of("de")
    assert len(sentences) > 2
    assert [one for one in sentences if not german.has(one)] == []


@in_bunches("name", NAMES)
def test_every_refusal_is_a_problem(name: str) -> None:
    _, method, operation = OPERATIONS[NAMES.index(name)]
    statuses = {int(status) for status in operation["responses"]}
    assert statuses <= {200, 201, 202, 204, 206, 304} | {kind.status for kind in KINDS.values()}
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            assert list(response["content"]) == ["application/problem+json"]
    if method == "post" and "security" not in operation:
        # Called by clients without a token: these two routes are for them.
        assert NAMES[NAMES.index(name)] in ("claimPairing", "openSession")
    elif method == "post":
        assert operation["security"] == [{"token": []}]
        assert {400, 401, 403, 413, 422, 503} <= statuses


def test_what_a_refusal_leads_to_stands_in_it() -> None:
    """Advice names members of the problem (`needs`, `known`), given by the code that raises it."""
    leads = {slug: re.findall(r"`([a-z_]+)`", kind.advice) for slug, kind in KINDS.items()}
    calls = [
        (f"{path.name}:{node.lineno}", node.args[0].value, {one.arg for one in node.keywords})
        for path in (FILE.parents[1] / "api").rglob("*.py")
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Problem"
        and isinstance(node.args[0], ast.Constant)
    ]
    assert len(calls) > 100
    # `detail` is in every problem, `takeover` in the request, and None stands for what is unpacked.
    assert [
        (place, slug, member)
        for place, slug, given in calls
        for member in leads[slug]
        if not {member, None} & (given | {"detail", "takeover"})
    ] == []


def test_every_type_of_event_can_be_sent() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    tags = [
        set(schemas[batch]["properties"]["entries"]["items"]["discriminator"]["mapping"])
        for batch in ("MatchBatch", "LogBatch")
    ]
    assert tags[0] | tags[1] == {kind.tag for kind in catalogue.KINDS}
    assert tags[1] == catalogue.TOURNAMENT_TAGS


def test_a_personal_value_may_be_sent_in_the_clear_or_committed() -> None:
    batch = validator({"$ref": "#/components/schemas/OpenMatch"})
    for name in ("Ann", {"sd": "0" * 64}, None):
        opened = {"players": {"one": [{"name": name}], "two": []}}
        assert batch.is_valid({"opened": opened})
    assert not batch.is_valid({"opened": {"players": {"one": [{"name": {"x": 1}}], "two": []}}})


async def test_the_app_serves_it(api: Any) -> None:
    assert (await api.get("/openapi.json")).json() == DOCUMENT


def test_schemas_have_short_names_of_their_own() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert [name for name in schemas if not NAME.fullmatch(name)] == []
    titles = [schema.get("title", name) for name, schema in schemas.items()]
    assert [title for title in titles if not NAME.fullmatch(title)] == []


def test_a_client_can_be_generated_from_tuples_and_servers() -> None:
    assert DOCUMENT["servers"][0]["url"] == "/"
    assert '"items": false' not in MADE.decode()
    rolled = DOCUMENT["components"]["schemas"]["Rolled"]["properties"]["dice"]
    assert (rolled["minItems"], rolled["maxItems"]) == (2, 2)
    assert "$ref" in rolled["items"] or rolled["items"]["type"] == "integer"


OF_A_MATCH = [
    path
    for path, method, operation in OPERATIONS
    if method == "get" and path.startswith("/logs/{log}/matches/{match}") and path.count("{") == 2
    if "text/event-stream" not in operation["responses"]["200"]["content"]
]


@pytest.mark.parametrize("hand", ["anybody", "director"])
@pytest.mark.parametrize("path", OF_A_MATCH)
async def test_what_is_answered_of_a_match_is_as_described(
    api: Any, begin: Any, path: str, hand: str
) -> None:
    await api.open(publication={"public": True})
    await api.append(*begin())
    token = api.director if hand == "director" else None
    where = path.format(log=LOG, match=MATCH)
    answer = await api.get(where, token, accept="application/json")
    content = DOCUMENT["paths"][path]["get"]["responses"][str(answer.status_code)]["content"]
    media_type = answer.headers["content-type"].partition(";")[0]
    assert media_type in content
    if "json" in media_type and not media_type.endswith("ndjson"):
        validator(content[media_type]["schema"]).validate(answer.json())
