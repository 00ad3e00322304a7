"""Requests made up from the API's own description: no crash, and answers as described."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python import asgi
from schemathesis.python._constants.orchestrator import make_constants_value_source
from starlette.requests import Request
from starlette.responses import JSONResponse

from api import openapi
from api.app import create_app
from api.archive.archive import Archive, open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from events.payloads.match import GameStarted, MatchOpened, Publication
from events.store.fsck import fsck
from events.values import BySeat

pytestmark = pytest.mark.gate

HANDS = ("archivist", "scribe", "nobody")

PATIENCE_S = 60
"""How long an answer may take: by itself ten seconds, which a busy machine needs for none."""

FEW = {
    "MatchBatch": ("dice.rolled", "play.made", "cube.double_taken", "clock.read", "entry.amended"),
    "LogBatch": ("access.granted", "access.revoked", "player.registered"),
}


async def few(request: Request) -> JSONResponse:
    """The description with a few types of event: making up all of them takes minutes."""
    document = copy.deepcopy(openapi.document(request.app))
    for batch, tags in FEW.items():
        entries = document["components"]["schemas"][batch]["properties"]["entries"]
        mapping = entries["items"].pop("discriminator")["mapping"]
        entries["items"]["oneOf"] = [{"$ref": mapping[tag]} for tag in tags]
    return JSONResponse(document)


class Served(NamedTuple):
    """An app that all requests of this file are sent to, with a token for each hand."""

    archive: Archive
    app: Any
    client: Any
    tokens: dict[str, str | None]


# None of it is made before the first test asks: every process of the gate imports this file.
@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    load_all_checks()
    archive = open_archive("memory://")
    archive.open_tournament("club", "Club night")
    opened = MatchOpened(players=BySeat((), ()), publication=Publication(public=True))
    archive.append("club", "m1", [archive.draft(opened), archive.draft(GameStarted())])
    scribe, _ = archive.grant(Role.SCRIBE, log_id="club")
    index = MatchIndex(archive.store, archive.reading)
    app: Any = create_app(archive, Settings(db="memory://"), index=index)
    app.add_route("/few.json", few, include_in_schema=False)
    with asgi.get_client(app) as client:
        # Neither proxies nor a password file lie between a test and its own app.
        client.trust_env = False
        tokens = {"archivist": archive.operator_token(), "scribe": scribe, "nobody": None}
        yield Served(archive, app, client, tokens)


class Described(NamedTuple):
    """The description, of which requests are made in some ways."""

    schema: Any
    feedback: FeedbackSources

    def ask(self, label: str, test: Callable[..., None], **fixtures: Any) -> None:
        """Make requests for one operation; built now, for all together take long at collection."""
        operation = self.schema.find_operation_by_label(label)
        assert operation is not None, label
        asked = build_operation_test(
            config=self.schema.config,
            operation=operation,
            test_func=test,
            given_kwargs={},
            feedback=self.feedback,
        )
        asked(**fixtures)


def described(served: Served, *phases: str) -> Described:
    schema = schemathesis.openapi.from_asgi("/few.json", served.app, timeout=PATIENCE_S)
    schema.config.phases.update(phases=list(phases))
    source = make_constants_value_source(schema)
    return Described(schema, FeedbackSources(constants_value_source=source))


@pytest.fixture(scope="module")
def drawn(served: Served) -> Described:
    """The document's own examples, and a few requests drawn by chance."""
    return described(served, "examples", "fuzzing")


@pytest.fixture(scope="module")
def edges(served: Served) -> Described:
    """Each bound of each member, on it and past it: seven thousand requests for one hand."""
    return described(served, "coverage")


OPENAPI = Path(__file__).parents[3] / "openapi" / "openapi.json"

LABELS = [
    f"{method.upper()} {path}"
    for path, item in json.loads(OPENAPI.read_bytes())["paths"].items()
    for method, operation in item.items()
    # A stream of live events never ends; tests of its own follow it over a real server.
    if operation["operationId"] != "followMatch"
]


CHECKED = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    # A method that is not described is answered 405, which says by `Allow` what goes.
    "unsupported_method",
]

PAGES = {"/session", "/pairings/claims"}
"""Addresses at which a GET finds something else: the page to sign in, and no pairing's id."""


def of_each(examples: int) -> settings:
    """So many requests for an operation, the same ones each time."""
    return settings(
        max_examples=examples, suppress_health_check=list(HealthCheck), derandomize=True
    )


@of_each(8)
def of_one_hand(case: Any, served: Served, hand: str) -> None:
    ask(served, case, hand)


@pytest.mark.parametrize("examples", [4, pytest.param(8, marks=pytest.mark.long)])
@pytest.mark.parametrize("label", LABELS)
def test_the_api_keeps_its_word(
    label: str, examples: int, served: Served, drawn: Described
) -> None:
    @of_each(examples)
    def of_every_hand(case: Any, served: Served) -> None:
        headers, path = dict(case.headers or {}), dict(case.path_parameters or {})
        for hand in HANDS:
            case.headers, case.path_parameters = dict(headers), dict(path)
            ask(served, case, hand)

    drawn.ask(label, of_every_hand, served=served)


# Whoever may less is turned away before most bounds are looked at: what such a hand is answered is
# asked of every operation above, and at every bound in the large size.
@pytest.mark.parametrize(
    "hand",
    [
        "archivist",
        pytest.param("scribe", marks=pytest.mark.long),
        pytest.param("nobody", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("label", LABELS)
def test_the_api_keeps_its_word_at_every_bound(
    label: str, hand: str, served: Served, edges: Described
) -> None:
    edges.ask(label, of_one_hand, served=served, hand=hand)


def ask(served: Served, case: Any, hand: str) -> None:
    """Send it with this hand's token, and hold the answer against the description."""
    headers = dict(case.headers or {})
    token = served.tokens[hand]
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    else:
        headers.pop("Authorization", None)
    case.headers = headers
    if hand != "nobody":
        # What exists: anything else is 404 before the rest of the request is looked at.
        for name, value in (("log", "club"), ("match", "m1")):
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
    # Who has signed in by the request before is nobody again.
    served.client.cookies.clear()
    answer = case.call(session=served.client, timeout=PATIENCE_S)
    names = CHECKED
    if case.operation.path in PAGES and case.method == "GET":
        names = [one for one in CHECKED if one != "unsupported_method"]
    try:
        case.validate_response(answer, checks=CHECKS.get_by_names(names))
    except BaseException as wrong:
        wrong.add_note(f"asked by: {hand}")
        raise


def test_the_ledger_is_whole_after_all_that(served: Served) -> None:
    assert not fsck(served.archive.store).findings
