"""Canonical bytes, hashes and commitments: the device makes the same as Python."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from playwright.sync_api import Browser, Page

from api.archive.personal import commit_personal
from events.canonical import canonical, is_canonical
from events.catalogue import KINDS, TOURNAMENT_TAGS, personal_paths
from events.errors import NotCanonical
from tests.web.device_rig import DEVICE, ROOT, open_page, serve_modules

VECTORS = ROOT / "tests" / "golden" / "device"
PATHS = DEVICE / "chain" / "personal_paths.js"
SEED = bytes(range(32))

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**53 - 1,
    -(2**53) + 1,
    "",
    "plain",
    'quote " backslash \\ slash /',
    "".join(map(chr, range(0x20))) + "\x7f\x80\u2028\u2029",
    "é e\u0301 ﬁ",
    "𝄞 🎲 \ue000 \uffff",
    [],
    {},
    [[], {}, [None]],
    {"b": 1, "a": 2, "": 3, "A": 4, "10": 5, "9": 6, "_": 7, "~": 8, "__proto__": 9},
    {"moves": [[13, 7], [8, 7]], "seat": "two", "at_ms": 12_345},
    {"deep": [{"x": [{"y": [{"z": {"sd": "0" * 64}}]}]}]},
)
REFUSED = (
    "1.5",
    "1e400",
    "9007199254740993",
    '"\\ud800"',
    '"\\udc00 tail"',
    '{"\\u00e9":1}',
    "[" * 33 + "]" * 33,
)
BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dice.rolled", {"seat": "one", "dice": [3, 1]}),
    (
        "match.opened",
        {
            "players": {
                "one": [{"name": "Åsa 🎲", "club": None, "rating": 1650}],
                "two": [{"name": {"sd": "a" * 64}}],
            }
        },
    ),
    (
        "match.opened",
        {
            "players": {
                "one": [{"name": "Ada"}, {"name": "Bo", "country": "SE"}],
                "two": [{"name": "Cy", "rating": "1800 (Elo)"}],
            },
            "table": "7",
        },
    ),
    (
        "entry.amended",
        {
            "target": "f89c0e23-80f0-4730-ba5d-0194e88293a1",
            "tag": "penalty.assessed",
            "body": {"seat": "one", "reason": "late again"},
            "reason": "wrong seat",
        },
    ),
    ("match.opened", {"players": "not a shape that it has", "table": "7"}),
)


@pytest.fixture(scope="module")
def device(chromium: Browser) -> Iterator[Page]:
    """A page with the device's modules."""
    context = chromium.new_context()
    serve_modules(context)
    yield open_page(context)
    context.close()


def salt_of(name: str) -> bytes:
    """The salt that a vector uses for a disclosure of this name."""
    return hashlib.sha256(name.encode()).digest()[:16]


class _Salts(dict[str, bytes]):
    def get(self, name: str, default: Any = None) -> bytes:
        return salt_of(name)

    def __bool__(self) -> bool:
        return True


def canonical_vectors() -> dict[str, Any]:
    """Values with their canonical text and hash, and texts whose value cannot be sealed."""
    made = [(value, canonical(value)) for value in VALUES]
    return {
        "values": [
            {"value": value, "text": raw.decode(), "sha256": hashlib.sha256(raw).hexdigest()}
            for value, raw in made
        ],
        "refused": list(REFUSED),
        "lengths": {
            str(size): hashlib.sha256(bytes(i % 251 for i in range(size))).hexdigest()
            for size in (*range(130), 1_000, 65_536)
        },
    }


def personal_vectors() -> list[dict[str, Any]]:
    """Bodies with plain personal values, and what is signed and disclosed of them."""
    vectors = []
    for tag, body in BODIES:
        signed, raws = commit_personal(tag, body, entropy=_never, salts=_Salts())
        vectors.append(
            {
                "tag": tag,
                "body": body,
                "signed": signed,
                "disclosures": [raw.decode() for raw in raws],
            }
        )
    return vectors


