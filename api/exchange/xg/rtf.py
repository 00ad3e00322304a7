"""The plain text of a note in Rich Text Format: its words without fonts, colours and sizes."""

from __future__ import annotations

import codecs
import re

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n]+|(.)", re.S
)

_SKIPPED = frozenset({"fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header"})
"""Groups that hold no words of the note."""

_WORDS = {"par": "\n", "line": "\n", "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•"}
"""Control words that stand for text."""

_WORDS |= {"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"}

_SIGNS = {"~": " ", "_": "-", "-": "", "\n": "\n", "\r": "\n"}
"""What a sign after a backslash stands for, where it is not itself."""


def plain_text(rtf: str) -> str:
    """The words of a note; text that is not in the format is its own answer."""
    if not rtf.startswith("{\\rtf"):
        return rtf.strip()
    return _Reader(rtf).text.strip()


class _Reader:
    """Goes through the tokens once, with one state for each group that is open."""

    def __init__(self, rtf: str) -> None:
        self.parts: list[str] = []
        self.bytes = bytearray()
        """Characters of the note's code page that were not decoded yet."""
        self.code_page = "cp1252"
        self.groups = [(False, 1)]
        """(skipped, characters that stand in for a Unicode one) of each group that is open."""
        self.stand_ins = 0
        """Characters still to come that only stand in for a Unicode one."""
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
        """One token: at most one of the five kinds is there."""
        if brace == "{":
            self.groups.append(self.groups[-1])
        elif brace == "}":
            if len(self.groups) > 1:
                self.groups.pop()
        elif word is not None:
            self.take_word(word, int(number or 0), number is not None)
        elif sign == "*":
            self.groups[-1] = (True, self.groups[-1][1])
        elif not self.groups[-1][0]:
            self.take_letter(code, sign, letter)

    def take_word(self, word: str, number: int, is_numbered: bool) -> None:
        """A control word, which may change the group or stand for text."""
        skipped, stand_ins = self.groups[-1]
        if word in _SKIPPED:
            self.groups[-1] = (True, stand_ins)
        elif word == "uc" and is_numbered:
            self.groups[-1] = (skipped, min(max(number, 0), 8))
        elif word == "ansicpg":
            self.set_code_page(f"cp{number}")
        elif skipped:
            return
        elif word == "u" and is_numbered:
            self.add(chr(number % 0x10000))
            self.stand_ins = stand_ins
        elif word in _WORDS:
            self.add(_WORDS[word])

    def take_letter(self, code: str | None, sign: str | None, letter: str | None) -> None:
        """A character of the note, in one of its three spellings."""
        if code is None and sign is None and letter is None:
            return
        if self.stand_ins:
            self.stand_ins -= 1
        elif code is not None:
            self.bytes.append(int(code, 16))
        elif sign is not None:
            self.add(_SIGNS.get(sign, sign))
        elif letter is not None:
            self.add(letter)

    def set_code_page(self, name: str) -> None:
        """The code page of the note, if there is one of that name."""
        try:
            codecs.lookup(name)
        except LookupError:
            return
        self.code_page = name

    def add(self, text: str) -> None:
        """Text as it is."""
        self.decode()
        self.parts.append(text)

    def decode(self) -> None:
        """What was read of the code page, as text."""
        if self.bytes:
            self.parts.append(self.bytes.decode(self.code_page, "replace"))
            self.bytes.clear()
