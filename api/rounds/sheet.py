"""Reads players or pairings as pasted or saved by somebody: rows with named columns, not judged.

Files and text copied from a spreadsheet or a web page are read alike: with commas, semicolons or
tabs, quoted or not, with a heading in English or German or without one.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import Final, Literal

import msgspec

from projections.views.showing import in_any_spelling, plain_words

TEXT_AT_MOST: Final = 200_000
"""Characters of one sheet."""

ROWS_AT_MOST: Final = 1_000
"""Rows of one sheet that are read."""

COLUMNS_AT_MOST: Final = 40
"""Most cells of a row that are read."""

CELL_AT_MOST: Final = 120
"""Characters of one cell."""

Kind = Literal["players", "pairings"]


_HEADINGS: Final[dict[str, tuple[str, ...]]] = {
    "round": ("round", "rd", "rnd", "runde", "round no", "round number"),
    "table": ("table", "tisch", "board", "brett", "table no", "table number", "tischnummer"),
    "one": (
        *("player 1", "player one", "player a", "player1", "p1", "name 1", "name1", "side 1"),
        *("team 1", "team a", "home", "one", "spieler 1", "spieler eins", "spieler a", "spieler1"),
        *("spielerin 1", "mannschaft 1", "heim", "seat one", "players 1", "white"),
    ),
    "two": (
        *("player 2", "player two", "player b", "player2", "p2", "name 2", "name2", "side 2"),
        *("team 2", "team b", "away", "two", "opponent", "spieler 2", "spieler zwei", "spieler b"),
        *("spieler2", "spielerin 2", "mannschaft 2", "gast", "gegner", "gegnerin", "seat two"),
        *("players 2", "black"),
    ),
    "one_partner": ("partner 1", "partner a", "partner one", "partner1", "partnerin 1"),
    "two_partner": ("partner 2", "partner b", "partner two", "partner2", "partnerin 2"),
    "length": (
        *("length", "match length", "points", "to", "laenge", "länge", "punkte", "matchlänge"),
        *("match to", "matchlaenge", "spiellänge", "auf"),
    ),
    "start": ("start", "start time", "starts", "time", "beginn", "zeit", "uhrzeit", "anfang"),
    "name": ("name", "player", "players", "spieler", "spielerin", "full name", "spielername"),
    "first": ("first name", "first", "given name", "vorname", "forename"),
    "last": ("last name", "last", "surname", "family name", "nachname", "familienname"),
    "club": ("club", "verein", "klub"),
    "country": ("country", "nation", "land", "nationality", "nationalität"),
    "division": ("division", "class", "klasse", "section", "gruppe", "group", "kategorie"),
    "federation_id": (
        *("id", "federation id", "member", "member no", "number", "no", "nr", "nummer"),
        *("mitgliedsnummer", "mitglied", "member id", "licence", "license", "lizenz"),
    ),
    "rating": ("rating", "elo", "wertung", "pr"),
}
_COLUMN_OF: Final = {said: column for column, words in _HEADINGS.items() for said in words}
_SAID: Final = re.compile(r'"?sep=([,;\t])"?[ ,;\t]*(?=\n)', re.IGNORECASE)
"""The first line of some files, which tells spreadsheets the separator."""
_DIGITS: Final = re.compile(r"(\d+)")
_SPACES: Final = re.compile(r"\s+")
_TURNING: Final = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Direction overrides and control characters, which come along when text is copied."""


class Row(msgspec.Struct, frozen=True):
    """One row of a sheet."""

    line: int
    """Line of the text on which it begins, from 1."""
    cells: dict[str, str]
    """Column to the trimmed text of its cell; empty cells are left out."""
    is_unreadable: bool = False
    """Whether a cell holds control characters, or is longer than any name."""
    is_longer: bool = False
    """Whether more cells are filled than there are columns: a comma within a name, perhaps."""


class Sheet(msgspec.Struct, frozen=True):
    """A sheet as it was read."""

    kind: Kind
    """What its rows are."""
    columns: tuple[str, ...]
    """Columns that were understood."""
    ignored: tuple[str, ...]
    """Headings that were not."""
    rows: tuple[Row, ...]
    """Rows, without the heading and without empty lines."""
    faults: tuple[tuple[int, str], ...] = ()
    """(line, code) of what is wrong with the sheet as a whole."""


def read_sheet(text: str, kind: Kind | None = None) -> Sheet:
    """The rows of a text of at most `TEXT_AT_MOST` characters; `kind` None = as it looks."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text if kind == "players" else _apart(text)
    said = _SAID.match(text)
    if said is not None:
        # A spreadsheet says so on a line of its own, which stays one for the numbers of the others.
        text = text[said.end() :]
    rows, faults = _rows(text, _delimiter(text, kind) if said is None else said[1])
    if not rows:
        return Sheet(kind or "pairings", (), (), (), (*faults, (1, "empty")))
    heading = _headed(rows[0][1])
    if heading is None:
        columns, kind = _unheaded(rows, kind)
        ignored: tuple[str, ...] = ()
        body = rows
    else:
        columns = heading
        ignored = tuple(
            said[:CELL_AT_MOST]
            for said, column in zip(rows[0][1], columns, strict=False)
            if column is None and said
        )
        kind = kind or _kind_of(columns)
        body = rows[1:]
        faults += _heading_faults(rows[0][0], columns, kind)
        if not body:
            faults.append((rows[0][0], "empty"))
    made = tuple(_row(line, cells, columns) for line, cells in body)
    known = tuple(column for column in columns if column is not None)
    return Sheet(kind, known, ignored, made, tuple(faults))


def key_of(text: str) -> str:
    """A name or a round as two spellings of it are compared: case and spaces do not matter."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def _apart(text: str) -> str:
    """Pairings as people write them to each other, "Ida Berg - Omar Lund", with a tab between.

    Only where every line is one: a dash may stand in a name.
    """
    if any(mark in text for mark in "\t;,"):
        return text
    lines = [_AGAINST.sub("\t", line) for line in text.split("\n")]
    return "\n".join(lines) if all("\t" in line for line in lines if line.strip()) else text


