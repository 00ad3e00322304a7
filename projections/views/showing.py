"""What a reader is shown of a match: up to when, which names and words, and why no more.

Decided here alone, by the rule set of the match and the reader's role. Pages, answers, files and
commands ask for each entry, and give these reasons for what they leave out. Facts of the table
(rolls, plays, clocks, the answers of rulings) are not words: `last` says up to which entry a reader
sees them, and `discretion.py` which judgements about them are shown during play.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from events.payloads import appeal, custody, dice, dispute
from events.payloads.access import Role
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from projections.custody.access import Grant
from projections.rules.profile import Hearing, Withheld
from projections.rules.shelf import SHELF
from projections.rules.texts.common import COMMON
from projections.states import Replay
from projections.views.words import is_sealed, under_seal


class Reader(enum.StrEnum):
    """Who reads a match."""

    PUBLIC = "public"
    """Anybody, by no grant."""
    VIEWER = "viewer"
    SCRIBE = "scribe"
    """Whoever records: also a player, where a rule set lets players record."""
    COMMITTEE = "committee"
    """Who decides an appeal, and is given what the rule set of the match gives."""
    DIRECTOR = "director"
    """Who rules on it, or keeps the archive."""


class Why(enum.StrEnum):
    """Why a reader is not shown something."""

    NOT_PUBLIC = "not_public"
    """Of personal values the public is shown what a hall posts (`is_posted`), and no other."""
    KEPT_FROM_PLAYERS = "kept_from_players"
    """Testimony that was given so that the players do not learn of it."""
    PLAYERS_SECRET = "players_secret"
    """The rule set keeps the players secret from its committee."""
    NO_APPEALS = "no_appeals"
    """The rule set knows no appeals, and so names nobody to a committee."""
    NAMES_SOMEBODY = "names_somebody"
    """Words that the committee is given, but that name a player."""
    UNCHECKED = "unchecked"
    """Words of which nobody can say any more whether they name a player: the name was erased."""
    FIRST_RULING = "first_ruling"
    """The rule set keeps the first ruling, and all that follows, from its committee."""
    ERASED = "erased"
    """It was erased for good, or its disclosure was never handed in."""
    MISSING = "missing"
    """The file was named by its hash and never sent in."""


class People(enum.StrEnum):
    """Which personal values of an opening a reader is shown."""

    ALL = "all"
    """All of them."""
    POSTED = "posted"
    """What a hall posts: the public, of a match that is public."""
    NONE = "none"
    """None: a committee from which the players are kept secret."""


_ASKED = frozenset({"testimony.given", "entry.amended"})

CONTEXT: Final = "context"
"""The disclosure of who recorded an entry, when and on what."""

_NAME = re.compile(r"players\.(?:one|two)\.\d+\.name")

_POSTED = frozenset({"event", "round", "table", "date"})


def is_posted(tag: str, name: str) -> bool:
    """Whether a personal value is of those that hang on the wall of any hall.

    Who plays, at what event, in which round, at which table, on what day. `name` is its path in
    the body of an entry with this tag.
    """
    return tag == "match.opened" and (name in _POSTED or _NAME.fullmatch(name) is not None)


class Showing(NamedTuple):
    """What one reader is shown of one match."""

    reader: Reader
    hearing: Hearing
    """What the rule set of the match gives its committee."""
    rule_set: str
    """Id of that rule set."""
    last: int
    """Version of the last entry that is shown for what it is; the delay may hold back more."""
    cut: Why | None = None
    """Why there is nothing after it; None = there is nothing more."""
    is_unsealed: bool = False
    """Whether the players were named to the committee after its decision."""
    marks: frozenset[str] = frozenset()
    """What would tell who plays, as `marks_of` has it."""
    sealed: frozenset[int] = frozenset()
    """Versions of testimony that a correction has put under seal, for whoever may not read it."""

    @property
    def people(self) -> People:
        """Which personal values of the opening are shown."""
        if self.reader is Reader.PUBLIC:
            return People.POSTED
        return People.NONE if self.hides_players else People.ALL

    @property
    def hides_players(self) -> bool:
        """Whether the reader must not learn who plays."""
        is_secret = Withheld.PLAYERS in self.hearing.withholds
        return self.reader is Reader.COMMITTEE and is_secret and not self.is_unsealed

    @property
    def hides_ballots(self) -> bool:
        """Whether the reader is not told what single ballots say: everybody but who decides."""
        is_of_case = self.reader in (Reader.COMMITTEE, Reader.DIRECTOR)
        return not is_of_case and not self.hearing.opens_ballots

    @property
    def is_followed(self) -> bool:
        """Whether the reader may follow the match live: not who is kept from what comes next."""
        is_cut = Withheld.FIRST_RULING in self.hearing.withholds
        return self.reader is not Reader.COMMITTEE or not is_cut

    @property
    def _secret(self) -> Why:
        return Why.PLAYERS_SECRET if self.hearing.knows_appeals else Why.NO_APPEALS

    def asks_payload(self, tag: str) -> bool:
        """Whether `why` has to know what an entry says, and not only its tag."""
        return self.reader is not Reader.DIRECTOR and tag in _ASKED

    def why_recorder(self) -> Why | None:
        """Why it is not shown who recorded an entry, when and on what; None = it is shown."""
        if self.reader is Reader.PUBLIC:
            return Why.NOT_PUBLIC
        return self._secret if self.hides_players else None

    def why_file(self) -> Why | None:
        """Why a file that an entry names is not shown: who sits at the table can be seen on it."""
        return self.why_recorder()

    def why(
        self,
        payload: Payload | None,
        tag: str,
        name: str,
        value: object,
        *,
        version: int | None = None,
    ) -> Why | None:
        """Why a personal value of an entry is not shown; None = it is.

        `name` is the path of the value in the body, by its disclosure; `version` is the entry's.
        """
        if self.reader is Reader.DIRECTOR:
            return None
        if self.reader is Reader.PUBLIC:
            return None if is_posted(tag, name) else Why.NOT_PUBLIC
        if name == CONTEXT:
            return self.why_recorder()
        if self.reader is not Reader.COMMITTEE:
            is_kept = version in self.sealed or is_sealed(payload)
            return Why.KEPT_FROM_PLAYERS if is_kept else None
        return self._why_committee(payload, tag, name, value) if self.hides_players else None

    def _why_committee(
        self, payload: Payload | None, tag: str, name: str, value: object
    ) -> Why | None:
        if isinstance(payload, EntryAmended) and name.startswith("body."):
            tag, name = payload.tag, name.removeprefix("body.")
        member = ".".join(part for part in name.split(".") if not part.isdecimal())
        given = self.hearing.words
        is_given = given is None or f"{tag} {member}" in given
        if tag == "match.opened" or not is_given:
            return self._secret
        if ANYTHING in self.marks:
            return Why.UNCHECKED
        return Why.NAMES_SOMEBODY if is_telling(str(value), self.marks) else None


def reader_of(grants: Iterable[Grant], log_id: str, stream_id: str | None) -> Reader:
    """Who somebody is to a match, by the grants that cover it: the one that is shown most."""
    roles = {grant.role for grant in grants if grant.covers(log_id, stream_id)}
    if roles & {Role.DIRECTOR, Role.ARCHIVIST}:
        return Reader.DIRECTOR
    for role, reader in _READERS.items():
        if role in roles:
            return reader
    return Reader.PUBLIC


_READERS = {
    Role.VIEWER: Reader.VIEWER,
    Role.SCRIBE: Reader.SCRIBE,
    Role.COMMITTEE: Reader.COMMITTEE,
}


OF_LOG = Hearing(section="", withholds=frozenset({Withheld.PLAYERS}), words=frozenset())
"""Of a tournament's own stream, which is no match, a committee is given no personal value."""


