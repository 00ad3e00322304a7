"""What kind of file some bytes are, told from their content, and the text in them."""

from __future__ import annotations

import codecs
import contextlib
import enum
import re
import string

import msgspec

from api.exchange.reading.facts import AGAIN, Notice, NoticeCode, Refused

MAX_FILE_BYTES = 20_000_000
"""Largest file that is read; the largest real match files have some ten thousand bytes."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""First bytes of a compressed stream; OGXM dumps come so."""


class Format(enum.StrEnum):
    """Families of match files."""

    MAT = "mat"
    SGF = "sgf"
    XG = "xg"
    BGF = "bgf"
    OGXM = "ogxm"
    JSONL = "jsonl"
    UNKNOWN = "unknown"


LENGTH_LINE = re.compile(
    r"^[^\S\r\n]*([0-9]{1,9})[^\S\r\n]+points?[^\S\r\n]+match[^\S\r\n]*$", re.I | re.M
)
"""The one line that every match of a .mat file has."""

_BLANK = rb"(?:[ \t\xa0]|\xc2\xa0|\xe3\x80\x80)"
"""A blank as text editors and pages of the web write it, in any encoding that has ASCII."""
_LENGTH_BYTES = re.compile(
    rb"(?:^|[\r\n])%(b)b*+[0-9]{1,9}%(b)b++points?%(b)b++match" % {b"b": _BLANK}, re.I
)
_OPENING = re.compile(rb"\([\s(]*+")
"""What a tree begins with, if a semicolon follows."""
_GAME_SIX = re.compile(rb"G[a-z]{0,30}+M[a-z]{0,30}+\s*\[\s*0*6\s*\]")
"""In old files with the small letters that FF[3] left out: `GaMe[6]`."""
_GAME_BYTES = re.compile(rb"(?:^|[\r\n])%(b)b*+Game%(b)b++[0-9]" % {b"b": _BLANK})
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_DOS_END = "\x1a"
"""What programs of the time of DOS wrote behind the last line."""
_BLANK_END = string.whitespace + _DOS_END

_ARCHIVES = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ", "compressed with xz"),
)
"""Beginnings of files that hold other files."""


def archive_of(data: bytes) -> str | None:
    """What kind of archive some bytes are, which may hold matches; None if they are none."""
    return next((kind for magic, kind in _ARCHIVES if data.startswith(magic)), None)


def sniff(data: bytes) -> Format:
    """The format that the content shows; a file's name never decides (formats.md 8.8)."""
    if data.startswith(b"RGMH"):
        return Format.XG
    if data.startswith((b"OGXM", ZSTD_MAGIC)):
        return Format.OGXM
    start = data[:4096].lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    if start.startswith(b"{"):
        head, _, rest = data.partition(b"\n")
        if rest.startswith(b"\x1f\x8b") or b'"BGF"' in head:
            return Format.BGF
        if b'"log":' in head or b'"disclosure":' in head:
            return Format.JSONL
        if b'"match_length"' in data and b'"games"' in data:
            return Format.OGXM
    if _tree_in(start, at_once=True) is not None and _GAME_SIX.search(data[:65536]):
        return Format.SGF
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        beginning = data[:65536].decode("utf-16", "ignore").encode()
        return Format.SGF if sniff(beginning) is Format.SGF else Format.MAT
    if _LENGTH_BYTES.search(data) or _GAME_BYTES.search(data):
        return Format.MAT
    # A tree may stand behind words that belong to none, such as the head of a mail.
    tree = _tree_in(data[:65536])
    if tree is not None and _GAME_SIX.search(data[tree:65536]):
        return Format.SGF
    return Format.UNKNOWN


def _tree_in(data: bytes, *, at_once: bool = False) -> int | None:
    """Where the first tree of an SGF file begins, or whether one does `at_once`; None = nowhere.

    Each run of brackets is looked at once: a search for all of it begins anew at each of them.
    """
    for found in _OPENING.finditer(data):
        if at_once and found.start():
            return None
        if data[found.end() : found.end() + 1] == b";":
            return found.start()
    return None


class Decoded(msgspec.Struct, frozen=True):
    """The text of a file and how its bytes were read."""

    text: str
    """The text without a byte order mark."""
    encoding: str
    """Name of the encoding."""
    notices: tuple[Notice, ...] = ()
    """What is odd about it."""


