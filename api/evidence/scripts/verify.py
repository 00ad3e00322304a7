#!/usr/bin/env python3
"""Check an evidence bundle of a backgammon match, with nothing but Python's standard library.

    python3 verify.py BUNDLE [OLD_CHECKPOINT]

BUNDLE is the folder, or the zip file. OLD_CHECKPOINT is a checkpoint of the same log that you kept
earlier: then it is also shown that the log has only grown since. Ed25519 signatures are checked by
Python's `cryptography` where it is installed, else by the `openssl` command.

Exit code: 0 verified, 1 not, 2 the bundle cannot be read or a tool is missing.
"""

from __future__ import annotations

import base64
import calendar
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info < (3, 9):  # noqa: UP036 - whoever gets a bundle may have any
    print("cannot verify: this takes Python 3.9 or later", file=sys.stderr)
    sys.exit(2)

MANIFEST = "MANIFEST.sha256"
HEX = re.compile(r"[0-9a-f]{64}")
DISCLOSURE = re.compile(r"disclosures/[0-9a-f]{64}\.json")
SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key in a public key file (RFC 8410)."""

KNOWN = re.compile(
    r"README|MANIFEST\.sha256|bundle\.json|case\.html|checkpoint(?:\.tsr)?|consistency"
    r"|log\.(?:vkey|pub\.pem)|policy|tsa\.pem|verify\.(?:py|sh)"
    r"|(?:devices|disclosures|drafts|entries|files|parked|proofs|unsealed|withheld)/[^/]+"
)
"""What a bundle's files are called; the manifest is no seal, whoever adds a file can list it."""

CERTIFICATE = "-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n"

AT_LEAST, TIGHTEST = 1 << 30, 100
"""Bytes that any zip file may unpack to, and to how many times its own size a larger one may."""

LONGEST_NOTE = 256 * 1024
"""Bytes of a checkpoint with all its signatures, at most."""

ALWAYS = ("entries", "withheld", "proofs", "disclosures")
"""Folders that are there even where they are empty."""

TRUE = (
    bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
    bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
    b"\x72",
)
"""A key, a signature and what it signs (RFC 8032 7.1, test 2)."""

Files = dict[str, bytes]
"""Path with slashes to content."""

Found = dict[int, tuple[str, Any]]
"""Index in the log to the hex leaf hash, and the entry; None = it is withheld."""


class Key(NamedTuple):
    """A public key with the name that it signs by."""

    name: str
    kind: int
    key_id: bytes
    public: bytes


class Note(NamedTuple):
    """A signed checkpoint."""

    text: str
    signatures: list[tuple[str, bytes, bytes]]
    origin: str
    size: int
    root: bytes


class Fails(Exception):
    """The bundle does not show what it says."""


class Unusable(Exception):
    """There is no bundle, or no tool to check it with."""


MALFORMED = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What JSON of another shape than an entry's leads to: a bundle that shows nothing."""


# -- files -----------------------------------------------------------------------------------------


def read_files(place: str) -> Files:
    """{path: bytes} of a folder or a zip file."""
    path = Path(place)
    try:
        if path.is_dir():
            return read_folder(path)
        if path.exists() and not path.is_file():
            raise Unusable(f"{place} cannot be read: it is neither a folder nor a file")
        with zipfile.ZipFile(path) as archive:
            return read_zip(archive)
    except (Fails, Unusable):
        raise
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise Unusable(f"{place} cannot be read: {error}") from None
    except Exception as error:  # a damaged zip file raises whatever its decoder does
        raise Fails(f"{place} is damaged: {error}") from None


def read_folder(path: Path) -> Files:
    files: Files = {}
    for one in sorted(path.rglob("*")):
        name = one.relative_to(path).as_posix()
        need(not one.is_symlink(), f"{spelled(name)} is a link, and no file")
        if one.is_dir():
            known = name in ALWAYS or any(one.iterdir())
            need(known, f"the folder {spelled(name)} belongs to no bundle")
        else:
            need(one.is_file(), f"{spelled(name)} is no file")
            files[name] = one.read_bytes()
    return files


