"""Personal values at the door: plain values in, salted commitments and their disclosures out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from events.catalogue import Path, kind_of, personal_paths
from events.errors import BadBody
from events.payloads.corrections import EntryAmended
from events.personal import (
    HEADERS,
    LONGEST,
    SALT_BYTES,
    disclose,
    disclosure_of,
    opened,
)
from events.store.protocol import EventStore

Entropy = Callable[[int], bytes]
"""Gives so many fresh random bytes; injected, so that tests repeat."""

Salts = Mapping[str, bytes]
"""Name of a disclosure to the salt it was made with, where a retry has to make it again."""


def commit_personal(
    tag: str, body: Mapping[str, object], *, entropy: Entropy, salts: Salts | None = None
) -> tuple[Mapping[str, object], tuple[bytes, ...]]:
    """`body` with every plain personal value as a commitment, and the raw disclosures.

    A value that is a commitment already (`{"sd": ...}`) or null stays as it is. `salts` holds the
    salts of an earlier attempt, by disclosure name, so that a retry makes the same bytes.
    Errors: UnknownTag; BadBody where one is something else.
    """
    disclosures: list[bytes] = []
    kind = kind_of(tag)
    paths = personal_paths(kind.payload)
    if paths:
        body = _committed(body, paths, "", entropy, salts or {}, disclosures)
    amended = body.get("body")
    if kind.payload is EntryAmended and isinstance(amended, dict):
        inner_tag = body.get("tag")
        if isinstance(inner_tag, str):
            inner = personal_paths(kind_of(inner_tag).payload)
            made = _committed(amended, inner, "body.", entropy, salts or {}, disclosures)
            body = {**body, "body": made}
    return body, tuple(disclosures)


def _committed(
    body: Mapping[str, object],
    paths: Iterable[Path],
    prefix: str,
    entropy: Entropy,
    salts: Salts,
    disclosures: list[bytes],
) -> Mapping[str, object]:
    for path in paths:
        body = _within(body, path, prefix, entropy, salts, disclosures)
    return body


def _within(
    body: Mapping[str, object],
    path: Path,
    name: str,
    entropy: Entropy,
    salts: Salts,
    disclosures: list[bytes],
) -> Mapping[str, object]:
    """An object with the values at `path` committed, whose first step names one of its members."""
    step, rest = path[0], path[1:]
    if step not in body:
        return body
    changed = _at(body[step], rest, f"{name}{step}.", entropy, salts, disclosures)
    return body if changed is body[step] else {**body, step: changed}


def _at(
    node: object, path: Path, name: str, entropy: Entropy, salts: Salts, disclosures: list[bytes]
) -> object:
    """`node` with the values at `path` committed; what has another shape is left for validation."""
    if not path:
        if node is None or (isinstance(node, dict) and node.keys() == {"sd"}):
            return node
        name = name.removesuffix(".")
        check_value(name, node)
        commitment, raw = disclose(salts.get(name) or entropy(SALT_BYTES), name, node)
        disclosures.append(raw)
        return {"sd": commitment.sd}
    step, rest = path[0], path[1:]
    if step == "*":
        if isinstance(node, list):
            return [
                _at(item, rest, f"{name}{index}.", entropy, salts, disclosures)
                for index, item in enumerate(node)
            ]
        if isinstance(node, dict):
            return {
                key: _at(item, rest, f"{name}{key}.", entropy, salts, disclosures)
                for key, item in node.items()
            }
        return node
    if not isinstance(node, dict):
        return node
    return _within(node, path, name, entropy, salts, disclosures)


def check_value(name: str, node: object) -> None:
    """Whether what a disclosure of this name opens is kept as a personal value. Errors: BadBody."""
    if name.rpartition(".")[2] == HEADERS:
        if isinstance(node, list) and all(map(_is_text, node)):
            return
        what = "a list of texts"
    elif type(node) is int or (_is_text(node) and len(str(node)) <= LONGEST):
        return
    else:
        what = f"a text of at most {LONGEST:,} characters, or a whole number such as a rating"
    raise BadBody(f"{name} is {what}, or its commitment", where=f"$.body.{name}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def salts_of(raws: Iterable[bytes]) -> dict[str, bytes]:
    """Name to salt of stored disclosures: what a retry needs to make the same bytes again."""
    salts = {}
    for raw in raws:
        salt, name, _ = opened(raw)
        salts[name] = bytes.fromhex(salt)
    return salts


def context_of(value: Mapping[str, object], *, entropy: Entropy) -> bytes:
    """The raw disclosure of who, where and when; `value` holds no floats."""
    return disclosure_of(entropy(SALT_BYTES), "context", value)


def context_in(raws: Iterable[bytes]) -> Mapping[str, object] | None:
    """Who recorded an entry, where and when, by its disclosures; None once that is erased."""
    for raw in raws:
        _, name, value = opened(raw)
        if name == "context" and isinstance(value, dict):
            return value
    return None


def received_at(raws: Iterable[bytes]) -> int | None:
    """When an entry was received, by the disclosure of its context; None once that is erased."""
    moment = (context_in(raws) or {}).get("received_at")
    return moment if isinstance(moment, int) else None


def received_of(store: EventStore, log_id: str, place: int) -> int | None:
    """When the entry at a place of a log came in; None once that is erased. Reads the store."""
    return received_at(store.disclosures_of(log_id, [place]).get(place, ()))


def commitments_in(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """(path, commitment) of every commitment in a body."""
    if isinstance(value, dict):
        mark = value.get("sd")
        if len(value) == 1 and isinstance(mark, str):
            yield name, mark
            return
    elif not isinstance(value, list):
        return
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in members:
        yield from commitments_in(item, f"{name}.{key}" if name else str(key))
