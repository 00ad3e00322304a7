"""The plain text of a note in Rich Text Format: its words without fonts, colours and sizes."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n]+|(.)", re.S
)

_SKIPPED = frozenset({"fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header"})
"""Groups that contain no text of the note."""

_WORDS = {"par": "\n", "line": "\n", "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•"}
"""Control words that mean text."""

_WORDS |= {"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"}

_SIGNS = {"~": " ", "_": "-", "-": "", "\n": "\n", "\r": "\n"}
"""What a character after a backslash means, if not itself."""


_CHARSETS = {128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950"}
"""Code pages by the character set of a font (`fcharset`): those with two bytes a character."""

_CHARSETS |= {161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256"}

_CHARSETS |= {186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250"}


class _Group(NamedTuple):
    """The state inside one pair of braces."""

    skipped: bool = False
    """Whether it contains no text of the note."""
    stand_ins: int = 1
    """Number of characters that replace a Unicode one for old readers."""
    font: int | None = None
    """Number of the font; None = the note's first font."""


def plain_text(rtf: str) -> str:
    """The text of a note; text that is not RTF is returned unchanged."""
    if not rtf.startswith("{\\rtf"):
        return rtf.strip()
    return _Reader(rtf).text.strip()


class _Reader:
    """Processes the tokens in one pass, with one state for each open group."""

    def __init__(self, rtf: str) -> None:
        self.parts: list[str] = []
        self.bytes = bytearray()
        """Bytes in the note's code page that were not decoded yet."""
        self.code_page = "cp1252"
        """Code page of the whole note: for fonts without one of their own."""
        self.fonts: dict[int, str] = {}
        """Code pages of fonts, by their numbers."""
        self.first_font = 0
        """Number of the note's first font."""
        self.groups = [_Group()]
        """The open groups."""
        self.stand_ins = 0
        """Number of characters still to skip, because they only replace a Unicode one."""
        for found in _TOKEN.finditer(rtf):
            self.take(*found.groups())
        self.decode()
        joined = "".join(self.parts).encode("utf-16-le", "surrogatepass")
        self.text = joined.decode("utf-16-le", "replace")

    def take(
        self,
        word: str | None,
        number: str | None,
        code: str | None,
        sign: str | None,
        brace: str | None,
        letter: str | None,
    ) -> None:
        """One token: at most one of the five kinds is set."""
        if brace is not None:
            self.decode()
        if brace == "{":
            self.groups.append(self.groups[-1])
        elif brace == "}":
            if len(self.groups) > 1:
                self.groups.pop()
        elif word is not None:
            self.take_word(word, int(number or 0), number is not None)
        elif sign == "*":
            self.groups[-1] = self.groups[-1]._replace(skipped=True)
        elif not self.groups[-1].skipped:
            self.take_letter(code, sign, letter)

    def take_word(self, word: str, number: int, is_numbered: bool) -> None:
        """A control word, which may change the group's state or mean text."""
        group = self.groups[-1]
        if word in _SKIPPED:
            self.groups[-1] = group._replace(skipped=True)
        elif word == "uc" and is_numbered:
            self.groups[-1] = group._replace(stand_ins=min(max(number, 0), 8))
        elif word == "ansicpg":
            self.set_code_page(f"cp{number}")
        elif word in ("f", "deff", "fcharset", "plain"):
            self.take_font(word, number)
        elif group.skipped:
            return
        elif word == "u" and is_numbered:
            self.add(chr(number % 0x10000))
            self.stand_ins = group.stand_ins
        elif word in _WORDS:
            self.add(_WORDS[word])

    def take_font(self, word: str, number: int) -> None:
        """A control word about fonts, whose character set is that of the text in them."""
        group = self.groups[-1]
        if word == "fcharset":
            if number in _CHARSETS and group.font is not None:
                self.fonts[group.font] = _CHARSETS[number]
        elif word == "deff":
            self.first_font = number
        else:
            self.decode()
            self.groups[-1] = group._replace(font=number if word == "f" else None)

    def take_letter(self, code: str | None, sign: str | None, letter: str | None) -> None:
        """A character of the note, in one of its three notations."""
        if code is None and sign is None and letter is None:
            return
        if self.stand_ins:
            self.stand_ins -= 1
        elif code is not None:
            self.bytes.append(int(code, 16))
        elif self.is_half() and (byte := ord(sign or letter or "")) < 0x80:
            self.bytes.append(byte)
            self.decode()
        elif sign is not None:
            self.add(_SIGNS.get(sign, sign))
        elif letter is not None:
            self.add(letter)

    def is_half(self) -> bool:
        """Whether the last byte read needs a second one, which may look like a letter."""
        if not self.bytes:
            return False
        reader = codecs.getincrementaldecoder(self.present_code_page)("replace")
        reader.decode(bytes(self.bytes))
        return bool(reader.getstate()[0])

    @property
    def present_code_page(self) -> str:
        """The code page of the current font."""
        font = self.groups[-1].font
        return self.fonts.get(self.first_font if font is None else font, self.code_page)

    def set_code_page(self, name: str) -> None:
        """The code page of the note, if Python knows one of that name."""
        try:
            codecs.lookup(name)
        except LookupError:
            return
        self.code_page = name

    def add(self, text: str) -> None:
        """Text, as it is."""
        self.decode()
        self.parts.append(text)

    def decode(self) -> None:
        """Decode the bytes collected so far into text."""
        if self.bytes:
            self.parts.append(self.bytes.decode(self.present_code_page, "replace"))
            self.bytes.clear()
