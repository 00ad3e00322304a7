"""A match on other sites: the page that they may frame, and where they ask how."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

FRAME = (480, 620)
"""Pixels of an embedded match, wide and high."""


def frame_of(url: str, at: int | None) -> str:
    """The page for frames of a match, at a moment of it."""
    return f"{url}/embed" + ("" if at is None else f"?at={at}")


def oembed_of(origin: str, path: str, at: int | None) -> str:
    """Where the oEmbed answer of a match's page is; the origin stands in it as it is."""
    return f"{origin}/oembed?url={origin}{path}" + ("" if at is None else quote(f"?at={at}"))


def frame_code(url: str, at: int | None, title: str, size: tuple[int, int] = FRAME) -> Markup:
    """What a site copies to show a match in a frame."""
    return Markup(
        '<iframe src="{}" title="{}" width="{}" height="{}" style="border:0;max-width:100%"'
        ' loading="lazy" allowfullscreen></iframe>'
    ).format(frame_of(url, at), title, *size)