def showing_of_log(reader: Reader, version: int) -> Showing:
    """What a reader is shown of a tournament's own stream."""
    return Showing(reader, OF_LOG, COMMON.id, version)


def people_in_list(reader: Reader, rule_set: str | None) -> People:
    """Which personal values a list shows of a match, of which it knows the row alone."""
    return Showing(reader, hearing_of(rule_set), rule_set or COMMON.id, 0).people


def is_cut_in_list(reader: Reader, rule_set: str | None) -> bool:
    """Whether a list has to look at the match itself, because its row may tell too much."""
    is_cut = Withheld.FIRST_RULING in hearing_of(rule_set).withholds
    return reader is Reader.COMMITTEE and is_cut


def is_embargoed_in_list(reader: Reader, rule_set: str | None) -> bool:
    """Whether a list has to look whether an appeal keeps the match from this reader altogether."""
    return reader is Reader.VIEWER and hearing_of(rule_set).has_embargo


def hearing_of(rule_set: str | None) -> Hearing:
    """What a rule set gives its committee; one that is not on the shelf is played as `common`."""
    return SHELF.get(rule_set or COMMON.id, COMMON).hearing


def showing(
    whole: Replay,
    reader: Reader,
    marks: frozenset[str] = frozenset(),
    *,
    case: str | None = None,
) -> Showing:
    """What a reader is shown of a match by its own rule set, as corrected and as it stands.

    `marks` are what would tell who plays (`marks_of`); only a committee from which the players are
    kept secret needs them. `case`: the appeal whose committee reads, by its entry id; whoever has
    no seat in one is named nobody while any appeal's names are sealed.
    """
    profile = whole.rules.profile
    last, cut, is_unsealed = whole.version, None, False
    if reader is Reader.COMMITTEE and profile.hearing.withholds:
        found = _Case(whole)
        is_unsealed = found.is_unsealed(case)
        if Withheld.FIRST_RULING in profile.hearing.withholds and found.ruled_at is not None:
            last, cut = found.ruled_at - 1, Why.FIRST_RULING
    sealed: frozenset[int] = frozenset()
    if whole.recorded and reader in (Reader.VIEWER, Reader.SCRIBE):
        sealed = under_seal((step.event for step in whole.steps), whole.recorded)
    return Showing(reader, profile.hearing, profile.id, last, cut, is_unsealed, marks, sealed)


