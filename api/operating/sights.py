"""What `fsck` can notice of a change to the archive: alone, with a checkpoint, or not at all.

Each row is held by a test that makes just this change to an archive and looks whether it is seen.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class Seen(enum.StrEnum):
    """What it takes to see a change."""

    ALONE = "alone"
    CHECKPOINT = "with a checkpoint"
    NOT = "not at all"


class Sight(NamedTuple):
    """One kind of change."""

    key: str
    """What the test calls it."""
    change: str
    """What was changed, or taken away, or put there."""
    seen: Seen
    told: str
    """The finding by which it is told; where there is none, who else can see it."""


SIGHTS = (
    Sight("sealed", "bytes of an entry", Seen.ALONE, "leaf-hash"),
    Sight("refitted", "bytes of an entry, its hash with them", Seen.ALONE, "log-head"),
    Sight("column", "a column beside an entry's bytes", Seen.ALONE, "column"),
    Sight("fingerprint", "the fingerprint that a retry must repeat", Seen.ALONE, "draft-hash"),
    Sight("removed", "an entry taken out", Seen.ALONE, "position-gap"),
    Sight("swapped", "two entries in each other's place", Seen.ALONE, "log-head"),
    Sight("head", "where a log is said to stand", Seen.ALONE, "log-head"),
    Sight("stream-head", "where a match is said to stand", Seen.ALONE, "stream-head"),
    Sight("grant", "a grant: who may do what", Seen.ALONE, "leaf-hash"),
    Sight("value", "a name, or another personal value", Seen.ALONE, "disclosure-hash"),
    Sight(
        "value-gone",
        "a personal value taken out, and no entry says so",
        Seen.ALONE,
        "disclosure-missing",
    ),
    Sight(
        "values-gone",
        "all that an entry commits to taken out; it may have come in so",
        Seen.ALONE,
        "withheld",
    ),
    Sight("value-back", "a value put back that was erased", Seen.ALONE, "not-erased"),
    Sight("draft", "bytes of a tablet's draft", Seen.ALONE, "journal-hash"),
    Sight("signature", "a tablet's signature", Seen.ALONE, "journal-signature"),
    Sight(
        "signed", "whether a tablet's draft is said to be signed", Seen.ALONE, "journal-signature"
    ),
    Sight("outcome", "what is said to have become of a draft", Seen.ALONE, "journal-outcome"),
    Sight("received", "when an accepted draft came in", Seen.ALONE, "journal-column"),
    Sight("cursor", "how far a tablet's chain is said to have come", Seen.ALONE, "device-cursor"),
    Sight("file", "bytes of a photo; it is served to nobody", Seen.ALONE, "file"),
    Sight("file-back", "a file put back that was erased", Seen.ALONE, "file-not-erased"),
    Sight("ballot", "what a closed ballot says; it is never opened", Seen.ALONE, "ballot"),
    Sight("list", "a row of the lists of matches", Seen.ALONE, "index"),
    Sight("player", "a row of the list of players", Seen.ALONE, "index"),
    Sight("table", "a table or a column taken out", Seen.ALONE, "schema"),
    Sight("guard", "a guard taken off a table", Seen.ALONE, "schema"),
    Sight(
        "shortened",
        "the last entries taken out, heads and all with them",
        Seen.CHECKPOINT,
        "rolled-back",
    ),
    Sight("older", "an older copy put in the archive's place", Seen.CHECKPOINT, "rolled-back"),
    Sight(
        "rewritten",
        "an entry forged, and every hash and head with it",
        Seen.CHECKPOINT,
        "rolled-back",
    ),
    Sight("log-gone", "a whole log taken out", Seen.CHECKPOINT, "rolled-back"),
    Sight(
        "note",
        "a signed checkpoint that is kept, put in by somebody else",
        Seen.CHECKPOINT,
        "checkpoint-signature",
    ),
    Sight(
        "unsigned-tail",
        "entries taken out that no checkpoint covers yet",
        Seen.NOT,
        "the tablets, which hold what they sent until one does",
    ),
    Sight(
        "parked-tail",
        "the drafts that were parked last, cursor and all with them",
        Seen.NOT,
        "the tablet that sent them",
    ),
    Sight(
        "parked-reason",
        "why a draft was parked, when it came in, or where its match stood then",
        Seen.NOT,
        "nobody; the draft itself is sealed by its tablet",
    ),
    Sight(
        "checkpoint-gone",
        "a signed checkpoint taken out of the database",
        Seen.NOT,
        "whoever was handed it; the last one lies outside of the database as well",
    ),
    Sight(
        "witness",
        "a witness's signature under a checkpoint",
        Seen.NOT,
        "`tabularium verify`, of a bundle",
    ),
    Sight("stamp", "a time-stamp of a checkpoint", Seen.NOT, "`tabularium verify`, of a bundle"),
    Sight(
        "file-gone",
        "a photo taken out: it may never have been sent",
        Seen.NOT,
        "whoever opens the match that names it",
    ),
    Sight("file-kind", "what kind of file a photo is said to be", Seen.NOT, "whoever opens it"),
    Sight("ballot-gone", "a closed ballot taken out", Seen.NOT, "whoever casts the last one"),
    Sight(
        "parked-value",
        "words beside a draft that is parked, taken out",
        Seen.NOT,
        "the director, who is shown the draft without them",
    ),
    Sight(
        "news",
        "when something is said to have been news in a list",
        Seen.NOT,
        "nobody; delete the list, it is made anew",
    ),
)
"""Every kind of change, those first that are seen soonest."""