def read_zip(archive: zipfile.ZipFile) -> Files:
    infos = archive.infolist()
    names = [one.filename for one in infos if not one.is_dir()]
    need(len(set(names)) == len(names), "a name stands twice in the zip file")
    # Nothing is read of what would fill the memory: a few bytes can stand for any number of them.
    size, packed = sum(one.file_size for one in infos), archive.fp.seek(0, 2) if archive.fp else 0
    need(size <= AT_LEAST + TIGHTEST * packed, f"no bundle is packed so tightly: {size} bytes")
    top = {name.partition("/")[0] for name in names}
    shared = f"{top.pop()}/" if len(top) == 1 and MANIFEST not in names else ""
    for one in infos:
        is_link = one.external_attr >> 16 & 0o170000 == 0o120000
        need(not is_link, f"{spelled(one.filename)} is a link, and no file")
        if one.is_dir() and one.filename[len(shared) : -1] not in ("", *ALWAYS):
            known = any(name.startswith(one.filename) for name in names)
            need(known, f"the folder {spelled(one.filename)} belongs to no bundle")
    return {name[len(shared) :]: archive.read(name) for name in names}


def spelled(name: str) -> str:
    """A name as it can be printed anywhere."""
    return name if name.isascii() and name.isprintable() else ascii(name)


