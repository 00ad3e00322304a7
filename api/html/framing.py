"""Matches on other sites: the address of the page to frame, and of its oEmbed answer."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

FRAME = (480, 620)
"""Width and height of an embedded match in pixels."""


def frame_of(url: str, at: int | None) -> str:
    """The address of the page for frames, at a version of the match."""
    return f"{url}/embed" + ("" if at is None else f"?at={at}")


def oembed_of(origin: str, path: str, at: int | None) -> str:
    """The address of the oEmbed answer for a match's page; the origin in it is not escaped."""
    return f"{origin}/oembed?url={origin}{path}" + ("" if at is None else quote(f"?at={at}"))


def frame_code(url: str, at: int | None, title: str, size: tuple[int, int] = FRAME) -> Markup:
    """The HTML that a site copies to show a match in a frame."""
    return Markup(
        '<iframe src="{}" title="{}" width="{}" height="{}" style="border:0;max-width:100%"'
        ' loading="lazy" allowfullscreen></iframe>'
    ).format(frame_of(url, at), title, *size)
