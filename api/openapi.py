"""The API's description in OpenAPI 3.1: routes, event bodies, examples and problems."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import msgspec
import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from api.exchange.forms import FORMS, STREAMED, Form
from api.routes.attendance import Attendance
from api.routes.ballots import RecuseMember, SealBallot
from api.routes.cases import ConveneCommittee, IssueCase, OpenSeatCode
from api.routes.ingest import IngestIn, ResolveBranch
from api.routes.leases import EndLease, GrantLease, GrantTable, OpenShadow
from api.routes.openings import AmendOpening
from api.routes.packs import HandOutPack, UnsealPacks
from api.routes.pairing import ApprovePairing, ClaimPairing, OpenPairing, RefusePairing
from api.routes.renaming import AmendPlayer
from api.routes.roles import OpenInvitation
from api.routes.rounds import OpenRound, PreviewRound
from api.routes.session import OpenSession
from api.routes.shared.erasing import ErasePerson
from api.shapes import (
    analysis,
    cases,
    devices,
    erasing,
    figures,
    films,
    matches,
    precedents,
    replay,
    rooms,
    rounds,
    search,
    server,
    views,
)
from api.shapes.entries import (
    ENTRY_ID,
    ID,
    batch_schema,
    closed,
    entry_schema,
    name_of,
    nullable,
    with_plain_values,
)
from api.shapes.examples import (
    EVIDENCE_EXAMPLES,
    EXAMPLES,
    FILE_EXAMPLES,
    REQUEST_EXAMPLES,
    completed,
)
from api.shapes.filings import GROUPS, filing_schema
from api.shapes.naming import by_short_names, short_name
from api.shapes.shape import REF, Piece, refs, schemas_of
from events import catalogue
from events.envelope import Basis
from events.personal import LONGEST
from events.values import MAX_SAFE_INTEGER
from projections.views.discretion import HELD_BACK

TAGS: list[Piece] = [
    {
        "name": "logs",
        "description": "One log per tournament: append-only, with its own Merkle tree.",
    },
    {"name": "matches", "description": "One stream per match: opened once, then appended to."},
    {
        "name": "disputes",
        "description": "Disputes, rulings, appeals, votes: one entry per request.",
    },
    {"name": "cases", "description": "Cases: the committee, its ballots, who has read the case."},
    {"name": "entries", "description": "Entries as they were recorded and sealed."},
    {"name": "views", "description": "Views computed from the entries, at any version."},
    {"name": "replay", "description": "Data for a replay viewer, beyond the views."},
    {"name": "search", "description": "Search of turns by board and findings; figures."},
    {"name": "evidence", "description": "Signed proofs of matches for third parties."},
    {"name": "exports", "description": "Matches as files."},
    {"name": "live", "description": "Following a match live."},
    {"name": "devices", "description": "Pairing of tablets, leases, the director's room."},
    {"name": "roles", "description": "Roles, and one-time codes that give them."},
    {"name": "rounds", "description": "Players, pairings, results, attendance."},
    {"name": "files", "description": "Photos and videos that entries name by their hash."},
    {"name": "session", "description": "Signing in with a browser."},
    {"name": "health", "description": "Health of the archive."},
]

_APPENDED = {
    "appendEvents": "MatchBatch",
    "appendLogEvents": "LogBatch",
    **{name: f"{name.removeprefix('append')}Request" for name in GROUPS},
}
"""Operation id of an append to the shape of its request."""

BODIES: dict[str, type] = {
    "openSession": OpenSession,
    "amendOpening": AmendOpening,
    "openInvitation": OpenInvitation,
    "openCommittee": ConveneCommittee,
    "openSeatCode": OpenSeatCode,
    "grantCase": IssueCase,
    "appendBallot": SealBallot,
    "endSeat": RecuseMember,
    "exportPack": HandOutPack,
    "openPackSeals": UnsealPacks,
    "openPairing": OpenPairing,
    "claimPairing": ClaimPairing,
    "approvePairing": ApprovePairing,
    "refusePairing": RefusePairing,
    "grantLease": GrantLease,
    "grantTable": GrantTable,
    "endLease": EndLease,
    "openShadow": OpenShadow,
    "getRoundPreview": PreviewRound,
    "openRound": OpenRound,
    "amendPlayer": AmendPlayer,
    "erasePerson": ErasePerson,
    "appendAttendance": Attendance,
    "ingestDrafts": IngestIn,
    "resolveBranch": ResolveBranch,
}
"""Operation id to the body of its request, where that is of one plain shape."""

SHAPES: dict[str, type[msgspec.Struct]] = {
    name: shape
    for module in (
        *(analysis, cases, erasing, figures, films, matches, views, devices, rooms, rounds),
        *(replay, precedents, search, server),
    )
    for name, shape in vars(module).items()
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct)
}
"""Name to the shape of an answer, or of what is in one."""


class Described:
    """Serves the description; made when it is first asked for."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._body: bytes | None = None

    async def answer(self, request: Request) -> Response:
        """The whole document."""
        if self._body is None:
            self._body = orjson.dumps(document(self._app))
        return Response(self._body, media_type="application/json")