def shown_as(line: str) -> str:
    """A line without what a terminal would obey, as whoever made a bundle may have put into it."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)


def listed_in(manifest: bytes) -> dict[str, str]:
    """{name: hash} of every line of the manifest."""
    listed: dict[str, str] = {}
    text = ascii_of(manifest, MANIFEST)
    need(text.endswith("\n"), f"{MANIFEST} is cut off")
    for line in text[:-1].split("\n"):
        digest, gap, name = line.partition("  ")
        need(HEX.fullmatch(digest) and gap and name and " " not in name, f"{MANIFEST} is malformed")
        need(name not in listed, f"{name} stands twice in {MANIFEST}")
        listed[name] = digest
    return listed


def check_manifest(files: Files) -> None:
    """Every file but the manifest is listed, or named by its hash, and is what it was."""
    need(MANIFEST in files, f"there is no {MANIFEST}")
    listed = listed_in(files[MANIFEST])
    later = ("disclosures/", "unsealed/")
    wanted = {name for name in files if name != MANIFEST and not name.startswith(later)}
    for name in sorted(wanted ^ set(listed)):
        why = "missing" if name in listed else f"not listed in {MANIFEST}"
        raise Fails(f"{spelled(name)} is {why}")
    for name, raw in files.items():
        check_file(name, raw, listed)


def check_file(name: str, raw: bytes, listed: dict[str, str]) -> None:
    """One file is what the manifest, or its own name, says; `listed` is what the manifest lists."""
    digest = listed.get(name)
    if digest is not None:
        need(sha256(raw).hex() == digest, f"{name} differs from {MANIFEST}")
    need(KNOWN.fullmatch(name), f"{spelled(name)} belongs to no bundle")
    if name.startswith("disclosures/"):
        need(DISCLOSURE.fullmatch(name), f"{spelled(name)} is no disclosure")
        need(sha256(raw).hex() == name[12:76], f"{name} is not what its name says")


# -- the tree (RFC 6962, RFC 9162) -----------------------------------------------------------------


def sha256(raw: bytes) -> bytes:
    return hashlib.sha256(raw).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right)


def includes(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf to the root (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    first, second = index, size - 1
    for one in path:
        if second == 0:
            return False
        if first & 1 or first == second:
            leaf = node(one, leaf)
            while first and not first & 1:
                first >>= 1
                second >>= 1
        else:
            leaf = node(leaf, one)
        first >>= 1
        second >>= 1
    return second == 0 and leaf == root


def extends(old: int, new: int, path: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Whether the tree of `old` leaves is a prefix of that of `new` (RFC 9162 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    path = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if not path:
        return False
    first, second = old - 1, new - 1
    while first & 1:
        first >>= 1
        second >>= 1
    a = b = path[0]
    for one in path[1:]:
        if second == 0:
            return False
        if first & 1 or first == second:
            a, b = node(one, a), node(one, b)
            while first and not first & 1:
                first >>= 1
                second >>= 1
        else:
            b = node(b, one)
        first >>= 1
        second >>= 1
    return second == 0 and a == old_root and b == new_root


# -- signed notes (C2SP) ---------------------------------------------------------------------------


def need(fact: object, otherwise: str) -> None:
    if not fact:
        raise Fails(otherwise)


def ascii_of(raw: bytes, name: str) -> str:
    try:
        return raw.decode("ascii")
    except UnicodeDecodeError:
        raise Fails(f"{name} is not plain text") from None


def unbase64(text: str, what: str) -> bytes:
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        raise Fails(f"{what} is not base64") from None
    need(base64.b64encode(raw).decode() == text, f"{what} is not base64 as it is spelled")
    return raw


def number(text: str, what: str) -> int:
    need(re.fullmatch(r"0|[1-9][0-9]{0,18}", text, re.ASCII), f"{what} is no number")
    return int(text)


def key_of(text: str) -> Key:
    """The key in `NAME+ID+BASE64`."""
    name, _, rest = text.partition("+")
    marked, _, material = rest.partition("+")
    raw = unbase64(material, f"the key of {name}")
    need(len(raw) == 33 and raw[0] in (1, 4), f"the key of {name} is not one of Ed25519")
    made = sha256(name.encode() + b"\n" + raw)[:4]
    need(name and marked == made.hex(), f"the key of {name} is damaged")
    return Key(name, raw[0], made, raw[1:])


def spelled_key(key: Key) -> str:
    """A key as it is published: NAME+ID+BASE64."""
    material = base64.b64encode(bytes([key.kind]) + key.public).decode()
    return f"{key.name}+{key.key_id.hex()}+{material}"


def parse_note(raw: bytes, what: str) -> Note:
    """A checkpoint from its bytes; whether its signatures are true is asked later."""
    try:
        note = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Fails(f"{what} is not UTF-8") from None
    need(not re.search(r"[\x00-\x09\x0b-\x1f]", note), f"{what} holds control characters")
    head, blank, tail = note.rpartition("\n\n")
    need(blank and tail.endswith("\n"), f"{what} is no signed note")
    signatures: list[tuple[str, bytes, bytes]] = []
    for line in tail[:-1].split("\n"):
        dash, _, rest = line.partition(" ")
        name, _, encoded = rest.partition(" ")
        raw_signature = unbase64(encoded, f"a signature of {what}")
        need(dash == "\u2014" and name and len(raw_signature) > 4, f"{what} has a broken signature")
        signatures.append((name, raw_signature[:4], raw_signature[4:]))
    lines = head.split("\n")
    need(len(lines) == 3 and all(lines), f"{what} is not an origin, a size and a root")
    root = unbase64(lines[2], f"the root of {what}")
    need(len(root) == 32, f"the root of {what} is no hash")
    size = number(lines[1], f"the size of {what}")
    return Note(head + "\n", signatures, lines[0], size, root)


def signed_by(note: Note, key: Key) -> int | None:
    """When a key signed a note, in seconds since 1970: 0 for a log's; None if it did not.

    Of several lines by one key each has to be true, and the earliest counts.
    """
    told: int | None = None
    for signer, marked, signature in note.signatures:
        if (signer, marked) != (key.name, key.key_id):
            continue
        seconds, said = 0, note.text
        if key.kind == 4:
            seconds, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            said = f"cosignature/v1\ntime {seconds}\n{note.text}"
        true = is_signed(key.public, signature, said.encode())
        need(true, f"the signature of {key.name} is false")
        told = seconds if told is None else min(told, seconds)
    return told


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Ed25519 (RFC 8032)."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return is_signed_by_openssl(public, signature, message)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_signed_by_openssl(public: bytes, signature: bytes, message: bytes) -> bool:
    if shutil.which("openssl") is None:
        raise Unusable("neither Python's cryptography nor openssl is here to check signatures")
    with tempfile.TemporaryDirectory() as folder:
        for name, raw in (("key", SPKI + public), ("sig", signature), ("text", message)):
            Path(folder, name).write_bytes(raw)
        command = "pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile sig"
        if openssl(folder, command).returncode == 0:
            return True
    # An openssl that is too old says no to whatever it is asked, to this true one as well.
    is_able = (public, signature, message) == TRUE or is_signed_by_openssl(*TRUE)
    if not is_able:
        raise Unusable("this openssl cannot check signatures of Ed25519: version 3 can")
    return False


# -- what is in a bundle ---------------------------------------------------------------------------


def check_checkpoint(files: Files) -> tuple[Note, Key]:
    """The signed checkpoint, once its key is the one that the bundle names."""
    for name in ("checkpoint", "log.vkey", "log.pub.pem", "policy"):
        need(name in files, f"there is no {name}")
    note = parse_note(files["checkpoint"], "checkpoint")
    text = ascii_of(files["log.vkey"], "log.vkey")
    key = key_of(text.removesuffix("\n"))
    need(
        key.kind == 1 and key.name == note.origin, "log.vkey is not the key of the checkpoint's log"
    )
    pem = ascii_of(files["log.pub.pem"], "log.pub.pem").split("\n")
    need(
        pem[0] == "-----BEGIN PUBLIC KEY-----" and pem[2:] == ["-----END PUBLIC KEY-----", ""],
        "log.pub.pem is no public key",
    )
    need(unbase64(pem[1], "log.pub.pem") == SPKI + key.public, "log.pub.pem is another key")
    need(signed_by(note, key) is not None, f"no signature by {key.name}+{key.key_id.hex()}")
    return note, key


def check_witnesses(files: Files, note: Note, key: Key) -> tuple[dict[str, int], bool]:
    """Names and times of the witnesses that signed, and whether the policy has enough of them."""
    seen: dict[str, int] = {}
    members: dict[str, Key] = {}
    groups: list[tuple[str, str, list[str]]] = []
    logs: list[str] = []
    quorum: str | None = None
    for line in files["policy"].decode("utf-8", "replace").split("\n"):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "log" and len(words) in (2, 3):
            logs.append(words[1])
        elif words[0] == "witness" and len(words) in (3, 4):
            raw = words[2].rpartition("+")[2]
            if len(raw) < 100:  # of ML-DSA-44 are longer, and nothing here can check them
                made = key_of(words[2])
                need(made.kind == 4, f"{spelled(words[1])} in policy is not a witness's key")
                twice = words[1] in members or any(
                    one.public == made.public for one in members.values()
                )
                need(not twice, f"{spelled(words[1])} is one witness, and stands twice in policy")
                members[words[1]] = made
        elif words[0] == "group" and len(words) > 3:
            groups.append((words[1], words[2], words[3:]))
        elif words[0] == "quorum" and len(words) == 2 and quorum is None:
            quorum = words[1]
        else:
            raise Fails("policy is malformed")
    need(quorum is not None, "policy names no quorum")
    need(files["log.vkey"].decode().strip() in logs, "policy does not name the log's key")
    for name, witness in members.items():
        seconds = signed_by(note, witness)
        if seconds is not None:
            seen[name] = seconds
    met = set(seen)
    for name, least, inside in groups:
        wanted = {"any": 1, "all": len(inside)}.get(least) or number(least, "a threshold")
        is_one = 1 <= wanted <= len(set(inside))
        need(is_one, f"{spelled(least)} of {len(inside)} in policy is no threshold")
        if len(met.intersection(inside)) >= wanted:
            met.add(name)
    return seen, quorum == "none" or quorum in met


def check_stamp(files: Files, note: Note) -> str | None:
    """What the time-stamp over the checkpoint says, if there is one (RFC 3161)."""
    if "checkpoint.tsr" not in files and "tsa.pem" not in files:
        return None
    for name in ("checkpoint.tsr", "tsa.pem"):
        need(name in files, f"there is no {name}")
    if shutil.which("openssl") is None:
        return "the time-stamp is NOT checked: that takes openssl, which is not here"
    with tempfile.TemporaryDirectory() as folder:
        for name, raw in (("tsr", files["checkpoint.tsr"]), ("pem", files["tsa.pem"])):
            Path(folder, name).write_bytes(raw)
        Path(folder, "text").write_bytes(note.text.encode())
        # Of the token alone: round it stand words that nobody signed, which may tell another time.
        said = openssl(folder, "ts -reply -in tsr -token_out -text").stdout
        line = r"^Time stamp: (\w{3} [ \d]\d [\d:]{8})[.\d]* (\d{4}) GMT$"
        told = re.findall(line, said.decode("ascii", "replace"), re.M)
        need(len(told) == 1, "checkpoint.tsr is no time-stamp")
        at = time.strptime(" ".join(told[0]), "%b %d %H:%M:%S %Y")
        # The authority's certificate must have been valid then; it need not be so any more.
        check = "ts -verify -in tsr -data text -CAfile pem -attime"
        done = openssl(folder, f"{check} {calendar.timegm(at)}")
    need(
        done.returncode == 0,
        "checkpoint.tsr is no time-stamp of this checkpoint by the authority in tsa.pem",
    )
    pem = ascii_of(files["tsa.pem"], "tsa.pem")
    need(re.fullmatch(f"(?:{CERTIFICATE})+", pem), "tsa.pem holds something else than certificates")
    ders = (base64.b64decode(block) for block in re.findall(CERTIFICATE, pem))
    prints = ", ".join(sha256(der).hex(":").upper() for der in ders)
    return (
        f"stamped at {time.strftime('%Y-%m-%d %H:%M:%S', at)} UTC; compare the SHA-256 fingerprint"
        f" with that of the authority's own certificate: {prints}"
    )


def openssl(folder: str, command: str) -> subprocess.CompletedProcess[bytes]:
    words = ["openssl", *command.split()]
    return subprocess.run(words, cwd=folder, capture_output=True, check=False)


def parse_proof(raw: bytes, name: str, checkpoint: bytes) -> tuple[int, list[bytes]]:
    """(index, path) of a proof that holds this very checkpoint."""
    head, blank, note = raw.partition(b"\n\n")
    need(blank and note == checkpoint, f"{name} holds another checkpoint")
    lines = ascii_of(head, name).split("\n")
    need(lines.pop(0) == "c2sp.org/tlog-proof@v1", f"{name} is of an unknown format")
    need(lines and lines[0].startswith("index "), f"{name} says no index")
    index = number(lines.pop(0)[6:], f"the index of {name}")
    path = [unbase64(line, name) for line in lines]
    need(all(len(one) == 32 for one in path), f"{name} has a hash that is none")
    return index, path


def check_entries(files: Files, note: Note) -> Found:
    """{index: entry or None} of all that is shown or withheld, each in the tree of the log."""
    found: Found = {}
    for name, raw in files.items():
        folder, _, rest = name.partition("/")
        if folder not in ("entries", "withheld"):
            continue
        is_shown = folder == "entries"
        need(rest.endswith(".json") or not is_shown, f"{spelled(name)} is no entry")
        at = number(rest.removesuffix(".json") if is_shown else rest, f"the name {name}")
        need(at not in found, f"entry {at} is both shown and withheld")
        entry = parse_entry(raw, name) if is_shown else None
        if is_shown:
            leaf = sha256(b"\0" + raw)
        else:
            text = ascii_of(raw, name)
            need(HEX.fullmatch(text.removesuffix("\n")), f"{name} is no hash")
            leaf = bytes.fromhex(text.removesuffix("\n"))
        proof = f"proofs/{at}.tlog-proof"
        need(proof in files, f"there is no {proof}")
        index, path = parse_proof(files[proof], proof, files["checkpoint"])
        need(index == at, f"{proof} is of another entry")
        need(includes(leaf, index, note.size, path, note.root), f"entry {at} is not in the log")
        found[at] = (leaf.hex(), entry)
    stray = {name for name in files if name.startswith("proofs/")}
    stray -= {f"proofs/{at}.tlog-proof" for at in found}
    need(not stray, f"{min(stray, default='')} proves nothing that is here")
    for name, raw in files.items():
        if name.startswith("unsealed/"):
            need(name.endswith(".json"), f"{spelled(name)} is no entry")
            at = number(name[9:-5], f"the name {name}")
            hidden = (sha256(b"\0" + raw).hex(), None)
            need(found.get(at) == hidden, f"{name} is not the entry that was withheld")
            found[at] = (hidden[0], parse_entry(raw, name))
    return found


def plain(raw: bytes, name: str, *, is_canonical: bool = False) -> Any:
    """What JSON says to every reader alike: no member twice, whole numbers that all can hold."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), f"{name} says a member twice")
        return dict(pairs)

    def whole(text: str) -> int:
        need(len(text) < 18 and abs(int(text)) < 2**53, f"{name} holds a number that is too large")
        return int(text)

    def no_number(text: str) -> None:
        raise Fails(f"{name} holds {text}, which is no whole number")

    try:
        said = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=members,
            parse_int=whole,
            parse_float=no_number,
            parse_constant=no_number,
        )
    except ValueError:
        raise Fails(f"{name} is not JSON") from None
    if is_canonical:
        again = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        need(again.encode("utf-8", "replace") == raw, f"{name} is not written canonically")
    return said


