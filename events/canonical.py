"""The bytes of an event: strict JSON in, one canonical spelling out (a subset of RFC 8785).

The subset is what a fast encoder and RFC 8785 spell alike: objects with ASCII keys, strings,
booleans, null, arrays, and integers within ±(2^53 - 1). No floats: their spelling is the one hard
part of RFC 8785 (section 3.2.2.3), and no fact at a backgammon table needs one. Strings are kept as
they came; nothing is normalised, so NFC and NFD stay different (RFC 8785 3.1).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn, TypeAlias

import orjson

from events.envelope import ENTRY_FORMAT, EventDraft
from events.errors import NotCanonical
from events.values import MAX_SAFE_INTEGER

MAX_DEPTH = 32
"""Arrays and objects inside one another that a body or a disclosure may have."""

Plain: TypeAlias = "bool | int | str | list[Plain] | dict[str, Plain] | None"
"""JSON data that can be sealed."""

_SORTED = orjson.OPT_SORT_KEYS
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def canonical(value: object, *, depth: int = MAX_DEPTH) -> bytes:
    """The canonical bytes of plain JSON data. Errors: NotCanonical, naming the place."""
    if not _is_plain(value, depth):
        raise _fault(value, "$", depth)
    try:
        return orjson.dumps(value, option=_SORTED)
    except TypeError:  # a lone surrogate, which only the encoder sees
        raise _fault(value, "$", depth) from None


class Sound(bytes):
    """Canonical bytes of an object that `sound` made in this process: nobody has to read them again
    before they are sealed.
    """

    __slots__ = ()


def sound(body: Mapping[str, object]) -> Sound:
    """The canonical bytes of a body. Errors: NotCanonical, naming the place."""
    return Sound(canonical(body))


def parse_strict(raw: bytes, *, depth: int = MAX_DEPTH) -> Plain:
    """The JSON value of `raw`, which may be spaced and ordered at will but must lose nothing.

    Errors: NotCanonical for whatever two readers could take differently (RFC 7493): duplicate keys,
    floats, integers out of range, lone surrogates, bad UTF-8, nesting beyond `depth`.
    """
    try:
        value: Plain = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise NotCanonical(f"this is not JSON that can be sealed: {error}") from None
    if not _is_plain(value, depth):
        raise _fault(value, "$", depth)
    # orjson drops duplicate keys and the sign of -0 silently. What encodes to the same bytes again
    # has lost nothing; only what is spaced or escaped otherwise needs the slow second reading.
    if orjson.dumps(value) != raw:
        _reread(raw, depth)
    return value


def is_canonical(raw: bytes, *, depth: int = MAX_DEPTH) -> bool:
    """Whether `raw` is exactly the canonical bytes of some value."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return False
    return _is_plain(value, depth) and orjson.dumps(value, option=_SORTED) == raw


def fingerprint(log_id: str, stream_id: str, draft: EventDraft) -> bytes:
    """SHA-256 of the canonical draft: what a retry must repeat to be the same entry.

    The context is left out (its time of receipt differs on a retry), and so are the disclosures:
    the ledger keeps no hash over bytes that hold a name (design §8.10).
    """
    return _sealer(log_id, stream_id).fingerprint(draft)


def seal(
    log_id: str,
    stream_id: str,
    *,
    draft: EventDraft,
    context: str,
    version: int,
    prev: bytes | None,
    nonce: bytes,
) -> bytes:
    """The sealed bytes of a draft at its place; `context` is the hex commitment of its context."""
    return _sealer(log_id, stream_id).seal(
        draft, context=context, version=version, prev=prev, nonce=nonce.hex()
    )


class Sealer:
    """Seals many entries of one stream.

    Written by hand around the body, which is canonical already: every other member is plain ASCII
    that JSON does not escape, and the members stand in sorted order, so this is what RFC 8785 would
    write (a property test holds the two together).
    """

    def __init__(self, log_id: str, stream_id: str) -> None:
        log, stream = (name.encode().replace(b"%", b"%%") for name in (log_id, stream_id))
        self._sealed = (
            b'{"basis":"%%b","body":%%b,"context":{"sd":"%%b"},"entry_id":"%%b","log":"%b",'
            b'"nonce":"%%b","prev":%%b,"schema":%%d,"stream":"%b","tag":"%%b","v":%d,"version":%%d}'
        ) % (log, stream, ENTRY_FORMAT)
        self._draft = (
            b'{"basis":"%%b","body":%%b,"entry_id":"%%b","log":"%b","schema":%%d,"stream":"%b",'
            b'"tag":"%%b"}'
        ) % (log, stream)

    def seal(
        self, draft: EventDraft, *, context: str, version: int, prev: bytes | None, nonce: str
    ) -> bytes:
        """The sealed bytes of a draft at its place; `nonce` and `context` in hex."""
        return self._sealed % (
            str.encode(draft.basis),
            draft.body,
            context.encode(),
            draft.entry_id.encode(),
            nonce.encode(),
            b"null" if prev is None else b'"%b"' % prev.hex().encode(),
            draft.schema,
            draft.tag.encode(),
            version,
        )

    def fingerprint(self, draft: EventDraft) -> bytes:
        """SHA-256 of the canonical draft."""
        text = self._draft % (
            str.encode(draft.basis),
            draft.body,
            draft.entry_id.encode(),
            draft.schema,
            draft.tag.encode(),
        )
        return hashlib.sha256(text).digest()


