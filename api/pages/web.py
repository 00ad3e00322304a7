"""Files for browsers: static files, the tablet's page, its service worker, manifest, icon."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from api.html.assets import Asset, assets
from api.html.kept import takes_gzip
from api.html.templates import page
from api.refusals import Problem
from api.routes.shared.door import json_answer
from api.shapes.shape import JsonObject

router = APIRouter(include_in_schema=False)

FOR_EVER = "public, max-age=31536000, immutable"


@router.get("/static/{digest}/{path:path}")
async def static_file(request: Request, digest: str, path: str) -> Response:
    """A static file under the hash of all files: it never changes, so it may be cached for ever."""
    found = assets().get(path) if digest == assets().digest else None
    if found is None:
        raise Problem("not-found", "there is no such file in this version")
    return _sent(request, found, cache=FOR_EVER)


@router.get("/sw.js")
async def service_worker() -> Response:
    """The service worker; at the root, so that it may control the tablet's page."""
    return Response(
        assets().worker,
        headers={"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"},
        media_type="text/javascript",
    )


@router.get("/tablet.webmanifest")
async def manifest() -> Response:
    """The manifest by which a tablet can install the recorder on its home screen."""
    value: JsonObject = {
        "name": "Tabularium",
        "short_name": "Tabularium",
        "id": "/tablet",
        "start_url": "/tablet",
        "scope": "/tablet",
        "display": "fullscreen",
        "orientation": "landscape",
        "background_color": "#f5f1e8",
        "theme_color": "#f5f1e8",
        "icons": [
            {"src": assets().url("icons/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            *(
                {
                    "src": assets().url(f"icons/icon-{size}.png"),
                    "sizes": f"{size}x{size}",
                    "type": "image/png",
                    "purpose": "any maskable",
                }
                for size in (192, 512)
            ),
        ],
    }
    return json_answer(value, headers={"Cache-Control": "no-cache"})


@router.get("/favicon.ico")
async def icon(request: Request) -> Response:
    """The icon at the address that browsers try by default."""
    found = assets().get("icons/icon.svg")
    assert found is not None
    return _sent(request, found, cache="public, max-age=86400")


@router.get("/tablet")
async def tablet(request: Request) -> Response:
    """The tablet's page: it has no data of any match; all data come from the API."""
    return await page(request, "tablet.html")


def _sent(request: Request, asset: Asset, *, cache: str) -> Response:
    headers = {
        "Cache-Control": cache,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    body = asset.body
    if asset.compressed is not None and takes_gzip(request.headers):
        body = asset.compressed
        headers["Content-Encoding"] = "gzip"
    return Response(body, 200, headers, asset.media_type)
