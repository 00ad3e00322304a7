"""`tabularium openapi`: what the API offers, told by an app over an empty archive in memory."""

from __future__ import annotations

import orjson

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.commands.common import Output, settings_of
from api.commands.printing import written
from api.openapi import document
from api.shapes.shape import Piece


def openapi(output: Output = None) -> None:
    """Print the OpenAPI description of the HTTP API."""
    written(text(), output)


def described() -> Piece:
    """The OpenAPI document of the API as it is served."""
    archive = open_archive("memory://", read_only=True)
    try:
        index = MatchIndex(archive.store, archive.reading)
        try:
            return document(create_app(archive, settings_of("memory://"), index=index))
        finally:
            index.close()
    finally:
        archive.close()


def text() -> bytes:
    """The document as it is kept: sorted and indented, the same on every machine."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(described(), option=options)