_sealer = lru_cache(maxsize=1_024)(Sealer)


def _is_plain(value: object, depth: int) -> bool:
    """Whether the value keeps to the subset; one pass, level by level, so depth costs nothing."""
    # What `type` says is all there is to ask (a bool is no integer here), and faster than
    # isinstance; mypy does not narrow by it, hence its four exceptions.
    level = [value]
    while level:
        deeper: list[object] = []
        for item in level:
            kind = type(item)
            if kind is str or kind is bool or item is None:
                continue
            if kind is int:
                if not -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER:  # type: ignore[operator]
                    return False
            elif kind is dict:
                try:
                    if not "".join(item).isascii():  # type: ignore[arg-type]
                        return False
                except TypeError:  # a key that is no string
                    return False
                if depth <= 0:
                    return False
                deeper.extend(item.values())  # type: ignore[attr-defined]
            elif kind is list or kind is tuple:
                if depth <= 0:
                    return False
                deeper.extend(item)  # type: ignore[arg-type]
            else:
                return False
        depth -= 1
        level = deeper
    return True


def _fault(value: object, where: str, depth: int) -> NotCanonical:
    """The first fault of a value that has one, with its place; depth-first, as it is read."""
    return _find_fault(value, where, depth) or NotCanonical("this cannot be sealed", where=where)


def _find_fault(value: object, where: str, depth: int) -> NotCanonical | None:
    kind = type(value)
    if value is None or kind is bool:
        return None
    if isinstance(value, str) and kind is str:
        return _surrogate(value, where)
    if isinstance(value, int) and kind is int:
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return None
        return NotCanonical("an integer is beyond ±(2^53 - 1)", where=where)
    if isinstance(value, (dict, list, tuple)) and kind in (dict, list, tuple):
        if depth <= 0:
            return NotCanonical("arrays and objects are nested too deeply", where=where)
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in members:
            place = f"{where}[{key}]"
            if isinstance(value, dict):
                if not isinstance(key, str) or not key.isascii():
                    return NotCanonical(f"the key {key!a:.80} is not ASCII text", where=where)
                place = f"{where}.{key[:80]}"
            found = _find_fault(item, place, depth - 1)
            if found is not None:
                return found
        return None
    if kind is float:
        # Whole numbers beyond 64 bits are floats to the decoder, and nobody wrote them so.
        what = "a number is no plain integer within ±(2^53 - 1), without '.' and exponent"
        return NotCanonical(what, where=where)
    return NotCanonical(f"a {kind.__name__} is not plain JSON data", where=where)


def _surrogate(text: str, where: str) -> NotCanonical | None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return NotCanonical("half a surrogate pair is no character", where=where)
    return None


def _reread(raw: bytes, depth: int) -> None:
    """Read once more with hooks that see what a plain decoder loses; slow, and rarely needed."""
    text = raw.decode()
    # Counted before the recursive decoder runs: a dropped duplicate may hide deep nesting.
    nested = 0
    for char in _STRINGS.sub("", text):
        if char in "[{":
            nested += 1
            if nested > depth:
                raise NotCanonical("arrays and objects are nested too deeply")
        elif char in "]}":
            nested -= 1
    json.loads(
        text,
        object_pairs_hook=_unique,
        parse_float=_no_float,
        parse_int=_no_minus_zero,
        parse_constant=_no_float,
    )


def _unique(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise NotCanonical(f"the key {key!a:.80} stands twice in one object")
        seen.add(key)


def _no_float(text: str) -> NoReturn:
    raise NotCanonical(f"{text[:40]} is not a plain integer")


def _no_minus_zero(text: str) -> None:
    if text == "-0":
        raise NotCanonical("-0 is not a plain integer: write 0")
