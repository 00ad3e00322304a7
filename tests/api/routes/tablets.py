"""Tablets for tests: paired as a tablet is, each with a token of its own."""

from __future__ import annotations

import hashlib
from typing import Any


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def paired(api: Any, device: str = "tablet-1", *, match: str | None = None) -> str:
    """Pair a device without a key; its token."""
    token = hashed(f"token of {device}")
    made = (await api.post("/logs/club/pairings", {}, api.director)).json()
    claim = {"code": made["code"], "device": device, "epoch": 1, "token_sha256": hashed(token)}
    assert (await api.post("/pairings/claims", claim)).status_code == 202
    path = f"/logs/club/pairings/{made['pairing_id']}/approval"
    answer = await api.post(path, {} if match is None else {"match": match}, api.director)
    assert answer.status_code == 201, answer.text
    return token