def document(app: FastAPI) -> Piece:
    """The OpenAPI document of an app."""
    made = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=(
            "Every write is an append of facts, never a change. Refusals are problem documents "
            "(RFC 9457). Numbers are integers except in an analysis, seats are `one` and `two`, "
            "versions count from 1."
        ),
        openapi_version="3.1.0",
        routes=[_without_head(route) for route in app.routes],
        tags=TAGS,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    schemas: Piece = schemas_of(SHAPES[name] for name in sorted(refs(made)) if name in SHAPES)
    for _, operation in _operations(made):
        _finish(operation, schemas)
    for name, schema in _event_schemas().items():
        if schemas.setdefault(name, schema) != schema:
            raise ValueError(f"two shapes are called {name}")
    components: Piece = {"schemas": schemas}
    made["components"] = components
    components["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "256 random bits in hex, which `tabularium grant` shows once.",
        }
    }
    made["servers"] = [{"url": "/", "description": "The server of this document."}]
    names = {name: short_name(name) for name in schemas}
    if len(set(names.values())) != len(names):
        raise ValueError("two schemas have one short name")
    plain: Piece = by_short_names(made, names)
    found = plain["components"]["schemas"]
    plain["components"]["schemas"] = {
        short: found[name] if short == name else found[name] | {"title": short}
        for name, short in names.items()
    }
    return plain


def _without_head(route: BaseRoute) -> BaseRoute:
    """A route as it is described: that what answers GET answers HEAD goes without saying."""
    if not isinstance(route, APIRoute):
        return route
    described = copy.copy(route)
    described.methods = (route.methods or set()) - {"HEAD"}
    return described


def _operations(made: Piece) -> Iterator[tuple[str, Piece]]:
    for path, methods in made["paths"].items():
        for operation in methods.values():
            yield path, operation


def _finish(operation: Piece, schemas: Piece) -> None:
    name = operation["operationId"]
    writes, is_open = operation.pop("x-writes"), operation.pop("x-open")
    is_ndjson = operation.pop("x-ndjson")
    if not is_open:
        operation["security"] = [{"token": []}] if writes else [{}, {"token": []}]
    responses = operation["responses"]
    # Bad parameters are 400 here, and bodies are read without the framework.
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    if "401" in responses:
        responses["401"]["headers"] = {"WWW-Authenticate": _header("Always `Bearer`.")}
    if "503" in responses:
        responses["503"]["headers"] = {"Retry-After": _header("Seconds.", required=False)}
    success = responses[str(operation.pop("x-success"))]
    if is_ndjson:
        lines = "EntryOut" if name.startswith("list") else "Line"
        success["content"]["application/x-ndjson"] = {"schema": {"$ref": REF + lines}}
    operation.setdefault("parameters", [])
    _special(name, operation, success)
    example = EXAMPLES.get(name)
    for status in ("200", "201", "202"):
        for media_type, content in responses.get(status, {}).get("content", {}).items():
            if isinstance(example, str):
                content.setdefault("example", example)
            elif media_type == "application/json":
                content["example"] = completed(content["schema"], schemas, example)
    if "304" in responses:
        success.setdefault("headers", {})["ETag"] = _header("Of this very answer.")
        operation.setdefault("parameters", []).append(
            _parameter("If-None-Match", "An ETag that you have.", {"type": "string"})
        )


