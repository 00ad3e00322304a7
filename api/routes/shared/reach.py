"""The address at which other devices reach the server, and whether they can reach it at all."""

from __future__ import annotations

import io
from typing import Literal
from urllib.parse import urlsplit

import segno
from starlette.requests import Request

from api.hall.addresses import is_loopback, means_this_machine
from api.routes.shared.door import Door

Unreachable = Literal["loopback", "no_network"]
"""Why none can: the server listens only to its own machine, or that machine has no network."""


def origin_of_hall(door: Door, request: Request) -> str:
    """Scheme and host for other devices: as the visitor knows them, if others know them as well.

    A name that leads every device to itself is replaced by the server's address in the hall, where
    it has one. What a proxy was asked by is kept.
    """
    if means_this_machine(request.url.hostname or "") and door.hall is not None:
        return door.hall
    return str(request.base_url).rstrip("/")


def unreachable(door: Door, request: Request) -> Unreachable | None:
    """Why no other device reaches that address; None where it may."""
    host = urlsplit(origin_of_hall(door, request)).hostname or ""
    if not means_this_machine(host):
        return None
    return "loopback" if is_loopback(door.settings.host) else "no_network"


def scanned(door: Door, request: Request, url: str) -> tuple[str | None, Unreachable | None]:
    """An address as a QR code, for the devices that reach it; or why there are none."""
    why = unreachable(door, request)
    return (qr_of(url) if why is None else None), why


def qr_of(url: str) -> str:
    """Dark on light whatever the page's theme: cameras read it so."""
    out = io.BytesIO()
    made = segno.make(url, error="m", micro=False)
    made.save(out, kind="svg", border=4, light="#fff", omitsize=True, xmldecl=False, nl=False)
    return out.getvalue().decode()
