"""An endpoint that refuses and accepts as an append does, and writes nothing: appends' measure."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request, Response

from api.desk.entries import parse_entries
from api.routes.shared.door import LogId, MatchId, door_of
from api.routes.shared.requests import value_of
from api.routes.shared.writing import expected_version_of, writer_of
from events.canonical import fingerprint

router = APIRouter(include_in_schema=False)


def with_noop(app: FastAPI) -> FastAPI:
    """The app with this endpoint before its own, so that it is tried first."""
    app.router.routes[:0] = router.routes
    return app


@router.post("/noop/logs/{log}/matches/{match}/events", status_code=201)
async def noop(request: Request, log: LogId, match: MatchId) -> Response:
    """Look at the token, the expected version and every entry, and hash; the answer is as long."""
    door = door_of(request)
    visitor = await writer_of(door, request, log)
    expected_version_of(request)
    entries = parse_entries(await value_of(request))
    drafts = door.desk.drafts(visitor.hand, log, match, entries)
    rows = [
        b'{"entry_id":"%b","version":%d,"global_position":%d,"leaf_hash":"%b"}'
        % (
            draft.entry_id.encode(),
            version,
            version,
            fingerprint(log, match, draft).hex().encode(),
        )
        for version, draft in enumerate(drafts, 1)
    ]
    answer = b'{"version":%d,"entries":[%b],"duplicate":false}' % (len(rows), b",".join(rows))
    return Response(answer, 201, {"ETag": f'"{len(rows)}"'}, "application/json")