def _special(name: str, operation: Piece, success: Piece) -> None:
    """What the framework cannot know of single routes: bodies read by hand, headers, files."""
    if name in _APPENDED:
        _append(name, operation, success)
    elif name in BODIES:
        operation["requestBody"] = _body(BODIES[name].__name__, REQUEST_EXAMPLES[name])
    elif name in ("openMatch", "openLog"):
        shape = "OpenMatch" if name == "openMatch" else "OpenLog"
        operation["requestBody"] = _body(shape, REQUEST_EXAMPLES[name])
        success["headers"] = {"Location": _header("Where it is now.")}
    elif name in EVIDENCE_EXAMPLES:
        success["content"] = _text("text/plain", EVIDENCE_EXAMPLES[name])
    elif name == "exportResults":
        example = "round,table,player_1,player_2,length\r\n3,7,Ann,Bo,5\r\n"
        success["content"] = _text("text/csv", example)
    elif name == "followMatch":
        schema = {"type": "string", "pattern": "^[0-9]{1,15}$"}
        description = "Global position of the last entry that you have."
        operation["parameters"].append(_parameter("Last-Event-ID", description, schema))
        success["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
    if name in ("exportPack", "openPackSeals", "exportBundle", "getEvidence"):
        success["content"] = _octets("application/zip", "(a .zip file)")
    if name in ("exportPack", "openPackSeals"):
        success["headers"] = {"Repr-Digest": _header("SHA-256 of the file (RFC 9530).")}
    elif name == "putFile":
        content = _octets("application/octet-stream", None)
        operation["requestBody"] = {"required": True, "content": content}
        success["headers"] = {"Location": _header("Where it is now.")}
    elif name == "getFile":
        _file_in_parts(operation, success)
    elif name in ("exportMatch", "exportMatchAsAccepted"):
        _export(success)
    elif name in ("exportMatches", "exportMatchesAs"):
        success["content"] = {form.bare_type: _file(form) for form in STREAMED}


def _append(name: str, operation: Piece, success: Piece) -> None:
    """An append: a batch of entries, and the version that the stream is believed to be at."""
    operation["requestBody"] = _body(_APPENDED[name], REQUEST_EXAMPLES[name])
    schema = {"type": "string", "pattern": r'^("[0-9]{1,15}"|[0-9]{1,15}|\*)$'}
    description = "Expected version of the stream, or `*`. 428 without it."
    operation["parameters"].append(_parameter("If-Match", description, schema, example='"12"'))
    for response in (success, operation["responses"]["200"]):
        response["headers"] = {"ETag": _header("Version of the last entry of the batch.")}


def _file_in_parts(operation: Piece, success: Piece) -> None:
    """A stored file, whole or the part that is asked for."""
    success["content"] = _octets("*/*", "(the file's bytes)")
    headers = {"Content-Range": _header("Which bytes of how many.")}
    part = {"description": "The one part that `Range` asks for.", "headers": headers}
    operation["responses"]["206"] = {**part, "content": success["content"]}
    operation["parameters"].append(
        _parameter("Range", "One part of the bytes.", {"type": "string"})
    )


def _export(success: Piece) -> None:
    """A match as a file of any format, and headers that say what the file does not hold."""
    success["content"] |= {form.bare_type: _file(form) for form in FORMS.values()}
    losses = "JSON object: kind of loss to the number of facts the format cannot hold."
    held_back = f"In its place, the words: {HELD_BACK}"
    ruling = "`true` while a dispute is open: the file ends before it for the public."
    success["headers"] = {
        "Tabularium-Losses": _header(losses, required=False),
        "Tabularium-Held-Back": _header(held_back, required=False),
        "Tabularium-Awaits-Ruling": _header(ruling, required=False),
    }


def _file(form: Form) -> Piece:
    """What a file of a format looks like: text, or bytes."""
    example = FILE_EXAMPLES.get(form.name, f"(a {form.ending} file)")
    schema: Piece = {"type": "string", "description": f"{form.name}: {form.title}"}
    if not form.is_text:
        schema["contentMediaType"] = form.bare_type
    return {"schema": schema, "example": example}


def _text(media_type: str, example: str) -> Piece:
    return {media_type: {"schema": {"type": "string"}, "example": example}}


def _octets(media_type: str, example: str | None) -> Piece:
    """Bytes of a kind, as they are sent or given."""
    made: Piece = {"schema": {"type": "string", "contentMediaType": media_type}}
    return {media_type: made if example is None else {**made, "example": example}}


def _body(shape: str, examples: Piece) -> Piece:
    shown = {name: {"value": value} for name, value in examples.items()}
    content = {"schema": {"$ref": REF + shape}, "examples": shown}
    return {"required": True, "content": {"application/json": content}}


def _header(description: str, *, required: bool = True) -> Piece:
    return {"description": description, "required": required, "schema": {"type": "string"}}


def _parameter(name: str, description: str, schema: Piece, *, example: str | None = None) -> Piece:
    made: Piece = {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": schema,
    }
    return made if example is None else {**made, "example": example}


def _event_schemas() -> Piece:
    """Shapes of event bodies, of one entry of each tag, and of the requests that carry them."""
    bodies, shared = catalogue.json_schemas(ref_template=REF + "{name}")
    schemas = {name: with_plain_values(schema) for name, schema in shared.items()}
    # As it came: only where it stands in a body may a plain value stand in its place.
    schemas["Commitment"] = shared["Commitment"]
    schemas["PersonalValue"] = {
        "title": "PersonalValue",
        "description": (
            "A personal value in plain text, stored as a commitment, or its commitment."
        ),
        "anyOf": [
            {"type": "string", "maxLength": LONGEST},
            {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER},
            {"$ref": f"{REF}Commitment"},
        ],
    }
    names = {tag: name_of(tag) for tag in bodies}
    for kind in catalogue.KINDS:
        schemas[names[kind.tag]] = entry_schema(kind.tag, bodies[kind.tag], kind.schema)
    for batch, of_log in (("MatchBatch", False), ("LogBatch", True)):
        tags = [tag for tag in names if (tag in catalogue.TOURNAMENT_TAGS) is of_log]
        schemas[batch] = batch_schema(batch, {tag: names[tag] for tag in tags})
    for name, group in GROUPS.items():
        schemas[_APPENDED[name]] = filing_schema(_APPENDED[name], group, schemas)
    _, plain = msgspec.json.schema_components(BODIES.values(), ref_template=REF + "{name}")
    schemas |= plain
    schemas["OpenMatch"] = closed(
        "OpenMatch",
        "A match to be opened; ids that are left out are made.",
        {
            "opened": bodies["match.opened"],
            "match_id": nullable({"type": "string", "pattern": ID}),
            "entry_id": nullable({"type": "string", "pattern": ENTRY_ID}),
            "basis": {"enum": [basis.value for basis in Basis], "default": "observed"},
        },
        required=["opened"],
    )
    schemas["OpenLog"] = closed(
        "OpenLog",
        "A log to be opened; an id that is left out is made.",
        {
            "title": {"type": "string", "maxLength": 4096},
            "log_id": nullable({"type": "string", "pattern": ID}),
        },
        required=["title"],
    )
    return schemas
