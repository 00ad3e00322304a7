"""Sentences of a text: how each is in hand, its hash, and whether a loaded text has it."""

from __future__ import annotations

import enum
import functools
import hashlib
import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u0060", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        # A soft hyphen and what has no width divide words for the eye alone.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_DIVIDED = re.compile(r"(?<=[^\W\d_])-[^\S\n]*\n\s*(?=[^\W\d_])")
_LOOSE_DASH = re.compile(r" ?- ?")
_AT_THE_END = " .,;:!?\"'"
_STOPS = ".;:!?"


class Mark(enum.StrEnum):
    """How a sentence is in hand."""

    PUBLISHED = "V"
    """Its published words were read."""
    QUOTED = "V2"
    """Its words, as somebody else quotes them: verified by a loaded text that has them."""
    PARAPHRASED = "P"
    """Told by somebody else in words of their own: verified by whoever names the sentence."""


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """What a text is known to say in one place, and how that is known."""

    name: str
    """What it is called by: its section, and a number where a section has several."""
    section: str
    """Section as the edition numbers it."""
    mark: Mark
    """How it is in hand."""
    words: str
    """The words themselves; of what is paraphrased, what it comes to."""
    source: str
    """Where it was read."""

    @property
    def sha256(self) -> str | None:
        """Hash of its words; None where nobody has them."""
        return None if self.mark is Mark.PARAPHRASED else sentence_hash(self.words)


Sentences = Mapping[str, Sentence]
"""Name to sentence."""

InHand = Mapping[str, Mapping[str, str]]
"""Rule set to the sentences that loaded texts have: name to the hash of the sentence there."""

NOTHING_IN_HAND: InHand = MappingProxyType({})
"""No text is loaded."""


class Known(dict[str, Sentence]):
    """Every sentence of a text that is known, by its name."""

    def sentence(
        self, section: str, mark: Mark, words: str, source: str, *, part: str | None = None
    ) -> str:
        """One more sentence; what comes back is the name it is rested on by.

        `part`: a word that tells it from others of its section.
        """
        name = section if part is None else f"{section}#{part}"
        assert name not in self, f"two sentences are called {name}"
        self[name] = Sentence(name=name, section=section, mark=mark, words=words, source=source)
        return name


def normalised(text: str) -> str:
    """A text in which type and lines make no difference: NFKC, one kind of quote and dash.

    A word divided at the end of a line is one word; white space is one blank. Letters keep their
    case: `sentence_hash` folds it.
    """
    text = unicodedata.normalize("NFKC", text).translate(_ALIKE)
    text = _DIVIDED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _LOOSE_DASH.sub("-", " ".join(text.split()))


@functools.lru_cache(maxsize=512)
def sentence_hash(sentence: str) -> str:
    """SHA-256 of a sentence, lowercase hex: alike whatever type it was set in.

    Hashed are the UTF-8 bytes of the normalised, case-folded sentence without the marks around it.
    """
    folded = normalised(sentence).casefold().strip(_AT_THE_END)
    return hashlib.sha256(folded.encode()).hexdigest()


def is_in(sentence: str, text: str) -> bool:
    """Whether a text has a sentence: a whole one as a whole, a part of one between any two words.

    A sentence that ends with a stop has to end there: `... unless` after it would be another rule.
    One that begins with a capital has to begin with one.
    """
    wanted, within = normalised(sentence), normalised(text)
    bare = wanted.strip(_AT_THE_END)
    if not bare:
        return False
    is_whole = wanted.rstrip("\"' ").endswith(tuple(_STOPS))
    for found in re.finditer(rf"(?<!\w){re.escape(bare)}(?!\w)", within, re.IGNORECASE):
        after = within[found.end() :].lstrip("\"' )]")
        if is_whole and after and after[0] not in _STOPS:
            continue
        if bare[0].isupper() and not found[0][0].isupper():
            continue
        return True
    return False


def held(known: Sentences, loaded: Mapping[str, str]) -> Mapping[str, str]:
    """Which sentences may be rested on: name to hash, published ones and those of loaded texts."""
    if not known:
        return _NONE
    found = {
        name: one.sha256
        for name, one in known.items()
        if one.mark is Mark.PUBLISHED and one.sha256 is not None
    }
    found |= {name: sha256 for name, sha256 in loaded.items() if name in known}
    return MappingProxyType(found)


def mark_of(in_hand: InHand) -> str:
    """A mark of all that is in hand, alike for the same sentences; empty where nothing is."""
    lines = sorted(
        f"{rule_set} {name} {sha256}\n"
        for rule_set, names in in_hand.items()
        for name, sha256 in names.items()
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


_NONE: Mapping[str, str] = MappingProxyType({})
