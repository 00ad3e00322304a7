"""The data dictionary: every table and column that is published, written down once.

The Arrow schemas, `dictionary.json`, `DICTIONARY.md` and the tables in this room's README are all
made of it.
"""

from __future__ import annotations

import enum

import msgspec

TABLES_VERSION = 1
"""Raised when a column goes, or comes to mean something else; new columns do not raise it."""


class Kind(enum.StrEnum):
    """What a column holds, by its name in Arrow."""

    TEXT = "string"
    TEXTS = "list<string>"
    BYTES = "binary"
    FLAG = "bool"
    NUMBER = "int32"
    BIG = "int64"


class Column(msgspec.Struct, frozen=True):
    """One column."""

    name: str
    """What it is called."""
    kind: Kind
    """What it holds."""
    says: str
    """What that means."""
    is_null: bool = False
    """Whether it may be null."""
    repeats: bool = False
    """Whether few values fill it, so that a dictionary of them is smaller."""


class Table(msgspec.Struct, frozen=True):
    """One table."""

    name: str
    """What it and its folder are called."""
    says: str
    """What a row of it is, and their order."""
    columns: tuple[Column, ...]
    """Its columns, in order; `log` is no column of the files, but the name of their folder."""

    @property
    def places(self) -> dict[str, int]:
        """Name of each column to its place in a row, from 0."""
        return {column.name: place for place, column in enumerate(self.columns)}


_MATCH = Column("match_id", Kind.TEXT, "The match: its stream in the log.", repeats=True)
_SCORES = (
    Column("score_one", Kind.BIG, "Points of seat one when it began, computed."),
    Column("score_two", Kind.BIG, "Points of seat two when it began, computed."),
)
_VERSIONS = (
    Column("first_version", Kind.NUMBER, "Version of its first entry in the match's stream."),
    Column("last_version", Kind.NUMBER, "Version of its last entry, presses and rulings included."),
)

MATCHES = Table(
    "matches",
    "One row a match, as corrected and judged under its own rules; by match_id.",
    (
        Column("match_id", Kind.TEXT, "The match: its stream in the log."),
        Column("version", Kind.NUMBER, "Entries of it that are published."),
        Column("opened_at", Kind.BIG, "Global position of its first entry: the order of lists."),
        Column("is_public", Kind.FLAG, "Whether anybody may read it without a grant."),
        Column("rule_set", Kind.TEXT, "Rule set pinned when it was opened.", True, True),
        Column("length", Kind.NUMBER, "Points needed to win; null = money.", True),
        Column("score_one", Kind.BIG, "Points of seat one, computed, uncapped."),
        Column("score_two", Kind.BIG, "Points of seat two, computed, uncapped."),
        Column("games", Kind.NUMBER, "Games that are over."),
        Column("turns", Kind.NUMBER, "Rows of it in `turns`."),
        Column(
            "state",
            Kind.TEXT,
            "`waiting`, `live`, or `ended` where somebody has won.",
            repeats=True,
        ),
        Column("winner", Kind.TEXT, "`one` or `two`; null = nobody yet, or money.", True, True),
        Column("won_by", Kind.TEXT, "What decided it: `score`, `forfeit`, `flag` ...", True, True),
        Column("findings", Kind.NUMBER, "Rows of it in `findings`."),
        Column("questions", Kind.NUMBER, "Of these, questions that wait for a ruling."),
        Column("dialect", Kind.TEXT, "Dialect of the file it was imported from.", True, True),
        Column("name_one", Kind.TEXT, "Who sat in seat one; null = withheld or erased.", True),
        Column("name_two", Kind.TEXT, "Who sat in seat two; null = withheld or erased.", True),
        Column(
            "plays",
            Kind.TEXT,
            "The same in every file of one match, whoever is said to have sat where: by its length"
            " and the boards after its plays; null = fewer than ten plays.",
            True,
        ),
    ),
)

