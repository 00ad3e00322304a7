"""Signposts: which routes an address can mean, by its fixed words, so that few of them are tried.

A router tries one route after the other, over a hundred, for every file of the tablet and every
entry from a table. Routes that differ in a fixed word, or in the number of words, cannot both
match: only the others are tried, in their order, as the router does, with the same answers (404,
405).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from fastapi import APIRouter
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

ANY = ""
"""Stands for a word that no route has at that place."""

Sign = tuple[str, ...]
"""The words of an address, with `ANY` for those that no route has: they decide which routes can
match."""


class Signposts:
    """An ASGI app that hands a request to those routes of a router that its address can mean.

    All routes are there before the first request.
    """

    def __init__(self, router: APIRouter) -> None:
        self._router = router
        self._ways: dict[Sign, APIRouter] = {}
        """Built when first needed. Addresses that no route can match are not cached, because
        anybody can send any number of them."""
        self._nowhere = self._way(())

    @cached_property
    def _routes(self) -> list[tuple[Sequence[str], BaseRoute]]:
        return [(_words(route), route) for route in self._router.routes]

    @cached_property
    def _named(self) -> list[set[str]]:
        """The fixed words at each place."""
        longest = max((len(words) for words, _ in self._routes), default=0)
        return [
            {
                words[place]
                for words, _ in self._routes
                if len(words) > place and "{" not in words[place]
            }
            for place in range(longest)
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the router would."""
        if scope["type"] != "http" or scope.get("root_path"):
            await self._router.app(scope, receive, send)
            return
        await self.way(scope["path"]).app(scope, receive, send)

    def way(self, path: str) -> APIRouter:
        """The routes that an address can mean."""
        words = path.split("/")
        # More words than one above the longest route make no difference.
        sign = tuple(
            word if word in known else ANY for word, known in zip(words, self._named, strict=False)
        )
        if len(words) > len(sign):
            sign += (ANY,)
        found = self._ways.get(sign)
        if found is None:
            routes = [route for words, route in self._routes if _can_mean(sign, words)]
            if not routes:
                return self._nowhere
            found = self._ways[sign] = self._way(routes)
        return found

    def _way(self, routes: Sequence[BaseRoute]) -> APIRouter:
        way = APIRouter(
            redirect_slashes=self._router.redirect_slashes, default=self._router.default
        )
        way.routes.extend(routes)
        return way


def _words(route: BaseRoute) -> Sequence[str]:
    return route.path.split("/") if isinstance(route, Route) else ()


def _can_mean(sign: Sign, words: Sequence[str]) -> bool:
    for place, word in enumerate(words):
        if word.endswith(":path}"):
            # The rest of the address, with any number of words.
            return len(sign) > place
        if place >= len(sign) or ("{" not in word and word != sign[place]):
            return False
    return not words or len(words) == len(sign)