class _Cuts:
    """Where the first ruling stands on what was disputed, for any entry that is appealed against.

    A director may rule twice on one dispute, and the second ruling tells the first: so what counts
    is the first ruling since the dispute was raised, unless the match went on in between.
    """

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}
        self._disputes: dict[str, int | None] = {}
        self._disputed: int | None = None
        """The first ruling since the last dispute, if the match has not gone on since."""
        self._is_disputed = False
        self._firsts: dict[str, int] = {}

    def take(self, entry_id: str, version: int, payload: Payload) -> None:
        """Take the next entry of the match."""
        self._versions[entry_id] = version
        match payload:
            case dispute.DisputeRaised():
                self._disputes[entry_id] = None
                self._is_disputed, self._disputed = True, None
            case dispute.RulingMade(dispute=about):
                self._disputed = self._disputed or (version if self._is_disputed else None)
                first = self._disputed
                if about is not None and about in self._disputes:
                    first = self._disputes[about] = self._disputes[about] or version
                self._firsts[entry_id] = first or version
            case dice.Rolled() | dice.OpeningRolled() | appeal.AppealDecided():
                # Whatever is ruled from here on is ruled on something else, unless it says so.
                self._is_disputed, self._disputed = False, None
            case _:
                if self._disputed is not None:
                    self._firsts[entry_id] = self._disputed

    def before(self, entry_id: str) -> int | None:
        """The version that is kept from a committee on an appeal against this entry."""
        return self._firsts.get(entry_id) or self._versions.get(entry_id)


def first_ruling_on(whole: Replay, case_id: str) -> int | None:
    """Version of the first ruling on what an appeal is about; None where it is against nothing."""
    cuts = _Cuts()
    for step in whole.steps:
        payload = step.event.payload
        if step.event.entry_id == case_id and isinstance(payload, appeal.AppealFiled):
            return cuts.before(payload.target)
        cuts.take(step.event.entry_id, step.event.version, payload)
    return None


