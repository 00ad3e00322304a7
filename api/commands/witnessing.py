"""`tabularium witness`: keep a log's last checkpoint, and check that the next one extends it."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

import orjson
import typer

from api.archive.keyring import write_whole
from api.commands.common import Json, settings_of
from api.commands.printing import REFUSED, counted, fail, line, safe, say, show
from api.evidence.witnesses import Answer, Unreachable, answered
from api.settings import default_witnessed
from events.errors import BadNote, Unverified
from events.sealing.notes import (
    MAX_NOTE_BYTES,
    Checkpoint,
    Note,
    VerifierKey,
    parse_checkpoint,
    parse_note,
    parse_verifier_key,
)
from events.sealing.proofs import Growth, parse_growth

TIMEOUT_S = 30.0

ADDRESS = ".address"
"""Ending of the file, beside the states, with the name of the log that an address gave last."""

REWRITTEN = ".rewritten"
"""Ending of the file, beside the state, of a refused checkpoint: it is the evidence."""


class State(NamedTuple):
    """What this witness knows of a log: whom it believes, and the last checkpoint it accepted."""

    keys: tuple[VerifierKey, ...]
    note: Note

    @property
    def checkpoint(self) -> Checkpoint:
        """Where the log stood."""
        return parse_checkpoint(self.note.text)

    @property
    def raw(self) -> bytes:
        """The file: keys, a blank line, the note."""
        return "".join(f"{key}\n" for key in self.keys).encode() + b"\n" + self.note.raw


class Told(NamedTuple):
    """What a source tells of a log."""

    note: Note
    growth: Growth | None
    keys: tuple[VerifierKey, ...] = ()
    """The keys that the source itself gives; used only if the user has no others."""


def witness(
    source: Annotated[
        str,
        typer.Argument(
            metavar="URL|FILE",
            help="A log on a server, as https://HOST/logs/ID, or a file: a signed checkpoint, a"
            " proof of growth, or an evidence bundle.",
        ),
    ],
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="File that keeps the last checkpoint. (default: in your data folder, by the log's"
            " name; an address finds its file again)",
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="KEY",
            help="The log's published public key; repeat it after a rotation.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Keep the last signed checkpoint of a log, and check that the next one extends it.

    Run it now and then on another machine than the server. A rewritten history is refused even if
    its signature is valid; both checkpoints are then kept as proof.

    The exit code is 0 if the log has only grown, 1 if it is refused, 2 if it cannot be read.
    """
    try:
        trusted = tuple(map(parse_verifier_key, key or ()))
    except BadNote as error:
        fail(f"--key: {error}")
    place = _place_of(source) if state is None else state
    known = None if place is None else _state(place)
    if _is_url(source):
        first = _asked(f"{source.rstrip('/')}/checkpoint/note")
        told = Told(_noted(source, first), None, () if trusted else _keys_of(source))
    else:
        told = _read(Path(source))
    if place is None:
        place = default_witnessed() / f"{_name_of(told.note)}.witnessed"
        known = _state(place)
    before = None if known is None else known.checkpoint
    name = parse_checkpoint(told.note.text).origin
    if before is not None and any(one.name == name for one in trusted):
        # A log whose keys were lost continues under another name: it has to continue all the same.
        before = before._replace(origin=name)
    if _is_url(source) and before is not None:
        growth = _growth(source, told.note, before)
        # The log may have grown between the two answers: the checkpoint with the proof counts.
        told = told if growth is None else told._replace(note=growth.note, growth=growth)
    believed = (*trusted, *(() if known is None else known.keys)) or told.keys
    if not believed:
        fail("a file names no key that is to be believed: give the published one with --key")
    try:
        new = _checked(told, before, believed)
    except (BadNote, Unverified) as error:
        is_theirs = _is_signed_by(told.note, believed)
        _refuse(str(error), told.note, before, place, is_theirs=is_theirs, as_json=as_json)
    kept = tuple(dict.fromkeys(believed))
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, State(kept, told.note).raw)
    if state is None and _is_url(source):
        write_whole(_address_file(source), place.name.encode())
    if as_json:
        old_size = None if before is None else before.size
        line({"log": new.origin, "size": new.size, "from": old_size, "state": str(place)})
        return
    size = counted(new.size, "entry", "entries")
    if before is None:
        show(f"{safe(new.origin)}: {size}, kept in {safe(place)}")
        if not trusted:
            say("its key is taken on trust: compare it with the one that was published")
            for one in kept:
                say(f"  {one}")
    elif before.size == new.size:
        show(f"{safe(new.origin)}: {size}, as before")
    else:
        show(f"{safe(new.origin)}: {size}, grown from {before.size}")


