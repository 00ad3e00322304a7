"""Signposts leave out no route that an address can mean, and keep the order of the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import Match, Route

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.routes.shared.signposts import Signposts
from api.settings import Settings

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    archive = open_archive("memory://")
    index = MatchIndex(archive.store, archive.reading)
    yield create_app(archive, Settings(db="memory://"), index=index)
    index.close()
    archive.close()


@pytest.fixture(scope="module")
def signposts(app: FastAPI) -> Signposts:
    found = app.router.middleware_stack
    assert isinstance(found, Signposts)
    return found


def meant(routes: list[Route], path: str, method: str) -> list[tuple[str, Match]]:
    """The routes that say an address is their own, or would be by another method."""
    scope = {"type": "http", "path": path, "method": method, "headers": [], "root_path": ""}
    found = [(route.path, route.matches(dict(scope))[0]) for route in routes]
    return [(template, match) for template, match in found if match is not Match.NONE]


def tried(signposts: Signposts, path: str) -> list[Route]:
    """The routes that are tried for an address."""
    return signposts.way(path).routes  # type: ignore[return-value]  # all are ours


def test_every_route_is_found_by_an_address_of_its_own(app: FastAPI, signposts: Signposts) -> None:
    for route in app.router.routes:
        assert isinstance(route, Route)
        for filled in ("x", "events", "matches", "a.b", "logs"):
            names = dict.fromkeys(route.param_convertors, filled)
            path = route.path_format.format(**names)
            for method in METHODS:
                every = meant(app.router.routes, path, method)  # type: ignore[arg-type]  # checked
                assert every, path
                assert meant(tried(signposts, path), path, method) == every, (method, path)


WORDS = st.sampled_from(
    [
        *("", "logs", "matches", "club", "events", "ingest", "cases", "players", "room", "static"),
        *("tournaments", "feed.atom", "export", "export.mat", "a b", "{log}", "{match}", "\n", "ü"),
    ]
)


@given(words=st.lists(WORDS, max_size=9), method=st.sampled_from(METHODS))
def test_whatever_an_address_is_the_same_routes_are_meant(
    app: FastAPI, signposts: Signposts, words: list[str], method: str
) -> None:
    path = "/" + "/".join(words)
    every = meant(app.router.routes, path, method)  # type: ignore[arg-type]  # as above
    assert meant(tried(signposts, path), path, method) == every


def test_few_routes_are_tried_for_what_is_asked_most(signposts: Signposts) -> None:
    for path in ("/logs/club/ingest", "/static/0123/shared/base.css", "/logs/club/matches/m1/live"):
        assert len(tried(signposts, path)) <= 5, path
    assert tried(signposts, "/nothing/here") == []