def decode(data: bytes, *, charset: str | None = None) -> Decoded:
    """The text of the bytes: byte order mark, then UTF-8, then Windows-1252 with a notice.

    Bytes that Windows-1252 has none of are taken for Shift JIS where that reads all of them.
    `charset` is what the file itself says of bytes that are not UTF-8; only names of character
    sets of the world's scripts are followed.

    Raises:
        Refused: the bytes are no text.
    """
    try:
        decoded = _decoded(data, charset)
    except UnicodeDecodeError as error:
        told = "neither UTF-8 nor Windows-1252"
        if error.encoding.startswith("utf-16"):
            told = "it begins as UTF-16, and does not go on so"
        raise Refused(f"not a text file, {told}", "save it as UTF-8") from None
    body = decoded.text.rstrip(_BLANK_END)
    if _DOS_END in (end := decoded.text[len(body) :]):
        text = body + end.partition(_DOS_END)[0]
        decoded = msgspec.structs.replace(decoded, text=text)
    found = _CONTROL.search(decoded.text)
    if found:
        line = len(re.findall(r"\r\n|\n|\r", decoded.text[: found.start()])) + 1
        raise Refused("not a text file: it holds control characters", AGAIN, line=line)
    return decoded


_CHARSETS = re.compile(
    r"cp(?:12|8|9|4)\d+|iso8859-(?!1$)\d+|koi8-[a-z]|mac-[a-z]+|shift_jis\w*|euc_\w+|gb\w+|big5\w*"
)
"""Names of character sets as Python's codecs call them; Windows-1252 holds all of ISO 8859-1."""

_JAPANESE = re.compile(rb"[\x81-\x9f\xe0-\xea][\x80-\xfc]")
"""A letter of two bytes as programs in Japan write names, unlike accented letters among others."""


def _codec_of(charset: str) -> str | None:
    """Python's name of a character set; None if it is none, or one that is not followed."""
    if len(charset) > 40 or not charset.isascii():
        return None
    try:
        name = codecs.lookup(charset.strip()).name
    except (LookupError, ValueError):
        return None
    return name if _CHARSETS.fullmatch(name) else None


def _decoded(data: bytes, charset: str | None) -> Decoded:
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _without_cut(data, "utf-16", "utf-16", (_odd_encoding("UTF-16"),))
    written = data.rstrip(b"\0")
    decoded = _of_bytes(written, charset)
    # A disk that lost its power fills what was not written yet; behind a DOS end it means nothing.
    if written != data and not written.endswith(_DOS_END.encode()):
        notice = _cut_off(f"the file ends in {len(data) - len(written)} zero bytes")
        return msgspec.structs.replace(decoded, notices=(*decoded.notices, notice))
    return decoded


def _of_bytes(data: bytes, charset: str | None) -> Decoded:
    is_marked = data.startswith(codecs.BOM_UTF8)
    if is_marked:
        data = data[len(codecs.BOM_UTF8) :]
    try:
        return _without_cut(data, "utf-8", "utf-8-bom" if is_marked else "utf-8", is_sure=is_marked)
    except UnicodeDecodeError:
        codec = _codec_of(charset) if charset else None
        if codec is not None:
            with contextlib.suppress(UnicodeDecodeError):
                return Decoded(data.decode(codec), codec, (_odd_encoding(f"{codec}, as it says"),))
        said = "Windows-1252, though it begins with the mark of UTF-8"
        notice = _odd_encoding(said if is_marked else "Windows-1252")
        try:
            return Decoded(data.decode("cp1252"), "cp1252", (notice,))
        except UnicodeDecodeError:
            if _JAPANESE.search(data):
                with contextlib.suppress(UnicodeDecodeError):
                    return Decoded(data.decode("cp932"), "cp932", (_odd_encoding("Shift JIS"),))
            raise


def _without_cut(
    data: bytes,
    codec: str,
    name: str,
    notices: tuple[Notice, ...] = (),
    *,
    is_sure: bool = True,
) -> Decoded:
    """Text, and without its last letter where that is cut, if that is sure to be its encoding.

    It is if other letters show it: those that ASCII has none of.
    """
    try:
        return Decoded(data.decode(codec), name, notices)
    except UnicodeDecodeError as error:
        whole = data[: error.start]
        is_cut = error.reason in ("unexpected end of data", "truncated data")
        if not is_cut or not (is_sure or not whole.isascii()):
            raise
        notice = _cut_off("the file ends inside a letter, which is left out")
        return Decoded(whole.decode(codec), name, (*notices, notice))


def _cut_off(what: str) -> Notice:
    return Notice(code=NoticeCode.CUT_OFF, message=f"{what}: it was not written to its end")


def _odd_encoding(name: str) -> Notice:
    return Notice(code=NoticeCode.ENCODING, message=f"not UTF-8; read as {name}")