def _checked(
    told: Told, before: Checkpoint | None, believed: tuple[VerifierKey, ...]
) -> Checkpoint:
    """The new checkpoint, if it is signed and extends the old one. Errors: Unverified, BadNote."""
    told.note.verified(believed)
    new = parse_checkpoint(told.note.text)
    if new.origin not in {one.name for one in believed}:
        raise Unverified(f"the checkpoint is of {new.origin}, which is none of the keys' names")
    if before is None:
        return new
    if new.origin != before.origin:
        raise Unverified(f"the checkpoint is of {new.origin}, not of {before.origin}")
    if new.size < before.size:
        raise Unverified(f"the log has {new.size} entries, and had {before.size} before")
    if new.size == before.size:
        if new.root != before.root:
            raise Unverified(f"the log of {new.size} entries is another one than it was")
        return new
    if told.growth is None:
        raise Unverified(
            f"nothing shows that the log of {new.size} entries goes on from the {before.size} that"
            " are known: ask the server itself, or for a bundle made with --since"
        )
    return told.growth.check(before, believed)


def _is_signed_by(note: Note, keys: tuple[VerifierKey, ...]) -> bool:
    """Whether a note has a line of one of these keys, valid or not."""
    known = {(key.name, key.key_id) for key in keys}
    return any((one.name, one.key_id) in known for one in note.signatures)


def _refuse(
    why: str,
    note: Note,
    before: Checkpoint | None,
    place: Path,
    *,
    is_theirs: bool,
    as_json: bool,
) -> NoReturn:
    """Report the reason, and store what was received.

    A note without known keys proves nothing, and is not stored.
    """
    refused = place.with_name(place.name + REWRITTEN)
    if before is not None and is_theirs:
        write_whole(refused, note.raw)
    if as_json:
        line({"refused": why, "known": None if before is None else before.text, "said": note.text})
    else:
        show(f"REFUSED: {safe(why)}", "red")
        if not is_theirs:
            say("it is signed by other keys alone, which proves nothing. If the log has a new key,")
            say("compare that with what was published, and name it with --key")
        elif before is not None:
            say(f"known: {counted(before.size, 'entry', 'entries')}, kept in {safe(place)}")
            say(f"told now: what is kept in {safe(refused)}. Show both to whoever rules on it")
    raise typer.Exit(REFUSED)


# Where states are stored.


def _place_of(source: str) -> Path | None:
    """The state for the log that this address gave before; None at the first time.

    The name of a log is that of its key, and is part of what the server sends: somebody who
    rewrites a history may sign it with another key under another name, and it would be trusted like
    a log that is not known yet.
    """
    file = _address_file(source)
    if not _is_url(source) or not file.is_file():
        return None
    place = file.with_name(file.read_text("utf-8", "replace").strip() or ADDRESS)
    return place if place.is_file() else None


def _address_file(source: str) -> Path:
    asked = hashlib.sha256(source.rstrip("/").encode()).hexdigest()[:32]
    return default_witnessed() / f"{asked}{ADDRESS}"


def _state(place: Path) -> State | None:
    if not place.is_file():
        return None
    keys, _, note = place.read_bytes().partition(b"\n\n")
    try:
        return State(tuple(map(parse_verifier_key, keys.decode().split())), parse_note(note))
    except (BadNote, UnicodeDecodeError) as error:
        fail(f"{place} is not what this command keeps: {error}")


