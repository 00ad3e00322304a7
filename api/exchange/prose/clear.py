"""What an entry says in the clear, and where its personal values would stand."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from events import catalogue
from events.payloads.base import Payload


def is_readable(payload: Payload | None) -> bool:
    """Whether this program knows the entry's type and version."""
    return payload is not None and not isinstance(payload, catalogue.Unread)


def personal_members(payload: Payload) -> list[str]:
    """Where a body holds personal values, by name."""
    paths = catalogue.personal_paths(type(payload))
    if not paths:
        return []
    body = msgspec.to_builtins(payload)
    return [".".join(path) for path in paths for _ in _values_at(body, path)]


def _values_at(body: object, path: tuple[str, ...]) -> Iterator[object]:
    if not path:
        if body is not None:
            yield body
        return
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(body, list | tuple | dict):
        for item in body.values() if isinstance(body, dict) else body:
            yield from _values_at(item, rest)
    elif isinstance(body, dict) and head in body:
        yield from _values_at(body[head], rest)


def clear_body(payload: Payload) -> dict[str, object]:
    """What an entry says in the clear: the commitments of personal values are left out."""
    body: dict[str, object] = msgspec.json.decode(catalogue.encode(payload))
    for path in catalogue.personal_paths(type(payload)):
        _leave_out(body, path)
    return body


def _leave_out(body: object, path: tuple[str, ...]) -> None:
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(body, list | dict):
        for item in body.values() if isinstance(body, dict) else body:
            _leave_out(item, rest)
    elif isinstance(body, dict) and head in body:
        if rest:
            _leave_out(body[head], rest)
        else:
            del body[head]