GAMES = Table(
    "games",
    "One row a game; by match_id and game.",
    (
        _MATCH,
        Column("game", Kind.NUMBER, "Number of the game, from 1, those that nobody saw too."),
        *_SCORES,
        Column("is_crawford", Kind.FLAG, "Whether it is the Crawford game."),
        Column("winner", Kind.TEXT, "`one` or `two`; null = it is not over.", True, True),
        Column("points", Kind.BIG, "What it was worth, uncapped.", True),
        Column("level", Kind.TEXT, "`single`, `gammon` or `backgammon`, if known.", True, True),
        Column("ended_by", Kind.TEXT, "`board`, `drop`, `resignation` ...", True, True),
        Column("cube_value", Kind.NUMBER, "What the cube showed last."),
        Column("turns", Kind.NUMBER, "Rows of it in `turns`."),
        *_VERSIONS,
    ),
)

TURNS = Table(
    "turns",
    "One row a turn: a double if there was one, a roll, a play; by match_id, game and turn.",
    (
        _MATCH,
        Column("game", Kind.NUMBER, "Number of the game, from 1."),
        Column("turn", Kind.NUMBER, "Number of the turn in the game, from 1."),
        Column("seat", Kind.TEXT, "Whose turn: `one` or `two`.", repeats=True),
        Column(
            "double",
            Kind.TEXT,
            "What became of a double before the roll: `taken`, `dropped`, `beavered`, or `offered`"
            " where no answer is recorded; null = no double.",
            True,
            True,
        ),
        Column(
            "dice",
            Kind.TEXT,
            "The roll that counted, higher die first, such as `31`; null = none, or not recorded.",
            True,
            True,
        ),
        Column(
            "play",
            Kind.TEXT,
            "The play that stands, such as `13/7*(2)`; empty = a dance; null = none, unknown, or"
            " told by its end alone.",
            True,
        ),
        Column(
            "is_legal",
            Kind.FLAG,
            "Whether the play was legal; null = no play, board or roll unknown, or a game in play"
            " in a publication for everybody.",
            True,
        ),
        Column(
            "position_id",
            Kind.TEXT,
            "GNU Backgammon Position ID before the turn, for `seat`; null = unknown.",
            True,
        ),
        Column(
            "position_id_after",
            Kind.TEXT,
            "Position ID after the play, for the opponent, whose turn is next.",
            True,
        ),
        Column("cube_value", Kind.NUMBER, "What the cube showed at the roll."),
        Column("cube_owner", Kind.TEXT, "Who owned it; null = in the middle.", True, True),
        *(
            Column(f"score_{seat}", Kind.BIG, f"Points of seat {seat} then, computed.")
            for seat in ("one", "two")
        ),
        Column("is_crawford", Kind.FLAG, "Whether it was the Crawford game."),
        *(
            Column(
                f"reserve_{seat}_ms",
                Kind.BIG,
                f"Reserve of seat {seat} on the clock after the turn, milliseconds, if known.",
                True,
            )
            for seat in ("one", "two")
        ),
        Column(
            "double_ms", Kind.BIG, "From the turn's beginning to its double, ms, if known.", True
        ),
        Column("answer_ms", Kind.BIG, "From a double to its answer, ms, if known.", True),
        Column(
            "play_ms", Kind.BIG, "From the roll to its play, ms, if both times are known.", True
        ),
        Column(
            "delay_used_ms",
            Kind.BIG,
            "What of the turn the clock's delay covered, ms; null = unknown, or no press ended it.",
            True,
        ),
        Column("findings", Kind.TEXTS, "Codes of what was found in the turn, in order."),
        *_VERSIONS,
    ),
)