class _Case:
    """Where the first ruling of a case stands, and how far the case has come."""

    def __init__(self, whole: Replay) -> None:
        self._first_ruling: int | None = None
        self._open: dict[str, int] = {}
        self._cuts = _Cuts()
        self._is_decided = False
        self._is_unsealed = False
        self._sealed: set[str] = set()
        """Appeals whose committee has not been told who plays."""
        for step in whole.steps:
            self._cuts.take(step.event.entry_id, step.event.version, step.event.payload)
            if self._first_ruling is None and isinstance(step.event.payload, dispute.RulingMade):
                self._first_ruling = step.event.version
            self._take(step.event.entry_id, step.event.version, step.event.payload)

    def _take(self, entry_id: str, version: int, payload: Payload) -> None:
        match payload:
            case appeal.AppealFiled(target=target):
                against = self._cuts.before(target)
                # An appeal against nothing that stands: the ruling that could be meant, at least.
                self._open[entry_id] = against or self._first_ruling or version
                self._sealed.add(entry_id)
            case appeal.AppealRefused(appeal=named):
                # It has no committee that would have to be told.
                self._sealed.discard(named)
            case appeal.AppealDecided(appeal=named):
                self._is_decided = True
                if named is None:
                    self._open.clear()
                self._open.pop(named or "", None)
            case custody.PackUnsealed() if self._is_decided:
                # Not to the committee of an appeal that is still open.
                self._is_unsealed, self._sealed = True, self._sealed & self._open.keys()
            case _:
                pass

    def is_unsealed(self, case: str | None) -> bool:
        """Whether the players were named to the committee of this appeal; None = to every one."""
        is_sealed = bool(self._sealed) if case is None else case in self._sealed
        return self._is_unsealed and not is_sealed

    @property
    def ruled_at(self) -> int | None:
        """Version of the ruling that is kept from the committee; None = none is, or not any more.

        That of the oldest appeal that is not decided. Where there is no appeal yet, the first
        ruling: it may be the one that is appealed. A refused appeal has no committee to tell.
        """
        if self._open:
            return min(self._open.values())
        return None if self._is_decided else self._first_ruling


_SHORT = 3
"""Up to so many letters a name is looked for where a word begins, and not inside of others."""


ANYTHING = ""
"""A mark that stands in all words: of a player whose name was erased none can be looked for."""


def marks_of(values: Iterable[tuple[str, object]]) -> frozenset[str]:
    """What would tell who plays: (path in the opening, value) of what is known of the players.

    Of a name each part of at least two letters; of an id, a club, a table or a round the whole.
    """
    marks: set[str] = set()
    for path, value in values:
        parts = path.split(".")
        if parts[0] not in _TELLING or not isinstance(value, str | int):
            continue
        text = str(value)
        mark = plain_words(text) or text.strip()
        marks.add(mark)
        if parts[-1] in ("name", "transcriber"):
            marks.update(part for part in mark.split() if len(part) > 1)
    # A table is often a bare number, and so is nearly everything that a witness speaks of.
    return frozenset(mark for mark in marks if mark and not _is_common(mark))


_TELLING = frozenset({"players", "table", "round", "transcriber", "source"})


def _is_common(mark: str) -> bool:
    return mark.isdecimal() and len(mark) <= _SHORT


def is_telling(text: str, marks: Iterable[str]) -> bool:
    """Whether words hold what would tell who plays; rather once too often than once too rarely.

    Also in the other spelling: whoever is called Jörg is written as Joerg by whoever has no ö.
    """
    words = f" {plain_words(text)} "
    spelled = in_any_spelling(words)
    return any(
        _is_in(mark, words, text) or _is_in(in_any_spelling(mark), spelled, text) for mark in marks
    )


_OTHERWISE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "a", "œ": "o"})
"""Letters that are one with their stroke, or with the next: nothing takes them apart."""


def in_any_spelling(plain: str) -> str:
    """Plain words with one letter for each sound that is written with a sign, or with two letters:
    ä or ae, å or aa, ø or oe.
    """
    return re.sub(r"([aou])e|(a)a", r"\1\2", plain.translate(_OTHERWISE))


def _is_in(mark: str, words: str, text: str) -> bool:
    if not plain_words(mark):
        return mark in text
    if len(mark) > _SHORT or not mark.isascii():
        return mark in words
    # Two letters begin too many words; "Bo's" and "Bos" are whose anything is.
    return any(f" {mark}{end}" in words for end in (("",) if len(mark) == _SHORT else (" ", "s ")))


def plain_words(text: str) -> str:
    """A text as its words in small letters, without accents and signs, one space apart."""
    bare = unicodedata.normalize("NFKD", text).casefold()
    left_out = ("Mn", "Cf")
    kept = "".join(one for one in bare if unicodedata.category(one) not in left_out)
    # Words of the record are joined by underscores.
    return " ".join(re.findall(r"[^\W_]+", kept))
