"""ETags and cache headers: whether a client has an answer already, and who may cache it."""

from __future__ import annotations

import hashlib
from importlib.metadata import version as version_of

VERSION = version_of("tabularium-backgammon")
"""Version of this program."""

VIEW_VERSION = 14
"""Raised when a view's answer changes although nothing was recorded: part of every ETag."""

VARY = "Authorization, Cookie"
"""Headers that identify a visitor."""


def etag_of(*parts: object) -> str:
    """A strong ETag over everything that an answer depends on."""
    text = "\x1f".join(map(str, (VERSION, VIEW_VERSION, *parts)))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def cache_headers(etag: str, *, is_public: bool) -> dict[str, str]:
    """Headers of an answer that may be kept, and must be asked about before it is shown again."""
    scope = "public" if is_public else "private"
    return {"ETag": etag, "Cache-Control": f"{scope}, no-cache", "Vary": f"{VARY}, Accept"}