_AGAINST: Final = re.compile(r"(?<=\S) +(?:[-\u2013\u2014]|vs?\.?|gegen) +(?=\S)", re.IGNORECASE)


def spelling_of(name: str) -> str:
    """A name without accents, signs and word order, in which people and programs differ."""
    return " ".join(sorted(in_any_spelling(plain_words(name)).split()))


def _delimiter(text: str, kind: Kind | None) -> str:
    """The separator of cells: a tab if there is one, because names never contain tabs."""
    lines = [line for line in text.split("\n", 50)[:50] if line.strip()]
    if any("\t" in line for line in lines):
        return "\t"
    first = lines[0] if lines else ""
    if ";" in first or sum(";" in line for line in lines) * 2 > len(lines):
        return ";"
    is_headed = _headed([cell.strip().strip('"') for cell in first.split(",")]) is not None
    # A list of players without a heading may well say "Berg, Ida" in each line.
    return "\t" if kind == "players" and not is_headed else ","


def _rows(text: str, delimiter: str) -> tuple[list[tuple[int, list[str]]], list[tuple[int, str]]]:
    rows: list[tuple[int, list[str]]] = []
    faults: list[tuple[int, str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    before = 0
    while True:
        line = before + 1
        try:
            cells = [trimmed(cell) for cell in next(reader)]
        except StopIteration:
            break
        except csv.Error:
            faults.append((max(line, reader.line_num), "unreadable"))
            break
        before = reader.line_num
        if any(cells):
            if len(rows) > ROWS_AT_MOST:
                faults.append((line, "too_many"))
                break
            rows.append((line, cells[:COLUMNS_AT_MOST]))
    return rows, faults


def natural(text: str) -> list[tuple[int, int, str]]:
    """A sort key by which table 2 comes before table 10."""
    return [
        (0, int(part[:18]), "") if part.isdecimal() and part.isascii() else (1, 0, part.casefold())
        for part in _DIGITS.split(text)
        if part
    ]


def trimmed(cell: str) -> str:
    """A cell in one spelling: composed letters, single spaces."""
    return _SPACES.sub(" ", _TURNING.sub("", unicodedata.normalize("NFC", cell))).strip()


def _headed(cells: list[str]) -> tuple[str | None, ...] | None:
    """The columns that a heading names; None where the row is none."""
    columns = tuple(_COLUMN_OF.get(_heading_key(cell)) for cell in cells)
    known = {column for column in columns if column is not None}
    if known & {"name", "one", "two", "last", "first"} or len(known) >= 2:
        return columns
    return None


def _heading_key(cell: str) -> str:
    return _SPACES.sub(" ", re.sub(r"[^\w]+", " ", cell.casefold())).replace("_", " ").strip()


def _kind_of(columns: tuple[str | None, ...]) -> Kind:
    return "pairings" if {"one", "two"} & set(columns) else "players"


def _heading_faults(
    line: int, columns: tuple[str | None, ...], kind: Kind
) -> list[tuple[int, str]]:
    known = [column for column in columns if column is not None]
    faults = [(line, "twice_named")] if len(known) != len(set(known)) else []
    if kind == "pairings" and not {"one", "two"} <= set(known):
        faults.append((line, "no_names"))
    if kind == "players" and not {"name", "last", "first"} & set(known):
        faults.append((line, "no_names"))
    return faults


def _unheaded(
    rows: list[tuple[int, list[str]]], kind: Kind | None
) -> tuple[tuple[str | None, ...], Kind]:
    """Columns without a heading: by their number, and whether the last has only numbers."""
    width = max(len(cells) for _, cells in rows)
    if kind == "players" or (kind is None and width == 1):
        return ("name", "club", "country")[:width] + (None,) * (width - 3), "players"
    is_numbered = all(
        len(cells) < width or not cells[-1] or cells[-1].isdigit() for _, cells in rows
    )
    names = ("one", "two")
    columns: tuple[str | None, ...]
    if width <= 2:
        columns = names
    elif width == 3:
        columns = (*names, "length") if is_numbered else ("table", *names)
    elif width == 4:
        columns = ("table", *names, "length") if is_numbered else ("round", "table", *names)
    else:
        columns = ("round", "table", *names, "length", *(None,) * (width - 5))
    return columns, "pairings"


def _row(line: int, cells: list[str], columns: tuple[str | None, ...]) -> Row:
    named: dict[str, str] = {}
    is_unreadable = False
    for column, cell in zip(columns, cells, strict=False):
        if column is None or not cell:
            continue
        if len(cell) > CELL_AT_MOST or any(unicodedata.category(c) in _UNSEEN for c in cell):
            is_unreadable = True
            cell = "".join(c for c in cell if unicodedata.category(c) not in _UNSEEN)
        named.setdefault(column, cell[:CELL_AT_MOST])
    return Row(line, named, is_unreadable, any(cells[len(columns) :]))


_UNSEEN: Final = ("Cc", "Cs", "Co", "Cn")
"""Control characters and what is no character: nobody is called so."""
