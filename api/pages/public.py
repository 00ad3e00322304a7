"""The public pages: tournaments, matches, players, feeds; whole without a script."""

from __future__ import annotations

from fastapi import APIRouter

from api.pages import feed as public_feeds
from api.pages import lists as public_lists
from api.pages import match as public_match
from api.pages import players as public_players

router = APIRouter(include_in_schema=False)

for _part in (public_lists, public_feeds, public_match, public_players):
    # As one flat list, like that of the app: routes are tried in order.
    router.routes.extend(_part.router.routes)
