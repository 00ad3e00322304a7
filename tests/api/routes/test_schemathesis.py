"""Requests made up from the API's own description: no crash, and answers as described."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS
from schemathesis.python import asgi
from starlette.requests import Request
from starlette.responses import JSONResponse

from api import openapi
from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings
from events.payloads.access import Role
from events.payloads.match import GameStarted, MatchOpened, Publication
from events.store.fsck import fsck
from events.values import BySeat

pytestmark = pytest.mark.gate

_archive = open_archive("memory://")
_archive.open_tournament("club", "Club night")
_opened = MatchOpened(players=BySeat((), ()), publication=Publication(public=True))
_archive.append("club", "m1", [_archive.draft(_opened), _archive.draft(GameStarted())])
TOKENS = {
    "archivist": _archive.operator_token(),
    "scribe": _archive.grant(Role.SCRIBE, log_id="club")[0],
    "nobody": None,
}

APP = create_app(
    _archive, Settings(db="memory://"), index=MatchIndex(_archive.store, _archive.reading)
)
PATIENCE_S = 60
"""How long an answer may take: by itself ten seconds, which a busy machine needs for none."""

FEW = {
    "MatchBatch": ("dice.rolled", "play.made", "cube.double_taken", "clock.read", "entry.amended"),
    "LogBatch": ("access.granted", "access.revoked", "player.registered"),
}


async def few(request: Request) -> JSONResponse:
    """The description with a few types of event: making up all of them takes minutes."""
    document = copy.deepcopy(openapi.document(APP))
    for batch, tags in FEW.items():
        entries = document["components"]["schemas"][batch]["properties"]["entries"]
        mapping = entries["items"].pop("discriminator")["mapping"]
        entries["items"]["oneOf"] = [{"$ref": mapping[tag]} for tag in tags]
    return JSONResponse(document)


APP.add_route("/few.json", few, include_in_schema=False)


def described(*phases: str) -> Any:
    """The description, of which requests are made in these ways."""
    schema = schemathesis.openapi.from_asgi("/few.json", APP, timeout=PATIENCE_S)
    schema.config.phases.update(phases=list(phases))
    # A stream of live events never ends; tests of its own follow it over a real server.
    return schema.exclude(operation_id="followMatch")


DRAWN = described("examples", "fuzzing")
"""The document's own examples, and a few requests drawn by chance."""
EDGES = described("coverage")
"""Each bound of each member, on it and past it: seven thousand requests for one hand."""

checked = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        # A method that is not described is answered 405, which says by `Allow` what goes.
        "unsupported_method",
    ]
)

PAGES = {"POST /session", "POST /pairings/claims"}
"""Addresses at which a GET finds something else: the page to sign in, and no pairing's id."""


FEW_OF_EACH = settings(max_examples=8, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.mark.parametrize("hand", TOKENS)
@DRAWN.parametrize()
@FEW_OF_EACH
def test_the_api_keeps_its_word(case: Any, hand: str) -> None:
    ask(case, hand)


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
@EDGES.parametrize()
@FEW_OF_EACH
def test_the_api_keeps_its_word_at_every_bound(case: Any, hand: str) -> None:
    ask(case, hand)


def ask(case: Any, hand: str) -> None:
    """Send it with this hand's token, and hold the answer against the description."""
    headers = dict(case.headers or {})
    token = TOKENS[hand]
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    else:
        headers.pop("Authorization", None)
    if hand != "nobody":
        # What exists: anything else is 404 before the rest of the request is looked at.
        for name, value in (("log", "club"), ("match", "m1")):
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
    case.headers = headers
    with asgi.get_client(APP) as client:
        # Neither proxies nor a password file lie between a test and its own app.
        client.trust_env = False
        answer = case.call(session=client, timeout=PATIENCE_S)
        checks = checked
        if case.operation.label in PAGES and case.method == "GET":
            checks = [one for one in checked if one.__name__ != "unsupported_method"]
        case.validate_response(answer, checks=checks)


def test_the_ledger_is_whole_after_all_that() -> None:
    # Whoever may write may commit to a value that he does not give: it is told as one that is
    # not here, for nobody can tell it from one that was taken away.
    found = [one for one in fsck(_archive.store).findings if one.code != "disclosure-missing"]
    assert found == []