WANTED: dict[str, Any] = {
    **dict.fromkeys(("log", "stream", "tag", "entry_id", "basis"), str),
    **dict.fromkeys(("v", "version", "schema"), int),
    **dict.fromkeys(("context", "body"), dict),
    "prev": (str, type(None)),
}
"""What an entry has."""


def parse_entry(raw: bytes, name: str) -> dict[str, Any]:
    entry: dict[str, Any] = plain(raw, name, is_canonical=True)
    need(isinstance(entry, dict), f"{name} is no entry")
    for member, kind in WANTED.items():
        value = entry.get(member, ...)
        right = isinstance(value, kind) and not isinstance(value, bool)
        need(right, f"{name} is no entry: {member} is missing or of another kind")
    return entry


def check_chains(found: Found, told: dict[str, Any]) -> list[int]:
    """Every entry names the one before it; a stream that is to be whole has no gap."""
    before: dict[str, tuple[str, int] | None] = {}
    streams: dict[str, dict[int, int]] = {}
    for index, (leaf, entry) in sorted(found.items()):
        if entry is None:
            before[leaf] = None
            continue
        need(entry["log"] == told["log"], "an entry is of another log")
        versions = streams.setdefault(entry["stream"], {})
        need(entry["version"] not in versions, "a version stands twice")
        versions[entry["version"]] = index
        prev = entry["prev"]
        at = f"entry {entry['version']} of {entry['stream']}"
        need((prev is None) == (entry["version"] == 1), f"{at} names no entry before it")
        need(prev is None or prev in before, f"{at} follows an entry that is not in this bundle")
        # What is withheld may be the one before it; what is shown says whether it is.
        right = (entry["stream"], entry["version"] - 1)
        shown = before.get(prev) if prev else None
        need(shown in (None, right), f"{at} does not follow the one before it")
        need(shown or right[1] not in versions, f"{at} does not follow the one before it")
        before[leaf] = (entry["stream"], entry["version"])
    whole = streams.get(told["stream"], {})
    last = told["last"]
    need(told["first"] == 1, "bundle.json does not begin with the first version of the match")
    need(whole and max(whole) == last and min(whole) >= 1, "bundle.json tells other versions")
    withheld = [index for index, (_, entry) in found.items() if entry is None]
    shown_to, reached = 0, -1
    for version, index in sorted(whole.items()):
        between = sum(reached < one < index for one in withheld)
        is_there = version - shown_to - 1 <= between
        need(is_there, "a version is neither shown nor withheld")
        shown_to, reached = version, index
    missing = [version for version in range(1, last + 1) if version not in whole]
    if missing and not told["cut"]:
        raise Fails(f"version {missing[0]} is not shown, and bundle.json does not say so")
    return missing


