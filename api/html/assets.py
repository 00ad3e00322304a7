"""Static files: read once, served without comments, under one hash of their contents."""

from __future__ import annotations

import functools
import gzip
import hashlib
import mimetypes
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

WEB = Path(__file__).parent.parent / "web"
"""The folder of files for browsers."""

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Types by ending; the computer's own table may be wrong, and modules need the right type."""

COMPRESSED = {".css", ".js", ".json", ".svg", ".webmanifest"}

COMMENTED = {".css", ".js"}
"""Types whose comments are removed: they would be a quarter of what a tablet loads."""

TABLET = (
    "shared/base.css",
    "board/",
    "device/",
    "shared/dom.js",
    "shared/http.js",
    "shared/parts.js",
    "icons/icon.svg",
    "fold/",
    "shared/settings.js",
    "tablet/",
    "shared/texts.js",
    "texts/de/board.json",
    "texts/de/common.json",
    "texts/de/echo.json",
    "texts/de/entry.json",
    "texts/de/notices.json",
    "texts/de/question.json",
    "texts/de/tablet.json",
    "texts/en/board.json",
    "texts/en/common.json",
    "texts/en/echo.json",
    "texts/en/entry.json",
    "texts/en/notices.json",
    "texts/en/question.json",
    "texts/en/tablet.json",
)
"""Files, and folders with a slash, that the tablet caches for reloads without a network.

The icons are not among them: the system fetches them once, when the page is installed.
"""

LATER = ("rescue/", "training/", "texts/de/training.json", "texts/en/training.json")
"""What the tablet caches as well, on first use."""


class Asset(msgspec.Struct, frozen=True):
    """A file, ready to be sent."""

    body: bytes
    """Its bytes, without its comments."""
    compressed: bytes | None
    """The same compressed by gzip; None if that saves nothing."""
    media_type: str
    """The value of Content-Type."""


class Assets:
    """All static files under one content hash, so that browsers may cache them for ever.

    Modules import one another by relative paths, so a page that was loaded under one hash never
    mixes its modules with those of another version.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {path: _asset(path, body) for path, body in sorted(files.items())}
        digest = hashlib.sha256()
        for path, asset in self._files.items():
            digest.update(f"{path}\n{hashlib.sha256(asset.body).hexdigest()}\n".encode())
        self.digest = digest.hexdigest()[:16]
        """Changes with any byte of any file."""

    def get(self, path: str) -> Asset | None:
        """The file at this path under `static/`; None if there is none."""
        return self._files.get(path)

    def url(self, path: str) -> str:
        """The URL of a file. Errors: KeyError, so that no page names a missing file."""
        if path not in self._files:
            raise KeyError(f"there is no static file {path}")
        return f"/static/{self.digest}/{path}"

    def under(self, places: Iterable[str]) -> Iterator[str]:
        """Paths that are among `places`, or within one that ends with a slash."""
        wanted = tuple(places)
        folders = tuple(place for place in wanted if place.endswith("/"))
        return (path for path in self._files if path in wanted or path.startswith(folders))

    def modules(self, folder: str) -> list[str]:
        """URLs of a folder's modules, for `modulepreload`. Errors: KeyError if it has none."""
        found = [self.url(path) for path in self.under([folder]) if path.endswith(".js")]
        if not found:
            raise KeyError(f"there is no static module under {folder}")
        return found

    @functools.cached_property
    def worker(self) -> bytes:
        """The tablet's service worker, with the lists of what it caches."""
        source = (WEB / "worker.js").read_text("utf-8")
        kept = ["/tablet", "/tablet.webmanifest", *map(self.url, self.under(TABLET))]
        listed = msgspec.json.encode(kept).decode()
        later = msgspec.json.encode(list(map(self.url, self.under(LATER)))).decode()
        known = f'const VERSION = "{self.digest}";\nconst FILES = {listed};\nconst LATER = {later};'
        return f"{known}\n{source}".encode()


@functools.cache
def assets() -> Assets:
    """The files of this installation, read on first use."""
    return Assets({path: (folder / name).read_bytes() for path, folder, name in _found()})


def _found() -> Iterator[tuple[str, Path, str]]:
    for folder, prefix in ((WEB / "static", ""), (WEB / "texts", "texts/")):
        for file in folder.rglob("*"):
            if file.is_file() and not file.name.endswith(".d.ts"):
                name = file.relative_to(folder).as_posix()
                yield prefix + name, folder, name


def without_comments(source: str) -> str:
    """A script or style sheet without those comments that have lines of their own.

    Their lines are left empty, so that an error in a browser names the line of the source. No line
    within a string may begin like a comment (`tests/web/test_base.py` checks).
    """
    lines, is_inside = [], False
    for line in source.split("\n"):
        text = line.strip()
        if is_inside:
            _, ended, rest = text.partition("*/")
            is_inside = not ended
            lines.append(rest)
        elif text.startswith("/*"):
            _, ended, rest = text[2:].partition("*/")
            is_inside = not ended
            # Code follows on the same line: the comment was a type of a value.
            lines.append(line if rest else "")
        else:
            lines.append("" if text.startswith("//") else line)
    return "\n".join(lines)


def _asset(path: str, body: bytes) -> Asset:
    ending = Path(path).suffix
    if ending in COMMENTED:
        body = without_comments(body.decode()).encode()
    guessed = mimetypes.guess_type(path)[0] or "application/octet-stream"
    compressed = gzip.compress(body, 9, mtime=0) if ending in COMPRESSED else None
    if compressed is not None and len(compressed) >= len(body):
        compressed = None
    return Asset(body, compressed, MEDIA_TYPES.get(ending, guessed))
