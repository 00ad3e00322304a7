"""A small server of the tablet's modules, for tests with a browser but without an archive."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.web import axe

WEB = Path(__file__).resolve().parents[2] / "api" / "web"

BLANK = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Modules</title>
<link rel="stylesheet" href="/static/shared/base.css">
<link rel="stylesheet" href="/static/board/board.css">
</head><body><main><h1 class="unseen">Modules</h1></main></body></html>"""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files as the app does, and an empty page at `/`."""

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(BLANK, "text/html; charset=utf-8")
        elif self.path == axe.PATH:
            self._answer(axe.source().encode(), "text/javascript")
        else:
            super().do_GET()

    def _answer(self, body: bytes, media_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path: str) -> str:
        inside = path.split("?")[0].removeprefix("/static/")
        folder = WEB if inside.startswith("texts/") else WEB / "static"
        return str(folder / inside)

    def end_headers(self) -> None:
        # Cacheable, because the same page is started many times.
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of a server of the modules."""
    handler = functools.partial(_Handler, directory=str(WEB))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(5)
