"""Personal values at the door: plain values in, salted commitments and their disclosures out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from events.catalogue import Path, kind_of, personal_paths
from events.payloads.corrections import EntryAmended
from events.personal import SALT_BYTES, disclose, opened

Entropy = Callable[[int], bytes]
"""Gives so many fresh random bytes; injected, so that tests repeat."""

Salts = Mapping[str, bytes]
"""Name of a disclosure to the salt it was made with, where a retry has to make it again."""


def commit_personal(
    tag: str, body: dict[str, Any], *, entropy: Entropy, salts: Salts | None = None
) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """`body` with every plain personal value as a commitment, and the raw disclosures.

    A value that is a commitment already (`{"sd": ...}`) or null stays as it is. `salts` holds the
    salts of an earlier attempt, by disclosure name, so that a retry makes the same bytes.
    Errors: UnknownTag.
    """
    disclosures: list[bytes] = []
    kind = kind_of(tag)
    paths = personal_paths(kind.payload)
    if paths:
        body = _committed(body, paths, "", entropy, salts or {}, disclosures)
    if kind.payload is EntryAmended and isinstance(body.get("body"), dict):
        inner_tag = body.get("tag")
        if isinstance(inner_tag, str):
            inner = personal_paths(kind_of(inner_tag).payload)
            made = _committed(body["body"], inner, "body.", entropy, salts or {}, disclosures)
            body = {**body, "body": made}
    return body, tuple(disclosures)


def _committed(
    body: dict[str, Any],
    paths: Iterable[Path],
    prefix: str,
    entropy: Entropy,
    salts: Salts,
    disclosures: list[bytes],
) -> dict[str, Any]:
    for path in paths:
        body = _at(body, path, prefix, entropy, salts, disclosures)
    return body


def _at(
    node: Any, path: Path, name: str, entropy: Entropy, salts: Salts, disclosures: list[bytes]
) -> Any:
    """`node` with the values at `path` committed; what has another shape is left for validation."""
    if not path:
        if node is None or (isinstance(node, dict) and node.keys() == {"sd"}):
            return node
        name = name.removesuffix(".")
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
    if not isinstance(node, dict) or step not in node:
        return node
    changed = _at(node[step], rest, f"{name}{step}.", entropy, salts, disclosures)
    return node if changed is node[step] else {**node, step: changed}


def salts_of(raws: Iterable[bytes]) -> dict[str, bytes]:
    """Name to salt of stored disclosures: what a retry needs to make the same bytes again."""
    salts = {}
    for raw in raws:
        salt, name, _ = opened(raw)
        salts[name] = bytes.fromhex(salt)
    return salts


def context_of(value: dict[str, Any], *, entropy: Entropy) -> bytes:
    """The raw disclosure of who, where and when; `value` holds no floats."""
    return disclose(entropy(SALT_BYTES), "context", value)[1]


def received_at(raws: Iterable[bytes]) -> int | None:
    """When an entry was received, by the disclosure of its context; None once that is erased."""
    for raw in raws:
        _, name, value = opened(raw)
        if name == "context" and isinstance(value, dict):
            moment = value.get("received_at")
            return moment if isinstance(moment, int) else None
    return None
