"""Reads documents in SMILE, a binary JSON: objects, arrays, text and numbers, within limits."""

from __future__ import annotations

import struct

MAGIC = b":)\n"
"""How a document begins; one byte of flags follows."""

MAX_DEPTH = 64
"""Deepest nesting that is followed."""

MAX_VALUES = 2_000_000
"""Most values that a document may hold; a match to 7 points with analysis has eighty thousand."""

MAX_SHARED = 1_024
"""How many texts are remembered before the memory starts anew."""

_SHARED_NAMES, _SHARED_TEXTS = 0x01, 0x02

_SMALL_NUMBERS = {0x21: None, 0x22: False, 0x23: True}

_END_OF_TEXT = 0xFC


class NotSmile(ValueError):
    """The bytes are no such document, or one beyond the limits."""


def decode(data: bytes) -> object:
    """The document as Python's own values; binary values are bytes.

    Raises:
        NotSmile: the bytes are broken, or nested or filled beyond the limits.
    """
    if data[:3] != MAGIC or len(data) < 5:
        raise NotSmile("no such document")
    try:
        return _Decoder(data).value(0)
    except (IndexError, UnicodeDecodeError, OverflowError):
        raise NotSmile("the document is broken") from None


class _Decoder:
    """Goes through the bytes once; short names and texts may be told again by their number."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 4
        self.count = 0
        flags = data[3]
        self.names: list[str] | None = [] if flags & _SHARED_NAMES else None
        self.texts: list[str] | None = [] if flags & _SHARED_TEXTS else None

    def byte(self) -> int:
        """The next byte."""
        found = self.data[self.at]
        self.at += 1
        return found

    def take(self, count: int) -> bytes:
        """The next bytes, as many as that."""
        found = self.data[self.at : self.at + count]
        if len(found) != count:
            raise NotSmile("the document is cut off")
        self.at += count
        return found

    # -- values --------------------------------------------------------------------------------

    def value(self, depth: int) -> object:
        """The value that begins here."""
        return self.value_of(self.byte(), depth)

    def value_of(self, token: int, depth: int) -> object:
        """The value that a token begins."""
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_VALUES:
            raise NotSmile("the document is nested or filled beyond all need")
        if token == 0xFA:
            return self.pairs(depth + 1)
        if token == 0xF8:
            return self.items(depth + 1)
        if 0xC0 <= token < 0xE0:
            return _signed(token & 0x1F)
        if 0x40 <= token < 0xC0:
            return self.short_text(token)
        if token in _SMALL_NUMBERS:
            return _SMALL_NUMBERS[token]
        if token == 0x20:
            return ""
        if token in (0x24, 0x25):
            return _signed(self.number())
        if token in (0x28, 0x29):
            return self.fraction(5 if token == 0x28 else 10)
        if 0 < token < 0x20 or 0xEC <= token < 0xF0:
            return self.shared_text(token)
        if token in (0xE0, 0xE4):
            return self.long_text()
        return self.rare(token)

    def rare(self, token: int) -> object:
        """Numbers of any size, and bytes."""
        if token == 0x26:
            return int.from_bytes(self.packed(self.number()), "big", signed=True)
        if token == 0x2A:
            scale = _signed(self.number())
            if abs(scale) > 1_000:
                raise NotSmile("a number of too many digits")
            unscaled = int.from_bytes(self.packed(self.number()), "big", signed=True)
            return unscaled / 10**scale if scale >= 0 else unscaled * 10**-scale
        if token == 0xE8:
            return self.packed(self.number())
        if token == 0xFD:
            return self.take(self.number())
        raise NotSmile(f"no value begins with {token:#x}")

    def items(self, depth: int) -> list[object]:
        """The values of an array."""
        found = []
        while (token := self.byte()) != 0xF9:
            found.append(self.value_of(token, depth))
        return found

    def pairs(self, depth: int) -> dict[str, object]:
        """The names and values of an object."""
        found = {}
        while (token := self.byte()) != 0xFB:
            name = self.name(token)
            found[name] = self.value_of(self.byte(), depth)
        return found

    # -- numbers -------------------------------------------------------------------------------

    def number(self) -> int:
        """A number of seven bits a byte, six in the last."""
        found = 0
        for _ in range(10):
            byte = self.byte()
            if byte & 0x80:
                return found << 6 | byte & 0x3F
            found = found << 7 | byte
        raise NotSmile("a number without an end")

    def fraction(self, count: int) -> float:
        """A number with a fraction, seven bits a byte."""
        bits = 0
        for byte in self.take(count):
            bits = bits << 7 | byte & 0x7F
        form, size = (">f", 4) if count == 5 else (">d", 8)
        found: float = struct.unpack(form, bits.to_bytes(9, "big")[-size:])[0]
        return found

    def packed(self, count: int) -> bytes:
        """Bytes of which eight are written as seven bits each: `count` once they are unpacked."""
        whole, rest = divmod(count, 7)
        size = whole * 8 + (rest + 1 if rest else 0)
        if size > 1_000:
            raise NotSmile("a value of too many bytes")
        bits = 0
        written = self.take(size)
        for place, byte in enumerate(written):
            is_last = rest and place == size - 1
            bits = bits << (rest if is_last else 7) | byte & 0x7F
        return bits.to_bytes(count, "big")

    # -- text ----------------------------------------------------------------------------------

    def short_text(self, token: int) -> str:
        """A text of at most 65 bytes, whose token tells how many."""
        shift = (1, 33, 2, 34)[(token >> 5) - 2]
        text = self.take((token & 0x1F) + shift).decode()
        if self.texts is not None:
            _remember(self.texts, text)
        return text

    def shared_text(self, token: int) -> str:
        """A text that was told before."""
        number = token - 1 if token < 0x20 else (token & 3) << 8 | self.byte()
        return self.recalled(self.texts, number)

    def long_text(self) -> str:
        """A text up to a mark."""
        end = self.data.find(_END_OF_TEXT, self.at)
        if end < 0:
            raise NotSmile("a text without an end")
        text = self.data[self.at : end].decode()
        self.at = end + 1
        return text

    def name(self, token: int) -> str:
        """The name that a token begins."""
        if 0x40 <= token < 0x80:
            return self.recalled(self.names, token - 0x40)
        if 0x80 <= token < 0xF8:
            size = (token & 0x3F) + 1 if token < 0xC0 else (token & 0x3F) + 2
            text = self.take(size).decode()
            if self.names is not None:
                _remember(self.names, text)
            return text
        if 0x30 <= token < 0x34:
            return self.recalled(self.names, (token & 3) << 8 | self.byte())
        if token == 0x34:
            return self.long_text()
        if token == 0x20:
            return ""
        raise NotSmile(f"no name begins with {token:#x}")

    def recalled(self, memory: list[str] | None, number: int) -> str:
        """A name or text by its number."""
        if memory is None:
            raise NotSmile("nothing was to be remembered")
        return memory[number]


def _remember(memory: list[str], text: str) -> None:
    if len(memory) == MAX_SHARED:
        memory.clear()
    memory.append(text)


def _signed(number: int) -> int:
    """The sign stands in the last bit."""
    return number >> 1 ^ -(number & 1)
