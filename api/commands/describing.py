"""The description of the HTTP API as a document: made of an app over an empty archive in memory."""

from __future__ import annotations

import orjson

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.openapi import Json, document
from api.settings import Settings


def described() -> Json:
    """The OpenAPI document of the API as it is served."""
    archive = open_archive("memory://", read_only=True)
    try:
        index = MatchIndex(archive.store, archive.reading)
        try:
            return document(create_app(archive, Settings(db="memory://"), index=index))
        finally:
            index.close()
    finally:
        archive.close()


def text() -> bytes:
    """The document as it is kept: sorted and indented, the same on every machine."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(described(), option=options)
