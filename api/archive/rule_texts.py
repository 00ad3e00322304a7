"""Texts of rule sets that a tournament has loaded: the operator's own files, none of them ours.

    club.db.rules/                  mode 0700, beside the database; or TABULARIUM_RULE_TEXTS
        loaded.json                 what was loaded and what was verified: when, and by whom
        <sha256>.pdf, .txt          each file as it was given
        <sha256>.text               its words, where it is a PDF
        wbgf-2.1.txt                an operator's own copy, where a line `## 4.3` begins section 4.3
        <log>/wbgf-2.1.txt          the same for one log: shown there, and rested on nowhere

Nothing here is in the database, in its backup or in anything that the archive hands out.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from api.archive.keyring import place_of, write_whole
from api.archive.text_sections import sections_in
from api.settings import Settings, default_rule_texts
from events.errors import BadInput
from events.store.address import MemoryAddress, parse_address
from projections.rules.profile import RuleProfile
from projections.rules.sentences import InHand, Mark, is_in, sentence_hash
from projections.rules.shelf import SHELF

MAX_BYTES = 16 * 1024 * 1024
"""Largest file that is taken or read."""

_INDEX = "loaded.json"
_TRIES = 5
"""How often texts are read that change while they are read."""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was loaded."""

    rule_set: str
    """Id of the rule set whose text it is."""
    sha256: str
    """Hash of the file as it was given, lowercase hex."""
    kind: str
    """pdf or txt."""
    name: str
    """Name that the file had."""
    added_ms: int
    """When, milliseconds since 1970 UTC."""
    by: str
    """Who loaded it."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that somebody who holds the text has named for what is known of it."""

    rule_set: str
    """Id of the rule set."""
    sentence: str
    """What the rule set calls it by."""
    sha256: str
    """Hash of the sentence (`projections/rules/sentences.py`)."""
    words: str
    """The sentence, as it was named."""
    text_sha256: str
    """Hash of the loaded file in which it was found."""
    at_ms: int
    """When, milliseconds since 1970 UTC."""
    by: str
    """Who named it."""


class _Index(msgspec.Struct, frozen=True):
    """What `loaded.json` holds."""

    loaded: tuple[Loaded, ...] = ()
    verified: tuple[Verified, ...] = ()


class Stand(NamedTuple):
    """How the files lie: what would be otherwise if any of them were."""

    listed: tuple[int, ...] | None
    """Of `loaded.json`, which is put in its place whole and after the files that it names."""
    copies: tuple[tuple[int, ...] | None, ...]
    """Of each operator's own copy, which anybody may be writing at this moment."""