def parked_of(files: Files) -> dict[str, dict[str, Any]]:
    """{path: draft} of what devices sent that became no entry."""
    return drafts_in(files, "parked/")


def drafts_in(files: Files, folder: str) -> dict[str, dict[str, Any]]:
    """{path: draft} of a folder, in which nothing else lies but signatures of them."""
    drafts: dict[str, dict[str, Any]] = {}
    for name, raw in files.items():
        if not name.startswith(folder):
            continue
        if name.endswith(".sig"):
            need(f"{name[:-4]}.json" in files, f"{spelled(name)} signs nothing that is here")
            continue
        is_named = name == f"{folder}{sha256(raw).hex()}.json"
        need(is_named, f"{spelled(name)} is not what it is named")
        draft = plain(raw, name)
        need(isinstance(draft, dict), f"{name} is no draft")
        drafts[name] = draft
    return drafts


def check_disclosures(files: Files, found: Found) -> tuple[dict[str, Any], set[str]]:
    """({commitment: (name, value)} of what is shown of personal values, all commitments)."""
    committed: set[str] = set()
    for _, entry in found.values():
        if entry is not None:
            committed.update(commitments(entry))
    for draft in parked_of(files).values():
        committed.update(commitments(draft))
    opened: dict[str, Any] = {}
    for name, raw in files.items():
        if not name.startswith("disclosures/"):
            continue
        digest = name[12:76]
        need(digest in committed, f"no entry commits to {name}")
        said = plain(raw, name)
        need(isinstance(said, list) and len(said) == 3, f"{name} is no disclosure")
        salt, what, value = said
        need(isinstance(salt, str) and isinstance(what, str), f"{name} is no disclosure")
        opened[digest] = (what, value)
    return opened, committed


