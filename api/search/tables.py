"""The file of the search: its tables, in three tiers, and the facts of a turn in one number."""

from __future__ import annotations

import msgspec

from api.archive.index.file import CACHES, Tables

POSITIONS_VERSION = 15
"""Raised with every change of the tables or of their rows: then the file is made anew."""

TIERS = (("turn_0", 100_000), ("turn_1", 2_000_000), ("turn_2", None))
"""Tables of turns and how many rows each may hold: what comes in goes into the first, and a full
one is moved into the next, in the order of its key. Put straight into a table of millions, each
row would have a page of its own written."""

_TURN = """(
  a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL, d INTEGER NOT NULL,
  match INTEGER NOT NULL, version INTEGER NOT NULL, facts INTEGER NOT NULL,
  PRIMARY KEY (a, b, c, d, match, version)
) STRICT, WITHOUT ROWID;
"""

_SCHEMA = """
CREATE TABLE match (
  number INTEGER PRIMARY KEY, log_id TEXT NOT NULL, stream_id TEXT NOT NULL,
  version INTEGER NOT NULL, is_public INTEGER NOT NULL, digest BLOB NOT NULL,
  opened_at INTEGER NOT NULL, is_import INTEGER NOT NULL,
  still_from_ms INTEGER NOT NULL, still_until_ms INTEGER NOT NULL, due_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL, since INTEGER NOT NULL, rule_set TEXT NOT NULL,
  length INTEGER NOT NULL, moves BLOB
) STRICT;
CREATE INDEX match_by_id ON match (log_id, stream_id);
CREATE INDEX match_by_moves ON match (moves) WHERE moves IS NOT NULL;
-- Moves that are here more than once, or were: few, where all would be gone through for each page.
CREATE TABLE again (moves BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER match_again AFTER INSERT ON match WHEN new.moves IS NOT NULL BEGIN
  INSERT OR IGNORE INTO again SELECT new.moves WHERE EXISTS
    (SELECT 1 FROM match WHERE moves = new.moves AND number <> new.number);
END;
CREATE TRIGGER match_gone AFTER DELETE ON match BEGIN
  DELETE FROM opening WHERE match = old.number;
  DELETE FROM habit WHERE match = old.number;
END;
CREATE TABLE counter (numbers INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES (0);
CREATE TABLE finding (
  code TEXT NOT NULL, match INTEGER NOT NULL, version INTEGER NOT NULL, section TEXT NOT NULL,
  a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL, d INTEGER NOT NULL,
  facts INTEGER NOT NULL, PRIMARY KEY (code, match, version, section)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_by_section ON finding (section, match, version);
CREATE TABLE opening (
  match INTEGER NOT NULL, game INTEGER NOT NULL, seat INTEGER NOT NULL,
  first INTEGER NOT NULL, play TEXT NOT NULL, after TEXT NOT NULL,
  second INTEGER, answer TEXT, answered TEXT, winner INTEGER, level INTEGER, worth INTEGER
) STRICT;
CREATE INDEX opening_by_match ON opening (match);
CREATE INDEX opening_by_first ON opening (first, after, play, match, seat, winner, level, worth);
CREATE INDEX opening_by_second
  ON opening (after, first, second, answered, answer, match, seat, winner, level, worth);
CREATE TABLE habit (
  match INTEGER NOT NULL, seat INTEGER NOT NULL, games INTEGER NOT NULL,
  games_won INTEGER NOT NULL, gammons_won INTEGER NOT NULL, gammons_lost INTEGER NOT NULL,
  points_won INTEGER NOT NULL, points_lost INTEGER NOT NULL, doubles INTEGER NOT NULL,
  redoubles INTEGER NOT NULL, taken INTEGER NOT NULL, dropped INTEGER NOT NULL,
  double_turns INTEGER NOT NULL, faced INTEGER NOT NULL, takes INTEGER NOT NULL,
  decisions INTEGER NOT NULL, thought_ms INTEGER NOT NULL, slowest_ms INTEGER NOT NULL,
  PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;
""" + "".join(f"CREATE TABLE {name} {_TURN}" for name, _ in TIERS)

POSITIONS = Tables(CACHES[1], _SCHEMA, POSITIONS_VERSION)
"""The file, beside the database."""

DOUBLES = (None, "taken", "dropped", "beavered", "offered")
"""What became of a double before the roll; None = there was none."""

OWNERS = ("middle", "own", "other")
"""Where the cube lies, from the side of the player on roll."""

_ROLLS = (None, *((high, low) for high in range(1, 7) for low in range(1, high + 1)))

_MAX_AWAY = (1 << 14) - 1


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What else is known of a turn, or asked of it; None = anything will do, or not recorded."""

    dice: tuple[int, int] | None = None
    """The roll, higher die first."""
    cube_value: int | None = None
    """What the cube showed."""
    cube_owner: str | None = None
    """One of `OWNERS`."""
    double: str | None = None
    """One of `DOUBLES`."""
    is_crawford: bool | None = None
    """Whether it was the Crawford game."""
    away_own: int | None = None
    """Points that the player on roll needed; 0 = money."""
    away_other: int | None = None
    """Points that the opponent needed."""


_BITS = (5, 5, 2, 3, 1, 14, 14)
"""Bits of each of them, in this order, from the lowest."""


def _codes(facts: Facts) -> tuple[int | None, ...]:
    def place(words: tuple[object, ...], word: object) -> int | None:
        return None if word is None else words.index(word)

    def away(points: int | None) -> int | None:
        return None if points is None else min(points, _MAX_AWAY)

    return (
        place(_ROLLS, facts.dice),
        None if facts.cube_value is None else min(facts.cube_value.bit_length() - 1, 31),
        place(OWNERS, facts.cube_owner),
        place(DOUBLES, facts.double),
        facts.is_crawford,
        away(facts.away_own),
        away(facts.away_other),
    )


def packed(facts: Facts) -> int:
    """The facts of a turn in one number; what is not known as nought."""
    return masked(facts)[1]


def masked(facts: Facts) -> tuple[int, int]:
    """(mask, value): what the number of a turn has to be where the mask has ones."""
    mask = value = offset = 0
    for width, code in zip(_BITS, _codes(facts), strict=True):
        if code is not None:
            mask |= ((1 << width) - 1) << offset
            value |= code << offset
        offset += width
    return mask, value


def unpacked(number: int) -> Facts:
    """The facts that a number says."""
    codes = []
    for width in _BITS:
        codes.append(number & ((1 << width) - 1))
        number >>= width
    roll, log2, owner, double, crawford, own, other = codes
    return Facts(
        dice=_ROLLS[roll],
        cube_value=1 << log2,
        cube_owner=OWNERS[owner],
        double=DOUBLES[double],
        is_crawford=bool(crawford),
        away_own=own,
        away_other=other,
    )
