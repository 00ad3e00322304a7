"""Whom to believe about a log, as one file (c2sp.org/tlog-policy): keys, witnesses, a quorum.

    log archive.example/logs/7f3c+8ad2e21b+AV...
    witness backgammon-federation witness.example/w1+...+BM... https://witness.example/
    group witnesses any backgammon-federation
    quorum witnesses

A quorum of `none` asks for no witness. Names hold no white space; who somebody is, the key says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from events.errors import BadNote, Unverified
from events.sealing.notes import Kind, Note, VerifierKey, parse_verifier_key

NONE = "none"
"""The quorum that asks for no witness."""

MOST = 64
"""Logs, witnesses and groups each, in one file."""


class Witness(NamedTuple):
    """Somebody who signs that a log has only grown."""

    name: str
    """How this file calls it."""
    key: VerifierKey
    url: str | None = None
    """Where it takes checkpoints: `<url>/add-checkpoint`."""


class Group(NamedTuple):
    """Witnesses, or groups of them, and how many of them must have signed."""

    least: int
    members: tuple[str, ...]


class Policy(NamedTuple):
    """Whom to believe; `str()` is the file."""

    logs: tuple[VerifierKey, ...]
    witnesses: tuple[Witness, ...] = ()
    groups: tuple[tuple[str, Group], ...] = ()
    quorum: str = NONE

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for log in self.logs:
            yield f"log {log}"
        for one in self.witnesses:
            yield " ".join(filter(None, ("witness", one.name, str(one.key), one.url)))
        for name, group in self.groups:
            yield f"group {name} {group.least} {' '.join(group.members)}"
        yield f"quorum {self.quorum}"

    def check(self, note: Note) -> list[str]:
        """Names of the witnesses that signed a checkpoint, once it satisfies the policy.

        Errors: Unverified.
        """
        if self.logs:
            note.verified(self.logs)
        found = set(cosigners(note, self.witnesses))
        for name, group in self.groups:
            if len(found.intersection(group.members)) >= group.least:
                found.add(name)
        if self.quorum not in (NONE, *found):
            raise Unverified(f"too few witnesses have signed: the quorum {self.quorum} is not met")
        return [one.name for one in self.witnesses if one.name in found]


def cosigners(note: Note, witnesses: Iterable[Witness]) -> Iterator[str]:
    """Names of those that signed a note; what does not verify is passed over."""
    for one in witnesses:
        try:
            note.verified([one.key])
        except Unverified:
            continue
        yield one.name


def any_of(logs: Iterable[VerifierKey], witnesses: Iterable[Witness]) -> Policy:
    """These logs, and of these witnesses at least one, where there are any."""
    known = tuple(witnesses)
    if not known:
        return Policy(tuple(logs))
    group = Group(1, tuple(one.name for one in known))
    return Policy(tuple(logs), known, (("witnesses", group),), "witnesses")


def parse_policy(text: str) -> Policy:
    """A policy from its file. Errors: BadNote, which names the line."""
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            reader.take(words)
        except BadNote as error:
            raise BadNote(f"line {number} of the policy: {error}") from None
    return reader.done()


class _Reader:
    def __init__(self) -> None:
        self.logs: list[VerifierKey] = []
        self.witnesses: list[Witness] = []
        self.groups: list[tuple[str, Group]] = []
        self.quorum: str | None = None
        self.free: set[str] = set()
        self.named: set[str] = {NONE}

    def take(self, words: list[str]) -> None:
        match words:
            case ["log", key, *url] if len(url) <= 1:
                self._log(parse_verifier_key(key))
            case ["witness", name, key, *url] if len(url) <= 1:
                self._witness(Witness(name, parse_verifier_key(key), *url))
            case ["group", name, least, *members] if members:
                self._group(name, least, tuple(members))
            case ["quorum", name]:
                if self.quorum is not None:
                    raise BadNote("there is one quorum")
                if name not in self.named:
                    raise BadNote(f"{name} is not defined before the quorum")
                self.quorum = name
            case _:
                raise BadNote("a line is log KEY, witness NAME KEY, group NAME ..., quorum NAME")

    def done(self) -> Policy:
        if self.quorum is None:
            raise BadNote("the policy names no quorum")
        return Policy(tuple(self.logs), tuple(self.witnesses), tuple(self.groups), self.quorum)

    def _log(self, key: VerifierKey) -> None:
        if key.kind is not Kind.ED25519:
            raise BadNote(f"the key of {key.name} is not one that a log signs with here")
        if key.public in {one.public for one in self.logs} or len(self.logs) >= MOST:
            raise BadNote(f"the log {key.name} stands twice, or there are too many")
        self.logs.append(key)

    def _witness(self, one: Witness) -> None:
        if one.key.kind is Kind.ED25519:
            raise BadNote(f"the key of {one.name} is a log's, not a witness's")
        if one.key.public in {other.key.public for other in self.witnesses}:
            raise BadNote(f"the witness {one.name} stands twice")
        self._name(one.name, self.witnesses)
        self.witnesses.append(one)

    def _group(self, name: str, least: str, members: tuple[str, ...]) -> None:
        if len(set(members)) < len(members) or not self.free.issuperset(members):
            raise BadNote(f"a member of {name} is not defined before it, or is in a group already")
        needed = {"any": 1, "all": len(members)}.get(least)
        if needed is None:
            needed = int(least) if least.isdecimal() and least.isascii() else 0
        if not 1 <= needed <= len(members):
            raise BadNote(f"{least} of {len(members)} members is no threshold")
        self._name(name, self.groups)
        self.free.difference_update(members)
        self.groups.append((name, Group(needed, members)))

    def _name(self, name: str, others: list[Witness] | list[tuple[str, Group]]) -> None:
        if name in self.named or len(others) >= MOST:
            raise BadNote(f"the name {name} stands twice, or there are too many")
        self.named.add(name)
        self.free.add(name)
