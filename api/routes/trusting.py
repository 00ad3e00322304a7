"""How a tablet is made to trust this server: a page over plain http, the authority, a check."""

from __future__ import annotations

import re

from fastapi import APIRouter, Request, Response

from api.hall.authority import CERTIFICATE_TYPE, PROFILE_TYPE, Papers
from api.html.templates import HEADERS, Values, page
from api.html.texts import language_of, texts_of
from api.refusals import Problem
from api.routes.shared.cookie import local_path
from api.routes.shared.door import door_of, json_answer
from api.routes.shared.reach import qr_of

router = APIRouter(include_in_schema=False)

STEPS = {"ipad": 6, "android": 5, "windows": 4, "mac": 4, "chromium": 3, "firefox": 3}
"""Instructions by system, in the order of the page, with the number of steps of each."""

TABLET = "/tablet"

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")

_KEPT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@router.get("/trust")
async def trust_page(request: Request) -> Response:
    """The steps for each system, the authority's fingerprint, and whether this device trusts it."""
    door = door_of(request)
    trust = door.trust
    host = request.headers.get("host", "")
    connect = f" https://{host}" if trust is not None and _HOST.fullmatch(host) else ""
    policy = HEADERS["Content-Security-Policy"]
    asked = request.query_params.get("next")
    papers = None if trust is None else trust.papers
    values: Values = {
        "trust": trust,
        "papers": papers,
        "pairs": [] if papers is None else papers.fingerprint.split(":"),
        "qr": None if trust is None or not trust.is_for_others else qr_of(trust.page),
        "steps": STEPS,
        "own": _system(request.headers.get("user-agent", "")),
        "next_path": TABLET if asked is None else local_path(asked),
    }
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy.replace(
            "connect-src 'self'", f"connect-src 'self'{connect}"
        ),
    }
    return await page(request, "trust.html", status=200, headers=headers, **values)


@router.get("/trust/probe")
async def probe(request: Request) -> Response:
    """Asked for over https by the page: whoever gets the answer trusts the certificate."""
    return json_answer({"scheme": request.url.scheme}, headers=_KEPT)


@router.get("/trust/tabularium.crt")
async def certificate(request: Request) -> Response:
    """The authority in DER: what tablets and systems take in. Errors: Problem."""
    return _file(_papers(request).authority_der, CERTIFICATE_TYPE, "tabularium.crt")


@router.get("/trust/tabularium.pem")
async def certificate_as_text(request: Request) -> Response:
    """The authority in PEM, for programs. Errors: Problem."""
    return _file(_papers(request).authority_pem, "application/x-pem-file", "tabularium.pem")


@router.get("/trust/tabularium.mobileconfig")
async def profile(request: Request) -> Response:
    """The authority as a configuration profile for iPadOS and macOS. Errors: Problem."""
    t = texts_of(language_of(request))
    papers = _papers(request)
    made = papers.profile(title=t("trust.profile"), about=t("trust.profile_about"))
    return _file(made, PROFILE_TYPE, "tabularium.mobileconfig")


def _papers(request: Request) -> Papers:
    trust = door_of(request).trust
    if trust is None or trust.papers is None:
        raise Problem("not-found", "this server has no certificate authority of its own")
    return trust.papers


def _file(body: bytes, media_type: str, name: str) -> Response:
    # Displayed, not saved: systems then ask at once whether to install it.
    headers = {**_KEPT, "Content-Disposition": f'inline; filename="{name}"'}
    return Response(body, 200, headers, media_type)


def _system(agent: str) -> tuple[str, ...]:
    """The system whose steps are open at first.

    An iPad may identify itself as a Macintosh; the page's script can tell.
    """
    if "iPad" in agent or "iPhone" in agent:
        return ("ipad",)
    if "Android" in agent:
        return ("android",)
    if "Macintosh" in agent:
        return ("ipad", "mac")
    if "Firefox" in agent:
        return ("firefox",)
    return ("windows",) if "Windows" in agent else ("chromium",) if "Linux" in agent else ()
