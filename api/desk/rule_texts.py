"""Texts of rule sets that a tournament has loaded: the operator's own files, none of them ours.

`<folder>/<log>/<rule set>.txt`, else `<folder>/<rule set>.txt`: plain UTF-8, where a line
`## 6.3` begins the text of section 6.3, numbered as the rule set's edition numbers it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
"""Largest file that is read."""

_MARK = "## "


def text_of(folder: Path | None, log_id: str, rule_set: str, section: str) -> str | None:
    """The text of a section as the tournament has loaded it; None where it has not.

    A citation of several sections, such as `[1.3.3, 4.2.3]`, has the texts of all of them.
    """
    if folder is None:
        return None
    for path in (folder / log_id / f"{rule_set}.txt", folder / f"{rule_set}.txt"):
        sections = _sections(path)
        if section in sections:
            return sections[section]
        parts = [f"[{part}]" for part in section.strip("[]").split(", ")]
        if len(parts) > 1 and all(part in sections for part in parts):
            return "\n\n".join(sections[part] for part in parts)
    return None


def _sections(path: Path) -> Mapping[str, str]:
    """Section to text; {} where there is no such file, or none that can be read."""
    try:
        known = path.stat()
        if known.st_size > MAX_BYTES:
            return {}
        return _parsed(path, known.st_mtime_ns, known.st_size)
    except (OSError, UnicodeDecodeError):
        return {}


@functools.lru_cache(maxsize=16)
def _parsed(path: Path, _changed: int, _size: int) -> Mapping[str, str]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in path.read_text("utf-8-sig").splitlines():
        if line.startswith(_MARK):
            lines = sections.setdefault(line.removeprefix(_MARK).strip(), [])
        else:
            lines.append(line)
    return {number: "\n".join(text).strip() for number, text in sections.items() if any(text)}