def _name_of(note: Note) -> str:
    return hashlib.sha256(parse_checkpoint(note.text).origin.encode()).hexdigest()[:32]


# Output.


def _is_url(source: str) -> bool:
    return source.startswith(("https://", "http://"))


def _growth(source: str, note: Note, before: Checkpoint) -> Growth | None:
    if parse_checkpoint(note.text).size <= before.size:
        return None
    raw = _asked(f"{source.rstrip('/')}/proof/growth?from={before.size}")
    try:
        found = parse_growth(raw)
    except BadNote as error:
        fail(f"{source} gives no proof: {error}")
    return found


def _keys_of(source: str) -> tuple[VerifierKey, ...]:
    try:
        told = orjson.loads(_asked(f"{source.rstrip('/')}/keys"))
        return tuple(map(parse_verifier_key, told["keys"]))
    except (BadNote, KeyError, TypeError, ValueError) as error:
        fail(f"{source} names no key: {error}")


def _asked(url: str) -> bytes:
    token = settings_of(None).token
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        answer = answered("GET", url, headers=headers, timeout_s=TIMEOUT_S)
    except Unreachable as error:
        fail(f"{url} does not answer as the address of a log (…/logs/LOG) would: {error}")
    if answer.status == 409:
        show(f"REFUSED: {safe(_detail(answer))}", "red")
        raise typer.Exit(REFUSED)
    if answer.status != 200:
        hint = ": set TABULARIUM_TOKEN" if answer.status in (401, 403) else ""
        if answer.status == 404:
            hint = ": is it the address of a log (…/logs/LOG)?"
        fail(f"{url} answers {answer.status}: {_detail(answer)}{hint}")
    return answer.body


def _detail(answer: Answer) -> str:
    try:
        return str(orjson.loads(answer.body)["detail"])
    except (KeyError, TypeError, ValueError):
        return "something that is no answer of a tabularium server"


def _noted(source: str, raw: bytes) -> Note:
    try:
        note = parse_note(raw)
        parse_checkpoint(note.text)
    except BadNote as error:
        fail(f"{source} gives no signed checkpoint: {error}")
    return note


def _read(path: Path) -> Told:
    """A checkpoint from a file: alone, in a proof of growth, or in a bundle."""
    try:
        if path.is_dir():
            return _bundled({name: path / name for name in ("checkpoint", "consistency")})
        if path.is_file() and zipfile.is_zipfile(path):
            return _zipped(path)
        raw = _start_of(path)
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror or error}")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError) as error:
        fail(f"{path} is no evidence bundle: {error}")
    return _of(path, raw, None)


def _bundled(files: dict[str, Path]) -> Told:
    consistency = files["consistency"]
    grown = _start_of(consistency) if consistency.is_file() else None
    return _of(files["checkpoint"], _start_of(files["checkpoint"]), grown)


def _start_of(path: Path) -> bytes:
    """A file, up to the size of a note or a proof; a longer file is neither."""
    with path.open("rb") as file:
        return file.read(2 * MAX_NOTE_BYTES)


def _zipped(path: Path) -> Told:
    with zipfile.ZipFile(path) as packed:
        names = {name.rpartition("/")[2]: name for name in packed.namelist()}
        read = {}
        for name in ("checkpoint", "consistency"):
            if name == "checkpoint" or name in names:
                # A few compressed bytes can stand for any number of them.
                with packed.open(names[name]) as file:
                    read[name] = file.read(2 * MAX_NOTE_BYTES)
        return _of(path, read["checkpoint"], read.get("consistency"))


def _of(path: Path, raw: bytes, grown: bytes | None) -> Told:
    if raw.startswith(b"old "):
        raw, grown = raw.partition(b"\n\n")[2], raw
    note = _noted(str(path), raw)
    try:
        return Told(note, None if grown is None else parse_growth(grown))
    except BadNote as error:
        fail(f"{path} holds no proof: {error}")