def commitments(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if set(value) == {"sd"} and isinstance(value["sd"], str):
            yield value["sd"]
        else:
            for one in value.values():
                yield from commitments(one)
    elif isinstance(value, list):
        for one in value:
            yield from commitments(one)


def check_attached(files: Files, found: Found) -> int:
    """How many photos and other files are there, each as an entry has named it by its hash."""
    named = {
        entry["body"].get("file")
        for _, entry in found.values()
        if entry is not None and entry["tag"] == "evidence.attached"
    }
    attached = [name for name in files if name.startswith("files/")]
    for name in attached:
        need(sha256(files[name]).hex() == name[6:], f"{name} is not what its name says")
        need(name[6:] in named, f"no entry shown names {name}")
    return len(attached)


def check_drafts(files: Files, found: Found, opened: dict[str, Any]) -> tuple[int, int, int]:
    """How many entries are shown as a device wrote them, and signed them; how many drafts are not
    said by their entries to be what they were made of, because that is withheld or erased.
    """
    let_in = keys_let_in(found)
    check_devices(files)
    drafts = drafts_in(files, "drafts/")
    shown = {entry["entry_id"]: entry for _, entry in found.values() if entry is not None}
    used = signed = loose = 0
    for name, draft in drafts.items():
        entry = shown.get(draft.get("entry_id"))
        if entry is None:
            raise Fails(f"{name} is of no entry that is shown")
        is_true = check_signed(files, name[:-5], draft, let_in)
        _, context = opened.get(entry["context"].get("sd"), (None, None))
        said = context if isinstance(context, dict) else {}
        # What was recorded up to version 0.2 calls it so.
        if said.get("draft", said.get("draft_sha256")) != name[7:-5]:
            loose += 1
            continue
        for member in ("entry_id", "stream", "tag", "schema", "basis", "body"):
            # As JSON tells them apart: to Python, 1 and true are the same.
            wrote, sealed = (json.dumps(one.get(member), sort_keys=True) for one in (draft, entry))
            need(wrote == sealed, f"a device wrote another {member}")
        used += 1
        signed += is_true
    return used, signed, loose


def check_devices(files: Files) -> None:
    """No key of a device lies there by which nothing is signed that is here."""
    drafts = {**drafts_in(files, "drafts/"), **parked_of(files)}
    used = {key_file(draft) for name, draft in drafts.items() if f"{name[:-5]}.sig" in files}
    stray = {name for name in files if name.startswith("devices/")} - used
    need(not stray, f"{spelled(min(stray, default=''))} is the key of nothing that is here")


def keys_let_in(found: Found) -> set[bytes]:
    """Public keys of the devices that an entry lets in, in either alphabet, padded or not."""
    keys = set()
    for _, entry in found.values():
        if entry is not None and entry["tag"] == "access.granted" and "device" in entry["body"]:
            text = entry["body"]["device"].get("public_key") or ""
            text = text.replace("-", "+").replace("_", "/").rstrip("=")
            try:
                keys.add(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
            except ValueError:
                continue  # a key that nobody could sign with
    return keys


def key_file(draft: dict[str, Any]) -> str:
    """Where the key of a draft's device lies: by its id, or the hash of one that names no file."""
    device = draft["device"]
    if not re.fullmatch(r"[A-Za-z0-9._-]+", device):
        device = sha256(device.encode()).hex()
    return f"devices/{device}.{draft['epoch']}.pub.pem"


def check_signed(files: Files, stem: str, draft: dict[str, Any], let_in: set[bytes]) -> bool:
    """Whether a draft comes with a signature, which must be that of its device."""
    signature = files.get(f"{stem}.sig")
    if signature is None:
        return False
    pem = key_file(draft)
    need(pem in files, f"there is no {pem}")
    raw_key = unbase64(ascii_of(files[pem], pem).split("\n")[1], pem)
    need(raw_key[:12] == SPKI and len(raw_key) == 44, f"{pem} is not a key of Ed25519")
    need(raw_key[12:] in let_in, f"no entry lets in the device of {pem}")
    true = is_signed(raw_key[12:], signature, files[f"{stem}.json"])
    need(true, f"the device did not sign {stem}")
    return True


def check_parked(files: Files, found: Found) -> tuple[int, int]:
    """How many drafts that became no entry are shown, and how many of them their device signed."""
    let_in, entries = (
        keys_let_in(found),
        {entry["entry_id"] for _, entry in found.values() if entry},
    )
    drafts = parked_of(files)
    for name, draft in drafts.items():
        need(draft.get("entry_id") not in entries, f"{name} is an entry that is shown")
    return len(drafts), sum(
        check_signed(files, name.removesuffix(".json"), draft, let_in)
        for name, draft in drafts.items()
    )


def keys_before(files: Files, key: Key) -> list[Key]:
    """Other keys of the same log that `policy` names: it signed with them before."""
    lines = [line.split() for line in files["policy"].decode("utf-8", "replace").split("\n")]
    named = [key_of(words[1]) for words in lines if words[:1] == ["log"]]
    return [one for one in named if one.kind == 1 and one.name == key.name and one != key]


def check_growth(files: Files, note: Note, key: Key, old_place: str) -> tuple[int, Key]:
    """Size and signer of the checkpoint that somebody kept, from which the log goes on."""
    try:
        with Path(old_place).open("rb") as file:
            raw = file.read(LONGEST_NOTE + 1)
    except OSError as error:
        raise Unusable(f"{old_place} cannot be read: {error}") from None
    need(len(raw) <= LONGEST_NOTE, "the old checkpoint is longer than any is")
    old = parse_note(raw, "the old checkpoint")
    need(old.origin == note.origin, "the old checkpoint is of another log")
    # Whoever signed it: that it is a beginning of this log is shown below. A key may be put in
    # another's place, and what the older one has signed stays signed.
    signers = [one for one in (key, *keys_before(files, key)) if signed_by(old, one) is not None]
    need(signers, "the old checkpoint is signed by no key of this log")
    need(
        old.size <= note.size,
        f"the old checkpoint is of {old.size} entries, the bundle's of {note.size}: it is no older",
    )
    if old.size in (0, note.size):
        root = note.root if old.size else sha256(b"")
        need(old.root == root, "the log was another when the old checkpoint was signed")
        return old.size, signers[0]
    need("consistency" in files, "the bundle does not show that the log has only grown")
    head, _, newer = files["consistency"].partition(b"\n\n")
    lines = ascii_of(head, "consistency").split("\n")
    need(newer == files["checkpoint"], "consistency holds another checkpoint")
    need(lines.pop(0) == f"old {old.size}", "consistency goes on from another size")
    path = [unbase64(line, "consistency") for line in lines]
    true = extends(old.size, note.size, path, old.root, note.root)
    need(true, "the log has not only grown")
    return old.size, signers[0]


def check_told(files: Files, note: Note) -> dict[str, Any]:
    told: dict[str, Any] = plain(files.get("bundle.json", b""), "bundle.json", is_canonical=True)
    need(isinstance(told, dict) and told.get("format") == "tabularium-bundle@1", "unknown format")
    for member in ("log", "stream", "profile", "first", "last", "size", "cut"):
        need(member in told, f"bundle.json says no {member}")
    for member in ("first", "last", "size"):
        right = isinstance(told[member], int) and not isinstance(told[member], bool)
        need(right, f"bundle.json says no number of {member}")
    need(told["size"] == note.size, "bundle.json tells another size of the log")
    return told


def verify(place: str, old_place: str | None = None) -> Iterator[str]:
    """Lines that say what a folder or a zip file shows. Errors: Fails, Unusable, MALFORMED."""
    return verify_files(read_files(place), old_place)


def verify_files(files: Files, old_place: str | None = None) -> Iterator[str]:
    """The same of files that were read already."""
    check_manifest(files)
    note, key = check_checkpoint(files)
    told = check_told(files, note)
    yield f"signed by {files['log.vkey'].decode().strip()}"
    yield "  compare this with the key that was published for the log"
    witnesses, is_enough = check_witnesses(files, note, key)
    for name, seconds in sorted(witnesses.items()):
        yield f"cosigned by {name}, at {seconds} seconds since 1970"
    if not is_enough:
        yield "too few witnesses have signed: the quorum of `policy` is not met"
    stamp = check_stamp(files, note)
    if stamp is not None:
        yield stamp
    found = check_entries(files, note)
    missing = check_chains(found, told)
    opened, committed = check_disclosures(files, found)
    attached = check_attached(files, found)
    used, signed, loose = check_drafts(files, found, opened)
    parked, parked_signed = check_parked(files, found)
    if old_place is not None:
        size, signer = check_growth(files, note, key, old_place)
        yield f"the log has only grown since your checkpoint of {size} entries"
        if signer != key:
            yield f"  which an earlier key of the log has signed: {spelled_key(signer)}"
    shown = [entry for _, entry in found.values() if entry is not None]
    yield f"{len(shown)} entries shown, {len(found) - len(shown)} withheld, of {note.size}"
    if isinstance(told["cut"], dict) and "last" in told["cut"]:
        yield f"it ends with version {told['last']}: {told['profile']} keeps back what follows"
    if missing:
        named = ", ".join(str(one) for one in missing[:20]) + (" …" if len(missing) > 20 else "")
        yield f"versions not shown, as bundle.json says: {named}"
    yield f"{len(opened)} personal values shown, {len(committed) - len(opened)} withheld"
    if attached:
        yield f"{attached} files that entries name by their hash"
    if "case.html" in files:
        yield "case.html is not checked here: the record of its handing out has the zip file's hash"
    if used:
        yield f"{used} entries as a device wrote them, {signed} of them signed by it"
    if loose:
        yield f"{loose} drafts of which no entry shown says that it was made of them"
    if parked:
        yield f"{parked} drafts of devices that became no entry, {parked_signed} of them signed"


def main(arguments: Sequence[str]) -> int:
    """Check what the command line names; the exit code."""
    if not 1 <= len(arguments) <= 2 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    for stream in (sys.stdout, sys.stderr):
        # What a terminal has no letter for is no fault of the bundle's.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        for line in verify(*arguments):
            print(shown_as(line))
    except Fails as error:
        print(f"FAIL: {shown_as(str(error))}")
        return 1
    except Unusable as error:
        print(f"cannot verify: {error}", file=sys.stderr)
        return 2
    except MALFORMED as error:
        print(f"FAIL: something in the bundle has another shape than it must have ({error!r})")
        return 1
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
