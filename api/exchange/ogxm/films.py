"""The film of an OGXM file (`VIDO`): where it is, and at which time in it each ply happens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from api.exchange.ogxm.codec import Document, Part
from events.payloads.film import FilmAligned, FilmAttached
from projections.replay import Replay
from projections.views.films import Film, films_of, moments_of

MAX_URL_BYTES = 512
"""Longest address of a film that the format holds."""

MAX_MS = 2**32 - 1
"""The latest time in a film that the format holds."""

_FILE = "file"
_KINDS = {"unknown": 0, "youtube": 1, "twitch": 2, _FILE: 3}
"""Kinds of films. The address of a file is any text; all others begin with https."""

_HOSTS = {
    **dict.fromkeys(("youtu.be", "youtube.com", "www.youtube.com", "m.youtube.com"), "youtube"),
    **dict.fromkeys(("twitch.tv", "www.twitch.tv"), "twitch"),
}

_HASH = "sha256:"
_HASHED = re.compile(rf"{_HASH}([0-9a-f]{{64}})")
"""Prefix of the address of a file that is known only by its hash."""


def add_film(
    document: Document,
    shown: Replay,
    films: Mapping[str, str | None],
    versions: Sequence[int],
) -> Film | None:
    """Write the last film that may be shown and that the format can hold; None = there is none.

    `films` are those that may be shown, with their addresses; `versions` are the entries that the
    plies record.
    """
    for film in reversed(films_of(shown)):
        stated = None if film.film_id not in films else _stated(film, films[film.film_id])
        if stated is not None:
            document["video_info"] = stated
            _mark(document, film, shown, versions)
            return film
    return None


def unwritten(shown: Replay, film: Film | None, versions: Sequence[int]) -> list[int]:
    """Versions of the entries about films that a file with this film does not hold."""
    plies = set(versions)
    written = set()
    if film is not None:
        written = {one.version for one in film.points if one.target in plies} | {film.version}
    return [
        step.event.version
        for step in shown.steps
        if isinstance(step.event.payload, FilmAttached | FilmAligned)
        and step.event.version not in written
    ]


def _stated(film: Film, link: str | None) -> Part | None:
    """The film as the file refers to it; None if the format cannot hold its address."""
    if link is not None and link.startswith("https://") and len(link.encode()) <= MAX_URL_BYTES:
        kind = _HOSTS.get(urlsplit(link).hostname or "", "unknown")
        return {"kind": _KINDS[kind], "url": link}
    if film.file is not None:
        return {"kind": _KINDS[_FILE], "url": _HASH + film.file}
    return None


def _mark(document: Document, film: Film, shown: Replay, versions: Sequence[int]) -> None:
    found = {one.version: one.film_ms for one in moments_of(film, shown)}
    said = {point.target for point in film.points}
    plies = [ply for game in document["games"] for ply in game["plies"]]
    for ply, version in zip(plies, versions, strict=True):
        film_ms = found.get(version)
        if film_ms is not None and film_ms <= MAX_MS:
            ply["video_ms"] = film_ms
            if version in said:
                ply["video_hand_anchored"] = True


def read_film(stated: Part) -> tuple[dict[str, object], list[str]]:
    """(body of `film.attached` with plain values, what no entry can hold) of a file's film."""
    url, lost = str(stated.get("url") or ""), []
    body: dict[str, object] = {}
    hashed = _HASHED.fullmatch(url)
    if hashed is not None:
        body["file"] = hashed[1]
    elif url.startswith("https://"):
        body["link"] = url
    elif url:
        lost.append(f"film: {url}")
    if stated.get("offset_ms"):
        lost.append(f"film: offset {stated['offset_ms']} ms")
    if stated.get("is_live"):
        lost.append("film: live")
    return body, lost
