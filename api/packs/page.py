"""The page of a pack: one file that replays a case, checks its own seals, and needs no network.

Modules, texts, style and data are in it. It runs only what its own policy names by hash, and what
it runs checks every other part by hash before it is shown: a byte that was changed is told, or
keeps the page from running, and then it says what it says without scripts: that it proves nothing.

Modules import one another by relative paths, which no address of data can resolve: here they are
bare names, and an import map says where each is.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping

import orjson

from api.evidence.bundle import Files
from api.html.assets import WEB
from api.html.texts import LANGUAGES
from projections.views.lines import Line

PAGE = "case.html"
"""What it is called in a pack."""

ROOTS = ("pack/app.js", "replay/help.js")
"""Modules that are in it with all that they import; the second is asked for by a key."""

STYLES = (
    "shared/base.css",
    "shared/site.css",
    "shared/sayings.css",
    "board/board.css",
    "replay/replay.css",
    "case/case.css",
    "pack/pack.css",
)

TEXTS = (
    "common.json",
    "replay.json",
    "rules.json",
    "words.json",
    "entry.json",
    "entry_told.json",
    "board.json",
    "case.json",
    "pack.json",
    "findings.json",
    "sections.json",
)
"""Texts that its modules ask for; a language that has no such file does without."""

SEALS = (
    "entries/",
    "withheld/",
    "proofs/",
    "disclosures/",
    "checkpoint",
    "log.vkey",
    "bundle.json",
)
"""Files of the pack that are in the page as well: what its seals are checked with."""

_IMPORT = re.compile(
    r"""(^\s*import\s+|\bfrom\s+|\bimport\()"(\.{1,2}/[\w./-]+\.js)\"""", re.MULTILINE
)
_PREFIX = "tabularium/"

# `connect-src` and all else fall back to none: nothing is fetched, nothing is sent.
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:;"
    " style-src 'unsafe-inline'; script-src {scripts} data:"
)

_SHELL = """<!DOCTYPE html>
<html lang="en"><head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style id="style">{style}</style>
<script type="importmap" id="modules">{modules}</script>
</head><body class="reading replaying packed">
<main id="main">
<section id="seal" class="card" data-state="none" aria-live="polite">{unchecked}</section>
<div id="replay"><div id="viewer"></div></div><div id="binder"></div></main>
<script type="application/json" id="texts">{texts}</script>
<script type="application/json" id="pack">{pack}</script>
<script id="boot">{boot}</script></body></html>"""

TITLE = "A case before its committee"
"""Of every case the same: a title would stand in the browser's history."""


def page_of(view: Line, made: Files) -> bytes:
    """The page: the same case gives the same bytes."""
    seals = {name: raw.decode() for name, raw in sorted(made.items()) if name.startswith(SEALS)}
    return written(_in_script(orjson.dumps({**view, "files": seals}, option=orjson.OPT_SORT_KEYS)))


def written(pack: str) -> bytes:
    """The page around its data."""
    style, modules, texts = _style(), _modules(), _texts()
    unchecked = "".join(
        f'<p lang="{language}">{_escaped(_text(language, "pack.unchecked"))}</p>'
        for language in LANGUAGES
    )
    parts = {"style": style, "modules": modules, "texts": texts, "pack": pack}
    blank = dict.fromkeys([*parts, "boot", "policy"], "")
    shell = _SHELL.format(title=TITLE, unchecked=unchecked, **blank)
    # What the browser says of the document after the doctype, once every script is emptied.
    outer = shell.partition("\n")[2]
    hashes = {name: _sha256(text) for name, text in parts.items()} | {"shell": _sha256(outer)}
    boot = _source("pack/boot.js").replace('"HASHES"', json.dumps(hashes, sort_keys=True))
    boot = boot.replace('"POLICY"', json.dumps(_POLICY))
    named = " ".join(f"'sha256-{_base64(text)}'" for text in (modules, boot))
    policy = _POLICY.format(scripts=named)
    return _SHELL.format(
        title=TITLE, unchecked=unchecked, policy=policy, boot=boot, **parts
    ).encode()


@functools.cache
def _style() -> str:
    return "\n".join(_source(path) for path in STYLES)


@functools.cache
def _modules() -> str:
    """The import map: each module as an address that holds it."""
    found: dict[str, str] = {}
    waiting = list(ROOTS)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        source = _source(path)
        folder = path.rpartition("/")[0]
        imported = {_resolved(folder, one[1]) for one in re.findall(_IMPORT, source)}
        static = {
            _resolved(folder, one[2]) for one in _IMPORT.finditer(source) if one[1] != "import("
        }
        waiting += [one for one in static if _is_there(one)]
        assert imported >= static
        found[path] = _IMPORT.sub(
            lambda one, at=folder: f'{one[1]}"{_PREFIX}{_resolved(at, one[2])}"',  # type: ignore[misc]
            source,
        )
    # A module's own address is one of data: only texts are looked for beside it, and they are here.
    found["shared/texts.js"] = found["shared/texts.js"].replace(
        "import.meta.url", '"file:///static/shared/texts.js"'
    )
    addresses = {
        f"{_PREFIX}{path}": "data:text/javascript;base64,"
        + base64.b64encode(source.encode()).decode()
        for path, source in sorted(found.items())
    }
    return json.dumps({"imports": addresses}, separators=(",", ":"))


@functools.cache
def _texts() -> str:
    texts: Mapping[str, object] = {
        f"{language}/{path.stem}": json.loads(path.read_text("utf-8"))
        for language in LANGUAGES
        for name in TEXTS
        if (path := WEB / "texts" / language / name).is_file()
    }
    return _in_script(orjson.dumps(texts, option=orjson.OPT_SORT_KEYS))


def _text(language: str, key: str) -> str:
    path = WEB / "texts" / language / f"{key.partition('.')[0]}.json"
    return str(json.loads(path.read_text("utf-8"))[key])


def _source(path: str) -> str:
    return (WEB / "static" / path).read_text("utf-8")


def _is_there(path: str) -> bool:
    return (WEB / "static" / path).is_file()


def _resolved(folder: str, relative: str) -> str:
    parts = folder.split("/") if folder else []
    for one in relative.split("/"):
        if one == "..":
            parts.pop()
        elif one != ".":
            parts.append(one)
    return "/".join(parts)


def _in_script(raw: bytes) -> str:
    """JSON that can stand inside an element: what could end it is spelled otherwise."""
    text = raw.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _base64(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