EVENTS = Table(
    "events",
    "One row an entry, as recorded and sealed, corrected or not; by match_id and version.",
    (
        _MATCH,
        Column("version", Kind.NUMBER, "Place in the match's stream, from 1."),
        Column("global_position", Kind.BIG, "Place in the log, from 0: the leaf of its tree."),
        Column("entry_id", Kind.TEXT, "The entry's own id, a UUID."),
        Column("tag", Kind.TEXT, "Type of the event, such as `dice.rolled`.", repeats=True),
        Column("schema_version", Kind.NUMBER, "Version of the body's shape.", repeats=True),
        Column("basis", Kind.TEXT, "On what the entry rests, such as `observed`.", repeats=True),
        Column(
            "body",
            Kind.TEXT,
            "What happened, as JSON; personal values as commitments, of a ballot not what it says.",
        ),
        Column(
            "sealed",
            Kind.BYTES,
            "The canonical bytes, which prove the rest; null = a ballot, which is not public.",
            True,
        ),
        Column("leaf_hash", Kind.BYTES, "SHA-256 of 0x00 and `sealed` (RFC 6962 2.1)."),
    ),
)

FINDINGS = Table(
    "findings",
    "One row a finding: an irregularity, a note, or a question; by match_id and version.",
    (
        _MATCH,
        Column("version", Kind.NUMBER, "Version of the entry at which it was found."),
        Column("entry_id", Kind.TEXT, "Id of that entry."),
        Column(
            "code", Kind.TEXT, "What was found; `projections/README.md` lists them.", False, True
        ),
        Column("rule_set", Kind.TEXT, "Id of the rule set that is cited.", repeats=True),
        Column("section", Kind.TEXT, "Section as that rule set numbers it.", repeats=True),
        Column("seat", Kind.TEXT, "Whose; null = nobody's, or both players'.", True, True),
        Column("severity", Kind.TEXT, "`note` or `irregularity`.", repeats=True),
        Column("message", Kind.TEXT, "What happened, for people."),
        Column("ambiguity", Kind.TEXT, "Id of the ambiguity in the rule set's text.", True, True),
        Column(
            "is_verified",
            Kind.FLAG,
            "False where another edition answers, or what it rests on is not in hand.",
        ),
        Column("topic", Kind.TEXT, "What is asked; null = it asks nothing.", True, True),
        Column("readings", Kind.TEXTS, "The answers that compete; empty = it asks nothing."),
        Column("answered_by", Kind.NUMBER, "Version of the ruling that answers it.", True),
        Column(
            "rests_on",
            Kind.TEXTS,
            "Sentences of the rule set that it rests on, by name; empty = its text was read whole.",
        ),
        Column(
            "rests_on_sha256",
            Kind.TEXTS,
            "SHA-256 of each of them, lowercase hex, in that order; empty text = not in hand.",
        ),
    ),
)

TABLES = (MATCHES, GAMES, TURNS, EVENTS, FINDINGS)
"""Every table, in the order in which they are told."""

LOG_SAYS = "The log: `log=ID/` is the folder of its files, which readers take for a column."


def dictionary() -> dict[str, object]:
    """Every table and column, for programs."""
    return {
        "tables_version": TABLES_VERSION,
        "partition": {"name": "log", "type": Kind.TEXT, "says": LOG_SAYS},
        "tables": {
            table.name: {
                "says": table.says,
                "columns": [
                    {"name": one.name, "type": one.kind, "nullable": one.is_null, "says": one.says}
                    for one in table.columns
                ],
            }
            for table in TABLES
        },
    }


def described(level: int = 2) -> str:
    """Every table and column, for people: Markdown, with headings of this level."""
    lines = []
    for table in TABLES:
        lines += [f"{'#' * level} {table.name}", "", table.says, ""]
        lines += ["| column | type | what it says |", "|---|---|---|"]
        lines.append(f"| `log` | string | {LOG_SAYS} |")
        for one in table.columns:
            kind = f"{one.kind}{' or null' if one.is_null else ''}"
            lines.append(f"| `{one.name}` | {kind} | {one.says} |")
        lines.append("")
    return "\n".join(lines)