def _never(count: int) -> bytes:
    raise AssertionError("every salt of a vector is given")


def draft_vectors() -> dict[str, Any]:
    """A chain of drafts with their bytes, hashes and signatures by a known key."""
    key = Ed25519PrivateKey.from_private_bytes(SEED)
    drafts, prev = [], None
    for seq in range(1, 4):
        raw = canonical(
            {
                "entry_id": f"00000000-0000-4000-8000-{seq:012}",
                "stream": "r3-t07-9c41",
                "tag": "dice.rolled",
                "schema": 1,
                "basis": "observed",
                "body": {"seat": "one", "dice": [seq, 6]},
                "device": "tablet-1",
                "epoch": 1,
                "device_seq": seq,
                "device_prev": prev,
                "lease": 1,
                "expected_version": seq,
                "expected_head": None,
                "occurred_at": 1_790_000_000_000 + seq,
                "elapsed_ms": seq,
            }
        )
        prev = hashlib.sha256(raw).hexdigest()
        signature = base64.urlsafe_b64encode(key.sign(raw)).rstrip(b"=").decode()
        drafts.append({"raw": raw.decode(), "sha256": prev, "signature": signature})
    pkcs8 = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return {"pkcs8": pkcs8.hex(), "drafts": drafts}


def paths_module() -> str:
    """The text of `personal_paths.js`."""
    lines = [
        "// Paths of personal values in bodies, by tag; a test generates them from the catalogue.",
        "",
        "/** @type {Record<string, readonly (readonly string[])[]>} */",
        "export const PERSONAL_PATHS = {",
    ]
    for kind in KINDS:
        paths = personal_paths(kind.payload)
        # A tablet records matches alone.
        if paths and kind.tag not in TOURNAMENT_TAGS:
            lines.append(f'  "{kind.tag}": {json.dumps(paths)},')
    return "\n".join([*lines, "};", ""])