class RuleTexts:
    """The loaded texts of one archive. Methods read files; errors of files: OSError."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        """Where they lie; None = an archive that is gone with its process has none."""

    @property
    def loaded(self) -> tuple[Loaded, ...]:
        """Every file that was loaded, the oldest first. Errors: BadInput for a broken index."""
        return self._index().loaded

    @property
    def verified(self) -> tuple[Verified, ...]:
        """Every sentence that was named, the oldest first. Errors: BadInput, as above."""
        return self._index().verified

    def texts(self, rule_set: str) -> Iterator[tuple[str, str]]:
        """(SHA-256 of the file, its words) of each text of a rule set; the operator's copy last."""
        if self.folder is None:
            return
        for one in self.loaded:
            if one.rule_set == rule_set:
                yield one.sha256, _words(self.folder / f"{one.sha256}.{_suffix(one.kind)}")
        own = self.folder / f"{rule_set}.txt"
        if own.is_file():
            try:
                words = _words(own)
            except (OSError, UnicodeDecodeError):
                return
            yield hashlib.sha256(own.read_bytes()).hexdigest(), words

    def sections(self, profile: RuleProfile) -> Mapping[str, str]:
        """Section to its text, as far as any text of the rule set has it."""
        found: dict[str, str] = {}
        for _, words in self.texts(profile.id):
            for section, text in sections_in(words, tuple(profile.contents)).items():
                found.setdefault(section, text)
        return found

    def sections_for(self, log_id: str, profile: RuleProfile) -> Mapping[str, str]:
        """The same for one log, which may have a copy of its own."""
        if self.folder is None:
            return {}
        return {**self.sections(profile), **_marked(self.folder / log_id / f"{profile.id}.txt")}

    def text_of(self, log_id: str, rule_set: str, section: str) -> str | None:
        """The text of a section as the tournament has loaded it; None where it has not.

        A citation of several sections, such as `[1.3.3, 4.2.3]`, has the texts of all of them.
        """
        if self.folder is None:
            return None
        profile = SHELF.get(rule_set)
        if profile is None:
            return None
        sections = self.sections_for(log_id, profile)
        if section in sections:
            return sections[section]
        parts = [f"[{part}]" for part in section.strip("[]").split(", ")]
        if len(parts) > 1 and all(part in sections for part in parts):
            return "\n\n".join(sections[part] for part in parts)
        return None

    def add(self, data: bytes, words: str, loaded: Loaded) -> None:
        """Keep a file with its words. Errors: BadInput where it is loaded already."""
        folder, index = self._to_write(), self._index()
        known = {(one.sha256, one.rule_set) for one in index.loaded}
        if (loaded.sha256, loaded.rule_set) in known:
            raise BadInput(f"this file is loaded already for {loaded.rule_set}")
        write_whole(folder / f"{loaded.sha256}.{loaded.kind}", data, mode=0o600)
        if loaded.kind != "txt":
            write_whole(folder / f"{loaded.sha256}.text", words.encode(), mode=0o600)
        self._write(msgspec.structs.replace(index, loaded=(*index.loaded, loaded)))

    def remove(self, loaded: Loaded) -> tuple[Verified, ...]:
        """Let go of a file, and of the sentences that were named in it; those come back."""
        folder, index = self._to_write(), self._index()
        kept = tuple(one for one in index.loaded if one != loaded)
        gone = tuple(
            one
            for one in index.verified
            if (one.rule_set, one.text_sha256) == (loaded.rule_set, loaded.sha256)
        )
        named = tuple(one for one in index.verified if one not in gone)
        self._write(_Index(kept, named))
        if all(one.sha256 != loaded.sha256 for one in kept):
            for suffix in ("pdf", "txt", "text"):
                (folder / f"{loaded.sha256}.{suffix}").unlink(missing_ok=True)
        return gone

    def verify(self, verified: Verified) -> None:
        """Keep that somebody named a sentence; one named before for the same place gives way."""
        index = self._index()
        place = (verified.rule_set, verified.sentence)
        others = (one for one in index.verified if (one.rule_set, one.sentence) != place)
        self._write(msgspec.structs.replace(index, verified=(*others, verified)))

    def in_hand(self) -> InHand:
        """Rule set to the sentences that its loaded texts have: name to hash.

        One that is quoted is there where a text has its words; what is paraphrased, where it was
        named and the text still lies here. Plain dictionaries, which go to other processes.
        """
        found: dict[str, Mapping[str, str]] = {}
        for profile in SHELF.values():
            if not profile.sentences or self.folder is None:
                continue
            texts = list(self.texts(profile.id))
            names = {
                name: sentence_hash(one.words)
                for name, one in profile.sentences.items()
                if one.mark is not Mark.PARAPHRASED
                and any(is_in(one.words, text) for _, text in texts)
            }
            names |= {
                one.sentence: one.sha256
                for one in self.verified
                if one.rule_set == profile.id
                and one.sha256 == sentence_hash(one.words)
                and any(is_in(one.words, text) for _, text in texts)
            }
            if names:
                found[profile.id] = names
        return found

    def stand(self) -> Stand:
        """How the files lie at this moment: as many looks at the disk as there are such texts."""
        if self.folder is None:
            return Stand(None, ())
        copies = (f"{profile.id}.txt" for profile in SHELF.values() if profile.sentences)
        return Stand(
            _state(self.folder / _INDEX), tuple(_state(self.folder / name) for name in copies)
        )

    def read(self) -> tuple[Stand, InHand]:
        """What is in hand, and how the files lay while it was read.

        Read again where one of them was changed or removed meanwhile. Errors: BadInput, OSError.
        """
        for _ in range(_TRIES - 1):
            before = self.stand()
            with contextlib.suppress(FileNotFoundError):
                found = self.in_hand()
                if self.stand() == before:
                    return before, found
        return self.stand(), self.in_hand()

    def _index(self) -> _Index:
        if self.folder is None:
            return _Index()
        path = self.folder / _INDEX
        try:
            return msgspec.json.decode(path.read_bytes(), type=_Index)
        except FileNotFoundError:
            return _Index()
        except msgspec.MsgspecError as error:
            raise BadInput(f"{path} cannot be read: {error}") from None

    def _to_write(self) -> Path:
        if self.folder is None:
            raise BadInput("this archive is gone with its process, and keeps no texts")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.folder

    def _write(self, index: _Index) -> None:
        content = msgspec.json.format(msgspec.json.encode(index), indent=1)
        write_whole(self._to_write() / _INDEX, content + b"\n", mode=0o600)


def texts_of(settings: Settings) -> RuleTexts:
    """The loaded texts of the archive that the settings name."""
    if settings.rule_texts is not None:
        return RuleTexts(settings.rule_texts)
    if isinstance(parse_address(settings.db), MemoryAddress):
        return RuleTexts(None)
    return RuleTexts(place_of(settings.db, "rules", default_rule_texts()))


def _suffix(kind: str) -> str:
    return "txt" if kind == "txt" else "text"


def _state(path: Path) -> tuple[int, ...] | None:
    """Of one file; one that was put in its place anew is another. None = none that can be seen."""
    try:
        known = path.stat()
    except OSError:
        return None
    return (known.st_ino, known.st_mtime_ns, known.st_size)


def _words(path: Path) -> str:
    known = path.stat()
    if known.st_size > MAX_BYTES:
        raise OSError(f"{path} is larger than {MAX_BYTES:,} bytes")
    return _read(path, known.st_mtime_ns, known.st_size)


@functools.lru_cache(maxsize=16)
def _read(path: Path, _changed: int, _size: int) -> str:
    return path.read_text("utf-8-sig")


def _marked(path: Path) -> Mapping[str, str]:
    """Section to text by the marks of an operator's copy; {} where there is none to be read."""
    try:
        return sections_in(_words(path), ())
    except (OSError, UnicodeDecodeError):
        return {}