GENERATED: dict[Path, Callable[[], str]] = {
    VECTORS / "canonical.json": lambda: _text(canonical_vectors()),
    VECTORS / "personal.json": lambda: _text(personal_vectors()),
    VECTORS / "drafts.json": lambda: _text(draft_vectors()),
    PATHS: paths_module,
}


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_what_is_generated_is_current(path: Path) -> None:
    text = GENERATED[path]()
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        path.write_text(text)
    assert path.read_text() == text


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_python_refuses_what_the_vectors_call_refused(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        return
    with pytest.raises(NotCanonical):
        canonical(value)


def test_the_device_spells_every_value_as_python_does(device: Page) -> None:
    vectors = canonical_vectors()
    made = device.evaluate(
        """async (text) => {
          const { canonicalText, canonical } = await load("device/chain/canonical.js");
          const { sha256Hex, ownSha256 } = await load("device/chain/sha256.js");
          const { hex } = await load("device/chain/bytes.js");
          const made = [];
          for (const { value } of JSON.parse(text)) {
            const raw = canonical(value);
            const digests = [await sha256Hex(raw), hex(ownSha256(raw))];
            made.push([canonicalText(value), ...digests]);
          }
          return made;
        }""",
        json.dumps(vectors["values"]),
    )
    assert made == [[one["text"], one["sha256"], one["sha256"]] for one in vectors["values"]]


def test_the_device_refuses_what_python_refuses(device: Page) -> None:
    taken = device.evaluate(
        """async (texts) => {
          const { canonical } = await load("device/chain/canonical.js");
          const isTaken = (text) => {
            try { canonical(JSON.parse(text)); return true; } catch (error) {
              if (error.name !== "NotCanonical") throw error;
              return false;
            }
          };
          return texts.filter(isTaken);
        }""",
        list(REFUSED),
    )
    assert taken == []


def test_a_value_without_a_json_form_is_refused_and_an_absent_member_left_out(
    device: Page,
) -> None:
    assert device.evaluate(
        """async () => {
          const { canonical, canonicalText, plain } = await load("device/chain/canonical.js");
          const strange = [undefined, () => 1, Symbol("x"), 1n, NaN, new Date(0)];
          const refused = strange.filter((value) => {
            try { canonical({ value }); return false; } catch { return true; }
          });
          const left = plain({ a: 1, b: undefined, c: [{ d: undefined }] });
          return [refused.length, canonicalText(left)];
        }"""
    ) == [6, '{"a":1,"c":[{}]}']


def test_the_own_hash_is_sha256_at_every_length(device: Page) -> None:
    lengths = canonical_vectors()["lengths"]
    made = device.evaluate(
        """async (sizes) => {
          const { ownSha256 } = await load("device/chain/sha256.js");
          const { hex } = await load("device/chain/bytes.js");
          const bytesOf = (size) => Uint8Array.from({ length: size }, (_, i) => i % 251);
          return Object.fromEntries(sizes.map((size) => [size, hex(ownSha256(bytesOf(+size)))]));
        }""",
        list(lengths),
    )
    assert made == lengths


def test_the_device_commits_personal_values_as_the_door_does(device: Page) -> None:
    vectors = personal_vectors()
    salts = {
        json.loads(raw)[1]: json.loads(raw)[0] for one in vectors for raw in one["disclosures"]
    }
    made = device.evaluate(
        """async ([vectors, salts]) => {
          const { commitPersonal } = await load("device/chain/personal.js");
          const { fromHex } = await load("device/chain/bytes.js");
          const made = [];
          for (const { tag, body } of vectors) {
            const committed = await commitPersonal(tag, body, (name) => fromHex(salts[name]));
            const texts = committed.disclosures.map((raw) => new TextDecoder().decode(raw));
            made.push({ tag, body, signed: committed.body, disclosures: texts });
          }
          return made;
        }""",
        [vectors, salts],
    )
    assert made == vectors


def test_a_salt_is_never_used_twice(device: Page) -> None:
    salts = device.evaluate(
        """async () => {
          const { commitPersonal } = await load("device/chain/personal.js");
          const ada = { name: "Ada", club: "Ada", country: "Ada" };
          const body = { players: { one: [ada] } };
          const made = [];
          for (let i = 0; i < 50; i += 1) {
            const { disclosures } = await commitPersonal("match.opened", body);
            made.push(...disclosures.map((raw) => JSON.parse(new TextDecoder().decode(raw))[0]));
          }
          return made;
        }"""
    )
    assert len(salts) == len(set(salts)) == 150
    assert {len(salt) for salt in salts} == {32}


def test_the_device_signs_the_bytes_that_python_signs(device: Page) -> None:
    vectors = draft_vectors()
    made = device.evaluate(
        """async ({ pkcs8, drafts }) => {
          const { canonical } = await load("device/chain/canonical.js");
          const { sign } = await load("device/chain/keys.js");
          const { sha256Hex } = await load("device/chain/sha256.js");
          const { fromHex } = await load("device/chain/bytes.js");
          const private_key = await crypto.subtle.importKey(
            "pkcs8", fromHex(pkcs8), { name: "Ed25519" }, false, ["sign"]);
          const made = [];
          for (const { raw } of drafts) {
            const bytes = canonical(JSON.parse(raw));
            made.push({
              raw: new TextDecoder().decode(bytes),
              sha256: await sha256Hex(bytes),
              signature: await sign({ private_key, public_key: "" }, bytes),
            });
          }
          return made;
        }""",
        vectors,
    )
    assert made == vectors["drafts"]
    assert all(is_canonical(one["raw"].encode()) for one in made)


def test_ids_are_random_uuids_of_version_four(device: Page) -> None:
    ids = device.evaluate(
        """async () => {
          const { uuid } = await load("device/chain/ids.js");
          return Array.from({ length: 500 }, uuid);
        }"""
    )
    shape = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert len(set(ids)) == 500
    assert all(re.fullmatch(shape, one) for one in ids)
